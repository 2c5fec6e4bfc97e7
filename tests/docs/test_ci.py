"""docs/ci.md: the gate notices a missing folder, and the settings are read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.tools import module

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
BLOCKS = {
    (kind, name): text
    for kind, name, text in re.findall(
        r"```\w+ (file|output|after)=(\S+)\n(.*?)```", PAGE, re.DOTALL
    )
}
ORDERS = "definitions/QM1/orders.mqsc"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with the files of the page, and `mqtriage` on the path of its scripts."""
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    for name in (ORDERS, "gate.sh"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(BLOCKS["file", name])
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    command = bin_folder / "mqtriage"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mqtriage "$@"\n')
    command.chmod(0o755)
    return folder


def run(work: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{work.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "MQTRIAGE_HOME": str(work.parent / "home"), **more}
    return subprocess.run(args, cwd=work, env=environ, capture_output=True, text=True, check=False)


def test_the_gate_does_not_take_a_missing_folder_for_a_clean_one(work: Path) -> None:
    (work / "definitions").rename(work / "elsewhere")
    ran = run(work, "sh", "gate.sh")
    assert ran.returncode == 2
    assert "exit 5" in ran.stderr


def test_the_settings_of_the_page_are_read(work: Path) -> None:
    (work / "mqtriage.toml").write_text(BLOCKS["file", "mqtriage.toml"])
    ran = run(work, "mqtriage", "lint", "definitions", "--format", "ids")
    assert ran.stdout == "BKO001\n"
    assert ran.returncode == 4


(STRICT_LINE,) = re.findall(r"^mqtriage (lint .*--fail-on info)", PAGE, re.MULTILINE)
STRICT = STRICT_LINE.split()
(STRICT_SETTINGS,) = re.findall(r"^\[lint\.severity\]\nBKO = .*?(?=^```)", PAGE, re.M | re.S)
RIGHT = "DEFINE QLOCAL(PAY.IN) BOTHRESH(3) BOQNAME(PAY.BO)"


@pytest.mark.parametrize("form", ["command", "settings"])
@pytest.mark.parametrize(
    ("queue", "code"),
    [
        pytest.param(RIGHT, 0, id="right"),
        pytest.param("DEFINE QLOCAL(PAY.IN) BOTHRESH(3) BOQNAME(PAY.BOO)", 4, id="mistyped"),
        pytest.param("DEFINE QLOCAL(PAY.IN) BOTHRESH(3) BOQNAME(PAY.IN)", 4, id="itself"),
        pytest.param("DEFINE QLOCAL(PAY.IN) BOTHRESH(3)", 4, id="no-queue"),
        pytest.param("DEFINE QLOCAL(PAY.IN) BOTHRESH(0) BOQNAME(PAY.BO)", 4, id="threshold-0"),
        pytest.param("DEFINE QLOCAL(PAY.IN)", 4, id="neither"),
        pytest.param(RIGHT.replace("3", "three"), 4, id="no-number"),
        pytest.param(RIGHT.replace("3", "-1"), 4, id="below-0"),
        pytest.param(RIGHT.replace("3", "1000000000"), 4, id="too-high"),
        pytest.param(RIGHT.replace("PAY.BO", 49 * "B"), 4, id="too-long"),
        pytest.param(RIGHT.replace("DEFINE", "DEFIN"), 4, id="verb"),
        pytest.param(RIGHT.removesuffix(")"), 4, id="not-closed"),
    ],
)
@pytest.mark.slow
def test_the_strict_gate_fails_for_missing_and_for_wrong_backout_attributes(
    work: Path, queue: str, code: int, form: str
) -> None:
    (work / ORDERS).write_text(f"DEFINE QLOCAL(PAY.BO)\n{queue}\n")
    if form == "settings":
        (work / "mqtriage.toml").write_text(STRICT_SETTINGS)
    ran = run(work, "mqtriage", *(STRICT if form == "command" else ["lint", "definitions"]))
    assert ran.returncode == code, ran.stdout
    assert bool(re.search("BKO0|MQSC00[12]", ran.stdout)) == (code == 4)


def test_the_strict_gate_checks_altered_queues_of_a_whole_queue_manager(work: Path) -> None:
    (work / ORDERS).write_text("ALTER QLOCAL(PAY.IN) BOTHRESH(3) BOQNAME(PAY.BOO)\n")
    ran = run(work, "mqtriage", *STRICT, "--whole")
    assert (ran.returncode, "BKO003" in ran.stdout) == (4, True)


def read_yaml(name: str) -> Any:
    return module("yaml", "pre-commit").safe_load((ROOT / name).read_text("utf-8"))


def lines_of_action() -> list[str]:
    action = read_yaml(".github/actions/lint/action.yml")
    assert action["inputs"]["fail-on"]["default"] == ""
    return [action["runs"]["steps"][-1]["run"]]


def lines_of_job() -> list[str]:
    job = read_yaml(".gitlab/lint.yml")["mqtriage-lint"]
    assert "LINT_FAIL_ON" not in job["variables"]
    lines: list[str] = job["script"]
    return [line for line in lines if line.startswith("mqtriage lint")]


@pytest.mark.parametrize(
    ("lines", "variables"),
    [
        pytest.param(lines_of_action, ("PATHS", "FAIL_ON"), id="action"),
        pytest.param(lines_of_job, ("LINT_PATHS", "LINT_FAIL_ON"), id="job"),
    ],
)
@pytest.mark.slow
def test_fail_on_of_the_settings_counts_in_ci_unless_the_service_sets_it(
    work: Path, lines: Callable[[], list[str]], variables: tuple[str, str]
) -> None:
    paths, fail_on = variables

    def code(**more: str) -> int:
        script = "\n".join(lines())
        return run(
            work, "sh", "-e", "-c", script, **{paths: "definitions", "SARIF": "out.sarif"}, **more
        ).returncode

    (work / ORDERS).write_text("DEFINE QLOCAL(PAY.IN)\n")  # an info
    assert [code(), code(**{fail_on: ""}), code(**{fail_on: "info"})] == [0, 0, 4]
    (work / "mqtriage.toml").write_text('[lint]\nfail-on = "info"\n')
    assert [code(), code(**{fail_on: ""}), code(**{fail_on: "error"})] == [4, 4, 0]


STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"


@pytest.mark.parametrize(
    ("code", "line", "exit_code"),
    [
        ("OPS001", "ALTER QMGR MAXMSGL(4194304)", 4),
        ("OPS001", "ALTER QMGR DEADQ(DLQ)", 0),
        ("OPS002", f"ALTER QLOCAL({STAGING}) DESCR('delays')", 4),
        ("OPS002", f"DEFINE QLOCAL({STAGING}) REPLACE MAXDEPTH(5000)", 4),
        ("OPS002", f"DEFINE QLOCAL({STAGING}) REPLACE MAXDEPTH(100000)", 0),
    ],
)
@pytest.mark.slow
def test_the_rules_of_the_page_require_an_attribute_that_a_script_leaves_out(
    work: Path, code: str, line: str, exit_code: int
) -> None:
    (rule,) = re.findall(rf'^```toml\n(\[\[rule\]\]\nid = "{code}".*?)```', PAGE, re.M | re.S)
    (work / "mqtriage.toml").write_text(rule)
    (work / ORDERS).write_text(f"{line}\n")
    assert run(work, "mqtriage", "lint", "mqtriage.toml").returncode == 0
    ran = run(work, "mqtriage", "lint", "definitions", "--select", code)
    assert ran.returncode == exit_code, ran.stdout


@pytest.mark.parametrize(
    ("code", "sets", "leaves_out"),
    [
        ("OPS001", "ALTER QMGR DEADQ(DLQ)", "ALTER QMGR MAXMSGL(4194304)"),
        (
            "OPS002",
            f"ALTER QLOCAL({STAGING}) MAXDEPTH(100000)",
            f"ALTER QLOCAL({STAGING}) DESCR('x')",
        ),
    ],
)
@pytest.mark.slow
def test_the_rules_of_the_page_check_the_result_of_all_scripts_in_a_folder(
    work: Path, code: str, sets: str, leaves_out: str
) -> None:
    (rule,) = re.findall(rf'^```toml\n(\[\[rule\]\]\nid = "{code}".*?)```', PAGE, re.M | re.S)
    (work / "mqtriage.toml").write_text(rule)
    (work / ORDERS).write_text(f"{leaves_out}\n")
    assert run(work, "mqtriage", "lint", "definitions", "--select", code).returncode == 4
    (work / ORDERS).with_name("staging.mqsc").write_text(f"{sets}\n")
    assert run(work, "mqtriage", "lint", "definitions", "--select", code).returncode == 0


def test_bko021_reports_only_queues_that_no_script_of_the_folder_defines(work: Path) -> None:
    (work / ORDERS).write_text("DEFINE QLOCAL(HERE)\n")
    (work / ORDERS).with_name("more.mqsc").write_text(
        "ALTER QLOCAL(HERE) BOTHRESH(3)\nALTER QLOCAL(ELSEWHERE) BOTHRESH(3)\n"
    )
    ran = run(work, "mqtriage", "lint", "definitions", "--select", "BKO021", "-o", "csv")
    assert "ELSEWHERE" in ran.stdout
    assert ",HERE," not in ran.stdout
