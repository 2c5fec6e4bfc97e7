"""`msg archive` and `msg load`: what is written comes back, and what is damaged is refused."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.mq import cmqc
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.load.plan import LoadRequest, _scan, _there
from tests.acceptance.messages.estate import Estate, hex_of

BODIES = (b"", b"plain text", b'say "hi" ~ and go', bytes(range(256)) * 3)


def filled(estate: Estate) -> list[Message]:
    """Messages on IN whose descriptors differ in every field that a put takes."""
    with estate.connected() as backend:
        for number, body in enumerate(BODIES, 1):
            md = MQMD(
                msg_type=2,
                expiry_tenths=36_000 * number,
                feedback=number,
                encoding=273,
                ccsid=819,
                format="MQSTR" if number == 2 else "",
                priority=3,
                persistence=number % 2,
                msg_id=bytes([number]) * 24,
                correl_id=bytes([number + 100]) * 24,
                reply_to_q="OUT",
                user_identifier=f"user{number}",
                accounting_token=bytes(range(32)),
                appl_identity_data="clerk",
                put_appl_type=28,
                put_appl_name="loader",
                put_date="20260105",
                put_time=f"1019301{number}",
                appl_origin_data="abcd",
            )
            backend.put1("IN", md, body, cmqc.MQPMO_SET_ALL_CONTEXT)
    return estate.messages("IN")


def alike(messages: list[Message]) -> list[tuple[MQMD, bytes]]:
    return [(message.md, message.body) for message in messages]


@pytest.mark.parametrize(
    "form",
    [
        pytest.param([], id="ndjson"),
        pytest.param(["--format", "dmpmqmsg"], id="dmpmqmsg"),
        pytest.param(["--format", "dmpmqmsg-text"], id="dmpmqmsg-with-text"),
    ],
)
def test_what_was_archived_is_loaded_with_every_field_and_byte(
    estate: Estate, tmp_path: Path, form: list[str]
) -> None:
    before = filled(estate)
    out = str(tmp_path / "kept")
    ran = estate.run("msg", "archive", "IN", "--out", out, *form, "-o", "json")
    assert (ran.code, ran.json["item"]["message_count"]) == (0, len(BODIES))
    assert alike(estate.messages("IN")) == alike(before)  # nothing was taken
    assert estate.run("msg", "load", out, "--to", "OUT", "--yes").code == 0
    assert alike(estate.messages("OUT")) == alike(before)


def test_only_what_is_selected_is_archived(estate: Estate, tmp_path: Path) -> None:
    estate.put("IN", b"1", b"2", b"3")
    out = tmp_path / "kept.dump"
    argv = ("msg", "archive", "IN", "--limit", "2", "--format", "dmpmqmsg")
    assert estate.run(*argv, "--out", str(out)).code == 0
    assert out.read_text().count("* Index") == 2


def test_without_a_name_the_copy_is_an_archive_that_nobody_else_can_read(estate: Estate) -> None:
    estate.put("IN", b"1")
    ran = estate.run("msg", "archive", "IN", "-o", "json")
    path = Path(ran.json["item"]["archive"])
    assert path.parent == estate.folder / "archive"
    assert path.stat().st_mode & 0o777 == 0o600
    kinds = [json.loads(line)["kind"] for line in path.read_text().splitlines()]
    assert kinds == ["Archive", "Message", "End"]


def test_a_file_that_is_there_is_not_overwritten(estate: Estate, tmp_path: Path) -> None:
    out = tmp_path / "kept"
    out.write_text("mine")
    ran = estate.run("msg", "archive", "IN", "--out", str(out))
    assert ran.code == 8
    assert "already exists" in ran.err
    assert out.read_text() == "mine"


@pytest.mark.parametrize("form", ["ndjson", "dmpmqmsg"])
def test_a_disk_that_fills_leaves_no_half_a_file(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    estate.put("IN", b"1")
    out = tmp_path / "kept"

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        ran = estate.run("msg", "archive", "IN", "--out", str(out), "--format", form)
    assert ran.code == 1
    assert "No space left on device" in ran.err
    assert not out.exists()


def test_a_queue_that_is_not_there_leaves_no_file(estate: Estate, tmp_path: Path) -> None:
    out = tmp_path / "kept"
    assert estate.run("msg", "archive", "NO.SUCH", "--out", str(out)).code == 5
    assert not out.exists()


def test_a_listing_is_loaded_from_standard_input(estate: Estate) -> None:
    estate.put("IN", b"caf\xc3\xa9", b"two", user_identifier="payapp", put_date="20260105",
               put_time="10193012")  # fmt: skip
    estate.put("IN", b"\x00\xff", format="")
    listed = estate.run("msg", "browse", "IN", "-o", "ndjson")
    assert estate.run("msg", "load", "-", "--to", "OUT", "--yes", stdin=listed.out).code == 0
    assert alike(estate.messages("OUT")) == alike(estate.messages("IN"))


def test_an_edited_body_is_loaded_as_it_is_now_and_the_plan_says_how_many_were(
    estate: Estate,
) -> None:
    estate.put("IN", b'{"order": 1}', b'{"order": 2}')
    listed = estate.run("msg", "browse", "IN", "-o", "ndjson").out
    line = ("msg", "load", "-", "--to", "OUT", "--yes")
    ran = estate.run(*line, stdin=listed.replace('order\\": 2', 'order\\": 4711'))
    assert ran.code == 0, ran.err
    assert "1 message with a different length from the listing" in ran.err
    assert estate.bodies("OUT") == [b'{"order": 1}', b'{"order": 4711}']
    assert estate.run("journal", "verify").code == 0


def listed_jms(estate: Estate) -> Any:
    """A line of a listing: a JMS message with a property."""
    header = rfh2.build_jms(
        "jms_text", "queue:///IN", Following("MQSTR", 273, 1208), put_time_ms=1_800_000_000_000,
        user={"region": "EMEA", "retries": 2},
    )  # fmt: skip
    body = rfh2.encode(header) + b"from JMS"
    estate.put("IN", body, format="MQHRF2", encoding=273, persistence=0)
    return json.loads(estate.run("msg", "browse", "IN", "-o", "ndjson").out)


def edit_property(line: Any, name: str, value: Any) -> None:
    (prop,) = [prop for prop in line["properties"] if prop["name"] == name]
    prop["value"] = value


LOAD = ("msg", "load", "-", "--to", "OUT", "--yes")


@pytest.mark.parametrize("way", ["jq", "sed"])
def test_an_edited_property_is_used_and_the_plan_says_so(estate: Estate, way: str) -> None:
    line = listed_jms(estate)
    if way == "sed":
        line = json.loads(json.dumps(line).replace("EMEA", "SOUTH"))
    else:
        edit_property(line, "region", "SOUTH")
        edit_property(line, "retries", 7)
    ran = estate.run(*LOAD, stdin=json.dumps(line) + "\n")
    assert ran.code == 0, ran.err
    note = "1 message where properties and headers_hex differ: the properties are used"
    assert note in ran.err
    assert "headers and" not in ran.err
    (loaded,) = estate.run("msg", "browse", "OUT", "-o", "json").json["items"]
    values = {prop["name"]: prop["value"] for prop in loaded["properties"]}
    assert values["region"] == "SOUTH"
    assert values["retries"] == (7 if way == "jq" else 2)
    assert (values["jms.Dst"], loaded["body"]) == ("queue:///IN", "from JMS")
    assert estate.run("journal", "verify").code == 0


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("jms.Dst", "queue:///OUT", "property jms.Dst was edited: only properties of the folder"),
        ("retries", "many", "property retries: 'many' is not of type i4"),
        ("retries", None, "property retries: its value must be text, a number, true or false"),
        ("region", ["SOUTH"], "property region: its value must be text, a number, true or false"),
    ],
)
def test_an_edited_property_that_cannot_be_written_is_refused(
    estate: Estate, name: str, value: Any, why: str
) -> None:
    line = listed_jms(estate)
    edit_property(line, name, value)
    ran = estate.run(*LOAD, stdin=json.dumps(line) + "\n")
    assert (ran.code, why in ran.err) == (8, True), ran.err
    assert estate.messages("OUT") == []


def test_properties_in_another_order_are_no_edit(estate: Estate) -> None:
    line = listed_jms(estate)
    line["properties"].reverse()
    ran = estate.run(*LOAD, stdin=json.dumps(line) + "\n")
    assert (ran.code, "differ" in ran.err) == (0, False), ran.err


@pytest.mark.parametrize("headers", [["x"], "MQRFH2", [{"name": "MQRFH2", "fields": None}]])
def test_headers_that_are_none_are_a_damaged_line(estate: Estate, headers: Any) -> None:
    line = listed_jms(estate) | {"headers": headers}
    ran = estate.run(*LOAD, stdin=json.dumps(line) + "\n")
    assert (ran.code, "headers is not a list of headers with fields" in ran.err) == (8, True)


def test_an_edited_property_behind_another_header_is_refused(estate: Estate) -> None:
    listed_jms(estate)
    dead = ("--add-dlh", "MQRC_Q_FULL", "--yes")
    assert estate.run("msg", "move", "IN", "--to", "OUT", *dead).code == 0
    text = estate.run("msg", "browse", "OUT", "-o", "ndjson").out
    ran = estate.run("msg", "load", "-", "--to", "IN", "--yes", stdin=text.replace("EMEA", "SOUTH"))
    assert ran.code == 8
    assert "properties behind a header of Format MQDEAD cannot be edited" in ran.err


@pytest.mark.parametrize(
    ("edited", "note"),
    [
        ({"persistence_name": "MQPER_PERSISTENT"}, "persistence_name and persistence differ"),
        ({"report_options": ["MQRO_COD"]}, "report_options and report differ: report is used"),
        ({"body_hex": "AA"}, "body and body_hex are both given: body_hex is used"),
        ({"headers": [{"name": "MQRFH2", "fields": {}}]}, "headers and headers_hex differ"),
    ],
)
def test_what_is_edited_in_a_listing_and_not_used_is_said(
    estate: Estate, edited: dict[str, Any], note: str
) -> None:
    line = listed_jms(estate)
    plain = estate.run(*LOAD, "-n", stdin=json.dumps(line) + "\n")
    assert "1 message where" not in plain.out
    ran = estate.run(*LOAD, stdin=json.dumps(line | edited) + "\n")
    assert (ran.code, f"1 message where {note}" in ran.err) == (0, True), ran.err


@pytest.mark.parametrize(
    "edited",
    [
        {"correl_id": "AB" * 24}, {"priority": 7}, {"expiry_tenths": 600}, {"ccsid": 819},
        {"reply_to_q": "ELSEWHERE"}, {"user_identifier": "somebody"},
        {"msg_type": 1, "reply_to_q": "OUT"},
        {"persistence": 1}, {"group_id": "CD" * 24, "msg_flags": 8}, {"put_appl_name": "other"},
        {"put_time": "2026-01-05T10:19:30.12Z"},
    ],
)  # fmt: skip
def test_each_edited_field_of_the_descriptor_is_used(estate: Estate, edited: Any) -> None:
    estate.put("IN", b"text", persistence=0)
    line = json.loads(estate.run("msg", "browse", "IN", "-o", "ndjson").out)
    ran = estate.run(*LOAD, stdin=json.dumps(line | edited) + "\n")
    assert ran.code == 0, ran.err
    (loaded,) = estate.run("msg", "browse", "OUT", "-o", "json").json["items"]
    loaded["expiry_tenths"] += -loaded["expiry_tenths"] % 600 if "expiry_tenths" in edited else 0
    assert {key: loaded[key] for key in edited} == edited


@pytest.mark.parametrize("text", ["", "\n \n"], ids=["empty", "blank"])
def test_a_listing_of_no_messages_loads_nothing_and_says_so(estate: Estate, text: str) -> None:
    assert estate.run("msg", "browse", "IN", "-o", "ndjson").out == ""
    ran = estate.run("msg", "load", "-", "--to", "OUT", "--yes", stdin=text)
    assert (ran.code, "nothing to do" in ran.err) == (0, True), ran.err
    assert estate.bodies("OUT") == []
    assert estate.run("msg", "load", "-", "--to", "OUT", "--yes", "--fail-empty").code == 9


@pytest.fixture
def edited_dump(estate: Estate, tmp_path: Path) -> Path:
    """A text of dmpmqmsg of three messages; somebody edited the second."""
    estate.put("IN", b"name=one", b"name=two", b"name=ten")
    path = tmp_path / "a.qload"
    argv = ("--format", "dmpmqmsg-text", "--out", str(path))
    assert estate.run("msg", "archive", "IN", *argv).code == 0
    path.write_text(path.read_text().replace("name=two", "name=twelve"))
    return path


EDITED = "11 bytes where the comment says 8: the edited data is used"


def test_an_edited_message_of_a_dump_is_loaded_with_a_note(
    estate: Estate, edited_dump: Path
) -> None:
    ran = estate.run("msg", "load", str(edited_dump), "--to", "OUT", "--yes")
    assert (ran.code, EDITED in ran.err) == (0, True), ran.err
    assert estate.bodies("OUT") == [b"name=one", b"name=twelve", b"name=ten"]


@pytest.mark.parametrize(
    ("ccsid", "edit", "is_noted"),
    [
        (819, "é".encode(), True),
        (1252, "é".encode(), True),
        (819, b"\xe9 ", False),
        (819, b"ee", False),
        (1208, "é".encode(), False),
    ],
)
def test_edited_data_that_looks_like_utf8_in_a_page_of_single_bytes_is_noted(
    estate: Estate, tmp_path: Path, ccsid: int, edit: bytes, is_noted: bool
) -> None:
    path = tmp_path / "a.qload"
    estate.put("IN", b"cafe", ccsid=ccsid)
    argv = ("--format", "dmpmqmsg-text", "--out", str(path))
    assert estate.run("msg", "archive", "IN", *argv).code == 0
    path.write_bytes(path.read_bytes().replace(b"cafe", b"caf" + edit))
    ran = estate.run("msg", "load", str(path), "--to", "OUT", "--yes")
    note = f"the edited data is used; it looks like UTF-8, CCSID {ccsid} is kept\n"
    assert (ran.code, note in ran.err) == (0, is_noted), ran.err


@pytest.mark.parametrize("verb", ["archive ls {}", "msg diff {} OUT"])
def test_other_readers_of_an_edited_dump_say_so(
    estate: Estate, edited_dump: Path, verb: str
) -> None:
    ran = estate.run(*verb.format(edited_dump).split())
    assert EDITED in ran.err, ran.err


def test_edits_of_messages_that_are_not_loaded_are_not_noted(
    estate: Estate, edited_dump: Path
) -> None:
    argv = ("--where", "body contains 'one'", "--yes")
    ran = estate.run("msg", "load", str(edited_dump), "--to", "OUT", *argv)
    assert (ran.code, EDITED in ran.err) == (0, False), ran.err


def test_a_dump_that_was_cut_in_its_last_message_is_refused(
    estate: Estate, edited_dump: Path
) -> None:
    edited_dump.write_text(edited_dump.read_text().replace('S "name=ten"\n\n', 'S "na"\n'))
    ran = estate.run("msg", "load", str(edited_dump), "--to", "OUT", "--yes")
    assert (ran.code, "2 bytes of message data, the comment says" in ran.err) == (8, True), ran.err
    some = ("--where", "body contains 'absent'", "--yes")
    ran = estate.run("msg", "load", str(edited_dump), "--to", "OUT", *some)
    assert f"hint: mqtriage archive ls {edited_dump} lists the undamaged" in ran.err, ran.err


def test_loading_needs_consent_and_a_dry_run_puts_nothing(estate: Estate, tmp_path: Path) -> None:
    estate.put("IN", b"1")
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    assert estate.run("msg", "load", out, "--to", "OUT").code == 8
    assert estate.run("msg", "load", out, "--to", "OUT", "--dry-run").code == 0
    assert estate.run("msg", "load", out, "--to", "OUT", "--expect", "2", "--yes").code == 8
    assert estate.bodies("OUT") == []


def changed(line: str, **values: Any) -> str:
    return json.dumps({**json.loads(line), **values})


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        pytest.param(
            lambda lines: [lines[0], changed(lines[1], body_base64="Mg=="), *lines[2:]],
            "line 2: the digest of the message data differs",
            id="changed-data",
        ),
        pytest.param(
            lambda lines: [*lines[:2], lines[2][:90]],
            "line 3: the line has no end: the file was",
            id="cut-line",
        ),
        pytest.param(lambda lines: lines[:3], "the archive has no End line", id="no-end"),
        pytest.param(
            lambda lines: [lines[0], *lines[2:]], "it has 1 message, the End", id="line-gone"
        ),
        pytest.param(
            lambda lines: [changed(lines[0], schema="mqtriage-archive/9"), *lines[1:]],
            "an archive of the form mqtriage-archive/9",
            id="newer-form",
        ),
    ],
)
def test_a_damaged_archive_is_refused_before_anything_is_put(
    estate: Estate, tmp_path: Path, damage: Any, problem: str
) -> None:
    estate.put("IN", b"1", b"2")
    out = tmp_path / "kept"
    estate.run("msg", "archive", "IN", "--out", str(out))
    out.write_text("\n".join(damage(out.read_text().splitlines())))
    ran = estate.run("msg", "load", str(out), "--to", "OUT", "--yes")
    assert ran.code == 8
    assert problem in ran.err
    assert estate.bodies("OUT") == []


@pytest.mark.parametrize("listing", [False, True], ids=["archive", "listing"])
@pytest.mark.parametrize("place", ["cut", "changed", "checksum", "head"])
@pytest.mark.slow
def test_a_compressed_file_that_is_damaged_is_one_line_and_what_comes_before_it_is_loaded(
    estate: Estate, tmp_path: Path, listing: bool, place: str
) -> None:
    bodies = [b"%032x" % (number * 0x9E3779B97F4A7C15F39CC060) for number in range(40)]
    estate.put("IN", *bodies)
    plain = tmp_path / "kept.ndjson"
    if listing:
        plain.write_text(estate.run("msg", "browse", "IN", "-o", "ndjson").out)
    else:
        estate.run("msg", "archive", "IN", "--out", str(plain))
    packer, lines = zlib.compressobj(wbits=zlib.MAX_WBITS | 16), plain.read_bytes()
    data = bytearray(packer.compress(lines[: len(lines) // 2]) + packer.flush(zlib.Z_FULL_FLUSH))
    half = len(data)
    data += packer.compress(lines[len(lines) // 2 :]) + packer.flush()
    if place == "cut":
        del data[half:]
    else:  # a block of deflate begins at half: 0xFF is of no type
        at = {"changed": half, "checksum": len(data) - 8, "head": 2}[place]
        data[at] = 0xFF if place == "changed" else data[at] ^ 0xFF
    packed = tmp_path / "kept.ndjson.gz"
    packed.write_bytes(data)
    argv = ("msg", "load", str(packed), "--to", "OUT", "--yes")
    ran = estate.run(*argv)
    (line,) = (line for line in ran.err.splitlines() if line.startswith("error: "))
    assert ran.code == 8
    assert f"the compressed data is {'truncated' if place == 'cut' else 'damaged'} at byte " in line
    assert "whole lines" in line
    assert estate.bodies("OUT") == []
    assert estate.run(*argv, "--skip-damaged").code == 0
    loaded = estate.bodies("OUT")
    if place == "head":
        assert loaded == []
    elif place == "checksum":
        assert loaded == bodies
    else:
        assert 5 < len(loaded) < 40
        assert loaded[:5] == bodies[:5]


DUMP = '* QLOAD Version:8.0\n\nN\nS "one"\n\nN\nX 0\n\nN\nT three\n'


def test_a_damaged_dump_is_refused_with_the_line_or_loaded_without_it(
    estate: Estate, tmp_path: Path
) -> None:
    dump = tmp_path / "old.dump"
    dump.write_text(DUMP)
    argv = ("msg", "load", str(dump), "--to", "OUT", "--yes")
    refused = estate.run(*argv)
    assert refused.code == 8
    assert "line 7: X: an odd number of digits" in refused.err
    assert estate.bodies("OUT") == []
    assert estate.run(*argv, "--skip-damaged").code == 0
    assert estate.bodies("OUT") == [b"one", b"three\n"]


def test_of_many_damages_the_first_are_told_and_the_rest_counted(
    estate: Estate, tmp_path: Path
) -> None:
    dump = tmp_path / "old.dump"
    dump.write_text("* QLOAD\n" + "N\nX 0\n" * 10)
    ran = estate.run("msg", "load", str(dump), "--to", "OUT", "--yes")
    assert ran.code == 8
    assert ran.err.count("odd number of digits") == 3
    assert "7 more" in ran.err


def test_a_file_of_something_else_is_refused(estate: Estate, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("hello\n")
    ran = estate.run("msg", "load", str(other), "--to", "OUT", "--yes")
    assert ran.code == 8
    assert "not a dump of messages" in ran.err
    assert estate.run("msg", "load", str(tmp_path / "none"), "--to", "OUT", "--yes").code == 5
    assert estate.run("msg", "load", str(tmp_path), "--to", "OUT", "--yes").code == 1


def test_the_archive_of_a_purge_gives_back_what_left_its_queue(estate: Estate) -> None:
    ids = estate.put("IN", b"1", b"2")
    before = alike(estate.messages("IN"))
    assert estate.run("msg", "purge", "IN", "--limit", "2", "--yes").code == 0
    (path,) = (estate.folder / "archive").glob("*.ndjson")
    assert estate.run("msg", "load", str(path), "--to", "IN", "--yes").code == 0
    assert [md.msg_id for md, _ in alike(estate.messages("IN"))] == ids
    assert alike(estate.messages("IN")) == before


def test_what_an_archive_does_not_say_to_have_left_is_not_put_twice(estate: Estate) -> None:
    """A process that ended before the Commit line: the message may still be where it was."""
    estate.put("IN", b"1", b"2")
    estate.run("msg", "purge", "IN", "--limit", "2", "--batch", "1", "--yes")
    (path,) = (estate.folder / "archive").glob("*.ndjson")
    lines = path.read_text().splitlines(keepends=True)
    assert [json.loads(line)["kind"] for line in lines[-2:]] == ["Commit", "End"]
    path.write_text("".join(lines[:-2]))
    ran = estate.run("msg", "load", str(path), "--to", "OUT", "--yes", "-o", "json")
    assert ran.code == 3
    assert [item["outcome"] for item in ran.json["items"]] == ["done", "skipped"]
    assert "no Commit line" in ran.json["items"][1]["reason"]
    assert estate.bodies("OUT") == [b"1"]


def test_a_queue_without_room_or_put_disabled_is_refused_first(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    for attributes, refusal in (
        ({"MAXDEPTH": 2}, "OUT has room for 2 of 3 messages"),
        ({"MAXDEPTH": 5, "PUT": "DISABLED"}, "OUT has PUT(DISABLED)"),
    ):
        estate.alter("OUT", **attributes)
        ran = estate.run("msg", "load", out, "--to", "OUT", "--yes")
        assert ran.code == 8
        assert refusal in ran.err
    assert estate.bodies("OUT") == []


def test_a_load_and_a_put_name_a_target_that_shortens_lives(estate: Estate, tmp_path: Path) -> None:
    estate.put("IN", b"1")
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    estate.alter("OUT", CAPEXPRY=600)
    warning = "OUT has CAPEXPRY(600): messages put there expire after 1m00s at most"
    for expiry, is_shorter in (("unlimited", True), ("1d", True), ("9s", False)):
        for argv in (("msg", "load", out, "--to", "OUT"), ("msg", "put", "OUT", "x")):
            ran = estate.run(*argv, "--expiry", expiry, "--dry-run")
            assert ran.code == 0
            assert (warning in ran.out + ran.err) == is_shorter, (argv, expiry)


def test_a_batch_is_put_whole_or_not_at_all(estate: Estate, tmp_path: Path) -> None:
    """The queue fills while the question is open: two batches of two fit, the third does not."""
    estate.put("IN", *(b"%d" % number for number in range(6)))
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    ran = estate.run(
        "msg", "load", out, "--to", "OUT", "--batch", "2", "-o", "json", stdin="y\n",
        meanwhile=lambda: estate.alter("OUT", MAXDEPTH=5),
    )  # fmt: skip
    assert ran.code == 3
    assert [item["outcome"] for item in ran.json["items"]] == ["done"] * 4 + ["failed"] * 2
    assert "backed out with its batch" in ran.json["items"][4]["reason"]
    assert "MQRC_Q_FULL (2053)" in ran.json["items"][5]["reason"]
    assert estate.bodies("OUT") == [b"0", b"1", b"2", b"3"]


def test_a_commit_that_fails_is_in_doubt_and_nothing_more_is_put(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)

    def lost(_backend: EmulatedBackend) -> None:
        raise mqi_error(2009, "commit")

    with monkeypatch.context() as patch:
        patch.setattr(EmulatedBackend, "commit", lost)
        argv = ("msg", "load", out, "--to", "OUT", "--batch", "1", "--yes", "-o", "json")
        ran = estate.run(*argv)
    assert ran.code != 0
    (item,) = ran.json["items"]
    assert item["outcome"] == "failed"
    assert "mqtriage journal resume checks this" in item["reason"]
    assert "its batch may be on OUT" in ran.err
    assert ran.json["counts"]["planned"] == 3
    assert estate.bodies("OUT") == []


def test_the_first_put_that_fails_is_the_error_itself(estate: Estate, tmp_path: Path) -> None:
    dump = tmp_path / "old.dump"
    dump.write_text("* QLOAD\nA MST 8\nA PER 7\nX 00\n")
    ran = estate.run("msg", "load", str(dump), "--to", "OUT", "--yes")
    assert ran.code == 1
    assert "MQRC_PERSISTENCE_ERROR (2047)" in ran.err
    assert estate.bodies("OUT") == []


def test_context_ids_and_lifetime_can_be_made_anew(estate: Estate, tmp_path: Path) -> None:
    before = filled(estate)[1]
    out = str(tmp_path / "kept")
    argv = ("--msgid", hex_of(before.md.msg_id), "--format", "dmpmqmsg")
    estate.run("msg", "archive", "IN", "--out", out, *argv)
    how = ("--message-context", "default", "--new-msgid", "--expiry", "unlimited")
    assert estate.run("msg", "load", out, "--to", "OUT", "--yes", *how).code == 0
    (after,) = estate.messages("OUT")
    assert (after.body, after.md.correl_id) == (before.body, before.md.correl_id)
    assert after.md.msg_id != before.md.msg_id
    assert after.md.user_identifier != before.md.user_identifier
    assert after.md.expiry_tenths == -1


def test_a_dash_is_no_file_to_archive_to(estate: Estate) -> None:
    assert estate.run("msg", "archive", "IN", "--out", "-").code == 2
    assert estate.run("msg", "archive", "IN", "--format", "csv").code == 2


def test_the_plan_says_that_backout_count_starts_again(estate: Estate, tmp_path: Path) -> None:
    estate.put("IN", b"1", b"2")
    estate.roll_back("IN", 3)
    dump = tmp_path / "in.dump"
    estate.run("msg", "archive", "IN", "--format", "dmpmqmsg", "--out", str(dump))
    assert "A BOC 3" in dump.read_text("utf-8")
    ran = estate.run("msg", "load", str(dump), "--to", "OUT", "--yes")
    assert "BackoutCount starts again at 0: 1 message had a higher one" in ran.err
    assert [message.md.backout_count for message in estate.messages("OUT")] == [0, 0]
    estate.run("msg", "archive", "OUT", "--format", "dmpmqmsg", "--out", str(tmp_path / "out.dump"))
    again = ("msg", "load", str(tmp_path / "out.dump"), "--to", "IN", "--allow-duplicates", "--yes")
    assert "BackoutCount" not in estate.run(*again).err


def test_t_lines_are_told_to_be_inexact_before_anything_is_put(
    estate: Estate, tmp_path: Path
) -> None:
    dump = tmp_path / "old.dump"
    dump.write_text("* QLOAD Version:8.0\n\nN\nT one\nT two\n\nN\nX 41\n")
    ran = estate.run("msg", "load", str(dump), "--to", "OUT", "--yes")
    assert ran.code == 0
    assert "T lines are not byte-exact" in ran.err
    assert estate.bodies("OUT") == [b"one\ntwo\n", b"A"]
    dump.write_text("* QLOAD Version:8.0\n\nN\nX 41\n")
    assert "T lines" not in estate.run("msg", "load", str(dump), "--to", "OUT", "--yes").err


def test_a_file_that_was_loaded_already_is_refused_and_not_doubled(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"1", b"2")
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    load = ("msg", "load", out, "--to", "OUT", "--yes")
    assert estate.run(*load).code == 0
    ran = estate.run(*load)
    assert (ran.code, estate.bodies("OUT")) == (8, [b"1", b"2"])
    assert "2 of the messages are already on OUT" in ran.err
    assert "--allow-duplicates" in ran.err
    assert "--where" not in ran.err
    for more in ("--allow-duplicates", "--new-msgid"):
        assert estate.run(*load, more).code == 0
    assert estate.bodies("OUT") == [b"1", b"2"] * 3


def test_a_file_that_was_loaded_without_its_headers_is_refused_and_not_doubled(
    estate: Estate, tmp_path: Path
) -> None:
    form = MQMD(format="MQSTR", ccsid=1208)
    letter = dlh.encode(
        dead_letter_header(form, 2053, queue="Q", queue_manager="Q", put_date="", put_time="")
    )
    estate.put("IN", letter + b"one", letter + b"two", format="MQDEAD", encoding=NATIVE_ENCODING)
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    load = ("msg", "load", out, "--to", "OUT", "--headers", "strip", "--yes")
    first = estate.run(*load, "--limit", "1")
    assert (first.code, "already" in first.err) == (0, False)
    ran = estate.run(*load)
    assert (ran.code, estate.bodies("OUT")) == (8, [b"one"])
    assert "1 of the messages is already on OUT" in ran.err
    assert "; --msgid or --where selects others" in ran.err
    whole = estate.run("msg", "load", out, "--to", "OUT", "--limit", "1", "--yes")
    assert "1 MsgId is already on OUT, with different content" in whole.err
    assert (whole.code, estate.bodies("OUT")) == (0, [b"one", letter + b"one"])


def test_a_plan_says_that_the_originals_of_edited_messages_are_on_the_queue(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"one", b"two", b"three", format="MQSTR", ccsid=819)
    listing = tmp_path / "edited.ndjson"
    listing.write_text(estate.run("msg", "browse", "IN", "-o", "ndjson").out.replace('"t', '"T'))
    load = ("msg", "load", str(listing), "--to", "IN", "--skip", "1")
    assert "2 MsgIds are already on IN, with different content" in estate.run(*load, "-n").out
    assert estate.run(*load, "--yes").code == 0
    again = estate.run(*load, "--yes")
    assert (again.code, "2 of the messages are already on IN" in again.err) == (8, True)
    assert "already" not in estate.run(*load, "--new-msgid", "-n").out


@pytest.mark.slow
def test_messages_that_are_not_on_the_queue_do_not_stay_in_memory(
    estate: Estate, tmp_path: Path
) -> None:
    many = 4_000
    estate.put("IN", *(b"%d" % number for number in range(many)))
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    with estate.connected() as backend, open(out, "rb") as file:
        request = LoadRequest(file, out, "OUT", CopyOptions(), duplicates="refuse")
        scan = _scan(request)
        tracemalloc.start()
        there = _there(backend, request, scan)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (len(scan.lines), there.lines, there.others) == (many, set(), 0)
    assert peak < 400_000


@pytest.mark.parametrize("form", ["ndjson", "dmpmqmsg", "listing"])
@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (("--limit", "2"), (1, 2)),
        (("--skip", "1", "--limit", "2"), (2, 3)),
        (("--where", "user = 'user4'"), (4,)),
        (("--msgid", "*03030303"), (3,)),
        (("--where", "format = ''", "--skip", "1", "--limit", "1"), (3,)),
    ],
)
@pytest.mark.slow
def test_only_what_is_selected_of_a_file_is_loaded_and_undone(
    estate: Estate, tmp_path: Path, form: str, options: tuple[str, ...], numbers: tuple[int, ...]
) -> None:
    before = filled(estate)
    out = tmp_path / "kept"
    if form == "listing":
        out.write_text(estate.run("msg", "browse", "IN", "-o", "ndjson", "--hex").out)
    else:
        estate.run("msg", "archive", "IN", "--out", str(out), "--format", form)
    load = ("msg", "load", str(out), "--to", "OUT", *options)
    assert f"load {len(numbers)} message" in estate.run(*load, "-n").out
    assert estate.messages("OUT") == []
    assert estate.run(*load, "--expect", str(len(numbers)), "--yes").code == 0
    assert alike(estate.messages("OUT")) == alike([before[number - 1] for number in numbers])
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.messages("OUT") == []


def test_a_selection_that_no_message_of_the_file_has_loads_nothing(
    estate: Estate, tmp_path: Path
) -> None:
    filled(estate)
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    ran = estate.run("msg", "load", out, "--to", "OUT", "--where", "user = 'nobody'", "--yes")
    assert (ran.code, "nothing to do" in ran.err, estate.messages("OUT")) == (0, True, [])
    ran = estate.run("msg", "load", out, "--to", "OUT", "--overdue", "--yes")
    assert (ran.code, "does not say when a staged message was due" in ran.err) == (8, True)


def test_an_interrupted_load_of_some_is_resumed_with_these_alone(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(estate)
    out = str(tmp_path / "kept")
    estate.run("msg", "archive", "IN", "--out", out)
    commit, commits = EmulatedBackend.commit, 0

    def once(backend: EmulatedBackend) -> None:
        nonlocal commits
        commits += 1
        if commits > 1:
            raise mqi_error(cmqc.MQRC_CONNECTION_BROKEN, "commit")
        commit(backend)

    words = ("--skip", "1", "--limit", "2", "--batch", "1", "--yes")
    with monkeypatch.context() as patch:
        patch.setattr(EmulatedBackend, "commit", once)
        assert estate.run("msg", "load", out, "--to", "OUT", *words).code != 0
    assert len(estate.messages("OUT")) == 1
    assert estate.run("journal", "resume", "--yes").code == 0
    assert [message.md.user_identifier for message in estate.messages("OUT")] == ["user2", "user3"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{msg_id: 1}", "Expecting property name enclosed in double quotes, column 2"),
        ('{"msg_id": 1,,}', "Expecting property name enclosed in double quotes, column 14"),
        ('{"msg_id": 1', "Expecting ',' delimiter, column 14"),
    ],
)
def test_a_line_that_is_not_json_says_what_is_wrong_in_whole_words(
    estate: Estate, line: str, why: str
) -> None:
    path = estate.folder / "broken.ndjson"
    path.write_text(f"{line}\n")
    ran = estate.run("msg", "load", str(path), "--to", "IN", "--yes")
    assert f"line 1: the line is not JSON ({why})" in ran.err, ran.err
