"""Wrong turns that operators took with only help and docs, and what leads back now."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from mqtriage.cli.frame.tree import COMMANDS, GROUPS, habits
from mqtriage.messages.filters.fields import column_hint
from mqtriage.operations.ledger.rebuild import recount
from mqtriage.operations.ledger.tables import FILE
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


@pytest.mark.parametrize("word", ["hold", "pause", "park", "suspend"])
def test_who_looks_for_a_verb_that_holds_learns_how_to_hold_and_to_release(
    bench: Bench, word: str
) -> None:
    ran = bench.run("delay", word, "--target", "ORDERS.IN")
    assert ran.code == 2
    assert "mqtriage delay cancel --to QUEUE" in ran.err
    assert "mqtriage journal undo" in ran.err


def test_a_release_that_finds_nothing_says_where_cancelled_messages_are(sample: Bench) -> None:
    cancel = ("delay", "cancel", "--target", "ORDERS.IN", "--to", "OPS.PARKED", "--yes")
    op = sample.ok(*cancel, "-o", "json").item["op"]
    ran = sample.ok("delay", "release", "--target", "ORDERS.IN", "--yes")
    moved = "moved 1 message to OPS.PARKED; if you meant that one"
    assert f"{moved}, mqtriage journal undo {op}" in ran.err
    sample.ok("journal", "undo", op, "--yes")
    sample.ok("delay", "release", "--target", "ORDERS.IN", "--yes")
    ran = sample.ok("delay", "release", "--target", "ORDERS.IN", "--yes")
    assert "OPS.PARKED" not in ran.err  # it was put back, and released


def test_a_file_that_is_checked_beside_a_queue_manager_says_so(
    sample: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "a.mqsc"
    file.write_text("DEFINE QLOCAL(A)\n")
    ran = sample.run("lint", str(file), "-m", "QM1", "--select", "BKO")
    assert "QM1 is not queried" in ran.err
    assert "--whole" in ran.err
    assert "is not queried" not in sample.run("lint", str(file), "--select", "BKO").err


def test_causes_lead_to_a_comparison_with_healthy_messages(sample: Bench) -> None:
    ran = sample.ok("backout", "ls", "--problems")
    assert "mqtriage backout causes ORDERS.BO --against ORDERS.IN\n" in ran.err
    assert "--against QUEUE" in sample.ok("backout", "causes", "ORDERS.BO").err
    compared = sample.ok("backout", "causes", "ORDERS.BO", "--against", "ORDERS.IN")
    assert "--against QUEUE" not in compared.err


def test_the_id_of_a_message_to_show_has_no_option(sample: Bench) -> None:
    ran = sample.run("msg", "show", "ORDERS.IN", "--msgid", "0001")
    assert ran.code == 2
    assert "mqtriage msg show QUEUE MSGID" in ran.err


def test_a_requeue_of_dead_letters_has_their_reasons_and_says_which_come_back(
    sample: Bench,
) -> None:
    plan = sample.run("dlq", "requeue", "-n", "-o", "json").item
    assert plan["facts"]["reasons"] == {
        "MQRC_PUT_INHIBITED": 1,
        "MQRC_BACKOUT_THRESHOLD_REACHED": 1,
        "MQRC_Q_FULL": 1,
        "MQFB_APPL_CANNOT_BE_STARTED": 1,
    }
    shown = sample.run("dlq", "requeue", "-n").out
    assert list(plan["facts"]["reasons"]) == sorted(plan["facts"]["reasons"]), "else it varies"
    assert re.search(r"reasons +MQFB_APPL_CANNOT_BE_STARTED 1, MQRC_BACKOUT", shown), shown
    notes = "\n".join(plan["notes"])
    assert "1 message of MQRC_BACKOUT_THRESHOLD_REACHED" in notes
    assert "1 message of MQTRIG" in notes
    chosen = sample.ok("dlq", "requeue", "--reason", "MQRC_Q_FULL", "-n", "-o", "json").item
    assert chosen["facts"]["reasons"] == {"MQRC_Q_FULL": 1}
    assert "MQTRIG" not in "\n".join(chosen["notes"])


def test_the_condition_that_leaves_poison_messages_can_be_pasted(sample: Bench) -> None:
    where = "reason != MQRC_BACKOUT_THRESHOLD_REACHED"
    plan = sample.run("dlq", "requeue", "--where", where, "-n", "-o", "json").item
    assert "MQRC_BACKOUT_THRESHOLD_REACHED" not in plan["facts"]["reasons"]


@pytest.mark.parametrize("verb", [("dlq", "purge"), ("msg", "purge", "DEAD.LETTER.QUEUE")])
def test_a_dry_run_says_which_name_the_purge_needs(sample: Bench, verb: tuple[str, ...]) -> None:
    asked = "--confirm DEAD.LETTER.QUEUE"
    assert asked in sample.ok(*verb, "-n").err
    assert asked not in sample.ok(*verb, "-n", "--limit", "1").err
    assert asked not in sample.ok(*verb, "-n", *asked.split()).err


def test_dead_letters_show_who_sent_them_beside_who_put_them_there(sample: Bench) -> None:
    out = sample.ok("dlq", "browse", "--reason", "MQRC_PUT_INHIBITED").out
    assert "MQMD_PUT_APPL" in out
    assert "amqrmppa" in out
    assert "com.example.WebShop" in out


def test_rules_that_leave_their_messages_say_what_to_do_with_them(sample: Bench) -> None:
    for words, line in (
        (("dlq", "causes"), "mqtriage dlq run -f FILE -n"),
        (("backout", "causes", "ORDERS.BO"), "mqtriage dlq run ORDERS.BO -f FILE -n"),
    ):
        ran = sample.ok(*words, "--emit", "rules")
        assert "replace IGNORE" in ran.err
        assert line in ran.err
        assert "replace IGNORE" not in sample.ok(*words, "--emit", "where").err


def test_a_put_of_which_a_part_had_no_room_says_so_with_quiet_too(sample: Bench) -> None:
    sample.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "MAXDEPTH=4", "--yes")
    for words, count in (("--delay", "1h"), 2), ((), 1):
        put = ("msg", "put", "PAYMENTS.IN", "x", "--count", "5", *words, "--yes", "-q")
        if not words:
            sample.ok("queue", "set", "PAYMENTS.IN", "MAXDEPTH=3", "--yes")
            sample.ok("expiry", "sweep", "PAYMENTS.IN", "--yes")
        ran = sample.run(*put)
        assert (ran.code, len(ran.out.split())) == (3, count), words
        assert f"warning: {count} of 5 {'was' if count == 1 else 'were'} put: " in ran.err
        assert "2053" in ran.err


def test_an_output_form_of_another_kind_leads_to_its_option(sample: Bench) -> None:
    assert "hint: --format github" in sample.run("lint", "-o", "github").err
    assert "hint: --wide shows all columns" in sample.run("queue", "ls", "-o", "wide").err
    assert sample.run("lint", "--format", "github").code == 0


def test_what_says_more_is_not_called_nothing_to_list(sample: Bench, tmp_path: Path) -> None:
    rules = tmp_path / "dlq.rules"
    rules.write_text("REASON(2053) ACTION(RETRY)\n")
    for words, text in (
        (("queue", "status", "ORDERS.IN", "--handles"), "ORDERS.IN: no program has it open"),
        (("dlq", "rules", str(rules)), "1 rule, no problems"),
        (("msg", "diff", "OPS.PARKED", "OPS.PARKED"), "0 only in A"),
    ):
        ran = sample.run(*words, terminals=ON_A_TERMINAL)
        assert text in " ".join(ran.err.split())
        assert "nothing to list" not in ran.err


def test_expiry_explain_names_what_discards_the_messages(sample: Bench) -> None:
    ran = sample.ok("expiry", "explain", "PAYMENTS.IN")
    assert "1 expired message still counted in CURDEPTH: mqtriage expiry sweep PAYMENTS.IN -n" in (
        ran.err
    )


def test_journal_ls_of_several_queue_managers_keeps_their_names(sample: Bench) -> None:
    sample.ok("emulator", "create", "QM2", "--sample")
    for name in "QM1", "QM2":
        sample.ok("delay", "cancel", "--dest", "PAYMENTS.IN", "--to", "OPS.PARKED", "-m", name,
                  "--yes")  # fmt: skip
    sample.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    for words in (), ("-m", "QM1,QM2"):
        assert "QMGR" in sample.run("journal", "ls", *words, terminals=ON_A_TERMINAL).out, words
    assert "QMGR" not in sample.run("journal", "ls", "-m", "QM1", terminals=ON_A_TERMINAL).out


def test_journal_show_has_no_lines_without_a_value(sample: Bench) -> None:
    sample.ok("delay", "cancel", "--dest", "PAYMENTS.IN", "--to", "OPS.PARKED", "--yes")
    out = sample.ok("journal", "show").out
    assert not re.search(r" -$", out, re.MULTILINE)
    assert "planned " in out
    assert "not taken back" not in out
    assert sample.ok("journal", "show", "-o", "json").item["not_taken_back"] == []
    assert sample.ok("journal", "show", "--columns", "op,parked").out.endswith("parked  -\n")


def test_an_undo_that_would_send_reports_names_only_what_it_has(sample: Bench) -> None:
    file = str(sample.home / "orders.ndjson")
    sample.ok("msg", "archive", "ORDERS.IN", "--out", file)
    sample.ok("msg", "load", file, "--to", "OPS.PARKED", "--yes")
    ran = sample.run("journal", "undo", "--yes")
    assert ran.code == 8
    assert "hint: --allow-reports sends these reports\n" in ran.err  # undo has no --where
    moved = sample.run("msg", "move", "OPS.PARKED", "--to", "ORDERS.BO", "--yes")
    assert 'hint: exclude them: --where "report not in (2048)"; --allow-reports' in moved.err


def test_causes_of_no_messages_give_no_tip(sample: Bench) -> None:
    assert "--against QUEUE" not in sample.ok("backout", "causes", "OPS.PARKED").err


def test_pending_names_what_moves_the_messages_or_gives_the_queue_a_threshold(
    sample: Bench,
) -> None:
    sample.ok("emulator", "lab", "rollback", "PAYMENTS.IN", "--times", "2")
    err = sample.ok("backout", "pending").err
    assert "ORDERS.IN has 1 message at BOTHRESH or above: mqtriage backout move ORDERS.IN -n" in err
    words = re.search(r"mqtriage (backout set PAYMENTS.IN .* -n)", err)
    assert words is not None
    assert "BOTHRESH(3)" in sample.ok(*words[1].split()).out
    assert "backout move" not in sample.ok("backout", "pending", "-o", "json").err
    assert "backout move" not in sample.ok("backout", "pending", "PAYMENTS.*").err


def test_pending_says_how_many_queues_it_gives_no_next_step_for(bench: Bench) -> None:
    for number in range(7):
        bench.define(f"APP.Q{number}")
        bench.ok("msg", "put", f"APP.Q{number}", "x", "--yes")
        bench.ok("emulator", "lab", "rollback", f"APP.Q{number}", "--times", "1")
    err = bench.ok("backout", "pending", "-o", "plain").err
    assert err.count("redelivered again and again") == 5
    assert "2 more queues with messages and BOTHRESH(0)\n" in err


def test_analyze_with_a_queue_manager_says_that_it_covers_all(bench: Bench) -> None:
    for verb in ("delay", "depth"):
        for option in ("-m", "--qmgr"):
            ran = bench.run("analyze", verb, option, "QM1")
            assert "analyze covers all queue managers of the snapshots in the folder" in ran.err
            assert "; mqtriage queue status -m QM1 looks at a queue manager now\n" in ran.err


def test_a_group_by_queue_manager_says_that_each_has_its_own_rows(bench: Bench) -> None:
    bench.define("APP.IN")
    for word in ("qmgr", "queue_manager", "QMGR"):
        for argv in (("browse", "APP.IN", "--group"), ("count", "APP.IN", "--by")):
            err = bench.run("msg", *argv, word).err
            assert f"each has its own rows: {argv[-1]} queue\n" in err
        where = bench.run("msg", "browse", "APP.IN", "--where", f"{word} = QM1").err
        assert "-m chooses queue managers; " in where


def test_what_has_no_origin_says_what_to_do(sample: Bench) -> None:
    ran = sample.run("backout", "requeue", "ORDERS.BO", "--to", "origin", "-n")
    assert "no JMS destination other than this queue" in ran.out
    assert "--accept-likely uses ORDERS.IN" in ran.out
    likely = ("--to", "origin", "--accept-likely", "-n")
    assert "--accept-likely uses" not in sample.ok("backout", "requeue", "ORDERS.BO", *likely).out


@pytest.mark.slow
def test_no_difference_is_said_in_a_sentence(sample: Bench) -> None:
    sample.ok("emulator", "create", "QM2", "--sample")
    ran = sample.ok("drift", "-m", "QM1", "--against", "QM2", "--only", "ORDERS.*")
    assert "no differences from QM2\n" in ran.err
    assert ran.out == ""
    same = ("drift", "-m", "QM1", "--against", "QM2", "--only", "ORDERS.*", "-o", "json")
    assert sample.ok(*same).items == []
    assert sample.run(*same[:-2], "--fail-empty").code == 9
    sample.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "-m", "QM2", "--yes")
    ran = sample.run("drift", "-m", "QM1", "--against", "QM2", "--only", "ORDERS.*")
    assert ran.code == 4
    assert "no differences" not in ran.err


def test_columns_have_the_names_of_conditions_too(sample: Bench) -> None:
    names = "backout,put_appl,user,length,reply_to"
    out = sample.ok("msg", "browse", "ORDERS.IN", "--columns", names, "-o", "csv").out
    expected = "backout_count,put_appl_name,user_identifier,length_bytes,reply_to_q"
    assert out.splitlines()[0].lower() == expected
    ran = sample.run("msg", "browse", "ORDERS.IN", "--columns", "lenght")
    assert ran.code == 2
    assert "; nearest: length_bytes" in ran.err


@pytest.mark.parametrize("name", ["from-colleague.qload", "a.ndjson", "of monday.qload"])
@pytest.mark.parametrize("verb", ["browse", "count", "show"])
def test_a_file_in_place_of_a_queue_leads_to_what_lists_it(
    sample: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("msg", verb, name, "-m", "QM1")
    assert "archive ls" not in sample.run(*command).err
    listing = sample.ok("msg", "browse", "ORDERS.IN", "-o", "ndjson").out
    Path(name).write_text(listing)
    ran = sample.run(*command)
    hint = f"mqtriage archive ls {shlex.quote(name)}"
    assert ran.err.endswith(f"\nhint: {hint}\n")
    assert ran.code in (2, 5)
    assert len(sample.ok(*shlex.split(hint)[1:], "-o", "json").items) == len(listing.splitlines())


@pytest.mark.parametrize(
    "words", [("count", "--by", "put_appl,user"), ("browse", "--group=put_appl,user")]
)
def test_a_file_whose_messages_are_to_be_counted_leads_to_what_counts_them(
    sample: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    verb, *options = words
    sample.ok("msg", "archive", "ORDERS.IN", "--out", "a.qld", "--format", "dmpmqmsg")
    sample.ok("msg", "archive", "ORDERS.IN", "--out", "a.ndjson")
    queue = sample.ok("msg", "count", "ORDERS.IN", "--by", "put_appl,user", "-o", "json").items
    for file in ("a.qld", "a.ndjson"):
        ran = sample.run("msg", verb, file, *options, "-m", "QM1")
        hint = f"mqtriage archive ls {file} --group put_appl,user"
        assert ran.err.endswith(f"\nhint: {hint}\n")
        assert len(sample.ok(*hint.split()[1:], "-o", "json").items) == len(queue)


@pytest.mark.parametrize(
    "verb", ["backout browse", "backout causes", "backout explain", "dlq browse", "dlq causes",
             "expiry browse", "expiry explain"],
)  # fmt: skip
def test_verbs_of_other_nouns_lead_from_a_file_to_what_lists_it(
    sample: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("of-monday.qload").write_text(sample.ok("msg", "browse", "ORDERS.IN", "-o", "ndjson").out)
    ran = sample.run(*verb.split(), "of-monday.qload", "-m", "QM1")
    assert ran.code != 0
    assert ran.err.endswith("\nhint: mqtriage archive ls of-monday.qload\n")


@pytest.mark.parametrize("option", ["--columns", "--sort"])
def test_a_field_without_a_column_of_a_file_is_counted_by_a_command_on_a_file(
    sample: Bench, option: str, tmp_path: Path
) -> None:
    name = str(tmp_path / "a.ndjson")
    sample.ok("msg", "archive", "ORDERS.IN", "--out", name)
    ran = sample.run("archive", "ls", name, option, "dest")
    assert ran.code == 2
    assert "hint: mqtriage archive ls FILE --group dest counts by it" in ran.err, ran.err
    sample.ok("archive", "ls", name, "--group", "dest")


def test_the_help_of_a_load_names_what_shows_the_file(sample: Bench) -> None:
    assert "archive ls FILE" in sample.ok("msg", "load", "-h").out


@pytest.mark.parametrize("field", ["age", "body_kind", "body_digest", "target"])
def test_a_field_without_a_column_is_called_that_and_can_be_counted(
    sample: Bench, field: str
) -> None:
    browse = ("msg", "browse", "ORDERS.IN")
    ran = sample.run(*browse, "--columns", f"msgid,{field}")
    assert ran.code == 2
    assert f"--columns: {field} is a --where field without a column here" in ran.err
    by = f"--by {field}"
    assert (f"hint: mqtriage msg count QUEUE {by} counts by it" in ran.err) == (field != "age")
    assert (sample.run("msg", "count", "ORDERS.IN", *by.split()).code == 0) == (field != "age")
    if field != "target":  # a column of staged messages
        shown = " ".join(sample.ok(*browse, "--help-all").out.split())
        assert field in shown.partition("body.PATH, but not ")[2].partition(". ")[0]


@pytest.mark.parametrize("queues", [("ORDERS.IN",), ("ORDERS.*",), ("ORDERS.IN", "ORDERS.BO")])
def test_counts_have_one_form(sample: Bench, queues: tuple[str, ...]) -> None:
    items = sample.ok("msg", "count", *queues, "-o", "json").items
    assert sum(item["message_count"] for item in items) >= 4
    empty = ("msg", "count", *queues, "--where", "backout > 99", "--fail-empty")
    assert sample.run(*empty).code == 9


@pytest.mark.parametrize("words", [("QM1", "+2h"), ("2h", "QM1"), ("2h",)])
def test_the_clock_is_advanced_by_words_in_either_order(
    bench: Bench, words: tuple[str, ...]
) -> None:
    assert bench.ok("emulator", "clock", *words, "-o", "json").item["advanced"] == "2h"


@pytest.mark.parametrize("name", ["PLAY", "A.QUEUE.MANAGER.OF.SOME.THIRTY.LETTERS"])
def test_a_sample_names_the_queue_manager_that_it_is_on(bench: Bench, name: str) -> None:
    bench.ok("emulator", "create", name, "--sample")
    dead = bench.ok("dlq", "browse", "-m", name, "-o", "json").items
    assert {item["dest_q_mgr"] for item in dead} == {name}
    plan = bench.run("dlq", "requeue", "-m", name, "-n", "-o", "json").item
    assert plan["count"] == 4
    replies = bench.ok("msg", "browse", "PAYMENTS.REPLY", "-m", name, "-o", "json").items
    senders = {item["put_appl_name"] for item in (*dead, *replies)}
    assert name[:28] in senders
    assert "QM1" not in senders


GONE = {
    "--all": "msg browse Q --all",
    "--everything": "msg purge Q --everything",
    "--groupid": "msg browse Q --groupid 00",
    "--put-after": "msg browse Q --put-after now",
    "--put-before": "msg purge Q --put-before now",
    "--user": "msg browse Q --user app",
    "--body-hex": "msg browse Q --body-hex 00",
    "--range": "msg browse Q --range 3..7",
    "--index": "msg browse Q --index 3..7",
    "--position": "msg browse Q --position 3..7",
    "--fail-fast": "msg move Q --to P --fail-fast",
    "--emit-where": "dlq causes --emit-where",
    "--emit-rules": "analyze causes --emit-rules",
    "--emit-toml": "backout causes Q --emit-toml",
    "--emit-selectors": "backout causes Q --emit-selectors",
    "--no-archive-bodies": "msg move Q --to P --no-archive-bodies",
    "--at-least": "backout pending --at-least 2",
    "--unset-prop": "msg copy Q --to P --unset-prop a",
    "--mask-prop": "archive copy a --key-file k --mask-prop a",
    "--hash-prop": "archive copy a --key-file k --hash-prop a",
    "--text-lines": "msg archive Q --text-lines",
    "--digest-key-file": "snapshot take --digest-key-file k",
    "--statistics": "lint a.mqsc --statistics",
    "--show-settings": "lint --show-settings",
    "--transacted": "emulator lab consume Q --as asf --transacted",
    "--client-version": "emulator lab consume Q --as asf --client-version 9.1",
    "--poison-discard": "emulator lab consume Q --as asf --poison-discard any",
    "--handling": "emulator lab consume Q --as mqi --handling off",
    "--node-retry": "emulator lab consume Q --as flow --node-retry 1",
    "--failure-terminal": "emulator lab consume Q --as flow --failure-terminal ok",
    "--failure-limit": "emulator lab consume Q --as flow --failure-limit 2x",
    "--executor-memory": "analyze profile a --executor-memory 4g",
    "--packages": "analyze watch a --packages org:a:1",
    "--every": "backout move Q --every 30s",
    "--snapshot-every": "emulator lab simulate --out a --snapshot-every 1h",
    "--origin": "context show --origin",
    "--strip": "delay cancel --to Q --strip",
    "--idle-warn": "check queue Q --idle-warn 3m",
    "--overdue-warn": "check delay --overdue-warn 3m",
    "--overdue-crit": "check delay --overdue-crit 3",
    "--expect-max": "expiry sweep Q --expect-max 3",
    "--unlimited-older-than": "expiry purge Q --unlimited-older-than 30d",
    "--job": "analyze report a --job delay",
}
GONE_ELSEWHERE = {
    "--to": "backout move Q --to PARKED",
    "--plan": "backout set Q --threshold 3 --plan bo.plan",
    "--alias-of": "queue define A --alias-of Q",
    "--freeze": "emulator clock QM1 --freeze",
    "--run": "emulator clock QM1 --run",
    "--definitions": "emulator ls QM1 --definitions",
    "--no-pager": "msg browse Q --no-pager",
    "--watch": "delay status --watch",
}


def test_an_option_that_went_away_says_what_to_type(bench: Bench) -> None:
    assert GONE.keys() == habits("option gone").keys()
    for option, line in GONE.items():
        ran = bench.run(*line.split())
        assert ran.code == (3 if line.startswith("check") else 2), line
        assert f"No such option: {option}" in ran.err, line
        assert habits("option gone")[option] in ran.err, line


def test_an_option_whose_work_is_no_option_now_says_what_to_type(bench: Bench) -> None:
    for option, line in GONE_ELSEWHERE.items():
        ran = bench.run(*line.split())
        assert ran.code == (3 if line.startswith("check") else 2), line
        assert f"No such option: {option}" in ran.err, line
        verb, hints = " ".join(line.split()[:2]), habits("option here")
        hint = hints.get(f"mqtriage {verb} {option}") or hints[f"mqtriage {option}"]
        assert hint in ran.err, line


def test_what_to_type_selects_what_the_options_did(sample: Bench) -> None:
    for option in ("--groupid", "--put-after", "--put-before", "--user", "--body-hex"):
        where = habits("option gone")[option].split('"')[1]
        for word, value in (("ID", "00" * 24), ("TIME", "2026-01-31T00:00:00Z")):
            where = where.replace(f"'{word}'", f"'{value}'")
        sample.ok("msg", "count", "ORDERS.IN", "--where", where)
    where = "body contains X'" + b"order".hex() + "'"
    (item,) = sample.ok("msg", "count", "ORDERS.IN", "--where", where, "-o", "json").items
    assert item["message_count"] > 0


NEXT_AFTER = {
    "msg move ORDERS.BO --to OPS.PARKED --yes": True,
    "msg purge PAYMENTS.IN --yes --limit 1": True,
    "msg purge ORDERS.BO --yes --limit 1 --no-backup": False,
    "msg put ORDERS.IN x --yes -o table": False,
    "expiry sweep PAYMENTS.IN --yes": False,
    "queue set ORDERS.IN MAXDEPTH=9 --yes": True,
    "delay reschedule --target ORDERS.IN --delay 3h --yes": True,
    "delay cancel --target ORDERS.IN --to OPS.PARKED --yes": True,
    "delay define --maxdepth 30 --shrink --yes": True,
    "backout set ORDERS.IN --threshold 9 --yes": True,
}


@pytest.mark.parametrize("line", NEXT_AFTER)
@pytest.mark.slow
def test_an_undo_is_named_only_where_there_is_one(sample: Bench, line: str) -> None:
    ran = sample.run(*line.split(), terminals=ON_A_TERMINAL)
    assert ran.code == 0, ran.err
    assert ("next: mqtriage journal undo" in ran.err) is NEXT_AFTER[line], ran.err
    undone = sample.run("journal", "undo", "--yes", terminals=ON_A_TERMINAL)
    assert (undone.code == 0) is NEXT_AFTER[line], undone.err
    assert "next: mqtriage journal undo" not in undone.err  # an undo of messages cannot be undone


@pytest.mark.parametrize(
    ("line", "guards"),
    [
        ("msg move ORDERS.BO --to OPS.PARKED --yes --expect 2", "--yes --expect 2"),
        ("msg purge ORDERS.BO --limit 1 --confirm QM1 --expect 1", "--yes --expect 1"),
        ("queue set ORDERS.IN MAXDEPTH=9 --confirm QM1", "--confirm QM1"),
    ],
)
def test_the_undo_named_on_a_protected_queue_manager_works_as_printed(
    sample: Bench, line: str, guards: str
) -> None:
    sample.environ["MQTRIAGE_CONFIG"] = str(sample.home / "config.toml")
    sample.ok("context", "add", "prod", "-m", "QM1", "protected=true", "--use")
    ran = sample.run(*line.split(), terminals=ON_A_TERMINAL)
    (undo,) = re.findall(r"mqtriage (journal undo .*?)\s+reverses\s+it", ran.err)
    assert undo.endswith(f" {guards}")
    sample.ok(*undo.split())


DISCARDING = (
    "expiry browse PAYMENTS.IN", "msg browse PAYMENTS.IN", "msg count PAYMENTS.IN",
    "msg browse PAY*",
    "backout pending PAY*", "backout causes PAYMENTS.IN", "msg copy PAYMENTS.IN --to OPS.PARKED -n",
    "msg move PAYMENTS.IN --to OPS.PARKED --yes --allow-reports",
)  # fmt: skip


@pytest.mark.parametrize("line", DISCARDING)
def test_what_a_browse_discarded_is_counted(sample: Bench, line: str) -> None:
    note = (
        "note: QM1 discarded 1 expired message of PAYMENTS.IN: mqtriage expiry explain PAYMENTS.IN"
    )
    assert note in sample.run(*line.split()).err
    assert " discarded " not in sample.run(*line.split()).err  # they are gone


def test_a_sweep_counts_once_and_what_browses_nothing_discards_nothing(sample: Bench) -> None:
    assert "QM1 discarded" not in sample.ok("expiry", "status").err
    ran = sample.ok("expiry", "sweep", "PAYMENTS.IN", "--yes")
    assert "QM1 discarded" not in ran.err
    assert "discarded" in ran.out


REQUEUES = {
    "to": "backout requeue A.BO --to B.IN",
    "origin": "backout requeue A.BO --to origin --accept-likely",
    "dead": "dlq requeue A.BO --to B.IN",
    "move": "msg move A.BO --to B.IN",
}


@pytest.mark.parametrize("kind", REQUEUES)
@pytest.mark.slow
def test_messages_at_the_head_that_are_skipped_do_not_starve_those_behind(
    bench: Bench, kind: str
) -> None:
    bench.define("A.BO", "PARK", **{"B.IN": "BOQNAME=A.BO BOTHRESH=3"})
    line = (*REQUEUES[kind].split(), "--max-requeues", "1", "--yes")
    for number in (1, 2):
        bench.ok("msg", "put", "A.BO", f"{number}", "--yes")
    bench.ok(*line)
    bench.ok("msg", "move", "B.IN", "--to", "A.BO", "--yes")
    for number in (3, 4, 5):
        bench.ok("msg", "put", "A.BO", f"{number}", "--yes")
    ran = bench.ok(*line, "--limit", "2")
    assert "2 will stay, which --limit does not count: moved or requeued at least 1 time" in ran.err
    assert (bench.depth("A.BO"), bench.depth("B.IN")) == (3, 2)
    bench.ok(*line, "--limit", "2")
    ran = bench.run(*line, "--limit", "2")
    assert ran.code == 8
    assert "2 of 2 were moved or requeued at least 1 time (--max-requeues 1)" in ran.err
    bench.run(*line, "--limit", "2", "--park", "PARK")
    assert (bench.depth("A.BO"), bench.depth("PARK")) == (0, 2)  # with --park they count


def test_a_requeue_that_was_undone_does_not_count(bench: Bench) -> None:
    bench.define("A.BO", "B.IN")
    line = ("backout", "requeue", "A.BO", "--to", "B.IN", "--max-requeues", "1", "--yes")
    for number in (1, 2, 3):
        bench.ok("msg", "put", "A.BO", f"{number}", "--yes")
    for _ in range(3):
        bench.ok(*line)
        bench.ok("journal", "undo", "--yes")
    with closing(sqlite3.connect(bench.home / "journal" / FILE)) as ledger:
        assert ledger.execute("SELECT max(times) FROM requeue").fetchone() == (0,)
        recount(ledger)  # as after damage
        assert ledger.execute("SELECT max(times) FROM requeue").fetchone() == (None,)
    bench.ok(*line)
    bench.ok("msg", "move", "B.IN", "--to", "A.BO", "--max-requeues", "9", "--yes")
    assert bench.run(*line).code == 8


BY_HEADER = {
    "ACTION(DISCARD) APPLNAME('amqrm*')\n":
        "APPLNAME is compared with the MQMD (com.example.WebShop), not with the dead-letter header"
        " (amqrmppa)",
    "ACTION(DISCARD) APPLNAME('amqrm*') APPLTYPE(MQAT_UNIX)\n":
        "APPLNAME and APPLTYPE are compared with the MQMD (com.example.WebShop, MQAT_JAVA), not"
        " with the dead-letter header (amqrmppa, MQAT_UNIX)",
    '[[rule]]\nname = "r"\nwhere = "put_appl like \'amqrm%\'"\naction = "discard"\n':
        "put_appl is compared with the MQMD; use dlq_put_appl for the dead-letter header",
    '[[rule]]\nname = "r"\napplname = "amqrm*"\naction = "discard"\n':
        "not with the dead-letter header (amqrmppa)",
}  # fmt: skip


@pytest.mark.parametrize("rules", BY_HEADER, ids=["table", "both", "where", "applname"])
def test_a_rule_that_means_the_header_is_told_so(sample: Bench, tmp_path: Path, rules: str) -> None:
    file = tmp_path / "rules"
    file.write_text(rules)
    ran = sample.ok("dlq", "run", "-f", str(file), "-n")
    assert f"never hit: {BY_HEADER[rules]}" in ran.out or BY_HEADER[rules] in ran.out
    own = rules.replace("amqrm", "com.example.WebShop").replace("MQAT_UNIX", "MQAT_JAVA")
    file.write_text(own)
    ran = sample.ok("dlq", "run", "-f", str(file), "-n")
    assert "is compared with" not in ran.out
    assert "1 hit" in ran.out


def test_the_size_of_the_staging_queue_is_calculated_by_the_command_that_is_named(
    bench: Bench,
) -> None:
    bench.define("APP.IN")
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "MAXDEPTH=5", "--yes")
    for _ in range(5):
        bench.ok("msg", "put", "APP.IN", "x", "--delay", "1h", "--yes")
    err = bench.ok("delay", "status").err
    (named,) = (line for line in err.splitlines() if "mqtriage delay forecast" in line)
    err = bench.ok(*named.partition("mqtriage ")[2].partition(" shows")[0].split()).err
    (named,) = (line for line in err.splitlines() if "mqtriage delay define" in line)
    words = named.partition("mqtriage ")[2].partition(" calculates")[0].split()
    assert "MAXDEPTH needed" in bench.ok(*words).out


SAME_TARGET = {
    "check dlq --warn 1 --crit 9": "mqtriage dlq causes {}",
    "backout ls --problems": "mqtriage backout causes {} ORDERS.BO",
    "msg browse ORDERS.IM": "",
    "backout browse ORDERS.IN --group origin": "",
    "dlq requeue DEAD.LETTER.QUEUE --to ORDERS.IN -n --limit 1": "",
    "msg show ORDERS.IN 99999999": "mqtriage msg browse {} ORDERS.IN",
}


@pytest.mark.parametrize("named", ["-m QM2", "--context other"])
@pytest.mark.parametrize("line", SAME_TARGET)
@pytest.mark.slow
def test_every_command_that_is_named_is_about_the_same_queue_manager(
    sample: Bench, line: str, named: str
) -> None:
    sample.ok("emulator", "create", "QM2", "--sample")
    sample.environ["MQTRIAGE_CONFIG"] = str(sample.home / "settings.toml")
    sample.ok("context", "add", "other", "-m", "QM2")
    ran = sample.run(*line.split(), *named.split())
    err = ran.err.replace("--qmgr ", "-m ")
    assert SAME_TARGET[line].format(named) in err
    for command in re.findall(r"mqtriage (?:dlq|backout|msg|queue|delay|expiry) [^;\n]*", err):
        assert named in command


FULL = {
    "SYSTEM.DDELAY.LOCAL.QUEUE": ("msg put ORDERS.IN x --delay 1h", "mqtriage delay forecast"),
    "DEAD.LETTER.QUEUE": ("msg put DEAD.LETTER.QUEUE x", "mqtriage dlq causes"),
    "TO.QM2": ("msg put TO.QM2 x", "DISPLAY CHSTATUS"),
    "ORDERS.IN": ("msg put ORDERS.IN x", "mqtriage queue status ORDERS.IN"),
}


@pytest.mark.parametrize("queue", FULL)
@pytest.mark.parametrize("count", ["1", "9"])
def test_what_makes_room_depends_on_what_reads_the_queue(
    sample: Bench, queue: str, count: str
) -> None:
    sample.ok("queue", "define", "TO.QM2", "USAGE=XMITQ", "--yes")
    depth = sample.depth(queue) + (count == "9")  # room for one, or for none
    sample.ok("queue", "set", queue, f"MAXDEPTH={depth}", "--yes")
    line, hint = FULL[queue]
    ran = sample.run(*line.split(), "--count", count, "--yes")
    assert ran.code in (1, 3), ran.err
    assert ran.err.count(hint) == 1
    assert " NAME" not in ran.err


def test_what_is_compared_with_is_not_empty_and_bodies_come_first(bench: Bench) -> None:
    bench.define("B.BO", **{"B.IN": "BOQNAME=B.BO BOTHRESH=3"})
    for number in range(6):
        body = f'{{"order": {number}, "cur": "{"GBX" if number < 4 else "EUR"}"}}'
        bench.ok("msg", "put", "B.BO", body, "--priority", "7" if number < 4 else "3", "--yes")
    assert "mqtriage backout causes B.BO\n" in bench.ok("backout", "ls", "--problems").err
    (first, *_) = bench.ok("backout", "causes", "B.BO", "-o", "json").items
    assert first["where"] == "priority = 7"
    assert first["also_share"][0] == "body.cur = 'GBX'"
    bench.ok("msg", "put", "B.IN", "x", "--yes")
    assert "B.BO --against B.IN\n" in bench.ok("backout", "ls", "--problems").err


def test_the_journal_lists_by_action_queue_and_user(bench: Bench) -> None:
    bench.define("A.IN", "B.IN")
    for queue in ("A.IN", "B.IN"):
        bench.ok("msg", "put", queue, "x", "--yes")
        bench.ok("msg", "purge", queue, "--limit", "1", "--yes")
    for words, count in (("purge", 2), ("A.*", 2), ("purge A.IN", 1), ("requeue", 0)):
        assert len(bench.ok("journal", "ls", *words.split(), "-o", "json").items) == count, words
    newest = bench.ok("journal", "ls", "purge", "--limit", "1", "-o", "json").items
    assert [one["queue"] for one in newest] == ["B.IN"]
    user = newest[0]["user"]
    assert len(bench.ok("journal", "ls", user, "-o", "json").items) >= 4


def test_messages_of_an_archive_have_a_limit_and_conditions(sample: Bench, tmp_path: Path) -> None:
    file = str(tmp_path / "a.ndjson")
    sample.ok("msg", "archive", "ORDERS.IN", "--out", file)
    assert len(sample.ok("archive", "ls", file, "--limit", "2", "-o", "json").items) == 2
    (item,) = sample.ok("archive", "ls", file, "--where", "priority = 5", "-o", "json").items
    assert item["priority"] == 5


def test_rc_explains_each_of_several_codes(bench: Bench) -> None:
    codes = bench.ok("rc", "2035", "MQRC_Q_FULL", "-o", "json").item["codes"]
    assert [code["name"] for code in codes][:2] == ["MQRC_NOT_AUTHORIZED", "MQRC_Q_FULL"]


def test_rc_says_which_of_several_codes_are_one(bench: Bench) -> None:
    codes = ("2053", "MQRC_NOT_AUTHORIZED", "7F3,RC2035", "2053", "JMSCC0108")
    item = bench.ok("rc", *codes, "-o", "json").item
    (full, authority, message) = item["codes"]
    assert authority["given"] == ["MQRC_NOT_AUTHORIZED", "7F3", "RC2035"]
    assert "given" not in {*full, *message}
    shown = " ".join(bench.ok("rc", *codes).out.split())
    assert "(reason) Given as MQRC_NOT_AUTHORIZED, 7F3, RC2035 Number 2035" in shown
    assert "Given as" not in bench.ok("rc", "2035", "reason 2035 (MQRC_NOT_AUTHORIZED)").out
    rows = bench.ok("rc", "2035", "7F3", "2053", "--columns", "name,given", "-o", "json").items
    assert [row["given"] for row in rows] == [["2035", "7F3"], None]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("explain", "2053"), "mqtriage rc 2053"),
        (("2053",), "mqtriage rc 2053"),
        (("describe", "MQRC_Q_FULL", "0x7F3"), "mqtriage rc MQRC_Q_FULL 0x7F3"),
        (("explain", "CSQX599E"), "mqtriage rc CSQX599E"),
        (("error", "AMQ9999E: Channel 'X' ended."), "mqtriage rc \"AMQ9999E: Channel 'X' ended.\""),
        (("explain", "ORDERS.IN", "2053"), ""),
        (("explain", "2026-12-01"), ""),
    ],
)
def test_a_code_after_a_word_that_is_no_command_is_for_rc(
    bench: Bench, words: tuple[str, ...], line: str
) -> None:
    ran = bench.run(*words)
    assert ran.code == 2
    assert ran.err.endswith(f"\nhint: {line or 'see mqtriage --help'}\n")


def test_rc_names_an_unknown_one_of_several_codes_and_exits_3(bench: Bench) -> None:
    ran = bench.run("rc", "9876", "2053", "-o", "json")
    assert ran.code == 3
    assert "warning: no reason code, feedback code or message has the name '9876'" in ran.err
    assert ran.json["warnings"] == ["no reason code, feedback code or message has the name '9876'"]


def test_the_next_command_of_a_check_is_for_the_same_queue_manager(sample: Bench) -> None:
    ran = sample.run("check", "dlq", "-m", "QM1")
    assert "next: mqtriage dlq causes -m QM1" in ran.err


def test_lint_says_why_a_warning_does_not_fail(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "pay.mqsc"
    script.write_text("DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME(PAY.B0)\nDEFINE QLOCAL(PAY.BO)\n")
    note = "exit 0: --fail-on warning fails for warnings, too; --whole reports"
    assert note in bench.ok("lint", str(script)).err
    assert note not in bench.run("lint", str(script), "--whole").err


def test_the_first_messages_of_an_archive(sample: Bench, tmp_path: Path) -> None:
    file = str(tmp_path / "saved.ndjson")
    sample.ok("msg", "archive", "ORDERS.IN", "--out", file)
    assert len(sample.ok("archive", "ls", file, "--limit", "1", "-o", "json").items) == 1


def test_a_backout_queue_is_not_to_be_compared_with_an_empty_queue(sample: Bench) -> None:
    assert "--against ORDERS.IN" in sample.ok("backout", "ls").err
    sample.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN", "--allow-reports")
    assert "--against" not in sample.ok("backout", "ls").err


@pytest.mark.parametrize("guard", ["MQTRIAGE_FOUR_EYES", "MQTRIAGE_PROTECTED"])
def test_the_command_that_writes_a_plan_file_has_no_yes(sample: Bench, guard: str) -> None:
    sample.environ[guard] = "true"
    ran = sample.run("msg", "purge", "ORDERS.BO", "--yes")
    assert (ran.code, "mqtriage msg purge ORDERS.BO --plan FILE" in ran.err) == (8, True)


NEEDED = {
    "MQTRIAGE_PROTECTED": {
        "msg purge ORDERS.BO": "without -n it is refused: purge of all of ORDERS.BO at QM1 needs "
        "a plan file, because MQTRIAGE_PROTECTED protects QM1; add --plan FILE",
        "backout requeue ORDERS.BO --to ORDERS.IN": "--yes --expect 2",
        "dlq purge --limit 1": "--confirm QM1 --expect 1",
        "queue set ORDERS.IN MAXDEPTH=77": "--confirm QM1",
    },
    "MQTRIAGE_FOUR_EYES": {
        "msg purge ORDERS.BO": "add --plan FILE; another person runs mqtriage apply FILE",
        "queue set ORDERS.IN MAXDEPTH=77": "mqtriage plan FILES --out FILE; another person",
        "msg put ORDERS.IN x": "a put has no plan file, so it is refused here; "
        "for messages on another queue: mqtriage msg copy FROM --to ORDERS.IN --plan FILE",
        "expiry sweep PAYMENTS.REPLY": "a sweep has no plan file, so it is refused here\n",
    },
    "MQTRIAGE_READ_ONLY": {"msg purge ORDERS.BO": "read-only because of MQTRIAGE_READ_ONLY"},
    "MQTRIAGE_MAX_MESSAGES": {"msg purge ORDERS.BO --where 'backout = 0'": "--limit 1"},
}


def test_the_code_of_a_dry_run_does_not_include_what_a_guard_needs_beyond_yes(
    sample: Bench,
) -> None:
    """docs/scripting.md and the manual say so: the line on standard error is what tells."""
    for page in ("mqtriage.1", "mqtriage-safety.7"):
        text = " ".join((Path(__file__).parents[2] / "man" / page).read_text("utf-8").split())
        assert "would have if every guard allowed it" in text, page
    purge = ("msg", "purge", "ORDERS.BO")
    assert "without -n it needs --confirm ORDERS.BO" in sample.ok(*purge, "-n").err
    assert "without -n it" not in sample.ok(*purge, "-n", "--confirm", "ORDERS.BO").err
    assert sample.run(*purge, "--yes").code == 8
    assert sample.run(*purge, "-n", "--expect", "99").code == 8


@pytest.mark.parametrize("guard", NEEDED)
def test_a_dry_run_says_what_the_guards_will_ask(sample: Bench, guard: str) -> None:
    sample.environ[guard] = "1" if guard == "MQTRIAGE_MAX_MESSAGES" else "true"
    for line, needed in NEEDED[guard].items():
        dry = sample.ok(*shlex.split(line), "-n").err
        assert "without -n it" in dry, line
        assert needed in dry, dry
        refused = sample.run(*shlex.split(line))
        assert refused.code == 8, line
        assert "--yes to confirm" not in refused.err
        if needed.startswith("--yes"):
            sample.ok(*shlex.split(line), *needed.split())


PLANNED = (
    "msg purge ORDERS.BO",
    "backout requeue ORDERS.BO --to ORDERS.IN",
    "backout requeue ORDERS.BO --to origin --accept-likely",
    "delay cancel --target ORDERS.IN",
    "dlq run -f {rules}",
    "plan {script}",
    "plan {gone}",
)


@pytest.mark.parametrize("guard", ["MQTRIAGE_PROTECTED", "MQTRIAGE_ARCHIVE_DIR"])
@pytest.mark.parametrize("line", PLANNED)
@pytest.mark.slow
def test_the_line_that_applies_a_plan_works_as_pasted(
    sample: Bench, tmp_path: Path, line: str, guard: str
) -> None:
    sample.environ[guard] = {"MQTRIAGE_PROTECTED": "true"}.get(guard, str(tmp_path))
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(OPS.PARKED)\n")
    (tmp_path / "script").write_text("ALTER QLOCAL(ORDERS.IN) MAXDEPTH(77)\n")
    (tmp_path / "gone").write_text("DELETE QALIAS(ORDERS)\n")
    words = line.format_map({name: tmp_path / name for name in ("rules", "script", "gone")}).split()
    option = "--out" if words[0] == "plan" else "--plan"
    ran = sample.ok(*words, option, str(tmp_path / "a plan"))
    (pasted,) = re.findall(r"plan written; to apply it: mqtriage (.*)\n", ran.err)
    assert "changed" in sample.ok(*shlex.split(pasted), "-o", "json").out


def test_a_plan_that_two_people_agree_to_is_for_the_other_one(
    sample: Bench, tmp_path: Path
) -> None:
    sample.environ |= {"MQTRIAGE_FOUR_EYES": "true", "MQTRIAGE_SIGNED_BY": str(tmp_path / "who")}
    file = str(tmp_path / "p")
    ran = sample.ok("msg", "purge", "ORDERS.BO", "--plan", file)
    assert f"another person applies it: mqtriage apply {file} --yes\n" in ran.err
    assert f"it must be signed first: ssh-keygen -Y sign -n mqtriage -f KEY {file}\n" in ran.err


def test_a_delayed_put_says_where_the_message_waits(sample: Bench) -> None:
    ran = sample.ok("msg", "put", "ORDERS.IN", "x", "--delay", "1h", "--yes", "-o", "json")
    assert "staged on  SYSTEM.DDELAY.LOCAL.QUEUE\n" in ran.err
    assert ran.item["details"] == {"staged_on": "SYSTEM.DDELAY.LOCAL.QUEUE"}
    (entry,) = sample.ok("journal", "ls", "ORDERS.IN", "-o", "json").items
    assert (entry["queue"], entry["target"]) == ("SYSTEM.DDELAY.LOCAL.QUEUE", "ORDERS.IN")
    refused = sample.run("journal", "undo")
    assert "put messages for ORDERS.IN on SYSTEM.DDELAY.LOCAL.QUEUE" in refused.err
    (line,) = re.findall(r"mqtriage (delay cancel .*) removes one", refused.err)
    words = line.replace("--correlid ID", f"--correlid {ran.json['items'][0]['msg_id']}").split()
    assert sample.ok(*words, "--yes", "-o", "json").item["counts"]["done"] == 1
    sample.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    put = sample.ok("journal", "ls", "put", "--limit", "1", "-o", "json").items
    assert [(one["queue"], one["target"]) for one in put] == [("ORDERS.IN", None)]


@pytest.mark.parametrize("new", [0, 2])
def test_the_journal_says_what_was_parked_and_where(bench: Bench, new: int) -> None:
    bench.define("A.BO", "B.IN", "PARK")
    line = ("backout", "requeue", "A.BO", "--to", "B.IN", "--max-requeues", "1", "--yes")
    bench.ok("msg", "put", "A.BO", "1", "--yes")
    bench.ok(*line)
    (entry,) = bench.ok("journal", "ls", "requeue", "-o", "json").items
    assert (entry["parked"], entry["target"]) == (None, "B.IN")
    bench.ok("msg", "move", "B.IN", "--to", "A.BO", "--yes")
    for number in range(new):
        bench.ok("msg", "put", "A.BO", f"new {number}", "--yes")
    bench.run(*line, "--park", "PARK")
    (entry,) = bench.ok("journal", "ls", "--limit", "1", "-o", "json").items
    assert (entry["done"], entry["parked"]) == (1 + new, 1)
    assert entry["target"] == ("B.IN" if new else "PARK")
    shown = bench.ok("journal", "show", "-o", "json").item
    assert shown["parked_on"] == {"PARK": 1}
    assert shown["destinations"] == ({"B.IN": new} if new else {})
    assert " PARKED " in bench.ok("journal", "ls").out


def test_the_journal_names_the_queue_of_each_rule(sample: Bench, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rule]]\nreason = "MQRC_Q_FULL"\naction = "fwd"\nfwdq = "ORDERS.BO"\n'
        '[[rule]]\naction = "park"\nqueue = "OPS.PARKED"\n'
    )
    sample.ok("dlq", "run", "-f", str(rules), "--yes")
    shown = sample.ok("journal", "show", "-o", "json").item
    assert shown["destinations"] == {"OPS.PARKED": 4, "ORDERS.BO": 1}


def test_journal_ls_at_80_columns_keeps_what_tells_operations_apart(sample: Bench) -> None:
    sample.ok("delay", "cancel", "--dest", "PAYMENTS.IN", "--to", "OPS.PARKED", "--yes")
    sample.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    heading, _, row = sample.run("journal", "ls", terminals=ON_A_TERMINAL).out.splitlines()
    assert heading.split() == ["OP", "BEGAN", "USER", "ACTION", "QUEUE", "STATE"]
    assert row.split()[-3:-1] == ["cancel", "SYSTEM.DDELAY.LOCAL.QUEUE"]
    assert "cancel" in sample.ok("journal", "show", row.split()[0]).out


def test_who_did_it_is_a_column_that_gives_way_late(sample: Bench) -> None:
    sample.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    heading = sample.ok("journal", "ls").out.splitlines()[0].split()
    assert heading.index("USER") < heading.index("ACTION")
    sample.environ["COLUMNS"] = "72"
    ran = sample.run("journal", "ls", terminals=ON_A_TERMINAL)
    assert "USER" in ran.out
    assert "PLANNED" not in ran.out


def test_causes_of_all_queues_are_of_messages_that_were_given_up(sample: Bench) -> None:
    ran = sample.ok("backout", "causes", "*", "-o", "json")
    assert {item["queue"] for item in ran.items} == {"DEAD.LETTER.QUEUE", "ORDERS.BO", "ORDERS.IN"}
    pending = [item for item in ran.items if item["queue"] == "ORDERS.IN"]
    assert [(one["message_count"], one["where"]) for one in pending] == [
        (1, "damage = 'xml' AND backout >= 1")
    ]
    assert "only rolled-back messages were counted, because" in "".join(ran.json["warnings"])
    assert sample.ok("backout", "causes", "PAYMENTS.IN", "-o", "json").items  # it was named


@pytest.mark.parametrize("against", [(), ("--against", "A.IN")])
def test_the_header_that_a_move_added_is_no_cause(bench: Bench, against: tuple[str, ...]) -> None:
    bench.define("A.BO", "B.IN", **{"A.IN": "BOQNAME=A.BO BOTHRESH=1", "A.ALIAS": "TARGET=A.BO"})
    for number in range(6):
        body = f'{{"order": {number}, "cur": "{"GBX" if number < 3 else "EUR"}"}}'
        bench.ok("msg", "put", "A.IN", body, "--yes")
    consume = ("emulator", "lab", "consume", "A.IN", "--as", "jms-sync,transacted", "--yes")
    bench.run(*consume, "--fail-when", "body.cur = 'GBX'", "--limit", "9")
    bench.ok("msg", "put", "A.BO", '{"order": 9, "cur": "GBP", "old": 1}', "--yes")
    bench.ok("msg", "put", "A.IN", '{"order": 10, "cur": "EUR"}', "--yes")
    formats = {item["format"] for item in bench.ok("msg", "browse", "A.BO", "-o", "json").items}
    assert formats == {"MQHRF2", "MQSTR"}
    causes = bench.ok("backout", "causes", "A.BO", *against, "-o", "json").items
    assert causes[0]["where"] == "body.cur = 'GBX'"
    texts = str([(one["where"], one["also_share"]) for one in causes])
    for added in ("MQHRF2", "prop.jms", "prop.mcd", "encoding", "length"):
        assert added not in texts


NEXT_OF_A_CHECK = {
    "check queue ORDERS.IN --crit 1": "queue status ORDERS.IN",
    "check queue ORDERS.BO --crit 1": "backout causes ORDERS.BO",
    "check queue DEAD.LETTER.QUEUE --crit 1": "dlq causes",
    "check queue SYSTEM.DDELAY.LOCAL.QUEUE --crit 1": "delay status",
    "check queue ORDERS.IN --idle 1ms": "queue status ORDERS.IN --handles",
    "check queue NO.SUCH": "queue ls",
    "check backout ORDERS.IN": "backout pending ORDERS.IN",
    "check backout ORDERS.BO": "backout causes ORDERS.BO",
    "check dlq": "dlq causes",
    "check delay --warn 1": "delay status",
    "check expiry PAYMENTS.IN --warn 1": "expiry status PAYMENTS.IN",
}


def test_the_next_command_of_a_check_fits_what_was_found(sample: Bench) -> None:
    for line, expected in NEXT_OF_A_CHECK.items():
        ran = sample.run(*line.split())
        assert re.findall(r"^next.*: mqtriage (.*)$", ran.err, re.M) == [expected], line
        sample.ok(*expected.split())
    sample.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(' ')\n")
    ran = sample.run("check", "dlq")
    assert "next: mqtriage qmgr show\n" in ran.err


NOTHING_CHANGED = (
    "expiry sweep PAYMENTS.IN --yes",
    "msg purge ORDERS.IN --where 'priority = 9' --yes",
    "msg move ORDERS.IN --to OPS.PARKED --where 'priority = 9' --yes",
    "expiry extend PAYMENTS.IN --expiry 3h --where 'priority = 9' --yes",
    "backout requeue ORDERS.BO --to ORDERS.IN --where 'priority = 9' --yes",
    "backout requeue ORDERS.BO --to origin --where 'priority = 9' --yes",
    "delay cancel --target NO.SUCH --yes",
    "dlq run -f {ignores} --yes",
    "dlq run -f {fails} --yes",
    "expiry sweep ORDERS.IN --yes",
    "expiry sweep OPS.PARKED --yes",
    "queue set ORDERS.IN MAXDEPTH=20000 --yes",
    "backout set ORDERS.IN --threshold 3 --yes",
    "apply {same} --yes",
    "journal resume --yes",
    "msg load {empty} --to ORDERS.IN --yes",
)


def test_a_report_of_nothing_says_that_nothing_changed(sample: Bench, tmp_path: Path) -> None:
    (tmp_path / "ignores").write_text("ACTION(IGNORE)\n")
    (tmp_path / "fails").write_text("ACTION(FWD) FWDQ(NO.SUCH.QUEUE)\n")
    (tmp_path / "same").write_text("DEFINE QLOCAL(ORDERS.IN) MAXDEPTH(20000)\n")
    (tmp_path / "empty").write_text("")
    files = {name: str(tmp_path / name) for name in ("ignores", "fails", "same", "empty")}
    for line in NOTHING_CHANGED:
        assert sample.run(*shlex.split(line.format_map(files)), "-o", "json").item["changed"] is (
            line == "expiry sweep PAYMENTS.IN --yes"  # one had expired
        ), line
        if " --where" in line or "OPS.PARKED --yes" in line:
            assert sample.run(*shlex.split(line), "-o", "json", "--fail-empty").code == 9


def test_a_misspelt_name_is_not_defined_as_a_queue(bench: Bench, tmp_path: Path) -> None:
    script = tmp_path / "a.mqsc"
    lines = (
        "DEFINE QLOCAL(ORDERS.BO)",
        "DEFINE QLOCAL(ORDERS.DEAD)",
        "DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDRES.BO)",
        "DEFINE QALIAS(ORDERS) TARGET(ORDERS.NI)",
        "DEFINE QLOCAL(OTHER.IN) STREAMQ(ORDERS.OB)",
        "ALTER QMGR DEADQ(ORDERS.DAED)",
    )
    script.write_text("".join(f"{line}\n" for line in lines))
    findings = bench.run("lint", str(script), "--whole", "-o", "json").items
    meant = {
        item["message"].partition("; did you mean ")[2]
        for item in findings
        if item["code"] in ("BKO003", "QUE003", "REF004", "DLQ001")
    }
    assert meant == {"ORDERS.BO?", "ORDERS.IN?", "ORDERS.DEAD?"}
    fixed = bench.run("lint", "fix", str(script), "--diff").out
    assert "+DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME('ORDERS.BO')" in fixed
    assert "+ALTER QMGR DEADQ('ORDERS.DEAD')" in fixed
    assert "+DEFINE QLOCAL('" not in fixed


def test_max_requeues_says_what_it_takes_for_the_same_message(bench: Bench) -> None:
    bench.define("A.BO", "B.IN")
    line = ("backout", "requeue", "A.BO", "--to", "B.IN", "--max-requeues", "1", "--yes")
    bench.ok("msg", "put", "A.BO", "1", "--yes")
    bench.ok(*line)
    bench.ok("msg", "purge", "B.IN", "--confirm", "B.IN")
    bench.ok("msg", "put", "A.BO", "1", "--yes")  # by a program that got it
    bench.ok(*line)
    bench.ok("msg", "move", "B.IN", "--to", "A.BO", "--max-requeues", "9", "--yes")
    assert bench.run(*line).code == 8
    text = " ".join(bench.ok("backout", "requeue", "--help-all").out.split())
    assert "A message with a new MsgId or different data counts as a different message." in text


@pytest.mark.parametrize("aside", ["A.BO", "DEAD"])
def test_a_move_to_the_backout_or_dead_letter_queue_is_no_requeue(bench: Bench, aside: str) -> None:
    bench.define("A.BO", "DEAD", **{"A.IN": "BOQNAME=A.BO BOTHRESH=3"})
    bench.ok("mqsc", "-", "--yes", answer="ALTER QMGR DEADQ(DEAD)\n")
    bench.ok("msg", "put", "A.IN", "1", "--yes")
    for _ in range(2):
        bench.ok("msg", "move", "A.IN", "--to", aside, "--yes")
        bench.ok("msg", "move", aside, "--to", "A.IN", "--yes")
    bench.ok("msg", "move", "A.IN", "--to", aside, "--yes")
    bench.ok("backout", "requeue", aside, "--to", "A.IN", "--yes")  # the third
    bench.ok("msg", "move", "A.IN", "--to", aside, "--yes")
    ran = bench.run("msg", "move", aside, "--to", "A.IN", "--yes")
    assert (ran.code, "moved or requeued at least 3 times" in ran.err) == (8, True), ran.err


@pytest.mark.parametrize(
    "line",
    ["msg browse ORDERS.IN", "msg browse ORDERS.*", "backout browse ORDERS.BO",
     "dlq browse", "delay browse", "expiry browse PAYMENTS.IN"],
)  # fmt: skip
def test_text_and_hex_show_bodies_in_a_table(sample: Bench, line: str) -> None:
    assert " BODY" not in sample.ok(*line.split()).out.splitlines()[0]
    for option, heading, key in (("--text", "BODY", "body"), ("--hex", "BODY_HEX", "body_hex")):
        ran = sample.ok(*line.split(), option)
        assert ran.out.splitlines()[0].split()[-1] == heading
        bodies = [one[key] for one in sample.ok(*line.split(), option, "-o", "json").items]
        assert any(body and body[:12] in ran.out for body in bodies)


def test_a_body_that_is_not_text_is_not_left_out_in_silence(sample: Bench) -> None:
    columns = ("msg", "browse", "ORDERS.IN", "--columns")
    assert "body is empty where it is not text, in 1 message" in sample.ok(*columns, "body").err
    for more in (("body,body_hex",), ("body", "--text"), ("msg_id",)):
        assert "is not text" not in sample.ok(*columns, *more).err


def test_watch_shows_bodies_that_were_asked_for(sample: Bench) -> None:
    watched = ("watch", "ORDERS.IN", "--existing", "--limit", "1")
    assert "ORDER;4725" not in sample.ok(*watched).out
    assert "ORDER;4725" in sample.ok(*watched, "--text").out
    assert b"ORDER;4725".hex().upper() in sample.ok(*watched, "--hex").out


def test_watch_has_the_columns_of_a_listing(sample: Bench) -> None:
    watched = ("watch", "ORDERS.IN", "--existing", "--limit", "1")
    columns = ("--columns", "MSGID,user,body")
    ran = sample.ok(*watched, *columns, "-o", "ndjson")
    record = json.loads(ran.out)
    assert list(record) == ["msg_id", "user_identifier", "body"]
    assert record["body"].startswith("ORDER;4725")
    assert "MSGID is msg_id, user is user_identifier" in ran.err
    listed = sample.ok(*watched, *columns).out.split()
    assert listed == [record["msg_id"], record["user_identifier"], record["body"]]
    assert "MQPER_PERSISTENT" in sample.ok(*watched, "--wide").out
    for wrong in (("--columns", "nonsense"), ("--sort", "msgid")):
        ran = sample.run(*watched, *wrong)
        assert (ran.code, ran.out, wrong[0] in ran.err) == (2, "", True)


def test_causes_of_several_queues_keep_the_queue_on_a_narrow_terminal(sample: Bench) -> None:
    sample.environ["COLUMNS"] = "80"
    out = sample.run("backout", "causes", "*", terminals=ON_A_TERMINAL).out
    assert "QUEUE" in out
    assert "ORDERS.BO" in out
    assert "QUEUE" not in sample.run("backout", "causes", "ORDERS.BO", terminals=ON_A_TERMINAL).out


def test_an_extension_of_nothing_says_why(sample: Bench) -> None:
    ran = sample.ok("expiry", "extend", "ORDERS.BO", "--expiry", "3h", "--yes")
    assert "messages that never expire, or already have a longer lifetime, are skipped" in ran.err


@pytest.mark.parametrize("verb", ["lint", "test", "convert"])
def test_a_verb_of_the_rules_that_went_away_leads_to_what_does_it(
    sample: Bench, tmp_path: Path, verb: str
) -> None:
    rules = tmp_path / "rules"
    rules.write_text("ACTION(RETRY)\n")
    ran = sample.run("dlq", "rules", verb, str(rules))
    assert ran.code == 2
    (line,) = re.findall(r"hint: .*: mqtriage (.*)", ran.err)
    assert sample.ok(*line.split()).code == 0


def test_a_finding_about_a_command_in_another_file_names_that_file(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "orders.mqsc").write_text("DEFINE QL(IN) BOTHRESH(3) BOQNAME(BO)\n")
    later = "DEFINE QL(BO)\nDELETE QL(BO)\nDELETE QL(BO)\nDEFINE QA(A) TARGET(BO)\n"
    (tmp_path / "zz.mqsc").write_text(later)
    ran = bench.run("lint", str(tmp_path), "--whole", "--select", "BKO003,QUE003,QUE010")
    assert "BOQNAME(BO) is deleted in" in ran.out
    assert ran.out.count(f"{tmp_path / 'zz.mqsc'}:2") == 3
    alone = bench.run("lint", str(tmp_path / "zz.mqsc"), "--whole", "--select", "QUE003")
    assert "TARGET(BO) is deleted in line 2" in alone.out


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("error 2035 opening ORDERS.IN", ["MQRC_NOT_AUTHORIZED"]),
        ("CWSIA0241E 2035", ["MQRC_NOT_AUTHORIZED"]),
        ("reason code 7f3", ["MQRC_NOT_AUTHORIZED"]),
        ("CSQX599E +CSQ1 Channel ended RC=000007F3", ["CSQX599E", "MQRC_NOT_AUTHORIZED"]),
        ("2026-11-29 2053 on host:2035", ["MQRC_Q_FULL"]),
        ("MQRC_Q_FULL after 2035 ms", ["MQRC_Q_FULL"]),
    ],
)
def test_a_line_with_a_code_in_it_is_explained(bench: Bench, line: str, names: list[str]) -> None:
    codes = bench.ok("rc", line, "-o", "json").item["codes"]
    assert [code["name"] for code in codes] == names


def test_no_hint_enables_what_somebody_may_have_disabled_without_saying_so(sample: Bench) -> None:
    sample.ok("queue", "set", "ORDERS.IN", "GET=DISABLED", "PUT=DISABLED", "--yes")
    for line in (
        "msg browse ORDERS.IN",
        "msg put ORDERS.IN x --yes",
        "msg move ORDERS.BO --to ORDERS.IN --yes",
    ):
        err = sample.run(*line.split()).err
        assert "ENABLED" in err, line
        assert "omebody may have disabled" in err, line
    ran = sample.run("backout", "causes", "ORDERS.BO", "--against", "ORDERS.IN")
    assert "MQRC_GET_INHIBITED" in ran.error_line
    assert "without --against" in ran.err
    assert "ENABLED" not in ran.err


def test_the_problems_of_backout_queues_are_shown_and_a_full_one_is_one(bench: Bench) -> None:
    bench.define(BO="MAXDEPTH=2", IN="BOTHRESH=3 BOQNAME=BO", HALF="BOTHRESH=3")
    bench.ok("msg", "put", "BO", "a", "--count", "2", "--yes")
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    ran = bench.run("backout", "ls", "--problems", terminals=ON_A_TERMINAL)
    assert "PROBLEMS" in ran.out and "BOTHRESH(3)" in ran.out
    states = {
        one["queue"]: one for one in bench.ok("backout", "ls", "--problems", "-o", "json").items
    }
    assert states["IN"]["state"] == "full"
    assert states["IN"]["problems"] == ["BO is full (2 of 2): messages that are rolled back stay"]
    bench.ok("queue", "set", "BO", "MAXDEPTH=3", "--yes")
    assert [
        one["queue"] for one in bench.ok("backout", "ls", "--problems", "-o", "json").items
    ] == ["HALF"]


def test_a_check_of_a_full_queue_also_shows_who_reads_and_why_nobody_can(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=2 GET=DISABLED", B="GET=DISABLED")
    bench.ok("msg", "put", "A", "a", "--count", "2", "--yes")
    full, empty = bench.run("check", "queue", "A", "B").out.splitlines()
    assert full.startswith("CRITICAL") and "100% full (2 of 2 messages) (threshold 95%)" in full
    assert "; GET(DISABLED): the waiting messages cannot be read; 0 reading, 0 writing" in full
    assert full.count("2 of 2") == 1
    assert empty.endswith("; GET(DISABLED)")
    bench.ok("emulator", "clock", "+1h", "QM1")
    old = bench.run("check", "queue", "A", "--crit", "1m").out
    assert "the oldest message is" in old and "; oldest" not in old


def test_the_size_of_a_planned_put_is_that_of_all_messages(bench: Bench, tmp_path: Path) -> None:
    bench.define("A")
    assert "size    250 bytes" in bench.ok("msg", "put", "A", "hello", "--count", "50", "-n").out
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("bbb")
    files = ("--file", str(tmp_path / "a"), "--file", str(tmp_path / "b"))
    plan = bench.ok("msg", "put", "A", *files, "--count", "2", "-n", "-o", "json").item
    assert plan["length_bytes"] == 8


def test_a_load_that_is_refused_does_not_take_messages(bench: Bench, tmp_path: Path) -> None:
    bench.define("A")
    (tmp_path / "empty.ndjson").write_text("")
    ran = bench.run("msg", "load", str(tmp_path / "empty.ndjson"), "--to", "A", "-n")
    assert "to take" not in ran.out + ran.err
    assert "load: no message to load on A" in ran.out + ran.err


@pytest.mark.parametrize("words", [("-n",), ("--yes",)])
def test_a_load_of_a_damaged_file_says_only_what_is_wrong(
    sample: Bench, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Not that it has no message: nobody knows."""
    archive, garbage = tmp_path / "a.ndjson", tmp_path / "garbage"
    sample.ok("msg", "archive", "ORDERS.IN", "--out", str(archive))
    archive.write_bytes(archive.read_bytes()[:700])
    garbage.write_bytes(bytes(range(128, 256)))
    for file, why in ((archive, "it was truncated"), (garbage, "not a dump of messages")):
        ran = sample.run("msg", "load", str(file), "--to", "ORDERS.BO", *words)
        assert (ran.code, ran.out, why in ran.err) == (8, "", True), ran.err
        assert "no message" not in ran.err and "size" not in ran.err, ran.err
        ran = sample.run("msg", "load", str(file), "--to", "ORDERS.BO", "-n", "-o", "json")
        assert ran.item["refusals"], "a program gets the plan with its reason"


