"""The error tree: every failure that a user can meet is one of these.

    MQTriageError                  failed (exit 1)
    +-- UsageError                 wrong usage: option, id, name, number (exit 2)
    +-- NotFound                   object, message or context not found (exit 5)
    +-- Refused                    refused by a guard (exit 8)
    +-- StorageError               a file could not be read or written (exit 1)
    +-- Unreachable                a server other than a queue manager cannot be reached (exit 7)
    +-- NoClient                   no library to reach a queue manager with (exit 7)
    +-- PCFError                   a PCF message cannot be understood (exit 1)
    +-- MQIError                   a call to the queue manager ended with a reason code (exit 1)
        +-- ObjectNotFound         2085 and its kin (exit 5)
        +-- NotAuthorized          2035 and its kin (exit 6)
        +-- ConnectionFailed       2059, 2009, 2538, 2393 ... (exit 7)
        +-- NoMessageAvailable     2033
        +-- BadSelector            2459, 2504, 2519: a selection string (exit 2)
        +-- QueueFull              2053, 2056, 2192

`cli/frame/exit_codes.py` turns the class into the exit code, and nothing else does.
"""

from __future__ import annotations

from shlex import quote
from typing import Final, Literal, TypeAlias

from mqtriage.mq import cmqc


class MQTriageError(Exception):
    """A failure to tell the user about: one line of text, and a hint at what to do next."""

    def __init__(self, text: str, *, hint: str | None = None, object_name: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        self.object_name = object_name
        self.op = ""
        """Id of the operation in the journal that ended so, if one did."""


class UsageError(MQTriageError):
    """The command line, an id, a name or a number cannot be understood."""


class Interrupted(MQTriageError):
    """A signal ended the command."""


class NotFound(MQTriageError):
    """What was named is not there: a message, a context, an emulated queue manager."""


class Refused(MQTriageError):
    """A guard refused: confirmation, `--expect`, a report that would be sent, a read-only end."""


class MisspeltField(Refused):
    """No message has a field of the condition, but one has a field with nearly that name."""


StorageKind: TypeAlias = Literal[
    "", "full", "locked", "read-only", "not-opened", "foreign", "damaged", "many-files", "no-locks"
]
"""Why a file cannot be read or written, "" for whatever else; *full* is a disk or a quota."""


class StorageError(MQTriageError):
    """A file of ours cannot be read or written: full disk, no permission, damaged, too new."""

    def __init__(
        self,
        text: str,
        *,
        kind: StorageKind = "",
        hint: str | None = None,
        object_name: str = "",
    ) -> None:
        super().__init__(text, hint=hint, object_name=object_name)
        self.kind: StorageKind = kind


def enabling(queue: str, attribute: str) -> str:
    """The hint at how a queue that somebody may have stopped is enabled again."""
    return (
        "somebody may have disabled it on purpose; to enable it again: "
        f"mqtriage queue set {quote(queue)} {attribute}=ENABLED"
    )


def unreadable(what: str, error: OSError, hint: str | None = None) -> NotFound | StorageError:
    """The error of a file to read, by whether it is there: ``--file x: no such file``."""
    if isinstance(error, FileNotFoundError):
        hint = hint or "check the path, and the folder you are in"
        return NotFound(f"{what}: no such file", hint=hint)
    return StorageError(f"{what}: {error.strerror}")


class Unreachable(MQTriageError):
    """Nothing answers at the address of a server other than a queue manager."""


class NoClient(MQTriageError):
    """Neither pymqi nor ibmmq can be used here, so no real queue manager can be reached."""


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
        comp_code: int = cmqc.MQCC_FAILED,
        detail: str = "",
        hint: str | None = None,
        object_name: str = "",
    ) -> None:
        self.reason = reason
        self.comp_code = comp_code
        self.doing = doing
        self.detail = detail
        super().__init__(self._text(doing), hint=hint, object_name=object_name)

    def _text(self, doing: str) -> str:
        text = f"{doing}: {reason_name(self.reason)} ({self.reason})"
        return f"{text}: {self.detail}" if self.detail else text


