"""A compacted day has its first look whole, then what changed: each look is told as before."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.commands.snapshot.take import TakeRequest, take
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.pipeline.snapshots import compact as compacting
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import Index, definitions_at, messages_at, rows, snapshots
from mqtriage.pipeline.snapshots.schema import TABLES, BodyPart
from tests.property.test_snapshot_compact import run
from tests.property.test_snapshot_histories import QUEUES, World
from tests.support.scale import amount

pytestmark = pytest.mark.slow

OF_LOOK = ("snapshot_id", "snap_time", "seen", "position", "expiry_tenths")
"""What a row has of the look that wrote it; the rest is the message's."""
State = dict[str, tuple[Counter[str], set[str]]]


class Looked(World):
    """Snapshots of it are Parquet, of different kinds."""

    def look(self, kind: str) -> str:
        kinds: dict[str, dict[str, Any]] = {
            "incremental": {"incremental": True},
            "pattern": {"patterns": ("A",)},
            "properties": {"properties": True},
            "digest": {"body": BodyPart.DIGEST},
            "unbrowsed": {"browse": False},
        }
        closed = kind.removeprefix("blind ")
        if kind.startswith("blind"):  # a browse of a queue that gets are not allowed on fails
            self.backend.alter("QLOCAL", closed, {"GET": "DISABLED"})
        self.count += 1
        request = TakeRequest(folder=self.snapshots, form="parquet", **kinds.get(kind, {}))
        name = str(take(self.backend, request, self.count).data["snapshot_id"])
        if kind.startswith("blind"):
            self.backend.alter("QLOCAL", closed, {"GET": "ENABLED"})
        return name

    def twin(self, queue: str, other: int = 1) -> None:
        """Put two messages that share their ids and put time, of priority 1 and *other*."""
        handle = self.backend.open(queue, cmqc.MQOO_OUTPUT)
        for priority in (1, other):
            handle.put(MQMD(msg_id=b"T" * 24, priority=priority), b"twin")
        handle.close()


def states(folder: Path) -> State:
    """Messages and definitions at every snapshot."""
    problems = Problems()
    index = Index(folder, problems)
    by_snapshot = {}
    for info in snapshots(folder, Problems()):
        chain = index.chain_to(info.snapshot_id, problems)
        there = Counter(
            repr(sorted((k, v) for k, v in row.items() if k not in OF_LOOK))
            for row in messages_at(folder, chain, problems)
        )
        defined = definitions_at(folder, chain, problems)
        by_snapshot[info.snapshot_id] = (
            there,
            {f"{key} {row['digest']}" for key, row in defined.items()},
        )
    assert not problems.lost, problems.summary()
    return by_snapshot


def counts(folder: Path) -> dict[str, int]:
    return {table: sum(1 for _ in rows(folder, table, Problems())) for table in TABLES}


def promised(folder: Path) -> None:
    """Every snapshot has as many rows of messages as its own row says."""
    there = Counter(row["snapshot_id"] for _, row in rows(folder, "messages", Problems()))
    for info in snapshots(folder, Problems()):
        assert there[info.snapshot_id] == info.row["message_rows"], info


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["put", "get", "rollback", "expiring", "delayed", "alter", "twin", "advance"]
        ),
        st.sampled_from(QUEUES),
    ),
    max_size=4,
)
KINDS = st.sampled_from(
    ["full"] * 8
    + ["incremental", "pattern", "properties", "digest", "unbrowsed", "blind A", "blind B"]
)
LOOKS = st.lists(
    st.tuples(ACTS, KINDS, st.sampled_from([1, 1, 1, 1, 0]), st.sampled_from([0] * 5 + [1])),
    min_size=2,
    max_size=8,
)
"""What happens, the snapshot after it, the minutes until then, and whether its files come late."""


@settings(max_examples=amount(10, all=200), deadline=None)
@given(looks=LOOKS)
def test_every_look_of_a_compacted_day_is_told_as_before(looks: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        world = Looked(Path(name))
        late = Path(name) / "late"
        for acts, kind, minutes, is_late in looks:
            for verb, queue in acts:
                if verb == "twin":
                    world.twin(queue, 1 + len(acts) % 2)
                else:
                    world.act(verb, queue)
            for _ in range(minutes):
                world.act("advance", "A")
            taken = world.look(kind)
            if is_late:
                copy_of(world.snapshots, taken, late)
        before = states(world.snapshots)
        for path in [path.relative_to(late) for path in late.rglob("*.parquet")]:
            (world.snapshots / path).unlink()
        run(world.snapshots)
        if late.exists():
            shutil.copytree(late, world.snapshots, dirs_exist_ok=True)
        after = states(world.snapshots)
        assert after == before
        promised(world.snapshots)
        run(world.snapshots)
        assert states(world.snapshots) == before
        promised(world.snapshots)
        world.backend.disconnect()


def copy_of(folder: Path, snapshot_id: str, out: Path) -> None:
    for path in folder.rglob(f"{snapshot_id}*.parquet"):
        there = out / path.relative_to(folder)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)


