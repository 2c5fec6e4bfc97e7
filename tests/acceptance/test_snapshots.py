"""`mqtriage snapshot`: what is taken, what changed, and what a reader is told of bad files."""

from __future__ import annotations

import json
import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import message_of, rows
from tests.acceptance.conftest import Bench

FORMS = ("parquet", "ndjson")


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """Not in the last hour of a day: the snapshots of a test are all of one day."""
    leave_last_hour(bench, "QM1")
    return bench


def leave_last_hour(bench: Bench, name: str) -> None:
    """Move the clock of a queue manager on where its day is about to end."""
    (one,) = (
        item for item in bench.ok("emulator", "ls", "-o", "json").items if item["name"] == name
    )
    if "T23:" in one["time"]:
        bench.ok("emulator", "clock", "+1h", name)


def take(bench: Bench, *more: str) -> dict[str, Any]:
    """Take a snapshot; returns what the command said of it."""
    return bench.ok("snapshot", "take", "-o", "json", *more).item


def folder(bench: Bench) -> Path:
    return bench.home / "snapshots"


def read(bench: Bench, table: str = "messages") -> list[dict[str, Any]]:
    """Every row of a table, which must be without a fault."""
    problems = Problems()
    records = [row for _, row in rows(folder(bench), table, problems)]
    assert len(problems) == 0, problems.summary()
    return records


def put(bench: Bench, queue: str, body: str, *more: str) -> str:
    """Put a message; returns its MsgId."""
    return bench.ok("msg", "put", queue, body, "--yes", *more).out.strip()


def files_of(bench: Bench, table: str, form: str) -> list[Path]:
    return sorted((folder(bench) / table).rglob(f"*.{form}"))


@pytest.mark.parametrize("form", FORMS)
def test_a_snapshot_has_each_message_with_what_its_headers_say(bench: Bench, form: str) -> None:
    bench.define("APP.IN")
    plain = put(bench, "APP.IN", "hello", "--priority", "3", "--expiry", "30s")
    original = bench.ok("msg", "put", "APP.IN", "later", "--delay", "1h", "--yes").out.strip()
    item = take(bench, "--format", form)
    assert (item["message_count"], item["message_rows"], item["mode"]) == (2, 2, "full")
    by_queue = {row["queue"]: row for row in read(bench)}
    here, staged = by_queue["APP.IN"], by_queue["SYSTEM.DDELAY.LOCAL.QUEUE"]
    assert (here["msg_id"], here["priority"], here["expiry_tenths"]) == (plain, 3, 300)
    assert here["expiry_time"] == here["snap_time"] + 30_000_000
    assert here["format_chain"] == "MQSTR"
    assert staged["original_msg_id"] == original
    assert (staged["target"], staged["delay_ms"]) == ("APP.IN", 3_600_000)
    assert staged["due_time"] == staged["snap_time"] + 3_600_000_000
    assert staged["ddh_time_basis"] == "emulator"
    assert staged["body_length_bytes"] == 5


