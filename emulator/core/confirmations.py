"""Confirmations: COA when a message arrives on its queue, COD when it is taken off.

Each belongs to the unit of work of the put or get that caused it (mq-reference 4.8) and counts in
MAXUMSGS there (4.4). One that cannot be delivered goes to the dead-letter queue.
"""

from __future__ import annotations

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.system_puts import make_report, report_or_dead_letter
from mqtriage.emulator.core.units import Holder
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers.ddh import DDH_FORMAT
from mqtriage.mq.reports import ReportKind


def confirm_arrival(
    manager: Manager, md: MQMD, body: bytes, now_us: int, holder: Holder | None, doing: str
) -> None:
    """Make the COA report of a message that asks for one.

    Raises:
        MQIError: 2024 when it no longer fits the unit of work.
    """
    _confirm(manager, ReportKind.COA, md, body, now_us, holder, doing)


def confirm_delivery(
    manager: Manager, md: MQMD, body: bytes, now_us: int, holder: Holder | None, doing: str
) -> None:
    """Make the COD report of a message that asks for one and that a get takes off its queue.

    A staged message that somebody takes off the staging queue was not delivered: no report.

    Raises:
        MQIError: 2024.
    """
    if md.format != DDH_FORMAT:
        _confirm(manager, ReportKind.COD, md, body, now_us, holder, doing)


def _confirm(
    manager: Manager,
    kind: ReportKind,
    md: MQMD,
    body: bytes,
    now_us: int,
    holder: Holder | None,
    doing: str,
) -> None:
    if holder is not None:
        holder.add(doing)
    report = make_report(manager, kind, md, body, now_us)
    report_or_dead_letter(manager, report, now_us, holder)
