"""The words for reason and feedback codes: what each means, and what to do next."""

from __future__ import annotations

import re
from shlex import quote
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.code_names import feedback_names, name_of_feedback, name_of_reason
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQIError
from mqtriage.mq.name_table import Code, codes

_UNKNOWN = Code(-1)
_COMMAND: Final = re.compile(r"'mqtriage [^']*'")
_NAME: Final = re.compile(r"(?<!--boq )\bNAME\b|(?<=backout set )QUEUE\b")


def meaning_of_reason(number: int) -> str:
    """What a reason code means; "" when we have no words for it."""
    if _is_in("MQRC_APPL", number):
        return "A reason of an application or exit, not of MQ: ask those who wrote it."
    return codes().get(name_of_reason(number), _UNKNOWN).meaning


def meaning_of_feedback(number: int) -> str:
    """What a feedback code means; a reason code in Feedback has the reason's meaning.

    Source: IBM MQ documentation, "Feedback (MQLONG)" of MQMD, for the range of applications.
    """
    name = feedback_names().get(number)
    if name is not None:
        return codes()[name].meaning
    if _is_in("MQFB_IMS", number):
        return f"IMS bridge: IMS sense code {number - codes()['MQFB_IMS_ERROR'].number}."
    if _is_in("MQFB_IMS_NACK_1A_REASON", number):
        nack = number - codes()["MQFB_IMS_NACK_1A_REASON_FIRST"].number
        return f"IMS bridge: IMS refused the message with sense code 001A, reason {nack}."
    if _is_in("MQFB_APPL", number):
        first, last = _range("MQFB_APPL")
        return (
            "Feedback of an application, not of MQ: ask those who wrote it. Applications have the"
            f" numbers {first} to {last} (MQFB_APPL_FIRST to MQFB_APPL_LAST)."
        )
    return meaning_of_reason(number)


def _is_in(range_name: str, number: int) -> bool:
    first, last = _range(range_name)
    return first <= number <= last


def _range(name: str) -> tuple[int, int]:
    """The first and the last number of a range of codes."""
    return codes()[f"{name}_FIRST"].number, codes()[f"{name}_LAST"].number


def hint_for_reason(number: int) -> str:
    """What to do next about a reason code; "" when there is nothing to advise."""
    return codes().get(name_of_reason(number), _UNKNOWN).hint


def hint_for_feedback(number: int) -> str:
    """What to do next about a feedback code; "" when there is nothing to advise."""
    return codes().get(name_of_feedback(number), _UNKNOWN).hint


STAGING_FULL: Final = (
    "'mqtriage delay forecast' shows when messages leave it, and 'mqtriage delay define --rate 20/s"
    " --max-delay 15m -n' which size it needs (--yes sets it); 'mqtriage delay cancel' removes"
    " delayed messages"
)
"""Of the queue on which delayed messages wait: no program reads it, and none may."""
SENDS_FAIL: Final = (
    "until then, an application that sends with a delay gets MQRC_Q_FULL (2053), and nothing of its"
    " message is left behind"
)
"""Of the same queue: IBM's rule (DD-30)."""
DEAD_LETTERS_FULL: Final = (
    "'mqtriage dlq causes' shows why messages are here; 'mqtriage dlq requeue', 'dlq run' and"
    " 'dlq purge' remove them"
)
TRANSMISSION_FULL: Final = (
    "a channel reads this transmission queue: check it with DISPLAY CHSTATUS(*) XMITQ;"
    " 'mqtriage queue status {}' shows who has the queue open"
)


def hint_of(error: MQIError) -> str:
    """The error's own hint, else where to look for its object, else the advice on its reason.

    There is one for every reason: at last, where it is explained.
    """
    if error.hint:
        return error.hint
    if error.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME and error.object_name == STAGING_QUEUE:
        return "mqtriage delay define"
    if error.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME and error.object_name:
        return f"mqtriage queue ls {quote(_generic(error.object_name))}"
    if error.reason == cmqc.MQRC_Q_FULL and STAGING_QUEUE in f"{error.object_name} {error.text}":
        return STAGING_FULL
    hint = hint_about(error.reason, error.object_name)
    return hint or f"mqtriage rc {error.reason} explains it"


def hint_about(number: int, name: str) -> str:
    """The same as `hint_for_reason`, with the object of the call in our commands.

    Args:
        name: of the object; "" where it is not known.
    """
    hint = hint_for_reason(number)
    return _COMMAND.sub(lambda command: _named(command[0], name), hint) if name else hint


def _named(command: str, name: str) -> str:
    """A command of ours about the object of a call; MQSC may be about what is behind an alias."""
    return _NAME.sub(lambda _: quote(name), command)


def _generic(name: str) -> str:
    """A generic name that lists what stands near: ``APP.*`` for ``APP.IM``, ``*`` for ``IM``."""
    stem, dot, _ = name.rpartition(".")
    return f"{stem}{dot}*"
