"""`mqtriage lint` as its users meet it: files, folders, live, ignores, baseline, fixes."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mqtriage.cli.lint import _REPORT_FORMS
from mqtriage.model.output_forms import FORMS
from mqtriage.mq.attributes.catalogue import KINDS
from mqtriage.mq.attributes.system_objects import default_objects, system_objects
from tests.acceptance.conftest import Bench, Ran
from tests.unit.formatters.reports.sarif_subset import problems

HALF = "DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3)\n"
GOOD = "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(BO)\n"
Lint = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with no configuration above it."""
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def lint(empty_bench: Bench, folder: Path) -> Lint:
    def run(*args: str, answer: str = "") -> Ran:
        return empty_bench.run("lint", *args, answer=answer)

    return run


def codes(ran: Ran) -> list[str]:
    return [item["code"] for item in ran.items]


def put(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.seed("CARD-30")
def test_findings_are_exit_4_and_a_clean_file_is_0(lint: Lint) -> None:
    put("bad.mqsc", HALF)
    put("good.mqsc", GOOD)
    assert lint("bad.mqsc", "--fail-on", "error").code == 4
    assert lint("good.mqsc", "--fail-on", "error").code == 0
    assert lint("good.mqsc", "--fail-on", "warning").code == 0


@pytest.mark.parametrize(
    ("fail_on", "code"), [("error", 0), ("warning", 4), ("info", 4), ("never", 0)]
)
def test_fail_on_sets_the_mark(lint: Lint, fail_on: str, code: int) -> None:
    put("a.mqsc", "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) BOQNAME(BO)\n")
    assert lint("a.mqsc", "--fail-on", fail_on).code == code


def test_a_record_has_severity_code_object_place_message_and_fix(lint: Lint) -> None:
    put("bad.mqsc", "* first\n\n" + HALF)
    (item,) = lint("bad.mqsc", "-o", "json").items
    assert item["severity"] == "error"
    assert item["code"] == "BKO001"
    assert (item["object_type"], item["object"]) == ("QLOCAL", "ORDERS.IN")
    assert (item["file"], item["line"], item["column"]) == ("bad.mqsc", 3, 26)
    assert "BOTHRESH(3)" in item["message"]
    assert "BOQNAME('ORDERS.BO')" in item["fix"]


def test_keywords_before_the_object_type_are_read_and_fixed_as_behind_it(lint: Lint) -> None:
    path = put("z.mqsc", "DEFINE NOREPLACE QLOCAL('BO')\nDEFINE REPLACE QLOCAL('IN') BOTHRESH(3)\n")
    assert codes(lint("z.mqsc", "-o", "json", "--select", "BKO001,MQSC,QUE002")) == ["BKO001"]
    path.write_text("DEFINE REPLACE QLOCAL('IN')\n")
    lint("fix", "z.mqsc", "--write", "--select", "BKO014")
    assert path.read_text().startswith("DEFINE REPLACE QLOCAL('IN') BOTHRESH(3) BOQNAME('IN.BO')\n")


HEADER = """\
* Queue manager name: QM1
* Queue manager platform: UNIX
* Queue manager command level: ({0}/{0})
* Command issued: dmpmqcfg -m QM1 -a
DEFINE QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE)
"""


def test_rules_know_the_level_of_the_queue_manager(lint: Lint) -> None:
    """The staging queue came with 8.0, MAXFSIZE with 9.1.5: others are not told to use them."""
    big = "DEFINE QLOCAL(BIG) MAXDEPTH(900000) MAXMSGL(4194304)\n"

    def found(name: str, text: str, *options: str) -> dict[str, bool]:
        """Code to whether there is a fix."""
        put(name, text)
        select = ("--select", "DLY001,QUE001")
        items = lint(name, "-o", "json", *select, *options).items
        return {item["code"]: item["fix"] is not None for item in items}

    assert found("a.mqsc", HEADER.format(750) + big) == {"QUE001": False}
    assert found("b.mqsc", HEADER.format(800) + big) == {"DLY001": True, "QUE001": False}
    assert found("c.mqsc", HEADER.format(915) + big) == {"DLY001": True, "QUE001": True}
    assert found("d.mqsc", big, "--whole") == {"QUE001": True}
    put("mqtriage.toml", '[lint]\nmq-version = "9.1"\n')
    assert found("d.mqsc", big, "--whole") == {"QUE001": False}
    put("mqtriage.toml", '[lint]\nmq-version = "nine"\n')
    refused = lint("d.mqsc")
    assert (refused.code, "a version such as" in refused.err) == (2, True)


def test_a_fix_leaves_a_script_that_can_be_run_again(lint: Lint) -> None:
    """Where every command may be run twice, a DEFINE that is put in has REPLACE too."""
    again = put("a.mqsc", "DEFINE QLOCAL(IN) BOTHRESH(3) REPLACE\nALTER QMGR DEADQ(DEAD)\n")
    once = put("b.mqsc", "DEFINE QLOCAL(IN) BOTHRESH(3)\nALTER QMGR DEADQ(DEAD)\n")
    lint("fix", "a.mqsc", "b.mqsc", "--write", "--select", "BKO001,DLQ001")
    assert again.read_text().count("DEFINE") == again.read_text().count("REPLACE") == 3
    assert "REPLACE" not in once.read_text()


def test_a_triggered_transmission_queue_gets_the_channel_initiators_queue(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(X) USAGE(XMITQ) TRIGGER\nDEFINE QLOCAL(Q) TRIGGER\n")
    items = lint("a.mqsc", "--select", "QUE007", "-o", "json").items
    assert [item["fix"] for item in items] == [
        "ALTER QLOCAL('X') INITQ('SYSTEM.CHANNEL.INITQ')",
        "ALTER QLOCAL('Q') INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')",
    ]


def test_no_message_says_that_a_number_is_below_itself(lint: Lint) -> None:
    put("a.mqsc", "ALTER QMGR DEADQ(D) MAXMSGL(5000000)\nDEFINE QL(D) MAXDEPTH(9)\nDEFINE QL(Q)\n")
    (item,) = lint("a.mqsc", "--select", "DLQ002", "-o", "json").items
    assert "MAXMSGL(4194304) is below 4194476 bytes" in item["message"]


def test_what_stands_behind_end_is_no_error(lint: Lint, empty_bench: Bench) -> None:
    text = "DEFINE QLOCAL(A.BO)\nEND\n\nrunmqsc QM2\nDEFINE   QLOCAL(\n"
    path = put("a.mqsc", text)
    (note,) = lint("a.mqsc", "-o", "json").items
    assert (note["severity"], note["line"], note["column"]) == ("warning", 4, 1)
    assert empty_bench.run("mqsc", "fmt", "a.mqsc").code == 0
    assert path.read_text() == text


def test_a_name_that_is_too_long_is_told_beside_what_a_rule_says(lint: Lint) -> None:
    put("a.mqsc", f"DEFINE QALIAS({'A' * 49})\n")
    ran = lint("a.mqsc", "-o", "json")
    assert sorted(codes(ran)) == ["MQSC002", "QUE003"]
    assert "the name has 49 characters" in ran.out


def test_a_wrong_command_leaves_its_object_in_the_estate(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(BO)\nDEFINE QLOCAL(BO) )\n")
    assert codes(lint("a.mqsc", "-o", "json", "--whole", "--select", "BKO,MQSC")) == ["MQSC001"]
    put("a.mqsc", "DEFINE QLOCAL(BO) )\nDEFINE QLOCAL(BO)\n")  # the second is the first that runs
    assert codes(lint("a.mqsc", "-o", "json", "--select", "QUE002")) == ["MQSC001"]


def test_what_nobody_sizes_and_prose_are_no_long_list(lint: Lint) -> None:
    attributes = "MAXDEPTH(999999999) MAXMSGL(4194304) NOSHARE DEFSOPT(SHARED)"
    put("a.mqsc", f"DEFINE QLOCAL(SYSTEM.X) {attributes}\nDEFINE QLOCAL(OURS) {attributes}\n")
    items = lint("a.mqsc", "--select", "QUE001,QUE008", "-o", "json").items
    assert [(item["code"], item["object"]) for item in items] == [
        ("QUE001", "OURS"), ("QUE008", "OURS"),
    ]  # fmt: skip
    put("b.mqsc", "Please run this tonight\n")
    (prose,) = lint("b.mqsc", "-o", "json").items
    assert prose["message"] == "'Please' is not an MQSC command"


def test_people_see_a_table_and_the_count(lint: Lint) -> None:
    put("bad.mqsc", HALF)
    ran = lint("bad.mqsc")
    assert "BKO001" in ran.out
    assert "1 error, 0 warnings, 0 infos" in ran.err
    clean = lint("bad.mqsc", "--ignore", "BKO")
    assert clean.out == ""


@pytest.mark.seed("BO-38", "BO-30")
def test_of_three_queues_the_unset_and_the_half_are_named_and_backout_set_mends_both(
    bench: Bench, folder: Path
) -> None:
    with bench.connected() as backend:
        backend.alter("QMGR", "", {"DEADQ": "SYSTEM.DEAD.LETTER.QUEUE"})
    bench.define("UNSET", "BO")
    bench.define(HALF="BOTHRESH=3", WHOLE="BOTHRESH=3 BOQNAME=BO")
    ran = bench.run("lint", "--select", "BKO001,BKO014", "--fail-on", "info", "-o", "json")
    assert ran.code == 4
    assert {item["object"] for item in ran.items} == {"UNSET", "HALF"}
    for queue in ("UNSET", "HALF"):
        boq = f"{queue}.BO"
        bench.ok(
            "backout", "set", queue, "--threshold", "3", "--boq", boq, "--create-boq", "--yes"
        )  # fmt: skip
    after = bench.run("lint", "--select", "BKO001,BKO014", "--fail-on", "info", "-o", "json")
    assert (after.code, after.items) == (0, [])


@pytest.mark.seed("EX-35")
def test_a_live_queue_full_of_expired_messages_is_found(bench: Bench, folder: Path) -> None:
    bench.define(SMALL="MAXDEPTH=5")
    bench.ok("msg", "put", "SMALL", "x", "--expiry", "1s", "--count", "5", "--yes")
    bench.ok("emulator", "clock", "+5s")
    ran = bench.run("lint", "--select", "EXP005,EXP001", "-o", "json")
    assert {item["code"] for item in ran.items if item["object"] == "SMALL"} >= {"EXP005"}
    assert bench.depth("SMALL") == 5, "lint browses nothing"


@pytest.mark.parametrize("form", ["sarif", "gitlab"])
def test_the_fingerprint_of_a_finding_does_not_depend_on_how_the_queue_manager_was_named(
    bench: Bench, folder: Path, form: str
) -> None:
    bench.define(SMALL="MAXDEPTH=5")
    bench.ok("msg", "put", "SMALL", "x", "--expiry", "1s", "--count", "5", "--yes")
    bench.ok("emulator", "clock", "+5s")
    reports = [
        bench.run("lint", *target, "--select", "EXP005", "--format", form).out
        for target in ([], ["-m", "QM1"])
    ]
    prints = [re.findall(r'ingerprints?": (?:{"mqtriage/1": )?"(\w+)"', one) for one in reports]
    assert len(prints[0]) == 1
    assert prints[0] == prints[1]
    assert ["-m QM1 SMALL" in one for one in reports] == [False, True]


@pytest.mark.seed("DD-49")
def test_live_authority_on_the_staging_queue_is_read(bench: Bench, folder: Path) -> None:
    assert bench.ok("lint", "--select", "DLY006", "-o", "json").items == []
    script = put(
        "grant.mqsc",
        "SET AUTHREC PROFILE(SYSTEM.DDELAY.LOCAL.QUEUE) OBJTYPE(QUEUE) GROUP('users') +\n"
        "  AUTHADD(PUT,GET)\n",
    )
    bench.ok("mqsc", str(script), "-m", "QM1", "--yes")
    (item,) = bench.run("lint", "--select", "DLY006", "-o", "json").items
    assert "GROUP(users)" in item["message"]
    assert item["file"] is None


@pytest.mark.seed("DD-47")
def test_a_new_zos_queue_manager_lacks_its_staging_queue(zos_bench: Bench, folder: Path) -> None:
    ran = zos_bench.run("lint", "--select", "DLY001", "-o", "json")
    assert ran.code == 4
    assert "INDXTYPE(NONE)" in ran.items[0]["fix"]
    zos_bench.ok("delay", "define", "--maxdepth", "1000", "--yes")
    assert zos_bench.run("lint", "--select", "DLY001", "-o", "json").items == []


# selection, configuration, ignores --------------------------------------------------------------


def test_select_and_ignore_take_letters_and_codes_and_the_longer_one_wins(lint: Lint) -> None:
    put("a.mqsc", HALF + "DEFINE QLOCAL(X) BOTHRESH(99) BOQNAME(X)\n")
    assert codes(lint("a.mqsc", "--select", "BKO012", "-o", "json")) == ["BKO012"]
    remaining = codes(lint("a.mqsc", "--ignore", "bko", "-o", "json"))
    assert not [code for code in remaining if code.startswith("BKO")]
    both = lint("a.mqsc", "--ignore", "BKO", "--select", "BKO001", "-o", "json")
    assert codes(both) == ["BKO001"]


def test_a_code_that_is_none_is_wrong_usage(lint: Lint) -> None:
    put("a.mqsc", HALF)
    ran = lint("a.mqsc", "--select", "XYZ9")
    assert ran.code == 2
    assert "XYZ9" in ran.error_line


def test_configuration_is_found_above_and_the_command_line_wins(lint: Lint, folder: Path) -> None:
    put("mqtriage.toml", '[lint]\nfail-on = "never"\nignore = ["BKO014"]\n')
    put("sub/a.mqsc", HALF)
    os.chdir(folder / "sub")
    assert lint("a.mqsc").code == 0
    assert lint("a.mqsc", "--fail-on", "error").code == 4


def test_pyproject_holds_the_same_keys_per_path_too(lint: Lint) -> None:
    put(
        "pyproject.toml",
        '[tool.mqtriage.lint.per-path]\n"legacy/*.mqsc" = ["BKO"]\n'
        '[tool.mqtriage.lint.load]\nrate = "600/m"\nlongest_delay = "15m"\n',
    )
    put("legacy/a.mqsc", HALF)
    put("new/a.mqsc", HALF + "ALTER QLOCAL(SYSTEM.DDELAY.LOCAL.QUEUE) MAXDEPTH(5000)\n")
    assert lint("legacy/a.mqsc").code == 0
    ran = lint("new/a.mqsc", "-o", "json")
    assert set(codes(ran)) == {"BKO001", "DLY002"}
    assert any("= 13500" in item["message"] for item in ran.items)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[lint]\nfail_on = 'error'\n", "lint.fail_on"),
        ("[lint]\nselect = 'BKO'\n", "lint.select"),
        ("[lint.load]\nrate = 'often'\n", "lint.load.rate"),
        ("[lint.load]\nlongest_delay = 900\n", "lint.load.longest_delay"),
        ("[[lint.load.readers]]\nentity = 'me'\nqueues = []\n", "lint.load.readers"),
        ("[lint\n", "mqtriage.toml"),
    ],
)
def test_a_wrong_configuration_is_wrong_usage_with_its_key(
    lint: Lint, text: str, names: str
) -> None:
    put("mqtriage.toml", text)
    put("a.mqsc", GOOD)
    ran = lint("a.mqsc")
    assert ran.code == 2
    assert names in ran.error_line


