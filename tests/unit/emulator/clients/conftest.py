"""A queue manager for each test, copied from one made once, with Q1, BOQ and DLQ on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.emulator.clients.handlers import Handler, HandlerFailed
from mqtriage.emulator.clients.jms import Acknowledge, JmsSession, MessageListener
from mqtriage.emulator.clients.jms_applications import AsyncApplication
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.backout import PoisonDiscard
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from tests.support.jms_consumers import JMSConsumer
from tests.unit.emulator.conftest import Lab, connect_as, message


class ClientLab(Lab):
    """A queue manager with an input queue, a backout queue and a dead-letter queue."""

    def __init__(self, path: Path) -> None:
        self.home = path.parent.parent
        self.path = path
        self._open: list[EmulatedBackend] = []
        self._raw: list[Connection] = []
        self.mq = self.connect()

    def connection(self) -> Connection:
        """A connection of another program."""
        return self.connect().connection

    def user(self, name: str) -> Connection:
        """A connection whose authority is checked."""
        connection = connect_as(open_manager(self.path), name, groups=())
        self._raw.append(connection)
        return connection

    def allow(self, user: str, queue: str, *words: str) -> None:
        """setmqaut: words such as "GET", "INQ" on a queue; on the queue manager CONNECT."""
        authority_records.set_record(self.mq.manager, "QUEUE", queue, principal=user, add=words)
        authority_records.set_record(self.mq.manager, "QMGR", principal=user, add=("CONNECT",))

    def close(self) -> None:
        for connection in self._raw:
            connection.disconnect()
        super().close()

    def alter(self, name: str, **attributes: int | str) -> None:
        self.mq.alter("QLOCAL", name, attributes)

    def no_dead_letter_queue(self) -> None:
        self.mq.alter("QMGR", "", {"DEADQ": ""})

    def shut(self, *names: str) -> None:
        """PUT(DISABLED): nothing can be put there."""
        for name in names:
            self.alter(name, PUT="DISABLED")

    def poison(self, name: str, times: int, body: bytes = b"poison", **fields: object) -> MQMD:
        """Put a message and roll it back that often."""
        md = self.put(name, body, **fields)
        lifecycle.roll_back(self.mq.connection, name, times, md.msg_id)
        return md

    def there(self, name: str) -> list[Message]:
        """What a browse by another program shows."""
        handle = self.open(name, cmqc.MQOO_BROWSE)
        try:
            return list(handle.browse())
        finally:
            handle.close()

    def session(
        self,
        mode: Acknowledge = Acknowledge.TRANSACTED,
        *,
        version: str = "9.4",
        discard: PoisonDiscard = PoisonDiscard.ANY,
        connection: Connection | None = None,
    ) -> JmsSession:
        return JmsSession(
            connection or self.connection(), mode, client_version=version, poison_discard=discard
        )

    def consumer(self, session: JmsSession, queue: str = "Q1") -> JMSConsumer:
        return JMSConsumer(session, queue)


class Recorder:
    """A handler that writes down what it was given, and fails on the bodies named."""

    def __init__(self, *failing: bytes) -> None:
        self.failing = failing
        self.bodies: list[bytes] = []

    def __call__(self, message: Message) -> None:
        self.bodies.append(message.body)
        if message.body in self.failing:
            raise HandlerFailed(f"cannot process {message.body.decode()}")


def transacted_listener(
    session: JmsSession, handler: Handler, queue: str = "Q1"
) -> MessageListener:
    """A listener that commits what its handler processes, and rolls back the rest."""
    return AsyncApplication(session, queue, handler)


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here is about a machine that fails, and waiting for the disk is most of the time."""
    begin = Store.begin
    monkeypatch.setattr(Store, "begin", lambda store, durable=False: begin(store, durable=False))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that every test here starts from."""
    lab = Lab(tmp_path_factory.mktemp("template"))
    lab.mq.define("QLOCAL", "Q1", {"BOTHRESH": 3, "BOQNAME": "BOQ"})
    lab.mq.define("QLOCAL", "BOQ", {})
    lab.mq.define("QLOCAL", "DLQ", {})
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    lab.mq.manager.store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    lab.close()
    return lab.path


@pytest.fixture
def lab(tmp_path: Path, template: Path) -> Iterator[ClientLab]:
    home = tmp_path / "emulator"
    home.mkdir(mode=0o700)
    new_lab = ClientLab(Path(shutil.copy(template, home / template.name)))
    yield new_lab
    new_lab.close()


__all__ = ["ClientLab", "Recorder", "message", "transacted_listener"]
