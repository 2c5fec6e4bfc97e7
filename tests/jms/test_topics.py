"""Publish/subscribe with IBM's classes for JMS."""

from __future__ import annotations

import pytest

from mqtriage.mq import codes
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
    assert error.value.reason in (codes.MQRC_NO_SUBSCRIPTION, 0)


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
