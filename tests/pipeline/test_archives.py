"""Archives as input of `analyze`: their messages beside those of snapshots, damage counted."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Bench


@pytest.fixture(name="bench")
def filled(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A queue manager with five messages on IN."""
    bench.ok("emulator", "create", "QM1", "--clock", "frozen")
    bench.define("IN", "OUT")
    for number in range(5):
        more = ("--md-format", "MQSTR", "--priority", str(number), "--yes")
        bench.ok("msg", "put", "IN", f"order {number}", *more)
        bench.ok("emulator", "clock", "+1m")
    monkeypatch.chdir(tmp_path)
    return bench


def ids(items: list[dict[str, Any]], key: str = "msg_id") -> set[str]:
    return {row[key] for row in items}


def lives(bench: Bench, *args: str) -> list[dict[str, Any]]:
    words = ("analyze", "cohort", *args, "--table", "cohort_messages", "-o", "json")
    return bench.ok(*words).items


@pytest.mark.long
def test_a_condition_gives_the_same_ids_live_on_archives_and_in_spark(bench: Bench) -> None:
    """A digest among them; test_where.py tries the whole language."""
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson")
    bench.ok("msg", "archive", "IN", "--out", "b.ndjson.gz")
    bench.ok("snapshot", "take", "--body", "digest", "--folder", "snaps")
    where = f"priority = 4 OR body_digest = '{sha256(b'order 2').hexdigest()}'"
    live = ids(bench.ok("msg", "browse", "IN", "--where", where, "-o", "json").items)
    assert len(live) == 2
    for path in ("a.ndjson", "b.ndjson.gz", "snaps"):
        assert ids(lives(bench, path, "--where", where), "original_msg_id") == live, path
        if path != "snaps":
            bench.ok("archive", "copy", path, "--where", where, "--out", f"kept-{path}")
            assert ids(bench.ok("archive", "ls", f"kept-{path}", "-o", "json").items) == live


def test_a_dump_that_somebody_edited_is_read_and_said_to_be_changed(bench: Bench) -> None:
    bench.ok("msg", "archive", "IN", "--format", "dmpmqmsg-text", "--out", "a.qload")
    dump = Path("a.qload")
    dump.write_text(dump.read_text().replace("order 2", "order twelve"))
    ran = bench.run("analyze", "cohort", "a.qload", "--table", "cohort_messages", "-o", "json")
    assert (ran.code, len(ran.json["items"])) == (3, 5), ran.err
    assert "archive that is changed" in ran.err


def test_an_archive_and_a_snapshot_of_one_message_are_one_life(bench: Bench) -> None:
    bench.ok("snapshot", "take", "--folder", "snaps")
    bench.ok("emulator", "clock", "+1m")
    bench.ok("msg", "purge", "IN", "--limit", "2", "--yes")
    acts = bench.home / "archive"
    (archive,) = acts.glob("*.ndjson")
    ends = [row["end"] for row in lives(bench, "snaps", str(archive))]
    assert sorted(ends) == ["open", "open", "open", "taken", "taken"]
    profile = bench.ok("analyze", "profile", "snaps", str(acts), "-o", "json").json
    assert sum(row["message_count"] for row in profile["items"]) == 5
    assert profile["summary"]["snapshots"] == 2


@pytest.mark.long
def test_a_copy_of_some_says_nothing_of_the_others(bench: Bench) -> None:
    bench.ok("snapshot", "take", "--folder", "snaps")
    bench.ok("emulator", "clock", "+1m")
    bench.ok("msg", "archive", "IN", "--limit", "1", "--out", "one.ndjson")
    assert [row["end"] for row in lives(bench, "snaps", "one.ndjson")] == ["open"] * 5
    bench.ok("msg", "purge", "IN", "--confirm", "IN")
    bench.ok("emulator", "clock", "+1m")
    bench.ok("snapshot", "take", "--folder", "snaps")
    assert [row["end"] for row in lives(bench, "snaps", "one.ndjson")] == ["taken"] * 5


@pytest.mark.long
def test_the_delays_of_an_archived_staging_queue_are_told(bench: Bench) -> None:
    for _ in range(3):
        bench.ok("msg", "put", "OUT", "later", "--delay", "10m", "--yes")
    bench.ok("msg", "archive", "SYSTEM.DDELAY.LOCAL.QUEUE", "--out", "staged.ndjson")
    (row,) = bench.ok("analyze", "delay", "staged.ndjson", "-o", "json").items
    assert (row["message_count"], row["looks"], row["peak_count"]) == (3, 1, 3)


