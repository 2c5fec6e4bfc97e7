"""docs/ci.md on CI services: its action, job and hooks are installed by pip and run as there.

The repository as it stands becomes a repository of its own, and git is told that its address is
the one of the page: nothing of the page is changed for the tests. pip gets what it needs from the
package index; where that cannot be reached, the tests skip and say so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from tests.docs.test_ci import BLOCKS, ORDERS, ROOT
from tests.support.tools import module, reach_package_index
from tests.unit.formatters.reports.sarif_subset import problems

yaml = module("yaml", "pre-commit")
module("pre_commit", "pre-commit")

pytestmark = pytest.mark.slow

WORKFLOW = ".github/workflows/definitions.yml"
JOB = ".gitlab-ci.yml"
HOOKS = ".pre-commit-config.yaml"
BAD = BLOCKS["file", ORDERS]
GOOD = BLOCKS["after", ORDERS]
ADDRESS = "https://git.example.com/OWNER/mqtriage"


class Service(NamedTuple):
    """A machine of a CI service.

    Attributes:
        repository: this one, as others get it by git.
        environ: a Python with pip and without mqtriage is first on PATH; git knows the addresses.
    """

    repository: Path
    environ: Mapping[str, str]

    def run(self, *words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=cwd,
            env={**self.environ, **more},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )


def as_repository(folder: Path) -> None:
    """What git knows of this checkout, changes included, as the first commit of another one."""
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=as it stands")
    git(folder, "tag", "v0.1.0")


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    top = tmp_path_factory.mktemp("service")
    repository = top / "repository"
    repository.mkdir()
    as_repository(repository)
    # virtualenv, which pre-commit brings, has pip unpacked already
    subprocess.run((sys.executable, "-m", "virtualenv", "--quiet", top / "venv"), check=True)
    environ = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("MQTRIAGE_", "GIT_"))},
        "PATH": f"{top / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "MQTRIAGE_HOME": str(top / "home"),
        "PRE_COMMIT_HOME": str(top / "pre-commit"),
        "PIP_NO_COMPILE": "1",  # most of what is installed is not imported
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": ADDRESS,
    }
    reach_package_index(str(top / "venv" / "bin" / "python"), environ)
    return Service(repository, environ)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The checkout of a user, with the script of the page."""
    folder = tmp_path / "work"
    (folder / ORDERS).parent.mkdir(parents=True)
    (folder / ORDERS).write_text(BAD, "utf-8")
    git(folder, "init", "--quiet")
    return folder


# GitHub ---------------------------------------------------------------------------------------


def filled(text: str, inputs: Mapping[str, str]) -> str:
    """An expression of an action in its value; only inputs are known here."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)


def run_action(
    service: Service, work: Path, step: Mapping[str, Any], *, first_step: int = 0
) -> tuple[int, str]:
    """Run a composite action as the runner does: its steps in order, until one fails.

    The first step installs; a test that has let it run before need not wait for it again.

    Source: GitHub documentation, "Metadata syntax for GitHub Actions", runs for composite actions.
    """
    where = step["uses"].removeprefix("OWNER/mqtriage/").partition("@")[0]
    action = yaml.safe_load((service.repository / where / "action.yml").read_text("utf-8"))
    assert {"name", "description", "runs"} <= set(action)
    assert action["runs"]["using"] == "composite"
    given = step["with"]
    assert set(given) <= set(action["inputs"])
    needed = {name for name, about in action["inputs"].items() if about.get("required")}
    assert needed <= set(given)
    inputs = {name: about.get("default", "") for name, about in action["inputs"].items()} | given
    log = ""
    for part in action["runs"]["steps"][first_step:]:
        assert part["shell"] == "sh", "each step of a composite action names its shell"
        environ = {name: filled(value, inputs) for name, value in part.get("env", {}).items()}
        assert "${{" not in part["run"], "an input in a script is run as code"
        environ["GITHUB_ACTION_PATH"] = str(service.repository / where)
        done = service.run("sh", "-e", "-c", part["run"], cwd=work, **environ)
        log += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, log
    return 0, log


def run_workflow(service: Service, work: Path, *, first_step: int = 0) -> tuple[int, str]:
    """The job of the page's workflow; steps of others (checkout, Python, upload) are looked at."""
    (job,) = yaml.safe_load(BLOCKS["file", WORKFLOW])["jobs"].values()
    code, log, ran = 0, "", 0
    for step in job["steps"]:
        uses = step["uses"]
        if uses.startswith("OWNER/mqtriage/"):
            code, log = run_action(service, work, step, first_step=first_step)
            ran += 1
        elif "upload-sarif" in uses:
            assert step["if"] == "always()"
            assert (work / step["with"]["sarif_file"]).is_file(), log
    assert ran == 1
    return code, log


