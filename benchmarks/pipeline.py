"""`mqtriage analyze` on millions of rows, beside a plain Spark job and DuckDB on the same files.

    python -m benchmarks.pipeline [ROWS]...          make, measure, show; default 1 and 5 million
    python -m benchmarks.pipeline --make [ROWS]...   only make the rows, which is not measured
    python -m benchmarks.pipeline --only report ROWS one contestant, for the growth with the rows
    python -m benchmarks.pipeline --like-for-like ROWS  one session each, of the same settings
    python -m benchmarks.pipeline --show             what was measured since the rows were made

The rows and the figures are kept in --folder (below the folder for temporary files), so that a
measurement can be had in parts: each call adds a round.

The plain job reads the same columns and works out the same numbers, without checks of the rows,
counts of what is rejected, or lives that leave early; one process does both jobs. Ours are two
commands, each with a Spark of its own or both with one that a command before them kept, and the one
that runs both (`analyze report --only profile --only delay`) and writes a page with charts as well.
All are on local[2] with 3 GB of heap, in turn; Java's own settings are those that `analyze` chooses
for as much as there is to read, and Java's own for the plain job. What is left when neither that
nor a second start differs is asked for by --like-for-like: our two jobs in one session, the plain
job in one that is set up as ours. DuckDB, where it is installed (the project does not ask for it),
is printed beside them: it runs the same SQL.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Final

from benchmarks.measure import Figure
from benchmarks.process import Run, run_tree

MASTER: Final = "local[2]"
MEMORY: Final = "3g"
MANAGERS, QUEUES, SEEN = 20, 50, 5
ESTATE: Final = 5_000_000
"""Rows of `MANAGERS` queue managers; more rows are more queue managers with the same files."""
MILLIONS: Final = (1_000_000, 5_000_000)
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
    put_us = put * 1000000 + n * 104729 % 100000000
    base = (
        spark.range(rows // {seen}).withColumnRenamed("id", "life")
        .select("*", F.explode(F.sequence(F.lit(0), F.lit({seen} - 1))).alias("seen_at"))
    )
    snap = F.floor(put / 10000) * 10000 + 10000 * (F.col("seen_at") + 1)
    staged = n % 5 == 0
    # not n % {managers} alone: every staged message would be on a fourth of them
    qmgr = F.format_string("QM%02d", F.floor(n / 5) % {managers})
    made = base.select(
        F.format_string("%012d", snap).alias("snapshot_id"),
        F.timestamp_seconds(snap).alias("snap_time"),
        F.lit("present").alias("seen"),
        F.when(staged, "SYSTEM.DDELAY.LOCAL.QUEUE")
        .otherwise(F.format_string("APP.%02d", n % {queues})).alias("queue"),
        F.substring(F.sha2(n.cast("string"), 256), 1, 32).alias("message_key"),
        F.timestamp_seconds(F.floor(put / 10000) * 10000 + 10000).alias("first_seen_time"),
        F.upper(F.substring(F.sha2(n.cast("string"), 256), 1, 48)).alias("msg_id"),
        F.repeat(F.lit("0"), 48).alias("correl_id"),
        F.timestamp_micros(put_us).alias("put_time"),
        F.element_at(F.array(F.lit("MQSTR"), F.lit("MQHRF2"), F.lit("")), (n % 3 + 1).cast("int"))
        .alias("format"),
        F.format_string("app%d", n % 7).alias("put_appl_name"),
        (n % 5).cast("int").alias("backout_count"),
        (n * 31 % 20000).alias("length_bytes"),
        F.when(staged, F.timestamp_micros(put_us + 60000000000)).alias("due_time"),
        F.when(staged, F.lit(60000000)).cast("long").alias("delay_ms"),
        F.when(staged, "APP.01").alias("target"),
        qmgr.alias("qmgr"),
        F.to_date(F.timestamp_seconds(snap)).alias("snap_date"),
    )
    made.repartition("qmgr").write.partitionBy("qmgr", "snap_date").parquet(out + "/messages")
    made = spark.read.parquet(out + "/messages")
    at = ["qmgr", "snap_date", "snapshot_id", "snap_time"]
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

PROFILE: Final = """
  SELECT qmgr, queue, snap_date, format, put_appl_name, count(*), sum(length), {length},
         max(length), {age}, max(age), count_if(backout > 0)
  FROM (SELECT qmgr, queue, message_key, snap_date, format, put_appl_name,
               max(length_bytes) length, max(backout_count) backout,
               max({micros}(snap_time) - {micros}(put_time)) age
        FROM m GROUP BY 1, 2, 3, 4, 5, 6)
  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"""
LIVES: Final = """
  SELECT qmgr, message_key, min(snap_time) first_seen, max(snap_time) last_seen,
         max(put_time) put, max(due_time) due, max(length_bytes) length, max(delay_ms) delay,
         max(target) target
  FROM m WHERE queue = 'SYSTEM.DDELAY.LOCAL.QUEUE' GROUP BY 1, 2"""
LOAD: Final = """
  SELECT qmgr, of_minute, max(running) peak FROM (
    SELECT qmgr, date_trunc('minute', moment) of_minute,
           sum(n) OVER (PARTITION BY qmgr ORDER BY moment) running FROM (
      SELECT qmgr, put moment, 1 n FROM lives UNION ALL SELECT qmgr, due, -1 FROM lives))
  GROUP BY 1, 2"""
PEAKS: Final = "SELECT qmgr, max(peak), {level} FROM load GROUP BY 1"
DELAYS: Final = """
  SELECT qmgr, count(*), max(length), {delay}, max(delay), max_by(target, delay)
  FROM lives GROUP BY 1"""
"""What both yardsticks run; they spell percentiles and microseconds each in its own way."""

_SPARK: Final = {
    "length": "percentile_approx(length, array(0.5, 0.95), 10000)",
    "age": "percentile_approx(age, array(0.5, 0.95), 10000)",
    "micros": "unix_micros",
    "level": "percentile(peak, 0.99)",
    "delay": "percentile_approx(delay, 0.95, 10000)",
}
_DUCK: Final = {
    "length": "quantile_disc(length, [0.5, 0.95])",
    "age": "quantile_disc(age, [0.5, 0.95])",
    "micros": "epoch_us",
    "level": "quantile_disc(peak, 0.99)",
    "delay": "quantile_disc(delay, 0.95)",
}

AS_ANALYZE: Final = SETTINGS.format(master=MASTER, memory=MEMORY) + "import sys\n"
TOGETHER: Final = (
    AS_ANALYZE
    + """
