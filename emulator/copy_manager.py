"""A queue manager with the definitions of another one, to try commands on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from mqtriage.emulator.core.create import create, insert_queue
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import queues as queues_table
from mqtriage.emulator.core.tables import state
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.shared import sharing
from mqtriage.mq.attributes.attribute import Platform

Values = Mapping[str, int | str]


def make_copy(
    folder: Path,
    name: str,
    platform: Platform,
    command_level: int,
    attributes: Values,
    queues: Iterable[tuple[str, str, Values]],
) -> Manager:
    """Make a queue manager that has these attributes and these queues, and no others.

    Args:
        folder: a home of its own.
        queues: kind, name and attributes of each.

    Raises:
        StorageError: The file cannot be made.
    """
    version = f"{command_level // 100}.{command_level // 10 % 10}.{command_level % 10}"
    path = create(folder, name, platform=platform, version=version, frozen=True)
    manager = open_manager(path)
    with manager.writing() as now:
        queues_table.delete_all(manager.store)
        for kind, queue, values in queues:
            insert_queue(manager.store, queue, kind, values, now)
        state.update(manager.store, attributes=manager.attributes | dict(attributes))
    manager.refresh()
    group = str(attributes.get("QSGNAME", ""))
    if group:  # a group of its own, so that shared queues can be defined
        sharing.join(manager, group)
    return manager
