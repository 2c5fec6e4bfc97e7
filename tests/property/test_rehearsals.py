"""Every rehearsal against what the operation then does, with faults drawn at random.

The verbs are those of the command tree that have `-n`; the operations are those of the power-loss
tests, which has one of each verb that changes a queue manager, and more. Both are played on copies
of one queue manager, by a user whose authority may lack a word too. Where a verb has `--plan`, the
plan is saved before or after the faults, and `apply FILE` is rehearsed and carried out as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any, Final, NamedTuple

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import ObjectDefinition
from mqtriage.cli.frame.options import Consent, Guards
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.emulator.admin import authority_records
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.model.options import OptionGroup
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.headers.dlh import DLH, encode
from mqtriage.mq.message import Message
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, Ran
from tests.power_loss.kinds import BODIES, estate_of
from tests.power_loss.scenarios import SCENARIOS, verb
from tests.support.scale import amount
from tests.support.tools import drawn_dice

USER: Final = "app"
"""Not the owner of the queue manager, so that its authority counts."""
QUEUES: Final = ("OUT", "OUT", "OUT", "IN", STAGING)
"""Where faults are: mostly where messages go to."""
LACKING: Final = ("PUT", "GET", "SETALL", "SETALL,PASSALL")

Operation = tuple[Callable[[Estate], None], str]
"""What makes its queue manager, and its command line."""


# what is rehearsed -------------------------------------------------------------------------------


def _several_targets(estate: Estate) -> None:
    estate.alter("QM1", DEADQ="IN")
    for number, body in enumerate(BODIES):
        header = encode(
            DLH(2053, ("OUT", "AN.ALIAS")[number % 2], "QM1", encoding=273, ccsid=819,
                format="MQSTR")
        )  # fmt: skip
        estate.put("IN", header + body, format="MQDEAD")
    with estate.connected() as backend:
        backend.define("QALIAS", "AN.ALIAS", {"TARGET": "OUT"})


def _cut(estate: Estate) -> None:
    """A move that ended when its target was full."""
    estate.put("IN", *BODIES)
    ran = estate.run(
        "msg", "move", "IN", "--to", "OUT", "--batch", "2",
        stdin="y\n", terminals=TERMINAL, meanwhile=lambda: estate.alter("OUT", MAXDEPTH=2),
    )  # fmt: skip
    assert "resume" in ran.err or ran.code, ran
    estate.alter("OUT", MAXDEPTH=5000)


def _plain(estate: Estate) -> None:
    estate.put("IN", *BODIES)


MORE: Final[dict[str, Operation]] = {
    "journal resume": (_cut, "journal resume --yes -q"),
    "emulator lab consume": (_plain, "emulator lab consume IN --yes -q"),
    "dlq requeue: several targets": (_several_targets, "dlq requeue --yes -q"),
    "msg move: without headers": (
        SCENARIOS["dlq requeue"].prepare, "msg move IN --to OUT --headers strip --yes -q",
    ),
    "delay cancel: to a queue": (
        SCENARIOS["delay cancel"].prepare, "delay cancel --to OUT --yes -q",
    ),
    "msg put: delayed": (_plain, "msg put OUT message-09 --delay 5m --count 4 --yes -q"),
    "msg put: by the rest": (_plain, "msg put IN message-09 --count 4 --yes -q"),
}  # fmt: skip
OPERATIONS: Final[dict[str, Operation]] = {
    name: (scenario.prepare, scenario.argv) for name, scenario in SCENARIOS.items()
} | MORE


def option_groups(noun: str, name: str) -> tuple[type[OptionGroup], ...]:
    """The groups of options that a verb of the command tree takes."""
    target, _ = GROUPS[noun].verbs[name] if noun else COMMANDS[name]
    module, _, function = target.partition(":")
    groups: tuple[type[OptionGroup], ...] = getattr(import_module(module), function).verb.groups
    return groups


def verbs_with(group: type[OptionGroup]) -> set[str]:
    """The verbs that have the options of *group*."""
    known = [(noun, name) for noun, of in GROUPS.items() for name in of.verbs]
    known += [("", name) for name in COMMANDS]
    return {
        f"{noun} {name}".strip()
        for noun, name in known
        if any(issubclass(item, group) for item in option_groups(noun, name))
    }


REHEARSED: Final = verbs_with(Consent)
PLANNED: Final = verbs_with(Guards)


def test_every_verb_with_a_rehearsal_is_played() -> None:
    assert REHEARSED - {verb(name) for name in OPERATIONS} == set()


# faults ------------------------------------------------------------------------------------------


def _missing(estate: Estate, queue: str, dice: Random) -> None:
    with estate.connected() as backend:
        backend.delete("QLOCAL", queue, purge=True)


def _shut(estate: Estate, queue: str, dice: Random) -> None:
    estate.alter(queue, PUT="DISABLED")


def _full(estate: Estate, queue: str, dice: Random) -> None:
    room = dice.choice((0, 0, 1, 2, 4))
    with suppress(MQTriageError):  # it may be shut already
        estate.put(queue, b"x")
    estate.alter(queue, MAXDEPTH=len(estate.messages(queue)) + room)


def _short(estate: Estate, queue: str, dice: Random) -> None:
    estate.alter(queue, MAXMSGL=dice.choice((4, 10, 120, 400)))


def _lacking(estate: Estate, queue: str, dice: Random) -> None:
    words = dice.choice(LACKING).split(",")
    with estate.connected() as backend:
        for add, remove in ((["ALL"], []), ([], words)):
            authority_records.set_record(
                backend.manager, "QUEUE", queue, principal=USER, add=add, remove=remove
            )


FAULTS: Final = (_missing, _shut, _full, _short, _lacking)


def spoil(estate: Estate, dice: Random, name: str) -> str:
    """Make one or two faults, or none, that the rehearsal of a verb is to say; says which."""
    faults = []
    for _ in range(dice.choice((0, 1, 1, 1, 2))):
        fault, queue = dice.choice(FAULTS), dice.choice(QUEUES)
        with estate.connected() as backend:
            there = {item.name for item in backend.queues("*") if item.kind == "QLOCAL"}
        if queue in there:
            fault(estate, queue, dice)
            faults.append(f"{fault.__name__} {queue}")
    return ", ".join(faults) or "nothing"


# what is said and what is done -------------------------------------------------------------------


class Outcome(NamedTuple):
    """What an operation does, as its rehearsal says it or as it reports it.

    Attributes:
        done: messages, or changes.
        all: as many as were planned.
        more_stay: others were looked at that are not planned.
    """

    done: int
    all: int
    mqsc: list[str]
    more_stay: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it leaves nothing undone."""
        return self.done == self.all and not self.more_stay


