"""MQTM, the trigger message (684 bytes): which queue fired and which program to start.

Source: IBM MQ documentation, "MQTM - Trigger message".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqtriage.mq.constants import MQTM_CURRENT_LENGTH
from mqtriage.mq.descriptor import ByteOrder
from mqtriage.mq.headers.layout import Damage, Layout, too_short

LAYOUT: Final = Layout("MQTM")
VERSIONS: Final = range(1, 2)


@dataclass(frozen=True, slots=True)
class TM:
    """One trigger message.

    Attributes:
        q_name: the queue that fired.
        process_name, appl_type, appl_id, env_data, user_data: from the PROCESS definition.
        trigger_data: TRIGDATA of the queue.
    """

    q_name: str = ""
    process_name: str = ""
    trigger_data: str = ""
    appl_type: int = 0
    appl_id: str = ""
    env_data: str = ""
    user_data: str = ""
    version: int = 1
    order: ByteOrder = "<"
    codec: str = "latin-1"
    original: bytes = field(default=b"", repr=False, compare=False)

    @property
    def length(self) -> int:
        """Bytes in the message."""
        return MQTM_CURRENT_LENGTH

    @property
    def following(self) -> None:
        """Nothing is said of data after it: a trigger message ends here."""
        return None

    def fields(self) -> dict[str, object]:
        """Fields in their order in the structure."""
        return LAYOUT.fields_of(self)


def decode(
    data: bytes, start: int = 0, order: ByteOrder = "<", codec: str = "latin-1"
) -> TM | Damage:
    """Read the trigger message at *start*; a cut one is a Damage."""
    short = too_short(LAYOUT, data, start)
    if short is not None:
        return short
    version, *rest = LAYOUT.read(data, start, order, codec)
    original = bytes(data[start : start + MQTM_CURRENT_LENGTH])
    return TM(*[*rest, version, order, codec, original])


def encode(message: TM) -> bytes:
    """The 684 bytes; a trigger message that was read comes back byte for byte.

    Raises:
        UnicodeEncodeError: If a name does not exist in the code page.
    """
    return LAYOUT.encode(message)
