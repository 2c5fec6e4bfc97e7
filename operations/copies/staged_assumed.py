"""A staged message of a real queue manager, read as nobody has documented it: pure.

IBM publishes no layout of the delay header (`mq/headers/ddh.py`). What is done here is a guess that
`--experimental` asks for: the notes tell the user which bytes are taken for what, and a message
that does not look as assumed stays.
"""

from __future__ import annotations

from struct import pack
from typing import Final

from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import UNDOCUMENTED, interpret_time
from mqtriage.mq.headers import ddh
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, order_of
from mqtriage.mq.headers.mqext import find_sender_delay
from mqtriage.mq.headers.rfh2 import jms_correl_id
from mqtriage.mq.headers.sniff import first_rfh2
from mqtriage.mq.message import Message

_TIME_AT: Final = 8

REBUILT_NOTES: Final = (
    "assumed, because IBM does not document it: bytes 24 to 71 of the delay header name the queue "
    "manager of the target, bytes 72 to 119 its queue",
    "assumed: the message begins at the first MQRFH2 after the header, which a JMS client writes;"
    " a message without one stays",
    "assumed: its CorrelId is the Cid in that MQRFH2, or none; MsgId is the CorrelId of the staged "
    "message, as IBM documents, and everything else is as in the staged message",
)
PUT_BACK_NOTE: Final = (
    "not known: whether a real queue manager delivers a message that is put back on its staging"
    " queue"
)
RESTAGED_NOTES: Final = (
    "assumed, because IBM does not document it: bytes 8 to 15 of the delay header are the due time"
    " in "
    "microseconds since 1970; only they are changed, and the delivery time in the sender's MQRFH2",
    PUT_BACK_NOTE,
)


def assumed_original(message: Message) -> tuple[MQMD, bytes] | str:
    """The message that the application sent, or why it cannot be made out."""
    header = _header(message)
    if isinstance(header, str):
        return header
    first = first_rfh2(message.body, header.length)
    if first is not None:
        md = message.md._replace(
            msg_id=message.md.correl_id,
            correl_id=jms_correl_id(first.header),
            format=RFH2_FORMAT,
            encoding=first.encoding,
            ccsid=UTF_8,
        )
        return md, message.body[first.at :]
    return "no MQRFH2 follows its delay header, so the beginning of the message is not known"


def with_due_time(message: Message, due_us: int) -> bytes | str:
    """The data of a staged message with another time in its header, or why that cannot be."""
    header = _header(message)
    if isinstance(header, str):
        return header
    _, _, basis = interpret_time(header, message.md, UNDOCUMENTED)
    if basis == "put":
        return "its delay header contains the time of the put, so the position of the due time is"
        " not known"
    body, at = message.body, header.length
    rest = body[at:]
    sender = find_sender_delay(body, at)
    if sender is not None:
        old, new = (b"<Dtm>%d<" % time_ms for time_ms in (sender.delivery_time_ms, due_us // 1000))
        rest = rest.replace(old, new, 1) if len(old) == len(new) else rest
    return body[:_TIME_AT] + pack(f"{header.order}q", due_us) + body[_TIME_AT + 8 : at] + rest


def _header(message: Message) -> ddh.DDH | str:
    if message.body[:4] != b"DDH ":
        return "it has no delay header"
    order, _ = order_of(message.body, 0, message.md.encoding, ddh.VERSIONS)
    header = ddh.decode(message.body, 0, order)
    if isinstance(header, Damage):
        return header.text
    if header.version not in ddh.VERSIONS:
        return f"version {header.version} of its delay header has never been seen"
    if header.damages:
        return header.damages[0].text
    return header
