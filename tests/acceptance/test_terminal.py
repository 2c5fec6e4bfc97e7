"""In a real terminal: tables, widths, and questions that are answered by keys."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from mqtriage.cli.frame.main import main
from tests.support.tools import tool

_NUMBERS = count(1)


class Terminal:
    """A tmux session of its own, on a socket of its own: a server that ends takes nobody else."""

    def __init__(self, columns: int, home: Path) -> None:
        self.tmux = tool("tmux")
        self._socket = f"mqtriage-test-{os.getpid()}-{next(_NUMBERS)}"
        binaries = str(Path(sys.executable).parent)
        env = {
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "MQTRIAGE_HOME": str(home),
            "MQTRIAGE_QMGR": "QM1",
            "PS1": "$ ",
        }
        shell = (
            "env -u COLUMNS -u LINES "
            + " ".join(f"{k}={shlex.quote(v)}" for k, v in env.items())
            + " sh"
        )
        self._run("new-session", "-d", "-s", "t", "-x", str(columns), "-y", "60", shell)
        self.until("$")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [self.tmux, "-L", self._socket, "-f", "/dev/null", *words],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def type(self, text: str) -> None:
        self._run("send-keys", "-t", "t", "-l", text)
        self._run("send-keys", "-t", "t", "Enter")

    def keys(self, text: str) -> None:
        """Press keys, without Enter."""
        self._run("send-keys", "-t", "t", "-l", text)

    def screen(self) -> str:
        return self._run("capture-pane", "-p", "-t", "t").rstrip()

    def until(self, text: str, seconds: float = 60) -> str:
        """The screen, once *text* is on it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = self.screen()
            if text in shown:
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{text!r} does not appear:\n{self.screen()}")

    def until_only(self, text: str, seconds: float = 60) -> None:
        """Wait until nothing but *text* is on the screen."""
        end = time.monotonic() + seconds
        while self.screen().strip() != text.strip():
            assert time.monotonic() < end, self.screen()
            time.sleep(0.05)

    def close(self) -> None:
        subprocess.run([self.tmux, "-L", self._socket, "kill-server"], check=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    assert main(["emulator", "create", "QM1", "--sample", "--clock", "frozen", "-q"]) == 0
    return tmp_path


@pytest.fixture
def terminal(home: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    pseudo_terminal = Terminal(getattr(request, "param", 100), home)
    yield pseudo_terminal
    pseudo_terminal.close()


def test_a_table_is_drawn_on_a_terminal(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage delay browse -q; echo exit=$?")
    shown = terminal.until("exit=0")
    assert "ORIGINAL_MSGID" in shown
    assert "─────" in shown
    assert shown.count("waiting") == 2


@pytest.mark.parametrize("terminal", [40], indirect=True)
def test_forty_columns_are_enough(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage delay browse -q; echo exit=$?")
    shown = terminal.until("exit=0")
    assert "ORDERS.IN" in shown
    assert "PAYMENTS.IN" in shown
    assert all(len(line) <= 40 for line in shown.splitlines())


def test_a_question_is_asked_and_no_means_no(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage backout purge ORDERS.BO --older-than 0s; echo exit=$?")
    asked = terminal.until("[y/N]")
    assert "2 messages" in asked
    terminal.type("n")
    terminal.until("exit=8")
    assert main(["msg", "count", "ORDERS.BO", "-m", "QM1", "-o", "json"]) == 0


def test_yes_at_the_question_does_it(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage backout purge ORDERS.BO --older-than 0s; echo exit=$?")
    terminal.until("[y/N]")
    terminal.type("y")
    shown = terminal.until("exit=0")
    assert "purged 2 messages" in shown


def test_purging_all_wants_the_name_of_the_queue_typed(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage backout purge ORDERS.BO; echo exit=$?")
    terminal.until("Type ORDERS.BO to confirm:")
    terminal.type("ORDERS.BO")
    assert "purged 2 messages" in terminal.until("exit=0")


def test_a_severe_act_wants_the_name_typed(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage emulator rm QM1; echo exit=$?")
    terminal.until("Type QM1 to confirm:")
    terminal.type("QM2")
    terminal.until("exit=8")
    terminal.type("clear; mqtriage emulator ls -q; echo exit=$?")
    assert "QM1" in terminal.until("exit=0")


def test_mqsc_that_is_pasted_is_one_script(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage mqsc; echo exit=$?")
    terminal.until("END or Ctrl-D ends it")
    terminal._run("set-buffer", "DEFINE QLOCAL(P1)\nDEFINE QLOCAL(P2) +\nMAXDEPTH(7)\nDIS QL(P*)\n")
    terminal._run("paste-buffer", "-t", "t")
    terminal.until("2 changes. Continue? [y/N]")
    terminal.type("y")
    terminal.until("QUEUE(P2)")
    terminal.type("end")
    assert "3 MQSC commands read." in terminal.until("exit=0")


def test_ctrl_c_at_the_question_leaves_with_130(terminal: Terminal) -> None:
    terminal.type("clear; mqtriage backout purge ORDERS.BO --older-than 0s; echo exit=$?")
    terminal.until("[y/N]")
    terminal._run("send-keys", "-t", "t", "C-c")
    terminal.until("exit=130")


@pytest.mark.parametrize(("key", "message"), [("\x03", "interrupted"), ("\x04", "error: purge")])
@pytest.mark.slow
def test_leaving_a_question_tells_so_on_a_line_of_its_own(
    terminal: Terminal, key: str, message: str
) -> None:
    terminal.type("clear; mqtriage msg purge ORDERS.BO; echo exit=$?")
    terminal.until("to confirm:")
    terminal.keys(key)
    shown = terminal.until("exit=")
    assert any(line.startswith(message) for line in shown.splitlines())
