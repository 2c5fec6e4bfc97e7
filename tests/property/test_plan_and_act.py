"""What a plan says will stay does stay, for the reason that it gives, and nothing else does."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.dlh import DLH, encode
from mqtriage.mq.headers.layout import Following
from tests.acceptance.messages.estate import STAGING, Estate

pytestmark = pytest.mark.slow

_STAYS = re.compile(
    r"(\d+) (?:(?:of them |more )?will be (skipped|parked on PARK|left)|cannot be taken back): (.*)"
)
_LINE = re.compile(r"line \d+: ")
"""Where in its file a message stands that is not loaded: an item says that, a plan the reasons."""
_PLAIN = Following("MQSTR", 546, 1208)
_JMS = {"format": "MQHRF2", "ccsid": 1208, "encoding": 273}


def _added(*folders: tuple[str, dict[str, Any]]) -> bytes:
    return rfh2.encode(rfh2.build(list(folders), _PLAIN)) + b"poison"


DEAD = encode(DLH(2053, "OUT", "QM1", encoding=273, ccsid=819, format="MQSTR")) + b"dead"
KINDS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "plain": (b"plain", {}),
    "dead": (DEAD, {"format": "MQDEAD"}),
    "cut dead": (DEAD[:20], {"format": "MQDEAD"}),
    "dead in name": (b"nothing of the kind", {"format": "MQDEAD"}),
    "added by JMS": (_added(("mcd", {"Msd": "jms_text"})), _JMS),
    "with properties": (_added(("usr", {"Color": "red"})), _JMS),
    "poison": (_added(("jms", {"Dst": "queue:///HOME"})), _JMS),
    "poison with properties": (
        _added(("jms", {"Dst": "queue:///HOME"}), ("usr", {"Color": "red"})),
        _JMS,
    ),
    "not of JMS": (_added(("mcd", {"Msd": "jms_text"})), {**_JMS, "encoding": 546}),
    "expires": (b"soon over", {"expiry_tenths": 600}),
    "reported": (
        b"owed",
        {"expiry_tenths": 700, "report": cmqc.MQRO_EXPIRATION, "reply_to_q": "REPLY"},
    ),
    "reported elsewhere": (
        b"owed there",
        {
            "expiry_tenths": 700,
            "report": cmqc.MQRO_EXPIRATION,
            "reply_to_q": "REPLY",
            "reply_to_q_mgr": "QM9",
        },
    ),
}
DELAYS = {"soon": 60_000, "later": 7_200_000}
ON_A_QUEUE = (
    "msg copy IN --to OUT",
    "msg copy IN --to OUT --headers strip",
    "msg copy IN --to OUT --headers strip --new-msgid --message-context default",
    "msg move IN --to OUT --headers strip",
    "msg move IN --to OUT --headers strip --message-context pass",
    "msg move IN --to OUT --headers strip --park PARK",
    "msg move IN --to FAR --headers strip",
    "msg move IN --to OUT --headers drop",
    "msg move IN --to OUT --set-prop Color=blue --park PARK",
    "msg move IN --to OUT --set-prop Color --headers strip",
    "msg move IN --to FARTHER --park PARK",
    "msg copy IN --to FAR",
    "dlq requeue IN --to FAR",
    "msg purge IN --confirm IN",
    "backout requeue IN --to OUT --headers strip",
    "expiry extend IN --expiry 1h",
    "expiry purge IN --expires-within 1h",
    "backout requeue IN --to origin --headers strip",
    "dlq requeue IN --to OUT",
    "dlq requeue IN",
    "dlq requeue IN --set-prop Color=blue",
    "dlq requeue IN --headers drop",
    "backout requeue IN --to origin --set-prop Color=blue",
)
STAGED = (
    "delay release",
    "delay cancel --to OUT --headers strip",
    "delay cancel --to OUT",
    "delay cancel --to FAR --headers strip",
    "delay reschedule --delay 30s",
    "delay reschedule --shift -30m",
    "delay reschedule --shift +1h",
)


@pytest.fixture(scope="module")
def estate() -> Any:
    """A queue manager whose queues each example empties."""
    with tempfile.TemporaryDirectory() as folder:
        estate = Estate.create(Path(folder))
        for name in ("IN", "OUT", "PARK", "REPLY"):
            estate.queue(name)
        estate.queue("QM9", USAGE="XMITQ")
        with estate.connected() as backend:
            backend.define("QREMOTE", "FAR", {"RNAME": "FAR.IN", "RQMNAME": "QM9"})
            backend.define("QALIAS", "FARTHER", {"TARGET": "FAR"})
        estate.queue("HOME", BOQNAME="IN", BOTHRESH=3)
        yield estate


def _empty(estate: Estate, *queues: str) -> None:
    for queue in queues:
        estate.take(queue, len(estate.messages(queue)))


def _planned(notes: list[str]) -> Counter[tuple[str, str]]:
    stays: Counter[tuple[str, str]] = Counter()
    for note in notes:
        if match := _STAYS.fullmatch(note):
            fate = "parked" if (match[2] or "").startswith("parked") else "skipped"
            stays[fate, match[3]] += int(match[1])
    return stays


def _assert_held_together(estate: Estate, line: str, *more: str) -> None:
    plan = estate.run(*line.split(), *more, "--dry-run", "-o", "json")
    document = plan.json["item"]
    ran = estate.run(*line.split(), *more, "--yes", "-o", "json")
    assert plan.code == ran.code, (plan, ran)
    assert (plan.code == 8) == bool(document["refusals"]), plan.err
    if document["count"] == 0 or document["refusals"]:
        return
    items = ran.json["items"]
    stays = Counter(
        (item["outcome"], _LINE.sub("", item["reason"]))
        for item in items
        if item["outcome"] in ("skipped", "parked")
    )
    assert _planned(document["notes"]) == stays, (line, document["notes"], items)
    assert not [item for item in items if item["outcome"] == "failed"], (line, items)


@settings(max_examples=40)
@given(
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6),
    line=st.sampled_from(ON_A_QUEUE),
    rollbacks=st.integers(0, 3),
)
def test_what_stays_on_a_queue_is_what_the_plan_said(
    estate: Estate, kinds: list[str], line: str, rollbacks: int
) -> None:
    _empty(estate, "IN", "OUT", "PARK", "REPLY", "HOME", "QM9")
    estate.alter("IN", BOTHRESH=3)
    for kind in kinds:
        body, fields = KINDS[kind]
        estate.put("IN", body, **fields)
    estate.roll_back("IN", rollbacks)
    _assert_held_together(estate, line, "--allow-reports")


@settings(max_examples=40)
@given(
    delays=st.lists(st.sampled_from(sorted(DELAYS)), min_size=1, max_size=4),
    foreign=st.booleans(),
    expires=st.booleans(),
    line=st.sampled_from(STAGED),
)
def test_what_stays_staged_is_what_the_plan_said(
    estate: Estate, delays: list[str], foreign: bool, expires: bool, line: str
) -> None:
    _empty(estate, STAGING, "OUT", "QM9")
    for delay in delays:
        estate.delayed("OUT", b"later", delay_ms=DELAYS[delay])
    if expires:
        with estate.connected() as backend:
            md = MQMD(format="MQSTR", ccsid=1208, persistence=1, expiry_tenths=73_000)
            backend.put_delayed("OUT", md, b"short", 7_200_000)
    if foreign:
        estate.put(STAGING, b"DDH nothing of ours", format="MQHDDH")
    _assert_held_together(estate, line, "--allow-reports")


@settings(max_examples=25)
@given(
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6),
    line=st.sampled_from(ON_A_QUEUE),
    rollbacks=st.integers(0, 3),
)
def test_what_a_plan_file_says_when_it_is_applied_is_what_stays(
    estate: Estate, kinds: list[str], line: str, rollbacks: int
) -> None:
    _empty(estate, "IN", "OUT", "PARK", "REPLY", "HOME")
    estate.alter("IN", BOTHRESH=3)
    for kind in kinds:
        body, fields = KINDS[kind]
        estate.put("IN", body, **fields)
    estate.roll_back("IN", rollbacks)
    file = estate.folder / "plan.ndjson"
    file.unlink(missing_ok=True)
    words = line.removesuffix(" --confirm IN").split()
    ran = estate.run(*words, "--allow-reports", "--plan", str(file))
    if file.exists():
        _assert_held_together(estate, f"apply {file}")
    else:
        assert ran.code == 8 or "nothing to do" in ran.err, ran


LOADS = (
    "msg load FILE --to OUT",
    "msg load FILE --to OUT --headers strip",
    "msg load FILE --to OUT --headers strip --new-msgid",
    "msg load FILE --to OUT --headers drop",
    "archive restore FILE --to OUT",
)


@settings(max_examples=25)
@given(
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6),
    line=st.sampled_from(LOADS),
    there=st.booleans(),
)
def test_what_is_not_loaded_is_what_the_plan_said(
    estate: Estate, kinds: list[str], line: str, there: bool
) -> None:
    _empty(estate, "IN", "OUT")
    for kind in kinds:
        body, fields = KINDS[kind]
        estate.put("IN", body, **fields)
    file = estate.folder / "saved.ndjson"
    file.unlink(missing_ok=True)
    assert estate.run("msg", "archive", "IN", "--out", str(file)).code == 0
    if there:
        assert estate.run("msg", "copy", "IN", "--to", "OUT", "--limit", "1", "--yes").code == 0
    _assert_held_together(estate, line.replace("FILE", str(file)), "--allow-reports")