def test_a_purge_refused_for_confirmations_shows_what_excludes_them(sample: Bench) -> None:
    sample.ok(
        "msg", "put", "ORDERS.IN", "a", "--report", "COD_WITH_DATA", "--reply-to", "X", "--yes"
    )
    ran = sample.run("msg", "purge", "ORDERS.IN", "--yes", "--confirm", "ORDERS.IN")
    assert ran.code == 8 and "2 of 5 request a confirmation on delivery" in ran.err
    (shown,) = re.findall(r"""--where "(.*?)";""", ran.err)
    ran = sample.ok("msg", "purge", "ORDERS.IN", "--where", shown, "--yes", "-o", "json")
    assert ran.item["counts"]["done"] == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dlq browse A", "no messages on A\n"),
        ("dlq causes A --younger-than 1d", "no messages on A match\n"),
        ("backout causes A", "no messages on A\n"),
        ("msg browse A --backout 3", "no messages on A match\n"),
        ("journal ls", "nothing to list\n"),
        ("backout ls --problems", "no problems\n"),
    ],
)
def test_on_a_terminal_an_empty_listing_is_said(bench: Bench, line: str, message: str) -> None:
    bench.define("A")
    ran = bench.run(*line.split(), terminals=ON_A_TERMINAL)
    assert ran.code == 0 and ran.out == ""
    assert message in ran.err
    assert message not in bench.run(*line.split()).err


