"""The program as a process: pipes, full disks, closed streams and signals are the shell's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

VERBS = """
import sys, time
from types import ModuleType
from mqtriage.cli import tree
from mqtriage.cli.context import AppContext
from mqtriage.cli.main import run
from mqtriage.cli.options import Output, takes
from mqtriage.model.result import Field, Listing, Report, ItemOutcome, Outcome

@takes(Output)
def long(app: AppContext) -> None:
    "Many lines."
    items = ({"msg_id": f"{n:048x}"} for n in range(200_000))
    app.emit(Listing("MessageList", (Field("msg_id", "MSGID"),), items))

@takes(Output)
def partly(app: AppContext) -> None:
    "Two of three."
    items = [ItemOutcome("01", Outcome.DONE), ItemOutcome("02", Outcome.FAILED, "x" * 100_000)]
    app.emit(Report("R", "requeue", "A", planned=2, items=items))

@takes(Output)
def wait(app: AppContext) -> None:
    "Wait."
    app.tell("waiting")
    time.sleep(60)

@takes(Output)
def odd(app: AppContext) -> None:
    "Text that no terminal can show."
    app.stdout.write("\\udcff \\u20ac\\n")

module = sys.modules["verbs"] = ModuleType("verbs")
vars(module).update(long=long, partly=partly, wait=wait, odd=odd)
names = ("long", "partly", "wait", "odd")
tree.GROUPS["try"] = tree.Group("Try.", {name: (f"verbs:{name}", name) for name in names})
run()
"""


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", VERBS, "try", *args]


@pytest.mark.parametrize("form", ["plain", "ndjson", "json", "csv", "ids"])
def test_head_ends_a_listing_quietly_with_0(form: str) -> None:
    """As a shell with `set -o pipefail` sees it."""
    with subprocess.Popen(
        command("long", "-o", form), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 0


def test_head_does_not_hide_that_an_act_was_partly_done() -> None:
    with subprocess.Popen(
        command("partly", "-o", "json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=30) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("verb", ["long", "partly"])
def test_a_full_disk_behind_stdout_is_told_once_and_is_1(verb: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command(verb, "-o", "json"), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "error: standard output: No space left on device\n" or json_error(
        done.stderr
    )


def json_error(text: str) -> bool:
    return text.count("\n") == 1 and "No space left on device" in text and '"exit":1' in text


def test_a_closed_stdout_is_a_failure_since_data_is_lost() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command("odd")],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "error: standard output: Bad file descriptor\n"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_text_that_the_stream_cannot_encode_is_escaped(encoding: str) -> None:
    done = subprocess.run(
        command("odd"),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"\\udcff")


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")],
)
def test_a_signal_ends_the_program_with_its_code(
    number: signal.Signals, code: int, told: str
) -> None:
    with subprocess.Popen(command("wait"), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting\n"
        process.send_signal(number)
        assert process.stderr.read() == f"{told}\n"
        assert process.wait(timeout=30) == code


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mqtriage", "version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mqtriage ")
