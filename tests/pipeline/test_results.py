"""What `--out` leaves: a schema as documented, periods side by side, and never half a table."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mqtriage.model.analysis_tables import COLUMN_NOTES, TABLES_OF, VERSION
from tests.acceptance.conftest import Bench
from tests.support.scale import amount

pytest.importorskip("pyspark")

from mqtriage.files.locks import FileLock
from mqtriage.pipeline import results

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KILLED: str = """
import sys
from pathlib import Path
from mqtriage.pipeline.results import replace_folder
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
    assert sorted(path.name for path in out.iterdir()) == ["depth", "depth_hours"]

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
    lock = FileLock(out / ".depth.lock")
    assert "another analyze depth writes there" in bench.run(*words, "2026-01-05").error_line
    lock.release()
    assert sorted(out.rglob("*")) == before


@pytest.mark.parametrize("args", ["--period 2026-13", "--period today",
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
    monkeypatch.setattr(results, "swapped", lambda *_: False)
    place, beside = tmp_path / "place", tmp_path / ".place.new"
    (tmp_path / ".place.old").mkdir()  # killed between two renames
    beside.mkdir()
    (beside / "new").touch()
    results.replace_folder(beside, place)
    assert [path.name for path in place.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [place]
