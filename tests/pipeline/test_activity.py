"""Statistics and accounting messages as PCF, as amqsevt and as amqsmon print them: planted counts
read back, and a recording of a real one."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mqtriage.commands.analyze.run import listing_of
from mqtriage.messages.event_json import event_of
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf
from mqtriage.pipeline.runner import Analysis
from mqtriage.pipeline.sources.recognition import LogForm, recognised
from tests.acceptance.conftest import Bench
from tests.pipeline.conftest import simulated
from tests.support.amqsmon import printed
from tests.support.scale import amount
from tests.support.tools import drawn_dice

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT.parent / "shared" / "corpus")) / "messages"
REAL = CORPUS / "05-pymqi-statistics_q.bin"
STATISTICS = "SYSTEM.ADMIN.STATISTICS.QUEUE"
Counts = dict[str, int]
CHANNELS = pcf.encode(
    pcf.PCF(
        cmqcfc.MQCFT_STATISTICS,
        cmqcfc.MQCMD_STATISTICS_CHANNEL,
        (pcf.string(cmqc.MQCA_Q_MGR_NAME, "QM1"), pcf.integer_of(cmqcfc.MQIAMO_PUTS, 5)),
    )
)
TIMES = ("from_time", "until_time", "busiest_time", "intervals")
"""By amqsmon an interval ends when it says so, and not when its message was put."""


def interval(qmgr: str) -> tuple[pcf.PcfParameter, ...]:
    return (
        pcf.string(cmqc.MQCA_Q_MGR_NAME, qmgr, width=48),
        pcf.string(cmqcfc.MQCAMO_START_DATE, "2026-01-05"),
        pcf.string(cmqcfc.MQCAMO_START_TIME, "00.00.00"),
        pcf.string(cmqcfc.MQCAMO_END_DATE, "2026-01-05"),
        pcf.string(cmqcfc.MQCAMO_END_TIME, "00.15.00"),
    )


def statistics(counts: dict[str, Counts]) -> bytes:
    """A statistics message with those counts of each queue, as IBM MQ lays it out."""
    groups = [
        pcf.group(
            cmqcfc.MQGACF_Q_STATISTICS_DATA,
            (
                pcf.string(cmqc.MQCA_Q_NAME, queue, width=48),
                pcf.integer_of(cmqcfc.MQIAMO_Q_MAX_DEPTH, of_queue["depth_max"]),
                pcf.integers(cmqcfc.MQIAMO_PUTS, (1, of_queue["puts"] - 3)),
                pcf.integers(cmqcfc.MQIAMO_PUT1S, (0, 2)),
                pcf.integers(cmqcfc.MQIAMO_GETS, (of_queue["gets"], 0)),
                pcf.integer_of(cmqcfc.MQIAMO_MSGS_EXPIRED, of_queue["expired"]),
            ),
        )
        for queue, of_queue in counts.items()
    ]
    message = pcf.PCF(
        cmqcfc.MQCFT_STATISTICS, cmqcfc.MQCMD_STATISTICS_Q, (*interval("QM1"), *groups)
    )
    return pcf.encode(message)


def accounting(commits: int, backouts: int, connection: int) -> bytes:
    parameters = (
        *interval("QM1"),
        pcf.string(cmqcfc.MQCACF_APPL_NAME, "payments"),
        pcf.string(cmqcfc.MQCACF_USER_IDENTIFIER, "pay"),
        pcf.byte_string(cmqcfc.MQBACF_CONNECTION_ID, bytes([connection]) * 24),
        pcf.integer_of(cmqcfc.MQIAMO_COMMITS, commits),
        pcf.integer_of(cmqcfc.MQIAMO_BACKOUTS, backouts),
        pcf.integers(cmqcfc.MQIAMO_PUTS, (5, 6)),
    )
    return pcf.encode(pcf.PCF(cmqcfc.MQCFT_ACCOUNTING, cmqcfc.MQCMD_ACCOUNTING_MQI, parameters))


def archived(bench: Bench, folder: Path, *messages: bytes) -> str:
    """An archive of the statistics queue of an emulated queue manager, on which *messages* are."""
    bench.ok("emulator", "create", "QM1", "--clock", "frozen")
    bench.define("PAY.IN")
    for message in messages:
        body = folder / "body"
        body.write_bytes(message)
        more = ("--file", str(body), "--md-format", "MQADMIN", "--yes")
        bench.ok("msg", "put", STATISTICS, *more)
        bench.ok("emulator", "clock", "+15m")
    path = str(folder / "statistics.ndjson")
    bench.ok("msg", "archive", STATISTICS, "--out", path)
    return path


def as_amqsmon_prints(path: Path, *messages: bytes, qmgr: str = "QM1") -> str:
    """A file of the messages, as of *qmgr*, with channel statistics between them."""
    events = [
        event_of(Message(MQMD(format="MQADMIN"), body, len(body)), STATISTICS, "")
        for body in (messages[0], CHANNELS, *messages[1:])
    ]
    text = printed(event for event in events if event is not None)
    path.write_text(text.replace("QM1", qmgr))
    return str(path)


def items(bench: Bench, *words: str) -> list[dict[str, Any]]:
    return bench.ok("analyze", *words, "-o", "json").items


def of_manager(rows: list[dict[str, Any]], qmgr: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["queue_manager"] == qmgr]


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Also without the name of their queue manager."""
    left_out = (*TIMES, "queue_manager")
    return [{key: row[key] for key in row if key not in left_out} for row in rows]


