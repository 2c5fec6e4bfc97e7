"""The power goes, or the process is killed, at any moment of an operation: nothing is lost.

One run of each operation is recorded, call by call. Of each moment the disks that POSIX allows
(`model.py`) are made, and the operation is resumed on each against the queue manager, which is
another machine and lost nothing: no message may be lost or doubled, and the journal says no more
and no less than what was done. The same after a kill, a signal or an error at any call.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.acceptance.messages.estate import Estate
from tests.power_loss.kinds import BODIES, Moved, States, estate_of
from tests.power_loss.recording import Forks, library
from tests.power_loss.scenarios import SCENARIOS
from tests.power_loss.walk import TRIES, Recorded
from tests.support.environment import RAM_DISK
from tests.support.scale import SCALE, amount
from tests.support.tools import drawn_seeds, tool

pytestmark = pytest.mark.slow

MOMENTS = amount(5, all=1_000)
"""Of one operation, of each kind; 1,000 are all."""
CASES = [
    (seed, name)
    for seed in drawn_seeds(1)
    for name in (SCENARIOS if SCALE == "all" else Random(seed).sample(list(SCENARIOS), 3))
]


class Drawn(NamedTuple):
    """A scenario, and the seed of the moments that are tried."""

    seed: int
    recorded: Recorded


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    tool("cc")
    forks = Forks(library(tmp_path_factory.mktemp("record")))
    yield forks
    forks.close()


@contextmanager
def recording(name: str, forks: Forks) -> Iterator[Recorded]:
    """In memory where there is some: the disks are those of the model."""
    beside = RAM_DISK if os.access(RAM_DISK, os.W_OK) else None
    with TemporaryDirectory(prefix="mqtriage-power-", dir=beside) as folder:
        yield Recorded(SCENARIOS[name], Path(folder), forks)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def drawn(request: pytest.FixtureRequest, forks: Forks) -> Iterator[Drawn]:
    seed, name = request.param
    with recording(name, forks) as recorded:
        yield Drawn(seed, recorded)


@pytest.mark.parametrize("name", ["archive prune", "context add"])
def test_what_has_ended_well_outlives_a_power_cut(forks: Forks, name: str) -> None:
    with recording(name, forks) as recorded:
        tries = recorded.cuts_at_its_end()
        assert tries
        assert [problem for one in tries if (problem := one())] == []


def test_the_trace_has_every_change_of_a_file(drawn: Drawn) -> None:
    """What the model keeps when nothing is lost is what the file system has."""
    assert drawn.recorded.replayed == drawn.recorded.there


def tried(drawn: Drawn, kind: str) -> None:
    print(f"MQTRIAGE_SEED={drawn.seed}")
    tries = TRIES[kind](drawn.recorded, Random(drawn.seed), MOMENTS)
    problems = Counter(problem for one in tries if (problem := one()))
    assert not problems, problems.most_common(3)


def test_whatever_a_power_cut_leaves_a_resume_loses_and_doubles_nothing(
    drawn: Drawn,
) -> None:
    tried(drawn, "disks")


def test_a_kill_before_any_call_loses_and_doubles_nothing(drawn: Drawn) -> None:
    tried(drawn, "kills")


def test_a_kill_of_the_resume_as_well_loses_and_doubles_nothing(drawn: Drawn) -> None:
    tried(drawn, "kills of both")


def test_a_signal_before_any_call_loses_and_doubles_nothing(drawn: Drawn) -> None:
    tried(drawn, "signals")


def test_a_call_that_fails_loses_and_doubles_nothing(drawn: Drawn) -> None:
    tried(drawn, "errors")


def test_a_message_that_became_something_else_is_seen(tmp_path: Path) -> None:
    """None is lost and none is doubled, but the copy has another lifetime than it should have."""
    looks = []
    for lifetime in ("2h", "3h"):
        estate = Estate.create(tmp_path / lifetime)
        estate.queue("IN")
        estate.put("IN", *BODIES, expiry_tenths=36_000)
        before = Moved("IN").look(estate.folder)
        ran = estate_of(estate.folder).run("expiry", "extend", "IN", "--expiry", lifetime, "--yes")
        assert ran.code == 0, ran
        looks.append((before, Moved("IN").look(estate.folder), ran))
    (_, right, _), (before, _, ran) = looks
    states = States(before, right, 0)
    assert Moved("IN").problem(tmp_path / "3h", states, ran).startswith("they are on")
    assert not Moved("IN").problem(tmp_path / "2h", States(looks[0][0], right, 0), looks[0][2])
