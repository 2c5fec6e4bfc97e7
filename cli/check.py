"""`mqtriage check`: options, help and examples; the work is in commands/check."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import ConnectionOptions, Connections, Output, connection_words
from mqtriage.cli.frame.verb import takes
from mqtriage.commands.check import queues as monitor
from mqtriage.commands.check.next_command import next_command, not_judged
from mqtriage.commands.check.results import listing_of, not_checked, run_all
from mqtriage.formatters.reports.check_results import FORMS, write_checks
from mqtriage.model.check_result import CheckedObject, Status, worst
from mqtriage.model.options import arguments, duration, flag, repeated, text
from mqtriage.model.shell_words import shell_word
from mqtriage.model.thresholds import MeasureUnit, Thresholds, read_thresholds
from mqtriage.model.units import count_text, parse_duration_ms
from mqtriage.mq.errors import MQTriageError, Refused, UsageError
from mqtriage.records import dataclass

PATTERNS = arguments(
    "PATTERN", help="Names or generic names. Default: all except SYSTEM.*", completes="queue"
)
BACKOUT_PATTERNS = arguments(
    "PATTERN",
    help="Input queues, by name or generic name, or backout queues by name. "
    "Default: all except SYSTEM.*",
    completes="queue",
)
Check: TypeAlias = "Callable[[Backend, float], list[CheckedObject]]"
"""(backend, milliseconds since the connection was begun) to what was found."""
_PROBLEMS: Final = (Status.WARNING, Status.CRITICAL)


@dataclass(frozen=True, slots=True)
class Marking:
    """From where on there is something to say."""

    warn: tuple[str, ...] = repeated(
        "-w",
        "--warn",
        metavar="THRESHOLD",
        help="Report WARNING at this threshold: 70%, 1000 or 10m; or one per unit: 100,10m.",
    )
    crit: tuple[str, ...] = repeated(
        "-c", "--crit", metavar="THRESHOLD", help="Report CRITICAL at this threshold. See --warn."
    )

    def thresholds(self, units: Iterable[MeasureUnit], default: Thresholds) -> Thresholds:
        """The thresholds, in *units*; *default* where none are given."""
        return read_thresholds(self.warn, self.crit, units=units, default=default)


@dataclass(frozen=True, slots=True)
class Asking:
    """How queue managers are asked, and what is written."""

    report: str | None = text(
        "--format",
        metavar="FORMAT",
        help="text (default), nagios (Icinga too), prometheus, or any -o format.",
    )
    problems: bool = flag(help="List only what is not OK. The exit code stays the same.")
    timeout: int = duration(
        help="Time limit for each queue manager. After that, the result is UNKNOWN.",
        default="10s",
        least_ms=1,
    )


def _warn_and_crit(text: str) -> tuple[str, str]:
    """``3m,5m`` as both, ``5m`` as the critical one only; "" for what is not given."""
    warn, comma, crit = text.partition(",")
    return (warn.strip(), crit.strip()) if comma else ("", text.strip())


@takes(Connections, Output)
def qmgr(app: AppContext, marking: Marking, how: Asking) -> None:
    """Check that queue managers respond, and how quickly.

    A queue manager that cannot be reached is CRITICAL, and one that does not respond in time is
    UNKNOWN. Thresholds are durations, measured from the start of the connection.

    Examples:
        mqtriage check qmgr -m QM1,QM2 --timeout 5s
        mqtriage check qmgr -m QM1 --warn 500ms --crit 2s --format nagios
    """
    thresholds = marking.thresholds(monitor.QMGR_UNITS, monitor.thresholds_of("", ""))
    _run(
        app,
        how,
        "qmgr",
        lambda backend, took_ms: monitor.check_queue_manager(backend, thresholds, took_ms),
    )


@takes(Connections, Output)
def queue(
    app: AppContext,
    *,
    patterns: tuple[str, ...] = PATTERNS,
    marking: Marking,
    idle: str | None = text(
        metavar="[WARN,]CRIT",
        help="Alert if no message has been put for this long: 5m, or 3m,5m; '3m,' reports "
        "only WARNING.",
    ),
    how: Asking,
) -> None:
    """Check the depth, fill level, age and idle time of queues.

    Without thresholds, the result is WARNING at 80% of MAXDEPTH and CRITICAL at 95%. A duration is
    compared with the age of the oldest message. A named queue that does not exist is CRITICAL.
    PUT(DISABLED), and GET(DISABLED) with messages on the queue, are at least WARNING, whatever the
    thresholds. It does not check whether a program reads the messages, or whether they were rolled
    back. It names such queues, and the commands that show more.

    Examples:
        mqtriage check queue 'ORDERS.*' --warn 70% --crit 90%
        mqtriage check queue ORDERS.IN --warn 1000 --warn 10m --crit 1h --format nagios
        mqtriage check queue ORDERS.IN --idle 3m,5m
    """
    warn_ms, crit_ms = (
        parse_duration_ms(part, what="--idle", least_ms=1) if part else None
        for part in _warn_and_crit(idle or "")
    )
    thresholds = marking.thresholds(monitor.FILL_UNITS, monitor.QUEUE_THRESHOLDS)
    _run(
        app,
        how,
        "queue",
        lambda backend, _: monitor.check_queues(backend, patterns, thresholds, warn_ms, crit_ms),
        patterns,
    )


@takes(Connections, Output)
def delay(
    app: AppContext,
    marking: Marking,
    *,
    overdue: tuple[str, ...] = repeated(
        metavar="[WARN,]CRIT",
        help="Number or lateness of overdue messages: 1, or 1m,15m; '1m,' reports only WARNING.",
    ),
    assume_ddh: str | None = text(
        help="On a real queue manager, treat the time in the delay header as the due time.",
        choices=("due",),
    ),
    how: Asking,
) -> None:
    """Check the staging queue, its processor and overdue messages.

    Without --warn and --crit, the result is WARNING at 70% of MAXDEPTH and CRITICAL at 90%. Without
    --overdue, it is CRITICAL at one overdue message if due times are known. A message is overdue
    five seconds after its due time. Its lateness is measured from the due time. PUT(DISABLED),
    GET(DISABLED) or a stopped processor is CRITICAL.

    Examples:
        mqtriage check delay --warn 70% --crit 90% --overdue 1 --format nagios
        mqtriage check delay --overdue 1m,15m
    """
    from mqtriage.commands.check import delay as staging

    thresholds = marking.thresholds(monitor.FILL_UNITS, staging.DELAY_THRESHOLDS)
    late, assume = None, bool(assume_ddh)
    if overdue:
        pairs = [_warn_and_crit(given) for given in overdue]
        late = read_thresholds(
            [warn for warn, _ in pairs if warn],
            [crit for _, crit in pairs if crit],
            units=staging.OVERDUE_UNITS,
            default=staging.OVERDUE_THRESHOLDS,
            of="--overdue, ",
        )
    _run(
        app,
        how,
        "delay",
        lambda backend, _: staging.check_delay(backend, thresholds, late, assume_due=assume),
    )


@takes(Connections, Output)
def backout(
    app: AppContext,
    *,
    patterns: tuple[str, ...] = BACKOUT_PATTERNS,
    marking: Marking,
    how: Asking,
) -> None:
    """Check backout queues for poison messages.

    Without thresholds, the result is WARNING at one message and CRITICAL at 80% of MAXDEPTH. A
    backout queue that is missing or does not accept messages is CRITICAL. If messages wait on it
    but gets are disabled, the result is at least WARNING. Whatever the thresholds, messages at
    BOTHRESH that are still on their input queue are a WARNING. So are rolled-back messages on a
    queue with BOTHRESH(0), and queues where only one of BOTHRESH and BOQNAME is set or BOTHRESH is
    above 100. A named queue is treated as a backout queue only if a BOQNAME names it. No messages
    are browsed. A real queue manager does not report rolled-back messages, so use backout pending
    QUEUE there too.

    Examples:
        mqtriage check backout --crit 1
        mqtriage check backout 'ORDERS.*' --warn 1 --crit 1h --format nagios
    """
    thresholds = marking.thresholds(monitor.FILL_UNITS, monitor.BACKOUT_THRESHOLDS)
    _run(
        app, how, "backout", lambda backend, _: monitor.check_backout(backend, patterns, thresholds)
    )


@takes(Connections, Output)
def dlq(app: AppContext, marking: Marking, how: Asking) -> None:
    """Check the dead-letter queue.

    Without thresholds, the result is WARNING at one message and CRITICAL at 80% of MAXDEPTH. If
    DEADQ is blank, or its queue is missing or does not accept messages, the result is CRITICAL.
    If messages wait on it but gets are disabled, the result is at least WARNING.

    Examples:
        mqtriage check dlq --warn 1 --crit 100
        mqtriage check dlq -m QM1,QM2 --format prometheus
    """
    thresholds = marking.thresholds(monitor.FILL_UNITS, monitor.DLQ_THRESHOLDS)
    _run(app, how, "dlq", lambda backend, _: monitor.check_dead_letters(backend, thresholds))


@takes(Connections, Output)
def expiry(
    app: AppContext,
    *,
    patterns: tuple[str, ...] = PATTERNS,
    marking: Marking,
    how: Asking,
) -> None:
    """Check how many expired messages CURDEPTH still includes.

    Without thresholds, the result is WARNING at 25% of MAXDEPTH and CRITICAL at 50%. No messages
    are browsed. A real queue manager does not report this number, so the result there is UNKNOWN.

    Examples:
        mqtriage check expiry 'ORDERS.*'
        mqtriage check expiry ORDERS.REPLY --warn 100 --crit 1000
    """
    thresholds = marking.thresholds(monitor.EXPIRY_UNITS, monitor.EXPIRY_THRESHOLDS)
    _run(app, how, "expiry", lambda backend, _: monitor.check_expiry(backend, patterns, thresholds))


def _run(
    app: AppContext, how: Asking, name: str, check: Check, patterns: tuple[str, ...] = ()
) -> None:
    """Ask every queue manager at once, write what was found, and note the plugin's exit code."""
    form = _form_of(app, how)
    targets = app.target.connections
    jobs = [partial(_checked, app, one, check, for_people=form == "text") for one in targets]
    outcomes = run_all(jobs, how.timeout / 1000)
    results: list[CheckedObject] = []
    for one, outcome in zip(targets, outcomes, strict=True):
        if isinstance(outcome, UsageError | Refused):
            raise outcome
        if isinstance(outcome, Exception):
            results.append(not_checked(name, app.target.name_of(one), outcome, how.timeout))
        else:
            results += outcome
    listed = [r for r in results if not how.problems or r.status is not Status.OK]
    if form in FORMS:
        folds = app.run.terminals.stdout and not app.output.options.wide
        of_form = listed if form == "text" else results
        several = len(targets) > 1
        write_checks(
            form, of_form, app.output.stdout, several=several, folds_ok=folds, omits_ok=how.problems
        )
        app.output.stdout.flush()
        if form == "text":
            if how.problems and not listed:
                app.run.say(f"no problems: {len(results)} OK")
            _name_next(app, results, several=len(targets) > 1)
            for what, concerned, words in not_judged(results, patterns):
                command = _command(app, words, concerned, several=len(targets) > 1)
                app.run.say(f"not judged: {what}; see {command}")
    else:
        listing = listing_of(results)
        listing.items = [result.record() for result in listed]
        app.output.emit(listing, empty="no problems" if how.problems else "nothing to list")
    app.run.note(ExitCode(worst(result.status for result in results).code))


