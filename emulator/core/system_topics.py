"""The topic objects that come with a queue manager, and how one stands in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.clock import altered
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.names import SYSTEM_TOPIC

BASE: Final = "SYSTEM.BASE.TOPIC"


DEFAULT: Final = "SYSTEM.DEFAULT.TOPIC"


DURABLE_MODEL: Final = "SYSTEM.DURABLE.MODEL.QUEUE"


NON_DURABLE_MODEL: Final = "SYSTEM.NDURABLE.MODEL.QUEUE"


_MORE: Final[Mapping[str, Mapping[str, int | str]]] = {
    "SYSTEM.ADMIN.TOPIC": {
        "TOPICSTR": SYSTEM_TOPIC, "PUBSCOPE": "QMGR", "SUBSCOPE": "QMGR", "WILDCARD": "BLOCK",
    },
    "SYSTEM.BROKER.ADMIN.STREAM": {"TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM"},
    "SYSTEM.BROKER.DEFAULT.STREAM": {"TOPICSTR": "SYSTEM.BROKER.DEFAULT.STREAM"},
    "SYSTEM.BROKER.DEFAULT.SUBPOINT": {"TOPICSTR": "SYSTEM.BROKER.DEFAULT.SUBPOINT"},
}  # fmt: skip
"""What else comes with a queue manager; the attributes that are not defaults are our choice.

But WILDCARD(BLOCK), which IBM documents: nothing published below SYSTEM.ADMIN.TOPIC
(`pubsub.resource_usage`) reaches a subscription with a wildcard above it.
"""


def create_system_topics(store: Store, platform: Platform, now_us: int) -> None:
    """Put the topics that come with a queue manager into its new file."""
    base = defaults("TOPIC", platform)
    base |= {key: value for key, value in system_objects("TOPIC")[BASE].items() if key in base}
    insert_topic(store, BASE, base, now_us)
    insert_topic(store, DEFAULT, defaults("TOPIC", platform), now_us)
    for name, values in _MORE.items() if platform == "dist" else ():
        insert_topic(store, name, {**defaults("TOPIC", platform), **values}, now_us)


def insert_topic(store: Store, name: str, attributes: Mapping[str, int | str], now_us: int) -> None:
    """Write a definition, replacing one of that name."""
    definitions.write(store, "TOPIC", name, json.dumps(dict(attributes) | altered(now_us)))
    state.definitions_changed(store)
