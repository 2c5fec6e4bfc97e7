"""The load of the staging queue: equal to a walk through every interval, and sizes that follow."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.mq.delay import STAGING_QUEUE
from tests.pipeline.rows import MINUTE, START_US, frame, us
from tests.support.scale import amount

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Staged(NamedTuple):
    """A message on the staging queue, times in microseconds since the start."""

    put: int
    delay: int
    length: int
    gone: int | None
    """When it left before its due time, None when it did not."""


def rows_of(
    qmgr: str, staged: list[Staged], looks: list[int]
) -> tuple[list[Any], list[Any], list[Any]]:
    """What full snapshots at *looks* see: messages, queues, snapshots."""
    messages: list[Any] = []
    queues: list[Any] = []
    snapshots: list[Any] = []
    for number, look in enumerate(looks):
        time = {"qmgr": qmgr, "snapshot_id": f"{number:04}", "snap_time": START_US + look}
        there = [
            (n, m)
            for n, m in enumerate(staged)
            if m.put <= look < (m.put + m.delay if m.gone is None else m.gone)
        ]
        snapshots.append(time)
        queues.append(
            time
            | {
                "queue": STAGING_QUEUE,
                "curdepth": len(there),
                "maxdepth": 5000,
                "maxmsgl_bytes": 4096,
            }
        )
        messages += [
            time
            | {
                "queue": STAGING_QUEUE,
                "message_key": f"{n:032}",
                "put_time": START_US + m.put,
                "due_time": START_US + m.put + m.delay,
                "delay_ms": m.delay // 1000,
                "length_bytes": m.length,
                "target": "T",
            }
            for n, m in there
        ]
    return messages, queues, snapshots


def seen_interval(m: Staged, looks: list[int]) -> tuple[int, int] | None:
    """What can be known of one message's stay from *looks* alone."""
    end = m.put + m.delay if m.gone is None else m.gone
    first, last = bisect_left(looks, m.put), bisect_left(looks, end) - 1
    if first > last or first == len(looks):
        return None
    following = looks[last + 1] if last + 1 < len(looks) else None
    if m.gone is not None and following is not None and following < m.put + m.delay:
        return m.put, following
    return m.put, m.put + m.delay


