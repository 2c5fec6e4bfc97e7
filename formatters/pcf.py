"""A PCF message for people: the MQCFH, then a line for each parameter, a section for each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_HEAD: Final = ("type", "command", "comp_code", "reason", "control", "msg_seq_number", "version")
_LABELS: Final = {"comp_code": "completion code", "msg_seq_number": "sequence number"}


def pcf_sections(
    record: Mapping[str, Any],
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Sections of what `messages.pcf_record.pcf_record` made.

    Each number has its name in front where there is one: ``MQRC_Q_FULL (2053)``.
    """
    head = tuple(
        (_LABELS.get(key, key), _with_name(record.get(f"{key}_name"), record[key])) for key in _HEAD
    )
    yield from _sections("PCF", head, record["parameters"])


def _sections(
    title: str, first: tuple[tuple[str, str], ...], parameters: list[Mapping[str, Any]]
) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    groups = [parameter for parameter in parameters if parameter["structure"] == "MQCFGR"]
    pairs = tuple(
        (_label(parameter), _text(parameter))
        for parameter in parameters
        if parameter["structure"] != "MQCFGR"
    )
    yield title, first + pairs
    for number, parameter in enumerate(groups, 1):
        name = f"{title}, {_label(parameter)}"
        alike = sum(other["id"] == parameter["id"] for other in groups)
        numbered = f"{name} {number}" if alike > 1 else name
        yield from _sections(numbered, (), parameter["parameters"])


def _label(parameter: Mapping[str, Any]) -> str:
    return str(parameter["name"] or f"parameter {parameter['id']}")


def _text(parameter: Mapping[str, Any]) -> str:
    value, name = parameter["value"], parameter["value_name"]
    if value is None:
        return "(cannot be read)"
    if isinstance(value, list):
        names = name if isinstance(name, list) else [None] * len(value)
        text = ", ".join(_with_name(n, v) for n, v in zip(names, value, strict=True))
    else:
        text = _with_name(name, value)
    return f"{parameter['operator']} {text}" if parameter["operator"] else text


def _with_name(name: object, value: object) -> str:
    shown = "' '" if value == "" else str(value)
    return f"{name} ({shown})" if name else shown
