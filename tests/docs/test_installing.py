"""Nobody is told to install mqtriage from a package index: there its name is free to take."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.model.installing import install_command
from tests.support.tools import module

yaml = module("yaml", "pre-commit")

ROOT = Path(__file__).parent.parent.parent
INSTALLERS = re.compile(
    r"\b(?:pip3?|pipx|uv|uvx|conda|mamba|poetry|pdm|hatch|rye|brew|apt|apt-get|dnf|yum)\s+(.*)"
)
NAME = re.compile(r"mqtriage(?:\[.*)?(?:[=<>~!@].*)?")
"""The name as a requirement that an installer looks up; a path or an address is something else."""
ENDS = frozenset(("in", "and", "or", "which", "brings", "with", "&&", "||", "|", ";"))
"""Words that end a command line in a text."""
ENTRY = re.compile(
    r"^\s*(?:-\s+|[A-Z_]+: *)?['\"]?mqtriage(?:\[[\w,-]+\]|[=<>~!]=?.*)", re.MULTILINE
)
"""A line of a file of requirements, of YAML or of TOML."""


def looked_up(text: str) -> Iterator[str]:
    """The lines by which an installer would look for mqtriage on an index."""
    text = "\n".join(line for line in text.splitlines() if "mqtriage" in line)
    for command in INSTALLERS.finditer(text):
        for word in command[1].split():
            if word in ENDS:
                break
            if NAME.fullmatch(word.strip("`'\",.;:()*")):
                yield command[0]
            if word.endswith(("`", ")", ";")):
                break
    yield from (entry[0].strip() for entry in ENTRY.finditer(text))
    yield from re.findall(r".*(?:(?<![\w/.])|(?<=\\\(aq))mqtriage\[[a-z]{2}[\w,-]*\].*", text)
    yield from re.findall(r"_INSTALL\w*: *mqtriage\b.*", text)


@pytest.mark.parametrize(
    ("text", "is_looked_up"),
    [
        ("Run `pip install mqtriage` first.", True),
        ("pip install --quiet 'mqtriage[lsp]'", True),
        ("python -m pip install -U mqtriage==1.0", True),
        ("uvx mqtriage lint", True),
        ("pipx run mqtriage", True),
        ("  LINT_INSTALL: mqtriage", True),
        ("mqtriage>=1", True),
        ("It needs mqtriage[spark].", True),
        (r"\(aqmqtriage[lsp]\(aq brings", True),
        ("pip install '.[lsp]' in your mqtriage checkout", False),
        ("pip install git+https://git.example.com/OWNER/mqtriage@main", False),
        ("pip install '/opt/mqtriage[ibmmq]'", False),
        ("mqtriage emulator run QM1 -- python prog.py", False),
    ],
)
def test_what_looks_on_an_index(text: str, is_looked_up: bool) -> None:
    assert bool(list(looked_up(text))) is is_looked_up


@pytest.mark.slow
def test_no_file_says_to_install_it_from_an_index() -> None:
    """Every file of the repository but CHANGELOG.md, which says what was, and this one."""
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    lines: list[str] = []
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if (
            path.is_symlink()
            or not path.is_file()
            or path.name in ("CHANGELOG.md", Path(__file__).name)
        ):
            continue
        text = path.read_text("utf-8", errors="replace")
        if name == "pyproject.toml":  # its extras have others of its extras: those of the project
            text = re.sub(r'"mqtriage\[[a-z,-]+\]"', "", text)
        lines += [f"{name}: {line}" for line in looked_up(text)]
    assert lines == []


def test_one_place_says_where_it_is_installed_from() -> None:
    rooms = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    folders = rooms["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    texts = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for folder in folders
        if folder != "src/mqtriage"  # links to the others
        for path in (ROOT / folder).rglob("*.py")
    }
    assert texts
    places = [name for name, text in texts.items() if re.search(r"pip install\s+'?\.", text)]
    assert sorted(places) == ["cli/lsp.py", "cli/mcp.py", "model/installing.py"]
    for extra in ("lsp", "mcp"):
        assert install_command(extra) in " ".join(texts[f"cli/{extra}.py"].split())


def test_the_job_of_gitlab_installs_nothing_unless_it_is_said_what() -> None:
    (job,) = yaml.safe_load((ROOT / ".gitlab" / "lint.yml").read_text("utf-8")).values()
    assert "LINT_INSTALL" not in job["variables"]
    ran = subprocess.run(
        ("bash", "-eo", "pipefail", "-c", "\n".join(job["script"])),
        check=False, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert (ran.returncode, ran.stdout.partition(":")[0]) == (2, "LINT_INSTALL is not set")
