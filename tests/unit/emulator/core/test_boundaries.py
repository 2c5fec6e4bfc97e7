"""Where a limit is reached, inside the queue manager: what passes last, what fails first."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

import pytest

from mqtriage.backends.port import ANY
from mqtriage.emulator.core import channels
from mqtriage.emulator.core.browse_marks import BrowseMarks, Cooperation
from mqtriage.emulator.core.create import command_level
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.switches import DELAY_RETRY
from mqtriage.emulator.core.tables import counters, handles, messages, state
from mqtriage.emulator.core.timetable import is_timed_event_due, next_scan_us
from mqtriage.emulator.due import expirer
from mqtriage.mq import cmqc
from mqtriage.mq.delay import OVERDUE_AFTER_US
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.headers.formats import EMBEDDED_EXPIRY_OFFSET
from tests.unit.emulator.conftest import ALL, STAGING, Lab, message, nothing_on, unlock

DELAY_MS: Final = 1000


def ends_with(reason: int) -> AbstractContextManager[object]:
    """A call that ends with that reason code, or works where it is 0."""
    return pytest.raises(MQIError, match=rf"\({reason}\)") if reason else nullcontext()


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
        queue.get(cmqc.MQGMO_SYNCPOINT)
    assert queue.get().body == (b"y" if own_unit else b"x")


def test_a_lock_ends_with_the_handle_that_has_it_and_no_other(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", b"one")
    lab.put("Q1", b"two")
    first, second = (lab.connect().open("Q1", cmqc.MQOO_BROWSE) for _ in range(2))
    assert first.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK).body == b"one"
    assert second.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK).body == b"two"
    unlock(second)
    assert lab.bodies("Q1") == [b"two"]
    unlock(first)
    assert lab.bodies("Q1") == [b"one", b"two"]


@pytest.mark.parametrize("way", [0, cmqc.MQGMO_BROWSE_NEXT], ids=["get", "browse"])
@pytest.mark.parametrize("max_length", [2, 3, 4])
def test_as_much_of_a_body_comes_as_was_asked_for(lab: Lab, way: int, max_length: int) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"123")
    got = queue.get(way, ANY, max_length=max_length)
    assert (got.body, got.length_bytes) == (b"123"[:max_length], 3)


def test_a_queue_of_longer_messages_takes_those_that_the_queue_manager_does(lab: Lab) -> None:
    most = int(lab.mq.manager.attributes["MAXMSGL"])
    queue = lab.local("Q1", MAXMSGL=most + 1)
    queue.put(message(), bytes(most))
    with pytest.raises(MQIError) as error:
        queue.put(message(), bytes(most + 1))
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR


@pytest.mark.parametrize(("length", "works"), [(32, True), (33, False)])
def test_the_asterisk_of_a_dynamic_queue_is_within_33_characters(
    lab: Lab, length: int, works: bool
) -> None:
    lab.mq.define("QMODEL", "M", {"DEFTYPE": "PERMDYN"})
    refused = pytest.raises(MQIError, match=f"({cmqc.MQRC_DYNAMIC_Q_NAME_ERROR})")
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
    one, other = BrowseMarks(together), BrowseMarks(together)
    one.change(attributes, cmqc.MQGMO_MARK_BROWSE_CO_OP, 7, 1_000)
    assert other.is_marked(attributes, 7, 1_000 + passed_us) is hidden


def test_of_many_marks_those_that_have_ended_are_forgotten() -> None:
    marks, attributes = BrowseMarks(Cooperation()), {"MARKINT": 1}
    assert marks.together is not None
    for position in range(4096):
        marks.change(attributes, cmqc.MQGMO_MARK_BROWSE_CO_OP, position, position == 0)
    assert len(marks.together.marked) == 4096
    marks.change(attributes, cmqc.MQGMO_MARK_BROWSE_CO_OP, 4096, 1_000)
    assert set(marks.together.marked) == {0, 4096}


def test_a_channel_that_stops_ends_who_is_there_and_nobody_who_comes_later(lab: Lab) -> None:
    manager = lab.mq.manager
    last = handles.last_connection(manager.store)
    with manager.writing(durable=True):
        channels.stop(manager, "APP", "", "FORCE", stays=False)
    manager.look()
    instance = channels.Instance("APP", "10.0.0.1", "1:1", 1, 300, "NONE", "")
    ends = [channels.ending(manager, instance, number) for number in (last, last + 1)]
    assert ends == ["FORCE", None]


def test_a_unit_of_work_holds_as_many_messages_as_maxumsgs_says(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 2})
    queue = lab.local("Q1")
    for options in (cmqc.MQPMO_SYNCPOINT, cmqc.MQPMO_SYNCPOINT):
        queue.put(message(), b"x", options)
    with pytest.raises(MQIError) as error:
        queue.put(message(), b"x", cmqc.MQPMO_SYNCPOINT)
    assert error.value.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    lab.mq.commit()
    assert lab.depth("Q1") == 2


# counts, by the moment ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passed_us", "expected"),
    [(0, (0, 2, 1)), (999_999, (0, 2, 2)), (1_000_000, (1, 1, 1))],
    ids=["the-second-ends-after-an-hour", "both-within-the-hour", "the-first-is-over"],
)
def test_lifetimes_are_counted_to_the_microsecond(
    lab: Lab, passed_us: int, expected: tuple[int, int, int]
) -> None:
    lab.local("Q1")
    put_us = lab.mq.now_us()
    lab.put("Q1", expiry_tenths=10)
    lab.put("Q1", expiry_tenths=36_009)
    move_clock(lab.mq.manager, passed_us)
    over, running, next_us, soon, since_us = lab.mq.insight.lifetimes("Q1")
    assert (over, running, soon) == expected
    assert next_us == put_us + (3_600_900_000 if over else 1_000_000)
    assert since_us == (put_us + 1_000_000 if over else None)
    assert lab.mq.insight.any_expired() is (over > 0)
    assert lab.mq.insight.expired_counts() == ({"Q1": over} if over else {})


def test_a_lifetime_that_ends_in_an_hour_to_the_microsecond_is_within_it(lab: Lab) -> None:
    lab.local("Q1")
    lab.put("Q1", expiry_tenths=36_000)
    assert lab.mq.insight.lifetimes("Q1")[3] == 1


def test_who_is_alive_is_counted_to_the_microsecond(lab: Lab) -> None:
    lab.local("Q1")
    span = lab.mq.manager.queues["Q1"].span
    end_us = lab.mq.now_us() + 1_000_000
    lab.put("Q1", expiry_tenths=10)
    store = lab.mq.manager.store
    assert [messages.count_alive(store, span, end_us + n) for n in (-1, 0)] == [1, 0]


def test_due_times_are_counted_to_the_microsecond(lab: Lab) -> None:
    lab.local("Q1")
    begun_us = lab.mq.now_us()
    lab.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    for delay_ms in (60_000, 60_001, 3_600_000, 3_600_001):
        lab.send("Q1", delay_ms)
    load = lab.mq.insight.staging_load()
    assert (load.next_due_us, load.overdue, load.due_minute, load.due_hour) == (
        begun_us + 60_000_000, 0, 1, 3,
    )  # fmt: skip
    move_clock(lab.mq.manager, 60_000_000)
    load = lab.mq.insight.staging_load()
    assert (load.next_due_us, load.oldest_due_us) == (begun_us + 60_001_000, begun_us + 60_000_000)
    assert (load.due_minute, load.due_hour) == (1, 3)
    move_clock(lab.mq.manager, OVERDUE_AFTER_US - 1)
    assert lab.mq.insight.staging_load().overdue == 0
    move_clock(lab.mq.manager, 1)
    assert lab.mq.insight.staging_load().overdue == 1


def test_poison_is_counted_from_the_threshold_on_and_while_it_lives(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(expiry_tenths=10), b"x")
    for _ in range(2):
        queue.get(cmqc.MQGMO_SYNCPOINT)
        lab.mq.backout()
    assert [lab.mq.insight.poison_count("Q1", threshold) for threshold in (1, 2, 3)] == [1, 1, 0]
    move_clock(lab.mq.manager, 999_999)
    assert lab.mq.insight.poison_count("Q1", 2) == 1
    move_clock(lab.mq.manager, 1)
    assert lab.mq.insight.poison_count("Q1", 2) == 0


def test_an_event_is_due_at_its_moment_and_not_before(lab: Lab) -> None:
    lab.local("Q1")
    manager = lab.mq.manager
    begun_us = lab.mq.now_us()
    lab.send("Q1", DELAY_MS)
    at = [begun_us + DELAY_MS * 1000 + span_us for span_us in (-1, 0)]
    assert [is_timed_event_due(manager, moment_us) for moment_us in at] == [False, True]
    lab.advance(1)
    lab.put("Q1", expiry_tenths=1)
    scan_us = next_scan_us(manager, manager.look())
    assert scan_us is not None
    assert [is_timed_event_due(manager, scan_us + n) for n in (-1, 0)] == [False, True]


@pytest.mark.parametrize(("span_us", "gone"), [(999_999, 0), (1_000_000, 1)])
def test_the_expirer_takes_what_has_expired_to_the_microsecond(
    lab: Lab, span_us: int, gone: int
) -> None:
    lab.local("Q1")
    lab.put("Q1", expiry_tenths=10)
    move_clock(lab.mq.manager, span_us)
    assert expirer.scan_all(lab.mq.manager) == gone
    assert lab.depth("Q1") == 1 - gone


@pytest.mark.seed("DD-96")
@pytest.mark.parametrize(("span_us", "depth"), [(99_999_999, 1), (100_000_000, 0)])
def test_a_lifetime_that_ends_between_two_tries_is_over_at_the_first_look(
    lab: Lab, span_us: int, depth: int
) -> None:
    """Though no try is made at that moment: the tries that cannot work are left out."""
    lab.local("Q1")
    lab.send("Q1", DELAY_MS, expiry_tenths=1_000)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 0})
    manager = lab.mq.manager
    move_clock(manager, span_us)
    manager.look()
    assert counters.depth(manager.store, manager.queues[STAGING].id) == depth


@pytest.mark.seed("DD-05")
def test_a_subscription_that_ends_later_hurries_no_delivery(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "Q1", "EXPIRY": 600})
    for delay_ms in (DELAY_MS, 10 * DELAY_MS):
        lab.send("Q1", delay_ms)
    lab.advance(1)
    assert (lab.depth(STAGING), lab.depth("Q1")) == (1, 1)


@pytest.mark.seed("DD-17")
def test_the_first_level_with_a_delay_processor_delivers(tmp_path: Path) -> None:
    lab = Lab(tmp_path, version="8.0")
    queue = lab.local("Q1")
    lab.send("Q1", DELAY_MS)
    lab.advance(1)
    assert queue.get().body == b"x"
    lab.close()


# lengths ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", ["queue", "queue-manager"])
@pytest.mark.parametrize(("more", "works"), [(0, True), (1, False)])
def test_a_staged_message_may_be_as_long_as_the_staging_queue_says_with_its_header(
    lab: Lab, most: str, more: int, works: bool
) -> None:
    lab.local("Q1", MAXMSGL=100_000)
    lab.send("Q1", DELAY_MS, b"")
    header = next(iter(lab.open(STAGING, cmqc.MQOO_BROWSE).browse())).length_bytes
    if most == "queue":
        lab.mq.alter("QLOCAL", STAGING, {"MAXMSGL": header + 40_000})
        reason = cmqc.MQRC_MSG_TOO_BIG_FOR_Q
    else:
        lab.mq.alter("QMGR", "", {"MAXMSGL": header + 40_000})
        reason = cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR
    with ends_with(0 if works else reason):
        lab.send("Q1", DELAY_MS, b"x" * (40_000 + more))


def test_what_the_staging_queue_would_take_to_its_last_byte_is_too_long_for_the_queue_manager(
    lab: Lab,
) -> None:
    lab.local("Q1", MAXMSGL=100_000)
    lab.send("Q1", DELAY_MS, b"")
    header = next(iter(lab.open(STAGING, cmqc.MQOO_BROWSE).browse())).length_bytes
    lab.mq.alter("QLOCAL", STAGING, {"MAXMSGL": header + 40_001})
    lab.mq.alter("QMGR", "", {"MAXMSGL": header + 40_000})
    with ends_with(cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR):
        lab.send("Q1", DELAY_MS, b"x" * 40_001)


@pytest.mark.parametrize(("length", "works"), [(32_768, True), (32_769, False)])
def test_a_message_may_be_as_long_as_the_queue_manager_says(
    lab: Lab, length: int, works: bool
) -> None:
    lab.local("Q1", MAXMSGL=100_000)
    lab.mq.alter("QMGR", "", {"MAXMSGL": 32_768})
    with ends_with(0 if works else cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR):
        lab.put("Q1", b"x" * length)


@pytest.mark.parametrize(("length", "parts"), [(32, 1), (33, 2), (64, 2)])
def test_what_fits_is_not_cut_into_segments(lab: Lab, length: int, parts: int) -> None:
    queue = lab.local("Q1", MAXMSGL=32)
    put = queue.put(message(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED), b"x" * length)
    assert lab.depth("Q1") == parts
    assert (put.msg_flags, put.original_length) == (cmqc.MQMF_SEGMENTATION_ALLOWED, -1)


def test_one_message_beside_a_unit_of_work_may_be_put_outside_it(lab: Lab) -> None:
    queue = lab.local("Q1", MAXMSGL=32)
    queue.put(message(), b"held", cmqc.MQPMO_SYNCPOINT)
    queue.put(message(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED), b"x" * 32)
    with pytest.raises(MQIError) as error:
        queue.put(message(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED), b"x" * 33)
    assert error.value.reason == cmqc.MQRC_UOW_NOT_AVAILABLE


@pytest.mark.parametrize(("more", "works"), [(0, True), (1, False)])
def test_a_selection_string_has_10240_bytes_at_most(lab: Lab, more: int, works: bool) -> None:
    lab.local("Q1")
    text = "Root.MQMD.Priority = 0".ljust(10_240 + more)
    with nullcontext() if works else pytest.raises(MQIError, match="10240"):
        lab.mq.open("Q1", cmqc.MQOO_BROWSE, selector=text)


# numbers of groups, segments and switches ---------------------------------------------------------

LAST: Final = 999_999_999
IN_GROUP: Final = {"group_id": b"G" * 24, "msg_flags": cmqc.MQMF_MSG_IN_GROUP}
SEGMENT: Final = {"group_id": b"G" * 24, "msg_flags": cmqc.MQMF_SEGMENT}


@pytest.mark.parametrize(
    ("fields", "length", "reason"),
    [
        ({**IN_GROUP, "msg_seq_number": 1}, 1, 0),
        ({**IN_GROUP, "msg_seq_number": 0}, 1, cmqc.MQRC_MSG_SEQ_NUMBER_ERROR),
        ({**IN_GROUP, "msg_seq_number": LAST}, 1, 0),
        ({**IN_GROUP, "msg_seq_number": LAST + 1}, 1, cmqc.MQRC_MSG_SEQ_NUMBER_ERROR),
        ({**SEGMENT, "offset": LAST - 2}, 2, 0),
        ({**SEGMENT, "offset": LAST - 1}, 2, cmqc.MQRC_OFFSET_ERROR),
        ({**SEGMENT, "offset": -1}, 2, cmqc.MQRC_OFFSET_ERROR),
        ({**IN_GROUP, "offset": LAST}, 1, 0),
        ({**IN_GROUP, "offset": LAST + 1}, 1, cmqc.MQRC_OFFSET_ERROR),
        ({**SEGMENT, "msg_type": cmqc.MQMT_REPORT, "original_length": 2}, 2, 0),
        ({**SEGMENT, "msg_type": cmqc.MQMT_REPORT, "original_length": 1}, 2,
         cmqc.MQRC_ORIGINAL_LENGTH_ERROR),
        ({**SEGMENT, "msg_type": cmqc.MQMT_REPORT, "original_length": 1}, 0, 0),
        ({**SEGMENT, "msg_type": cmqc.MQMT_REPORT, "original_length": 0}, 0,
         cmqc.MQRC_ORIGINAL_LENGTH_ERROR),
    ],
)  # fmt: skip
def test_numbers_of_groups_and_segments_end_at_999_999_999(
    lab: Lab, fields: dict[str, object], length: int, reason: int
) -> None:
    queue = lab.local("Q1")
    with ends_with(reason):
        queue.put(message(**fields), b"x" * length)


@pytest.mark.parametrize("given", [1, 2], ids=["said", "as-the-queue-says"])
def test_a_group_may_say_its_persistence_or_leave_it_to_the_queue(lab: Lab, given: int) -> None:
    """Both in one group are one persistence where the queue says the same."""
    queue = lab.local("Q1", DEFPSIST="YES")
    for flags, persistence in ((cmqc.MQMF_MSG_IN_GROUP, 1), (cmqc.MQMF_LAST_MSG_IN_GROUP, given)):
        queue.put(message(msg_flags=flags, persistence=persistence), b"", cmqc.MQPMO_LOGICAL_ORDER)
    assert [m.md.persistence for m in queue.browse()] == [1, 1]


@pytest.mark.parametrize(
    ("value", "works"),
    [("1", True), ("0", False), ("99999999", True), ("100000000", False), ("0000000001", False)],
)
def test_a_switch_takes_the_first_and_the_last_number_of_its_range(
    lab: Lab, value: str, works: bool
) -> None:
    with nullcontext() if works else pytest.raises(UsageError, match="allowed"):
        lab.switch(DELAY_RETRY, value)


def test_a_switch_that_has_words_alone_takes_no_number(lab: Lab) -> None:
    for value in ("0", "1"):
        with pytest.raises(UsageError, match="allowed"):
            lab.switch("authority", value)


@pytest.mark.seed("EX-60", "EX-61")
@pytest.mark.parametrize(("cut", "left_tenths"), [(0, 1), (1, None)], ids=["whole", "cut"])
def test_the_inner_lifetime_is_taken_down_where_the_last_byte_of_it_is_there(
    lab: Lab, cut: int, left_tenths: int | None
) -> None:
    lab.switch("xmitq_expiry_check", "none")
    queue = lab.local("X", USAGE="XMITQ")
    header = b"XQH " + bytes(EMBEDDED_EXPIRY_OFFSET - 4)
    body = header + (11).to_bytes(4, "little")
    queue.put(message(format="MQXMIT"), body[: len(body) - cut])
    lab.advance(1)
    got = queue.get().body
    assert got == (body[:-cut] if left_tenths is None else header + bytes((left_tenths, 0, 0, 0)))
