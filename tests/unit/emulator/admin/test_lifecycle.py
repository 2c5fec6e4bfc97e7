"""Start, stop and the clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.clock import wall_us
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.switches import CLIENTS_RECONNECT
from mqtriage.emulator.core.tables.state import State
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.errors import ConnectionFailed, UsageError
from tests.unit.emulator.conftest import ALL, Lab, message, nothing_on


def test_a_restart_keeps_persistent_messages_and_drops_the_others(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("HIGH", NPMCLASS="HIGH")
    for name in ("Q1", "HIGH"):
        lab.put(name, b"persistent")
        lab.put(name, b"not", persistence=0)
    assert lifecycle.stop(lab.mq.manager) == 1
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    assert lab.bodies("Q1") == [b"persistent"]
    assert lab.bodies("HIGH") == [b"persistent", b"not"]
    assert lab.depth("Q1") == 1


@pytest.mark.parametrize(("platform", "depth"), [("zos", 0), ("dist", 1)])
def test_on_zos_what_has_expired_is_discarded_when_it_starts(
    tmp_path: Path, platform: Platform, depth: int
) -> None:
    lab = Lab(tmp_path, platform)
    lab.local("Q1")
    lab.put("Q1", expiry_tenths=1)
    lifecycle.stop(lab.mq.manager)
    lifecycle.advance(lab.mq.manager, 1_000_000)
    lifecycle.start(lab.mq.manager)
    assert lab.connect().status("Q1").curdepth == depth
    lab.close()


@pytest.mark.parametrize("clients_reconnect", [False, True])
def test_clients_connect_again_where_the_stop_says_so(lab: Lab, clients_reconnect: bool) -> None:
    lifecycle.stop(lab.mq.manager, clients_reconnect=clients_reconnect)
    assert (CLIENTS_RECONNECT in lab.mq.manager.switches) is clients_reconnect


def test_stopping_ends_units_of_work_with_one_more_backout(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"m")
    queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.restart()
    assert lab.get("Q1").md.backout_count == 1


def test_a_restart_frees_what_was_locked_by_a_browse(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"m")
    assert queue.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK).body == b"m"
    assert nothing_on(lab.connect().open("Q1", ALL))
    lab.restart()
    assert lab.get("Q1").body == b"m"


def test_a_stopped_queue_manager_takes_no_connection(lab: Lab) -> None:
    lifecycle.stop(lab.mq.manager)
    with pytest.raises(ConnectionFailed, match="2059"):
        lab.connect()
    with pytest.raises(UsageError, match="not running"):
        lifecycle.stop(lab.mq.manager)
    lifecycle.start(lab.mq.manager)
    with pytest.raises(UsageError, match="already running"):
        lifecycle.start(lab.mq.manager)


def test_a_frozen_clock_moves_only_when_it_is_moved(lab: Lab) -> None:
    before = lab.mq.now_us()
    assert lab.mq.now_us() == before
    lab.advance(90)
    assert lab.mq.now_us() == before + 90_000_000
    with pytest.raises(UsageError, match="forward"):
        lab.advance(-1)


def test_a_running_clock_goes_on_from_where_it_was_moved(tmp_path: Path) -> None:
    mq = EmulatedBackend(open_manager(create(tmp_path, "QM1")))
    lifecycle.advance(mq.manager, 3_600_000_000)
    ahead = mq.now_us() - wall_us()
    assert 3_599_000_000 < ahead <= 3_600_000_000
    lifecycle.set_clock(mq.manager, frozen=True)
    stood = mq.now_us()
    assert mq.now_us() == stood
    lifecycle.set_clock(mq.manager, frozen=False)
    assert stood <= mq.now_us() < stood + 60_000_000
    mq.disconnect()


def test_the_clock_does_not_go_back_when_the_machines_clock_does() -> None:
    ahead = State(1, 1, None, -(10**18), 500, None, 1, "running")
    assert ahead.now_us() == 500


def test_every_process_sees_the_same_clock(lab: Lab) -> None:
    other = lab.connect()
    lab.advance(1000)
    assert other.now_us() == lab.mq.now_us()


def test_rolling_back_makes_a_poison_message(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", b"first")
    descriptor = lab.put("Q1", b"second")
    assert lifecycle.roll_back(lab.mq.connection, "Q1", 3, descriptor.msg_id) == descriptor.msg_id
    counts = [m.md.backout_count for m in lab.open("Q1").browse()]
    assert counts == [0, 3]
