"""Regular expressions over message data that cannot keep a command busy for ever.

Patterns are Python's (`re`). That engine backtracks, so a search is interrupted after `SEARCH_S`,
and all of a run have a budget together: what takes more is refused before anything is done.

google-re2, which does not backtrack, was measured and is not used: it reads ``$``, ``\\s``,
``\\w``, ``\\d``, ``\\b`` and ``[[:alpha:]]`` otherwise, so that what a command selects would depend
on what is installed; it has no ``a++`` and no look-around; and it takes three to four times as long
for patterns that try nothing again, since it encodes each text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from mqtriage.mq.errors import Refused, UsageError

LONGEST_PATTERN: Final = 1_000
SEARCH_S: Final = 5.0
"""Processor time of one search."""
RUN_S: Final = 60.0
"""What a run may spend beyond `SECONDS_A_CHARACTER`."""
SECONDS_A_CHARACTER: Final = 5e-7
"""Ten times what a pattern takes that looks at each character once."""
_HINT: Final = (
    "specify what ends a repeat ([^,]* instead of .*), make an inner repeat possessive (a++), or "
    "select fewer messages"
)
_REPEATS: Final = frozenset("*+?{")

Interrupted: TypeAlias = Callable[[Callable[[], bool], float], bool]
"""Does some work, and raises TimeoutError once it has taken so many seconds."""


class RegexBudget:
    """What the patterns of one run may spend together on all its texts.

    The longer the texts, the more: only what is spent on trying again counts in the end.
    """

    def __init__(self, clock: Callable[[], float], interrupted: Interrupted) -> None:
        """Begin a run; *clock* is the processor time of this thread in seconds."""
        self._clock = clock
        self._interrupted = interrupted
        self._spent_s = 0.0
        self._allowed_s = RUN_S
        self._texts = 0

    def kept(self, regex: re.Pattern[str]) -> Callable[[str], bool]:
        """Whether the pattern is in a text, within the budget.

        Raises:
            Refused: By the function: it is spent.
        """
        if _REPEATS.isdisjoint(regex.pattern):
            return lambda text: regex.search(text) is not None
        return lambda text: self._in(text, regex)

    def _in(self, text: str, regex: re.Pattern[str]) -> bool:
        begun_s = self._clock()
        what = f"regular expression {_quote(regex.pattern)}"
        try:
            is_in = self._interrupted(lambda: regex.search(text) is not None, SEARCH_S)
        except TimeoutError:
            raise Refused(
                f"{what}: more than {SEARCH_S:.0f} s on a text of {len(text)} characters",
                hint=_HINT,
            ) from None
        self._spent_s += self._clock() - begun_s
        self._allowed_s += len(text) * SECONDS_A_CHARACTER
        self._texts += 1
        if self._spent_s > self._allowed_s:
            raise Refused(
                f"{what}: {self._spent_s:.0f} s were spent on the first {self._texts} messages,"
                f" {self._allowed_s:.0f} s are allowed",
                hint=_HINT,
            )
        return is_in


def _quote(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:60] + "...")


@cache
def search_for(pattern: str, *, what: str = "regular expression") -> re.Pattern[str]:
    """Compile *pattern*; refused where it is too long, or none."""
    import warnings

    shown = _quote(pattern)
    if len(pattern) > LONGEST_PATTERN:
        msg = f"{what} {shown}: {len(pattern)} characters, {LONGEST_PATTERN} are allowed"
        raise UsageError(msg)
    if not pattern:
        raise UsageError(f"{what}: empty, it would match every text")
    try:
        # without Python's own words on standard error about what ``[[`` may mean one day
        with warnings.catch_warnings(action="ignore", category=FutureWarning):
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{what} {shown}: {error}") from error
