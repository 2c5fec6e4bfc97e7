"""What is loaded at start: a test of names, since a test of milliseconds would lie now and then."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import mqtriage.cli.frame
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.message import Message
from mqtriage.operations.archive.writing import new_copy

HEAVY = {
    "rich",
    "tabulate",
    "pydantic",
    "click",
    "json",
    "asyncio",
    "importlib.metadata",
    "sqlite3",
    "xml",
    "tomllib",
    "pyspark",
    "pygls",
    "pymqi",
    "ibmmq",
    "mqtriage.commands",
    "mqtriage.backends",
    "mqtriage.emulator",
    "mqtriage.formatters",
    "mqtriage.model.result",
    "mqtriage.mq.cmqcfc",
}

WORK = {
    "mqtriage.backends.emulated",
    "mqtriage.definitions.plan",
    "mqtriage.emulator.core.manager",
    "mqtriage.operations.engine.plan",
}
VERBS = (Path(mqtriage.cli.frame.__file__).parent / "verbs.tsv").read_text("utf-8")

GROUP_FILES = {
    f"mqtriage.cli.{name}"
    for name in ("emulator", "qmgr", "queue", "msg", "delay", "backout", "expiry", "dlq", "help")
}


def loaded_by(code: str) -> set[str]:
    """Names of all modules that *code* leaves loaded in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('|'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split("|"))


def running(*args: str) -> str:
    return f"from mqtriage.cli.frame.main import main\nassert main({list(args)!r}) == 0"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import mqtriage.cli.frame.main", id="import"),
        pytest.param(running("version"), id="version"),
        pytest.param(running("--help"), id="help"),
        pytest.param(running("delay", "--help"), id="group-help"),
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded_by(code) & HEAVY == set()


@pytest.mark.parametrize("group", ["emulator", "queue", "msg", "delay", "backout", "expiry"])
def test_the_help_of_a_group_imports_no_verb(group: str) -> None:
    assert loaded_by(running(group, "--help")) & GROUP_FILES == set()


def test_a_verb_imports_its_own_file_only() -> None:
    assert loaded_by(running("rc", "--help")) & GROUP_FILES == {"mqtriage.cli.help"}


def test_options_of_every_verb_are_known_without_what_the_verbs_do() -> None:
    """Help and completion load the file of a verb, and need neither queue manager nor plans."""
    modules = sorted({line.split("\t")[2].partition(":")[0] for line in VERBS.splitlines()})
    loaded = loaded_by("\n".join(f"import {module}" for module in modules))
    assert loaded >= set(modules)
    assert loaded & WORK == set()


def test_a_press_of_the_tab_key_does_not_load_typer() -> None:
    loaded = loaded_by(running("__complete", "msg", "browse", "--q"))
    assert "mqtriage.cli.msg" in loaded
    assert loaded & {"typer", "rich", "tabulate", "mqtriage.formatters"} == set()


def test_the_check_sees_a_heavy_module() -> None:
    assert "json" in loaded_by("import json") & HEAVY


def test_a_look_up_in_an_archive_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    """The 1.8 times of `mqtriage version` that it may take are spent on modules, mostly."""
    path = tmp_path / "kept.ndjson"
    with new_copy(path, queue="IN", queue_manager="QM1", at="") as file:
        file.add("IN", Message(MQMD(msg_id=b"X" * 24, format="MQSTR"), b"", 0), sha256().digest())
    loaded = loaded_by(running("archive", "ls", str(path), "--msgid", "58" * 24, "-q"))
    assert "mqtriage.operations.archive.files" in loaded
    assert (
        loaded
        & {
            "rich",
            "tomllib",
            "mqtriage.backends.port",
            "mqtriage.backends.registry",
            "mqtriage.emulator",
            "mqtriage.messages.filters.expression",
            "mqtriage.messages.filters.selection",
            "mqtriage.mq.headers.chain",
        }
        == set()
    )
