"""`mqtriage mqsc`: options, help and examples; see commands/qmgr/mqsc_run.py."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import Connections, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, arguments, flag, text
from mqtriage.model.output_forms import MQSC
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import Refused, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtriage.backends.port import Backend
    from mqtriage.commands.qmgr.mqsc_run import Counts, ScriptStep
    from mqtriage.commands.qmgr.mqsc_scripts import Map
    from mqtriage.model.plan import Plan
    from mqtriage.model.result import Listing
    from mqtriage.mq.mqsc.tree import Script

_AT_ONCE = 2


@takes(Consent, Connections, Output)
def run(
    app: AppContext,
    safety: Consent,
    files: tuple[str, ...] = arguments(
        "FILES", help="MQSC files or folders; - is standard input, the default.", completes="file"
    ),
) -> None:
    """Run MQSC, and print the output as runmqsc does.

    `mqtriage mqsc FILE` does the same. It reads all files before it runs the first command. On a
    terminal without FILES, it runs each command as you type it; lines that you paste together are
    one script. END, EXIT or QUIT ends a file, or what you type: the lines after it are not read. A
    script that contains only DISPLAY commands runs immediately.

    Unlike runmqsc, a script that changes something asks for confirmation, or needs --yes: in a
    pipe, nobody can answer. For CLEAR, DELETE and the removal of a CHLAUTH record, you must type
    the name of the object, or give it with --confirm. If several objects are affected, give the
    name of the queue manager instead. A protected context refuses CLEAR and DELETE PURGE of a queue
    that contains messages: msg purge archives them. -n checks the commands without running them, as
    runmqsc -v does. Before it runs, and with -n, it lists what each DEFINE with REPLACE changes. An
    attribute marked (reset) is not in the command: REPLACE gives it the default object's value.

    A command that fails does not stop the others. Errors go to standard error. Exits 3 if some
    commands failed, and 1 if all of them did. The journal records changes, without passwords, and
    journal undo reverses changes to definitions. A command that the emulator does not support, such
    as START SERVICE, returns "not emulated" and counts as failed.

    -o json prints one record per command: completion, reason, messages and the displayed objects.

    With several queue managers, a script that contains only DISPLAY and PING commands runs on each
    of them, and prints one session after the other. Any other script takes one queue manager.

    Examples:
        mqtriage mqsc definitions.mqsc --yes
        mqtriage mqsc base.mqsc orders.mqsc -n
        echo 'ALTER QLOCAL(ORDERS.IN) MAXDEPTH(9000)' | mqtriage mqsc --yes
        mqtriage mqsc clear.mqsc --confirm ORDERS.OLD
        mqtriage mqsc queries.mqsc -o json
        mqtriage mqsc queries.mqsc -m QM1,QM2
    """
    from mqtriage.commands.qmgr.mqsc_run import Counts, changing_commands
    from mqtriage.definitions.script_files import STANDARD_INPUT, read_scripts, unread

    if app.run.terminals.stdin and files in ((), (STANDARD_INPUT,)):
        app.target.refuse_several()
        typed = _typed(app)
        if app.output.options.form is None:
            _converse(app, safety, typed)
            return
        scripts = list(typed)
    else:
        scripts = read_scripts(files or (STANDARD_INPUT,), app.run.standard_input)
    for passage in unread(scripts):
        app.run.warn(passage)
    if changing_commands(scripts):
        app.target.refuse_several()
    if len(app.target.connections) > 1:
        _display_each(app, scripts, checks=safety.dry_run)
        return
    counts = Counts()
    with app.target.open_backend() as backend:
        taken = _agreed_steps(app, backend, safety, scripts, counts)
        if taken is not None:
            _write(app, taken, counts, checks=safety.dry_run)


def _display_each(app: AppContext, scripts: list[Script], *, checks: bool) -> None:
    """Run scripts that only display at each of several queue managers.

    Args:
        checks: the commands are only checked.
    """
    from mqtriage.cli.frame.several import answers_of_each
    from mqtriage.commands.qmgr.mqsc_run import Counts, listing, steps

    counts: list[Counts] = []

    def asked(backend: Backend) -> tuple[Iterator[ScriptStep], Counts]:
        own = Counts()
        counts.append(own)
        answer = backend.check_mqsc if checks else backend.run_mqsc
        return steps(scripts, answer, own, app.run.should_stop), own

    def session(one: AppContext) -> tuple[AppContext, list[ScriptStep], Counts]:
        with one.target.open_backend(read_only=True) as backend:
            taken, own = asked(backend)
            return one, list(taken), own

    with app.run.finishing_batches(in_journal=False):
        try:
            if app.output.options.form is not None:
                app.emit_read(lambda backend: listing(*asked(backend), checks=checks))
                return
            for number, (one, taken, own) in enumerate(answers_of_each(app, session)):
                if number:
                    app.output.stdout.write("\n")
                _write_session(app, one, iter(taken), own)
        finally:
            app.run.note(exit_code(_sum_of(counts), app.run.stop_signal))


def _sum_of(counts: list[Counts]) -> Counts:
    """What all of several sessions read and did not carry out."""
    from mqtriage.commands.qmgr.mqsc_run import Counts

    return Counts(
        read=sum(one.read for one in counts),
        syntax_errors=sum(one.syntax_errors for one in counts),
        not_processed=sum(one.not_processed for one in counts),
        interrupted=any(one.interrupted for one in counts),
    )


def _typed(app: AppContext) -> Iterator[Script]:
    """What somebody types, one command after the other."""
    from mqtriage.definitions.script_files import typed_scripts
    from mqtriage.mq.mqsc.parse import decode_script

    app.run.say("reading MQSC from standard input; END or Ctrl-D ends it")
    lines = iter(app.run.stdin.readline, "")
    decoded = (decode_script(line.encode("utf-8", "surrogateescape")) for line in lines)
    return typed_scripts(decoded, partial(_is_waiting, app.run.stdin))


def _is_waiting(stream: TextIO) -> bool:
    """Whether a terminal, which gives one line at a time, has the next one already."""
    from select import select

    try:
        return bool(select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # it is no file
        return False


def _converse(app: AppContext, safety: Consent, typed: Iterator[Script]) -> None:
    """Answer each command as it is typed; one that is refused does not end the session."""
    from mqtriage.commands.qmgr.mqsc_run import Counts
    from mqtriage.definitions.script_files import unread
    from mqtriage.formatters.errors import error_text

    counts = Counts()
    with app.target.open_backend() as backend:

        def taken() -> Iterator[ScriptStep]:
            for script in typed:
                for passage in unread([script]):
                    app.run.warn(passage)
                try:
                    yield from _agreed_steps(app, backend, safety, [script], counts) or ()
                except Refused as error:
                    text = error_text(error, colour=app.run.colour_stderr)
                    app.run.tell_error(error, ExitCode.REFUSED, "", text)
                    refused = len(list(script.commands))
                    counts.read += refused
                    counts.not_processed += refused
                counts.interrupted = app.run.should_stop()
                if counts.interrupted or counts.unheard:
                    return

        _write(app, taken(), counts)


def _agreed_steps(
    app: AppContext, backend: Backend, safety: Consent, scripts: list[Script], counts: Counts
) -> Iterator[ScriptStep] | None:
    """The steps of scripts that only display, or that the guards and the user agree to.

    Raises:
        Refused: A guard or the user said no.
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.act_flow import agreed, say_what_is_needed
    from mqtriage.commands.qmgr.mqsc_run import plan_run, steps

    plan = plan_run(readonly(backend), scripts, checks=safety.dry_run)
    if safety.dry_run:
        for note in plan.notes:
            app.run.say(note)
        say_what_is_needed(app, plan, safety)
        return steps(scripts, backend.check_mqsc, counts)
    if not plan.count:
        return _displayed(app, backend, scripts, counts)
    if not agreed(app, plan, safety):
        return None
    return _recorded(app, backend, plan, scripts, counts)


