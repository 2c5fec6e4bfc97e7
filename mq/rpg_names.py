"""The names that RPG programs on IBM i use for fields and values of the MQI (EX-68).

IBM's pages for RPG call a reason code RC2013, a field MDEXP and a value EIULIM; these are the ones
that the pages on message lifetime use. RCnnnn is read by `mq.code_names.codes_named`.

Source: IBM MQ documentation, IBM i Application Programming Reference (ILE/RPG).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mqtriage.mq.name_table import Value, rows, values
from mqtriage.records import NamedTuple


class RpgName(NamedTuple):
    """The MQI's name of the same thing, its value ("" for a field), and what it means."""

    mqi_name: str
    value: Value
    meaning: str


def rpg_names(text: str) -> dict[str, RpgName]:
    """The entries for an RPG name, or for several with a trailing ``*``: ``ROEXP*``; else none."""
    words = text.strip().upper()
    if words.endswith("*") and len(words) > 2:
        return {name: it for name, it in _names().items() if name.startswith(words[:-1])}
    return {words: _names()[words]} if words in _names() else {}


@cache
def _names() -> Mapping[str, RpgName]:
    return {
        name: RpgName(cells[0], values().get(cells[0], ""), cells[1])
        for name, *cells in rows("rpg_names.tsv")
        if cells
    }
