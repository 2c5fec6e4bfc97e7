"""Many sessions on one queue and one shared socket: every message is seen exactly once."""

from __future__ import annotations

import secrets
import time

import pytest

from tests.jms.conftest import At


def _soak(at: At, count: int, seconds: int) -> None:
    queue, seed = at.local(MAXDEPTH=200_000), secrets.randbits(30)
    at.run("start", of="soak", to=queue, count=count, seed=seed, seconds=seconds)
    while at.run("running"):
        time.sleep(0.2)
    complete, seen, doubled, rolled_back = at.run("await")
    assert (complete, seen, doubled) == (True, count, 0), f"seed {seed}"
    assert rolled_back
    assert at.depth(queue) == 0


def test_each_of_a_thousand_messages_is_seen_once_by_listeners_that_roll_back(at: At) -> None:
    _soak(at, 1000, 180)


@pytest.mark.long
def test_each_of_a_hundred_thousand_messages_is_seen_once(at: At) -> None:
    _soak(at, 100_000, 3000)