@pytest.mark.long
def test_without_message_data_the_digest_of_the_archive_is_that_of_the_body(bench: Bench) -> None:
    bench.ok("msg", "archive", "IN", "--no-bodies", "--out", "bare.ndjson")
    (one, *_) = bench.ok("msg", "browse", "IN", "-o", "json").items
    digest = sha256(b"order 4").hexdigest()
    matching = lives(bench, "bare.ndjson", "--where", f"body_digest = '{digest}'")
    assert ids(matching, "original_msg_id") == {one["msg_id"]}


@pytest.mark.long
def test_redacted_data_has_no_digest(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o600)
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson")
    words = ("--key-file", "key", "--mask", "$.card", "--out", "safe.ndjson")
    bench.ok("archive", "copy", "a.ndjson", *words)
    assert lives(bench, "safe.ndjson", "--where", "body_digest IS NOT NULL") == []
    assert len(lives(bench, "safe.ndjson")) == 5


def test_an_archive_that_was_cut_is_read_up_to_there_and_counted_and_nothing_is_left_behind(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    bench.ok("msg", "put", "OUT", "reply", "--count", "4", "--yes")
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson")
    bench.ok("msg", "archive", "OUT", "--out", "b.ndjson.gz")
    lines = Path("a.ndjson").read_bytes().split(b"\n")
    Path("a.ndjson").write_bytes(b"\n".join(lines[:4]) + b'\n{"kind":"Mess')
    lines = gzip.decompress(Path("b.ndjson.gz").read_bytes()).split(b"\n")
    cut = b"\n".join(lines[:3]) + b'\n{"kind":"Mess'
    Path("b.ndjson.gz").write_bytes(gzip.compress(cut))
    ran = bench.run("analyze", "profile", "a.ndjson", "b.ndjson.gz", "-o", "json")
    assert ran.code == 3
    assert sum(row["message_count"] for row in ran.items) == 3 + 2
    assert ran.json["summary"]["rejected"] == {"damaged lines of archives": 2}
    assert "a.ndjson: line 5" in ran.err
    assert "b.ndjson.gz: line 4" in ran.err
    assert list((tmp_path / "tmp").iterdir()) == []


def test_archives_that_are_changed_or_unfinished_are_counted_though_each_line_can_be_read(
    bench: Bench,
) -> None:
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson")
    lines = Path("a.ndjson").read_text().splitlines(keepends=True)
    Path("b.ndjson").write_text("".join(lines[:-1]))
    Path("a.ndjson").write_text("".join(lines).replace('"priority":0', '"priority":1', 1))
    ran = bench.run("analyze", "profile", "a.ndjson", "b.ndjson", "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"archives that are changed or unfinished": 2}


def test_damaged_compressed_data_and_changed_lines_are_counted(bench: Bench) -> None:
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson.gz")
    bench.ok("msg", "archive", "IN", "--out", "b.ndjson")
    packed = bytearray(Path("a.ndjson.gz").read_bytes())
    packed[len(packed) // 2] ^= 0xFF
    Path("a.ndjson.gz").write_bytes(packed)
    lines = [json.loads(line) for line in Path("b.ndjson").read_text().splitlines()]
    lines[2]["body_base64"] = lines[1]["body_base64"]
    Path("b.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = bench.run("analyze", "profile", "a.ndjson.gz", "b.ndjson", "-o", "json")
    assert ran.code == 3
    rejected = ran.json["summary"]["rejected"]  # which lines are before the damage depends on ids
    assert rejected["archives that cannot be read to the end"] == 1
    assert rejected["damaged lines of archives"] >= 1
    assert sum(row["message_count"] for row in ran.items) >= 4


def test_compressed_data_that_is_damaged_further_on_is_read_up_to_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtriage.operations.archive.writing.MEMBER_BYTES", 1000)
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson.gz")
    packed = bytearray(Path("a.ndjson.gz").read_bytes())
    last = packed.rfind(b"\x1f\x8b\x08")
    packed[last + 20] ^= 0xFF
    Path("a.ndjson.gz").write_bytes(packed)
    ran = bench.run("analyze", "profile", "a.ndjson.gz", "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"archives that cannot be read to the end": 1}
    assert 1 <= sum(row["message_count"] for row in ran.items) <= 5


def test_a_file_that_is_no_archive_is_told_before_spark_starts(bench: Bench) -> None:
    Path("notes.txt").write_text("hello\n")
    ran = bench.run("analyze", "profile", "notes.txt")
    assert ran.code == 1
    assert "notes.txt: not in a format that analyze profile reads" in ran.error_line
    Path("mixed").mkdir()
    bench.ok("msg", "archive", "IN", "--out", "mixed/a.ndjson")
    Path("mixed/b.ndjson").write_text("{}\n")
    among = bench.run("analyze", "profile", "mixed", "-o", "json")
    assert among.code == 3
    assert among.json["summary"]["rejected"] == {
        "files in formats that analyze profile does not read": 1
    }


@pytest.mark.parametrize("kind", ["archive", "snapshots"])
def test_a_condition_on_the_body_is_refused_by_name_on_each_kind_of_input(
    bench: Bench, kind: str
) -> None:
    bench.ok("msg", "archive", "IN", "--out", "archive")
    bench.ok("snapshot", "take", "--body", "full", "--folder", "snapshots")
    for field in ("body.order.id = 4", "body CONTAINS 'x'"):
        ran = bench.run("analyze", "profile", kind, "--where", field)
        assert ran.code == 2
        assert f"--where {field.split()[0]}" in ran.error_line


def test_an_archive_is_not_sent_to_a_cluster(bench: Bench) -> None:
    bench.ok("msg", "archive", "IN", "--out", "a.ndjson")
    ran = bench.run("analyze", "profile", "a.ndjson", "--submit")
    assert ran.code == 2
    assert "a.ndjson" in ran.error_line


def test_a_dump_of_dmpmqmsg_is_read_as_an_archive_is(bench: Bench) -> None:
    """Its head names queue manager and queue; a message that is damaged costs no other."""
    bench.ok("msg", "archive", "IN", "--format", "dmpmqmsg", "--out", "in.dump")
    text = Path("in.dump").read_text("latin-1")
    Path("dumps").mkdir()
    Path("dumps/in.dump").write_text(text + "A RPT rubbish\nX 41\n", "latin-1")
    Path("dumps/notes.txt").write_text("hello\n")
    ran = bench.run("analyze", "profile", "dumps", "--where", "priority >= 2", "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"damaged lines of archives": 1}
    assert sum(row["message_count"] for row in ran.items) == 3
    assert {(row["queue_manager"], row["queue"]) for row in ran.items} == {("QM1", "IN")}


def test_causes_are_those_of_the_poison_in_dumps(bench: Bench) -> None:
    """A BackoutCount is poison; that a queue is a backout queue only a snapshot says."""
    bench.define("BO")
    for number in range(12):
        queue, format_ = ("OUT", "MQSTR") if number % 3 else ("BO", "PRICES")
        bench.ok("msg", "put", queue, f"{number}", "--md-format", format_, "--yes")
    for name in ("OUT", "BO"):
        bench.ok("msg", "archive", name, "--format", "dmpmqmsg", "--out", f"{name}.dump")

    def causes(*paths: str) -> list[tuple[str, str, int]]:
        ran = bench.ok("analyze", "causes", *paths, "--top", "1", "-o", "json")
        rows = ran.items
        cut = [text for text in ran.json["warnings"] if " on QM1: the first 1; --top " in text]
        assert len(cut) == len(rows), ran
        return [(row["family"], row["where"], row["message_count"]) for row in rows]

    bench.ok("backout", "set", "OUT", "--threshold", "3", "--boq", "BO", "--yes")
    bench.ok("snapshot", "take", "--no-expiry-effects", "--folder", "snaps")
    assert causes("OUT.dump", "BO.dump", "snaps") == [("BO", "format = 'PRICES'", 4)]
    rolled_back = Path("BO.dump").read_text().replace("A BOC 0", "A BOC 3")
    Path("OUT.dump").write_text(
        Path("OUT.dump").read_text() + rolled_back[rolled_back.index("* Index") :]
    )
    assert causes("OUT.dump", "BO.dump") == [("OUT", "format = 'PRICES'", 4)]
