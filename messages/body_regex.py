"""Regular expressions over message data that cannot keep a command busy for ever.

Patterns are Python's (`re`). That engine backtracks, so before a pattern is used its worst case
is worked out from its text, conservatively:

- A repeat (``*``, ``+``, ``{m,n}``) around something that can itself match in more than one way -
  another repeat, ``?`` or ``|`` - may take exponential time and is refused, as are
  back-references. A possessive inner repeat (``a++``) or an atomic group is allowed.
- n text characters then cost about ways * n**p / p! steps. p is 1, and 1 more for each repeat that
  competes with what follows it (``\\d+:`` does not compete, ``.*:`` does), and 1 more for a repeat
  behind the last of those; *ways* counts optional parts and alternatives. Text is searched up to
  the length at which that reaches `BUDGET_STEPS`, a second or two; a pattern for which that is
  under `LEAST_CHARACTERS` is refused.

A run has a budget as well (`RegexBudget`): a second for each of a million messages is too much.

What lies behind that length is not known: the message is selected neither by the pattern nor by
its negation, unless the pattern was found before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import factorial
from typing import Final

from mqtriage.mq.errors import Refused, UsageError
from mqtriage.records import NamedTuple

BUDGET_STEPS: Final = 200_000_000
LEAST_CHARACTERS: Final = 1_000
LONGEST_PATTERN: Final = 1_000
WHOLE: Final = 1 << 40
"""The length to which a pattern without repeats is searched: all of it."""
RUN_S: Final = 60.0
"""What a run may spend beyond `SECONDS_A_CHARACTER`."""
SECONDS_A_CHARACTER: Final = 5e-7
"""Ten times what a pattern takes that looks at each character once."""
REGEX_HINT: Final = "make an inner repeat or | possessive, a++ or (?>a|b), or use --body-contains"
_REPEAT: Final = re.compile(r"(?:([*+?])|\{([0-9]*)(?:(,)([0-9]*))?\})([+?]?)")
_ATOM: Final = re.compile(
    r"\[\^?\]?(?:[^\]\\]|\\.)*+\]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\N\{[^}]*+\}|\\0[0-7]{0,2}|\\.|[^\\]",
    re.DOTALL,
)
_BACK_REFERENCE: Final = re.compile(r"\\[1-9]")
_LOOK: Final = re.compile(r"\(\?(?:<?[=!]|>|P?<\w+>|[aiLmsux-]*:)?|\(")
_MANY: Final = 16
"""A {m,n} that leaves more choices than this counts as unbounded."""

_SLOW: Final = 10
"""Steps that one round of a lazy repeat, or of a repeated group, costs beside a plain repeat."""


class Search(NamedTuple):
    """A pattern that may be used."""

    regex: re.Pattern[str]
    characters: int

    def matches(self, text: str) -> bool | None:
        """Whether it is in *text*; None when only the first part could be searched, in vain."""
        if self.regex.search(text, 0, self.characters):
            return True
        return False if len(text) <= self.characters else None


class RegexBudget:
    """What the patterns of one run may spend together on all its texts.

    The longer the texts, the more: only what is spent on trying again counts in the end.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin a run.

        Args:
            clock: processor time of this thread in seconds.
        """
        self._clock = clock
        self._spent_s = 0.0
        self._allowed_s = RUN_S
        self._texts = 0

    def kept(self, search: Search) -> Callable[[str], bool | None]:
        """`Search.matches` that keeps to the budget; itself where nothing is tried again.

        Raises:
            Refused: By the function: it is spent.
        """
        return search.matches if search.characters == WHOLE else lambda text: self._in(text, search)

    def _in(self, text: str, search: Search) -> bool | None:
        begun_s = self._clock()
        matches = search.matches(text)
        self._spent_s += self._clock() - begun_s
        self._allowed_s += min(len(text), search.characters) * SECONDS_A_CHARACTER
        self._texts += 1
        if self._spent_s > self._allowed_s:
            raise Refused(
                f"regular expression {_quote(search.regex.pattern)}: {self._spent_s:.0f} s were"
                f" spent on the first {self._texts} messages, {self._allowed_s:.0f} s are allowed",
                hint="say what ends a repeat: [^,]*, in place of .*, or select fewer messages",
            )
        return matches


def _quote(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:60] + "...")


@cache
def search_for(pattern: str, *, what: str = "regular expression") -> Search:
    """Compile *pattern* and work out its limit.

    Raises:
        UsageError: Not a regular expression, or one whose worst case is too slow.
    """
    shown = _quote(pattern)
    if len(pattern) > LONGEST_PATTERN:
        msg = f"{what} {shown}: {len(pattern)} characters, {LONGEST_PATTERN} are allowed"
        raise UsageError(msg)
    if not pattern:
        raise UsageError(f"{what}: empty, it would match every text")
    try:
        regex = _compiled(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{what} {shown}: {error}") from error
    cost = _Cost(pattern)
    if cost.refusal:
        raise UsageError(f"{what} {shown}: {cost.refusal}", hint=REGEX_HINT)
    characters = _limit(cost)
    if characters < LEAST_CHARACTERS:
        msg = f"{what} {shown}: its repeats and choices compete, it could take very long"
        raise UsageError(msg, hint="say what ends a repeat: [^,]*, in place of .*,")
    return Search(regex, characters)


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Without Python's own words on standard error about what ``[[`` may mean one day."""
    import warnings

    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        return re.compile(pattern, flags)


