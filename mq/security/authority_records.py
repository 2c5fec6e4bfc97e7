"""Authority records as data, and which of them counts for a queue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final

from mqtriage.mq.attributes.catalogue import numbers_of
from mqtriage.mq.errors import UsageError
from mqtriage.records import dataclass

AUTHORITIES: Final = numbers_of("AUTHREC", "AUTHADD")
OBJECT_TYPES: Final = numbers_of("AUTHREC", "OBJTYPE")

_MQI: Final[Mapping[str, frozenset[str]]] = {
    "QUEUE": frozenset(
        {"BROWSE", "GET", "INQ", "PUT", "SET", "PASSALL", "PASSID", "SETALL", "SETID"}
    ),
    "QMGR": frozenset({"ALTUSR", "CONNECT", "INQ", "SET", "SETALL", "SETID"}),
    "TOPIC": frozenset({"PUB", "SUB", "RESUME"}),
    "PROCESS": frozenset({"INQ", "SET"}),
    "NAMELIST": frozenset({"INQ"}),
    "AUTHINFO": frozenset({"INQ"}),
    "RQMNAME": frozenset({"PUT"}),
}
_ADMIN: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(OBJECT_TYPES, frozenset({"CHG", "CRT", "DLT", "DSP"})),
    "QUEUE": frozenset({"CHG", "CLR", "CRT", "DLT", "DSP"}),
    "TOPIC": frozenset({"CHG", "CLR", "CRT", "DLT", "DSP", "CTRL"}),
    "CHANNEL": frozenset({"CHG", "CRT", "DLT", "DSP", "CTRL", "CTRLX"}),
    "LISTENER": frozenset({"CHG", "CRT", "DLT", "DSP", "CTRL"}),
    "SERVICE": frozenset({"CHG", "CRT", "DLT", "DSP", "CTRL"}),
    "RQMNAME": frozenset(),
}
"""What ALLMQI and ALLADM stand for, by OBJTYPE; source: IBM MQ documentation, "setmqaut"."""
_BESIDES: Final[Mapping[str, frozenset[str]]] = {
    "QMGR": frozenset({"CTRL", "PASSALL", "PASSID", "SYSTEM"}),
    "TOPIC": frozenset({"PASSALL", "PASSID", "SETALL", "SETID"}),
    "RQMNAME": frozenset({"CHG", "CRT", "DLT", "DSP", "PASSALL", "PASSID", "SETALL", "SETID"}),
}
"""What a type also has, in dumps and in listings of dspmqaut."""
_OF_ALL: Final = frozenset({"ALL", "ALLADM", "ALLMQI", "NONE"})


@dataclass(frozen=True, slots=True)
class AuthorityRecord:
    """What one user or group may do with the objects of a profile.

    Attributes:
        profile: object name or generic profile.
        object_type: QUEUE, QMGR, TOPIC ...
        entity: ``GROUP(users)`` or ``PRINCIPAL(app)``.
        authorities: words of SET AUTHREC, those that `authority_words` gives.
    """

    profile: str
    object_type: str
    entity: str
    authorities: frozenset[str] = field(default_factory=frozenset)


def authorities_of(object_type: str) -> tuple[str, ...]:
    """The single authorities that objects of that type have, by name."""
    groups = (_MQI, _ADMIN, _BESIDES)
    return tuple(sorted(frozenset().union(*(group.get(object_type, ()) for group in groups))))


def may_have(object_type: str, word: str) -> bool:
    """Whether a word of AUTHADD or AUTHRMV, in upper case, can be said of that type of object."""
    return word in _OF_ALL or word in authorities_of(object_type)


def authority_words(words: Iterable[str], object_type: str) -> frozenset[str]:
    """The authorities that AUTHADD or AUTHRMV words stand for, on that type of object."""
    mqi, admin = _MQI.get(object_type, frozenset()), _ADMIN.get(object_type, frozenset())
    granted: set[str] = set()
    for word in (word.upper() for word in words):
        if word not in AUTHORITIES:
            raise UsageError(f"{word}: no authority; allowed {', '.join(AUTHORITIES)}")
        if not may_have(object_type, word):
            allowed = ", ".join(authorities_of(object_type))
            raise UsageError(f"{word} is not an authority of {object_type}; allowed {allowed}")
        many = {"ALL": mqi | admin, "ALLMQI": mqi, "ALLADM": admin, "NONE": frozenset[str]()}
        granted |= many.get(word, {word})
    return frozenset(granted)


def in_steps(add: Iterable[str], remove: Iterable[str]) -> tuple[tuple[bool, tuple[str, ...]], ...]:
    """AUTHADD and AUTHRMV in the order they are done: (whether it adds, words), ALL first.

    ``AUTHADD(DSP) AUTHRMV(ALL)`` takes all away and then gives DSP.
    Source: IBM MQ 9.4 "SET AUTHREC", usage notes.
    """
    adding, removing = (True, tuple(add)), (False, tuple(remove))
    if any(word.upper() == "ALL" for word in removing[1]):
        return removing, adding
    return adding, removing


@lru_cache(maxsize=4096)
def profile_pattern(profile: str) -> re.Pattern[str]:
    """A generic profile: `?` one character, `*` within a qualifier, `**` over qualifiers.

    Source: IBM MQ documentation, "Using OAM generic profiles": `A.**` takes `A` as well.
    """
    parts = {"**": ".*", "*": r"[^.]*", "?": r"[^.]"}
    if profile.endswith(".**"):
        return re.compile(_joined(profile[:-3], parts) + r"(\..*)?", re.DOTALL)
    return re.compile(_joined(profile, parts), re.DOTALL)


def _joined(profile: str, parts: Mapping[str, str]) -> str:
    pieces = re.split(r"(\*\*|\*|\?)", profile)
    return "".join(parts.get(piece, re.escape(piece)) for piece in pieces)


def specific_key(profile: str) -> tuple[int, ...]:
    """Sort key of profiles: the most specific one first, an exact name before all.

    ``A*B`` is more specific than ``A*``: the end of a name is less so than a character.
    Source: IBM MQ documentation, "Profile priorities".
    """
    ranks = {"?": 2, "*": 3, "**": 4}
    return (*(ranks.get(piece, 0) for piece in re.findall(r"\*\*|.", profile, re.DOTALL)), 1)


class RecordIndex:
    """Records of queues by entity, so that each look-up tries the generic profiles only.

    Attributes:
        entities: every user and group with a record, in order.
    """

    def __init__(self, records: Iterable[AuthorityRecord]) -> None:
        self._exact: dict[tuple[str, str], AuthorityRecord] = {}
        self._generic: dict[str, list[AuthorityRecord]] = {}
        entities: dict[str, None] = {}
        for record in records:
            if record.object_type != "QUEUE":
                continue
            entities[record.entity] = None
            if is_generic(record.profile):
                self._generic.setdefault(record.entity, []).append(record)
            else:
                self._exact[record.entity, record.profile] = record
        for generic in self._generic.values():
            generic.sort(key=lambda record: specific_key(record.profile))
        self.entities = tuple(entities)

    def of(self, entity: str, queue: str) -> AuthorityRecord | None:
        """The record that counts for *entity* and *queue*: that of the most specific profile."""
        exact = self._exact.get((entity, queue))
        if exact is not None:
            return exact
        for record in self._generic.get(entity, ()):
            if profile_pattern(record.profile).fullmatch(queue):
                return record
        return None


def is_generic(profile: str) -> bool:
    """Whether a profile takes in more than one name."""
    return "*" in profile or "?" in profile