@pytest.mark.usefixtures("each_request_once")
def test_the_counts_of_every_interval_add_up(bench: Bench, tmp_path: Path) -> None:
    draw = drawn_dice()
    intervals = [
        {
            queue: {name: draw.randrange(3, 10**6) for name in
                    ("puts", "gets", "expired", "depth_max")}
            for queue in ("PAY.IN", "PAY.OUT")
        }
        for _ in range(3)
    ]  # fmt: skip
    messages = [*map(statistics, intervals), accounting(50, 50, 1), accounting(50, 50, 2)]
    path = archived(bench, tmp_path, *messages)
    text = as_amqsmon_prints(tmp_path / "amqsmon.txt", *messages, qmgr="MON")
    by_both = items(bench, "activity", path, text)
    queues, by_amqsmon = (of_manager(by_both, qmgr) for qmgr in ("QM1", "MON"))
    rows = {row["queue"]: row for row in queues}
    for queue, row in rows.items():
        of_queue = [one[queue] for one in intervals]
        sums = {name: sum(one[name] for one in of_queue) for name in ("puts", "gets", "expired")}
        assert {name: row[name] for name in sums} == sums
        assert row["depth_max"] == max(one["depth_max"] for one in of_queue)
        assert row["busiest_puts"] == max(one["puts"] for one in of_queue)
        assert (row["basis"], row["intervals"]) == ("statistics", 3)
    assert set(rows) == {"PAY.IN", "PAY.OUT"}
    by_both = items(bench, "activity", path, text, "--table", "activity_applications")
    applications = of_manager(by_both, "QM1")
    (done,) = applications
    assert (done["application"], done["user"], done["queue"]) == ("payments", "pay", None)
    assert (done["commits"], done["backouts"], done["backout_percent"]) == (100, 100, 50.0)
    assert done["puts"] == 22

    assert timeless(by_amqsmon) == timeless(queues)
    assert by_amqsmon[0]["until_time"] == "2026-01-05T00:15:00Z"
    assert timeless(of_manager(by_both, "MON")) == timeless(applications)

    bench.ok("msg", "put", "PAY.IN", "order", "--expiry", "1h", "--yes")
    bench.ok("snapshot", "take", "--folder", str(tmp_path / "snaps"))
    listed = items(bench, "expiry", str(tmp_path / "snaps"), path, text)
    for qmgr, of_both in (("QM1", queues), ("MON", by_amqsmon)):
        rows = {row["queue"]: row for row in of_manager(listed, qmgr)}
        for queue in ("PAY.IN", "PAY.OUT"):
            row, counted = rows[queue], sum(of_queue[queue]["expired"] for of_queue in intervals)
            seen = int((qmgr, queue) == ("QM1", "PAY.IN"))
            assert (row["counted_expired"], row["message_count"]) == (counted, seen), qmgr
        ends = row["counted_from_time"], row["counted_until_time"]
        (of_all,) = (one for one in of_both if one["queue"] == "PAY.OUT")
        assert ends == (of_all["from_time"], of_all["until_time"])
    (row,) = items(bench, "expiry", str(tmp_path / "snaps"), path, "--where", "expiry > 1s")
    assert (row["queue"], row["counted_expired"]) == ("PAY.IN", None), "they are of all"


