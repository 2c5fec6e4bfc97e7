"""What tells the platform of a script, and a script that is for both."""

from __future__ import annotations

import pytest

from mqtriage.definitions.estates import ScriptFile, ScriptSet
from mqtriage.definitions.lint.config import config_from
from mqtriage.definitions.lint.run import lint_scripts
from mqtriage.definitions.script_platform import script_platform
from mqtriage.mq.mqsc.parse import parse

RECORD = "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)\n"
Q = "DEFINE QLOCAL(Q) "
HEAD = "* Script generated on 2025-06-30\n* Queue manager name: QM1\n* Queue manager platform: {}\n"


def mixed(text: str, platform: str = "", file: str = "a.mqsc") -> list[tuple[int, str]]:
    """The lines and messages of MQSC004."""
    scripts = ScriptSet("", (ScriptFile(None, b"", parse(text, file=file)),))
    config = config_from({"platform": platform} if platform else {})
    findings = lint_scripts(scripts, config).findings
    return [(f.place.line, f.message) for f in findings if f.code == "MQSC004"]


@pytest.mark.parametrize(
    "command",
    [
        Q + "INDXTYPE(CORRELID)",
        "DEFINE STGCLASS(S) PSID(05)",
        Q + "QSGDISP(GROUP)",
        "ALTER QLOCAL(Q) CMDSCOPE(*) PUT(ENABLED)",
        "ALTER QMGR ADOPTMCA(ALL)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) DEFCDISP(PRIVATE)",
        "DEFINE NAMELIST(N) NLTYPE(QUEUE)",
        "ALTER QMGR TCPCHL(400)",
    ],
)
def test_one_word_of_zos_in_a_script_with_authority_records_is_told(command: str) -> None:
    ((line, message),) = mixed(Q + "\n" + RECORD + command)
    assert line == 3
    assert "z/OS only, SET AUTHREC (line 2) on Multiplatforms only" in message
    assert "--platform" in message
    assert mixed(Q + "\n" + command) == []
    assert mixed(Q + "\n" + RECORD + command, "dist") == []


@pytest.mark.parametrize("command", [RECORD, "DEFINE LISTENER(L) TRPTYPE(TCP)\n"])
def test_the_finding_is_at_the_platform_with_fewer_commands(command: str) -> None:
    pages = "DEFINE BUFFPOOL(3) BUFFERS(20000)\nDEFINE PSID(04) BUFFPOOL(3)\n"
    ((line, message),) = mixed(pages + command)
    assert line == 3
    assert "DEFINE BUFFPOOL (line 1) on z/OS only" in message
    assert mixed(pages, "") == mixed(command, "") == []


def test_a_job_or_the_header_of_a_dump_tells_the_platform() -> None:
    text = RECORD + Q + "INDXTYPE(NONE)\n"
    assert mixed(text)
    assert mixed(HEAD.format("UNIX") + text) == []


def test_the_platform_is_not_guessed_from_one_sign_against_another() -> None:
    assert script_platform(parse(Q + "INDXTYPE(NONE)")) == "zos"
    assert script_platform(parse(RECORD)) == "dist"
    assert script_platform(parse(RECORD + Q + "INDXTYPE(NONE)")) is None
