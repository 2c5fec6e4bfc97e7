"""`main`: every failure ends in one line and its exit code, and nothing escapes."""

from __future__ import annotations

import inspect
import json
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.core import TyperGroup

from mqtriage.cli.frame import repeat
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import Root, program
from mqtriage.cli.frame.main import asked_form, command_of, main
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.signals import Stopped
from mqtriage.cli.frame.verb import takes
from mqtriage.mq.errors import MQTriageError, NotFound, Refused, StorageError, mqi_error
from tests.support.application import app_for_test
from tests.unit.cli.conftest import Run, text_of


def raising(error: BaseException) -> Callable[..., None]:
    @takes(ConnectionOptions, Output)
    def it(app: AppContext) -> None:
        """Fail."""
        raise error

    return it


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        pytest.param(
            mqi_error(2085, "browse APP.IN", hint="mqtriage queue ls"),
            5,
            "error: browse APP.IN: MQRC_UNKNOWN_OBJECT_NAME (2085)\nhint: mqtriage queue ls",
            id="2085",
        ),
        pytest.param(NotFound("no such message"), 5, "error: no such message", id="not-found"),
        pytest.param(Refused("needs --yes"), 8, "error: needs --yes", id="refused"),
        pytest.param(
            StorageError("QM1: damaged"),
            1,
            "error: QM1: damaged\nhint: check the path, its permissions, and the free disk space",
            id="storage",
        ),
        pytest.param(MQTriageError("no"), 1, "error: no", id="ours"),
        pytest.param(
            FileNotFoundError(2, "No such file or directory", "a.mqsc"),
            1,
            "error: a.mqsc: No such file or directory",
            id="a-file-of-the-user",
        ),
        pytest.param(KeyboardInterrupt(), 130, "interrupted", id="ctrl-c"),
        pytest.param(Stopped(signal.SIGTERM), 143, "terminated", id="sigterm"),
    ],
)
def test_a_failure_is_told_and_has_its_code(
    run: Run, error: BaseException, code: int, line: str
) -> None:
    ran = run(raising(error))
    assert (ran.code, ran.err.rstrip()) == (code, line)
    assert ran.out == ""


def test_a_failure_on_the_way_out_of_a_signal_is_the_signals(run: Run) -> None:
    error = RuntimeError("the gateway is gone")
    error.__context__ = Stopped(signal.SIGTERM)
    ran = run(raising(error))
    assert (ran.code, ran.err.rstrip()) == (143, "terminated")


@pytest.mark.parametrize("form", ["json", "ndjson"])
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.seed("CARD-29")
def test_an_error_is_json_when_json_was_asked_for(run: Run, form: str, before: bool) -> None:
    options = ("-o", form)
    failing = raising(mqi_error(2035, "open ORDERS.BO", object_name="ORDERS.BO"))
    ran = run(failing, *(() if before else options), before=options if before else ())
    error = json.loads(ran.err)
    assert ran.code == error["exit"] == 6
    assert error["mqrc"] == 2035
    assert error["object"] == "ORDERS.BO"


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_what_ended_a_command_by_a_signal_is_json_when_json_was_asked_for(
    run: Run, form: str
) -> None:
    error = json.loads(run(raising(Stopped(signal.SIGTERM)), "-o", form).err)
    assert (error["code"], error["text"], error["exit"]) == ("INTERRUPTED", "terminated", 143)


def test_a_connection_that_is_tried_again_is_told_as_json_when_json_was_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeat, "_RETRY_S", 0)
    answers = [mqi_error(2009, "browse ORDERS.BO"), None]

    def work(_: object) -> None:
        if (error := answers.pop(0)) is not None:
            raise error

    @takes(Output)
    def watching(app: AppContext) -> None:
        """Watch."""
        monkeypatch.setattr(app.target, "open_backend", nullcontext)
        repeat.keep_connected(app, work, "QM2: ")

    ran = run(watching, "-o", "ndjson", "--quiet")
    error = json.loads(ran.err)
    assert (ran.code, error["mqrc"], error["exit"]) == (0, 2009, 7)
    assert error["text"].startswith("QM2: browse ORDERS.BO")


