"""`mqtriage top queues`: what moves on the queues, without browsing any.

A sample is taken of every queue; two samples make the rates. Where the queue manager counts
arrivals (the emulator does) IN and OUT are told apart; elsewhere only NET, the change of CURDEPTH,
is known, since RESET QSTATS would reset the numbers that a monitor of yours relies on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from mqtriage.backends.name_resolution import local_queue
from mqtriage.backends.port import Backend, ObjectDefinition, QueueStatus
from mqtriage.commands.queue.names import existing
from mqtriage.commands.queue.queues import percent_full
from mqtriage.definitions.backout_policy import boqname_of, lead, routes_of
from mqtriage.model.result import Field, Listing, Show, column, columns_of, keys_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQTriageError, ObjectNotFound
from mqtriage.mq.names import matches
from mqtriage.records import NamedTuple, dataclass

SCREENS: Final = {
    "queues": "The queues, live.",
    "delay": "Messages on the staging queue, and which are late.",
    "backout": "Poison messages that were not moved, and where they would go.",
    "dlq": "Dead-lettered messages by reason, destination and program.",
}
"""What `mqtriage top` can begin with, in the order of its tabs."""


@dataclass(slots=True, kw_only=True)
class TopQueue:
    """A queue as it is now; what this queue manager cannot tell is None."""

    queue: str = column("QUEUE", Show.NAME, width=20)
    curdepth: int = column("CURDEPTH", Show.NUMBER)
    percent_full: float | None = column("%FULL", Show.NUMBER, yields=1)
    in_per_s: float | None = column("IN/S", Show.NUMBER, yields=3)
    out_per_s: float | None = column("OUT/S", Show.NUMBER, yields=4)
    net_per_s: float | None = column("NET/S", Show.NUMBER, yields=7)
    oldest_age_ms: int | None = column("OLDEST", Show.AGE_MS, yields=2, default=None)
    poison: int | None = column("POISON", Show.NUMBER, yields=6, default=None)
    expired: int | None = column("EXPIRED", Show.NUMBER, yields=8, default=None)
    expires_1h: int | None = column("EXP_1H", Show.NUMBER, yields=10, default=None)
    ipprocs: int | None = column("IPPROCS", Show.NUMBER, yields=11)
    opprocs: int | None = column("OPPROCS", Show.NUMBER, yields=12)
    overdue: int | None = column("OVERDUE", Show.NUMBER, yields=9, default=None)
    trend: str | None = column("TREND", yields=5, default=None)
    used_as_backout_queue_by: Sequence[str] = column(
        "BACKOUT_QUEUE_OF", Show.NAME, wide=True, default=()
    )


class Count(NamedTuple):
    """What a rate is made of: CURDEPTH and, where known, all arrivals so far."""

    curdepth: int
    arrivals: int | None


class QueuesSample(NamedTuple):
    """Every queue at one moment.

    Attributes:
        at_s: monotonic seconds.
    """

    at_s: float
    counts: Mapping[str, Count]


class Rates(NamedTuple):
    """Messages a second between two samples; None where not known."""

    into: float | None = None
    out: float | None = None
    net: float | None = None


def rates(before: Count | None, now: Count, seconds: float) -> Rates:
    """How fast a queue fills and empties.

    A queue that was deleted and defined again counts from 0: no rate is made of that.
    """
    if before is None or seconds <= 0:
        return Rates()
    net = now.curdepth - before.curdepth
    if now.arrivals is None or before.arrivals is None or now.arrivals < before.arrivals:
        return Rates(net=_rate(net, seconds))
    into = now.arrivals - before.arrivals
    return Rates(_rate(into, seconds), _rate(max(0, into - net), seconds), _rate(net, seconds))


def _rate(count: int, seconds: float) -> float:
    return round(count / seconds, 1) + 0.0  # never -0.0


def queues(
    backend: Backend, pattern: str | None, before: QueuesSample | None, at_s: float
) -> tuple[Listing, QueuesSample]:
    """List the local queues as they are now, with the rates since *before*.

    The summary has the totals: `staged`, `overdue`, `due_1m` and `due_1h` of the staging queue,
    whatever the pattern; `poison`, `expired` and `expires_1h` of the queues listed, and
    `on_backout_queues`, the messages on the queues that their BOQNAME leads to. What this queue
    manager cannot tell is null. All messages on a backout queue are `poison`, and not in the total.

    Args:
        pattern: generic name; None is every queue but those named SYSTEM.*, and the staging
            queue.
        at_s: monotonic seconds now.
    """
    if pattern is not None:
        pattern = existing(backend, pattern, "top queues")
    counts: dict[str, Count] = {}
    records = []
    now_us = backend.now_us()
    definitions = {one.name: one for one in backend.queues("*")}
    users = routes_of(definitions).users
    for definition in definitions.values():
        if definition.kind != "QLOCAL" or not _matches(definition.name, pattern):
            continue
        status = backend.status(definition.name)
        insight = backend.insight
        arrivals = insight.arrivals(definition.name) if insight is not None else None
        count = counts[definition.name] = Count(status.curdepth, arrivals)
        earlier = before.counts.get(definition.name) if before is not None else None
        rate = rates(earlier, count, at_s - before.at_s if before is not None else 0)
        queue = _top_queue(backend, definition, status, rate, now_us)
        if of := users.get(definition.name):
            queue.used_as_backout_queue_by, queue.poison = of, status.curdepth
        records.append(keys_of(queue))
    listing = Listing(
        "TopQueueList", _fields(has_rates=backend.insight is not None), records, id_key="queue"
    )
    totals = _staging(backend)
    for key in ("poison", "expired", "expires_1h"):  # None where no queue tells it
        counted = [
            record[key]
            for record in records
            if key != "poison" or not record["used_as_backout_queue_by"]
        ]
        known = [count for count in counted if count is not None]
        totals[key] = sum(known) if known else None
    totals["on_backout_queues"] = _on_backout_queues(backend, definitions, counts)
    # what is wrong first: a narrow screen has no room for all of them
    order = "staged overdue poison on_backout_queues expired expires_1h due_1m due_1h"
    listing.summary |= {key: totals[key] for key in order.split()}
    return listing, QueuesSample(at_s, counts)


def _staging(backend: Backend) -> dict[str, int | None]:
    """What waits on the staging queue; nothing known where there is none."""
    totals: dict[str, int | None] = dict.fromkeys(("staged", "overdue", "due_1m", "due_1h"))
    try:
        totals["staged"] = backend.status(STAGING_QUEUE).curdepth
    except ObjectNotFound:  # on z/OS it has to be defined
        return totals
    if backend.insight is not None:
        load = backend.insight.staging_load()
        totals |= {"overdue": load.overdue, "due_1m": load.due_minute, "due_1h": load.due_hour}
    return totals


def _on_backout_queues(
    backend: Backend, definitions: Mapping[str, ObjectDefinition], counts: Mapping[str, Count]
) -> int | None:
    """Messages on the local queues that BOQNAME of the counted queues leads to; None for none."""
    depths: dict[str, int] = {}
    for boqname in {boqname_of(definitions[name]) for name in counts} - {""}:
        with suppress(MQTriageError):  # it leads nowhere
            base = lead(boqname, definitions)[0] or local_queue(backend, boqname, boqname)[0]
            if base.kind == "QLOCAL":
                known = counts.get(base.name)
                depths[base.name] = known.curdepth if known else backend.status(base.name).curdepth
    return sum(depths.values()) if depths else None


def _fields(*, has_rates: bool) -> tuple[Field, ...]:
    """The columns; where arrivals are not known, NET/S is the rate that stays in a narrow table.

    Args:
        has_rates: messages that arrive are counted, so that IN/S and OUT/S are known.
    """
    fields = columns_of(TopQueue)
    if has_rates:
        return fields
    yields = {"net_per_s": 3, "in_per_s": 13, "out_per_s": 14}
    return tuple(one._replace(yields=yields.get(one.key, one.yields)) for one in fields)


def _matches(name: str, pattern: str | None) -> bool:
    if pattern is None:
        return not name.startswith("SYSTEM.") or name == STAGING_QUEUE
    return matches(pattern, name)


def _top_queue(
    backend: Backend, definition: ObjectDefinition, status: QueueStatus, rate: Rates, now_us: int
) -> TopQueue:
    attributes = definition.attributes
    since_us = status.oldest_put_time_us
    queue = TopQueue(
        queue=definition.name,
        curdepth=status.curdepth,
        percent_full=percent_full(status.curdepth, attributes.get("MAXDEPTH")),
        in_per_s=rate.into,
        out_per_s=rate.out,
        net_per_s=rate.net,
        ipprocs=status.ipprocs,
        opprocs=status.opprocs,
    )
    insight = backend.insight
    if insight is not None:
        lifetimes = insight.lifetimes(definition.name)
        threshold = attributes.get("BOTHRESH")
        queue.expired, queue.expires_1h = lifetimes.expired, lifetimes.within_hour
        if isinstance(threshold, int) and threshold > 0:
            queue.poison = insight.poison_count(definition.name, threshold)
        if definition.name == STAGING_QUEUE:
            load = insight.staging_load()
            queue.overdue = load.overdue
            # what waits for its time is not late: its age is counted from the due time
            since_us = load.oldest_due_us
    if since_us is not None:
        queue.oldest_age_ms = max(0, now_us - since_us) // 1000
    return queue
