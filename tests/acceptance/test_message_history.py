"""`journal ls --msgid` and `archive ls --msgid`: what operations did with one message."""

from __future__ import annotations

from tests.acceptance.conftest import ON_A_TERMINAL, Bench


def _staged(sample: Bench) -> dict[str, str]:
    """The message that is delayed for ORDERS.IN: its ids."""
    rows = sample.ok("delay", "browse", "--target", "ORDERS.IN", "-o", "json").items
    return {key: rows[0][key] for key in ("msg_id", "original_msg_id")}


def test_the_journal_lists_what_operations_did_with_a_message(sample: Bench) -> None:
    ids = _staged(sample)
    sample.ok("delay", "cancel", "--msgid", ids["original_msg_id"], "--yes")
    sample.ok("journal", "undo", "--yes")
    for ident in (ids["msg_id"], ids["original_msg_id"], ids["original_msg_id"][-12:]):
        rows = sample.ok("journal", "ls", "--msgid", ident, "-o", "json").items
        assert [row["action"] for row in rows] == ["undo", "cancel"]
        assert {row["msg_id"] for row in rows} == {ids["msg_id"]}
        assert [row["state"] for row in rows] == ["done", "undone"]
    one = sample.ok("journal", "ls", "cancel", "--msgid", ids["msg_id"], "-o", "json").items
    assert [row["action"] for row in one] == ["cancel"]


def test_the_history_of_a_message_follows_copies_with_another_id(sample: Bench) -> None:
    sample.define("APP.A", "APP.B")
    sample.ok("msg", "put", "APP.A", "hello", "--yes")
    (first,) = sample.ok("msg", "browse", "APP.A", "-o", "json").items
    sample.ok("msg", "move", "APP.A", "--to", "APP.B", "--new-msgid", "--yes")
    (copy,) = sample.ok("msg", "browse", "APP.B", "-o", "json").items
    assert first["msg_id"] != copy["msg_id"]
    sample.ok("msg", "purge", "APP.B", "--confirm", "APP.B")
    for ident in (first["msg_id"], copy["msg_id"]):
        rows = sample.ok("journal", "ls", "--msgid", ident, "-o", "json").items
        assert [(row["action"], row["queue"], row["target"]) for row in rows] == [
            ("purge", "APP.B", None),
            ("move", "APP.A", "APP.B"),
        ]
        assert rows[1]["new_msg_id"] == copy["msg_id"]


def test_the_history_of_a_message_has_the_times_of_the_journal(sample: Bench) -> None:
    """The queue manager's clock was 4 hours ahead, and nothing said which clock TIME was from."""
    sample.ok("emulator", "clock", "+4h")
    (message, *_) = sample.ok("msg", "browse", "PAYMENTS.IN", "-o", "json").items
    sample.ok("msg", "move", "PAYMENTS.IN", "--to", "OPS.PARKED", "--limit", "1", "--yes")
    (listed,) = sample.ok("journal", "ls", "-o", "json").items[:1]
    (row,) = sample.ok("journal", "ls", "--msgid", message["msg_id"], "-o", "json").items
    assert row["began"] == listed["began"] < row["message_time"]
    assert sample.ok("journal", "ls", "--msgid", message["msg_id"]).out.split()[0] == "BEGAN"


def test_a_message_that_was_skipped_says_why_in_its_history(sample: Bench) -> None:
    sample.run("delay", "reschedule", "--target", "PAYMENTS.IN", "--shift", "+5h", "--yes")
    (message,) = sample.ok("delay", "browse", "--target", "PAYMENTS.IN", "-o", "json").items
    (row,) = sample.ok("journal", "ls", "--msgid", message["msg_id"], "-o", "json").items
    assert (row["state"], row["target"]) == ("left", None)
    assert "expire" in row["reason"]


def test_an_id_of_a_message_that_is_no_operation_leads_to_its_history(sample: Bench) -> None:
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    for words in (("journal", "ls", "023500000041"), ("journal", "show", "023500000041")):
        assert "mqtriage journal ls --msgid 023500000041" in sample.run(*words).err
    ran = sample.ok("journal", "ls", "--msgid", "023500000041")
    assert "no operation on this message" in ran.err
    assert "applications get is not recorded: mqtriage queue status QUEUE --handles" in ran.err


