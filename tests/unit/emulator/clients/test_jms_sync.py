"""Synchronous receive: the decision, the unit of work, and every ending when a queue refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import NotMoved
from mqtriage.emulator.clients.jms import Acknowledge, JmsSession
from mqtriage.emulator.core.put import put
from mqtriage.mq import cmqc
from mqtriage.mq.backout import PoisonDiscard
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import dlh
from tests.support.client_events import events_of, kinds
from tests.support.jms_consumers import (
    JMSConsumer,
    MessageConsumer,
    QueueReceiver,
    TopicSubscriber,
)
from tests.unit.emulator.clients.conftest import ClientLab

AUTO = Acknowledge.AUTO


def begin(session: JmsSession) -> None:
    """Put something under syncpoint: a unit of work is open then."""
    put.put1(session.connection, "DLQ", MQMD(), b"begun", cmqc.MQPMO_SYNCPOINT)


# -- count and threshold --------------------------------------------------------------------------


@pytest.mark.seed("PM-02", "PM-11", "PM-12", "BO-24", "BO-26")
@pytest.mark.parametrize("threshold", [1, 3])
def test_a_threshold_of_n_is_exactly_n_deliveries_and_then_the_backout_queue(
    lab: ClientLab, threshold: int
) -> None:
    lab.alter("Q1", BOTHRESH=threshold)
    lab.put("Q1")
    session = lab.session()
    consumer = lab.consumer(session)
    deliveries = 0
    while consumer.receive_no_wait() is not None:
        deliveries += 1
        session.rollback()
    session.commit()
    assert deliveries == threshold
    assert (lab.depth("Q1"), lab.depth("BOQ"), lab.depth("DLQ")) == (0, 1, 0)


@pytest.mark.seed("PM-03", "PM-08", "BO-06", "BO-13", "BO-14")
def test_a_rollback_returns_the_message_with_one_more_in_its_backout_count(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=0)
    lab.put("Q1", backout_count=9)  # ignored by the put
    session = lab.session()
    consumer = lab.consumer(session)
    seen = []
    for _ in range(3):
        received = consumer.receive_no_wait()
        assert received is not None
        seen.append(received.md.backout_count)
        session.rollback()
        assert lab.depth("Q1") == 1
        lab.there("Q1")  # a browse does not count
    assert seen == [0, 1, 2]
    assert [m.md.backout_count for m in lab.there("Q1")] == [3]


@pytest.mark.seed("PM-04", "PM-05", "BO-12")
def test_with_default_attributes_it_is_redelivered_again_and_again(lab: ClientLab) -> None:
    lab.local("PLAIN")
    lab.put("PLAIN")
    session = lab.session()
    consumer = lab.consumer(session, "PLAIN")
    for _ in range(50):
        assert consumer.receive_no_wait() is not None
        session.rollback()
    last = consumer.receive_no_wait()
    assert last is not None
    assert last.md.backout_count == 50


@pytest.mark.seed("PM-06", "PM-10")
@pytest.mark.parametrize(("count", "delivered"), [(1, True), (2, True), (3, False), (4, False)])
def test_the_backout_count_alone_decides(lab: ClientLab, count: int, delivered: bool) -> None:
    lab.poison("Q1", count)
    received = lab.consumer(lab.session()).receive_no_wait()
    assert (received is not None) is delivered


@pytest.mark.seed("PM-07", "BO-21")
def test_the_values_of_the_queue_that_holds_the_message_decide(lab: ClientLab) -> None:
    lab.local("BOQ2")
    lab.local("Q2", BOTHRESH=9, BOQNAME="BOQ2")
    lab.poison("Q1", 3)
    lab.poison("Q2", 3)
    assert lab.consumer(lab.session(AUTO), "Q1").receive_no_wait() is None
    assert lab.consumer(lab.session(AUTO), "Q2").receive_no_wait() is not None
    assert (lab.depth("BOQ"), lab.depth("BOQ2")) == (1, 0)


@pytest.mark.seed("PM-14", "PM-15")
def test_threshold_zero_turns_poison_handling_off_whatever_the_count(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=0)
    lab.poison("Q1", 7)
    session = lab.session()
    assert lab.consumer(session).receive_no_wait() is not None
    session.rollback()
    assert [m.md.backout_count for m in lab.there("Q1")] == [8]
    assert lab.depth("BOQ") == 0


# -- the unit of work -----------------------------------------------------------------------------


@pytest.mark.seed("PM-37", "PM-40")
def test_the_move_is_seen_by_others_only_after_the_commit(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    session = lab.session()
    begin(session)
    assert lab.consumer(session).receive_no_wait() is None
    assert lab.there("BOQ") == []
    assert lab.there("Q1") == []  # got in the same unit of work
    session.commit()
    assert len(lab.there("BOQ")) == 1
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("PM-41")
def test_a_rollback_undoes_the_move(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    session = lab.session()
    begin(session)
    assert lab.consumer(session).receive_no_wait() is None
    session.rollback()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 0)
    assert kinds(session.log) == [Happened.REQUEUED, Happened.ROLLED_BACK]


def test_where_the_unit_of_work_holds_nothing_else_the_move_is_committed(lab: ClientLab) -> None:
    """So do IBM's classes (tests/jms/test_poison.py); the documents do not speak of it."""
    lab.poison("Q1", 3)
    lab.put("Q1", b"good")
    session = lab.session()
    assert lab.consumer(session).receive_no_wait() is not None
    session.rollback()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 1)


