"""Every refusal for want of consent has the complete command to type next, and that one runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench, Ran
from tests.acceptance.test_every_command import line_of
from tests.support.named_options import commands_with

NOT_TRIED = {
    "journal resume": "nothing is to be resumed",
    "snapshot prune": "no snapshot is old enough",
}

OWN_NAME = {"context rm": "of a context", "emulator rm": "deletes the queue manager"}
"""Verbs that change no queue manager: the name to confirm is what they remove."""

LOSES = {"emulator rm", "emulator lab consume"}
"""Verbs that remove messages without an archive: no consent is enough where that is protected."""


@pytest.fixture
def sample(filled_copy: Bench) -> Bench:
    Path("script.mqsc").write_text("DEFINE QLOCAL(SCRIPT.Q) REPLACE\n", "utf-8")
    Path("dlq.rules").write_text("ACTION(FWD) FWDQ(EMPTY.Q) HEADER(NO)\n", "utf-8")
    filled_copy.ok("msg", "archive", "ORDERS.IN", "--out", "saved.ndjson")
    filled_copy.ok("context", "add", "known", "-m", "QM1")
    filled_copy.ok("msg", "purge", "PAYMENTS.IN", "--limit", "1", "--yes")
    return filled_copy


def without_consent(path: str) -> list[str]:
    return shlex.split(re.sub(r" --yes\b| --confirm \S+", "", line_of(path)))


def next_of(ran: Ran) -> list[str]:
    """The command that a refusal has, FILE filled in."""
    command = re.search(r"(?:^hint: |: )mqtriage (.*?)(?:; |$)", ran.err, re.MULTILINE)
    assert command is not None, ran.err
    return [{"FILE": "saved.plan"}.get(word, word) for word in shlex.split(command[1])]


@pytest.mark.parametrize("protected", [False, True], ids=["", "protected"])
@pytest.mark.parametrize("path", [path for path in commands_with("--yes") if path not in NOT_TRIED])
@pytest.mark.slow
def test_the_command_of_a_refusal_goes_on(sample: Bench, path: str, protected: bool) -> None:
    if protected:
        sample.environ["MQTRIAGE_PROTECTED"] = "true"
    ran = sample.run(*without_consent(path))
    assert ran.code == 8, ran.err
    if protected and path in LOSES:
        assert "is not allowed" in ran.err
        return
    following = next_of(ran)
    assert following[: len(path.split())] == path.split()
    if protected and "--confirm" in following and path not in OWN_NAME:
        assert following[following.index("--confirm") + 1] == "QM1"
    done = sample.run(*following)
    if "--plan" in following:  # all of a queue, of a protected queue manager
        assert (protected, done.code) == (True, 0), done.err
        plan = re.search(r"mqtriage (apply saved\.plan [^\n]*)", done.err)
        assert plan is not None, done.err
        done = sample.run(*shlex.split(plan[1]))
    assert done.code in {0, 3}, (following, done.err)


def test_what_would_differ_is_shown_first_and_a_limit_is_filled_in(sample: Bench) -> None:
    line = ("msg", "copy", "ORDERS.BO", "--to", "EMPTY.Q", "--yes")
    ran = sample.run(*line, "--expect", "9")
    assert "mqtriage msg copy ORDERS.BO --to EMPTY.Q -n shows the plan" in ran.err
    sample.environ["MQTRIAGE_MAX_MESSAGES"] = "1"
    ran = sample.run(*line)
    assert f"hint: mqtriage {' '.join(line)} --limit 1, and again for the rest" in ran.err


def test_a_password_or_a_long_body_is_not_repeated(sample: Bench) -> None:
    ran = sample.run("msg", "put", "EMPTY.Q", "x" * 500)
    assert "add --yes" in ran.err
    assert "xxx" not in ran.err
