"""PCF structures, built by hand from the documented layouts, whole and with lengths that lie."""

from __future__ import annotations

import struct

import pytest

from mqtriage.mq import name_table
from mqtriage.mq.errors import PCFError, UsageError
from mqtriage.mq.pcf import messages as pcf
from tests.support.pcf_structures import all_parameters, integer64

both_orders = pytest.mark.parametrize("order", ["<", ">"])


def _read(order: str, *parameters: bytes) -> pcf.PCF:
    head = struct.pack(order + "9i", 2, 36, 1, 13, 1, 1, 0, 0, len(parameters))
    message = pcf.recognise(head + b"".join(parameters))
    assert message is not None
    return message


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
        pytest.param(20, "ii", (8001, 0), ((), 0, 0), id="MQCFGR"),
        pytest.param(23, "iiq", (745, 0, 2**40), (2**40, 0, 0), id="MQCFIN64"),
        pytest.param(25, "iiqq", (703, 2, -1, 2**40), ((-1, 2**40), 0, 0), id="MQCFIL64"),
        pytest.param(99, "ii", (1, 2), (None, 0, 0), id="unknown-type"),
    ],
)
def test_a_structure_is_read(
    order: str, kind: int, rest: str, values: tuple[int | bytes, ...], expected: tuple[object, ...]
) -> None:
    (parameter,) = _read(order, _pack(order, kind, rest, *values)).parameters
    assert (kind, values[0]) == (parameter.type, parameter.parameter)
    assert expected == (parameter.value, parameter.ccsid, parameter.operator)


def _message(*parameters: bytes, count: int | None = None, head: tuple[int, ...] = ()) -> bytes:
    kind, length, version = head or (1, 36, 3)
    count = len(parameters) if count is None else count
    fields = (kind, length, version, 13, 1, 1, 0, 0, count)
    return struct.pack("<9i", *fields) + b"".join(parameters)


@pytest.mark.parametrize(
    ("kind", "rest", "values", "reason"),
    [
        pytest.param(3, "i", (20,), "MQRCCF_CFIN_LENGTH_ERROR", id="MQCFIN-without-a-value"),
        pytest.param(4, "ii", (1, 0), "MQRCCF_CFST_LENGTH_ERROR", id="half-a-string"),
        pytest.param(4, "iii4s", (1, 0, 5, b"abcd"), "MQRCCF_CFST_STRING_LENGTH_ERR",
                     id="string-one-too-long"),
        pytest.param(4, "iii4s", (1, 0, -1, b"abcd"), "MQRCCF_CFST_STRING_LENGTH_ERR",
                     id="string-of-negative-length"),
        pytest.param(5, "iii", (1, 2, 7), "MQRCCF_CFIL_COUNT_ERROR", id="list-one-too-long"),
        pytest.param(5, "iii", (1, -1, 7), "MQRCCF_CFIL_COUNT_ERROR",
                     id="list-of-negative-length"),
        pytest.param(6, "iiii4s", (1, 0, 2, 4, b"abcd"), "MQRCCF_CFSL_TOTAL_LENGTH_ERROR",
                     id="string-list-one-too-long"),
        pytest.param(6, "iiii", (1, 0, 2**31 - 1, 0), "MQRCCF_CFSL_TOTAL_LENGTH_ERROR",
                     id="string-list-of-empty-strings"),
        pytest.param(6, "iiii4s", (1, 0, -1, -4, b"abcd"), "MQRCCF_CFSL_TOTAL_LENGTH_ERROR",
                     id="string-list-of-negatives"),
        pytest.param(9, "ii4s", (1, 5, b"abcd"), "MQRCCF_CFBS_STRING_LENGTH_ERR",
                     id="bytes-one-too-long"),
        pytest.param(13, "ii", (1, 4), "MQRCCF_CFIF_LENGTH_ERROR", id="filter-without-a-value"),
        pytest.param(14, "iiii", (1, 18, 0, 1), "MQRCCF_CFSF_FILTER_VAL_LEN_ERR",
                     id="string-filter-one-too-long"),
        pytest.param(15, "iii", (1, 18, 1), "MQRCCF_CFBF_FILTER_VAL_LEN_ERR",
                     id="byte-filter-one-too-long"),
        pytest.param(20, "ii", (8001, -1), "MQRCCF_CFGR_PARM_COUNT_ERROR",
                     id="group-of-negative-count"),
        pytest.param(23, "iii", (1, 0, 7), "MQRCCF_CFIN_LENGTH_ERROR",
                     id="half-a-64-bit-integer"),
        pytest.param(25, "iii", (1, 1, 7), "MQRCCF_CFIL_COUNT_ERROR", id="half-a-64-bit-list"),
        pytest.param(99, "ii", (1, 2), "MQRCCF_STRUCTURE_TYPE_ERROR", id="unknown-type"),
    ],
)  # fmt: skip
def test_a_structure_whose_lengths_lie_has_no_value_and_the_walk_goes_on(
    kind: int, rest: str, values: tuple[int | bytes, ...], reason: str
) -> None:
    after = _pack("<", 3, "ii", 20, 1)
    message = _read("<", _pack("<", kind, rest, *values), after)
    assert [parameter.value for parameter in message.parameters] == [None, 1]
    assert message.wrong is not None
    assert (name_table.codes()[reason].number, 36) == (message.wrong.reason, message.wrong.offset)


