"""A file is there whole, and stays there after a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.files.durable import new_file, put_in_place, replace_file, sync_folder
from mqtriage.files.private import create_private


def test_what_takes_the_place_of_a_file_is_synced_before_its_name_is(
    tmp_path: Path, synced: list[Path]
) -> None:
    path = tmp_path / "config.toml"
    path.write_text("old")
    replace_file(path, [b"n", b"ew"])
    assert path.read_text() == "new"
    assert synced == [tmp_path / f".config.toml.{os.getpid()}", tmp_path]
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    path = tmp_path / "config.toml"
    path.write_text("old")
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, pieces())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o700])
def test_the_mode_is_the_one_asked_for_whatever_the_umask(
    tmp_path: Path, umask: int, mode: int
) -> None:
    replace_file(tmp_path / "file", [], mode=mode)
    assert (tmp_path / "file").stat().st_mode & 0o7777 == mode


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace_file(pipe, [b"text"])
        assert os.read(reader, 10) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, [b"text"])


def test_a_link_that_stands_where_we_write_beside_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / f".file.{os.getpid()}").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"):
        replace_file(tmp_path / "file", [b"text"])
    assert not (tmp_path / "victim").exists()


def test_a_finished_file_gets_its_name(tmp_path: Path, synced: list[Path]) -> None:
    (tmp_path / "beside").write_text("new")
    put_in_place(tmp_path / "beside", tmp_path / "file")
    assert synced == [tmp_path / "beside", tmp_path]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_new_file_is_on_disk_after_the_block(tmp_path: Path, synced: list[Path]) -> None:
    path = tmp_path / "plan"
    with new_file(path, create_private(path)) as file:
        file.write(b"text")
    assert path.read_bytes() == b"text"
    assert synced == [path, tmp_path]


def test_a_new_file_that_cannot_be_finished_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    with pytest.raises(KeyboardInterrupt), new_file(path, create_private(path)):
        raise KeyboardInterrupt
    assert not path.exists()


def test_a_folder_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o300)
    try:
        sync_folder(tmp_path)
    finally:
        tmp_path.chmod(0o700)
