"""What travels on the socket between the C library and the server: one frame a call, one back.

A frame: "MQTR", the number of bytes that follow the head (4), the verb (2), how many numbers (1),
how many blobs (1); then the numbers, the length of each blob, and the blobs. Numbers are 4 bytes,
little-endian, as the machine is.  A reply's first two numbers are CompCode and Reason.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from socket import socket
from struct import Struct
from typing import Final, NamedTuple

MAGIC: Final = b"MQTR"
HEAD: Final = Struct("<4sIHBB")
MOST_BYTES: Final = 0x7000000
"""The longest frame: the longest message that MQ takes, 100 MB, with room for its structures."""
MOST_NUMBERS: Final = 16
MOST_BLOBS: Final = 12
_READ_BYTES: Final = 1 << 16


class MqiCall(IntEnum):
    """The calls of the MQI; WAIT, NEXT, RESTORE and AHEAD are the library's own."""

    CONN = 1
    DISC = 2
    OPEN = 3
    CLOSE = 4
    PUT = 5
    PUT1 = 6
    GET = 7
    CMIT = 8
    BACK = 9
    BEGIN = 10
    INQ = 11
    SET = 12
    SUB = 13
    SUBRQ = 14
    STAT = 15
    CRTMH = 16
    DLTMH = 17
    SETMP = 18
    INQMP = 19
    DLTMP = 20
    CB = 21
    WAIT = 22
    BUFMH = 23
    MHBUF = 24
    XCNVC = 25
    NEXT = 26
    RESTORE = 27
    AHEAD = 28


class Frame(NamedTuple):
    """One request or reply."""

    verb: int
    numbers: tuple[int, ...]
    blobs: tuple[bytes, ...]


class BadFrame(Exception):
    """What came is no frame; the connection it came on is closed."""


@cache
def _numbers(count: int) -> Struct:
    return Struct(f"<{count}i")


@cache
def _lengths(count: int) -> Struct:
    return Struct(f"<{count}I")


def packed(verb: int, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> bytes:
    """The bytes of one frame."""
    body = b"".join(
        (
            _numbers(len(numbers)).pack(*numbers),
            _lengths(len(blobs)).pack(*map(len, blobs)),
            *blobs,
        )
    )
    return HEAD.pack(MAGIC, len(body), verb, len(numbers), len(blobs)) + body


def parsed(data: bytes) -> Frame:
    """The frame in *data*, which is exactly as long as its head says."""
    _, _, verb, n_numbers, n_blobs = HEAD.unpack_from(data)
    numbers, lengths = _numbers(n_numbers), _lengths(n_blobs)
    at = HEAD.size + numbers.size + lengths.size
    if n_numbers > MOST_NUMBERS or n_blobs > MOST_BLOBS or at > len(data):
        raise BadFrame(f"{n_numbers} numbers and {n_blobs} blobs in {len(data)} bytes")
    blobs = []
    for length in lengths.unpack_from(data, HEAD.size + numbers.size):
        if length > len(data) - at:
            raise BadFrame(f"a blob of {length} bytes, {len(data) - at} are left")
        blobs.append(data[at : at + length])
        at += length
    if at != len(data):
        raise BadFrame(f"{len(data) - at} bytes too many")
    return Frame(verb, numbers.unpack_from(data, HEAD.size), tuple(blobs))


def receive(sock: socket) -> Frame | None:
    """The next frame; None when the peer has closed between two.

    No more is kept in memory than has arrived, whatever length a head claims.

    Raises:
        BadFrame: Not a frame, or one that ends in its middle.
    """
    data = sock.recv(_READ_BYTES)
    if not data:
        return None
    while len(data) < HEAD.size:
        data += _more(sock, HEAD.size - len(data))
    magic, length = HEAD.unpack_from(data)[:2]
    if magic != MAGIC or length > MOST_BYTES:
        raise BadFrame(f"{magic!r}, length {length}")
    total = HEAD.size + length
    if len(data) < total:
        pieces = [data]
        remaining = total - len(data)
        while remaining:
            pieces.append(_more(sock, remaining))
            remaining -= len(pieces[-1])
        data = b"".join(pieces)
    if len(data) != total:
        raise BadFrame(f"{len(data) - total} bytes behind the frame")
    return parsed(data)


def _more(sock: socket, length: int) -> bytes:
    piece = sock.recv(min(length, 1 << 20))
    if not piece:
        raise BadFrame(f"{length} bytes are missing")
    return piece