def test_a_comment_with_a_reason_ignores_the_finding_of_the_next_command(lint: Lint) -> None:
    put("a.mqsc", "* mqtriage: ignore BKO001 dead letters are wanted\n" + HALF)
    ran = lint("a.mqsc", "-o", "json")
    assert (ran.code, ran.items) == (0, [])
    assert ran.json["summary"]["ignored"] == 1


def test_a_comment_inside_a_continued_command_is_about_it(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(A) +\n* mqtriage: ignore BKO001 ok\n  BOTHRESH(3)\n" + HALF)
    (item,) = lint("a.mqsc", "-o", "json").items
    assert item["object"] == "ORDERS.IN"


def test_ignores_without_reason_unused_and_unknown_are_reported(lint: Lint) -> None:
    put(
        "a.mqsc",
        "* mqtriage: ignore BKO001\n" + HALF
        + "* mqtriage: ignore BKO002,BKO999 was so\nDEFINE QLOCAL(X) BOQNAME(Y) BOTHRESH(2)\n",
    )  # fmt: skip
    ran = lint("a.mqsc", "--select", "BKO001,BKO002,LNT", "-o", "json")
    assert codes(ran) == ["LNT001", "LNT002", "LNT003"]
    assert codes(lint("a.mqsc", "--select", "BKO001,BKO002", "-o", "json")) == []


def test_an_ignore_of_a_rule_that_did_not_run_is_not_called_unused(lint: Lint) -> None:
    put("a.mqsc", "* mqtriage: ignore BKO001 for the night\n" + HALF)
    assert codes(lint("a.mqsc", "--select", "DLQ,LNT", "-o", "json")) == []


def test_ignore_file_is_about_the_whole_file(lint: Lint) -> None:
    put("a.mqsc", "* mqtriage: ignore-file BKO001 all of these are audit queues\n\n" + HALF)
    assert codes(lint("a.mqsc", "-o", "json")) == []


def test_the_baseline_hides_what_is_known_and_not_what_is_new(lint: Lint) -> None:
    put("a.mqsc", HALF)
    assert lint("baseline", "a.mqsc", "--out", "known.json").code == 0
    put("a.mqsc", "* one line more\n" + HALF)
    assert lint("a.mqsc", "--baseline", "known.json").code == 0
    put("a.mqsc", HALF + HALF.replace("ORDERS", "PAY"))
    new = lint("a.mqsc", "--baseline", "known.json", "-o", "json")
    assert [item["object"] for item in new.items] == ["PAY.IN"]
    put("a.mqsc", GOOD)
    mended = lint("a.mqsc", "--baseline", "known.json")
    assert "1 finding in the baseline is fixed; update the baseline: " in mended.err
    command = mended.err.partition("update the baseline: mqtriage lint ")[2].splitlines()[0]
    ran = lint(*shlex.split(command))
    assert (ran.code, "the baseline changes: 0 new, 1 gone" in ran.err) == (0, True)
    assert "baseline" not in lint("a.mqsc", "--baseline", "known.json").err


def test_a_baseline_that_is_rewritten_names_what_is_new_in_it(lint: Lint) -> None:
    """A new error was accepted in silence, by the command that a fixed one called for."""
    only = ("--select", "BKO001")
    put("defs/a.mqsc", HALF + HALF.replace("ORDERS", "PAY"))
    first = lint("baseline", "defs", "--out", "known.json", *only)
    assert (first.code, "baseline changes" in first.err) == (0, False)
    bad = "".join(HALF.replace("ORDERS", f"NEW{n}") for n in range(7))
    put("defs/a.mqsc", HALF + bad)
    warned = lint("defs", "--baseline", "known.json", *only)
    command = warned.err.partition("update the baseline: mqtriage lint ")[2].splitlines()[0]
    assert command == "baseline defs --select BKO001 --out known.json"
    ran = lint(*shlex.split(command))
    names = ", ".join(f"BKO001 NEW{n}.IN defs/a.mqsc:{n + 2}" for n in range(5))
    assert f"warning: the baseline changes: 7 new ({names}, and 2 more), 1 gone" in ran.err
    again = lint(*shlex.split(command))
    assert "baseline changes" not in again.err


def test_what_is_ignored_or_not_checked_is_not_called_fixed(lint: Lint) -> None:
    two = HALF + HALF.replace("ORDERS", "PAY")
    put("old/a.mqsc", two)
    put("new/a.mqsc", HALF)
    known = ("--baseline", "known.json")
    assert lint("baseline", "old", "new", "--out", "known.json").code == 0
    put("old/a.mqsc", "* mqtriage: ignore-file BKO001 as it was\n" + two)
    put("mqtriage.toml", '[lint.per-path]\n"new/*" = ["BKO001"]\n')
    ran = lint("old", "new", *known)
    assert (ran.code, "fixed" in ran.err) == (0, False)
    assert "3 ignored" in ran.err
    put("old/a.mqsc", "* mqtriage: ignore-file BKO001 as it was\n" + HALF)
    assert "1 finding in the baseline is fixed;" in lint("old", "new", *known).err
    put("old/a.mqsc", GOOD)
    assert "2 findings in the baseline are fixed;" in lint("old", "new", *known).err


def test_a_baseline_that_is_not_there_is_written_by_the_command_of_the_hint(lint: Lint) -> None:
    put("defs/a b.mqsc", HALF)
    put("mqtriage.toml", '[lint]\nbaseline = "known.json"\n')
    missing = lint("defs/a b.mqsc")
    hint = missing.err.partition("hint: mqtriage lint ")[2].partition(" writes one")[0]
    assert missing.code == 5
    assert lint(*shlex.split(hint)).code == 0
    assert lint("defs/a b.mqsc").code == 0


def test_a_baseline_is_not_replaced_without_what_it_knows_of_others(
    lint: Lint, empty_bench: Bench
) -> None:
    for name in "QM1", "QM2":
        empty_bench.ok("emulator", "create", name)
        empty_bench.ok("mqsc", "-", "-m", name, "--yes", answer=HALF)
    out = ("--out", "known.json")
    for name in "one", "two":
        put(f"defs/{name}/a.mqsc", HALF)
    lint("baseline", "defs", *out)
    before = Path("known.json").read_bytes()
    live = lint("baseline", "-m", "QM1", *out)
    assert (live.code, Path("known.json").read_bytes()) == (2, before)
    assert "known.json has 2 findings of defs/one/a.mqsc and 1 more" in live.error_line
    assert "hint: name defs as FILES, or write to another file with --out" in live.err
    one = lint("baseline", "defs/one", *out)
    assert (one.code, Path("known.json").read_bytes()) == (2, before)
    assert "has 1 finding of defs/two/a.mqsc" in one.error_line
    assert "hint: name defs as FILES, or write to another file with --out" in one.err
    Path("defs/two/a.mqsc").rename("defs/two/b.mqsc")
    assert lint("baseline", "defs/one", *out).code == 0, "the file is gone"
    lint("baseline", "-m", "QM1", "--out", "live.json")
    for args in ("defs",), ("-m", "QM2"):
        refused = lint("baseline", *args, "--out", "live.json")
        assert (refused.code, "findings of QM1, which" in refused.error_line) == (2, True), args
    assert "hint: name them all with -m QM1,QM2, or write to another file with" in refused.err
    assert lint("baseline", "-m", "QM1,QM2", "--out", "live.json").code == 0


def test_a_baseline_keeps_findings_of_rules_that_are_not_run(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(IN) BOTHRESH(3)\nDEFINE QLOCAL(OUT)\n")
    out = ("--out", "known.json")
    count = lint("baseline", "a.mqsc", *out, "-o", "json").item["findings"]
    before = Path("known.json").read_bytes()
    ran = lint("baseline", "a.mqsc", "--select", "BKO001", *out, "-o", "json")
    assert (ran.item["findings"], ran.item["kept_findings"]) == (count, count - 1)
    assert Path("known.json").read_bytes() == before
    assert lint("baseline", "a.mqsc", "--ignore", "BKO001", *out).code == 0
    assert Path("known.json").read_bytes() == before
    put("a.mqsc", GOOD)
    assert lint("baseline", "a.mqsc", "--select", "BKO001", *out, "-o", "json").item[
        "kept_findings"
    ] == (count - 1)
    assert lint("baseline", "a.mqsc", *out, "-o", "json").item["kept_findings"] == 0


def test_a_baseline_of_some_queues_keeps_those_of_the_others(
    lint: Lint, empty_bench: Bench
) -> None:
    empty_bench.ok("emulator", "create", "QM1")
    two = HALF + HALF.replace("ORDERS", "PAY")
    empty_bench.ok("mqsc", "-", "-m", "QM1", "--yes", answer=two)
    lint("baseline", "-m", "QM1", "--out", "known.json")
    before = Path("known.json").read_bytes()
    ran = lint("baseline", "-m", "QM1", "--queue", "PAY.*", "--out", "known.json")
    assert (ran.code, Path("known.json").read_bytes()) == (0, before)


def test_the_way_to_fail_for_warnings_is_told_only_if_it_is_one(lint: Lint) -> None:
    put("a.mqsc", HALF + "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) BOQNAME(BO)\n")
    assert "exit 0" not in lint("a.mqsc", "--fail-on", "never").err
    notes = lint("a.mqsc", "--ignore", "BKO001").err
    assert "exit 0: --fail-on warning fails for warnings, too; --whole reports undefined" in notes


@pytest.mark.parametrize("text", ["[]", "{}", "nonsense", '{"kind":"LintBaseline","findings":[1]}'])
def test_a_damaged_baseline_is_one_error(lint: Lint, text: str) -> None:
    put("known.json", text)
    put("a.mqsc", HALF)
    ran = lint("a.mqsc", "--baseline", "known.json")
    assert ran.code == 2
    assert "known.json" in ran.error_line


# fixes ------------------------------------------------------------------------------------------


def test_fix_prints_mqsc_that_mends_when_it_is_run_afterwards(lint: Lint) -> None:
    put("a.mqsc", HALF)
    printed = lint("fix", "a.mqsc")
    assert printed.code == 0
    put("fix.mqsc", printed.out)
    assert codes(lint("a.mqsc", "fix.mqsc", "--together", "--select", "BKO", "-o", "json")) == []
    assert Path("a.mqsc").read_text() == HALF


def test_fix_write_edits_in_place_and_keeps_every_other_character(lint: Lint) -> None:
    text = (
        "* headline\r\n\r\ndef ql(orders.in) bothresh( 3 ) +\r\n* why\r\n"
        "   descr('it''s  so') ;\r\n"
        "DEF QL(BO2) PUT(DISABLED)\r\nDEF QL(IN2)  BOTHRESH(3)  BOQNAME(BO2)\r\nEND\r\n* tail"
    )
    put("a.mqsc", text)
    assert lint("fix", "a.mqsc", "--write").code == 0
    after = Path("a.mqsc").read_bytes().decode()
    assert after == (
        "* headline\r\n\r\ndef ql(orders.in) bothresh( 3 ) +\r\n* why\r\n"
        "   descr('it''s  so') +\r\n   BOQNAME('ORDERS.BO') ;\r\n"
        "DEFINE QLOCAL('ORDERS.BO') LIKE('ORDERS.IN') BOTHRESH(0) BOQNAME(' ')\r\n"
        "DEF QL(BO2) PUT(ENABLED)\r\nDEF QL(IN2)  BOTHRESH(3)  BOQNAME(BO2)\r\nEND\r\n* tail"
    )
    assert lint("fix", "a.mqsc", "--write").code == 0
    assert Path("a.mqsc").read_bytes().decode() == after, "the second time changes nothing"


def test_the_last_line_is_mended_though_it_lacks_its_end(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(A.IN) BOTHRESH(3)")
    assert lint("fix", "a.mqsc", "--write").code == 0
    assert Path("a.mqsc").read_text().splitlines() == [
        "DEFINE QLOCAL(A.IN) BOTHRESH(3) BOQNAME('A.BO')",
        "DEFINE QLOCAL('A.BO') LIKE('A.IN') BOTHRESH(0) BOQNAME(' ')",
    ]


def test_a_script_with_sequence_numbers_is_linted_and_not_rewritten(lint: Lint) -> None:
    text = (
        "DEFINE QLOCAL(A.IN) +".ljust(72) + "00000100\n" + " BOTHRESH(3)".ljust(72) + "00000200\n"
    )
    put("a.mqsc", text)
    ran = lint("fix", "a.mqsc", "--write")
    assert (ran.code, Path("a.mqsc").read_text()) == (4, text)
    assert "has sequence numbers, so it is not rewritten" in ran.err
    put("b.mqsc", lint("fix", "a.mqsc").out)
    assert codes(lint("a.mqsc", "b.mqsc", "--together", "--select", "BKO", "-o", "json")) == []


def test_a_misspelt_keyword_is_respelt(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) BOTHRESH(3) BOQUEUE(BO)\n")
    assert lint("fix", "a.mqsc", "--write", "--select", "BKO019").code == 0
    assert "BOTHRESH(3) BOQNAME(BO)" in Path("a.mqsc").read_text()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_fix_write_keeps_the_encoding(lint: Lint, encoding: str) -> None:
    text = "* Prüfung\nDEFINE QLOCAL(BO) PUT(DISABLED)\nDEFINE QLOCAL(A) BOTHRESH(3) BOQNAME(BO)\n"
    Path("a.mqsc").write_bytes(text.encode(encoding))
    assert lint("fix", "a.mqsc", "--write").code == 0
    expected = text.replace("PUT(DISABLED)", "PUT(ENABLED)")
    assert Path("a.mqsc").read_bytes() == expected.encode(encoding)


def test_fix_write_keeps_the_mode_and_a_link(lint: Lint) -> None:
    path = put("real.mqsc", HALF)
    path.chmod(0o640)
    Path("link.mqsc").symlink_to("real.mqsc")
    assert lint("fix", "link.mqsc", "--write").code == 0
    assert Path("link.mqsc").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert "ORDERS.BO" in path.read_text()


def test_several_fixes_of_one_queue_all_arrive(lint: Lint) -> None:
    put(
        "a.mqsc",
        "DEFINE QLOCAL(BO) PUT(DISABLED) GET(DISABLED) MAXMSGL(1) MAXDEPTH(1) CAPEXPRY(5)\n"
        "DEFINE QLOCAL(IN) BOTHRESH(99) BOQNAME(BO) MAXMSGL(9)\n"
        "DEFINE QLOCAL(A.IN) BOTHRESH(2)\nDEFINE QLOCAL(A.REQ) BOTHRESH(2)\n",
    )
    ran = lint("fix", "a.mqsc", "--write", "--fail-on", "warning")
    assert ran.code == 0, ran.out
    printed = Path("a.mqsc").read_text()
    assert "DEFINE QLOCAL('A.BO')" in printed
    assert "DEFINE QLOCAL('A.REQ.BO')" in printed


# forms ------------------------------------------------------------------------------------------


@pytest.mark.seed("CARD-30")
def test_every_result_of_sarif_has_a_place_and_its_fix_is_what_fix_writes(lint: Lint) -> None:
    """GitHub refuses a report in which one result has no file."""
    text = "* qm\nDEFINE QLOCAL(IN) +\n  BOTHRESH(3)\nALTER QMGR MAXMSGL(4194304)\n"
    path = put("bad.mqsc", text)
    options = ("--whole", "--platform", "zos", "--select", "DLY001,BKO001")
    ran = lint("bad.mqsc", "--format", "sarif", *options)
    results = json.loads(ran.out)["runs"][0]["results"]
    assert problems(json.loads(ran.out)) == []
    by_code = {result["ruleId"]: result for result in results}
    assert set(by_code) == {"DLY001", "BKO001"}
    for result in results:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "bad.mqsc"
        assert 1 <= place["region"]["startLine"] <= 4
    region = by_code["BKO001"]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 3, "endLine": 3, "endColumn": 14}
    edits = [
        edit
        for change in by_code["BKO001"]["fixes"][0]["artifactChanges"]
        for edit in change["replacements"]
    ]
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda e: -e["deletedRegion"]["startLine"]):
        at = edit["deletedRegion"]
        start = sum(map(len, lines[: at["startLine"] - 1])) + at["startColumn"] - 1
        end = sum(map(len, lines[: at["endLine"] - 1])) + at["endColumn"] - 1
        text = text[:start] + edit["insertedContent"]["text"] + text[end:]
    lint("fix", "bad.mqsc", "--write", "--select", "BKO001")
    assert path.read_text() == text


def test_failures_of_junit_are_what_the_exit_code_says(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) BOQNAME(BO)\n")
    for fail_on, code in (("error", 0), ("warning", 4), ("info", 4)):
        ran = lint("a.mqsc", "--format", "junit", "--fail-on", fail_on)
        failures = ElementTree.fromstring(ran.out).get("failures")
        assert (ran.code, failures == "0") == (code, code == 0), fail_on


def reported_paths(ran: Ran, form: str) -> set[str]:
    """The files that a report names."""
    if form == "github":
        return set(re.findall(r"file=([^,]*),", ran.out))
    document = json.loads(ran.out)
    if form == "gitlab":
        return {entry["location"]["path"] for entry in document}
    results = document["runs"][0]["results"]
    places = [
        *(place["physicalLocation"] for result in results for place in result["locations"]),
        *(
            change
            for result in results
            for fix in result.get("fixes", ())
            for change in fix["artifactChanges"]
        ),
    ]
    return {place["artifactLocation"]["uri"] for place in places}


@pytest.mark.parametrize("form", ["github", "gitlab", "sarif"])
def test_reports_beside_lines_name_files_from_the_top_of_the_repository(
    lint: Lint, empty_bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    script = put("definitions/bad.mqsc", HALF).resolve()
    monkeypatch.chdir("definitions")
    checkout = "CI_PROJECT_DIR" if form == "gitlab" else "GITHUB_WORKSPACE"
    for top, expected in (
        (None, "definitions/bad.mqsc"),
        (folder.parent, "work/definitions/bad.mqsc"),
        (script.parent, "bad.mqsc"),
        (folder / "elsewhere", "definitions/bad.mqsc"),
    ):
        if top is not None:
            empty_bench.environ[checkout] = str(top)
        for typed in (".", "bad.mqsc", "../definitions", str(script)):
            paths = reported_paths(lint(typed, "--format", form), form)
            assert paths == {expected}, (typed, top)


@pytest.mark.parametrize("form", ["github", "gitlab", "sarif"])
def test_a_file_in_no_repository_and_standard_input_keep_their_names(
    lint: Lint, folder: Path, form: str
) -> None:
    (folder / ".git").rmdir()
    put("d/bad.mqsc", HALF)
    assert reported_paths(lint("d", "--format", form), form) == {"d/bad.mqsc"}
    from_input = reported_paths(lint("-", "--format", form, answer=HALF), form)
    assert {path.replace("%3C", "<").replace("%3E", ">") for path in from_input} == {"<stdin>"}


def test_other_reports_and_listings_keep_the_paths_that_were_typed(
    lint: Lint, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("definitions/bad.mqsc", HALF)
    monkeypatch.chdir("definitions")
    assert {item["file"] for item in lint("bad.mqsc", "-o", "json").items} == {"bad.mqsc"}
    junit = lint("bad.mqsc", "--format", "junit").out
    assert "definitions/bad.mqsc" not in junit


def test_sarif_and_junit_of_a_file_are_valid(lint: Lint) -> None:
    put("bad.mqsc", HALF + "nonsense\n")
    ran = lint("bad.mqsc", "--format", "sarif")
    assert ran.code == 4
    assert problems(json.loads(ran.out)) == []
    assert len(ElementTree.fromstring(lint("bad.mqsc", "--format", "junit").out)) == 1


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "ids"])
def test_every_other_form_names_the_code(lint: Lint, form: str) -> None:
    put("bad.mqsc", HALF)
    ran = lint("bad.mqsc", "--format", form)
    assert ran.code == 4
    assert "BKO001" in ran.out


def test_an_unknown_form_is_wrong_usage(lint: Lint) -> None:
    put("bad.mqsc", HALF)
    assert lint("bad.mqsc", "--format", "pdf").code == 2


def test_explain_prints_the_page_and_all_lists_the_rules(lint: Lint) -> None:
    assert lint("explain", "bko001").out.startswith("# BKO001: ")
    assert len(lint("explain", "-o", "json").items) >= 46
    assert lint("explain", "BKO999").code == 5


# folders, dumps, bad input ----------------------------------------------------------------------


def test_a_folder_of_folders_is_one_estate_a_queue_manager(lint: Lint) -> None:
    put("defs/QM1/1.mqsc", "DEFINE QLOCAL(BO)\n")
    put("defs/QM1/2.mqsc", "DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME(BO)\n")
    put("defs/QM2/1.mqsc", "DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME(BO)\n")
    ran = lint("defs", "--select", "BKO003", "--whole", "-o", "json")
    assert [(i["queue_manager"], i["code"]) for i in ran.items] == [("QM2", "BKO003")]


def test_overlays_are_run_after_the_base_in_the_order_given(lint: Lint) -> None:
    put("QM1/base.mqsc", HALF)
    put("QM1/prod/more.mqsc", "ALTER QLOCAL(ORDERS.IN) BOTHRESH(0)\n")
    put("QM1/eu/more.mqsc", "ALTER QLOCAL(ORDERS.IN) BOTHRESH(5)\n")
    base = lint("QM1", "--select", "BKO001", "-o", "json").items
    assert [(one["code"], one["file"]) for one in base] == [
        ("MQSC003", "QM1/eu"),
        ("MQSC003", "QM1/prod"),
        ("BKO001", "QM1/base.mqsc"),
    ]
    assert "BOTHRESH(3)" in base[-1]["message"]
    assert codes(lint("QM1", "--env", "prod", "--select", "BKO001", "-o", "json")) == []
    both = lint("QM1", "--env", "prod", "--env", "eu", "--select", "BKO001", "-o", "json")
    assert both.items[0]["file"] == "QM1/eu/more.mqsc"
    assert lint("QM1", "--env", "test").code == 5


def test_a_dump_is_the_whole_queue_manager_and_tells_its_name(lint: Lint) -> None:
    head = (
        "*****\n* Script generated on 2026-01-02 at 10.00.00\n* Queue manager name: QMD\n"
        "* Queue manager platform: UNIX\n* Command issued: dmpmqcfg -m QMD -a\n*****\n"
    )
    body = "DEFINE QLOCAL('SYSTEM.DEFAULT.LOCAL.QUEUE') REPLACE\n"
    put("dump.mqsc", head + body + "DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME(NOT.THERE) REPLACE\n")
    (item,) = lint("dump.mqsc", "--select", "BKO003", "-o", "json").items
    assert (item["queue_manager"], item["severity"]) == ("QMD", "error")


def test_standard_input_is_a_script(lint: Lint) -> None:
    ran = lint("-", "-o", "json", answer=HALF)
    assert [(i["file"], i["code"]) for i in ran.items] == [("<stdin>", "BKO001")]


def test_wrong_mqsc_is_a_finding_and_the_rest_is_linted(lint: Lint) -> None:
    put("a.mqsc", "this is no MQSC\nDEFINE QLOCAL(X) MAXDEPTH(LOTS)\n" + HALF)
    ran = lint("a.mqsc", "--ignore", "BKO014", "-o", "json")
    assert codes(ran) == ["MQSC001", "MQSC002", "BKO001"]


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 40, b"A" * 1_000_000, b"DEFINE QLOCAL(" + b"(" * 10_000, b"", b"\x00"],
    ids=["binary", "one-long-line", "parentheses", "empty", "nul"],
)
def test_bad_input_is_findings_and_never_a_trace(lint: Lint, data: bytes) -> None:
    Path("a.mqsc").write_bytes(data)
    ran = lint("a.mqsc", "-o", "json")
    assert ran.code in (0, 4)
    assert "Traceback" not in ran.err
    assert json.loads(ran.out)["kind"] == "FindingList"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("missing.mqsc",), 5),
        (("empty",), 5),
        (("-", "-"), 2),
        (("a.mqsc", "--write"), 2),
        (("a.mqsc", "--platform", "mars"), 2),
        (("a.mqsc", "--fail-on", "often"), 2),
        (("a.mqsc", "--config", "none.toml"), 5),
    ],
)
def test_wrong_use_is_one_error(lint: Lint, args: tuple[str, ...], code: int) -> None:
    Path("empty").mkdir()
    put("a.mqsc", GOOD)
    ran = lint(*args)
    assert ran.code == code
    assert ran.error_line


