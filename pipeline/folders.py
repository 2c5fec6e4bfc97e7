"""Which files of a folder of snapshots hold data, and which cannot be read and why.

Folders on this machine are looked through before Spark reads them, so that a file that was cut or
is of another schema is named and left out. Addresses with a scheme (``s3a://``, ``hdfs://``,
``abfss://``) go to Spark untouched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mqtriage.files.locks import sharing
from mqtriage.mq.errors import NotFound, Refused
from mqtriage.pipeline.snapshots.problems import KindCounts
from mqtriage.pipeline.snapshots.schema import (
    COMPACTED,
    FORMATS,
    TABLES,
    VERSION,
    is_day,
    parse_file_name,
)

_PARQUET_MARK: Final = b"PAR1"
_LEAST_PARQUET_BYTES: Final = 12
_SCHEME: Final = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+://")
_PARTITION: Final = re.compile(r"(?:qmgr=[^/]+/)?snap_date=([^/]+)")
OTHER_VERSION: Final = rf"[.]v(?!{VERSION}[.])[0-9]+[.][a-z]+$"
"""Of the name of a file of another version of the schema, for Java and Python."""
OPEN_COST_BYTES: Final = 65_536
"""What could be read of one file while another is opened."""
PARQUET: Final = "parquet"
DELTA: Final = "delta"
PERIOD: Final = "period"
"""Column of tables of results that are written by periods."""


@contextmanager
def unmoved(roots: Iterable[str]) -> Iterator[None]:
    """Let nobody replace files of the folders on this machine meanwhile, as `compact` would."""
    with ExitStack() as held:
        for root in roots:
            if not is_address(root):
                held.enter_context(sharing(plain_path(root)))
        yield


_PLURALS: Final = {
    "blocks": "block", "lines": "line", "rows": "row", "files": "file", "folders": "folder",
    "archives": "archive", "records": "record", "events": "event", "messages": "message",
    "logs": "log", "values": "value", "commands": "command", "objects": "object",
    "are": "is", "have": "has",
}  # fmt: skip
"""The words of reasons that are others where there is one."""


def _of_one(reason: str) -> str:
    """A reason for one: "block of an error log that cannot be read"."""
    head, that, rest = reason.partition(" that ")
    first, of, what = head.partition(" of ")
    first = " ".join(_PLURALS.get(word, word) for word in first.split(" "))
    verb, space, rest = rest.partition(" ")
    return f"{first}{of}{what}{that}{_PLURALS.get(verb, verb)}{space}{rest}"


class Rejected(KindCounts):
    """What was not read, and why: files or rows as the reason says, some files as examples."""

    def add(self, reason: str, example: str = "", count: int = 1) -> None:
        """Add *count*, which may be 0, to a kind."""
        if count:
            self.count(reason, example, count)

    def names(self, path: str) -> bool:
        """Whether *path* is among the examples, which are told from the table's folder on."""
        return any(path.endswith(named) for kind in self.examples.values() for named in kind)

    def warnings(self) -> list[str]:
        """A sentence for each kind, the most frequent first."""
        return [
            f"{count} {_of_one(reason) if count == 1 else reason}"
            + (f": {', '.join(named)}" if named else "")
            for reason, count in self.counts.most_common()
            for named in [self.examples[reason]]
        ]


@dataclass(frozen=True, slots=True)
class TableSource:
    """Where Spark is to read one table in one form.

    Attributes:
        base: folder of the table, below which the partitions are.
        paths: it, or where something else lies below it the folders of partitions.
        form: ``parquet`` or ``ndjson``.
        checked: the files were looked at here.
        cost_bytes: the size of the table's files if they were, and `OPEN_COST_BYTES` for each.
        has_others: among them are files of another version of the schema, known by their names.
        of_many: the name of the queue manager is in the rows, not in the folders.
    """

    base: str
    paths: tuple[str, ...]
    form: str
    checked: bool
    cost_bytes: int = 0
    has_others: bool = True
    of_many: bool = False


def sources(roots: Iterable[str], table: str, rejected: Rejected) -> list[TableSource]:
    """Where the table's rows are; files that cannot be read are counted in *rejected*."""
    known_sources = []
    for root in dict.fromkeys(roots):
        if is_address(root):
            base = f"{root.rstrip('/')}/{table}"
            known_sources += [TableSource(base, (base,), form, checked=False) for form in FORMATS]
            base = f"{root.rstrip('/')}/{COMPACTED}/{table}"
            known_sources.append(TableSource(base, (base,), "parquet", checked=False, of_many=True))
            continue
        for place, of_many in _bases(local_folder(root), table):
            known_sources += _in_folder(place, rejected, of_many=of_many)
    return known_sources


def _bases(folder: Path, table: str) -> Iterator[tuple[Path, bool]]:
    """The folders that a table has, each with whether its files are of many queue managers."""
    for base, of_many in ((folder / table, False), (folder / COMPACTED / table, True)):
        if base.is_dir():
            yield base, of_many


def is_address(root: str) -> bool:
    """Whether *root* is for Spark's file systems alone."""
    return _SCHEME.match(root) is not None


