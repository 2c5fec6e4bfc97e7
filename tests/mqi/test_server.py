"""What reaches the socket that is no call: garbage, frames cut short, lengths that cannot be."""

from __future__ import annotations

import os
import resource
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import server_folder
from mqtriage.emulator.mqi import frames
from mqtriage.emulator.mqi.descriptors import raise_limit
from mqtriage.emulator.mqi.frames import MqiCall, packed
from mqtriage.emulator.mqi.server import SOCKET, Server
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.remove import remove
from tests.mqi.conftest import Served


def reach(path: Path) -> socket.socket:
    """A client of the socket of the queue manager in *path*."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(60)
    fd = os.open(server_folder(path), os.O_RDONLY)
    try:
        client.connect(f"/proc/self/fd/{fd}/{SOCKET}")
    finally:
        os.close(fd)
    return client


def is_closed(client: socket.socket) -> bool:
    try:
        return client.recv(100) == b""
    except ConnectionError:
        return True


HEAD = frames.HEAD
BAD: dict[str, bytes] = {
    "garbage": b"GET / HTTP/1.1\r\n\r\n",
    "two-gigabytes": HEAD.pack(b"MQTR", 2**31 - 1, MqiCall.PUT, 1, 3),
    "four-gigabytes": HEAD.pack(b"MQTR", 2**32 - 1, MqiCall.PUT, 1, 3),
    "blob-of-two-gigabytes": HEAD.pack(b"MQTR", 8, MqiCall.PUT, 0, 2)
    + struct.pack("<II", 2**31, 0),
    "no-such-verb": packed(999, (), ()),
    "numbers-missing": packed(MqiCall.PUT, (), (b"", b"", b"", b"")),
    "blobs-missing": packed(MqiCall.GET, (1, 2), ()),
    "too-many-blobs": HEAD.pack(b"MQTR", 1020, MqiCall.PUT, 0, 255) + bytes(1020),
    "bytes-inside-left-over": HEAD.pack(b"MQTR", 4, MqiCall.CMIT, 0, 0) + b"more",
    "bytes-left-over": packed(MqiCall.CMIT, (), ()) + b"more",
    "empty-frame-of-numbers": HEAD.pack(b"MQTR", 0, MqiCall.CMIT, 200, 0),
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
@pytest.mark.slow
def test_what_is_no_frame_closes_that_connection_and_no_other(
    served: Served, qmgr: Any, ibmmq: Any, data: bytes
) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", 17)
    client = reach(served.path)
    client.sendall(data)
    assert is_closed(client)
    client.close()
    queue.put(b"unharmed")
    assert queue.get() == b"unharmed"


def test_a_frame_that_is_cut_short_is_no_call(served: Served, qmgr: Any, ibmmq: Any) -> None:
    served.local("IN")
    whole = packed(MqiCall.PUT, (2,), (b"x" * 364, b"y" * 184, b"z", b""))
    for length in (1, 11, 12, 40, len(whole) - 1):
        client = reach(served.path)
        client.sendall(whole[:length])
        client.shutdown(socket.SHUT_WR)
        assert is_closed(client)
        client.close()
    queue = ibmmq.Queue(qmgr, "IN", 17)
    queue.put(b"unharmed")
    assert queue.get() == b"unharmed"


def test_a_length_that_is_only_claimed_takes_no_memory(served: Served) -> None:
    client = reach(served.path)
    client.sendall(HEAD.pack(b"MQTR", frames.MOST_BYTES, MqiCall.PUT, 1, 3) + bytes(100))
    time.sleep(0.2)
    status = Path(f"/proc/{served.pid}/status").read_text()
    peak_kb = int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])
    own_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak_kb < own_kb + 50_000
    client.close()


def test_calls_before_connecting_are_2018(served: Served) -> None:
    calls: list[tuple[int, tuple[int, ...], tuple[bytes, ...]]] = [
        (MqiCall.DISC, (), ()),
        (MqiCall.CMIT, (), ()),
        (MqiCall.PUT, (2,), (b"", b"", b"", b"")),
        (MqiCall.GET, (2, 10), (b"", b"")),
        (MqiCall.CLOSE, (2, 0), ()),
        (MqiCall.STAT, (0,), (b"",)),
        (MqiCall.WAIT, (10,), ()),
        (MqiCall.NEXT, (7,), ()),
        (MqiCall.RESTORE, (7, 0), (b"[-1, []]",)),
        (MqiCall.AHEAD, (7, 1000), (b"", b"")),
    ]
    with reach(served.path) as client:
        for verb, numbers, blobs in calls:
            client.sendall(packed(verb, numbers, blobs))
            reply = frames.receive(client)
            assert reply is not None
            assert reply.numbers[:2] == (2, 2018), verb


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"{}", b"[0]", b"[null, []]", b"[0, [[1]]]", b'[0, [["a", 1, "x", []]]]'],
)
@pytest.mark.slow
def test_what_is_no_content_of_a_message_handle_is_2460(served: Served, content: bytes) -> None:
    """A client that connects again says what its message handles hold."""
    with reach(served.path) as client:
        connect = packed(MqiCall.CONN, (0x1000000, 1), (b"QM1", b"", b"app", b"", b"", b""))
        for request, reason in (
            (connect, 0),
            (packed(MqiCall.RESTORE, (7, 0), (content,)), 2460),
            (packed(MqiCall.NEXT, (0,), ()), 2019),
            (packed(MqiCall.RESTORE, (7, 0), (b"[-1, []]",)), 0),
        ):
            client.sendall(request)
            reply = frames.receive(client)
            assert reply is not None
            assert reply.numbers[1] == reason


def test_structures_that_end_too_early_have_their_reason(served: Served, qmgr: Any) -> None:
    with reach(served.path) as client:
        client.sendall(packed(MqiCall.CONN, (0, 1), (b"QM1", b"", b"app", b"", b"", b"")))
        reply = frames.receive(client)
        assert reply is not None
        assert reply.numbers[:2] == (0, 0)
        client.sendall(packed(MqiCall.OPEN, (16,), (b"OD  \4\0\0\0", b"", b"", b"")))
        reply = frames.receive(client)
        assert reply is not None
        assert reply.numbers[:2] == (2, 2044)


@pytest.mark.slow
def test_many_clients_at_once_lose_nothing(served: Served, sdk: Path) -> None:
    served.local("IN", MAXDEPTH=100_000)
    ran = served.python(
        sdk,
        "import ibmmq, threading\n"
        "def work(letter):\n"
        "    qm = ibmmq.connect('QM1')\n"
        "    q = ibmmq.Queue(qm, 'IN', 17)\n"
        "    for n in range(40):\n"
        "        q.put(b'%d' % n, ibmmq.MD(CorrelId=letter * 24))\n"
        "        got = q.get(None, ibmmq.MD(CorrelId=letter * 24), ibmmq.GMO())\n"
        "        assert got == b'%d' % n, got\n"
        "    done.append(letter)\n"
        "    qm.disconnect()\n"
        "done = []\n"
        "threads = [threading.Thread(target=work, args=(bytes([65 + n]),)) for n in range(16)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "assert len(done) == 16\n",
    )
    assert ran.returncode == 0, ran.stderr
    assert served.depth("IN") == 0


def test_a_queue_manager_that_was_made_anew_is_served(served: Served, ibmmq: Any) -> None:
    served.local("OLD")
    ibmmq.connect("QM1").disconnect()
    served.path.unlink()
    for end in ("-wal", "-shm"):
        served.path.with_name(served.path.name + end).unlink(missing_ok=True)
    create(served.home, "QM1")
    connection = ibmmq.connect("QM1")
    with pytest.raises(ibmmq.MQMIError) as caught:
        ibmmq.Queue(connection, "OLD", 16).put(b"x")
    assert caught.value.reason == 2085
    connection.disconnect()


def test_the_log_of_a_queue_manager_that_was_made_anew_is_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the thread that folds it end with an error where the file is gone."""
    errors: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    path = create(tmp_path, "QM1")
    server = Server(path)
    path.unlink()  # before the thread that folds the log opens it
    serving = threading.Thread(target=server.serve, daemon=True)
    serving.start()
    server.shared.grown.set()
    time.sleep(0.2)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    create(tmp_path, "QM1")
    backend = EmulatedBackend(open_manager(path), user="tester", application="beside")
    backend.define("QLOCAL", "MADE.ANEW", {})
    assert b"MADE.ANEW" not in path.read_bytes()
    server.shared.grown.set()
    until = time.monotonic() + 20
    while b"MADE.ANEW" not in path.read_bytes() and time.monotonic() < until:
        time.sleep(0.05)
    assert b"MADE.ANEW" in path.read_bytes()
    backend.disconnect()
    server.stop()
    serving.join(20)
    assert errors == []


