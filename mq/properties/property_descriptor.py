"""What an MQPD says of a message property, and how it travels in an MQRFH2.

There it stands in attributes of the property's element: ``context="user"``,
``copy="forward,reply"``, and in the folder ``mq`` alone ``sr``, ``sa`` and ``sx`` for Support.
Source: IBM MQ documentation, "Mapping property descriptor fields into MQRFH2 headers", "MQPD".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.records import NamedTuple

_COPIES: Final = {
    "forward": cmqc.MQCOPY_FORWARD,
    "publish": cmqc.MQCOPY_PUBLISH,
    "reply": cmqc.MQCOPY_REPLY,
    "report": cmqc.MQCOPY_REPORT,
}
_ALONE: Final = {"none": cmqc.MQCOPY_NONE, "all": cmqc.MQCOPY_ALL}


class Descriptor(NamedTuple):
    """The fields of an MQPD: MQPD_SUPPORT_*, MQPD_*_CONTEXT, MQCOPY_*."""

    support: int = cmqc.MQPD_SUPPORT_OPTIONAL
    context: int = cmqc.MQPD_NO_CONTEXT
    copy_options: int = cmqc.MQCOPY_DEFAULT

    def copies(self, into: int) -> bool:
        """Whether the property goes along into a message of that kind, one of MQCOPY_*."""
        return bool(self.copy_options & (into | cmqc.MQCOPY_ALL))


def has_support(name: str) -> bool:
    """Whether Support counts for the property: for those of IBM MQ, whose folder is ``mq``."""
    return name.startswith("mq.")


def attributes_of(descriptor: Descriptor, name: str) -> dict[str, str]:
    """The attributes of an element; none for what is as MQPD_DEFAULT says.

    Args:
        name: of the property, with its folder unless that is ``usr``.
    """
    attributes: dict[str, str] = {}
    support, context, options = descriptor
    if has_support(name) and support == cmqc.MQPD_SUPPORT_REQUIRED:
        attributes["sr"] = "required"
    elif has_support(name) and support == cmqc.MQPD_SUPPORT_REQUIRED_IF_LOCAL:
        attributes["sx"] = "local"
    if context == cmqc.MQPD_USER_CONTEXT:
        attributes["context"] = "user"
    if options == cmqc.MQCOPY_NONE:
        attributes["copy"] = "none"
    elif options & cmqc.MQCOPY_ALL:
        attributes["copy"] = "all"
    elif options != cmqc.MQCOPY_DEFAULT:
        attributes["copy"] = ",".join(word for word, bit in _COPIES.items() if options & bit)
    return attributes


def descriptor_from(attributes: Mapping[str, str], name: str) -> Descriptor:
    """What the attributes of an element say; words that are not known say nothing.

    A ``sr`` or ``sx`` of another value counts as MQPD_SUPPORT_REQUIRED and REQUIRED_IF_LOCAL (IBM
    MQ documentation, "MQPD - Support").
    """
    support = cmqc.MQPD_SUPPORT_OPTIONAL
    if has_support(name):
        if "sr" in attributes:
            support = cmqc.MQPD_SUPPORT_REQUIRED
        elif "sx" in attributes:
            support = cmqc.MQPD_SUPPORT_REQUIRED_IF_LOCAL
    context = (
        cmqc.MQPD_USER_CONTEXT if attributes.get("context") == "user" else cmqc.MQPD_NO_CONTEXT
    )
    return Descriptor(support, context, _copy_options(attributes.get("copy", "")))


def _copy_options(text: str) -> int:
    words = [word.strip() for word in text.split(",")]
    alone = next((_ALONE[word] for word in words if word in _ALONE), None)
    if alone is not None:
        return alone
    options = sum(bit for word, bit in _COPIES.items() if word in words)
    return options or cmqc.MQCOPY_DEFAULT
