"""What the copy of a moved message looks like: pure, with the reason where there can be none.

Everything stays by default: MsgId, CorrelId, context with the put date and time, priority,
persistence, Report, and the lifetime that is left (EX-08, EX-48). BackoutCount begins at 0, as for
any put.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal, TypeAlias, cast

from mqtriage.messages.decoded import chain_of
from mqtriage.model.units import parse_expiry_tenths
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import UsageError
from mqtriage.mq.expiry import GREATEST_TENTHS, TENTH_US
from mqtriage.mq.headers import ddh, dlh, rfh2, xqh
from mqtriage.mq.headers.formats import DDH_FORMAT, JMS_ENCODING, RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, Following, header_codec, order_of
from mqtriage.mq.headers.rfh2 import destination_queue, with_properties
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportData, Reported, told_by
from mqtriage.mq.times import put_date_and_time
from mqtriage.operations.copies.staged_assumed import assumed_original
from mqtriage.records import NamedTuple, dataclass

_REPORTS: Final = (
    cmqc.MQRO_EXCEPTION_WITH_FULL_DATA
    | cmqc.MQRO_EXPIRATION_WITH_FULL_DATA
    | cmqc.MQRO_COA_WITH_FULL_DATA
    | cmqc.MQRO_COD_WITH_FULL_DATA
    | cmqc.MQRO_PAN
    | cmqc.MQRO_NAN
    | cmqc.MQRO_ACTIVITY
)
ContextChoice: TypeAlias = Literal["keep", "set", "pass", "default"]
"""Whose user, program and put time the copy has: the original's, set or passed on, or ours."""

_AHEAD: Final = frozenset({"MQDEAD", "MQXMIT", "MQHDIST", "MQHMDE", DDH_FORMAT})
"""Formats of headers that stand in front of an MQRFH2."""
_MOMENT: Final = re.compile("[0-9]{4}-|[0-9]{1,2}:|to(day|morrow)|now", re.IGNORECASE)
_APPLICATION: Final = "mqtriage"
_OF_OPTION: Final[Mapping[str, Literal["", "added", "dropped"]]] = {
    "keep": "",
    "strip": "added",
    "drop": "dropped",
}
"""What `--headers` says, as `CopyOptions.strip` has it."""
_OF_JMS: Final = ("mcd", "jms", "mqext")
"""Folders of a JMS client itself (IBM MQ documentation, "The MQRFH2 header and JMS")."""


class DeadLetter(NamedTuple):
    """What the MQDLH of a copy says: why it is where it is, and where it should have gone."""

    reason: int
    queue: str
    queue_manager: str


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """How the copy differs from the original.

    Attributes:
        new_msg_id: let the queue manager make a MsgId.
        expiry_tenths: lifetime to write; None keeps what is left.
        strip: take a header off: of a dead letter the MQDLH, of a staged message the delay
            header ("staged", or "assumed" where its layout is a guess), else the MQDLH or the
            MQRFH2 that a JMS client added. "dropped" takes off the MQDLH, and each MQRFH2 with its
            properties. "report" makes the original again from the expiration
            report that the message is.
        strip_reports: clear the requests for reports in Report.
        context: "keep" sets the original's where that is allowed and passes it on elsewhere;
            "default" lets the queue manager fill in its own.
        dead_letter: put an MQDLH in front that says this.
        expires_at_us: when the lifetime ends that is written, whenever the copy is made.
        properties: names and new texts of properties of folder usr; None takes one out.
    """

    new_msg_id: bool = False
    expiry_tenths: int | None = None
    strip: Literal["", "added", "dropped", "staged", "assumed", "report"] = ""
    strip_reports: bool = False
    context: ContextChoice = "keep"
    dead_letter: DeadLetter | None = None
    expires_at_us: int | None = None
    properties: tuple[tuple[str, str | None], ...] = ()

    @property
    def only_extends(self) -> bool:
        """Whether the copy has a new lifetime and, but for report requests, nothing else."""
        same = replace(self, expiry_tenths=None, strip_reports=False)
        return self.expiry_tenths is not None and same == CopyOptions()

    @property
    def keeps_data(self) -> bool:
        """Whether the data of a copy is that of its original, byte for byte."""
        return not (self.strip or self.dead_letter or self.properties)

    @property
    def added_bytes(self) -> int:
        """How much longer than the original a copy can be."""
        letter = cmqc.MQDLH_CURRENT_LENGTH if self.dead_letter is not None else 0
        return letter + len(with_properties(MQMD(), b"", dict(self.properties))[1])

    @property
    def may_pass_context(self) -> bool:
        """Whether the copy has the context of the message that is got for it, and no other's."""
        return self.context in ("keep", "pass") and self.strip in ("", "added", "dropped")

    def put_options(self, *, passes: bool = False) -> int:
        """MQPMO_* bits of the put; *passes* for a queue that is open to pass context on."""
        context = cmqc.MQPMO_PASS_ALL_CONTEXT if passes else cmqc.MQPMO_SET_ALL_CONTEXT
        if self.context == "default":
            context = cmqc.MQPMO_DEFAULT_CONTEXT
        return cmqc.MQPMO_SYNCPOINT | context | (cmqc.MQPMO_NEW_MSG_ID if self.new_msg_id else 0)


