"""Every value that any command advises is one that its attribute takes, whatever was seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqtriage.commands.delay.advise import by_analysis, by_load
from mqtriage.commands.delay.sizing import Load
from mqtriage.definitions.rules.finding import CommandFix
from mqtriage.definitions.rules.registry import lint
from mqtriage.mq.attributes.catalogue import attribute, parse_value
from tests.support.scale import amount
from tests.support.tools import drawn_dice
from tests.unit.definitions.rules.asserting import estate_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LONG = 2**31 - 1


def taken(kind: str, keyword: str, value: Any) -> None:
    """Fails where the tables of attributes do not take the value."""
    entry = attribute(kind, keyword)
    assert entry is not None, keyword
    parse_value(entry, str(value))


@given(
    rate=st.integers(0, 10**7),
    delay_ms=st.integers(0, 10**12),
    length=st.integers(0, 10**10),
    headroom=st.integers(0, 10_000),
)
@settings(max_examples=amount(100))
def test_sizes_for_a_load_are_taken(rate: int, delay_ms: int, length: int, headroom: int) -> None:
    load = Load(
        rate_per_s=str(rate), rate_text=f"{rate}/s", longest_delay_ms=delay_ms,
        largest_message_bytes=length, headroom_percent=headroom,
    )  # fmt: skip
    for row in by_load(load).items:
        taken("QLOCAL", str(row["attribute"]), row["value"])


@given(values=st.lists(st.integers(-1, 2**63), min_size=3, max_size=3))
@settings(max_examples=amount(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sizes_of_an_older_analysis_are_taken(tmp_path: Path, values: list[int]) -> None:
    file = tmp_path / "delay.json"
    keys = ("maxdepth", "maxmsgl_bytes", "maxfsize_mb")
    read = {"queue_manager": "QM1", **dict(zip(keys, values, strict=True))}
    file.write_text(json.dumps({"kind": "DelayLoadList", "items": [read]}))
    for row in by_analysis(str(file), "QM1").items:
        taken("QLOCAL", str(row["attribute"]), row["value"])


QUEUES = ["IN", "IN.BO", "DEAD", "SYSTEM.DDELAY.LOCAL.QUEUE"]
NUMBERS = {
    "MAXDEPTH": (0, 999_999_999), "MAXMSGL": (0, 104_857_600), "MAXFSIZE": (20, 267_386_880),
    "BOTHRESH": (0, 999_999_999), "CAPEXPRY": (1, 999_999_999), "QDEPTHHI": (0, 100),
}  # fmt: skip


def edges(least: int, most: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from([least, least + 1, most - 1, most]), st.integers(least, most))


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


@given(text=definitions(), load=st.one_of(st.just(""), loads()))
@example("DEFINE QLOCAL(IN) MAXDEPTH(999999999) MAXMSGL(104857600)", "")
@settings(max_examples=amount(100))
def test_fixes_of_lint_are_taken(text: str, load: str) -> None:
    for finding in lint(estate_of(text, toml=load, whole=True)):
        for change in finding.fix:
            if isinstance(change, CommandFix):
                continue
            for keyword, value in change.attributes.items():
                taken(change.kind, keyword, value if value != "" else " ")


def test_sizes_and_thresholds_of_an_analysis_are_taken(spark: SparkSession) -> None:
    """Loads from nothing to more than a queue holds, and from no rollback to a loop of years."""
    from mqtriage.pipeline.cohort import _advised
    from mqtriage.pipeline.delay import sized

    dice = drawn_dice()

    def drawn(most: int) -> int:
        return dice.choice([0, 1, most, dice.randrange(most), int(most ** dice.random())])

    counts = [
        (drawn(10**10), drawn(10**10), drawn(10**9), drawn(10**9), drawn(10**13), drawn(10**12))
        for _ in range(60)
    ]
    names = ("held_count", "greatest_curdepth", "held_length", "held_blocks", "unseen_bytes",
             "unseen")  # fmt: skip
    of_times = ("from_us", "until_us", "peak_minute")
    loads = spark.createDataFrame(
        [(*row, 0, 0, 0) for row in counts], ", ".join(f"{n} long" for n in (*names, *of_times))
    )
    for row in sized(loads, 100.0, 50).collect():
        taken("QLOCAL", "MAXDEPTH", row["maxdepth"])
        taken("QLOCAL", "MAXMSGL", row["maxmsgl_bytes"])
        taken("QLOCAL", "MAXFSIZE", row["maxfsize_mb"])
        if row["maxfsize_mb"] == 20:
            told = "20 MB" in row["maxfsize_sum"]
            assert told or row["maxfsize_sum"].endswith("; MAXFSIZE takes 20 to 267386880")

    lives = [
        (drawn(LONG), dice.choice([None, drawn(999_999_999)]), drawn(10**6), drawn(10**6))
        for _ in range(60)
    ]
    schema = "helped_max int, bothresh_now int, given_up long, taken long, every_us long,"
    schema += " attempts array<struct<attempt: int, seen: long, taken: long>>"
    counted = spark.createDataFrame([(*row, None, [(1, 500, 0)]) for row in lives], schema)
    thresholds = [row["bothresh"] for row in _advised(counted).collect()]
    assert any(value is not None for value in thresholds)
    for value in thresholds:
        if value is not None:
            taken("QLOCAL", "BOTHRESH", value)
