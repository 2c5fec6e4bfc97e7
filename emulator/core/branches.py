"""Branches of global transactions: units of work that a transaction manager prepares and ends.

A branch is a row, and its messages carry its number below zero. Until it is prepared it ends with
its connection, however that ends; from then on it waits for commit or rollback, also over an end
of the program, of the server and of the queue manager.

Source: X/Open CAE Specification "Distributed Transaction Processing: The XA Specification".
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from mqtriage.emulator.core import units
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.tables import branches
from mqtriage.records import dataclass

XID_HEAD: Final = Struct(">iBB")
"""How a branch's name begins: its format, and the lengths of both identifiers."""


@dataclass(slots=True)
class BranchWork:
    """What this run knows of a branch, until its connection ends.

    Attributes:
        owner: the connection that it ends with while it is not prepared.
        is_suspended: the owner will go on with it.
    """

    unit: units.Unit
    owner: Connection
    is_associated: bool = False
    is_suspended: bool = False
    is_failed: bool = False


def begin(connection: Connection, xid: bytes) -> units.Unit:
    """Enter a branch of a connection; its unit of work."""
    me = connection.id
    with connection.writing("start a branch"):
        number = branches.insert(connection.manager.store, xid, me)
    return units.Unit(number)


def hand_over(connection: Connection, number: int) -> None:
    """Let a branch that is not prepared end with *connection* from now on."""
    me = connection.id
    with connection.writing("join a branch"):
        branches.write_connection(connection.manager.store, number, me)


def prepare(connection: Connection, number: int) -> None:
    """Promise that a branch can be committed and rolled back, whatever happens in between."""
    with connection.writing("prepare", durable=True):
        branches.write_connection(connection.manager.store, number, None)


def finish(connection: Connection, number: int, unit: units.Unit, *, committed: bool) -> None:
    """Commit a branch or roll it back.

    Args:
        unit: what this run knows of it; an empty one for a branch that was prepared earlier.
    """
    manager = connection.manager
    with connection.writing("end a branch", durable=True) as now:
        units.finish(manager, -number, committed=committed, now_us=now)
        for act in unit.at_commit if committed else ():
            act(manager, now)
        branches.delete(manager.store, number)
    if not committed:
        unit.restore_positions()