def test_an_estate_of_the_platform_zos_is_told_by_its_attributes(lint: Lint) -> None:
    put("a.mqsc", "DEFINE QLOCAL(SYSTEM.DDELAY.LOCAL.QUEUE) INDXTYPE(CORRELID)\n")
    findings: list[dict[str, Any]] = lint("a.mqsc", "--select", "DLY005", "-o", "json").items
    assert {"INDXTYPE(CORRELID)", "MSGDLVSQ(PRIORITY)"} == {
        item["message"].partition(",")[0] for item in findings
    }


def test_a_narrow_table_still_names_object_and_file(lint: Lint, empty_bench: Bench) -> None:
    put("bad.mqsc", HALF)
    empty_bench.environ["COLUMNS"] = "80"
    ran = lint("bad.mqsc", "-o", "table")
    assert all(part in ran.out for part in ("ORDERS.IN", "bad.mqsc", "BKO001"))


def test_the_severity_of_a_rule_is_that_of_the_settings_and_the_longer_code_wins(
    lint: Lint,
) -> None:
    put("a.mqsc", HALF)
    put("mqtriage.toml", '[lint.severity]\nBKO = "info"\nBKO001 = "warning"\n')
    ran = lint("a.mqsc", "-o", "json")
    assert ran.code == 0
    assert [(i["code"], i["severity"]) for i in ran.items] == [("BKO001", "warning")]
    assert lint("a.mqsc", "--fail-on", "warning").code == 4
    put("mqtriage.toml", '[lint.severity]\nBKO = "info"\n')
    assert lint("a.mqsc", "--fail-on", "warning").code == 0
    assert lint("fix", "a.mqsc").out == "", "infos are mended only where they are selected"
    put("mqtriage.toml", '[lint.severity]\nBKO001 = "grave"\n')
    wrong = lint("a.mqsc")
    assert (wrong.code, "lint.severity.BKO001" in wrong.error_line) == (2, True)


