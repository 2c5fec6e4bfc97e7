"""What poison messages have in common and healthy ones do not, as conditions that `--where` takes.

Two readings of a queue, each in bounded memory. The first (`mqtriage.messages.survey`) collects the
values that are common; the second (`ConditionTally`) asks every message all the conditions made of
them, by the very predicate that `--where` runs, and keeps one line for each combination of answers.
Where there are too many combinations, the least promising condition is given up, so that what is
still counted is counted exactly. `find_causes` then takes the condition that separates best, as
short as it can be, tells apart what lies inside it, sets its messages aside, and looks again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, reduce
from math import exp, lgamma, log
from typing import Final, TypeAlias

from mqtriage.messages.filters.expression import (
    Expression,
    IsNull,
    Not,
    Or,
    all_of,
    any_of,
    in_and,
)
from mqtriage.messages.filters.fields import Kind, spec_of
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.survey import (
    BODY_SHARE_ALONE,
    SAYS_WHY,
    UNDAMAGED,
    Condition,
    Feature,
    is_threshold,
)
from mqtriage.records import NamedTuple

GREATEST_COMBINATIONS: Final = 4096
MOST_TERMS: Final = 3
WORTH_A_TERM: Final = 0.02
"""What one more term must add to how well a condition separates (0 to 1)."""
SPARED: Final = 4
"""Or it leaves one of so many of the healthy messages that fulfil the others, if they are as many.
"""
LESS_COMMON: Final = 2
"""How many times as common a cause must be among the poison messages as among the healthy ones."""
_KIND_TELLING_ALONE: Final = 0.36
"""Without healthy messages the kind of body says less than who put the messages: two programs that
both send JSON would be one cause."""
_SAYS_WHO: Final = frozenset({"put_appl", "user"})
"""Fields of which a single condition stands for several that select the same messages."""
RARER_INSIDE: Final = 10
"""How many times as common among the messages of a cause as among the healthy ones that must be
which makes a part of them a cause of its own."""
FEW: Final = 20
"""Healthy messages: where there are fewer, and ten times as many poison ones, what is rare among
them says nothing."""
SMALL_SHARE: Final = 0.05
"""Of the poison messages: a condition that fewer fulfil is a cause only if chance is unlikely.

