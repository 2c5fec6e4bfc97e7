"""Sending and receiving with IBM's classes for JMS."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from tests.jms.conftest import At
from tests.support.ibm_java import Thrown


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_message_is_sent_and_received(at: At, api: str) -> None:
    queue = at.local()
    jms = at.open(api=api)
    sent = jms.send(queue, "grüße", correlation="mine", properties={"colour": "red", "n": 3})
    got = jms.receive(queue)
    assert got is not None
    assert (got["text"], got["correlation"]) == ("grüße", "mine")
    assert (got["id"], got["timestamp"]) == (sent["id"], sent["timestamp"])
    assert {"colour": "red", "n": 3}.items() <= got["properties"].items()
    assert at.depth(queue) == 0


@pytest.mark.parametrize("mqcsp", [True, False], ids=["mqcsp", "compatibility"])
@pytest.mark.parametrize("api", ["context", "session"])
def test_a_program_gives_user_and_password(at: At, api: str, mqcsp: bool) -> None:
    queue = at.local()
    jms = at.open(api=api, user="app", password="passw0rd", mqcsp=mqcsp)
    jms.send(queue)
    assert jms.receive(queue) is not None


def test_a_producer_bound_to_its_queue_sends(at: At) -> None:
    queue = at.local()
    jms = at.open(api="session", to=queue)
    for number in range(5):
        jms.send(queue, f"{number}")
    assert [one["text"] for one in jms.browse(queue)] == list("01234")


def test_bytes_come_back_as_they_were(at: At) -> None:
    queue = at.local()
    jms = at.open()
    body = "".join(chr(one) for one in range(256))
    jms.send(queue, bytes=body)
    assert at.browse(queue)[0].body.endswith(bytes(range(256)))
    assert (jms.receive(queue) or {})["bytes"] == body


def test_messages_of_all_kinds_come_back_equal(at: At) -> None:
    assert at.run("message-types", to=at.local()) == {
        "map": [42, "café", 3, 1.5],
        "stream": [1 << 40, "two", True],
        "object": "[a, b]",
        "empty": True,
    }


def test_properties_of_all_types_are_selected_by_and_come_back(at: At) -> None:
    got = at.run("properties", to=at.local())
    assert got["kinds"] == [True] * 4
    assert got["jms_type"] == "order"
    assert got["correlation"] == "my-correlation"
    expected = {
        "aBoolean": True, "aByte": 7, "aShort": -300, "anInt": 70_000, "aLong": 1 << 40,
        "aFloat": 1.5, "aDouble": 2.25, "aText": "<café & co>",
    }  # fmt: skip
    assert expected.items() <= got["properties"].items()


@pytest.mark.parametrize("size", [4096, 32_748, 200_000, 1_500_000])
def test_a_large_message_arrives_whole(at: At, size: int) -> None:
    queue = at.local()
    jms = at.open()
    jms.send(queue, size=size)
    assert (jms.receive(queue) or {})["length"] == size


def test_a_large_message_reaches_a_listener(at: At) -> None:
    queue = at.local()
    at.open("sender").send(queue, size=700_000)
    jms = at.open("listener")
    jms.listen(queue)
    assert [one["length"] for one in jms.heard(1)] == [700_000]


def test_a_browser_shows_what_stays(at: At) -> None:
    queue = at.local()
    jms = at.open()
    for number in range(4):
        jms.send(queue, f"{number}", properties={"n": number})
    assert [one["text"] for one in jms.browse(queue)] == list("0123")
    assert [one["text"] for one in jms.browse(queue, selector="n > 1")] == ["2", "3"]
    assert at.depth(queue) == 4


def test_a_selector_chooses(at: At) -> None:
    queue = at.local()
    jms = at.open()
    for colour in ("red", "blue", "green"):
        jms.send(queue, colour, properties={"colour": colour})
    assert (jms.receive(queue, selector="colour = 'blue'") or {})["text"] == "blue"
    assert jms.receive(call="no-wait") is None
    assert at.depth(queue) == 2


def test_a_message_is_chosen_by_its_id_and_by_its_correlation_id(at: At) -> None:
    queue = at.local()
    jms = at.open()
    sent = [
        jms.send(queue, f"{number}", correlation="ID:" + f"{number:02x}" * 24)
        for number in range(1, 4)
    ]
    by_id = jms.receive(queue, selector=f"JMSMessageID = '{sent[1]['id']}'")
    by_correlation = jms.receive(queue, selector=f"JMSCorrelationID = '{sent[2]['correlation']}'")
    assert [one and one["text"] for one in (by_id, by_correlation)] == ["2", "3"]


def test_nothing_comes_of_an_empty_queue_when_the_time_is_over(at: At) -> None:
    jms = at.open()
    assert jms.receive(at.local(), wait=200) is None


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_receive_waits_for_a_message_that_comes_later(at: At, api: str) -> None:
    queue = at.local()
    jms = at.open("receiver", api=api)
    jms.consume(queue)
    at.run("start", of="receive", id="receiver", wait=15_000)
    at.open("sender").send(queue, "late")
    assert at.run("await")["text"] == "late"


def test_a_receive_that_waits_does_not_hold_up_another_session(at: At) -> None:
    """Both share a socket: the sender would wait for the receiver otherwise."""
    queue, other = at.local(), at.local()
    at.open("receiver").consume(queue)
    at.run("start", of="receive", id="receiver", wait=15_000)
    sender = at.open("sender")
    sender.send(other, "beside")
    assert sender.receive(other) is not None
    assert at.run("running")
    sender.send(queue, "ends it")
    assert at.run("await")["text"] == "ends it"


def test_a_receive_without_end_ends_with_its_consumer(at: At) -> None:
    assert at.run("close-while-receiving", **{"from": at.local()}) == "null"


def test_a_commit_makes_sends_and_receives_final(at: At) -> None:
    first, second = at.local(), at.local()
    jms = at.open(mode="transacted")
    for number in range(3):
        jms.send(first, f"{number}")
    assert at.open("two").receive(first, call="no-wait") is None
    jms.commit()
    assert at.depth(first) == 3
    assert jms.receive(first) is not None
    jms.send(second)
    jms.rollback()
    assert (at.depth(first), at.depth(second)) == (3, 0)


def test_unacknowledged_messages_come_again_after_recover(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="client")
    jms.send(queue, "1")
    jms.send(queue, "2")
    assert [(jms.receive(queue) or {})["text"], (jms.receive() or {})["text"]] == ["1", "2"]
    jms.run("recover")
    again = jms.receive()
    assert again is not None
    assert (again["text"], again["redelivered"]) == ("1", True)
    assert jms.receive() is not None
    jms.run("acknowledge")
    jms.close()
    assert at.depth(queue) == 0


def test_what_was_not_acknowledged_is_there_for_the_next(at: At) -> None:
    queue = at.local()
    jms = at.open(mode="client")
    jms.send(queue)
    assert jms.receive(queue) is not None
    jms.close()
    assert (at.open().receive(queue) or {})["redelivered"]


def test_a_reply_comes_to_a_temporary_queue(at: At) -> None:
    seen = at.run("request-reply", to=at.local())
    assert seen["reply"] == "late"
    assert seen["queue"].startswith("AMQ.")
    assert not list(at.lab.mq.queues(seen["queue"]))


def test_a_completion_listener_hears_of_each_message(at: At) -> None:
    queue = at.local()
    heard = at.run("completion-listener", to=queue, count=3)
    assert heard == ["sent message 1", "sent message 2", "sent message 3"]
    assert at.depth(queue) == 3


@pytest.mark.parametrize("mode", ["auto", "transacted"])
def test_messages_are_sent_without_waiting_for_an_answer(at: At, mode: str) -> None:
    queue = at.local()
    at.run("send-many", to=f"queue:///{queue}?putAsyncAllowed=1", count=50, mode=mode,
           persistence=1)  # fmt: skip
    assert at.depth(queue) == 50


@pytest.mark.parametrize("body", [False, True], ids=["receive", "receiveBody"])
def test_messages_are_read_ahead_of_the_program(at: At, body: bool) -> None:
    queue = at.local()
    at.run("send-many", to=queue, count=50, persistence=1)
    texts = at.run("receive-all", body=body, **{"from": f"queue:///{queue}?readAheadAllowed=1"})
    assert texts == [f"number {number}" for number in range(1, 51)]
    assert at.depth(queue) == 0


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_refused_send_tells_its_reason(at: At, api: str) -> None:
    jms = at.open(api=api)
    for queue, reason in (
        (at.full(), cmqc.MQRC_Q_FULL),
        (at.local(PUT="DISABLED"), cmqc.MQRC_PUT_INHIBITED),
        ("NO.SUCH.QUEUE", cmqc.MQRC_UNKNOWN_OBJECT_NAME),
    ):
        with pytest.raises(Thrown) as error:
            jms.send(queue)
        assert (error.value.reason, error.value.checked) == (reason, api == "session"), queue


def test_a_transacted_send_that_finds_no_room_fails_the_commit(at: At) -> None:
    queue, other = at.full(), at.local()
    jms = at.open(mode="transacted")
    jms.send(other)
    jms.send(queue)
    with pytest.raises(Thrown) as error:
        jms.commit()
    assert error.value.kind == "DetailedTransactionRolledBackRuntimeException"
    assert error.value.reason == cmqc.MQRC_Q_FULL  # which the client has asked for by MQSTAT
    assert at.depth(other) == 0


def test_messages_come_in_the_order_of_their_priority(at: At) -> None:
    queue = at.local(MSGDLVSQ="PRIORITY")
    jms = at.open()
    for priority in (1, 9, 5):
        jms.send(queue, f"{priority}", priority=priority)
    assert [(jms.receive(queue) or {})["text"] for _ in range(3)] == ["9", "5", "1"]


# listeners ------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["context", "session"])
@pytest.mark.parametrize("mode", ["auto", "transacted", "client", "dups-ok"])
def test_a_listener_hears_what_was_there_and_what_comes(at: At, api: str, mode: str) -> None:
    queue = at.local()
    sender = at.open("sender")
    sender.send(queue, "before")
    jms = at.open("listener", api=api, mode=mode)
    jms.listen(queue, mode=mode)
    assert [one["text"] for one in jms.heard(1)] == ["before"]
    sender.send(queue, "after")
    assert [one["text"] for one in jms.heard(1)] == ["after"]
    jms.close()
    assert at.depth(queue) == 0


def test_a_listener_with_a_selector_hears_what_it_selects(at: At) -> None:
    queue = at.local()
    jms = at.open("listener")
    jms.listen(queue, selector="n > 1")
    sender = at.open("sender")
    for number in range(4):
        sender.send(queue, f"{number}", properties={"n": number})
    assert [one["text"] for one in jms.heard(2)] == ["2", "3"]
    jms.close()
    assert at.depth(queue) == 2


def test_a_listener_that_is_stopped_hears_nothing_until_it_goes_on(at: At) -> None:
    queue = at.local()
    jms = at.open("listener")
    jms.listen(queue)
    sender = at.open("sender")
    sender.send(queue, "1")
    assert len(jms.heard(1)) == 1
    jms.run("stop")
    sender.send(queue, "2")
    assert jms.heard(1, wait=200) == []
    jms.run("go")
    assert [one["text"] for one in jms.heard(1)] == ["2"]


def test_two_listeners_of_one_transacted_session_share_its_unit_of_work(at: At) -> None:
    first, second = at.local(), at.local()
    sender = at.open()
    for number in range(3):
        sender.send(first, f"again {number}")
        sender.send(second, f"good {number}")
    heard = at.run("two-listeners", **{"from": f"{first},{second}"}, count=9)
    finals = sorted(text for text in heard if text.endswith("redelivered") or "good" in text)
    assert finals == [
        *(f"again {number} redelivered" for number in range(3)),
        *(f"good {number}" for number in range(3)),
    ]
    assert (at.depth(first), at.depth(second)) == (0, 0)


def test_a_connection_consumer_gives_messages_to_its_pool(at: At) -> None:
    queue = at.local()
    sender = at.open()
    for number in range(3):
        sender.send(queue, f"{number}")
    assert at.run("connection-consumer", **{"from": queue}, count=3) == list("012")
    assert at.depth(queue) == 0
