"""What the tests of files share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files and folders that were synced, in order; they really are."""
    paths: list[Path] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        paths.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    return paths


@pytest.fixture(params=[0o000, 0o022, 0o777], ids="umask-{:03o}".format)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Each umask that somebody may have."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)
