"""Publish/subscribe with IBM's classes for JMS."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from tests.jms.conftest import At
from tests.support.ibm_java import Thrown


@pytest.mark.parametrize("api", ["context", "session"])
def test_a_publication_reaches_who_subscribed_before(at: At, api: str) -> None:
    jms = at.open(api=api)
    jms.send("topic://jms/plain", "to nobody")
    jms.consume("topic://jms/plain")
    jms.send("topic://jms/plain", "to one")
    got = jms.receive()
    assert got is not None
    assert (got["text"], got["to"]) == ("to one", "topic://jms/plain")
    assert jms.receive(call="no-wait") is None


def test_wildcards_and_selectors_choose_publications(at: At) -> None:
    jms = at.open()
    jms.consume("topic://jms/wild/#", selector="n = 2")
    for number in range(1, 4):
        jms.send("topic://jms/wild/one", f"{number}", properties={"n": number})
    assert (jms.receive() or {})["text"] == "2"
    assert jms.receive(call="no-wait") is None


def test_a_durable_subscription_keeps_what_came_meanwhile(at: At) -> None:
    durable = {"kind": "durable", "name": "kept"}
    jms = at.open(**{"client-id": "durable"})
    jms.consume("topic://jms/durable", **durable)
    jms.close()
    at.open("publisher").send("topic://jms/durable", "meanwhile")
    jms = at.open(**{"client-id": "durable"})
    jms.consume("topic://jms/durable", **durable)
    assert (jms.receive() or {})["text"] == "meanwhile"
    jms.run("close-consumer")
    jms.run("unsubscribe", name="kept")
    with pytest.raises(Thrown) as error:
        jms.run("unsubscribe", name="kept")
    assert error.value.reason in (cmqc.MQRC_NO_SUBSCRIPTION, 0)


@pytest.mark.parametrize("kind", ["shared", "shared-durable"])
def test_a_subscription_may_be_shared(at: At, kind: str) -> None:
    jms = at.open()
    jms.consume("topic://jms/shared", kind=kind, name=f"the {kind}")
    publisher = at.open("publisher")
    for number in range(3):
        publisher.send("topic://jms/shared", f"{number}")
    assert [(jms.receive() or {})["text"] for _ in range(3)] == list("012")
    jms.run("close-consumer")
    if kind == "shared-durable":
        jms.run("unsubscribe", name=f"the {kind}")


@pytest.mark.parametrize("kind", ["shared", "shared-durable"])
def test_each_publication_goes_to_one_of_those_who_share_a_subscription(at: At, kind: str) -> None:
    """Until the last of them ends, whoever came first; then a durable one stays."""
    topic, name = f"topic://jms/among/{kind}", f"among {kind}"
    first, second, publisher = at.open("first"), at.open("second"), at.open("publisher")
    first.consume(topic, kind=kind, name=name)
    second.consume(topic, kind=kind, name=name)
    for number in range(4):
        publisher.send(topic, f"{number}")
    got = [(jms.receive() or {})["text"] for jms in (first, second, second, first)]
    assert got == list("0123")
    first.close()
    publisher.send(topic, "to the second")
    assert (second.receive() or {})["text"] == "to the second"
    if kind == "shared-durable":
        with pytest.raises(Thrown) as error:
            publisher.run("unsubscribe", name=name)
        assert error.value.reason == cmqc.MQRC_SUBSCRIPTION_IN_USE
    second.close()
    publisher.send(topic, "to nobody")
    third = at.open("third")
    third.consume(topic, kind=kind, name=name)
    kept = third.receive(call="no-wait")
    assert (kept or {}).get("text") == ("to nobody" if kind == "shared-durable" else None)
    third.run("close-consumer")
    if kind == "shared-durable":
        third.run("unsubscribe", name=name)


def test_who_shares_a_subscription_asks_for_the_same_topic(at: At) -> None:
    first, second = at.open("first"), at.open("second")
    first.consume("topic://jms/same/one", kind="shared", name="same")
    with pytest.raises(Thrown):
        second.consume("topic://jms/same/other", kind="shared", name="same")
    with pytest.raises(Thrown):
        second.consume("topic://jms/same/one", kind="shared", name="same", selector="n = 1")
    at.open("publisher").send("topic://jms/same/one", "still there")
    assert (first.receive() or {})["text"] == "still there"


def test_a_listener_hears_publications(at: At) -> None:
    heard = at.run("listen-to-topic", **{"from": "jms/heard"}, count=3)
    assert heard == ["number 1", "number 2", "number 3"]


def test_a_retained_publication_reaches_who_subscribes_later(at: At) -> None:
    jms = at.open()
    jms.send("topic://jms/retained", "kept", properties={"JMS_IBM_Retain": 1})
    jms.consume("topic://jms/retained")
    assert (jms.receive() or {})["text"] == "kept"


def test_a_transacted_publication_waits_for_its_commit(at: At) -> None:
    subscriber = at.open("subscriber")
    subscriber.consume("topic://jms/transacted")
    publisher = at.open("publisher", mode="transacted")
    publisher.send("topic://jms/transacted")
    assert subscriber.receive(call="no-wait") is None
    publisher.rollback()
    publisher.send("topic://jms/transacted", "committed")
    publisher.commit()
    assert (subscriber.receive() or {})["text"] == "committed"
