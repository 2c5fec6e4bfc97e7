"""DDH: what is known of real ones, what the emulator adds, and how sure each reading is."""

from __future__ import annotations

import struct

import pytest

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import EMULATED, UNDOCUMENTED, interpret_time
from mqtriage.mq.headers import chain, ddh
from mqtriage.mq.headers.ddh import DDH, DDH_FORMAT
from mqtriage.mq.headers.layout import Damage

_DUE_US = 1633092201054652
_ORIGINAL = MQMD(
    format="MQHRF2",
    encoding=273,
    ccsid=1208,
    msg_id=bytes(range(24)),
    correl_id=b"the sender's own id".ljust(24),
    report=0x01000000,
    priority=4,
    persistence=1,
    put_date="20211001",
    put_time="12431205",
)


def _staged(**more: object) -> bytes:
    return ddh.encode_staged(
        _DUE_US,
        None,
        "QM1",
        "ORDERS.IN",
        _ORIGINAL,
        _DUE_US - 5_000_000,
        5000,
        **more,  # type: ignore[arg-type]
    )


def _real(names: bytes = b"", order: str = "<") -> bytes:
    """The bytes that were seen on a real queue manager, and what may follow them."""
    return struct.pack(order + "4siqq", b"DDH ", 1, _DUE_US, -1) + names


def _decoded(data: bytes, start: int = 0, order: str = "<") -> DDH:
    header = ddh.decode(data, start, order)  # type: ignore[arg-type]
    assert isinstance(header, DDH)
    return header


@pytest.mark.seed("DD-10", "DD-11", "DD-55")
def test_the_emulator_gets_back_all_it_wrote() -> None:
    header = _decoded(_staged(subscription_id=b"s" * 24, subscription_name="Überwachung"))
    assert (
        header.time_us,
        header.expiry_raw,
        header.target_q_mgr,
        header.target_q,
    ) == (_DUE_US, -1, "QM1", "ORDERS.IN")
    tail = header.tail
    assert tail is not None
    assert (
        tail.original,
        tail.send_time_us,
        tail.delay_ms,
    ) == (_ORIGINAL, _DUE_US - 5_000_000, 5000)
    assert (tail.subscription_id, tail.subscription_name) == (b"s" * 24, "Überwachung")


def test_the_first_bytes_are_those_that_were_seen_on_a_real_queue_manager() -> None:
    assert bytes.fromhex("4444482001000000BC8187E849CD0500FFFFFFFFFFFFFFFF51") == _staged()[:25]


def test_the_layout_is_the_documented_one() -> None:
    data = _staged(subscription_name="abc")
    assert data[24:72] == b"QM1".ljust(48)
    assert data[72:120] == b"ORDERS.IN".ljust(48)
    assert data[120:128] == b"MQTRIAGE"
    assert struct.unpack_from("<iiqq", data, 128) == (1, 428, _DUE_US - 5_000_000, 5000)
    assert data[152:156] == b"MD  "
    assert data[516:540] == bytes(24)
    assert data[540:] == b"\3\0\0\0abc\0"


def test_the_original_message_stands_behind_the_tail_as_it_was() -> None:
    plain = ddh.encode_staged(1, 99, "QM1", "A", _ORIGINAL._replace(format="MQSTR"), 0, 1)
    decoded = chain.decode(DDH_FORMAT, 546, 1208, plain + b"the body")
    assert (
        decoded.body(plain + b"the body"),
        decoded.format,
        decoded.damages,
    ) == (b"the body", "MQSTR", ())


