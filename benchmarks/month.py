"""`mqtriage analyze` over a month of up to a thousand queue managers, on two cores with 2 GB.

    python -m benchmarks.month [QUEUE_MANAGERS]...        default 10, 100 and 1,000
    python -m benchmarks.month --make [QUEUE_MANAGERS]... only make the snapshots
    python -m benchmarks.month --job JOB ...              only this job, or the report of all

Each queue manager has 4,320 looks, ten minutes apart, at ten queues: incremental snapshots as
`snapshot compact` leaves them. Two of the queues hold a message at each look, one of them staged,
which stays for two looks: 8,640 rows of messages. They are made by Spark and not by simulation,
once, below --folder. Ends with 1 where ten times as many queue managers take a job more than
twelve times the processor time, or its processes more than 4 GiB together.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Final

from benchmarks.process import Run, run_tree

MANAGERS: Final = (10, 100, 1000)
JOBS: Final = ("profile", "delay", "depth", "expiry", "causes", "cohort", "definitions")
REPORT: Final = "report"
"""All jobs in one session, and a page of each queue manager."""
MASTER, MEMORY = "local[2]", "2g"
MOST_GROWTH, MOST_GIB = 12.0, 4.0
"""For ten times as many queue managers; of all processes of a command, Spark's heap among them."""

MAKE: Final = """
import sys
from pyspark.sql import functions as F
from mqtriage.pipeline.session import SparkSettings, spark_session
managers, out = int(sys.argv[1]), sys.argv[2]
LOOKS, A_DAY = 30 * 144, 144
with spark_session(SparkSettings("local[2]", memory="3g")) as spark:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    look, number = F.col("look"), F.col("number")
    moment = F.timestamp_seconds(F.lit(1767225600) + 600 * look)
    looks = spark.range(managers * LOOKS).select(
        F.floor(F.col("id") / LOOKS).alias("number"), (F.col("id") % LOOKS).alias("look")
    ).select(
        "*", F.format_string("QM%04d", number).alias("qmgr"),
        F.format_string("%08d", look).alias("snapshot_id"), moment.alias("snap_time"),
        F.to_date(moment).alias("snap_date"), (look % A_DAY == 0).alias("whole"),
    )
    key = ["snapshot_id", "snap_time", "qmgr", "snap_date"]

    def write(frame, table):
        ordered = frame.repartition("snap_date")
        ordered = ordered.sortWithinPartitions("snap_date", "qmgr", "snap_time")
        ordered.write.partitionBy("snap_date").parquet(f"{out}/compacted/{table}")

    write(looks.select(
        *key, F.lit(1).alias("schema_version"), F.col("qmgr").alias("queue_manager"),
        F.lit("mq").alias("backend"), F.col("snap_time").alias("host_time"),
        F.when(F.col("whole"), "full").otherwise("incremental").alias("mode"),
        F.when(look > 0, F.format_string("%08d", look - 1)).alias("base_snapshot_id"),
        F.lit("none").alias("body"), F.lit(10).alias("queue_count"),
        F.lit(2).cast("long").alias("message_count"), F.lit(0).alias("problem_count"),
        F.when(look == 0, 2).when(look % 2 == 0, 4).otherwise(0).cast("long").alias("message_rows"),
    ), "snapshots")

    kind, message = F.col("kind"), F.col("message")
    name = F.concat_ws(".", "qmgr", "kind", "message")
    staged, gone = kind == 0, F.col("seen") == "gone"
    put = F.timestamp_seconds(F.lit(1767225600) + 1200 * message - 60 - message * 7919 % 500)
    there = lambda column: F.when(~gone, column)
    write(looks.filter(look % 2 == 0).select(
        *key, "number", "look",
        F.explode(F.array(F.lit(0), F.lit(1))).alias("kind"),
        F.array(
            F.struct((look / 2).cast("long").alias("message"), F.lit("new").alias("seen")),
            F.struct((look / 2 - 1).cast("long").alias("message"), F.lit("gone").alias("seen")),
        ).alias("both"),
    ).select("*", F.explode("both").alias("one")).select("*", "one.*").filter(message >= 0).select(
        *key, "seen",
        F.when(staged, "SYSTEM.DDELAY.LOCAL.QUEUE")
        .otherwise(F.format_string("APP.%d", message % 9)).alias("queue"),
        F.md5(name.cast("binary")).alias("message_key"),
        F.upper(F.substring(F.sha2(name, 256), 1, 48)).alias("msg_id"),
        F.repeat(F.lit("0"), 48).alias("correl_id"), put.alias("put_time"),
        there(F.col("snap_time")).alias("first_seen_time"),
        there(F.element_at(F.array(F.lit("MQSTR"), F.lit("MQHRF2")), (message % 2 + 1).cast("int")))
        .alias("format"),
        there(F.format_string("app%d", message % 7)).alias("put_appl_name"),
        there(F.when(staged, 0).otherwise(message % 5)).cast("int").alias("backout_count"),
        there(message * 31 % 20000).alias("length_bytes"),
        there(F.when(~staged & (message % 3 == 0), put + F.expr("INTERVAL 15 MINUTES")))
        .alias("expiry_time"),
        there(F.when(staged, put + F.expr("INTERVAL 18 MINUTES"))).alias("due_time"),
        there(F.when(staged, 1080000)).cast("long").alias("delay_ms"),
        there(F.when(staged, "APP.1")).alias("target"),
    ), "messages")

    queue = F.col("at")
    write(looks.select(
        *key, "look", F.explode(F.sequence(F.lit(0), F.lit(9))).alias("at")
    ).select(
        *key, F.when(queue == 9, "SYSTEM.DDELAY.LOCAL.QUEUE")
        .otherwise(F.format_string("APP.%d", queue)).alias("queue"),
        F.when((queue == 9) | (queue == F.floor(look / 2) % 9), 1).otherwise(0).cast("long")
        .alias("curdepth"),
        F.lit(5000).cast("long").alias("maxdepth"),
        F.lit(4194304).cast("long").alias("maxmsgl_bytes"),
        F.when(queue < 9, 3).otherwise(0).alias("bothresh"),
        F.when(queue < 8, "APP.8").otherwise("").alias("boqname"), F.lit(True).alias("browsed"),
        F.lit(1).cast("long").alias("message_count"),
    ), "queues")

    write(looks.select(
        *key, F.lit("UNIX").alias("platform"), F.lit("SYSTEM.DEAD.LETTER.QUEUE").alias("deadq"),
        F.lit(1).cast("long").alias("staged_count"),
    ), "queue_managers")

    attributes = F.format_string('{"BOTHRESH": %d, "MAXDEPTH": 5000}', F.floor(look / 1440))
    write(looks.filter(F.col("whole")).select(
        *key, "look", F.explode(F.sequence(F.lit(0), F.lit(8))).alias("at")
    ).select(
        *key, F.lit("present").alias("seen"), F.lit("QLOCAL").alias("kind"),
        F.format_string("APP.%d", queue).alias("name"), attributes.alias("attributes"),
        F.sha2(attributes, 256).alias("digest"),
    ), "definitions")
"""


