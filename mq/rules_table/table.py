"""IBM's rules table of the dead-letter queue handler: rules, and which one takes a message.

`mq/rules_table/parser.py` reads the text. Rules are tried from the top; the first whose patterns
all match takes the message; when its action fails, the next matching one is tried (`matching`).

Sources: IBM MQ documentation, "The DLQ handler rules table", "Rules table conventions" and "How the
rules table is processed".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final, TypeAlias

from mqtriage.records import NamedTuple, dataclass

Single: TypeAlias = int | str
Pattern: TypeAlias = Single | tuple[Single, ...]
"""A number to be equal to, a name with * (any characters) and ? (one character), or one of several;
a table can say one only, our TOML form (`operations/rules/toml.py`) a list."""

NUMBERS: Final = ("APPLTYPE", "FEEDBACK", "MSGTYPE", "PERSIST", "REASON")
NAMES: Final[Mapping[str, int]] = {
    "APPLIDAT": 32,
    "APPLNAME": 28,
    "DESTQ": 48,
    "DESTQM": 48,
    "FORMAT": 8,
    "REPLYQ": 48,
    "REPLYQM": 48,
    "USERID": 12,
}
"""Pattern keywords on characters, with the length of the field."""


_MOST_WIDE: Final = 100


class Action(StrEnum):
    """What a rule does with the message that it takes."""

    DISCARD = "DISCARD"
    IGNORE = "IGNORE"
    RETRY = "RETRY"
    FWD = "FWD"

    @property
    def is_final(self) -> bool:
        """Whether no later rule is tried: there is no put that could fail."""
        return self in (Action.DISCARD, Action.IGNORE)


class RuleSubject(NamedTuple):
    """What the patterns are compared with, names without trailing blanks.

    Attributes:
        format, reason, destq, destqm: of the MQDLH; the others are of the MQMD.
    """

    applidat: str = ""
    applname: str = ""
    appltype: int = 0
    destq: str = ""
    destqm: str = ""
    feedback: int = 0
    format: str = ""
    msgtype: int = 8
    persist: int = 0
    reason: int = 0
    replyq: str = ""
    replyqm: str = ""
    userid: str = ""


@dataclass(frozen=True, slots=True)
class TableRule:
    """One rule.

    Attributes:
        number: place in the table, from 1.
        line: line of the file that it begins on, from 1.
        patterns: keyword to pattern; a keyword that takes everything is left out.
        shown: the patterns as they were written, in the order of the file.
        fwdq, fwdqm: name, ``&DESTQ``, ``&REPLYQ`` (``&DESTQM``, ``&REPLYQM``), or "" for none.
        header: whether a forwarded message keeps its MQDLH.
        putaut: "DEF" or "CTX".
        retry: attempts, 1 or more.
        name, where: of the TOML form: a name to know the rule by, and a condition as of `--where`
            that must hold as well; "" for none.
        max_retries, rate_per_s: of the TOML form: how often the rule moves one message in all its
            runs, and how many messages a second; None for no limit.
    """

    number: int
    line: int
    action: Action
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    shown: str = ""
    fwdq: str = ""
    fwdqm: str = ""
    header: bool = True
    putaut: str = "DEF"
    retry: int = 1
    name: str = ""
    where: str = ""
    max_retries: int | None = None
    rate_per_s: float | None = None

    @property
    def title(self) -> str:
        """``rule 2 (line 5)``, as it is named in messages."""
        name = f" {self.name!r}" if self.name else ""
        return f"rule {self.number}{name} (line {self.line})"


@dataclass(frozen=True, slots=True)
class Control:
    """The control data entry.

    Attributes:
        inputq, inputqm: "" where the command or the queue manager decides.
        retryint_s: seconds between two attempts.
        wait: "YES", "NO", or seconds in digits; "" where nothing is said, which is YES to IBM's
            handler and NO to ours: nobody is to wait who did not ask for it.
    """

    inputq: str = ""
    inputqm: str = ""
    retryint_s: int = 60
    wait: str = ""


class RuleMatch(NamedTuple):
    """The rule that takes a message, None for none, and why."""

    rule: TableRule | None
    reason: str


Holds: TypeAlias = Callable[[TableRule], bool]
"""Whether the condition of a rule (`Rule.where`) holds for the message in hand."""


def first_match(
    rules: Iterable[TableRule], facts: RuleSubject, holds: Holds | None = None
) -> RuleMatch:
    """The first rule that takes the message."""
    for rule in matching(rules, facts, holds):
        why = f"matches {rule.shown}" if rule.shown else "takes every message"
        return RuleMatch(rule, f"{rule.title} {why}")
    return RuleMatch(None, "no rule matches")


def matching(
    rules: Iterable[TableRule], facts: RuleSubject, holds: Holds | None = None
) -> Iterator[TableRule]:
    """Every rule that would take the message, in the order in which they are tried."""
    for rule in rules:
        if not all(
            _fits(pattern, getattr(facts, key.lower())) for key, pattern in rule.patterns.items()
        ):
            continue
        if rule.where and holds is None:
            raise ValueError(f"{rule.title} has a condition, which is not tested here")
        if not rule.where or (holds is not None and holds(rule)):
            yield rule


def _fits(pattern: Pattern, value: int | str) -> bool:
    if isinstance(pattern, tuple):
        return any(_fits(choice, value) for choice in pattern)
    if isinstance(pattern, int) or isinstance(value, int):
        return pattern == value
    return matches_generic(pattern, value.rstrip(" \0"))


def matches_generic(pattern: str, value: str) -> bool:
    """Whether *value* is one that *pattern* with ``*`` and ``?`` stands for.

    Steps: at most the product of the lengths, which are those of MQ fields; no recursion.
    """
    at = here = 0
    star, resume = -1, 0
    while here < len(value):
        sign = pattern[at : at + 1]
        if sign == "*":
            star, resume = at, here
            at += 1
        elif sign and sign in ("?", value[here]):
            at += 1
            here += 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")


class Shadow(NamedTuple):
    """A rule that can never be hit, and the earlier one that takes all it would take."""

    rule: TableRule
    by: TableRule


def shadowed(rules: Sequence[TableRule]) -> list[Shadow]:
    """Rules that can never be hit.

    Only what is certain: the earlier rule must be final (DISCARD, IGNORE), since after a put that
    failed the later one is tried, and each of its patterns must visibly be the wider one. So that
    a table of any length costs little, equal patterns are found everywhere, wider ones only among
    the first 100 final rules.
    """
    shadows: list[Shadow] = []
    wide: list[TableRule] = []
    equal: dict[frozenset[tuple[str, Pattern]], TableRule] = {}
    for rule in rules:
        patterns = frozenset((*rule.patterns.items(), ("where", rule.where)))
        by = equal.get(patterns) or next(
            (earlier for earlier in wide if _takes_all_of(earlier, rule)), None
        )
        if by is not None:
            shadows.append(Shadow(rule, by))
        elif rule.action.is_final and rule.max_retries is None:
            equal[patterns] = rule
            if len(wide) < _MOST_WIDE:
                wide.append(rule)
    return shadows


def _takes_all_of(wide: TableRule, narrow: TableRule) -> bool:
    return wide.where in ("", narrow.where) and all(
        key in narrow.patterns and _covers(pattern, narrow.patterns[key])
        for key, pattern in wide.patterns.items()
    )


def _covers(wide: Pattern, narrow: Pattern) -> bool:
    """Whether *wide* certainly takes all that *narrow* takes."""
    if wide == narrow:
        return True
    if isinstance(narrow, tuple):
        return all(_covers(wide, choice) for choice in narrow)
    if isinstance(wide, tuple):
        return any(_covers(choice, narrow) for choice in wide)
    if isinstance(wide, int) or isinstance(narrow, int):
        return False
    if not set(narrow) & set("*?"):
        return matches_generic(wide, narrow)
    stem, star, rest = wide.partition("*")
    head = narrow.partition("*")[0]
    if not star or rest or len(head) < len(stem):
        return False
    return all(sign in ("?", other) for sign, other in zip(stem, head, strict=False))
