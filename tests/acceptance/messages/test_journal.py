"""The journal of acts: written before, proven after, taken back."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mqtriage.model.result import ItemOutcome, Outcome
from mqtriage.mq import cmqc
from mqtriage.operations.ledger import journal as journal_module
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.plan_file import read_plan
from mqtriage.operations.ledger.tables import Ledger
from mqtriage.operations.recovery import undo as recovery_undo
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of, ledger_of
from tests.acceptance.messages.test_selection_by_kind import dead

MOVE = ("msg", "move", "IN", "--to", "OUT", "--yes")
PURGE = ("msg", "purge", "IN", "--confirm", "IN")


def journal(estate: Estate) -> list[dict[str, Any]]:
    """The operations, newest first."""
    return list(estate.run("journal", "ls", "-o", "json").json["items"])


def change(estate: Estate, sql: str) -> None:
    """Change something in the ledger behind the program's back."""
    with ledger_of(estate.folder) as database:
        assert database.execute(sql).rowcount > 0


@pytest.mark.parametrize("argv", [MOVE, PURGE], ids=["requeue", "purge"])
def test_an_act_is_in_the_journal_and_proven(estate: Estate, argv: tuple[str, ...]) -> None:
    estate.put("IN", b"1", b"2", b"2")
    report = estate.run(*argv, "-o", "json").json
    (entry,) = journal(estate)
    assert (entry["op"], entry["state"], entry["done"]) == (report["op"], "done", 3)
    ran = estate.run("journal", "verify", "-o", "json")
    (proof,) = ran.json["items"]
    assert ran.code == 0
    assert proof["verdict"] == "proven"
    assert proof["gets"] == proof["puts"] + proof["archived"] == 3