class Copy(NamedTuple):
    """What is put."""

    md: MQMD
    body: bytes


def read_copy_options(
    *,
    new_msg_id: bool = False,
    expiry: str = "keep",
    headers: str = "keep",
    reports: str | None = None,
    message_context: str = "keep",
    end_of: Callable[[str], int] | None = None,
    set_prop: Sequence[str] = (),
) -> CopyOptions:
    """The options from their texts.

    Args:
        set_prop: ``NAME=VALUE``, or ``NAME`` of a property that the copies do not get.
        end_of: reads a time, which *expiry* may be where copies are made of messages in hand.
    """
    at_us = end_of(expiry) if end_of is not None and _MOMENT.match(expiry) else None
    kept = at_us is not None or expiry.lower() == "keep"
    return CopyOptions(
        new_msg_id,
        None if kept else parse_expiry_tenths(expiry, what="--expiry"),
        _OF_OPTION[headers],
        reports == "strip",
        cast("ContextChoice", message_context),
        expires_at_us=at_us,
        properties=_read_properties(set_prop),
    )


def _read_properties(given: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """Raises UsageError: one has no name, is given twice, or cannot stand in XML."""
    changes: dict[str, str | None] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name:
            raise UsageError(f"--set-prop {text[:60]!r}: not a property", hint="write NAME=VALUE")
        changes[name] = value if equals else None
    if len(changes) != len(given):
        raise UsageError("--set-prop: one property is given twice")
    for name in changes:
        if "." in name:
            raise UsageError(
                f"property {name[:60]!r} is in a group", hint="properties without a dot are set"
            )
    with_properties(MQMD(), b"", {name: value or "" for name, value in changes.items()})
    return tuple(changes.items())


def copy_of(
    message: Message, options: CopyOptions, held_us: int = 0, now_us: int = 0
) -> Copy | str:
    """The copy of *message*, or why there can be none.

    Args:
        held_us: time since the message was read; it is taken off the lifetime (EX-08).
        now_us: the time that an MQDLH says it was put there, and that a lifetime with an end
            begins; 0 before a copy is put.
    """
    md, body = message.md, message.body
    tenths = kept_expiry(md.expiry_tenths, held_us)
    if tenths == 0:
        return "its lifetime has ended"
    properties = dict(options.properties)
    if options.strip and md.format.rstrip() == RFH2_FORMAT:  # what is removed keeps no message
        out = {name: None for name, value in properties.items() if value is None}
        with suppress(UsageError):  # a header that cannot be read is reported below
            md, body = with_properties(md, body, out)
            message = message._replace(md=md, body=body, length_bytes=len(body))
    if options.strip:
        stripped = _STRIP[options.strip](message)
        if isinstance(stripped, str):
            return stripped
        md, body = stripped
    if properties:
        if md.format.rstrip() in _AHEAD:
            return f"its properties come after the header of Format {md.format.rstrip()}"
        try:
            md, body = with_properties(md, body, properties)
        except UsageError as error:
            return error.text
    if options.expiry_tenths is not None:
        tenths = options.expiry_tenths
    if options.expires_at_us is not None and now_us:
        tenths = min((options.expires_at_us - now_us) // TENTH_US, GREATEST_TENTHS)
        if tenths < 1:
            return "the end time of its copy is in the past"
    md = md._replace(
        expiry_tenths=tenths,
        report=md.report & ~_REPORTS if options.strip_reports else md.report,
    )
    return _dead_lettered(md, body, options.dead_letter, now_us)


class ExpirationReport(NamedTuple):
    """An expiration report as it was sent.

    Attributes:
        header_length_bytes: of the MQDLH or MQXQH that came in front of it on its way.
    """

    reported: Reported
    body: bytes
    header_length_bytes: int


def expiration_report(message: Message) -> ExpirationReport | str:
    """The report that *message* is, read behind what its journey put in front; or why it is none.

    A report that cannot be delivered is dead-lettered as any message is: its data, and what that
    is, come after the MQDLH.
    """
    md = message.md
    start = length = 0
    if md.format:  # nobody counts headers that are not announced
        chain = chain_of(message)
        for header in chain.headers:
            if isinstance(header.record, dlh.DLH):
                md = _described(md, header.record.following)
            elif isinstance(header.record, xqh.XQH):
                md = header.record.message_descriptor
            else:
                break
            start = header.offset + header.length
        length = chain.body_offset - start
    reported = told_by(md, message.length_bytes - start, length)
    if isinstance(reported, str):
        return reported
    return ExpirationReport(reported, message.body[start:], start)


def reported_original(message: Message) -> Copy | str:
    """The message that expired, rebuilt from its expiration report with full data (CARD-25)."""
    report = expiration_report(message)
    if isinstance(report, str):
        return report
    if report.reported.data is not ReportData.FULL:
        return f"its report contains {report.reported.data} of the message data"
    return Copy(report.reported.original, report.body)


def _dead_lettered(md: MQMD, body: bytes, letter: DeadLetter | None, now_us: int) -> Copy:
    """The message with an MQDLH in front, written in ASCII whatever the queue manager's CCSID."""
    if letter is None:
        return Copy(md, body)
    date, time = put_date_and_time(now_us)
    header = dead_letter_header(
        md,
        letter.reason,
        queue=letter.queue,
        queue_manager=letter.queue_manager,
        put_date=date,
        put_time=time,
    )
    header = replace(header, put_appl_type=cmqc.MQAT_USER, put_appl_name=_APPLICATION)
    dead = md._replace(format="MQDEAD", encoding=NATIVE_ENCODING, ccsid=UTF_8)
    return Copy(dead, dlh.encode(header) + body)


def kept_expiry(left_tenths: int, held_us: int) -> int:
    """What to write so that the copy expires when the original would have; 0 when it has."""
    if left_tenths == cmqc.MQEI_UNLIMITED:
        return left_tenths
    return max(0, left_tenths - held_us // TENTH_US)


def without_added(message: Message) -> Copy | str:
    """The message without the header that was put in front of it on the way here.

    An MQDLH is always added by the one that dead-lettered the message. An MQRFH2 is taken for the
    one that a JMS client adds to a poison message only when the descriptor says what that client
    writes (Format MQHRF2, CCSID 1208, Encoding 273; PM-63 to PM-65) and it holds no properties of
    an application (folder usr), which would be lost. A message without either stays as it is.
    """
    md, body = message.md, message.body
    if md.format == "MQDEAD":
        return _without_dlh(message)
    if md.format != RFH2_FORMAT:
        return Copy(md, body)
    if (md.ccsid, md.encoding) != (UTF_8, JMS_ENCODING):
        return (
            "its MQRFH2 is not one that a JMS client adds: CCSID 1208 and Encoding 273 are;"
            " --headers drop removes it"
        )
    header = rfh2.decode(body, 0, ">")
    if isinstance(header, Damage):
        return header.text
    if header.damages:
        return header.damages[0].text
    if any(folder.name == "usr" and folder.properties for folder in header.folders):
        return (
            "its MQRFH2 contains properties of the application (folder usr);"
            " --headers drop removes it and them"
        )
    return Copy(_described(md, header.following), body[header.length :])


def without_properties(message: Message) -> Copy | str:
    """The message without its MQDLH, and without each MQRFH2 behind that and all its folders."""
    dropped = _dropped(message)
    return dropped if isinstance(dropped, str) else dropped[0]


def lost_properties(message: Message) -> int | None:
    """How many properties that no JMS client wrote by itself `without_properties` takes off.

    Returns:
        None where it takes off no MQRFH2.
    """
    dropped = _dropped(message)
    if isinstance(dropped, str) or not dropped[1]:
        return None
    folders = (folder for header in dropped[1] for folder in header.folders)
    return sum(len(folder.properties) for folder in folders if folder.name not in _OF_JMS)


def _dropped(message: Message) -> tuple[Copy, list[rfh2.RFH2]] | str:
    """What is left without MQDLH and MQRFH2s, and the latter; or why they stay."""
    copy: Copy | str = Copy(message.md, message.body)
    if message.md.format == "MQDEAD":
        copy = _without_dlh(message)
    headers: list[rfh2.RFH2] = []
    while not isinstance(copy, str) and copy.md.format == RFH2_FORMAT:
        try:
            header = rfh2.in_front(*copy)
        except UsageError as error:
            return error.text
        headers.append(header)
        copy = Copy(_described(copy.md, header.following), copy.body[header.length :])
    return copy if isinstance(copy, str) else (copy, headers)


def came_with_move(message: Message, queue: str) -> bool:
    """Whether a JMS client added the MQRFH2 of the message when it moved it to *queue*.

    It names that queue as the destination; senders name the queue that they send to.
    """
    if message.md.format != RFH2_FORMAT or isinstance(without_added(message), str):
        return False
    header = rfh2.decode(message.body, 0, ">")
    named = [
        destination_queue(str(item.value))
        for folder in ([] if isinstance(header, Damage) else header.folders)
        for item in folder.properties
        if (folder.name, item.name) == ("jms", "Dst")
    ]
    return queue in named


def _without_dlh(message: Message) -> Copy | str:
    md, body = message.md, message.body
    codec = header_codec(body[:4], dlh.LAYOUT.struc_id, md.ccsid)
    if codec is None:
        return "Format is MQDEAD, but no MQDLH is there"
    order, _ = order_of(body, 0, md.encoding, dlh.LAYOUT.versions)
    header = dlh.decode(body, 0, order, codec[0])
    if isinstance(header, Damage):
        return header.text
    return Copy(_described(md, header.following), body[header.length :])


def staged_original(message: Message) -> Copy | str:
    """The message that the application sent, rebuilt from a staged one of the emulator (DD-55)."""
    order, _ = order_of(message.body, 0, message.md.encoding, ddh.VERSIONS)
    header = ddh.decode(message.body, 0, order)
    if isinstance(header, Damage):
        return header.text
    if header.tail is None:
        return "its delay header does not contain the original descriptor"
    original = header.tail.original._replace(
        expiry_tenths=message.md.expiry_tenths, report=message.md.report
    )
    return Copy(original, message.body[header.length :])


def assumed_staged_original(message: Message) -> Copy | str:
    """The same of a real queue manager's, by a guess at the layout of its header.

    What the emulator staged says itself what it is, whichever way it was read.
    """
    exact = staged_original(message)
    original = exact if isinstance(exact, Copy) else assumed_original(message)
    return original if isinstance(original, str) else Copy(*original)


_STRIP: Final = {
    "added": without_added,
    "dropped": without_properties,
    "staged": staged_original,
    "assumed": assumed_staged_original,
    "report": reported_original,
}


def _described(md: MQMD, following: Following) -> MQMD:
    """The descriptor of what came after the header; a special CCSID keeps the one there is."""
    ccsid = following.ccsid if following.ccsid > 0 else md.ccsid
    return md._replace(format=following.format, encoding=following.encoding, ccsid=ccsid)
