"""Publish/subscribe: the managed queue, made from the topic's model queue, is inquired."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.jms import Acknowledge
from mqtriage.emulator.pubsub import topics
from tests.support.jms_consumers import TopicSubscriber
from tests.unit.emulator.clients.conftest import ClientLab


@pytest.fixture
def models(lab: ClientLab) -> ClientLab:
    lab.local("BOQ2")
    shared = {"DEFTYPE": "PERMDYN", "SHARE": "YES", "DEFSOPT": "SHARED"}
    lab.mq.define("QMODEL", "M1", {**shared, "BOTHRESH": 2, "BOQNAME": "BOQ"})
    lab.mq.define("QMODEL", "M2", {**shared, "BOTHRESH": 4, "BOQNAME": "BOQ2"})
    lab.mq.define("TOPIC", "T1", {"TOPICSTR": "a/topic", "MDURMDL": "M1", "MNDURMDL": "M2"})
    return lab


def subscriber(lab: ClientLab, durable: str = "", topic: str = "a/topic") -> TopicSubscriber:
    return TopicSubscriber(lab.session(Acknowledge.AUTO), topic, durable)


@pytest.mark.seed("PM-21")
def test_subscribing_makes_a_queue_that_goes_with_a_non_durable_subscription(
    lab: ClientLab,
) -> None:
    before = {queue.name for queue in lab.mq.queues()}
    consumer = subscriber(lab)
    (new,) = {queue.name for queue in lab.mq.queues()} - before
    assert new == consumer.subscription.destination
    assert lab.mq.queue(new).kind == "QLOCAL"
    consumer.close()
    assert {queue.name for queue in lab.mq.queues()} == before


@pytest.mark.seed("PM-21")
def test_the_queue_of_a_durable_subscription_stays(lab: ClientLab) -> None:
    consumer = subscriber(lab, "SUB1")
    consumer.close()
    lab.mq.queue(consumer.subscription.destination)
    assert subscriber(lab, "SUB1").subscription.destination == consumer.subscription.destination


@pytest.mark.seed("PM-23", "PM-24", "PM-25", "PM-27")
@pytest.mark.parametrize(
    ("durable", "threshold", "name"), [("SUB1", 2, "BOQ"), ("", 4, "BOQ2")], ids=["M1", "M2"]
)
def test_the_managed_queue_inherits_from_the_model_of_its_kind(
    models: ClientLab, durable: str, threshold: int, name: str
) -> None:
    queue = subscriber(models, durable).subscription.destination
    attributes = models.mq.queue(queue).attributes
    assert (attributes["BOTHRESH"], attributes["BOQNAME"]) == (threshold, name)
    models.mq.alter("QMODEL", "M1", {"BOTHRESH": 9})
    models.mq.alter("QMODEL", "M2", {"BOTHRESH": 9})
    assert models.mq.queue(queue).attributes["BOTHRESH"] == threshold


@pytest.mark.seed("PM-26", "PM-28")
@pytest.mark.parametrize(
    ("durable", "model"),
    [("SUB1", "SYSTEM.DURABLE.MODEL.QUEUE"), ("", "SYSTEM.NDURABLE.MODEL.QUEUE")],
)
def test_by_default_the_system_model_queues_are_used(
    lab: ClientLab, durable: str, model: str
) -> None:
    lab.mq.alter("QMODEL", model, {"BOTHRESH": 6})
    queue = subscriber(lab, durable, "any/topic").subscription.destination
    assert lab.mq.queue(queue).attributes["BOTHRESH"] == 6
    keyword = "MDURMDL" if durable else "MNDURMDL"
    assert topics.resolved(lab.mq.manager, "any/topic", keyword) == model


@pytest.mark.seed("PM-22")
def test_the_managed_queue_is_inquired_not_the_model(models: ClientLab) -> None:
    consumer = subscriber(models, "SUB1")
    queue = consumer.subscription.destination
    models.alter(queue, BOTHRESH=5)
    models.poison(queue, 4)
    assert consumer.receive_no_wait() is not None
    models.poison(queue, 5)
    assert consumer.receive_no_wait() is None
    assert models.depth("BOQ") == 1
