"""Whole commands that read messages: what they print, where, and that nothing is taken."""

from __future__ import annotations

import csv
import io
import os
import re
import threading
from pathlib import Path

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.mq import cmqc
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of
from tests.unit.model.test_json_promise import PROMISES

READERS = [
    ("msg", "browse", "IN"),
    ("msg", "count", "IN"),
    ("delay", "browse"),
    ("delay", "browse", "--group", "target"),
    ("backout", "pending"),
    ("backout", "browse", "IN"),
    ("expiry", "browse", "IN"),
    ("dlq", "browse", "IN"),
]


@pytest.mark.seed("CARD-03")
@pytest.mark.parametrize("argv", READERS, ids=" ".join)
@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md"])
@pytest.mark.slow
def test_every_reader_has_data_in_every_form_and_takes_nothing(
    estate: Estate, argv: tuple[str, ...], form: str
) -> None:
    estate.put("IN", b"one", b"two")
    estate.roll_back("IN", 1)
    estate.delayed("OUT", b"later")
    ran = estate.run(*argv, "-o", form)
    assert ran.code == 0
    assert ran.out.strip()
    assert estate.bodies("IN") == [b"one", b"two"]
    assert len(estate.messages(STAGING)) == 1


@pytest.mark.parametrize("argv", [("msg", "browse", "IN"), *READERS[4:]], ids=" ".join)
def test_a_json_listing_says_at_its_end_how_many_messages_it_has(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    assert estate.run(*argv, "-o", "json").json["summary"]["message_count"] == 0
    estate.put("IN", b"one", b"two")
    estate.roll_back("IN", 2)
    ran = estate.run(*argv, "-o", "json")
    assert ran.json["summary"]["message_count"] == len(ran.json["items"]) > 0


@pytest.mark.parametrize("argv", [reader for reader in READERS if reader[1] == "browse"])
def test_a_listing_prints_ids_one_a_line(estate: Estate, argv: tuple[str, ...]) -> None:
    ids = estate.put("IN", b"one", b"two")
    estate.delayed("OUT", b"later")
    ran = estate.run(*argv, "-o", "ids")
    assert ran.code == 0
    if argv[0] != "delay":
        assert ran.out.split() == [hex_of(ident) for ident in ids]
    else:
        assert len(ran.out.split()) == 1


@pytest.mark.seed("EX-12")
@pytest.mark.parametrize("argv", READERS, ids=" ".join)
def test_a_reader_says_once_that_browsing_can_discard_where_something_has_expired(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    note = "can make the queue manager discard expired messages"
    assert note not in estate.run(*argv, "-o", "json").err
    estate.put("IN", b"soon gone", expiry_tenths=10)
    with estate.connected() as backend:
        lifecycle.switch(backend.manager, "expirer_interval_s", "off")
    estate.advance(2)
    assert note not in estate.run(*argv, "-o", "nonsense").err
    is_of_another_queue = argv[0] == "delay"
    notes = estate.run(*argv, "-o", "json").err.count(note)
    assert notes == (0 if is_of_another_queue else 1)


@pytest.mark.seed("EX-12")
@pytest.mark.parametrize("argv", READERS, ids=" ".join)
def test_no_expiry_effects_refuses_to_browse(estate: Estate, argv: tuple[str, ...]) -> None:
    estate.put("IN", b"soon gone", expiry_tenths=10)
    estate.advance(2)
    ran = estate.run(*argv, "--no-expiry-effects")
    assert ran.code == 8
    shows = {"delay browse": "delay status", "backout pending": "backout ls"}
    hint = shows.get(" ".join(argv[:2]), "expiry status IN")
    assert f"hint: mqtriage {hint} " in ran.err
    with estate.connected() as backend:
        assert backend.status("IN").curdepth == 1


@pytest.mark.seed("EX-17")
def test_an_expired_message_is_not_listed(estate: Estate) -> None:
    estate.put("IN", b"short", expiry_tenths=10)
    estate.put("IN", b"long")
    estate.advance(2)
    ran = estate.run("expiry", "browse", "IN", "-o", "ndjson")
    assert [record["body"] for record in ran.lines] == ["long"]


@pytest.mark.parametrize(
    "argv",
    [
        ("msg", "browse", "NOT.THERE"),
        ("msg", "count", "NOT.THERE"),
        ("backout", "browse", "NOT.THERE"),
        ("expiry", "browse", "NOT.THERE"),
        ("dlq", "browse", "NOT.THERE"),
        ("msg", "show", "NOT.THERE", "ID:01"),
        ("msg", "show", "IN", "ID:01"),
        ("msg", "show", STAGING, "ID:01"),
        ("dlq", "browse"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_is_exit_5(estate: Estate, argv: tuple[str, ...]) -> None:
    ran = estate.run(*argv)
    assert ran.code == 5
    assert ran.out == ""
    assert "error: " in ran.err


@pytest.mark.parametrize(
    "argv",
    [
        ("msg", "browse", "IN", "--msgid", "xyz"),
        ("msg", "browse", "IN", "--older-than", "soon"),
        ("msg", "browse", "IN", "--columns", "nonsense"),
        ("delay", "browse", "--by", "colour"),
        ("delay", "browse", "--group", "colour"),
        ("delay", "browse", "--assume-ddh", "put"),
        ("msg", "show"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_2(estate: Estate, argv: tuple[str, ...]) -> None:
    ran = estate.run(*argv)
    assert (ran.code, ran.out) == (2, "")


def test_a_stopped_queue_manager_is_exit_7(estate: Estate) -> None:
    from mqtriage.emulator.admin import lifecycle

    with estate.connected() as backend:
        lifecycle.stop(backend.manager)
    assert estate.run("msg", "browse", "IN").code == 7


@pytest.mark.parametrize("argv", READERS, ids=" ".join)
def test_fail_empty_is_exit_9(estate: Estate, argv: tuple[str, ...]) -> None:
    assert estate.run(*argv).code == 0
    assert estate.run(*argv, "--fail-empty").code == 9


def test_ndjson_has_text_in_body_and_bytes_in_body_hex(estate: Estate) -> None:
    estate.put("IN", "naïve".encode())
    estate.put("IN", b"\x00\xff\x01", format="")
    text, data = estate.run("msg", "browse", "IN", "-o", "ndjson").lines
    assert (text["body"], text["body_hex"]) == ("naïve", None)
    assert (data["body"], data["body_hex"]) == (None, "00FF01")


def test_hex_and_text_choose_how_bodies_are_told(estate: Estate) -> None:
    estate.put("IN", b"A\xff")
    (as_hex,) = estate.run("msg", "browse", "IN", "-o", "ndjson", "--hex").lines
    (as_text,) = estate.run("msg", "browse", "IN", "-o", "ndjson", "--text").lines
    assert (as_hex["body"], as_hex["body_hex"]) == (None, "41FF")
    assert (as_text["body"], as_text["body_hex"]) == ("A\\xff", None)


def test_a_broken_header_is_a_field_of_the_record_and_not_the_end(estate: Estate) -> None:
    estate.put("IN", b"RFH \x00\x00\x00\x02\x7f\xff\xff\xff" + bytes(24), format="MQHRF2")
    estate.put("IN", b"whole")
    broken, whole = estate.run("msg", "browse", "IN", "-o", "ndjson").lines
    assert any("StrucLength" in text for text in broken["damages"])
    assert (whole["body"], whole["damages"]) == ("whole", [])


def test_csv_has_every_field_with_its_value(estate: Estate) -> None:
    estate.put("IN", b"hello")
    ran = estate.run("msg", "browse", "IN", "-o", "csv")
    (row,) = csv.DictReader(io.StringIO(ran.out))
    assert (row["body"], row["format"], row["queue"]) == ("hello", "MQSTR", "IN")


def test_limit_counts_sorted_messages_when_there_is_a_sort(estate: Estate) -> None:
    for body in (b"4444", b"1", b"333", b"22"):
        estate.put("IN", body)
    args = ("msg", "browse", "IN", "--limit", "2", "-o", "ndjson")
    plain = estate.run(*args).lines
    by_length = estate.run(*args, "--sort", "length_bytes").lines
    assert [record["length_bytes"] for record in plain] == [4, 1]
    assert [record["length_bytes"] for record in by_length] == [1, 2]


def test_ids_from_a_listing_and_from_an_archive_select_their_messages(
    estate: Estate, tmp_path: Path
) -> None:
    first, second, third = estate.put("IN", *(body * 5000 for body in (b"a", b"b", b"c")))
    listing = estate.run("msg", "browse", "IN", "--msgid", hex_of(second), "-o", "ndjson").out
    (tmp_path / "listed.ndjson").write_text(f"# before the repair\n{listing}{hex_of(first)}\n")
    for name in ("archive.ndjson", "archive.ndjson.gz"):
        out = str(tmp_path / name)
        estate.run("msg", "archive", "IN", "--msgid", hex_of(third), "--out", out)
    for files, expected in (
        (["listed.ndjson"], [first, second]),
        (["archive.ndjson"], [third]),
        (["archive.ndjson.gz"], [third]),
        (["archive.ndjson", "listed.ndjson"], [first, second, third]),
    ):
        words = [word for name in files for word in ("--ids-from", str(tmp_path / name))]
        ran = estate.run("msg", "purge", "IN", *words, "-n", "-o", "json")
        planned = [message["msg_id"] for message in ran.json["item"]["messages"]]
        assert planned == list(map(hex_of, expected)), files
    ran = estate.run("msg", "browse", "IN", "--ids-from", "-", "-o", "ids", stdin=listing)
    assert ran.out.split() == [hex_of(second)]


@pytest.mark.parametrize("form", ["dmpmqmsg", "dmpmqmsg-text"])
@pytest.mark.parametrize("name", ["dump", "-"])
def test_ids_from_a_dump_select_its_messages(
    estate: Estate, tmp_path: Path, form: str, name: str
) -> None:
    first, second, _ = estate.put("IN", b"one", b"~" * 5000, b"three")
    dump = tmp_path / "dump"
    words = ("--limit", "2", "--out", str(dump), "--format", form)
    assert estate.run("msg", "archive", "IN", *words).code == 0
    where = str(dump) if name == "dump" else "-"
    stdin = dump.read_text()
    ran = estate.run("msg", "browse", "IN", "--ids-from", where, "-o", "ids", stdin=stdin)
    assert ran.out.split() == [hex_of(first), hex_of(second)]
    ran = estate.run("msg", "purge", "IN", "--ids-from", where, "--yes", stdin=stdin)
    assert (ran.code, estate.bodies("IN")) == (0, [b"three"]), ran.err


def test_ids_from_a_dump_on_standard_input_may_have_other_bytes_than_utf_8(estate: Estate) -> None:
    (ident,) = estate.put("IN", b"one")
    dump = f"* QLOAD\nA MSI {hex_of(ident)}\nA VER 2\nS caf\udce9\n\n"
    ran = estate.run("msg", "browse", "IN", "--ids-from", "-", "-o", "ids", stdin=dump)
    assert (ran.code, ran.out.split()) == (0, [hex_of(ident)])


def test_ids_from_a_damaged_dump_select_nothing(estate: Estate, tmp_path: Path) -> None:
    estate.put("IN", b"one", b"two")
    dump = tmp_path / "dump"
    estate.run("msg", "archive", "IN", "--out", str(dump), "--format", "dmpmqmsg")
    dump.write_text(re.sub("A MSI [0-9A-F]*", "A MSI 4142", dump.read_text(), count=1))
    (line,) = (n for n, text in enumerate(dump.read_text().splitlines(), 1) if "MSI 4142" in text)
    ran = estate.run("msg", "purge", "IN", "--ids-from", str(dump), "--yes")
    assert (ran.code, estate.bodies("IN")) == (2, [b"one", b"two"])
    assert f"--ids-from, line {line}: MSI: 2 bytes, the field has 24" in ran.err
    assert "mqtriage archive ls FILE -o ids | " in ran.err
    ran = estate.run("msg", "load", str(dump), "--to", "OUT", "--yes")
    assert (ran.code, estate.bodies("OUT")) == (8, [])
    assert f"line {line}: MSI: 2 bytes, the field has 24" in ran.err


def test_ids_from_a_compressed_archive_that_was_truncated_select_nothing(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"one", b"two")
    archive = tmp_path / "archive.ndjson.gz"
    estate.run("msg", "archive", "IN", "--out", str(archive))
    archive.write_bytes(archive.read_bytes()[:-9])
    ran = estate.run("msg", "purge", "IN", "--ids-from", str(archive), "--yes")
    assert (ran.code, estate.bodies("IN")) == (1, [b"one", b"two"]), ran.err
    assert f"--ids-from {archive}: the compressed data is truncated at byte" in ran.err


def test_a_compressed_archive_in_a_pipe_is_refused_with_the_pipeline_that_selects_its_messages(
    estate: Estate, tmp_path: Path
) -> None:
    one, _ = estate.put("IN", b"one", b"two")
    archive, pipe = tmp_path / "archive.ndjson.gz", tmp_path / "pipe"
    estate.run("msg", "archive", "IN", "--limit", "1", "--out", str(archive))
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(archive.read_bytes(),), daemon=True)
    writer.start()
    ran = estate.run("msg", "browse", "IN", "--ids-from", str(pipe))
    writer.join()
    assert (ran.code, "--ids-from, line 1: this is compressed data" in ran.err) == (2, True)
    assert "mqtriage archive ls FILE -o ids | COMMAND --ids-from -" in ran.err
    ids = estate.run("archive", "ls", str(archive), "-o", "ids").out
    ran = estate.run("msg", "browse", "IN", "--ids-from", "-", "-o", "ids", stdin=ids)
    assert ran.out.split() == [hex_of(one)]


@pytest.mark.parametrize(
    ("line", "text"),
    [('{"a": 1}', "the JSON has no msg_id"), ('{"msg_id": 5}', "the JSON has no msg_id"),
     ('{"msg_id": "41', "the line is not JSON"), ('{"msg_id": "zz"}', "--ids-from, line 2:")],
)  # fmt: skip
def test_a_line_in_json_without_an_id_is_refused(estate: Estate, line: str, text: str) -> None:
    lines = f"{'4D' * 24}\n{line}\n"
    ran = estate.run("msg", "browse", "IN", "--ids-from", "-", stdin=lines)
    assert (ran.code, "line 2" in ran.err, text in ran.err) == (2, True, True), ran.err


def test_ids_from_standard_input_select(estate: Estate) -> None:
    _, second = estate.put("IN", b"one", b"two")
    ran = estate.run(
        "msg", "browse", "IN", "--ids-from", "-", "-o", "ndjson", stdin=hex_of(second) + "\n"
    )
    assert [record["body"] for record in ran.lines] == ["two"]


def test_the_bytes_of_an_id_and_the_parts_of_a_selection_are_told_on_stderr(
    estate: Estate,
) -> None:
    ran = estate.run(
        "msg", "browse", "IN", "--correlid", "text:A", "--backout", ">=1", "--explain-select"
    )
    assert "41" + "00" * 23 in ran.err
    assert "queue manager: correl_id" in ran.err
    assert "mqtriage: backout >= 1" in ran.err


def bodies_of(estate: Estate, *options: str) -> list[str]:
    ran = estate.run("msg", "browse", "IN", *options, "-o", "json")
    assert ran.code == 0, ran.err
    return [item["body"] for item in ran.json["items"]]


def test_a_selection_string_selects(estate: Estate) -> None:
    for body, colour in (("cherry", "red"), ("plum", "blue"), ("apple", "red")):
        ran = estate.run("msg", "put", "IN", body, "--prop", f"Color={colour}", "--yes")
        assert ran.code == 0, ran.err
    assert bodies_of(estate, "--selector", "Color = 'red'") == ["cherry", "apple"]
    both = ("--selector", "Color = 'blue'", "--selector", "Root.MQMD.Priority > 8 OR FALSE")
    assert bodies_of(estate, *both) == ["plum"]
    with_where = ("--selector", "Color = 'red'", "--where", "body contains 'apple'")
    assert bodies_of(estate, *with_where) == ["apple"]
    ran = estate.run("msg", "count", "IN", "--selector", "Color = 'red'", "--explain-select")
    assert "queue manager: selection string Color = 'red'" in ran.err
    ran = estate.run("msg", "purge", "IN", "--selector", "Color = 'red'", "--yes")
    assert ran.code == 0, ran.err
    assert bodies_of(estate) == ["plum"]
    (archived,) = estate.run("archive", "ls", "-o", "json").json["items"]
    chosen = ("--selector", "Color = 'red'", "--where", "body contains 'cherry'")
    ran = estate.run("archive", "copy", archived["archive"], *chosen, "-o", "json")
    assert ran.json["item"]["message_count"] == 1, ran.err


@pytest.mark.parametrize(
    ("selector", "error"),
    [("Color =", "column 8"), ("1 = 2", "MQRC_SELECTOR_ALWAYS_FALSE (2504)"), ("", "is empty")],
)
def test_a_bad_selection_string_is_wrong_usage(estate: Estate, selector: str, error: str) -> None:
    ran = estate.run("msg", "browse", "IN", "--selector", selector)
    assert ran.code == 2
    assert error in ran.err


def test_show_tells_of_other_messages_with_the_same_id(estate: Estate) -> None:
    same = bytes(range(24))
    estate.put("IN", b"first", b"second", msg_id=same)
    ran = estate.run("msg", "show", "IN", hex_of(same), "-o", "json")
    second = estate.run("msg", "show", "IN", hex_of(same), "--nth", "2", "-o", "json")
    assert ran.json["item"]["body"] == "first"
    assert "2 messages" in ran.json["warnings"][0]
    assert second.json["item"]["body"] == "second"
    assert estate.run("msg", "show", "IN", hex_of(same), "--nth", "3").code == 5


@pytest.mark.seed("CARD-20", "DD-52", "DD-53", "DD-02", "DD-10")
@pytest.mark.parametrize("form", ["{}", "ID:{}"])
def test_delay_browse_finds_a_staged_message_by_the_id_its_sender_got(
    estate: Estate, form: str
) -> None:
    _, msg_id, _ = estate.delayed("OUT", b"a", b"b", b"c")
    (message,) = estate.run(
        "delay", "browse", "--correlid", form.format(hex_of(msg_id)), "-o", "ndjson"
    ).lines
    assert message["original_msg_id"] == hex_of(msg_id)
    assert message["msg_id"] != hex_of(msg_id)
    assert (message["body"], message["target"]) == ("b", "OUT")
    assert (message["state"], message["delay_ms"], message["in_ms"]) == (
        "waiting",
        3_600_000,
        3_600_000,
    )
    assert message["ddh_time_basis"] == "emulator"
    assert message["ddh_time"].startswith(message["due_time"].removesuffix("Z"))
    assert len(estate.messages(STAGING)) == 3


@pytest.mark.seed("DD-50")
def test_delay_browse_without_a_match_is_an_empty_list(estate: Estate) -> None:
    estate.delayed("OUT", b"a")
    ran = estate.run("delay", "browse", "--correlid", "ID:01", "-o", "json")
    assert (ran.code, ran.json["items"]) == (0, [])


def test_delay_browse_orders_and_groups(estate: Estate) -> None:
    estate.delayed("OUT", b"late", delay_ms=9_000_000)
    estate.delayed("IN", b"soon", delay_ms=1_000_000)
    estate.delayed("OUT", b"middle", delay_ms=5_000_000)

    def order(*args: str) -> list[str]:
        ran = estate.run("delay", "browse", *args, "-o", "ndjson")
        return [record["body"] for record in ran.lines]

    assert order() == ["late", "soon", "middle"]
    assert order("--by", "due") == ["soon", "middle", "late"]
    assert order("--by", "due", "--limit", "1") == ["soon"]
    assert order("--by", "target") == ["soon", "middle", "late"]
    groups = estate.run("delay", "browse", "--group", "target", "-o", "ndjson").lines
    assert [(group["target"], group["message_count"]) for group in groups] == [
        ("IN", 1),
        ("OUT", 2),
    ]
    assert groups[1]["next_due_time"] < groups[1]["last_due_time"]


def test_overdue_finds_what_a_shut_target_keeps_on_staging(estate: Estate) -> None:
    estate.delayed("OUT", b"stuck", delay_ms=1_000)
    estate.delayed("OUT", b"waiting")
    estate.alter("OUT", PUT="DISABLED")
    estate.advance(10)
    ran = estate.run("delay", "browse", "--overdue", "-o", "ndjson")
    assert [(message["body"], message["state"]) for message in ran.lines] == [("stuck", "overdue")]


def test_delay_show_finds_by_either_id(estate: Estate) -> None:
    (original,) = estate.delayed("OUT", b"later")
    (staged,) = estate.messages(STAGING)
    by_original = estate.run("msg", "show", STAGING, hex_of(original), "-o", "json")
    by_own = estate.run("msg", "show", STAGING, hex_of(staged.md.msg_id), "-o", "json")
    assert by_original.json["item"] == by_own.json["item"]
    assert by_own.json["item"]["headers"][0]["fields"]["original"]["msg_id"] == hex_of(original)


def test_show_takes_headers_apart_unless_asked_not_to(estate: Estate) -> None:
    """`--decode` is what it does anyway; operators look for the option by that name."""
    estate.delayed("OUT", b"later")
    (staged,) = estate.messages(STAGING)
    of_it = (hex_of(staged.md.msg_id), "-o", "json")
    for verb in (("msg", "show", STAGING),):
        decoded = estate.run(*verb, *of_it).json["item"]
        assert estate.run(*verb, *of_it, "--decode").json["item"] == decoded
        assert [header["name"] for header in decoded["headers"]] == ["DDH"]
        assert estate.run(*verb, *of_it, "--body", "hex").json["item"]["body_hex"] == "6C61746572"
        raw = estate.run(*verb, *of_it, "--no-decode").json["item"]
        assert (raw["headers"], raw["body"]) == ([], None)
        assert bytes.fromhex(raw["body_hex"]) == staged.body


def test_text_without_headers_is_text_with_no_decode_too(estate: Estate) -> None:
    (message,) = estate.put("IN", b"plain", format="MQSTR")
    ran = estate.run("msg", "show", "IN", hex_of(message), "--no-decode", "-o", "json")
    assert ran.json["item"]["body"] == "plain"


@pytest.mark.seed("EX-10")
def test_expiry_browse_shows_what_is_left_and_when_it_ends(estate: Estate) -> None:
    estate.put(
        "IN", b"x", expiry_tenths=600, report=cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, reply_to_q="OUT"
    )
    estate.put("IN", b"y")
    estate.advance(20)
    first, second = estate.run("expiry", "browse", "IN", "-o", "ndjson").lines
    (got, _) = estate.messages("IN")
    assert first["expiry_tenths"] == got.md.expiry_tenths == 400
    assert first["expiry_report"] == "exp-full"
    assert (second["expires_at"], second["expiry_report"]) == (None, "none")
    assert first["expires_at"].endswith("Z")


@pytest.mark.seed("PM-05", "BO-18")
@pytest.mark.parametrize("at_least", [None, "1"])
def test_backout_pending_lists_what_is_near_or_over(estate: Estate, at_least: str | None) -> None:
    estate.alter("IN", BOTHRESH=3, BOQNAME="OUT")
    estate.queue("OFF")
    estate.put("IN", b"poison")
    estate.put("OFF", b"rolled back")
    estate.roll_back("IN", 1)
    estate.roll_back("OFF", 1)
    extra = () if at_least is None else ("--min-backout", at_least)
    pending = estate.run("backout", "pending", *extra, "-o", "ndjson").lines
    # one rollback of three is neither near nor over; where BOTHRESH is 0 any counts
    assert [(message["queue"], message["state"]) for message in pending] == (
        [("OFF", "off")] if at_least is None else [("IN", "near"), ("OFF", "off")]
    )
    estate.roll_back("IN", 2)
    (now,) = estate.run("backout", "pending", "IN", "-o", "ndjson").lines
    assert (now["backout_count"], now["backout_threshold"], now["state"]) == (3, 3, "poison")


def test_backout_pending_names_a_queue_that_cannot_be_read_and_goes_on(estate: Estate) -> None:
    estate.queue("AAA")
    estate.put("AAA", b"hidden")
    estate.put("IN", b"rolled back")
    estate.roll_back("IN", 1)
    estate.alter("AAA", GET="DISABLED")
    ran = estate.run("backout", "pending", "-o", "json")
    assert [item["queue"] for item in ran.json["items"]] == ["IN"]
    assert "2016" in ran.json["warnings"][0]


def _jms(destination: str, body: bytes) -> bytes:
    header = rfh2.build_jms("jms_text", destination, Following("MQSTR", 546, 1208), put_time_ms=0)
    return rfh2.encode(header) + body


def test_backout_browse_says_how_sure_the_origin_is(estate: Estate) -> None:
    estate.alter("IN", BOTHRESH=3, BOQNAME="OUT")
    estate.put("OUT", _jms("queue:///IN", b"x"), format="MQHRF2", encoding=273)
    estate.put("OUT", b"plain")
    sure, likely = estate.run("backout", "browse", "OUT", "-o", "ndjson").lines
    assert (sure["origin"], sure["origin_sure"]) == ("IN", "sure")
    assert sure["origin_evidence"] == "JMS destination IN"
    assert (likely["origin"], likely["origin_sure"]) == ("IN", "likely")
    only = "no JMS destination but this queue; the only queue whose BOQNAME leads here"
    assert likely["origin_evidence"] == only
    estate.queue("SECOND", BOTHRESH=2, BOQNAME="OUT")
    _, unknown = estate.run("backout", "browse", "OUT", "-o", "ndjson").lines
    assert (unknown["origin"], unknown["origin_sure"]) == (None, "unknown")
    assert unknown["origin_candidates"] == ["IN", "SECOND"]
    two = "no JMS destination but this queue; 2 queues have a BOQNAME that leads here"
    assert unknown["origin_evidence"] == two


def _dead(body: bytes) -> bytes:
    header = dlh.DLH(reason=2053, dest_q_name="ORDERS.IN", dest_q_mgr_name="QM1", encoding=546,
                     ccsid=1208, format="MQSTR", put_appl_type=6, put_appl_name="amqrmppa",
                     put_date="20260131", put_time="10000025")  # fmt: skip
    return dlh.encode(header) + body


def test_dlq_browse_takes_deadq_and_reads_the_header(estate: Estate) -> None:
    estate.queue("DEAD.Q")
    estate.alter("QM1", DEADQ="DEAD.Q")
    estate.put("DEAD.Q", _dead(b"lost"), format="MQDEAD")
    estate.put("DEAD.Q", b"no header at all")
    dead, bare = estate.run("dlq", "browse", "-o", "ndjson").lines
    assert (dead["reason"], dead["reason_name"]) == (2053, "MQRC_Q_FULL")
    assert (dead["dest_q"], dead["dlq_put_appl_name"]) == ("ORDERS.IN", "amqrmppa")
    assert (dead["body"], dead["body_format"]) == ("lost", "MQSTR")
    assert dead["headers"][0]["name"] == "MQDLH"
    assert (bare["reason"], bare["body"]) == (None, "no header at all")
    only = estate.run("dlq", "browse", "--reason", "MQRC_Q_FULL", "-o", "ids")
    assert only.out.split() == [dead["msg_id"]]


def test_on_a_terminal_the_default_is_a_table_and_elsewhere_plain(estate: Estate) -> None:
    estate.put("IN", b"one")
    table = estate.run("msg", "browse", "IN", terminals=TERMINAL).out
    plain = estate.run("msg", "browse", "IN").out
    assert "\x1b[" in table or "─" in table or "━" in table
    assert "\x1b[" not in plain and plain.startswith("MSGID")


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (("msg", "browse", "IN"), "Message"),
        (("delay", "browse"), "StagedMessage"),
        (("dlq", "browse", "IN"), "DeadLetter"),
        (("backout", "browse", "IN"), "BackoutMessage"),
        (("backout", "pending"), "PendingMessage"),
        (("expiry", "browse", "IN"), "ExpiringMessage"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_a_json_record_has_exactly_the_promised_keys(
    estate: Estate, argv: tuple[str, ...], kind: str
) -> None:
    estate.put("IN", b"one")
    estate.roll_back("IN", 1)
    estate.delayed("OUT", b"later")
    fields, _ = PROMISES[kind]
    listing = estate.run(*argv, "-o", "json").json
    assert listing["kind"] == f"{kind}List"
    assert {*listing["items"][0]} == {field.key for field in fields}


@pytest.mark.seed("DD-80")
def test_a_message_whose_lifetime_ends_before_its_delay_is_doomed(estate: Estate) -> None:
    estate.run("msg", "put", "OUT", "x", "--delay", "1h", "--expiry", "1h", "--yes")
    estate.run("msg", "put", "OUT", "y", "--delay", "1h", "--expiry", "2h", "--yes")
    doomed, waiting = estate.run("delay", "browse", "-o", "ndjson").lines
    assert (doomed["state"], waiting["state"]) == ("doomed", "waiting")


def test_show_takes_the_columns_that_browse_takes(estate: Estate) -> None:
    estate.put("IN", b'{"order": {"id": 7}}', reply_to_q="OUT")
    names = "put_time,put_appl,user,reply_to,backout,LENGTH,body.order.id,prop.region"
    for form in ("json", "csv", "ndjson"):
        shown = estate.run("msg", "show", "IN", "--columns", names, "-o", form)
        assert shown.code == 0, shown.err
        listed = estate.run("msg", "browse", "IN", "--columns", names, "-o", form)
        if form == "json":
            assert shown.json["item"] == listed.json["items"][0]
        else:
            assert shown.out == listed.out
    text = estate.run("msg", "show", "IN", "--columns", "reply_to,body.order.id").out
    assert [line.split() for line in text.splitlines()] == [
        ["reply", "to", "q", "OUT"],
        ["body.order.id", "7"],
    ]
    ran = estate.run("msg", "show", "IN", "--columns", "put_apl")
    assert (ran.code, "nearest: put_appl_type, put_appl_name" in ran.err) == (2, True)


def test_show_without_an_id_shows_the_first_message(estate: Estate) -> None:
    estate.put("IN", b"first", b"second")
    for words, body in ((), "first"), (("--nth", "2"), "second"):
        ran = estate.run("msg", "show", "IN", *words, "-o", "json")
        assert (ran.json["item"]["body"], ran.json["warnings"]) == (body, []), words
    ran = estate.run("msg", "show", "OUT")
    assert (ran.code, "no such message on OUT" in ran.err) == (5, True)
    estate.delayed("IN", b"later")
    assert (
        estate.run("msg", "show", "SYSTEM.DDELAY.LOCAL.QUEUE", "-o", "json").json["item"]["target"]
        == "IN"
    )


def test_a_jms_message_is_shown_with_its_properties_once(bench: Bench) -> None:
    bench.define("APP.IN")
    bench.ok("msg", "put", "APP.IN", "hello", "--prop", "region=EU", "--delay", "1s", "--yes")
    bench.ok("emulator", "clock", "QM1", "+5s")
    (message,) = bench.ok("msg", "browse", "APP.IN", "-o", "json").items
    words = ("msg", "show", "APP.IN", message["msg_id"])
    text = bench.ok(*words).out
    assert re.search(r"^ *region +EU$", text, re.MULTILINE)
    assert "<region>EU</region>" in text
    assert not re.search(r"^ *value +EU", text, re.MULTILINE)
    (header,) = bench.ok(*words, "-o", "json").item["headers"]
    assert any(folder["properties"] for folder in header["fields"]["folders"])
