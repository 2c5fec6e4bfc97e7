"""MQTM, the trigger message (684 bytes): which queue fired and which program to start.

Source: IBM MQ documentation, "MQTM - Trigger message".
"""

from __future__ import annotations

from typing import ClassVar, Final

from mqtriage.mq.headers.layout import FixedHeader, Layout
from mqtriage.records import dataclass

LAYOUT: Final = Layout("MQTM")


@dataclass(frozen=True, slots=True)
class TM(FixedHeader):
    """One trigger message; nothing is said of data after it.

    Attributes:
        q_name: the queue that fired.
        process_name, appl_type, appl_id, env_data, user_data: from the PROCESS definition.
        trigger_data: TRIGDATA of the queue.
    """

    layout: ClassVar = LAYOUT
    q_name: str = ""
    process_name: str = ""
    trigger_data: str = ""
    appl_type: int = 0
    appl_id: str = ""
    env_data: str = ""
    user_data: str = ""


decode, encode = TM.decode, TM.encode
