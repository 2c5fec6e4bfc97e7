"""Calls that a server has read and not answered: which are made again, and which are in doubt."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.core.file.home import server_folder
from mqtriage.emulator.mqi import frames
from mqtriage.emulator.mqi.frames import MqiCall, packed
from mqtriage.emulator.mqi.server import SOCKET
from tests.mqi.conftest import Served

HANDLE = 2


class Silent:
    """A server that answers every call with success, but hangs up on one that it is told.

    Attributes:
        hangs_up_on: the verb that it reads and does not answer, once.
        read: the verbs of all requests, from all connections.
    """

    def __init__(self, path: Path) -> None:
        self.hangs_up_on: int | None = None
        self.read: list[int] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        fd = os.open(server_folder(path), os.O_RDONLY)
        self._listener.bind(f"/proc/self/fd/{fd}/{SOCKET}")
        os.close(fd)
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                self._answer_all(client)

    def _answer_all(self, client: socket.socket) -> None:
        while (request := frames.receive(client)) is not None:
            self.read.append(request.verb)
            if request.verb == self.hangs_up_on:
                self.hangs_up_on = None
                return
            numbers, blobs = (0, 0, HANDLE), request.blobs[:2]
            if request.verb == MqiCall.CONN:
                numbers, blobs = (0, 0, 0), (bytes(24), b"QM1", b"QM1_ID")
            client.sendall(packed(request.verb, numbers, blobs))

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def silent(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    served.stop()
    (tmp_path / "mqclient.ini").write_text("CHANNELS:\n  ReconDelay=(10)\n")
    monkeypatch.setenv("MQCLNTCF", str(tmp_path / "mqclient.ini"))
    silent_server = Silent(served.path)
    yield silent_server
    silent_server.close()


@pytest.mark.parametrize(
    ("before", "call", "expected", "times"),
    [
        pytest.param("", "put", 2549, 1, id="put-outside"),
        pytest.param("", "put1", 2549, 1, id="put1-outside"),
        pytest.param("put-in-unit", "put", 2549, 1, id="put-outside-beside-a-unit"),
        pytest.param("", "put-in-unit", 0, 2, id="first-put-of-a-unit"),
        pytest.param("put-in-unit", "put-in-unit", 2003, 1, id="second-put-of-a-unit"),
        pytest.param("put-in-unit", "commit", 2549, 1, id="commit"),
        pytest.param("put", "commit", 0, 2, id="commit-of-nothing"),
        pytest.param("put-in-unit", "backout", 0, 2, id="backout"),
        pytest.param("", "open", 0, 3, id="open-and-what-was-open"),
    ],
)
@pytest.mark.slow
def test_a_call_that_was_read_and_not_answered(
    silent: Silent, ibmmq: Any, before: str, call: str, expected: int, times: int
) -> None:
    """IBM MQ documentation, reason 2549: what may have been done is not done again."""
    c = ibmmq.CMQC
    qmgr = ibmmq.QueueManager(None)
    qmgr.connect_with_options("QM1", opts=c.MQCNO_RECONNECT_Q_MGR)
    queue = ibmmq.Queue(qmgr, "IN", c.MQOO_OUTPUT)
    queue.put(b"", ibmmq.MD(), ibmmq.PMO(Options=c.MQPMO_NO_SYNCPOINT))  # which opens it
    outside = ibmmq.PMO(Options=c.MQPMO_NO_SYNCPOINT)
    calls = {
        "": lambda: None,
        "put": lambda: queue.put(b"x", ibmmq.MD(), outside),
        "put1": lambda: qmgr.put1("IN", b"x", ibmmq.MD(), outside),
        "put-in-unit": lambda: queue.put(b"x", ibmmq.MD(), ibmmq.PMO(Options=c.MQPMO_SYNCPOINT)),
        "commit": qmgr.commit,
        "backout": qmgr.backout,
        "open": lambda: ibmmq.Queue(qmgr, "IN", c.MQOO_INQUIRE).close(),
    }
    verbs = {
        "put1": MqiCall.PUT1,
        "commit": MqiCall.CMIT,
        "backout": MqiCall.BACK,
        "open": MqiCall.OPEN,
    }
    verb = verbs.get(call, MqiCall.PUT)
    calls[before]()
    silent.hangs_up_on, silent.read = verb, []
    reason = 0
    try:
        calls[call]()
    except ibmmq.MQMIError as error:
        reason = error.reason
    assert silent.read.count(MqiCall.CONN) == 1
    assert (reason, silent.read.count(verb)) == (expected, times)
    qmgr.backout()
    qmgr.disconnect()
