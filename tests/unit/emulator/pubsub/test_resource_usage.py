"""$SYS/MQ: metadata of resource usage, and what is published of it every ten seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtriage.emulator.admin import authority_records, dump, lifecycle
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.errors import MQIError, NotAuthorized
from mqtriage.mq.headers import rfh2
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.resource_usage import elements
from tests.unit.emulator.conftest import STAGING, Lab, bare, message

ABOVE = "$SYS/MQ/INFO/QMGR/QM1/Monitor"


def subscribed(lab: Lab, *topics: str, queue: str = "") -> str:
    """Subscribe to topics below `ABOVE`; the queue that the publications go to."""
    for topic in topics:
        topic_string = f"{ABOVE}/{topic}"
        queue = subscriptions.subscribe(
            lab.mq.connection, topic_string, destination=queue
        ).destination
    return queue


def published(lab: Lab, queue: str) -> list[pcf.PCF]:
    """The publications that a subscriber has, which it gets."""
    handle = lab.open(queue)
    contents = [pcf.decode(bare(handle.get()).body) for _ in range(lab.depth(queue))]
    handle.close()
    return contents


def numbers(content: pcf.PCF) -> dict[str, int]:
    """The elements of a publication by their descriptions, 0 left out."""
    (of,) = (
        of_type
        for of_type in elements().values()
        if _ids(content) == [element.number for element in of_type]
    )
    values = {one.parameter: one.value for one in content.parameters}
    counts = {element.description: values[element.number] for element in of}
    return {name: count for name, count in counts.items() if isinstance(count, int) and count}


def _ids(content: pcf.PCF) -> list[int]:
    return [one.parameter for one in content.parameters if one.parameter < 100]


def retained(lab: Lab, topic: str) -> pcf.PCF:
    """What somebody gets who subscribes now."""
    (content,) = published(lab, subscribed(lab, topic))
    return content


# -- metadata -------------------------------------------------------------------------------------


def groups(content: pcf.PCF) -> Iterator[dict[int, pcf.Value]]:
    for one in content.parameters:
        if pcf.members(one):
            yield {member.parameter: member.value for member in pcf.members(one)}


def test_who_subscribes_to_the_metadata_is_led_to_every_element(lab: Lab) -> None:
    classes = retained(lab, "METADATA/CLASSES")
    names = [group[cmqcfc.MQCAMO_MONITOR_CLASS] for group in groups(classes)]
    descriptions, topics = [], []
    for of_class in groups(classes):
        types = retained(lab, str(of_class[cmqc.MQCA_TOPIC_STRING]).removeprefix(f"{ABOVE}/"))
        for of_type in groups(types):
            topic = str(of_type[cmqc.MQCA_TOPIC_STRING]).removeprefix(f"{ABOVE}/")
            content = retained(lab, topic)
            topics.append(str(content.first(cmqc.MQCA_TOPIC_STRING)).removeprefix(f"{ABOVE}/"))
            for group in groups(content):
                assert isinstance(group[cmqcfc.MQIAMO_MONITOR_ELEMENT], int)
                descriptions.append(group[cmqcfc.MQCAMO_MONITOR_DESC])
    assert names == ["STATMQI", "STATQ"]
    assert topics == [
        "STATMQI/PUT", "STATMQI/GET", "STATMQI/SYNCPOINT", "STATMQI/PUBLISH",
        "STATQ/%s/PUT", "STATQ/%s/GET", "STATQ/%s/GENERAL",
    ]  # fmt: skip
    assert descriptions == [element.description for of in elements().values() for element in of]


def test_it_says_that_it_was_retained(lab: Lab) -> None:
    header = rfh2.decode(lab.get(subscribed(lab, "METADATA/CLASSES")).body, 0, "<")
    assert isinstance(header, rfh2.RFH2)
    assert rfh2.properties([header])["mqps.Ret"] == 1


@pytest.mark.parametrize(("platform", "version"), [("zos", "9.4"), ("dist", "8.0")])
def test_queue_managers_that_have_none_publish_none(
    tmp_path_factory: pytest.TempPathFactory, platform: str, version: str
) -> None:
    lab = Lab(tmp_path_factory.mktemp("home"), platform, version=version)  # type: ignore[arg-type]
    queue = subscribed(lab, "METADATA/CLASSES", "STATMQI/PUT")
    lab.advance(10)
    assert lab.depth(queue) == 0
    lab.close()


def test_a_wildcard_above_does_not_reach_it_and_one_in_it_does(lab: Lab) -> None:
    above = subscriptions.subscribe(lab.mq.connection, "#")
    inside = subscriptions.subscribe(lab.mq.connection, "$SYS/MQ/#")
    lab.advance(10)
    assert lab.depth(above.destination) == 0
    names = [one.first(cmqcfc.MQCAMO_MONITOR_CLASS) for one in published(lab, inside.destination)]
    assert len(names) > 20


# -- publications ---------------------------------------------------------------------------------


def test_the_calls_of_an_interval_are_published_at_its_end(lab: Lab) -> None:
    lab.local("Q")
    queue = subscribed(lab, "STATQ/Q/PUT", "STATQ/Q/GET", "STATQ/Q/GENERAL")
    handle = lab.open("Q")
    for body in (b"four", b"sixsix"):
        handle.put(message(), body)
    lab.put("Q", b"x", persistence=0)
    handle.get()
    lab.advance(9.999999)
    assert lab.depth(queue) == 0
    lab.advance(0.000001)
    puts, gets, general = published(lab, queue)
    assert (puts.first(cmqc.MQCA_Q_NAME), puts.first(cmqcfc.MQIAMO64_MONITOR_INTERVAL)) == (
        "Q",
        10_000_000,
    )
    assert numbers(puts) == {
        "MQPUT/MQPUT1 count": 3, "MQPUT byte count": 11, "MQPUT persistent message count": 2,
        "MQPUT1 non-persistent message count": 1, "non-persistent byte count": 1,
        "persistent byte count": 10,
    }  # fmt: skip
    assert numbers(gets) == {
        "MQGET count": 1, "MQGET byte count": 4, "destructive MQGET persistent message count": 1,
        "destructive MQGET persistent byte count": 4,
    }  # fmt: skip
    assert numbers(general) == {"Queue depth": 2}


def test_browsing_message_by_message_and_sending_with_a_delay_are_calls_too(lab: Lab) -> None:
    lab.local("Q")
    queue = subscribed(lab, "STATQ/Q/GET", f"STATQ/{STAGING}/PUT", "STATQ/Q/PUT")
    for body in (b"a", b"bc"):
        lab.put("Q", body)
    lab.bodies("Q")
    lab.send("Q", 60_000, b"later")
    lab.advance(10)
    browses, staged, puts = published(lab, queue)
    assert numbers(browses)["MQGET browse persistent byte count"] == 3
    assert numbers(staged)["MQPUT1 persistent message count"] == 1
    lab.advance(60)  # what the queue manager delivers is no call of a program
    assert numbers(puts)["MQPUT/MQPUT1 count"] == 2
    assert all("MQPUT/MQPUT1 count" not in numbers(one) for one in published(lab, queue))


def test_the_next_interval_begins_at_zero(lab: Lab) -> None:
    lab.local("Q")
    queue = subscribed(lab, "STATQ/Q/PUT")
    lab.put("Q")
    lab.advance(10)
    lab.advance(10)
    first, second = published(lab, queue)
    assert numbers(first)["MQPUT/MQPUT1 count"] == 1
    assert numbers(second) == {}


def test_calls_of_all_programs_on_all_queues_are_one_publication(lab: Lab) -> None:
    lab.local("Q")
    queue = subscribed(lab, "STATMQI/PUT", "STATMQI/GET", "STATMQI/SYNCPOINT", "STATMQI/PUBLISH")
    other = lab.connect()
    handle = other.open("Q", 8 | 2 | 16)
    handle.put(message(), b"abc", options=cmqc.MQPMO_SYNCPOINT)
    other.commit()
    handle.get(cmqc.MQGMO_BROWSE_NEXT)
    handle.put(message(persistence=0), b"abcd", options=cmqc.MQPMO_SYNCPOINT)
    other.backout()
    handle.put(message(persistence=0), b"a", options=cmqc.MQPMO_SYNCPOINT)
    assert bare(handle.get()).body == b"abc"
    assert bare(handle.get()).body == b"a"
    other.disconnect()
    publications.send(lab.mq.connection, "t", message(), b"12345")
    lab.advance(10)
    puts, gets, ends, topics = published(lab, queue)
    assert numbers(puts) == {
        "Interval total MQPUT/MQPUT1 count": 3, "Interval total MQPUT/MQPUT1 byte count": 8,
        "Non-persistent message MQPUT count": 2, "Persistent message MQPUT count": 1,
        "Put non-persistent messages - byte count": 5, "Put persistent messages - byte count": 3,
    }  # fmt: skip
    assert numbers(gets) == {
        "Persistent message browse - count": 1, "Persistent message browse - byte count": 3,
        "Interval total destructive get- count": 2,
        "Interval total destructive get - byte count": 4,
        "Non-persistent message destructive get - count": 1,
        "Persistent message destructive get - count": 1,
        "Got non-persistent messages - byte count": 1,
        "Got persistent messages - byte count": 3,
    }  # fmt: skip
    assert numbers(ends) == {"Commit count": 1, "Rollback count": 2}
    assert numbers(topics) == {
        "Topic MQPUT/MQPUT1 interval total": 1, "Interval total topic bytes put": 5,
        "Persistent - topic MQPUT/MQPUT1 count": 1,
    }  # fmt: skip


def test_a_queue_manager_that_nobody_touched_publishes_once_for_all_the_time(lab: Lab) -> None:
    queue = subscribed(lab, "STATMQI/PUT")
    lab.advance(3605)
    (content,) = published(lab, queue)
    assert content.first(cmqcfc.MQIAMO64_MONITOR_INTERVAL) == 3_600_000_000
    lab.advance(5)
    assert lab.depth(queue) == 1


def test_a_slash_in_the_name_of_a_queue_is_an_ampersand_of_the_topic(lab: Lab) -> None:
    lab.local("A/B")
    queue = subscribed(lab, "STATQ/A&B/GENERAL")
    lab.put("A/B")
    lab.advance(10)
    (content,) = published(lab, queue)
    assert (content.first(cmqc.MQCA_Q_NAME), numbers(content)) == ("A/B", {"Queue depth": 1})


def test_of_a_queue_that_there_is_not_nothing_is_published(lab: Lab) -> None:
    queue = subscribed(lab, "STATQ/LATER/GENERAL")
    lab.advance(10)
    assert lab.depth(queue) == 0
    lab.local("LATER")
    lab.advance(10)
    assert lab.depth(queue) == 1


def test_without_a_subscriber_nothing_is_counted_nor_happens(lab: Lab) -> None:
    def stands() -> tuple[object, ...]:
        store = lab.mq.manager.store
        lab.mq.connection.look("look")
        kinds = ("MONITOR", "TALLY")
        rows = [definitions.of_kind(store, kind) for kind in kinds]
        return (*rows, lab.mq.manager.tally, state.read(store).next_event_us)

    lab.local("Q")
    lab.put("Q")
    assert stands() == ([], [], None, None)
    subscription = subscriptions.subscribe(lab.mq.connection, f"{ABOVE}/STATMQI/PUT")
    lab.put("Q")
    assert stands() != ([], [], None, None)
    subscriptions.unsubscribe(lab.mq.connection, subscription.name)
    lab.advance(10)
    assert stands() == ([], [], None, None)


def test_what_is_counted_is_no_definition(lab: Lab) -> None:
    queue = subscribed(lab, "STATMQI/PUT")
    lab.put(queue, persistence=0)
    assert not [r for r in dump.records(lab.mq.manager) if r["record"] in ("monitor", "tally")]


def test_a_subscription_that_lasts_is_published_to_after_a_restart(lab: Lab) -> None:
    lab.local("MINE")
    topic = f"{ABOVE}/STATMQI/PUT"
    subscriptions.subscribe(lab.mq.connection, topic, name="S", durable=True, destination="MINE")
    lifecycle.stop(lab.mq.manager)
    lab.advance(60)
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    lab.advance(10)
    assert lab.depth("MINE") >= 1


# -- who may --------------------------------------------------------------------------------------


def test_authority_above_does_not_reach_it(lab: Lab) -> None:
    def allow(kind: str, profile: str, what: str) -> None:
        authority_records.set_record(lab.mq.manager, kind, profile, principal="ann", add=[what])

    allow("QMGR", "QM1", "CONNECT")
    allow("TOPIC", "SYSTEM.BASE.TOPIC", "SUB")
    ann = lab.connect_as("ann", "staff")
    subscriptions.subscribe(ann.connection, "t")
    with pytest.raises(NotAuthorized, match=r"lacks SUB authority on topic SYSTEM\.ADMIN\.TOPIC"):
        subscriptions.subscribe(ann.connection, f"{ABOVE}/METADATA/CLASSES")
    allow("TOPIC", "SYSTEM.ADMIN.TOPIC", "SUB")
    assert subscriptions.subscribe(ann.connection, f"{ABOVE}/METADATA/CLASSES")


def test_attributes_above_do_not_reach_it(lab: Lab) -> None:
    lab.mq.alter("TOPIC", "SYSTEM.BASE.TOPIC", {"SUB": "DISABLED"})
    with pytest.raises(MQIError):
        subscriptions.subscribe(lab.mq.connection, "t")
    assert retained(lab, "METADATA/CLASSES")


def test_nobody_publishes_there(lab: Lab) -> None:
    with pytest.raises(MQIError) as caught:
        publications.send(lab.mq.connection, f"{ABOVE}/STATMQI/PUT", message(), b"x")
    assert caught.value.reason == cmqc.MQRC_ADMIN_TOPIC_STRING_ERROR
