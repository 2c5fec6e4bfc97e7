"""A condition as a selection string of IBM MQ, where that can say the same.

Fields of the descriptor are ``Root.MQMD.Format``, spelled as in C, ids are byte strings
(``"0x41..."``), properties go by their own names. A selector knows nothing of MQDLH, delay header,
length or body, and PutDate and PutTime are two texts there: such a condition has none. Texts have
no order in it.

IBM does not say whether a text of the descriptor compares with the blanks that fill its field;
programs are seen to write ``IN`` lists of names filled up, others write them without. So both forms
are listed, and LIKE is only said of what may go on after it.

Sources: IBM MQ documentation, "Message descriptor fields as properties", "Message selector syntax".
"""

from __future__ import annotations

import re
from typing import Final

from mqtriage.messages.filters.expression import (
    And,
    Between,
    Compare,
    Expression,
    In,
    IsNull,
    Like,
    Not,
    Or,
    Value,
)
from mqtriage.messages.filters.fields import FIELDS
from mqtriage.mq.descriptor import described_fields

_FIELDS: Final = {
    spec.name: described_fields()[spec.attribute.removeprefix("md.")]
    for spec in FIELDS
    if spec.attribute.startswith("md.")
}
_BYTES: Final = {name: field.length for name, field in _FIELDS.items() if field.kind == "c"}
"""Texts of the descriptor, with the length of their fields."""
_PROPERTY: Final = re.compile(r"prop\.([A-Za-z_$][A-Za-z0-9_$]*)\Z")
_WORDS: Final = frozenset(
    {"NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "NULL", "TRUE", "FALSE"}
)


def selector_text(tree: Expression) -> str | None:
    """The selection string, or None where none says the same."""
    match tree:
        case And(parts) | Or(parts):
            texts = [selector_text(part) for part in parts]
            word = " AND " if isinstance(tree, And) else " OR "
            known = [
                f"({text})" if isinstance(part, And | Or) else text
                for part, text in zip(parts, texts, strict=True)
                if text is not None
            ]
            return word.join(known) if len(known) == len(parts) else None
        case Not(part):
            text = selector_text(part)
            return None if text is None else f"NOT ({text})"
        case _:
            return _leaf(tree)


def _leaf(leaf: Expression) -> str | None:
    name = _name(getattr(leaf, "field", ""))
    if name is None:
        return None
    match leaf:
        case Compare(field, op, str() as value) if field in _BYTES:
            listed = f"{name} IN ({_filled(field, value)})"
            return {"=": listed, "<>": f"NOT ({listed})"}.get(op)
        case In(field, values) if values and field in _BYTES:
            return f"{name} IN ({', '.join(_filled(field, str(value)) for value in values)})"
        case Compare(_, op, str() | bytes() | bool()) if op not in ("=", "<>"):
            return None
        case Between(_, str() | bytes(), _):
            return None
        case Compare(_, op, value):
            text = _literal(value)
            return None if text is None else f"{name} {op} {text}"
        case In(_, values) if values and all(isinstance(value, str) for value in values):
            return f"{name} IN ({', '.join(str(_literal(value)) for value in values)})"
        case In(field, values) if values:  # IN takes texts alone
            return selector_text(Or(tuple(Compare(field, "=", value) for value in values)))
        case Between(_, low, high):
            first, last = _literal(low), _literal(high)
            return None if None in (first, last) else f"{name} BETWEEN {first} AND {last}"
        case Like(field, pattern, _) if field in _BYTES and not pattern.endswith("%"):
            return None
        case Like(_, pattern, escape) if not name.endswith("Id"):
            tail = f" ESCAPE {_literal(escape)}" if escape else ""
            return f"{name} LIKE {_literal(pattern)}{tail}"
        case IsNull() if not name.startswith("Root."):
            return f"{name} IS NULL"
    return None


def _name(field: str) -> str | None:
    if field in _FIELDS:
        return f"Root.MQMD.{_FIELDS[field].name}"
    match = _PROPERTY.match(field)
    return match[1] if match is not None and match[1].upper() not in _WORDS else None


def _filled(field: str, value: str) -> str:
    """The text as it is and filled up with blanks, where that is another one."""
    return ", ".join(dict.fromkeys(str(_literal(t)) for t in (value, value.ljust(_BYTES[field]))))


def _literal(value: Value) -> str | None:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        return f'"0x{value.hex().upper()}"'
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return None
