"""The dump: all there is, in one order."""

from __future__ import annotations

from mqtriage.emulator.admin.dump import records
from mqtriage.mq import cmqc
from tests.unit.emulator.conftest import Lab, message


def test_messages_follow_their_queue_in_the_order_of_delivery(lab: Lab) -> None:
    handle = lab.local("B")
    lab.local("A")
    for priority, body in ((1, b"low"), (9, b"high"), (1, b"low too")):
        handle.put(message()._replace(priority=priority), body)
    dumped = list(records(lab.mq.manager))
    places = [(r["record"], r.get("name") or bytes.fromhex(r["body"])) for r in dumped]
    start = places.index(("queue", "B"))
    assert places[start + 1 : start + 4] == [
        ("message", b"high"),
        ("message", b"low"),
        ("message", b"low too"),
    ]
    assert places.index(("queue", "A")) < start


def test_more_messages_than_a_page_are_all_there(lab: Lab) -> None:
    handle = lab.local("A")
    for number in range(401):
        handle.put(message(), b"%d" % number)
    bodies = [bytes.fromhex(r["body"]) for r in records(lab.mq.manager) if "body" in r]
    assert bodies == [b"%d" % number for number in range(401)]


def test_what_a_unit_of_work_holds_is_marked(lab: Lab) -> None:
    handle = lab.local("A")
    handle.put(message(), b"x", cmqc.MQPMO_SYNCPOINT)
    (record,) = [r for r in records(lab.mq.manager) if r["record"] == "message"]
    assert record["uncommitted"] == "put"


def test_due_time_and_end_of_life_are_absolute(lab: Lab) -> None:
    lab.local("A")
    lab.mq.put_delayed("A", message()._replace(expiry_tenths=600), b"later", 30_000)
    before = [r for r in records(lab.mq.manager) if r["record"] == "message"]
    lab.advance(1)
    assert [r for r in records(lab.mq.manager) if r["record"] == "message"] == before
    assert before[0]["due_time"] is not None
    assert before[0]["expires_at"] is not None