def test_problems_count_the_queues_without_poison_handling(sample: Bench) -> None:
    ran = sample.ok("backout", "ls", "--problems")
    off = sum(row["state"] == "off" for row in sample.ok("backout", "ls", "-o", "json").items)
    assert off > 1
    assert (
        f"not listed: {off} queues in state off (neither BOTHRESH nor BOQNAME is set);"
        " mqtriage backout ls shows them\n"
    ) in ran.err
    assert "state off" not in sample.ok("backout", "ls", "ORDERS.IN", "--problems").err
    sample.ok("emulator", "create", "QM2", "--sample")
    ran = sample.ok("backout", "ls", "--problems", "-m", "QM1,QM2")
    assert f"not listed: {2 * off} queues in state off" in ran.err


def test_the_contexts_shown_are_those_of_the_queue_manager_that_is_reached(
    sample: Bench, tmp_path: Path
) -> None:
    sample.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    sample.ok("emulator", "create", "QM2", "--sample")
    sample.ok("context", "add", "test", "-m", "QM1", "label_color=green", "--use")
    put = ("msg", "put", "PAYMENTS.IN", "x", "--yes")
    assert "at QM1 (context test)" in sample.ok(*put).err
    assert "(context" not in sample.ok(*put, "-m", "QM2").err
    sample.ok("context", "add", "prod", "-m", "QM2", "max_messages=50", "label_color=red")
    assert "at QM2 (context prod)" in sample.ok(*put, "-m", "QM2").err
    purge = ("msg", "purge", "PAYMENTS.IN", "--limit", "1", "-m", "QM2")
    asked = sample.run(*purge, terminals=ON_A_TERMINAL, answer="n\n").err
    assert "\x1b[1;31m[prod]" in asked
    sample.ok("context", "add", "audit", "-m", "QM2", "no_browse=AUDIT.*")
    assert "at QM2 (context prod, audit)" in sample.ok(*put, "-m", "QM2").err
    assert "at QM2 (context audit, prod)" in sample.ok(*put, "--context", "audit").err


