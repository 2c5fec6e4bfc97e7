"""PCF structures, built by hand from the documented layouts, whole and with lengths that lie."""

from __future__ import annotations

import struct

import pytest

from mqtriage.mq.headers import pcf

both_orders = pytest.mark.parametrize("order", ["<", ">"])


def _read(order: str, *parameters: bytes) -> pcf.PCF:
    head = struct.pack(order + "9i", 2, 36, 1, 13, 1, 1, 0, 0, len(parameters))
    found = pcf.recognise(head + b"".join(parameters))
    assert found is not None
    return found


def _pack(order: str, kind: int, rest: str, *values: int | bytes) -> bytes:
    body = struct.pack(order + rest, *values)
    body += b"\0" * (-len(body) % 4)
    return struct.pack(order + "ii", kind, 8 + len(body)) + body


@both_orders
@pytest.mark.parametrize(
    ("kind", "rest", "values", "expected"),
    [
        pytest.param(3, "ii", (20, -7), (-7, 0, 0), id="MQCFIN"),
        pytest.param(4, "iii5s", (2016, 819, 5, b"A\xe9  \0"), ("Aé", 819, 0), id="MQCFST"),
        pytest.param(4, "iii4s", (2016, 37, 4, b"\xc1\xc2\x40\x40"), ("AB", 37, 0), id="ebcdic"),
        pytest.param(5, "iiii", (1002, 2, 3, 2016), ((3, 2016), 0, 0), id="MQCFIL"),
        pytest.param(6, "iiii8s", (2011, 0, 2, 4, b"A   BC  "), (("A", "BC"), 0, 0), id="MQCFSL"),
        pytest.param(9, "ii3s", (7001, 3, b"\1\2\3"), (b"\1\2\3", 0, 0), id="MQCFBS"),
        pytest.param(13, "iii", (3, 4, 100), (100, 0, 4), id="MQCFIF"),
        pytest.param(14, "iiii5s", (2013, 18, 819, 5, b"test*"), ("test*", 819, 18), id="MQCFSF"),
        pytest.param(15, "iii3s", (7001, 10, 3, b"\1\2\3"), (b"\1\2\3", 0, 10), id="MQCFBF"),
        pytest.param(20, "ii", (8001, 4), (4, 0, 0), id="MQCFGR"),
        pytest.param(23, "iiq", (745, 0, 2**40), (2**40, 0, 0), id="MQCFIN64"),
        pytest.param(25, "iiqq", (703, 2, -1, 2**40), ((-1, 2**40), 0, 0), id="MQCFIL64"),
        pytest.param(99, "ii", (1, 2), (None, 0, 0), id="unknown-type"),
    ],
)
def test_a_structure_is_read(
    order: str, kind: int, rest: str, values: tuple[int | bytes, ...], expected: tuple[object, ...]
) -> None:
    (found,) = _read(order, _pack(order, kind, rest, *values)).parameters
    assert (kind, values[0]) == (found.type, found.parameter)
    assert expected == (found.value, found.ccsid, found.operator)


@pytest.mark.parametrize(
    ("kind", "rest", "values"),
    [
        pytest.param(3, "i", (20,), id="MQCFIN-without-a-value"),
        pytest.param(4, "iii4s", (1, 0, 5, b"abcd"), id="string-one-too-long"),
        pytest.param(4, "iii4s", (1, 0, -1, b"abcd"), id="string-of-negative-length"),
        pytest.param(5, "iii", (1, 2, 7), id="list-one-too-long"),
        pytest.param(5, "iii", (1, -1, 7), id="list-of-negative-length"),
        pytest.param(6, "iiii4s", (1, 0, 2, 4, b"abcd"), id="string-list-one-too-long"),
        pytest.param(6, "iiii", (1, 0, 2**31 - 1, 0), id="string-list-of-empty-strings"),
        pytest.param(6, "iiii4s", (1, 0, -1, -4, b"abcd"), id="string-list-of-negatives"),
        pytest.param(9, "ii4s", (1, 5, b"abcd"), id="bytes-one-too-long"),
        pytest.param(13, "ii", (1, 4), id="filter-without-a-value"),
        pytest.param(14, "iiii", (1, 18, 0, 1), id="string-filter-one-too-long"),
        pytest.param(15, "iii", (1, 18, 1), id="byte-filter-one-too-long"),
        pytest.param(23, "iii", (1, 0, 7), id="half-a-64-bit-integer"),
        pytest.param(25, "iii", (1, 1, 7), id="half-a-64-bit-list"),
    ],
)
def test_a_structure_whose_lengths_lie_has_no_value_and_the_walk_goes_on(
    kind: int, rest: str, values: tuple[int | bytes, ...]
) -> None:
    found = _read("<", _pack("<", kind, rest, *values), _pack("<", 3, "ii", 20, 1))
    assert [each.value for each in found.parameters] == [None, 1]
    assert found.wrong == ""
