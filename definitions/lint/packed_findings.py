"""Findings of one of many queue managers, in a fraction of their memory."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

from mqtriage.definitions.estate import Location
from mqtriage.definitions.rules.finding import (
    Alter,
    Change,
    CommandFix,
    Define,
    Finding,
    Respelling,
    Severity,
)

_CHANGES: Final = (Alter, Define, CommandFix)
_FASTEST: Final = 1


class PackedFindings(Sequence[Finding]):
    """Findings in some 40 bytes each, unpacked when they are looked at."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        rows = [_row(finding) for finding in findings]
        self._count = len(rows)
        self._packed = zlib.compress(marshal.dumps(rows), _FASTEST)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        return map(_finding, marshal.loads(zlib.decompress(self._packed)))

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> list[Finding]: ...

    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        return list(self)[index]


def _row(finding: Finding) -> tuple[Any, ...]:
    fix = [(_CHANGES.index(type(change)), *map(_plain, change)) for change in finding.fix]
    other = finding.respelling
    respelling = other and (tuple(other.place), other.old, other.new)
    about = (finding.code, finding.severity.value, finding.kind, finding.name, finding.message)
    return (*about, tuple(finding.place), fix, respelling)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


def _finding(row: tuple[Any, ...]) -> Finding:
    code, severity, kind, name, message, place, fix, other = row
    changes: tuple[Change, ...] = tuple(_CHANGES[which](*values) for which, *values in fix)
    respelling = other and Respelling(Location(*other[0]), *other[1:])
    return Finding(
        code, Severity(severity), kind, name, Location(*place), message, changes, respelling
    )
