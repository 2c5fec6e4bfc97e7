"""`analyze watch` with Spark: alerts of snapshots and of logs that grow, through kills."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtriage.mq.times import rfc3339
from tests.acceptance.conftest import Bench
from tests.pipeline.event_logs import Event, compact, event, printed
from tests.pipeline.rows import START_US
from tests.support.ibm_java import fetched
from tests.support.kafka import kafka
from tests.support.scale import amount

_PATIENCE_SECONDS = 300.0
KAFKA_PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13"
CONNECTOR = "4.2.0"
"""The last release that there is in Maven's repository; Spark's own does as well."""
PERFORMANCE, AUTHORITY = 45, 44
FULL, LOW, NOT_AUTHORIZED = 2053, 2225, 2035


def append(
    log: Path,
    reason: int,
    second: int,
    queue: str,
    written: Callable[[list[Event]], str] = compact,
) -> None:
    """An event, as amqsevt appends it to a log."""
    type_ = AUTHORITY if reason == NOT_AUTHORIZED else PERFORMANCE
    with log.open("a") as file:
        file.write(written([event(type_, reason, second, "QM1", {"qName": queue})]))


def snapshot(root: Path, number: int, depths: dict[str, int]) -> None:
    """What a snapshot writes of queues that hold 100 messages, with only what a look needs."""
    folder = root / "queues" / "qmgr=QM1" / "snap_date=2026-01-05"
    folder.mkdir(parents=True, exist_ok=True)
    common = {"snapshot_id": f"S{number}", "snap_time": rfc3339(START_US + number * 1_000_000)}
    rows = [
        {**common, "queue": queue, "curdepth": depth, "maxdepth": 100, "browsed": True}
        for queue, depth in depths.items()
    ]
    half = folder / f".S{number}"
    half.write_text("".join(json.dumps(row) + "\n" for row in rows))
    half.rename(folder / f"S{number}.v1.ndjson")


def brief(records: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(record["object"], record["subject"], record["status"]) for record in records]


def test_marks_and_events_are_alerts_once_and_stand_in_the_textfile_until_they_end(
    bench: Bench, tmp_path: Path
) -> None:
    folder, textfile, alerts_file = tmp_path / "in", tmp_path / "mq.prom", tmp_path / "alerts"
    snapshot(folder, 0, {"PAY.IN": 95, "PAY.OUT": 5, "SYSTEM.X": 100})
    append(folder / "events.json", FULL, 1, "PAY.BO")
    append(folder / "printed.json", NOT_AUTHORIZED, 2, "PAY.OUT", printed)
    (folder / "events.json").open("a").write("no event\n")
    words = ["analyze", "watch", str(folder), "--textfile", str(textfile), "-o", "json"]
    words += ["--run", f"tee -a {alerts_file}"]
    first = bench.run(*words)
    assert first.code == 3, first.err
    assert "1 line that is not from amqsevt" in first.err
    assert brief(first.items) == [
        ("PAY.IN", "queue", "CRITICAL"),
        ("PAY.BO", "depth", "CRITICAL"),
        ("PAY.OUT", "authority", "WARNING"),
    ]
    assert first.items[0]["message"] == "95% full (95 of 100 messages) (threshold 95%)"
    sample = '{check="watch_queue",qmgr="QM1",object="PAY.IN"}'
    assert f"mqtriage_check_status{sample} 2\n" in textfile.read_text()
    seconds = START_US // 1_000_000
    assert f"mqtriage_watch_queue_time_seconds{sample} {seconds}\n" in textfile.read_text()
    assert textfile.stat().st_mode & 0o777 == 0o644

    nothing = bench.run(*words)
    assert (nothing.code, nothing.items) == (4, []), "it still stands"

    snapshot(folder, 60, {"PAY.IN": 5, "PAY.OUT": 5})
    append(folder / "events.json", LOW, 61, "PAY.BO")
    ended = bench.run(*words)
    assert (ended.code, brief(ended.items)) == (
        0,
        [("PAY.IN", "queue", "OK"), ("PAY.BO", "depth", "OK")],
    )
    assert f"mqtriage_check_status{sample} 0\n" in textfile.read_text()
    # two JSON texts may stand in one line: a command gets each alert on an input of its own
    assert alerts_file.read_text().count('"number"') == 5
    kept = folder / ".mqtriage-watch"
    assert kept.stat().st_mode & 0o777 == 0o700
    assert list((kept / "pieces").iterdir()) == []


def test_what_alerts_cannot_do_is_refused_before_spark_starts(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    for words, what in {
        ("--warn", "1", "--where", "priority > 3"): "--where",
        ("--warn", "1", "--for", "5s"): "--interval",
        ("--warn", "1", "--interval", "1s", "-o", "csv"): "csv",
        ("--run", "'"): "--run",
        ("--warn", "1", "--checkpoint", "s3a://bucket/x"): "--checkpoint",
        ("*X", "--warn", "1"): "generic name",
    }.items():
        ran = bench.run("analyze", "watch", str(tmp_path), *words)
        assert (ran.code, what in ran.error_line) == (2, True), ran.err
    assert bench.run("analyze", "watch", str(tmp_path / "nowhere"), "--warn", "1").code == 5


def test_an_address_of_kafka_is_whole_and_has_a_checkpoint(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    for address in (
        "kafka://", "kafka://host/topic", "kafka://host:9092", "kafka://host:9092/", "kafka:topic",
        "kafka://host:9092/a/b", "kafka://host:9092,/topic", "kafka://host:x/topic",
    ):  # fmt: skip
        ran = bench.run("analyze", "watch", address, "--checkpoint", str(tmp_path))
        assert (ran.code, "not the address of a topic" in ran.error_line) == (2, True), ran.err
    ran = bench.run("analyze", "watch", "kafka://a:1,b:2/mq.events_1-x")
    assert (ran.code, "--checkpoint is missing" in ran.error_line) == (2, True), ran.err


def test_without_the_jar_for_kafka_the_package_is_named(bench: Bench, tmp_path: Path) -> None:
    from pyspark import __version__

    place = str(tmp_path / "checkpoint")
    ran = bench.run("analyze", "watch", "kafka://127.0.0.1:9/mq", "--checkpoint", place)
    assert ran.code == 1
    assert ran.error_line.endswith("watch kafka://127.0.0.1:9/mq: Spark lacks the jar for Kafka")
    assert (
        f"hint: --conf spark.jars.packages={KAFKA_PACKAGE}:{__version__}, or the last version"
        in ran.err
    )


def test_a_broker_that_does_not_answer_is_looked_for() -> None:
    """As Spark says it after three minutes, recorded."""
    from mqtriage.pipeline.runner import failure

    text = "[STREAM_FAILED] Query [id = 1] terminated with exception: org.apache.kafka.common."
    text += "errors.TimeoutException: Timed out waiting for a node assignment. Call: listNodes"
    error = failure("analyze watch", RuntimeError(text))
    assert error.text == f"analyze watch: Spark failed: {text}"
    assert error.hint == "no broker responds there, or at the address that it advertises"


@pytest.mark.long
def test_no_alert_is_lost_though_the_process_is_killed_while_they_come(
    tmp_path: Path, spark: object
) -> None:
    """Kill -9 with new files and lines in each moment; at the end SIGTERM, and exit code 143."""
    folder = tmp_path / "in"
    folder.mkdir()

    def write(number: int) -> None:
        append(folder / "events.json", NOT_AUTHORIZED, number, f"E{number}")
        snapshot(folder, number, {f"S{number}": 100})

    watched_through_kills(tmp_path, [str(folder), "--crit=100%"], write, "ES")


@pytest.mark.long
def test_no_alert_of_a_topic_is_lost_though_the_process_is_killed_while_they_come(
    tmp_path: Path, spark: object
) -> None:
    """A real broker, and Spark's jar for it; a message has two lines."""
    names = ("spark-sql-kafka", "spark-token", "kafka-clients", "commons-pool2")
    brought = fetched("kafka-spark", f"{KAFKA_PACKAGE}:{CONNECTOR}").glob("*.jar")
    jars = ",".join(str(path) for path in brought if path.name.startswith(names))
    with kafka(tmp_path / "kafka", "mq.events") as (address, send):

        def write(number: int) -> None:
            send(
                "|".join(
                    compact([event(AUTHORITY, NOT_AUTHORIZED, number, "QM1", {"qName": name})])[:-1]
                    for name in (f"E{number}", f"F{number}")
                )
            )

        words = [f"kafka://{address}/mq.events", "--checkpoint", str(tmp_path / "kept")]
        watched_through_kills(tmp_path, [*words, "--conf", f"spark.jars={jars}"], write, "EF")


