"""A hundred faults to plant into the estates of `tests/support/bank_estates.py`.

Each is what a person gets wrong in one place: a text that is replaced, or commands that are added
at the end of the script ("" replaced).
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """One fault.

    Attributes:
        old: replaced where it first occurs; "" adds *new* as commands of its own.
        name: of the object that is to be named.
        code: of the rule that is expected to see it.
        brings: codes of further errors that rightly follow from it.
    """

    style: str
    old: str
    new: str
    name: str
    code: str
    brings: tuple[str, ...] = ()


P, L, T, H, M = "PAYMENTS", "LEGACY", "TEAMS", "HOST", "MARKET"
SVRCONN = "DEFINE CHANNEL(EXTRA) CHLTYPE(SVRCONN) "
DENY = "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)"
CARD = "SET CHLAUTH('CARD.APP') TYPE(SSLPEERMAP) SSLPEER('CN=card,O=Bank') +\n   USERSRC(MAP)"
SEPA = "RNAME('CLEARING.IN') +\n   RQMNAME('CLEAR') +\n   XMITQ('CLEAR')"
CLEAR = "CHLTYPE(SDR) +\n   TRPTYPE(TCP) +\n   XMITQ('CLEAR')"
RATES = "CLUSRCVR) Cluster(MARKET)"

FAULTS = (
    # security
    Fault(P, "CHLAUTH(ENABLED)", "CHLAUTH(DISABLED)", "", "SEC001"),
    Fault(L, "chlauth(enabled)", "chlauth(disabled)", "", "SEC001"),
    Fault(P, "MCAUSER('card')", "MCAUSER('mqm')", "CARD.APP", "SEC002"),
    Fault(M, "MCAUser('desk3')", "MCAUser('QMQM')", "EQUITY.DESK", "SEC002"),
    Fault(T, "", SVRCONN + "SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)", "EXTRA", "SEC003"),
    Fault(P, "CONNAUTH('PAY.CONNAUTH')", "CONNAUTH(' ')", "", "SEC004"),
    Fault(L, "connauth(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)", "connauth('')", "", "SEC004"),
    Fault(P, "CONNAUTH('PAY.CONNAUTH')", "CONNAUTH('PAY.CONAUTH')", "", "SEC005"),
    Fault(T, "CONNAUTH(SHARED.USERS)", "CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.OCSP)", "", "SEC005"),
    Fault(P, "CHCKCLNT(REQUIRED)", "CHCKCLNT(NONE)", "PAY.CONNAUTH", "SEC006"),
    Fault(T, "CHCKCLNT(REQDADM)", "CHCKCLNT(NONE)", "SHARED.USERS", "SEC006"),
    Fault(P, DENY, DENY.replace("NOACCESS", "CHANNEL"), "*", "SEC007"),
    Fault(P, "", "SET CHLAUTH('CARD.*') TYPE(USERMAP) CLNTUSER('*') USERSRC(CHANNEL)", "CARD.*",
          "SEC007"),
    Fault(L, "userlist('nobody','*MQADMIN')", "userlist('nobody','*MQADMIN') warn(yes)", "*",
          "SEC008"),
    Fault(P, DENY, DENY.replace("USERSRC", "WARN(YES) USERSRC"), "*", "SEC008"),
    Fault(L, "'nobody','*MQADMIN'", "'nobody'", "*", "SEC009"),
    Fault(M, "", "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REMOVE)", "*",
          "SEC009"),
    Fault(T, "", SVRCONN + "MCAUSER('x') SSLPEER('CN=app')", "EXTRA", "SEC010"),
    Fault(T, "", SVRCONN + "MCAUSER('x') SSLPEER('CN=a') SSLCAUTH(OPTIONAL) +\n"
          "  SSLCIPH(ANY_TLS12_OR_HIGHER)", "EXTRA", "SEC011"),
    Fault(P, "SSLCAUTH(REQUIRED)", "SSLCAUTH(OPTIONAL)", "CARD.APP", "SEC011"),
    Fault(L, "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "GW.HOSTA", "SEC012"),
    Fault(P, "'ANY_TLS12_OR_HIGHER'", "'RC4_MD5_US'", "CARD.APP", "SEC012"),
    Fault(P, "'ANY_TLS12_OR_HIGHER'", "'TLS_RSA_WITH_NULL_SHA256'", "CARD.APP", "SEC012"),
    Fault(P, "'ANY_TLS12_OR_HIGHER'", "'ANY_TLS12_OR_HIGER'", "CARD.APP", "MQSC002"),
    Fault(L, "ECDHE_RSA_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA348", "GW.HOSTA", "MQSC002"),
    Fault(L, "", "alt qmgr sslfips(yes)\ndef chl(X) chltype(rcvr) mcauser('x') +\n"
          "  sslciph(TLS_CHACHA20_POLY1305_SHA256)", "X", "SEC013"),
    Fault(P, "", "DEFINE CHANNEL(SYSTEM.ADMIN.SVRCONN) CHLTYPE(SVRCONN)", "SYSTEM.ADMIN.SVRCONN",
          "SEC014"),
    Fault(P, "AUTHADD(BROWSE,GET,INQ,PUT,PASSALL)", "AUTHADD(ALL)", "PAY.CARD.IN", "SEC015"),
    Fault(P, "AUTHADD(CONNECT,INQ)", "AUTHADD(ALLADM)", "QMGR", "SEC015"),
    Fault(T, "AUTHADD(PUT,GET,BROWSE,INQ,DSP)", "AUTHADD(SETALL,PUT)", "BLUE.**", "SEC015"),
    Fault(T, "AUTHADD(CONNECT,INQ,DSP)", "AUTHADD(CONNECT,PUT)", "", "MQSC002"),
    Fault(M, "Authadd(Pub,Sub)", "Authadd(Pub,Browse)", "", "MQSC002"),
    Fault(T, "", "DEFINE AUTHINFO(X) AUTHTYPE(IDPWLDAP) CONNAME('ldap') SHORTUSR(uid) +\n"
          "  LDAPUSER('cn=mq') LDAPPWD('Secret1')", "X", "SEC016"),
    Fault(P, "CERTLABL('payments')", "KEYRPWD('Secret1')", "", "SEC016"),
    # triggers
    Fault(L, "initq(GW.INIT)", "initq(GW.JOB01.IN)", "GW.JOB01.IN", "TRG001"),
    Fault(L, "initq(GW.INIT)", "initq(HOSTA)", "GW.JOB01.IN", "TRG001"),
    Fault(L, "trigtype(first)", "trigtype(none)", "GW.JOB01.IN", "TRG002"),
    Fault(L, "trigtype(first)", "trigtype(depth) trigdpth(20001)", "GW.JOB01.IN", "TRG002"),
    Fault(L, "process(GW.JOB01) bothresh", "bothresh", "GW.JOB01.IN", "TRG003"),
    Fault(P, "TRIGTYPE(FIRST)", "TRIGTYPE(EVERY)", "CLEAR", "TRG004"),
    Fault(L, "def ql(GW.INIT)", "def ql(GW.INIT) trigger initq(GW.DLQ) process(GW.JOB01)",
          "GW.JOB01.IN", "TRG005"),
    Fault(L, "process(GW.JOB07) bothresh", "process(GW.JOB70) bothresh", "GW.JOB07.IN", "REF003"),
    Fault(L, "initq(GW.INIT)", "initq(GW.INITQ)", "GW.JOB01.IN", "REF002"),
    Fault(L, "initq(GW.INIT) +\n    process(GW.JOB01)", "process(GW.JOB01) +\n   ", "GW.JOB01.IN",
          "QUE007"),
    # sizes
    Fault(P, "MAXMSGL(4198400)", "MAXMSGL(1000000)", "PAY.CARD.BO", "BKO005"),
    Fault(L, "boqname(GW.JOB05.BO)\ndef ql(GW.JOB05.BO) maxdepth(20000)",
          "boqname(GW.JOB05.BO)\ndef ql(GW.JOB05.BO) maxdepth(100)", "GW.JOB05.BO", "BKO006"),
    Fault(P, "CONNAME('clear.bank.example(1414)') +\n   MAXMSGL(4198400)",
          "CONNAME('clear.bank.example(1414)') +\n   MAXMSGL(65536)", "PAY.CLEAR", "CHL008"),
    Fault(P, "ALTER QLOCAL('SYSTEM.DEAD.LETTER.QUEUE') MAXDEPTH(200000) MAXMSGL(8388608)",
          "ALTER QLOCAL('SYSTEM.DEAD.LETTER.QUEUE') MAXDEPTH(200000) MAXMSGL(1000)",
          "SYSTEM.DEAD.LETTER.QUEUE", "DLQ002"),
    Fault(L, "def ql(GW.DLQ) maxdepth(500000)", "def ql(GW.DLQ) maxdepth(5000)", "GW.DLQ",
          "DLQ003"),
    Fault(P, "MAXMSGL(8388608)", "MAXMSGL(4194304)", "PAY.CARD.BO", "QUE005"),
    Fault(P, "QDEPTHHI(80)", "QDEPTHHI(10)", "PAY.CARD.IN", "QUE006"),
    Fault(T, "STRMQOS(BESTEF)", "STRMQOS(MUSTDUP)\nALTER QLOCAL(BLUE.AUDIT) MAXDEPTH(100)",
          "BLUE.AUDIT", "QUE004"),
    Fault(P, "MAXDEPTH(50000)", "MAXDEPTH(999999999) MAXFSIZE(1000)", "PAY.CARD.IN", "QUE001"),
    # references
    Fault(P, "BOQNAME('PAY.CARD.BO')", "BOQNAME('PAY.CARDS.BO')", "PAY.CARD.IN", "BKO003"),
    Fault(T, "BOQNAME(GREEN.BACKOUT)", "BOQNAME(GREEN.BACKOUTS)", "GREEN.WORK", "BKO003"),
    Fault(P, "TARGET('PAY.SEPA.IN')", "TARGET('PAY.SEPA.INN')", "SEPA.ORDERS", "QUE003"),
    Fault(M, "Target(BONDS.QUOTES)", "Target(BOND.QUOTES)", "BONDS.PUBLISH", "QUE003"),
    Fault(P, SEPA, SEPA.replace("XMITQ('CLEAR')", "XMITQ('CLAER')"), "CARD.CLEARING", "REF001"),
    Fault(P, CLEAR, CLEAR.replace("XMITQ('CLEAR')", "XMITQ('CLAER')"), "PAY.CLEAR", "CHL001"),
    Fault(P, "DEADQ('SYSTEM.DEAD.LETTER.QUEUE')", "DEADQ('PAY.DLQ')", "", "DLQ001"),
    Fault(L, "deadq(GW.DLQ)", "deadq(' ')", "", "DLQ001"),
    Fault(T, "STREAMQ(RED.AUDIT)", "STREAMQ(RED.AUDITS)", "RED.WORK", "REF004"),
    Fault(L, "", "def sub(S) topicstr('jobs') dest(GW.JOBS)", "S", "REF005"),
    Fault(L, "", "def sub(S) topicobj(JOBS) dest(GW.JOB01.IN)", "S", "REF006"),
    Fault(M, RATES, "CLUSRCVR) Cluster(MARKETS)", "FX.FEED", "REF007"),
    Fault(M, "Cluster(MARKET) DefBind(NotFixed)", "ClusNL(MARKETS) DefBind(NotFixed)", "FX.FEED",
          "REF008"),
    Fault(P, "PROFILE('PAY.SWIFT.IN')", "PROFILE('PAY.SWFIT.IN')", "PAY.SWFIT.IN", "REF009"),
    Fault(M, "DurSub(Yes)", "DurSub(Yes) MDurMdl(FX.MODEL)", "FX.QUOTES", "REF010"),
    Fault(T, "LIKE(TEMPLATE.WORK) BOQNAME(PINK", "LIKE(TEMPLATE.WROK) BOQNAME(PINK", "PINK.WORK",
          "REF013"),
    Fault(M, "DurSub(Yes)", "DurSub(No)", "FX.HISTORY", "REF014"),
    Fault(T, "NAMES(BLUE.WORK, BLUE.AUDIT)", "NAMES(BLUE.WORK, BLUE.AUDITS)", "BLUE.QUEUES",
          "REF015"),
    Fault(H, "STGCLASS(BACKCLS) +", "STGCLASS(BACKCLS2) +", "HOST.APPL01.BO", "REF016"),
    Fault(H, "CFSTRUCT(APPL1) +", "CFSTRUCT(APPL2) +", "HOST.APPL01.SHARED", "REF016"),
    Fault(P, "TRIGDATA('PAY.CLEAR')", "TRIGDATA('PAY.CLAER')", "CLEAR", "CHL003"),
    Fault(P, "SET CHLAUTH('SEPA.APP')", "SET CHLAUTH('SEPAA.APP')", "SEPAA.APP", "CHL005"),
    # channels, and queues that cannot do what they are for
    Fault(P, "", "DEFINE LISTENER(SECOND) TRPTYPE(TCP) PORT(1421) CONTROL(QMGR)", "SECOND",
          "CHL004"),
    Fault(P, "", "DEFINE CHANNEL(AGAIN) CHLTYPE(SDR) CONNAME('h') XMITQ(CLEAR)", "AGAIN", "CHL009"),
    Fault(L, "chltype(sdr) conname('hosta.example(1414)')",
          "conname('hosta.example(1414)') chltype(sdr)", "GW.HOSTA", "CHL010"),
    Fault(L, "", "alt chl(GW.HOSTA) descr('to host A')", "GW.HOSTA", "MQSC002"),
    Fault(P, "USAGE(XMITQ)", "USAGE(NORMAL)", "CARD.CLEARING", "QUE009"),
    Fault(P, "USAGE(XMITQ) +\n   TRIGGER", "USAGE(XMITQ) +\n   NOTRIGGER", "CLEAR", "CHL002"),
    Fault(T, "STREAMQ(RED.AUDIT)", "STREAMQ(RED.WORK)", "RED.WORK", "QUE011"),
    Fault(H, "QSGDISP(SHARED) +\n       CFSTRUCT(APPL1)", "QSGDISP(SHARED)", "HOST.APPL01.SHARED",
          "QUE012"),
    Fault(P, "", "DEFINE QLOCAL('PAY.CARD.BO')", "PAY.CARD.BO", "QUE002"),
    Fault(T, "", "DELETE QLOCAL(PINK.AUDIT)\nALTER QLOCAL(PINK.AUDIT) MAXDEPTH(10)", "PINK.AUDIT",
          "QUE010"),
    Fault(P, "", "ALTER QLOCAL(PAY.CARD.BO) PUT(DISABLED)", "PAY.CARD.BO", "BKO004"),
    Fault(P, "", "ALTER QLOCAL(PAY.CARD.BO) GET(DISABLED)", "PAY.CARD.BO", "BKO023"),
    Fault(L, "bothresh(3) boqname(GW.JOB01.BO)", "boqname(GW.JOB01.BO)", "GW.JOB01.IN", "BKO002"),
    Fault(L, "bothresh(3) boqname(GW.JOB01.BO)", "bothresh(3)", "GW.JOB01.IN", "BKO001"),
    Fault(L, "boqname(GW.JOB01.BO)", "boqname(GW.JOB01.IN)", "GW.JOB01.IN", "BKO007"),
    Fault(L, "boqname(GW.JOB01.BO)", "boqname(HOSTA)", "HOSTA", "BKO022"),
    Fault(P, "BOTHRESH(5)", "BOTHRESH(5000)", "PAY.CARD.IN", "BKO012"),
    Fault(L, "deadq(GW.DLQ)", "deadq(GW.JOB01)", "", "DLQ004"),
    Fault(L, "", "alt ql(GW.DLQ) put(disabled)", "GW.DLQ", "DLQ005"),
    Fault(P, "", "ALTER QALIAS(CARD.ORDERS) BOTHRESH(3)", "CARD.ORDERS", "BKO018"),
    # spelling
    Fault(P, "MAXDEPTH(50000)", "MAXDEPHT(50000)", "PAY.CARD.IN", "MQSC002"),
    Fault(P, "DEFPSIST(YES)", "DEFPSIST(JA)", "PAY.CARD.IN", "MQSC002"),
    Fault(L, "def qa(GW.JOB01)", "def qals(GW.JOB01)", "", "MQSC001"),
    Fault(T, "NAMES(BLUE.WORK, BLUE.AUDIT)", "NAMES(BLUE.WORK, BLUE.AUDIT", "", "MQSC001"),
    Fault(T, "DEFTYPE(TEMPDYN) MAXDEPTH(1000)", "DEFTYPE(TEMPDYN) MAXDEPTH(1e3)",
          "BLUE.REPLY.MODEL", "MQSC002"),
    Fault(L, "alt authinfo(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) authtype(IDPWOS)",
          "alt authinfo(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
          "MQSC002"),
    # what the first hundred did not have
    Fault(P, "", "SET CHLAUTH('CARD.APP') TYPE(BLOCKUSER) USERLIST('*MQADMINS')", "CARD.APP",
          "SEC009"),
    Fault(T, "", "SET AUTHREC PROFILE(SYSTEM.ADMIN.COMMAND.QUEUE) OBJTYPE(QUEUE) +\n"
          "  GROUP('nobody') AUTHADD(PUT)", "SYSTEM.ADMIN.COMMAND.QUEUE", "SEC015"),
    Fault(P, "MCAUSER('card')", "MCAUSER('cardserviceaccount')", "CARD.APP", "SEC020"),
    Fault(L, "initq(GW.INIT)", "initq(SYSTEM.CHANNEL.INITQ)", "GW.JOB01.IN", "TRG008"),
    Fault(P, "INITQ('SYSTEM.CHANNEL.INITQ')", "INITQ('SYSTEM.DEFAULT.INITIATION.QUEUE')", "CLEAR",
          "TRG008"),
    Fault(L, "", "def ql(GW.HOLD) maxdepth(0)", "GW.HOLD", "QUE018"),
    Fault(T, "", "DEFINE QLOCAL(PURPLE.IN) QSVCIEV(HIGH)", "PURPLE.IN", "QUE019"),
    Fault(P, "", "DEFINE QLOCAL('SYSTEM.DDELAY.LOCALQUEUE') MSGDLVSQ(FIFO)",
          "SYSTEM.DDELAY.LOCALQUEUE", "QUE017"),
    Fault(P, "", "DEFINE CHANNEL('CARD.APP') CHLTYPE(CLNTCONN) CONNAME('h') SSLCIPH(' ')",
          "CARD.APP", "CHL016"),
    Fault(M, "", "DEFINE CHANNEL(MARKET.X) CHLTYPE(CLUSRCVR) CONNAME('x(1414)') CLUSTER(MARKET)\n"
          "DEFINE CHANNEL(MARKET.Y) CHLTYPE(CLUSSDR) CONNAME('X') CLUSTER(MARKET)", "MARKET.Y",
          "CHL017"),
    Fault(P, "", "ALTER QMGR REPOS(WHOLESALE)", "", "REF007"),
    Fault(L, "", "alt ql(GW.JOB01.IN) get(disabled)", "GW.JOB01.IN", "TRG009"),
    Fault(P, "", "ALTER QLOCAL('CLEAR') GET(DISABLED)", "CLEAR", "CHL018"),
    Fault(M, "", "DEFINE CHANNEL(M.X) CHLTYPE(CLUSRCVR) CONNAME('localhost') CLUSTER(MARKET)\n"
          "DEFINE CHANNEL(M.Y) CHLTYPE(CLUSSDR) CONNAME('other(1414)') CLUSTER(MARKET)", "M.X",
          "CHL019"),
    Fault(P, "", "DEFINE TOPIC('PAY.ALL') TOPICSTR('PAY/#')", "PAY.ALL", "QUE020"),
    Fault(L, "", "def sub(S) topicstr('jobs/#') wschema(char) dest(GW.JOB01.BO)", "S", "QUE021"),
    Fault(P, "", "DEFINE QLOCAL('PAY-NOTES')", "PAY-NOTES", "MQSC002"),
    Fault(P, "", "DEFINE QLOCAL('PAY.NOTES') MAXDEPTH(1000000000)", "PAY.NOTES", "MQSC002"),
    Fault(P, "", "DEFINE QLOCAL('PAY.NOTES') CLCHNAME('A.*')", "PAY.NOTES", "QUE015"),
    Fault(P, "BOQNAME('PAY.CARD.BO')", "BOQNAME('CLEAR')", "CLEAR", "BKO022"),
    Fault(P, "DEADQ('SYSTEM.DEAD.LETTER.QUEUE')", "DEADQ('CLEAR')", "CLEAR", "DLQ008"),
    Fault(P, "XMITQ('CLEAR')", "XMITQ('PAY.CARD.BO')", "", "QUE009"),
    Fault(L, "", "def ql(GW.COPY) put(disabled)\ndef sub(S) topicstr('jobs') dest(GW.COPY)", "S",
          "REF005"),
)  # fmt: skip
