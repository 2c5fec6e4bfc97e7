"""What must hold for any bytes: decoding returns, in linear time, and headers come back."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.emulator.samples import SampleMessage, samples
from mqtriage.messages.decoded import dead_letter_header, decoded, target_and_due
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.headers import chain, ddh, dlh, iih, mde, rfh2, sniff, tm, xqh
from mqtriage.mq.headers.chain import HEADER_FORMATS
from mqtriage.mq.headers.layout import Damage, Following
from mqtriage.mq.message import Message
from mqtriage.mq.pcf import messages as pcf
from tests.support.timing import shortest_s

_STRUC_IDS = [b"RFH ", b"DLH ", b"XQH ", b"TM  ", b"MDE ", b"IIH ", b"DDH ", b"CIH ", b"TSH "]
_STRUC_IDS += [struc_id.decode().encode("cp037") for struc_id in _STRUC_IDS]
_FORMATS = st.sampled_from([*sorted(HEADER_FORMATS), "", "MQSTR", "XYZ"])
_ENCODINGS = st.sampled_from([273, 546, 785, 0, 1, -1])
_CCSIDS = st.sampled_from([0, 37, 500, 819, 1047, 1200, 1208, 9999, -1, -2])
_ORDERS = st.sampled_from(["<", ">"])
_INTEGERS = st.integers(-(2**31), 2**31 - 1)

_CODECS = st.sampled_from(["latin-1", "utf-8", "cp037", "cp500", "mqtriage_ibm1047", "cp932"])
_FORMAT_BYTES = [form.ljust(8).encode() for form in sorted(HEADER_FORMATS)]


@st.composite
def _nearly_headers(draw: st.DrawFn) -> bytes:
    """Bytes that go some way into a decoder: ids, versions, lengths and folders that half fit."""
    order = draw(_ORDERS)
    piece = st.one_of(
        st.sampled_from(_STRUC_IDS),
        st.sampled_from(_FORMAT_BYTES),
        st.sampled_from([1, 2, 36, 72, 84, 273, 546, 1208, -1, 2**31 - 1]).map(
            lambda number: struct.pack(order + "i", number)
        ),
        st.sampled_from([b"<usr>", b"</usr>", b'<a dt="i4">', b"7</a>", b"&x;", b"MQTRIAGE"]),
        st.sampled_from([48, 96, 172, 324]).map(lambda count: b" " * count),
        st.binary(max_size=40),
    )
    return b"".join(draw(st.lists(piece, max_size=30)))


_BYTES = st.one_of(st.binary(max_size=800), _nearly_headers())


@given(form=_FORMATS, encoding=_ENCODINGS, ccsid=_CCSIDS, data=_BYTES)
def test_any_bytes_become_a_record_that_json_can_carry(
    form: str, encoding: int, ccsid: int, data: bytes
) -> None:
    message = Message(MQMD(format=form, encoding=encoding, ccsid=ccsid), data, len(data))
    record = decoded(message)
    json.dumps(record, allow_nan=False)
    body = record["body"]
    assert (body["text"] is None) != (body["hex"] is None)
    if not record["damages"] and not record["notes"] and record["chain"]:
        headers = sum(header["length_bytes"] for header in record["chain"])
        assert len(data) == headers + body["length_bytes"]


@given(data=_BYTES, from_emulator=st.booleans(), form=_FORMATS)
def test_the_short_cuts_of_listings_never_raise(
    data: bytes, from_emulator: bool, form: str
) -> None:
    message = Message(MQMD(format=form, put_date="20260131", put_time="10000000"), data, len(data))
    target_and_due(message, uncompared(from_emulator))
    dead_letter_header(message)
    sniff.sniff(data)
    pcf.recognise(data)


@pytest.mark.parametrize(
    ("struc_id", "decode", "encode"),
    [
        ("DLH ", dlh.decode, dlh.encode),
        ("XQH ", xqh.decode, xqh.encode),
        ("TM  ", tm.decode, tm.encode),
        ("MDE ", mde.decode, mde.encode),
        ("IIH ", iih.decode, iih.encode),
    ],
)
@given(rest=st.binary(min_size=680, max_size=680), order=_ORDERS, codec=_CODECS)
def test_a_structure_comes_back_whatever_its_fields_and_paddings(
    struc_id: str, decode: object, encode: object, rest: bytes, order: str, codec: str
) -> None:
    length = {"MDE ": 72, "IIH ": 84}.get(struc_id)
    head = struc_id.encode(codec) + rest[:4]
    head += rest[4:8] if length is None else struct.pack(order + "i", length)
    data = head + rest[8:]
    structure = decode(data, 0, order, codec)  # type: ignore[operator]
    assert not isinstance(structure, Damage)
    assert data[: structure.length] == encode(structure)  # type: ignore[operator]


@given(
    folders=st.lists(
        st.one_of(st.binary(max_size=30), st.just(b"<usr><a>1</a></usr>  \0")), max_size=4
    ),
    tail=st.binary(max_size=3),
    fixed=st.tuples(_INTEGERS, _INTEGERS, st.binary(min_size=8, max_size=8), _INTEGERS),
    name_value_ccsid=st.sampled_from([1208, 1200, 37, 9999]),
    order=_ORDERS,
)
def test_an_rfh2_comes_back_byte_for_byte(
    folders: list[bytes],
    tail: bytes,
    fixed: tuple[int, int, bytes, int],
    name_value_ccsid: int,
    order: str,
) -> None:
    rest = b"".join(struct.pack(order + "i", len(folder)) + folder for folder in folders) + tail
    data = b"RFH " + struct.pack(
        order + "iiii8sii", 2, 36 + len(rest), *fixed, name_value_ccsid
    ) + rest  # fmt: skip
    header = rfh2.decode(data + b"body", 0, order)  # type: ignore[arg-type]
    assert isinstance(header, rfh2.RFH2)
    assert folders == [folder.raw for folder in header.folders]
    assert data == rfh2.encode(header)


_XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn"]), max_size=20
)


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,10}", fullmatch=True),
        st.one_of(
            _XML_TEXT,
            st.integers(-(2**63), 2**63 - 1),
            st.booleans(),
            st.floats(allow_nan=False),
            st.binary(max_size=8),
            st.none(),
        ),
        min_size=1,
    )
)
@pytest.mark.slow
def test_application_properties_come_back_with_value_and_type(
    values: dict[str, rfh2.Value],
) -> None:
    header = rfh2.build([("usr", values)], Following("MQSTR", 273, 1208))
    read_back = rfh2.decode(rfh2.encode(header))
    assert isinstance(read_back, rfh2.RFH2)
    seen = rfh2.properties([read_back])
    assert values == seen
    assert [type(value) for value in values.values()] == [type(seen[name]) for name in values]


_WITH_HEADERS = [
    sample
    for sample in samples()
    if sample.md.format in HEADER_FORMATS and sample.name != "order-broken-header"
]


@pytest.mark.parametrize("sample", _WITH_HEADERS, ids=lambda sample: sample.name)
def test_a_message_cut_anywhere_in_its_headers_is_a_damage(sample: SampleMessage) -> None:
    md = sample.md
    whole = chain.decode(md.format, md.encoding, md.ccsid, sample.body)
    assert whole.damages == ()
    for length in range(whole.body_offset):
        cut = chain.decode(md.format, md.encoding, md.ccsid, sample.body[:length])
        assert cut.damages, length
        assert cut.body_offset <= length


def test_a_staged_message_cut_anywhere_in_its_headers_is_a_damage() -> None:
    original = MQMD(format="MQSTR", put_date="20260131", put_time="10000000")
    data = ddh.encode_staged(1, None, "QM1", "Q", original, 0, 1, subscription_name="name")
    for length in range(len(data)):
        cut = chain.decode(ddh.DDH_FORMAT, 546, 1208, data[:length])
        # after 120 bytes it is no longer told from a real one, whose layout nobody knows
        problems = [*cut.damages, *(note for note in cut.notes if "not known" in note)]
        assert problems, length


_EMPTY_RFH2 = b"RFH " + struct.pack(">iiii8sii", 2, 36, 273, 1208, b"MQHRF2  ", 0, 1208)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"DDH \1\0\0\0" + bytes(16) + b"RFH " * 250_000, id="false-structures"),
        pytest.param(
            b"RFH " + struct.pack(">ii", 2, 10**6) + bytes(10**6 - 12), id="folders-of-no-length"
        ),
        pytest.param(
            struct.pack("<9i", 1, 36, 3, 1, 1, 1, 0, 0, 1) + struct.pack("<3i", 3, 12, 1) * 80_000,
            id="short-pcf",
        ),
        pytest.param(_EMPTY_RFH2 * 25_000, id="empty-rfh2"),
        pytest.param(bytes(10**6), id="zeros"),
    ],
)
@pytest.mark.slow
def test_a_megabyte_of_anything_is_decoded_at_once(data: bytes) -> None:
    assert shortest_s(lambda: chain.decode("", 546, 819, data), 3) < 3
