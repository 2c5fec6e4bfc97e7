"""What Spark does for a job: how often it reads and sends messages, and by which keys.

Nine of ten messages are of one queue manager, as where one carries the estate.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mqtriage.model.analysis_tables import OF_LOGS, TABLES_OF
from mqtriage.mq.delay import STAGING_QUEUE
from tests.pipeline.histories import Stay, rows_of
from tests.pipeline.rows import MINUTE, START_US

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOBS = sorted(set(TABLES_OF) - OF_LOGS)
LARGE, SMALL = 900, 25
"""Messages of the one queue manager, and of each of the four others."""
STAGED = 5
"""One of so many is staged."""


@pytest.fixture(scope="module")
def skewed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Snapshots of five queue managers, written as another Spark job writes them."""
    root = tmp_path_factory.mktemp("skewed")
    dice = random.Random(19)
    stays = []
    for number in range(LARGE + 4 * SMALL):
        qmgr = "BIG" if number < LARGE else f"QM{number % 4}"
        put = dice.randrange(0, 110 * MINUTE)
        facts: dict[str, Any] = {
            "format": dice.choice(["MQSTR", "MQHRF2"]),
            "put_appl_name": dice.choice(["web", "batch"]),
            "expiry_time": START_US + put + 50 * MINUTE if number % 3 else None,
        }
        queue = f"Q{dice.randrange(10)}"
        if number % STAGED == 0:
            queue, delay = STAGING_QUEUE, dice.randrange(5, 30) * MINUTE
            facts |= {"due_time": START_US + put + delay, "delay_ms": delay // 1000, "target": "Q1"}
        backouts = [(put + 5 * MINUTE, 1)] if number % 4 == 0 else []
        gone = put + dice.randrange(10, 40) * MINUTE
        stays.append(Stay(qmgr, queue, f"{number:048}", put, gone, facts, backouts))
    queues = {
        (qmgr, f"Q{queue}"): {"maxdepth": 5000, "boqname": "Q9" if queue < 5 else ""}
        for qmgr in ("BIG", "QM0", "QM1", "QM2", "QM3")
        for queue in range(10)
    }
    times = [n * 10 * MINUTE for n in range(13)]
    for name, frame in rows_of(stays, times, queues).frames(spark).items():
        frame.write.partitionBy("qmgr", "snap_date").parquet(str(root / name))
    return root


class Read(NamedTuple):
    """A scan of a plan that was run: the table, and how many rows it gave."""

    number: int
    table: str
    rows: int


def scans(plan: Any) -> Iterator[Read]:
    """Those of a physical plan that was run, and of what it keeps."""
    if plan.nodeName().startswith("Scan parquet"):
        path = plan.relation().location().rootPaths().apply(0).getName()
        yield Read(plan.id(), path, plan.metrics().apply("numOutputRows").value())
    if plan.nodeName().startswith("InMemoryTableScan"):
        yield from scans(plan.relation().cachedPlan())
    children = plan.children()
    for number in range(children.size()):
        yield from scans(children.apply(number))


class Sent(NamedTuple):
    """An exchange of a plan that was run: by which columns, in how many parts, and its rows."""

    keys: frozenset[str]
    how: str
    rows: int


def exchanges(plan: Any) -> Iterator[Sent]:
    """Those of a physical plan that was run, and of what it keeps."""
    if plan.nodeName() == "Exchange":
        how = plan.outputPartitioning().toString()
        rows = plan.metrics().apply("shuffleRecordsWritten").value()
        yield Sent(frozenset(re.findall(r"(\w+)#\d+", how)), how, rows)
    if plan.nodeName().startswith("InMemoryTableScan"):
        yield from exchanges(plan.relation().cachedPlan())
    children = plan.children()
    for number in range(children.size()):
        yield from exchanges(children.apply(number))


MOST_SENT = {"causes": 2, "cohort": 2, "expiry": 1, "profile": 1}
"""How often a job sends all its messages from task to task; others never."""
WITHOUT_MESSAGES = {"depth", "definitions"}
"""Jobs that do not read the messages; the others read them once."""


@pytest.mark.parametrize("job", JOBS)
def test_messages_are_read_once_sent_few_times_and_never_by_their_queue_manager(
    spark: SparkSession, skewed: Path, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one task would have nine of ten."""
    from mqtriage.pipeline.jobs import JOBS as MAKE
    from mqtriage.pipeline.jobs import Inputs, Options
    from mqtriage.pipeline.reading import Reader

    monkeypatch.setitem(Reader.table.__globals__, "ONE_TASK_BYTES", 0)
    spark.conf.set("spark.sql.shuffle.partitions", "4")
    inputs = Inputs(Reader(spark, (str(skewed),)), Options())
    sent: set[Sent] = set()
    read: set[Read] = set()
    rows = 0
    try:
        for frame in MAKE[job](inputs).values():
            rows += len(frame.collect())
            plan = frame._jdf.queryExecution().executedPlan()
            sent |= {*exchanges(plan)}
            read |= {*scans(plan)}
    finally:
        inputs.release()
        spark.conf.set("spark.sql.shuffle.partitions", "1")
    assert rows or job == "definitions"
    of_messages = [one for one in sent if one.rows >= LARGE]
    assert len(of_messages) <= MOST_SENT.get(job, 0), of_messages
    alone = [one for one in sent if one.keys <= {"qmgr", "snap_date"} and "hash" in one.how]
    assert [one for one in alone if one.rows >= LARGE // STAGED] == []
    to_one = [one for one in sent if "SinglePartition" in one.how]
    assert [one for one in to_one if one.rows >= LARGE // STAGED] == []
    of_files = [one for one in read if one.table == "messages"]
    assert len(of_files) == (job not in WITHOUT_MESSAGES), of_files
