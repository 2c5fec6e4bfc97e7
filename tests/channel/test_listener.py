"""The listener itself: how it ends, how many it takes, and programs that are told where it is."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mqtriage.backends.pytest_plugin import EmulatedQueueManager
from mqtriage.commands.help.cheats import cheat_lines
from mqtriage.commands.queue.handles import who
from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from tests.support.channel_client import INPUT, ChannelClient, wanted
from tests.support.channel_server import ChannelServer

QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"
COMMAND = [sys.executable, "-m", "mqtriage"]
Started = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    create(tmp_path, "QM1")
    return tmp_path


@pytest.fixture
def started(home: Path) -> Iterator[Started]:
    """Starts a verb of `emulator` in a process of its own."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more: Any) -> subprocess.Popen[str]:
        environment = dict(os.environ) | {"MQTRIAGE_HOME": str(home)}
        arguments = (*COMMAND, "emulator", *arguments)
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            arguments, env=environment, text=True, stderr=pipe, stdout=pipe, **more
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def port_in(file: Path) -> int:
    until = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    return int(file.read_text())


@pytest.mark.alone
@pytest.mark.slow
def test_it_says_where_it_listens_and_ends_within_a_second(started: Started, home: Path) -> None:
    """A get that waits ends with 2203 meanwhile, and what was not committed is backed out."""
    for _ in range(5):  # a stall of the machine is no proof
        took_s = listened_and_ended(started, home / "port")
        if took_s < 1:
            break
    assert took_s < 1


def listened_and_ended(started: Started, file: Path) -> float:
    """How long it took to end."""
    listener = started("serve", "QM1", "--tcp", "0", "--port-file", str(file))
    port = port_in(file)
    assert listener.stderr is not None
    assert f"127.0.0.1 port {port}" in listener.stderr.readline()
    waiting = ChannelClient(port, channel="SYSTEM.DEF.SVRCONN")
    idle = ChannelClient(port, channel="SYSTEM.DEF.SVRCONN")
    idle.put(QUEUE, b"stays", syncpoint=False)
    idle.put(QUEUE, b"goes", syncpoint=True)
    assert waiting.get(QUEUE) == b"stays"
    waiting.begin(SegmentType.MQGET, **wanted(waiting.open(QUEUE, INPUT), False, 60_000))
    waiting.converse(3)  # answered after the get was taken
    began = time.monotonic()
    listener.send_signal(signal.SIGTERM)
    answer = waiting.receive()
    assert bodies.decode(answer.type, answer.body, ">")[0]["reason"] == 2203
    assert listener.wait(60) == 0
    took_s = time.monotonic() - began
    with pytest.raises(ConnectionError):
        idle.receive()
    file.unlink()
    started("serve", "QM1", "--tcp", "0", "--port-file", str(file))
    with ChannelClient(port_in(file), channel="SYSTEM.DEF.SVRCONN") as client:
        assert client.get(QUEUE) is None
    return took_s


