"""Performance events: which change of a queue is reported, once, and what the message says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import QueueFull
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf
from tests.unit.emulator.conftest import Lab, message

PERFM = "SYSTEM.ADMIN.PERFM.EVENT"
FULL, HIGH, LOW, SLOW, SERVED = 2053, 2224, 2225, 2226, 2227
DEPTHS: dict[str, int | str] = {
    "MAXDEPTH": 10,
    "QDEPTHHI": 80,
    "QDEPTHLO": 20,
    "QDPHIEV": "ENABLED",
}


@pytest.fixture
def watched(lab: Lab) -> Lab:
    """A queue manager that reports performance events."""
    if PERFM not in lab.mq.manager.queues:
        lab.mq.define("QLOCAL", PERFM, {})
    lab.mq.alter("QMGR", "", {"PERFMEV": "ENABLED"})
    return lab


def events(lab: Lab) -> list[Message]:
    return list(lab.open(PERFM, cmqc.MQOO_BROWSE).browse())


def reasons(lab: Lab) -> list[int]:
    return [pcf.decode(event.body).reason for event in events(lab)]


def numbers(event: Message) -> dict[int, pcf.Value]:
    return {p.parameter: p.value for p in pcf.decode(event.body).parameters}


def attribute(lab: Lab, keyword: str) -> int | str:
    lab.mq.manager.refresh()
    return lab.mq.manager.queues["Q1"].attributes[keyword]


def test_a_queue_that_fills_and_empties_is_reported_once_each_way(watched: Lab) -> None:
    """The sequence of IBM's second example: High, Full, Low, and High again."""
    queue = watched.local("Q1", **DEPTHS)
    for _ in range(10):
        watched.put("Q1")
    for _ in range(3):
        with pytest.raises(QueueFull):
            watched.put("Q1")
    assert reasons(watched) == [HIGH, FULL]
    for _ in range(10):
        queue.get()
    assert reasons(watched) == [HIGH, FULL, LOW]
    for _ in range(9):
        watched.put("Q1")
    assert reasons(watched) == [HIGH, FULL, LOW, HIGH]


def test_an_event_turns_those_that_may_follow_on_and_itself_off(watched: Lab) -> None:
    watched.local("Q1", **DEPTHS, QDPMAXEV="DISABLED")
    for _ in range(8):
        watched.put("Q1")
    turned = [attribute(watched, k) for k in ("QDPHIEV", "QDPLOEV", "QDPMAXEV")]
    assert turned == ["DISABLED", "ENABLED", "ENABLED"]


def test_the_message_counts_since_the_event_before(watched: Lab) -> None:
    queue = watched.local("Q1", **DEPTHS)
    watched.advance(60)
    for _ in range(8):
        watched.put("Q1")
    watched.advance(30)
    for _ in range(6):
        queue.get()
    high, low = events(watched)
    assert pcf.decode(high.body).command == 45
    assert numbers(high) == {2015: "QM1", 2002: "Q1", 35: 60, 36: 8, 37: 8, 38: 0}
    assert numbers(low) == {2015: "QM1", 2002: "Q1", 35: 30, 36: 8, 37: 0, 38: 6}
    assert (high.md.format, high.md.put_appl_name) == ("MQEVENT", "QM1")


@pytest.mark.parametrize(
    ("manager", "queue"),
    [("DISABLED", DEPTHS), ("ENABLED", {**DEPTHS, "QDPHIEV": "DISABLED"})],
    ids=["PERFMEV", "QDPHIEV"],
)
def test_without_its_attributes_nothing_is_reported(
    watched: Lab, manager: str, queue: dict[str, int | str]
) -> None:
    watched.mq.alter("QMGR", "", {"PERFMEV": manager})
    watched.local("Q1", **queue)
    for _ in range(10):
        watched.put("Q1")
    assert reasons(watched) == []


