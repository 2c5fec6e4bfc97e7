"""INITIAL_DATA: what client and queue manager agree on when a socket begins.

Source: the recorded exchanges; IBM MQ documentation, "Negotiation of channel attributes".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.segments import MOST_BYTES, BadSegment
from mqtriage.emulator.mqi.verbs.objects import text
from mqtriage.mq.delay import GREATEST_MAXMSGL

LEVEL: Final = 13
"""Level of the protocol (FAP) that we offer: all that clients for Java ask for, in plain calls."""
READABLE_LEVEL: Final = 12
"""The highest at which a client without TLS sends its password so that it can be checked."""

_SHORTEST: Final = 102
_ERRORS: Final = {"fap": 0x08, "max_message": 0x10, "heartbeat_s": 0x80}
"""Flags that say in what an answer differs."""
_PRODUCT: Final = b"MQMM09030000"


class Offer(NamedTuple):
    """What the queue manager's channel allows.

    Attributes:
        level: highest FAP level.
        max_message_bytes: MAXMSGL.
        heartbeat_s: HBINT.
        conversations: SHARECNV.
    """

    queue_manager: str
    qmid: str
    level: int = LEVEL
    max_message_bytes: int = GREATEST_MAXMSGL
    heartbeat_s: int = 300
    conversations: int = 10


class Agreed(NamedTuple):
    """What both ends keep to.

    Attributes:
        max_transmission_bytes: of one segment with its header.
        conversations: that may share the socket; 0 where segments are not multiplexed.
        heartbeat_s: of silence before one end asks whether the other is there; 0 for never.
    """

    channel: str
    max_transmission_bytes: int
    max_message_bytes: int
    conversations: int
    heartbeat_s: int


def negotiated(proposal: Body, offer: Offer) -> tuple[Body, Agreed]:
    """The answer to a client's INITIAL_DATA, and what is agreed on with it.

    Sizes, level and conversations are the lower ones; the heartbeat is the less frequent one, and 0
    ends it. Where the answer differs from the proposal its error flags say in what, and the client
    comes again with the values of the answer.

    Raises:
        BadSegment: Too short for a client of version 6 or later.
    """
    if "errors_2" not in proposal:
        raise BadSegment(f"initial data without the fields up to {_SHORTEST}")
    mine: dict[str, Any] = {
        "fap": min(proposal["fap"], offer.level),
        "max_transmission": max(1024, min(proposal["max_transmission"], MOST_BYTES)),
        "max_message": min(proposal["max_message"], offer.max_message_bytes),
        "heartbeat_s": _heartbeat(proposal["heartbeat_s"], offer.heartbeat_s),
    }
    errors = sum(flag for name, flag in _ERRORS.items() if mine[name] != proposal[name])
    conversations = 0
    if "conversations" in proposal:
        conversations = min(proposal["conversations"], offer.conversations)
        mine["conversations"] = conversations
    answer = {**proposal, **mine, "errors_1": errors, "errors_2": 0}
    answer["queue_manager"] = offer.queue_manager.encode("latin-1").ljust(48)
    answer["following"] = 0
    if "product" in proposal:
        answer["product"] = _PRODUCT
        answer["qmid"] = offer.qmid.encode("latin-1").ljust(48)
    agreed = Agreed(
        text(proposal["channel"]),
        mine["max_transmission"],
        mine["max_message"],
        conversations,
        mine["heartbeat_s"],
    )
    return answer, agreed


def _heartbeat(one: int, other: int) -> int:
    return max(one, other) if one and other else 0
