"""One queue manager reached through each end of the port; a contract test runs on all of them.

emulator   in this process
pymqi      the real package, through our C library and a server
ibmmq      IBM's, the same way
real       a real queue manager, where MQTRIAGE_TEST_CONN names one:
           QM1@localhost(1414)/DEV.ADMIN.SVRCONN, with MQTRIAGE_USER and MQTRIAGE_PASSWORD
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.emulator.open import open_manager
from mqtriage.model.client_settings import ClientSettings, LibraryName, PropertyForm
from mqtriage.mq.errors import MQIError
from tests.mqi.conftest import Served as Server
from tests.mqi.conftest import ibmmq as ibmmq
from tests.mqi.conftest import pymqi as pymqi
from tests.mqi.conftest import pymqi_folder as pymqi_folder
from tests.mqi.conftest import sdk as sdk

REAL = os.environ.get("MQTRIAGE_TEST_CONN", "")
CLIENTS: tuple[LibraryName, ...] = ("pymqi", "ibmmq")
ENDS = ("emulator", *CLIENTS, *(("real",) if REAL else ()))


class End:
    """A queue manager and the way to it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.notices: list[str] = []
        self._connected: list[Backend] = []
        self._defined: list[tuple[str, str]] = []

    @property
    def queue_manager(self) -> str:
        return "QM1"

    def _connect(self, properties_as: PropertyForm) -> Backend:
        raise NotImplementedError

    def connect(self, properties_as: PropertyForm = "rfh2") -> Backend:
        """A connection of its own, ended after the test."""
        connection = self._connect(properties_as)
        self._connected.append(connection)
        return connection

    def _definer(self) -> Backend:
        """What queues are defined through."""
        return self.connect()

    def define(self, kind: str, **attributes: int | str) -> str:
        """A queue for this test alone; returns its name."""
        name = f"MQTRIAGE.TEST.{secrets.token_hex(6).upper()}"
        self._definer().define(kind, name, attributes)
        self._defined.append((kind, name))
        return name

    def local(self, **attributes: int | str) -> str:
        return self.define("QLOCAL", **attributes)

    def close(self) -> None:
        for backend in self._connected:
            backend.disconnect()
        if self._defined:
            backend = self._definer()
            for kind, name in self._defined:
                with suppress(MQIError):
                    backend.delete(kind, name, purge=kind == "QLOCAL")
            backend.disconnect()


class InProcess(End):
    def __init__(self, path: Path) -> None:
        super().__init__("emulator")
        self._path = path

    def _connect(self, properties_as: PropertyForm) -> Backend:
        return EmulatedBackend(open_manager(self._path), properties_as=properties_as)


class Client(End):
    """Through pymqi or ibmmq."""

    def __init__(self, name: str, settings: ClientSettings, queue_manager: str) -> None:
        super().__init__(name)
        self.settings = settings
        self._queue_manager = queue_manager

    @property
    def queue_manager(self) -> str:
        return self._queue_manager

    def _connect(self, properties_as: PropertyForm) -> Backend:
        return ClientBackend(
            self.settings, self._queue_manager, self.notices.append, properties_as=properties_as
        )


class Served(Client):
    """Through our C library to a server; queues are defined beside it, in this process, so that
    the tests of messages say nothing of the command server."""

    def __init__(self, library: LibraryName, path: Path) -> None:
        super().__init__(library, ClientSettings(library=library), "QM1")
        self._path = path

    def _definer(self) -> Backend:
        return EmulatedBackend(open_manager(self._path))

    def beside(self) -> Backend:
        """The same queue manager in this process."""
        emulated = EmulatedBackend(open_manager(self._path))
        self._connected.append(emulated)
        return emulated


def real_end() -> Client:
    address = re.fullmatch(r"([^@]+)@([^/]+)/(.+)", REAL)
    assert address, "MQTRIAGE_TEST_CONN is QMGR@HOST(PORT)/CHANNEL"
    settings = ClientSettings(
        connection=address[2],
        channel=address[3],
        user=os.environ.get("MQTRIAGE_USER", ""),
        password=os.environ.get("MQTRIAGE_PASSWORD", ""),
    )
    return Client("real", settings, address[1])


@pytest.fixture(scope="module")
def module_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A queue manager with its server for all tests of a module: they have queues of their own."""
    home = tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    patch.setenv("MQTRIAGE_HOME", str(home))
    patch.delenv("MQTRIAGE_QMGR", raising=False)
    served = Server(home)
    yield served
    served.close()
    patch.undo()


def load(request: pytest.FixtureRequest, library: str) -> Any:
    """The package, on our C library."""
    return request.getfixturevalue(library)


@pytest.fixture(params=ENDS)
def end(request: pytest.FixtureRequest, module_served: Server) -> Iterator[End]:
    name: str = request.param
    chosen: End
    if name == "emulator":
        chosen = InProcess(module_served.path)
    elif name == "real":
        chosen = real_end()
    else:
        load(request, name)
        chosen = Served("pymqi" if name == "pymqi" else "ibmmq", module_served.path)
    yield chosen
    chosen.close()


@pytest.fixture
def backend(end: End) -> Backend:
    return end.connect()
