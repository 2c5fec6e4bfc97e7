"""Bad input: counted, reported, and never the end of the run."""

from __future__ import annotations

import gc
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtriage.commands.analyze.run import listing_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.mq.errors import NotFound
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.folders import (
    Rejected,
    TableSource,
    is_address,
    sources,
    unreadable,
)
from mqtriage.pipeline.snapshots.schema import TABLES
from tests.pipeline.rows import MINUTE, START_US, frame
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

    from mqtriage.pipeline.runner import Analysis

DAY = "snap_date=2026-01-05"


def lines(count: int, snapshot: str = "S1", **more: Any) -> list[dict[str, Any]]:
    time = rfc3339(START_US)
    return [
        {"snapshot_id": snapshot, "snap_time": time, "seen": "present", "queue": "Q",
         "message_key": f"{snapshot}{n:030}", "msg_id": f"{n:048}", "correl_id": "0" * 48,
         "put_time": time, "format": "MQSTR", "put_appl_name": "web", "length_bytes": 10,
         "backout_count": 0, **more}
        for n in range(count)
    ]  # fmt: skip


def snapshot_row(snapshot: str = "S1", rows: int = 4, **more: Any) -> dict[str, Any]:
    return {
        "snapshot_id": snapshot, "snap_time": rfc3339(START_US), "schema_version": 1,
        "queue_manager": "QM1", "backend": "emulator", "mode": "full", "body": "none",
        "queue_count": 1, "message_count": rows, "message_rows": rows, "problem_count": 0, **more,
    }  # fmt: skip


def put(
    root: Path, table: str, name: str, rows: list[dict[str, Any]], tail: str = "", qmgr: str = "QM1"
) -> Path:
    folder = root / table / f"qmgr={qmgr}" / DAY
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + tail)
    return path


def parquet(
    spark: SparkSession, root: Path, table: str, name: str, rows: list[dict[str, Any]], **wrong: str
) -> Path:
    """A Parquet file of a table; *wrong* are columns to write as another type."""
    df = frame(spark, table, rows).select(*TABLES[table].names)
    for column, kind in wrong.items():
        df = df.withColumn(column, df[column].cast(kind))
    out = root / f".{table}-{name}"
    df.coalesce(1).write.parquet(str(out))
    (part,) = out.glob("*.parquet")
    folder = root / table / "qmgr=QM1" / DAY
    folder.mkdir(parents=True, exist_ok=True)
    return part.rename(folder / f"{name}.v1.parquet")


def break_in_the_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20 : len(data) // 2] = bytes(len(data) // 2 - 20)
    path.write_bytes(data)


def profile(spark: SparkSession, *roots: Path) -> Analysis:
    from mqtriage.pipeline.runner import JobRequest, run

    return run(spark, "profile", JobRequest(tuple(str(root) for root in roots)))