def test_what_is_not_selected_because_a_field_is_null_is_counted(sample: Bench) -> None:
    where = "not (backout > 5 or damage = 'json')"
    ran = sample.ok("msg", "count", "ORDERS.BO", "--where", where)
    assert "ORDERS.BO: 1 message not selected because the condition is unknown" in ran.err
    assert "damage is NULL" in ran.err
    guarded = where.replace("damage =", "damage is not null and damage =")
    ran = sample.ok("msg", "count", "ORDERS.BO", "--where", guarded, "-o", "json")
    assert ran.items[0]["message_count"] == 2
    assert "unknown" not in ran.err
    ran = sample.ok("msg", "count", "ORDERS.BO", "--where", "prop.region <> 'x'")
    assert "1 message not selected" in ran.err and "prop.region is NULL" in ran.err
    ran = sample.ok("msg", "count", "ORDERS.BO", "--where", "prop.region = 'x'")
    assert "unknown" not in ran.err
    ran = sample.run("msg", "count", "ORDERS.BO", "--where", "prop.none <> 'x'")
    assert (ran.code, ran.err.count("prop.none")) == (0, 1)  # the other warning says it
    assert "did you mean" not in ran.err


def test_a_target_that_is_not_there_may_have_to_be_defined(sample: Bench) -> None:
    for line in (
        "msg move PAYMENTS.IN --to PAYMENTS.PARKED --yes",
        "backout requeue ORDERS.BO --to PAYMENTS.PARKED --yes",
        "msg put PAYMENTS.PARKED x --yes",
    ):
        ran = sample.run(*line.split())
        assert ran.code == 5, line
        hint = "hint: mqtriage queue define PAYMENTS.PARKED --yes defines it\n"
        assert hint in ran.err, line  # PAYMENTS.REPLY is another queue, and no slip
    ran = sample.run("msg", "move", "PAYMENTS.IN", "--to", "PAYMENTS.REPYL", "--yes")
    assert "PAYMENTS.REPYL --yes defines it; did you mean PAYMENTS.REPLY?\n" in ran.err
    for name, meant in {
        "ORDERS.IM": "ORDERS.IN",
        "orders.in": "ORDERS.IN",
        "ORDER.IN": "ORDERS.IN",
        "ORDERSIN": "ORDERS.IN",
        "PAYMNETS.IN": "PAYMENTS.IN",
        "ORDERS.XX": "",
        "ORDERS.OUT": "",
        "PAYMENTS.PARKED": "",
    }.items():
        ran = sample.run("msg", "browse", name)
        assert ran.code == 5, name
        assert (f"did you mean {meant}?\n" if meant else "queue ls") in ran.err, name


