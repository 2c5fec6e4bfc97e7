"""`mqtriage check all`: every check with its default thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.commands.check import queues
from mqtriage.commands.check.delay import DELAY_THRESHOLDS, check_delay
from mqtriage.commands.check.results import not_checked
from mqtriage.model.check_result import CheckedObject
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, Unreachable

_Check: TypeAlias = Callable[[Backend], list[CheckedObject]]
_BEHIND_QMGR: Final[Mapping[str, _Check]] = {
    "queue": lambda backend: queues.check_queues(backend, (), queues.QUEUE_THRESHOLDS),
    "delay": lambda backend: check_delay(backend, DELAY_THRESHOLDS, None),
    "dlq": lambda backend: queues.check_dead_letters(backend, queues.DLQ_THRESHOLDS),
    "backout": lambda backend: queues.check_backout(backend, (), queues.BACKOUT_THRESHOLDS),
    "expiry": lambda backend: queues.check_expiry(backend, (), queues.EXPIRY_THRESHOLDS),
}


def check_all(backend: Backend, took_ms: float) -> list[CheckedObject]:
    """What each check finds; one that fails leaves the others their results.

    Expired messages are left out where `knows_expired` says so: their result is always UNKNOWN.

    Args:
        took_ms: from the start of the connection.

    Raises:
        ConnectionFailed: The connection was lost, so that the queue manager is what is checked.
    """
    results = queues.check_queue_manager(backend, queues.thresholds_of("", ""), took_ms)
    for name, check in _BEHIND_QMGR.items():
        if name == "expiry" and not knows_expired(backend):
            continue
        try:
            results += check(backend)
        except (ConnectionFailed, Unreachable):
            raise
        except MQTriageError as error:
            results.append(not_checked(name, backend.queue_manager, error, 0))
    return results


def knows_expired(backend: Backend) -> bool:
    """Whether expired messages can be counted without a browse: not on a real queue manager."""
    return backend.insight is not None
