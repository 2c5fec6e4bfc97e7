"""A program written to the MQI: units of work, and poison handling by hand or not at all."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import fails_first
from mqtriage.emulator.clients.mqi_program import MqiProgram
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get import get
from mqtriage.mq import cmqc
from mqtriage.mq.headers import dlh
from mqtriage.mq.message import Message
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab, Recorder


def program(lab: ClientLab, *failing: bytes, queue: str = "Q1", **options: object) -> MqiProgram:
    return MqiProgram(lab.connection(), queue, Recorder(*failing), **options)  # type: ignore[arg-type]


@pytest.mark.seed("BO-06", "BO-13")
def test_a_failure_in_the_unit_of_work_returns_the_message(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    program(lab, b"bad").step()
    assert [m.md.backout_count for m in lab.there("Q1")] == [1]


@pytest.mark.seed("BO-07")
def test_meanwhile_it_is_off_the_queue_for_others(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    seen: list[bool] = []

    def look(message: Message) -> None:
        seen.append(program(lab).step())

    MqiProgram(lab.connection(), "Q1", look).step()
    assert seen == [False]


def taken(lab: ClientLab, options: int) -> Connection:
    """A program that got the one message of Q1 and has yet to process it."""
    connection = lab.connection()
    get.get(connection, connection.open("Q1", cmqc.MQOO_INPUT_SHARED), options)
    return connection


@pytest.mark.seed("BO-08")
def test_got_without_syncpoint_a_message_that_fails_is_lost(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    taken(lab, cmqc.MQGMO_NO_SYNCPOINT).back_out()
    assert lab.there("Q1") == []


@pytest.mark.seed("BO-09")
def test_processed_after_the_commit_a_message_that_fails_is_lost(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    connection = taken(lab, cmqc.MQGMO_SYNCPOINT)
    connection.commit()
    connection.back_out()
    assert lab.there("Q1") == []


@pytest.mark.seed("BO-10")
def test_a_caught_exception_consumes_a_rethrown_one_rolls_back(lab: ClientLab) -> None:
    lab.put("Q1", b"bad")
    taken(lab, cmqc.MQGMO_SYNCPOINT).commit()
    assert lab.there("Q1") == []
    lab.put("Q1", b"bad")
    program(lab, b"bad").step()
    assert [m.md.backout_count for m in lab.there("Q1")] == [1]


@pytest.mark.seed("BO-11")
def test_a_failure_that_does_not_recur_is_cured_by_the_rollback(lab: ClientLab) -> None:
    lab.put("Q1")
    running = MqiProgram(lab.connection(), "Q1", fails_first(1))
    running.run(50)
    assert kinds(running.log) == [
        Happened.DELIVERED,
        Happened.ROLLED_BACK,
        Happened.DELIVERED,
        Happened.CONSUMED,
    ]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 0)


@pytest.mark.seed("BO-12")
@pytest.mark.parametrize(("threshold", "remaining"), [(0, 1), (3, 0)])
def test_one_that_recurs_loops_until_a_threshold_stops_it(
    lab: ClientLab, threshold: int, remaining: int
) -> None:
    lab.alter("Q1", BOTHRESH=threshold)
    lab.put("Q1", b"bad")
    assert program(lab, b"bad").run(25) == (25 if remaining else 4)
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (remaining, 1 - remaining)


@pytest.mark.seed("BO-16", "BO-27", "BO-24")
def test_the_queue_manager_itself_does_nothing_about_the_threshold(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=2)
    lab.put("Q1", b"bad")
    program(lab, b"bad", handling=False).run(10)
    assert [m.md.backout_count for m in lab.there("Q1")] == [10]
    assert lab.depth("BOQ") == 0


@pytest.mark.seed("BO-17", "BO-20")
@pytest.mark.parametrize(("count", "moved"), [(2, False), (3, True), (4, True)])
def test_it_moves_a_message_whose_count_is_equal_to_or_greater_than_the_threshold(
    lab: ClientLab, count: int, moved: bool
) -> None:
    lab.poison("Q1", count)
    running = program(lab)
    running.run(50)
    assert bool(events_of(running.log, Happened.REQUEUED)) is moved
    assert lab.depth("BOQ") == moved


@pytest.mark.seed("BO-20")
def test_get_and_put_are_one_unit_of_work(lab: ClientLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.poison("Q1", 3, b"poison")
    running = program(lab)
    monkeypatch.setattr(running._connection, "commit", running._connection.back_out)
    running.step()
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 0)


def test_an_mqi_program_moves_a_message_byte_for_byte(lab: ClientLab) -> None:
    md = lab.poison("Q1", 3, b"poison", ccsid=819)
    program(lab).run(50)
    (message,) = lab.there("BOQ")
    assert message.body == b"poison"
    assert message.md == md


@pytest.mark.seed("BO-18")
def test_a_threshold_that_is_not_set_judges_no_message(lab: ClientLab) -> None:
    lab.local("Q2")
    assert lab.mq.queue("Q2").attributes["BOTHRESH"] == 0
    lab.poison("Q2", 9)
    running = program(lab, queue="Q2")
    running.run(50)
    assert kinds(running.log) == [Happened.DELIVERED, Happened.CONSUMED]


@pytest.mark.seed("BO-20")
def test_the_threshold_was_acquired_when_the_program_started(lab: ClientLab) -> None:
    running = program(lab)
    lab.alter("Q1", BOTHRESH=9)
    lab.poison("Q1", 3)
    running.run(50)
    assert lab.depth("BOQ") == 1


@pytest.mark.seed("BO-21")
def test_boqname_is_taken_from_the_queue_that_was_read(lab: ClientLab) -> None:
    lab.local("BOQ2")
    lab.local("Q2", BOTHRESH=3, BOQNAME="BOQ2")
    lab.poison("Q2", 3)
    program(lab, queue="Q2").run(50)
    assert (lab.depth("BOQ"), lab.depth("BOQ2")) == (0, 1)


@pytest.mark.seed("BO-22")
@pytest.mark.parametrize("report", [0, cmqc.MQRO_DISCARD_MSG], ids=["none", "discard-msg"])
def test_without_boqname_it_goes_to_the_dead_letter_queue(lab: ClientLab, report: int) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=report)
    program(lab).run(50)
    (dead,) = lab.there("DLQ")
    header = dlh.decode(dead.body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (2362, "Q1")


@pytest.mark.seed("BO-22")
def test_without_either_it_is_left_in_place_and_reported(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.no_dead_letter_queue()
    lab.poison("Q1", 3)
    running = program(lab)
    running.run(50)
    assert running.blocked
    assert lab.depth("Q1") == 1
    (kept,) = events_of(running.log, Happened.KEPT)
    assert "DEADQ is blank" in kept.reason