def reference(staged: list[Staged], looks: list[int]) -> dict[str, int]:
    """The peaks by a walk through every moment at which something changes."""
    stays = [(stay, m.length) for m in staged if (stay := seen_interval(m, looks)) is not None]
    moments = sorted({max(s, looks[0]) for (s, _), _ in stays} | {e for (_, e), _ in stays})
    best = {"count": 0, "bytes": 0, "blocks": 0}
    for moment in moments:
        if not looks[0] <= moment <= looks[-1]:
            continue
        there = [length for (s, e), length in stays if s <= moment < e]
        best["count"] = max(best["count"], len(there))
        best["bytes"] = max(best["bytes"], sum(there))
        best["blocks"] = max(best["blocks"], sum(max(1, -(-n // 512)) for n in there))
    return best


messages_of = st.lists(
    st.builds(
        Staged,
        put=st.integers(0, 60).map(lambda n: n * MINUTE // 2 + 1),
        delay=st.integers(1, 80).map(lambda n: n * MINUTE // 2),
        length=st.integers(0, 5000),
        gone=st.none(),
    ).flatmap(
        lambda m: st.one_of(
            st.just(m), st.integers(1, m.delay).map(lambda after: m._replace(gone=m.put + after))
        )
    ),
    max_size=12,
)


@pytest.mark.long
@settings(
    max_examples=amount(3),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(cases=st.lists(messages_of, min_size=24, max_size=24), gap=st.sampled_from([5, 10]))
def test_the_peaks_are_those_of_a_walk_through_every_interval(
    spark: SparkSession, cases: list[list[Staged]], gap: int
) -> None:
    from mqtriage.pipeline import delay
    from mqtriage.pipeline.lifetimes import observations

    times = [n * gap * MINUTE for n in range(60 // gap + 1)]
    messages: list[Any] = []
    queues: list[Any] = []
    snapshots: list[Any] = []
    for number, case in enumerate(cases):
        m, q, s = rows_of(f"QM{number:02}", case, times)
        messages, queues, snapshots = messages + m, queues + q, snapshots + s
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    staged = delay.staged(frame(spark, "messages", messages), looked)
    loaded = delay.load(staged, delay.span(looked))
    by_manager = {row["qmgr"]: row for row in delay.held(loaded, 100).collect()}
    for number, case in enumerate(cases):
        expected = reference(case, times)
        row = by_manager.get(f"QM{number:02}")
        seen = {
            name: (row[f"held_{name}"] or 0) if row else 0 for name in ("count", "bytes", "blocks")
        }
        assert seen == expected, case


@pytest.mark.long
def test_of_equal_peaks_the_first_is_told(spark: SparkSession) -> None:
    from mqtriage.pipeline import delay
    from mqtriage.pipeline.lifetimes import observations

    times = [n * 10 * MINUTE for n in range(7)]
    there = [Staged(n * MINUTE, 12 * MINUTE, 100, None) for n in (2, 3, 31, 32)]
    messages, queues, snapshots = rows_of("QM1", there, times)
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    staged = delay.staged(frame(spark, "messages", messages), looked)
    spans = delay.span(looked)
    facts = delay.facts(frame(spark, "queues", queues))
    (row,) = delay.sizes(
        staged, delay.usual_delays(staged), delay.load(staged, spans), spans, facts
    ).collect()
    assert (row["peak_count"], us(row["peak_time"])) == (2, START_US + 3 * MINUTE)


def test_the_load_by_the_hour_is_the_greatest_of_its_minutes_and_of_what_lay_there(
    spark: SparkSession,
) -> None:
    from mqtriage.pipeline import delay
    from mqtriage.pipeline.lifetimes import observations

    hour = 60 * MINUTE
    times = [n * 10 * MINUTE for n in range(6 * 6 + 1)]
    there = [
        Staged(put=5 * MINUTE + 1, delay=2 * hour, length=100, gone=None),
        Staged(put=hour + MINUTE, delay=20 * MINUTE, length=300, gone=None),
    ]
    messages, queues, snapshots = rows_of("QM1", there, times)
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    staged = delay.staged(frame(spark, "messages", messages), looked)
    spans = delay.span(looked)
    hours = delay.hourly(delay.load(staged, spans), spans).orderBy("hour_time").collect()
    loads = [(r["arrivals"], r["releases"], r["peak_count"], r["peak_bytes"]) for r in hours]
    assert loads[:4] == [(1, 0, 1, 100), (1, 1, 2, 400), (0, 1, 1, 100), (0, 0, 0, 0)]
    assert len(loads) == 7


def test_an_outage_of_the_snapshots_is_told_and_raises_no_size(spark: SparkSession) -> None:
    """By Little's law as many lay there at once as looks see, however long the gap is."""
    from mqtriage.pipeline import delay
    from mqtriage.pipeline.lifetimes import observations

    times = [n * 10 * MINUTE for n in range(24 * 6)]
    cut_times = [time for time in times if not 6 * 60 * MINUTE < time < 15 * 60 * MINUTE]
    there = [Staged(n * MINUTE, 4 * MINUTE, 100, None) for n in range(1, 24 * 60)]
    both = rows_of("STEADY", there, times), rows_of("CUT", there, cut_times)
    messages, queues, snapshots = (first + second for first, second in zip(*both, strict=True))
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    staged = delay.staged(frame(spark, "messages", messages), looked)
    spans = delay.span(looked)
    facts = delay.facts(frame(spark, "queues", queues))
    sizes = delay.sizes(
        staged, delay.usual_delays(staged), delay.load(staged, spans), spans, facts
    ).collect()
    cut, steady = sorted(sizes, key=lambda row: str(row["qmgr"]))
    assert steady["peak_count"] == cut["peak_count"] == 4  # as many as there ever were
    assert steady["peak_count_error"] <= 12
    assert cut["maxdepth"] <= steady["maxdepth"]
    assert steady["peak_count_error"] < cut["peak_count_error"] <= 16
    assert "in a gap of up to 540.0 minutes" in cut["maxdepth_sum"]
    assert "gap" not in steady["maxdepth_sum"]


def test_a_lifetime_that_ends_when_the_delay_does_is_too_short(spark: SparkSession) -> None:
    from mqtriage.pipeline import delay
    from mqtriage.pipeline.lifetimes import observations

    there = [Staged(put=0, delay=2 * MINUTE, length=n, gone=None) for n in (1, 2)]
    messages, queues, snapshots = rows_of("QM1", there, [MINUTE])
    for message in messages:  # that of 2 bytes lives a microsecond longer
        message["expiry_time"] = message["due_time"] + message["length_bytes"] - 1
    looked = observations(frame(spark, "queues", queues), frame(spark, "snapshots", snapshots))
    rows = delay.staged(frame(spark, "messages", messages), looked).collect()
    assert {row["length_bytes"]: row["is_doomed"] for row in rows} == {1: True, 2: False}
