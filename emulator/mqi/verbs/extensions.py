"""MQMDE: the version 2 fields of a descriptor, for programs that give an MQMD version 1.

A program that puts with version 1 may say them in an MQMDE in front of its data; one that gets with
version 1 finds an MQMDE in front of a message of which they say something.

Source: IBM MQ documentation, "MQMDE - Message descriptor extension", reason 2248.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq import codes
from mqtriage.mq.constants import MQFMT_MD_EXTENSION
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import mde
from mqtriage.mq.headers.layout import Damage, byte_order

EXTENSION_FORMAT: Final = MQFMT_MD_EXTENSION.rstrip()


def with_extension(md: MQMD, body: bytes, ccsid: int) -> tuple[MQMD, bytes]:
    """Descriptor and data as a program gets them with an MQMD version 1.

    Args:
        ccsid: of the queue manager, in which the MQMDE is written.
    """
    extension = mde.extension_of(md)
    if extension is None:
        return md, body
    md = md._replace(format=EXTENSION_FORMAT, encoding=NATIVE_ENCODING, ccsid=ccsid)
    return md, mde.encode(extension) + body


def extended(md: MQMD, body: bytes, doing: str) -> tuple[MQMD, bytes]:
    """Descriptor and data that a program put with an MQMDE in front.

    With an MQMD version 2 that says something itself, the MQMDE is message data.

    Raises:
        MQIError: 2248.
    """
    if mde.extension_of(md) is not None:
        return md, body
    order = byte_order(md.encoding)
    extension = mde.decode(body, 0, order or "<")
    if (
        order is None
        or isinstance(extension, Damage)
        or body[:4] != b"MDE "
        or extension.version != 2
    ):
        raise mqi_error(codes.MQRC_MDE_ERROR, doing, detail="what Format announces is no MQMDE")
    return extension.onto(md), body[extension.length :]
