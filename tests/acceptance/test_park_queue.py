"""A queue of `--park` that takes nothing is noticed before anything is taken."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.acceptance.test_every_command import line_of
from tests.support.named_options import commands_with

NO_PUTS = {"backout purge", "delay cancel", "dlq purge", "expiry purge", "msg purge"}
NOT_TAKEN = {"msg copy", "msg archive"}
"""They leave the messages where they are, so there is nothing to park."""


@pytest.fixture
def sample(filled_copy: Bench) -> Bench:
    """The sample, with queues that take nothing."""
    filled_copy.define(SHUT="PUT=DISABLED", FULL="MAXDEPTH=0", SHORT="MAXMSGL=1", PARKED="")
    Path("dlq.rules").write_text("ACTION(RETRY)\n", "utf-8")
    return filled_copy


def words_of(path: str, queue: str) -> list[str]:
    words = [word for word in shlex.split(line_of(path)) if word != "--allow-reports"]
    return [*words, "--allow-reports", "--park", queue]


@pytest.mark.parametrize(
    ("queue", "code"), [("NO.SUCH", 5), ("SHUT", 8), ("FULL", 8), ("SHORT", 8)]
)
@pytest.mark.parametrize("path", commands_with("--park"))
@pytest.mark.slow
def test_a_queue_that_takes_nothing_ends_the_command_before_it_begins(
    sample: Bench, path: str, queue: str, code: int
) -> None:
    before = sample.ok("journal", "ls", "-o", "json").items
    depths = {one["queue"]: one["curdepth"] for one in sample.ok("queue", "ls", "-o", "json").items}
    ran = sample.run(*words_of(path, queue))
    rehearsed = sample.run(*words_of(path, queue), "-n")
    if path in NO_PUTS | NOT_TAKEN:
        assert (ran.code, rehearsed.code) == (2, 2)
        return
    assert (ran.code, rehearsed.code) == (code, code), (ran, rehearsed)
    assert queue in ran.error_line
    assert sample.ok("journal", "ls", "-o", "json").items == before
    after = {one["queue"]: one["curdepth"] for one in sample.ok("queue", "ls", "-o", "json").items}
    assert after == depths


def test_the_queue_itself_is_refused(sample: Bench) -> None:
    ran = sample.run("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--park", "ORDERS.BO")
    assert ran.code == 2
    assert "--park ORDERS.BO: the messages are already on that queue" in ran.error_line


def test_a_plan_and_a_resume_look_again(sample: Bench) -> None:
    line = ("backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--park", "PARKED")
    sample.ok(*line, "--plan", "requeue.plan")
    sample.ok("queue", "delete", "PARKED", "--yes")
    ran = sample.run("apply", "requeue.plan", "--yes")
    assert (ran.code, "PARKED" in ran.error_line) == (5, True)
    assert sample.depth("ORDERS.BO") == 2


def test_a_run_that_waits_refuses_before_its_first_message(sample: Bench) -> None:
    ran = sample.run("dlq", "run", "-f", "dlq.rules", "--wait", "1s", "--yes", "--park", "SHUT")
    assert (ran.code, "SHUT has PUT(DISABLED)" in ran.error_line) == (8, True)
