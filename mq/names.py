"""Names of MQ objects: which characters and lengths are allowed, and generic names.

Source: IBM MQ documentation, "Rules for naming IBM MQ objects" and "Generic values" (MQSC).
Names are case-sensitive and never changed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import UsageError

SYSTEM_TOPIC: Final = "$SYS/MQ"
"""Topic string of SYSTEM.ADMIN.TOPIC, below which queue managers publish about themselves."""
NAME_CHARACTERS: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%"
)
DEAD_LETTER_QUEUE: Final = "SYSTEM.DEAD.LETTER.QUEUE"
"""The one that a queue manager comes with; DEADQ names it only where somebody set that."""
CHANNEL_INITQ: Final = "SYSTEM.CHANNEL.INITQ"
COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
ZOS_COMMAND_QUEUE: Final = "SYSTEM.COMMAND.INPUT"
OWN_PREFIXES: Final = ("SYSTEM.", "AMQ.")
"""How names of the queue manager's own objects and of dynamic queues begin."""
DYNAMIC_PREFIXES: Final = ("AMQ.", "CSQ.")
"""How names of dynamic queues begin where the program gives none of its own; CSQ. on z/OS.

Source: IBM MQ documentation, "DynamicQName (MQCHAR48)" of MQOD.
"""
_OF_APPLICATIONS: Final = frozenset({STAGING_QUEUE, DEAD_LETTER_QUEUE})
"""Queues of the system whose messages are those of applications."""
_LENGTHS: Final = {
    "CHANNEL": 20, "CHLAUTH": 20, "SUB": 10_240, "STGCLASS": 8, "CFSTRUCT": 12
}  # fmt: skip


def name_length(kind: str) -> int:
    """Characters that the name of an object of that kind may have."""
    return _LENGTHS.get(kind, cmqc.MQ_Q_NAME_LENGTH)


def check_name(what: str, length: int, text: str) -> str:
    """Return *text* if a *what* may be called that: 1 to *length* of A-Z a-z 0-9 . / _ %.

    Raises:
        UsageError: Saying how long it is, or which character stands where.
    """
    if not text:
        raise UsageError(f"{what} name is empty", hint=f"1 to {length} of A-Z a-z 0-9 . / _ %")
    if len(text) > length:
        msg = f"{what} name is {len(text)} characters long, MQ allows {length}: {_quote(text)}"
        raise UsageError(msg, object_name=text)
    for position, character in enumerate(text, 1):
        if character not in NAME_CHARACTERS:
            named = "a blank" if character == " " else ascii(character)
            msg = (
                f"{what} name {_quote(text)} has {named} at position {position},"
                " MQ allows A-Z a-z 0-9 . / _ %"
            )
            hint = None
            if character == "*" and position == len(text):
                hint = f"one {what} by its whole name is expected here, not a generic name"
            elif character in "*?":
                hint = "a generic name has one '*' at its end"
            elif character in ":@" and what == "queue":
                hint = (
                    "-m selects the queue manager for all queues of a command; to copy messages to"
                    " another one: mqtriage msg archive QUEUE --out FILE, then mqtriage msg load"
                    " FILE --to QUEUE -m QM"
                )
            raise UsageError(msg, hint=hint, object_name=text)
    return text


check_queue_name: Final = partial(check_name, "queue", cmqc.MQ_Q_NAME_LENGTH)
check_queue_manager_name: Final = partial(check_name, "queue manager", cmqc.MQ_Q_MGR_NAME_LENGTH)


def is_object_name(text: str) -> bool:
    """Whether *text* is 1 to 48 characters, each allowed in a name."""
    return 0 < len(text) <= cmqc.MQ_Q_NAME_LENGTH and NAME_CHARACTERS.issuperset(text)


def check_generic_name(pattern: str) -> str:
    """Return *pattern* if MQSC takes it as a name or generic name: ``A.B``, ``A.*`` or ``*``.

    Raises:
        UsageError: For ``*`` anywhere but at the end, for ``?``, and for what no name can hold.
    """
    stem = pattern.removesuffix("*")
    if "*" in stem:
        position = pattern.index("*") + 1
        msg = (
            f"generic name {_quote(pattern)}: '*' at position {position},"
            " MQSC takes one at the end or alone"
        )
        raise UsageError(msg, hint="for example 'APP.*'")
    if stem or not pattern:
        check_queue_name(stem)
    return pattern


def matches(pattern: str, name: str) -> bool:
    """Whether *name* is named by an MQSC generic name: ``APP.*`` names ``APP.`` and ``APP.IN``.

    Raises:
        UsageError: If *pattern* is no generic name (see `check_generic_name`).
    """
    check_generic_name(pattern)
    return is_like(pattern, name)


def is_like(pattern: str, text: str) -> bool:
    """Whether a text is the one that is asked for, or begins as one with an asterisk at its end."""
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def is_system(name: str) -> bool:
    """Whether the name is that of an object of the queue manager's own."""
    return name.startswith(OWN_PREFIXES)


def is_listed(name: str, pattern: str, *, system: bool = False) -> bool:
    """Whether a listing of queues has it: of ``*`` those of the system are left out.

    The staging queue and the dead-letter queue that a queue manager comes with stay: they hold
    messages of applications.

    Args:
        pattern: what was asked for; any other than ``*`` means what it says.
    """
    return system or pattern != "*" or not is_system(name) or name in _OF_APPLICATIONS


def _quote(text: str) -> str:
    """*text* quoted and made safe for a terminal; a long one is cut."""
    return ascii(text if len(text) <= 64 else text[:61] + "...")


_LOOKED_AT: Final = 8
_SLIP: Final = 2
"""Wrong letters in a name that is meant for another."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of *names* that *name* was probably meant to be: other case, or a slip; else None."""
    from difflib import get_close_matches  # only where something is wrong already

    known = {known.upper(): known for known in names}
    close = get_close_matches(name.upper(), list(known), n=_LOOKED_AT, cutoff=0.75)
    return next((known[other] for other in close if _is_slip(name.upper(), other)), None)


def _is_slip(name: str, other: str) -> bool:
    """Whether each qualifier is the other's with at most two letters wrong, and not most of it."""
    parts, others = name.split("."), other.split(".")
    if len(parts) != len(others):
        return _wrong_letters(name, other) <= _SLIP
    pairs = [
        (_wrong_letters(a, b), max(len(a), len(b))) for a, b in zip(parts, others, strict=True)
    ]
    return sum(wrong for wrong, _ in pairs) <= _SLIP and all(2 * n <= size for n, size in pairs)


def _wrong_letters(name: str, other: str) -> int:
    """Letters to add, drop, replace, or swap with the next one, that make one word of the other."""
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(name, 1):
        before, last, row = row, before, [i]
        for j, expected in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != expected))
            if i > 1 and j > 1 and letter == other[j - 2] and name[i - 2] == expected:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
