"""What operators asked for: what they paste is understood, and hints help with what was typed."""

from __future__ import annotations

import json
import re
import shlex
import struct
from pathlib import Path

import pytest

from mqtriage.cli.frame.console import Terminals
from tests.acceptance.conftest import Bench

FOLDER = b"<jms><Dst>queue:///APP.IN</Dst><Tms>1</Tms><Dlv>2</Dlv></jms>".ljust(64)
JMS = (
    b"RFH "
    + struct.pack(">iiii", 2, 40 + len(FOLDER), 273, 1208)
    + b"MQSTR   "
    + struct.pack(">iii", 0, 1208, len(FOLDER))
    + FOLDER
)


@pytest.mark.parametrize(
    ("pasted", "names"),
    [
        ("7F3", ["MQRC_NOT_AUTHORIZED"]),
        ("MQJE001: Completion Code '2', Reason '2058'.", ["MQJE001", "MQRC_Q_MGR_NAME_ERROR"]),
        ("JMSCC0108", ["JMSCC0108"]),
        ("JMSWMQ1107: A problem with this connection has occurred.", ["JMSWMQ1107"]),
        (
            "JMSCMQ0001: call failed with compcode '2' ('MQCC_FAILED') reason '2035' "
            "('MQRC_NOT_AUTHORIZED').",
            ["JMSCMQ0001", "MQRC_NOT_AUTHORIZED"],
        ),
        ("AMQ9999", ["AMQ9999E"]),
        ("AMQ9999E: Channel 'TO.QM2' to host '10.1.1.9' ended abnormally.", ["AMQ9999E"]),
        ("CSQX599E", ["CSQX599E"]),
        ("MQ-2035", ["MQRC_NOT_AUTHORIZED"]),
        ("rc=2053", ["MQRC_Q_FULL"]),
        ("(2085)", ["MQRC_UNKNOWN_OBJECT_NAME"]),
    ],
)
def test_rc_takes_what_people_paste(bench: Bench, pasted: str, names: list[str]) -> None:
    assert [code["name"] for code in bench.ok("rc", pasted, "-o", "json").item["codes"]] == names
    assert bench.ok("rc", *pasted.split(), "-o", "json").item["codes"][-1]["name"] == names[-1]


def test_rc_reads_a_stack_trace_from_standard_input(bench: Bench, tmp_path: Path) -> None:
    text = (
        "Caused by: com.ibm.mq.MQException: JMSCMQ0001: failed, reason '2053'\n\tat a.B(C.java:9)\n"
    )
    ran = bench.run("rc", "-", "-o", "json", answer=text)
    assert [code["name"] for code in ran.item["codes"]] == ["JMSCMQ0001", "MQRC_Q_FULL"]
    file = tmp_path / "stack.txt"
    file.write_text(text)
    ran = bench.run("rc", str(file))
    assert ran.code == 5
    assert f"hint: for the codes in that file: mqtriage rc - < {file}" in ran.err


def test_the_columns_of_rc_are_those_of_the_codes(bench: Bench) -> None:
    ran = bench.ok("rc", "2009,2059", "--columns", "name,meaning", "-o", "json")
    assert [item["name"] for item in ran.items] == [
        "MQRC_CONNECTION_BROKEN",
        "MQRC_Q_MGR_NOT_AVAILABLE",
    ]
    assert "MQRC_CONNECTION_BROKEN" in bench.ok("rc", "2009", "--columns", "name,meaning").out


@pytest.mark.parametrize("pasted", ["at 2026-11-28 on host(1414)", "MQRC_FOO", "AMQ1"])
def test_rc_guesses_nothing_of_what_it_does_not_know(bench: Bench, pasted: str) -> None:
    ran = bench.run("rc", pasted)
    assert ran.code == 5
    assert "MQRC_NONE" not in ran.err
    assert "MQRC_NOT_AUTHORIZED" in ran.err


def test_which_queue_manager_is_said_once_a_day_or_with_verbose(bench: Bench) -> None:
    assert "using the emulated queue manager QM1" in bench.ok("queue", "ls").err
    assert bench.ok("queue", "ls").err == ""
    assert "using the emulated queue manager QM1" in bench.ok("queue", "ls", "--verbose").err


