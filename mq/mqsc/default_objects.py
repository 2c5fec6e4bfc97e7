"""The default object that a DEFINE starts from, by kind and, for some kinds, by type.

Source: IBM MQ documentation, "System and default objects".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq.attributes.attribute import AttributeValue

SUBTYPE: Final[Mapping[str, str]] = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}
"""The attribute that says what else an object of that kind has; it cannot be altered."""

_CHANNELS: Final = {
    "SDR": "SYSTEM.DEF.SENDER", "SVR": "SYSTEM.DEF.SERVER", "RCVR": "SYSTEM.DEF.RECEIVER",
    "RQSTR": "SYSTEM.DEF.REQUESTER", "CLNTCONN": "SYSTEM.DEF.CLNTCONN",
    "SVRCONN": "SYSTEM.DEF.SVRCONN", "CLUSSDR": "SYSTEM.DEF.CLUSSDR",
    "CLUSRCVR": "SYSTEM.DEF.CLUSRCVR", "AMQP": "SYSTEM.DEF.AMQP",
}  # fmt: skip
_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "QLOCAL": {"": "SYSTEM.DEFAULT.LOCAL.QUEUE"},
    "QMODEL": {"": "SYSTEM.DEFAULT.MODEL.QUEUE"},
    "QALIAS": {"": "SYSTEM.DEFAULT.ALIAS.QUEUE"},
    "QREMOTE": {"": "SYSTEM.DEFAULT.REMOTE.QUEUE"},
    "TOPIC": {"": "SYSTEM.DEFAULT.TOPIC"},
    "SUB": {"": "SYSTEM.DEFAULT.SUB"},
    "CHANNEL": _CHANNELS,
    "LISTENER": {"": "SYSTEM.DEFAULT.LISTENER.TCP"},
    "NAMELIST": {"": "SYSTEM.DEFAULT.NAMELIST"},
    "PROCESS": {"": "SYSTEM.DEFAULT.PROCESS"},
    "SERVICE": {"": "SYSTEM.DEFAULT.SERVICE"},
    "AUTHINFO": {
        kind: f"SYSTEM.DEFAULT.AUTHINFO.{kind}"
        for kind in ("CRLLDAP", "OCSP", "IDPWOS", "IDPWLDAP")
    },
}


def default_objects(kind: str) -> Mapping[str, str]:
    """CHLTYPE or AUTHTYPE, "" for a kind without, to the name of the default object."""
    return _NAMES.get(kind, {})


def subtype_of(kind: str, values: Mapping[str, AttributeValue]) -> str:
    """The CHLTYPE or AUTHTYPE among *values*, "" where there is none."""
    return str(values.get(SUBTYPE.get(kind, ""), ""))


def default_name(kind: str, subtype: str = "") -> str:
    """The name of the default object, "" where IBM supplies none."""
    return default_objects(kind).get(subtype, "")
