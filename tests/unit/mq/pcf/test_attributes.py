"""Attributes as PCF parameters and back, and the names of parameters, for every table."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import Attribute, ValueKind
from mqtriage.mq.attributes.catalogue import KINDS, STATUS_KINDS, attribute, attributes_of
from mqtriage.mq.errors import UsageError
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf import names as pcf_names
from mqtriage.mq.pcf.attributes import (
    attribute_with,
    parameter_of,
    parameters_of,
    words_of,
)

EVERY = {
    f"{kind} {entry.keyword}": entry
    for kind in (*KINDS, *STATUS_KINDS)
    for entry in attributes_of(kind)
    if entry.selector
}


def a_value(entry: Attribute) -> int | str:
    """A value of the kind the attribute has."""
    if entry.keyword == "QMURID":
        return "1.258"
    if entry.selector > 7000:
        return "0A1B"
    if entry.kind in (ValueKind.NAME, ValueKind.STRING):
        return "A.B"
    if entry.kind is ValueKind.LIST:
        return "A,B"
    if entry.kind is ValueKind.WORDS:
        return next((word for word in entry.words if word.strip()), "12")
    words = [word for word in entry.words if word.strip()]
    return words[-1] if words else max(entry.minimum, 7)


def test_an_attribute_goes_to_pcf_and_comes_back() -> None:
    for name, entry in EVERY.items():
        value = a_value(entry)
        message = pcf.PCF(2, 13, (parameter_of(entry, value),))
        (parameter,) = pcf.decode(pcf.encode(message)).parameters
        assert parameter.parameter == entry.selector, name
        assert ",".join(words_of(entry, parameter.value)) == str(value), name


def test_its_parameter_has_the_name_that_ibm_gives_it() -> None:
    for name, entry in EVERY.items():
        assert numbers()[entry.selector_name] == entry.selector, name
        assert pcf_names.name_of_parameter(entry.selector), name


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_attributes_of_a_kind_have_one_parameter(kind: str) -> None:
    selectors = [entry.selector for entry in attributes_of(kind) if entry.selector]
    assert len(selectors) == len(set(selectors))


def test_the_identity_of_an_object_comes_first_and_numbers_are_numbers() -> None:
    values = {"QUEUE": "A", "TYPE": "QALIAS", "PUT": "DISABLED", "TARGET": "B"}
    parameters = [
        (parameter.parameter, parameter.value) for parameter in parameters_of("QALIAS", values)
    ]
    assert parameters == [(2016, "A"), (20, 3), (10, 1), (2002, "B")]


@pytest.mark.parametrize(
    ("keyword", "value"),
    [("MAXDEPTH", "5"), ("DESCR", 5), ("MAXDEPTH", b"5"), ("DESCR", ("a", "b")), ("DESCR", None)],
)
def test_a_value_of_another_kind_is_refused(keyword: str, value: pcf.Value) -> None:
    entry = attribute("QLOCAL", keyword)
    assert entry is not None
    with pytest.raises(UsageError, match=keyword):
        words_of(entry, value)


def test_a_64_bit_parameter_has_a_name_of_its_own() -> None:
    assert pcf_names.name_of_parameter(733) == "MQIAMO_OPENS"
    assert pcf_names.name_of_parameter(703) == "MQIAMO_AVG_Q_TIME"
    assert pcf_names.name_of_parameter(703, cmqcfc.MQCFT_INTEGER64_LIST) == "MQIAMO64_AVG_Q_TIME"
    assert pcf_names.name_of_parameter(123456) == ""
    assert pcf_names.name_of_command(13) == "MQCMD_INQUIRE_Q"
    assert attribute_with(("QLOCAL",), 9999) is None
