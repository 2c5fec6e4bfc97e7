"""`mqtriage expiry status|sweep`: what has expired and still counts; having it discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Final

from mqtriage.backends.name_resolution import case_notes, local_queue
from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.queue.names import existing
from mqtriage.commands.queue.queues import time_text
from mqtriage.model.plan import Plan, Refusal
from mqtriage.model.result import Listing, Record, Report, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.errors import enabling, mqi_error
from mqtriage.mq.expiry import TENTH_US
from mqtriage.mq.names import is_listed
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryStatus:
    """What is on a queue by its lifetime; None is not known.

    CURDEPTH = VISIBLE + UNCOMMITTED + EXPIRED; VISIBLE = WITH_EXPIRY + UNLIMITED. EXPIRED_SINCE is
    when the first of the expired messages expired.
    """

    queue: str = column("QUEUE", Show.NAME, 24)
    curdepth: int = column("CURDEPTH", Show.NUMBER)
    visible: int | None = column("VISIBLE", Show.NUMBER, yields=1, default=None)
    uncommitted: int = column("UNCOMMITTED", Show.NUMBER, yields=5)
    expired: int | None = column("EXPIRED", Show.NUMBER, default=None)
    with_expiry: int | None = column("WITH_EXPIRY", Show.NUMBER, yields=4, default=None)
    next_expiry_time: str | None = column("NEXT_EXPIRY", Show.TIME, yields=3, default=None)
    expires_1h: int | None = column("EXPIRES_1H", Show.NUMBER, yields=2, default=None)
    expired_since_time: str | None = column(
        "EXPIRED_SINCE", Show.TIME, wide=True, yields=7, default=None
    )
    unlimited: int | None = column("UNLIMITED", Show.NUMBER, yields=6, default=None)
    scanned: bool = column("SCANNED", Show.FLAG, wide=True, default=False)
    curdepth_after_scan: int | None = column(
        "CURDEPTH_AFTER_SCAN", Show.NUMBER, wide=True, default=None
    )


SCAN_WARNING: Final = (
    "--scan browses: expired messages that it reaches are discarded, and reports may be sent"
)
_HOUR_US: Final = 3_600_000_000


def status(
    backend: Backend,
    pattern: str = "*",
    *,
    scan: bool = False,
    system: bool = False,
    problems: bool = False,
) -> Listing:
    """Count lifetimes on the local queues that *pattern* names.

    Without *scan* nothing is browsed, and what the queue manager cannot tell is null. Of ``*``
    the queues of the system are left out, unless *system* says otherwise. With *problems* only
    those that have expired messages are listed, or may have; the summary counts all.
    """
    pattern = existing(backend, pattern, "expiry status")
    listing = Listing("ExpiryStatusList", columns_of(ExpiryStatus), (), id_key="queue")
    names = (
        queue.name
        for queue in backend.queues(pattern)
        if queue.kind == "QLOCAL" and is_listed(queue.name, pattern, system=system)
    )
    listing.items = _records(backend, names, scan, problems, listing)
    listing.warnings += case_notes(backend, [pattern])
    if scan:
        listing.warnings.append(SCAN_WARNING)
    return listing


def _records(
    backend: Backend, names: Iterable[str], scan: bool, problems: bool, listing: Listing
) -> Iterator[Record]:
    totals = {"queues": 0, "curdepth": 0, "expired": 0, "not_listed": 0}
    for name in names:
        status = _scanned(backend, name) if scan else _counted(backend, name)
        totals["queues"] += 1
        totals["curdepth"] += status.curdepth
        totals["expired"] += status.expired or 0
        if problems and not may_have_expired(status):
            totals["not_listed"] += 1
        else:
            yield keys_of(status)
    listing.summary.update(totals)


def may_have_expired(status: ExpiryStatus) -> bool:
    """Whether it has expired messages, or has messages and nobody knows without a browse."""
    if status.expired is None:
        return status.curdepth > status.uncommitted
    return status.expired > 0


def _counted(backend: Backend, name: str) -> ExpiryStatus:
    numbers, insight = backend.status(name), backend.insight
    status = ExpiryStatus(queue=name, curdepth=numbers.curdepth, uncommitted=numbers.uncommitted)
    if insight is None:
        return status
    lifetimes = insight.lifetimes(name)
    visible = numbers.curdepth - numbers.uncommitted - lifetimes.expired
    return replace(
        status,
        visible=visible,
        expired=lifetimes.expired,
        with_expiry=lifetimes.with_expiry,
        next_expiry_time=time_text(lifetimes.next_expiry_us),
        expires_1h=lifetimes.within_hour,
        expired_since_time=time_text(lifetimes.expired_since_us),
        unlimited=visible - lifetimes.with_expiry,
    )


def _scanned(backend: Backend, name: str) -> ExpiryStatus:
    """The same by browsing: CURDEPTH as it was before, the rest as the browse found it."""
    numbers = backend.status(name)
    visible = with_expiry = within_hour = 0
    nearest: int | None = None
    now_us = backend.now_us()
    with closing(backend.open(name, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING)) as handle:
        for message in handle.browse(max_length=0):
            visible += 1
            expiry_tenths = message.md.expiry_tenths
            if expiry_tenths < 0:
                continue
            ends_us = now_us + expiry_tenths * TENTH_US
            with_expiry += 1
            within_hour += ends_us <= now_us + _HOUR_US
            nearest = ends_us if nearest is None else min(nearest, ends_us)
    return ExpiryStatus(
        queue=name,
        curdepth=numbers.curdepth,
        visible=visible,
        uncommitted=numbers.uncommitted,
        expired=max(0, numbers.curdepth - numbers.uncommitted - visible),
        with_expiry=with_expiry,
        next_expiry_time=time_text(nearest),
        expires_1h=within_hour,
        unlimited=visible - with_expiry,
        scanned=True,
        curdepth_after_scan=backend.status(name).curdepth,
    )


def plan_sweep(backend: Backend, name: str, *, expect_max: int | None = None) -> Plan:
    """Plan from what `status` counts without browsing: a browse would be the sweep itself.

    Raises:
        MQIError: 2016 where gets are disabled.
    """
    queue, note = local_queue(backend, name, f"expiry sweep {name}")
    if queue.attributes.get("GET") == "DISABLED":
        raise mqi_error(
            cmqc.MQRC_GET_INHIBITED,
            f"browse {queue.name}",
            detail=f"{queue.name} has GET(DISABLED)",
            hint=enabling(queue.name, "GET"),
            object_name=queue.name,
        )
    backend.open(queue.name, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING).close()
    numbers = backend.status(queue.name)
    counted = _counted(backend, queue.name)
    most = numbers.curdepth - numbers.uncommitted  # all that a real queue manager tells
    if counted.expired is not None:
        most = counted.expired
    plan = Plan("sweep", queue.name, count=numbers.curdepth)
    plan.facts = {
        "curdepth": numbers.curdepth,
        "uncommitted": numbers.uncommitted,
        "oldest": time_text(numbers.oldest_put_time_us),
        "discards_at_most": most,
    }
    if note:
        plan.notes.append(note)
    plan.notes.append("cannot be undone, reports may be sent; nothing can be archived")
    at_most = plan.facts["discards_at_most"]
    if expect_max is not None and at_most > expect_max:
        plan.refusals.append(
            Refusal(
                f"--expect {expect_max}, but up to {at_most} might be discarded",
                f"mqtriage expiry status {shell_word(queue.name)}",
            )
        )
    return plan


def swept_nothing(plan: Plan) -> Report:
    """The report on an empty queue: it is not even browsed."""
    depth = {plan.queue: 0}
    details = {"discarded_at_most": 0, "visible": 0}
    return Report(
        "SweepReport", "sweep", plan.queue, before=depth, after=depth, details=details,
        changed=False,
    )  # fmt: skip


def sweep(backend: Backend, plan: Plan, should_stop: Callable[[], bool]) -> Report:
    """Walk the whole queue by browse, so that the queue manager discards what has expired.

    Raises:
        MQIError: 2016 where gets are disabled.
    """
    queue = plan.queue
    before = backend.status(queue).curdepth
    with closing(backend.open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING)) as handle:
        visible, interrupted = _walk(handle, should_stop)
    after = backend.status(queue).curdepth
    discarded = max(0, before - after)
    return Report(
        "SweepReport",
        "sweep",
        queue,
        planned=plan.facts["discards_at_most"],
        done=discarded,
        before={queue: before},
        after={queue: after},
        details={"discarded_at_most": discarded, "visible": visible},
        changed=before > after,
        interrupted=interrupted,
    )


def _walk(handle: QueueHandle, should_stop: Callable[[], bool]) -> tuple[int, bool]:
    visible = 0
    for _ in handle.browse(max_length=0):
        visible += 1
        if should_stop():
            return visible, True
    return visible, False