def _limit(cost: _Cost) -> int:
    if not cost.repeats:
        return WHOLE if cost.ways == 1 else BUDGET_STEPS // cost.ways
    power = 1 + cost.competing + cost.clear_behind
    return int((BUDGET_STEPS * factorial(power) / cost.ways) ** (1 / power))


class _Cost:
    """Reads a pattern once and counts what backtracking could try.

    Attributes:
        competing: those whose characters may also begin what follows.
        clear_behind: 1 when a repeat that does not compete stands behind the last that does.
        ways: product of the choices that bounded repeats and alternatives leave.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.repeats = 0
        self.competing = 0
        self.clear_behind = 0
        self.ways = 1
        self.refusal = ""
        self.branching: list[bool] = [False]
        """For each open group: whether it can match in more than one way."""
        self.atomic: list[bool] = [False]
        position = 0
        while position < len(pattern) and not self.refusal:
            position = self._step(position)

    def _step(self, at: int) -> int:
        """Read one element and the repeat behind it; return where the next begins."""
        character = self.pattern[at]
        if character == "(":
            return self._open(at)
        if character == "|":
            self.ways = min(self.ways * 2, WHOLE) if len(self.branching) > 1 else self.ways + 1
            self.branching[-1] = True
            return at + 1
        if character == ")":
            inner, atomic = self.branching.pop(), self.atomic.pop()
            inner = inner and not atomic
            return self._repeat(at + 1, group_branches=inner, atom="")
        atom = _ATOM.match(self.pattern, at)
        if atom is None:
            self.refusal = "cannot be read"
            return at + 1
        if _BACK_REFERENCE.match(atom[0]):
            self.refusal = "back-references are not allowed"
        return self._repeat(atom.end(), group_branches=False, atom=atom[0])

    def _open(self, at: int) -> int:
        opening = _LOOK.match(self.pattern, at)
        assert opening is not None
        if self.pattern.startswith(("(?P=", "(?("), at):
            self.refusal = "back-references are not allowed"
        if self.pattern.startswith("(?#", at):
            return self.pattern.index(")", at) + 1
        flags = re.compile(r"\(\?[aiLmsux]+\)").match(self.pattern, at)
        if flags is not None:
            if "x" in flags[0]:
                self.refusal = "the verbose form (?x) is not read here"
            return flags.end()
        if "x" in opening[0] and opening[0].endswith(":"):
            self.refusal = "the verbose form (?x) is not read here"
        self.branching.append(False)
        self.atomic.append(opening[0] == "(?>")
        return opening.end()

    def _repeat(self, at: int, *, group_branches: bool, atom: str) -> int:
        """Account for the repeat at *at*, if there is one; *atom* is empty after a group."""
        repeat = _REPEAT.match(self.pattern, at)
        if repeat is None or (repeat[1] is None and not (repeat[2] or repeat[4] or repeat[3])):
            self.branching[-1] |= group_branches
            return at
        choices = _choices(repeat)
        fixed = choices == 1
        many = repeat[1] != "?" and not (fixed and repeat[2] in ("", "0", "1"))
        if group_branches and many:
            self.refusal = "a repeat around another repeat, ? or | may take exponential time"
            return repeat.end()
        if repeat[5] == "+":  # possessive: never tried again
            if choices > _MANY:
                self.repeats, self.clear_behind = self.repeats + 1, 1
            return repeat.end()
        self.branching[-1] |= group_branches or not fixed
        if choices > _MANY:
            self.repeats += 1
            if not atom or repeat[5] == "?":
                self.ways = min(self.ways * _SLOW, WHOLE)
            if not (atom and self._ends_clearly(atom, repeat.end())):
                self.competing, self.clear_behind = self.competing + 1, 0
            elif repeat.end() < len(self.pattern):
                self.clear_behind = 1
        else:
            self.ways = min(self.ways * choices, WHOLE)
        return repeat.end()

    def _ends_clearly(self, atom: str, at: int) -> bool:
        """Whether what follows cannot be one of the characters that *atom* repeats."""
        if at == len(self.pattern):
            return True
        following = _ATOM.match(self.pattern, at)
        if following is None or self.pattern[at] in "()|^$" or _REPEAT.match(self.pattern, at):
            return False
        if following[0] in ("\\b", "\\B", "\\A", "\\Z") or _BACK_REFERENCE.match(following[0]):
            return False
        behind = _REPEAT.match(self.pattern, following.end())
        if behind is not None and behind[1] != "+":
            return False
        return not (_characters(atom) & _characters(following[0]))


def _choices(repeat: re.Match[str]) -> int:
    """How many lengths a repeat leaves open; more than `_MANY` when it is unbounded."""
    if repeat[1] is not None:
        return 2 if repeat[1] == "?" else WHOLE
    if repeat[3] is None:
        return 1
    if not repeat[4]:
        return WHOLE
    return int(repeat[4]) - int(repeat[2] or 0) + 1


@cache
def _characters(atom: str) -> frozenset[str]:
    """Which of the first 256 characters, and a few that stand for the others, *atom* matches."""
    sample = [chr(number) for number in range(256)] + ["\u0130", "\u0416", "\u0661", "\u4e00"]
    regex = _compiled(atom, re.IGNORECASE | re.DOTALL)
    return frozenset(character for character in sample if regex.fullmatch(character))
