"""The default object that a DEFINE starts from, by kind and, for some kinds, by type.

Source: IBM MQ documentation, "System and default objects".
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.attributes.system_objects import SUBTYPE as SUBTYPE
from mqtriage.mq.attributes.system_objects import default_objects as default_objects


def subtype_of(kind: str, values: Mapping[str, AttributeValue]) -> str:
    """The CHLTYPE or AUTHTYPE among *values*, "" where there is none."""
    return str(values.get(SUBTYPE.get(kind, ""), ""))


def default_name(kind: str, subtype: str = "") -> str:
    """The name of the default object, "" where IBM supplies none."""
    return default_objects(kind).get(subtype, "")
