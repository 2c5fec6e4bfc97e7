"""What must hold for any PCF message: it comes back, and any bytes at all are answered in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.errors import PCFError
from mqtriage.mq.pcf import messages as pcf
from tests.support.pcf_structures import all_parameters, filter_of, integer64, integers64

_LONGS = st.integers(-(2**31), 2**31 - 1)
_LONGER = st.integers(-(2**63), 2**63 - 1)
_ORDERS = st.sampled_from(["<", ">"])
_CCSIDS = st.sampled_from([819, 1208, 500, 1200])
# decoding leaves out NULs and what follows them, and trailing blanks: the MQI's paddings
_TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30).map(
    lambda text: text.replace("\x7f", "").rstrip(" ")
)
_OWN = st.sampled_from([0, 819, 37])

_SIMPLE = st.one_of(
    st.builds(pcf.integer_of, _LONGS, _LONGS),
    st.builds(integer64, _LONGS, _LONGER),
    st.builds(pcf.integers, _LONGS, st.lists(_LONGS, max_size=5)),
    st.builds(integers64, _LONGS, st.lists(_LONGER, max_size=5)),
    st.builds(pcf.string, _LONGS, _TEXTS, width=st.integers(0, 48), ccsid=_OWN),
    st.builds(pcf.strings, _LONGS, st.lists(_TEXTS, max_size=4), width=st.integers(0, 48)),
    st.builds(pcf.byte_string, _LONGS, st.binary(max_size=30)),
    st.builds(filter_of, _LONGS, _LONGS, st.one_of(_LONGS, _TEXTS, st.binary(max_size=9))),
)
_PARAMETERS = st.recursive(
    _SIMPLE, lambda inner: st.builds(pcf.group, _LONGS, st.lists(inner, max_size=4)), max_leaves=8
)
_MESSAGES = st.builds(
    pcf.PCF,
    type=st.sampled_from([1, 2, 7, 16, 18, 21]),
    command=_LONGS,
    parameters=st.lists(_PARAMETERS, max_size=6).map(tuple),
    version=st.integers(1, 3),
    msg_seq_number=_LONGS,
    control=_LONGS,
    comp_code=_LONGS,
    reason=_LONGS,
    wrong=st.none(),
)


def _bare(parameters: tuple[pcf.PcfParameter, ...]) -> list[object]:
    """Parameters without what only reading fills in."""
    return [
        (
            p.type,
            p.parameter,
            p.ccsid,
            p.operator,
            _bare(pcf.members(p)) if p.type == 20 else p.value,
        )
        for p in parameters
    ]


@given(message=_MESSAGES, order=_ORDERS, ccsid=_CCSIDS)
@pytest.mark.slow
def test_a_message_comes_back(message: pcf.PCF, order: ByteOrder, ccsid: int) -> None:
    data = pcf.encode(message, order, ccsid)
    assert len(data) % 4 == 0
    decoded = pcf.decode(data, order, ccsid)
    assert _bare(decoded.parameters) == _bare(message.parameters)
    assert decoded._replace(parameters=()) == message._replace(
        parameters=(), parameter_count=len(message.parameters), order=order, length=len(data)
    )
    assert pcf.encode(decoded, order, ccsid) == data


@given(message=_MESSAGES, order=_ORDERS, cut=st.data())
def test_a_cut_message_is_refused_and_what_there_is_of_it_is_shown(
    message: pcf.PCF, order: ByteOrder, cut: st.DataObject
) -> None:
    data = pcf.encode(message, order, 819)
    data = data[: cut.draw(st.integers(0, len(data) - 1))]
    try:
        pcf.decode(data, order, 819)
    except PCFError as error:
        assert 3001 <= error.reason < 4100
        assert 0 <= error.offset <= len(data)
    else:
        raise AssertionError("a cut message was taken for whole")
    whole = list(all_parameters(message.parameters))
    recognised = pcf.recognise(data, 0, 819)
    if recognised is not None:
        assert recognised.wrong is not None
        selectors = [parameter.parameter for parameter in all_parameters(recognised.parameters)]
        assert selectors == [parameter.parameter for parameter in whole[: len(selectors)]]


@given(message=_MESSAGES, order=_ORDERS, damage=st.data())
def test_changed_bytes_are_read_or_refused_but_never_fail(
    message: pcf.PCF, order: ByteOrder, damage: st.DataObject
) -> None:
    data = bytearray(pcf.encode(message, order, 819))
    for _ in range(damage.draw(st.integers(1, 4))):
        at = damage.draw(st.integers(0, len(data) - 1))
        data[at] = damage.draw(st.integers(0, 255))
    recognised = pcf.recognise(bytes(data))
    try:
        decoded = pcf.decode(bytes(data), order)
    except PCFError as error:
        assert error.text
    else:
        assert recognised is not None and decoded.wrong is None
        assert list(all_parameters(recognised.parameters)) == list(
            all_parameters(decoded.parameters)
        )


@given(data=st.binary(max_size=300), order=st.sampled_from(["<", ">", None]))
def test_any_bytes_are_read_or_refused(data: bytes, order: ByteOrder | None) -> None:
    try:
        pcf.decode(data, order)
    except PCFError as error:
        assert 3001 <= error.reason < 4100
