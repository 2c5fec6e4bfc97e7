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

BASE: Final = "SYSTEM.BASE.TOPIC"


DEFAULT: Final = "SYSTEM.DEFAULT.TOPIC"


def create_system_topics(store: Store, platform: Platform, now_us: int) -> None:
    """Put the topics that come with a queue manager into its new file."""
    for name, own in system_objects("TOPIC", platform).items():
        insert_topic(store, name, defaults("TOPIC", platform) | own, now_us)


def insert_topic(store: Store, name: str, attributes: Mapping[str, int | str], now_us: int) -> None:
    """Write a definition, replacing one of that name."""
    definitions.write(store, "TOPIC", name, json.dumps(dict(attributes) | altered(now_us)))
    state.definitions_changed(store)
