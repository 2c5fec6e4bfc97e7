"""Every attribute of queues, the queue manager, topics, subscriptions, channels and the rest.

Look up with `attribute` and `attributes_of`, read text with `parse_value`, write MQSC with
`render`, and go to and from the numbers of MQINQ and PCF with `to_number` and `from_number`.
Values are kept as MQSC prints them: 5000, "ENABLED", "ORDERS.BO", "" for a blank name, and "YES"
or "NO" for a switch such as SHARE/NOSHARE, under its positive keyword.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from mqtriage.mq.attributes.attribute import QUEUE_KINDS, SECRETS
from mqtriage.mq.attributes.attribute import Attribute as Attribute
from mqtriage.mq.attributes.attribute import AttributeValue as AttributeValue
from mqtriage.mq.attributes.attribute import Platform as Platform
from mqtriage.mq.attributes.attribute import ValueKind as ValueKind
from mqtriage.mq.attributes.system_objects import default_values
from mqtriage.mq.attributes.tables import table
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.names import NAME_CHARACTERS

KINDS: Final = (
    *QUEUE_KINDS, "QMGR", "TOPIC", "SUB", "CHANNEL", "LISTENER",
    "AUTHREC", "CHLAUTH", "NAMELIST", "PROCESS", "AUTHINFO", "SERVICE",
)  # fmt: skip
"""Object types whose attributes are known."""

STATUS_KINDS: Final = (
    "QSTATUS", "QHANDLE", "QSTATS", "QMSTATUS", "CONN", "CHSTATUS", "LSSTATUS", "AUTHRECS",
    "CLUSQMGR", "QCLUSTER",
)  # fmt: skip
"""What DISPLAY shows beside objects; see `mq/attributes/status.tsv`."""

COMMAND_KEYWORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "REPLACE": ("DEFINE",),
    "NOREPLACE": ("DEFINE",),
    "LIKE": ("DEFINE",),
    "FORCE": ("DEFINE", "ALTER"),
    "NOFORCE": ("DEFINE", "ALTER"),
    "PURGE": ("DELETE",),
    "NOPURGE": ("DELETE",),
    "AUTHREC": ("DELETE",),
    "IGNSTATE": ("DELETE", "START", "STOP", "DISPLAY"),
    "CHLTABLE": ("DELETE",),
    "CMDSCOPE": ("DEFINE", "ALTER", "DELETE", "CLEAR", "DISPLAY", "SET", "START", "STOP", "RESET"),
    "QSGDISP": ("DEFINE", "ALTER", "DELETE", "CLEAR", "DISPLAY"),
    "ALL": ("DISPLAY",),
    "WHERE": ("DISPLAY",),
    "EVENT": ("DISPLAY",),
    "CHINIT": ("DISPLAY",),
    "CLUSTER": ("DISPLAY",),
    "PUBSUB": ("DISPLAY",),
    "SYSTEM": ("DISPLAY",),
    "MATCH": ("SET", "DISPLAY"),
}
"""Keywords that steer a command and are no attribute, with the verbs that take them."""

LASTING: Final[Mapping[str, tuple[str, ...]]] = {
    "TOPIC": ("TOPICSTR",),
    "SUB": (
        "TOPICOBJ", "TOPICSTR", "WSCHEMA", "SELECTOR", "SUBSCOPE", "DESTCLAS", "SUBLEVEL",
    ),
}  # fmt: skip
"""Attributes that ALTER cannot change (IBM MQ documentation, "ALTER SUB", usage notes)."""

_KEYWORD_SYNONYMS: Final = {"TARGQ": "TARGET"}
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What ends a line, somewhere: for runmqsc, for a terminal, for whatever splits text into lines."""
_BARE: Final = re.compile(r"[A-Za-z0-9_.*-][A-Za-z0-9_.,* -]*")
INSERT: Final = re.compile(r"\+[A-Z][A-Z0-9_]*\+")
"""A word that the queue manager fills in (mq/mqsc/inserts.py)."""
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}")
_TEXT_KINDS: Final = (ValueKind.NAME, ValueKind.STRING, ValueKind.LIST)


def platform_of(word: AttributeValue) -> Platform:
    """`zos` for the PLATFORM(MVS) of a queue manager, `dist` for every other.

    Heads of dumps may say z/OS.
    """
    return "zos" if word in ("MVS", "z/OS", "ZOS") else "dist"


@cache
def _index(kind: str) -> dict[str, Attribute]:
    """Keyword to attribute: switches under both forms, name and type of a queue too."""
    index = {a.keyword: a for a in table(kind)}
    index.update({f"NO{a.keyword}": a for a in table(kind) if a.kind is ValueKind.FLAG})
    if kind in QUEUE_KINDS:
        index.update({a.keyword: a for a in table("QTYPE")})
    return index


