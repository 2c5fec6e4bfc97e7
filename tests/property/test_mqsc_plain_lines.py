"""A command reads the same by the quick ways, line by line, and with its lines joined first."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from benchmarks import mqsc_parse
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.mq.mqsc import parse as mqsc_parser
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import Script
from tests.support.scale import amount

GOOD = sorted((Path(__file__).parents[1] / "unit/mq/mqsc/good_scripts").iterdir())
HEADS = (
    "DEFINE QLOCAL('A')",
    "def ql(a) maxdepth(5)",
    "DEFINE +",
    "ALTER QMGR",
    "DEFINE REPLACE QLOCAL(A)",
    "SET AUTHREC",
    "SET POLICY(A)",
    "DISPLAY QLOCAL",
    "END",
    "DEFINE QLOCAL",
    "nonsense",
    "DEFINE NOREPLACE",
)
LINES = (
    "MAXDEPTH(5)",
    "MAXDEPTH",
    "(5)",
    "DESCR('it''s')",
    "DESCR('open",
    "text')",
    "REPLACE",
    "REPL",
    "ACE",
    "AUTHADD(GET,PUT)",
    "AUTHADD(GET,",
    "PUT)",
    "BOTHRESH( 3 ) BOQNAME('B')",
    "* comment",
    "",
    "   ",
    "USAGE(NORMAL);",
    "DEFINE QLOCAL(B)",
    "DEFINE(1)",
    "SET",
    "CONNAME('h(1)')",
    "CONNAME(h(1))",
    "X({{y}})",
    "LONG('" + 70 * "x" + "')",
    f"{'KEY(1)':72}00000120",
    f"{'K' * 72}00000120",
    "+QMNAME+",
    "STARTARG(+QMNAME+)",
    "a(b) c(d)",
    "REPLACE\t",
    ",MAXDEPTH(7)",
    ")",
    "ÿ(ß)",
    "A(µ)",
)
SIGNS = (" +", "+", " -", "-", "", " + ", " +\t", "++")
ENDS = ("\n", "\r\n")


def both_ways(text: str) -> tuple[Script, Script]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mqsc_parser, "read_line", lambda *place: None)
        patch.setattr(mqsc_parser, "read_plain", lambda *place: None)
        joined = parse(text)
    return parse(text), joined


TRAPS = (
    "REPL+\nACE",
    "REPL-\nACE",
    "REPLACE+\nMAXDEPTH(5)",
    "MAXDEPTH +\n(5)",
    "MAXDEPTH(5) +\nDEFINE QLOCAL(B)",
    "MAXDEPTH(5) +\nSET(1) +\nDEFINE(2) +\nREPLACE",
    "MAXDEPTH(5) +\n",
    "MAXDEPTH(5) +\nMAXDEPTH(6)",
    "MAXDEPTH(5); +\nREPLACE",
    f"{'MAXDEPTH(5) +':72}00000120\nREPLACE",
    f"DESCR('{60 * 'x'}') REPLACE +\nMAXDEPTH(5)",
    f"{60 * ' '}MAXDEPTH(5555) +\nREPLACE",
    "STARTARG(+QMNAME+)\nREPLACE",
    "DESCR('a +\nb') +\nREPLACE",
    "DESCR('a -\n  b')",
)


@pytest.mark.parametrize("rest", TRAPS)
@pytest.mark.parametrize(
    "head", ["DEFINE QLOCAL(A) +\n", "END +\n", "DEFINE QLOCAL(A) +\n* c\n\nPUT(ENABLED) +\n"]
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_what_only_joined_lines_show_is_not_overlooked(head: str, rest: str, ending: str) -> None:
    plain, joined = both_ways(f"{head}{rest}\nDEFINE QLOCAL(C)\n".replace("\n", ending))
    assert plain == joined


@st.composite
def scripts(draw: st.DrawFn) -> str:
    usual = st.sampled_from(("   MAXDEPTH(5) +", "BOQNAME('B') +", "* comment", "REPLACE +"))
    odd = st.tuples(
        st.sampled_from(("", "   ", "\t")), st.sampled_from(LINES), st.sampled_from(SIGNS)
    ).map("".join)
    lines = st.one_of(usual, odd)
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        parts.append(draw(st.sampled_from(HEADS)) + draw(st.sampled_from(SIGNS)))
        parts += draw(st.lists(lines, max_size=5))
    ending = draw(st.sampled_from(ENDS))
    return ending.join(parts) + draw(st.sampled_from(("", ending)))


@settings(max_examples=amount(400), deadline=None)
@given(scripts())
@pytest.mark.slow
def test_generated_scripts_read_the_same_both_ways(text: str) -> None:
    plain, joined = both_ways(text)
    assert plain == joined


def test_good_scripts_and_their_mutations_read_the_same_both_ways() -> None:
    random = Random(12)
    texts = [decode_script(path.read_bytes()) for path in GOOD]
    texts.append(mqsc_parse.dump(5_000))
    for text in texts:
        for _ in range(amount(10)):
            plain, joined = both_ways(text)
            assert plain == joined, text
            at = random.randrange(len(text))
            text = text[:at] + random.choice("+-\n ()'*;,A1") + text[at + random.randrange(2) :]


def test_a_dump_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(mqsc_parser, "gather")
    assert len(parse(mqsc_parse.dump(5_000)).commands) > 3
