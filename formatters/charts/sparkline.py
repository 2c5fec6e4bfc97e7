"""A row of numbers as a row of bars, the newest at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BARS: Final = "▁▂▃▄▅▆▇█"
_ASCII: Final = "_.-=+*#@"


def sparkline(numbers: Sequence[float], width: int, *, is_unicode: bool = True) -> str:
    """The last *width* numbers, each one character high by its share of the greatest of them.

    Zero is the lowest bar, and so is everything where all are zero.
    """
    shown = list(numbers)[-width:]
    most = max(shown, default=0)
    bars = BARS if is_unicode else _ASCII
    if most <= 0:
        return bars[0] * len(shown)
    top = len(bars) - 1
    return "".join(bars[min(top, max(0, round(number / most * top)))] for number in shown)
