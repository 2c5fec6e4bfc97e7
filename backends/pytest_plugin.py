"""A pytest plugin: `mqtriage_qmgr`, an emulated queue manager of its own for each test.

pytest imports this module whenever it starts, so it imports nothing of ours until a test asks for
the fixture. docs/testing-with-mqtriage.md is its manual.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from mqtriage.backends.emulated import EmulatedBackend
    from mqtriage.mq.message import Message

_ADDRESS: Final = "localhost(1414)"
_HOST: Final = "127.0.0.1"
_START_S: Final = 30.0
_END_S: Final = 30.0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "mqtriage_qmgr(name='QM1', platform='dist', version='9.4', clock='frozen'): "
        "how the queue manager of the fixture mqtriage_qmgr is made",
    )


class TcpAddress(NamedTuple):
    """Where programs of IBM's clients for Java connect to, and by which channel."""

    host: str
    port: int
    channel: str


class EmulatedQueueManager:
    """A queue manager that one test has for itself."""

    def __init__(self, name: str, home: Path, sdk: Callable[[], Path]) -> None:
        self.name = name
        self.home = home
        self._sdk = sdk
        self._server: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._backend: EmulatedBackend | None = None
        self._patch = pytest.MonkeyPatch()

    # -- looking at it and changing it, in this process ---------------------------------------

    @property
    def backend(self) -> EmulatedBackend:
        """A connection of the test's own, beside those of the program under test."""
        if self._backend is None:
            from mqtriage.backends.emulated import EmulatedBackend
            from mqtriage.emulator.core.file.home import existing_path
            from mqtriage.emulator.open import open_manager

            manager = open_manager(existing_path(self.home, self.name))
            self._backend = EmulatedBackend(manager, application="pytest")
        return self._backend

    def mqsc(self, script: str) -> None:
        """Run MQSC commands.

        Raises:
            UsageError: One was not carried out; it says which and why.
        """
        from mqtriage.emulator.admin.mqsc_server import run_script
        from mqtriage.mq.errors import UsageError
        from mqtriage.mq.mqsc.parse import parse

        for why in run_script(self.backend.connection, parse(script)):
            raise UsageError(why)

    def put(self, queue: str, body: bytes, **descriptor: Any) -> None:
        """Put a message.

        Args:
            descriptor: fields of `mqtriage.mq.descriptor.MQMD` that are not to have their
                initial values, such as ``expiry_tenths=100`` or ``format="MQSTR"``.
        """
        from mqtriage.mq.descriptor import MQMD

        self.backend.put1(queue, MQMD(**descriptor), body)

    def browse(self, queue: str) -> list[Message]:
        """The messages on a queue; they stay there."""
        from mqtriage.mq import cmqc

        with closing(self.backend.open(queue, cmqc.MQOO_BROWSE)) as handle:
            return list(handle.browse())

    def depth(self, queue: str) -> int:
        """CURDEPTH."""
        return self.backend.status(queue).curdepth

    # -- its clock ----------------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        """What its clock says."""
        return datetime.fromtimestamp(self.backend.now_us() / 1_000_000, UTC)

    def advance(self, span: str) -> datetime:
        """Move the clock on by a duration such as ``15m``; what falls due on the way happens."""
        from mqtriage.emulator.admin.lifecycle import advance
        from mqtriage.model.units import parse_duration_ms

        advance(self.backend.manager, parse_duration_ms(span, what="advance") * 1000)
        return self.now

    # -- programs of the MQ client ------------------------------------------------------------

    @property
    def connection(self) -> dict[str, str]:
        """What `pymqi.connect` and `ibmmq.connect` take to reach it: ``connect(**connection)``.

        The first use starts a server and loads the library, so that one of the two can be
        imported afterwards. The channel is that of `tcp`; any address does.
        """
        from mqtriage.emulator.mqi.library.sdk import load

        self.serve()
        self._patch.setenv("MQTRIAGE_HOME", str(self.home))
        self._patch.delenv("MQTRIAGE_QMGR", raising=False)
        load(self._sdk())
        return {"queue_manager": self.name, "channel": self._channel, "conn_info": _ADDRESS}

    @property
    def environment(self) -> dict[str, str]:
        """The environment for programs in processes of their own, C programs among them."""
        from mqtriage.emulator.mqi.library.sdk import environment

        self.serve()
        return dict(os.environ) | environment(self._sdk(), self.name, self.home)

    @property
    def tcp(self) -> TcpAddress:
        """Host, port and channel for IBM's clients for Java; the port stays over a `crash`.

        The channel is DEV.APP.SVRCONN where that is defined, else one of the test's own, else
        SYSTEM.DEF.SVRCONN.
        """
        self.serve()
        return TcpAddress(_HOST, self._port, self._channel)

    @property
    def _channel(self) -> str:
        from mqtriage.emulator.channel.served import usual_channel

        manager = self.backend.manager
        manager.look()
        return usual_channel(manager)

    def crash(self) -> None:
        """End the server as a machine that fails does; `serve` starts another one."""
        if self._server is not None:
            self._server.kill()
            self._server.communicate()
            self._server = None

    def serve(self) -> None:
        """Start a server where there is none, for programs that connect again by themselves."""
        if self._server is not None:
            return
        from mqtriage.emulator.core.file.home import qmgr_path, server_folder
        from mqtriage.emulator.mqi.server import SOCKET

        # in a process of its own: a client that is garbage-collected disconnects in whatever
        # thread it happens, and one of the server's would wait for itself
        socket = server_folder(qmgr_path(self.home, self.name)) / SOCKET
        port = self.home / "port"
        for file in (socket, port):
            file.unlink(missing_ok=True)  # of a server that crashed
        paths = os.pathsep.join(path or os.curdir for path in sys.path)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "mqtriage", "emulator", "serve", self.name,
             "--tcp", str(self._port), "--port-file", str(port)],
            env=dict(os.environ) | {"MQTRIAGE_HOME": str(self.home), "PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        until = time.monotonic() + _START_S
        while not port.exists():
            if self._server.poll() is not None or time.monotonic() > until:
                _, text = self._stop()
                pytest.fail(f"{self.name}: mqtriage emulator serve: {text or 'did not start'}")
            time.sleep(0.005)
        self._port = int(port.read_text("ascii"))

    def _stop(self) -> tuple[int, str]:
        """End the server; its exit code and what it wrote."""
        server, self._server = self._server, None
        if server is None:
            return 0, ""
        server.send_signal(signal.SIGTERM)
        try:
            text = server.communicate(timeout=_END_S)[1]
        except subprocess.TimeoutExpired:
            server.kill()
            text = server.communicate()[1]
        return server.returncode, text.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """End the server and leave; the file goes with the folder of the test."""
        self._stop()
        self._patch.undo()
        if self._backend is not None:
            self._backend.disconnect()
            self._backend = None


@pytest.fixture(scope="session")
def mqtriage_sdk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """The folder with headers and library (`mqtriage emulator sdk`), made when first asked for."""
    folders: list[Path] = []

    def folder() -> Path:
        if not folders:
            from mqtriage.emulator.mqi.library.sdk import lay_out

            target = tmp_path_factory.mktemp("mqtriage-sdk")
            lay_out(target)
            folders.append(target)
        return folders[0]

    return folder


@pytest.fixture
def mqtriage_qmgr(
    request: pytest.FixtureRequest, tmp_path: Path, mqtriage_sdk: Callable[[], Path]
) -> Iterator[EmulatedQueueManager]:
    """A fresh emulated queue manager QM1, whose clock stands still until the test moves it."""
    from mqtriage.emulator.core.create import create

    marker = request.node.get_closest_marker("mqtriage_qmgr")
    settings = {"name": "QM1", "platform": "dist", "version": "9.4", "clock": "frozen"}
    if marker is not None:
        if marker.args or not set(marker.kwargs) <= set(settings):
            pytest.fail(f"mqtriage_qmgr takes {', '.join(settings)}, each with its name")
        settings |= marker.kwargs
    home = tmp_path / "mqtriage"
    name, clock = settings.pop("name"), settings.pop("clock")
    create(home, name, frozen=clock == "frozen", **settings)  # type: ignore[arg-type]
    queue_manager = EmulatedQueueManager(name, home, mqtriage_sdk)
    yield queue_manager
    queue_manager.close()
