"""Folders and files of our own, which several processes may make at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtriage.files.private import create_private, open_private, private_folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_folder_and_those_above_it_are_for_their_owner_whatever_the_umask(
    tmp_path: Path, umask: int
) -> None:
    folder = tmp_path / "a" / "b"
    assert private_folder(folder) == folder
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o700)


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path)
    assert mode(tmp_path) == 0o755


def test_each_new_folder_is_on_disk_with_its_name(tmp_path: Path, synced: list[Path]) -> None:
    private_folder(tmp_path / "home" / "archive")
    assert synced == [tmp_path, tmp_path / "home"]
    private_folder(tmp_path / "home" / "archive")
    assert len(synced) == 2


def test_a_folder_that_another_process_makes_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "made" / "by" / "two"
    private_folder(folder)
    # as it looks to one who looked before the other made them
    monkeypatch.setattr(Path, "exists", lambda path: path not in (folder, *folder.parents[:2]))
    private_folder(folder)
    assert folder.is_dir()
    assert mode(folder.parent) == 0o700


def test_a_file_in_the_place_of_the_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(Path, "exists", lambda path: path != file)
    with pytest.raises(FileExistsError):
        private_folder(file)


def test_a_file_is_for_its_owner_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    os.close(create_private(tmp_path / "new"))
    os.close(open_private(tmp_path / "log", os.O_RDWR))
    assert (mode(tmp_path / "new"), mode(tmp_path / "log")) == (0o600, 0o600)


def test_a_file_that_is_to_be_new_replaces_none(tmp_path: Path) -> None:
    os.close(create_private(tmp_path / "new"))
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "new")
