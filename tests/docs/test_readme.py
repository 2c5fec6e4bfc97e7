"""The README names its version, and docs/README.md every group, command and page."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from mqtriage import __version__
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from tests.docs.test_man import script

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


@pytest.mark.slow
def test_the_picture_of_a_session_shows_what_the_commands_print_today(tmp_path: Path) -> None:
    make_picture = script("make_picture")
    make_picture.draw(make_picture.session(), tmp_path / "session.svg")
    assert shown(tmp_path / "session.svg") == shown(make_picture.PICTURE)


def shown(picture: Path) -> list[str]:
    """The words of a picture, but ids and times."""
    texts = re.findall(r">([^<>]+)</text>", picture.read_text("utf-8"))
    words = " ".join(html.unescape(text) for text in texts).split()
    return [re.sub(r"[0-9A-F]*\d[0-9A-Z]*", "N", word) for word in words]


def test_the_columns_of_the_pages_are_json_keys_so_that_a_script_can_copy_them() -> None:
    keys = json.loads((ROOT / "scripts" / "json_keys.json").read_text("utf-8"))
    seen = 0
    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        for line in page.read_text("utf-8").splitlines():
            words = line.partition("mqtriage ")[2].split()
            verb = " ".join(words[:2])
            if "--columns" in words and verb in keys and verb != "dlq rules":  # on an archive
                columns = words[words.index("--columns") + 1].split(",")
                own = {column for column in columns if "." not in column}
                assert own <= {*keys[verb]["keys"]}, f"{page.name}: {line}"
                seen += 1
    assert seen > 10
