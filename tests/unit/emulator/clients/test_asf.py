"""ConnectionConsumer: it, not the session, moves and removes messages, and sends reports."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.asf import ConnectionConsumer
from mqtriage.emulator.clients.events import Happened
from mqtriage.mq import cmqc
from mqtriage.mq.backout import PoisonDiscard
from mqtriage.mq.headers import dlh
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab, Recorder

NO_ID = bytes(24)


@pytest.fixture
def asf(lab: ClientLab) -> ClientLab:
    lab.local("REPLY")
    return lab


def consumer(lab: ClientLab, *failing: bytes, **options: object) -> ConnectionConsumer:
    return ConnectionConsumer(lab.connection(), "Q1", Recorder(*failing), **options)  # type: ignore[arg-type]


def dead_reason(lab: ClientLab) -> int:
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body, order=">")
    assert isinstance(header, dlh.DLH)
    return header.reason


@pytest.mark.seed("BO-30")
def test_with_neither_attribute_set_it_is_redelivered_without_end(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=0, BOQNAME="")
    lab.put("Q1", b"bad")
    running = consumer(lab, b"bad")
    assert running.run(40) == 40
    assert [m.md.backout_count for m in lab.there("Q1")] == [40]


@pytest.mark.seed("BO-30", "PM-55")
def test_what_no_queue_would_take_is_looked_at_again_by_the_next_run(lab: ClientLab) -> None:
    lab.no_dead_letter_queue()
    lab.shut("BOQ")
    lab.put("Q1", b"bad")
    running = consumer(lab, b"bad")
    running.run(50)
    assert kinds(running.log)[-1] is Happened.KEPT
    lab.alter("BOQ", PUT="ENABLED")
    running.run(50)
    assert kinds(running.log)[-1] is Happened.REQUEUED
    assert len(lab.there("BOQ")) == 1


@pytest.mark.seed("BO-24", "BO-30", "PM-55")
def test_with_both_set_it_is_moved_once(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    lab.put("Q1", b"good")
    running = consumer(lab, b"bad")
    running.run(50)
    assert kinds(running.log) == [
        *[Happened.DELIVERED, Happened.ROLLED_BACK] * 3,
        Happened.REQUEUED,
        Happened.DELIVERED,
        Happened.CONSUMED,
    ]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("BO-31")
def test_a_threshold_without_a_name_goes_the_dead_letter_way(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.put("Q1", b"bad")
    consumer(lab, b"bad").run(50)
    assert (lab.depth("Q1"), lab.depth("DLQ"), dead_reason(lab)) == (0, 1, 2362)


@pytest.mark.seed("BO-31")
def test_a_name_without_a_threshold_loops(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=0)
    lab.put("Q1", b"bad")
    assert consumer(lab, b"bad").run(20) == 20
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 0)


@pytest.mark.seed("BO-33")
def test_the_move_is_outside_the_unit_of_work_of_the_session(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    connection = lab.connection()
    running = ConnectionConsumer(connection, "Q1", Recorder())
    running.step()
    assert connection.unit.count == 0
    connection.back_out()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("BO-33")
def test_a_refused_requeue_dead_letters_and_reports(asf: ClientLab) -> None:
    asf.shut("BOQ")
    md = asf.poison("Q1", 3, report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLY")
    running = consumer(asf)
    running.run(50)
    assert dead_reason(asf) == 2362
    (report,) = asf.there("REPLY")
    assert (report.md.msg_type, report.md.feedback) == (cmqc.MQMT_REPORT, 2362)
    assert (report.md.correl_id, report.body) == (md.msg_id, b"")
    assert report.md.msg_id not in (md.msg_id, NO_ID)
    assert kinds(running.log) == [Happened.DEAD_LETTERED, Happened.REPORT_SENT]


@pytest.mark.seed("BO-33")
def test_a_refused_requeue_discards_and_reports(asf: ClientLab) -> None:
    asf.shut("BOQ")
    asf.poison("Q1", 3, report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG, reply_to_q="REPLY")
    running = consumer(asf)
    running.run(50)
    assert (asf.depth("Q1"), asf.depth("DLQ"), asf.depth("REPLY")) == (0, 0, 1)
    assert kinds(running.log) == [Happened.DISCARDED, Happened.REPORT_SENT]


@pytest.mark.seed("BO-33")
def test_a_successful_requeue_makes_no_report(asf: ClientLab) -> None:
    asf.poison("Q1", 3, report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLY")
    consumer(asf).run(50)
    assert (asf.depth("BOQ"), asf.depth("REPLY")) == (1, 0)


@pytest.mark.seed("BO-33")
def test_a_report_that_cannot_be_delivered_goes_to_the_dead_letter_queue(asf: ClientLab) -> None:
    asf.shut("BOQ", "REPLY")
    asf.poison("Q1", 3, report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG, reply_to_q="REPLY")
    consumer(asf).run(50)
    (dead,) = asf.there("DLQ")
    header = dlh.decode(dead.body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (2051, "REPLY")
    assert dead.md.msg_type == cmqc.MQMT_REPORT


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(cmqc.MQRO_EXCEPTION, b"", id="no-data"),
        pytest.param(cmqc.MQRO_EXCEPTION_WITH_DATA, b"x" * 100, id="100-bytes"),
        pytest.param(cmqc.MQRO_EXCEPTION_WITH_FULL_DATA, b"x" * 300, id="all"),
    ],
)
def test_a_report_carries_as_much_as_was_asked_for(
    asf: ClientLab, report: int, expected: bytes
) -> None:
    asf.shut("BOQ")
    asf.poison("Q1", 3, b"x" * 300, report=report, reply_to_q="REPLY")
    consumer(asf).run(50)
    (report_message,) = asf.there("REPLY")
    assert report_message.body == expected


def test_a_report_passes_the_ids_that_it_is_asked_to_pass(asf: ClientLab) -> None:
    asf.shut("BOQ")
    options = cmqc.MQRO_EXCEPTION | cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID
    md = asf.poison("Q1", 3, report=options, reply_to_q="REPLY", correl_id=b"C" * 24)
    consumer(asf).run(50)
    (report_message,) = asf.there("REPLY")
    assert (report_message.md.msg_id, report_message.md.correl_id) == (md.msg_id, b"C" * 24)


@pytest.mark.parametrize(("persistence", "remaining"), [(1, 1), (0, 0)])
def test_when_report_and_dead_letter_queue_fail_persistence_decides(
    asf: ClientLab, persistence: int, remaining: int
) -> None:
    asf.shut("BOQ", "REPLY", "DLQ")
    asf.poison(
        "Q1",
        3,
        report=cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG,
        reply_to_q="REPLY",
        persistence=persistence,
    )
    running = consumer(asf)
    running.run(50)
    assert asf.depth("Q1") == remaining
    ending = [Happened.KEPT] if remaining else [Happened.DISCARDED, Happened.REPORT_LOST]
    assert kinds(running.log) == ending


@pytest.mark.parametrize(
    ("persistence", "discard", "remaining"),
    [
        pytest.param(1, None, 1, id="persistent-stays-by-default"),
        pytest.param(0, None, 0, id="non-persistent-is-lost"),
        pytest.param(1, PoisonDiscard.ANY, 0, id="any-loses-persistent-too"),
    ],
)
def test_when_both_queues_refuse_persistence_decides_by_default(
    asf: ClientLab, persistence: int, discard: PoisonDiscard | None, remaining: int
) -> None:
    asf.shut("BOQ", "DLQ")
    asf.poison("Q1", 3, persistence=persistence, report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLY")
    asf.put("Q1", b"good")
    options = {} if discard is None else {"poison_discard": discard}
    running = consumer(asf, **options)
    running.run(50)
    assert (asf.depth("Q1"), asf.depth("REPLY")) == (remaining, 0)
    assert len(events_of(running.log, Happened.LOST)) == 1 - remaining
    assert len(events_of(running.log, Happened.CONSUMED)) == 1


def test_a_badly_formed_message_is_removed_with_2364_at_its_first_delivery(lab: ClientLab) -> None:
    lab.put("Q1", b"RFH \0\0\0\2\0\0\x99\x99" + bytes(40), format="MQHRF2")
    consumer(lab).run(50)
    assert (lab.depth("Q1"), dead_reason(lab)) == (0, 2364)


def test_a_message_nobody_is_interested_in_is_removed_with_2363(lab: ClientLab) -> None:
    lab.put("Q1", b"boring")
    lab.put("Q1", b"good")
    handler = Recorder()
    ConnectionConsumer(lab.connection(), "Q1", handler, interested=lambda m: m.body == b"good").run(
        50
    )
    assert handler.bodies == [b"good"]
    assert dead_reason(lab) == 2363
