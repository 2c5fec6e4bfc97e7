"""The error tree: every failure that a user can meet is one of these.

    MQTriageError                  failed (exit 1)
    +-- UsageError                 wrong usage: option, id, name, number (exit 2)
    +-- NotFound                   object, message or context not found (exit 5)
    +-- Refused                    refused by a guard (exit 8)
    +-- StorageError               a file could not be read or written (exit 1)
    +-- Unreachable                a server other than a queue manager cannot be reached (exit 7)
    +-- PCFError                   a PCF message cannot be understood (exit 1)
    +-- MQIError                   a call to the queue manager ended with a reason code (exit 1)
        +-- ObjectNotFound         2085 and its kin (exit 5)
        +-- NotAuthorized          2035 (exit 6)
        +-- ConnectionFailed       2059, 2009, 2538 ... (exit 7)
        +-- NoMessageAvailable     2033
        +-- QueueFull              2053, 2056

`cli/exit_codes.py` turns the class into the exit code, and nothing else does.
"""

from __future__ import annotations

from typing import Final

MQCC_WARNING: Final = 1
MQCC_FAILED: Final = 2


class MQTriageError(Exception):
    """A failure to tell the user about: one line of text, and a hint at what to do next."""

    def __init__(self, text: str, *, hint: str | None = None, object_name: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        self.object_name = object_name


class UsageError(MQTriageError):
    """The command line, an id, a name or a number cannot be understood."""


class NotFound(MQTriageError):
    """What was named is not there: a message, a context, an emulated queue manager."""


class Refused(MQTriageError):
    """A guard refused: confirmation, `--expect`, a report that would be sent, a read-only end."""


class StorageError(MQTriageError):
    """A file of ours cannot be read or written: full disk, no permission, damaged, too new."""


class Unreachable(MQTriageError):
    """Nothing answers at the address of a server other than a queue manager."""


class PCFError(MQTriageError):
    """A PCF message that is not what it should be.

    Attributes:
        reason: MQRCCF_* that a command server answers it with.
        offset: of what is wrong, in the message data, in bytes.
    """

    def __init__(self, reason: int, offset: int, text: str) -> None:
        super().__init__(f"{text}: {reason_name(reason)} ({reason})")
        self.reason = reason
        self.offset = offset


class MQIError(MQTriageError):
    """An MQI call that did not end with MQCC_OK.

    Attributes:
        reason: MQRC_* number.
        comp_code: MQCC_WARNING or MQCC_FAILED.
        doing: what was being done, for example ``browse APP.IN``.
    """

    def __init__(
        self,
        reason: int,
        doing: str,
        *,
        comp_code: int = MQCC_FAILED,
        detail: str = "",
        hint: str | None = None,
        object_name: str = "",
    ) -> None:
        self.reason = reason
        self.comp_code = comp_code
        self.doing = doing
        self.detail = detail
        text = f"{doing}: {reason_name(reason)} ({reason})"
        if detail:
            text += f": {detail}"
        super().__init__(text, hint=hint, object_name=object_name)


class ObjectNotFound(MQIError):
    """A queue, alias target, topic or remote queue manager that the name does not lead to."""


class NotAuthorized(MQIError):
    """MQRC_NOT_AUTHORIZED (2035)."""


class ConnectionFailed(MQIError):
    """No connection could be made, or it was lost."""


class NoMessageAvailable(MQIError):
    """MQRC_NO_MSG_AVAILABLE (2033): nothing on the queue that matches, for now."""


class QueueFull(MQIError):
    """The queue cannot take one more message: MAXDEPTH or its file size is reached."""


_CLASS_BY_REASON: Final[dict[int, type[MQIError]]] = {
    2033: NoMessageAvailable,
    2035: NotAuthorized,
    2053: QueueFull,
    2056: QueueFull,
    **dict.fromkeys((2082, 2085, 2086, 2087), ObjectNotFound),
    **dict.fromkeys(
        (2009, 2058, 2059, 2161, 2162, 2202, 2203, 2223, 2278, 2393, 2537, 2538, 2539, 2543),
        ConnectionFailed,
    ),
}


def mqi_error(
    reason: int,
    doing: str,
    *,
    comp_code: int = MQCC_FAILED,
    detail: str = "",
    hint: str | None = None,
    object_name: str = "",
) -> MQIError:
    """Build the error of the class that belongs to *reason*."""
    kind = _CLASS_BY_REASON.get(reason, MQIError)
    return kind(
        reason, doing, comp_code=comp_code, detail=detail, hint=hint, object_name=object_name
    )


def reason_name(reason: int) -> str:
    """Name a reason code: ``MQRC_Q_FULL`` for 2053, ``reason 9999`` for one we do not know."""
    from mqtriage.mq.codes import name_of_reason  # 900 names: read only when an error is told

    return name_of_reason(reason)
