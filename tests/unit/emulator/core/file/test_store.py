"""The file: who may read it, and what is said when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.file.home import qmgr_names, qmgr_path
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.remove import remove
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NotFound, Refused, StorageError
from tests.unit.emulator.conftest import Lab, message


def test_file_and_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = create(tmp_path / "new" / "home", "QM1")
        mq = EmulatedBackend(open_manager(path))
        mq.define("QLOCAL", "Q1", {})
        mq.open("Q1", 1)
        for file in path.parent.rglob("*"):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
        mq.disconnect()
    finally:
        os.umask(before)


def test_a_read_only_file_is_read_and_not_written(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", b"there")
    lab.close()
    lab.path.chmod(0o400)
    notices: list[str] = []
    mq = EmulatedBackend(open_manager(lab.path, notices.append))
    assert [m.body for m in mq.open("Q1", cmqc.MQOO_BROWSE).browse()] == [b"there"]
    with pytest.raises(StorageError, match="read-only"):
        mq.put1("Q1", message(), b"")
    mq.disconnect()


def test_a_read_only_file_shows_the_state_of_the_last_touch_and_says_so(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1000)
    lab.put("Q1", b"short", expiry_tenths=5)
    lab.close()
    moved = sqlite3.connect(lab.path, isolation_level=None)
    moved.execute("UPDATE state SET frozen_us = frozen_us + 2000000")
    moved.close()
    lab.path.chmod(0o400)
    notices: list[str] = []
    mq = EmulatedBackend(open_manager(lab.path, notices.append))
    assert list(mq.open("Q1", cmqc.MQOO_BROWSE).browse()) == []
    assert mq.status("Q1").curdepth == 1
    assert "shown as of its last use" in notices[0]
    mq.disconnect()


def test_a_missing_queue_manager_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    from mqtriage.emulator.core.file.home import existing_path

    create(tmp_path, "QM7")
    with pytest.raises(NotFound, match="QM7"):
        existing_path(tmp_path, "QM1")


def test_a_file_of_something_else_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "QM1.qmgr"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StorageError, match="queue manager file"):
        Store(path)
    other = tmp_path / "other.qmgr"
    sqlite3.connect(other).execute("CREATE TABLE t (a)").connection.close()
    with pytest.raises(StorageError, match="queue manager file"):
        Store(other)


def test_a_damaged_file_is_said_to_be_damaged(lab: Lab) -> None:
    lab.local("Q1")
    for _ in range(200):
        lab.put("Q1", bytes(1000))
    lab.close()
    data = bytearray(lab.path.read_bytes())
    data[8192:-4096] = os.urandom(len(data) - 8192 - 4096)
    lab.path.write_bytes(data)
    with pytest.raises(StorageError, match="damaged"):
        list(EmulatedBackend(open_manager(lab.path)).open("Q1", cmqc.MQOO_BROWSE).browse())


def test_a_newer_schema_is_refused(lab: Lab) -> None:
    lab.mq.manager.store.execute("PRAGMA user_version = 99")
    with pytest.raises(StorageError, match="newer mqtriage"):
        open_manager(lab.path)


def test_a_file_that_stays_locked_is_told_after_the_wait(lab: Lab) -> None:
    holder = sqlite3.connect(lab.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    store = Store(lab.path, busy_s=0.1)
    with pytest.raises(StorageError, match="locked"):
        store.begin()
    holder.execute("ROLLBACK")
    holder.close()


@pytest.mark.seed("DD-74", "BO-08")
def test_only_what_is_to_last_waits_for_the_disk(lab: Lab) -> None:
    store = lab.mq.manager.store

    def waits(*, durable: bool) -> bool:
        with store.write(durable=durable):
            (level,) = store.execute("PRAGMA synchronous").fetchone()
        return bool(level == 2)

    assert [waits(durable=durable) for durable in (False, True, False)] == [False, True, False]
    store.lasting = False
    assert not waits(durable=True)


def test_a_scratch_file_waits_at_no_gate(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    store = lab.mq.manager.store
    gates = [store.gate]
    store.use_as_scratch()
    gates.append(store.gate)
    assert [gate is None for gate in gates] == [False, True]
    assert not store.lasting
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 7})
    assert lab.mq.queue("Q1").attributes["MAXDEPTH"] == 7


def test_who_waits_for_a_busy_writer_is_let_in(lab: Lab) -> None:
    """SQLite itself, asking every tenth of a second, would miss the gaps between its commits."""
    ended = Event()

    def write() -> None:
        with closing(sqlite3.connect(lab.path, isolation_level=None)) as busy:
            while not ended.is_set():
                busy.execute("BEGIN IMMEDIATE")
                time.sleep(0.03)
                busy.execute("ROLLBACK")
                time.sleep(0.0005)

    writer = Thread(target=write)
    writer.start()
    try:
        with closing(Store(lab.path, busy_s=5.0)) as store:
            for _ in range(6):
                store.begin()
                store.rollback()
    finally:
        ended.set()
        writer.join()


def test_a_full_disk_is_told_and_nothing_is_half_done(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"before")
    store = lab.mq.manager.store
    pages = store.execute("PRAGMA page_count").fetchone()[0]
    store.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StorageError, match="no space left"):
        queue.put(message(), bytes(100_000))
    store.execute("PRAGMA max_page_count = 1000000")
    queue.put(message(), b"after")
    assert lab.bodies("Q1") == [b"before", b"after"]
    assert lab.depth("Q1") == 2


@pytest.mark.parametrize("name", ["QM1", "A/B%C", "a.b_c"])
def test_names_with_special_characters_have_files_of_their_own(tmp_path: Path, name: str) -> None:
    path = create(tmp_path, name)
    assert path == qmgr_path(tmp_path, name)
    assert path.parent == tmp_path / "emulator"
    assert qmgr_names(tmp_path) == [name]


def test_creating_twice_is_refused(tmp_path: Path) -> None:
    create(tmp_path, "QM1")
    with pytest.raises(Refused, match="already exists"):
        create(tmp_path, "QM1")


def test_removing_leaves_nothing(lab: Lab) -> None:
    lab.local("Q1")
    with pytest.raises(Refused, match="connected"):
        remove(lab.home, "QM1")
    lab.close()
    remove(lab.home, "QM1")
    assert list((lab.home / "emulator").iterdir()) == []
