"""Command and configuration events: which command is reported, what it was, and what it changed."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin.admin_events import issued_message, number_of_command
from mqtriage.messages.event_json import event_of
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.mqsc.verbs import VERBS, only_platform
from mqtriage.mq.pcf import messages as pcf
from tests.unit.emulator.conftest import Lab

COMMAND, CONFIG = "SYSTEM.ADMIN.COMMAND.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT"


@pytest.fixture
def reporting(lab: Lab) -> Lab:
    """A queue manager that reports commands and changes."""
    for name in (COMMAND, CONFIG):
        if name not in lab.mq.manager.queues:
            lab.mq.define("QLOCAL", name, {})
    lab.mq.alter("QMGR", "", {"CMDEV": "NODISPLAY", "CONFIGEV": "ENABLED"})
    for name in (COMMAND, CONFIG):
        events(lab, name, take=True)
    return lab


def events(lab: Lab, queue: str, *, take: bool = False) -> list[dict[str, Any]]:
    """The events on a queue as amqsevt prints them."""
    handle = lab.open(queue)
    messages = list(handle.browse())
    if take:
        for _ in messages:
            handle.get()
    handle.close()  # the queue comes with NOSHARE
    records = [event_of(message, queue, "QM1") for message in messages]
    return [record for record in records if record is not None]


def run(lab: Lab, text: str) -> CommandEnding:
    script = parse(text)
    (command,) = script.commands
    return lab.mq.run_mqsc(script, command).ending


def test_a_command_says_who_gave_it_and_how_it_read(reporting: Lab) -> None:
    assert run(reporting, "DEFINE QLOCAL(Q1) +\n  MAXDEPTH(7)") is CommandEnding.DONE
    (event,) = events(reporting, COMMAND)
    assert event["eventReason"] == {"name": "Command Mqsc", "value": 2412}
    context, data = event["eventData"]["commandContext"], event["eventData"]["commandData"]
    assert (context["eventUserId"], context["eventApplName"]) == ("tester", "lab")
    assert (context["eventOrigin"], context["command"]) == ("Console", "Create Queue")
    assert data == {"commandMqsc": "DEFINE QLOCAL(Q1) + MAXDEPTH(7)"}


def test_neither_failures_nor_inquiries_are_reported(reporting: Lab) -> None:
    assert run(reporting, "DELETE QLOCAL(NO.SUCH)") is CommandEnding.FAILED
    assert run(reporting, "DISPLAY QLOCAL(*)") is CommandEnding.DONE
    assert events(reporting, COMMAND) == []
    reporting.mq.alter("QMGR", "", {"CMDEV": "ENABLED"})
    run(reporting, "DISPLAY QLOCAL(*)")
    (event,) = events(reporting, COMMAND)
    assert event["eventData"]["commandContext"]["command"] == "Inquire Queue"


def test_every_command_is_reported_by_a_number_of_pcf() -> None:
    numberless = {
        f"{verb} {noun}"
        for verb, nouns in VERBS.items()
        for noun in nouns
        if only_platform(verb, noun) != "zos" and not number_of_command(verb, noun)
    }
    assert numberless == set()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("DISPLAY CHLAUTH(*)", cmqcfc.MQCMD_INQUIRE_CHLAUTH_RECS),
        ("DISPLAY AUTHREC", cmqcfc.MQCMD_INQUIRE_AUTH_RECS),
        ("DISPLAY TPSTATUS('a')", cmqcfc.MQCMD_INQUIRE_TOPIC_STATUS),
        ("DISPLAY SBSTATUS(*)", cmqcfc.MQCMD_INQUIRE_SUB_STATUS),
        ("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('x')", cmqcfc.MQCMD_SET_CHLAUTH_REC),
        ("SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT)", cmqcfc.MQCMD_SET_AUTH_REC),
        ("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)", cmqcfc.MQCMD_CLEAR_TOPIC_STRING),
        ("START LISTENER(L)", cmqcfc.MQCMD_START_CHANNEL_LISTENER),
        ("STOP LISTENER(L)", cmqcfc.MQCMD_STOP_CHANNEL_LISTENER),
        ("DEFINE COMMINFO(C)", cmqcfc.MQCMD_CREATE_COMM_INFO),
    ],
)
def test_a_command_of_mqsc_has_the_number_of_its_pcf_command(text: str, number: int) -> None:
    (command,) = parse(text).commands
    assert number_of_command(command.verb, command.noun) == number


SECRET = "s3)cret'k"


@pytest.mark.parametrize(
    "selector",
    [
        cmqcfc.MQCACH_PASSWORD, cmqcfc.MQCACH_SSL_KEY_PASSPHRASE, cmqc.MQCA_INITIAL_KEY,
        cmqc.MQCA_LDAP_PASSWORD, cmqc.MQCA_SSL_KEY_REPO_PASSWORD,
    ],
)  # fmt: skip
def test_no_event_of_a_pcf_command_holds_a_password(reporting: Lab, selector: int) -> None:
    message = pcf.PCF(16, cmqcfc.MQCMD_CHANGE_CHANNEL, (pcf.string(selector, SECRET),))
    issued_message(reporting.mq.connection, message)
    (event,) = events(reporting, COMMAND)
    assert "s3" not in str(event) and "********" in str(event)


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE AUTHINFO(A) AUTHTYPE(CRLLDAP) CONNAME('h') LDAPUSER('u') LDAPPWD(SECRET)",
        "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h') XMITQ(X) USERID('u') PASSWORD(SECRET)",
        "ALTER QMGR KEYRPWD(SECRET)",
        "ALTER QMGR INITKEY(SECRET)",
    ],
)
def test_no_event_and_no_display_holds_a_password(reporting: Lab, command: str) -> None:
    quoted = "'" + SECRET.replace("'", "''") + "'"
    assert run(reporting, command.replace("SECRET", quoted)) is CommandEnding.DONE
    script = parse("DISPLAY AUTHINFO(A) ALL\nDISPLAY CHANNEL(C) ALL\nDISPLAY QMGR ALL")
    shown = [reporting.mq.run_mqsc(script, one) for one in script.commands]
    written = events(reporting, COMMAND) + events(reporting, CONFIG)
    assert "s3" not in str(written) + str(shown)
    assert "********" in str(written) and "********" in str(shown)


def test_a_change_is_two_messages_of_one_id(reporting: Lab) -> None:
    reporting.mq.define("QLOCAL", "Q1", {"MAXDEPTH": 7})
    reporting.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 8})
    reporting.mq.delete("QLOCAL", "Q1")
    created, before, after, deleted = events(reporting, CONFIG)
    reasons = [event["eventReason"]["value"] for event in (created, before, after, deleted)]
    assert reasons == [2367, 2368, 2368, 2369]
    assert (before["objectState"], after["objectState"]) == ("Before Change", "After Change")
    assert before["correlationID"] == after["correlationID"] != created["correlationID"]
    depths = [event["eventData"]["maxQueueDepth"] for event in (created, before, after, deleted)]
    assert depths == [7, 7, 8, 8]
    assert {event["eventData"]["queueName"] for event in (created, deleted)} == {"Q1"}


@pytest.mark.parametrize(
    ("kind", "name", "first", "then", "object_type"),
    [
        ("CHANNEL", "C1", {"CHLTYPE": "SVRCONN"}, {"DESCR": "x"}, "Channel"),
        ("TOPIC", "T1", {"TOPICSTR": "a/b"}, {"DESCR": "x"}, "Topic"),
        ("NAMELIST", "N1", {"NAMES": "A"}, {"DESCR": "x"}, "Namelist"),
        ("AUTHINFO", "A1", {"AUTHTYPE": "IDPWOS"}, {"DESCR": "x"}, "Auth Info"),
    ],
)
def test_objects_of_every_kind_are_reported(
    reporting: Lab,
    kind: str,
    name: str,
    first: dict[str, int | str],
    then: dict[str, int | str],
    object_type: str,
) -> None:
    reporting.mq.define(kind, name, first)
    reporting.mq.alter(kind, name, then)
    types = [event["eventData"]["objectType"] for event in events(reporting, CONFIG)]
    assert types == [object_type] * 3


def test_the_queue_manager_is_an_object_as_well(reporting: Lab) -> None:
    reporting.mq.alter("QMGR", "", {"DEADQ": "D"})
    before, after = events(reporting, CONFIG)
    letters = [event["eventData"]["deadLetterQueueName"] for event in (before, after)]
    assert letters == ["", "D"]


def test_without_its_attributes_nothing_is_reported(reporting: Lab) -> None:
    reporting.mq.alter("QMGR", "", {"CMDEV": "DISABLED", "CONFIGEV": "DISABLED"})
    events(reporting, CONFIG, take=True)
    run(reporting, "DEFINE QLOCAL(Q1)")
    assert events(reporting, CONFIG) == events(reporting, COMMAND) == []
