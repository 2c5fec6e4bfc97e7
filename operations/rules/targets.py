"""What a rehearsal asks of the queues that rules put to: all that an attempt would meet there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.definitions.change import find_queue, leaves, put_path
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, MQTriageError, Refused, mqi_error
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.mq.rules_table.table import Action
from mqtriage.operations.copies.copy import CopyOptions, copy_of
from mqtriage.operations.rules.judge import Fate, Judge, RuleTarget
from mqtriage.records import NamedTuple, dataclass

PUTS: Final = (Action.RETRY, Action.FWD)


class _Known(NamedTuple):
    """What is known of a target: why nothing can be put there, or by which definitions."""

    problem: str = ""
    path: Sequence[ObjectDefinition] = ()


@dataclass(eq=False)
class Targets:
    """The queues that rules put to, each asked once; what is planned for one takes room there.

    Attributes:
        backend: a target is opened for output by it, and closed again; nothing is put.
        source: name of the queue that the messages are on.
        options: how copies are made.
    """

    backend: Backend
    source: str
    options: CopyOptions
    _known: dict[RuleTarget, _Known] = field(default_factory=dict)
    _room: Counter[str] = field(default_factory=Counter)

    def fate(self, judge: Judge, message: Message) -> Fate:
        """What the rules would do with a message, one after the other as attempts fail."""
        failed: dict[int, str] = {}
        first = fate = judge.fate(message)
        while fate.rule is not None and fate.action in PUTS:
            problem = self._problem(judge, fate, message)
            if not problem:
                break
            failed[fate.rule.number] = f"{fate.rule.title}: {problem}"
            fate = judge.fate(message, failed)
        met = "; ".join(failed.values())
        if not failed:
            return fate
        if fate.action is None:
            return first._replace(fails=met)
        return fate._replace(why=f"{met}; then {fate.why}")

    def _problem(self, judge: Judge, fate: Fate, message: Message) -> str:
        """Why the put of an attempt would fail, "" where it would not; then its room is taken."""
        facts, rule = judge.facts(message), fate.rule
        if facts is None or rule is None:
            return ""
        target = judge.target(rule, facts)
        if target not in self._known:
            self._known[target] = self._ask(target)
        known = self._known[target]
        if known.problem:
            return known.problem
        keeps = rule.action is Action.FWD and rule.header
        options = self.options if keeps else replace(self.options, strip="added")
        copy = copy_of(message, options)
        if isinstance(copy, str):
            return copy
        return self._put_problem(target, known.path, len(copy.body))

    def _ask(self, target: RuleTarget) -> _Known:
        """Open a target as an attempt does, and look at its definitions where we may."""
        options = cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT | cmqc.MQOO_FAIL_IF_QUIESCING
        if target.user is not None:
            options |= cmqc.MQOO_ALTERNATE_USER_AUTHORITY
        try:
            name = check_queue_name(target.queue)
            with suppress(MQIError):
                there = None if target.queue_manager else find_queue(self.backend, name)
                if there is not None and there.kind == "QMODEL":
                    return _Known()  # an open would make a queue
            handle = self.backend.open(
                name,
                options,
                queue_manager=target.queue_manager,
                alternate_user=target.user or "",
            )
        except Refused:  # a connection that only reads cannot ask
            resolved = target.queue
        except MQTriageError as error:
            return _Known(error.text)
        else:
            resolved = handle.resolved_name
            handle.close()
        if not target.queue_manager and resolved == self.source:
            return _Known("the message is on that queue already")
        try:
            if target.queue_manager:
                return _Known(path=[self.backend.queue(resolved)])
            return _Known(path=put_path(self.backend, target.queue, f"open {target.queue}"))
        except MQIError:
            return _Known()

    def _put_problem(
        self, target: RuleTarget, path: Sequence[ObjectDefinition], length_bytes: int
    ) -> str:
        doing = f"put to {target.queue}"
        if any(step.attributes.get("PUT") == "DISABLED" for step in path):
            return mqi_error(cmqc.MQRC_PUT_INHIBITED, doing).text
        if not path:
            return ""
        local, attributes = path[-1].name, path[-1].attributes
        header_bytes = cmqc.MQXQH_CURRENT_LENGTH if target.queue_manager or leaves(path) else 0
        if length_bytes + header_bytes > int(attributes.get("MAXMSGL", 1 << 31)):
            return mqi_error(cmqc.MQRC_MSG_TOO_BIG_FOR_Q, doing).text
        most = self.backend.queue_manager_attributes().get("MAXMSGL", 1 << 31)
        if length_bytes + header_bytes > int(most):
            return mqi_error(cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR, doing).text
        if "MAXDEPTH" in attributes:
            if local not in self._room:
                self._room[local] = (
                    int(attributes["MAXDEPTH"]) - self.backend.status(local).curdepth
                )
            if self._room[local] <= 0:
                return mqi_error(cmqc.MQRC_Q_FULL, doing).text
            self._room[local] -= 1
        return ""
