"""When BOTHRESH and BOQNAME are inquired, of which queue, with which options and authority."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import NotMoved
from mqtriage.emulator.clients.inquiry import (
    needs_get_authority_to_inquire,
    open_options,
    version_parts,
)
from mqtriage.emulator.clients.jms import Acknowledge
from mqtriage.emulator.core import call_log
from mqtriage.mq import cmqc
from mqtriage.mq.errors import ConnectionFailed, MQIError, UsageError
from tests.support import logged_calls
from tests.support.client_events import events_of, kinds
from tests.unit.emulator.clients.conftest import ClientLab
from tests.unit.emulator.conftest import Lab

AUTO = Acknowledge.AUTO
OLD = cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING | cmqc.MQOO_INPUT_AS_Q_DEF
NEW = cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING


def inquiries(lab: ClientLab, queue: str = "Q1") -> list[logged_calls.Call]:
    """Calls on *queue* from the inquiry on: its open, the inquiry, its close."""
    return [
        call
        for call in logged_calls.calls(lab.mq.manager, queue)
        if call.options & cmqc.MQOO_INQUIRE or call.verb == "MQINQ"
    ]


@pytest.fixture
def logged(lab: ClientLab) -> ClientLab:
    lifecycle.switch(lab.mq.manager, call_log.SWITCH, "on")
    return lab


# -- when -----------------------------------------------------------------------------------------


@pytest.mark.seed("PM-09")
def test_a_message_never_rolled_back_is_delivered_without_an_inquiry(logged: ClientLab) -> None:
    logged.put("Q1")
    assert logged.consumer(logged.session(AUTO)).receive_no_wait() is not None
    assert inquiries(logged) == []


@pytest.mark.seed("PM-29")
def test_the_inquiry_opens_inquires_and_closes_the_local_queue(logged: ClientLab) -> None:
    logged.poison("Q1", 1)
    session = logged.session()
    consumer = logged.consumer(session)
    before = set(session.connection.handles)
    assert consumer.receive_no_wait() is not None
    assert [call.verb for call in inquiries(logged)] == ["MQOPEN", "MQINQ", "MQCLOSE"]
    assert inquiries(logged)[1].detail == "BOTHRESH, BOQNAME"
    assert session.connection.handles == before


@pytest.mark.seed("PM-16")
def test_the_values_are_those_of_the_first_backed_out_message_not_of_creation(
    lab: ClientLab,
) -> None:
    lab.alter("Q1", BOTHRESH=0)
    session = lab.session()
    consumer = lab.consumer(session)
    lab.put("Q1", b"fine")
    assert consumer.receive_no_wait() is not None
    session.commit()
    lab.alter("Q1", BOTHRESH=2)
    lab.poison("Q1", 2)
    assert consumer.receive_no_wait() is None


@pytest.mark.seed("PM-17")
def test_they_are_kept_whatever_is_altered_until_a_new_consumer_asks(lab: ClientLab) -> None:
    lab.local("OTHER")
    lab.alter("Q1", BOTHRESH=2)
    session = lab.session(AUTO)
    consumer = lab.consumer(session)
    lab.poison("Q1", 2)
    assert consumer.receive_no_wait() is None
    lab.alter("Q1", BOTHRESH=9, BOQNAME="OTHER")
    lab.poison("Q1", 2)
    assert consumer.receive_no_wait() is None
    assert (lab.depth("BOQ"), lab.depth("OTHER")) == (2, 0)
    lab.poison("Q1", 2)
    assert lab.consumer(session).receive_no_wait() is not None
    lab.poison("Q1", 9)
    assert lab.consumer(session).receive_no_wait() is None
    assert (lab.depth("BOQ"), lab.depth("OTHER")) == (2, 1)


# -- of which queue -------------------------------------------------------------------------------


@pytest.mark.seed("PM-18")
def test_through_an_alias_the_target_is_inquired(logged: ClientLab) -> None:
    logged.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    logged.poison("Q1", 3)
    session = logged.session()
    assert logged.consumer(session, "A1").receive_no_wait() is None
    session.commit()
    assert logged.depth("BOQ") == 1
    assert [call.object for call in inquiries(logged)] == ["Q1"] * 3
    assert inquiries(logged, "A1") == []


@pytest.mark.seed("PM-20")
@pytest.mark.parametrize(("here", "there", "moved"), [(2, 9, 1), (9, 2, 0), (2, 0, 1), (0, 2, 0)])
def test_of_a_cluster_queue_the_local_instance_is_inquired(
    lab: ClientLab, here: int, there: int, moved: int
) -> None:
    """The other queue manager has the same home, so that whoever asked it would get an answer."""
    elsewhere = Lab(lab.home, name="QM2")
    elsewhere.local("BOQ")
    elsewhere.local("C1", CLUSTER="DEMO", BOTHRESH=there, BOQNAME="BOQ")
    lab.local("C1", CLUSTER="DEMO", BOTHRESH=here, BOQNAME="BOQ")
    lab.poison("C1", 2)
    received = lab.consumer(lab.session(AUTO), "C1").receive_no_wait()
    assert (received is None) is bool(moved)
    assert (lab.depth("BOQ"), elsewhere.depth("BOQ")) == (moved, 0)
    elsewhere.close()


# -- versions -------------------------------------------------------------------------------------


@pytest.mark.seed("PM-30", "PM-31", "PM-35", "TRAP-14")
@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("7.5.0.9", True),
        ("8.0", True),
        ("8.9", True),
        ("9.0.5", True),
        ("9.1", True),
        ("9.1.0.0", True),
        ("9.1.0.1", True),
        ("9.1.0.2", False),
        ("9.1.0.9", False),
        ("9.1.1", True),
        ("9.1.1.5", True),
        ("9.1.2", False),
        ("9.1.5", False),
        ("9.2.0.0", False),
        ("9.4", False),
        ("10.0", False),
    ],
)
def test_versions_are_compared_by_stream(version: str, old: bool) -> None:
    assert needs_get_authority_to_inquire(version) is old


@pytest.mark.parametrize("text", ["", "9", "9.x", "9.1.0.2.3", "nine", "-9.1", "9..1", "9.1.٣"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="client-version"):
        version_parts(text)


@pytest.mark.seed("PM-30", "PM-31", "PM-33", "PM-35")
@pytest.mark.parametrize(
    ("version", "cluster", "expected"),
    [
        pytest.param("9.1.0.1", True, OLD, id="long-term-old-cluster"),
        pytest.param("9.1.1", True, OLD, id="continuous-old-cluster"),
        pytest.param("9.1.0.1", False, NEW, id="long-term-old-local"),
        pytest.param("9.1.1", False, NEW, id="continuous-old-local"),
        pytest.param("9.1.0.2", True, NEW, id="long-term-new-cluster"),
        pytest.param("9.1.2", True, NEW, id="continuous-new-cluster"),
        pytest.param("9.1.2", False, NEW, id="continuous-new-local"),
    ],
)
def test_the_open_options_of_the_inquiry(
    logged: ClientLab, version: str, cluster: bool, expected: int
) -> None:
    logged.alter("Q1", CLUSTER="DEMO" if cluster else "")
    logged.poison("Q1", 3)
    assert logged.consumer(logged.session(AUTO, version=version)).receive_no_wait() is None
    assert inquiries(logged)[0].options == expected == open_options(version, cluster=cluster)
    assert logged.depth("BOQ") == 1


# -- authority ------------------------------------------------------------------------------------


def _on_alias(lab: ClientLab, version: str, *words: str) -> list[Happened]:
    """What happens to a poison message of cluster queue C1, read by `app` through alias A1."""
    lab.local("C1", CLUSTER="DEMO", BOTHRESH=3, BOQNAME="BOQ")
    lab.mq.define("QALIAS", "A1", {"TARGET": "C1"})
    lab.allow("app", "A1", "GET")
    lab.allow("app", "BOQ", "PUT", "PASSALL")
    lab.allow("app", "C1", *words)
    lab.poison("C1", 3)
    session = lab.session(AUTO, version=version, connection=lab.user("app"))
    lab.consumer(session, "A1").receive_no_wait()
    return kinds(session.log)


@pytest.mark.seed("PM-32")
def test_an_old_client_needs_inquire_and_get_on_a_cluster_queue(lab: ClientLab) -> None:
    assert _on_alias(lab, "9.1.1", "INQ")[0] is Happened.NOT_INQUIRED
    assert lab.depth("BOQ") == 0


@pytest.mark.seed("PM-32")
def test_with_both_the_inquiry_of_an_old_client_works(lab: ClientLab) -> None:
    assert _on_alias(lab, "9.1.1", "INQ", "GET") == [Happened.REQUEUED]


@pytest.mark.seed("PM-35")
def test_a_new_client_needs_inquire_alone_on_a_cluster_queue(lab: ClientLab) -> None:
    assert _on_alias(lab, "9.1.2", "INQ") == [Happened.REQUEUED]


@pytest.mark.seed("PM-34", "GAP-06")
def test_without_inquire_the_message_is_delivered_as_if_bothresh_were_0_and_it_is_noted(
    lab: ClientLab,
) -> None:
    lab.allow("app", "Q1", "GET")
    lab.allow("app", "BOQ", "PUT", "PASSALL")
    lab.poison("Q1", 3)
    session = lab.session(version="9.1.0.1", connection=lab.user("app"))
    consumer = lab.consumer(session)
    assert consumer.receive_no_wait() is not None
    (noted,) = events_of(session.log, Happened.NOT_INQUIRED)
    assert "MQRC_NOT_AUTHORIZED (2035)" in noted.reason
    session.rollback()
    lab.allow("app", "Q1", "INQ")
    assert consumer.receive_no_wait() is None
    session.commit()
    assert lab.depth("BOQ") == 1


@pytest.mark.seed("PM-36")
@pytest.mark.parametrize(
    ("boq", "dlq", "where"),
    [
        pytest.param(("PUT", "PASSALL"), (), "BOQ", id="both-on-the-backout-queue"),
        pytest.param(("PUT",), ("PUT", "PASSALL"), "DLQ", id="no-passall-on-the-backout-queue"),
        pytest.param(("PASSALL",), ("PUT", "PASSALL"), "DLQ", id="no-put-on-the-backout-queue"),
        pytest.param((), ("PUT",), "", id="no-passall-on-the-dead-letter-queue"),
        pytest.param((), ("PASSALL",), "", id="no-put-on-the-dead-letter-queue"),
    ],
)
def test_a_move_needs_put_and_passall(
    lab: ClientLab, boq: tuple[str, ...], dlq: tuple[str, ...], where: str
) -> None:
    lab.allow("app", "Q1", "GET", "INQ")
    lab.allow("app", "BOQ", *boq)
    lab.allow("app", "DLQ", *dlq)
    lab.poison("Q1", 3)
    session = lab.session(AUTO, connection=lab.user("app"))
    with nullcontext() if where else pytest.raises(NotMoved, match="2035"):
        assert lab.consumer(session).receive_no_wait() is None
    assert {name for name in ("BOQ", "DLQ") if lab.depth(name)} == ({where} if where else set())
    assert bool(events_of(session.log, Happened.LOST)) is not bool(where)


def test_a_lost_connection_is_no_failed_inquiry(lab: ClientLab) -> None:
    lab.poison("Q1", 3)
    session = lab.session()
    consumer = lab.consumer(session)
    lifecycle.stop(lab.mq.manager)
    with pytest.raises(ConnectionFailed):
        consumer.receive_no_wait()


def test_a_queue_that_is_in_use_exclusively_cannot_be_consumed(lab: ClientLab) -> None:
    lab.alter("Q1", DEFSOPT="EXCL")
    lab.consumer(lab.session())
    with pytest.raises(MQIError) as refused:
        lab.consumer(lab.session())
    assert refused.value.reason == 2042
