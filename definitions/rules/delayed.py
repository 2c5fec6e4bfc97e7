"""What several rules on delivery delay need: which queues get delayed messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.load_model import LoadModel, any_matches
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.delay import (
    DEFAULT_MAXFSIZE_MB,
    GREATEST_MAXDEPTH,
    GREATEST_MAXMSGL,
    STAGING_QUEUE,
    ZOS_STAGING,
    AdvisedSize,
    depth_needed,
    disk_needed,
)
from mqtriage.mq.names import is_system

_ROOMY: Final = 100_000
"""MAXDEPTH to propose when nothing is known of the load."""


def delayed_locals(estate: Estate) -> Iterator[Definition]:
    """Local queues that the load model names as targets of delayed messages."""
    patterns = estate.load.delayed_queues
    if not patterns:
        return
    for queue in estate.of_kind("QLOCAL"):
        if any_matches(patterns, queue.name):
            yield queue


def application_locals(estate: Estate) -> Iterator[Definition]:
    """Local queues that are not the queue manager's own and hold no messages in transit."""
    for queue in estate.of_kind("QLOCAL"):
        if not is_system(queue.name) and queue.text("USAGE") != "XMITQ":
            yield queue


def depth_of_load(load: LoadModel) -> AdvisedSize | None:
    """The MAXDEPTH that the load needs on the staging queue; None where it is not said."""
    if load.rate_per_s is None or load.longest_delay_ms is None:
        return None
    return depth_needed(
        load.rate_per_s,
        load.longest_delay_ms,
        subscribers=load.subscribers,
        headroom_percent=load.headroom_percent,
    )


def roomy_depth(length_bytes: int, maxfsize_mb: int | None = None) -> int:
    """A MAXDEPTH that leaves room, or as much of it as the queue file takes (QUE001)."""
    one_bytes = disk_needed(1, length_bytes).value
    return min(_ROOMY, (maxfsize_mb or DEFAULT_MAXFSIZE_MB) * 2**20 // one_bytes)


def staging_attributes(estate: Estate) -> dict[str, AttributeValue]:
    """What to define the staging queue with, by the load model as far as there is one."""
    load = estate.load
    lengths = [queue.number("MAXMSGL") or 0 for queue in delayed_locals(estate)]
    largest = load.largest_message_bytes or max(lengths, default=0)
    length = max(estate.greatest_length, largest + load.header_allowance_bytes)
    length = min(length, GREATEST_MAXMSGL)
    needed = depth_of_load(load)
    depth = roomy_depth(load.largest_message_bytes or length)
    if needed is not None:
        depth = min(needed.value, GREATEST_MAXDEPTH)
    attributes: dict[str, AttributeValue] = {"MAXDEPTH": depth, "MAXMSGL": length}
    if estate.platform == "zos":
        return {**attributes, **ZOS_STAGING}
    return {**attributes, **system_objects("QLOCAL")[STAGING_QUEUE]}
