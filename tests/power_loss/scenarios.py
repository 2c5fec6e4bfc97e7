"""Operations whose every call is cut: what they begin with, the command line, what must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from mqtriage.mq import cmqc
from mqtriage.mq.headers.dlh import DLH, encode
from tests.acceptance.messages.estate import STAGING, Estate
from tests.power_loss.kinds import (
    BODIES,
    MESSAGES,
    Changed,
    Filed,
    Kind,
    Moved,
    Packed,
    Unchanged,
    estate_of,
)

RULES: Final = "dlq.rules"
FILE: Final = "kept.ndjson"
SCRIPT: Final = "script.mqsc"


class Scenario(NamedTuple):
    """An operation.

    Attributes:
        prepare: makes what the operation finds.
        argv: the command line; {home} stands for the folder.
        kind: what must hold of it.
    """

    prepare: Callable[[Estate], None]
    argv: str
    kind: Kind


def _plain(estate: Estate) -> None:
    estate.put("IN", *BODIES)


def _filed(estate: Estate) -> None:
    _plain(estate)
    kept = str(estate.folder / FILE)
    assert estate_of(estate.folder).run("msg", "archive", "IN", "--out", kept).code == 0


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
    report = cmqc.MQRO_EXPIRATION_WITH_FULL_DATA
    asked = {"report": report, "reply_to_q": "IN", "expiry_tenths": 10}
    estate.queue("OLD")
    estate.put("OLD", *BODIES, **asked)
    estate.advance(2)
    assert (
        estate_of(estate.folder).run("expiry", "sweep", "OLD", "--allow-reports", "--yes").code == 0
    )
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


def _backed_out(estate: Estate) -> None:
    estate.alter("OUT", BOQNAME="IN", BOTHRESH=3)
    _plain(estate)


def _short_lived(estate: Estate) -> None:
    estate.put("IN", *BODIES, expiry_tenths=36_000)


def _over(estate: Estate) -> None:
    estate.put("IN", *BODIES, expiry_tenths=10)
    estate.advance(2)


def _undone(estate: Estate) -> None:
    _plain(estate)
    assert estate_of(estate.folder).run("msg", "move", "IN", "--to", "OUT", "--yes").code == 0


def _undone_properties(estate: Estate) -> None:
    _plain(estate)
    line = ("msg", "move", "IN", "--to", "OUT", "--set-prop", "n=1", "--yes")
    assert estate_of(estate.folder).run(*line).code == 0


def _changed_back(estate: Estate) -> None:
    assert estate_of(estate.folder).run("queue", "set", "IN", "MAXDEPTH=7", "--yes").code == 0


def _planned(estate: Estate) -> None:
    _plain(estate)
    plan = str(estate.folder / "plan.json")
    assert (
        estate_of(estate.folder)
        .run("msg", "move", "IN", "--to", "OUT", "--batch", "2", "--plan", plan)
        .code
        == 0
    )


def _saved(estate: Estate) -> None:
    _scripted(estate)
    files = [str(estate.folder / name) for name in (SCRIPT, "plan.json")]
    assert estate_of(estate.folder).run("plan", files[0], "--out", files[1]).code == 0


def _scripted(estate: Estate) -> None:
    _plain(estate)
    (estate.folder / SCRIPT).write_text(
        "DEFINE QLOCAL(NEW.Q) DESCR('new')\nALTER QLOCAL(IN) MAXDEPTH(7)\n"
        "DEFINE QALIAS(AN.ALIAS) TARGET(IN)\n"
    )


def _purged(estate: Estate) -> None:
    _filed(estate)
    for name in ("IN", "OUT"):
        estate.put(name, *BODIES)
        line = ("msg", "purge", name, "--confirm", name, "--limit", "2")
        assert estate_of(estate.folder).run(*line).code == 0
    (estate.folder / "key").write_bytes(b"k" * 32)
    (estate.folder / "key").chmod(0o600)


def _contexts(estate: Estate) -> None:
    for line in ("add known -m QM1", "add other -m QM1", "use known", "use other"):
        assert estate_of(estate.folder).run("context", *line.split()).code == 0


def _shot(estate: Estate) -> None:
    _plain(estate)
    assert estate_of(estate.folder).run("snapshot", "take").code == 0


def _old(estate: Estate) -> None:
    _shot(estate)
    for today in (estate.folder / "snapshots").glob("*/*/snap_date=*"):
        today.rename(today.with_name("snap_date=2026-01-05"))


def _two_old(estate: Estate) -> None:
    _shot(estate)
    _old(estate)


_CONTEXTS: Final = Filed([("context ls", "name qmgr selected")])
_SWITCHED: Final = Filed([("context ls", "name qmgr selected")], is_repeated=False)
_ARCHIVES: Final = Filed(
    [("archive ls", "action messages"), ("archive verify", "state"), ("journal ls", "action state")]
)
_SNAPSHOT: Final = "queue_manager message_count problems"
_MANAGERS: Final = Filed([("emulator ls", "name running problem")])
_ONCE: Final = Filed([("emulator ls", "name running problem")], is_repeated=False)


def _copied(file: str) -> Filed:
    return Filed(
        [(f"archive verify {{home}}/{file}", "state messages")], elsewhere=("copy", "other")
    )


SCENARIOS: Final = {
    "msg purge": Scenario(_plain, "msg purge IN --confirm IN --batch 2 -q", Moved("")),
    "msg move": Scenario(_plain, "msg move IN --to OUT --batch 2 --yes -q", Moved("OUT")),
    "msg move: to a remote queue": Scenario(
        _remote, "msg move IN --to FAR --batch 2 --yes -q", Moved("QM9")
    ),
    "msg move: a property changes": Scenario(
        _plain, "msg move IN --to OUT --set-prop n=1 --batch 2 --yes -q", Moved("OUT")
    ),
    "msg copy": Scenario(_plain, "msg copy IN --to OUT --batch 2 --yes -q", Moved("OUT")),
    "msg load": Scenario(
        _filed, f"msg load {{home}}/{FILE} --to OUT --batch 2 --yes -q", Moved("OUT")
    ),
    "archive restore": Scenario(
        _filed, f"archive restore {{home}}/{FILE} --to OUT --batch 2 --yes -q", Moved("OUT")
    ),
    "dlq run": Scenario(_dead, f"dlq run -f {{home}}/{RULES} --batch 2 --yes -q", Moved("OUT")),
    "dlq requeue": Scenario(_dead, "dlq requeue --batch 2 --yes -q", Moved("OUT")),
    "dlq purge": Scenario(_dead, "dlq purge --confirm IN --batch 2 -q", Moved("")),
    "delay release": Scenario(_staged, "delay release --batch 2 --yes -q", Moved("OUT")),
    "delay reschedule": Scenario(
        _staged, "delay reschedule --shift +1m --batch 2 --yes -q", Moved(STAGING)
    ),
    "delay cancel": Scenario(_staged, f"delay cancel --confirm {STAGING} --batch 2 -q", Moved("")),
    "expiry revive": Scenario(
        _expired, "expiry revive IN --to OUT --batch 2 --yes -q", Moved("OUT")
    ),
    "expiry extend": Scenario(
        _short_lived, "expiry extend IN --expiry 2h --batch 2 --yes -q", Moved("IN")
    ),
    "expiry purge": Scenario(
        _short_lived, "expiry purge IN --expires-within 30d --confirm IN --batch 2 -q", Moved("")
    ),
    "backout move": Scenario(_poison, "backout move IN --batch 2 --yes -q", Moved("OUT")),
    "backout requeue": Scenario(
        _backed_out, "backout requeue IN --to OUT --batch 2 --yes -q", Moved("OUT")
    ),
    "backout purge": Scenario(_backed_out, "backout purge IN --confirm IN --batch 2 -q", Moved("")),
    "journal undo": Scenario(_undone, "journal undo --batch 2 --yes -q", Moved("IN")),
    "journal undo: changed properties": Scenario(
        _undone_properties, "journal undo --batch 2 --yes -q", Moved("IN")
    ),
    "journal undo: a change": Scenario(_changed_back, "journal undo --confirm QM1 -q", Changed()),
    "queue define": Scenario(_plain, "queue define NEW.Q MAXDEPTH=7 --yes -q", Changed()),
    "queue set": Scenario(_plain, "queue set IN MAXDEPTH=7 --yes -q", Changed()),
    "queue delete": Scenario(_plain, "queue delete OUT --yes -q", Changed()),
    "backout set": Scenario(_plain, "backout set IN --threshold 3 --boq OUT --yes -q", Changed()),
    "backout set: off": Scenario(
        _poison, "backout set IN --threshold 0 --boq= --yes -q", Changed()
    ),
    "delay define": Scenario(_plain, "delay define --maxdepth 300000 --yes -q", Changed()),
    "mqsc run": Scenario(_scripted, f"mqsc run {{home}}/{SCRIPT} --yes -q", Changed()),
    "apply": Scenario(_scripted, f"apply {{home}}/{SCRIPT} --yes -q", Changed()),
    "apply: a plan on messages": Scenario(
        _planned, "apply {home}/plan.json --yes -q", Moved("OUT")
    ),
    "apply: a plan of definitions": Scenario(_saved, "apply {home}/plan.json --yes -q", Changed()),
    "msg put": Scenario(
        _plain, "msg put OUT message-09 --count 3 --yes -q", Changed(has_way_back=False)
    ),
    "msg put: delayed": Scenario(
        _plain, "msg put OUT message-09 --delay 5m --yes -q", Changed(has_way_back=False)
    ),
    "expiry sweep": Scenario(
        _over, "expiry sweep IN --yes -q", Changed(has_way_back=False, is_seen=False)
    ),
    "msg archive": Scenario(
        _plain, "msg archive IN --out {home}/copy.ndjson -q", _copied("copy.ndjson")
    ),
    "incident": Scenario(
        _plain, "incident IN --out {home}/copy -q", _copied("copy/messages.ndjson")
    ),
    "incident: a .zip": Scenario(
        _plain, "incident IN --out {home}/copy.zip -q", Packed("copy.zip")
    ),
    "archive copy": Scenario(
        _purged,
        f"archive copy {{home}}/{FILE} --out {{home}}/copy.ndjson.gz -q",
        _copied("copy.ndjson.gz"),
    ),
    "archive copy: redacted": Scenario(
        _purged,
        f"archive copy {{home}}/{FILE} --key-file {{home}}/key --no-bodies"
        " --out {home}/copy.ndjson -q",
        _copied("copy.ndjson"),
    ),
    "archive prune": Scenario(_purged, "archive prune --older-than 0s --yes -q", _ARCHIVES),
    "journal prune": Scenario(_purged, "journal prune --older-than 0s --yes -q", _ARCHIVES),
    "snapshot take": Scenario(_plain, "snapshot take -q", Filed([("snapshot ls", _SNAPSHOT)])),
    "snapshot export": Scenario(
        _shot,
        "snapshot export --out {home}/exported -q",
        Filed(
            [("snapshot ls --folder {home}/exported", _SNAPSHOT)], elsewhere=("exported", "other")
        ),
    ),
    "snapshot prune": Scenario(
        _old, "snapshot prune --older-than 30d --yes -q", Filed([("snapshot ls", _SNAPSHOT)])
    ),
    "snapshot compact": Scenario(
        _two_old,
        "snapshot compact -q",
        Unchanged(
            [
                ("snapshot ls", f"snapshot_id {_SNAPSHOT}"),
                ("snapshot diff first latest", "change object msg_id"),
            ]
        ),
    ),
    "context add": Scenario(_contexts, "context add new -m QM1 -q", _CONTEXTS),
    "context use": Scenario(_contexts, "context use known -q", _CONTEXTS),
    "context use: back": Scenario(_contexts, "context use - -q", _SWITCHED),
    "context rm": Scenario(_contexts, "context rm known --yes -q", _CONTEXTS),
    "emulator create": Scenario(_plain, "emulator create QM2 -q", _MANAGERS),
    "emulator rm": Scenario(_plain, "emulator rm QM1 --confirm QM1 -q", _MANAGERS),
}
"""By the verb, and where there are more of one, a colon and which it is."""


def verb(name: str) -> str:
    """Which verb a scenario is of."""
    return name.partition(":")[0]