def test_a_dead_letter_says_why_and_where_it_was_going(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2", "--sample")
    take(bench, "-m", "QM2")
    dead = [row for row in read(bench) if row["reason"] is not None]
    assert dead
    assert all(row["reason_name"].startswith("MQ") for row in dead)
    assert all(row["format_chain"].startswith("MQDEAD>") for row in dead)
    named = [row for row in dead if row["dest"]]
    assert named
    assert all((row["origin_queue"], row["origin_basis"]) == (row["dest"], "MQDLH")
               for row in named)  # fmt: skip


def test_no_body_is_kept_unless_it_is_asked_for(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "a secret 42")
    take(bench, "--format", "ndjson")
    text = "".join(path.read_text() for path in folder(bench).rglob("*.ndjson"))
    assert "secret" not in text
    assert all(row["body_digest"] is None and row["data_base64"] is None for row in read(bench))


def test_a_body_can_be_kept_as_digest_as_its_shape_or_whole(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "Order 42")
    key = bench.home / "key"
    key.write_text("k" * 32 + "\n")
    key.chmod(0o600)
    take(bench, "--body", "digest")
    take(bench, "--body", "digest", "--key-file", str(key))
    take(bench, "--body", "redacted")
    take(bench, "--body", "full")
    plain, keyed, shape, whole = read(bench)
    assert plain["body_digest"] == shape["body_digest"] != keyed["body_digest"]
    assert shape["body_redacted"] == "Xxxxx 99"
    message = message_of(whole)
    assert message is not None
    assert (message.body, message.md.format) == (b"Order 42", "MQSTR")
    digests = [row["digest"] for row in read(bench, "snapshots")]
    assert digests == ["sha256", "hmac-sha256", "sha256", "sha256"]


def test_a_digest_stays_the_same_when_a_message_is_staged(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "same")
    bench.ok("msg", "put", "APP.IN", "same", "--delay", "1h", "--yes")
    take(bench, "--body", "digest")
    assert len({row["body_digest"] for row in read(bench)}) == 1


def test_an_incremental_snapshot_has_what_came_changed_and_went(bench: Bench) -> None:
    bench.define("APP.IN", "APP.OTHER")
    stays = put(bench, "APP.IN", "stays", "--expiry", "1h")
    fails = put(bench, "APP.IN", "fails")
    goes = put(bench, "APP.OTHER", "goes")
    assert take(bench, "--incremental")["mode"] == "full"
    bench.ok("emulator", "clock", "+10m")
    assert take(bench, "--incremental")["message_rows"] == 0
    bench.ok("emulator", "lab", "rollback", "APP.IN", "--times", "2", "--msgid", fails)
    bench.ok("msg", "purge", "APP.OTHER", "--msgid", goes, "--yes")
    comes = put(bench, "APP.IN", "comes")
    item = take(bench, "--incremental")
    last = [row for row in read(bench) if row["snapshot_id"] == item["snapshot_id"]]
    assert {row["msg_id"]: row["seen"] for row in last} == {
        fails: "changed",
        goes: "gone",
        comes: "new",
    }
    assert stays not in {row["msg_id"] for row in last}
    changed = next(row for row in last if row["seen"] == "changed")
    assert changed["backout_count"] == 2
    assert changed["first_seen_time"] < changed["snap_time"]
    infos = read(bench, "snapshots")
    assert [row["mode"] for row in infos] == ["full", "incremental", "incremental"]
    assert infos[2]["base_snapshot_id"] == infos[1]["snapshot_id"]


def test_a_snapshot_that_keeps_more_is_full(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "one")
    take(bench, "--incremental")
    item = take(bench, "--incremental", "--body", "digest")
    assert (item["mode"], item["message_rows"]) == ("full", 1)
    last = read(bench)[-1]
    assert last["seen"] == "present"
    assert last["body_digest"]
    assert take(bench, "--incremental", "--body", "digest")["mode"] == "incremental"


def test_a_long_queue_says_how_far_it_is(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "one", "--count", "5")
    monkeypatch.setattr("mqtriage.commands.snapshot.take.TOLD_EVERY", 2)
    ran = bench.ok("snapshot", "take")
    assert "APP.IN: 4 messages read ..." in ran.err
    assert "messages read" not in bench.ok("snapshot", "take", "--quiet").err


def test_a_queue_manager_without_staging_queue_has_a_snapshot_too(zos_bench: Bench) -> None:
    zos_bench.define("APP.IN")
    put(zos_bench, "APP.IN", "one")
    item = take(zos_bench)
    assert (item["message_count"], item["problems"]) == (1, 0)
    (row,) = read(zos_bench, "queue_managers")
    assert (row["platform"], row["staged_count"]) == ("MVS", None)


def test_what_was_not_read_is_not_gone(bench: Bench) -> None:
    bench.define("APP.IN", "PAY.IN")
    put(bench, "APP.IN", "one")
    put(bench, "PAY.IN", "two")
    take(bench, "--incremental")
    assert take(bench, "APP.*", "--incremental")["message_rows"] == 0
    bench.ok("queue", "set", "PAY.IN", "GET=DISABLED", "--yes")
    ran = bench.run("snapshot", "take", "--incremental", "-o", "json")
    assert ran.code == 3
    assert (ran.item["problems"], ran.item["message_rows"]) == (1, 0)
    assert any("2016" in text for text in ran.json["warnings"])
    assert [row for row in read(bench, "queues") if row["problem"]][-1]["queue"] == "PAY.IN"
    bench.ok("queue", "set", "PAY.IN", "GET=ENABLED", "--yes")
    assert take(bench, "--incremental")["message_rows"] == 0


def test_a_snapshot_that_was_broken_off_is_no_base(bench: Bench) -> None:
    """As after a crash between the file of the last state and the row of `snapshots`."""
    bench.define("APP.IN")
    put(bench, "APP.IN", "one")
    take(bench, "--incremental")
    for path in (folder(bench) / "snapshots").rglob("*.v1.*"):
        path.unlink()
    ran = bench.ok("snapshot", "take", "--incremental", "-o", "json")
    assert ran.item["mode"] == "full"
    assert any("this one is full" in text for text in ran.json["warnings"])


@pytest.mark.seed("EX-12")
def test_without_expiry_effects_no_message_is_read(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "short", "--expiry", "1s")
    bench.ok("emulator", "lab", "switch", "expirer_interval_s=off")
    bench.ok("emulator", "clock", "+1m")
    item = take(bench, "--no-expiry-effects")
    assert item["message_count"] == 0
    assert bench.depth("APP.IN") == 1
    queue = next(row for row in read(bench, "queues") if row["queue"] == "APP.IN")
    assert (queue["curdepth"], queue["expired"], queue["browsed"]) == (1, 1, False)
    ran = bench.run("snapshot", "take")
    assert "discard expired messages" in ran.err
    assert bench.depth("APP.IN") == 0


def test_files_and_folders_are_for_their_owner_alone(bench: Bench) -> None:
    take(bench)
    for path in folder(bench).rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_partitions_are_named_as_spark_reads_them(empty_bench: Bench) -> None:
    empty_bench.ok("emulator", "create", "QM/1%A", "--clock", "frozen")
    item = empty_bench.ok("snapshot", "take", "-o", "json").item
    day = item["snap_time"][:10]
    names = {path.parent.parent.name for path in map(Path, item["files"])}
    assert names == {"qmgr=QM%2F1%25A"}
    assert all(path.parent.name == f"snap_date={day}" for path in map(Path, item["files"]))
    listed = empty_bench.ok("snapshot", "ls", "-m", "QM/1%A", "-o", "json").items
    assert [record["queue_manager"] for record in listed] == ["QM/1%A"]


def changes(bench: Bench, *arguments: str) -> list[tuple[Any, ...]]:
    ran = bench.run("snapshot", "diff", *arguments, "-o", "json")
    items = ran.items
    assert ran.code == (4 if items else 0), ran.err
    return [
        tuple(record[key] for key in ("change", "object_type", "object", "attribute", "from", "to"))
        for record in items
    ]


def test_diff_tells_messages_and_definitions_apart(bench: Bench) -> None:
    bench.define("APP.IN", "APP.OLD")
    put(bench, "APP.IN", "one")
    take(bench)
    take(bench, "--incremental")
    bench.ok("emulator", "lab", "rollback", "APP.IN", "--times", "3")
    bench.ok("queue", "set", "APP.IN", "MAXDEPTH=77", "--yes")
    bench.ok("queue", "delete", "APP.OLD", "--yes")
    bench.define("APP.NEW")
    put(bench, "APP.NEW", "two")
    take(bench, "--incremental")
    took = changes(bench, "first", "latest")
    assert took == [
        ("changed", "QLOCAL", "APP.IN", "MAXDEPTH", 5000, 77),
        ("came", "QLOCAL", "APP.NEW", None, None, None),
        ("went", "QLOCAL", "APP.OLD", None, None, None),
        *took[3:],
    ]
    assert sorted(map(str, took[3:])) == sorted(
        map(
            str,
            [
                ("changed", "MESSAGE", "APP.IN", "backout_count", 0, 3),
                ("came", "MESSAGE", "APP.NEW", None, None, None),
            ],
        )
    )
    assert changes(bench, "latest~2", "latest~1") == []
    back = {(record[0], record[2]) for record in changes(bench, "latest", "first")}
    assert ("went", "APP.NEW") in back
    assert ("came", "APP.OLD") in back


@pytest.mark.parametrize("word", ["latest~9", "nothing"])
def test_a_snapshot_that_is_not_there_is_not_found(bench: Bench, word: str) -> None:
    take(bench)
    ran = bench.run("snapshot", "diff", word)
    assert ran.code == 5
    assert word in ran.error_line


def test_a_folder_that_is_not_there_is_not_found(bench: Bench) -> None:
    ran = bench.run("snapshot", "ls", "--folder", "/nowhere/at/all")
    assert ran.code == 5


def test_export_makes_few_files_of_many_and_changes_the_format(bench: Bench) -> None:
    bench.define("APP.IN")
    for number in range(4):
        put(bench, "APP.IN", f"message {number}")
        take(bench, "--incremental", "--format", FORMS[number % 2])
    out = bench.home / "out"
    exported = bench.ok("snapshot", "export", "--out", str(out), "--format", "ndjson", "-o", "json")
    assert exported.item["snapshots"] == 4
    assert exported.item["rows"]["messages"] == 4
    assert sorted(path.name for path in out.rglob("*.v1.*")) == ["all.v1.ndjson"] * 5
    problems = Problems()
    again = [row for _, row in rows(out, "messages", problems)]
    assert sorted(again, key=str) == sorted(read(bench), key=str)
    assert len(problems) == 0
    ran = bench.run("snapshot", "export", "--out", str(out))
    assert ran.code == 8  # never over what is there, whatever the format
    assert "all.v1.ndjson already exists" in ran.error_line
    assert bench.run("snapshot", "export", "--out", str(folder(bench))).code == 2


# -- bad input ------------------------------------------------------------------------------------


def problems_of(bench: Bench, code: int) -> tuple[list[str], dict[str, int]]:
    """The ids that ls lists, and what it counts."""
    ran = bench.run("snapshot", "ls", "-o", "json")
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    return [item["snapshot_id"] for item in ran.items], ran.json["summary"]["problems"]


def spoiled(bench: Bench, form: str) -> tuple[str, Path]:
    """Two snapshots; the id of the good one, and the file of `snapshots` of the other."""
    first = take(bench, "--format", form)["snapshot_id"]
    bench.ok("emulator", "clock", "+10m")
    second = take(bench, "--format", form)["snapshot_id"]
    path = next(path for path in files_of(bench, "snapshots", form) if path.name.startswith(second))
    return first, path


@pytest.mark.parametrize("form", FORMS)
def test_a_truncated_file_is_counted_and_the_others_are_read(bench: Bench, form: str) -> None:
    good, path = spoiled(bench, form)
    path.write_bytes(path.read_bytes()[:-20])
    assert problems_of(bench, 3) == ([good], {"truncated file": 1})


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_something_else_is_counted(bench: Bench, form: str) -> None:
    good, path = spoiled(bench, form)
    path.write_bytes(b"\0\1\2 no snapshot at all\n" * 9)
    names, counts = problems_of(bench, 3)
    assert names == [good]
    assert sum(counts.values()) in (1, 9)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(".v2.", "newer schema"), (".v0.", "older schema"),
     (".", "file name without a schema version")],
)  # fmt: skip
def test_another_schema_is_counted(bench: Bench, name: str, kind: str) -> None:
    good, path = spoiled(bench, "ndjson")
    path.rename(path.with_name(path.name.replace(".v1.", name)))
    assert problems_of(bench, 3) == ([good], {kind: 1})


