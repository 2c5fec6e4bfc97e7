"""`backout pending` and `backout browse`: poison messages, before and after they were moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mqtriage.backends.name_resolution import case_notes
from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.msg.messages import WHOLE, ListingView
from mqtriage.commands.queue.names import existing
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import counted, message_record, with_rest
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.mq.backout import is_poison, near_threshold
from mqtriage.mq.errors import MQIError
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from mqtriage.operations.rules.origin import (
    ProgramsOnQueues,
    candidates,
    jms_destination,
    origin_of,
    programs_of,
)
from mqtriage.operations.selection.selected import selected

PENDING_FIELDS: Final = with_rest(
    (
        Field("queue", "QUEUE", Show.NAME, 24),
        Field("msg_id", "MSGID", Show.ID, 48),
        Field("backout_count", "BACKOUT", Show.NUMBER, 7),
        Field("backout_threshold", "BOTHRESH", Show.NUMBER, 8, yields=3),
        Field("state", "STATE", Show.TEXT, 7),
        Field("age_ms", "AGE", Show.AGE_MS, 7, yields=2),
        Field("put_appl_name", "PUT_APPL", Show.TEXT, 12, yields=1),
        Field("backout_queue", "BOQNAME", Show.NAME, wide=True),
    )
)
BACKOUT_FIELDS: Final = with_rest(
    (
        Field("msg_id", "MSGID", Show.ID, 48),
        Field("correl_id", "CORRELID", Show.ID, 48, yields=5),
        Field("origin", "ORIGIN", Show.NAME, 20),
        Field("origin_sure", "ORIGIN_SURE", Show.TEXT, 11),
        Field("put_time", "PUT_TIME", Show.TIME, 22, yields=3),
        Field("age_ms", "AGE", Show.AGE_MS, 7, yields=1),
        Field("format", "FORMAT", Show.TEXT, 8, yields=4),
        Field("expiry_tenths", "EXPIRY_LEFT", Show.TENTHS, 11, yields=2),
        Field("length_bytes", "LENGTH", Show.BYTES, 7, yields=3),
        Field("cause", "CAUSE", Show.TEXT, 16),
        Field("origin_candidates", "ORIGIN_CANDIDATES", Show.TEXT, wide=True),
        Field("origin_evidence", "ORIGIN_EVIDENCE", Show.TEXT, wide=True),
    )
)


def pending(
    backend: Backend,
    pattern: str = "*",
    *,
    at_least: int | None = None,
    detail: bool = False,
    must_read: bool = False,
) -> Listing:
    """List messages on input queues whose BackoutCount is near or over BOTHRESH.

    Where BOTHRESH is 0, poison handling is off, any message that was rolled back is listed.

    Args:
        pattern: name or generic name; the queues of the system (SYSTEM.*) are left out of ``*``.
        at_least: list by BackoutCount alone, from this number up.
        must_read: where only one queue matches, raise the error that it cannot be browsed with.
            Of several, that is a warning.

    Raises:
        UsageError: No generic name.
        ObjectNotFound: 2085, 2082, where one queue was named and is not there.
        MQIError: 2057, where it is not a local queue; and as *must_read* says.
    """
    pattern = existing(backend, pattern, "backout pending")
    queues = [
        queue
        for queue in backend.queues(pattern)
        if queue.kind == "QLOCAL" and (pattern != "*" or not queue.name.startswith("SYSTEM."))
    ]
    listing = Listing("PendingMessageList", PENDING_FIELDS, ())
    listing.summary.update(poison={}, off={})
    listing.warnings += case_notes(backend, [pattern])
    listing.items = _pending(backend, queues, listing, at_least, detail=detail, must_read=must_read)
    return counted(listing)


def _pending(
    backend: Backend,
    queues: list[ObjectDefinition],
    listing: Listing,
    at_least: int | None,
    *,
    detail: bool,
    must_read: bool,
) -> Iterator[Record]:
    """The messages; how many queues were browsed, and which could not be, goes to the listing."""
    read = 0
    for queue in queues:
        threshold = int(queue.attributes.get("BOTHRESH", 0))
        boq = str(queue.attributes.get("BOQNAME", "")).strip() or None
        try:
            if backend.status(queue.name).curdepth == 0:
                continue
            whole = None if detail else 0
            messages = selected(backend, queue.name, Selection(), max_length=whole)
            read += 1
            now_us = backend.now_us()
            for message in messages:
                count = message.md.backout_count
                if not _is_pending(count, threshold, at_least):
                    continue
                state = _state(count, threshold)
                if state != "near":
                    of_state = listing.summary[state]
                    of_state[queue.name] = of_state.get(queue.name, 0) + 1
                yield {
                    **message_record(message, queue.name, detail=detail),
                    "backout_threshold": threshold,
                    "backout_queue": boq,
                    "state": state,
                    "age_ms": age_ms(message, now_us),
                }
        except MQIError as error:
            if must_read and len(queues) == 1:
                raise
            # one queue that cannot be read does not hide the others
            listing.warnings.append(error.text)
    listing.summary["queues_browsed"] = read


def _is_pending(count: int, threshold: int, at_least: int | None) -> bool:
    if count == 0:
        return False
    if at_least is not None:
        return count >= at_least
    return threshold == 0 or near_threshold(count, threshold)


def _state(count: int, threshold: int) -> str:
    """`poison`: BOTHRESH is reached; `near`: not yet; `off`: BOTHRESH is 0."""
    if threshold == 0:
        return "off"
    return "poison" if is_poison(count, threshold) else "near"


def browse(
    backend: Backend, queue: str, selection: Selection, view: ListingView = WHOLE
) -> Listing:
    """List the chosen messages of a backout queue, with where they came from."""
    queues = {definition.name: definition for definition in backend.queues()}
    origins = tuple(candidates(queues, queue))
    programs = ProgramsOnQueues(backend, origins)
    messages = selected(backend, queue, selection)
    now_us = backend.now_us()

    def record(message: Message) -> dict[str, Any]:
        fields = message_record(message, queue, form=view.form, detail=True)
        sent_to = jms_destination(fields["headers"])
        origin = origin_of(queues, origins, queue, sent_to, programs_of(message), programs)
        fields |= {
            "origin": origin.queue,
            "origin_sure": origin.sure,
            "origin_candidates": list(origins),
            "origin_evidence": origin.evidence(len(origins)),
            "age_ms": age_ms(message, now_us),
            "cause": cause_of(fields["headers"], fields["damages"]),
        }
        if not view.detail:
            for key in ("headers", "headers_hex", "body", "body_hex"):
                del fields[key]
        return fields

    return counted(Listing("BackoutMessageList", BACKOUT_FIELDS, map(record, messages)))


def cause_of(headers: list[Mapping[str, Any]], damages: list[str]) -> str | None:
    """Why it may be poison, as far as the message itself says: MQDLH.Reason, or a damage."""
    for header in headers:
        if header["name"] == "MQDLH" and "reason_name" in header["fields"]:
            return str(header["fields"]["reason_name"])
    return damages[0] if damages else None


def age_ms(message: Message, now_us: int) -> int | None:
    """Time since PutDate and PutTime; None where they hold no time."""
    put_us = put_time_us(message.md.put_date, message.md.put_time)
    return None if put_us is None else (now_us - put_us) // 1000
