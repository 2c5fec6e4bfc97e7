"""MQDLH, MQXQH, MQMDE, MQTM and MQIIH, built by hand from the documented offsets."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import pytest

from mqtriage.mq import descriptor
from mqtriage.mq.descriptor import MQMD, ByteOrder
from mqtriage.mq.headers import dlh, iih, mde, tm, xqh
from mqtriage.mq.headers.formats import EMBEDDED_EXPIRY_OFFSET
from mqtriage.mq.headers.layout import Damage, Following

both_orders = pytest.mark.parametrize("order", ["<", ">"])


def _dlh(order: str, reason: int = 2053, codec: str = "ascii") -> bytes:
    def text(value: str, length: int) -> bytes:
        return value.ljust(length).encode(codec)

    return (
        text("DLH", 4)
        + struct.pack(order + "ii", 1, reason)
        + text("PAYMENTS.IN", 48)
        + text("QM1", 48)
        + struct.pack(order + "ii", 546, 819)
        + text("MQSTR", 8)
        + struct.pack(order + "i", 6)
        + text("amqrmppa", 28)
        + text("2026013109121544", 16)
    )


@pytest.mark.parametrize("codec", ["ascii", "cp037", "cp500", "cp1140"])
@both_orders
def test_a_dead_letter_header_is_read_and_comes_back(order: ByteOrder, codec: str) -> None:
    data = b"??" + _dlh(order, codec=codec)
    header = dlh.decode(data, 2, order, codec)
    assert isinstance(header, dlh.DLH)
    expected = dlh.DLH(2053, "PAYMENTS.IN", "QM1", 546, 819, "MQSTR", 6, "amqrmppa", "20260131",
                       "09121544", order=order, codec=codec)  # fmt: skip
    assert expected == header
    assert data[2:] == dlh.encode(header) == dlh.encode(expected)
    assert Following("MQSTR", 546, 819) == header.following


def test_a_name_ends_at_its_first_nul_and_what_is_behind_it_comes_back() -> None:
    data = bytearray(_dlh("<"))
    data[12:60] = b"A.B\0garbage".ljust(48, b"\xfe")
    header = dlh.decode(bytes(data))
    assert isinstance(header, dlh.DLH)
    assert header.dest_q_name == "A.B"
    assert bytes(data) == dlh.encode(header)
    changed = dlh.encode(replace(header, reason=2051))
    assert data[:8] + (2051).to_bytes(4, "little") + data[12:] == changed


def test_a_changed_name_is_written_padded_with_blanks() -> None:
    header = dlh.decode(_dlh("<"))
    assert isinstance(header, dlh.DLH)
    assert dlh.encode(replace(header, dest_q_name="X"))[12:60] == b"X".ljust(48)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        (2053, "MQRC_Q_FULL"),
        (2085, "MQRC_UNKNOWN_OBJECT_NAME"),
        (2362, "MQRC_BACKOUT_THRESHOLD_REACHED"),
        (265, "MQFB_APPL_CANNOT_BE_STARTED"),
        (9999, "reason 9999"),
    ],
)
def test_a_reason_may_be_a_feedback_code(reason: int, name: str) -> None:
    header = dlh.decode(_dlh("<", reason))
    assert isinstance(header, dlh.DLH)
    assert name == header.fields()["reason_name"]


def test_the_put_time_of_a_dead_letter_is_a_time_for_people_too() -> None:
    header = dlh.DLH(put_date="20260131", put_time="09121544")
    assert header.fields()["dlq_put_time"] == "2026-01-31T09:12:15.44Z"
    assert dlh.DLH().fields()["dlq_put_time"] is None


@pytest.mark.parametrize(
    ("decode", "length", "name"),
    [
        (dlh.decode, 172, "MQDLH"),
        (xqh.decode, 428, "MQXQH"),
        (mde.decode, 72, "MQMDE"),
        (tm.decode, 684, "MQTM"),
        (iih.decode, 84, "MQIIH"),
    ],
)
def test_a_structure_that_is_one_byte_short_is_a_damage(
    decode: Any, length: int, name: str
) -> None:
    damage_text = f"{name} at offset 9: {length} bytes needed, {length - 1} left"
    assert Damage(9, damage_text) == decode(bytes(9 + length - 1), 9)
    assert damage_text.replace(str(length - 1), "0") == decode(b"123456789", 9).text


@pytest.mark.seed("EX-50")
@both_orders
def test_a_transmission_queue_header_has_a_descriptor_of_its_own(order: ByteOrder) -> None:
    inner = MQMD(expiry_tenths=600, format="MQSTR", encoding=273, ccsid=819, put_date="20260131",
                 put_time="10000000", version=1)  # fmt: skip
    data = (
        b"XQH " + struct.pack(order + "i", 1) + b"REMOTE.Q".ljust(48) + b"QM2".ljust(48)
        + descriptor.pack(inner, order)
    )  # fmt: skip
    assert struct.unpack_from(order + "i", data, EMBEDDED_EXPIRY_OFFSET) == (600,)
    header = xqh.decode(data, 0, order)
    assert isinstance(header, xqh.XQH)
    assert (inner, "REMOTE.Q", "QM2", ()) == (
        header.message_descriptor,
        header.remote_q_name,
        header.remote_q_mgr_name,
        header.damages,
    )
    assert Following("MQSTR", 273, 819) == header.following
    assert data == xqh.encode(header)
    shorter = xqh.encode(replace(header, message_descriptor=inner._replace(expiry_tenths=500)))
    assert data[:120] + struct.pack(order + "i", 500) + data[124:] == shorter


@pytest.mark.parametrize(
    ("at", "new", "damage_text"),
    [
        (104, b"XX  ", "embedded MQMD at offset 104: StrucId is b'XX  '"),
        (108, b"\2\0\0\0", "embedded MQMD at offset 104: Version 2, expected 1"),
    ],
)
def test_a_wrong_embedded_descriptor_is_told_and_still_read(
    at: int, new: bytes, damage_text: str
) -> None:
    data = bytearray(xqh.encode(xqh.XQH("Q", "M", MQMD(expiry_tenths=77, version=1))))
    data[at : at + 4] = new
    header = xqh.decode(bytes(data))
    assert isinstance(header, xqh.XQH)
    assert (damage_text, 77) == (header.damages[0].text, header.message_descriptor.expiry_tenths)
    assert bytes(data) == xqh.encode(header)


@both_orders
def test_a_descriptor_extension_is_read_and_comes_back(order: ByteOrder) -> None:
    data = (
        b"MDE " + struct.pack(order + "iiii", 2, 72, 546, 1208) + b"MQSTR   "
        + struct.pack(order + "i24siiii", 0, b"G" * 24, 3, 40, 0x18, -1)
    )  # fmt: skip
    header = mde.decode(data, 0, order)
    assert mde.MDE(546, 1208, "MQSTR", 0, b"G" * 24, 3, 40, 0x18, -1, order=order) == header
    assert isinstance(header, mde.MDE)
    assert data == mde.encode(header)


@pytest.mark.parametrize(
    ("decode", "struc_id", "length"), [(mde.decode, b"MDE ", 72), (iih.decode, b"IIH ", 84)]
)
def test_a_structure_length_that_is_not_the_documented_one_is_a_damage(
    decode: Any, struc_id: bytes, length: int
) -> None:
    data = (struc_id + struct.pack("<ii", 1, length + 4)).ljust(length, b"\0")
    assert decode(data).text.endswith(f"StrucLength {length + 4}, expected {length}")


@both_orders
def test_a_trigger_message_is_read_and_comes_back(order: ByteOrder) -> None:
    data = (
        b"TM  " + struct.pack(order + "i", 1) + b"ORDERS.IN".ljust(48) + b"PROC".ljust(48)
        + b"DATA".ljust(64) + struct.pack(order + "i", 6) + b"/opt/start".ljust(256)
        + b"&".ljust(128) + b"-x".ljust(128)
    )  # fmt: skip
    trigger = tm.decode(data, 0, order)
    assert tm.TM("ORDERS.IN", "PROC", "DATA", 6, "/opt/start", "&", "-x", order=order) == trigger
    assert isinstance(trigger, tm.TM)
    assert data == tm.encode(trigger)


def _iih(flags: int, authenticator: bytes = b"PASSWORD") -> bytes:
    return (
        b"IIH " + struct.pack(">iiii", 1, 84, 0, 0) + b"MQIMSVS " + struct.pack(">i", flags)
        + b"LTERM   MAP     " + b"MQSTR   " + authenticator + bytes(range(16)) + b"C1F "
    )  # fmt: skip


def test_an_ims_header_is_read_and_comes_back() -> None:
    header = iih.decode(_iih(1), 0, ">")
    assert isinstance(header, iih.IIH)
    assert (header.tran_state, header.commit_mode, header.security_scope) == ("C", "1", "F")
    assert _iih(1) == iih.encode(header)


def test_ims_flags_have_names_and_unknown_bits_stay_visible() -> None:
    assert iih.flag_names(33) == ["MQIIH_PASS_EXPIRATION", "MQIIH_CM0_REQUEST_RESPONSE"]
    assert iih.flag_names(16 + 256 - 2**31) == ["MQIIH_IGNORE_PURG", "0x80000100"]


def test_the_password_in_an_ims_header_is_never_shown() -> None:
    header = iih.decode(_iih(0), 0, ">")
    assert isinstance(header, iih.IIH)
    assert header.fields()["authenticator"] == "(not shown)"
    assert "PASSWORD" not in repr(header) + repr(header.fields())
    blank = iih.decode(_iih(0, b" " * 8), 0, ">")
    assert isinstance(blank, iih.IIH)
    assert blank.fields()["authenticator"] == ""
