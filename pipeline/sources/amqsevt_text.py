"""One event as ``amqsevt -o text`` prints it, which is its default, as JSON of the same names.

::

    **** Message #7 (236 Bytes) on Queue SYSTEM.ADMIN.PERFM.EVENT ****
    Event Type                     : Perfm Event [45]
    Reason                         : Queue Full [2053]
    Event created                  : 2016/10/21 07:11:28.58 GMT
      Queue Mgr Name               : V9000_A
      Base Object Name             : FULLEVT

Parameters are indented; a name without a value, and deeper lines behind it, is a group.
Source: the blog of amqsevt's author on formatting MQ events; how groups are printed is not shown
there and follows the indentation.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Final

from mqtriage.mq import cmqcfc

BEGINS: Final = r"\*{4} Message #\d+ \(\d+ Bytes\) on "
"""How an event begins, as a regular expression."""
_HEAD: Final = re.compile(rf"{BEGINS}(Queue|Topic) (\S+) \*{{4}}\s*$")
_LINE: Final = re.compile(r"( *)([A-Z][^:]*?) *(?:: ?(.*))?$")
_CODED: Final = re.compile(r"(.*) \[(\d+)\]$")
_COUNTED: Final = (
    cmqcfc.MQCMD_STATISTICS_MQI, cmqcfc.MQCMD_STATISTICS_Q, cmqcfc.MQCMD_STATISTICS_CHANNEL,
    cmqcfc.MQCMD_ACCOUNTING_MQI, cmqcfc.MQCMD_ACCOUNTING_Q,
)  # fmt: skip
"""What is counted: no sample shows how its lists look as text."""


def event_of(text: str) -> str | None:
    """The event of a block of text as JSON, as ``-o json`` words it; None if it is not whole.

    Statistics and accounting messages are None too.
    """
    head, *lines = text.replace("\r", "").rstrip().split("\n")
    source = _HEAD.match(head)
    fields, data = _fields(lines)
    kind, reason = (_CODED.match(fields.get(name, "")) for name in ("Event Type", "Reason"))
    created = _time(fields.get("Event created", ""))
    if not (source and kind and reason and created and data) or int(kind[2]) in _COUNTED:
        return None
    event: dict[str, Any] = {
        "eventSource": {"objectName": source[2], "objectType": source[1]},
        "eventType": {"name": kind[1], "value": int(kind[2])},
        "eventReason": {"name": reason[1], "value": int(reason[2])},
        "eventCreation": {
            "timeStamp": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "epoch": int(created.timestamp()),
        },
    }
    for key, name in (("objectState", "Object State"), ("correlationID", "Correlation ID")):
        if name in fields:
            event[key] = fields[name]
    return json.dumps({**event, "eventData": data})


def _fields(lines: list[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """The lines of the event itself by name, and its parameters."""
    fields: dict[str, str] = {}
    data: dict[str, Any] = {}
    groups: list[tuple[int, dict[str, Any]]] = []
    read = [match for line in lines if (match := _LINE.match(line))]
    for match, behind in zip(read, [*read[1:], None], strict=False):
        depth, name, value = len(match[1]), match[2], (match[3] or "").strip()
        if not depth:
            fields[name.strip()] = value
            continue
        while groups and groups[-1][0] >= depth:
            groups.pop()
        parent = groups[-1][1] if groups else data
        if not value and behind is not None and len(behind[1]) > depth:
            group: dict[str, Any] = {}
            parent[_key(name)] = group
            groups.append((depth, group))
        else:
            parent[_key(name)] = value
    return fields, data


def _key(name: str) -> str:
    """``Queue Mgr Name`` as ``queueMgrName``."""
    first, *others = name.split()
    return first.lower() + "".join(word[:1].upper() + word[1:].lower() for word in others)


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text.removesuffix(" GMT"), "%Y/%m/%d %H:%M:%S.%f").replace(
            tzinfo=UTC
        )
    except ValueError:
        return None
