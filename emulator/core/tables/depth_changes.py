"""Table `depth_change`: what a transaction did to depths, while the queue manager reports events.

A trigger of the file writes it, so that no put or get does; it is there from ALTER QMGR
PERFMEV(ENABLED) on, and what it wrote goes in the transaction that it was written in.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.emulator.core.file.store import Store
from mqtriage.records import NamedTuple


class DepthChange(NamedTuple):
    """One change of CURDEPTH.

    Attributes:
        got_us: when a message was last got from it.
        got_before_us: the same before the change.
    """

    queue: int
    before: int
    after: int
    got_before_us: int | None
    got_us: int | None


def follow(store: Store, attributes: Mapping[str, int | str]) -> None:
    """Note changes, by whichever process, where a queue manager with these attributes reports them.

    Inside a transaction.
    """
    if attributes.get("PERFMEV") != "ENABLED":
        store.execute("DROP TRIGGER IF EXISTS depth_changes")
        store.execute("DROP TABLE IF EXISTS depth_change")
        return
    store.execute(
        "CREATE TABLE IF NOT EXISTS depth_change (number INTEGER PRIMARY KEY, queue INTEGER,"
        " before INTEGER, after INTEGER, got_before_us INTEGER, got_us INTEGER)"
    )
    store.execute(
        "CREATE TRIGGER IF NOT EXISTS depth_changes AFTER UPDATE OF depth ON counter"
        " WHEN new.depth <> old.depth BEGIN INSERT INTO depth_change"
        " (queue, before, after, got_before_us, got_us)"
        " VALUES (new.queue, old.depth, new.depth, old.get_us, new.get_us); END"
    )


def take(store: Store) -> list[DepthChange]:
    """What was noted since this was last asked, in order."""
    rows = store.execute(
        "SELECT queue, before, after, got_before_us, got_us FROM depth_change ORDER BY number"
    ).fetchall()
    if rows:
        store.execute("DELETE FROM depth_change")
    return [DepthChange(*row) for row in rows]
