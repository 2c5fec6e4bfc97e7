"""Channel authentication records: SET CHLAUTH, kept and shown.

What a command makes of them is in `mq/security/channel_auth_records.py`, what they make of a
client in `mq/security/channel_auth_rules.py`.
Source: IBM MQ documentation, "Channel authentication records" (the three that a new queue manager
has).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.attributes import checked_attributes
from mqtriage.emulator.core.clock import altered
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.errors import UsageError
from mqtriage.mq.security.channel_auth_records import KEYS, Record, changed, key_of

Values = dict[str, AttributeValue]

DEFAULTS: Final[tuple[Values, ...]] = (
    {"CHLAUTH": "SYSTEM.ADMIN.SVRCONN", "TYPE": "ADDRESSMAP", "ADDRESS": "*",
     "USERSRC": "CHANNEL", "DESCR": "Default rule to allow MQ Explorer access"},
    {"CHLAUTH": "SYSTEM.*", "TYPE": "ADDRESSMAP", "ADDRESS": "*", "USERSRC": "NOACCESS",
     "DESCR": "Default rule to disable all SYSTEM channels"},
    {"CHLAUTH": "*", "TYPE": "BLOCKUSER", "USERLIST": "*MQADMIN",
     "DESCR": "Default rule to disallow privileged users"},
)  # fmt: skip
_KIND: Final = "CHLAUTH"
_ABSENT: Final = "absent"
"""Key of the row that says that the records of a new queue manager were changed."""


def records(manager: Manager) -> list[Values]:
    """Every record, by profile and type."""
    return manager.derived("channel authentication", _load)


def _load(manager: Manager) -> list[Values]:
    rows = dict(definitions.of_kind(manager.store, _KIND))
    loaded = [json.loads(text) for name, text in rows.items() if name != _ABSENT]
    if not rows:
        loaded = [dict(record) for record in DEFAULTS]
    return sorted(loaded, key=lambda record: (str(record["CHLAUTH"]), str(record["TYPE"])))


def set_record(
    connection: Connection, profile: str, attributes: Mapping[str, AttributeValue]
) -> None:
    """SET CHLAUTH with ACTION ADD, REPLACE, REMOVE or REMOVEALL.

    Raises:
        UsageError: No TYPE, an attribute or value that is wrong.
        MQIError: 3337 to add one that is there, 3338 to remove one that is not.
    """
    doing = f"set CHLAUTH({profile})"
    manager = connection.manager
    with connection.changing(doing) as now:
        given = checked_attributes(manager, "CHLAUTH", attributes, altering=False)
        if "TYPE" not in given:
            raise UsageError(f"{doing}: TYPE is needed: {', '.join(KEYS)}")
        action = str(given.pop("ACTION", "ADD"))
        maps = str(given["TYPE"]).endswith("MAP") and given.get("USERSRC", "MAP") == "MAP"
        if maps and not given.get("MCAUSER") and action in ("ADD", "REPLACE"):
            raise UsageError(f"{doing}: USERSRC(MAP) needs MCAUSER")
        record = {"CHLAUTH": profile} | given | altered(now)
        remaining = changed(records(manager), record, action, doing)
        _write(manager, remaining)


def _write(manager: Manager, remaining: list[Record]) -> None:
    definitions.delete_kind(manager.store, _KIND)
    rows = {
        _ABSENT: "{}",
        **{"\n".join(key_of(record)): json.dumps(record) for record in remaining},
    }
    for name, text in rows.items():
        definitions.write(manager.store, _KIND, name, text)
    state.definitions_changed(manager.store)
