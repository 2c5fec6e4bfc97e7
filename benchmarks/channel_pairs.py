"""Put+get pairs and connections of IBM's client for JMS over TCP.

Run: MQTRIAGE_IBM_LICENSE=accept python -m benchmarks.channel_pairs [ROUNDS]

Each figure is taken twice, turn by turn, in one JVM that is warm: against `mqtriage emulator
listen`, and against a server that only sends back the frames which that one sent in the same run
before. That one is the ceiling that client, sockets and threads set. Persistent pairs are held to
bare durable commits of the disk that they are on, one for the put, one for the get, and to that
server where it makes these commits before it answers: what it reaches itself nobody can surpass.
Beside them, where Maven can fetch it, ActiveMQ Artemis in a JVM with its own client.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from tests.support.ibm_java import NEWEST, classes, compiled, fetched, jars, missing

from mqtriage.emulator.channel.segments import CLOSING, MULTIPLEXED, REPLY, SegmentType, decoded

PAIRS: Final = 400
CONNECTIONS: Final = 20
ENDS_S: Final = 20
"""A JVM whose input has ended."""
_JAVA: Final = Path(__file__).parent / "java"
_FLAGS: Final = ("-XX:+UseSerialGC", "-Xmx512m")


_DURABLE: Final = (SegmentType.MQPUT1, SegmentType.MQCMIT)
_PAIR: Final = (*_DURABLE, SegmentType.MQGET)
_ANSWERED_BY: Final = {SegmentType.ASYNC_MESSAGE: SegmentType.REQUEST_MSGS}
"""What comes without a reply of the same number."""
_ARTEMIS: Final = ("org.apache.activemq:artemis-jakarta-server:2.31.2",)


class Echo:
    """Sends frames back that the real server has sent before.

    Of puts and gets, that is the reply to the first one of the same conversation; what comes before
    them is passed through. Connections are recorded, call by call of each conversation, until
    `is_recorded` is set; those that come then are answered from the recording, whatever they say.
    """

    def __init__(self, real_port: int, disk: Disk | None = None) -> None:
        """Listen on a port.

        Args:
            disk: has one durable commit for each put and each commit before it is answered.
        """
        self._disk = disk
        self._real_port = real_port
        self._replies: dict[tuple[int, int], list[bytes]] = defaultdict(list)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = int(self._listener.getsockname()[1])
        self.is_recorded = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                serve = self._answer if self.is_recorded else self._record
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    def _record(self, client: socket.socket) -> None:
        real = socket.create_connection(("127.0.0.1", self._real_port))
        counts: dict[int, int] = defaultdict(int)
        pairs: dict[tuple[int, int], bytes] = {}
        given = real, client, counts, pairs
        threading.Thread(target=self._pass_back, args=given, daemon=True).start()
        for raw in _segments(client):
            conversation, kind = _conversation(raw), raw[17]
            prepared = pairs.get((conversation, kind))
            if prepared is not None:
                if self._disk is not None and kind in _DURABLE:
                    self._disk.commit()
                client.sendall(prepared)
            else:
                counts[conversation] += 1
                real.sendall(raw)
        real.close()
        client.close()

    def _pass_back(
        self,
        real: socket.socket,
        client: socket.socket,
        counts: dict[int, int],
        pairs: dict[tuple[int, int], bytes],
    ) -> None:
        for raw in _segments(real):
            conversation = 0 if raw[17] == SegmentType.SOCKET_ACTION else _conversation(raw)
            self._replies[conversation, counts[conversation]].append(raw)
            if raw[17] - REPLY in _PAIR and raw[:4] == MULTIPLEXED and not any(raw[40:44]):
                pairs[conversation, raw[17] - REPLY] = raw
            elif (asked := _ANSWERED_BY.get(raw[17])) is not None:
                pairs[conversation, asked] = raw
            with suppress(OSError):
                client.sendall(raw)

    def _answer(self, client: socket.socket) -> None:
        counts: dict[int, int] = defaultdict(int)
        with suppress(OSError):
            for raw in _segments(client):
                conversation = _conversation(raw)
                counts[conversation] += 1
                for reply in self._replies.get((conversation, counts[conversation]), ()):
                    client.sendall(reply)
                if decoded(raw).flags & CLOSING:
                    break
        client.close()

    def close(self) -> None:
        self._listener.close()


def _segments(sock: socket.socket) -> list[bytes]:
    return iter(_Reader(sock).segment, b"")  # type: ignore[return-value]


class _Reader:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._buffer = b""

    def segment(self) -> bytes:
        """One segment; b"" at the end."""
        try:
            while len(self._buffer) < 8 or len(self._buffer) < self._length():
                piece = self._sock.recv(1 << 16)
                if not piece:
                    return b""
                self._buffer += piece
        except OSError:
            return b""
        length = self._length()
        segment, self._buffer = self._buffer[:length], self._buffer[length:]
        return segment

    def _length(self) -> int:
        return int.from_bytes(self._buffer[4:8])


def _conversation(raw: bytes) -> int:
    return decoded(raw).conversation


class _Client:
    """A warm JVM with one client."""

    def __init__(self, folder: Path, classes: Path, jars: Path, *program: str) -> None:
        path = os.pathsep.join([str(classes), f"{jars}/*"])
        self._jvm = subprocess.Popen(
            ["java", *_FLAGS, "-cp", path, "Pairs", *program], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            bufsize=1,
        )  # fmt: skip

    def rate(self, kind: str, port: int, threads: int, count: int) -> float:
        """How many a second."""
        assert self._jvm.stdin is not None
        assert self._jvm.stdout is not None
        self._jvm.stdin.write(f"{kind} {port} {threads} {count}\n")
        word, _, rate = self._jvm.stdout.readline().partition(" ")
        if word != "RATE":
            raise SystemExit("the Java program has ended")
        return float(rate)

    def close(self) -> None:
        assert self._jvm.stdin is not None
        self._jvm.stdin.close()
        try:
            self._jvm.wait(ENDS_S)
        except subprocess.TimeoutExpired:  # threads of a library that nobody ends
            self._jvm.kill()
            self._jvm.wait()


class Disk:
    """Bare durable commits of SQLite, each of one row of 1 KiB."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(
            folder / "bare.sqlite", isolation_level=None, check_same_thread=False
        )
        for statement in ("journal_mode=WAL", "synchronous=FULL"):
            self._database.execute(f"PRAGMA {statement}")
        self._database.execute("CREATE TABLE message (body)")
        self._is_put = False

    def commit(self) -> None:
        """One: a row comes or goes."""
        with self._lock:
            self._is_put = not self._is_put
            if self._is_put:
                self._database.execute("INSERT INTO message VALUES (?)", (bytes(1024),))
            else:
                self._database.execute("DELETE FROM message")

    def rate(self) -> float:
        """Pairs of commits a second."""
        begun = time.perf_counter()
        for _ in range(2 * PAIRS):
            self.commit()
        return PAIRS / (time.perf_counter() - begun)


