"""MQInput: attempts, failure terminal, backout queue, dead-letter queue, and then for ever."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.events import Event, Happened
from mqtriage.emulator.clients.handlers import HandlerFailed
from mqtriage.emulator.clients.message_flow import FailureTerminal, MQInputFlow
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError
from mqtriage.mq.message import Message
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab, Recorder

ATTEMPT = [Happened.DELIVERED, Happened.ROLLED_BACK]


def flow(lab: ClientLab, *failing: bytes, **options: object) -> MQInputFlow:
    return MQInputFlow(lab.connection(), "Q1", Recorder(*failing), **options)  # type: ignore[arg-type]


def bad(lab: ClientLab, **fields: object) -> None:
    lab.put("Q1", b"bad", **fields)


@pytest.mark.seed("BO-41", "BO-46")
def test_the_node_reroutes_without_any_code_in_the_flow(lab: ClientLab) -> None:
    bad(lab)
    running = flow(lab, b"bad")
    running.run(50)
    assert kinds(running.log) == [*ATTEMPT * 3, Happened.REQUEUED]
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("BO-42")
def test_with_nothing_configured_there_is_one_attempt(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=0, BOQNAME="")
    bad(lab)
    running = flow(lab, b"bad")
    running.run(50)
    assert kinds(running.log) == [*ATTEMPT, Happened.DEAD_LETTERED]


@pytest.mark.seed("BO-43")
@pytest.mark.parametrize(
    ("threshold", "node_retry", "attempts"),
    [(3, None, 3), (0, 3, 3), (0, 1, 1), (3, 1, 1), (1, None, 1), (0, None, 1), (5, 0, 1)],
)
def test_the_number_of_attempts_is_the_nodes_or_else_bothresh(
    lab: ClientLab, threshold: int, node_retry: int | None, attempts: int
) -> None:
    lab.alter("Q1", BOTHRESH=threshold)
    bad(lab)
    running = flow(lab, b"bad", node_retry=node_retry)
    running.run(50)
    assert len(events_of(running.log, Happened.DELIVERED)) == attempts
    assert lab.depth("BOQ") == 1


@pytest.mark.seed("BO-44", "BO-46", "BO-47", "BO-48")
def test_the_sequence_starts_after_the_last_attempt_and_keeps_its_order(lab: ClientLab) -> None:
    lab.alter("Q1", BOTHRESH=2)
    lab.shut("BOQ")
    bad(lab)
    running = flow(lab, b"bad", failure_terminal=FailureTerminal.FAIL)
    running.run(50)
    events = events_of(running.log, Happened.DELIVERED, Happened.DEAD_LETTERED)
    reasons = [event.reason for event in events]
    assert [text.split(",")[0] for text in reasons[:3]] == [
        "propagated to Out",
        "propagated to Out",
        "propagated to Failure",
    ]
    assert "MQRC_PUT_INHIBITED" in reasons[3]  # the backout queue was tried before the dead letters
    assert len(reasons) == 4
    assert lab.depth("DLQ") == 1


@pytest.mark.seed("BO-45")
def test_a_failure_terminal_that_succeeds_consumes_the_message(lab: ClientLab) -> None:
    bad(lab)
    flow(lab, b"bad", failure_terminal=FailureTerminal.OK).run(50)
    assert (lab.depth("Q1"), lab.depth("BOQ"), lab.depth("DLQ")) == (0, 0, 0)


@pytest.mark.seed("BO-45", "BO-46")
def test_without_a_failure_terminal_the_backout_queue_is_next(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    running = flow(lab)
    running.step()
    assert kinds(running.log) == [Happened.REQUEUED]


@pytest.mark.seed("BO-46", "GAP-12")
@pytest.mark.parametrize(("limit", "tries"), [(1, 1), (2, 3)])
def test_a_failing_failure_path_is_tried_up_to_its_limit(
    lab: ClientLab, limit: int, tries: int
) -> None:
    bad(lab)
    running = flow(lab, b"bad", failure_terminal=FailureTerminal.FAIL, failure_limit=limit)
    running.run(50)
    assert kinds(running.log) == [*ATTEMPT * (3 + tries), Happened.REQUEUED]
    assert running.log[-1].backout_count == 3 + tries


@pytest.mark.seed("BO-47")
@pytest.mark.parametrize("boqname", ["BOQ", ""], ids=["refused", "blank"])
def test_what_cannot_go_to_the_backout_queue_goes_to_the_dead_letter_queue(
    lab: ClientLab, boqname: str
) -> None:
    lab.alter("Q1", BOQNAME=boqname)
    lab.alter("BOQ", MAXDEPTH=1)
    lab.put("BOQ")
    bad(lab)
    flow(lab, b"bad").run(50)
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 1)


@pytest.mark.seed("BO-48", "BO-28")
@pytest.mark.parametrize("report", [0, cmqc.MQRO_DISCARD_MSG], ids=["none", "discard-msg"])
def test_when_all_fails_it_is_retried_for_ever_and_never_discarded(
    lab: ClientLab, report: int
) -> None:
    lab.shut("BOQ", "DLQ")
    bad(lab, report=report, persistence=0)
    running = flow(lab, b"bad")
    assert running.run(100) == 100
    assert [m.md.backout_count for m in lab.there("Q1")] == [100]
    assert events_of(running.log, Happened.LOST, Happened.DISCARDED) == []


@pytest.mark.seed("BO-48")
def test_while_both_queues_refuse_it_the_flow_processes_it_again(lab: ClientLab) -> None:
    lab.shut("BOQ", "DLQ")
    bad(lab)
    tries = 0

    def processes_at_last(_: Message) -> None:
        nonlocal tries
        tries += 1
        if tries < 20:
            raise HandlerFailed("the database is down")

    running = MQInputFlow(lab.connection(), "Q1", processes_at_last)
    assert running.run(100) == 20
    assert (tries, lab.depth("Q1")) == (20, 0)
    again = [event.reason for event in running.log if "Out again: " in event.reason]
    assert len(again) == 17
    assert again[0].count("MQRC_PUT_INHIBITED") == 2
    assert running.log[-1] == Event(
        Happened.CONSUMED, running.log[0].msg_id, 19, "", "the flow behind Out again succeeded"
    )


@pytest.mark.seed("BO-49")
def test_that_stops_later_messages_until_a_queue_has_room(lab: ClientLab) -> None:
    lab.shut("BOQ", "DLQ")
    bad(lab)
    lab.put("Q1", b"good")
    handler = Recorder(b"bad")
    running = MQInputFlow(lab.connection(), "Q1", handler)
    running.run(50)
    assert b"good" not in handler.bodies
    lab.alter("DLQ", PUT="ENABLED")
    running.run(50)
    assert handler.bodies[-1] == b"good"
    assert lab.depth("Q1") == 0


@pytest.mark.seed("BO-35")
def test_with_the_switch_off_the_flow_writer_has_to_do_it(lab: ClientLab) -> None:
    bad(lab)
    running = flow(lab, b"bad", automatic=False)
    running.run(30)
    assert kinds(running.log) == ATTEMPT * 30
    assert [m.md.backout_count for m in lab.there("Q1")] == [30]


def test_the_flow_copies_the_message_as_it_is(lab: ClientLab) -> None:
    md = lab.poison("Q1", 3, b"as it is", ccsid=819)
    flow(lab).run(50)
    (message,) = lab.there("BOQ")
    assert (message.md, message.body) == (md, b"as it is")


@pytest.mark.parametrize("options", [{"node_retry": -1}, {"failure_limit": 3}])
def test_wrong_options_are_refused(lab: ClientLab, options: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        flow(lab, **options)
