"""Subscriptions that end by themselves: SubExpiry, EXPIRY."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin import dump, lifecycle
from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import publications, subscription_rows, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.errors import UsageError
from tests.unit.emulator.conftest import STAGING, Lab, message, nothing_on


def subscribed(lab: Lab, expiry: int, name: str = "S") -> Subscription:
    return subscriptions.subscribe(
        lab.mq.connection, "t", name=name, durable=True, kept={"EXPIRY": expiry}
    )


def there(lab: Lab) -> list[str]:
    lab.mq.connection.look("look")
    return [subscription.name for subscription in subscription_table.every(lab.mq.manager.store)]


def publish(lab: Lab, delay_ms: int = 0) -> None:
    publications.send(lab.mq.connection, "t", message(), b"x", delay_ms=delay_ms)


def test_a_subscription_ends_when_its_time_is_over(lab: Lab) -> None:
    lab.local("MINE")
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "MINE", "EXPIRY": 50})
    lab.advance(4.9)
    publish(lab)
    assert there(lab) == ["S"]
    lab.advance(0.1)
    publish(lab)
    assert (there(lab), lab.depth("MINE")) == ([], 1)  # what had arrived stays


def test_a_managed_queue_goes_with_it_where_nobody_has_it_open(lab: Lab) -> None:
    subscription = subscribed(lab, 50)
    publish(lab)
    lab.advance(5)
    assert there(lab) == []
    assert subscription.destination not in {queue.name for queue in lab.mq.queues("*")}


def test_who_has_the_managed_queue_open_gets_what_had_arrived(lab: Lab) -> None:
    subscription = subscribed(lab, 50)
    reader = lab.open(subscription.destination)
    publish(lab)
    lab.advance(5)
    publish(lab)
    assert reader.get().body.endswith(b"x")
    assert nothing_on(reader)
    publish(lab)
    reader.close()
    assert subscription.destination not in {queue.name for queue in lab.mq.queues("*")}


def test_the_managed_queue_goes_when_its_reader_disconnects(lab: Lab) -> None:
    subscription = subscribed(lab, 50)
    other = lab.connect()
    other.open(subscription.destination, cmqc.MQOO_INPUT_SHARED)
    lab.advance(5)
    assert there(lab) == []
    assert subscription.destination in {queue.name for queue in lab.mq.queues("*")}
    other.disconnect()
    assert subscription.destination not in {queue.name for queue in lab.mq.queues("*")}


@pytest.mark.parametrize(
    ("delay_ms", "arrives"),
    [
        pytest.param(4999, 1, id="due-before"),
        pytest.param(5000, 0, id="due-at-that-moment"),
        pytest.param(5001, 0, id="due-after"),
    ],
)
@pytest.mark.parametrize("steps", [1, 4])
def test_a_delayed_publication_comes_due_for_who_subscribes_still(
    lab: Lab, delay_ms: int, arrives: int, steps: int
) -> None:
    available = {"TOPICSTR": "t", "NPMSGDLV": "ALLAVAIL", "PMSGDLV": "ALLAVAIL"}
    lab.mq.define("TOPIC", "NEWS", available)
    lab.local("MINE")
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "MINE", "EXPIRY": 50})
    publish(lab, delay_ms)
    for _ in range(steps):
        lab.advance(6 / steps)
    assert (lab.depth("MINE"), lab.depth(STAGING)) == (arrives, 0)


def test_an_alteration_that_states_the_expiry_starts_it_anew(lab: Lab) -> None:
    subscribed(lab, 50)
    lab.advance(4)
    lab.mq.alter("SUB", "S", {"USERDATA": "other"})
    lab.mq.alter("SUB", "S", {"EXPIRY": 50})
    lab.advance(4)
    assert there(lab) == ["S"]
    lab.advance(1)
    assert there(lab) == []


def test_other_alterations_leave_the_expiry_running(lab: Lab) -> None:
    subscribed(lab, 50)
    lab.advance(4)
    lab.mq.alter("SUB", "S", {"USERDATA": "other"})
    lab.advance(1)
    assert there(lab) == []


def test_unlimited_takes_the_end_away(lab: Lab) -> None:
    subscribed(lab, 50)
    lab.mq.alter("SUB", "S", {"EXPIRY": "UNLIMITED"})
    lab.advance(6)
    assert there(lab) == ["S"]


def test_an_ended_one_leaves_nothing_behind(lab: Lab) -> None:
    before = list(dump.records(lab.mq.manager))
    subscribed(lab, 50)
    shown = [
        record for record in dump.records(lab.mq.manager) if record["record"] == "subscription"
    ]
    assert shown[0]["expires_at"]
    lab.advance(5)
    there(lab)
    remaining = list(dump.records(lab.mq.manager))
    assert [record["record"] for record in remaining] == [record["record"] for record in before]
    assert subscription_rows.all_kept(lab.mq.manager) == {}


def test_one_that_ends_while_the_queue_manager_is_stopped_is_gone_at_its_start(lab: Lab) -> None:
    subscribed(lab, 50)
    subscribed(lab, 100, "T")
    lifecycle.stop(lab.mq.manager)
    lab.advance(6)
    lifecycle.start(lab.mq.manager)
    lab.mq = lab.connect()
    assert there(lab) == ["T"]


def test_display_shows_the_expiry_as_it_was_stated(lab: Lab) -> None:
    subscription = subscribed(lab, 50)
    lab.advance(1)
    assert subscription_rows.shown_attributes(lab.mq.manager, subscription)["EXPIRY"] == 50


@pytest.mark.parametrize(
    ("keyword", "value"),
    [("SUBLEVEL", 3), ("SELECTOR", "a = 1"), ("WSCHEMA", "CHAR"), ("SUBSCOPE", "QMGR"),
     ("TOPICSTR", "u")],
)  # fmt: skip
def test_what_alter_sub_cannot_change(lab: Lab, keyword: str, value: int | str) -> None:
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DESTCLAS": "MANAGED"})
    with pytest.raises(UsageError, match=keyword):
        lab.mq.alter("SUB", "S", {keyword: value})
