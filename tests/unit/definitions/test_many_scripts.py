"""Many long scripts: the same findings as of short ones, in the memory of their text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.estate_growth import make_estate

from mqtriage.definitions import estates
from mqtriage.definitions.lint import report, run
from mqtriage.definitions.lint.config import config_from
from mqtriage.mq.mqsc.parse import LongScript, parse
from tests.support.bank_estates import STYLES
from tests.unit.definitions.rules.rows import ROWS, Row

NETWORKS = [row for row in ROWS if "* on QM" in row.bad]


def folder_of(root: Path, text: str) -> str:
    """A folder of queue managers from ``* on QM1`` lines."""
    for part in text.split("* on ")[1:]:
        name, _, commands = part.partition("\n")
        (root / name).mkdir(parents=True)
        (root / name / "all.mqsc").write_text(commands + "\n", "utf-8")
    return str(root)


def records(root: str, *, is_whole: bool) -> list[object]:
    sets = estates.script_sets([root], lambda: b"")
    findings = run.lint_all(sets, config_from({"whole": is_whole}))
    return list(report.report_listing(findings).items)


@pytest.mark.parametrize("row", NETWORKS, ids=lambda row: f"{row.code}-{row.says}")
def test_many_scripts_have_the_findings_that_few_have(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, text in enumerate((row.bad, row.good)):
        root = folder_of(tmp_path / str(number), text)
        few = records(root, is_whole=True)
        with monkeypatch.context() as patch:
            patch.setattr(run, "_MUCH", 0)
            patch.setattr(estates, "_LONG", 0)
            assert records(root, is_whole=True) == few


def test_there_are_networks_among_the_rows() -> None:
    assert len(NETWORKS) > 10


@pytest.mark.parametrize("style", STYLES)
def test_a_long_script_is_the_script_that_it_is_parsed_as(style: str) -> None:
    long, script = LongScript(STYLES[style], "a.mqsc"), parse(STYLES[style], file="a.mqsc")
    assert (long.text, long.items, long.notes) == (script.text, script.items, script.notes)
    assert long.diagnostics == script.diagnostics


@pytest.mark.parametrize("style", STYLES)
def test_an_outline_has_all_attributes_of_all_objects(style: str) -> None:
    estate = estates.estate_of([parse(STYLES[style])], whole=True)
    outline = estate.in_outline()
    for kind in ("QLOCAL", "TOPIC", "CHANNEL", *estate.others):
        assert list(outline.objects(kind)) == list(estate.objects(kind))
        for name, thing in estate.objects(kind).items():
            attributes = outline.objects(kind)[name].attributes
            assert dict(attributes) == dict(thing.attributes)
            assert len(attributes) == len(thing.attributes)
            assert attributes.get("NOSUCH") is None


PEAK = (
    "import resource, runpy, sys; sys.argv[0] = 'mqtriage'\n"
    "try: runpy.run_module('mqtriage', run_name='__main__')\n"
    "except SystemExit as end: print(end.code, file=sys.stderr)\n"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)
"""Runs a command; the last lines on standard error are its exit code and its memory in KiB."""


def peak_mb(*words: str, home: Path | None = None) -> float:
    environ = {**os.environ, **({"MQTRIAGE_HOME": str(home)} if home else {})}
    argv = [sys.executable, "-c", PEAK, *words]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, env=environ)
    code, peak = ran.stderr.split()[-2:]
    assert code in ("0", "4"), ran.stderr
    return int(peak) / 1024


@pytest.mark.slow
@pytest.mark.parametrize(
    "select",
    [
        pytest.param("SEC", marks=pytest.mark.long, id="no-findings"),  # the other takes no less
        pytest.param("SEC,BKO", id="one-a-queue"),
    ],
)
def test_memory_is_a_small_part_of_what_all_commands_take(select: str, tmp_path: Path) -> None:
    """What each further queue manager of 2,500 queues takes: 3 MB, and 12 with all of it parsed.

    Remarks make the scripts as long as those are of which the memory is watched.
    """

    def peak_of(count: int) -> float:
        root = tmp_path / str(count)
        for number in range(count):
            (root / f"QM{number}").mkdir(parents=True)
            queues = "".join(
                f"* {'x' * 90}\n"
                f"DEFINE QLOCAL('APP.{n:05}.IN') MAXDEPTH({n + 1}) DESCR('{'x' * 40}')\n"
                for n in range(2500)
            )
            (root / f"QM{number}" / "all.mqsc").write_text(queues, "utf-8")
        return peak_mb("lint", str(root), "--select", select)

    one, nine = peak_of(1), peak_of(9)
    assert nine - one < 8 * 5


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six queue managers of 1,000 queues, and scripts of them."""
    top = tmp_path_factory.mktemp("six")
    make_estate(top, range(6), 1_000)
    return top


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "most_mb"), [("plan", 36), ("drift", 20)])
def test_memory_of_a_comparison_does_not_grow_with_the_queue_managers(
    verb: str, most_mb: int, six: Path
) -> None:
    """Each of 1,000 queues takes some 18 MB while it is compared: two at a time, and then gone."""

    def peak_of(names: str) -> float:
        return peak_mb(verb, str(six / "estate"), "-m", names, home=six / "home")

    few, many = peak_of("QM000,QM001"), peak_of("QM00*")
    assert many - few < most_mb