def counted(analysis: Analysis) -> int:
    return sum(row["messages"] for row in analysis.tables["profile"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "messages", "a.v1.ndjson", lines(4))
    put(tmp_path, "snapshots", "a.v1.ndjson", [snapshot_row()])
    return tmp_path


def test_whole_files_are_read_without_a_word_and_in_any_order_and_percentiles_say_what_they_are(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.pipeline import runner
    from mqtriage.pipeline.report import table_rows

    analysis = profile(spark, root)
    assert (counted(analysis), analysis.rejected.counts, analysis.notes) == (4, {}, [])
    assert listing_of(analysis, TABLES_OF["profile"]["profile"]).warnings == []

    rows = lines(4)
    random.Random(3).shuffle(rows)
    put(root, "messages", "a.v1.ndjson", rows)
    late = rfc3339(START_US + 5 * MINUTE)
    put(root, "snapshots", "a.v1.ndjson", [snapshot_row(host_time=late)])
    for module in (runner, table_rows):
        monkeypatch.setattr(module, "EXACT_UP_TO", 3)  # of 4 messages
    again = profile(spark, root)
    assert again.tables == analysis.tables
    assert listing_of(again, TABLES_OF["profile"]["profile"]).warnings == [
        "percentiles of more than 3 messages are approximate (by rank, to one in 3)",
        "1 snapshot of queue managers whose clock differed from the machine's by more than a"
        " minute",
    ]


def test_cut_lines_and_wrong_types_are_counted_and_the_others_are_read(
    spark: SparkSession, root: Path
) -> None:
    wrong = lines(1, "S2", length_bytes="long")
    missing = [{k: v for k, v in lines(1, "S2")[0].items() if k != "message_key"}]
    put(root, "messages", "b.v1.ndjson", [*wrong, *missing], tail='{"snapshot_id": "S2", "sn')
    put(root, "snapshots", "b.v1.ndjson", [snapshot_row("S2", 3)])
    analysis = profile(spark, root)
    assert counted(analysis) == 4
    assert analysis.rejected.counts["rows of messages that are not JSON of the schema"] == 2
    assert analysis.rejected.counts["rows of messages without a value that is never missing"] == 1


@pytest.mark.parametrize(
    "job",
    [
        "profile",
        "causes",
        pytest.param("expiry", marks=pytest.mark.long),
        pytest.param("cohort", marks=pytest.mark.long),
    ],
)
def test_every_job_counts_the_rows_of_messages_alike(
    spark: SparkSession, root: Path, job: str
) -> None:
    """`causes` counts them once they are fewer, the others on their way."""
    from mqtriage.pipeline.runner import JobRequest, run

    missing = [{k: v for k, v in lines(1, "S2")[0].items() if k != "queue"}]
    gone = lines(3, "S2", seen="gone")
    put(root, "messages", "b.v1.ndjson", [*missing, *gone], tail='{"snapshot_id": "S2", "sn')
    put(root, "messages", "c.v1.ndjson", lines(2, "S2"))
    put(root, "snapshots", "b.v1.ndjson", [snapshot_row("S2", 8, mode="incremental")])
    analysis = run(spark, job, JobRequest((str(root),)))
    assert analysis.message_rows == 4 + 5 + 2
    assert analysis.rejected.counts == {
        "rows of messages that are not JSON of the schema": 1,
        "rows of messages without a value that is never missing": 1,
        "rows of messages that snapshots recorded but no file contains: files are damaged, have"
        " wrong types or are missing": 1,
    }


def test_a_snapshot_whose_rows_are_missing_is_no_look(spark: SparkSession, tmp_path: Path) -> None:
    """What a file held that was cut is not gone: only a whole look says that."""
    from mqtriage.pipeline.runner import JobRequest, run

    for qmgr, at in product(("CUT", "WHOLE"), range(3)):
        time = {"snapshot_id": f"S{at}", "snap_time": rfc3339(START_US + 60 * at * MINUTE)}
        rows = [{**row, **time} for row in lines(10, "S")]
        promised = 6 if (qmgr, at) == ("WHOLE", 2) else 10
        file = put(tmp_path, "messages", f"{at}.v1.ndjson", rows, qmgr=qmgr)
        of_snapshot = snapshot_row(rows=promised, **time)
        put(tmp_path, "snapshots", f"{at}.v1.ndjson", [of_snapshot], qmgr=qmgr)
        looked = {**time, "queue": "Q", "browsed": True}
        put(tmp_path, "queues", f"{at}.v1.ndjson", [looked], qmgr=qmgr)
        if at == 2:
            text = file.read_text()
            file.write_text(text[: len(text) * 2 // 3])
    listed = run(spark, "expiry", JobRequest((str(tmp_path),))).tables["expiry"]
    assert {r["qmgr"]: (r["messages"], r["taken"], r["still_there"]) for r in listed} == {
        "CUT": (10, 0, 10), "WHOLE": (10, 4, 6),
    }  # fmt: skip


def test_parquet_files_that_are_cut_damaged_or_of_other_types_are_counted(
    spark: SparkSession, root: Path
) -> None:
    def write(name: str, snapshot: str, **wrong: str) -> Path:
        rows = [
            {"snapshot_id": snapshot, "message_key": f"{n}", "length_bytes": n}
            for n in range(50)
        ]  # fmt: skip
        return parquet(spark, root, "messages", name, rows, **wrong)

    write("whole", "P1")
    cut = write("cut", "P2")
    cut.write_bytes(cut.read_bytes()[:-20])
    break_in_the_middle(write("damaged", "P3"))
    write("types", "P4", length_bytes="string")
    put(root, "snapshots", "p.v1.ndjson", [snapshot_row(f"P{n}", 50) for n in range(1, 5)])
    analysis = profile(spark, root)
    assert counted(analysis) == 4 + 50
    assert analysis.rejected.counts["Parquet files that are truncated or damaged"] == 1
    lost = [
        count for reason, count in analysis.rejected.counts.items() if "no file contains" in reason
    ]
    assert lost == [150]
    named = " ".join(analysis.rejected.warnings())
    assert "damaged.v1.parquet" in named
    assert "types.v1.parquet" in named
    assert "cut.v1.parquet" in named
    silent = analysis.rejected.examples["files of messages without a valid row"]
    assert {Path(path).name for path in silent} == {"damaged.v1.parquet", "types.v1.parquet"}


@pytest.mark.long
def test_a_damaged_file_is_found_though_another_is_there_twice(
    spark: SparkSession, root: Path
) -> None:
    rows = [{"snapshot_id": "P1", "message_key": f"{n}"} for n in range(4)]
    break_in_the_middle(parquet(spark, root, "messages", "damaged", rows))
    put(root, "messages", "again.v1.ndjson", lines(4))
    put(root, "snapshots", "p.v1.ndjson", [snapshot_row("P1", 4)])
    analysis = profile(spark, root)
    assert counted(analysis) == 4
    (damaged,) = analysis.rejected.examples["files of messages without a valid row"]
    assert damaged.endswith("/damaged.v1.parquet")


def test_damaged_files_of_any_table_are_found_and_the_tables_written(
    spark: SparkSession, root: Path, tmp_path: Path
) -> None:
    from mqtriage.pipeline.runner import JobRequest, run

    looks = [{"snapshot_id": f"S{n}", "snap_time": START_US + n * MINUTE} for n in range(4)]
    parquet(spark, root, "queues", "whole", looks, curdepth="int")  # narrower: it is no damage
    parquet(spark, root, "queues", "types", looks, curdepth="string")
    break_in_the_middle(parquet(spark, root, "queues", "damaged", looks))
    odd = root / "queues" / "qmgr=PAY%2F 1"
    odd.mkdir()
    (root / "queues" / "qmgr=QM1" / DAY).rename(odd / DAY)
    analysis = run(spark, "depth", JobRequest((str(root),), out=str(tmp_path / "out")))
    silent = analysis.rejected.examples.pop("files of queues without a valid row")
    assert {Path(path).name for path in silent} == {"damaged.v1.parquet", "types.v1.parquet"}
    assert [reason for reason in analysis.rejected.counts if "queues" not in reason] == []
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "depth", "depth_ahead", "depth_hours",
    }  # fmt: skip


@pytest.mark.long
def test_what_is_new_is_counted_though_a_file_is_damaged(spark: SparkSession, root: Path) -> None:
    from mqtriage.pipeline.watching import read_new

    rows = [{"snapshot_id": "P1", "message_key": f"{n}"} for n in range(5)]
    parquet(spark, root, "messages", "whole", rows)
    break_in_the_middle(parquet(spark, root, "messages", "damaged", rows))
    (root / "messages" / "qmgr=QM1" / DAY / "other.v2.ndjson").write_text(json.dumps(lines(1)[0]))
    rejected = Rejected()
    new = read_new(spark, str(root), str(root / ".seen"), None, rejected)
    assert sum(row["messages"] for row in new) == 4 + 5
    assert rejected.counts == {
        "files of messages that cannot be read, at least this one": 1,
        "files of a newer schema than 1": 1,
    }
    assert read_new(spark, str(root), str(root / ".seen"), None, Rejected()) == []


def test_files_that_are_not_read_are_counted_by_their_reason_and_end_nothing(
    spark: SparkSession, root: Path
) -> None:
    """Links to nothing, files of another schema, and files outside the folders of a day."""
    for form in ("parquet", "ndjson"):
        (root / "messages" / "qmgr=QM1" / DAY / f"gone.v1.{form}").symlink_to("nowhere")
    put(root, "messages", "n.v2.ndjson", lines(3, "N"))
    put(root, "messages", "o.v0.ndjson", lines(3, "O"))
    for place in ("messages", "messages/qmgr=QM1", "messages/qmgr=QM1/snap_date=2026-02-30"):
        (root / place).mkdir(exist_ok=True)
        (root / place / "x.v1.ndjson").write_text(json.dumps(lines(1)[0]) + "\n")
    analysis = profile(spark, root)
    assert counted(analysis) == 4
    assert analysis.rejected.counts == {
        "files without read permission": 2,
        "files of a newer schema than 1": 1,
        "files of an older schema than 1": 1,
        "files that are not in the folder for a queue manager and a day": 3,
    }


def test_a_column_that_came_later_is_null_in_older_files_and_unknown_ones_are_left_alone(
    spark: SparkSession, root: Path
) -> None:
    rows = lines(2, "S2", from_the_future={"a": 1})
    for row in rows:
        del row["format"]
    put(root, "messages", "b.v1.ndjson", rows)
    put(root, "snapshots", "b.v1.ndjson", [snapshot_row("S2", 2)])
    analysis = profile(spark, root)
    assert (counted(analysis), analysis.rejected.counts) == (6, {})


def test_a_file_that_is_there_twice_counts_once_and_is_told(
    spark: SparkSession, root: Path
) -> None:
    put(root, "messages", "copy.v1.ndjson", lines(4))
    put(root, "snapshots", "copy.v1.ndjson", [snapshot_row()])
    analysis = profile(spark, root)
    assert counted(analysis) == 4
    assert analysis.snapshots == 1
    assert any(note.startswith("4 rows of messages more") for note in analysis.notes)


def test_a_queue_manager_that_joined_late_leaves_the_last_day_of_the_others_as_it_is(
    spark: SparkSession, root: Path
) -> None:
    """Each by its own looks: two a day until a morning, one at two noons, and one alone."""
    looks = {"QM1": list(range(6, 223, 12)), "QM2": [204, 228], "QM3": [216]}
    for qmgr, hours in looks.items():
        of_manager = [
            snapshot_row(f"{qmgr} {hour}", 0, snap_time=rfc3339(START_US + hour * 60 * MINUTE))
            for hour in hours
        ]
        put(root, "snapshots", "z.v1.ndjson", of_manager, qmgr=qmgr)
    analysis = profile(spark, root)
    assert analysis.cut_days == {"QM1": "2026-01-14"}
    assert (analysis.first_us, analysis.last_us) == (START_US, START_US + 228 * 60 * MINUTE)
    assert analysis.snapshots == 1 + 19 + 2 + 1


def test_an_empty_folder_gives_an_empty_table_and_says_so(
    spark: SparkSession, tmp_path: Path
) -> None:
    analysis = profile(spark, tmp_path)
    assert analysis.tables == {"profile": []}
    assert analysis.notes == [f"{tmp_path}: no snapshots in it"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is not there"):
        sources([str(tmp_path / "nowhere")], "messages", Rejected())


def test_a_snapshot_a_file_is_read(spark: SparkSession, root: Path) -> None:
    for number in range(100):
        put(root, "messages", f"t{number}.v1.ndjson", lines(1, f"T{number}"))
        put(root, "snapshots", f"t{number}.v1.ndjson", [snapshot_row(f"T{number}", 1)])
    analysis = profile(spark, root)
    assert (counted(analysis), analysis.snapshots, analysis.rejected.counts) == (104, 101, {})


@pytest.mark.long
def test_thousands_of_tiny_files_are_read_in_few_tasks(spark: SparkSession, root: Path) -> None:
    """Two of them broken: Spark is given folders all the same, not a list of files."""
    from mqtriage.pipeline.reading import Reader

    many = amount(2_000, all=20_000)
    for number in range(many):
        put(root, "messages", f"t{number}.v1.ndjson", lines(1, f"T{number}"))
    put(root, "messages", "cut.v1.ndjson", [], tail='{"snapshot_id": "T')
    put(root, "messages", "later.v2.ndjson", lines(1))
    put(root, "snapshots", "t.v1.ndjson", [snapshot_row(f"T{n}", 1) for n in range(many)])
    analysis = profile(spark, root)
    assert (counted(analysis), analysis.snapshots) == (4 + many, 1 + many)
    assert analysis.rejected.counts == {
        "files of a newer schema than 1": 1,
        "rows of messages that are not JSON of the schema": 1,
    }
    messages = Reader(spark, (str(root),)).table("messages", ["msg_id"])
    assert messages.rdd.getNumPartitions() < 50


def test_rows_of_another_schema_behind_an_address_are_counted(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "messages", "n.v2.ndjson", lines(3, "N"))
    monkeypatch.setitem(sources.__globals__, "is_address", lambda root: True)
    analysis = profile(spark, root)
    assert counted(analysis) == 4
    assert analysis.rejected.counts == {"rows of messages that are not JSON of the schema": 3}


def test_a_span_without_snapshots_ends_at_once(spark: SparkSession, root: Path) -> None:
    from mqtriage.pipeline.runner import JobRequest, run

    analysis = run(spark, "profile", JobRequest((str(root),), since_us=START_US + 10**14))
    assert (analysis.tables["profile"], analysis.snapshots, analysis.message_rows) == ([], 0, 0)


def test_files_being_written_are_left_alone(root: Path) -> None:
    put(root, "messages", ".b.v1.ndjson", lines(4), tail="{")
    rejected = Rejected()
    (source,) = sources([str(root)], "messages", rejected)
    assert source.paths == (str(root / "messages"),)
    assert rejected.counts == {}


def test_queues_that_the_same_snapshots_read_are_one_as_to_their_looks(spark: SparkSession) -> None:
    from mqtriage.pipeline.lifetimes import looked_at_alike, observations

    def looks(queue: str, *minutes: int, qmgr: str = "QM1") -> list[dict[str, Any]]:
        return [
            {"qmgr": qmgr, "queue": queue, "snapshot_id": f"S{minute}", "browsed": minute > 0,
             "snap_time": START_US + minute * 60_000_000}
            for minute in minutes
        ]  # fmt: skip

    queues = frame(
        spark, "queues",
        looks("A", 1, 2, 3) + looks("B", 1, 3) + looks("C", 3, 2, 1, 0) + looks("D", 1, 2, 2)
        + looks("E", 3, 1) + looks("A", 1, 2, 3, qmgr="QM2") + looks("NEVER", 0),
    )  # fmt: skip
    same = looked_at_alike(queues)
    assert {(row["qmgr"], row["queue"]): row["look_queue"] for row in same.collect()} == {
        ("QM1", "A"): "A", ("QM1", "C"): "A", ("QM1", "B"): "B", ("QM1", "E"): "B",
        ("QM1", "D"): "D", ("QM2", "A"): "A",
    }  # fmt: skip
    ids = [{"snapshot_id": f"S{number}", "qmgr": q} for number in range(4) for q in ("QM1", "QM2")]
    snapshots = frame(spark, "snapshots", ids)
    by_queue, firsts = observations(queues, snapshots), observations(queues, snapshots, same)
    of_firsts = firsts.of(queues.select("qmgr", "queue").distinct()).drop("queue").distinct()
    expected = by_queue.times.join(of_firsts, ["qmgr", "look_queue"], "left_semi")
    times = firsts.times.collect()
    assert len(times) == len(set(times)) == 3 + 2 + 2 + 3
    assert set(times) == set(expected.select(firsts.times.columns).collect())


def test_the_looks_of_a_few_files_are_worked_out_in_one_task(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.pipeline.jobs import QUEUE_COLUMNS, Inputs, Options
    from mqtriage.pipeline.reading import Reader

    time = {"snapshot_id": "S1", "snap_time": rfc3339(START_US)}
    put(root, "queues", "a.v1.ndjson", [time | {"queue": "Q", "browsed": True}])

    def shuffles() -> int:
        inputs = Inputs(Reader(spark, (str(root),)), Options())
        try:
            looked = inputs.observations(inputs.table("queues", QUEUE_COLUMNS))
            assert [row["look_queue"] for row in looked.times.collect()] == ["Q"]
            plan = looked.times._jdf.queryExecution().executedPlan().toString()
            return int(plan.count("Exchange hashpartitioning"))
        finally:
            inputs.release()

    assert shuffles() == 0
    monkeypatch.setitem(Reader.table.__globals__, "ONE_TASK_BYTES", 0)
    assert shuffles() > 0


def test_what_was_compacted_is_never_for_one_task() -> None:
    """43,200,000 looks of a thousand queue managers are a file of 6 MB."""
    pytest.importorskip("pyspark")
    from mqtriage.pipeline.reading import fit_one_task

    source = TableSource("a", ("a",), "parquet", checked=True, cost_bytes=1)
    assert fit_one_task([source])
    assert not fit_one_task([source, replace(source, of_many=True)])


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"x" * 20, b"PAR1" * 4])
def test_what_cannot_be_a_parquet_file_is_known_by_its_ends(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.v1.parquet"
    path.write_bytes(data)
    assert unreadable(str(path))


@pytest.mark.parametrize("root", ["s3a://bucket/x", "hdfs://h:8020/x", "abfss://c@a.dfs/x"])
def test_addresses_pass_to_spark_untouched(root: str) -> None:
    assert is_address(root)
    message_sources = sources([root], "messages", Rejected())
    assert {source.base for source in message_sources} == {
        f"{root}/messages",
        f"{root}/compacted/messages",
    }


def with_incremental(root: Path) -> None:
    """Another snapshot: of full ones alone `profile` asks for no looks."""
    put(root, "snapshots", "S9.v1.ndjson", [snapshot_row("S9", rows=0, mode="incremental")])


THRESHOLDS = (
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.adaptive.autoBroadcastJoinThreshold",
)


@pytest.fixture(scope="module")
def plans_of(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[str, ...]]:
    """A job to the physical plans of its tables, where Spark may call no side of a join small."""
    from mqtriage.pipeline.jobs import JOBS, Inputs, Options
    from mqtriage.pipeline.reading import Reader

    root = tmp_path_factory.mktemp("plans")
    put(root, "messages", "a.v1.ndjson", lines(4))
    put(root, "snapshots", "a.v1.ndjson", [snapshot_row()])
    with_incremental(root)

    @cache
    def plans(job: str) -> tuple[str, ...]:
        spark.conf.set("spark.sql.maxMetadataStringLength", "10000")
        for name in THRESHOLDS:
            spark.conf.set(name, "-1")
        inputs = Inputs(Reader(spark, (str(root),)), Options())
        try:
            frames = JOBS[job](inputs).values()
            return tuple(f._jdf.queryExecution().executedPlan().toString() for f in frames)
        finally:
            inputs.release()
            for name in THRESHOLDS:
                spark.conf.unset(name)

    return plans


@pytest.mark.parametrize("job", ["profile", "delay", "expiry", "causes", "cohort"])
def test_the_files_of_messages_are_read_once(
    plans_of: Callable[[str], tuple[str, ...]], job: str
) -> None:
    """The physical plans of all tables of a job know one scan; where it is used twice, a cache."""
    scans: set[str] = set()
    for plan in plans_of(job):
        file_scans = re.findall(r"FileScan [^\n]*/messages\]", plan)
        # a scan that stands there twice is that of one cached table
        assert len(file_scans) <= max(1, plan.count("InMemoryRelation")), plan
        scans |= set(file_scans)
    assert len(scans) == 1


@pytest.mark.parametrize("job", ["profile", "delay", "expiry", "causes", "cohort", "definitions"])
def test_nothing_is_sent_to_every_task_but_by_its_size(
    plans_of: Callable[[str], tuple[str, ...]], job: str
) -> None:
    """Where Spark may call no side of a join small, none is sent whole, as a hint would have it."""
    plans = "".join(plans_of(job))
    assert "Join" in plans
    assert "Broadcast" not in plans


@pytest.mark.parametrize("job", ["profile", "definitions"])
def test_no_row_is_compared_with_all_that_follow_it(
    spark: SparkSession, root: Path, job: str
) -> None:
    """Spark goes through a window that ends with the last row anew for each row of it."""
    from mqtriage.pipeline.jobs import JOBS, Inputs, Options
    from mqtriage.pipeline.reading import Reader

    with_incremental(root)
    inputs = Inputs(Reader(spark, (str(root),)), Options())
    try:
        frame = JOBS[job](inputs)[job]
        plan = frame._jdf.queryExecution().optimizedPlan().toString()
        frames = re.findall(r"specifiedwindowframe\(\w+, (.+?), (.+?)\)\)", plan)
        assert frames
        for first, last in frames:
            assert first.startswith("unboundedpreceding") or not last.startswith("unboundedf")
    finally:
        inputs.release()


def test_what_has_many_rows_is_not_sent_however_few_bytes_they_take(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4,320,000 looks at regular times are few bytes to Spark, and more than a driver of 2 GB."""
    from mqtriage.pipeline import jobs
    from mqtriage.pipeline.reading import Reader

    look = {"snapshot_id": "S1", "snap_time": rfc3339(START_US), "queue": "IN", "browsed": True}
    put(root, "queues", "a.v1.ndjson", [look])
    monkeypatch.setattr(jobs, "MOST_SENT", 0)
    inputs = jobs.Inputs(Reader(spark, (str(root),)), jobs.Options())
    try:
        frame = jobs.JOBS["expiry"](inputs)["expiry"]
        plan = frame._jdf.queryExecution().executedPlan().toString()
        of_look = r"look_queue#\d+, (first_seen|last_seen|gone_by)"
        joins = re.findall(rf"(\w+Join) \[qmgr#\d+, (?:{of_look}|(snapshot_id))#", plan)
        assert {join for join, *_ in joins} == {"SortMergeJoin"}
        assert {key for _, *keys in joins for key in keys if key} == {
            "first_seen", "last_seen", "gone_by", "snapshot_id"
        }  # fmt: skip
    finally:
        inputs.release()


def test_what_is_small_is_known_to_be_before_it_is_joined(spark: SparkSession, root: Path) -> None:
    """Looks of few queue managers are sent to the messages, which are not sorted to meet them."""
    from mqtriage.pipeline.jobs import JOBS, Inputs, Options
    from mqtriage.pipeline.reading import Reader

    inputs = Inputs(Reader(spark, (str(root),)), Options())
    try:
        frame = JOBS["delay"](inputs)["delay_targets"]
        plan = frame._jdf.queryExecution().executedPlan().toString()
        assert plan.count("BroadcastHashJoin") >= 3  # of first, last and gone
    finally:
        inputs.release()


def test_what_a_job_made_in_java_is_let_go_of_before_the_next(
    spark: SparkSession, root: Path
) -> None:
    """Kept plans keep what was worked out for them: a report of a thousand found no room."""
    from py4j.java_gateway import JavaObject

    from mqtriage.pipeline.runner import JobRequest, run

    def objects() -> int:
        return sum(type(one) is JavaObject for one in gc.get_objects())

    gc.collect()
    before, most = objects(), 0

    def tell(_: str) -> None:
        nonlocal most
        most = max(most, objects())

    run(spark, "profile", JobRequest((str(root),)), tell=tell)
    assert objects() - before < (most - before) / 10


def bytes_read(spark: SparkSession) -> int:
    """What Java has read of files since it was started."""
    statistics = spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()  # type: ignore[union-attr]
    return sum(one.getBytesRead() for one in statistics)


@pytest.mark.parametrize(
    ("job", "tables"),
    [
        ("profile", {"messages"}),
        pytest.param("causes", {"messages", "queues"}, marks=pytest.mark.long),
        pytest.param("delay", {"messages", "queues"}, marks=pytest.mark.long),
        pytest.param("depth", {"queues"}, marks=pytest.mark.long),
        pytest.param("expiry", {"messages", "queues"}, marks=pytest.mark.long),
        pytest.param("cohort", {"messages", "queues"}, marks=pytest.mark.long),
        pytest.param("definitions", {"definitions"}, marks=pytest.mark.long),
    ],
)
def test_what_is_written_and_printed_is_read_once(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    job: str,
    tables: set[str],
) -> None:
    from pyspark.sql.classic.dataframe import DataFrame

    from mqtriage.pipeline.runner import JobRequest, run

    root = tmp_path / "in"
    put(root, "snapshots", "S1.v1.ndjson", [snapshot_row(rows=40)])
    put(root, "messages", "S1.v1.ndjson", lines(20) + lines(20, queue="BO", backout_count=1))
    time = {"snapshot_id": "S1", "snap_time": rfc3339(START_US)}
    queue = {**time, "curdepth": 20, "maxdepth": 5000, "browsed": True, "message_count": 20}
    put(root, "queues", "S1.v1.ndjson", [{**queue, "queue": name} for name in ("Q", "BO")])
    defined = {**time, "seen": "new", "kind": "QLOCAL", "attributes": "{}"}
    objects = [{**defined, "name": name, "digest": name} for name in ("Q", "BO")]
    put(root, "definitions", "S1.v1.ndjson", objects)
    for file in root.glob("*/*/*/*.ndjson"):  # blank lines between: much to read of few rows
        file.write_text(file.read_text().replace("\n", "\n" + (" " * 999 + "\n") * 100))
    collect, collected = DataFrame.collect, []

    def noted(frame: DataFrame) -> list[Row]:
        collected.append(collect(frame))
        return collected[-1]

    monkeypatch.setattr(DataFrame, "collect", noted)
    before, out = bytes_read(spark), tmp_path / "out"
    done = run(spark, job, JobRequest((str(root),), out=str(out), limit=1))
    read = bytes_read(spark) - before
    sizes = {path.parts[-4]: path.stat().st_size for path in root.glob("*/*/*/*.ndjson")}
    once = sum(sizes[name] for name in tables | {"snapshots"})
    assert once <= read < once + 0.5 * sizes["snapshots"], (read, sizes)
    assert {path.name for path in out.iterdir()} == set(TABLES_OF[job])
    assert max(len(rows) for rows in done.tables.values()) <= 1
    assert max(map(len, collected)) == 1  # what was written and what the limit cut stay there


def test_the_first_records_of_a_limit_are_those_of_all(spark: SparkSession, root: Path) -> None:
    from mqtriage.pipeline.runner import JobRequest, run

    put(root, "messages", "S2.v1.ndjson", lines(9, "S2", format="A") + lines(3, "S3", format="B"))
    everything = run(spark, "profile", JobRequest((str(root),))).tables["profile"]
    first = run(spark, "profile", JobRequest((str(root),), limit=2)).tables["profile"]
    assert len(everything) > 2
    assert first == everything[:2]