def test_what_has_no_counts_by_queue_says_which_attribute_collects_them() -> None:
    total: dict[str, Any] = {"queue": None}
    of_queue: dict[str, Any] = {"queue": "PAY.IN"}
    cases: tuple[tuple[str, list[Any], str], ...] = (
        ("activity", [], "no counts for queues in these files; STATQ(ON) or ACCTQ(ON)"),
        ("activity", [of_queue], ""),
        ("activity_applications", [], "no accounting of applications in these files; ACCTMQI(ON)"),
        ("activity_applications", [total], "no queue accounting in these files; ACCTQ(ON)"),
        ("activity_applications", [total, of_queue], ""),
    )
    for name, rows, text in cases:
        analysis = Analysis("activity", tables={name: rows})
        notes = listing_of(analysis, TABLES_OF["activity"][name]).warnings
        assert [note[: len(text)] for note in notes] == [text] * bool(text), (name, rows)


@pytest.mark.usefixtures("each_request_once")
def test_a_simulated_month_is_read_as_it_was_lived(bench: Bench, tmp_path: Path) -> None:
    """The counts are the queue manager's own, hour by hour, the truth is the driver's."""
    truth = simulated(
        tmp_path / "out",
        drawn_dice().randrange(1 << 30),
        days=amount(10, all=30),
        rate=100,
        every_us=86_400_000_000,
    )
    path = tmp_path / "out" / "events-SIM01.json"
    by_amqsmon = tmp_path / "amqsmon.txt"
    text = printed(map(json.loads, path.read_text().splitlines()))
    by_amqsmon.write_text(text.replace("SIM01", "MON"))
    files = (str(path), str(by_amqsmon))
    queues = items(bench, "activity", *files)
    applications = items(bench, "activity", *files, "--table", "activity_applications")
    for qmgr in ("SIM01", "MON"):
        is_read_as_lived(of_manager(queues, qmgr), of_manager(applications, qmgr), truth)


def is_read_as_lived(
    queues: list[dict[str, Any]], applications: list[dict[str, Any]], truth: dict[str, Any]
) -> None:
    rows = {row["queue"]: row for row in queues}
    backed_out = sum(truth["backed_out_after_rollbacks"].values())
    puts = {**truth["puts"], "PAYMENTS.BO": backed_out}
    puts[STAGING_QUEUE] = puts.pop("REMINDERS.IN")  # the processor puts them there, no program
    named = {name: row for name, row in rows.items() if row["puts"]}
    assert {name: row["puts"] for name, row in named.items()} == {
        n: c for n, c in puts.items() if c
    }
    assert {name: rows[name]["gets"] for name in truth["gets"]} == truth["gets"]
    assert {name: row["expired"] for name, row in rows.items() if row["expired"]} == {
        name: count for name, count in truth["discarded"].items() if count
    }
    assert truth["puts"]["QUOTES.REPLY"] > 30
    assert {row["basis"] for row in rows.values()} == {"statistics"}
    assert all(row["get_bytes"] for row in rows.values() if row["gets"] and row["put_bytes"])
    backouts = {row["application"]: row["backouts"] for row in applications if row["backouts"]}
    assert backouts == truth["backouts"]
    assert backouts


