"""Everything a queue manager holds, as records in one order: the same state gives the same text.

Times are RFC 3339, ids and bodies hex. Records: one for the queue manager, then for each queue, by
name, its definition and its messages in the order of delivery.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mqtriage.emulator.get import descriptor
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.queues import Queue
from mqtriage.model.times import rfc3339
from mqtriage.mq.descriptor import MQMD

_PAGE: int = 200


def records(manager: Manager, *, messages: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the queue manager, then each queue followed by its messages.

    What should have happened by now happens first. Messages are read in short pages.

    Args:
        messages: with False, definitions alone.
    """
    now = manager.look()
    yield {
        "record": "queue_manager",
        "name": manager.identity.name,
        "platform": manager.identity.platform,
        "version": manager.identity.version,
        "running": bool(manager.state.running),
        "clock": "running" if manager.state.frozen_us is None else "frozen",
        "attributes": dict(sorted(manager.attributes.items())),
    }
    for name in sorted(manager.queues):
        queue = manager.queues[name]
        yield {
            "record": "queue",
            "name": name,
            "type": queue.kind,
            "attributes": dict(sorted(queue.attributes.items())),
        }
        if messages and queue.is_local:
            yield from _messages(manager, queue, now)


def _messages(manager: Manager, queue: Queue, now_us: int) -> Iterator[dict[str, Any]]:
    query = (
        "SELECT position, md, put_us, expires_us, due_us, backouts, length, unit_act, body.data"
        " FROM message JOIN body USING (position)"
        f" WHERE position >= ? AND position < ? ORDER BY position LIMIT {_PAGE}"
    )
    start, number = queue.first, 0
    while True:
        rows = manager.store.execute(query, (start, queue.last)).fetchall()
        for position, packed, put_us, expires_us, due_us, backouts, length, act, body in rows:
            start = position + 1
            number += 1
            yield {
                "record": "message",
                "queue": queue.name,
                "number": number,
                **_descriptor(descriptor(packed, None, backouts, now_us)),
                "put_us": put_us,
                "expires_at": None if expires_us is None else rfc3339(expires_us),
                "due_time": None if due_us is None else rfc3339(due_us),
                "uncommitted": act,
                "length_bytes": length,
                "body": body.hex(),
            }
        if len(rows) < _PAGE:
            return


def _descriptor(md: MQMD) -> dict[str, Any]:
    """The MQMD by the names of its fields; the lifetime stands in `expires_at` instead."""
    fields = md._asdict()
    del fields["expiry_tenths"]
    return {
        key: value.hex() if isinstance(value, bytes) else value for key, value in fields.items()
    }
