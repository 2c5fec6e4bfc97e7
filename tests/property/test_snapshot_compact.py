"""Compacting changes no row, whatever is there, who reads or writes, and when it is killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.files.locks import sharing
from mqtriage.mq.errors import Refused
from mqtriage.pipeline.snapshots import compact as compacting
from mqtriage.pipeline.snapshots.compact import at_work, compact, days
from mqtriage.pipeline.snapshots.files import PartitionFiles
from mqtriage.pipeline.snapshots.problems import ProblemKind, Problems
from mqtriage.pipeline.snapshots.reader import rows
from mqtriage.pipeline.snapshots.schema import TABLES, escaped, file_name
from tests.property.test_snapshot_files import plain_row
from tests.support.scale import amount

pytestmark = pytest.mark.slow

DAY_US = 86_400_000_000
OPEN = "2026-02-01"
Contents = dict[str, list[tuple[Any, ...]]]


def write(
    folder: Path, manager: str, day: int, number: int, form: Any = "parquet", data: str = ""
) -> str:
    """A snapshot of a few rows in files of its own; returns its id."""
    name = f"202601{day:02d}T{number:012d}Z-{escaped(manager)}"
    files = PartitionFiles(folder, manager, f"2026-01-{day:02d}", name, form, durable=False)
    for table, count in (("messages", number % 4), ("queues", 2), ("snapshots", 1)):
        for _ in range(count):
            row = plain_row(table, name)
            row[1] = (20_453 + day) * DAY_US + number  # a moment of that day
            if data and table == "messages":
                row[-1] = data
            files.add(table, row)
    files.publish()
    return name


def contents(folder: Path, problems: Problems | None = None) -> Contents:
    """Every row of every table, with the names of its folders."""
    problems = Problems() if problems is None else problems
    return {
        table: sorted(tuple(map(repr, row.values())) for _, row in rows(folder, table, problems))
        for table in TABLES
    }


def run(folder: Path, problems: Problems | None = None) -> list[compacting.Compacted]:
    problems = Problems() if problems is None else problems
    with at_work(folder):
        done = (compact(folder, day, problems) for day in days(folder, OPEN, problems))
        return [day for day in done if day is not None]


def files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


KINDS = st.sampled_from(["parquet"] * 6 + ["ndjson", "cut", "column", "garbage", "repeated"])
SNAPSHOTS = st.tuples(st.sampled_from(["QM1", "QM2", "A/B"]), st.integers(1, 2), KINDS)


@given(drawn=st.lists(SNAPSHOTS, max_size=12), file_bytes=st.sampled_from([1, 1 << 20]))
@settings(max_examples=amount(25), deadline=None)
def test_no_row_is_lost_or_doubled_whatever_is_there(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int, str]], file_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("compact") / "snapshots"
    folder.mkdir()
    odd = set()
    for number, (manager, day, kind) in enumerate(drawn):
        name = write(folder, manager, day, number, "ndjson" if kind == "ndjson" else "parquet")
        if kind != "parquet":
            odd.add((manager, day))
            spoil(folder, name, kind)
    before = Problems()
    there = contents(folder, before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compacting, "FILE_BYTES", file_bytes)  # a file for each, or one for all
        run(folder)
    after = Problems()
    assert contents(folder, after) == there
    assert after.summary() == before.summary()
    own = [path for path in files(folder) if path.parts[0] in TABLES]
    stay = {(path.parts[1], int(path.parts[2][-2:])) for path in own}
    several = {day for _, day, _ in drawn if sum(other == day for _, other, _ in drawn) > 1}
    assert {(manager, day) for manager, day in stay if day in several} == {
        (f"qmgr={escaped(manager)}", day) for manager, day in odd if day in several
    }
    assert run(folder) == []


def spoil(folder: Path, name: str, kind: str) -> None:
    """Make a snapshot one that has to stay as it is."""
    import pyarrow
    import pyarrow.parquet

    (queues,) = folder.glob(f"queues/*/*/{name}*")
    if kind == "cut":
        (listed,) = folder.glob(f"snapshots/*/*/{name}*")
        listed.unlink()
    elif kind == "column":
        table = pyarrow.parquet.read_table(queues, partitioning=None)
        more = table.append_column("later", pyarrow.array(["x"] * len(table)))
        pyarrow.parquet.write_table(more, queues)
    elif kind == "garbage":  # both marks are there, and no data
        queues.write_bytes(queues.read_bytes().replace(b"x", b"\xff"))
        queues.write_bytes(queues.read_bytes()[:4] + os.urandom(60) + queues.read_bytes()[64:])
    elif kind == "repeated":
        shutil.copy(queues, queues.with_name(file_name("again", "parquet")))


def filled(folder: Path, managers: int = 6, snapshots: int = 8) -> Contents:
    for number in range(snapshots):
        for manager in range(managers):
            write(folder, f"QM{manager}", 1 + number % 2, number + 1)
    return contents(folder)


def test_a_day_becomes_a_file_a_table_and_is_read_as_before(folder: Path) -> None:
    there = filled(folder)
    problems = Problems()
    first, second = run(folder, problems)
    assert len(problems) == 0
    assert (first.snap_date, first.queue_manager_count, first.file_count) == ("2026-01-01", 6, 3)
    assert first.replaced_file_count == 6 * (2 * 4 + 4)
    assert contents(folder) == there
    assert files(folder) == {
        Path("compacted", table, f"snap_date={day}", "all-0001.v1.parquet")
        for table in ("snapshots", "messages", "queues")
        for day in (first.snap_date, second.snap_date)
    }


def test_rows_of_one_queue_manager_are_read_without_those_of_others(folder: Path) -> None:
    there = filled(folder)
    run(folder)
    of_one = [r for _, r in rows(folder, "queues", Problems(), lambda f: f.queue_manager == "QM3")]
    assert {row["qmgr"] for row in of_one} == {"QM3"}
    assert len(of_one) * 6 == len(there["queues"])


def test_what_comes_to_a_compacted_day_is_added_to_it(folder: Path) -> None:
    filled(folder)
    run(folder)
    for number in (100, 101):
        write(folder, "QM1", 1, number)
    there = contents(folder)
    (again,) = run(folder)
    assert again.row_count == 2 * 3 + 1
    assert contents(folder) == there
    assert Path("compacted/queues/snap_date=2026-01-01/all-0002.v1.parquet") in files(folder)


def test_a_snapshot_that_is_compacted_and_comes_again_counts_once(folder: Path) -> None:
    there = filled(folder)
    copy = shutil.copytree(folder, folder.with_name("copy"))
    run(folder)
    shutil.copytree(copy, folder, dirs_exist_ok=True)
    assert contents(folder) == there
    problems = Problems()
    assert run(folder, problems) == []
    assert problems.counts[ProblemKind.DUPLICATE] == 6 * 2
    assert contents(folder) == there


def test_memory_does_not_grow_with_what_is_compacted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What pyarrow holds at most, of a day of four megabytes and of one of fourteen."""
    import pyarrow

    monkeypatch.setattr(compacting, "BYTES_HELD", 300_000)
    peaks = []
    for count in (60, 240):
        there = folder.with_name(str(count))
        for number in range(count):
            write(there, f"QM{number % 7}", 1, number, data=os.urandom(20_000).hex())
        pool = pyarrow.proxy_memory_pool(pyarrow.default_memory_pool())
        pyarrow.set_memory_pool(pool)
        try:
            run(there)
        finally:
            pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        peaks.append(pool.max_memory())
    more_data = 180 * 1.5 * 40_000
    assert peaks[1] - peaks[0] < more_data / 5, peaks  # footers: a group is small here


