"""What MQINQMP returns, as the property that stands in an MQRFH2."""

from __future__ import annotations

from decimal import Decimal
from struct import pack

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.headers.folder_xml import Property
from mqtriage.mq.properties.message_properties import alike, property_from, shortest_float32


@pytest.mark.parametrize(
    ("synonym", "name"),
    [
        ("Colour", "Colour"),
        ("usr.Colour", "Colour"),
        ("JMSDestination", "jms.Dst"),
        ("JMSXGroupID", "jms.Gid"),
        ("MQTopicString", "mqps.Top"),
        ("JMSType", "JMSType"),
        ("group.inner", "group.inner"),
    ],
)
def test_synonyms_get_the_name_of_their_folder(synonym: str, name: str) -> None:
    assert property_from(synonym, cmqc.MQTYPE_STRING, b"x") == Property(name, "string", "x")


@pytest.mark.parametrize(
    ("kind", "data", "how", "expected"),
    [
        pytest.param(
            cmqc.MQTYPE_INT32, b"\0\0\0\7", {"number_order": ">"}, ("i4", 7), id="big-endian"
        ),
        pytest.param(cmqc.MQTYPE_STRING, b"\xc1", {"ccsid": 37}, ("string", "A"), id="ebcdic"),
        pytest.param(cmqc.MQTYPE_STRING, b"\xff", {}, ("bin.hex", b"\xff"), id="no-text"),
        pytest.param(cmqc.MQTYPE_INT32, b"\0", {}, ("bin.hex", b"\0"), id="too-short"),
        pytest.param(99, b"\1\2", {}, ("bin.hex", b"\1\2"), id="unknown-type"),
        pytest.param(cmqc.MQTYPE_NULL, b"", {}, ("string", None), id="null"),
        pytest.param(cmqc.MQTYPE_BYTE_STRING, b"", {}, ("bin.hex", b""), id="no-bytes"),
    ],
)
def test_a_value_is_read_by_its_type(
    kind: int, data: bytes, how: dict[str, object], expected: tuple[str, object]
) -> None:
    prop = property_from("p", kind, data, **how)  # type: ignore[arg-type]
    assert (prop.type, prop.value) == expected


def test_a_number_in_a_folder_without_types_is_text_as_in_an_mqrfh2() -> None:
    prop = property_from("JMSTimestamp", cmqc.MQTYPE_INT64, pack("<q", 1_769_767_200_000))
    assert prop == Property("jms.Tms", "string", "1769767200000")
    assert alike(Property("jms.Tms", "i8", 5)) == Property("jms.Tms", "string", "5")


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(99999997952.0)
def test_the_shortest_number_is_the_same_float(value: float) -> None:
    short = shortest_float32(value)
    assert pack("<f", short) == pack("<f", value)
    assert digits(short) <= digits(value)
    prop = property_from("p", cmqc.MQTYPE_FLOAT32, pack("<f", value))
    assert (prop.type, prop.value) == ("r4", short)


def digits(number: float) -> int:
    """How many are significant: 100000000000.0 has one, though it is the longer to write."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)
