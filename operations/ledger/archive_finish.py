"""The end of an archive whose process was killed: what the journal knows, written down there too.

The archive of a killed act has no Commit line for its last unit of work, or for the one before it,
and no End line, so that `archive restore` and `msg load` would leave those messages out. Once a
resume has found out what became of them, they are noted as the act would have noted them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.units import BACKED_OUT, COMMITTED

_compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
_MESSAGE: Final = re.compile(rb'\{"kind":"Message","number":(\d+),"batch":(\d+),')
_NOTE: Final = re.compile(rb'\{"kind":"(?:Commit|Backout)","batch":(\d+),')
_END: Final = b'{"kind":"End",'
_KINDS: Final = {COMMITTED: "Commit", BACKED_OUT: "Backout"}


class _Ended(NamedTuple):
    """A unit of work that became final or was undone, by the first message it archived."""

    unit: int
    ended: str
    first: int


def finish_archives(journal: Journal, op: str) -> list[str]:
    """Finish what is not whole of an operation's archives; returns what could not be done."""
    problems = []
    for path, units in _ended_units(journal, op).items():
        try:
            _finish(path, units, journal, op)
        except OSError as error:
            problems.append(f"archive {path}: {error.strerror}")
    return problems


def _ended_units(journal: Journal, op: str) -> dict[Path, list[_Ended]]:
    archives: dict[Path, list[_Ended]] = {path: [] for path in journal.archives(op)}
    for unit in journal.units(op, *_KINDS):
        first = next((taken.archived for taken in unit.messages if taken.archived), 0)
        if first and unit.archive is not None:
            archives[unit.archive].append(_Ended(unit.unit, unit.ended, first))
    return archives


def _finish(path: Path, units: list[_Ended], journal: Journal, op: str) -> None:
    """Add the lines that an archive lacks; one that is whole stays as it is.

    A line that a crash cut off is taken away first, and an End line that came too early: that of an
    act whose connection was lost at a commit.
    """
    if not path.is_file():
        return  # it was moved away: its owner knows why
    with open(path, "r+b") as file:
        seen = _read(file, {unit.first for unit in units})
        missing = {
            unit.unit: (unit.ended, seen.batches[unit.first])
            for unit in units
            if unit.first in seen.batches and seen.batches[unit.first] not in seen.noted
        }
        if seen.has_end and not missing:
            return
        file.truncate(seen.whole)
        file.seek(seen.whole)
        digest = seen.digest
        for unit in journal.units(op, *_KINDS):
            if unit.unit in missing:
                ended, batch = missing[unit.unit]
                numbers = [taken.archived for taken in unit.messages if taken.archived]
                note = _line({"kind": _KINDS[ended], "batch": batch, "numbers": numbers})
                digest.update(note)
                file.write(note)
        end = {"kind": "End", "messages": seen.messages, "sha256": digest.hexdigest()}
        file.write(_line(end))
        file.flush()
        os.fsync(file.fileno())


@dataclass(slots=True)
class _Seen:
    """What an archive holds.

    Attributes:
        whole: bytes up to the End line, or to the line that was cut.
        batches: batch of the messages that were asked for.
        noted: batches with a Commit or Backout line.
    """

    digest: Any
    whole: int = 0
    messages: int = 0
    has_end: bool = False
    batches: dict[int, int] = field(default_factory=dict)
    noted: set[int] = field(default_factory=set)


def _read(file: Iterable[bytes], numbers: set[int]) -> _Seen:
    seen = _Seen(sha256())
    for line in file:
        if line.startswith(_END) or not line.endswith(b"\n"):
            seen.has_end = line.endswith(b"\n")
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


def _line(record: dict[str, Any]) -> bytes:
    return (_compact(record) + "\n").encode("ascii")
