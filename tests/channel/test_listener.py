"""The listener itself: how it ends, how many it takes, and programs that are told where it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mqtriage.backends.pytest_plugin import EmulatedQueueManager
from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import SegmentType
from mqtriage.emulator.core.create import create
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
        assert 1 <= len([line for line in lines if "no more are taken" in line]) <= 3, lines
    finally:
        listener.kill()


def test_serve_listens_too(started: Started) -> None:
    served = started("serve", "QM1", "--tcp", "0")
    assert served.stderr is not None
    port = int(served.stderr.readline().partition(" port ")[2].partition(";")[0])
    with ChannelClient(port, channel="SYSTEM.DEF.SVRCONN") as client:
        client.put(QUEUE, b"over TCP")


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
    assert "by TCP only; give --tcp PORT" in text


def test_a_name_with_an_asterisk_means_whichever_queue_manager_is_there(
    server: ChannelServer,
) -> None:
    for name in ("*", "*ANY_QM", "*QM1"):
        server.client(queue_manager=name).close()
    assert server.refusal(queue_manager="ANY_QM") == 2058
