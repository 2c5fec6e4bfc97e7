"""docs/java.md: its project is green as printed, and its table is that of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jms import table
from tests.support.ibm_java import NEWEST, need

TEXT = table.PAGE.read_text("utf-8")
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", TEXT, re.DOTALL))


@pytest.mark.slow
def test_the_project_is_green_as_it_is_printed(tmp_path: Path) -> None:
    need()
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["mvn", "-B", "-ntp", "test"], cwd=tmp_path, env=dict(os.environ) | {"PATH": commands},
        capture_output=True, text=True, timeout=540, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in ran.stdout


def test_the_table_has_every_test_and_each_passed_with_the_newest_clients() -> None:
    """If this fails: run `pytest tests/jms --update-golden` with the clients."""
    rows = table.cells(TEXT)
    newest = table.CLIENTS.index(NEWEST[0].name)
    for _, _, name in table.tests():
        row = rows[table.sentence(name)]
        assert set(row) <= {"ok", "-"}, name
        assert row[newest:] == ["ok"] * len(row[newest:]), name
