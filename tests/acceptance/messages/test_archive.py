"""`mqtriage archive`: what acts and copies left behind, looked at, checked and put back."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

from mqtriage.cli.frame.main import main
from mqtriage.commands.msg.counts import groups_of, keys_of
from mqtriage.messages.stored_messages import Seal
from mqtriage.operations.archive.files import held
from mqtriage.operations.archive.reading import messages_of
from mqtriage.operations.archive.verify import verify
from tests.acceptance.messages.estate import Estate, Ran, hex_of, ledger_of
from tests.acceptance.messages.test_archive_redact import key_file
from tests.support.application import app_for_test

PURGE = ("msg", "purge", "IN", "--yes", "--limit")


def archive(estate: Estate) -> Path:
    """The one archive there is."""
    files = (estate.folder / "archive").iterdir()
    (path,) = (file for file in files if file.suffix != ".index")
    return path


def purged(estate: Estate, *bodies: bytes) -> Path:
    """An archive of messages that were purged in batches of two."""
    estate.put("IN", *bodies)
    assert estate.run(*PURGE, str(len(bodies)), "--batch", "2").code == 0
    return archive(estate)


def verdict(estate: Estate) -> tuple[int, dict[str, Any]]:
    ran = estate.run("archive", "verify", "-o", "json")
    (item,) = ran.json["items"]
    return ran.code, item


def test_ls_shows_each_archive_with_its_act_and_how_many_messages_it_holds(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    estate.put("IN", b"4")
    estate.run("msg", "archive", "IN", "--compress")
    ran = estate.run("archive", "ls", "-o", "json")
    first, second = sorted(ran.json["items"], key=lambda item: item["action"], reverse=True)
    assert (first["archive"], first["action"], first["queue"]) == (path.name, "purge", "IN")
    assert (first["message_count"], first["state"]) == (3, "whole")
    assert (second["action"], second["message_count"], second["state"]) == ("archive", 1, "whole")


def test_ls_lists_the_archives_of_a_period_by_the_time_that_they_contain(estate: Estate) -> None:
    path = purged(estate, b"1", b"2")
    lines = path.read_text().splitlines(keepends=True)
    begun = json.loads(lines[0])
    for name, at in (("old", "2020-01-02T03:04:05Z"), ("torn", "yesterday-ish")):
        lines[0] = json.dumps({**begun, "at": at}) + "\n"
        path.with_name(f"{name}.ndjson").write_text("".join(lines))
    unread = path.with_name("unread.ndjson")
    unread.touch()
    os.utime(unread, (0, 0))

    def names(*argv: str) -> set[str]:
        return set(estate.run("archive", "ls", *argv, "-o", "ids").out.split())

    new = {path.name, "torn.ndjson"}
    assert names("--since", "1h") == new
    assert names("--until", "1h") == {"old.ndjson", "unread.ndjson"}
    assert names("--since", "2020-01-02T03:04:05Z", "--until", "2020-01-02T03:04:06Z") == {
        "old.ndjson"
    }
    assert names() == new | {"old.ndjson", "unread.ndjson"}
    for argv in ((path.name, "--since", "1h"), ("--msgid", "ID:FF", "--until", "1h")):
        assert estate.run("archive", "ls", *argv).code == 2


def test_ls_of_an_archive_lists_its_messages(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    assert len(estate.run("archive", "ls", path.name, "-o", "ids").out.splitlines()) == 3
    listed = estate.run("archive", "ls", path.stem, "-o", "json").json["items"]
    assert [item["body"] for item in listed] == ["1", "2", "3"]


def test_the_summary_tells_what_an_archive_holds(estate: Estate) -> None:
    path = purged(estate, b"1", b"22", b"333")
    item = estate.run("archive", "ls", str(path), "-o", "json").json["summary"]
    assert (item["message_count"], item["length_bytes"]) == (3, 6)
    assert (item["taken"], item["backed_out"], item["unsettled"]) == (3, 0, 0)


def test_show_finds_a_message_by_its_id_in_one_archive_and_in_all(estate: Estate) -> None:
    ident, *_ = estate.put("IN", b"one", b"two")
    (message, _) = estate.messages("IN")
    assert estate.run(*PURGE, "2").code == 0
    for where in ((archive(estate).name,), ()):
        item = estate.run("archive", "ls", "--msgid", hex_of(ident), *where, "-o", "json").json[
            "item"
        ]
        assert (item["body"], item["number"], item["taken"]) == ("one", 1, True)
        assert (item["queue"], item["user_identifier"]) == ("IN", message.md.user_identifier)


def test_an_archive_that_cannot_be_read_does_not_hide_the_others(estate: Estate) -> None:
    path = purged(estate, b"1")
    path.with_name(
        "0.ndjson"
    ).touch()  # as a process leaves it that is killed before the first line
    ident = estate.run("archive", "ls", path.name, "-o", "ids").out.strip()
    ran = estate.run("archive", "ls", "--msgid", ident, "-o", "json")
    assert (ran.code, ran.json["item"]["archive"]) == (0, path.name)
    assert "0.ndjson: not an mqtriage archive" in ran.json["warnings"][0]
    gone = estate.run("archive", "ls", "--msgid", "ID:99")
    assert gone.code == 5
    assert "0.ndjson: not an mqtriage archive" in gone.err


def test_of_several_messages_with_one_id_the_nth_is_shown_and_the_others_are_told(
    estate: Estate,
) -> None:
    estate.put("IN", b"a", b"b", msg_id=b"X" * 24, put_date="20260101", put_time="10000000")
    assert estate.run(*PURGE, "2").code == 0
    argv = ("archive", "ls", "--msgid", hex_of(b"X" * 24), "-o", "json")
    first = estate.run(*argv)
    assert (first.json["item"]["body"], estate.run(*argv, "--nth", "2").json["item"]["body"]) == (
        "a",
        "b",
    )
    assert "2 messages have that id" in first.err
    assert estate.run(*argv, "--nth", "3").code == 5


def test_what_is_not_there_is_exit_5_and_one_line(estate: Estate) -> None:
    purged(estate, b"1")
    for argv in (
        ("archive", "ls", "none", "--msgid", "ID:FF"),
        ("archive", "ls", "none.ndjson"),
        ("archive", "ls", "--msgid", "ID:FF"),
        ("archive", "verify", "/nowhere/at/all"),
    ):
        ran = estate.run(*argv)
        assert (ran.code, ran.out) == (5, ""), argv
        assert len([line for line in ran.err.splitlines() if line.startswith("error:")]) == 1


def test_without_archives_there_is_an_empty_list(estate: Estate) -> None:
    assert estate.run("archive", "ls", "-o", "json").json["items"] == []
    assert estate.run("archive", "verify", "--fail-empty").code == 9


def test_a_file_of_something_else_is_one_error(estate: Estate, tmp_path: Path) -> None:
    other = tmp_path / "other.ndjson"
    other.write_text("{}\n")
    ran = estate.run("archive", "ls", str(other))
    assert (ran.code, ran.out) == (1, "")
    assert "not an mqtriage archive" in ran.err


# verify ------------------------------------------------------------------------------------------


def test_a_copy_of_several_queues_says_how_each_is_restored_to_its_own(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(estate.folder)
    estate.put("IN", b"1", b"2")
    estate.put("OUT", b"3")
    for queue in ("IN", "OUT"):
        assert estate.run("msg", "purge", queue, "--confirm", queue).code == 0
    archives = sorted(map(str, (estate.folder / "archive").glob("*.ndjson")))
    assert estate.run("archive", "copy", *archives, "--out", "both.ndjson").code == 0
    ran = estate.run("archive", "restore", "both.ndjson", "--yes")
    assert ran.code == 2
    shown = "for each queue, such as IN: mqtriage archive ls both.ndjson -o ndjson | jq -c"
    assert shown in ran.err
    assert "mqtriage archive restore both.ndjson --ids-from IN.ids --to IN" in ran.err
    rows = estate.run("archive", "ls", "both.ndjson", "-o", "ndjson").out.splitlines()
    for queue in ("IN", "OUT"):
        own = [row for row in rows if json.loads(row).get("queue") == queue]
        Path(f"{queue}.ids").write_text("\n".join(own))
        restore = ("archive", "restore", "both.ndjson", "--ids-from", f"{queue}.ids")
        assert estate.run(*restore, "--to", queue, "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"1", b"2"], [b"3"])


def test_a_copy_keeps_the_outcome_of_the_operations_it_was_written_from(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    (item,) = estate.run("journal", "verify", "-o", "json").json["items"]
    (proof,) = item["archives"]
    digest = sha256(path.read_bytes()).hexdigest()
    assert proof["sha256"] == digest, "both papers of an auditor have the same"
    copy, second = estate.folder / "copy.ndjson", estate.folder / "second.ndjson.gz"
    assert estate.run("archive", "copy", str(path), "--limit", "2", "--out", str(copy)).code == 0
    ran = estate.run("archive", "copy", str(copy), "--out", str(second), "-o", "json")
    (source,) = ran.json["item"]["sources"]
    at = source.pop("at")
    assert at.endswith("Z")
    assert source == {
        "archive": path.name, "action": "purge", "queue": "IN", "queue_manager": "QM1",
        "taken": 3, "backed_out": 0, "unsettled": 0, "sha256": digest,
    }  # fmt: skip
    (verdict,) = estate.run("archive", "verify", str(second), "-o", "json").json["items"]
    assert (verdict["taken"], verdict["state"]) == (2, "whole")
    summary = estate.run("archive", "ls", str(second), "-o", "json").json["summary"]
    assert (summary["taken"], summary["backed_out"], summary["unsettled"]) == (2, 0, 0)
    estate.put("IN", b"stays")
    kept, mixed = estate.folder / "kept.ndjson", estate.folder / "mixed.ndjson"
    estate.run("msg", "archive", "IN", "--out", str(kept))
    assert estate.run("archive", "copy", str(copy), str(kept), "--out", str(mixed)).code == 0
    (verdict,) = estate.run("archive", "verify", str(mixed), "-o", "json").json["items"]
    assert verdict["taken"] is None, "one of its messages is still on its queue"


def test_verify_finds_whole_what_an_act_and_a_copy_left(estate: Estate) -> None:
    purged(estate, b"1", b"2", b"3")
    estate.put("IN", b"4")
    estate.run("msg", "archive", "IN")
    estate.run("msg", "archive", "IN", "--compress")
    ran = estate.run("archive", "verify", "-o", "json")
    assert ran.code == 0
    assert {item["state"] for item in ran.json["items"]} == {"whole"}
    assert len(ran.json["items"]) == 3


def test_verify_prints_the_digest_that_sha256sum_and_msg_archive_print(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"1")
    for name in ("a.ndjson", "b.ndjson.gz"):
        path = tmp_path / name
        written = estate.run("msg", "archive", "IN", "--out", str(path), "-o", "json").json
        ran = estate.run("archive", "verify", str(path), "-o", "json")
        digest = sha256(path.read_bytes()).hexdigest()
        assert (ran.json["items"][0]["sha256"], written["item"]["sha256"]) == (digest, digest)
        assert digest in estate.run("archive", "verify", str(path), "--wide").out
    path.write_bytes(path.read_bytes()[:-40])
    ran = estate.run("archive", "verify", str(path), "-o", "json")
    assert ran.json["items"][0]["sha256"] == sha256(path.read_bytes()).hexdigest(), ran.json


def change(path: Path, edit: Any) -> None:
    lines = path.read_text().splitlines(keepends=True)
    edit(lines)
    path.write_text("".join(lines))


def _written_on_qm9(lines: list[str]) -> None:
    """As the queue manager QM9 would have written it, with the digest that belongs to that."""
    lines[0] = lines[0].replace('"QM1"', '"QM9"')
    digest = sha256("".join(lines[:-1]).encode()).hexdigest()
    lines[-1] = json.dumps({**json.loads(lines[-1]), "sha256": digest}) + "\n"


def _other_user(lines: list[str]) -> None:
    record = json.loads(lines[1])
    lines[1] = json.dumps({**record, "user_identifier": "other"}) + "\n"


def _other_body(lines: list[str]) -> None:
    lines[1] = json.dumps({**json.loads(lines[1]), "body_base64": "Mg=="}) + "\n"


@pytest.mark.parametrize(
    ("edit", "state", "problem"),
    [
        pytest.param(_other_user, "damaged", "its digest differs", id="field"),
        pytest.param(_other_body, "damaged", "the digest of the message data differs", id="body"),
        pytest.param(lambda lines: lines.pop(1), "damaged", "message 2, expected 1", id="gone"),
        pytest.param(lambda lines: lines.pop(), "unfinished", "no closing line", id="no-end"),
        pytest.param(
            lambda lines: lines.append(lines[-1][:40]), "damaged", "after the last", id="more"
        ),
    ],
)
def test_verify_tells_what_was_changed_and_exits_4(
    estate: Estate, edit: Any, state: str, problem: str
) -> None:
    change(purged(estate, b"1", b"2", b"3"), edit)
    code, item = verdict(estate)
    assert (code, item["state"]) == (4, state)
    assert problem in item["problems"]


def _without_its_end(lines: bytes) -> bytes:
    return lines[: lines.rindex(b"\n", 0, -1) + 1]


@pytest.mark.parametrize("source", ["archive", "purge"])
@pytest.mark.parametrize(
    ("cut", "state"),
    [
        pytest.param(_without_its_end, "unfinished", id="no-end"),
        pytest.param(lambda lines: lines[:-100], "damaged", id="in-a-line"),
        pytest.param(
            lambda lines: b"\n".join(lines.split(b"\n")[:2]) + b"\n", "unfinished", id="head"
        ),
        pytest.param(lambda lines: lines.split(b"\n")[0] + b"\n", "unfinished", id="first-line"),
        pytest.param(lambda lines: gzip.compress(lines)[:-40], "damaged", id="compressed"),
    ],
)
@pytest.mark.slow
def test_a_truncated_copy_is_never_called_unused_and_prune_keeps_it(
    estate: Estate, source: str, cut: Callable[[bytes], bytes], state: str
) -> None:
    original = purged(estate, b"1", b"2", b"3")  # the journal has an operation since before it
    estate.put("IN", b"4", b"5", b"6")
    if source == "archive":
        original = estate.folder / "original.ndjson"
        assert estate.run("msg", "archive", "IN", "--out", str(original)).code == 0
    mine = estate.folder / "archive" / "mine.ndjson"
    mine.write_bytes(cut(original.read_bytes()))
    mine.chmod(0o600)
    ran = estate.run("archive", "verify", str(mine), "-o", "json")
    assert (ran.code, ran.json["items"][0]["state"]) == (4, state)
    assert estate.run("archive", "prune", "mine.ndjson", "--yes").code == 0
    assert estate.run("archive", "prune", "--older-than", "0s", "--yes").code == 0
    assert mine.exists()
    assert estate.run("archive", "prune", "mine.ndjson", "--unfinished", "--yes").code == 0
    assert not mine.exists()


@pytest.mark.parametrize("spoiled", ["changed", "cut", "empty"])
def test_verify_holds_the_index_to_the_archive_and_makes_it_anew(
    estate: Estate, spoiled: str
) -> None:
    path = purged(estate, b"1", b"2", b"3")
    index = path.with_name(path.name + ".index")
    whole = index.read_bytes()
    changed = whole[:-1] + bytes([whole[-1] ^ 1])
    index.write_bytes({"changed": changed, "cut": whole[:-1], "empty": b""}[spoiled])
    assert verdict(estate)[0] == 0
    assert index.read_bytes() == whole


def test_verify_tells_of_an_index_that_cannot_be_made_anew(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    index = path.with_name(path.name + ".index")
    index.unlink()
    index.mkdir(0o700)
    code, item = verdict(estate)
    assert (code, item["state"]) == (4, "damaged")
    assert "does not match" in item["problems"]


@pytest.fixture
def others(estate: Estate, tmp_path: Path) -> dict[str, Path]:
    """Files of other forms, newer than an operation that is in the journal."""
    estate.put("OUT", b"1", b"2")
    dump, listing = tmp_path / "a.qload", tmp_path / "list.ndjson"
    assert estate.run("msg", "archive", "OUT", "--out", str(dump), "--format", "dmpmqmsg").code == 0
    listing.write_text(estate.run("msg", "browse", "OUT", "-o", "ndjson").out)
    purged(estate, b"3")
    printed, mail, note = (tmp_path / name for name in ("b.out", "mail.txt", "note.ndjson"))
    printed.write_text("AMQSBCG0 - starts here\n\n MQGET of message number 1 \n")
    mail.write_text("From: a\n\nhello\n")
    note.write_text("not ours")
    dump.write_bytes(dump.read_bytes())
    return {
        "but a file of dmpmqmsg": dump,
        "but a listing of messages": listing,
        "but output of amqsbcg": printed,
        "the line is not JSON": mail,
        "the line has no end": note,
    }


@pytest.mark.parametrize("verb", ["verify", "prune"])
def test_a_file_that_is_not_an_archive_is_refused_and_stays_where_it_is(
    estate: Estate, others: dict[str, Path], verb: str
) -> None:
    argv = ("--yes", "--unfinished") if verb == "prune" else ()
    for why, path in others.items():
        ran = estate.run("archive", verb, str(path), *argv)
        assert (ran.code, ran.out) == (1, ""), why
        assert f"{path}: not an mqtriage archive" in ran.err
        assert why in ran.err
        known = f"mqtriage archive ls {path} lists its messages, msg diff compares them"
        assert (known in ran.err) == why.startswith("but "), why
        assert "prune" not in ran.err, why
        assert path.exists()


def test_a_prune_keeps_files_that_are_not_archives_in_the_archive_folder(estate: Estate) -> None:
    path = purged(estate, b"1").with_name("mail.ndjson")
    path.write_text("From: a\n\nhello\n")
    ran = estate.run("archive", "prune", "--older-than", "0s", "--unfinished", "--yes")
    assert ran.code == 0
    assert "1 kept: not an mqtriage archive" in ran.err
    assert archive(estate) == path
    ran = estate.run("archive", "verify", "-o", "json")
    assert (ran.code, ran.json["items"][0]["state"]) == (4, "damaged")


def test_a_cut_copy_of_an_archive_elsewhere_is_never_unused(estate: Estate, tmp_path: Path) -> None:
    path = tmp_path / "cut.ndjson"
    path.write_bytes(b"".join(purged(estate, b"1").read_bytes().splitlines(keepends=True)[:2]))
    ran = estate.run("archive", "verify", str(path), "-o", "json")
    assert (ran.code, ran.json["items"][0]["state"]) == (4, "unfinished")
    assert estate.run("archive", "prune", str(path), "--yes").code == 0
    assert path.exists()


def test_verify_tells_of_files_that_others_can_read(estate: Estate) -> None:
    purged(estate, b"1").chmod(0o644)
    code, item = verdict(estate)
    assert (code, item["state"]) == (4, "exposed")
    assert "can be read by others" in item["problems"]


def test_verify_names_both_files_that_others_can_read(estate: Estate) -> None:
    path = purged(estate, b"1")
    index = path.with_name(path.name + ".index")
    path.chmod(0o644)
    index.chmod(0o644)
    text = f"{path.name} and {index.name} can be read by others: chmod 600"
    assert verdict(estate)[1]["problems"] == text


@pytest.mark.parametrize("state", ["damaged", "unfinished"])
def test_verify_tells_that_others_can_read_an_archive_that_is_not_whole_either(
    estate: Estate, state: str
) -> None:
    path = purged(estate, b"1")
    change(path, _other_user if state == "damaged" else lambda lines: lines.pop())
    before = verdict(estate)[1]["problems"]
    path.chmod(0o644)
    code, item = verdict(estate)
    assert (code, item["state"]) == (4, state)
    assert item["problems"] == f"{before}; {path.name} can be read by others: chmod 600"


def test_verify_tells_that_others_can_read_an_unused_archive(tmp_path: Path) -> None:
    path = tmp_path / "unused.ndjson"
    path.touch(0o644)
    path.chmod(0o644)
    (item,) = verify([path], {path}, private=tmp_path).items
    assert item["state"] == "unused"
    assert item["problems"].endswith("; unused.ndjson can be read by others: chmod 600")


def test_the_archive_folder_is_private_however_its_path_is_written(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = purged(estate, b"1")
    path.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(path.parent)
    monkeypatch.chdir(path.parent)
    for name in (path.name, str(link / path.name)):
        ran = estate.run("archive", "verify", name, "-o", "json")
        assert (ran.code, ran.json["items"][0]["state"]) == (4, "exposed"), name


def test_a_copy_that_was_handed_on_is_whole_whoever_can_read_it(
    estate: Estate, tmp_path: Path
) -> None:
    handed = tmp_path / "handed.ndjson"
    handed.write_bytes(purged(estate, b"1").read_bytes())
    handed.chmod(0o644)
    ran = estate.run("archive", "verify", str(handed), "-o", "json")
    assert (ran.code, ran.json["items"][0]["state"]) == (0, "whole")
    assert any("handed.ndjson can be read by others" in text for text in ran.json["warnings"])
    changed = handed.read_bytes().replace(b"purge", b"pvrge", 1)
    assert changed != handed.read_bytes()
    handed.write_bytes(changed)
    ran = estate.run("archive", "verify", str(handed), "-o", "json")
    assert (ran.code, ran.json["items"][0]["state"]) == (4, "damaged")


def test_a_torn_last_line_is_told_and_the_rest_is_shown(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    path.write_bytes(path.read_bytes()[:-30])
    ran = estate.run("archive", "ls", path.name, "-o", "json")
    assert (ran.code, [item["body"] for item in ran.json["items"]]) == (3, ["1", "2", "3"])
    assert "the file was truncated" in ran.err


def test_what_is_damaged_is_warned_of_whenever_a_group_is_counted(estate: Estate) -> None:
    """Also where the messages are read before the listing is there."""
    path = purged(estate, b"1", b"2", b"3")
    path.write_bytes(path.read_bytes()[:-30])
    listing = messages_of(
        path, Seal(), grouped=lambda queued: groups_of(list(queued), keys_of("priority"))
    )
    assert [item["message_count"] for item in listing.items] == [3]
    assert (listing.summary["archive"], listing.summary["groups"]) == (path.name, 1)
    assert len(listing.warnings) == 2


def _other_length(lines: list[str]) -> None:
    lines[1] = json.dumps({**json.loads(lines[1]), "body_base64": ""}) + "\n"


LACKS = {"damaged": _other_length, "missing": lambda lines: lines.pop(1)}


@pytest.mark.parametrize("harm", LACKS)
@pytest.mark.parametrize("redacts", [False, True], ids=["copied", "redacted"])
def test_a_copy_that_lacks_messages_of_its_archive_is_only_partly_done(
    estate: Estate, tmp_path: Path, harm: str, redacts: bool
) -> None:
    """The copy itself verifies, so that only the exit code tells a script."""
    path, out = tmp_path / "kept.ndjson", str(tmp_path / "copy.ndjson")
    estate.put("IN", b"1", b"2")
    assert estate.run("msg", "archive", "IN", "--out", str(path)).code == 0
    change(path, LACKS[harm])
    argv = ["archive", "copy", str(path), "--out", out, "-o", "json"]
    if redacts:
        (tmp_path / "key").write_text("a key that nobody guesses")
        (tmp_path / "key").chmod(0o600)
        argv += ["--key-file", str(tmp_path / "key"), "--keep-bodies"]
    ran = estate.run(*argv, "-q")
    assert (ran.code, ran.err, ran.json["item"]["message_count"]) == (3, "", 1)
    assert {"damaged": "1 skipped", "missing": "1 message is missing"}[harm] in " ".join(
        ran.json["warnings"]
    )
    assert estate.run("archive", "verify", out).code == 0


@pytest.mark.parametrize("more", ["", "--group priority", "--where priority=0"])
@pytest.mark.parametrize("harm", LACKS)
def test_a_listing_of_an_archive_that_lacks_messages_is_only_partly_done(
    estate: Estate, harm: str, more: str
) -> None:
    path = purged(estate, b"1", b"2")
    change(path, LACKS[harm])
    ran = estate.run("archive", "ls", str(path), *more.split(), "-q")
    assert (ran.code, ran.err) == (3, "")


def _without_digest(lines: list[str]) -> None:
    del lines[1]
    lines[-1] = '{"kind":"End","messages":2}\n'


def _damaged_commit(lines: list[str]) -> None:
    del lines[1]
    lines[-2] = lines[-2].replace('"Commit"', '"Commit')


MISSING = {"no digest": _without_digest, "damaged commit": _damaged_commit}


@pytest.mark.parametrize("harm", MISSING)
def test_a_listing_says_how_many_messages_of_an_archive_are_missing(
    estate: Estate, harm: str
) -> None:
    path = purged(estate, b"1", b"2")
    change(path, MISSING[harm])
    ran = estate.run("archive", "ls", str(path))
    assert ran.code == 3
    assert f"{path.name}: 1 message is missing: the End line counts 2" in ran.err


def test_messages_missing_in_the_first_of_two_archives_in_a_file_are_counted(
    estate: Estate, tmp_path: Path
) -> None:
    path, both = purged(estate, b"1", b"2"), tmp_path / "both.ndjson"
    whole = path.read_text()
    both.write_text(whole + whole)
    ran = estate.run("msg", "diff", f"file:{both}", "IN")
    assert "missing" not in ran.err
    assert "was changed" not in ran.err
    change(path, lambda lines: lines.pop(2))
    both.write_text(path.read_text().replace('"numbers":[1,2]', '"numbers":[1]') + whole)
    ran = estate.run("msg", "diff", f"file:{both}", "IN")
    assert "both.ndjson: 1 message is missing: the End lines count 4" in ran.err
    assert "both.ndjson was changed" in ran.err
    both.write_text("".join(whole.splitlines(keepends=True)[:-1]) + whole)
    ran = estate.run("msg", "diff", f"file:{both}", "IN")
    assert "both.ndjson has no closing line: unfinished" in ran.err


READERS = {
    "diff": "msg diff {file} IN",
    "diff of an archive by name": "msg diff archive:{file} IN",
    "diff of standard input": "msg diff file:- IN",
    "ls": "archive ls {file}",
    "ls of groups": "archive ls {file} --group priority",
    "ls of standard input": "archive ls -",
    "copy": "archive copy {file} --out {file}.copy.ndjson",
    "rules": "dlq rules {file}.rules {file}",
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("harm", ["changed", "unfinished"])
def test_who_reads_an_archive_that_does_not_verify_is_warned(
    estate: Estate, tmp_path: Path, reader: str, harm: str
) -> None:
    path = tmp_path / "mine.ndjson"
    estate.put("IN", b"1", b"2", user_identifier="alice")
    assert estate.run("msg", "archive", "IN", "--out", str(path)).code == 0
    Path(f"{path}.rules").write_text("ACTION(DISCARD)\n")
    argv = READERS[reader].format(file=path).split()
    name = "standard input" if reader.endswith("standard input") else "mine.ndjson"
    text = {
        "changed": f"{name} was changed after it was written: see mqtriage archive verify",
        "unfinished": f"{name} has no closing line: unfinished",
    }[harm]
    whole = estate.run(*argv, stdin=path.read_text())
    assert (whole.code, "closing line" in whole.err, "was changed" in whole.err) == (0, 0, 0)
    Path(f"{path}.copy.ndjson").unlink(missing_ok=True)
    change(path, _other_user if harm == "changed" else lambda lines: lines.pop())
    ran = estate.run(*argv, stdin=path.read_text())
    assert (ran.code, ran.err.count(text)) == (0, 1), ran.err


# filter ------------------------------------------------------------------------------------------


def test_filter_copies_what_the_selection_chooses_with_every_byte(
    estate: Estate, tmp_path: Path
) -> None:
    path = purged(estate, b'{"id": 1}', b'{"id": 2}', b'{"id": 3}')
    out = tmp_path / "some.ndjson.gz"
    ran = estate.run(
        "archive", "copy", path.name, "--where", "body.id >= 2", "--out", str(out), "-o", "json"
    )
    assert ran.json["item"]["message_count"] == 2
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert estate.run("archive", "verify", str(out)).code == 0
    before = estate.run("archive", "ls", path.name, "-o", "json").json["items"][1:]
    assert estate.run("archive", "ls", str(out), "-o", "json").json["items"] == before


def test_filter_leaves_out_what_the_act_did_not_take(estate: Estate, tmp_path: Path) -> None:
    path = purged(estate, b"1", b"2", b"3")

    def back_out(lines: list[str]) -> None:
        record = json.loads(lines[3])
        assert record["kind"] == "Commit"
        lines[3] = json.dumps({**record, "kind": "Backout"}) + "\n"

    change(path, back_out)
    out = str(tmp_path / "out.ndjson")
    ran = estate.run("archive", "copy", path.name, "--out", out, "-o", "json")
    assert ran.json["item"]["message_count"] == 1
    assert "2 skipped: the operation did not remove them" in ran.err


def test_filter_makes_one_archive_of_several(estate: Estate, tmp_path: Path) -> None:
    purged(estate, b"1")
    estate.put("OUT", b"2")
    estate.run("msg", "archive", "OUT")
    names = estate.run("archive", "ls", "-o", "ids").out.split()
    out = str(tmp_path / "both.ndjson")
    assert estate.run("archive", "copy", *names, "--out", out).code == 0
    listed = estate.run("archive", "ls", out, "-o", "json").json["items"]
    assert sorted((item["queue"], item["body"]) for item in listed) == [("IN", "1"), ("OUT", "2")]
    assert estate.run("archive", "restore", out, "--yes").code == 2  # of two queues


def test_a_selection_by_due_time_is_refused_for_an_archive(estate: Estate) -> None:
    path = purged(estate, b"1")
    assert estate.run("archive", "copy", path.name, "--overdue").code == 8


def test_filter_writes_no_file_where_one_is_there(estate: Estate, tmp_path: Path) -> None:
    path = purged(estate, b"1")
    out = tmp_path / "mine"
    out.write_text("mine")
    assert estate.run("archive", "copy", path.name, "--out", str(out)).code == 8
    assert out.read_text() == "mine"


# restore -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [False, True], ids=["plain", "gzip"])
def test_restore_puts_back_what_was_purged_as_it_was(estate: Estate, compress: bool) -> None:
    estate.put("IN", b"1", b"\xff2", expiry_tenths=6_000)
    before = estate.messages("IN")
    if compress:
        assert estate.run("msg", "archive", "IN", "--compress").code == 0
        estate.take("IN", 2)
    else:
        assert estate.run(*PURGE, "2").code == 0
    ran = estate.run("archive", "restore", archive(estate).name, "--yes")
    assert ran.code == 0
    for was, now in zip(before, estate.messages("IN"), strict=True):
        assert now.body == was.body
        remaining_tenths = now.md.expiry_tenths
        assert was.md.expiry_tenths - 100 < remaining_tenths <= was.md.expiry_tenths
        assert now.md._replace(expiry_tenths=0) == was.md._replace(expiry_tenths=0)


def test_an_archive_whose_descriptors_were_changed_is_not_restored_unasked(
    estate: Estate, tmp_path: Path
) -> None:
    path = purged(estate, b"1", b"2", b"3")
    text = path.read_text()
    path.write_text(text.replace('"reply_to_q":""', '"reply_to_q":"EVE"', 1))
    assert path.read_text() != text
    ran = estate.run("archive", "restore", path.name, "--yes")
    assert ran.code == 8
    assert "the archive was changed" in ran.err
    assert estate.bodies("IN") == []
    copy = estate.run("archive", "copy", path.name, "--out", str(tmp_path / "copy.ndjson"))
    assert f"{path.name} was changed after it was written" in copy.err
    assert estate.run("archive", "restore", path.name, "--skip-damaged", "--yes").code == 0


def test_an_archive_is_put_back_by_one_process_at_a_time(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    with held([path]):
        for argv in (("archive", "restore", path.name), ("journal", "undo")):
            ran = estate.run(*argv, "--yes")
            assert (ran.code, "by another process" in ran.err) == (8, True)
    assert estate.bodies("IN") == []
    assert estate.run("archive", "restore", path.name, "--yes").code == 0


def test_restore_run_again_puts_nothing_twice(estate: Estate) -> None:
    path = purged(estate, b"1", b"2", b"3")
    argv = ("archive", "restore", path.name, "--yes")
    assert estate.run(*argv).code == 0
    estate.take("IN")
    ran = estate.run(*argv)
    assert ran.code == 0
    assert "2 are already on IN" in ran.err
    assert sorted(estate.bodies("IN")) == [b"1", b"2", b"3"]
    assert "nothing to do" in estate.run(*argv).err


def test_restore_run_again_with_a_new_put_time_puts_nothing_twice(estate: Estate) -> None:
    estate.put("IN", b"1", b"2", put_date="20260101", put_time="10000000")
    assert estate.run(*PURGE, "2").code == 0
    argv = ("archive", "restore", archive(estate).name, "--yes")
    assert estate.run(*argv, "--message-context", "default").code == 0
    ran = estate.run(*argv)
    assert "2 MsgIds are already on IN, with different content, CorrelId or put time" in ran.err
    estate.take("IN", 3)
    assert "1 is already on IN" in estate.run(*argv, "--message-context", "default").err
    assert sorted(estate.bodies("IN")) == [b"1", b"2"]


def test_of_equal_messages_as_many_come_back_as_are_missing(estate: Estate) -> None:
    marks: dict[str, Any] = {"msg_id": b"X" * 24, "put_date": "20260101", "put_time": "10000000"}
    estate.put("IN", b"a", b"a", b"a", **marks)
    assert estate.run(*PURGE, "3").code == 0
    estate.put("IN", b"a", **marks)
    ran = estate.run("archive", "restore", archive(estate).name, "--yes", "-o", "json")
    assert ran.json["counts"]["done"] == 2
    assert estate.bodies("IN") == [b"a"] * 3


def test_restore_takes_a_selection_another_queue_and_the_guards(estate: Estate) -> None:
    path = purged(estate, b'{"id": 1}', b'{"id": 2}')
    argv = ("archive", "restore", path.name, "--to", "OUT", "--where", "body.id = 2")
    assert estate.run(*argv).code == 8
    assert estate.run(*argv, "--dry-run").code == 0
    assert estate.run(*argv, "--yes", "--expect", "2").code == 8
    assert estate.bodies("OUT") == []
    assert estate.run(*argv, "--yes", "--expect", "1").code == 0
    assert estate.bodies("OUT") == [b'{"id": 2}']
    assert estate.run(*argv, "--yes", "--limit", "1").code == 2


def test_nothing_is_put_back_from_an_archive_without_bodies(estate: Estate) -> None:
    (ident,) = estate.put("IN", b"secret")
    assert estate.run("msg", "archive", "IN", "--no-bodies").code == 0
    path = archive(estate)
    assert b"c2VjcmV0" not in path.read_bytes()
    for argv in (("archive", "restore", path.name), ("msg", "load", str(path), "--to", "OUT")):
        ran = estate.run(*argv, "--yes")
        assert ran.code == 8
        assert "without message data" in ran.err
    item = estate.run("archive", "ls", "--msgid", hex_of(ident), "-o", "json").json["item"]
    assert (item["length_bytes"], item["body"]) == (6, None)
    assert item["damages"] == ["the archive was written without message data"]


@pytest.mark.parametrize("form", ["ndjson", "dmpmqmsg", "listing"])
@pytest.mark.parametrize("more", [(), ("--group", "priority"), ("--where", "priority = 0")])
def test_a_list_of_a_file_of_which_a_message_cannot_be_read_is_partly_done(
    estate: Estate, tmp_path: Path, form: str, more: tuple[str, ...]
) -> None:
    estate.put("IN", b"first", b"second")
    path = tmp_path / "kept"
    if form == "listing":
        path.write_text(estate.run("msg", "browse", "IN", "-o", "ndjson", "--hex").out)
    else:
        estate.run("msg", "archive", "IN", "--out", str(path), "--format", form)
    assert estate.run("archive", "ls", str(path), *more).code == 0
    digits = path.read_text().replace("c2Vjb25k", "!").replace("7365636F6E64", "7")
    path.write_text(digits)
    ran = estate.run("archive", "ls", str(path), *more)
    assert (ran.code, f"warning: {path.name}, line " in ran.err) == (3, True), ran.err
    assert estate.run("archive", "ls", str(path), "--limit", "1").code == 0


def test_a_message_that_is_not_in_a_file_can_be_the_one_that_cannot_be_read(
    estate: Estate, tmp_path: Path
) -> None:
    _, second = estate.put("IN", b"first", b"second")
    path = tmp_path / "a.qload"
    estate.run("msg", "archive", "IN", "--out", str(path), "--format", "dmpmqmsg")
    path.write_text(path.read_text().replace("7365636F6E64", "7"))
    ran = estate.run("archive", "ls", str(path), "--msgid", hex_of(second))
    assert (ran.code, "an odd number of digits" in ran.err) == (5, True), ran.err


@pytest.mark.parametrize("kind", ["archive", "incident", "redacted", "copied"])
def test_messages_without_data_are_not_listed_as_damaged_headers(
    estate: Estate, tmp_path: Path, kind: str
) -> None:
    estate.delayed("IN", b"later")
    estate.run("msg", "archive", "SYSTEM.DDELAY.LOCAL.QUEUE", "--out", str(tmp_path / "whole"))
    out = tmp_path / "bare"
    if kind == "incident":
        assert estate.run("incident", "SYSTEM.DDELAY.LOCAL.QUEUE", "--out", str(out)).code == 0
        out /= "messages.ndjson"
    elif kind == "redacted":
        hiding = ("--key-file", key_file(tmp_path), "--no-bodies", "--out", str(out))
        assert estate.run("archive", "copy", str(tmp_path / "whole"), *hiding).code == 0
    else:
        bare = ("--no-bodies", "--out", str(tmp_path / "first"))
        assert estate.run("msg", "archive", "SYSTEM.DDELAY.LOCAL.QUEUE", *bare).code == 0
        estate.run("archive", "copy", str(tmp_path / "first"), "--out", str(out))
        out = out if kind == "copied" else tmp_path / "first"
    line = json.loads(estate.run("archive", "ls", str(out), "-o", "ndjson").out)
    assert line["damages"] == ["the archive was written without message data"]
    assert (line["headers"], line["body"], line["body_hex"]) == ([], None, None)
    message = json.loads(out.read_text().splitlines()[1])
    whole = json.loads((tmp_path / "whole").read_text().splitlines()[1])
    hides = kind in ("incident", "redacted")
    assert message["sha256"] == (None if hides else whole["sha256"])
    assert ("body_hmac" in message) == hides


def test_an_archive_of_another_queue_manager_needs_a_queue_by_name(estate: Estate) -> None:
    path = purged(estate, b"1")
    change(path, _written_on_qm9)
    assert estate.run("archive", "restore", path.name, "--yes").code == 8
    assert estate.run("archive", "restore", path.name, "--yes", "--to", "OUT").code == 0


# prune -------------------------------------------------------------------------------------------


def age(path: Path, seconds: int) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_prune_removes_old_archives_with_their_index_and_no_others(estate: Estate) -> None:
    old = purged(estate, b"1")
    age(old, 90_000)
    estate.put("IN", b"2")
    estate.run("msg", "archive", "IN")
    argv = ("archive", "prune", "--older-than", "1d")
    assert estate.run(*argv).code == 8
    assert estate.run(*argv, "--dry-run").code == 0
    assert old.exists()
    ran = estate.run(*argv, "--yes", "-o", "json")
    assert (ran.code, [item["archive"] for item in ran.json["items"]]) == (0, [old.name])
    assert not old.exists()
    assert len(list((estate.folder / "archive").iterdir())) == 2


def test_prune_keeps_an_archive_whose_act_may_be_at_work(estate: Estate) -> None:
    path = purged(estate, b"1")
    change(path, lambda lines: lines.pop())
    ran = estate.run("archive", "prune", path.name, "--yes")
    assert ran.code == 0
    assert path.exists()
    assert "1 kept: unfinished" in ran.err
    assert estate.run("archive", "prune", path.name, "--unfinished", "--yes").code == 0
    assert not path.exists()


def test_prune_keeps_an_archive_whose_act_can_be_resumed(estate: Estate) -> None:
    path = purged(estate, b"1", b"2")
    with ledger_of(estate.folder) as database:  # as if the process had been killed at its end
        database.execute("UPDATE operation SET how = ''")
    ran = estate.run("archive", "prune", path.name, "--yes")
    assert (ran.code, path.exists()) == (0, True)
    assert "can still be resumed" in ran.err
    with ledger_of(estate.folder) as database:
        database.execute("UPDATE operation SET how = 'done'")
    assert estate.run("archive", "prune", path.name, "--yes").code == 0
    assert not path.exists()


def test_prune_wants_to_know_which(estate: Estate) -> None:
    ran: Ran = estate.run("archive", "prune", "--yes")
    assert ran.code == 2


# without bodies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param((*PURGE[:4], "--limit", "1"), id="msg purge"),
        pytest.param(("backout", "purge", "IN", "--yes", "--limit", "1"), id="backout purge"),
        pytest.param(
            ("expiry", "purge", "IN", "--yes", "--expires-within", "1h"), id="expiry purge"
        ),
    ],
)
def test_an_archive_without_bodies_does_not_permit_a_purge(
    estate: Estate, argv: tuple[str, ...]
) -> None:
    estate.put("IN", b"1", expiry_tenths=6_000)
    ran = estate.run(*argv, "--no-bodies")
    assert ran.code == 8
    assert "they could not be restored" in ran.err
    assert estate.bodies("IN") == [b"1"]
    assert estate.archives() == []


def test_a_move_can_keep_bodies_out_of_its_archive_and_be_undone(estate: Estate) -> None:
    estate.put("IN", b"secret")
    assert estate.run("msg", "move", "IN", "--to", "OUT", "--yes", "--no-bodies").code == 0
    path = archive(estate)
    assert b"c2VjcmV0" not in path.read_bytes()
    assert estate.run("archive", "verify").code == 0
    assert estate.run("archive", "restore", path.name, "--yes").code == 8
    assert estate.run("journal", "verify").code == 0
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.bodies("IN") == [b"secret"]


def test_what_is_for_one_message_is_refused_for_a_list(estate: Estate) -> None:
    for words in ("--nth", "2"), ("--body", "hex"):
        ran = estate.run("archive", "ls", *words)
        assert (ran.code, "only with --msgid" in ran.err) == (2, True), words


# other files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["dmpmqmsg", "dmpmqmsg-text", "listing", "each", "stdin"])
def test_ls_lists_what_msg_load_reads(estate: Estate, tmp_path: Path, form: str) -> None:
    """Whoever gets a file from a colleague looks into it before loading it."""
    ident, *_ = estate.put("IN", b"one", b"two", b"three")
    name, stdin = str(tmp_path / "from-colleague"), ""
    if form in ("listing", "stdin"):
        listing = estate.run("msg", "browse", "IN", "-o", "ndjson").out
        if form == "stdin":
            name, stdin = "-", listing
        else:
            Path(name).write_text(listing)
    else:
        how = ("--each",) if form == "each" else ("--format", form)
        assert estate.run("msg", "archive", "IN", "--out", name, *how).code == 0

    def listed(*options: str) -> list[str]:
        ran = estate.run("archive", "ls", name, *options, "-o", "json", stdin=stdin)
        assert ran.code == 0, ran.err
        return [item["body"].strip() for item in ran.json["items"]]

    assert listed() == ["one", "two", "three"]
    assert listed("--limit", "2") == ["one", "two"]
    assert listed("--skip", "1", "--limit", "1") == ["two"]
    assert listed("--where", "body CONTAINS 't'", "--limit", "1") == ["two"]
    shown = estate.run("archive", "ls", name, "--msgid", hex_of(ident), "-o", "json", stdin=stdin)
    assert shown.json["item"]["body"].strip() == "one"


def test_ls_selects_in_an_archive_too(estate: Estate) -> None:
    path = purged(estate, b"one", b"two", b"three")
    for options, bodies in (
        (("--where", "body CONTAINS 't'"), ["two", "three"]),
        (("--body-contains", "t", "--skip", "1"), ["three"]),
    ):
        ran = estate.run("archive", "ls", path.name, *options, "-o", "json")
        assert [item["body"] for item in ran.json["items"]] == bodies
        summary = ran.json["summary"]
        assert summary["message_count"] == len(bodies)
        assert summary["taken"] is None  # of all messages, not of these
    for words in (("--where", "priority = 1"), ("x", "--msgid", "ID:FF", "--skip", "1")):
        ran = estate.run("archive", "ls", *words)
        assert (ran.code, "mqtriage archive ls ARCHIVE --where" in ran.err) == (2, True), ran.err


def test_messages_in_a_file_are_counted_as_those_on_the_queue(
    estate: Estate, tmp_path: Path
) -> None:
    for body in (b'{"a": 1}', b'{"a": 2}', b'{"a": 1}'):
        estate.put("IN", body)
    dump, archive = str(tmp_path / "in.dump"), str(tmp_path / "in.ndjson")
    estate.run("msg", "archive", "IN", "--out", dump, "--format", "dmpmqmsg")
    estate.run("msg", "archive", "IN", "--out", archive)
    for group in ("put_appl", "priority,$.a"):
        browsed = estate.run("msg", "browse", "IN", "--group", group, "-o", "json").json
        for file in (dump, archive):
            ran = estate.run("archive", "ls", file, "--group", group, "-o", "json")
            assert ran.json["items"] == browsed["items"], (file, group)
            assert ran.json["summary"]["message_count"] == 3
    first = ("--group", "$.a", "--limit", "1", "-o", "json")
    (group,) = estate.run("archive", "ls", archive, *first).json["items"]
    assert (group["body.a"], group["message_count"]) == (1, 1)
    assert estate.run("msg", "browse", "IN", *first).json["items"] == [group]
    assert "List or count only the first N." in estate.run("archive", "ls", "--help-all").out
    only = ("--where", "body.a = 2", "--group", "$.a", "-o", "json")
    (group,) = estate.run("archive", "ls", archive, *only).json["items"]
    assert group["message_count"] == 1


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "--group counts the messages in one archive"),
        (("x", "--msgid", "ID:FFFF"), "--group counts the messages in one archive"),
        (("x", "--group", "colour"), "--group: there is no field 'colour'"),
        (("x", "--group", "due_time"), "a file does not say when a staged message was due"),
    ],
)
def test_what_a_file_cannot_be_counted_by_is_refused(
    estate: Estate, words: tuple[str, ...], error: str
) -> None:
    group = () if "--group" in words else ("--group", "put_appl")
    ran = estate.run("archive", "ls", *words, *group)
    assert ran.code in (2, 8)
    assert f"error: {error}" in ran.err


def test_what_takes_only_archives_says_how_to_look_into_a_dump(
    estate: Estate, tmp_path: Path
) -> None:
    estate.put("IN", b"one")
    dump = str(tmp_path / "in.dump")
    estate.run("msg", "archive", "IN", "--out", dump, "--format", "dmpmqmsg")
    for verb in ("copy", "restore", "verify", "prune"):
        ran = estate.run("archive", verb, dump)
        assert f"hint: mqtriage archive ls {dump} lists its messages, msg diff" in ran.err


class _Failing(io.StringIO):
    """Standard output that cannot be written to."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def write(self, text: str) -> int:
        raise self._error


