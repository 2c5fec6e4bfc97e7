"""MQINQ and MQSET: several selectors at once, numbers and characters apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from struct import Struct
from typing import Final

from mqtriage.emulator.admin import definitions
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin import queue_status as status
from mqtriage.emulator.mqi.session import CallReply, OpenObject, Session
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Attribute, AttributeValue, ValueKind
from mqtriage.mq.attributes.catalogue import attributes_of, from_number, numbers_of, to_number
from mqtriage.mq.errors import MQIError, UsageError, mqi_error

_INTEGERS: Final = range(1, 2001)
_CHARACTERS: Final = range(2001, 4001)

_MOST_SELECTORS: Final = 256
_SETTABLE: Final = {
    "QLOCAL": (
        "PUT", "GET", "TRIGGER", "TRIGDATA", "TRIGDPTH", "TRIGMPRI", "TRIGTYPE", "DISTL",
    ),
    "QALIAS": ("PUT", "GET"),
    "QREMOTE": ("PUT",),
}  # fmt: skip
"""What MQSET can set (IBM MQ documentation, "MQSET - Set object attributes")."""

_QUEUE_NAMES: Final = {cmqc.MQCA_Q_NAME: "QUEUE", cmqc.MQIA_Q_TYPE: "TYPE"}
_NAMES: Final = {
    "NAMELIST": cmqc.MQCA_NAMELIST_NAME,
    "PROCESS": cmqc.MQCA_PROCESS_NAME,
    "AUTHINFO": cmqc.MQCA_AUTH_INFO_NAME,
}
"""The selectors of the names of what is only inquired."""

_FIXED_LENGTHS: Final = {"QMNAME": 48, "QMID": 48}


@cache
def _selectors(kind: str) -> Mapping[int, Attribute]:
    return {entry.selector: entry for entry in attributes_of(kind) if entry.selector}


@cache
def _known() -> frozenset[int]:
    kinds = (*QUEUE_KINDS, "QMGR", *_NAMES)
    names = frozenset(_QUEUE_NAMES) | frozenset(_NAMES.values())
    return frozenset(n for kind in kinds for n in _selectors(kind)) | names


def inquire(session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]) -> CallReply:
    """MQINQ.

    Raises:
        MQIError: 2019, 2038, 2065, 2067, 2021, 2006.
    """
    handle, integer_count, character_length = numbers
    opened, selectors = session.object(handle, "inquire"), _integers(blobs[0])
    doing = f"inquire {opened.name}"
    if not opened.options & cmqc.MQOO_INQUIRE:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_INQUIRE, doing, object_name=opened.name)
    _check_selectors(selectors, doing)
    kind, values = _values(opened, doing)
    table = _selectors(kind)
    integers: list[int] = []
    characters: list[bytes] = []
    reason = 0
    for selector in selectors:
        entry = table.get(selector)
        if selector in _INTEGERS:
            number = _number(kind, selector, entry, values)
            if number is None:
                reason = cmqc.MQRC_SELECTOR_NOT_FOR_TYPE
            integers.append(cmqc.MQIAV_NOT_APPLICABLE if number is None else number)
        else:
            text = _text(opened, kind, selector, entry, values)
            if text is None:
                reason = cmqc.MQRC_SELECTOR_NOT_FOR_TYPE
            characters.append(b"*" * 48 if text is None else text)
    if len(integers) > integer_count:
        reason = cmqc.MQRC_INT_ATTR_COUNT_TOO_SMALL
    joined = b"".join(characters)
    if len(joined) > character_length:
        reason = cmqc.MQRC_CHAR_ATTRS_TOO_SHORT
    given = integers[:integer_count]
    raw = Struct(f"<{len(given)}i").pack(*given)
    return CallReply((), (raw, joined[:character_length])).warned(reason)


def set_attributes(
    session: Session, numbers: tuple[int, ...], blobs: tuple[bytes, ...]
) -> CallReply:
    """MQSET.

    Raises:
        MQIError: 2019, 2040, 2065, 2067, 2022, 2008, 2020 and what ALTER says.
    """
    opened, characters = session.object(numbers[0], "set"), blobs[2]
    selectors, integers = _integers(blobs[0]), iter(_integers(blobs[1]))
    doing = f"set {opened.name}"
    if not opened.options & cmqc.MQOO_SET:
        raise mqi_error(cmqc.MQRC_NOT_OPEN_FOR_SET, doing, object_name=opened.name)
    _check_selectors(selectors, doing)
    kind, _ = _values(opened, doing)
    table = _selectors(kind)
    values: dict[str, AttributeValue] = {}
    at = 0
    for selector in selectors:
        entry = table.get(selector)
        if entry is None or entry.keyword not in _SETTABLE.get(kind, ()):
            raise mqi_error(cmqc.MQRC_SELECTOR_ERROR, doing, detail=f"selector {selector}")
        if selector in _INTEGERS:
            number = next(integers, None)
            if number is None:
                raise mqi_error(cmqc.MQRC_INT_ATTR_COUNT_TOO_SMALL, doing)
            values[entry.keyword] = from_number(entry, number)
        else:
            piece = characters[at : at + entry.max_length]
            if len(piece) < entry.max_length:
                raise mqi_error(cmqc.MQRC_CHAR_ATTRS_TOO_SHORT, doing)
            at += entry.max_length
            values[entry.keyword] = piece.partition(b"\0")[0].decode("latin-1").rstrip(" ")
    assert opened.handle is not None
    try:
        definitions.alter(opened.connection, kind, opened.handle.path[0].name, values)
    except UsageError as error:
        raise _bad_value(values, doing, error) from error
    session.shared.wake_up.notify()
    return CallReply()


def _integers(data: bytes) -> tuple[int, ...]:
    return Struct(f"<{len(data) // 4}i").unpack_from(data)


def _bad_value(values: Mapping[str, AttributeValue], doing: str, error: UsageError) -> MQIError:
    reason = {
        "GET": cmqc.MQRC_INHIBIT_VALUE_ERROR,
        "PUT": cmqc.MQRC_INHIBIT_VALUE_ERROR,
        "TRIGGER": cmqc.MQRC_TRIGGER_CONTROL_ERROR,
        "TRIGDPTH": cmqc.MQRC_TRIGGER_DEPTH_ERROR,
        "TRIGMPRI": cmqc.MQRC_TRIGGER_MSG_PRIORITY_ERR,
        "TRIGTYPE": cmqc.MQRC_TRIGGER_TYPE_ERROR,
    }
    wrong = next(
        (k for k in values if error.text.startswith((f"{k}(", f"{k} ")) and k in reason), ""
    )
    return mqi_error(reason.get(wrong, cmqc.MQRC_SELECTOR_ERROR), doing, detail=error.text)


def _check_selectors(selectors: Sequence[int], doing: str) -> None:
    if len(selectors) > _MOST_SELECTORS:
        raise mqi_error(cmqc.MQRC_SELECTOR_LIMIT_EXCEEDED, doing)
    for selector in selectors:
        in_range = selector in _INTEGERS or selector in _CHARACTERS
        if not in_range or selector not in _known():
            raise mqi_error(cmqc.MQRC_SELECTOR_ERROR, doing, detail=f"selector {selector}")


def _values(opened: OpenObject, doing: str) -> tuple[str, Mapping[str, AttributeValue]]:
    """Type and attributes of the object, as they are now."""
    connection = opened.connection
    connection.look(doing)
    manager = connection.manager
    if opened.kind in _NAMES:
        values = kept.named(manager, opened.kind, opened.name, doing)
        if "NAMES" in values:  # their number follows from them
            values = values | {"NAMCOUNT": len(_listed(values["NAMES"]))}
        return opened.kind, values
    if opened.handle is None:
        return "QMGR", manager.all_attributes()
    first = opened.handle.path[0]
    queue = manager.queues.get(first.name)
    if queue is None or queue.id != first.id:
        raise mqi_error(cmqc.MQRC_Q_DELETED, doing, object_name=first.name)
    if not queue.is_local:
        return queue.kind, queue.attributes
    return queue.kind, {**queue.attributes, **status.counts(manager, queue)}


def _listed(names: AttributeValue) -> list[str]:
    return [name for name in str(names).split(",") if name.strip()]


def _number(
    kind: str, selector: int, entry: Attribute | None, values: Mapping[str, AttributeValue]
) -> int | None:
    if selector == cmqc.MQIA_Q_TYPE:
        return numbers_of(kind, "TYPE").get(kind)
    if entry is None or entry.keyword not in values:
        return None
    try:
        return to_number(entry, values[entry.keyword])
    except UsageError:
        return None


def _text(
    opened: OpenObject,
    kind: str,
    selector: int,
    entry: Attribute | None,
    values: Mapping[str, AttributeValue],
) -> bytes | None:
    """The characters, padded to the length that the attribute has in the MQI."""
    if selector == cmqc.MQCA_Q_NAME and opened.handle is not None:
        return opened.handle.path[0].name.encode().ljust(cmqc.MQ_Q_NAME_LENGTH)
    if selector == _NAMES.get(kind):
        return opened.name.encode().ljust(cmqc.MQ_Q_NAME_LENGTH)
    if entry is None:
        return None
    if entry.keyword == "NAMES":
        names = _listed(values.get("NAMES", ""))
        return b"".join(name.strip().encode().ljust(cmqc.MQ_Q_NAME_LENGTH) for name in names)
    length = _FIXED_LENGTHS.get(entry.keyword, entry.max_length)
    if entry.kind is ValueKind.WORD or length == 0:
        return None
    value = str(values.get(entry.keyword, ""))
    return value.encode("latin-1", "replace")[:length].ljust(length)
