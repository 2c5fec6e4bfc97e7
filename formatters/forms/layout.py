"""How wide each column of a table becomes, and what gives way when the terminal is narrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from mqtriage.model.result import Field, Show

GAP: Final = 2
"""Blanks between two columns."""
ID_TAILS: Final = (17, 13, 9)
"""Widths of a shortened identifier: an ellipsis and 8, 6 or 4 bytes of the end."""
SHORT_NAMES: Final = (24, 12)
"""Characters that a name other than the first is shortened to, in its middle."""
NARROW_TEXT: Final = 16
NARROWEST_TEXT: Final = 12
CLOCK: Final = 12
"""``11:05:00.12Z``, the longer part of a time folded at its blank."""

_FOLDS: Final = (
    (Show.TEXT, NARROW_TEXT),
    (Show.TIME, CLOCK),
    (Show.TEXT, NARROWEST_TEXT),
)


def natural_widths(
    fields: Sequence[Field],
    rows: Iterable[Sequence[str]],
    *,
    complete: bool,
    measure: Callable[[str], int] = len,
) -> list[int]:
    """The width that each column would like: its widest cell or its heading.

    Args:
        rows: the cells of the first records.
        complete: there are no other records; else what the fields reserve is added.
    """
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    return [
        max(
            measure(field.heading),
            0 if complete else field.width,
            max(map(measure, cells), default=0),
        )
        for field, cells in zip(fields, columns, strict=True)
    ]


def kept(
    fields: Sequence[Field],
    natural: Sequence[int],
    width: int,
    empty: Collection[int] = (),
) -> list[int]:
    """The columns that stay when all of them are too wide: their numbers, in order.

    Identifiers may be shortened; before anything is folded the columns that yield are left out,
    those that are *empty*, then the highest `Field.yields` first, no more than is needed: what
    fits once a wide one is gone comes back.

    Args:
        empty: numbers of columns without a value.
    """

    def fits(numbers: Sequence[int]) -> bool:
        chosen = [fields[n] for n in numbers]
        return fitted(chosen, [natural[n] for n in numbers], width, fold=False) is not None

    numbers = list(range(len(fields)))
    gone: list[int] = []
    yielding = (n for n in numbers if fields[n].yields)
    for number in sorted(yielding, key=lambda n: (n not in empty, -fields[n].yields)):
        if fits(numbers):
            break
        numbers.remove(number)
        gone.insert(0, number)
    for number in gone if fits(numbers) else ():
        if fits(more := sorted((*numbers, number))):
            numbers = more
    return numbers


def fitted(
    fields: Sequence[Field],
    natural: Sequence[int],
    width: int,
    *,
    fold: bool = True,
    whole: bool = False,
) -> tuple[int, ...] | None:
    """Fit the columns into *width*; what gives way first stands first.

    1. identifiers are shortened to their tail, longest tail first,
    2. text is folded at NARROW_TEXT characters, the widest column first,
    3. times are folded between date and time,
    4. text is folded at NARROWEST_TEXT characters,
    5. names are shortened to SHORT_NAMES characters, but for the first: that is what a record is
       about.

    Args:
        fold: whether 2 to 5 may be done.
        whole: whether only 2 may be done, which leaves every value as it is.

    Returns:
        The width of each column; None when even then they do not fit: each record is then shown
        as a block of lines.
    """
    room = width - GAP * (len(fields) - 1)
    for tail in (max(natural, default=0), *(() if whole else ID_TAILS)):
        widths = [
            min(wish, max(tail, len(field.heading))) if field.show is Show.ID else wish
            for field, wish in zip(fields, natural, strict=True)
        ]
        if sum(widths) <= room:
            return tuple(widths)
    for show, floor in _FOLDS[:1] if whole else _FOLDS if fold else ():
        _fold(widths, fields, room, show, floor)
        if sum(widths) <= room:
            return tuple(widths)
    lesser = [n for n, field in enumerate(fields) if field.show is Show.NAME][1:]
    for floor in SHORT_NAMES if fold and not whole else ():
        least = {n: max(len(fields[n].heading), floor) for n in lesser}
        _take_from_the_widest(widths, least, room)
        if sum(widths) <= room:
            return tuple(widths)
    return None


def _take_from_the_widest(widths: list[int], least: dict[int, int], room: int) -> None:
    """Narrow the columns of *least*, the widest first, no more than is needed."""
    while (excess := sum(widths) - room) > 0:
        able = [n for n, low in least.items() if widths[n] > low]
        if not able:
            return
        widest = max(able, key=lambda n: widths[n])
        next_widest = max((widths[n] for n in able if n != widest), default=0)
        step = max(1, widths[widest] - next_widest)
        widths[widest] -= min(step, excess, widths[widest] - least[widest])


def _fold(widths: list[int], fields: Sequence[Field], room: int, show: Show, floor: int) -> None:
    """Take from the columns of kind *show*, the widest first, no more than is needed."""
    least = {n: max(len(f.heading), floor) for n, f in enumerate(fields) if f.show is show}
    if show is not Show.TIME:
        _take_from_the_widest(widths, least, room)
        return
    for n in sorted(least, key=lambda n: -widths[n]):
        if sum(widths) > room:  # there is one place to fold a time; half of it gains nothing
            widths[n] = min(widths[n], least[n])
