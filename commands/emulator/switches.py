"""`mqtriage emulator lab switch`: what of an emulated queue manager no attribute sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.switches import SWITCHES, Switch, check_switch, find_switch
from mqtriage.emulator.shared import sharing
from mqtriage.model.result import Field, Listing
from mqtriage.mq.errors import UsageError

FIELDS: Final = (
    Field("switch", "SWITCH", width=20),
    Field("value", "VALUE", width=12),
    Field("default", "DEFAULT", width=12),
    Field("allowed", "ALLOWED", width=24),
    Field("meaning", "MEANING", width=40),
)


_ACTS: Final = {"mq_version": lifecycle.migrate, "qsg": sharing.join}
"""Set like switches, but more than a value: another release, membership of a sharing group."""

_VERSION: Final = "release to emulate; the queue manager must be stopped (DD-17, DD-62)"
_GROUP: Final = "queue-sharing group, only on z/OS; it cannot leave a group"


def listing(manager: Manager) -> Listing:
    """Every switch with its value; a fault on puts once for each queue that has it."""
    manager.look()
    keys = [field.key for field in FIELDS]
    records = [dict(zip(keys, row, strict=True)) for row in _rows(manager)]
    return Listing("SwitchList", FIELDS, records, id_key="switch")


def _shown(switch: Switch) -> str:
    """Its name for a person: that of a fault on puts ends with a queue."""
    return f"{switch.name}QUEUE" if switch.name.endswith(".") else switch.name


def _rows(manager: Manager) -> Iterator[tuple[str, ...]]:
    for switch in SWITCHES:
        names = [switch.name]
        if switch.name[-1] == ".":
            named = (name for name in manager.switches if name.startswith(switch.name))
            names = sorted(named) or [_shown(switch)]
        for name in names:
            value = manager.switches.get(name, switch.default)
            yield name, value, switch.default, switch.allowed, switch.meaning
    yield "mq_version", manager.identity.version, "", "7.0 and later", _VERSION
    group = manager.switches.get("qsg", "")
    yield "qsg", group, "", "1 to 4 characters A-Z, 0-9", _GROUP


def set_switches(manager: Manager, assignments: Iterable[str]) -> Listing:
    """Set what NAME=VALUE says, all or nothing; returns every switch as it is then."""
    pairs = []
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: expected NAME=VALUE")
        if find_switch(name) is None and name not in _ACTS:
            known = ", ".join((*map(_shown, SWITCHES), *_ACTS))
            raise UsageError(f"{name}: no such switch", hint=f"switches: {known}")
        check_switch(name, value)
        pairs.append((name, value))
    for name, value in pairs:
        _ACTS[name](manager, value) if name in _ACTS else lifecycle.switch(manager, name, value)
    return listing(manager)
