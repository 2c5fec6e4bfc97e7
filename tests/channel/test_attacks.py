"""What no client sends, and clients that end or stall at any moment: the others notice nothing."""

from __future__ import annotations

import resource
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mqtriage.emulator.channel import client_socket
from mqtriage.emulator.channel.segments import (
    CONTROL,
    FIRST,
    LAST,
    MULTIPLEXED,
    Segment,
    SegmentType,
    encoded,
)
from tests.support.channel_client import (
    INPUT,
    ChannelClient,
    call,
    message,
    wanted,
)
from tests.support.channel_server import ChannelServer

QUEUE = "Q1"


@pytest.fixture
def queue(server: ChannelServer) -> str:
    server.command(f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(999999)")
    return QUEUE


def works(server: ChannelServer, queue: str) -> bool:
    """Whether a client that behaves is served."""
    with ChannelClient(server.port) as client:
        client.put(queue, b"well")
        return client.get(queue) == b"well"


def is_closed(client: socket.socket) -> bool:
    """Whether the server hangs up, whatever it sends before."""
    client.settimeout(60)
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    return True


BEGUN = call(SegmentType.MQPUT, 1, **message(2, bytes(40_000), False))
BAD: dict[str, bytes] = {
    "garbage": b"GET / HTTP/1.1\r\n\r\n",
    "four gigabytes": b"TSHM" + struct.pack(">I", 2**32 - 1) + bytes(28),
    "a header and no more": b"TSHM" + struct.pack(">I", 8),
    "no room for a header": b"TSHM" + struct.pack(">I", 28) + bytes(20),
    "a type that is none": encoded(Segment(0x77, b"", 1)),
    "a call that is none": encoded(Segment(0x80, b"", 1)),
    "a reply": encoded(Segment(SegmentType.MQGET + 0x10, bytes(16), 1)),
    "an empty call": encoded(Segment(SegmentType.MQOPEN, b"", 1)),
    "an empty put": encoded(Segment(SegmentType.MQPUT, bytes(16), 1)),
    "an empty request": encoded(Segment(SegmentType.REQUEST_MSGS, b"", 1)),
    "an empty SPI call": encoded(Segment(SegmentType.SPI, bytes(16), 1)),
    "an empty branch": encoded(Segment(SegmentType.XA_START, b"", 1)),
    "selectors beyond number": encoded(
        Segment(SegmentType.MQINQ, bytes(16) + struct.pack(">iii", 2**31 - 1, 0, 0), 1)
    ),
    "integers beyond number": encoded(
        Segment(SegmentType.MQINQ, bytes(16) + struct.pack(">iii", 0, 2**31 - 1, 2**31 - 1), 1)
    ),
    "more data than there is": encoded(
        call(SegmentType.MQPUT, 1, **message(2, b"x", False) | {"data_length": 2**31 - 1})
    ),
    "less data than none": encoded(
        call(SegmentType.MQPUT, 1, **message(2, b"x", False) | {"data_length": -1})
    ),
    "what goes on was not begun": encoded(BEGUN._replace(flags=LAST)),
    "begun twice": encoded(BEGUN._replace(flags=FIRST)) * 2,
    "the end of the socket, of a conversation that is none": encoded(
        Segment(
            SegmentType.SOCKET_ACTION, struct.pack(">5i", 99, 0, 2, 0, 0), flags=0x38, form=CONTROL
        )
    ),
}


@pytest.mark.parametrize("is_connected", [False, True], ids=["at once", "connected"])
@pytest.mark.parametrize("name", BAD)
@pytest.mark.slow
def test_bad_segments_end_their_socket_with_one_line_at_most(
    server: ChannelServer, queue: str, name: str, is_connected: bool
) -> None:
    if is_connected:
        client = ChannelClient(server.port).socket
    else:
        client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    with client:
        client.sendall(BAD[name])
        client.shutdown(socket.SHUT_WR)
        assert is_closed(client)
    assert works(server, queue)
    lines = server.lines()
    assert len(lines) <= 1
    assert all(line.startswith("mqtriage: 127.0.0.1: ") for line in lines)


def test_a_reader_that_reads_nothing_stops_nobody(server: ChannelServer, queue: str) -> None:
    with ChannelClient(server.port) as slow, ChannelClient(server.port) as beside:
        handle = slow.open(queue, INPUT)
        slow.put(queue, bytes(900_000))
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(12):
            slow.begin(SegmentType.MQGET, **wanted(handle, False, 0))
            beside.put(queue, bytes(900_000))
        begun = time.monotonic()
        beside.put(queue, b"quick")
        assert time.monotonic() - begun < 20


def test_half_a_segment_and_silence_stops_nobody(server: ChannelServer, queue: str) -> None:
    opened = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    try:
        for number, client in enumerate(opened):
            client.sendall(BAD["a type that is none"][:number])
        assert works(server, queue)
    finally:
        for client in opened:
            client.close()


def test_two_conversations_of_a_socket_that_wait_for_each_other(
    server: ChannelServer, queue: str
) -> None:
    """Each gets what the other puts after its own get has come: no server may do one by one."""
    server.command("DEFINE QLOCAL(Q2)")
    with ChannelClient(server.port) as client:
        client.converse(3)
        client.converse(5)
        first, second = client.open(queue, INPUT, 3), client.open("Q2", INPUT, 5)
        client.begin(SegmentType.MQGET, 3, **wanted(first, False, 15_000))
        client.begin(SegmentType.MQGET, 5, **wanted(second, False, 15_000))
        client.put("Q2", b"for 5")
        answer = client.receive()
        assert (answer.conversation, answer.type) == (5, SegmentType.MQGET + 0x10)
        client.put(queue, b"for 3", 5)
        answer = client.receive()
        assert (answer.conversation, answer.type) == (3, SegmentType.MQGET + 0x10)


@pytest.mark.slow
def test_a_conversation_that_disconnects_while_it_listens_leaves_the_socket(
    server: ChannelServer, queue: str
) -> None:
    with ChannelClient(server.port) as client:
        client.converse(3)
        handle = client.open(queue, INPUT, 3)
        for kind, raw in (
            (SegmentType.NOTIFICATION, struct.pack(">4i", 1, -1, 3, 2)),
            (
                SegmentType.REQUEST_MSGS,
                struct.pack(">10i2h", 1, handle, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0),
            ),
        ):
            client.send(Segment(kind, raw + bytes(16), 3, 1, form=MULTIPLEXED))
        client.disconnect(3)
        time.sleep(1.3)  # longer than a listener sleeps
        client.put(queue, b"of 1")
        assert client.get(queue) == b"of 1"


def memory_mb(server: ChannelServer) -> int:
    pages = int(Path(f"/proc/{server.pid}/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() >> 20


def sent_mb(client: ChannelClient, most_mb: int) -> int:
    """How much of a call that never ends the server takes."""
    piece = Segment(SegmentType.MQPUT, bytes(32_700), 1, flags=FIRST, form=client.form)
    sent = 0
    try:
        while sent < most_mb << 20:
            client.socket.sendall(encoded(piece))
            piece = piece._replace(flags=0)
            sent += len(piece.body)
    except ConnectionError:
        pass
    return sent >> 20


def test_no_more_than_64_kb_of_a_call_is_kept_before_mqconn(
    server: ChannelServer, queue: str
) -> None:
    before_mb = memory_mb(server)
    clients = [ChannelClient(server.port, connect=False) for _ in range(8)]
    for client in clients:
        assert sent_mb(client, 100) < 16  # the rest is in the kernel's buffers
        assert is_closed(client.socket)
        client.close()
    assert memory_mb(server) - before_mb < 8
    assert server.lines() == ["mqtriage: 127.0.0.1: more than 65536 bytes of calls not done"] * 8
    assert works(server, queue)


def test_before_mqconn_a_socket_has_the_conversations_that_it_agreed_on(
    server: ChannelServer, queue: str
) -> None:
    """Each could keep 64 KB."""
    with ChannelClient(server.port, connect=False) as client:
        with suppress(ConnectionError):  # it may be closed before all are sent
            for number in range(1, 40):
                client.send(call(SegmentType.MQBACK, number))
        assert is_closed(client.socket)
    assert server.lines()[-1] == "mqtriage: 127.0.0.1: more than 10 conversations"
    assert works(server, queue)


@pytest.mark.slow
def test_calls_of_all_sockets_share_256_mb_that_go_back(server: ChannelServer, queue: str) -> None:
    before_mb = memory_mb(server)
    clients = [ChannelClient(server.port) for _ in range(4)]
    for client in clients:
        sent_mb(client, 100)
    assert memory_mb(server) - before_mb < 300
    for client in clients:
        client.close()
    assert works(server, queue)  # those that the two refused make room again
    server.wait_until_gone()
    assert memory_mb(server) - before_mb < 30


@pytest.mark.parametrize("heartbeat_s", [0, 300, 999_999])
@pytest.mark.slow
def test_without_mqconn_a_socket_ends_whatever_it_sends(
    new_server: Callable[..., ChannelServer], monkeypatch: pytest.MonkeyPatch, heartbeat_s: int
) -> None:
    assert client_socket._CONNECT_S == 30
    monkeypatch.setattr(client_socket, "_CONNECT_S", 2.0)
    server = new_server()
    server.start()
    with (
        ChannelClient(server.port, connect=False, heartbeat_s=heartbeat_s) as silent,
        ChannelClient(server.port, connect=False) as busy,
        ChannelClient(server.port) as connected,
    ):
        begun_s = time.monotonic()
        with pytest.raises(ConnectionError):
            while time.monotonic() - begun_s < 30:
                busy.send(Segment(SegmentType.HEARTBEAT, b"", flags=FIRST, form=CONTROL))
                time.sleep(0.1)
        assert is_closed(silent.socket)
        assert 1.5 < time.monotonic() - begun_s < 10
        connected.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"well")
    assert server.lines() == ["mqtriage: 127.0.0.1: no MQCONN within 2 s"] * 2


ENDS = ("MQPUT", "MQGET", "MQCMIT", "MQBACK", "MQDISC", "half of MQPUT")


@pytest.mark.parametrize("killed", ["client", "server"])
@pytest.mark.slow
def test_an_end_at_any_segment_neither_loses_nor_doubles(
    server: ChannelServer, queue: str, killed: str
) -> None:
    """Ten messages on a queue; each is there once whatever was under way when an end came."""
    expected = {b"message %d" % number for number in range(10)}
    with ChannelClient(server.port) as client:
        for data in sorted(expected):
            client.put(queue, data)
    maybe: set[bytes] = set()
    for number, end in enumerate(ENDS):
        with ChannelClient(server.port) as client:
            got = client.get(queue, syncpoint=True)
            assert got is not None
            new = b"new %d" % number
            client.put(queue, new, syncpoint=True)
            if end == "MQCMIT" or end == "MQDISC":
                maybe |= {got, new}
                client.begin(SegmentType.MQCMIT if end == "MQCMIT" else SegmentType.MQDISC)
            elif end == "MQBACK":
                client.begin(SegmentType.MQBACK)
            elif end == "MQGET":
                client.begin(SegmentType.MQGET, **wanted(client.open(queue, INPUT), True, 9000))
            else:
                data = encoded(
                    call(SegmentType.MQPUT, **message(client.open(queue, 0x10), b"x", True))
                )
                client.socket.sendall(data[: len(data) // 2] if "half" in end else data)
            if killed == "server":
                server.kill()
                server.start()
    server.wait_until_gone()
    with ChannelClient(server.port) as client:
        rest: list[bytes] = []
        while (got := client.get(queue)) is not None:
            rest.append(got)
    assert len(rest) == len(set(rest)) == len(expected)
    assert set(rest) - maybe <= expected
    assert expected - maybe <= set(rest)