@pytest.mark.parametrize(
    ("column", "value"),
    [("message_count", "many"), ("snap_time", 17), ("snap_time", "now"), ("queue_count", 2**40),
     ("expiry_effects", "yes"), ("mode", "sometimes"), ("queue_manager", 5)],
)  # fmt: skip
def test_a_wrong_type_is_counted(bench: Bench, column: str, value: object) -> None:
    good, path = spoiled(bench, "ndjson")
    record = json.loads(path.read_text()) | {column: value}
    path.write_text(json.dumps(record) + "\n")
    assert problems_of(bench, 3) == ([good], {"wrong type": 1})


def test_a_wrong_type_in_parquet_is_counted(bench: Bench) -> None:
    import pyarrow
    import pyarrow.parquet

    good, path = spoiled(bench, "parquet")
    table = pyarrow.parquet.ParquetFile(path).read()
    place = table.schema.get_field_index("snap_time")
    wrong = table.set_column(place, "snap_time", pyarrow.array(["yesterday"]))
    pyarrow.parquet.write_table(wrong, path)
    assert problems_of(bench, 3) == ([good], {"wrong type": 1})


def test_a_missing_value_is_counted_and_a_missing_column_is_null(bench: Bench) -> None:
    good, path = spoiled(bench, "ndjson")
    record = json.loads(path.read_text())
    del record["tool_version"]  # may be null
    path.write_text(json.dumps(record) + "\n")
    assert len(problems_of(bench, 0)[0]) == 2
    del record["mode"]
    path.write_text(json.dumps(record) + "\n")
    assert problems_of(bench, 3) == ([good], {"missing value": 1})


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_there_twice_counts_once(bench: Bench, form: str) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "one")
    take(bench, "--format", form)
    for table in ("snapshots", "messages"):
        path = files_of(bench, table, form)[0]
        shutil.copy(path, path.with_name(f"copy-{path.name}"))
    names, counts = problems_of(bench, 0)
    assert len(names) == 1
    assert counts == {"duplicate": 1}
    out = bench.home / "out"
    exported = bench.ok("snapshot", "export", "--out", str(out), "-o", "json").item
    assert exported["rows"]["messages"] == 1