_FEWER: Final = re.compile(r"(\d+) (?:messages? )?(?:would fail|will be skipped): ")
_ROOM: Final = re.compile(r"would fail: \S+ has room for (\d+) of ")


def said(ran: Ran) -> Outcome:
    """What `-n` says."""
    if ran.json["kind"] == "MqscReplyList":  # of commands, each with its result
        return _results(ran)
    item = ran.json["item"]
    assert not item["refusals"], ran
    more = 0
    planned = item["facts"].get("discards_at_most", item["count"])
    done = planned - item.get("would_fail", 0)
    for note in item.get("notes", ()):
        more += "more will be skipped" in note
        if fewer := _FEWER.match(note):
            done -= int(fewer[1])
        elif note.startswith("would fail: "):
            room = _ROOM.match(note)
            done = min(done, int(room[1]) if room else 0)
    return Outcome(done, planned, item.get("mqsc", []), bool(more))


def _results(ran: Ran) -> Outcome:
    commands = [f"{item['command']}: {item['result']}" for item in ran.json["items"]]
    return Outcome(len(commands), len(commands), commands)


def _agree(rehearsed: list[str], done: list[str]) -> bool:
    """Whether the same commands were run; one that was only checked may fail."""
    checked = [command.removesuffix(": checked") for command in rehearsed]
    return len(done) == len(checked) and all(map(str.startswith, done, checked))


def did(ran: Ran, planned: int) -> Outcome:
    """What the operation reports."""
    if '"counts"' not in ran.out and '"command"' not in ran.out:
        return Outcome(0 if ran.code else planned, planned, [])
    report = ran.json
    if report["kind"] == "MqscReplyList":
        return _results(ran)
    if "counts" not in report:
        return Outcome(0 if ran.code else planned, planned, [])
    done = report["counts"]["done"]
    if report["action"] == "sweep" and done <= planned:  # which says how many at most
        done = planned
    return Outcome(done, planned, report.get("details", {}).get("mqsc", []))


