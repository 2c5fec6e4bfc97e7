"""A report from what is gathered of the rows is the report from all rows, and holds few of them."""

from __future__ import annotations

import json
import random
import tracemalloc
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.commands.analyze.pages import ManagerRows, file_names, parts_of_one
from mqtriage.commands.analyze.report import MOST_ROWS, JobReport, listed
from mqtriage.commands.analyze.run import AnalyzeRequest
from mqtriage.formatters.charts.analysis_html import page
from mqtriage.model.analysis_charts import MOST_LINES, MOST_PANELS, PLANS, SERIES, charts_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.model.result import Record
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.pipeline.report.gathered import Gathered, GatherRequest, is_shown, wrong_system_queues
from mqtriage.pipeline.snapshots.advice import advice
from tests.support.scale import amount
from tests.support.tools import drawn_seeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, Row, SparkSession

    from mqtriage.pipeline.runner import Analysis

REQUEST = AnalyzeRequest(("snapshots",))
Tables = dict[str, list[Record]]


def made_up(dice: random.Random, managers: int, queues: int, hours: int) -> Tables:
    """Tables of `depth` and `delay`: equal peaks, lines without a number, queues of the system."""
    tables: Tables = {"depth": [], "depth_hours": [], "delay_hours": []}
    names = [f"Q{number:02}" for number in range(queues)]
    names += ["SYSTEM.ADMIN.Q", "SYSTEM.DEAD.LETTER.QUEUE", "SYSTEM.FULL.Q"]
    for number in range(managers):
        qmgr = f"QM{number:03}"
        for at in range(hours):
            hour = f"2026-01-{5 + at // 24:02}T{at % 24:02}:00:00Z"
            staged = {"qmgr": qmgr, "hour_time": hour, "peak_count": dice.randrange(30)}
            tables["delay_hours"].append(staged)
        for queue in names:
            most = dice.choice((0, 3, 5, 40))
            is_full = queue == "SYSTEM.FULL.Q" and dice.random() < 0.5
            row: Record = {"qmgr": qmgr, "queue": queue, "curdepth": 50 * is_full, "maxdepth": 50}
            tables["depth"].append(row)
            for at in range(hours):
                depth = None if dice.random() < 0.1 else dice.randrange(most + 1)
                hour = f"2026-01-{5 + at // 24:02}T{at % 24:02}:00:00Z"
                point = {"qmgr": qmgr, "queue": queue, "hour_time": hour, "curdepth": depth}
                tables["depth_hours"].append({**point, "maxdepth": 50})
    return tables


def frame_of(spark: SparkSession, table: str, rows: list[Record]) -> DataFrame:
    """The rows in any order, of the types that the table promises."""
    from pyspark.sql import functions as F

    types = next(tables[table].types for tables in TABLES_OF.values() if table in tables)
    lines = [(json.dumps(row),) for row in random.Random(1).sample(rows, len(rows))]
    schema = ", ".join(f"{name} {type_}" for name, type_ in types.items() if name in rows[0])
    df = spark.createDataFrame(lines, "line string")
    return df.select(F.from_json("line", schema).alias("row")).select("row.*")


def gathered_of(
    spark: SparkSession, job: str, tables: Tables, kept: ManagerRows | None = None
) -> Gathered:
    from mqtriage.pipeline.report.gathering import gather
    from mqtriage.pipeline.report.table_rows import TableRows

    there = {
        name: TableRows(frame_of(spark, name, rows).persist(), TABLES_OF[job][name])
        for name, rows in tables.items()
        if name in TABLES_OF[job]
    }
    try:
        return gather(job, there, GatherRequest(MOST_ROWS, None if kept is None else kept.keep))
    finally:
        for rows in there.values():
            rows.frame.unpersist()


def part_of_all(job: str, tables: Tables) -> JobReport:
    """The part of a page as all rows give it."""
    wrong = wrong_system_queues(tables)
    shown = {name: [r for r in rows if is_shown(r, wrong)] for name, rows in tables.items()}
    return JobReport(job, shown, advised=shown, charts=charts_of(job, shown))


def page_of(*parts: JobReport) -> str:
    to_do = advice({name: rows for part in parts for name, rows in part.advised.items()})
    return "".join(page([listed(part, REQUEST) for part in parts], to_do, title="T", facts={}))