def test_a_dry_run_says_that_nothing_was_changed(sample: Bench) -> None:
    for line in (
        "backout requeue ORDERS.BO --to ORDERS.IN",
        "expiry sweep PAYMENTS.REPLY",
        "queue set ORDERS.IN MAXDEPTH=9",
        "msg put ORDERS.IN x",
    ):
        ran = sample.ok(*line.split(), "-n")
        assert ran.err.count("dry run: nothing was changed\n") == 1, line
        assert "nothing was changed" not in sample.ok(*line.split(), "-n", "-q").err
        ran = sample.ok(*line.split(), "-n", "-o", "json")
        assert "nothing was changed" not in ran.err
    ran = sample.ok("backout", "requeue", "OPS.PARKED", "--to", "ORDERS.IN", "-n")
    assert "nothing was changed" not in ran.err  # there is nothing to do


def test_a_dry_run_whose_browse_discarded_messages_does_not_say_that_nothing_was_changed(
    sample: Bench,
) -> None:
    for expiry in ("1s", "unlimited"):
        sample.ok("msg", "put", "OPS.PARKED", "x", "--expiry", expiry, "--yes")
    sample.ok("emulator", "clock", "+2s")
    line = ("expiry", "purge", "OPS.PARKED", "--older-than", "1s", "-n")
    ran = sample.ok(*line)
    note, ending = ran.err.splitlines()[-2:]
    assert "discarded 1 expired message of OPS.PARKED: mqtriage expiry explain" in note
    assert ending == "dry run: nothing else was changed"
    assert "only messages that never expire are selected; mqtriage expiry sweep" in ran.out
    assert sample.ok(*line).err.splitlines()[-1] == "dry run: nothing was changed"


