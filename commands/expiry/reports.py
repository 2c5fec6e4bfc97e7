"""`expiry reports` and `expiry revive`: what expired for good, as its reports tell it.

MQGET never returns a message that has expired (EX-17), so there is nothing to requeue. What can be
done is to make it again: from the report with full data that its sender asked for, or from an
archive (CARD-25).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import starmap
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import counted, message_record, with_rest
from mqtriage.model.ids import format_id
from mqtriage.model.plan import Plan
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportData, Reported
from mqtriage.operations.copies.copy import ExpirationReport, expiration_report
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

    `data` is none, 100 bytes or full; only full ones can be revived. Skip and limit count reports.
    """
    window = replace(selection, skip=0, limit=None)

    def found() -> Iterator[tuple[str, Message, Reported]]:
        for queue in queues:
            for message in selected(backend, queue, window):
                report = expiration_report(message)
                if not isinstance(report, str):
                    yield queue, message, report.reported

    def record(queue: str, message: Message, reported: Reported) -> dict[str, Any]:
        msg_id, correl_id = reported.original.msg_id, reported.original.correl_id
        return {
            "original_msg_id": format_id(msg_id) if any(msg_id) else None,
            "original_correl_id": format_id(correl_id) if any(correl_id) else None,
            "data": str(reported.data),
            **message_record(message, queue, detail=detail),
        }

    records = starmap(record, selection.window(found()))
    return counted(Listing("ExpirationReportList", FIELDS, records))


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
    short = others = by_correl_id = by_msg_id = behind = 0

    def full() -> Iterator[tuple[Message, ExpirationReport]]:
        nonlocal short, others
        for message in selected(backend, request.queue, replace(selection, skip=0, limit=None)):
            report = expiration_report(message)
            if isinstance(report, str):
                others += 1
            elif report.reported.data is not ReportData.FULL:
                short += 1
            else:
                yield message, report

    for message, report in selection.window(full()):
        chosen.add(message)
        by_correl_id += report.reported.kept_id == "CorrelId"
        by_msg_id += report.reported.kept_id == "MsgId"
        behind += report.header_length_bytes > 0
    plan = plan_chosen(backend, request, chosen)
    plan.notes.append(
        "a report does not contain MsgType, Report, ReplyToQ and the put time of its original:"
        " they "
        "become datagram, none, blank and the report's put time"
    )
    for count, text in (
        (by_correl_id, "with the CorrelId of the original, which was passed on, and a new MsgId"),
        (by_msg_id, "with the MsgId of the original; its CorrelId is lost and becomes zeros"),
        (behind, "without the MQDLH or MQXQH that was in front of its report"),
        (short, "skipped: a report without the full data"),
        (others, "skipped: no expiration report"),
    ):
        if count:
            plan.notes.append(f"{count} {text}")
    return plan