def test_a_diff_of_the_fixes_is_what_write_does_and_changes_nothing(
    lint: Lint, folder: Path
) -> None:
    text = HALF.encode() + "* Straße\r\nDEFINE QLOCAL(LAST)".encode("latin-1")
    put("a.mqsc", "")
    Path("a.mqsc").write_bytes(text)
    ran = lint("fix", "a.mqsc", "--diff")
    assert ran.code == 4
    assert ran.out.startswith("--- a/a.mqsc\n+++ b/a.mqsc\n@@ -1,3 +1,4 @@\n")
    assert Path("a.mqsc").read_bytes() == text
    assert lint("fix", "a.mqsc", "--write").code == 0
    written = Path("a.mqsc").read_bytes()
    assert lint("fix", "a.mqsc", "--diff").out == ""
    Path("a.mqsc").write_bytes(text)
    # with the encoding of the file the diff is a patch
    Path("a.patch").write_bytes(ran.out.encode("latin-1"))
    subprocess.run(["git", "apply", "a.patch"], check=True)
    assert Path("a.mqsc").read_bytes() == written


def test_a_diff_needs_fix_and_goes_without_write(lint: Lint) -> None:
    put("a.mqsc", HALF)
    assert "--diff needs FILES" in lint("fix", "--diff").error_line
    assert "cannot be combined" in lint("fix", "a.mqsc", "--diff", "--write").error_line
    clean = lint("fix", "a.mqsc", "--diff", "--ignore", "BKO")
    assert (clean.code, clean.out) == (0, "")


