"""What the copy of a moved message looks like."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused
from mqtriage.mq.headers import ddh, dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.operations.copies.copy import (
    Copy,
    CopyOptions,
    copy_of,
    kept_expiry,
    read_copy_options,
    staged_original,
    without_added,
)
from mqtriage.operations.copies.request import (
    ActRequest,
    ExtendLifetime,
    request_from,
    request_record,
)


def message(md: MQMD, body: bytes) -> Message:
    return Message(md, body, len(body))


@pytest.mark.seed("EX-08")
@pytest.mark.parametrize(
    ("remaining", "held_us", "expected"),
    [
        pytest.param(600, 20_000_000, 400, id="twenty-seconds"),
        pytest.param(600, 99_999, 600, id="less-than-a-tenth"),
        pytest.param(600, 60_000_000, 0, id="over"),
        pytest.param(600, 90_000_000, 0, id="long-over"),
        pytest.param(-1, 90_000_000, -1, id="unlimited"),
    ],
)
def test_time_held_is_taken_off_the_lifetime(remaining: int, held_us: int, expected: int) -> None:
    assert kept_expiry(remaining, held_us) == expected


@given(remaining=st.integers(1, 999_999_999), held_us=st.integers(0, 10**15))
def test_a_copy_never_lives_longer_than_the_original(remaining: int, held_us: int) -> None:
    assert 0 <= kept_expiry(remaining, held_us) <= remaining


def test_a_message_whose_lifetime_is_over_is_not_copied() -> None:
    assert copy_of(message(MQMD(expiry_tenths=5), b""), CopyOptions(), 10**9) == (
        "its lifetime has ended"
    )


def test_by_default_nothing_changes() -> None:
    original = message(MQMD(report=cmqc.MQRO_EXCEPTION, expiry_tenths=7, priority=3), b"body")
    assert copy_of(original, CopyOptions()) == Copy(original.md, b"body")
    assert CopyOptions().put_options() == cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_SET_ALL_CONTEXT


def test_stripping_reports_keeps_the_other_options() -> None:
    report = (
        cmqc.MQRO_EXCEPTION
        | cmqc.MQRO_COD_WITH_FULL_DATA
        | cmqc.MQRO_DISCARD_MSG
        | cmqc.MQRO_PASS_MSG_ID
    )
    copy = copy_of(message(MQMD(report=report), b""), CopyOptions(strip_reports=True))
    assert isinstance(copy, Copy)
    assert copy.md.report == cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_PASS_MSG_ID


def test_options_are_read_from_their_texts() -> None:
    options = read_copy_options(
        new_msg_id=True, expiry="1h", headers="strip", reports="strip", message_context="default"
    )
    assert options == CopyOptions(True, 36_000, "added", True, "default")
    assert (
        options.put_options()
        == cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_DEFAULT_CONTEXT | cmqc.MQPMO_NEW_MSG_ID
    )


def test_a_request_comes_back_from_its_plan() -> None:
    request = ActRequest("move", "IN", "OUT", copy=CopyOptions(context="default"))
    record = json.loads(json.dumps(request_record(request)))
    assert request_from(record) == request


@pytest.mark.parametrize(
    "copy",
    [
        CopyOptions(),
        CopyOptions(new_msg_id=True, expiry_tenths=9),
        CopyOptions(expiry_tenths=9, properties=(("priority", "9"),)),
        CopyOptions(expiry_tenths=9, context="default"),
    ],
)
def test_a_request_to_extend_lifetimes_that_changes_something_else_is_refused(
    copy: CopyOptions,
) -> None:
    """Resume and undo tell such a copy from its original by the lifetime alone."""
    with pytest.raises(Refused, match="cannot differ in anything else"):
        ActRequest("extend", "IN", "IN", copy, to=ExtendLifetime())


@pytest.mark.seed("PM-63", "PM-64", "PM-65", "PM-66", "PM-67", "PM-68")
def test_the_rfh2_of_a_jms_client_comes_off_and_its_fields_go_back() -> None:
    header = rfh2.build([("mcd", {"Msd": "jms_text"})], Following("MQSTR", 546, 37))
    poison = message(MQMD(format="MQHRF2", ccsid=1208, encoding=273), rfh2.encode(header) + b"\xc1")
    copy = without_added(poison)
    assert isinstance(copy, Copy)
    assert (copy.md.format, copy.md.encoding, copy.md.ccsid) == ("MQSTR", 546, 37)
    assert copy.body == b"\xc1"


@pytest.mark.parametrize(
    ("md", "body", "says"),
    [
        pytest.param(
            MQMD(format="MQHRF2", ccsid=819, encoding=546), b"RFH ", "CCSID 1208", id="not-jms"
        ),
        pytest.param(MQMD(format="MQHRF2", ccsid=1208, encoding=273), b"RFH ", "MQRFH2", id="cut"),
        pytest.param(MQMD(format="MQDEAD", ccsid=819), b"none", "no MQDLH", id="no-dlh"),
        pytest.param(MQMD(format="MQDEAD", ccsid=819), b"DLH \0\0", "MQDLH", id="cut-dlh"),
    ],
)
def test_a_header_that_cannot_come_off_is_a_reason(md: MQMD, body: bytes, says: str) -> None:
    answer = without_added(message(md, body))
    assert isinstance(answer, str)
    assert says in answer


def test_a_message_without_an_added_header_stays_as_it_is() -> None:
    plain = message(MQMD(format="MQSTR"), b"x")
    assert without_added(plain) == Copy(plain.md, b"x")


def test_an_mqdlh_with_a_special_ccsid_leaves_the_ccsid_alone() -> None:
    header = dlh.DLH(format="MQSTR", encoding=546, ccsid=-2)
    dead = message(MQMD(format="MQDEAD", ccsid=1208, encoding=546), dlh.encode(header) + b"x")
    copy = without_added(dead)
    assert isinstance(copy, Copy)
    assert copy.md.ccsid == 1208


@pytest.mark.seed("DD-55")
def test_the_original_of_a_staged_message_is_rebuilt_with_the_lifetime_left() -> None:
    original = MQMD(msg_id=b"o" * 24, correl_id=b"c" * 24, format="MQSTR", expiry_tenths=900,
                    put_date="20260131", put_time="10000025")  # fmt: skip
    head = ddh.encode_staged(2_000_000, None, "QM1", "OUT", original, 1_000_000, 1000)
    staged = message(
        MQMD(msg_id=b"s" * 24, correl_id=b"o" * 24, format="MQHDDH", expiry_tenths=300),
        head + b"body",
    )
    copy = staged_original(staged)
    assert isinstance(copy, Copy)
    assert copy == Copy(original._replace(expiry_tenths=300), b"body")


@pytest.mark.parametrize("body", [b"", b"DDH ", b"DDH \1\0\0\0" + bytes(200)])
def test_a_delay_header_that_holds_no_original_is_a_reason(body: bytes) -> None:
    assert isinstance(staged_original(message(MQMD(format="MQHDDH"), body)), str)


@given(body=st.binary(max_size=400), form=st.sampled_from(["MQDEAD", "MQHRF2", "MQHDDH", ""]))
def test_any_bytes_give_a_copy_or_a_reason(body: bytes, form: str) -> None:
    md = MQMD(format=form, ccsid=1208, encoding=273)
    assert isinstance(without_added(message(md, body)), Copy | str)
    assert isinstance(staged_original(message(md, body)), Copy | str)