@pytest.mark.seed("PM-39")
def test_the_same_call_goes_on_to_the_next_message(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    lab.put("Q1", b"good")
    received = lab.consumer(lab.session()).receive_no_wait()
    assert received is not None
    assert received.body == b"good"


CALLS: dict[str, tuple[type[MessageConsumer], Callable[[Any], object]]] = {
    "JMSConsumer.receive()": (JMSConsumer, lambda c: c.receive()),
    "JMSConsumer.receive(timeout)": (JMSConsumer, lambda c: c.receive(2000)),
    "JMSConsumer.receiveBody(c)": (JMSConsumer, lambda c: c.receive_body(bytes)),
    "JMSConsumer.receiveBody(c,timeout)": (JMSConsumer, lambda c: c.receive_body(bytes, 2000)),
    "JMSConsumer.receiveBodyNoWait(c)": (JMSConsumer, lambda c: c.receive_body_no_wait(bytes)),
    "JMSConsumer.receiveNoWait()": (JMSConsumer, lambda c: c.receive_no_wait()),
}
for cls in (MessageConsumer, QueueReceiver, TopicSubscriber):
    CALLS |= {
        f"{cls.__name__}.receive()": (cls, lambda c: c.receive()),
        f"{cls.__name__}.receive(timeout)": (cls, lambda c: c.receive(2000)),
        f"{cls.__name__}.receiveNoWait()": (cls, lambda c: c.receive_no_wait()),
    }


@pytest.mark.seed("PM-38")
@pytest.mark.parametrize("call", list(CALLS))
@pytest.mark.slow
def test_all_fifteen_calls_move_in_the_unit_of_work_of_the_get(lab: ClientLab, call: str) -> None:
    assert len(CALLS) == 15
    kind, receive = CALLS[call]
    session = lab.session()
    lab.mq.alter("QMODEL", "SYSTEM.NDURABLE.MODEL.QUEUE", {"BOTHRESH": 3, "BOQNAME": "BOQ"})
    consumer = kind(session, "a/topic" if kind is TopicSubscriber else "Q1")
    queue = "Q1"
    if isinstance(consumer, TopicSubscriber):
        queue = consumer.subscription.destination
    lab.poison(queue, 3, persistence=0)  # the managed queue is a temporary one
    lab.put(queue, b"good", persistence=0)
    begin(session)
    received = receive(consumer)
    assert received == b"good" or getattr(received, "body", None) == b"good"
    assert lab.there("BOQ") == []
    session.rollback()
    assert (lab.depth(queue), lab.depth("BOQ")) == (2, 0)
    assert receive(consumer) is not None
    session.commit()
    assert (lab.depth(queue), lab.depth("BOQ")) == (0, 1)


def test_receive_without_a_wait_ends_empty_on_an_empty_queue(lab: ClientLab) -> None:
    assert lab.consumer(lab.session()).receive_no_wait() is None
    assert lab.consumer(lab.session()).receive(1) is None


def test_client_acknowledge_delivers_again_after_recover_and_not_after_acknowledge(
    lab: ClientLab,
) -> None:
    lab.put("Q1")
    session = lab.session(Acknowledge.CLIENT)
    consumer = lab.consumer(session)
    assert consumer.receive_no_wait() is not None
    session.rollback()  # Session.recover()
    again = consumer.receive_no_wait()
    assert again is not None
    assert again.md.backout_count == 1
    session.commit()  # Message.acknowledge()
    assert lab.depth("Q1") == 0


# -- where else it can go -------------------------------------------------------------------------


def _full(lab: ClientLab) -> None:
    lab.alter("BOQ", MAXDEPTH=1)
    lab.put("BOQ")


def _disabled(lab: ClientLab) -> None:
    lab.shut("BOQ")


def _missing(lab: ClientLab) -> None:
    lab.mq.delete("QLOCAL", "BOQ")


def _too_small(lab: ClientLab) -> None:
    lab.alter("BOQ", MAXMSGL=20)  # the body fits, the MQRFH2 that is added does not


OBSTACLES = [_full, _disabled, _missing, _too_small]


@pytest.mark.seed("PM-13")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_the_backout_queue_refuses_goes_to_the_dead_letter_queue(
    lab: ClientLab, obstacle: Callable[[ClientLab], None]
) -> None:
    obstacle(lab)
    lab.poison("Q1", 3)
    assert lab.consumer(lab.session(AUTO)).receive_no_wait() is None
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 1)


