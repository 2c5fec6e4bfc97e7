"""Channels, listeners, namelists and their kin: kept, shown, changed, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.emulator.admin import dump, mqsc_server
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import Reply
from tests.unit.emulator.conftest import Lab


def run(lab: Lab, text: str) -> list[Reply]:
    script = parse(text, file="s.mqsc")
    return [mqsc_server.execute(lab.mq.connection, script, command) for command in script.commands]


def objects(lab: Lab, text: str) -> list[dict[str, Any]]:
    (reply,) = run(lab, text)
    return [dict(line.object) for line in reply.lines if line.object is not None]


def ids(lab: Lab, text: str) -> list[str]:
    return [reply.lines[0].id for reply in run(lab, text)]


@pytest.mark.parametrize(
    ("kind", "rest", "numbers"),
    [
        ("CHANNEL", "CHLTYPE(SVRCONN)", (8014, 8414, 8016, 8015)),
        ("LISTENER", "TRPTYPE(TCP)", (8626, 8630, 8623, 8628)),
        ("NAMELIST", "", (8552, 8550, 8551, 8553)),
        ("PROCESS", "", (8010, 8407, 8012, 8011)),
        ("AUTHINFO", "AUTHTYPE(IDPWOS)", (8563, 8566, 8567, 8564)),
        ("SERVICE", "", (8625, 8629, 8624, 8627)),
    ],
)
def test_each_kind_is_made_shown_changed_and_deleted(
    lab: Lab, kind: str, rest: str, numbers: tuple[int, ...]
) -> None:
    text = (
        f"DEFINE {kind}(A) {rest} DESCR('one')\nDISPLAY {kind}(A) ALL\n"
        f"ALTER {kind}(A) {rest} DESCR('two')\nDELETE {kind}(A)\n"
    )
    assert ids(lab, text) == [f"AMQ{number}I" for number in numbers]
    assert ids(lab, f"DISPLAY {kind}(A)") == ["AMQ8147E"]


def test_another_process_sees_what_was_altered(lab: Lab) -> None:
    run(lab, "DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1414)\nALTER LISTENER(L) PORT(1500)")
    other = lab.connect()
    (reply,) = [
        mqsc_server.execute(other.connection, script, command)
        for script in [parse("DISPLAY LISTENER(L) PORT")]
        for command in script.commands
    ]
    assert reply.lines[0].object == {"LISTENER": "L", "PORT": 1500}


def test_a_queue_manager_comes_with_its_default_channels(lab: Lab) -> None:
    type_by_channel = {
        channel["CHANNEL"]: channel["CHLTYPE"]
        for channel in objects(lab, "DISPLAY CHANNEL(SYSTEM.*)")
    }
    assert type_by_channel["SYSTEM.DEF.SVRCONN"] == "SVRCONN"
    assert type_by_channel["SYSTEM.AUTO.RECEIVER"] == "RCVR"
    assert len(type_by_channel) == 11


def test_a_channel_has_the_attributes_of_its_type_alone(lab: Lab) -> None:
    run(lab, "DEFINE CHANNEL(S) CHLTYPE(SVRCONN)")
    run(lab, "DEFINE CHANNEL(D) CHLTYPE(SDR) CONNAME('h(1)') XMITQ(X)")
    (connection,), (sender,) = objects(lab, "DIS CHL(S) ALL"), objects(lab, "DIS CHL(D) ALL")
    assert "MAXINST" in connection and "MAXINST" not in sender
    assert "XMITQ" in sender and "XMITQ" not in connection


def test_what_is_not_named_comes_from_the_default_object_as_it_is_now(lab: Lab) -> None:
    run(lab, "ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MAXINST(7)\n"
             "DEFINE CHANNEL(S) CHLTYPE(SVRCONN)")  # fmt: skip
    assert objects(lab, "DIS CHL(S) MAXINST")[0]["MAXINST"] == 7


def test_like_takes_the_attributes_of_another(lab: Lab) -> None:
    run(lab, "DEF NAMELIST(A) NAMES(X,Y) DESCR('d')\nDEF NAMELIST(B) LIKE(A) DESCR('e')")
    (namelist,) = objects(lab, "DIS NAMELIST(B) NAMES DESCR NAMCOUNT")
    assert namelist == {"NAMELIST": "B", "NAMES": "X,Y", "DESCR": "e", "NAMCOUNT": 2}


def test_a_deleted_default_object_stays_deleted_and_can_be_made_again(lab: Lab) -> None:
    run(lab, "DELETE CHANNEL(SYSTEM.DEF.SVRCONN)")
    assert ids(lab, "DIS CHL(SYSTEM.DEF.SVRCONN)") == ["AMQ8147E"]
    run(lab, "DEFINE CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN)")
    assert ids(lab, "DIS CHL(SYSTEM.DEF.SVRCONN)") == ["AMQ8414I"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DEFINE CHANNEL(C) CHLTYPE(SVRCONN)", 4042),
        ("DEFINE CHANNEL(C) CHLTYPE(RCVR) REPLACE", 3034),
        ("DEFINE CHANNEL(D) CHLTYPE(RCVR) LIKE(C)", 3034),
        ("DEFINE CHANNEL(D) CHLTYPE(CLNTCONN) LIKE(C)", 3034),
        ("ALTER CHANNEL(C) CHLTYPE(RCVR)", 3034),
        ("DEFINE AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://a') REPLACE", 4002),
        ("DEFINE AUTHINFO(B) AUTHTYPE(OCSP) OCSPURL('http://a') LIKE(A)", 4003),
        ("ALTER CHANNEL(NO) CHLTYPE(SVRCONN) MAXINST(1)", 4032),
        ("DELETE CHANNEL(NO)", 4032),
        ("DEFINE NAMELIST(N)", 2100),
        ("DELETE NAMELIST(NO)", 2085),
    ],
)
def test_what_is_refused_has_its_reason(lab: Lab, text: str, reason: int) -> None:
    run(
        lab,
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE NAMELIST(N)\n"
        "DEFINE AUTHINFO(A) AUTHTYPE(IDPWOS)",
    )
    (reply,) = run(lab, text)
    assert reply.reason == reason


def test_a_client_connection_channel_has_the_name_of_the_channel_that_it_leads_to(lab: Lab) -> None:
    """As IBM's own example defines both (IBM MQ documentation, "Defining the ... channel")."""
    run(
        lab,
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\n"
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h(1414)') QMNAME(QM2)\n"
        "ALTER CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('b(1415)')\n"
        "ALTER CHANNEL(C) CHLTYPE(SVRCONN) MAXINST(7)",
    )
    shown = objects(lab, "DISPLAY CHANNEL(C) CONNAME MAXINST")
    assert [(it["CHLTYPE"], it.get("CONNAME"), it.get("MAXINST")) for it in shown] == [
        ("SVRCONN", None, 7),
        ("CLNTCONN", "b(1415)", None),
    ]
    assert [it["CHLTYPE"] for it in objects(lab, "DISPLAY CHANNEL(C) CHLTYPE(CLNTCONN)")] == [
        "CLNTCONN"
    ]


