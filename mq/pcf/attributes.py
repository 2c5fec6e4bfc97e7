"""Attributes as parameters of PCF and back: MAXDEPTH(5000) is MQCFIN 15 with the value 5000.

What an attribute is called and which words it has stands in the attribute tables alone.
Source: IBM MQ documentation, "Definitions of the Programmable Command Formats".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final, TypeAlias

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Attribute
from mqtriage.mq.attributes.catalogue import (
    AttributeValue,
    ValueKind,
    attribute,
    attributes_of,
    from_number,
    to_number,
)
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import name_length
from mqtriage.mq.pcf import messages as pcf

Words: TypeAlias = tuple[str, ...]

NAME_SELECTORS: Final = {
    "QUEUE": 2016, "CHANNEL": 3501, "LISTENER": 3554, "NAMELIST": 2010, "PROCESS": 2012,
    "AUTHINFO": 2045, "SERVICE": 2077, "TOPIC": 2092, "SUB": 3152, "CHLAUTH": 3501,
}  # fmt: skip
"""Keyword that holds an object's name to its selector."""

_BYTES: Final = range(7001, 8001)
_UNIT: Final = struct.Struct(">II")
"""A QMgrUOWId; MQSC shows its first and its last four bytes as numbers: QMURID(0.5)."""
_PADDED_UP_TO: Final = 264
"""Texts that may be longer come as long as they are."""
_TEXTS: Final = (ValueKind.NAME, ValueKind.STRING)


@cache
def _by_selector(kind: str) -> Mapping[int, Attribute]:
    entries = {entry.selector: entry for entry in reversed(attributes_of(kind)) if entry.selector}
    if kind in QUEUE_KINDS:
        for keyword in ("QUEUE", "TYPE"):
            entry = attribute(kind, keyword)
            if entry is not None:
                entries[entry.selector] = entry
    return entries


def attribute_with(kinds: Iterable[str], selector: int) -> Attribute | None:
    """The attribute of that parameter id, of the first of *kinds* that has one."""
    for kind in kinds:
        entry = _by_selector(kind).get(selector)
        if entry is not None:
            return entry
    return None


# -- to PCF ---------------------------------------------------------------------------------------


def parameters_of(kind: str, values: Mapping[str, AttributeValue]) -> Iterator[pcf.PcfParameter]:
    """The parameters of what DISPLAY shows of one object; what PCF has no id for is left out.

    Args:
        kind: of the attribute tables: "QLOCAL", "QSTATUS", "CHANNEL" ...
        values: identity first: {"QUEUE": "A", "TYPE": "QLOCAL", "MAXDEPTH": 5000}.
    """
    for keyword, value in values.items():
        parameter = _parameter(kind, keyword, value)
        if parameter is not None:
            yield parameter


@lru_cache(maxsize=8192)  # ten thousand queues have much the same values
def _parameter(kind: str, keyword: str, value: AttributeValue) -> pcf.PcfParameter | None:
    entry = attribute(kind, keyword)
    if entry is not None and entry.selector:
        return parameter_of(entry, value)
    if keyword in NAME_SELECTORS:
        width = _width(name_length(keyword))
        return pcf.string(NAME_SELECTORS[keyword], str(value), width=width)
    return None


def parameter_of(entry: Attribute, value: AttributeValue) -> pcf.PcfParameter:
    """One attribute as a parameter; a number that is not known is -1 (MQMON_NOT_AVAILABLE)."""
    selector = entry.selector
    if selector == cmqcfc.MQBACF_CONN_TAG:
        return pcf.byte_string(selector, str(value).encode().ljust(cmqc.MQ_CONN_TAG_LENGTH, b"\0"))
    if selector == cmqcfc.MQBACF_Q_MGR_UOW_ID:
        return pcf.byte_string(selector, _UNIT.pack(*map(int, str(value).split("."))))
    if selector in _BYTES:
        return pcf.byte_string(selector, bytes.fromhex(str(value)))
    if entry.kind in _TEXTS:
        width = _width(entry.max_length)
        return pcf.string(selector, str(value), width=width)
    if entry.kind is ValueKind.LIST:
        members = [member for member in str(value).split(",") if member]
        width = _width(entry.max_length)
        if entry.kinds == ("CHANNEL",) and len(members) < 2:  # one exit is no list
            return pcf.string(selector, str(value), width=width)
        return pcf.strings(selector, members, width=width)
    if entry.kind is ValueKind.WORDS:
        return pcf.integers(selector, (_number(entry, member) for member in str(value).split(",")))
    return pcf.integer_of(selector, _number(entry, value))


def _width(length: int) -> int:
    """What a text of at most that length is padded to, 0 for nothing."""
    return length if length <= _PADDED_UP_TO else 0


def _number(entry: Attribute, value: AttributeValue) -> int:
    if isinstance(value, str) and value in entry.words:
        return entry.words[value]
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value)
    try:
        return to_number(entry, value)
    except UsageError:
        return cmqc.MQMON_NOT_AVAILABLE


# -- from PCF -------------------------------------------------------------------------------------


def words_of(entry: Attribute, value: pcf.Value) -> Words:
    """The value of a parameter as MQSC has it: ("5000",), ("ENABLED",), ("A", "B")."""
    if isinstance(value, bytes):
        if entry.selector == cmqcfc.MQBACF_CONN_TAG:
            return (value.rstrip(b"\0").decode("latin-1"),)
        if entry.selector == cmqcfc.MQBACF_Q_MGR_UOW_ID and len(value) == _UNIT.size:
            return ("{}.{}".format(*_UNIT.unpack(value)),)
        if entry.selector in _BYTES:
            return (value.hex().upper(),)
    elif isinstance(value, tuple):
        if entry.kind in (ValueKind.LIST, ValueKind.WORDS):
            return tuple(_word(entry, item) for item in value) or ("",)
    elif value is not None:
        is_text = entry.kind in (*_TEXTS, ValueKind.LIST)
        if isinstance(value, str) == is_text and entry.selector not in _BYTES:
            return (_word(entry, value),)
    raise UsageError(f"{entry.keyword}: {value!r:.60} is not a value of {entry.selector_name}")


def _word(entry: Attribute, value: object) -> str:
    return str(from_number(entry, value)) if isinstance(value, int) else str(value)