@pytest.fixture
def world(tmp_path: Path) -> Looked:
    return Looked(tmp_path)


def test_of_whole_snapshots_the_first_look_and_what_changed_are_left(world: Looked) -> None:
    for _ in range(10):
        world.act("put", "A")
    for number in range(12):
        world.act("advance", "A")
        if number == 4:
            world.act("put", "B")
            world.act("get", "A")
            world.act("rollback", "A")
            world.act("alter", "A")
        world.look("full")
    there, before = counts(world.snapshots), states(world.snapshots)
    (done,) = run(world.snapshots)
    now = counts(world.snapshots)
    assert there["messages"] == 12 * 10 + 1
    assert now["messages"] == 10 + 3  # one new, one gone, one that was rolled back
    assert now["definitions"] == there["definitions"] / 12 + 1
    assert now["queues"] == there["queues"]
    assert done.unchanged_row_count == sum(there.values()) - sum(now.values())
    assert [info.mode.value for info in snapshots(world.snapshots, Problems())] == [
        "full",
        *["incremental"] * 11,
    ]
    assert states(world.snapshots) == before
    promised(world.snapshots)


@pytest.mark.parametrize("kind", ["pattern", "properties", "digest", "unbrowsed", "blind B"])
def test_what_was_not_looked_at_alike_stays_whole(world: Looked, kind: str) -> None:
    """And so does what comes after it, until two are alike again."""
    world.act("put", "A")
    world.act("put", "B")
    for number in range(5):
        world.act("advance", "A")
        world.look(kind if number == 2 else "full")
    before = states(world.snapshots)
    run(world.snapshots)
    modes = [info.mode.value for info in snapshots(world.snapshots, Problems())]
    if kind == "properties":  # no message has any: nothing differs
        assert modes == ["full", *["incremental"] * 4]
    else:
        assert modes == ["full", "incremental", "full", "full", "incremental"]
    assert states(world.snapshots) == before


def test_two_looks_of_one_moment_and_the_one_after_stay_whole(world: Looked) -> None:
    for minutes in (1, 1, 0, 1, 1):
        world.act("put", "A")
        for _ in range(minutes):
            world.act("advance", "A")
        world.look("full")
    run(world.snapshots)
    modes = [info.mode.value for info in snapshots(world.snapshots, Problems())]
    assert modes == ["full", "full", "full", "full", "incremental"]


def test_looks_that_see_as_many_of_other_queues_stay_whole(world: Looked) -> None:
    for queue in QUEUES:
        world.act("put", queue)
    for kind in ("full", "blind B", "blind A", "blind A"):
        world.act("advance", "A")
        world.look(kind)
    before = states(world.snapshots)
    run(world.snapshots)
    assert states(world.snapshots) == before
    modes = [info.mode.value for info in snapshots(world.snapshots, Problems())]
    assert modes == ["full", "full", "full", "incremental"]


@pytest.mark.parametrize(("verb", "rows_left"), [("get", [2, 2]), ("rollback", [2, 2, 2])])
def test_of_messages_that_share_a_key_all_rows_stay_where_one_does(
    world: Looked, verb: str, rows_left: list[int]
) -> None:
    world.twin("A")
    for number in range(4):
        world.act("advance", "A")
        if number == 2:
            world.act(verb, "A")
        world.look("full")
    before = states(world.snapshots)
    run(world.snapshots)
    assert states(world.snapshots) == before
    by_look = Counter(
        row["snapshot_id"] for _, row in rows(world.snapshots, "messages", Problems())
    )
    assert list(by_look.values()) == rows_left  # after a rollback the two differ


def test_a_snapshot_that_goes_on_from_another_than_the_one_before_it_stays_whole(
    world: Looked,
) -> None:
    """As two that take snapshots of one queue manager do, their folders put together."""
    world.act("put", "A")
    known = world.snapshots / ".known" / "QM1"
    world.look("full")
    of_first = known.read_bytes()
    for _ in range(3):
        world.act("advance", "A")
        world.look("full")
        known.write_bytes(of_first)
    run(world.snapshots)
    modes = [info.mode.value for info in snapshots(world.snapshots, Problems())]
    assert modes == ["full", "incremental", "full", "full"]


def test_memory_is_that_of_a_snapshot_not_of_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What pyarrow holds at most, of a day of ten looks and of one of forty."""
    import pyarrow

    monkeypatch.setattr(compacting, "ROWS_HELD", 1000)
    peaks = []
    for looks in (10, 40):
        world = Looked(tmp_path / str(looks))
        for _ in range(300):
            world.act("put", "A")
        for _ in range(looks):
            world.act("advance", "A")
            world.look("full")
        pool = pyarrow.proxy_memory_pool(pyarrow.default_memory_pool())
        pyarrow.set_memory_pool(pool)
        try:
            run(world.snapshots)
        finally:
            pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        peaks.append(pool.max_memory())
    assert peaks[1] < peaks[0] * 1.7, peaks
