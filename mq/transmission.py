"""Name resolution: where an alias leads, and which transmission queue to another queue manager.

Sources: IBM MQ documentation, "Name resolution", reasons 2001, 2082, 2087, 2091, 2184, 2092, 2196
to 2199.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from shlex import quote
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.records import NamedTuple

NO_BASE: Final = ("QALIAS", "QMODEL")
"""Types of queues that an alias cannot be one of."""


class Unresolved(NamedTuple):
    """Why there is none: the reason of the open, and of which object."""

    reason: int
    detail: str
    object_name: str
    hint: str = ""

    def error(self, doing: str) -> MQIError:
        """The error that an open ends with."""
        return mqi_error(
            self.reason, doing, detail=self.detail, hint=self.hint, object_name=self.object_name
        )


def alias_problem(alias: str, target: str, kind: str) -> Unresolved:
    """Why an alias leads nowhere whose TARGET is one of `NO_BASE`, or missing.

    Args:
        kind: type of the queue that TARGET names; "" where there is none.
    """
    reason, why = cmqc.MQRC_UNKNOWN_ALIAS_BASE_Q, "does not exist"
    if kind:
        reason, why = cmqc.MQRC_ALIAS_BASE_Q_TYPE_ERROR, f"is a {kind}"
    text = f"{alias} is an alias of {target or '(blank)'}, which {why}"
    return Unresolved(reason, text, alias)


def topic_alias_problem(alias: str, topic: str) -> Unresolved:
    """Why an alias of a topic cannot be opened for what a queue is for."""
    text = f"{alias} is an alias of the topic {topic}, which holds no messages: it can be put to"
    hint = "its publications are on the queues of its subscribers: DISPLAY SUB(*) DEST"
    return Unresolved(cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, text, alias, hint)


def remote_problem(
    name: str, attributes: Mapping[str, int | str], queue_manager: str
) -> Unresolved | None:
    """Why a QREMOTE leads nowhere, whatever transmission queues there are."""
    to = str(attributes.get("RQMNAME", ""))
    if not attributes.get("RNAME"):
        return Unresolved(cmqc.MQRC_REMOTE_Q_NAME_ERROR, f"RNAME of {name} is blank", name)
    if to in ("", queue_manager):
        text = f"RQMNAME of {name} is {to or 'blank'}"
        return Unresolved(cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, text, name)
    return None


def transmission_queue(
    queue_manager: str, named: str, default: str, kind_of: Callable[[str], str]
) -> str | Unresolved:
    """The queue that XMITQ names, else the one called as the queue manager, else DEFXMITQ.

    Args:
        queue_manager: the one that messages are to go to.
        named: XMITQ of the QREMOTE; "" for blank.
        default: DEFXMITQ of the queue manager; "" for blank.
        kind_of: type of a queue, "XMITQ" for a local one with that USAGE; "" where there is none.
    """
    missing, not_local, not_transmission = (
        cmqc.MQRC_UNKNOWN_XMIT_Q,
        cmqc.MQRC_XMIT_Q_TYPE_ERROR,
        cmqc.MQRC_XMIT_Q_USAGE_ERROR,
    )
    if not named and kind_of(queue_manager):
        named = queue_manager
    elif not named and default:
        named = default
        missing, not_local, not_transmission = (
            cmqc.MQRC_UNKNOWN_DEF_XMIT_Q,
            cmqc.MQRC_DEF_XMIT_Q_TYPE_ERROR,
            cmqc.MQRC_DEF_XMIT_Q_USAGE_ERROR,
        )
    elif not named:
        return Unresolved(
            cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR,
            f"no transmission queue leads to {queue_manager}",
            queue_manager,
            f"mqtriage queue define {quote(queue_manager)} USAGE=XMITQ",
        )
    kind = kind_of(named)
    if not kind:
        return Unresolved(missing, f"{named} does not exist", named)
    if kind == "QLOCAL":
        return Unresolved(not_transmission, f"{named} has USAGE(NORMAL)", named)
    return named if kind == "XMITQ" else Unresolved(not_local, f"{named} is a {kind}", named)
