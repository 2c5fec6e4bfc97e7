"""The MQSC commands of MQ 9.4 and 10.0: verbs, object types, abbreviations, platforms.

They stand in verbs.tsv. Source: IBM MQ 9.4 "MQSC commands reference" (one page a command; the
synonym is given there).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from mqtriage.mq.name_table import rows

_ROWS: Final = tuple(rows("mqsc/verbs.tsv"))
_TYPES: Final = {cells[0]: cells[2].split() for cells in _ROWS if len(cells) == 3}
_MARKS: Final = {
    (verb, marked.rstrip("!*+")): marked for verb, types in _TYPES.items() for marked in types
}

VERBS: Final[Mapping[str, frozenset[str]]] = {
    verb: frozenset(marked.rstrip("!*+") for marked in types) for verb, types in _TYPES.items()
}
"""Verb to the object types it takes; END, EXIT and QUIT take none."""

LEAVING: Final = frozenset({"END", "EXIT", "QUIT"})

VERB_BY_WORD: Final[Mapping[str, str]] = {
    word: cells[0] for cells in _ROWS if len(cells) == 3 for word in (cells[0], *cells[1].split())
}
NOUN_BY_WORD: Final[Mapping[str, str]] = {noun: noun for _, noun in _MARKS} | {
    word: cells[0] for cells in _ROWS if len(cells) == 2 for word in cells[1].split()
}

SEVERAL_NAMES: Final = frozenset(
    {("RECOVER", "CFSTRUCT"), ("RECOVER", "QMGR"), ("RVERIFY", "SECURITY")}
)
"""Commands whose object type takes a list of names, or words: RECOVER QMGR(TUNE CAPEXPRY ON).

Source: IBM MQ 8.0 "Enforcing lower expiration times" (q097495_): RECOVER QMGR is reserved for IBM.
"""


@cache
def _parameters() -> Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]]:
    return {
        (cells[0], cells[1]): {
            keyword: tuple(words.split(",")) if words else ()
            for keyword, _, words in (cell.partition("=") for cell in cells[2].split())
        }
        for cells in rows("mqsc/parameters.tsv")
        if len(cells) == 3
    }


def parameters_of(verb: str, noun: str) -> frozenset[str] | None:
    """What IBM documents that a command takes, beside attributes; None where no table says so."""
    known = _parameters().get((verb, noun))
    return None if known is None else frozenset(known)


def words_of(verb: str, noun: str, keyword: str) -> Mapping[str, str]:
    """The words that a parameter may have, with "zos" or "dist" for one that only that one has.

    Empty for a parameter with other values, and where no table says so.
    """
    marked = _parameters().get((verb, noun), {}).get(keyword, ())
    return {word.rstrip("*+"): _only(word) for word in marked}


def needs_name(verb: str, noun: str) -> bool:
    """Whether the object type must be followed by a name in parentheses."""
    return "!" in _MARKS.get((verb, noun), "")


def only_platform(verb: str, noun: str) -> str:
    """ "zos" or "dist" for a command that only that platform has, "" for the others."""
    return _only(_MARKS.get((verb, noun), ""))


def _only(marked: str) -> str:
    return "zos" if "*" in marked else "dist" if "+" in marked else ""
