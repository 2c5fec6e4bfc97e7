"""Every numbered statement is shown by a test or stands on a page; docs/statements.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_man import script

ROOT = Path(__file__).parents[2]
CITED = re.compile(r"\b(?:DD|PM|EX|BO|CARD|TRAP|GAP)-\d{2,3}\b")

page: Any = script("make_statements")
page.marked_tests = cache(page.marked_tests)


@cache
def all_problems() -> tuple[str, ...]:
    return tuple(page.problems())


def problems(*endings: str) -> list[str]:
    """The problems that have one of these words in them."""
    return [text for text in all_problems() if any(word in text for word in endings)]


@pytest.mark.slow
def test_no_test_names_a_statement_that_there_is_not() -> None:
    assert problems("no such statement") == []


@pytest.mark.slow
def test_what_a_page_must_hold_stands_on_that_page() -> None:
    assert problems(": not on man/") == []


@pytest.mark.seed("CARD-13")
def test_every_statement_is_shown() -> None:
    missing = problems("no test names it")
    assert missing == [], "\n".join(["", *missing])


def test_a_real_client_shows_delay_and_poison_or_the_table_says_why_not() -> None:
    assert problems("with a real client") == []


def test_a_fault_was_noticed_by_a_test_and_in_a_function_that_are_there() -> None:
    assert problems("noticed") == []


def test_each_statement_is_a_sentence_of_its_own() -> None:
    sentences = [statement.sentence for statement in page.statements()]
    assert all(re.fullmatch(r"\S.*\.", sentence) for sentence in sentences)


def test_a_number_that_is_cited_is_in_the_table() -> None:
    known = {statement.id for statement in page.statements()}
    places = [ROOT / room for room in ("cli", "commands", "definitions", "emulator", "messages",
              "mq", "operations", "man")]  # fmt: skip
    texts = {path: path.read_text("utf-8") for place in places for path in place.rglob("*.*")
             if path.suffix in (".py", ".md", ".c", ".7", ".1")}  # fmt: skip
    cited = {(path, number) for path, text in texts.items() for number in CITED.findall(text)}
    assert [pair for pair in cited if pair[1] not in known] == []


def test_the_page_is_not_stale() -> None:
    """If this fails: run scripts/make_statements.py and commit what it wrote."""
    assert page.PAGE.read_text("utf-8") == page.page_text()


# the checks themselves ----------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two statements, one contradiction, one test and one page."""
    (tmp_path / "tests" / "jms").mkdir(parents=True)
    (tmp_path / "man").mkdir()
    (tmp_path / "statements.tsv").write_text(
        "id\tlives_in\tstatement\nDD-1\temulator\tOne.\tof z/OS\n"
        "DD-2\tdoc: mqtriage-delay(7)\tTwo.\tof z/OS\nC-01\t\tThree.\n"
    )
    (tmp_path / "man" / "mqtriage-delay.7").write_text('.\\" DD-2\nText.\n')
    (tmp_path / "tests" / "test_one.py").write_text(
        '@pytest.mark.seed("DD-1", "C-01")\ndef test_one() -> None: ...\n'
    )
    monkeypatch.setattr(page, "ROOT", tmp_path)
    (tmp_path / "noticed.tsv").write_text(
        "id\tfunction\ttest\nDD-1\ttests/test_one.py test_one\ttests/test_one.py::test_one\n"
    )
    monkeypatch.setattr(page, "TABLE", tmp_path / "statements.tsv")
    monkeypatch.setattr(page, "NOTICED", tmp_path / "noticed.tsv")
    marked = page.marked_tests
    monkeypatch.setattr(page, "marked_tests", lambda: marked(tmp_path / "tests"))
    return tmp_path


def test_a_project_with_everything_in_its_place_has_no_problem(small: Path) -> None:
    assert page.problems() == []


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
            "C-01: no test names it",
            id="no-test-of-a-contradiction",
        ),
        pytest.param(
            "noticed.tsv",
            "id\tfunction\ttest\nC-01\ttests/test_one.py test_one\ttests/test_one.py::test_two\n",
            "C-01: noticed by tests/test_one.py::test_two, which does not name it: run",
            id="noticed-by-a-test-that-does-not-name-it",
        ),
        pytest.param(
            "noticed.tsv",
            "id\tfunction\ttest\nC-01\ttests/test_one.py other\ttests/test_one.py::test_one\n",
            "C-01: noticed in tests/test_one.py other, which is gone: run",
            id="noticed-in-a-function-that-is-gone",
        ),
        pytest.param("man/mqtriage-delay.7", "", "DD-2: not on man/mqtriage-delay.7", id="page"),
        pytest.param(
            "tests/test_two.py",
            '@pytest.mark.seed("DD-9")\ndef test_two() -> None: ...\n',
            "DD-9: no such statement",
            id="unknown",
        ),
        pytest.param(
            "tests/jms/test_two.py",
            '@pytest.mark.seed("DD-1")\ndef test_two() -> None: ...\n',
            "DD-1: a test and a reason for none with a real client",
            id="real-client-and-reason",
        ),
        pytest.param(
            "statements.tsv",
            "id\tlives_in\tstatement\nDD-1\temulator\tOne.\nC-01\t\tThree.\n",
            "DD-1: neither a test nor a reason for none with a real client",
            id="no-real-client",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_said(small: Path, file: str, text: str, expected: str) -> None:
    (small / file).write_text(text)
    wrong = page.problems()
    assert len(wrong) == 1
    assert wrong[0].startswith(expected)
