"""Automatic client reconnection: what programs see of a server that goes and comes back."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from mqtriage.emulator import lifecycle
from tests.mqi.conftest import Served
from tests.mqi.test_c_program import THREAD_SANITIZER, built, prepare, with_thread_sanitizer
from tests.tools import tool

QUICK = "CHANNELS:\n  ReconDelay=(20,10)(50,20)\n  MQReconnectTimeout=20\n"


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An mqclient.ini with which attempts come soon."""
    ini = tmp_path / "mqclient.ini"
    ini.write_text(QUICK)
    monkeypatch.setenv("MQCLNTCF", str(ini))
    return ini


@pytest.fixture
def sanitized(tmp_path: Path) -> Path:
    """An SDK whose library has ThreadSanitizer built in."""
    return with_thread_sanitizer(tmp_path / "sdk")


DOINGS = ("crash", "crash-without-GONE", "stop", "down", "up", "restart", "restart-r")


class Runner:
    """Does with the server what a program asks for on its standard output."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def run(self, sdk: Path, *command: str) -> tuple[int | None, str]:
        """Run a program to its end; its exit code, and what it said that was nothing to do."""
        said = ""
        with subprocess.Popen(
            command,
            env=self._served.environment(sdk),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            assert program.stdout is not None
            assert program.stdin is not None
            for line in program.stdout:
                what = line.strip().removesuffix("-soon")
                if what not in DOINGS:
                    said += line
                    continue
                is_soon = line.strip() != what
                if not is_soon:
                    self._do(what)
                program.stdin.write("done\n")
                program.stdin.flush()
                if is_soon:
                    time.sleep(0.2)  # until the program waits in its next call
                    self._do(what)
        return program.returncode, said

    def _do(self, what: str) -> None:
        served = self._served
        if what.startswith("restart"):
            manager = served.backend().manager
            lifecycle.stop(manager, clients_reconnect=what == "restart-r")
            lifecycle.start(manager)
            return
        if what == "stop":
            served.stop()
        elif what != "up":
            served.kill()
        if what == "crash-without-GONE":
            served.backend().delete("QLOCAL", "GONE")
        if what != "down":
            served.start()


def prepared(served: Served) -> Runner:
    prepare(served)
    served.local("GONE")
    served.backend().define("QMODEL", "KEPT.MODEL", {"DEFTYPE": "PERMDYN"})
    return Runner(served)


@pytest.mark.usefixtures("quick")
def test_a_program_goes_on_after_its_server_was_gone(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    program = built(sdk, tmp_path, "recovering")
    assert prepared(served).run(sdk, str(program)) == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_valgrind_finds_nothing_when_connections_are_made_again(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    program = built(sdk, tmp_path, "recovering")
    ran = prepared(served).run(
        sdk, tool("valgrind"), "--quiet", "--error-exitcode=99", "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect", str(program),
    )  # fmt: skip
    assert ran == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_threads_do_not_race_when_connections_are_made_again(
    served: Served, sanitized: Path, tmp_path: Path
) -> None:
    program = built(sanitized, tmp_path, "recovering", *THREAD_SANITIZER.split())
    assert prepared(served).run(sanitized, str(program)) == (0, "")
