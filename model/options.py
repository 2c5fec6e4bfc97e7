"""Fields that describe options: the vocabulary in which requests are written.

A request is a frozen dataclass in the room of its command, or the parameters of a verb; each field
says how it is given on a command line, and `cli/frame/verb.py` makes options and arguments of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar, Final, Literal, TypeAlias

from mqtriage.records import NamedTuple

Kind: TypeAlias = Literal[
    "flag", "pair", "text", "number", "decimal", "single", "repeated", "comma_list",
    "argument", "arguments",
]  # fmt: skip
"""How an option is given: a flag; a pair of flags; text or a number, the last one counts; single,
where given twice and different is wrong usage; repeated, many times; a comma list, each by itself
or with commas between them. An argument is a word by its place."""

Completed: TypeAlias = Literal[
    "", "queue", "qmgr", "context", "file", "rule", "form", "origin", "screen", "page",
    "operation", "column", "field", "reason", "snapshot", "archive", "attribute", "key",
    "queue_condition",
]  # fmt: skip
"""What completion offers for a value; origin: that word, and queues; attribute: of a queue, and
key: of a context, each with the = behind it; queue_condition: what WHERE of queues compares."""

Reads: TypeAlias = Literal["", "duration", "expiry", "size", "place"]
"""What a text is read as: a duration in milliseconds, a lifetime in tenths, a size in bytes, or
the name of a file or folder that is written: - is not one."""

OPT: Final = "opt"
"""Key of the `Opt` in a field's metadata."""

REQUIRED: Final[Any] = ...
"""Default of what must be given."""

_METAVARS: Final = {"queue": "QUEUE", "qmgr": "QMGR", "context": "CONTEXT", "file": "FILE"}


class OptionGroup:
    """Base of a dataclass whose options several verbs share.

    Attributes:
        TITLE: their heading in help and manual pages; "" for that of the verb's own.
    """

    __slots__ = ()
    TITLE: ClassVar[str] = ""


class Opt(NamedTuple):
    """How one field looks on the command line.

    Attributes:
        names: option words; none for ``--`` and the name of the field.
        global_: also accepted before the group (`mqtriage -m QM1 queue ls`).
        advanced: the help of a verb leaves it out; that of the program and mqtriage(1) have it.
        minimum, maximum: range of a number, both ends included; the least of a duration.
        completes: what completion offers; *choices* are offered too, and nothing else is taken.
    """

    kind: Kind
    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    global_: bool = False
    advanced: bool = False
    minimum: float | None = None
    maximum: float | None = None
    completes: Completed = ""
    choices: tuple[str, ...] = ()
    show_default: bool = True
    reads: Reads = ""

    def words(self, name: str) -> tuple[str, ...]:
        """The option words of the field *name*."""
        return self.names or (f"--{name.replace('_', '-')}",)


def any_of(words: Sequence[str]) -> str:
    """``a, b or c``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def flag(*names: str, help: str, global_: bool = False, advanced: bool = False) -> Any:
    """An option without a value."""
    return _field(Opt("flag", names, help, global_=global_, advanced=advanced), False)


def pair(names: str, *, help: str, default: bool | None = None) -> Any:
    """Two flags, ``--yea/--nay``; *default* when neither is given."""
    return _field(Opt("pair", (names,), help), default)


def text(*names: str, help: str, default: str | None = None, **more: Any) -> Any:
    """An option with a text; the last one counts."""
    return _valued("text", names, help, default, **more)


def duration(*names: str, help: str, least_ms: int = 0, **more: Any) -> Any:
    """An option with a length of time, written as 500ms or 1h30m; the verb gets milliseconds."""
    more = {"metavar": "DURATION", "default": None} | more
    return text(*names, help=help, reads="duration", minimum=least_ms, **more)


def number(
    *names: str, help: str, minimum: int | None = 0, default: int | None = None, **more: Any
) -> Any:
    """An option with a whole number; the last one counts."""
    return _valued("number", names, help, default, minimum=minimum, **{"metavar": "N"} | more)


def decimal(*names: str, help: str, default: float, **more: Any) -> Any:
    """An option with a number that need not be whole; the last one counts."""
    return _valued("decimal", names, help, default, **more)


def single(*names: str, help: str, **more: Any) -> Any:
    """An option with a text, accepted before the group too; two that differ are wrong usage."""
    return _valued("single", names, help, None, global_=True, **more)


def repeated(*names: str, help: str, **more: Any) -> Any:
    """An option with a text that may be given many times."""
    return _valued("repeated", names, help, (), **more)


def comma_list(*names: str, help: str, **more: Any) -> Any:
    """What elsewhere is `single`, for a verb that does its work for each of several."""
    return _valued("comma_list", names, help, (), global_=True, **more)


def argument(metavar: str = "", *, help: str, default: Any = REQUIRED, **more: Any) -> Any:
    """A word by its place."""
    return _valued("argument", (), help, default, **{"metavar": metavar or None} | more)


def arguments(metavar: str = "", *, help: str, default: Any = (), **more: Any) -> Any:
    """All words from there on."""
    return _valued("arguments", (), help, default, **{"metavar": metavar or None} | more)


def _valued(
    kind: Kind,
    names: tuple[str, ...],
    help: str,
    default: Any,
    *,
    metavar: str | None = None,
    completes: Completed = "",
    choices: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    metavar = metavar or "|".join(choices) or _METAVARS.get(completes)
    opt = Opt(kind, names, help, metavar, completes=completes, choices=choices, **more)
    return _field(opt, default)


def _field(opt: Opt, default: Any) -> Any:
    metadata = {OPT: opt}
    if default is REQUIRED:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)
