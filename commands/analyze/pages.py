"""`analyze report` into a folder: a page of the estate, and one of each queue manager.

The folder is written beside its place and put there whole (`mqtriage.files.folders`), so that what
is not a page of a report must not lie in it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from mqtriage.commands.analyze.report import JobReport, listed
from mqtriage.commands.analyze.run import AnalyzeRequest
from mqtriage.files.durable import refuse_link_out
from mqtriage.files.failures import storage_errors
from mqtriage.files.folders import replace_folder
from mqtriage.files.private import create_private
from mqtriage.model.analysis_charts import charts_of
from mqtriage.model.result import Record
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import StorageError
from mqtriage.pipeline.snapshots.schema import escaped

INDEX: Final = "index.html"
GENERATOR: Final = "<meta name='generator' content='mqtriage analyze report'>"
"""Stands at the beginning of every page, by which it is known for one."""
_BEGINNING: Final = 400
_LONGEST: Final = 200
"""Characters of a file name; what is longer, as no name of a queue manager is, becomes a hash."""
Rows = dict[tuple[str, str], list[Record]]
"""(job, table) to rows."""
Runs = dict[str, list[tuple[int, int]]]
"""Queue manager to where in a file rows of it begin and end."""


class ManagerRows:
    """Rows of tables, in a file without a name that ends with it; read a queue manager at a time.

    In the file a row is a line: the values of its columns, as JSON.

    Attributes:
        keys: the columns of each table, by job and table.
    """

    def __init__(self) -> None:
        self.keys: dict[tuple[str, str], tuple[str, ...]] = {}
        self._file = TemporaryFile()  # noqa: SIM115, it lives as long as this
        self.close = self._file.close
        self._end = 0
        self._runs: dict[tuple[str, str], Runs] = {}

    def keep(self, job: str, table: str, rows: Iterable[Record]) -> None:
        """Take the rows of a table, in place of those that were taken of it before.

        Raises:
            StorageError: There is no room for them.
        """
        runs = self._runs[job, table] = {}
        for name, ones in groupby(rows, lambda row: row.get("qmgr")):
            if not name:
                continue
            begin = self._end
            for row in ones:
                self.keys[job, table] = tuple(row)
                self._write(json.dumps(list(row.values())).encode() + b"\n")
            runs.setdefault(name, []).append((begin, self._end))

    def _write(self, line: bytes) -> None:
        with storage_errors("temporary file", hint="make room, or set TMPDIR to another folder"):
            self._file.write(line)
        self._end += len(line)

    def names(self) -> set[str]:
        """Of all queue managers that there are rows of."""
        return {name for runs in self._runs.values() for name in runs}

    def of(self, name: str) -> Rows:
        """The rows of a queue manager, in the order of their tables."""
        rows: Rows = {}
        for table, runs in self._runs.items():
            rows[table] = []
            for begin, end in runs.get(name, ()):
                self._file.seek(begin)
                for line in self._file.read(end - begin).splitlines():
                    rows[table].append(dict(zip(self.keys[table], json.loads(line), strict=True)))
        return rows


def is_folder_of_pages(name: str) -> bool:
    """Whether `--html` names a folder: it ends in a slash, or one is there."""
    return name.endswith("/") or Path(name).is_dir()


def file_names(queue_managers: Iterable[str]) -> dict[str, str]:
    """The file of each queue manager's page, in the order of their names.

    It is the name as in folders of snapshots, ``A%2FB.html``. Where another one differs from that
    in upper and lower case alone, every byte is a %XX: not all file systems tell them apart.
    """
    names: dict[str, str] = {}
    taken = {Path(INDEX).stem}
    for name in sorted(queue_managers):
        stem = escaped(name)
        if stem.startswith(".") or stem.lower() in taken:
            stem = "".join(f"%{byte:02X}" for byte in name.encode())
        if len(stem) > _LONGEST:
            stem = sha256(name.encode()).hexdigest()
        taken.add(stem.lower())
        names[name] = f"{stem}.html"
    return names


def parts_of_one(
    parts: Sequence[JobReport], rows_of: Rows, request: AnalyzeRequest
) -> list[JobReport]:
    """What the page of a queue manager holds: its own rows alone, and charts of these."""
    ones = []
    for part in parts:
        rows = {table: rows_of.get((part.job, table), []) for table in part.rows}
        charts = charts_of(part.job, rows, part.cut_days, spreads=True)
        ones.append(listed(replace(part, rows=rows, counts={}, charts=charts), request))
    return ones


def pages_can_be_written(folder: Path) -> None:
    """See before the work of minutes that the folder can be written and replaces nothing else."""
    with storage_errors(folder):
        place = _place_of(folder)
        beside = _beside(place)
        beside.mkdir(0o700)
        beside.rmdir()


def write_pages(folder: Path, pages: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Write the pages, (file, pieces) each, all of them or none; only their owner can read them."""
    with storage_errors(folder):
        beside = _beside(_place_of(folder))
        beside.mkdir(0o700)
        try:
            for name, pieces in pages:
                with open(create_private(beside / name), "wb") as file:
                    file.writelines(piece.encode() for piece in pieces)
            replace_folder(beside, _place_of(folder))
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise


def _beside(place: Path) -> Path:
    """Where the folder is written; what a killed process of this number left is taken away."""
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    shutil.rmtree(beside, ignore_errors=True)
    return beside


def _place_of(folder: Path) -> Path:
    """The folder itself, where a link leads to it.

    Raises:
        StorageError: It may not be replaced.
        OSError: It cannot be read.
    """
    refuse_link_out(folder)
    place = folder.resolve()
    if place.is_mount() or Path.cwd().is_relative_to(place):
        raise StorageError(
            f"{folder}: this folder cannot be replaced",
            hint=f"name one in it: --html {shell_word(f'{folder}/report/')}",
        )
    if place.exists():
        files = sorted(place.iterdir())
        stranger = next((file.name for file in files if not _is_page(file)), None)
        if stranger is not None:
            raise StorageError(
                f"{folder}: {stranger} in it is not a page of a report",
                hint="name a new folder, or one that contains only such pages",
            )
    return place


def _is_page(file: Path) -> bool:
    if file.suffix != ".html" or not file.is_file():
        return False
    with file.open(encoding="utf-8", errors="replace") as text:
        return GENERATOR in text.read(_BEGINNING)