def test_standard_input_has_the_name_settings_and_paths_of_its_file(
    lint: Lint, folder: Path
) -> None:
    put("other/mqtriage.toml", '[lint]\nfail-on = "never"\n[lint.per-path]\n"old/*" = ["BKO"]\n')
    name = "other/new/a.mqsc"
    named = lint("-", "--stdin-filename", name, "-o", "json", answer=HALF)
    assert (named.code, [item["file"] for item in named.items]) == (0, [name])
    assert lint("-", "--stdin-filename", "other/old/a.mqsc", "-o", "ids", answer=HALF).out == ""
    changes = lint("fix", "-", "--stdin-filename", name, "--diff", answer=HALF).out
    assert changes.startswith(f"--- a/{name}\n+++ b/{name}\n")
    assert not Path(name).exists()
    wrong = lint("other", "--stdin-filename", name)
    assert (wrong.code, "--stdin-filename" in wrong.error_line) == (2, True)


def test_statistics_count_the_findings_of_each_rule(lint: Lint) -> None:
    put("a.mqsc", HALF + "DEFINE QLOCAL(B) BOTHRESH(3)\nDEFINE QLOCAL(C) MAXDEPTH(x)\n")
    ran = lint("a.mqsc", "--format", "statistics", "-o", "json")
    assert ran.code == 4
    counts = [(i["code"], i["severity"], i["count"], i["fixable"]) for i in ran.items]
    assert counts[0] == ("BKO001", "error", 2, 2)
    assert ("MQSC002", "error", 1, 0) in counts[1:]


def test_a_report_goes_into_its_file_whole_and_the_exit_code_stays(
    lint: Lint, folder: Path
) -> None:
    put("a.mqsc", HALF)
    ran = lint("a.mqsc", "--format", "sarif", "--out", "lint.sarif")
    assert (ran.code, ran.out) == (4, "")
    assert problems(json.loads(Path("lint.sarif").read_text("utf-8"))) == []
    before = Path("lint.sarif").read_bytes()
    assert lint("nowhere.mqsc", "--out", "lint.sarif").code == 5
    assert Path("lint.sarif").read_bytes() == before
    refused = lint("a.mqsc", "--out", "no/such/folder.sarif")
    assert (refused.code, "no/such/folder.sarif: " in refused.error_line) == (1, True)


