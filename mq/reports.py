"""Report messages: which a message asks for, and what one looks like.

The "with data" options share a group of bits with the plain one, so each is tested by the whole
group (MQRO_COD_WITH_DATA is MQRO_COD and one bit more).

Sources: IBM MQ documentation, "Report (MQLONG)" and "Activity report MQMD"; EX-20, DD-120 to 124.
Where the two differ, see `_passed_report`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.records import NamedTuple

FIRST_BYTES: Final = 100
EXPIRATION_REPORT_TENTHS: Final = 600


class ReportKind(StrEnum):
    """What a report tells of."""

    EXCEPTION = "EXCEPTION"
    EXPIRATION = "EXPIRATION"
    COA = "COA"
    COD = "COD"
    PAN = "PAN"
    NAN = "NAN"
    ACTIVITY = "ACTIVITY"


class ReportData(StrEnum):
    """How much of the original a report carries."""

    NONE = "none"
    FIRST_100 = "100 bytes"
    FULL = "full"


class _Group(NamedTuple):
    plain: int
    with_data: int
    with_full_data: int


_GROUPS: Final = {
    ReportKind.EXCEPTION: _Group(
        cmqc.MQRO_EXCEPTION, cmqc.MQRO_EXCEPTION_WITH_DATA, cmqc.MQRO_EXCEPTION_WITH_FULL_DATA
    ),
    ReportKind.EXPIRATION: _Group(
        cmqc.MQRO_EXPIRATION, cmqc.MQRO_EXPIRATION_WITH_DATA, cmqc.MQRO_EXPIRATION_WITH_FULL_DATA
    ),
    ReportKind.COA: _Group(cmqc.MQRO_COA, cmqc.MQRO_COA_WITH_DATA, cmqc.MQRO_COA_WITH_FULL_DATA),
    ReportKind.COD: _Group(cmqc.MQRO_COD, cmqc.MQRO_COD_WITH_DATA, cmqc.MQRO_COD_WITH_FULL_DATA),
    ReportKind.PAN: _Group(cmqc.MQRO_PAN, cmqc.MQRO_PAN, cmqc.MQRO_PAN),
    ReportKind.NAN: _Group(cmqc.MQRO_NAN, cmqc.MQRO_NAN, cmqc.MQRO_NAN),
    ReportKind.ACTIVITY: _Group(cmqc.MQRO_ACTIVITY, cmqc.MQRO_ACTIVITY, cmqc.MQRO_ACTIVITY),
}

_SINGLE: Final = (
    (cmqc.MQRO_PASS_MSG_ID, "PASS_MSG_ID"),
    (cmqc.MQRO_PASS_CORREL_ID, "PASS_CORREL_ID"),
    (cmqc.MQRO_DISCARD_MSG, "DISCARD_MSG"),
    (cmqc.MQRO_PASS_DISCARD_AND_EXPIRY, "PASS_DISCARD_AND_EXPIRY"),
)

_FEEDBACK: Final = {
    ReportKind.EXPIRATION: cmqc.MQFB_EXPIRATION,
    ReportKind.COA: cmqc.MQFB_COA,
    ReportKind.COD: cmqc.MQFB_COD,
    ReportKind.PAN: cmqc.MQFB_PAN,
    ReportKind.NAN: cmqc.MQFB_NAN,
    ReportKind.ACTIVITY: cmqc.MQFB_ACTIVITY,
}

PASSED_ON_BY_DELAY_PROCESSOR: Final = frozenset(
    {ReportKind.COA, ReportKind.COD, ReportKind.PAN, ReportKind.NAN, ReportKind.ACTIVITY}
)
"""Options that the delivery delay processor leaves for the target queue (DD-121 to DD-124)."""


class ReportMessage(NamedTuple):
    """A report ready to be put.

    Attributes:
        md: its descriptor, all context set; put it with MQPMO_SET_ALL_CONTEXT.
        body: what it carries of the original.
        queue, queue_manager: ReplyToQ and ReplyToQMgr of the original.
    """

    md: MQMD
    body: bytes
    queue: str
    queue_manager: str


def data_of(report: int, kind: ReportKind) -> ReportData | None:
    """How much data the report of that kind is to carry, or None when none was asked for."""
    group = _GROUPS[kind]
    if not report & group.plain:
        return None
    if group.with_full_data == group.plain:
        return ReportData.NONE
    asked = report & group.with_full_data
    if asked == group.with_full_data:
        return ReportData.FULL
    return ReportData.FIRST_100 if asked == group.with_data else ReportData.NONE


def kinds_requested(report: int) -> tuple[ReportKind, ...]:
    """Which reports the message asks for: (EXPIRATION, COD)."""
    return tuple(kind for kind in ReportKind if report & _GROUPS[kind].plain)


def requested(report: int) -> tuple[str, ...]:
    """Name every option that is set: ("EXPIRATION_WITH_DATA", "DISCARD_MSG").

    Options of value 0 (NEW_MSG_ID, DEAD_LETTER_Q ...) cannot be seen to be set. Bits that are no
    option we know come last, in hex: ``0x00040000``.
    """
    names = []
    unknown = report & 0xFFFFFFFF
    for kind in kinds_requested(report):
        group, data = _GROUPS[kind], data_of(report, kind)
        if data is ReportData.FULL:
            names.append(f"{kind}_WITH_FULL_DATA")
            unknown &= ~group.with_full_data
        elif data is ReportData.FIRST_100:
            names.append(f"{kind}_WITH_DATA")
            unknown &= ~group.with_data
        else:
            names.append(str(kind))
            unknown &= ~group.plain
    for bit, name in _SINGLE:
        if report & bit:
            names.append(name)
            unknown &= ~bit
    return (*names, f"0x{unknown:08X}") if unknown else tuple(names)


def without_first_bytes(report: int) -> int:
    """Report of a segment that has none of the first 100 bytes: WITH_DATA becomes the plain option.

    Source: IBM MQ documentation, "MsgFlags", MQMF_SEGMENTATION_ALLOWED.
    """
    for group in _GROUPS.values():
        if group.with_data != group.plain and report & group.with_full_data == group.with_data:
            report &= ~group.with_data | group.plain
    return report


def put_reason(report: int, msg_type: int, reply_to_q: str, *, leaves: bool = False) -> int:
    """The reason a put with these options fails with, or 0.

    Args:
        leaves: the message goes to a transmission queue, where MQRO_ACCEPT_UNSUP_IF_XMIT_MASK lets
            options pass that this queue manager does not know.

    2061 for bits that are no option; 2027 for a request, or a message that asks for reports,
    without ReplyToQ.
    """
    rejected = cmqc.MQRO_REJECT_UNSUP_MASK | (0 if leaves else cmqc.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK)
    if report & rejected & ~_OPTIONS:
        return cmqc.MQRC_REPORT_OPTIONS_ERROR
    if not reply_to_q and (msg_type == cmqc.MQMT_REQUEST or kinds_requested(report)):
        return cmqc.MQRC_MISSING_REPLY_TO_Q
    return 0


def has_unknown_options(report: int) -> bool:
    """Whether a message that was put asks for what this queue manager does not know (2104)."""
    return bool(report & ~(_OPTIONS | cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID))


_OPTIONS: Final = reduce(
    or_,
    (group.with_full_data for group in _GROUPS.values()),
    cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY,
)


def report_message(
    md: MQMD,
    body: bytes,
    kind: ReportKind,
    *,
    new_msg_id: bytes,
    queue_manager: str,
    put_date: str,
    put_time: str,
    reason: int = 0,
    header_length_bytes: int = 0,
) -> ReportMessage:
    """Build the report of that kind about an original message.

    A segment's report is a segment, too, and says in OriginalLength for how much it stands.

    Args:
        md: descriptor of the original as its sender put it, with `expiry_tenths` what is left of
            its lifetime. For a staged message that is the sender's, not the staged one's (DD-77).
        body: message data of the original, headers first.
        kind: which report; the original must ask for it.
        new_msg_id: 24 bytes, used unless MQRO_PASS_MSG_ID is set.
        queue_manager: the one that makes the report; becomes PutApplName.
        put_date, put_time: ``YYYYMMDD`` and ``HHMMSSTH``, UTC.
        reason: MQRC_* for Feedback; for EXCEPTION alone.
        header_length_bytes: MQ headers at the front of *body*, which come on top of the 100 bytes.

    Raises:
        ValueError: If the original does not ask for it, or an EXCEPTION comes without reason.
    """
    data = data_of(md.report, kind)
    if data is None:
        raise ValueError(f"Report 0x{md.report & 0xFFFFFFFF:08X} does not ask for {kind}")
    feedback = reason if kind is ReportKind.EXCEPTION else _FEEDBACK[kind]
    if not feedback:
        raise ValueError("an exception report needs the reason code that it tells of")
    carried = {
        ReportData.NONE: b"",
        ReportData.FIRST_100: body[: header_length_bytes + FIRST_BYTES],
        ReportData.FULL: body,
    }[data]
    passed = bool(md.report & cmqc.MQRO_PASS_DISCARD_AND_EXPIRY)
    report_md = md._replace(
        report=_passed_report(md.report, kind),
        msg_type=cmqc.MQMT_REPORT,
        expiry_tenths=_passed_expiry(md.expiry_tenths, kind) if passed else cmqc.MQEI_UNLIMITED,
        feedback=feedback,
        msg_id=md.msg_id if md.report & cmqc.MQRO_PASS_MSG_ID else new_msg_id,
        correl_id=md.correl_id if md.report & cmqc.MQRO_PASS_CORREL_ID else md.msg_id,
        backout_count=0,
        reply_to_q="",
        reply_to_q_mgr="",
        put_appl_type=cmqc.MQAT_QMGR,
        put_appl_name=queue_manager[:28],
        put_date=put_date,
        put_time=put_time,
        appl_origin_data="",
        original_length=len(body) if md.msg_flags & cmqc.MQMF_SEGMENT else cmqc.MQOL_UNDEFINED,
    )
    return ReportMessage(report_md, carried, md.reply_to_q, md.reply_to_q_mgr)


def _passed_report(report: int, kind: ReportKind) -> int:
    """DISCARD_MSG or nothing.

    "Report (MQLONG)" passes MQRO_DISCARD_MSG on when PASS_DISCARD_AND_EXPIRY is set too, and so do
    IBM's sample programs; the page on activity reports sets it for either option. Each is followed
    for its own reports.
    """
    both = cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY
    set_bits = report & both
    passes = bool(set_bits) if kind is ReportKind.ACTIVITY else set_bits == both
    return cmqc.MQRO_DISCARD_MSG if passes else 0


def _passed_expiry(remaining_tenths: int, kind: ReportKind) -> int:
    """The lifetime passed on: what is left, or a minute for an expiration report.

    "Report (MQLONG)": nothing is left of a message that has expired, so its report gets 60 seconds.
    """
    if kind is ReportKind.EXPIRATION or remaining_tenths == 0:
        return EXPIRATION_REPORT_TENTHS
    return remaining_tenths


class Reported(NamedTuple):
    """What an expiration report tells of the message that it is about.

    Attributes:
        original: its descriptor as far as a report has it. MsgType, Report, ReplyToQ, the put time
            and the lifetime are not told; Expiry is unlimited.
        data: how much of the message data there is.
        kept_id: "MsgId" or "CorrelId": which of the original's ids the report has in CorrelId.
    """

    original: MQMD
    data: ReportData
    kept_id: str


def told_by(md: MQMD, length_bytes: int, header_length_bytes: int = 0) -> Reported | str:
    """What is known of the original from its expiration report, or why this is none.

    A report has the original's MsgId in CorrelId, or with MQRO_PASS_CORREL_ID its CorrelId, and
    does not say which. An id that a queue manager made is taken for the MsgId; any other one for
    the CorrelId, where a program that chose it wants it back. The queue manager then makes a MsgId.

    How much data there is follows from OriginalLength where it is set, else from the length: what
    ends after 100 bytes is taken for MQRO_EXPIRATION_WITH_DATA.

    Args:
        length_bytes: how much the report carries.
        header_length_bytes: MQ headers at its front, which come on top of the 100 bytes.
    """
    if md.msg_type != cmqc.MQMT_REPORT or md.feedback != cmqc.MQFB_EXPIRATION:
        return "it is not an expiration report"
    if not length_bytes:
        data = ReportData.NONE
    elif md.original_length >= 0:
        data = ReportData.FULL if length_bytes >= md.original_length else ReportData.FIRST_100
    elif length_bytes == header_length_bytes + FIRST_BYTES:
        data = ReportData.FIRST_100
    else:
        data = ReportData.FULL
    made_by_queue_manager = md.correl_id.startswith(_MADE_BY_QUEUE_MANAGERS)
    original = md._replace(
        report=0,
        msg_type=cmqc.MQMT_DATAGRAM,
        expiry_tenths=cmqc.MQEI_UNLIMITED,
        feedback=0,
        msg_id=md.correl_id if made_by_queue_manager else NO_ID,
        correl_id=NO_ID if made_by_queue_manager else md.correl_id,
        original_length=cmqc.MQOL_UNDEFINED,
    )
    return Reported(original, data, "MsgId" if made_by_queue_manager else "CorrelId")


_MADE_BY_QUEUE_MANAGERS: Final = (b"AMQ ", b"CSQ ", b"\xc3\xe2\xd8\x40")
"""How the MsgIds begin that a queue manager makes; on z/OS in EBCDIC."""
