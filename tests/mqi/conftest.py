"""A queue manager with its server for each test, and the C library that programs reach it by."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.client import library
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin.mqsc_server import run_script
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.mqi.library import sdk as sdk_folder
from mqtriage.emulator.mqi.server import Server
from mqtriage.emulator.open import open_manager
from mqtriage.mq.mqsc.parse import parse
from tests.support.tools import is_required, tool

_PR_SET_PDEATHSIG = 1


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The SDK, laid out once."""
    tool("cc")
    folder = tmp_path_factory.mktemp("sdk")
    sdk_folder.lay_out(folder)
    return folder


@pytest.fixture(scope="session")
def ibmmq(sdk: Path) -> Any:
    """IBM's Python package, unmodified, on our library.

    The wheel asks the loader for libmqm_r.so; one that is loaded already under that name will do.
    """
    ctypes.CDLL(str(sdk / "lib64" / sdk_folder.LIBRARY), mode=ctypes.RTLD_GLOBAL)
    package = library.find("ibmmq")
    if isinstance(package, library.Library):
        return package.module
    assert not is_required("ibmmq"), package.text
    pytest.skip(package.text)


@pytest.fixture(scope="session")
def pymqi_folder(sdk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pymqi is in: where `make test` has installed it, else where pip does now."""
    installed = importlib.util.find_spec("pymqi")
    if installed is not None and installed.origin is not None:
        return Path(installed.origin).parents[1]
    folder = tmp_path_factory.mktemp("pymqi")
    environment = dict(os.environ) | {"MQ_FILE_PATH": str(sdk)}
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
         "--disable-pip-version-check", "--target", str(folder), "pymqi"],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    unreachable = "Could not find a version" in ran.stderr + ran.stdout
    if unreachable and not is_required("pymqi"):
        pytest.skip("pymqi is not installed, and the package index cannot be reached")
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="session")
def pymqi(sdk: Path, pymqi_folder: Path) -> Any:
    """pymqi as it comes from the package index, on our library.

    Like ibmmq it asks the loader for libmqm_r.so, and takes the one that is loaded already.
    """
    ctypes.CDLL(str(sdk / "lib64" / sdk_folder.LIBRARY), mode=ctypes.RTLD_GLOBAL)
    if str(pymqi_folder) not in sys.path:
        sys.path.append(str(pymqi_folder))
    return importlib.import_module("pymqi")


CHANNELS = (
    "A", "B", "C", "Q", "U", "Z", "A.SVRCONN", "B.SVRCONN", "D.SVRCONN", "DEV.ADMIN.SVRCONN",
    "DEV.APP.SVRCONN",
)  # fmt: skip
"""By which programs of these tests come."""


def create_with_channels(home: Path, name: str) -> Path:
    """A queue manager with CHANNELS; its file."""
    path = create(home, name)
    backend = EmulatedBackend(open_manager(path))
    script = "".join(f"DEFINE CHANNEL({one}) CHLTYPE(SVRCONN)\n" for one in CHANNELS)
    assert list(run_script(backend.connection, parse(script))) == []
    backend.disconnect()
    return path


class Served:
    """A queue manager QM1 with CHANNELS in a home of its own, with a server in this process."""

    def __init__(
        self, home: Path, users: dict[str, str] | None = None, *, existing: bool = False
    ) -> None:
        """Make one, or with *existing* take the one that is in *home*."""
        self.home = home
        self.path = qmgr_path(home, "QM1") if existing else create_with_channels(home, "QM1")
        self._users = users
        self._backends: list[EmulatedBackend] = []
        self.start()

    def start(self) -> None:
        """Serve in a process of its own.

        Not in a thread: the interpreter may close a forgotten queue of ibmmq's in any thread, and
        in the server's that would wait for the server.
        """
        ready_reader, ready_writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                # a crash of the tests, which sanitizers make of their findings, ends it too
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
                server = Server(self.path, self._users)
                signal.signal(signal.SIGTERM, lambda *_: server.stop())
                os.write(ready_writer, b"x")
                server.serve()
                os._exit(0)
            except BaseException:
                traceback.print_exc()  # pytest shows it beside what failed
            finally:
                os._exit(1)
        os.close(ready_writer)
        assert os.read(ready_reader, 1) == b"x"
        os.close(ready_reader)

    def stop(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGTERM)
            _, status = os.waitpid(self.pid, 0)
            self.pid = 0
            assert os.waitstatus_to_exitcode(status) == 0

    def kill(self) -> None:
        """End the server as a machine that fails does."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.pid = 0

    def backend(self) -> EmulatedBackend:
        """A look at the queue manager beside the server."""
        backend = EmulatedBackend(open_manager(self.path), user="tester", application="beside")
        self._backends.append(backend)
        return backend

    def local(self, name: str, **attributes: int | str) -> str:
        backend = self.backend()
        backend.define("QLOCAL", name, attributes)
        return name

    def depth(self, name: str) -> int:
        return self.backend().status(name).curdepth

    def environment(self, sdk: Path) -> dict[str, str]:
        variables = dict(os.environ) | sdk_folder.environment(sdk, "QM1", self.home)
        variables.pop("MQTRIAGE_QMGR", None)
        return variables

    def python(self, sdk: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python code that uses the library in a process of its own."""
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=self.environment(sdk),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def close(self) -> None:
        self.stop()
        for backend in self._backends:
            backend.disconnect()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    monkeypatch.delenv("MQTRIAGE_QMGR", raising=False)
    server = Served(tmp_path)
    yield server
    server.close()


@pytest.fixture
def qmgr(served: Served, ibmmq: Any) -> Iterator[Any]:
    """A connection through ibmmq."""
    connection = ibmmq.connect("QM1")
    yield connection
    try:
        connection.disconnect()
    except ibmmq.PYIFError:
        pass  # the test has left already
    except ibmmq.MQMIError as error:
        assert error.reason in (2009, 2018)
