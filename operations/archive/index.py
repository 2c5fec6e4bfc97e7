"""The index beside an archive: where in the file the message with a MsgId stands.

`NAME.index` is a SQLite file (`files.scratch.KeptRows`), written when the archive is closed: a row
for each message with its MsgId, the byte of the file where its line begins, and the byte within the
gzip member there. It holds nothing that the archive does not: where it is missing, as after a
crash, or does not fit, the archive is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mqtriage.files.scratch import KeptRows, ScratchRows
from mqtriage.mq.errors import StorageError
from mqtriage.records import NamedTuple

_FORM: Final = "mqtriage-index/1"
_UNUSABLE: Final = (OSError, StorageError, ValueError)


class LineLocation(NamedTuple):
    """Where a line begins: a byte of the file and, in a compressed one, of the member there."""

    offset: int
    within: int = 0


class _Index(NamedTuple):
    """An index: the archive is in it up to byte *covered_to*, the last message at *last*."""

    rows: KeptRows
    covered_to: int
    last: int


def index_path(archive: Path) -> Path:
    """The file that holds the index of *archive*."""
    return archive.with_name(archive.name + ".index")


class IndexWriter:
    """Collects where messages stand; a disk that refuses ends the index, not the archive."""

    def __init__(self, archive: Path) -> None:
        self._path = index_path(archive)
        self._rows: ScratchRows | None = None
        self._last = 0
        self._broken = False

    def add(self, msg_id: bytes, place: LineLocation) -> None:
        """Note a message."""
        if self._broken:
            return
        try:
            self._collected().add((msg_id, *place))
        except StorageError:
            self.drop()
        self._last = place.offset

    def close(self, covered_to: int) -> None:
        """Write the index, which covers the archive so far; it is on disk then, or gone."""
        if self._broken:
            return
        try:
            head = f"{_FORM} {covered_to} {self._last}"
            self._collected().kept(head, self._path).close()
        except _UNUSABLE:
            self.drop()
        self._let_go()

    def drop(self) -> None:
        """Take the index away: the archive will be read instead."""
        self._broken = True
        self._let_go()
        with suppress(OSError):
            self._path.unlink()

    def _collected(self) -> ScratchRows:
        self._rows = self._rows or ScratchRows(LineLocation._fields)
        return self._rows

    def _let_go(self) -> None:
        if self._rows is not None:
            self._rows.close()
            self._rows = None


@contextmanager
def _opened(archive: Path) -> Iterator[_Index]:
    """The index of an archive.

    Raises:
        OSError, ValueError: There is none, or it is of another form.
    """
    rows = KeptRows.open(index_path(archive))
    try:
        form, covered_to, last = rows.head.split()
        if form != _FORM:
            raise ValueError("no index")
        yield _Index(rows, int(covered_to), int(last))
    finally:
        rows.close()


def look_up(archive: Path, prefix: bytes, size: int) -> tuple[list[LineLocation], int] | None:
    """Find the messages whose MsgId begins with *prefix*; None without an index that fits.

    Args:
        prefix: 24 bytes for one id, fewer for all that begin so.
        size: of the archive now.

    Returns:
        Lines that should hold them, in the order of the archive, and the byte from which on the
        archive is not in the index.
    """
    with suppress(*_UNUSABLE), _opened(archive) as index:
        if index.covered_to <= size:
            places = [LineLocation(*place) for _, _, *place in index.rows.beginning(prefix)]
            return sorted(places), index.covered_to
    return None


def entries_of(archive: Path) -> Iterator[tuple[bytes, LineLocation]]:
    """Every entry of the index; nothing where there is none."""
    with suppress(*_UNUSABLE), _opened(archive) as index:
        for _, msg_id, *place in index.rows:
            yield msg_id, LineLocation(*place)


def count_of(archive: Path) -> int | None:
    """How many messages the index knows; None without one."""
    with suppress(*_UNUSABLE), _opened(archive) as index:
        return index.rows.count
    return None


def last_offset(archive: Path) -> int:
    """Where the last message stands that the index knows; 0 without one."""
    with suppress(*_UNUSABLE), _opened(archive) as index:
        return index.last
    return 0
