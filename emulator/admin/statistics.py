"""RESET QSTATS: how deep a queue has been and what came and went since it was last reset.

What a unit of work put and backed out counts as having come and gone.
Source: IBM MQ documentation, "Reset Queue Statistics".
"""

from __future__ import annotations

import json
from typing import Final

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.tables import counters, definitions
from mqtriage.mq.attributes.catalogue import AttributeValue

_KIND: Final = "QSTATS"
_SECOND_US: Final = 1_000_000


def reset(connection: Connection, name: str) -> dict[str, AttributeValue]:
    """The numbers since the last reset, or since the queue was made; they begin anew.

    Returns:
        QUEUE, RESETINT in seconds, HIQDEPTH, MSGSIN, MSGSOUT.

    Raises:
        ObjectNotFound, MQIError: 2085; 2057 for what is no local queue.
    """
    doing = f"reset QSTATS({name})"
    connection = connection.at(name)
    manager = connection.manager
    with connection.writing(doing, durable=True) as now:
        queue = manager.local(name, doing)
        store, key = manager.store, str(queue.id)
        text = definitions.read(store, _KIND, key)
        before = json.loads(text) if text else {"at_us": manager.identity.created_us}
        counter = counters.read(store, queue.id)
        depth, arrivals = counter.depth, counter.arrivals
        counters.reset_high(store, queue.id)
        after = {"at_us": now, "arrivals": arrivals, "depth": depth}
        definitions.write(store, _KIND, key, json.dumps(after))
    came = arrivals - before.get("arrivals", 0)
    return {
        "QUEUE": name,
        "RESETINT": max(0, now - before["at_us"]) // _SECOND_US,
        "HIQDEPTH": counter.high,
        "MSGSIN": came,
        "MSGSOUT": max(0, came - (depth - before.get("depth", 0))),
    }
