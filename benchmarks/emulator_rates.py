"""Put and get of 1 KiB persistent messages in units of work of 100, against bare sqlite3.

(a) a program with one insert and one delete a message and one transaction per 100
(b) the emulator's own rate while another process holds an uncommitted unit of work
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Figure, paired, seconds
from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD

MESSAGES = 4000
UNIT = 100
BODY = bytes(range(256)) * 4
_MD = MQMD(format="MQSTR", persistence=1)


def queue_of(folder: Path) -> tuple[EmulatedBackend, EmulatedHandle]:
    """A fresh queue manager with one queue, open for input and output."""
    mq = EmulatedBackend(open_manager(create(folder, "QM1")))
    mq.define("QLOCAL", "Q1", {"MAXDEPTH": 999_999_999})
    return mq, mq.open("Q1", cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT)


def put_and_get(mq: EmulatedBackend, queue: EmulatedHandle, messages: int = MESSAGES) -> None:
    """The job that is measured."""
    for number in range(messages):
        queue.put(_MD, BODY, cmqc.MQPMO_SYNCPOINT)
        if number % UNIT == UNIT - 1:
            mq.commit()
    for number in range(messages):
        queue.get(cmqc.MQGMO_SYNCPOINT)
        if number % UNIT == UNIT - 1:
            mq.commit()


def emulator_seconds() -> float:
    """The job on a fresh file."""
    with tempfile.TemporaryDirectory() as folder:
        mq, queue = queue_of(Path(folder))
        put_and_get(mq, queue, UNIT)
        took = seconds(lambda: put_and_get(mq, queue))
        mq.disconnect()
    return took


def bare_seconds() -> float:
    """One insert and one delete a message, one durable transaction per 100."""
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, queue INTEGER, md BLOB, body BLOB)"
        )
        md = bytes(364)

        def run() -> None:
            for first in range(0, MESSAGES, UNIT):
                db.execute("BEGIN")
                for number in range(first, first + UNIT):
                    db.execute("INSERT INTO message VALUES (?, 1, ?, ?)", (number, md, BODY))
                db.execute("COMMIT")
            for first in range(0, MESSAGES, UNIT):
                db.execute("BEGIN")
                for number in range(first, first + UNIT):
                    db.execute(
                        "DELETE FROM message WHERE id = ? RETURNING md, body", (number,)
                    ).fetchone()
                db.execute("COMMIT")

        took = seconds(run)
        db.close()
    return took


_HOLDER = """
import sys, time
from pathlib import Path
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.open import open_manager
from mqtriage.mq.cmqc import MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtriage.mq.descriptor import MQMD
mq = EmulatedBackend(open_manager(Path(sys.argv[1])))
queue = mq.open("HELD", MQOO_OUTPUT)
for _ in range(50):
    queue.put(MQMD(persistence=1), bytes(1024), MQPMO_SYNCPOINT)
if sys.argv[2] == "transaction":  # what the emulator must not do: hold the file's write lock
    mq.manager.store.begin()
print("held", flush=True)
time.sleep(10)
"""


def rate_for(mq: EmulatedBackend, queue: EmulatedHandle, span_s: float) -> float:
    """Pairs of put and get a second over a span of time."""
    end = time.monotonic() + span_s
    done = 0
    while time.monotonic() < end:
        put_and_get(mq, queue, UNIT)
        done += UNIT
    return done / span_s


def held_ratio(how: str = "unit") -> float:
    """Our rate while another process holds an uncommitted unit, against our usual rate."""
    with tempfile.TemporaryDirectory() as folder:
        mq, queue = queue_of(Path(folder))
        mq.define("QLOCAL", "HELD", {})
        rate_for(mq, queue, 0.5)
        usual = rate_for(mq, queue, 1)
        holder = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, str(mq.manager.path), how],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None
        holder.stdout.readline()
        held = rate_for(mq, queue, 2)
        holder.terminate()
        holder.wait()
        holder.stdout.close()
        again = rate_for(mq, queue, 1)
        mq.disconnect()
    return held / ((usual + again) / 2)


def figures() -> list[Figure]:
    """The two lines of the table."""
    took = paired(emulator_seconds, bare_seconds)
    return [
        Figure(
            "put+get in units of 100 / one insert and one delete",
            took.inverse,
            0.32,
            True,
            f"{took.text(lambda s: f'{MESSAGES / s:,.0f}')} pairs/s",
        ),
        Figure(
            "rate while another process holds a unit of work / usual rate",
            [held_ratio() for _ in range(3)],
            0.8,
            True,
            "a write transaction would stop it",
        ),
    ]


if __name__ == "__main__":
    for figure in figures():
        print(figure.line())
