"""Table `state`: one row with what the queue manager is and where it stands."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import depth_changes
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.records import NamedTuple

Attributes = Mapping[str, int | str]

PROCESSOR_RUNNING: Final = "running"
QUIESCING: Final = 2
"""`State.running` while programs are given time to end: a new one is refused."""


class State(NamedTuple):
    """The part of the queue manager's state that every call reads.

    Attributes:
        running: 0 stopped, 1 running, 2 `QUIESCING`.
        offset_us: how far a running clock is ahead of the machine's.
        reached_us: a moment that has already been.
    """

    running: int
    run: int
    frozen_us: int | None
    offset_us: int
    reached_us: int
    next_event_us: int | None
    definitions: int
    processor: str

    def now_us(self) -> int:
        """The queue manager's time: of a clock that is frozen, or that runs with an offset.

        Time never goes back before a moment that has been, also when the machine's clock is set
        back.
        """
        if self.frozen_us is not None:
            return self.frozen_us
        now = time.time_ns() // 1000 + self.offset_us
        return now if now > self.reached_us else self.reached_us


class Identity(NamedTuple):
    """What does not change while the queue manager exists."""

    name: str
    platform: Platform
    version: str
    created_us: int
    id_seed: int


_STATE: Final = (
    "SELECT running, run, frozen_us, offset_us, reached_us, next_event_us, definitions, processor"
    " FROM state WHERE id = 1"
)


def insert(
    store: Store,
    identity: Identity,
    frozen_us: int | None,
    attributes: Attributes,
    switches: Mapping[str, str],
) -> None:
    """Write the row of a new queue manager, which runs."""
    store.execute(
        "INSERT INTO state VALUES (1, ?, ?, ?, ?, ?, 1, 1, ?, 0, ?, NULL, 1, 1, ?, ?, ?)",
        (
            *identity,
            frozen_us,
            identity.created_us,
            PROCESSOR_RUNNING,
            json.dumps(attributes),
            json.dumps(switches),
        ),
    )


def read(store: Store) -> State:
    """Where the queue manager stands."""
    return State(*store.execute(_STATE).fetchone())


def identity(store: Store) -> Identity:
    """What the queue manager is."""
    return Identity(
        *store.execute("SELECT name, platform, version, created_us, id_seed FROM state").fetchone()
    )


def attributes_and_switches(store: Store) -> tuple[dict[str, int | str], dict[str, str]]:
    """The attributes of the queue manager, and the emulator's switches."""
    attributes, switches = store.execute("SELECT attributes, switches FROM state").fetchone()
    return json.loads(attributes), json.loads(switches)


# -- definitions ----------------------------------------------------------------------------------


def definitions_changed(store: Store) -> None:
    """Have everybody read the definitions anew."""
    store.execute("UPDATE state SET definitions = definitions + 1")


def update(store: Store, **columns: int | str | Mapping[str, int | str] | None) -> None:
    """Write columns of the row; *attributes* and *switches*, which are definitions, as JSON."""
    sets = [f"{name} = ?" for name in columns]
    if not columns.keys().isdisjoint(("attributes", "switches")):
        sets.append("definitions = definitions + 1")
    values = [json.dumps(v) if isinstance(v, Mapping) else v for v in columns.values()]
    store.execute(f"UPDATE state SET {', '.join(sets)}", tuple(values))
    if isinstance(attributes := columns.get("attributes"), Mapping):
        depth_changes.follow(store, attributes)


# -- running --------------------------------------------------------------------------------------


def stop(store: Store, now_us: int) -> None:
    """End this run; nothing happens by itself until the next one."""
    store.execute(
        "UPDATE state SET running = 0, run = run + 1, reached_us = ?, next_event_us = NULL",
        (now_us,),
    )


def start(store: Store, now_us: int, switches: Mapping[str, str]) -> None:
    """Begin the next run, with the delay processor."""
    store.execute(
        "UPDATE state SET running = 1, run = run + 1, processor = ?, reached_us = ?,"
        " switches = ?, definitions = definitions + 1",
        (PROCESSOR_RUNNING, now_us, json.dumps(switches)),
    )


# -- the clock and what happens next --------------------------------------------------------------


def advance(store: Store, frozen_by_us: int, offset_by_us: int, reached_us: int) -> None:
    """Move the clock on: a frozen one by the first, a running one by the second."""
    store.execute(
        "UPDATE state SET frozen_us = frozen_us + ?, offset_us = offset_us + ?, reached_us = ?",
        (frozen_by_us, offset_by_us, reached_us),
    )


def follow_clock(store: Store, now_us: int) -> None:
    """Move a frozen clock on to *now_us*, unless it is there."""
    store.execute(
        "UPDATE state SET frozen_us = max(frozen_us, ?), reached_us = max(reached_us, ?)",
        (now_us, now_us),
    )


def wake(store: Store, event_us: int) -> None:
    """Let something happen at *event_us*, or before."""
    store.execute(
        "UPDATE state SET next_event_us = min(coalesce(next_event_us, ?), ?)", (event_us, event_us)
    )


def write_next_event(store: Store, now_us: int, event_us: int | None, *, delivering: bool) -> None:
    """Let that happen next which is first: this, a delivery, or an outgoing publication."""
    due = "SELECT min(event_us) AS at FROM message WHERE event_us IS NOT NULL AND unit IS NULL"
    store.execute(
        "UPDATE state SET reached_us = max(reached_us, :now),"
        f" next_event_us = (SELECT min(at) FROM (SELECT :event AS at UNION ALL {due} AND :deliver"
        " UNION ALL SELECT min(event_us) FROM outgoing))",
        {"now": now_us, "event": event_us, "deliver": delivering},
    )


# -- numbers --------------------------------------------------------------------------------------


def reserve_numbers(store: Store, count: int) -> int:
    """Reserve *count* numbers; the first one after them."""
    return store.number("UPDATE state SET next_id = next_id + ? RETURNING next_id", (count,))


def keep_numbers(store: Store, end: int) -> None:
    """Let no number before *end* be reserved again."""
    store.execute("UPDATE state SET next_id = max(next_id, ?)", (end,))
