"""Fuzzed frames: whatever comes, no trace, no hang, no memory, and one line a session at most.

Most are played against sessions in this process without sockets, so that a million is a matter of
minutes; some over sockets against a server of its own. They are the segments of the recorded
exchanges, where those are there, and of a small client, with bytes changed or with other values in
their fields.
"""

from __future__ import annotations

import random
import resource
import struct
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from mqtriage.commands.emulator.mqi import listening
from mqtriage.commands.emulator.requests import ListenOptions
from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.client_socket import ClientSocket
from mqtriage.emulator.channel.listener import Listener
from mqtriage.emulator.channel.segments import (
    PLAIN,
    BadSegment,
    Inflow,
    Segment,
    SegmentType,
    decoded,
    encoded,
    pieces,
)
from tests.corpus.test_channel_exchanges import FILES, recorded
from tests.support.channel_client import INPUT, ChannelClient, call, message, proposal, wanted
from tests.support.channel_server import ChannelServer
from tests.support.scale import amount

QUEUE = "Q1"
FRAMES = amount(4_000, all=980_000)
SOCKET_FRAMES = amount(600, all=20_000)
OF_A_SESSION = 100
MOST_S = 10.0
MOST_GROWTH_KB = 64 * 1024
LONGEST = 4096
"""Of the recorded frames that are played."""
EDGES = (0, 1, 2, -1, -2, 4, 36, 255, 32767, 65535, 2**31 - 1, -(2**31))
REQUEST = struct.pack(">10i2h6i", 1, 2, 0, 1, -1, 0, 0, 0, 0x11, 0, 0, 0, *[0] * 6)


