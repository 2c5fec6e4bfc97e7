"""MessageListener: poison messages move outside the unit of work of the delivery."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.jms import Acknowledge, MessageListener
from mqtriage.mq import cmqc
from mqtriage.mq.headers import dlh
from mqtriage.mq.message import Message
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab, Recorder, transacted_listener

AUTO = Acknowledge.AUTO


@pytest.mark.seed("PM-49", "BO-24")
def test_moving_a_poison_message_does_not_disturb_delivery(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    for body in (b"1", b"2", b"3"):
        lab.put("Q1", body)
    handler = Recorder()
    transacted_listener(lab.session(), handler).run(50)
    assert handler.bodies == [b"1", b"2", b"3"]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("PM-50")
def test_a_rollback_of_the_next_message_leaves_the_moved_one_where_it_is(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    lab.put("Q1", b"next")
    session = lab.session()
    listener = transacted_listener(session, Recorder(b"next"))
    listener.run(2)
    assert kinds(session.log) == [
        Happened.REQUEUED,
        Happened.DELIVERED,
        Happened.ROLLED_BACK,
    ]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 1)


@pytest.mark.seed("PM-50")
def test_the_move_is_final_while_an_earlier_delivery_is_still_uncommitted(lab: ClientLab) -> None:
    lab.put("Q1", b"first")
    lab.poison("Q1", 3)
    session = lab.session()
    MessageListener(session, "Q1", lambda _: None).run(50)  # it never commits
    assert [m.body[-6:] for m in lab.there("BOQ")] == [b"poison"]
    session.rollback()
    assert [m.body for m in lab.there("Q1")] == [b"first"]
    assert lab.depth("BOQ") == 1


@pytest.mark.seed("PM-51")
def test_without_boqname_discard_msg_discards(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG)
    transacted_listener(lab.session(), Recorder()).run(50)
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 0)


@pytest.mark.seed("PM-52", "PM-53")
@pytest.mark.parametrize(
    "report", [cmqc.MQRO_DEAD_LETTER_Q, cmqc.MQRO_NONE], ids=["dead-letter-q", "none"]
)
def test_without_boqname_it_goes_to_the_dead_letter_queue(lab: ClientLab, report: int) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=report)
    transacted_listener(lab.session(), Recorder()).run(50)
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body, order=">")
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (2362, "Q1")


@pytest.mark.seed("PM-54", "BO-28")
@pytest.mark.parametrize("mode", [AUTO, Acknowledge.TRANSACTED])
@pytest.mark.parametrize("persistence", [0, 1])
def test_when_both_queues_refuse_it_stays_and_nothing_behind_it_is_delivered(
    lab: ClientLab, mode: Acknowledge, persistence: int
) -> None:
    lab.shut("BOQ", "DLQ")
    md = lab.poison("Q1", 3, persistence=persistence)
    lab.put("Q1", b"good")
    session, handler = lab.session(mode), Recorder()
    if mode is AUTO:
        MessageListener(session, "Q1", handler).run(50)
    else:
        transacted_listener(session, handler).run(50)
    assert handler.bodies == []
    assert lab.there("Q1")[0].md.msg_id == md.msg_id
    assert lab.depth("Q1") == 2
    assert events_of(session.log, Happened.LOST) == []
    (kept,) = events_of(session.log, Happened.KEPT)
    assert kept.queue == "Q1"


@pytest.mark.seed("PM-54")
def test_it_is_moved_by_a_later_run_once_a_queue_takes_it(lab: ClientLab) -> None:
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3)
    listener = transacted_listener(lab.session(), Recorder())
    listener.run(50)
    lab.alter("DLQ", PUT="ENABLED")
    listener.run(50)
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 1)


def test_an_exception_of_the_listener_redelivers_in_auto_acknowledge(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    session, handler = lab.session(AUTO), Recorder(b"bad")
    MessageListener(session, "Q1", handler).run(50)
    assert handler.bodies == [b"bad"] * 3
    assert lab.depth("BOQ") == 1


def test_an_exception_of_the_listener_alone_does_not_roll_a_transaction_back(
    lab: ClientLab,
) -> None:
    lab.put("Q1", b"bad")
    session = lab.session()
    MessageListener(session, "Q1", Recorder(b"bad")).run(50)
    assert kinds(session.log) == [Happened.DELIVERED]
    session.commit()
    assert lab.depth("Q1") == 0


def test_a_message_that_another_program_takes_first_is_passed_over(
    lab: ClientLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.put("Q1", b"taken")
    lab.put("Q1", b"left")
    handler = Recorder()
    session = lab.session()
    listener = transacted_listener(session, handler)
    peek = listener._source.peek

    def peek_then_lose_it(*args: int) -> Message | None:
        peeked = peek(*args)
        if peeked is not None and peeked.body == b"taken":
            lab.get("Q1")
        return peeked

    monkeypatch.setattr(listener._source, "peek", peek_then_lose_it)
    listener.run(50)
    assert handler.bodies == [b"left"]


def test_a_queue_that_only_one_program_can_read_is_no_obstacle(lab: ClientLab) -> None:
    lab.alter("Q1", SHARE="NO", DEFSOPT="EXCL")
    lab.put("Q1", b"good")
    lab.put("Q1", b"bad")
    handler = Recorder(b"bad")
    transacted_listener(lab.session(), handler).run(50)
    assert handler.bodies == [b"good", *[b"bad"] * 3]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


def test_there_a_move_waits_for_the_end_of_an_open_unit_of_work(lab: ClientLab) -> None:
    lab.put("Q1", b"first")
    lab.poison("Q1", 3)
    lab.alter("Q1", SHARE="NO", DEFSOPT="EXCL")
    session = lab.session()
    listener = MessageListener(session, "Q1", lambda _: None)  # it never commits
    listener.run(50)
    (kept,) = events_of(session.log, Happened.KEPT)
    assert "MQRC_OBJECT_IN_USE" in kept.reason
    session.commit()
    listener.run(50)
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)
