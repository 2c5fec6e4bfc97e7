"""Five more queue managers without a fault: an insurer, an airline, a hospital, a railway, a state.

They are written in other styles than those of a bank: `INSURER` is a member of a uniform cluster,
one attribute a line with the sign in front of it; `AIRLINE` a hub of channels by LIKE; `HOSPITAL`
publish/subscribe; `RAILWAY` the initialization input of z/OS in a queue-sharing group; `STATE` a
dump with every attribute that its owner set and the comments of dmpmqcfg.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

STATIONS: Final = (
    "AMS", "ATH", "BCN", "BRU", "CDG", "CPH", "DUB", "FCO", "FRA", "GVA", "HEL", "IST", "LHR",
    "LIS", "MAD", "MUC",
)  # fmt: skip


def _insurer() -> Iterator[str]:
    yield "*---------------------------------------------------------------*"
    yield "* Claims platform, member 1 of the uniform cluster CLAIMS       *"
    yield "*---------------------------------------------------------------*"
    yield "alter qmgr -"
    yield "  deadq(CLAIMS.DEAD) chlauth(enabled) connauth(CLAIMS.IDS) -"
    yield "  repos(CLAIMS) certlabl('claims-1') -"
    yield "  sslkeyr('/etc/mq/claims.kdb') monq(medium) monchl(medium)"
    yield "define authinfo(CLAIMS.IDS) authtype(idpwldap) -"
    yield "  conname('ldap1.insurer.example(636),ldap2.insurer.example(636)') -"
    yield "  seccomm(yes) shortusr('uid') basednu('ou=people,dc=insurer,dc=example') -"
    yield "  classusr('inetOrgPerson') usrfield('uid') chckclnt(required) chcklocl(optional) -"
    yield "  adoptctx(yes) faildlay(1) authormd(searchgrp) basedng('ou=groups,dc=insurer') -"
    yield "  classgrp('groupOfNames') grpfield('cn') findgrp('member')"
    yield "define qlocal(CLAIMS.DEAD) maxdepth(999999) maxmsgl(4194304)"
    yield "define listener(CLAIMS.TCP) trptype(tcp) port(1501) control(qmgr)"
    yield "define channel(CLAIMS_M1) chltype(clusrcvr) trptype(tcp) cluster(CLAIMS) -"
    yield "  conname('claims-m1.insurer.example(1501)') sslciph(ANY_TLS12_OR_HIGHER) -"
    yield "  sslcauth(required) descr('How others reach member 1')"
    yield "define channel(CLAIMS_M2) chltype(clussdr) trptype(tcp) cluster(CLAIMS) -"
    yield "  conname('claims-m2.insurer.example(1501)') sslciph(ANY_TLS12_OR_HIGHER)"
    yield "define channel(CLAIMS.CLIENTS) chltype(svrconn) trptype(tcp) sharecnv(10) -"
    yield "  sslciph(ANY_TLS12_OR_HIGHER) sslcauth(required) mcauser('nobody') -"
    yield "  maxinst(400) maxinstc(40) hbint(30)"
    yield "set chlauth('*') type(addressmap) address('*') usersrc(noaccess) action(replace)"
    yield "set chlauth(CLAIMS.CLIENTS) type(sslpeermap) -"
    yield "  sslpeer('OU=claims-apps,O=Insurer') usersrc(channel) action(replace)"
    yield "set chlauth('CLAIMS_M*') type(sslpeermap) sslpeer('OU=claims-mq,O=Insurer') -"
    yield "  usersrc(map) mcauser('claimsmq') action(replace)"
    yield "set chlauth('*') type(blockuser) userlist('nobody','*MQADMIN') action(replace)"
    yield "set chlauth(CLAIMS.CLIENTS) type(blockuser) userlist('*MQADMIN') action(replace)"
    yield "set authrec objtype(qmgr) group('claims') authadd(connect,inq)"
    for line in ("MOTOR", "HOME", "TRAVEL", "LIFE", "PETS", "LEGAL", "MARINE", "CROPS"):
        yield f"* {line.title()} claims"
        for step in ("NOTICE", "ASSESS", "PAYOUT"):
            name = f"{line}.{step}"
            yield f"define qlocal({name})"
            yield f"alter qlocal({name}) -"
            yield "  cluster(CLAIMS) defbind(notfixed) clwluseq(local) -"
            yield "  defpsist(yes) maxdepth(80000) -"
            yield f"  bothresh(4) boqname({line}.FAILED)"
        yield f"define qlocal({line}.FAILED) maxdepth(80000) defpsist(yes)"
        yield f"define qmodel({line}.ANSWERS) deftype(tempdyn) defsopt(excl)"
        yield f"define qalias({line}.IN) target({line}.NOTICE) defbind(notfixed)"
        yield f"set authrec profile({line}.**) objtype(queue) group('claims') -"
        yield "  authadd(get,put,browse,inq,dsp)"


def _airline() -> Iterator[str]:
    yield "* HUB of the airline: every station has a channel here and one back"
    yield (
        "ALTER QMGR CHLAUTH(ENABLED) CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) "
        "DEADQ(HUB.UNDELIVERED)"
    )
    yield (
        "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) "
        "CHCKCLNT(REQUIRED) ADOPTCTX(YES)"
    )
    yield "ALTER QMGR SSLKEYR('/var/mqm/qmgrs/HUB/ssl/key') CERTLABL('ibmwebspheremqhub')"
    yield "ALTER QMGR CHLEV(EXCEPTION) AUTHOREV(ENABLED) SSLEV(ENABLED) STRSTPEV(ENABLED)"
    yield "DEFINE QLOCAL(HUB.UNDELIVERED) REPLACE MAXDEPTH(500000) MAXMSGL(4194304)"
    yield "DEFINE LISTENER(HUB.L1) REPLACE TRPTYPE(TCP) PORT(1414) IPADDR('10.9.0.5') CONTROL(QMGR)"
    yield "* models"
    yield "DEFINE QLOCAL(MODEL.XMITQ) REPLACE USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) +"
    yield "       INITQ(SYSTEM.CHANNEL.INITQ) MAXDEPTH(200000) DEFPSIST(YES)"
    yield "DEFINE QLOCAL(MODEL.APPQ) REPLACE MAXDEPTH(20000) DEFPSIST(YES) SHARE DEFSOPT(SHARED)"
    yield "DEFINE QLOCAL(MODEL.DUD) REPLACE LIKE(MODEL.APPQ) DESCR('What could not be processed')"
    yield (
        "DEFINE CHANNEL(MODEL.SDR) CHLTYPE(SDR) REPLACE TRPTYPE(TCP) "
        "CONNAME('nowhere.example(1414)') +"
    )
    yield "       XMITQ(MODEL.XMITQ) SSLCIPH(ANY_TLS12_OR_HIGHER) BATCHSZ(100) DISCINT(1800) +"
    yield "       SHORTRTY(10) SHORTTMR(60) LONGRTY(999999999) LONGTMR(1200) HBINT(60)"
    yield (
        "DEFINE CHANNEL(MODEL.RCVR) CHLTYPE(RCVR) REPLACE TRPTYPE(TCP) "
        "SSLCIPH(ANY_TLS12_OR_HIGHER) +"
    )
    yield "       SSLCAUTH(REQUIRED) MCAUSER('station') MRRTY(5) MRTMR(2000)"
    yield "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)"
    yield "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN')"
    for number, code in enumerate(STATIONS, 1):
        yield f"* station {code}"
        yield f"DEFINE QLOCAL({code}) REPLACE LIKE(MODEL.XMITQ) TRIGDATA(HUB.{code})"
        yield f"DEFINE CHANNEL(HUB.{code}) CHLTYPE(SDR) REPLACE LIKE(MODEL.SDR) +"
        yield f"       CONNAME('mq-{code.lower()}.airline.example(1414)') XMITQ({code})"
        yield f"DEFINE CHANNEL({code}.HUB) CHLTYPE(RCVR) REPLACE LIKE(MODEL.RCVR)"
        yield (
            f"SET CHLAUTH({code}.HUB) TYPE(SSLPEERMAP) SSLPEER('CN=mq-{code.lower()},O=Airline') +"
        )
        yield f"    USERSRC(CHANNEL) ADDRESS('10.{number}.*')"
        yield f"DEFINE QLOCAL(IN.{code}) REPLACE LIKE(MODEL.APPQ) BOTHRESH(5) BOQNAME(DUD.{code})"
        yield f"DEFINE QLOCAL(DUD.{code}) REPLACE LIKE(MODEL.DUD)"
        yield (
            f"DEFINE QREMOTE(OUT.{code}) REPLACE RNAME(IN.HUB) RQMNAME({code}) XMITQ({code}) "
            "DEFPSIST(YES)"
        )
        yield f"DEFINE QREMOTE({code}.REPLIES) REPLACE RNAME('') RQMNAME({code}) XMITQ({code})"
    names = ", ".join(f"OUT.{code}" for code in STATIONS[:8])
    yield f"DEFINE NAMELIST(ALL.STATIONS) REPLACE NAMES({names}) DESCR('Broadcasts')"
    yield "SET AUTHREC PROFILE('IN.**') OBJTYPE(QUEUE) GROUP('ops') AUTHADD(GET,BROWSE,INQ)"
    yield "SET AUTHREC PROFILE('OUT.**') OBJTYPE(QUEUE) GROUP('ops') AUTHADD(PUT,INQ)"
    yield "SET AUTHREC PROFILE('IN.**') OBJTYPE(QUEUE) PRINCIPAL('station') AUTHADD(PUT,SETALL)"
    yield "SET AUTHREC OBJTYPE(QMGR) GROUP('ops') AUTHADD(CONNECT,INQ)"
    yield "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('station') AUTHADD(CONNECT,INQ,SETALL)"


def _hospital() -> Iterator[str]:
    yield "* Ward events. Order of this file: queue manager, people, topics, queues, subscriptions"
    yield "ALTER QMGR PSMODE(ENABLED) CHLAUTH(ENABLED) CONNAUTH('WARD.USERS') DEADQ('WARD.DEAD')"
    yield "ALTER QMGR SSLKEYR('/mq/tls/ward') MAXMSGL(10485760)"
    yield (
        "DEFINE AUTHINFO('WARD.USERS') AUTHTYPE(IDPWOS) CHCKCLNT(REQDADM) "
        "CHCKLOCL(OPTIONAL) ADOPTCTX(YES)"
    )
    yield "DEFINE QLOCAL('WARD.DEAD') MAXDEPTH(100000) MAXMSGL(10485760)"
    yield "DEFINE LISTENER('WARD.TCP') TRPTYPE(TCP) PORT(1883) CONTROL(QMGR) BACKLOG(200)"
    yield "DEFINE CHANNEL('WARD.PHONES') CHLTYPE(SVRCONN) TRPTYPE(TCP) MAXMSGL(10485760) +"
    yield "  SSLCIPH('ANY_TLS13_OR_HIGHER') MCAUSER('ward') SHARECNV(1)"
    yield "DEFINE CHANNEL('WARD.ADMIN') CHLTYPE(SVRCONN) TRPTYPE(TCP) +"
    yield "  SSLCIPH('ANY_TLS12_OR_HIGHER') SSLCAUTH(REQUIRED) MCAUSER('*NOACCESS')"
    yield "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REPLACE)"
    yield "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)"
    yield (
        "SET CHLAUTH('WARD.PHONES') TYPE(ADDRESSMAP) ADDRESS('10.40.*') USERSRC(CHANNEL) "
        "CHCKCLNT(REQUIRED)"
    )
    yield (
        "SET CHLAUTH('WARD.ADMIN') TYPE(SSLPEERMAP) SSLPEER('CN=ward-admin,O=Hospital') "
        "USERSRC(MAP) MCAUSER('wardadm')"
    )
    yield "DEFINE QMODEL('WARD.REPLY') DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED) MAXMSGL(10485760)"
    for number in range(1, 13):
        ward = f"W{number:02d}"
        yield f"* ward {number}"
        yield f"DEFINE TOPIC('{ward}') TOPICSTR('ward/{number}') DURSUB(YES) DEFPSIST(YES) +"
        yield "  PUB(ENABLED) SUB(ENABLED) NPMSGDLV(ALLAVAIL) PMSGDLV(ALLDUR)"
        yield (
            f"DEFINE TOPIC('{ward}.VITALS') TOPICSTR('ward/{number}/vitals') DURSUB(NO) "
            "DEFPSIST(NO)"
        )
        yield f"DEFINE QLOCAL('{ward}.ALARMS') DEFPSIST(YES) MAXMSGL(10485760) +"
        yield f"  BOTHRESH(2) BOQNAME('{ward}.REVIEW') MAXDEPTH(30000)"
        yield f"DEFINE QLOCAL('{ward}.REVIEW') DEFPSIST(YES) MAXMSGL(10485760) MAXDEPTH(30000)"
        yield f"DEFINE QALIAS('{ward}.SAY') TARGET('{ward}') TARGTYPE(TOPIC)"
        yield f"DEFINE SUB('{ward}.ALARM.DESK') TOPICOBJ('{ward}') TOPICSTR('alarms/#') +"
        yield f"  DEST('{ward}.ALARMS') WSCHEMA(TOPIC) EXPIRY(UNLIMITED)"
        yield f"SET AUTHREC PROFILE('{ward}') OBJTYPE(TOPIC) GROUP('nurses') AUTHADD(PUB,SUB)"
        yield (
            f"SET AUTHREC PROFILE('{ward}.**') OBJTYPE(QUEUE) GROUP('nurses') "
            "AUTHADD(GET,PUT,BROWSE)"
        )
    yield "SET AUTHREC OBJTYPE(QMGR) GROUP('nurses') AUTHADD(CONNECT)"
    yield "SET AUTHREC PROFILE('WARD.REPLY') OBJTYPE(QUEUE) GROUP('nurses') AUTHADD(GET,PUT,DSP)"


def _railway() -> Iterator[str]:
    yield "* CSQINP2 of RAIL, member of the queue-sharing group RAIL"
    yield "DEFINE BUFFPOOL(0) BUFFERS(50000) LOCATION(ABOVE)"
    yield "DEFINE BUFFPOOL(3) BUFFERS(20000) LOCATION(ABOVE)"
    yield "DEFINE PSID(00) BUFFPOOL(0) EXPAND(SYSTEM)"
    yield "DEFINE PSID(03) BUFFPOOL(3) EXPAND(SYSTEM)"
    yield "ALTER QMGR DEADQ('RAIL.DEADQ') CHLAUTH(ENABLED) +"
    yield "      SSLKEYR('CSQ1RING') SSLTASKS(8) MONQ(LOW)"
    yield "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)"
    yield "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REPLACE)"
    yield "DEFINE STGCLASS('SIGNALS') PSID(03) QSGDISP(QMGR) REPLACE"
    yield "DEFINE STGCLASS('TICKETS') PSID(03) QSGDISP(QMGR) REPLACE"
    yield "DEFINE CFSTRUCT('TRAINS1') CFLEVEL(5) RECOVER(YES) OFFLOAD(SMDS) +"
    yield "       DSGROUP('RAIL.SMDS.*') REPLACE"
    yield "DEFINE QLOCAL('RAIL.DEADQ') QSGDISP(QMGR) STGCLASS('SIGNALS') MAXDEPTH(999999) REPLACE"
    yield "DEFINE QLOCAL('SYSTEM.DDELAY.LOCAL.QUEUE') STGCLASS('SIGNALS') MAXDEPTH(999999) +"
    yield "       MSGDLVSQ(FIFO) INDXTYPE(NONE) NOSHARE REPLACE"
    yield "DEFINE QLOCAL('CICS.INITQ') QSGDISP(QMGR) STGCLASS('SIGNALS') MAXDEPTH(5000) REPLACE"
    for route in ("NORTH", "SOUTH", "EAST", "WEST", "NIGHT", "FREIGHT"):
        yield f"* {route}"
        yield f"DEFINE PROCESS('{route}.PROC') APPLTYPE(CICS) APPLICID('T{route[:3]}') REPLACE"
        for kind in ("SIGNAL", "DELAY", "CREW"):
            name = f"{route}.{kind}"
            yield f"DEFINE QLOCAL('{name}') +"
            yield "       QSGDISP(SHARED) +"
            yield "       CFSTRUCT('TRAINS1') +"
            yield "       DEFPSIST(YES) +"
            yield "       MAXDEPTH(60000) +"
            yield "       INDXTYPE(MSGID) +"
            yield f"       BOTHRESH(3) HARDENBO BOQNAME('{route}.BACKOUT') +"
            yield "       REPLACE"
        yield f"DEFINE QLOCAL('{route}.BACKOUT') QSGDISP(SHARED) CFSTRUCT('TRAINS1') +"
        yield "       DEFPSIST(YES) MAXDEPTH(60000) REPLACE"
        yield f"DEFINE QLOCAL('{route}.TICKETS') STGCLASS('TICKETS') DEFPSIST(YES) +"
        yield f"       TRIGGER TRIGTYPE(FIRST) INITQ('CICS.INITQ') PROCESS('{route}.PROC') +"
        yield f"       MAXDEPTH(60000) BOTHRESH(3) HARDENBO BOQNAME('{route}.REFUSED') REPLACE"
        yield f"DEFINE QLOCAL('{route}.REFUSED') STGCLASS('TICKETS') DEFPSIST(YES) +"
        yield "       MAXDEPTH(60000) REPLACE"
        yield f"DEFINE QALIAS('{route}.CREW.IN') TARGET('{route}.CREW') REPLACE"
    yield "DEFINE QLOCAL('DEPOT') USAGE(XMITQ) STGCLASS('SIGNALS') TRIGGER TRIGTYPE(FIRST) +"
    yield "       INITQ('SYSTEM.CHANNEL.INITQ') TRIGDATA('RAIL.TO.DEPOT') MAXDEPTH(999999) REPLACE"
    yield "DEFINE CHANNEL('RAIL.TO.DEPOT') CHLTYPE(SDR) TRPTYPE(TCP) XMITQ('DEPOT') +"
    yield "       CONNAME('depot.rail.example(1414)') SSLCIPH(ANY_TLS12_OR_HIGHER) REPLACE"
    yield "DEFINE CHANNEL('DEPOT.TO.RAIL') CHLTYPE(RCVR) TRPTYPE(TCP) +"
    yield "       SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED) MCAUSER('DEPOT') REPLACE"
    yield (
        "SET CHLAUTH('DEPOT.TO.RAIL') TYPE(SSLPEERMAP) SSLPEER('CN=DEPOT,O=RAIL') USERSRC(CHANNEL)"
    )
    yield "DEFINE QREMOTE('REPAIR.ORDERS') RNAME('ORDERS') RQMNAME('DEPOT') XMITQ('DEPOT') REPLACE"
    yield "DISPLAY QMGR ALL"


def _state() -> Iterator[str]:
    yield "*******************************************************************************"
    yield "* Script generated on 2026-11-01   at 06.00.01"
    yield "* Queue manager name: TAXES"
    yield "* Queue manager platform: UNIX"
    yield "* Queue manager command level: (930/930)"
    yield "*******************************************************************************"
    yield "ALTER QMGR +"
    yield "*  ALTDATE(2026-10-30) +"
    yield "   CCSID(1208) +"
    yield "   CHLAUTH(ENABLED) +"
    yield "*  CMDLEVEL(930) +"
    yield "   CONNAUTH('TAX.LOGIN') +"
    yield "   DEADQ('TAX.UNDELIVERABLE') +"
    yield "   DESCR('Tax office') +"
    yield "   MAXMSGL(104857600) +"
    yield "*  PLATFORM(UNIX) +"
    yield "   SSLKEYR('/var/mqm/qmgrs/TAXES/ssl/key') +"
    yield "   FORCE"
    yield "DEFINE AUTHINFO('TAX.LOGIN') +"
    yield "   AUTHTYPE(IDPWOS) +"
    yield "   ADOPTCTX(YES) +"
    yield "   DESCR(' ') +"
    yield "   CHCKCLNT(REQUIRED) +"
    yield "   CHCKLOCL(OPTIONAL) +"
    yield "   FAILDLAY(1) +"
    yield "   AUTHENMD(OS) +"
    yield "   REPLACE"
    for name, usage in (("TAX.UNDELIVERABLE", "NORMAL"), ("TREASURY", "XMITQ")):
        yield f"DEFINE QLOCAL('{name}') +"
        yield "   ACCTQ(QMGR) +"
        yield "*  CRDATE(2024-02-02) +"
        yield "   DEFPSIST(YES) +"
        yield "   GET(ENABLED) +"
        yield "   MAXDEPTH(640000) +"
        yield "   MAXMSGL(104857600) +"
        yield "   PUT(ENABLED) +"
        if usage == "XMITQ":
            yield "   INITQ('SYSTEM.CHANNEL.INITQ') +"
            yield "   TRIGDATA('TAXES.TREASURY') +"
            yield "   TRIGGER +"
            yield "   TRIGTYPE(FIRST) +"
        yield f"   USAGE({usage}) +"
        yield "   REPLACE"
    for office in ("INCOME", "SALES", "WEALTH", "CUSTOMS", "ROAD", "DOG", "HARBOUR"):
        for part, back in (
            ("RETURNS", "OBJECTIONS"),
            ("APPEALS", "OBJECTIONS"),
            ("OBJECTIONS", ""),
        ):
            yield f"DEFINE QLOCAL('{office}.{part}') +"
            yield f"   BOQNAME('{f'{office}.{back}' if back else ' '}') +"
            yield f"   BOTHRESH({3 if back else 0}) +"
            yield "*  CRDATE(2024-02-02) +"
            yield "*  CRTIME(10.11.12) +"
            yield "   DEFPSIST(YES) +"
            yield "   DESCR(' ') +"
            yield "   MAXDEPTH(640000) +"
            yield "   MAXMSGL(4194304) +"
            yield "   SHARE +"
            yield "   REPLACE"
        yield f"DEFINE QREMOTE('{office}.PAYMENTS') +"
        yield f"   RNAME('PAY.{office}') +"
        yield "   RQMNAME('TREASURY') +"
        yield "   XMITQ('TREASURY') +"
        yield "   REPLACE"
        yield (
            f"SET AUTHREC PROFILE('{office}.**') OBJTYPE(QUEUE) GROUP('clerks') "
            "AUTHADD(BROWSE,DSP,GET,INQ,PUT)"
        )
    yield "DEFINE CHANNEL('TAXES.TREASURY') +"
    yield "   CHLTYPE(SDR) +"
    yield "   CONNAME('treasury.state.example(1414)') +"
    yield "   MAXMSGL(104857600) +"
    yield "   SSLCIPH('ANY_TLS12_OR_HIGHER') +"
    yield "   SSLPEER('CN=treasury,O=State') +"
    yield "   XMITQ('TREASURY') +"
    yield "   REPLACE"
    yield "DEFINE CHANNEL('TREASURY.TAXES') +"
    yield "   CHLTYPE(RCVR) +"
    yield "   MAXMSGL(104857600) +"
    yield "   MCAUSER('treasury') +"
    yield "   SSLCAUTH(REQUIRED) +"
    yield "   SSLCIPH('ANY_TLS12_OR_HIGHER') +"
    yield "   SSLPEER('CN=treasury,O=State') +"
    yield "   REPLACE"
    yield "DEFINE CHANNEL('CLERKS') +"
    yield "   CHLTYPE(SVRCONN) +"
    yield "   MAXINST(2000) +"
    yield "   MAXINSTC(50) +"
    yield "   SSLCAUTH(OPTIONAL) +"
    yield "   SSLCIPH('ANY_TLS12_OR_HIGHER') +"
    yield "   TRPTYPE(TCP) +"
    yield "   MCAUSER('clerk') +"
    yield "   REPLACE"
    yield "DEFINE LISTENER('TAX.LISTENER') +"
    yield "   TRPTYPE(TCP) +"
    yield "   CONTROL(QMGR) +"
    yield "   PORT(1420) +"
    yield "   REPLACE"
    yield (
        "SET CHLAUTH('*') TYPE(ADDRESSMAP) DESCR('Default deny') ADDRESS('*') "
        "USERSRC(NOACCESS) WARN(NO) ACTION(ADD)"
    )
    yield "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(ADD)"
    yield (
        "SET CHLAUTH('CLERKS') TYPE(ADDRESSMAP) ADDRESS('10.77.*') USERSRC(CHANNEL) "
        "CHCKCLNT(REQUIRED) ACTION(ADD)"
    )
    yield (
        "SET CHLAUTH('TREASURY.TAXES') TYPE(ADDRESSMAP) ADDRESS('10.78.0.9') "
        "USERSRC(CHANNEL) ACTION(ADD)"
    )
    yield "SET AUTHREC OBJTYPE(QMGR) GROUP('clerks') AUTHADD(CONNECT,DSP,INQ)"
    yield "* END OF FILE"


PUBLIC: Final = {
    name: "".join(f"{line}\n" for line in lines)
    for name, lines in {
        "INSURER": _insurer(),
        "AIRLINE": _airline(),
        "HOSPITAL": _hospital(),
        "RAILWAY": _railway(),
        "STATE": _state(),
    }.items()
}