@pytest.mark.seed("CARD-30")
def test_the_workflow_fails_a_bad_pull_request_with_sarif_and_passes_the_mended_one(
    service: Service, work: Path
) -> None:
    code, log = run_workflow(service, work)
    assert code == 4, log
    errors = [line for line in log.splitlines() if line.startswith("::error")]
    assert errors == BLOCKS["output", WORKFLOW].splitlines()
    document = json.loads((work / "definitions.sarif").read_text("utf-8"))
    assert problems(document) == []
    (result,) = [r for r in document["runs"][0]["results"] if r["level"] == "error"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["artifactLocation"]["uri"]) == ("BKO001", ORDERS)
    assert place["region"]["startLine"] == 2
    (work / ORDERS).write_text(GOOD, "utf-8")
    code, log = run_workflow(service, work, first_step=1)
    assert (code, [line for line in log.splitlines() if line.startswith("::error")]) == (0, [])
    assert json.loads((work / "definitions.sarif").read_text("utf-8"))["runs"][0]["results"]
    # a folder that is missing is no clean bill
    shutil.rmtree(work / "definitions")
    code, log = run_workflow(service, work, first_step=1)
    assert code == 5
    assert "definitions: no such file or folder" in log


@pytest.mark.parametrize(
    "installs",
    [pytest.param(True, id="as-it-installs", marks=pytest.mark.long),
     pytest.param(False, id="installed")],
)  # fmt: skip
def test_the_workflow_of_the_java_page_installs_before_maven_runs(
    service: Service, work: Path, tmp_path: Path, installs: bool
) -> None:
    """Its steps in order, with a Maven that only needs mqtriage and a readable key.

    What pip installs for it every day is what it installs for the action and, from the
    repository's address, for the hooks; that it is asked to is seen here.
    """
    page = (ROOT / "docs" / "java.md").read_text("utf-8")
    (text,) = re.findall(r"```yaml file=\S+/java\.yml\n(.*?)```", page, re.DOTALL)
    workflow = yaml.safe_load(text)
    (job,) = workflow["jobs"].values()
    uses = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
    assert uses == ["actions/checkout", "actions/setup-java", "actions/setup-python"]
    key = work / "key.pem"
    key.touch(0o644)
    tools = tmp_path / "tools"
    tools.mkdir()
    scripts = {"mvn": "echo mvn $*\nmqtriage version\n"}
    if not installs:
        installed(service)
        scripts["python"] = f'echo "python $*" > {tmp_path}/asked\n'
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{service.environ['PATH']}"
    for step in job["steps"]:
        if "run" in step:
            assert installs or "mvn" not in step["run"] or (tmp_path / "asked").is_file()
            words = ("bash", "-e", "-c", step["run"])
            done = service.run(*words, cwd=work, **workflow["env"], PATH=path)
            assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mvn --batch-mode verify\nmqtriage ")
    assert key.stat().st_mode & 0o077 == 0
    if not installs:
        asked = (tmp_path / "asked").read_text("utf-8")
        assert asked == f"python -m pip install --quiet git+{ADDRESS}@main\n"


# GitLab ---------------------------------------------------------------------------------------