def look(home: Path) -> dict[str, Any]:
    """The definitions of the queue manager, and the messages of every queue."""
    path = qmgr_path(home, "QM1")
    if not path.exists():
        return {}
    backend = EmulatedBackend(open_manager(path))  # by its owner, who may do all
    seen = {item.name: (item, _messages(backend, item)) for item in backend.queues("*")}
    backend.disconnect()
    return seen


def _messages(backend: EmulatedBackend, queue: ObjectDefinition) -> list[Message]:
    if queue.kind != "QLOCAL" or queue.name.startswith("SYSTEM.ADMIN"):
        return []
    return list(backend.open(queue.name, cmqc.MQOO_BROWSE).browse())


def compare(home: Path, argv: list[str], run: Callable[[Path, list[str]], Ran]) -> str:
    """Rehearse, then act; returns what differs, "" for nothing."""
    before = look(home)
    rehearsed = run(home, [*argv, "-n", "-o", "json"])
    if look(home) != before:
        return f"the rehearsal changed something: {rehearsed}"
    ran = run(home, [*argv, "-o", "json"])
    both = f"\n  rehearsed: {rehearsed}\n  did: {ran}"
    if '"item' not in rehearsed.out or rehearsed.code not in (0, 1, 3, 6, 9):
        if (ran.code, look(home) == before) != (rehearsed.code, True):
            return f"refused with {rehearsed.code}, then {ran.code}{both}"
        return ""
    expected = said(rehearsed)
    done = did(ran, expected.all)
    if done.done != expected.done or not _agree(expected.mqsc, done.mqsc):
        return f"{expected}, then {done}{both}"
    if expected.mqsc and ran.json["kind"] == "MqscReplyList":
        return ""
    if ran.code != rehearsed.code:
        return f"exit {rehearsed.code} of the rehearsal, then {ran.code}{both}"
    if ran.code == 0 and not expected.is_whole:
        return f"{expected}, then exit {ran.code}{both}"
    return ""


# the test ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The queue manager that an operation begins with, prepared once."""
    homes: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in homes:
            folder = tmp_path_factory.mktemp("before") / "home"
            estate = Estate.create(folder)
            estate.environ = estate_of(folder).environ
            for queue in ("IN", "OUT"):
                estate.queue(queue)
            OPERATIONS[name][0](estate)
            with estate.connected() as backend:
                for kind, profile in (("QMGR", ""), ("QUEUE", "**")):
                    authority_records.set_record(
                        backend.manager, kind, profile, principal=USER, add=["ALL"]
                    )
            homes[name] = folder
        return homes[name]

    return of


@pytest.fixture
def run() -> Iterator[Callable[[Path, list[str]], Ran]]:
    """Runs a command line as a user whose authority is looked at."""

    def as_user(home: Path, argv: list[str]) -> Ran:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LOGNAME", USER)
            return estate_of(home).run(*argv)

    yield as_user


@pytest.mark.parametrize("name", [name for name in OPERATIONS if verb(name) in REHEARSED])
@pytest.mark.slow
def test_what_a_rehearsal_says_is_what_the_operation_does(
    name: str,
    prepared: Callable[[str], Path],
    run: Callable[[Path, list[str]], Ran],
    tmp_path: Path,
) -> None:
    # the same faults every day: what new ones find is for `make test-all`
    dice = drawn_dice() if amount(0, all=1) else Random(1)
    for number in range(amount(1, all=30)):
        home = tmp_path / f"{number}"
        copytree(prepared(name), home)
        argv = OPERATIONS[name][1].format(home=home).split()
        saves = verb(name) in PLANNED and dice.random() < 0.5
        if saves:
            plan = str(home / "saved.json")
            assert run(home, [*argv, "--plan", plan]).code == 0
            argv = ["apply", plan, "--yes", "-q"]
        faults = spoil(estate_of(home), dice, verb(name))
        assert estate_of(home).run("emulator", "lab", "switch", "authority=on").code == 0
        problem = compare(home, argv, run)
        assert not problem, f"{name}{' by a plan' if saves else ''}, {faults}: {problem}"
