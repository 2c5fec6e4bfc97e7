"""A table of numbers in a file: each 64-bit number with a count, in slots of a fixed size.

It is read and written slot by slot, not mapped: the memory of the process stays the same however
large the table is, and a full disk is an error and not a signal. The layout, little-endian:

    16 bytes  "MQTRQC01", slots in use (8 bytes)
    a slot:   number (8 bytes, 0 where the slot is free), count (4 bytes)

A number stands in slot (number modulo slots) or in the next free one after it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final

from mqtriage.mq.errors import StorageError

_MAGIC: Final = b"MQTRQC01"
_HEAD: Final = Struct("<8sQ")
_SLOT: Final = Struct("<QI")
_WINDOW: Final = 16
"""Slots read at once: where two of three are in use, a number seldom stands farther off."""
_CHUNK: Final = 4096


class SlotTable:
    """A table that is open; made by `open` or `create`.

    Raises:
        OSError: By all its methods: the file cannot be read or written.
        StorageError: It is damaged.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.inode = status.st_ino
        self.slots = (status.st_size - _HEAD.size) // _SLOT.size
        self.used = 0
        self.refresh()

    @classmethod
    def open(cls, path: Path) -> SlotTable:
        """The table of that name."""
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            magic = os.pread(descriptor, len(_MAGIC), 0)
            if magic != _MAGIC or os.fstat(descriptor).st_size < _HEAD.size + _SLOT.size:
                raise _damaged(path)
            return cls(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise

    @classmethod
    def create(cls, path: Path, slots: int) -> SlotTable:
        """A new, empty table, mode 0600; what was there is gone."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, _HEAD.size + slots * _SLOT.size)
            os.pwrite(descriptor, _HEAD.pack(_MAGIC, 0), 0)
            return cls(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise

    def close(self) -> None:
        os.close(self._descriptor)

    def refresh(self) -> None:
        """Read again how many slots are in use: another process may have written."""
        _, self.used = _HEAD.unpack(os.pread(self._descriptor, _HEAD.size, 0))

    @property
    def is_crowded(self) -> bool:
        """Whether more than two of three slots are in use: look-ups become slow."""
        return self.used * 3 > self.slots * 2

    def count(self, number: int) -> int:
        """The count of a number, 0 where it does not stand here."""
        return self._find(number)[1]

    def put(self, number: int, count: int) -> None:
        """Write the count of a number."""
        offset, there = self._find(number)
        if not there:  # first the head: a crash in between must not let the table overfill
            self.used += 1
            os.pwrite(self._descriptor, _HEAD.pack(_MAGIC, self.used), 0)
        os.pwrite(self._descriptor, _SLOT.pack(number, count), offset)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Each number with its count."""
        size = _CHUNK * _SLOT.size
        for offset in range(_HEAD.size, _HEAD.size + self.slots * _SLOT.size, size):
            read = os.pread(self._descriptor, size, offset)
            for number, count in _SLOT.iter_unpack(read[: len(read) // _SLOT.size * _SLOT.size]):
                if number:
                    yield number, count

    def _find(self, number: int) -> tuple[int, int]:
        """Where the number stands, or the free slot where it would; and its count."""
        at = number % self.slots
        for _ in range(0, self.slots + _WINDOW, _WINDOW):
            offset = _HEAD.size + at * _SLOT.size
            window = min(_WINDOW, self.slots - at)
            read = os.pread(self._descriptor, window * _SLOT.size, offset)
            for there, count in _SLOT.iter_unpack(read):
                if there == number:
                    return offset, count
                if not there:
                    return offset, 0
                offset += _SLOT.size
            at = (at + window) % self.slots
        raise _damaged(self._path)  # there is always a free slot


def _damaged(path: Path) -> StorageError:
    return StorageError(
        f"{path}: no table of requeues, or damaged",
        hint="remove the file: it is made again from the journal",
    )
