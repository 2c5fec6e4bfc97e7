"""Metrics of IBM's exporter as Prometheus and Grafana give them, as rows of the table queues.

A series is of one metric, queue manager and queue; each of its samples is a row, with null in the
columns that other metrics fill. What is of channels or of other metrics is left out.
Source: Prometheus documentation, "HTTP API", range queries; the README of IBM's mq-metric-samples;
Grafana documentation, "Download visualization data", and files of it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtriage.mq.delay import GREATEST_MAXDEPTH
from mqtriage.pipeline.snapshots.schema import TABLES
from mqtriage.pipeline.sources.pieces import BROKEN, CORRUPT, columns_of, from_json, texts
from mqtriage.pipeline.sources.recognition import LogForm
from mqtriage.pipeline.sources.series_names import METRICS, QMGR, QUEUE, labels_of, place_of

_SERIES: Final = "metric map<string,string>,values array<array<string>>,value array<string>"
_HEADING: Final = re.compile(r"\s*([a-zA-Z_:][\w:]*)?\s*\{(.*)\}\s*", re.DOTALL)
_MILLISECONDS: Final = 1e11
"""Times from here on are not in seconds: as such they are of the year 5138."""
_TIMES: Final = ("time", "timestamp", "date")
_NAMES: Final = ("__name__", "name", "metric")


class _Sample(NamedTuple):
    """One sample as columns of text, before it is known what can be read of it."""

    metric: Column
    qmgr: Column
    queue: Column
    time: Column
    value: Column

    def packed(self) -> Column:
        return F.struct(*(column.alias(n) for n, column in zip(self._fields, self, strict=True)))


def series(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """The answers of Prometheus' HTTP API, each cut into its series, so that none must fit a task.

    A series that was broken off costs no other one.
    """
    pieces = texts(session, paths, '"metric"')
    # what stands before the first series is the head of the answer
    pieces = pieces.filter(F.rlike("value", F.lit(r"\A\s*:\s*\{")))
    answer = from_json(F.concat(F.lit('{"metric"'), "value"), _SERIES)
    parsed = pieces.select(answer.alias("s"), "file").select("s.*", "file")
    values = F.coalesce("values", F.when(F.col("value").isNotNull(), F.array("value")))
    samples = F.transform(
        values,
        lambda pair: _Sample(
            F.try_element_at("metric", F.lit("__name__")),
            F.coalesce(*(F.try_element_at("metric", F.lit(name)) for name in QMGR)),
            F.coalesce(*(F.try_element_at("metric", F.lit(name)) for name in QUEUE)),
            F.try_element_at(pair, F.lit(1)),
            F.try_element_at(pair, F.lit(2)),
        ).packed(),
    )
    return _rows(parsed, samples, F.col(CORRUPT).isNotNull() | values.isNull())


def tables(session: SparkSession, paths: Sequence[str], form: LogForm) -> DataFrame:
    """CSV of metrics: a column a series, as Grafana writes it, or a line a sample."""
    return reduce(DataFrame.unionByName, (_table(session, path) for path in paths))


def _table(session: SparkSession, path: str) -> DataFrame:
    first = session.read.text(path).limit(1).collect()
    (heading,) = csv.reader([row["value"].removeprefix("\ufeff") for row in first])
    names = [f"c{number}" for number in range(len(heading))]
    schema = ",".join(f"{name} string" for name in (*names, CORRUPT))
    reader = session.read.schema(schema).option("header", "true").option("mode", "PERMISSIVE")
    lines = reader.option("columnNameOfCorruptRecord", CORRUPT).csv(path)
    lines = lines.withColumn("file", F.col("_metadata.file_path"))
    place = {title.strip().lower(): name for title, name in zip(heading, names, strict=True)}
    time = next((F.col(place[title]) for title in _TIMES if title in place), F.lit(""))
    name = next((F.col(place[title]) for title in _NAMES if title in place), None)
    if name is not None and {"qmgr", "queue", "value"} <= place.keys():
        qmgr, queue, value = (F.col(place[title]) for title in ("qmgr", "queue", "value"))
        samples = [_Sample(name, qmgr, queue, time, value)]
    else:
        samples = [
            _Sample(F.lit(of[0]), F.lit(of[1]), F.lit(of[2]), time, F.col(column))
            for title, column in zip(heading, names, strict=True)
            if (of := series_of(title)) is not None and of[0] in METRICS
        ]
    packed = [sample.packed() for sample in samples]
    return _rows(lines, F.array(*packed), F.col(CORRUPT).isNotNull() | _moment(time).isNull())


def series_of(heading: str) -> tuple[str, str, str] | None:
    """Metric, queue manager and queue of a column of Grafana's; None for one of something else."""
    match = _HEADING.fullmatch(heading)
    if match is None:
        return None
    labels = labels_of(match[2])
    metric, place = match[1] or labels.get("__name__", ""), place_of(labels)
    return (metric, *place) if metric and place is not None else None


def _moment(text: Column) -> Column:
    """A time in seconds or milliseconds since 1970, or as text in UTC; null for none."""
    number = text.try_cast("double")
    micros = F.when(number < _MILLISECONDS, number * 1_000_000).otherwise(number * 1_000)
    return F.coalesce(F.timestamp_micros(micros.try_cast("long")), text.try_cast("timestamp"))


def _rows(frame: DataFrame, samples: Column, broken: Column) -> DataFrame:
    """A row a sample of a queue that is known, and one a line or series that cannot be read."""
    metric = F.col("s.metric")
    whole = F.when(~broken, samples)
    exploded = frame.select("file", broken.alias("broken"), F.explode_outer(whole).alias("s"))
    text, value = F.trim("s.value"), F.trim("s.value").try_cast("double")
    moment = _moment(F.col("s.time"))
    is_queue = metric.isin(*METRICS) & (F.col("s.qmgr") != "") & (F.col("s.queue") != "")
    # a series without a sample at that time is empty there; NaN is what Prometheus has for none
    has_value = F.coalesce(text != "", F.lit(False)) & ~F.coalesce(F.isnan(value), F.lit(False))
    rows = exploded.filter(F.col("broken") | (is_queue & has_value))
    count = value.try_cast("long")  # null for infinity
    is_count = F.coalesce(count.between(0, GREATEST_MAXDEPTH), F.lit(False))
    unreadable = F.col("broken") | ~is_count | moment.isNull()
    known = {
        "snapshot_id": F.lit("log"),
        "snap_time": moment,
        "queue": F.col("s.queue"),
        "qmgr": F.col("s.qmgr"),
        "snap_date": F.to_date(moment),
        **{column: F.when(metric == name, count) for name, column in METRICS.items()},
    }
    return rows.select(
        *columns_of(TABLES["queues"], known),
        F.when(unreadable, F.col("file")).alias(BROKEN),
    )