from mqtriage.pipeline.runner import JobRequest, run
with spark_session(settings) as spark:
    for job in ("profile", "delay"):
        print(run(spark, job, JobRequest((sys.argv[1],))).tables)
"""
)

_PLAINLY: Final = f"""
import sys
with spark_session(settings) as spark:
    spark.read.parquet(sys.argv[1] + "/messages").createOrReplaceTempView("m")
    print(len(spark.sql('''{PROFILE.format(**_SPARK)}''').collect()))
    spark.sql('''{LIVES}''').persist().createOrReplaceTempView("lives")
    spark.sql('''{LOAD}''').createOrReplaceTempView("load")
    print(spark.sql('''{PEAKS.format(**_SPARK)}''').collect())
    print(spark.sql('''{DELAYS.format(**_SPARK)}''').collect())
"""
AS_ANYBODY: Final = f"""
from contextlib import contextmanager
from pyspark.sql import SparkSession
@contextmanager
def spark_session(settings):
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
settings = {{
    "spark.master": "{MASTER}", "spark.driver.memory": "{MEMORY}", "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR", "spark.sql.shuffle.partitions": "16",
    "spark.sql.files.openCostInBytes": "65536",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}}
"""
"""Java as it is, and what of Spark's settings suits one small machine whatever is asked of it."""
PLAIN: Final = AS_ANYBODY + _PLAINLY
ALIKE: Final = AS_ANALYZE + _PLAINLY

