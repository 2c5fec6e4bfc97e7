"""What USAGE of a queue excludes, and what ALTER changes of a queue in use only with FORCE.

Source: IBM MQ documentation, "3090 MQRCCF_CLUSTER_Q_USAGE_ERROR",
"3363 MQRCCF_CLUS_XMIT_Q_USAGE_ERROR", "3210 MQRCCF_OBJECT_OPEN_FORCE"; "ALTER queues", FORCE.
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.records import NamedTuple

Values = Mapping[str, AttributeValue]


class Conflict(NamedTuple):
    """An attribute that does not go with USAGE, and the reason the command fails with."""

    keyword: str
    reason: int
    text: str


def usage_conflict(values: Values) -> Conflict | None:
    """What contradicts USAGE among the attributes of a queue; None where nothing does."""
    usage = values.get("USAGE")
    for keyword in ("CLUSTER", "CLUSNL"):
        if usage == "XMITQ" and values.get(keyword):
            text = (
                f"{keyword}({values[keyword]}) with USAGE(XMITQ): a transmission queue cannot be a"
                " cluster queue"
            )
            return Conflict(keyword, cmqcfc.MQRCCF_CLUSTER_Q_USAGE_ERROR, text)
    if usage == "NORMAL" and values.get("CLCHNAME"):
        text = f"CLCHNAME({values['CLCHNAME']}) needs USAGE(XMITQ)"
        return Conflict("CLCHNAME", cmqcfc.MQRCCF_CLUS_XMIT_Q_USAGE_ERROR, text)
    return None


def needs_force(now: Values, new: Values, *, inputs: int, handles: int, depth: int) -> str:
    """Why a change of a local queue needs FORCE, "" where it does not.

    Args:
        depth: its messages, committed or not.
    """

    def changes(keyword: str) -> bool:
        return keyword in new and new[keyword] != now.get(keyword)

    if changes("USAGE") and (handles or depth):
        used = f"is open ({handles})" if handles else f"holds messages ({depth})"
        return f"USAGE({new['USAGE']}) of a queue that {used} needs FORCE"
    if changes("SHARE") and new["SHARE"] == "NO" and inputs:
        return f"NOSHARE of a queue that is open for input ({inputs}) needs FORCE"
    return ""
