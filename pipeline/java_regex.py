"""A regular expression of Python as one of Java that finds the same, for what Spark runs.

The pattern is read by Python's own parser and written anew, so that nothing that Java reads
otherwise (``[a[b]]``, ``$``, ``\\Z``, ``(?P<n>``, POSIX classes) slips through.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from mqtriage.mq.errors import UsageError

_PLACES: Final = {
    "AT_BEGINNING": "^", "AT_BEGINNING_STRING": "\\A", "AT_END": "$", "AT_END_STRING": "\\z",
    "AT_BOUNDARY": "\\b", "AT_NON_BOUNDARY": "\\B",
}  # fmt: skip
_CLASSES: Final = {
    "CATEGORY_DIGIT": "\\d", "CATEGORY_NOT_DIGIT": "\\D", "CATEGORY_SPACE": "\\s",
    "CATEGORY_NOT_SPACE": "\\S", "CATEGORY_WORD": "\\w", "CATEGORY_NOT_WORD": "\\W",
}  # fmt: skip
_IGNORECASE, _MULTILINE, _DOTALL, _ASCII = 2, 8, 16, 256


def java_regex(pattern: str) -> str:
    """The pattern for Java.

    Raises:
        UsageError: It uses what cannot be said there: back references and conditions.
    """
    # re.compile has checked the pattern before; the parser is a private part of `re` since 3.11
    parser: Any = import_module("re._parser")
    tree = parser.parse(pattern)
    flags = tree.state.flags
    letters = "d"  # only \n ends a line, as in Python
    letters += "i" if flags & _IGNORECASE else ""
    letters += "m" if flags & _MULTILINE else ""
    letters += "s" if flags & _DOTALL else ""
    letters += "" if flags & _ASCII else "uU"
    return f"(?{letters}){_written(tree)}"


def _written(tree: Any) -> str:
    return "".join(_node(str(kind), value) for kind, value in tree)


def _node(kind: str, value: Any) -> str:
    match kind:
        case "LITERAL":
            return _character(value)
        case "NOT_LITERAL":
            return f"[^{_character(value)}]"
        case "ANY":
            return "."
        case "IN":
            return _set(value)
        case "AT" if str(value) in _PLACES:
            return _PLACES[str(value)]
        case "BRANCH":
            return "(?:" + "|".join(_written(branch) for branch in value[1]) + ")"
        case "SUBPATTERN":
            _, add, remove, inner = value
            return f"(?{_flag_letters(add, remove)}:{_written(inner)})"
        case "ATOMIC_GROUP":
            return f"(?>{_written(value)})"
        case "ASSERT" | "ASSERT_NOT":
            direction, inner = value
            sign = ("<" if direction < 0 else "") + ("=" if kind == "ASSERT" else "!")
            return f"(?{sign}{_written(inner)})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, inner = value
            most = "" if str(high) == "MAXREPEAT" else str(int(high))
            mode = {"MAX_REPEAT": "", "MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}[kind]
            return f"(?:{_written(inner)}){{{low},{most}}}{mode}"
        case _:
            raise UsageError(f"a regular expression with {kind.lower()} cannot run on Spark")


def _flag_letters(add: int, remove: int) -> str:
    def letters(flags: int) -> str:
        pairs = ((_IGNORECASE, "i"), (_MULTILINE, "m"), (_DOTALL, "s"))
        return "".join(letter for flag, letter in pairs if flags & flag)

    return letters(add) + (f"-{letters(remove)}" if letters(remove) else "")


def _set(items: Any) -> str:
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    parts = [_item(str(kind), value) for kind, value in items[1 if negated else 0 :]]
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _item(kind: str, value: Any) -> str:
    match kind:
        case "LITERAL":
            return _character(value)
        case "RANGE":
            return f"{_character(value[0])}-{_character(value[1])}"
        case "CATEGORY" if str(value) in _CLASSES:
            return _CLASSES[str(value)]
        case _:
            raise UsageError(f"a regular expression with {kind.lower()} cannot run on Spark")


def _character(code: int) -> str:
    """A character that means itself, inside a class and out of one."""
    text = chr(code)
    if text.isascii() and text.isalnum():
        return text
    return f"\\x{{{code:x}}}"
