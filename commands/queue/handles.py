"""`mqtriage queue status --handles`: which programs have a queue open, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.change import local_queue
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.catalogue import AttributeValue, quoted
from mqtriage.mq.errors import MQTriageError, mqi_error
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.names import check_generic_name
from mqtriage.records import dataclass

_NOT_FOUND: Final = ("AMQ8565", "CSQM297")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHandle:
    """What one program has open, and how; what the queue manager does not show is None."""

    queue: str | None = column("QUEUE", Show.NAME, width=24)
    application: str | None = column("APPLICATION", width=20)
    user: str | None = column("USER", width=8, yields=4)
    channel: str | None = column("CHANNEL", Show.NAME, yields=6)
    connection_name: str | None = column("CONNAME", yields=5)
    input: str = column("INPUT")
    output: bool = column("OUTPUT", Show.FLAG)
    browse: bool = column("BROWSE", Show.FLAG, yields=3)
    inquire: bool = column("INQUIRE", Show.FLAG, wide=True)
    set: bool = column("SET", Show.FLAG, wide=True)
    process_id: int | None = column("PID", Show.NUMBER, yields=7)
    thread_id: int | None = column("TID", Show.NUMBER, wide=True)
    application_type: str | None = column("APPLTYPE", wide=True)
    handle_state: str | None = column("HSTATE", wide=True)
    unit_of_work: str | None = column("UNIT_OF_WORK", wide=True)


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
    handles = [_handle(shown) for shown in _handles(backend, name)]
    programs = sum(handle.application_type != "SYSTEM" for handle in handles)
    if programs and name != "*":
        warnings.append(
            f"{name}: {count_text(programs, 'handle')} open: CLEAR QLOCAL and DELETE QLOCAL are"
            " refused (MQRC_OBJECT_IN_USE)"
        )
    if uncommitted:
        warnings.append(
            f"{name}: a unit of work contains messages: CLEAR QLOCAL is refused (MQRC_Q_NOT_EMPTY)"
        )
    summary = {
        "handles": len(handles),
        "input": sum(handle.input != "no" for handle in handles),
        "output": sum(handle.output for handle in handles),
        "uncommitted": uncommitted,
    }
    fields, items = columns_of(OpenHandle), map(keys_of, handles)
    return Listing("HandleList", fields, items, summary, warnings, id_key="queue")


def _handles(backend: Backend, name: str) -> Iterator[dict[str, AttributeValue]]:
    """What DISPLAY QSTATUS TYPE(HANDLE) shows; nothing where nothing is open."""
    script = parse(f"DISPLAY QSTATUS({quoted(name)}) TYPE(HANDLE) ALL")
    reply = backend.run_mqsc(script, script.commands[0])
    if reply.ending is CommandEnding.DONE:
        yield from (dict(message.object) for message in reply.lines if message.object is not None)
    elif not any(message.id.startswith(_NOT_FOUND) for message in reply.lines):
        text = reply.problem
        doing = f"display QSTATUS({name})"
        if reply.reason:
            raise mqi_error(reply.reason, doing, detail=text, object_name=name)
        raise MQTriageError(f"{doing}: {text}", object_name=name)


def _handle(shown: dict[str, AttributeValue]) -> OpenHandle:
    def text(keyword: str) -> str | None:
        return str(shown.get(keyword, "")).strip() or None

    def number(keyword: str) -> int | None:
        digits = str(shown.get(keyword, "")).strip()
        return int(digits) if digits.isascii() and digits.isdecimal() else None

    def yes(keyword: str) -> bool:
        return str(shown.get(keyword, "")).upper() == "YES"

    return OpenHandle(
        queue=text("QUEUE"),
        application=text("APPLTAG") or text("APPLDESC"),
        user=text("USERID"),
        channel=text("CHANNEL"),
        connection_name=text("CONNAME"),
        input=(text("INPUT") or "no").lower(),
        output=yes("OUTPUT"),
        browse=yes("BROWSE"),
        inquire=yes("INQUIRE"),
        set=yes("SET"),
        process_id=number("PID"),
        thread_id=number("TID"),
        application_type=text("APPLTYPE"),
        handle_state=text("HSTATE"),
        unit_of_work=text("QMURID"),
    )
