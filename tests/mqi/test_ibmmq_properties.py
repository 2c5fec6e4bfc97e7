"""Message handles, properties, consumers and publish/subscribe through `ibmmq`."""

from __future__ import annotations

import struct
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from tests.mqi.conftest import Served
from tests.mqi.test_ibmmq_messages import failure, opened


@pytest.fixture
def queue(served: Served, ibmmq: Any, qmgr: Any) -> Any:
    served.local("IN")
    return opened(ibmmq, qmgr)


def put_with(ibmmq: Any, qmgr: Any, queue: Any, **values: str) -> Any:
    handle = ibmmq.MessageHandle(qmgr)
    for name, value in values.items():
        handle.properties.set(name, value)
    pmo = ibmmq.PMO(OriginalMsgHandle=handle.get_handle())
    queue.put(b"body", ibmmq.MD(Format=ibmmq.CMQC.MQFMT_STRING), pmo)
    return handle


def test_properties_travel_in_a_handle(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    put_with(ibmmq, qmgr, queue, colour="grün", size="5 < 6 & 7")
    got = ibmmq.MessageHandle(qmgr)
    gmo = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=got.get_handle())
    md = ibmmq.MD()
    assert queue.get(None, md, gmo) == b"body"
    assert md.Format == b"MQSTR   "
    assert got.properties.get("colour") == "grün"
    assert got.properties.get("size") == "5 < 6 & 7"


def test_properties_are_an_rfh2_for_a_program_without_handles(
    ibmmq: Any, qmgr: Any, queue: Any, served: Served
) -> None:
    from mqtriage.mq.headers import rfh2

    put_with(ibmmq, qmgr, queue, colour="red")
    md = ibmmq.MD()
    body = queue.get(None, md)
    assert md.Format == b"MQHRF2  "
    header = rfh2.decode(body, 0, "<")
    assert isinstance(header, rfh2.RFH2)
    assert rfh2.properties([header]) == {"colour": "red"}
    assert (header.format, body[header.length :]) == ("MQSTR", b"body")


def test_properties_can_be_left_out(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    put_with(ibmmq, qmgr, queue, colour="red")
    gmo = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_NO_PROPERTIES)
    assert queue.get(None, ibmmq.MD(), gmo) == b"body"


