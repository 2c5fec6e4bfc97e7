"""Where a limit is reached, inside the queue manager: what passes last, what fails first."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import Final

import pytest

from mqtriage.backends.port import ANY
from mqtriage.emulator.core.browse_marks import Cooperation, Marks
from mqtriage.emulator.core.create import command_level
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import state
from mqtriage.mq import codes
from mqtriage.mq.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtriage.mq.errors import MQIError, UsageError
from tests.unit.emulator.conftest import ALL, Lab, message, nothing_on

DELAY_MS: Final = 1000


def move_clock(manager: Manager, span_us: int) -> None:
    """Without a look at what falls due on the way, as another process does it."""
    with manager.writing(durable=True) as now:
        state.advance(manager.store, span_us, 0, now)


@pytest.mark.seed("DD-05", "DD-07")
@pytest.mark.parametrize("how", ["get", "browse"])
@pytest.mark.parametrize(("span_us", "there"), [(999_999, False), (1_000_000, True)])
def test_a_call_at_the_due_moment_sees_the_message_and_one_before_it_does_not(
    lab: Lab, how: str, span_us: int, there: bool
) -> None:
    queue = lab.local("Q1")
    lab.send("Q1", DELAY_MS)
    move_clock(lab.mq.manager, span_us)
    if how == "get":
        assert nothing_on(queue) is not there
    else:
        assert len(list(queue.browse())) == there


@pytest.mark.parametrize("own_unit", [False, True], ids=["alone", "beside-a-unit-of-work"])
def test_a_whole_message_may_be_got_outside_a_unit_of_work_that_is_open(
    lab: Lab, own_unit: bool
) -> None:
    """2255 is for the segments of one alone."""
    queue = lab.local("Q1")
    queue.put(message(), b"x")
    if own_unit:
        lab.put("Q1", b"y")
        queue.get(MQGMO_SYNCPOINT)
    assert queue.get().body == (b"y" if own_unit else b"x")


def test_a_lock_ends_with_the_handle_that_has_it_and_no_other(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", b"one")
    lab.put("Q1", b"two")
    first, second = (lab.connect().open("Q1", MQOO_BROWSE | MQOO_INPUT_SHARED) for _ in range(2))
    assert first.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).body == b"one"
    assert second.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).body == b"two"
    second.unlock()
    assert lab.bodies("Q1") == [b"two"]
    first.unlock()
    assert lab.bodies("Q1") == [b"one", b"two"]


@pytest.mark.parametrize("way", [0, MQGMO_BROWSE_NEXT], ids=["get", "browse"])
@pytest.mark.parametrize("max_length", [2, 3, 4])
def test_as_much_of_a_body_comes_as_was_asked_for(lab: Lab, way: int, max_length: int) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"123")
    got = queue.get(way, ANY, max_length=max_length)
    assert (got.body, got.length_bytes) == (b"123"[:max_length], 3)


def test_a_queue_takes_messages_as_long_as_the_queue_manager_does(lab: Lab) -> None:
    most = int(lab.mq.manager.attributes["MAXMSGL"])
    lab.mq.define("QLOCAL", "Q1", {"MAXMSGL": most})
    with pytest.raises(UsageError, match="above MAXMSGL"):
        lab.mq.define("QLOCAL", "Q2", {"MAXMSGL": most + 1})


@pytest.mark.parametrize(("length", "works"), [(32, True), (33, False)])
def test_the_asterisk_of_a_dynamic_queue_is_within_33_characters(
    lab: Lab, length: int, works: bool
) -> None:
    lab.mq.define("QMODEL", "M", {"DEFTYPE": "PERMDYN"})
    refused = pytest.raises(MQIError, match=f"({codes.MQRC_DYNAMIC_Q_NAME_ERROR})")
    with nullcontext() if works else refused:
        lab.mq.connection.open("M", ALL, dynamic_name="A" * length + "*")


@pytest.mark.parametrize(
    ("version", "level"),
    [("7.0", 700), ("6.9", 0), ("9.4", 940), ("9.4.1", 941), ("9.4.1.25", 941), ("9", 0),
     ("9.4.1.0.1", 0), ("9.4.0.99", 940), ("9.4.0.100", 0), ("9.x", 0)],
)  # fmt: skip
def test_a_version_has_two_to_four_numbers_from_7_0_on(version: str, level: int) -> None:
    if level:
        assert command_level(version) == level
    else:
        with pytest.raises(UsageError, match="--mq-version"):
            command_level(version)


@pytest.mark.parametrize(("msg_type", "works"), [(0, False), (1, True), (65_535, True)])
def test_types_of_messages_go_from_1_through_those_of_applications(
    lab: Lab, msg_type: int, works: bool
) -> None:
    lab.local("Q1")
    with nullcontext() if works else pytest.raises(MQIError, match="MSG_TYPE_ERROR"):
        lab.put("Q1", msg_type=msg_type, reply_to_q="Q1")


@pytest.mark.parametrize("version", [2, 3])
def test_a_file_of_an_older_schema_is_made_newer_once(lab: Lab, version: int) -> None:
    """The second of two processes that open it finds it done."""
    lab.close()
    with closing(Store(lab.path)) as older:
        if version == 2:
            older.execute("DROP TABLE branch")
        older.execute("ALTER TABLE connection DROP COLUMN instance")
        older.execute(f"PRAGMA user_version = {version}")
    with closing(Store(lab.path)) as newer:
        newer._upgrade()
    assert nothing_on(lab.connect().open("SYSTEM.DEFAULT.LOCAL.QUEUE", ALL))


@pytest.mark.parametrize(
    ("interval_ms", "passed_us", "hidden"),
    [(600, 599_999, True), (600, 600_000, False), (0, 0, False), (-1, 10**12, True)],
    ids=["within", "at-its-end", "none-at-all", "without-end"],
)
def test_a_mark_of_those_who_cooperate_ends_with_its_interval(
    interval_ms: int, passed_us: int, hidden: bool
) -> None:
    attributes = {"MARKINT": interval_ms if interval_ms >= 0 else "NOLIMIT"}
    together = Cooperation()
    one, other = Marks(together), Marks(together)
    one.change(attributes, MQGMO_MARK_BROWSE_CO_OP, 7, 1_000)
    assert other.is_marked(attributes, 7, 1_000 + passed_us) is hidden


def test_of_many_marks_those_that_have_ended_are_forgotten() -> None:
    marks, attributes = Marks(Cooperation()), {"MARKINT": 1}
    assert marks.together is not None
    for position in range(4096):
        marks.change(attributes, MQGMO_MARK_BROWSE_CO_OP, position, position == 0)
    assert len(marks.together.marked) == 4096
    marks.change(attributes, MQGMO_MARK_BROWSE_CO_OP, 4096, 1_000)
    assert set(marks.together.marked) == {0, 4096}


def test_a_unit_of_work_holds_as_many_messages_as_maxumsgs_says(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 2})
    queue = lab.local("Q1")
    for options in (MQPMO_SYNCPOINT, MQPMO_SYNCPOINT):
        queue.put(message(), b"x", options)
    with pytest.raises(MQIError) as error:
        queue.put(message(), b"x", MQPMO_SYNCPOINT)
    assert error.value.reason == codes.MQRC_SYNCPOINT_LIMIT_REACHED
    lab.mq.commit()
    assert lab.depth("Q1") == 2
