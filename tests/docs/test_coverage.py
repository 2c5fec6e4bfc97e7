"""Every numbered statement is shown by a test or stands on a page; docs/emulator-coverage.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_man import script

coverage: Any = script("make_coverage")


def problems(*endings: str) -> list[str]:
    """The problems that have one of these words in them."""
    return [text for text in coverage.problems() if any(word in text for word in endings)]


def test_no_test_and_no_list_names_a_statement_that_there_is_not() -> None:
    assert problems("no such statement") == []


def test_what_a_page_must_hold_stands_on_that_page() -> None:
    assert problems(": not on man/") == []


def test_no_statement_with_a_test_is_still_waited_for() -> None:
    assert problems("still named as pending") == []


@pytest.mark.seed("CARD-13")
def test_every_statement_is_shown() -> None:
    """What is missing is listed; only what lives in a later issue may stand in seed_pending."""
    missing = problems("no test names it")
    assert missing == [], "\n".join(["", *missing])


def test_the_page_is_not_stale() -> None:
    """If this fails: run scripts/make_coverage.py and commit what it wrote."""
    assert coverage.PAGE.read_text("utf-8") == coverage.page_text()


LATER = range(3, 8)
ELSEWHERE = ("lint", "check", "revive", "extend", "purge", "pipeline", "backends")


def test_only_what_lives_in_a_later_issue_waits() -> None:
    lives_in = {each.id: each.lives_in for each in coverage.statements()}
    for seed, issue in coverage.pending().items():
        assert issue in LATER, seed
        assert any(word in lives_in[seed] for word in ELSEWHERE), (seed, lives_in[seed])


# the checks themselves ----------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of three statements, one contradiction, one test and one page."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "man").mkdir()
    (tmp_path / "tests" / "seed_ids.tsv").write_text(
        "id\tlives_in\nDD-1\temulator\nDD-2\tdoc: mqtriage-delay(7)\nDD-3\tcheck rule L01\n"
    )
    (tmp_path / "tests" / "seed_pending.toml").write_text("DD-3 = 5\n")
    (tmp_path / "man" / "mqtriage-delay.7").write_text('.\\" DD-2\nText.\n')
    (tmp_path / "tests" / "test_one.py").write_text(
        '@pytest.mark.seed("DD-1", "C-01")\ndef test_one() -> None: ...\n'
    )
    monkeypatch.setattr(coverage, "ROOT", tmp_path)
    monkeypatch.setattr(coverage, "IDS", tmp_path / "tests" / "seed_ids.tsv")
    monkeypatch.setattr(coverage, "PENDING", tmp_path / "tests" / "seed_pending.toml")
    monkeypatch.setattr(coverage, "TABLES", {"contradiction": ["C-01"]})
    marked = coverage.marked_tests
    monkeypatch.setattr(coverage, "marked_tests", lambda: marked(tmp_path / "tests"))
    return tmp_path


def test_a_project_with_everything_in_its_place_has_no_problem(small: Path) -> None:
    assert coverage.problems() == []


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        pytest.param(
            "tests/test_one.py",
            '@pytest.mark.seed("C-01")\ndef test_one() -> None: ...\n',
            "DD-1: no test names it (emulator)",
            id="no-test",
        ),
        pytest.param(
            "tests/test_one.py",
            '@pytest.mark.seed("DD-1")\ndef test_one() -> None: ...\n',
            "C-01: no test names it (contradiction)",
            id="no-test-of-a-contradiction",
        ),
        pytest.param("man/mqtriage-delay.7", "", "DD-2: not on man/mqtriage-delay.7", id="page"),
        pytest.param("tests/seed_pending.toml", "", "DD-3: no test names it", id="not-pending"),
        pytest.param(
            "tests/test_two.py",
            '@pytest.mark.seed("DD-3")\ndef test_two() -> None: ...\n',
            "DD-3: has a test and is still named as pending",
            id="pending-and-tested",
        ),
        pytest.param(
            "tests/test_two.py",
            '@pytest.mark.seed("DD-9")\ndef test_two() -> None: ...\n',
            "DD-9: no such statement",
            id="unknown",
        ),
        pytest.param("tests/seed_pending.toml", "DD-3 = 5\nDD-8 = 5\n", "DD-8", id="unknown-later"),
    ],
)
def test_what_is_missing_or_wrong_is_said(small: Path, file: str, text: str, expected: str) -> None:
    (small / file).write_text(text)
    found = coverage.problems()
    assert len(found) == 1
    assert found[0].startswith(expected)
