"""What poison messages have in common and healthy ones do not, as conditions that `--where` takes.

Two readings of a queue, each in bounded memory. The first (`Survey`) collects the values that are
common, a fixed number a field; the second (`ConditionTally`) asks every message all the
conditions made of them, by the very predicate that `--where` runs, and keeps one line for each
combination of answers. Where there are too many combinations, the least promising condition is
given up, so that what is still counted is counted exactly. `find_causes` then takes the condition
that separates best, as short as it can be, tells apart what lies inside it, sets its messages
aside, and looks again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property, reduce
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeAlias

from mqtriage.messages.filters.expression import (
    Between,
    Compare,
    Expression,
    IsNull,
    Not,
    Or,
    all_of,
    in_and,
    to_text,
)
from mqtriage.messages.filters.fields import spec_of
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

GREATEST_VALUES: Final = 64
"""Values kept of one field."""
GREATEST_FIELDS: Final = 128
GREATEST_PROPERTIES: Final = 48
"""Properties looked at in one message."""
GREATEST_BODY_VALUES: Final = 48
"""Values inside the body (JSON, XML) looked at in one message."""
GREATEST_BODY_FIELDS: Final = 128
GREATEST_CONDITIONS: Final = 60
BODY_CONDITIONS: Final = 16
"""How many of them ask for a value inside the body: each reads it."""
VALUES_OF_A_FIELD: Final = 6
GREATEST_COMBINATIONS: Final = 4096
GREATEST_TEXT: Final = 100
MOST_TERMS: Final = 3
WORTH_A_TERM: Final = 0.02
"""What one more term must add to how well a condition separates (0 to 1)."""
SPARED: Final = 4
"""Or it leaves one of so many of the healthy messages that fulfil the others, if they are as many.
"""
LESS_COMMON: Final = 2
"""How many times as common a cause must be among the poison messages as among the healthy ones."""

_TELLING: Final[dict[str, float]] = {
    "damage": 1.0, "reason": 0.95, "dest": 0.9, "format": 0.8, "body_kind": 0.73,
    "put_appl": 0.7, "user": 0.65, "reply_to": 0.6, "msg_type": 0.5, "ccsid": 0.5,
    "appl_identity": 0.4, "length": 0.35, "encoding": 0.3, "put_appl_type": 0.25,
    "priority": 0.2, "persistence": 0.2,
}  # fmt: skip
"""How much it says when messages share the field; decides between conditions that do as well."""
_PROPERTY_TELLING: Final = 0.75
_BODY_TELLING: Final = 0.72
_BODY_TELLING_ALONE: Final = 0.1
_BODY_SHARE_ALONE: Final = 0.5
"""Where there are no healthy messages any split of the data would pass for a cause: there a value
inside the body says little, and nothing when fewer than half of the messages have it."""
_KIND_TELLING_ALONE: Final = 0.36
"""There the kind of body says less than who put the messages: two programs that both send JSON
would be one cause."""
_SAYS_WHO: Final = frozenset({"put_appl", "user"})
"""Fields of which a single condition stands for several that select the same messages."""
_EVEN_ONE: Final = frozenset({"damage", "reason", "dest", "format"})
"""Fields of which a value is worth a condition though one message alone has it."""
_SAYS_WHY: Final = frozenset({"damage", "reason"})
"""Fields that are looked at before all others, and make a cause of their own, however rare the
value."""
RARER_INSIDE: Final = 10
"""How many times as common among the messages of a cause as among the healthy ones that must be
which makes a part of them a cause of its own."""
FEW: Final = 20
"""Healthy messages: where there are fewer, and ten times as many poison ones, what is rare among
them says nothing."""
NEARLY_ALL: Final = 0.95
"""Without healthy messages, a condition that this part of them fulfils hardly tells them apart."""
LEAST_PART: Final = 0.02
"""Share of a cause's messages: a smaller part is not split off, unless its field says why."""
FEW_OF_THEM: Final = 0.1
"""Without healthy messages, what fewer share says less than what nearly all do, of fields that may
hold another value in each message."""
_VARY: Final = ("prop.", "body.", "reply_to", "appl_identity")
_ID_OR_TIME: Final = re.compile(
    r"[0-9]{8,}|[0-9A-Fa-f]{16,}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,}.*"
)
"""Values that name one message or moment: there half of the messages must share it."""
_TIMES: Final = frozenset({"jms.Tms", "jms.Exp"})
"""Properties that say when a message was sent or expires; FIRST and LAST tell that."""
_UNDAMAGED: Final = IsNull("damage")
_OF_ITS_OWN: Final = ("damage", "reason", "dest", "format", "body_kind")
"""Fields that tell parts of a cause apart; so does a property or a body value that is missing."""
_TEXTS: Final = ("format", "put_appl", "user", "reply_to", "appl_identity")
_NUMBERS: Final = ("msg_type", "ccsid", "encoding", "put_appl_type", "priority", "persistence")
_READERS: Final = {name: attrgetter(spec_of(name).attribute) for name in (*_TEXTS, *_NUMBERS)}


