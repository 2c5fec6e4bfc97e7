"""Triggering: what fires, what it needs, and what the trigger message is like."""

from __future__ import annotations

import pytest

from mqtriage.backends.emulated import EmulatedHandle
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import dlh, tm
from tests.unit.emulator.conftest import Lab, message

INITQ = "SYSTEM.DEFAULT.INITIATION.QUEUE"
DLQ = "SYSTEM.DEAD.LETTER.QUEUE"


def triggered(lab: Lab, kind: str, **attributes: int | str) -> None:
    """A queue Q1 that triggers, its process, and a monitor that has the initiation queue open."""
    process: dict[str, int | str] = {
        "APPLTYPE": 6,
        "APPLICID": "/usr/bin/serve",
        "ENVRDATA": "&",
        "USERDATA": "u",
    }
    lab.mq.define("PROCESS", "PROC", process)
    given: dict[str, int | str] = {
        "TRIGGER": "YES",
        "TRIGTYPE": kind,
        "INITQ": INITQ,
        "PROCESS": "PROC",
    }
    lab.mq.define("QLOCAL", "Q1", {**given, **attributes})


def watch(lab: Lab) -> EmulatedHandle:
    return lab.open(INITQ, cmqc.MQOO_INPUT_SHARED)


def fired(lab: Lab) -> int:
    return lab.depth(INITQ)


def test_first_fires_when_the_queue_was_empty(lab: Lab) -> None:
    triggered(lab, "FIRST")
    watch(lab)
    lab.put("Q1")
    lab.put("Q1")
    assert fired(lab) == 1


def test_every_fires_for_each_message(lab: Lab) -> None:
    triggered(lab, "EVERY")
    watch(lab)
    for _ in range(3):
        lab.put("Q1")
    assert fired(lab) == 3


@pytest.mark.seed("EX-36")
def test_expired_messages_count_for_depth_triggering(lab: Lab) -> None:
    triggered(lab, "DEPTH", TRIGDPTH=3)
    watch(lab)
    for _ in range(2):
        lab.put("Q1", expiry_tenths=1)
    lab.advance(1)
    assert fired(lab) == 0
    lab.put("Q1")
    assert fired(lab) == 1


def test_depth_fires_once_and_sets_notrigger(lab: Lab) -> None:
    triggered(lab, "DEPTH", TRIGDPTH=2)
    watch(lab)
    for _ in range(4):
        lab.put("Q1")
    assert fired(lab) == 1
    assert lab.mq.queue("Q1").attributes["TRIGGER"] == "NO"
    lab.mq.alter("QLOCAL", "Q1", {"TRIGGER": "YES"})
    assert fired(lab) == 2


@pytest.mark.seed("EX-49")
def test_a_trigger_message_has_an_unlimited_lifetime(lab: Lab) -> None:
    triggered(lab, "FIRST", TRIGDATA="data", CAPEXPRY=100)
    lab.mq.alter("QLOCAL", INITQ, {"CAPEXPRY": 100})
    monitor = watch(lab)
    lab.put("Q1", expiry_tenths=50)
    received = monitor.get()
    assert (received.md.expiry_tenths, received.md.format) == (-1, "MQTRIG")
    assert (received.md.put_appl_type, received.md.put_appl_name) == (cmqc.MQAT_QMGR, "QM1")
    trigger = tm.decode(received.body)
    assert isinstance(trigger, tm.TM)
    assert (trigger.q_name, trigger.process_name, trigger.trigger_data) == ("Q1", "PROC", "data")
    assert (trigger.appl_type, trigger.appl_id) == (6, "/usr/bin/serve")
    assert (trigger.env_data, trigger.user_data) == ("&", "u")


@pytest.mark.parametrize(
    "broken",
    ["no-monitor", "no-process", "no-initq", "notrigger", "none", "get-disabled", "served"],
)
def test_nothing_fires_without_what_it_needs(lab: Lab, broken: str) -> None:
    changes: dict[str, dict[str, int | str]] = {
        "no-process": {"PROCESS": "NONE"},
        "no-initq": {"INITQ": "NONE"},
        "notrigger": {"TRIGGER": "NO"},
        "none": {"TRIGTYPE": "NONE"},
        "get-disabled": {"GET": "DISABLED"},
    }
    triggered(lab, "FIRST", **changes.get(broken, {}))
    if broken != "no-monitor":
        watch(lab)
    if broken == "served":
        lab.open("Q1", cmqc.MQOO_INPUT_SHARED)
    lab.put("Q1")
    assert fired(lab) == 0


def test_every_fires_also_while_the_queue_is_served(lab: Lab) -> None:
    triggered(lab, "EVERY")
    watch(lab)
    lab.open("Q1", cmqc.MQOO_INPUT_SHARED)
    lab.put("Q1")
    assert fired(lab) == 1


