"""A queue manager with the definitions of another one, and its messages, to try commands on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from mqtriage.emulator.core.create import create, insert_queues
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put import insert
from mqtriage.emulator.core.tables import messages as messages_table
from mqtriage.emulator.core.tables import queues as queues_table
from mqtriage.emulator.core.tables import state
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.shared import sharing
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us
from mqtriage.records import NamedTuple

Values = Mapping[str, int | str]
_AT_ONCE: Final = 500
"""Messages in a transaction."""


class Held(NamedTuple):
    """A message as it was on its queue; *expires_us* None where its lifetime has no end."""

    queue: str
    message: Message
    expires_us: int | None


def make_copy(
    folder: Path,
    name: str,
    platform: Platform,
    command_level: int,
    attributes: Values,
    queues: Iterable[tuple[str, str, Values]],
    *,
    at_us: int | None = None,
) -> Manager:
    """Make a queue manager that has these attributes and these queues, and no others.

    Args:
        queues: kind, name and attributes of each.
        at_us: where its clock stands; None is now.

    Raises:
        Refused: There is one of that name.
        StorageError: The file cannot be made.
    """
    version = f"{command_level // 100}.{command_level // 10 % 10}.{command_level % 10}"
    path = create(folder, name, platform=platform, version=version, frozen=True, at_us=at_us)
    manager = open_manager(path)
    with manager.writing() as now:
        queues_table.delete_all(manager.store)
        insert_queues(manager.store, queues, now)
        state.update(manager.store, attributes=manager.attributes | dict(attributes))
    manager.refresh()
    group = str(attributes.get("QSGNAME", ""))
    if group:  # a group of its own, so that shared queues can be defined
        sharing.join(manager, group)
    return manager


def put_as_they_were(manager: Manager, messages: Iterable[Held]) -> int:
    """Put messages to the end of their queues with descriptor, lifetime and BackoutCount.

    Returns:
        How many.

    Raises:
        ObjectNotFound, QueueFull: A queue is not there, or has no room.
    """
    count = 0
    rest = iter(messages)
    while batch := list(islice(rest, _AT_ONCE)):
        with manager.writing() as now:
            for queue, message, expires_us in batch:
                doing = f"put {queue}"
                put_us = put_time_us(message.md.put_date, message.md.put_time)
                md = message.md._replace(backout_count=0)
                place = insert.store(
                    manager, manager.local(queue, doing), md, message.body,
                    min(now, put_us or now), doing, expires_us=expires_us,
                )  # fmt: skip
                if message.md.backout_count:
                    messages_table.write_backouts(manager.store, place, message.md.backout_count)
        count += len(batch)
    return count
