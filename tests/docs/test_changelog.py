"""The changelog: the section of this version, and the files of what comes after it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqtriage import __version__
from tests.docs.test_man import make_man, script

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CHANGELOG.md").read_text("utf-8")

make_changelog = script("make_changelog")


def test_the_newest_section_is_of_this_version_and_dated_as_the_manual() -> None:
    heading = re.search(r"^## (\S+) - (\d{4}-\d\d-\d\d)$", TEXT, re.MULTILINE)
    assert heading is not None
    assert heading.groups() == (__version__, make_man.RELEASE_DATE)


def test_the_files_of_what_comes_after_are_named_as_they_should_be() -> None:
    make_changelog.section(make_changelog.fragments())


def test_a_release_moves_the_files_into_a_section_above_the_others(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("not a change")
    (tmp_path / "b.fixed.md").write_text("Two\nlines.\n")
    (tmp_path / "a.added.md").write_text("One.\n")
    text = make_changelog.released(
        "# Changelog\n\nWords.\n\n## 0.1.0 - 2026-11-23\n\n- Old.\n",
        "0.2.0",
        "2027-01-02",
        make_changelog.fragments(tmp_path),
    )
    assert text == (
        "# Changelog\n\nWords.\n\n## 0.2.0 - 2027-01-02\n\n### Added\n\n- One.\n\n"
        "### Fixed\n\n- Two\n  lines.\n\n## 0.1.0 - 2026-11-23\n\n- Old.\n"
    )


@pytest.mark.parametrize(
    ("name", "text"), [("a.md", "x"), ("a.news.md", "x"), ("a.fixed.txt", "x"), ("a.fixed.md", " ")]
)
def test_a_file_that_would_be_overlooked_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=re.escape(name)):
        make_changelog.fragments(tmp_path)
