"""A message as an MQI call hands it over: descriptor, body and the length of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtriage.mq.descriptor import MQMD
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.mq.headers.folder_xml import Property


class Message(NamedTuple):
    """What MQGET returns.

    Attributes:
        md: the descriptor; `expiry_tenths` is the lifetime that is left.
        body: message data from the first header on; shorter than `length_bytes` when it was cut.
        length_bytes: length of the whole message data.
        token: MQGMO.MsgToken, 16 bytes naming this copy on its queue; empty where not known.
        properties: those that came beside the data, in a message handle; under their whole names,
            without ``usr.``.
        untold: keys of the message's record (`messages/records.py`) that the end it came through
            does not tell; what stands there is not the message's.
        warning: the reason code of a call that ended with a warning, else 0.
    """

    md: MQMD
    body: bytes
    length_bytes: int
    token: bytes = b""
    properties: tuple[Property, ...] = ()
    warning: int = 0
    untold: frozenset[str] = frozenset()
