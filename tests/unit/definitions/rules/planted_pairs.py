"""Faults of one command each, and beside each the command that its writer meant.

Somebody wrote them by IBM's pages, not by the rules, and lint did not find them.
"""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """A fault, and its nearest good neighbour.

    Attributes:
        code: of the rule that is to find *bad*, and says nothing of *good*.
        whole: the script is all that the queue manager has.
    """

    code: str
    bad: str
    good: str
    whole: bool = False


MAP = "SET CHLAUTH('CLAIMS.APP') TYPE(ADDRESSMAP) ADDRESS('{}') {}"
DIRECTORY = "DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) CONNAME('ldap(636)') SECCOMM(YES) "
PEER = "DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCIPH(ANY_TLS12_OR_HIGHER) MCAUSER('c') SSLPEER('{}')"
REVOKED = (
    "DEFINE AUTHINFO(CRL1) AUTHTYPE(CRLLDAP) CONNAME('crl1(389)')\n"
    "DEFINE NAMELIST(CRL.LIST) NAMES({})\nALTER QMGR SSLCRLNL(CRL.LIST)"
)
TRIGGERED = (
    "DEFINE QLOCAL(INITQ)\nDEFINE QALIAS(INITQ.A) TARGET(INITQ)\n"
    "DEFINE PROCESS(P) APPLICID('/run')\n"
    "DEFINE QLOCAL(WEEK) TRIGGER TRIGTYPE(FIRST) INITQ({}) PROCESS(P)"
)
SENDER = "DEFINE CHANNEL(S) CHLTYPE(SDR) XMITQ(X) CONNAME('{}')"

