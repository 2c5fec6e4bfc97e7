"""The program as a process: pipes, full disks, closed streams and signals are the shell's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

VERBS = """
import sys, time
from types import ModuleType
from mqtriage.cli.frame import tree
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.main import run
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.result import Field, Listing, Report, ItemOutcome, Outcome

@takes(Output)
def long(app: AppContext) -> None:
    "Many lines."
    items = ({"msg_id": f"{n:048x}"} for n in range(200_000))
    app.output.emit(Listing("MessageList", (Field("msg_id", "MSGID"),), items))

@takes(Output)
def partly(app: AppContext) -> None:
    "Two of three."
    items = [ItemOutcome("01", Outcome.DONE), ItemOutcome("02", Outcome.FAILED, "x" * 100_000)]
    app.output.emit(Report("R", "requeue", "A", planned=2, items=items))

@takes(Output)
def wait(app: AppContext) -> None:
    "Wait."
    app.run.tell("waiting")
    time.sleep(60)

@takes(Output)
def odd(app: AppContext) -> None:
    "Text that no terminal can show."
    app.output.stdout.write("\\udcff \\u20ac\\n")

module = sys.modules["verbs"] = ModuleType("verbs")
vars(module).update(long=long, partly=partly, wait=wait, odd=odd)
names = ("long", "partly", "wait", "odd")
tree.GROUPS["try"] = tree.CommandGroup("Try.", {name: (f"verbs:{name}", name) for name in names})
run()
"""


# buffered as in a user's shell: what waits in the buffer when a stream fails is half of the matter
ENVIRON = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", VERBS, "try", *args]


@pytest.mark.parametrize("form", ["plain", "ndjson", "json", "csv", "ids"])
@pytest.mark.seed("CARD-29")
@pytest.mark.slow
def test_head_ends_a_listing_quietly_with_0(form: str) -> None:
    """As a shell with `set -o pipefail` sees it."""
    with subprocess.Popen(
        command("long", "-o", form), stdout=subprocess.PIPE, env=ENVIRON, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        pytest.param("partly", 3, id="an-act-partly-done-still-says-so"),
        pytest.param("odd", 0, id="a-line-that-waits-in-the-buffer"),
    ],
)
def test_a_reader_that_left_before_the_first_byte(verb: str, code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command(verb),
            stdout=writing,
            env=ENVIRON,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("verb", ["long", "partly", "odd"])
def test_a_full_disk_behind_stdout_is_told_once_and_is_1(verb: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command(verb, "-o", "json"),
            stdout=full,
            env=ENVIRON,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    error = json.loads(done.stderr)
    assert error["text"] == "standard output: No space left on device"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.slow
def test_a_full_disk_behind_stdout_does_not_hide_that_the_operation_was_carried_out(
    tmp_path: Path,
) -> None:
    environ = ENVIRON | {"MQTRIAGE_HOME": str(tmp_path), "HOME": str(tmp_path)}

    def run(*words: str, out: IO[bytes] | int = subprocess.DEVNULL) -> str:
        line = [sys.executable, "-m", "mqtriage", *words]
        return subprocess.run(
            line, stdout=out, stderr=subprocess.PIPE, env=environ, text=True, check=False
        ).stderr

    run("emulator", "create", "QM1")
    with Path("/dev/full").open("wb") as full:
        for words in (
            "queue define A --yes", "queue define B --yes", "msg put A x --yes",
            "msg move A --to B --yes",
        ):  # fmt: skip
            error = json.loads(run(*words.split(), "-q", "-o", "json", out=full))
            assert error["text"].startswith("standard output: No space left on device; ")
            assert error["text"].endswith(" was carried out"), error
            assert "journal" in error["hint"]
        assert error["op"] in error["text"]
        assert error["hint"] == f"mqtriage journal show {error['op']} shows what was done"
        shown = json.loads(run("msg", "browse", "B", "-q", "-o", "json", out=full))
        assert (shown["text"], shown["op"]) == ("standard output: No space left on device", None)


def test_a_closed_stdout_is_a_failure_since_data_is_lost() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command("odd")],
        env=ENVIRON,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "error: standard output: Bad file descriptor\n"


def test_bytes_on_standard_input_that_are_no_utf_8_are_no_internal_error() -> None:
    words = ("msg", "browse", "A", "--ids-from", "-")
    done = subprocess.run(
        [sys.executable, "-m", "mqtriage", *words],
        input=b"\xff\n",
        env=ENVIRON | {"PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"--ids-from, line 1: " in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_text_that_the_stream_cannot_encode_is_escaped(encoding: str) -> None:
    done = subprocess.run(
        command("odd"),
        capture_output=True,
        check=False,
        env={**ENVIRON, "PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"\\udcff")


_PAUSED = """
import signal, sys, threading, time
from mqtriage.cli.frame.repeat import Repetition

def take():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(600)

signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
threading.Thread(target=take, daemon=True).start()
Repetition(600_000, None).wait()
"""


@pytest.mark.slow
def test_a_signal_that_does_not_interrupt_a_pause_is_heard_soon() -> None:
    """As one that comes just before it: here another thread takes it."""
    with subprocess.Popen([sys.executable, "-c", _PAUSED]) as process:
        try:
            assert process.wait(timeout=60) == 7
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 143, "terminated"),
        (signal.SIGINT, 130, "interrupted"),
    ],
)
@pytest.mark.slow
def test_a_signal_ends_the_program_with_its_code(
    number: signal.Signals, code: int, message: str
) -> None:
    with subprocess.Popen(
        command("wait"), env=ENVIRON, stderr=subprocess.PIPE, text=True,
        # whoever runs the tests may ignore it, as nohup does
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509  one thread
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting\n"
        process.send_signal(number)
        assert process.stderr.read() == f"{message}\n"
        assert process.wait(timeout=60) == code


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mqtriage", "version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mqtriage ")
