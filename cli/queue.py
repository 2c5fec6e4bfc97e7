"""`mqtriage queue`: options, help and examples; the work is in commands/queue/queues.py."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Consent, Output
from mqtriage.cli.frame.selection import SYSTEM
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, arguments, flag, text
from mqtriage.model.output_forms import PLAIN, TABLE
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import UsageError

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.definitions.change import Change
    from mqtriage.model.result import Document, Listing

NAME = argument(help="Name of the queue (case-sensitive).", completes="queue")
ASSIGNMENTS = arguments(
    "ATTR=VALUE",
    help="MQSC attribute: PUT=ENABLED, 'PUT(ENABLED)' or NOSHARE.",
    completes="attribute",
)


@takes(Connections, Output)
def ls(
    app: AppContext,
    patterns: tuple[str, ...] = arguments(
        "PATTERN", help="Names or generic names: 'ORDERS.*'. Default: all.", completes="queue"
    ),
    system: bool = SYSTEM,
    from_file: str | None = text(
        "--from", help="Read saved runmqsc output instead; - is standard input.", completes="file"
    ),
    where: str | None = text(
        "--where",
        metavar="CONDITION",
        help="Queues with these attributes, as in DISPLAY QUEUE WHERE: 'CURDEPTH GT 0'. Or"
        ' "percent_full >= 70 and put = ENABLED".',
        completes="queue_condition",
    ),
) -> None:
    """List queues and their depths.

    Without PATTERN, it omits SYSTEM.* queues, except the staging queue and
    SYSTEM.DEAD.LETTER.QUEUE. No messages are browsed. --columns accepts every DISPLAY QUEUE
    attribute. -o mqsc writes the DEFINE command for each queue. With --from, it reads saved
    output of DISPLAY QUEUE and DISPLAY QSTATUS instead. Values that are not in the output are
    empty.

    Examples:
        mqtriage queue ls 'ORDERS.*' PAY.IN
        mqtriage queue ls -m QM1,QM2 --sort -percent_full
        mqtriage queue ls 'ORDERS.*' --where 'CURDEPTH GT 0'
        mqtriage queue ls --columns queue,cluster,defpsist
        mqtriage queue ls --from ticket.txt
        mqtriage queue ls -o mqsc
    """
    from mqtriage.commands.queue.conditions import read_conditions
    from mqtriage.commands.queue.queues import ls as list_queues

    conditions = () if where is None else read_conditions(where)
    if from_file is not None:
        from mqtriage.cli.frame.inputs import read_text
        from mqtriage.commands.queue.saved_output import ls as list_saved

        app.output.emit(
            list_saved(
                read_text(app, from_file),
                from_file,
                patterns or ("*",),
                system=system,
                conditions=conditions,
            )
        )
        return
    columns = (*app.output.options.column_keys, app.output.options.sort_key[0] or "")
    names = patterns or ("*",)
    app.emit_read(
        lambda backend: list_queues(
            backend, names, system=system, columns=columns, conditions=conditions
        )
    )


_SHOWN: Final = ("queue", "type", "attributes")


@takes(Connections, Output)
def show(app: AppContext, name: str = NAME) -> None:
    """Show all of a queue's attributes.

    Examples:
        mqtriage queue show ORDERS.IN
        mqtriage queue show ORDERS.IN -o mqsc
    """
    from mqtriage.commands.queue.queues import show as show_queue

    columns = app.output.options.column_keys
    if len(app.target.connections) < 2 and (other := [c for c in columns if c not in _SHOWN]):
        raise UsageError(
            f"--columns: no key {other[0]!r} here; its keys are {', '.join(_SHOWN)}",
            hint=f"mqtriage queue ls {shell_word(name)} --columns {','.join(columns)}",
        )
    app.emit_read(lambda backend: show_queue(backend, name))


@takes(Connections, Output)
def status(
    app: AppContext,
    name: str = argument(
        help="Queue, alias or generic name such as 'ORDERS.*'.",
        default="*",
        completes="queue",
    ),
    handles: bool = flag(help="Show which programs have the queue open, and how."),
    problems: bool = flag(help="Of a generic name, list only queues with a PROBLEM."),
) -> None:
    """Show depth and ages of queues, or who has them open.

    No messages are browsed. The numbers come from DISPLAY QSTATUS. For an alias, the command shows
    its target queue. For a generic name, it prints one row per local queue. PROBLEM shows what
    keeps messages from moving: PUT(DISABLED), GET(DISABLED), a full queue, uncommitted messages or
    no reader. No reader means that messages have waited for a minute or more, and no program has
    the queue open for input. SYSTEM.* queues, backout queues and the dead-letter queue usually have
    none, so it is not a problem there. --handles shows the same information as DISPLAY QSTATUS
    TYPE(HANDLE).
    While any program has the queue open, the queue manager rejects CLEAR QLOCAL and DELETE QLOCAL.
    INPUT is no, shared or excl. UOW_START is when the program's open unit of work began, from
    DISPLAY CONN. CONNECTED is when a client's channel started, from DISPLAY CHSTATUS; IBM MQ does
    not report when a local program connected. Both are in the queue manager's local time. If
    messages wait, it also prints whether any program reads them, and when the last get was.

    Examples:
        mqtriage queue status ORDERS.IN
        mqtriage queue status 'ORDERS.*'
        mqtriage queue status --problems
        mqtriage queue status ORDERS.IN --handles
        mqtriage queue status 'ORDERS.*' --handles -o json
    """
    from mqtriage.commands.queue import queues as queue_numbers
    from mqtriage.commands.queue.names import named_queues

    if problems and (handles or not name.endswith("*")):
        raise UsageError(
            "--problems: only for a generic name, and without --handles",
            hint="mqtriage queue status --problems; mqtriage backout ls --problems lists"
            " incorrect backout settings",
        )
    several = len(app.target.connections) > 1
    readings: list[str] = []

    def note_reading(backend: Backend) -> None:
        if app.output.form in (TABLE, PLAIN) and not name.endswith("*"):
            readings.append(queue_numbers.reading_text(backend, name, several=several))

    def status_of(backend: Backend) -> Document | Listing:
        if name.endswith("*"):
            return queue_numbers.statuses(backend, named_queues(backend, [name]), problems=problems)
        document = queue_numbers.status(backend, name)
        note_reading(backend)
        return document

    number = 0

    def handles_of(backend: Backend) -> Listing:
        from mqtriage.commands.queue.handles import who as list_handles

        nonlocal number
        listing = list_handles(backend, name)
        number += listing.summary["handles"]
        note_reading(backend)
        return listing

    app.emit_read(handles_of if handles else status_of, empty="no problems" if problems else "")
    if handles and not number:
        app.run.say(f"{name}: no program has {'one' if name.endswith('*') else 'it'} open")
    for line in sorted(filter(None, readings)):
        app.run.say(line)


@takes(Consent, ConnectionOptions, Output)
def define(
    app: AppContext,
    safety: Consent,
    name: str = NAME,
    assignments: tuple[str, ...] = ASSIGNMENTS,
    like: str | None = text(help="Take all other attributes from this queue.", completes="queue"),
) -> None:
    """Define a local queue or, with TARGET, an alias.

    Attributes that you do not specify come from the default queue of that type, or from --like. If
    you run the command again, it reports "unchanged". It fails if the queue exists with different
    attributes.

    Examples:
        mqtriage queue define ORDERS.NEW --like ORDERS.IN --yes
        mqtriage queue define ORDERS.NEW MAXDEPTH=20000 DEFPSIST=YES NOSHARE --yes
        mqtriage queue define ORDERS TARGET=ORDERS.IN -n
    """
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.queue.changes import plan_define

    def plan(reader: Backend) -> Change:
        return plan_define(reader, name, assignments, like=like or "")

    change_definition(app, safety, plan)


@takes(Consent, ConnectionOptions, Output)
def set_(
    app: AppContext, safety: Consent, name: str = NAME, assignments: tuple[str, ...] = ASSIGNMENTS
) -> None:
    """Change a queue's attributes.

    Shows the old and new values, and the ALTER command. Other attributes and messages do not
    change. For an alias, it alters the alias itself, not its target queue.

    Examples:
        mqtriage queue set ORDERS.IN MAXDEPTH=50000 -n
        mqtriage queue set ORDERS.IN GET=DISABLED --yes
    """
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.queue.changes import plan_set

    change_definition(app, safety, lambda reader: plan_set(reader, name, assignments))


@takes(Consent, ConnectionOptions, Output)
def delete(
    app: AppContext,
    safety: Consent,
    name: str = NAME,
    purge: bool = flag(help="Delete the queue even if it contains messages, which are lost."),
    missing_ok: bool = flag(help="Exit 0 if the queue does not exist."),
) -> None:
    """Delete a queue.

    It refuses to delete a queue that contains messages. --purge deletes the messages too, without
    archiving them. You must then type the queue's name, or give it with --confirm. A protected
    context refuses that: msg purge archives the messages.

    Examples:
        mqtriage queue delete ORDERS.OLD --yes
        mqtriage queue delete ORDERS.OLD --purge --confirm ORDERS.OLD
    """
    from mqtriage.cli.frame.definition_flow import change_definition
    from mqtriage.commands.queue import changes as queue_changes

    change_definition(
        app,
        safety,
        lambda reader: queue_changes.plan_delete(reader, name, purge=purge, missing_ok=missing_ok),
        execute=partial(queue_changes.delete, purge=purge),
    )