def _displayed(
    app: AppContext, backend: Backend, scripts: list[Script], counts: Counts
) -> Iterator[ScriptStep]:
    from mqtriage.commands.qmgr.mqsc_run import steps

    with app.run.finishing_batches(in_journal=False):
        yield from steps(scripts, backend.run_mqsc, counts, app.run.should_stop)


def _recorded(
    app: AppContext, backend: Backend, plan: Plan, scripts: list[Script], counts: Counts
) -> Iterator[ScriptStep]:
    """The steps of scripts that change something, which the journal has as one operation."""
    from mqtriage.cli.frame.recording import change_entry
    from mqtriage.commands.qmgr.mqsc_run import (
        changing_commands,
        changing_texts,
        counting,
        steps,
    )
    from mqtriage.definitions.way_back import not_taken_back, touched_by

    changing = changing_commands(scripts)
    plan.mqsc = tuple(changing_texts(scripts))
    touched, final = touched_by(changing), not_taken_back(changing)
    recorded = change_entry(app, backend, plan, touched, action="mqsc", final=final)
    with app.run.finishing_batches(), recorded as entry:
        try:
            answer = counting(backend.run_mqsc, entry)
            yield from steps(scripts, answer, counts, app.run.should_stop)
        finally:
            entry.interrupted = counts.interrupted


