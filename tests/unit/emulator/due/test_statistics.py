"""Statistics and accounting messages: what went through a queue, what a program did, and when."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin import dump
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.put import put
from mqtriage.emulator.core.tables import definitions, state, tallies
from mqtriage.messages.event_json import event_of
from mqtriage.mq import cmqc
from tests.unit.emulator.conftest import Lab, message

STATISTICS = "SYSTEM.ADMIN.STATISTICS.QUEUE"
ACCOUNTING = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"


@pytest.fixture
def counted(lab: Lab) -> Lab:
    """A queue manager that collects for a minute at a time."""
    for queue in {STATISTICS, ACCOUNTING} - lab.mq.manager.queues.keys():
        lab.mq.define("QLOCAL", queue, {})
    attributes: dict[str, int | str] = {
        "STATQ": "ON", "STATINT": 60, "ACCTMQI": "ON", "ACCTINT": 60,
        "ACCTQ": "ON",
    }  # fmt: skip
    lab.mq.alter("QMGR", "", attributes)
    return lab


def taken(lab: Lab, queue: str) -> list[dict[str, Any]]:
    """The messages that came, as amqsevt prints their data; each is taken once."""
    records = []
    while lab.depth(queue):
        event = event_of(lab.get(queue), queue, "QM1")
        assert event is not None
        records.append(event["eventData"])
    return records


def of_queues(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {group["queueName"]: group for group in record["queueStatisticsData"]}


def test_calls_are_told_once_by_queue_after_the_interval(counted: Lab) -> None:
    counted.local("A")
    counted.local("SILENT", STATQ="OFF")
    for persistence, name in ((0, "A"), (1, "A"), (1, "A"), (1, "SILENT")):
        counted.put(name, b"12345", persistence=persistence)
    counted.put("A", expiry_tenths=10)
    counted.get("A")
    counted.get("A")
    assert counted.depth(STATISTICS) == 0
    counted.advance(60)
    (record,) = taken(counted, STATISTICS)
    counts = of_queues(record)["A"]
    puts = [a + b for a, b in zip(counts["puts"], counts["put1s"], strict=True)]
    assert (sum(puts), puts[1], sum(counts["gets"]), counts["msgsExpired"]) == (4, 3, 2, 0)
    assert sum(counts["putBytes"]) == 3 * 5 + 1
    assert "SILENT" not in of_queues(record)
    assert (record["startTime"], record["endTime"]) != (None, None)

    counted.advance(3600)  # the expirer comes by: what it discards is counted, and then no more
    expired = [
        of_queues(one).get("A", {}).get("msgsExpired", 0) for one in taken(counted, STATISTICS)
    ]
    assert sum(expired) == 1
    counted.advance(3600)
    counted.advance(3600)
    silence = [of_queues(one) for one in taken(counted, STATISTICS)]
    assert not any("A" in one for one in silence)


def test_units_of_work_are_told_by_program(counted: Lab) -> None:
    queue = counted.local("A")
    program = Connection(counted.mq.manager, "payments", "mqm")
    handle = program.open("A", cmqc.MQOO_OUTPUT)
    for commits in (True, False, False):
        put.put(program, handle, message(), b"x", cmqc.MQPMO_SYNCPOINT)
        (program.commit if commits else program.back_out)()
    queue.get(options=cmqc.MQGMO_SYNCPOINT)
    counted.mq.backout()
    counted.advance(60)
    records = [one for one in taken(counted, ACCOUNTING) if "queueAccountingData" not in one]
    by_program = {record["applName"]: record for record in records}
    his = by_program.pop("payments")
    assert (his["commits"], his["backouts"], sum(his["puts"]), sum(his["gets"])) == (1, 2, 3, 0)
    (mine,) = by_program.values()
    assert (mine["backouts"], sum(mine["gets"])) == (1, 1)


def test_with_acctq_the_calls_of_each_program_are_told_by_queue(counted: Lab) -> None:
    counted.local("A")
    counted.local("B")
    counted.local("SILENT", ACCTQ="OFF")
    program = Connection(counted.mq.manager, "payments", "mqm")
    for name, number in (("A", 2), ("B", 1), ("SILENT", 1)):
        handle = program.open(name, cmqc.MQOO_OUTPUT)
        for _ in range(number):
            put.put(program, handle, message(), b"12345", 0)
    counted.get("A")
    counted.advance(60)
    records = [one for one in taken(counted, ACCOUNTING) if "queueAccountingData" in one]
    by_program = {
        record["applName"]: {group["queueName"]: group for group in record["queueAccountingData"]}
        for record in records
    }
    his = by_program.pop("payments")
    assert {name: (sum(one["puts"]), sum(one["putBytes"])) for name, one in his.items()} == {
        "A": (2, 10),
        "B": (1, 5),
    }
    (mine,) = by_program.values()
    assert {name: sum(one["gets"]) for name, one in mine.items()} == {"A": 1}
    counted.mq.alter("QMGR", "", {"ACCTQ": "OFF"})
    counted.get("A")
    counted.advance(60)
    assert ["queueAccountingData" in record for record in taken(counted, ACCOUNTING)] == [False]


def test_counts_outlive_a_restart_and_are_no_definition(counted: Lab) -> None:
    counted.local("A")
    counted.put("A")
    counted.restart()
    counted.put("A")
    kinds = {kind.lower() for it in tallies.PURPOSES for kind in (it.since, it.counts)}
    assert not [r for r in dump.records(counted.mq.manager) if r["record"] in kinds]
    counted.advance(60)
    (record,) = taken(counted, STATISTICS)
    counts = of_queues(record)["A"]
    assert sum(counts["puts"]) + sum(counts["put1s"]) == 2


def test_what_was_counted_is_told_when_collecting_ends_and_no_more(counted: Lab) -> None:
    counted.local("A")
    counted.put("A")
    counted.mq.alter("QMGR", "", {"STATQ": "OFF", "ACCTMQI": "OFF", "ACCTQ": "OFF"})
    counted.put("A")
    counted.advance(60)
    (record,) = taken(counted, STATISTICS)
    counts = of_queues(record)["A"]
    assert sum(counts["puts"]) + sum(counts["put1s"]) == 1
    taken(counted, ACCOUNTING)
    counted.put("A")
    counted.advance(3600)
    store = counted.mq.manager.store
    assert (counted.depth(STATISTICS), counted.depth(ACCOUNTING)) == (0, 0)
    assert [definitions.of_kind(store, k) for p in tallies.PURPOSES for k in p[:2]] == [[]] * 8
    assert (counted.mq.manager.tally, state.read(store).next_event_us) == (None, None)
