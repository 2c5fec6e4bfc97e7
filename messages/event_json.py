"""Event, statistics and accounting messages as amqsevt prints them in JSON, one object each.

So one reader is enough for what amqsevt wrote, and for what an archive of such a queue holds.
"""

from __future__ import annotations

from typing import Any, Final

from mqtriage.messages.pcf_record import meaning
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf import names as pcf_names
from mqtriage.mq.times import put_time_us, rfc3339

_TYPES: Final = (
    cmqcfc.MQCFT_EVENT, cmqcfc.MQCFT_STATISTICS, cmqcfc.MQCFT_ACCOUNTING,
)  # fmt: skip
_FORMATS: Final = (cmqc.MQFMT_EVENT.rstrip(), cmqc.MQFMT_ADMIN.rstrip())
_ALONE: Final = (cmqcfc.MQGACF_COMMAND_CONTEXT, cmqcfc.MQGACF_COMMAND_DATA)
"""Groups of which a message has one; of the others it has a list."""


def event_of(message: Message, queue: str, queue_manager: str) -> dict[str, Any] | None:
    """The message as amqsevt prints it; None for one that is no event, statistics or accounting."""
    md = message.md
    if md.format.rstrip() not in _FORMATS:
        return None
    event = pcf.recognise(message.body, ccsid=md.ccsid)
    if event is None or event.type not in _TYPES or event.wrong is not None:
        return None
    put_us = put_time_us(md.put_date, md.put_time)
    command, reason = pcf_names.name_of_command(event.command), name_of_reason(event.reason)
    record: dict[str, Any] = {
        "eventSource": {"objectName": queue, "objectType": "Queue", "queueMgr": queue_manager},
        "eventType": {"name": _words(command, "MQCMD_"), "value": event.command},
        "eventReason": {"name": _words(reason, "MQRC_"), "value": event.reason},
        "correlationID": md.correl_id.hex().upper(),
        "eventData": _members(event.parameters),
    }
    if put_us is not None:
        record["eventCreation"] = {"timeStamp": rfc3339(put_us), "epoch": put_us // 1_000_000}
    if event.reason == cmqc.MQRC_CONFIG_CHANGE_OBJECT:
        is_last = event.control == cmqcfc.MQCFC_LAST
        record["objectState"] = "After Change" if is_last else "Before Change"
    return record


def _members(parameters: tuple[pcf.PcfParameter, ...]) -> dict[str, Any]:
    """Each parameter under its name; groups of one kind are a list."""
    record: dict[str, Any] = {}
    for parameter in parameters:
        identifier = pcf_names.name_of_parameter(parameter.parameter, parameter.type)
        name = _camel(identifier) or str(parameter.parameter)
        if parameter.type == cmqcfc.MQCFT_GROUP:
            group = _members(pcf.members(parameter))
            if parameter.parameter in _ALONE:
                record[name] = group
            else:
                record.setdefault(name, []).append(group)
        else:
            record[name] = _value(identifier, parameter.value)
    return record


def _value(identifier: str, value: pcf.Value) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    named = meaning(identifier, value) if isinstance(value, int) else None
    if isinstance(named, str):
        return _words(named, f"{named.partition('_')[0]}_")
    return list(value) if isinstance(value, tuple) else value


def _words(identifier: str, prefix: str) -> str:
    """``Queue Depth High`` for MQRC_Q_DEPTH_HIGH."""
    words = identifier.removeprefix(prefix).split("_")
    return " ".join("Queue" if word == "Q" else word.capitalize() for word in words)


def _camel(identifier: str) -> str:
    """``baseObjectName`` for MQCA_BASE_OBJECT_NAME."""
    first, *others = _words(identifier.partition("_")[2], "").split(" ")
    return first.lower() + "".join(others)
