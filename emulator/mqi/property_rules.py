"""What the descriptors of properties (MQPD) decide about the messages that carry them.

Source: IBM MQ documentation, "MQPD - Property descriptor", "MQPMO - Action".
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.mqi.message_handles import (
    HandleProperty,
    header_length,
    with_properties,
    without_properties,
)
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers.formats import RFH2_FORMAT

_COPIED_BY: Final = {1: cmqc.MQCOPY_FORWARD, 2: cmqc.MQCOPY_REPLY, 3: cmqc.MQCOPY_REPORT}
"""MQACTP_FORWARD, MQACTP_REPLY and MQACTP_REPORT; MQACTP_NEW takes all."""


def published(md: MQMD, body: bytes) -> tuple[MQMD, bytes]:
    """Descriptor and data as subscribers get them: without properties that say they do not.

    Source: IBM MQ documentation, "MQPD - CopyOptions" (MQCOPY_PUBLISH).
    """
    if not _describes(md, body, b"copy="):
        return md, body
    inner, rest, properties = without_properties(md, body)
    kept = [prop for prop in properties if prop.descriptor.copies(cmqc.MQCOPY_PUBLISH)]
    return (md, body) if kept == properties else with_properties(inner, rest, kept)


def refuse_unsupported(md: MQMD, body: bytes, *, is_remote: bool, doing: str) -> None:
    """Refuse a message with a property that must be supported, and is not here."""
    if not (_describes(md, body, b"sr=") or _describes(md, body, b"sx=")):
        return
    for prop in without_properties(md, body)[2]:
        support = prop.descriptor.support
        local = support == cmqc.MQPD_SUPPORT_REQUIRED_IF_LOCAL and not is_remote
        if support == cmqc.MQPD_SUPPORT_REQUIRED or local:
            raise mqi_error(cmqc.MQRC_UNSUPPORTED_PROPERTY, doing, detail=prop.name)


def _describes(md: MQMD, body: bytes, attribute: bytes) -> bool:
    """Whether the MQRFH2 in front may have an attribute; most have none, and are not parsed."""
    if md.format != RFH2_FORMAT:
        return False
    return body.find(attribute, 36, header_length(md, body)) >= 0


def copied(original: list[HandleProperty], action: int) -> list[HandleProperty]:
    """Those of the original message that MQPMO.Action takes into the new one."""
    into = _COPIED_BY.get(action)
    return [prop for prop in original if into is None or prop.descriptor.copies(into)]


def of_user_context(md: MQMD, body: bytes) -> list[HandleProperty]:
    """The properties of a message that are saved with its context."""
    if not _describes(md, body, b"context="):
        return []
    properties = without_properties(md, body)[2]
    return [prop for prop in properties if prop.descriptor.context == cmqc.MQPD_USER_CONTEXT]


def with_passed(
    md: MQMD, body: bytes, passed: list[HandleProperty], ccsid: int
) -> tuple[MQMD, bytes]:
    """The message with properties that were saved with a context, less those that it has itself."""
    names = {prop.name for prop in without_properties(md, body)[2]}
    more = [prop for prop in passed if prop.name not in names]
    return with_properties(md._replace(ccsid=ccsid), body, more) if more else (md, body)
