"""Exit codes: the whole table as one pure function.

Nothing else turns a result or an error into a number, so a script can trust the table of
mqtriage(1), and a change to it is a change to one file.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from mqtriage.mq import errors

if TYPE_CHECKING:
    from mqtriage.model.plan import Plan
    from mqtriage.model.result import Report, Result


class ExitCode(IntEnum):
    """What the process says to its caller."""

    OK = 0
    FAILED = 1
    USAGE = 2
    PARTLY_DONE = 3
    FINDINGS = 4
    NOT_FOUND = 5
    NOT_AUTHORIZED = 6
    NO_CONNECTION = 7
    REFUSED = 8
    NOTHING_MATCHED = 9
    INTERRUPTED = 130
    TERMINATED = 143


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "Success, or nothing matched (without --fail-empty).",
    ExitCode.FAILED: "Failed: an MQ error without its own exit code, or an internal error.",
    ExitCode.USAGE: "Incorrect usage: an invalid option, name, id or number.",
    ExitCode.PARTLY_DONE: "Partial success: some messages or commands succeeded, but not all.",
    ExitCode.FINDINGS: "There are findings or differences, or a threshold was reached.",
    ExitCode.NOT_FOUND: "Object, message or input file not found (2085, 2033, unknown MsgId).",
    ExitCode.NOT_AUTHORIZED: "Not authorised (2035).",
    ExitCode.NO_CONNECTION: "Cannot connect, or lost the connection (2059, 2009, 2538).",
    ExitCode.REFUSED: "Refused: --yes is missing, --expect differs, or a guard forbids it.",
    ExitCode.NOTHING_MATCHED: "Nothing matched (with --fail-empty), or there is nothing to resume.",
    ExitCode.INTERRUPTED: "Stopped by SIGINT, after completing a batch.",
    ExitCode.TERMINATED: "Stopped by SIGTERM or SIGHUP, after completing a batch.",
}
"""The table as mqtriage(1) prints it."""

_SIGTERM = 15

_BY_CLASS: tuple[tuple[tuple[type[BaseException], ...], ExitCode], ...] = (
    ((KeyboardInterrupt, errors.Interrupted), ExitCode.INTERRUPTED),
    ((errors.UsageError, errors.BadSelector), ExitCode.USAGE),
    # 2033 reaches the user only when one message was asked for and is not there
    ((errors.NotFound, errors.ObjectNotFound, errors.NoMessageAvailable), ExitCode.NOT_FOUND),
    ((errors.NotAuthorized,), ExitCode.NOT_AUTHORIZED),
    ((errors.ConnectionFailed, errors.NoClient, errors.Unreachable), ExitCode.NO_CONNECTION),
    ((errors.Refused,), ExitCode.REFUSED),
    # the reader of our output went away (`| head -1`): it has what it wanted, so that a script
    # with `set -o pipefail` goes on; an act's own outcome is noted before it is printed
    ((BrokenPipeError,), ExitCode.OK),
)


def outcome_of(
    result_or_error: Result | BaseException,
    *,
    fail_empty: bool = False,
    items: int | None = None,
    signal: int | None = None,
) -> ExitCode:
    """Choose the exit code for what a command returned or raised.

    Args:
        result_or_error: what the command ended with.
        fail_empty: `--fail-empty` was given.
        items: records of a listing that were written; None when they were not counted.
        signal: number of the signal that stopped an act after a whole batch, if one did.

    Returns:
        One row of the table; 1 for an error that has no row of its own.
    """
    if isinstance(result_or_error, BaseException):
        if isinstance(result_or_error, KeyboardInterrupt) and signal == _SIGTERM:
            return ExitCode.TERMINATED
        codes = (code for kinds, code in _BY_CLASS if isinstance(result_or_error, kinds))
        return next(codes, ExitCode.FAILED)
    from mqtriage.model.result import Document, Listing  # not on the way of `mqtriage version`

    empty = ExitCode.NOTHING_MATCHED if fail_empty else ExitCode.OK
    if isinstance(result_or_error, Listing):
        return empty if items == 0 else ExitCode.OK
    if isinstance(result_or_error, Document):
        return ExitCode.OK
    return _of_report(result_or_error, empty, signal)


def outcome_of_plan(plan: Plan) -> ExitCode:
    """Choose the exit code of a dry run: that of the confirmed command, as things are now.

    What refuses the plan is an error, and empty plans are told from others by the caller.
    """
    if plan.unauthorised:
        return ExitCode.NOT_AUTHORIZED
    if not (plan.failing or plan.staying or plan.left_out):
        return ExitCode.OK
    done = plan.count - plan.failing - plan.staying
    return ExitCode.FAILED if plan.failing and done <= 0 else ExitCode.PARTLY_DONE


def _of_report(report: Report, empty: ExitCode, signal: int | None) -> ExitCode:
    from mqtriage.model.result import Outcome

    if report.interrupted:
        return ExitCode.TERMINATED if signal == _SIGTERM else ExitCode.INTERRUPTED
    if report.dry_run:
        return ExitCode.OK if report.planned else empty
    done = report.count(Outcome.DONE)
    if report.items and done == len(report.items) >= report.planned:
        return ExitCode.OK
    if not report.items:
        # definitions have no items; "unchanged" is done as well
        return ExitCode.OK if report.planned or not report.changed else empty
    if report.count(Outcome.FAILED) and not done:
        return ExitCode.FAILED
    return ExitCode.PARTLY_DONE
