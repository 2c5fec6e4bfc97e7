"""docs/snapshots.md, docs/logs.md and docs/results.md have every column of their schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_man import script

generator: Any = script("make_snapshot_page")


@pytest.mark.parametrize("path", generator.PAGES, ids=lambda path: path.name)
def test_the_page_has_the_tables_of_the_schema(path: Path) -> None:
    """If this fails: run scripts/make_snapshot_page.py and commit what it wrote."""
    text = path.read_text("utf-8")
    assert generator.page(text, generator.PAGES[path]) == text
