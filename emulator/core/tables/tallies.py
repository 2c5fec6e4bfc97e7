"""Calls of programs, while somebody asks, in rows of the table `definition`.

They are counted in each process from the first subscription to resource usage on, and while the
queue manager collects statistics or accounting, and written down with its next transaction. Nothing
is counted, and no row is there, while nobody asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Final, TypeAlias

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import definitions
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple, dataclass

INTERVAL_US: Final = 10_000_000
"""How often resource usage is published (IBM MQ documentation, "Metrics published on ...")."""


class Purpose(NamedTuple):
    """What calls are counted for.

    Attributes:
        since: kind of the one row that says since when is counted what is told next.
        counts: kind of the counts so far, by queue ("" for what is about none), or by account. Of
            statistics and accounting, the attribute that says whether the queue manager counts.
        interval: the attribute that says for how many seconds; "" for `INTERVAL_US`.
    """

    since: str
    counts: str
    interval: str = ""


USAGE: Final = Purpose("MONITOR", "TALLY")
"""Resource usage, while somebody subscribes to it."""
STATISTICS: Final = Purpose("STATINT", "STATQ", "STATINT")
"""Statistics messages of queues."""
ACCOUNTING: Final = Purpose("ACCTINT", "ACCTMQI", "ACCTINT")
"""Accounting messages, by account."""
QUEUE_ACCOUNTING: Final = Purpose("ACCTINT ACCTQ", "ACCTQ", "ACCTINT")
"""Accounting messages of queues, by account and queue: a line for each of its three names."""
PURPOSES: Final = (USAGE, STATISTICS, ACCOUNTING, QUEUE_ACCOUNTING)

Counts: TypeAlias = "dict[tuple[str, str, str], list[int]]"
"""Calls and their bytes, by account, queue and what was done: "put 1" of a persistent message."""


@dataclass(slots=True)
class CallTally:
    """Calls of this process that are not written down yet."""

    counts: Counts = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)


def note(
    tally: CallTally, of: str, queue: str, verb: str, persistence: int = 0, length: int = 0
) -> None:
    """Count one call of this process.

    Args:
        of: the account; "" for what no program does.
    """
    numbers = tally.counts.setdefault((of, queue, f"{verb} {persistence:d}"), [0, 0])
    numbers[0] += 1
    numbers[1] += length


def note_message(tally: CallTally, of: str, queue: str, verb: str, message: Message) -> None:
    """Count one call that returned a message, as many bytes of it as it returned."""
    note(tally, of, queue, verb, message.md.persistence, len(message.body))


def add(store: Store, tally: CallTally, purpose: Purpose) -> None:
    """Write down what this process has counted; inside a transaction."""
    by_key: dict[str, list[tuple[str, list[int]]]] = {}
    for (of, queue, what), numbers in tally.counts.items():
        if purpose is not QUEUE_ACCOUNTING:
            key = of if purpose is ACCOUNTING else queue
        elif of and queue:
            key = f"{of}\n{queue}"
        else:
            continue
        by_key.setdefault(key, []).append((what, numbers))
    for key in sorted(by_key):
        text = definitions.read(store, purpose.counts, key)
        counts: dict[str, list[int]] = json.loads(text) if text else {}
        for what, (calls, length) in by_key[key]:
            before = counts.get(what, (0, 0))
            counts[what] = [before[0] + calls, before[1] + length]
        definitions.write(store, purpose.counts, key, json.dumps(counts))


def take(store: Store, purpose: Purpose = USAGE) -> Mapping[str, Mapping[str, tuple[int, int]]]:
    """The counts so far, by queue or account and what was done, which begin anew.

    Inside a transaction.
    """
    rows = definitions.of_kind(store, purpose.counts)
    definitions.delete_kind(store, purpose.counts)
    return {
        queue: {what: (calls, length) for what, (calls, length) in json.loads(text).items()}
        for queue, text in rows
    }


def since_us(store: Store, purpose: Purpose = USAGE) -> int | None:
    """When what is told next began; None while nothing is counted for that."""
    text = definitions.read(store, purpose.since, "")
    return None if text is None else int(text)


def next_us(
    store: Store, attributes: Mapping[str, int | str], purposes: tuple[Purpose, ...] = PURPOSES
) -> int | None:
    """When something of it is told next; None while nothing is counted."""
    moments = [
        begun_us + interval_us(purpose, attributes)
        for purpose in purposes
        if (begun_us := since_us(store, purpose)) is not None
    ]
    return min(moments, default=None)


def interval_us(purpose: Purpose, attributes: Mapping[str, int | str]) -> int:
    """How long is counted for a purpose: STATINT and ACCTINT, in seconds, say so."""
    if not purpose.interval:
        return INTERVAL_US
    return max(1, int(attributes.get(purpose.interval, 1800))) * 1_000_000


def asked(store: Store, attributes: Mapping[str, int | str]) -> tuple[Purpose, ...]:
    """What a queue manager with these attributes counts for."""
    collected = (p for p in PURPOSES[1:] if attributes.get(p.counts) == "ON")
    return (*(() if since_us(store) is None else (USAGE,)), *collected)


def begin(store: Store, now_us: int, purpose: Purpose = USAGE) -> None:
    """Count from now on for what is told next."""
    definitions.write(store, purpose.since, "", str(now_us))


def end(store: Store, purpose: Purpose = USAGE) -> None:
    """Count no more, until `begin`."""
    definitions.delete_kind(store, purpose.since)
    definitions.delete_kind(store, purpose.counts)
