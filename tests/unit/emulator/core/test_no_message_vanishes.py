"""Whatever a message is put to and by which way: it is found again, or the put is an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from tests.unit.emulator.conftest import Lab, message

DEAD = "DEAD"
TARGETS: dict[str, tuple[str, dict[str, int | str]]] = {
    "local": ("QLOCAL", {}),
    "inhibited": ("QLOCAL", {"PUT": "DISABLED"}),
    "full": ("QLOCAL", {"MAXDEPTH": 0}),
    "alias": ("QALIAS", {"TARGET": "BASE"}),
    "alias-of-nothing": ("QALIAS", {"TARGET": "NOWHERE"}),
    "alias-of-model": ("QALIAS", {"TARGET": "SYSTEM.DEFAULT.MODEL.QUEUE"}),
    "model": ("QMODEL", {}),
    "permanent-model": ("QMODEL", {"DEFTYPE": "PERMDYN"}),
    "remote": ("QREMOTE", {"RNAME": "Q", "RQMNAME": "QM2", "XMITQ": "XMIT"}),
    "remote-without-a-way": ("QREMOTE", {"RNAME": "Q", "RQMNAME": "QM2"}),
    "not-there": ("", {}),
}
"""Every type of object that a name can lead to."""

Way = Callable[[Lab, str], None]


def by_put1(lab: Lab, target: str) -> None:
    lab.put(target, b"marked")


def by_delay(lab: Lab, target: str) -> None:
    lab.send(target, 1000, b"marked")
    lab.advance(600)


def by_publication(lab: Lab, target: str) -> None:
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": target})
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t"})
    lab.mq.define("QALIAS", "TO.TOPIC", {"TARGET": "T", "TARGTYPE": "TOPIC"})
    lab.put("TO.TOPIC", b"marked")


def by_report(lab: Lab, target: str) -> None:
    """A confirmation of arrival with the data of the message, which is taken off again."""
    lab.put("BASE", b"marked", report=cmqc.MQRO_COA_WITH_FULL_DATA, reply_to_q=target)
    lab.get("BASE")


def by_dead_letter(lab: Lab, target: str) -> None:
    """A delayed message whose target is gone, with DEADQ as it is asked."""
    lab.mq.define("QLOCAL", "GONE", {})
    lab.mq.alter("QMGR", "", {"DEADQ": target})
    lab.send("GONE", 1000, b"marked")
    lab.mq.delete("QLOCAL", "GONE")
    lab.advance(5)


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("way", [by_put1, by_delay, by_publication, by_report, by_dead_letter])
@pytest.mark.slow
def test_a_message_is_found_again_or_refused(lab: Lab, way: Way, kind: str) -> None:
    lab.local("BASE")
    lab.local(DEAD)
    lab.local("XMIT", USAGE="XMITQ")
    lab.mq.alter("QMGR", "", {"DEADQ": DEAD})
    object_type, attributes = TARGETS[kind]
    if object_type:
        lab.mq.define(object_type, "TARGET", attributes)
    try:
        way(lab, "TARGET")
    except MQIError:
        return
    assert len(copies(lab)) == 1


def copies(lab: Lab) -> list[str]:
    """The queues that hold the marked message, one name for each copy."""
    queues = [queue.name for queue in lab.mq.queues() if queue.kind == "QLOCAL"]
    return [name for name in queues for body in lab.bodies(name) if b"marked" in body]


@pytest.mark.parametrize("kind", ["model", "permanent-model"])
def test_no_queue_is_left_behind_by_a_put_to_a_model_queue(lab: Lab, kind: str) -> None:
    lab.mq.define("QMODEL", "TARGET", TARGETS[kind][1])
    before = {queue.name for queue in lab.mq.queues()}
    for way in (by_put1, by_delay):
        with pytest.raises(MQIError) as failure:
            way(lab, "TARGET")
        assert failure.value.reason == 2057
    assert {queue.name for queue in lab.mq.queues()} == before


def test_who_opens_a_model_queue_puts_to_the_queue_that_is_made(lab: Lab) -> None:
    lab.mq.define("QMODEL", "TARGET", {})
    handle = lab.open("TARGET", cmqc.MQOO_OUTPUT)
    handle.put(message(persistence=0), b"marked")
    assert copies(lab) == [handle.name]
