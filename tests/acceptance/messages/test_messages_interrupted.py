"""Ctrl-C while messages are moved: the first ends after the batch, the second at once."""

from __future__ import annotations

import signal

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from tests.acceptance.messages.estate import Estate

MOVE = ("msg", "move", "IN", "OUT", "--batch", "1", "--yes", "-o", "json")


def raise_at_commit(
    monkeypatch: pytest.MonkeyPatch, signum: signal.Signals, times: int = 1
) -> None:
    """The first commit of the act is met by *times* signals."""
    commit = EmulatedBackend.commit
    pending = [times]

    def interrupted(backend: EmulatedBackend) -> None:
        for _ in range(pending.pop() if pending else 0):
            signal.raise_signal(signum)
        commit(backend)

    monkeypatch.setattr(EmulatedBackend, "commit", interrupted)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_signal_ends_the_act_after_its_batch(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, signum: signal.Signals, code: int
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signum)
    ran = estate.run(*MOVE)
    assert ran.code == code
    assert ran.json["interrupted"] is True
    assert f"mqtriage journal resume {ran.json['op']} continues it" in ran.err
    assert (ran.json["counts"]["planned"], ran.json["counts"]["done"]) == (3, 1)
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"1"], [b"2", b"3"])


def test_the_second_signal_ends_it_at_once_and_nothing_is_lost_or_doubled(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT, times=2)
    ran = estate.run(*MOVE)
    assert (ran.code, ran.out) == (130, "")
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([], [b"1", b"2", b"3"])


@pytest.mark.parametrize("times", [1, 2], ids=["first", "second"])
def test_a_resume_does_the_rest_of_what_a_signal_ended(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    estate.put("IN", b"1", b"2", b"3")
    raise_at_commit(monkeypatch, signal.SIGINT, times)
    assert estate.run(*MOVE).code == 130
    monkeypatch.undo()
    ran = estate.run("journal", "resume", "--yes", "-o", "json")
    assert (ran.code, ran.json["counts"]["done"]) == (0, 2 if times == 1 else 3)
    assert (estate.bodies("OUT"), estate.bodies("IN")) == ([b"1", b"2", b"3"], [])
    assert estate.run("journal", "verify").code == 0