def test_a_put_of_several_messages_prints_how_many_to_a_person(sample: Bench) -> None:
    sample.environ["NO_COLOR"] = "1"
    put = ("msg", "put", "OPS.PARKED", "x", "--count", "30", "--yes")
    ran = sample.run(*put, terminals=ON_A_TERMINAL)
    assert ran.out.startswith("put 30 messages on OPS.PARKED at QM1; 0 skipped, 0 failed\n")
    assert len(ran.out.splitlines()) == 1
    assert len(sample.ok(*put).out.split()) == 30
    assert len(sample.run(*put, "-o", "ids", terminals=ON_A_TERMINAL).out.split()) == 30
    one = sample.run("msg", "put", "OPS.PARKED", "x", "--yes", terminals=ON_A_TERMINAL)
    assert len(one.out.split()) == 1


def test_what_a_requeue_took_was_moved_and_its_undo_says_that_it_counts_the_copies(
    sample: Bench,
) -> None:
    requeue = ("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes")
    ran = sample.ok(*requeue)
    assert "\nmoved    458 bytes\n" in ran.out and "removed" not in ran.out
    ran = sample.ok("journal", "undo", "--yes")
    assert "\ntaken from targets  458 bytes\n" in ran.out
    assert "moved" not in ran.out
    assert sample.ok(*requeue, "-o", "json").json["details"]["removed_bytes"] == 458
    ran = sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    assert "removed " in ran.out and "moved  " not in ran.out.replace("removed", "")


def test_an_undo_goes_from_where_the_messages_were_at_the_rate_that_is_given(
    sample: Bench,
) -> None:
    sample.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes")
    plan = sample.ok("journal", "undo", "--rate", "20/s", "-n", "-o", "json").item
    # one at a time: ORDERS.IN has BOTHRESH
    assert (plan["facts"]["rate"], plan["facts"]["batch"]) == ("20/s", 1)
    sample.ok("journal", "undo", "--rate", "20/s", "--yes")
    undo, requeue = sample.ok("journal", "ls", "-o", "json").items[:2]
    assert (undo["queue"], undo["target"]) == ("ORDERS.IN", "ORDERS.BO")
    assert (requeue["queue"], requeue["target"]) == ("ORDERS.BO", "ORDERS.IN")
    assert (
        sample.ok("journal", "show", undo["op"], "-o", "json").item["request"]["rate_per_s"] == 20
    )
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    sample.ok("journal", "undo", "--yes")
    (undo, *_) = sample.ok("journal", "ls", "-o", "json").items
    assert (undo["queue"], undo["target"]) == (None, "PAYMENTS.IN")
    sample.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=9", "--yes")
    assert sample.run("journal", "undo", "--rate", "1/s", "--yes").code == 2


def test_the_plan_of_an_undo_says_that_it_has_not_the_rate_of_its_operation(sample: Bench) -> None:
    sample.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--rate", "90/m", "--yes")
    note = "the requeue was planned with 90/m, but its undo has no limit: --rate 90/m sets one"
    undo = ("journal", "undo", "-n")
    assert note in sample.ok(*undo).out
    assert note not in sample.ok(*undo, "--rate", "20/s").out


def test_every_plan_says_its_rate_and_batch_and_why_messages_are_taken_one_at_a_time(
    sample: Bench,
) -> None:
    note = "one message per unit of work, because ORDERS.IN has BOTHRESH"
    sample.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes")
    undo = ("journal", "undo", "-n")
    plan = sample.ok(*undo, "-o", "json").item
    facts = plan["facts"]
    assert (facts["batch"], facts["rate"], facts["expected_ms"]) == (1, "no limit", None)
    assert f"{note}; --batch N takes more" in plan["notes"]
    assert note in sample.ok(*undo, "--rate", "20/s").out
    assert note not in sample.ok(*undo, "--batch", "9").out
    move = ("msg", "move", "ORDERS.IN", "--to", "OPS.PARKED", "--allow-reports", "-n")
    assert f"{note}\n" in sample.ok(*move).out
    assert note not in sample.ok(*move, "--limit", "1").out


def test_a_sweep_that_went_through_left_nothing(sample: Bench) -> None:
    sample.ok("msg", "put", "OPS.PARKED", "x", "--expiry", "1s", "--count", "2", "--yes")
    sample.ok("msg", "put", "OPS.PARKED", "stays", "--yes")
    sample.ok("emulator", "clock", "+5s")
    sample.ok("expiry", "sweep", "OPS.PARKED", "--yes")
    (sweep, *_) = sample.ok("journal", "ls", "-o", "json").items
    assert (sweep["action"], sweep["done"], sweep["left"]) == ("sweep", 2, 0)
    not_listed = (
        "not listed: 3 operations without planned messages (changes, puts, sweeps); by how much the"
        f" last sweep lowered CURDEPTH: mqtriage journal verify {sweep['op']}\n"
    )
    assert not_listed in sample.ok("journal", "verify").err
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    ran = sample.ok("journal", "verify")
    assert not_listed in ran.err and len(ran.out.splitlines()) == 2
    assert "not listed" not in sample.ok("journal", "verify", "--limit", "1").err
    sample.ok("expiry", "sweep", "OPS.PARKED", "--yes")
    ran = sample.ok("journal", "verify", "--limit", "1")
    assert "not listed: 1 operation without planned messages" in ran.err
    evidence = sample.ok("journal", "verify", sweep["op"]).out
    assert "not provable: expired messages leave no record" in evidence
    (row,) = sample.ok("journal", "verify", sweep["op"], "-o", "json").items
    assert row["verdict"] == "not provable"


def test_a_plan_file_shows_old_values_and_is_applied_once(sample: Bench, tmp_path: Path) -> None:
    script, plan = tmp_path / "bo.mqsc", str(tmp_path / "bo.plan")
    change = ("backout", "set", "PAYMENTS.IN", "--threshold", "3", "--boq", "OPS.PARKED")
    script.write_text(sample.ok(*change, "--mqsc").out)
    sample.ok("plan", str(script), "--out", plan)
    ran = sample.ok("apply", plan, "--dry-run")
    assert "QLOCAL(PAYMENTS.IN) BOTHRESH  0 -> 3\n" in ran.out
    assert "ALTER QLOCAL('PAYMENTS.IN') BOTHRESH(0) BOQNAME(' ')" in ran.out
    sample.ok("apply", plan, "--yes")
    before = len(sample.ok("journal", "ls", "-o", "json").items)
    ran = sample.ok("apply", plan, "--yes")
    assert "already applied: nothing in this plan is left to do\n" in ran.err
    assert ran.out.startswith("unchanged: ") and "stale" not in ran.err
    assert len(sample.ok("journal", "ls", "-o", "json").items) == before
    sample.ok("queue", "set", "PAYMENTS.IN", "BOTHRESH=4", "--yes")
    assert sample.run("apply", plan, "--yes").code == 8  # it is not as planned any more


def test_no_earlier_context_leads_to_no_context(bench: Bench) -> None:
    ran = bench.run("context", "use", "-")
    assert ran.code == 5 and "--no-context runs a command without one" in ran.err


@pytest.mark.parametrize("width", ["1h", "1m"])
def test_a_forecast_says_how_long_a_period_is(sample: Bench, width: str) -> None:
    note = f"BUCKET is the start of a period of {width}, and can be in the past"
    forecast = ("delay", "forecast", "--bucket", width)
    assert note in sample.ok(*forecast).err
    assert "BUCKET is" not in sample.ok(*forecast, "-o", "json").err
    sample.ok("delay", "cancel", "--to", "OPS.PARKED", "--yes")
    assert "BUCKET is" not in sample.ok(*forecast).err


def test_a_forecast_says_when_a_full_staging_queue_has_room_again(bench: Bench) -> None:
    bench.define("A")
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "MAXDEPTH=2", "--yes")
    for delay in "2h", "1h":
        summary = bench.ok("delay", "forecast", "-o", "json").json["summary"]
        assert (summary["staging_full"], summary["staging_room_time"]) == (False, None)
        bench.ok("msg", "put", "A", "x", "--delay", delay, "--yes")
    full = bench.run("msg", "put", "A", "x", "--delay", "1h", "--yes")
    assert "delay forecast shows when there is room again" in full.err
    first = min(one["due_time"] for one in bench.ok("delay", "browse", "-o", "json").items)
    ran = bench.ok("delay", "forecast", "-o", "json", "--target", "NONE")
    assert ran.json["summary"]["staging_full"] is True
    assert ran.json["summary"]["staging_room_time"] == first
    text = f"SYSTEM.DDELAY.LOCAL.QUEUE is full (2 of 2): it has room again at {first}, when"
    assert f"warning: {text}" in bench.ok("delay", "forecast").err


