"""docs/snapshots.md has every column of the schema, as the schema says."""

from __future__ import annotations

from typing import Any

from tests.docs.test_man import script

made: Any = script("make_snapshot_page")


def test_the_page_has_the_tables_of_the_schema() -> None:
    """If this fails: run scripts/make_snapshot_page.py and commit what it wrote."""
    text = made.PAGE.read_text("utf-8")
    assert made.page(text) == text
