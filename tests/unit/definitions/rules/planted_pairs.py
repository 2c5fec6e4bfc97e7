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
)
