"""The README names its version, and docs/README.md every group, command and page."""

from __future__ import annotations

import re
from pathlib import Path

from mqtriage import __version__
from mqtriage.cli.frame.tree import COMMANDS, GROUPS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
INDEX = (ROOT / "docs" / "README.md").read_text("utf-8")


def test_the_index_has_a_row_for_each_group_and_command() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", INDEX, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*GROUPS, *COMMANDS}


def test_the_index_has_a_row_for_each_page() -> None:
    pages = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}
    linked = set(re.findall(r"^\| \[.*?\]\((.*?\.md)\) \|", INDEX, re.MULTILINE))
    assert pages - {"README.md"} <= linked


def test_the_readme_is_of_this_version_and_a_hundred_lines() -> None:
    assert f"Version {__version__}" in README
    assert len(README.splitlines()) <= 120