@pytest.mark.seed("PM-13")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_the_backout_queue_refuses_is_discarded_where_the_report_options_say_so(
    lab: ClientLab, obstacle: Callable[[ClientLab], None]
) -> None:
    obstacle(lab)
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG)
    session = lab.session(AUTO)
    assert lab.consumer(session).receive_no_wait() is None
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 0)
    assert kinds(session.log) == [Happened.DISCARDED]


@pytest.mark.seed("PM-43")
@pytest.mark.parametrize("mode", [AUTO, Acknowledge.TRANSACTED])
def test_without_boqname_discard_msg_discards(lab: ClientLab, mode: Acknowledge) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG)
    session = lab.session(mode)
    assert lab.consumer(session).receive_no_wait() is None
    session.commit()
    assert (lab.depth("Q1"), lab.depth("BOQ"), lab.depth("DLQ")) == (0, 0, 0)


@pytest.mark.seed("PM-44", "PM-45", "BO-26", "GAP-07")
@pytest.mark.parametrize(
    "report", [cmqc.MQRO_DEAD_LETTER_Q, cmqc.MQRO_NONE], ids=["dead-letter-q", "none"]
)
def test_without_boqname_it_goes_to_the_dead_letter_queue(lab: ClientLab, report: int) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=report)
    assert lab.consumer(lab.session(AUTO)).receive_no_wait() is None
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body, order=">")
    assert isinstance(header, dlh.DLH)
    assert dead.md.format == "MQDEAD"
    assert (header.reason, header.dest_q_name, header.format) == (2362, "Q1", "MQHRF2")
    assert dead.body.endswith(b"poison")
    assert lab.depth("Q1") == 0


def test_what_a_full_backout_queue_refuses_goes_there_with_its_reason(lab: ClientLab) -> None:
    lab.alter("BOQ", MAXDEPTH=1)
    lab.put("BOQ")
    lab.poison("Q1", 3)
    assert lab.consumer(lab.session(AUTO)).receive_no_wait() is None
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body, order=">")
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (cmqc.MQRC_Q_FULL, "BOQ")


# -- both refuse ----------------------------------------------------------------------------------


