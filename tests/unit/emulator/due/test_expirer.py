"""The expirer: when it runs, what it takes, and that the way time passes makes no difference."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core import clock
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.due import expirer
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, UsageError
from tests.support.scale import amount
from tests.unit.emulator.conftest import ALL, Lab, message

DLQ = "SYSTEM.DEAD.LETTER.QUEUE"


def test_it_runs_every_five_minutes(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.put("Q1", expiry_tenths=10)
    lab.advance(299)
    assert lab.depth("Q1") == 1
    lab.advance(1)
    assert lab.depth("Q1") == 0


def test_it_leaves_what_is_alive(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.put("Q1", expiry_tenths=3001)
    lab.put("Q1")
    lab.advance(300)
    assert lab.depth("Q1") == 2
    lab.advance(300)
    assert lab.depth("Q1") == 1


def test_it_reports_at_its_own_time(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.mq.define("QLOCAL", "REPLIES", {})
    put = lab.put("Q1", expiry_tenths=10, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES")
    lab.advance(86_400)
    report = lab.get("REPLIES").md
    assert report.feedback == cmqc.MQFB_EXPIRATION
    assert _seconds(report.put_time) - _seconds(put.put_time) in (300, 300 - 86_400)


def _seconds(put_time: str) -> int:
    return int(put_time[:2]) * 3600 + int(put_time[2:4]) * 60 + int(put_time[4:6])


@pytest.mark.parametrize(
    ("interval", "seconds", "depth"),
    [("off", 600, 1), ("3600", 600, 1), ("60", 59, 1), ("60", 60, 0), ("600", 600, 0)],
)
def test_its_interval_can_be_set(lab: Lab, interval: str, seconds: int, depth: int) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.put("Q1", expiry_tenths=10)
    lifecycle.switch(lab.mq.manager, "expirer_interval_s", interval)
    lab.advance(seconds)
    assert lab.depth("Q1") == depth


@pytest.mark.parametrize("interval", ["0", "-1", "often", "", "1.5"])
def test_a_bad_interval_is_refused(lab: Lab, interval: str) -> None:
    with pytest.raises(UsageError, match="allowed off, 1 to"):
        lifecycle.switch(lab.mq.manager, "expirer_interval_s", interval)


@pytest.mark.seed("EX-25")
def test_what_a_unit_of_work_holds_stays_until_after_it_ends(lab: Lab) -> None:
    lab.local("Q1").put(message(expiry_tenths=10), b"", cmqc.MQPMO_SYNCPOINT)
    other = lab.connect()
    other.put1("Q1", message(expiry_tenths=10), b"")
    lab.advance(0.5)
    other.open("Q1", ALL).get(cmqc.MQGMO_SYNCPOINT)
    lab.advance(699.5)
    assert lab.depth("Q1") == 2
    lab.mq.commit()
    other.backout()
    assert lab.depth("Q1") == 2
    lab.advance(199)
    assert lab.depth("Q1") == 2
    lab.advance(1)
    assert lab.depth("Q1") == 0


def test_a_locked_message_is_taken_too(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=10), b"")
    queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK)
    lab.advance(300)
    assert lab.depth("Q1") == 0
    with pytest.raises(MQIError):
        queue.get(0x100)


def test_ten_years_without_anything_to_do_take_no_time(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.put("Q1", expiry_tenths=1)
    before = clock.wall_us()
    lab.advance(10 * 365 * 86_400)
    assert lab.depth("Q1") == 0
    assert clock.wall_us() - before < 2_000_000


def test_more_messages_than_a_batch_go_in_one_run(lab: Lab) -> None:
    queue = lab.local("Q1")
    for _ in range(1500):
        queue.put(message(expiry_tenths=1, persistence=0), b"", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    lab.advance(300)
    assert lab.depth("Q1") == 0


def test_zos_has_none_until_expryint_is_set(zos: Lab) -> None:
    zos.mq.define("QLOCAL", "Q1", {})
    zos.mq.put1("Q1", message(expiry_tenths=1), b"", 4)
    zos.advance(3600)
    assert zos.depth("Q1") == 1
    zos.mq.alter("QMGR", "", {"EXPRYINT": 60})
    zos.advance(60)
    assert zos.depth("Q1") == 0


def test_zos_scans_on_refresh_and_dist_does_not_know_it(zos: Lab, lab: Lab) -> None:
    zos.mq.define("QLOCAL", "Q1", {})
    zos.mq.put1("Q1", message(expiry_tenths=1), b"", 4)
    zos.mq.put1("Q1", message(expiry_tenths=900), b"", 4)
    zos.advance(1)
    assert expirer.scan_now(zos.mq.manager) == 1
    assert zos.depth("Q1") == 1
    with pytest.raises(UsageError):
        expirer.scan_now(lab.mq.manager)


def test_zos_scans_when_it_starts(zos: Lab) -> None:
    zos.mq.define("QLOCAL", "Q1", {})
    zos.mq.put1("Q1", message(expiry_tenths=1), b"", 4)
    zos.advance(1)
    zos.restart()
    assert zos.depth("Q1") == 0


def test_it_runs_although_the_delay_processor_stands_still(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 1000)
    lab.mq.alter("QLOCAL", "SYSTEM.DDELAY.LOCAL.QUEUE", {"GET": "DISABLED"})
    lab.put("Q1", expiry_tenths=10)
    lab.advance(300)
    assert lab.depth("Q1") == 0
    lab.mq.alter("QLOCAL", "SYSTEM.DDELAY.LOCAL.QUEUE", {"GET": "ENABLED"})
    assert lab.depth("Q1") == 1


def test_room_that_it_makes_is_there_for_the_next_delivery(lab: Lab) -> None:
    """Deliveries and runs of the expirer happen in the order of time."""
    lab.mq.define("QLOCAL", "Q1", {"MAXDEPTH": 2})
    lab.send("Q1", 301_000, b"later")
    lab.put("Q1", b"short", expiry_tenths=10)
    lab.put("Q1", b"stays")
    lab.advance(302)
    assert lab.bodies("Q1") == [b"stays", b"later"]


@pytest.mark.parametrize("steps", [(110,), (20, 90), (69, 1, 40)])
def test_a_retry_comes_before_a_later_delivery(lab: Lab, steps: tuple[int, ...]) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.mq.define("QLOCAL", "Q2", {})
    start_us = lab.mq.now_us()
    lab.send("Q1", 10_000)
    lab.send("Q2", 80_000)
    lab.send("Q1", 100_000)
    lifecycle.switch(lab.mq.manager, "fault.put.Q1", "2051")
    for step in steps:
        lab.advance(step)
    assert lab.depth("Q2") == 1
    rows = lab.mq.manager.store.execute(
        "SELECT event_us FROM message WHERE event_us IS NOT NULL ORDER BY position"
    )
    assert [(event_us - start_us) // 1_000_000 for (event_us,) in rows] == [130, 160]


def test_capexpry_holds_for_a_delayed_message_at_its_delivery(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 10_000, b"", expiry_tenths=6000)
    lab.mq.alter("QLOCAL", "Q1", {"CAPEXPRY": 300})
    lab.advance(10)
    lab.advance(10)
    assert lab.get("Q1").md.expiry_tenths == 200


def test_capexpry_does_not_lengthen_what_is_left_at_the_delivery(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.send("Q1", 10_000, b"", expiry_tenths=150)
    lab.mq.alter("QLOCAL", "Q1", {"CAPEXPRY": 300})
    lab.advance(12)
    assert lab.get("Q1").md.expiry_tenths == 30


# -- any split of an advance gives the same file ---------------------------------------------------

_EVENT = st.tuples(
    st.sampled_from(["put", "send", "uncommitted"]),
    st.integers(1, 900),  # seconds of delay
    st.one_of(st.just(-1), st.integers(1, 12_000)),  # lifetime in tenths
    st.sampled_from(["Q1", "FULL", "CAPPED"]),
)


def dump(manager: Manager) -> list[object]:
    """Everything that a user could see of messages, with exact times."""
    rows = manager.store.execute(
        "SELECT message.position, md, put_us, expires_us, due_us, event_us, backouts, data"
        " FROM message JOIN body USING (position) ORDER BY message.position"
    ).fetchall()
    depths = manager.store.execute("SELECT queue, depth, get_us FROM counter").fetchall()
    return [*rows, *depths]


@settings(max_examples=amount(20), suppress_health_check=[HealthCheck.too_slow])
@given(
    events=st.lists(_EVENT, min_size=1, max_size=8),
    steps=st.lists(st.integers(1, 700), min_size=1, max_size=6),
)
@pytest.mark.slow
def test_any_split_of_an_advance_gives_the_same_dump(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[tuple[str, int, int, str]],
    steps: list[int],
) -> None:
    lab = Lab(tmp_path_factory.mktemp("split"))
    options = cmqc.MQRO_EXPIRATION | cmqc.MQRO_EXCEPTION | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY
    lab.mq.define("QLOCAL", "Q1", {})
    lab.mq.define("QLOCAL", "FULL", {"MAXDEPTH": 2})
    lab.mq.define("QLOCAL", "CAPPED", {"CAPEXPRY": 500})
    lab.mq.define("QLOCAL", "REPLIES", {"MAXDEPTH": 3})
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lab.mq.alter("QLOCAL", DLQ, {"MAXDEPTH": 2})
    for kind, delay_s, expiry, name in events:
        md = message(expiry_tenths=expiry, report=options, reply_to_q="REPLIES")
        try:
            if kind == "send":
                lab.mq.put_delayed(name, md, b"x", delay_s * 1000)
            else:
                lab.mq.put1(name, md, b"x", cmqc.MQPMO_SYNCPOINT if kind == "uncommitted" else 0)
        except MQIError:
            continue
    lab.mq.commit()
    lab.close()
    split = lab.path.with_name("QM2.qmgr")
    shutil.copyfile(lab.path, split)
    one, many = open_manager(lab.path), open_manager(split)
    try:
        lifecycle.advance(one, sum(steps) * 1_000_000)
        for step in steps:
            lifecycle.advance(many, step * 1_000_000)
        assert dump(one) == dump(many)
    finally:
        one.close()
        many.close()
