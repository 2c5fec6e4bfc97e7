"""docs/ci.md: its files are written, its scripts are run, and they print what the page shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.formatters.reports.sarif_subset import problems

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
    for name in (ORDERS, "gate.sh", "mend.sh"):
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


@pytest.mark.seed("CARD-30")
def test_the_gate_fails_a_bad_pull_request_and_passes_the_mended_one(work: Path) -> None:
    before = run(work, "sh", "gate.sh")
    assert before.returncode == 1, before.stderr
    assert before.stdout.split() == BLOCKS["output", "gate.sh"].split()
    assert "BKO001" in (work / "lint.xml").read_text()
    assert run(work, "sh", "mend.sh").returncode == 0
    assert (work / ORDERS).read_text() == BLOCKS["after", ORDERS]
    after = run(work, "sh", "gate.sh")
    assert (after.returncode, after.stdout) == (0, "definitions are clean\n")


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


WORKFLOW = ".github/workflows/definitions.yml"
ACTION = ROOT / ".github" / "actions" / "lint" / "action.yml"


def steps(workflow: str) -> list[dict[str, str]]:
    """The steps of a workflow: their own keys, and those under `with:`."""
    parts = re.split(r"^      - ", workflow, flags=re.MULTILINE)[1:]
    return [
        {key: value.strip('"') for key, value in re.findall(r"([\w-]+): *(\S.*)?$", part, re.M)}
        for part in parts
    ]


def run_job(work: Path) -> tuple[int, str]:
    """What a runner makes of the page's workflow: exit code and log of the lint job.

    The steps of others (checkout, Python, upload) are only looked at; the composite action of this
    repository is run as a runner runs it, with its inputs and their defaults.
    """
    action = ACTION.read_text("utf-8")
    code, log, ran = 0, "", False
    for step in steps(BLOCKS["file", WORKFLOW]):
        if "/.github/actions/lint@" not in step.get("uses", ""):
            if "upload-sarif" in step.get("uses", ""):
                assert step["if"] == "always()"
                assert (work / step["sarif_file"]).is_file()
            continue
        ran = True
        inputs = re.findall(r"^  ([\w-]+):\n(?:    .*\n)*", action.partition("runs:")[0], re.M)
        defaults = dict(re.findall(r"^  ([\w-]+):\n.*\n    default: (.*)$", action, re.M))
        given = {**defaults, **{name: step[name] for name in inputs if name in step}}
        names = dict(re.findall(r"^ +([A-Z_]+): \$\{\{ inputs\.([\w-]+) \}\}$", action, re.M))
        script = action.partition("run: |\n")[2]
        environ = {variable: given[name] for variable, name in names.items()}
        done = run(work, "sh", "-e", "-c", script, **environ)
        code, log = done.returncode, done.stdout
    assert ran, "the workflow uses the action"
    return code, log


@pytest.mark.seed("CARD-30")
def test_the_workflow_fails_a_bad_pull_request_with_sarif_and_passes_the_mended_one(
    work: Path,
) -> None:
    code, log = run_job(work)
    assert code == 4
    errors = [line for line in log.splitlines() if line.startswith("::error")]
    assert errors == BLOCKS["output", WORKFLOW].splitlines()
    document = json.loads((work / "definitions.sarif").read_text())
    assert problems(document) == []
    (result,) = [r for r in document["runs"][0]["results"] if r["level"] == "error"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["artifactLocation"]["uri"]) == ("BKO001", ORDERS)
    assert place["region"]["startLine"] == 2
    assert run(work, "sh", "mend.sh").returncode == 0
    assert run_job(work)[0] == 0
    assert json.loads((work / "definitions.sarif").read_text())["runs"][0]["results"]


def test_the_hook_runs_on_the_files_that_its_pattern_takes(work: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    hook = dict(re.findall(r"^[- ] (\w+): (.+)$", text, re.MULTILINE))
    assert re.search(hook["files"], ORDERS)
    assert not re.search(hook["files"], "README.md")
    assert run(work, *hook["entry"].split(), ORDERS).returncode == 4
