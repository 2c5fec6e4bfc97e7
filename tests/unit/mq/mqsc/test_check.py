"""Validation of single commands: what is an error, what is a note, what is fine."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal

import pytest

from mqtriage.mq.attributes.catalogue import attributes_of
from mqtriage.mq.mqsc.check import check_script, first_error, validate, wrong_channel_type
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tokens import close_word
from mqtriage.mq.mqsc.tree import DiagnosticSeverity


def findings(text: str, platform: Literal["dist", "zos"] | None = None) -> list[tuple[str, str]]:
    """Severity and message of what is wrong with the only command."""
    (command,) = parse(text).commands
    assert command.error is None, command.error
    return [(d.severity.value, d.message) for d in validate(command, platform)]


@pytest.mark.parametrize(
    "text",
    [
        "DEF QL(A) BOTHRESH(0) BOQNAME(' ') NOTRIGGER NOSHARE HARDENBO REPLACE",
        "DEF QL(A) LIKE(B) NOREPLACE CAPEXPRY(NOLIMIT) MAXFSIZE(DEFAULT)",
        "DEF QA(A) TARGQ(B) TARGTYPE(QUEUE)",
        "DEF QR(A) RNAME('') RQMNAME('QM2') XMITQ(X)",
        "ALTER QMGR FORCE CCSID(1208) DEADQ(DLQ)",
        "DEL QL(A) PURGE IGNSTATE(YES) AUTHREC(NO)",
        "DEF CHL(A) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(X) TRPTYPE(TCP)",
        "DEF CHL(A) CHLTYPE(SDR) LIKE(B)",
        "ALTER CHL(A) CHLTYPE(SDR) CONVERT(YES)",
        "DEF CHL(A) CHLTYPE(CLUSRCVR) CLUSTER(C)",
        "DEFINE CHANNEL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) CLUSTER('+AUTOCL+')",
        "DEF TOPIC(A) TOPICSTR('a/b') NPMSGDLV(ALLAVAIL)",
        "DEF SUB(A) TOPICOBJ(T) DEST(Q) EXPIRY(UNLIMITED)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT,INQ)",
        "SET CHLAUTH('A') TYPE(USERMAP) CLNTUSER('u') USERSRC(CHANNEL) ACTION(REPLACE)",
        "SET CHLAUTH('A') TYPE(ADDRESSMAP) ACTION(REMOVEALL)",
        "DIS QUEUE(*) CURDEPTH BOTHRESH TARGET CLUSINFO ALL WHERE(CURDEPTH GT 0)",
        "DEF SERVICE(S) CONTROL(QMGR) STARTCMD('/x') REPLACE",
        "DEF COMMINFO(M) TYPE(MULTICAST) MCPROP(ALL) GRPADDR('239.0.0.1') LIKE(N)",
        "SET POLICY(Q) SIGNALG(SHA256) ENCALG(AES256) RECIP('CN=a') RECIP('CN=b') ENFORCE",
        "DEF CFSTRUCT(APP1) CFLEVEL(5) OFFLOAD(SMDS) OFFLD1SZ(32K) OFFLD1TH(70) REPLACE",
        "DEF STGCLASS(FAST) PSID(3) XCFGNAME(G) QSGDISP(QMGR)",
        "DEF BP(3) BUFFERS(2000) LOCATION(ABOVE) PAGECLAS(FIXED4KB)",
        "SET LOG DEFAULT",
        "SET ARCHIVE ARCWRTC(1,3) CMDSCOPE(QM1)",
        "DEL SUB SUBID('0A')",
        "DEL CHL(A) CHLTABLE(CLNTTAB) IGNSTATE(YES)",
        "DEL AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g')",
        "DEF NL(A) NAMES(B, C)",
        "DEF QL('{{name}}') BOQNAME('{{boq}}')",
    ],
)
def test_good_commands_have_no_findings(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DEF QL(A) MAXDEPTH(1000000000)", "MAXDEPTH(1000000000): allowed 0 to 999999999"),
        ("DEF QL(A) NPMCLASS(hish)", "NPMCLASS(HISH): allowed NORMAL, HIGH"),
        ("DEF QL(A) BOQUEUE(B)", "BOQUEUE is not an attribute of a local queue"),
        ("DEF QA(A) BOTHRESH(3)", "BOTHRESH is not an attribute of an alias queue"),
        ("DEF QL(A) CURDEPTH(3)", "CURDEPTH is shown by DISPLAY and cannot be set"),
        ("DEF QL(A) SHARE(YES)", "SHARE takes no value: write SHARE or NOSHARE"),
        ("DEF QL(A) MAXDEPTH", "MAXDEPTH needs a value in parentheses"),
        (
            "DEF QL(A) DESCR(two words)",
            "DESCR takes one value: text with blanks or commas needs quotes",
        ),
        ("DEF QL(A) SHARE NOSHARE", "SHARE and NOSHARE exclude each other"),
        ("DEF QL(A) REPLACE NOREPLACE", "REPLACE and NOREPLACE exclude each other"),
        ("DEF QL(A) REPLACE(YES)", "REPLACE takes no value"),
        ("DEF QL(A) CLUSTER(X) CLUSNL(Y)", "CLUSTER and CLUSNL cannot both be set"),
        ("ALTER QMGR REPOS(X) REPOSNL(Y)", "REPOS and REPOSNL cannot both be set"),
        ("ALTER QL(A) LIKE(B)", "LIKE is not an attribute of a local queue"),
        (f"DEF QL({'A' * 49})", "the name has 49 characters"),
        (f"DEF CHL({'A' * 21}) CHLTYPE(SVRCONN)", "the name has 21 characters"),
        ("DEF QL('A B')", "' ' is not allowed in a name"),
        ("DEL QL(A*)", "'*' is not allowed in a name"),
        ("DEF CHL(A)", "DEFINE CHANNEL needs CHLTYPE"),
        ("ALT CHL(A) MAXMSGL(5)", "ALTER CHANNEL needs CHLTYPE"),
        ("DEF AUTHINFO(A)", "DEFINE AUTHINFO needs AUTHTYPE"),
        ("ALT AUTHINFO(A) CHCKCLNT(NONE)", "ALTER AUTHINFO needs AUTHTYPE"),
        ("DEF SUB(S) TOPICSTR('a')", "DEFINE SUB needs DEST, or DESTCLAS(MANAGED)"),
        ("DEF CHL(A) CHLTYPE(SDR) CONNAME(B)", "DEFINE CHANNEL CHLTYPE(SDR) needs XMITQ"),
        ("DEF CHL(A) CHLTYPE(SVR)", "DEFINE CHANNEL CHLTYPE(SVR) needs XMITQ"),
        ("DEF CHL(A) CHLTYPE(RQSTR)", "DEFINE CHANNEL CHLTYPE(RQSTR) needs CONNAME"),
        ("DEF CHL(A) CHLTYPE(CLUSSDR)", "DEFINE CHANNEL CHLTYPE(CLUSSDR) needs CONNAME"),
        ("DEF CHL(A) CHLTYPE(CLNTCONN)", "DEFINE CHANNEL CHLTYPE(CLNTCONN) needs CONNAME"),
        ("DEF AUTHINFO(A) AUTHTYPE(OCSP)", "DEFINE AUTHINFO AUTHTYPE(OCSP) needs OCSPURL"),
        (
            "ALT AUTHINFO(A) AUTHTYPE(IDPWOS) LDAPUSER('cn=a')",
            "LDAPUSER is not an attribute of AUTHTYPE(IDPWOS)",
        ),
        (
            "DEF CHL(A) CHLTYPE(RCVR) SSLPEER('CN=a,OX=b')",
            "SSLPEER: OX is not an attribute of a distinguished name",
        ),
        ("DEF CHL(A) CHLTYPE(SRVCONN)", None),
        ("DEF CHL(A) CHLTYPE(SVRCONN) TRPTYP(TCP)", "TRPTYP is not an attribute of a channel"),
        ("DEF CHL(A) CHLTYPE(SVRCONN) ZZZZ(B)", "ZZZZ is not an attribute of a channel"),
        ("DEF SERVICE(S) WHATEVER(1)", "WHATEVER is not an attribute of a service"),
        ("DEF PSID(1) BUFPOOL(1)", "BUFPOOL is not an attribute of PSID"),
        ("DEL QL(A) PURG", "PURG is not a parameter of DELETE QLOCAL"),
        ("DEF TOPIC(A)", "DEFINE TOPIC needs TOPICSTR"),
        ("DEF SUB(A) DEST(Q)", "DEFINE SUB needs a topic"),
        (
            "SET AUTHREC OBJTYPE(QUEUE) PROFILE(A) AUTHADD(GET)",
            "SET AUTHREC names no user or group",
        ),
        ("SET AUTHREC OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET)", "SET AUTHREC needs PROFILE"),
        ("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) GROUP('g') AUTHADD(GETT)", None),
        ("SET CHLAUTH('A') TYPE(BLOCKUSER)", "TYPE(BLOCKUSER) needs USERLIST"),
        (
            "SET CHLAUTH('A') TYPE(BLOCKADDR) ADDRLIST('*')",
            "TYPE(BLOCKADDR) takes the profile '*' only",
        ),
        (
            "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('*') CHCKCLNT(NONE)",
            "CHCKCLNT(NONE): allowed REQDADM, REQUIRED, ASQMGR",
        ),
        (
            "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) MCAUSER('a')",
            "USERSRC(CHANNEL) takes no MCAUSER",
        ),
    ],
)
def test_what_the_queue_manager_refuses_is_an_error(text: str, message: str | None) -> None:
    ((severity, reported),) = findings(text)
    assert severity == "error"
    if message is not None:
        assert reported == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('10.2-256.*') USERSRC(CHANNEL)",
            "256 is above",
        ),
        ("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.1.*','300.1.1.1')", "300 is above 255"),
        (
            "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) CHCKCLNT(REQUIRED)",
            "USERSRC(NOACCESS) blocks the client",
        ),
        ("DEF AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('h')", "AUTHTYPE(IDPWLDAP) needs SHORTUSR"),
    ],
)
def test_what_is_taken_and_does_not_do_what_is_meant_is_a_warning(text: str, message: str) -> None:
    ((severity, reported),) = findings(text)
    assert severity == "warning"
    assert message in reported


def test_a_name_that_the_queue_manager_checks_later_is_a_warning() -> None:
    text = "DEF CHL(A) CHLTYPE(RCVR) SSLPEER('CN=a,OX=b')"
    assert [severity for severity, _ in findings(text, "dist")] == ["error"]
    assert [severity for severity, _ in findings(text, "zos")] == ["warning"]


@pytest.mark.parametrize(
    "text",
    [
        "DEF CHL(A) CHLTYPE(RCVR) SSLPEER('CN=\"a, b=c\"; ou=x, USERID=y,DC=*')",
        "DEF CHL(A) CHLTYPE(RCVR) SSLPEER(' ')",
        "SET CHLAUTH('A') TYPE(SSLPEERMAP) SSLPEER('*') USERSRC(CHANNEL) SSLCERTI('CN=$CA')",
        "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('10.2-255.*') USERSRC(CHANNEL)",
        "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('host300.example') USERSRC(CHANNEL)",
        "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('fe80:300::*') USERSRC(MAP) MCAUSER('a')",
        "SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) MCAUSER(' ')",
        "DEF AUTHINFO(A) AUTHTYPE(OCSP) LIKE(B)",
        "ALT AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPUSER('cn=a')",
    ],
)
def test_the_nearest_commands_to_a_wrong_one_are_left_alone(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DIS QL(A) ZZZZ", "ZZZZ is not known here"),
        ("SET AUTHREC PROFILE('**') OBJTYPE(QMGR) GROUP('g') AUTHADD(ALL)", None),
    ],
)
def test_what_may_be_right_is_a_note(text: str, message: str | None) -> None:
    ((severity, reported),) = findings(text)
    assert severity == "note"
    if message is not None:
        assert reported == message


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("DEF QL(A) INDXTYPE(MSGID)", "zos", "dist"),
        ("DEF QL(A) STGCLASS(FAST)", "zos", "dist"),
        ("DEF QL(A) MAXFSIZE(100)", "dist", "zos"),
        ("ALTER QMGR EXPRYINT(300)", "zos", "dist"),
        ("DISPLAY CHINIT", "zos", "dist"),
        ("DEF LISTENER(L) TRPTYPE(TCP)", "dist", "zos"),
        ("DEF QL(A) CMDSCOPE(' ')", "zos", "dist"),
        ("REFRESH SECURITY TYPE(CLASSES)", "zos", "dist"),
        ("REFRESH SECURITY(MQADMIN)", "zos", "dist"),
        ("REFRESH SECURITY TYPE(AUTHSERV)", "dist", "zos"),
        ("STOP CHANNEL(C) MODE(TERMINATE)", "dist", "zos"),
    ],
)
def test_what_one_platform_lacks_is_an_error_there_only(
    text: str, good: Literal["dist", "zos"], bad: Literal["dist", "zos"]
) -> None:
    assert findings(text, good) == []
    assert findings(text) == []
    ((severity, _),) = findings(text, bad)
    assert severity == "error"


def test_boqueue_is_mended_to_boqname() -> None:
    (command,) = parse("DEF QL(A) BOQUEUE(B)").commands
    (diagnostic,) = validate(command)
    assert (diagnostic.column, diagnostic.expected) == (11, "BOQNAME")


def test_text_beyond_column_72_is_a_note_on_zos_only() -> None:
    text = "DEF QL(A) +\n" + " " * 70 + "PUT(DISABLED)"
    assert findings(text, "dist") == []
    (command,) = parse(text).commands
    (diagnostic,) = validate(command, "zos")
    assert (diagnostic.severity, diagnostic.line, diagnostic.column) == (
        DiagnosticSeverity.NOTE,
        2,
        73,
    )


def test_a_finding_stands_at_its_parameter() -> None:
    (command,) = parse("DEF QL(A) +\n   PUT(ENABLED) +\n   GET(OFF)").commands
    (diagnostic,) = validate(command)
    assert (diagnostic.line, diagnostic.column) == (3, 4)


def test_a_command_of_wrong_form_is_told_once() -> None:
    script = parse("DEF QL(A) MAXDEPTH(x\nDEF QL(B) MAXDEPTH(x)\n", file="f")
    assert [(d.line, d.file) for d in check_script(script)] == [(1, "f"), (2, "f")]


def test_the_word_that_was_meant_is_the_one_that_difflib_finds() -> None:
    known = [entry.keyword for entry in attributes_of("QLOCAL")]
    for keyword in known:
        for word in (keyword[1:], keyword[::-1], f"{keyword}S", f"X{keyword}", f"NO{keyword}", ""):
            expected = next(iter(get_close_matches(word, known, 1, 0.8)), "")
            assert close_word(word, known) == expected, word


def test_a_word_with_two_letters_swapped_is_the_word_that_was_meant() -> None:
    ports = [entry.keyword for entry in attributes_of("LISTENER")]
    assert close_word("PROT", ports) == "PORT"
    assert close_word("DECSR", ports) == "DESCR"
    assert close_word("P", ports) == ""


def test_the_cipherspec_that_is_suggested_has_the_same_key_length() -> None:
    for wrong, meant in (
        ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384"),
        ("SSL_RSA_WITH_AES_128_CBC_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256"),
        ("ECDHE_RSA_AES_256_GCM_SHA256", "ECDHE_RSA_AES_256_GCM_SHA384"),
        ("ECDHE_RSA_AES_128_GCM_SHA384", "ECDHE_RSA_AES_128_GCM_SHA256"),
        ("SOMETHING", ""),
    ):
        script = parse(f"DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SSLCIPH({wrong})")
        (finding,) = check_script(script)
        assert finding.expected == meant, wrong


def test_never_is_suggested_for_telemetry_channels_only() -> None:
    for kind, words in (("SVRCONN", "REQUIRED, OPTIONAL"), ("MQTT", "REQUIRED, OPTIONAL, NEVER")):
        script = parse(f"DEFINE CHANNEL(C) CHLTYPE({kind}) SSLCAUTH(YES)")
        (finding,) = check_script(script)
        assert finding.message == f"SSLCAUTH(YES): allowed {words}"


def test_a_name_without_parentheses_and_one_too_many_are_said_to_be_so() -> None:
    for text, message, expected in (
        ("DEFINE QLOCAL A.B MAXDEPTH(1)", "the name A.B needs parentheses", "QLOCAL(A.B)"),
        ("DEFINE QLOCAL AB +\n MAXDEPTH(1)", "the name AB needs parentheses", "QLOCAL(AB)"),
        ("DEFINE QLOCAL REPLACE", "DEFINE QLOCAL has no name", "QLOCAL(name)"),
        ("ALTER QMGR(QM1) MAXHANDS(5)", "ALTER QMGR takes no name", "ALTER QMGR"),
        ("ALTER QMGR('QM1') +\n MAXHANDS(5)", "ALTER QMGR takes no name", "ALTER QMGR"),
    ):
        (finding,) = check_script(parse(text))
        assert (finding.message, finding.expected) == (message, expected), text


def test_a_parameter_of_a_command_has_the_words_of_its_page() -> None:
    for good, bad in (
        ("REFRESH SECURITY TYPE(SSL)", "REFRESH SECURITY TYPE(SLS)"),
        ("REFRESH SECURITY(*) TYPE(connauth)", "REFRESH SECURITY(*) TYPE(AUTH)"),
        ("STOP CHANNEL(C) MODE(FORCE) STATUS(INACTIVE)", "STOP CHANNEL(C) STATUS(RUNNING)"),
        ("RESOLVE CHANNEL(C) ACTION(COMMIT)", "RESOLVE CHANNEL(C) ACTION(ROLLBACK)"),
        ("REFRESH CLUSTER(C) REPOS(YES)", "REFRESH CLUSTER(C) REPOS(Y)"),
        ("RESET QMGR TYPE(STATISTICS)", "RESET QMGR TYPE(STATS)"),
        ("STOP CHANNEL(C) MODE('{{ mode }}')", "STOP CHANNEL(C) MODE(NOW)"),
    ):
        assert findings(good) == [], good
        ((severity, message),) = findings(bad)
        assert severity == "error" and "no such value" in message, bad


def test_a_cluster_command_has_what_it_cannot_do_without() -> None:
    for text, messages in (
        ("SUSPEND QMGR", ["SUSPEND QMGR needs CLUSTER or CLUSNL"]),
        ("RESUME QMGR", ["RESUME QMGR needs CLUSTER or CLUSNL"]),
        ("SUSPEND QMGR CLUSTER(C) CLUSNL(N)", ["CLUSTER and CLUSNL exclude each other"]),
        ("RESUME QMGR CLUSTER(C) CLUSNL(N)", ["CLUSTER and CLUSNL exclude each other"]),
        ("RESET CLUSTER(C) QMNAME(Q)", ["RESET CLUSTER needs ACTION"]),
        ("RESET CLUSTER(C) ACTION(FORCEREMOVE)", ["RESET CLUSTER needs QMNAME or QMID"]),
        (
            "RESET CLUSTER(C) ACTION(FORCEREMOVE) QMNAME(Q) QMID(I)",
            ["QMNAME and QMID exclude each other"],
        ),
        ("SUSPEND QMGR CLUSTER(C) MODE(FORCE)", []),
        ("RESUME QMGR CLUSNL(N)", []),
        ("RESET CLUSTER(C) ACTION(FORCEREMOVE) QMID(I) QUEUES(YES)", []),
        ("DISPLAY CLUSQMGR(*) CHANNEL CONNAME SUSPEND WHERE(QMTYPE EQ REPOS)", []),
        ("DISPLAY CLUSQMGR(*) SHARECNV", ["SHARECNV is not a parameter of DISPLAY CLUSQMGR"]),
    ):
        assert [message for _, message in findings(text)] == messages, text
    assert findings("SUSPEND QMGR FACILITY(DB2)", "zos") == []
    ((_, message),) = findings("SUSPEND QMGR FACILITY(DB2)", "dist")
    assert message == "FACILITY(DB2) is known on z/OS only"
    for text in ("REFRESH CLUSTER", "RESET CLUSTER ACTION(FORCEREMOVE) QMNAME(Q)"):
        (finding,) = check_script(parse(text))
        assert finding.message.endswith("CLUSTER has no name"), text


def test_an_attribute_of_another_channel_type_is_refused() -> None:
    for text, wrong in (
        ("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) XMITQ(Q) MAXINST(3) CONNAME(h)", ["XMITQ", "CONNAME"]),
        ("ALTER CHANNEL(C) CHLTYPE(SDR) SHARECNV(2) BATCHSZ(3)", ["SHARECNV"]),
        ("ALTER CHANNEL(C) CHLTYPE('{{ type }}') SHARECNV(2) BATCHSZ(3)", []),
        ("DISPLAY CHANNEL(C) CHLTYPE(SVRCONN) XMITQ", []),
    ):
        (command,) = parse(text).commands
        assert [d.message.split()[0] for d in wrong_channel_type(command)] == wrong, text
        assert bool(first_error(command)) == bool(wrong), text
