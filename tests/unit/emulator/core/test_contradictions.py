"""Where the documents contradict each other: rows C-01 to C-20 of the requirements.

A row whose two readings an existing test already tells apart is marked there; this is the index.

=====  ==========================================================================================
C-01   test_delay_reports: the worked example counts from the put
C-02   test_expiry: a queue of nothing but expired messages is cleaned
C-03   test_expiry: a priority queue discards higher ones and earlier equal ones; and here
C-04   test_faults: zero is refused with and without the variable, the upper limit with it alone
C-05   test_xmitq: the check of a direct put, and that the strictest is the default
C-06   here
C-07   to C-15: clients/test_contradictions
C-16   test_delay_reports: an uncommitted delayed message is not counted; and here
C-17   test_delay_pubsub: the three tests of what becomes of a copy; test_delay_reports: the ends
C-18   test_delay_jms: a time to live equal to the delay is accepted
C-19   tests/acceptance/messages/test_expired; unit/commands/test_explain_expiry: what is said
C-20   tests/test_layout: links agree with the table of the wheel
=====  ==========================================================================================
"""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from tests.unit.emulator.conftest import STAGING, Lab, message
from tests.unit.emulator.shared.test_xmitq import inner_of, put, transmitted


@pytest.mark.seed("EX-15", "EX-16", "C-03")
@pytest.mark.parametrize(
    ("priority", "stays"),
    [
        pytest.param(9, False, id="higher-goes"),
        pytest.param(5, True, id="equal-stays"),
        pytest.param(3, True, id="lower-stays"),
    ],
)
def test_of_what_expired_behind_the_first_alive_only_a_higher_priority_goes(
    lab: Lab, priority: int, stays: bool
) -> None:
    """The newer page puts "arrived before" on higher priorities too: then 9 would stay."""
    queue = lab.local("Q1", MSGDLVSQ="PRIORITY")
    queue.put(message(priority=5), b"alive")
    queue.put(message(priority=priority, expiry_tenths=1), b"expired")
    lab.advance(1)
    assert queue.get(cmqc.MQGMO_BROWSE_FIRST).body == b"alive"
    assert lab.depth("Q1") == 1 + stays


@pytest.mark.seed("EX-55", "EX-62", "EX-63", "C-06")
@pytest.mark.parametrize(
    ("inner", "outer_left", "inner_left"),
    [
        pytest.param(50, 500, 0, id="inner-shorter"),
        pytest.param(900, 500, 800, id="inner-longer"),
        pytest.param(-1, 500, -1, id="inner-unlimited"),
    ],
)
def test_lifetimes_that_differ_are_refused_now_and_served_where_they_are_already_there(
    lab: Lab, inner: int, outer_left: int, inner_left: int
) -> None:
    """Both sentences of the newer page hold: one of the put, one of the message that exists."""
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    lab.switch("xmitq_expiry_check", "none")
    put(lab, "QM2", 600, transmitted(inner))
    lab.switch("xmitq_expiry_check", "consistent")
    with pytest.raises(MQIError) as error:
        put(lab, "QM2", 600, transmitted(inner))
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert lab.depth("QM2") == 1
    lab.advance(10)
    received = lab.get("QM2")
    assert (received.md.expiry_tenths, inner_of(received.body)) == (outer_left, inner_left)


@pytest.mark.seed("DD-34", "C-16")
def test_before_the_commit_nothing_of_a_delayed_send_takes_room_on_the_staging_queue(
    lab: Lab,
) -> None:
    """Not counted, so it does not fill the queue either; an ordinary uncommitted put does."""
    lab.local("Q1", MAXDEPTH=1)
    lab.mq.put_delayed("Q1", message(), b"", 5000, cmqc.MQPMO_SYNCPOINT)
    assert lab.depth(STAGING) == 0
    lab.mq.commit()
    assert lab.depth(STAGING) == 1
    lab.mq.put1("Q1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    with pytest.raises(MQIError) as error:
        lab.put("Q1")
    assert error.value.reason == cmqc.MQRC_Q_FULL
