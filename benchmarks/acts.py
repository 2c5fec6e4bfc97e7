"""Requeue and purge with journal and archive, whole processes, against bare sqlite3.

The bare program has one insert and one delete a message, and one durable transaction per 100.
Memory is compared with that of an act on few.

    python -m benchmarks.acts [MESSAGES [ROUNDS]]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import emulator_rates
from benchmarks.browsing import MQTRIAGE, Filled
from benchmarks.emulator_rates import bare_seconds
from benchmarks.measure import Figure, Rounds
from benchmarks.process import Run, run

MESSAGES = 20_000
FEW = 1_000
ROUNDS = 3
GOALS = {"requeue": 0.12, "purge": 0.19}
"""Twice what they reached when this was asked for, on a disk that takes 5,000 writes a second."""
VERBS = {
    "requeue": ["msg", "move", "IN", "--to", "OUT", "--yes", "-q"],
    "purge": ["msg", "purge", "IN", "--confirm", "IN", "-q"],
}


def filled(folder: Path, messages: int) -> Filled:
    """A queue manager with so many persistent messages of 1 KiB on IN, and nothing on OUT."""
    made = Filled(folder)
    made.put("IN", messages)
    made.mq.define("QLOCAL", "OUT", {"MAXDEPTH": 999_999_999})
    return made


def act(verb: str, messages: int) -> Run:
    """The whole process: plan, journal, archive, act."""
    with tempfile.TemporaryDirectory() as name:
        made = filled(Path(name), messages)
        made.close()
        return run([MQTRIAGE, *VERBS[verb]], env=made.env)


def figures(messages: int = MESSAGES, rounds: int = ROUNDS) -> list[Figure]:
    """Rate and memory of each verb; a round is the bare program and each verb, in turn."""
    bare: list[float] = []
    runs: dict[str, list[Run]] = {verb: [] for verb in VERBS}
    for turn in range(rounds):
        for verb in ("", *VERBS) if turn % 2 == 0 else (*VERBS, ""):
            if verb:
                runs[verb].append(act(verb, messages))
            else:
                bare.append(bare_seconds() / emulator_rates.MESSAGES)
    return [figure for verb in VERBS for figure in _figures(verb, messages, bare, runs[verb])]


def _figures(verb: str, messages: int, bare: list[float], runs: list[Run]) -> list[Figure]:
    took = Rounds([one.seconds / messages for one in runs], bare)
    peak, few = max(one.peak_kib for one in runs), act(verb, FEW).peak_kib
    return [
        Figure(
            f"{verb} of {messages:,} with journal and archive / one insert and one delete",
            took.inverse, GOALS[verb], True,
            f"{took.text(lambda s: f'{1 / s:,.0f}')} messages/s",
        ),
        Figure(
            f"peak memory of {verb}, {messages:,} messages / {FEW:,}",
            [peak / few], 1.15, False, f"{peak / 1024:.1f} MiB against {few / 1024:.1f} MiB",
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    found = figures(*map(int, sys.argv[1:]))
    for figure in found:
        print(figure.line())
    sys.exit(not all(figure.holds for figure in found))
