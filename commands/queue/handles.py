"""`mqtriage queue status --handles`: which programs have a queue open, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.backends.name_resolution import local_queue
from mqtriage.backends.port import Backend
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.catalogue import AttributeValue, quoted
from mqtriage.mq.errors import MQTriageError, mqi_error
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.names import check_generic_name
from mqtriage.records import dataclass

_TIMES: Final = ("unit_of_work_start", "connected")
"""Columns that are shown where a handle has them."""
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
    unit_of_work_start: str | None = column("UOW_START", width=19, yields=1)
    connected: str | None = column("CONNECTED", width=19, yields=2)
    thread_id: int | None = column("TID", Show.NUMBER, wide=True)
    application_type: str | None = column("APPLTYPE", wide=True)
    handle_state: str | None = column("HSTATE", wide=True)
    unit_of_work: str | None = column("UNIT_OF_WORK", wide=True)
    connection: str | None = column("CONN", wide=True)


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
    shown = [*_handles(backend, name)]
    units = _units(backend) if any(map(_unit_of, shown)) else {}
    starts = _channel_starts(backend) if any(map(_client_of, shown)) else {}
    handles = [
        _handle(one, units.get(_unit_of(one), {}), starts.get(_client_of(one))) for one in shown
    ]
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
    in_units = [handle for handle in handles if handle.unit_of_work is not None]
    is_emulated = backend.insight is not None
    warnings += dict.fromkeys(_unit_text(one, is_emulated=is_emulated) for one in in_units)
    summary = {
        "handles": len(handles),
        "input": sum(handle.input != "no" for handle in handles),
        "output": sum(handle.output for handle in handles),
        "uncommitted": uncommitted,
    }
    empty = {key for key in _TIMES if not any(getattr(handle, key) for handle in handles)}
    fields, items = columns_of(OpenHandle), map(keys_of, handles)
    fields = tuple(one._replace(wide=one.wide or one.key in empty) for one in fields)
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


def _units(backend: Backend) -> dict[str, dict[str, AttributeValue]]:
    """By its number, the connection of each unit of work, where DISPLAY CONN shows it."""
    script = parse("DISPLAY CONN(*) TYPE(CONN) WHERE(UOWSTATE EQ ACTIVE) ALL")
    reply = backend.run_mqsc(script, script.commands[0])
    shown = [dict(message.object) for message in reply.lines if message.object is not None]
    return {_unit_of(one): one for one in shown}


def _channel_starts(backend: Backend) -> dict[tuple[str, ...], str]:
    """By channel and address, when a client's channel started; of several nothing is known."""
    script = parse("DISPLAY CHSTATUS(*) CHSTADA CHSTATI")
    reply = backend.run_mqsc(script, script.commands[0])
    starts: dict[tuple[str, ...], set[str]] = {}
    for message in reply.lines:
        one = dict(message.object or {})
        start = f"{one.get('CHSTADA', '')} {one.get('CHSTATI', '')}".strip()
        if start:
            starts.setdefault(_client_of(one), set()).add(start)
    return {client: times.pop() for client, times in starts.items() if len(times) == 1}


def _client_of(shown: dict[str, AttributeValue]) -> tuple[str, ...]:
    """The channel and the address that a client came by; nothing for a local program."""
    channel, address = (str(shown.get(key, "")).strip() for key in ("CHANNEL", "CONNAME"))
    return (channel, address.partition("(")[0]) if channel else ()


def _unit_of(shown: dict[str, AttributeValue]) -> str:
    """QMURID; "" where that is of no unit of work."""
    number = str(shown.get("QMURID", "")).strip()
    return "" if set(number) <= {"0", "."} else number


def _unit_text(handle: OpenHandle, *, is_emulated: bool) -> str:
    """Whose unit of work it is, and how an administrator ends it.

    Args:
        is_emulated: STOP CONN does not run there.
    """
    program = handle.application or "a program"
    pid = f" (PID {handle.process_id})" if handle.process_id else ""
    since = f" since {handle.unit_of_work_start}" if handle.unit_of_work_start else ""
    ends = f"; STOP CONN({handle.connection}) would back it out" if handle.connection else ""
    if is_emulated:
        client = f"the client of {handle.channel}" if handle.channel else ""
        local = f"process {handle.process_id}" if handle.process_id else "the program"
        ends = f"; ending {client or local} would back it out"
    return f"{program}{pid} has an open unit of work{since}{ends}"


def _handle(
    shown: dict[str, AttributeValue], unit: dict[str, AttributeValue], connected: str | None
) -> OpenHandle:
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
        unit_of_work=_unit_of(shown) or None,
        unit_of_work_start=f"{unit.get('UOWSTDA', '')} {unit.get('UOWSTTI', '')}".strip() or None,
        connected=connected,
        connection=str(unit.get("CONN", "")).strip() or None,
    )
