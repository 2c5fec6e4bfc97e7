"""Several processes on one file: nothing is lost or doubled, also when one of them dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from tests.unit.emulator.conftest import ALL, Lab, message

_PRELUDE = """
import sys, time
from pathlib import Path
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.open import open_manager
from mqtriage.mq.cmqc import *
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import *
mq = EmulatedBackend(open_manager(Path(sys.argv[1])))
queue = mq.open("Q1", MQOO_BROWSE | MQOO_INPUT_SHARED | MQOO_OUTPUT)
def ready():
    print("ready", flush=True)
"""


class Other:
    """A program of its own on the same queue manager."""

    def __init__(self, lab: Lab, script: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PRELUDE + textwrap.dedent(script), str(lab.path)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def finish(self) -> str:
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return out.strip()


@pytest.fixture
def others() -> Iterator[list[Other]]:
    started: list[Other] = []
    yield started
    for other in started:
        if other.process.poll() is None:
            other.kill()


def test_a_killed_program_gives_its_unit_of_work_back(lab: Lab, others: list[Other]) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"got by it")
    other = Other(
        lab,
        """
        queue.get(MQGMO_SYNCPOINT)
        queue.put(MQMD(persistence=1), b"put by it", MQPMO_SYNCPOINT)
        ready()
        time.sleep(60)
        """,
    )
    others.append(other)
    assert other.line() == "ready"
    assert lab.depth("Q1") == 2
    other.kill()
    got = queue.get()
    assert (got.body, got.md.backout_count) == (b"got by it", 1)
    assert lab.depth("Q1") == 0


def test_a_program_that_only_looks_sees_what_a_killed_one_had(
    lab: Lab, others: list[Other]
) -> None:
    """Before anything writes: connecting is enough."""
    queue = lab.local("Q1")
    for number in range(5):
        queue.put(message(), b"%d" % number)
    other = Other(lab, "[queue.get(MQGMO_SYNCPOINT) for _ in range(3)]; ready(); time.sleep(60)")
    others.append(other)
    assert other.line() == "ready"
    other.kill()
    looking = lab.connect()
    assert looking.status("Q1").uncommitted == 0
    assert looking.status("Q1").ipprocs == 1
    assert len(list(looking.open("Q1", cmqc.MQOO_BROWSE).browse())) == 5


def test_a_killed_program_lets_go_of_exclusive_input_and_of_its_lock(
    lab: Lab, others: list[Other]
) -> None:
    lab.local("Q1").close()
    lab.put("Q1", b"locked")
    other = Other(
        lab,
        """
        queue.close()
        queue = mq.open("Q1", MQOO_BROWSE | MQOO_INPUT_EXCLUSIVE)
        queue.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        ready()
        time.sleep(60)
        """,
    )
    others.append(other)
    assert other.line() == "ready"
    other.kill()
    assert lab.open("Q1", ALL).get().body == b"locked"


def test_a_waiting_get_wakes_when_another_program_puts(lab: Lab, others: list[Other]) -> None:
    queue = lab.local("Q1")
    other = Other(lab, "ready(); print(queue.get(MQGMO_WAIT, wait_ms=60_000).body.decode())")
    others.append(other)
    assert other.line() == "ready"
    time.sleep(0.2)
    began = time.monotonic()
    queue.put(message(), b"wake up")
    assert other.finish() == "wake up"
    assert time.monotonic() - began < 40


def test_a_wait_ends_after_its_interval_of_wall_time(lab: Lab) -> None:
    queue = lab.local("Q1")
    began = time.monotonic()
    with pytest.raises(Exception, match="2033"):
        queue.get(cmqc.MQGMO_WAIT, wait_ms=300)
    assert 0.3 <= time.monotonic() - began < 20


def test_a_wait_ends_when_a_delay_does(tmp_path: Path) -> None:
    from mqtriage.backends.emulated import EmulatedBackend
    from mqtriage.emulator.core.create import create
    from mqtriage.emulator.open import open_manager

    mq = EmulatedBackend(open_manager(create(tmp_path, "QM2")))
    mq.define("QLOCAL", "Q1", {})
    queue = mq.open("Q1", ALL)
    began = time.monotonic()
    mq.put_delayed("Q1", message(), b"later", 400)
    assert queue.get(cmqc.MQGMO_WAIT, wait_ms=60_000).body == b"later"
    assert 0.4 <= time.monotonic() - began < 40
    mq.disconnect()


def test_a_held_unit_of_work_does_not_stop_others(lab: Lab, others: list[Other]) -> None:
    """`benchmarks/emulator.py` measures how little it slows them; here that it does not block."""
    queue = lab.local("Q1")
    other = Other(
        lab, "queue.put(MQMD(persistence=1), b'held', MQPMO_SYNCPOINT); ready(); time.sleep(60)"
    )
    others.append(other)
    assert other.line() == "ready"
    began = time.monotonic()
    for _ in range(50):
        queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    for _ in range(50):
        queue.get()
    assert time.monotonic() - began < 40
    assert lab.depth("Q1") == 1


@pytest.mark.slow
def test_movers_in_four_programs_lose_and_double_nothing(lab: Lab, others: list[Other]) -> None:
    """Two move from Q1 to Q2 and two back, in units of work that are often backed out."""
    queue = lab.local("Q1")
    lab.local("Q2")
    bodies = {b"%d" % n for n in range(200)}
    for body in bodies:
        queue.put(message(), body)
    mover = """
    import random
    rng = random.Random(int(sys.argv[1].__hash__()) + {seed})
    source, target = mq.open("{source}", MQOO_INPUT_SHARED), mq.open("{target}", MQOO_OUTPUT)
    for _ in range(150):
        for _ in range(rng.randint(1, 5)):
            try:
                moving = source.get(MQGMO_SYNCPOINT)
            except NoMessageAvailable:
                break
            target.put(moving.md, moving.body, MQPMO_SYNCPOINT)
        mq.backout() if rng.random() < 0.3 else mq.commit()
    mq.disconnect()
    """
    for seed, (source, target) in enumerate((("Q1", "Q2"), ("Q2", "Q1")) * 2):
        others.append(Other(lab, mover.format(seed=seed, source=source, target=target)))
    victim = others[0]
    time.sleep(1.0)
    victim.kill()
    for other in others[1:]:
        other.finish()
    lab.connect().open("Q1", ALL)  # a new connection takes care of the one that was killed
    moved = lab.bodies("Q1") + lab.bodies("Q2")
    assert sorted(moved) == sorted(bodies)
    assert lab.depth("Q1") + lab.depth("Q2") == 200


@pytest.mark.slow
def test_two_programs_deliver_each_delayed_message_once(lab: Lab, others: list[Other]) -> None:
    lab.local("Q1")
    for number in range(1500):
        lab.mq.put_delayed("Q1", message(), b"%d" % number, 1000, cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    look = "ready(); sys.stdin.readline(); mq.status('Q1'); mq.disconnect()"
    others.extend(Other(lab, look) for _ in range(3))
    for other in others:
        assert other.line() == "ready"
    lab.mq.manager.store.execute("UPDATE state SET frozen_us = frozen_us + 1000000")
    for other in others:
        assert other.process.stdin is not None
        other.process.stdin.write("\n")
        other.process.stdin.flush()
    for other in others:
        other.finish()
    assert len({bytes(b) for b in lab.bodies("Q1")}) == lab.depth("Q1") == 1500
    assert os.path.exists(lab.path)


_MANY = 48
_CALLS = 334


@pytest.mark.parametrize(
    ("programs", "calls"), [(6, 30), pytest.param(_MANY, _CALLS, marks=pytest.mark.long)]
)
@pytest.mark.slow
def test_no_call_of_many_writers_fails(
    lab: Lab, others: list[Other], programs: int, calls: int
) -> None:
    lab.mq.define("QLOCAL", "Q1", {"MAXDEPTH": "100000"})
    script = f"""
        ready()
        sys.stdin.readline()
        for number in range({calls}):
            queue.put(MQMD(persistence=number % 2), b"x")
        mq.disconnect()
        print("put")
    """
    others += [Other(lab, script) for _ in range(programs)]
    assert [other.line() for other in others] == ["ready"] * programs
    for other in others:
        assert other.process.stdin is not None
        other.process.stdin.write("\n")
        other.process.stdin.flush()
    assert [other.process.wait(600) for other in others] == [0] * programs
    assert lab.depth("Q1") == programs * calls