def _form_of(app: AppContext, how: Asking) -> str:
    """One of `FORMS`, or else a form of `-o`, which takes effect at once."""
    options = app.output.options
    if how.report is not None and options.form is not None:
        raise UsageError("--format and -o: give one of them")
    in_columns = options.sort or options.columns
    form = how.report or options.form or (app.output.form if in_columns else "text")
    if form not in FORMS:
        app.output.use_form(form, FORMS)
    elif options.sort:  # columns can be a default from the settings
        raise UsageError(f"--sort needs the columns of -o table, not --format {form}")
    elif how.problems and form == "prometheus":
        raise UsageError(f"--problems: --format {form} includes what is OK")
    return form


def _worst_of(results: list[CheckedObject]) -> CheckedObject | None:
    """The first of the worst problems; None where there is none."""
    problems = [result for result in results if result.status in _PROBLEMS]
    return max(problems, key=lambda result: result.status.rank, default=None)


def _name_next(app: AppContext, results: list[CheckedObject], *, several: bool) -> None:
    """Say what shows more of the worst that was found, or of a queue with uncommitted messages."""
    result = _worst_of(results) or next((r for r in results if r.next), None)
    if result is None or not result.next:
        return
    alike = [r for r in results if r is result or r.next == result.next]
    problems = [r for r in results if r.status in _PROBLEMS]
    more = len(problems) > len(alike) and result.status in _PROBLEMS
    of_all = f", for {len(alike)} of {count_text(len(problems), 'problem')}" if more else ""
    app.run.say(f"next{of_all}: {_command(app, result.next, alike, several=several)}")


def _command(
    app: AppContext, words: tuple[str, ...], concerned: list[CheckedObject], *, several: bool
) -> str:
    """The command line that runs *words* on the queue managers of what is *concerned*."""
    if several:
        names = dict.fromkeys(result.queue_manager for result in concerned)
        where = ["-m", ",".join(names)]
    else:
        where = connection_words(app.target.connection)
    return " ".join(("mqtriage", *map(shell_word, (*words, *where))))


def _checked(
    app: AppContext, connection: ConnectionOptions, check: Check, *, for_people: bool
) -> list[CheckedObject]:
    """Check one queue manager, on a thread of its own."""
    own = app.another()
    own.bind(connection, replace(app.output.options, form=None, no_input=True))
    begun = time.monotonic()
    with own.target.open_backend(read_only=True) as backend:
        results = check(backend, (time.monotonic() - begun) * 1000)
        worst_of_all = _worst_of(results)
        if for_people and worst_of_all is not None:
            with suppress(MQTriageError):
                worst_of_all.next = next_command(backend, worst_of_all)
        for result in results:
            result.queue_manager = backend.queue_manager
        return results
