"""The topic objects that come with a queue manager, and how one stands in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.catalogue import defaults

BASE: Final = "SYSTEM.BASE.TOPIC"


DEFAULT: Final = "SYSTEM.DEFAULT.TOPIC"


DURABLE_MODEL: Final = "SYSTEM.DURABLE.MODEL.QUEUE"


NON_DURABLE_MODEL: Final = "SYSTEM.NDURABLE.MODEL.QUEUE"


BASE_VALUES: Final[Mapping[str, int | str]] = {
    "CAPEXPRY": "NOLIMIT",
    "DEFPRESP": "SYNC",
    "DEFPRTY": 0,
    "DEFPSIST": "NO",
    "DURSUB": "YES",
    "MCAST": "DISABLED",
    "MDURMDL": DURABLE_MODEL,
    "MNDURMDL": NON_DURABLE_MODEL,
    "NPMSGDLV": "ALLAVAIL",
    "PMSGDLV": "ALLDUR",
    "PUB": "ENABLED",
    "PUBSCOPE": "ALL",
    "SUB": "ENABLED",
    "SUBSCOPE": "ALL",
    "USEDLQ": "YES",
}
"""SYSTEM.BASE.TOPIC as IBM documents it ("Default values of SYSTEM.BASE.TOPIC")."""


def create_system_topics(store: Store, platform: Platform, now_us: int) -> None:
    """Put the topics that come with a queue manager into its new file."""
    base = defaults("TOPIC", platform)
    base |= {key: value for key, value in BASE_VALUES.items() if key in base}
    insert_topic(store, BASE, base, now_us)
    insert_topic(store, DEFAULT, defaults("TOPIC", platform), now_us)


def insert_topic(store: Store, name: str, attributes: Mapping[str, int | str], now_us: int) -> None:
    """Write a definition, replacing one of that name."""
    date, time = date_and_time(now_us)
    text = json.dumps(dict(attributes) | {"ALTDATE": date, "ALTTIME": time})
    definitions.write(store, "TOPIC", name, text)
    state.definitions_changed(store)
