"""What ALTER changes of a queue that is in use only with FORCE.

Source: IBM MQ documentation, "ALTER queues", FORCE; "3210 MQRCCF_OBJECT_OPEN_FORCE".
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.mq.attributes.attribute import AttributeValue

Values = Mapping[str, AttributeValue]


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
