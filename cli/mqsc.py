"""`mqtriage mqsc`: options, help and examples; see commands/qmgr/mqsc_run.py."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.options import ConnectionOptions, Consent, Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import REQUIRED, arguments, flag
from mqtriage.model.output_forms import MQSC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtriage.commands.qmgr.mqsc_run import Counts, ScriptStep


@takes(Consent, ConnectionOptions, Output)
def run(
    app: AppContext,
    safety: Consent,
    files: tuple[str, ...] = arguments(
        "FILES", help="MQSC files; - is standard input, the default.", completes="file"
    ),
) -> None:
    """Run MQSC, with answers as runmqsc prints them.

    This is what `mqtriage mqsc FILE` does. Every file is read before the first command runs; END
    ends its file. A script that only displays is run at once; one that
    changes something asks, or needs --yes. CLEAR, DELETE and the removal of a
    CHLAUTH record take the name of the object, or of the queue manager where they are about
    several, typed or with --confirm, as apply does. -n checks the commands and runs none, as
    runmqsc -v does.

    A command that fails does not stop the others. What is wrong is reported on standard error.
    Exit 3 when some commands were not carried out, 1 when none was. What changes something is
    entered in the journal, without passwords, and journal undo reverses definitions. What an
    emulated queue manager lacks is answered with "not emulated" and counts as not carried out.

    -o json gives one record per command: completion, reason, messages and the objects displayed.

    Examples:
        mqtriage mqsc definitions.mqsc --yes
        mqtriage mqsc base.mqsc orders.mqsc -n
        mqtriage mqsc clear.mqsc --confirm ORDERS.OLD
        mqtriage mqsc queries.mqsc -o json
    """
    from mqtriage.backends.registry import readonly
    from mqtriage.cli.frame.act_flow import agreed
    from mqtriage.cli.frame.recording import change_entry
    from mqtriage.commands.qmgr import mqsc_run
    from mqtriage.commands.qmgr.mqsc_run import Counts, plan_run, steps
    from mqtriage.definitions.script_files import STANDARD_INPUT, read_scripts, unread
    from mqtriage.definitions.way_back import not_taken_back, touched_by

    scripts = read_scripts(files or (STANDARD_INPUT,), app.run.standard_input)
    for text in unread(scripts):
        app.run.warn(text)
    with app.target.open_backend() as backend:
        counts = Counts()
        if safety.dry_run:
            _write(app, steps(scripts, backend.check_mqsc, counts), counts, checks=True)
            return
        plan = plan_run(readonly(backend), scripts)
        if not plan.count:
            with app.run.finishing_batches():
                _write(app, steps(scripts, backend.run_mqsc, counts, app.run.should_stop), counts)
            return
        if not agreed(app, plan, safety):
            return
        changing = mqsc_run.changing_commands(scripts)
        plan.mqsc = tuple(mqsc_run.changing_texts(scripts))
        recorded = change_entry(
            app,
            backend,
            plan,
            touched_by(changing),
            action="mqsc",
            final=not_taken_back(changing),
        )
        with app.run.finishing_batches(), recorded as entry:
            answer = mqsc_run.counting(backend.run_mqsc, entry)
            try:
                _write(app, steps(scripts, answer, counts, app.run.should_stop), counts)
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
        from mqtriage.formatters.runmqsc import write_session
        from mqtriage.mq.times import rfc3339

        year = int(rfc3339(app.target.now_us or 0)[:4])
        write_session(
            taken,
            counts,
            app.output.stdout,
            queue_manager=app.target.queue_manager,
            year=year,
            explain=app.run.tell,
        )
        app.output.stdout.flush()
    except BrokenPipeError:
        for _ in taken:  # a reader that goes away does not leave a script half run
            pass
        raise
    finally:
        app.run.note(exit_code(counts, app.run.stop_signal))


def exit_code(counts: Counts, signal: int | None = None) -> ExitCode:
    """0, 3 when some commands were not carried out, 1 when none was; 130 and 143 when stopped."""
    if counts.interrupted:
        return outcome_of(KeyboardInterrupt(), signal=signal)
    if not counts.wrong:
        return ExitCode.OK
    return ExitCode.FAILED if counts.wrong == counts.read else ExitCode.PARTLY_DONE


@takes(Output)
def fmt(
    app: AppContext,
    files: tuple[str, ...] = arguments(
        help="MQSC files; - from standard input to out.", default=REQUIRED, completes="file"
    ),
    check: bool = flag(help="Change nothing; exit 4 when something would change."),
) -> None:
    """Bring MQSC files into one form.

    Keywords in full and in upper case, one parameter per line where a command is longer than
    72 columns. Comments, blank lines, the encoding and the meaning stay. Wrong commands stay as
    they are and are reported. A file is replaced only if it changes, and as a whole.

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
