"""Values in a filter: each is read in the unit of the field that it stands beside."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from mqtriage.messages.filters.expression import Value
from mqtriage.messages.filters.fields import FieldSpec, Kind, spec_of
from mqtriage.model.ids import ID_LENGTH_BYTES, WHOLE_FORMS, parse_id
from mqtriage.model.shell_words import shell_word
from mqtriage.model.times import parse_time
from mqtriage.model.units import parse_duration_ms, parse_expiry_tenths, parse_size_bytes
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import UsageError
from mqtriage.mq.name_table import values

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}\Z")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,40}\.?[0-9]{0,40}(?:[eE][+-]?[0-9]{1,3})?\Z")


def read_literal(
    field: str, kind: str, text: str, *, for_write: bool = False, excludes: bool = False
) -> Value:
    """Read one literal of `--where`.

    Args:
        field: the field it stands beside, as the tree spells it.
        kind: ``string``, ``hex``, ``number``, ``time`` or ``word``.
        excludes: the messages that have this value are not selected; for hints.
    """
    spec = spec_of(field)
    if kind == "word" and text.lower() == "null":
        hint = f"write {field} IS NULL" if spec.nullable else None
        raise UsageError("nothing equals NULL", hint=hint)
    if kind == "word" and text.upper().startswith("MQ") and "_" in text:
        return _constant(spec, text.upper(), for_write=for_write)
    content = text[1:-1].replace("''", "'") if kind == "string" else text
    if spec.kind is Kind.ID:
        return _id(spec, kind, content, for_write=for_write, excludes=excludes)
    return _READERS[spec.kind](spec, kind, content, for_write=for_write)


def number_of(text: str) -> int | float | None:
    """The number that *text* is as a whole, or None."""
    if _INTEGER.match(text):
        return int(text)
    if not _DECIMAL.match(text):
        return None
    value = float(text)
    return None if value in (float("inf"), float("-inf")) else value


def constant_of(spec: FieldSpec, name: str) -> Value | None:
    """The value of an MQI constant that *spec* may have, or None."""
    if not name.startswith(spec.names or ("?",)):
        return None
    value = values().get(name)
    return value.rstrip() if isinstance(value, str) else value


def _constant(spec: FieldSpec, name: str, *, for_write: bool) -> Value:
    value = _none_id(spec, name, for_write=for_write) or constant_of(spec, name)
    if value is not None:
        return value
    if not spec.names:
        raise UsageError(f"{spec.name} takes no MQ name such as {name[:60]}")
    allowed = " or ".join(f"{prefix}*" for prefix in spec.names)
    near = _close_constants(spec, name)
    hint = f"did you mean {' or '.join(near)}?" if near else None
    raise UsageError(f"{name[:60]} is not known for {spec.name}, which takes {allowed}", hint=hint)


def _none_id(spec: FieldSpec, name: str, *, for_write: bool) -> bytes | None:
    if spec.kind is not Kind.ID or name not in ("MQMI_NONE", "MQCI_NONE", "MQGI_NONE"):
        return None
    parse_id("ID:00", for_write=for_write, what=spec.name)  # refuses it where it must be
    return NO_ID


def _close_constants(spec: FieldSpec, name: str) -> list[str]:
    from difflib import get_close_matches

    names = [known for known in values() if known.startswith(spec.names)]
    return get_close_matches(name[:60], names, 3)


def _id(spec: FieldSpec, kind: str, text: str, *, for_write: bool, excludes: bool) -> Value:
    if kind == "hex":
        text = f"ID:{text[2:-1]}"
        if len(text) != 3 + 2 * ID_LENGTH_BYTES:
            raise UsageError("an id in the form x'...' has 48 hex digits")
    elif kind != "string":
        raise UsageError(f"{spec.name} takes an id in quotes, found {text[:40]}")
    match = parse_id(text, for_write=for_write, what=spec.name)
    if not (match.is_prefix or match.is_tail):
        return match.value
    digits = match.value.hex().upper()
    pattern = f"%{digits}" if match.is_tail else f"{digits}%"
    hint = f"{spec.name} {'NOT ' if excludes else ''}LIKE '{pattern}'"
    if for_write and excludes:
        hint = WHOLE_FORMS
    elif for_write:
        option = {"msg_id": "--msgid", "correl_id": "--correlid"}.get(spec.name)
        hint = f"{option} {shell_word(text)}" if option else WHOLE_FORMS
    raise UsageError(f"{spec.name} {text[:60]!r}: the whole id is needed here", hint=hint)


def _text(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind != "string":
        raise UsageError(f"{spec.name} takes text in quotes: '{text[:40]}'")
    return text.rstrip(" ") if spec.kind is Kind.TEXT else text


def _number(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind != "number" or not _INTEGER.match(text):
        names = " or a name " + " ".join(f"{n}*" for n in spec.names) if spec.names else ""
        raise UsageError(f"{spec.name} takes a whole number{names}, found {text[:40]}")
    return int(text)


def _size(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind != "number":
        _expected(spec, "a size such as 4096 or 4MiB", text)
    return parse_size_bytes(text, what=spec.name)


def _duration(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind not in ("number", "string"):
        _expected(spec, "a duration such as 5m", text)
    if text.startswith("-"):
        return -parse_duration_ms(text[1:], what=spec.name)
    return parse_duration_ms(text, what=spec.name)


def _expiry(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if text.lower() == "unlimited" or text == "-1":
        return -1
    if kind not in ("number", "string"):
        _expected(spec, "a duration such as 5m, tenths of a second, or unlimited", text)
    if text.isdecimal() and len(text) <= 10:
        return int(text)
    return parse_expiry_tenths(text, what=spec.name)


def _time(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind in ("number", "hex"):
        _expected(spec, "a time such as 18:00, 2026-01-31T10:00:00Z or now-2h", text)
    return parse_time(text, what=spec.name)


def _any(spec: FieldSpec, kind: str, text: str, *, for_write: bool) -> Value:
    if kind == "string":
        return text
    if kind == "word" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = number_of(text) if kind == "number" else None
    if number is None:
        _expected(spec, "text in quotes, a number, TRUE or FALSE", text)
    return number


def _expected(spec: FieldSpec, what: str, text: str) -> NoReturn:
    raise UsageError(f"{spec.name} takes {what}, found {text[:40]}")


_READERS: Final = {
    Kind.TEXT: _text, Kind.NUMBER: _number, Kind.SIZE: _size,
    Kind.DURATION: _duration, Kind.EXPIRY: _expiry, Kind.TIME: _time, Kind.ANY: _any,
    Kind.BODY: _text,
}  # fmt: skip
