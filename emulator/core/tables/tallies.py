"""Kinds `MONITOR` and `TALLY` of the table `definition`: calls of programs, while somebody asks.

They are counted in each process from the first subscription to resource usage on, and written down
with its next transaction. Nothing is counted, and no row is there, while nobody subscribes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, TypeAlias

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import definitions
from mqtriage.mq.message import Message

INTERVAL_US: Final = 10_000_000
"""How often resource usage is published (IBM MQ documentation, "Metrics published on ...")."""
MONITOR: Final = "MONITOR"
"""Kind of the one row that says since when is counted what is published next."""
TALLY: Final = "TALLY"
"""Kind of the counts so far, by queue; "" for what is about none."""

Tally: TypeAlias = "dict[tuple[str, str], list[int]]"
"""Calls and their bytes, by queue and what was done: "put 1" of a persistent message."""


def note(tally: Tally, queue: str, verb: str, persistence: int = 0, length: int = 0) -> None:
    """Count one call of this process."""
    counts = tally.setdefault((queue, f"{verb} {persistence:d}"), [0, 0])
    counts[0] += 1
    counts[1] += length


def note_message(tally: Tally, queue: str, verb: str, message: Message) -> None:
    """Count one call that returned a message, as many bytes of it as it returned."""
    note(tally, queue, verb, message.md.persistence, len(message.body))


def add(store: Store, tally: Tally) -> None:
    """Write down what this process has counted; inside a transaction."""
    for queue in sorted({queue for queue, _ in tally}):
        text = definitions.read(store, TALLY, queue)
        counts: dict[str, list[int]] = json.loads(text) if text else {}
        for (of, what), (calls, length) in tally.items():
            if of == queue:
                before = counts.get(what, (0, 0))
                counts[what] = [before[0] + calls, before[1] + length]
        definitions.write(store, TALLY, queue, json.dumps(counts))


def take(store: Store) -> Mapping[str, Mapping[str, tuple[int, int]]]:
    """The counts so far, by queue and what was done, which begin anew; inside a transaction."""
    rows = definitions.of_kind(store, TALLY)
    definitions.delete_kind(store, TALLY)
    return {
        queue: {what: (calls, length) for what, (calls, length) in json.loads(text).items()}
        for queue, text in rows
    }


def since_us(store: Store) -> int | None:
    """When what is published next began; None while nobody subscribes."""
    text = definitions.read(store, MONITOR, "")
    return None if text is None else int(text)


def next_us(store: Store) -> int | None:
    """When resource usage is published next; None while nobody subscribes."""
    begun_us = since_us(store)
    return None if begun_us is None else begun_us + INTERVAL_US


def begin(store: Store, now_us: int) -> None:
    """Count from now on for the next publication."""
    definitions.write(store, MONITOR, "", str(now_us))


def end(store: Store) -> None:
    """Count no more."""
    definitions.delete_kind(store, MONITOR)
    definitions.delete_kind(store, TALLY)
