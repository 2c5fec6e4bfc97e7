"""The MQSC command server of the queue manager that a backend is connected to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mqtriage.backends.port import Backend
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.reply import Reply
from mqtriage.mq.mqsc.tree import Command, Script

if TYPE_CHECKING:
    from mqtriage.backends.emulated import EmulatedBackend


class MqscServer(Protocol):
    """Runs commands one by one."""

    @property
    def platform(self) -> Platform:
        """That of the queue manager, known without a command."""

    def execute(self, script: Script, command: Command) -> Reply:
        """Run one command of *script*.

        Raises:
            ConnectionFailed: Nothing more can be run.
            Refused: It would change something, and the connection only reads.
        """

    def verify(self, script: Script, command: Command) -> Reply:
        """Check one command as `runmqsc -v` does, and run nothing."""


class EmulatedServer:
    """`MqscServer` of an emulated queue manager."""

    def __init__(self, backend: EmulatedBackend) -> None:
        self._connection = backend.connection
        backend.manager.watch_changes()

    @property
    def platform(self) -> Platform:
        from mqtriage.emulator.core.attributes import platform_of

        return platform_of(self._connection.manager)

    def execute(self, script: Script, command: Command) -> Reply:
        from mqtriage.emulator.admin.mqsc_server import execute

        return execute(self._connection, script, command)

    def verify(self, script: Script, command: Command) -> Reply:
        from mqtriage.emulator.admin.mqsc_server import is_emulated, refusal
        from mqtriage.mq.mqsc.reply import NOT_EMULATED, Ending

        wrong = refusal(script, command, self.platform)
        if wrong is not None:
            return wrong
        what = f"{NOT_EMULATED}: {command.verb} {command.noun}".rstrip()
        place = f"{script.file or '<mqsc>'}:{command.line}"
        return Reply(Ending.DONE, why="" if is_emulated(command) else f"{place}: {what}")


class ReadingServer:
    """`MqscServer` over another one that runs nothing but what only looks."""

    def __init__(self, inner: MqscServer) -> None:
        self._inner = inner

    @property
    def platform(self) -> Platform:
        return self._inner.platform

    def execute(self, script: Script, command: Command) -> Reply:
        if command.error is None and command.verb not in ("DISPLAY", "PING"):
            raise Refused(f"{command.verb} {command.noun}: this connection only reads".rstrip())
        return self._inner.execute(script, command)

    def verify(self, script: Script, command: Command) -> Reply:
        return self._inner.verify(script, command)


def mqsc_server(backend: Backend, wait_ms: int | None = None) -> MqscServer:
    """The command server of what *backend* is connected to.

    What wraps it is heeded: behind a connection that only reads nothing is changed.

    Args:
        wait_ms: how long a reply is waited for, where that is not up to the backend.
    """
    from mqtriage.backends.readonly import ReadOnlyBackend

    reads = False
    while (inner := getattr(backend, "inner", None)) is not None:
        reads = reads or isinstance(backend, ReadOnlyBackend)
        backend = inner
    server = _server_of(backend, wait_ms)
    return ReadingServer(server) if reads else server


def _server_of(end: Backend, wait_ms: int | None) -> MqscServer:
    if end.kind == "mq":
        from mqtriage.backends.client.backend import ClientBackend
        from mqtriage.backends.client.mqsc import ClientServer

        assert isinstance(end, ClientBackend)
        if wait_ms is not None:
            end.command_server.wait_ms = wait_ms
        return ClientServer(end)
    from mqtriage.backends.emulated import EmulatedBackend

    assert isinstance(end, EmulatedBackend)
    return EmulatedServer(end)