def test_rows_of_a_snapshot_that_was_broken_off_are_left_out(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "one")
    _, path = spoiled(bench, "ndjson")
    path.unlink()
    names, counts = problems_of(bench, 0)  # what was cut is no snapshot: the list lacks none
    assert len(names) == 1
    assert counts == {"rows of an interrupted snapshot": 4}  # a file a table
    ran = bench.run("snapshot", "export", "--out", str(bench.home / "out"), "-o", "json")
    assert ran.code == 3
    assert ran.item["rows"]["messages"] == 1
    assert ran.item["problems"]["rows of an interrupted snapshot"] > 1


def test_clocks_that_disagree_or_go_back_are_counted(bench: Bench) -> None:
    _, path = spoiled(bench, "ndjson")
    record = json.loads(path.read_text())
    record |= {"backend": "mq", "host_time": "2001-01-01T00:00:00Z"}
    path.write_text(json.dumps(record) + "\n")
    names, counts = problems_of(bench, 0)
    assert len(names) == 2
    assert counts == {"clocks that disagree": 1, "clock that went back": 1}


def test_empty_folders_half_files_and_strangers_do_no_harm(bench: Bench) -> None:
    good = take(bench, "--format", "ndjson")["snapshot_id"]
    place = files_of(bench, "snapshots", "ndjson")[0].parent
    (place.parent / "snap_date=1999-01-01").mkdir()
    (place / ".20260101T000000000000Z-00.v1.ndjson").write_bytes(b'{"half')
    (place / "README.txt").write_text("not ours")
    (folder(bench) / "messages").mkdir(exist_ok=True)
    names, counts = problems_of(bench, 0)
    assert names == [good]
    assert counts == {"folder without a file": 1, "file that was not completed": 1}


