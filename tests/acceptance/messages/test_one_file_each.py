"""`msg archive --each`: a file for each message, and the folder loaded again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.messages.estate import Estate


@pytest.fixture
def folder(estate: Estate, tmp_path: Path) -> Path:
    estate.put("IN", *[b"message %d" % n for n in range(12)], b"\x00\xff", b"")
    to = tmp_path / "each"
    ran = estate.run("msg", "archive", "IN", "--each", "--out", str(to), "-o", "json")
    assert ran.code == 0, ran.err
    assert ran.json["item"]["message_count"] == 14
    return to


def test_each_message_has_a_file_named_by_its_place_and_id(estate: Estate, folder: Path) -> None:
    messages = estate.messages("IN")
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{n:07d}-{message.md.msg_id.hex().upper()}.ndjson" for n, message in enumerate(messages, 1)
    ]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_is_loaded_as_it_was(estate: Estate, folder: Path) -> None:
    ran = estate.run("msg", "load", str(folder), "--to", "OUT", "--yes")
    assert ran.code == 0, ran.err
    assert [(m.md.msg_id, m.md.format, m.body) for m in estate.messages("OUT")] == [
        (m.md.msg_id, m.md.format, m.body) for m in estate.messages("IN")
    ]
    again = estate.run("msg", "load", str(folder), "--to", "OUT", "--yes")
    assert again.code == 8  # they are there already
    assert estate.run("journal", "undo", "--yes").code == 0
    assert estate.messages("OUT") == []


def test_a_file_or_a_few_joined_ones_are_loaded_too(estate: Estate, folder: Path) -> None:
    first, second, *_ = sorted(folder.iterdir())
    assert estate.run("msg", "load", str(second), "--to", "OUT", "--yes").code == 0
    ran = estate.run("msg", "load", "-", "--to", "OUT", "--yes", stdin=first.read_text())
    assert ran.code == 0, ran.err
    assert estate.bodies("OUT") == [b"message 1", b"message 0"]


def test_a_damaged_file_of_the_folder_is_refused_before_anything_is_put(
    estate: Estate, folder: Path
) -> None:
    third = sorted(folder.iterdir())[2]
    third.write_text(third.read_text()[:-40])
    ran = estate.run("msg", "load", str(folder), "--to", "OUT", "--yes")
    assert ran.code == 8, ran.err
    assert estate.messages("OUT") == []


def test_nothing_is_written_over_and_an_empty_folder_is_no_file(
    estate: Estate, folder: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert estate.run("msg", "archive", "IN", "--each", "--out", str(folder)).code == 8
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    (tmp_path / "empty").mkdir()
    ran = estate.run("msg", "load", str(tmp_path / "empty"), "--to", "OUT", "--yes")
    assert (ran.code, "contains no .ndjson files" in ran.err) == (1, True)
    for wrong in ((), ("--out", "x", "--compress"), ("--out", "x", "--no-bodies")):
        assert estate.run("msg", "archive", "IN", "--each", *wrong).code == 2


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (("--out", "x", "--format", "dmpmqmsg-text"), "NDJSON files: without --format\n"),
        (("--out", "x", "--compress"), "NDJSON files: without --compress\n"),
        (("--compress", "--no-bodies"), "NDJSON files: without --compress and --no-bodies\n"),
        ((), "--each: a folder is expected\nhint: --each --out FOLDER\n"),
    ],
)
def test_what_does_not_go_with_each_is_named(
    estate: Estate, wrong: tuple[str, ...], text: str
) -> None:
    assert text in estate.run("msg", "archive", "IN", "--each", *wrong).err