PAIRS = (
    Pair(
        "MQSC002",
        MAP.format("10.20.30.*", "USERSRC(MAP) MCAUSER('c') CHCKCLNT(NONE)"),
        MAP.format("10.20.30.*", "USERSRC(MAP) MCAUSER('c') CHCKCLNT(ASQMGR)"),
    ),
    Pair(
        "MQSC003",
        MAP.format("10.99.*", "USERSRC(NOACCESS) CHCKCLNT(REQUIRED)"),
        MAP.format("10.99.*", "USERSRC(CHANNEL) CHCKCLNT(REQUIRED)"),
    ),
    Pair(
        "MQSC002",
        "SET CHLAUTH('C') TYPE(USERMAP) CLNTUSER('guest') USERSRC(NOACCESS) MCAUSER('guest')",
        "SET CHLAUTH('C') TYPE(USERMAP) CLNTUSER('guest') USERSRC(MAP) MCAUSER('guest')",
    ),
    Pair("MQSC002", PEER.format("CM=CUST01,O=X,C=FR"), PEER.format("CN=CUST01,O=X,C=FR")),
    Pair(
        "MQSC003",
        MAP.format("10.20.300.*", "USERSRC(MAP) MCAUSER('claims')"),
        MAP.format("10.20.30.*", "USERSRC(MAP) MCAUSER('claims')"),
    ),
    Pair(
        "MQSC002",
        "DEFINE AUTHINFO(OS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) LDAPUSER('cn=mq')",
        "DEFINE AUTHINFO(OS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES)",
    ),
    Pair(
        "MQSC002",
        "DEFINE AUTHINFO(O) AUTHTYPE(OCSP) DESCR('Responder')",
        "DEFINE AUTHINFO(O) AUTHTYPE(OCSP) OCSPURL('http://ocsp.example.net')",
    ),
    Pair("MQSC003", DIRECTORY + "BASEDNU('ou=p')", DIRECTORY + "BASEDNU('ou=p') SHORTUSR(uid)"),
    Pair(
        "MQSC002",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) QMNAME(QM1) SSLCIPH(ANY_TLS12_OR_HIGHER)",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) QMNAME(QM1) CONNAME('h(1414)')",
    ),
    Pair(
        "MQSC003",
        "DEFINE QLOCAL(LAST)\nEND\nDEFINE QLOCAL(AFTER)",
        "DEFINE QLOCAL(LAST)\nDEFINE QLOCAL(AFTER)\nEND",
    ),
    Pair(
        "REF015",
        REVOKED.format("CRL1,CRL2"),
        REVOKED.format("CRL1"),
        whole=True,
    ),
    Pair(
        "QUE011",
        "DEFINE QLOCAL(BILL.IN) STREAMQ(SYSTEM.DEAD.LETTER.QUEUE)",
        "DEFINE QLOCAL(BILL.IN) STREAMQ(BILL.COPY)",
    ),
    Pair(
        "QUE011",
        "ALTER QLOCAL(SYSTEM.DDELAY.LOCAL.QUEUE) STREAMQ(DELAY.COPY)",
        "ALTER QLOCAL(SYSTEM.ADMIN.PERFM.EVENT) STREAMQ(EVENT.COPY)",
    ),
    Pair(
        "QUE011",
        "DEFINE QLOCAL(FEED) STREAMQ(DUP)\nDEFINE SUB(S) TOPICSTR('p') DEST(FEED)",
        "DEFINE QLOCAL(FEED) STREAMQ(DUP)\nDEFINE SUB(S) TOPICSTR('p') DEST(STORE)",
    ),
    Pair(
        "REF011",
        "DEFINE QREMOTE(YEAREND) RNAME(YEAREND.IN)",
        "DEFINE QREMOTE(YEAREND) RNAME(YEAREND.IN) RQMNAME(BANK01)",
    ),
    Pair("REF002", TRIGGERED.format("INITQ.A"), TRIGGERED.format("INITQ")),
    Pair(
        "QUE016",
        "ALTER QMGR PERFMEV(DISABLED)\nDEFINE QLOCAL(IN) QDEPTHHI(80) QDPHIEV(ENABLED)",
        "ALTER QMGR PERFMEV(DISABLED)\nDEFINE QLOCAL(IN) QDEPTHHI(80) QDPHIEV(DISABLED)",
    ),
    Pair(
        "EXP007",
        "DEFINE QLOCAL(OFFERS) CUSTOM('CAPEXPRY=600')",
        "DEFINE QLOCAL(OFFERS) CUSTOM('CAPEXPRY(600)')",
    ),
    Pair(
        "EXP007",
        "DEFINE QLOCAL(TICKER) CUSTOM('CAPEXPRY(0)')",
        "DEFINE QLOCAL(TICKER) CUSTOM('CAPEXPRY(NOLIMIT)')",
    ),
    Pair(
        "EXP007",
        "ALTER TOPIC(PRICES) CUSTOM('CAPEXPIRY(6000)')",
        "ALTER TOPIC(PRICES) CUSTOM('CAPEXPRY(6000)')",
    ),
    Pair("CHL013", SENDER.format("bank01(99999)"), SENDER.format("bank01(9999)")),
    Pair("CHL013", SENDER.format("carr6(1414"), SENDER.format("carr6(1414)")),
    Pair(
        "QUE010",
        "DEFINE CHANNEL(IN) CHLTYPE(RCVR)\nALTER CHANNEL(IN) CHLTYPE(SDR) DESCR('bank')",
        "DEFINE CHANNEL(IN) CHLTYPE(RCVR)\nALTER CHANNEL(IN) CHLTYPE(RCVR) DESCR('bank')",
    ),
    Pair(
        "QUE015",
        "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLUSTER(RETAIL) DEFPSIST(YES)",
        "DEFINE QLOCAL(XQ) USAGE(NORMAL) CLUSTER(RETAIL) DEFPSIST(YES)",
    ),
    Pair(
        "QUE015",
        "DEFINE QLOCAL(XQ) USAGE(NORMAL) CLCHNAME('RETAIL.*')",
        "DEFINE QLOCAL(XQ) USAGE(XMITQ) CLCHNAME('RETAIL.*')",
    ),
)
