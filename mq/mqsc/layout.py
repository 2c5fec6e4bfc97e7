"""Print as runmqsc prints: banner, echo, objects in two columns, counts at the end.

Measured on captures of MQ 7.5 to 9.4: three blanks, the left-hand cell padded to 40 characters, the
right-hand cell behind it. A long cell stands alone on its line: one of 37 characters was seen with
a neighbour, one of 39 (DISPLAY CHLAUTH of a 9.4 queue manager) and longer ones without. Values have
no quotes, a blank value is one blank, a switch is its bare word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.mq.attributes.catalogue import AttributeValue

_CELL: Final = 40
_ALONE: Final = 39
_ECHO_NUMBER: Final = 6
_STARTS_A_LINE: Final = frozenset({"USERLIST"})
"""Seen in DISPLAY CHLAUTH: the cell before it stays alone."""


def cell_text(keyword: str, value: AttributeValue | None) -> str:
    """``BOQNAME( )``, ``MAXDEPTH(5000)``; a value of None is a bare word."""
    if value is None:
        return keyword
    return f"{keyword}({value if value != '' else ' '})"


def layout(cells: Iterable[str]) -> Iterator[str]:
    """Lines of two columns from cells in order."""
    column = ""
    for cell in cells:
        alone = len(cell) >= _ALONE
        if column and (alone or cell.partition("(")[0] in _STARTS_A_LINE):
            yield f"   {column}"
            column = ""
        if alone:
            yield f"   {cell}"
        elif column:
            yield f"   {column:<{_CELL}}{cell}"
            column = ""
        else:
            column = cell
    if column:
        yield f"   {column}"


def banner(queue_manager: str, year: int) -> list[str]:
    """The lines before the first command."""
    return [
        f"5724-H72 (C) Copyright IBM Corp. 1994, {year}.",
        f"Starting MQSC for queue manager {queue_manager}.",
        "",
        "",
    ]


def echo(number: int, command: str) -> list[str]:
    """The command as runmqsc repeats it: the first line numbered, further lines not."""
    first, *more = command.split("\n")
    return [f"{number:>{_ECHO_NUMBER}} : {first}", *(f"{'':{_ECHO_NUMBER}} : {m}" for m in more)]


def footer(read: int, syntax_errors: int, not_processed: int) -> list[str]:
    """The three counts behind the last command.

    The wordings for one and more failures are general knowledge; captures show only the others.
    """
    has = "command has" if syntax_errors == 1 else "commands have"
    valid = "command" if not_processed == 1 else "commands"
    done = (
        f"{_count(not_processed)} valid MQSC {valid} could not be processed."
        if not_processed
        else "All valid MQSC commands were processed."
    )
    return [
        f"{_count(read)} MQSC {'command' if read == 1 else 'commands'} read.",
        f"{_count(syntax_errors)} {has} a syntax error.",
        done,
    ]


def _count(number: int) -> str:
    return {0: "No", 1: "One"}.get(number, str(number))
