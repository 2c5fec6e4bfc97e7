"""docs/ci.md: the gate notices a missing folder, and the settings are read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
