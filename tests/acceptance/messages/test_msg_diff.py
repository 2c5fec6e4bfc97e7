"""`msg diff A B`: queues, archives, dumps and snapshots against each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.messages.estate import Estate, hex_of

STAMP: dict[str, Any] = {"put_date": "20260101", "put_time": "10000000"}
A, B, C = (letter * 24 for letter in (b"A", b"B", b"C"))


@pytest.fixture
def copied(estate: Estate) -> Estate:
    """Three messages on IN, and the same ones on OUT."""
    for queue in ("IN", "OUT"):
        for ident, body in ((A, b"a"), (B, b"b"), (C, b"c")):
            estate.put(queue, body, msg_id=ident, **STAMP)
    return estate


def difference(estate: Estate, *argv: str) -> tuple[int, list[dict[str, Any]]]:
    ran = estate.run("msg", "diff", *argv, "-o", "json")
    assert ran.code in (0, 4), ran.err
    return ran.code, ran.json["items"]


def test_two_queues_with_the_same_messages_differ_in_nothing(copied: Estate) -> None:
    ran = copied.run("msg", "diff", "IN", "OUT", "-o", "json")
    assert (ran.code, ran.json["items"]) == (0, [])
    assert ran.json["summary"]["same"] == 3
    assert "0 only in A, 0 only in B, 0 changed, 3 the same" in ran.err


def test_what_is_only_here_only_there_and_changed_is_told_with_exit_4(copied: Estate) -> None:
    copied.take("IN")  # A
    copied.put("IN", b"d", msg_id=b"D" * 24, **STAMP)
    copied.take("OUT", 3)
    copied.put("OUT", b"a", msg_id=A, **STAMP)
    copied.put("OUT", b"other", msg_id=B, priority=9, **STAMP)
    copied.put("OUT", b"c", msg_id=C, **STAMP)
    code, items = difference(copied, "IN", "OUT")
    assert code == 4
    assert [(item["change"], item["msg_id"]) for item in items] == [
        ("only-b", hex_of(A)),
        ("changed", hex_of(B)),
        ("only-a", hex_of(b"D" * 24)),
    ]
    assert items[1]["what"] == "length_bytes, priority, body"
    priority = items[1]["differences"][1]
    assert (priority["field"], priority["a"], priority["b"]) == ("priority", 0, 9)


def test_messages_with_one_id_are_compared_as_often_as_they_are_there(estate: Estate) -> None:
    estate.put("IN", b"1", b"1", b"2", msg_id=A, **STAMP)
    estate.put("OUT", b"1", b"3", msg_id=A, **STAMP)
    _, items = difference(estate, "IN", "OUT")
    assert sorted(item["change"] for item in items) == ["changed", "only-a"]


def test_a_lifetime_that_runs_down_is_no_difference_but_one_without_end_is(
    estate: Estate,
) -> None:
    estate.put("IN", b"1", msg_id=A, expiry_tenths=9_000, **STAMP)
    estate.put("IN", b"2", msg_id=B, expiry_tenths=9_000, **STAMP)
    estate.advance(10)
    estate.put("OUT", b"1", msg_id=A, expiry_tenths=9_000, **STAMP)
    estate.put("OUT", b"2", msg_id=B, **STAMP)
    _, items = difference(estate, "IN", "OUT")
    assert [(item["msg_id"], item["what"]) for item in items] == [(hex_of(B), "expiry_tenths")]


def test_fields_that_may_differ_are_named(estate: Estate) -> None:
    estate.put("IN", b"1", msg_id=A, **STAMP)
    estate.put("OUT", b"1", msg_id=A, priority=3, put_date="20260102", put_time="10000000")
    assert difference(estate, "IN", "OUT")[0] == 4
    assert difference(estate, "IN", "OUT", "--ignore", "put_time,priority") == (0, [])
    assert estate.run("msg", "diff", "IN", "OUT", "--ignore", "nonsense").code == 2


def test_a_selection_chooses_on_both_sides(copied: Estate) -> None:
    copied.put("OUT", b"more", **STAMP)
    assert difference(copied, "IN", "OUT", "--not-persistent") == (0, [])
    assert difference(copied, "IN", "OUT", "--body-contains", "more")[0] == 4


@pytest.mark.parametrize("form", ["ndjson", "ndjson.gz", "dump", "listing"])
def test_a_queue_is_compared_with_a_file_of_its_messages(
    copied: Estate, tmp_path: Path, form: str
) -> None:
    path = tmp_path / f"kept.{form}"
    if form == "listing":
        path.write_text(copied.run("msg", "browse", "IN", "-o", "ndjson").out)
    else:
        kind = ("--format", "dmpmqmsg") if form == "dump" else ()
        assert copied.run("msg", "archive", "IN", "--out", str(path), *kind).code == 0
    assert difference(copied, str(path), "IN") == (0, [])
    copied.take("IN")
    code, (item,) = difference(copied, str(path), "IN")
    assert (code, item["change"], item["msg_id"]) == (4, "only-a", hex_of(A))


def test_two_archives_are_compared_by_name_without_a_queue_manager(copied: Estate) -> None:
    copied.run("msg", "archive", "IN")
    copied.take("OUT")
    copied.run("msg", "archive", "OUT", "--compress")
    names = copied.run("archive", "ls", "-o", "ids").out.split()
    copied.run("emulator", "stop", "QM1")
    code, (item,) = difference(copied, names[0], f"archive:{names[1]}")
    assert (code, item["change"]) == (4, "only-a")


def test_a_side_without_message_data_is_compared_by_lengths(copied: Estate, tmp_path: Path) -> None:
    out = str(tmp_path / "bare.ndjson")
    copied.run("msg", "archive", "IN", "--no-bodies", "--out", out)
    ran = copied.run("msg", "diff", f"archive:{out}", "IN")
    assert ran.code == 0
    assert "no message data: lengths are compared" in ran.err


@pytest.mark.parametrize("body", ["full", "none"])
def test_snapshots_are_compared_with_each_other_and_with_a_queue(copied: Estate, body: str) -> None:
    copied.run("snapshot", "take", "IN", "--body", body, "--format", "ndjson")
    assert difference(copied, "snapshot:latest", "IN") == (0, [])
    copied.take("IN")
    copied.advance(1)
    copied.run("snapshot", "take", "IN", "--body", body, "--format", "ndjson")
    code, (item,) = difference(copied, "snapshot:latest~1", "snapshot:latest")
    assert (code, item["change"], item["msg_id"]) == (4, "only-a", hex_of(A))
    assert copied.run("msg", "diff", "snapshot:nine", "IN").code == 5


def test_a_damaged_file_is_one_error_and_no_verdict(copied: Estate, tmp_path: Path) -> None:
    path = tmp_path / "kept.ndjson"
    copied.run("msg", "archive", "IN", "--out", str(path))
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = json.dumps({**json.loads(lines[2]), "body_base64": "Mg=="}) + "\n"
    path.write_text("".join(lines))
    ran = copied.run("msg", "diff", str(path), "IN")
    assert ran.code == 1
    assert "line 3: the digest of the message data differs" in ran.err
    assert f"hint: mqtriage archive verify {path} lists every damaged line" in ran.err


@pytest.mark.parametrize("kept", [1, 0])
def test_the_hint_at_a_damaged_dump_says_what_can_still_be_read(
    copied: Estate, tmp_path: Path, kept: int
) -> None:
    path = tmp_path / "a.qload"
    options = ("--format", "dmpmqmsg", "--limit", str(kept + 1))
    assert copied.run("msg", "archive", "IN", "--out", str(path), *options).code == 0
    path.write_text(path.read_text()[: path.read_text().rindex("X ")])
    ran = copied.run("msg", "diff", str(path), "OUT")
    assert (ran.code, ran.out) == (1, "")
    assert "the message has no data line" in ran.err
    rest = f"mqtriage archive ls {path} lists the undamaged messages"
    assert (f"hint: {rest if kept else 'files of msg archive'}") in ran.err


def test_what_is_not_there_is_exit_5(copied: Estate) -> None:
    for argv in (("IN", "NOWHERE"), ("archive:none", "IN"), ("none.ndjson", "IN")):
        assert copied.run("msg", "diff", *argv).code == 5
