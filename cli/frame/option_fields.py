"""Dataclass fields that describe options: the vocabulary in which option groups are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["flag", "pair", "text", "number", "once", "many", "several"]
"""How an option is given: a flag; a pair of flags; text or a number, the last one counts; text
once, given twice and different is wrong usage; text many times; several texts, each by itself or
with commas between them."""

TYPES: Mapping[Kind, Any] = {
    "flag": bool,
    "pair": bool | None,
    "text": str | None,
    "number": int | None,
    "once": list[str] | None,
    "many": list[str] | None,
    "several": list[str] | None,
}

OPT: Final = "opt"
"""Key of the `Opt` in a field's metadata."""


class Opt(NamedTuple):
    """How one field of a group looks on the command line.

    Attributes:
        early: also accepted before the group (`mqtriage -m QM1 queue ls`).
        rare: the help of a verb leaves it out; that of the program and mqtriage(1) have it.
        minimum: smallest number accepted.
    """

    names: tuple[str, ...]
    help: str
    kind: Kind
    metavar: str | None = None
    early: bool = False
    minimum: int | None = None
    rare: bool = False


def flag(*names: str, help: str, early: bool = False) -> Any:
    """An option without a value."""
    return field(default=False, metadata={OPT: Opt(names, help, "flag", early=early)})


def pair(names: str, help: str) -> Any:
    """Two flags, ``--yea/--nay``; None when neither is given."""
    return field(default=None, metadata={OPT: Opt((names,), help, "pair")})


def text(*names: str, metavar: str, help: str, default: str | None = None) -> Any:
    """An option with a text; the last one counts."""
    return field(default=default, metadata={OPT: Opt(names, help, "text", metavar)})


def number(*names: str, metavar: str = "N", help: str, minimum: int = 0) -> Any:
    """An option with a whole number; the last one counts."""
    opt = Opt(names, help, "number", metavar, minimum=minimum)
    return field(default=None, metadata={OPT: opt})


def once(*names: str, metavar: str, help: str, rare: bool = False) -> Any:
    """An option with a text, accepted before the group too; two that differ are wrong usage."""
    opt = Opt(names, help, "once", metavar, early=True, rare=rare)
    return field(default=None, metadata={OPT: opt})


def many(*names: str, metavar: str, help: str) -> Any:
    """An option with a text that may be given many times."""
    return field(default=(), metadata={OPT: Opt(names, help, "many", metavar)})


def several(*names: str, metavar: str, help: str) -> Any:
    """What elsewhere is `once`, for a verb that does its work for each of several."""
    return field(default=(), metadata={OPT: Opt(names, help, "several", metavar, early=True)})
