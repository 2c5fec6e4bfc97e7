"""Dynamic queues: their names, their kinds, and when they go."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.get import get
from mqtriage.emulator.core.handle import Handle
from mqtriage.emulator.core.put import put
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, ObjectNotFound
from tests.unit.emulator.conftest import ALL, Lab, message

OTHERS = cmqc.MQOO_BROWSE | cmqc.MQOO_OUTPUT
"""The queue is not shared, since SYSTEM.DEFAULT.MODEL.QUEUE is NOSHARE."""

MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"


def opened(lab: Lab, dynamic_name: str = "AMQ.*", model: str = MODEL) -> Handle:
    return lab.mq.connection.open(model, ALL, dynamic_name=dynamic_name)


def permanent(lab: Lab) -> Handle:
    lab.mq.define("QMODEL", "PERM", {"DEFTYPE": "PERMDYN"})
    return opened(lab, "P1", "PERM")


def reason_of(error: pytest.ExceptionInfo[MQIError]) -> int:
    return error.value.reason


def exists(lab: Lab, name: str) -> bool:
    try:
        lab.mq.queue(name)
    except ObjectNotFound:
        return False
    return True


def test_an_asterisk_becomes_what_makes_the_name_unique(lab: Lab) -> None:
    names = {opened(lab, "REPLY.*").name for _ in range(3)}
    assert len(names) == 3
    assert all(name.startswith("REPLY.") and 6 < len(name) <= 48 for name in names)


def test_a_name_without_asterisk_is_taken_as_it_is(lab: Lab) -> None:
    assert opened(lab, "MY.REPLIES").name == "MY.REPLIES"
    assert lab.mq.queue("MY.REPLIES").kind == "QLOCAL"


@pytest.mark.parametrize("name", ["", "A*B", "BAD NAME", "X" * 33 + "*", "X" * 49, "A.**"])
def test_a_bad_dynamic_name_is_refused(lab: Lab, name: str) -> None:
    with pytest.raises(MQIError) as error:
        opened(lab, name)
    assert reason_of(error) == cmqc.MQRC_DYNAMIC_Q_NAME_ERROR


def test_a_name_that_is_taken_is_refused(lab: Lab) -> None:
    lab.local("Q1")
    with pytest.raises(MQIError) as error:
        opened(lab, "Q1")
    assert reason_of(error) == cmqc.MQRC_OBJECT_ALREADY_EXISTS
    assert lab.depth("Q1") == 0


def test_the_model_says_what_the_queue_is_like(lab: Lab) -> None:
    lab.mq.define("QMODEL", "M1", {"MAXDEPTH": 3, "DEFPRTY": 5, "MSGDLVSQ": "FIFO"})
    queue = lab.mq.queue(opened(lab, model="M1").name)
    assert queue.attributes["DEFTYPE"] == "TEMPDYN"
    assert [queue.attributes[k] for k in ("MAXDEPTH", "DEFPRTY", "MSGDLVSQ")] == [3, 5, "FIFO"]


def test_a_temporary_queue_takes_no_persistent_message(lab: Lab) -> None:
    handle = opened(lab)
    with pytest.raises(MQIError) as error:
        put.put(lab.mq.connection, handle, message(), b"", 0)
    assert reason_of(error) == cmqc.MQRC_PERSISTENT_NOT_ALLOWED
    put.put(lab.mq.connection, handle, message(persistence=0), b"x", 0)
    assert get.get(lab.mq.connection, handle, 0).body == b"x"


def test_a_temporary_queue_by_default_persistent_takes_none_either(lab: Lab) -> None:
    lab.mq.define("QMODEL", "M1", {"DEFPSIST": "YES"})
    handle = opened(lab, model="M1")
    with pytest.raises(MQIError) as error:
        put.put(lab.mq.connection, handle, message(persistence=2), b"", 0)
    assert reason_of(error) == cmqc.MQRC_PERSISTENT_NOT_ALLOWED


def test_a_permanent_queue_takes_persistent_messages_and_stays(lab: Lab) -> None:
    handle = permanent(lab)
    put.put(lab.mq.connection, handle, message(), b"x", 0)
    lab.mq.connection.close(handle)
    lab.restart()
    assert lab.bodies("P1") == [b"x"]


def test_closing_the_handle_that_made_it_ends_a_temporary_queue(lab: Lab) -> None:
    handle = opened(lab, "T1")
    put.put(lab.mq.connection, handle, message(persistence=0), b"", 0)
    other = lab.open("T1", OTHERS)
    other.close()
    assert exists(lab, "T1")
    lab.mq.connection.close(handle)
    assert not exists(lab, "T1")
    with pytest.raises(ObjectNotFound):
        lab.open("T1")


def test_other_handles_learn_that_the_queue_was_deleted(lab: Lab) -> None:
    handle = opened(lab, "T1")
    other = lab.connect().open("T1", OTHERS)
    lab.mq.connection.close(handle)
    for call in (lambda: other.put(message(persistence=0), b""), lambda: [*other.browse()]):
        with pytest.raises(MQIError) as error:
            call()
        assert reason_of(error) == cmqc.MQRC_Q_DELETED
    other.close()


def test_a_new_queue_of_the_same_name_is_not_the_old_one(lab: Lab) -> None:
    other = None
    for _ in range(2):
        handle = opened(lab, "T1")
        other = other or lab.connect().open("T1", OTHERS)
        lab.mq.connection.close(handle)
    opened(lab, "T1")
    assert other is not None
    with pytest.raises(MQIError) as error:
        other.put(message(persistence=0), b"")
    assert reason_of(error) == cmqc.MQRC_Q_DELETED


def test_leaving_ends_the_temporary_queues_of_the_connection(lab: Lab) -> None:
    backend = lab.connect()
    backend.connection.open(MODEL, cmqc.MQOO_INPUT_SHARED, dynamic_name="T1")
    opened(lab, "T2")
    backend.disconnect()
    assert not exists(lab, "T1")
    assert exists(lab, "T2")


def test_a_stop_ends_temporary_queues_and_keeps_permanent_ones(lab: Lab) -> None:
    permanent(lab)
    opened(lab, "T1")
    lab.restart()
    assert exists(lab, "P1")
    assert not exists(lab, "T1")


def test_delete_takes_an_empty_permanent_queue_and_no_other(lab: Lab) -> None:
    handle = permanent(lab)
    put.put(lab.mq.connection, handle, message(), b"", 0)
    with pytest.raises(MQIError) as error:
        lab.mq.connection.close(handle, cmqc.MQCO_DELETE)
    assert reason_of(error) == cmqc.MQRC_Q_NOT_EMPTY
    get.get(lab.mq.connection, handle, 0)
    lab.mq.connection.close(handle, cmqc.MQCO_DELETE)
    assert not exists(lab, "P1")


def test_purge_takes_the_messages_too_but_not_those_of_an_open_unit(lab: Lab) -> None:
    handle = permanent(lab)
    put.put(lab.mq.connection, handle, message(), b"", 0)
    get.get(lab.mq.connection, handle, cmqc.MQGMO_SYNCPOINT)
    with pytest.raises(MQIError) as error:
        lab.mq.connection.close(handle, cmqc.MQCO_DELETE_PURGE)
    assert reason_of(error) == cmqc.MQRC_Q_NOT_EMPTY
    lab.mq.backout()
    lab.mq.connection.close(handle, cmqc.MQCO_DELETE_PURGE)
    assert not exists(lab, "P1")
    assert lab.mq.manager.store.execute("SELECT count(*) FROM body").fetchone() == (0,)


@pytest.mark.parametrize("options", [cmqc.MQCO_DELETE, cmqc.MQCO_DELETE_PURGE])
def test_a_predefined_queue_cannot_be_deleted_by_closing_it(lab: Lab, options: int) -> None:
    lab.local("Q1")
    handle = lab.mq.connection.open("Q1", cmqc.MQOO_OUTPUT)
    with pytest.raises(MQIError) as error:
        lab.mq.connection.close(handle, options)
    assert reason_of(error) == cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE
    put.put(lab.mq.connection, handle, message(), b"", 0)
    assert lab.depth("Q1") == 1


def test_a_temporary_queue_of_somebody_else_cannot_be_deleted(lab: Lab) -> None:
    opened(lab, "T1")
    mine = lab.mq.connection.open("T1", cmqc.MQOO_OUTPUT)
    with pytest.raises(MQIError) as error:
        lab.mq.connection.close(mine, cmqc.MQCO_DELETE)
    assert reason_of(error) == cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE


def test_mqput1_takes_no_model_queue(lab: Lab) -> None:
    with pytest.raises(MQIError) as error:
        lab.put(MODEL)
    assert reason_of(error) == cmqc.MQRC_Q_TYPE_ERROR


def test_models_and_remote_queues_are_altered_and_deleted_like_others(lab: Lab) -> None:
    lab.mq.define("QMODEL", "M1", {"MAXDEPTH": 7})
    lab.mq.alter("QMODEL", "M1", {"MAXDEPTH": 8})
    assert lab.mq.queue("M1").attributes["MAXDEPTH"] == 8
    lab.mq.delete("QMODEL", "M1")
    assert not exists(lab, "M1")
    lab.mq.define("QREMOTE", "R1", {"RNAME": "A", "RQMNAME": "QM2"})
    lab.mq.alter("QREMOTE", "R1", {"RNAME": "B"})
    assert lab.mq.queue("R1").attributes["RNAME"] == "B"
    lab.mq.delete("QREMOTE", "R1")
    assert not exists(lab, "R1")


def test_a_dynamic_queue_on_a_stopped_queue_manager_leaves_nothing_behind(lab: Lab) -> None:
    opened(lab, "T1")
    lifecycle.stop(lab.mq.manager)
    (rows,) = lab.mq.manager.store.execute(
        "SELECT count(*) FROM counter WHERE queue NOT IN (SELECT id FROM queue)"
    ).fetchone()
    assert rows == 0
