"""Names that somebody may have meant: a slip of the hand away from what is written."""

from __future__ import annotations

from collections.abc import Container, Iterator
from string import ascii_uppercase, digits
from typing import Final

_TYPED: Final = f"{ascii_uppercase}{digits}._"
_SHORTEST: Final = 5
"""Of names with fewer characters, many are that near to each other."""


def near_name(name: str, known: Container[str], by: str = "") -> str:
    """The one known name that *name* may be a misspelling of, "" for none or several.

    One character is left out, added, another one, or changes places with the next. Digits tell
    names apart on purpose: neither is one added, nor does one stand for another.

    Args:
        by: what refers to it. It is not meant itself, and where it begins as *name* does and the
            known name does not, the names are as their writer wants them.
    """
    if len(name) < _SHORTEST:
        return ""
    near = {one for one in _slips(name) if one in known} - {by, name}
    if len(near) != 1:
        return ""
    (meant,) = near
    return meant if _alike(by, meant) >= _alike(by, name) else ""


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _slips(name: str) -> Iterator[str]:
    for at in range(len(name) + 1):
        before, behind = name[:at], name[at:]
        for letter in _TYPED:
            if letter not in digits:
                yield f"{before}{letter}{behind}"
            if behind and not (letter in digits and behind[0] in digits):
                yield f"{before}{letter}{behind[1:]}"
        if behind and behind[0] not in digits:
            yield f"{before}{behind[1:]}"
        if len(behind) > 1:
            yield f"{before}{behind[1]}{behind[0]}{behind[2:]}"