MANAGERS, TAKEN = amount(4, all=8), amount(6, all=12)
"""What is compacted while something happens: a file for each of three tables."""

_COMPACT = """
import sys
from pathlib import Path
from mqtriage.pipeline.snapshots.compact import at_work, compact, days
from mqtriage.pipeline.snapshots.problems import Problems
folder = Path(sys.argv[1])
print("ready", flush=True)
while True:
    problems = Problems()
    with at_work(folder):
        done = [compact(folder, day, problems) for day in days(folder, "2026-02-01", problems)]
    if len(sys.argv) == 2:
        break
print(sum(day is not None for day in done), flush=True)
"""


def process(script: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_it_may_be_killed_at_any_time(folder: Path) -> None:
    """Rows are the same after each kill, and what is left is as if it had never been killed."""
    there = filled(folder, MANAGERS, TAKEN)
    kills = 0
    for _ in range(amount(6, all=120)):
        with process(_COMPACT, str(folder)) as ran:
            assert ran.stdout is not None
            ran.stdout.readline()
            # the first never comes too late
            time.sleep(random.random() * MANAGERS * TAKEN / 240 if kills else 0)
            ran.send_signal(signal.SIGKILL)
        kills += ran.returncode != 0
        assert contents(folder) == there
        if any(path.parts[0] == "compacted" for path in files(folder)):
            break
    run(folder)
    assert contents(folder) == there
    assert {path.parts[0] for path in files(folder)} <= {"compacted"}
    assert kills


_WRITE = """
import sys, time
from pathlib import Path
from tests.property.test_snapshot_compact import write
print("ready", flush=True)
for number in range(10_000):
    write(Path(sys.argv[1]), "QM9", 1 + number % 2, number)
    time.sleep(0.1)
"""


def test_who_reads_meanwhile_sees_every_row_once_while_others_write(folder: Path) -> None:
    """One writes snapshots of the very days that are compacted, again and again."""
    there = filled(folder, MANAGERS, TAKEN)
    met: set[str] = set()
    rewritten = 0
    with process(_COMPACT, str(folder), "for ever") as first, process(_WRITE, str(folder)) as last:
        try:
            begun, rest_s = time.monotonic(), amount(1, all=60)
            while (took_s := time.monotonic() - begun) < rest_s or (
                took_s < 90 and (rewritten < 6 or not met)
            ):
                problems = Problems()
                now = contents(folder, problems)
                new = [row[0] for row in now["snapshots"] if "QM9" in row[0]]
                assert {t: [r for r in now[t] if "QM9" not in r[0]] for t in now} == there
                assert len(new) == len(set(new))
                assert met <= set(new)
                met = set(new)
                assert not problems.counts[ProblemKind.DUPLICATE]
                assert not problems.lost_of_whole_snapshots
                time.sleep(0.02)
                rewritten = max(rewritten, len(list((folder / "compacted").rglob("all-*"))))
        finally:
            for ran in (first, last):
                ran.kill()
    assert met
    assert rewritten >= 6  # three tables of two days, and what came to them


def test_two_at_once_are_refused(folder: Path) -> None:
    filled(folder)
    with at_work(folder), pytest.raises(Refused, match="another process is compacting it"):
        run(folder)


def test_it_waits_for_who_reads(folder: Path) -> None:
    there = filled(folder)
    with process(_COMPACT, str(folder)) as ran:
        assert ran.stdout is not None
        with sharing(folder):
            ran.stdout.readline()
            deadline = time.monotonic() + 60
            while not (folder / ".compacting" / "switch").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.2)
            assert not (folder / "compacted").exists()
            assert (folder / ".compacting" / "switch").exists()
            assert contents(folder) == there
        assert ran.stdout.readline() == "2\n"
    assert contents(folder) == there
