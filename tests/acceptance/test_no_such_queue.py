"""A queue that does not exist: exit 5 of every verb that takes the name of one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.acceptance.test_every_command import LINES
from tests.support.named_options import commands, params_of

MISSING = "NO.SUCH"
NOT_REFUSED = {
    "queue define": "it creates the queue",
    "analyze watch": "it looks for queues in snapshots",
}


def _takes_a_queue(path: str) -> bool:
    """Whether a command takes a queue by its place."""
    params = (getattr(param, "parameter", None) for param in params_of(path))
    return any(p and not p.words and p.opt.completes in ("queue", "screen") for p in params)


VERBS = {
    path: next(line for line in LINES.splitlines() if f"{line} ".startswith(f"{path} "))
    for path in filter(_takes_a_queue, commands())
}
"""Each command that takes a queue by its place, and a line that runs it."""


def with_missing(path: str, line: str) -> list[str]:
    """The words of *line*, its queue by place replaced by one that does not exist."""
    words = shlex.split(line)
    first = len(path.split())
    for at in range(first, len(words)):
        is_name = re.fullmatch(r"[A-Z.]+", words[at])
        if is_name and not words[at - 1].startswith("--"):
            return [*words[:at], MISSING, *words[at + 1 :]]
    return [*words, MISSING]


@pytest.fixture
def sample(empty_bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The queues of the sample, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    empty_bench.ok("emulator", "create", "QM1", "--sample")
    Path("dlq.rules").write_text("ACTION(RETRY)\n", "utf-8")
    return empty_bench


def test_the_walk_has_the_verbs_that_read() -> None:
    assert {"queue ls", "backout pending", "snapshot take", "top", "watch", "incident"} <= {*VERBS}


@pytest.mark.parametrize("path", [path for path in VERBS if path not in NOT_REFUSED])
@pytest.mark.slow
def test_a_queue_that_does_not_exist_is_exit_5(sample: Bench, path: str) -> None:
    ran = sample.run(*with_missing(path, VERBS[path]))
    if path.startswith("check "):  # the exit codes of a monitor
        assert (ran.code, MISSING in ran.out) == (2, True), ran.out
        return
    assert ran.code == 5, ran.out + ran.err
    assert MISSING in ran.out + ran.err
    assert re.search(r"2085|no such queue", ran.error_line)
    assert " on QM1" in ran.error_line


def test_what_repeats_refuses_it_too(sample: Bench) -> None:
    ran = sample.run("backout", "pending", MISSING, "--interval", "10ms", "--for", "1s")
    assert (ran.code, ran.out) == (5, "")


@pytest.mark.parametrize("line", ["lint check --queue 'NO.*'", "incident 'NO.*'"])
def test_a_gate_or_a_record_of_no_queue_is_refused(sample: Bench, line: str) -> None:
    ran = sample.run(*shlex.split(line))
    assert ran.code == 5
    assert "NO.*" in ran.error_line
    assert " on QM1" in ran.error_line


def test_a_snapshot_says_which_generic_name_no_queue_has(sample: Bench) -> None:
    ran = sample.ok("snapshot", "take", "NO.*", "ORDERS.*")
    assert "no local queue on QM1 is named NO.*" in ran.err
    assert sample.ok("snapshot", "ls", "-o", "json").items[0]["message_count"] > 0


def test_an_alias_is_the_queue_it_leads_to(sample: Bench) -> None:
    sample.ok("emulator", "lab", "rollback", "ORDERS.IN", "--times", "3")
    listed = sample.ok("backout", "pending", "ORDERS", "-o", "json").items
    assert {one["queue"] for one in listed} == {"ORDERS.IN"}
    assert sample.ok("top", "queues", "ORDERS", "-o", "json").items[0]["queue"] == "ORDERS.IN"
    taken = sample.ok("snapshot", "take", "ORDERS", "-o", "json").item
    assert taken["message_count"] > 0
