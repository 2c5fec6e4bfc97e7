"""The MQSC command server of the queue manager that a backend is connected to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mqtriage.backends.port import Backend
from mqtriage.mq.mqsc_reply import Reply
from mqtriage.mq.mqsc_tree import Command, Script

if TYPE_CHECKING:
    from mqtriage.backends.emulated import EmulatedBackend


class MqscServer(Protocol):
    """Runs commands one by one."""

    def execute(self, script: Script, command: Command) -> Reply:
        """Run one command of *script*.

        Raises:
            ConnectionFailed: Nothing more can be run.
        """

    def verify(self, script: Script, command: Command) -> Reply:
        """Check one command as `runmqsc -v` does, and run nothing."""


class EmulatedServer:
    """`MqscServer` of an emulated queue manager."""

    def __init__(self, backend: EmulatedBackend) -> None:
        self._connection = backend.connection
        backend.manager.watch_changes()

    def execute(self, script: Script, command: Command) -> Reply:
        from mqtriage.emulator.mqsc_server import execute

        return execute(self._connection, script, command)

    def verify(self, script: Script, command: Command) -> Reply:
        from mqtriage.emulator.definitions import platform_of
        from mqtriage.emulator.mqsc_server import is_emulated, refusal
        from mqtriage.mq.mqsc_reply import NOT_EMULATED, Ending

        wrong = refusal(script, command, platform_of(self._connection.manager))
        if wrong is not None:
            return wrong
        what = f"{NOT_EMULATED}: {command.verb} {command.noun}".rstrip()
        place = f"{script.file or '<mqsc>'}:{command.line}"
        return Reply(Ending.DONE, why="" if is_emulated(command) else f"{place}: {what}")


def mqsc_server(backend: Backend) -> MqscServer:
    """The command server of what *backend* is connected to, whatever wraps it.

    What only reads is the caller's to know: MQSC can do anything.
    """
    inner = innermost(backend)
    if inner.kind == "mq":
        from mqtriage.backends.client.backend import ClientBackend
        from mqtriage.backends.client.mqsc import ClientServer

        assert isinstance(inner, ClientBackend)
        return ClientServer(inner)
    from mqtriage.backends.emulated import EmulatedBackend

    assert isinstance(inner, EmulatedBackend)
    return EmulatedServer(inner)


def innermost(backend: Backend) -> Backend:
    """The end itself, without the wrappers that refuse or tell."""
    while (inner := getattr(backend, "inner", None)) is not None:
        backend = inner
    return backend
