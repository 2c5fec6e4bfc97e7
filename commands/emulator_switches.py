"""`mqtriage emulator switch`: what can be set of an emulated queue manager beside attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.emulator import lifecycle
from mqtriage.emulator.manager import Manager
from mqtriage.emulator.switches import SWITCHES, check_switch, find_switch
from mqtriage.model.result import Field, Listing, Record
from mqtriage.mq.errors import UsageError

FIELDS: Final = (
    Field("switch", "SWITCH", width=20),
    Field("value", "VALUE", width=12),
    Field("default", "DEFAULT", width=12),
    Field("allowed", "ALLOWED", width=24),
    Field("meaning", "MEANING", width=40),
)


def listing(manager: Manager) -> Listing:
    """Every switch with its value; a fault on puts once for each queue that has it."""
    manager.look()
    return Listing("SwitchList", FIELDS, list(_records(manager)), id_key="switch")


def _records(manager: Manager) -> Iterator[Record]:
    for switch in SWITCHES:
        names = [name for name in manager.switches if name.startswith(switch.name)]
        for name in (
            (sorted(names) or [switch.name + "QUEUE"]) if switch.name[-1] == "." else [switch.name]
        ):
            yield {
                "switch": name,
                "value": manager.switches.get(name, switch.default),
                "default": switch.default,
                "allowed": switch.allowed,
                "meaning": switch.meaning,
            }


def set_switches(manager: Manager, assignments: Iterable[str]) -> Listing:
    """Set what NAME=VALUE says, all or nothing; returns every switch as it is then.

    Raises:
        UsageError: No such switch, or a value that it cannot have.
    """
    pairs = []
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: expected NAME=VALUE")
        if find_switch(name) is None:
            known = ", ".join(switch.name for switch in SWITCHES)
            raise UsageError(f"{name}: no such switch", hint=f"switches: {known}")
        check_switch(name, value)
        pairs.append((name, value))
    for name, value in pairs:
        lifecycle.switch(manager, name, value)
    return listing(manager)