def job_of(service: Service) -> dict[str, Any]:
    """The job of the page over that of the template, merged as GitLab merges an include.

    Source: GitLab documentation, "Use CI/CD configuration from other files", merge method.
    """

    def merged(below: Any, above: Any) -> Any:
        if isinstance(below, dict) and isinstance(above, dict):
            return {**below, **{k: merged(below.get(k), v) for k, v in above.items()}}
        return above

    page = yaml.safe_load(BLOCKS["file", JOB])
    (include,) = page.pop("include")
    assert include["file"].startswith("/")
    template = yaml.safe_load((service.repository / include["file"][1:]).read_text("utf-8"))
    (job,) = merged(template, page).values()
    assert isinstance(job, dict)
    return job


def run_job(
    service: Service, work: Path, *, first_line: int = 0
) -> subprocess.CompletedProcess[str]:
    """The script of the job, in the shell of GitLab's Docker executor: it ends at what fails."""
    job = job_of(service)
    script = "\n".join(job["script"][first_line:])
    return service.run("bash", "-eo", "pipefail", "-c", script, cwd=work, **job["variables"])


def installed(service: Service) -> None:
    """See that mqtriage is there, as the action installs it, unless it was installed already."""
    if service.run("sh", "-c", "command -v mqtriage", cwd=service.repository).returncode:
        words = ("python", "-m", "pip", "install", "--quiet", str(service.repository))
        done = service.run(*words, cwd=service.repository)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "first_line",
    [pytest.param(0, id="as-it-installs", marks=pytest.mark.long), pytest.param(1, id="installed")],
)
def test_the_gitlab_job_fails_a_bad_merge_request_and_leaves_its_reports(
    service: Service, work: Path, first_line: int
) -> None:
    """What pip installs for it every day is what it installs for the action and the hooks."""
    if first_line:
        installed(service)
    done = run_job(service, work, first_line=first_line)
    assert done.returncode == 4, done.stderr
    assert done.stdout.split() == BLOCKS["output", JOB].split()
    reports = job_of(service)["artifacts"]["reports"]
    assert job_of(service)["artifacts"]["when"] == "always"
    quality = json.loads((work / reports["codequality"]).read_text("utf-8"))
    assert [(q["check_name"], q["location"]["path"]) for q in quality][:1] == [("BKO001", ORDERS)]
    suite = ElementTree.parse(work / reports["junit"]).getroot()
    assert suite.get("failures") == "1"
    (work / ORDERS).write_text(GOOD, "utf-8")
    again = run_job(service, work, first_line=1)
    assert again.returncode == 0, again.stderr


# pre-commit -----------------------------------------------------------------------------------


def run_hooks(service: Service, work: Path, *words: str) -> subprocess.CompletedProcess[str]:
    git(work, "add", "--all")
    python = str(Path(sys.executable))
    return service.run(python, "-m", "pre_commit", *words, cwd=work)


def test_the_hooks_of_the_page_format_and_check_what_is_committed(
    service: Service, work: Path
) -> None:
    (work / HOOKS).write_text(BLOCKS["file", HOOKS], "utf-8")
    (work / "README.md").write_text("DEFINE QLOCAL(A) BOTHRESH(3)\n", "utf-8")
    (work / ORDERS).write_text(BAD.replace("DEFINE QLOCAL", "def ql"), "utf-8")
    first = run_hooks(service, work, "run")
    assert first.returncode == 1, first.stdout + first.stderr
    assert re.findall(r"^(\S.*?)\.{3,}(\w+)$", first.stdout, re.MULTILINE) == [
        ("format MQSC definitions", "Failed"),
        ("check MQSC definitions", "Failed"),
    ]
    assert "files were modified by this hook" in first.stdout
    assert (work / ORDERS).read_text("utf-8") == BAD
    assert "BKO001" in first.stdout
    assert "README.md" not in first.stdout
    (work / ORDERS).write_text(GOOD, "utf-8")
    second = run_hooks(service, work, "run")
    assert second.returncode == 0, second.stdout + second.stderr


@pytest.mark.long
def test_try_repo_finds_both_hooks(service: Service, work: Path) -> None:
    repository = str(service.repository)
    ran = run_hooks(service, work, "try-repo", repository, "--files", ORDERS, "--verbose")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert re.findall(r"^- hook id: (\S+)$", ran.stdout, re.MULTILINE) == [
        "mqtriage-fmt",
        "mqtriage-lint",
    ]
    assert "exit code: 4" in ran.stdout
