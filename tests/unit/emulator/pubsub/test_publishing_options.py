"""Subscription levels, publishing options, and what a copy of a publication carries."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.core.tables.subscriptions import Subscription
from mqtriage.emulator.pubsub import publications, subscriptions
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from tests.unit.emulator.conftest import Lab, bare, message


def subscribed(lab: Lab, name: str, topic: str = "t", **kept: int | str) -> Subscription:
    return subscriptions.subscribe(lab.mq.connection, topic, name=name, durable=True, kept=kept)


def send(lab: Lab, options: int = 0, **more: Any) -> publications.Published:
    return publications.send(lab.mq.connection, "t", message(), b"x", options, **more)


def properties(lab: Lab, subscription: Subscription) -> dict[str, rfh2.Value]:
    """The message properties of the next publication that a subscriber has."""
    header = rfh2.decode(lab.get(subscription.destination).body, 0, "<")
    assert isinstance(header, rfh2.RFH2)
    return rfh2.properties([header])


# -- levels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "gets"),
    [(9, "NINE"), (8, "FOUR"), (4, "FOUR"), (3, "ONE"), (1, "ONE"), (0, "")],
)
def test_a_publication_goes_to_the_highest_level_at_or_below_its_own(
    lab: Lab, level: int, gets: str
) -> None:
    there = [
        subscribed(lab, name, SUBLEVEL=number)
        for name, number in (("NINE", 9), ("FOUR", 4), ("ALSO FOUR", 4), ("ONE", 1))
    ]
    publication = send(lab, level=level)
    reached = [subscription.name for subscription in there if lab.depth(subscription.destination)]
    assert reached == [
        subscription.name for subscription in there if gets and subscription.name.endswith(gets)
    ]
    assert publication.subscribers == len(reached)


def test_who_does_not_select_a_publication_does_not_intercept_it(lab: Lab) -> None:
    subscribed(lab, "HIGH", SUBLEVEL=9, SELECTOR="JMSPriority > 8")
    low = subscribed(lab, "LOW")
    send(lab)
    assert lab.depth(low.destination) == 1


def test_an_intercepted_delayed_publication_is_staged_for_the_interceptor_alone(lab: Lab) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", "PMSGDLV": "ALLAVAIL"})
    high, low = subscribed(lab, "HIGH", SUBLEVEL=5), subscribed(lab, "LOW")
    send(lab, delay_ms=1000)
    lab.advance(1)
    assert (lab.depth(high.destination), lab.depth(low.destination)) == (1, 0)


def test_a_retained_publication_is_none_for_a_level_above_1(lab: Lab) -> None:
    send(lab, cmqc.MQPMO_RETAIN)
    high, low = subscribed(lab, "HIGH", SUBLEVEL=2), subscribed(lab, "LOW")
    assert (lab.depth(high.destination), lab.depth(low.destination)) == (0, 1)


def test_one_defined_for_requests_gets_nothing_at_once(lab: Lab) -> None:
    send(lab, cmqc.MQPMO_RETAIN)
    lab.local("MINE")
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "MINE", "REQONLY": "YES"})
    assert lab.depth("MINE") == 0


# -- WILDCARD(BLOCK) ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subscribed_to", "kept", "topic", "gets"),
    [
        pytest.param("a/#", {}, "a/b/c", 0, id="wildcard-above"),
        pytest.param("a/+", {}, "a/b", 0, id="wildcard-in-its-place"),
        pytest.param("a/b/#", {}, "a/b/c", 1, id="wildcard-below"),
        pytest.param("a/b/c", {}, "a/b/c", 1, id="no-wildcard"),
        pytest.param("a/#", {}, "a/d", 1, id="published-beside"),
        pytest.param("a/*", {"WSCHEMA": "CHAR"}, "a/b", 0, id="characters-above"),
        pytest.param("a/b/*", {"WSCHEMA": "CHAR"}, "a/b/c", 1, id="characters-below"),
    ],
)
def test_a_topic_object_blocks_wildcards_above_it(
    lab: Lab, subscribed_to: str, kept: dict[str, str], topic: str, gets: int
) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "a/b", "WILDCARD": "BLOCK"})
    subscription = subscribed(lab, "S", subscribed_to, **kept)
    publications.send(lab.mq.connection, topic, message(), b"x")
    assert lab.depth(subscription.destination) == gets


# -- properties -----------------------------------------------------------------------------------


def test_a_copy_names_its_topic_and_the_user_data_of_its_subscription(lab: Lab) -> None:
    plain, with_data = subscribed(lab, "A"), subscribed(lab, "B", USERDATA="<b>")
    send(lab)
    assert properties(lab, plain) == {"mqps.Top": "t"}
    assert properties(lab, with_data) == {"mqps.Top": "t", "mqps.Sud": "<b>"}


def test_a_retained_publication_says_so_to_who_comes_later(lab: Lab) -> None:
    before = subscribed(lab, "A")
    send(lab, cmqc.MQPMO_RETAIN)
    after = subscribed(lab, "B")
    assert properties(lab, before) == {"mqps.Top": "t"}
    assert properties(lab, after) == {"mqps.Top": "t", "mqps.Ret": True}


def test_an_interceptor_is_told_options_and_level(lab: Lab) -> None:
    subscription = subscribed(lab, "A", SUBLEVEL=2)
    send(lab, cmqc.MQPMO_RETAIN, level=7)
    assert properties(lab, subscription) == {
        "mqps.Top": "t",
        "mqps.Pub": cmqc.MQPMO_RETAIN,
        "mqps.Pbl": 7,
    }


@pytest.mark.parametrize(("stated_ccsid", "ccsid"), [(819, 819), (-2, 1208)])
def test_properties_stand_beside_those_of_the_publisher(
    lab: Lab, stated_ccsid: int, ccsid: int
) -> None:
    """The data behind them keeps its code page: its own, or that of the header (-2)."""
    subscription = subscribed(lab, "A")
    header = rfh2.build(
        [("usr", {"colour": "red"})], Following("MQSTR", 546, stated_ccsid), order="<"
    )
    md = message(format="MQHRF2", encoding=NATIVE_ENCODING, ccsid=1208)
    publications.send(lab.mq.connection, "t", md, rfh2.encode(header) + b"data")
    got = lab.get(subscription.destination)
    both = rfh2.decode(got.body, 0, "<")
    assert isinstance(both, rfh2.RFH2)
    assert [folder.name for folder in both.folders] == ["usr", "mqps"]
    data = bare(got)
    assert (data.body, data.md.format, data.md.ccsid) == (b"data", "MQSTR", ccsid)


def test_what_is_published_again_carries_one_topic(lab: Lab) -> None:
    high, low = subscribed(lab, "HIGH", SUBLEVEL=9, USERDATA="high"), subscribed(lab, "LOW")
    send(lab)
    got = lab.get(high.destination)
    publications.send(lab.mq.connection, "t", got.md, got.body, level=8)
    assert properties(lab, low) == {"mqps.Top": "t"}


@pytest.mark.parametrize(
    ("how", "body", "form"),
    [
        pytest.param("NONE", b"x", "MQSTR", id="none"),
        pytest.param(
            "RFH2", b"<psc><Command>Publish</Command><Topic>t</Topic></psc>", "MQHRF2", id="rfh2"
        ),
        pytest.param("COMPAT", b"MQPSCommand Publish MQPSTopic t ", "MQHRF", id="compat"),
    ],
)
def test_psprop_says_how_they_are_added(lab: Lab, how: str, body: bytes, form: str) -> None:
    subscription = subscribed(lab, "A", PSPROP=how)
    send(lab)
    got = bare(lab.get(subscription.destination))  # PROPCTL has no hand in what is data
    assert body in got.body and got.body.endswith(b"x")
    assert got.md.format == form


@pytest.mark.parametrize("delay_ms", [0, 1000])
def test_properties_make_no_publication_too_long(lab: Lab, delay_ms: int) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", "PMSGDLV": "ALLAVAIL"})
    lab.local("MINE", MAXMSGL=10)
    lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "MINE"})
    publications.send(lab.mq.connection, "t", message(), b"0123456789", delay_ms=delay_ms)
    lab.advance(1)
    assert lab.publications("MINE") == [b"0123456789"]


# -- the descriptor -------------------------------------------------------------------------------


def got_by(lab: Lab, subscription: Subscription) -> MQMD:
    return lab.get(subscription.destination).md


def test_a_copy_has_the_identity_context_of_its_subscription(lab: Lab) -> None:
    mine = subscribed(lab, "A", PUBACCT="16" * 32, PUBAPPID="ledger", SUBUSER="other")
    usual = subscribed(lab, "B")
    send(lab)
    got = got_by(lab, mine)
    assert (got.user_identifier, got.accounting_token, got.appl_identity_data) == (
        "other", b"\x16" * 32, "ledger",
    )  # fmt: skip
    got = got_by(lab, usual)
    assert (got.user_identifier, got.accounting_token, got.appl_identity_data) == (
        "tester", bytes(32), "",
    )  # fmt: skip


def test_a_subscription_with_correl_id_none_leaves_the_publishers(lab: Lab) -> None:
    subscription = subscribed(lab, "A", DESTCORL="00" * 24)
    publications.send(lab.mq.connection, "t", message(correl_id=b"p" * 24), b"x")
    assert got_by(lab, subscription).correl_id == b"p" * 24


def test_the_reply_to_queue_can_be_kept_from_subscribers(lab: Lab) -> None:
    lab.local("REPLIES")
    subscription = subscribed(lab, "A")
    md = message(reply_to_q="REPLIES", reply_to_q_mgr="QM1")
    sent = publications.send(lab.mq.connection, "t", md, b"x", cmqc.MQPMO_SUPPRESS_REPLYTO).md
    assert sent.reply_to_q == "REPLIES"
    got = got_by(lab, subscription)
    assert (got.reply_to_q, got.reply_to_q_mgr) == ("", "")
    with pytest.raises(MQIError) as error:
        asking = md._replace(report=cmqc.MQRO_COA)
        publications.send(lab.mq.connection, "t", asking, b"x", cmqc.MQPMO_SUPPRESS_REPLYTO)
    assert error.value.reason == cmqc.MQRC_MISSING_REPLY_TO_Q


def test_subscriptions_of_its_own_can_be_left_out(lab: Lab) -> None:
    mine, other = subscribed(lab, "A"), subscribed(lab, "B")
    publication = send(lab, own=frozenset((mine.id,)))
    assert (lab.depth(mine.destination), lab.depth(other.destination)) == (0, 1)
    assert publication.subscribers == 1


def test_one_of_a_group_gets_the_publication(lab: Lab) -> None:
    lab.local("MINE")
    for name, topic in (("A", "#"), ("B", "news/+"), ("C", "news/sport")):
        subscriptions.subscribe(
            lab.mq.connection, topic, name=name, durable=True, destination="MINE",
            kept={"DESTCORL": "AB" * 24, "GROUPSUB": "YES", "USERDATA": name},
        )  # fmt: skip
    publications.send(lab.mq.connection, "news/sport", message(), b"x")
    assert lab.depth("MINE") == 1
    header = rfh2.decode(lab.get("MINE").body, 0, "<")
    assert isinstance(header, rfh2.RFH2)
    assert rfh2.properties([header])["mqps.Sud"] == "C"


def test_a_queue_that_takes_no_retained_publication_fails_the_subscription(lab: Lab) -> None:
    lab.mq.define("TOPIC", "T", {"TOPICSTR": "t", "USEDLQ": "NO"})
    lab.local("MINE", MAXDEPTH=0)
    send(lab, cmqc.MQPMO_RETAIN)
    with pytest.raises(MQIError) as error:
        lab.mq.define("SUB", "S", {"TOPICSTR": "t", "DEST": "MINE"})
    assert error.value.reason == cmqc.MQRC_RETAINED_NOT_DELIVERED
    assert subscription_table.every(lab.mq.manager.store) == []


@pytest.mark.parametrize(
    ("above", "own", "tenths"),
    [
        ({"CUSTOM": "CAPEXPRY(200)"}, {}, 200),
        ({"CUSTOM": "CAPEXPRY(200)"}, {"CUSTOM": "CAPEXPRY(300)"}, 300),
        ({"CUSTOM": "CAPEXPRY(200)"}, {"CAPEXPRY": "NOLIMIT"}, -1),
        ({"CAPEXPRY": 200}, {"CUSTOM": "OTHER(1)"}, 200),
        ({"CUSTOM": "CAPEXPRY(200)", "CAPEXPRY": 400}, {}, 400),
    ],
)
def test_a_cap_in_custom_of_the_nearest_topic_object_lowers_lifetimes(
    lab: Lab, above: dict[str, int | str], own: dict[str, int | str], tenths: int
) -> None:
    lab.mq.define("TOPIC", "ABOVE", {"TOPICSTR": "t", **above})
    lab.mq.define("TOPIC", "OWN", {"TOPICSTR": "t/u", **own})
    one = subscribed(lab, "S", "t/u")
    publications.send(lab.mq.connection, "t/u", message(), b"x", 0)
    assert got_by(lab, one).expiry_tenths == tenths
