"""Browsing: the cursor, the lock, and the walk over a whole queue."""

from __future__ import annotations

import pytest

from mqtriage.backends.port import Match
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from tests.unit.emulator.conftest import ALL, Lab, message, nothing_on, unlock


def test_next_right_after_open_is_the_first(lab: Lab) -> None:
    queue = lab.local("Q1")
    for body in (b"1", b"2"):
        queue.put(message(), body)
    assert [queue.get(cmqc.MQGMO_BROWSE_NEXT).body for _ in range(2)] == [b"1", b"2"]
    with pytest.raises(NoMessageAvailable):
        queue.get(cmqc.MQGMO_BROWSE_NEXT)
    assert queue.get(cmqc.MQGMO_BROWSE_FIRST).body == b"1"
    assert lab.depth("Q1") == 2


def test_the_cursor_stays_at_the_end_and_sees_what_arrives(lab: Lab) -> None:
    queue = lab.local("Q1", MSGDLVSQ="FIFO")
    queue.put(message(), b"1")
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    with pytest.raises(NoMessageAvailable):
        queue.get(cmqc.MQGMO_BROWSE_NEXT)
    queue.put(message(), b"2")
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT).body == b"2"


def test_what_arrives_after_the_queue_was_emptied_is_still_after_the_cursor(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"1")
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    queue.get()
    queue.put(message(), b"2")
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT).body == b"2"


def test_a_higher_priority_that_arrives_behind_the_cursor_needs_browse_first(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(priority=5), b"5")
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    queue.put(message(priority=9), b"9")
    queue.put(message(priority=5), b"5b")
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT).body == b"5b"
    assert queue.get(cmqc.MQGMO_BROWSE_FIRST).body == b"9"


def test_under_cursor_reads_again_and_takes(lab: Lab) -> None:
    queue = lab.local("Q1")
    for body in (b"1", b"2", b"3"):
        queue.put(message(), body)
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    assert queue.get(cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR).body == b"2"
    assert queue.get(cmqc.MQGMO_MSG_UNDER_CURSOR).body == b"2"
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT).body == b"3"
    assert lab.bodies("Q1") == [b"1", b"3"]


def test_nothing_under_the_cursor_is_2034(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"1")
    with pytest.raises(MQIError) as error:
        queue.get(cmqc.MQGMO_MSG_UNDER_CURSOR)
    assert error.value.reason == cmqc.MQRC_NO_MSG_UNDER_CURSOR
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    lab.connect().open("Q1", ALL).get()
    for options in (cmqc.MQGMO_MSG_UNDER_CURSOR, cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        with pytest.raises(MQIError) as error:
            queue.get(options)
        assert error.value.reason == cmqc.MQRC_NO_MSG_UNDER_CURSOR


def test_a_locked_message_is_hidden_from_others_until_the_cursor_moves(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"1")
    queue.put(message(), b"2")
    other = lab.connect().open("Q1", ALL)
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK).body == b"1"
    assert other.get(cmqc.MQGMO_BROWSE_FIRST).body == b"2"
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK).body == b"2"
    assert other.get().body == b"1"
    assert nothing_on(other)


def test_a_lock_ends_with_its_handle(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"1")
    queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK)
    queue.close()
    assert lab.get("Q1").body == b"1"


def test_the_locked_message_is_taken_under_syncpoint_by_its_handle(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"1")
    queue.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK)
    assert queue.get(cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT).body == b"1"
    lab.mq.backout()
    assert lab.connect().open("Q1", ALL).get().md.backout_count == 1


def test_unlock_without_a_lock_is_2209(lab: Lab) -> None:
    with pytest.raises(MQIError) as error:
        unlock(lab.local("Q1"))
    assert error.value.reason == cmqc.MQRC_NO_MSG_LOCKED


@pytest.mark.parametrize(
    "options",
    [
        cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT,
        cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_SYNCPOINT,
        cmqc.MQGMO_LOCK,
        cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_MSG_UNDER_CURSOR,
    ],
)
def test_options_that_contradict_each_other_are_2046(lab: Lab, options: int) -> None:
    with pytest.raises(MQIError) as error:
        lab.local("Q1").get(options)
    assert error.value.reason == cmqc.MQRC_OPTIONS_ERROR


def test_a_walk_shows_all_in_order_and_leaves_them(lab: Lab) -> None:
    queue = lab.local("Q1")
    for number in range(450):
        queue.put(message(priority=number % 3), str(number).encode())
    expected = sorted(range(450), key=lambda n: (-(n % 3), n))
    assert [int(m.body) for m in queue.browse()] == expected
    assert lab.depth("Q1") == 450


def test_a_walk_goes_on_while_others_take_and_put(lab: Lab) -> None:
    queue = lab.local("Q1", MSGDLVSQ="FIFO")
    for number in range(300):
        queue.put(message(), str(number).encode())
    seen = []
    for browsed in lab.open("Q1", cmqc.MQOO_BROWSE).browse():
        seen.append(int(browsed.body))
        if len(seen) == 10:
            for _ in range(290):
                queue.get()
            queue.put(message(), b"1000")
    assert seen[:10] == list(range(10))
    assert seen[-1] == 1000
    assert seen == sorted(set(seen))


def test_a_walk_with_a_match_goes_by_the_index(lab: Lab) -> None:
    queue = lab.local("Q1")
    correl_id = b"w" * 24
    for number in range(50):
        queue.put(message(correl_id=correl_id if number % 10 == 3 else bytes(24)), b"%d" % number)
    assert [m.body for m in queue.browse(Match(correl_id=correl_id))] == [
        b"3", b"13", b"23", b"33", b"43",
    ]  # fmt: skip


def test_an_empty_message_is_browsed_whatever_length_is_asked_for(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"")
    assert [m.body for m in queue.browse(max_length=4096)] == [b""]
    assert queue.get(cmqc.MQGMO_BROWSE_NEXT, max_length=10).body == b""
    assert queue.get(max_length=10).length_bytes == 0
