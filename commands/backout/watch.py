"""`backout pending --interval`: tell each message that is rolled back, as its count rises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.commands.backout.messages import pending
from mqtriage.model.result import Field, Record, Show
from mqtriage.mq.times import rfc3339

FIELDS: Final = (
    Field("time", "TIME", Show.TIME, width=20),
    Field("queue", "QUEUE", Show.NAME, width=24),
    Field("msg_id", "MSGID", width=48, yields=2),
    Field("backout_count", "BACKOUT", Show.NUMBER, width=7),
    Field("rise", "RISE", Show.NUMBER, width=4),
    Field("state", "STATE", width=6),
    Field("what_next", "WHAT_NEXT", width=48, yields=1),
    Field("backout_threshold", "BOTHRESH", Show.NUMBER, width=8, wide=True),
    Field("backout_queue", "BOQNAME", Show.NAME, width=24, wide=True),
    Field("correl_id", "CORRELID", Show.ID, width=48, wide=True),
    Field("put_time", "PUT_TIME", Show.TIME, width=20, wide=True),
    Field("put_appl_name", "PUT_APPL", width=28, wide=True),
)
_WHAT_NEXT: Final = {
    "off": "endless: BOTHRESH(0), so nothing moves it",
    "near": "rolled back, BOTHRESH is not reached",
    "gone": "consumed, moved or expired",
}

Key: TypeAlias = tuple[str, str, str]


class Watch:
    """What was rolled back how often; kept over a lost connection."""

    def __init__(self, *, existing: bool) -> None:
        self._seen: dict[Key, Record] | None = {} if existing else None

    def look(self, backend: Backend, pattern: str, note: Callable[[str], None]) -> Iterator[Record]:
        """Yield what was rolled back, and what is gone, since the last look.

        Browses every local queue of *pattern* that has messages.
        """
        time = rfc3339(backend.now_us())
        listing = pending(backend, pattern, at_least=1)
        now: dict[Key, Record] = {}
        for record in listing.items:
            key = (record["queue"], record["msg_id"], record["put_time"] or "")
            now[key] = record
            if self._seen is None:
                continue
            before = self._seen.get(key)
            rise = record["backout_count"] - (before["backout_count"] if before else 0)
            if rise > 0:
                yield _event(time, record, rise, record["state"])
        for text in listing.warnings:
            note(text)
        for key, last in (self._seen or {}).items():
            if key not in now:
                yield _event(time, last, 0, "gone")
        self._seen = now


def _event(time: str, record: Record, rise: int, state: str) -> dict[str, Any]:
    boq = record["backout_queue"]
    poison = f"the next JMS get moves it to {boq}" if boq else "to the DLQ, or discarded"
    return {
        "time": time,
        "queue": record["queue"],
        "msg_id": record["msg_id"],
        "correl_id": record["correl_id"],
        "put_time": record["put_time"],
        "backout_count": record["backout_count"],
        "rise": rise,
        "state": state,
        "what_next": _WHAT_NEXT.get(state, poison),
        "backout_threshold": record["backout_threshold"],
        "backout_queue": record["backout_queue"],
        "put_appl_name": record["put_appl_name"],
    }