DUCKDB: Final = f"""
import sys, duckdb
duckdb.sql("SET threads = 2; SET memory_limit = '3GB'; SET preserve_insertion_order = false")
read = "read_parquet('" + sys.argv[1] + "/messages/**/*.parquet', hive_partitioning=true)"
duckdb.sql("CREATE VIEW m AS SELECT * FROM " + read)
print(len(duckdb.sql('''{PROFILE.format(**_DUCK)}''').fetchall()))
duckdb.sql('''CREATE TEMP TABLE lives AS {LIVES}''')
duckdb.sql('''CREATE VIEW load AS {LOAD}''')
print(duckdb.sql('''{PEAKS.format(**_DUCK)}''').fetchall())
print(duckdb.sql('''{DELAYS.format(**_DUCK)}''').fetchall())
"""


def python(code: str, *args: str) -> Run:
    """Run *code* in a process of its own."""
    return run_tree([sys.executable, "-c", code, *args])


def ours(folder: str) -> Run:
    """Profile and delay as a user runs them, two processes: seconds of both, the higher peak."""
    common = (folder, "--master", MASTER, "--memory", MEMORY, "-o", "json")
    jobs = [
        run_tree([sys.executable, "-m", "mqtriage", "analyze", job, *common])
        for job in ("profile", "delay")
    ]
    return Run(sum(job.seconds for job in jobs), max(job.peak_kib for job in jobs))


def report(folder: str) -> Run:
    """Profile and delay in one command, with a page of their tables and charts."""
    with tempfile.TemporaryDirectory() as scratch:
        jobs = ("--only", "profile", "--only", "delay", "--html", f"{scratch}/page.html")
        common = (folder, "--master", MASTER, "--memory", MEMORY)
        return run_tree([sys.executable, "-m", "mqtriage", "analyze", "report", *common, *jobs])


CONTESTANTS: Final[dict[str, Callable[[str], Run]]] = {
    "ours": ours,
    "report": report,
    "plain": lambda folder: python(PLAIN, folder),
    "together": lambda folder: python(TOGETHER, folder),
    "alike": lambda folder: python(ALIKE, folder),
    "duckdb": lambda folder: python(DUCKDB, folder),
}

COMMANDS: Final = {
    "ours": ("analyze profile + delay", 1.5),
    "report": ("analyze report of profile + delay", 1.5),
}
"""What is held to bounds against the plain job's time: two commands, and one for both jobs."""


