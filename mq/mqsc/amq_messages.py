"""Messages of runmqsc and the control commands, of amq_messages.tsv: read when one is looked up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mqtriage.mq.name_table import rows
from mqtriage.records import NamedTuple


class AmqMessage(NamedTuple):
    """One message: severity letter (I, W, E, S), text after the number, what to do."""

    severity: str
    text: str
    what_to_do: str


@cache
def amq_messages() -> Mapping[int, AmqMessage]:
    """Number to message."""
    return {
        int(cells[0]): AmqMessage(*cells[1:])
        for cells in rows("mqsc/amq_messages.tsv")
        if cells[1:]
    }


def message_named(text: str) -> tuple[int, AmqMessage] | None:
    """Look up ``AMQ8147E``, ``AMQ8147`` or ``amq8147e``; None when it is no message we know.

    The severity letter may be missing or another one: it differs between releases.
    """
    words = text.strip().upper()
    digits = words.removeprefix("AMQ").rstrip("EISTW")
    if not words.startswith("AMQ") or len(digits) not in (4, 5) or digits.strip("0123456789"):
        return None
    message = amq_messages().get(int(digits))
    return None if message is None else (int(digits), message)
