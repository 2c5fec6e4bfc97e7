"""Everything a queue manager holds, as records in one order: the same state gives the same text.

Times are RFC 3339, ids and bodies hex. Records: one for the queue manager, then for each queue, by
name, its definition and its messages in the order of delivery; then topics other than those that
come with a queue manager, subscriptions, channels and other definitions that are kept, retained
publications and authority records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mqtriage.emulator.core import channels
from mqtriage.emulator.core.get.rows import descriptor
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import (
    authority,
    definitions,
    publications,
    subscriptions,
    tallies,
)
from mqtriage.emulator.core.tables import messages as message_table
from mqtriage.emulator.pubsub import subscription_rows
from mqtriage.mq.attributes.attribute import masked
from mqtriage.mq.attributes.system_objects import comes_with
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.times import rfc3339

_SHOWN_ELSEWHERE: Final = (
    "TOPIC", "SUB", definitions.SUBSCRIPTION_END, "QSTATS", "QSVCTIMER", channels.KIND,
    *(kind for purpose in tallies.PURPOSES for kind in (purpose.since, purpose.counts)),
)  # fmt: skip
_PAGE: int = 200


def records(manager: Manager) -> Iterator[dict[str, Any]]:
    """Yield the queue manager, then each queue followed by its messages.

    What should have happened by now happens first. Messages are read in short pages.
    """
    now = manager.look()
    yield {
        "record": "queue_manager",
        "name": manager.identity.name,
        "platform": manager.identity.platform,
        "version": manager.identity.version,
        "running": bool(manager.state.running),
        "clock": "running" if manager.state.frozen_us is None else "frozen",
        "attributes": masked(dict(sorted(manager.attributes.items()))),
    }
    for name in sorted(manager.queues):
        queue = manager.queues[name]
        yield {
            "record": "queue",
            "name": name,
            "type": queue.kind,
            "attributes": dict(sorted(queue.attributes.items())),
        }
        if queue.is_local:
            yield from _messages(manager, queue, now)
    yield from _others(manager)


def _others(manager: Manager) -> Iterator[dict[str, Any]]:
    """What is there beside queues: topics of one's own, subscriptions, retained, authority."""
    store = manager.store
    for name, attributes in definitions.values_of_kind(store, "TOPIC").items():
        if not comes_with("TOPIC", name):
            yield {"record": "topic", "name": name, "attributes": attributes}
    kept = definitions.values_of_kind(store, "SUB")
    ends = subscription_rows.ends(manager)
    for subscription in subscriptions.every(store):
        number = subscription.id
        yield {
            "record": "subscription",
            "name": subscription.name,
            "id": number.hex(),
            "topic": subscription.topic,
            "destination": subscription.destination,
            "durable": subscription.durable,
            "proxy_for": subscription.proxy,
            "expires_at": rfc3339(ends[number]) if number in ends else None,
            "attributes": kept.get(number.hex(), {}),
        }
    yield from _kept(manager)
    for topic, packed, body, expires_us in publications.every_retained(store):
        yield {
            "record": "retained",
            "topic": topic,
            **_descriptor(unpack(packed)),
            "expires_at": None if expires_us is None else rfc3339(expires_us),
            "body": body.hex(),
        }
    for record in authority.every(store):
        yield {
            "record": "authority",
            "type": record.type,
            "profile": record.profile,
            record.entity_type.lower(): record.entity,
            "authorities": list(record.authorities),
        }


def _kept(manager: Manager) -> Iterator[dict[str, Any]]:
    """Channels, listeners ... that were defined, altered or deleted (attributes null)."""
    for kind, name, text in definitions.of_other_kinds(manager.store, _SHOWN_ELSEWHERE):
        attributes = json.loads(text)
        attributes = attributes and masked(attributes)
        if attributes != {}:  # an empty one says that the records of a new queue manager are gone
            shown = attributes["CHLAUTH"] if kind == "CHLAUTH" else name
            yield {"record": kind.lower(), "name": shown, "attributes": attributes}


def _messages(manager: Manager, queue: Queue, now_us: int) -> Iterator[dict[str, Any]]:
    start, number = queue.first, 0
    while True:
        rows = message_table.page(manager.store, (start, queue.last), _PAGE)
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
