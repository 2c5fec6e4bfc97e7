"""The parameters of a PCF command: read, checked, and as pieces of an MQSC command.

What is wrong is refused with the reason that IBM's server gives and the parameter id it names.
Source: IBM MQ documentation, "Definitions of the Programmable Command Formats".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import Attribute
from mqtriage.mq.attributes.catalogue import ValueKind, parse_value
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.errors import MQTriageError, UsageError
from mqtriage.mq.mqsc.tree import Command, Parameter, Value
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.attributes import attribute_with, words_of
from mqtriage.mq.pcf.names import name_of_parameter

Parameters = Mapping[int, pcf.PcfParameter]
Handler = Callable[[Parameters], list[Command]]
_PARAMETER_ID: Final = cmqcfc.MQIACF_PARAMETER_ID
_SELECTOR: Final = cmqcfc.MQIACF_SELECTOR
"""What an error response says is wrong."""
_TEXTS: Final = (ValueKind.NAME, ValueKind.STRING, ValueKind.LIST)
_OPERATORS: Final = {
    1: "LT", 2: "EQ", 3: "LE", 4: "GT", 5: "NE", 6: "GE", 10: "CT", 13: "EX", 18: "LK", 21: "NL",
    26: "CTG", 29: "EXG",
}  # fmt: skip


class PcfRefusal(MQTriageError):
    """A command that cannot be carried out as it stands.

    Attributes:
        reason: MQRCCF_* or MQRC_*.
        parameter: MQIACF_PARAMETER_ID or MQIACF_SELECTOR, 0 for none.
    """

    def __init__(self, reason: int, wrong: int = 0, text: str = "", parameter: int = 0) -> None:
        what = text or (name_of_parameter(wrong) or f"parameter {wrong}" if wrong else "command")
        super().__init__(f"{what}: {name_of_reason(reason)} ({reason})")
        self.reason = reason
        self.wrong = wrong
        self.parameter = parameter or (_PARAMETER_ID if wrong else 0)


def mqsc_command(
    verb: str, noun: str, name: str | None, parameters: Iterable[Parameter]
) -> Command:
    value = None if name is None else Value(name, True, 0, 0)
    return Command(verb, noun, value, tuple(parameters), 0, 0, 1, 1)


def mqsc_keyword(keyword: str, *values: str) -> Parameter:
    """KEYWORD(value,...), or the keyword alone."""
    words = tuple(Value(word, True, 0, 0) for word in values) if values else None
    return Parameter(keyword, words, 0, 0, 1, 1)


def refuse_others(given: Parameters, known: Iterable[int]) -> None:
    others = set(given) - set(known)
    for selector, item in given.items():
        if selector in others:
            raise PcfRefusal(pcf.reason_for(item.type, "PARM_ID_ERROR"), item.parameter)


def read_text(
    given: Parameters, selector: int, *, needed: bool = True, longest: int = 0
) -> str | None:
    """A string parameter; None for one that is not given and not needed."""
    item = given.get(selector)
    if item is None:
        if needed:
            raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, selector)
        return None
    if not isinstance(item.value, str):
        raise PcfRefusal(cmqcfc.MQRCCF_CFST_PARM_ID_ERROR, selector)
    if longest and len(item.value) > longest:
        raise PcfRefusal(cmqcfc.MQRCCF_CFST_STRING_LENGTH_ERR, selector)
    return item.value


def read_integer(given: Parameters, selector: int, default: int) -> int:
    item = given.get(selector)
    if item is None:
        return default
    if not isinstance(item.value, int):
        raise PcfRefusal(cmqcfc.MQRCCF_CFIN_PARM_ID_ERROR, selector)
    return item.value


def read_switch(given: Parameters, selector: int, keyword: str, reason: int) -> list[Parameter]:
    """REPLACE, PURGE, FORCE: MQRP_YES and its kin are 1, the NO forms 0."""
    value = read_integer(given, selector, 0)
    if value not in (0, 1):
        raise PcfRefusal(reason, selector)
    return [mqsc_keyword(keyword)] if value == 1 else []


def read_attributes(
    given: Parameters, kinds: tuple[str, ...], left_out: Iterable[int]
) -> list[Parameter]:
    """What a definition names, as MQSC keywords, each value checked."""
    skip = set(left_out)
    keywords = []
    for selector, item in given.items():
        if selector in skip:
            continue
        entry = attribute_with(kinds, selector)
        if entry is None:
            raise PcfRefusal(pcf.reason_for(item.type, "PARM_ID_ERROR"), item.parameter)
        keywords.append(read_attribute(entry, item))
    return keywords


def read_attribute(entry: Attribute, item: pcf.PcfParameter) -> Parameter:
    try:
        words = words_of(entry, item.value)
        if entry.kind in _TEXTS and any(len(word) > entry.max_length for word in words):
            raise PcfRefusal(pcf.reason_for(item.type, "STRING_LENGTH_ERR"), item.parameter)
        for word in words:
            parse_value(entry, word)
    except UsageError as error:
        reason = cmqcfc.MQRCCF_ATTR_VALUE_ERROR
        raise PcfRefusal(reason, item.parameter, error.text) from error
    if entry.kind is ValueKind.FLAG:
        return mqsc_keyword(entry.keyword if words == ("YES",) else f"NO{entry.keyword}")
    return mqsc_keyword(entry.keyword, *words)


def read_inquired(given: Parameters, selector: int, kinds: tuple[str, ...]) -> list[Parameter]:
    """The list of attributes of an inquiry; without one all of them."""
    inquired = given.get(selector)
    if inquired is None:
        return [mqsc_keyword("ALL")]
    values = inquired.value if isinstance(inquired.value, tuple) else (inquired.value,)
    keywords: list[str] = []
    for number in values:
        if not isinstance(number, int):
            raise PcfRefusal(cmqcfc.MQRCCF_CFIL_PARM_ID_ERROR, selector)
        if number == cmqcfc.MQIACF_ALL:
            return [mqsc_keyword("ALL")]
        entry = attribute_with(kinds, number)
        if entry is None and not name_of_parameter(number):
            raise PcfRefusal(cmqc.MQRC_SELECTOR_ERROR, number, parameter=_SELECTOR)
        if entry is not None and entry.keyword in keywords:
            raise PcfRefusal(cmqcfc.MQRCCF_CFIL_DUPLICATE_VALUE, number, parameter=_SELECTOR)
        if entry is not None:
            keywords.append(entry.keyword)
    return [mqsc_keyword(keyword) for keyword in keywords]


def read_filter(given: Parameters, kinds: tuple[str, ...], name: int, noun: str) -> list[Parameter]:
    """The filter of an inquiry."""
    for selector, item in given.items():
        if selector >= 0:
            continue
        operator = _OPERATORS.get(item.operator, "")
        if not operator:
            raise PcfRefusal(pcf.reason_for(item.type, "OPERATOR_ERROR"), item.parameter)
        if item.parameter == name:
            return [mqsc_keyword("WHERE", noun, operator, str(item.value))]
        entry = attribute_with(kinds, item.parameter)
        if entry is None:
            raise PcfRefusal(pcf.reason_for(item.type, "PARM_ID_ERROR"), item.parameter)
        value = item.value
        # a filter on a list compares one member, and a text may be generic
        one = entry.kind in (ValueKind.LIST, ValueKind.WORDS)
        if isinstance(value, bytes) or not one:
            try:
                (word,) = words_of(entry, value)
            except (UsageError, ValueError) as error:
                raise PcfRefusal(cmqcfc.MQRCCF_FILTER_ERROR, item.parameter) from error
        else:
            word = str(value)
        return [mqsc_keyword("WHERE", entry.keyword, operator, word)]
    return []


def filters_of(given: Parameters) -> tuple[int, ...]:
    """The selectors below zero: those of filters."""
    return tuple(selector for selector in given if selector < 0)
