"""Topics, subscriptions and publications without a delay."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.tables import publications as publication_table
from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.mqi.verbs.objects import topic_string
from mqtriage.emulator.pubsub import publications, subscriptions, topics
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, MQTriageError, ObjectNotFound, UsageError
from tests.unit.emulator.conftest import Lab, bare, message


def publish(lab: Lab, topic: str, body: bytes = b"x", options: int = 0, **md: object) -> None:
    publications.send(lab.mq.connection, topic, message(**md), body, options)


@pytest.mark.parametrize(
    ("pattern", "topic", "matches"),
    [
        ("a/b", "a/b", True),
        ("a/b", "a/b/c", False),
        ("a/+", "a/b", True),
        ("a/+", "a", False),
        ("+/b", "a/b", True),
        ("a/#", "a", True),
        ("a/#", "a/b/c", True),
        ("#", "a/b/c", True),
        ("a/#/d", "a/d", True),
        ("a/#/d", "a/b/c/d", True),
        ("a/#/d", "a/b/c", False),
        ("#/b/#", "a/b", True),
    ],
)
def test_a_subscription_matches(lab: Lab, pattern: str, topic: str, matches: bool) -> None:
    subscription = subscriptions.subscribe(lab.mq.connection, pattern, name="S", durable=True)
    publish(lab, topic)
    assert lab.depth(subscription.destination) == matches


def test_many_multi_level_wildcards_take_no_more_than_linear_time(lab: Lab) -> None:
    pattern = "/".join(["#", "a"] * 400)
    subscriptions.subscribe(lab.mq.connection, pattern, name="S", durable=True)
    publish(lab, "/".join(["a"] * 900) + "/b")


def test_copies_share_the_msg_id_and_carry_the_subscriptions_correl_id(lab: Lab) -> None:
    pair = [
        subscriptions.subscribe(lab.mq.connection, "t", name=name, durable=True)
        for name in ("A", "B")
    ]
    sent = publications.send(lab.mq.connection, "t", message(correl_id=b"c" * 24), b"x").md
    got = [lab.get(s.destination).md for s in pair]
    assert {md.msg_id for md in got} == {sent.msg_id}
    assert [md.correl_id for md in got] == [s.id for s in pair]


def test_a_subscriber_may_name_its_own_queue(lab: Lab) -> None:
    lab.local("MINE")
    lab.mq.define("SUB", "S1", {"TOPICSTR": "t", "DEST": "MINE"})
    publish(lab, "t")
    assert lab.depth("MINE") == 1
    lab.mq.delete("SUB", "S1")
    publish(lab, "t")
    assert lab.depth("MINE") == 1


def test_a_defined_subscription_selects_and_gives_its_correl_id(lab: Lab) -> None:
    lab.local("MINE")
    attributes = {"TOPICSTR": "t", "DEST": "MINE", "SELECTOR": "JMSPriority > 5"}
    lab.mq.define("SUB", "S1", attributes | {"DESTCORL": "AB" * 24})
    for priority in (4, 6):
        publish(lab, "t", b"%d" % priority, priority=priority)
    assert lab.depth("MINE") == 1
    got = bare(lab.get("MINE"))
    assert (got.body, got.md.correl_id) == (b"6", b"\xab" * 24)
    for wrong, reason in (("JMSPriority >", 2459), ("1 = 2", 2504)):
        with pytest.raises(MQIError) as caught:
            lab.mq.define("SUB", "S2", attributes | {"SELECTOR": wrong})
        assert caught.value.reason == reason


def test_delayed_publications_are_selected_when_they_are_sent(lab: Lab) -> None:
    lab.local("MINE")
    lab.mq.define("TOPIC", "NEWS", {"TOPICSTR": "t", "NPMSGDLV": "ALLAVAIL", "PMSGDLV": "ALLAVAIL"})
    lab.mq.define("SUB", "S1", {"TOPICSTR": "t", "DEST": "MINE", "SELECTOR": "JMSPriority > 5"})
    for priority in (4, 6):
        md = message(priority=priority)
        publications.send(lab.mq.connection, "t", md, b"%d" % priority, delay_ms=1000)
    lab.advance(2)
    assert bare(lab.get("MINE")).body == b"6"
    assert lab.depth("MINE") == 0


@pytest.mark.parametrize(
    ("pattern", "topic", "matches"),
    [("a*d", "a/b/c/d", True), ("a/?", "a/b", True), ("a/?", "a/bb", False), ("a/#", "a/b", False),
     ("a/%*", "a/*", True), ("a/%*", "a/b", False), ("*", "a.b/c", True), ("a.b", "axb", False)],
)  # fmt: skip
def test_wildcards_for_characters(lab: Lab, pattern: str, topic: str, matches: bool) -> None:
    subscription = subscriptions.subscribe(
        lab.mq.connection, pattern, name="S", durable=True, kept={"WSCHEMA": "CHAR"}
    )
    publish(lab, topic)
    assert lab.depth(subscription.destination) == matches


def test_a_subscription_defined_under_a_topic_object_gets_both_strings(lab: Lab) -> None:
    lab.mq.define("TOPIC", "TOP", {"TOPICSTR": "a/b"})
    lab.mq.define("SUB", "S1", {"TOPICOBJ": "TOP", "TOPICSTR": "c", "DESTCLAS": "MANAGED"})
    (subscription,) = subscription_table.every(lab.mq.manager.store)
    assert (subscription.topic, subscription.managed) == ("a/b/c", True)


def test_managed_queues_come_from_the_model_that_the_topic_names(lab: Lab) -> None:
    lab.mq.define("QMODEL", "M1", {"DEFTYPE": "PERMDYN", "MAXDEPTH": 7, "BOTHRESH": 3})
    lab.mq.define("TOPIC", "TOP", {"TOPICSTR": "a", "MDURMDL": "M1"})
    lasting = subscriptions.subscribe(lab.mq.connection, "a/b", name="S", durable=True)
    passing = subscriptions.subscribe(lab.mq.connection, "a/b")
    assert lasting.destination.startswith("SYSTEM.MANAGED.DURABLE.")
    assert lab.mq.queue(lasting.destination).attributes["MAXDEPTH"] == 7
    assert lab.mq.queue(lasting.destination).attributes["BOTHRESH"] == 3
    assert passing.destination.startswith("SYSTEM.MANAGED.NDURABLE.")
    assert lab.mq.queue(passing.destination).attributes["MAXDEPTH"] != 7


def test_a_durable_subscription_is_resumed_by_its_name(lab: Lab) -> None:
    first = lab.connect()
    subscription = subscriptions.subscribe(first.connection, "t", name="S", durable=True)
    first.disconnect()
    publish(lab, "t")
    again = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    assert (again, lab.depth(again.destination)) == (subscription, 1)
    with pytest.raises(MQIError) as error:
        subscriptions.subscribe(lab.mq.connection, "other", name="S", durable=True)
    assert error.value.reason == cmqc.MQRC_SUB_ALREADY_EXISTS


def test_stopping_the_queue_manager_ends_what_is_not_durable(lab: Lab) -> None:
    subscriptions.subscribe(lab.mq.connection, "t")
    kept = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    lifecycle.stop(lab.mq.manager)
    lifecycle.start(lab.mq.manager)
    assert subscription_table.every(lab.mq.manager.store) == [kept]


def test_publications_under_syncpoint_are_seen_at_the_commit(lab: Lab) -> None:
    subscription = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    publish(lab, "t", options=cmqc.MQPMO_SYNCPOINT)
    assert lab.depth(subscription.destination) == 1  # counted, not seen
    assert list(lab.connect().open(subscription.destination, 8).browse()) == []
    lab.mq.backout()
    assert lab.depth(subscription.destination) == 0
    publish(lab, "t", options=cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert lab.publications(subscription.destination) == [b"x"]


def test_a_retained_publication_waits_for_later_subscribers(lab: Lab) -> None:
    publish(lab, "t", b"old", cmqc.MQPMO_RETAIN)
    publish(lab, "t", b"new", cmqc.MQPMO_RETAIN | cmqc.MQPMO_SYNCPOINT)
    before = subscriptions.subscribe(lab.mq.connection, "t", name="A", durable=True)
    assert lab.publications(before.destination) == [b"old"]
    lab.mq.commit()
    publish(lab, "t", b"passing")
    after = subscriptions.subscribe(lab.mq.connection, "#", name="B", durable=True)
    assert lab.publications(after.destination) == [b"new"]


def test_a_retained_publication_that_expired_or_was_backed_out_is_not_given(lab: Lab) -> None:
    publish(lab, "t", b"short", cmqc.MQPMO_RETAIN, expiry_tenths=10)
    publish(lab, "u", b"undone", cmqc.MQPMO_RETAIN | cmqc.MQPMO_SYNCPOINT)
    lab.mq.backout()
    lab.advance(1)
    subscription = subscriptions.subscribe(lab.mq.connection, "#", name="A", durable=True)
    assert lab.depth(subscription.destination) == 0


@pytest.mark.parametrize(
    ("delivery", "durable_full", "fails"),
    [
        ("ALL", False, True),
        ("ALLDUR", False, False),
        ("ALLDUR", True, True),
        ("ALLAVAIL", True, False),
    ],
)
def test_pmsgdlv_says_whose_failure_fails_the_publication(
    lab: Lab, delivery: str, durable_full: bool, fails: bool
) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", "PMSGDLV": delivery, "USEDLQ": "NO"})
    lasting = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    passing = subscriptions.subscribe(lab.mq.connection, "t")
    shut, open_ = (lasting, passing) if durable_full else (passing, lasting)
    lab.mq.alter("QLOCAL", shut.destination, {"MAXDEPTH": 0})
    if fails:
        with pytest.raises(MQIError) as error:
            publish(lab, "t")
        assert error.value.reason == cmqc.MQRC_PUBLICATION_FAILURE
    else:
        publish(lab, "t")
    assert lab.depth(open_.destination) == (0 if fails else 1)


def test_with_usedlq_a_copy_that_is_refused_goes_to_the_dead_letter_queue(lab: Lab) -> None:
    lab.local("DLQ")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    subscription = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    lab.mq.alter("QLOCAL", subscription.destination, {"MAXDEPTH": 0})
    publish(lab, "t")
    assert lab.depth("DLQ") == 1


@pytest.mark.parametrize(
    ("attributes", "call", "reason"),
    [
        ({"PUB": "DISABLED"}, "publish", cmqc.MQRC_PUT_INHIBITED),
        ({"SUB": "DISABLED"}, "subscribe", cmqc.MQRC_SUB_INHIBITED),
        ({"DURSUB": "NO"}, "subscribe", cmqc.MQRC_DURABILITY_NOT_ALLOWED),
        ({"MDURMDL": "MISSING"}, "subscribe", cmqc.MQRC_UNKNOWN_OBJECT_NAME),
    ],
)
def test_a_topic_refuses(lab: Lab, attributes: dict[str, str], call: str, reason: int) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", **attributes})
    with pytest.raises(MQIError) as error:
        if call == "publish":
            publish(lab, "t/below")
        else:
            subscriptions.subscribe(lab.mq.connection, "t/below", name="S", durable=True)
    assert error.value.reason == reason


def test_priority_and_persistence_as_the_topic_says(lab: Lab) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", "DEFPRTY": 7, "DEFPSIST": "YES"})
    subscription = subscriptions.subscribe(lab.mq.connection, "t/u", name="S", durable=True)
    publish(lab, "t/u", priority=-1, persistence=2)
    got = lab.get(subscription.destination).md
    assert (got.priority, got.persistence) == (7, 1)


@pytest.mark.parametrize(
    ("of_object", "below", "topic"),
    [
        ("Football", "Scores", "Football/Scores"),
        ("Football", "/Scores", "Football//Scores"),
        ("Football/", "Scores", "Football//Scores"),
        ("/Football", "Scores", "/Football/Scores"),
        ("Football", "", "Football"),
    ],
)
def test_a_slash_comes_between_a_topic_object_and_what_is_below_it(
    lab: Lab, of_object: str, below: str, topic: str
) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": of_object})
    lab.mq.define("SUB", "S", {"TOPICOBJ": "T", "TOPICSTR": below, "DESTCLAS": "MANAGED"})
    opened = topic_string(lab.mq.connection, "T", below.encode(), "open")
    subscribed = subscription_table.named(lab.mq.manager.store, "S")
    assert subscribed is not None
    assert opened == subscribed.topic == topic


def test_there_is_no_topic_without_a_topic_string(lab: Lab) -> None:
    for call in (
        lambda: publish(lab, ""),
        lambda: subscriptions.subscribe(lab.mq.connection, "", name="S", durable=True),
    ):
        with pytest.raises(MQIError) as error:
            call()
        assert error.value.reason == cmqc.MQRC_TOPIC_STRING_ERROR


@pytest.mark.parametrize(
    ("subscribed", "published", "gets"),
    [
        pytest.param("a/b#", "a/b#", True, id="itself"),
        pytest.param("a/b#", "a/b/c", False, id="hash-beside-others"),
        pytest.param("+x/a", "1x/a", False, id="plus-beside-others"),
        pytest.param("##", "a/b", False, id="beside-itself"),
        pytest.param("a/b", "a/#", False, id="published-is-literal"),
        pytest.param("a/+", "a/#", True, id="published-is-a-level"),
    ],
)
def test_a_wildcard_is_one_where_it_is_a_whole_level_of_a_subscription(
    lab: Lab, subscribed: str, published: str, gets: bool
) -> None:
    subscription = subscriptions.subscribe(lab.mq.connection, subscribed, name="S", durable=True)
    publish(lab, published)
    assert lab.depth(subscription.destination) == gets


def test_subscriptions_that_cannot_be(lab: Lab) -> None:
    mq = lab.mq.connection
    with pytest.raises(UsageError, match="name"):
        subscriptions.subscribe(mq, "t", durable=True)
    with pytest.raises(ObjectNotFound):
        subscriptions.subscribe(mq, "t", name="S", durable=True, destination="MISSING")
    with pytest.raises(UsageError):
        lab.mq.define("SUB", "S", {"TOPICSTR": "t"})
    with pytest.raises(MQIError) as error:
        subscriptions.unsubscribe(mq, "S")
    assert error.value.reason == cmqc.MQRC_NO_SUBSCRIPTION
    assert subscription_table.every(lab.mq.manager.store) == []


def test_system_base_topic_is_as_ibm_documents_it(lab: Lab) -> None:
    base = topics.all_topics(lab.mq.manager)["SYSTEM.BASE.TOPIC"]
    assert (base["PMSGDLV"], base["NPMSGDLV"]) == ("ALLDUR", "ALLAVAIL")
    with pytest.raises(UsageError, match="cannot be deleted"):
        lab.mq.delete("TOPIC", "SYSTEM.BASE.TOPIC")


def test_topics_that_cannot_be_defined(lab: Lab) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t"})
    for name, attributes in (
        ("T", {"TOPICSTR": "u"}),
        ("U", {"TOPICSTR": "t"}),
        ("U", {}),
        ("U", {"TOPICSTR": "u", "PMSGDLV": "SOME"}),
    ):
        with pytest.raises(MQTriageError):
            lab.mq.define("TOPIC", name, attributes)
    with pytest.raises(UsageError, match="cannot be altered"):
        lab.mq.alter("TOPIC", "T", {"TOPICSTR": "u"})
    with pytest.raises(ObjectNotFound):
        lab.mq.alter("TOPIC", "MISSING", {"PUB": "DISABLED"})
    assert topics.resolved(lab.mq.manager, "t", "PUB") == "ENABLED"


def test_a_dump_holds_topics_subscriptions_retained_publications_and_authority(lab: Lab) -> None:
    from mqtriage.emulator.admin import authority_records, dump

    kinds = {"topic", "subscription", "retained", "authority"}
    assert kinds.isdisjoint(record["record"] for record in dump.records(lab.mq.manager))
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t"})
    subscription = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    publish(lab, "t", b"kept", cmqc.MQPMO_RETAIN)
    authority_records.set_record(lab.mq.manager, "QUEUE", "Q.*", group="g", add=["GET"])
    by_kind = {r["record"]: r for r in dump.records(lab.mq.manager) if r["record"] in kinds}
    assert by_kind["topic"]["attributes"]["TOPICSTR"] == "t"
    assert by_kind["subscription"]["destination"] == subscription.destination
    assert bytes.fromhex(by_kind["retained"]["body"]) == b"kept"
    assert (by_kind["authority"]["group"], by_kind["authority"]["authorities"]) == ("g", ["GET"])


def test_a_subscription_that_changes_hands_has_the_new_user(lab: Lab) -> None:
    kept = subscriptions.subscribe(lab.mq.connection, "t", name="S", durable=True)
    store = lab.mq.manager.store
    with store.write():
        subscription_table.write(store, kept._replace(user="other"))
    assert subscription_table.named(store, "S") == kept._replace(user="other")


def test_what_was_received_is_kept_for_each_queue_manager(lab: Lab) -> None:
    store = lab.mq.manager.store
    with store.write():
        for queue_manager, key in (("QM2", b"1"), ("QM2", b"3"), ("QM2", b"2"), ("QM3", b"9")):
            publication_table.insert_received(store, queue_manager, key)
    assert publication_table.last_received(store, "QM2") == b"3"
    assert publication_table.is_received(store, "QM2", b"1")
    with store.write():
        publication_table.delete_received(store, "QM2")
    assert publication_table.last_received(store, "QM2") is None
    assert publication_table.last_received(store, "QM3") == b"9"
