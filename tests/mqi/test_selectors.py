"""Selection strings on MQOPEN and MQSUB, through ibmmq and pymqi."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.mqi.conftest import Served


@pytest.fixture(params=["ibmmq", "pymqi"])
def module(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.fixture
def manager(served: Served, module: Any) -> Iterator[Any]:
    served.local("IN")
    connection = module.connect("QM1")
    yield connection
    connection.disconnect()


def opened(module: Any, manager: Any, selector: str, options: int = 0) -> Any:
    c = module.CMQC
    od = module.OD(ObjectName=b"IN", Version=c.MQOD_VERSION_4)
    if selector:
        od.set_vs("SelectionString", selector.encode())
    return module.Queue(manager, od, options or c.MQOO_INPUT_SHARED | c.MQOO_BROWSE)


def reason(module: Any, call: Any, *arguments: Any) -> int:
    with pytest.raises(module.MQMIError) as caught:
        call(*arguments)
    return int(caught.value.reason)


def put(module: Any, manager: Any, body: bytes, properties: dict[str, str], **fields: Any) -> None:
    handle = module.MessageHandle(manager)
    for name, value in properties.items():
        handle.properties.set(name.encode(), value)
    pmo = module.PMO(Version=module.CMQC.MQPMO_VERSION_3)
    pmo.OriginalMsgHandle = getattr(handle, "msg_handle", None) or handle.get_handle()
    queue = module.Queue(manager, "IN", module.CMQC.MQOO_OUTPUT)
    queue.put(body, module.MD(Format=b"MQSTR   ", **fields), pmo)
    queue.close()


def fruit(module: Any, manager: Any) -> None:
    put(module, manager, b"cherry", {"colour": "red"}, Priority=4)
    put(module, manager, b"plum", {"colour": "blue"}, Priority=7)
    put(module, manager, b"apple", {"colour": "red"}, Priority=2)
    put(module, manager, b"nothing", {}, Priority=1)


def browsed(module: Any, queue: Any) -> list[bytes]:
    c = module.CMQC
    bodies = []
    option = c.MQGMO_BROWSE_FIRST
    while True:
        gmo = module.GMO(Options=option | c.MQGMO_NO_PROPERTIES)
        try:
            bodies.append(queue.get(None, module.MD(), gmo))
        except module.MQMIError as error:
            assert error.reason == c.MQRC_NO_MSG_AVAILABLE
            return bodies
        option = c.MQGMO_BROWSE_NEXT


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("colour = 'red'", [b"cherry", b"apple"]),
        ("colour <> 'red'", [b"plum"]),
        ("colour IS NULL", [b"nothing"]),
        ("Root.MQMD.Priority > 3", [b"plum", b"cherry"]),
        ("JMSPriority = 2 OR colour LIKE 'bl%'", [b"plum", b"apple"]),
        ("1 = 1", [b"plum", b"cherry", b"apple", b"nothing"]),
        ("colour = 'green'", []),
    ],
)
@pytest.mark.slow
def test_a_browse_sees_what_is_selected(
    module: Any, manager: Any, selector: str, expected: list[bytes]
) -> None:
    fruit(module, manager)
    assert browsed(module, opened(module, manager, selector)) == expected


def test_a_get_takes_what_is_selected_and_leaves_the_rest(module: Any, manager: Any) -> None:
    fruit(module, manager)
    queue = opened(module, manager, "colour = 'red'")
    gmo = module.GMO(Options=module.CMQC.MQGMO_NO_PROPERTIES)
    assert [queue.get(None, module.MD(), gmo) for _ in range(2)] == [b"cherry", b"apple"]
    assert reason(module, queue.get) == 2033
    assert browsed(module, opened(module, manager, "")) == [b"plum", b"nothing"]


def test_a_waiting_get_passes_over_what_is_not_selected(module: Any, manager: Any) -> None:
    c = module.CMQC
    queue = opened(module, manager, "colour = 'red'")
    put(module, manager, b"plum", {"colour": "blue"})
    gmo = module.GMO(Options=c.MQGMO_WAIT | c.MQGMO_SYNCPOINT, WaitInterval=60)
    assert reason(module, queue.get, None, module.MD(), gmo) == 2033
    put(module, manager, b"cherry", {"colour": "red"})
    assert queue.get(None, module.MD(), gmo).endswith(b"cherry")
    manager.backout()
    assert queue.get(None, module.MD(), gmo).endswith(b"cherry")
    manager.commit()


def test_ids_and_selector_both_have_to_match(module: Any, manager: Any) -> None:
    c = module.CMQC
    for body, colour in ((b"one", "red"), (b"two", "blue")):
        put(module, manager, body, {"colour": colour}, CorrelId=b"same".ljust(24, b"\0"))
    queue = opened(module, manager, "colour = 'blue'")
    gmo = module.GMO(
        Version=c.MQGMO_VERSION_2, MatchOptions=c.MQMO_MATCH_CORREL_ID,
        Options=c.MQGMO_NO_PROPERTIES,
    )  # fmt: skip
    md = module.MD(CorrelId=b"same".ljust(24, b"\0"))
    assert queue.get(None, md, gmo) == b"two"
    assert (
        reason(module, queue.get, None, module.MD(CorrelId=b"same".ljust(24, b"\0")), gmo) == 2033
    )


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("colour = ", 2459), ("colour > 'red'", 2459), ("Root.MQMD.Nothing = 1", 2459),
        ("1 = 2", 2504), ("TRUE <> TRUE", 2504), ("a = '" + "x" * 10_240 + "'", 2519),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_bad_selector_does_not_open(
    module: Any, manager: Any, selector: str, expected: int
) -> None:
    assert reason(module, opened, module, manager, selector) == expected


def test_a_selector_is_for_queues_that_are_opened_to_get(module: Any, manager: Any) -> None:
    c = module.CMQC
    assert reason(module, opened, module, manager, "a = 1", c.MQOO_OUTPUT) == 2516
    assert reason(module, opened, module, manager, "a = 1", c.MQOO_INQUIRE) == 2516


# -- subscriptions --------------------------------------------------------------------------------


def subscribed(module: Any, manager: Any, selector: str, name: str = "", options: int = 0) -> Any:
    c = module.CMQC
    sd = module.SD(
        Options=c.MQSO_CREATE | c.MQSO_MANAGED | options, PubPriority=c.MQPRI_PRIORITY_AS_PUBLISHED
    )
    if selector:
        sd.set_vs("SelectionString", selector.encode())
    sd.set_vs("ObjectString", b"fruit/fresh")
    if name:
        sd.set_vs("SubName", name.encode())
    subscription = module.Subscription(manager)
    subscription.sub(sub_desc=sd)
    return subscription


def publish(module: Any, manager: Any, body: bytes, priority: int, options: int = 0) -> None:
    topic = module.Topic(manager, topic_string="fruit/fresh")
    topic.open(open_opts=module.CMQC.MQOO_OUTPUT)
    topic.pub(body, module.MD(Priority=priority), module.PMO(Options=options))
    topic.close()


def test_a_subscriber_gets_the_publications_it_selects(module: Any, manager: Any) -> None:
    publish(module, manager, b"retained", 6, module.CMQC.MQPMO_RETAIN)
    chosen = subscribed(module, manager, "Root.MQMD.Priority > 5")
    passed_over = subscribed(module, manager, "JMSPriority < 5")
    for priority in (4, 7):
        publish(module, manager, b"%d" % priority, priority)
    assert [chosen.get(), chosen.get()] == [b"7", b"retained"]  # by priority
    assert reason(module, chosen.get) == 2033
    assert passed_over.get() == b"4"
    assert reason(module, passed_over.get) == 2033


def test_a_durable_subscription_keeps_its_selector(
    module: Any, manager: Any, served: Served
) -> None:
    c = module.CMQC
    first = subscribed(module, manager, "JMSPriority = 7", "MINE", c.MQSO_DURABLE)
    first.close(sub_close_options=c.MQCO_KEEP_SUB, close_sub_queue=True)
    for priority in (6, 7):
        publish(module, manager, b"%d" % priority, priority)
    again = subscribed(module, manager, "", "MINE", c.MQSO_DURABLE | c.MQSO_RESUME)
    assert again.get() == b"7"
    assert reason(module, again.get) == 2033


@pytest.mark.parametrize(("selector", "expected"), [("JMSPriority =", 2551), ("1 = 2", 2504)])
def test_a_bad_selector_does_not_subscribe(
    module: Any, manager: Any, selector: str, expected: int
) -> None:
    assert reason(module, subscribed, module, manager, selector) == expected


def test_a_subscriber_chooses_the_correl_id(module: Any, manager: Any) -> None:
    c = module.CMQC
    mine = b"MINE".ljust(24, b"\0")
    sd = module.SD(Options=c.MQSO_CREATE | c.MQSO_MANAGED | c.MQSO_SET_CORREL_ID)
    sd.SubCorrelId = mine
    sd.set_vs("ObjectString", b"fruit/fresh")
    subscription = module.Subscription(manager)
    subscription.sub(sub_desc=sd)
    publish(module, manager, b"pear", 4)
    md = module.MD()
    assert subscription.get(None, md) == b"pear"
    assert (md.CorrelId, sd.SubCorrelId) == (mine, mine)


def test_wildcards_for_characters(module: Any, manager: Any) -> None:
    c = module.CMQC
    sd = module.SD(Options=c.MQSO_CREATE | c.MQSO_MANAGED | c.MQSO_WILDCARD_CHAR)
    sd.set_vs("ObjectString", b"fru?t/fr*")
    subscription = module.Subscription(manager)
    subscription.sub(sub_desc=sd)
    publish(module, manager, b"pear", 4)
    assert subscription.get() == b"pear"


def test_a_subscription_is_altered_in_what_may_change(
    module: Any, manager: Any, served: Served
) -> None:
    c = module.CMQC
    served.local("OTHER")
    served.local("MINE")
    fresh = b"fruit/fresh"

    def asked(
        options: int, queue: str, topic: bytes = b"fruit/fresh", selector: bytes = b""
    ) -> Any:
        sd = module.SD(Options=options | c.MQSO_DURABLE)
        sd.set_vs("ObjectString", topic)
        sd.set_vs("SubName", b"NAMED")
        if selector:
            sd.set_vs("SelectionString", selector)
        subscription = module.Subscription(manager)
        subscription.sub(sub_desc=sd, sub_queue=module.Queue(manager, queue, c.MQOO_INPUT_SHARED))
        return subscription

    asked(c.MQSO_CREATE, "MINE", selector=b"JMSPriority > 1")
    asked(c.MQSO_ALTER, "OTHER")
    publish(module, manager, b"pear", 4)
    assert (served.depth("MINE"), served.depth("OTHER")) == (0, 1)
    assert reason(module, asked, c.MQSO_ALTER, "OTHER", b"fruit/dried") == 2510
    assert reason(module, asked, c.MQSO_ALTER, "OTHER", fresh, b"JMSPriority > 2") == 2524
