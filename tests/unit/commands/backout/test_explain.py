"""`backout explain`: each row against what the simulated consumer of that kind really does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqtriage.commands.backout.explain import Assumed, explain
from mqtriage.commands.msg.put import report_of
from mqtriage.emulator.admin.lifecycle import roll_back
from mqtriage.emulator.clients.asf import ConnectionConsumer
from mqtriage.emulator.clients.events import EventLog, Happened
from mqtriage.emulator.clients.handlers import NotMoved, always_fails
from mqtriage.emulator.clients.jms import Acknowledge, JmsSession
from mqtriage.emulator.clients.jms_applications import AsyncApplication
from mqtriage.emulator.clients.message_flow import FailureTerminal, MQInputFlow
from mqtriage.emulator.clients.mqi_program import MqiProgram
from mqtriage.mq import cmqc
from mqtriage.mq.backout_path import ClientKind
from mqtriage.mq.errors import NotFound, ObjectNotFound, UsageError
from tests.support.client_events import events_of
from tests.support.jms_consumers import MessageConsumer
from tests.unit.emulator.conftest import Lab

STEPS = 7
"""More than any message of these tests has deliveries left."""

FIRST = {
    Happened.DELIVERED: ("deliver", "failure"),
    Happened.REQUEUED: ("requeue",),
    Happened.DEAD_LETTERED: ("dead-letter",),
    Happened.DISCARDED: ("discard",),
    Happened.LOST: ("discard", "hold"),
    Happened.HELD: ("hold",),
    Happened.KEPT: ("keep",),
}


class Case(NamedTuple):
    """One message and problemss way out.

    Attributes:
        boq: blank, takes or full.
    """

    boq: str
    report: int
    persistent: bool
    threshold: int
    rollbacks: int


CASES = {
    "takes": [
        *(Case(boq, 0, True, 3, 4) for boq in ("blank", "takes", "full")),
        *(Case(boq, cmqc.MQRO_DISCARD_MSG, True, 3, 4) for boq in ("blank", "takes", "full")),
        Case("takes", 0, True, 3, 1),
        Case("takes", 0, True, 0, 2),
    ],
    "full": [
        Case(boq, report, persistent, 3, 3)
        for boq, report, persistent in product(
            ("blank", "full"), (0, cmqc.MQRO_DISCARD_MSG), (True, False)
        )
    ],
    "blank": [Case("full", 0, False, 3, 2), Case("full", 0, True, 3, 3)],
}
"""By what the dead-letter queue does."""


def sync(lab: Lab, queue: str, mode: Acknowledge, *, commit: bool = True) -> EventLog:
    """Receive until nothing comes; the application fails on each message that it gets."""
    session = JmsSession(lab.mq.connection, mode)
    consumer = MessageConsumer(session, queue)
    for _ in range(STEPS):
        try:
            if consumer.receive_no_wait() is None:
                break
        except NotMoved:
            continue
        if mode is Acknowledge.TRANSACTED:
            session.rollback()
    if mode is Acknowledge.TRANSACTED:
        (session.commit if commit else session.rollback)()
    consumer.close()
    return session.log


def listening(lab: Lab, queue: str) -> EventLog:
    session = JmsSession(lab.mq.connection, Acknowledge.TRANSACTED)
    return running(AsyncApplication(session, queue, always_fails))


def running(consumer: Any) -> EventLog:
    consumer.run(STEPS)
    consumer.close()
    return consumer.log  # type: ignore[no-any-return]


RUNS: dict[ClientKind, Callable[[Lab, str], EventLog]] = {
    ClientKind.JMS_SYNC_TRANSACTED: lambda lab, q: sync(lab, q, Acknowledge.TRANSACTED),
    ClientKind.JMS_SYNC: lambda lab, q: sync(lab, q, Acknowledge.AUTO),
    ClientKind.JMS_ASYNC: listening,
    ClientKind.JMSINPUT: listening,
    ClientKind.ASF: lambda lab, q: running(ConnectionConsumer(lab.mq.connection, q, always_fails)),
    ClientKind.MQI: lambda lab, q: running(
        MqiProgram(lab.mq.connection, q, always_fails, handling=False)
    ),
    ClientKind.MQI_BY_HAND: lambda lab, q: running(MqiProgram(lab.mq.connection, q, always_fails)),
    ClientKind.MQINPUT: lambda lab, q: running(MQInputFlow(lab.mq.connection, q, always_fails)),
    ClientKind.MQINPUT_FAILURE: lambda lab, q: running(
        MQInputFlow(lab.mq.connection, q, always_fails, failure_terminal=FailureTerminal.OK)
    ),
}
"""XMS is not simulated: its rules are those of the JMS classes."""


@pytest.fixture(scope="module", params=["takes", "full", "blank"])
def deadq(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Lab, str]]:
    """A queue manager whose dead-letter queue takes messages, is full, or is not named."""
    lab = Lab(tmp_path_factory.mktemp("explain"))
    lab.mq.define("QLOCAL", "DLQ", {"MAXDEPTH": 0 if request.param == "full" else 5000})
    lab.mq.alter("QMGR", "", {"DEADQ": "" if request.param == "blank" else "DLQ"})
    yield lab, request.param
    lab.close()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    new_lab = Lab(tmp_path)
    yield new_lab
    new_lab.close()


def set_up(lab: Lab, case: Case) -> None:
    """The queues IN and BO, with one message that has been rolled back."""
    for name in ("IN", "BO"):
        if any(lab.mq.queues(name)):
            lab.mq.delete("QLOCAL", name, purge=True)
    lab.local("BO", MAXDEPTH=0 if case.boq == "full" else 5).close()
    boqname = "" if case.boq == "blank" else "BO"
    lab.local("IN", BOTHRESH=case.threshold, BOQNAME=boqname).close()
    lab.put("IN", report=case.report, persistence=int(case.persistent))
    roll_back(lab.mq.connection, "IN", case.rollbacks)


def where(lab: Lab) -> str | None:
    """The queue that has the message; None when none has."""
    queues = [name for name in ("IN", "BO", "DLQ") if any(lab.mq.queues(name))]
    holders = [name for name in queues if lab.depth(name)]
    assert len(holders) <= 1
    if holders == ["DLQ"]:
        lab.get("DLQ")
    return holders[0] if holders else None


def row_for(lab: Lab, client: ClientKind) -> Any:
    """The row for *client*, about the message that is on IN."""
    handle = lab.open("IN", cmqc.MQOO_BROWSE)
    (message,) = list(handle.browse())
    handle.close()
    rows = {row["client"]: row for row in explain(lab.mq, "IN", message.md.msg_id).items}
    return rows[client.value]


@pytest.mark.parametrize("client", RUNS)
@pytest.mark.seed("BO-24", "BO-26", "PM-44", "PM-46", "PM-48", "PM-54")
@pytest.mark.slow
def test_each_row_is_what_the_simulated_consumer_does(
    deadq: tuple[Lab, str], client: ClientKind
) -> None:
    lab, state = deadq
    for case in CASES[state]:
        set_up(lab, case)
        row = row_for(lab, client)
        log = RUNS[client](lab, "IN")
        context = f"{client.value} {case} {row} {[*log]}"
        assert row["next"] in FIRST[log[0].happened], context
        given = events_of(log, Happened.DELIVERED)
        delivered = len([event for event in given if "Failure" not in event.reason])
        deliveries_left = row["deliveries_left"]
        assert delivered == (STEPS if deliveries_left is None else deliveries_left), context
        expected = None if row["ending"] == "commit-decides" else row["ends_on"]
        assert where(lab) == expected, context


@pytest.mark.seed("PM-46", "PM-47")
def test_a_rollback_keeps_what_a_commit_would_lose(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"DEADQ": ""})
    for ending in ("commit", "rollback"):
        set_up(lab, Case("full", 0, True, 3, 3))
        row = row_for(lab, ClientKind.JMS_SYNC_TRANSACTED)
        assert (row["next"], row["ending"], row["ends_on"]) == ("hold", "commit-decides", None)
        sync(lab, "IN", Acknowledge.TRANSACTED, commit=ending == "commit")
        assert where(lab) == (None if ending == "commit" else "IN")


def rows(lab: Lab, queue: str, **given: Any) -> dict[str, Any]:
    return {row["client"]: row for row in explain(lab.mq, queue, **given).items}


def test_a_backout_queue_that_is_missing_is_told_with_its_reason(lab: Lab) -> None:
    lab.local("IN", BOTHRESH=3, BOQNAME="GONE")
    row = rows(lab, "IN")["jms-async"]
    assert row["ends_on"] == "SYSTEM.DEAD.LETTER.QUEUE" or row["ending"] == "input-queue"
    assert "GONE does not exist: MQRC_UNKNOWN_OBJECT_NAME (2085)" in row["reason"]


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        pytest.param({"PUT": "DISABLED"}, "MQRC_PUT_INHIBITED (2051)", id="put-disabled"),
        pytest.param({"MAXMSGL": 3}, "MQRC_MSG_TOO_BIG_FOR_Q (2030)", id="too-small"),
        pytest.param({"MAXDEPTH": 0}, "MQRC_Q_FULL (2053)", id="full"),
    ],
)
@pytest.mark.seed("PM-13")
def test_a_backout_queue_that_refuses_is_told_with_its_reason(
    lab: Lab, attributes: dict[str, int | str], reason: str
) -> None:
    lab.local("BO", **attributes)
    lab.local("IN", BOTHRESH=3, BOQNAME="BO")
    put = lab.put("IN", b"four")
    listing = explain(lab.mq, "IN", put.msg_id)
    assert all(reason in row["reason"] for row in listing.items if row["client"] == "mqi-manual")
    assert reason in listing.summary["boq_problem"]


@pytest.mark.seed("PM-56")
def test_the_header_that_jms_adds_may_make_a_message_too_long(lab: Lab) -> None:
    lab.local("BO", MAXMSGL=30)
    lab.local("IN", BOTHRESH=3, BOQNAME="BO")
    row_by_client = rows(lab, "IN", msg_id=lab.put("IN", b"x" * 30).msg_id, assumed=Assumed(3))
    for client in ("jms-sync", "jms-sync-transacted", "jms-async", "asf", "iib-jms"):
        assert "2030" in row_by_client[client]["reason"], client
    assert row_by_client["iib-mq"]["ending"] == "backout-queue"


@pytest.mark.parametrize(
    ("maxmsgl", "warned"), [pytest.param(100, True, id="close"), pytest.param(9999, False, id="ok")]
)
def test_a_close_fit_of_the_header_that_jms_adds_is_warned_of(
    lab: Lab, maxmsgl: int, warned: bool
) -> None:
    lab.local("BO", MAXMSGL=maxmsgl)
    lab.local("IN", BOTHRESH=3, BOQNAME="BO", MAXMSGL=maxmsgl)
    put = lab.put("IN", b"x" * 30)
    warnings = explain(lab.mq, "IN", put.msg_id).warnings
    assert any("JMS clients add an MQRFH2" in text for text in warnings) is warned


@pytest.mark.seed("PM-18", "PM-19")
def test_an_alias_has_no_part_in_it(lab: Lab) -> None:
    lab.local("BO")
    lab.local("IN", BOTHRESH=3, BOQNAME="BO")
    lab.mq.define("QALIAS", "ALIAS", {"TARGET": "IN"})
    listing = explain(lab.mq, "ALIAS")
    assert listing.summary["queue"] == "IN"
    assert listing.summary["bothresh"] == 3
    assert any("ALIAS is an alias of IN" in text for text in listing.warnings)


def test_an_alias_as_backout_queue_is_followed(lab: Lab) -> None:
    lab.local("BO", PUT="DISABLED")
    lab.mq.define("QALIAS", "BO.ALIAS", {"TARGET": "BO"})
    lab.local("IN", BOTHRESH=3, BOQNAME="BO.ALIAS")
    summary = explain(lab.mq, "IN").summary
    assert (summary["boq_type"], summary["boq_resolves_to"]) == ("QALIAS", "BO")
    assert "BO has PUT(DISABLED)" in summary["boq_problem"]


def test_what_is_supposed_wins_over_what_the_message_has(lab: Lab) -> None:
    lab.local("IN", BOTHRESH=3)
    put = lab.put("IN")
    assumed = Assumed(3, ("DISCARD_MSG", "MQRO_EXCEPTION"), False)
    listing = explain(lab.mq, "IN", put.msg_id, assumed)
    assert {row["ending"] for row in listing.items if row["client"] == "asf"} == {"lost"}
    assert listing.summary["report"] == cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_EXCEPTION
    assert listing.summary["backout_count"] == 3
    assert listing.summary["persistent"] is False


def test_report_options_are_read_by_name() -> None:
    assert report_of(("exception-with-data", "MQRO_DISCARD_MSG")) == (
        cmqc.MQRO_EXCEPTION_WITH_DATA | cmqc.MQRO_DISCARD_MSG
    )
    with pytest.raises(UsageError, match="no such report option"):
        report_of(("DISCARD_MESSAGE",))


def test_the_message_stays_as_it_was(lab: Lab) -> None:
    lab.local("IN", BOTHRESH=3)
    put = lab.put("IN")
    list(explain(lab.mq, "IN", put.msg_id).items)
    (message,) = list(lab.open("IN").browse())
    assert message.md.backout_count == 0
    assert lab.depth("IN") == 1


def test_a_message_that_is_not_there_is_not_found(lab: Lab) -> None:
    lab.local("IN")
    with pytest.raises(NotFound, match="no message"):
        explain(lab.mq, "IN", bytes(23) + b"\1")


def test_a_queue_that_is_not_there_is_2085(lab: Lab) -> None:
    with pytest.raises(ObjectNotFound, match="2085"):
        explain(lab.mq, "NONE")


def test_keys_are_as_promised(lab: Lab) -> None:
    """JSON keys are only ever added to."""
    lab.local("IN")
    listing = explain(lab.mq, "IN")
    first = next(iter(listing.items))
    assert {
        "client", "client_name", "next", "deliveries_left", "ending", "ends_on", "decided_by",
        "reason",
    } <= set(first)  # fmt: skip
    assert {
        "queue", "asked_for", "bothresh", "boqname", "boq_type", "boq_resolves_to", "boq_problem",
        "dead_letter_queue", "dead_letter_problem", "state", "problems", "msg_id",
        "backout_count", "report", "report_options", "persistent", "length_bytes",
    } <= set(listing.summary)  # fmt: skip
