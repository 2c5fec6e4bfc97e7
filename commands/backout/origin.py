"""`backout browse --group origin`: the reverse map of BOQNAME, with what proves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.backout.messages import Sureness
from mqtriage.definitions.backout_policy import Queues, boqname_of, threshold_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text, first_of
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import (
    PossibleOrigin,
    candidates,
    destination_elsewhere,
    origin_name,
)
from mqtriage.operations.selection.selected import selected
from mqtriage.records import dataclass

GREATEST_DESTINATIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class OriginRecord:
    """A queue that messages may come from, with what speaks for it."""

    queue: str = column("QUEUE", Show.NAME, 24)
    origin_sure: Sureness = column("ORIGIN_SURE", Show.TEXT, 11)
    bothresh: int | None = column("BOTHRESH", Show.NUMBER, 8)
    boqname: str | None = column("BOQNAME", Show.NAME, 20)
    message_count: int = column("MESSAGES", Show.NUMBER, 8)
    evidence: list[str] = column("EVIDENCE", Show.TEXT, 48)


def origins(backend: Backend, name: str, which: Selection) -> Listing:
    """List the queues that back out to *name*; then destinations in messages that do not.

    Only the messages of *which* are counted.

    `sure` where messages on the backout queue name the queue as their destination; `likely` where
    it is the only one in question; `unknown` otherwise.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: No such queue.
    """
    base = str(local_attributes(backend, name)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    counts, without, uncounted, total = _destinations(backend, base, queues, which)
    by_origin = dict.fromkeys(known, 0)
    aliases: dict[str, list[str]] = {}
    others: dict[str, int] = {}
    for sent_to, count in counts.items():
        origin = origin_name(queues, known, sent_to)
        if origin is None:
            others[sent_to] = count
            continue
        by_origin[origin] += count
        if origin != sent_to:
            aliases.setdefault(origin, []).append(sent_to)
    items = [
        _record(candidate, by_origin[name], aliases, alone=len(known) == 1)
        for name, candidate in known.items()
    ]
    items += [_other(sent_to, count, queues, base) for sent_to, count in others.items()]
    listing = Listing("OriginList", columns_of(OriginRecord), map(keys_of, items), id_key="queue")
    listing.summary.update(message_count=total, without_destination=without, candidates=len(known))
    if uncounted:
        listing.warnings.append(
            f"the first {GREATEST_DESTINATIONS} destinations are counted;"
            f" {count_text(uncounted)} with others"
        )
    if not known:
        listing.warnings.append(
            f"no queue on this queue manager has a BOQNAME that resolves to {base}"
        )
    if len(known) > 1 and without:
        listing.warnings.append(f"no destination, so no origin: {without} of {count_text(total)}")
    return listing


def _destinations(
    backend: Backend, queue: str, queues: Queues, which: Selection
) -> tuple[dict[str, int], int, int, int]:
    """How many messages name which destination, none, one that is not counted; how many at all."""
    counts: dict[str, int] = {}
    without = uncounted = total = 0
    for message in selected(backend, queue, which):
        total += 1
        sent_to = destination_elsewhere(message, queues, queue)
        if sent_to is None:
            without += 1
        elif sent_to not in counts and len(counts) >= GREATEST_DESTINATIONS:
            uncounted += 1
        else:
            counts[sent_to] = counts.get(sent_to, 0) + 1
    return counts, without, uncounted, total


def _record(
    candidate: PossibleOrigin, count: int, aliases: Mapping[str, list[str]], *, alone: bool
) -> OriginRecord:
    queue = candidate.definition
    sure: Sureness = "sure" if count else "likely" if alone else "unknown"
    evidence = [candidate.evidence]
    if threshold_of(queue) == 0:
        evidence.append("BOTHRESH(0): nothing is backed out from there now")
    if count:
        through = aliases.get(queue.name)
        by = f", through {', '.join(first_of(through, 3))}" if through else ""
        evidence.append(f"JMS destination of {count_text(count)}{by}")
    threshold, boqname = threshold_of(queue), boqname_of(queue)
    return OriginRecord(queue.name, sure, threshold, boqname, count, evidence)


def _other(
    sent_to: str, count: int, queues: Mapping[str, ObjectDefinition], base: str
) -> OriginRecord:
    queue = queues.get(sent_to)
    evidence = [f"JMS destination of {count_text(count)}"]
    if queue is None:
        evidence.append("there is no such queue here")
    else:
        evidence.append(f"its BOQNAME does not resolve to {base}")
    threshold = boqname = None
    if queue is not None and queue.kind == "QLOCAL":
        threshold, boqname = threshold_of(queue), boqname_of(queue)
    return OriginRecord(sent_to, "unknown", threshold, boqname, count, evidence)
