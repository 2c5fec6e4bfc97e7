"""Which files of a folder of snapshots hold data, and which cannot be read and why.

Folders on this machine are looked through before Spark reads them, so that a file that was cut or
is of another schema is named and left out. Addresses with a scheme (``s3a://``, ``hdfs://``,
``abfss://``) go to Spark untouched.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mqtriage.model.snapshot_schema import FORMATS, TABLES, VERSION, parse_file_name
from mqtriage.mq.errors import NotFound

_PARQUET_MARK: Final = b"PAR1"
_LEAST_PARQUET_BYTES: Final = 12
_SCHEME: Final = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+://")
SMALL_BYTES: Final = 16_000_000
EXAMPLES: Final = 3
"""Files named of each kind of damage."""


@dataclass(slots=True)
class Rejected:
    """What was not read, and why: kinds of damage with their count and some names.

    Attributes:
        counts: reason to number, of files or of rows as the reason says.
        examples: reason to some of the files.
    """

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, example: str = "", count: int = 1) -> None:
        """Count *count* more of a kind."""
        if not count:
            return
        self.counts[reason] += count
        named = self.examples.setdefault(reason, [])
        if example and len(named) < EXAMPLES:
            named.append(example)

    def warnings(self) -> list[str]:
        """A sentence for each kind, the most frequent first."""
        return [
            f"{count} {reason}" + (f": {', '.join(named)}" if named else "")
            for reason, count in self.counts.most_common()
            for named in [self.examples.get(reason, [])]
        ]


@dataclass(frozen=True, slots=True)
class Source:
    """Where Spark is to read one table in one form.

    Attributes:
        base: folder of the table, below which the partitions are.
        paths: it, or the folders and files of it that are sound.
        form: ``parquet`` or ``ndjson``.
        checked: the files were looked at here.
    """

    base: str
    paths: tuple[str, ...]
    form: str
    checked: bool


def sources(roots: Iterable[str], table: str, rejected: Rejected) -> list[Source]:
    """Where the table's rows are; files that cannot be read are counted in *rejected*.

    Raises:
        NotFound: A root that is not there.
    """
    found = []
    for root in dict.fromkeys(roots):
        if is_address(root):
            base = f"{root.rstrip('/')}/{table}"
            found += [Source(base, (base,), form, checked=False) for form in FORMATS]
            continue
        folder = local_folder(root)
        if (folder / table).is_dir():
            found += _in_folder(folder / table, rejected)
    return found


def is_address(root: str) -> bool:
    """Whether *root* is for Spark's file systems alone."""
    return _SCHEME.match(root) is not None


def local_folder(root: str) -> Path:
    """The folder that *root* names, absolute.

    Raises:
        NotFound: It is not there, or is no folder.
    """
    folder = Path(root.removeprefix("file://").removeprefix("file:"))
    if not folder.is_dir():
        what = "is a file, a folder of snapshots is expected" if folder.exists() else "is not there"
        raise NotFound(f"{root}: {what}", hint="mqtriage snapshot take makes one")
    return folder.resolve()


def is_snapshot_folder(root: str) -> bool:
    """Whether a folder on this machine has a folder of any table; an address is taken to."""
    return is_address(root) or any((local_folder(root) / name).is_dir() for name in TABLES)


def _in_folder(base: Path, rejected: Rejected) -> list[Source]:
    """The sound files of one table, whole folders where all their files are."""
    whole: dict[str, list[str]] = {form: [] for form in FORMATS}
    for folder, _, names in os.walk(base, onerror=None):
        if Path(folder).name.startswith((".", "_")):
            continue
        sound: dict[str, list[str]] = {form: [] for form in FORMATS}
        damaged = False
        for name in sorted(names):
            file = os.path.join(folder, name)
            reason = unreadable(file)
            if reason:
                rejected.add(reason, os.path.relpath(file, base.parent))
                damaged = True
            elif (parsed := parse_file_name(name)) is not None:
                sound[parsed.form].append(file)
        for form, files in sound.items():
            if files:
                whole[form] += files if damaged else [folder]
    return [
        Source(str(base), tuple(paths), form, checked=True)
        for form, paths in whole.items()
        if paths
    ]


def unreadable(path: str) -> str:
    """Why a file is not read, "" when it is, or when it is no data file at all."""
    parsed = parse_file_name(os.path.basename(path))
    if parsed is None:
        return ""
    if parsed.version is not None and parsed.version > VERSION:
        return f"files of a newer schema than {VERSION}"
    if parsed.version is not None and parsed.version < VERSION:
        return f"files of an older schema than {VERSION}"
    try:
        if parsed.form == "parquet" and not _is_whole_parquet(path):
            return "Parquet files that are cut or damaged"
        if not os.access(path, os.R_OK):
            return "files that may not be read"
    except OSError:
        return "files that may not be read"
    return ""


def _is_whole_parquet(path: str) -> bool:
    """Whether the marks at both ends are there and the footer fits between them."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < _LEAST_PARQUET_BYTES:
            return False
        file.seek(0)
        if file.read(4) != _PARQUET_MARK:
            return False
        file.seek(-8, os.SEEK_END)
        tail = file.read(8)
    footer_bytes = int.from_bytes(tail[:4], "little")
    return tail[4:] == _PARQUET_MARK and footer_bytes + _LEAST_PARQUET_BYTES <= size


def is_small(roots: Iterable[str]) -> bool:
    """Whether all there is to read is on this machine and below `SMALL_BYTES`."""
    left = SMALL_BYTES
    for root in roots:
        if is_address(root):
            return False
        for folder, _, names in os.walk(local_folder(root)):
            left -= sum(os.path.getsize(os.path.join(folder, name)) for name in names)
            if left < 0:
                return False
    return True


def data_files(root: str, table: str) -> Iterator[str]:
    """Every data file of a table on this machine, whatever its state."""
    for folder, _, names in os.walk(local_folder(root) / table):
        for name in names:
            if parse_file_name(name) is not None:
                yield os.path.join(folder, name)
