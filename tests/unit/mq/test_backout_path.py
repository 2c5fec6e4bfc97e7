"""Where a failing message ends, by kind of client; the table of the concept page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.backout import BackoutPolicy
from mqtriage.mq.backout_path import ClientKind, FinalPlace, Next, Situation, path

FULL = "ORDERS.BO is full"
NONE = "DEADQ is blank"
POISON = Situation(BackoutPolicy(3, "ORDERS.BO"), backout_count=3)
BLANK = replace(POISON, policy=BackoutPolicy(3))
BLOCKED = replace(POISON, backout_problem=FULL)
STUCK = replace(BLOCKED, dead_letter_problem=NONE)
JMS = (
    ClientKind.JMS_SYNC_TRANSACTED,
    ClientKind.JMS_SYNC,
    ClientKind.JMS_ASYNC,
    ClientKind.ASF,
    ClientKind.XMS,
    ClientKind.JMSINPUT,
)


@pytest.mark.parametrize("client", [*JMS, ClientKind.MQI_BY_HAND, ClientKind.MQINPUT])
def test_a_backout_queue_that_takes_it_gets_it(client: ClientKind) -> None:
    outcome = path(client, POISON)
    assert (outcome.next, outcome.end, outcome.decided_by) == (
        Next.REQUEUE,
        FinalPlace.BACKOUT_QUEUE,
        "BOQNAME",
    )


@pytest.mark.seed("BO-16", "BO-27")
def test_nothing_is_automatic_for_a_program_on_the_mqi() -> None:
    outcome = path(ClientKind.MQI, POISON)
    assert (outcome.next, outcome.end) == (Next.DELIVER, FinalPlace.INPUT_QUEUE)
    assert outcome.deliveries_left is None
    assert "the queue manager takes no action" in outcome.reason


@pytest.mark.parametrize("client", JMS)
@pytest.mark.seed("PM-13", "PM-43")
def test_a_discard_option_loses_what_the_backout_queue_refuses(client: ClientKind) -> None:
    for situation in (BLOCKED, BLANK):
        outcome = path(client, replace(situation, report=cmqc.MQRO_DISCARD_MSG))
        assert (outcome.end, outcome.decided_by) == (FinalPlace.LOST, "MQRO_DISCARD_MSG")


@pytest.mark.parametrize("client", [ClientKind.MQI_BY_HAND, ClientKind.MQINPUT])
@pytest.mark.seed("BO-22", "BO-48")
def test_programs_and_flows_take_no_discard_option(client: ClientKind) -> None:
    outcome = path(client, replace(BLANK, report=cmqc.MQRO_DISCARD_MSG))
    assert (outcome.end, outcome.decided_by) == (FinalPlace.DEAD_LETTER_QUEUE, "DEADQ")
    stuck = path(client, replace(STUCK, report=cmqc.MQRO_DISCARD_MSG))
    assert stuck.end is FinalPlace.INPUT_QUEUE


@pytest.mark.parametrize(
    ("client", "persistent", "expected"),
    [
        pytest.param(
            ClientKind.JMS_SYNC_TRANSACTED, True, FinalPlace.COMMIT_DECIDES, id="sync-transacted"
        ),
        pytest.param(ClientKind.XMS, True, FinalPlace.COMMIT_DECIDES, id="xms"),
        pytest.param(ClientKind.JMS_SYNC, True, FinalPlace.LOST, id="sync"),
        pytest.param(ClientKind.JMS_ASYNC, False, FinalPlace.INPUT_QUEUE, id="listener"),
        pytest.param(ClientKind.JMSINPUT, False, FinalPlace.INPUT_QUEUE, id="jmsinput"),
        pytest.param(ClientKind.ASF, True, FinalPlace.INPUT_QUEUE, id="asf-persistent"),
        pytest.param(ClientKind.ASF, False, FinalPlace.LOST, id="asf-not-persistent"),
        pytest.param(ClientKind.MQI_BY_HAND, True, FinalPlace.INPUT_QUEUE, id="by-hand"),
        pytest.param(ClientKind.MQINPUT, True, FinalPlace.INPUT_QUEUE, id="mqinput"),
    ],
)
def test_when_both_queues_refuse(
    client: ClientKind, persistent: bool, expected: FinalPlace
) -> None:
    assert path(client, replace(STUCK, persistent=persistent)).end is expected


def test_both_refusals_stand_in_the_reason() -> None:
    reason = path(ClientKind.JMS_ASYNC, STUCK).reason
    assert FULL in reason
    assert NONE in reason


@pytest.mark.seed("PM-14")
def test_a_threshold_of_zero_delivers_for_ever() -> None:
    off = Situation(BackoutPolicy(0, "ORDERS.BO"), backout_count=7)
    outcome = path(ClientKind.JMS_ASYNC, off)
    assert (outcome.next, outcome.deliveries_left, outcome.decided_by) == (
        Next.DELIVER,
        None,
        "BOTHRESH",
    )


@pytest.mark.parametrize(
    "client", [ClientKind.JMS_SYNC_TRANSACTED, ClientKind.MQI_BY_HAND, ClientKind.MQINPUT]
)
def test_the_deliveries_that_are_left_are_counted(client: ClientKind) -> None:
    outcome = path(client, replace(POISON, backout_count=1))
    assert (outcome.next, outcome.deliveries_left, outcome.end) == (
        Next.DELIVER,
        2,
        FinalPlace.BACKOUT_QUEUE,
    )


def test_without_a_unit_of_work_the_first_failure_loses_it() -> None:
    outcome = path(ClientKind.JMS_SYNC, replace(POISON, backout_count=1))
    assert (outcome.next, outcome.deliveries_left, outcome.end) == (
        Next.DELIVER,
        1,
        FinalPlace.LOST,
    )


@pytest.mark.seed("BO-45", "BO-49")
def test_a_wired_failure_terminal_comes_first_and_what_follows_is_told() -> None:
    outcome = path(ClientKind.MQINPUT_FAILURE, STUCK)
    assert (outcome.next, outcome.end) == (Next.FAILURE_TERMINAL, FinalPlace.FLOW_DECIDES)
    assert "if that path fails too: retry" in outcome.reason
    again = path(ClientKind.MQINPUT, STUCK)
    assert "what is behind it waits" in again.reason
    assert (again.next, again.deliveries_left) == (Next.DELIVER, None)


@given(
    client=st.sampled_from(ClientKind),
    count=st.integers(0, 2**31 - 1),
    threshold=st.integers(0, 999_999_999),
    persistent=st.booleans(),
)
def test_a_backout_queue_that_takes_it_never_loses_a_message_in_a_unit_of_work(
    client: ClientKind, count: int, threshold: int, persistent: bool
) -> None:
    situation = Situation(
        BackoutPolicy(threshold, "ORDERS.BO"), count, cmqc.MQRO_DISCARD_MSG, persistent
    )
    outcome = path(client, situation)
    assert outcome.end is not FinalPlace.LOST or client is ClientKind.JMS_SYNC
    assert outcome.reason