def _ibm(folder: Path) -> _Client:
    client = NEWEST[1]
    return _Client(folder, classes(client, _JAVA), jars(client), "IbmClient")


def _artemis(folder: Path) -> tuple[_Client, int] | None:
    """Artemis with its client, and the port it listens on; None where Maven has it not."""
    try:
        brought = fetched("artemis", *_ARTEMIS)
    except pytest.skip.Exception as reason:
        print(f"ActiveMQ Artemis: not run, {reason}")
        return None
    files = (_JAVA / "Pairs.java", _JAVA / "artemis" / "ArtemisClient.java")
    texts = {file.name: file.read_text("utf-8") for file in files}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    program = compiled("artemis", texts, brought)
    data = str(folder / "artemis")
    return _Client(folder, program, brought, "ArtemisClient", data, str(port)), port


def main() -> None:
    if what := missing():
        print(f"channel pairs: not run, {what}")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        command = [sys.executable, "-m", "mqtriage", "emulator"]
        environment = dict(os.environ) | {"MQTRIAGE_HOME": folder}
        subprocess.run(
            [*command, "create", "QM1", "--developer", "--quiet"], env=environment, check=True
        )
        port_file = home / "port"
        server = subprocess.Popen(
            [*command, "serve", "QM1", "--tcp", "0", "--port-file", str(port_file)],
            env=environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while not port_file.exists():
            time.sleep(0.05)
        try:
            _measure(int(port_file.read_text()), rounds, home)
        finally:
            server.terminate()
            server.wait()


def _measure(port: int, rounds: int, folder: Path) -> None:
    client, disk, artemis = _ibm(folder), Disk(folder), _artemis(folder)
    for kind, threads, count in (
        ("nonpersistent", 1, PAIRS),
        ("nonpersistent", 8, PAIRS // 4),
        ("connect", 1, CONNECTIONS),
        ("persistent", 1, PAIRS),
        ("persistent", 8, PAIRS // 4),
    ):
        echo = Echo(port, disk if kind == "persistent" else None)
        client.rate(kind, echo.port, threads, 1 if kind == "connect" else count)
        echo.is_recorded = kind == "connect"
        rates: dict[str, list[float]] = defaultdict(list)
        for _ in range(rounds):
            rates["echo server"].append(client.rate(kind, echo.port, threads, count))
            if kind == "persistent":
                rates["bare durable commits"].append(disk.rate())
            if artemis is not None:
                rates["Artemis"].append(artemis[0].rate(kind, artemis[1], threads, count))
            rates["ours"].append(client.rate(kind, port, threads, count))
        _print(kind, threads, rates)
        echo.close()
    client.close()
    if artemis is not None:
        artemis[0].close()


def _print(kind: str, threads: int, rates: dict[str, list[float]]) -> None:
    """Our rate, and how much of each other one it is, medians of the rounds."""
    ours = rates.pop("ours")
    print(f"{kind:15} {threads} in parallel {statistics.median(ours):6.0f}/s", end="")
    for name, theirs in rates.items():
        ratio = statistics.median(one / other for one, other in zip(ours, theirs, strict=True))
        print(f"  {ratio:.2f} of {name} ({statistics.median(theirs):.0f}/s)", end="")
    print(flush=True)


if __name__ == "__main__":
    main()