@pytest.mark.seed("PM-46", "BO-28", "GAP-08")
@pytest.mark.parametrize("boqname", ["", "BOQ"])
def test_transacted_and_committed_the_message_is_lost(lab: ClientLab, boqname: str) -> None:
    lab.alter("Q1", BOQNAME=boqname)
    lab.shut("BOQ", "DLQ")
    md = lab.poison("Q1", 3)
    session = lab.session()
    with pytest.raises(NotMoved):
        lab.consumer(session).receive_no_wait()
    assert kinds(session.log) == [Happened.HELD]
    session.commit()
    assert (lab.depth("Q1"), lab.depth("BOQ"), lab.depth("DLQ")) == (0, 0, 0)
    (lost,) = events_of(session.log, Happened.LOST)
    assert (lost.msg_id, lost.backout_count, lost.queue) == (md.msg_id, 3, "")
    assert "committed" in lost.reason


@pytest.mark.seed("PM-47", "BO-28", "GAP-08")
@pytest.mark.parametrize("boqname", ["", "BOQ"])
def test_transacted_and_rolled_back_it_is_on_the_input_queue_again(
    lab: ClientLab, boqname: str
) -> None:
    lab.alter("Q1", BOQNAME=boqname)
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3)
    session = lab.session()
    with pytest.raises(NotMoved):
        lab.consumer(session).receive_no_wait()
    session.rollback()
    assert [m.md.backout_count for m in lab.there("Q1")] == [4]
    assert events_of(session.log, Happened.LOST) == []


@pytest.mark.seed("PM-48", "BO-28")
@pytest.mark.parametrize("mode", [AUTO, Acknowledge.DUPS_OK])
def test_without_a_transaction_the_message_is_lost(lab: ClientLab, mode: Acknowledge) -> None:
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3)
    session = lab.session(mode)
    with pytest.raises(NotMoved):
        lab.consumer(session).receive_no_wait()
    assert (lab.depth("Q1"), lab.depth("BOQ"), lab.depth("DLQ")) == (0, 0, 0)
    assert kinds(session.log) == [Happened.LOST]


@pytest.mark.seed("PM-46")
def test_a_blank_deadq_is_a_dead_letter_queue_that_refuses(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.no_dead_letter_queue()
    lab.poison("Q1", 3)
    session = lab.session(AUTO)
    with pytest.raises(NotMoved):
        lab.consumer(session).receive_no_wait()
    (lost,) = events_of(session.log, Happened.LOST)
    assert "DEADQ is blank" in lost.reason


@pytest.mark.seed("BO-39")
@pytest.mark.parametrize("mode", [AUTO, Acknowledge.TRANSACTED])
@pytest.mark.parametrize(
    ("discard", "persistence", "remaining"),
    [
        pytest.param(PoisonDiscard.ANY, 1, 0, id="any-loses-persistent"),
        pytest.param(PoisonDiscard.ANY, 0, 0, id="any-loses-non-persistent"),
        pytest.param(PoisonDiscard.NP_ONLY, 1, 1, id="np-only-returns-persistent"),
        pytest.param(PoisonDiscard.NP_ONLY, 0, 0, id="np-only-loses-non-persistent"),
    ],
)
def test_the_switch_poison_discard_saves_persistent_messages(
    lab: ClientLab, mode: Acknowledge, discard: PoisonDiscard, persistence: int, remaining: int
) -> None:
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3, persistence=persistence)
    lab.put("Q1", b"good")
    session = lab.session(mode, discard=discard)
    if not remaining:
        with pytest.raises(NotMoved):
            lab.consumer(session).receive_no_wait()
    received = lab.consumer(session).receive_no_wait()
    session.commit()
    assert received is not None
    assert received.body == b"good"
    assert lab.depth("Q1") == remaining
    assert len(events_of(session.log, Happened.LOST)) == 1 - remaining
    assert len(events_of(session.log, Happened.KEPT)) == remaining


def test_np_only_moves_a_persistent_message_while_a_queue_takes_it(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    session = lab.session(discard=PoisonDiscard.NP_ONLY)
    begin(session)
    assert lab.consumer(session).receive_no_wait() is None
    assert lab.there("BOQ") == []
    session.rollback()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 0)
    assert lab.consumer(session).receive_no_wait() is None
    session.commit()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)