def test_wrong_usage_is_said_without_remarks_before_it(bench: Bench) -> None:
    ran = bench.run("queue", "ls", "--columns", "nothing-of-it")
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert "using the emulated" in bench.ok("queue", "ls").err  # it is still to be said


def test_a_listing_of_jms_messages_can_be_loaded_as_it_was(bench: Bench) -> None:
    bench.define("APP.IN", "COPY", "BACK")
    (Path(bench.home) / "body").write_bytes(JMS + "übel".encode())
    put = ("msg", "put", "APP.IN", "--file", str(bench.home / "body"), "--md-format", "MQHRF2")
    bench.ok(*put, "--ccsid", "1208", "--encoding", "273", "--yes")
    listed = bench.ok("msg", "browse", "APP.IN", "-o", "ndjson").out
    assert json.loads(listed)["headers_hex"] == JMS.hex().upper()
    bench.ok("msg", "load", "-", "--to", "COPY", "--yes", answer=listed)
    assert bench.run("msg", "diff", "APP.IN", "COPY").code == 0
    hexed = bench.ok("msg", "browse", "APP.IN", "--hex", "-o", "ndjson").out
    bench.ok("msg", "load", "-", "--to", "BACK", "--yes", answer=hexed)
    assert bench.run("msg", "diff", "APP.IN", "BACK").code == 0


def test_of_a_file_without_a_message_no_way_round_is_offered(bench: Bench, tmp_path: Path) -> None:
    bench.define("APP.IN")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    ran = bench.run("msg", "load", str(tmp_path / "binary"), "--to", "APP.IN", "--yes")
    assert ran.code == 8
    assert "--skip-damaged" not in ran.err
    assert "msg archive" in ran.err


@pytest.mark.parametrize("verb", ["apply", "plan", "drift"])
@pytest.mark.parametrize("text", ["", "* nothing but a remark\n"])
def test_a_file_without_commands_is_no_desired_state(
    bench: Bench, tmp_path: Path, verb: str, text: str
) -> None:
    (tmp_path / "none.mqsc").write_text(text)
    ran = bench.run(verb, str(tmp_path / "none.mqsc"))
    assert ran.code == 2
    assert ran.error_line == f"no MQSC in {tmp_path / 'none.mqsc'}"


@pytest.mark.slow
def test_drift_says_what_exact_would_show(bench: Bench, tmp_path: Path) -> None:
    bench.define("APP.IN")
    (tmp_path / "app.mqsc").write_text("DEFINE QLOCAL(APP.IN)\n")
    bench.ok("queue", "set", "APP.IN", "DEFPSIST=YES", "--yes")
    ran = bench.ok("drift", str(tmp_path / "app.mqsc"))
    assert (
        "1 more difference in attributes or records that no file names: --exact shows them"
        in ran.err
    )
    exact = bench.run("drift", str(tmp_path / "app.mqsc"), "--exact", "-o", "json")
    assert [item["attribute"] for item in exact.items] == ["DEFPSIST"]
    assert "--exact" not in exact.err


def test_a_clean_rules_file_is_said_to_be_one(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "dlq.rules").write_text("REASON(MQRC_Q_FULL) ACTION(RETRY)\nACTION(IGNORE)\n")
    ran = bench.ok("dlq", "rules", str(tmp_path / "dlq.rules"))
    assert f"{tmp_path / 'dlq.rules'}: 2 rules, no problems" in ran.err


@pytest.mark.parametrize("first", ["#!/bin/ksh\nQM=QM1\n", "DIR = /tmp\n"])
def test_rules_inside_a_shell_script_are_said_to_be_so(
    bench: Bench, tmp_path: Path, first: str
) -> None:
    script = tmp_path / "crt.ksh"
    script.write_text(f"{first}cat <<EOF > dlq.rules\nACTION(RETRY)\nEOF\nrunmqdlq < dlq.rules\n")
    ran = bench.run("dlq", "rules", str(script))
    assert ran.code != 0
    text = " ".join((ran.out + ran.err).split())
    assert "a shell script, not rules: copy the lines between <<" in text
    assert "TOML" not in text