_ADDED: Final = frozenset({"format", "ccsid", "encoding", "length"})
_ADDED_FOLDERS: Final = ("prop.jms.", "prop.mcd.")
"""What an MQRFH2 that a move put in front of a message changes."""


Feature: TypeAlias = Compare | Between | IsNull
"""A test that a message passes."""


class Condition(NamedTuple):
    """One thing that messages can share: its `--where`, and how much it says."""

    tree: Feature
    where: str
    telling: float


class Group(NamedTuple):
    """Messages that answer all conditions alike; *first_us*, *last_us* None without a put time."""

    messages: int
    first_us: int | None
    last_us: int | None
    sample: bytes


class Cause(NamedTuple):
    """A condition that separates.

    Attributes:
        where: selects exactly *messages* of them.
        terms: the conditions that *where* joins with AND.
        tree: what *where* parses to.
        mask, without: the conditions by number, a bit each: all of the one, none of the other.
        support: part of all the messages, 0 to 1.
        against_count: how many of the healthy messages it selects; None without any.
        lift: how many times as common it is here as here and there together; None likewise.
        also: what all these messages share besides, each a `--where`.
    """

    where: str
    terms: tuple[str, ...]
    tree: Expression
    messages: int
    support: float
    against_count: int | None
    lift: float | None
    also: tuple[str, ...]
    first_us: int | None
    last_us: int | None
    sample: bytes
    mask: int
    without: int

    def holds(self, answers: int) -> bool:
        """Whether messages with these answers are among them."""
        return _holds((self.mask, self.without), answers)


def features(subject: Subject) -> Iterator[Feature]:
    """Each test that is true of the message and that others may pass too."""
    headers = subject.headers
    for field, values in (
        ("damage", headers.damage),
        ("reason", headers.reason),
        ("dest", headers.dest),
        ("body_kind", subject.body_kind),
    ):
        if values is not None:
            yield Compare(field, "=", values)
    for field in _TEXTS:
        text = _READERS[field](subject)
        if len(text) <= GREATEST_TEXT:
            yield Compare(field, "=", text)
    for field in _NUMBERS:
        yield Compare(field, "=", _READERS[field](subject))
    yield length_class(subject.message.length_bytes)
    for number, (name, value) in enumerate(headers.properties.items()):
        if number == GREATEST_PROPERTIES:
            return
        is_plain = isinstance(value, bool | int | float | str) and _is_short(value)
        if is_plain and len(name) <= GREATEST_TEXT and name not in _TIMES:
            yield Compare(f"prop.{name}", "=", value)


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= GREATEST_TEXT


def body_features(subject: Subject) -> Iterator[Compare]:
    """The same of the values inside a JSON or XML body."""
    for path, value in subject.body_values(GREATEST_BODY_VALUES):
        if len(path) <= GREATEST_TEXT and _is_short(value):
            yield Compare(f"body.{path}", "=", value)


def _is_added(subject: Subject, queues: Container[str]) -> bool:
    """Whether the MQRFH2 of the message came with its move: it names one of *queues*.

    A JMS client puts a poison message without an MQRFH2 on the backout queue with one. Senders
    name the queue that they send to.
    """
    uri = subject.headers.properties.get("jms.Dst")
    return isinstance(uri, str) and uri.partition("?")[0].rpartition("/")[2] in queues