def test_no_dead_letter_by_its_header_names_the_field_of_the_descriptor(sample: Bench) -> None:
    by_mqmd = sample.ok("dlq", "browse", "--where", "mqmd_put_appl = 'com.example.WebShop'",
                        "-o", "json").items  # fmt: skip
    assert len(by_mqmd) == 1
    ran = sample.ok("dlq", "browse", "--put-appl", "com.example.WebShop")
    assert "1 message matches by the MQMD: use mqmd_put_appl in --where" in ran.err
    assert "by the MQMD" not in sample.ok("dlq", "browse", "--put-appl", "nobody").err


def test_the_correlation_id_of_the_sender_is_a_field_of_staged_messages(bench: Bench) -> None:
    bench.define("IN")
    for ident in ("CUST42", "CUST43"):
        put = ("msg", "put", "IN", "x", "--delay", "1h", "--correlid", f"text:{ident}", "--yes")
        bench.ok(*put)
    for name in ("sender_correl_id", "sender_correlid", "SenderCorrelId"):
        items = bench.ok(
            "delay", "browse", "--where", f"{name} = 'text:CUST42'", "-o", "json"
        ).items
        assert len(items) == 1, name
    ran = bench.ok("delay", "cancel", "--where", "sender_correl_id = 'text:CUST42'", "--yes")
    assert "cancelled 1 message" in ran.err + ran.out


@pytest.mark.parametrize(
    "verb",
    [
        ("delay", "browse"),
        ("delay", "browse", "--group", "target"),
        ("delay", "cancel", "-n"),
        ("delay", "release", "-n"),
        ("delay", "reschedule", "--at", "2099-01-01T00:00:00Z", "-n"),
        ("msg", "count", "SYSTEM.DDELAY.LOCAL.QUEUE"),
        ("msg", "browse", "SYSTEM.DDELAY.LOCAL.QUEUE"),
    ],
    ids=" ".join,
)
@pytest.mark.slow
def test_an_id_that_only_senders_know_is_refused_with_its_field(
    bench: Bench, verb: tuple[str, ...]
) -> None:
    """It is not as if there were no such message."""
    bench.define("IN")
    put = ("msg", "put", "IN", "x", "--delay", "1h", "--correlid", "text:CUST42", "--yes")
    ident = bench.ok(*put).out.strip()
    for where, name in (
        ("correlid = 'text:CUST42'", "sender_correl_id"),
        (f"msg_id = '{ident}'", "original_msg_id"),
        ("correl_id = 'text:CUST42' AND priority < 9", "sender_correl_id"),
    ):
        ran = bench.run(*verb, "--where", where)
        assert ran.code == 8, (where, ran.err)
        assert f"but 1 message matches by {name}, which the sender knows" in ran.err
        assert f"hint: use {name} in --where" in ran.err
    ran = bench.run(*verb, "--where", "format = 'MQSTR'")
    assert (ran.code, "format is MQHDDH of each staged message" in ran.err) == (8, True), ran.err
    for where in ("correl_id = 'text:NOBODY'", "format = 'MQHDDH' AND priority = 9"):
        ran = bench.run(*verb, "--where", where)
        assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (
            "msg move ORDERS.BO --to OUT --yes",
            ("mqtriage journal undo 01", "mqtriage journal verify 01"),
        ),
        ("delay status", ()),
        ("backout causes ORDERS.BO", ()),
        ("delay hold", ("mqtriage delay cancel --to QUEUE", "mqtriage journal undo")),
        ("queue ls NONE* --columns nosuchcolumn,andnoneofthisname", ()),
        ("expiry browse PAYMENTS.REPLY", ()),
    ],
)
def test_what_is_said_on_a_terminal_breaks_between_words_and_never_in_a_command(
    sample: Bench, words: str, commands: tuple[str, ...]
) -> None:
    """A command that is broken by the end of a line cannot be copied."""
    sample.environ["COLUMNS"] = "80"
    sample.define("OUT")
    ran = sample.run(*words.split(), terminals=ON_A_TERMINAL)
    lines = ran.err.splitlines()
    for command in commands:
        assert any(command in line for line in lines), ran.err
    for line in lines:
        is_pair = line.startswith("  ")  # of a plan: a path, an id
        assert len(line) <= 80 or is_pair or line.startswith("mqtriage "), line


def test_rules_in_the_place_of_a_queue_and_a_file_behind_an_option_lead_to_each_other(
    sample: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "dlq.rules"
    file.write_text("REASON(2053) ACTION(RETRY)\n")
    ran = sample.run("dlq", "run", str(file))
    assert (ran.code, f"hint: mqtriage dlq run -f {file}\n" in ran.err) == (2, True), ran.err
    for option in ("-f", "--rules", "--file"):
        ran = sample.run("dlq", "rules", option, str(file))
        assert (ran.code, "hint: mqtriage dlq rules FILE" in ran.err) == (2, True), ran.err


def test_a_run_of_rules_shows_the_depths_of_the_queues_that_it_put_to(
    sample: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "dlq.rules"
    file.write_text("REASON(2053) ACTION(RETRY)\nACTION(FWD) FWDQ(OPS.PARKED)\n")
    report = sample.ok("dlq", "run", "-f", str(file), "--yes", "-o", "json").item
    assert report["before"]["OPS.PARKED"] == 0
    assert report["after"]["OPS.PARKED"] > 0
    assert report["after"]["PAYMENTS.IN"] == report["before"]["PAYMENTS.IN"] + 1


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (
            ("queue", "show", "ORDERS.IN", "--columns", "curdepth"),
            "mqtriage queue ls ORDERS.IN --columns curdepth",
        ),
        (("msg", "archive", "ORDERS.IN", "--out", "-"), "--out FILE --format dmpmqmsg"),
        (("msg", "copy", "ORDERS.IN", "--to", "QM2:ORDERS.IN"), "mqtriage msg archive QUEUE"),
        (("msg", "move", "ORDERS.IN", "--to", "ORDERS.IN@QM2"), "mqtriage msg load FILE"),
        (("msg", "copy", "ORDERS.IN", "--to-qmgr", "QM2"), "mqtriage msg load FILE --to QUEUE -m"),
        (("msg", "move", "ORDERS.IN", "--to-qmgr", "QM2"), "mqtriage msg load FILE --to QUEUE -m"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_refusal_names_the_way_that_there_is(
    sample: Bench, argv: tuple[str, ...], hint: str
) -> None:
    ran = sample.run(*argv)
    assert (ran.code, hint in ran.err) == (2, True), ran.err


def test_a_full_queue_of_a_delayed_send_is_named(bench: Bench) -> None:
    for words in (("rc", "2053"), ("cheat", "delay")):
        out = " ".join(bench.ok(*words).out.split())
        assert "mqtriage delay" in out
        assert "delayed send fails" in out


def test_help_of_a_group_that_is_also_a_verb_names_the_verb(bench: Bench) -> None:
    for group, verb in (("lint", "check"), ("mqsc", "run")):
        out = " ".join(bench.ok(group, "-h").out.split())
        assert f"Without a verb, it is {verb}: mqtriage {group} {verb} --help" in out


def test_an_operation_is_of_a_context_only_where_that_has_a_say(bench: Bench) -> None:
    bench.ok("emulator", "create", "TEST1")
    bench.define("IN")
    bench.environ["MQTRIAGE_CONFIG"] = f"{bench.environ['MQTRIAGE_HOME']}/config.toml"
    bench.ok("context", "add", "test", "-m", "TEST1", "--use")
    bench.ok("msg", "put", "IN", "x", "-m", "QM1", "--yes")
    assert bench.ok("journal", "show", "-m", "QM1", "-o", "json").item["context"] is None
    bench.ok("context", "add", "dev", "-m", "QM1")
    bench.ok("msg", "put", "IN", "x", "--context", "dev", "--yes")
    assert bench.ok("journal", "show", "-m", "QM1", "-o", "json").item["context"] == "dev"


@pytest.mark.parametrize(
    "verb",
    ["delay browse", "dlq browse", "backout browse ORDERS.BO", "msg browse ORDERS.IN",
     "expiry browse ORDERS.IN", "backout pending ORDERS.IN"],
)  # fmt: skip
@pytest.mark.slow
def test_each_column_of_messages_is_a_field_or_its_refusal_says_what_is(
    sample: Bench, verb: str
) -> None:
    """Whoever sees a column selects by it."""
    listed = sample.run(*verb.split(), "--columns", "nosuchcolumn").err
    columns = re.findall(r"[a-z_]+", listed.partition("hint: columns:")[2])
    assert len(columns) > 20, listed
    for column in columns:
        ran = sample.run(*verb.split(), "--where", f"{column} IS NOT NULL")
        if "there is no field" in ran.err:
            assert column_hint(column), column
            assert f"hint: {column_hint(column)}" in ran.err, ran.err


GROUPED = {
    "delay browse": ("put_appl", "user", "target", "due_time", "priority", "target,put_appl"),
    "backout browse ORDERS.BO": ("put_appl", "user", "format", "format,user"),
    "dlq browse": ("reason", "dest", "put_appl", "user", "mqmd_put_appl,user"),
    "expiry browse PAYMENTS.IN": ("put_appl", "user", "report"),
    "msg browse ORDERS.IN": ("put_appl", "user", "backout", "prop.Color", "$.customer"),
    "msg browse ORDERS.*": ("queue", "queue,user"),
}  # fmt: skip


@pytest.mark.parametrize(("verb", "groups"), GROUPED.items(), ids=GROUPED)
@pytest.mark.slow
def test_a_listing_of_messages_is_counted_by_what_it_shows(
    sample: Bench, verb: str, groups: tuple[str, ...]
) -> None:
    """Nobody has to count lines of CSV to see who fills a queue."""
    for number in range(3):
        sample.ok("msg", "put", "ORDERS.IN", f"{number}", "--delay", "1h", "--yes")
    messages = len(sample.ok(*verb.split(), "-o", "json").items)
    assert messages > 1
    for group in groups:
        items = sample.ok(*verb.split(), "--group", group, "-o", "json").items
        assert sum(item["message_count"] for item in items) == messages, group
    ran = sample.run(*verb.split(), "--group", "colour")
    assert (ran.code, "--group: there is no field 'colour'" in ran.err) == (2, True), ran.err
    none = ("--body-contains", "in no message at all", "-o", "json")
    assert sample.ok(*verb.split(), "--group", "user", *none).items == []


def test_durations_by_which_a_listing_is_counted_have_units_for_people(sample: Bench) -> None:
    delays = sample.ok("delay", "browse", "--group", "delay").out
    assert "5m00s" in delays and "1h00m" in delays
    assert "300000" not in delays
    items = sample.ok("delay", "browse", "--group", "delay", "-o", "json").items
    assert {item["delay"] for item in items} == {300_000, 3_600_000}
    sample.ok("msg", "put", "ORDERS.BO", "x", "--expiry", "9h", "--yes")
    counted = sample.ok("msg", "count", "ORDERS.BO", "--by", "expiry").out
    assert "8h59m" in counted or "9h00m" in counted


def test_groups_of_a_listing_are_what_a_loop_over_its_lines_counts(sample: Bench) -> None:
    for name, verb in (("put_appl_name", "delay browse"), ("dlq_put_appl_name", "dlq browse")):
        lines = [item[name] for item in sample.ok(*verb.split(), "-o", "json").items]
        groups = sample.ok(*verb.split(), "--group", "put_appl", "-o", "json").items
        counted = {next(iter(item.values())) or None: item["message_count"] for item in groups}
        assert counted == {line: lines.count(line) for line in lines}, verb


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("msg count ORDERS.IN --group user", "did you mean --by?"),
        ("msg browse ORDERS.IN --by user", "did you mean --group?"),
        ("dlq browse --group-by user", "did you mean --group?"),
        ("backout pending --group put_appl", "mqtriage msg count QUEUE --backout '>=1' --by"),
        ("backout browse ORDERS.BO --group origin,user", "--group origin, or --group FIELD"),
        ("delay browse --group state", "hint: use due_time, or"),
        ("queue ls --problems", "queue status --problems lists disabled and full queues, and"),
        ("queue status ORDERS.IN --problems", "mqtriage backout ls --problems"),
    ],
)
def test_who_counts_by_another_word_is_led_to_that_of_the_verb(
    sample: Bench, words: str, hint: str
) -> None:
    ran = sample.run(*words.split())
    assert (ran.code, hint in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            "msg show ORDERS.BO --where damage='json'",
            "msg browse QUEUE --where CONDITION --limit 1",
        ),
        ("msg show ORDERS.BO --filter x=1", "msg browse QUEUE --where CONDITION --limit 1 -o yaml"),
        ("msg show ORDERS.BO --older-than 2h", "msg browse QUEUE --where CONDITION --limit 1"),
        ("msg show ORDERS.BO --message-id AB", "msg show QUEUE MSGID: the id is an argument"),
        ("backout pending --where x=1", "msg browse QUEUE --backout '>=1' --where CONDITION"),
        ("queue status --where curdepth>0", "mqtriage queue ls --where 'CURDEPTH GT 0'"),
        ("queue ls --where age>1h", "mqtriage msg count 'ORDERS.*' --where CONDITION"),
        ("queue status ORDERS.IN --put-appl A", "msg count QUEUE --where CONDITION"),
        ("expiry sweep PAYMENTS.IN --where x=1", "a sweep discards every expired message"),
        ("delay forecast --where x=1", "delay browse --where CONDITION"),
        ("journal undo --where x=1", "archive restore ARCHIVE --where CONDITION"),
    ],
)
def test_a_condition_leads_to_the_command_that_selects(
    sample: Bench, words: str, hint: str
) -> None:
    ran = sample.run(*words.split())
    assert (ran.code, hint in ran.err) == (2, True), ran.err


def test_what_the_hint_of_msg_show_names_shows_one_message_in_full(sample: Bench) -> None:
    hint = sample.run("msg", "show", "ORDERS.BO", "--where", "x=1").err.partition("hint: mqtriage ")
    line = hint[2].strip().replace("QUEUE", "ORDERS.BO").replace("CONDITION", "backout=0")
    out = sample.ok(*line.split()).out
    assert (out.count("msg_id: "), "headers:" in out, "put_time" in out) == (1, True, True), out


