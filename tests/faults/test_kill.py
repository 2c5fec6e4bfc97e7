"""kill -9 anywhere in a requeue or a purge of 1,000 messages, then `journal resume`."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copytree, rmtree
from tempfile import mkdtemp

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.errors import NoMessageAvailable
from mqtriage.mq.message import Message
from mqtriage.operations.ledger.journal import Journal
from tests.acceptance.messages.estate import Estate, Ran, ledger_of
from tests.faults.killing import STEPS, At, run_and_kill
from tests.support.scale import amount

MESSAGES = 1_000
CHAINS = amount(1, all=16)
KILLS = 14
"""Kills in a row: the act, then each resume of it; 16 chains of 14 make 224 kill points.

Two chains meet every kind of step."""

Key = tuple[bytes, bytes]
"""MsgId and body: what must not be lost nor doubled."""


@pytest.fixture(scope="module")
def loaded() -> Iterator[Path]:
    """A queue manager with 1,000 messages on IN: pairs with one MsgId, and twins, among them."""
    folder = Path(mkdtemp(prefix="mqtriage-kill-", dir=_fast_folder()))
    estate = Estate.create(folder / "home")
    estate.queue("IN")
    estate.queue("OUT")
    with estate.connected() as backend:
        from mqtriage.mq import cmqc
        from mqtriage.mq.descriptor import MQMD

        for number in range(MESSAGES):
            md = MQMD(format="MQSTR", persistence=1, put_date="20260131", put_time="10000000")
            same = number % 20 in (0, 1)  # a pair with one MsgId; each fifth pair are twins
            ident = number - number % 20 if same else number
            twin = same and number // 20 % 5 == 0
            body = b"%d" % (ident if twin else number)
            backend.put1(
                "IN", md._replace(msg_id=b"%024d" % ident), body, cmqc.MQPMO_SET_ALL_CONTEXT
            )
    yield estate.folder
    rmtree(folder)


def _fast_folder() -> str | None:
    """Memory where there is some: a kill is no loss of power, so no disk is needed."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@pytest.fixture
def home(loaded: Path) -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="mqtriage-kill-", dir=_fast_folder()))
    yield folder / "home"
    rmtree(folder)


def keys(messages: list[Message]) -> Counter[Key]:
    return Counter((message.md.msg_id, message.body) for message in messages)


def archived(home: Path) -> set[Key]:
    """What the archives hold, whether or not it was taken in the end."""
    contents = set()
    for path in (home / "archive").glob("*.ndjson"):
        for line in path.read_bytes().splitlines(keepends=True):
            if line.startswith(b'{"kind":"Message"') and line.endswith(b"\n"):
                record = json.loads(line)
                body = b64decode(record["body_base64"])
                contents.add((bytes.fromhex(record["msg_id"]), body))
    return contents


def taken(home: Path) -> Counter[Key]:
    """What the archives say that it left its queue; each of them that holds a message is whole.

    One whose process was killed before the journal had its name holds none.
    """
    keys_taken: Counter[Key] = Counter()
    for path in (home / "archive").glob("*.ndjson"):
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        assert lines[-1]["kind"] == ("End" if len(lines) > 1 else "Archive")
        messages = {line["number"]: line for line in lines if line["kind"] == "Message"}
        for number in (n for line in lines if line["kind"] == "Commit" for n in line["numbers"]):
            record = messages[number]
            keys_taken[bytes.fromhex(record["msg_id"]), b64decode(record["body_base64"])] += 1
    return keys_taken


def kill_points(chain: int, *, puts: bool) -> Iterator[At]:
    """The steps at which one chain of processes ends: each kind in turn, about equally far apart.

    Each process gets through one to three units of work of 50, by the step at which it ends.
    """
    random = Random(chain)
    steps = [step for step in STEPS if puts or step[0] != "put"]
    for number in range(KILLS):
        call, when = steps[(chain * KILLS + number) % len(steps)]
        near = 1 + random.randrange(2)
        once = call in ("commit", "intent", "mark", "fsync")  # in a unit of work
        nth = near if once else 30 + random.randrange(90)
        yield At(call, when, nth)


