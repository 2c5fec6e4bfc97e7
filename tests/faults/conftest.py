"""A queue manager of its own for each test, and the end of the port that command lines take."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from subprocess import PIPE, Popen

import pytest

from mqtriage.backends import clock
from mqtriage.backends.client.backend import ClientBackend
from mqtriage.backends.client.handle import ClientHandle
from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.backends.port import QueueStatus
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from tests.acceptance.messages.conftest import template as template
from tests.acceptance.messages.estate import Estate
from tests.contract.conftest import load
from tests.faults.killing import At, Killed, run_and_kill
from tests.mqi.conftest import Served
from tests.mqi.conftest import ibmmq as ibmmq
from tests.mqi.conftest import pymqi as pymqi
from tests.mqi.conftest import pymqi_folder as pymqi_folder
from tests.mqi.conftest import sdk as sdk

ENDS = ("emulator", "pymqi")
through_both = pytest.mark.parametrize("estate", ENDS, indirect=True)
"""Where the connection matters, every day; else through pymqi before a release."""

DISK = Path("/var/tmp")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder on a disk: what is told as durable goes where it takes its time."""
    with tempfile.TemporaryDirectory(dir=DISK if DISK.is_dir() else None) as name:
        yield Path(name)


class FaultEstate(Estate):
    """QM1, reached in this process, or through pymqi or ibmmq, our C library and a server.

    Attributes:
        handle, backend: the classes whose calls a test may get in between of.
        served, again: the server, where there is one, and the one after a restart.
    """

    handle: type[EmulatedHandle | ClientHandle] = EmulatedHandle
    backend: type[EmulatedBackend | ClientBackend] = EmulatedBackend
    served: Served | None = None
    again: Popen[str] | None = None

    @contextmanager
    def serving(self, request: pytest.FixtureRequest, library: str = "pymqi") -> Iterator[None]:
        """Have command lines come through a package."""
        load(request, library)
        self.reached_by(library)
        self.handle, self.backend = ClientHandle, ClientBackend
        patch = pytest.MonkeyPatch()  # its own: a test undoes what it has patched
        patch.setenv("MQTRIAGE_HOME", str(self.folder))
        patch.delenv("MQTRIAGE_QMGR", raising=False)
        patch.setattr(clock, "here_us", open_manager(qmgr_path(self.folder, "QM1")).look)
        self.served = Served(self.folder, existing=True)
        yield
        self.served.close()
        if self.again is not None:
            self.again.terminate()
            self.again.communicate()
        patch.undo()

    def killed(self, argv: Sequence[str], at: At) -> Killed:
        """Run a command line in a process that dies at *at*, and wait until that was noticed."""
        ended = run_and_kill(self.folder, argv, at, self.environ)
        self.wait()
        return ended

    def wait(self, *queues: str) -> None:
        """Wait until the queue manager has noticed that a process is gone.

        Until then what it got is not there, and what it locked cannot be seen.
        """
        end_s = time.monotonic() + 60
        with self.connected() as backend:
            while any(_is_held(backend.status(queue)) for queue in queues or ("IN", "OUT")):
                assert time.monotonic() < end_s, "the unit of work of a dead process stays"
                time.sleep(0.005)

    def restart(self) -> None:
        """End the queue manager and begin it again, in the middle of what goes on."""
        if self.served is None:
            self._stop_and_start()
            return
        os.kill(self.served.pid, signal.SIGKILL)
        os.waitpid(self.served.pid, 0)
        self.served.pid = 0
        self._stop_and_start()
        # not forked: it would hold what the act at work has open and locked
        self.again = Popen(
            [sys.executable, "-m", "mqtriage", "emulator", "serve", "QM1"], stderr=PIPE, text=True
        )
        assert self.again.stderr is not None
        assert "serving" in self.again.stderr.readline()

    def _stop_and_start(self) -> None:
        for verb in ("stop", "start"):
            Estate(self.folder).run("emulator", verb, "QM1", "-q")


def _is_held(status: QueueStatus) -> bool:
    return bool(status.uncommitted or status.ipprocs or status.opprocs)


@pytest.fixture(params=["emulator", pytest.param("pymqi", marks=pytest.mark.long)])
def estate(request: pytest.FixtureRequest, template: Path, tmp_path: Path) -> Iterator[FaultEstate]:
    fault_estate = FaultEstate(Path(copytree(template, tmp_path / "home")))
    if request.param == "emulator":
        yield fault_estate
        return
    with fault_estate.serving(request):
        yield fault_estate


@pytest.fixture
def far(request: pytest.FixtureRequest, template: Path, tmp_path: Path) -> Iterator[FaultEstate]:
    """Through pymqi, or the package that is the parameter."""
    fault_estate = FaultEstate(Path(copytree(template, tmp_path / "home")))
    with fault_estate.serving(request, getattr(request, "param", "pymqi")):
        yield fault_estate