def test_a_queue_of_the_system_that_events_call_full_is_gathered(spark: SparkSession) -> None:
    rows: list[Record] = [
        {"qmgr": "QM1", "queue": name, "full_count": 1, "high_count": 0, "slow_count": 0}
        for name in ("ORDERS", STAGING_QUEUE)
    ]
    gathered = gathered_of(spark, "events", {"event_queues": rows})
    assert [row["queue"] for row in gathered.rows["event_queues"]] == ["ORDERS", STAGING_QUEUE]


@pytest.mark.parametrize("seed", drawn_seeds(amount(1, all=5)))
@pytest.mark.parametrize(
    ("managers", "queues", "hours"),
    [
        pytest.param(3, 2, 5, id="everything-is-shown"),
        pytest.param(MOST_PANELS + 8, MOST_LINES + 4, 3, id="panels-and-lines-are-left-out"),
    ],
)
def test_the_page_of_what_is_gathered_is_the_page_of_all_rows(
    spark: SparkSession, seed: int, managers: int, queues: int, hours: int
) -> None:
    tables = made_up(random.Random(seed), managers, queues, hours)
    cut, whole = [], []
    for job in ("depth", "delay"):
        of_job = {name: rows for name, rows in tables.items() if name in TABLES_OF[job]}
        gathered = gathered_of(spark, job, of_job)
        assert sum(len(gathered.rows[name]) for name in of_job if name in SERIES) <= (
            MOST_PANELS * MOST_LINES * hours
        )
        cut.append(
            JobReport(
                job, gathered.rows, gathered.counts, gathered.advised, charts=gathered.charts({})
            )
        )
        whole.append(part_of_all(job, of_job))
    assert page_of(*cut) == page_of(*whole)
    text = page_of(*cut)
    assert ('class="band"' in text) == (managers > MOST_PANELS)
    assert (f"one of the {MOST_PANELS} charts" in text) == (managers > MOST_PANELS)


def test_rows_that_are_not_held_are_the_same_rows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = made_up(random.Random(1), 3, 2, 4)
    del tables["delay_hours"]
    held = gathered_of(spark, "depth", tables)
    monkeypatch.setattr("mqtriage.pipeline.report.table_rows.MOST_HELD", 0)
    monkeypatch.setattr("mqtriage.pipeline.report.table_rows.ROWS_A_PART", 4)
    assert gathered_of(spark, "depth", tables) == held


