"""What to try next after an MQI call failed, where the code that failed had no better idea."""

from __future__ import annotations

from mqtriage.mq import code_texts, codes
from mqtriage.mq.errors import MQIError


def hint_of(error: MQIError) -> str:
    """The error's own hint, else where to look for its object, else the advice on its reason.

    There is one for every reason: at last, where it is explained.
    """
    if error.hint:
        return error.hint
    if error.reason == codes.MQRC_UNKNOWN_OBJECT_NAME and error.object_name:
        return f"mqtriage queue ls '{_generic(error.object_name)}'"
    return code_texts.hint_for_reason(error.reason) or f"mqtriage rc {error.reason} explains it"


def _generic(name: str) -> str:
    """A generic name that lists what stands near: ``APP.*`` for ``APP.IM``, ``*`` for ``IM``."""
    stem, dot, _ = name.rpartition(".")
    return f"{stem}{dot}*"
