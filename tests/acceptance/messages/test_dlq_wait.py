"""`dlq run` that stays: WAIT(YES), WAIT(n), --wait, and what ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from tests.acceptance.messages.estate import Ran, begun, once
from tests.acceptance.messages.test_dlq_run import DLQ, DeadEstate
from tests.acceptance.messages.test_dlq_run import dead_estate as dead_estate


def outcomes(ran: Ran) -> list[str]:
    """What became of messages, in the reports of all passes."""
    return [item["outcome"] for line in ran.lines for item in line["items"]]


@contextmanager
def handler(dead_estate: DeadEstate, rules: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A handler in a process of its own, once it has begun."""
    dead_estate.file.write_text(rules)
    argv = [sys.executable, "-m", "mqtriage", "dlq", "run", "-f", str(dead_estate.file), *args]
    process = subprocess.Popen(
        argv, env={**os.environ, **dead_estate.estate.environ}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(process: subprocess.Popen[str], text: str) -> str:
    """Read standard error up to the line with *text*."""
    assert process.stderr is not None
    read = ""
    for line in process.stderr:
        read += line
        if text in line:
            return read
    raise AssertionError(read)


@pytest.mark.slow
def test_a_table_with_wait_n_takes_what_comes_until_nothing_came_for_n_seconds(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"one")
    estate = dead_estate.estate
    with once(lambda: estate.bodies("IN") == [b"one"], lambda: dead_estate.dead(b"two")):
        ran = dead_estate.run("WAIT(4)\nACTION(RETRY)", "--yes", "-o", "ndjson")
    assert ran.code == 0, ran.err
    assert dead_estate.estate.bodies("IN") == [b"one", b"two"]
    assert dead_estate.estate.messages(DLQ) == []
    ops = [line["op"] for line in ran.lines if "op" in line]
    assert len(set(ops)) == 2
    assert "waits until no new message has arrived for 4s" in ran.err
    for op in set(ops):
        assert dead_estate.estate.run("journal", "verify", op).code == 0


@pytest.mark.slow
def test_a_message_that_waits_keeps_neither_the_others_nor_the_run_from_ending(
    dead_estate: DeadEstate,
) -> None:
    estate = dead_estate.estate
    estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    with once(lambda: begun(estate), lambda: dead_estate.dead(b"two", dest="OUT")):
        ran = dead_estate.run(
            "RETRYINT(3)\nACTION(RETRY) RETRY(2)", "--wait", "100ms", "--yes", "-o", "ndjson"
        )
    assert ran.code == 3  # one was moved, one stays
    assert estate.bodies("OUT") == [b"two"]
    assert len(estate.messages(DLQ)) == 1
    assert "1 message waits 3s for the next attempt" in ran.err
    assert outcomes(ran) == ["done", "failed"]
    # a pass in which nothing was taken leaves nothing in the journal but what became final
    listed = estate.run("journal", "ls", "-o", "json").json["items"]
    assert [(operation["done"], operation["left"]) for operation in listed] == [(0, 1), (1, 0)]


def test_a_message_goes_once_its_queue_takes_it_again(dead_estate: DeadEstate) -> None:
    estate = dead_estate.estate
    estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    with once(lambda: begun(estate), lambda: estate.alter("IN", PUT="ENABLED")):
        ran = dead_estate.run("RETRYINT(1) WAIT(0)\nACTION(RETRY) RETRY(9)", "--yes")
    assert ran.code == 0, ran.err
    assert estate.bodies("IN") == [b"one"]
    assert len(estate.run("journal", "ls", "-o", "json").json["items"]) == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
@pytest.mark.slow
def test_a_signal_ends_a_handler_that_waits_for_ever(
    dead_estate: DeadEstate, number: signal.Signals, code: int
) -> None:
    dead_estate.estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    with handler(dead_estate, "WAIT(YES)\nACTION(RETRY) RETRY(9)", "--yes") as process:
        output = until(process, "waits 1m for the next attempt")
        assert "until you stop it (Ctrl-C)" in output
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "1 waiting for the next attempt stay" in err
    assert "Traceback" not in err
    assert len(dead_estate.estate.messages(DLQ)) == 1
    assert dead_estate.estate.run("journal", "ls", "-o", "json").json["items"] == []


def test_a_connection_that_is_lost_while_waiting_is_one_line_and_exit_7(
    dead_estate: DeadEstate,
) -> None:
    with handler(dead_estate, "WAIT(YES)\nACTION(RETRY)", "--yes") as process:
        until(process, "waiting for new messages")
        assert dead_estate.estate.run("emulator", "stop", "QM1").code == 0
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (7, "")
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_a_dry_run_says_that_the_run_would_wait(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    ran = dead_estate.run("WAIT(YES)\nACTION(RETRY)", "-n")
    assert "then waits for new messages until you stop it (Ctrl-C)\n" in ran.err
    assert "waits" not in dead_estate.run("WAIT(YES)\nACTION(RETRY)", "-n", "--wait", "no").err


def test_without_wait_the_run_ends_and_a_table_that_waits_ends_with_wait_no(
    dead_estate: DeadEstate,
) -> None:
    assert dead_estate.run("ACTION(RETRY)", "--yes").code == 0
    dead_estate.dead(b"one")
    assert dead_estate.run("WAIT(YES)\nACTION(RETRY)", "--yes", "--wait", "no").code == 0
    assert dead_estate.estate.bodies("IN") == [b"one"]


def test_a_rehearsal_never_waits_and_says_what_is_done_later(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    rules = "WAIT(YES) RETRYINT(30)\nACTION(RETRY) RETRY(5)"
    ran = dead_estate.run(rules, "-n")
    assert ran.code == 0
    assert "rule 1 (line 2): a failed put is attempted up to 5 times, 30s apart" in ran.out
    item = dead_estate.run(rules, "-n", "-o", "json").json["item"]
    assert (item["wait"], item["retryint_s"], item["rules"][0]["retry"]) == ("YES", 30, 5)
    plan = dead_estate.file.with_suffix(".plan")
    assert dead_estate.run(rules, "--plan", str(plan)).code == 0
    assert dead_estate.estate.run("apply", str(plan), "--yes").code == 0
    assert dead_estate.estate.bodies("IN") == [b"one"]


@pytest.mark.parametrize(
    ("args", "code", "error"),
    [
        pytest.param((), 8, "needs --yes", id="nobody-asked"),
        pytest.param(("--yes", "--expect", "1"), 2, "--wait no", id="expect"),
        pytest.param(("--yes", "-o", "json"), 2, "plain, ndjson or yaml", id="a-form-with-an-end"),
        pytest.param(("--yes", "--wait", "soon"), 2, "--wait", id="no-duration"),
    ],
)
def test_a_run_that_waits_refuses_what_needs_somebody_who_looks(
    dead_estate: DeadEstate, args: tuple[str, ...], code: int, error: str
) -> None:
    dead_estate.dead(b"one")
    ran = dead_estate.run("WAIT(YES)\nACTION(RETRY)", *args)
    assert (ran.code, error in ran.err) == (code, True), ran.err
    assert len(dead_estate.estate.messages(DLQ)) == 1


def test_the_limit_counts_over_all_passes(dead_estate: DeadEstate) -> None:
    for body in (b"one", b"two", b"three"):
        dead_estate.dead(body)
    dead_estate.dead(b"ignored", reason=2085)
    rules = "WAIT(YES)\nREASON(2085) ACTION(IGNORE)\nACTION(RETRY)"
    ran = dead_estate.run(rules, "--yes", "--limit", "2")
    assert ran.code == 0, ran.err
    assert dead_estate.estate.bodies("IN") == [b"one", b"two"]


def test_errors_count_over_all_passes(dead_estate: DeadEstate) -> None:
    dead_estate.estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    with once(lambda: begun(dead_estate.estate), lambda: dead_estate.dead(b"two")):
        ran = dead_estate.run("WAIT(YES)\nACTION(RETRY)", "--yes", "--max-errors", "2")
    assert ran.code == 1
    assert "stopped by --max-errors 2" in ran.err
    assert len(dead_estate.estate.messages(DLQ)) == 2


def test_a_message_that_asks_for_a_confirmation_stays_and_the_handler_goes_on(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"cod", report=2048, reply_to_q="OUT")
    dead_estate.dead(b"one")
    ran = dead_estate.run("ACTION(RETRY)", "--yes", "--wait", "0s")
    assert ran.code == 0, ran.err
    assert dead_estate.estate.bodies("IN") == [b"one"]
    assert len(dead_estate.estate.messages(DLQ)) == 1
    assert "1 stays: a confirmation on delivery (COD) is requested" in ran.err
    took = dead_estate.run("ACTION(RETRY)", "--yes", "--wait", "0s", "--allow-reports")
    assert took.code == 0
    assert dead_estate.estate.messages(DLQ) == []


@pytest.mark.slow
def test_a_message_whose_commit_failed_is_taken_up_again(
    dead_estate: DeadEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead_estate.dead(b"one")
    commit, failed = EmulatedBackend.commit, iter([True, True])

    def refuse(backend: EmulatedBackend) -> None:
        if next(failed, False):
            raise mqi_error(cmqc.MQRC_BACKED_OUT, "commit")
        commit(backend)

    monkeypatch.setattr(EmulatedBackend, "commit", refuse)
    ran = dead_estate.run("RETRYINT(1) WAIT(0)\nACTION(RETRY)", "--yes", "-o", "ndjson")
    assert outcomes(ran) == ["failed", "failed", "done"]
    assert ran.code == 3
    assert dead_estate.estate.bodies("IN") == [b"one"]


@pytest.mark.slow
def test_what_stays_for_good_is_reported_once(dead_estate: DeadEstate) -> None:
    dead_estate.estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    ran = dead_estate.run("RETRYINT(1) WAIT(2)\nACTION(RETRY)", "--yes", "-o", "ndjson")
    assert ran.code == 1
    assert outcomes(ran) == ["failed"]
