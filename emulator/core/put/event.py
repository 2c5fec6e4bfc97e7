"""Event messages, and what is like them: PCF on one of the SYSTEM.ADMIN queues.

Sources: IBM MQ documentation, "Event message format", "Event message MQMD (message descriptor)" and
"Event message MQCFH (PCF header)".
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import try_put
from mqtriage.emulator.core.put.descriptor import own
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.pcf import messages as pcf


def put_event(
    manager: Manager,
    queue: str,
    command: int,
    reason: int,
    parameters: Iterable[pcf.PcfParameter],
    now_us: int,
    *,
    correl_id: bytes = NO_ID,
    control: int = cmqcfc.MQCFC_LAST,
    comp_code: int = cmqc.MQCC_WARNING,
    version: int = 1,
    type_: int = cmqcfc.MQCFT_EVENT,
    format_: str = cmqc.MQFMT_EVENT.rstrip(),
) -> int:
    """Put an event message; returns 0, or the reason why there is none.

    Inside a transaction. One that its queue cannot take is lost, and nothing else is.

    Args:
        correl_id: the same in all messages of one change.
        control: whether another message of the same change follows.
        comp_code: MQCC_OK for an event that says that all is well.
        version: of the MQCFH: 1, 2 of configuration events, 3 of command events.
        type_, format_: of the MQCFH and the MQMD, for statistics and accounting.
    """
    md = own(
        manager,
        now_us,
        format=format_,
        persistence=cmqc.MQPER_PERSISTENCE_AS_Q_DEF,
        priority=cmqc.MQPRI_PRIORITY_AS_Q_DEF,
        correl_id=correl_id,
    )
    message = pcf.PCF(type_, command, tuple(parameters), version, 1, control, comp_code, reason)
    return try_put(manager, queue, md, pcf.encode(message, "<", manager.ccsid), now_us, None)
