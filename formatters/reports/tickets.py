"""Advice as NDJSON for ticket systems: what is open now, each matter under an id that stays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from mqtriage.formatters.charts.analysis_html import advice_text
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.snapshots.advice import Advice


def ticket_lines(advices: Sequence[Advice], last_us: int | None) -> Iterator[str]:
    """An object a matter; the keys are a promise to scripts, docs/monitoring.md tells them.

    Args:
        last_us: when the last snapshot was taken; None where there is none.
    """
    written: set[str] = set()
    for one in advices:
        if one.id in written:
            continue
        written.add(one.id)
        ticket = {
            "id": one.id,
            "code": one.code,
            "weight": one.weight.name.lower(),
            "job": one.job,
            "queue_manager": one.queue_manager,
            "object": one.object,
            "text": advice_text(one),
            "command": one.command or None,
            "snapshot_time": None if last_us is None else rfc3339(last_us),
        }
        yield json.dumps(ticket, ensure_ascii=False)