def test_files_that_lie_elsewhere_are_counted(bench: Bench) -> None:
    good, path = spoiled(bench, "ndjson")
    path.rename(folder(bench) / "snapshots" / path.name)
    (folder(bench) / "messages" / "2026").mkdir(parents=True)
    kind = "file or folder that is not below qmgr=.../snap_date=..."
    broken_off = "rows of an interrupted snapshot"
    assert problems_of(bench, 3) == ([good], {kind: 2, broken_off: 3})


def test_a_folder_of_no_day_is_left_alone_and_counted_once(bench: Bench) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "one")
    take(bench)
    (day,) = (folder(bench) / "messages" / "qmgr=QM1").iterdir()
    shutil.copytree(day, day.with_name("snap_date=20260131"))
    later = folder(bench) / "queues" / "qmgr=QM1" / "snap_date=2099-01-01"  # a day more to export
    later.mkdir()
    out = bench.home / "out"
    exported = bench.run("snapshot", "export", "--out", str(out), "-o", "json")
    kind = "file or folder that is not below qmgr=.../snap_date=..."
    assert exported.json["item"]["problems"] == {kind: 1, "folder without a file": 1}
    assert exported.json["item"]["rows"]["messages"] == 1
    assert exported.code == 3


def test_a_row_of_another_day_is_read_and_counted(bench: Bench) -> None:
    good, path = spoiled(bench, "ndjson")
    other = path.parent.parent / "snap_date=1999-01-01"
    other.mkdir()
    path.rename(other / path.name)
    names, counts = problems_of(bench, 0)
    assert sorted(names)[0] == good
    assert len(names) == 2
    assert counts["row in the folder of another day"] == 1