def test_a_unit_of_work_is_reported_and_a_refused_put_in_it_as_well(watched: Lab) -> None:
    queue = watched.local("Q1", **DEPTHS)
    for _ in range(10):
        watched.mq.put1("Q1", message(), b"x", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(QueueFull):
        watched.mq.put1("Q1", message(), b"x", cmqc.MQPMO_SYNCPOINT)
    watched.mq.commit()
    for _ in range(10):
        queue.get(cmqc.MQGMO_SYNCPOINT)
    assert reasons(watched) == [HIGH, FULL]
    watched.mq.commit()
    assert reasons(watched) == [HIGH, FULL, LOW]


def test_messages_that_expire_are_no_get(watched: Lab) -> None:
    queue = watched.local("Q1", **DEPTHS)
    for _ in range(8):
        watched.put("Q1", expiry_tenths=10)
    watched.advance(600)
    assert list(queue.browse()) == []
    assert reasons(watched) == [HIGH]


def test_what_is_due_at_one_moment_is_got_one_after_the_other(watched: Lab) -> None:
    """They are released by transactions of one time, of which the last leaves the queue low."""
    watched.local("Q1")
    watched.mq.alter("QLOCAL", STAGING_QUEUE, DEPTHS)
    for _ in range(8):
        watched.mq.put_delayed("Q1", message(), b"", 60_000, cmqc.MQPMO_SYNCPOINT)
    watched.mq.commit()
    watched.advance(3600)
    assert watched.depth("Q1") == 8
    assert reasons(watched) == [HIGH, LOW]


def test_a_queue_that_nobody_serves_is_reported_late_and_when_it_is_served(watched: Lab) -> None:
    queue = watched.local("Q1", QSVCIEV="HIGH", QSVCINT=10_000)
    for _ in range(3):
        watched.put("Q1")
    watched.advance(9)
    queue.get()
    assert reasons(watched) == []
    watched.advance(11)
    queue.get()
    assert reasons(watched) == [SLOW]
    watched.put("Q1")
    watched.advance(1)
    queue.get()
    assert reasons(watched) == [SLOW, SERVED]


def test_a_delayed_message_is_served_or_late_from_the_commit_of_its_unit(watched: Lab) -> None:
    watched.local("Q1")
    watched.mq.alter("QLOCAL", STAGING_QUEUE, {"QSVCIEV": "HIGH", "QSVCINT": 1_000})
    watched.send("Q1", 3_600_000)
    watched.advance(2)
    watched.mq.put_delayed("Q1", message(), b"", 3_600_000, cmqc.MQPMO_SYNCPOINT)
    assert reasons(watched) == []
    watched.mq.commit()
    assert reasons(watched) == [SLOW]


def test_programs_that_were_connected_before_are_observed_as_well(watched: Lab) -> None:
    watched.local("Q1", **DEPTHS)
    other = watched.connect()
    for _ in range(8):
        other.put1("Q1", message(), b"x")
    assert reasons(watched) == [HIGH]


def test_where_the_event_queue_is_full_the_put_goes_through(watched: Lab) -> None:
    watched.local("Q1", **DEPTHS)
    watched.mq.alter("QLOCAL", PERFM, {"PUT": "DISABLED"})
    for _ in range(8):
        watched.put("Q1")
    assert (watched.depth("Q1"), watched.depth(PERFM)) == (8, 0)


def test_a_salvaged_queue_manager_goes_on_reporting(watched: Lab, tmp_path: Path) -> None:
    from mqtriage.commands.emulator.damage import salvage
    from mqtriage.emulator.open import open_manager

    watched.local("Q1", **DEPTHS)
    watched.mq.disconnect()
    salvage(watched.home, "QM1", "QM2")
    manager = open_manager(watched.path.with_name(watched.path.name.replace("QM1", "QM2")))
    sql = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    assert manager.store.execute(sql).fetchall() == [("depth_changes",)]
    manager.close()
