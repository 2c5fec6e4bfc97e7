"""How scripts/authors_programs.py reads what programs of others print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import authors_programs
from scripts.authors_programs import (
    FAILED,
    PASSED,
    SKIPPED,
    Absent,
    Outcome,
    _cases,
    _go_tests,
    _said,
    _script,
)


def test_a_line_of_samples_is_run_one_after_the_other_or_side_by_side() -> None:
    assert _script("put QM1; get", "node {}.js".format) == "node put.js QM1; node get.js"
    both = _script("serve + ask Q(1)", "./{}".format)
    assert both == ("timeout --preserve-status -s INT 20 ./serve & sleep 1; ./ask 'Q(1)'; wait $!")


def test_tests_of_go_are_counted_with_what_they_said() -> None:
    events = [
        {"Action": "run", "Test": "TestA"},
        {"Action": "output", "Test": "TestA", "Output": "=== RUN TestA\n"},
        {"Action": "output", "Test": "TestA", "Output": "a_test.go:7: 2085\n"},
        {"Action": "fail", "Test": "TestA"},
        {"Action": "pass", "Test": "TestB"},
        {"Action": "pass", "Test": "TestB/part"},
        {"Action": "skip", "Test": "TestC"},
        {"Action": "fail"},
    ]
    text = "go: building\n" + "\n".join(map(json.dumps, events))
    assert list(_go_tests(text)) == [
        Outcome("TestA", FAILED, "a_test.go:7: 2085"), Outcome("TestB", PASSED),
        Outcome("TestC", SKIPPED),
    ]  # fmt: skip


def test_a_program_of_ours_says_what_went_well_and_how_it_ended() -> None:
    text = "SLF4J(W): No providers\nok Spring\nfailed Camel: a route: 2035\nKilled\n"
    outcomes = [Outcome("Spring", PASSED), Outcome("Camel: a route", FAILED, "2035")]
    assert list(_said(0, text)) == outcomes
    assert list(_said(137, text)) == [
        *outcomes, Outcome("the program", FAILED, "exit code 137: Killed"),
    ]  # fmt: skip


def test_a_report_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    assert list(_cases(report, "no module named robot")) == [
        Outcome("tests", FAILED, "no module named robot")
    ]
    report.write_text(
        '<s><testcase name="A"/><testcase name="B"><failure message=""/></testcase></s>'
    )
    assert list(_cases(report, "")) == [Outcome("A", PASSED), Outcome("B", FAILED)]


def test_only_a_failure_that_nobody_has_explained_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def package(_: object) -> Iterator[Outcome]:
        yield Outcome("forward", FAILED, "panicked")
        yield Outcome("readme", PASSED)

    def absent(_: object) -> Iterator[Outcome]:
        raise Absent("go is not installed")

    packages = {"mqi": package, "mq-golang": absent}
    monkeypatch.setattr(authors_programs, "PACKAGES", packages)
    monkeypatch.setattr(authors_programs, "Bed", lambda folder: folder)
    assert authors_programs.main([]) == 0
    printed = capsys.readouterr().out
    assert "mq-golang         not run: go is not installed" in printed
    assert "mqi: forward failed: gives the option -s two meanings" in printed
    packages["other"] = package
    assert authors_programs.main([]) == 1
    assert authors_programs.main(["nothing"]) == 2
