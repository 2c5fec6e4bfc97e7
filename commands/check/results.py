"""Check results as records, and what an error makes of a queue manager's result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mqtriage.model.check_result import Checked, Status, worst
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import humane_duration
from mqtriage.mq.errors import ConnectionFailed, MQTriageError, Unreachable

FIELDS: Final = (
    Field("status", "STATUS"),
    Field("check", "CHECK", yields=2),
    Field("queue_manager", "QMGR", Show.NAME, yields=1),
    Field("object", "OBJECT", Show.NAME),
    Field("message", "MESSAGE"),
    Field("status_code", "CODE", Show.NUMBER, wide=True),
    Field("metrics", "METRICS", wide=True),
)


def listing_of(results: Sequence[Checked]) -> Listing:
    """The results as records."""
    summary: dict[str, Any] = {"status": worst(r.status for r in results).value}
    for status in Status:
        summary[status.value.lower()] = sum(result.status is status for result in results)
    records: list[Record] = [result.record() for result in results]
    return Listing("CheckResultList", FIELDS, records, summary, id_key="object")


def not_checked(check: str, queue_manager: str, error: Exception, deadline_ms: int) -> Checked:
    """The result for a queue manager that could not be checked.

    That a queue manager cannot be reached is what `check qmgr` is there to find: critical. For the
    other checks it leaves their question open.
    """
    checked = Checked(check, queue_manager=queue_manager)
    if isinstance(error, TimeoutError):
        checked.add(Status.UNKNOWN, f"no answer within {humane_duration(deadline_ms)}")
    elif check == "qmgr" and isinstance(error, ConnectionFailed | Unreachable):
        checked.add(Status.CRITICAL, str(error))
    elif isinstance(error, MQTriageError):
        checked.add(Status.UNKNOWN, str(error))
    else:
        checked.add(Status.UNKNOWN, f"internal error: {type(error).__name__}")
    return checked
