"""Poison messages: how IBM's classes for JMS handle them, and what programs see."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.headers import rfh2
from mqtriage.mq.message import Message
from tests.jms.conftest import At, Session
from tests.support.ibm_java import Thrown

DISCARD = {"JMS_IBM_Report_Discard_Msg": cmqc.MQRO_DISCARD_MSG}


def fail(session: Session, queue: str, times: int) -> None:
    """Receive and roll back."""
    session.consume(queue)
    for _ in range(times):
        assert session.receive() is not None
        session.rollback()


def text_of(message: Message) -> bytes:
    """What stands behind its one MQRFH2."""
    header = rfh2.decode(message.body, 0, ">")
    assert isinstance(header, rfh2.RFH2)
    assert header.format != "MQHRF2"
    return message.body[header.length :]


@pytest.mark.seed(
    "PM-01",
    "PM-02",
    "PM-06",
    "PM-08",
    "PM-10",
    "PM-11",
    "PM-12",
    "BO-15",
    "BO-17",
    "BO-19",
    "BO-24",
    "BO-25",
)
@pytest.mark.parametrize("api", ["context", "session"])
@pytest.mark.parametrize("threshold", [1, 3])
def test_a_message_is_delivered_as_often_as_the_threshold_says_and_then_moved(
    at: At, api: str, threshold: int
) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=threshold, BOQNAME=backout)
    session = at.open(api=api, mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, threshold)
    assert at.browse(queue)[0].md.backout_count == threshold
    assert session.receive(wait=100) is None
    session.commit()
    assert (at.depth(queue), at.depth(backout)) == (0, 1)


@pytest.mark.seed("PM-03", "PM-04", "PM-05", "PM-14", "PM-15", "BO-06", "BO-13", "BO-14", "BO-18")
def test_by_default_it_is_delivered_again_without_end(at: At) -> None:
    backout = at.local()
    queue = at.local(BOQNAME=backout)
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    session.consume(queue)
    counts = []
    for _ in range(20):
        got = session.receive()
        assert got is not None
        counts.append((got["properties"]["JMSXDeliveryCount"], got["redelivered"]))
        session.rollback()
    assert counts == [(number, number > 1) for number in range(1, 21)]
    assert (at.depth(queue), at.depth(backout)) == (1, 0)


@pytest.mark.seed("BO-07", "BO-08", "BO-09", "BO-11")
def test_until_the_rollback_no_other_reader_sees_it(at: At) -> None:
    queue = at.local()
    first, second = at.open("1", mode="transacted"), at.open("2", mode="transacted")
    first.send(queue)
    first.commit()
    assert first.receive(queue) is not None
    assert second.receive(queue, call="no-wait") is None
    first.rollback()
    assert second.receive() is not None
    second.commit()
    assert at.depth(queue) == 0


@pytest.mark.seed("PM-07")
def test_the_attributes_of_the_queue_that_holds_it_decide(at: At) -> None:
    backout = at.local()
    strict, patient = at.local(BOTHRESH=1, BOQNAME=backout), at.local(BOTHRESH=5, BOQNAME=backout)
    session = at.open(mode="transacted")
    for queue in (strict, patient):
        session.send(queue, "poison")
        session.commit()
        fail(session, queue, 1)
    assert session.receive(patient) is not None
    session.rollback()
    assert session.receive(strict, wait=100) is None
    session.commit()
    assert (at.depth(strict), at.depth(patient), at.depth(backout)) == (0, 1, 1)


@pytest.mark.seed("PM-16", "PM-17")
def test_the_attributes_are_read_at_the_first_backed_out_message_and_kept(at: At) -> None:
    backout, other = at.local(), at.local()
    queue = at.local(BOQNAME=backout)
    session = at.open(mode="transacted")
    session.consume(queue)
    at.alter(queue, BOTHRESH=2)
    for text in ("first", "second"):
        session.send(queue, text)
        session.commit()
        for _ in range(2):
            assert session.receive() is not None
            session.rollback()
        assert session.receive(wait=100) is None
        session.commit()
        at.alter(queue, BOTHRESH=9, BOQNAME=other)
    assert (at.depth(backout), at.depth(other)) == (2, 0)
    session.send(queue, "third")
    session.commit()
    fail(session, queue, 3)
    assert at.depth(queue) == 1


@pytest.mark.seed("PM-18", "PM-19")
def test_behind_an_alias_the_attributes_of_the_local_queue_count(at: At) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    at.mqsc(f"DEFINE QALIAS(ALIAS.{queue}) TARGET({queue})")
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, f"ALIAS.{queue}", 1)
    assert session.receive(wait=100) is None
    session.commit()
    assert at.depth(backout) == 1


@pytest.mark.seed("PM-21", "PM-22", "PM-23", "PM-25", "PM-27", "PM-24")
@pytest.mark.parametrize("kind", ["plain", "durable"])
def test_a_subscribers_queue_has_them_from_the_model_that_its_topic_names(
    at: At, kind: str
) -> None:
    backout = at.local()
    models = {"plain": ("MNDURMDL", f"M.{backout}"), "durable": ("MDURMDL", f"M.{backout}")}
    keyword, model = models[kind]
    at.mqsc(
        f"DEFINE QMODEL({model}) DEFTYPE({'PERMDYN' if kind == 'durable' else 'TEMPDYN'})"
        f" BOTHRESH(1) BOQNAME({backout})\n"
        f"DEFINE TOPIC(T.{backout}) TOPICSTR('poison/{backout}') {keyword}({model})"
    )
    session = at.open(mode="transacted", **{"client-id": backout})
    session.consume(f"topic://poison/{backout}", kind=kind, name=backout)
    session.send(f"topic://poison/{backout}", "poison", persistence=1)
    session.commit()
    assert session.receive() is not None
    session.rollback()
    assert session.receive(wait=100) is None
    session.commit()
    assert at.depth(backout) == 1


@pytest.mark.seed("PM-26", "PM-28")
@pytest.mark.parametrize(
    ("kind", "model"),
    [("plain", "SYSTEM.NDURABLE.MODEL.QUEUE"), ("durable", "SYSTEM.DURABLE.MODEL.QUEUE")],
)
def test_where_the_topic_names_none_they_are_those_of_the_default_model(
    at: At, kind: str, model: str
) -> None:
    backout = at.local()
    at.mqsc(f"ALTER QMODEL({model}) BOTHRESH(1) BOQNAME({backout})")
    try:
        session = at.open(mode="transacted", **{"client-id": backout})
        session.consume(f"topic://default/{backout}", kind=kind, name=backout)
    finally:
        at.mqsc(f"ALTER QMODEL({model}) BOTHRESH(0) BOQNAME('')")
    session.send(f"topic://default/{backout}", "poison", persistence=1)
    session.commit()
    assert session.receive() is not None
    session.rollback()
    assert session.receive(wait=100) is None
    session.commit()
    assert at.depth(backout) == 1


CALLS = [
    ("context", "plain", call)
    for call in ("receive-timeout", "no-wait", "body-timeout", "body-no-wait", "receive", "body")
] + [
    (api, kind, call)
    for api, kind in (("session", "plain"), ("queue", "queue-receiver"))
    for call in ("receive-timeout", "no-wait", "receive")
]


@pytest.mark.seed("PM-37", "PM-38", "PM-39")
@pytest.mark.parametrize(("api", "kind", "call"), CALLS)
def test_each_synchronous_call_moves_poison_and_goes_on_to_the_next(
    at: At, api: str, kind: str, call: str
) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    session = at.open(api=api, mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    session.run("close-consumer")
    session.send(queue, "good")
    session.commit()
    got = session.receive(queue, kind=kind, call=call)
    assert got is not None
    assert got["text"] == "good"
    session.commit()
    assert (at.depth(queue), at.depth(backout)) == (0, 1)


@pytest.mark.seed("PM-38")
def test_a_topic_subscriber_does_so_too(at: At) -> None:
    backout = at.local()
    at.mqsc(
        f"DEFINE QMODEL(M.{backout}) DEFTYPE(TEMPDYN) BOTHRESH(1) BOQNAME({backout})\n"
        f"DEFINE TOPIC(T.{backout}) TOPICSTR('poison/{backout}') MNDURMDL(M.{backout})"
    )
    topic = f"topic://poison/{backout}"
    session = at.open(api="topic", mode="transacted")
    for number, call in enumerate(("receive-timeout", "no-wait", "receive"), 1):
        session.consume(topic, kind="topic-subscriber")
        session.send(topic, "poison", persistence=1)
        session.commit()
        assert session.receive() is not None
        session.rollback()
        session.send(topic, "good", persistence=1)
        session.commit()
        assert (session.receive(call=call) or {})["text"] == "good"
        session.commit()
        session.run("close-consumer")
        assert at.depth(backout) == number


@pytest.mark.seed("PM-43", "PM-13")
@pytest.mark.parametrize("backout", ["", "full"])
def test_one_that_says_so_is_discarded_when_it_cannot_go_to_a_backout_queue(
    at: At, backout: str
) -> None:
    dead = at.dead_letter_queue()
    queue = at.local(BOTHRESH=1, **({"BOQNAME": at.full()} if backout else {}))
    session = at.open(mode="transacted")
    session.send(queue, "poison", properties=DISCARD)
    session.commit()
    fail(session, queue, 1)
    assert session.receive(wait=100) is None
    session.commit()
    assert (at.depth(queue), at.depth(dead)) == (0, 0)


@pytest.mark.seed("PM-13", "PM-44", "PM-45", "BO-22", "BO-26", "BO-31")
@pytest.mark.parametrize("backout", ["", "full"])
def test_any_other_goes_to_the_dead_letter_queue(at: At, backout: str) -> None:
    dead = at.dead_letter_queue()
    queue = at.local(BOTHRESH=1, **({"BOQNAME": at.full()} if backout else {}))
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    assert session.receive(wait=100) is None
    session.commit()
    assert (at.depth(queue), at.depth(dead)) == (0, 1)


@pytest.mark.seed("PM-46", "PM-47", "BO-28")
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_if_the_dead_letter_queue_refuses_it_a_commit_loses_it_and_a_rollback_does_not(
    at: At, end: str
) -> None:
    """The receive throws, too: the application may know."""
    dead = at.dead_letter_queue(PUT="DISABLED")
    queue = at.local(BOTHRESH=1)
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    with pytest.raises(Thrown) as error:
        session.receive(wait=100)
    assert (error.value.code, error.value.reason) == ("JMSWMQ1080", cmqc.MQRC_PUT_INHIBITED)
    session.run(end)
    assert (at.depth(queue), at.depth(dead)) == (int(end == "rollback"), 0)


@pytest.mark.seed("PM-48")
def test_a_session_that_is_not_transacted_loses_it(at: At) -> None:
    at.dead_letter_queue(PUT="DISABLED")
    queue = at.local(BOTHRESH=1)
    session = at.open("1", mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    session.close()
    session = at.open("2")
    with pytest.raises(Thrown) as error:
        session.receive(queue, wait=100)
    assert error.value.code == "JMSWMQ1080"
    session.close()
    assert at.depth(queue) == 0


@pytest.mark.seed("PM-37", "PM-40", "PM-41")
def test_the_move_belongs_to_the_unit_of_work_that_is_open(at: At) -> None:
    backout, other = at.local(), at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    for end, on_queue, on_backout in (("rollback", 1, 0), ("commit", 0, 1)):
        session.send(other, "opens a unit of work")
        assert session.receive(wait=100) is None
        assert at.browse(backout) == []
        session.run(end)
        assert (at.depth(queue), at.depth(backout)) == (on_queue, on_backout)


def test_where_none_is_open_the_client_commits_the_move_itself(at: At) -> None:
    """The documents speak of the unit of work that was active; here none was."""
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    session = at.open(mode="transacted")
    session.send(queue, "poison")
    session.commit()
    fail(session, queue, 1)
    session.send(queue, "good")
    session.run("close-consumer")
    session.commit()
    assert (session.receive(queue) or {})["text"] == "good"
    session.rollback()
    assert (at.depth(queue), at.depth(backout)) == (1, 1)


# listeners ------------------------------------------------------------------------------------


@pytest.mark.seed("PM-49", "PM-50")
@pytest.mark.parametrize("api", ["context", "session"])
@pytest.mark.parametrize("mode", ["transacted", "auto"])
def test_a_listener_goes_on_while_poison_is_moved_away(at: At, api: str, mode: str) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=2, BOQNAME=backout)
    at.open("sender").send(queue, "poison")
    for number in range(3):
        at.run("send", id="sender", to=f"queue:///{queue}", text=f"good {number}")
    session = at.open("listener", api=api, mode=mode)
    session.listen(queue, mode=mode)
    texts = [one["text"] for one in session.heard(5)]
    session.close()
    assert sorted(texts) == ["good 0", "good 1", "good 2", "poison", "poison"]
    assert [text for text in texts if text != "poison"] == ["good 0", "good 1", "good 2"]
    assert (at.depth(queue), at.depth(backout)) == (0, 1)


@pytest.mark.seed("PM-51")
def test_for_a_listener_too_one_that_says_so_is_discarded(at: At) -> None:
    dead = at.dead_letter_queue()
    queue = at.local(BOTHRESH=1)
    at.open("sender").send(queue, "poison", properties=DISCARD)
    session = at.open("listener", mode="transacted")
    session.listen(queue, mode="transacted")
    assert len(session.heard(1, quiet=200)) == 1
    session.close()
    assert (at.depth(queue), at.depth(dead)) == (0, 0)


@pytest.mark.seed("PM-52", "PM-53")
def test_for_a_listener_too_any_other_goes_to_the_dead_letter_queue(at: At) -> None:
    dead = at.dead_letter_queue()
    queue = at.local(BOTHRESH=1)
    at.open("sender").send(queue, "poison")
    session = at.open("listener", mode="transacted")
    session.listen(queue, mode="transacted")
    assert len(session.heard(1, quiet=200)) == 1
    session.close()
    assert (at.depth(queue), at.depth(dead)) == (0, 1)


@pytest.mark.seed("PM-54")
def test_if_that_refuses_it_the_message_returns_to_its_queue(at: At) -> None:
    dead = at.dead_letter_queue(PUT="DISABLED")
    queue = at.local(BOTHRESH=1)
    at.open("sender").send(queue, "poison")
    session = at.open("listener", mode="transacted")
    session.listen(queue, mode="transacted")
    assert session.heard(1, quiet=200)
    session.close()
    assert (at.depth(queue), at.depth(dead)) == (1, 0)


@pytest.mark.seed("PM-54")
def test_nothing_behind_it_is_delivered_then(at: At) -> None:
    """A simulated listener is held to this (tests/unit/emulator/clients/test_jms_async.py)."""
    at.dead_letter_queue(PUT="DISABLED")
    queue = at.local(BOTHRESH=1)
    for text in ("poison", "good"):
        at.open("sender").send(queue, text)
        at.java.run("close", id="sender")
    session = at.open("listener", mode="transacted")
    session.listen(queue, mode="transacted")
    heard = session.heard(2, wait=3000)
    session.close()
    assert [one["text"] for one in heard] == ["poison"]
    assert at.depth(queue) == 2


@pytest.mark.seed("PM-55", "BO-24", "BO-33", "BO-30")
def test_a_connection_consumer_moves_poison_away_too(at: At) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=2, BOQNAME=backout)
    at.open("sender").send(queue, "poison")
    at.run("send", id="sender", to=f"queue:///{queue}", text="good")
    heard = at.run("connection-consumer", **{"from": queue}, count=3)
    assert sorted(heard) == ["good", "poison", "poison"]
    assert (at.depth(queue), at.depth(backout)) == (0, 1)


# what a message is like on the backout queue --------------------------------------------------


@pytest.mark.seed("PM-56", "PM-57", "PM-58", "PM-59", "PM-60")
def test_a_jms_message_keeps_its_header_and_its_fields(at: At) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    session = at.open(mode="transacted")
    session.send(queue, "poison", ttl=60_000, priority=7, correlation="ID:" + "cd" * 24,
                 reply=backout, properties={"colour": "red"})  # fmt: skip
    session.commit()
    (before,) = at.browse(queue)
    fail(session, queue, 1)
    at.advance(10)
    assert session.receive(wait=100) is None
    session.commit()
    (after,) = at.browse(backout)
    assert after.md.expiry_tenths == 500
    assert after.md.backout_count == 0
    assert after.body == before.body
    old, new = (one.md._replace(expiry_tenths=0, backout_count=0) for one in (before, after))
    assert new == old


@pytest.mark.seed("PM-56", "PM-61", "PM-62", "PM-63", "PM-64", "PM-65", "PM-66", "PM-67", "PM-68")
def test_a_message_without_a_header_gets_one_that_leads_to_the_same_body(at: At) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=1, BOQNAME=backout)
    at.lab.put(queue, b"poison", encoding=546, ccsid=819, expiry_tenths=600)
    session = at.open(mode="transacted")
    fail(session, queue, 1)
    at.advance(10)
    assert session.receive(wait=100) is None
    session.commit()
    (moved,) = at.browse(backout)
    md = moved.md
    assert (md.format, md.ccsid, md.encoding) == ("MQHRF2", 1208, 273)
    assert (md.backout_count, md.expiry_tenths) == (0, 500)
    header = rfh2.decode(moved.body, 0, ">")
    assert isinstance(header, rfh2.RFH2)
    assert (header.format, header.ccsid, header.encoding) == ("MQSTR", 819, 546)
    assert text_of(moved) == b"poison"
