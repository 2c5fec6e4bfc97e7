"""Folders of our own, which several processes may make at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.emulator.core import home
from mqtriage.operations import archive
from mqtriage.pipeline.snapshots import files as snapshot_files


@pytest.mark.parametrize(
    "make", [home.private_folder, archive._private_folder, snapshot_files.private_folder]
)
def test_a_folder_that_another_process_makes_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object]
) -> None:
    folder = tmp_path / "made" / "by" / "two"
    make(folder)
    # as it looks to one who looked before the other made them
    monkeypatch.setattr(Path, "exists", lambda path: path not in (folder, *folder.parents[:2]))
    make(folder)
    assert folder.is_dir()
    assert folder.parent.stat().st_mode & 0o077 == 0
