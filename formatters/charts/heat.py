"""A line of characters for a row of numbers: the higher the number, the darker the character."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SHADES: Final = ".:-=+*#%@"
"""From none to the most; no blanks, which a table cell would lose at its ends."""


def heat_line(counts: Sequence[int], width: int, peak: int | None = None) -> str:
    """*counts* as at most *width* characters.

    Args:
        counts: one number, 0 or more, for each span of time.
        width: characters at hand; where there are more numbers, neighbours are added up.
        peak: the number that gets the darkest character, to compare lines; None takes the
            greatest of this line, neighbours added up.

    Raises:
        ValueError: If *width* is below 1.
    """
    if width < 1:
        msg = f"a heat line of {width} characters"
        raise ValueError(msg)
    cells = folded(counts, width)
    most = max(cells, default=0) if peak is None else peak
    return "".join(SHADES[_shade(cell, most)] for cell in cells)


def folded(counts: Sequence[int], width: int) -> list[int]:
    """*counts* with neighbours added up so that at most *width* are left; the sum stays."""
    span = max(1, -(-len(counts) // width))
    return [sum(counts[at : at + span]) for at in range(0, len(counts), span)]


def _shade(count: int, peak: int) -> int:
    """0 for none; else 1 to 8, rounded up so that something is never shown as nothing."""
    if count <= 0 or peak <= 0:
        return 0
    return min(len(SHADES) - 1, -(-count * (len(SHADES) - 1) // peak))
