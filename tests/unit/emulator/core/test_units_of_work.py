"""Syncpoint: what others see, what counts, what comes back."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core import branches, units
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.get.get import get
from mqtriage.emulator.core.tables.handles import shown_connections
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.errors import ConnectionFailed, MQIError, QueueFull
from tests.unit.emulator.conftest import ALL, STAGING, Lab, message, nothing_on


def test_an_uncommitted_put_is_counted_but_seen_by_nobody_else(lab: Lab) -> None:
    queue = lab.local("Q1")
    other = lab.connect().open("Q1", ALL)
    queue.put(message(), b"mine", cmqc.MQPMO_SYNCPOINT)
    assert nothing_on(other)
    assert list(other.browse()) == []
    assert lab.depth("Q1") == 1
    assert lab.mq.status("Q1").uncommitted == 1
    lab.mq.commit()
    assert other.get().body == b"mine"


@pytest.mark.seed("DD-32")
def test_its_own_unit_gets_what_it_has_just_put(lab: Lab) -> None:
    queue = lab.local("Q1")
    other = lab.connect().open("Q1", ALL)
    queue.put(message(), b"mine", cmqc.MQPMO_SYNCPOINT)
    assert queue.get(cmqc.MQGMO_SYNCPOINT).body == b"mine"
    assert nothing_on(other)
    lab.mq.commit()
    assert lab.depth("Q1") == 0


def test_putting_and_getting_in_one_unit_and_backing_out_leaves_nothing(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"mine", cmqc.MQPMO_SYNCPOINT)
    queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.backout()
    assert lab.depth("Q1") == 0
    assert nothing_on(queue)


@pytest.mark.seed("BO-07")
def test_a_message_got_under_syncpoint_is_off_the_queue_for_others_but_counted(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"m")
    queue.get(cmqc.MQGMO_SYNCPOINT)
    other = lab.connect().open("Q1", ALL)
    assert nothing_on(other)
    assert lab.depth("Q1") == 1
    lab.mq.backout()
    assert other.get().body == b"m"


@pytest.mark.seed("PM-03", "PM-08", "BO-06", "BO-13", "BO-14")
def test_each_backout_adds_one_to_backout_count(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(backout_count=9), b"m")
    seen = []
    for _ in range(3):
        seen.append(queue.get(cmqc.MQGMO_SYNCPOINT).md.backout_count)
        list(queue.browse())
        lab.mq.backout()
    assert seen == [0, 1, 2]
    assert next(iter(queue.browse())).md.backout_count == 3
    assert lab.depth("Q1") == 1


def test_zos_stops_counting_backouts_at_255(zos: Lab) -> None:
    queue = zos.local("Q1")
    queue.put(message(), b"m")
    zos.mq.commit()
    zos.mq.manager.store.execute("UPDATE message SET backouts = 254")
    for _ in range(3):
        queue.get(cmqc.MQGMO_SYNCPOINT)
        zos.mq.backout()
    assert next(iter(queue.browse())).md.backout_count == 255


def test_a_backed_out_message_returns_to_its_place(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"first")
    queue.put(message(), b"second")
    queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.backout()
    assert lab.bodies("Q1") == [b"first", b"second"]


@pytest.mark.seed("BO-08")
def test_a_get_outside_syncpoint_does_not_come_back(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"m")
    queue.get()
    lab.mq.backout()
    assert lab.depth("Q1") == 0


@pytest.mark.seed("BO-09")
def test_what_was_committed_does_not_come_back(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"m")
    queue.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.commit()
    lab.mq.backout()
    assert lab.depth("Q1") == 0


def test_uncommitted_messages_fill_a_queue(lab: Lab) -> None:
    queue = lab.local("Q1", MAXDEPTH=1)
    queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(QueueFull):
        lab.connect().put1("Q1", message(), b"")
    lab.mq.backout()
    lab.put("Q1")


def test_get_and_put_become_final_together(lab: Lab) -> None:
    source, target = lab.local("Q1"), lab.local("Q2")
    source.put(message(), b"m")
    moving = source.get(cmqc.MQGMO_SYNCPOINT)
    target.put(moving.md, moving.body, cmqc.MQPMO_SYNCPOINT)
    lab.mq.backout()
    assert (lab.bodies("Q1"), lab.bodies("Q2")) == ([b"m"], [])
    moving = source.get(cmqc.MQGMO_SYNCPOINT)
    target.put(moving.md, moving.body, cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert (lab.bodies("Q1"), lab.bodies("Q2")) == ([], [b"m"])


def test_a_unit_of_work_holds_no_more_than_maxumsgs(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 2})
    queue = lab.local("Q1")
    queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(MQIError) as error:
        queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert error.value.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    lab.mq.commit()
    assert lab.depth("Q1") == 2


@pytest.mark.seed("DD-34", "DD-36", "C-16", "TRAP-01")
@pytest.mark.parametrize("way", ["send", "publication"])
def test_what_is_delayed_counts_in_the_unit_of_work_that_sends_it(lab: Lab, way: str) -> None:
    """MAXUMSGS of them and no more, though none is staged yet; a backout leaves none."""
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 2})
    lab.local("Q1")
    subscriptions.subscribe(lab.mq.connection, "news", name="S1", durable=True)

    def send() -> None:
        if way == "send":
            lab.mq.put_delayed("Q1", message(), b"", 5000, cmqc.MQPMO_SYNCPOINT)
        else:
            md = message(persistence=0)
            publications.send(
                lab.mq.connection, "news", md, b"", cmqc.MQPMO_SYNCPOINT, delay_ms=5000
            )

    send()
    send()
    assert lab.depth(STAGING) == 0
    with pytest.raises(MQIError) as error:
        send()
    assert error.value.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    lab.mq.backout()
    assert lab.depth(STAGING) == 0
    send()
    lab.mq.commit()
    assert lab.depth(STAGING) == 1


def test_outside_of_it_a_delayed_publication_goes_though_the_unit_of_work_is_full(
    lab: Lab,
) -> None:
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 1})
    lab.local("Q1").put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    subscriptions.subscribe(lab.mq.connection, "news", name="S1", durable=True)
    publications.send(lab.mq.connection, "news", message(persistence=0), b"", 0, delay_ms=5000)
    assert lab.depth(STAGING) == 1


@pytest.mark.parametrize("way", ["put", "send", "get"])
@pytest.mark.parametrize("persistences", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_unit_of_work_with_a_persistent_message_in_it_waits_for_the_disk(
    lab: Lab, way: str, persistences: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else it holds: what the commit has promised is there after a loss of power."""
    queue = lab.local("Q1")
    for persistence in persistences:
        md = message(persistence=persistence)
        if way == "put":
            queue.put(md, b"", cmqc.MQPMO_SYNCPOINT)
        elif way == "send":
            lab.mq.put_delayed("Q1", md, b"", 5000, cmqc.MQPMO_SYNCPOINT)
        else:
            queue.put(md, b"")
            queue.get(cmqc.MQGMO_SYNCPOINT)
    waits: list[bool] = []
    begin = Store.begin_inside_gate  # of a transaction of its own, and of one that is held

    def watched(store: Store, *, durable: bool = False) -> None:
        waits.append(durable)
        begin(store, durable=durable)

    monkeypatch.setattr(Store, "begin_inside_gate", watched)
    lab.mq.commit()
    assert any(waits) is (1 in persistences)