def attribute(kind: str, keyword: str) -> Attribute | None:
    """Find an attribute by MQSC keyword in any case; NOSHARE finds SHARE, TARGQ finds TARGET.

    Args:
        kind: one of `KINDS`; an unknown kind has no attributes.
    """
    word = keyword.upper()
    index = _index(kind)
    return index.get(word) or index.get(_KEYWORD_SYNONYMS.get(word, ""))


def numbers_of(kind: str, keyword: str) -> Mapping[str, int]:
    """The words of an attribute with the MQI's numbers; none where it does not exist."""
    entry = attribute(kind, keyword)
    return {} if entry is None else entry.words


def switch_value(keyword: str) -> str:
    """ "NO" for the negative form of a switch (NOSHARE), "YES" for the positive one."""
    return "NO" if keyword.upper().startswith("NO") else "YES"


@lru_cache(maxsize=256)
def attributes_of(kind: str, platform: Platform | None = None) -> tuple[Attribute, ...]:
    """The attributes of *kind* in the order of DISPLAY, without the object's name and type.

    Args:
        platform: leave out what that platform does not have; None keeps all.
    """
    if platform is None:
        return table(kind)
    return tuple(a for a in table(kind) if a.exists_on(platform))


def defaults(
    kind: str, platform: Platform = "dist", subtype: str = ""
) -> dict[str, AttributeValue]:
    """What the default object of *kind* (SYSTEM.DEFAULT.LOCAL.QUEUE ...) is supplied with.

    Attributes that have no default (CURDEPTH, CRDATE, ALTDATE ...) are left out, and those that an
    object of that *subtype* (CHLTYPE, AUTHTYPE) does not have.
    """
    return dict(_defaults(kind, platform, subtype))


@lru_cache(maxsize=256)
def _defaults(kind: str, platform: Platform, subtype: str) -> Mapping[str, AttributeValue]:
    values: dict[str, AttributeValue] = {}
    for entry in attributes_of(kind, platform):
        value = entry.default_on(platform)
        if value is not None and (not subtype or subtype in (entry.channel_types or (subtype,))):
            values[entry.keyword] = value
    if kind == "QMODEL":
        values["DEFTYPE"] = "TEMPDYN"
    return values | default_values(kind, platform, subtype)


def values_to_set(
    kind: str, attributes: Mapping[str, AttributeValue], platform: Platform | None = None
) -> dict[str, AttributeValue]:
    """Those attributes of an object that DEFINE takes, in the order of DISPLAY; no secrets."""
    return {
        entry.keyword: attributes[entry.keyword]
        for entry in attributes_of(kind, platform)
        if not entry.read_only and entry.keyword in attributes and entry.keyword not in SECRETS
    }


def parse_value(entry: Attribute, text: str) -> AttributeValue:
    """Read the text between an attribute's parentheses, quotes already taken off.

    Raises:
        UsageError: Out of range, too long, or not one of the words; the text says what is allowed.
    """
    match entry.kind:
        case ValueKind.INTEGER:
            return _parse_integer(entry, text)
        case ValueKind.WORD:
            return _parse_word(entry, text)
        case ValueKind.FLAG:
            if text.upper() in ("YES", "NO"):
                return text.upper()
            msg = f"{entry.keyword} takes no value: write {entry.keyword} or NO{entry.keyword}"
            raise UsageError(msg)
        case ValueKind.WORDS:
            words = re.split(r"[ ,]+", text.strip(" ,"))
            return ",".join(_parse_word(entry, word) for word in words)
        case ValueKind.LIST:
            return ",".join(_parse_text(entry, part.strip(" ")) for part in text.split(","))
        case ValueKind.NAME:
            return _parse_name(entry, text)
        case ValueKind.STRING:
            return _parse_text(entry, text)


def within_bounds(kind: str, keyword: str, number: int) -> tuple[int, str]:
    """The number that an attribute can have which is nearest to one that was worked out.

    Returns:
        The number, and what to put behind the sum that came to another: "" where it did not.

    Raises:
        KeyError: The kind has no such attribute.
    """
    least, most = bounds_of(kind, keyword)
    nearest = max(least, min(number, most))
    return nearest, "" if nearest == number else outside_bounds(kind, keyword)


def outside_bounds(kind: str, keyword: str) -> str:
    """``; MAXFSIZE takes 20 to 267386880``, behind a sum that comes to another number."""
    least, most = bounds_of(kind, keyword)
    return f"; {keyword} takes {least} to {most}"