def test_settings_say_where_they_come_from(lint: Lint, folder: Path) -> None:
    put("mqtriage.toml", '[lint]\nignore = ["EXP"]\nrule-pages = "https://pages.example/rules"\n')
    ran = lint("--format", "settings", "--ignore", "QUE", "--fail-on", "info", "-o", "json")
    values = {item["key"]: (item["value"], item["origin"]) for item in ran.items}
    assert values["ignore"] == ('["EXP", "QUE"]', "--ignore")
    assert values["fail-on"] == ('"info"', "--fail-on")
    assert values["rule-pages"] == (
        '"https://pages.example/rules"', str(folder / "mqtriage.toml")
    )  # fmt: skip
    assert values["load.subscribers"] == ("1", "default")
    put("a.mqsc", HALF)
    document = json.loads(lint("a.mqsc", "--format", "sarif").out)
    (rule,) = document["runs"][0]["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://pages.example/rules/bko001_backout_queue_blank.md"


LONDON = (
    "DEFINE QLOCAL(PARIS) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\n"
    "DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(SDR) CONNAME('paris(1414)') XMITQ(PARIS)\n"
    "DEFINE QREMOTE(ORDERS) RNAME(ORDERS.IN) RQMNAME(PARIS)\n"
)
PARIS = (
    "DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(BO)\nDEFINE QLOCAL(BO)\n"
    "DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(RCVR)\n"
)


def test_queue_managers_in_one_folder_are_held_against_one_another(lint: Lint) -> None:
    both = "--select", "REF,CHL", "-o", "json"
    put("all/london/qm.mqsc", LONDON)
    put("all/paris/qm.mqsc", PARIS)
    assert codes(lint("all", "--whole", *both)) == []
    put("all/paris/qm.mqsc", PARIS.replace("ORDERS.IN", "ORDER.IN").replace("RCVR", "SVRCONN"))
    assert codes(lint("all", *both)) == ["CHL006"], "a part cannot prove that a queue is not there"
    assert codes(lint("all", "--whole", *both)) == ["CHL006", "REF011"]
    assert codes(lint("all/london", "all/paris", *both)) == ["CHL006"]


def test_queue_managers_of_other_folders_and_two_of_one_name_are_not(lint: Lint) -> None:
    put("test/london/qm.mqsc", LONDON)
    put("prod/paris/qm.mqsc", PARIS.replace("RCVR", "SVRCONN"))
    put("test/Paris/qm.mqsc", PARIS.replace("RCVR", "SVRCONN"))
    put("test/PARIS/qm.mqsc", PARIS.replace("RCVR", "SVRCONN"))
    ran = lint("test", "prod", "--whole", "--select", "REF,CHL", "-o", "json")
    assert "CHL006" not in codes(ran)
    assert "REF011" not in codes(ran)


def test_dumps_are_held_against_one_another_by_the_names_that_they_say(lint: Lint) -> None:
    head = "* Script generated by dmpmqcfg\n* Queue manager name: {}\n"
    put("a.mqsc", head.format("LONDON") + LONDON)
    put("b.mqsc", head.format("PARIS") + PARIS.replace("RCVR", "SVRCONN"))
    ran = lint("a.mqsc", "b.mqsc", "--select", "CHL", "-o", "json")
    assert codes(ran) == ["CHL006"]
    assert "PARIS has this channel as SVRCONN" in ran.items[0]["message"]


VALUES = """\
depth: 10
configs:
  - name: first
    qm.mqsc: |
      * mqtriage: ignore BKO001 nobody reads it
      DEFINE QLOCAL(OLD.IN) BOTHRESH(3)
      {{- if .Values.more }}
      DEFINE QLOCAL(ORDERS.IN) MAXDEPTH({{ .Values.depth }})
      {{- end }}
      DEFINE QLOCAL(PAY.IN) BOTHRESH(3) +
        DESCR('{{ .Values.text }}')
---
other.mqsc: |
  DEFINE QLOCAL(LAST.IN) BOTHRESH(3)"""
"""Two documents of one file, for two queue managers; the last line has no end."""


def test_mqsc_in_yaml_is_linted_at_its_place_and_mended_there(lint: Lint) -> None:
    put("values.yaml", VALUES)
    ran = lint("values.yaml", "--select", "BKO001,LNT,MQSC", "-o", "json")
    assert [(i["code"], i["object"], i["line"], i["column"]) for i in ran.items] == [
        ("BKO001", "PAY.IN", 10, 29),
        ("BKO001", "LAST.IN", 14, 26),
    ]
    document = json.loads(lint("values.yaml", "--format", "sarif", "--select", "BKO001").out)
    assert problems(document) == []
    assert lint("fix", "values.yaml", "--select", "BKO001", "--write").code == 0
    mended = VALUES.replace(
        "DESCR('{{ .Values.text }}')\n",
        "DESCR('{{ .Values.text }}') +\n        BOQNAME('PAY.BO')\n"
        "      DEFINE QLOCAL('PAY.BO') LIKE('PAY.IN') BOTHRESH(0) BOQNAME(' ')\n",
    )
    mended = mended.replace(
        "QLOCAL(LAST.IN) BOTHRESH(3)",
        "QLOCAL(LAST.IN) BOTHRESH(3) BOQNAME('LAST.BO')\n"
        "  DEFINE QLOCAL('LAST.BO') LIKE('LAST.IN') BOTHRESH(0) BOQNAME(' ')\n",
    )
    assert Path("values.yaml").read_text("utf-8") == mended


def test_mqsc_in_here_documents_is_that_of_the_queue_manager_that_runmqsc_names(
    lint: Lint,
) -> None:
    script = "runmqsc QM{} <<EOF\n{}EOF\n"
    put("define.sh", script.format(1, HALF) + script.format(2, HALF))
    ran = lint("define.sh", "--select", "BKO001,QUE002", "-o", "json")
    assert [(i["queue_manager"], i["code"], i["line"]) for i in ran.items] == [
        ("QM1", "BKO001", 2),
        ("QM2", "BKO001", 5),
    ]
    lint("fix", "define.sh", "--select", "BKO001", "--write")
    fixed = HALF.replace("(3)\n", "(3) BOQNAME('ORDERS.BO')\n") + (
        "DEFINE QLOCAL('ORDERS.BO') LIKE('ORDERS.IN') BOTHRESH(0) BOQNAME(' ')\n"
    )
    assert Path("define.sh").read_text("utf-8") == script.format(1, fixed) + script.format(2, fixed)


def test_a_folder_of_files_that_hold_mqsc_is_an_estate(lint: Lint) -> None:
    put("qm1/a.yaml", "a.mqsc: |\n  " + HALF.replace("(3)", "(3) BOQNAME(BO)"))
    assert codes(lint("qm1", "--select", "BKO003", "-o", "json")) == ["BKO003"]
    put("qm1/Dockerfile", "COPY <<EOF /etc/mqm/b.mqsc\nDEFINE QLOCAL(BO)\nEOF\n")
    assert codes(lint("qm1", "--select", "BKO003", "-o", "json")) == []
    put("qm1/README.md", "```mqsc\n" + HALF + "```\n")
    assert codes(lint("qm1", "--select", "BKO003,QUE002", "-o", "json")) == []
    put("qm1/of-another.yaml", "a.mqsc: |\n  " + HALF)
    assert "QUE002" not in codes(lint("qm1", "-o", "json")), "one queue manager cannot run both"
    assert "QUE002" in codes(lint("qm1", "--together", "-o", "json"))
    put("qm1/qm.mqsc", GOOD)
    ran = lint("qm1", "--select", "BKO003", "-o", "json")
    assert codes(ran) == ["BKO003"], "beside scripts each file is taken for itself"


def test_a_loop_over_queue_managers_and_both_ends_of_a_channel_define_nothing_twice(
    lint: Lint,
) -> None:
    here = "runmqsc $QM <<EOF\n{}EOF\n"
    put("a.sh", "for QM in A B\ndo\n" + here.format(HALF) + "done\n" + here.format(HALF))
    ran = lint("a.sh", "--select", "QUE002,BKO001", "-o", "json")
    assert codes(ran) == ["BKO001", "BKO001"]
    put("b.sh", here.format(HALF) + here.format("ALTER QL(ORDERS.IN) BOTHRESH(0)\n"))
    assert codes(lint("b.sh", "--select", "QUE002,BKO001", "-o", "json")) == []
    ends = "".join(f"DEFINE CHANNEL(C) CHLTYPE({kind})\n" for kind in ("SDR", "RCVR"))
    put("a.md", f"```\n{ends}```\n\n```\n{HALF}```\n")
    assert codes(lint("a.md", "--select", "QUE002,BKO001", "-o", "json")) == ["BKO001"]


def test_templates_and_scripts_of_a_folder_are_one_queue_manager(lint: Lint) -> None:
    put("qm1/a.mqsc", HALF.replace("(3)", "(3) BOQNAME(BO)"))
    put("qm1/b.mqsc.j2", "{% if x %}\nDEFINE QLOCAL(BO) MAXDEPTH({{ depth }})\n{% endif %}\n")
    assert codes(lint("qm1", "--select", "BKO003,MQSC", "-o", "json")) == []


def test_what_looks_like_mqsc_in_a_folder_and_is_not_read_is_a_note(lint: Lint) -> None:
    put("qm1/a.mqsc", GOOD)
    put("qm1/old.txt", "text\n" + HALF)
    put("qm1/Notes.java", "// nothing\n")
    (note,) = lint("qm1", "--select", "MQSC", "-o", "json").items
    assert (note["code"], note["severity"], note["line"]) == ("MQSC003", "info", 2)
    assert note["file"].endswith("old.txt")
    assert "its name does not end in .mqsc or .mqs" in note["message"]
    sarif = json.loads(lint("qm1", "--select", "MQSC", "--format", "sarif").out)
    assert len(sarif["runs"][0]["results"]) == 1


def test_a_table_of_client_channels_is_checked_as_one(lint: Lint) -> None:
    table = {"channel": [{"name": "A", "type": "clientConnection"}]}
    put("qm1/a.mqsc", GOOD)
    put("qm1/ccdt.json", json.dumps(table))
    for name in ("qm1", "qm1/ccdt.json"):
        ran = lint(name, "--select", "MQSC002", "-o", "json")
        assert [item["message"].partition(";")[0] for item in ran.items] == [
            "channel A has no connection"
        ]
    assert lint("fix", "qm1/ccdt.json", "--diff").out == ""


def test_a_file_of_another_kind_is_one_finding(lint: Lint) -> None:
    put("notes.txt", "some text\n" * 316)
    (finding,) = lint("notes.txt", "-o", "json").items
    assert (finding["code"], finding["line"]) == ("MQSC001", 1)
    assert "315 more lines like it" in finding["message"]
    put("script.txt", HALF + "some text\n" * 3)
    assert codes(lint("script.txt", "--select", "MQSC", "-o", "json")) == ["MQSC001"] * 3


def test_a_file_without_mqsc_in_it_is_named(lint: Lint) -> None:
    put("a.yaml", "a: |\n  text\n")
    ran = lint("a.yaml")
    assert (ran.code, "a.yaml: no MQSC in this file" in ran.error_line) == (5, True)


def test_names_are_followed_in_a_live_queue_manager(bench: Bench, folder: Path) -> None:
    text = (
        "DEFINE QLOCAL(X) USAGE(XMITQ)\n"
        "DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h') XMITQ(X)\n"
        "DEFINE QLOCAL(I)\n"
        "DEFINE QLOCAL(T) TRIGGER INITQ(I) PROCESS(P)\n"
        "DEFINE PROCESS(P) APPLICID('x')\n"
    )
    bench.ok("mqsc", "-", "--yes", answer=text)
    select = "--select", "REF,CHL", "-o", "json"
    assert codes(bench.run("lint", *select)) == ["CHL002"]
    bench.ok("mqsc", "-", "--yes", "--confirm", "P", answer="DELETE PROCESS(P)\n")
    assert "REF003" in codes(bench.run("lint", *select))


def test_what_a_shell_or_a_template_fills_in_is_not_judged(lint: Lint) -> None:
    lines = (
        "$cmd", "$1", "DEFINE $TYPE(A)", "DEFINE QLOCAL(${Q})", "DEFINE QLOCAL(B) MAXDEPTH($D)",
        "DEFINE QLOCAL(C) MAXDEPTH('$D') DESCR('${x} of $y')", "DEFINE QLOCAL(`hostname`)",
        "$(cat more.mqsc)", "DEFINE QLOCAL(<name>)", "ALTER QMGR {{ settings }}",
        "{% for q in queues %}", "DEFINE QLOCAL('{{ q }}') {{ more }}", "{% endfor %}",
    )  # fmt: skip
    for line in lines:
        put("a.sh", f"runmqsc $QM <<EOF\n{line}\nDEFINE QLOCAL(Z)\nEOF\n")
        assert codes(lint("a.sh", "--select", "MQSC,QUE", "-o", "json")) == [], line
    for text in ("MAXDEPTHS($D)", "DESCR('$D') MAXDEPTHS(1)"):
        put("a.sh", f"runmqsc $QM <<EOF\nDEFINE QLOCAL(B) {text}\nEOF\n")
        assert codes(lint("a.sh", "--select", "MQSC", "-o", "json")) == ["MQSC002"], text


def test_like_of_the_default_object_changes_no_finding(lint: Lint) -> None:
    needed = {
        "CRLLDAP": "CONNAME('h')", "OCSP": "OCSPURL('u')", "IDPWLDAP": "CONNAME('h') SHORTUSR(s)",
    }  # fmt: skip
    parameters = {
        "QLOCAL": "BOQNAME(BO)", "QMODEL": "BOQNAME(BO)", "QALIAS": "TARGET(A)",
        "QREMOTE": "RNAME(A) RQMNAME(B)", "TOPIC": "TOPICSTR('a')", "SUB": "TOPICSTR('a') DEST(Q)",
        "CHANNEL": "CHLTYPE({}) CONNAME('h') XMITQ(X)", "AUTHINFO": "AUTHTYPE({})",
    }  # fmt: skip
    for kind in KINDS:
        for subtype, name in default_objects(kind).items():
            given = parameters.get(kind, "").format(subtype)
            text = f"DEFINE {kind}(A.B) {given} {needed.get(subtype, '')}"
            put("a.mqsc", text + "\n")
            plain = lint("a.mqsc", "-o", "json", "--whole").items
            put("a.mqsc", f"{text} LIKE({name})\n")
            assert lint("a.mqsc", "-o", "json", "--whole").items == plain, (kind, name)


def test_like_of_an_object_of_the_files_counts_and_of_an_unknown_one_is_reported(
    lint: Lint,
) -> None:
    put("a/10.mqsc", "DEFINE QLOCAL(T) BOTHRESH(3)\n")
    put("a/20.mqsc", "DEFINE QLOCAL(IN) LIKE(T)\n")
    assert {("BKO001", "IN")} <= {(i["code"], i["object"]) for i in lint("a", "-o", "json").items}
    (unknown,) = lint("a/20.mqsc", "-o", "json").items
    assert (unknown["code"], unknown["severity"], unknown["object"]) == ("REF013", "info", "IN")
    ran = lint("a/20.mqsc", "--whole", "-o", "json")
    assert (ran.code, ran.items[0]["code"], ran.items[0]["severity"]) == (4, "REF013", "error")


@pytest.mark.slow
def test_every_object_that_comes_with_a_queue_manager_is_there_for_every_rule(lint: Lint) -> None:
    """A whole script of a queue manager that has only what somebody added to it."""
    naming = """\
ALTER QMGR DEADQ({0}) DEFXMITQ({0})
DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME({0}) TRIGGER INITQ({0}) STREAMQ({0})
DEFINE QALIAS(B) TARGET({0})
DEFINE QALIAS(C) TARGET({0}) TARGTYPE(TOPIC)
DEFINE QREMOTE(D) RNAME(X) RQMNAME(Y) XMITQ({0})
DEFINE TOPIC(E) TOPICSTR('e') MDURMDL({0}) MNDURMDL({0})
DEFINE SUB(F) TOPICSTR('f') DEST({0})
DEFINE SUB(G) TOPICOBJ({0}) DEST(A)
DEFINE CHANNEL(H) CHLTYPE(SDR) CONNAME('h') XMITQ({0})
DEFINE QLOCAL(I) TRIGGER INITQ(A) PROCESS({0})
ALTER QMGR REPOSNL({0})
SET POLICY({0}) SIGNALG(SHA256)
DEFINE QLOCAL(J) LIKE({0})
"""
    lines_of = {"TOPIC": (4, 8), "PROCESS": (10,), "NAMELIST": (11,)}
    for_queues = (1, 2, 3, 5, 6, 7, 9, 12, 13)

    def missing(name: str, kind: str) -> list[str]:
        put("a.mqsc", naming.format(name))
        items = lint("a.mqsc", "--whole", "-o", "json").items
        lines = lines_of.get(kind, for_queues)
        return [i["message"] for i in items if i["line"] in lines and "defined" in i["message"]]

    for kind in ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "TOPIC", "PROCESS", "NAMELIST"):
        names = system_objects(kind)
        assert names, kind
        assert {name: texts for name in names if (texts := missing(name, kind))} == {}, kind
        assert missing("SYSTEM.NOT.THERE", kind), kind


@pytest.mark.parametrize("form", (*_REPORT_FORMS, *FORMS))
def test_no_name_of_a_file_begins_a_line_of_a_log(lint: Lint, form: str) -> None:
    """A CI service obeys lines such as ::error:: on standard output."""
    put("d/a\n::error::x\r::error::y\n.mqsc", HALF)
    out = lint("d", "--format", form).out
    assert not [
        line for line in re.split(r"[\r\n]", out) if line.startswith(("::error::", ".mqsc"))
    ]


def test_a_number_of_a_template_does_not_hide_the_rest_of_its_command(lint: Lint) -> None:
    put(
        "q.mqsc.j2",
        "DEFINE QLOCAL(A) MAXDEPTH({{ depth }}) BOTHRESH(3)\n"
        "DEFINE QLOCAL({{ name }}) BOTHRESH(3)\n"
        "DEFINE QLOCAL(C) MAXDEPTH({{ depth }}) MAXMSGLEN(4)\n",
    )
    put("q.sh", "runmqsc QM1 <<EOF\nDEFINE QLOCAL(A) MAXDEPTH($DEPTH) BOTHRESH(3)\nEOF\n")
    items = lint("q.mqsc.j2", "q.sh", "--ignore", "BKO014", "-o", "json").items
    assert [(item["code"], item["object"], item["file"], item["line"]) for item in items] == [
        ("BKO001", "A", "q.mqsc.j2", 1),
        ("BKO001", "{{ name }}", "q.mqsc.j2", 2),
        ("MQSC002", "C", "q.mqsc.j2", 3),
        ("BKO001", "A", "q.sh", 2),
    ]
    lint("fix", "q.mqsc.j2", "--write", "--select", "BKO")
    fixed = Path("q.mqsc.j2").read_text()
    assert "MAXDEPTH({{ depth }}) BOTHRESH(3) BOQNAME('A.BO')\n" in fixed


