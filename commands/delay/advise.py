"""`mqtriage delay advise`: sizes for the staging queue, by a load or by what snapshots saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from mqtriage.commands.analyze.run import AnalyzeRequest, analyze
from mqtriage.commands.delay.sizing import Load
from mqtriage.definitions.analysis_file import read_analysis
from mqtriage.definitions.rules.delayed import depth_of_load
from mqtriage.model.result import Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq import delay
from mqtriage.mq.attributes.catalogue import within_bounds
from mqtriage.mq.errors import NotFound
from mqtriage.records import dataclass

_MEASURED: Final = (
    ("MAXDEPTH", "maxdepth", "maxdepth_now", "maxdepth_sum"),
    ("MAXMSGL", "maxmsgl_bytes", "maxmsgl_now_bytes", "maxmsgl_sum"),
    ("MAXFSIZE", "maxfsize_mb", "", "maxfsize_sum"),
)


@dataclass(frozen=True, slots=True)
class DelayAdvice:
    """A value for an attribute of the staging queue, with the sum that leads to it."""

    queue_manager: str | None = column("QMGR", Show.NAME)
    attribute: str = column("ATTRIBUTE")
    value: int | None = column("VALUE", Show.NUMBER)
    now: int | None = column("NOW", Show.NUMBER)
    sum: str | None = column("SUM")
    problem: str | None = column("PROBLEM")


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
    return _listing(rows)


def _row(attribute: str, value: int, text: str, sizing: delay.AdvisedSize) -> DelayAdvice:
    allowed, outside = within_bounds("QLOCAL", attribute, value)
    text = f"{text}{outside}"
    return DelayAdvice(None, attribute, allowed, None, text, sizing.problem or None)


def by_analysis(path: str, queue_manager: str | None) -> Listing:
    """The sizes that an analysis found.

    Raises:
        NotFound: No such file, or nothing of that queue manager in it.
        UsageError: It is no analysis of the staging queue.
    """
    return _chosen(read_analysis(path, "delay"), queue_manager, path)


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
    listing = _chosen(measured.items, queue_manager, folder)
    listing.warnings += measured.warnings
    listing.summary.update(measured.summary)
    return listing, is_partial


def _chosen(rows: Iterable[Record], queue_manager: str | None, where: str) -> Listing:
    chosen = [row for row in rows if queue_manager in (None, row.get("queue_manager"))]
    if not chosen and queue_manager is not None:
        raise NotFound(f"{where}: nothing of {queue_manager}")
    return _listing(
        DelayAdvice(
            row.get("queue_manager"),
            attribute,
            _allowed(attribute, row.get(value)),
            row.get(now) if now else None,
            row.get(text),
            _problem(row, attribute),
        )
        for row in chosen
        for attribute, value, now, text in _MEASURED
    )


def _listing(rows: Iterable[DelayAdvice]) -> Listing:
    items = [keys_of(row) for row in rows]
    return Listing("DelayAdviceList", columns_of(DelayAdvice), items, id_key="attribute")


def _allowed(attribute: str, value: Any) -> int | None:
    """A number of a file that the attribute can have: an older analysis had others in it."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return within_bounds("QLOCAL", attribute, value)[0]


def _problem(row: Record, attribute: str) -> str | None:
    if attribute == "MAXDEPTH" and row.get("full_looks"):
        often = count_text(row["full_looks"], "time")
        return f"found full {often}: MAXDEPTH held the load down, more is needed"
    return None
