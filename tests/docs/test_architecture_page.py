"""docs/architecture.md: the drawing of the rooms is that of the imports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.test_man import script

rooms: Any = script("make_rooms")


@pytest.mark.slow
def test_the_drawing_is_not_stale() -> None:
    """If this fails: run scripts/make_rooms.py and commit what it wrote."""
    assert rooms.PAGE.read_text("utf-8") == rooms.page_text()


def test_a_room_with_no_room_below_it_has_no_column() -> None:
    *_, lowest = rooms.drawing(["mqtriage.cli", "mqtriage.formatters", "mqtriage.mq"]).splitlines()
    assert lowest.split()[:3] == ["mq/", "●", "●"]