def test_the_depth_that_a_refusal_names_is_enough(bench: Bench) -> None:
    bench.define("FROM", FULL="MAXDEPTH=1")
    for queue in ("FROM", "FROM", "FROM", "FULL"):
        bench.ok("msg", "put", queue, "x", "--yes")
    refused = bench.run("msg", "move", "FROM", "--to", "FULL", "--yes")
    assert refused.code == 8
    assert "hint: mqtriage queue set FULL MAXDEPTH=4\n" in refused.err
    bench.ok("queue", "set", "FULL", "MAXDEPTH=4", "--yes")
    bench.ok("msg", "move", "FROM", "--to", "FULL", "--yes")
    assert bench.depth("FULL") == 4


@pytest.mark.parametrize("verb", ["msg show", "backout explain", "expiry explain"])
def test_a_message_that_is_gone_leads_to_its_history(sample: Bench, verb: str) -> None:
    (first, *_) = sample.ok("msg", "browse", "ORDERS.BO", "-o", "ids").out.split()
    tail, option = first[-8:], () if verb == "msg show" else ("--msgid",)
    never = sample.run(*verb.split(), "ORDERS.BO", *option, "ABCDEF01")
    assert "journal ls" not in never.err
    sample.ok("msg", "purge", "ORDERS.BO", "--msgid", first, "--yes")
    for given, named in ((f"*{tail}", tail), (first, first)):
        gone = sample.run(*verb.split(), "ORDERS.BO", *option, given)
        assert gone.code == never.code != 0
        assert f"hint: mqtriage journal ls --msgid {named}" in gone.err
    assert first in sample.ok("journal", "ls", "--msgid", tail, "-o", "json").out


def test_msg_archive_prints_the_digest_of_its_file(sample: Bench, tmp_path: Path) -> None:
    for form in ("ndjson", "dmpmqmsg"):
        file = tmp_path / form
        words = ("msg", "archive", "ORDERS.IN", "--out", str(file), "--format", form)
        digest = sample.ok(*words, "-o", "json").item["sha256"]
        assert digest == sha256(file.read_bytes()).hexdigest()
    apart = sample.ok("msg", "archive", "ORDERS.IN", "--each", "--out", str(tmp_path / "each"))
    assert "sha256" not in apart.out


def test_a_column_named_by_its_heading_names_its_json_key_to_a_script(sample: Bench) -> None:
    line = "backout causes ORDERS.BO --columns"
    keys = "count is message_count, retried is retried_count"
    for form in ("json", "ndjson", "yaml"):
        ran = sample.ok(*line.split(), "count,where,retried", "-o", form)
        assert f"note: these --columns have other keys in -o {form}: {keys}\n" in ran.err
        assert sample.ok(*line.split(), "count,where,retried", "-o", form, "-q").err == ""
        assert "note: " not in sample.ok(*line.split(), "message_count", "-o", form).err
    assert "note: " not in sample.ok(*line.split(), "count", "-o", "plain").err


def test_the_manual_of_a_word_of_another_tool_is_that_of_our_command(bench: Bench) -> None:
    ran = bench.run("man", "dmpmqmsg")
    assert (ran.code, "no manual page 'dmpmqmsg'" in ran.err) == (5, True), ran.err
    for word, page in {"archives": "archive", "expiries": "expiry", "docter": "doctor"}.items():
        near = f"error: no manual page '{word}'; did you mean man {page}?\n"
        assert bench.run("man", word).err.startswith(near)
    pages = "mqtriage man msg and mqtriage man archive: msg archive, msg load, archive ls"
    assert f"hint: {pages}\n" in ran.err
    assert "hint: mqtriage man dlq: dlq run\n" in bench.run("man", "runmqdlq").err
    assert "msg archive, msg load or archive ls?" in bench.run("dmpmqmsg", "-f", "a").err
    for word, meant in habits("command").items():
        for command in meant.split("; "):
            noun, _, verb = command.partition(" ")
            assert verb in GROUPS[noun].verbs if verb else noun in COMMANDS, word
            pages_of = bench.run("man", word)
            assert pages_of.code == 0 or f"mqtriage man {noun}" in pages_of.err, word


def test_a_plan_that_is_shown_names_the_command_that_applies_it(
    sample: Bench, tmp_path: Path
) -> None:
    definitions, messages = str(tmp_path / "a.plan"), str(tmp_path / "b.plan")
    script = tmp_path / "want.mqsc"
    script.write_text("ALTER QLOCAL(ORDERS.IN) MAXDEPTH(77)\n")
    sample.ok("plan", str(script), "--out", definitions)
    sample.ok("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--plan", messages)
    for file in (definitions, messages):
        shown = sample.ok("plan", file).err
        assert f"nothing was changed; to apply it: mqtriage apply -m QM1 {file} --yes\n" in shown
        assert "dry run" not in shown
        assert "dry run: nothing was changed" in sample.ok("apply", file, "-n").err
        assert "nothing was changed" not in sample.ok("plan", file, "-o", "json").err
    sample.environ["MQTRIAGE_PROTECTED"] = "true"
    err = sample.ok("plan", definitions).err
    assert f"to apply it: mqtriage apply -m QM1 {definitions} --confirm QM1\n" in err
    assert " -n" not in err
    sample.environ["MQTRIAGE_READ_ONLY"] = "true"
    refuses = "apply refuses it: read-only because of MQTRIAGE_READ_ONLY\n"
    assert f"; {refuses}" in sample.ok("plan", definitions).err
    again = ("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--plan", f"{messages}.2")
    assert f"plan written; {refuses}" in sample.ok(*again).err


def test_a_depth_above_the_greatest_is_not_advised(bench: Bench) -> None:
    bench.define("FROM", FULL="MAXDEPTH=1")
    for queue in ("FROM", "FROM", "FULL"):
        bench.ok("msg", "put", queue, "x", "--yes")
    most = "mqtriage.operations.engine.plan.GREATEST_MAXDEPTH"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(most, 2)
        refused = bench.run("msg", "move", "FROM", "--to", "FULL", "--yes")
    assert (refused.code, "queue set FULL" in refused.err) == (8, False)
    assert (
        "hint: MAXDEPTH cannot be more than 2: move messages to another queue first" in refused.err
    )


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("msg", "purge", "ORDERS.IN", "--expired"), "mqtriage expiry sweep QUEUE"),
        (("msg", "browse", "ORDERS.IN", "--where", "expiry < 0"), "mqtriage expiry sweep QUEUE"),
        (("msg", "archive", "ORDERS.IN", "--mask", "$.a"), "mqtriage archive copy FILE --key-file"),
        (("msg", "copy", "A", "--to", "B", "--mask", "$.a"), "mqtriage archive copy FILE --key"),
        (("msg", "load", "f", "--to", "B", "--redact"), "mqtriage archive copy FILE --key-file"),
        (
            ("check", "channel"),
            "echo 'DISPLAY CHSTATUS(NAME) STATUS' | mqtriage mqsc | grep 'STATUS(RUNNING)'",
        ),
        (("check", "listener"), "echo 'DISPLAY LSSTATUS(NAME) STATUS' | mqtriage mqsc"),
        (("channel", "status"), "did you mean mqsc run?"),
    ],
)
def test_a_wrong_word_leads_to_what_does_the_work(
    sample: Bench, words: tuple[str, ...], hint: str
) -> None:
    ran = sample.run(*words)
    assert ran.code in (2, 3)
    assert hint in ran.err


def test_help_says_what_a_browse_discards_and_what_no_context_leaves(sample: Bench) -> None:
    for verb in (("expiry", "browse"), ("msg", "browse")):
        text = " ".join(sample.ok(*verb, "--help-all").out.split())
        assert "a browse makes the queue manager discard" in text
    text = " ".join(sample.ok("--help-all").out.split())
    assert "contexts that name the queue manager still guard it" in text


def test_both_words_for_help_show_all_of_it(bench: Bench) -> None:
    whole = bench.ok("msg", "browse", "--help-all").out
    assert bench.ok("msg", "browse", "-h", "--help-all").out == whole
    assert bench.ok("msg", "browse", "--help-all", "--help").out == whole
    assert bench.ok("msg", "-h", "--help-all").out == bench.ok("msg", "--help-all").out


def test_undo_by_action_leads_to_the_listing(bench: Bench) -> None:
    ran = bench.run("journal", "undo", "--action", "cancel")
    assert ran.code == 2
    assert "mqtriage journal ls cancel" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("queue", "-m", "QM1", "ls"),
        ("queue", "-m", "QM1", "-o", "plain", "ls"),
        ("emulator", "-m", "QM1", "lab", "switch"),
        ("emulator", "lab", "-m", "QM1", "switch"),
    ],
)
def test_options_before_the_verb_are_those_of_the_verb(
    sample: Bench, words: tuple[str, ...]
) -> None:
    options = [word for word in words if word.startswith("-") or word in ("QM1", "plain")]
    verb = [word for word in words if word not in options]
    assert sample.ok(*words).out == sample.ok(*verb, *options).out


def test_a_value_before_the_verb_is_not_the_verb_and_help_is_help(sample: Bench) -> None:
    ran = sample.run("queue", "-m", "ls", "show", "ORDERS.IN")
    assert (ran.code, "no emulated queue manager ls" in ran.error_line) == (5, True)
    ran = sample.run("msg", "--to", "copy", "move", "ORDERS.IN")
    assert (ran.code, "which verb?" in ran.error_line) == (2, True)
    assert sample.ok("msg", "-m", "QM1", "--help").out == sample.ok("msg", "--help").out


def test_options_without_a_verb_ask_for_the_verb_and_keep_what_was_typed(sample: Bench) -> None:
    ran = sample.run("check", "-m", "QM1")
    assert (ran.code, "which verb? qmgr, queue, delay" in ran.error_line) == (3, True)
    assert "hint: mqtriage check VERB -m QM1\n" in ran.err


@pytest.mark.parametrize("words", [("archive", "verify"), ("archive", "ls"), ("msg", "load")])
def test_the_zip_file_of_an_incident_is_no_archive_but_has_one(
    sample: Bench, words: tuple[str, ...]
) -> None:
    file = sample.home / "night.zip"
    sample.ok("incident", "--out", str(file))
    more = ("--to", "OPS.PARKED", "-n") if words == ("msg", "load") else ()
    ran = sample.run(*words, str(file), *more)
    assert ran.code != 0
    assert "hint: unzip it first; an incident has its messages in messages.ndjson\n" in ran.err


def test_a_restore_of_a_changed_archive_leads_to_what_names_each_changed_line(
    sample: Bench,
) -> None:
    file = sample.home / "copy.ndjson"
    sample.ok("msg", "archive", "ORDERS.IN", "--out", str(file))
    lines = file.read_bytes().split(b"\n")
    at = len(lines[2]) - 20
    lines[2] = lines[2][:at] + bytes([lines[2][at] ^ 1]) + lines[2][at + 1 :]
    file.write_bytes(b"\n".join(lines))
    ran = sample.run("archive", "restore", str(file), "-n")
    assert (ran.code, "mqtriage archive verify copy.ndjson lists" in ran.err) == (8, True), ran.err


def test_a_start_that_several_operations_have_leads_to_the_end_of_one(sample: Bench) -> None:
    for _ in range(2):
        sample.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    ran = sample.run("journal", "show", "01")
    end = re.search(r"or the last 4 or more of one, such as (\w{8})\n", ran.err)
    assert ran.code == 2 and end is not None, ran.err
    assert sample.ok("journal", "show", end[1]).out


@pytest.mark.parametrize("verb", [("msg", "move"), ("msg", "copy"), ("backout", "requeue")])
def test_plans_say_that_poison_messages_lose_their_count(
    bench: Bench, verb: tuple[str, ...]
) -> None:
    bench.define("IN", "OUT")
    bench.ok("msg", "put", "IN", "x", "--yes")
    note = "BackoutCount starts again at 0: 1 message had a higher one"
    assert note not in bench.ok(*verb, "IN", "--to", "OUT", "-n").err
    bench.ok("emulator", "lab", "rollback", "IN", "--times", "2")
    assert note in " ".join(bench.ok(*verb, "IN", "--to", "OUT", "-n", "-o", "json").out.split())


def test_the_sentence_of_a_report_is_folded_between_words_on_a_terminal(bench: Bench) -> None:
    source, target = "A.QUEUE.WITH.A.RATHER.LONG.NAME.FOR.MESSAGES", "ANOTHER.QUEUE.WITH.LONG.NAME"
    bench.ok("queue", "define", source, "--yes")
    bench.ok("queue", "define", target, "--yes")
    bench.ok("msg", "put", source, "x", "--yes")
    move = ("msg", "move", source, "--to", target, "--yes")
    bench.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    first, second = bench.run(*move, terminals=ON_A_TERMINAL).out.splitlines()[:2]
    assert max(len(first), len(second)) <= 80
    assert f"{first} {second}".startswith(f"moved 1 message from {source} to {target} at QM1;")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("help queue ls", "hint: mqtriage queue ls --help\n"),
        ("help nosuch", "hint: mqtriage --help\n"),
        ("expiry restore", "mqtriage expiry revive QUEUE"),
        ("expiry renew", "mqtriage expiry extend QUEUE"),
        ("expiry clean", "mqtriage expiry sweep QUEUE"),
        ("analyze fate", "mqtriage analyze cohort"),
        ("must-gather", "did you mean incident?"),
        ("who", "did you mean queue status?"),
        ("backout who", "mqtriage queue status QUEUE --handles"),
        ("delay browse --to X", "mqtriage delay browse --target QUEUE"),
        ("delay forecast --plot f.svg", "mqtriage delay forecast --out FILE.svg"),
        ("snapshot take --folder /proc/nope", "hint: name another folder\n"),
    ],
)
def test_another_word_for_a_verb_leads_to_its_name(sample: Bench, words: str, hint: str) -> None:
    ran = sample.run(*words.split())
    assert ran.code != 0
    assert hint in ran.err


def test_a_plan_says_that_a_rate_makes_its_batches_smaller(sample: Bench) -> None:
    purge = ("msg", "purge", "ORDERS.BO", "-n", "--batch", "10", "-o", "json", "--rate")
    note = "batches of 5, not 10, so that 50/s is even"
    assert note in sample.ok(*purge, "50/s").item["notes"]
    assert not any("batches of" in text for text in sample.ok(*purge, "100/s").item["notes"])
