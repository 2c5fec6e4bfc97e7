"""`expiry reports` and `expiry revive`: what expired for good, as its reports tell it.

MQGET never returns a message that has expired (EX-17), so there is nothing to requeue. What can be
done is to make it again: from the report with full data that its sender asked for, or from an
archive (CARD-25).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.messages.decoded import chain_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import counted, message_record, with_rest
from mqtriage.model.ids import format_id
from mqtriage.model.plan import Plan
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportData, Reported, told_by
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.plan import ChosenMessages, plan_chosen
from mqtriage.operations.selection.selected import selected

ACTION: Final = "revive"

FIELDS: Final = with_rest(
    (
        Field("original_msg_id", "ORIGINAL_MSGID", Show.ID, 48),
        Field("original_correl_id", "ORIGINAL_CORRELID", Show.ID, 48, yields=2),
        Field("data", "DATA", Show.TEXT, 9),
        Field("length_bytes", "LENGTH", Show.BYTES, 7),
        Field("format", "FORMAT", Show.TEXT, 8, yields=3),
        Field("put_time", "REPORTED", Show.TIME, 22),
        Field("put_appl_name", "BY", Show.TEXT, 12, yields=4),
        Field("queue", "QUEUE", Show.NAME, 20, yields=5),
        Field("msg_id", "REPORT_MSGID", Show.ID, 48, yields=1),
    )
)


def reports(
    backend: Backend, queues: Iterable[str], selection: Selection, *, detail: bool = True
) -> Listing:
    """List the expiration reports on *queues*, each with what it tells of its original.

    `data` is none, 100 bytes or full; only full ones can be revived.
    """

    def records() -> Iterator[dict[str, Any]]:
        for queue in queues:
            for message in selected(backend, queue, selection):
                report = _report(message)
                if isinstance(report, str):
                    continue
                msg_id, correl_id = report.original.msg_id, report.original.correl_id
                yield {
                    "original_msg_id": format_id(msg_id) if any(msg_id) else None,
                    "original_correl_id": format_id(correl_id) if any(correl_id) else None,
                    "data": str(report.data),
                    **message_record(message, queue, detail=detail),
                }

    return counted(Listing("ExpirationReportList", FIELDS, records()))


def _report(message: Message) -> Reported | str:
    headers = chain_of(message).body_offset if message.md.format else 0
    return told_by(message.md, message.body, message.length_bytes, headers)


def queues_with_messages(backend: Backend) -> list[str]:
    """The local queues that hold something, without those of the system."""
    return [
        queue.name
        for queue in backend.queues()
        if queue.kind == "QLOCAL"
        and not queue.name.startswith("SYSTEM.")
        and queue.attributes.get("USAGE", "NORMAL") != "XMITQ"
        and backend.status(queue.name).curdepth
    ]


def plan_revive(backend: Backend, request: ActRequest, selection: Selection) -> Plan:
    """Plan to make messages again from the full-data reports on a queue, which are taken."""
    chosen = ChosenMessages(backend, request)
    short = others = by_correl_id = by_msg_id = 0
    window = replace(selection, skip=0, limit=None)
    most = selection.limit
    skip = selection.skip
    for message in selected(backend, request.queue, window):
        report = _report(message)
        if isinstance(report, str):
            others += 1
        elif report.data is not ReportData.FULL:
            short += 1
        elif skip:
            skip -= 1
        else:
            chosen.add(message)
            by_correl_id += report.kept_id == "CorrelId"
            by_msg_id += report.kept_id == "MsgId"
            if len(chosen.messages) == most:
                break
    plan = plan_chosen(backend, request, chosen)
    plan.notes.append(
        "a report does not contain MsgType, Report, ReplyToQ and the put time of its original:"
        " they "
        "become datagram, none, blank and the report's put time"
    )
    for count, text in (
        (by_correl_id, "with the CorrelId of the original, which was passed on, and a new MsgId"),
        (by_msg_id, "with the MsgId of the original; its CorrelId is lost and becomes zeros"),
        (short, "skipped: a report without the full data"),
        (others, "skipped: no expiration report"),
    ):
        if count:
            plan.notes.append(f"{count} {text}")
    return plan
