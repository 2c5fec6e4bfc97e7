"""One queue manager reached through each end of the port; a contract test runs on all of them.

emulator   in this process
pymqi      the real package, through our C library and a server
ibmmq      IBM's, the same way
rest       over HTTPS, from the emulator's web server; what it cannot do is in `REST_REFUSES`
real       a real queue manager, where MQTRIAGE_TEST_CONN names one:
           QM1@localhost(1414)/DEV.ADMIN.SVRCONN, with MQTRIAGE_USER and MQTRIAGE_PASSWORD
realrest   the same over its REST API, where MQTRIAGE_TEST_REST names that: https://host:9443/QM1;
           nothing is defined, put or deleted unless MQTRIAGE_TEST_REST_WRITES is 1
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.backends.rest.backend import RestBackend
from mqtriage.emulator.open import open_manager
from mqtriage.model.client_settings import ClientSettings, LibraryName, PropertyForm
from mqtriage.model.rest_settings import RestSettings
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, Refused
from tests.mqi.conftest import Served as Server
from tests.mqi.conftest import ibmmq as ibmmq
from tests.mqi.conftest import pymqi as pymqi
from tests.mqi.conftest import pymqi_folder as pymqi_folder
from tests.mqi.conftest import sdk as sdk
from tests.support.web_server import WebServer

REAL = os.environ.get("MQTRIAGE_TEST_CONN", "")
REAL_REST = os.environ.get("MQTRIAGE_TEST_REST", "")
MAY_WRITE = os.environ.get("MQTRIAGE_TEST_REST_WRITES", "") == "1"
CLIENTS: tuple[LibraryName, ...] = ("pymqi", "ibmmq")
ENDS = (
    "emulator",
    *CLIENTS,
    "rest",
    *(("real",) if REAL else ()),
    *(("realrest",) if REAL_REST else ()),
)

TEXT = MQMD(format="MQSTR", ccsid=1208)
"""What every end can put: a text in UTF-8."""

REST_REFUSES: dict[str, str] = {}
"""Test to what the end `rest` refuses in it: nothing else may come of it there."""
for _why, _tests in {
    "has no unit of work: what is taken": """
        test_a_requeue_keeps_ids_and_context_and_is_proven
    """,
}.items():
    REST_REFUSES |= dict.fromkeys(_tests.split(), _why)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """At the end `rest`, what is listed is refused."""
    parameters = pyfuncitem.callspec.params if hasattr(pyfuncitem, "callspec") else {}
    why = REST_REFUSES.get(pyfuncitem.originalname) if parameters.get("end") == "rest" else None
    if why is None:
        return (yield)
    with pytest.raises(Refused, match=f"IBM MQ's REST API {why}"):
        yield
    return True


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


class OverRest(End):
    """Over the REST API; queues are defined by it, too."""

    def __init__(self, name: str, settings: RestSettings, queue_manager: str) -> None:
        super().__init__(name)
        self.settings = settings
        self._queue_manager = queue_manager

    @property
    def queue_manager(self) -> str:
        return self._queue_manager

    def _connect(self, properties_as: PropertyForm) -> Backend:
        backend = RestBackend(
            self.settings, self._queue_manager, self.notices.append, shows_messages=True
        )
        return readonly(backend) if self.name == "realrest" and not MAY_WRITE else backend


def real_rest_end() -> OverRest:
    url, _, name = REAL_REST.rpartition("/")
    settings = RestSettings(
        url,
        user=os.environ.get("MQTRIAGE_USER", ""),
        password=os.environ.get("MQTRIAGE_PASSWORD", ""),
        ca=os.environ.get("MQTRIAGE_TLS_CAFILE", ""),
    )
    return OverRest("realrest", settings, name)


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


@pytest.fixture(scope="module")
def module_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """The same over HTTPS: one user administers, sends and receives."""
    home = tmp_path_factory.mktemp("web")
    web = WebServer(home, web_roles=("admin=MQWebAdmin", "admin=MQWebUser"))
    yield web
    web.close()


def rest_settings(web: WebServer) -> RestSettings:
    return RestSettings(web.url, user="admin", password="passw0rd", ca=web.serving.ca_file)


@pytest.fixture(params=ENDS)
def end(request: pytest.FixtureRequest, module_served: Server) -> Iterator[End]:
    name: str = request.param
    chosen: End
    if name == "emulator":
        chosen = InProcess(module_served.path)
    elif name == "real":
        chosen = real_end()
    elif name == "realrest":
        chosen = real_rest_end()
    elif name == "rest":
        chosen = OverRest("rest", rest_settings(request.getfixturevalue("module_web")), "QM1")
    else:
        load(request, name)
        chosen = Served("pymqi" if name == "pymqi" else "ibmmq", module_served.path)
    yield chosen
    chosen.close()


@pytest.fixture
def backend(end: End) -> Backend:
    return end.connect()
