"""The release: sdist and wheel are built and checked, the wheel is used where nothing else is.

pip gets what both need from the package index; where that cannot be reached, the tests skip and
say so.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from mqtriage import __version__
from mqtriage.definitions.lint.pages import NO_ADDRESS
from tests.support.pages import blocks_of
from tests.support.tools import module, reach_package_index

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


class Release(NamedTuple):
    """What scripts/make_release.sh has written, and what it printed."""

    wheel: Path
    sdist: Path
    output: str


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    for name in ("build", "twine", "check_wheel_contents"):
        module(name, "build")
    reach_package_index()
    folder = tmp_path_factory.mktemp("release")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        (ROOT / "scripts" / "make_release.sh", folder),
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Release(wheel, sdist, re.sub(r"\x1b\[[\d;]*m", "", process.stdout))


def wheel_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(files.read(name))


@pytest.mark.slow
def test_sdist_and_wheel_pass_the_checks_of_package_indexes(release: Release) -> None:
    passed = [line for line in release.output.splitlines() if line.endswith((": PASSED", ": OK"))]
    assert len(passed) == 3, release.output
    assert release.wheel.name == f"mqtriage-{__version__}-py3-none-any.whl"
    assert release.sdist.name == f"mqtriage-{__version__}.tar.gz"


@pytest.mark.slow
def test_the_metadata_says_what_it_is_whose_it_is_and_where_it_is(release: Release) -> None:
    about = wheel_metadata(release.wheel)
    assert about["Version"] == __version__
    assert about["Author"] == "the mqtriage developers"
    assert about["License-Expression"] == "Apache-2.0"
    labels = {line.partition(",")[0] for line in about.get_all("Project-URL", [])}
    assert labels == {"Homepage", "Documentation", "Changelog", "Issues", "Source"}
    assert any(line.startswith("Development Status") for line in about.get_all("Classifier", []))
    assert about.get_payload() == (ROOT / "README.md").read_text("utf-8")


def test_project_urls_and_rule_pages_name_the_same_host() -> None:
    hosts = {urlsplit(address).hostname for address in PROJECT["urls"].values()}
    assert hosts == {urlsplit(NO_ADDRESS).hostname}


def test_the_version_is_in_one_place() -> None:
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    spelled = f'"{__version__}"'
    code = {
        str(path.relative_to(ROOT))
        for room in PROJECT_ROOMS
        for path in (ROOT / room).rglob("*.py")
        if spelled in path.read_text("utf-8")
    }
    assert code == {"src/mqtriage/__init__.py"}


PROJECT_ROOMS = (
    "src",
    "scripts",
    *(path.name for path in (ROOT / "src/mqtriage").iterdir() if path.is_symlink()),
)


@pytest.mark.slow
def test_the_sdist_has_the_tests_and_nothing_of_this_machine(release: Release) -> None:
    with tarfile.open(release.sdist) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"tests/test_release.py", "docs/architecture.md", "man/mqtriage.1", "Makefile"} <= names
    assert not {name for name in names if name.startswith((".venv/", ".git/", "dist/", "build/"))}


@pytest.fixture(scope="module")
def installed(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment with the wheel and what pip brings along with it."""
    folder = tmp_path_factory.mktemp("environment")
    # this pip installs there: unpacking another one takes longer
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", folder), check=True)
    # most of what comes along is not imported, and so not worth compiling
    pip = (sys.executable, "-m", "pip", "--python", folder, "install", "--quiet", "--no-compile")
    subprocess.run((*pip, release.wheel), check=True, capture_output=True, timeout=600)
    return folder


@pytest.mark.slow
def test_the_readme_works_after_pip_install_alone(installed: Path, tmp_path: Path) -> None:
    """In an empty folder: what a command needs came with the wheel or from a command before it."""
    work = tmp_path / "work"
    work.mkdir()
    environ = {
        "PATH": f"{installed / 'bin'}{os.pathsep}{os.defpath}",
        "HOME": str(tmp_path),
        "MQTRIAGE_HOME": str(tmp_path / "home"),
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ("mqtriage", *words),
            cwd=work,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    assert run("version").stdout.split()[1] == __version__
    first = next(
        block
        for block in blocks_of("README.md", (ROOT / "README.md").read_text("utf-8"))
        if block.language == "sh" and not block.not_run
    )
    for line in first.text.splitlines():
        process = run(*shlex.split(line, comments=True)[1:])
        assert process.returncode == 0, (line, process.stdout, process.stderr)
    assert (installed / "share" / "man" / "man1" / "mqtriage.1").is_file()
