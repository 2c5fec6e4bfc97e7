"""MQSUB, MQSUBRQ and what is published, through pymqi and ibmmq alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.mq.headers import rfh2
from mqtriage.mq.pcf import messages as pcf
from tests.mqi.conftest import Served

NOTHING: Final = (2, 2033)


class Client:
    """A connection by one of the two packages, with the calls that these tests need."""

    def __init__(self, package: Any) -> None:
        self.package = package
        self.c = package.CMQC
        self.qmgr = package.connect("QM1")
        self._made: list[Any] = []  # one that is forgotten closes the queue that it was given

    def descriptor(
        self, options: int, topic: bytes = b"t", name: bytes = b"", **fields: Any
    ) -> Any:
        sd = self.package.SD()
        sd["Options"] = options
        sd.set_vs("ObjectString", topic)
        if name:
            sd.set_vs("SubName", name)
        for field, value in fields.items():
            if field in ("SubUserData", "SelectionString"):
                sd.set_vs(field, value)
            else:
                sd[field] = value
        return sd

    def subscribe(self, sd: Any, queue: Any = None) -> Any:
        subscription = self.package.Subscription(self.qmgr)
        subscription.sub(sub_desc=sd, sub_queue=queue)
        self._made.append(subscription)
        return subscription

    def managed(self, topic: bytes = b"t", name: bytes = b"", more: int = 0, **fields: Any) -> Any:
        """A new subscription with a managed queue; durable if it has a name."""
        options = self.c.MQSO_CREATE | self.c.MQSO_MANAGED | more
        options |= self.c.MQSO_DURABLE if name else 0
        return self.subscribe(self.descriptor(options, topic, name, **fields))

    def publish(
        self, body: bytes, topic: bytes = b"t", options: int = 0, level: int = 9, **fields: Any
    ) -> None:
        there = self.package.Topic(self.qmgr, topic_string=topic)
        there.open(open_opts=self.c.MQOO_OUTPUT)
        pmo = self.package.PMO(Version=self.c.MQPMO_VERSION_3, Options=options, PubLevel=level)
        try:
            there.pub(body, self.package.MD(**fields), pmo)
        finally:
            there.close()

    def got(self, subscription: Any, options: int = 0) -> tuple[bytes, Any]:
        md = self.package.MD()
        gmo = self.package.GMO(Options=options | self.c.MQGMO_NO_SYNCPOINT)
        return subscription.get(None, md, gmo), md

    def with_properties(self, subscription: Any, *names: bytes) -> tuple[bytes, list[Any]]:
        """The next publication, and those of its properties; None for one that it has not."""
        handle = self.package.MessageHandle(self.qmgr)
        number = getattr(handle, "msg_handle", None) or handle.get_handle()
        gmo = self.package.GMO(
            Version=self.c.MQGMO_VERSION_4,
            Options=self.c.MQGMO_PROPERTIES_IN_HANDLE | self.c.MQGMO_NO_SYNCPOINT,
            MsgHandle=number,
        )
        body = subscription.get(None, self.package.MD(), gmo)
        values: list[Any] = []
        for name in names:
            try:
                values.append(handle.properties.get(name))
            except self.package.MQMIError as error:
                assert error.reason == self.c.MQRC_PROPERTY_NOT_AVAILABLE
                values.append(None)
        return body, [value.encode() if isinstance(value, str) else value for value in values]

    def failure(self, call: Any, *arguments: Any, **more: Any) -> tuple[int, int]:
        """CompCode and Reason of a call that does not end well."""
        with pytest.raises(self.package.MQMIError) as caught:
            call(*arguments, **more)
        return caught.value.comp, caught.value.reason


@pytest.fixture(params=["pymqi", "ibmmq"])
def client(request: pytest.FixtureRequest, served: Served) -> Iterator[Client]:
    new_client = Client(request.getfixturevalue(request.param))
    yield new_client
    new_client.qmgr.disconnect()


def advance(served: Served, seconds: float) -> None:
    lifecycle.advance(served.backend().manager, round(seconds * 1_000_000))


# -- SubExpiry ------------------------------------------------------------------------------------


def test_a_program_keeps_what_had_arrived_when_its_subscription_ended(
    client: Client, served: Served
) -> None:
    subscription = client.managed(SubExpiry=600)
    client.publish(b"before")
    advance(served, 60)
    client.publish(b"after")
    assert client.got(subscription)[0] == b"before"
    assert client.failure(client.got, subscription) == NOTHING
    subscription.close(sub_close_options=0, close_sub_queue=True)
    assert not list(served.backend().queues("SYSTEM.MANAGED.*"))


def test_a_durable_one_that_ended_cannot_be_resumed_but_made_anew(
    client: Client, served: Served
) -> None:
    c = client.c
    client.managed(name=b"S", SubExpiry=600).close(0, True)
    advance(served, 59)
    resume = client.descriptor(c.MQSO_RESUME, name=b"S")
    again = client.subscribe(resume)
    assert resume["SubExpiry"] == 600  # as it was stated, not what is left of it
    again.close(0, True)
    advance(served, 1)
    assert client.failure(client.subscribe, client.descriptor(c.MQSO_RESUME, name=b"S")) == (
        2, 2428,
    )  # fmt: skip
    client.managed(name=b"S").close(c.MQCO_REMOVE_SUB, True)


def test_an_old_handle_does_not_touch_a_new_subscription_of_its_name(
    client: Client, served: Served
) -> None:
    c = client.c
    old = client.managed(name=b"S", SubExpiry=600)
    advance(served, 60)
    new = client.managed(name=b"S")
    old.close(c.MQCO_REMOVE_SUB)
    client.publish(b"x")
    assert client.got(new)[0] == b"x"


def test_an_alteration_prolongs_a_subscription(client: Client, served: Served) -> None:
    c = client.c
    client.managed(name=b"S", SubExpiry=600).close(0, True)
    advance(served, 50)
    options = c.MQSO_ALTER | c.MQSO_DURABLE | c.MQSO_MANAGED
    altered = client.subscribe(client.descriptor(options, name=b"S", SubExpiry=600))
    advance(served, 50)
    client.publish(b"x")
    assert client.got(altered)[0] == b"x"


# -- levels and properties ------------------------------------------------------------------------


def test_an_interceptor_publishes_again_at_a_lower_level(client: Client) -> None:
    final, first = client.managed(), client.managed(SubLevel=9)
    client.publish(b"raw")
    assert client.failure(client.got, final) == NOTHING
    body, (level,) = client.with_properties(first, b"MQPubLevel")
    assert level == 9
    client.publish(body + b" and seen", level=8)
    assert client.got(final)[0] == b"raw and seen"


def test_a_publication_level_there_is_not(client: Client) -> None:
    assert client.failure(client.publish, b"x", level=10) == (2, 2173)


@pytest.mark.parametrize("name", [b"MQTopicString", b"mqps.Top"])
def test_the_topic_of_a_publication_is_a_property(client: Client, name: bytes) -> None:
    subscription = client.managed(b"prices/#", SubUserData=b"mine")
    client.publish(b"x", b"prices/fruit")
    names = (name, b"MQSubUserData", b"MQIsRetained")
    assert client.with_properties(subscription, *names) == (b"x", [b"prices/fruit", b"mine", None])


def test_a_retained_publication_is_told_to_be_one(client: Client) -> None:
    client.publish(b"x", options=client.c.MQPMO_RETAIN)
    subscription = client.managed()
    body, (retained,) = client.with_properties(subscription, b"MQIsRetained")
    assert (body, bool(retained)) == (b"x", True)


def test_properties_in_an_mqrfh2_are_in_the_folder_mqps(client: Client) -> None:
    subscription = client.managed()
    client.publish(b"x")
    data, md = client.got(subscription, client.c.MQGMO_PROPERTIES_FORCE_MQRFH2)
    header = rfh2.decode(data, 0, "<")
    assert isinstance(header, rfh2.RFH2)
    assert (md["Format"], rfh2.properties([header])) == (b"MQHRF2  ", {"mqps.Top": "t"})
    assert data[header.length :] == b"x"


def test_a_program_that_knows_no_properties_sees_the_data_alone(client: Client) -> None:
    subscription = client.managed()
    client.publish(b"x", Format=client.c.MQFMT_STRING)
    data, md = client.got(subscription)  # the managed queue has PROPCTL(COMPAT)
    assert (data, md["Format"]) == (b"x", b"MQSTR   ")


# -- options --------------------------------------------------------------------------------------


def test_what_cannot_be_asked_together(client: Client) -> None:
    c = client.c
    new = c.MQSO_CREATE | c.MQSO_MANAGED
    for options, level in (
        (new | c.MQSO_GROUP_SUB | c.MQSO_SET_CORREL_ID, 1),
        (c.MQSO_CREATE | c.MQSO_GROUP_SUB, 1),
        (new | c.MQSO_FIXED_USERID | c.MQSO_ANY_USERID, 1),
        (new | c.MQSO_NEW_PUBLICATIONS_ONLY | c.MQSO_PUBLICATIONS_ON_REQUEST, 1),
        (c.MQSO_RESUME | c.MQSO_NEW_PUBLICATIONS_ONLY, 1),
        (new | c.MQSO_PUBLICATIONS_ON_REQUEST, 2),
        (c.MQSO_CREATE | c.MQSO_NO_MULTICAST, 1),
        (new | c.MQSO_READ_AHEAD | c.MQSO_NO_READ_AHEAD, 1),
        (new | 0x400, 1),
    ):
        sd = client.descriptor(options, name=b"S", SubLevel=level)
        assert client.failure(client.subscribe, sd) == (2, 2046), options
    for level in (-1, 10):
        sd = client.descriptor(new, SubLevel=level)
        assert client.failure(client.subscribe, sd) == (2, 2424)


def test_a_resumed_subscription_tells_what_it_is(client: Client) -> None:
    c = client.c
    client.managed(
        b"prices/*", b"S", c.MQSO_WILDCARD_CHAR | c.MQSO_SET_IDENTITY_CONTEXT | c.MQSO_ANY_USERID,
        SubExpiry=900, PubPriority=7, SubLevel=3, PubAccountingToken=b"\x16" * 32,
        PubApplIdentityData=b"ledger", SubUserData=b"mine",
    ).close(0, True)  # fmt: skip
    sd = client.descriptor(c.MQSO_RESUME, b"another/topic", b"S", SubExpiry=1)
    resumed = client.subscribe(sd)  # of one that is resumed the name alone counts
    options = sd["Options"]
    for option in ("DURABLE", "MANAGED", "WILDCARD_CHAR", "ANY_USERID"):
        assert options & getattr(c, f"MQSO_{option}"), option
    assert not options & (c.MQSO_FIXED_USERID | c.MQSO_PUBLICATIONS_ON_REQUEST)
    assert [sd[field] for field in ("SubExpiry", "PubPriority", "SubLevel")] == [900, 7, 3]
    assert sd["PubAccountingToken"] == b"\x16" * 32
    assert sd["PubApplIdentityData"].rstrip() == b"ledger"
    resumed.close(c.MQCO_REMOVE_SUB, True)


@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        pytest.param("MQSO_MANAGED", {}, 2509, id="durability"),
        pytest.param("MQSO_DURABLE", {"topic": b"u"}, 2510, id="topic"),
        pytest.param("MQSO_DURABLE MQSO_WILDCARD_CHAR", {}, 2510, id="wildcards"),
        pytest.param("MQSO_DURABLE", {"SubLevel": 2}, 2512, id="level"),
        pytest.param("MQSO_DURABLE MQSO_GROUP_SUB MQSO_SET_CORREL_ID", {}, 2515, id="group"),
        pytest.param("MQSO_DURABLE", {"SelectionString": b"a = 1"}, 2524, id="selector"),
    ],
)
@pytest.mark.slow
def test_what_an_alteration_cannot_change(
    client: Client, options: str, fields: dict[str, Any], reason: int
) -> None:
    c = client.c
    client.managed(name=b"S").close(0, True)
    asked = sum(getattr(c, name) for name in options.split())
    sd = client.descriptor(c.MQSO_ALTER | asked, name=b"S", **fields)
    assert client.failure(client.subscribe, sd) == (2, reason)


def test_a_managed_subscription_cannot_be_given_a_queue(client: Client, served: Served) -> None:
    c = client.c
    client.managed(name=b"S").close(0, True)
    queue = client.package.Queue(client.qmgr, served.local("MINE"), c.MQOO_INPUT_SHARED)
    sd = client.descriptor(c.MQSO_ALTER | c.MQSO_DURABLE, name=b"S")
    assert client.failure(client.subscribe, sd, queue) == (2, 2533)


def test_an_alteration_makes_the_subscription_what_the_descriptor_says(
    client: Client, served: Served
) -> None:
    c = client.c
    client.managed(name=b"S", SubUserData=b"old", PubPriority=7).close(0, True)
    options = c.MQSO_ALTER | c.MQSO_DURABLE | c.MQSO_MANAGED
    sd = client.descriptor(options, name=b"S", PubPriority=2)
    altered = client.subscribe(sd)
    client.publish(b"x")
    _, (user_data,) = client.with_properties(altered, b"MQSubUserData")
    assert user_data is None
    client.publish(b"x")
    assert client.got(altered)[1]["Priority"] == 2


def test_a_publisher_can_leave_its_own_subscriptions_out(client: Client) -> None:
    c = client.c
    subscription = client.managed()
    warned = c.MQPMO_NOT_OWN_SUBS | c.MQPMO_WARN_IF_NO_SUBS_MATCHED
    assert client.failure(client.publish, b"mine", options=warned) == (1, 2550)
    assert client.failure(client.got, subscription) == NOTHING
    client.publish(b"for all", options=c.MQPMO_WARN_IF_NO_SUBS_MATCHED)
    assert client.got(subscription)[0] == b"for all"


def test_nobody_is_warned_of_who_selects_nothing_of_it(client: Client) -> None:
    c = client.c
    client.managed(SelectionString=b"JMSPriority > 8")
    options = c.MQPMO_WARN_IF_NO_SUBS_MATCHED
    assert client.failure(client.publish, b"x", options=options) == (1, 2550)


def test_the_reply_to_queue_can_be_kept_from_subscribers(client: Client, served: Served) -> None:
    subscription = client.managed()
    options = client.c.MQPMO_SUPPRESS_REPLYTO
    client.publish(b"x", options=options, ReplyToQ=b"REPLIES")
    assert client.got(subscription)[1]["ReplyToQ"].strip() == b""
    report = client.c.MQRO_COA
    wrong = client.failure(
        client.publish, b"x", options=options, ReplyToQ=b"REPLIES", Report=report
    )
    assert wrong == (2, 2027)


def test_a_subscription_that_is_fixed_to_its_user_is_nobody_elses(
    client: Client, served: Served
) -> None:
    c = client.c
    queue = client.package.Queue(client.qmgr, served.local("MINE"), c.MQOO_INPUT_SHARED)
    for name, kind in ((b"FIXED", c.MQSO_FIXED_USERID), (b"ANY", c.MQSO_ANY_USERID)):
        options = c.MQSO_CREATE | c.MQSO_DURABLE | kind
        client.subscribe(client.descriptor(options, name, name), queue).close(c.MQCO_KEEP_SUB)
    other = c.MQSO_RESUME | c.MQSO_ALTERNATE_USER_AUTHORITY
    sd = client.descriptor(other, name=b"FIXED", AlternateUserId=b"somebody")
    assert client.failure(client.subscribe, sd) == (2, 2434)
    sd = client.descriptor(other, name=b"ANY", AlternateUserId=b"somebody")
    resumed = client.subscribe(sd)
    client.publish(b"x", b"ANY")
    assert client.got(resumed)[1]["UserIdentifier"].strip() == b"somebody"


def test_an_alternate_user_is_the_user_of_the_subscription(client: Client) -> None:
    more = client.c.MQSO_ALTERNATE_USER_AUTHORITY
    subscription = client.managed(more=more, AlternateUserId=b"somebody")
    client.publish(b"x")
    assert client.got(subscription)[1]["UserIdentifier"].strip() == b"somebody"


def test_to_resume_and_to_alter_are_two_authorities(ibmmq: Any, served: Served) -> None:
    served.local("MINE")
    served.backend().define("SUB", "S", {"TOPICSTR": "fruit", "DEST": "MINE"})
    manager = served.backend().manager
    lifecycle.switch(manager, "authority", "on")
    authority_records.set_record(manager, "QMGR", principal="app", add=["CONNECT"])
    authority_records.set_record(
        manager, "QUEUE", "MINE", principal="app", add=["GET", "BROWSE", "INQ"]
    )
    authority_records.set_record(
        manager, "TOPIC", "SYSTEM.BASE.TOPIC", principal="app", add=["RESUME"]
    )
    c = ibmmq.CMQC
    qmgr = ibmmq.connect("QM1", "C", "h(1)", "app", "x")

    def subscribes(options: int) -> None:
        sd = ibmmq.SD(Options=options | c.MQSO_DURABLE)
        sd.set_vs("SubName", b"S")
        subscription = ibmmq.Subscription(qmgr)
        subscription.sub(sub_desc=sd)
        subscription.close(c.MQCO_KEEP_SUB)

    subscribes(c.MQSO_RESUME)
    with pytest.raises(ibmmq.MQMIError) as caught:
        subscribes(c.MQSO_ALTER)
    assert caught.value.reason == c.MQRC_NOT_AUTHORIZED
    authority_records.set_record(
        manager, "TOPIC", "SYSTEM.BASE.TOPIC", principal="app", add=["SUB"]
    )
    subscribes(c.MQSO_ALTER)
    qmgr.disconnect()


def test_identity_context_is_set_with_authority_on_the_queue(ibmmq: Any, served: Served) -> None:
    served.local("MINE")
    manager = served.backend().manager
    lifecycle.switch(manager, "authority", "on")
    authority_records.set_record(manager, "QMGR", principal="app", add=["CONNECT", "SETID"])
    authority_records.set_record(manager, "QUEUE", "MINE", principal="app", add=["GET", "PUT"])
    authority_records.set_record(
        manager, "TOPIC", "SYSTEM.BASE.TOPIC", principal="app", add=["SUB"]
    )
    c = ibmmq.CMQC
    qmgr = ibmmq.connect("QM1", "C", "h(1)", "app", "x")
    mine = ibmmq.Queue(qmgr, "MINE", c.MQOO_INPUT_SHARED)

    def subscribes() -> None:
        sd = ibmmq.SD(Options=c.MQSO_CREATE | c.MQSO_SET_IDENTITY_CONTEXT)
        sd.set_vs("ObjectString", b"fruit")
        ibmmq.Subscription(qmgr).sub(sub_desc=sd, sub_queue=mine)

    with pytest.raises(ibmmq.MQMIError) as caught:
        subscribes()
    assert caught.value.reason == c.MQRC_NOT_AUTHORIZED
    authority_records.set_record(manager, "QUEUE", "MINE", principal="app", add=["SETID"])
    subscribes()
    qmgr.disconnect()


def test_a_group_has_each_topic_string_once(client: Client, served: Served) -> None:
    c = client.c
    queue = client.package.Queue(client.qmgr, served.local("MINE"), c.MQOO_INPUT_SHARED)
    options = c.MQSO_CREATE | c.MQSO_GROUP_SUB | c.MQSO_SET_CORREL_ID
    for topic in (b"t", b"#"):
        client.subscribe(client.descriptor(options, topic, SubCorrelId=b"g" * 24), queue)
    again = client.descriptor(options, b"t", SubCorrelId=b"g" * 24)
    assert client.failure(client.subscribe, again, queue) == (2, 2514)
    client.publish(b"x")
    assert served.depth("MINE") == 1


def test_a_subscription_is_closed_in_one_way(client: Client) -> None:
    c = client.c
    both = c.MQCO_KEEP_SUB | c.MQCO_REMOVE_SUB
    assert client.failure(client.managed(name=b"S").close, both) == (2, 2046)
    assert client.failure(client.managed().close, c.MQCO_KEEP_SUB) == (2, 2045)


# -- resource usage -------------------------------------------------------------------------------

MONITOR: Final = b"$SYS/MQ/INFO/QMGR/QM1/Monitor"


def test_a_get_that_waits_ends_when_resource_usage_is_published(
    client: Client, served: Served
) -> None:
    served.local("IN")
    subscription = client.managed(MONITOR + b"/STATQ/IN/PUT")
    queue = client.package.Queue(client.qmgr, "IN")
    for body in (b"four", b"six"):
        queue.put(body)
    queue.close()
    later = threading.Timer(0.3, advance, (served, 10))
    later.start()
    gmo = client.package.GMO(
        Options=client.c.MQGMO_WAIT | client.c.MQGMO_NO_PROPERTIES, WaitInterval=8000
    )
    content = pcf.decode(subscription.get(None, client.package.MD(), gmo))
    later.join()
    assert [content.first(element) for element in range(3)] == [2, 7, 2]


def test_nobody_opens_a_topic_of_the_queue_managers_own_to_publish(
    client: Client, served: Served
) -> None:
    topic = client.package.Topic(client.qmgr, topic_string=MONITOR + b"/STATMQI/PUT")
    assert client.failure(topic.open, open_opts=client.c.MQOO_OUTPUT) == (2, 2598)