class Common:
    """What all messages of a group have.

    It begins with what the first one has, so that it is exact and never grows.
    """

    def __init__(self) -> None:
        self.parts: frozenset[Feature] | None = None

    def add(self, subject: Subject) -> None:
        """Take one message into account."""
        if self.parts is not None and not self.parts:
            return
        parts = {*features(subject)}
        if self.parts is None or any(part.field.startswith("body.") for part in self.parts):
            parts.update(body_features(subject))
        self.parts = frozenset(parts if self.parts is None else self.parts & parts)

    def conditions(
        self,
        without: Common,
        but: Iterable[str] = (),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> list[str]:
        """Each as a `--where`, the most telling first; not what is blank, or what *without* has.

        Args:
            names: what fields are called there.
        """
        conditions = [
            condition_of(
                part._replace(field=names.get(part.field, part.field)),
                _telling(part.field, alone=True),
            )
            for part in (self.parts or frozenset()) - (without.parts or frozenset())
            if getattr(part, "value", None) != "" and part.field not in but
        ]
        known = [condition for condition in conditions if condition is not None]
        return [one.where for one in sorted(known, key=lambda one: (-one.telling, one.where))]


def length_class(length_bytes: int) -> Compare | Between:
    """The power of two that the length begins with: 1024 to 2047 is one class."""
    if length_bytes == 0:
        return Compare("length", "=", 0)
    low = 1 << (length_bytes.bit_length() - 1)
    return Between("length", low, 2 * low - 1)


class Survey:
    """The common values of each field.

    Each field keeps at most `GREATEST_VALUES`; when one more comes all lose one count and those at
    zero go (Misra and Gries, 1982), so that a value of more than one in 65 messages always stays.

    Args:
        queues: names of the queue that the messages were moved to, none where they were not.

    Attributes:
        added: the move put an MQRFH2 in front of some of them.
    """

    def __init__(self, queues: Container[str] = ()) -> None:
        self.queues = queues
        self.added = False
        self.total = 0
        self.fields: dict[str, dict[Feature, int]] = {}
        self.bodies: dict[str, dict[Feature, int]] = {}
        self.having: Counter[str] = Counter()

    def add(self, subject: Subject) -> None:
        """Take one message into account."""
        self.total += 1
        self.added = self.added or _is_added(subject, self.queues)
        for feature in features(subject):
            self._count(self.fields, feature, GREATEST_FIELDS)
        for feature in body_features(subject):
            self._count(self.bodies, feature, GREATEST_BODY_FIELDS)

    def _count(self, fields: dict[str, dict[Feature, int]], feature: Feature, most: int) -> None:
        field = feature.field
        if field not in fields and len(fields) >= most:
            return
        values = fields.setdefault(field, {})
        self.having[field] += 1
        if feature in values or len(values) < GREATEST_VALUES:
            values[feature] = values.get(feature, 0) + 1
        else:
            fields[field] = {value: count - 1 for value, count in values.items() if count > 1}

    def share(self, feature: Feature) -> float:
        """About which part of the messages has it."""
        fields = self.bodies if feature.field.startswith("body.") else self.fields
        return fields.get(feature.field, {}).get(feature, 0) / max(1, self.total)

    def share_having(self, field: str) -> float:
        """Which part of the messages has a value of the field at all."""
        return self.having[field] / max(1, self.total)


def conditions_of(sick: Survey, healthy: Survey | None = None) -> list[Condition]:
    """The conditions worth counting, the most promising first; at most `GREATEST_CONDITIONS`.

    A property, or a value inside the body, that healthy messages have and poison ones lack makes
    one too (IS NULL). Where a move added an MQRFH2, what such a header changes is no condition.
    That nothing is damaged is no cause: it tells the others from the damaged ones.
    """
    rated = _rated(sick, sick.fields, healthy)
    for field in healthy.fields if healthy else ():
        if field.startswith("prop."):
            condition = condition_of(IsNull(field), _PROPERTY_TELLING)
            if condition is not None:
                rated.append((0.5, condition))
    inside = _rated(sick, sick.bodies, healthy)
    for field in healthy.bodies if healthy else ():
        gain = healthy.share_having(field) - sick.share_having(field) if healthy else 0.0
        condition = condition_of(IsNull(field), _BODY_TELLING) if gain > 0 else None
        if condition is not None:
            inside.append((gain, condition))
    rated += sorted(inside, key=lambda pair: -pair[0])[:BODY_CONDITIONS]
    if sick.added:
        rated = [pair for pair in rated if not _is_of_added(pair[1].tree.field)]
    undamaged = condition_of(_UNDAMAGED, 0.0) if "damage" in sick.fields else None
    if undamaged is not None:
        rated.append((1.0, undamaged))
    rated.sort(key=lambda pair: -pair[0])
    return [condition for _, condition in rated[:GREATEST_CONDITIONS]]


def _is_of_added(field: str) -> bool:
    return field in _ADDED or field.startswith(_ADDED_FOLDERS)


def _rated(
    sick: Survey,
    fields: Mapping[str, Mapping[Feature, int]],
    healthy: Survey | None,
) -> list[tuple[float, Condition]]:
    """The common values of *fields* as conditions, each with how promising it is."""
    conditions: list[tuple[float, Condition]] = []
    for field, values in fields.items():
        telling = _telling(field, alone=healthy is None)
        rated = []
        for feature, count in values.items():
            if count < 2 and sick.total > 2 and field not in _EVEN_ONE:
                continue
            gain = sick.share(feature) - (healthy.share(feature) if healthy else 0.0)
            if healthy is None and field.startswith("body.") and gain < _BODY_SHARE_ALONE:
                continue
            condition = condition_of(feature, telling)
            if condition is not None:
                rated.append((gain + telling / 10 + (field in _SAYS_WHY), condition))
        conditions += sorted(rated, key=lambda pair: -pair[0])[:VALUES_OF_A_FIELD]
    return conditions


def _telling(field: str, *, alone: bool) -> float:
    if field.startswith("body."):
        return _BODY_TELLING_ALONE if alone else _BODY_TELLING
    return _TELLING.get(field, _PROPERTY_TELLING)


def condition_of(tree: Feature, telling: float) -> Condition | None:
    """The condition with its text; None where no text would be read as this very test."""
    for where in (_named(tree), to_text(tree)):
        if where and where.isprintable() and _reads_as(where, tree):
            return Condition(tree, where, telling)
    return None


def _named(tree: Expression) -> str:
    if isinstance(tree, Compare) and tree.field == "reason" and isinstance(tree.value, int):
        return f"reason {tree.op} {name_of_dlh_reason(tree.value)}"
    return ""


def _reads_as(where: str, tree: Expression) -> bool:
    try:
        return parse_where(where) == tree
    except UsageError:
        return False


class ConditionTally:
    """How many messages answer the conditions in which way."""

    def __init__(self, conditions: list[Condition]) -> None:
        self.conditions = conditions
        self.total = 0
        self.alive = (1 << len(conditions)) - 1
        self.groups: dict[int, Group] = {}
        self._tests = [(1 << n, compile_tree(one.tree, 0)) for n, one in enumerate(conditions)]

    def add(self, subject: Subject) -> None:
        """Ask one message everything."""
        self.total += 1
        answers = sum(bit for bit, test in self._tests if test(subject)) & self.alive
        put_us = subject.put_time_us
        new = Group(1, put_us, put_us, subject.md.msg_id)
        known = self.groups.get(answers)
        self.groups[answers] = new if known is None else joined(known, new)
        while len(self.groups) > GREATEST_COMBINATIONS:
            # give up the least promising condition that is left, the last one
            self.keep_only(self.alive & ~(1 << (self.alive.bit_length() - 1)))

    def keep_only(self, alive: int) -> None:
        """Forget the answers to all conditions but those in *alive*."""
        self.alive &= alive
        groups: dict[int, Group] = {}
        for answers, group in self.groups.items():
            kept = answers & self.alive
            groups[kept] = joined(groups[kept], group) if kept in groups else group
        self.groups = groups


def joined(one: Group, other: Group) -> Group:
    """Two groups as one; the sample is that of the first."""
    firsts = [time_us for time_us in (one.first_us, other.first_us) if time_us is not None]
    lasts = [time_us for time_us in (one.last_us, other.last_us) if time_us is not None]
    return Group(
        one.messages + other.messages,
        min(firsts, default=None),
        max(lasts, default=None),
        one.sample,
    )


def find_causes(
    sick: ConditionTally, healthy: ConditionTally | None = None, *, top: int = 10
) -> list[Cause]:
    """The conditions that separate best, the messages of each set aside before the next.

    Without healthy messages damages and reasons come first. Of the rest, what nearly all share says
    little: it is taken only where nothing else tells the messages apart.
    """
    if healthy is not None and not healthy.total:
        healthy = None
    if healthy is not None:
        sick.keep_only(healthy.alive)
        healthy.keep_only(sick.alive)
    search = _Search(sick, healthy)
    remaining: Mapping[int, Group] = sick.groups
    causes: list[Cause] = []
    while remaining and len(causes) < top:
        chosen = search.best(remaining)
        if not chosen:
            break
        parts = [search.beside(part, causes) for part in search.parts(chosen)]
        causes += [search.cause(*part) for part in parts if part is not None]
        remaining = {
            answers: group for answers, group in remaining.items() if answers & chosen != chosen
        }
    return causes[:top]


_Part: TypeAlias = tuple[int, int]
"""Conditions by number, a bit each: all of the first number hold, and none of the second."""


def _holds(part: _Part, answers: int) -> bool:
    return answers & part[0] == part[0] and not answers & part[1]


class _Search:
    """The search for conditions: a condition is a set of bits, all of which must be true."""

    def __init__(self, sick: ConditionTally, healthy: ConditionTally | None) -> None:
        self.sick = sick
        self.healthy = healthy
        self.known: dict[int, int] = {}
        bits = [1 << number for number in range(len(sick.conditions)) if sick.alive >> number & 1]
        self.bits = [bit for bit in bits if self._part(bit).tree != _UNDAMAGED]
        self.undamaged = next((bit for bit in bits if bit not in self.bits), 0)

    def best(self, remaining: Mapping[int, Group]) -> int:
        """The condition that separates what is *remaining* best; 0 where none does."""
        chosen = self._refined(self.bits, remaining)
        if chosen and not self._less_common_there(chosen):
            rarer = [bit for bit in self.bits if self._less_common_there(bit)]
            chosen = self._refined(rarer, remaining)
        return chosen

    def _spares(self, longer: int, chosen: int) -> bool:
        """Whether *longer* leaves so few of the healthy messages that it is worth its terms."""
        there = self._there(chosen)
        return there >= SPARED and SPARED * self._there(longer) <= there

    def _less_common_there(self, chosen: int) -> bool:
        """Whether healthy messages fulfil it so much more rarely that it says something."""
        if self.healthy is None:
            return True
        here = count_of(chosen, self.sick.groups) / self.sick.total
        return here >= LESS_COMMON * self._there(chosen) / self.healthy.total

    def _refined(self, bits: list[int], remaining: Mapping[int, Group]) -> int:
        """The best of *bits*, with further terms as long as each is worth it."""
        chosen = max(bits, key=lambda bit: self._rating(bit, remaining), default=0)
        score = self._score(chosen, remaining) if chosen else 0.0
        if score <= 0:
            return 0
        while self.healthy is not None and chosen.bit_count() < MOST_TERMS:
            more = max(self.bits, key=lambda bit: self._rating(chosen | bit, remaining))
            longer = self._score(chosen | more, remaining)
            spares = longer > score and self._spares(chosen | more, chosen)
            if longer < score + WORTH_A_TERM and not spares:
                break
            chosen, score = chosen | more, longer
        return chosen

    def parts(self, chosen: int) -> list[_Part]:
        """The causes that lie inside a condition, the largest first; itself where there are none.

        What is of its own kind there, and rare among the healthy messages, was not made sick by
        what the others lack: CSV data has no field of JSON either.
        """
        inside = {key: group for key, group in self.sick.groups.items() if key & chosen == chosen}
        own: list[int] = []
        while bit := self._own_kind(chosen, inside):
            own.append(bit)
            inside = {key: group for key, group in inside.items() if not key & bit}
        if not own:
            return [(chosen, 0)]
        parts = [self._shortest((chosen | bit, sum(own[:n]))) for n, bit in enumerate(own)]
        parts.append(self._shortest((chosen, sum(own))))
        return sorted(parts, key=self._count, reverse=True)

    def beside(self, part: _Part, causes: Iterable[Cause]) -> _Part | None:
        """Without the messages of earlier *causes* that say why; None where it has no others."""
        mask, without = part
        inside = self._inside(part)
        for bit in self._that_say_why(causes):
            if any(key & bit for key in inside):
                without |= bit
                inside = self._inside((mask, without))
        if not inside:
            return None
        damages = sum(bit for bit in self.bits if self._part(bit).tree.field == "damage")
        short = mask | self.undamaged, without & ~damages
        is_shorter = bool(self.undamaged and without & damages) and self._inside(short) == inside
        return short if is_shorter else (mask, without)

    def _that_say_why(self, causes: Iterable[Cause]) -> Iterator[int]:
        for cause in causes:
            is_one = cause.mask.bit_count() == 1 and not cause.without
            if is_one and self._part(cause.mask).tree.field in _SAYS_WHY:
                yield cause.mask

    def _own_kind(self, chosen: int, inside: Mapping[int, Group]) -> int:
        """The condition that best tells some of the messages *inside* from the others, or 0."""
        if self.healthy is None:
            return 0
        total = count_of(chosen, inside)
        rated = []
        for bit in self._of_its_own():
            part = self._part(bit)
            least = 1 if part.tree.field in _SAYS_WHY else max(2, LEAST_PART * total)
            count = 0 if bit & chosen else count_of(bit, inside)
            there = self._there(bit) / self.healthy.total
            rare = self._are_few or count / total >= RARER_INSIDE * there
            if least <= count <= total - least and rare:
                rated.append((part.telling, count, -len(part.where), bit))
        return max(rated, default=(0, 0, 0, 0))[-1]

    def _of_its_own(self) -> Iterator[int]:
        for bit in self.bits:
            tree = self._part(bit).tree
            if tree.field in _OF_ITS_OWN or (isinstance(tree, IsNull) and "." in tree.field):
                yield bit

    def _shortest(self, part: _Part) -> _Part:
        """The same messages in fewer words, and no more of the healthy ones."""
        inside, there = self._inside(part), self._count(part, healthy=True)

        def same(other: _Part) -> bool:
            return self._inside(other) == inside and self._count(other, healthy=True) <= there

        mask, without = part
        if without:  # "json" rather than "neither text nor xml"
            positive = [(mask | bit, 0) for bit in self._of_its_own() if same((mask | bit, 0))]
            mask, without = max(
                positive, key=lambda p: min(c.telling for c in self._parts(p[0] & ~mask or mask)),
                default=part,
            )  # fmt: skip
        for bit in sorted(self.bits, key=lambda bit: self._part(bit).telling):
            if bit & mask and mask & ~bit and same((mask & ~bit, without)):
                mask &= ~bit
            elif bit & without and same((mask, without & ~bit)):
                without &= ~bit
        if without or mask.bit_count() > 1:  # one that says who rather than two that exclude
            who = [bit for bit in self.bits if self._part(bit).tree.field in _SAYS_WHO]
            one = [bit for bit in who if same((bit, 0))]
            if one:
                return max(one, key=lambda bit: self._part(bit).telling), 0
        return mask, without

    def _part(self, bit: int) -> Condition:
        return self.sick.conditions[bit.bit_length() - 1]

    def _inside(self, part: _Part) -> set[int]:
        return {key for key in self.sick.groups if _holds(part, key)}

    def _count(self, part: _Part, *, healthy: bool = False) -> int:
        tally = self.healthy if healthy else self.sick
        groups = {} if tally is None else tally.groups
        return sum(group.messages for key, group in groups.items() if _holds(part, key))

    @cached_property
    def _are_few(self) -> bool:
        return self.healthy is not None and are_few(self.healthy.total, self.sick.total)

    def cause(self, mask: int, without: int) -> Cause:
        """The condition with its counts over all the messages."""
        part = mask, without
        held = [*self._parts(mask & ~self.undamaged), *self._parts(mask & self.undamaged)]
        trees = [*(c.tree for c in held), *(negated(c.tree) for c in self._parts(without))]
        tree = all_of(trees)
        assert tree is not None
        terms = (*(c.where for c in held), *map(in_and, trees[len(held) :]))
        groups = self.sick.groups.items()
        whole = reduce(joined, (group for answers, group in groups if _holds(part, answers)))
        total, there = self.sick.total, self._count(part, healthy=True)
        healthy_total = 0 if self.healthy is None else self.healthy.total
        also = self._parts(self._also(part, whole.messages))
        if self.healthy is None:  # values in bodies decide nothing then, but show people the cause
            also.sort(key=lambda one: not one.tree.field.startswith("body."))
        support = whole.messages / total
        everywhere = (whole.messages + there) / (total + healthy_total)
        return Cause(
            " AND ".join(terms),
            terms,
            tree,
            whole.messages,
            support,
            None if self.healthy is None else there,
            None if self.healthy is None else support / everywhere,
            tuple(one.where for one in also),
            whole.first_us,
            whole.last_us,
            whole.sample,
            mask,
            without,
        )

    def _also(self, part: _Part, count: int) -> int:
        """What all these messages share besides, and at most half of the others.

        These are the healthy messages; without any, the rest of the queue.
        """
        mask, without = part
        also = 0
        for bit in self.bits:
            if bit & (mask | without) or self._count((mask | bit, without)) != count:
                continue
            if self.healthy is not None:
                others, of = self._there(bit), self.healthy.total
            else:
                others, of = count_of(bit, self.sick.groups) - count, self.sick.total - count
            also |= bit if 2 * others <= of else 0
        return also

    def _there(self, chosen: int) -> int:
        """How many healthy messages fulfil it; they stay the same, so each is counted once."""
        if chosen not in self.known:
            groups = {} if self.healthy is None else self.healthy.groups
            self.known[chosen] = count_of(chosen, groups)
        return self.known[chosen]

    def _parts(self, chosen: int) -> list[Condition]:
        return [condition for n, condition in enumerate(self.sick.conditions) if chosen >> n & 1]

    def _rating(self, chosen: int, remaining: Mapping[int, Group]) -> tuple[int, float, float, int]:
        parts = self._parts(chosen)
        telling = min(part.telling for part in parts)
        # two that differ by less than a message in a thousand do as well as each other
        score = round(self._score(chosen, remaining), 3)
        return self._tells(chosen), score, telling, -sum(len(p.where) for p in parts)

    def _tells(self, chosen: int) -> int:
        """Without healthy messages: 2 what tells them apart, 1 nearly all share, 0 only few."""
        parts = self._parts(chosen)
        if self.healthy is not None or any(part.tree.field in _SAYS_WHY for part in parts):
            return 2
        share = count_of(chosen, self.sick.groups) / self.sick.total
        if share >= NEARLY_ALL:
            return 1
        return 2 if share >= max(map(_least_share, parts)) else 0

    def _score(self, chosen: int, remaining: Mapping[int, Group]) -> float:
        """How well a condition separates: its part of the sick less its part of the healthy."""
        here = count_of(chosen, remaining)
        if self.healthy is not None:
            if not here:
                return 0.0
            return here / self.sick.total - self._there(chosen) / self.healthy.total
        parts = self._parts(chosen)
        score = min(map(_telling_alone, parts)) * here / self.sick.total
        if here and any(part.tree.field in _SAYS_WHY for part in parts):
            return 1 + score
        return score


def _telling_alone(part: Condition) -> float:
    """How much a condition says where there are no healthy messages."""
    if part.tree.field == "body_kind":
        return min(part.telling, _KIND_TELLING_ALONE)
    return part.telling


def _least_share(part: Condition) -> float:
    """The part of the messages that must share it before it says more than what nearly all do."""
    if not part.tree.field.startswith(_VARY):
        return LEAST_PART
    text = str(getattr(part.tree, "value", ""))
    return _BODY_SHARE_ALONE if _ID_OR_TIME.fullmatch(text) else FEW_OF_THEM


def are_few(healthy: int, sick: int) -> bool:
    """Whether there are too few healthy messages to compare the others with."""
    return healthy < FEW and sick >= 10 * healthy


def negated(tree: Feature) -> Expression:
    """What is true of the messages of which *tree* is not: a missing value makes it unknown."""
    if isinstance(tree, IsNull) or not spec_of(tree.field).nullable:
        return Not(tree)
    return Or((IsNull(tree.field), Not(tree)))


def count_of(chosen: int, groups: Mapping[int, Group]) -> int:
    """How many messages fulfil all conditions in *chosen*."""
    return sum(group.messages for answers, group in groups.items() if answers & chosen == chosen)


def survey_of(subjects: Iterable[Subject], queues: Container[str] = ()) -> Survey:
    """The common values of *subjects*, read once; *queues* see `Survey`."""
    survey = Survey(queues)
    for subject in subjects:
        survey.add(subject)
    return survey


def tally_of(subjects: Iterable[Subject], conditions: list[Condition]) -> ConditionTally:
    """The answers of *subjects*, read once."""
    tally = ConditionTally(conditions)
    for subject in subjects:
        tally.add(subject)
    return tally
