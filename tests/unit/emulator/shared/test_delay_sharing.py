"""Delay for the shared queues of a group: one private staging queue each; DD-46, DD-64 to 69."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.tables import definitions
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.shared import sharing
from mqtriage.mq import cmqc
from mqtriage.mq.delay import ZOS_STAGING
from mqtriage.mq.errors import NoMessageAvailable, ObjectNotFound, UsageError
from tests.unit.emulator.conftest import ALL, STAGING, Lab, message


class Group:
    """Members A and B with a shared queue QS, each with a staging queue of its own."""

    def __init__(self, home: Path) -> None:
        self.a, self.b = (Lab(home, "zos", name) for name in ("A", "B"))
        for member in (self.a, self.b):
            sharing.join(member.mq.manager, "QSG1")
            member.mq.define("QLOCAL", STAGING, ZOS_STAGING)
        self.a.mq.define("QLOCAL", "QS", {"QSGDISP": "SHARED"})

    def advance(self, seconds: float) -> None:
        for member in (self.a, self.b):
            lifecycle.advance(member.mq.manager, round(seconds * 1_000_000))

    def close(self) -> None:
        self.a.close()
        self.b.close()


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    new_group = Group(tmp_path)
    yield new_group
    new_group.close()


@pytest.mark.seed("DD-46")
def test_one_staging_queue_serves_local_and_shared_targets(group: Group) -> None:
    group.a.local("Q1")
    group.a.send("Q1", 1000)
    group.a.send("QS", 1000)
    assert group.a.depth(STAGING) == 2
    group.advance(1)
    assert [group.a.depth(name) for name in (STAGING, "Q1", "QS")] == [0, 1, 1]


@pytest.mark.seed("DD-64")
def test_a_delayed_message_for_a_shared_queue_is_there_for_another_member_when_due(
    group: Group,
) -> None:
    group.a.send("QS", 1000, b"shared")
    handle = group.b.open("QS", ALL)
    with pytest.raises(NoMessageAvailable):
        handle.get()
    group.advance(1)
    assert handle.get(cmqc.MQGMO_NO_SYNCPOINT).body == b"shared"
    assert (group.a.depth(STAGING), group.a.depth("QS")) == (0, 0)


@pytest.mark.seed("DD-64")
def test_a_member_that_nobody_touches_delivers_as_long_as_it_runs(group: Group) -> None:
    """Time goes on for A without any program of A; B sees what A's processor did meanwhile."""
    group.a.send("QS", 1000)
    handle = group.b.open("QS", ALL)
    with group.a.mq.manager.store.write():
        group.a.mq.manager.store.execute("UPDATE state SET frozen_us = frozen_us + 1000000")
    assert handle.get(cmqc.MQGMO_NO_SYNCPOINT).md.msg_id != bytes(24)


@pytest.mark.seed("DD-65")
def test_the_staging_queue_is_private_to_its_member(group: Group) -> None:
    group.a.send("QS", 1000)
    assert (group.a.depth(STAGING), group.b.depth(STAGING)) == (1, 0)


@pytest.mark.seed("DD-65")
def test_a_shared_staging_queue_is_not_used(group: Group) -> None:
    group.b.mq.delete("QLOCAL", STAGING)
    group.a.mq.delete("QLOCAL", STAGING)
    group.a.mq.define("QLOCAL", STAGING, {**ZOS_STAGING, "QSGDISP": "SHARED"})
    with pytest.raises(ObjectNotFound) as error:
        group.a.send("QS", 1000)
    assert (error.value.reason, error.value.object_name) == (
        cmqc.MQRC_UNKNOWN_OBJECT_NAME, STAGING,
    )  # fmt: skip


@pytest.mark.seed("DD-66", "DD-68")
def test_the_owner_of_the_staging_queue_must_run_and_persistent_messages_survive_its_stop(
    group: Group,
) -> None:
    group.a.send("QS", 1000)
    lifecycle.stop(group.a.mq.manager)
    group.advance(60)
    assert group.b.depth("QS") == 0
    lifecycle.start(group.a.mq.manager)
    assert group.b.depth("QS") == 1


@pytest.mark.seed("DD-67", "DD-69")
def test_a_non_persistent_message_is_lost_with_its_owner_and_one_without_delay_is_not(
    group: Group,
) -> None:
    group.a.send("QS", 1000, b"delayed", persistence=0)
    group.a.put("QS", b"at once", persistence=0)
    group.a.mq.commit()
    lifecycle.stop(group.a.mq.manager)
    lifecycle.start(group.a.mq.manager)
    group.advance(60)
    assert [m.body for m in group.b.open("QS", ALL).browse()] == [b"at once"]


@pytest.mark.seed("DD-64")
def test_a_delivery_that_was_noted_is_not_made_again(group: Group) -> None:
    """The program may end after the group's file was written and before the member's was."""
    group.a.send("QS", 1000)
    staged = next(iter(group.a.open(STAGING, 8).browse()))
    shared = open_manager(sharing.group_path(group.a.path.parent, "QSG1"))
    with shared.store.write():
        shared.store.execute("INSERT INTO received VALUES ('A', ?)", (staged.md.msg_id,))
    group.advance(1)
    assert (group.a.depth(STAGING), group.a.depth("QS")) == (0, 0)
    assert shared.store.execute("SELECT count(*) FROM received").fetchone() == (0,)
    shared.close()


def test_units_of_work_reach_shared_queues(group: Group) -> None:
    group.a.mq.put1("QS", message(), b"1", cmqc.MQPMO_SYNCPOINT)
    handle = group.b.open("QS", ALL)
    with pytest.raises(NoMessageAvailable):
        handle.get()
    group.a.mq.commit()
    assert handle.get(cmqc.MQGMO_SYNCPOINT).body == b"1"
    group.b.mq.backout()
    assert handle.get().md.backout_count == 1


def test_definitions_of_shared_queues_are_one_for_all_members(group: Group) -> None:
    group.b.mq.alter("QLOCAL", "QS", {"MAXDEPTH": 7})
    assert group.a.mq.queue("QS").attributes["MAXDEPTH"] == 7
    assert "QS" in {q.name for q in group.b.mq.queues()}
    group.b.mq.delete("QLOCAL", "QS")
    with pytest.raises(ObjectNotFound):
        group.a.mq.queue("QS")


@pytest.mark.seed("DD-65", "DD-69")
def test_the_file_of_a_group_has_nothing_of_a_queue_manager_of_its_own(group: Group) -> None:
    """No staging queue, no topics: those are each member's."""
    shared = open_manager(sharing.group_path(group.a.path.parent, "QSG1"))
    assert list(shared.queues) == ["QS"]
    assert definitions.of_kind(shared.store, "TOPIC") == []
    shared.close()


@pytest.mark.parametrize("name", ["", "toolong", "low", "Q-1"])
def test_a_group_name_is_one_to_four_capitals_and_digits(group: Group, name: str) -> None:
    with pytest.raises(UsageError):
        sharing.join(group.a.mq.manager, name)


def test_a_distributed_queue_manager_joins_no_group(lab: Lab) -> None:
    with pytest.raises(UsageError, match="z/OS"):
        sharing.join(lab.mq.manager, "QSG1")
    with pytest.raises(UsageError):
        lab.mq.define("QLOCAL", "QS", {"QSGDISP": "SHARED"})
