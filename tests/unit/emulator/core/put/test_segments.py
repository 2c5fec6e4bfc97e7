"""Logical messages in segments: cut by the queue manager, put together by MQGMO_COMPLETE_MSG."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend, EmulatedHandle
from mqtriage.backends.port import Match
from mqtriage.emulator.core.get.get import get
from mqtriage.emulator.core.get.rows import MatchOptions
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from tests.unit.emulator.conftest import Lab, message, unlock

A, B = b"a" * 24, b"b" * 24
WHOLE = cmqc.MQGMO_COMPLETE_MSG
LONG = bytes(range(256)) * 2


def segment(
    queue: EmulatedHandle, offset: int, body: bytes, *, last: bool = False, **fields: Any
) -> None:
    flags = cmqc.MQMF_SEGMENT | (cmqc.MQMF_LAST_SEGMENT if last else 0) | fields.pop("msg_flags", 0)
    queue.put(message(**{"group_id": A, "msg_flags": flags, "offset": offset, **fields}), body)


def segments(queue: EmulatedHandle, *parts: bytes, **fields: Any) -> None:
    offset = 0
    for number, part in enumerate(parts, 1):
        segment(queue, offset, part, last=number == len(parts), **fields)
        offset += len(part)


def reason_of(queue: EmulatedHandle, options: int, match: Match | None = None) -> int:
    with pytest.raises(MQIError) as error:
        queue.get(options, match or Match())
    return error.value.reason


# -- put together ---------------------------------------------------------------------------------


def test_a_get_puts_the_message_together_wherever_its_segments_stand(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 6, b"end", last=True)
    queue.put(message(), b"other")
    segment(queue, 3, b"two")
    segment(queue, 0, b"one")
    assert [queue.get(WHOLE).body for _ in range(2)] == [b"other", b"onetwoend"]
    assert lab.depth("Q1") == 0


def test_a_message_that_lacks_a_segment_is_not_there_until_it_comes(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one")
    segment(queue, 6, b"end", last=True)
    for options in (WHOLE, WHOLE | cmqc.MQGMO_BROWSE_FIRST, cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE):
        with pytest.raises(NoMessageAvailable):
            queue.get(options)
    assert lab.depth("Q1") == 2
    segment(queue, 3, b"two")
    assert queue.get(WHOLE | cmqc.MQGMO_WAIT, wait_ms=0).body == b"onetwoend"


def test_a_segment_that_expired_makes_the_message_incomplete(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one")
    segment(queue, 3, b"two", last=True, expiry_tenths=50)
    assert queue.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST).body == b"onetwo"
    lab.advance(6)
    with pytest.raises(NoMessageAvailable):
        queue.get(WHOLE)
    assert lab.depth("Q1") == 1  # what had expired was met, and discarded


def test_an_uncommitted_segment_is_not_there_for_others(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one")
    md = message(group_id=A, msg_flags=cmqc.MQMF_LAST_SEGMENT, offset=3)
    queue.put(md, b"two", cmqc.MQPMO_SYNCPOINT)
    other = lab.connect().open("Q1", 2)
    with pytest.raises(NoMessageAvailable):
        other.get(WHOLE)
    assert queue.get(WHOLE | cmqc.MQGMO_SYNCPOINT).body == b"onetwo"  # its own unit of work sees it


def test_a_backout_gives_back_every_segment_with_its_count_raised(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", b"end")
    assert queue.get(WHOLE | cmqc.MQGMO_SYNCPOINT).body == b"onetwoend"
    lab.mq.backout()
    assert [part.md.backout_count for part in queue.browse()] == [1, 1, 1]
    assert queue.get(WHOLE).md.backout_count == 1


def test_a_segment_is_got_by_its_offset(lab: Lab) -> None:
    segments(lab.local("Q1"), b"a" * 300, b"b" * 300, b"c")
    handle = lab.mq.connection.open("Q1", cmqc.MQOO_INPUT_SHARED)
    for offset, first in ((300, b"b"), (600, b"c"), (0, b"a")):
        with pytest.raises(NoMessageAvailable):
            get(lab.mq.connection, handle, 0, MatchOptions(offset=offset + 1))
        assert get(lab.mq.connection, handle, 0, MatchOptions(offset=offset)).body[:1] == first
    assert lab.depth("Q1") == 0


def test_each_segment_counts_in_maxumsgs(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", b"end")
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 2})
    assert reason_of(queue, WHOLE | cmqc.MQGMO_SYNCPOINT) == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    assert lab.depth("Q1") == 3


def test_outside_a_unit_of_work_that_is_open_no_persistent_message_is_put_together(
    lab: Lab,
) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", persistence=cmqc.MQPER_PERSISTENT)
    lab.local("Q2").put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert reason_of(queue, WHOLE) == cmqc.MQRC_UOW_NOT_AVAILABLE
    assert queue.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST).body == b"onetwo"
    assert queue.get(WHOLE | cmqc.MQGMO_SYNCPOINT).body == b"onetwo"


def test_a_message_that_is_not_persistent_needs_no_unit_of_work(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", persistence=cmqc.MQPER_NOT_PERSISTENT)
    lab.local("Q2").put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert queue.get(WHOLE).body == b"onetwo"


def test_a_browse_passes_from_whole_message_to_whole_message(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"a1", b"a2")
    queue.put(message(), b"other")
    segments(queue, b"b1", b"b2", group_id=B)
    options = WHOLE | cmqc.MQGMO_BROWSE_NEXT
    assert [queue.get(options).body for _ in range(3)] == [b"a1a2", b"other", b"b1b2"]
    with pytest.raises(NoMessageAvailable):
        queue.get(options)
    assert queue.get(WHOLE | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR).body == b"b1b2"
    assert queue.get(WHOLE | cmqc.MQGMO_MSG_UNDER_CURSOR).body == b"b1b2"
    assert lab.depth("Q1") == 3


def test_a_browse_that_is_cut_tells_the_length_of_the_whole(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    browsed = queue.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST, max_length=4)
    assert (browsed.body, browsed.length_bytes) == (b"onet", 6)


def test_only_a_first_segment_under_the_cursor_stands_for_the_message(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    queue.get(cmqc.MQGMO_BROWSE_FIRST)
    queue.get(cmqc.MQGMO_BROWSE_NEXT)
    for options in (cmqc.MQGMO_MSG_UNDER_CURSOR, cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        assert reason_of(queue, WHOLE | options) == cmqc.MQRC_INVALID_MSG_UNDER_CURSOR


def test_the_message_under_the_cursor_is_not_there_without_its_segments(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    queue.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST)
    lab.connect().open("Q1", 2).get(0, Match(msg_id=list(queue.browse())[1].md.msg_id))
    for options in (cmqc.MQGMO_MSG_UNDER_CURSOR, cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        assert reason_of(queue, WHOLE | options) == cmqc.MQRC_NO_MSG_UNDER_CURSOR


def test_a_lock_is_on_every_segment(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    other = lab.connect().open("Q1", 2)
    queue.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK)
    with pytest.raises(NoMessageAvailable):
        other.get()
    unlock(queue)
    assert other.get().body == b"one"


def test_by_an_id_the_message_is_found_of_which_the_first_segment_has_it(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"a1", b"a2")
    segments(queue, b"b1", b"b2", group_id=B, correl_id=B)
    first, second = (part.md.msg_id for part in list(queue.browse())[2:])
    with pytest.raises(NoMessageAvailable):
        queue.get(WHOLE, Match(msg_id=second))
    options = WHOLE | cmqc.MQGMO_BROWSE_FIRST
    for match in (Match(msg_id=first), Match(correl_id=B), Match(group_id=B)):
        assert queue.get(options, match).body == b"b1b2"


def test_a_whole_message_has_no_offset_to_match_and_no_syncpoint_by_persistence(lab: Lab) -> None:
    queue = lab.local("Q1")
    either = WHOLE | cmqc.MQGMO_SYNCPOINT_IF_PERSISTENT
    assert reason_of(queue, either) == cmqc.MQRC_OPTIONS_ERROR


def test_a_get_that_waits_wakes_when_the_last_of_it_comes(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one")

    def put_the_rest() -> None:
        other = EmulatedBackend(open_manager(lab.path), user="tester", application="other")
        md = message(group_id=A, msg_flags=cmqc.MQMF_LAST_SEGMENT, offset=3)
        other.put1("Q1", md, b"two")
        other.disconnect()

    thread = threading.Timer(0.05, put_the_rest)
    thread.start()
    assert queue.get(WHOLE | cmqc.MQGMO_WAIT, wait_ms=5000).body == b"onetwo"
    thread.join()


@pytest.mark.parametrize("seed", range(5))
def test_in_whatever_order_segments_come_every_message_comes_out_whole(lab: Lab, seed: int) -> None:
    queue = lab.local("Q1")
    dice = random.Random(seed)
    expected: list[bytes] = []
    waiting: list[tuple[int, bytes, dict[str, Any]]] = []
    for number in range(6):
        parts = [dice.randbytes(dice.randint(1, 9)) for _ in range(dice.randint(1, 5))]
        group, offset = bytes([number + 1]) * 24, 0
        for nth, part in enumerate(parts, 1):
            fields: dict[str, Any] = {"group_id": group, "last": nth == len(parts)}
            waiting.append((offset, part, fields))
            offset += len(part)
        expected.append(b"".join(parts))
    dice.shuffle(waiting)
    bodies = []
    for offset, part, fields in waiting:
        segment(queue, offset, part, **fields)
        with suppress(NoMessageAvailable):  # in the middle of it, too
            bodies.append(queue.get(WHOLE).body)
    assert sorted(bodies) == sorted(expected)
    assert lab.depth("Q1") == 0


def test_programs_that_share_a_queue_take_each_message_once(lab: Lab) -> None:
    queue = lab.local("Q1")
    for number in range(1, 21):
        segments(queue, bytes([number]), b"b", b"c", group_id=bytes([number]) * 24, persistence=0)
    taken: list[list[int]] = [[], []]

    def take_all(mine: list[int]) -> None:
        backend = EmulatedBackend(open_manager(lab.path), user="tester", application="other")
        handle = backend.open("Q1", 2)
        with suppress(NoMessageAvailable):
            while True:
                body = handle.get(WHOLE | cmqc.MQGMO_SYNCPOINT).body
                assert body[1:] == b"bc"
                mine.append(body[0])
                backend.commit()
        backend.disconnect()

    threads = [threading.Thread(target=take_all, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken[0] + taken[1]) == list(range(1, 21))
    assert lab.depth("Q1") == 0


def test_a_selection_string_is_held_against_the_first_segment(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"a1", b"a2")
    segment(queue, 0, b"b1", group_id=B, priority=7)
    segment(queue, 2, b"b2", group_id=B, last=True)
    chosen = lab.mq.open("Q1", 2 | 8, selector="Root.MQMD.Priority = 7")
    assert chosen.get(WHOLE | cmqc.MQGMO_BROWSE_FIRST).body == b"b1b2"
    assert chosen.get(WHOLE).body == b"b1b2"
    with pytest.raises(NoMessageAvailable):
        chosen.get(WHOLE)


def test_a_group_of_messages_in_segments_is_got_in_logical_order(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"3.1", b"3.2", msg_seq_number=2, msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP)
    options = WHOLE | cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_ALL_MSGS_AVAILABLE
    segment(queue, 0, b"1.1", msg_flags=cmqc.MQMF_MSG_IN_GROUP)
    with pytest.raises(NoMessageAvailable):
        queue.get(options)
    segment(queue, 3, b"1.2", last=True, msg_flags=cmqc.MQMF_MSG_IN_GROUP)
    messages = [queue.get(options) for _ in range(2)]
    assert [m.body for m in messages] == [b"1.11.2", b"3.13.2"]
    assert [m.md.msg_seq_number for m in messages] == [1, 2]


def test_logical_order_goes_through_segments_one_by_one(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 3, b"1.2", last=True, msg_flags=cmqc.MQMF_MSG_IN_GROUP)
    last = {"msg_seq_number": 2, "msg_flags": cmqc.MQMF_LAST_MSG_IN_GROUP}
    segments(queue, b"2.1", b"2.2", **last)
    segment(queue, 0, b"1.1", msg_flags=cmqc.MQMF_MSG_IN_GROUP)
    queue.put(message(), b"alone")
    expected = [b"1.1", b"1.2", b"2.1", b"2.2", b"alone"]
    options = cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_BROWSE_NEXT
    assert [queue.get(options).body for _ in range(5)] == expected
    assert [queue.get(cmqc.MQGMO_LOGICAL_ORDER).body for _ in range(5)] == expected


def test_logical_order_left_in_the_middle_is_a_warning_once(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", b"end")
    queue.get(cmqc.MQGMO_LOGICAL_ORDER)
    warnings = [queue.get().warning for _ in range(2)]
    assert warnings == [cmqc.MQRC_INCOMPLETE_MSG, 0]
    for number in (1, 2, 3):
        flags = cmqc.MQMF_LAST_MSG_IN_GROUP if number == 3 else cmqc.MQMF_MSG_IN_GROUP
        queue.put(message(group_id=B, msg_seq_number=number, msg_flags=flags), b"")
    queue.get(cmqc.MQGMO_LOGICAL_ORDER)
    assert [queue.get().warning for _ in range(2)] == [cmqc.MQRC_INCOMPLETE_GROUP, 0]


@pytest.mark.parametrize(
    "match",
    [
        pytest.param(Match(group_id=B), id="another-group"),
        pytest.param(Match(msg_id=B), id="another-message"),
    ],
)
def test_inside_a_message_match_options_must_fit_the_next_segment(lab: Lab, match: Match) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    queue.put(message(msg_id=B), b"")
    queue.get(cmqc.MQGMO_LOGICAL_ORDER)
    assert reason_of(queue, cmqc.MQGMO_LOGICAL_ORDER, match) == cmqc.MQRC_MATCH_OPTIONS_ERROR
    assert queue.get(cmqc.MQGMO_LOGICAL_ORDER, Match(group_id=A)).body == b"two"


def test_what_is_written_in_another_code_page_is_left_for_gets_one_by_one(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one", ccsid=819)
    segment(queue, 3, b"two", ccsid=819)
    segment(queue, 6, b"end", ccsid=1208, last=True)
    assembled = queue.get(WHOLE | cmqc.MQGMO_LOGICAL_ORDER)
    assert (assembled.body, assembled.warning) == (b"onetwo", cmqc.MQRC_INCONSISTENT_CCSIDS)
    rest = queue.get(cmqc.MQGMO_LOGICAL_ORDER)
    assert (rest.body, rest.warning) == (b"end", 0)


# -- cut by the queue manager ---------------------------------------------------------------------


def allowed(**fields: Any) -> Mapping[str, Any]:
    return {"msg_flags": cmqc.MQMF_SEGMENTATION_ALLOWED, **fields}


@pytest.mark.parametrize(
    "of_queue", [pytest.param(True, id="queue"), pytest.param(False, id="qmgr")]
)
def test_a_message_that_is_too_long_is_cut_and_comes_together_again(
    lab: Lab, of_queue: bool
) -> None:
    queue = lab.local("Q1", MAXMSGL=100 if of_queue else 100_000)
    data = LONG if of_queue else LONG * 100
    if not of_queue:
        lab.mq.alter("QMGR", "", {"MAXMSGL": 32768})
    put = queue.put(message(**allowed()), data)
    assert put.msg_flags == cmqc.MQMF_SEGMENTATION_ALLOWED
    stored = [part.md for part in queue.browse()]
    assert len(stored) > 1
    assert {md.group_id for md in stored} == {put.group_id} != {bytes(24)}
    assert len({md.msg_id for md in stored}) == len(stored)
    assert stored[0].msg_id == put.msg_id
    assert queue.get(WHOLE).body == data


def test_without_leave_to_cut_it_a_message_is_too_big(lab: Lab) -> None:
    queue = lab.local("Q1", MAXMSGL=100)
    with pytest.raises(MQIError) as error:
        queue.put(message(), LONG)
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


def test_what_cannot_be_cut_so_small_is_too_big(lab: Lab) -> None:
    queue = lab.local("Q1", MAXMSGL=15)
    with pytest.raises(MQIError) as error:
        queue.put(message(**allowed()), LONG)
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q
    assert lab.depth("Q1") == 0


def test_mqput1_cuts_too_and_a_full_queue_keeps_none_of_it(lab: Lab) -> None:
    queue = lab.local("Q1", MAXMSGL=100, MAXDEPTH=5)
    with pytest.raises(MQIError) as error:
        lab.mq.put1("Q1", message(**allowed()), LONG)
    assert error.value.reason == cmqc.MQRC_Q_FULL
    assert lab.depth("Q1") == 0
    lab.mq.put1("Q1", message(**allowed()), LONG[:400])
    assert queue.get(WHOLE).body == LONG[:400]


def test_in_a_unit_of_work_the_segments_are_part_of_it(lab: Lab) -> None:
    queue = lab.local("Q1", MAXMSGL=100)
    queue.put(message(**allowed()), LONG, cmqc.MQPMO_SYNCPOINT)
    assert lab.depth("Q1") == 6
    lab.mq.backout()
    assert lab.depth("Q1") == 0


@pytest.mark.parametrize("length", [101, 512])
def test_outside_an_open_unit_of_work_no_persistent_message_is_cut(lab: Lab, length: int) -> None:

    queue = lab.local("Q1", MAXMSGL=100)
    lab.local("Q2").put(message(), b"", cmqc.MQPMO_SYNCPOINT)
    md = message(**allowed(persistence=cmqc.MQPER_PERSISTENT))
    with pytest.raises(MQIError) as error:
        queue.put(md, LONG[:length])
    assert error.value.reason == cmqc.MQRC_UOW_NOT_AVAILABLE
    queue.put(message(**allowed(persistence=cmqc.MQPER_PERSISTENT)), b"short enough")
    queue.put(message(**allowed(persistence=cmqc.MQPER_NOT_PERSISTENT)), LONG)
    assert lab.depth("Q1") == 7


def test_zos_cuts_nothing(zos: Lab) -> None:
    queue = zos.local("Q1", MAXMSGL=100)
    with pytest.raises(MQIError) as error:
        queue.put(message(**allowed()), LONG, 4)
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


# -- reports --------------------------------------------------------------------------------------


def test_a_whole_get_confirms_delivery_once_gets_one_by_one_each(lab: Lab) -> None:
    queue, replies = lab.local("Q1", MAXMSGL=100), lab.local("R1")
    asks = allowed(report=cmqc.MQRO_COD_WITH_DATA, reply_to_q="R1")
    queue.put(message(**asks), LONG)
    queue.get(WHOLE)
    (report,) = replies.browse()
    assert report.body == LONG[:100]
    queue.put(message(**asks), LONG)
    for _ in range(6):
        queue.get()
    assert lab.depth("R1") == 7


def test_reports_about_segments_are_put_together_by_their_kind(lab: Lab) -> None:
    queue, replies = lab.local("Q1", MAXMSGL=100), lab.local("R1")
    asks = allowed(report=cmqc.MQRO_COA | cmqc.MQRO_COD_WITH_DATA, reply_to_q="R1")
    put = queue.put(message(**asks), LONG)
    with pytest.raises(NoMessageAvailable):
        lab.connect().open("Q1", 2).get(WHOLE, Match(group_id=B))
    for _ in range(6):
        queue.get()
    assert lab.depth("R1") == 12
    arrived, delivered = (replies.get(WHOLE) for _ in range(2))
    assert [arrived.md.feedback, delivered.md.feedback] == [cmqc.MQFB_COA, cmqc.MQFB_COD]
    assert arrived.md.group_id == put.group_id
    assert arrived.body == bytes(len(LONG))
    assert delivered.body[:100] == LONG[:100]
    assert (len(delivered.body), lab.depth("R1")) == (len(LONG), 0)


# -- puts in logical order ------------------------------------------------------------------------


def test_a_group_is_all_persistent_or_all_not(lab: Lab) -> None:
    queue = lab.local("Q1")
    first = message(msg_flags=cmqc.MQMF_MSG_IN_GROUP, persistence=cmqc.MQPER_PERSISTENT)
    queue.put(first, b"", cmqc.MQPMO_LOGICAL_ORDER)
    with pytest.raises(MQIError) as error:
        queue.put(
            first._replace(persistence=cmqc.MQPER_NOT_PERSISTENT), b"", cmqc.MQPMO_LOGICAL_ORDER
        )
    assert error.value.reason == cmqc.MQRC_INCONSISTENT_PERSISTENCE
    queue.put(first, b"", cmqc.MQPMO_LOGICAL_ORDER)


def test_all_segments_are_of_the_last_message_or_none(lab: Lab) -> None:
    queue = lab.local("Q1")
    first = message(msg_flags=cmqc.MQMF_SEGMENT | cmqc.MQMF_MSG_IN_GROUP)
    queue.put(first, b"1", cmqc.MQPMO_LOGICAL_ORDER)
    with pytest.raises(MQIError) as error:
        last = first._replace(msg_flags=cmqc.MQMF_SEGMENT | cmqc.MQMF_LAST_MSG_IN_GROUP)
        queue.put(last, b"2", cmqc.MQPMO_LOGICAL_ORDER)
    assert error.value.reason == cmqc.MQRC_INCOMPLETE_MSG


def test_without_flags_a_message_is_in_no_group_whatever_its_fields_say(lab: Lab) -> None:
    queue = lab.local("Q1")
    put = queue.put(message(group_id=A, msg_seq_number=7, offset=5, original_length=9), b"")
    received = queue.get().md
    for md in (put, received):
        assert (md.group_id, md.msg_seq_number, md.offset) == (bytes(24), 1, 0)
        assert md.original_length == -1


def test_a_segment_says_its_length_unless_it_is_a_report(lab: Lab) -> None:
    queue = lab.local("Q1")
    segment(queue, 0, b"one", last=True, original_length=77)
    assert queue.get().md.original_length == 3


def test_segments_and_groups_are_not_published(lab: Lab) -> None:
    from mqtriage.emulator.pubsub import publications

    for flags in (cmqc.MQMF_SEGMENT, cmqc.MQMF_MSG_IN_GROUP):
        with pytest.raises(MQIError) as error:
            publications.send(lab.mq.connection, "a/b", message(msg_flags=flags), b"x")
        assert error.value.reason == cmqc.MQRC_MSG_NOT_ALLOWED_IN_GROUP
