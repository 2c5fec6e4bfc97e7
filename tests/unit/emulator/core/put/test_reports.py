"""Confirmations and other reports: who makes them, in which unit of work, and where they end."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import dlh
from tests.unit.emulator.conftest import STAGING, Lab, message

DLQ = "SYSTEM.DEAD.LETTER.QUEUE"
BODY = bytes(range(200))


@pytest.fixture(autouse=True)
def queues(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "Q1", {})
    lab.mq.define("QLOCAL", "REPLIES", {})


def asking(report: int, **fields: object) -> dict[str, Any]:
    return {"report": report, "reply_to_q": "REPLIES", **fields}


def test_a_coa_is_made_when_the_message_arrives(lab: Lab) -> None:
    sent = lab.put("Q1", **asking(cmqc.MQRO_COA))
    report = lab.get("REPLIES").md
    assert (report.feedback, report.msg_type) == (cmqc.MQFB_COA, cmqc.MQMT_REPORT)
    assert report.correl_id == sent.msg_id
    assert report.msg_id != sent.msg_id
    assert (report.put_appl_type, report.put_appl_name) == (cmqc.MQAT_QMGR, "QM1")


def test_a_cod_is_made_when_the_message_is_taken_off_and_not_before(lab: Lab) -> None:
    sent = lab.put("Q1", **asking(cmqc.MQRO_COD))
    handle = lab.open("Q1")
    handle.get(cmqc.MQGMO_BROWSE_NEXT)
    assert list(handle.browse())
    assert lab.depth("REPLIES") == 0
    handle.get()
    report = lab.get("REPLIES").md
    assert (report.feedback, report.correl_id) == (cmqc.MQFB_COD, sent.msg_id)


@pytest.mark.parametrize(
    ("option", "length"),
    [
        (cmqc.MQRO_COA, 0),
        (cmqc.MQRO_COA_WITH_DATA, 100),
        (cmqc.MQRO_COA_WITH_FULL_DATA, 200),
        (cmqc.MQRO_COD, 0),
        (cmqc.MQRO_COD_WITH_DATA, 100),
        (cmqc.MQRO_COD_WITH_FULL_DATA, 200),
    ],
)
def test_a_confirmation_carries_as_much_data_as_was_asked_for(
    lab: Lab, option: int, length: int
) -> None:
    lab.put("Q1", BODY, **asking(option))
    lab.get("Q1")
    assert lab.get("REPLIES").body == BODY[:length]


def test_ids_are_passed_on_where_that_was_asked_for(lab: Lab) -> None:
    options = cmqc.MQRO_COA | cmqc.MQRO_PASS_MSG_ID | cmqc.MQRO_PASS_CORREL_ID
    sent = lab.put("Q1", **asking(options, correl_id=b"c" * 24))
    report = lab.get("REPLIES").md
    assert (report.msg_id, report.correl_id) == (sent.msg_id, b"c" * 24)


def test_the_rest_of_the_lifetime_is_passed_on_where_that_was_asked_for(lab: Lab) -> None:
    lab.put("Q1", **asking(cmqc.MQRO_COD | cmqc.MQRO_PASS_DISCARD_AND_EXPIRY, expiry_tenths=600))
    lab.advance(10)
    lab.get("Q1")
    assert lab.get("REPLIES").md.expiry_tenths == 500


def test_a_coa_belongs_to_the_unit_of_work_of_the_put(lab: Lab) -> None:
    lab.mq.put1("Q1", message(**asking(cmqc.MQRO_COA)), b"", cmqc.MQPMO_SYNCPOINT)
    other = lab.connect()
    assert list(other.open("REPLIES", 8).browse()) == []
    lab.mq.backout()
    assert lab.depth("REPLIES") == 0
    lab.mq.put1("Q1", message(**asking(cmqc.MQRO_COA)), b"", cmqc.MQPMO_SYNCPOINT)
    lab.mq.commit()
    assert lab.depth("REPLIES") == 1


def test_the_unit_itself_sees_its_coa(lab: Lab) -> None:
    lab.mq.put1("Q1", message(**asking(cmqc.MQRO_COA)), b"", cmqc.MQPMO_SYNCPOINT)
    assert lab.open("REPLIES").get(cmqc.MQGMO_SYNCPOINT).md.feedback == cmqc.MQFB_COA


def test_a_cod_belongs_to_the_unit_of_work_of_the_get(lab: Lab) -> None:
    lab.put("Q1", **asking(cmqc.MQRO_COD))
    handle = lab.open("Q1")
    handle.get(cmqc.MQGMO_SYNCPOINT)
    assert lab.connect().status("REPLIES").uncommitted == 1
    lab.mq.backout()
    assert lab.depth("REPLIES") == 0
    handle.get(cmqc.MQGMO_SYNCPOINT)
    lab.mq.commit()
    assert lab.depth("REPLIES") == 1


def test_an_expired_message_makes_no_cod(lab: Lab) -> None:
    lab.put("Q1", **asking(cmqc.MQRO_COD | cmqc.MQRO_EXPIRATION, expiry_tenths=10))
    lab.advance(1)
    assert lab.bodies("Q1") == []
    assert [m.md.feedback for m in lab.open("REPLIES").browse()] == [cmqc.MQFB_EXPIRATION]


def test_a_purged_message_makes_no_cod(lab: Lab) -> None:
    lab.put("Q1", **asking(cmqc.MQRO_COD))
    lab.mq.delete("QLOCAL", "Q1", purge=True)
    assert lab.depth("REPLIES") == 0


def test_taking_a_staged_message_off_is_no_delivery(lab: Lab) -> None:
    lab.send("Q1", 60_000, **asking(cmqc.MQRO_COA | cmqc.MQRO_COD))
    lab.get(STAGING)
    assert lab.depth("REPLIES") == 0


def test_options_for_programs_are_only_passed(lab: Lab) -> None:
    options = cmqc.MQRO_PAN | cmqc.MQRO_NAN | cmqc.MQRO_ACTIVITY | cmqc.MQRO_EXCEPTION
    lab.put("Q1", **asking(options))
    assert lab.get("Q1").md.report == options
    assert lab.depth("REPLIES") == 0


@pytest.mark.parametrize("option", [cmqc.MQRO_COA, cmqc.MQRO_COD])
def test_confirmations_count_in_maxumsgs(lab: Lab, option: int) -> None:
    """Puts and gets with a confirmation take two of the room that the unit has (4.4)."""
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 3})
    handle = lab.open("Q1")
    if option == cmqc.MQRO_COD:
        for _ in range(2):
            lab.put("Q1", **asking(option))

    def step() -> None:
        if option == cmqc.MQRO_COA:
            handle.put(message(**asking(option)), b"", cmqc.MQPMO_SYNCPOINT)
        else:
            handle.get(cmqc.MQGMO_SYNCPOINT)

    step()
    with pytest.raises(MQIError) as error:
        step()
    assert error.value.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
    assert lab.mq.connection.unit.count == 2
    lab.mq.commit()
    assert lab.depth("REPLIES") == 1
    assert lab.depth("Q1") == 1


def test_an_expiration_report_does_not_count_in_maxumsgs(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"MAXUMSGS": 1})
    lab.put("Q1", **asking(cmqc.MQRO_EXPIRATION, expiry_tenths=1))
    lab.put("Q1", b"alive")
    lab.advance(1)
    assert lab.open("Q1").get(cmqc.MQGMO_SYNCPOINT).body == b"alive"
    assert lab.depth("REPLIES") == 1


@pytest.mark.parametrize("option", [cmqc.MQRO_COA, cmqc.MQRO_COD])
def test_a_confirmation_that_is_refused_goes_to_the_dead_letter_queue(
    lab: Lab, option: int
) -> None:
    lab.mq.alter("QMGR", "", {"DEADQ": DLQ})
    lab.mq.alter("QLOCAL", "REPLIES", {"PUT": "DISABLED"})
    lab.put("Q1", **asking(option))
    lab.get("Q1")
    header = dlh.decode(lab.get(DLQ).body)
    assert isinstance(header, dlh.DLH)
    assert (header.reason, header.dest_q_name) == (cmqc.MQRC_PUT_INHIBITED, "REPLIES")


def test_without_a_dead_letter_queue_the_put_still_works(lab: Lab) -> None:
    lab.put("Q1", **asking(cmqc.MQRO_COA, reply_to_q="NOWHERE"))
    assert lab.depth("Q1") == 1


def test_a_report_for_another_queue_manager_goes_its_way(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    lab.put("Q1", **asking(cmqc.MQRO_COA, reply_to_q_mgr="QM2"))
    assert lab.get("QM2").md.format == "MQXMIT"
    assert lab.depth("REPLIES") == 0


def test_a_delayed_message_is_confirmed_by_its_target(lab: Lab) -> None:
    sent = lab.send("Q1", 10_000, **asking(cmqc.MQRO_COA | cmqc.MQRO_COD))
    assert lab.depth("REPLIES") == 0
    lab.advance(10)
    lab.get("Q1")
    feedbacks = [(m.md.feedback, m.md.correl_id) for m in lab.open("REPLIES").browse()]
    assert feedbacks == [(cmqc.MQFB_COA, sent.msg_id), (cmqc.MQFB_COD, sent.msg_id)]
