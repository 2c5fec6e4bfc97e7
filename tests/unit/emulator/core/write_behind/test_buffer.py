"""What is held back is written down in time, whole, and in few commits."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import state
from mqtriage.emulator.core.write_behind.buffer import buffer_calls, stop_buffering
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, QueueFull, StorageError
from tests.unit.emulator.conftest import ALL, Lab, nothing_on, unlock

BOTH = cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT
KEPT = MQMD(persistence=0)
LASTING = MQMD(persistence=1)


class Server:
    """A view of the file that holds back, as that of a server does."""

    def __init__(self, lab: Lab) -> None:
        lab.local("IN")
        self.manager = open_manager(lab.path)
        self.begun = threading.Event()
        buffer_calls(self.manager, self.begun)
        self.mq = EmulatedBackend(self.manager.shared(), user="tester")
        self.queue = self.mq.open("IN", BOTH)

    @property
    def is_holding(self) -> bool:
        return self.manager.write_behind is not None and self.manager.write_behind.is_open

    def write_down(self) -> None:
        assert self.manager.write_behind is not None
        self.manager.write_behind.end()

    def close(self) -> None:
        self.mq.disconnect()
        stop_buffering(self.manager)
        self.manager.close()


@pytest.fixture
def server(lab: Lab) -> Iterator[Server]:
    new_server = Server(lab)
    yield new_server
    new_server.close()


def test_a_thousand_puts_and_gets_are_a_handful_of_commits(server: Server) -> None:
    before = server.manager.store.commits
    for _ in range(1000):
        server.queue.put(KEPT, b"x" * 1024)
        server.queue.get()
    assert server.manager.store.commits - before <= 20  # one for each call would be 2,000


def test_a_backlog_is_no_reason_for_more_commits(server: Server) -> None:
    for _ in range(100):
        server.queue.put(KEPT, b"first")
    before = server.manager.store.commits
    for _ in range(1000):
        server.queue.put(KEPT, b"x" * 1024)
        server.queue.get()
    assert server.manager.store.commits - before <= 20


def test_what_one_handle_took_of_a_backlog_the_others_do_not_read_again(server: Server) -> None:
    handles = [server.mq.open("IN", BOTH) for _ in range(4)]
    for number in range(200):
        server.queue.put(KEPT, b"%d" % number)
    server.write_down()
    handles[0].get()  # opens the hold
    statements: list[str] = []
    run = server.manager.store.execute

    def counted(sql: str, values: Any = ()) -> sqlite3.Cursor:
        statements.append(sql)
        return run(sql, values)

    server.manager.store.execute = counted  # type: ignore[method-assign]
    bodies = [handles[number % 4].get().body for number in range(1, 160)]
    assert bodies == [b"%d" % number for number in range(1, 160)]
    assert len(statements) <= 2 * 159  # three more handles that begin anew would read 400


@pytest.mark.parametrize(
    ("md", "options"),
    [
        pytest.param(LASTING, 0, id="persistent"),
        pytest.param(
            KEPT._replace(report=cmqc.MQRO_COA, reply_to_q="IN"), 0, id="with-a-confirmation"
        ),
        pytest.param(KEPT._replace(expiry_tenths=600), 0, id="with-a-lifetime"),
    ],
)
def test_another_put_writes_down_what_was_held_back(server: Server, md: MQMD, options: int) -> None:
    server.queue.put(KEPT, b"held")
    assert server.is_holding
    server.queue.put(md, b"not held", options)
    assert not server.is_holding
    assert server.queue.get().body == b"held"
    assert server.queue.get().body == b"not held"


def test_whoever_holds_back_says_so_for_it_to_end_in_time(server: Server) -> None:
    server.begun.clear()
    server.queue.put(KEPT, b"held")
    assert server.begun.is_set()


def test_the_next_call_of_a_client_writes_down_what_somebody_waits_for(
    lab: Lab, server: Server
) -> None:
    server.queue.put(KEPT, b"held")
    assert server.manager.write_behind is not None
    server.manager.write_behind.asked = True
    server.queue.put(KEPT, b"the next")
    assert not server.is_holding
    assert lab.mq.status("IN").curdepth == 2


def test_a_full_disk_loses_nothing_that_is_held_back(server: Server) -> None:
    store = server.manager.store
    (pages,) = store.execute("PRAGMA page_count").fetchone()
    store.execute(f"PRAGMA max_page_count = {pages + 1}")
    for number in range(50):
        server.queue.put(KEPT, b"%d" % number * 4000)
    assert server.queue.get().body == b"0" * 4000
    with pytest.raises(StorageError, match="no space left"):
        server.write_down()
    assert server.is_holding
    store.execute("PRAGMA max_page_count = 1000000")
    server.write_down()
    assert server.mq.status("IN").curdepth == 49
    assert server.queue.get().body.startswith(b"1")


def test_a_full_disk_gives_no_identifier_twice(server: Server) -> None:
    store = server.manager.store
    (pages,) = store.execute("PRAGMA page_count").fetchone()
    store.execute(f"PRAGMA max_page_count = {pages + 1}")
    given = {server.queue.put(KEPT, b"x" * 4000).msg_id for _ in range(50)}
    with pytest.raises(StorageError):
        server.write_down()
    store.execute("PRAGMA max_page_count = 1000000")
    server.write_down()
    other = EmulatedBackend(open_manager(server.manager.path), user="tester")
    given |= {other.put1("IN", LASTING, b"").msg_id for _ in range(1100)}
    other.disconnect()
    assert len(given) == 1150


def test_a_queue_is_full_at_its_depth_also_in_memory(lab: Lab, server: Server) -> None:
    lab.mq.alter("QLOCAL", "IN", {"MAXDEPTH": 2})
    server.queue.put(KEPT, b"1")
    server.queue.put(KEPT, b"2")
    assert server.is_holding
    with pytest.raises(MQIError, match="2053"):
        server.queue.put(KEPT, b"3")
    assert server.mq.status("IN").curdepth == 2


def test_a_gate_that_stays_shut_is_told_after_the_wait(lab: Lab, server: Server) -> None:
    server.queue.put(KEPT, b"held")
    with pytest.raises(StorageError, match="is not writing the changes"):
        Store(lab.path, busy_s=0.05).begin()


@pytest.mark.parametrize(("span_us", "there"), [(999_999, False), (1_000_000, True)])
def test_what_is_due_at_this_very_moment_ends_the_hold(
    lab: Lab, server: Server, span_us: int, there: bool
) -> None:
    lab.send("IN", 1000, b"delayed")
    server.queue.put(KEPT, b"first")
    assert server.is_holding
    server.write_down()
    with lab.mq.manager.writing(durable=True) as now:
        state.advance(lab.mq.manager.store, span_us, 0, now)
    assert server.queue.get().body == b"first"
    assert nothing_on(server.queue) is not there


# -- units of work, which every process holds back ------------------------------------------------


@pytest.mark.parametrize("md", [KEPT, LASTING], ids=["non-persistent", "persistent"])
def test_a_unit_of_work_of_puts_is_one_transaction(lab: Lab, md: MQMD) -> None:
    queue = lab.local("IN")
    queue.put(md, b"enters the connection", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    before = lab.mq.manager.store.commits
    for number in range(100):
        queue.put(md, b"%d" % number, cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert lab.mq.manager.store.commits - before <= 3  # one, and what a slow machine writes in time
    assert lab.depth("IN") == 101


def test_a_unit_of_work_of_puts_is_one_transaction_of_a_server(server: Server) -> None:
    server.queue.put(KEPT, b"enters the connection", cmqc.MQPMO_SYNCPOINT)
    server.mq.commit()
    before = server.manager.store.commits
    for number in range(100):
        server.queue.put(LASTING, b"%d" % number, cmqc.MQPMO_SYNCPOINT)
    server.mq.commit()
    assert server.manager.store.commits - before == 1


def test_a_commit_of_persistent_messages_waits_for_the_disk(lab: Lab) -> None:
    queue = lab.local("IN")
    statements: list[str] = []
    lab.mq.manager.store._db.set_trace_callback(statements.append)
    queue.put(KEPT, b"does not", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert "PRAGMA synchronous = FULL" not in statements
    queue.put(LASTING, b"does", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    how = [sql for sql in statements if "synchronous" in sql or "INTO message" in sql]
    assert how[-2] == "PRAGMA synchronous = FULL"


def test_another_program_counts_what_a_unit_of_work_has_put_and_cannot_get_it(lab: Lab) -> None:
    lab.local("IN").put(LASTING, b"uncommitted", cmqc.MQPMO_SYNCPOINT)
    other = lab.connect()
    assert other.status("IN").curdepth == 1
    assert nothing_on(other.open("IN", cmqc.MQOO_INPUT_SHARED))


def test_a_program_that_does_nothing_more_keeps_nobody_waiting(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"uncommitted", cmqc.MQPMO_SYNCPOINT)
    begun = time.monotonic()
    other = lab.connect()
    other.put1("IN", LASTING, b"of another")
    assert time.monotonic() - begun < 15  # the file would be waited for for 20
    lab.mq.commit()
    assert [message.body for message in queue.browse()] == [b"uncommitted", b"of another"]


def test_many_units_of_work_shut_nobody_out(lab: Lab) -> None:
    queue = lab.local("IN")
    looks: list[int] = []
    over = threading.Event()

    def look() -> None:
        mq = EmulatedBackend(open_manager(lab.path), user="tester")
        while not over.is_set():
            looks.append(mq.status("IN").curdepth)
        mq.disconnect()

    thread = threading.Thread(target=look)
    thread.start()
    end = time.monotonic() + 60
    while len(looks) < 20 and time.monotonic() < end:
        queue.put(LASTING, b"x", cmqc.MQPMO_SYNCPOINT)
        lab.mq.commit()
    over.set()
    thread.join()
    assert len(looks) >= 20
    assert looks == sorted(looks)


def test_a_unit_of_work_that_the_disk_has_no_room_for_can_be_committed_later(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"enters the connection")
    store = lab.mq.manager.store
    (pages,) = store.execute("PRAGMA page_count").fetchone()
    store.execute(f"PRAGMA max_page_count = {pages + 1}")
    for number in range(50):
        queue.put(LASTING, b"%d" % number * 4000, cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(StorageError, match="no space left"):
        lab.mq.commit()
    store.execute("PRAGMA max_page_count = 1000000")
    lab.mq.commit()
    assert lab.depth("IN") == 51
    other = lab.connect().open("IN", cmqc.MQOO_INPUT_SHARED)
    assert [other.get().body[:2] for _ in range(4)] == [b"en", b"00", b"11", b"22"]


def test_a_unit_of_work_of_gets_asks_the_file_once(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = lab.local("IN")
    for _ in range(100):
        queue.put(LASTING, b"")
    asked: list[str] = []
    execute = Store.execute

    def counted(store: Store, sql: str, *values: Any) -> sqlite3.Cursor:
        asked.append(sql)
        return execute(store, sql, *values)

    monkeypatch.setattr(Store, "execute", counted)
    for _ in range(100):
        queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.commit()
    assert len(asked) < 20  # two for each get, without


def test_no_identifier_is_given_twice_after_puts_that_were_refused(lab: Lab) -> None:
    """Their transactions reserved numbers, more each time, and were undone."""
    lab.local("IN")
    lab.local("FULL", MAXDEPTH=0)
    ids = []
    for mq in (lab.mq, lab.connect(), lab.connect()):
        queue = mq.open("IN", cmqc.MQOO_OUTPUT)
        for _ in range(8):
            with pytest.raises(QueueFull):
                mq.put1("FULL", MQMD(expiry_tenths=100), b"", cmqc.MQPMO_SYNCPOINT)
        ids += [queue.put(LASTING, b"", cmqc.MQPMO_SYNCPOINT).msg_id for _ in range(3)]
        mq.commit()
    assert len(set(ids)) == len(ids)


def test_a_unit_of_work_is_backed_out_whole_whatever_of_it_was_written_down(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"1", cmqc.MQPMO_SYNCPOINT)
    assert lab.depth("IN") == 1  # written down by the look
    queue.put(LASTING, b"2", cmqc.MQPMO_SYNCPOINT)
    lab.mq.backout()
    assert lab.depth("IN") == 0


def test_a_program_gets_what_its_own_unit_of_work_has_put(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"own", cmqc.MQPMO_SYNCPOINT)
    assert queue.get(cmqc.MQGMO_SYNCPOINT).body == b"own"
    lab.mq.commit()
    assert lab.depth("IN") == 0


def test_nothing_is_waited_for_when_a_program_is_done(lab: Lab) -> None:
    lab.local("IN").put(LASTING, b"x", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    writing = [one for one in threading.enumerate() if one.name == "mqtriage writes down"]
    assert writing
    lab.mq.disconnect()
    for thread in writing:  # and for no other: Spark of another test leaves threads
        thread.join(60)
        assert not thread.is_alive()


_GETS_AND_DIES = """
import os, signal, sys, time
from pathlib import Path
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Match
from mqtriage.emulator.open import open_manager
from mqtriage.mq.cmqc import *
mq = EmulatedBackend(open_manager(Path(sys.argv[1])), user="tester")
queue = mq.open("IN", MQOO_INPUT_SHARED | MQOO_BROWSE)
{0}
os.kill(os.getpid(), signal.SIGKILL)
"""


def _die(lab: Lab, what: str) -> None:
    program = [sys.executable, "-c", _GETS_AND_DIES.replace("{0}", what), str(lab.path)]
    assert subprocess.run(program, check=False).returncode == -signal.SIGKILL


@pytest.mark.seed("PM-08")
@pytest.mark.parametrize(
    ("what", "backouts"),
    [
        pytest.param("queue.get(MQGMO_SYNCPOINT)", [1, 0, 0], id="at-once"),
        pytest.param(
            "queue.get(MQGMO_SYNCPOINT); queue.get(MQGMO_SYNCPOINT)", [1, 1, 0], id="with-two"
        ),
        pytest.param(
            "queue.get(MQGMO_SYNCPOINT); time.sleep(0.1); queue.get(MQGMO_SYNCPOINT)",
            [1, 1, 0],
            id="with-one-that-was-written-down",
        ),
        pytest.param(
            "queue.get(MQGMO_SYNCPOINT); mq.backout(); queue.get(MQGMO_SYNCPOINT)",
            [2, 0, 0],
            id="after-a-rollback",
        ),
        pytest.param(
            "queue.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK);"
            " queue.get(MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT)",
            [1, 0, 0],
            id="under-the-cursor",
        ),
        pytest.param("queue.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)", [0, 0, 0], id="only-locked"),
        pytest.param("queue.get(MQGMO_SYNCPOINT); mq.commit()", [0, 0], id="after-the-commit"),
    ],
)
@pytest.mark.slow
def test_a_program_that_dies_with_a_message_counts_in_its_backoutcount(
    lab: Lab, what: str, backouts: list[int]
) -> None:
    queue = lab.local("IN")
    for number in range(3):
        queue.put(LASTING, b"%d" % number)
    _die(lab, what)
    counts = [message.md.backout_count for message in lab.connect().open("IN", ALL).browse()]
    assert counts == backouts


@pytest.mark.seed("PM-08")
def test_who_gets_the_message_of_a_program_that_died_sees_its_backoutcount(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"poison")
    _die(lab, "queue.get(MQGMO_SYNCPOINT)")
    assert queue.get(cmqc.MQGMO_SYNCPOINT).md.backout_count == 1


# -- locks -----------------------------------------------------------------------------------------

_LOCK_FIRST = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK
_LOCK_NEXT = cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK
_TAKE = cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT


def test_moving_messages_that_are_locked_first_is_one_transaction_a_unit(lab: Lab) -> None:
    source, target = lab.local("IN"), lab.local("OUT")
    for number in range(50):
        source.put(LASTING, b"%d" % number, cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    before = lab.mq.manager.store.commits
    for _ in range(50):
        message = source.get(_LOCK_FIRST)
        target.put(message.md, message.body, cmqc.MQPMO_SYNCPOINT)
        source.get(_TAKE)
    lab.mq.commit()
    assert lab.mq.manager.store.commits - before <= 10  # one, and what is written down in time
    assert [lab.depth("IN"), lab.depth("OUT")] == [0, 50]


def test_a_lock_that_is_held_back_keeps_another_program_off(lab: Lab) -> None:
    queue = lab.local("IN")
    queue.put(LASTING, b"locked")
    queue.put(LASTING, b"free")
    queue.get(_LOCK_FIRST)
    other = lab.connect().open("IN", ALL)
    assert other.get().body == b"free"
    assert nothing_on(other)
    unlock(queue)
    assert other.get().body == b"locked"


def test_a_lock_that_is_held_back_keeps_another_handle_off(lab: Lab) -> None:
    queue, other = lab.local("IN"), lab.open("IN")
    queue.put(LASTING, b"locked")
    queue.put(LASTING, b"free")
    queue.get(_LOCK_FIRST)
    assert other.get(cmqc.MQGMO_SYNCPOINT).body == b"free"
    with pytest.raises(MQIError, match="2033"):
        other.get(cmqc.MQGMO_SYNCPOINT)


def test_the_next_lock_of_a_handle_lets_go_of_the_one_before(lab: Lab) -> None:
    queue, other = lab.local("IN"), lab.open("IN")
    queue.put(LASTING, b"first")
    queue.put(LASTING, b"second")
    queue.get(_LOCK_FIRST)
    queue.get(_LOCK_NEXT)
    assert other.get(cmqc.MQGMO_SYNCPOINT).body == b"first"
    assert queue.get(_TAKE).body == b"second"
    lab.mq.commit()
    assert lab.depth("IN") == 0
