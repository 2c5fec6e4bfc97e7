"""`backout browse --group origin`: the reverse map of BOQNAME, with what proves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.definitions.backout_policy import Queues, boqname_of, threshold_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text, first_of
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import (
    MessageOrigin,
    PossibleOrigin,
    ProgramsOnQueues,
    Sureness,
    candidates,
    destination_of,
    origin_of,
    programs_of,
)
from mqtriage.operations.selection.selected import selected
from mqtriage.records import dataclass

GREATEST_DESTINATIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class OriginRecord:
    """A queue that messages may come from, with the evidence.

    Attributes:
        message_count: what `backout requeue --to origin --accept-likely` moves to it.
        sure_count: what it moves without --accept-likely.
    """

    queue: str = column("QUEUE", Show.NAME, 24)
    origin_sure: Sureness = column("ORIGIN_SURE", Show.TEXT, 11)
    bothresh: int | None = column("BOTHRESH", Show.NUMBER, 8)
    boqname: str | None = column("BOQNAME", Show.NAME, 20)
    message_count: int = column("MESSAGES", Show.NUMBER, 8)
    sure_count: int = column("SURE", Show.NUMBER, 8)
    evidence: list[str] = column("EVIDENCE", Show.TEXT, 48)


def origins(backend: Backend, name: str, which: Selection) -> Listing:
    """List the queues that back out to *name*; then destinations in messages that do not.

    Only the messages of *which* are counted.

    `sure` where messages on the backout queue name the queue as their destination; `likely` where
    it is the only one in question; `unknown` otherwise.
    """
    base = str(local_attributes(backend, name)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    counts, uncounted, total = _counts(backend, base, queues, known, which)
    without = sum(count for origin, count in counts.items() if origin.sent_to is None)
    unknown = sum(n for it, n in counts.items() if it.queue is None and it.sent_to is None)
    items = [
        _record(
            candidate,
            {it: count for it, count in counts.items() if it.queue == name},
            alone=len(known) == 1,
        )
        for name, candidate in known.items()
    ] + [
        _other(origin.sent_to, count, queues, base)
        for origin, count in counts.items()
        if origin.queue is None and origin.sent_to is not None
    ]
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
    if len(known) > 1 and unknown:
        listing.warnings.append(
            "no JMS destination other than this queue, so no origin:"
            f" {unknown} of {count_text(total)}"
        )
    return listing


def _counts(
    backend: Backend,
    queue: str,
    queues: Queues,
    known: Mapping[str, PossibleOrigin],
    which: Selection,
) -> tuple[dict[MessageOrigin, int], int, int]:
    """Messages by origin and destination; the number not counted; the number of all."""
    counts: dict[MessageOrigin, int] = {}
    programs = ProgramsOnQueues(backend, known)
    uncounted = total = 0
    for message in selected(backend, queue, which):
        total += 1
        sent_to = destination_of(message)
        origin = origin_of(queues, known, queue, sent_to, programs_of(message), programs)
        if origin in counts or len(counts) < GREATEST_DESTINATIONS:
            counts[origin] = counts.get(origin, 0) + 1
        else:
            uncounted += 1
    return counts, uncounted, total


def _record(
    candidate: PossibleOrigin, counts: Mapping[MessageOrigin, int], *, alone: bool
) -> OriginRecord:
    queue = candidate.definition
    named = {it.sent_to: count for it, count in counts.items() if it.sent_to is not None}
    sure, total = sum(named.values()), sum(counts.values())
    evidence = [candidate.evidence]
    if threshold_of(queue) == 0:
        evidence.append("BOTHRESH(0): nothing is backed out from there now")
    if sure:
        through = [sent_to for sent_to in named if sent_to != queue.name]
        by = f", through {', '.join(first_of(through, 3))}" if through else ""
        evidence.append(f"JMS destination of {count_text(sure)}{by}")
    by_program = {it.program: count for it, count in counts.items() if it.program}
    if by_program:
        names = ", ".join(first_of(list(by_program), 3))
        evidence.append(
            f"the only such queue with messages of {names}, for"
            f" {count_text(sum(by_program.values()))} with no JMS destination other than this queue"
        )
    elif total > sure:
        evidence.append(
            f"the only such queue, for {count_text(total - sure)} "
            "with no JMS destination other than this queue"
        )
    sureness: Sureness = "sure" if sure else "likely" if alone or by_program else "unknown"
    threshold, boqname = threshold_of(queue), boqname_of(queue)
    return OriginRecord(queue.name, sureness, threshold, boqname, total, sure, evidence)


def _other(
    sent_to: str, count: int, queues: Mapping[str, ObjectDefinition], base: str
) -> OriginRecord:
    queue = queues.get(sent_to)
    evidence = [f"JMS destination of {count_text(count)}"]
    if queue is None:
        evidence.append("this queue manager has no such queue")
    else:
        evidence.append(f"its BOQNAME does not resolve to {base}")
    threshold = boqname = None
    if queue is not None and queue.kind == "QLOCAL":
        threshold, boqname = threshold_of(queue), boqname_of(queue)
    return OriginRecord(sent_to, "unknown", threshold, boqname, count, 0, evidence)
