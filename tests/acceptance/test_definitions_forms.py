"""Every command of this part in every output form: data on stdout alone, and JSON that parses."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from mqtriage.model.output_forms import FORMS
from tests.acceptance.conftest import Bench

READING = [
    "queue ls",
    "queue show Q",
    "queue status Q",
    "qmgr show",
    "delay status",
    "backout ls",
    "lint --queue Q",
    "check qmgr",
    "check queue Q",
    "check delay",
    "check backout",
    "check expiry",
    "expiry status",
    "expiry status Q --scan",
    "emulator ls",
    "emulator clock",
    "emulator ls QM1",
]
ACTING = [
    "queue define NEW --yes",
    "queue set Q MAXDEPTH=9 --yes",
    "queue delete Q --yes",
    "delay define --maxdepth 9000 --yes",
    "backout set Q --threshold 3 --boq BO --create-boq --yes",
    "backout set Q --threshold 0 --boq= --yes",
    "expiry sweep Q --yes",
    "emulator create QM2",
    "emulator stop",
    "emulator clock +1m",
    "emulator rm QM1 --confirm QM1",
]
DEFINITIONS = {"queue ls", "queue show Q", "qmgr show"}
NOT_OF_ALL = ("ids", "mqsc")
"""Forms that cannot show everything; no other one may be refused."""


def state(bench: Bench) -> tuple[str, str]:
    """Which queue managers there are, with their clocks, and the content of QM1."""
    return bench.ok("emulator", "ls", "-q").out, bench.ok("emulator", "ls", "QM1").out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", READING + ACTING)
@pytest.mark.slow
def test_every_form_of_every_command(bench: Bench, command: str, form: str) -> None:
    bench.define("Q")
    before = state(bench) if form in NOT_OF_ALL else ("", "")
    ran = bench.run(*command.split(), "-m", "QM1" if "QM2" not in command else "QM2", "-o", form)
    if form == "mqsc" and command in READING and command not in DEFINITIONS:
        assert ran.code == (3 if command.startswith("check") else 2)
        assert "contains no definitions" in ran.error_line
        return
    if ran.code == 2:  # a form that cannot show such a thing says so before anything is done
        assert form in NOT_OF_ALL, ran.err
        assert f"-o {form}" in ran.error_line
        assert (before, "") == (state(bench), ran.out)
        return
    assert ran.code == 0, ran.err
    assert not re.search(r"^(?:warning|hint):", ran.out, re.MULTILINE)
    if form == "json":
        assert ran.json["schema"] == "mqtriage/1"
    elif form == "ndjson":
        assert all(json.loads(line) for line in ran.out.splitlines())
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(ran.out)))
        assert len({len(row) for row in rows}) == 1
    elif form not in NOT_OF_ALL:
        assert ran.out.strip()


@pytest.mark.parametrize("command", [c for c in ACTING if "--yes" in c])
def test_a_dry_run_prints_the_plan_as_json_and_changes_nothing(bench: Bench, command: str) -> None:
    bench.define("Q")
    before = bench.ok("emulator", "ls", "QM1").out
    words = [word for word in command.split() if word != "--yes"]
    ran = bench.ok(*words, "-n", "-o", "json")
    assert ran.json["kind"] == "Plan"
    assert bench.ok("emulator", "ls", "QM1").out == before


def test_an_error_is_json_where_json_was_asked_for(bench: Bench) -> None:
    ran = bench.run("queue", "show", "NOPE", "-o", "json")
    error = json.loads(ran.err.splitlines()[-1])
    assert (error["kind"], error["mqrc"], error["exit"]) == ("Error", 2085, 5)
    assert error["object"] == "NOPE"
    assert ran.out == ""


def test_quiet_leaves_only_data(bench: Bench) -> None:
    bench.define("Q")
    assert bench.ok("queue", "set", "Q", "MAXDEPTH=9", "--yes", "-q").err == ""


@pytest.mark.parametrize("consent", ["--yes", "-n"])
def test_csv_of_a_definition_has_a_line_an_attribute(bench: Bench, consent: str) -> None:
    bench.define("Q")
    ran = bench.ok("queue", "set", "Q", "MAXDEPTH=9", "GET=DISABLED", consent, "-o", "csv")
    assert ran.out.splitlines() == ["attribute,from,to", "MAXDEPTH,5000,9", "GET,ENABLED,DISABLED"]
