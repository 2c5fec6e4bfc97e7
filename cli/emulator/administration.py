"""`mqtriage emulator create|ls|...|clock`: queue managers in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, flag, text
from mqtriage.model.output_forms import IDS, MQSC, NDJSON
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError

NAME = argument(help="Queue manager (case-sensitive).", completes="qmgr")
SOME_NAME = argument(help="Queue manager. Default: the only one.", default=None, completes="qmgr")
CLIENTS_RECONNECT = flag(
    "-r", "--clients-reconnect", help="Let reconnectable clients reconnect when you start it again."
)


def chosen(app: AppContext, name: str | None) -> str:
    """The queue manager meant: the argument, else -m or MQTRIAGE_QMGR, else the only one.

    Raises:
        UsageError: Argument and -m differ, a real one, or several and none chosen.
        NotFound: There is none.
    """
    from mqtriage.backends.registry import chosen_name

    settings = app.target.settings
    backend = settings.values.get("backend")
    is_mq = backend is not None and backend.value != "emulator"
    if backend is not None and is_mq and backend.origin.startswith("--"):
        word = backend.origin if backend.decided_by else f"--backend {backend.value}"
        raise UsageError(f"{word}: this group is only for emulated queue managers")
    option = app.target.connection.qmgr
    if name and option not in {None, name}:
        raise UsageError(
            f"queue manager is given twice and differs: {name} and {option}", hint="give it once"
        )
    # the queue manager of settings for a real one is no emulated one
    in_force = option if is_mq else settings.text("qmgr")
    qmgr = name or in_force or chosen_name(app.target.home(), app.target.by_the_way)
    if name:  # as by -m: a context of another queue manager is not in force
        app.target.connection = replace(app.target.connection, qmgr=name)
    app.target.reached(qmgr, "emulator")
    return qmgr


def managed(app: AppContext, name: str | None) -> tuple[Path, str]:
    """Where emulated queue managers live, and the one meant, for what is no list of ids or MQSC."""
    app.output.refuse_forms(IDS, MQSC)
    return app.target.home(), chosen(app, name)


@takes(ConnectionOptions, Output)
def create(
    app: AppContext,
    name: str = NAME,
    platform: str = text(help="Platform to emulate.", default="dist", choices=("dist", "zos")),
    mq_version: str = text(metavar="V.R", help="Version of IBM MQ to report.", default="9.4"),
    clock: str = text(
        help="A frozen clock moves only with emulator clock +15m.",
        default="running",
        choices=("running", "frozen"),
    ),
    sample: bool = flag(help="Create sample queues and messages."),
    developer: bool = flag(help="Define the objects of IBM's developer image: DEV.QUEUE.1 ..."),
    salvage: str | None = text(
        metavar="QMGR",
        help="Create the queue manager from the readable data of this damaged one.",
        completes="qmgr",
    ),
    from_snapshot: str | None = text(
        metavar="REF",
        help="Create the queue manager from this snapshot: an id, latest, or latest~2.",
        completes="snapshot",
    ),
    folder: str | None = text(
        metavar="DIR",
        help="Folder that contains the snapshot. Default: snapshots under MQTRIAGE_HOME.",
        completes="file",
    ),
) -> None:
    """Create an emulated queue manager.

    The queue manager is a single file under MQTRIAGE_HOME. It runs immediately, without any IBM
    software. The sample has ordinary, delayed, poison, expired and dead-lettered messages.
    --from-snapshot recreates the definitions, messages, delays, lifetimes and BackoutCounts in a
    snapshot that was taken with --body full. The clock starts at the time of the snapshot.
    --salvage recovers the definitions and messages of a queue manager whose file is damaged; that
    file does not change. If the definition of a queue is lost, its messages go to SALVAGED.number.
    Open units of work are backed out.

    Examples:
        mqtriage emulator create QM1
        mqtriage emulator create QM1 --sample
        mqtriage emulator create QM1 --developer
        mqtriage emulator create QMZ --platform zos --clock frozen
        mqtriage emulator create WHATIF --from-snapshot latest
        mqtriage emulator create QM1.SAVED --salvage QM1
    """
    if salvage is not None:
        if sample or developer or from_snapshot is not None:
            raise UsageError("--salvage, --from-snapshot, --sample and --developer: give only one")
        from mqtriage.commands.emulator import damage

        app.output.emit_done(damage.salvage(*managed(app, salvage), name))
        return
    if from_snapshot is not None:
        if sample or developer:
            raise UsageError("--salvage, --from-snapshot, --sample and --developer: give only one")
        from mqtriage.commands.emulator.from_snapshot import create_from_snapshot

        snapshots = app.target.snapshot_folder(folder)
        app.output.emit_done(create_from_snapshot(*managed(app, name), snapshots, from_snapshot))
        return
    from mqtriage.commands.emulator.admin import create as create_qmgr

    app.output.emit_done(
        create_qmgr(
            *managed(app, name),
            platform=platform,
            version=mq_version,
            clock=clock,
            sample=sample,
            developer=developer,
        )
    )


@takes(ConnectionOptions, Output)
def ls(
    app: AppContext,
    contents_of: str | None = argument(
        "QMGR", help="Write the contents of this queue manager.", default=None, completes="qmgr"
    ),
    check: bool = flag(
        help="Check the queue manager's file for damage instead. Default: the only one."
    ),
) -> None:
    """List the emulated queue managers, or the contents of one.

    For one queue manager, it writes one JSON object per line: the queue manager, then each queue in
    order of name, with its messages. The same contents always produce the same text, so you can
    compare two of these listings.

    --check reads every row and index of its file, and exits 4 if anything is damaged. emulator
    create --salvage recovers readable data.

    Examples:
        mqtriage emulator ls
        mqtriage emulator ls -o json
        mqtriage emulator ls QM1 > before.ndjson
        mqtriage emulator ls QM1 | jq -c 'select(.record != "message")'
        mqtriage emulator ls QM1 --check
    """
    if check:
        from mqtriage.commands.emulator import damage

        parts = damage.check(app.target.home(), chosen(app, contents_of))
        app.output.emit(parts)
        app.run.note_findings(parts.summary["damaged"])
        return
    if contents_of is None:
        from mqtriage.commands.emulator.admin import ls as list_qmgrs

        app.output.emit(list_qmgrs(app.target.home()))
        return
    from mqtriage.commands.emulator import admin as emulator_admin
    from mqtriage.commands.emulator import content as emulator_content

    if app.output.options.form is None:
        app.output.options = replace(app.output.options, form=NDJSON)
    name = chosen(app, contents_of)
    with emulator_admin.opened(app.target.home(), name, app.run.say) as manager:
        app.target.now_us = manager.look()
        app.output.emit(emulator_content.dump(manager))


@takes(ConnectionOptions, Output)
def start(app: AppContext, name: str | None = SOME_NAME) -> None:
    """Start a stopped queue manager.

    Delayed messages that have become due are delivered.

    Examples:
        mqtriage emulator start QM1
    """
    from mqtriage.commands.emulator.admin import start as start_qmgr

    app.output.emit_done(start_qmgr(*managed(app, name)))


@takes(ConnectionOptions, Output)
def stop(
    app: AppContext,
    name: str | None = SOME_NAME,
    wait: str | None = text(
        metavar="30s", help="Quiesce first, and give programs this long to finish."
    ),
    clients_reconnect: bool = CLIENTS_RECONNECT,
) -> None:
    """Stop a running queue manager.

    As on a real queue manager, units of work are backed out, and nonpersistent messages are lost
    unless their queue has NPMCLASS(HIGH). While the queue manager quiesces, new programs and calls
    with FAIL_IF_QUIESCING get 2161 (MQRC_Q_MGR_QUIESCING). It ends when all programs have
    disconnected. Calls that are still waiting at that point get 2203. It is refused on a protected
    or read-only queue manager if it would lose messages.

    Examples:
        mqtriage emulator stop QM1
        mqtriage emulator stop QM1 --wait 30s
        mqtriage emulator stop QM1 --clients-reconnect
    """
    from mqtriage.commands.emulator import admin

    place = managed(app, name)
    if lost := admin.would_drop(*place):
        count = count_text(sum(lost.values()), "nonpersistent message")
        purge = f"mqtriage msg purge {shell_word(next(iter(lost)))} --not-persistent --plan FILE"
        app.target.refuse_guarded(f"losing {count} by stopping", f"{purge} archives them")
    app.output.emit_done(admin.stop(*place, wait, clients_reconnect=clients_reconnect))


@takes(Consent, ConnectionOptions, Output)
def rm(app: AppContext, safety: Consent, name: str = NAME) -> None:
    """Remove an emulated queue manager permanently.

    This removes its messages too, without archiving them. You must therefore type the name, or give
    it with --confirm. A protected context refuses that: msg purge archives the messages.

    Examples:
        mqtriage emulator rm QM1
        mqtriage emulator rm QM1 --confirm QM1
    """
    from mqtriage.cli.frame.act_flow import act
    from mqtriage.cli.frame.recording import unrecorded
    from mqtriage.commands.emulator import admin as emulator_admin

    folder = app.target.home()
    plan = emulator_admin.plan_rm(folder, chosen(app, name))
    act(app, plan, safety, lambda: emulator_admin.rm(folder, plan), record=unrecorded)


@takes(ConnectionOptions, Output)
def clock(
    app: AppContext,
    name: str | None = SOME_NAME,
    change: str | None = argument(
        "CHANGE",
        help="+15m advances the clock, freeze stops it, run restarts it.",
        default=None,
    ),
) -> None:
    """Show, advance, stop or start the clock of a queue manager.

    When you advance the clock, delays and lifetimes that end within that time end in the correct
    order. The + is optional: 15m means the same.

    Examples:
        mqtriage emulator clock
        mqtriage emulator clock +15m
        mqtriage emulator clock QM1 +1h30m
        mqtriage emulator clock QM1 freeze
    """
    from mqtriage.commands.emulator import admin

    if name is not None and _is_change(name) and (change is None or not _is_change(change)):
        name, change = change, name
    if change is not None and not _is_change(change):
        raise UsageError(f"{change[:40]!r}: +15m, freeze or run is expected")
    place = managed(app, name)
    if change is None:
        app.output.emit(admin.show_clock(*place))
    elif change in {"freeze", "run"}:
        is_frozen = change == "freeze"
        app.output.emit_done(admin.show_clock(*place, freeze=is_frozen, run=not is_frozen))
    else:
        app.target.refuse_guarded("advancing the clock of")
        span = str(change).removeprefix("+")
        app.output.emit_done(admin.advance(*place, span, app.run.say))


def _is_change(word: str) -> bool:
    """Whether a word is what happens to a clock; a number without its unit is, too."""
    from mqtriage.model.units import is_duration

    digits = word.removeprefix("+")
    return word in {"freeze", "run"} or digits != word or digits.isdecimal() or is_duration(digits)