def made(folder: Path, managers: int) -> Path:
    """The month of so many queue managers, made once; whole or not there."""
    out = folder / str(managers)
    if out.exists():
        return out
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        new = Path(scratch, "made")
        subprocess.run([sys.executable, "-c", MAKE, str(managers), str(new)], check=True)
        for day in new.glob("compacted/*/snap_date=*"):
            for number, file in enumerate(sorted(day.glob("*.parquet")), 1):
                file.rename(day / f"all-{number:04d}.v1.parquet")
        for rest in (*new.rglob(".*.crc"), *new.rglob("_SUCCESS")):
            rest.unlink()
        new.rename(out)
    return out


def measured(folder: Path, job: str) -> Run:
    """A job as a user runs it, by itself."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        words = ["--html", f"{scratch}/pages/"] if job == REPORT else ["--limit", "1000"]
        return run_tree(
            [sys.executable, "-m", "mqtriage", "analyze", job, str(folder), "-o", "json",
             "--master", MASTER, "--memory", MEMORY, *words],
        )  # fmt: skip


def main() -> int:
    """Make, measure, print a line a job; 1 when one grows too quickly."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.month")
    asked.add_argument("managers", type=int, nargs="*")
    asked.add_argument("--folder", default=f"{tempfile.gettempdir()}/mqtriage-bench-month")
    asked.add_argument("--make", action="store_true")
    asked.add_argument("--job", action="append", choices=(*JOBS, REPORT))
    given = asked.parse_args()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    months = {managers: made(folder, managers) for managers in given.managers or MANAGERS}
    if given.make:
        return 0
    heads = [f"{managers:,} queue managers" for managers in months]
    print(f"| job: wall time, processor time, memory | {' | '.join(heads)} |")
    print(f"|---|{'---:|' * len(heads)}")
    holds = True
    for job in given.job or (*JOBS, REPORT):
        runs = {managers: measured(month, job) for managers, month in months.items()}
        cells = (
            f"{run.seconds:.0f} s, {run.processor_s:.0f} s, {run.peak_kib / 2**20:.1f} GiB"
            for run in runs.values()
        )
        print(f"| {job} | {' | '.join(cells)} |", flush=True)
        holds &= all(run.peak_kib / 2**20 <= MOST_GIB for run in runs.values())
        for (less, few), (more, many) in pairwise(runs.items()):
            holds &= many.processor_s <= few.processor_s * MOST_GROWTH * more / less / 10
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
