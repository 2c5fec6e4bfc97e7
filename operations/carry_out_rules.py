"""Carry out a rules table on the dead-letter queue: RETRY, FWD and DISCARD, through the act engine.

Where each message goes is `rule_worker`'s; get and put are one unit of work, as with every act.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.model.result import Report
from mqtriage.mq.rules_table.table import Rule
from mqtriage.operations.act_context import Conduct
from mqtriage.operations.carry_out import MakeWorker, act
from mqtriage.operations.dead_letter_rules import Rehearsal, stay_notes
from mqtriage.operations.journal import Entry
from mqtriage.operations.plan import ActRequest
from mqtriage.operations.requeue_counts import RequeueCounts
from mqtriage.operations.rule_worker import RulesRun, RulesWorker, rules_run
from mqtriage.operations.rules_toml import read_rules
from mqtriage.operations.worker import Worker

COUNTED: Final = (1 << 31) - 1
"""`ActRequest.max_requeues` of a run whose rules have max_retries: moves are counted, and the rules
say how many are too many."""


def rules_worker(text: str, conduct: Conduct) -> MakeWorker:
    """Who goes on with a run whose table the journal keeps."""
    return _maker(rules_run(read_rules(text), conduct.clock))


def _maker(run: RulesRun) -> MakeWorker:
    def make(
        backend: Backend, request: ActRequest, threshold: int, entry: Entry, counts: RequeueCounts
    ) -> Worker:
        return RulesWorker(backend, request, threshold, entry, counts, run)

    return make


def run_rules(
    backend: Backend,
    request: ActRequest,
    made: Rehearsal,
    conduct: Conduct,
    run: RulesRun | None = None,
) -> Report:
    """Do what the rules say to exactly the planned messages.

    Args:
        run: of which this is one pass; a run of its own where there is none.

    Returns:
        The report; `details.rules` has the number of messages that each rule moved or discarded,
        `details.stay` why others were not touched.

    Raises:
        MQTriageError: Nothing was done, and this is why.
    """
    run = rules_run(made.table, conduct.clock) if run is None else run
    before = Counter(run.done)
    report = act(backend, request, made.plan, conduct, _maker(run))
    done = run.done - before
    report.details["rules"] = [_told(rule, done[rule.number]) for rule in made.table.rules]
    report.details["stay"] = stay_notes(made)
    return report


def _told(rule: Rule, done: int) -> dict[str, Any]:
    told = {"rule": rule.number, "line": rule.line, "action": str(rule.action), "done": done}
    return {"name": rule.name, **told} if rule.name else told
