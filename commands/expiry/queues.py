"""`mqtriage expiry status|sweep`: what has expired and still counts; having it discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.queue.queues import time_text
from mqtriage.definitions.change import local_queue
from mqtriage.model.plan import Plan
from mqtriage.model.result import Field, Listing, Record, Report, Show
from mqtriage.mq.constants import MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING
from mqtriage.mq.expiry import TENTH_US
from mqtriage.mq.names import check_generic_name

FIELDS: Final = (
    Field("queue", "QUEUE", Show.NAME, width=24),
    Field("curdepth", "CURDEPTH", Show.NUMBER),
    Field("visible", "VISIBLE", Show.NUMBER, yields=1),
    Field("uncommitted", "UNCOMMITTED", Show.NUMBER, yields=5),
    Field("counted_not_visible", "COUNTED_NOT_VISIBLE", Show.NUMBER),
    Field("with_expiry", "WITH_EXPIRY", Show.NUMBER, yields=4),
    Field("next_expiry_time", "NEXT_EXPIRY", Show.TIME, yields=3),
    Field("expires_1h", "EXPIRES_1H", Show.NUMBER, yields=2),
    Field("unlimited", "UNLIMITED", Show.NUMBER, yields=6),
    Field("scanned", "SCANNED", Show.FLAG, wide=True),
    Field("curdepth_after_scan", "CURDEPTH_AFTER_SCAN", Show.NUMBER, wide=True),
)
"""CURDEPTH = VISIBLE + UNCOMMITTED + COUNTED_NOT_VISIBLE; VISIBLE = WITH_EXPIRY + UNLIMITED."""

SCAN_WARNING: Final = (
    "--scan browses: expired messages that it meets are discarded, and reports may be sent"
)
_HOUR_US: Final = 3_600_000_000


def status(backend: Backend, pattern: str = "*", *, scan: bool = False) -> Listing:
    """Count lifetimes on the local queues that *pattern* names.

    Without *scan* nothing is browsed, and what the queue manager cannot tell is null.

    Raises:
        UsageError: No generic name.
        ObjectNotFound: 2085, where one queue was named and is not there.
        MQIError: 2057, where it is not a local queue.
    """
    check_generic_name(pattern)
    if not pattern.endswith("*"):
        pattern = local_queue(backend, pattern, f"expiry status {pattern}")[0].name
    listing = Listing("ExpiryStatusList", FIELDS, (), id_key="queue")
    listing.items = _records(backend, pattern, scan, listing)
    if scan:
        listing.warnings.append(SCAN_WARNING)
    return listing


def _records(backend: Backend, pattern: str, scan: bool, listing: Listing) -> Iterator[Record]:
    totals = {"queues": 0, "curdepth": 0, "counted_not_visible": 0}
    for queue in backend.queues(pattern):
        if queue.kind != "QLOCAL":
            continue
        record = _scanned(backend, queue.name) if scan else _counted(backend, queue.name)
        totals["queues"] += 1
        totals["curdepth"] += record["curdepth"]
        totals["counted_not_visible"] += record["counted_not_visible"] or 0
        yield record
    listing.summary.update(totals)


def _counted(backend: Backend, name: str) -> dict[str, Any]:
    numbers = backend.status(name)
    record = _blank(name) | {"curdepth": numbers.curdepth, "uncommitted": numbers.uncommitted}
    insight = backend.insight
    if insight is None:
        return record
    lifetimes = insight.lifetimes(name)
    visible = numbers.curdepth - numbers.uncommitted - lifetimes.expired
    return record | {
        "visible": visible,
        "counted_not_visible": lifetimes.expired,
        "with_expiry": lifetimes.with_expiry,
        "next_expiry_time": time_text(lifetimes.next_expiry_us),
        "expires_1h": lifetimes.within_hour,
        "unlimited": visible - lifetimes.with_expiry,
    }


def _scanned(backend: Backend, name: str) -> dict[str, Any]:
    """The same by browsing: CURDEPTH as it was before, the rest as the browse found it."""
    numbers = backend.status(name)
    visible = with_expiry = within_hour = 0
    nearest: int | None = None
    now_us = backend.now_us()
    handle = backend.open(name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
    try:
        for message in handle.browse(max_length=0):
            visible += 1
            expiry_tenths = message.md.expiry_tenths
            if expiry_tenths < 0:
                continue
            ends_us = now_us + expiry_tenths * TENTH_US
            with_expiry += 1
            within_hour += ends_us <= now_us + _HOUR_US
            nearest = ends_us if nearest is None else min(nearest, ends_us)
    finally:
        handle.close()
    return _blank(name) | {
        "curdepth": numbers.curdepth,
        "visible": visible,
        "uncommitted": numbers.uncommitted,
        "counted_not_visible": max(0, numbers.curdepth - numbers.uncommitted - visible),
        "with_expiry": with_expiry,
        "next_expiry_time": time_text(nearest),
        "expires_1h": within_hour,
        "unlimited": visible - with_expiry,
        "scanned": True,
        "curdepth_after_scan": backend.status(name).curdepth,
    }


def _blank(name: str) -> dict[str, Any]:
    record: dict[str, Any] = dict.fromkeys(field.key for field in FIELDS)
    return record | {"queue": name, "scanned": False}


def plan_sweep(backend: Backend, name: str, *, expect_max: int | None = None) -> Plan:
    """Plan from CURDEPTH and DISPLAY QSTATUS alone: a browse would be the sweep itself.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: 2085, 2082.
        MQIError: 2001, 2057.
    """
    queue, note = local_queue(backend, name, f"expiry sweep {name}")
    numbers = backend.status(queue.name)
    plan = Plan("sweep", queue.name, count=numbers.curdepth)
    plan.facts = {
        "curdepth": numbers.curdepth,
        "uncommitted": numbers.uncommitted,
        "oldest_put_time": time_text(numbers.oldest_put_time_us),
        "discards_at_most": numbers.curdepth - numbers.uncommitted,
    }
    if note:
        plan.notes.append(note)
    plan.notes.append("cannot be undone, reports may be sent; nothing can be archived")
    at_most = plan.facts["discards_at_most"]
    if expect_max is not None and at_most > expect_max:
        plan.refusals.append(
            (
                f"--expect-max {expect_max}, but up to {at_most} might be discarded",
                f"mqtriage expiry status {queue.name}",
            )
        )
    return plan


def swept_nothing(plan: Plan) -> Report:
    """The report on an empty queue: it is not even browsed."""
    depth = {plan.queue: 0}
    details = {"discarded_at_most": 0, "visible": 0}
    return Report("SweepReport", "sweep", plan.queue, before=depth, after=depth, details=details)


def sweep(backend: Backend, plan: Plan, should_stop: Callable[[], bool]) -> Report:
    """Walk the whole queue by browse, so that the queue manager discards what has expired.

    Raises:
        MQIError: 2016 where gets are disabled.
    """
    queue = plan.queue
    before = backend.status(queue).curdepth
    handle = backend.open(queue, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
    try:
        visible, interrupted = _walk(handle, should_stop)
    finally:
        handle.close()
    after = backend.status(queue).curdepth
    return Report(
        "SweepReport",
        "sweep",
        queue,
        planned=plan.count,
        before={queue: before},
        after={queue: after},
        details={"discarded_at_most": max(0, before - after), "visible": visible},
        interrupted=interrupted,
    )


def _walk(handle: QueueHandle, should_stop: Callable[[], bool]) -> tuple[int, bool]:
    visible = 0
    for _ in handle.browse(max_length=0):
        visible += 1
        if should_stop():
            return visible, True
    return visible, False
