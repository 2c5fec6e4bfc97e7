"""Expiry: time to live in JMS, MQMD.Expiry in IBM MQ classes for Java."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from tests.jms.conftest import At, Classes
from tests.support.ibm_java import Thrown
from tests.unit.emulator.shared.test_xmitq import inner_of, transmitted


@pytest.mark.seed("EX-01", "EX-03", "EX-17", "EX-37", "EX-38")
def test_a_message_is_there_until_its_time_to_live_is_over_and_then_is_not(at: At) -> None:
    queue = at.local()
    jms = at.open()
    jms.set(ttl=10_000)
    jms.send(queue, "first")
    jms.send(queue, "second")
    assert [message.md.expiry_tenths for message in at.browse(queue)] == [100, 100]
    at.advance(9.9)
    assert (jms.receive(queue) or {})["text"] == "first"
    at.advance(0.1)
    assert jms.receive(call="no-wait") is None
    assert jms.browse(queue) == []


@pytest.mark.seed("EX-02")
def test_a_minute_is_six_hundred_tenths_of_a_second(at: At) -> None:
    queue = at.local()
    at.open().send(queue, ttl=60_000)
    assert [message.md.expiry_tenths for message in at.browse(queue)] == [600]


@pytest.mark.seed("EX-34", "EX-35", "EX-04", "EX-11", "EX-12")
def test_expired_messages_count_until_a_browse_discards_them(at: At) -> None:
    queue = at.local()
    jms = at.open()
    for _ in range(3):
        jms.send(queue, ttl=1000)
    at.advance(2)
    assert at.depth(queue) == 3
    assert jms.browse(queue) == []
    assert at.depth(queue) == 0


@pytest.mark.seed("EX-05", "EX-10", "EX-18", "EX-65", "EX-66", "EX-67")
def test_a_get_returns_what_is_left_of_it(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    mq.put(queue, expiry=600)
    mq.put(queue, expiry=1)
    mq.put(queue)
    at.advance(0.05)
    browsed = mq.get(queue, browse="first")
    at.advance(9.95)
    got, last = mq.get(queue), mq.get(queue)
    assert [one and one["expiry"] for one in (browsed, got, last)] == [600, 500, -1]


@pytest.mark.seed("EX-13")
def test_a_get_by_correlation_id_discards_expired_messages_with_that_id_alone(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    for name in ("one", "two", "three"):
        mq.put(queue, expiry=10, correlation=name)
    at.advance(2)
    assert mq.get(queue, correlation="two") is None
    assert at.depth(queue) == 2


@pytest.mark.seed("EX-14")
def test_a_get_discards_the_expired_messages_before_the_first_good_one(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    for text, expiry in (("e1", 10), ("e2", 10), ("L1", -1), ("e3", 10), ("L2", -1)):
        mq.put(queue, text, expiry=expiry)
    at.advance(2)
    assert (mq.get(queue) or {})["body"] == "L1"
    assert at.depth(queue) == 2


@pytest.mark.seed("EX-15", "EX-16")
def test_by_priority_those_of_higher_and_of_the_same_before_it(at: At) -> None:
    queue = at.local(MSGDLVSQ="PRIORITY")
    mq = at.connect()
    for text, priority, expiry in (
        ("e5", 5, 10), ("L5", 5, -1), ("e5 later", 5, 10), ("e3", 3, 10), ("e9", 9, 10)
    ):  # fmt: skip
        mq.put(queue, text, expiry=expiry, priority=priority)
    at.advance(2)
    assert (mq.get(queue) or {})["body"] == "L5"
    assert at.depth(queue) == 2


@pytest.mark.seed("EX-20", "EX-39")
@pytest.mark.parametrize(
    ("option", "length"),
    [
        (cmqc.MQRO_EXPIRATION, 0),
        (cmqc.MQRO_EXPIRATION_WITH_DATA, 100),
        (cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, 150),
    ],
    ids=["plain", "with-data", "with-full-data"],
)
def test_the_report_is_made_by_the_get_that_discards(at: At, option: int, length: int) -> None:
    queue, replies = at.local(), at.local()
    mq = at.connect()
    sent = mq.put(queue, "x" * 150, expiry=10, report=option, reply=replies)
    at.advance(2)
    assert at.depth(replies) == 0
    assert mq.get(queue) is None
    report = mq.get(replies)
    assert report is not None
    assert (report["type"], report["feedback"]) == (4, 258)
    assert (report["correlation"], len(report["body"])) == (sent["id"], length)


@pytest.mark.seed("EX-21")
def test_without_such_an_option_there_is_none(at: At) -> None:
    queue, replies = at.local(), at.local()
    mq = at.connect()
    mq.put(queue, expiry=10, reply=replies)
    at.advance(2)
    assert mq.get(queue) is None
    assert at.depth(replies) == 0


@pytest.mark.seed("EX-24", "EX-25")
def test_under_syncpoint_the_lifetime_runs_from_the_put(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="transacted")
    jms.send(queue, "lives", ttl=10_000)
    jms.send(queue, "dies", ttl=1000)
    at.advance(4)
    jms.commit()
    at.advance(2)
    mq = at.connect()
    assert (mq.get(queue) or {})["expiry"] == 40
    assert mq.get(queue) is None


@pytest.mark.seed("EX-26", "EX-27", "EX-28", "EX-33")
@pytest.mark.parametrize("expiry", [0, -2])
@pytest.mark.parametrize("put1", [False, True], ids=["MQPUT", "MQPUT1"])
def test_an_expiry_of_0_or_below_is_refused_and_not_reported(
    at: At, expiry: int, put1: bool
) -> None:
    queue, replies = at.local(), at.local()
    with pytest.raises(Thrown) as error:
        at.connect().put(
            queue, expiry=expiry, put1=put1, report=cmqc.MQRO_EXPIRATION, reply=replies
        )
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert (at.depth(queue), at.depth(replies)) == (0, 0)


@pytest.mark.seed("EX-30")
def test_a_value_above_999_999_999_counts_as_it_is(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    mq.put(queue, expiry=1_000_000_000)
    at.advance(1)
    assert (mq.get(queue) or {})["expiry"] == 999_999_990


@pytest.mark.seed("EX-40", "EX-41", "EX-42")
def test_discard_and_report_ignore_the_rollback(at: At) -> None:
    queue, replies = at.local(), at.local()
    mq = at.connect()
    mq.put(queue, "expired", expiry=10, report=cmqc.MQRO_EXPIRATION, reply=replies)
    mq.put(queue, "nearly", expiry=30)
    at.advance(2)
    assert (mq.get(queue, syncpoint=True) or {})["body"] == "nearly"
    at.advance(2)
    mq.backout()
    assert at.depth(replies) == 1
    assert mq.get(queue) is None


@pytest.mark.seed("EX-43")
def test_a_locked_message_can_expire_before_it_is_got(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    mq.put(queue, expiry=10)
    assert mq.get(queue, browse="lock") is not None
    at.advance(2)
    with pytest.raises(Thrown) as error:
        mq.get(queue, browse="under-cursor")
    assert error.value.reason == cmqc.MQRC_NO_MSG_UNDER_CURSOR


@pytest.mark.seed("EX-44", "EX-45", "EX-46")
def test_a_reply_has_the_lifetime_that_the_replier_gives_it(at: At) -> None:
    requests, replies = at.local(), at.local()
    mq = at.connect()
    mq.put(requests, expiry=600, reply=replies)
    at.advance(10)
    asked = mq.get(requests)
    assert asked is not None
    for expiry in (asked["expiry"], 70, -1):
        mq.put(replies, expiry=expiry)
    assert [message.md.expiry_tenths for message in at.browse(replies)] == [500, 70, -1]


@pytest.mark.seed("EX-51", "EX-52", "EX-06")
def test_on_a_transmission_queue_the_time_is_taken_off(at: At) -> None:
    waiting = at.local(USAGE="XMITQ")
    at.mqsc(f"DEFINE QREMOTE(FAR.{waiting}) RNAME(THERE) RQMNAME(QM9) XMITQ({waiting})")
    mq = at.connect()
    mq.put(f"FAR.{waiting}", expiry=600)
    at.advance(10)
    got = mq.get(waiting)
    assert got is not None
    assert (got["format"], got["expiry"]) == ("MQXMIT", 500)


@pytest.mark.seed("EX-19")
def test_a_message_on_its_way_can_expire(at: At) -> None:
    waiting = at.local(USAGE="XMITQ")
    at.mqsc(f"DEFINE QREMOTE(FAR.{waiting}) RNAME(THERE) RQMNAME(QM9) XMITQ({waiting})")
    mq = at.connect()
    mq.put(f"FAR.{waiting}", expiry=50)
    at.advance(10)
    assert mq.get(waiting) is None
    assert at.depth(waiting) == 0


def put_in_transit(
    mq: Classes, queue: str, outer: int, inner: int, length: int | None = None
) -> None:
    """Put a message with a transmission header of its own, perhaps cut."""
    body = transmitted(inner)[:length].decode("latin-1")
    mq.put(queue, body, format="MQXMIT", encoding=546, expiry=outer)


@pytest.mark.seed("EX-50", "EX-53", "EX-60")
def test_a_message_in_transit_has_two_lifetimes_and_both_run(at: At) -> None:
    waiting, mq = at.local(USAGE="XMITQ"), at.connect()
    put_in_transit(mq, waiting, 600, 600)
    at.advance(10)
    got = mq.get(waiting)
    assert got is not None
    assert (got["expiry"], inner_of(got["body"].encode("latin-1"))) == (500, 500)


@pytest.mark.seed("EX-57", "EX-58", "EX-59")
@pytest.mark.parametrize(("inner", "length"), [(100, None), (0, None), (600, 20)])
def test_a_put_in_transit_with_lifetimes_that_differ_or_no_second_one_is_refused(
    at: At, inner: int, length: int | None
) -> None:
    waiting, mq = at.local(USAGE="XMITQ"), at.connect()
    with pytest.raises(Thrown) as error:
        put_in_transit(mq, waiting, 600, inner, length)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert at.depth(waiting) == 0


@pytest.mark.seed("EX-54", "EX-55", "EX-56", "EX-61", "EX-62", "EX-63")
def test_by_the_older_documents_nothing_checks_that_and_the_outer_lifetime_decides(at: At) -> None:
    waiting, mq = at.local(USAGE="XMITQ"), at.connect()
    at.lab.switch("xmitq_expiry_check", "none")
    try:
        put_in_transit(mq, waiting, 600, 50)
        put_in_transit(mq, waiting, 50, 600)
        put_in_transit(mq, waiting, 600, 600, 50)
        mq.put(waiting, expiry=600)
        at.advance(10)
        got, short, plain = (mq.get(waiting) or {} for _ in range(3))
    finally:
        at.lab.switch("xmitq_expiry_check", "consistent")
    assert (got["expiry"], inner_of(got["body"].encode("latin-1"))) == (500, 0)
    assert (short["expiry"], len(short["body"])) == (500, 50)
    assert (plain["expiry"], plain["format"]) == (500, "MQSTR")
    assert mq.get(waiting) is None


@pytest.mark.seed("EX-36", "EX-49")
def test_expired_messages_count_for_a_trigger_whose_message_never_expires(at: At) -> None:
    mq, started = at.connect(), at.local()
    queue = at.local(
        TRIGGER="YES", TRIGTYPE="DEPTH", TRIGDPTH=3, INITQ=started, PROCESS=f"P.{started}"
    )
    at.mqsc(f"DEFINE PROCESS(P.{started}) APPLICID('/usr/bin/serve')")
    assert mq.get(started) is None
    for _ in range(2):
        mq.put(queue, expiry=1)
    at.advance(1)
    assert mq.get(started) is None
    mq.put(queue)
    fired = mq.get(started)
    assert fired is not None
    assert (fired["format"], fired["expiry"]) == ("MQTRIG", -1)


@pytest.mark.seed("EX-48")
def test_on_a_dead_letter_queue_the_lifetime_goes_on(at: At) -> None:
    dead = at.dead_letter_queue()
    queue = at.local(BOTHRESH=1)
    jms = at.open(mode="transacted")
    jms.send(queue, "poison", ttl=60_000)
    jms.commit()
    assert jms.receive(queue) is not None
    jms.rollback()
    at.advance(10)
    assert jms.receive(wait=100) is None
    jms.commit()
    at.advance(10)
    assert at.browse(dead)[0].md.expiry_tenths == 400