@pytest.mark.slow
def test_it_takes_a_thousand_idle_clients(started: Started, home: Path) -> None:
    """From a soft limit of descriptors that would not do, and goes on as before."""
    file = home / "port"
    limit = "import os,resource as r,sys; h=r.getrlimit(7)[1]; r.setrlimit(7,(256,h))"
    program = f"{limit}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    listener = subprocess.Popen(
        [sys.executable, "-c", program, "-m", "mqtriage", "emulator", "serve", "QM1",
         "--tcp", "0", "--port-file", str(file)],
        env=dict(os.environ) | {"MQTRIAGE_HOME": str(home)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    clients = []
    try:
        port = port_in(file)
        for _ in range(1000):
            clients.append(ChannelClient(port, channel="SYSTEM.DEF.SVRCONN"))
        clients[0].put(QUEUE, b"first")
        assert clients[-1].get(QUEUE) == b"first"
        listener.send_signal(signal.SIGTERM)
        assert listener.stderr is not None
        text = listener.stderr.read()
        assert listener.wait(60) == 0
        assert len(text.splitlines()) == 1, text
    finally:
        listener.kill()
        for client in clients:
            client.close()


def test_without_descriptors_it_hangs_up_on_the_next_one_and_goes_on(
    started: Started, home: Path
) -> None:
    file = home / "port"
    program = (
        "import os,resource as r,sys; r.setrlimit(7,(60,60));"
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    listener = subprocess.Popen(
        [sys.executable, "-c", program, "-m", "mqtriage", "emulator", "serve", "QM1",
         "--tcp", "0", "--port-file", str(file)],
        env=dict(os.environ) | {"MQTRIAGE_HOME": str(home)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    clients = []
    try:
        port = port_in(file)
        refused = 0
        for _ in range(80):
            try:
                # the start alone: a conversation would take a descriptor more
                clients.append(ChannelClient(port, channel="SYSTEM.DEF.SVRCONN", connect=False))
            except ConnectionError:
                refused += 1
        assert refused and clients
        for client in clients:
            client.close()
        until = time.monotonic() + 60
        while True:
            try:
                with ChannelClient(port, channel="SYSTEM.DEF.SVRCONN") as client:
                    client.put(QUEUE, b"goes on")
                break
            except Exception:
                assert time.monotonic() < until
        listener.send_signal(signal.SIGTERM)
        assert listener.stderr is not None
        lines = listener.stderr.read().splitlines()
        assert listener.wait(60) == 0
        assert 1 <= len([line for line in lines if "no more are accepted" in line]) <= 3, lines
    finally:
        listener.kill()


def test_serve_listens_too(started: Started) -> None:
    served = started("serve", "QM1", "--tcp", "0")
    assert served.stderr is not None
    port = int(served.stderr.readline().partition(" port ")[2].partition(";")[0])
    with ChannelClient(port, channel="SYSTEM.DEF.SVRCONN") as client:
        client.put(QUEUE, b"over TCP")


@pytest.mark.slow
def test_run_tells_a_program_where_to_connect(started: Started, home: Path) -> None:
    """MQSERVER, MQ_CONN and a channel table in JSON; the exit code is the program's."""
    program = (
        "import json,os,socket,sys,urllib.request;"
        "names=['MQSERVER','MQ_CONN','MQ_CHANNEL','MQ_QMGR','MQCCDTURL'];"
        "out={n:os.environ[n] for n in names};"
        "out['table']=json.load(urllib.request.urlopen(os.environ['MQCCDTURL']));"
        "port=int(out['MQ_CONN'].partition('(')[2][:-1]);"
        "socket.create_connection(('127.0.0.1',port)).close();"
        "print(json.dumps(out)); sys.exit(7)"
    )
    ran = started("run", "--tcp", "QM1", "--", sys.executable, "-c", program)
    text, _ = ran.communicate(timeout=60)
    assert ran.returncode == 7
    out = json.loads(text)
    (channel,) = out["table"]["channel"]
    (at,) = channel["clientConnection"]["connection"]
    assert out["MQ_CONN"] == f"127.0.0.1({at['port']})"
    assert out["MQSERVER"] == f"SYSTEM.DEF.SVRCONN/TCP/127.0.0.1({at['port']})"
    assert (channel["name"], channel["type"]) == ("SYSTEM.DEF.SVRCONN", "clientConnection")
    assert channel["clientConnection"]["queueManager"] == out["MQ_QMGR"] == "QM1"
    assert not Path(urlsplit(out["MQCCDTURL"]).path).exists(), "it is gone with the listener"


@pytest.mark.parametrize("words", [("--tcp", "{}", "QM1"), ("QM1", "--tcp", "{}")])
@pytest.mark.slow
def test_run_listens_on_the_port_that_is_given(started: Started, words: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    at = [word.format(port) for word in words]
    ran = started("run", *at, "--", sys.executable, "-c", "import os; print(os.environ['MQ_CONN'])")
    assert ran.communicate(timeout=60)[0] == f"127.0.0.1({port})\n"
    assert started("run", "QM1", "--tcp", "65536", "--", "true").wait(60) == 2


def test_run_serves_tls_only_over_tcp(started: Started) -> None:
    refused = started("run", "QM1", "--tls-cert", "cert.pem", "--tls-key", "key.pem", "--", "true")
    _, text = refused.communicate(timeout=60)
    assert (refused.returncode, text.splitlines()[0]) == (
        2,
        "error: --tls-cert, --tls-key and --tls-ca need TCP: give --tcp",
    )


def test_another_address_is_refused_by_one_line(started: Started) -> None:
    refused = started("serve", "QM1", "--address", "0.0.0.0", "--tcp", "0")
    _, text = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert text.splitlines()[0] == ("error: --address 0.0.0.0 accepts programs on other machines")
    assert "--allow-remote" in text


def test_a_port_that_is_taken_is_one_line(started: Started, home: Path) -> None:
    server = ChannelServer(home / "other")
    try:
        refused = started("serve", "QM1", "--tcp", str(server.port))
        _, text = refused.communicate(timeout=60)
        assert refused.returncode == 1
        assert "Address already in use" in text.splitlines()[0]
    finally:
        server.close()


@pytest.mark.slow
def test_the_fixture_of_the_pytest_plugin_has_an_address(
    mqtriage_qmgr: EmulatedQueueManager,
) -> None:
    """The port stays over a crash, so that programs connect again."""
    address = mqtriage_qmgr.tcp
    assert (address.host, address.channel) == ("127.0.0.1", "SYSTEM.DEF.SVRCONN")
    with ChannelClient(address.port, channel=address.channel) as client:
        client.put(QUEUE, b"by TCP")
    assert mqtriage_qmgr.depth(QUEUE) == 1
    mqtriage_qmgr.mqsc("DEFINE CHANNEL(MY.OWN) CHLTYPE(SVRCONN)")
    mqtriage_qmgr.crash()
    again = mqtriage_qmgr.tcp
    assert again == address._replace(channel="MY.OWN")
    with ChannelClient(again.port, channel="MY.OWN") as client:
        assert client.get(QUEUE) == b"by TCP"


@pytest.mark.parametrize("words", [("--port-file", "port"), ("--allow-remote",), ("QM2",)])
def test_what_is_of_tcp_needs_a_port(started: Started, words: tuple[str, ...]) -> None:
    refused = started("serve", "QM1", *words)
    _, text = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "needs TCP: give --tcp PORT" in text


def test_a_name_with_an_asterisk_means_whichever_queue_manager_is_there(
    server: ChannelServer,
) -> None:
    for name in ("*", "*ANY_QM", "*QM1"):
        server.client(queue_manager=name).close()
    assert server.refusal(queue_manager="ANY_QM") == 2058


@pytest.mark.slow
def test_a_queue_manager_that_does_not_exist_is_created(
    started: Started, home: Path, tmp_path: Path
) -> None:
    """Its queues are there when the first client connects, and the user hears of it."""
    script = tmp_path / "queues.mqsc"
    script.write_text("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) LIKE(NONE)\nDEFINE QLOCAL(C)\n")
    words = (
        "serve",
        "QM1X",
        "--tcp",
        "0",
        "--port-file",
        str(home / "port"),
        "--mqsc",
        str(script),
    )
    server = started(*words)
    port = port_in(home / "port")
    with ChannelClient(port, channel="SYSTEM.DEF.SVRCONN", queue_manager="QM1X") as client:
        client.put("C", b"there already")
        assert client.get("C") == b"there already"
    server.send_signal(signal.SIGTERM)
    _, text = server.communicate(timeout=60)
    assert text.splitlines()[:-1] == [
        "QM1X did not exist, so it was created (did you mean QM1?);"
        " mqtriage emulator rm QM1X --confirm QM1X deletes it",
        f"warning: {script}:2: define QLOCAL(B) LIKE(NONE): MQRC_UNKNOWN_OBJECT_NAME (2085)",
        "QM1X: ran 3 MQSC commands, 1 failed",
    ]
    (home / "port").unlink()
    again = started(*words)
    port_in(home / "port")
    again.send_signal(signal.SIGTERM)
    _, text = again.communicate(timeout=60)
    assert "did not exist" not in text
    assert "QM1X: ran 3 MQSC commands, 3 failed" in text


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        pytest.param(
            ("--mqsc", "bad.mqsc"), 1,
            "error: bad.mqsc:2:1: 'DEFIN' is not an MQSC command; expected DEFINE"
            " (1 of 2 MQSC commands wrong: none was run, nothing is served)",
            id="syntax",
        ),
        pytest.param(("--mqsc", "none.mqsc"), 5, "error: none.mqsc: no such file", id="no-file"),
        pytest.param(("--tcp", "{port}"), 1, "error: 127.0.0.1 port {port}: Address already in use",
                     id="port"),
        pytest.param(("--web", "0", "--web-role", "x=y"), 2, "error: --web-role x=y: there is no"
                     " user x", id="role"),
        pytest.param(("QM 2", "--tcp", "0"), 2, "error: queue manager name 'QM 2' has a blank at"
                     " position 3, MQ allows A-Z a-z 0-9 . / _ %", id="name"),
        pytest.param(("QM*", "--tcp", "0"), 2, "error: queue manager name 'QM*' has '*' at"
                     " position 3, MQ allows A-Z a-z 0-9 . / _ %", id="pattern"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_cannot_be_served_leaves_no_queue_manager_behind(
    started: Started, home: Path, tmp_path: Path, words: tuple[str, ...], code: int, line: str
) -> None:
    (tmp_path / "bad.mqsc").write_text("DEFINE QLOCAL(A)\nDEFIN QLOCAL(B)\n")
    server = ChannelServer(home / "other")
    try:
        port = str(server.port)
        refused = started("serve", "QM2", *(w.format(port=port) for w in words), cwd=tmp_path)
        _, text = refused.communicate(timeout=60)
    finally:
        server.close()
    assert (refused.returncode, text.splitlines()[0]) == (code, line.format(port=port))
    assert sorted(path.name for path in (home / "emulator").glob("QM*")) == ["QM1.qmgr"]


def test_a_script_may_start_its_listener_and_services(
    started: Started, home: Path, tmp_path: Path
) -> None:
    """The served port is listened on already; what is not emulated is reported, and it serves."""
    script = tmp_path / "queues.mqsc"
    script.write_text(
        "DEFINE LISTENER(L) TRPTYPE(TCP) CONTROL(QMGR)\nSTART LISTENER(L)\n"
        "DEFINE SERVICE(S)\nSTART SERVICE(S)\n"
    )
    server = started(
        "serve", "QM1", "--tcp", "0", "--port-file", str(home / "port"), "--mqsc", str(script)
    )
    port_in(home / "port")
    server.send_signal(signal.SIGTERM)
    _, text = server.communicate(timeout=60)
    assert text.splitlines()[:-1] == [
        "warning: START SERVICE(S): not emulated: START SERVICE",
        "QM1: ran 4 MQSC commands, 1 failed",
    ]


def test_a_listener_of_the_system_with_the_served_port_is_the_one_that_listens(
    started: Started, home: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
    script = tmp_path / "listener.mqsc"
    name = "SYSTEM.LISTENER.TCP.1"
    script.write_text(
        f"DEFINE LISTENER({name}) TRPTYPE(TCP) PORT({number})\nSTART LISTENER({name})\n"
        f"STOP LISTENER({name})\nSTART LISTENER({name})\n"
    )
    server = started(
        "serve", "QM1", "--tcp", str(number), "--port-file", str(home / "port"),
        "--mqsc", str(script),
    )  # fmt: skip
    port_in(home / "port")
    server.send_signal(signal.SIGTERM)
    _, text = server.communicate(timeout=60)
    assert "QM1: ran 4 MQSC commands" in text and "not emulated" not in text, text


@pytest.mark.parametrize("options", [("--tcp", "0"), ()], ids=["tcp", "socket"])
@pytest.mark.slow
def test_a_server_ends_with_its_standard_input(
    started: Started, home: Path, options: tuple[str, ...]
) -> None:
    """As the pipe of a program that was killed; nothing that comes before counts."""
    server = started("serve", "QM1", *options, "--stop-on-eof", stdin=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stderr is not None
    server.stderr.readline()
    server.stdin.write("x" * 10_000)
    server.stdin.flush()
    time.sleep(0.2)
    assert server.poll() is None
    server.stdin.close()
    server.stdin = None
    assert server.wait(60) == 0


def test_standard_input_is_read_once(started: Started) -> None:
    refused = started("serve", "QM1", "--stop-on-eof", "--mqsc", "-", stdin=subprocess.DEVNULL)
    _, text = refused.communicate(timeout=60)
    assert (refused.returncode, text.splitlines()[0]) == (
        2,
        "error: --stop-on-eof and --mqsc - both read standard input: give only one",
    )


def test_mqsc_with_a_syntax_error_changes_nothing(started: Started, home: Path) -> None:
    (home / "bad.mqsc").write_text("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MAXDEPTX(1)\n")
    refused = started("serve", "QM1", "--mqsc", str(home / "bad.mqsc"))
    _, text = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert "MAXDEPTX is not an attribute of a local queue" in text
    with closing(open_manager(qmgr_path(home, "QM1"))) as manager:
        manager.look()
        assert "A" not in manager.queues


def test_a_queue_manager_that_was_not_named_here_is_not_created(
    started: Started, home: Path
) -> None:
    """One of -m or of settings exists, or is a mistake."""
    refused = started("serve", "-m", "QM2")
    _, text = refused.communicate(timeout=60)
    assert refused.returncode == 5
    assert "no emulated queue manager QM2" in text


def test_the_line_of_cheat_serves(started: Started, home: Path) -> None:
    create(home, "PLAY")
    (words,) = [
        cheat.command.split()
        for cheat in cheat_lines()["emulator"]
        if cheat.command.startswith("mqtriage emulator serve")
    ]
    words[words.index("--tcp") + 1] = "0"  # another test may have the port
    server = started(*words[2:])
    assert server.stderr is not None
    assert "PLAY: listening on 127.0.0.1 port" in server.stderr.readline()


def test_an_open_of_a_9_0_4_client_has_room_for_a_policy_in_an_older_structure() -> None:
    """It opens so when it reconnects: version 2 of the call, version 1 of what is in it."""
    number = {word: word.to_bytes(4, "little") for word in (0, 1, 2, 5, 12, 300, 0x2020, 10_240)}
    later = b"".join(
        (
            bytes.fromhex("0000017800000000 00000000ffffffff"),  # MQ's call header, no handle yet
            number[12], number[2], (296).to_bytes(4, "little"),
            b"SPOU" + number[1] + number[12],
            b"SPOI" + number[2] + number[300],
            b"LPOO" + number[1] + number[0x2020] + number[0] + b"\xff" * 16,
            b" " * 48 + number[0] + number[10_240],
            b"OD  " + number[2] + number[5] + b" " * 96 + b"AMQ.*".ljust(60) + bytes(32),
        )
    )  # fmt: skip
    body, used = bodies.decode(SegmentType.SPI, later, "<")
    assert used == len(later)
    assert body["od"].startswith(b"OD  " + number[2] + number[5])
    assert (body["policy_length"], body["options"]) == (10_240, 0x2020)


def test_a_handle_of_a_client_says_since_when_it_is_connected(server: ChannelServer) -> None:
    with server.client() as client:
        client.put(QUEUE, b"x")
        client.open(QUEUE, INPUT)
        handles = list(who(server.backend(), QUEUE).items)
        assert {handle["channel"] for handle in handles} != {None}
        for handle in handles:
            assert re.fullmatch(r"20[0-9-]{8} [0-9.]{8}", handle["connected"])