def bounds_of(kind: str, keyword: str) -> tuple[int, int]:
    """The least and the greatest number of an attribute, its words aside.

    Raises:
        KeyError: The kind has no such attribute.
    """
    entry = attribute(kind, keyword)
    if entry is None:
        raise KeyError(f"{kind} {keyword}")
    return entry.minimum, entry.maximum


def _parse_integer(entry: Attribute, text: str) -> AttributeValue:
    word = text.strip().upper()
    if word in entry.words:
        return word
    if _INTEGER.fullmatch(word):
        number = int(word)
        if number in entry.words.values() or entry.minimum <= number <= entry.maximum:
            return from_number(entry, number)
    bounds = f"{entry.minimum} to {entry.maximum}"
    allowed = " or ".join([*entry.words, bounds])
    hint = f"{entry.keyword} is in {entry.unit}" if entry.unit else None
    raise UsageError(f"{entry.keyword}({text}): allowed {allowed}", hint=hint)


def _parse_word(entry: Attribute, text: str) -> str:
    word = text.strip().upper()
    if word in entry.words:
        return word
    raise UsageError(f"{entry.keyword}({text}): allowed {', '.join(entry.words)}")


def _parse_text(entry: Attribute, text: str) -> str:
    value = text.rstrip(" ")
    control = _CONTROL.search(value)
    if control is not None:
        raise UsageError(f"{entry.keyword}({value!r}): {_code_point(control)} is not allowed")
    if len(value) > entry.max_length:
        raise UsageError(f"{entry.keyword}: {len(value)} characters, allowed {entry.max_length}")
    return value


def _parse_name(entry: Attribute, text: str) -> str:
    value = text.strip(" ")
    if INSERT.search(value):
        return value  # +QMNAME+ is filled in by the queue manager; its length is not known here
    value = _parse_text(entry, value)
    if not NAME_CHARACTERS.issuperset(value):
        bad = next(c for c in value if c not in NAME_CHARACTERS)
        msg = f"{entry.keyword}({value}): {bad!r} is not allowed in a name"
        raise UsageError(msg, hint="a name has the characters A-Z a-z 0-9 . / _ %")
    return value


def quoted(text: str) -> str:
    """Put MQSC quotes around *text*; a blank value becomes one blank, a quote is doubled.

    Raises:
        Refused: *text* has a control character or a line separator of Unicode: whatever runs the
            command would take what stands behind it for a command of its own.
    """
    control = _CONTROL.search(text)
    if control is not None:
        raise Refused(f"{text!r}: {_code_point(control)} is not allowed in MQSC")
    return "'" + (text.replace("'", "''") or " ") + "'"


def render(entry: Attribute, value: AttributeValue) -> str:
    """Write one attribute as MQSC: ``BOQNAME('ORDERS.BO')``, ``NOSHARE``, ``MAXDEPTH(5000)``."""
    if entry.kind is ValueKind.FLAG:
        return entry.keyword if value == "YES" else f"NO{entry.keyword}"
    if entry.kind is ValueKind.LIST:
        members = ",".join(quoted(part) for part in str(value).split(","))
        return f"{entry.keyword}({members})"
    if entry.kind in _TEXT_KINDS:
        return f"{entry.keyword}({quoted(str(value))})"
    return f"{entry.keyword}({_bare(value)})"


def _bare(value: AttributeValue) -> AttributeValue:
    """A number or words; what a queue manager printed in their place may be anything."""
    if isinstance(value, int) or _BARE.fullmatch(value):
        return value
    raise Refused(f"{value!r} is neither a number nor a word of MQSC")


def _code_point(control: re.Match[str]) -> str:
    return f"the control character U+{ord(control[0]):04X}"


def to_number(entry: Attribute, value: AttributeValue) -> int:
    """The MQI's number of an integer attribute: 0 for PUT "ENABLED", -1 for CAPEXPRY "NOLIMIT".

    Raises:
        UsageError: The attribute is text, or the word is not one of its words.
    """
    if entry.kind in _TEXT_KINDS:
        raise UsageError(f"{entry.keyword} is text, it has no number")
    if isinstance(value, int):
        return value
    if entry.kind is ValueKind.WORDS:
        return sum(entry.words[_parse_word(entry, word)] for word in value.split(","))
    if value.upper() in entry.words:
        return entry.words[value.upper()]
    raise UsageError(f"{entry.keyword}({value}): allowed {', '.join(entry.words)}")


def from_number(entry: Attribute, number: int) -> AttributeValue:
    """The value of an integer attribute as MQSC prints it; an unknown number stays a number."""
    return next((word for word, value in entry.words.items() if value == number), number)
