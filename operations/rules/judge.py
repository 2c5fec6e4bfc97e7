"""Which rule takes a message, and where it goes: on dead-letter queues and on backout queues.

On a dead-letter queue the MQDLH says where a message should have gone, and why it did not. A poison
message on a backout queue has none: there the reason is MQRC_BACKOUT_THRESHOLD_REACHED, and the
destination is the queue that it was backed out from, where that is sure (`backout browse --group
origin`). RETRY of one whose origin nobody knows leaves it where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import inf
from types import MappingProxyType
from typing import Final

from mqtriage.backends.port import Backend, Capability, ObjectDefinition
from mqtriage.messages.decoded import appl_type_name, dead_letter_header
from mqtriage.messages.filters.expression import leaves, renamed
from mqtriage.messages.filters.fields import OF_DEAD_LETTERS
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq import cmqc
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.message import Message
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.mq.rules_table.table import Action, RuleSubject, TableRule, first_match, matching
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.attempts import Attempts
from mqtriage.operations.rules.origin import PossibleOrigin, candidates, destination_of, origin_name
from mqtriage.operations.selection.regex_limit import regex_budget
from mqtriage.records import NamedTuple, dataclass

NO_ORIGIN: Final = "the queue that it was backed out from is not known"
NO_OTHER: Final = "no other rule matches"
NOT_YET: Final = "waiting for the next attempt"
ALL_TRIED: Final = "every rule has used all of its attempts"


def ignores(rule: TableRule) -> str:
    """Why a message stays that a rule leaves on the queue."""
    return f"ignored by {rule.title}"


def why_left(fate: Fate) -> str:
    """Why a message stays on the queue, in the words of the run."""
    rule = fate.rule
    return ignores(rule) if rule and rule.action is Action.IGNORE else fate.why


def _shown(words: Iterable[str], facts: RuleSubject) -> str:
    """``com.example.WebShop, MQAT_JAVA``: the values of these patterns of a message."""
    applname = facts.applname.strip()
    values = {
        "APPLNAME": applname,
        "APPLTYPE": appl_type_name(facts.appltype) or str(facts.appltype),
    }
    return ", ".join(values[word] for word in words)


class Fate(NamedTuple):
    """What would become of one message.

    Attributes:
        action: DISCARD, RETRY or FWD; None when it stays.
        target: where it would go; QUEUE@QMGR on another queue manager.
        why: which patterns took it, or why it stays.
        user: whose authority the put would need (PUTAUT(CTX)); None where it is our own.
        fails: what every attempt would meet as things are now; "" where one succeeds.
        tried: rules whose put would fail before that.
    """

    msg_id: bytes
    rule: TableRule | None
    action: Action | None
    target: str | None
    why: str
    user: str | None = None
    fails: str = ""
    tried: tuple[TableRule, ...] = ()


class RuleTarget(NamedTuple):
    """Where a rule puts a message.

    Attributes:
        problem: why this tool cannot, which ends the search.
        queue_manager: ObjectQMgrName where it is another one than the one that is connected.
        user: PUTAUT(CTX): whose authority the put needs, UserIdentifier of the message, which can
            be blank; None where it is our own.
    """

    queue: str
    problem: str = ""
    queue_manager: str = ""
    user: str | None = None

    def __str__(self) -> str:
        return f"{self.queue}@{self.queue_manager}" if self.queue_manager else self.queue


_OF_BOTH: Final = frozenset({"APPLNAME", "APPLTYPE"})
"""Keywords of fields that the MQMD and the MQDLH have, and which mean that of the MQMD."""

Origin = Callable[[Message], str | None]
"""The queue that a poison message was backed out from, None where that is not known."""


@dataclass(eq=False)
class Judge:
    """A table, and what is needed to apply it to messages.

    Attributes:
        local: name of the queue manager.
        origin: of messages without an MQDLH; None leaves these alone, as on a dead-letter queue.
        now_us: what ages in conditions count to.
        due_known: a time in a delay header is ours, so known to be the due time.
        tried: how often a message was moved by rules with max_retries before.
        any_manager: take every queue manager for the local one, whose name is not known.
        attempts: those of the run that failed before.
    """

    table: RulesTable
    local: str
    origin: Origin | None = None
    now_us: int = 0
    due_known: bool = False
    tried: Callable[[Message], int] = lambda _: 0
    any_manager: bool = False
    attempts: Attempts | None = None

    def __post_init__(self) -> None:
        self._tests = _tests(self.table, self.now_us)
        self._header_tests: Mapping[int, Callable[..., bool]] | None = None
        self._reading = uncompared(self.due_known)

    def facts(self, message: Message) -> RuleSubject | None:
        """What the patterns are compared with; None for a message that rules are not for."""
        md = message.md
        dead = dead_letter_header(message) if md.format == "MQDEAD" else None
        if dead is not None:
            about = (dead.dest_q_name, dead.dest_q_mgr_name, dead.format, dead.reason)
        elif self.origin is None or md.format == "MQDEAD":
            return None
        else:
            origin = self.origin(message) or ""
            about = (origin, self.local, md.format, cmqc.MQRC_BACKOUT_THRESHOLD_REACHED)
        destq, destqm, form, reason = about
        return RuleSubject(
            md.appl_identity_data,
            md.put_appl_name,
            md.put_appl_type,
            destq,
            destqm,
            md.feedback,
            form,
            md.msg_type,
            md.persistence,
            reason,
            md.reply_to_q,
            md.reply_to_q_mgr,
            md.user_identifier,
        )

    def matching(self, message: Message, facts: RuleSubject) -> Iterator[TableRule]:
        """Every rule that would take the message, in the order in which they are tried."""
        return matching(self.table.rules, facts, self._holds(message))

    def comparable(self) -> list[TableRule]:
        """Rules that can mean the MQDLH where they are compared with the MQMD."""
        return [
            rule
            for rule in self.table.rules
            if not _OF_BOTH.isdisjoint(rule.patterns) or _meant(rule)
        ]

    def by_header(self, message: Message, rules: Iterable[TableRule]) -> dict[int, str]:
        """Which of *rules* take the message if they mean its MQDLH, by number, and what they mean.

        Without that they are compared with the MQMD, as `runmqdlq` compares APPLNAME.
        """
        facts = self.facts(message)
        dead = dead_letter_header(message) if message.md.format == "MQDEAD" else None
        if facts is None or dead is None:
            return {}
        if self._header_tests is None:
            self._header_tests = _tests(self.table, self.now_us, OF_DEAD_LETTERS)
        header = facts._replace(applname=dead.put_appl_name, appltype=dead.put_appl_type)
        holds = self._holds(message, self._header_tests)
        meant = {}
        for rule in matching(rules, header, holds):
            words = sorted(_OF_BOTH & rule.patterns.keys())
            if words:
                meant[rule.number] = (
                    f"{' and '.join(words)} {'is' if len(words) == 1 else 'are'} compared with the"
                    f" MQMD ({_shown(words, facts)}), not with the dead-letter header"
                    f" ({_shown(words, header)})"
                )
            elif names := _meant(rule):
                others = ", ".join(OF_DEAD_LETTERS[name] for name in names)
                meant[rule.number] = (
                    f"{', '.join(names)} is compared with the MQMD; use {others} for the "
                    "dead-letter header"
                )
        return meant

    def fate(self, message: Message, without: Collection[int] = ()) -> Fate:
        """What the first matching rule would do with a message.

        Args:
            without: numbers of rules that are passed over.
        """
        ident = message.md.msg_id
        facts = self.facts(message)
        if facts is None:
            return Fate(ident, None, None, None, "no MQDLH")
        held = self.attempts.of_message(message) if self.attempts is not None else None
        rules = self._left_for(message, held)
        if isinstance(rules, str):
            return Fate(ident, None, None, None, rules)
        rules = [rule for rule in rules if rule.number not in without]
        rule, why = first_match(rules, facts, self._holds(message))
        if rule is None or rule.action is Action.IGNORE:
            return Fate(ident, rule, None, None, why)
        if rule.action is Action.DISCARD:
            return Fate(ident, rule, rule.action, None, why)
        target = self.target(rule, facts)
        if target.problem:
            return Fate(ident, rule, None, target.queue, f"{rule.title}: {target.problem}")
        return Fate(ident, rule, rule.action, str(target), why, target.user)

    def _left_for(self, message: Message, held: bytes | None) -> list[TableRule] | str:
        """The rules that may still be tried on a message, or why none is for now."""
        rules = [rule for rule in self.table.rules if not self.spent(rule, message)]
        if held is None or self.attempts is None:
            return rules
        due_s = self.attempts.due_s(held)
        if due_s > self.attempts.clock():
            return ALL_TRIED if due_s == inf else NOT_YET
        return [rule for rule in rules if self.attempts.count(held, rule) < rule.retry]

    def spent(self, rule: TableRule, message: Message) -> bool:
        """Whether the rule has taken the message as often as its max_retries lets it."""
        return rule.max_retries is not None and self.tried(message) >= rule.max_retries

    def target(self, rule: TableRule, facts: RuleSubject) -> RuleTarget:
        """Where a RETRY or FWD rule puts a message.

        What this tool cannot do is no failure of a put: no later rule is tried then, since it may
        discard what IBM's handler would have delivered.
        """
        if rule.action is Action.RETRY:
            queue, manager = facts.destq, facts.destqm
        else:
            names = {"&DESTQ": facts.destq, "&REPLYQ": facts.replyq}
            managers = {"&DESTQM": facts.destqm, "&REPLYQM": facts.replyqm}
            queue = names.get(rule.fwdq, rule.fwdq)
            manager = managers.get(rule.fwdqm, rule.fwdqm)
        queue, manager = queue.rstrip(" \0"), manager.rstrip(" \0")
        if not queue and facts.reason == cmqc.MQRC_BACKOUT_THRESHOLD_REACHED and self.origin:
            return RuleTarget(queue, NO_ORIGIN)
        user = facts.userid.rstrip(" \0") if rule.putaut == "CTX" else None
        if manager in ("", self.local) or self.any_manager:
            manager = ""
        return RuleTarget(queue, queue_manager=manager, user=user)

    def _holds(
        self, message: Message, tests: Mapping[int, Callable[..., bool]] | None = None
    ) -> Callable[[TableRule], bool]:
        subject = Subject(message, lambda decoding: DecodedHeaders(decoding, self._reading))
        asked = self._tests if tests is None else tests
        return lambda rule: asked[rule.number](subject)


def _meant(rule: TableRule) -> list[str]:
    """Fields of a condition that `dlq browse` reads from the MQDLH, and rules from the MQMD."""
    if not rule.where:
        return []
    used = {leaf.field for leaf in leaves(parse_where(rule.where, what="where"))}
    return [name for name, other in OF_DEAD_LETTERS.items() if name in used and "dlq_" in other]


def _tests(
    table: RulesTable, now_us: int, names: Mapping[str, str] = MappingProxyType({})
) -> Mapping[int, Callable[..., bool]]:
    if not any(rule.where for rule in table.rules):
        return {}
    budget = regex_budget()
    return {
        rule.number: compile_tree(
            renamed(parse_where(rule.where, what="where"), names), now_us, budget
        )
        for rule in table.rules
        if rule.where
    }


def judge_of(
    backend: Backend,
    queue: str,
    table: RulesTable,
    tried: Callable[[Message], int] = lambda _: 0,
    attempts: Attempts | None = None,
) -> Judge:
    """The judge for the messages of *queue*: a backout queue when a BOQNAME leads to it."""
    base = str(local_attributes(backend, queue)["QNAME"])
    queues = {definition.name: definition for definition in backend.queues("*")}
    known = candidates(queues, base)
    return Judge(
        table,
        backend.queue_manager,
        origin=_origin_by(queues, known) if known else None,
        now_us=backend.now_us(),
        due_known=Capability.DUE_TIME_KNOWN in backend.capabilities,
        tried=tried,
        attempts=attempts,
    )


def _origin_by(
    queues: Mapping[str, ObjectDefinition], known: Mapping[str, PossibleOrigin]
) -> Origin:
    return lambda message: origin_name(queues, known, destination_of(message))
