"""Lint, plan and drift of many queue managers: does time grow with lines, and memory stay?

Run it by itself: ``python -m benchmarks.estate_growth [queue managers]``. Each queue manager has a
folder of 5,000 lines, and an emulated one of its name has all that these define but one queue,
which plan and drift find. Four times as many may take at most `AIM` times as long, and each command
at most `MEMORY_MB`; the exit code is 1 when one takes more.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.browsing import MQTRIAGE
from benchmarks.measure import Figure
from benchmarks.process import Run, run
from mqtriage.emulator.core.create import create, insert_queues
from mqtriage.emulator.open import open_manager
from mqtriage.mq.attributes.catalogue import defaults

QUEUE_MANAGERS = 200
QUEUES = 2_500
STEP = 4
AIM = 5.0
"""Linear growth is 4; the rest is for a busy machine."""
MEMORY_MB = 500


def make_estate(root: Path, names: range, queues: int = QUEUES) -> None:
    """A folder of scripts and an emulated queue manager for each name."""
    base = defaults("QLOCAL")
    lines = "".join(
        f"DEFINE QLOCAL('APP.{number:06d}.IN') +\n   MAXDEPTH({number + 1}) DESCR('of payments')\n"
        for number in range(queues)
    )
    for name in (f"QM{number:03d}" for number in names):
        folder = root / "estate" / name
        folder.mkdir(parents=True)
        (folder / "queues.mqsc").write_text(lines)
        manager = open_manager(create(root / "home", name))
        with manager.writing() as now:
            own = (
                ("QLOCAL", f"APP.{n:06d}.IN", {**base, "MAXDEPTH": n + 1, "DESCR": "of payments"})
                for n in range(1, queues)
            )
            insert_queues(manager.store, own, now)
        manager.store.close()


def ran(root: Path, *words: str) -> Run:
    """One command over the estate."""
    argv = [MQTRIAGE, *words, str(root / "estate"), "-o", "ndjson"]
    return run(argv, env={"MQTRIAGE_HOME": str(root / "home")}, codes=(0, 4))


def figures(queue_managers: int = QUEUE_MANAGERS) -> Iterator[Figure]:
    """Time and memory of each command."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        few = queue_managers // STEP
        commands = {
            "lint": ("lint",),
            "plan": ("plan", "-m", "QM*", "--detailed-exitcode"),
            "drift": ("drift", "-m", "QM*"),
        }
        make_estate(root, range(few))
        less = {verb: ran(root, *words) for verb, words in commands.items()}
        make_estate(root, range(few, queue_managers))
        for verb, words in commands.items():
            more = ran(root, *words)
            ratio, peak = more.processor_s / less[verb].processor_s, more.peak_kib / 1024
            lines = queue_managers * QUEUES * 2
            detail = f"{queue_managers} queue managers, {lines:,} lines in {more.processor_s:.0f} s"
            yield Figure(f"{verb} x{STEP} queue managers / time", [ratio], AIM, False, detail)
            yield Figure(f"{verb}, MB of memory", [peak], MEMORY_MB, False, detail)


def main() -> int:
    """Print the lines; 1 when one does not hold."""
    failed = 0
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else QUEUE_MANAGERS):
        print(figure.line(), flush=True)
        failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
