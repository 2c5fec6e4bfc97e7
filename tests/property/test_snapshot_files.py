"""Rows of snapshots come back from NDJSON and Parquet as they were written, whatever is in them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.files.scratch import Sorter
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.mq.times import GREATEST_US
from mqtriage.pipeline.snapshots.files import FileForm, PartitionFiles, day_of
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import message_of, rows
from mqtriage.pipeline.snapshots.rows import Keeping, Sighting, Stamp, message_row
from mqtriage.pipeline.snapshots.schema import (
    MESSAGES,
    TABLES,
    BodyPart,
    Column,
    ColumnType,
    Seen,
    Table,
)
from tests.support.scale import amount

TIMES = st.integers(0, GREATEST_US)
VALUES: dict[ColumnType, st.SearchStrategy[Any]] = {
    ColumnType.STRING: st.text(st.characters(codec="utf-8"), max_size=20),
    ColumnType.INT: st.integers(-(2**31), 2**31 - 1),
    ColumnType.LONG: st.integers(-(2**63), 2**63 - 1),
    ColumnType.BOOLEAN: st.booleans(),
    ColumnType.TIMESTAMP: TIMES,
}


def value_of(column: Column) -> st.SearchStrategy[Any]:
    values = VALUES[column.type]
    return values if column.required else st.none() | values


def rows_of(table: Table) -> st.SearchStrategy[list[Any]]:
    return st.tuples(*map(value_of, table.columns)).map(list)


@contextmanager
def written(table: str, given_rows: list[list[Any]], form: FileForm) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        files = PartitionFiles(Path(name), "QM1", "2026-01-31", "x", form, durable=False)
        for row in given_rows:
            files.add(table, row)
        files.publish()
        yield Path(name)


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
@pytest.mark.parametrize("table", TABLES)
@given(data=st.data())
@settings(max_examples=amount(5))
@pytest.mark.slow
def test_rows_come_back_as_they_were(table: str, form: FileForm, data: st.DataObject) -> None:
    shape = TABLES[table]
    written_rows = data.draw(st.lists(rows_of(shape), min_size=1, max_size=4))
    problems = Problems()
    with written(table, written_rows, form) as folder:
        read_rows = [
            [row[name] for name in shape.names] for _, row in rows(folder, table, problems)
        ]
    assert read_rows == written_rows
    assert not problems.lost


TEXTS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._ü", max_size=8)
LONGS = st.integers(-(2**31), 2**31 - 1)
FIELDS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "report": LONGS,
        "msg_type": LONGS,
        "expiry_tenths": st.integers(-1, 2**31 - 1),
        "encoding": st.sampled_from([546, 273]),
        "ccsid": st.sampled_from([1208, 819, 0, -2, 1047]),
        "format": st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "MQXMIT", "XYZ", "MQHMDE"]),
        "msg_id": st.binary(min_size=24, max_size=24),
        "correl_id": st.binary(min_size=24, max_size=24),
        "put_appl_name": TEXTS,
        "put_date": st.sampled_from(["20260131", "", "2026ABCD"]),
        "put_time": st.sampled_from(["10000025", "", "99999999"]),
    }
)
DESCRIPTORS = FIELDS.map(lambda fields: MQMD(**fields))
BODIES = (
    st.binary(max_size=200)
    | st.binary(max_size=60).map(lambda data: b"DDH \1\0\0\0" + data)
    | st.binary(max_size=200).map(lambda data: b"RFH \2\0\0\0" + data)
)
MESSAGES_WITH_BODY = st.builds(lambda md, body: Message(md, body, len(body)), DESCRIPTORS, BODIES)


@given(message=MESSAGES_WITH_BODY)
@settings(max_examples=amount(50))
def test_any_message_becomes_a_row_and_the_very_message_again(message: Message) -> None:
    """Whatever the bytes: a broken header is a sentence of the row."""
    stamp = Stamp("s", 1_000_000)
    keep = Keeping(BodyPart.FULL, lambda _: "", properties=True, due_known=True)
    row = message_row(stamp, Sighting("Q", "0" * 32, Seen.PRESENT, 0, 1), message, keep)
    assert len(row) == len(MESSAGES.columns)
    problems = Problems()
    with written("messages", [row], "ndjson") as folder:
        ((_, read_row),) = rows(folder, "messages", problems)
    assert [read_row[name] for name in MESSAGES.names] == row
    again = message_of(read_row)
    assert again is not None
    if len(message.md.put_date) != 8 or len(message.md.put_time) != 8:
        assert again.body == message.body  # a stamp of other lengths no queue manager has
    else:
        assert again == message


@given(items=st.lists(st.binary(max_size=30)), bytes_held=st.integers(1, 2000))
def test_the_sorter_sorts_whatever_it_holds_in_memory(items: list[bytes], bytes_held: int) -> None:
    sorter = Sorter(bytes_held)
    for item in items:
        sorter.add(item)
    assert list(sorter) == sorted(items)
    sorter.close()


_WRITER = """
import sys
from pathlib import Path
from mqtriage.pipeline.snapshots.files import PartitionFiles
from mqtriage.pipeline.snapshots.schema import TABLES
from tests.property.test_snapshot_files import plain_row
number = 0
while True:
    folder = Path(sys.argv[1]) / f"{number // 10:06d}"
    files = PartitionFiles(folder, "QM1", "2026-01-31", f"{number:06d}", sys.argv[2])
    for _ in range(50):
        for table in TABLES:
            files.add(table, plain_row(table, f"{number:06d}"))
    files.publish()
    print(number, flush=True)
    number += 1
