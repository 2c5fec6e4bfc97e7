"""Opening a queue manager: its file, and what the rooms of the emulator add to it.

The rooms are imported when they are needed, since most programs need few of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mqtriage.emulator.core.holder import Holder
from mqtriage.emulator.core.manager import Hooks, Manager, Notice
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.timetable import command_waits, is_timed_event_due


def open_manager(path: Path, notice: Notice | None = None) -> Manager:
    """The queue manager in a file.

    Args:
        notice: where to say what takes long or cannot be done.

    Raises:
        StorageError: The file cannot be read, or is no queue manager's.
    """
    return Manager(path, HOOKS, notice)


def _catch_up(manager: Manager, now_us: int) -> None:
    if is_timed_event_due(manager, now_us) or not command_waits(manager):
        from mqtriage.emulator.due.catch_up import catch_up

        catch_up(manager, now_us)
        manager.refresh()
    if command_waits(manager):
        from mqtriage.emulator.admin.command_queue import serve

        serve(manager)


def _after_put(
    manager: Manager, queue: Queue, priority: int, now_us: int, holder: Holder | None, doing: str
) -> None:
    from mqtriage.emulator.due import triggers

    triggers.after_put(manager, queue, priority, now_us, holder, doing)


def _consider(manager: Manager, queue: Queue, now_us: int) -> None:
    from mqtriage.emulator.due import triggers

    triggers.consider(manager, queue, now_us)


def _end_non_durable(manager: Manager, connection_id: int | None) -> None:
    from mqtriage.emulator.pubsub import subscriptions

    subscriptions.end_non_durable(manager, connection_id)


def _open_group(manager: Manager) -> Manager:
    from mqtriage.emulator.shared import sharing

    return sharing.open_group(manager)


def _observe(manager: Manager) -> None:
    from mqtriage.emulator.due import performance_events

    performance_events.observe(manager)


HOOKS: Final = Hooks(_catch_up, _after_put, _consider, _end_non_durable, _open_group, _observe)
