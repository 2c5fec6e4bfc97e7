"""A message that is put in segments, because the queue takes no longer ones."""

from __future__ import annotations

from collections.abc import Sequence

from mqtriage.emulator.core import remote
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.mq.constants import MQMDE_CURRENT_LENGTH, MQXQH_CURRENT_LENGTH
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.segments import pieces


def split(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, body: bytes
) -> Sequence[tuple[MQMD, bytes]]:
    """The message, or the segments that fit where it is to be put; itself where it cannot be cut.

    Source: IBM MQ documentation, "MsgFlags" (MQMF_SEGMENTATION_ALLOWED).
    """
    most = room(manager, path)
    if manager.is_zos or len(body) <= most:
        return [(md, body)]
    return pieces(md, body, most) or [(md, body)]


def room(manager: Manager, path: tuple[Queue, ...]) -> int:
    """How long the data of one segment may be, in bytes."""
    most = min(int(manager.attributes["MAXMSGL"]), path[-1].max_length)
    return most - (MQXQH_CURRENT_LENGTH + MQMDE_CURRENT_LENGTH) if remote.is_remote(path) else most


def follows(md: MQMD, first: MQMD) -> MQMD:
    """The descriptor of a segment that the queue manager made, after the *first* was put."""
    return md._replace(msg_id=NO_ID, correl_id=first.correl_id)
