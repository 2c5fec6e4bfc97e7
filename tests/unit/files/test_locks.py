"""Locks that the kernel drops with their owner."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtriage.files.locks import FileLock, is_locked, lock, try_lock, unlock
from mqtriage.mq.errors import Refused


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], int]]:
    """Opens the same file again and again."""
    path = tmp_path / "lock"
    descriptors: list[int] = []

    def another() -> int:
        descriptors.append(os.open(path, os.O_RDWR | os.O_CREAT))
        return descriptors[-1]

    yield another
    for descriptor in descriptors:
        os.close(descriptor)


def test_a_lock_is_held_by_one(opened: Callable[[], int], tmp_path: Path) -> None:
    first, second = opened(), opened()
    lock(first)
    assert not try_lock(second)
    assert is_locked(tmp_path / "lock")
    unlock(first)
    assert not is_locked(tmp_path / "lock")
    assert try_lock(second)


def test_a_shared_lock_is_held_by_many_and_keeps_others_out(opened: Callable[[], int]) -> None:
    first, second, third = opened(), opened(), opened()
    assert try_lock(first, shared=True)
    assert try_lock(second, shared=True)
    assert not try_lock(third)


def test_nobody_holds_the_lock_on_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "lock")


def test_a_lock_with_a_file_of_its_own_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    busy = Refused("somebody has it")
    first = FileLock(path, busy)
    with pytest.raises(Refused, match="somebody has it"):
        FileLock(path, busy)
    first.release()
    assert not path.exists()
    FileLock(path, busy).release()