def test_the_history_of_a_message_says_that_an_operation_was_undone_as_the_listing_does(
    sample: Bench,
) -> None:
    sample.define("APP.A", "APP.B")
    sample.ok("msg", "put", "APP.A", "one", "--yes")
    sample.ok("msg", "put", "APP.A", "two", "--yes")
    kept, given_back = sample.ok("msg", "browse", "APP.A", "-o", "json").items
    sample.ok("msg", "move", "APP.A", "--to", "APP.B", "--new-msgid", "--yes")
    copies = sample.ok("msg", "browse", "APP.B", "-o", "json").items
    sample.ok("msg", "purge", "APP.B", "--msgid", copies[0]["msg_id"], "--yes")
    sample.ok("journal", "undo", "--yes")
    sample.ok("msg", "purge", "APP.B", "--msgid", copies[0]["msg_id"], "--yes")
    move = sample.ok("journal", "ls", "move", "-o", "json").items[0]["op"]
    sample.run("journal", "undo", move, "--yes")  # one of two is still there

    def states(message: dict[str, str], *more: str) -> list[tuple[str, str]]:
        ran = sample.ok("journal", "ls", *more, "--msgid", message["msg_id"], "-o", "json")
        return [(row["action"], row["state"]) for row in ran.items]

    assert states(given_back) == [("undo", "done"), ("move", "undone")]
    assert states(kept) == [
        ("purge", "done"),
        ("undo", "done"),
        ("purge", "undone"),
        ("move", "done"),
    ]
    assert states(kept, "purge") == [("purge", "done"), ("purge", "undone")]


def test_the_history_of_a_message_shows_on_a_narrow_terminal_where_an_undo_put_it(
    sample: Bench,
) -> None:
    (message, *_) = sample.ok("msg", "browse", "PAYMENTS.IN", "-o", "json").items
    sample.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    sample.ok("journal", "undo", "--yes")
    sample.environ |= {"COLUMNS": "80", "NO_COLOR": "1"}
    ran = sample.run("journal", "ls", "--msgid", message["msg_id"], terminals=ON_A_TERMINAL)
    assert {"QUEUE", "TARGET", "STATE"} <= set(ran.out.split()), ran.out


def test_a_message_that_was_only_put_leads_to_the_puts_on_its_queue(sample: Bench) -> None:
    sample.define("APP.A")
    ident = sample.ok("msg", "put", "APP.A", "hello", "--yes").out.strip()
    ran = sample.ok("journal", "ls", "--msgid", ident)
    assert "puts and sweeps are recorded without MsgIds: mqtriage journal ls put QUEUE" in ran.err
    rows = sample.ok("journal", "ls", "put", "APP.A", "-o", "json").items
    assert [(row["action"], row["queue"]) for row in rows] == [("put", "APP.A")]


def test_an_empty_history_says_which_queue_managers_were_searched(sample: Bench) -> None:
    sample.environ["MQTRIAGE_QMGR"] = "QM1"
    history = ("journal", "ls", "--msgid", "023500000041")
    searched = "searched only operations on QM1 (MQTRIAGE_QMGR); -m '*' selects all queue managers"
    assert searched in sample.ok(*history).err
    assert "-m '*'" not in sample.ok(*history, "-m", "*").err


def test_an_archive_is_searched_for_the_id_that_the_sender_of_a_delayed_message_got(
    sample: Bench,
) -> None:
    ids = _staged(sample)
    sample.ok("delay", "cancel", "--msgid", ids["original_msg_id"], "--yes")
    for ident in (ids["original_msg_id"], ids["original_msg_id"][-12:]):
        ran = sample.ok("archive", "ls", "--msgid", ident, "-o", "json")
        assert ran.item["msg_id"] == ids["msg_id"]
        assert "the MsgId that the sender got" in ran.err
    assert sample.run("archive", "ls", "--msgid", "0" * 48).code == 5
