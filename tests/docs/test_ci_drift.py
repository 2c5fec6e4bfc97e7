"""docs/nightly-drift.md: a queue manager that cannot be asked is noticed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "nightly-drift.md").read_text("utf-8")
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL))


class Night:
    """A folder with the page's files, and two queue managers that are as the file says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        for name in ("definitions.mqsc", "nightly-drift.sh"):
            (self.folder / name).write_text(FILES[name])
        command = folder / "bin" / "mqtriage"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mqtriage "$@"\n')
        command.chmod(0o755)
        self.environ = {
            "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
            "MQTRIAGE_HOME": str(folder / "home"),
        }
        for name in ("QM1", "QM2"):
            self.run("mqtriage", "emulator", "create", name)
            self.run("mqtriage", "apply", "definitions.mqsc", "-m", name, "--yes")

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            args, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False
        )


@pytest.fixture
def night(tmp_path: Path) -> Night:
    return Night(tmp_path)


@pytest.mark.slow
def test_a_queue_manager_that_cannot_be_asked_is_no_night_without_drift(night: Night) -> None:
    assert night.run("mqtriage", "emulator", "stop", "QM2").returncode == 0
    ran = night.run("sh", "nightly-drift.sh")
    assert ran.returncode == 7
    assert "did not run, exit 7" in ran.stderr