OF_A_DUMP = [
    ("archive", "ls", "{file}", "-o", "ndjson"),
    ("archive", "ls", "{file}", "-o", "json"),
    ("archive", "ls", "{file}", "-o", "csv"),
    ("archive", "ls", "{file}", "-o", "table"),
    ("archive", "ls", "{file}", "--group", "format"),
    ("archive", "ls", "{folder}", "-o", "ndjson"),
    ("msg", "diff", "{file}", "OUT", "-o", "ndjson"),
]


@pytest.mark.parametrize("argv", OF_A_DUMP, ids=" ".join)
@pytest.mark.parametrize(
    ("number", "code", "text"),
    [(errno.EPIPE, 0, ""), (errno.ENOSPC, 1, "standard output: No space left on device")],
    ids=["reader left", "disk full"],
)
def test_output_that_cannot_be_written_is_not_an_error_of_the_file_that_is_read(
    estate: Estate, tmp_path: Path, argv: tuple[str, ...], number: int, code: int, text: str
) -> None:
    estate.put("IN", b"one", b"two")
    file, folder = str(tmp_path / "in.qload"), str(tmp_path / "each")
    estate.run("msg", "archive", "IN", "--format", "dmpmqmsg", "--out", file)
    estate.run("msg", "archive", "IN", "--each", "--out", folder)
    app = app_for_test(environ=estate.environ)
    app.output.stdout = _Failing(OSError(number, os.strerror(number)))
    assert main([word.format(file=file, folder=folder) for word in argv], app) == code
    err = cast("io.StringIO", app.run.stderr).getvalue()
    assert file not in err
    assert folder not in err
    assert text in err
    assert text or "error" not in err.lower()


def test_a_dump_that_cannot_be_read_is_named(
    estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    estate.put("IN", *(b"%d" % number * 100 for number in range(500)))
    file = tmp_path / "in.qload"
    estate.run("msg", "archive", "IN", "--format", "dmpmqmsg", "--out", str(file))
    content = file.read_bytes()
    monkeypatch.setattr(
        "mqtriage.cli.frame.inputs.open_regular", lambda name, hint: Broken(content)
    )
    ran = estate.run("archive", "ls", str(file))
    assert (ran.code, f"error: {file}: Input/output error" in ran.err) == (1, True)
