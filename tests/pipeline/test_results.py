"""What `--out` leaves: a schema as documented, periods side by side, and never half a table."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mqtriage.model.analysis_tables import COLUMN_NOTES, TABLES_OF, VERSION
from tests.acceptance.conftest import Bench
from tests.pipeline.cluster import environment
from tests.pipeline.rows import START_US
from tests.pipeline.test_reading import lines, put, snapshot_row
from tests.support.ibm_java import KEPT, fetched
from tests.support.scale import amount
from tests.support.tools import reach_package_index, tool

pytest.importorskip("pyspark")

import pyarrow.parquet

from mqtriage.files import folders
from mqtriage.files.locks import FileLock
from mqtriage.mq.errors import Refused
from mqtriage.mq.times import rfc3339

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUEUE = {
    "snapshot_id": "S1", "snap_time": rfc3339(START_US), "queue": "Q", "browsed": True,
}  # fmt: skip
KILLED: str = """
import sys
from pathlib import Path
from mqtriage.files.folders import replace_folder
place, beside = Path(sys.argv[1]), Path(sys.argv[2])
print("ready", flush=True)
for version in range(1_000_000):
    beside.mkdir(exist_ok=True)
    for part in "ab":
        (beside / part).write_text(str(version))
    replace_folder(beside, place)