def local_folder(root: str) -> Path:
    """The folder that *root* names, absolute; `NotFound` where it is none."""
    folder = plain_path(root)
    if not folder.is_dir():
        what = "is a file; a folder of snapshots is expected" if folder.exists() else "is not there"
        raise NotFound(f"{root}: {what}", hint="mqtriage snapshot take creates one")
    return folder.resolve()


def plain_path(root: str) -> Path:
    """A path on this machine, without the scheme that it may have."""
    return Path(root.removeprefix("file://").removeprefix("file:"))


def there_already(path: str) -> Refused:
    """The error for a table that would be written over."""
    hint = "give each run its own --out folder, or use --period to replace the rows of that period"
    return Refused(f"{path} already exists", hint=hint)


def place_of(out: str, table: str, period: str = "") -> str:
    """Where a table of results lies below a folder or an address."""
    return f"{out.rstrip('/')}/{table}" + (f"/{PERIOD}={period}" if period else "")


def refuse_to_write_over(
    out: str, tables: Iterable[str], period: str = "", form: str = PARQUET
) -> None:
    """See before the work that no rows are lost or counted twice; an address is Spark's to look at.

    Raises:
        Refused: A table is there, without periods, of another form, or with a period that is part
            of *period*.
    """
    if not out or is_address(out):
        return
    for table in tables:
        place = place_of(out, table)
        folder = plain_path(place)
        if folder.exists() and not period:
            raise there_already(place)
        there = {path.name for path in folder.iterdir()} if folder.exists() else set()
        if there and ("_delta_log" in there) != (form == DELTA):
            raise Refused(f"{place} does not have the format {form}", hint="give another --out")
        for name in sorted(name for name in there if not name.startswith((".", "_"))):
            known = name.removeprefix(f"{PERIOD}=")
            if known == name:
                raise Refused(f"{place} has rows without a period", hint="give another --out")
            if known != period and (known.startswith(period) or period.startswith(known)):
                raise Refused(
                    f"{place} has the period {known}, and --period {period} covers the same days",
                    hint="use one --out for days, another for months",
                )


def is_snapshot_folder(root: str) -> bool:
    """Whether a folder on this machine has a folder of any table; an address is taken to."""
    return is_address(root) or any(list(_bases(plain_path(root), name)) for name in TABLES)


def _in_folder(base: Path, rejected: Rejected, *, of_many: bool) -> list[TableSource]:
    """What is to be read of one table; a file that Spark will find broken is named here.

    One walk, whatever the number of files: Spark is given folders, never single files.
    """
    leaves: dict[str, list[str]] = {form: [] for form in FORMATS}
    cost = 0
    others: set[str] = set()
    is_plain = True

    def refused(error: OSError) -> None:
        nonlocal is_plain
        is_plain = False
        rejected.add(
            "folders without read permission", os.path.relpath(error.filename, base.parent)
        )

    for folder, below, names in os.walk(base, onerror=refused):
        below[:] = [name for name in below if not name.startswith((".", "_"))]
        data = {name: parsed for name in names if (parsed := parse_file_name(name)) is not None}
        if data and not _is_partition(folder, base, of_many=of_many):
            is_plain = False
            reason = "files that are not in the folder for a queue manager and a day"
            rejected.add(reason, os.path.relpath(folder, base.parent), len(data))
            continue
        for name in data:
            cost += OPEN_COST_BYTES + size_of(os.path.join(folder, name))
            reason = unreadable(os.path.join(folder, name))
            if reason:
                rejected.add(reason, os.path.relpath(os.path.join(folder, name), base.parent))
        others |= {parsed.form for parsed in data.values() if parsed.version not in (None, VERSION)}
        for form in {parsed.form for parsed in data.values()}:
            leaves[form].append(folder)
    return [
        TableSource(
            base=str(base),
            paths=(str(base),) if is_plain else tuple(paths),
            form=form,
            checked=True,
            cost_bytes=cost,
            has_others=form in others,
            of_many=of_many,
        )
        for form, paths in leaves.items()
        if paths
    ]


def _is_partition(folder: str, base: Path, *, of_many: bool) -> bool:
    """Whether a folder is that of a queue manager and a day, or of many and a day."""
    path = os.path.relpath(folder, base)
    match = _PARTITION.fullmatch(path)
    return match is not None and is_day(match[1]) and path.startswith("snap_date=") is of_many


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
            return "Parquet files that are truncated or damaged"
        if not os.access(path, os.R_OK):
            return "files without read permission"
    except OSError:
        return "files without read permission"
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


def size_of(path: str) -> int:
    """How long a file is; 0 for one that went meanwhile, as a snapshot that is taken gives them."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def whole_parquet(root: str, table: str) -> Iterator[str]:
    """Every Parquet file of a table on this machine that nothing seems wrong with."""
    for base, of_many in _bases(local_folder(root), table):
        for folder, below, names in os.walk(base):
            below[:] = [name for name in below if not name.startswith((".", "_"))]
            for name in names if _is_partition(folder, base, of_many=of_many) else ():
                path, parsed = os.path.join(folder, name), parse_file_name(name)
                if parsed is not None and parsed.form == "parquet" and not unreadable(path):
                    yield path
