"""What is wrong with files of snapshots: counted by kind, told with examples, never the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

EXAMPLES_KEPT: Final = 3


class ProblemKind(StrEnum):
    """What can be wrong."""

    UNREADABLE = "unreadable file"
    TRUNCATED = "truncated file"
    NO_VERSION = "file name without a schema version"
    NEWER_SCHEMA = "newer schema"
    OLDER_SCHEMA = "older schema"
    WRONG_TYPE = "wrong type"
    MISSING_VALUE = "missing value"
    NOT_JSON = "line that is not a JSON object"
    DUPLICATE = "duplicate"
    BROKEN_OFF = "rows of an interrupted snapshot"
    NO_BASE = "snapshot whose base is missing"
    OUT_OF_ORDER = "clock that went back"
    CLOCKS_DIFFER = "clocks that disagree"
    WRONG_DAY = "row in the folder of another day"
    UNFINISHED = "file that was not completed"
    EMPTY = "folder without a file"
    MISPLACED = "file or folder that is not below qmgr=.../snap_date=..."
    NOT_PARQUET = "file that is not Parquet"


_LOST: Final = frozenset(
    {
        ProblemKind.UNREADABLE,
        ProblemKind.TRUNCATED,
        ProblemKind.NO_VERSION,
        ProblemKind.NEWER_SCHEMA,
        ProblemKind.OLDER_SCHEMA,
        ProblemKind.WRONG_TYPE,
        ProblemKind.MISSING_VALUE,
        ProblemKind.NOT_JSON,
        ProblemKind.BROKEN_OFF,
        ProblemKind.NO_BASE,
        ProblemKind.MISPLACED,
    }
)
"""With these something that the files may have held is not in the result."""
_OF_PLACES: Final = frozenset(
    {
        ProblemKind.UNREADABLE,
        ProblemKind.UNFINISHED,
        ProblemKind.EMPTY,
        ProblemKind.MISPLACED,
    }
)
"""These are about a file or folder, and count once however often that is looked at."""


class KindCounts:
    """How many there were of each kind, and the first few of it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def count(self, kind: str, example: str, count: int = 1) -> None:
        """Count *count* more of a kind; the example may be ""."""
        self.counts[kind] += count
        kept = self.examples.setdefault(kind, [])
        if example and len(kept) < EXAMPLES_KEPT:
            kept.append(example)

    def include(self, other: KindCounts) -> None:
        """Count what was counted elsewhere as well."""
        for kind, count in other.counts.items():
            self.counts[kind] += count
            kept = self.examples.setdefault(kind, [])
            kept += other.examples[kind][: EXAMPLES_KEPT - len(kept)]


class Problems(KindCounts):
    """Problems of snapshots as they are met."""

    def __init__(self) -> None:
        super().__init__()
        self._places: set[tuple[ProblemKind, str]] = set()

    def add(self, kind: ProblemKind, where: str, what: str = "", count: int = 1) -> None:
        """Count *count* of them.

        Args:
            where: file, with the line.
            what: what it is about, in a few words.
        """
        if kind in _OF_PLACES:
            if (kind, where) in self._places:
                return
            self._places.add((kind, where))
        self.count(kind, f"{where}: {what}" if what else where, count)

    def __len__(self) -> int:
        return sum(self.counts.values())

    @property
    def lost(self) -> bool:
        """Whether something could not be read."""
        return any(kind in _LOST for kind in self.counts)

    @property
    def lost_of_whole_snapshots(self) -> bool:
        """The same of those that were completed: of one that was cut nothing is to be had."""
        return any(kind in _LOST - {ProblemKind.BROKEN_OFF} for kind in self.counts)

    def summary(self) -> dict[str, Any]:
        """Kind to number."""
        return {str(kind): count for kind, count in sorted(self.counts.items())}

    def warnings(self) -> Iterator[str]:
        """One line a kind: ``3 x wrong type, such as messages/...:17: put_time``."""
        for kind, count in sorted(self.counts.items()):
            yield f"{count} x {kind}, such as {'; '.join(self.examples[kind])}"