def watched_through_kills(
    tmp_path: Path, words: list[str], write: Callable[[int], None], kinds: str
) -> None:
    """Kill the watch again and again while *write* writes more, which is one alert of each kind."""
    out, err = tmp_path / "out.ndjson", tmp_path / "err"
    written = 0

    def write_more() -> None:
        nonlocal written
        write(written)
        written += 1

    def printed() -> list[dict[str, Any]]:
        return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []

    write_more()
    for last in [*[False] * amount(1, all=5), True]:
        before, already = written, len(printed())
        with out.open("a") as stream, err.open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "mqtriage", "analyze", "watch", *words,
                 "--interval", "100ms", "-o", "ndjson", "--master", "local[2]", "--memory", "1g"],
                env={**os.environ, "MQTRIAGE_HOME": str(tmp_path / "home")},
                stdout=stream, stderr=errors,
            )  # fmt: skip
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            objects = {record["object"] for record in printed()}
            if len(objects) == len(kinds) * written if last else len(printed()) > already:
                break
            if written < before + 5:
                write_more()
            time.sleep(0.05)
        assert process.poll() is None, err.read_text()
        if not last:
            write_more()
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM if last else signal.SIGKILL)
        assert process.wait(60) == (143 if last else -9), err.read_text()
    numbers = {record["number"]: record["object"] for record in printed()}
    assert sorted(numbers) == list(range(1, len(kinds) * written + 1))
    assert sorted(numbers.values()) == sorted(
        f"{kind}{n}" for kind in kinds for n in range(written)
    )
    assert all(numbers[record["number"]] == record["object"] for record in printed())
