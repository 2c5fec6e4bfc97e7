"""Each exit code, by a command line that fails (or does not) in just that way.

4 is for findings: `lint`, `drift` and `plan --detailed-exitcode` have it, with tests of their own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench

MANY = 400


def fill(bench: Bench, queue: str, number: int = 1) -> None:
    with bench.connected() as backend:
        for index in range(number):
            backend.put1(queue, MQMD(format="MQSTR", persistence=1), b"%d" % index)


@pytest.fixture
def queues(bench: Bench) -> Bench:
    """IN with one message, OUT, FULL with no room, and puts to SHUT and LOST that fail."""
    bench.define("IN", "OUT", "SHUT", "LOST", FULL="MAXDEPTH=0", ONE="MAXDEPTH=1")
    fill(bench, "IN")
    bench.ok("emulator", "lab", "switch", "fault.put.SHUT=2035", "fault.put.LOST=2009")
    return bench


class Case(NamedTuple):
    command: str
    code: int
    says: str = ""


CASES = {
    "done": Case("msg put OUT x --yes", 0),
    "nothing matched": Case("msg browse OUT", 0),
    "a queue that is full": Case("msg put FULL x --yes", 1, "MQRC_Q_FULL (2053)"),
    "a file that is not there": Case("msg put OUT --file nowhere --yes", 5, "nowhere"),
    "an option that is not": Case("msg browse IN --no-such-option", 2, "No such option"),
    "an id that is none": Case("msg browse IN --msgid 41", 2, "48 hex digits"),
    "a group that is not": Case("dleay browse", 2, "no such command"),
    "partly put": Case("msg put ONE x --count 2 --yes", 3, "1 of 2 was put"),
    "a queue that is not": Case("queue show NOPE", 5, "MQRC_UNKNOWN_OBJECT_NAME (2085)"),
    "a message that is not": Case("msg show IN " + "41" * 24, 5, "mqtriage msg browse IN"),
    "a code that is not": Case("rc MQRC_NOPE", 5, "MQRC_NOPE"),
    "a queue manager that is not": Case("queue ls -m NOPE", 5, "NOPE"),
    "a context that is not": Case("queue ls --context NOPE", 5, "NOPE"),
    "no authority": Case("msg put SHUT x --yes", 6, "MQRC_NOT_AUTHORIZED (2035)"),
    "no authority to move": Case("msg move IN --to SHUT --yes", 6, "(2035)"),
    "a connection that breaks": Case("msg put LOST x --yes", 7, "MQRC_CONNECTION_BROKEN (2009)"),
    "no consent": Case("msg put OUT x", 8, "--yes"),
    "another number": Case("msg move IN --to OUT --yes --expect 2", 8, "--expect 2"),
    "no name": Case("msg purge IN --yes", 8, "name"),
    "a target without room": Case("msg move IN --to FULL --yes", 8, "room for 0 of 1"),
    "browsing forbidden": Case("msg browse IN --no-expiry-effects", 8, "--no-expiry-effects"),
    "nothing, and that is bad": Case("msg browse OUT --fail-empty", 9),
    "nothing to do, and that is bad": Case("msg move OUT --to IN --yes --fail-empty", 9),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.slow
def test_the_exit_code_says_how_it_failed(queues: Bench, case: Case) -> None:
    ran = queues.run(*case.command.split())
    assert ran.code == case.code, ran.err
    if case.says:
        assert case.says in ran.err
    assert "internal error" not in ran.err


def test_a_stopped_queue_manager_is_no_connection(queues: Bench) -> None:
    queues.ok("emulator", "stop")
    ran = queues.run("msg", "browse", "IN")
    assert ran.code == 7
    assert "MQRC_Q_MGR_NOT_AVAILABLE (2059)" in ran.error_line


def test_a_move_of_which_some_messages_stay_is_partly_done(queues: Bench) -> None:
    """Which messages a subscriber takes is known only when they are published."""
    fill(queues, "IN", 3)
    with queues.connected() as backend:
        backend.alter("QLOCAL", "OUT", {"MAXDEPTH": 2})
    script = queues.home / "topic.mqsc"
    script.write_text(
        "DEFINE TOPIC(NEWS) TOPICSTR('news') PMSGDLV(ALL)\n"
        "DEFINE SUB(S1) TOPICOBJ(NEWS) DEST(OUT)\n"
        "DEFINE QALIAS(TA) TARGET(NEWS) TARGTYPE(TOPIC)\n"
    )
    queues.ok("mqsc", str(script), "-m", "QM1", "--yes")
    ran = queues.run("msg", "move", "IN", "--to", "TA", "--yes", "-o", "csv")
    assert ran.code == 3, ran.err
    outcomes = [line.split(",")[1] for line in ran.out.splitlines()[1:]]
    assert outcomes == ["done", "done", "failed", "skipped"], ran.out


def program(bench: Bench, *args: str) -> subprocess.Popen[str]:
    """The program as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "mqtriage", *args],
        env={**os.environ, **bench.environ},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def numbers(bench: Bench, *queues: str) -> list[int]:
    with bench.connected() as backend:
        return [
            int(message.body)
            for queue in queues
            for message in backend.open(queue, cmqc.MQOO_BROWSE).browse()
        ]


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
@pytest.mark.slow
def test_a_signal_in_the_middle_of_many_loses_and_doubles_nothing(
    bench: Bench, signum: signal.Signals, code: int
) -> None:
    bench.define("IN", "OUT")
    fill(bench, "IN", MANY)
    for _ in range(5):
        process = program(bench, "msg", "move", "IN", "--to", "OUT", "--batch", "2", "--yes", "-q")
        try:
            wait_until(lambda: bench.depth("OUT") > 4)
            process.send_signal(signum)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        if process.returncode != 0:
            break
        bench.ok("msg", "move", "OUT", "--to", "IN", "--yes")  # it had ended when the signal came
    assert process.returncode == code, (out, err)
    bench.ok("msg", "put", "OUT", str(MANY), "--yes")  # a write backs out what a dead one held
    all_numbers = numbers(bench, "IN", "OUT")
    assert sorted(all_numbers) == list(range(MANY + 1))
    assert 4 < len(numbers(bench, "OUT")) < MANY
