"""`delay browse`: messages that wait on the staging queue for their time, and one of them.

The staging queue is opened for browse alone (DD-50). A staged message has a MsgId of its own; the
one that the application got is its CorrelId (DD-51, DD-52).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

from mqtriage.backends.port import Backend, queue_manager_now_us
from mqtriage.commands.msg.messages import WHOLE, ListingView, find_one
from mqtriage.messages.decoded import StagedFacts, sender_correl_id, target_and_due
from mqtriage.messages.document import message_document
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import BodyForm, counted, message_record, with_rest
from mqtriage.model.result import Document, Field, Listing, Show, column, columns_of, keys_of
from mqtriage.mq import cmqc
from mqtriage.mq.delay import OVERDUE_AFTER_US, STAGING_QUEUE, staged_end_us, state_of
from mqtriage.mq.due_time import DueReading
from mqtriage.mq.errors import UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339, rfc3339_or_none
from mqtriage.operations.selection.due_reading import due_reading, with_due_reading
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.whole_ids import with_whole_ids
from mqtriage.records import dataclass

HELD_MOST: Final = 100_000
"""Messages that an order other than the queue's own takes into memory without `--limit`."""

FIELDS: Final = with_rest(
    (
        Field("msg_id", "STAGED_MSGID", Show.ID, 48, yields=3),
        Field("original_msg_id", "ORIGINAL_MSGID", Show.ID, 48),
        Field("sender_correl_id", "SENDER_CORRELID", Show.ID, 48, yields=7),
        Field("target", "TARGET", Show.NAME, 20),
        Field("target_queue_manager", "TARGET_QMGR", Show.NAME, 11, yields=6),
        Field("put_time", "PUT_TIME", Show.TIME, 22, yields=4),
        Field("delay_ms", "DELAY", Show.AGE_MS, 6),
        Field("due_time", "DUE", Show.TIME, 24),
        Field("in_ms", "IN", Show.AGE_MS, 6),
        Field("state", "STATE", Show.TEXT, 8),
        Field("expiry_tenths", "EXPIRY", Show.TENTHS, 9, yields=1),
        Field("persistence", "PERSIST", Show.FLAG, 7, yields=5),
        Field("length_bytes", "LENGTH", Show.BYTES, 7, yields=2),
        Field("ddh_time", "DDH_TIME", Show.TIME, wide=True),
        Field("ddh_time_basis", "DDH_TIME_BASIS", Show.TEXT, wide=True),
    )
)


@dataclass(slots=True)
class StagedTarget:
    """The messages that wait for one target."""

    target: str | None = column("TARGET", Show.NAME, 20)
    target_queue_manager: str | None = column("TARGET_QMGR", Show.NAME, 11, yields=2)
    message_count: int = column("COUNT", Show.NUMBER, 7, default=0)
    length_bytes: int = column("STAGED_BYTES", Show.BYTES, 7, default=0, yields=3)
    overdue: int = column("OVERDUE", Show.NUMBER, 7, default=0)
    next_due_time: str | None = column("NEXT_DUE", Show.TIME, 24, default=None)
    last_due_time: str | None = column("LAST_DUE", Show.TIME, 24, default=None, yields=1)

    def add(self, length_bytes: int, due_us: int | None, now_us: int) -> None:
        """Count a message; None where it does not say when it is due."""
        self.message_count += 1
        self.length_bytes += length_bytes
        if due_us is not None:
            due = rfc3339(due_us)
            self.overdue += due_us + OVERDUE_AFTER_US <= now_us
            self.next_due_time = min(self.next_due_time or due, due)
            self.last_due_time = max(self.last_due_time or due, due)


def browse(
    backend: Backend,
    selection: Selection,
    *,
    by: str = "put",
    view: ListingView = WHOLE,
    assume_due: bool = False,
) -> Listing:
    """List the chosen staged messages.

    Args:
        by: "put" is the order of the queue and streams; "due" and "target" read all first.
        assume_due: take an undocumented time in the header for the due time, where it could be.

    Raises:
        Refused: A selection by due time where that is not known.
        ObjectNotFound: There is no staging queue.
    """
    selection = with_due_reading(backend, selection, assume=assume_due)
    selection, id_notes = with_whole_ids(backend, STAGING_QUEUE, selection)
    reading = selection.due_reading or due_reading(backend, assume=assume_due)
    kept = selection if by == "put" else replace(selection, limit=None)
    messages = selected(backend, STAGING_QUEUE, kept)
    make = partial(
        record,
        clock=backend.now_us,
        now_us=queue_manager_now_us(backend),
        reading=reading._replace(assumes=True),  # the basis of each says what is assumed
        view=view,
    )
    records: Iterable[dict[str, Any]] = map(make, messages)
    if by != "put":
        records = _ordered(records, by, selection.limit)
    listing = Listing("StagedMessageList", FIELDS, records, warnings=[*id_notes, *reading.notes()])
    return counted(listing)


