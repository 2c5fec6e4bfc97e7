"""The command server of z/OS: its queue, MQSC in text, EBCDIC, what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.emulator.admin.authority_records import set_record
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import NoMessageAvailable, ObjectNotFound
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from tests.unit.emulator.conftest import Lab

REPLIES = "REPLIES"
COMMANDS = "SYSTEM.COMMAND.INPUT"
S390 = 785


@pytest.fixture
def zos(tmp_path: Path) -> Lab:
    lab = Lab(tmp_path / "zos", "zos")
    lab.mq.define("QLOCAL", REPLIES, {})
    return lab


def answers(lab: Lab, format_: str, body: bytes, user: str = "") -> list[Message]:
    md = MQMD(format=format_, msg_type=1, reply_to_q=REPLIES, encoding=546, ccsid=1208)
    lab.switch("authority", "on" if user else "off")
    mq = lab.connect_as(user) if user else lab.mq
    mq.put1(COMMANDS, md, body, cmqc.MQPMO_NO_SYNCPOINT)
    mq.manager.look()
    lab.switch("authority", "off")
    replies = []
    handle = lab.mq.open(REPLIES, cmqc.MQOO_INPUT_SHARED)
    try:
        while True:
            replies.append(handle.get(cmqc.MQGMO_NO_SYNCPOINT))
    except NoMessageAvailable:
        return replies
    finally:
        handle.close()


def texts(lab: Lab, command: str, codec: str = "cp500") -> list[str]:
    replies = answers(lab, "MQSTR", command.encode())
    assert {(reply.md.format, reply.md.encoding) for reply in replies} == {("MQSTR", S390)}
    return [reply.body.decode(codec) for reply in replies]


def pcf_answer(lab: Lab, message: pcf.PCF) -> list[pcf.PCF]:
    replies = answers(lab, "MQADMIN", pcf.encode(message, "<", 1208))
    assert {reply.md.encoding for reply in replies} == {S390}
    return [pcf.decode(reply.body, ">", reply.md.ccsid) for reply in replies]


def test_commands_go_to_another_queue_than_on_multiplatforms(zos: Lab, lab: Lab) -> None:
    for mq, there, absent in (
        (zos.mq, COMMANDS, "SYSTEM.ADMIN.COMMAND.QUEUE"),
        (lab.mq, "SYSTEM.ADMIN.COMMAND.QUEUE", COMMANDS),
    ):
        assert mq.queue_manager_attributes()["COMMANDQ"] == there == mq.queue(there).name
        with pytest.raises(ObjectNotFound):
            mq.put1(absent, MQMD(), b"", cmqc.MQPMO_NO_SYNCPOINT)


def test_the_first_reply_counts_the_others_in_the_columns_of_ibms_page(zos: Lab) -> None:
    first, second = texts(zos, "DEFINE QLOCAL(Q1)")
    assert first == "CSQN205I   COUNT=       2, RETURN=00000000, REASON=00000000"
    assert (first[17:25], first[34:42], first[51:59]) == ("       2", "00000000", "00000000")
    assert second == "CSQ9022I +QM1 CSQMMSGP ' DEFINE QLOCAL' NORMAL COMPLETION"


def test_what_is_not_there_is_said_in_the_messages_of_ibms_page(zos: Lab) -> None:
    assert texts(zos, "DELETE QLOCAL(Q2)") == [
        "CSQN205I   COUNT=       4, RETURN=0000000C, REASON=00000008",
        "CSQM125I +QM1 CSQMUQLC QLOCAL (Q2) QSGDISP(QMGR) WAS NOT FOUND",
        "CSQM090E +QM1 CSQMUQLC FAILURE REASON CODE X'00D44002'",
        "CSQ9023E +QM1 CSQMUQLC ' DELETE QLOCAL' ABNORMAL COMPLETION",
    ]


def test_an_object_comes_in_one_message(zos: Lab) -> None:
    _, shown, done = texts(zos, "DISPLAY QMGR DEADQ CCSID")
    assert " ".join(shown.split()) == "CSQM409I +QM1 QMNAME(QM1 ) CCSID( 500) DEADQ( )"
    assert done.startswith("CSQ9022I +QM1 CSQMDRTS ' DISPLAY QMGR' NORMAL")


@pytest.mark.parametrize(
    "text", ["", "FOO", "DEF QL(A) NOSUCH(1)", "DEF QL(A)\nDEF QL(B)", "\xff("]
)
def test_what_is_no_command_is_answered(zos: Lab, text: str) -> None:
    first, *others = texts(zos, text)
    assert first.endswith(", RETURN=0000000C, REASON=00000008")
    assert [line[:8] for line in others] == ["CSQ9031E", "CSQ9023E"]
    assert "A" not in zos.mq.manager.queues


@pytest.mark.parametrize(("ccsid", "bracket"), [(500, b"\x4a"), (1047, b"\xad")])
def test_replies_are_in_the_code_page_of_the_queue_manager(
    zos: Lab, ccsid: int, bracket: bytes
) -> None:
    zos.mq.alter("QMGR", "", {"CCSID": ccsid})
    zos.mq.define("QLOCAL", "A", {"DESCR": "[\u65e5]"})
    command = b"DISPLAY QLOCAL(A) DESCR"
    _, shown, _ = answers(zos, "MQSTR", command)
    assert shown.md.ccsid == ccsid
    assert b"DESCR(".decode().encode("cp500") + bracket + "?".encode("cp500") in shown.body
    name = pcf.string(cmqc.MQCA_Q_NAME, "A")
    (item, _) = answers(zos, "MQADMIN", pcf.encode(pcf.PCF(16, 13, (name,)), "<", 1208))
    assert (item.md.ccsid, item.md.encoding) == (ccsid, S390)
    assert pcf.decode(item.body, ">", ccsid).first(2013) == "[?]"
    assert "[".encode("cp500" if ccsid == 500 else "mqtriage_ibm1047") == bracket


def test_what_multiplatforms_alone_have_is_refused(zos: Lab) -> None:
    escape = pcf.PCF(
        16,
        cmqcfc.MQCMD_ESCAPE,
        (pcf.integer_of(1017, 1), pcf.string(cmqcfc.MQCACF_ESCAPE_TEXT, "DISPLAY QMGR")),
    )
    of_dist = pcf.PCF(16, numbers()["MQCMD_INQUIRE_AUTH_RECS"])
    for message in (escape, of_dist):
        first, *_ = pcf_answer(zos, message)
        assert first.reason == cmqcfc.MQRCCF_CFH_COMMAND_ERROR
    name = pcf.string(cmqc.MQCA_Q_NAME, REPLIES)
    first, *_ = pcf_answer(zos, pcf.PCF(cmqcfc.MQCFT_COMMAND, 13, (name,)))
    assert first.reason == cmqcfc.MQRCCF_CFH_TYPE_ERROR


def test_parameters_come_in_any_order(zos: Lab) -> None:
    name, type_ = pcf.string(cmqc.MQCA_Q_NAME, "A"), pcf.integer_of(cmqc.MQIA_Q_TYPE, 1)
    (*_, summary) = pcf_answer(zos, pcf.PCF(16, cmqcfc.MQCMD_CREATE_Q, (type_, name)))
    assert (summary.type, summary.comp_code) == (cmqcfc.MQCFT_XR_SUMMARY, 0)
    assert "A" in zos.mq.manager.queues


def test_who_may_not_is_told_so(zos: Lab) -> None:
    for name, authority in (("QM1", ["CONNECT"]), (COMMANDS, ["PUT"])):
        type_ = "QMGR" if name == "QM1" else "QUEUE"
        set_record(zos.mq.manager, type_, name, principal="guest", add=authority)
    first, why, _ = [r.body.decode("cp500") for r in answers(zos, "MQSTR", b"CLEAR QL(A)", "guest")]
    assert first.endswith("RETURN=00000020, REASON=FFFFFFFF")
    assert why == "CSQ9016E +QM1 ' CLEAR' command request not authorized"


def test_uncommitted_changes_are_counted_on_multiplatforms_alone(zos: Lab, lab: Lab) -> None:
    shown = {}
    for here in (zos, lab):
        here.mq.define("QLOCAL", "A", {})
        handle = here.mq.open("A", cmqc.MQOO_OUTPUT)
        for _ in range(2):
            handle.put(MQMD(), b"x", cmqc.MQPMO_SYNCPOINT)
        script = parse("DISPLAY QSTATUS(A) ALL")
        status = next(r.object for r in here.mq.run_mqsc(script, script.commands[0]).lines)
        assert status is not None
        shown[here.mq.manager.identity.platform] = status
    assert (shown["zos"]["UNCOM"], shown["dist"]["UNCOM"]) == ("YES", 2)
    assert shown["dist"].keys() - shown["zos"].keys() == {"CURFSIZE", "CURMAXFS", "MEDIALOG"}
    assert {shown["zos"][key] for key in ("LPUTDATE", "LPUTTIME", "MSGAGE")} == {""}
