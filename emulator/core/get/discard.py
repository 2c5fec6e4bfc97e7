"""Discarding: an expired message leaves its queue when a get or browse would have returned it.

The discard belongs to no application's unit of work (EX-40): it is part of the short transaction
of the call that met the message, and a backout does not bring it back. Nor does the expiration
report, which is made now and not when the lifetime ended (EX-39, EX-41).
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.emulator.core.file.store import QUEUE_SHIFT
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import make_report, report_or_dead_letter
from mqtriage.emulator.core.tables import messages, tallies
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.headers import ddh
from mqtriage.mq.reports import ReportKind


def discard(manager: Manager, positions: Iterable[int], now_us: int) -> int:
    """Remove those of the messages that are still there and have expired; returns how many.

    Must run inside a transaction of *manager*.
    """
    gone = 0
    for position in positions:
        packed = messages.expire(manager.store, position, now_us)
        if packed is None:
            continue
        gone += 1
        if manager.tally is not None:
            queue = manager.by_id[position >> QUEUE_SHIFT]
            tallies.note(manager.tally, "", queue.name, "expired")
        md = unpack(packed)
        if md.report & cmqc.MQRO_EXPIRATION:
            _report(manager, md, position, now_us)
        messages.remove_body(manager.store, position)
    return gone


def _report(manager: Manager, md: MQMD, position: int, now_us: int) -> None:
    """Send the expiration report; for a staged message it is about the original (DD-77, DD-78)."""
    body = messages.body(manager.store, position)
    if md.format == ddh.DDH_FORMAT:
        header = ddh.decode(body)
        if isinstance(header, ddh.DDH) and header.tail is not None:
            md, body = header.tail.original, body[header.length :]
    report = make_report(manager, ReportKind.EXPIRATION, md._replace(expiry_tenths=0), body, now_us)
    report_or_dead_letter(manager, report, now_us)
