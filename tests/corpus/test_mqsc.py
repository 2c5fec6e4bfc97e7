"""Real MQSC scripts: every file is parsed to its end, and only what is wrong is reported.

The table was written from reading each file: commands in it (wrong ones too), lines with an error,
lines with a note. What is hard about each file is told in the corpus' own INDEX.tsv.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage.mq.mqsc.check import check_script
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import DiagnosticSeverity
from tests.support.mqsc_tokens import tokens

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT / ".." / "shared" / "corpus")) / "mqsc"


class Row(NamedTuple):
    """What a file holds."""

    commands: int
    errors: tuple[int, ...] = ()
    notes: tuple[int, ...] = ()


# 079 is what a user pasted: '#' comments and shell commands between the MQSC
PASTED = (1, 2, 4, 7, 10, 12, 14)  # what stands behind the END of line 15 is not run
SQL_COMMENTS = (3, 12, 15, 17, 23, 26, 28, 34, 38, 41)

ROWS = {
    "003": Row(4, errors=(19,), notes=(17, 18)),  # {{ }} bare on 19, quoted on 17 and 18
    "004": Row(21, errors=(41,)),  # CHCKCLNT({{ .ChckClnt }})
    "009": Row(7, errors=(24,)),
    "010": Row(6),
    "011": Row(18),
    "015": Row(32, errors=(27, 52, 55)),  # $port, $qm, $clusQ
    "016": Row(10),
    "017": Row(6),
    "018": Row(4),
    "021": Row(3),
    "022": Row(5),
    "023": Row(7),
    "024": Row(5),
    "025": Row(6),
    "026": Row(10),
    "027": Row(17),
    "028": Row(6),
    "030": Row(37),
    "034": Row(23),
    "035": Row(1),
    "039": Row(14),
    "040": Row(18),
    "041": Row(7),
    "042": Row(13),
    "044": Row(8),
    "046": Row(7),
    "047": Row(3),
    "048": Row(12),
    "049": Row(1),
    "050": Row(14),
    "051": Row(8),
    "052": Row(3),
    "053": Row(20),
    "055": Row(3),
    "056": Row(10),
    "057": Row(4),
    "058": Row(3),
    "060": Row(4),
    "061": Row(14),
    "063": Row(12, errors=(32,)),  # ALTER CHL CHLTYPE(SC.DEMO.DMZ.LAN): the name is in CHLTYPE
    "064": Row(12, errors=(29,)),
    "067": Row(13, errors=(32,)),
    "068": Row(13, errors=(29,)),
    "072": Row(12),
    "073": Row(16),
    "078": Row(5),
    "079": Row(11, errors=PASTED, notes=(16,)),  # the first END is on line 15
    "082": Row(24),
    "084": Row(13, errors=(1, 2, 7, 8, 9, 10, 13)),  # $REQUESTQ, $MAX_MSG_SIZE, $2 ...
    "085": Row(19),
    "086": Row(22),
    "087": Row(12),
    "088": Row(22),
    "089": Row(5),
    "090": Row(5),
    "091": Row(4, notes=(1,)),  # PROFILE('**') on OBJTYPE(QMGR)
    "092": Row(14),
    "095": Row(1, errors=(1,)),  # one command, a FreeMarker template from its name on
    "096": Row(16, errors=(13,), notes=(12, 16, 20, 22, 26, 28, 32, 33, 41, 43)),
    "098": Row(31, errors=tuple(sorted((*SQL_COMMENTS, 4, 10, 11, 39)))),
    "099": Row(16, errors=(6, 17)),  # npmclass(hish), ql5XXX)
    "101": Row(1),
    "102": Row(2),
    "103": Row(7),
    "104": Row(8, errors=(8,)),  # DISPLAY DISPLAY
}


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.mqsc")) if FOLDER.is_dir() else []


def meaning(text: str) -> list[object]:
    return [
        (c.verb, c.noun, c.name and c.name.text, [(p.keyword, p.text) for p in c.parameters])
        if c.error is None
        else text[c.start : c.end].strip()
        for c in parse(text).commands
    ]


def test_the_corpus_is_there_and_every_file_has_a_row() -> None:
    if not files():
        pytest.skip(f"no MQSC corpus at {FOLDER.name} (MQTRIAGE_CORPUS)")
    assert [path.name[:3] for path in files()] == sorted(ROWS)


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.name[:40]))
def test_every_command_is_found_and_only_wrong_lines_are_reported(path: Path) -> None:
    row = ROWS[path.name[:3]]
    text = decode_script(path.read_bytes())
    script = parse(text, file=path.name)
    assert "".join(script.raw(item) for item in script.items) == text
    assert len(script.commands) == row.commands
    diagnostics = check_script(script)
    assert (
        tuple(d.line for d in diagnostics if d.severity is DiagnosticSeverity.ERROR) == row.errors
    )
    assert (
        tuple(d.line for d in diagnostics if d.severity is not DiagnosticSeverity.ERROR)
        == row.notes
    )


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.name[:40]))
def test_formatting_a_real_script_keeps_its_meaning_and_settles(path: Path) -> None:
    text = decode_script(path.read_bytes())
    once = format_script(parse(text))
    assert meaning(once) == meaning(text)
    assert format_script(parse(once)) == once


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.name[:40]))
def test_formatting_a_real_script_keeps_every_token(path: Path) -> None:
    text = decode_script(path.read_bytes()).removeprefix("\ufeff")
    assert tokens(format_script(parse(text))) == tokens(text)


def test_zos_finds_what_zos_lacks_and_distributed_what_distributed_lacks() -> None:
    if not files():
        pytest.skip(f"no MQSC corpus at {FOLDER.name} (MQTRIAGE_CORPUS)")
    (hunt,) = FOLDER.glob("098-*")
    script = parse(decode_script(hunt.read_bytes()))
    lines = {d.line for d in check_script(script, "dist")} - {d.line for d in check_script(script)}
    assert lines == {16, 27, 29, 33}  # DISPLAY CHINIT (twice), USAGE and LOG
    lines = {d.line for d in check_script(script, "zos") if "LISTENER" in d.message}
    assert lines == {18, 36, 42}
