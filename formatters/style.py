"""How a result is to be shown: the values of the output options and of the terminal."""

from __future__ import annotations

from typing import Final

from mqtriage.model.output_forms import FORMS, IDS, MQSC
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

_LACKS: Final = dict.fromkeys(FORMS, "is not available in this format") | {
    IDS: "has no MsgId",
    MQSC: "contains no definitions",
}


def unfit(form: str) -> UsageError:
    """The error where the result of a command cannot be shown in a form, as ``ids`` or ``mqsc``."""
    return UsageError(
        f"-o {form}: the result of this command {_LACKS[form]}", hint="try -o plain or -o json"
    )


class Style(NamedTuple):
    """What the formatters need to know; nothing else is asked of the environment.

    Attributes:
        form: one of `FORMS`.
        columns: JSON keys or headings to show, in this order; empty means the default ones.
        sort: JSON key or heading to sort by, or None for the order of the queue.
        descending: greatest first; missing values stay last.
        limit: greatest number of records to show, or None.
        header: whether lists in text forms have a heading line.
        raw_csv: whether ``csv`` leaves a text alone that a spreadsheet would take for a formula.
        wide: also show the fields that are marked `wide`.
        utc: times in UTC; otherwise in the local time zone.
        width: columns of the terminal, used by ``table`` only.
        colour: whether escape codes may be written.
        context, queue_manager: names for the JSON wrapper.
        at_us: moment of the command, microseconds since 1970 UTC.
        is_tty: standard output is a terminal: each line is flushed, JSON documents are indented.
    """

    form: str
    columns: tuple[str, ...] = ()
    sort: str | None = None
    descending: bool = False
    limit: int | None = None
    header: bool = True
    raw_csv: bool = False
    wide: bool = False
    utc: bool = True
    width: int = 80
    colour: bool = False
    context: str | None = None
    queue_manager: str | None = None
    at_us: int = 0
    is_tty: bool = False
