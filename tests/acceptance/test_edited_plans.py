"""A plan file that somebody edited and sealed again: it does what it shows, or it is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Bench, with_copy
from tests.acceptance.test_every_command import line_of
from tests.acceptance.test_plans_and_guards import VERBS
from tests.support.filled_bench import filled_bench
from tests.support.scale import SCALE, amount
from tests.support.tools import drawn_dice

PLAN = Path("saved.plan")
OTHERS: tuple[Any, ...] = (
    None, True, -1, 0, 7, 1 << 70, 1.5, float("nan"), "5", "", "\ud800", "move", "EMPTY.Q", [], {},
    ["x"], {"x": 1},
)  # fmt: skip
"""What a value is replaced by."""
ELSEWHERE = {"release", "reschedule", "handle", "purge"}
"""They put messages, or reports on them, where their plan names no target."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = filled_bench(tmp_path_factory.mktemp("filled") / "home")
    bench.ok("emulator", "clock", "QM1", "freeze")  # nothing expires while edits are tried
    return bench


@pytest.fixture
def bench(filled: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    copied = with_copy(Bench(tmp_path / "home"), filled.path())
    copied.environ["MQTRIAGE_QMGR"] = "QM1"
    monkeypatch.chdir(tmp_path)
    Path("dlq.rules").write_text("ACTION(FWD) FWDQ(EMPTY.Q) HEADER(NO)\n", "utf-8")
    Path("script.mqsc").write_text(
        "ALTER QLOCAL(ORDERS.IN) MAXDEPTH(9)\nDEFINE QLOCAL(NEW.Q) LIKE(ORDERS.IN)\n", "utf-8"
    )
    return copied


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PLAN.read_text("ascii").splitlines()]