def _write(
    app: AppContext, taken: Iterator[ScriptStep], counts: Counts, *, checks: bool = False
) -> None:
    """Take the steps, write each, and note the exit code, also where nobody reads on."""
    from mqtriage.commands.qmgr.mqsc_run import listing

    try:
        if app.output.options.form is not None:
            app.output.emit(listing(taken, counts, checks=checks))
            return
        _write_session(app, app, taken, counts)
    except BrokenPipeError:
        for _ in taken:  # a reader that goes away does not leave a script half run
            pass
        raise
    finally:
        app.run.note(exit_code(counts, app.run.stop_signal))


def _write_session(
    app: AppContext, one: AppContext, taken: Iterator[ScriptStep], counts: Counts
) -> None:
    """Write the session with the queue manager that *one* has open."""
    from mqtriage.formatters.runmqsc import write_session
    from mqtriage.mq.times import rfc3339

    name = one.target.queue_manager
    where = "" if one is app else f"{name}: "
    write_session(
        taken,
        counts,
        app.output.stdout,
        queue_manager=name,
        year=int(rfc3339(one.target.now_us or 0)[:4]),
        explain=lambda text: app.run.tell(f"{where}{text}"),
    )
    app.output.stdout.flush()


def exit_code(counts: Counts, signal: int | None = None) -> ExitCode:
    """0, 3 when some commands were not carried out, 1 when none was; 130 and 143 when stopped."""
    if counts.interrupted:
        return outcome_of(KeyboardInterrupt(), signal=signal)
    if not counts.wrong:
        return ExitCode.OK
    return ExitCode.FAILED if counts.wrong == counts.read else ExitCode.PARTLY_DONE


@takes(Connections, Output)
def export(
    app: AppContext,
    files: tuple[str, ...] = arguments(
        help="Dumps or scripts, or a folder; - is standard input.", completes="file"
    ),
    out: str = text(
        metavar="DIR",
        help="New folder for the scripts.",
        default=REQUIRED,
        completes="file",
        reads="place",
    ),
    cut: str | None = text(
        "--map", metavar="FILE", help="TOML file that assigns names to scripts.", completes="file"
    ),
    snapshot: str | None = text(
        metavar="ID", help="Snapshot: its id or the first characters of its id, latest, or first."
    ),
    folder: str | None = text(metavar="DIR", help="Folder of snapshots.", completes="file"),
) -> None:
    """Write a queue manager's definitions as a folder of scripts.

    The definitions come from the live queue manager, from FILES such as the output of dmpmqcfg, or
    from a snapshot (only queues and the queue manager). It leaves out objects that every new queue
    manager has, and attributes that have the default object's values. Each application has its own
    script, named after the first part of its object names. To change that, use --map: `orders =
    ["ORDERS.*", "ORD.*"]`. The commands are in the order in which they must run. Passwords are not
    written. Afterwards, `mqtriage plan DIR` reports "nothing to change". DIR/lint-baseline.json
    contains the current lint findings; if you use it with lint --baseline, only new findings count.
    Exits 3 if an object could not be written.

    For several queue managers, DIR contains a folder for each one, named after it.

    Examples:
        mqtriage mqsc export -m QM1 --out estate/QM1
        mqtriage mqsc export -m 'QM*' --out estate-of-all
        mqtriage mqsc export dump.mqsc --out estate/QM2 --map applications.toml
        mqtriage mqsc export --snapshot latest -m QM1 --out yesterday/QM1
    """
    from mqtriage.commands.qmgr import mqsc_export
    from mqtriage.commands.qmgr.mqsc_scripts import read_map
    from mqtriage.definitions.script_files import read_scripts
    from mqtriage.files.failures import content_errors
    from mqtriage.files.whole import read_whole

    if files and snapshot:
        raise UsageError("mqsc export: files or --snapshot, not both")
    several = len(app.target.connections) > 1
    if several and (files or snapshot is not None):
        what = "files are" if files else "--snapshot is"
        raise UsageError(f"mqsc export: {what} for one queue manager at a time")
    names: Map = {}
    if cut is not None:
        with content_errors(Path(cut), 'a map has lines such as orders = ["ORDERS.*"]'):
            names = read_map(read_whole(Path(cut)))
    if files:
        source = mqsc_export.of_scripts(read_scripts(files, app.run.standard_input))
    elif snapshot is not None:
        where = app.target.snapshot_folder(folder)
        source = mqsc_export.of_snapshot(where, snapshot, app.target.connection.qmgr)
    elif several:
        _export_each(app, names, Path(out))
        return
    else:
        with app.target.open_backend(read_only=True) as backend:
            source = mqsc_export.of_backend(backend)
    listing = mqsc_export.write_folder(source, names, Path(out), _known_findings)
    app.output.emit(listing)
    app.run.note_partly(not listing.summary["complete"])
    app.run.say(
        f"mqtriage plan {shell_word(out)} compares them;"
        f" mqtriage lint {shell_word(out)} --baseline"
        f" {shell_word(str(Path(out) / mqsc_export.BASELINE))} omits known findings"
    )


