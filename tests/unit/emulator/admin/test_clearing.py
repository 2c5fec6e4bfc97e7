"""CLEAR QLOCAL and MOVE QLOCAL: what goes, what stays, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.emulator.admin.clearing import clear, move
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from tests.unit.emulator.conftest import Lab


def put(
    lab: Lab, queue: str, *bodies: bytes, priority: int = 0, options: int = cmqc.MQPMO_NO_SYNCPOINT
) -> None:
    for body in bodies:
        lab.mq.put1(queue, MQMD(priority=priority), body, options)


def bodies(lab: Lab, queue: str) -> list[bytes]:
    handle = lab.mq.open(queue, cmqc.MQOO_BROWSE)
    payloads = [message.body for message in handle.browse()]
    handle.close()
    return payloads


def define(lab: Lab, **queues: dict[str, int | str]) -> None:
    for name, attributes in queues.items():
        lab.mq.define("QLOCAL", name, attributes)


def test_clear_removes_every_message_and_tells_how_many(lab: Lab) -> None:
    define(lab, A={}, B={})
    put(lab, "A", b"1", b"2")
    put(lab, "B", b"stays")
    assert clear(lab.mq.connection, "A") == 2
    assert (lab.depth("A"), lab.depth("B")) == (0, 1)
    put(lab, "A", b"new")
    assert bodies(lab, "A") == [b"new"]


def test_clear_is_refused_while_the_queue_is_open(lab: Lab) -> None:
    define(lab, A={})
    put(lab, "A", b"1")
    handle = lab.mq.open("A", cmqc.MQOO_INPUT_SHARED)
    with pytest.raises(MQIError) as raised:
        clear(lab.mq.connection, "A")
    assert raised.value.reason == 2042
    assert lab.depth("A") == 1
    handle.close()
    assert clear(lab.mq.connection, "A") == 1


def test_clear_is_refused_while_a_unit_of_work_holds_messages(lab: Lab) -> None:
    define(lab, A={})
    put(lab, "A", b"1", options=cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(MQIError) as raised:
        clear(lab.mq.connection, "A")
    assert raised.value.reason == 2055
    lab.mq.commit()
    assert bodies(lab, "A") == [b"1"]


@pytest.mark.parametrize(("name", "reason"), [("NOPE", 2085), ("ALIAS", 2057)])
def test_clear_takes_local_queues_only(lab: Lab, name: str, reason: int) -> None:
    lab.mq.define("QALIAS", "ALIAS", {"TARGET": "A"})
    with pytest.raises(MQIError) as raised:
        clear(lab.mq.connection, name)
    assert raised.value.reason == reason


def test_move_keeps_priority_order_and_goes_behind_what_is_there(tmp_path: Path) -> None:
    lab = Lab(tmp_path, "zos")
    define(lab, A={}, B={})
    put(lab, "B", b"there")
    put(lab, "A", b"low1", b"low2")
    put(lab, "A", b"high", priority=9)
    assert move(lab.mq.connection, "A", "B", add=True) == 3
    assert bodies(lab, "B") == [b"high", b"there", b"low1", b"low2"]
    assert (lab.depth("A"), lab.depth("B")) == (0, 4)
    put(lab, "B", b"later")
    assert bodies(lab, "B")[-1] == b"later"


def test_move_from_fifo_to_priority_sorts_by_the_messages_own_priority(lab: Lab) -> None:
    define(lab, A={"MSGDLVSQ": "FIFO"}, B={})
    put(lab, "A", b"low")
    put(lab, "A", b"high", priority=9)
    assert bodies(lab, "A") == [b"low", b"high"]
    move(lab.mq.connection, "A", "B", add=False)
    assert bodies(lab, "B") == [b"high", b"low"]


@pytest.mark.parametrize(
    ("target", "there", "add", "reason"),
    [
        ({}, 1, False, 2055),
        ({"MAXDEPTH": 2}, 1, True, 2053),
        ({"MAXMSGL": 3}, 0, True, 2030),
    ],
)
def test_move_is_all_or_nothing(
    lab: Lab, target: dict[str, int | str], there: int, add: bool, reason: int
) -> None:
    define(lab, A={}, B=target)
    put(lab, "A", b"1234", b"5678")
    put(lab, "B", *[b"x"] * there)
    with pytest.raises(MQIError) as raised:
        move(lab.mq.connection, "A", "B", add=add)
    assert raised.value.reason == reason
    assert (lab.depth("A"), lab.depth("B")) == (2, there)
