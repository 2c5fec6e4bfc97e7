"""Made-up histories of messages, seen by snapshots: what the reference walks and Spark reads."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.pipeline.rows import DAY, MINUTE, START_US, frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class Stay:
    """A message on one queue; times in microseconds since the start.

    Attributes:
        facts: further columns of its rows.
        backouts: (from when on, BackoutCount), oldest first.
    """

    qmgr: str
    queue: str
    key: str
    put: int
    gone: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    backouts: Sequence[tuple[int, int]] = ()

    def backout_count(self, at: int) -> int:
        return max((count for since, count in self.backouts if since <= at), default=0)

    def looks(self, times: Sequence[int]) -> list[int]:
        """The looks that see it."""
        return [at for at in times if self.put <= at < self.gone]

    def gone_by(self, times: Sequence[int]) -> int | None:
        """The first look without it after the last with it."""
        seen = self.looks(times)
        return min((at for at in times if seen and at > seen[-1]), default=None)


@dataclass
class Rows:
    """What full snapshots see of some stays."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    queues: list[dict[str, Any]] = field(default_factory=list)
    snapshots: list[dict[str, Any]] = field(default_factory=list)

    def frames(self, spark: SparkSession) -> dict[str, DataFrame]:
        return {
            name: frame(spark, name, getattr(self, name))
            for name in ("messages", "queues", "snapshots")
        }


def rows_of(
    stays: Sequence[Stay],
    times: Sequence[int],
    queues: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
    *,
    incremental: bool = False,
    unread: frozenset[tuple[str, str, int]] = frozenset(),
) -> Rows:
    """The rows of snapshots at *times*; with *incremental* only the first of a day is full.

    Args:
        unread: (queue manager, queue, time) of looks at which the queue could not be browsed.
    """
    table_rows = Rows()
    known = dict(queues or {})
    for stay in stays:
        known.setdefault((stay.qmgr, stay.queue), {})
    for number, at in enumerate(times):
        for qmgr in dict.fromkeys(qmgr for qmgr, _ in known):
            is_first = not number or times[number - 1] // DAY != at // DAY
            mode = "incremental" if incremental and not is_first else "full"
            stamp = {"qmgr": qmgr, "snapshot_id": f"{number:05}", "snap_time": START_US + at}
            table_rows.snapshots.append(stamp | {"mode": mode})
            for stay in stays:
                looks = [t for t in times if (qmgr, stay.queue, t) not in unread]
                if stay.qmgr == qmgr and at in looks:
                    before = max((t for t in looks if t < at), default=None)
                    table_rows.messages += _row(stay, stamp, at, before, looks, mode)
            for (of, queue), facts in known.items():
                if of == qmgr:
                    depth = sum(
                        s.qmgr == qmgr and s.queue == queue and s.put <= at < s.gone for s in stays
                    )
                    browsed = (qmgr, queue, at) not in unread
                    row = {"curdepth": depth, "browsed": browsed, **stamp, "queue": queue}
                    table_rows.queues.append({**row, **facts})
    return table_rows


def _row(
    stay: Stay, stamp: dict[str, Any], at: int, before: int | None, times: Sequence[int], mode: str
) -> list[dict[str, Any]]:
    names = {"queue": stay.queue, "message_key": stay.key, "msg_id": stay.key}
    was = before is not None and stay.put <= before < stay.gone
    if not stay.put <= at < stay.gone:
        return [stamp | names | {"seen": "gone"}] if was else []
    count = stay.backout_count(at)
    if mode == "incremental" and was and before is not None and count == stay.backout_count(before):
        return []
    seen = "present" if mode == "full" else "changed" if was else "new"
    first = min(look for look in times if look >= stay.put)
    return [
        {
            "length_bytes": 100,
            "backout_count": count,
            **stamp,
            **names,
            "seen": seen,
            "first_seen_time": START_US + first,
            "put_time": START_US + stay.put,
            **stay.facts,
        }
    ]


def random_stays(seed: int, count: int = 60) -> tuple[list[Stay], list[int]]:
    """Messages with lifetimes, lengths and rollbacks, and looks five minutes apart."""
    dice = random.Random(seed)
    times = [n * 5 * MINUTE for n in range(13)]
    stays = []
    for number in range(count):
        put = dice.randrange(-30 * MINUTE, 60 * MINUTE)
        gone = put + dice.randrange(1, 40 * MINUTE)
        facts: dict[str, Any] = {
            "length_bytes": dice.choice([0, 10, 512, 513, 4000]),
            "format": dice.choice(["MQSTR", "MQHRF2", ""]),
            "put_appl_name": dice.choice(["web", "batch"]),
        }
        if dice.random() < 0.6:
            end = put + dice.randrange(1, 50) * MINUTE
            facts["expiry_time"] = START_US + end
            gone = min(gone, end)
        backouts = [(put + n * MINUTE, n + 1) for n in range(dice.choice([0, 0, 0, 1, 3]))]
        stays.append(
            Stay(
                dice.choice(["QM1", "QM2"]),
                dice.choice(["A", "B"]),
                f"{number:048}",
                put,
                gone,
                facts,
                backouts,
            )
        )
    return stays, times


def nearest_rank(values: Sequence[int], percent: float) -> int | None:
    """The least value that at least *percent* of the values do not exceed."""
    ordered = sorted(values)
    for number, value in enumerate(ordered, 1):
        if number * 100 >= percent * len(ordered):
            return value
    return None
