"""Replies of a simulated program and of the simulated IMS bridge: their lifetimes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, MQTriageError, NoMessageAvailable
from mqtriage.mq.headers import iih
from tests.support.ims_bridge import answer_once
from tests.support.replier import Policy, reply_once
from tests.unit.emulator.conftest import Lab


@pytest.fixture(autouse=True)
def queues(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "REQUESTS", {})
    lab.mq.define("QLOCAL", "REPLIES", {})


def request(lab: Lab, body: bytes = b"?", **fields: object) -> bytes:
    md = lab.put(
        "REQUESTS",
        body,
        msg_type=cmqc.MQMT_REQUEST,
        reply_to_q="REPLIES",
        expiry_tenths=600,
        **fields,
    )
    lab.advance(10)
    return md.msg_id


@pytest.mark.parametrize(
    ("policy", "expiry"),
    [
        pytest.param("copy", 500, id="copies-what-is-left", marks=pytest.mark.seed("EX-44")),
        pytest.param(300, 300, id="its-own", marks=pytest.mark.seed("EX-45")),
        pytest.param("unlimited", -1, id="unlimited", marks=pytest.mark.seed("EX-46")),
    ],
)
def test_a_reply_has_the_lifetime_of_the_policy(lab: Lab, policy: Policy, expiry: int) -> None:
    asked = request(lab)
    reply_once(lab.mq.connection, "REQUESTS", policy)
    reply = lab.get("REPLIES").md
    assert reply.expiry_tenths == expiry
    assert (reply.msg_type, reply.correl_id) == (cmqc.MQMT_REPLY, asked)
    assert lab.depth("REQUESTS") == 0


@pytest.mark.seed("EX-45")
def test_a_reply_with_lifetime_zero_fails_and_the_request_comes_back(lab: Lab) -> None:
    request(lab)
    with pytest.raises(MQIError) as error:
        reply_once(lab.mq.connection, "REQUESTS", 0)
    assert error.value.reason == cmqc.MQRC_EXPIRY_ERROR
    assert (lab.depth("REQUESTS"), lab.depth("REPLIES")) == (1, 0)
    assert lab.get("REQUESTS").md.backout_count == 1


def test_without_a_request_there_is_no_reply(lab: Lab) -> None:
    with pytest.raises(NoMessageAvailable):
        reply_once(lab.mq.connection, "REQUESTS")


def ims_request(flags: int) -> bytes:
    return iih.encode(replace(iih.IIH(format="MQIMSVS"), flags=flags)) + b"TRAN"


@pytest.mark.seed("EX-64")
@pytest.mark.parametrize(
    ("flags", "expiry"), [(0, -1), (cmqc.MQIIH_PASS_EXPIRATION, 500), (8, -1), (9, 500)]
)
def test_the_ims_bridge_passes_the_lifetime_only_when_it_is_told_to(
    lab: Lab, flags: int, expiry: int
) -> None:
    asked = request(lab, ims_request(flags), format="MQIMS")
    answer_once(lab.mq.connection, "REQUESTS", b"answer")
    reply = lab.get("REPLIES")
    assert reply.md.expiry_tenths == expiry
    assert (reply.md.format, reply.md.correl_id) == ("MQIMS", asked)
    assert reply.body.endswith(b"answer")
    header = iih.decode(reply.body)
    assert isinstance(header, iih.IIH)
    assert header.flags == flags


def test_the_ims_bridge_takes_nothing_else(lab: Lab) -> None:
    request(lab)
    with pytest.raises(MQTriageError):
        answer_once(lab.mq.connection, "REQUESTS")
    assert lab.depth("REQUESTS") == 1
