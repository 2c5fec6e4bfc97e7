"""The fields of a message that a filter can ask for: names, synonyms, units, and what they cost.

`FIELDS` is the table of the documentation. Names are matched without regard to case and
underscores, so that ``BackoutCount``, ``backout_count`` and ``backout`` are one field.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple


class Kind(StrEnum):
    """What a field holds, and so which literals stand beside it."""

    ID = "24 bytes"
    TEXT = "text"
    NUMBER = "number"
    SIZE = "bytes"
    DURATION = "duration in ms"
    EXPIRY = "tenths of a second"
    TIME = "time"
    ANY = "text, number or boolean"
    BODY = "message data"


class Need(StrEnum):
    """What must be worked out before a field can be read, the dearest last."""

    MQMD = "mqmd"
    HEADERS = "headers"
    DUE = "due"
    BODY = "body"


class FieldSpec(NamedTuple):
    """One field.

    Attributes:
        attribute: where `mqtriage.messages.subject.Subject` has it, as a dotted path.
        nullable: it may be missing.
        names: prefix of the MQI constants that its numbers have, for example ``MQRC_``.
        synonyms: other spellings, lower case without underscores.
    """

    name: str
    kind: Kind
    attribute: str
    about: str
    need: Need = Need.MQMD
    nullable: bool = False
    names: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


FIELDS: Final = (
    FieldSpec("msg_id", Kind.ID, "md.msg_id", "MQMD.MsgId", names=("MQMI_",)),
    FieldSpec("correl_id", Kind.ID, "md.correl_id", "MQMD.CorrelId", names=("MQCI_",),
              synonyms=("correlationid",)),
    FieldSpec("group_id", Kind.ID, "md.group_id", "MQMD.GroupId", names=("MQGI_",)),
    FieldSpec("original_msg_id", Kind.ID, "headers.original_msg_id",
              "MsgId the application put a staged message with", Need.HEADERS, True,
              ("MQMI_",)),
    FieldSpec("format", Kind.TEXT, "md.format", "MQMD.Format, of the first header or the body",
              names=("MQFMT_",)),
    FieldSpec("backout", Kind.NUMBER, "md.backout_count", "MQMD.BackoutCount",
              synonyms=("backoutcount",)),
    FieldSpec("priority", Kind.NUMBER, "md.priority", "MQMD.Priority", names=("MQPRI_",)),
    FieldSpec("persistence", Kind.NUMBER, "md.persistence", "MQMD.Persistence: 0 or 1",
              names=("MQPER_",)),
    FieldSpec("expiry", Kind.EXPIRY, "expiry_tenths",
              "lifetime left; missing when unlimited", nullable=True, names=("MQEI_",),
              synonyms=("expirytenths", "expiryleft")),
    FieldSpec("put_time", Kind.TIME, "put_time_us", "MQMD.PutDate and PutTime", nullable=True,
              synonyms=("putdate", "puttimestamp")),
    FieldSpec("age", Kind.DURATION, "put_time_us", "time since the put", nullable=True),
    FieldSpec("put_appl", Kind.TEXT, "md.put_appl_name", "MQMD.PutApplName",
              synonyms=("putapplname",)),
    FieldSpec("put_appl_type", Kind.NUMBER, "md.put_appl_type", "MQMD.PutApplType",
              names=("MQAT_",)),
    FieldSpec("user", Kind.TEXT, "md.user_identifier", "MQMD.UserIdentifier",
              synonyms=("useridentifier", "userid")),
    FieldSpec("reply_to", Kind.TEXT, "md.reply_to_q", "MQMD.ReplyToQ",
              synonyms=("replytoq", "replytoqueue")),
    FieldSpec("reply_to_qmgr", Kind.TEXT, "md.reply_to_q_mgr", "MQMD.ReplyToQMgr",
              synonyms=("replytoqueuemanager",)),
    FieldSpec("appl_identity", Kind.TEXT, "md.appl_identity_data", "MQMD.ApplIdentityData",
              synonyms=("applidentitydata",)),
    FieldSpec("appl_origin", Kind.TEXT, "md.appl_origin_data", "MQMD.ApplOriginData",
              synonyms=("applorigindata",)),
    FieldSpec("length", Kind.SIZE, "message.length_bytes", "length of headers and body",
              synonyms=("lengthbytes", "size", "msglength")),
    FieldSpec("report", Kind.NUMBER, "md.report", "MQMD.Report, all bits", names=("MQRO_",)),
    FieldSpec("msg_type", Kind.NUMBER, "md.msg_type", "MQMD.MsgType", names=("MQMT_",)),
    FieldSpec("feedback", Kind.NUMBER, "md.feedback", "MQMD.Feedback", names=("MQFB_", "MQRC_")),
    FieldSpec("encoding", Kind.NUMBER, "md.encoding", "MQMD.Encoding", names=("MQENC_",)),
    FieldSpec("ccsid", Kind.NUMBER, "md.ccsid", "MQMD.CodedCharSetId", names=("MQCCSI_",),
              synonyms=("codedcharsetid",)),
    FieldSpec("sequence", Kind.NUMBER, "md.msg_seq_number", "MQMD.MsgSeqNumber",
              synonyms=("msgseqnumber",)),
    FieldSpec("offset", Kind.NUMBER, "md.offset", "MQMD.Offset"),
    FieldSpec("msg_flags", Kind.NUMBER, "md.msg_flags", "MQMD.MsgFlags, all bits",
              names=("MQMF_",)),
    FieldSpec("due_time", Kind.TIME, "headers.due_time_us",
              "when a staged message comes due", Need.DUE, True),
    FieldSpec("delay", Kind.DURATION, "delay_ms", "due time less put time", Need.DUE, True,
              synonyms=("delayms",)),
    FieldSpec("target", Kind.TEXT, "headers.target", "queue a staged message is for",
              Need.HEADERS, True, synonyms=("targetqueue",)),
    FieldSpec("target_qmgr", Kind.TEXT, "headers.target_qmgr",
              "queue manager a staged message is for", Need.HEADERS, True,
              synonyms=("targetqueuemanager",)),
    FieldSpec("reason", Kind.NUMBER, "headers.reason", "MQDLH.Reason", Need.HEADERS, True,
              ("MQRC_", "MQFB_")),
    FieldSpec("dest", Kind.TEXT, "headers.dest", "MQDLH.DestQName",
              Need.HEADERS, True, synonyms=("destq", "destqname", "destination")),
    FieldSpec("dest_qmgr", Kind.TEXT, "headers.dest_qmgr", "MQDLH.DestQMgrName", Need.HEADERS, True,
              synonyms=("destqm", "destqmgrname")),
    FieldSpec("dlq_put_appl", Kind.TEXT, "headers.dlq_put_appl", "MQDLH.PutApplName",
              Need.HEADERS, True, synonyms=("dlqputapplname",)),
    FieldSpec("damage", Kind.TEXT, "headers.damage",
              "what is wrong with the data: a header's name, text, xml or json", Need.BODY, True),
    FieldSpec("body_digest", Kind.TEXT, "body_digest",
              "SHA-256 of the data behind the headers, 64 hex digits in lower case", Need.BODY,
              True, synonyms=("digest",)),
    FieldSpec("body", Kind.BODY, "body_text", "message data behind the headers, as text",
              Need.BODY, True, synonyms=("data",)),
)  # fmt: skip
"""Every field with a name of its own; beside them stand prop.NAME and body.PATH."""

_BY_NAME: Final = {spec.name: spec for spec in FIELDS}
_PROP: Final = FieldSpec("prop", Kind.ANY, "", "a message property", Need.HEADERS, True)
_PATH: Final = FieldSpec("body", Kind.ANY, "", "a value inside the body", Need.BODY, True)


def spec_of(field: str) -> FieldSpec:
    """What is known of *field* as the tree names it.

    Raises:
        KeyError: There is no such field.
    """
    if field.startswith("prop."):
        return _PROP
    if field.startswith("body."):
        return _PATH
    return _BY_NAME[field]


@cache
def _spellings() -> dict[str, str]:
    spellings = {spec.name.replace("_", ""): spec.name for spec in FIELDS}
    for spec in FIELDS:
        spellings.update(dict.fromkeys(spec.synonyms, spec.name))
    return spellings


def find_field(word: str) -> str | None:
    """The field that *word* names in any spelling, or None."""
    return _spellings().get(word.replace("_", "").lower())


def close_fields(word: str) -> list[str]:
    """Up to three field names that look like *word*."""
    from difflib import get_close_matches

    near = get_close_matches(word.replace("_", "").lower()[:40], _spellings(), n=6, cutoff=0.6)
    return list(dict.fromkeys(_spellings()[spelling] for spelling in near))[:3]
