"""The emulator's switches: what can be set of a queue manager that MQ has no attribute for.

They stand in the file (`state.switches`) as text and are set with `lifecycle.switch`. What is not
set has its default.

    enforce_max_expiry   environment, on, off    Expiry above 999 999 999 fails with 2013
    xmitq_expiry_check   consistent, valid, none direct puts of MQXMIT to a transmission queue
    expirer_interval_s   300, 1 ..., off         runs of the expirer on distributed platforms
    channel_transit_s    0, 1 ...                time a message spends on a channel
    fault.put.QUEUE      MQRC number             every put to that queue fails with it
    fault.dlq            MQRC number             every put to DEADQ fails with it
    fault.processor      recoverable,            the delay processor fails
                         unrecoverable; once, then the switch is taken away
    authority            off, on                 check everybody but the owner (`authority`)
    call_log             off, on                 write MQI calls down (`call_log`)
    qsg                  a group                 set by `sharing.join` alone
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import is_object_name

ENVIRONMENT_VARIABLE: Final = "AMQ_ENFORCE_MAX_EXPIRY_ERROR"
SEEN: Final = "environment.AMQ_ENFORCE_MAX_EXPIRY_ERROR"
"""Set to "yes" while the variable was there when the queue manager was created or last started."""

FAULT_PUT: Final = "fault.put."
FAULT_DLQ: Final = "fault.dlq"
FAULT_PROCESSOR: Final = "fault.processor"

_WORDS: Final = {
    "enforce_max_expiry": ("environment", "on", "off"),
    "xmitq_expiry_check": ("consistent", "valid", "none"),
    FAULT_PROCESSOR: ("", "recoverable", "unrecoverable"),
    "authority": ("off", "on"),
    "call_log": ("off", "on"),
}
_NUMBERS: Final = {
    "expirer_interval_s": (1, 99_999_999, "off"),
    "channel_transit_s": (0, 999_999_999, ""),
    FAULT_DLQ: (1, 9999, ""),
}


def check_switch(name: str, value: str) -> None:
    """Refuse a value that one of the switches above cannot have; other names are not looked at.

    An empty value takes a fault away.

    Raises:
        UsageError: Saying what is allowed.
    """
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise UsageError(f"{name}={value}: allowed {', '.join(filter(None, _WORDS[name]))}")
        return
    if name.startswith(FAULT_PUT):
        if not is_object_name(name.removeprefix(FAULT_PUT)):
            raise UsageError(f"{name}: expected {FAULT_PUT}QUEUE")
        least, most, word = _NUMBERS[FAULT_DLQ]
    elif name in _NUMBERS:
        least, most, word = _NUMBERS[name]
    else:
        return
    if value == word:
        return
    if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
        allowed = f"{word} or {least} to {most}" if word else f"{least} to {most}"
        raise UsageError(f"{name}={value}: allowed {allowed}")


def from_environment(switches: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The switches of a queue manager that starts in this environment.

    The variable counts when it is exported, whatever its value is (EX-31, EX-32).
    """
    kept = {name: value for name, value in switches.items() if name != SEEN}
    return kept | {SEEN: "yes"} if ENVIRONMENT_VARIABLE in environ else kept


def enforces_max_expiry(switches: Mapping[str, str]) -> bool:
    """Whether Expiry above 999 999 999 is refused (EX-29, EX-30, C-04)."""
    word = switches.get("enforce_max_expiry", "environment")
    return word == "on" or (word == "environment" and SEEN in switches)
