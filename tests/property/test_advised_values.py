"""Every value that any command advises is one that its attribute takes, whatever was seen.

A command that works out values of attributes is an entry of `ADVISERS`; the files that do so are
`WORKED_OUT_IN`, so that a new adviser fails the last tests until it is tried with the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.commands.backout.changes import plan_set, threshold_from
from mqtriage.commands.delay.sizing import Load, plan_define, with_measured
from mqtriage.definitions.change import Change
from mqtriage.definitions.rules.finding import CommandFix
from mqtriage.definitions.rules.registry import lint
from mqtriage.formatters.charts.analysis_html import advice_text
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.mq.attributes.catalogue import attribute, parse_value
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.pipeline.snapshots.advice import advice
from tests.support.scale import amount
from tests.unit.definitions.rules.asserting import estate_of
from tests.unit.definitions.rules.rows import ROWS
from tests.unit.emulator.conftest import Lab

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
Advised = tuple[str, str, Any]
"""(kind of object, keyword, value)."""


def edges(least: int, most: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from([least, least + 1, most - 1, most]), st.integers(least, most))


def up_to(most: int) -> st.SearchStrategy[int]:
    """Of any order of magnitude."""
    return st.one_of(edges(0, most), st.integers(0, len(str(most)) - 1).map(lambda n: 10**n))


class Place(NamedTuple):
    """What an adviser is tried with."""

    draw: Any
    folder: Path
    lab: Lab
    spark: Callable[[], SparkSession]


def in_text(text: str) -> Iterator[Advised]:
    """The values that a sentence names, as MAXDEPTH(5000) or --maxmsgl 4194304."""
    for keyword, value in re.findall(r"\b([A-Z]{4,})\((\d+)\)", text):
        yield "QLOCAL", keyword, value
    for option, value in re.findall(r"--(maxmsgl|maxdepth) (\d+)", text):
        yield "QLOCAL", option.upper(), value


def of_change(change: Change) -> Iterator[Advised]:
    """What a plan would set, and what it says beside that."""
    for step in change.steps:
        yield from ((step.kind, keyword, value) for keyword, value in step.attributes.items())
    plan = change.plan
    refused = (text for refusal in plan.refusals for text in refusal)
    for text in (*plan.notes, *plan.warnings, *refused, *plan.facts.values()):
        yield from in_text(str(text))


def drawn_load(place: Place) -> Load:
    rate = place.draw(st.integers(1, 10**7))
    return Load(
        rate_per_s=str(rate),
        rate_text=f"{rate}/s",
        longest_delay_ms=place.draw(up_to(10**12)),
        largest_message_bytes=place.draw(up_to(10**10)),
        headroom_percent=place.draw(st.integers(0, 10_000)),
    )


def written(place: Place, kind: str, row: dict[str, Any]) -> str:
    """A file of ``analyze -o json`` with one record."""
    file = place.folder / "analysis.json"
    file.write_text(json.dumps({"kind": kind, "items": [{"queue_manager": "QM1", **row}]}))
    return str(file)


def an_older_analysis(place: Place) -> str:
    numbers = st.one_of(st.integers(-1, 2**63), up_to(10**9))
    keys = ("maxdepth", "maxmsgl_bytes", "maxfsize_mb")
    return written(place, "DelayLoadList", {key: place.draw(numbers) for key in keys})


def has_queue(place: Place, attributes: dict[str, int]) -> None:
    """A queue with any attributes, of a queue manager that may since take shorter messages."""
    place.lab.mq.alter("QMGR", "", {"MAXMSGL": 104_857_600})
    place.lab.mq.alter("QLOCAL", "IN", attributes)
    place.lab.mq.alter("QMGR", "", {"MAXMSGL": place.draw(edges(32_768, 104_857_600))})


def delay_define(place: Place) -> Iterator[Advised]:
    """By a load, by an analysis, and what it says of the length where none is given."""
    has_queue(place, {"MAXMSGL": place.draw(edges(0, 104_857_600))})
    sized = Load(maxdepth=place.draw(edges(1, 999_999_999)))
    loads = [drawn_load(place), sized]
    with suppress(UsageError):  # a number below 0 is refused where it is read
        loads.append(with_measured(Load(), an_older_analysis(place), "QM1"))
    for load in loads:
        with suppress(UsageError):  # refused: nothing is advised
            yield from of_change(plan_define(place.lab.mq, load))


def backout_set(place: Place) -> Iterator[Advised]:
    """By an analysis, with a backout queue made like a queue with any of its attributes."""
    of_queue = {
        keyword: place.draw(edges(*bounds))
        for keyword, bounds in NUMBERS.items()
        if place.draw(st.booleans())
    }
    has_queue(place, of_queue)
    threshold = place.draw(st.one_of(st.integers(-1, 2**63), up_to(999_999_999), st.none()))
    path = written(place, "CohortList", {"queue": "IN", "bothresh": threshold})
    try:
        least = threshold_from(path, "QM1", "IN")
        change = plan_set(place.lab.mq, "IN", threshold=least, boq="IN.BO", create_boq=True)
    except (NotFound, UsageError):
        return  # refused: nothing is advised
    assert change.steps[0].name == "IN.BO"
    yield from of_change(change)


QUEUES = ["IN", "IN.BO", "DEAD", STAGING]
NUMBERS = {
    "MAXDEPTH": (0, 999_999_999), "MAXMSGL": (0, 104_857_600), "MAXFSIZE": (20, 267_386_880),
    "BOTHRESH": (0, 999_999_999), "CAPEXPRY": (1, 999_999_999), "QDEPTHHI": (0, 100),
}  # fmt: skip


@st.composite
def definitions(draw: st.DrawFn) -> str:
    lines = ["ALTER QMGR DEADQ(DEAD)" + draw(st.sampled_from(["", " MAXMSGL(104857600)"]))]
    for name in QUEUES:
        numbers = draw(st.lists(st.sampled_from(sorted(NUMBERS)), unique=True))
        words = [f"{keyword}({draw(edges(*NUMBERS[keyword]))})" for keyword in numbers]
        backout = "BOQNAME(IN.BO)" if name == "IN" else ""
        lines.append(f"DEFINE QLOCAL({name}) REPLACE {backout} {' '.join(words)}")
    return "\n".join(lines)


@st.composite
def loads(draw: st.DrawFn) -> str:
    return (
        f'[load]\nrate = "{draw(st.integers(1, 10**6))}/s"\n'
        f'longest_delay = "{draw(st.integers(1, 36_500 * 24))}h"\n'
        f'largest_message = "{draw(edges(0, 104_857_600))}"\n'
    )


def fixes(text: str, toml: str, *, whole: bool) -> Iterator[Advised]:
    for finding in lint(estate_of(text, toml=toml, whole=whole)):
        for change in finding.fix:
            if not isinstance(change, CommandFix):
                for keyword, value in change.attributes.items():
                    yield change.kind, keyword, value if value != "" else " "


def lint_fix(place: Place) -> Iterator[Advised]:
    """Of drawn queues, and of what the tests of a rule have."""
    load = place.draw(st.one_of(st.just(""), loads()))
    yield from fixes(place.draw(definitions()), load, whole=True)
    yield from fixes("DEFINE QLOCAL(IN) MAXDEPTH(999999999) MAXMSGL(104857600)", "", whole=True)
    row = place.draw(st.sampled_from(ROWS))
    yield from fixes(row.bad, row.toml, whole=row.whole)


LOADS = 60
"""Drawn for one run of Spark."""


def advised_of(job: str, rows: Iterable[dict[str, Any]]) -> Iterator[Advised]:
    """What the sentences of `analyze report` name."""
    for piece in advice({job: [{"qmgr": "QM1", "queue": "IN", **row} for row in rows]}):
        yield from in_text(advice_text(piece))


def analyze_delay(place: Place) -> Iterator[Advised]:
    """Loads from nothing to more than a queue holds."""
    from mqtriage.pipeline.delay import sized

    most = {
        "held_count": 10**10, "greatest_curdepth": 10**10, "held_length": 10**9,
        "held_blocks": 10**9, "unseen_bytes": 10**13, "unseen": 10**12,
        "outage_unseen_bytes": 10**13, "outage_unseen": 10**12, "gap_ms": 10**10,
        "from_us": 1, "until_us": 1, "peak_minute": 1,
    }  # fmt: skip
    drawn = st.tuples(*map(up_to, most.values()))
    rows = place.draw(st.lists(drawn, min_size=LOADS, max_size=LOADS))
    frame = place.spark().createDataFrame(rows, ", ".join(f"{name} long" for name in most))
    records = [row.asDict() for row in sized(frame, 100.0, 50).collect()]
    for row in records:
        yield "QLOCAL", "MAXDEPTH", row["maxdepth"]
        yield "QLOCAL", "MAXMSGL", row["maxmsgl_bytes"]
        yield "QLOCAL", "MAXFSIZE", row["maxfsize_mb"]
        if row["maxfsize_mb"] == 20:
            is_stated = "20 MB" in row["maxfsize_sum"]
            assert is_stated or row["maxfsize_sum"].endswith("; MAXFSIZE takes 20 to 267386880")
    small = {"maxdepth_now": 0, "maxmsgl_now_bytes": 0}
    yield from advised_of("delay", ({**row, **small} for row in records))


def analyze_cohort(place: Place) -> Iterator[Advised]:
    """From no rollback to a loop of years."""
    from mqtriage.pipeline.cohort import _advised

    lives = st.tuples(
        up_to(2**31 - 1), st.one_of(st.none(), up_to(999_999_999)), up_to(10**6), up_to(10**6),
        st.none(), st.just([(1, 500, 0)]),
    )  # fmt: skip
    schema = "helped_max int, bothresh_now int, given_up long, taken long, every_us long,"
    schema += " attempts array<struct<attempt: int, seen: long, taken: long>>"
    rows = place.draw(st.lists(lives, min_size=LOADS, max_size=LOADS))
    frame = _advised(place.spark().createDataFrame(rows, schema))
    records = [{**row.asDict(), "requeued": 1} for row in frame.collect()]
    for row in records:
        if row["bothresh"] is not None:
            yield "QLOCAL", "BOTHRESH", row["bothresh"]
    yield from advised_of("cohort", records)


ADVISERS: dict[str, Callable[[Place], Iterator[Advised]]] = {
    "delay define": delay_define,
    "backout set": backout_set,
    "lint fix": lint_fix,
    "analyze delay": analyze_delay,
    "analyze cohort": analyze_cohort,
}
WORKED_OUT_IN = {
    "commands/backout/changes.py": "backout set",
    "commands/delay/sizing.py": "delay define",
    "definitions/rules/backout_queues.py": "lint fix",
    "definitions/rules/dead_letter.py": "lint fix",
    "definitions/rules/delay.py": "lint fix",
    "definitions/rules/delayed.py": "lint fix",
    "definitions/rules/expiry.py": "lint fix",
    "definitions/rules/finding.py": "lint fix",
    "definitions/rules/queues.py": "lint fix",
    "pipeline/cohort.py": "analyze cohort",
    "pipeline/delay.py": "analyze delay",
}
TOLD = {
    "commands/delay/status.py": "how many are staged at once, which is not advised",
    "commands/queue/changes.py": "what the user typed",
    "definitions/change.py": "the change itself",
    "definitions/rules/security.py": "words of a keyword, no numbers",
    "mq/attributes/catalogue.py": "the bounds themselves",
    "mq/delay.py": "the sums, for `delay define` and `lint`",
}
"""Files that have one of `SIGNS` too and advise nothing by themselves: where it comes from."""
SIGNS = re.compile(
    r"\b(ChangeStep|alteration|Alter|Define|AdvisedSize|within_bounds|outside_bounds|bounds_of"
    r"|(?:depth|length|disk)_needed)\("
)


@pytest.mark.parametrize("command", ADVISERS)
@pytest.mark.slow
def test_every_value_that_is_advised_is_one_that_its_attribute_takes(
    command: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    of_spark = command.startswith("analyze")
    if of_spark:
        request.getfixturevalue("spark")
    lab = Lab(tmp_path)
    lab.mq.define("QLOCAL", "IN", {})
    count = 0

    @settings(
        max_examples=amount(3 if of_spark else 100),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        nonlocal count
        place = Place(data.draw, tmp_path, lab, lambda: request.getfixturevalue("spark"))
        for kind, keyword, value in ADVISERS[command](place):
            entry = attribute(kind, keyword)
            assert entry is not None, keyword
            parse_value(entry, str(value))
            count += 1

    holds()
    lab.close()
    assert count > amount(10)


def test_every_file_that_works_a_value_out_belongs_to_a_command_that_is_tried() -> None:
    rooms = [path for path in (ROOT / "src" / "mqtriage").iterdir() if path.is_dir()]
    signs = {
        f"{room.name}/{file.relative_to(room)}"
        for room in rooms
        for file in room.rglob("*.py")
        if SIGNS.search(file.read_text("utf-8"))
    }
    assert signs == WORKED_OUT_IN.keys() | TOLD.keys()
    assert set(WORKED_OUT_IN.values()) == ADVISERS.keys()


def test_every_command_that_takes_or_makes_an_analysis_of_values_is_tried() -> None:
    verbs = {name: target for name, (target, _) in COMMANDS.items()}
    verbs |= {
        f"{group} {verb}": target
        for group, of_group in GROUPS.items()
        for verb, (target, _) in of_group.verbs.items()
    }
    takes = {
        "lint fix" if name.startswith("lint ") else name  # they look at the same settings
        for name, target in verbs.items()
        if any(
            param.name in ("from_analysis", "create_boq")
            for param in load_verb("it", target).params
        )
    }
    makes = {
        f"analyze {job}"
        for job, tables in TABLES_OF.items()
        for table in tables.values()
        if any(field.key.endswith("_sum") for field in table.fields)
    }
    assert takes | makes == ADVISERS.keys()
