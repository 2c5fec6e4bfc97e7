"""The end of an archive whose process was killed: what the journal knows, written down there too.

The archive of a killed act has no Commit line for its last unit of work, or for the one before it,
and no End line, so that `archive restore` and `msg load` would leave those messages out. Once a
resume has found out what became of them, they are noted as the act would have noted them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqtriage.files.durable import flush_to_disk
from mqtriage.files.sealed import json_line
from mqtriage.messages.stored_messages import read_line
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.operations.archive.files import make_index
from mqtriage.operations.archive.writing import digest_of
from mqtriage.operations.ledger.journal import Journal, JournalEntry
from mqtriage.operations.ledger.units import BACKED_OUT, COMMITTED
from mqtriage.records import NamedTuple, dataclass

_MESSAGE: Final = re.compile(rb'\{"kind":"Message","number":(\d+),"batch":(\d+),')
_NOTE: Final = re.compile(rb'\{"kind":"(?:Commit|Backout)","batch":(\d+),')
_END: Final = b'{"kind":"End",'
_KINDS: Final = {COMMITTED: "Commit", BACKED_OUT: "Backout"}


class _Ended(NamedTuple):
    """A unit of work that became final or was undone, by the first message it archived."""

    unit: int
    ended: str
    first: int


@dataclass(slots=True)
class _Noted:
    """What the journal has of an archive.

    Attributes:
        last: number of the last message of a unit of work that may have become final: all up to it
            was on disk. One that was undone may have been noted before its messages were there.
    """

    units: list[_Ended] = field(default_factory=list)
    last: int = 0


def finish_archives(journal: Journal, entry: JournalEntry) -> list[str]:
    """Finish what is not whole of an operation's archives; returns what could not be done."""
    problems = []
    for path, noted in _noted(journal, entry.op).items():
        try:
            _finish(path, noted, journal, entry)
        except OSError as error:
            problems.append(f"archive {path}: {error.strerror}")
    return problems


def _noted(journal: Journal, op: str) -> dict[Path, _Noted]:
    archives = {path: _Noted() for path in journal.archives(op)}
    for unit in journal.units(op):
        numbers = [taken.archived for taken in unit.messages if taken.archived]
        if numbers and unit.archive is not None:
            noted = archives[unit.archive]
            if unit.ended != BACKED_OUT:
                noted.last = max(noted.last, *numbers)
            if unit.ended in _KINDS:
                noted.units.append(_Ended(unit.unit, unit.ended, numbers[0]))
    return archives


def _finish(path: Path, noted: _Noted, journal: Journal, entry: JournalEntry) -> None:
    """Add the lines that an archive lacks; one that is whole stays as it is.

    What a crash cut off or left full of holes is taken away first: it stands behind all that a unit
    of work names, which was on disk before. So is an End line that came too early: that of an act
    whose connection was lost at a commit. The index is made anew.

    The journal gets the digest of the finished file, unless it had that of another one: what
    somebody changed meanwhile stays known.
    """
    if not path.is_file():
        return  # it was moved away: its owner knows why
    with open(path, "r+b") as file:
        seen = _read(file, {unit.first for unit in noted.units}, noted.last)
        if not seen.whole:
            return  # not even its first line was on disk: nothing was taken into it
        missing = {
            unit.unit: (unit.ended, seen.batches[unit.first])
            for unit in noted.units
            if unit.first in seen.batches and seen.batches[unit.first] not in seen.noted
        }
        before = digest_of(path)
        if seen.has_end and not missing:
            entry.sealed(path, before)
            make_index(path)
            return
        entry.unsealed(path, before)
        file.truncate(seen.whole)
        file.seek(seen.whole)
        digest = seen.digest
        for unit in journal.units(entry.op, *_KINDS):
            if unit.unit in missing:
                ended, batch = missing[unit.unit]
                numbers = [
                    taken.archived for taken in unit.messages if 0 < taken.archived <= seen.messages
                ]
                note = json_line({"kind": _KINDS[ended], "batch": batch, "numbers": numbers})
                digest.update(note)
                file.write(note)
        end = {"kind": "End", "messages": seen.messages, "sha256": digest.hexdigest()}
        file.write(json_line(end))
        flush_to_disk(file)
    entry.sealed(path, digest_of(path))
    make_index(path)


@dataclass(slots=True)
class _Seen:
    """What an archive holds.

    Attributes:
        whole: bytes up to the End line, or to the line that was cut or is damaged.
        batches: batch of the messages that were asked for.
        noted: batches with a Commit or Backout line.
    """

    digest: Any
    whole: int = 0
    messages: int = 0
    has_end: bool = False
    batches: dict[int, int] = field(default_factory=dict)
    noted: set[int] = field(default_factory=set)


def _read(file: Iterable[bytes], numbers: set[int], last: int) -> _Seen:
    """Read the lines up to the end, or up to what a crash left behind message *last*."""
    seen = _Seen(sha256())
    for line in file:
        cut = not line.endswith(b"\n") or (
            seen.messages >= last and isinstance(read_line(0, line), Damaged)
        )
        if cut or line.startswith(_END):
            seen.has_end = not cut
            break
        seen.whole += len(line)
        seen.digest.update(line)
        if match := _MESSAGE.match(line):
            seen.messages += 1
            number = int(match[1])
            if number in numbers:
                seen.batches[number] = int(match[2])
        elif match := _NOTE.match(line):
            seen.noted.add(int(match[1]))
    return seen