@pytest.mark.parametrize(("kind", "order"), [("FIRST", "PRIORITY"), ("DEPTH", "FIFO")])
def test_messages_below_trigmpri_do_not_count(lab: Lab, kind: str, order: str) -> None:
    triggered(lab, kind, TRIGMPRI=5, TRIGDPTH=1, MSGDLVSQ=order)
    watch(lab)
    lab.put("Q1", priority=4)
    assert fired(lab) == 0
    lab.put("Q1", priority=5)
    assert fired(lab) == 1


def test_closing_a_queue_that_is_not_empty_fires_again(lab: Lab) -> None:
    triggered(lab, "FIRST")
    watch(lab)
    lab.put("Q1")
    lab.put("Q1")
    server = lab.open("Q1", cmqc.MQOO_INPUT_SHARED)
    server.get()
    assert fired(lab) == 1
    server.close()
    assert fired(lab) == 2
    server = lab.open("Q1", cmqc.MQOO_INPUT_SHARED)
    server.get()
    server.close()
    assert fired(lab) == 2


def test_a_monitor_that_comes_late_is_told_what_waits(lab: Lab) -> None:
    triggered(lab, "FIRST")
    lab.put("Q1")
    watch(lab)
    assert fired(lab) == 1


def test_after_trigint_a_message_fires_although_others_wait(lab: Lab) -> None:
    triggered(lab, "FIRST")
    lab.mq.alter("QMGR", "", {"TRIGINT": 5000})
    watch(lab)
    lab.put("Q1")
    lab.advance(4.999_999)
    lab.put("Q1")
    assert fired(lab) == 1
    lab.advance(0.000_001)
    lab.put("Q1")
    assert fired(lab) == 2


def test_trigint_counts_from_a_trigger_that_there_was(lab: Lab) -> None:
    """The first message found no process definition: nothing has fired, so nothing is over."""
    triggered(lab, "FIRST", PROCESS="LATER")
    lab.mq.alter("QMGR", "", {"TRIGINT": 5000})
    watch(lab)
    lab.put("Q1")
    lab.mq.define("PROCESS", "LATER", {"APPLICID": "/usr/bin/serve"})
    lab.advance(60)
    lab.put("Q1")
    assert fired(lab) == 0


@pytest.mark.parametrize("committed", [True, False], ids=["commit", "backout"])
def test_the_trigger_message_of_a_unit_is_seen_when_the_unit_ends(
    lab: Lab, committed: bool
) -> None:
    triggered(lab, "FIRST")
    watch(lab)
    lab.mq.put1("Q1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert fired(lab) == 1
    assert lab.bodies(INITQ) == []
    if committed:
        lab.mq.commit()
    else:
        lab.mq.backout()
    (trigger_message,) = list(lab.open(INITQ, 8).browse())
    assert trigger_message.md.backout_count == 0
    assert lab.depth("Q1") == committed


def test_a_trigger_message_counts_in_maxumsgs(lab: Lab) -> None:
    triggered(lab, "EVERY")
    watch(lab)
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 3})
    lab.mq.put1("Q1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(MQIError) as error:
        lab.mq.put1("Q1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert error.value.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    assert fired(lab) == 1


def test_a_trigger_message_that_does_not_fit_goes_to_the_dead_letter_queue(lab: Lab) -> None:
    triggered(lab, "EVERY")
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lab.mq.alter("QLOCAL", INITQ, {"MAXDEPTH": 1})
    watch(lab)
    for _ in range(2):
        lab.put("Q1")
    dead = lab.get(DLQ)
    header = dlh.decode(dead.body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (cmqc.MQRC_Q_FULL, INITQ)
    assert (dead.md.expiry_tenths, header.format) == (-1, "MQTRIG")


def test_a_transmission_queue_needs_no_process(lab: Lab) -> None:
    triggered(lab, "FIRST")
    lab.mq.define(
        "QLOCAL", "QM2",
        {"USAGE": "XMITQ", "TRIGGER": "YES", "INITQ": INITQ, "TRIGDATA": "TO.QM2"},
    )  # fmt: skip
    lab.mq.define("QREMOTE", "R1", {"RNAME": "T", "RQMNAME": "QM2"})
    monitor = watch(lab)
    lab.put("R1")
    trigger = tm.decode(monitor.get().body)
    assert isinstance(trigger, tm.TM)
    assert (trigger.q_name, trigger.trigger_data) == ("QM2", "TO.QM2")


def test_a_delivered_message_fires_too(lab: Lab) -> None:
    triggered(lab, "FIRST")
    watch(lab)
    lab.send("Q1", 10_000)
    assert fired(lab) == 0
    lab.advance(10)
    assert fired(lab) == 1


def test_a_message_got_back_by_a_backout_is_no_arrival(lab: Lab) -> None:
    triggered(lab, "EVERY")
    watch(lab)
    lab.put("Q1")
    server = lab.open("Q1", cmqc.MQOO_INPUT_SHARED)
    server.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.backout()
    assert fired(lab) == 1
