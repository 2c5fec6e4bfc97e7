"""`mqtriage delay advise`: sizes for the staging queue, by a load or by what snapshots saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, Final

from mqtriage.commands.analyze.run import AnalyzeRequest, analyze
from mqtriage.commands.delay.sizing import Load
from mqtriage.definitions.analysis_file import read_analysis
from mqtriage.definitions.rules.delayed import depth_of_load
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import count_text
from mqtriage.mq import delay
from mqtriage.mq.attributes.catalogue import within_bounds
from mqtriage.mq.errors import NotFound

FIELDS: Final = (
    Field("queue_manager", "QMGR", Show.NAME),
    Field("attribute", "ATTRIBUTE"),
    Field("value", "VALUE", Show.NUMBER),
    Field("now", "NOW", Show.NUMBER),
    Field("sum", "SUM"),
    Field("problem", "PROBLEM"),
)
_MEASURED: Final = (
    ("MAXDEPTH", "maxdepth", "maxdepth_now", "maxdepth_sum"),
    ("MAXMSGL", "maxmsgl_bytes", "maxmsgl_now_bytes", "maxmsgl_sum"),
    ("MAXFSIZE", "maxfsize_mb", "", "maxfsize_sum"),
)


def by_load(load: Load) -> Listing:
    """The sizes for a load whose rate, delay and length are known, with the sums of the rules."""
    depth, length_bytes = depth_of_load(load), load.largest_message_bytes
    assert depth is not None
    assert length_bytes is not None
    length = delay.length_needed(length_bytes, header_allowance_bytes=load.header_allowance_bytes)
    disk = delay.disk_needed(depth.value, length.value)
    depth_text = depth.text.replace(f"{load.rate_per_s}/s", load.rate_text, 1)
    rows = [
        _row("MAXDEPTH", depth.value, depth_text, depth),
        _row("MAXMSGL", length.value, length.text, length),
        _row("MAXFSIZE", -(-disk.value // 2**20), disk.text, disk),
    ]
    return Listing("DelayAdviceList", FIELDS, rows, id_key="attribute")


def _row(attribute: str, value: int, text: str, sizing: delay.AdvisedSize) -> Record:
    allowed, outside = within_bounds("QLOCAL", attribute, value)
    return {
        "queue_manager": None,
        "attribute": attribute,
        "value": allowed,
        "now": None,
        "sum": f"{text}{outside}",
        "problem": sizing.problem or None,
    }


def by_analysis(path: str, queue_manager: str | None) -> Listing:
    """The sizes that an analysis found.

    Raises:
        NotFound: No such file, or nothing of that queue manager in it.
        UsageError: It is no analysis of the staging queue.
    """
    return _listing(read_analysis(path, "delay"), queue_manager, path)


def by_snapshots(
    folder: str,
    queue_manager: str | None,
    percentile: float,
    headroom_percent: int,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
) -> tuple[Listing, bool]:
    """The sizes that snapshots show to be needed, and whether something could not be read.

    Raises:
        NotFound: No such folder, or nothing of that queue manager in it.
        MQTriageError: Spark or Java is missing, or failed.
    """
    options = {"percentile": percentile, "headroom_percent": headroom_percent}
    measured, is_partial, _ = analyze(
        "delay", AnalyzeRequest((folder,), options=options), None, environ, tell
    )
    listing = _listing(measured.items, queue_manager, folder)
    listing.warnings += measured.warnings
    listing.summary.update(measured.summary)
    return listing, is_partial


def _listing(rows: Iterable[Record], queue_manager: str | None, where: str) -> Listing:
    chosen = [row for row in rows if queue_manager in (None, row.get("queue_manager"))]
    if not chosen and queue_manager is not None:
        raise NotFound(f"{where}: nothing of {queue_manager}")
    records: list[dict[str, Any]] = []
    for row, (attribute, key, now, text) in product(chosen, _MEASURED):
        value, problem = row.get(key), None
        if not isinstance(value, int) or isinstance(value, bool):
            value = None
        if attribute == "MAXDEPTH" and row.get("full_looks"):
            often = count_text(row["full_looks"], "time")
            problem = f"found full {often}: MAXDEPTH held the load down, more is needed"
        record = {
            "queue_manager": row.get("queue_manager"),
            "attribute": attribute,
            # one that the attribute can have: an older analysis had others in it
            "value": None if value is None else within_bounds("QLOCAL", attribute, value)[0],
            "now": row.get(now) if now else None,
            "sum": row.get(text),
            "problem": problem,
        }
        records.append(record)
    return Listing("DelayAdviceList", FIELDS, records, id_key="attribute")
