"""Requeue and purge with journal and archive, whole processes, against bare get and put.

The bare program gets a message under syncpoint and puts it, in units of the size that the tool uses
by default, on the same kind of queue manager. Memory is compared with that of an act on few.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.browsing import MQTRIAGE, Filled
from benchmarks.measure import Figure, paired, seconds
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
FEW = 20_000
"""Enough to fill the buffers that have a fixed size."""
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


def figures(messages: int = MESSAGES) -> list[Figure]:
    """Rate and memory of each verb."""
    found = []
    for verb in VERBS:
        ratio, bare_s, act_s = paired(
            lambda: bare_seconds(messages),
            lambda verb=verb: act_seconds(verb, messages),  # type: ignore[misc]
            3,
        )
        detail = f"{messages / act_s:,.0f} messages/s against {messages / bare_s:,.0f}"
        what = f"{verb} of {messages:,} with journal and archive / bare get+put"
        found.append(Figure(what, ratio, 0.25, True, detail))
        peak, few = act_peak_kib(verb, messages), act_peak_kib(verb, FEW)
        detail = f"{peak >> 10} MiB against {few >> 10} MiB"
        what = f"peak memory of {verb}, {messages:,} messages / {FEW:,}"
        found.append(Figure(what, peak / few, 1.3, False, detail))
    return found


if __name__ == "__main__":
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else MESSAGES):
        print(figure.line(), flush=True)