Among the many values that are compared, some are always rarer among the healthy messages."""
UNLIKELY: Final = 0.05
"""How often chance alone may make one of all the conditions as rare among the healthy messages."""
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
MOST_SHAPES: Final = 3
"""Into how many groups missing properties may split a row, if there are no healthy messages to
compare it with. If the properties come and go in more ways, they say nothing about causes."""
_OF_ITS_OWN: Final = ("damage", "reason", "dest", "format", "body_kind")
"""Fields that tell parts of a cause apart; so does a property or a body value that is missing."""


class Group(NamedTuple):
    """Messages that answer all conditions alike.

    Attributes:
        first_us, last_us: None without a put time.
        longest_bytes: length of the longest; 0 if it is not needed.
    """

    messages: int
    first_us: int | None
    last_us: int | None
    sample: bytes
    longest_bytes: int = 0


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
        may_be_chance: few have it, and too few healthy messages were compared to tell.
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
    may_be_chance: bool

    def holds(self, answers: int) -> bool:
        """Whether messages with these answers are among them."""
        return _holds((self.mask, self.without), answers)


class ConditionTally:
    """How many messages answer the conditions in which way.

    Attributes:
        unclear: the conditions, a bit each, that are neither true nor false of some message that
            has a value: an object, or text that is compared with a number.
    """

    def __init__(self, conditions: list[Condition]) -> None:
        self.conditions = conditions
        self.total = 0
        self.alive = (1 << len(conditions)) - 1
        self.groups: dict[int, Group] = {}
        self.unclear = 0
        self._tests = [(1 << n, compile_tree(one.tree, 0)) for n, one in enumerate(conditions)]
        self._denials = [
            (1 << n, compile_tree(negated(one.tree), 0))
            for n, one in enumerate(conditions)
            if spec_of(one.tree.field).kind is Kind.ANY and not isinstance(one.tree, IsNull)
        ]

    def add(self, subject: Subject) -> None:
        """Ask one message everything."""
        self.total += 1
        answers = sum(bit for bit, test in self._tests if test(subject))
        for bit, denied in self._denials:
            if not bit & (answers | self.unclear) and not denied(subject):
                self.unclear |= bit
        answers &= self.alive
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
        max(one.longest_bytes, other.longest_bytes),
    )


def find_causes(
    sick: ConditionTally, healthy: ConditionTally | None = None, *, top: int = 10
) -> list[Cause]:
    """The conditions that separate best, the messages of each set aside before the next.

    What may be chance comes last.
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
        may_be_chance = search.may_be_chance(chosen)
        causes += [
            search.cause(*part, may_be_chance=may_be_chance) for part in parts if part is not None
        ]
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
        self.chances: dict[int, bool] = {}
        bits = [1 << number for number in range(len(sick.conditions)) if sick.alive >> number & 1]
        self.thresholds = [bit for bit in bits if is_threshold(self._part(bit).tree)]
        self.undamaged = next((bit for bit in bits if self._part(bit).tree == UNDAMAGED), 0)
        self.absent = [bit for bit in bits if healthy is None and self._is_absent(bit)]
        others = {self.undamaged, *self.thresholds, *self.absent}
        self.bits = [bit for bit in bits if bit not in others]

    def best(self, remaining: Mapping[int, Group]) -> int:
        """The condition that separates what is *remaining* best; 0 where none does.

        A threshold of numbers only where at most the length does as well, and what may be chance
        where nothing else does.
        """
        sure = [bit for bit in self.bits if not self.may_be_chance(bit)]
        others = [bit for bit in self.bits if bit not in sure]
        beyond = [bit for bit in self.thresholds if not self.may_be_chance(bit)]
        chosen = self._best_of(sure, remaining)
        if all(one.tree.field == "length" for one in self._parts(chosen)):  # numbers say more
            numbers = self._best_of(beyond, remaining)
            if numbers and (
                not chosen or self._score(numbers, remaining) >= self._score(chosen, remaining)
            ):
                chosen = numbers
        return chosen or self._best_of(others, remaining)

    def _best_of(self, bits: list[int], remaining: Mapping[int, Group]) -> int:
        chosen = self._refined(bits, remaining)
        if chosen and not self._less_common_there(chosen):
            rarer = [bit for bit in bits if self._less_common_there(bit)]
            chosen = self._refined(rarer, remaining)
        return chosen

    def may_be_chance(self, chosen: int) -> bool:
        """Whether it may be rare among the healthy messages only because few were compared.

        Assume that the condition is as common among healthy messages as among poison ones. Each
        message that fulfils it is then healthy with a probability that is the share of the healthy
        messages in all messages. It may be chance if, in more than `UNLIKELY` of such comparisons,
        at least one of all the conditions is as rare among the healthy messages as this one.
        What `SMALL_SHARE` of the poison messages or more fulfil is never chance, nor is a damage or
        a reason. For a threshold the share does not matter: it was chosen by what is healthy.
        """
        if self.healthy is None:
            return False
        if chosen not in self.chances:
            here, there = count_of(chosen, self.sick.groups), self._there(chosen)
            part = self.healthy.total / (self.healthy.total + self.sick.total)
            parts = self._parts(chosen)
            is_small = here < SMALL_SHARE * self.sick.total
            tried = len(self.bits) + len(self.thresholds)
            self.chances[chosen] = (
                here > 0
                and (is_small or any(is_threshold(one.tree) for one in parts))
                and not any(one.tree.field in SAYS_WHY for one in parts)
                and tried * at_most(there, here + there, part) > UNLIKELY
            )
        return self.chances[chosen]

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
            if self.may_be_chance(chosen | more) and not self.may_be_chance(chosen):
                break
            chosen, score = chosen | more, longer
        return chosen

    def parts(self, chosen: int) -> list[_Part]:
        """The causes that lie inside a condition, the largest first; itself where there are none.

        What is of its own kind there, and rare among the healthy messages, was not made sick by
        what the others lack: CSV data has no field of JSON either. Without healthy messages, parts
        are those that have other properties than the rest.
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
            if is_one and self._part(cause.mask).tree.field in SAYS_WHY:
                yield cause.mask

    def _own_kind(self, chosen: int, inside: Mapping[int, Group]) -> int:
        """The condition that best tells some of the messages *inside* from the others, or 0."""
        if self.healthy is None:
            return self._telling_absence(chosen, inside)
        total = count_of(chosen, inside)
        rated = []
        for bit in self._of_its_own():
            part = self._part(bit)
            least = 1 if part.tree.field in SAYS_WHY else max(2, LEAST_PART * total)
            count = 0 if bit & chosen else count_of(bit, inside)
            there = self._there(bit) / self.healthy.total
            rare = self._are_few or count / total >= RARER_INSIDE * there
            if least <= count <= total - least and rare:
                rated.append((part.telling, count, -len(part.where), bit))
        return max(rated, default=(0, 0, 0, 0))[-1]

    def _telling_absence(self, chosen: int, inside: Mapping[int, Group]) -> int:
        """The missing property that best tells the messages *inside* apart, or 0."""
        if any(part.tree.field in SAYS_WHY for part in self._parts(chosen)):
            return 0
        total, shapes = 0, Counter[int]()
        for key, group in inside.items():
            total += group.messages
            shapes[key & sum(self.absent)] += group.messages
        least = max(2.0, FEW_OF_THEM * total)
        large = [count for count in shapes.values() if count >= least]
        if not 2 <= len(large) <= MOST_SHAPES or sum(large) < NEARLY_ALL * total:
            return 0
        counts = {bit: count_of(bit, inside) for bit in self.absent}
        splits = [bit for bit in self.absent if least <= counts[bit] <= total - least]
        return max(splits, key=lambda bit: (counts[bit], -len(self._part(bit).where)), default=0)

    def _is_absent(self, bit: int) -> bool:
        tree = self._part(bit).tree
        return isinstance(tree, IsNull) and tree.field.startswith("prop.")

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
            bits = self._of_its_own() if self.healthy is not None else self.bits
            positive = [(mask | bit, 0) for bit in bits if same((mask | bit, 0))]
            mask, without = max(
                positive, key=lambda p: min(c.telling for c in self._parts(p[0] & ~mask or mask)),
                default=part,
            )  # fmt: skip
        for bit in sorted([*self.bits, *self.absent], key=lambda bit: self._part(bit).telling):
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

    def cause(self, mask: int, without: int, *, may_be_chance: bool) -> Cause:
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
            may_be_chance,
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
        if self.healthy is not None or any(part.tree.field in SAYS_WHY for part in parts):
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
        if here and any(part.tree.field in SAYS_WHY for part in parts):
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
    return BODY_SHARE_ALONE if _ID_OR_TIME.fullmatch(text) else FEW_OF_THEM


def at_most(count: int, of: int, chance: float) -> float:
    """How likely no more than *count* of so many succeed, each with this *chance* below 1.

    It is 1 if *count* is at least the expected number: nobody needs the exact sum then.
    """
    if not chance > 0 or count >= of * chance:
        return 1.0
    yes, no = log(chance), log(1 - chance)
    ways = lgamma(of + 1)
    return sum(
        exp(ways - lgamma(n + 1) - lgamma(of - n + 1) + n * yes + (of - n) * no)
        for n in range(count + 1)
    )


def rest_of(tally: ConditionTally, causes: Iterable[Cause]) -> Expression | None:
    """What is true of just the messages that are in none of *causes*; None if no condition is."""
    untrue = []
    for cause in causes:
        if cause.mask & tally.unclear:
            return None
        held, without = (
            [one.tree for n, one in enumerate(tally.conditions) if bits >> n & 1]
            for bits in (cause.mask, cause.without)
        )
        untrue.append(any_of([*map(negated, held), *without]))
    return all_of(one for one in untrue if one is not None)


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


def tally_of(subjects: Iterable[Subject], conditions: list[Condition]) -> ConditionTally:
    """The answers of *subjects*, read once."""
    tally = ConditionTally(conditions)
    for subject in subjects:
        tally.add(subject)
    return tally
