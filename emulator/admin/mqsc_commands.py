"""The definitions of a script, for `emulator load-mqsc`: DEFINE, ALTER and SET.

Every command is one transaction: it is carried out whole, or nothing of it is. All of MQSC that is
emulated is in `emulator/admin/mqsc_server.py`; what takes something away (DELETE, CLEAR) is left
to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import Final

from mqtriage.emulator.admin import definitions, mqsc_server
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.mqsc.check import first_error
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.mq.mqsc.verbs import LEAVING
from mqtriage.records import NamedTuple

_KINDS: Final = (*QUEUE_KINDS, "TOPIC", "SUB", *definitions.KEPT)
DEFINING: Final = frozenset(
    (
        *product(("DEFINE", "ALTER"), _KINDS),
        ("ALTER", "QMGR"),
        ("SET", "AUTHREC"),
        ("SET", "CHLAUTH"),
        ("REFRESH", "SECURITY"),  # the last line of what dmpmqcfg writes
    )
)


class Result(StrEnum):
    """What became of one command."""

    CREATED = "created"
    CHANGED = "changed"
    REPLACED = "replaced"
    NOT_EMULATED = "not emulated"
    FAILED = "failed"


class CommandOutcome(NamedTuple):
    """One command of a script and what became of it.

    Attributes:
        command: ``DEFINE QLOCAL(ORDERS.IN)``; the first words of one that cannot be read.
        text: what is wrong, "" for a command that was carried out.
    """

    file: str
    line: int
    column: int
    command: str
    result: Result
    text: str = ""

    @property
    def place(self) -> str:
        return f"{self.file or '<mqsc>'}:{self.line}"

    def __str__(self) -> str:
        """One line for people."""
        if self.result is Result.NOT_EMULATED:
            what = f"left out, {self.text}" if self.text else "not emulated yet"
            return f"{what}: {self.command} at {self.place}"
        text = f"{self.place}:{self.column}: {self.command}: {self.result}"
        return f"{text}: {self.text}" if self.text else text


def run(connection: Connection, script: Script) -> Iterator[CommandOutcome]:
    """Carry out the commands in order, as far as END; a wrong one does not stop the others."""
    connection.manager.watch_changes()
    for command in script.commands:
        if command.error is None and command.verb in LEAVING:
            return
        yield _answer(connection, script, command)


def _answer(connection: Connection, script: Script, command: Command) -> CommandOutcome:
    if command.error is None and (command.verb, command.noun) not in DEFINING:
        shown = f"{command.verb} {command.noun}".strip()
        why = "no definition" if mqsc_server.is_emulated(command) else ""
        place = (script.file, command.line, command.column)
        return CommandOutcome(*place, shown, Result.NOT_EMULATED, why)
    shown = _command_text(script, command)
    wrong = first_error(command, connection.manager.identity.platform)
    if wrong is not None:
        text = f"{wrong.message}; expected {wrong.expected}" if wrong.expected else wrong.message
        return CommandOutcome(script.file, wrong.line, wrong.column, shown, Result.FAILED, text)
    result, text = Result.CHANGED, ""
    try:
        if command.verb == "DEFINE":
            is_replaced = mqsc_server.define(connection, command)
            result = Result.REPLACED if is_replaced else Result.CREATED
        else:
            mqsc_server.run(connection, command)
    except (UsageError, MQIError) as error:
        result, text = Result.FAILED, error.text
    return CommandOutcome(script.file, command.line, command.column, shown, result, text)


def _command_text(script: Script, command: Command) -> str:
    if command.verb:
        name = f"({command.name.text})" if command.name else ""
        return f"{command.verb} {command.noun}{name}".strip()
    words = " ".join(script.raw(command).split())
    return words if len(words) <= 40 else f"{words[:40]}..."
