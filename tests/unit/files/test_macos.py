"""What macOS does otherwise, with its calls replaced: nobody has run these tests there."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.mqi import server
from mqtriage.emulator.mqi.library import sdk
from mqtriage.files import locks
from mqtriage.files.durable import replace_file, sync, sync_file
from mqtriage.mq.errors import MQTriageError
from mqtriage.operations.ledger.tables import Ledger
from tests.acceptance.conftest import Bench

FULL_SYNC, GET_PATH = 51, 50


@pytest.fixture
def full_syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The descriptors that were synced by F_FULLFSYNC, which Linux does not have."""
    descriptors: list[int] = []

    def control(descriptor: int, command: int, *rest: Any) -> int:
        assert command == FULL_SYNC
        descriptors.append(descriptor)
        return 0

    def refused(_: int) -> None:
        raise AssertionError("fsync, where the disk has to be waited for")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", FULL_SYNC, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(os, "fsync", refused)
    monkeypatch.setattr(os, "fdatasync", refused)
    return descriptors


def test_every_promise_of_on_disk_is_a_full_sync(tmp_path: Path, full_syncs: list[int]) -> None:
    replace_file(tmp_path / "a", [b"content"])
    assert len(full_syncs) == 2  # the file, and its name in the folder
    sync_file(tmp_path / "a")
    with open(tmp_path / "a", "rb") as file:
        sync(file.fileno(), data_only=True)
    assert len(full_syncs) == 4


def test_an_operation_with_an_archive_and_a_journal_is_a_full_sync(
    tmp_path: Path, full_syncs: list[int]
) -> None:
    bench = Bench(tmp_path / "home")
    bench.ok("emulator", "create", "QM1")
    bench.define("A")
    bench.ok("msg", "put", "A", "x", "--yes")
    full_syncs.clear()
    assert bench.run("msg", "purge", "A", "--confirm", "A").code == 0
    assert len(full_syncs) >= 3  # the archive, its index, their names


@pytest.mark.usefixtures("full_syncs")
def test_connections_of_sqlite_ask_for_full_syncs(tmp_path: Path) -> None:
    Store.create(tmp_path / "qm")
    with (
        closing(Store(tmp_path / "qm")) as store,
        closing(Ledger.open_or_create(tmp_path / "journal")) as ledger,
    ):
        for ask in (store.execute, ledger._database.execute):
            for pragma in ("fullfsync", "checkpoint_fullfsync"):
                assert ask(f"PRAGMA {pragma}").fetchone() == (1,)


def test_a_file_system_without_that_call_is_synced_as_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synced: list[Path]
) -> None:
    def control(*_: Any) -> int:
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", FULL_SYNC, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    (tmp_path / "a").write_bytes(b"content")
    sync_file(tmp_path / "a")
    assert synced == [tmp_path / "a"]


def test_who_is_at_the_other_end_of_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = socket.socketpair()
    with one, other:
        expected = server._peer_user(one)

        class Client:
            def getsockopt(self, level: int, option: int, length: int) -> bytes:
                assert (level, option) == (0, 1)
                return struct.pack("IIh2x16I", 0, os.getuid(), 1, *[0] * 16)[:length]

        monkeypatch.delattr(socket, "SO_PEERCRED")
        assert server._peer_user(Client()) == expected  # type: ignore[arg-type]


def test_a_socket_in_a_deep_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_OPEN_FILES", "/nowhere/fd")
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    with server._short_path(deep) as short, socket.socket(socket.AF_UNIX) as listener:
        assert len(f"{short}/socket.new") <= 103
        listener.bind(f"{short}/socket.new")
    assert (deep / "socket.new").is_socket()


def test_an_error_of_a_lock_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def control(descriptor: int, command: int, room: bytes) -> bytes:
        assert (command, len(room)) == (GET_PATH, 1024)
        return str(tmp_path / "a").encode().ljust(len(room), b"\0")

    def refused(*_: Any) -> None:
        raise OSError(77, "No locks available")

    monkeypatch.setattr(fcntl, "F_GETPATH", GET_PATH, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(fcntl, "flock", refused)
    with open(tmp_path / "a", "wb") as file, pytest.raises(OSError, match="No locks") as caught:
        locks.try_lock(file.fileno())
    assert caught.value.filename == str(tmp_path / "a")


def test_the_c_library_says_that_it_is_for_linux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(MQTriageError, match="supports only Linux"):
        sdk.lay_out(tmp_path / "sdk")
