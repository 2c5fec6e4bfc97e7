"""IBM MQ classes for Java: the MQI over a channel, and PCF."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from tests.jms.conftest import At
from tests.support.ibm_java import Thrown


@pytest.mark.seed("PM-08")
def test_each_backout_counts_and_nothing_else_does(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    mq.put(queue, backout=9)
    counts = []
    for _ in range(3):
        got = mq.get(queue, syncpoint=True)
        counts.append(got and got["backout"])
        mq.backout()
    assert counts == [0, 1, 2]
    for _ in range(2):
        assert (mq.get(queue, browse="first") or {})["backout"] == 3


@pytest.mark.seed("BO-16", "BO-20", "BO-21", "BO-27")
def test_a_program_compares_the_count_and_puts_poison_away_by_hand(at: At) -> None:
    backout = at.local()
    queue = at.local(BOTHRESH=2, BOQNAME=backout)
    mq = at.connect()
    mq.put(queue, "poison")
    depth, threshold, name = mq.run("inquire", **{"from": queue})
    assert (depth, threshold, name) == (1, 2, backout)
    while (got := mq.get(queue, syncpoint=True)) is not None:
        if got["backout"] >= threshold:
            mq.put(name, got["body"], syncpoint=True)
            mq.commit()
        else:
            mq.backout()
    assert (at.depth(queue), at.depth(backout)) == (0, 1)


def test_a_message_is_put_browsed_and_got(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    for text in ("1", "2"):
        mq.put(queue, text)
    mq.put(queue, "3", put1=True)
    browsed = [mq.get(queue, browse=where) for where in ("first", "next", "next", "next")]
    assert [one and one["body"] for one in browsed] == ["1", "2", "3", None]
    assert [(mq.get(queue) or {})["body"] for _ in range(3)] == ["1", "2", "3"]
    assert mq.get(queue, wait=100) is None


def test_a_unit_of_work_is_committed_or_backed_out(at: At) -> None:
    queue = at.local()
    mq, other = at.connect(), at.connect("two")
    mq.put(queue, syncpoint=True)
    assert other.get(queue) is None
    mq.commit()
    assert (other.get(queue) or {})["body"] == "hello"
    mq.put(queue, syncpoint=True)
    mq.backout()
    assert at.depth(queue) == 0


def test_an_attribute_is_set(at: At) -> None:
    queue = at.local()
    mq = at.connect()
    mq.run("set", to=queue, inhibited=True)
    with pytest.raises(Thrown) as error:
        mq.put(queue)
    assert error.value.reason == cmqc.MQRC_PUT_INHIBITED
    mq.run("set", to=queue, inhibited=False)
    mq.put(queue)


def test_a_dynamic_queue_is_made_of_a_model(at: At) -> None:
    at.mqsc("DEFINE QMODEL(JMS.MODEL) DEFTYPE(TEMPDYN) REPLACE")
    name, text = at.connect().run("dynamic", model="JMS.MODEL")
    assert name.startswith("JMS.TEST.")
    assert text == "through a dynamic queue"


def test_a_publication_comes_to_a_managed_queue(at: At) -> None:
    assert at.connect().run("topic", topic="base/topic") == "published"


def test_the_pcf_agent_is_answered(at: At) -> None:
    queue = at.local()
    assert at.run("pcf", names=f"{queue}*")[0] == queue
