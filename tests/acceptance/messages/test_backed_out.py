"""An operation's archive also has messages that it backed out: no command uses them as removed."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.messages.estate import Estate, Ran, hex_of

STAMP: dict[str, Any] = {"put_date": "20260101", "put_time": "10000000"}
A, B, C = (letter * 24 for letter in (b"A", b"B", b"C"))
SKIPPED = "2 skipped: the operation did not remove them"


@pytest.fixture
def half(estate: Estate) -> Estate:
    """An archive half.ndjson whose operation removed C, and backed out A and B."""
    for ident in (A, B, C):
        estate.put("IN", b"{}", msg_id=ident, **STAMP)
    ran = estate.run("msg", "purge", "IN", "--limit", "3", "--batch", "2", "--yes")
    assert ran.code == 0, ran.err
    (source,) = (estate.folder / "archive").glob("*.ndjson")
    text = source.read_text().replace('{"kind":"Commit"', '{"kind":"Backout"', 1)
    lines = text.splitlines(keepends=True)
    write(estate, "".join([*lines[:-1], '{"kind":"End","messages":3}\n']))
    return estate


def path_of(estate: Estate) -> Path:
    return estate.folder / "half.ndjson"


def write(estate: Estate, text: str) -> None:
    path_of(estate).write_text(text)
    path_of(estate).with_suffix(".ndjson.gz").write_bytes(gzip.compress(text.encode()))


def run_on_archive(estate: Estate, *argv: str) -> Ran:
    return estate.run(*(str(path_of(estate)) if word == "HALF" else word for word in argv))


@pytest.mark.parametrize("name", ["{}", "{}.gz", "archive:{}"])
def test_diff_compares_what_the_operation_removed(half: Estate, name: str) -> None:
    half.put("OUT", b"{}", msg_id=C, **STAMP)
    ran = half.run("msg", "diff", name.format(path_of(half)), "OUT")
    assert (ran.code, ran.err.count(SKIPPED)) == (0, 1), ran.err
    assert "0 only in A, 0 only in B, 0 changed, 1 the same" in ran.err


def test_a_listing_of_an_archive_has_what_was_removed_and_counts_the_rest(half: Estate) -> None:
    ran = run_on_archive(half, "archive", "ls", "HALF", "-o", "ids")
    assert (ran.code, ran.out.split(), ran.err.count(SKIPPED)) == (0, [hex_of(C)], 1)
    ran = run_on_archive(half, "archive", "ls", "HALF", "-o", "json")
    summary = ran.json["summary"]
    keys = ("message_count", "length_bytes", "taken", "backed_out", "unsettled")
    assert [summary[key] for key in keys] == [3, 6, 1, 2, 0]  # of the file
    assert len(ran.json["items"]) == 1
    grouped = run_on_archive(half, "archive", "ls", "HALF", "--group", "format", "-o", "json")
    assert [group["message_count"] for group in grouped.json["items"]] == [1]
    shown = run_on_archive(half, "archive", "ls", "HALF", "--msgid", hex_of(A), "-o", "json")
    assert shown.json["item"]["taken"] is False  # it is still there to look at


def test_a_message_whose_outcome_nobody_knows_is_listed(half: Estate) -> None:
    lines = path_of(half).read_text().splitlines(keepends=True)
    write(half, "".join(line for line in lines if "Backout" not in line and '"End"' not in line))
    ran = run_on_archive(half, "archive", "ls", "HALF", "-o", "json")
    assert [item["msg_id"] for item in ran.json["items"]] == [hex_of(A), hex_of(B), hex_of(C)]
    summary = ran.json["summary"]
    assert (summary["taken"], summary["backed_out"], summary["unsettled"]) == (1, 0, 2)
    half.put("OUT", b"{}", msg_id=C, **STAMP)
    ran = half.run("msg", "diff", str(path_of(half)), "OUT")
    assert (ran.code, "2 skipped: their outcome is not recorded" in ran.err) == (0, True), ran.err


def test_a_listing_hides_nothing_where_the_line_of_the_outcome_is_damaged(half: Estate) -> None:
    write(half, path_of(half).read_text().replace('{"kind":"Commit"', '{"kind":"Com'))
    ran = run_on_archive(half, "archive", "ls", "HALF", "-o", "ids")
    assert (ran.code, ran.out.split()) == (3, [hex_of(C)])
    lines = path_of(half).read_text().splitlines(keepends=True)
    write(half, "".join(line for line in lines if hex_of(A) not in line))
    ran = run_on_archive(half, "archive", "ls", "HALF", "-o", "ids")
    assert (ran.code, ran.out.split()) == (3, [hex_of(B), hex_of(C)])


def test_rules_are_tested_on_what_was_removed(half: Estate) -> None:
    rules = half.folder / "t.rules"
    rules.write_text("ACTION(IGNORE)\n")
    ran = run_on_archive(half, "dlq", "rules", str(rules), "HALF", "-o", "json")
    assert [item["msg_id"] for item in ran.json["items"]] == [hex_of(C)], ran.err
    assert SKIPPED in ran.err


def test_ids_from_an_archive_are_those_of_what_was_removed(half: Estate) -> None:
    for ident in (A, B, C):
        half.put("IN", b"{}", msg_id=ident, **STAMP)
    for name in ("half.ndjson", "half.ndjson.gz"):
        ids = ("--ids-from", str(half.folder / name))
        ran = half.run("msg", "browse", "IN", *ids, "-o", "ids")
        assert ran.out.split() == [hex_of(C)], name
        assert "2 skipped: the archived operation did not remove them" in ran.err


@pytest.mark.parametrize(
    ("lost", "skipped"),
    [
        (("Backout",), "2 skipped: the archived operation did not remove them"),
        (("Backout", "End"), "2 skipped: their outcome is not recorded"),
        (("Backout", "Commit"), "3 skipped: the archived operation did not remove them"),
        (("Backout", "Commit", "End"), "3 skipped: their outcome is not recorded"),
    ],
)
def test_ids_from_an_archive_lack_those_that_no_line_names_as_removed(
    half: Estate, lost: tuple[str, ...], skipped: str
) -> None:
    for ident in (A, B, C):
        half.put("IN", b"{}", msg_id=ident, **STAMP)
    lines = path_of(half).read_text().splitlines(keepends=True)
    kept = [line for line in lines if not any(f'"kind":"{kind}"' in line for kind in lost)]
    write(half, "".join(kept))
    diff = half.run("msg", "diff", str(path_of(half)), "OUT")
    assert skipped.replace("archived ", "") in diff.err
    ids = ("--ids-from", str(path_of(half)))
    ran = half.run("msg", "browse", "IN", *ids, "-o", "ids")
    assert ran.out.split() == ([] if "Commit" in lost else [hex_of(C)])
    assert f"--ids-from: {skipped}" in ran.err


def test_ids_from_two_archives_are_not_mixed_up(half: Estate) -> None:
    for ident in (A, B, C):
        half.put("IN", b"{}", msg_id=ident, **STAMP)
    text = path_of(half).read_text()
    unfinished = "".join(text.splitlines(keepends=True)[:2])
    write(half, unfinished + text)
    ran = half.run("msg", "browse", "IN", "--ids-from", str(path_of(half)), "-o", "ids")
    assert ran.out.split() == [hex_of(C)], ran.err
    assert "--ids-from: 1 skipped: their outcome is not recorded" in ran.err


def test_ids_from_an_archive_whose_outcomes_name_no_message_are_refused(half: Estate) -> None:
    write(half, path_of(half).read_text().replace('"numbers":[3]', '"numbers":[4]'))
    ran = half.run("msg", "browse", "IN", "--ids-from", str(path_of(half)), "-o", "ids")
    assert (ran.code, "names a message that is not there" in ran.err) == (2, True), ran.err
