"""Carry out a rules table on the dead-letter queue: RETRY, FWD and DISCARD, through the act engine.

Finding the planned message, archiving it, taking it and committing are `act_units.Worker`'s. What
differs is where the copy goes: it is decided message by message, and a put that fails leads to the
next attempt, then to the next rule. All of it stays within the message's unit of work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from mqtriage.backends.port import Backend, QueueHandle
from mqtriage.commands.act_plan import ActRequest
from mqtriage.commands.act_worker import Numbered, Worker
from mqtriage.commands.acts import MakeWorker, act
from mqtriage.commands.conduct import Conduct, Pace
from mqtriage.commands.dead_letter_rules import Rehearsal, stay_notes
from mqtriage.commands.journal import Entry
from mqtriage.commands.journal_lines import Put
from mqtriage.commands.requeue_counts import RequeueCounts
from mqtriage.commands.rule_judge import Target, judge_of
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.rules_toml import read_rules
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.rules_table import Action, Rule
from mqtriage.mq.rules_table_parser import RulesTable

MOST_ATTEMPTS: Final = 10
"""Attempts that one rule makes in a run, whatever its RETRY says: nothing is waited for between."""

COUNTED: Final = (1 << 31) - 1
"""`ActRequest.max_requeues` of a run whose rules have max_retries: moves are counted, and the rules
say how many are too many."""

_MOST_HANDLES: Final = 50


class RulesWorker(Worker):
    """Puts each message where its rules say.

    Attributes:
        done: how many messages each rule moved or discarded, by its number.
        attempts: what went wrong with the message at hand, one line a rule.
    """

    CAN_PASS = False  # a message that no rule can put anywhere must not have been got

    def __init__(
        self,
        backend: Backend,
        request: ActRequest,
        threshold: int,
        entry: Entry,
        counts: RequeueCounts,
        table: RulesTable,
    ) -> None:
        super().__init__(backend, request, threshold, entry, counts)
        self.judge = judge_of(backend, request.queue, table, lambda message: tried(counts, message))
        self.paces = {rule.number: Pace(rule.rate_per_s) for rule in table.rules}
        self.plain = request
        self.stripped = replace(request, copy=replace(request.copy, strip="added"))
        self.should_stop: Callable[[], bool] = lambda: False
        self.done: Counter[int] = Counter()
        self.unit_rules: list[int] = []
        self.rule: Rule | None = None
        self.attempts: list[str] = []
        self.targets: dict[Target, QueueHandle] = {}

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

    def _one(self, number: int, marks: PlannedMessage) -> tuple[ItemOutcome, MQTriageError | None]:
        self.rule, self.attempts = None, []
        if not self.unit:
            self.unit_rules = []
        item, stop = super()._one(number, marks)
        if item.outcome is Outcome.DONE and self.rule is not None:
            self.unit_rules.append(self.rule.number)
            item = item._replace(reason=f"{self.rule.title}: {self.rule.action}")
        elif item.outcome is Outcome.SKIPPED and self.attempts:
            item = item._replace(outcome=Outcome.FAILED)
        return item, stop

    def run(
        self, messages: Iterable[Numbered], size: int, report: Report, conduct: Conduct
    ) -> MQTriageError | None:
        """Work through *messages*; no unit holds more than a second's worth of any rule."""
        self.should_stop = conduct.should_stop
        for pace in self.paces.values():
            size = pace.batch(size)
        return super().run(messages, size, report, conduct)

    def _commit(self) -> None:
        super()._commit()
        self.done.update(self.unit_rules)

    def _put_copy(
        self, target: QueueHandle, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | str | MQIError | None:
        """Try the matching rules; returns what was put, or why the message stays."""
        facts = self.judge.facts(message)
        rules = () if facts is None else self.judge.matching(message, facts)
        for rule in rules:
            if self.judge.spent(rule, message):
                self.attempts.append(f"{rule.title}: max_retries = {rule.max_retries} is reached")
                continue
            if facts is None or rule.action is Action.IGNORE:
                return self._stays(f"{rule.title} ignores it")
            self.rule = rule
            if rule.action is Action.DISCARD:
                return None  # no copy; it is in the archive
            where = self.judge.target(rule, facts)
            if where.problem:
                self.attempts.append(f"{rule.title}: {where.problem}")
                return self._stays("")
            put = self._attempts(rule, where, message, marks, seen_us)
            if isinstance(put, Put):
                return put
            self.attempts.append(put)
        return self._stays("no other rule takes it")

    def _stays(self, why: str) -> str:
        self.rule = None
        return "; ".join(filter(None, (*self.attempts, why)))

    def _attempts(
        self, rule: Rule, where: Target, message: Message, marks: PlannedMessage, seen_us: int
    ) -> Put | str:
        """Put as often as RETRY says; returns what was put, or what the last attempt met."""
        most = min(rule.retry, MOST_ATTEMPTS)
        keeps = rule.action is Action.FWD and rule.header
        self.request = self.plain if keeps else self.stripped
        why = ""
        pace = self.paces[rule.number]
        for _ in range(most):
            pace.wait(self.should_stop)
            pace.done(1)
            try:
                put = super()._put_copy(self._opened(where), message, marks, seen_us)
            except ConnectionFailed:
                raise
            except (MQIError, UsageError) as error:
                why = error.text
                continue
            if isinstance(put, MQIError):
                why = put.text
                continue
            if isinstance(put, str) or put is None:
                return f"{rule.title}: {put}"
            return put._replace(queue=str(where)) if where.queue_manager else put
        times = f" after {most} attempts" if most > 1 else ""
        told = str(where) if where.queue else "a blank queue name"
        if where.user is not None:
            told += f" as user {where.user or '(blank)'}"
        return f"{rule.title}: {rule.action} to {told}{times}: {why}"

    def _opened(self, where: Target) -> QueueHandle:
        """The queue, open for output; on another queue manager by the way that is defined there.

        Raises:
            UsageError: Not a name, or the queue that the message is on.
            MQIError: It cannot be opened.
        """
        if where not in self.targets:
            if len(self.targets) >= _MOST_HANDLES:
                self._close_targets()
            name = check_queue_name(where.queue)
            self.targets[where] = self._open_target(name, where.queue_manager, where.user)
        handle = self.targets[where]
        if not where.queue_manager and handle.resolved_name == self._source.resolved_name:
            raise UsageError("the message is on that queue already")
        return handle

    def _close_targets(self) -> None:
        for handle in self.targets.values():
            with suppress(MQIError):
                handle.close()
        self.targets.clear()


def rules_worker(text: str) -> MakeWorker:
    """Who goes on with a run whose table the journal keeps."""
    return _maker(read_rules(text), [])


def _maker(table: RulesTable, made: list[RulesWorker]) -> MakeWorker:
    def make(
        backend: Backend, request: ActRequest, threshold: int, entry: Entry, counts: RequeueCounts
    ) -> Worker:
        made.append(RulesWorker(backend, request, threshold, entry, counts, table))
        return made[-1]

    return make


def run_rules(backend: Backend, request: ActRequest, made: Rehearsal, conduct: Conduct) -> Report:
    """Do what the rules say to exactly the planned messages.

    Returns:
        The report; `details.rules` has the number of messages that each rule moved or discarded,
        `details.stay` why others were not touched.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    workers: list[RulesWorker] = []

    def make(
        backend: Backend, request: ActRequest, threshold: int, entry: Entry, counts: RequeueCounts
    ) -> Worker:
        workers.append(RulesWorker(backend, request, threshold, entry, counts, made.table))
        return workers[0]

    report = act(backend, request, made.plan, conduct, make)
    done = workers[0].done
    report.details["rules"] = [_told(rule, done[rule.number]) for rule in made.table.rules]
    report.details["stay"] = stay_notes(made)
    return report


def tried(counts: RequeueCounts, message: Message) -> int:
    """How often the message was moved by runs whose rules count (`max_retries`)."""
    return counts.of((message.md.msg_id, sha256(message.body).digest()))


def _told(rule: Rule, done: int) -> dict[str, Any]:
    told = {"rule": rule.number, "line": rule.line, "action": str(rule.action), "done": done}
    return {"name": rule.name, **told} if rule.name else told
