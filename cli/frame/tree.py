"""The command tree: every group, what its help says, and its verbs.

A verb is a function with `@takes` in the file of its noun: `delay browse` is `browse` in
`cli/delay.py`, or in a file of the folder `cli/backout/`. Which they are, in what order, and their
lines of help stand in `verbs.tsv`, which scripts/make_index.py writes from the functions; nothing
is imported here, and `cli/frame/lazy.py` imports the module of a verb when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

Verb: TypeAlias = tuple[str, str]
"""(``module:function``, one line of help)."""

INDEX: Final = "verbs.tsv"


class Group(NamedTuple):
    """An MQ noun with its verbs.

    Attributes:
        help: one line, shown beside the group's name.
        verbs: name to (module:function, one line of help), in the order of the help.
        examples: command lines to paste, shown in the group's help and manual page.
        default: verb that is meant where none is named, "" for none: `mqtriage mqsc FILE`.
        together: words of several verbs to the one row of the group's help that they share, so
            that it fits a screen.
        files: where the verbs are in a folder, its files in the order of the help.
    """

    help: str
    verbs: Mapping[str, Verb]
    examples: tuple[str, ...] = ()
    default: str = ""
    together: Mapping[str, str] = {}
    files: tuple[str, ...] = ()


def verb_of(group: Group, words: Sequence[str]) -> tuple[str, int]:
    """The verb that *words* begin with, and of how many words it is; ("", 0) for none.

    A verb of two words is one of a kind: ``dlq rules lint``.
    """
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in group.verbs:
            return name, count
    return "", 0


def _read_index() -> dict[str, dict[str, Verb]]:
    """Noun to its verbs; the noun "" has the commands without one."""
    verbs: dict[str, dict[str, Verb]] = {}
    with open(f"{__file__.removesuffix('tree.py')}{INDEX}", encoding="utf-8") as rows:
        for row in rows:
            noun, verb, target, line = row.rstrip("\n").split("\t")
            verbs.setdefault(noun, {})[verb] = (target, line)
    return verbs


VERBS: Final = _read_index()

COMMAND_FILES: Final = ("doctor", "lint", "definitions", "watch", "help", "rc", "version")
"""Files of the commands without a noun, in the order of the help."""

GROUPS: Final[dict[str, Group]] = {
    "emulator": Group(
        "Queue managers in a file: create, load, move the clock.",
        VERBS["emulator"],
        (
            "mqtriage emulator create QM1",
            "mqtriage emulator load-mqsc QM1 definitions.mqsc",
            "mqtriage emulator advance 15m QM1",
        ),
        together={
            "create rm": "Create an emulated queue manager; remove one for good.",
            "start stop restart": "Start or stop a queue manager, or both in turn.",
            "advance clock": "Move the clock of a queue manager on; show or set it.",
            "seed load-mqsc": "Put saved message bytes on a queue; run MQSC files.",
            "rollback consume": "Roll a message back, or consume as JMS would.",
            "serve listen run": "Let programs of MQ clients use it, in C or Java.",
        },
        files=("administration", "applications", "content", "programs"),
    ),
    "context": Group(
        "Named connection settings: which queue manager, and how.",
        VERBS["context"],
        (
            "mqtriage context add dev -m QM1 --use",
            "mqtriage context show --origin",
        ),
    ),
    "qmgr": Group(
        "The queue manager: its attributes, whether it answers.",
        VERBS["qmgr"],
        (
            "mqtriage qmgr show -m QM1",
            "mqtriage qmgr ping",
        ),
    ),
    "queue": Group(
        "Queues: definitions, depth, open handles.",
        VERBS["queue"],
        (
            "mqtriage queue ls 'ORDERS.*'",
            "mqtriage queue define ORDERS.BO --like ORDERS.IN --yes",
        ),
    ),
    "msg": Group(
        "Messages on any queue: put, browse, copy, requeue, purge.",
        VERBS["msg"],
        (
            "mqtriage msg browse ORDERS.IN --older-than 2h",
            "mqtriage msg count ORDERS.IN --backout '>=3'",
        ),
    ),
    "delay": Group(
        "Delayed messages and the staging queue they wait on.",
        VERBS["delay"],
        (
            "mqtriage delay define --maxdepth 200000 --maxmsgl 4MB -n",
            "mqtriage delay browse --overdue -o json",
            "mqtriage delay cancel --correlid ID:414d51... --to OPS.PARKED --yes",
        ),
    ),
    "backout": Group(
        "Poison messages: BOTHRESH, BOQNAME and backout queues.",
        VERBS["backout"],
        (
            "mqtriage backout set ORDERS.IN --threshold 3 --boq ORDERS.BO --create-boq",
            "mqtriage backout requeue ORDERS.BO --to ORDERS.IN --limit 10 --yes",
        ),
        together={
            "ls show": "List queues with their backout settings; show those of one.",
            "set unset": "Set BOTHRESH and BOQNAME of a queue; turn it off.",
            "pending watch": "List messages near or over their threshold; tell new ones.",
            "park sweep": "Move chosen, or all poison, messages off an input queue.",
        },
        files=("policy", "messages"),
    ),
    "expiry": Group(
        "Messages that expire, or have expired and still count.",
        VERBS["expiry"],
        (
            "mqtriage expiry status 'ORDERS.*'",
            "mqtriage expiry sweep ORDERS.REPLY --yes",
        ),
    ),
    "dlq": Group(
        "The dead-letter queue.",
        VERBS["dlq"],
        (
            "mqtriage dlq browse --reason MQRC_Q_FULL",
            "mqtriage dlq run -f dlq.rules -n",
            "mqtriage dlq rules lint dlq.rules",
        ),
        files=("messages", "run", "rules"),
    ),
    "check": Group(
        "Monitor checks, with the exit codes of plugins.",
        VERBS["check"],
        (
            "mqtriage check queue 'ORDERS.*' --warn 70% --crit 90%",
            "mqtriage check delay --overdue-crit 1 --format nagios",
            "mqtriage check qmgr -m QM1,QM2 --timeout 5s",
        ),
    ),
    "snapshot": Group(
        "Snapshots: what queue managers held, for diff and analyze.",
        VERBS["snapshot"],
        (
            "mqtriage snapshot take -m QM1 --incremental",
            "mqtriage snapshot diff latest~1 latest -m QM1",
        ),
    ),
    "analyze": Group(
        "Months of snapshots on Spark: sizes, causes, forecasts.",
        VERBS["analyze"],
        (
            "mqtriage analyze delay /var/mq/snapshots",
            "mqtriage analyze causes --since now-7d",
            "mqtriage analyze cohort --master spark://127.0.0.1:7077",
        ),
    ),
    "archive": Group(
        "Archives of messages: list, look up, verify, put back.",
        VERBS["archive"],
        (
            "mqtriage archive ls",
            "mqtriage archive show orders.ndjson",
        ),
    ),
    "top": Group(
        "Live screens: queues, delayed messages, poison messages.",
        VERBS["top"],
        (
            "mqtriage top queues",
            "mqtriage top delay",
            "mqtriage top queues 'ORDERS.*' --interval 5s",
        ),
        default="queues",
    ),
    "journal": Group(
        "What was changed, and by whom: undo, resume, prove.",
        VERBS["journal"],
        (
            "mqtriage journal ls",
            "mqtriage journal resume --yes",
            "mqtriage journal undo --dry-run",
        ),
    ),
    "mqsc": Group(
        "MQSC scripts: run them as runmqsc does, format them.",
        VERBS["mqsc"],
        (
            "mqtriage mqsc definitions.mqsc --yes",
            "mqtriage mqsc queries.mqsc -o json",
            "mqtriage mqsc fmt --check *.mqsc",
        ),
        default="run",
    ),
}

COMMANDS: Final = VERBS[""]

TOGETHER: Final[dict[str, str]] = {
    "emulator": "Queue managers in a file, with a clock to move.",
    "context doctor": "Named connection settings; whether they work.",
    "qmgr queue mqsc": "The queue manager, its queues, MQSC scripts.",
    "msg watch": "Messages: browse, put, move, purge, watch.",
    "delay backout expiry dlq": "Delayed, poison, expiring and dead messages.",
    "check top": "Monitor checks with exit codes; live screens.",
    "snapshot analyze": "What queue managers held; months of it on Spark.",
    "archive journal": "What was removed and done: find, undo, prove.",
    "lint plan apply drift": "Definitions: check, rehearse, apply, compare.",
    "cheat man rc": "Lines to paste; the manual; reason codes.",
    "completion version": "Completion of bash, zsh, fish; the version.",
}
"""Rows of `mqtriage --help`: words of groups and commands to what they are for."""