class ObjectNotFound(MQIError):
    """A queue, alias target, topic or remote queue manager that the name does not lead to.

    Attributes:
        queue_manager: where it was looked for; "" where nobody knows.
    """

    queue_manager = ""

    def whole_text(self) -> str:
        """The text with the queue manager: ``inquire APP.IN on QM2: MQRC_...``."""
        where = self.queue_manager
        return self._text(f"{self.doing} on {where}") if where else self.text


class NotAuthorized(MQIError):
    """MQRC_NOT_AUTHORIZED (2035): the user may not connect, open, or run the command."""


class ConnectionFailed(MQIError):
    """No connection could be made, or it was lost."""


class NoMessageAvailable(MQIError):
    """MQRC_NO_MSG_AVAILABLE (2033): nothing on the queue that matches, for now."""


class BadSelector(MQIError):
    """A selection string that the queue manager cannot read, or that selects nothing ever."""


class QueueFull(MQIError):
    """The queue cannot take one more message: MAXDEPTH or its file size is reached."""


_NOTHING_SENT: Final = (
    cmqc.MQRC_HOST_NOT_AVAILABLE,
    cmqc.MQRC_SSL_INITIALIZATION_ERROR,
    cmqc.MQRC_Q_MGR_NOT_AVAILABLE,
    cmqc.MQRC_Q_MGR_NAME_ERROR,
)


def leaves_in_doubt(error: MQTriageError) -> bool:
    """Whether the command that ended so may have been carried out all the same.

    A connection was lost, or no answer came, or one that cannot be read.
    """
    if isinstance(error, ConnectionFailed):
        return error.reason not in _NOTHING_SENT
    no_answer = cmqc.MQRC_CMD_SERVER_NOT_AVAILABLE
    return isinstance(error, Unreachable) or getattr(error, "reason", 0) == no_answer


_NOT_FOUND: Final = (
    2082, 2085, 2086, 2087, 2196, 2197, 2428,  # queue, alias base, queue manager, subscription
    3065, 3200, 3250, 3252, 3308, 3312, 3322, 3328, 3338, 3379,  # what a PCF command names
    4006, 4032, 4091, 4097, 4099,
)  # fmt: skip
_NOT_AUTHORIZED: Final = (2035, 2217, 3081)
_NO_CONNECTION: Final = (
    2009, 2018, 2025, 2058, 2059, 2129, 2130, 2138,  # none there, or none any more
    2161, 2162, 2202, 2203, 2204, 2223, 2273, 2277, 2278, 2279, 2283,
    2371, 2381, 2382, 2383, 2384, 2385, 2386, 2387, 2388, 2389, 2390,  # TLS and its key store
    2392, 2393, 2396, 2397, 2398, 2399, 2400, 2401, 2402, 2409,
    2406, 2407, 2423, 2528, 2537, 2538, 2539, 2540, 2543,  # the channel
    2544, 2546, 2547, 2548, 2549, 2555, 2556, 2568, 2570, 2573, 2574, 2575, 2577,
    2591, 2592, 2593, 2594, 2596, 2600, 2604, 6124,
)  # fmt: skip

_CLASS_BY_REASON: Final[dict[int, type[MQIError]]] = {
    2033: NoMessageAvailable,
    **dict.fromkeys((2459, 2504, 2519), BadSelector),
    **dict.fromkeys((2053, 2056, 2192), QueueFull),
    **dict.fromkeys(_NOT_FOUND, ObjectNotFound),
    **dict.fromkeys(_NOT_AUTHORIZED, NotAuthorized),
    **dict.fromkeys(_NO_CONNECTION, ConnectionFailed),
}
"""Every other reason is an MQIError; tests/unit/mq/test_errors.py goes through all there are."""


def mqi_error(
    reason: int,
    doing: str,
    *,
    comp_code: int = cmqc.MQCC_FAILED,
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
    from mqtriage.mq.code_names import name_of_reason

    return name_of_reason(reason)
