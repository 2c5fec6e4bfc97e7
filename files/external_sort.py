"""Sort more than memory holds: sorted pieces in files without a name, merged when they are read."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Final

BYTES_HELD: Final = 16 << 20
_OVERHEAD: Final = 80
"""Bytes that Python needs for an item besides its own."""


class Sorter:
    """Takes items of bytes, yields them in ascending order; memory does not grow with them.

    Args:
        bytes_held: of items in memory before a piece goes to a file.
    """

    def __init__(self, bytes_held: int = BYTES_HELD) -> None:
        self._bytes_held = bytes_held
        self._items: list[bytes] = []
        self._bytes = 0
        self._pieces: list[IO[bytes]] = []

    def add(self, item: bytes) -> None:
        """Take one item.

        Raises:
            OSError: A piece cannot be written.
        """
        self._items.append(item)
        self._bytes += len(item) + _OVERHEAD
        if self._bytes >= self._bytes_held:
            self._spill()

    def _spill(self) -> None:
        self._items.sort()
        piece = TemporaryFile("w+b", buffering=1 << 13)  # noqa: SIM115  lives as long as we do
        for item in self._items:
            piece.write(len(item).to_bytes(4, "big") + item)
        self._pieces.append(piece)
        self._items, self._bytes = [], 0

    def __iter__(self) -> Iterator[bytes]:
        self._items.sort()
        if not self._pieces:
            return iter(self._items)
        return heapq.merge(self._items, *(_read(piece) for piece in self._pieces))

    def close(self) -> None:
        """Let go of the files."""
        for piece in self._pieces:
            piece.close()
        self._pieces.clear()
        self._items.clear()


def _read(piece: IO[bytes]) -> Iterator[bytes]:
    piece.seek(0)
    while head := piece.read(4):
        yield piece.read(int.from_bytes(head, "big"))