def test_damaged_toml_is_read_as_toml(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("rules = [\n")
    ran = bench.run("dlq", "run", "-f", str(tmp_path / "bad.toml"))
    assert ran.code == 2
    assert "not TOML" in ran.error_line


def test_a_run_of_rules_ends_in_a_table(bench: Bench, tmp_path: Path) -> None:
    bench.define("DLQ", "APP.IN")
    bench.ok("msg", "put", "APP.IN", "x", "--yes")
    move = ("msg", "move", "APP.IN", "--to", "DLQ", "--add-dlh", "MQRC_Q_FULL", "--yes")
    bench.ok(*move)
    (tmp_path / "r").write_text("REASON(MQRC_PUT_INHIBITED) ACTION(RETRY)\nACTION(DISCARD)\n")
    out = bench.ok("dlq", "run", "DLQ", "-f", str(tmp_path / "r"), "--yes").out
    last = [line.split() for line in out.splitlines()[-3:]]
    assert last == [
        ["RULE", "LINE", "ACTION", "DONE", "FAILED_ATTEMPTS"],
        ["1", "1", "RETRY", "0", "0"],
        ["2", "2", "DISCARD", "1", "0"],
    ]


def test_eighty_columns_hold_the_backout_queue_and_get_before_the_type(bench: Bench) -> None:
    bench.define("APP.BO", "APP.IN.WITH.A.LONGER.NAME")
    args = ("queue", "set", "APP.IN.WITH.A.LONGER.NAME", "BOTHRESH=3", "BOQNAME=APP.BO", "--yes")
    bench.ok(*args)
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    ran = bench.run("queue", "ls", terminals=Terminals(stdout=True))
    head = ran.out.split("\n")[0].split()
    assert {"GET", "BOQNAME"} <= set(head)
    assert "TYPE" not in head
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_every_attribute_of_a_queue_can_be_a_column(bench: Bench) -> None:
    bench.define("APP.IN")
    ran = bench.ok(
        "queue", "ls", "APP.*", "--columns", "queue,cluster,defpsist,trigtype", "-o", "csv"
    )
    assert ran.out.splitlines() == ["queue,cluster,defpsist,trigtype", "APP.IN,,NO,FIRST"]
    plain = bench.ok("queue", "ls", "APP.*", "-o", "json").items[0]
    assert "cluster" not in plain


@pytest.mark.parametrize(
    ("words", "needed", "misleading"),
    [
        (("expiry", "sweep", "APP.*"), "whole name", "at its end"),
        (("check", "queue", "APP.IN", "--warn", "lots"), "70% or 1000 or 10m", "duration"),
        (("emulator", "clock", "-1h"), "-1h: negative values are not allowed", "-1;"),
        (("completion", "tcsh"), "bash, zsh or fish", "bash|zsh"),
        (("snapshot", "take", "--folder", "/proc/x"), "another folder", "--out"),
    ],
)
def test_a_hint_is_about_what_was_typed(
    bench: Bench, words: tuple[str, ...], needed: str, misleading: str
) -> None:
    bench.define("APP.IN")
    ran = bench.run(*words)
    assert ran.code
    assert needed in ran.err
    assert misleading not in ran.err


@pytest.mark.parametrize(
    ("words", "head"),
    [
        ((), "MQTRIAGE(1)"),
        (("journal",), "MQTRIAGE-JOURNAL(1)"),
        (("mqtriage-journal",), "MQTRIAGE-JOURNAL(1)"),
        (("backout", "7"), "MQTRIAGE-BACKOUT(7)"),
        (("mqtriage-delay(7)",), "MQTRIAGE-DELAY(7)"),
        (("msg", "move"), "MQTRIAGE-MSG(1)"),
        (("doctor",), "MQTRIAGE(1)"),
    ],
)
def test_man_shows_a_page(bench: Bench, words: tuple[str, ...], head: str) -> None:
    ran = bench.run("man", *words)
    if ran.code == 5 and "nroff" in ran.err:
        pytest.skip("no program lays out manual pages here")
    assert ran.out.split()[0] == head
    assert "\b" not in ran.out


def test_man_copies_all_pages(bench: Bench, tmp_path: Path) -> None:
    bench.ok("man", "--out", str(tmp_path))
    assert (tmp_path / "man1" / "mqtriage-msg.1").is_file()
    assert bench.run("man", "no-such-page").code == 5


def test_a_plan_says_how_it_will_go(bench: Bench, tmp_path: Path) -> None:
    bench.define("APP.IN", "PARK")
    for _ in range(5):
        bench.ok("msg", "put", "APP.IN", "x", "--yes")
    move = ("msg", "move", "APP.IN", "--to", "PARK", "--rate", "2/s")
    facts = bench.ok(*move, "-n", "-o", "json").item["facts"]
    assert (facts["batch"], facts["rate"], facts["expected_ms"]) == (1, "2/s", 3000)
    shown = bench.ok(*move, "-n").out
    assert [line.split(None, 1) for line in shown.splitlines() if "rate" in line] == [
        ["rate", "2/s"]
    ]
    asked = bench.run(*move, answer="n\n", terminals=Terminals(stdin=True, stderr=True)).err
    assert "at QM1, 2/s in batches of 1, about 3s. Continue?" in asked
    bench.ok(*move, "--plan", str(tmp_path / "saved"))
    facts = bench.ok("apply", str(tmp_path / "saved"), "-n", "-o", "json").item["facts"]
    assert (facts["batch"], facts["rate"], facts["expected_ms"]) == (1, "2/s", 3000)
    none = bench.ok("msg", "move", "APP.IN", "--to", "PARK", "-n", "-o", "json").item["facts"]
    assert (none["rate"], none["expected_ms"]) == ("no limit", None)


@pytest.fixture
def poisoned(bench: Bench) -> Bench:
    """APP.IN with its backout queue, which holds two messages."""
    bench.define("APP.BO")
    args = ("backout", "set", "APP.BO.OF", "--threshold", "3", "--boq", "APP.BO", "--yes")
    bench.define("APP.BO.OF")
    bench.ok(*args)
    for _ in range(2):
        bench.ok("msg", "put", "APP.BO", "x", "--yes")
    return bench


def test_settings_without_a_fault_name_what_holds_messages(poisoned: Bench) -> None:
    empty = poisoned.ok("backout", "ls", "--problems").err  # there is nothing to compare with
    line = "APP.BO contains 2 messages of at most 5000: mqtriage backout causes APP.BO"
    assert f"{line}\n" in empty
    poisoned.ok("msg", "put", "APP.BO.OF", "x", "--yes")
    ran = poisoned.ok("backout", "ls", "--problems")
    assert f"{line} --against APP.BO.OF\n" in ran.err
    assert "APP.BO" not in poisoned.ok("backout", "ls", "--problems", "-o", "json").err


def test_a_check_for_people_names_the_next_command(poisoned: Bench) -> None:
    ran = poisoned.run("check", "backout")
    assert ran.code == 1
    assert ran.err.splitlines()[-1] == "next: mqtriage backout causes APP.BO"
    assert "next:" not in poisoned.run("check", "backout", "--format", "nagios").err


def test_a_forecast_says_how_many_messages_are_due_after_its_end(bench: Bench) -> None:
    bench.define("OUT")
    bench.ok("msg", "put", "OUT", "late", "--delay", "30d", "--yes")
    ran = bench.ok("delay", "forecast")
    assert "1 message is due after the end of this forecast (1d): use a longer --horizon" in (
        ran.err
    )
    bench.ok("msg", "put", "OUT", "later", "--delay", "31d", "--yes")
    ran = bench.ok("delay", "forecast", "--heat", "-o", "json")
    assert ran.json["warnings"][0].startswith("2 messages are due after the end of this")
    assert "end of this forecast" not in bench.ok("delay", "forecast", "--horizon", "32d").err


def test_a_forecast_that_does_not_fit_names_the_attribute(bench: Bench) -> None:
    bench.define(SMALL="MAXDEPTH=2")
    for _ in range(5):
        bench.ok("msg", "put", "SMALL", "x", "--delay", "1h", "--yes")
    ran = bench.ok("delay", "forecast")
    assert "SMALL will be full: mqtriage queue set SMALL MAXDEPTH=5 -n" in ran.err
    bench.ok("queue", "set", "SMALL", "MAXDEPTH=5", "--yes")
    assert "will be full" not in bench.ok("delay", "forecast").err
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "MAXDEPTH=5", "--yes")
    assert "mqtriage delay define --rate" in bench.ok("delay", "forecast").err