@pytest.mark.slow
def test_many_tiny_files_are_read(bench: Bench) -> None:
    take(bench, "--format", "ndjson")
    path = files_of(bench, "snapshots", "ndjson")[0]
    record = json.loads(path.read_text())
    for number in range(2_000):
        name = f"20260101T{number:012}Z-00"
        text = json.dumps(record | {"snapshot_id": name})
        path.with_name(f"{name}.v1.ndjson").write_text(text + "\n")
    assert len(problems_of(bench, 0)[0]) == 2_001


def test_more_files_than_readers_like_are_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(bench)
    monkeypatch.setattr("mqtriage.commands.snapshot.snapshots.MANY_FILES", 3)
    ran = bench.ok("snapshot", "ls", "-o", "json")
    assert ran.json["summary"]["files"] == 4
    assert any("4 files: mqtriage snapshot compact" in text for text in ran.json["warnings"])


def test_a_queue_that_a_context_never_browses_is_not_browsed(bench: Bench) -> None:
    bench.define("PAY.IN", "APP.IN")
    put(bench, "PAY.IN", "private")
    put(bench, "APP.IN", "public")
    words = ("--backend", "emulator", "-m", "QM1", "no_browse=PAY.*")
    bench.environ["XDG_CONFIG_HOME"] = str(bench.home / "config")
    bench.ok("context", "add", "careful", *words)
    ran = bench.ok("snapshot", "take", "--context", "careful", "-o", "json")
    assert (ran.item["message_count"], ran.item["problems"]) == (1, 0)
    assert any("PAY.* is never browsed" in text for text in ran.json["warnings"])
    browsed = {row["queue"]: row["browsed"] for row in read(bench, "queues")}
    assert (browsed["PAY.IN"], browsed["APP.IN"]) == (False, True)


def test_a_missing_base_is_told(bench: Bench) -> None:
    bench.define("APP.IN")
    take(bench, "--incremental", "--format", "ndjson")
    put(bench, "APP.IN", "one")
    bench.ok("emulator", "clock", "+1m")
    take(bench, "--incremental", "--format", "ndjson")
    bench.ok("emulator", "clock", "+1m")
    take(bench, "--incremental", "--format", "ndjson")
    files_of(bench, "snapshots", "ndjson")[0].unlink()
    ran = bench.run("snapshot", "diff", "latest~1", "latest", "-o", "json")
    assert ran.code == 3
    problems = ran.json["summary"]["problems"]
    assert problems["snapshot whose base is missing"] == 2  # of both


# -- what is removed -------------------------------------------------------------------------------


def aged(bench: Bench, day: str = "2026-01-05") -> None:
    """The snapshots that are there are of that day."""
    for today in folder(bench).glob("*/*/snap_date=*"):
        today.rename(today.with_name(f"snap_date={day}"))


def touched(path: Path, days_ago: float) -> Path:
    when = time.time() - days_ago * 86_400
    os.utime(path, (when, when))
    return path


@pytest.mark.parametrize("form", FORMS)
def test_prune_removes_whole_days_that_are_old_enough_and_keeps_the_others(
    bench: Bench, form: str
) -> None:
    take(bench, "--format", form)
    take(bench, "--format", form, "--incremental")
    aged(bench)
    kept = take(bench, "--format", form)["snapshot_id"]
    planned = bench.ok("snapshot", "prune", "--older-than", "30d", "--dry-run", "-o", "json").item
    assert len(bench.ok("snapshot", "ls", "-o", "json").items) == 3
    gone = bench.ok("snapshot", "prune", "--older-than", "30d", "--yes", "-o", "json").items
    assert [(one["snap_date"], one["state"], one["snapshot_count"]) for one in gone] == [
        ("2026-01-05", "old", 2)
    ]
    assert planned["count"] == gone[0]["file_count"]
    ran = bench.ok("snapshot", "ls", "-o", "json")
    assert ([one["snapshot_id"] for one in ran.items], ran.json["summary"]["problems"]) == (
        [kept], {}
    )  # fmt: skip
    assert not list(folder(bench).rglob("*2026-01-05*"))


def test_a_day_is_old_once_all_of_it_is(bench: Bench) -> None:
    take(bench)
    assert bench.ok("snapshot", "prune", "--older-than", "0s", "--yes", "-o", "json").items == []
    yesterday = datetime.now(UTC) - timedelta(days=1)
    aged(bench, yesterday.strftime("%Y-%m-%d"))
    assert bench.ok("snapshot", "prune", "--older-than", "1d", "--yes", "-o", "json").items == []
    assert len(bench.ok("snapshot", "prune", "--older-than", "0s", "--yes", "-o", "json").items)


