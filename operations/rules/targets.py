"""What a rehearsal of rules says of each message, one rule after the other as attempts fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.mq.message import Message
from mqtriage.mq.rules_table.table import Action, TableRule
from mqtriage.operations.copies.copy import CopyOptions, copy_of
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.outlets import Outlets
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.judge import NO_OTHER, Fate, Judge, why_left
from mqtriage.records import NamedTuple

PUTS: Final = (Action.RETRY, Action.FWD)


def targets_of(backend: Backend, request: ActRequest) -> Targets:
    """The queues that the rules of a run put to."""
    source = str(local_attributes(backend, request.queue)["QNAME"])
    return Targets(Outlets(backend, source, request.copy.context), request.copy)


class Targets(NamedTuple):
    """The queues that rules put to.

    Attributes:
        options: how copies are made.
    """

    outlets: Outlets
    options: CopyOptions

    def fate(self, judge: Judge, message: Message) -> Fate:
        """What the rules would do with a message, one after the other as attempts fail."""
        failed: dict[int, str] = {}
        tried: list[TableRule] = []
        first = fate = judge.fate(message)
        while fate.rule is not None and fate.action in PUTS:
            problem = self._problem(judge, fate, message)
            if not problem:
                break
            failed[fate.rule.number] = f"{fate.rule.title}: {problem}"
            tried.append(fate.rule)
            fate = judge.fate(message, failed)
        met = "; ".join(failed.values())
        if not failed:
            return fate
        if fate.action is None:  # it stays, for what the run says too
            last = NO_OTHER if fate.rule is None else why_left(fate)
            return first._replace(fails=f"{met}; {last}", tried=tuple(tried))
        return fate._replace(why=f"{met}; then {fate.why}", tried=tuple(tried))

    def _problem(self, judge: Judge, fate: Fate, message: Message) -> str:
        """Why the put of an attempt would fail, "" where it would not; then its room is taken."""
        facts, rule = judge.facts(message), fate.rule
        if facts is None or rule is None:
            return ""
        target = judge.target(rule, facts)
        keeps = rule.action is Action.FWD and rule.header
        options = self.options if keeps else replace(self.options, strip="added")
        copy = copy_of(message, options)
        if isinstance(copy, str):
            return copy
        length = len(copy.body)
        return self.outlets.problem(target.queue, length, target.queue_manager, target.user)