"""


def plain_row(table: str, snapshot_id: str) -> list[Any]:
    """A row with what is required."""
    plain: dict[ColumnType, Any] = {
        ColumnType.STRING: "x",
        ColumnType.BOOLEAN: True,
        ColumnType.TIMESTAMP: 0,
    }
    row = [
        plain.get(column.type, 1) if column.required else None for column in TABLES[table].columns
    ]
    row[0] = snapshot_id
    return row


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_no_half_file(tmp_path: Path, form: str) -> None:
    """Killed at any moment: every file with a name is whole, and `snapshots` speaks for whole ones.

    Readers look while it writes, too, at the two folders it wrote last.
    """
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path), form],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert writer.stdout is not None
        for _ in range(6):
            writer.stdout.readline()
            _all_whole(tmp_path)
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    _all_whole(tmp_path)


def _all_whole(home: Path) -> None:
    for folder in sorted(home.iterdir())[-2:]:
        _whole(folder)


def _whole(folder: Path) -> None:
    problems = Problems()
    snapshot_ids = {row["snapshot_id"] for _, row in rows(folder, "snapshots", problems)}
    for table in TABLES:
        counts: dict[str, int] = {}
        for _, row in rows(folder, table, problems):
            counts[row["snapshot_id"]] = counts.get(row["snapshot_id"], 0) + 1
        assert set(counts.values()) <= {50}, table
        assert snapshot_ids <= set(counts), table
    assert not problems.lost, problems.summary()


def test_a_day_is_a_utc_day() -> None:
    assert day_of(0) == "1970-01-01"
    assert day_of(86_399_999_999) == "1970-01-01"
    assert day_of(86_400_000_000) == "1970-01-02"


_FULL_DISK = """
import resource, sys
from pathlib import Path
from mqtriage.pipeline.snapshots.files import PartitionFiles
from mqtriage.mq.errors import StorageError
from tests.property.test_snapshot_files import plain_row
folder = Path(sys.argv[1])
files = PartitionFiles(folder, "QM1", "2026-01-31", "x", sys.argv[2])
files.add("queues", plain_row("queues", "s"))
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    for number in range(60_000):
        files.add("messages", plain_row("messages", f"{number:050d}"))
    files.publish()
except StorageError as error:
    files.close()
    print(error.text, error.hint)
"""


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
@pytest.mark.slow
def test_a_disk_that_is_full_is_one_line_and_leaves_nothing(tmp_path: Path, form: str) -> None:
    """A limit on the size of files stands for the full disk."""
    ran = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path), form],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "File too large" in ran.stdout
    assert "make room" in ran.stdout
    assert ran.stderr == ""
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
