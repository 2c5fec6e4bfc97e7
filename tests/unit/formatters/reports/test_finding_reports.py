"""SARIF, JUnit, GitHub and GitLab: what their readers need, also with awkward names."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mqtriage.formatters.reports import sarif
from mqtriage.formatters.reports.findings import write_report
from mqtriage.model.result import Listing
from tests.unit.formatters.reports.sarif_subset import problems

ERROR = {
    "severity": "error", "code": "BKO001", "queue_manager": "QM1", "object_type": "QLOCAL",
    "object": "ORDERS.IN", "file": "./qm 1,a.mqsc", "line": 3, "column": 24,
    "message": "BOTHRESH(3) <&\"'> 100%: blank\nsecond line \x01", "fix": "ALTER QLOCAL('A')",
}  # fmt: skip
ERROR |= {"end_line": 3, "end_column": 35, "edits": [
    {"file": "./qm 1,a.mqsc", "start_line": 3, "start_column": 24, "end_line": 3,
     "end_column": 35, "text": "BOTHRESH(0)"},
]}  # fmt: skip
INFO = {**ERROR, "severity": "info", "code": "BKO014", "fix": None, "edits": []}
LIVE = {
    **ERROR, "severity": "warning", "code": "DLQ006", "file": None, "line": None, "column": None,
    "end_line": None, "end_column": None, "edits": [],
}  # fmt: skip
BARE = {**LIVE, "queue_manager": None, "object_type": None, "object": None, "fix": None}
EVERY = [ERROR, INFO, LIVE, BARE]


def written(form: str, records: list[dict[str, Any]], fail_on: str = "warning") -> str:
    stream = io.StringIO()
    write_report(form, Listing("FindingList", (), records), stream, fail_on=fail_on)
    return stream.getvalue()


@pytest.mark.seed("CARD-30")
@pytest.mark.parametrize("records", [[], EVERY], ids=["none", "every-kind"])
def test_sarif_is_valid(records: list[dict[str, Any]]) -> None:
    assert problems(json.loads(written("sarif", records))) == []


def test_the_check_of_sarif_sees_what_is_wrong() -> None:
    document = json.loads(written("sarif", EVERY))
    document["runs"][0]["results"][0]["level"] = "fatal"
    document["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    document["runs"][0]["results"][2]["ruleIndex"] = 99
    del document["runs"][0]["tool"]["driver"]["name"]
    document["runs"][0]["results"][3]["colour"] = "red"
    assert len(problems(document)) == 5


def test_sarif_names_rule_level_place_and_page() -> None:
    run = json.loads(written("sarif", EVERY))["runs"][0]
    first = run["results"][0]
    assert first["level"] == "error"
    assert [result["level"] for result in run["results"]] == ["error", "note", "warning", "warning"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "qm%201%2Ca.mqsc"
    region = {"startLine": 3, "startColumn": 24, "endLine": 3, "endColumn": 35}
    assert place["region"] == region
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "qm%201%2Ca.mqsc"
    assert change["replacements"] == [
        {"deletedRegion": region, "insertedContent": {"text": "BOTHRESH(0)"}}
    ]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [at["artifactLocation"]["uri"] for at in places[2:]] == ["QM1", "live"]
    assert [at["region"]["startLine"] for at in places] == [3, 3, 1, 1]
    rule = run["tool"]["driver"]["rules"][first["ruleIndex"]]
    assert rule["id"] == first["ruleId"] == "BKO001"
    assert "## Why it matters" in rule["help"]["markdown"]


def test_each_rule_of_sarif_has_the_address_of_its_page_where_the_settings_say() -> None:
    def addresses(rule_pages: str = "") -> list[str]:
        stream = io.StringIO()
        listing = Listing("", (), EVERY)
        write_report("sarif", listing, stream, fail_on="error", rule_pages=rule_pages)
        driver = json.loads(stream.getvalue())["runs"][0]["tool"]["driver"]
        return [rule["helpUri"] for rule in driver["rules"]]

    pages = [
        "bko001_backout_queue_blank.md",
        "bko014_no_poison_handling.md",
        "dlq006_dead_letter_queue_full.md",
    ]
    folder = Path(__file__).parents[4] / "definitions" / "rules"
    assert all((folder / page).is_file() for page in pages)
    assert addresses() == [f"https://mqtriage.invalid/definitions/rules/{page}" for page in pages]
    own = "https://git.example.com/mqtriage/rules/"
    assert addresses(rule_pages=own) == [f"{own}{page}" for page in pages]


def test_each_rule_of_sarif_has_what_code_scanning_shows_and_sorts_by() -> None:
    records = [*EVERY, {**ERROR, "code": "SEC002"}]
    driver = json.loads(written("sarif", records))["runs"][0]["tool"]["driver"]
    assert driver["informationUri"].startswith("https://")
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert rules["BKO001"]["name"] == "BackoutQueueBlank"
    for rule in rules.values():
        assert rule["fullDescription"]["text"]
        assert "\n" not in rule["fullDescription"]["text"]
        assert rule["properties"]["tags"][0] == "ibm-mq"
    security = rules["SEC002"]["properties"]
    assert ("security" in security["tags"], security["security-severity"]) == (True, "8.0")
    assert "security-severity" not in rules["BKO001"]["properties"]


def test_sarif_scores_rules_of_security_by_their_severity() -> None:
    codes = ["AMS001", "SEC001", "SEC008", "BKO001"]
    records = [{**ERROR, "code": code} for code in codes]
    rules = json.loads(written("sarif", records))["runs"][0]["tool"]["driver"]["rules"]
    scores = {rule["id"]: rule["properties"].get("security-severity") for rule in rules}
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    score_of = {"error": "8.0", "warning": "5.5"}
    assert scores == {
        code: None if code == "BKO001" else score_of[level] for code, level in levels.items()
    }
    assert set(levels.values()) == {"error", "warning"}


def test_sarif_has_no_more_results_than_are_taken_and_says_how_many_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hundred in place of those that are taken."""
    assert sarif.MOST_RESULTS == 25_000
    monkeypatch.setattr(sarif, "MOST_RESULTS", 100)
    infos = [{**INFO, "line": line} for line in range(1, 100 + 1)]
    whole = json.loads(written("sarif", infos))["runs"][0]
    assert (len(whole["results"]), "invocations" in whole) == (100, False)
    document = json.loads(written("sarif", [*infos, ERROR, LIVE]))
    run = document["runs"][0]
    assert len(run["results"]) == 100
    assert [result["level"] for result in run["results"][-2:]] == ["error", "warning"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("2 more findings")
    document["runs"][0]["results"] = run["results"][-3:]
    assert problems(document) == []


def test_a_fingerprint_stays_when_lines_move_and_differs_by_object() -> None:
    def mark(record: dict[str, Any]) -> str:
        document = json.loads(written("sarif", [record]))
        return str(document["runs"][0]["results"][0]["partialFingerprints"]["mqtriage/1"])

    assert mark(ERROR) == mark({**ERROR, "line": 300})
    assert mark(ERROR) != mark({**ERROR, "object": "OTHER"})


@pytest.mark.seed("CARD-30")
def test_junit_is_xml_whose_failures_are_errors_and_warnings() -> None:
    root = ElementTree.fromstring(written("junit", EVERY))
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures")) == ("4", "3")
    cases = list(root.iter("testcase"))
    assert len(cases) == 4
    assert [case.find("failure") is not None for case in cases] == [True, False, True, True]
    failure = cases[0].find("failure")
    assert failure is not None
    assert "ALTER QLOCAL" in (failure.text or "")
    for suite in root.iter("testsuite"):
        assert suite.get("tests") == str(len(suite.findall("testcase")))


@pytest.mark.parametrize(
    ("fail_on", "failures"), [("error", "1"), ("warning", "3"), ("info", "4"), ("never", "0")]
)
def test_junit_fails_what_fail_on_fails(fail_on: str, failures: str) -> None:
    root = ElementTree.fromstring(written("junit", EVERY, fail_on))
    assert root.get("failures") == failures
    assert len(list(root.iter("failure"))) == int(failures)


def test_junit_without_findings_has_one_case_that_passes() -> None:
    root = ElementTree.fromstring(written("junit", []))
    assert [len(case) for case in root.iter("testcase")] == [0]


def test_github_annotations_are_one_line_each_and_escaped() -> None:
    lines = written("github", EVERY).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("::error file=qm 1%2Ca.mqsc,line=3,col=24,title=BKO001::ORDERS.IN: ")
    assert "100%25: blank%0Asecond line" in lines[0]
    assert lines[1].startswith("::notice ")
    assert lines[3].startswith("::warning title=DLQ006::")


def test_gitlab_has_what_its_reader_needs_and_no_fingerprint_twice() -> None:
    entries = json.loads(written("gitlab", [*EVERY, ERROR]))
    assert len({entry["fingerprint"] for entry in entries}) == 5
    for entry in entries:
        assert set(entry) == {
            "description", "check_name", "fingerprint", "severity", "location",
        }  # fmt: skip
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert entry["location"]["lines"]["begin"] >= 1
    assert entries[0]["location"]["path"] == "qm 1,a.mqsc"
    assert json.loads(written("gitlab", [])) == []
