"""Where the documents contradict each other, and where a reader is likely to go wrong.

C-07 to C-15 are rows of the table of contradictions in the requirements; the traps are numbered as
in its table "Ten rows most likely to be got wrong".
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtriage.emulator.clients.asf import ConnectionConsumer
from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import NotMoved
from mqtriage.emulator.clients.jms import Acknowledge
from mqtriage.emulator.clients.message_flow import MQInputFlow
from mqtriage.emulator.clients.mqi_program import MqiProgram
from mqtriage.mq import cmqc
from mqtriage.mq.backout import PoisonDiscard, UnitEnding
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab, Recorder, transacted_listener

AUTO, TRANSACTED = Acknowledge.AUTO, Acknowledge.TRANSACTED


# -- contradictions -------------------------------------------------------------------------------


@pytest.mark.seed("PM-11", "PM-14", "C-07")
def test_c07_zero_is_looked_at_before_the_comparison(lab: ClientLab) -> None:
    """Every count is >= 0, yet BOTHRESH(0) means off."""
    lab.alter("Q1", BOTHRESH=0)
    lab.poison("Q1", 5)
    received = lab.consumer(lab.session(AUTO)).receive_no_wait()
    assert received is not None
    assert received.md.backout_count == 5


@pytest.mark.seed("PM-44", "PM-45", "PM-52", "PM-53", "C-08")
def test_c08_only_the_bit_of_discard_msg_can_be_told(lab: ClientLab) -> None:
    """MQRO_DEAD_LETTER_Q is 0: with it and without it is one bit pattern."""
    assert cmqc.MQRO_DEAD_LETTER_Q == 0
    lab.alter("Q1", BOQNAME="")
    # other bits beside it change nothing, and MQRO_PASS_DISCARD_AND_EXPIRY is another bit
    for report in (0, 0x40 | 0x80, 0x4000):
        lab.poison("Q1", 3, report=report)
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG | 0x40 | 0x80)
    assert lab.consumer(lab.session(AUTO)).receive_no_wait() is None
    assert (lab.depth("Q1"), lab.depth("DLQ")) == (0, 3)


@pytest.mark.seed("PM-11", "BO-17", "BO-25", "C-09")
def test_c09_equal_is_enough_for_every_kind_of_consumer(lab: ClientLab) -> None:
    """Not "surpassed": BackoutCount 3 with BOTHRESH(3) is poison."""
    for _ in range(4):
        lab.poison("Q1", 3)
    handler = Recorder()
    lab.consumer(lab.session(AUTO)).receive_no_wait()
    assert lab.depth("BOQ") == 4
    runs: list[Callable[[], int]] = [
        lambda: transacted_listener(lab.session(), handler).run(50),
        lambda: ConnectionConsumer(lab.connection(), "Q1", handler).run(50),
        lambda: MqiProgram(lab.connection(), "Q1", handler).run(50),
        lambda: MQInputFlow(lab.connection(), "Q1", handler).run(50),
    ]
    for number, run in enumerate(runs, start=5):
        lab.poison("Q1", 3)
        run()
        assert lab.depth("BOQ") == number
    assert handler.bodies == []


ENDINGS = [
    pytest.param(TRANSACTED, UnitEnding.COMMIT, True, id="sync-commit-loses"),
    pytest.param(TRANSACTED, UnitEnding.ROLLBACK, False, id="sync-rollback-keeps"),
    pytest.param(AUTO, None, True, id="sync-non-transacted-loses"),
    pytest.param(None, None, False, id="listener-keeps"),
]


@pytest.mark.seed("PM-46", "PM-47", "PM-48", "PM-54", "BO-28", "BO-39", "C-10", "TRAP-07")
@pytest.mark.parametrize("persistence", [1, 0], ids=["persistent", "non-persistent"])
@pytest.mark.parametrize(("mode", "ending", "is_lost"), ENDINGS)
def test_c10_trap_7_the_same_failure_loses_returns_or_keeps_by_mode_and_ending_alone(
    lab: ClientLab,
    mode: Acknowledge | None,
    ending: UnitEnding | None,
    is_lost: bool,
    persistence: int,
) -> None:
    """Persistence, which the comment of 2021 speaks of, has no part in it by default."""
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3, persistence=persistence)
    session = lab.session(mode or TRANSACTED)
    if mode is None:
        transacted_listener(session, Recorder()).run(50)
    else:
        with pytest.raises(NotMoved):
            lab.consumer(session).receive_no_wait()
    if ending is UnitEnding.COMMIT:
        session.commit()
    elif ending is UnitEnding.ROLLBACK:
        session.rollback()
    assert lab.depth("Q1") == (0 if is_lost else 1)
    assert bool(events_of(session.log, Happened.LOST)) is is_lost


@pytest.mark.seed("BO-33", "BO-39", "C-10")
def test_c10_the_profile_asf_saves_persistent_messages_unless_told_otherwise(
    lab: ClientLab,
) -> None:
    lab.shut("BOQ", "DLQ")
    lab.poison("Q1", 3, persistence=1)
    ConnectionConsumer(lab.connection(), "Q1", Recorder()).run(50)
    assert lab.depth("Q1") == 1
    ConnectionConsumer(lab.connection(), "Q1", Recorder(), poison_discard=PoisonDiscard.ANY).run(50)
    assert lab.depth("Q1") == 0


@pytest.mark.seed("PM-43", "BO-22", "C-11")
def test_c11_discard_msg_counts_for_jms_and_not_for_a_program_of_ones_own(lab: ClientLab) -> None:
    lab.alter("Q1", BOQNAME="")
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG)
    lab.consumer(lab.session(AUTO)).receive_no_wait()
    assert lab.depth("DLQ") == 0
    lab.poison("Q1", 3, report=cmqc.MQRO_DISCARD_MSG)
    MqiProgram(lab.connection(), "Q1", Recorder()).run(50)
    assert lab.depth("DLQ") == 1


@pytest.mark.seed("BO-30", "BO-31", "C-12")
@pytest.mark.parametrize(
    ("threshold", "name", "loops"),
    [(3, "BOQ", False), (3, "", False), (0, "BOQ", True), (0, "", True)],
)
def test_c12_only_threshold_zero_loops(
    lab: ClientLab, threshold: int, name: str, loops: bool
) -> None:
    lab.alter("Q1", BOTHRESH=threshold, BOQNAME=name)
    lab.put("Q1", b"bad")
    steps = ConnectionConsumer(lab.connection(), "Q1", Recorder(b"bad")).run(20)
    assert steps == (20 if loops else 4)
    assert lab.depth("Q1") == loops


@pytest.mark.seed("PM-16", "PM-17", "BO-20", "C-13", "TRAP-08")
def test_c13_trap_8_jms_asks_late_and_a_program_of_ones_own_early(lab: ClientLab) -> None:
    """Both are made, then the queue is altered, then the first backed-out message comes."""
    lab.alter("Q1", BOTHRESH=9)
    session = lab.session(AUTO)
    jms, program = lab.consumer(session), MqiProgram(lab.connection(), "Q1", Recorder())
    lab.alter("Q1", BOTHRESH=2)
    lab.poison("Q1", 2)
    assert jms.receive_no_wait() is None
    lab.poison("Q1", 2)
    program.run(50)
    assert kinds(program.log) == [Happened.DELIVERED, Happened.CONSUMED]
    assert lab.depth("BOQ") == 1
    # and once asked, JMS never asks again
    lab.alter("Q1", BOTHRESH=9)
    lab.poison("Q1", 2)
    assert jms.receive_no_wait() is None


@pytest.mark.seed("BO-35", "BO-41", "C-14")
def test_c14_the_broker_handles_by_itself_unless_the_switch_is_off(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    off = MQInputFlow(lab.connection(), "Q1", Recorder(b"poison"), automatic=False)
    off.run(5)
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (1, 0)
    MQInputFlow(lab.connection(), "Q1", Recorder(b"poison")).run(50)
    assert (lab.depth("Q1"), lab.depth("BOQ")) == (0, 1)


@pytest.mark.seed("BO-42", "BO-43", "C-15")
def test_c15_the_nodes_own_retry_replaces_bothresh(lab: ClientLab) -> None:
    def attempts(retry: int | None) -> int:
        lab.put("Q1", b"bad")
        flow = MQInputFlow(lab.connection(), "Q1", Recorder(b"bad"), node_retry=retry)
        flow.run(50)
        return len(events_of(flow.log, Happened.DELIVERED))

    assert [attempts(retry) for retry in (None, 5, 1)] == [3, 5, 1]


# -- traps ----------------------------------------------------------------------------------------


@pytest.mark.seed("PM-11", "PM-14", "TRAP-06")
@pytest.mark.parametrize(("threshold", "deliveries"), [(1, 1), (2, 2), (3, 3), (0, None)], ids=str)
def test_trap_6_equal_counts_and_zero_is_off(
    lab: ClientLab, threshold: int, deliveries: int | None
) -> None:
    lab.alter("Q1", BOTHRESH=threshold)
    lab.put("Q1", b"bad")
    handler = Recorder(b"bad")
    transacted_listener(lab.session(), handler).run(10)
    assert len(handler.bodies) == (10 if deliveries is None else deliveries)


@pytest.mark.seed("PM-22", "PM-23", "TRAP-08")
def test_trap_8_the_managed_queue_counts_not_the_model_it_came_from(lab: ClientLab) -> None:
    from tests.support.jms_consumers import TopicSubscriber

    model = "SYSTEM.NDURABLE.MODEL.QUEUE"
    lab.mq.alter("QMODEL", model, {"BOTHRESH": 2, "BOQNAME": "BOQ"})
    subscriber = TopicSubscriber(lab.session(AUTO), "a/topic")
    lab.mq.alter("QMODEL", model, {"BOTHRESH": 9})
    lab.poison(subscriber.subscription.destination, 2, persistence=0)
    assert subscriber.receive_no_wait() is None
    assert lab.depth("BOQ") == 1
