"""Compressed files, read up to where they are damaged or cut."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from mqtriage.mq.errors import StorageError
from mqtriage.records import NamedTuple

_CHUNK_BYTES: Final = 1 << 16
_MOST_BYTES: Final = 1 << 20
"""Unpacked at once: a thousand times of what is read may be behind few bytes."""


class CompressedDamage(StorageError):
    """All that comes before it was read."""


class CompressedCut(CompressedDamage):
    """The file ends within a member."""


class MemberBytes(NamedTuple):
    """Some bytes of a gzip member.

    Attributes:
        member: where in the file it begins.
        within: where in what it unpacks to they begin.
    """

    member: int
    within: int
    data: bytes


def unpacked(file: IO[bytes], start: int = 0) -> Iterator[MemberBytes]:
    """What gzip members hold, from the one at byte *start* on.

    Raises:
        CompressedDamage: Behind the last byte that could be unpacked.
    """
    file.seek(start)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    member = at = start
    within = 0
    packed = b""
    while packed := packed or file.read(_CHUNK_BYTES):
        if unpacker.eof:
            rest = packed.lstrip(b"\0")  # gzip allows zeros behind a member
            at += len(packed) - len(rest)
            packed = rest
            if packed:
                unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
                member, within = at, 0
            continue
        before = unpacker.copy()
        try:
            data = unpacker.decompress(packed, _MOST_BYTES)
        except zlib.error:
            data, size = _until_damage(before, packed)
            yield MemberBytes(member, within, data)
            raise _damage(CompressedDamage, f"damaged at byte {at + size}") from None
        rest = unpacker.unused_data or unpacker.unconsumed_tail
        at += len(packed) - len(rest)
        packed = rest
        yield MemberBytes(member, within, data)
        within += len(data)
    if not unpacker.eof:
        raise _damage(CompressedCut, f"truncated at byte {at}")


def _until_damage(unpacker: zlib._Decompress, packed: bytes) -> tuple[bytes, int]:
    """What can be unpacked of bytes that are damaged somewhere, and how many of them that needs."""
    whole = b""
    for at in range(len(packed)):
        try:
            whole += unpacker.decompress(packed[at : at + 1])
        except zlib.error:
            return whole, at
    return whole, len(packed)


def _damage(kind: type[CompressedDamage], where: str) -> CompressedDamage:
    text = f"the compressed data is {where}"
    return kind(text, hint="the file was changed or truncated there: get a complete copy of it")


class Unpacked(io.RawIOBase):
    """The content of a file of gzip members; it can be read again from its start.

    Raises:
        CompressedDamage: By reading, behind the last byte that could be unpacked.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._begin()

    def _begin(self) -> None:
        self._pieces = unpacked(self._file)
        self._ready = memoryview(b"")
        self._damage: CompressedDamage | None = None
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go back to the start; other places cannot be reached."""
        if (offset, whence) == (self._at, 0):
            return self._at
        if (offset, whence) != (0, 0):
            raise io.UnsupportedOperation("seek")
        self._begin()
        return 0

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            if self._damage is not None:
                raise self._damage
            try:
                self._ready = memoryview(next(self._pieces).data)
            except StopIteration:
                return 0
            except CompressedDamage as error:
                self._damage = error
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        self._at += size
        return size


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file for reading, unpacked where its name says that it is compressed.

    Raises:
        CompressedDamage: By reading.
    """
    with path.open("rb") as file:
        is_packed = path.suffix == ".gz"
        yield cast("IO[bytes]", io.BufferedReader(Unpacked(file))) if is_packed else file