def test_prune_removes_what_a_cut_snapshot_left_once_nobody_can_be_writing_it(bench: Bench) -> None:
    take(bench, "--format", "ndjson")
    take(bench, "--format", "ndjson")
    whole, cut = sorted(files_of(bench, "snapshots", "ndjson"))
    cut.unlink()
    rows_of_it = next(path for path in files_of(bench, "queues", "ndjson") if path.stem == cut.stem)
    hidden = whole.with_name(f".{whole.name.replace('Z-', 'Z-f')}")
    hidden.write_text("")
    unknown = whole.with_name("notes.txt")
    unknown.write_text("mine")
    line = ("snapshot", "prune", "--older-than", "0s", "--yes", "-o", "json")
    assert bench.ok(*line).items == []
    for path in (whole, rows_of_it, hidden, unknown):
        touched(path, 1.1)
    assert [(one["state"], one["file_count"]) for one in bench.ok(*line).items] == [("cut", 2)]
    assert not rows_of_it.exists()
    assert not hidden.exists()
    assert whole.exists()
    assert unknown.exists()


def test_prune_of_one_queue_manager_leaves_the_others(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    take(bench, "-m", "QM1")
    take(bench, "-m", "QM2")
    aged(bench)
    bench.ok("snapshot", "prune", "--older-than", "30d", "-m", "QM2", "--yes")
    rest = bench.ok("snapshot", "ls", "-o", "json").items
    assert [one["queue_manager"] for one in rest] == ["QM1"]


def test_prune_asks_and_does_nothing_without_an_answer(bench: Bench) -> None:
    take(bench)
    aged(bench)
    assert bench.run("snapshot", "prune", "--older-than", "30d").code == 8
    assert bench.run("snapshot", "prune").code == 2
    assert len(bench.ok("snapshot", "ls").out.splitlines()) > 1


@pytest.mark.slow
def test_compacted_days_are_listed_compared_exported_and_gone_on_from_as_before(
    bench: Bench,
) -> None:
    """Of two queue managers: snapshots of one are incremental, those of the other become so."""
    from mqtriage.pipeline.snapshots.compact import at_work, compact, days

    bench.ok("emulator", "create", "QM2")
    leave_last_hour(bench, "QM2")
    bench.define("APP.IN")
    with bench.connected("QM2") as backend:
        backend.define("QLOCAL", "APP.IN", {})
    for number in range(3):
        put(bench, "APP.IN", f"number {number}", "-m", "QM2")
    for number in range(3):
        put(bench, "APP.IN", f"number {number}", "-m", "QM1")
        last = take(bench, "--incremental", "-m", "QM1", "--format", "parquet")
        take(bench, "-m", "QM2", "--format", "parquet")
    lines = (
        "snapshot ls",
        "snapshot ls -m QM2",
        "snapshot diff first latest -m QM1",
        "snapshot export --out {out} --format ndjson",
        "snapshot export --out {out}/1 --format ndjson -m QM1",
    )

    def told(number: int) -> list[Any]:
        out = str(bench.home / f"out{number}")
        ran = [bench.run(*line.format(out=out).split(), "-o", "json").json for line in lines]
        for one in ran:
            one["items"] = [{**item, "file": None} for item in one.get("items", ())]
            one.get("item", {}).pop("folder", None)
            one["summary"] = {**one.get("summary", {}), "files": None}
            del one["at"]
        return ran

    before, there = told(1), read(bench)
    (day,) = days(folder(bench), "9999-12-31", Problems())
    with at_work(folder(bench)):
        compacted = compact(folder(bench), day, Problems())
    assert compacted is not None
    assert (compacted.queue_manager_count, compacted.file_count) == (2, 5)
    assert not list(folder(bench).glob("*/qmgr=*/*"))
    after_it = told(2)
    whole = [item for ran in (before, after_it) for item in ran[1].pop("items")]
    assert [item["mode"] for item in whole] == ["full"] * 4 + ["incremental"] * 2
    assert [item["message_rows"] for item in whole] == [3, 3, 3, 3, 0, 0]
    assert whole[0] == whole[3]
    for ran in (before, after_it):
        ran[0]["items"] = [item for item in ran[0]["items"] if item["queue_manager"] == "QM1"]
        del ran[3]["item"]["rows"]  # QM2's are fewer
    assert after_it == before
    of_first = [row for row in there if row["qmgr"] == "QM1" or row["seen"] != "present"]
    of_first += [row for row in there if row["snapshot_id"] == whole[3]["snapshot_id"]]
    assert sorted(map(repr, read(bench))) == sorted({*map(repr, of_first)})
    bench.ok("msg", "purge", "APP.IN", "--limit", "1", "--yes", "-m", "QM1")
    after = take(bench, "--incremental", "-m", "QM1")
    assert (after["mode"], after["base_snapshot_id"]) == ("incremental", last["snapshot_id"])
    assert [row["seen"] for row in read(bench) if row["snapshot_id"] == after["snapshot_id"]] == [
        "gone"
    ]


def test_days_that_ended_are_compacted_and_pruned_as_a_whole(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    for manager in ("QM1", "QM2"):
        take(bench, "-m", manager)
        take(bench, "-m", manager, "--format", "ndjson" if manager == "QM2" else "parquet")
    aged(bench)
    take(bench, "-m", "QM1")
    ran = bench.ok("snapshot", "compact", "-o", "json")
    (day,) = ran.items
    assert (day["snap_date"], day["queue_manager_count"], day["file_count"]) == ("2026-01-05", 1, 4)
    assert ran.json["warnings"][0].startswith("stays as it is: 1 x file that is not Parquet")
    assert bench.ok("snapshot", "compact", "-o", "json").items == []
    assert len(bench.ok("snapshot", "ls", "-o", "json").items) == 5
    line = ("snapshot", "prune", "--older-than", "30d", "--yes", "-o", "json")
    ran = bench.ok(*line, "-m", "QM1")
    assert ran.items == []
    (whole, of_two) = bench.ok(*line).items
    assert (whole["queue_manager"], whole["snapshot_count"], whole["file_count"]) == (None, 2, 4)
    assert (of_two["queue_manager"], of_two["snapshot_count"]) == ("QM2", 2)
    assert [one["queue_manager"] for one in bench.ok("snapshot", "ls", "-o", "json").items] == [
        "QM1"
    ]


def test_a_folder_with_a_damaged_file_is_compacted_but_for_its_queue_manager(bench: Bench) -> None:
    bench.ok("emulator", "create", "QM2")
    for manager in ("QM1", "QM2", "QM1", "QM2"):
        take(bench, "-m", manager, "--format", "parquet")
    aged(bench)
    path = files_of(bench, "queues", "parquet")[0]
    path.write_bytes(path.read_bytes()[:-5])
    before = bench.run("snapshot", "ls", "-o", "json").items
    ran = bench.run("snapshot", "compact", "-o", "json")
    assert ran.code == 3
    assert [day["queue_manager_count"] for day in ran.items] == [1]
    assert list(ran.json["summary"]["problems"]) == ["unreadable file"]
    now = bench.run("snapshot", "ls", "-o", "json").items
    assert {one["snapshot_id"] for one in now} == {one["snapshot_id"] for one in before}
    assert path.exists()


def test_an_export_of_part_of_a_day_has_what_its_incremental_snapshots_go_on_from(
    bench: Bench,
) -> None:
    bench.define("APP.IN")
    put(bench, "APP.IN", "there all the time")
    taken = []
    for _ in range(4):
        bench.ok("emulator", "clock", "+1m")
        taken.append(take(bench, "--incremental"))
    out = bench.home / "out"
    since, until = taken[2]["snap_time"], taken[3]["snap_time"]
    line = ("snapshot", "export", "--out", str(out), "--since", since, "--until", until)
    ran = bench.ok(*line, "-o", "json")
    assert ran.item["snapshots"] == 3
    assert ran.json["warnings"] == [
        "2 earlier snapshots too, because incremental ones are based on them"
    ]
    ids = [one["snapshot_id"] for one in taken]
    listed = bench.ok("snapshot", "ls", "--folder", str(out), "-o", "json")
    assert [one["snapshot_id"] for one in listed.items] == ids[:3]
    assert bench.ok("snapshot", "diff", ids[0], ids[2], "--folder", str(out)).code == 0