def test_folders_with_scripts_below_a_folder_with_scripts_are_said_to_be_unread(lint: Lint) -> None:
    put("defs/base.mqsc", "DEFINE QLOCAL(A)\n")
    for name in ("defs/QM1/a.mqsc", "defs/prod/b.mqsc", "defs/.git/c.mqsc", "defs/empty/x.txt"):
        put(name, "DEFINE QLOCAL(B)\n")

    def unread(*options: str) -> list[str]:
        items = lint("defs", *options, "--select", "MQSC", "-o", "json").items
        return [item["file"] for item in items if item["message"].startswith("not read: ")]

    assert unread() == ["defs/QM1", "defs/prod"]
    assert unread("--env", "prod") == []
    gate = ("defs", "--select", GATE, "--ignore", "BKO014", "--fail-on", "warning")
    assert [lint(*gate, *more).code for more in ((), ("--env", "prod"))] == [4, 0]
    ran = lint(*gate, "--ignore", "MQSC003")
    assert ran.code == 0
    assert "defs/QM1: not read: the scripts in this folder; to read them, name it" in ran.err
    put("mqtriage.toml", OWN_RULE.replace('"QLOCAL" }', '"QLOCAL", environment = "Prod" }'))
    items = lint("defs", "--select", "MQSC", "-o", "json").items
    assert [(one["file"], one["severity"]) for one in items if one["code"] == "MQSC003"] == [
        ("defs/QM1", "warning"),
        ("defs/prod", "info"),
    ]
    put("defs/QM2/deep/er/a.mqsc", "DEFINE QLOCAL(B)\n")
    assert unread() == ["defs/QM1", "defs/QM2/deep/er", "defs/prod"]


GATE = "BKO,REF013,QUE010,LNT001"
STRICT = ("--select", GATE, "--ignore", "BKO009,BKO021", "--fail-on", "info")
PAGE_OF_BKO014 = "definitions/rules/bko014_no_poison_handling.md"


def test_a_selection_of_rules_does_not_hide_that_a_file_was_not_read(lint: Lint) -> None:
    put("qm1/old.tst", HALF)
    ran = lint("qm1", "--select", GATE, "--fail-on", "info")
    assert ran.code == 5
    assert "qm1: no scripts in this folder" in ran.error_line
    assert "old.tst:1: this looks like MQSC and was not read" in ran.error_line
    put("qm1/a.MQSC", HALF.replace("(3)", "(3) BOQNAME(BO)") + "DEFINE QLOCAL(BO)\n")
    ran = lint("qm1", "--select", GATE, "--fail-on", "info")
    assert ran.code == 4
    assert " MQSC003 " in ran.out
    assert "old.tst" in ran.out
    assert "this looks like MQSC and was not read" in ran.out
    assert "not read" not in ran.err
    assert "not read" not in lint("qm1").err  # MQSC003 reports it
    ran = lint("qm1", "--select", GATE, "--fail-on", "info", "--ignore", "MQSC003")
    assert (ran.code, "old.tst:1: this looks like MQSC and was not read" in ran.err) == (0, True)


RIGHT = "DEFINE QLOCAL(BO)\nDEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(BO)\n"
NOT_JUDGED = {
    "word": "ALTER QLOCAL(IN) BOTHRESH(three)",
    "negative": "ALTER QLOCAL(IN) BOTHRESH(-1)",
    "large": "ALTER QLOCAL(IN) BOTHRESH(1000000000)",
    "no-value": "ALTER QLOCAL(IN) BOTHRESH",
    "long-name": f"ALTER QLOCAL(IN) BOQNAME({'B' * 49})",
    "characters": "ALTER QLOCAL(IN) BOQNAME('B-O')",
    "twice": "ALTER QLOCAL(IN) BOTHRESH(3) BOTHRESH(4)",
    "verb": "DEFIN QLOCAL(OUT)",
    "type": "DEFINE QQ(OUT)",
    "parenthesis": "DEFINE QLOCAL(OUT",
    "quote": "DEFINE QLOCAL(OUT) DESCR('it",
    "both-platforms": (
        "DEFINE QLOCAL(OUT) INDXTYPE(CORRELID) BOTHRESH(3) BOQNAME(BO)\n"
        "SET AUTHREC PROFILE(IN) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)"
    ),
    "after-end": "END\nDEFINE QLOCAL(OUT)",
}
OWN_RULE = """[[rule]]
id = "BNK001"
message = "no threshold"
objects = { type = "QLOCAL" }
condition = "bothresh >= 0"
"""


@pytest.mark.parametrize("line", NOT_JUDGED.values(), ids=NOT_JUDGED)
@pytest.mark.slow
def test_a_selection_of_rules_does_not_hide_a_command_that_no_rule_can_judge(
    lint: Lint, line: str
) -> None:
    put("mqtriage.toml", OWN_RULE)
    for select in (GATE, "BNK"):
        gate = ("qm1", "--select", select, "--fail-on", "info")
        put("qm1/a.mqsc", RIGHT)
        assert lint(*gate).code == 0, select
        put("qm1/a.mqsc", f"{RIGHT}{line}\n")
        ran = lint(*gate, "-o", "json")
        assert (ran.code, "MQSC00" in " ".join(codes(ran))) == (4, True), select
        assert "MQSC" not in lint(*gate, "--ignore", "MQSC", "-o", "json").out, select


def test_own_rules_that_a_selection_leaves_out_are_named(lint: Lint) -> None:
    put("mqtriage.toml", OWN_RULE)
    put("qm1/a.mqsc", RIGHT)
    for options, is_said in (
        (["--select", GATE], True),
        ([], False),
        (["--select", f"{GATE},BNK"], False),
        (["--ignore", "BNK001"], False),
    ):
        ran = lint("qm1", *options)
        assert ("not selected: BNK001 of mqtriage.toml" in ran.err) is is_said, options


def test_a_strict_gate_finds_an_alter_in_a_script_before_the_one_that_defines(lint: Lint) -> None:
    put("qm1/z.mqsc", RIGHT)
    assert lint("qm1", "--select", GATE, "--fail-on", "info").code == 0
    put("qm1/a.mqsc", "ALTER QLOCAL(IN) BOTHRESH(100000)\n")
    ran = lint("qm1", "--select", GATE, "--fail-on", "info", "-o", "json")
    assert (ran.code, codes(ran)) == (4, ["QUE010"])
    assert "unless the queue manager has the object" in ran.out


@pytest.mark.parametrize("name", ["new.mqsc", "zz.mqsc"])
def test_a_strict_gate_judges_a_queue_like_one_of_any_script(lint: Lint, name: str) -> None:
    put("qm1/pay.mqsc", RIGHT + "DEFINE QLOCAL(OLD)\n* mqtriage: ignore-file BKO014 old\n")
    gate = ("qm1", *STRICT, "-o", "json")
    early = ["REF013"] if name < "pay" else []
    for queue, code in (
        ("DEFINE QLOCAL(NEW) LIKE(IN) BOTHRESH(0)", ["BKO002"]),
        ("DEFINE QLOCAL(NEW) LIKE(OLD)", ["BKO014"]),
        ("DEFINE QLOCAL(NEW) LIKE(IN)", []),
    ):
        put(f"qm1/{name}", f"{queue}\n")
        assert sorted(codes(lint(*gate))) == code + early, queue
    put(f"qm1/{name}", "DEFINE QLOCAL(NEW) LIKE(IN)\n")
    items = lint(*gate).items
    assert [(one["severity"], one["message"]) for one in items if early] == [
        (
            "info",
            "LIKE(IN) is defined in a later script, in qm1/pay.mqsc:2: the DEFINE is rejected"
            " unless the queue manager has it",
        )
    ] * len(early)


def test_like_of_a_queue_that_is_deleted_is_reported_unless_it_was_defined_by_then(
    lint: Lint,
) -> None:
    like = "DEFINE QLOCAL(NEW) LIKE(T)\n"
    unknown = "the rules do not know the values it would copy"
    for scripts, message in (
        ((like, "DELETE QLOCAL(T)\n"), f"is deleted in qm1/b.mqsc:1: {unknown}"),
        (("DELETE QLOCAL(T)\n", like), "is deleted in qm1/a.mqsc:1: the DEFINE is rejected"),
        ((like, f"{RIGHT}DEFINE QL(T)\nDELETE QL(T)\n"), f"is deleted in qm1/b.mqsc:4: {unknown}"),
        (("DEFINE QLOCAL(T) LIKE(IN)\n", f"{RIGHT}{like}DELETE QLOCAL(T)\n"), ""),
    ):
        put("qm1/a.mqsc", scripts[0])
        put("qm1/b.mqsc", scripts[1])
        ran = lint("qm1", "--select", "REF013", "-o", "json")
        messages = [one["message"] for one in ran.items if one["object"] == "NEW"]
        assert messages == [] if not message else f"LIKE(T) {message}" in messages[0], scripts


def test_a_severity_and_a_path_apply_to_commands_that_no_rule_can_judge(lint: Lint) -> None:
    put("qm1/a.mqsc", f"{RIGHT}{NOT_JUDGED['negative']}\n")
    gate = ("qm1", "--select", GATE)
    assert lint(*gate).code == 4
    put("mqtriage.toml", '[lint.severity]\nMQSC002 = "warning"\n')
    assert [lint(*gate, *more).code for more in ((), ("--fail-on", "warning"))] == [0, 4]
    put("mqtriage.toml", '[lint.per-path]\n"qm1/*" = ["MQSC002"]\n')
    assert lint(*gate, "--fail-on", "info").code == 0


@pytest.mark.slow
def test_files_that_leave_a_script_unread_are_not_the_whole(lint: Lint) -> None:
    put("qm1/a.mqsc", "DEFINE QLOCAL(A)\n")
    put("qm1/notes.txt", "Type this:\nDEFINE QLOCAL(B)\n")
    quiet = ("qm1", "--format", "junit", "--out", "g.xml", "--quiet")
    assert lint(*quiet, "--whole", "--fail-on", "warning").code == 0
    put("qm1/qm2.dmpmqcfg", "* a dump\nDEFINE QLOCAL(B)\n")
    for options, code, severity in (
        ((), 0, "warning"),
        (("--fail-on", "warning"), 4, "warning"),
        (("--whole",), 4, "error"),
        (("--whole", "--select", "DLQ"), 4, "error"),
        (("--whole", "--ignore", "MQSC003"), 0, None),
    ):
        assert lint(*quiet, *options).code == code, options
        assert (Path("g.xml").read_text().count("<failure") > 0) == (code == 4), options
        items = lint("qm1", *options, "-o", "json").items
        severities = {i["file"]: i["severity"] for i in items if i["code"] == "MQSC003"}
        assert severities.get("qm1/qm2.dmpmqcfg") == severity, options
    dump = Path("qm1/qm2.dmpmqcfg")
    dump.write_text(dump.read_text() + "* a line\n" * 120_000)
    assert lint(*quiet, "--whole").code == 4


