"""Tables on narrow terminals: no name is broken over two lines, and what has no room is told."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from mqtriage.commands.top import _fields
from tests.acceptance.conftest import ON_A_TERMINAL, Bench, with_copy

QUEUE = "PAYMENTS.SETTLEMENT.EUROPE.INSTANT.REQUESTS.0001"
BACKOUT = "PAYMENTS.SETTLEMENT.EUROPE.INSTANT.BACKOUTS.0001"
START = 20
"""So much of a name tells that it is meant."""

LISTINGS = (
    "queue ls",
    "queue ls SYSTEM*",
    "delay status",
    "delay browse",
    "delay forecast",
    "backout ls",
    "backout pending",
    f"backout browse {BACKOUT}",
    f"backout browse {BACKOUT} --group origin",
    f"backout explain {QUEUE}",
    "expiry status",
    f"expiry browse {QUEUE}",
    "dlq browse",
    "dlq causes",
    f"msg browse {QUEUE}",
    "journal ls",
    "journal verify",
    "archive ls",
    "lint",
    "check queue",
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    assert len(QUEUE) == len(BACKOUT) == 48
    bench = Bench(tmp_path_factory.mktemp("narrow") / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.define(QUEUE, BACKOUT)
    bench.ok("backout", "set", QUEUE, "--threshold", "2", "--boq", BACKOUT, "--yes")
    bench.ok("msg", "put", QUEUE, "body", "--count", "2", "--yes")
    bench.ok("emulator", "lab", "rollback", QUEUE, "--times", "3")
    bench.ok("msg", "copy", QUEUE, "--to", BACKOUT, "--limit", "1", "--yes")
    bench.ok("msg", "put", QUEUE, "later", "--delay", "1h", "--yes")
    bench.ok("msg", "move", QUEUE, "--to", BACKOUT, "--limit", "1", "--yes")
    return bench


@pytest.fixture
def narrow(filled: Bench, tmp_path: Path) -> Bench:
    bench = with_copy(Bench(tmp_path / "home"), filled.path())
    for folder in ("archive", "journal"):
        shutil.copytree(filled.home / folder, bench.home / folder)
    bench.environ |= {"COLUMNS": "80", "MQTRIAGE_QMGR": "QM1", "NO_COLOR": "1"}
    return bench


@pytest.mark.parametrize("line", LISTINGS)
@pytest.mark.slow
def test_at_80_columns_no_name_of_48_letters_is_broken(narrow: Bench, line: str) -> None:
    names = [QUEUE, BACKOUT, *system_names(narrow)]
    ran = narrow.run(*line.split(), terminals=ON_A_TERMINAL)
    assert ran.code in {0, 1}, ran.err
    for name in names:
        for text in ran.out.splitlines():
            if name[:START] in text and not any(other in text for other in names):
                assert "…" in text, text
    # sentences, and names of files that hold a name of 48 letters, are the terminal's to break
    if line not in {"check queue", "archive ls"}:
        assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("line", [*LISTINGS, "journal ls --msgid {}"])
@pytest.mark.slow
def test_wide_shows_every_value_whole_at_80_columns(narrow: Bench, line: str) -> None:
    """The columns of `journal ls --msgid` were few enough to be squeezed into the line."""
    if "{}" in line:
        moved = next(i for i in narrow.ok("journal", "ls", "-o", "json").items if i["done"])
        shown = narrow.ok("journal", "show", moved["op"], "--messages", "-o", "json")
        line = line.format(shown.items[0]["msg_id"])
    ran = narrow.run(*line.split(), "--wide", terminals=ON_A_TERMINAL)
    assert ran.code in {0, 1}, ran.err
    assert "…" not in ran.out
    if line == "check queue":  # it prints sentences, and names of problems only
        return
    csv = narrow.run(*line.split(), "--wide", "-o", "csv").out
    places = [rest.split(",")[0] for rest in csv.replace("\n", ",").split(",")]
    words = ran.out.split()
    for value in {
        place for place in places if re.fullmatch("[0-9A-F]{48}|[0-9A-Z.]{26,48}", place)
    }:
        assert value in words or not value.strip("0"), value


def system_names(bench: Bench) -> list[str]:
    with bench.connected() as backend:
        return [queue.name for queue in backend.queues("SYSTEM.*") if len(queue.name) > START]


def test_queue_ls_at_80_columns_is_a_table_and_says_what_it_leaves_out(narrow: Bench) -> None:
    ran = narrow.run("queue", "ls", terminals=ON_A_TERMINAL)
    heading, _, *rows = ran.out.splitlines()
    assert heading.split()[:2] == ["QUEUE", "CURDEPTH"]
    assert any(row.startswith(f"{QUEUE} ") for row in rows)
    assert "do not fit in 80 columns" in ran.err
    assert "BOQNAME" in ran.err
    assert "--wide" in ran.err
    assert "do not fit" not in narrow.run("-q", "queue", "ls", terminals=ON_A_TERMINAL).err


@pytest.mark.parametrize(
    ("line", "headings"),
    [
        ("backout causes ORDERS.BO --against ORDERS.IN", "COUNT WHAT_THEY_SHARE AGAINST"),
        ("backout browse ORDERS.BO", "ORIGIN ORIGIN_SURE CAUSE"),
        ("queue ls", "CURDEPTH %FULL GET BOTHRESH BOQNAME"),
        ("journal ls", "ACTION DONE STATE"),
        ("dlq causes", "COUNT SHARE REASON DEST_Q"),
        ("dlq causes --dest PAYMENTS.IN", "COUNT REASON DEST_Q PUT_APPL"),
        ("msg browse ORDERS.BO", "PUT_TIME BACKOUT PUT_APPL"),
        ("backout pending", "QUEUE BACKOUT STATE AGE PUT_APPL"),
        # one look has no rates, and columns without a value are left out first
        ("top queues --count 1", "QUEUE CURDEPTH %FULL OLDEST POISON"),
    ],
)
@pytest.mark.slow
def test_at_80_columns_what_decides_is_there(tmp_path: Path, line: str, headings: str) -> None:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("msg", "put", "OPS.PARKED", "x", "--yes")
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}  # top as a listing
    ran = bench.run(*line.split(), terminals=ON_A_TERMINAL)
    shown = ran.out.splitlines()[0].split()
    assert [name for name in shown if name in headings.split()] == headings.split(), shown


def test_the_time_of_the_dead_letter_header_has_a_heading_of_its_own(tmp_path: Path) -> None:
    """PUT_TIME was that of the header in `dlq browse`, and that of the descriptor elsewhere."""
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    columns = ("--columns", "dlq_put_time,put_time", "--limit", "1")
    heading, row = bench.ok("dlq", "browse", *columns).out.splitlines()
    assert heading.split() == ["DLQ_PUT_TIME", "MQMD_PUT_TIME"]
    dead, put = row.split()
    assert dead.startswith("2026-01-31T") and not put.startswith("2026-01-31T")


def test_at_80_columns_the_proof_of_a_requeue_is_there(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes")
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    heading = bench.run("journal", "verify", terminals=ON_A_TERMINAL).out.splitlines()[0].split()
    shown = "OP ACTION QUEUE GETS PUTS ARCHIVED PUT_AND_ARCHIVED VERDICT"
    assert " ".join(heading) == shown


def test_a_time_loses_its_seconds_before_its_column_is_left_out(tmp_path: Path) -> None:
    """BEGAN of journal ls did not fit, and USER and PARKED had its room."""
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("dlq", "purge", "--limit", "1", "--allow-reports", "--yes")
    bench.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes")
    bench.environ |= {"COLUMNS": "44", "NO_COLOR": "1"}
    lines = bench.run("journal", "ls", terminals=ON_A_TERMINAL).out.splitlines()
    assert lines[0].split() == ["OP", "BEGAN", "ACTION", "STATE"]
    assert all(
        re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d(Z|[+-]\d\d:\d\d)  ", row) for row in lines[2:]
    )
    assert max(map(len, lines)) <= 44
    for columns, shown in ((80, ["DONE"]), (100, ["TARGET", "DONE"])):
        bench.environ["COLUMNS"] = str(columns)
        lines = bench.run("journal", "ls", terminals=ON_A_TERMINAL).out.splitlines()
        assert all(re.search(r" \d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)  ", row) for row in lines[2:])
        first, last = lines[0].split()[:5], lines[0].split()[-1]
        assert (first, last) == (["OP", "BEGAN", "USER", "ACTION", "QUEUE"], "STATE")
        assert {*shown} <= {*lines[0].split()}


def test_journal_ls_of_several_queue_managers_says_when_and_who(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    for name in ("QM1", "QM2"):
        bench.ok("emulator", "create", name, "--sample")
        bench.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes", "-m", name)
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    ran = bench.run("journal", "ls", "-m", "*", terminals=ON_A_TERMINAL)
    assert {"BEGAN", "QMGR", "USER", "QUEUE"} <= {*ran.out.splitlines()[0].split()}
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("columns", [44, 60, 80])
def test_examples_of_help_break_between_words_and_can_be_pasted(
    narrow: Bench, columns: int
) -> None:
    narrow.environ["COLUMNS"] = str(columns)
    for verb in ("backout causes", "backout requeue", "msg put", "lint"):
        shown = narrow.ok(*verb.split(), "--help-all").out
        examples = shown.partition("Examples:\n")[2].partition("\n\n")[0]
        commands = [line.strip() for line in examples.replace(" \\\n      ", " ").splitlines()]
        assert all(line.startswith("mqtriage ") for line in commands), examples
        assert all(shlex.split(line) for line in commands)
        assert columns < 80 or max(map(len, examples.splitlines())) < columns


def test_the_page_of_a_rule_breaks_between_words_on_a_terminal_only(narrow: Bench) -> None:
    whole = narrow.ok("lint", "explain", "BKO014").out
    shown = narrow.run("lint", "explain", "BKO014", terminals=ON_A_TERMINAL).out
    assert max(map(len, whole.splitlines())) > 80 >= max(map(len, shown.splitlines()))
    assert shown.split() == whole.split()
    assert "BO-12" not in whole


def test_causes_of_dead_letters_are_a_table_and_name_what_explains_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    ran = bench.run("dlq", "causes", terminals=ON_A_TERMINAL)
    assert len(ran.out.splitlines()) == 7, ran.out
    assert "HINT" in ran.err
    assert "mqtriage rc MQRC_" in ran.err
    bench.ok("rc", ran.err.split("mqtriage rc ")[1].split()[0])
    assert "mqtriage rc" not in bench.ok("dlq", "causes").err


def test_without_counted_arrivals_the_net_rate_stays() -> None:
    yields = {field.key: field.yields for field in _fields(has_rates=False)}
    assert yields["net_per_s"] < yields["trend"] < yields["in_per_s"]


def test_a_backout_queue_is_shortened_before_its_queue_is(narrow: Bench) -> None:
    rows = narrow.run("backout", "ls", terminals=ON_A_TERMINAL).out.splitlines()
    (row,) = [row for row in rows if row.startswith(QUEUE)]
    assert BACKOUT not in row
    assert "PAYMEN…S.0001" in row


@pytest.mark.parametrize("line", LISTINGS)
def test_in_a_pipe_nothing_is_cut_or_left_out(narrow: Bench, line: str) -> None:
    narrow.environ["COLUMNS"] = "40"
    ran = narrow.run(*line.split())
    assert "…" not in ran.out
    assert "do not fit" not in ran.err


def test_a_table_that_is_asked_for_in_a_pipe_is_whole_too(narrow: Bench) -> None:
    del narrow.environ["COLUMNS"]
    ran = narrow.run("backout", "ls", "-o", "table")
    assert BACKOUT in ran.out.splitlines()[-1]
    assert "BOQ_MAXDEPTH" in ran.out
    assert "do not fit" not in ran.err
