"""`dlq browse`: dead-lettered messages, with what their MQDLH says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands.msg.messages import WHOLE, ListingView, browse_as
from mqtriage.messages.decoded import dead_letter_header
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import with_rest
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import count_text
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_rfc3339
from mqtriage.operations.rules.origin import dead_letter_queue
from mqtriage.operations.selection.selected import selected

FIELDS: Final = with_rest(
    (
        Field("msg_id", "MSGID", Show.ID, 48),
        Field("reason_name", "REASON", Show.TEXT, 24),
        Field("reason", "CODE", Show.NUMBER, 5, yields=2),
        Field("dest_q", "DEST_Q", Show.NAME, 20),
        Field("dest_q_mgr", "DEST_QM", Show.NAME, 8, yields=6),
        Field("dlq_put_appl_name", "PUT_APPL", Show.TEXT, 12, yields=1),
        Field("put_appl_name", "MQMD_PUT_APPL", Show.TEXT, 13, yields=7),
        Field("dlq_put_time", "DLQ_PUT_TIME", Show.TIME, 22, yields=3),
        Field("body_format", "FORMAT", Show.TEXT, 8, yields=4),
        Field("length_bytes", "LENGTH", Show.BYTES, 7, yields=5),
        Field("put_time", "MQMD_PUT_TIME", Show.TIME, 22, wide=True),
        Field("correl_id", "CORRELID", Show.ID, 48, wide=True),
        Field("dlq_put_appl_type", "DLQ_PUT_APPL_TYPE", Show.NUMBER, wide=True),
        Field("body_ccsid", "BODY_CCSID", Show.NUMBER, wide=True),
        Field("body_encoding", "BODY_ENCODING", Show.NUMBER, wide=True),
    )
)


def browse(
    backend: Backend,
    queue: str | None,
    selection: Selection,
    view: ListingView = WHOLE,
    by_descriptor: tuple[Selection, str] | None = None,
) -> Listing:
    """List the chosen messages of the dead-letter queue.

    The MQDLH is taken off the body that is shown; JSON has it in `headers`. A message without a
    readable one is listed all the same, with null in its place.

    Args:
        queue: None for DEADQ of the queue manager.
        by_descriptor: *selection* by the MQMD instead, and its fields, for a warning where the
            MQDLH of no message matches.
    """
    name = queue or dead_letter_queue(backend)
    listing = browse_as(
        "DeadLetterList", FIELDS, backend, name, selection, view, dead_letter_keys, whole=True
    )
    if by_descriptor is not None:
        records = _noting_descriptors(backend, name, listing, listing.items, *by_descriptor)
        listing.items = records
    return listing


def _noting_descriptors(
    backend: Backend,
    queue: str,
    listing: Listing,
    records: Iterable[Record],
    selection: Selection,
    fields: str,
) -> Iterator[Record]:
    is_empty = True
    for record in records:
        is_empty = False
        yield record
    if is_empty and (count := sum(1 for _ in selected(backend, queue, selection))):
        verb = "matches" if count == 1 else "match"
        listing.warnings.append(
            f"the dead-letter header of no message matches, but {count_text(count)} {verb} by the"
            f" MQMD: use {fields} in --where"
        )


def dead_letter_keys(message: Message) -> dict[str, Any]:
    """What the MQDLH of a message says, null where there is none that can be read.

    Then format, CCSID, encoding and put time are those of the descriptor.
    """
    facts = dead_letter_header(message)
    put = facts or message.md
    return {
        "reason": facts.reason if facts else None,
        "reason_name": facts.reason_name if facts else None,
        "dest_q": facts.dest_q_name if facts else None,
        "dest_q_mgr": facts.dest_q_mgr_name if facts else None,
        "dlq_put_appl_type": facts.put_appl_type if facts else None,
        "dlq_put_appl_name": facts.put_appl_name if facts else None,
        "dlq_put_time": put_rfc3339(put.put_date, put.put_time),
        "body_format": facts.format if facts else message.md.format,
        "body_ccsid": facts.ccsid if facts else message.md.ccsid,
        "body_encoding": facts.encoding if facts else message.md.encoding,
    }