def test_the_strict_gate_of_the_pages_fails_for_a_queue_like_one_of_elsewhere(lint: Lint) -> None:
    put("qm1/a.mqsc", "DEFINE QLOCAL(SHIP.LIKE) LIKE(INV.IN)\n")
    ran = lint("qm1", *STRICT, "-o", "json")
    assert (ran.code, codes(ran)) == (4, ["REF013"])
    root = Path(__file__).parents[2]
    for page in ("docs/ci.md", "cli/lint.py", "commands/help/cheats.tsv", PAGE_OF_BKO014):
        assert " ".join(STRICT) in (root / page).read_text("utf-8"), page


WRONG_BACKOUT = {
    "blank-boqname": ("BKO001", "DEFINE QLOCAL(Q) BOTHRESH(3)"),
    "no-bothresh": ("BKO002", "DEFINE QLOCAL(Q) BOQNAME(BO)"),
    "mistyped": ("BKO003", "DEFINE QLOCAL(Q) BOTHRESH(3) BOQNAME(B0)"),
    "put-disabled": ("BKO004", "ALTER QLOCAL(BO) PUT(DISABLED)"),
    "too-short": ("BKO005", "ALTER QLOCAL(BO) MAXMSGL(1000)"),
    "too-small": ("BKO006", "ALTER QLOCAL(BO) MAXDEPTH(10)"),
    "itself": ("BKO007", "DEFINE QLOCAL(Q) BOTHRESH(3) BOQNAME(Q)"),
    "dead-letter-queue": (
        "BKO008",
        "DEFINE QLOCAL(Q) BOTHRESH(3) BOQNAME(DLQ)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)",
    ),
    "too-high": ("BKO012", "DEFINE QLOCAL(Q) BOTHRESH(999999999) BOQNAME(BO)"),
    "second-hop": ("BKO013", "ALTER QLOCAL(BO) BOTHRESH(3) BOQNAME(BO2)\nDEFINE QLOCAL(BO2)"),
    "neither": ("BKO014", "DEFINE QLOCAL(Q)"),
    "one-failure": ("BKO015", "DEFINE QLOCAL(Q) BOTHRESH(1) BOQNAME(BO)"),
    "expires": ("BKO017", "ALTER QLOCAL(BO) CAPEXPRY(36000)"),
    "on-alias": ("BKO018", "DEFINE QALIAS(Q) TARGET(IN) BOTHRESH(3)"),
    "misspelt": ("BKO019", "DEFINE QLOCAL(Q) BOTHRESH(3) BOQUEUE(BO)"),
    "transmission-queue": (
        "BKO022",
        "DEFINE QLOCAL(Q) BOTHRESH(3) BOQNAME(X)\nDEFINE QLOCAL(X) USAGE(XMITQ)",
    ),
    "get-disabled": ("BKO023", "ALTER QLOCAL(BO) GET(DISABLED)"),
    "nonpersistent": ("BKO024", "DEFINE QLOCAL(Q) NPMCLASS(HIGH) BOTHRESH(3) BOQNAME(BO)"),
    "unknown-like": ("REF013", "DEFINE QLOCAL(Q) LIKE(INV.IN)"),
}


@pytest.mark.parametrize(("code", "lines"), WRONG_BACKOUT.values(), ids=WRONG_BACKOUT)
def test_the_strict_gate_fails_for_each_kind_of_wrong_backout(
    lint: Lint, code: str, lines: str
) -> None:
    put("qm1/a.mqsc", f"{RIGHT}{lines}\n")
    ran = lint("qm1", *STRICT, "-o", "json")
    assert (ran.code, code in codes(ran)) == (4, True), ran.out


def test_the_strict_gate_passes_good_definitions(lint: Lint) -> None:
    shared = "DEFINE QLOCAL(IN2) BOTHRESH(5) BOQNAME(BO)\n"
    put("qm1/a.mqsc", f"{RIGHT}{shared}ALTER QLOCAL(IN) BOTHRESH(4)\n")
    put("qm1/b.mqsc", "ALTER QLOCAL(OTHER) BOTHRESH(3) BOQNAME(OTHER.BO)\n")
    ran = lint("qm1", *STRICT)
    assert ran.code == 0, ran.out


WITHOUT_REASON = {
    "no-bothresh": "* mqtriage: ignore BKO002\nDEFINE QLOCAL(Q) BOQNAME(BO)",
    "neither": "* mqtriage: ignore BKO014\nDEFINE QLOCAL(Q)",
    "whole-file": "* mqtriage: ignore-file BKO001\nDEFINE QLOCAL(Q) BOTHRESH(3)",
    "inside": "DEFINE QLOCAL(Q) +\n* mqtriage: ignore BKO001\nBOTHRESH(3)",
}


def strict_settings() -> str:
    """The settings of the strict gate, as the page shows them."""
    page = (Path(__file__).parents[2] / "docs/ci.md").read_text("utf-8")
    section = page.partition("## A strict backout gate")[2]
    return section.partition("```toml file=mqtriage.toml\n")[2].partition("```")[0]


@pytest.mark.parametrize("line", WITHOUT_REASON.values(), ids=WITHOUT_REASON)
def test_no_gate_of_the_pages_passes_a_comment_that_ignores_a_finding_without_a_reason(
    lint: Lint, line: str
) -> None:
    put("qm1/a.mqsc", f"{RIGHT}{line}\n")
    gates: list[tuple[str, ...]] = [STRICT, ("--fail-on", "warning")]
    runs = {gate: lint("qm1", *gate, "-o", "json") for gate in gates}
    put("mqtriage.toml", strict_settings())
    runs[()] = lint("qm1", "-o", "json")
    for gate, ran in runs.items():
        assert (ran.code, "LNT001" in codes(ran)) == (4, True), gate
    with_reason = re.sub(r"(ignore\S* \S+)", r"\1 audit only, OPS-12", line)
    put("qm1/a.mqsc", f"{RIGHT}{with_reason}\n")
    assert [lint("qm1", *gate).code for gate in [*gates, ()]] == [0, 0, 0]


UNREAD = {"x.txt": "DEFINE QLOCAL(Q) BOTHRESH(3)\n", "qm1.dmpmqcfg": "* a dump\nDEFINE QLOCAL(B)\n"}


def test_the_settings_of_the_pages_are_as_strict_as_the_strict_gate(lint: Lint) -> None:
    def exit_codes() -> list[int]:
        Path("mqtriage.toml").unlink(missing_ok=True)
        gate = lint("qm1", *STRICT).code
        put("mqtriage.toml", strict_settings())
        return [gate, lint("qm1").code]

    for lines in (*NOT_JUDGED.values(), *(line for _, line in WRONG_BACKOUT.values())):
        put("qm1/a.mqsc", f"{RIGHT}{lines}\n")
        assert exit_codes() == [4, 4], lines
    shared = "DEFINE QLOCAL(IN2) BOTHRESH(5) BOQNAME(BO)\n"
    put("qm1/a.mqsc", f"{RIGHT}{shared}ALTER QLOCAL(IN) BOTHRESH(4)\n")
    assert exit_codes() == [0, 0]
    for name, text in UNREAD.items():
        put(f"qm1/{name}", text)
        assert exit_codes() == [4, 4], name
        Path("qm1", name).unlink()


def test_a_known_finding_of_a_script_that_was_renamed_is_still_known(lint: Lint) -> None:
    only = ("--select", "BKO001")
    put("defs/QM1/10-pay.mqsc", HALF)
    put("defs/QM2/a.mqsc", HALF)
    assert lint("baseline", "defs", "--out", "known.json", *only).code == 0
    Path("defs/QM1/10-pay.mqsc").rename("defs/QM1/15-pay.mqsc")
    ran = lint("defs", "--baseline", "known.json", *only)
    assert (ran.code, "fixed" in ran.err) == (0, False), ran.err
    assert "2 in the baseline" in ran.err
    put("defs/QM3/a.mqsc", HALF)
    ran = lint("defs", "--baseline", "known.json", *only)
    assert ran.code == 4, "one is known once"
    Path("defs/QM3/a.mqsc").unlink()
    updated = lint("baseline", "defs", "--out", "known.json", *only)
    assert "baseline changes" not in updated.err
    assert "15-pay" in Path("known.json").read_text("utf-8")


@pytest.mark.parametrize("in_settings", [True, False])
def test_a_fix_leaves_what_the_baseline_accepts(lint: Lint, *, in_settings: bool) -> None:
    put("a.mqsc", HALF)
    lint("baseline", "a.mqsc", "--out", "known.json")
    new = HALF.replace("ORDERS", "PAY")
    put("a.mqsc", HALF + new)
    if in_settings:
        put("mqtriage.toml", '[lint]\nbaseline = "known.json"\n')
    known = () if in_settings else ("--baseline", "known.json")
    printed = lint("fix", "a.mqsc", *known)
    assert ("PAY.IN" in printed.out, "ORDERS" in printed.out) == (True, False)
    assert "1 finding in the baseline is not fixed" in printed.err
    changes = lint("fix", "a.mqsc", "--diff", *known)
    assert "1 finding in the baseline is not fixed" in changes.err
    assert ("-" + new in changes.out, "-" + HALF in changes.out) == (True, False)
    written = lint("fix", "a.mqsc", "--write", *known)
    assert (written.code, "0 errors" in written.err) == (0, True)
    assert "1 in the baseline" in written.err
    assert HALF in Path("a.mqsc").read_text("utf-8")
    assert new not in Path("a.mqsc").read_text("utf-8")


def test_a_fix_leaves_what_is_accepted_of_an_object_that_it_changes(lint: Lint) -> None:
    """The second round finds the object in the commands of the first."""
    put("a.mqsc", HALF)
    known = ("--baseline", "known.json")
    lint("baseline", "a.mqsc", "--out", "known.json")
    put(
        "mqtriage.toml",
        """
[[rule]]
id = "OPS001"
message = "five attempts"
objects = { type = "QLOCAL" }
condition = "bothresh = 5"
fix = { bothresh = 5 }
""",
    )
    assert lint("fix", "a.mqsc", *known).out == "ALTER QLOCAL('ORDERS.IN') BOTHRESH(5)\n"
    assert lint("fix", "a.mqsc", "--write", *known).code == 0
    assert Path("a.mqsc").read_text("utf-8") == HALF.replace("3", "5")