def seal(lines: list[dict[str, Any]]) -> None:
    """Write the plan again as whoever edits it can."""
    body = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines[:-1])
    end = {**lines[-1], "sha256": sha256(body.encode()).hexdigest()}
    PLAN.write_text(body + json.dumps(end) + "\n", "ascii")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to each value in a record."""
    if path:
        yield path
    inner = enumerate(value) if isinstance(value, list) else ()
    for key, item in value.items() if isinstance(value, dict) else inner:
        yield from places(item, (*path, key))


def edited(lines: list[dict[str, Any]], path: tuple[Any, ...], value: Any) -> list[dict[str, Any]]:
    copy: Any = json.loads(json.dumps(lines))
    *above, last = path
    place = copy
    for key in above:
        place = place[key]
    place[last] = value
    assert isinstance(copy, list)
    return copy


def depths(bench: Bench) -> dict[str, int]:
    """Of every queue, read from the file: thousands of times."""
    with closing(sqlite3.connect(bench.path())) as file:
        return dict(file.execute("SELECT name, depth FROM queue JOIN counter ON queue = id"))


def save_plan(bench: Bench, path: str) -> None:
    words = [word for word in line_of(path).split() if word != "--yes"]
    PLAN.unlink(missing_ok=True)
    if path == "plan":
        bench.ok("plan", "script.mqsc", "--out", str(PLAN))
    else:
        bench.ok(*words, "--plan", str(PLAN))


@pytest.mark.parametrize("path", [*VERBS, "plan"])
@pytest.mark.slow
def test_an_edited_plan_does_what_it_shows_or_is_refused(
    bench: Bench, filled: Bench, path: str
) -> None:
    save_plan(bench, path)
    whole = records()
    before = depths(bench)
    heads = [(0, *place) for place in places(whole[0])]
    edits = [(at, value) for at in heads for value in OTHERS]
    edits += [((1, *place), value) for place in places(whole[1]) for value in OTHERS]
    if SCALE != "all":
        edits = drawn_dice().sample(edits, min(len(edits), amount(25, all=600)))
    for at, value in edits:
        seal(edited(whole, at, value))
        case = f"{path}: {at} = {value!r}"
        dry = bench.run("apply", str(PLAN), "-n", "-o", "json")
        assert "internal" not in dry.err.lower(), f"{case}: {dry.err}"
        shown = dry.json.get("item") if dry.out else None
        count = str(shown["count"]) if shown else "1"
        queue = shown["queue"] if shown else "ORDERS.IN"
        ran = bench.run("apply", str(PLAN), "--yes", "--expect", count, "--confirm", queue)
        assert "internal" not in ran.err.lower(), f"{case}: {ran.err}"
        if ran.code not in (0, 3):
            assert ran.error_line, case
        after = depths(bench)
        gained = {name for name in after if after[name] > before.get(name, 0)}
        if after != before:
            assert shown is not None, case
            if shown["action"] not in ELSEWHERE:
                reports = {"PAYMENTS.REPLY"} if shown["reports"] else set()
                targets = {*reports, shown["target"], *shown["facts"].get("destinations", ())}
                assert gained <= targets, case
            with_copy(bench, filled.path())


def test_a_plan_whose_parts_go_elsewhere_than_it_shows_is_refused(bench: Bench) -> None:
    save_plan(bench, "msg move")
    seal(edited(records(), (0, "parts", 0, "target"), "PAYMENTS.IN"))
    before = depths(bench)
    ran = bench.run("apply", str(PLAN), "--yes")
    assert (ran.code, "one of its parts about ORDERS.IN and PAYMENTS.IN" in ran.error_line) == (
        8,
        True,
    )
    assert depths(bench) == before


def test_a_message_that_asks_for_other_reports_than_the_plan_says_is_another(bench: Bench) -> None:
    """The plan showed no report, and the move sent one."""
    save_plan(bench, "msg move")
    lines = records()
    (number,) = (at for at, line in enumerate(lines) if line.get("report"))
    seal(edited(lines, (number, "report"), 0))
    before = depths(bench)
    ran = bench.run("apply", str(PLAN), "--yes")
    assert (ran.code, "the plan is stale: 1 of 4 is not" in ran.error_line) == (8, True)
    assert depths(bench) == before


def test_a_move_without_a_target_is_not_a_plan(bench: Bench) -> None:
    save_plan(bench, "msg move")
    lines = edited(records(), (0, "parts", 0, "target"), None)
    del lines[0]["request"]["target"]
    seal(edited(lines, (0, "request", "archive"), None))
    before = depths(bench)
    ran = bench.run("apply", str(PLAN), "--yes")
    assert (ran.code, ran.error_line) == (8, f"plan {PLAN}: move without a target")
    assert depths(bench) == before


@pytest.mark.parametrize("count", ["5", True, -1, 3.0, 1 << 70, None])
def test_a_count_that_is_not_one_is_one_clear_line(bench: Bench, count: object) -> None:
    save_plan(bench, "msg move")
    seal(edited(records(), (0, "parts", 0, "messages"), count))
    ran = bench.run("apply", str(PLAN), "--yes")
    assert ran.code == 8
    assert f"plan {PLAN}: " in ran.error_line


@pytest.mark.parametrize("key", ["qmgr", "at", "maker"])
def test_a_surrogate_is_one_clear_line(bench: Bench, key: str) -> None:
    """In the time, it was an internal error of the journal."""
    save_plan(bench, "msg move")
    seal(edited(records(), (0, key), "\ud800"))
    for consent in ("-n", "--yes"):
        ran = bench.run("apply", str(PLAN), consent)
        assert (ran.code, f"plan {PLAN}: " in ran.error_line) == (8, True), ran


@pytest.mark.parametrize(
    ("keyword", "value"), [("MAXDEPTH", -1), ("MAXDEPTH", "9"), ("MAXDEPTH", 1 << 40)]
)
def test_a_value_that_no_queue_can_have_is_not_in_a_plan(
    bench: Bench, keyword: str, value: object
) -> None:
    """-1 was an internal error of the rehearsal."""
    save_plan(bench, "plan")
    seal(edited(records(), (1, "desired", "attributes", keyword), value))
    for consent in ("-n", "--yes"):
        ran = bench.run("apply", str(PLAN), consent)
        assert (ran.code, ran.error_line) == (8, f"plan {PLAN}: a line is damaged"), ran


def test_a_plan_of_rules_shows_what_its_rules_do(bench: Bench) -> None:
    save_plan(bench, "dlq run")
    shown = bench.ok("apply", str(PLAN), "-n", "-o", "json").item
    assert ["FWD" in line and "hits" in line for line in shown["facts"]["rules"]] == [True]
    rules = "ACTION(DISCARD)\n"
    seal(edited(records(), (0, "request", "to", "table"), rules))
    shown = bench.ok("apply", str(PLAN), "-n", "-o", "json").item
    assert "DISCARD" in shown["facts"]["rules"][0]


@pytest.mark.parametrize(
    ("notes", "code"),
    [(["checked\nby us"], 0), ("checked", 8), ([1], 8), ({"x": 1}, 8), (["\ud800"], 8)],
)
def test_a_note_in_a_plan_reads_as_what_its_maker_was_shown(
    bench: Bench, notes: object, code: int
) -> None:
    save_plan(bench, "msg move")
    seal(edited(records(), (0, "notes"), notes))
    ran = bench.run("apply", str(PLAN), "-n")
    assert ran.code == code, ran
    assert ("when planned: checked\\nby us\n" in ran.out) == (code == 0)
