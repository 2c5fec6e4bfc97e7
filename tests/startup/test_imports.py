"""What is loaded at start: a test of names, since a test of milliseconds would lie now and then."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    "pymqi",
    "ibmmq",
    "mqtriage.commands",
    "mqtriage.backends",
    "mqtriage.emulator",
    "mqtriage.formatters",
    "mqtriage.model.result",
    "mqtriage.mq.codes",
}

GROUP_FILES = {
    f"mqtriage.cli.{name}"
    for name in ("emulator", "qmgr", "queue", "msg", "delay", "backout", "expiry", "dlq", "rc")
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
    return f"from mqtriage.cli.main import main\nassert main({list(args)!r}) == 0"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import mqtriage.cli.main", id="import"),
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
    assert loaded_by(running("rc", "--help")) & GROUP_FILES == {"mqtriage.cli.rc"}


def test_the_check_sees_a_heavy_module() -> None:
    assert "json" in loaded_by("import json") & HEAVY
