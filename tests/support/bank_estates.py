"""Five queue managers of a bank without a fault, each in another style of writing MQSC.

`PAYMENTS` is laid out as dmpmqcfg does it, `LEGACY` in lower case and abbreviations, `TEAMS` by
LIKE and later ALTER, `HOST` as CSQUTIL of z/OS reads it, `MARKET` is a cluster member with topics.
All are whole: nothing that is not in them exists but what a queue manager comes with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final


def dumped(head: str, *parameters: str, last: str = "REPLACE") -> str:
    """One command, a parameter per line, as dmpmqcfg writes it."""
    return " +\n   ".join([head, *parameters, *([last] if last else [])])


def _payments() -> Iterator[str]:
    yield "* Payments, production. Owner: payments-platform"
    yield dumped(
        "ALTER QMGR", "DEADQ('SYSTEM.DEAD.LETTER.QUEUE')", "CHLAUTH(ENABLED)",
        "CONNAUTH('PAY.CONNAUTH')", "MAXMSGL(8388608)", "SSLKEYR('/var/mqm/pay/key')",
        "CERTLABL('payments')", "AUTHOREV(ENABLED)", "CHAD(DISABLED)", last="",
    )  # fmt: skip
    yield dumped(
        "DEFINE AUTHINFO('PAY.CONNAUTH')", "AUTHTYPE(IDPWOS)", "CHCKCLNT(REQUIRED)",
        "CHCKLOCL(OPTIONAL)", "ADOPTCTX(YES)", "FAILDLAY(1)",
    )  # fmt: skip
    yield "ALTER QLOCAL('SYSTEM.DEAD.LETTER.QUEUE') MAXDEPTH(200000) MAXMSGL(8388608)"
    yield dumped("DEFINE LISTENER('PAY.TCP')", "TRPTYPE(TCP)", "PORT(1421)", "CONTROL(QMGR)")
    yield "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)"
    for number, app in enumerate(("CARD", "SEPA", "SWIFT", "INSTANT", "REFUND", "LEDGER"), 1):
        low = app.lower()
        yield f"* {app}"
        yield dumped(
            f"DEFINE QLOCAL('PAY.{app}.IN')", f"DESCR('Orders of {low}, it''s persistent')",
            "DEFPSIST(YES)", "MAXDEPTH(50000)", "MAXMSGL(4194304)", "BOTHRESH(5)",
            f"BOQNAME('PAY.{app}.BO')", "SHARE", "QDEPTHHI(80)", "QDEPTHLO(20)",
        )  # fmt: skip
        yield dumped(
            f"DEFINE QLOCAL('PAY.{app}.BO')", f"DESCR('Poison messages of {low}')",
            "DEFPSIST(YES)", "MAXDEPTH(50000)", "MAXMSGL(4198400)",
        )  # fmt: skip
        yield dumped(
            f"DEFINE QALIAS('{app}.ORDERS')", f"TARGET('PAY.{app}.IN')", "TARGTYPE(QUEUE)",
        )  # fmt: skip
        yield dumped(
            f"DEFINE QREMOTE('{app}.CLEARING')", "RNAME('CLEARING.IN')", "RQMNAME('CLEAR')",
            "XMITQ('CLEAR')", "DEFPSIST(YES)",
        )  # fmt: skip
        yield dumped(
            f"DEFINE CHANNEL('{app}.APP')", "CHLTYPE(SVRCONN)", "TRPTYPE(TCP)",
            f"MCAUSER('{low}')", "SSLCIPH('ANY_TLS12_OR_HIGHER')", "SSLCAUTH(REQUIRED)",
            "MAXINST(200)", "MAXINSTC(20)", "SHARECNV(10)",
        )  # fmt: skip
        yield (
            f"SET CHLAUTH('{app}.APP') TYPE(SSLPEERMAP) SSLPEER('CN={low},O=Bank') +\n"
            f"   USERSRC(MAP) MCAUSER('{low}') CHCKCLNT(ASQMGR) ACTION(REPLACE)"
        )
        for profile in (f"PAY.{app}.IN", f"PAY.{app}.BO", f"{app}.ORDERS"):
            yield (
                f"SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) GROUP('{low}') +\n"
                "   AUTHADD(BROWSE,GET,INQ,PUT,PASSALL)"
            )
        yield f"SET AUTHREC OBJTYPE(QMGR) GROUP('{low}') AUTHADD(CONNECT,INQ)"
        yield dumped(
            f"DEFINE SERVICE('{app}.METRICS')", "CONTROL(QMGR)", "SERVTYPE(SERVER)",
            "STARTCMD('/opt/bank/metrics')", f"STARTARG('-p {9000 + number}')",
            "STOPCMD('/opt/bank/stop')",
        )  # fmt: skip
    yield dumped(
        "DEFINE QLOCAL('CLEAR')", "USAGE(XMITQ)", "TRIGGER", "TRIGTYPE(FIRST)",
        "INITQ('SYSTEM.CHANNEL.INITQ')", "TRIGDATA('PAY.CLEAR')", "MAXMSGL(4198400)",
        "MAXDEPTH(100000)", "DEFPSIST(YES)",
    )  # fmt: skip
    yield dumped(
        "DEFINE CHANNEL('PAY.CLEAR')", "CHLTYPE(SDR)", "TRPTYPE(TCP)", "XMITQ('CLEAR')",
        "CONNAME('clear.bank.example(1414)')", "MAXMSGL(4198400)",
        "SSLCIPH('ANY_TLS12_OR_HIGHER')", "DISCINT(1800)",
    )  # fmt: skip
    yield dumped(
        "DEFINE CHANNEL('CLEAR.PAY')", "CHLTYPE(RCVR)", "TRPTYPE(TCP)", "MCAUSER('clearing')",
        "SSLCIPH('ANY_TLS12_OR_HIGHER')", "SSLCAUTH(REQUIRED)",
    )  # fmt: skip
    yield "SET CHLAUTH('CLEAR.PAY') TYPE(QMGRMAP) QMNAME('CLEAR') USERSRC(MAP) MCAUSER('clearing')"


def _legacy() -> Iterator[str]:
    yield "* old mainframe gateway - ask jim before you touch this"
    yield "alt qmgr deadq(GW.DLQ) chlauth(enabled) connauth(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)"
    yield "alt qmgr maxmsgl(4194304) descr('gateway')"
    yield "alt authinfo(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) authtype(IDPWOS) chckclnt(required)"
    yield "def ql(GW.DLQ) maxdepth(500000) maxmsgl(4194304) defpsist(yes)"
    yield "def ql(GW.INIT) descr('initiation queue')"
    yield "def listener(GW.L) trptype(tcp) port(1414) control(qmgr)"
    yield "def ql(HOSTA) usage(xmitq) trigger initq(SYSTEM.CHANNEL.INITQ) trigdata(GW.HOSTA)"
    yield "def chl(GW.HOSTA) chltype(sdr) conname('hosta.example(1414)') xmitq(HOSTA) +"
    yield "    sslciph(ECDHE_RSA_AES_256_GCM_SHA384)"
    yield "def chl(HOSTA.GW) chltype(rcvr) mcauser('hosta') +"
    yield "    sslciph(ECDHE_RSA_AES_256_GCM_SHA384) sslcauth(required)"
    yield "set chlauth('*') type(blockuser) userlist('nobody','*MQADMIN')"
    for number in range(1, 29):
        job = f"GW.JOB{number:02}"
        yield f"* job {number}"
        yield f"def ql({job}.IN) maxdepth(20000) trigger trigtype(first) initq(GW.INIT) +"
        yield f"    process({job}) bothresh(3) boqname({job}.BO)"
        yield f"def ql({job}.BO) maxdepth(20000)"
        yield f"def process({job}) applicid('/opt/gw/run {number}')"
        yield f"def qr({job}.OUT) rname({job}.REQ) rqmname(HOSTA) xmitq(HOSTA)"
        yield f"def qa({job}) target({job}.IN)"
        yield f"set authrec profile({job}.IN) objtype(queue) group('gw') authadd(get,browse,inq)"
        yield f"set authrec profile({job}.OUT) objtype(queue) group('gw') authadd(put)"


def _teams() -> Iterator[str]:
    yield "*" * 72
    yield "* Shared queue manager: each team copies the templates of the platform team"
    yield "*" * 72
    yield "ALTER QMGR DEADQ(SHARED.DLQ) +"
    yield "      CHLAUTH(ENABLED) +"
    yield "      CONNAUTH(SHARED.USERS)"
    yield ""
    yield "DEFINE AUTHINFO(SHARED.USERS) AUTHTYPE(IDPWOS) +"
    yield "       CHCKCLNT(REQDADM) CHCKLOCL(OPTIONAL)"
    yield "DEFINE QLOCAL(SHARED.DLQ) MAXDEPTH(300000)"
    yield ""
    yield "* templates"
    yield "DEFINE QLOCAL(TEMPLATE.BACKOUT) MAXDEPTH(30000) MAXMSGL(1052672) PUT(ENABLED)"
    yield "DEFINE QLOCAL(TEMPLATE.WORK) MAXDEPTH(30000) MAXMSGL(1048576) +"
    yield "       DEFPSIST(YES) BOTHRESH(3) BOQNAME(TEMPLATE.BACKOUT)"
    yield "DEFINE CHANNEL(TEMPLATE.CLIENT) CHLTYPE(SVRCONN) MCAUSER('*NOACCESS') +"
    yield "       SSLCIPH(ANY_TLS13_OR_HIGHER) SSLCAUTH(REQUIRED)"
    yield ""
    for team in ("BLUE", "GREEN", "RED", "WHITE", "BLACK", "ORANGE", "PINK", "BROWN"):
        low = team.lower()
        yield f"* team {low} " + "-" * 40
        yield f"DEFINE QLOCAL({team}.BACKOUT) LIKE(TEMPLATE.BACKOUT)"
        yield f"DEFINE QLOCAL({team}.WORK) LIKE(TEMPLATE.WORK) BOQNAME({team}.BACKOUT)"
        yield f"DEFINE QLOCAL({team}.AUDIT) LIKE(TEMPLATE.BACKOUT)"
        yield f"ALTER QLOCAL({team}.WORK) STREAMQ({team}.AUDIT) STRMQOS(BESTEF)"
        yield f"DEFINE QMODEL({team}.REPLY.MODEL) DEFTYPE(TEMPDYN) MAXDEPTH(1000)"
        yield f"DEFINE NAMELIST({team}.QUEUES) NAMES({team}.WORK, {team}.AUDIT)"
        yield f"DEFINE CHANNEL({team}.CLIENT) CHLTYPE(SVRCONN) LIKE(TEMPLATE.CLIENT) +"
        yield f"       MCAUSER('{low}') +"
        yield "       MAXINST(100)"
        yield f"SET CHLAUTH({team}.CLIENT) TYPE(SSLPEERMAP) +"
        yield f"       SSLPEER('OU={low},O=Bank') USERSRC(MAP) +"
        yield f"       MCAUSER('{low}')"
        yield f"SET AUTHREC PROFILE('{team}.**') OBJTYPE(QUEUE) +"
        yield f"       GROUP('{low}') AUTHADD(PUT,GET,BROWSE,INQ,DSP)"
        yield f"SET AUTHREC OBJTYPE(QMGR) GROUP('{low}') +"
        yield "       AUTHADD(CONNECT,INQ,DSP)"
        yield ""


def _host() -> Iterator[str]:
    yield "* z/OS, data set BANK.MQ.SCSQPROC(OBJECTS), 72 columns"
    yield "ALTER QMGR DEADQ(HOST.DLQ) CHLAUTH(ENABLED) EXPRYINT(300)"
    yield "DEFINE STGCLASS(HOSTCLS) PSID(4)"
    yield "DEFINE STGCLASS(BACKCLS) PSID(5)"
    yield "DEFINE QLOCAL(SYSTEM.DDELAY.LOCAL.QUEUE) STGCLASS(HOSTCLS) +"
    yield "       INDXTYPE(NONE) MSGDLVSQ(FIFO) MAXDEPTH(100000)"
    yield "DEFINE CFSTRUCT(APPL1) CFLEVEL(5) RECOVER(YES)"
    yield "DEFINE QLOCAL(HOST.DLQ) STGCLASS(HOSTCLS) MAXDEPTH(999999)"
    for number in range(1, 19):
        name = f"HOST.APPL{number:02}"
        yield f"DEFINE QLOCAL({name}.IN) +"
        yield "       STGCLASS(HOSTCLS) +"
        yield "       DEFPSIST(YES) +"
        yield "       INDXTYPE(NONE) +"
        yield "       MAXDEPTH(100000) +"
        yield f"       BOTHRESH(3) BOQNAME({name}.BO)"
        yield f"DEFINE QLOCAL({name}.BO) +"
        yield "       STGCLASS(BACKCLS) +"
        yield "       MAXDEPTH(100000)"
        yield f"DEFINE QLOCAL({name}.SHARED) +"
        yield "       QSGDISP(SHARED) +"
        yield "       CFSTRUCT(APPL1) +"
        yield "       MAXDEPTH(100000)"
        yield f"DEFINE QALIAS({name}) TARGET({name}.IN)"


def _market() -> Iterator[str]:
    yield "* Market data: a member of the cluster MARKET, publishes quotes"
    yield "alter qmgr deadq('MARKET.DLQ') chlauth(enabled)"
    yield "alter qmgr connauth('SYSTEM.DEFAULT.AUTHINFO.IDPWOS')"
    yield "alter authinfo('SYSTEM.DEFAULT.AUTHINFO.IDPWOS') authtype(idpwos) chckclnt(reqdadm)"
    yield "define qlocal('MARKET.DLQ') maxdepth(100000)"
    yield "Define Channel(TO.MKT1) ChlType(CLUSRCVR) Cluster(MARKET) -"
    yield "ConName('mkt1.example(1414)') SSLCIPH(ANY_TLS12_OR_HIGHER) MCAUSER('cluster')"
    yield "Define Channel(TO.REPO) ChlType(CLUSSDR) Cluster(MARKET) -"
    yield "ConName('repo.example(1414)') SSLCIPH(ANY_TLS12_OR_HIGHER)"
    for number, area in enumerate(
        ("FX", "BONDS", "EQUITY", "RATES", "METALS", "POWER", "GAS", "CRYPTO", "INDEX", "FUNDS"), 1
    ):
        yield f"Define Topic({area}.QUOTES) TopicStr('market/{area.lower()}') DurSub(Yes) Replace"
        yield f"Define QLocal({area}.FEED) Cluster(MARKET) DefBind(NotFixed) MaxDepth(80000) +"
        yield f"  BOThresh(3) BOQName({area}.FEED.BO) Replace"
        yield f"Define QLocal({area}.FEED.BO) MaxDepth(80000) Replace"
        yield f"Define QLocal({area}.HISTORY) MaxDepth(80000) -"
        yield f"DefPsist(Yes) Descr('Quotes of desk {number}') Replace"
        yield f"Define Sub({area}.HISTORY) TopicObj({area}.QUOTES) TopicStr('eod') -"
        yield f"Dest({area}.HISTORY) Replace"
        yield f"Define QAlias({area}.PUBLISH) Target({area}.QUOTES) TargType(Topic) Replace"
        yield f"Define Channel({area}.DESK) ChlType(SVRCONN) MCAUser('desk{number}') -"
        yield "SSLCiph(ANY_TLS12_OR_HIGHER) SSLCAuth(Required) Replace"
        yield f"Set ChlAuth({area}.DESK) Type(AddressMap) Address('10.{number}.*') -"
        yield f"UserSrc(Map) MCAUser('desk{number}') Action(Replace)"
        yield f"Set Authrec Profile({area}.QUOTES) Objtype(Topic) Group('desk{number}') +"
        yield "  Authadd(Pub,Sub)"
        yield f"Set Authrec Profile({area}.FEED) Objtype(Queue) Group('desk{number}') +"
        yield "  Authadd(Put,Get,Inq)"
        yield ""


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


PAYMENTS: Final = _text(list(_payments()))
LEGACY: Final = _text(list(_legacy()))
TEAMS: Final = _text(list(_teams()))
HOST: Final = _text(list(_host()))
MARKET: Final = _text(list(_market()))
STYLES: Final = {
    "PAYMENTS": PAYMENTS, "LEGACY": LEGACY, "TEAMS": TEAMS, "HOST": HOST, "MARKET": MARKET,
}  # fmt: skip