@pytest.mark.parametrize(
    ("data", "reason", "offset"),
    [
        pytest.param(b"", "MQRCCF_MSG_LENGTH_ERROR", 0, id="nothing"),
        pytest.param(bytes(35), "MQRCCF_MSG_LENGTH_ERROR", 0, id="short-header"),
        pytest.param(_message(head=(3, 36, 3)), "MQRCCF_CFH_TYPE_ERROR", 0, id="type"),
        pytest.param(_message(head=(1, 40, 3)), "MQRCCF_CFH_LENGTH_ERROR", 0, id="length"),
        pytest.param(_message(head=(1, 36, 4)), "MQRCCF_CFH_VERSION_ERROR", 0, id="version"),
        pytest.param(_message(count=-1), "MQRCCF_CFH_PARM_COUNT_ERROR", 0, id="negative-count"),
        pytest.param(_message(count=1), "MQRCCF_MSG_LENGTH_ERROR", 0, id="one-missing"),
        pytest.param(_message(_pack("<", 3, "ii", 1, 2), count=0), "MQRCCF_MSG_LENGTH_ERROR", 0,
                     id="one-too-many"),
        pytest.param(_message(b"12345"), "MQRCCF_MSG_LENGTH_ERROR", 36, id="five-bytes"),
        pytest.param(_message(struct.pack("<iiii", 3, 17, 1, 2)), "MQRCCF_CFIN_LENGTH_ERROR", 36,
                     id="beyond-the-end"),
        pytest.param(_message(struct.pack("<iiii", 3, -16, 1, 2)), "MQRCCF_CFIN_LENGTH_ERROR",
                     36, id="negative-length"),
        pytest.param(_message(_pack("<", 20, "ii", 8001, 2), _pack("<", 3, "ii", 1, 2), count=1),
                     "MQRCCF_CFGR_PARM_COUNT_ERROR", 36, id="group-longer-than-the-message"),
        pytest.param(_message(*[_pack("<", 20, "ii", 8001, 1)] * 1000, count=1),
                     "MQRCCF_CFGR_PARM_COUNT_ERROR", 36 + 16 * pcf.DEEPEST, id="too-deep"),
    ],
)  # fmt: skip
def test_decode_refuses_with_the_reason_of_the_command_server(
    data: bytes, reason: str, offset: int
) -> None:
    with pytest.raises(PCFError, match=reason) as caught:
        pcf.decode(data, "<")
    assert (name_table.codes()[reason].number, offset) == (caught.value.reason, caught.value.offset)


