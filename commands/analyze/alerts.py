"""What of newly read snapshots and events is an alert: pure decisions.

A queue is held against thresholds as by `mqtriage check queue`; an event of a queue manager
says by its reason what it means. An alert is a change: to WARNING or CRITICAL, from one to the
other, and back to OK. Events without a counterpart, such as Not Authorized, are alerts each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mqtriage.commands.check.queues import measure_fill
from mqtriage.model.check_result import CheckedObject, Measure, Metric, Status
from mqtriage.model.result import Show, column
from mqtriage.model.thresholds import Thresholds
from mqtriage.model.units import count_text
from mqtriage.mq import cmqc
from mqtriage.mq.names import is_system, matches
from mqtriage.mq.times import rfc3339
from mqtriage.records import NamedTuple, dataclass

QUEUE: Final = "queue"
"""Subject of what snapshots say of a queue."""


class Meaning(NamedTuple):
    """What an event says.

    Attributes:
        subject: what is as *status* says until another event of the same subject.
        lasts: there is such another event; else each event is an alert.
    """

    subject: str
    status: Status
    text: str
    lasts: bool = True


MEANINGS: Final = {
    cmqc.MQRC_Q_FULL: Meaning("depth", Status.CRITICAL, "Queue Full"),
    cmqc.MQRC_Q_DEPTH_HIGH: Meaning("depth", Status.WARNING, "Queue Depth High"),
    cmqc.MQRC_Q_DEPTH_LOW: Meaning("depth", Status.OK, "Queue Depth Low"),
    cmqc.MQRC_Q_SERVICE_INTERVAL_HIGH: Meaning(
        "service interval", Status.WARNING, "Queue Service Interval High"
    ),
    cmqc.MQRC_Q_SERVICE_INTERVAL_OK: Meaning(
        "service interval", Status.OK, "Queue Service Interval OK"
    ),
    cmqc.MQRC_Q_MGR_NOT_ACTIVE: Meaning(
        "queue manager", Status.CRITICAL, "Queue Manager Not Active"
    ),
    cmqc.MQRC_Q_MGR_ACTIVE: Meaning("queue manager", Status.OK, "Queue Manager Active"),
    cmqc.MQRC_NOT_AUTHORIZED: Meaning("authority", Status.WARNING, "Not Authorized", lasts=False),
}
"""Source: IBM MQ documentation, "Event message reference"."""

Key: TypeAlias = tuple[str, str, str]
"""Queue manager, object, subject."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one subject at one moment.

    Attributes:
        lasts: it holds until the next look; else each look that is not OK is an alert.
    """

    key: Key
    time_us: int
    status: Status
    message: str
    lasts: bool = True

    def checked(self) -> CheckedObject:
        """As the result of a check, for a monitor's file."""
        manager, name, subject = self.key
        seconds = Metric("time", self.time_us / 1_000_000, Measure.SECONDS)
        check = f"watch_{subject.replace(' ', '_')}"
        return CheckedObject(check, name, manager, self.status, metrics=[seconds])


def queue_looks(
    rows: Iterable[Mapping[str, Any]], thresholds: Thresholds, patterns: Sequence[str]
) -> Iterator[Look]:
    """The queues of `pipeline.watching.read_queues` held against the thresholds.

    Args:
        patterns: names or generic names; none is every queue but SYSTEM ones.
    """
    for row in rows:
        name = row["queue"]
        if not (any(matches(p, name) for p in patterns) if patterns else not is_system(name)):
            continue
        checked, depth = CheckedObject(QUEUE, name), row["curdepth"]
        if depth is None:
            checked.add(Status.UNKNOWN, row["problem"] or "its depth is unknown")
        else:
            age_ms = None if depth else 0  # None: how old the oldest message was is not known
            if row["oldest_us"] is not None:
                age_ms = max(0, row["time_us"] - row["oldest_us"]) // 1000
            measure_fill(checked, depth, row["maxdepth"], age_ms, thresholds)
        key = (row["qmgr"], name, QUEUE)
        yield Look(key, row["time_us"], checked.status, checked.message)


def event_looks(rows: Iterable[Mapping[str, Any]], patterns: Sequence[str]) -> Iterator[Look]:
    """What the events of `pipeline.watching.read_events` say; with *patterns* of these objects."""
    for row in rows:
        name = row["object"] or ""
        if patterns and not any(matches(p, name) for p in patterns):
            continue
        meaning = MEANINGS[row["reason"]]
        message = meaning.text
        if not meaning.lasts:
            user = f" for {row['user']}" if row["user"] else ""
            message += f"{user}, {count_text(row['events'], 'event')}"
        key = (row["qmgr"], name, meaning.subject)
        yield Look(key, row["time_us"], meaning.status, message, lasts=meaning.lasts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRecord:
    """An alert as JSON content; `number` counts all from 1."""

    number: int = column("NUMBER", Show.NUMBER, wide=True, place=3)
    time: str = column("TIME", Show.TIME, width=20)
    status: str = column("STATUS", width=8)
    was: str = column("WAS", wide=True, place=2)
    queue_manager: str = column("QMGR", Show.NAME, width=8)
    object: str | None = column("OBJECT", Show.NAME, width=16)
    subject: str = column("SUBJECT", wide=True, place=1)
    message: str = column("MESSAGE")


class Alert(NamedTuple):
    """A change of one subject; *was* is the status before."""

    look: Look
    was: Status

    def record(self, number: int) -> AlertRecord:
        manager, name, subject = self.look.key
        return AlertRecord(
            number=number,
            time=rfc3339(self.look.time_us),
            status=self.look.status.value,
            was=self.was.value,
            queue_manager=manager,
            object=name or None,
            subject=subject,
            message=self.look.message,
        )


def decide(known: Mapping[Key, Look], looks: Iterable[Look]) -> tuple[dict[Key, Look], list[Alert]]:
    """What is known after *looks*, and the alerts among them in order of time.

    A look older than what is known of its subject says nothing new.
    """
    after, alerts = dict(known), []
    for look in sorted(looks, key=lambda look: (look.time_us, look.key)):
        if not look.lasts:
            alerts.append(Alert(look, Status.OK))
            continue
        before = after.get(look.key)
        if before is not None and look.time_us <= before.time_us:
            continue
        was = before.status if before is not None else Status.OK
        if look.status is not was:
            alerts.append(Alert(look, was))
        after[look.key] = look
    return after, alerts
