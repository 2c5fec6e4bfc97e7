"""Event, statistics and accounting messages in the words of amqsevt."""

from __future__ import annotations

from mqtriage.messages.event_json import event_of
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf

HEAD = MQMD(format="MQEVENT", put_date="20260105", put_time="00000100", correl_id=b"\1" * 24)


def message(event: pcf.PCF, head: MQMD = HEAD) -> Message:
    body = pcf.encode(event)
    return Message(head, body, len(body))


def test_a_queue_full_event_is_what_amqsevt_prints() -> None:
    """The words are those of the recordings: Perfm Event, Queue Full, baseObjectName."""
    parameters = (
        pcf.string(cmqc.MQCA_Q_MGR_NAME, "QM1", width=48),
        pcf.string(cmqc.MQCA_BASE_OBJECT_NAME, "PAY.IN", width=48),
        pcf.integer_of(cmqc.MQIA_HIGH_Q_DEPTH, 4),
    )
    full = pcf.PCF(
        cmqcfc.MQCFT_EVENT, cmqcfc.MQCMD_PERFM_EVENT, parameters, reason=cmqc.MQRC_Q_FULL
    )
    assert event_of(message(full), "E", "QM1") == {
        "eventSource": {"objectName": "E", "objectType": "Queue", "queueMgr": "QM1"},
        "eventType": {"name": "Perfm Event", "value": 45},
        "eventReason": {"name": "Queue Full", "value": 2053},
        "correlationID": "01" * 24,
        "eventData": {"queueMgrName": "QM1", "baseObjectName": "PAY.IN", "highQueueDepth": 4},
        "eventCreation": {"timeStamp": "2026-01-05T00:00:01Z", "epoch": 1_767_571_201},
    }


def test_the_groups_of_a_command_are_objects_and_its_numbers_have_words() -> None:
    context = (
        pcf.string(cmqcfc.MQCACF_EVENT_USER_ID, "mqm"),
        pcf.integer_of(cmqcfc.MQIACF_EVENT_ORIGIN, 1),
        pcf.integer_of(cmqcfc.MQIACF_COMMAND, cmqcfc.MQCMD_CHANGE_Q),
    )
    given = (pcf.string(cmqc.MQCA_Q_NAME, "PAY.IN"),)
    command = pcf.PCF(
        cmqcfc.MQCFT_EVENT,
        cmqcfc.MQCMD_COMMAND_EVENT,
        (
            pcf.group(cmqcfc.MQGACF_COMMAND_CONTEXT, context),
            pcf.group(cmqcfc.MQGACF_COMMAND_DATA, given),
        ),
        reason=cmqc.MQRC_COMMAND_MQSC,
    )
    record = event_of(message(command), "E", "QM1")
    assert record is not None
    assert record["eventData"] == {
        "commandContext": {
            "eventUserId": "mqm", "eventOrigin": "Console", "command": "Change Queue",
        },
        "commandData": {"queueName": "PAY.IN"},
    }  # fmt: skip


def test_the_two_messages_of_a_change_say_which_is_which() -> None:
    before, after = (
        pcf.PCF(7, cmqcfc.MQCMD_CONFIG_EVENT, control=control, reason=2368)
        for control in (cmqcfc.MQCFC_NOT_LAST, cmqcfc.MQCFC_LAST)
    )
    states = [(event_of(message(one), "E", "QM1") or {})["objectState"] for one in (before, after)]
    assert states == ["Before Change", "After Change"]


def test_what_is_no_event_is_left_alone() -> None:
    command = pcf.PCF(1, cmqcfc.MQCMD_CHANGE_Q)
    assert event_of(message(command), "E", "QM1") is None
    full = pcf.PCF(7, cmqcfc.MQCMD_PERFM_EVENT, (pcf.string(2002, "QM1"),))
    whole = message(full)
    assert event_of(whole._replace(body=whole.body[:-4]), "E", "QM1") is None
    assert event_of(message(full, HEAD._replace(format="MQSTR")), "E", "QM1") is None
    assert event_of(Message(HEAD, b"", 0), "E", "QM1") is None
