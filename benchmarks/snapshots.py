"""`snapshot take` of a million messages: peak memory against a thousand, and messages a second.

python -m benchmarks.snapshots [MESSAGES]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.browsing import MQTRIAGE, Filled
from benchmarks.measure import Figure
from benchmarks.process import Run, run

LARGE = 1_000_000
SMALL = 20_000
"""More than a row group: below it memory grows with the rows that are held."""
_FORMS = ("ndjson", "parquet")


def figures(large: int = LARGE) -> list[Figure]:
    """Memory of a full snapshot and of an incremental one after it, in both formats."""
    found: list[Figure] = []
    runs = {count: _runs(count) for count in (SMALL, large)}
    for what, big in runs[large].items():
        small = runs[SMALL][what]
        found.append(
            Figure(
                f"peak memory of snapshot take {what}, {large:,} messages / {SMALL:,}",
                [big.peak_kib / small.peak_kib],
                1.5,
                at_least=False,
                detail=f"{big.peak_kib // 1024} MiB against {small.peak_kib // 1024} MiB; "
                f"{large / big.seconds:,.0f} messages/s",
            )
        )
    return found


def _runs(count: int) -> dict[str, Run]:
    with tempfile.TemporaryDirectory() as name:
        made = Filled(Path(name))
        made.put("Q1", count, b"x" * 100)
        made.close()
        found = {}
        for form in _FORMS:
            take = [MQTRIAGE, "snapshot", "take", "--format", form, "--folder", f"{name}/{form}"]
            found[f"--format {form}"] = run(take, env=made.env)
            take.append("--incremental")
            found[f"--format {form} --incremental"] = run(take, env=made.env)
    return found


def main() -> int:
    """Print the figures; 1 when one does not hold."""
    found = figures(int(sys.argv[1]) if len(sys.argv) > 1 else LARGE)
    for figure in found:
        print(figure.line(), flush=True)
    return 0 if all(figure.holds for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