def made(folder: Path, rows: int) -> Path:
    """The set of *rows*, made once; whole or not there."""
    out = folder / str(rows)
    if out.exists():
        return out
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        new = Path(scratch, "made")
        if rows <= ESTATE:
            python(MAKE, str(rows), str(new))
        else:
            estates, rest = divmod(rows, ESTATE)
            if rest:
                raise SystemExit(f"{rows:,} rows: above {ESTATE:,} a multiple of it is expected")
            repeated(made(folder, ESTATE), new, estates)
        new.rename(out)
    print(f"made {rows:,} rows in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return out


def repeated(estate: Path, out: Path, times: int) -> None:
    """*times* as many queue managers as *estate* has, their files links to the same data."""
    for file in estate.glob("*/qmgr=*/*/*.parquet"):
        table, qmgr, *rest = file.relative_to(estate).parts
        for number in range(times):
            name = f"qmgr=QM{int(qmgr.removeprefix('qmgr=QM')) + number * MANAGERS:02}"
            link = out.joinpath(table, name, *rest)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.hardlink_to(file)


def measure(folder: Path, rows: int, names: list[str]) -> None:
    """One round of the contestants, who take turns in going first; added to what is known."""
    where = str(made(folder, rows))
    before = len(rounds(folder).get(rows, []))
    found = {}
    for name in names if before % 2 == 0 else reversed(names):
        one = CONTESTANTS[name](where)
        found[name] = [one.seconds, one.peak_kib]
        text = f"{rows:,} rows, {name}: {one.seconds:.1f} s, {one.peak_kib / 2**20:.2f} GiB"
        print(text, file=sys.stderr, flush=True)
    with (folder / f"{rows}.rounds").open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


def rounds(folder: Path) -> dict[int, list[dict[str, Run]]]:
    """Rows to the rounds that were measured."""
    return {
        int(path.stem): [
            {name: Run(*figures) for name, figures in json.loads(line).items()}
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in folder.glob("*.rounds")
    }


def figures(found: dict[int, list[dict[str, Run]]]) -> Iterator[Figure]:
    """Time and memory against the plain job, and the growth from one number of rows to the next."""
    for (rows, runs), (name, (text, bound)) in product(sorted(found.items()), COMMANDS.items()):
        both = [one for one in runs if {name, "plain"} <= one.keys()]
        if not both:
            continue
        duck = [one["duckdb"].seconds for one in runs if "duckdb" in one]
        beside = f"; DuckDB {spread(duck)} s" if duck else "; DuckDB is not installed"
        yield Figure(
            f"{text}, {rows:,} rows / a plain Spark job, time",
            [one[name].seconds / one["plain"].seconds for one in both],
            bound, False, _seconds(both, name) + " against " + _seconds(both, "plain") + beside,
        )  # fmt: skip
        yield Figure(
            f"{text}, {rows:,} rows / a plain Spark job, peak memory",
            [one[name].peak_kib / one["plain"].peak_kib for one in both],
            1.0, False, _memory(both, name) + " against " + _memory(both, "plain"),
        )  # fmt: skip
    for rows, runs in sorted(found.items()):
        both = [one for one in runs if {"together", "alike"} <= one.keys()]
        if both:
            yield Figure(
                f"profile + delay in one session, {rows:,} rows / plain, same settings, time",
                [one["together"].seconds / one["alike"].seconds for one in both],
                1.5, False, _seconds(both, "together") + " against " + _seconds(both, "alike"),
            )  # fmt: skip
    for name, (text, _) in COMMANDS.items():
        known = sorted(rows for rows, runs in found.items() if any(name in one for one in runs))
        for less, more in pairwise(known):
            of_less, of_more = (
                [one[name].seconds for one in found[rows] if name in one] for rows in (less, more)
            )
            yield Figure(
                f"{text}, {more:,} rows / {less:,} rows, time",
                [statistics.median(of_more) / statistics.median(of_less)],
                more / less, False, f"{spread(of_more)} s against {spread(of_less)} s",
            )  # fmt: skip


def spread(values: list[float]) -> str:
    """``least/median/most``, or the one value."""
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return "/".join(f"{v:.1f}" for v in (min(values), statistics.median(values), max(values)))


def _seconds(runs: list[dict[str, Run]], name: str) -> str:
    return f"{spread([one[name].seconds for one in runs])} s"


def _memory(runs: list[dict[str, Run]], name: str) -> str:
    return f"{spread([one[name].peak_kib / 2**20 for one in runs])} GiB"


def main() -> int:
    """Make, measure, show; 1 when a figure does not hold."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.pipeline")
    asked.add_argument("rows", type=int, nargs="*")
    asked.add_argument("--folder", default=f"{tempfile.gettempdir()}/mqtriage-bench-pipeline")
    asked.add_argument("--make", action="store_true")
    asked.add_argument("--show", action="store_true")
    asked.add_argument("--only", choices=sorted(CONTESTANTS))
    asked.add_argument("--like-for-like", action="store_true")
    given = asked.parse_args()
    folder = Path(given.folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = [given.only] if given.only else ["ours", "report", "plain"]
    if given.like_for_like:
        names = ["together", "alike"]
    elif not given.only and importlib.util.find_spec("duckdb") is not None:
        names.append("duckdb")
    for rows in [] if given.show else given.rows or MILLIONS:
        if given.make:
            made(folder, rows)
        else:
            measure(folder, rows, names)
    found = list(figures(rounds(folder)))
    for figure in found:
        print(figure.line())
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
