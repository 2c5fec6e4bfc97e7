"""A queue-sharing group: its members are queue managers of one home, its shared queues a file.

The group's file has the shape of a queue manager's (the coupling facility and the Db2 tables of
z/OS in one); it is never stopped, so that what is on a shared queue outlives any member, also when
it is not persistent (DD-69). A member knows its group by the switch `qsg`. A queue defined with
QSGDISP(SHARED) stands in the group's file and every member can open it by name; a name of the
member's own goes first.

The staging queue is private: each member has one of its own also for shared targets (DD-65), and
its owner must be running to deliver (DD-66). A delivery writes the group's file first and notes the
staged MsgId there in the same transaction; should the program end before the member's own file is
written, the next try finds the note and does not deliver twice.

Simplified: a unit of work over private and shared queues is two commits, one after the other; a
shared queue cannot be the base of an alias; the group's clock is that of the member furthest ahead.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from mqtriage.emulator.core.create import fill
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import try_put
from mqtriage.emulator.core.tables import definitions, publications, queues, state
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError, UsageError

SWITCH: Final = "qsg"
_MEMBERS: Final = "members"


def group_path(folder: Path, group: str) -> Path:
    """The group's file beside those of its members; `%` keeps it apart from their names."""
    return folder / f"%qsg-{group}.qsg"


def join(manager: Manager, group: str) -> None:
    """Make a queue manager a member; the first one makes the group.

    Raises:
        UsageError: It is not on z/OS, is a member already, or the name is not 1 to 4 characters
            A-Z, 0-9.
    """
    if not manager.is_zos:
        raise UsageError(f"{manager.identity.name}: queue-sharing groups are only for z/OS")
    if not (0 < len(group) < 5 and group.isascii() and group.isalnum() and group.isupper()):
        raise UsageError(f"queue-sharing group {group}: expected 1 to 4 characters A-Z, 0-9")
    manager.refresh()
    if manager.switches.get(SWITCH, group) != group:
        raise UsageError(f"{manager.identity.name} is already in group {manager.switches[SWITCH]}")
    path = group_path(manager.path.parent, group)
    if not path.exists():
        _create(path, group)
    with closing(Manager(path, manager.hooks)) as shared:
        members = {*_members(shared), manager.identity.name}
        _switch(shared, {_MEMBERS: ",".join(sorted(members))})
    _switch(manager, {SWITCH: group})
    with manager.changing():
        state.update(manager.store, attributes=manager.attributes | {"QSGNAME": group})


def _create(path: Path, group: str) -> None:
    Store.create(path)
    with closing(Store(path)) as store, store.write(durable=True):
        fill(store, group, "zos", "9.4", frozen=True)
        queues.delete_all(store)
        definitions.delete_all(store)


def _switch(manager: Manager, values: dict[str, str]) -> None:
    with manager.changing():
        state.update(manager.store, switches=manager.switches | values)


def _members(shared: Manager) -> list[str]:
    return [name for name in shared.switches.get(_MEMBERS, "").split(",") if name]


class _Group(Manager):
    """The group's file as a member's programs use it: running members do first what is due."""

    def __init__(self, path: Path, member: Manager) -> None:
        super().__init__(path, member.hooks, member.notice)
        self._member = member
        self._others: dict[str, Manager] = {}

    def begin(self, *, durable: bool = False) -> int:
        self._let_members_run()
        return super().begin(durable=durable)

    def look(self) -> int:
        self._let_members_run()
        return super().look()

    def _let_members_run(self) -> None:
        latest = self._member.look()
        for name in _members(self):
            if name == self._member.identity.name:
                continue
            if name not in self._others:
                try:
                    path = home.existing_path(self.path.parent.parent, name)
                    self._others[name] = Manager(path, self.hooks, self.notice)
                except MQTriageError:
                    continue
            other = self._others[name]
            if other.refresh().running:
                latest = max(latest, other.look())
        frozen_us = self.refresh().frozen_us
        if frozen_us is not None and frozen_us < latest and self.store.writable:
            with self.store.write():
                state.follow_clock(self.store, latest)

    def close(self) -> None:
        for other in self._others.values():
            other.close()
        super().close()


def open_group(manager: Manager) -> Manager:
    """The file of the group that a queue manager is in, as its programs use it."""
    group = manager.switches.get(SWITCH)
    if group is None:
        raise UsageError(f"{manager.identity.name} is in no queue-sharing group")
    return _Group(group_path(manager.path.parent, group), manager)


# -- the delay processor's side -------------------------------------------------------------------


def shared_target(manager: Manager, name: str) -> Manager | None:
    """The group's file where *name* is one of its queues and none of the member's own.

    The caller closes it.
    """
    group = manager.switches.get(SWITCH)
    if group is None or name in manager.queues:
        return None
    shared = Manager(group_path(manager.path.parent, group), manager.hooks)
    if name in shared.queues:
        return shared
    shared.close()
    return None


def deliver(
    manager: Manager,
    shared: Manager,
    target: str,
    md: MQMD,
    body: bytes,
    expires_us: int | None,
    now_us: int,
    staged_id: bytes,
) -> int:
    """Put a due message to a shared queue, once; 0 or the reason. In the member's transaction."""
    key = (manager.identity.name, staged_id)
    with shared.store.write(durable=True):
        shared.refresh()
        if publications.is_received(shared.store, *key):
            return 0
        reason = try_put(shared, target, md, body, now_us, expires_us)
        if not reason:
            publications.insert_received(shared.store, *key)
    return reason


def forget_delivered(manager: Manager) -> None:
    """Drop the notes of deliveries that the member's file knows of by now.

    Inside a transaction of the member, so that no other process is between the two files.
    """
    shared = Manager(group_path(manager.path.parent, manager.switches[SWITCH]), manager.hooks)
    with closing(shared), shared.store.write():
        publications.delete_received(shared.store, manager.identity.name)
