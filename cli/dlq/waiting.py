"""`dlq run` that stays: WAIT(YES) and WAIT(n) of a rules table, pass after pass over the queue.

Each pass in which something was done is an operation of the journal. What waits for its next
attempt does not keep others waiting: a pass takes what is due and what has come.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from math import inf
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.backends.registry import readonly
from mqtriage.cli.frame.act_flow import (
    Refuse,
    refuse_unfit,
    refused,
    show,
    tell_interrupted,
)
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.message_flow import act_context
from mqtriage.cli.frame.options import Guards
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.frame.repeat import refuse_form
from mqtriage.commands.context.settings import because_protected
from mqtriage.commands.msg.watch import Arrivals
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.plan import Plan
from mqtriage.model.result import Outcome
from mqtriage.model.units import duration_text, parse_duration_ms
from mqtriage.mq.errors import ConnectionFailed, Refused, UsageError
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.mq.rules_table.table import Control
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.rules.attempts import Attempts
from mqtriage.operations.rules.carry_out import run_rules
from mqtriage.operations.rules.destination import RulesRun, tried, waiting_note
from mqtriage.operations.rules.judge import judge_of
from mqtriage.operations.rules.plan import Rehearsal, plan_rules
from mqtriage.operations.rules.targets import targets_of
from mqtriage.records import dataclass

_LOOKS_S: Final = 60.0
"""The whole queue is looked through that often at least, for what came in front of the cursor."""


_SLICE_MS: Final = 250


def wait_of(option: str | None, control: Control) -> float | None:
    """Seconds to wait for further messages: `inf` for ever, None not to.

    Args:
        option: `--wait`, which counts more than the table.
    """
    if option is not None and option.lower() not in ("yes", "no"):
        return parse_duration_ms(option, what="--wait") / 1000
    word = (control.wait if option is None else option).upper()
    if word in ("", "NO"):
        return None
    return inf if word == "YES" else float(word)


def waiting_text(wait_s: float) -> str:
    """``then waits for new messages until you stop it (Ctrl-C)``."""
    if wait_s == inf:
        return "then waits for new messages until you stop it (Ctrl-C)"
    return f"then waits until no new message has arrived for {duration_text(round(wait_s * 1000))}"


def run_waiting(
    app: AppContext,
    backend: Backend,
    safety: Guards,
    request: ActRequest,
    table: RulesTable,
    selection: Selection,
    wait_s: float,
) -> None:
    """Run the rules until a signal comes, or nothing was to be done for *wait_s* seconds.

    Raises:
        Refused, UsageError: It cannot go on without somebody who looks.
        ConnectionFailed: It was lost; a pass that was cut can be resumed.
    """
    app.run.say_by_the_way()  # the result comes when the wait ends
    _refuse(app, safety, request)
    limits = [
        limit for limit in (selection.limit, app.target.settings.number("max_messages")) if limit
    ]
    handler = _Handler(
        app, backend, request, replace(selection, limit=None),
        RulesRun(table, stays=False), min(limits, default=None),
    )  # fmt: skip
    app.run.say(f"{request.queue}: handles the existing messages, {waiting_text(wait_s)}")
    with closing(Arrivals(backend, request.queue)) as arrivals, app.run.finishing_batches():
        handler.passes(arrivals, wait_s)
    if app.run.should_stop():
        waiting = handler.run.attempts.waiting()
        if waiting:
            stay = "stays" if waiting == 1 else "stay"
            app.run.say(f"stopped; {waiting} waiting for the next attempt {stay} on the queue")
        app.run.note(outcome_of(KeyboardInterrupt(), signal=app.run.stop_signal))
    if handler.did and app.run.outcome is ExitCode.FAILED:  # of one pass, not of all of them
        app.run.outcome = ExitCode.PARTLY_DONE


def _refuse(app: AppContext, safety: Guards, request: ActRequest) -> None:
    """Refuse what needs somebody who looks at each plan."""
    refuse_form(app)
    refuse_unfit(app, Plan(request.action, request.queue), safety)
    if safety.expect is not None:
        raise UsageError(
            "--expect: a run that waits handles messages that cannot be counted yet",
            hint="--wait no handles the existing messages and ends",
        )
    why = ""
    if app.target.settings.flag("read_only"):
        why = app.target.why_read_only()
    elif protected := app.target.protected_by():
        why = (
            "a run that waits handles messages that were not in a plan, which is not allowed "
            + because_protected(app.target.queue_manager, protected)
        )
    elif guard := app.target.settings.guarded_by("four_eyes"):
        why = f"a run that waits has no plan file, and {guard} requires two people (four_eyes)"
    elif not safety.yes:
        text = "a run that waits does not ask for confirmation, so it needs --yes"
        raise refused(
            app,
            Refuse(f"handle {request.queue}: {text}", "add --yes", ("--yes",)),
            Plan(request.action, request.queue),
        )
    if why:
        raise Refused(
            f"handle {request.queue}: {why}",
            hint="-n shows what it would do now; --wait no handles the existing messages and ends",
            object_name=request.queue,
        )


def _refuse_refused(plan: Plan) -> None:
    """Refuse what the plan of the first look refuses: a queue of `--park` that takes nothing.

    Raises:
        Refused: It does.
    """
    for text, hint, _ in plan.refusals:
        raise Refused(f"handle {plan.queue}: {text}", hint=hint, object_name=plan.queue)


@dataclass(slots=True)
class _Handler:
    """A run that stays.

    Attributes:
        most: messages that it may handle yet (--limit, max_messages); None for any number.
        did: something was moved or removed.
    """

    app: AppContext
    backend: Backend
    request: ActRequest
    selection: Selection
    run: RulesRun
    most: int | None
    did: bool = False

    def passes(self, arrivals: Arrivals, wait_s: float) -> None:
        """Look, do, wait, and again."""
        app, attempts = self.app, self.run.attempts
        idle_since, first = attempts.clock(), True
        while not app.run.should_stop():
            arrivals.reach_end()
            attempts.begin_look()
            rehearsal = rehearsed(
                app,
                self.backend,
                self.request,
                self.run.table,
                self.selection,
                attempts,
                most=self.most,
                leave_reported=not self.request.allow_reports,
            )
            if first:
                _refuse_refused(rehearsal.plan)
            if self.most is None:  # else it was not read to its end
                attempts.end_look()
            if first and rehearsal.plan.count and not app.output.options.quiet:
                show(app, rehearsal.plan)  # those that follow are told by their reports
            elif first and rehearsal.fates:
                for note in rehearsal.plan.notes:
                    app.run.say(note)
            if rehearsal.plan.count:
                self._pass(rehearsal)
                idle_since = attempts.clock()
            if first:
                app.run.say(f"{self.request.queue}: waiting for new messages")
            first = False
            if self.most == 0:
                queue = self.request.queue
                app.run.say(f"{queue}: no more messages may be removed (--limit, max_messages)")
                return
            if self.run.stopped is not None:
                return
            if not self._is_something_to_do(arrivals, idle_since + wait_s):
                return

    def _pass(self, rehearsal: Rehearsal) -> None:
        """Do what the rules say of one look, and tell what was done."""
        app, attempts = self.app, self.run.attempts
        with act_context(app) as context:
            # its operation is named when it is known to have done something
            context = replace(context, begun=lambda _: None)
            report = run_rules(self.backend, self.request, rehearsal, context, self.run)
            if not report.items:
                context.journal.discard(report.op)
        if waiting := attempts.waiting():
            app.run.say(waiting_note(waiting, attempts.next_s() - attempts.clock()))
        if not report.items:
            return
        if self.most is not None:
            self.most = max(0, self.most - len(report.items))
        self.did = self.did or report.count(Outcome.DONE) > 0
        app.run.say(f"operation {report.op}")
        app.output.emit(report)
        tell_interrupted(app, report)
        if isinstance(self.run.stopped, ConnectionFailed):
            raise self.run.stopped

    def _is_something_to_do(self, arrivals: Arrivals, ends_s: float) -> bool:
        """Wait for a message, an attempt that is due or the next look; False where the run ends."""
        attempts = self.run.attempts
        look_s = attempts.clock() + min(_LOOKS_S, attempts.retryint_s)
        while not self.app.run.should_stop():
            now_s, next_s = attempts.clock(), attempts.next_s()
            if min(look_s, next_s) <= now_s:
                return True
            if next_s == inf and ends_s <= now_s:
                return False
            if arrivals.came(_SLICE_MS):
                return True
        return False


def rehearsed(
    app: AppContext,
    backend: Backend,
    request: ActRequest,
    table: RulesTable,
    selection: Selection,
    attempts: Attempts | None = None,
    **how: Any,
) -> Rehearsal:
    """Find the rule of each message; *how* is of `plan_rules`."""
    journal = journal_of(app)
    with journal.kept_open():
        judge = judge_of(
            backend, request.queue, table, lambda message: tried(journal, message), attempts
        )
        # a run that waits asks by its attempts
        targets = targets_of(backend, request) if attempts is None else None
        return plan_rules(readonly(backend), request, judge, selection, targets=targets, **how)
