"""Findings of one of many queue managers, in a fraction of their memory."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, overload

from mqtriage.definitions.rules.finding import Finding

_FASTEST: Final = 1


class PackedFindings(Sequence[Finding]):
    """Findings in some 40 bytes each, unpacked when they are looked at."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        held = list(findings)
        self._count = len(held)
        self._packed = zlib.compress(pickle.dumps(held), _FASTEST)

    def _unpacked(self) -> list[Finding]:
        findings: list[Finding] = pickle.loads(zlib.decompress(self._packed))
        return findings

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> list[Finding]: ...

    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        return self._unpacked()[index]
