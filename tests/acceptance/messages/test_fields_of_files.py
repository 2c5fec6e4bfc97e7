"""A condition on a field that no message of a file has: said, as it is said of a queue."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.messages.estate import Estate

NOTHING = "body.nosuch (a value inside the body) selects nothing: 2 messages read, none has it"
LINES = (
    "archive ls FILE --where COND",
    "archive ls FILE --where COND --group format",
    "archive ls FILE.dump --where COND",
    "archive copy FILE --out chosen.ndjson --where COND",
    "archive restore FILE --where COND --yes",
    "archive restore FILE --where COND -n",
    "msg load FILE --to OUT --where COND --yes",
    "msg load FILE.dump --to OUT --where COND -n",
    "msg diff IN FILE --where COND",
    "msg diff FILE.dump FILE --where COND",
)


@pytest.fixture
def saved(estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """FILE is an archive of what is on IN, FILE.dump a listing of it."""
    monkeypatch.chdir(tmp_path)
    estate.put("IN", b'{"country": "CH", "n": 1}', b'{"country": "FR"}')
    assert estate.run("msg", "archive", "IN", "--out", "FILE").code == 0
    listed = estate.run("msg", "browse", "IN", "-o", "ndjson").out
    Path("FILE.dump").write_text(listed, "utf-8")
    return estate


def words_of(line: str, condition: str) -> list[str]:
    return [condition if word == "COND" else word for word in line.split()]


@pytest.mark.parametrize("line", LINES)
def test_a_field_that_no_message_of_a_file_has_is_a_warning(saved: Estate, line: str) -> None:
    ran = saved.run(*words_of(line, "body.nosuch = 1"))
    assert (ran.code, NOTHING in ran.err + ran.out) == (0, True), ran
    assert "these messages have body.country, body.n" in ran.err + ran.out


@pytest.mark.parametrize("line", LINES)
def test_json_has_the_warning_too(saved: Estate, line: str) -> None:
    ran = saved.run(*words_of(line, "body.nosuch = 1"), "-o", "json", "--quiet")
    assert (ran.code, NOTHING in ran.out) == (0, True), ran


@pytest.mark.parametrize("line", LINES)
def test_a_field_of_a_file_that_looks_misspelt_is_refused(saved: Estate, line: str) -> None:
    ran = saved.run(*words_of(line, "body.contry = 'CH'"))
    assert (ran.code, "did you mean body.country?" in ran.err) == (8, True), ran
    assert not Path("chosen.ndjson").exists()


@pytest.mark.parametrize("sides", [("FILE", "OUT"), ("OUT", "FILE")])
def test_a_field_that_only_one_side_of_a_comparison_has_is_no_mistake(
    saved: Estate, sides: tuple[str, str]
) -> None:
    saved.put("OUT", b'{"countri": "CH"}')
    ran = saved.run("msg", "diff", *sides, "--where", "body.countri = 'CH'", "-o", "json", "-q")
    assert (ran.code, len(ran.json["items"])) == (4, 1), ran
    (warning,) = ran.json["warnings"]
    assert warning.startswith("FILE: body.countri")
    assert "did you mean body.country? These messages have" in warning


def test_json_says_how_many_messages_of_an_archive_are_not_compared(saved: Estate) -> None:
    lines = Path("FILE").read_text("utf-8").splitlines(keepends=True)
    text = "".join(lines[:-1]).replace('"action":"archive"', '"action":"purge"')
    Path("PURGED").write_text(text + '{"kind":"End","messages":2}\n', "utf-8")
    for name in ("PURGED", "archive:PURGED"):
        ran = saved.run("msg", "diff", "OUT", name, "-o", "json", "-q")
        assert ran.json["warnings"] == ["PURGED: 2 skipped: the operation did not remove them"]


@pytest.mark.parametrize("line", LINES)
def test_a_condition_that_selects_a_message_of_a_file_says_nothing(
    saved: Estate, line: str
) -> None:
    ran = saved.run(*words_of(line, "body.n = 1"))
    assert "selects nothing" not in ran.err + ran.out


def test_a_note_says_of_how_many_messages_of_a_file_a_condition_is_unknown(saved: Estate) -> None:
    ran = saved.run("archive", "ls", "FILE", "--where", "not body.n = 2", "-o", "ids")
    assert len(ran.out.split()) == 1
    assert "1 message not selected because the condition is unknown: body.n is NULL" in ran.err