def test_removing_a_queue_manager_takes_the_servers_folder_along(tmp_path: Path) -> None:
    served = Served(tmp_path)
    served.stop()
    remove(tmp_path, "QM1")
    assert list((tmp_path / "emulator").iterdir()) == []


def test_a_signal_that_another_thread_takes_stops_the_server(tmp_path: Path) -> None:
    """As one does that comes just before the main thread waits: nothing interrupts the wait."""
    create(tmp_path, "QM1")
    program = """
import signal, sys, threading, time
from pathlib import Path
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.mqi.server import Server

server = Server(qmgr_path(Path(sys.argv[1]), "QM1"))
signal.signal(signal.SIGTERM, lambda *_: server.stop())

def signalled():
    time.sleep(0.3)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(90)

threading.Thread(target=signalled, daemon=True).start()
server.serve()
print("served")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    assert ran.stdout == "served\n"


def test_a_server_goes_on_for_another_queue_manager_of_that_name(
    served: Served, ibmmq: Any
) -> None:
    remove(served.home, "QM1")
    create(served.home, "QM1")
    ibmmq.connect("QM1").disconnect()


def test_without_descriptors_it_refuses_the_next_one_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    serve = Server.serve

    def short(server: Server) -> None:
        taken = {int(name) for name in os.listdir("/proc/self/fd")}
        most = [number for number in range(len(taken) + 21) if number not in taken][20]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        serve(server)

    def connected(client: socket.socket) -> int:
        client.sendall(packed(MqiCall.CONN, (0x1000000, 1), (b"QM1", b"", b"app", b"", b"", b"")))
        reply = frames.receive(client)
        assert reply is not None
        return reply.numbers[1]

    monkeypatch.setattr(Server, "serve", short)
    served = Served(tmp_path)
    try:
        clients, reasons = [], []
        for _ in range(40):  # one after the other: together their sockets take what files need
            clients.append(reach(served.path))
            reasons.append(connected(clients[-1]))
        assert set(reasons) - {2195} == {0, 2538}  # 2195: for its socket, and not for its files
        for client in clients:
            client.close()
        until = time.monotonic() + 60
        while True:
            with reach(served.path) as client:
                if connected(client) == 0:
                    break
            assert time.monotonic() < until
    finally:
        served.stop()
    assert capfd.readouterr().err.count("no more are accepted: Too many open files") == 1


def test_it_serves_in_a_process_that_has_more_than_a_thousand_descriptors_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ibmmq: Any
) -> None:
    raise_limit()
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    served = Served(tmp_path)
    try:
        ibmmq.connect("QM1").disconnect()
    finally:
        served.close()
        for descriptor in taken:
            os.close(descriptor)


def test_it_raises_the_limit_of_descriptors_to_the_hard_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve = Server.serve

    def low(server: Server) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 1000))
        serve(server)

    monkeypatch.setattr(Server, "serve", low)
    served = Served(tmp_path)
    try:
        until = time.monotonic() + 60
        while resource.prlimit(served.pid, resource.RLIMIT_NOFILE) != (1000, 1000):
            assert time.monotonic() < until
    finally:
        served.stop()


def test_a_reply_that_does_not_fit_its_field_is_2195_and_the_connection_goes_on(
    served: Served, qmgr: Any, ibmmq: Any
) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", ibmmq.CMQC.MQOO_INQUIRE | ibmmq.CMQC.MQOO_OUTPUT)
    with sqlite3.connect(served.path) as database:
        database.execute("UPDATE counter SET depth = depth + ?", (1 << 40,))
    with pytest.raises(ibmmq.MQMIError) as caught:
        queue.inquire(ibmmq.CMQC.MQIA_CURRENT_Q_DEPTH)
    assert caught.value.reason == 2195
    assert queue.inquire(ibmmq.CMQC.MQIA_MAX_Q_DEPTH) == 5000
    queue.close()
