"""The power goes, or the process is killed, at any moment of an operation: nothing is lost.

One run of each operation is recorded, call by call. Of each moment the disks that POSIX allows
(`model.py`) are made, and the operation is resumed on each against the queue manager, which is
another machine and lost nothing: no message may be lost or doubled.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest

from tests.power_loss.model import Tree
from tests.power_loss.recording import library
from tests.power_loss.scenarios import SCENARIOS
from tests.power_loss.walk import Recorded
from tests.support.environment import RAM_DISK
from tests.support.scale import SCALE, amount
from tests.support.tools import drawn_seeds, tool

SEED = int(os.environ.get("MQTRIAGE_SEED", "0")) or drawn_seeds(1)[0]
MOMENTS = amount(4, all=1_000)
"""Of one operation; 1,000 are all."""
AT_RANDOM = amount(1, all=4)
NAMES = list(SCENARIOS) if SCALE == "all" else Random(SEED).sample(list(SCENARIOS), 2)


@pytest.fixture(scope="module")
def preload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool("cc")
    return library(tmp_path_factory.mktemp("record"))


@pytest.fixture(params=NAMES)
def recorded(request: pytest.FixtureRequest, preload: Path) -> Iterator[Recorded]:
    """Memory where there is some: the disks are those of the model."""
    print(f"MQTRIAGE_SEED={SEED}")
    name = mkdtemp(prefix="mqtriage-power-", dir=RAM_DISK if os.access(RAM_DISK, os.W_OK) else None)
    yield Recorded(SCENARIOS[request.param], Path(name), preload)
    shutil.rmtree(name)


def on_disk(folder: Path) -> Tree:
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in (folder, *folder.rglob("*"))
        if not path.name.endswith("-shm")
    }


def test_the_trace_has_every_change_of_a_file(recorded: Recorded) -> None:
    """What the model keeps when nothing is lost is what the file system has."""
    for step in recorded.steps:
        recorded.disk.do(step)
    assert recorded.disk.tree(lambda *_: 1.0) == on_disk(recorded.home)


def test_whatever_a_power_cut_leaves_a_resume_loses_and_doubles_nothing(
    recorded: Recorded,
) -> None:
    disks = recorded.disks(Random(SEED), AT_RANDOM, MOMENTS)
    problems = Counter(filter(None, map(recorded.after_power_cut, disks)))
    assert not problems, problems.most_common(3)


def test_a_kill_before_any_call_loses_and_doubles_nothing(recorded: Recorded) -> None:
    numbers = range(1, len(recorded.steps) + 1)
    chosen = Random(SEED).sample(numbers, min(amount(3, all=1_000), len(numbers)))
    problems = Counter(filter(None, map(recorded.after_kill, chosen)))
    assert not problems, problems.most_common(3)


def test_a_call_that_fails_loses_and_doubles_nothing(recorded: Recorded) -> None:
    chosen = Random(SEED).sample(range(1_000), amount(3, all=60))
    problems = Counter(filter(None, map(recorded.after_error, chosen)))
    assert not problems, problems.most_common(3)
