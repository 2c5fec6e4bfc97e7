"""The command tree: every group and verb, where its function stands, and its one line of help.

To add a verb, add one line to its group: ``"verb": ("module:function", "One line of help."),``.
The line of help is the first line of the function's docstring (tests/unit/cli/frame/test_tree.py).
Nothing is imported from here: `cli/frame/lazy.py` imports a verb's module when the verb runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

Verb: TypeAlias = tuple[str, str]
"""(``module:function``, one line of help)."""


class Group(NamedTuple):
    """An MQ noun with its verbs.

    Attributes:
        help: one line, shown beside the group's name.
        verbs: name to (module:function, one line of help), in the order of the help.
        examples: command lines to paste, shown in the group's help and manual page.
        default: verb that is meant where none is named, "" for none: `mqtriage mqsc FILE`.
        together: words of several verbs to the one row of the group's help that they share, so
            that it fits a screen.
    """

    help: str
    verbs: Mapping[str, Verb]
    examples: tuple[str, ...] = ()
    default: str = ""
    together: Mapping[str, str] = {}


def verb_of(group: Group, words: Sequence[str]) -> tuple[str, int]:
    """The verb that *words* begin with, and of how many words it is; ("", 0) for none.

    A verb of two words is one of a kind: ``dlq rules lint``.
    """
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in group.verbs:
            return name, count
    return "", 0


GROUPS: Final[dict[str, Group]] = {
    "emulator": Group(
        "Queue managers in a file: create, load, move the clock.",
        {
            "create": ("mqtriage.cli.emulator:create", "Create an emulated queue manager."),
            "ls": ("mqtriage.cli.emulator:ls", "List the emulated queue managers."),
            "start": ("mqtriage.cli.emulator:start", "Start a stopped queue manager."),
            "stop": ("mqtriage.cli.emulator:stop", "Stop a running queue manager."),
            "restart": ("mqtriage.cli.emulator:restart", "Stop a queue manager and start it."),
            "rm": ("mqtriage.cli.emulator:rm", "Remove an emulated queue manager for good."),
            "advance": ("mqtriage.cli.emulator:advance", "Move the clock of a queue manager on."),
            "clock": ("mqtriage.cli.emulator:clock", "Show or set the clock of a queue manager."),
            "switch": (
                "mqtriage.cli.emulator_switches:switch",
                "Show or set the switches of an emulated queue manager.",
            ),
            "rollback": (
                "mqtriage.cli.emulator:rollback",
                "Get a message and roll back, which makes it poison.",
            ),
            "consume": (
                "mqtriage.cli.consume:consume",
                "Run a simulated consumer, to see where messages end.",
            ),
            "simulate": (
                "mqtriage.cli.simulate:simulate",
                "Simulate a month of an estate: snapshots and truth.",
            ),
            "seed": ("mqtriage.cli.emulator:seed", "Put saved message bytes on a queue."),
            "load-mqsc": ("mqtriage.cli.emulator:load_mqsc", "Run the definitions of MQSC files."),
            "dump": ("mqtriage.cli.emulator:dump", "Write a queue manager's content as text."),
            "serve": (
                "mqtriage.cli.emulator_mqi:serve",
                "Serve a queue manager to programs of the MQ C client.",
            ),
            "run": (
                "mqtriage.cli.emulator_mqi:run",
                "Run a program of the MQ C client on a queue manager.",
            ),
            "sdk": (
                "mqtriage.cli.emulator_mqi:sdk",
                "Lay out C headers and a library for MQ C programs.",
            ),
        },
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
            "serve run sdk": "Let programs of the MQ C client use it; their headers.",
        },
    ),
    "context": Group(
        "Named connection settings: which queue manager, and how.",
        {
            "add": ("mqtriage.cli.context:add", "Save connection settings under a name."),
            "ls": ("mqtriage.cli.context:ls", "List the contexts."),
            "show": ("mqtriage.cli.context:show", "Show the settings in force."),
            "use": ("mqtriage.cli.context:use", "Use a context from now on."),
            "previous": ("mqtriage.cli.context:previous", "Go back to the context used before."),
            "test": (
                "mqtriage.cli.context:test",
                "Connect with a context, and tell how long it took.",
            ),
            "rm": ("mqtriage.cli.context:rm", "Remove a context."),
        },
        (
            "mqtriage context add dev -m QM1 --use",
            "mqtriage context show --origin",
        ),
    ),
    "qmgr": Group(
        "The queue manager: its attributes, whether it answers.",
        {
            "show": ("mqtriage.cli.qmgr:show", "Show the queue manager's attributes."),
            "ping": ("mqtriage.cli.qmgr:ping", "Ask whether the queue manager answers."),
        },
        ("mqtriage qmgr show -m QM1", "mqtriage qmgr ping"),
    ),
    "queue": Group(
        "Queues: definitions, depth, open handles.",
        {
            "ls": ("mqtriage.cli.queue:ls", "List queues with their depth."),
            "show": ("mqtriage.cli.queue:show", "Show every attribute of a queue."),
            "status": ("mqtriage.cli.queue:status", "Show depth, handles and ages of a queue."),
            "who": ("mqtriage.cli.queue:who", "Show which programs have a queue open."),
            "define": ("mqtriage.cli.queue:define", "Define a local queue or an alias."),
            "set": ("mqtriage.cli.queue:set_attributes", "Change attributes of a queue."),
            "delete": ("mqtriage.cli.queue:delete", "Delete a queue."),
        },
        (
            "mqtriage queue ls 'ORDERS.*'",
            "mqtriage queue define ORDERS.BO --like ORDERS.IN --yes",
        ),
    ),
    "msg": Group(
        "Messages on any queue: put, browse, copy, requeue, purge.",
        {
            "browse": ("mqtriage.cli.msg:browse", "List the messages on a queue."),
            "show": ("mqtriage.cli.msg:show", "Show one message in full."),
            "count": ("mqtriage.cli.msg:count", "Count the messages that match."),
            "put": ("mqtriage.cli.msg:put", "Put messages on a queue."),
            "copy": ("mqtriage.cli.msg:copy", "Copy messages to another queue."),
            "move": ("mqtriage.cli.msg:move", "Move messages from one queue to another."),
            "requeue": ("mqtriage.cli.msg:requeue", "Move messages to another queue."),
            "purge": ("mqtriage.cli.msg:purge", "Remove messages, kept in an archive."),
            "archive": (
                "mqtriage.cli.msg_files:archive",
                "Copy messages to a file; they stay on the queue.",
            ),
            "load": ("mqtriage.cli.msg_files:load", "Put the messages of a file on a queue."),
            "diff": (
                "mqtriage.cli.msg_diff:diff",
                "Compare the messages of two queues, files or snapshots.",
            ),
        },
        (
            "mqtriage msg browse ORDERS.IN --older-than 2h",
            "mqtriage msg count ORDERS.IN --backout '>=3'",
        ),
    ),
    "delay": Group(
        "Delayed messages and the staging queue they wait on.",
        {
            "define": ("mqtriage.cli.staging:define", "Make the staging queue fit for its load."),
            "status": ("mqtriage.cli.staging:status", "Show how full and how late staging is."),
            "browse": (
                "mqtriage.cli.delay_messages:browse",
                "List the messages that wait for their time.",
            ),
            "show": ("mqtriage.cli.delay_messages:show", "Show one delayed message in full."),
            "forecast": (
                "mqtriage.cli.forecast:forecast",
                "Show what becomes due where and when, and what will not fit.",
            ),
            "advise": (
                "mqtriage.cli.advise:advise",
                "Work out MAXDEPTH, MAXMSGL and MAXFSIZE.",
            ),
            "put": ("mqtriage.cli.delay_messages:put", "Put a message with a delivery delay."),
            "cancel": (
                "mqtriage.cli.delay_messages:cancel",
                "Take delayed messages off before they go.",
            ),
            "release": (
                "mqtriage.cli.delay_messages:release",
                "Put delayed messages to their targets now.",
            ),
            "reschedule": (
                "mqtriage.cli.delay_messages:reschedule",
                "Give delayed messages another due time.",
            ),
        },
        (
            "mqtriage delay define --maxdepth 200000 --maxmsgl 4MB -n",
            "mqtriage delay browse --overdue -o json",
            "mqtriage delay cancel --correlid ID:414d51... --to OPS.PARKED --yes",
        ),
    ),
    "backout": Group(
        "Poison messages: BOTHRESH, BOQNAME and backout queues.",
        {
            "ls": ("mqtriage.cli.backout_policy:ls", "List queues with their backout settings."),
            "show": ("mqtriage.cli.backout_policy:show", "Show the backout settings of one queue."),
            "set": (
                "mqtriage.cli.backout_policy:set_policy",
                "Set BOTHRESH and BOQNAME of a queue.",
            ),
            "unset": ("mqtriage.cli.backout_policy:unset", "Turn poison handling of a queue off."),
            "check": (
                "mqtriage.cli.backout_check:check",
                "Check backout settings against the rules of lint.",
            ),
            "explain": (
                "mqtriage.cli.explain:backout",
                "Tell what each kind of client does with a poison message.",
            ),
            "pending": (
                "mqtriage.cli.backout_messages:pending",
                "List messages near or over their threshold.",
            ),
            "watch": (
                "mqtriage.cli.backout_watch:watch",
                "Tell each message that is rolled back, one a line.",
            ),
            "browse": (
                "mqtriage.cli.backout_messages:browse",
                "List the messages on a backout queue.",
            ),
            "causes": (
                "mqtriage.cli.causes:backout",
                "Show what poison messages share and others do not.",
            ),
            "origin": (
                "mqtriage.cli.causes:origin",
                "Show whose backout queue it is, and what proves it.",
            ),
            "requeue": (
                "mqtriage.cli.backout_messages:requeue",
                "Move messages off a backout queue.",
            ),
            "purge": (
                "mqtriage.cli.backout_messages:purge",
                "Remove messages from a backout queue.",
            ),
            "park": (
                "mqtriage.cli.backout_messages:park",
                "Move chosen messages to the backout queue by hand.",
            ),
            "sweep": (
                "mqtriage.cli.backout_messages:sweep",
                "Move poison messages off an input queue.",
            ),
        },
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
    ),
    "expiry": Group(
        "Messages that expire, or have expired and still count.",
        {
            "status": (
                "mqtriage.cli.expiry_queues:status",
                "Show what will expire on which queue.",
            ),
            "browse": (
                "mqtriage.cli.expiry_messages:browse",
                "List messages with the time they have left.",
            ),
            "explain": (
                "mqtriage.cli.explain:expiry",
                "Tell who discards expired messages of a queue, and when.",
            ),
            "sweep": (
                "mqtriage.cli.expiry_queues:sweep",
                "Make the queue manager discard what expired.",
            ),
            "extend": (
                "mqtriage.cli.expiry_messages:extend",
                "Give messages a longer lifetime.",
            ),
            "purge": (
                "mqtriage.cli.expiry_messages:purge",
                "Remove messages by their lifetime, kept in an archive.",
            ),
            "reports": (
                "mqtriage.cli.expiry_expired:reports",
                "List expiration reports and what each tells of its message.",
            ),
            "revive": (
                "mqtriage.cli.expiry_expired:revive",
                "Make messages that have expired again.",
            ),
        },
        (
            "mqtriage expiry status 'ORDERS.*'",
            "mqtriage expiry sweep ORDERS.REPLY --yes",
        ),
    ),
    "dlq": Group(
        "The dead-letter queue.",
        {
            "browse": ("mqtriage.cli.dlq:browse", "List dead-lettered messages with the reason."),
            "causes": (
                "mqtriage.cli.causes:dead_letters",
                "Group dead letters by reason, destination and program.",
            ),
            "requeue": (
                "mqtriage.cli.dlq:requeue",
                "Move dead letters to where they were meant to go.",
            ),
            "purge": ("mqtriage.cli.dlq:purge", "Remove dead letters, kept in an archive."),
            "run": (
                "mqtriage.cli.dlq_rules:run",
                "Run rules on a dead-letter or backout queue.",
            ),
            "rules lint": (
                "mqtriage.cli.dlq_rules_files:lint",
                "Check rules, without running them.",
            ),
            "rules test": (
                "mqtriage.cli.dlq_rules_files:test",
                "Try rules on saved messages, for CI.",
            ),
            "rules convert": (
                "mqtriage.cli.dlq_rules_files:convert",
                "Turn a table into TOML, or back.",
            ),
        },
        (
            "mqtriage dlq browse --reason MQRC_Q_FULL",
            "mqtriage dlq run -f dlq.rules -n",
            "mqtriage dlq rules lint dlq.rules",
        ),
    ),
    "check": Group(
        "Monitor checks, with the exit codes of plugins.",
        {
            "qmgr": (
                "mqtriage.cli.check:qmgr",
                "Check that queue managers answer, and how soon.",
            ),
            "queue": (
                "mqtriage.cli.check:queue",
                "Check depth, fill, age and silence of queues.",
            ),
            "delay": (
                "mqtriage.cli.check:delay",
                "Check the staging queue, its processor, and what is overdue.",
            ),
            "backout": (
                "mqtriage.cli.check:backout",
                "Check the backout queues of queues for poison messages.",
            ),
            "dlq": ("mqtriage.cli.check:dlq", "Check the dead-letter queue."),
            "expiry": (
                "mqtriage.cli.check:expiry",
                "Check how much is messages that expired and still count.",
            ),
            "definitions": (
                "mqtriage.cli.check:definitions",
                "Check definitions against the rules of lint and files.",
            ),
        },
        (
            "mqtriage check queue 'ORDERS.*' --warn 70% --crit 90%",
            "mqtriage check delay --overdue-crit 1 --format nagios",
            "mqtriage check qmgr -m QM1,QM2 --timeout 5s",
        ),
    ),
    "snapshot": Group(
        "Snapshots: what queue managers held, for diff and analyze.",
        {
            "take": (
                "mqtriage.cli.snapshot:take",
                "Save what a queue manager holds: messages and definitions.",
            ),
            "ls": ("mqtriage.cli.snapshot:ls", "List the snapshots that were taken."),
            "diff": (
                "mqtriage.cli.snapshot:diff",
                "Show what came, went and changed between two snapshots.",
            ),
            "export": (
                "mqtriage.cli.snapshot:export",
                "Write snapshots to another folder, as Parquet or NDJSON.",
            ),
        },
        (
            "mqtriage snapshot take -m QM1 --incremental",
            "mqtriage snapshot diff latest~1 latest -m QM1",
        ),
    ),
    "analyze": Group(
        "Months of snapshots on Spark: sizes, causes, forecasts.",
        {
            "profile": (
                "mqtriage.cli.analyze:profile",
                "Count and measure messages by day and program.",
            ),
            "delay": (
                "mqtriage.cli.analyze:delay",
                "Show the staging queue's load, and what would hold it.",
            ),
            "depth": (
                "mqtriage.cli.analyze:depth",
                "Forecast when queues fill up; find stuck consumers.",
            ),
            "expiry": (
                "mqtriage.cli.analyze:expiry",
                "Show what expired, and which lifetime would do.",
            ),
            "causes": (
                "mqtriage.cli.analyze:causes",
                "Show what poison messages shared and others did not.",
            ),
            "cohort": (
                "mqtriage.cli.analyze:cohort",
                "Show what became of messages; find a BOTHRESH.",
            ),
            "definitions": (
                "mqtriage.cli.analyze:definitions",
                "Show what changed in definitions and findings.",
            ),
            "report": (
                "mqtriage.cli.analyze_report:report",
                "Write charts and tables of all jobs as a web page.",
            ),
            "watch": (
                "mqtriage.cli.analyze_report:watch",
                "Count what is new in a folder of snapshots.",
            ),
        },
        (
            "mqtriage analyze delay /var/mq/snapshots",
            "mqtriage analyze causes --since now-7d",
            "mqtriage analyze cohort --master spark://127.0.0.1:7077",
        ),
    ),
    "archive": Group(
        "Archives of messages: list, look up, verify, put back.",
        {
            "ls": ("mqtriage.cli.archive:ls", "List the archives, or the messages of one."),
            "show": (
                "mqtriage.cli.archive:show",
                "Show what an archive holds, or one of its messages.",
            ),
            "verify": (
                "mqtriage.cli.archive:verify",
                "Check that archives are what their writers left.",
            ),
            "filter": (
                "mqtriage.cli.archive_messages:filter_messages",
                "Copy the chosen messages of archives to a new archive.",
            ),
            "redact": (
                "mqtriage.cli.archive_messages:redact",
                "Copy archives without ids, users and what paths name.",
            ),
            "restore": (
                "mqtriage.cli.archive_messages:restore",
                "Put archived messages back on their queue.",
            ),
            "prune": ("mqtriage.cli.archive:prune", "Remove archives for good."),
        },
        (
            "mqtriage archive ls",
            "mqtriage archive show orders.ndjson",
        ),
    ),
    "top": Group(
        "Live screens: queues, delayed messages, poison messages.",
        {
            "queues": ("mqtriage.cli.top:queues", "Show the queues as they fill and empty."),
            "delay": (
                "mqtriage.cli.top:delay",
                "Show what waits on the staging queue, and what is late.",
            ),
            "backout": (
                "mqtriage.cli.top:backout",
                "Show poison messages that wait, and where they would go.",
            ),
        },
        (
            "mqtriage top queues",
            "mqtriage top delay",
            "mqtriage top queues 'ORDERS.*' --interval 5s",
        ),
        default="queues",
    ),
    "journal": Group(
        "Acts on messages after the fact: resume, undo, prove.",
        {
            "ls": ("mqtriage.cli.journal:ls", "List the acts on messages, the newest first."),
            "show": (
                "mqtriage.cli.journal:show",
                "Show an act: what was asked, and what became of it.",
            ),
            "apply": ("mqtriage.cli.journal:apply", "Carry out a plan file, exactly."),
            "undo": ("mqtriage.cli.journal:undo", "Take an act back, as far as it can be."),
            "resume": ("mqtriage.cli.journal:resume", "Go on with an act that was cut."),
            "verify": (
                "mqtriage.cli.journal:verify",
                "Prove that nothing was lost: gets = puts + archived.",
            ),
            "prune": (
                "mqtriage.cli.journal:prune",
                "Remove acts from the journal for good.",
            ),
        },
        (
            "mqtriage journal ls",
            "mqtriage journal resume --yes",
            "mqtriage journal undo --dry-run",
        ),
    ),
    "mqsc": Group(
        "MQSC scripts: run them as runmqsc does, format them.",
        {
            "run": ("mqtriage.cli.mqsc:run", "Run MQSC, with answers as runmqsc prints them."),
            "fmt": ("mqtriage.cli.mqsc:fmt", "Bring MQSC files into one form."),
        },
        (
            "mqtriage mqsc definitions.mqsc --yes",
            "mqtriage mqsc queries.mqsc -o json",
            "mqtriage mqsc fmt --check *.mqsc",
        ),
        default="run",
    ),
}

COMMANDS: Final[dict[str, Verb]] = {
    "doctor": (
        "mqtriage.cli.doctor:doctor",
        "Check client, connection and authority.",
    ),
    "lint": ("mqtriage.cli.lint:lint", "Check definitions: MQSC files, or a live queue manager."),
    "plan": ("mqtriage.cli.definitions:plan", "Show what would change, with the way back."),
    "apply": ("mqtriage.cli.definitions:apply", "Bring definitions to the desired state."),
    "drift": (
        "mqtriage.cli.definitions:drift",
        "Show where a queue manager is not as it should be.",
    ),
    "watch": ("mqtriage.cli.watch:watch", "Tell each message as it arrives, one a line."),
    "cheat": ("mqtriage.cli.cheat:cheat", "Show command lines to paste, by topic."),
    "man": ("mqtriage.cli.cheat:man", "Copy the manual pages out, for man to find."),
    "completion": (
        "mqtriage.cli.frame.completion:completion",
        "Print the completion script of a shell.",
    ),
    "rc": ("mqtriage.cli.rc:explain", "Explain a reason or feedback code."),
    "version": ("mqtriage.cli.version:version", "Print the version."),
}

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