def test_a_property_keeps_its_type(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    handle = ibmmq.MessageHandle(qmgr)
    handle.properties.set("n", 77, c.MQTYPE_INT32, 4)
    handle.properties.set("b", True, c.MQTYPE_BOOLEAN, 4)
    handle.properties.set("d", 1.5, c.MQTYPE_FLOAT64, 8)
    queue.put(b"x", ibmmq.MD(), ibmmq.PMO(OriginalMsgHandle=handle.get_handle()))
    got = ibmmq.MessageHandle(qmgr)
    gmo = ibmmq.GMO(Options=c.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=got.get_handle())
    queue.get(None, ibmmq.MD(), gmo)
    assert got.properties.get("n", property_type=c.MQTYPE_INT32) == 77
    assert got.properties.get("b", property_type=c.MQTYPE_BOOLEAN) in (1, True)
    assert got.properties.get("d", property_type=c.MQTYPE_FLOAT64) == 1.5
    assert struct.calcsize("d") == 8


def test_properties_are_deleted_and_what_is_not_there_is_2471(
    ibmmq: Any, qmgr: Any, served: Served
) -> None:
    handle = ibmmq.MessageHandle(qmgr)
    handle.properties.set("colour", "red")
    handle.properties.dlt("colour")
    assert failure(ibmmq, handle.properties.get, "colour") == (2, 2471)
    handle.dlt()


def test_a_handle_may_be_made_before_there_is_a_connection(
    ibmmq: Any, served: Served, sdk: Path
) -> None:
    ran = served.python(
        sdk,
        "import ibmmq\n"
        "h = ibmmq.MessageHandle()\n"
        "h.properties.set('colour', 'red')\n"
        "assert h.properties.get('colour') == 'red'\n"
        "qm = ibmmq.connect('QM1')\n"
        "q = ibmmq.Queue(qm, 'SYSTEM.DEFAULT.LOCAL.QUEUE', 17)\n"
        "q.put(b'x', ibmmq.MD(), ibmmq.PMO(OriginalMsgHandle=h.get_handle()))\n"
        "assert b'<usr><colour>red</colour></usr>' in q.get()\n",
    )
    assert ran.returncode == 0, ran.stderr


def test_a_message_handle_that_is_none_is_2460(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    pmo = ibmmq.PMO(OriginalMsgHandle=12345)
    assert failure(ibmmq, queue.put, b"x", ibmmq.MD(), pmo) == (2, 2460)


# -- consumers ------------------------------------------------------------------------------------


def test_a_consumer_is_called_with_each_message(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    seen: list[bytes] = []
    enough = threading.Event()

    def consume(**given: Any) -> None:
        if given["cbc"].Reason == 0 and given["cbc"].CallType in (6, 7):
            seen.append(given["msg"])
            if len(seen) == 3:
                enough.set()

    for body in (b"one", b"two"):
        queue.put(body)
    cbd = ibmmq.CBD(CallbackFunction=consume)
    gmo = ibmmq.GMO(Options=c.MQGMO_NO_SYNCPOINT | c.MQGMO_WAIT, WaitInterval=-1)
    queue.cb(operation=c.MQOP_REGISTER, md=ibmmq.MD(), gmo=gmo, cbd=cbd)
    qmgr.ctl(c.MQOP_START, ibmmq.CTLO())
    assert failure(ibmmq, queue.put, b"x") == (2, 2500)
    other = ibmmq.connect("QM1")
    opened(ibmmq, other).put(b"three" * 3000)
    assert enough.wait(60)
    qmgr.ctl(c.MQOP_STOP, ibmmq.CTLO())
    assert seen == [b"one", b"two", b"three" * 3000]
    queue.put(b"after")
    time.sleep(0.15)
    assert len(seen) == 3
    other.disconnect()


def test_a_consumer_may_commit_and_back_out(
    ibmmq: Any, qmgr: Any, queue: Any, served: Served
) -> None:
    c = ibmmq.CMQC
    counts: list[int] = []
    enough = threading.Event()

    def consume(**given: Any) -> None:
        if given["cbc"].CallType not in (6, 7) or given["cbc"].Reason:
            return
        counts.append(given["md"].BackoutCount)
        if len(counts) < 3:
            given["queue_manager"].backout()
        else:
            given["queue_manager"].commit()
            enough.set()

    queue.put(b"poison")
    gmo = ibmmq.GMO(Options=c.MQGMO_SYNCPOINT | c.MQGMO_WAIT, WaitInterval=-1)
    cbd = ibmmq.CBD(CallbackFunction=consume)
    queue.cb(operation=c.MQOP_REGISTER, md=ibmmq.MD(), gmo=gmo, cbd=cbd)
    qmgr.ctl(c.MQOP_START, ibmmq.CTLO())
    assert enough.wait(60)
    qmgr.disconnect()
    assert counts == [0, 1, 2]
    assert served.depth("IN") == 0


@pytest.mark.parametrize(
    ("end", "reasons"),
    [
        pytest.param(lambda manager: lifecycle.quiesce(manager, 0), [2161], id="quiesced"),
        pytest.param(lifecycle.stop, [2009], id="stopped"),
    ],
)
def test_event_handlers_are_told_that_the_queue_manager_ends(
    ibmmq: Any, qmgr: Any, queue: Any, served: Served, end: Any, reasons: list[int]
) -> None:
    c = ibmmq.CMQC
    received: list[int] = []
    heard = threading.Event()

    def handle(**given: Any) -> None:
        received.append(given["cbc"].Reason)
        heard.set()

    consumer = ibmmq.CBD(CallbackFunction=lambda **_: None)
    handler = ibmmq.CBD(CallbackFunction=handle, CallbackType=c.MQCBT_EVENT_HANDLER)
    gmo = ibmmq.GMO(Options=c.MQGMO_WAIT | c.MQGMO_FAIL_IF_QUIESCING, WaitInterval=-1)
    queue.cb(operation=c.MQOP_REGISTER, md=ibmmq.MD(), gmo=gmo, cbd=consumer)
    qmgr.cb(operation=c.MQOP_REGISTER, cbd=handler)
    qmgr.ctl(c.MQOP_START, ibmmq.CTLO())
    end(served.backend().manager)
    assert heard.wait(60)
    time.sleep(0.2)
    assert received == reasons
    qmgr.ctl(c.MQOP_STOP, ibmmq.CTLO())


# -- publish and subscribe ------------------------------------------------------------------------


def test_a_managed_subscription_gets_what_is_published(
    ibmmq: Any, qmgr: Any, served: Served
) -> None:
    c = ibmmq.CMQC
    sd = ibmmq.SD(Options=c.MQSO_CREATE | c.MQSO_NON_DURABLE | c.MQSO_MANAGED)
    sd.set_vs("ObjectString", "prices/+")
    sub = ibmmq.Subscription(qmgr)
    sub.sub(sub_desc=sd)
    topic = ibmmq.Topic(qmgr, topic_string="prices/fruit")
    topic.open(open_opts=c.MQOO_OUTPUT)
    topic.pub(b"apples 3")
    gmo = ibmmq.GMO(Options=c.MQGMO_WAIT | c.MQGMO_NO_SYNCPOINT, WaitInterval=2000)
    assert sub.get(None, ibmmq.MD(), gmo) == b"apples 3"
    sub.close(sub_close_options=0, close_sub_queue=True)
    topic.close()


def test_a_subscription_with_a_queue_of_its_own(ibmmq: Any, qmgr: Any, served: Served) -> None:
    c = ibmmq.CMQC
    served.local("MINE")
    queue = opened(ibmmq, qmgr, "MINE")
    sd = ibmmq.SD(Options=c.MQSO_CREATE | c.MQSO_DURABLE)
    sd.set_vs("ObjectString", "prices/#")
    sd.set_vs("SubName", "fruit")
    sub = ibmmq.Subscription(qmgr)
    sub.sub(sub_desc=sd, sub_queue=queue)
    topic = ibmmq.Topic(qmgr, topic_string="prices/fruit/red")
    topic.open(open_opts=c.MQOO_OUTPUT)
    topic.pub(b"cherries")
    assert queue.get() == b"cherries"
    sub.close(sub_close_options=c.MQCO_REMOVE_SUB)
    topic.pub(b"nobody hears")
    assert failure(ibmmq, queue.get) == (2, 2033)


def test_data_behind_properties_can_be_converted(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    put_with(ibmmq, qmgr, queue, colour="red")
    got = ibmmq.MessageHandle(qmgr)
    options = c.MQGMO_CONVERT | c.MQGMO_PROPERTIES_IN_HANDLE
    md = ibmmq.MD(CodedCharSetId=1200)
    gmo = ibmmq.GMO(Options=options, MsgHandle=got.get_handle())
    assert queue.get(None, md, gmo).decode("utf-16-be" if md.Encoding & 15 == 1 else "utf-16-le")


def test_suspending_what_was_not_started_is_not_allowed(ibmmq: Any, qmgr: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    for operation in (c.MQOP_SUSPEND, c.MQOP_RESUME):
        assert failure(ibmmq, qmgr.ctl, operation, ibmmq.CTLO()) == (2, 2534)


def test_a_wildcard_matches_what_begins_so(ibmmq: Any, qmgr: Any) -> None:
    c = ibmmq.CMQC
    handle = ibmmq.MessageHandle(qmgr)
    for name in ("price.net", "colour", "price.gross", "pricing"):
        handle.properties.set(name, name)

    def matching(pattern: str) -> list[str]:
        values: list[str] = []
        step = c.MQIMPO_INQ_FIRST
        while True:
            try:
                value = handle.properties.get(pattern, impo=ibmmq.IMPO(Options=step))
            except ibmmq.MQMIError as error:
                assert error.reason == c.MQRC_PROPERTY_NOT_AVAILABLE
                return values
            values.append(value[0] if isinstance(value, tuple) else value)
            step = c.MQIMPO_INQ_NEXT

    assert matching("pric%") == ["price.net", "price.gross", "pricing"]
    assert matching("price.%") == ["price.net", "price.gross"]
    assert matching("%") == ["price.net", "colour", "price.gross", "pricing"]


def test_the_next_property_under_another_name_is_the_first_of_that_name(
    ibmmq: Any, qmgr: Any
) -> None:
    handle = ibmmq.MessageHandle(qmgr)
    for name in ("a.x", "a.y", "b.x"):
        handle.properties.set(name, name)
    names = [
        handle.properties.get(name, impo_options=ibmmq.CMQC.MQIMPO_INQ_NEXT)[0]
        for name in ("a.%", "b.%", "a.%", "a.%")
    ]
    assert names == ["a.x", "b.x", "a.x", "a.y"]


def test_the_length_of_a_name_has_a_reason_of_its_own(ibmmq: Any, qmgr: Any) -> None:
    handle = ibmmq.MessageHandle(qmgr)
    handle.properties.set("a" * 4095, "longest")
    for name in ("", "a" * 4096):
        for act in (
            partial(handle.properties.set, name, "x"),
            partial(handle.properties.get, name),
        ):
            with pytest.raises(ibmmq.MQMIError) as raised:
                act()
            assert raised.value.reason == 2513
