"""Report options by their whole group of bits, and report messages built from an original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc, name_table
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.reports import (
    PASSED_ON_BY_DELAY_PROCESSOR,
    ReportData,
    ReportKind,
    ReportMessage,
    data_of,
    has_unknown_options,
    kinds_requested,
    put_reason,
    report_message,
    requested,
    told_by,
)

MSG_ID, CORREL_ID, NEW_ID = b"M" * 24, b"C" * 24, b"N" * 24
BODY = bytes(range(256))
ORIGINAL = MQMD(
    msg_id=MSG_ID,
    correl_id=CORREL_ID,
    priority=7,
    persistence=1,
    format="MQSTR",
    encoding=273,
    ccsid=819,
    expiry_tenths=400,
    backout_count=2,
    reply_to_q="REPLIES",
    reply_to_q_mgr="QM2",
    user_identifier="app",
    put_appl_name="pay.Loader",
)

WITH_DATA = {
    name.removeprefix("MQRO_"): value
    for name, value in name_table.family("MQRO_").items()
    if value > 0 and not name.endswith("_MASK")
}


def report_on(options: int, kind: ReportKind, **facts: int) -> ReportMessage:
    return report_message(
        ORIGINAL._replace(report=options),
        BODY,
        kind,
        new_msg_id=NEW_ID,
        queue_manager="QM1",
        put_date="20260131",
        put_time="10203040",
        **facts,
    )


@pytest.mark.parametrize("name", WITH_DATA)
def test_each_option_is_told_by_its_own_name_alone(name: str) -> None:
    assert requested(WITH_DATA[name]) == (name,)


def test_options_are_told_together_and_unknown_bits_in_hex() -> None:
    report = cmqc.MQRO_EXPIRATION_WITH_DATA | cmqc.MQRO_COA | cmqc.MQRO_DISCARD_MSG | 0x40000
    assert requested(report) == ("EXPIRATION_WITH_DATA", "COA", "DISCARD_MSG", "0x00040000")
    assert requested(0) == ()
    assert requested(-(2**31)) == ("0x80000000",)


@given(st.integers(-(2**31), 2**31 - 1))
def test_the_names_add_up_to_the_bits(report: int) -> None:
    total = 0
    for name in requested(report):
        total |= int(name, 16) if name.startswith("0x") else WITH_DATA[name]
    assert total == report & 0xFFFFFFFF


@pytest.mark.seed("EX-20")
@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (0, None),
        (cmqc.MQRO_EXPIRATION, ReportData.NONE),
        (cmqc.MQRO_EXPIRATION_WITH_DATA, ReportData.FIRST_100),
        (cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, ReportData.FULL),
        pytest.param(0x00400000, None, id="the-data-bit-without-the-option"),
        pytest.param(cmqc.MQRO_EXPIRATION | 0x00800000, ReportData.NONE, id="half-of-full-data"),
    ],
)
def test_with_data_is_tested_by_the_whole_group(report: int, expected: ReportData | None) -> None:
    assert data_of(report, ReportKind.EXPIRATION) is expected


def test_kinds_do_not_leak_into_each_other() -> None:
    assert kinds_requested(cmqc.MQRO_COD_WITH_DATA | cmqc.MQRO_PAN) == (
        ReportKind.COD,
        ReportKind.PAN,
    )
    assert kinds_requested(cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_PASS_MSG_ID) == ()


@pytest.mark.seed("DD-121", "DD-122", "DD-123", "DD-124")
def test_the_delay_processor_acts_on_exception_and_expiration_only() -> None:
    acted_on = set(ReportKind) - PASSED_ON_BY_DELAY_PROCESSOR
    assert acted_on == {ReportKind.EXCEPTION, ReportKind.EXPIRATION}


@pytest.mark.seed("EX-20", "DD-78")
@pytest.mark.parametrize(
    ("options", "body"),
    [
        pytest.param(cmqc.MQRO_EXPIRATION, b"", id="none"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_DATA, BODY[:100], id="100-bytes"),
        pytest.param(cmqc.MQRO_EXPIRATION_WITH_FULL_DATA, BODY, id="all"),
    ],
)
def test_an_expiration_report(options: int, body: bytes) -> None:
    md, carried, queue, queue_manager = report_on(options, ReportKind.EXPIRATION)
    assert carried == body
    assert (queue, queue_manager) == ("REPLIES", "QM2")
    assert (md.msg_type, md.feedback) == (cmqc.MQMT_REPORT, 258)
    assert (md.format, md.encoding, md.ccsid) == ("MQSTR", 273, 819)
    assert (md.priority, md.persistence) == (7, 1)
    assert (md.report, md.expiry_tenths, md.backout_count) == (0, -1, 0)
    assert (md.put_appl_type, md.put_appl_name) == (7, "QM1")
    assert (md.put_date, md.put_time) == ("20260131", "10203040")
    assert (md.reply_to_q, md.user_identifier) == ("", "app")


def test_headers_come_on_top_of_the_100_bytes() -> None:
    report = report_on(
        cmqc.MQRO_EXPIRATION_WITH_DATA, ReportKind.EXPIRATION, header_length_bytes=36
    )
    assert report.body == BODY[:136]


@pytest.mark.seed("DD-120")
@pytest.mark.parametrize(
    ("option", "msg_id", "correl_id"),
    [
        pytest.param(0, NEW_ID, MSG_ID, id="new-id-and-copy-to-correl-id"),
        pytest.param(cmqc.MQRO_PASS_MSG_ID, MSG_ID, MSG_ID, id="pass-msg-id"),
        pytest.param(cmqc.MQRO_PASS_CORREL_ID, NEW_ID, CORREL_ID, id="pass-correl-id"),
        pytest.param(
            cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID, MSG_ID, CORREL_ID, id="pass-both"
        ),
    ],
)
def test_ids_of_a_report(option: int, msg_id: bytes, correl_id: bytes) -> None:
    md = report_on(cmqc.MQRO_COA | option, ReportKind.COA).md
    assert (md.msg_id, md.correl_id, md.feedback) == (msg_id, correl_id, 259)


PASS, DISCARD = cmqc.MQRO_PASS_DISCARD_AND_EXPIRY, cmqc.MQRO_DISCARD_MSG


@pytest.mark.seed("DD-120")
@pytest.mark.parametrize(
    ("kind", "option", "report", "expiry"),
    [
        pytest.param(ReportKind.EXCEPTION, DISCARD, 0, -1, id="discard-alone-is-not-passed"),
        pytest.param(ReportKind.EXCEPTION, PASS, 0, 400, id="only-the-expiry-to-pass"),
        pytest.param(ReportKind.EXCEPTION, PASS | DISCARD, DISCARD, 400, id="both-passed"),
        pytest.param(ReportKind.EXPIRATION, PASS, 0, 600, id="a-minute-for-expiration"),
        pytest.param(ReportKind.ACTIVITY, DISCARD, DISCARD, -1, id="activity-takes-either"),
    ],
)
def test_what_pass_discard_and_expiry_hands_on(
    kind: ReportKind, option: int, report: int, expiry: int
) -> None:
    asked = {
        ReportKind.EXCEPTION: cmqc.MQRO_EXCEPTION,
        ReportKind.EXPIRATION: cmqc.MQRO_EXPIRATION,
        ReportKind.ACTIVITY: cmqc.MQRO_ACTIVITY,
    }[kind]
    md = report_on(asked | option, kind, reason=2053).md
    assert (md.report, md.expiry_tenths) == (report, expiry)


def test_where_nothing_is_left_an_exception_report_has_a_minute_too() -> None:
    original = ORIGINAL._replace(report=cmqc.MQRO_EXCEPTION | PASS, expiry_tenths=0)
    report = report_message(
        original, BODY, ReportKind.EXCEPTION, new_msg_id=NEW_ID, queue_manager="QM1",
        put_date="20260131", put_time="10203040", reason=2053,
    )  # fmt: skip
    assert report.md.expiry_tenths == 600


@pytest.mark.parametrize("kind", [cmqc.MQRO_EXCEPTION, cmqc.MQRO_EXCEPTION_WITH_FULL_DATA])
def test_the_report_on_a_segment_says_how_long_that_was(kind: int) -> None:
    segment = ORIGINAL._replace(report=kind, msg_flags=cmqc.MQMF_SEGMENT)
    report = report_message(
        segment, BODY, ReportKind.EXCEPTION, new_msg_id=NEW_ID, queue_manager="QM1",
        put_date="20260131", put_time="10203040", reason=2053,
    )  # fmt: skip
    assert report.md.original_length == len(BODY)
    assert report_on(kind, ReportKind.EXCEPTION, reason=2053).md.original_length == -1


@pytest.mark.seed("DD-97")
def test_an_exception_report_carries_the_reason() -> None:
    assert report_on(cmqc.MQRO_EXCEPTION, ReportKind.EXCEPTION, reason=2053).md.feedback == 2053
    with pytest.raises(ValueError, match="reason code"):
        report_on(cmqc.MQRO_EXCEPTION, ReportKind.EXCEPTION)


@pytest.mark.seed("EX-21", "DD-79")
def test_a_report_nobody_asked_for_is_not_built() -> None:
    with pytest.raises(ValueError, match="does not ask for EXPIRATION"):
        report_on(cmqc.MQRO_COA | cmqc.MQRO_NAN, ReportKind.EXPIRATION)


@pytest.mark.parametrize(
    ("report", "msg_type", "reply_to_q", "reason"),
    [
        pytest.param(cmqc.MQRO_COA, cmqc.MQMT_DATAGRAM, "", 2027, id="report-without-reply-queue"),
        pytest.param(cmqc.MQRO_COA, cmqc.MQMT_DATAGRAM, "R", 0, id="report-with-one"),
        pytest.param(0, cmqc.MQMT_REQUEST, "", 2027, id="request-without"),
        pytest.param(cmqc.MQRO_DISCARD_MSG, cmqc.MQMT_DATAGRAM, "", 0, id="discard-needs-none"),
        pytest.param(0x00040000, cmqc.MQMT_DATAGRAM, "R", 2061, id="unknown-bit-to-reject"),
        pytest.param(0x02000000, cmqc.MQMT_DATAGRAM, "R", 0, id="unknown-bit-to-accept"),
        pytest.param(
            cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_EXCEPTION, cmqc.MQMT_DATAGRAM, "R", 0, id="known-bits"
        ),
    ],
)
def test_put_reason(report: int, msg_type: int, reply_to_q: str, reason: int) -> None:
    assert put_reason(report, msg_type, reply_to_q) == reason


def test_an_option_that_is_let_pass_is_known_to_be_unknown() -> None:
    known = (
        cmqc.MQRO_COA
        | cmqc.MQRO_EXCEPTION
        | cmqc.MQRO_PASS_CORREL_ID
        | cmqc.MQRO_DISCARD_MSG
        | cmqc.MQRO_NAN
    )
    assert not has_unknown_options(known)
    assert has_unknown_options(known | 0x20)


def test_an_unknown_option_may_pass_on_to_another_queue_manager() -> None:
    unknown = 0x8000
    assert put_reason(unknown, cmqc.MQMT_DATAGRAM, "R") == 2061
    assert put_reason(unknown, cmqc.MQMT_DATAGRAM, "R", leaves=True) == 0
    assert put_reason(0x00040000, cmqc.MQMT_DATAGRAM, "R", leaves=True) == 2061


@pytest.mark.parametrize("begins", [b"AMQ ", b"CSQ ", "CSQ ".encode("cp500")])
def test_an_id_that_a_queue_manager_made_is_the_msg_id_of_what_expired(begins: bytes) -> None:
    own_id = begins + b"QM1" + bytes(17)
    report, body, _, _ = report_on(cmqc.MQRO_EXPIRATION, ReportKind.EXPIRATION)
    for correl_id, kept in ((own_id, "MsgId"), (b"ORDER-1".ljust(24), "CorrelId")):
        reported = told_by(report._replace(correl_id=correl_id), len(body))
        assert not isinstance(reported, str)
        original = reported.original
        assert reported.kept_id == kept
        assert (original.msg_id if kept == "MsgId" else original.correl_id) == correl_id
