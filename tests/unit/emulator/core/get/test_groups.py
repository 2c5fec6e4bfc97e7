"""Groups: flags and fields at the put, logical order and whole groups at the get."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedHandle
from mqtriage.backends.port import Match
from mqtriage.emulator.core.group_positions import statuses
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from tests.unit.emulator.conftest import Lab, message

A, B = b"a" * 24, b"b" * 24
REPORT = {"msg_type": cmqc.MQMT_REPORT}


def member(
    queue: EmulatedHandle, group: bytes, number: int, *, last: bool = False, **more: Any
) -> None:
    flags = cmqc.MQMF_LAST_MSG_IN_GROUP if last else cmqc.MQMF_MSG_IN_GROUP
    body = f"{chr(group[0])}{number}".encode()
    queue.put(
        message(group_id=group, msg_seq_number=number, msg_flags=flags)._replace(**more), body
    )


def logical(queue: EmulatedHandle, options: int = 0) -> list[bytes]:
    """Everything that gets in logical order return until there is nothing."""
    bodies = []
    while True:
        try:
            bodies.append(queue.get(cmqc.MQGMO_LOGICAL_ORDER | options).body)
        except NoMessageAvailable:
            return bodies


def reason_of(error: pytest.ExceptionInfo[MQIError]) -> int:
    return error.value.reason


def test_logical_order_takes_a_group_in_sequence_and_one_at_a_time(lab: Lab) -> None:
    queue = lab.local("Q1")
    for group, number in ((A, 2), (B, 1), (A, 1)):
        member(queue, group, number)
    queue.put(message(), b"alone")
    member(queue, B, 2, last=True)
    member(queue, A, 3, last=True)
    assert logical(queue) == [b"b1", b"b2", b"a1", b"a2", b"a3", b"alone"]
    assert lab.depth("Q1") == 0


def test_physical_order_does_not_care_about_groups(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 2, last=True)
    member(queue, A, 1)
    assert [queue.get().body for _ in range(2)] == [b"a2", b"a1"]


def test_in_the_middle_of_a_group_the_get_waits_for_the_next_of_it(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 1)
    queue.put(message(), b"alone")
    assert logical(queue) == [b"a1"]
    member(queue, A, 2, last=True)
    assert logical(queue) == [b"a2", b"alone"]


def test_the_rest_of_a_group_is_not_begun_in_the_middle(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 2)
    member(queue, A, 3, last=True)
    assert logical(queue) == []
    assert lab.depth("Q1") == 2


def test_a_group_is_begun_only_when_it_is_whole_if_that_is_asked_for(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 1)
    member(queue, A, 3, last=True)
    queue.put(message(), b"alone")
    assert logical(queue, cmqc.MQGMO_ALL_MSGS_AVAILABLE) == [b"alone"]
    member(queue, A, 2)
    assert logical(queue, cmqc.MQGMO_ALL_MSGS_AVAILABLE) == [b"a1", b"a2", b"a3"]


def test_a_group_without_its_last_message_is_not_whole(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 1)
    member(queue, A, 2)
    assert logical(queue, cmqc.MQGMO_ALL_MSGS_AVAILABLE) == []


def test_an_uncommitted_or_expired_member_is_not_there(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 1)
    other = lab.connect()
    md = message(
        group_id=A, msg_seq_number=2, msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP, expiry_tenths=50
    )
    other.put1("Q1", md, b"a2", cmqc.MQPMO_SYNCPOINT)
    assert logical(queue, cmqc.MQGMO_ALL_MSGS_AVAILABLE) == []
    other.commit()
    lab.advance(5)
    assert logical(queue, cmqc.MQGMO_ALL_MSGS_AVAILABLE) == []
    assert lab.depth("Q1") == 2


def test_a_backout_sets_the_place_back(lab: Lab) -> None:
    queue = lab.local("Q1")
    for number in (1, 2, 3):
        member(queue, A, number, last=number == 3)
    options = cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_SYNCPOINT
    assert queue.get(options).body == b"a1"
    lab.mq.commit()
    assert [queue.get(options).body for _ in range(2)] == [b"a2", b"a3"]
    lab.mq.backout()
    assert [queue.get(options).body for _ in range(2)] == [b"a2", b"a3"]


def test_a_group_is_all_in_units_of_work_or_all_outside(lab: Lab) -> None:
    queue = lab.local("Q1")
    for number in (1, 2):
        member(queue, A, number, last=number == 2)
    queue.get(cmqc.MQGMO_LOGICAL_ORDER)
    with pytest.raises(MQIError) as error:
        queue.get(cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_SYNCPOINT)
    assert reason_of(error) == cmqc.MQRC_INCONSISTENT_UOW


def test_a_browse_in_logical_order_goes_through_groups_wherever_they_stand(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 2, last=True)
    member(queue, B, 1)
    member(queue, A, 1)
    queue.put(message(), b"alone")
    member(queue, B, 2, last=True)
    options = cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_BROWSE_NEXT
    assert [queue.get(options).body for _ in range(5)] == [b"b1", b"b2", b"a1", b"a2", b"alone"]
    with pytest.raises(NoMessageAvailable):
        queue.get(options)
    first = queue.get(cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_BROWSE_FIRST)
    assert first.body == b"b1"
    assert lab.depth("Q1") == 5


def test_a_browse_cannot_leave_logical_order_in_the_middle_of_a_group(lab: Lab) -> None:
    queue = lab.local("Q1")
    for number in (1, 2):
        member(queue, A, number, last=number == 2)
    queue.get(cmqc.MQGMO_LOGICAL_ORDER | cmqc.MQGMO_BROWSE_FIRST)
    with pytest.raises(MQIError) as error:
        queue.get(cmqc.MQGMO_BROWSE_NEXT)
    assert reason_of(error) == cmqc.MQRC_INCONSISTENT_BROWSE
    assert queue.get(cmqc.MQGMO_BROWSE_FIRST).body == b"a1"


def test_a_put_in_logical_order_numbers_the_group(lab: Lab) -> None:
    queue = lab.local("Q1")
    flags = (cmqc.MQMF_MSG_IN_GROUP, cmqc.MQMF_MSG_IN_GROUP, cmqc.MQMF_LAST_MSG_IN_GROUP)
    put = [queue.put(message(msg_flags=flag), b"", cmqc.MQPMO_LOGICAL_ORDER) for flag in flags]
    alone = queue.put(message(), b"", cmqc.MQPMO_LOGICAL_ORDER)
    following = queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", cmqc.MQPMO_LOGICAL_ORDER)
    assert [md.msg_seq_number for md in put] == [1, 2, 3]
    assert len({md.group_id for md in put}) == 1
    assert put[0].group_id != bytes(24)
    assert (alone.group_id, alone.msg_seq_number) == (bytes(24), 1)
    assert following.group_id not in (bytes(24), put[0].group_id)
    assert put[2].msg_flags == cmqc.MQMF_LAST_MSG_IN_GROUP | cmqc.MQMF_MSG_IN_GROUP


def test_a_put_in_logical_order_cannot_leave_a_group_open(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", cmqc.MQPMO_LOGICAL_ORDER)
    with pytest.raises(MQIError) as error:
        queue.put(message(), b"", cmqc.MQPMO_LOGICAL_ORDER)
    assert reason_of(error) == cmqc.MQRC_INCOMPLETE_GROUP


def test_a_backout_sets_back_the_place_of_puts_too(lab: Lab) -> None:
    queue = lab.local("Q1")
    options = cmqc.MQPMO_LOGICAL_ORDER | cmqc.MQPMO_SYNCPOINT
    first = queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", options)
    lab.mq.backout()
    again = queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", options)
    assert (again.msg_seq_number, again.group_id == first.group_id) == (1, False)


def test_a_refused_put_does_not_count(lab: Lab) -> None:
    queue = lab.local("Q1", MAXDEPTH=1)
    queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", cmqc.MQPMO_LOGICAL_ORDER)
    with pytest.raises(MQIError):
        queue.put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"", cmqc.MQPMO_LOGICAL_ORDER)
    queue.get()
    assert queue.put(
        message(msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP), b"", cmqc.MQPMO_LOGICAL_ORDER
    ).msg_seq_number == 2  # fmt: skip


def test_a_group_without_id_gets_one(lab: Lab) -> None:
    md = lab.local("Q1").put(message(msg_flags=cmqc.MQMF_MSG_IN_GROUP), b"")
    assert md.group_id != bytes(24)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"msg_flags": 0x800}, cmqc.MQRC_MSG_FLAGS_ERROR),
        ({"msg_flags": 8, "msg_seq_number": 0}, cmqc.MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"msg_flags": 8, "offset": -5}, cmqc.MQRC_OFFSET_ERROR),
        ({"msg_flags": 2, "offset": -1}, cmqc.MQRC_OFFSET_ERROR),
        ({"msg_flags": 4, "offset": 1_000_000_000}, cmqc.MQRC_OFFSET_ERROR),
        ({"msg_flags": 2}, cmqc.MQRC_SEGMENT_LENGTH_ZERO),
        ({**REPORT, "msg_flags": 2, "original_length": 0}, cmqc.MQRC_ORIGINAL_LENGTH_ERROR),
        ({**REPORT, "msg_flags": 4, "original_length": -1}, cmqc.MQRC_ORIGINAL_LENGTH_ERROR),
    ],
)
def test_bad_group_fields_are_refused(lab: Lab, fields: dict[str, Any], reason: int) -> None:
    queue = lab.local("Q1")
    with pytest.raises(MQIError) as error:
        queue.put(message(**fields), b"")
    assert reason_of(error) == reason
    with pytest.raises(MQIError) as error:
        lab.mq.put1("Q1", message(**fields), b"")
    assert reason_of(error) == reason


def test_get_by_group_id(lab: Lab) -> None:
    queue = lab.local("Q1")
    member(queue, A, 1)
    member(queue, B, 1)
    assert queue.get(match=Match(group_id=B)).body == b"b1"


def test_get_by_token(lab: Lab) -> None:
    queue = lab.local("Q1")
    for body in (b"1", b"2", b"3"):
        queue.put(message(), body)
    token = list(queue.browse())[1].token
    assert queue.get(match=Match(token=token)).body == b"2"
    with pytest.raises(NoMessageAvailable):
        queue.get(match=Match(token=token))


def segments(queue: EmulatedHandle, *parts: bytes, last: bool = True) -> None:
    offset = 0
    for number, part in enumerate(parts, 1):
        flags = cmqc.MQMF_LAST_SEGMENT if last and number == len(parts) else cmqc.MQMF_SEGMENT
        queue.put(message(group_id=A, msg_flags=flags, offset=offset), part)
        offset += len(part)


def test_segments_are_kept_as_they_are(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two")
    got = [queue.get().md for _ in range(2)]
    assert [md.offset for md in got] == [0, 3]
    assert [statuses(md)[1] for md in got] == ["S", "L"]


def test_segments_are_got_when_all_are_there(lab: Lab) -> None:
    queue = lab.local("Q1")
    segments(queue, b"one", b"two", last=False)
    with pytest.raises(NoMessageAvailable):
        queue.get(cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE)
    queue.put(message(group_id=A, msg_flags=cmqc.MQMF_LAST_SEGMENT, offset=6), b"three")
    assert queue.get(cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE).body == b"one"


def test_zos_takes_no_segments(zos: Lab) -> None:
    with pytest.raises(MQIError) as error:
        zos.local("Q1").put(message(msg_flags=cmqc.MQMF_SEGMENT), b"", 4)
    assert reason_of(error) == cmqc.MQRC_SEGMENTS_NOT_SUPPORTED


def test_statuses_are_read_off_the_flags() -> None:
    flags = (0, cmqc.MQMF_MSG_IN_GROUP, cmqc.MQMF_MSG_IN_GROUP | cmqc.MQMF_LAST_MSG_IN_GROUP)
    assert [statuses(message(msg_flags=flag)) for flag in flags] == ["   ", "G  ", "L  "]
    assert statuses(message(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED)) == "  A"


def test_a_long_group_is_got_without_looking_through_it_each_time(lab: Lab) -> None:
    """The work per get does not grow with the group: counted in rows that SQLite visits."""
    queue = lab.local("Q1")
    numbers = list(range(1, 401))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        md = message(
            group_id=A, msg_seq_number=number, persistence=0,
            msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP if number == 400 else cmqc.MQMF_MSG_IN_GROUP,
        )  # fmt: skip
        queue.put(md, str(number).encode(), cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    plan = lab.mq.manager.store.execute(
        "EXPLAIN QUERY PLAN SELECT 1 FROM message INDEXED BY message_group_id"
        " WHERE group_id = ? AND substr(md, 349, 4) = ?",
        (A, b"\1\0\0\0"),
    ).fetchall()
    assert "group_id=? AND <expr>=?" in plan[0][3]
    assert logical(queue) == [str(n).encode() for n in range(1, 401)]