VERBS: dict[str, tuple[str, ...]] = {
    "requeue": ("msg", "move", "IN", "--to", "OUT", "--batch", "50", "--yes", "-q"),
    "purge": ("msg", "purge", "IN", "--confirm", "IN", "--batch", "50", "-q"),
}
RESUME = ("journal", "resume", "--yes", "-q", "-o", "json")


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_after_any_kill_each_message_is_in_exactly_one_place(
    verb: str, loaded: Path, home: Path
) -> None:
    """With no other consumer: on the source or the target, or for a purge in the archive."""
    kills = 0
    for chain in range(CHAINS):
        copytree(loaded, home)
        estate = Estate(home)
        every = keys(estate.messages("IN"))
        assert every.total() == MESSAGES
        argv = VERBS[verb]
        for at in kill_points(chain, puts=verb == "requeue"):
            ended = run_and_kill(home, argv, at)
            kills += ended.by_signal
            if not ended.by_signal:
                break
            source = keys(estate.messages("IN"))
            if verb == "requeue":
                assert source + keys(estate.messages("OUT")) == every, ended
            else:
                assert source <= every
            argv = RESUME if planned(home) else argv
        last = estate.run(*RESUME)
        target = keys(estate.messages("OUT"))
        assert estate.messages("IN") == [], last
        if verb == "requeue":
            assert (last.code in (0, 9), target) == (True, every), last
        else:
            assert last.code in (0, 3, 9), last
            assert archived(home) == set(every)
            assert (last.code == 3) == ("gone, outcome unknown" in last.out)
        (entry, *_) = estate.run("journal", "ls", "-o", "json").json["items"]
        assert entry["state"] == "done"
        assert taken(home).total() == MESSAGES - entry["in_doubt"]
        proof = estate.run("journal", "verify", "-o", "json")
        if proof.code:
            assert "unknown" in proof.out or "cut" in proof.out
        else:
            assert verdicts(proof) == {"proven"}
        rmtree(home)
    assert kills >= 200 * CHAINS // 16


def verdicts(ran: Ran) -> set[str]:
    """Of the operation, and of one that was killed before it began, if there is one."""
    return {operation["verdict"] for operation in ran.json["items"]}


def planned(home: Path) -> bool:
    """Whether an operation got as far as its plan: before that nothing was done."""
    sql = "SELECT count(messages) FROM operation"
    return bool(next(Journal(home / "journal").rows(sql), (0,))[0])


@pytest.mark.long
@pytest.mark.slow
def test_with_other_consumers_no_message_is_in_two_places_by_our_doing(
    loaded: Path, home: Path
) -> None:
    """Programs read both queues all the while: each message is seen once, wherever it was."""
    for chain in range(3):
        copytree(loaded, home)
        estate = Estate(home)
        every = keys(estate.messages("IN"))
        seen: Counter[Key] = Counter()
        argv = VERBS["requeue"]
        for at in kill_points(100 + chain, puts=True):
            if not run_and_kill(home, argv, at).by_signal:
                break
            seen += consume(estate, "OUT", 20) + consume(estate, "IN", 3)
            argv = RESUME if planned(home) else argv
        last = estate.run(*RESUME)
        assert last.code in (0, 3, 9)
        assert estate.messages("IN") == []
        assert seen + keys(estate.messages("OUT")) == every
        rmtree(home)


def consume(estate: Estate, queue: str, most: int) -> Counter[Key]:
    """Another program takes messages."""
    taken: Counter[Key] = Counter()
    with estate.connected() as backend:
        handle = backend.open(queue, cmqc.MQOO_INPUT_SHARED)
        for _ in range(most):
            try:
                message = handle.get()
            except NoMessageAvailable:
                break
            taken[message.md.msg_id, message.body] += 1
    return taken


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.slow
def test_a_resume_finds_out_what_became_of_the_commit_it_was_killed_at(
    verb: str, when: str, loaded: Path, home: Path
) -> None:
    """Between the commit and its mark in the journal only the queues know."""
    copytree(loaded, home)
    estate = Estate(home)
    assert run_and_kill(home, VERBS[verb], At("commit", when, 3)).by_signal
    (entry,) = estate.run("journal", "ls", "-o", "json").json["items"]
    assert (entry["state"], entry["done"], entry["in_doubt"]) == ("cut", 100, 50)
    last = estate.run(*RESUME)
    unknown = verb == "purge" and when == "after"
    assert last.code == (3 if unknown else 0)
    reasons = Counter(item["reason"] for item in last.json["items"])
    if unknown:
        assert reasons["gone, outcome unknown"] == 50
    elif when == "after":
        assert reasons["committed: found on the target"] == 50
    else:
        assert reasons == {None: 900}
    assert estate.messages("IN") == []


def test_a_kill_before_the_plan_is_whole_changes_nothing(loaded: Path, home: Path) -> None:
    copytree(loaded, home)
    estate = Estate(home)
    assert run_and_kill(home, VERBS["purge"], At("run", "before", 1)).by_signal
    assert len(estate.messages("IN")) == MESSAGES
    with ledger_of(home) as database:  # as far as the disk had it: a long plan is written in pieces
        database.execute("DELETE FROM planned WHERE number > 400")
        database.execute("UPDATE operation SET messages = NULL")
    ran = estate.run("journal", "resume", "--yes")
    assert (ran.code, "was interrupted during planning" in ran.err) == (9, True)
    assert estate.run(*VERBS["purge"]).code == 0
    assert estate.messages("IN") == []