def test_a_message_in_the_other_byte_order_is_refused_where_the_order_is_given() -> None:
    data = pcf.encode(pcf.PCF(1, 13), ">")
    assert pcf.decode(data).order == ">"
    with pytest.raises(PCFError, match="MQCFH at offset 0: Type 16777216"):
        pcf.decode(data, "<")


def test_the_members_of_a_group_are_its_value_and_count_as_one() -> None:
    inner = pcf.group(8004, [pcf.integer_of(1, 2)])
    outer = pcf.group(8001, [pcf.string(2016, "A"), inner])
    message = pcf.decode(pcf.encode(pcf.PCF(7, 46, (outer, pcf.integer_of(3, 4)))))
    assert message.parameter_count == 2
    assert [parameter.parameter for parameter in all_parameters(message.parameters)] == [
        8001,
        2016,
        8004,
        1,
        3,
    ]
    assert [parameter.parameter for parameter in pcf.members(message.parameters[0])] == [2016, 8004]
    assert message.first(3) == 4
    assert message.first(2016) is None


@pytest.mark.parametrize(
    ("ccsid", "order", "raw"),
    [
        pytest.param(1208, "<", b"A\xc3\xa9 ", id="utf-8"),
        pytest.param(819, "<", b"A\xe9  ", id="latin-1"),
        pytest.param(500, ">", b"\xc1\x51\x40\x40", id="ebcdic"),
        pytest.param(1200, "<", "Aé".encode("utf-16-le"), id="utf-16-little"),
        pytest.param(1200, ">", "Aé".encode("utf-16-be"), id="utf-16-big"),
    ],
)
def test_a_string_is_padded_with_the_blanks_of_its_code_page(
    ccsid: int, order: str, raw: bytes
) -> None:
    for own in (0, ccsid):
        message = pcf.PCF(1, 13, (pcf.string(2016, "Aé", width=4, ccsid=own),))
        data = pcf.encode(message, order, ccsid)  # type: ignore[arg-type]
        assert raw == data[56:60]
        assert pcf.decode(data, ccsid=ccsid).first(2016) == "Aé"


@pytest.mark.parametrize(
    "parameter",
    [
        pytest.param(pcf.integer_of(20, 2**31), id="number-too-big"),
        pytest.param(pcf.integers(20, [1, -(2**31) - 1]), id="number-too-small"),
        pytest.param(integer64(20, 2**63), id="64-bit-number-too-big"),
        pytest.param(pcf.string(2016, "€"), id="not-in-the-code-page"),
        pytest.param(pcf.PcfParameter(4, 2016, 7), id="number-for-a-string"),
        pytest.param(pcf.PcfParameter(3, 20, "7"), id="string-for-a-number"),
        pytest.param(pcf.PcfParameter(99, 20, 7), id="unknown-type"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(parameter: pcf.PcfParameter) -> None:
    with pytest.raises(UsageError, match=f"PCF parameter {parameter.parameter}: "):
        pcf.encode(pcf.PCF(1, 13, (pcf.group(8001, [parameter]),)), "<", 819)


@pytest.mark.parametrize("kind", [21, 22], ids=["statistics", "accounting"])
@pytest.mark.parametrize("padding", [b"# ", b" v", b"\0\0"], ids=["hash", "letter", "zeros"])
def test_what_pads_a_string_of_a_real_queue_manager_is_no_part_of_it(
    kind: int, padding: bytes
) -> None:
    """Seen in reports of users: version 3, CCSID 0, and padding that nobody cleared."""
    day = b"2018-03-07"
    text = struct.pack("<5i", 4, 32, 3176, 0, len(day)) + day + padding
    number = struct.pack("<4i", 3, 16, 1, 7)
    head = struct.pack("<9i", kind, 36, 3, 167, 1, 1, 0, 0, 2)
    message = pcf.decode(head + text + number, "<", 819)
    assert (message.type, message.first(3176), message.first(1)) == (kind, "2018-03-07", 7)
