"""`expiry browse`: how long the messages of a queue have left."""

from __future__ import annotations

from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands.msg.messages import WHOLE, ListingView, browse_as
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import with_rest
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportData, ReportKind, data_of
from mqtriage.mq.times import rfc3339

FIELDS: Final = with_rest(
    (
        Field("msg_id", "MSGID", Show.ID, 48),
        Field("correl_id", "CORRELID", Show.ID, 48, yields=3),
        Field("put_time", "PUT_TIME", Show.TIME, 22, yields=2),
        Field("expiry_tenths", "EXPIRY_LEFT", Show.TENTHS, 11),
        Field("expires_at", "EXPIRES_AT", Show.TIME, 24),
        Field("expiry_report", "EXP_REPORT", Show.TEXT, 10),
        Field("length_bytes", "LENGTH", Show.BYTES, 7, yields=1),
    )
)

_REPORTS: Final = {
    None: "none",
    ReportData.NONE: "exp",
    ReportData.FIRST_100: "exp-data",
    ReportData.FULL: "exp-full",
}


def browse(
    backend: Backend, queue: str, selection: Selection, view: ListingView = WHOLE
) -> Listing:
    """List the chosen messages with the lifetime they have left (EX-10).

    What has expired is never listed: MQGET returns no such message, browsing or not (EX-17).
    """

    def more(message: Message) -> dict[str, Any]:
        return lifetime(message, backend.now_us())

    return browse_as("ExpiringMessageList", FIELDS, backend, queue, selection, view, more)


def lifetime(message: Message, now_us: int) -> dict[str, Any]:
    """When it ends, to the tenth of a second that Expiry counts, and which report it asks for."""
    expires_us = expires_at_us(now_us, message.md.expiry_tenths)
    return {
        "expires_at": None if expires_us is None else rfc3339(expires_us),
        "expiry_report": _REPORTS[data_of(message.md.report, ReportKind.EXPIRATION)],
    }
