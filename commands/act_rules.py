"""Carry out a rules table on the dead-letter queue: RETRY, FWD and DISCARD, through the act engine.

Finding the planned message, archiving it, taking it and committing are `act_units.Worker`'s. What
differs is where the copy goes: it is decided message by message, and a put that fails leads to the
next attempt, then to the next rule. All of it stays within the message's unit of work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.act_plan import ActRequest
from mqtriage.commands.act_units import Worker
from mqtriage.commands.acts import act
from mqtriage.commands.dead_letter_rules import Rehearsal, rule_facts, stay_notes, target_of
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.rules_table import Action, Rule, matching
from mqtriage.mq.rules_table_parser import RulesTable

MOST_ATTEMPTS: Final = 10
"""Attempts that one rule makes in a run, whatever its RETRY says: nothing is waited for between."""

_MOST_HANDLES: Final = 50


class RulesWorker(Worker):
    """Puts each message where its rules say.

    Attributes:
        taken_by: the rule that moved or discarded each message; final once its unit is committed.
        failures: what went wrong with the message at hand, one line a rule.
    """

    def __init__(
        self, backend: Backend, request: ActRequest, threshold: int, table: RulesTable
    ) -> None:
        super().__init__(backend, request, threshold)
        self.table = table
        self.plain = request
        self.stripped = replace(request, copy=replace(request.copy, strip="added"))
        self.taken_by: dict[PlannedMessage, Rule] = {}
        self.rule: Rule | None = None
        self.failures: list[str] = []
        self.targets: dict[str, QueueHandle] = {}

    def start(self) -> None:
        """Open the queue and make the archive; targets are opened when a message goes there."""
        super().start()
        self.target = self.source  # so that a put is asked for; `_put_copy` knows where to

    def end(self) -> None:
        """Close what is open."""
        self.target = None
        self._close_targets()
        super().end()

    def _room(self) -> int:
        return 1 << 31  # a target that is full fails the attempt

    def _one(self, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        self.rule, self.failures = None, []
        item, stop = super()._one(marks)
        if item.outcome is Outcome.DONE and self.rule is not None:
            self.taken_by[marks] = self.rule
        elif item.outcome is Outcome.SKIPPED and self.failures:
            item = item._replace(outcome=Outcome.FAILED)
        return item, stop

    def _put_copy(
        self, target: QueueHandle, message: Message, seen_us: int
    ) -> bytes | str | MQIError:
        """Try the matching rules; returns the MsgId of the copy, or why the message stays."""
        facts = rule_facts(message)
        rules = () if facts is None else matching(self.table.rules, facts)
        for rule in rules:
            if facts is None or rule.action is Action.IGNORE:
                return self._stays(f"{rule.title} ignores it")
            self.rule = rule
            if rule.action is Action.DISCARD:
                return message.md.msg_id  # no copy; it is in the archive
            where = target_of(rule, facts, self.backend.queue_manager)
            if where.problem:
                self.failures.append(f"{rule.title}: {where.problem}")
                return self._stays("")
            put = self._attempts(rule, where.queue, message, seen_us)
            if isinstance(put, bytes):
                return put
            self.failures.append(put)
        return self._stays("no other rule takes it")

    def _stays(self, why: str) -> str:
        self.rule = None
        return "; ".join(filter(None, (*self.failures, why)))

    def _attempts(self, rule: Rule, queue: str, message: Message, seen_us: int) -> bytes | str:
        """Put as often as RETRY says; returns the MsgId, or what the last attempt met."""
        most = min(rule.retry, MOST_ATTEMPTS)
        keeps = rule.action is Action.FWD and rule.header
        self.request = self.plain if keeps else self.stripped
        why = ""
        for _ in range(most):
            try:
                put = super()._put_copy(self._opened(queue), message, seen_us)
            except ConnectionFailed:
                raise
            except (MQIError, UsageError) as error:
                why = error.text
                continue
            if isinstance(put, bytes):
                return put
            if isinstance(put, str):
                return f"{rule.title}: {put}"
            why = put.text
        times = f" after {most} attempts" if most > 1 else ""
        return f"{rule.title}: {rule.action} to {queue or 'a blank queue name'}{times}: {why}"

    def _opened(self, queue: str) -> QueueHandle:
        """The queue, open for output.

        Raises:
            UsageError: Not a name, or the queue that the message is on.
            MQIError: It cannot be opened.
        """
        if queue not in self.targets:
            if len(self.targets) >= _MOST_HANDLES:
                self._close_targets()
            self.targets[queue] = self._open_target(check_queue_name(queue))
        handle = self.targets[queue]
        if handle.resolved_name == self._source.resolved_name:
            raise UsageError("the message is on that queue already")
        return handle

    def _close_targets(self) -> None:
        for handle in self.targets.values():
            with suppress(MQIError):
                handle.close()
        self.targets.clear()


def run_rules(
    backend: Backend, request: ActRequest, made: Rehearsal, should_stop: Callable[[], bool]
) -> Report:
    """Do what the rules say to exactly the planned messages.

    Returns:
        The report; `details.rules` has the number of messages that each rule moved or discarded,
        `details.stay` why others were not touched.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    workers: list[RulesWorker] = []

    def make(backend: Backend, request: ActRequest, threshold: int) -> Worker:
        workers.append(RulesWorker(backend, request, threshold, made.table))
        return workers[0]

    report = act(backend, request, made.plan, should_stop, make)
    taken_by = workers[0].taken_by
    done: Counter[int] = Counter()
    for at, (marks, item) in enumerate(zip(made.plan.messages, report.items, strict=False)):
        if item.outcome is Outcome.DONE:
            rule = taken_by[marks]
            done[rule.number] += 1
            report.items[at] = item._replace(reason=f"{rule.title}: {rule.action}")
    report.details["rules"] = [_told(rule, done[rule.number]) for rule in made.table.rules]
    report.details["stay"] = stay_notes(made)
    return report


def _told(rule: Rule, done: int) -> dict[str, Any]:
    return {"rule": rule.number, "line": rule.line, "action": str(rule.action), "done": done}
