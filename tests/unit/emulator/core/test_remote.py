"""Remote queues: which transmission queue a name leads to, and what is put there."""

from __future__ import annotations

import pytest

from mqtriage.emulator.core.put import put
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from mqtriage.mq.headers import mde, xqh
from mqtriage.mq.message import Message
from tests.unit.emulator.conftest import Lab, message

REMOTE = {"RNAME": "TARGET", "RQMNAME": "QM2"}


def transmission(lab: Lab, name: str = "QM2") -> None:
    lab.mq.define("QLOCAL", name, {"USAGE": "XMITQ"})


def remote(lab: Lab, **attributes: str) -> None:
    lab.mq.define("QREMOTE", "R1", REMOTE | attributes)


def reason_of_put(lab: Lab, name: str = "R1") -> int:
    with pytest.raises(MQIError) as error:
        lab.put(name)
    return error.value.reason


def header_of(transmitted: Message) -> xqh.XQH:
    header = xqh.decode(transmitted.body)
    assert isinstance(header, xqh.XQH)
    assert not header.damages
    return header


@pytest.mark.seed("EX-51")
def test_a_remote_put_goes_to_the_transmission_queue_with_a_header_in_front(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    sent = lab.put("R1", b"body", ccsid=819)
    transmitted = lab.get("QM2")
    header = header_of(transmitted)
    assert transmitted.md.format == "MQXMIT"
    assert transmitted.length_bytes == 428 + 4
    assert transmitted.body[428:] == b"body"
    assert (header.remote_q_name, header.remote_q_mgr_name) == ("TARGET", "QM2")
    assert header.message_descriptor == sent._replace(
        version=1, group_id=bytes(24), msg_seq_number=1
    )


def test_the_separate_descriptor_is_the_queue_managers(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    sent = lab.put(
        "R1",
        priority=7,
        reply_to_q="BACK",
        report=cmqc.MQRO_COA | cmqc.MQRO_COD | cmqc.MQRO_EXCEPTION,
    )
    outer = lab.get("QM2").md
    assert outer.msg_id not in (sent.msg_id, bytes(24))
    assert outer.correl_id == sent.msg_id
    assert (outer.put_appl_type, outer.put_appl_name) == (cmqc.MQAT_QMGR, "QM1")
    assert (outer.priority, outer.persistence, outer.reply_to_q) == (7, 1, "BACK")
    assert outer.report == cmqc.MQRO_EXCEPTION


@pytest.mark.seed("EX-50", "EX-52")
@pytest.mark.parametrize("expiry", [600, -1])
def test_both_lifetimes_are_the_applications(lab: Lab, expiry: int) -> None:
    transmission(lab)
    remote(lab)
    lab.put("R1", expiry_tenths=expiry)
    transmitted = lab.get("QM2")
    assert transmitted.md.expiry_tenths == expiry
    assert header_of(transmitted).message_descriptor.expiry_tenths == expiry


def test_version_2_fields_travel_in_an_extension(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    group = b"g" * 24
    lab.put("R1", b"body", group_id=group, msg_seq_number=3, msg_flags=cmqc.MQMF_LAST_MSG_IN_GROUP)
    transmitted = lab.get("QM2")
    assert header_of(transmitted).message_descriptor.format == "MQHMDE"
    extension = mde.decode(transmitted.body, 428)
    assert isinstance(extension, mde.MDE)
    assert (extension.group_id, extension.msg_seq_number) == (group, 3)
    assert extension.format == "MQSTR"
    assert transmitted.body[428 + 72 :] == b"body"


def test_xmitq_of_the_definition_comes_first(lab: Lab) -> None:
    transmission(lab)
    transmission(lab, "X")
    remote(lab, XMITQ="X")
    lab.put("R1")
    assert (lab.depth("X"), lab.depth("QM2")) == (1, 0)


def test_defxmitq_serves_where_no_other_queue_does(lab: Lab) -> None:
    transmission(lab, "X")
    remote(lab)
    lab.mq.alter("QMGR", "", {"DEFXMITQ": "X"})
    lab.put("R1")
    assert lab.depth("X") == 1


def test_an_alias_may_lead_to_a_remote_queue_and_shut_it(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    lab.mq.define("QALIAS", "A1", {"TARGET": "R1"})
    lab.put("A1")
    assert lab.depth("QM2") == 1
    lab.mq.alter("QREMOTE", "R1", {"PUT": "DISABLED"})
    assert reason_of_put(lab, "A1") == cmqc.MQRC_PUT_INHIBITED


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        pytest.param({}, cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, id="no-way"),
        pytest.param({"RQMNAME": ""}, cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, id="rqmname-blank"),
        pytest.param({"RQMNAME": "QM1"}, cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, id="rqmname-is-us"),
        pytest.param({"RNAME": ""}, cmqc.MQRC_REMOTE_Q_NAME_ERROR, id="rname-blank"),
        pytest.param({"XMITQ": "NONE"}, cmqc.MQRC_UNKNOWN_XMIT_Q, id="xmitq-missing"),
        pytest.param({"XMITQ": "NORMAL"}, cmqc.MQRC_XMIT_Q_USAGE_ERROR, id="xmitq-normal"),
        pytest.param({"XMITQ": "ALIAS"}, cmqc.MQRC_XMIT_Q_TYPE_ERROR, id="xmitq-is-an-alias"),
    ],
)
def test_what_is_wrong_with_the_way_has_its_own_reason(
    lab: Lab, attributes: dict[str, str], reason: int
) -> None:
    lab.mq.define("QLOCAL", "NORMAL", {})
    lab.mq.define("QALIAS", "ALIAS", {"TARGET": "NORMAL"})
    remote(lab, **attributes)
    assert reason_of_put(lab) == reason


@pytest.mark.parametrize(
    ("default", "reason"),
    [
        ("NONE", cmqc.MQRC_UNKNOWN_DEF_XMIT_Q),
        ("R1", cmqc.MQRC_DEF_XMIT_Q_TYPE_ERROR),
        ("NORMAL", cmqc.MQRC_DEF_XMIT_Q_USAGE_ERROR),
    ],
)
def test_a_wrong_defxmitq_has_its_own_reason(lab: Lab, default: str, reason: int) -> None:
    lab.mq.define("QLOCAL", "NORMAL", {})
    remote(lab)
    lab.mq.alter("QMGR", "", {"DEFXMITQ": default})
    assert reason_of_put(lab) == reason


def test_a_put_may_name_the_queue_manager(lab: Lab) -> None:
    transmission(lab)
    put.put1(lab.mq.connection, "TARGET", message(), b"x", 0, queue_manager="QM2")
    handle = lab.mq.connection.open("OTHER", cmqc.MQOO_OUTPUT, queue_manager="QM2")
    put.put(lab.mq.connection, handle, message(), b"y", 0)
    names = [header_of(m).remote_q_name for m in lab.open("QM2", cmqc.MQOO_BROWSE).browse()]
    assert names == ["TARGET", "OTHER"]


def test_naming_this_queue_manager_means_a_queue_of_its_own(lab: Lab) -> None:
    lab.local("Q1")
    put.put1(lab.mq.connection, "Q1", message(), b"x", 0, queue_manager="QM1")
    assert lab.bodies("Q1") == [b"x"]


def test_a_queue_manager_alias_leads_on(lab: Lab) -> None:
    transmission(lab)
    lab.mq.define("QREMOTE", "ALSO.QM2", {"RQMNAME": "QM2"})
    put.put1(lab.mq.connection, "TARGET", message(), b"x", 0, queue_manager="ALSO.QM2")
    assert header_of(lab.get("QM2")).remote_q_mgr_name == "QM2"


@pytest.mark.parametrize(
    ("queue_manager", "reason"),
    [
        ("QM9", cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("NORMAL", cmqc.MQRC_XMIT_Q_USAGE_ERROR),
        ("ALIAS", cmqc.MQRC_XMIT_Q_TYPE_ERROR),
    ],
)
def test_a_queue_manager_that_nothing_leads_to(lab: Lab, queue_manager: str, reason: int) -> None:
    lab.mq.define("QLOCAL", "NORMAL", {})
    lab.mq.define("QALIAS", "ALIAS", {"TARGET": "NORMAL"})
    with pytest.raises(MQIError) as error:
        put.put1(lab.mq.connection, "T", message(), b"", 0, queue_manager=queue_manager)
    assert error.value.reason == reason


def test_a_remote_queue_cannot_be_read(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    for options in (cmqc.MQOO_INPUT_SHARED, cmqc.MQOO_BROWSE):
        with pytest.raises(MQIError) as error:
            lab.open("R1", options)
        assert error.value.reason == cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE


def test_defaults_come_from_the_remote_definition(lab: Lab) -> None:
    transmission(lab)
    lab.mq.define("QREMOTE", "R1", {**REMOTE, "DEFPRTY": 6, "DEFPSIST": "YES", "CAPEXPRY": 70})
    md = lab.mq.put1("R1", MQMD(), b"")
    assert (md.priority, md.persistence, md.expiry_tenths) == (6, 1, 70)
    assert lab.get("QM2").md.priority == 6


def test_the_header_counts_against_maxmsgl_of_the_transmission_queue(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "QM2", {"USAGE": "XMITQ", "MAXMSGL": 430})
    remote(lab)
    lab.put("R1", b"ab")
    with pytest.raises(MQIError) as error:
        lab.put("R1", b"abc")
    assert error.value.reason == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


def test_a_remote_put_belongs_to_the_unit_of_work(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    lab.mq.put1("R1", message(), b"", cmqc.MQPMO_SYNCPOINT)
    assert lab.connect().status("QM2").uncommitted == 1
    lab.mq.backout()
    assert lab.depth("QM2") == 0


def test_a_handle_follows_an_alter_of_the_remote_queue(lab: Lab) -> None:
    transmission(lab)
    remote(lab)
    handle = lab.open("R1", cmqc.MQOO_OUTPUT)
    handle.put(message(), b"")
    lab.mq.alter("QREMOTE", "R1", {"RNAME": "ELSEWHERE"})
    handle.put(message(), b"")
    names = [header_of(m).remote_q_name for m in lab.open("QM2", cmqc.MQOO_BROWSE).browse()]
    assert names == ["TARGET", "ELSEWHERE"]


@pytest.mark.seed("DD-95")
def test_no_id_is_given_twice_where_deliveries_are_undone(lab: Lab) -> None:
    """The transmission header had an id of its own; then the transmission queue was full."""
    transmission(lab)
    remote(lab)
    lab.local("Q1")
    lab.local("DLQ")
    lab.mq.alter("QMGR", "", {"DEADQ": "DLQ"})
    for second in range(1, 41):
        lab.send("R1", second * 1000)
    lab.mq.alter("QLOCAL", "QM2", {"MAXDEPTH": 0})
    ids = []
    for _ in range(40):
        lab.advance(1)
        ids.append(lab.put("Q1").msg_id)
    assert (lab.depth("DLQ"), lab.depth("QM2")) == (40, 0)
    other = lab.connect()
    ids += [other.put1("Q1", message(), b"").msg_id for _ in range(1000)]
    assert len({*ids}) == len(ids)
