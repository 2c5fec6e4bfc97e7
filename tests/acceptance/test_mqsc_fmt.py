"""`mqtriage mqsc fmt`: one form, the same meaning, the same bytes the second time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.definitions.format_files import formatted
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import decode_script, parse
from tests.acceptance.conftest import Bench
from tests.support.scale import amount

CORPUS = Path(
    os.environ.get("MQTRIAGE_CORPUS", Path(__file__).parents[2] / ".." / "shared" / "corpus")
)
UGLY = "* kept\ndef ql(a) descr('it''s') maxdepth( 7 )\n\nalt ql(a) +\n* inside\n  get(disabled)\n"
NEAT = (
    "* kept\nDEFINE QLOCAL(A) DESCR('it''s') MAXDEPTH(7)\n\nALTER QLOCAL(A) +\n* inside\n"
    "       GET(DISABLED)\n"
)


def file(bench: Bench, data: bytes, name: str = "s.mqsc") -> Path:
    bench.home.mkdir(exist_ok=True)
    path = bench.home / name
    path.write_bytes(data)
    return path


def test_a_file_is_brought_into_form_and_keeps_comments_and_permissions(empty_bench: Bench) -> None:
    path = file(empty_bench, UGLY.encode())
    path.chmod(0o640)
    ran = empty_bench.run("mqsc", "fmt", str(path), "-o", "json")
    assert ran.code == 0, ran.err
    assert path.read_text() == NEAT
    assert path.stat().st_mode & 0o777 == 0o640
    assert ran.items == [{"file": str(path), "changed": True, "commands": 2, "wrong": 0}]
    assert list(empty_bench.home.iterdir()) == [path]


def test_the_second_time_nothing_changes_and_the_file_is_not_touched(empty_bench: Bench) -> None:
    path = file(empty_bench, NEAT.encode())
    before = path.stat()
    ran = empty_bench.run("mqsc", "fmt", str(path), "-o", "json")
    assert ran.json["summary"] == {"files": 1, "changed": 0, "check": False}
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_check_exits_4_and_changes_nothing(empty_bench: Bench) -> None:
    ugly = file(empty_bench, UGLY.encode())
    neat = file(empty_bench, NEAT.encode(), "neat.mqsc")
    ran = empty_bench.run("mqsc", "fmt", "--check", str(ugly), str(neat), "-o", "json")
    assert ran.code == 4
    assert [item["changed"] for item in ran.items] == [True, False]
    assert ugly.read_text() == UGLY
    assert empty_bench.run("mqsc", "fmt", "--check", str(neat)).code == 0


@pytest.mark.parametrize("arguments", [["-"], ["-", "-o", "mqsc"]])
def test_standard_input_goes_to_standard_output(empty_bench: Bench, arguments: list[str]) -> None:
    ran = empty_bench.run("mqsc", "fmt", *arguments, answer=UGLY)
    assert (ran.code, ran.out) == (0, NEAT)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (b"\xef\xbb\xbf", "utf-8"),
        (b"", "latin-1"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ],
)
def test_the_encoding_stays(empty_bench: Bench, mark: bytes, encoding: str) -> None:
    path = file(empty_bench, mark + "def ql(a) descr('Grüße')\r\n".encode(encoding))
    assert empty_bench.run("mqsc", "fmt", str(path)).code == 0
    expected = mark + "DEFINE QLOCAL(A) DESCR('Grüße')\r\n".encode(encoding)
    assert path.read_bytes() == expected


def test_a_wrong_command_stays_as_it_is_and_is_told(empty_bench: Bench) -> None:
    path = file(empty_bench, b"def ql(a)\nmake   me a queue\n")
    ran = empty_bench.run("mqsc", "fmt", str(path))
    assert ran.code == 0
    assert path.read_text() == "DEFINE QLOCAL(A)\nmake   me a queue\n"
    assert "s.mqsc:2:1: error:" in ran.err
    assert "stays as it is" in ran.err


def test_a_list_of_names_stays_whole(empty_bench: Bench) -> None:
    path = file(empty_bench, b"rverify security(user1,user2)\n")
    assert empty_bench.run("mqsc", "fmt", str(path)).code == 0
    assert path.read_text() == "RVERIFY SECURITY(USER1,USER2)\n"


def test_replace_stands_behind_the_name(empty_bench: Bench) -> None:
    path = file(empty_bench, b"DEFINE NOREPLACE QLOCAL('A') MAXDEPTH(7)\n")
    assert empty_bench.run("mqsc", "fmt", str(path)).code == 0
    assert path.read_text() == "DEFINE QLOCAL('A') NOREPLACE MAXDEPTH(7)\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_letters_beyond_ascii_are_not_folded(empty_bench: Bench, encoding: str) -> None:
    """The upper case of two letters of Latin-1 is not in it, and that of one is two letters."""
    path = file(empty_bench, "def ql(a) descr(\xff\xb5stra\xdfe)\n".encode(encoding))
    neat = file(empty_bench, UGLY.encode(), "b.mqsc")
    assert empty_bench.run("mqsc", "fmt", str(path), str(neat)).code == 0
    assert path.read_bytes() == "DEFINE QLOCAL(A) DESCR(\xff\xb5STRA\xdfE)\n".encode(encoding)
    assert neat.read_text() == NEAT


def test_all_files_are_read_before_one_is_written(empty_bench: Bench) -> None:
    path = file(empty_bench, UGLY.encode())
    ran = empty_bench.run("mqsc", "fmt", str(path), str(empty_bench.home / "no.mqsc"))
    assert ran.code == 5
    assert path.read_text() == UGLY


def test_bytes_that_are_no_text_stay(empty_bench: Bench) -> None:
    path = file(empty_bench, b"\xff\xfeabc")  # half a UTF-16 character at the end
    assert empty_bench.run("mqsc", "fmt", str(path)).code == 0
    assert path.read_bytes() == b"\xff\xfeabc"


# -- what must always hold ------------------------------------------------------------------------


def meaning(text: str) -> list[object]:
    """Every command as it would be selector_of, comments in their order."""
    script = parse(text)
    return [
        (c.verb, c.noun, c.name.text if c.name else None,
         [(p.keyword, None if p.values is None else [v.text for v in p.values])
          for p in c.parameters])
        if c.error is None else script.raw(c).strip()
        for c in script.commands
    ]  # fmt: skip


WORDS = st.sampled_from(
    ["def ql(a)", "ALTER QLOCAL(B)", "descr('x  y')", "maxdepth(5)", "+\n", "-\n", " ", "\n", ";",
     "* note\n", "'", "(", ")", "noshare", "dis q(*) where(descr lk 'a*')", "end\n", "\r\n", "\t",
     "set authrec profile(a) objtype(queue) group('g') authadd(get,put)", "é", "descr('a+\nb')"]
)  # fmt: skip


@settings(max_examples=amount(40), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_formatting_keeps_the_meaning_and_is_idempotent(text: str) -> None:
    once = format_script(parse(text))
    assert meaning(once) == meaning(text)
    assert format_script(parse(once)) == once


def test_every_real_script_keeps_its_meaning_and_is_stable() -> None:
    paths = sorted((CORPUS / "mqsc").glob("*.mqsc"))
    if not paths:
        pytest.skip("no corpus of MQSC (MQTRIAGE_CORPUS)")
    for path in paths:
        text = decode_script(path.read_bytes())
        once = formatted(str(path), lambda: b"").text
        assert meaning(once) == meaning(text), path.name
        assert format_script(parse(once)) == once, path.name


def test_a_file_that_mqsc_is_only_in_is_left_alone(empty_bench: Bench) -> None:
    path = file(empty_bench, b"a.mqsc: |\n  def ql(a)\n", "a.yaml")
    ran = empty_bench.run("mqsc", "fmt", str(path))
    assert (ran.code, "a.yaml: is not a script" in ran.error_line) == (2, True)
    assert path.read_bytes() == b"a.mqsc: |\n  def ql(a)\n"
