"""A row of numbers as a line of characters: the higher the number, the darker or higher one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SHADES: Final = ".:-=+*#%@"
"""From none to the most; no blanks, which a table cell would lose at its ends."""

BARS: Final = "▁▂▃▄▅▆▇█"
_ASCII: Final = "_.-=+*#@"


def heat_line(counts: Sequence[int], width: int) -> str:
    """*counts* as at most *width* characters.

    Args:
        counts: one number, 0 or more, for each span of time.
        width: characters at hand, 1 or more; of more numbers neighbours are added up.
    """
    cells = folded(counts, width)
    most = max(cells, default=0)
    top = len(SHADES) - 1
    # rounded up so that something is never shown as nothing
    return "".join(SHADES[min(top, -(-cell * top // most)) if cell > 0 else 0] for cell in cells)


def folded(counts: Sequence[int], width: int) -> list[int]:
    """*counts* with neighbours added up so that at most *width* are left; the sum stays."""
    span = max(1, -(-len(counts) // width))
    return [sum(counts[at : at + span]) for at in range(0, len(counts), span)]


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
