"""A socket that nobody waits for: what there is no room for goes out later, in order."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from mqtriage.emulator.channel.plain_socket import PlainSocket

PIECE = bytes(range(256)) * 400


class Pair:
    """A plain socket, the other end, and what it was watched for."""

    def __init__(self) -> None:
        ours, self.client = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.waits_for_room: list[bool] = []
        self.plain = PlainSocket(ours, lambda _, for_room: self.waits_for_room.append(for_room))

    def taken(self, count: int) -> bytes:
        return self.client.recv(count, socket.MSG_WAITALL)


@pytest.fixture
def pair() -> Iterator[Pair]:
    sockets = Pair()
    yield sockets
    sockets.plain.close()
    sockets.client.close()


def test_what_there_is_no_room_for_is_kept_and_sent_in_order(pair: Pair) -> None:
    pair.plain.sendall(PIECE)
    pair.plain.sendall(b"after it")
    assert pair.plain.is_clogged
    assert pair.waits_for_room == [True]
    received = b""
    while not pair.plain.send_rest():
        received += pair.client.recv(1 << 16)
    received += pair.taken(len(PIECE) + 8 - len(received))
    assert received == PIECE + b"after it"
    assert not pair.plain.is_clogged
    assert pair.waits_for_room == [True, False], "once each, so that what comes is read again"


def test_no_room_yet_is_no_end(pair: Pair) -> None:
    pair.plain.sendall(PIECE)
    assert not pair.plain.send_rest()
    assert pair.plain.is_clogged


def test_nothing_has_come_is_told_apart_from_the_end(pair: Pair) -> None:
    with pytest.raises(BlockingIOError):
        pair.plain.recv(10)
    pair.client.close()
    assert pair.plain.recv(10) == b""