def _export_each(app: AppContext, names: Map, out: Path) -> None:
    """Write a folder for each queue manager, and their scripts as rows."""
    from mqtriage.commands.qmgr.mqsc_export import of_backend, own_folder, write_folder

    def read(backend: Backend) -> Listing:
        folder = own_folder(out, backend.queue_manager)
        return write_folder(of_backend(backend), names, folder, _known_findings)

    with app.reading(read, at_once=_AT_ONCE) as listing:
        app.output.emit(listing)
        app.run.note_partly(not all(listing.summary["complete"].values()))
    app.run.say(f"mqtriage plan {shell_word(str(out))} -m NAME,... compares each with its folder")


def _known_findings(folder: Path, out: Path) -> dict[str, int]:
    """Write the baseline of scripts that *out* will have; how many findings each script has."""
    from collections import Counter
    from dataclasses import replace

    from mqtriage.commands.qmgr.mqsc_export import BASELINE
    from mqtriage.definitions.estates import script_sets
    from mqtriage.definitions.lint.baseline import write_baseline
    from mqtriage.definitions.lint.config import find_config
    from mqtriage.definitions.lint.run import lint_all

    sets = script_sets([str(folder)], bytes)
    findings = list(lint_all(sets, find_config(Path.cwd())).findings())
    for place, finding in enumerate(findings):
        file = str(out / Path(finding.place.file).name)
        findings[place] = replace(finding, place=finding.place._replace(file=file))
    write_baseline(folder / BASELINE, (("", finding) for finding in findings), out)
    return dict(Counter(Path(finding.place.file).name for finding in findings))


@takes(Output)
def fmt(
    app: AppContext,
    files: tuple[str, ...] = arguments(
        help="MQSC files; - formats standard input to standard output.",
        default=REQUIRED,
        completes="file",
    ),
    check: bool = flag(help="Change nothing; exit 4 if anything would change."),
) -> None:
    """Format MQSC files.

    Writes keywords in full and in upper case, with one parameter per line if a command is longer
    than 72 columns. Comments, blank lines, the encoding and the meaning do not change. It reports
    commands with errors and leaves them unchanged. It replaces the whole file, but only if
    something changes.

    Examples:
        mqtriage mqsc fmt definitions.mqsc
        mqtriage mqsc fmt --check qmgrs/*.mqsc
        mqtriage mqsc fmt - < old.mqsc > new.mqsc
    """
    from mqtriage.definitions.format_files import format_files, formatted, listing

    results = [formatted(name, app.run.standard_input) for name in dict.fromkeys(files)]
    for file in results:
        for problem in file.problems:
            app.run.warn(f"{problem}: stays as it is")
    if check:
        app.output.emit(listing(results, check=True))
        app.run.note_findings(any(file.changed for file in results))
        return
    format_files(results)
    text = [file.text for file in results if file.name == "-"]
    if text and len(results) == 1 and app.output.options.form in (None, MQSC):
        app.output.stdout.write(text[0])
        return
    if app.output.options.form == MQSC:
        app.output.options = replace(app.output.options, form=None)
    app.output.emit(listing(results, check=False))
