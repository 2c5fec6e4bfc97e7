"""Expiry on ordinary queues: what is left, what is discarded by whom, what is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mqtriage.backends.emulated import EmulatedHandle
from mqtriage.backends.port import ANY, Match
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.clients.jms import JmsSession
from mqtriage.emulator.pubsub.publications import send
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, QueueFull
from tests.support.jms_consumers import MessageConsumer, TopicSubscriber
from tests.unit.emulator.conftest import ALL, Lab, message, nothing_on


@pytest.mark.seed("EX-01", "EX-03", "EX-18")
def test_a_lifetime_is_in_tenths_and_belongs_to_its_message(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=100), b"short")
    queue.put(message(expiry_tenths=200), b"long")
    lab.advance(9.9)
    assert [m.md.expiry_tenths for m in queue.browse()] == [1, 101]
    lab.advance(0.1)
    assert [m.body for m in queue.browse()] == [b"long"]


@pytest.mark.seed("EX-05", "EX-10")
def test_get_and_browse_show_what_is_left(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=600), b"")
    lab.advance(10)
    assert next(iter(queue.browse())).md.expiry_tenths == 500
    assert queue.get().md.expiry_tenths == 500


@pytest.mark.seed("EX-65", "EX-67")
def test_unlimited_stays_unlimited(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"")
    lab.advance(10 * 365 * 86_400)
    assert queue.get().md.expiry_tenths == -1


@pytest.mark.seed("EX-04", "EX-34", "EX-35")
def test_an_expired_message_counts_until_somebody_meets_it(lab: Lab) -> None:
    queue = lab.local("Q1", MAXDEPTH=5)
    for _ in range(5):
        queue.put(message(expiry_tenths=1), b"")
    lab.advance(1)
    assert lab.depth("Q1") == 5
    with pytest.raises(QueueFull):
        queue.put(message(), b"")
    assert nothing_on(queue)
    assert lab.depth("Q1") == 0
    queue.put(message(), b"")


def by(options: int = 0, match: Match = ANY) -> Callable[[EmulatedHandle], list[bytes]]:
    """What one get or browse returns, of a message or none."""

    def call(queue: EmulatedHandle) -> list[bytes]:
        try:
            return [queue.get(options, match).body]
        except MQIError as error:
            under_cursor = cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR | cmqc.MQGMO_MSG_UNDER_CURSOR
            none = cmqc.MQRC_NO_MSG_UNDER_CURSOR if options & under_cursor else 2033
            assert error.reason == none
            return []

    return call


CORREL_ID: Final = b"C" * 24
WAYS: Final[dict[str, Callable[[EmulatedHandle], list[bytes]]]] = {
    "get": by(),
    "get-by-id": by(match=Match(correl_id=CORREL_ID)),
    "get-under-syncpoint": by(cmqc.MQGMO_SYNCPOINT),
    "get-under-cursor": by(cmqc.MQGMO_MSG_UNDER_CURSOR),
    "browse-first": by(cmqc.MQGMO_BROWSE_FIRST),
    "browse-next": by(cmqc.MQGMO_BROWSE_NEXT),
    "browse-under-cursor": by(cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR),
    "walk": lambda queue: [message.body for message in queue.browse()],
}


@pytest.mark.seed("EX-17", "EX-18", "EX-11")
@pytest.mark.parametrize("selector", ["", "Root.MQMD.Priority = 0"], ids=["any", "selected"])
@pytest.mark.parametrize("way", WAYS)
def test_at_the_very_end_of_its_lifetime_nobody_gets_it_and_it_is_discarded(
    lab: Lab, way: str, selector: str
) -> None:
    for name, moment, shown in (("Q1", 0.999_999, [b"x"]), ("Q2", 1.0, [])):
        lab.local(name)
        queue = lab.mq.open(name, ALL, selector=selector)
        queue.put(message(expiry_tenths=10, correl_id=CORREL_ID, priority=0), b"x")
        if way.endswith("under-cursor"):
            queue.get(cmqc.MQGMO_BROWSE_FIRST)
        lab.advance(moment)
        assert WAYS[way](queue) == shown
        lab.mq.commit()
    assert lab.depth("Q2") == 0


@pytest.mark.seed("EX-11", "C-02")
@pytest.mark.parametrize("browse", [False, True], ids=["get", "browse"])
def test_a_queue_of_nothing_but_expired_messages_is_cleaned(lab: Lab, browse: bool) -> None:
    queue = lab.local("Q1")
    for _ in range(3):
        queue.put(message(expiry_tenths=1), b"")
    lab.advance(1)
    if browse:
        assert list(queue.browse()) == []
    else:
        assert nothing_on(queue)
    assert lab.depth("Q1") == 0


@pytest.mark.seed("EX-13")
def test_a_get_with_a_match_discards_only_what_it_would_have_returned(lab: Lab) -> None:
    queue = lab.local("Q1")
    ids = [bytes([n]) * 24 for n in (1, 2, 3)]
    for correl_id in ids:
        queue.put(message(expiry_tenths=1, correl_id=correl_id), b"")
    lab.advance(1)
    with pytest.raises(MQIError):
        queue.get(match=Match(correl_id=ids[1]))
    assert lab.depth("Q1") == 2


@pytest.mark.seed("EX-14")
def test_fifo_discards_up_to_the_first_that_is_alive(lab: Lab) -> None:
    queue = lab.local("Q1", MSGDLVSQ="FIFO")
    for body, expiry in ((b"e1", 1), (b"e2", 1), (b"L1", -1), (b"e3", 1), (b"L2", -1)):
        queue.put(message(expiry_tenths=expiry), body)
    lab.advance(1)
    assert queue.get().body == b"L1"
    assert lab.depth("Q1") == 2


@pytest.mark.seed("EX-15", "EX-16", "C-03")
def test_a_priority_queue_discards_higher_ones_and_earlier_equal_ones(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=1, priority=5), b"e5 earlier")
    queue.put(message(priority=5), b"L5")
    queue.put(message(expiry_tenths=1, priority=5), b"e5 later")
    queue.put(message(expiry_tenths=1, priority=3), b"e3")
    queue.put(message(expiry_tenths=1, priority=9), b"e9 latest")
    lab.advance(1)
    assert queue.get().body == b"L5"
    assert lab.depth("Q1") == 2


@pytest.mark.seed("EX-12", "EX-20")
@pytest.mark.parametrize(
    ("option", "carried"),
    [
        pytest.param(cmqc.MQRO_EXPIRATION, 0, id="plain"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_DATA, 100, id="100-bytes"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, 300, id="all"),
    ],
)
def test_a_discard_sends_the_report_that_was_asked_for(lab: Lab, option: int, carried: int) -> None:
    queue, replies = lab.local("Q1"), lab.local("REPLIES")
    sent = queue.put(
        message(expiry_tenths=1, report=option, reply_to_q="REPLIES"), bytes(range(256)) + b"x" * 44
    )
    lab.advance(1)
    list(queue.browse())
    report = replies.get()
    assert (report.md.feedback, report.md.msg_type) == (cmqc.MQFB_EXPIRATION, cmqc.MQMT_REPORT)
    assert report.md.correl_id == sent.msg_id
    assert report.length_bytes == carried


@pytest.mark.seed("EX-21")
def test_without_the_option_no_report_is_made(lab: Lab) -> None:
    queue, replies = lab.local("Q1"), lab.local("REPLIES")
    queue.put(message(expiry_tenths=1, reply_to_q="REPLIES"), b"")
    lab.advance(1)
    assert nothing_on(queue)
    assert nothing_on(replies)


@pytest.mark.seed("EX-39")
def test_the_report_is_made_at_the_discard_not_at_the_end_of_the_lifetime(lab: Lab) -> None:
    lifecycle.switch(lab.mq.manager, "expirer_interval_s", "off")
    queue, replies = lab.local("Q1"), lab.local("REPLIES")
    put = queue.put(
        message(expiry_tenths=100, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES"), b""
    )
    lab.advance(3600)
    assert nothing_on(replies)
    assert nothing_on(queue)
    report = replies.get().md
    assert int(report.put_time[:2]) == (int(put.put_time[:2]) + 1) % 24
    assert report.put_time[2:6] == put.put_time[2:6]


@pytest.mark.seed("EX-40", "EX-41")
def test_discard_and_report_stay_when_the_unit_is_backed_out(lab: Lab) -> None:
    queue, replies = lab.local("Q1", MSGDLVSQ="FIFO"), lab.local("REPLIES")
    queue.put(message(expiry_tenths=1, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES"), b"e1")
    queue.put(message(), b"L1")
    lab.advance(1)
    assert queue.get(cmqc.MQGMO_SYNCPOINT).body == b"L1"
    other = lab.connect().open("REPLIES", ALL)
    assert len(list(other.browse())) == 1
    lab.mq.backout()
    assert lab.bodies("Q1") == [b"L1"]
    assert replies.get().md.feedback == cmqc.MQFB_EXPIRATION


@pytest.mark.seed("EX-42")
def test_a_message_can_expire_while_it_is_held_and_backed_out(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=50), b"")
    lab.advance(4)
    queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.advance(2)
    lab.mq.backout()
    assert nothing_on(queue)
    assert lab.depth("Q1") == 0


@pytest.mark.seed("EX-43")
def test_a_locked_message_that_expires_is_no_longer_under_the_cursor(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=50), b"")
    lab.advance(4)
    queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK)
    lab.advance(2)
    with pytest.raises(MQIError) as error:
        queue.get(cmqc.MQGMO_MSG_UNDER_CURSOR)
    assert error.value.reason == cmqc.MQRC_NO_MSG_UNDER_CURSOR


@pytest.mark.seed("EX-24")
def test_the_lifetime_runs_from_the_put_not_from_the_commit(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=100), b"", cmqc.MQPMO_SYNCPOINT)
    lab.advance(4)
    lab.mq.commit()
    lab.advance(2)
    assert queue.get().md.expiry_tenths == 40


@pytest.mark.seed("EX-25")
def test_a_message_can_expire_before_its_commit(lab: Lab) -> None:
    queue, replies = lab.local("Q1"), lab.local("REPLIES")
    queue.put(
        message(expiry_tenths=10, report=cmqc.MQRO_EXPIRATION, reply_to_q="REPLIES"),
        b"",
        cmqc.MQPMO_SYNCPOINT,
    )
    lab.advance(5)
    other = lab.connect().open("Q1", ALL)
    assert nothing_on(other)
    assert lab.depth("Q1") == 1
    assert lab.depth("REPLIES") == 0
    lab.mq.commit()
    assert nothing_on(other)
    assert lab.depth("Q1") == 0
    assert replies.get().md.feedback == cmqc.MQFB_EXPIRATION


@pytest.mark.seed("EX-26", "EX-27", "EX-28", "EX-33")
@pytest.mark.parametrize("expiry", [0, -2, -600])
def test_a_put_with_a_bad_expiry_fails_and_reports_nothing(lab: Lab, expiry: int) -> None:
    queue = lab.local("Q1")
    lab.local("REPLIES")
    fields: dict[str, Any] = {
        "expiry_tenths": expiry,
        "report": cmqc.MQRO_EXPIRATION,
        "reply_to_q": "REPLIES",
    }
    with pytest.raises(MQIError) as error:
        queue.put(message(**fields), b"")
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    with pytest.raises(MQIError) as error:
        lab.put("Q1", **fields)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert (lab.depth("Q1"), lab.depth("REPLIES")) == (0, 0)


def test_capexpry_lowers_a_lifetime_at_the_put_and_never_raises_it(lab: Lab) -> None:
    queue = lab.local("Q1", CAPEXPRY=100)
    assert queue.put(message(), b"").expiry_tenths == 100
    assert queue.put(message(expiry_tenths=500), b"").expiry_tenths == 100
    assert queue.put(message(expiry_tenths=50), b"").expiry_tenths == 50


def test_capexpry_in_custom_counts_where_the_attribute_says_nothing(lab: Lab) -> None:
    lab.local("OLD", CUSTOM="CAPEXPRY(70)")
    lab.local("BOTH", CUSTOM="CAPEXPRY(70)", CAPEXPRY=100)
    assert lab.put("OLD").expiry_tenths == 70
    assert lab.put("BOTH").expiry_tenths == 100


def test_the_lowest_capexpry_on_the_way_counts(lab: Lab) -> None:
    lab.local("Q1", CAPEXPRY=500)
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1", "CAPEXPRY": 70})
    assert lab.put("A1").expiry_tenths == 70


@pytest.mark.seed("EX-66")
def test_the_field_is_input_of_both_puts_and_output_of_every_get(lab: Lab) -> None:
    queue = lab.local("Q1")
    assert queue.put(message(expiry_tenths=600), b"").expiry_tenths == 600
    assert lab.put("Q1", expiry_tenths=400).expiry_tenths == 400
    queue.put(message(), b"")
    lab.advance(10)
    # What one get returned is no input of the next: each shows what is left of its own message.
    assert [queue.get().md.expiry_tenths for _ in range(3)] == [500, 300, -1]


@pytest.mark.seed("EX-37", "EX-38")
def test_a_jms_receiver_gets_nothing_and_no_error_for_an_expired_message(lab: Lab) -> None:
    lab.local("Q1")
    consumer = MessageConsumer(JmsSession(lab.mq.connection), "Q1")
    lab.put("Q1", expiry_tenths=10)
    lab.advance(1)
    assert consumer.receive_no_wait() is None
    lab.put("Q1", b"alive", expiry_tenths=10)
    received = consumer.receive_no_wait()
    assert received is not None
    assert received.body == b"alive"


@pytest.mark.seed("EX-37", "EX-38")
def test_a_subscriber_gets_nothing_and_no_error_for_an_expired_publication(lab: Lab) -> None:
    subscriber = TopicSubscriber(JmsSession(lab.mq.connection), "prices")
    send(lab.mq.connection, "prices", message(persistence=0, expiry_tenths=10), b"late")
    lab.advance(1)
    assert subscriber.receive_no_wait() is None
    send(lab.mq.connection, "prices", message(persistence=0, expiry_tenths=10), b"soon")
    received = subscriber.receive_no_wait()
    assert received is not None
    assert received.body.endswith(b"soon")
    subscriber.close()