def mutated(chance: random.Random, frame: bytes) -> bytes:
    """A frame with some bytes changed, cut, doubled or put in."""
    data = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        how = chance.randrange(5)
        if how == 0:
            data[at] = chance.randrange(256)
        elif how == 1:
            del data[at : at + chance.randint(1, 40)]
        elif how == 2:
            data[at:at] = chance.randbytes(chance.randint(1, 40))
        elif how == 3:
            data[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", bytes(4)))
        else:
            data[at:] = data[at : at + 8]
        data = data or bytearray(b"T")
    if chance.random() < 0.7 and len(data) > 8:  # so that what is behind the header is reached
        data[:8] = frame[:4] + struct.pack(">I", len(data))
    return bytes(data)


def varied(chance: random.Random, frame: bytes) -> bytes:
    """A frame that is well formed, with other values in some of its fields."""
    segment = decoded(frame)
    try:
        body, _ = bodies.decode(segment.type, segment.body, segment.order)
    except BadSegment:  # a part of a longer one
        return frame
    for name in chance.sample(sorted(body), min(len(body), chance.randint(1, 3))):
        value = body[name]
        if isinstance(value, int):
            body[name] = chance.choice((*EDGES, value + 1, chance.randrange(-(2**31), 2**31)))
        elif isinstance(value, bytes) and len(value) > 12:
            at = chance.randrange(8, len(value) - 3)  # behind eye-catcher and version
            body[name] = (
                value[:at] + chance.choice(EDGES).to_bytes(4, signed=True) + value[at + 4 :]
            )
    try:
        raw = bodies.encode(segment.type, body, segment.order)
    except (struct.error, OverflowError, KeyError):  # no room for the value, or no such SPI call
        return frame
    return encoded(segment._replace(body=raw))


def frames() -> list[bytes]:
    """What is fuzzed."""
    own = [
        encoded(
            Segment(
                SegmentType.INITIAL_DATA, bodies.encode(SegmentType.INITIAL_DATA, proposal(), ">"),
                form=PLAIN, flags=0x31,
            )
        ),
        encoded(call(SegmentType.MQPUT, 1, **message(2, b"fuzz", False))),
        encoded(call(SegmentType.MQGET, 1, **wanted(2, False, 0))),
        encoded(call(SegmentType.MQCMIT, 1)),
        encoded(
            call(SegmentType.MQINQ, 1, handle=2, selector_count=2, integer_count=1,
                 character_length=48, selectors=(20, 2016))
        ),
        encoded(
            Segment(SegmentType.XA_START, bytes(16) + struct.pack(">iBB", 1, 4, 4) + b"12345678", 1)
        ),
        encoded(Segment(SegmentType.REQUEST_MSGS, REQUEST, 1)),
        encoded(Segment(SegmentType.NOTIFICATION, struct.pack(">4i", 1, -1, 3, 2), 1)),
    ]  # fmt: skip
    theirs = {
        one.data
        for file in FILES
        for one in recorded(file)
        if one.is_of_client and len(one.data) <= LONGEST
    }
    return own + sorted(theirs)


def memory_kb(pid: int | str) -> int:
    fields = Path(f"/proc/{pid}/statm").read_text("ascii").split()
    return int(fields[1]) * resource.getpagesize() // 1024


class Wire:
    """The socket of a session that is played; what is sent to it has to be segments."""

    is_clogged = False

    def sendall(self, data: bytes) -> None:
        inflow = Inflow()
        inflow.feed(data)
        while inflow.next() is not None:
            pass
        inflow.end()

    def settimeout(self, silence_s: float | None) -> None:
        """Nothing here waits."""

    def shutdown(self, how: int) -> None:
        """There is no other end."""

    def close(self) -> None:
        """The same."""


class Recorder(ChannelClient):
    """Keeps what it sends."""

    def __init__(self, port: int) -> None:
        self.sent: list[bytes] = []
        super().__init__(port)

    def send(self, segment: Segment) -> None:
        self.sent += [encoded(piece) for piece in pieces(segment, LONGEST)]
        super().send(segment)


@pytest.fixture
def listener(
    tmp_path: Path, new_server: Callable[..., ChannelServer]
) -> Iterator[tuple[Listener, int]]:
    """A listener in this process, and its port."""
    channel_server = new_server()
    channel_server.command(f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(500)")
    served = listening(channel_server.home, ("QM1",), ListenOptions(port=0))
    thread = threading.Thread(target=served.serve)
    thread.start()
    try:
        (one,) = served._listeners
        assert isinstance(one, Listener)
        yield one, served.port
    finally:
        served.stop()
        thread.join()


@pytest.mark.slow
def test_fuzzed_frames_harm_no_session(
    listener: tuple[Listener, int], capfd: pytest.CaptureFixture[str]
) -> None:
    """After each frame the session goes on, or is closed with one line at most."""
    taking, port = listener
    chance = random.Random(20261122)
    with Recorder(port) as client:
        client.open(QUEUE, INPUT)
        start = client.sent
    sources, before_kb, closed, begun = frames(), 0, 0, time.monotonic()
    for session in range(FRAMES // OF_A_SESSION):
        if session == 10:
            before_kb = memory_kb("self")
        client_socket = ClientSocket(Wire(), taking, "127.0.0.1")  # type: ignore[arg-type]
        for frame in start:
            assert client_socket.is_open_after(partial(client_socket._take, frame))
        for _ in range(OF_A_SESSION):
            source = chance.choice(sources)
            data = (mutated if chance.random() < 0.5 else varied)(chance, source)
            at_s = time.monotonic()
            # it goes on where a client's socket would be closed, so that more is reached
            if not client_socket.is_open_after(partial(client_socket._take, data)):
                closed += 1
                client_socket._inflow = Inflow()
            assert time.monotonic() - at_s < MOST_S, data.hex()
        client_socket.finish()
    rate = FRAMES / (time.monotonic() - begun)
    grown_kb = memory_kb("self") - before_kb
    with ChannelClient(port) as client:
        client.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"well")
        assert client.get("SYSTEM.DEFAULT.LOCAL.QUEUE") == b"well"
    text = capfd.readouterr().err
    lines = text.splitlines()
    print(f"{FRAMES} frames, {rate:.0f} a second, {closed} refused, {grown_kb} KiB more")
    strange = [line for line in lines if not line.startswith("mqtriage: 127.0.0.1: ")]
    assert not strange, "\n".join(strange[:40])
    assert len(lines) <= closed
    assert grown_kb < MOST_GROWTH_KB


def test_fuzzed_frames_over_sockets_harm_nobody(server: ChannelServer) -> None:
    """Whatever comes, a client beside it is served, no trace is told, and no memory is taken."""
    chance = random.Random(20261122)
    server.command(f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(999999)")
    sources = frames()
    with ChannelClient(server.port) as beside:
        before_kb = memory_kb(server.pid)
        number = 0
        while number < SOCKET_FRAMES:
            with ChannelClient(server.port) as client:
                client.open(QUEUE, INPUT)
                client.socket.settimeout(0.2)
                for _ in range(20):
                    number += 1
                    try:
                        client.socket.sendall(mutated(chance, chance.choice(sources)))
                    except OSError:
                        break
            if number % 200 == 0:
                beside.put(QUEUE, b"beside")
                assert beside.get(QUEUE) is not None
        assert memory_kb(server.pid) - before_kb < MOST_GROWTH_KB
    assert not [line for line in server.lines() if not line.startswith("mqtriage: 127.0.0.1: ")]