@pytest.mark.parametrize("order", ["<", ">"])
def test_names_are_assumed_only_when_both_read_as_names(order: str) -> None:
    header = _decoded(_real(b"QM.A".ljust(48) + b"IN\0".ljust(48, b"\0"), order), order=order)
    assert (
        header.target_q_mgr,
        header.target_q,
        header.fields()["names"],
        header.length,
    ) == ("QM.A", "IN", "assumed", 120)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(b"QM A".ljust(48) + b"IN".ljust(48), id="blank-inside"),
        pytest.param(b"QM".ljust(48) + b"IN\0X".ljust(48), id="text-after-padding"),
        pytest.param(bytes(96), id="no-names"),
        pytest.param(b"Q" * 48 + b"\xff" * 48, id="binary"),
    ],
)
def test_bytes_that_read_as_no_names_are_not_guessed_at(names: bytes) -> None:
    header = _decoded(_real(names))
    assert (
        header.target_q_mgr,
        header.target_q,
        header.fields()["names"],
        header.length,
    ) == (None, None, "layout unknown", 24)


def test_a_cut_header_is_a_damage() -> None:
    assert Damage(2, "DDH at offset 2: 24 bytes needed, 23 left") == ddh.decode(
        b"xx" + _real()[:23], 2
    )


@pytest.mark.parametrize(
    ("at", "value", "damage_text"),
    [
        (128, 2, "version 2, expected 1"),
        (132, 2**31 - 1, "length 2147483647, name length 0, 424 bytes left"),
        (132, 0, "length 0, name length 0"),
        (540, -1, "name length -1"),
        (540, 5, "name length 5"),
    ],
)
def test_a_broken_tail_is_a_damage_and_nothing_is_taken_from_it(
    at: int, value: int, damage_text: str
) -> None:
    data = bytearray(_staged())
    data[at : at + 4] = value.to_bytes(4, "little", signed=True)
    header = _decoded(bytes(data))
    assert header.tail is None
    assert damage_text in header.damages[0].text


def test_where_the_body_of_a_real_one_begins_is_not_worked_out() -> None:
    data = _real(b"QM1".ljust(48) + b"IN".ljust(48)) + b"\0" * 37 + b"plain text"
    decoded = chain.decode("", 546, 0, data)
    assert (0, data) == (decoded.body_offset, decoded.body(data))
    assert "DDH at offset 0: where the original message data begins is not known" in decoded.notes


def test_a_structure_behind_a_real_one_is_said_to_be_found_by_looking() -> None:
    rfh2 = b"RFH " + struct.pack(">iiii8sii", 2, 36, 273, 1208, b"MQSTR   ", 0, 1208)
    noise = b"RFH RFH \xff\xff" * 3
    data = _real(b"QM1".ljust(48) + b"IN".ljust(48)) + noise + rfh2 + b"body"
    decoded = chain.decode("MQSTR", 546, 1208, data)
    assert [
        (header.name, header.offset, header.found_by_looking) for header in decoded.headers
    ] == [
        ("DDH", 0, True),
        ("MQRFH2", 150, True),
    ]
    assert "RFH structure at offset 150, found by looking" in decoded.notes
    assert decoded.body(data) == b"body"


def test_the_time_of_an_emulator_message_is_its_due_time() -> None:
    header = _decoded(_staged())
    assert interpret_time(header, _ORIGINAL, EMULATED) == (_DUE_US, _DUE_US, "emulator")


def test_an_emulator_tail_counts_only_in_the_emulator() -> None:
    header = _decoded(_staged())
    md = _ORIGINAL._replace(put_date="20211001", put_time="12432105")
    assert interpret_time(header, md, UNDOCUMENTED) == (None, _DUE_US, "put")


@pytest.mark.parametrize(
    ("date", "time", "expected"),
    [
        pytest.param("20211001", "12432005", (_DUE_US, "assumed-due"), id="1.0047-s-later"),
        pytest.param("20211001", "12432006", (None, "put"), id="within-a-second"),
        pytest.param("20211001", "12433000", (None, "put"), id="earlier-than-the-put"),
        pytest.param("", "", (None, "put"), id="no-put-time"),
        pytest.param("20210230", "12432005", (None, "put"), id="no-such-day"),
    ],
)
def test_the_time_of_a_real_message_is_compared_with_its_put(
    date: str, time: str, expected: tuple[int | None, str]
) -> None:
    md = _ORIGINAL._replace(put_date=date, put_time=time)
    due, _, basis = interpret_time(_decoded(_real()), md, EMULATED)
    assert expected == (due, basis)
