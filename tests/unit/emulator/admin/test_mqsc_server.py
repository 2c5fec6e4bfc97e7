"""The command server: the message of every command, and what it did."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtriage.emulator.admin.mqsc_server import _DONE, _QUEUES_DONE, execute
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, lines_of, message
from mqtriage.mq.mqsc.verbs import VERBS, only_platform, parameters_of
from tests.unit.emulator.conftest import Lab


def replies(lab: Lab, text: str) -> list[Reply]:
    script = parse(text, file="s.mqsc")
    return [execute(lab.mq.connection, script, command) for command in script.commands]


def reply(lab: Lab, text: str) -> Reply:
    return replies(lab, text)[-1]


def lines(lab: Lab, text: str) -> list[str]:
    return list(lines_of(reply(lab, text)))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("DEFINE QLOCAL(N)", "AMQ8006I: IBM MQ queue created."),
        ("DEFINE QREMOTE(N) RNAME(X) RQMNAME(Y)", "AMQ8006I: IBM MQ queue created."),
        ("DEFINE QMODEL(N) DEFTYPE(PERMDYN)", "AMQ8006I: IBM MQ queue created."),
        ("DEFINE QALIAS(N) TARGET(A)", "AMQ8006I: IBM MQ queue created."),
        ("DEFINE QLOCAL(A) REPLACE", "AMQ8006I: IBM MQ queue created."),
        ("DEFINE QLOCAL(A)", "AMQ8150E: IBM MQ object A already exists."),
        ("ALTER QLOCAL(A) MAXDEPTH(9)", "AMQ8008I: IBM MQ queue changed."),
        ("ALTER QLOCAL(NO) MAXDEPTH(9)", "AMQ8147E: IBM MQ object NO not found."),
        ("ALTER QALIAS(A) DESCR('x')", "AMQ8138E: The IBM MQ queue has an incorrect type."),
        ("ALTER QMGR DEADQ(A)", "AMQ8005I: IBM MQ queue manager changed."),
        ("DELETE TOPIC(SYSTEM.BASE.TOPIC)", "AMQ8425E: An attribute value is not valid."),
        ("DELETE QLOCAL(A)", "AMQ8143E: IBM MQ queue not empty."),
        ("DELETE QLOCAL(A) PURGE", "AMQ8007I: IBM MQ queue deleted."),
        ("DELETE QLOCAL(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("CLEAR QLOCAL(A)", "AMQ8022I: IBM MQ queue cleared."),
        ("CLEAR QL(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("DEFINE TOPIC(T) TOPICSTR('a/b')", "AMQ8690I: IBM MQ topic created."),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(A)", "AMQ8094I: IBM MQ subscription created."),
        ("DELETE SUB(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("REFRESH SECURITY", "AMQ8560I: IBM MQ security cache refreshed."),
        ("PING QMGR", "AMQ8415I: Ping IBM MQ Queue Manager command complete."),
        ("PING CHANNEL(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("RESET CHANNEL(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("RESOLVE CHANNEL(NO) ACTION(COMMIT)", "AMQ8147E: IBM MQ object NO not found."),
        ("START SERVICE(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("STOP SERVICE(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("DISPLAY QUEUE(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("DISPLAY QUEUE(NO*)", "AMQ8147E: IBM MQ object NO* not found."),
        ("DISPLAY QSTATUS(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("DISPLAY QS(A) TYPE(HANDLE)", "AMQ8565E: Queue Status not found."),
        (
            "SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET)",
            "AMQ8862I: IBM MQ authority record set.",
        ),
        (
            "DELETE AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g')",
            "AMQ8147E: IBM MQ object A not found.",
        ),
        ("START CHANNEL(SYSTEM.DEF.SVRCONN)", "AMQ8018I: Start IBM MQ channel accepted."),
        ("STOP CHANNEL(SYSTEM.DEF.SVRCONN)", "AMQ8019I: Stop IBM MQ channel accepted."),
        ("STOP CHL(NO)", "AMQ8147E: IBM MQ object NO not found."),
        (
            "STOP CHANNEL(SYSTEM.DEF.SVRCONN) STATUS(INACTIVE)",
            "AMQ9533W: Channel 'SYSTEM.DEF.SVRCONN' is not currently active.",
        ),
        (
            "STOP CHANNEL(SYSTEM.DEF.SVRCONN) STATUS(INACTIVE) IGNSTATE(YES)",
            "AMQ8019I: Stop IBM MQ channel accepted.",
        ),
        ("DISPLAY CHSTATUS(*)", "AMQ8420I: Channel Status not found."),
        ("STOP LISTENER", "AMQ8731W: Listener not active."),
        (
            "STOP LISTENER('SYSTEM.DEFAULT.LISTENER.TCP') IGNSTATE(YES)",
            "AMQ8706I: Request to stop IBM MQ listener accepted.",
        ),
        ("STOP LISTENER(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("START LISTENER(NO)", "AMQ8147E: IBM MQ object NO not found."),
        ("DISPLAY LSSTATUS(*)", "AMQ8147E: IBM MQ object * not found."),
    ],
)
def test_each_command_has_its_message(lab: Lab, text: str, line: str) -> None:
    lab.mq.define("QLOCAL", "A", {})
    lab.mq.put1("A", MQMD(), b"x")
    assert lines(lab, text) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "START CHANNEL(SYSTEM.DEF.SERVER)",
        "SUSPEND QMGR LOG",
        "REFRESH QMGR TYPE(CONFIGEV)",
        "START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)",
        "START LISTENER",
        "CLEAR TOPICSTR('a') CLRTYPE(RETAINED)",
    ],
)
def test_what_the_emulator_has_not_is_said_and_never_taken_for_done(lab: Lab, text: str) -> None:
    answer = reply(lab, text)
    assert answer.ending is CommandEnding.NOT_EMULATED
    assert next(lines_of(answer)).startswith("not emulated: ")


CLUSTERED = """
DEFINE NAMELIST(BOTH) NAMES(SALES,STOCK)
ALTER QMGR REPOS(SALES)
DEFINE CHANNEL(SALES.QM1) CHLTYPE(CLUSRCVR) CLUSTER(SALES) CONNAME('here(1414)')
DEFINE CHANNEL(STOCK.QM1) CHLTYPE(CLUSRCVR) CLUSTER(STOCK) CONNAME('here(1414)')
DEFINE CHANNEL(SALES.QM2) CHLTYPE(CLUSSDR) CLUSTER(SALES) CONNAME('there(1415)')
DEFINE QLOCAL(ORDERS) CLUSTER(SALES) DEFBIND(NOTFIXED)
DEFINE QALIAS(GOODS) TARGET(ORDERS) CLUSNL(BOTH)
DEFINE QLOCAL(OWN)
"""


def shown(lab: Lab, text: str) -> list[dict[str, object]]:
    return [dict(line.object) for line in reply(lab, text).lines if line.object is not None]


def test_a_queue_manager_knows_itself_in_each_cluster_and_senders_by_a_temporary_name(
    lab: Lab,
) -> None:
    replies(lab, CLUSTERED)
    own, second, unknown = shown(lab, "DISPLAY CLUSQMGR(*) ALL")
    name = lab.mq.connection.manager.identity.name
    assert (own["CLUSQMGR"], own["CHANNEL"], own["CLUSTER"]) == (name, "SALES.QM1", "SALES")
    assert (own["QMTYPE"], own["DEFTYPE"], own["STATUS"]) == ("REPOS", "CLUSRCVR", "INACTIVE")
    assert str(own["QMID"]).startswith(f"{name}_2")
    assert (own["CLUSDATE"], own["CLUSTIME"]) == (own["ALTDATE"], own["ALTTIME"])
    assert (own["CONNAME"], own["VERSION"], own["XMITQ"]) == ("here(1414)", "09040000", "")
    assert (second["CLUSTER"], second["QMTYPE"]) == ("STOCK", "NORMAL")
    assert unknown["CLUSQMGR"] == "SYSTEM.TEMPUUID.there(1415)"
    assert (unknown["DEFTYPE"], unknown["QMID"], unknown["QMTYPE"]) == ("CLUSSDR", "", "REPOS")
    assert unknown["XMITQ"] == "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
    assert list(own) == ["CLUSQMGR", *sorted(list(own)[1:])]


def test_cluster_queue_managers_are_chosen_by_name_channel_cluster_and_where(lab: Lab) -> None:
    replies(lab, CLUSTERED)
    name = lab.mq.connection.manager.identity.name
    assert lines(lab, f"DISPLAY CLUSQMGR({name[:-1]}*) CLUSTER(ST*) SUSPEND") == [
        "AMQ8441I: Display Cluster Queue Manager details.",
        f"   CLUSQMGR({name})                           CHANNEL(STOCK.QM1)",
        "   CLUSTER(STOCK)                          SUSPEND(NO)",
    ]
    for text, channels in (
        ("(*) CHANNEL(SALES.*)", ["SALES.QM1", "SALES.QM2"]),
        ("(*) WHERE(QMTYPE EQ NORMAL)", ["STOCK.QM1"]),
        ("(*) WHERE(CONNAME LK there*)", []),
        ("(*) WHERE(CONNAME LK 'there*')", ["SALES.QM2"]),
        ("(SYSTEM.TEMP*)", ["SALES.QM2"]),
        ("(NO*)", []),
    ):
        found_channels = [row["CHANNEL"] for row in shown(lab, f"DISPLAY CLUSQMGR{text}")]
        assert found_channels == channels, text
    assert lines(lab, "DISPLAY CLUSQMGR(NO*)") == ["AMQ8147E: IBM MQ object NO* not found."]
    assert reply(lab, "DISPLAY CLUSQMGR(*) SHARECNV").ending is CommandEnding.SYNTAX_ERROR


def test_a_queue_manager_is_suspended_until_it_is_resumed_and_only_from_its_own_clusters(
    lab: Lab,
) -> None:
    replies(lab, CLUSTERED)
    suspended = "DISPLAY CLUSQMGR(*) WHERE(SUSPEND EQ YES)"
    assert lines(lab, "SUSPEND QMGR CLUSTER(SALES)") == ["SUSPEND QMGR accepted."]
    assert [row["CHANNEL"] for row in shown(lab, suspended)] == ["SALES.QM1"]
    assert lines(lab, "SUSPEND QMGR CLUSNL(BOTH) MODE(FORCE)") == ["SUSPEND QMGR accepted."]
    assert [row["CHANNEL"] for row in shown(lab, suspended)] == ["SALES.QM1", "STOCK.QM1"]
    assert lines(lab, "RESUME QMGR CLUSNL(BOTH)") == ["RESUME QMGR accepted."]
    assert shown(lab, suspended) == []
    for text, name in (("CLUSTER(NOPE)", "NOPE"), ("CLUSNL(NOLIST)", "NOLIST")):
        answer = reply(lab, f"SUSPEND QMGR {text}")
        assert list(lines_of(answer)) == [f"AMQ8147E: IBM MQ object {name} not found."]
        assert answer.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME
    assert "no cluster-receiver channel in NOPE" in reply(lab, "RESUME QMGR CLUSTER(NOPE)").why


def test_a_cluster_queue_is_shown_once_for_each_cluster_that_shares_it(lab: Lab) -> None:
    replies(lab, CLUSTERED)
    name = lab.mq.connection.manager.identity.name
    (orders,) = shown(lab, "DISPLAY QCLUSTER(ORDERS)")
    assert (orders["TYPE"], orders["CLUSQT"], orders["CLUSQMGR"]) == ("QCLUSTER", "QLOCAL", name)
    assert (orders["CLUSTER"], orders["DEFBIND"]) == ("SALES", "NOTFIXED")
    assert "MAXDEPTH" not in orders and str(orders["QMID"]).startswith(f"{name}_")
    rows = shown(lab, "DISPLAY QUEUE(*) TYPE(QCLUSTER) CLUSTER CLUSQT")
    assert [(row["QUEUE"], row["CLUSQT"], row["CLUSTER"]) for row in rows] == [
        ("GOODS", "QALIAS", "SALES"), ("GOODS", "QALIAS", "STOCK"), ("ORDERS", "QLOCAL", "SALES"),
    ]  # fmt: skip
    rows = shown(lab, "DISPLAY QUEUE(O*) CLUSINFO CLUSQMGR")
    assert [(row["QUEUE"], row["TYPE"], row.get("CLUSQMGR")) for row in rows] == [
        ("ORDERS", "QLOCAL", None), ("ORDERS", "QCLUSTER", name), ("OWN", "QLOCAL", None),
    ]  # fmt: skip
    assert [row["QUEUE"] for row in shown(lab, "DISPLAY QUEUE(*) CLUSTER(SALES)")] == ["ORDERS"]
    assert len(shown(lab, "DISPLAY QCLUSTER(*) WHERE(CLUSTER EQ STOCK)")) == 1
    assert shown(lab, "DISPLAY QCLUSTER(*) CLUSQMGR(OTHER)") == []


def test_refresh_and_reset_cluster_are_answered_as_far_as_one_queue_manager_can(lab: Lab) -> None:
    replies(lab, CLUSTERED)
    name = lab.mq.connection.manager.identity.name
    assert lines(lab, "REFRESH CLUSTER(*)") == ["REFRESH CLUSTER accepted."]
    assert lines(lab, "REFRESH CLUSTER(STOCK) REPOS(YES)") == ["REFRESH CLUSTER accepted."]
    (line,) = lines(lab, "REFRESH CLUSTER(SALES) REPOS(YES)")
    assert line.startswith("AMQ9406E: ")
    (line,) = lines(lab, "RESET CLUSTER(STOCK) ACTION(FORCEREMOVE) QMNAME(QM2)")
    assert "for a full repository of it, which this one is not" in line
    remove = "RESET CLUSTER(SALES) ACTION(FORCEREMOVE)"
    answer = reply(lab, f"{remove} QMID('QM2_2026-01-01_00.00.00')")
    assert answer.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME
    assert "other queue managers are not known here" in answer.why
    assert reply(lab, f"{remove} QMNAME({name})").ending is CommandEnding.NOT_EMULATED


def test_a_failure_has_reason_and_place(lab: Lab) -> None:
    answer = reply(lab, "\nALTER QLOCAL(NO) MAXDEPTH(9)")
    assert (answer.ending, answer.reason) == (CommandEnding.FAILED, 2085)
    assert answer.why.startswith("s.mqsc:2: alter QLOCAL(NO): MQRC_UNKNOWN_OBJECT_NAME")


@pytest.mark.parametrize(
    ("text", "below", "why"),
    [
        ("define ql(a) boqueue(b) put(enabled)", "define ql(a) boqueue(b)", "BOQNAME"),
        ("define ql(a) maxdepth(-1)", "define ql(a) maxdepth(-1)", "0 to 999999999"),
        ("dis ql(*) deepness", "dis ql(*) deepness", "DEEPNESS is not an attribute"),
        ("dis ql(*) where(maxdepth over 3)", "dis ql(*) where(maxdepth", "OVER is not an operator"),
        ("move ql(a) toqlocal(b)", "move", "z/OS only"),
        ("reset qstats(a)", "reset", "z/OS only"),
        ("frobnicate ql(a)", "frobnicate", ""),
    ],
)
def test_a_syntax_error_repeats_the_command_up_to_it(
    lab: Lab, text: str, below: str, why: str
) -> None:
    answer = reply(lab, text)
    assert answer.ending is CommandEnding.SYNTAX_ERROR
    assert list(lines_of(answer)) == [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        below,
    ]
    assert why in answer.why


def test_ignstate_makes_a_missing_queue_no_failure(lab: Lab) -> None:
    assert reply(lab, "DELETE QLOCAL(NO) IGNSTATE(YES)").ending is CommandEnding.DONE
    assert reply(lab, "DELETE QLOCAL(NO) IGNSTATE(NO)").ending is CommandEnding.FAILED


def test_an_open_queue_is_in_use(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    handle = lab.mq.open("A", cmqc.MQOO_OUTPUT)
    assert lines(lab, "DELETE QLOCAL(A)") == ["AMQ8148E: IBM MQ object in use."]
    assert lines(lab, "CLEAR QLOCAL(A)") == ["AMQ8148E: IBM MQ object in use."]
    handle.close()
    assert lines(lab, "DELETE QLOCAL(A)") == ["AMQ8007I: IBM MQ queue deleted."]


# -- what DISPLAY prints --------------------------------------------------------------------------


def test_a_specific_name_prints_all_a_generic_one_name_and_type(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A.B", {"MAXDEPTH": 7})
    specific = lines(lab, "DIS QL(A.B)")
    assert len(specific) > 25
    assert any("MAXDEPTH(7)" in line for line in specific)
    assert lines(lab, "DIS QL(A*)") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A.B)                              TYPE(QLOCAL)",
    ]
    assert lines(lab, "DIS QL(A*) ALL") == specific


def test_named_attributes_and_that_of_where_are_added_in_display_order(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {"MAXDEPTH": 7, "SHARE": "NO"})
    lab.mq.define("QLOCAL", "B", {})
    assert lines(lab, "DIS Q(*) WHERE(MAXDEPTH LT 10) SHARE BOQNAME") == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   BOQNAME( )                              MAXDEPTH(7)",
        "   NOSHARE",
    ]


def test_curdepth_and_the_handles_are_those_of_now(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    lab.mq.put1("A", MQMD(), b"x")
    handle = lab.mq.open("A", cmqc.MQOO_INPUT_EXCLUSIVE | cmqc.MQOO_BROWSE)
    queue = reply(lab, "DIS QL(A) CURDEPTH IPPROCS OPPROCS").lines[0].object
    assert queue == {
        "QUEUE": "A", "TYPE": "QLOCAL", "CURDEPTH": 1, "IPPROCS": 1, "OPPROCS": 0,
    }  # fmt: skip
    handles = reply(lab, "DIS QS(A) TYPE(HANDLE) INPUT BROWSE OUTPUT").lines[0].object
    assert handles == {
        "QUEUE": "A", "TYPE": "HANDLE", "BROWSE": "YES", "INPUT": "EXCL", "OUTPUT": "NO",
    }  # fmt: skip
    handle.close()


def test_opentype_and_where_choose_handles(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    handle = lab.mq.open("A", cmqc.MQOO_OUTPUT)
    assert reply(lab, "DIS QS(A) TYPE(HANDLE) OPENTYPE(INPUT)").lines[0].id == "AMQ8565E"
    assert reply(lab, "DIS QS(A) TYPE(HANDLE) OPENTYPE(OUTPUT)").lines[0].id == "AMQ8450I"
    assert reply(lab, "DIS QS(*) TYPE(HANDLE) WHERE(OUTPUT EQ YES)").lines[0].id == "AMQ8450I"
    assert (
        reply(lab, "DIS QS(*) WHERE(URID EQ X) TYPE(HANDLE)").ending is CommandEnding.SYNTAX_ERROR
    )
    handle.close()


def test_queue_status_shows_times_only_where_the_queue_is_monitored(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    lab.mq.put1("A", MQMD(), b"x")
    lab.advance(90)
    off = reply(lab, "DIS QS(A)").lines[0].object
    assert off is not None
    assert (off["LPUTDATE"], off["MSGAGE"], off["MONQ"]) == ("", "", "OFF")
    replies(lab, "ALTER QMGR MONQ(LOW)")
    on = reply(lab, "DIS QS(A)").lines[0].object
    assert on is not None
    assert (on["MSGAGE"], on["MONQ"], on["UNCOM"]) == (90, "LOW", "NO")
    assert str(on["LPUTDATE"]).startswith("20")
    assert on["LGETDATE"] == ""


def test_display_qmgr_prints_all_some_or_a_group(lab: Lab) -> None:
    everything = reply(lab, "DISPLAY QMGR").lines[0].object
    assert everything is not None
    assert len(everything) > 50
    assert next(iter(everything)) == "QMNAME"
    some = reply(lab, "DISPLAY QMGR MAXMSGL DEADQ").lines[0].object
    assert some == {"QMNAME": "QM1", "DEADQ": "", "MAXMSGL": 4_194_304}
    group = reply(lab, "DISPLAY QMGR PUBSUB DEADQ").lines[0].object
    assert group is not None
    assert {"PSMODE", "TREELIFE", "DEADQ"} <= set(group)
    assert "MAXMSGL" not in group


def test_qmstatus_counts_connections(lab: Lab) -> None:
    lab.mq.define("QLOCAL", "A", {})
    handle = lab.mq.open("A", cmqc.MQOO_OUTPUT)
    status = reply(lab, "DISPLAY QMSTATUS").lines[0].object
    assert status == {
        "QMNAME": "QM1", "TYPE": "QMGR", "STATUS": "RUNNING", "CHINIT": "STOPPED",
        "CMDSERV": "RUNNING", "CONNS": 1,
    }  # fmt: skip
    handle.close()


def test_topics_and_subscriptions_are_displayed_altered_and_deleted(lab: Lab) -> None:
    replies(
        lab,
        "DEFINE QLOCAL(D)\nDEFINE TOPIC(T) TOPICSTR('a/b')\n"
        "DEFINE SUB('s') TOPICSTR('a/b') DEST(D)",
    )
    topic = reply(lab, "DIS TOPIC(T) TOPICSTR PUB").lines[0]
    assert topic.id == "AMQ8633I"
    assert topic.object == {
        "TOPIC": "T", "TYPE": "LOCAL", "PUB": "ASPARENT", "TOPICSTR": "a/b",
    }  # fmt: skip
    sub = reply(lab, "DIS SUB('s')").lines[0]
    assert sub.id == "AMQ8096I"
    assert sub.object is not None
    assert (sub.object["SUB"], sub.object["DEST"], sub.object["DESTCLAS"]) == ("s", "D", "PROVIDED")
    again = reply(lab, f"DIS SUB SUBID({sub.object['SUBID']})").lines[0]
    assert again.object == sub.object
    assert reply(lab, "DIS SUB('t*')").lines[0].id == "AMQ8147E"
    assert lines(lab, "ALTER TOPIC(T) PUB(DISABLED)") == ["AMQ8691I: IBM MQ topic changed."]
    assert lines(lab, "DELETE TOPIC(T)") == ["AMQ8692I: IBM MQ topic deleted."]
    assert lines(lab, "DELETE SUB('s')") == ["AMQ8095I: IBM MQ subscription deleted."]
    assert reply(lab, "DIS SUB('s')").ending is CommandEnding.FAILED


def test_authority_records_are_set_displayed_by_profile_or_membership_and_deleted(lab: Lab) -> None:
    replies(
        lab,
        "SET AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT,GET)\n"
        "SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT)\n",
    )
    assert len(reply(lab, "DISPLAY AUTHREC").lines) == 2
    by_profile = reply(lab, "DISPLAY AUTHREC PROFILE('A.**')").lines[0].object
    assert by_profile == {
        "PROFILE": "A.**", "ENTITY": "joe", "ENTTYPE": "PRINCIPAL", "OBJTYPE": "QUEUE",
        "AUTHLIST": "GET,PUT",
    }  # fmt: skip
    assert reply(lab, "DISPLAY AUTHREC PROFILE(A.B)").ending is CommandEnding.FAILED
    member = reply(lab, "DISPLAY AUTHREC PROFILE(A.B) OBJTYPE(QUEUE) MATCH(MEMBERSHIP)")
    assert member.lines[0].object == by_profile
    assert len(reply(lab, "DISPLAY AUTHREC GROUP('apps')").lines) == 1
    gone = "DELETE AUTHREC PROFILE('A.**') OBJTYPE(QUEUE) PRINCIPAL('joe')"
    assert lines(lab, gone) == ["AMQ8863I: IBM MQ authority record deleted."]
    assert len(reply(lab, "DISPLAY AUTHREC").lines) == 1


def test_zos_moves_messages_and_runs_the_expirer(tmp_path: Path) -> None:
    lab = Lab(tmp_path, "zos")
    replies(lab, "ALTER QMGR EXPRYINT(OFF)\nDEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\n")
    lab.mq.put1("A", MQMD(expiry_tenths=10), b"x", cmqc.MQPMO_NO_SYNCPOINT)
    assert lines(lab, "MOVE QLOCAL(A) TOQLOCAL(B) TYPE(ADD)") == [
        "CSQ9022I: CSQMMVQL ' MOVE QLOCAL' NORMAL COMPLETION"
    ]
    assert (lab.depth("A"), lab.depth("B")) == (0, 1)
    lab.advance(10)
    assert lab.depth("B") == 1
    assert reply(lab, "REFRESH QMGR TYPE(EXPIRY)").lines[0].id == "CSQ9022I"
    assert lab.depth("B") == 0
    assert reply(lab, "MOVE QLOCAL(A)").lines[0].id == "CSQM092I"
    statistics = reply(lab, "RESET QSTATS(B)").lines[0].object
    assert statistics == {"QUEUE": "B", "RESETINT": 10, "HIQDEPTH": 1, "MSGSIN": 1, "MSGSOUT": 1}
    lab.advance(7)
    statistics = reply(lab, "RESET QSTATS(B)").lines[0].object
    assert statistics == {"QUEUE": "B", "RESETINT": 7, "HIQDEPTH": 0, "MSGSIN": 0, "MSGSOUT": 0}


def test_shared_queues_of_the_group_are_displayed_and_cleared(tmp_path: Path) -> None:
    from mqtriage.emulator.shared import sharing

    lab = Lab(tmp_path, "zos")
    sharing.join(lab.mq.manager, "QSG1")
    replies(lab, "DEFINE QLOCAL(S) QSGDISP(SHARED) CFSTRUCT(C) MAXDEPTH(5)\nDEFINE QLOCAL(L)")
    lab.mq.put1("S", MQMD(), b"x", cmqc.MQPMO_NO_SYNCPOINT)
    shown = reply(lab, "DIS QL(S) QSGDISP CURDEPTH").lines[0].object
    assert shown == {"QUEUE": "S", "TYPE": "QLOCAL", "CURDEPTH": 1, "QSGDISP": "SHARED"}
    shared = reply(lab, "DIS QL(*) QSGDISP(SHARED)").lines
    assert [line.object["QUEUE"] for line in shared if line.object] == ["S"]
    assert reply(lab, "DIS QS(S)").ending is CommandEnding.DONE
    assert lines(lab, "CLEAR QLOCAL(S)") == ["CSQ9022I: CSQMMSGP ' CLEAR QLOCAL' NORMAL COMPLETION"]
    assert lab.depth("S") == 0
    assert reply(lab, "MOVE QLOCAL(S) TOQLOCAL(L)").ending is CommandEnding.FAILED
    assert reply(lab, "DISPLAY QMGR QSGNAME").lines[0].object == {
        "QMNAME": "QM1",
        "QSGNAME": "QSG1",
    }


# -- what IBM documents and is not done here ------------------------------------------------------

ON_DIST = [
    (verb, noun)
    for verb, nouns in sorted(VERBS.items())
    for noun in sorted(nouns)
    if parameters_of(verb, noun) is not None and only_platform(verb, noun) != "zos"
]


@pytest.mark.parametrize(("verb", "noun"), [pair for pair in ON_DIST if pair[0] == "DISPLAY"])
@pytest.mark.slow
def test_what_ibm_documents_for_a_display_is_no_mistake_of_the_readers(
    lab: Lab, verb: str, noun: str
) -> None:
    """Shown, left out where it is for z/OS alone, or said to be not emulated."""
    steering = {"TYPE", "WHERE", "OPENTYPE", "MATCH"}
    for keyword in sorted((parameters_of(verb, noun) or frozenset()) - steering):
        name = "" if noun in ("QMGR", "QMSTATUS", "CMDSERV", "PUBSUB", "AUTHSERV") else "(*)"
        name = "" if noun in ("AUTHREC", "ENTAUTH") else name
        answered = reply(lab, f"DISPLAY {noun}{name} {keyword}")
        assert answered.ending is not CommandEnding.SYNTAX_ERROR, (noun, keyword, answered)


@pytest.mark.parametrize(("verb", "noun"), ON_DIST)
@pytest.mark.slow
def test_a_parameter_that_a_command_has_not_is_a_syntax_error(
    lab: Lab, verb: str, noun: str
) -> None:
    answered = reply(lab, f"{verb} {noun}(A) NOSUCHTHING")
    assert answered.ending is CommandEnding.SYNTAX_ERROR, answered
    assert answered.lines[0].id == "AMQ8405I"


# -- DISPLAY CONN ---------------------------------------------------------------------------------


def connection_rows(lab: Lab, more: str) -> list[dict[str, object]]:
    return [dict(line.object or {}) for line in reply(lab, f"DISPLAY CONN(*) {more}").lines]


def test_display_conn_shows_what_runmqsc_of_9_4_does(lab: Lab) -> None:
    handle = lab.local("ORDERS.IN")
    (row,) = connection_rows(lab, "ALL")
    assert list(row) == [
        "CONN", "EXTCONN", "TYPE", "PID", "TID", "APPLDESC", "APPLTAG", "APPLTYPE", "ASTATE",
        "CHANNEL", "CLIENTID", "CONNAME", "CONNOPTS", "USERID", "UOWLOG", "UOWSTDA", "UOWSTTI",
        "UOWLOGDA", "UOWLOGTI", "URTYPE", "EXTURID", "QMURID", "UOWSTATE", "CONNTAG",
    ]  # fmt: skip
    assert bytes.fromhex(str(row["EXTCONN"])) == b"AMQCQM1         "
    assert len(str(row["CONN"])) == 16
    qmid = lab.mq.manager.all_attributes()["QMID"]
    assert row["CONNTAG"] == f"MQCT{row['CONN']}{qmid}lab"
    assert (row["QMURID"], row["EXTURID"]) == ("0.0", "XA_FORMATID[] XA_GTRID[] XA_BQUAL[]")
    assert (row["PID"], row["CONNOPTS"]) == (
        os.getpid(), "MQCNO_HANDLE_SHARE_NONE,MQCNO_SHARED_BINDING",
    )  # fmt: skip
    handle.close()


def test_display_conn_shows_what_programs_have_open(lab: Lab) -> None:
    handles = [lab.local("ORDERS.IN"), lab.local("ORDERS.OUT")]
    both = connection_rows(lab, "TYPE(ALL) ALL")
    assert [row["TYPE"] for row in both] == ["CONN", "HANDLE", "HANDLE"]
    assert both == connection_rows(lab, "TYPE(*) ALL")
    opened = connection_rows(lab, "TYPE(HANDLE) ALL")
    assert opened == both[1:]
    assert [row["OBJNAME"] for row in opened] == ["ORDERS.IN", "ORDERS.OUT"]
    assert {"OBJTYPE": "QUEUE", "HSTATE": "INACTIVE", "READA": "NO"}.items() <= opened[0].items()
    assert "MQOO_INPUT_SHARED" in str(opened[0]["OPENOPTS"]).split(",")
    (one,) = connection_rows(lab, "TYPE(HANDLE) WHERE(OBJNAME EQ 'ORDERS.IN')")
    assert one["OBJNAME"] == "ORDERS.IN"
    (one,) = connection_rows(lab, "WHERE(OBJNAME EQ 'ORDERS.IN')")
    assert one["TYPE"] == "CONN"
    for handle in handles:
        handle.close()


def test_of_several_programs_the_one_with_a_unit_of_work_has_it_active(lab: Lab) -> None:
    lab.local("ORDERS.IN").close()
    handle = lab.connect().open("ORDERS.IN", cmqc.MQOO_INPUT_SHARED)
    lab.mq.put1("ORDERS.IN", MQMD(), b"x", cmqc.MQPMO_SYNCPOINT)
    assert [row["UOWSTATE"] for row in connection_rows(lab, "ALL")] == ["ACTIVE", "NONE"]
    handle.close()


@pytest.mark.parametrize(
    "condition", ["OBJNAME EQ NONE", "CHANNEL EQ X", "UOWSTATE EQ ACTIVE", "CONNOPTS CT X"]
)
def test_a_filter_that_keeps_nothing_finds_nothing(lab: Lab, condition: str) -> None:
    handle = lab.local("ORDERS.IN")
    for type_ in ("CONN", "HANDLE", "ALL"):
        answered = reply(lab, f"DISPLAY CONN(*) TYPE({type_}) WHERE({condition})")
        assert answered.lines[0].id == "AMQ8147E"
    handle.close()


@pytest.mark.parametrize("keyword", ["EXTCONN", "TYPE", "EXTURID"])
def test_what_conn_cannot_be_filtered_by_is_a_syntax_error(lab: Lab, keyword: str) -> None:
    answered = reply(lab, f"DISPLAY CONN(*) WHERE({keyword} EQ X)")
    assert answered.ending is CommandEnding.SYNTAX_ERROR


@pytest.mark.parametrize("noun", [*_DONE, "QLOCAL"])
def test_what_was_done_is_what_the_message_says(noun: str) -> None:
    for number, word in zip(_DONE.get(noun, _QUEUES_DONE), ("created", "changed", "deleted"),
                            strict=True):  # fmt: skip
        if number:
            line = message(number)
            assert line.id == f"AMQ{number}I"
            assert f"{word}." in line.text


def test_a_word_too_many_is_a_syntax_error(lab: Lab) -> None:
    assert reply(lab, "PING QMGR FORCE").ending is CommandEnding.SYNTAX_ERROR
