"""A PCF message as a record: every parameter with its name, its value and what the value means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from mqtriage.mq import cmqcfc, name_table
from mqtriage.mq.attributes.catalogue import KINDS, STATUS_KINDS, attributes_of
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf import names as pcf_names

_STRUCTURES: Final = {
    3: "MQCFIN", 4: "MQCFST", 5: "MQCFIL", 6: "MQCFSL", 9: "MQCFBS", 13: "MQCFIF", 14: "MQCFSF",
    15: "MQCFBF", 20: "MQCFGR", 23: "MQCFIN64", 25: "MQCFIL64",
}  # fmt: skip
_FAMILIES: Final = {
    "MQIACF_ACTION": "MQACT",
    "MQIACF_CHLAUTH_TYPE": "MQCAUT",
    "MQIACF_COMMAND": "MQCMD",
    "MQIACF_COMMAND_INFO": "MQCMDI",
    "MQIACF_ENTITY_TYPE": "MQZAET",
    "MQIACF_ESCAPE_TYPE": "MQET",
    "MQIACF_EVENT_APPL_TYPE": "MQAT",
    "MQIACF_EVENT_ORIGIN": "MQEVO",
    "MQIACF_FORCE": "MQFC",
    "MQIACF_MODE": "MQMODE",
    "MQIACF_OBJECT_TYPE": "MQOT",
    "MQIACF_OPERATION_TYPE": "MQOPER",
    "MQIACF_PURGE": "MQPO",
    "MQIACF_QUIESCE": "MQQO",
    "MQIACF_REASON_QUALIFIER": "MQRQ",
    "MQIACF_REPLACE": "MQRP",
    "MQIACF_UOW_STATE": "MQUOWST",
    "MQIACF_UOW_TYPE": "MQUOWT",
    "MQIACF_Q_MGR_STATUS": "MQQMSTA",
    "MQIACH_CHANNEL_STATUS": "MQCHS",
    "MQIA_APPL_TYPE": "MQAT",
    "MQIA_Q_TYPE": "MQQT",
}
"""Parameters whose value is one of a family of MQ's constants."""
_SELECTORS: Final = ("MQIACF_PARAMETER_ID", "MQIACF_SELECTOR")
_REASONS: Final = ("MQIACF_REASON_CODE", "MQIACF_ERROR_ID", "MQIACF_ERROR_IDENTIFIER")
_LONGEST_LIST: Final = 256


def pcf_record(message: pcf.PCF) -> dict[str, Any]:
    """The whole of a message, ready for JSON.

    Returns:
        ``type``, ``command``, ``comp_code``, ``reason`` with their names, the rest of the MQCFH,
        and ``parameters``: name, id, structure, value, value_name (what the value means, a list
        for a list, None where it is not known), operator (of a filter) and, for a group,
        the ``parameters`` in it.
    """
    return {
        "type": message.type,
        "type_name": _named("MQCFT").get(message.type),
        "version": message.version,
        "command": message.command,
        "command_name": pcf_names.name_of_command(message.command) or None,
        "msg_seq_number": message.msg_seq_number,
        "control": message.control,
        "control_name": _named("MQCFC").get(message.control),
        "comp_code": message.comp_code,
        "comp_code_name": _named("MQCC").get(message.comp_code),
        "reason": message.reason,
        "reason_name": name_of_reason(message.reason),
        "parameters": [_parameter(parameter) for parameter in message.parameters],
    }


def _parameter(parameter: pcf.PcfParameter) -> dict[str, Any]:
    name = pcf_names.name_of_parameter(parameter.parameter, parameter.type) or None
    record: dict[str, Any] = {
        "name": name,
        "id": parameter.parameter,
        "structure": _STRUCTURES.get(parameter.type, str(parameter.type)),
    }
    if parameter.type == cmqcfc.MQCFT_GROUP:
        return record | {
            "value": None,
            "value_name": None,
            "operator": None,
            "parameters": [_parameter(member) for member in pcf.members(parameter)],
        }
    return record | {
        "value": _plain(parameter.value),
        "value_name": meaning(name or "", parameter.value),
        "operator": _named("MQCFOP").get(parameter.operator, parameter.operator)
        if parameter.operator
        else None,
        "parameters": [],
    }


def _plain(value: pcf.Value) -> Any:
    if isinstance(value, bytes):
        return value.hex().upper()
    return list(value) if isinstance(value, tuple) else value


def meaning(name: str, value: pcf.Value) -> Any:
    """What a number stands for, by name; None for a number that counts something."""
    if isinstance(value, tuple) and value and len(value) <= _LONGEST_LIST:
        names = [meaning(name, item) for item in value if isinstance(item, int)]
        return names if any(item is not None for item in names) else None
    if not isinstance(value, int):
        return None
    if name in _SELECTORS or name.endswith("_ATTRS"):
        return pcf_names.name_of_parameter(value) or None
    if name in _REASONS:
        return name_of_reason(value)
    if name in _FAMILIES:
        return _named(_FAMILIES[name]).get(value)
    return _words(name).get(value)


@cache
def _named(family: str) -> Mapping[int, str]:
    """The constants of a family, number to name."""
    names: dict[int, str] = {}
    for name, value in name_table.family(f"{family}_").items():
        names.setdefault(value, name)
    return names


@cache
def _words(name: str) -> Mapping[int, str]:
    """The words that MQSC has for the values of an attribute."""
    for kind in (*KINDS, *STATUS_KINDS):
        for entry in attributes_of(kind):
            if entry.selector_name == name and entry.words:
                return {number: word for word, number in entry.words.items() if word.strip()}
    return {}