def test_java_has_a_part_of_the_rows_at_once_however_few_bytes_they_take(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark makes one part of what has few bytes: four million rows at once filled Java's heap."""
    from mqtriage.pipeline.report.table_rows import in_order, rows_by_part

    rows = [(n % 7 if n % 10 else None, n) for n in random.Random(2).sample(range(200), 200)]
    parts: list[int] = []

    def counted(frame: DataFrame) -> Iterator[Row]:
        parts.extend(len(part) for part in frame.rdd.glom().collect())
        return rows_by_part(frame)

    monkeypatch.setitem(in_order.__globals__, "rows_by_part", counted)
    frame = spark.createDataFrame(rows, "a int, b int").repartition(1)
    records = list(in_order(frame, ("a", "b"), parts=8))
    assert [(row["a"], row["b"]) for row in records] == sorted(
        rows, key=lambda row: (row[0] is not None, row)
    )
    assert len(parts) == 8
    assert max(parts) < 60


def test_java_keeps_no_part_that_was_handed_over(spark: SparkSession) -> None:
    """It has a list of the jobs of each query, and each has its rows: a report's of a thousand."""
    from mqtriage.pipeline.report.table_rows import in_order

    def jobs_listed() -> int:
        scheduler: Any = spark.sparkContext._jsc.sc().dagScheduler()
        listing = scheduler.getClass().getDeclaredField("activeQueryToJobs")
        listing.setAccessible(True)
        return str(listing.get(scheduler).toString()).count("ActiveJob")

    before = jobs_listed()
    assert len(list(in_order(spark.range(1000), ("id",), parts=5))) == 1000
    assert jobs_listed() == before


def test_the_charts_of_the_day_are_those_of_all_rows(
    spark: SparkSession, day: Path, analyses: dict[str, Analysis]
) -> None:
    from mqtriage.pipeline.runner import JobRequest, run

    all_rows = run(spark, "depth", JobRequest((str(day),)), tuple(TABLES_OF["depth"]))
    whole = part_of_all("depth", all_rows.tables)
    gathered = analyses["depth"].gathered
    assert gathered is not None
    assert gathered.charts({}) == whole.charts
    assert gathered.rows["depth"] == whole.rows["depth"]


def test_a_table_that_is_only_drawn_is_ordered_by_chart_line_and_time() -> None:
    for job, plans in PLANS.items():
        assert len({plan.table for plan in plans}) == len(plans)
        for plan in plans:
            if plan.table in SERIES:
                assert TABLES_OF[job][plan.table].order == plan.keys


def test_the_page_of_a_queue_manager_has_its_rows_in_the_order_of_the_table(
    spark: SparkSession,
) -> None:
    tables = made_up(random.Random(2), 4, 2, 3)
    del tables["delay_hours"]
    whole = part_of_all("depth", tables)
    with closing(ManagerRows()) as kept:
        kept.keep("depth", "depth", tables["depth"][:5])  # of an attempt that broke
        gathered = gathered_of(spark, "depth", tables, kept)
        assert kept.names() == {f"QM{number:03}" for number in range(4)}
        part = JobReport("depth", gathered.rows, gathered.counts, gathered.advised)
        for name in file_names(kept.names()):
            (one,) = parts_of_one([part], kept.of(name), REQUEST)
            own = {n: [r for r in rows if r["qmgr"] == name] for n, rows in whole.rows.items()}
            assert one.rows == own


def test_rows_in_the_order_of_time_are_read_back_by_queue_manager() -> None:
    rows: list[Record] = [{"time": f"t{n}", "qmgr": f"QM{n % 3}"} for n in range(9)]
    rows.append({"time": "t9", "qmgr": None})
    with closing(ManagerRows()) as kept:
        kept.keep("definitions", "definitions", rows)
        kept.keep("events", "events", [])
        assert kept.names() == {"QM0", "QM1", "QM2"}
        assert kept.of("QM1") == {
            ("definitions", "definitions"): [row for row in rows if row["qmgr"] == "QM1"],
            ("events", "events"): [],
        }


def peak_bytes(spark: SparkSession, managers: int) -> int:
    """Of Python, while `depth` of so many queue managers is gathered and their pages are made."""
    from pyspark.sql import functions as F

    from mqtriage.pipeline.report.gathering import gather
    from mqtriage.pipeline.report.table_rows import TableRows

    number, hour = F.col("id"), F.col("hour")
    lines = spark.range(managers * 10).select(
        "id", F.format_string("QM%04d", F.floor(number / 10)).alias("qmgr"),
        F.format_string("Q%d", number % 10).alias("queue"),
    )  # fmt: skip
    wide = F.lit("5" * 800)  # Spark hands over rows of a megabyte or more at once
    hours = lines.withColumn("hour", F.explode(F.sequence(F.lit(0), F.lit(24)))).select(
        "qmgr", "queue", F.timestamp_seconds(1_767_571_200 + 3600 * hour).alias("hour_time"),
        (number * 31 % 97 + hour).alias("curdepth"), wide.alias("maxdepth"),
    )  # fmt: skip
    depth = lines.select("qmgr", "queue", F.lit(1).alias("curdepth"), F.lit(5000).alias("maxdepth"))
    frames = {"depth": depth.persist(), "depth_hours": hours.persist()}
    of_job = TABLES_OF["depth"]
    there = {name: TableRows(frame, of_job[name]) for name, frame in frames.items()}
    tracemalloc.start()
    try:
        with closing(ManagerRows()) as kept:
            gathered = gather("depth", there, GatherRequest(20, kept.keep))
            part = JobReport("depth", gathered.rows, charts=gathered.charts({}))
            for name in kept.names():
                ones = parts_of_one([part], kept.of(name), REQUEST)
                "".join(page(ones, [], title=name, facts={}))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        for frame in frames.values():
            frame.unpersist()


def test_memory_does_not_grow_with_the_rows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtriage.pipeline.report.table_rows.MOST_HELD", 100)
    few, many = (peak_bytes(spark, managers) for managers in (20, 100))
    assert many <= 1.5 * few, (few, many)