@pytest.mark.parametrize("words", [(), ("purge",)], ids=["all", "chosen"])
def test_verify_shows_beside_its_verdict_that_an_operation_was_undone(
    estate: Estate, words: tuple[str, ...]
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    for _ in range(2):
        assert estate.run("msg", "purge", "IN", "--limit", "1", "--yes").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    heading, first, second, *_ = estate.run("journal", "verify", *words).out.splitlines()
    assert ("VERDICT" in heading, heading.split()[-1]) == (True, "STATE")
    for row, state in ((first, "done"), (second, "undone")):
        assert (" proven " in row, row.split()[-1]) == (True, state)


def test_verify_shows_that_what_was_put_is_archived_too(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--yes").code == 0
    (proof,) = estate.run("journal", "verify", "-o", "json").json["items"]
    assert (proof["puts"], proof["archived"], proof["put_and_archived"]) == (2, 0, 2)
    shown = estate.run("journal", "verify", proof["op"]).out
    assert "2 gets, 2 puts, 0 archived; 2 of those put are archived too" in shown


def test_verify_takes_the_words_of_ls(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    for argv in (MOVE, PURGE, PURGE):
        estate.put("IN", b"3")
        assert estate.run(*argv).code == 0
    newest, older, moved = [entry["op"] for entry in journal(estate)]
    for words, ops in (
        (("purge",), [older, newest]),
        (("purge", "--limit", "1"), [newest]),
        (("OUT",), [moved]),
        ((moved[-8:], newest[-8:]), [moved, newest]),
    ):
        ran = estate.run("journal", "verify", *words, "-o", "json")
        assert [item["op"] for item in ran.json["items"]] == ops, words
    ran = estate.run("journal", "verify", "nope")
    assert (ran.code, "no operation nope" in ran.err) == (5, True)


def test_the_last_four_characters_of_an_operation_are_enough_and_fewer_are_not(
    sample: Bench,
) -> None:
    sample.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN", "--allow-reports")
    (op,) = [entry["op"] for entry in sample.ok("journal", "ls", "-o", "json").items]
    assert sample.ok("journal", "show", op[-4:], "-o", "json").item["op"] == op
    ran = sample.run("journal", "undo", op[-3:], "--yes")
    assert ran.code == 5
    assert (
        ran.error_line == f"no operation {op[-3:]}: give at least the last 4 characters of its id"
    )
    assert "its last 4 or more" in " ".join(sample.ok("journal", "undo", "--help").out.split())
    sample.ok("journal", "undo", op[-4:], "--yes")
    (undo, _) = sample.ok("journal", "ls", "-o", "json").items
    assert undo["undoes"] == op


def test_messages_of_any_listed_operation_can_be_asked_for(sample: Bench) -> None:
    sample.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    sample.ok("queue", "define", "NEW", "--yes")
    sample.ok("msg", "purge", "ORDERS.IN", "--confirm", "ORDERS.IN", "--allow-reports")
    listed = {
        entry["op"]: entry["action"] for entry in sample.ok("journal", "ls", "-o", "json").items
    }
    for op, action in listed.items():
        words = ("journal", "show", op, "--messages", "-o", "json")
        ran = sample.ok(*words)
        assert bool(ran.items) == (action == "purge"), action
        note = f"operation {op} ({action}) has no planned messages; mqtriage journal show {op}"
        assert (note in ran.err) == (action != "purge"), action
        assert sample.run(*words, "--fail-empty").code == (0 if action == "purge" else 9)
    (last,) = [op for op, action in listed.items() if action == "purge"]
    sample.ok("msg", "put", "ORDERS.IN", "x", "--yes")
    assert sample.ok("journal", "show", "--messages").out.count("\n") > 1  # of the purge
    assert (
        sample.ok("journal", "show", "--messages").out
        == sample.ok("journal", "show", last, "--messages").out
    )


def test_where_the_last_operation_cannot_be_undone_the_last_that_can_is_named(
    estate: Estate,
) -> None:
    estate.put("IN", b"1")
    op = estate.run(*PURGE, "-o", "json").json["op"]
    assert estate.run("msg", "put", "IN", "x", "--yes").code == 0
    ran = estate.run("journal", "undo", "-n")
    assert ran.code == 8
    assert ran.err.endswith(f"; mqtriage journal undo {op} undoes the last operation that can be\n")
    assert estate.run("journal", "undo", op, "--yes").code == 0
    assert "undoes the last operation" not in estate.run("journal", "undo", "-n").err


def test_neither_an_undo_nor_what_it_undid_is_named_as_the_last_that_can_be_undone(
    estate: Estate,
) -> None:
    estate.put("IN", b"1")
    op = estate.run(*PURGE, "-o", "json").json["op"]
    assert estate.run("queue", "set", "IN", "MAXDEPTH=77", "--yes").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.run("msg", "put", "IN", "x", "--yes").code == 0
    ran = estate.run("journal", "undo", "-n")
    assert f"; mqtriage journal undo {op} undoes the last operation that can be\n" in ran.err
    estate.put("IN", b"2")
    moved = estate.run(*MOVE, "-o", "json").json["op"]
    assert estate.run("journal", "undo", "--yes").code == 0
    ran = estate.run("journal", "undo", "-n")
    assert f"is an undo of {moved}" in ran.err
    assert f"repeat what {moved} did; mqtriage journal undo {op} undoes the last" in ran.err


def test_only_an_operation_on_messages_of_the_same_queues_is_named_as_one_to_undo(
    estate: Estate,
) -> None:
    """An apply that defined the queues was named, whose undo deletes them."""
    estate.queue("OTHER")
    estate.put("OTHER", b"1")
    assert estate.run("msg", "purge", "OTHER", "--confirm", "OTHER").code == 0
    assert estate.run("queue", "set", "IN", "MAXDEPTH=77", "--yes").code == 0
    assert estate.run("msg", "put", "IN", "x", "--yes").code == 0
    assert "undoes the last operation" not in estate.run("journal", "undo", "-n").err
    moved = estate.run(*MOVE, "-o", "json").json["op"]
    assert estate.run("journal", "undo", "--yes").code == 0
    ran = estate.run("journal", "undo", "-n")
    assert ran.err.endswith(f"hint: repeat what {moved} did\n")


def test_a_rehearsed_undo_exits_as_the_undo_does(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    assert estate.run(*MOVE).code == 0
    assert estate.run("journal", "undo", "-n").code == 0
    estate.take("OUT")
    assert estate.run("journal", "undo", "-n").code == 3
    assert estate.run("journal", "undo", "--yes").code == 3


def _damage(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    lines[1] = json.dumps({**json.loads(lines[1]), "body_base64": ""}) + "\n"
    path.write_text("".join(lines))


@pytest.mark.parametrize("why", ["damaged", "lifetime"])
def test_a_rehearsed_undo_says_which_messages_its_archive_cannot_give_back(
    estate: Estate, why: str
) -> None:
    estate.put("IN", b"1", expiry_tenths=600)
    estate.put("IN", b"2")
    purged = estate.run("msg", "purge", "IN", "--limit", "2", "--yes", "-o", "json")
    if why == "damaged":
        _damage(Path(purged.json["details"]["archive"]))
    else:
        estate.advance(100)
    rehearsed = estate.run("journal", "undo", "-n")
    done = estate.run("journal", "undo", "--yes", "-o", "json")
    reason = done.json["items"][0]["reason"]
    assert (rehearsed.code, done.code) == (3, 3)
    assert f"1 of them will be skipped: {reason}" in " ".join(
        (rehearsed.out + rehearsed.err).split()
    )


def test_what_another_program_got_while_an_undo_ran_is_not_called_unknown(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2")
    assert estate.run(*MOVE).code == 0
    act = recovery_undo.undo

    def after_a_get(*given: Any) -> Any:
        estate.take("OUT")
        return act(*given)

    monkeypatch.setattr(recovery_undo, "undo", after_a_get)
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert [(item["outcome"], item["reason"]) for item in ran.json["items"]] == [
        (
            "skipped",
            "gone: no unit of this operation removed it; another operation or program got it, or it"
            " expired",
        ),
        ("done", None),
    ]
    entry = estate.run("journal", "ls", "undo", "-o", "json").json["items"][0]
    assert [entry[key] for key in ("planned", "done", "skipped", "left")] == [2, 1, 1, 0]


def test_the_report_of_an_undo_says_how_many_of_the_skipped_the_plan_and_journal_lack(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3", b"4")
    assert estate.run(*MOVE).code == 0
    estate.take("OUT")
    act = recovery_undo.undo

    def after_a_get(*given: Any) -> Any:
        estate.take("OUT")
        return act(*given)

    monkeypatch.setattr(recovery_undo, "undo", after_a_get)
    ran = estate.run("journal", "undo", "--yes", "-o", "table")
    assert "undo: 3 messages back to" in ran.err
    assert "undone: 2 messages on IN at QM1; 2 skipped (1 not planned), 0 failed\n" in ran.out
    entry = estate.run("journal", "ls", "undo", "-o", "json").json["items"][0]
    assert [entry[key] for key in ("planned", "done", "skipped")] == [3, 2, 1]


def test_a_requeue_says_how_many_of_the_skipped_have_no_destination(estate: Estate) -> None:
    for dest in ("OUT", "GONE"):
        estate.put("IN", dead(2051, dest, "amqrmppa", "MQSTR", 9, b"1"), format="MQDEAD")
    ran = estate.run("dlq", "requeue", "IN", "--yes", "-o", "table")
    assert "; 1 skipped (1 not planned), 0 failed\n" in ran.out, ran


def test_an_operation_is_named_by_the_end_of_its_id_as_a_narrow_table_shows_it(
    estate: Estate,
) -> None:
    estate.put("IN", b"1", b"2")
    for _ in range(2):
        assert estate.run(*MOVE, "--limit", "1").code == 0
    for entry in journal(estate):
        op = entry["op"]
        for part in (op, op[:25], op[-8:], f"…{op[-8:]}", f"..{op[-8:].lower()}"):
            ran = estate.run("journal", "show", part, "-o", "json")
            assert ran.json["item"]["op"] == op, part
    ran = estate.run("journal", "show", op[-3:])
    assert (ran.code, "no operation" in ran.err) == (5, True), "three characters are too few"


def test_an_undo_that_archives_nothing_does_not_say_that_it_removed_0_bytes(
    estate: Estate,
) -> None:
    estate.put("IN", b"1")
    assert "removed  1 byte" in estate.run(*PURGE).out
    assert "removed" not in estate.run("journal", "undo", "--yes").out


def test_an_operation_knows_who_asked_for_it_and_how_but_no_secret(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"1")
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    assert estate.run(*MOVE, "-m", "QM1", "--password-file", str(secret)).code == 0
    with ledger_of(estate.folder) as database:
        ((qmgr, user, command, connection),) = database.execute(
            "SELECT queue_manager, user, command, connection FROM operation"
        )
    assert (qmgr, bool(user)) == ("QM1", True)
    assert command == f"msg move IN --to OUT --yes -m QM1 --password-file {secret}"
    assert json.loads(connection) == {"qmgr": "QM1"}


def test_the_operation_is_named_on_standard_error_and_in_json(estate: Estate) -> None:
    estate.put("IN", b"1")
    ran = estate.run(*MOVE, "-o", "json")
    assert f"operation {ran.json['op']}\n" in ran.err
    assert len(ran.json["op"]) == 26


def test_the_journal_is_for_its_owner_alone_and_holds_no_message_data(estate: Estate) -> None:
    before = os.umask(0)
    try:
        estate.put("IN", b"account 4711")
        estate.run(*PURGE)
    finally:
        os.umask(before)
    folder = estate.folder / "journal"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with ledger_of(estate.folder) as database:  # so that its log is there too
        assert database.execute("SELECT count(*) FROM planned").fetchone() == (1,)
        files = list(folder.iterdir())
        assert {file.suffix for file in files} >= {".sqlite", ".sqlite-wal", ".sqlite-shm"}
        modes = {stat.S_IMODE(file.stat().st_mode) for file in files}
    assert modes == {0o600}
    for file in folder.iterdir():
        assert b"account 4711" not in file.read_bytes()
        assert b"account 4711".hex().encode() not in file.read_bytes().lower()


def test_what_was_purged_comes_back_as_it_was(estate: Estate) -> None:
    estate.put("IN", b"1", b"2", correl_id=b"C" * 24, expiry_tenths=600, user_identifier="anna")
    before = estate.messages("IN")
    op = estate.run(*PURGE, "-o", "json").json["op"]
    assert estate.messages("IN") == []
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert (ran.code, ran.json["details"]["undoes"]) == (0, op)
    after = estate.messages("IN")
    assert [(m.md, m.body) for m in after] == [(m.md, m.body) for m in before]


@pytest.mark.parametrize(("asked", "expiry_tenths"), [("remaining", 500), ("original", 600)])
def test_an_undo_gives_back_the_lifetime_that_was_asked_for(
    estate: Estate, asked: str, expiry_tenths: int
) -> None:
    estate.put("IN", b"1", expiry_tenths=600)
    estate.run(*PURGE)
    estate.advance(10)
    assert estate.run("journal", "undo", "--expiry", asked, "--yes").code == 0
    (message,) = estate.messages("IN")
    assert message.md.expiry_tenths == expiry_tenths


def test_a_lifetime_that_is_over_is_not_begun_again_unasked(estate: Estate) -> None:
    estate.put("IN", b"1", expiry_tenths=600)
    estate.run(*PURGE)
    estate.advance(100)
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert ran.code == 3
    assert "lifetime has ended" in ran.json["items"][0]["reason"]
    assert estate.messages("IN") == []


def test_what_was_moved_goes_back_if_it_is_still_there(estate: Estate) -> None:
    ids = estate.put("IN", b"1", b"2", b"3")
    estate.run(*MOVE)
    estate.take("OUT")
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert ran.code == 3
    assert estate.bodies("OUT") == []
    assert [message.md.msg_id for message in estate.messages("IN")] == ids[1:]
    skipped = [item for item in ran.json["items"] if item["outcome"] == "skipped"]
    assert [item["msg_id"] for item in skipped] == [hex_of(ids[0])]
    assert "no longer on OUT" in skipped[0]["reason"]


def test_a_copy_that_was_changed_goes_back_as_the_original(estate: Estate) -> None:
    (ident,) = estate.put("IN", b"1", expiry_tenths=600)
    estate.run(*MOVE, "--new-msgid", "--expiry", "unlimited")
    assert estate.messages("OUT")[0].md.msg_id != ident
    assert estate.run("journal", "undo", "--yes").code == 0
    (message,) = estate.messages("IN")
    assert (message.md.msg_id, message.md.expiry_tenths) == (ident, 600)
    assert estate.messages("OUT") == []


def test_an_undo_of_a_copy_takes_the_copies_away(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    estate.run("msg", "copy", "IN", "--to", "OUT", "--yes")
    assert estate.run("journal", "undo", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"1", b"2"], [])


@pytest.mark.parametrize(
    "argv",
    [
        ("delay", "cancel", "--where", "target = 'OUT'", "--yes"),
        ("delay", "cancel", "--to", "IN", "--yes"),
        ("delay", "release", "--yes"),
        ("delay", "reschedule", "--delay", "3h", "--yes"),
    ],
    ids=["cancel", "cancel --to", "release", "reschedule"],
)
def test_what_was_delayed_is_delayed_again_until_the_time_it_had(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    estate.delayed("OUT", b"1", delay_ms=3_600_000)
    before = estate.run("delay", "browse", "-o", "json").json["items"]
    assert estate.run(*argv).code == 0
    estate.advance(60)
    assert estate.run("journal", "undo", "--yes").code == 0
    after = estate.run("delay", "browse", "-o", "json").json["items"]
    keys = ("original_msg_id", "due_time", "target")
    assert [[message[key] for key in keys] for message in after] == [
        [message[key] for key in keys] for message in before
    ]
    assert estate.bodies("OUT") == []
    assert len(estate.messages(STAGING)) == 1


def test_an_undo_of_an_extension_gives_the_lifetime_back(estate: Estate) -> None:
    estate.put("IN", b"1", expiry_tenths=600)
    estate.run("expiry", "extend", "IN", "--expiry", "unlimited", "--yes")
    assert estate.messages("IN")[0].md.expiry_tenths == -1
    assert estate.run("journal", "undo", "--yes").code == 0
    assert [message.md.expiry_tenths for message in estate.messages("IN")] == [600]


def test_an_undo_puts_no_twin_of_what_is_there_already(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    purged = estate.run(*PURGE, "-o", "json").json
    archive, op = purged["details"]["archive"], purged["op"]
    assert estate.run("msg", "load", archive, "--to", "IN", "--yes").code == 0
    estate.take("IN")
    there = len(estate.bodies("IN"))
    ran = estate.run("journal", "undo", op, "--yes", "-o", "json")
    assert sorted(estate.bodies("IN")) == [b"1", b"2"]
    assert sum("already" in (item["reason"] or "") for item in ran.json["items"]) == there


def test_twins_that_were_both_purged_both_come_back(estate: Estate) -> None:
    """Two messages with one MsgId and the same data are two messages."""
    estate.put("IN", b"same", b"same", msg_id=b"M" * 24, put_date="20260131", put_time="10000000")
    estate.run(*PURGE)
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.bodies("IN") == [b"same", b"same"]


def test_an_undo_that_would_tell_a_sender_delivered_wants_leave(estate: Estate) -> None:
    estate.put("IN", b"1", report=cmqc.MQRO_COD, reply_to_q="R")
    assert estate.run(*MOVE, "--allow-reports").code == 0
    ran = estate.run("journal", "undo", "--yes")
    assert ran.code == 8
    assert "--allow-reports" in ran.err
    assert estate.bodies("OUT") == [b"1"]
    assert estate.run("journal", "undo", "--yes", "--allow-reports").code == 0
    assert estate.bodies("IN") == [b"1"]


def test_an_undo_of_a_purge_takes_nothing_and_needs_no_such_leave(estate: Estate) -> None:
    estate.put("IN", b"1", report=cmqc.MQRO_COD, reply_to_q="R")
    assert estate.run(*PURGE, "--allow-reports").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0


@pytest.mark.parametrize(
    "option", [("--reports", "strip"), ("--no-backup",), ("--yes-short-text",)]
)
def test_an_undo_takes_no_option_that_it_would_not_heed(
    estate: Estate, option: tuple[str, ...]
) -> None:
    assert estate.run("journal", "undo", "--yes", *option).code == 2


def test_an_undo_keeps_to_the_batch_that_was_asked_for(estate: Estate) -> None:
    estate.put("IN", b"1", b"2", b"3")
    assert estate.run(*PURGE).code == 0
    assert estate.run("journal", "undo", "--yes", "--batch", "1").code == 0
    assert estate.run("journal", "show", "-o", "json").json["item"]["units"] == 3


def test_an_undo_happens_once(estate: Estate) -> None:
    estate.put("IN", b"1")
    op = estate.run(*PURGE, "-o", "json").json["op"]
    estate.run("journal", "undo", "--yes")
    estate.take("IN")
    ran = estate.run("journal", "undo", op, "--yes")
    assert ran.code == 0
    assert "nothing to do" in ran.err
    assert estate.bodies("IN") == []
    assert estate.run("journal", "undo", "--yes").code == 8  # the last one is the undo itself


def test_a_second_undo_says_which_operation_was_the_first(sample: Bench) -> None:
    sample.ok("msg", "move", "ORDERS.BO", "--to", "OPS.PARKED", "--yes")
    (moved,) = sample.ok("journal", "ls", "move", "-o", "json").items
    undo = ("journal", "undo", moved["op"], "--yes")
    sample.ok(*undo)
    (first,) = sample.ok("journal", "ls", "undo", "-o", "json").items
    again = sample.run(*undo, "--expect", "2")
    error = f"--expect 2, but 0 would be affected: already undone by {first['op']}"
    assert (again.code, again.error_line) == (8, error)
    assert f"nothing to do (already undone by {first['op']})" in sample.ok(*undo).err


def test_a_second_undo_of_what_was_partly_undone_does_not_say_that_all_was(
    estate: Estate,
) -> None:
    estate.put("IN", b"1", b"2")
    assert estate.run(*MOVE).code == 0
    op = journal(estate)[0]["op"]
    estate.take("OUT")
    assert estate.run("journal", "undo", op, "--yes").code == 3
    (undo,) = [entry["op"] for entry in journal(estate) if entry["action"] == "undo"]
    again = estate.run("journal", "undo", op, "--yes")
    assert "1 cannot be undone: " in again.err
    assert f"nothing to do (what can be undone already was, by {undo})" in again.err


def test_what_no_archive_holds_cannot_come_back(estate: Estate) -> None:
    estate.put("IN", b"1")
    estate.run(*PURGE, "--no-backup")
    ran = estate.run("journal", "undo", "--yes", "-o", "json")
    assert (ran.code, ran.json["items"][0]["reason"]) == (3, "it is not in an archive")
    assert estate.run("journal", "verify", "-q").code == 4


def test_verify_of_many_acts_opens_the_ledger_no_more_often_than_of_one(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    class Counted(Ledger):
        def __init__(self, path: Path) -> None:
            opened.append(path)
            super().__init__(path)

    monkeypatch.setattr(journal_module, "Ledger", Counted)
    connections = []
    for body in (b"1", b"2", b"3"):
        estate.put("IN", body)
        assert estate.run(*PURGE).code == 0
        opened.clear()
        assert estate.run("journal", "verify").code == 0
        connections.append(len(opened))
    assert connections == [connections[0]] * 3


def test_verify_sees_an_archive_that_was_changed(estate: Estate) -> None:
    estate.put("IN", b"1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    path.write_text(path.read_text().replace('"body_base64":"MQ=="', '"body_base64":"Mg=="'))
    ran = estate.run("journal", "verify", "-o", "json")
    assert ran.code == 4
    assert ran.json["items"][0]["verdict"] == "not proven"
    assert any("digest" in problem for problem in ran.json["items"][0]["problems"])


def cut(estate: Estate, op: str) -> None:
    """Make an operation as it would be had its process been killed before its first unit."""
    with ledger_of(estate.folder) as database:
        for table in ("unit", "taken", "stayed"):
            database.execute(
                f"DELETE FROM {table} WHERE operation ="
                " (SELECT number FROM operation WHERE op = ?)",
                (op,),
            )
        database.execute("UPDATE operation SET ended = '', how = '' WHERE op = ?", (op,))


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def not_proven(estate: Estate) -> str:
    """What `journal verify` has against the one operation there is."""
    ran = estate.run("journal", "verify", "-o", "json")
    assert ran.code == 4
    (item,) = ran.json["items"]
    assert item["verdict"] == "not proven"
    return " ".join(item["problems"])


def test_the_evidence_of_a_purge_is_one_command(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    report = estate.run(*PURGE, "-o", "json").json
    path = Path(report["details"]["archive"])
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    shown = estate.run("journal", "verify", report["op"]).out
    for text in (
        "action         purge", "queue          IN", "queue manager  QM1", "user", "began",
        "command        msg purge IN", "2 gets, 0 puts, 2 archived", "verdict        proven",
        "verified", str(path), digest,
    ):  # fmt: skip
        assert text in shown, text
    (item,) = estate.run("journal", "verify", report["op"], "-o", "json").json["items"]
    assert item["archives"] == [{"file": str(path), "message_count": 2, "sha256": digest}]
    assert "VERDICT" in estate.run("journal", "verify", terminals=TERMINAL).out
    assert "journal verify" in estate.run("journal", "show", terminals=TERMINAL).err
    path.write_text("")
    assert estate.run("journal", "verify", report["op"]).code == 4


def test_verify_sees_a_descriptor_that_was_changed_in_the_archive(estate: Estate) -> None:
    estate.put("IN", b"1", reply_to_q="R1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    changed(path, '"reply_to_q":"R1"', '"reply_to_q":"R2"')
    assert "was changed" in not_proven(estate)


def forged(path: Path, old: str, new: str) -> None:
    """Change an archive, and make the digest in its last line fit."""
    changed(path, old, new)
    *lines, _ = path.read_bytes().splitlines(keepends=True)
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    end = {"kind": "End", "messages": 1, "sha256": digest}
    path.write_bytes(b"".join(lines) + json.dumps(end, separators=(",", ":")).encode() + b"\n")


@pytest.mark.parametrize("how", ["done", "stopped", ""])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"user_identifier":"', '"user_identifier":"other', id="user"),
        pytest.param('"reply_to_q":"R1"', '"reply_to_q":"R2"', id="reply"),
        pytest.param('"qmgr":"QM1"', '"qmgr":"QM2"', id="first-line"),
    ],
)
@pytest.mark.slow
def test_verify_sees_a_forged_archive_whose_last_line_fits(
    estate: Estate, old: str, new: str, how: str
) -> None:
    estate.put("IN", b"1", reply_to_q="R1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    if not how:  # as a kill after the commit leaves it
        change(estate, "UPDATE archive SET sha256 = NULL")
    change(estate, f"UPDATE operation SET how = '{how}'")
    forged(path, old, new)
    assert estate.run("archive", "verify", "-q").code == 0
    assert not_proven(estate) == f"{path.name} was changed: the journal has another digest of it"
    assert f"{path.name} was changed" in estate.run("journal", "undo", "-n").out
    assert estate.run("journal", "resume", "--yes", "-q").code in (0, 9)
    assert "the journal has another digest" in not_proven(estate)  # a resume makes nothing of it


def test_verify_sees_what_was_forged_behind_the_last_commit(estate: Estate) -> None:
    estate.put("IN", b"1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    forged(path, '"kind":"Commit"', '"kind":"Backout"')
    assert "the journal has another digest" in not_proven(estate)


def test_verify_says_that_messages_were_removed_with_no_backup(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    assert estate.run(*PURGE, "--no-backup").code == 0
    text = "2 messages removed with --no-backup, so no archive can prove it"
    assert not_proven(estate) == text


def test_the_journal_shows_the_digest_that_an_archive_has(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    shown = estate.run("journal", "show", "-o", "json").json["item"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (shown["archives"], shown["archive_digests"]) == ([str(path)], {str(path): digest})
    (verified,) = estate.run("archive", "verify", "-o", "json").json["items"]
    assert verified["sha256"] == digest


def test_a_resume_that_adds_to_an_archive_renews_its_digest(estate: Estate) -> None:
    """Its last line came too early, as where a connection is lost at a commit."""
    estate.put("IN", b"1", b"2")
    path = Path(estate.run(*PURGE, "--batch", "1", "-o", "json").json["details"]["archive"])
    *lines, commit, _ = path.read_bytes().splitlines(keepends=True)
    early = b"".join(lines)
    digest = hashlib.sha256(early).hexdigest()
    path.write_bytes(early + b'{"kind":"End","messages":2,"sha256":"%s"}\n' % digest.encode())
    sealed = hashlib.sha256(path.read_bytes()).hexdigest()
    change(estate, f"UPDATE archive SET sha256 = '{sealed}'")
    change(estate, "UPDATE operation SET how = 'stopped'")
    assert estate.run("journal", "resume", "--yes", "-q").code in (0, 9)
    assert commit in path.read_bytes()
    shown = estate.run("journal", "show", "-o", "json").json["item"]["archive_digests"]
    assert shown[str(path)] == hashlib.sha256(path.read_bytes()).hexdigest() != sealed
    assert estate.run("journal", "verify", "-q").code == 0


def test_verify_holds_the_descriptor_in_an_unfinished_archive_against_the_plan(
    estate: Estate,
) -> None:
    estate.put("IN", b"1", correl_id=b"C" * 24)
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    head, message, *_ = path.read_text().splitlines(keepends=True)
    record = json.loads(message)
    data = b64decode(record["md_base64"]).replace(b"C" * 24, b"D" * 24)
    record["md_base64"] = b64encode(data).decode()
    path.write_text(head + json.dumps(record) + "\n")
    assert "descriptor of message 1" in not_proven(estate)


def test_a_line_that_is_being_written_is_nothing_against_an_act(estate: Estate) -> None:
    estate.put("IN", b"1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]) + lines[1][:40])
    change(estate, "UPDATE operation SET how = ''")  # as it is while it is at work
    assert estate.run("journal", "verify", "-q").code == 0


@pytest.mark.parametrize("how", ["done", "stopped"])
@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda lines: lines[:-1], id="no-end"),
        pytest.param(lambda lines: lines[:-2], id="no-commit"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:30]], id="in-a-line"),
        pytest.param(lambda lines: [*lines, lines[1]], id="more"),
    ],
)
def test_verify_sees_that_the_archive_of_an_act_that_ended_lacks_its_last_line(
    estate: Estate, edit: Callable[[list[str]], list[str]], how: str
) -> None:
    estate.put("IN", b"1")
    report = estate.run(*PURGE, "-o", "json").json
    path = Path(report["details"]["archive"])
    path.write_text("".join(edit(path.read_text().splitlines(keepends=True))))
    change(estate, f"UPDATE operation SET how = '{how}'")
    why = "it was changed" if how == "done" else f"mqtriage journal resume {report['op']} writes it"
    assert not_proven(estate) == f"{path.name} does not end with its closing line: {why}"


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        pytest.param(
            "DELETE FROM taken WHERE unit = 1",
            "0 of the 2 messages of unit 1",
            id="messages-of-a-unit-taken-out",
        ),
        pytest.param(
            "DELETE FROM taken WHERE number = 2", "not mention 1 planned", id="message-taken-out"
        ),
        pytest.param(
            "DELETE FROM unit WHERE unit = 2",
            "taken that the ledger has not",
            id="unit-and-commit-taken-out",
        ),
    ],
)
def test_verify_sees_a_log_from_which_something_was_taken_out(
    estate: Estate, sql: str, problem: str
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    estate.run(*PURGE, "--batch", "2")
    change(estate, sql)
    assert problem in not_proven(estate)


@pytest.mark.parametrize(
    "argv",
    [("msg", "load", "{}", "--to", "OUT"), ("msg", "copy", "IN", "--to", "OUT")],
    ids=lambda a: a[1],
)
@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        pytest.param("UPDATE taken SET digest = zeroblob(32) WHERE number = 1",
                     "message 1 has a different digest", id="data"),
        pytest.param("UPDATE taken SET msg_id = zeroblob(24) WHERE number = 1",
                     "message 1 has a different MsgId", id="msgid"),
        pytest.param("DELETE FROM taken WHERE number = 1", "not mention 1 planned", id="one-less"),
        pytest.param("INSERT INTO unit SELECT operation, 2, at_us, before, archive, 2, 1, 2, ended,"
                     " NULL, NULL FROM unit; INSERT INTO taken SELECT operation, number, 2,"
                     " archived, queue, msg_id, digest, parked FROM taken",
                     "taken twice", id="twice"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_verify_holds_each_put_of_what_takes_nothing_against_the_plan(
    estate: Estate, tmp_path: Path, argv: tuple[str, ...], sql: str, problem: str
) -> None:
    estate.put("IN", b"1", b"2")
    file = tmp_path / "saved.ndjson"
    assert estate.run("msg", "archive", "IN", "--out", str(file)).code == 0
    ran = estate.run(*(word.format(file) for word in argv), "--yes")
    assert ran.code == 0, ran.err
    assert estate.run("journal", "verify", "-q").code == 0
    for statement in sql.split(";"):
        change(estate, statement)
    assert problem in not_proven(estate)


@pytest.mark.parametrize(
    "spoiled", [b"", b"no ledger", bytes(200_000), None], ids=["empty", "text", "zeros", "page"]
)
@pytest.mark.parametrize(
    "argv", [("journal", "ls"), ("journal", "show"), ("journal", "verify"), MOVE], ids=" ".join
)
@pytest.mark.slow
def test_a_ledger_that_is_damaged_is_one_line_with_what_to_do(
    estate: Estate, spoiled: bytes | None, argv: tuple[str, ...]
) -> None:
    estate.put("IN", b"1")
    assert estate.run(*PURGE).code == 0
    estate.put("IN", b"2")
    ledger = estate.folder / "journal" / "ledger.sqlite"
    with ledger_of(estate.folder) as database:
        (page,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'operation'"
        ).fetchone()
    whole = ledger.read_bytes()
    start = (page - 1) * 4096
    ledger.write_bytes(
        whole[:start] + b"\xff" * 4096 + whole[start + 4096 :] if spoiled is None else spoiled
    )
    ran = estate.run(*argv)
    assert ran.code in (1, 4)  # 4 where the damage is found by the proof of one operation
    assert (ran.out + ran.err).count("it is damaged") == 1
    if ran.code == 1:
        assert f"{ledger}: it is damaged" in ran.err
        assert "restore the file from a copy" in ran.err
    assert "make room" not in ran.err
    assert estate.bodies("IN") == [b"2"]


@pytest.mark.parametrize("part", ["requeue", "archive_of", "sqlite_autoindex_operation_1", None])
def test_what_a_ledger_can_do_without_is_made_anew_where_it_is_damaged(
    estate: Estate, part: str | None
) -> None:
    """None: the table of requeues is missing. Its counts are those of the operations again."""
    back = ("msg", "move", "OUT", "--to", "IN", "--yes", "--max-requeues", "4")
    estate.put("IN", b"1")
    assert estate.run(*MOVE, "--max-requeues", "4").code == 0
    assert estate.run(*back).code == 0
    ledger = estate.folder / "journal" / "ledger.sqlite"
    with ledger_of(estate.folder) as database:
        if part is None:
            database.execute("DROP TABLE requeue")
        else:
            sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
            start = (database.execute(sql, (part,)).fetchone()[0] - 1) * 4096
    if part is not None:
        whole = ledger.read_bytes()
        ledger.write_bytes(whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :])
    ran = estate.run(*MOVE, "--max-requeues", "4")
    if ran.code == 1:  # seen where something was written: nothing was done, and it is whole again
        assert "it was damaged" in ran.err
        assert "run it again" in ran.err
        assert estate.bodies("IN") == [b"1"]
        assert estate.run("journal", "resume", "--yes", "-q").code == 0
    assert estate.bodies("OUT") == [b"1"]
    with ledger_of(estate.folder) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert estate.run("journal", "verify").code == 0
    assert estate.run(*back).code == 0
    ran = estate.run(*MOVE, "--max-requeues", "4")
    assert "moved or requeued at least 4 times" in ran.err
    assert estate.bodies("IN") == [b"1"]


def test_an_archive_that_was_removed_again_and_its_name_taken_is_not_looked_into(
    estate: Estate,
) -> None:
    """With a frozen clock two acts can be of one moment, and so call their archives alike."""
    estate.put("IN", b"1")
    plan = planned(estate, "msg", "purge", "IN", "--limit", "1")
    assert estate.run(*PURGE).code == 0
    (archive,) = estate.run("journal", "show", "-o", "json").json["item"]["archives"]
    with closing(Journal(estate.folder / "journal").begin(read_plan(plan))) as entry:
        entry.run()
        entry.archive(Path(archive))
        entry.stayed(1, ItemOutcome("", Outcome.SKIPPED, "gone"))
        entry.end()
    assert estate.run("journal", "verify").code == 0


def test_an_undo_out_of_an_archive_that_was_changed_says_so(estate: Estate) -> None:
    estate.put("IN", b"1", reply_to_q="R1")
    path = Path(estate.run(*PURGE, "-o", "json").json["details"]["archive"])
    changed(path, '"reply_to_q":"R1"', '"reply_to_q":"R2"')
    ran = estate.run("journal", "undo", "--dry-run")
    assert ran.code == 0
    assert f"{path.name} was changed after it was written" in ran.out + ran.err


# plan files -------------------------------------------------------------------------------------


def planned(estate: Estate, *argv: str) -> Path:
    path = estate.folder / "a.plan"
    ran = estate.run(*argv, "--plan", str(path))
    assert (ran.code, ran.out) == (0, "")
    return path


def test_a_plan_file_changes_nothing_and_apply_does_exactly_it(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    path = planned(estate, "msg", "move", "IN", "--to", "OUT")
    assert estate.bodies("IN") == [b"1", b"2"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    estate.put("IN", b"later")
    assert estate.run("apply", str(path)).code == 8  # asks for --yes
    assert estate.run("apply", str(path), "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"later"], [b"1", b"2"])


def test_a_plan_was_made_before_it_was_applied_whatever_clock_the_queue_manager_has(
    estate: Estate,
) -> None:
    """A plan and the journal have the time of this machine, as plans of definitions do."""
    estate.put("IN", b"1", b"2")
    assert estate.run("emulator", "clock", "QM1", "+2h").code == 0
    begin = journal_module.now_text()
    path = planned(estate, "msg", "move", "IN", "--to", "OUT", "--limit", "1")
    shown = estate.run("plan", str(path), "-o", "json").json["item"]["facts"]["planned_at"]
    assert estate.run("apply", str(path), "--yes").code == 0
    began = journal(estate)[0]["began"]
    assert begin <= shown <= began <= journal_module.now_text()
    for argv in (("msg", "move", "IN", "--to", "OUT"), ("journal", "undo")):
        begin = journal_module.now_text()
        assert estate.run(*argv, "--yes").code == 0
        at = Journal(estate.folder / "journal").head(journal(estate)[0]["op"]).at
        assert begin <= at <= journal_module.now_text()


def test_a_plan_of_which_a_message_is_gone_is_refused(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    path = planned(estate, "msg", "move", "IN", "--to", "OUT")
    estate.take("IN")
    ran = estate.run("apply", str(path), "--yes")
    assert ran.code == 8
    assert "stale: 1 of 2" in ran.err
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"2"], [])


def test_a_plan_of_which_a_message_was_rolled_back_since_is_refused(estate: Estate) -> None:
    first, _ = estate.put("IN", b"1", b"2")
    path = planned(estate, "msg", "move", "IN", "--to", "OUT")
    estate.roll_back("IN", 2)
    ran = estate.run("apply", str(path), "--yes")
    assert ran.code == 8
    assert "stale: 1 of 2 on IN has been rolled back since" in ran.err
    assert f"{hex_of(first)} (BackoutCount 0 then, 2 now)" in ran.err
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"1", b"2"], [])
    path.unlink()
    again = planned(estate, "msg", "move", "IN", "--to", "OUT", "--limit", "1")
    assert estate.run("apply", str(again), "--yes").code == 0


def test_a_plan_of_twins_of_which_one_is_gone_is_refused(estate: Estate) -> None:
    estate.put("IN", b"same", b"same", msg_id=b"M" * 24, put_date="20260131", put_time="10000000")
    file = planned(estate, *MOVE)
    estate.take("IN")
    ran = estate.run("apply", str(file), "--yes")
    assert ran.code == 8
    assert "1 of 2 is not on IN as planned" in ran.err


def test_a_plan_that_was_changed_or_cut_is_not_carried_out(estate: Estate) -> None:
    estate.put("IN", b"1", b"2")
    path = planned(estate, "msg", "move", "IN", "--to", "OUT")
    whole = path.read_text()
    path.write_text(whole.replace('"OUT"', '"IN2"'))
    ran = estate.run("apply", str(path), "--yes")
    assert (ran.code, "changed after it was written" in ran.err) == (8, True)
    path.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    ran = estate.run("apply", str(path), "--yes")
    assert (ran.code, "it was truncated" in ran.err) == (8, True)
    assert estate.bodies("IN") == [b"1", b"2"]


def test_what_is_no_plan_is_said(estate: Estate, tmp_path: Path) -> None:
    path = tmp_path / "no.plan"
    assert estate.run("apply", str(path), "--yes").code == 5
    path.write_text('{"a": 1}\n')
    assert estate.run("apply", str(path), "--yes").code == 2
    path.write_bytes(b"\xff\xfe\x00")
    assert estate.run("apply", str(path), "--yes").code == 2


def test_expect_rules_the_plan_file_too(estate: Estate) -> None:
    estate.put("IN", b"1")
    path = estate.folder / "a.plan"
    ran = estate.run("msg", "purge", "IN", "--limit", "9", "--expect", "2", "--plan", str(path))
    assert ran.code == 8
    assert not path.exists()


# guards -----------------------------------------------------------------------------------------


def test_a_message_that_was_requeued_too_often_is_left(estate: Estate) -> None:
    (ident,) = estate.put("IN", b"poison")
    for _ in range(3):
        assert estate.run(*MOVE, "--max-requeues", "99").code == 0
        assert (
            estate.run("msg", "move", "OUT", "--to", "IN", "--yes", "--max-requeues", "99").code
            == 0
        )
    estate.put("IN", b"fresh")
    ran = estate.run(*MOVE, "-o", "json", "--max-requeues", "6")
    assert ran.code == 3
    assert estate.bodies("IN") == [b"poison"]
    (skipped,) = [item for item in ran.json["items"] if item["outcome"] == "skipped"]
    assert skipped["msg_id"] == hex_of(ident)
    assert "moved or requeued at least 6 times" in skipped["reason"]
    assert estate.run(*MOVE).code == 8  # all that there is would be left


def test_the_loop_guard_follows_a_message_that_gets_a_new_msgid(estate: Estate) -> None:
    estate.put("IN", b"poison")
    for source, target in (("IN", "OUT"), ("OUT", "IN"), ("IN", "OUT")):
        argv = ("msg", "move", source, "--to", target, "--new-msgid", "--yes")
        assert estate.run(*argv).code == 0
    assert estate.run("msg", "move", "OUT", "--to", "IN", "--yes").code == 8


def test_pruned_operations_count_no_more(estate: Estate) -> None:
    estate.put("IN", b"poison")
    for source, target in (("IN", "OUT"), ("OUT", "IN"), ("IN", "OUT")):
        estate.run("msg", "move", source, "--to", target, "--yes")
    argv = ("msg", "move", "OUT", "--to", "IN", "--yes")
    assert estate.run(*argv).code == 8
    assert estate.run("journal", "prune", "--older-than", "0ms", "--yes").code == 0
    assert journal(estate) == []
    assert estate.run(*argv).code == 0


def test_an_undo_is_not_pruned_before_what_it_took_back(estate: Estate) -> None:
    """Else that could be taken back once more, after its messages were processed."""
    estate.put("IN", b"1")
    act = estate.run(*PURGE, "-o", "json").json["op"]
    assert estate.run("journal", "undo", "--yes").code == 0
    undo = journal(estate)[0]["op"]
    ran = estate.run("journal", "prune", undo, "--yes")
    assert "an undo is removed with the operation" in ran.err
    assert {operation["op"] for operation in journal(estate)} == {act, undo}
    assert estate.run("journal", "prune", act, undo, "--yes").code == 0
    assert journal(estate) == []


def test_what_an_undo_that_was_cut_needs_is_not_pruned(estate: Estate) -> None:
    estate.put("IN", b"1")
    assert estate.run(*PURGE).code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    undo, act = (entry["op"] for entry in journal(estate))
    cut(estate, undo)
    estate.take("IN")
    ran = estate.run("journal", "prune", act, "--yes")
    assert "1 kept" in ran.err
    assert [entry["op"] for entry in journal(estate)] == [undo, act]
    assert estate.run("journal", "resume", undo, "--yes").code == 0
    assert estate.bodies("IN") == [b"1"]
    assert estate.run("journal", "prune", act, "--yes").code == 0
    assert [entry["op"] for entry in journal(estate)] == [undo]


def test_the_count_of_requeues_is_made_again_from_the_operations_that_stay(estate: Estate) -> None:
    estate.put("IN", b"other")
    pruned = estate.run(*MOVE, "-o", "json").json["op"]
    estate.take("OUT")
    estate.put("IN", b"poison")
    for source, target in (("IN", "OUT"), ("OUT", "IN"), ("IN", "OUT")):
        estate.run("msg", "move", source, "--to", target, "--yes")
    with ledger_of(estate.folder) as database:
        database.execute("DELETE FROM requeue")
    assert estate.run("journal", "prune", pruned, "--yes").code == 0
    assert estate.run("msg", "move", "OUT", "--to", "IN", "--yes").code == 8


def test_what_cannot_go_on_is_parked_as_it_is(estate: Estate) -> None:
    estate.queue("PARK")
    estate.put("IN", b"no MQDLH", format="MQDEAD", correl_id=b"C" * 24)
    estate.put("IN", b"ok")
    (before, _) = estate.messages("IN")
    ran = estate.run(*MOVE, "--headers", "strip", "--park", "PARK", "-o", "json")
    assert ran.code == 3
    assert [item["outcome"] for item in ran.json["items"]] == ["parked", "done"]
    assert "no MQDLH" in ran.json["items"][0]["reason"]
    (parked,) = estate.messages("PARK")
    assert (parked.md, parked.body) == (before.md, before.body)
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([], [b"ok"])


def test_a_loop_is_parked_where_quarantine_was_asked_for(estate: Estate) -> None:
    estate.queue("PARK")
    (ident,) = estate.put("IN", b"poison", correl_id=b"C" * 24)
    estate.run(*MOVE)
    estate.run("msg", "move", "OUT", "--to", "IN", "--yes")
    argv = (*MOVE, "--max-requeues", "2", "--park", "PARK", "-o", "json")
    ran = estate.run(*argv)
    assert ran.code == 3
    assert ran.json["counts"]["parked"] == 1
    (parked,) = estate.messages("PARK")
    assert (parked.md.msg_id, parked.md.correl_id, parked.body) == (ident, b"C" * 24, b"poison")
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("PARK")) == ([b"poison"], [])


@pytest.mark.parametrize(
    "argv",
    [
        ("msg", "purge", "IN", "--park", "OUT", "--yes"),
        ("msg", "copy", "IN", "--to", "OUT", "--park", "OUT", "--yes"),
        ("msg", "purge", "IN", "--max-requeues", "2", "--yes"),
        ("backout", "requeue", "IN", "--to", "OUT", "--rate", "fast", "--yes"),
    ],
)
def test_a_guard_that_does_not_fit_the_act_is_wrong_usage(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    estate.put("IN", b"1")
    assert estate.run(*argv).code == 2
    assert estate.bodies("IN") == [b"1"]


@pytest.mark.alone
@pytest.mark.slow
def test_the_rate_is_kept(estate: Estate) -> None:
    from benchmarks.measure import seconds

    def move() -> None:
        assert estate.run(*MOVE, "--rate", "20/s").code == 0

    for _ in range(5):  # none is too fast; one is not too slow
        estate.put("IN", *(b"%d" % number for number in range(30)))
        took_s = seconds(move)
        assert took_s >= 1.3  # the last two begin after 28
        if took_s <= 3:
            break
    assert took_s <= 3


def test_nothing_of_an_act_that_was_refused_is_in_the_journal(estate: Estate) -> None:
    estate.put("IN", b"1")
    assert estate.run("msg", "move", "IN", "--to", "OUT").code == 8
    assert estate.run(*MOVE, "--expect", "2").code == 8
    assert estate.run(*MOVE, "-n").code == 0
    assert journal(estate) == []


def test_an_unknown_operation_is_not_found(estate: Estate) -> None:
    assert estate.run("journal", "show").code == 5
    assert estate.run("journal", "undo", "01ZZZ", "--yes").code == 5
    assert estate.run("journal", "resume", "01ZZZ", "--yes").code == 5


@pytest.mark.parametrize("argv", [(), MOVE], ids=["empty", "done"])
def test_a_journal_in_which_nothing_waits_has_nothing_to_resume(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    estate.put("IN", b"1")
    assert not argv or estate.run(*argv).code == 0
    for more in ((), ("-n",), ("-m", "QM1")):
        ran = estate.run("journal", "resume", "--yes", *more)
        assert (ran.code, ran.out) == (9, "")
        assert "nothing to resume" in ran.err
    assert estate.run("journal", "resume", "--yes", "-o", "json").json["counts"]["planned"] == 0


@pytest.mark.parametrize("plan", ["{", "[" * 50_000, "9" * 5_000])
def test_a_plan_that_is_damaged_in_the_ledger_is_one_line(tmp_path: Path, plan: str) -> None:
    estate = Estate.create(tmp_path)
    estate.queue("IN")
    estate.put("IN", b"x")
    assert estate.run("msg", "purge", "IN", "--confirm", "IN").code == 0
    with ledger_of(tmp_path) as database:
        database.execute("UPDATE operation SET plan = ?", (plan,))
    (op,) = (entry["op"] for entry in journal(estate))
    for verb in ("verify", "show", "undo", "resume"):
        ran = estate.run("journal", verb, op)
        assert "internal error" not in ran.err, (verb, ran.err)
        assert "damaged" in ran.out + ran.err, (verb, ran)


def test_a_connection_that_is_damaged_in_the_ledger_is_one_line(tmp_path: Path) -> None:
    estate = Estate.create(tmp_path)
    estate.queue("IN")
    estate.put("IN", b"x")
    assert estate.run("msg", "purge", "IN", "--confirm", "IN").code == 0
    with ledger_of(tmp_path) as database:
        database.execute("UPDATE operation SET connection = '{'")
    ran = estate.run("journal", "undo", "-n")
    assert "its connection settings are damaged" in ran.err
    assert estate.run("journal", "undo", "-n", "-m", "QM1").code == 0


def test_the_plan_of_an_undo_says_where_messages_go_back_to(bench: Bench) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--count", "3", "--yes")
    bench.ok("msg", "move", "APP.A", "--to", "APP.B", "--yes")
    plan = bench.ok("journal", "undo", "-n").out
    assert plan.startswith("undo: 3 messages back to APP.A at QM1")
    assert re.search(r"from queues +APP.B 3", plan)


@pytest.mark.parametrize("action", ["load", "copy"])
def test_the_undo_of_what_only_puts_says_that_it_removes(
    bench: Bench, tmp_path: Path, action: str
) -> None:
    bench.define("APP.A", "APP.B")
    bench.ok("msg", "put", "APP.A", "x", "--count", "3", "--yes")
    if action == "load":
        bench.ok("msg", "archive", "APP.A", "--out", str(tmp_path / "a"))
        bench.ok("msg", "load", str(tmp_path / "a"), "--to", "APP.B", "--yes")
    else:
        bench.ok("msg", "copy", "APP.A", "--to", "APP.B", "--yes")
    planned = bench.ok("journal", "undo", "-n").out
    assert planned.startswith("undo: remove 3 messages from APP.B at QM1")
    ran = bench.ok("journal", "undo", "--yes").out
    assert ran.startswith("undone: removed 3 messages from APP.B at QM1; 0 skipped, 0 failed")
    assert (bench.depth("APP.A"), bench.depth("APP.B")) == (3, 0)
