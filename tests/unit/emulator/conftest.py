"""A queue manager with a frozen clock for every test, and short words for what is done with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.get import browse
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.mqi.message_handles import delivered
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.mq.message import Message

ALL = cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT
STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"


def unlock(queue: EmulatedHandle) -> None:
    """Let the message that a handle locked go, as MQGMO_UNLOCK does."""
    browse.unlock(queue._connection, queue._handle)


def connect_as(
    manager: Manager, user: str, groups: Iterable[str], application: str = "mqtriage"
) -> Connection:
    """A connection whose authority is checked, switch or not."""
    connection = Connection(manager, application, user)
    connection.groups = frozenset(groups)
    connection.checked = True
    authority.check_connect(connection)
    return connection


class Lab:
    """One queue manager, as many connections as a test wants.

    Attributes:
        mq: the connection that most tests need alone.
    """

    def __init__(
        self, home: Path, platform: Platform = "dist", name: str = "QM1", version: str = "9.4"
    ) -> None:
        self.home = home
        self.path = create(home, name, platform=platform, version=version, frozen=True)
        self._open: list[EmulatedBackend] = []
        self.mq = self.connect()

    def connect(self) -> EmulatedBackend:
        backend = EmulatedBackend(open_manager(self.path), user="tester", application="lab")
        self._open.append(backend)
        return backend

    def close(self) -> None:
        for backend in self._open:
            backend.disconnect()

    def connect_as(self, user: str, *groups: str) -> EmulatedBackend:
        """A connection whose authority is checked."""
        backend = EmulatedBackend(open_manager(self.path), user=user, application="lab")
        backend.connection = connect_as(backend.manager, user, groups, "lab")
        self._open.append(backend)
        return backend

    def switch(self, name: str, value: str) -> None:
        lifecycle.switch(self.mq.manager, name, value)

    def local(self, name: str, **attributes: int | str) -> EmulatedHandle:
        """Define a local queue and open it for everything."""
        self.mq.define("QLOCAL", name, attributes)
        return self.open(name)

    def open(self, name: str, options: int = ALL) -> EmulatedHandle:
        return self.mq.open(name, options)

    def advance(self, seconds: float) -> None:
        lifecycle.advance(self.mq.manager, round(seconds * 1_000_000))

    def depth(self, name: str) -> int:
        return self.mq.status(name).curdepth

    def restart(self) -> None:
        lifecycle.stop(self.mq.manager)
        lifecycle.start(self.mq.manager)
        self.mq = self.connect()

    def put(self, name: str, body: bytes = b"x", **fields: object) -> MQMD:
        return self.mq.put1(name, message(**fields), body)

    def send(self, name: str, delay_ms: int, body: bytes = b"x", **fields: object) -> MQMD:
        return self.mq.put_delayed(name, message(**fields), body, delay_ms)

    def get(self, name: str) -> Message:
        handle = self.open(name)
        try:
            return handle.get()
        finally:
            handle.close()

    def bodies(self, name: str) -> list[bytes]:
        """What a browse shows."""
        return [m.body for m in self.open(name, cmqc.MQOO_BROWSE).browse()]

    def publications(self, name: str) -> list[bytes]:
        """What a browse shows of publications, without their properties."""
        return [
            bare(publication).body for publication in self.open(name, cmqc.MQOO_BROWSE).browse()
        ]


def bare(publication: Message) -> Message:
    """A publication without the properties that stand in front of its data."""
    return delivered(publication, "NONE", in_handle=False)


def message(**fields: object) -> MQMD:
    """A persistent text message, with the fields that matter to the test."""
    return MQMD(format="MQSTR", persistence=1)._replace(**fields)  # type: ignore[arg-type]


def nothing_on(handle: EmulatedHandle) -> bool:
    """Whether a get finds nothing (2033)."""
    try:
        handle.get()
    except NoMessageAvailable:
        return True
    return False


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    new_lab = Lab(tmp_path)
    yield new_lab
    new_lab.close()


@pytest.fixture
def zos(tmp_path: Path) -> Iterator[Lab]:
    zos_lab = Lab(tmp_path / "zos", "zos")
    yield zos_lab
    zos_lab.close()
