"""`mqtriage queue who`: which programs have a queue open, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.change import local_queue
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.catalogue import AttributeValue, quoted
from mqtriage.mq.errors import MQTriageError, mqi_error
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, lines_of
from mqtriage.mq.names import check_generic_name

FIELDS: Final = (
    Field("queue", "QUEUE", Show.NAME, width=24),
    Field("application", "APPLICATION", width=20),
    Field("user", "USER", width=8, yields=4),
    Field("channel", "CHANNEL", Show.NAME, yields=6),
    Field("connection_name", "CONNAME", yields=5),
    Field("input", "INPUT"),
    Field("output", "OUTPUT", Show.FLAG),
    Field("browse", "BROWSE", Show.FLAG, yields=3),
    Field("inquire", "INQUIRE", Show.FLAG, wide=True),
    Field("set", "SET", Show.FLAG, wide=True),
    Field("process_id", "PID", Show.NUMBER, yields=7),
    Field("thread_id", "TID", Show.NUMBER, wide=True),
    Field("application_type", "APPLTYPE", wide=True),
    Field("handle_state", "HSTATE", wide=True),
    Field("unit_of_work", "UNIT_OF_WORK", wide=True),
)
_NOT_FOUND: Final = ("AMQ8565", "CSQM297")


def who(backend: Backend, pattern: str) -> Listing:
    """List the open handles of a queue, or of all local queues of a generic name.

    An alias is asked for as the queue it names.

    Raises:
        UsageError: No generic name.
        ObjectNotFound: 2085: no such queue.
        MQIError: 2057: no local queue; or the queue manager does not answer DISPLAY QSTATUS.
    """
    check_generic_name(pattern)
    warnings: list[str] = []
    name, uncommitted = pattern, 0
    if not pattern.endswith("*"):
        queue, note = local_queue(backend, pattern, f"show handles of {pattern}")
        warnings += [note] if note else []
        name, uncommitted = queue.name, backend.status(queue.name).uncommitted
    handles = [_record(shown) for shown in _handles(backend, name)]
    programs = sum(record["application_type"] != "SYSTEM" for record in handles)
    if programs and name != "*":
        warnings.append(
            f"{name}: {count_text(programs, 'handle')} open: CLEAR QLOCAL and DELETE QLOCAL are"
            " refused (MQRC_OBJECT_IN_USE)"
        )
    if uncommitted:
        warnings.append(
            f"{name}: a unit of work holds messages: CLEAR QLOCAL is refused (MQRC_Q_NOT_EMPTY)"
        )
    summary = {
        "handles": len(handles),
        "input": sum(record["input"] != "no" for record in handles),
        "output": sum(bool(record["output"]) for record in handles),
        "uncommitted": uncommitted,
    }
    return Listing("HandleList", FIELDS, handles, summary, warnings, id_key="queue")


def _handles(backend: Backend, name: str) -> Iterator[dict[str, AttributeValue]]:
    """What DISPLAY QSTATUS TYPE(HANDLE) shows; nothing where nothing is open."""
    script = parse(f"DISPLAY QSTATUS({quoted(name)}) TYPE(HANDLE) ALL")
    reply = backend.run_mqsc(script, script.commands[0])
    if reply.ending is CommandEnding.DONE:
        yield from (dict(message.object) for message in reply.lines if message.object is not None)
    elif not any(message.id.startswith(_NOT_FOUND) for message in reply.lines):
        text = reply.why or next(iter(lines_of(reply)), "no answer")
        doing = f"display QSTATUS({name})"
        if reply.reason:
            raise mqi_error(reply.reason, doing, detail=text, object_name=name)
        raise MQTriageError(f"{doing}: {text}", object_name=name)


def _record(shown: dict[str, AttributeValue]) -> Record:
    def text(keyword: str) -> str | None:
        return str(shown.get(keyword, "")).strip() or None

    def number(keyword: str) -> int | None:
        digits = str(shown.get(keyword, "")).strip()
        return int(digits) if digits.isascii() and digits.isdecimal() else None

    def yes(keyword: str) -> bool:
        return str(shown.get(keyword, "")).upper() == "YES"

    record: dict[str, Any] = {
        "queue": text("QUEUE"),
        "application": text("APPLTAG") or text("APPLDESC"),
        "user": text("USERID"),
        "channel": text("CHANNEL"),
        "connection_name": text("CONNAME"),
        "input": (text("INPUT") or "no").lower(),
        "output": yes("OUTPUT"),
        "browse": yes("BROWSE"),
        "inquire": yes("INQUIRE"),
        "set": yes("SET"),
        "process_id": number("PID"),
        "thread_id": number("TID"),
        "application_type": text("APPLTYPE"),
        "handle_state": text("HSTATE"),
        "unit_of_work": text("QMURID"),
    }
    return record
