"""`mqtriage analyze` on millions of rows, beside a plain Spark job and DuckDB on the same files.

    python -m benchmarks.pipeline [ROWS] [FOLDER]      default: 5000000, a temporary folder

The plain job reads the same columns and works out the same numbers, without checks of the rows,
counts of what is rejected, or lives that leave early. Both are whole processes on local[2] with
3 GB, in turn. DuckDB, where it is installed, does the profile in SQL; its time is printed beside.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.measure import Figure
from benchmarks.process import Run, run

MASTER: Final = "local[2]"
MEMORY: Final = "3g"
MANAGERS, QUEUES, SEEN = 20, 50, 5
SETTINGS: Final = """
from mqtriage.pipeline.session import SparkSettings, spark_session
settings = SparkSettings({master!r}, memory={memory!r})
"""

MAKE: Final = (
    SETTINGS
    + """
import sys
from pyspark.sql import functions as F
rows, out = int(sys.argv[1]), sys.argv[2]
with spark_session(settings) as spark:
    n = F.col("life")
    put = F.lit(1767571200) + (n * 7919 % 1600) * 100
    base = (
        spark.range(rows // {seen}).withColumnRenamed("id", "life")
        .select("*", F.explode(F.sequence(F.lit(0), F.lit({seen} - 1))).alias("seen_at"))
    )
    snap = F.floor(put / 10000) * 10000 + 10000 * (F.col("seen_at") + 1)
    staged = n % 5 == 0
    qmgr = F.format_string("QM%02d", n % {managers})
    made = base.select(
        F.format_string("%012d", snap).alias("snapshot_id"),
        F.timestamp_seconds(snap).alias("snap_time"),
        F.lit("present").alias("seen"),
        F.when(staged, "SYSTEM.DDELAY.LOCAL.QUEUE")
        .otherwise(F.format_string("APP.%02d", n % {queues})).alias("queue"),
        F.format_string("%032d", n).alias("message_key"),
        F.timestamp_seconds(F.floor(put / 10000) * 10000).alias("first_seen_time"),
        F.format_string("%048d", n).alias("msg_id"),
        F.repeat(F.lit("0"), 48).alias("correl_id"),
        F.timestamp_seconds(put).alias("put_time"),
        F.element_at(F.array(F.lit("MQSTR"), F.lit("MQHRF2"), F.lit("")), (n % 3 + 1).cast("int"))
        .alias("format"),
        F.format_string("app%d", n % 7).alias("put_appl_name"),
        (n % 5).cast("int").alias("backout_count"),
        (n * 31 % 20000).alias("length_bytes"),
        F.when(staged, F.timestamp_seconds(put + 60000)).alias("due_time"),
        F.when(staged, F.lit(60000000)).cast("long").alias("delay_ms"),
        F.when(staged, "APP.01").alias("target"),
        qmgr.alias("qmgr"),
        F.to_date(F.timestamp_seconds(snap)).alias("snap_date"),
    ).persist()
    at = ["qmgr", "snap_date", "snapshot_id", "snap_time"]
    made.repartition("qmgr").write.partitionBy("qmgr", "snap_date").parquet(out + "/messages")
    counted = made.groupBy(*at).agg(F.count("*").alias("message_rows"))
    snapshots = counted.select(
        "*", F.col("snap_time").alias("host_time"), F.lit("full").alias("mode"),
        F.lit(1).alias("schema_version"), F.col("qmgr").alias("queue_manager"),
        F.lit("emulator").alias("backend"), F.lit("none").alias("body"),
        F.lit(1).alias("queue_count"), F.col("message_rows").alias("message_count"),
        F.lit(0).alias("problem_count"))
    snapshots.coalesce(1).write.partitionBy("qmgr", "snap_date").parquet(out + "/snapshots")
    queues = made.groupBy(*at, "queue").agg(F.count("*").alias("curdepth")).select(
        "*", F.lit(999999).cast("long").alias("maxdepth"), F.col("curdepth").alias("message_count"),
        F.lit(4194304).cast("long").alias("maxmsgl_bytes"), F.lit(True).alias("browsed"))
    queues.coalesce(1).write.partitionBy("qmgr", "snap_date").parquet(out + "/queues")
"""
).format(master=MASTER, memory=MEMORY, seen=SEEN, managers=MANAGERS, queues=QUEUES)

PLAIN: Final = (
    SETTINGS
    + """
import sys
with spark_session(settings) as spark:
    spark.read.parquet(sys.argv[1] + "/messages").createOrReplaceTempView("m")
    rows = spark.sql('''
      SELECT qmgr, queue, snap_date, format, put_appl_name, count(*), sum(length),
             percentile_approx(length, array(0.5, 0.95), 10000), max(length),
             percentile_approx(age, array(0.5, 0.95), 10000), max(age), count_if(backout > 0)
      FROM (SELECT qmgr, queue, message_key, snap_date, format, put_appl_name,
                   max(length_bytes) length, max(backout_count) backout,
                   max(unix_micros(snap_time) - unix_micros(put_time)) age
            FROM m GROUP BY 1, 2, 3, 4, 5, 6)
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5''').collect()
    print(len(rows))
    spark.sql('''
      SELECT qmgr, message_key, min(snap_time) first, max(snap_time) last, max(put_time) put,
             max(due_time) due, max(length_bytes) length, max(delay_ms) delay, max(target) target
      FROM m WHERE queue = 'SYSTEM.DDELAY.LOCAL.QUEUE' GROUP BY 1, 2'''
    ).persist().createOrReplaceTempView("lives")
    spark.sql('''
      SELECT qmgr, minute, max(running) peak FROM (
        SELECT qmgr, date_trunc('minute', at) minute,
               sum(n) OVER (PARTITION BY qmgr ORDER BY at) running FROM (
          SELECT qmgr, put at, 1 n FROM lives UNION ALL SELECT qmgr, due, -1 FROM lives))
      GROUP BY 1, 2''').createOrReplaceTempView("load")
    print(spark.sql('''
      SELECT qmgr, max(peak), percentile(peak, 0.99) FROM load GROUP BY 1''').collect())
    print(spark.sql('''
      SELECT qmgr, count(*), max(length), percentile_approx(delay, 0.95), max(delay),
             max_by(target, delay)
      FROM lives GROUP BY 1''').collect())
"""
).format(master=MASTER, memory=MEMORY)

DUCKDB: Final = """
import sys, duckdb
print(len(duckdb.sql(f'''
  SELECT qmgr, queue, snap_date, format, put_appl_name, count(*), sum(length),
         quantile_disc(length, [0.5, 0.95]), max(length), quantile_disc(age, [0.5, 0.95]), max(age)
  FROM (SELECT qmgr, queue, message_key, snap_date, format, put_appl_name,
               max(length_bytes) length, max(epoch_us(snap_time) - epoch_us(put_time)) age
        FROM read_parquet('{sys.argv[1]}/messages/**/*.parquet', hive_partitioning=true)
        GROUP BY 1, 2, 3, 4, 5, 6)
  GROUP BY 1, 2, 3, 4, 5''').fetchall()))
"""


def python(code: str, *args: str) -> Run:
    """Run *code* in a process of its own."""
    return run([sys.executable, "-c", code, *args])


def ours(folder: str) -> float:
    """Seconds of profile and delay as a user runs them, two processes."""
    common = (folder, "--master", MASTER, "--memory", MEMORY, "-o", "json")
    return sum(
        run([sys.executable, "-m", "mqtriage", "analyze", job, *common]).seconds
        for job in ("profile", "delay")
    )


def made(folder: Path, rows: int) -> str:
    """The set of *rows*, made once."""
    out = folder / str(rows)
    if not out.exists():
        began = time.perf_counter()
        python(MAKE, str(rows), str(out))
        print(f"made {rows} rows in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return str(out)


def figures(folder: Path, rows: int) -> list[Figure]:
    """Ours against the plain job, and the growth from a fifth of the rows."""
    large, small = made(folder, rows), made(folder, rows // 5)
    plain = python(PLAIN, large).seconds
    mine = ours(large)
    less = ours(small)
    detail = f"{mine:.0f} s against {plain:.0f} s"
    try:
        detail += f"; DuckDB, the profile alone: {python(DUCKDB, large).seconds:.1f} s"
    except (RuntimeError, subprocess.SubprocessError):
        detail += "; DuckDB is not installed"
    return [
        Figure(
            f"analyze profile + delay, {rows:,} rows / a plain Spark job",
            mine / plain, 1.5, False, detail,
        ),
        Figure(
            f"analyze profile + delay, {rows:,} rows / {rows // 5:,} rows",
            mine / less, 5, False, f"{mine:.0f} s against {less:.0f} s",
        ),
    ]  # fmt: skip


def main(argv: list[str]) -> int:
    """Print the figures; 1 when one does not hold."""
    rows = int(argv[0]) if argv else 5_000_000
    with tempfile.TemporaryDirectory() as scratch:
        found = figures(Path(argv[1]) if len(argv) > 1 else Path(scratch), rows)
    for figure in found:
        print(figure.line())
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
