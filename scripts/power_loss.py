"""Walk every operation through power cuts, kills, signals and errors; add it to docs/evidence.md.

The table has the sums of all runs, each row as soon as its operation is done. MQTRIAGE_SEED in the
environment repeats a run.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.power_loss.recording import Forks, library  # noqa: E402
from tests.power_loss.scenarios import SCENARIOS, verb  # noqa: E402
from tests.power_loss.walk import TRIES, Recorded  # noqa: E402
from tests.support.environment import RAM_DISK  # noqa: E402

PAGE: Final = ROOT / "docs" / "evidence.md"
PLACE: Final = re.compile(r"(<!-- power loss -->\n).*?(<!-- end -->)", re.DOTALL)
ROW: Final = re.compile(r"^\| ([^|]+) \| ([\d,| ]+) \|$", re.MULTILINE)
COLUMNS: Final = ("operation", "runs", "calls of a run", *TRIES, "wrong in the last run")


class Walked(NamedTuple):
    """One run of one operation: how many calls it has, of each kind how many were tried."""

    name: str
    calls: int
    tried: list[int]
    wrong: int

    @property
    def row(self) -> list[int]:
        return [1, self.calls, *self.tried, self.wrong]


def walked(name: str, seed: int, most: int) -> Walked:
    """Try one operation."""
    random = Random(seed)
    tried, wrong = [], 0
    folder = RAM_DISK if os.access(RAM_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        forks = Forks(library(Path(scratch)))
        recorded = Recorded(SCENARIOS[name], Path(scratch), forks)
        for kind, make in TRIES.items():
            tries = make(recorded, random, most)
            tried.append(len(tries))
            for one in tries:
                problem = one()
                if problem:
                    wrong += 1
                    print(name, kind, one.args[-2:], problem, sep=": ", file=sys.stderr, flush=True)
        forks.close()
    return Walked(name, len(recorded.steps), tried, wrong)


def add(new: Walked) -> None:
    """Add a run to the table of the page."""
    page = PAGE.read_text("utf-8")
    place = PLACE.search(page)
    assert place
    rows = {
        at[1]: [int(cell.replace(",", "")) for cell in at[2].split(" | ")]
        for at in ROW.finditer(place[0])
    }
    old = rows.get(new.name, [0] * len(new.row))
    sums = [a + b for a, b in zip(old, new.row, strict=True)]
    rows[new.name] = [sums[0], new.calls, *sums[2:-1], new.wrong]
    ordered = {name: rows[name] for name in SCENARIOS if name in rows}
    total = [sum(column) for column in zip(*ordered.values(), strict=True)]
    ordered["all of them"] = [max(row[0] for row in ordered.values()), *total[1:]]
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for name, row in ordered.items():
        lines.append(f"| {name} | {' | '.join(f'{number:,}' for number in row)} |")
    text = "\n".join(lines) + "\n"
    PAGE.write_text(PLACE.sub(lambda at: at[1] + text + at[2], page), "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "most", type=int, nargs="?", default=1_000, help="tries of each kind, default: all of them"
    )
    verbs = sorted({verb(name) for name in SCENARIOS})
    parser.add_argument(
        "verbs", nargs="*", metavar="VERB", help=f"only these, in quotes: {', '.join(verbs)}"
    )
    asked = parser.parse_args()
    if unknown := set(asked.verbs) - set(verbs):
        parser.error(f"no scenario of {', '.join(sorted(unknown))}")
    names = [name for name in SCENARIOS if not asked.verbs or verb(name) in asked.verbs]
    seed = int(os.environ.get("MQTRIAGE_SEED", "0")) or secrets.randbelow(1 << 30)
    print(f"MQTRIAGE_SEED={seed}", flush=True)
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for done in as_completed([pool.submit(walked, name, seed, asked.most) for name in names]):
            new = done.result()
            wrong += new.wrong
            print(new.name, *new.row, flush=True)
            add(new)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
