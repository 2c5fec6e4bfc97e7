"""Delayed publications: matched at the send, one staged copy each, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import proxies, publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import ddh, dlh
from tests.unit.emulator.conftest import STAGING, Lab, bare, message

TOPIC = "news/sport"


@pytest.fixture
def news(lab: Lab) -> Lab:
    """A queue manager with a topic that delays are allowed on, a dead-letter and a reply queue."""
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": "news", "PMSGDLV": "ALLAVAIL"})
    lab.local("DLQ")
    lab.local("REPLIES")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    return lab


def durable(lab: Lab, name: str, topic: str = TOPIC, **more: Any) -> Subscription:
    return subscriptions.subscribe(lab.mq.connection, topic, name=name, durable=True, **more)


def publish(
    mq: EmulatedBackend, delay_ms: int = 0, body: bytes = b"goal", options: int = 0, **md: object
) -> MQMD:
    sent = publications.send(mq.connection, TOPIC, message(**md), body, options, delay_ms=delay_ms)
    return sent.md


def fill(lab: Lab, name: str, depth: int = 0) -> None:
    lab.mq.alter("QLOCAL", name, {"MAXDEPTH": depth})


@pytest.mark.seed("DD-111", "DD-112", "DD-08")
def test_one_copy_for_each_subscriber_waits_on_the_staging_queue(news: Lab) -> None:
    matching = [durable(news, "S1"), durable(news, "S2", "news/+"), durable(news, "S3", "#")]
    other = durable(news, "S4", "news/weather")
    publish(news.mq, 5000)
    news.advance(4.999)
    assert news.depth(STAGING) == 3
    assert [news.depth(s.destination) for s in (*matching, other)] == [0, 0, 0, 0]
    news.advance(0.001)
    assert [news.depth(s.destination) for s in (*matching, other)] == [1, 1, 1, 0]
    assert news.depth(STAGING) == 0
    assert bare(news.get(matching[0].destination)).body == b"goal"


@pytest.mark.seed("DD-111")
def test_without_a_subscriber_nothing_is_staged_and_the_send_works(news: Lab) -> None:
    assert publish(news.mq, 5000).msg_id != bytes(24)
    assert news.depth(STAGING) == 0


@pytest.mark.seed("DD-111")
def test_when_not_all_copies_fit_the_staging_queue_none_is_staged(news: Lab) -> None:
    durable(news, "S1")
    durable(news, "S2")
    fill(news, STAGING, 1)
    with pytest.raises(MQIError, match=STAGING) as error:
        publish(news.mq, 5000)
    assert error.value.reason == cmqc.MQRC_Q_FULL
    assert news.depth(STAGING) == 0


@pytest.mark.seed("DD-10", "DD-11", "DD-52")
def test_a_staged_copy_names_its_subscription_and_the_subscribers_queue(news: Lab) -> None:
    subscription = durable(news, "S1")
    sent = publish(news.mq, 5000)
    staged = next(iter(news.open(STAGING, 8).browse()))
    header = ddh.decode(staged.body)
    assert isinstance(header, ddh.DDH) and header.tail is not None
    assert (header.tail.subscription_name, header.target_q) == ("S1", subscription.destination)
    assert staged.md.correl_id == sent.msg_id


@pytest.mark.seed("DD-72", "DD-110")
def test_who_subscribes_after_the_send_does_not_get_it(news: Lab) -> None:
    first = durable(news, "S1")
    publish(news.mq, 5000)
    second = durable(news, "S2")
    news.advance(5)
    assert (news.depth(first.destination), news.depth(second.destination)) == (1, 0)


@pytest.mark.seed("DD-110")
def test_matching_is_at_the_send_and_not_at_the_commit(news: Lab) -> None:
    first = durable(news, "S1")
    publish(news.mq, 5000, options=cmqc.MQPMO_SYNCPOINT)
    second = durable(news, "S2")
    assert news.depth(STAGING) == 0
    news.mq.commit()
    assert news.depth(STAGING) == 1
    news.advance(5)
    assert (news.depth(first.destination), news.depth(second.destination)) == (1, 0)


@pytest.mark.seed("DD-102", "DD-104", "C-17")
@pytest.mark.parametrize("report", [0, cmqc.MQRO_EXCEPTION], ids=["silent", "report"])
def test_a_copy_for_a_subscriber_that_has_gone_is_discarded_without_the_dead_letter_queue(
    news: Lab, report: int
) -> None:
    durable(news, "S1")
    sent = publish(news.mq, 5000, report=report, reply_to_q="REPLIES")
    subscriptions.unsubscribe(news.mq.connection, "S1")
    news.advance(5)
    assert (news.depth(STAGING), news.depth("DLQ")) == (0, 0)
    assert news.depth("REPLIES") == (1 if report else 0)
    if report:
        md = news.get("REPLIES").md
        assert (md.correl_id, md.feedback) == (sent.msg_id, cmqc.MQRC_NO_SUBSCRIPTION)


@pytest.mark.seed("DD-103", "C-17")
@pytest.mark.parametrize("lasting", [False, True], ids=["non-durable", "durable"])
def test_disconnecting_ends_a_non_durable_subscription_and_no_durable_one(
    news: Lab, lasting: bool
) -> None:
    reader = news.connect()
    subscription = subscriptions.subscribe(reader.connection, TOPIC, name="S1", durable=lasting)
    publish(news.mq, 5000)
    reader.disconnect()
    news.advance(5)
    assert (news.depth(STAGING), news.depth("DLQ")) == (0, 0)
    there = {q.name for q in news.mq.queues("SYSTEM.MANAGED.*")}
    assert there == ({subscription.destination} if lasting else set())
    assert not lasting or news.depth(subscription.destination) == 1


@pytest.mark.seed("DD-105", "C-17", "TRAP-03")
def test_a_publication_that_the_dead_letter_queue_refuses_is_lost_where_a_message_waits(
    news: Lab,
) -> None:
    news.local("Q1")
    subscription = durable(news, "S1")
    publish(news.mq, 5000)
    news.send("Q1", 5000)
    for name in (subscription.destination, "Q1", "DLQ"):
        fill(news, name)
    news.advance(5)
    assert news.depth(STAGING) == 1
    for name in (subscription.destination, "Q1", "DLQ"):
        fill(news, name, 10)
    news.advance(3600)
    depths = [news.depth(name) for name in (STAGING, subscription.destination, "Q1", "DLQ")]
    assert depths == [0, 0, 1, 0]


@pytest.mark.seed("DD-119")
@pytest.mark.parametrize("discard", [0, cmqc.MQRO_DISCARD_MSG], ids=["dead-letter", "discard"])
def test_a_full_subscriber_queue_is_dealt_with_as_any_target(news: Lab, discard: int) -> None:
    subscription = durable(news, "S1")
    sent = publish(news.mq, 5000, report=cmqc.MQRO_EXCEPTION | discard, reply_to_q="REPLIES")
    fill(news, subscription.destination)
    news.advance(5)
    assert (news.depth(STAGING), news.depth("DLQ")) == (0, 0 if discard else 1)
    md = news.get("REPLIES").md
    assert (md.feedback, md.correl_id) == (cmqc.MQRC_Q_FULL, sent.msg_id)
    if not discard:
        header = dlh.decode(news.get("DLQ").body)
        assert isinstance(header, dlh.DLH)
        assert (header.reason, header.dest_q_name) == (cmqc.MQRC_Q_FULL, subscription.destination)


@pytest.mark.seed("DD-119")
def test_a_subscriber_queue_that_is_full_at_the_send_does_not_fail_the_publication(
    news: Lab,
) -> None:
    subscription = durable(news, "S1")
    fill(news, subscription.destination)
    publish(news.mq, 5000)
    fill(news, subscription.destination, 5)
    news.advance(5)
    assert news.depth(subscription.destination) == 1


@pytest.mark.seed("DD-116", "GAP-04")
def test_the_attribute_of_the_publications_own_persistence_counts(lab: Lab) -> None:
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": TOPIC, "PMSGDLV": "ALLDUR", "NPMSGDLV": "ALLAVAIL"})
    durable(lab, "S1")
    publish(lab.mq, 1000, persistence=0)
    with pytest.raises(MQIError) as error:
        publish(lab.mq, 1000, persistence=1)
    assert error.value.reason == cmqc.MQRC_PUBLICATION_FAILURE
    assert lab.depth(STAGING) == 1


@pytest.mark.seed("DD-117")
@pytest.mark.parametrize("value", ["ALL", "ALLDUR"])
def test_any_other_value_fails_a_delayed_publication_and_no_other(lab: Lab, value: str) -> None:
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": TOPIC, "PMSGDLV": value})
    subscription = durable(lab, "S1")
    with pytest.raises(MQIError, match=value) as error:
        publish(lab.mq, 1000)
    assert error.value.reason == cmqc.MQRC_PUBLICATION_FAILURE
    assert lab.depth(STAGING) == 0
    publish(lab.mq)
    assert lab.depth(subscription.destination) == 1


@pytest.mark.seed("DD-118", "TRAP-05")
def test_on_defaults_a_persistent_delayed_publication_fails_and_a_non_persistent_one_works(
    lab: Lab,
) -> None:
    durable(lab, "S1")
    with pytest.raises(MQIError) as error:
        publish(lab.mq, 1000)
    assert error.value.reason == cmqc.MQRC_PUBLICATION_FAILURE
    publish(lab.mq, 1000, persistence=0)
    assert lab.depth(STAGING) == 1


@pytest.mark.seed("DD-118")
def test_as_parent_is_looked_for_up_the_tree_and_the_nearest_object_counts(lab: Lab) -> None:
    durable(lab, "S1")
    lab.mq.define("TOPIC", "TOP", {"TOPICSTR": "news", "PMSGDLV": "ALLAVAIL"})
    publish(lab.mq, 1000)
    lab.mq.define("TOPIC", "OWN", {"TOPICSTR": TOPIC})
    publish(lab.mq, 1000)
    lab.mq.alter("TOPIC", "OWN", {"PMSGDLV": "ALL"})
    with pytest.raises(MQIError):
        publish(lab.mq, 1000)
    lab.mq.delete("TOPIC", "OWN")
    publish(lab.mq, 1000)
    assert lab.depth(STAGING) == 3


@pytest.mark.seed("DD-75", "DD-80")
def test_the_lifetime_of_a_publication_runs_through_its_delay(news: Lab) -> None:
    subscription = durable(news, "S1")
    publish(news.mq, 5000, expiry_tenths=200)
    news.advance(8)
    assert news.get(subscription.destination).md.expiry_tenths == 120


@pytest.mark.seed("DD-23")
def test_a_publication_that_would_expire_first_is_refused(news: Lab) -> None:
    durable(news, "S1")
    with pytest.raises(MQIError) as error:
        publish(news.mq, 5000, expiry_tenths=49)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR


class Hub:
    """Queue manager HUB, and FAR, whose subscribers a proxy subscription stands for."""

    def __init__(self, home: Path) -> None:
        self.hub, self.far = (Lab(home, name=name) for name in ("HUB", "FAR"))
        for lab in (self.hub, self.far):
            lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": "news", "PMSGDLV": "ALLAVAIL"})
        subscriptions.subscribe(self.hub.mq.connection, "news/#", name="proxy FAR", proxy="FAR")

    def advance(self, seconds: float) -> None:
        self.far.advance(seconds)
        self.hub.advance(seconds)

    def close(self) -> None:
        self.hub.close()
        self.far.close()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Hub]:
    hub_and_far = Hub(tmp_path)
    yield hub_and_far
    hub_and_far.close()


@pytest.mark.seed("DD-113")
def test_for_another_queue_manager_one_copy_is_staged_and_it_fans_out_when_due(two: Hub) -> None:
    there = [durable(two.far, f"F{number}") for number in range(3)]
    publish(two.hub.mq, 5000)
    assert (two.hub.depth(STAGING), two.far.depth(STAGING)) == (1, 0)
    two.advance(4.999)
    assert [two.far.depth(s.destination) for s in there] == [0, 0, 0]
    two.advance(0.001)
    assert [two.far.depth(s.destination) for s in there] == [1, 1, 1]
    got = bare(two.far.get(there[0].destination))
    assert (got.body, got.md.format) == (b"goal", "MQSTR")
    assert two.hub.depth(STAGING) == 0


@pytest.mark.seed("DD-114")
def test_there_who_subscribed_after_the_publication_receives_it_and_here_not(two: Hub) -> None:
    publish(two.hub.mq, 5000)
    late_there, late_here = durable(two.far, "F1"), durable(two.hub, "H1")
    two.advance(5)
    assert (two.far.depth(late_there.destination), two.hub.depth(late_here.destination)) == (1, 0)


@pytest.mark.seed("DD-113")
def test_a_stopped_queue_manager_gets_it_once_after_its_start(two: Hub) -> None:
    subscription = durable(two.far, "F1")
    publish(two.hub.mq, 5000)
    publish(two.hub.mq, 5000, b"second")
    lifecycle.stop(two.far.mq.manager)
    two.hub.advance(5)
    assert two.hub.depth(STAGING) == 0
    lifecycle.start(two.far.mq.manager)
    two.far.mq = two.far.connect()
    assert two.far.depth(subscription.destination) == 0
    two.hub.advance(60)
    two.hub.advance(600)
    assert two.far.publications(subscription.destination) == [b"goal", b"second"]


@pytest.mark.seed("DD-113")
@pytest.mark.parametrize(("expiry_tenths", "arrives"), [(650, False), (651, True)])
def test_what_waits_for_another_queue_manager_can_expire_there(
    two: Hub, expiry_tenths: int, arrives: bool
) -> None:
    """Due after 5 s, it is tried again after 60 more."""
    there = durable(two.far, "F1")
    publish(two.hub.mq, 5000, expiry_tenths=expiry_tenths)
    lifecycle.stop(two.far.mq.manager)
    two.hub.advance(5)
    lifecycle.start(two.far.mq.manager)
    two.far.mq = two.far.connect()
    two.hub.advance(60)
    assert two.far.depth(there.destination) == arrives
    assert not two.hub.mq.manager.store.execute("SELECT 1 FROM outgoing").fetchall()


def test_a_publication_that_was_handed_over_but_not_struck_off_is_fanned_out_once(
    two: Hub,
) -> None:
    subscription = durable(two.far, "F1")
    publish(two.hub.mq)
    assert two.far.publications(subscription.destination) == [b"goal"]
    assert proxies.receive(two.far.mq.manager, "HUB", 1, TOPIC, message(), b"again")
    assert two.far.publications(subscription.destination) == [b"goal"]
    assert proxies.receive(two.far.mq.manager, "HUB", 2, TOPIC, message(), b"next")
    assert two.far.publications(subscription.destination) == [b"goal", b"next"]


def test_without_a_delay_the_other_queue_manager_gets_it_at_the_commit(two: Hub) -> None:
    subscription = durable(two.far, "F1")
    publish(two.hub.mq, options=cmqc.MQPMO_SYNCPOINT)
    assert two.far.depth(subscription.destination) == 0
    two.hub.mq.backout()
    publish(two.hub.mq, body=b"kept", options=cmqc.MQPMO_SYNCPOINT)
    two.hub.mq.commit()
    two.hub.mq.now_us()
    assert two.far.publications(subscription.destination) == [b"kept"]


@pytest.mark.parametrize("how", ["MSGPROP", "NONE"])
@pytest.mark.parametrize(("use_dlq", "dead"), [("YES", 1), ("NO", 0), ("ASPARENT", 0)])
def test_a_delayed_copy_goes_to_the_dead_letter_queue_where_the_topic_says_so(
    news: Lab, use_dlq: str, dead: int, how: str
) -> None:
    news.mq.alter("TOPIC", "NEWS", {"USEDLQ": "NO"})
    news.mq.define("TOPIC", "SPORT", {"TOPICSTR": TOPIC, "USEDLQ": use_dlq})
    subscription = durable(news, "S1", kept={"PSPROP": how})
    publish(news.mq, 5000)
    publish(news.mq, 5000, report=cmqc.MQRO_EXCEPTION, reply_to_q="REPLIES")
    fill(news, subscription.destination)
    news.advance(6)
    assert (news.depth("DLQ"), news.depth(STAGING)) == (2 * dead, 0)
    assert news.depth("REPLIES") == 1


@pytest.mark.parametrize("delay_ms", [0, 5000])
@pytest.mark.parametrize("model", ["", "OWN"], ids=["system-model", "own-model"])
def test_a_non_durable_subscriber_gets_a_persistent_publication(
    news: Lab, model: str, delay_ms: int
) -> None:
    news.mq.define("QMODEL", "OWN", {"DEFTYPE": "TEMPDYN"})
    news.mq.alter("TOPIC", "NEWS", {"MNDURMDL": model})
    passing = subscriptions.subscribe(news.mq.connection, TOPIC)
    assert news.mq.queue(passing.destination).attributes["DEFTYPE"] == "TEMPDYN"
    lasting = durable(news, "S1")
    publish(news.mq, delay_ms, persistence=1)
    news.advance(5)
    got = news.get(passing.destination)
    assert (bare(got).body, got.md.persistence) == (b"goal", 0)
    assert news.get(lasting.destination).md.persistence == 1
    assert news.depth("DLQ") == 0
