"""Files that are read: regular ones, pipes with an end, and secrets that nobody else reads."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from mqtriage.files.whole import open_regular, read_secret, read_whole
from mqtriage.mq.errors import Refused, StorageError


def test_a_file_and_a_pipe_are_read_to_their_end(tmp_path: Path) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"all of it")
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"x" * 100_000,))
    writer.start()
    assert (read_whole(file), len(read_whole(pipe))) == (b"all of it", 100_000)
    writer.join()
    assert read_whole("/dev/null") == b""


def test_a_device_that_goes_on_is_refused() -> None:
    with pytest.raises(StorageError, match="/dev/zero: not a regular file, and longer than"):
        read_whole("/dev/zero")


@pytest.mark.parametrize("read", [open_regular, read_secret])
def test_what_is_read_twice_is_a_regular_file(tmp_path: Path, read: object) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(StorageError, match="not a regular file"):
            read(path)  # type: ignore[operator]
    with pytest.raises(IsADirectoryError):
        read(tmp_path)  # type: ignore[operator]


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o602, 0o644, 0o666])
def test_a_secret_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a key"
    file.write_bytes(b"secret")
    file.chmod(mode)
    with pytest.raises(Refused, match="other users can read") as caught:
        read_secret(file)
    assert caught.value.hint == f"chmod 600 '{file}'"
    file.chmod(0o400)
    assert read_secret(file) == b"secret"
