"""`expiry extend` and `expiry purge`: which messages, and the report that a purge owes.

MQMD.Expiry of a message on a queue cannot be changed, so to extend is to put a copy back and take
the original. To discard a message because of its lifetime is to owe its sender the expiration
report, where one was asked for (EX-23).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mqtriage.messages.filters.expression import Compare, Expression, IsNull, Not, all_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.units import agreeing
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.headers.chain import announced_length
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportKind, ReportMessage, data_of, report_message
from mqtriage.mq.times import put_date_and_time

_APPLICATION: Final = "mqtriage"


def with_less_than(selection: Selection, expiry_tenths: int) -> Selection:
    """What *selection* chooses of the messages that have less time left than that.

    No lifetime is shortened, and an unlimited message is left alone.
    """
    if expiry_tenths == cmqc.MQEI_UNLIMITED:
        return _also(selection, Not(IsNull("expiry")))
    return _also(selection, Compare("expiry", "<", expiry_tenths))


def unlimited(selection: Selection) -> Selection:
    """What *selection* chooses of the messages without a lifetime."""
    return _also(selection, IsNull("expiry"))


def owes_report(report: int, expiry_tenths: int) -> bool:
    """Whether to discard such a message because of its lifetime is to owe a report.

    One without a lifetime cannot expire: its sender is told nothing of the kind.
    """
    return (
        expiry_tenths != cmqc.MQEI_UNLIMITED and data_of(report, ReportKind.EXPIRATION) is not None
    )


def owed_note(messages: Iterable[PlannedMessage]) -> str:
    """What the plan says of the reports; "" when none is owed."""
    owed = sum(owes_report(message.report, message.expiry_tenths) for message in messages)
    if not owed:
        return ""
    have = agreeing(owed, "have")
    return f"{owed} {have} an expiration report, which this operation sends to ReplyToQ"


def owed_report(
    message: Message, queue_manager: str, now_us: int
) -> tuple[ReportMessage, int] | str | None:
    """The expiration report of a message that is taken; None when none is owed.

    Returns:
        The report and its put options; a text where it is owed to a queue of another queue manager.
    """
    md = message.md
    if not owes_report(md.report, md.expiry_tenths):
        return None
    if md.reply_to_q_mgr.strip() not in ("", queue_manager):
        return f"its expiration report is for {md.reply_to_q} on {md.reply_to_q_mgr}, not here"
    date, time = put_date_and_time(now_us)
    report = report_message(
        md,
        message.body,
        ReportKind.EXPIRATION,
        new_msg_id=NO_ID,
        queue_manager=queue_manager,
        put_date=date,
        put_time=time,
        header_length_bytes=announced_length(md, message.body),
    )
    own = report.md._replace(put_appl_type=cmqc.MQAT_USER, put_appl_name=_APPLICATION)
    fresh = 0 if md.report & cmqc.MQRO_PASS_MSG_ID else cmqc.MQPMO_NEW_MSG_ID
    return report._replace(md=own), cmqc.MQPMO_SYNCPOINT | cmqc.MQPMO_SET_ALL_CONTEXT | fresh


def lasts_longer(planned: PlannedMessage, message: Message) -> bool:
    """Whether *message* has more time left than the planned one had: it is a copy, put back."""
    tenths, tenths_now = planned.expiry_tenths, message.md.expiry_tenths
    return tenths != cmqc.MQEI_UNLIMITED and (
        tenths_now == cmqc.MQEI_UNLIMITED or tenths_now > tenths
    )


def _also(selection: Selection, *parts: Expression) -> Selection:
    given = () if selection.tree is None else (selection.tree,)
    return replace(selection, tree=all_of([*given, *parts]))