@pytest.mark.parametrize(
    ("deleting", "remaining"),
    [("CHLTABLE(CLNTTAB)", "SVRCONN"), ("CHLTABLE(QMGRTAB)", "CLNTCONN"), ("", "CLNTCONN")],
)
def test_chltable_says_which_of_two_channels_is_deleted(
    lab: Lab, deleting: str, remaining: str
) -> None:
    run(lab, "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(h)")
    run(lab, f"DELETE CHANNEL(C) {deleting}")
    assert [it["CHLTYPE"] for it in objects(lab, "DISPLAY CHANNEL(C)")] == [remaining]


def test_a_filter_picks_channels(lab: Lab) -> None:
    channels = objects(lab, "DISPLAY CHANNEL(*) WHERE(CHLTYPE EQ SVRCONN)")
    assert {channel["CHLTYPE"] for channel in channels} == {"SVRCONN"}
    assert len(channels) == 2


# -- channel authentication -----------------------------------------------------------------------


def profiles(lab: Lab, text: str = "DISPLAY CHLAUTH(*)") -> list[tuple[str, str]]:
    return [(record["CHLAUTH"], record["TYPE"]) for record in objects(lab, text)]


def test_a_queue_manager_comes_with_three_channel_authentication_records(lab: Lab) -> None:
    assert profiles(lab) == [
        ("*", "BLOCKUSER"), ("SYSTEM.*", "ADDRESSMAP"), ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP")
    ]  # fmt: skip


