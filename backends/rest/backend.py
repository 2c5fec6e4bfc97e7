"""The REST end of the port: `Backend` over IBM MQ's REST API, with nothing of IBM's installed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mqtriage.backends import mqsc_text
from mqtriage.backends.clock import Clock
from mqtriage.backends.port import BackendKind, Capability, no_delayed_put
from mqtriage.backends.readonly import READ_VERBS
from mqtriage.backends.rest.commands import RestCommands
from mqtriage.backends.rest.definitions import RestDefinitions
from mqtriage.backends.rest.messages import RestHandle
from mqtriage.backends.rest.session import WebSession
from mqtriage.model.rest_settings import RestSettings
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.catalogue import platform_of
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NotAuthorized, UsageError

if TYPE_CHECKING:  # what runs no MQSC starts without it
    from mqtriage.mq.mqsc.reply import Reply
    from mqtriage.mq.mqsc.tree import Command, Script


class RestBackend(RestDefinitions):
    """`Backend` over a web server of IBM MQ, or over anything that speaks like one."""

    kind: BackendKind = "rest"
    capabilities: frozenset[Capability] = frozenset()
    insight = None

    def __init__(
        self,
        settings: RestSettings,
        queue_manager: str,
        notice: Callable[[str], None],
        *,
        shows_messages: bool = False,
    ) -> None:
        """Log in, and ask the queue manager what it is.

        Args:
            queue_manager: its name; "" is the only one that runs there.
            notice: where to say what the user should know.
            shows_messages: whether messages that are browsed are shown, and no more.

        Raises:
            NoClient: urllib3 is not there.
            NotAuthorized: 2035, user or password is wrong.
            ConnectionFailed: It cannot be reached, or does not run.
            UsageError: Several run there, and none was named.
        """
        clock = Clock(notice)
        self.session = WebSession(settings, clock)
        self._shows_messages = shows_messages
        self.queue_manager = queue_manager or self._only_one(notice)
        super().__init__(RestCommands(self.session, self.queue_manager), clock)
        self.platform: Platform = "dist"
        # messages may still be allowed; a request for definitions fails with the reason
        with suppress(NotAuthorized):
            self.platform = platform_of(self.queue_manager_attributes().get("PLATFORM", ""))

    def _only_one(self, notice: Callable[[str], None]) -> str:
        names = self.session.running()
        if len(names) == 1:
            notice(f"using the queue manager {names[0]}, the only one that is running there")
            return names[0]
        several = f"several queue managers are running there: {', '.join(names[:5])}"
        raise UsageError(
            several if names else f"no queue manager is running at {self.session.host}",
            hint="choose one with -m NAME or MQTRIAGE_QMGR",
        )

    def now_us(self) -> int:
        return self._clock.now_us()

    def open(self, queue: str, options: int, **named: Any) -> RestHandle:
        return RestHandle(
            self.session,
            self,
            self.queue_manager,
            queue,
            options,
            shows_messages=self._shows_messages,
            **named,
        )

    def put1(self, queue: str, md: MQMD, body: bytes, options: int = 0) -> MQMD:
        self.changed()
        return self.open(queue, cmqc.MQOO_OUTPUT).put(md, body, options)

    def put_delayed(
        self, queue: str, md: MQMD, body: bytes, delay_ms: int, options: int = 0
    ) -> MQMD:
        raise no_delayed_put(self.kind)

    def commit(self) -> None:
        """There is nothing to commit: whatever would be in a unit of work is refused."""

    def backout(self) -> None:
        """There is nothing to back out."""

    def disconnect(self) -> None:
        self.session.close()

    def inquired_name(self) -> str:
        return str(self.queue_manager_attributes().get("QMNAME", self.queue_manager))

    def run_mqsc(self, script: Script, command: Command, wait_ms: int | None = None) -> Reply:
        if command.verb not in READ_VERBS:
            self.changed()
        return self._commands.run(script, command, wait_ms, zos=self.platform == "zos")

    def check_mqsc(self, script: Script, command: Command) -> Reply:
        return mqsc_text.check(self.platform, script, command)
