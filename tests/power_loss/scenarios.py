"""Operations whose every call is cut: what they begin with, the command line, what must hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from mqtriage.messages.stored_messages import Numbered, read_line
from mqtriage.mq.constants import MQRO_EXPIRATION_WITH_FULL_DATA
from mqtriage.mq.headers.dlh import DLH, encode
from tests.acceptance.messages.estate import Estate

MESSAGES: Final = 5
BODIES: Final = [b"message-%02d" % number for number in range(MESSAGES)]
TOKEN: Final = re.compile(rb"message-\d\d")
RULES: Final = "dlq.rules"
FILE: Final = "kept.ndjson"

Counts = Counter[bytes]


class Scenario(NamedTuple):
    """An operation.

    Attributes:
        prepare: puts the messages where the operation finds them.
        argv: the command line; {home} stands for the folder.
        to: the queue where all are when it is done; "" for a purge.
        keeps: they stay where they were as well.
    """

    prepare: Callable[[Estate], None]
    argv: str
    to: str
    keeps: bool = False


def _plain(estate: Estate) -> None:
    estate.put("IN", *BODIES)


def _filed(estate: Estate) -> None:
    _plain(estate)
    kept = str(estate.folder / FILE)
    assert estate.run("msg", "archive", "IN", "--out", kept).code == 0


def _remote(estate: Estate) -> None:
    _plain(estate)
    estate.queue("QM9", USAGE="XMITQ")
    with estate.connected() as backend:
        backend.define("QREMOTE", "FAR", {"RNAME": "FAR.IN", "RQMNAME": "QM9"})


def _dead(estate: Estate) -> None:
    estate.alter("QM1", DEADQ="IN")
    header = encode(DLH(2053, "OUT", "QM1", encoding=273, ccsid=819, format="MQSTR"))
    estate.put("IN", *(header + body for body in BODIES), format="MQDEAD")
    (estate.folder / RULES).write_text("ACTION(RETRY)")


def _staged(estate: Estate) -> None:
    estate.delayed("OUT", *BODIES)


def _expired(estate: Estate) -> None:
    report = MQRO_EXPIRATION_WITH_FULL_DATA
    asked = {"report": report, "reply_to_q": "IN", "expiry_tenths": 10}
    estate.queue("OLD")
    estate.put("OLD", *BODIES, **asked)
    estate.advance(2)
    assert estate.run("expiry", "sweep", "OLD", "--allow-reports", "--yes").code == 0
    assert len(estate.messages("IN")) == MESSAGES


def _poison(estate: Estate) -> None:
    estate.alter("IN", BOQNAME="OUT", BOTHRESH=3)
    _plain(estate)
    with estate.connected() as backend:
        handle = backend.open("IN", 2)
        for _ in range(4):
            for _ in BODIES:
                handle.get(2)
            backend.backout()


def _parked(estate: Estate) -> None:
    estate.alter("IN", BOQNAME="OUT")
    _plain(estate)


SCENARIOS: Final = {
    "purge": Scenario(_plain, "msg purge IN --confirm IN --batch 2 -q", ""),
    "requeue": Scenario(_plain, "msg requeue IN --to OUT --batch 2 --yes -q", "OUT"),
    "move to a remote queue": Scenario(_remote, "msg move IN FAR --batch 2 --yes -q", "QM9"),
    "copy": Scenario(_plain, "msg copy IN OUT --batch 2 --yes -q", "OUT", True),
    "dlq run": Scenario(_dead, "dlq run -f {home}/" + RULES + " --batch 2 --yes -q", "OUT"),
    "delay release": Scenario(_staged, "delay release --batch 2 --yes -q", "OUT"),
    "expiry revive": Scenario(_expired, "expiry revive IN --to OUT --batch 2 --yes -q", "OUT"),
    "park": Scenario(_parked, "backout park IN --batch 2 --yes -q", "OUT"),
    "sweep": Scenario(_poison, "backout sweep IN --batch 2 --yes -q", "OUT"),
    "load": Scenario(
        _filed, "msg load {home}/" + FILE + " --to OUT --batch 2 --yes -q", "OUT", True
    ),
    "restore": Scenario(
        _filed, "archive restore {home}/" + FILE + " --to OUT --batch 2 --yes -q", "OUT", True
    ),
}


def counts(estate: Estate) -> dict[str, Counts]:
    """Of each queue how often each message is on it, whatever was put in front of its data."""
    with estate.connected() as backend:
        names = [queue.name for queue in backend.queues("*") if queue.kind == "QLOCAL"]
    return {
        name: some
        for name in names
        if (some := Counter(b for body in estate.bodies(name) for b in TOKEN.findall(body)))
    }


def archived(home: Path) -> set[bytes]:
    """The messages that are in an archive with all their data."""
    messages: set[bytes] = set()
    for path in (home / "archive").glob("*.ndjson"):
        for line in path.read_bytes().splitlines(keepends=True):
            stored = read_line(0, line)
            if isinstance(stored, Numbered):
                messages |= set(TOKEN.findall(stored.entry.body))
    return messages


def problem(scenario: Scenario, home: Path, *, began: bool) -> str:
    """Which message is lost, doubled or not where it should be; "" for none.

    Args:
        began: the journal has the operation, so that a resume has finished it.
    """
    there = counts(Estate(home))
    places: Counts = sum(there.values(), Counter())
    whole = Counter(BODIES)
    if scenario.keeps:
        arrived = there.get(scenario.to, Counter())
        expected = whole if began else Counter()
        return "" if arrived == expected else f"{scenario.to} has {arrived}"
    if not scenario.to:
        kept = archived(home)
        lost = [body for body in BODIES if not places[body] and body not in kept]
        return f"lost: {lost}" if lost or places - whole else ""
    if places != whole:
        return f"they are on {there}"
    arrived = there.get(scenario.to, Counter())
    return "" if arrived == (whole if began else Counter()) else f"they are on {there}"
