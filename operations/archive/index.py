"""The index beside an archive: where in the file the message with a MsgId stands.

`NAME.index` is made while the archive is written, in runs that are only ever appended, so that
memory holds one run however long the archive is and a crash costs the last run at most:

    16 bytes  "mqtriage-index/1"
    a run:    8 bytes "run     ", count, first byte and end of the part of the archive it covers
              (8 bytes each, little-endian), then *count* entries sorted by MsgId:
              MsgId (24 bytes), offset in the file (8), offset within the gzip member (4)

A look-up is a binary search in each run: 16 of them for a million messages. The index holds
nothing that the archive does not: where it is missing or does not fit, the archive is read.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct
from typing import Final

from mqtriage.files.durable import sync
from mqtriage.files.private import open_private
from mqtriage.records import NamedTuple

MAGIC: Final = b"mqtriage-index/1"
RUN: Final = 4096
"""Entries of a run."""

_HEAD: Final = Struct("<8sQQQ")
_ENTRY: Final = Struct("<24sQI")
_RUN_WORD: Final = b"run     "


class LineLocation(NamedTuple):
    """Where a line begins: a byte of the file and, in a compressed one, of the member there."""

    offset: int
    within: int = 0


def index_path(archive: Path) -> Path:
    """The file that holds the index of *archive*."""
    return archive.with_name(archive.name + ".index")


class IndexWriter:
    """Collects where messages stand; a disk that refuses ends the index, not the archive."""

    def __init__(self, archive: Path) -> None:
        self._path = index_path(archive)
        self._entries: list[bytes] = []
        self._from = 0
        self._descriptor = -1
        self._broken = False

    def add(self, msg_id: bytes, place: LineLocation) -> bool:
        """Note a message; returns whether the run is full, to be ended where a line ends."""
        if not self._broken:
            self._entries.append(_ENTRY.pack(msg_id, *place))
        return len(self._entries) >= RUN

    def end_run(self, covered_to: int) -> None:
        """Write the entries so far; they cover the archive up to *covered_to*."""
        entries, self._entries = self._entries, []
        if self._broken or (not entries and self._descriptor >= 0):
            return
        entries.sort()
        head = _HEAD.pack(_RUN_WORD, len(entries), self._from, covered_to)
        try:
            if self._descriptor < 0:
                self._descriptor = open_private(self._path, os.O_WRONLY | os.O_TRUNC | os.O_APPEND)
                _write(self._descriptor, MAGIC)
            _write(self._descriptor, head + b"".join(entries))
        except OSError:
            self.drop()
        self._from = covered_to

    def close(self, covered_to: int) -> None:
        """Write the last run; the index is on disk then, or gone."""
        self.end_run(covered_to)
        if self._descriptor < 0:
            return
        try:
            sync(self._descriptor)
        except OSError:
            self.drop()
            return
        os.close(self._descriptor)
        self._descriptor = -1

    def drop(self) -> None:
        """Take the index away: the archive will be read instead."""
        self._broken = True
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        with suppress(OSError):
            self._path.unlink()


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def look_up(archive: Path, prefix: bytes, size: int) -> tuple[list[LineLocation], int] | None:
    """Find the messages whose MsgId begins with *prefix*; None without an index that fits.

    Args:
        prefix: 24 bytes for one id, fewer for all that begin so.
        size: of the archive now.

    Returns:
        Lines that should hold them, in the order of the archive, and the byte from which on the
        archive is not in the index.
    """
    with suppress(OSError, ValueError), _opened(archive) as data:
        places: list[LineLocation] = []
        covered = 0
        for run in _runs(data):
            if run.begins != covered or run.ends > size:
                return None
            covered = run.ends
            places += run.find(data, prefix)
        return sorted(places), covered
    return None


@contextmanager
def _opened(archive: Path) -> Iterator[mmap.mmap]:
    """The index of an archive.

    Raises:
        OSError, ValueError: There is none, or it is empty or of another form.
    """
    with (
        open(index_path(archive), "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        if data[: len(MAGIC)] != MAGIC:
            raise ValueError("no index")
        yield data


def entries_of(archive: Path) -> Iterator[tuple[bytes, LineLocation]]:
    """Every entry of the index, run by run; nothing where there is none."""
    with suppress(OSError, ValueError), _opened(archive) as data:
        for run in _runs(data):
            for at in range(run.at, run.at + run.entries * _ENTRY.size, _ENTRY.size):
                msg_id, offset, within = _ENTRY.unpack_from(data, at)
                yield msg_id, LineLocation(offset, within)


def count_of(archive: Path) -> int | None:
    """How many messages the index knows; None without one."""
    with suppress(OSError, ValueError), _opened(archive) as data:
        return sum(run.entries for run in _runs(data))
    return None


def last_offset(archive: Path) -> int:
    """Where the last message stands that the index knows; 0 without one."""
    with suppress(OSError, ValueError), _opened(archive) as data:
        *_, last = _runs(data)  # ValueError without a run
        part = data[last.at : last.at + last.entries * _ENTRY.size]
        return max((int(offset) for _, offset, _ in _ENTRY.iter_unpack(part)), default=0)
    return 0


class _Run(NamedTuple):
    at: int
    entries: int
    begins: int
    ends: int

    def find(self, data: mmap.mmap, prefix: bytes) -> Iterator[LineLocation]:
        size, length, base = _ENTRY.size, len(prefix), self.at

        def start(number: int) -> bytes:
            at = base + number * size
            return data[at : at + length]

        number = bisect_left(range(self.entries), prefix, key=start)
        while number < self.entries and start(number) == prefix:
            _, offset, within = _ENTRY.unpack_from(data, base + number * size)
            yield LineLocation(offset, within)
            number += 1


def _runs(data: mmap.mmap | bytes) -> Iterator[_Run]:
    """The whole runs; one that a crash cut ends them."""
    at = len(MAGIC)
    while at + _HEAD.size <= len(data):
        word, count, begins, ends = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if word != _RUN_WORD or at + count * _ENTRY.size > len(data):
            return
        yield _Run(at, count, begins, ends)
        at += count * _ENTRY.size