def test_wrong_usage_is_json_too_when_json_was_asked_for(run: Run) -> None:
    ran = run(raising(NotFound("x")), "--bogus", "-o", "json")
    assert ran.code == 2
    assert json.loads(ran.err)["exit"] == 2


def test_an_unexpected_failure_is_one_line_without_its_text(run: Run) -> None:
    """The text of an exception may hold message data."""
    ran = run(raising(ValueError("SECRET BODY")))
    assert ran.code == 1
    assert "internal error: ValueError in tests.unit.cli.frame.test_main, line " in ran.err
    assert "MQTRIAGE_DEBUG=1" in ran.err
    assert "SECRET" not in ran.err
    assert "Traceback" not in ran.err


def test_the_trace_is_shown_on_demand(run: Run) -> None:
    ran = run(raising(ValueError("boom")), environ={"MQTRIAGE_DEBUG": "1"})
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "boom" in ran.err


def test_a_command_that_ends_well_is_0(run: Run) -> None:
    @takes(Output)
    def fine(app: AppContext) -> None:
        """Write a line."""
        app.output.stdout.write("data\n")

    ran = run(fine)
    assert (ran.code, ran.out, ran.err) == (0, "data\n", "")


def test_a_reader_that_left_is_no_failure(run: Run) -> None:
    ran = run(raising(BrokenPipeError()))
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("args", "form"),
    [
        (["msg", "browse", "-o", "json"], "json"),
        (["-ojson", "msg"], "json"),
        (["--output=ndjson"], "ndjson"),
        (["--output", "csv"], "csv"),
        (["-o"], ""),
        (["msg", "put", "Q", "--", "-o", "json"], None),
        (["check", "queue", "--format", "json"], "json"),
        (["lint", "--format=ndjson", "x.mqsc"], "ndjson"),
        (["snapshot", "take", "--format", "ndjson"], None),
        ([], None),
    ],
)
def test_the_form_is_found_in_any_command_line(args: list[str], form: str | None) -> None:
    assert asked_form(args) == form


@pytest.mark.parametrize(
    ("args", "path"),
    [
        (["-m", "QM1", "delay", "browse", "-o"], "mqtriage delay browse"),
        (["-m", "delay", "check", "queue"], "mqtriage check queue"),
        (["delay", "--bogus"], "mqtriage delay"),
        (["version", "-o"], "mqtriage version"),
        ([], "mqtriage"),
    ],
)
def test_the_command_is_found_in_any_command_line(args: list[str], path: str) -> None:
    assert command_of(args) == path


def test_version_as_an_option() -> None:
    app = app_for_test()
    assert main(["--version"], app) == 0
    assert text_of(app.output.stdout).startswith("mqtriage ")


LEAVING = """
import atexit, os, sys, threading, time
from mqtriage.cli.frame import main
at_once = os._exit
def leave(code):
    os.write(1, b", at once")
    at_once(code)
os._exit = leave
def command():
    atexit.register(lambda: sys.stdout.write(", tidy"))
    if {works_s}:
        threading.Thread(target=time.sleep, args=({works_s},), daemon={daemon}).start()
    sys.stdout.write("the result")
    return 3
main.main = command
main.run()
"""


@pytest.mark.parametrize(
    ("works_s", "daemon", "shown"),
    [
        pytest.param(99, True, "the result, tidy, at once", id="a thread that nobody waits for"),
        pytest.param(0.1, False, "the result, tidy", id="a thread to wait for"),
        pytest.param(0, True, "the result, tidy", id="no thread"),
    ],
)
def test_the_interpreter_is_not_taken_down_under_a_thread_that_still_works(
    works_s: float, daemon: bool, shown: str
) -> None:
    """SQLite and client libraries can crash then, after the result was shown."""
    code = LEAVING.format(works_s=works_s, daemon=daemon)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, shown, "")


@pytest.mark.seed("CARD-04", "CARD-10")
def test_the_program_is_a_typer_app_that_the_folder_cli_holds() -> None:
    root = Path(__file__).parents[4]
    config = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    assert isinstance(program(), TyperGroup)
    assert Path(inspect.getfile(Root)).resolve() == root / "cli" / "frame" / "lazy.py"
    assert any(text.startswith("typer") for text in config["project"]["dependencies"])
    assert config["project"]["scripts"]["mqtriage"] == "mqtriage.cli.frame.main:run"