def test_a_selector_holds_for_a_get_when_another_was_quicker(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked at first may be gone when the file is locked: the next must be selected."""
    lab.local("Q1")
    for body, priority in ((b"mine", 5), (b"not mine", 4), (b"mine too", 3)):
        lab.put("Q1", body, priority=priority)
    selecting = lab.mq.connection.open("Q1", cmqc.MQOO_INPUT_SHARED, selector="JMSPriority <> 4")
    other, begin = lab.connect().open("Q1", ALL), lab.mq.connection.begin

    def after_the_other(*args: Any, **how: Any) -> int:
        monkeypatch.undo()
        assert other.get().body == b"mine"
        return begin(*args, **how)

    monkeypatch.setattr(lab.mq.connection, "begin", after_the_other)
    assert get(lab.mq.connection, selecting, cmqc.MQGMO_SYNCPOINT).body == b"mine too"


@pytest.mark.parametrize("options", [0, cmqc.MQPMO_SYNCPOINT])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_put_fails_while_the_queue_manager_ends_if_it_asks_for_that(
    lab: Lab, options: int, persistence: int
) -> None:
    queue = lab.local("Q1")
    assert lifecycle.quiesce(lab.mq.manager, 0) == 1
    with pytest.raises(MQIError) as error:
        queue.put(message(persistence=persistence), b"", options | cmqc.MQPMO_FAIL_IF_QUIESCING)
    assert error.value.reason == cmqc.MQRC_Q_MGR_QUIESCING
    queue.put(message(persistence=persistence), b"", options)
    lab.mq.commit()
    assert lab.depth("Q1") == 1


def test_leaving_takes_the_connection_out(lab: Lab) -> None:
    lab.local("Q1")
    other = lab.connect()
    other.open("Q1", ALL).put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert len(shown_connections(lab.mq.manager.store)) == 2
    other.disconnect()
    assert len(shown_connections(lab.mq.manager.store)) == 1


def test_leaving_without_a_commit_backs_out(lab: Lab) -> None:
    lab.local("Q1")
    other = lab.connect()
    other.open("Q1", ALL).put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    other.disconnect()
    assert lab.depth("Q1") == 0


def test_leaving_takes_away_the_lock_that_says_that_it_lives(lab: Lab) -> None:
    lab.local("Q1")
    folder = home.lock_folder(lab.path)
    before = {*folder.iterdir()}
    other = lab.connect()
    other.open("Q1", ALL)
    assert len({*folder.iterdir()}) == len(before) + 1
    other.disconnect()
    assert {*folder.iterdir()} == before


@pytest.mark.seed("PM-37")
@pytest.mark.parametrize(("prepared", "depth"), [(False, 0), (True, 1)])
def test_leaving_backs_out_a_branch_that_is_not_prepared(
    lab: Lab, prepared: bool, depth: int
) -> None:
    """What is prepared waits for its transaction manager."""
    lab.local("Q1")
    other = lab.connect()
    other.connection.unit = branches.begin(other.connection, b"xid")
    number = other.connection.unit.branch
    other.put1("Q1", message(), b"x", cmqc.MQPMO_SYNCPOINT)
    if prepared:
        branches.prepare(other.connection, number)
    other.disconnect()
    assert lab.depth("Q1") == depth
    branches.finish(lab.mq.connection, number, units.Unit(), committed=True)
    assert lab.bodies("Q1") == [b"x"] * depth


def test_a_failed_put_in_a_unit_leaves_the_rest_of_it_alone(lab: Lab) -> None:
    queue = lab.local("Q1", MAXDEPTH=1)
    queue.put(message(), b"kept", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(QueueFull):
        queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert lab.bodies("Q1") == [b"kept"]


def test_a_stopped_queue_manager_breaks_the_connection_and_the_unit(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    lab.restart()
    with pytest.raises(ConnectionFailed):
        queue.put(message(), b"")
    assert lab.depth("Q1") == 0


def test_zos_puts_and_gets_under_syncpoint_when_nothing_is_said(zos: Lab) -> None:
    queue = zos.local("Q1")
    queue.put(message(), b"m")
    zos.mq.backout()
    assert zos.depth("Q1") == 0
