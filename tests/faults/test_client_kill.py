"""kill -9 of a requeue or purge through pymqi or ibmmq at its steps, then `journal resume`.

The process dies; the server notices by the end of its connection and backs its unit of work out.
Fewer kills than in process (`test_kill`), but one at each step: plan, archive, get, put, intent,
commit, mark, the look at the queues afterwards, and each of these again in a resume. Through pymqi
at all of them, through ibmmq at those where a message is in two hands.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.faults.conftest import FaultEstate
from tests.faults.killing import At
from tests.faults.test_kill import RESUME, archived, consume, keys, planned, taken

pytestmark = pytest.mark.slow

MESSAGES = 40
BATCH = 8
VERBS: dict[str, tuple[str, ...]] = {
    "requeue": ("msg", "move", "IN", "--to", "OUT", "--yes", "-q", "--batch", str(BATCH)),
    "purge": ("msg", "purge", "IN", "--confirm", "IN", "-q", "--batch", str(BATCH)),
}
UNITS = MESSAGES // BATCH
STEPS = (
    "plan",
    "archive",
    "get IN",
    "put OUT",
    "intent",
    "commit",
    "mark",
    "settle",
    "look",
    "end",
)
ACTS = VERBS | {"passed": (*VERBS["requeue"], "--message-context", "pass")}
"""With context passed on, the get of each message comes before the put of its copy."""
CASES = [
    ("pymqi", verb, step)
    for verb in VERBS
    for step in STEPS
    if (verb, step) != ("purge", "put OUT")
]
CASES += [("pymqi", "passed", step) for step in ("get IN", "put OUT", "intent", "commit")]
IBMMQ = [("requeue", step) for step in ("get IN", "put OUT", "commit", "settle")]
IBMMQ += [("purge", "commit"), ("passed", "commit")]


@pytest.fixture
def loaded(far: FaultEstate) -> FaultEstate:
    """Messages on IN: pairs with one MsgId, and twins, among them."""
    with far.connected() as backend:
        for number in range(MESSAGES):
            same = number % 8 in (0, 1)
            ident = number - number % 8 if same else number
            body = b"%d" % (ident if same and number % 16 < 8 else number)
            md = MQMD(
                format="MQSTR", persistence=1, msg_id=b"%024d" % ident,
                put_date="20260131", put_time="10000000",
            )  # fmt: skip
            backend.put1("IN", md, body, cmqc.MQPMO_SET_ALL_CONTEXT)
    return far


def chain(step: str) -> Iterator[At]:
    """Where one process after the other dies: at this step in the act, and in each resume."""
    if step == "plan":
        yield from (At(step, when, 1) for when in ("before", "after"))
        return
    if step == "look":  # before anything was done, and when all is done but told
        yield At("look 0", "after", 1)
        yield At(f"look {UNITS}", "before", 1)
        return
    if step == "end":
        yield At(step, "before", 1)
        yield At(step, "after", 1)
        return
    if step == "settle":  # a resume alone settles: its act dies between commit and mark
        yield At("commit", "after", 2)
        yield from (At(step, when, 1) for when in ("before", "after"))
        return
    in_unit = BATCH if step in ("archive", "put OUT") else 2 * BATCH + 1 if step == "get IN" else 1
    yield At(step, "before", 3 * in_unit)
    yield At(step, "after", in_unit)
    yield At(step, "before", in_unit)


@pytest.mark.parametrize(
    ("far", "verb", "step"),
    [*CASES, *(("ibmmq", *case) for case in IBMMQ)],
    indirect=["far"],
)
def test_after_a_kill_at_any_step_each_message_is_in_exactly_one_place(
    verb: str, step: str, loaded: FaultEstate
) -> None:
    every = keys(loaded.messages("IN"))
    argv = ACTS[verb]
    for at in chain(step):
        ended = loaded.killed(argv, at)
        assert ended.by_signal, ended
        source = keys(loaded.messages("IN"))
        if verb != "purge":
            assert source + keys(loaded.messages("OUT")) == every, ended
        else:
            assert source <= every
        argv = RESUME if planned(loaded.folder) else argv
    last = loaded.run(*RESUME)
    assert loaded.messages("IN") == [], last
    if verb != "purge":
        assert (last.code in (0, 9), keys(loaded.messages("OUT"))) == (True, every), last
    else:
        assert archived(loaded.folder) == set(every)
        assert (last.code == 3) == ("gone, outcome unknown" in last.out), last
        assert last.code in (0, 3, 9)
    (entry, *_) = loaded.run("journal", "ls", "-o", "json").json["items"]
    assert entry["state"] == "done"
    assert taken(loaded.folder).total() == MESSAGES - entry["in_doubt"]
    assert taken(loaded.folder) <= every
    proof = loaded.run("journal", "verify", "-o", "json")
    verdicts = {operation["verdict"] for operation in proof.json["items"]}
    assert verdicts == {"proven"} or "unknown" in proof.out or "cut" in proof.out


def test_with_other_consumers_no_message_is_in_two_places_by_our_doing(
    loaded: FaultEstate,
) -> None:
    every = keys(loaded.messages("IN"))
    seen: Counter[tuple[bytes, bytes]] = Counter()
    argv = VERBS["requeue"]
    for at in (At("commit", "before", 2), At("commit", "after", 2), At("put OUT", "after", 3)):
        assert loaded.killed(argv, at).by_signal
        seen += consume(loaded, "OUT", 3) + consume(loaded, "IN", 2)
        argv = RESUME
    last = loaded.run(*RESUME)
    assert last.code in (0, 3, 9)
    assert loaded.messages("IN") == []
    assert seen + keys(loaded.messages("OUT")) == every


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_resume_finds_out_what_became_of_the_commit_it_was_killed_at(
    verb: str, when: str, loaded: FaultEstate
) -> None:
    """Between the commit and its mark in the journal only the queues know."""
    assert loaded.killed(VERBS[verb], At("commit", when, 2)).by_signal
    (entry,) = loaded.run("journal", "ls", "-o", "json").json["items"]
    assert (entry["state"], entry["done"], entry["in_doubt"]) == ("cut", BATCH, BATCH)
    last = loaded.run(*RESUME)
    unknown = verb == "purge" and when == "after"
    assert last.code == (3 if unknown else 0)
    reasons = Counter(item["reason"] for item in json.loads(last.out)["items"])
    if unknown:
        assert reasons["gone, outcome unknown"] == BATCH
    elif when == "after":
        assert reasons["committed: found on the target"] == BATCH
    else:
        assert reasons == {None: MESSAGES - BATCH}
    assert loaded.messages("IN") == []
