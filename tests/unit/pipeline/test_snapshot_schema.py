"""The schema of snapshots holds together, and answers the selection language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages.filters.fields import FIELDS, Need
from mqtriage.mq.descriptor import MQMD
from mqtriage.pipeline.snapshots.schema import (
    MESSAGES,
    PARTITIONS,
    TABLES,
    Table,
    column_of_field,
    escaped,
    file_name,
    parse_file_name,
    unescaped,
)
from mqtriage.pipeline.sources.tables import LOG_TABLES

EVERY = {**TABLES, **LOG_TABLES}


@pytest.mark.parametrize("table", EVERY.values(), ids=EVERY)
def test_no_column_is_there_twice_nor_named_like_a_partition(table: Table) -> None:
    names = [*table.names, *(column.name for column in PARTITIONS)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("table", EVERY.values(), ids=EVERY)
def test_every_row_says_which_snapshot_it_is_of(table: Table) -> None:
    assert table.names[:2] == ("snapshot_id", "snap_time")


@pytest.mark.parametrize("table", EVERY.values(), ids=EVERY)
def test_bytes_and_milliseconds_have_room_for_any_number(table: Table) -> None:
    for column in table.columns:
        if column.name.endswith(("_bytes", "_ms")):
            assert column.type == "long", column.name


def test_every_field_of_the_descriptor_is_a_column() -> None:
    missing = set(MQMD._fields) - set(MESSAGES.names)
    assert missing == {"put_date"}  # put_time is the column for both


def test_every_field_of_a_filter_that_needs_no_body_is_a_column() -> None:
    unanswered = {spec.name for spec in FIELDS if column_of_field(spec.name) is None}
    of_the_body = {spec.name for spec in FIELDS if spec.need is Need.BODY}
    assert unanswered == of_the_body - {"body_digest"}  # the one that is kept of a body


@given(st.text())
def test_a_partition_value_comes_back_and_cannot_leave_its_folder(value: str) -> None:
    text = escaped(value.encode("utf-8", "replace").decode())
    assert "/" not in text
    assert unescaped(text) == value.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        (file_name("20260131T100000Z-00", "parquet"), 1),
        ("a.v2.ndjson", 2),
        ("a.ndjson", None),
    ],
)
def test_the_version_is_read_off_the_name(name: str, version: int | None) -> None:
    parsed = parse_file_name(name)
    assert parsed is not None
    assert parsed.version == version


@pytest.mark.parametrize("name", [".a.v1.parquet", "a.v1.parquet.crc", "_SUCCESS", "a.txt", ""])
def test_other_names_are_no_data(name: str) -> None:
    assert parse_file_name(name) is None