"""


def whole(place: Path) -> int:
    """The version of a folder that `KILLED` writes, which both of its files have."""
    first, second = ((place / part).read_text() for part in "ab")
    assert first == second
    return int(first)


def test_a_period_is_replaced_and_others_stay(
    bench: Bench, day: Path, spark: SparkSession, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ("analyze", "depth", str(day), "--out", str(out), "--period")
    listed = bench.ok(*words, "2026-01-05", "-o", "json").items
    (out / "depth" / "period=2026-01-04").symlink_to("period=2026-01-05")  # another period's
    stray = out / "depth" / "period=2026-01-05" / "part-of-before.parquet"
    stray.write_bytes((next(stray.parent.glob("*.parquet"))).read_bytes())
    bench.ok(*words, "2026-01-05", "-o", "json")
    depth = spark.read.parquet(f"{out}/depth")
    counts = {str(row["period"]): row["count"] for row in depth.groupBy("period").count().collect()}
    assert counts == dict.fromkeys(("2026-01-04", "2026-01-05"), len(listed))
    assert sorted(path.name for path in out.iterdir()) == ["depth", "depth_ahead", "depth_hours"]

    fields = {field.name: field for field in depth.drop("period").schema.fields}
    types = TABLES_OF["depth"]["depth"].types
    assert [*fields] == [*types, "schema_version"]
    words_of = {"bigint": "long"}
    for name, type_ in types.items():
        written = fields[name].dataType.simpleString()
        assert words_of.get(written, written) == type_, name
        assert fields[name].metadata["comment"] == COLUMN_NOTES[name]
    assert {row["schema_version"] for row in depth.collect()} == {VERSION}

    before = sorted(out.rglob("*"))
    for period, code in (("2026-02-05", 5), ("2026-01", 8)):  # nothing there; the same days twice
        assert bench.run(*words, period).code == code
    assert bench.run(*words[:-1]).code == 8
    lock = FileLock(out / ".depth.lock", Refused("it is free"))
    assert "another analyze depth writes there" in bench.run(*words, "2026-01-05").error_line
    lock.release()
    assert sorted(out.rglob("*")) == before


def delta_environment() -> Path:
    """A folder with a Spark that there is a Delta for, made once; skips where pip cannot."""
    folder = KEPT.parent / "delta"
    if not (folder / "complete").exists():
        reach_package_index()
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        words = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "pyspark==4.1.*"]
        subprocess.run(words, check=True)
        (folder / "complete").touch()
    return folder


def rows_of_delta(table: Path) -> int:
    """The rows of the files that the log of a Delta table has not taken away."""
    live: set[str] = set()
    for commit in sorted((table / "_delta_log").glob("*.json")):
        for action in map(json.loads, commit.read_text().splitlines()):
            live |= {action["add"]["path"]} if "add" in action else set()
            live -= {action["remove"]["path"]} if "remove" in action else set()
    return sum(pyarrow.parquet.ParquetFile(table / path).metadata.num_rows for path in live)


@pytest.mark.long
def test_delta_replaces_a_period_in_one_transaction(bench: Bench, tmp_path: Path) -> None:
    """By the line of --submit, with the spark-submit of a Spark that there is a Delta for."""
    tool("mvn")
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    block = page[page.index("## Delta") :]
    (coordinates,) = re.findall(r"--conf spark.jars.packages=(\S+)", block)
    conf = [word for pair in re.findall(r"(--conf) (\S+)", block) for word in pair]
    jars = [path for path in fetched("delta", coordinates).glob("*.jar")
            if path.name.startswith(("delta-", "unitycatalog"))]  # fmt: skip
    delta_venv = delta_environment()
    (home,) = delta_venv.glob("lib/python3*/site-packages/pyspark")
    environ = environment(home, tmp_path, PYSPARK_PYTHON=str(delta_venv / "bin" / "python"))
    quick = ("spark.sql.shuffle.partitions=1", "spark.databricks.delta.snapshotPartitions=1")

    root, out = tmp_path / "in", tmp_path / "out"
    put(root, "snapshots", "S1.v1.ndjson", [snapshot_row(rows=2)])
    put(root, "messages", "S1.v1.ndjson", [*lines(1, format="A"), *lines(1, "S2", format="B")])
    put(root, "queues", "S1.v1.ndjson", [QUEUE])

    def ran(period: str) -> subprocess.CompletedProcess[str]:
        words = ("--out", str(out), "--period", period, "--format", "delta", *conf)
        line = bench.ok("analyze", "profile", str(root), *words, "--submit", "-o", "json")
        asked = shlex.split(line.item["command"])
        asked = asked[asked.index("--master") :]
        more = [word for one in quick for word in ("--conf", one)]
        submit = [
            str(delta_venv / "bin" / "spark-submit"),
            "--jars",
            ",".join(map(str, jars)),
            *more,
            *asked,
        ]
        return subprocess.run(submit, env=environ, capture_output=True, text=True, check=False)

    for _ in range(2):
        done = ran("2026-01-05")
        assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr[-2000:]
    assert rows_of_delta(out / "profile") == 2
    commits = sorted((out / "profile" / "_delta_log").glob("*.json"))
    assert len(commits) == 2
    nothing = ran("2026-02-05")
    assert nothing.returncode == 1
    assert "it has no input" in nothing.stdout  # spark-submit has one for both
    assert sorted((out / "profile" / "_delta_log").glob("*.json")) == commits
    words = ("analyze", "profile", str(root), "--out", str(out), "--period", "2026-01-05")
    assert "not of the form parquet" in bench.run(*words).error_line


@pytest.mark.parametrize("args", ["--format delta --out o", "--format delta --period 2026-01-05",
                                  "--period 2026-13", "--period today",
                                  "--period 2026-01-05 --since now-1d"])  # fmt: skip
def test_what_is_no_period_is_wrong_usage(tmp_path: Path, day: Path, args: str) -> None:
    assert Bench(tmp_path).run("analyze", "depth", str(day), *args.split()).code == 2


def test_a_kill_leaves_the_rows_of_before_or_those_of_now(tmp_path: Path) -> None:
    place, beside = tmp_path / "place", tmp_path / ".place.new"
    place.mkdir()
    for part in "ab":
        (place / part).write_text("-1")
    for _ in range(amount(3)):
        words = [sys.executable, "-c", KILLED, str(place), str(beside)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as replacing:
            assert replacing.stdout is not None
            replacing.stdout.readline()
            end = time.monotonic() + 0.1
            was_away = False
            while time.monotonic() < end:
                was_away |= not place.is_dir()
            replacing.kill()
        assert not was_away
        assert whole(place) >= 0


def test_without_a_swap_the_old_rows_are_put_back_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "swapped", lambda *_: False)
    place, beside = tmp_path / "place", tmp_path / ".place.new"
    (tmp_path / ".place.replaced").mkdir()  # killed between two renames
    beside.mkdir()
    (beside / "new").touch()
    folders.replace_folder(beside, place)
    assert [path.name for path in place.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [place]


def test_without_a_swap_what_was_replaced_and_not_taken_away_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "swapped", lambda *_: False)
    place, beside, old = (tmp_path / name for name in ("place", ".place.new", ".place.replaced"))
    for folder, name in ((place, "before"), (beside, "new"), (old, "long before")):
        folder.mkdir()  # killed behind the second rename
        (folder / name).touch()
    folders.replace_folder(beside, place)
    assert [path.name for path in place.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [place]
