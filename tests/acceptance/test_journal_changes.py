"""The journal is the audit log: what changes a queue manager stands in it, before it is done."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.console import CommandRun
from mqtriage.operations.ledger import changes
from tests.acceptance.conftest import ON_A_TERMINAL, Bench


@pytest.fixture(autouse=True)
def queues(bench: Bench) -> None:
    bench.define("ORDERS.IN", "ORDERS.BO", "ORDERS.OLD")


def entries(bench: Bench) -> list[dict[str, Any]]:
    """The journal, the newest first."""
    return bench.ok("journal", "ls", "-o", "json").items


def script(folder: Path, text: str) -> str:
    path = folder / "script.mqsc"
    path.write_text(text, "utf-8")
    return str(path)


def definitions(bench: Bench, folder: Path) -> list[Any]:
    """Everything that the scripts here are about, as the queue manager shows it."""
    kinds = ("QUEUE(*)", "QMGR", "TOPIC(*)", "CHLAUTH(*)")
    file = folder / "display.mqsc"
    file.write_text("".join(f"DISPLAY {kind} ALL\n" for kind in kinds), "utf-8")
    answers = bench.ok("mqsc", "run", str(file), "-o", "json").items
    assert len(answers) == 4
    return [answer["objects"] for answer in answers]


CHANGES = {
    "queue define": (("queue", "define", "NEW.Q", "MAXDEPTH=7", "--yes"), "define", "NEW.Q"),
    "queue set": (("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes"), "set", "ORDERS.IN"),
    "queue delete": (("queue", "delete", "ORDERS.OLD", "--yes"), "delete", "ORDERS.OLD"),
    "backout set": (
        ("backout", "set", "ORDERS.IN", "--threshold", "3", "--boq", "ORDERS.BO", "--yes"),
        "set",
        "ORDERS.IN",
    ),
    "delay define": (
        ("delay", "define", "--maxdepth", "300000", "--yes"),
        "resize",
        "SYSTEM.DDELAY.LOCAL.QUEUE",
    ),
}


@pytest.mark.parametrize(("argv", "action", "name"), CHANGES.values(), ids=CHANGES)
@pytest.mark.slow
def test_a_change_of_definitions_is_entered_and_taken_back(
    bench: Bench, argv: tuple[str, ...], action: str, name: str
) -> None:
    before = bench.ok("queue", "ls", "*", "-o", "mqsc").out
    report = bench.ok(*argv, "-o", "json").json
    assert bench.ok("queue", "ls", "*", "-o", "mqsc").out != before
    (entry,) = entries(bench)
    assert (entry["op"], entry["state"], entry["done"]) == (report["op"], "done", entry["planned"])
    assert (entry["queue_manager"], entry["action"], entry["queue"]) == ("QM1", action, name)
    assert entry["command"].startswith(" ".join(argv[:3]))
    assert entry["user"] == pwd.getpwuid(os.getuid()).pw_name
    planned = bench.ok("journal", "undo", "--dry-run").out
    assert planned.startswith("undo changes of QM1: ")
    confirmed = "NEW.Q" if name == "NEW.Q" else "QM1"  # to take a DEFINE back is a DELETE
    ran = bench.ok("journal", "undo", "--confirm", confirmed, "-o", "json")
    assert bench.ok("queue", "ls", "*", "-o", "mqsc").out == before
    undo, _ = entries(bench)
    assert (undo["action"], undo["undoes"], undo["op"]) == ("undo", entry["op"], ran.json["op"])
    assert bench.ok("journal", "show", entry["op"], "-o", "json").item["undone_by"] == [undo["op"]]


MQSC = """
DEFINE QLOCAL(J.ONE) DESCR('one')
ALTER QLOCAL(ORDERS.IN) GET(DISABLED)
DEFINE TOPIC(J.T) TOPICSTR('j/t')
ALTER QMGR DESCR('changed')
SET CHLAUTH('J.*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(NOACCESS)
DISPLAY QLOCAL(J.*)
"""


@pytest.mark.parametrize("verb", [("mqsc", "run"), ("apply",)], ids=" ".join)
@pytest.mark.slow
def test_a_script_is_entered_and_taken_back(
    bench: Bench, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    file = script(tmp_path, MQSC if verb == ("mqsc", "run") else MQSC.replace("DISPLAY", "* "))
    before = definitions(bench, tmp_path)
    bench.ok(*verb, file, "--yes")
    assert bench.attribute("ORDERS.IN", "GET") == "DISABLED"
    shown = bench.ok("journal", "show", "-o", "json").item
    assert (shown["planned"], shown["done"], shown["state"]) == (5, 5, "done")
    assert len(shown["mqsc"]) == 5
    assert {(c["object_type"], c["object"], c["change"]) for c in shown["changes"]} == {
        ("QLOCAL", "J.ONE", "defined"),
        ("QLOCAL", "ORDERS.IN", "altered"),
        ("TOPIC", "J.T", "defined"),
        ("QMGR", None, "altered"),
        ("CHLAUTH", "J.* ADDRESSMAP 10.*", "defined"),
    }
    back = script(tmp_path, bench.ok("journal", "show", "-o", "mqsc").out)
    assert bench.ok("plan", back, "--back", "-o", "json").item["back"]
    bench.ok("journal", "undo", "--confirm", "QM1")
    assert definitions(bench, tmp_path) == before


def test_a_script_is_taken_back_that_left_a_queue_with_messages_as_it_was(
    bench: Bench, tmp_path: Path
) -> None:
    """That queue is not among what was changed, and not deleted for all that."""
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    same = f"ALTER QLOCAL(ORDERS.IN) MAXDEPTH({bench.attribute('ORDERS.IN', 'MAXDEPTH')})\n"
    bench.ok("mqsc", "run", script(tmp_path, f"DEFINE QLOCAL(NEW.Q)\n{same}"), "--yes")
    bench.ok("journal", "undo", "--confirm", "NEW.Q")
    assert "NEW.Q" not in bench.ok("queue", "ls", "-o", "ids").out
    assert bench.depth("ORDERS.IN") == 1


def test_a_script_that_only_displays_is_not_entered(bench: Bench, tmp_path: Path) -> None:
    bench.ok("mqsc", "run", script(tmp_path, "DISPLAY QLOCAL(*)\n"))
    bench.ok("mqsc", "run", script(tmp_path, "DEFINE QLOCAL(X)\n"), "-n")
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "-n")
    assert entries(bench) == []


def test_a_change_that_was_refused_is_entered_with_its_reason_code(
    bench: Bench, tmp_path: Path
) -> None:
    bench.define("HELD")
    file = script(tmp_path, "DEFINE QLOCAL(HELD)\nDEFINE QLOCAL(FREE)\n")
    assert bench.run("mqsc", "run", file, "--yes").code == 3
    assert bench.run("mqsc", "run", file, "--yes").code == 1
    failed, partly = entries(bench)
    assert (partly["state"], partly["done"], partly["left"]) == ("partly done", 1, 1)
    assert (failed["state"], failed["done"], failed["reason"]) == ("failed", 0, 2100)
    assert "MQRC_OBJECT_ALREADY_EXISTS" in failed["error"]
    bench.ok("journal", "undo", partly["op"], "--confirm", "FREE")
    assert "FREE" not in bench.ok("queue", "ls", "-o", "ids").out


def test_a_put_is_entered_without_its_data(bench: Bench) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "secret body", "--prop=Color=red7", "--count", "3", "--yes")
    bench.ok("msg", "put", "ORDERS.IN", "secret too", "--delay", "1h", "--yes")
    delayed, put = entries(bench)
    assert (put["action"], put["planned"], put["done"]) == ("put", 3, 3)
    assert (delayed["action"], delayed["target"], delayed["done"]) == ("put", "ORDERS.IN", 1)
    assert put["command"].startswith("msg put ORDERS.IN '<message data>' '--prop=<")
    ledger = b"".join(path.read_bytes() for path in (bench.home / "journal").iterdir())
    assert b"secret" not in ledger
    assert b"red7" not in ledger


def test_a_word_of_journal_ls_can_be_a_state(bench: Bench) -> None:
    """`journal ls put failed` listed nothing, and its hint led to other queue managers."""
    bench.define(SMALL="MAXDEPTH=1")
    for _ in range(2):
        bench.run("msg", "put", "SMALL", "x", "--yes")
    for words, states in ((("put", "FAILED"), ["failed"]), (("done", "SMALL"), ["done"])):
        listed = bench.ok("journal", "ls", *words, "-o", "json").items
        assert [item["state"] for item in listed] == states
    bench.ok("msg", "purge", "SMALL", "--confirm", "SMALL")
    (one,) = bench.ok("journal", "verify", "done", "-o", "json").items
    assert one["verdict"] == "proven"
    ran = bench.ok("journal", "ls", "put", "lost", "-m", "QM1")
    assert "each word must match an action, queue, user, state or ticket" in ran.err


def test_a_put_that_was_interrupted_or_failed_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.define(SMALL="MAXDEPTH=2")
    assert bench.run("msg", "put", "SMALL", "x", "--count", "5", "--yes").code == 3
    assert bench.run("msg", "put", "SMALL", "x", "--yes").code == 1
    monkeypatch.setattr(CommandRun, "should_stop", lambda run: True)
    bench.run("msg", "put", "ORDERS.IN", "x", "--yes")
    interrupted, failed, partly = entries(bench)
    assert (interrupted["state"], interrupted["done"]) == ("interrupted", 0)
    assert (failed["state"], failed["reason"]) == ("failed", 2053)
    assert (partly["state"], partly["reason"], partly["done"]) == ("partly done", 2053, 2)


def test_a_sweep_is_entered(bench: Bench) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "x", "--expiry", "1s", "--yes")
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    bench.ok("emulator", "clock", "+5s")
    bench.ok("expiry", "sweep", "ORDERS.IN", "--yes")
    sweep, *_ = entries(bench)
    assert (sweep["action"], sweep["queue"], sweep["planned"], sweep["done"]) == (
        "sweep", "ORDERS.IN", 1, 1,
    )  # fmt: skip
    hint = bench.run("journal", "undo", "-n").err.splitlines()[-1]
    assert hint == "hint: mqtriage journal ls lists operations"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        pytest.param(("msg", "put", "ORDERS.IN", "x", "--yes"), "a put cannot be undone", id="put"),
        pytest.param(("expiry", "sweep", "FULL", "--yes"), "they are gone", id="sweep"),
        pytest.param(
            ("queue", "delete", "FULL", "--purge", "--confirm", "FULL"),
            "not in an archive: FULL with 2",
            id="delete-with-messages",
        ),
        pytest.param(
            ("mqsc", "run", "CLEAR", "--confirm", "FULL"), "CLEAR QLOCAL(FULL)", id="clear"
        ),
    ],
)
def test_what_has_no_way_back_is_refused(
    bench: Bench, tmp_path: Path, argv: tuple[str, ...], why: str
) -> None:
    bench.define("FULL")
    bench.ok("msg", "put", "FULL", "x", "--count", "2", "--yes")
    clear = script(tmp_path, "CLEAR QLOCAL(FULL)\n")
    bench.ok(*(clear if word == "CLEAR" else word for word in argv))
    before = bench.ok("emulator", "ls", "QM1").out
    ran = bench.run("journal", "undo", "--yes")
    assert ran.code == 8
    assert why in ran.error_line
    assert entries(bench)[0]["op"] in ran.error_line
    assert bench.ok("emulator", "ls", "QM1").out == before


def test_what_was_changed_again_since_is_not_taken_back(bench: Bench, tmp_path: Path) -> None:
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    op = entries(bench)[0]["op"]
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=8", "GET=DISABLED", "--yes")
    ran = bench.run("journal", "undo", op, "--yes")
    assert ran.code == 8
    assert "MAXDEPTH of QLOCAL(ORDERS.IN) was changed again since" in ran.error_line
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 8
    back = script(tmp_path, bench.ok("journal", "show", op, "-o", "mqsc").out)  # as the hint says
    assert f"journal show {op} -o mqsc" in ran.err
    bench.ok("apply", back, "--yes")
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000
    assert bench.attribute("ORDERS.IN", "GET") == "DISABLED"


def test_an_undo_leaves_what_others_changed_and_happens_once(bench: Bench) -> None:
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    op = entries(bench)[0]["op"]
    bench.ok("queue", "set", "ORDERS.IN", "GET=DISABLED", "--yes")
    bench.ok("journal", "undo", op, "--yes")
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000
    assert bench.attribute("ORDERS.IN", "GET") == "DISABLED"
    assert bench.ok("journal", "undo", op, "--yes", "-o", "json").json["changed"] is False


def test_an_undo_of_a_change_asks_first(bench: Bench) -> None:
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    assert bench.run("journal", "undo").code == 8
    assert bench.ok("journal", "undo", "-n").out.startswith("undo changes of QM1: 1 change")
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 7


def test_a_queue_that_was_defined_and_holds_messages_now_is_not_deleted(bench: Bench) -> None:
    bench.ok("queue", "define", "NEW.Q", "--yes")
    op = entries(bench)[0]["op"]
    bench.ok("msg", "put", "NEW.Q", "x", "--yes")
    ran = bench.run("journal", "undo", op, "--confirm", "QM1")
    assert (ran.code, "it contains 1 message" in ran.error_line) == (8, True)


def test_a_change_at_whose_end_the_process_died_is_taken_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(changes.ChangeEntry, "end", lambda entry, after: None)
        bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    (entry,) = entries(bench)
    assert (entry["state"], entry["in_doubt"]) == ("cut", 1)
    ran = bench.ok("journal", "undo", "--yes")
    assert "its result is not recorded" in ran.err
    assert bench.attribute("ORDERS.IN", "MAXDEPTH") == 5000


@pytest.mark.parametrize(
    "argv",
    [
        ("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes"),
        ("msg", "put", "ORDERS.IN", "x", "--yes"),
        ("mqsc", "run", "FILE", "--yes"),
        ("apply", "FILE", "--yes"),
    ],
    ids=lambda argv: " ".join(argv[:2]),
)
def test_a_journal_that_cannot_be_written_means_that_nothing_is_changed(
    bench: Bench, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    file = script(tmp_path, "DEFINE QLOCAL(NEW.Q)\n")
    before = bench.ok("emulator", "ls", "QM1").out
    (bench.home / "journal").write_text("in the way")
    ran = bench.run(*(file if word == "FILE" else word for word in argv))
    assert (ran.code, "nothing was changed" in ran.err) == (1, True)
    assert "journal" in ran.error_line
    assert bench.ok("emulator", "ls", "QM1").out == before


LDAP = "DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) CONNAME('x(1)') SHORTUSR('u') LDAPUSER('cn=u')"


@pytest.mark.parametrize(
    ("command", "keyword"),
    [(LDAP, "LDAPPWD"), ("ALTER QMGR", "KEYRPWD"), ("ALTER QMGR", "INITKEY")],
)
def test_no_password_of_a_script_is_in_the_journal(
    bench: Bench, tmp_path: Path, command: str, keyword: str
) -> None:
    text = f"{command} {keyword}('hunter2')\n"
    ran = bench.ok("mqsc", "run", script(tmp_path, text), "--yes")
    assert f"{keyword}(********)" in ran.err
    assert "hunter2" not in ran.out + ran.err
    shown = bench.ok("journal", "show", "-o", "json").item
    assert shown["mqsc"] == [f"{command} {keyword}(********)"]
    ledger = b"".join(path.read_bytes() for path in (bench.home / "journal").iterdir())
    assert b"hunter2" not in ledger
    for argv in (
        ("qmgr", "show"),
        ("qmgr", "show", "-o", "mqsc"),
        ("plan", script(tmp_path, text)),
        ("emulator", "ls", "QM1"),
    ):
        ran = bench.ok(*argv)
        assert "hunter2" not in ran.out + ran.err


def test_what_took_no_messages_is_neither_resumed_nor_proven(bench: Bench) -> None:
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    op = entries(bench)[0]["op"]
    assert bench.ok("journal", "verify", "-o", "json").items == []
    assert bench.ok("journal", "verify", op, "-o", "json").items[0]["verdict"] == "no messages"
    ran = bench.run("journal", "resume", op, "--yes")
    assert (ran.code, op in ran.error_line) == (2, True)
    assert bench.run("journal", "undo", op, "--unknown", "--yes").code == 2
    assert bench.ok("journal", "prune", op, "--yes", "-o", "json").items[0]["op"] == op


def test_verify_says_that_no_operation_took_messages_where_none_did(bench: Bench) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    at = ("-m", "QM1")
    none = "no operation to verify on QM1 (--qmgr); -m '*' selects all queue managers\n"
    none += f"searched the journal in {bench.home / 'journal'}\n"
    others = "not listed: 1 operation without planned messages (changes, puts, sweeps)\n"
    last = others.replace("\n", "; the last one is put ORDERS.IN at QM1\n")
    assert bench.ok("journal", "verify", *at).err == none + others
    assert bench.ok("journal", "verify", *at, "--limit", "1").err == none + last
    since = none.replace("(--qmgr)", "(--qmgr) with --since 1h", 1)
    assert bench.ok("journal", "verify", *at, "--since", "1h").err == since + others
    at_terminal = bench.run("journal", "verify", terminals=ON_A_TERMINAL).err
    assert "no operation to verify\n" in at_terminal
    ran = bench.run("journal", "verify", "purge", *at)
    assert ran.error_line == "no operation purge on QM1 (--qmgr)"
    assert "hint: mqtriage journal ls purge -m '*' lists all of them\n" in ran.err
    assert bench.run("journal", "verify", "purge").error_line == "no operation purge"


def test_verify_proves_the_operations_of_a_closed_period(bench: Bench) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    bench.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN")
    in_period = ("--since", "1h", "--until", "now+1m")
    assert len(bench.ok("journal", "verify", *in_period, "-o", "json").items) == 1
    assert len(bench.ok("journal", "verify", "purge", *in_period, "-o", "json").items) == 1
    before = ("--since", "2w", "--until", "1h", "-m", "QM1")
    searched = "on QM1 (--qmgr) with --since 2w --until 1h"
    none = f"no operation to verify {searched}; -m '*' selects all queue managers\n"
    assert none in bench.ok("journal", "verify", *before).err
    ran = bench.run("journal", "verify", "purge", *before)
    assert (ran.code, ran.error_line) == (5, f"no operation purge {searched}")
    assert f"no such operation {searched};" in bench.ok("journal", "ls", "purge", *before).err
    assert f"no operation {searched};" in bench.ok("journal", "ls", *before).err
    ran = bench.ok("journal", "ls", "purge", *before[:4])
    assert "no such operation with --since 2w --until 1h\n" in ran.err
    ran = bench.ok("journal", "ls", "--msgid", "ABCD", *before[:4])
    assert "searched only operations with --since 2w --until 1h\n" in ran.err


def test_what_has_no_messages_is_a_row_of_verify_among_the_others(bench: Bench) -> None:
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    bench.ok("msg", "purge", "ORDERS.IN", "--limit", "1", "--yes")
    ids = bench.ok("journal", "ls", "-o", "ids").out.split()
    ran = bench.ok("journal", "verify", *ids, "-o", "json")
    assert [(row["op"], row["action"], row["verdict"]) for row in ran.items] == [
        (ids[0], "purge", "proven"),
        (ids[1], "set", "no messages"),
        (ids[2], "put", "no messages"),
    ]
    assert ran.json["summary"] == {"not_proven": 0}


def test_a_change_is_listed_by_each_object_that_it_changed(bench: Bench, tmp_path: Path) -> None:
    file = script(
        tmp_path, "ALTER QLOCAL(ORDERS.IN) MAXDEPTH(7)\nALTER QLOCAL(ORDERS.BO) PUT(DISABLED)"
    )
    bench.ok("mqsc", "run", file, "--yes")
    file = script(tmp_path, "ALTER QLOCAL(ORDERS.IN) MAXDEPTH(9)")
    bench.ok("apply", file, "--yes")
    bench.ok("journal", "undo", "--yes")
    for word, actions in (
        ("ORDERS.IN", ["undo", "apply", "mqsc"]),
        ("ORDERS.B*", ["mqsc"]),
        ("ORDERS.OLD", []),
    ):
        listed = bench.ok("journal", "ls", word, "-o", "json").items
        assert [row["action"] for row in listed] == actions, word


def test_a_ticket_is_recorded_with_each_operation_and_finds_it(bench: Bench) -> None:
    ticket = "CHG4711 duplicates"
    bench.ok("msg", "put", "ORDERS.IN", "text", "--yes")
    bench.environ["MQTRIAGE_TICKET"] = ticket
    bench.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN")
    assert bench.ok("journal", "ls", "CHG47", "-o", "ids").out == "", "only whole words"
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=9", "--yes")
    del bench.environ["MQTRIAGE_TICKET"]
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=8", "--yes")
    listed = bench.ok("journal", "ls", "CHG4711", "-o", "json").items
    assert [entry["action"] for entry in listed] == ["set", "purge"]
    [proof] = bench.ok("journal", "verify", listed[1]["op"], "-o", "json").items
    assert proof["ticket"] == ticket
    assert [entry["ticket"] for entry in entries(bench)] == [None, ticket, ticket, None]


LOSING = {
    "CLEAR": ("mqsc", "CLEAR QLOCAL(ORDERS.OLD)"),
    "CLEAR by its short name": ("mqsc", "clear ql('ORDERS.OLD')"),
    "DELETE PURGE": ("mqsc", "DELETE QLOCAL(ORDERS.OLD) PURGE"),
    "DELETE PURGE in apply": ("apply", "DELETE QLOCAL(ORDERS.OLD) PURGE"),
    "queue delete": ("queue delete", ""),
}


@pytest.mark.parametrize(("verb", "text"), LOSING.values(), ids=LOSING)
@pytest.mark.slow
def test_messages_that_a_change_removed_without_an_archive_are_not_proven(
    bench: Bench, tmp_path: Path, verb: str, text: str
) -> None:
    bench.ok("msg", "put", "ORDERS.OLD", "x", "--count", "12", "--yes")
    bench.ok("queue", "set", "ORDERS.IN", "MAXDEPTH=7", "--yes")
    words = verb.split()
    given = ("ORDERS.OLD", "--purge") if words[0] == "queue" else (script(tmp_path, text),)
    bench.ok(*words, *given, "--confirm", "ORDERS.OLD", "--yes")
    op = entries(bench)[0]["op"]
    lost = ["12 messages of ORDERS.OLD removed without an archive"]
    assert bench.ok("journal", "show", op, "-o", "json").item["lost"] == lost
    for argv in ((op,), (), ("--since", "1h"), ("ORDERS.OLD",), ("-m", "*")):
        ran = bench.run("journal", "verify", *argv, "-o", "json")
        [row] = [row for row in ran.items if row["op"] == op]
        assert (ran.code, row["verdict"], row["problems"]) == (4, "not proven", lost), argv
    ran = bench.run("journal", "verify")
    assert "not listed: 2 operations without planned messages" in ran.err
    assert op in bench.ok("journal", "ls", "ORDERS.OLD", "-o", "ids").out
    assert op in bench.ok("journal", "ls", "ORDERS.O*", "-o", "ids").out


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CLEAR QLOCAL(ORDERS.OLD)\nALTER QLOCAL(ORDERS.OLD) MAXDEPTH(7)", "ORDERS.OLD"),
        ("ALTER QLOCAL(ORDERS.OLD) MAXDEPTH(7)\nCLEAR QLOCAL(NO.SUCH)", "NO.SUCH"),
        ("CLEAR QLOCAL(NO.SUCH)", "NO.SUCH"),
    ],
)
def test_a_clear_that_removed_no_message_has_nothing_to_prove(
    bench: Bench, tmp_path: Path, text: str, name: str
) -> None:
    bench.run("mqsc", script(tmp_path, text), "--confirm", name, "--yes")
    assert bench.ok("journal", "show", "-o", "json").item["lost"] == []
    assert bench.ok("journal", "verify", "-o", "json").items == []
    op = entries(bench)[0]["op"]
    assert bench.ok("journal", "verify", op, "-o", "json").items[0]["verdict"] == "no messages"


def test_a_clear_before_a_command_that_failed_removed_its_messages(
    bench: Bench, tmp_path: Path
) -> None:
    bench.ok("msg", "put", "ORDERS.OLD", "x", "--yes")
    file = script(tmp_path, "CLEAR QLOCAL(ORDERS.OLD)\nALTER QLOCAL(NO.SUCH) MAXDEPTH(1)")
    bench.run("mqsc", file, "--confirm", "ORDERS.OLD", "--yes")
    shown = bench.ok("journal", "show", "-o", "json").item
    assert shown["state"] == "partly done"
    assert shown["lost"] == ["1 message of ORDERS.OLD removed without an archive"]


def test_a_clear_of_which_nobody_noted_the_end_may_have_removed_messages(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.ok("msg", "put", "ORDERS.OLD", "x", "--yes")
    monkeypatch.setattr(changes.ChangeEntry, "end", lambda *_: None)
    file = script(tmp_path, "CLEAR QLOCAL(ORDERS.OLD)")
    bench.run("mqsc", file, "--confirm", "ORDERS.OLD", "--yes")
    ran = bench.run("journal", "verify", "-o", "json")
    lost = "messages of ORDERS.OLD may have been removed without an archive"
    assert (ran.code, ran.items[0]["problems"]) == (4, [lost])


def test_a_clear_cannot_be_undone_and_what_was_altered_beside_it_can(
    bench: Bench, tmp_path: Path
) -> None:
    bench.ok("msg", "put", "ORDERS.OLD", "x", "--yes")
    bench.ok(
        "mqsc", script(tmp_path, "CLEAR QLOCAL(ORDERS.OLD)"), "--confirm", "ORDERS.OLD", "--yes"
    )
    ran = bench.run("journal", "undo", "--yes")
    assert "cannot be reversed: CLEAR QLOCAL(ORDERS.OLD)" in ran.error_line
    text = "ALTER QLOCAL(ORDERS.OLD) MAXDEPTH(7)\nCLEAR QLOCAL(ORDERS.OLD)"
    bench.ok("mqsc", script(tmp_path, text), "--confirm", "ORDERS.OLD", "--yes")
    assert "MAXDEPTH  7 -> 5000" in bench.ok("journal", "undo", "--dry-run").out


@pytest.mark.parametrize("argv", [("ls",), ("ls", "purge"), ("ls", "-m", "QM1"), ("verify",)])
def test_where_nothing_is_listed_the_journal_that_was_searched_is_named(
    bench: Bench, argv: tuple[str, ...]
) -> None:
    searched = f"searched the journal in {bench.home / 'journal'}\n"
    assert searched in bench.ok("journal", *argv).err
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    bench.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN")
    assert searched not in bench.ok("journal", *argv).err


def test_at_80_columns_a_proof_names_its_queue(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    bench.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    bench.ok("msg", "move", "ORDERS.IN", "--to", "ORDERS.OLD", "--yes")
    proof = bench.run("journal", "verify", terminals=ON_A_TERMINAL).out
    assert all(heading in proof for heading in ("QUEUE", "GETS", "ARCHIVED", "VERDICT"))


def test_the_journal_names_the_same_queue_of_an_undo_in_each_listing(bench: Bench) -> None:
    for queue in ("A", "B"):
        bench.ok("queue", "define", queue, "--yes")
    bench.ok("msg", "put", "A", "x", "--yes")
    bench.ok("msg", "move", "A", "--to", "B", "--yes")
    bench.ok("journal", "undo", "--yes")
    listed = bench.ok("journal", "ls", "-o", "json").items
    verified = bench.ok("journal", "verify", "-o", "json").items
    queues = {row["op"]: row["queue"] for row in listed}
    assert {row["op"]: row["queue"] for row in verified}.items() <= queues.items()
    assert [row["queue"] for row in verified] == ["A", "B"]
