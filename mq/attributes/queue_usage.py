"""What USAGE of a local or model queue excludes.

Source: IBM MQ documentation, "3090 MQRCCF_CLUSTER_Q_USAGE_ERROR" and
"3363 MQRCCF_CLUS_XMIT_Q_USAGE_ERROR".
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.records import NamedTuple


class Conflict(NamedTuple):
    """An attribute that does not go with USAGE, and the reason the command fails with."""

    keyword: str
    reason: int
    text: str


def usage_conflict(values: Mapping[str, AttributeValue]) -> Conflict | None:
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
