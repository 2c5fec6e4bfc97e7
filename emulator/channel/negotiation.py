"""INITIAL_DATA: what client and queue manager agree on when a socket begins.

Source: the recorded exchanges; IBM MQ documentation, "Negotiation of channel attributes".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.segments import MOST_BYTES, BadSegment
from mqtriage.emulator.mqi.verbs.objects import text
from mqtriage.mq.delay import GREATEST_MAXMSGL

LEVEL: Final = 17
"""Level of the protocol (FAP) that we offer at most: that of 9.4.3, and of clients since 9.3.5."""
_LEVELS: Final = ((930, 17), (920, 15))
"""From a command level on; 15 is that of clients of 9.2.5. Before, 13, as 9.1.2 was seen to do."""
_EARLIER_LEVEL: Final = 13
READABLE_LEVEL: Final = 12
"""The highest at which a client without TLS sends its password so that it can be checked."""

_SHORTEST: Final = 102
_ERRORS: Final = {
    "fap": 0x08, "max_message": 0x10, "heartbeat_s": 0x80, "max_transmission": 0x04,
}  # fmt: skip
"""Flags that say in what an answer differs."""
_GETS_BY_CALL: Final = 0x08
"""Of the third capabilities: a get is one call, which has a thread of the server's while it waits.

Real queue managers refuse it where conversations share a socket; the client then asks for messages,
and they are sent to it as they come.
"""


def level_of(command_level: int) -> int:
    """The highest level of the protocol that a queue manager of that command level offers."""
    levels = (level for since, level in _LEVELS if command_level >= since)
    return min(LEVEL, next(levels, _EARLIER_LEVEL))


def product_of(version: str) -> bytes:
    """How a queue manager of a version such as "9.4.3.0" calls itself: `MQMM09040300`."""
    numbers = [int(number) for number in version.split(".")]
    return b"MQMM" + "".join(f"{number:02}" for number in (*numbers, 0, 0, 0)[:4]).encode()


class Offer(NamedTuple):
    """What the queue manager's channel allows.

    Attributes:
        level: highest FAP level.
        max_message_bytes: MAXMSGL.
        heartbeat_s: HBINT.
        conversations: SHARECNV.
        product: what the queue manager calls its version.
        process, thread, trace: numbers of the server's own.
        random: 12 bytes, the same in both answers of a socket.
    """

    queue_manager: str
    qmid: str
    level: int = LEVEL
    max_message_bytes: int = GREATEST_MAXMSGL
    heartbeat_s: int = 300
    conversations: int = 10
    product: bytes = b"MQMM09040000"
    process: int = 0
    thread: int = 0
    trace: int = 0
    random: bytes = bytes(12)


class Agreed(NamedTuple):
    """What both ends keep to.

    Attributes:
        level: of the protocol (FAP).
        max_transmission_bytes: of one segment with its header.
        conversations: that may share the socket; 0 where segments are not multiplexed.
        heartbeat_s: of silence before one end asks whether the other is there; 0 for never.
    """

    channel: str
    level: int
    max_transmission_bytes: int
    max_message_bytes: int
    conversations: int
    heartbeat_s: int


def negotiated(proposal: Body, offer: Offer) -> tuple[Body, Agreed]:
    """The answer to a client's INITIAL_DATA, and what is agreed on with it.

    Sizes, level and conversations are the lower ones; the heartbeat is the less frequent one, and 0
    ends it. Where the answer differs from the proposal its error flags say in what, or the refused
    capabilities do, and the client comes again with the values of the answer.

    Raises:
        BadSegment: Too short for a client of version 6 or later.
    """
    if "errors_2" not in proposal:
        raise BadSegment(f"initial data without the fields up to {_SHORTEST}")
    beats = proposal["heartbeat_s"], offer.heartbeat_s
    mine: dict[str, Any] = {
        "fap": min(proposal["fap"], offer.level),
        "max_transmission": max(1024, min(proposal["max_transmission"], MOST_BYTES)),
        "max_message": min(proposal["max_message"], offer.max_message_bytes),
        "heartbeat_s": max(beats) if all(beats) else 0,
    }
    errors = sum(flag for name, flag in _ERRORS.items() if mine[name] != proposal[name])
    conversations = 0
    if "conversations" in proposal:
        conversations = min(proposal["conversations"], offer.conversations)
        mine["conversations"] = conversations
    answer = {**proposal, **mine, "errors_1": errors, "errors_2": 0}
    if "capability_3" in proposal:
        refused = proposal["capability_3"] & _GETS_BY_CALL if conversations > 1 else 0
        answer |= {"capability_3": proposal["capability_3"] & ~refused, "refused_3": refused}
    answer["queue_manager"] = offer.queue_manager.encode("latin-1").ljust(48)
    answer["following"] = 0
    if "product" in proposal:
        answer |= {"process": offer.process, "thread": offer.thread, "trace": offer.trace}
        answer["product"] = offer.product
        answer["qmid"] = offer.qmid.encode("latin-1").ljust(48)
    if "random" in proposal:
        answer["random"] = offer.random
    agreed = Agreed(
        text(proposal["channel"]),
        mine["fap"],
        mine["max_transmission"],
        mine["max_message"],
        conversations,
        mine["heartbeat_s"],
    )
    return answer, agreed