def test_a_forecast_names_what_takes_messages_that_are_too_long(bench: Bench) -> None:
    bench.define("SHORT")
    for size in (200, 300, 50):
        bench.ok("msg", "put", "SHORT", "x" * size, "--delay", "1h", "--yes")
    bench.ok("queue", "set", "SHORT", "MAXMSGL=100", "--yes")
    err = bench.ok("delay", "forecast").err
    (size,) = re.findall(r"(?m)^SHORT has a MAXMSGL that is too small: mqtriage queue set SHORT"
                         r" MAXMSGL=(\d+) -n$", err)  # fmt: skip
    bench.ok("queue", "set", "SHORT", "MAXDEPTH=2", "--yes")
    both = "SHORT has a MAXMSGL that is too small: mqtriage queue set SHORT MAXDEPTH=3"
    assert f"{both} MAXMSGL={size} -n" in bench.ok("delay", "forecast").err.splitlines()
    bench.ok("queue", "set", "SHORT", "MAXDEPTH=3", f"MAXMSGL={int(size) - 1}", "--yes")
    assert f"SHORT MAXMSGL={size} -n" in bench.ok("delay", "forecast").err
    bench.ok("queue", "set", "SHORT", f"MAXMSGL={size}", "--yes")
    assert "queue set" not in bench.ok("delay", "forecast").err


