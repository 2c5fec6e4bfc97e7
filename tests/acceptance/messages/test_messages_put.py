"""`msg put`, also with --delay, as whole commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.mq import cmqc
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, file_words, hex_of


def test_put_prints_the_msg_id_of_each_message_and_nothing_else_on_stdout(estate: Estate) -> None:
    ran = estate.run("msg", "put", "IN", "hello", "--count", "3", "--yes")
    assert ran.code == 0
    assert ran.out.split() == [hex_of(message.md.msg_id) for message in estate.messages("IN")]
    assert estate.bodies("IN") == [b"hello"] * 3


@pytest.mark.parametrize("verb", [("msg", "put"), ("msg", "put", "--delay", "1h")])
def test_a_put_of_more_than_maxumsgs_takes_several_units_of_work(
    estate: Estate, verb: tuple[str, ...]
) -> None:
    with estate.connected() as mq:
        mq.alter("QMGR", "", {"MAXUMSGS": 7})
    ran = estate.run(*verb, "IN", "hello", "--count", "30", "--yes")
    assert (ran.code, len(ran.out.split())) == (0, 30)


def test_put_needs_yes_in_a_script_and_asks_on_a_terminal(estate: Estate) -> None:
    assert estate.run("msg", "put", "IN", "x").code == 8
    assert estate.run("msg", "put", "IN", "x", stdin="n\n", terminals=TERMINAL).code == 8
    assert estate.messages("IN") == []
    assert estate.run("msg", "put", "IN", "x", stdin="y\n", terminals=TERMINAL).code == 0


def test_put_dry_run_puts_nothing(estate: Estate) -> None:
    ran = estate.run("msg", "put", "IN", "x", "--dry-run", "-o", "json")
    assert (ran.code, ran.json["item"]["count"]) == (0, 1)
    assert estate.messages("IN") == []


def test_put_fills_the_descriptor_from_its_options(estate: Estate) -> None:
    estate.run("msg", "put", "IN", "x", "--correlid", "text:C", "--expiry", "30s", "--priority",
               "7", "--persistent", "--md-format", "MQADMIN", "--encoding", "273", "--reply-to",
               "OUT", "--report", "COD,MQRO_EXPIRATION_WITH_FULL_DATA", "--yes")  # fmt: skip
    (message,) = estate.messages("IN")
    md = message.md
    assert md.correl_id == b"C".ljust(24, b"\0")
    assert (md.expiry_tenths, md.priority, md.persistence) == (300, 7, 1)
    assert (md.format, md.encoding, md.reply_to_q) == ("MQADMIN", 273, "OUT")
    assert md.report == cmqc.MQRO_COD | cmqc.MQRO_EXPIRATION_WITH_FULL_DATA


def test_text_is_written_in_the_code_page_that_is_named(estate: Estate) -> None:
    estate.run("msg", "put", "IN", "ABC", "--ccsid", "500", "--yes")
    (message,) = estate.messages("IN")
    assert (message.body, message.md.ccsid) == (b"\xc1\xc2\xc3", 500)
    ran = estate.run("msg", "put", "IN", "日本", "--ccsid", "819", "--yes")
    assert ran.code == 2
    assert "819" in ran.err


def test_properties_make_an_rfh2_that_selects(estate: Estate) -> None:
    estate.run("msg", "put", "IN", "red one", "--prop", "Color=red", "--prop", "Size=4", "--yes")
    estate.run("msg", "put", "IN", "blue one", "--prop", "Color=blue", "--yes")
    (message,) = estate.run("msg", "browse", "IN", "--prop", "Color=red", "-o", "ndjson").lines
    assert (message["format"], message["body"]) == ("MQHRF2", "red one")
    assert message["headers"][0]["fields"]["format"] == "MQSTR"


def test_a_body_comes_from_a_file_or_from_standard_input(estate: Estate, tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(b"\x00\xff")
    assert estate.run("msg", "put", "IN", "--file", str(file), "--yes").code == 0
    assert estate.run("msg", "put", "IN", "-", "--yes", stdin="typed").code == 0
    from_file, typed = estate.messages("IN")
    assert (from_file.body, from_file.md.format) == (b"\x00\xff", "")
    assert (typed.body, typed.md.format) == (b"typed", "MQSTR")


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("x", "--file", "y"),
        ("x", "--count", "0"),
        ("x", "--priority", "10"),
        ("x", "--expiry", "never"),
        ("x", "--prop", "nameless"),
        ("x", "--prop", "not a name=1"),
        ("x", "--report", "CODE"),
        ("x", "--md-format", "TOO.LONG.NAME"),
        ("x", "--correlid", "zz"),
        ("x", "--ccsid", "99999"),
    ],
    ids=" ".join,
)
def test_put_refuses_what_it_cannot_understand(estate: Estate, argv: tuple[str, ...]) -> None:
    ran = estate.run("msg", "put", "IN", *argv, "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert estate.messages("IN") == []


def test_put_fails_with_the_reason_of_the_queue_manager(estate: Estate) -> None:
    assert estate.run("msg", "put", "NOT.THERE", "x", "--yes").code == 5
    estate.alter("IN", PUT="DISABLED")
    ran = estate.run("msg", "put", "IN", "x", "--yes", "-o", "json")
    assert ran.code == 1
    assert "MQRC_PUT_INHIBITED" in ran.err
    assert estate.run("msg", "put", "IN", "--file", "/not/there", "--yes").code == 5


def test_put_into_a_queue_that_fills_up_is_partly_done(estate: Estate) -> None:
    estate.alter("IN", MAXDEPTH=3)
    ran = estate.run("msg", "put", "IN", "x", "--count", "5", "--yes")
    assert ran.code == 3
    assert len(ran.out.split()) == len(estate.messages("IN")) == 3
    assert "2053" in ran.err
    assert estate.run("msg", "put", "IN", "x", "--yes").code == 1


def test_delay_put_prints_the_id_that_the_sender_sees(estate: Estate) -> None:
    ran = estate.run("msg", "put", "OUT", "later", "--delay", "1h", "--yes")
    (staged,) = estate.messages(STAGING)
    assert ran.out.split() == [hex_of(staged.md.correl_id)]
    estate.advance(3601)
    (arrived,) = estate.messages("OUT")
    assert hex_of(arrived.md.msg_id) == ran.out.strip()
    assert staged.body.endswith(arrived.body)
    assert (arrived.md.format, arrived.body[:4], arrived.body[-5:]) == ("MQHRF2", b"RFH ", b"later")


def test_several_files_are_delayed_in_one_unit_of_work(estate: Estate, tmp_path: Path) -> None:
    files = file_words(tmp_path, "aaa", "bbb", "ccc")
    words = ("msg", "put", "OUT", *files, "--delay", "1h")
    assert "put 3 messages on OUT" in estate.run(*words, "-n").out
    ran = estate.run(*words, "--yes")
    assert ran.code == 0
    staged = estate.messages(STAGING)
    assert ran.out.split() == [hex_of(message.md.correl_id) for message in staged]
    assert [message.body[-3:] for message in staged] == [b"aaa", b"bbb", b"ccc"]
    estate.alter(STAGING, MAXDEPTH=5)
    assert "would fail: " in estate.run(*words, "-n").out
    ran = estate.run(*words, "--yes")
    assert (ran.code, len(estate.messages(STAGING))) == (1, 3)
    estate.advance(3601)
    assert [body[-3:] for body in estate.bodies("OUT")] == [b"aaa", b"bbb", b"ccc"]


def test_verbose_shows_a_delayed_put_and_not_its_data(estate: Estate) -> None:
    ran = estate.run("msg", "put", "OUT", "later", "--delay", "90s", "--yes", "--verbose")
    assert "send OUT delay 90000 ms: MQCC_OK, 213 bytes, MsgId " in ran.err
    assert "later" not in ran.err


@pytest.mark.parametrize(
    "argv",
    [
        ("x", "--delay", "soon"),
        ("x", "--delay", "0s"),
        ("x", "--delay", "1h", "--ccsid", "37"),
    ],
    ids=" ".join,
)
def test_what_no_jms_client_can_send_is_wrong_usage(estate: Estate, argv: tuple[str, ...]) -> None:
    assert estate.run("msg", "put", "OUT", *argv, "--yes").code == 2
    assert estate.messages(STAGING) == []


def test_a_delayed_put_needs_yes_in_a_script(estate: Estate) -> None:
    assert estate.run("msg", "put", "OUT", "x", "--delay", "1h").code == 8
    assert estate.messages(STAGING) == []


@pytest.mark.parametrize("verb", ["msg", "delay"])
def test_a_put_to_a_model_queue_is_refused_since_the_message_would_be_gone(
    estate: Estate, verb: str
) -> None:
    delay = ("--delay", "1s") if verb == "delay" else ()
    ran = estate.run("msg", "put", "SYSTEM.DEFAULT.MODEL.QUEUE", "x", *delay, "--yes")
    assert (ran.code, ran.out) == (8, "")
    assert "a model queue" in ran.err


@pytest.mark.seed("DD-29")
def test_a_delayed_message_of_a_group_is_2046(estate: Estate) -> None:
    ran = estate.run("msg", "put", "OUT", "x", "--delay", "1h", "--yes",
                     "--prop", "JMSXGroupID=G", "--prop", "JMSXGroupSeq=2")  # fmt: skip
    assert (ran.code, "MQRC_OPTIONS_ERROR (2046)" in ran.err) == (1, True), ran.err
    assert estate.messages(STAGING) == []


@pytest.mark.parametrize("number", ["two", "0", "-1", "²", "9999999999"])
def test_a_place_in_a_group_is_a_number(estate: Estate, number: str) -> None:
    ran = estate.run("msg", "put", "OUT", "x", "--delay", "1h", "--yes",
                     "--prop", "JMSXGroupID=G", "--prop", f"JMSXGroupSeq={number}")  # fmt: skip
    assert (ran.code, "JMSXGroupSeq" in ran.err) == (2, True), ran.err


def test_a_damaged_header_is_put_as_it_is(estate: Estate, tmp_path: Path) -> None:
    """What tests how a program takes it."""
    file = tmp_path / "data"
    file.write_bytes(b"RFH no header")
    line = ("msg", "put", "IN", "--file", str(file), "--md-format", "MQHRF2", "--yes")
    assert estate.run(*line).code == 0
    assert estate.bodies("IN") == [b"RFH no header"]


def test_of_a_put_that_fails_half_way_the_rest_is_said_with_its_number(bench: Bench) -> None:
    bench.define(**{"APP.IN": "MAXDEPTH=3"})
    words = ("msg", "put", "APP.IN", "x", "--count", "7", "--yes")
    ran = bench.run(*words, "-o", "table")
    assert ran.code == 3
    assert "message 4: " in ran.out
    assert "4 messages not sent: run the command again with --count 4" in ran.err


def test_every_planned_message_of_a_put_that_fails_half_way_is_in_a_count(bench: Bench) -> None:
    bench.define(**{"APP.IN": "MAXDEPTH=5"})
    ran = bench.run("msg", "put", "APP.IN", "x", "--count", "8", "--yes", "-o", "json")
    counts = {"planned": 8, "done": 5, "skipped": 0, "failed": 1, "not_reached": 2}
    assert (ran.code, ran.json["item"]["counts"], ran.json["counts"]) == (3, counts, counts)
    assert [item["msg_id"] for item in ran.json["items"]].index(None) == 5
    ran = bench.run("msg", "put", "APP.IN", "x", "--count", "1", "--yes", "-n", "-o", "json")
    assert "not_reached" not in str(ran.json)


def test_no_count_puts_the_rest_of_several_messages(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmulatedBackend, "capabilities", frozenset())
    bench.define(**{"APP.IN": "MAXDEPTH=3"})
    files = file_words(tmp_path, "a", "b")
    ran = bench.run("msg", "put", "APP.IN", *files, "--count", "3", "--yes")
    assert ran.code == 3
    assert "3 messages not sent; journal resume does not put messages" in ran.err


def test_where_nothing_waits_to_be_resumed_all_failed_puts_are_counted(bench: Bench) -> None:
    bench.define(**{"APP.IN": "PUT=DISABLED"})
    assert bench.run("msg", "put", "APP.IN", "x", "--yes").code == 1
    assert "not sent: mqtriage journal ls" not in bench.run("journal", "resume", "-n").err
    for _ in range(2):
        assert bench.run("msg", "put", "APP.IN", "x", "--yes").code == 1
    err = bench.run("journal", "resume", "-n").err
    command = "journal ls put APP.IN failed -m QM1"
    assert f"3 puts on APP.IN left 3 messages not sent: mqtriage {command}\n" in err
    assert len(bench.ok(*command.split(), "-o", "json").items) == 3


@pytest.mark.parametrize("delay", [(), ("--delay", "30m")], ids=["now", "delayed"])
def test_of_a_put_for_which_there_is_no_room_the_rest_is_said_too(
    bench: Bench, delay: tuple[str, ...]
) -> None:
    full = STAGING if delay else "APP.IN"
    bench.define(**{"APP.IN": ""})
    bench.ok("queue", "set", full, "MAXDEPTH=7", "--yes")
    words = ("msg", "put", "APP.IN", "x", *delay, "--yes", "--count")

    def last() -> str:
        return str(bench.ok("journal", "ls", "-o", "json").items[0]["op"])

    assert bench.run(*words, "9").code == 3
    ran = bench.run("journal", "resume", last())
    assert "2 messages not sent: run the command again with --count 2;" in ran.err
    rest = "50 messages not sent: run the command again; journal resume does not put messages"
    ran = bench.run(*words, "50")
    assert ran.code == 1
    assert f"hint: {rest}; " in ran.err
    assert ("delay forecast" if delay else "queue status APP.IN") in ran.err
    op = last()
    ran = bench.run("journal", "resume", "-n")
    assert ran.code == 9
    assert f"operation {op} (put): {rest}" in ran.err
    assert f"2 puts on {full} left 52 messages not sent: mqtriage journal ls put {full}" in ran.err
    ran = bench.run("journal", "resume", op)
    assert ran.code == 2
    assert ran.error_line.endswith(f"operation {op} (put): {rest}")
    assert f"hint: mqtriage journal show {op} shows the command" in ran.err
    bench.ok("queue", "set", full, "MAXDEPTH=8", "--yes")
    ran = bench.run("journal", "resume", last())
    assert "(set) is done: there is nothing to resume" in ran.error_line
