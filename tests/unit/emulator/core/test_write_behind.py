"""What a server holds back is written down in time, whole, and in few commits."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.tables import state
from mqtriage.emulator.core.write_behind import hold_back, hold_back_no_more
from mqtriage.emulator.open import open_manager
from mqtriage.mq.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, StorageError
from tests.unit.emulator.conftest import Lab, nothing_on

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
KEPT = MQMD(persistence=0)
LASTING = MQMD(persistence=1)


class Server:
    """A view of the file that holds back, as that of a server does."""

    def __init__(self, lab: Lab) -> None:
        lab.local("IN")
        self.manager = open_manager(lab.path)
        self.begun = threading.Event()
        hold_back(self.manager, self.begun)
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
        hold_back_no_more(self.manager)
        self.manager.close()


@pytest.fixture
def server(lab: Lab) -> Iterator[Server]:
    made = Server(lab)
    yield made
    made.close()


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
        pytest.param(KEPT, MQPMO_SYNCPOINT, id="under-syncpoint"),
        pytest.param(KEPT._replace(expiry_tenths=600), 0, id="with-a-lifetime"),
    ],
)
def test_another_put_writes_down_what_was_held_back(server: Server, md: MQMD, options: int) -> None:
    server.queue.put(KEPT, b"held")
    assert server.is_holding
    server.queue.put(md, b"not held", options)
    assert not server.is_holding
    server.mq.commit()
    assert server.mq.status("IN").curdepth == 2


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
    with pytest.raises(StorageError, match="server does not write down"):
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
