"""Long output on a terminal goes through a pager, and nothing else does."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.pager import paged, pager_of
from mqtriage.cli.frame.signals import Stopped, handling
from tests.acceptance.conftest import Bench
from tests.support.terminal import OnTerminal
from tests.support.tools import tool

COUNT = 60
LONG = ("msg", "browse", "LONG", "-m", "QM1")
SHORT = ("queue", "ls", "LONG", "-m", "QM1")


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name in ("PAGER", "MQTRIAGE_PAGER", "LESS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1")
    bench.define("LONG")
    bench.ok("msg", "put", "LONG", "x", "--count", str(COUNT), "--yes")
    return bench


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that shows that it ran, and what it was given."""
    script = tmp_path / "pager"
    script.write_text('#!/bin/sh\necho "[LESS=$LESS]"\ncat\necho "[paged]"\n', "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def shown(bench: Bench, *words: str, environ: Mapping[str, str], **more: Any) -> str:
    """All that is on a terminal when the program has ended with 0."""
    with OnTerminal(*words, environ={**bench.environ, **environ}, **more) as terminal:
        text = terminal.ended()
        assert terminal.code == 0, text
    return text


def test_what_is_longer_than_the_screen_is_paged(filled: Bench, pager: str) -> None:
    text = shown(filled, *LONG, environ={"MQTRIAGE_PAGER": pager})
    assert text.count("MQSTR") == COUNT
    assert "[LESS=FRX]" in text and "[paged]" in text


@pytest.mark.slow
def test_less_leaves_what_fits_at_once(filled: Bench) -> None:
    tool("less")
    assert "LONG" in shown(filled, *SHORT, environ={})
    assert shown(filled, *LONG, environ={}, rows=80).count("MQSTR") == COUNT


def test_colours_are_kept(filled: Bench, pager: str) -> None:
    assert "\x1b[" in shown(filled, *LONG, environ={"MQTRIAGE_PAGER": pager})


def test_help_is_paged(filled: Bench, pager: str) -> None:
    for words in (("msg", "purge", "--help-all"), ("cheat",)):
        assert "[paged]" in shown(filled, *words, environ={"PAGER": pager}), words


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"MQTRIAGE_PAGER": ""}, id="empty"),
        pytest.param({"MQTRIAGE_PAGER": "cat"}, id="cat"),
        pytest.param({"TERM": "dumb"}, id="dumb"),
    ],
)
@pytest.mark.slow
def test_nobody_is_made_to_use_one(filled: Bench, pager: str, environ: Mapping[str, str]) -> None:
    text = shown(filled, *LONG, environ={"PAGER": pager, **environ})
    assert "[paged]" not in text and text.count("MQSTR") == COUNT


def test_help_without_a_pager(filled: Bench, pager: str) -> None:
    words = ("msg", "purge", "--help-all")
    assert "[paged]" not in shown(filled, *words, environ={"PAGER": pager, "MQTRIAGE_PAGER": ""})


def test_never_in_a_pipe_or_a_file(filled: Bench, pager: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    text = shown(filled, *LONG, environ={"PAGER": pager}, redirect={1: str(out)})
    assert "[paged]" not in text
    content = out.read_text("utf-8")
    assert content.count("MQSTR") == COUNT and "[paged]" not in content and "\x1b" not in content


def test_a_report_of_what_was_done_is_not_paged(filled: Bench, pager: str) -> None:
    words = ("msg", "purge", "LONG", "-m", "QM1", "--confirm", "LONG", "--limit", "50")
    text = shown(filled, *words, environ={"PAGER": pager}, rows=4)
    assert "purged 50 messages" in text and "[paged]" not in text


@pytest.fixture
def in_less(filled: Bench) -> Iterator[OnTerminal]:
    tool("less")
    with OnTerminal(*LONG, environ=filled.environ, nohup=True) as terminal:
        terminal.until("\n:")
        yield terminal


def test_leaving_less_early_is_no_error(in_less: OnTerminal) -> None:
    in_less.press("q")
    text = in_less.ended()
    assert (in_less.code, "error" in text, "Traceback" in text) == (0, False, False)


def test_less_shows_the_next_page(in_less: OnTerminal) -> None:
    in_less.press(" ")
    in_less.until("\n")
    in_less.press("q")
    in_less.ended()
    assert in_less.code == 0


def test_ctrl_c_leaves_less_on_the_screen(in_less: OnTerminal) -> None:
    in_less.until("\x1b[K")
    in_less.press("\x03")
    for _ in range(60):  # less drops what is typed while it sees to the signal
        in_less.press(" ")
        with suppress(AssertionError):
            in_less.until("MQSTR", 1)  # it goes on
            break
    in_less.press("q")
    assert "Traceback" not in in_less.ended()


def test_sigterm_ends_both(in_less: OnTerminal) -> None:
    in_less.send(signal.SIGTERM)
    assert "Traceback" not in in_less.ended()
    assert in_less.code == 143


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_pager_starts_does_not_leave_it(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started = []

    class Slow(subprocess.Popen[str]):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            started.append(self)
            os.kill(os.getpid(), number)

    def stop(signum: int, _: object) -> None:
        raise Stopped(signum)

    monkeypatch.setattr(subprocess, "Popen", Slow)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
    try:
        with (
            handling(stop, signal.SIGTERM),
            pytest.raises(Stopped) as caught,
            paged("sleep 60", "utf-8", os.environ),
        ):
            pytest.fail("it was used")
    finally:
        signal.signal(signal.SIGHUP, before)
    is_running = started[0].poll() is None
    started[0].kill()
    started[0].communicate()
    assert (caught.value.signum, is_running) == (signal.SIGTERM, False)


def test_a_pager_that_stops_reading_ends_the_run(filled: Bench) -> None:
    text = shown(filled, *LONG, environ={"MQTRIAGE_PAGER": "head -n 1"})
    assert text.startswith("MSGID") or "MSGID" in text
    assert "error" not in text and "Traceback" not in text


def test_a_pager_that_is_not_there_is_one_line_and_the_output_is(filled: Bench) -> None:
    text = shown(filled, *LONG, environ={"MQTRIAGE_PAGER": "no-such-pager -x"})
    assert text.count("MQSTR") == COUNT
    assert "warning: MQTRIAGE_PAGER" in text and "no-such-pager" in text


def test_the_first_variable_that_is_set_decides() -> None:
    assert pager_of({"MQTRIAGE_PAGER": "a -x", "PAGER": "b"}) == "a -x"
    assert pager_of({"PAGER": "b"}) == "b"
    assert pager_of({"MQTRIAGE_PAGER": "", "PAGER": "b"}) == ""
    assert pager_of({"PAGER": "cat"}) == ""
    assert pager_of({}) in ("less", "")


@pytest.mark.slow
def test_sigterm_ends_both_while_the_pager_is_given_its_lines(
    filled: Bench, tmp_path: Path
) -> None:
    """One that reads nothing: the pipe to it is full, and closing it waits as well."""
    filled.ok("msg", "put", "LONG", "x", "--count", "2000", "--yes")
    script = tmp_path / "pager"
    script.write_text("#!/bin/sh\necho reads nothing\nexec sleep 600\n", "utf-8")
    script.chmod(0o700)
    environ = {**filled.environ, "PAGER": f"A=b {script}"}
    with OnTerminal(*LONG, environ=environ, nohup=True) as terminal:
        terminal.until("reads nothing")
        time.sleep(0.5)  # the pager may speak before whoever started it goes on and fills the pipe
        terminal.send(signal.SIGTERM)
        assert "Traceback" not in terminal.ended()
    assert terminal.code == 143
