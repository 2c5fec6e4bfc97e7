"""docs/monitoring.md names every check."""

from __future__ import annotations

import re
from pathlib import Path

from mqtriage.cli.frame.tree import GROUPS

PAGE = (Path(__file__).parents[2] / "docs" / "monitoring.md").read_text("utf-8")


def test_every_check_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `check (\w+)", PAGE, re.MULTILINE)) == set(GROUPS["check"].verbs)
