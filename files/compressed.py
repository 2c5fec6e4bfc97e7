"""Compressed files, read up to where they are damaged or cut."""

from __future__ import annotations

import io
import zlib
from typing import IO, Final

from mqtriage.mq.errors import StorageError

_CHUNK_BYTES: Final = 1 << 16
_MOST_BYTES: Final = 1 << 20
"""Unpacked at once: a thousand times of what is read may be behind few bytes."""


class CompressedDamage(StorageError):
    """All that comes before it was read."""


class Unpacked(io.RawIOBase):
    """The content of a file of gzip members; it can be read again from its start.

    Raises:
        CompressedDamage: By reading, behind the last byte that could be unpacked.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._begin()

    def _begin(self) -> None:
        self._file.seek(0)
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._packed = b""
        self._ready = memoryview(b"")
        self._damage = ""
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
            if self._damage:
                raise CompressedDamage(
                    self._damage, hint="the file was changed or cut there: get a whole copy of it"
                )
            if not self._unpack():
                return 0
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        self._at += size
        return size

    def _unpack(self) -> bool:
        """Unpack the next bytes; False at the end of the file."""
        packed = self._packed or self._file.read(_CHUNK_BYTES)
        if not packed:
            if not self._member.eof:
                self._damage = f"the compressed data is cut at byte {self._file.tell()}"
            return bool(self._damage)
        if self._member.eof:
            packed = packed.lstrip(b"\0")  # gzip allows zeros behind a member
            if packed:
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            self._packed = packed
            return True
        before = self._member.copy()
        try:
            self._ready = memoryview(self._member.decompress(packed, _MOST_BYTES))
            self._packed = self._member.unused_data or self._member.unconsumed_tail
        except zlib.error:
            self._member, whole = before, b""
            for at in range(len(packed)):
                try:
                    whole += self._member.decompress(packed[at : at + 1])
                except zlib.error:
                    start = self._file.tell() - len(packed)
                    self._damage = f"the compressed data is damaged at byte {start + at}"
                    break
            self._ready = memoryview(whole)
        return True
