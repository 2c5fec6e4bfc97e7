"""MQGMO_CONVERT: the data of a message in the code page and encoding that a program asks for."""

from __future__ import annotations

from typing import NamedTuple

from mqtriage.mq import codes
from mqtriage.mq.ccsid import codec_of
from mqtriage.mq.constants import MQCCSI_Q_MGR
from mqtriage.mq.descriptor import MQMD

_TEXT = "MQSTR"


class Converted(NamedTuple):
    """Descriptor and data; *reason* is a warning, or 0."""

    md: MQMD
    body: bytes
    reason: int


def convert(md: MQMD, body: bytes, wanted: MQMD, queue_manager_ccsid: int) -> Converted:
    """Convert what is text; other formats are handed over as they are with the reason why.

    Args:
        wanted: the descriptor that MQGET was given: its CodedCharSetId and Encoding.
    """
    ccsid = queue_manager_ccsid if wanted.ccsid == MQCCSI_Q_MGR else wanted.ccsid
    if ccsid < 0:
        ccsid = queue_manager_ccsid
    if (md.ccsid, md.encoding) == (ccsid, wanted.encoding):
        return Converted(md, body, 0)
    if md.format != _TEXT:
        reason = codes.MQRC_FORMAT_ERROR if not md.format else codes.MQRC_NOT_CONVERTED
        return Converted(md, body, 0 if not body else reason)
    source, target = codec_of(md.ccsid, md.encoding), codec_of(ccsid, wanted.encoding)
    if source is None:
        return Converted(md, body, codes.MQRC_SOURCE_CCSID_ERROR)
    if target is None:
        return Converted(md, body, codes.MQRC_TARGET_CCSID_ERROR)
    if source != target:
        try:
            body = body.decode(source).encode(target, "replace")
        except UnicodeDecodeError:
            return Converted(md, body, codes.MQRC_NOT_CONVERTED)
    return Converted(md._replace(ccsid=ccsid, encoding=wanted.encoding), body, 0)