def test_temporary_queues_are_one_row_by_what_their_names_begin_with(
    bench: Bench, tmp_path: Path
) -> None:
    names = ("AMQ.6A41D5A425A8B787", "AMQ.6A41D5A425A8B799", "EXPORTER.6A41D5A425A8B757",
             "ORDERS.20260105", "PAY.IN")  # fmt: skip
    counts = {"depth_max": 2, "puts": 7, "gets": 6, "expired": 0}
    path = archived(bench, tmp_path, statistics(dict.fromkeys(names, counts)))
    rows = {row["queue"]: row["puts"] for row in
            bench.ok("analyze", "activity", path, "-o", "json").items}  # fmt: skip
    assert rows == {"AMQ.*": 14, "EXPORTER.*": 7, "ORDERS.20260105": 7, "PAY.IN": 7}


@pytest.mark.usefixtures("each_request_once")
@pytest.mark.skipif(not REAL.is_file(), reason="no corpus of messages: set MQTRIAGE_CORPUS")
def test_a_real_statistics_message_has_its_sixteen_queues(bench: Bench, tmp_path: Path) -> None:
    """Fourteen of them are reply queues of temporary names: one row."""
    path = archived(bench, tmp_path, REAL.read_bytes())
    rows = items(bench, "activity", path)
    assert len(rows) == 3
    assert rows[0]["queue"] == "MQAI.REPLY.*"
    assert {row["basis"] for row in rows} == {"statistics"}
    assert all(row["puts"] is not None and row["expired"] is not None for row in rows)
    text = as_amqsmon_prints(tmp_path / "amqsmon.txt", REAL.read_bytes())
    by_amqsmon = items(bench, "activity", text)
    assert {row["queue_manager"] for row in by_amqsmon} == {"mq_mgr1"}
    assert {row["queue_manager"] for row in rows} == {"QM1"}  # that had the archived queue
    assert timeless(by_amqsmon) == timeless(rows)


def test_damage_in_the_output_of_amqsmon_is_counted_and_costs_no_other_record(
    bench: Bench, tmp_path: Path
) -> None:
    counts = {queue: {"puts": 10, "gets": 9, "expired": 1, "depth_max": 5} for queue in "ABC"}
    path = tmp_path / "amqsmon.txt"
    as_amqsmon_prints(path, statistics(counts))
    text = path.read_text().replace("QM1", "QM{}")
    assert recognised(text.encode()) is LogForm.AMQSMON
    b = text.index("'B'")
    whole = ["$ amqsmon -m QM1 -t statistics -b\n" + text, text.replace("\n", "\r\n")]
    damaged = [
        text[:b] + text[b:].replace("[1, 7]", "[1, x]", 1),
        text[:b] + text[b:].replace("GetCount: ", "Get", 1),
        text.replace("IntervalEndDate", "IntervalDate", 1),
        text.replace("QueueStatistics\n", "QueueStatistic\n", 1),
        text[: text.index("ExpiredMsgCount", text.index("'C'"))],
    ]
    for number, one in enumerate([*whole, *damaged]):
        packed = gzip.compress(one.replace("{}", str(number)).encode())
        (tmp_path / f"{number}.txt.gz").write_bytes(packed)
    path.unlink()
    ran = bench.run("analyze", "activity", str(tmp_path), "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"records of amqsmon that cannot be read": 5}
    assert "2.txt.gz" in ran.err
    queues: dict[str, str] = {}
    for row in ran.items:
        queues[row["queue_manager"]] = queues.get(row["queue_manager"], "") + row["queue"]
        assert (row["puts"], row["gets"], row["expired"], row["depth_max"]) == (10, 9, 1, 5)
    assert queues == {"QM0": "ABC", "QM1": "ABC", "QM2": "AC", "QM3": "AC", "QM6": "AB"}
