"""Every rule's page: its headings, its MQSC, and that its Fix mends its Problem."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage.definitions.lint.config import read_config
from mqtriage.definitions.lint.pages import OTHER_PAGES, all_codes, page_of
from mqtriage.definitions.rules.registry import rules
from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.parse import parse
from tests.support.scale import for_all
from tests.unit.definitions.rules.asserting import lint_errors, lint_ok

CODES = [rule.code for rule in rules()]
LIVE_ONLY = {"EXP005", "DLQ006"}
"""Rules on what a live queue manager shows; MQSC cannot make them find something."""
NOT_BY_DEFINITION = {"DLY014"}
"""Rules whose problem is in the load model: no MQSC mends them."""


class Page(NamedTuple):
    """A page taken apart; "" for what it lacks. *toml* is what stands under [lint]."""

    title: str
    headings: list[str]
    toml: str
    bad: str
    good: str
    instead: bool
    source: str


def page(code: str) -> Page:
    text = page_of(code)
    problem, _, fix = text.partition("## Fix")
    blocks = dict(re.findall(r"```(toml|mqsc)\n(.*?)```", problem, re.DOTALL))
    good = re.search(r"```mqsc\n(.*?)```", fix, re.DOTALL)
    source = re.search(r"^Source: (.+)$", fix, re.MULTILINE)
    return Page(
        text.splitlines()[0].removeprefix("# "),
        re.findall(r"^## (.+)$", text, re.MULTILINE),
        re.sub(r"^\[lint\]\n|(?<=\[)lint\.", "", blocks.get("toml", ""), flags=re.MULTILINE),
        blocks.get("mqsc", ""),
        good[1] if good else "",
        "Write this instead:" in fix,
        source[1] if source else "",
    )


def test_codes_are_unique_and_of_one_form() -> None:
    assert len(set(CODES)) == len(CODES) >= 40
    assert all(
        re.fullmatch(r"(AMS|BKO|CHL|DLY|EXP|DLQ|QUE|REF|SEC|TRG)\d{3}", code) for code in CODES
    )


def test_the_folder_holds_a_page_for_each_rule_and_no_other() -> None:
    folder = files("mqtriage.definitions.rules")
    pages = {file.name for file in folder.iterdir() if file.name.endswith(".md")}
    assert pages == {f"{name}.md" for name in (*(rule.name for rule in rules()), *OTHER_PAGES)}


def test_every_function_that_is_named_like_a_rule_is_one_in_the_file_of_its_family() -> None:
    written = [
        name
        for file in files("mqtriage.definitions.rules").iterdir()
        if file.name.endswith(".py")
        for name in re.findall(r"^def ([a-z]+\d{3}_\w+)", file.read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted(written) == [rule.name for rule in rules()]


@for_all(all_codes())
def test_a_page_has_three_headings_and_a_source(code: str) -> None:
    rule_page = page(code)
    assert rule_page.headings == ["Problem", "Why it matters", "Fix"]
    assert rule_page.source
    assert rule_page.good


@for_all(all_codes())
def test_the_heading_of_a_page_is_its_code_and_its_title(code: str) -> None:
    assert re.fullmatch(rf"{code}: \S.*[^.]", page(code).title)


def toml_blocks(text: str) -> list[str]:
    return re.findall(r"```toml.*\n([^`]*)```", text)


def test_the_settings_of_a_page_are_accepted_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "mqtriage.toml"
    blocks = [block for code in all_codes() for block in toml_blocks(page_of(code))]
    assert len(blocks) > 30
    for block in blocks:
        file.write_text(block, "utf-8")
        assert read_config(file) is not None, block


@pytest.mark.parametrize("name", ["ci.md", "own-rules.md"])
def test_the_settings_in_the_documentation_are_accepted_as_they_are(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "mqtriage.toml"
    blocks = toml_blocks((Path(__file__).parents[4] / "docs" / name).read_text("utf-8"))
    rules = next(block for block in blocks if block.startswith("[[rule]]"))
    for block in blocks:
        file.write_text(block if block is rules else f"{block}\n{rules}", "utf-8")
        assert read_config(file) is not None, block


@for_all([code for code in CODES if code != "DLY014"])
def test_the_mqsc_of_a_fix_is_good_mqsc(code: str) -> None:
    script = parse(page(code).good)
    assert check_script(script) == []
    assert script.commands


@for_all([code for code in CODES if code not in LIVE_ONLY])
def test_the_problem_of_a_page_is_found(code: str) -> None:
    rule_page = page(code)
    assert lint_errors(code, rule_page.bad, toml=rule_page.toml, whole=False)


@for_all([code for code in CODES if code not in LIVE_ONLY | NOT_BY_DEFINITION])
def test_the_fix_of_a_page_mends_its_problem(code: str) -> None:
    rule_page = page(code)
    if rule_page.instead:
        lint_ok(code, rule_page.good, toml=rule_page.toml)
    else:
        lint_ok(code, rule_page.bad, rule_page.good, toml=rule_page.toml)
