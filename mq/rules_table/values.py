"""Values of a rules table: numbers with their symbolic names, generic names, choices.

Each function returns the value, or a `Bad` that says why there is none.
Source: IBM MQ documentation, "Rules table conventions" and "Patterns and actions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.name_table import numbers
from mqtriage.mq.names import NAME_CHARACTERS, is_object_name
from mqtriage.records import NamedTuple

NUMBER_PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "APPLTYPE": ("MQAT_",),
    "FEEDBACK": ("MQFB_", "MQRC_"),
    "MSGTYPE": ("MQMT_",),
    "PERSIST": ("MQPER_",),
    "REASON": ("MQRC_", "MQFB_"),
}
_UNQUOTED: Final = NAME_CHARACTERS | frozenset("*?")
_MOST: Final = 999_999_999


class Bad(NamedTuple):
    """Why there is no value, and what was expected."""

    why: str
    expected: str


def code(value: str, prefixes: tuple[str, ...]) -> int | Bad:
    """A number, or a name with one of *prefixes*."""
    expected = f"a number, *, or a name that begins with {' or '.join(prefixes)}"
    word = value.upper()
    if not word.startswith("MQ"):
        number = _integer(word)
        if number is None:
            generic = set(word) & set("*?")
            why = "is generic, which a number cannot be" if generic else "is not a number"
            return Bad(why, expected)
        return number
    if not word.startswith(prefixes):
        return Bad("is a name of another field", expected)
    return numbers().get(word, Bad("is an unknown name", expected))


def _integer(word: str) -> int | None:
    digits = word[1:] if word[:1] in ("+", "-") else word
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) >= 1 << 31:
        return None
    return int(word)


def count(value: str) -> int | Bad:
    """A number from 1 to 999999999."""
    number = _integer(value)
    if number is None or not 1 <= number <= _MOST:
        return Bad("is not in range", f"a number from 1 to {_MOST}")
    return number


def choice(value: str, *allowed: str) -> str | Bad:
    """One of the words, in any case of letters."""
    word = value.upper()
    return word if word in allowed else Bad("is not one of its values", " or ".join(allowed))


def wait_value(value: str) -> str | Bad:
    """What WAIT says: YES, NO, or seconds in digits."""
    if value.isascii() and value.isdigit() and len(value) <= 9:
        return value
    word = choice(value, "YES", "NO")
    return Bad(word.why, "YES, NO or seconds in digits") if isinstance(word, Bad) else word


def generic_name(value: str, quoted: bool, length: int) -> str | Bad:
    """A name with ``*`` and ``?`` for a field of *length* characters; upper case unless quoted."""
    if len(value) - value.count("*") > length:
        return Bad("is too long", f"at most {length} characters")
    # a run of * says no more than one
    value = "".join(c for i, c in enumerate(value) if c != "*" or value[i - 1 : i] != "*")
    if quoted:
        return value
    wrong = next((sign for sign in value if sign not in _UNQUOTED), None)
    if wrong is not None:
        return Bad(f"holds {wrong!r} without quotes", f"it in quotes: '{value[:64]}'")
    return value.upper()


def object_name(value: str) -> str | Bad:
    """The name of a queue or queue manager, or "" for a blank one; taken as it is."""
    if value and not is_object_name(value):
        return Bad("is not a name", f"1 to {cmqc.MQ_Q_NAME_LENGTH} of A-Z a-z 0-9 . / _ %, or ' '")
    return value


def forward_name(value: str, quoted: bool, suffix: str) -> str | Bad:
    """A name or ``&DEST`` and ``&REPLY`` with *suffix* ("Q", "QM"); upper case unless quoted."""
    word = value if quoted else value.upper()
    if word.startswith("&"):
        variables = (f"&DEST{suffix}", f"&REPLY{suffix}")
        return choice(word, *variables, "a name")
    return object_name(word)
