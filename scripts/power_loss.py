"""Walk every operation through power cuts, kills and errors, and write the table of docs/safety.md.

    scripts/power_loss.py [MOMENTS]

MOMENTS is of each operation how many it is cut at; 1,000, all of them, without it. As many kills.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.power_loss.recording import library  # noqa: E402
from tests.power_loss.scenarios import SCENARIOS  # noqa: E402
from tests.power_loss.walk import Recorded  # noqa: E402

PAGE: Final = ROOT / "docs" / "safety.md"
PLACE: Final = re.compile(r"(<!-- power loss -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD: Final = (
    "| operation | calls of a run | disks after a power cut | kills | errors | lost or doubled |\n"
    "|---|---|---|---|---|---|\n"
)
ERRORS: Final = 60


def walked(name: str, preload: Path, random: Random, most: int) -> str:
    """One operation as a row."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        recorded = Recorded(SCENARIOS[name], Path(folder), preload)
        calls = len(recorded.steps)
        disks = list(recorded.disks(random, 4, most))
        kills = random.sample(range(1, calls + 1), min(most, calls))
        errors = random.sample(range(1_000), min(most, ERRORS))
        wrong = _shown(map(recorded.after_power_cut, disks))
        wrong += _shown(map(recorded.after_kill, kills))
        wrong += _shown(map(recorded.after_error, errors))
    numbers = (calls, len(disks), len(kills), len(errors), wrong)
    return f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |\n"


def _shown(results: Iterable[str]) -> int:
    problems = [problem for problem in results if problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    return len(problems)


def main() -> int:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    seed = secrets.randbelow(1 << 30)
    print(f"MQTRIAGE_SEED={seed}")
    folder = Path(tempfile.mkdtemp())
    rows = []
    for name in SCENARIOS:
        rows.append(walked(name, library(folder), Random(seed), most))
        print(rows[-1], end="", flush=True)
    shutil.rmtree(folder)
    page = PAGE.read_text("utf-8")
    PAGE.write_text(PLACE.sub(lambda at: at[1] + HEAD + "".join(rows) + at[2], page), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