def test_a_record_is_added_replaced_and_removed(lab: Lab) -> None:
    rest = "CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.*')"
    assert ids(lab, f"SET {rest} USERSRC(NOACCESS)") == ["AMQ8877I"]
    (refused,) = run(lab, f"SET {rest} USERSRC(CHANNEL) ACTION(ADD)")
    assert refused.reason == 3337
    assert ids(lab, f"SET {rest} USERSRC(CHANNEL) ACTION(REPLACE)") == ["AMQ8877I"]
    (record,) = objects(lab, "DISPLAY CHLAUTH('A.*') TYPE(ADDRESSMAP)")
    assert record["USERSRC"] == "CHANNEL"
    assert ids(lab, f"SET {rest} ACTION(REMOVE)") == ["AMQ8877I"]
    (refused,) = run(lab, f"SET {rest} ACTION(REMOVE)")
    assert refused.reason == 3338
    assert ("A.*", "ADDRESSMAP") not in profiles(lab)


def test_a_map_without_its_user_is_refused(lab: Lab) -> None:
    for source in ("", " USERSRC(MAP)", " USERSRC(MAP) MCAUSER(' ')"):
        assert ids(lab, f"SET CHLAUTH(A) TYPE(USERMAP) CLNTUSER('u'){source}") == ["AMQ8425E"], (
            source
        )
    assert ids(lab, "DISPLAY CHLAUTH(A)") == ["AMQ8147E"]
    assert ids(lab, "SET CHLAUTH(A) TYPE(USERMAP) CLNTUSER('u') MCAUSER('v')") == ["AMQ8877I"]
    assert ids(lab, "SET CHLAUTH(A) TYPE(USERMAP) CLNTUSER('u') ACTION(REMOVE)") == ["AMQ8877I"]


def test_two_maps_of_one_profile_are_two_records(lab: Lab) -> None:
    for address in ("1.*", "2.*"):
        run(lab, f"SET CHLAUTH(A) TYPE(ADDRESSMAP) ADDRESS('{address}') USERSRC(NOACCESS)")
    assert profiles(lab, "DISPLAY CHLAUTH(A)") == [("A", "ADDRESSMAP")] * 2
    run(lab, "SET CHLAUTH(A) TYPE(ADDRESSMAP) ACTION(REMOVEALL)")
    assert ids(lab, "DISPLAY CHLAUTH(A)") == ["AMQ8147E"]


def test_users_are_added_to_and_taken_from_a_blocking_record(lab: Lab) -> None:
    run(lab, "SET CHLAUTH(A) TYPE(BLOCKUSER) USERLIST('x')\n"
             "SET CHLAUTH(A) TYPE(BLOCKUSER) USERLIST('y') ACTION(ADD)")  # fmt: skip
    assert objects(lab, "DISPLAY CHLAUTH(A)")[0]["USERLIST"] == "x,y"
    run(lab, "SET CHLAUTH(A) TYPE(BLOCKUSER) USERLIST('x') ACTION(REMOVE)")
    assert objects(lab, "DISPLAY CHLAUTH(A)")[0]["USERLIST"] == "y"


def test_the_last_record_stays_removed(lab: Lab) -> None:
    for profile, type_ in profiles(lab):
        run(lab, f"SET CHLAUTH('{profile}') TYPE({type_}) ACTION(REMOVEALL)")
    assert ids(lab, "DISPLAY CHLAUTH(*)") == ["AMQ8147E"]


def test_a_dump_holds_what_was_defined_altered_and_deleted(lab: Lab) -> None:
    run(lab, "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MAXINST(7)")
    run(lab, "DELETE LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)")
    run(lab, "DEFINE QLOCAL(D)\nDEFINE SUB(S) TOPICSTR('a') DEST(D) USERDATA('x')")
    records = list(dump.records(lab.mq.manager))
    kept = {record["record"]: record for record in records}
    assert kept["channel"]["attributes"]["MAXINST"] == 7
    assert kept["listener"]["attributes"] is None
    assert kept["subscription"]["attributes"]["USERDATA"] == "x"


def test_a_channel_has_no_attribute_of_another_type(lab: Lab) -> None:
    """IBM MQ 9.4 has a syntax diagram of DEFINE CHANNEL for each CHLTYPE."""
    for text in (
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(Q)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) SHARECNV(3)",
        "ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) CONNAME('h(1414)')",
    ):
        assert ids(lab, text) == ["AMQ8405I"], text
    assert ids(lab, "DIS CHL(C)") == ["AMQ8147E"]
