"""`archive verify`: whether an archive is what its writer left, down to the last byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final

from mqtriage.messages.stored_messages import COPY, ArchiveEnd, Begun, Numbered, Settled, read_line
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import StorageError
from mqtriage.operations.archive.files import begun_of, lines_of, make_index
from mqtriage.operations.archive.index import LineLocation, entries_of, index_path
from mqtriage.operations.archive.reading import UNFINISHED, WHOLE, Totals
from mqtriage.operations.archive.writing import digest_of
from mqtriage.records import dataclass

DAMAGED: Final = "damaged"
EXPOSED: Final = "exposed"
UNUSED: Final = "unused"
_UNUSED: Final = "its operation ended before anything was written: archive prune removes it"
_TOLD: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveVerdict:
    """What is to be said of one archive.

    `state` is whole, unfinished (no last line), damaged, exposed (whole, but others can read it
    in the archive folder), or unused. `sha256` is that of the file, as `sha256sum` prints it.
    """

    archive: str = column("ARCHIVE", Show.NAME, 40)
    message_count: int = column("MESSAGES", Show.NUMBER, 8)
    length_bytes: int = column("BYTES", Show.BYTES, 8)
    taken: int | None = column("TAKEN", Show.NUMBER, 8, yields=1)
    state: str = column("STATE", Show.TEXT, 10)
    problems: str | None = column("PROBLEMS", Show.TEXT, 40)
    sha256: str | None = column("SHA256", Show.TEXT, 64, yields=2, default=None)


def verify(
    archives: Iterable[Path], unused: Collection[Path] = (), *, private: Path | None = None
) -> Listing:
    """One record an archive: every line, digest and index entry is looked at.

    An index that does not fit is made anew. `summary` counts those that are neither whole nor
    unused.

    Args:
        unused: those that nothing was taken into, as the journal knows.
        private: the folder in which nobody else may read an archive. Of a copy that was handed on
            there is only a warning: its contents are what they were.
    """
    fields = columns_of(ArchiveVerdict)
    listing = Listing("ArchiveVerdictList", fields, (), {"not_whole": 0}, id_key="archive")

    def verdicts() -> Iterator[ArchiveVerdict]:
        for path in archives:
            judged = verdict(path)
            if judged.state != WHOLE and path in unused:
                judged = replace(judged, state=UNUSED, problems=_UNUSED)
            if names := _read_by_others(path):
                text = f"{' and '.join(names)} can be read by others: chmod 600"
                if private is None or path.parent.resolve() != private.resolve():
                    listing.warnings.append(text)
                else:
                    problems = "; ".join(filter(None, (judged.problems, text)))
                    state = EXPOSED if judged.state == WHOLE else judged.state
                    judged = replace(judged, state=state, problems=problems)
            with suppress(StorageError):  # what cannot be read is a problem already
                judged = replace(judged, sha256=digest_of(path))
            listing.summary["not_whole"] += judged.state not in (WHOLE, UNUSED)
            yield judged

    listing.items = map(keys_of, verdicts())
    return listing


def _read_by_others(path: Path) -> list[str]:
    """Names of the archive's files that not only their owner can access."""
    files = [file for file in (path, index_path(path)) if file.exists()]
    return [file.name for file in files if stat.S_IMODE(os.stat(file).st_mode) & 0o077]


def verdict(path: Path) -> ArchiveVerdict:
    """Read an archive from its first line to its last."""
    check = _Check()
    try:
        check.begun = begun_of(path)
        for number, line in enumerate(lines_of(path), start=1):
            check.line(number, line.place, line.data)
        check.end(path)
    except StorageError as error:
        check.problem(error.text)
    totals = check.totals
    state = WHOLE
    if check.problems:
        state = DAMAGED
    elif totals.ended is None:
        state = UNFINISHED
        check.problem("it has no closing line: its writer was stopped, or is still running")
    more = check.count - len(check.problems)
    problems = [*check.problems, *([f"{more} more"] if more else [])]
    return ArchiveVerdict(
        archive=path.name,
        message_count=totals.messages,
        length_bytes=totals.length_bytes,
        taken=totals.outcome(check.begun)[0],
        state=state,
        problems="; ".join(problems) or None,
    )


class _Check:
    """What one pass over the lines finds."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.problems: list[str] = []
        self.count = 0
        self.begun = Begun(COPY)
        self._digest = sha256()
        self._places = 0
        self._last: int | None = 0

    def problem(self, text: str) -> None:
        """Note a problem; a file of nothing else must not fill the memory."""
        self.count += 1
        if len(self.problems) < _TOLD:
            self.problems.append(text)

    def line(self, number: int, place: LineLocation, data: bytes) -> None:
        """Look at one line."""
        if self.totals.ended is not None:
            self.problem(f"line {number}: a line after the last one")
            return
        stored = read_line(number, data)
        if isinstance(stored, Damaged):
            self._last = None  # its number is not known
            self.problem(f"line {number}: {stored.text}")
        elif isinstance(stored, ArchiveEnd):
            if stored.messages != self.totals.messages and not self.problems:
                count = self.totals.messages
                self.problem(
                    f"it contains {count_text(count)}, but its closing line says {stored.messages}"
                )
            if not stored.fits(self._digest.hexdigest()):
                self.problem("its digest differs from the one in its closing line: it was changed")
        elif isinstance(stored, Numbered):
            if self._last is not None and stored.number != self._last + 1:
                self.problem(f"line {number}: message {stored.number}, expected {self._last + 1}")
            self._last = stored.number
            self._places += _mark(stored.entry.md.msg_id, place)
        elif (
            isinstance(stored, Settled)
            and (last := self._last) is not None
            and any(not 1 <= settled <= last for settled in stored.numbers)
        ):
            self.problem(f"line {number}: names a message that is not there")
        self.totals.count(stored)
        self._digest.update(data)

    def end(self, path: Path) -> None:
        """Take all lines together, with the index."""
        totals = self.totals
        index = index_path(path)
        if index.exists() and totals.ended is not None and not self._fits(path):
            make_index(path)
            if not self._fits(path):
                self.problem(f"{index.name} does not match: remove it, and the archive is scanned")

    def _fits(self, path: Path) -> bool:
        """Whether the index knows each message where it was read."""
        return self._places == sum(_mark(msg_id, place) for msg_id, place in entries_of(path))


def _mark(msg_id: bytes, place: LineLocation) -> int:
    """A number that stands for an entry; sums of them compare two sets in any order."""
    data = msg_id + place.offset.to_bytes(8, "little") + place.within.to_bytes(4, "little")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