def group_by_target(backend: Backend, selection: Selection, *, assume_due: bool = False) -> Listing:
    """One record for each target: how many messages wait for it, and when they come."""
    selection = with_due_reading(backend, selection, assume=assume_due)
    messages = selected(backend, STAGING_QUEUE, selection)
    reading = selection.due_reading or due_reading(backend, assume=assume_due)
    shown = reading._replace(assumes=True)

    def records() -> Iterator[dict[str, Any]]:
        now_us = queue_manager_now_us(backend)
        by_target: dict[tuple[str, str], StagedTarget] = {}
        for message in messages:
            facts = target_and_due(message, shown)
            names = (facts.target or "", facts.target_queue_manager or "") if facts else ("", "")
            if names not in by_target:
                by_target[names] = StagedTarget(names[0] or None, names[1] or None)
            due_us = facts.due_time_us if facts is not None else None
            by_target[names].add(message.length_bytes, due_us, now_us)
        for names in sorted(by_target):
            yield keys_of(by_target[names])

    fields = columns_of(StagedTarget)
    return Listing("StagedTargetList", fields, records(), id_key="target", warnings=reading.notes())


def record(
    message: Message,
    *,
    clock: Callable[[], int],
    now_us: int,
    reading: DueReading,
    view: ListingView = WHOLE,
) -> dict[str, Any]:
    """The record of one staged message; null where its header does not say."""
    facts = target_and_due(message, reading)
    fields = message_record(message, STAGING_QUEUE, form=view.form, detail=view.detail)
    return {**fields, **staged_keys(message, facts, now_us, clock)}


def staged_keys(
    message: Message, facts: StagedFacts | None, now_us: int, clock: Callable[[], int]
) -> dict[str, Any]:
    """What is known of a staged message beside its descriptor."""
    due_us = facts.due_time_us if facts is not None else None
    correl_id = None if facts is None else sender_correl_id(message.body, facts.header)
    return {
        "original_msg_id": message.md.correl_id.hex().upper(),
        "sender_correl_id": None if correl_id is None else correl_id.hex().upper(),
        "target": facts.target if facts else None,
        "target_queue_manager": facts.target_queue_manager if facts else None,
        "delay_ms": facts.delay_ms if facts else None,
        "due_time": None if due_us is None else rfc3339(due_us),
        "in_ms": None if due_us is None else (due_us - now_us) // 1000,
        "state": str(state_of(due_us, end_of(message, facts, clock), now_us)),
        # any 64 bits may stand there, not only a year we can write
        "ddh_time": rfc3339_or_none(facts.ddh_time_us) if facts else None,
        "ddh_time_basis": facts.basis if facts else None,
    }


def end_of(message: Message, facts: StagedFacts | None, clock: Callable[[], int]) -> int | None:
    """When the lifetime of a staged message ends that was just read; None for unlimited."""
    tenths = message.md.expiry_tenths
    if tenths == cmqc.MQEI_UNLIMITED:
        return None
    header_us = None
    if facts is not None and facts.basis == "emulator":
        header_us = facts.header.expiry_raw
    return staged_end_us(header_us, tenths, clock())


def show_staged(
    backend: Backend,
    selection: Selection,
    nth: int | None,
    form: BodyForm,
    body: str | None,
    decode: bool,
) -> Document:
    """Show one staged message in full, with its target and its time; see `msg.messages.show`."""
    message, warnings = find_one(backend, STAGING_QUEUE, selection, nth)
    reading = due_reading(backend)._replace(assumes=True)
    extra = staged_keys(message, target_and_due(message, reading), backend.now_us(), backend.now_us)
    document = message_document(
        message,
        STAGING_QUEUE,
        form=form,
        body=body,
        decode=decode,
        kind="StagedMessage",
        extra=extra,
    )
    document.warnings += warnings + reading.notes()
    return document


def _ordered(
    records: Iterable[dict[str, Any]], by: str, limit: int | None
) -> Iterator[dict[str, Any]]:
    """Sorted by due time, or by target and then due time; what is not known comes last."""

    def key(record: dict[str, Any]) -> tuple[Any, ...]:
        due = (record["due_time"] is None, record["due_time"] or "")
        return due if by == "due" else (record["target"] is None, record["target"] or "", *due)

    if limit is not None:
        from heapq import nsmallest

        yield from nsmallest(limit, records, key=key)
        return
    source = iter(records)
    held = list(islice(source, HELD_MOST + 1))
    if len(held) > HELD_MOST:
        raise UsageError(
            f"--by {by}: more than {HELD_MOST} messages would have to be held in memory",
            hint="add --limit N, narrow the selection, or use --by put",
        )
    yield from sorted(held, key=key)