def test_sizes_with_and_without_the_delay_header_have_headings_of_their_own(bench: Bench) -> None:
    bench.define("OUT")
    bench.ok("msg", "put", "OUT", "x" * 100, "--delay", "1h", "--yes")
    staged = bench.ok("delay", "browse", "--group", "target").out
    due = bench.ok("delay", "forecast").out
    assert ("STAGED_BYTES" in staged, "DELIVERED_BYTES" in due) == (True, True)
    assert " BYTES" not in staged + due


def test_a_verification_of_several_queue_managers_says_of_which_and_what_it_left_out(
    bench: Bench,
) -> None:
    for name in ("QM1", "QM2"):
        bench.run("emulator", "create", name)
        bench.ok("-m", name, "queue", "define", "APP.IN", "--yes")
        bench.ok("-m", name, "msg", "put", "APP.IN", "x", "--yes")
        purge = ("-m", name, "msg", "purge", "APP.IN", "--yes", "--confirm", "APP.IN")
        bench.ok(*purge)
    bench.ok("-m", "QM1", "msg", "put", "APP.IN", "x", "--yes")
    ran = bench.ok("journal", "verify", "--limit", "1")
    header, row = (line.split() for line in ran.out.splitlines())
    assert row[header.index("QMGR")] == "QM2"
    assert "; the last one is put APP.IN at QM1" in ran.err
    assert "the last one" not in bench.ok("journal", "verify").err


def test_a_person_is_told_what_undoes_a_script_is_not(bench: Bench) -> None:
    bench.define("APP.IN", "PARK")
    for terminals in (Terminals(), Terminals(stdin=True, stdout=True, stderr=True)):
        bench.ok("msg", "put", "APP.IN", "x", "--yes")
        ran = bench.run("msg", "move", "APP.IN", "--to", "PARK", "--yes", terminals=terminals)
        assert ran.code == 0
        assert ("journal undo" in ran.err) is terminals.stdout
        assert ("journal verify" in ran.err) is terminals.stdout


@pytest.mark.parametrize(
    "words",
    [
        "msg load saved.ndjson --to OPS.PARKED",
        "archive restore saved.ndjson --to OPS.PARKED",
        "dlq requeue --reason MQRC_Q_FULL --to OPS.PARKED",
        "backout requeue ORDERS.BO --to origin --accept-likely",
    ],
)
def test_each_verb_that_puts_copies_takes_the_end_of_their_lifetime(
    sample: Bench, words: str, tmp_path: Path
) -> None:
    """Their help has said so all along."""
    file = str(tmp_path / "saved.ndjson")
    sample.ok("msg", "archive", "ORDERS.BO", "--limit", "1", "--out", file)
    argv = words.replace("saved.ndjson", file).split()
    assert "in the past" in sample.run(*argv, "--expiry", "2020-01-01", "--yes").err
    end = "2099-11-29T23:00:00Z"
    sample.run(*argv, "--expiry", end, "--yes")
    queue = "ORDERS.IN" if "origin" in argv else "OPS.PARKED"
    tenths = [it["expiry_tenths"] for it in sample.ok("msg", "browse", queue, "-o", "json").items]
    assert any(it > 10**8 for it in tenths), tenths


