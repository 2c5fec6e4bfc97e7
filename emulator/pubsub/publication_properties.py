"""What a queue manager adds to the copy of a publication that a subscriber gets (PSPROP).

MSGPROP, as MQSUB makes subscriptions: message properties in the folder mqps, beside those that the
publisher set: Top (MQTopicString), Sud (MQSubUserData), Ret (MQIsRetained), and for a subscription
that intercepts publications Pub (MQPubOptions) and Pbl (MQPubLevel). RFH2: a folder psc in an
MQRFH2 of its own, which is data. COMPAT: the same in an MQRFH. NONE: nothing.

Choices where the documents are silent: a property is there only when it says something: Sud where
there is user data, Ret where the publication was retained before, Pub and Pbl where SUBLEVEL is
above 1, for who publishes again.

Sources: IBM MQ documentation, "DEFINE SUB" (PSPROP), "Publish message", "MQPMO - Options"
(MQPMO_RETAIN: MQIsRetained), "Publish/subscribe message properties"; a message of a real queue
manager, whose MQRFH2 ends with a folder mqps in which Top stands alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.headers import other, rfh2
from mqtriage.mq.headers.folder_xml import folder_text
from mqtriage.mq.headers.formats import PCF_FORMATS, RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, Following, byte_order
from mqtriage.mq.properties.message_properties import PROPERTY_FOLDERS
from mqtriage.records import NamedTuple

FOLDER: Final = "mqps"
_RFH: Final = "MQHRF"


class CopyFacts(NamedTuple):
    """What there is to say of one copy.

    Attributes:
        options: MQPMO_* of the publication, None for a subscription that does not intercept.
    """

    topic: str
    user_data: str = ""
    is_retained: bool = False
    options: int | None = None
    level: int = 9


def added(md: MQMD, body: bytes, facts: CopyFacts, how: str, ccsid: int) -> tuple[MQMD, bytes]:
    """The copy with what *how* (a value of PSPROP) adds to it.

    Args:
        ccsid: of the queue manager, which a header needs in place of MQCCSI_Q_MGR.
    """
    following = Following(md.format, md.encoding, md.ccsid or ccsid)
    if how == "MSGPROP":
        return _beside_properties(md, body, following, _folder(facts))
    if how == "RFH2":
        options = {"PubOpt": "IsRetainedPub"} if facts.is_retained else {}
        values = {"Command": "Publish", **options, "Topic": facts.topic}
        header = rfh2.build([("psc", values)], following, order="<")
        return _headed(md, RFH2_FORMAT, UTF_8), rfh2.encode(header) + body
    if how == "COMPAT" and md.format not in PCF_FORMATS:
        return _headed(md, _RFH, UTF_8), _mqrfh(facts, following) + body
    return md, body


def without(md: MQMD, body: bytes) -> tuple[MQMD, bytes]:
    """A publication without the folder that another one brought, from which it was made."""
    header = _properties_in_front(md, body)
    if header is None or header.folder(FOLDER) is None:
        return md, body
    rest = body[header.length :]
    folders = tuple(folder for folder in header.folders if folder.name != FOLDER)
    if folders:
        return md, rfh2.encode(replace(header, folders=folders)) + rest
    return md._replace(format=header.format, encoding=header.encoding, ccsid=header.ccsid), rest


def topic_of(md: MQMD, body: bytes) -> str:
    """The topic string that a copy was published on; "" where PSPROP leaves it out."""
    header = _properties_in_front(md, body)
    return "" if header is None else str(rfh2.properties([header]).get(f"{FOLDER}.Top", ""))


def added_bytes(md: MQMD, body: bytes) -> int:
    """How much longer a copy is by the properties that were added: they fit on any queue."""
    return len(body) - len(without(md, body)[1])


def _beside_properties(
    md: MQMD, body: bytes, following: Following, folder: rfh2.Folder
) -> tuple[MQMD, bytes]:
    """With a folder behind those of the properties in front, or in an MQRFH2 of its own."""
    there = _properties_in_front(md, body)
    if there is not None and there.name_value_ccsid == UTF_8:
        changed = replace(there, folders=(*there.folders, folder))
        return md, rfh2.encode(changed) + body[there.length :]
    header = rfh2.RFH2(
        following.encoding, following.ccsid, following.format, folders=(folder,), order="<"
    )
    return _headed(md, RFH2_FORMAT, UTF_8), rfh2.encode(header) + body


def _properties_in_front(md: MQMD, body: bytes) -> rfh2.RFH2 | None:
    """The MQRFH2 that a message begins with, if it holds properties alone."""
    if md.format != RFH2_FORMAT:
        return None
    header = rfh2.decode(body, 0, byte_order(md.encoding) or ">")
    if isinstance(header, Damage) or header.damages or not header.folders or header.tail:
        return None
    only = all(folder.name in PROPERTY_FOLDERS for folder in header.folders)
    return header if only else None


def _headed(md: MQMD, form: str, ccsid: int) -> MQMD:
    return md._replace(format=form, encoding=NATIVE_ENCODING, ccsid=ccsid)


@lru_cache(maxsize=256)  # the same for every publication on a topic
def _folder(facts: CopyFacts) -> rfh2.Folder:
    values: dict[str, str | int | bool] = {"Top": facts.topic}
    if facts.user_data:
        values["Sud"] = facts.user_data
    if facts.is_retained:
        values["Ret"] = True
    if facts.options is not None:
        values |= {"Pub": facts.options, "Pbl": facts.level}
    text = folder_text(FOLDER, values, typed=True)
    raw = text.encode()
    return rfh2.Folder(FOLDER, raw + b" " * (-len(raw) % 4), text, ())


def _mqrfh(facts: CopyFacts, following: Following) -> bytes:
    """An MQRFH whose NameValueString is the publish command."""
    topic = facts.topic
    if " " in topic or '"' in topic:
        topic = '"' + topic.replace('"', '""') + '"'
    options = " MQPSPubOpts IsRetainedPub" if facts.is_retained else ""
    text = f"MQPSCommand Publish{options} MQPSTopic {topic}".encode()
    text += b" " * (-len(text) % 4)
    fields = (
        1, other.RFH.length + len(text), following.encoding, following.ccsid, following.format, 0,
    )  # fmt: skip
    return other.RFH.write(fields, "<", "utf-8") + text
