"""Answers of z/OS, as IBM's pages and z/OS print them, read back by the real end of the port."""

from __future__ import annotations

import pytest

from mqtriage.backends.mqsc_text import reply_of_zos
from mqtriage.mq import cmqc
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply
from mqtriage.mq.mqsc.zos_reply import header_of


def read(command: str, text: str) -> Reply:
    first, *others = text.strip().splitlines()
    header = header_of(first)
    assert header is not None
    assert header.messages == len(others) + 1
    return reply_of_zos(header, others, parse(command).commands[0])


def test_the_first_message_says_how_many_follow_and_whether_more_come() -> None:
    header = header_of("CSQN205I   COUNT=       4, RETURN=0000000C, REASON=00000008")
    assert header == (4, 12, 8)
    assert header is not None
    assert not header.is_more_to_come
    more = header_of("CSQN205I   COUNT=      40, RETURN=00000000, REASON=00000004   ")
    assert more is not None
    assert more.is_more_to_come
    assert header_of("CSQ9022I +CSQ1 CSQMDRTS ' DISPLAY QMGR' NORMAL COMPLETION") is None


@pytest.mark.parametrize(
    ("command", "text", "ending", "reason"),
    [
        pytest.param(
            "DEFINE QLOCAL(Q1)",
            "CSQN205I   COUNT=       2, RETURN=00000000, REASON=00000000\n"
            "CSQ9022I +CSQ1 CSQMMSGP ' DEFINE QLOCAL' NORMAL COMPLETION",
            CommandEnding.DONE, 0, id="done",
        ),
        pytest.param(
            "DELETE QLOCAL(Q2)",
            "CSQN205I   COUNT=       4, RETURN=0000000C, REASON=00000008\n"
            "CSQM125I +CSQ1 CSQMUQLC QLOCAL (Q2) QSGDISP(QMGR) WAS NOT FOUND\n"
            "CSQM090E +CSQ1 CSQMUQLC FAILURE REASON CODE X'00D44002'\n"
            "CSQ9023E +CSQ1 CSQMUQLC ' DELETE QLOCAL' ABNORMAL COMPLETION",
            CommandEnding.FAILED, cmqc.MQRC_UNKNOWN_OBJECT_NAME, id="not-found",
        ),
        pytest.param(
            "DISPLAY CHANNEL(NO.SUCH)",
            "CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000\n"
            "CSQM297I ]MQ21 CSQMDRTS NO CHANNEL FOUND MATCHING REQUEST CRITERIA \n"
            "CSQ9022I ]MQ21 CSQMDRTS ' DISPLAY CHANNEL' NORMAL COMPLETION ",
            CommandEnding.FAILED, cmqc.MQRC_UNKNOWN_OBJECT_NAME, id="nothing-found",
        ),
        pytest.param(
            "DEFINE QL(CDCI.BOOKMARK)",
            "CSQN205I   COUNT=       3, RETURN=00000020, REASON=FFFFFFFF\n"
            "CSQ9016E %CSQ9 ' DEFINE' command request not authorized\n"
            "CSQ9023E %CSQ9 CSQ9SCND 'DEFINE QL' ABNORMAL COMPLETION",
            CommandEnding.FAILED, cmqc.MQRC_NOT_AUTHORIZED, id="not-authorized",
        ),
        pytest.param(
            "ALTER QLOCAL(Q1)",
            "CSQN205I   COUNT=       3, RETURN=0000000C, REASON=00000008\n"
            "CSQ9031E +CSQ1 Syntax error following 'FOO'\n"
            "CSQ9023E +CSQ1 CSQ9SCND ' ALTER' ABNORMAL COMPLETION",
            CommandEnding.SYNTAX_ERROR, 0, id="syntax-error",
        ),
    ],
)  # fmt: skip
def test_how_a_command_ended(command: str, text: str, ending: CommandEnding, reason: int) -> None:
    reply = read(command, text)
    assert (reply.ending, reply.reason) == (ending, reason)
    assert not any(line.text.startswith(("+", "]", "%")) for line in reply.lines)


def test_an_object_is_read_without_the_blanks_that_pad_it() -> None:
    text = (
        "CSQN205I   COUNT=       3, RETURN=00000000, REASON=00000000\n"
        "CSQM401I +CSQ1 QUEUE(Q1      ) TYPE(QLOCAL    ) DESCR(a (b) c   ) MAXDEPTH( 999999999)"
        " NOSHARE BOQNAME(     )\n"
        "CSQ9022I +CSQ1 CSQMDRTS ' DISPLAY QLOCAL' NORMAL COMPLETION"
    )
    reply = read("DISPLAY QLOCAL(Q1)", text)
    line = reply.lines[0]
    assert line.object == {
        "QUEUE": "Q1", "TYPE": "QLOCAL", "DESCR": "a (b) c", "MAXDEPTH": 999999999,
        "SHARE": "NO", "BOQNAME": "",
    }  # fmt: skip
    assert line.cells[2:] == ("DESCR(a (b) c)", "MAXDEPTH(999999999)", "NOSHARE", "BOQNAME( )")
