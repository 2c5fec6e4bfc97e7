"""Where no message is to be taken, the state of the target does not matter: it is no failure."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.acceptance.messages.estate import Estate

LINES = (
    "msg move EMPTY --to SHUT",
    "msg move EMPTY --to NO.ROOM",
    "msg move EMPTY --to OUT --park SHUT",
    "msg copy EMPTY --to SHUT",
    "msg move IN --to SHUT --where \"format = 'NONE'\"",
    "msg move IN --to TINY --where \"format = 'NONE'\"",
    "backout requeue IN --to SHUT --where 'backout > 9'",
    "backout move POISON --where 'backout > 9'",
    "dlq requeue EMPTY --to SHUT",
    "dlq requeue EMPTY --park SHUT",
    "dlq run EMPTY -f park.rules",
    "delay cancel --to SHUT",
    "expiry extend EMPTY --expiry 1h",
    "msg load saved.ndjson --to SHUT --where \"format = 'NONE'\"",
    "archive restore saved.ndjson --to SHUT --where \"format = 'NONE'\"",
)


@pytest.fixture
def closed(estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """A message on IN; queues that take none: one disabled, one full, one too small."""
    monkeypatch.chdir(tmp_path)
    estate.put("IN", b"x")
    assert estate.run("msg", "archive", "IN", "--out", "saved.ndjson").code == 0
    Path("park.rules").write_text("ACTION(FWD) FWDQ(SHUT)\n", "utf-8")
    estate.queue("EMPTY")
    estate.queue("SHUT", PUT="DISABLED")
    estate.queue("NO.ROOM", MAXDEPTH=0)
    estate.queue("TINY", MAXMSGL=0)
    estate.queue("POISON", BOTHRESH=3, BOQNAME="SHUT")
    return estate


@pytest.mark.parametrize("line", LINES)
@pytest.mark.slow
def test_with_no_message_to_take_the_state_of_the_target_is_not_asked(
    closed: Estate, line: str
) -> None:
    for more, code in (("-n", 0), ("--yes", 0), ("--yes --fail-empty", 9)):
        ran = closed.run(*shlex.split(f"{line} {more}"))
        assert ran.code == code, (more, ran)


def test_a_mistyped_target_is_reported_all_the_same(closed: Estate) -> None:
    assert closed.run("msg", "move", "EMPTY", "--to", "NO.SUCH", "--yes").code == 5
    assert closed.run("msg", "move", "EMPTY", "--to", "EMPTY", "--yes").code == 2


def test_with_a_message_to_take_it_is_asked(closed: Estate) -> None:
    ran = closed.run("msg", "move", "IN", "--to", "SHUT", "--yes", "--fail-empty")
    assert (ran.code, "SHUT has PUT(DISABLED)" in ran.err) == (8, True)
