"""A wrapper that refuses every write: what a command that reads or plans is given."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mqtriage.backends.forwarding import Reading, ReadingHandle
from mqtriage.backends.port import ANY, AttributeValue, Backend, Match
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQTriageError, Refused
from mqtriage.mq.message import Message

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

_READ_OPTIONS: Final = cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING
_BROWSE_OPTIONS: Final = (
    cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR
)
READ_VERBS: Final = frozenset(("DISPLAY", "PING"))
"""Verbs of MQSC commands that change nothing."""


def _refuse(call: str) -> NoReturn:
    raise Refused(f"{call}: this connection only reads")


class ReadOnlyHandle(ReadingHandle):
    """A handle that browses and nothing else."""

    def get(self, options: int = 0, match: Match = ANY, **named: Any) -> Message:
        if not options & _BROWSE_OPTIONS:
            _refuse(f"get from {self.name}")
        return self._inner.get(options, match, **named)

    def put(self, md: MQMD, body: bytes, options: int = 0, context: object = None) -> NoReturn:
        _refuse(f"put to {self.name}")


def try_open(backend: Backend, queue: str, options: int, **named: str) -> str:
    """Open a queue and close it; returns where its name led.

    A connection that only reads can ask this too: nothing is put or taken by it.

    Raises:
        MQIError: It cannot be opened so.
        Refused: That connection is one of a context that only reads.
    """
    opens = backend._inner if isinstance(backend, ReadOnlyBackend) else backend
    handle = opens.open(queue, options, **named)
    resolved = handle.resolved_name
    with suppress(MQTriageError):  # the question is answered, whatever becomes of the handle
        handle.close()
    return resolved


class ReadOnlyBackend(Reading):
    """`Backend` over another one, for browse and inquire only."""

    def open(self, queue: str, options: int, **named: str) -> ReadOnlyHandle:
        if options & ~_READ_OPTIONS:
            _refuse(f"open {queue} with options {options:#x}")
        return ReadOnlyHandle(self._inner.open(queue, options, **named))

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> NoReturn:
        _refuse(f"put to {queue}")

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> NoReturn:
        _refuse(f"put to {queue}")

    def commit(self) -> NoReturn:
        _refuse("commit")

    def backout(self) -> NoReturn:
        _refuse("backout")

    def define(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> NoReturn:
        _refuse(f"define {kind}({name})")

    def alter(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> NoReturn:
        _refuse(f"alter {kind}({name})")

    def delete(self, kind: str, name: str, *, purge: bool = False) -> NoReturn:
        _refuse(f"delete {kind}({name})")

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        if command.error is None and command.verb not in READ_VERBS:
            _refuse(f"{command.verb} {command.noun}".rstrip())
        return self._inner.run_mqsc(script, command, wait_ms)
