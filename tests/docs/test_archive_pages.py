"""docs/archives.md names every command of `archive`."""

from __future__ import annotations

import re
from pathlib import Path

from mqtriage.cli.frame.tree import GROUPS

PAGE = (Path(__file__).parents[2] / "docs" / "archives.md").read_text("utf-8")


def test_every_command_of_archive_is_in_the_table() -> None:
    named = re.findall(r"^\| `archive (\w+)", PAGE, re.MULTILINE)
    assert list(dict.fromkeys(named)) == list(GROUPS["archive"].verbs)
