"""Rows of snapshots for tests: short to write, of the real schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from mqtriage.pipeline.snapshots.schema import TABLES, ColumnType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 1, 5, tzinfo=UTC)
START_US = int(START.timestamp()) * 1_000_000
MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
Row = Mapping[str, Any]

_FILLED: dict[str, Any] = {
    "snapshot_id": "S", "seen": "present", "queue": "Q", "message_key": "k", "msg_id": "00" * 24,
    "correl_id": "00" * 24, "schema_version": 1, "queue_manager": "QM1", "backend": "emulator",
    "mode": "full", "body": "none", "queue_count": 1, "message_count": 0, "message_rows": 0,
    "problem_count": 0, "browsed": True, "kind": "QLOCAL", "name": "Q", "qmgr": "QM1",
}  # fmt: skip


def at(us: int) -> datetime:
    """*us* microseconds since 1970 as a time of UTC."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)


def us(time: datetime | None) -> int | None:
    """A time that came back from Spark, without its zone, as microseconds since 1970."""
    if time is None:
        return None
    return (time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


def frame(spark: SparkSession, table: str, rows: Iterable[Row]) -> DataFrame:
    """A DataFrame of a table; columns that are always there and not given are filled in.

    Times are given as microseconds since 1970.
    """
    from mqtriage.pipeline.reading import schema_of

    schema = schema_of(TABLES[table])
    times = {c.name for c in TABLES[table].columns if c.type is ColumnType.TIMESTAMP}
    records = []
    for row in rows:
        unknown = set(row) - set(schema.names)
        assert not unknown, unknown
        full = {name: row.get(name, _FILLED.get(name)) for name in schema.names}
        snap_us = full["snap_time"] if full["snap_time"] is not None else START_US
        full["snap_time"] = snap_us
        full["snap_date"] = full["snap_date"] or at(snap_us).date()
        assert isinstance(full["snap_date"], date)
        for name in times:
            if full[name] is not None:
                full[name] = at(full[name])
        records.append(tuple(full[name] for name in schema.names))
    return spark.createDataFrame(records, schema)
