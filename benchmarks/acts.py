"""Requeue and purge with journal and archive, whole processes, against bare get and put.

The bare program gets a message under syncpoint and puts it, in units of the size that the tool uses
by default, on the same kind of queue manager. Memory is compared with that of an act on few.

    python -m benchmarks.acts [MESSAGES [requeue|purge [ROUNDS]]]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.browsing import MQTRIAGE, Filled
from benchmarks.measure import Figure, rounds_of, seconds
from benchmarks.process import run
from mqtriage.mq.constants import (
    MQGMO_SYNCPOINT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)

MESSAGES = 100_000
FEW = 1_000
ROUNDS = 3
UNIT = 50
VERBS = {
    "requeue": ["msg", "requeue", "IN", "--to", "OUT", "--yes", "-q"],
    "purge": ["msg", "purge", "IN", "--confirm", "IN", "-q"],
}


def filled(folder: Path, messages: int) -> Filled:
    """A queue manager with so many persistent messages of 1 KiB on IN, and nothing on OUT."""
    made = Filled(folder)
    made.put("IN", messages)
    made.mq.define("QLOCAL", "OUT", {"MAXDEPTH": 999_999_999})
    return made


def act_seconds(verb: str, messages: int) -> float:
    """The whole process: plan, journal, archive, act."""
    with tempfile.TemporaryDirectory() as name:
        made = filled(Path(name), messages)
        made.close()
        return run([MQTRIAGE, *VERBS[verb]], env=made.env).seconds


def act_peak_kib(verb: str, messages: int) -> int:
    """Most memory that the process had."""
    with tempfile.TemporaryDirectory() as name:
        made = filled(Path(name), messages)
        made.close()
        return run([MQTRIAGE, *VERBS[verb]], env=made.env).peak_kib


def bare_seconds(messages: int) -> float:
    """Get and put, and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        made = filled(Path(name), messages)
        mq = made.mq
        source = mq.open("IN", MQOO_INPUT_SHARED)
        target = mq.open("OUT", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT)

        def work() -> None:
            for number in range(1, messages + 1):
                message = source.get(MQGMO_SYNCPOINT)
                target.put(message.md, message.body, MQPMO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT)
                if number % UNIT == 0:
                    mq.commit()
            mq.commit()

        took = seconds(work)
        made.close()
    return took


def figures(messages: int = MESSAGES, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Rate and memory of each verb."""
    for verb in VERBS:
        yield rate(verb, messages, rounds)
        yield memory(verb, messages)


def rate(verb: str, messages: int, rounds: int) -> Figure:
    """Messages a second against the bare program."""
    found = rounds_of(lambda: bare_seconds(messages), lambda: act_seconds(verb, messages), rounds)
    ratios = sorted(bare_s / act_s for bare_s, act_s in found)
    bare_s, act_s = (median(each) for each in zip(*found, strict=True))
    return Figure(
        f"{verb} of {messages:,} with journal and archive / bare get+put",
        median(ratios), 0.25, True,
        f"{messages / act_s:,.0f} messages/s against {messages / bare_s:,.0f}; "
        f"{' / '.join(f'{ratio:.2f}' for ratio in ratios)} in {rounds} rounds",
    )  # fmt: skip


def memory(verb: str, messages: int, few: int = FEW) -> Figure:
    """Peak memory of the process against that of an act on few."""
    peak, small = act_peak_kib(verb, messages), act_peak_kib(verb, few)
    return Figure(
        f"peak memory of {verb}, {messages:,} messages / {few:,}",
        peak / small, 1.15, False, f"{peak / 1024:.1f} MiB against {small / 1024:.1f} MiB",
    )  # fmt: skip


def main(messages: str = str(MESSAGES), verb: str = "", rounds: str = str(ROUNDS)) -> int:
    """Print the figures as they come; 1 when one does not hold."""
    failed = 0
    for each in [verb] if verb else VERBS:
        for figure in (rate(each, int(messages), int(rounds)), memory(each, int(messages))):
            print(figure.line(), flush=True)
            failed += not figure.holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