@pytest.mark.parametrize("at", ["tomorrow 18:00", "2099-11-29 23:00", "2099-11-29T23:00"])
def test_a_due_time_may_be_local_and_its_zone_is_said(sample: Bench, at: str) -> None:
    ran = sample.ok("delay", "reschedule", "--target", "ORDERS.IN", "--at", at, "-n")
    assert f"note: --at {at} is local time (UTC" in ran.err
    assert ":00:00Z" in ran.out


def test_a_due_time_of_today_that_is_past_says_what_time_it_is(sample: Bench) -> None:
    ran = sample.run("delay", "reschedule", "--at", "0:00", "-n")
    assert ran.code == 2
    assert "is in the past, it is 20" in ran.error_line
    assert "'tomorrow 18:00'" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("journal", "ls", "--since", "yesterday"),
        ("journal", "ls", "--since", "0:00", "--until", "tomorrow"),
        ("msg", "browse", "ORDERS.IN", "--where", "put_time > today"),
        ("msg", "browse", "ORDERS.IN", "--where", "put_time between 0:00 and 23:59:59"),
        ("delay", "browse", "--due-after", "yesterday 9:00"),
        ("msg", "move", "ORDERS.IN", "--to", "APP.OUT", "--expiry", "tomorrow 8:00", "-n"),
        ("journal", "verify", "--since", "yesterday"),
        ("incident", "--since", "yesterday", "--out", "INCIDENT"),
    ],
)
def test_every_option_that_takes_a_time_reads_a_local_one(
    sample: Bench, words: tuple[str, ...], tmp_path: Path
) -> None:
    sample.define("APP.OUT")
    words = tuple(str(tmp_path / word) if word == "INCIDENT" else word for word in words)
    ran = sample.run(*words)
    assert "is local time (UTC" in ran.err
    assert ran.code in (0, 4, 8)


def test_exported_snapshots_begin_so_long_ago(sample: Bench, tmp_path: Path) -> None:
    folder, out = tmp_path / "snapshots", tmp_path / "out"
    sample.ok("snapshot", "take", "--folder", str(folder))
    for since, rows in (("2h", True), ("tomorrow", False)):
        place = out / since
        sample.run(
            "snapshot", "export", "--folder", str(folder), "--out", str(place), "--since", since
        )
        assert any(place.rglob("*.*")) is rows


def test_a_person_who_purges_reads_once_how_the_same_messages_are_parked(sample: Bench) -> None:
    all_three = Terminals(stdin=True, stdout=True, stderr=True)
    select = ("ORDERS.BO", "--where", "length_bytes > 0", "--expect", "2")
    gentler = (
        "to park them instead: mqtriage msg move ORDERS.BO --where 'length_bytes > 0'"
        " --to PARK --expiry 7d -n"
    )
    before = sample.run("msg", "-m", "QM1", "purge", *select, "-n", terminals=all_three)
    assert "to park them instead: mqtriage msg move -m QM1" in before.err.replace("\n", " ")
    for verb in (("msg", "purge"), ("backout", "purge")):
        shown = sample.run(*verb, *select, "-n", terminals=all_three)
        asked = sample.run(*verb, *select, answer="n\n", terminals=all_three)
        assert (shown.code, asked.code) == (0, 8), (shown, asked)
        for ran in (shown, asked):
            assert ran.err.replace("\n", " ").count(gentler) == 1, ran
    parked = shlex.split(gentler.partition(": mqtriage ")[2].replace("PARK", "OPS.PARKED"))
    sample.ok(*parked)
    for quiet in (["-n", "-q"], ["-n", "-o", "json"], ["--yes"]):
        ran = sample.run("msg", "purge", *select, *quiet, terminals=all_three)
        assert "park them" not in ran.out + ran.err, ran
    dead = sample.run("dlq", "purge", "--older-than", "0s", "-n", terminals=all_three)
    assert "park them" not in dead.err  # its conditions are on the dead-letter header
    script = sample.run("msg", "purge", "ORDERS.IN", "--limit", "1", "-n")
    assert "park them" not in script.err
