"""Putting and getting: order, ids, defaults, limits."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.backends.port import Match
from mqtriage.emulator.admin.mqsc_server import run_script
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, ObjectNotFound, QueueFull, UsageError
from mqtriage.mq.mqsc.parse import parse
from tests.unit.emulator.conftest import Lab, message, nothing_on


def reason_of(error: pytest.ExceptionInfo[MQIError]) -> int:
    return error.value.reason


def test_a_message_comes_back_as_it_was_put(lab: Lab) -> None:
    queue = lab.local("Q1")
    stored = queue.put(message(correl_id=cmqc.MQCI_NEW_SESSION, ccsid=819, encoding=273), b"\0\xff")
    got = queue.get()
    assert got.md == stored
    assert (got.body, got.length_bytes) == (b"\0\xff", 2)
    assert nothing_on(queue)


def test_a_fifo_queue_gives_in_order_of_arrival(lab: Lab) -> None:
    queue = lab.local("Q1", MSGDLVSQ="FIFO")
    for priority in (1, 9, 5):
        queue.put(message(priority=priority), str(priority).encode())
    assert [queue.get().body for _ in range(3)] == [b"1", b"9", b"5"]


def test_a_priority_queue_gives_the_highest_first_and_fifo_within(lab: Lab) -> None:
    queue = lab.local("Q1")
    for priority, body in ((1, b"a"), (9, b"b"), (5, b"c"), (9, b"d")):
        queue.put(message(priority=priority), body)
    assert [queue.get().body for _ in range(4)] == [b"b", b"d", b"c", b"a"]


def test_alter_to_fifo_keeps_the_order_of_what_is_there(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(priority=1), b"low")
    queue.put(message(priority=9), b"high")
    lab.mq.alter("QLOCAL", "Q1", {"MSGDLVSQ": "FIFO"})
    assert [queue.get().body for _ in range(2)] == [b"high", b"low"]


def test_priority_and_persistence_come_from_the_queue_when_not_given(lab: Lab) -> None:
    queue = lab.local("Q1", DEFPRTY=7, DEFPSIST="YES")
    md = queue.put(MQMD(), b"")
    assert (md.priority, md.persistence) == (7, 1)


def test_the_alias_decides_the_defaults_when_opened_through_it(lab: Lab) -> None:
    lab.local("Q1", DEFPRTY=7)
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1", "DEFPRTY": 2})
    assert lab.put("A1", priority=-1).priority == 2


def test_msg_ids_are_made_unique_and_begin_with_the_queue_manager(lab: Lab) -> None:
    queue = lab.local("Q1")
    ids = {queue.put(message(), b"").msg_id for _ in range(2000)}
    assert len(ids) == 2000
    assert all(i.startswith(b"AMQ QM1         ") and len(i) == 24 for i in ids)


def test_msg_ids_stay_unique_over_connections_and_restarts(lab: Lab) -> None:
    lab.local("Q1")
    first = [lab.put("Q1").msg_id for _ in range(10)]
    other = lab.connect()
    second = [other.put1("Q1", message(), b"").msg_id for _ in range(10)]
    lab.restart()
    third = [lab.put("Q1").msg_id for _ in range(10)]
    assert len({*first, *second, *third}) == 30


def test_a_given_msg_id_is_kept_unless_a_new_one_is_asked_for(lab: Lab) -> None:
    queue = lab.local("Q1")
    mine = b"mine".ljust(24, b"\0")
    assert queue.put(message(msg_id=mine), b"").msg_id == mine
    renewed = queue.put(message(msg_id=mine), b"", cmqc.MQPMO_NEW_MSG_ID | cmqc.MQPMO_NEW_CORREL_ID)
    assert renewed.msg_id != mine
    assert renewed.correl_id not in (bytes(24), renewed.msg_id)


def test_default_context_names_user_program_and_time(lab: Lab) -> None:
    queue = lab.local("Q1")
    md = queue.put(message(), b"")
    assert (md.user_identifier, md.put_appl_name, md.put_appl_type) == ("tester", "lab", 6)
    assert len(md.put_date) == len(md.put_time) == 8
    assert md.reply_to_q_mgr == "QM1"


def test_no_context_leaves_it_blank(lab: Lab) -> None:
    md = lab.local("Q1").put(message(), b"", cmqc.MQPMO_NO_CONTEXT)
    assert (md.user_identifier, md.put_appl_type, md.put_date) == ("", 0, "")


def test_set_all_context_keeps_the_origin_of_a_moved_message(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    original = lab.put("Q1")
    lab.advance(60)
    moving = lab.get("Q1")
    target = lab.open("Q2", cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT)
    assert target.put(moving.md, moving.body, cmqc.MQPMO_SET_ALL_CONTEXT) == original


def test_set_all_context_needs_the_open_option(lab: Lab) -> None:
    with pytest.raises(MQIError) as error:
        lab.local("Q1").put(message(), b"", cmqc.MQPMO_SET_ALL_CONTEXT)
    assert reason_of(error) == cmqc.MQRC_NOT_OPEN_FOR_SET_ALL


def test_get_by_msg_id_and_correl_id_matches_both(lab: Lab) -> None:
    queue = lab.local("Q1")
    one, two = (bytes([n]) * 24 for n in (1, 2))
    queue.put(message(msg_id=one, correl_id=one), b"11")
    queue.put(message(msg_id=one, correl_id=two), b"12")
    assert queue.get(match=Match(msg_id=one, correl_id=two)).body == b"12"
    assert queue.get(match=Match(correl_id=one)).body == b"11"


def test_an_id_of_zeros_matches_any(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"first")
    assert queue.get(match=Match(msg_id=bytes(24), correl_id=bytes(24))).body == b"first"


def test_get_by_token_takes_that_copy_of_two_with_one_msg_id(lab: Lab) -> None:
    queue = lab.local("Q1")
    same = b"s" * 24
    queue.put(message(msg_id=same), b"one")
    queue.put(message(msg_id=same), b"two")
    second = list(queue.browse(Match(msg_id=same)))[1]
    assert queue.get(match=Match(token=second.token)).body == b"two"
    assert lab.bodies("Q1") == [b"one"]


def test_a_full_queue_refuses(lab: Lab) -> None:
    queue = lab.local("Q1", MAXDEPTH=2)
    queue.put(message(), b"")
    queue.put(message(), b"")
    with pytest.raises(QueueFull):
        queue.put(message(), b"")
    assert lab.depth("Q1") == 2


def test_lowering_maxdepth_keeps_the_messages_that_are_there(lab: Lab) -> None:
    queue = lab.local("Q1")
    for _ in range(3):
        queue.put(message(), b"")
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 1})
    assert lab.depth("Q1") == 3
    with pytest.raises(QueueFull):
        queue.put(message(), b"")


@pytest.mark.parametrize(
    ("queue_limit", "length", "reason"),
    [
        pytest.param(100, 101, cmqc.MQRC_MSG_TOO_BIG_FOR_Q, id="queue"),
        pytest.param(4_194_304, 4_194_305, cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR, id="queue-manager"),
    ],
)
def test_a_message_that_is_too_long_is_refused(
    lab: Lab, queue_limit: int, length: int, reason: int
) -> None:
    queue = lab.local("Q1", MAXMSGL=queue_limit)
    with pytest.raises(MQIError) as error:
        queue.put(message(), bytes(length))
    assert reason_of(error) == reason
    assert lab.depth("Q1") == 0


@pytest.mark.slow
def test_the_longest_message_there_is_goes_through_after_both_alters(lab: Lab) -> None:
    most = 104_857_600
    lab.mq.alter("QMGR", "", {"MAXMSGL": most})
    queue = lab.local("Q1", MAXMSGL=most)
    queue.put(message(), bytes(most))
    assert queue.get().length_bytes == most
    with pytest.raises(MQIError) as error:
        queue.put(message(), bytes(most + 1))
    assert reason_of(error) == cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR


def test_without_the_alter_of_the_queue_its_own_limit_counts(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"MAXMSGL": 104_857_600})
    queue = lab.local("Q1")
    with pytest.raises(MQIError) as error:
        queue.put(message(), bytes(4_194_305))
    assert reason_of(error) == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


def test_put_and_get_inhibited(lab: Lab) -> None:
    queue = lab.local("Q1")
    lab.mq.alter("QLOCAL", "Q1", {"PUT": "DISABLED", "GET": "DISABLED"})
    with pytest.raises(MQIError) as error:
        queue.put(message(), b"")
    assert reason_of(error) == cmqc.MQRC_PUT_INHIBITED
    with pytest.raises(MQIError) as error:
        queue.get()
    assert reason_of(error) == cmqc.MQRC_GET_INHIBITED
    with pytest.raises(MQIError) as error:
        list(queue.browse())
    assert reason_of(error) == cmqc.MQRC_GET_INHIBITED


def test_an_alias_can_be_inhibited_alone(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1", "PUT": "DISABLED"})
    with pytest.raises(MQIError) as error:
        lab.put("A1")
    assert reason_of(error) == cmqc.MQRC_PUT_INHIBITED
    lab.put("Q1")


def test_names_that_lead_nowhere(lab: Lab) -> None:
    lab.mq.define("QALIAS", "NOWHERE", {"TARGET": "MISSING"})
    lab.mq.define("QALIAS", "LOOP", {"TARGET": "LOOP"})
    with pytest.raises(ObjectNotFound) as error:
        lab.put("UNKNOWN")
    assert error.value.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(ObjectNotFound) as error:
        lab.put("NOWHERE")
    assert error.value.reason == cmqc.MQRC_UNKNOWN_ALIAS_BASE_Q
    with pytest.raises(MQIError) as loop:
        lab.put("LOOP")
    assert reason_of(loop) == cmqc.MQRC_ALIAS_BASE_Q_TYPE_ERROR


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"priority": -2}, cmqc.MQRC_PRIORITY_ERROR, id="priority"),
        pytest.param({"persistence": 3}, cmqc.MQRC_PERSISTENCE_ERROR, id="persistence"),
        pytest.param({"msg_type": 0}, cmqc.MQRC_MSG_TYPE_ERROR, id="message-type"),
        pytest.param({"msg_type": cmqc.MQMT_REQUEST}, cmqc.MQRC_MISSING_REPLY_TO_Q, id="request"),
        pytest.param({"report": cmqc.MQRO_COD}, cmqc.MQRC_MISSING_REPLY_TO_Q, id="report"),
    ],
)
def test_a_descriptor_that_mq_refuses(lab: Lab, fields: dict[str, Any], reason: int) -> None:
    lab.local("Q1")
    with pytest.raises(MQIError) as error:
        lab.put("Q1", **fields)
    assert reason_of(error) == reason


def test_exclusive_input_keeps_others_out(lab: Lab) -> None:
    lab.local("Q1").close()
    first = lab.open("Q1", cmqc.MQOO_INPUT_EXCLUSIVE)
    for options in (cmqc.MQOO_INPUT_SHARED, cmqc.MQOO_INPUT_EXCLUSIVE):
        with pytest.raises(MQIError) as error:
            lab.connect().open("Q1", options)
        assert reason_of(error) == cmqc.MQRC_OBJECT_IN_USE
    lab.connect().open("Q1", cmqc.MQOO_BROWSE | cmqc.MQOO_OUTPUT)
    first.close()
    lab.connect().open("Q1", cmqc.MQOO_INPUT_SHARED)


def test_a_queue_without_share_takes_one_reader(lab: Lab) -> None:
    lab.local("Q1", SHARE="NO")
    with pytest.raises(MQIError) as error:
        lab.connect().open("Q1", cmqc.MQOO_INPUT_SHARED)
    assert reason_of(error) == cmqc.MQRC_OBJECT_IN_USE


def test_a_handle_does_only_what_it_was_opened_for(lab: Lab) -> None:
    lab.local("Q1").close()
    output = lab.open("Q1", cmqc.MQOO_OUTPUT)
    with pytest.raises(MQIError) as error:
        output.get()
    assert reason_of(error) == cmqc.MQRC_NOT_OPEN_FOR_INPUT
    with pytest.raises(MQIError) as error:
        list(output.browse())
    assert reason_of(error) == cmqc.MQRC_NOT_OPEN_FOR_BROWSE
    with pytest.raises(MQIError) as error:
        lab.open("Q1", cmqc.MQOO_BROWSE).put(message(), b"")
    assert reason_of(error) == cmqc.MQRC_NOT_OPEN_FOR_OUTPUT


def test_a_handle_is_of_no_more_use_where_force_has_changed_what_it_goes_by(lab: Lab) -> None:
    """MQPUT, MQGET and browse, each on a handle of its own; one that is opened then works."""
    lab.local("Q1").close()
    handles = [lab.open("Q1") for _ in range(3)]
    command = parse("ALTER QLOCAL(Q1) USAGE(XMITQ) FORCE")
    assert list(run_script(lab.connect().connection, command)) == []
    putting, getting, browsing = handles
    calls = (lambda: putting.put(message(), b""), getting.get, lambda: list(browsing.browse()))
    for call in calls:
        with pytest.raises(MQIError) as error:
            call()
        assert reason_of(error) == cmqc.MQRC_OBJECT_CHANGED
    lab.open("Q1").put(message(), b"")


def test_a_cut_get_says_how_long_the_message_is(lab: Lab) -> None:
    queue = lab.local("Q1")
    queue.put(message(), b"0123456789")
    got = next(iter(queue.browse(max_length=4)))
    assert (got.body, got.length_bytes) == (b"0123", 10)


@pytest.mark.parametrize(
    "attributes",
    [{"MAXDEPTH": 1_000_000_000}, {"BOTHRESH": -1}, {"PUT": "MAYBE"}, {"NOSUCH": 1}],
)
def test_a_definition_with_a_bad_value_is_refused(lab: Lab, attributes: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        lab.mq.define("QLOCAL", "Q1", attributes)  # type: ignore[arg-type]
