"""A wrapper that refuses every write: what a command that reads or plans is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from mqtriage.backends.forwarding import Forwarding
from mqtriage.backends.port import ANY, Match
from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused
from mqtriage.mq.message import Message

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script

_READ_OPTIONS: Final = cmqc.MQOO_BROWSE | cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING
_BROWSE_OPTIONS: Final = (
    cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR
)
_READ_VERBS: Final = frozenset(("DISPLAY", "PING"))
_READS: Final = frozenset(
    (
        *("kind", "queue_manager", "platform", "capabilities", "insight", "now_us", "disconnect"),
        *("queue_manager_attributes", "queues", "queue", "status", "check_mqsc"),
        *("name", "resolved_name", "browse", "context", "close"),
    )
)
"""What goes through as it is; a call that the port gets later is refused until it is listed."""


_REFUSED: Final = {
    "put1": "put to {0}",
    "put_delayed": "put to {0}",
    "define": "define {0}({1})",
    "alter": "alter {0}({1})",
    "delete": "delete {0}({1})",
    "put": "put to {of.name}",
}
"""What is said of a write, by its first arguments or the handle that it is asked of."""


def _refuse(call: str) -> NoReturn:
    raise Refused(f"{call}: this connection only reads")


class _ReadOnly(Forwarding):
    def __getattr__(self, name: str) -> Any:
        if name in _REFUSED:
            return lambda *given, **_: _refuse(_REFUSED[name].format(*given, of=self))
        if name not in _READS:
            _refuse(name)
        return super().__getattr__(name)


class ReadOnlyHandle(_ReadOnly):
    """A handle that browses and nothing else."""

    def get(self, options: int = 0, match: Match = ANY, **named: Any) -> Message:
        if not options & _BROWSE_OPTIONS:
            _refuse(f"get from {self.name}")
        message: Message = self._inner.get(options, match, **named)
        return message


class ReadOnlyBackend(_ReadOnly):
    """`Backend` over another one, for browse and inquire only."""

    def open(self, queue: str, options: int, **named: str) -> ReadOnlyHandle:
        if options & ~_READ_OPTIONS:
            _refuse(f"open {queue} with options {options:#x}")
        return ReadOnlyHandle(self._inner.open(queue, options, **named))

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        if command.error is None and command.verb not in _READ_VERBS:
            _refuse(f"{command.verb} {command.noun}".rstrip())
        reply: Reply = self._inner.run_mqsc(script, command, wait_ms)
        return reply
