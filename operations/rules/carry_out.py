"""Carry out a rules table on a dead-letter queue: RETRY, FWD and DISCARD.

Where each message goes is `destination`'s; get and put are one unit of work, as ever.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.model.result import Report
from mqtriage.mq.rules_table.table import TableRule
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.act_context import ActContext
from mqtriage.operations.engine.carry_out import act
from mqtriage.operations.rules.destination import ByRules, RulesRun
from mqtriage.operations.rules.plan import Rehearsal, stay_notes
from mqtriage.operations.rules.toml import read_rules

COUNTED: Final = (1 << 31) - 1
"""`ActRequest.max_requeues` of a run whose rules have max_retries: moves are counted, and the rules
say how many are too many."""
_MOST_TARGETS: Final = 20
"""Of the queues that rules put to, a report has the depths of so many at most."""


def rules_destination(text: str, context: ActContext) -> ByRules:
    """Where the messages go of a run whose table the journal keeps."""
    return ByRules(RulesRun(read_rules(text), context.clock))


def run_rules(
    backend: Backend,
    request: ActRequest,
    rehearsal: Rehearsal,
    context: ActContext,
    run: RulesRun | None = None,
) -> Report:
    """Do what the rules say to exactly the planned messages.

    Args:
        run: of which this is one pass; a run of its own where there is none.

    Returns:
        The report; `details.rules` has the number of messages that each rule moved or discarded,
        and for how many its attempts failed; `details.stay` why others were not touched.
    """
    run = RulesRun(rehearsal.table, context.clock) if run is None else run
    done, failed = Counter(run.done), Counter(run.failed)
    targets = {fate.target for fate in rehearsal.fates if fate.action is not None and fate.target}
    here = sorted(name for name in targets if "@" not in name)[:_MOST_TARGETS]
    report = act(backend, request, rehearsal.plan, context, ByRules(run), here)
    done, failed = run.done - done, run.failed - failed
    report.details["rules"] = [
        _record(rule, done[rule.number], failed[rule.number]) for rule in rehearsal.table.rules
    ]
    report.details["stay"] = stay_notes(rehearsal)
    return report


def _record(rule: TableRule, done: int, failed: int) -> dict[str, Any]:
    record = {"rule": rule.number, "line": rule.line, "action": str(rule.action)}
    record |= {"done": done, "failed": failed}
    return {"name": rule.name, **record} if rule.name else record
