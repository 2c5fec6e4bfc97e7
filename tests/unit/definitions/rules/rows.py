"""For each rule: scripts that it finds something in, and the nearest ones in which it does not.

The pages of the rules are a further triggering example each (test_pages.py).
"""

from __future__ import annotations

from typing import NamedTuple

STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
ZOS = 'platform = "zos"\n'
DELAYED = '[load]\ndelayed_queues = ["ORDERS.*"]\n'
BO = "DEFINE QLOCAL(BO)\n"
IN = "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(BO) "
DLQ = "ALTER QMGR DEADQ(DEAD)\nDEFINE QLOCAL(DEAD) MAXDEPTH(100000) "
ORDERS = "DEFINE QLOCAL(ORDERS.IN) "
POLICY = "SET POLICY({}) SIGNALG(SHA256) ENCALG(AES256) RECIP('CN=a,O=b')\n"

SENDER = "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h') XMITQ(X)"
REMOTE = "DEFINE QREMOTE(R) RNAME(A) RQMNAME(QM2) "
TRIGGERED = "DEFINE QL(X) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) "
RECORD = (
    "DEFINE QL(A.C) REPLACE\nSET AUTHREC PROFILE('{}') OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET)\n"
)
CHLAUTH = (
    "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) REPLACE\n"
    "SET CHLAUTH('{}') TYPE(BLOCKUSER) USERLIST('nobody')\n"
)
LINK = (
    "* on QM1\nDEFINE QL(QM2) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\n"
    "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h') XMITQ(QM2)\n"
    "* on QM2\nDEFINE CHANNEL({}) CHLTYPE({})"
)
LISTENER = "\nDEFINE LISTENER(L) TRPTYPE(TCP) PORT({}) CONTROL({})"
ELSEWHERE = (
    f"* on QM1\n{TRIGGERED}\n{SENDER}\n{REMOTE}XMITQ(X)\n* on QM2\nDEFINE QL(A)\n"
    "* on QM3\nDEFINE CHANNEL(C) CHLTYPE(RCVR)\n"
)
SVRCONN = "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('app') "
TLS = SVRCONN + "SSLCIPH(ANY_TLS12_OR_HIGHER) "
PASSWORDS = "DEFINE AUTHINFO(A) AUTHTYPE(IDPWOS) "
ADMIN = "DEFINE CHANNEL(SYSTEM.ADMIN.SVRCONN) CHLTYPE(SVRCONN) "
MAPPED = "SET CHLAUTH('{}') TYPE({}) "
CLIENT = (
    "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h') {}\n"
    "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH({})"
)
TO_ITSELF = (
    "DEFINE CHANNEL(C.QM1) CHLTYPE(CLUSRCVR) CONNAME('h(1414)') CLUSTER(A)\n"
    "DEFINE CHANNEL(C.QM2) CHLTYPE(CLUSSDR) CONNAME('{}') CLUSTER({})"
)
COMMANDS = (
    "SET AUTHREC PROFILE(SYSTEM.ADMIN.COMMAND.QUEUE) OBJTYPE(QUEUE) GROUP('{}') AUTHADD({})\n"
)
CLOSED = "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)"
BLOCKED = "SET CHLAUTH('{}') TYPE(BLOCKUSER) USERLIST({}) "
STARTED = "DEFINE QLOCAL(Q) TRIGGER INITQ({}) PROCESS(P) "
SENT = "DEFINE QLOCAL(X) USAGE(XMITQ) {}\n" + SENDER + "{}"
DURABLE = "DEFINE TOPIC(T) TOPICSTR('a/b') {}\nDEFINE SUB(S) DEST(D) {}"
GRANTED = "SET AUTHREC PROFILE('A.*') OBJTYPE(QUEUE) {} AUTHADD({})\n"


class Row(NamedTuple):
    """One behaviour of one rule."""

    code: str
    says: str
    bad: str
    good: str
    toml: str = ""
    whole: bool = False


ROWS = (
    Row("BKO001", "threshold-without-name", "DEFINE QLOCAL(IN) BOTHRESH(1)", "DEFINE QLOCAL(IN)"),
    Row("BKO001", "a-later-alter-counts", BO + IN + "\nALTER QLOCAL(IN) BOQNAME(' ')", BO + IN),
    Row(
        "BKO001",
        "an-unknown-name-is-not-blank",
        "ALTER QLOCAL(IN) BOTHRESH(3) BOQNAME(' ')",
        "ALTER QLOCAL(IN) BOTHRESH(3)",
    ),
    Row(
        "BKO001",
        "like-copies-it",
        "DEFINE QLOCAL(IN) BOTHRESH(3)\nDEFINE QLOCAL(IN2) LIKE(IN)\nALTER QLOCAL(IN) BOTHRESH(0)",
        "DEFINE QLOCAL(IN) BOTHRESH(3)\nDEFINE QLOCAL(IN2)\nALTER QLOCAL(IN) BOTHRESH(0)",
    ),
    Row(
        "BKO002",
        "name-without-threshold",
        BO + "DEFINE QLOCAL(IN) BOQNAME(BO)",
        BO + IN,
    ),
    Row(
        "BKO003",
        "of-a-queue-that-is-elsewhere-too",
        "DEFINE QLOCAL(IN)\nALTER QLOCAL(IN) BOTHRESH(3) BOQNAME(ELSEWHERE)",
        "ALTER QLOCAL(IN) BOTHRESH(3) BOQNAME(ELSEWHERE)",
    ),
    Row("BKO003", "name-not-defined", IN, BO + IN, whole=True),
    Row(
        "BKO003",
        "misspelt",
        "DEFINE QLOCAL(ORDERS.BO)\nDEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDRES.BO)",
        "DEFINE QLOCAL(ORDERS.BO)\nDEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDERS.BO)",
        whole=True,
    ),
    Row("BKO003", "name-deleted", BO + IN + "\nDELETE QLOCAL(BO)", BO + IN),
    Row(
        "BKO003",
        "a-model-queue",
        "DEFINE QMODEL(BO)\n" + IN,
        "DEFINE QALIAS(BO) TARGET(REAL)\nDEFINE QLOCAL(REAL)\n" + IN,
        whole=True,
    ),
    Row(
        "BKO003",
        "of-a-model-queue",
        "DEFINE QMODEL(IN) BOTHRESH(3) BOQNAME(BOO)\n" + BO,
        "DEFINE QMODEL(IN) BOTHRESH(3) BOQNAME(BO)\n" + BO,
        whole=True,
    ),
    Row(
        "BKO003",
        "a-template-is-not-known",
        "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(BOX)",
        "DEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME('+QMNAME+.BO')",
    ),
    Row("BKO004", "put-disabled", BO[:-1] + " PUT(DISABLED)\n" + IN, BO + IN + "PUT(DISABLED)"),
    Row(
        "BKO004",
        "the-alias-before-it",
        "DEFINE QALIAS(BO) TARGET(REAL) PUT(DISABLED)\nDEFINE QLOCAL(REAL)\n" + IN,
        "DEFINE QALIAS(BO) TARGET(REAL) GET(DISABLED)\nDEFINE QLOCAL(REAL)\n" + IN,
    ),
    Row(
        "BKO005",
        "shorter-than-its-input-queue",
        BO[:-1] + " MAXMSGL(4194303)\n" + IN,
        BO + IN,
    ),
    Row(
        "BKO005",
        "no-room-for-a-header",
        BO[:-1] + " MAXMSGL(100000)\n" + IN + "MAXMSGL(100000)",
        BO[:-1] + " MAXMSGL(104096)\n" + IN + "MAXMSGL(100000)",
    ),
    Row(
        "BKO006",
        "below-a-tenth",
        BO[:-1] + " MAXDEPTH(499)\n" + IN + "MAXDEPTH(5000)",
        BO[:-1] + " MAXDEPTH(500)\n" + IN + "MAXDEPTH(5000)",
    ),
    Row("BKO007", "itself", "DEFINE QLOCAL(BO) BOTHRESH(3) BOQNAME(BO)", BO + IN),
    Row(
        "BKO007",
        "through-an-alias",
        "DEFINE QALIAS(A) TARGET(Q)\nDEFINE QLOCAL(Q) BOTHRESH(1) BOQNAME(A)",
        "DEFINE QALIAS(A) TARGET(R)\nDEFINE QLOCAL(R)\nDEFINE QLOCAL(Q) BOTHRESH(1) BOQNAME(A)",
    ),
    Row(
        "BKO007",
        "a-ring-of-three",
        "".join(f"DEFINE QLOCAL({a}) BOTHRESH(1) BOQNAME({b})\n" for a, b in ("AB", "BC", "CA")),
        "".join(f"DEFINE QLOCAL({a}) BOTHRESH(1) BOQNAME({b})\n" for a, b in ("AB", "BC", "CD")),
    ),
    Row(
        "BKO008",
        "the-dead-letter-queue",
        DLQ + "\nDEFINE QLOCAL(IN) BOTHRESH(3) BOQNAME(DEAD)",
        DLQ + "\n" + BO + IN,
    ),
    Row(
        "BKO009",
        "two-input-queues",
        BO + IN + "\nDEFINE QLOCAL(IN2) BOTHRESH(3) BOQNAME(BO)",
        BO + IN + "\nDEFINE QLOCAL(IN2)",
    ),
    Row(
        "BKO010",
        "a-model-without-both",
        "DEFINE QMODEL(M) BOTHRESH(3)\nDEFINE TOPIC(T) TOPICSTR('t') MDURMDL(M)",
        "DEFINE QMODEL(M) BOTHRESH(3) BOQNAME(BO)\nDEFINE TOPIC(T) TOPICSTR('t') MDURMDL(M)",
    ),
    Row(
        "BKO010",
        "only-models-of-topics",
        "DEFINE QMODEL(M)\nDEFINE TOPIC(T) TOPICSTR('t') MNDURMDL(M)",
        "DEFINE QMODEL(M)\nDEFINE TOPIC(T) TOPICSTR('t')",
    ),
    Row(
        "BKO011",
        "passall-is-missing",
        BO + IN + "\nSET AUTHREC PROFILE(BO) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)\n"
        "SET AUTHREC PROFILE(IN) OBJTYPE(QUEUE) GROUP('g') AUTHADD(INQ)",
        BO + IN + "\nSET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('g') AUTHADD(ALLMQI)",
        '[[load.readers]]\nentity = "GROUP(g)"\nqueues = ["IN"]\n',
    ),
    Row(
        "BKO011",
        "silent-without-authority-records",
        BO + IN + "\nSET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT)",
        BO + IN,
        '[[load.readers]]\nentity = "GROUP(g)"\nqueues = ["IN"]\n',
    ),
    Row(
        "BKO012",
        "above-ten",
        IN + "\nALTER QL(IN) BOTHRESH(11)",
        IN + "\nALTER QL(IN) BOTHRESH(10)",
    ),
    Row(
        "BKO012",
        "above-the-limit-of-the-configuration",
        IN,
        IN + "\nALTER QLOCAL(IN) BOTHRESH(2)",
        "[load]\ngreatest_threshold = 2\n",
    ),
    Row(
        "BKO013",
        "a-second-hop",
        "DEFINE QLOCAL(BO2)\nDEFINE QLOCAL(BO) BOTHRESH(1) BOQNAME(BO2)\n" + IN,
        "DEFINE QLOCAL(BO2)\nDEFINE QLOCAL(BO) BOTHRESH(0) BOQNAME(BO2)\n" + IN,
    ),
    Row("BKO014", "neither-is-set", "DEFINE QLOCAL(IN)", BO + IN),
    Row("BKO014", "not-for-queues-in-transit", "DEFINE QL(IN)", "DEFINE QL(IN) USAGE(XMITQ)"),
    Row("BKO014", "not-for-the-queue-manager's-own", "DEFINE QL(IN)", "DEFINE QL(SYSTEM.X)"),
    Row(
        "BKO015",
        "one-failure",
        IN + "\nALTER QL(IN) BOTHRESH(1)",
        IN + "\nALTER QL(IN) BOTHRESH(2)",
    ),
    Row("BKO016", "not-hardened-on-z/OS", IN + "NOHARDENBO", IN + "HARDENBO", ZOS),
    Row("BKO017", "a-cap", BO[:-1] + " CAPEXPRY(10)\n" + IN, BO + IN + "CAPEXPRY(10)"),
    Row(
        "BKO018",
        "on-an-alias",
        "DEFINE QALIAS(A) TARGET(IN) BOQNAME(BO)",
        "DEFINE QLOCAL(A) BOQNAME(BO)",
    ),
    Row("BKO019", "misprint-of-IBM", "DEFINE QL(IN) BOQUEUE(BO)", "DEFINE QL(IN) BOQNAME(BO)"),
    Row(
        "BKO020",
        "a-flow-without-transaction",
        IN,
        BO + "DEFINE QLOCAL(IN2) BOTHRESH(3) BOQNAME(BO)",
        '[load]\nflows_without_transaction = ["IN"]\n',
    ),
    Row("BKO021", "a-queue-that-is-there", "ALTER QL(IN) BOTHRESH(3)", "ALTER QL(IN) MAXDEPTH(3)"),
    Row(
        "BKO021",
        "not-for-a-new-queue",
        "ALTER QLOCAL(IN) BOQNAME(BO)",
        "DEFINE QLOCAL(IN)\nALTER QLOCAL(IN) BOQNAME(BO)",
    ),
    Row("BKO022", "in-transit", BO[:-1] + " USAGE(XMITQ)\n" + IN, BO + IN),
    Row("BKO023", "get-disabled", BO[:-1] + " GET(DISABLED)\n" + IN, BO + IN + "GET(DISABLED)"),
    Row("DLY001", "deleted", f"DELETE QLOCAL({STAGING})", f"CLEAR QLOCAL({STAGING})"),
    Row(
        "DLY001",
        "not-beside-the-system-objects",
        "DEFINE QL(SYSTEM.DEFAULT.LOCAL.QUEUE)",
        "DEFINE QL(A)",
        whole=True,
    ),
    Row(
        "DLY001",
        "not-in-a-whole-one-on-zos",
        "DEFINE QL(A)",
        f"DEFINE QL({STAGING})",
        ZOS,
        whole=True,
    ),
    Row("DLY001", "silent-for-a-part-on-dist", f"DEFINE QALIAS({STAGING})", "DEFINE QL(A)"),
    Row(
        "DLY002",
        "one-less-than-needed",
        f"ALTER QLOCAL({STAGING}) MAXDEPTH(8999)",
        f"ALTER QLOCAL({STAGING}) MAXDEPTH(9000)",
        '[load]\nrate = "10/s"\nlongest_delay = "5m"\nsubscribers = 2\n',
    ),
    Row(
        "DLY002",
        "silent-without-the-rate",
        f"ALTER QLOCAL({STAGING}) MAXDEPTH(1)",
        f"ALTER QLOCAL({STAGING}) MAXDEPTH(1000000)",
        '[load]\nrate = "1/s"\nlongest_delay = "5m"\n',
    ),
    Row(
        "DLY003",
        "one-byte-short",
        f"ALTER QLOCAL({STAGING}) MAXMSGL(5095)",
        f"ALTER QLOCAL({STAGING}) MAXMSGL(5096)",
        "[load]\nlargest_message = 1000\n",
    ),
    Row(
        "DLY003",
        "below-another-queue-of-the-script",
        f"ALTER QLOCAL({STAGING}) MAXMSGL(4194303)\nDEFINE QLOCAL(Q)",
        f"ALTER QLOCAL({STAGING}) MAXMSGL(4194304)\nDEFINE QLOCAL(Q)",
    ),
    Row(
        "DLY004",
        "get-disabled",
        f"ALTER QLOCAL({STAGING}) GET(DISABLED)",
        f"ALTER QLOCAL({STAGING}) GET(ENABLED)",
    ),
    Row(
        "DLY005",
        "not-FIFO",
        f"ALTER QLOCAL({STAGING}) MSGDLVSQ(PRIORITY)",
        f"ALTER QLOCAL({STAGING}) MSGDLVSQ(FIFO)",
        ZOS,
    ),
    Row(
        "DLY005",
        "indexed",
        f"ALTER QLOCAL({STAGING}) INDXTYPE(MSGID)",
        f"ALTER QLOCAL({STAGING}) INDXTYPE(NONE)",
        ZOS,
    ),
    Row(
        "DLY006",
        "a-generic-profile",
        "SET AUTHREC PROFILE('SYSTEM.**') OBJTYPE(QUEUE) GROUP('users') AUTHADD(GET)",
        "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('users') AUTHADD(GET)",
    ),
    Row(
        "DLY006",
        "browse-is-monitoring",
        f"SET AUTHREC PROFILE({STAGING}) OBJTYPE(QUEUE) PRINCIPAL('mon') AUTHADD(BROWSE,GET)",
        f"SET AUTHREC PROFILE({STAGING}) OBJTYPE(QUEUE) PRINCIPAL('mon') AUTHADD(BROWSE,INQ)",
    ),
    Row(
        "DLY006",
        "those-who-may",
        f"SET AUTHREC PROFILE({STAGING}) OBJTYPE(QUEUE) GROUP('users') AUTHADD(ALLMQI)",
        f"SET AUTHREC PROFILE({STAGING}) OBJTYPE(QUEUE) GROUP('mqops') AUTHADD(ALLMQI)",
        '[load]\nstaging_users = ["GROUP(mqops)"]\n',
    ),
    Row("DLY007", "bound-at-open", ORDERS + "CLUSTER(C)", ORDERS, DELAYED),
    Row(
        "DLY007",
        "by-group",
        ORDERS + "CLUSNL(N) DEFBIND(GROUP)",
        ORDERS + "CLUSNL(N) DEFBIND(NOTFIXED)",
    ),
    Row("DLY007", "not-for-others", ORDERS + "CLUSTER(C)", "DEFINE QL(PAY) CLUSTER(C)", DELAYED),
    Row(
        "DLY008",
        "the-topic-above-says-so",
        "DEFINE TOPIC(P) TOPICSTR('prices') NPMSGDLV(ALL)",
        "DEFINE TOPIC(P) TOPICSTR('prices') NPMSGDLV(ALLAVAIL)",
        '[load]\ndelayed_topics = ["prices/eu/gold"]\npersistent = false\n',
    ),
    Row(
        "DLY008",
        "a-slash-in-front-is-a-level-of-its-own",
        "DEFINE TOPIC(P) TOPICSTR('/prices') NPMSGDLV(ALL)",
        "DEFINE TOPIC(P) TOPICSTR('prices') NPMSGDLV(ALL)",
        '[load]\ndelayed_topics = ["/prices/eu"]\npersistent = false\n',
    ),
    Row(
        "DLY008",
        "by-default-only-for-persistent-ones",
        "DEFINE TOPIC(P) TOPICSTR('prices')",
        "DEFINE TOPIC(P) TOPICSTR('prices') PMSGDLV(ALLAVAIL)",
        '[load]\ndelayed_topics = ["prices"]\n',
    ),
    Row(
        "DLY008",
        "without-a-load-model-what-is-said",
        "DEFINE TOPIC(P) TOPICSTR('prices') PMSGDLV(ALL)",
        "DEFINE TOPIC(P) TOPICSTR('prices')",
    ),
    Row("DLY009", "put-disabled", ORDERS + "PUT(DISABLED)", ORDERS, DELAYED),
    Row(
        "DLY009",
        "missing-from-a-whole-one",
        "DEFINE QLOCAL(A)",
        "DEFINE QLOCAL(ORDERS.IN)",
        '[load]\ndelayed_queues = ["ORDERS.IN"]\n',
        True,
    ),
    Row(
        "DLY010",
        "shared-and-not-persistent",
        ORDERS + "QSGDISP(SHARED)",
        ORDERS + "QSGDISP(SHARED) DEFPSIST(YES)",
        ZOS + DELAYED,
    ),
    Row("DLY010", "private-is-safe", ORDERS + "QSGDISP(SHARED)", ORDERS, ZOS + DELAYED),
    Row(
        "DLY011",
        "the-default-one",
        f"DEFINE QLOCAL({STAGING}) MSGDLVSQ(FIFO)",
        f"DEFINE QLOCAL({STAGING}) MSGDLVSQ(FIFO) STGCLASS(DDLY)",
        ZOS,
    ),
    Row(
        "DLY012",
        "shared",
        f"DEFINE QLOCAL({STAGING}) QSGDISP(SHARED)",
        f"DEFINE QLOCAL({STAGING}) QSGDISP(QMGR)",
        ZOS,
    ),
    Row(
        "DLY013",
        "a-tenth-short",
        ORDERS + "CAPEXPRY(2999)",
        ORDERS + "CAPEXPRY(3000)",
        '[load]\nlongest_delay = "5m"\ndelayed_queues = ["ORDERS.IN"]\n',
    ),
    Row(
        "EXP001",
        "no-get-is-possible",
        ORDERS + "CAPEXPRY(10) GET(DISABLED)",
        ORDERS + "CAPEXPRY(10)",
    ),
    Row("EXP002", "off", "ALTER QMGR EXPRYINT(OFF)", "ALTER QMGR EXPRYINT(60)", ZOS),
    Row(
        "EXP003",
        "on-a-system-queue",
        "ALTER QL(SYSTEM.X) CAPEXPRY(1)",
        "ALTER QL(APP.X) CAPEXPRY(1)",
    ),
    Row(
        "EXP004",
        "twice",
        ORDERS + "CAPEXPRY(1) CUSTOM('A(B) CAPEXPRY(2)')",
        ORDERS + "CUSTOM('A(B) CAPEXPRY(2)')",
    ),
    Row("EXP006", "on-the-dead-letter-queue", DLQ + "CAPEXPRY(1)", DLQ),
    Row("EXP006", "in-custom", DLQ + "CUSTOM('CAPEXPRY(1)')", DLQ + "CUSTOM('X(1)')"),
    Row(
        "EXP003",
        "in-custom-on-a-system-queue",
        "ALTER QL(SYSTEM.X) CUSTOM('A(B) CAPEXPRY(1)')",
        "ALTER QL(SYSTEM.X) CUSTOM('A(B) CAPEXPRY(NOLIMIT)')",
    ),
    Row(
        "BKO017",
        "a-cap-in-custom",
        BO[:-1] + " CUSTOM('CAPEXPRY(10)')\n" + IN,
        BO + IN + "CUSTOM('CAPEXPRY(10)')",
    ),
    Row(
        "DLY013",
        "a-cap-in-custom",
        ORDERS + "CUSTOM('CAPEXPRY(2999)')",
        ORDERS + "CUSTOM('CAPEXPRY(3000)')",
        '[load]\nlongest_delay = "5m"\ndelayed_queues = ["ORDERS.IN"]\n',
    ),
    Row(
        "DLY013",
        "behind-an-alias",
        ORDERS + "CAPEXPRY(2999)\nDEFINE QALIAS(A) TARGET(ORDERS.IN)",
        ORDERS + "CAPEXPRY(2999)\nDEFINE QALIAS(A) TARGET(OTHER)",
        '[load]\nlongest_delay = "5m"\ndelayed_queues = ["A"]\n',
    ),
    Row(
        "DLY013",
        "behind-an-alias-of-a-topic",
        "DEFINE TOPIC(T) TOPICSTR('t') CAPEXPRY(2999)\nDEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)",
        "DEFINE TOPIC(T) TOPICSTR('t') CAPEXPRY(2999)\nDEFINE QALIAS(A) TARGET(T)",
        '[load]\nlongest_delay = "5m"\ndelayed_queues = ["A"]\n',
    ),
    Row("DLQ001", "blank", "ALTER QMGR DEADQ(' ')", "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)"),
    Row("DLQ001", "not-set-here", "ALTER QMGR DEADQ(' ')", "ALTER QMGR MAXMSGL(100000)"),
    Row("DLQ001", "missing", "ALTER QMGR DEADQ(DEAD)", DLQ),
    Row(
        "DLQ001",
        "missing-for-long-messages",
        "ALTER QMGR DEADQ(DEAD) MAXMSGL(104857600)",
        DLQ,
    ),
    Row(
        "DLQ003",
        "default-depth-of-long-messages",
        "ALTER QMGR DEADQ(DEAD) MAXMSGL(104857600)\nDEFINE QLOCAL(DEAD) MAXMSGL(104857600)",
        DLQ,
    ),
    Row(
        "DLY001",
        "deleted-for-long-messages",
        f"ALTER QMGR MAXMSGL(104857600)\nDELETE QLOCAL({STAGING})",
        "ALTER QMGR MAXMSGL(104857600)",
    ),
    Row("DLQ002", "short", DLQ + "MAXMSGL(4194303)\n" + ORDERS, DLQ + "\n" + ORDERS),
    Row(
        "DLQ002",
        "no-room-for-the-header",
        DLQ + "MAXMSGL(1171)\nDEFINE QLOCAL(Q) MAXMSGL(1000)",
        DLQ + "MAXMSGL(1172)\nDEFINE QLOCAL(Q) MAXMSGL(1000)",
    ),
    Row(
        "DLQ003",
        "lowered-from-what-it-comes-with",
        "ALTER QMGR DEADQ(SYSTEM.DLQ)\nDEFINE QL(SYSTEM.DLQ) MAXDEPTH(5000)",
        "ALTER QMGR DEADQ(SYSTEM.DLQ)\nDEFINE QL(SYSTEM.DLQ) MAXDEPTH(999999999)",
    ),
    Row("DLQ003", "left-alone", DLQ + "\nALTER QLOCAL(DEAD) MAXDEPTH(5000)", DLQ),
    Row(
        "DLQ004",
        "an-alias",
        "DEFINE QLOCAL(X)\nDEFINE QALIAS(DEAD) TARGET(X)\nALTER QMGR DEADQ(DEAD)",
        DLQ,
    ),
    Row("DLQ005", "put-disabled", DLQ + "PUT(DISABLED)", DLQ),
    Row("DLQ007", "get-disabled", DLQ + "GET(DISABLED)", DLQ),
    Row("DLQ008", "in-transit", DLQ + "USAGE(XMITQ)", DLQ),
    Row(
        "DLQ009",
        "not-used",
        "DEFINE TOPIC(T) TOPICSTR('t') USEDLQ(NO)",
        "DEFINE TOPIC(T) TOPICSTR('t') USEDLQ(YES)",
    ),
    Row(
        "DLQ010",
        "not-used",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) USEDLQ(NO)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)",
    ),
    Row(
        "AMS001",
        "no-policy-of-its-own",
        IN + "\n" + POLICY.format("IN"),
        IN + "\n" + POLICY.format("IN") + POLICY.format("BO"),
    ),
    Row(
        "AMS001",
        "signed-alone",
        IN + "\n" + POLICY.format("IN") + "SET POLICY(BO) SIGNALG(SHA256)",
        IN + "\nSET POLICY(IN) SIGNALG(SHA256)\nSET POLICY(BO) SIGNALG(SHA512)",
    ),
    Row(
        "AMS001",
        "a-policy-that-is-deleted",
        IN + "\n" + POLICY.format("IN") + POLICY.format("BO") + "DELETE POLICY(BO)",
        IN + "\n" + POLICY.format("IN") + "DELETE POLICY(IN)",
    ),
    Row(
        "AMS001",
        "who-reads-the-queue-cannot-read-what-is-requeued",
        IN + "\n" + POLICY.format("IN") + POLICY.format("BO").replace("CN=a,", "CN=b,"),
        IN
        + "\n"
        + POLICY.format("IN")
        + POLICY.format("BO").replace("CN=a,O=b", "CN=a, O=b").rstrip()
        + " RECIP('CN=b,O=b')",
    ),
    Row("AMS002", "no-recipient", "SET POLICY(IN) ENCALG(AES256)", POLICY.format("IN")),
    Row(
        "AMS002",
        "a-recipient-added",
        "SET POLICY(IN) SIGNALG(SHA256) ENCALG(AES256)\nSET POLICY(IN) SIGNER('CN=a') ACTION(ADD)",
        "SET POLICY(IN) SIGNALG(SHA256) ENCALG(AES256)\nSET POLICY(IN) RECIP('CN=a') ACTION(ADD)",
    ),
    Row("AMS002", "signer-alone", "SET POLICY(IN) SIGNER('CN=a')", POLICY.format("IN")),
    Row(
        "AMS003",
        "signature",
        "SET POLICY(IN) SIGNALG(SHA1)",
        "SET POLICY(IN) SIGNALG(SHA384)",
    ),
    Row("AMS003", "cipher", POLICY.format("IN").replace("AES256", "3DES"), POLICY.format("IN")),
    Row(
        "AMS004",
        "misspelt",
        ORDERS + "\n" + POLICY.format("ORDER.IN"),
        ORDERS + "\n" + POLICY.format("ORDERS.IN"),
        whole=True,
    ),
    Row(
        "QUE001",
        "one-block-too-many",
        ORDERS + "MAXDEPTH(40961) MAXMSGL(512) MAXFSIZE(20)",
        ORDERS + "MAXDEPTH(40960) MAXMSGL(512) MAXFSIZE(20)",
    ),
    Row("QUE002", "twice", ORDERS + "\n" + ORDERS, ORDERS + "\n" + ORDERS + "REPLACE"),
    Row(
        "QUE002",
        "also-as-another-type",
        ORDERS + "\nDEFINE QA(ORDERS.IN)",
        ORDERS + "\nDEFINE QA(A)",
    ),
    Row(
        "QUE002",
        "both-ends-of-a-client-channel-have-one-name",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(C) CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(C) CHLTYPE(CLNTCONN)",
    ),
    Row(
        "QUE003",
        "deleted",
        "DEFINE QALIAS(A) TARGET(ORDERS.IN)\nDELETE QLOCAL(ORDERS.IN)",
        "DEFINE QALIAS(A) TARGET(ORDERS.IN)",
    ),
    Row(
        "QUE003",
        "missing",
        "DEFINE QA(A) TARGET(B)",
        "DEFINE QA(A) TARGET(B)\nDEFINE QL(B)",
        whole=True,
    ),
    Row(
        "QUE004",
        "must-not-fail",
        "DEFINE QL(C) MAXMSGL(1)\nDEFINE QL(A) STREAMQ(C) STRMQOS(MUSTDUP)",
        "DEFINE QL(C) MAXMSGL(1)\nDEFINE QL(A) STREAMQ(C) STRMQOS(BESTEF)",
    ),
    Row(
        "QUE005",
        "longer",
        "ALTER QMGR MAXMSGL(100000)\nDEFINE QL(A) MAXMSGL(100001)",
        "ALTER QMGR MAXMSGL(100000)\nDEFINE QL(A) MAXMSGL(100000)",
    ),
    Row("QUE006", "crossed", "DEFINE QL(A) QDEPTHHI(19)", "DEFINE QL(A) QDEPTHHI(20)"),
    Row("QUE007", "nothing-starts", "DEFINE QL(A) TRIGGER", "DEFINE QL(A) TRIGGER INITQ(I)"),
    Row("QUE008", "contradiction", "DEFINE QL(A) NOSHARE", "DEFINE QL(A) NOSHARE DEFSOPT(EXCL)"),
    Row(
        "QUE009",
        "an-ordinary-queue",
        "DEFINE QL(X)\nDEFINE QR(R) RNAME(A) RQMNAME(B) XMITQ(X)",
        "DEFINE QL(X) USAGE(XMITQ)\nDEFINE QR(R) RNAME(A) RQMNAME(B) XMITQ(X)",
    ),
    Row("QUE010", "gone", "DELETE QL(A)\nDELETE QL(A)", "DELETE QL(A)\nDEFINE QL(A)\nDELETE QL(A)"),
    Row(
        "QUE010",
        "too-early",
        "ALTER QL(A) MAXDEPTH(9)\nDEFINE QL(A)",
        "ALTER QL(A) MAXDEPTH(9)\nDEFINE QL(A) REPLACE\nALTER QL(A) MAXDEPTH(8)",
    ),
    Row(
        "QUE011",
        "a-chain",
        "DEFINE QL(B) STREAMQ(C)\nDEFINE QL(A) STREAMQ(B)\nDEFINE QL(C)",
        "DEFINE QL(B)\nDEFINE QL(A) STREAMQ(B)\nDEFINE QL(C)",
    ),
    Row(
        "QUE003",
        "an-alias-of-an-alias",
        "DEFINE QA(A) TARGET(B)\nDEFINE QA(B) TARGET(C)",
        "DEFINE QA(A) TARGET(B)\nDEFINE QR(B) RNAME(C) RQMNAME(D)",
    ),
    Row(
        "QUE009",
        "of-a-sender",
        "DEFINE QL(X) TRIGGER INITQ(I)\n" + SENDER,
        "DEFINE QL(X) USAGE(XMITQ)\n" + SENDER,
    ),
    Row(
        "QUE009",
        "of-a-server",
        "DEFINE QL(X)\nDEFINE CHANNEL(C) CHLTYPE(SVR) XMITQ(X)",
        "DEFINE QL(X)\nDEFINE CHANNEL(C) CHLTYPE(RQSTR) CONNAME(X)",
    ),
    Row(
        "QUE009",
        "the-default-one",
        "DEFINE QL(X)\nALTER QMGR DEFXMITQ(X)",
        "DEFINE QL(X)\nALTER QMGR DEFXMITQ(' ')",
    ),
    Row(
        "BKO024",
        "nonpersistent-messages",
        BO + IN + "NPMCLASS(HIGH)",
        BO[:-1] + " NPMCLASS(HIGH)\n" + IN + "NPMCLASS(HIGH)",
    ),
    Row(
        "BKO024",
        "default-persistence-is-no-matter",
        BO + IN + "NPMCLASS(HIGH) DEFPSIST(YES)",
        BO + IN + "DEFPSIST(YES)",
    ),
    Row(
        "REF001",
        "of-a-remote-queue",
        REMOTE + "XMITQ(X)",
        "DEFINE QL(X) USAGE(XMITQ)\n" + REMOTE + "XMITQ(X)",
        whole=True,
    ),
    Row(
        "REF001",
        "deleted-in-a-part",
        REMOTE + "XMITQ(X)\nDELETE QL(X)",
        REMOTE + "XMITQ(X)",
    ),
    Row(
        "REF001",
        "by-name",
        f"* on QM1\n{REMOTE}",
        f"* on QM1\n{REMOTE}\nDEFINE QL(QM2) USAGE(XMITQ)",
        whole=True,
    ),
    Row(
        "REF001",
        "its-own-name-needs-none",
        f"* on QM1\n{REMOTE}",
        f"* on qm2\n{REMOTE}",
        whole=True,
    ),
    Row(
        "REF001",
        "a-cluster-may-lead-there",
        f"* on QM1\n{REMOTE}",
        f"* on QM1\n{REMOTE}\nDEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CLUSTER(C)",
        whole=True,
    ),
    Row(
        "REF001",
        "a-dump-of-queues-alone-does-not-tell-of-clusters",
        f"* on QM1\n{REMOTE}\nDEFINE QL(SYSTEM.DEFAULT.LOCAL.QUEUE)\n"
        "DEFINE CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR)",
        f"* on QM1\n{REMOTE}\nDEFINE QL(SYSTEM.DEFAULT.LOCAL.QUEUE)",
        whole=True,
    ),
    Row(
        "REF007",
        "a-dump-of-queues-alone-does-not-tell-of-channels",
        "DEFINE QL(A) CLUSTER(C)",
        "DEFINE QL(A) CLUSTER(C)\nDEFINE QL(SYSTEM.DEFAULT.LOCAL.QUEUE)",
        whole=True,
    ),
    Row(
        "REF001",
        "the-default-one",
        "ALTER QMGR DEFXMITQ(X)",
        "ALTER QMGR DEFXMITQ(X)\nDEFINE QL(X) USAGE(XMITQ)",
        whole=True,
    ),
    Row(
        "REF002",
        "missing",
        "DEFINE QL(A) TRIGGER INITQ(I)",
        "DEFINE QL(A) TRIGGER INITQ(I)\nDEFINE QL(I)",
        whole=True,
    ),
    Row(
        "REF002",
        "not-of-a-queue-that-is-not-triggered",
        "DEFINE QL(A) TRIGGER INITQ(I)",
        "DEFINE QL(A) NOTRIGGER INITQ(I)",
        whole=True,
    ),
    Row(
        "REF002",
        "the-queue-manager's-own-are-there",
        "DEFINE QL(A) TRIGGER INITQ(CHANNEL.INITQ)",
        "DEFINE QL(A) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\nALTER QL(SYSTEM.DEFAULT.LOCAL.QUEUE)",
        whole=True,
    ),
    Row(
        "REF003",
        "missing",
        "DEFINE QL(I)\nDEFINE QL(A) TRIGGER INITQ(I) PROCESS(P)",
        "DEFINE QL(I)\nDEFINE QL(A) TRIGGER INITQ(I) PROCESS(P)\nDEFINE PROCESS(P)",
        whole=True,
    ),
    Row(
        "REF004",
        "missing",
        "DEFINE QL(A) STREAMQ(B)",
        "DEFINE QL(A) STREAMQ(B)\nDEFINE QR(B) RNAME(C) RQMNAME(D) XMITQ(SYSTEM.X)",
        whole=True,
    ),
    Row(
        "REF005",
        "missing",
        "DEFINE SUB(S) TOPICSTR('t') DEST(Q)",
        "DEFINE SUB(S) TOPICSTR('t') DEST(Q)\nDEFINE QL(Q)",
        whole=True,
    ),
    Row(
        "REF005",
        "managed-or-on-another-queue-manager",
        "DEFINE SUB(S) TOPICSTR('t') DEST(Q)",
        "DEFINE SUB(S) TOPICSTR('t') DEST(Q) DESTQMGR(QM2)\n"
        "DEFINE SUB(M) TOPICSTR('t') DESTCLAS(MANAGED)",
        whole=True,
    ),
    Row(
        "REF006",
        "missing",
        "DEFINE QL(Q)\nDEFINE SUB(S) TOPICOBJ(T) DEST(Q)",
        "DEFINE QL(Q)\nDEFINE SUB(S) TOPICOBJ(T) DEST(Q)\nDEFINE TOPIC(T) TOPICSTR('t')",
        whole=True,
    ),
    Row(
        "REF007",
        "a-queue",
        "DEFINE QL(A) CLUSTER(C)",
        "DEFINE QL(A) CLUSTER(C)\nDEFINE CHANNEL(R) CHLTYPE(CLUSRCVR) CLUSTER(C)",
        whole=True,
    ),
    Row(
        "REF007",
        "by-a-namelist",
        "DEFINE NAMELIST(N) NAMES(C,D)\nDEFINE QL(A) CLUSNL(N)\n"
        "DEFINE CHANNEL(R) CHLTYPE(CLUSRCVR) CLUSTER(C)",
        "DEFINE NAMELIST(N) NAMES(C,D)\nDEFINE QL(A) CLUSNL(N)\n"
        "DEFINE CHANNEL(R) CHLTYPE(CLUSRCVR) CLUSNL(N)",
        whole=True,
    ),
    Row(
        "REF007",
        "a-template-may-be-any-cluster",
        "DEFINE TOPIC(A) TOPICSTR('a') CLUSTER(C)",
        "DEFINE TOPIC(A) TOPICSTR('a') CLUSTER(C)\n"
        "DEFINE CHANNEL(R) CHLTYPE(CLUSRCVR) CLUSTER('+AUTOCL+')",
        whole=True,
    ),
    Row(
        "REF008",
        "of-a-queue",
        "DEFINE QL(A) CLUSNL(N)",
        "DEFINE QL(A) CLUSNL(N)\nDEFINE NAMELIST(N) NAMES(C)",
        whole=True,
    ),
    Row(
        "REF009",
        "an-exact-name",
        RECORD.format("B.C"),
        RECORD.format("A.C"),
        whole=True,
    ),
    Row("REF009", "a-generic-profile", RECORD.format("A.C.*"), RECORD.format("A.C.**"), whole=True),
    Row("REF009", "one-qualifier", RECORD.format("A.*.B"), RECORD.format("A.*"), whole=True),
    Row(
        "REF009",
        "what-may-be-the-queue-manager's-own",
        RECORD.format("T**"),
        RECORD.format("S**") + RECORD.format("SYSTEM.X"),
        whole=True,
    ),
    Row(
        "REF010",
        "missing",
        "DEFINE TOPIC(T) TOPICSTR('t') MNDURMDL(M)",
        "DEFINE TOPIC(T) TOPICSTR('t') MNDURMDL(M)\nDEFINE QMODEL(M)",
        whole=True,
    ),
    Row(
        "REF011",
        "missing-there",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QL(B)",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QA(A) TARGET(B)",
        whole=True,
    ),
    Row(
        "REF011",
        "a-model-queue-of-a-part",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QMODEL(A)",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QL(B)",
    ),
    Row(
        "REF011",
        "an-alias-of-the-queue-manager-may-lead-elsewhere",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QL(B)",
        f"* on QM1\n{REMOTE}\n* on QM2\nDEFINE QL(B)\nDEFINE QR(QM2) RQMNAME(QM3) XMITQ(Y)",
        whole=True,
    ),
    Row(
        "REF012",
        "another-end",
        ELSEWHERE,
        ELSEWHERE + "DEFINE QL(QM2) USAGE(XMITQ)\n",
        whole=True,
    ),
    Row(
        "REF013",
        "a-template-of-no-file",
        "DEFINE QL(A) LIKE(T)",
        "DEFINE QL(T)\nDEFINE QL(A) LIKE(T)",
    ),
    Row(
        "REF013",
        "of-another-type",
        "DEFINE QL(A) LIKE(SYSTEM.DEFAULT.MODEL.QUEUE)",
        "DEFINE QM(A) LIKE(SYSTEM.DEFAULT.MODEL.QUEUE)",
    ),
    Row(
        "REF013",
        "a-channel-of-another-type",
        "DEFINE CHL(C) CHLTYPE(SVRCONN) LIKE(SYSTEM.DEF.SENDER)",
        "DEFINE CHL(C) CHLTYPE(SDR) LIKE(SYSTEM.DEF.SENDER) CONNAME(h) XMITQ(X)",
    ),
    Row("REF013", "of-itself", "DEFINE QL(A) LIKE(A)", "DEFINE QL(B)\nDEFINE QL(A) LIKE(B)"),
    Row(
        "REF013",
        "of-one-that-is-defined-later",
        "DEFINE QL(A) LIKE(B)\nDEFINE QL(B)",
        "DEFINE QL(A) LIKE(B)\nALTER QL(B) GET(ENABLED)",
    ),
    Row(
        "REF013",
        "a-default-object-is-known",
        "DEFINE QL(A) LIKE(SYSTEM.DEFAULT.LOCAL)",
        "DEFINE QL(A) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE)",
    ),
    Row(
        "REF013",
        "of-channels-and-listeners-too",
        "DEFINE CHL(C) CHLTYPE(SVRCONN) LIKE(T)",
        "DEFINE CHL(C) CHLTYPE(SVRCONN) LIKE(SYSTEM.DEF.SVRCONN)\nDEFINE LSTR(L) LIKE('{{t}}')",
    ),
    Row(
        "BKO002",
        "like-a-default-object",
        BO + "DEFINE QLOCAL(IN) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE) BOQNAME(BO)",
        "ALTER QL(SYSTEM.DEFAULT.LOCAL.QUEUE) BOTHRESH(3)\n"
        + BO
        + "DEFINE QLOCAL(IN) LIKE(SYSTEM.DEFAULT.LOCAL.QUEUE) BOQNAME(BO)",
    ),
    Row(
        "CHL001",
        "of-a-sender",
        SENDER,
        SENDER + "\nDEFINE QL(X) USAGE(XMITQ) TRIGGER INITQ(I)",
        whole=True,
    ),
    Row(
        "CHL001",
        "of-a-server-and-an-alias",
        "DEFINE QA(X) TARGET(Y)\nDEFINE CHANNEL(C) CHLTYPE(SVR) XMITQ(X)",
        "DEFINE QA(X) TARGET(Y)\nDEFINE CHANNEL(C) CHLTYPE(SVRCONN)",
    ),
    Row(
        "CHL002",
        "of-a-sender",
        "DEFINE QL(X) USAGE(XMITQ)\n" + SENDER,
        "DEFINE QL(X) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\n" + SENDER,
    ),
    Row(
        "CHL002",
        "one-that-never-ends",
        "DEFINE QL(X) USAGE(XMITQ)\n" + SENDER,
        "DEFINE QL(X) USAGE(XMITQ)\n" + SENDER + " DISCINT(0)",
    ),
    Row(
        "CHL002",
        "a-server-that-is-called",
        "DEFINE QL(X) USAGE(XMITQ)\nDEFINE CHANNEL(C) CHLTYPE(SVR) XMITQ(X) CONNAME(H)",
        "DEFINE QL(X) USAGE(XMITQ)\nDEFINE CHANNEL(C) CHLTYPE(SVR) XMITQ(X)",
    ),
    Row(
        "CHL003",
        "another-queue",
        TRIGGERED + "TRIGDATA(C)\n" + SENDER.replace("(X)", "(Y)"),
        TRIGGERED + "TRIGDATA(C)\n" + SENDER,
    ),
    Row("CHL003", "missing", TRIGGERED + "TRIGDATA(C)", TRIGGERED, whole=True),
    Row(
        "CHL004",
        "one-port",
        "DEFINE LISTENER(A) TRPTYPE(TCP) PORT(1414)\nDEFINE LISTENER(B) TRPTYPE(TCP) PORT(1414)",
        "DEFINE LISTENER(A) TRPTYPE(TCP) PORT(1414)\nDEFINE LISTENER(B) TRPTYPE(TCP) PORT(1415)",
    ),
    Row(
        "CHL004",
        "two-addresses",
        "DEFINE LISTENER(A) TRPTYPE(TCP) PORT(1)\nDEFINE LISTENER(B) TRPTYPE(TCP) PORT(1)",
        "DEFINE LISTENER(A) TRPTYPE(TCP) PORT(1) IPADDR('10.0.0.1')\n"
        "DEFINE LISTENER(B) TRPTYPE(TCP) PORT(1) IPADDR('10.0.0.2')",
    ),
    Row("CHL005", "missing", CHLAUTH.format("D"), CHLAUTH.format("C"), whole=True),
    Row("CHL005", "generic", CHLAUTH.format("D*"), CHLAUTH.format("C*"), whole=True),
    Row("CHL005", "generic-inside", CHLAUTH.format("C*X"), CHLAUTH.format("*C"), whole=True),
    Row(
        "CHL005",
        "the-queue-manager's-own",
        CHLAUTH.format("SYS.*"),
        CHLAUTH.format("SYSTEM.*") + CHLAUTH.format("*") + CHLAUTH.format("SYSTEM.ADMIN.SVRCONN"),
        whole=True,
    ),
    Row(
        "CHL006",
        "missing-there",
        LINK.format("D", "RCVR"),
        LINK.format("C", "RCVR"),
        whole=True,
    ),
    Row("CHL006", "of-the-wrong-type", LINK.format("C", "SDR"), LINK.format("C", "RQSTR")),
    Row("CHL006", "silent-for-a-part", LINK.format("C", "SVRCONN"), LINK.format("D", "RCVR")),
    Row(
        "CHL006",
        "one-in-between",
        LINK.format("D", "RCVR"),
        LINK.format("D", "RCVR") + "\n* on QM3\nDEFINE CHANNEL(C) CHLTYPE(RCVR)",
        whole=True,
    ),
    Row(
        "CHL007",
        "another-port",
        LINK.format("C", "RCVR") + LISTENER.format(1415, "QMGR"),
        LINK.format("C", "RCVR") + LISTENER.format(1414, "QMGR"),
        whole=True,
    ),
    Row(
        "CHL007",
        "one-started-by-hand-may-be-another",
        LINK.format("C", "RCVR") + LISTENER.format(1415, "QMGR"),
        LINK.format("C", "RCVR") + LISTENER.format(1415, "MANUAL"),
        whole=True,
    ),
    Row("SEC001", "disabled", "ALTER QMGR CHLAUTH(DISABLED)", "ALTER QMGR CHLAUTH(ENABLED)"),
    Row("SEC002", "mqm", SVRCONN + "REPLACE\nALTER CHANNEL(C) MCAUSER('mqm')", SVRCONN),
    Row(
        "SEC002",
        "of-a-domain",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('MUSR_MQADMIN@bank')",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('mqmfriend')",
    ),
    Row(
        "SEC002",
        "a-receiver",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) MCAUSER('mqm')",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)",
    ),
    Row(
        "SEC002",
        "a-map",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('joe') MCAUSER('mqm')",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('mqm') MCAUSER('joe')",
    ),
    Row("SEC003", "blank-by-default", "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)", SVRCONN),
    Row(
        "SEC003",
        "a-map-of-another-channel",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\n"
        + MAPPED.format("D*", "SSLPEERMAP")
        + "SSLPEER('CN=a') MCAUSER('app')",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\n"
        + MAPPED.format("C*", "SSLPEERMAP")
        + "SSLPEER('CN=a') MCAUSER('app')",
    ),
    Row(
        "SEC003",
        "passwords-of-everybody",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nALTER QMGR CONNAUTH(A)\n"
        + PASSWORDS
        + "CHCKCLNT(REQUIRED) ADOPTCTX(NO)",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nALTER QMGR CONNAUTH(A)\n"
        + PASSWORDS
        + "CHCKCLNT(REQUIRED)",
    ),
    Row(
        "SEC003",
        "altered-is-not-known",
        "ALTER CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER(' ')",
        "ALTER CHANNEL(C) CHLTYPE(SVRCONN) DESCR('a')",
    ),
    Row("SEC004", "blank", "ALTER QMGR CONNAUTH(' ')", "ALTER QMGR CONNAUTH(A)"),
    Row(
        "SEC005",
        "of-a-type-without-passwords-that-comes-with-it",
        "ALTER QMGR CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.OCSP)",
        "ALTER QMGR CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)",
    ),
    Row(
        "SEC005",
        "not-there",
        "ALTER QMGR CONNAUTH(B)\n" + PASSWORDS,
        "ALTER QMGR CONNAUTH(A)\n" + PASSWORDS,
        whole=True,
    ),
    Row(
        "SEC005",
        "as-shipped",
        "ALTER QMGR CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.CRLLDAP.X)",
        "ALTER QMGR CONNAUTH(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)",
        whole=True,
    ),
    Row(
        "SEC005",
        "another-type",
        "ALTER QMGR CONNAUTH(A)\nDEFINE AUTHINFO(A) AUTHTYPE(OCSP) OCSPURL('http://o')",
        "ALTER QMGR CONNAUTH(A)",
    ),
    Row("SEC006", "none", PASSWORDS + "CHCKCLNT(NONE)", PASSWORDS),
    Row(
        "SEC006",
        "optional-and-no-rules",
        PASSWORDS + "CHCKCLNT(OPTIONAL)\nALTER QMGR CHLAUTH(DISABLED)",
        PASSWORDS + "CHCKCLNT(OPTIONAL)\nALTER QMGR CHLAUTH(ENABLED)",
    ),
    Row(
        "SEC006",
        "one-that-is-not-in-use",
        PASSWORDS + "CHCKCLNT(NONE)\nALTER QMGR CONNAUTH(A)",
        PASSWORDS + "CHCKCLNT(NONE)\nALTER QMGR CONNAUTH(B)",
    ),
    Row(
        "SEC007",
        "as-it-says",
        MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('*') USERSRC(CHANNEL)",
        MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('*') USERSRC(NOACCESS)",
    ),
    Row(
        "SEC007",
        "any-user",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('*') MCAUSER('app')",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('*') MCAUSER('app') CHCKCLNT(REQUIRED)",
    ),
    Row(
        "SEC007",
        "the-shipped-one",
        MAPPED.format("SYSTEM.DEF.SVRCONN", "ADDRESSMAP") + "ADDRESS('*') USERSRC(CHANNEL)",
        MAPPED.format("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP") + "ADDRESS('*') USERSRC(CHANNEL)",
    ),
    Row(
        "SEC007",
        "one-user-for-all",
        SVRCONN + "\n" + MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('*') MCAUSER('app')",
        TLS + "\n" + MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('*') MCAUSER('app')",
    ),
    Row(
        "SEC008",
        "warn",
        MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('10.*') USERSRC(NOACCESS) WARN(YES)",
        MAPPED.format("C", "ADDRESSMAP") + "ADDRESS('10.*') USERSRC(NOACCESS) WARN(NO)",
    ),
    Row(
        "SEC008",
        "a-later-command-counts",
        BLOCKED.format("C", "'*MQADMIN','it''s'") + "WARN(YES)",
        BLOCKED.format("C", "'*MQADMIN'")
        + "WARN(YES)\n"
        + BLOCKED.format("C", "'*MQADMIN'")
        + "ACTION(REPLACE)",
    ),
    Row(
        "SEC009",
        "nobody",
        BLOCKED.format("C", "'nobody'"),
        BLOCKED.format("C", "'*MQADMIN'"),
    ),
    Row(
        "SEC009",
        "the-shipped-one-is-removed",
        BLOCKED.format("*", "'*MQADMIN'") + "ACTION(REMOVE)",
        BLOCKED.format("C", "'*MQADMIN'") + "ACTION(REMOVE)",
    ),
    Row(
        "SEC009",
        "added-to-the-list",
        BLOCKED.format("C", "'nobody'") + "\n" + BLOCKED.format("C", "'joe'") + "ACTION(ADD)",
        BLOCKED.format("C", "'nobody'") + "\n" + BLOCKED.format("C", "'*MQADMIN'") + "ACTION(ADD)",
    ),
    Row(
        "SEC009",
        "a-channel-of-administrators-that-accepts-any-user-of-a-subnet",
        BLOCKED.format("C", "'nobody'")
        + f"\n{CLOSED}\n{MAPPED.format('C', 'ADDRESSMAP')}ADDRESS('10.*') USERSRC(CHANNEL)",
        BLOCKED.format("C", "'nobody'")
        + f"\n{CLOSED}\n{MAPPED.format('C', 'USERMAP')}CLNTUSER('joe') USERSRC(CHANNEL)",
    ),
    Row(
        "SEC009",
        "a-record-that-is-rejected-is-not-judged",
        BLOCKED.format("C", "'nobody'"),
        "SET CHLAUTH('C') TYPE(BLOCKUSER)",
    ),
    Row("SEC010", "no-cipher", SVRCONN + "SSLPEER('CN=a')", TLS + "SSLPEER('CN=a')"),
    Row(
        "SEC011",
        "peer",
        TLS + "SSLCAUTH(OPTIONAL) SSLPEER('CN=a')",
        TLS + "SSLCAUTH(OPTIONAL)",
    ),
    Row(
        "SEC011",
        "a-map-by-certificate",
        TLS
        + "SSLCAUTH(OPTIONAL)\n"
        + MAPPED.format("C", "SSLPEERMAP")
        + "SSLPEER('CN=a') MCAUSER('a')",
        TLS + "\n" + MAPPED.format("C", "SSLPEERMAP") + "SSLPEER('CN=a') MCAUSER('a')",
    ),
    Row("SEC012", "3des", SVRCONN + "SSLCIPH(TLS_RSA_WITH_3DES_EDE_CBC_SHA)", TLS),
    Row(
        "SEC012",
        "of-a-client",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h') SSLCIPH(RC4_MD5_US)",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h') SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)",
    ),
    Row(
        "SEC012",
        "no-forward-secrecy",
        SVRCONN + "SSLCIPH(TLS_RSA_WITH_AES_128_GCM_SHA256)",
        SVRCONN + "SSLCIPH(TLS_AES_128_GCM_SHA256)",
    ),
    Row(
        "SEC013",
        "by-its-name",
        "ALTER QMGR SSLFIPS(NO)\n" + SVRCONN + "SSLCIPH(FIPS_WITH_3DES_EDE_CBC_SHA)",
        "ALTER QMGR SSLFIPS(NO)\n" + SVRCONN + "SSLCIPH(TLS_AES_128_GCM_SHA256)",
    ),
    Row(
        "SEC013",
        "not-certified",
        "ALTER QMGR SSLFIPS(YES)\n" + SVRCONN + "SSLCIPH(TLS_CHACHA20_POLY1305_SHA256)",
        "ALTER QMGR SSLFIPS(YES)\n" + SVRCONN + "SSLCIPH(TLS_AES_128_GCM_SHA256)",
    ),
    Row("SEC014", "no-cipher", ADMIN, ADMIN + "SSLCIPH(ANY_TLS13)"),
    Row(
        "SEC014",
        "a-map-of-system-channels",
        MAPPED.format("SYSTEM.DEF.*", "ADDRESSMAP") + "ADDRESS('10.*') USERSRC(CHANNEL)",
        MAPPED.format("SYSTEM.DEF.*", "ADDRESSMAP") + "ADDRESS('10.*') USERSRC(NOACCESS)",
    ),
    Row(
        "SEC014",
        "the-shipped-one-is-removed",
        MAPPED.format("SYSTEM.*", "ADDRESSMAP") + "ADDRESS('*') ACTION(REMOVE)",
        MAPPED.format("C.*", "ADDRESSMAP") + "ADDRESS('*') ACTION(REMOVE)",
    ),
    Row(
        "SEC015", "all", GRANTED.format("GROUP('g')", "ALL"), GRANTED.format("GROUP('mqm')", "ALL")
    ),
    Row(
        "SEC015",
        "taken-away-again",
        GRANTED.format("GROUP('g')", "ALLADM,GET"),
        GRANTED.format("GROUP('g')", "ALLADM") + GRANTED.format("GROUP('g')", "GET) AUTHRMV(ALL"),
    ),
    Row(
        "SEC015",
        "setall",
        GRANTED.format("PRINCIPAL('p')", "SETALL"),
        GRANTED.format("PRINCIPAL('p')", "SETID,PASSALL,ALLMQI"),
    ),
    Row(
        "SEC016",
        "a-password",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('Tiger4711')",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('${SECRET}')",
    ),
    Row("SEC016", "of-the-keys", "ALTER QMGR KEYRPWD('k')", "ALTER QMGR KEYRPWD(' ')"),
    Row("TRG001", "itself", STARTED.format("Q"), STARTED.format("I")),
    Row(
        "TRG001",
        "by-an-alias",
        "DEFINE QALIAS(I) TARGET(Q)\n" + STARTED.format("I"),
        "DEFINE QALIAS(I) TARGET(J)\n" + STARTED.format("I"),
    ),
    Row(
        "TRG001",
        "a-transmission-queue",
        "DEFINE QLOCAL(I) USAGE(XMITQ)\n" + STARTED.format("I"),
        "DEFINE QLOCAL(I)\n" + STARTED.format("I"),
    ),
    Row("TRG002", "none", STARTED.format("I") + "TRIGTYPE(NONE)", STARTED.format("I")),
    Row(
        "TRG002",
        "too-deep",
        STARTED.format("I") + "TRIGTYPE(DEPTH) TRIGDPTH(51) MAXDEPTH(50)",
        STARTED.format("I") + "TRIGTYPE(DEPTH) TRIGDPTH(50) MAXDEPTH(50)",
    ),
    Row("TRG003", "blank", "DEFINE QLOCAL(Q) TRIGGER INITQ(I)", STARTED.format("I")),
    Row(
        "TRG003",
        "not-of-a-channel",
        "DEFINE QLOCAL(Q) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)",
        "DEFINE QLOCAL(Q) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) USAGE(XMITQ)",
    ),
    Row("TRG004", "every", TRIGGERED + "TRIGTYPE(EVERY)", TRIGGERED),
    Row(
        "TRG005",
        "a-chain",
        "DEFINE QLOCAL(I) TRIGGER INITQ(Q) PROCESS(P)\n" + STARTED.format("I"),
        "DEFINE QLOCAL(I) INITQ(Q) PROCESS(P)\n" + STARTED.format("I"),
    ),
    Row(
        "CHL008",
        "by-default",
        SENT.format("MAXMSGL(4194305)", ""),
        SENT.format("MAXMSGL(4194304)", ""),
    ),
    Row(
        "CHL008",
        "what-the-queue-manager-takes",
        SENT.format("", " MAXMSGL(1000)"),
        SENT.format("", " MAXMSGL(0)"),
    ),
    Row(
        "CHL009",
        "two",
        SENT.format("", "") + "\nDEFINE CHANNEL(D) CHLTYPE(SVR) XMITQ(X)",
        SENT.format("", "") + "\nDEFINE CHANNEL(D) CHLTYPE(SVR) XMITQ(Y)",
    ),
    Row(
        "CHL010",
        "behind",
        "DEFINE CHANNEL(C) TRPTYPE(TCP) CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) TRPTYPE(TCP)",
    ),
    Row(
        "CHL010",
        "behind-replace",
        "DEFINE CHANNEL(C) REPLACE CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) REPLACE",
    ),
    Row(
        "REF014",
        "by-its-object",
        DURABLE.format("DURSUB(NO)", "TOPICOBJ(T)"),
        DURABLE.format("DURSUB(YES)", "TOPICOBJ(T)"),
    ),
    Row(
        "REF014",
        "by-a-string-below",
        DURABLE.format("DURSUB(NO)", "TOPICSTR('a/b/c')"),
        DURABLE.format("DURSUB(NO)", "TOPICSTR('a/bc')"),
    ),
    Row(
        "REF014",
        "the-nearest-counts",
        DURABLE.format("DURSUB(NO)", "TOPICSTR('a/b/c')")
        + "\nDEFINE TOPIC(U) TOPICSTR('a') DURSUB(YES)",
        DURABLE.format("DURSUB(NO)", "TOPICSTR('a/b/c')")
        + "\nDEFINE TOPIC(U) TOPICSTR('a/b/c') DURSUB(YES)",
    ),
    Row(
        "REF015",
        "one-of-two",
        BO + "DEFINE NAMELIST(N) NAMES(BO,OTHER)",
        BO + "DEFINE NAMELIST(N) NAMES(CLUSTER1,OTHER)",
        whole=True,
    ),
    Row(
        "REF016",
        "storage-class",
        "DEFINE QLOCAL(Q) STGCLASS(MINE)",
        "DEFINE QLOCAL(Q) STGCLASS(MINE)\nDEFINE STGCLASS(MINE) PSID(4)\nDEFINE QLOCAL(R)",
        ZOS,
        whole=True,
    ),
    Row(
        "REF016",
        "structure",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(MINE)",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(MINE)\nDEFINE CFSTRUCT(MINE)",
        ZOS,
        whole=True,
    ),
    Row(
        "QUE012",
        "shared",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED)",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(MINE)",
        ZOS,
    ),
    Row(
        "QUE013",
        "twice",
        "DEFINE TOPIC(A) TOPICSTR('x')\nDEFINE TOPIC(B) TOPICSTR('x')",
        "DEFINE TOPIC(A) TOPICSTR('x')\nDEFINE TOPIC(B) TOPICSTR('X')",
    ),
    Row(
        "QUE005",
        "above-the-default-of-a-whole-queue-manager",
        "DEFINE QLOCAL(Q) MAXMSGL(4194305)",
        "DEFINE QLOCAL(Q) MAXMSGL(4194304)",
        whole=True,
    ),
    Row(
        "TRG006",
        "no-get",
        "DEFINE QLOCAL(I) GET(DISABLED)\n" + STARTED.format("I"),
        "DEFINE QLOCAL(I)\n" + STARTED.format("I") + "GET(DISABLED)",
    ),
    Row(
        "TRG006",
        "no-put",
        "DEFINE QLOCAL(I) PUT(DISABLED)\n" + STARTED.format("I"),
        "DEFINE QLOCAL(I) PUT(DISABLED)\nDEFINE QLOCAL(Q) INITQ(I)",
    ),
    Row("TRG007", "nothing", "DEFINE PROCESS(P)", "DEFINE PROCESS(P) APPLICID('run')"),
    Row("TRG007", "blanks", "DEFINE PROCESS(P) APPLICID(' ')", "DEFINE PROCESS(P) USERDATA(C)"),
    Row("TRG007", "later", "DEFINE PROCESS(P) DESCR(x)", "DEFINE PROCESS(P) LIKE(O)"),
    Row(
        "TRG007",
        "altered",
        "ALTER PROCESS(P) APPLICID('') USERDATA('')",
        "ALTER PROCESS(P) APPLICID('')",
    ),
    Row("CHL011", "swapped", TLS + "MAXINST(3) MAXINSTC(30)", TLS + "MAXINST(3)"),
    Row(
        "CHL012",
        "in-none",
        "DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) CONNAME('h')",
        "DEFINE CHANNEL(C) CHLTYPE(CLUSSDR) CONNAME('h') CLUSNL(N)",
    ),
    Row(
        "CHL012",
        "a-model-apart",
        "DEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CONNAME('h')",
        "DEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CONNAME('h')\n"
        "DEFINE CHANNEL(D) CHLTYPE(CLUSRCVR) LIKE(C) CLUSTER(K)",
    ),
    Row(
        "REF008",
        "of-revocation-lists",
        "ALTER QMGR SSLCRLNL(N)",
        "ALTER QMGR SSLCRLNL(N)\nDEFINE NAMELIST(N)",
        whole=True,
    ),
    Row(
        "REF017",
        "missing",
        "DEFINE TOPIC(T) TOPICSTR('x') COMMINFO(N)",
        "DEFINE TOPIC(T) TOPICSTR('x') COMMINFO(N)\nDEFINE COMMINFO(N)\n"
        "DEFINE TOPIC(U) TOPICSTR('u') COMMINFO(SYSTEM.DEFAULT.COMMINFO.MULTICAST)",
        whole=True,
    ),
    Row(
        "REF018",
        "altered",
        "ALTER LISTENER(L) PORT(1)",
        "DEFINE LISTENER(L) TRPTYPE(TCP)\nALTER LISTENER(L) PORT(1)\n"
        "ALTER QLOCAL(SYSTEM.DEAD.LETTER.QUEUE) MAXDEPTH(9)",
        whole=True,
    ),
    Row(
        "REF018",
        "started",
        "START CHANNEL(D)",
        SVRCONN + "\nSTART CHANNEL(C)\nSTART LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)\n"
        "DEFINE LISTENER(L) TRPTYPE(TCP)\nSTART LISTENER(L)\nDELETE LISTENER(L)",
        whole=True,
    ),
    Row(
        "SEC007",
        "every-certificate",
        MAPPED.format("C", "SSLPEERMAP") + "SSLPEER('CN=*,O=*') USERSRC(CHANNEL)",
        MAPPED.format("C", "SSLPEERMAP") + "SSLPEER('CN=*,O=Bank') USERSRC(CHANNEL)",
    ),
    Row(
        "SEC007",
        "every-certificate-of-an-issuer-apart",
        MAPPED.format("C", "SSLPEERMAP") + "SSLPEER('*') USERSRC(MAP) MCAUSER('x')",
        MAPPED.format("C", "SSLPEERMAP") + "SSLPEER('*') SSLCERTI('CN=Bank CA') MCAUSER('x')",
    ),
    Row(
        "SEC007",
        "every-queue-manager",
        MAPPED.format("C", "QMGRMAP") + "QMNAME('*') USERSRC(CHANNEL)",
        MAPPED.format("C", "QMGRMAP") + "QMNAME('QM*') USERSRC(CHANNEL)",
    ),
    Row(
        "SEC015",
        "definitions",
        GRANTED.format("GROUP('app')", "GET,DLT"),
        GRANTED.format("GROUP('app')", "GET,DSP"),
    ),
    Row(
        "SEC016",
        "of-a-token",
        "ALTER QMGR SSLCRYP('GSK_PKCS11=/lib/p.so;token;secret;SYMMETRIC_CIPHER_ON;')",
        "ALTER QMGR SSLCRYP('GSK_PKCS11=/lib/p.so;token;${PIN};')",
    ),
    Row(
        "SEC017",
        "told",
        "DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('h') SHORTUSR(u) SECCOMM(NO)",
        "DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) CONNAME('h') SHORTUSR(u) SECCOMM(ANON)",
    ),
    Row("SEC018", "enabled", "ALTER QMGR CHAD(ENABLED)", "ALTER QMGR CHAD(DISABLED)"),
    Row(
        "SEC015",
        "setall-of-a-channel",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) MCAUSER('m')\n"
        + GRANTED.format("PRINCIPAL('p')", "SETALL"),
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) MCAUSER('p')\n"
        + GRANTED.format("PRINCIPAL('p')", "SETALL"),
    ),
    Row(
        "SEC015",
        "setall-of-a-map",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)\nSET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.1.1') +\n"
        "MCAUSER('p')\n" + GRANTED.format("PRINCIPAL('p')", "ALL"),
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)\nSET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.1.1.1') +\n"
        "MCAUSER('p')\n" + GRANTED.format("PRINCIPAL('p')", "SETALL"),
    ),
    Row(
        "SEC015",
        "other-users",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT,ALTUSR)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT,INQ)",
    ),
    Row(
        "SEC015",
        "of-the-queue-manager-itself",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT,SYSTEM)",
        "SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CONNECT)",
    ),
    Row(
        "SEC019",
        "by-default",
        "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('10.1.1.1')",
        "SET CHLAUTH('C') TYPE(ADDRESSMAP) ADDRESS('10.1.1.1') USERSRC(CHANNEL)",
    ),
    Row(
        "SEC019",
        "said",
        "SET CHLAUTH('C') TYPE(QMGRMAP) QMNAME(QM2) USERSRC(MAP)",
        "SET CHLAUTH('C') TYPE(QMGRMAP) QMNAME(QM2) USERSRC(MAP) MCAUSER('${USER}')",
    ),
    Row(
        "QUE012",
        "by-token",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(MINE) INDXTYPE(MSGTOKEN)",
        "DEFINE QLOCAL(Q) QSGDISP(SHARED) CFSTRUCT(MINE) INDXTYPE(MSGID)",
        ZOS,
    ),
    Row(
        "QUE014",
        "not-recoverable",
        "DEFINE CFSTRUCT(C) CFLEVEL(5)\nDEFINE QL(Q) QSGDISP(SHARED) CFSTRUCT(C) DEFPSIST(YES)",
        "DEFINE CFSTRUCT(C) CFLEVEL(5)\nDEFINE QL(Q) QSGDISP(SHARED) CFSTRUCT(C) DEFPSIST(NO)",
        ZOS,
    ),
    Row(
        "QUE014",
        "of-a-low-level",
        "DEFINE CFSTRUCT(C) CFLEVEL(2) RECOVER(YES)",
        "DEFINE CFSTRUCT(C) CFLEVEL(3) RECOVER(YES)",
        ZOS,
    ),
    Row(
        "QUE003",
        "of-a-topic",
        "DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)",
        "DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)\nDEFINE TOPIC(T) TOPICSTR('t')",
        whole=True,
    ),
    Row(
        "REF014",
        "no-subscription-at-all",
        "DEFINE TOPIC(T) TOPICSTR('t') SUB(DISABLED)\nDEFINE SUB(S) TOPICSTR('t/u') DEST(Q)",
        "DEFINE TOPIC(T) TOPICSTR('t') SUB(DISABLED)\nDEFINE TOPIC(U) TOPICSTR('t/u') +\n"
        "SUB(ENABLED)\nDEFINE SUB(S) TOPICSTR('t/u') DEST(Q)",
    ),
    Row(
        "REF019",
        "of-a-storage-class",
        "DEFINE PSID(03) BUFFPOOL(3)\nDEFINE STGCLASS(S) PSID(30)",
        "DEFINE PSID(03) BUFFPOOL(3)\nDEFINE STGCLASS(S) PSID(3)",
        ZOS,
    ),
    Row(
        "REF019",
        "of-a-page-set",
        "DEFINE BUFFPOOL(3) BUFFERS(9000)\nDEFINE PSID(03) BUFFPOOL(4)",
        "DEFINE PSID(03) BUFFPOOL(4)",
        ZOS,
    ),
    Row(
        "CHL013",
        "a-port",
        SENDER.replace("'h'", "'h(1),i:1415'"),
        SENDER.replace("'h'", "'fe80::1'"),
    ),
    Row("CHL014", "never-again", SENDER + " LONGRTY(0)", SENDER + " SHORTRTY(0)"),
    Row(
        "CHL015",
        "of-a-sender",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) DISCINT(5)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) HBINT(5)",
    ),
    Row("CHL013", "unclosed", SENDER.replace("'h'", "'h(1414'"), SENDER),
    Row(
        "CHL013",
        "no-such-port",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h(1414),i(99999)')",
        "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h(1414),i(65535)')",
    ),
    Row(
        "CHL013",
        "of-another-transport",
        SENDER.replace("'h'", "'h(99999)'"),
        SENDER.replace("'h'", "'h(99999)'") + " TRPTYPE(SPX)",
    ),
    Row(
        "QUE010",
        "another-channel-type",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)\nALTER CHANNEL(C) CHLTYPE(SDR) DESCR('x')",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)\nALTER CHANNEL(C) CHLTYPE(RCVR) DESCR('x')",
    ),
    Row(
        "QUE010",
        "defined-as-another-type",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR)\nALTER CHANNEL(C) CHLTYPE(SDR) DESCR('x')",
        "ALTER CHANNEL(C) CHLTYPE(RCVR)\nALTER CHANNEL(C) CHLTYPE(SDR) DESCR('x')",
    ),
    Row(
        "QUE010",
        "a-client-channel-of-the-name",
        "DEFINE AUTHINFO(A) AUTHTYPE(OCSP)\nALTER AUTHINFO(A) AUTHTYPE(IDPWOS)",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN)\nALTER CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME(H)",
    ),
    Row(
        "QUE011",
        "to-a-system-queue",
        "DEFINE QL(A) STREAMQ(SYSTEM.DEAD.LETTER.QUEUE)",
        "DEFINE QL(A) STREAMQ(SYSTEM.DEFAULT.LOCAL.QUEUE)",
    ),
    Row(
        "QUE011",
        "of-a-system-queue",
        "ALTER QL(SYSTEM.DDELAY.LOCAL.QUEUE) STREAMQ(B)",
        "ALTER QL(SYSTEM.ADMIN.QMGR.EVENT) STREAMQ(B)",
    ),
    Row(
        "QUE011",
        "of-a-destination",
        "DEFINE QL(A) STREAMQ(B)\nDEFINE SUB(S) TOPICSTR('t') DEST(A)",
        "DEFINE QL(A) STREAMQ(B)\nDEFINE SUB(S) TOPICSTR('t') DEST(A) DESTQMGR(QM2)",
    ),
    Row(
        "QUE015",
        "in-a-cluster",
        "DEFINE QL(X) USAGE(XMITQ)\nALTER QL(X) CLUSNL(N)",
        "DEFINE QL(X) USAGE(NORMAL)\nALTER QL(X) CLUSNL(N)",
    ),
    Row(
        "QUE015",
        "of-channels",
        "DEFINE QL(X) CLCHNAME('C.*')",
        "DEFINE QL(X) CLCHNAME('C.*') USAGE(XMITQ)",
    ),
    Row(
        "QUE016",
        "of-depth",
        "ALTER QMGR PERFMEV(DISABLED)\nDEFINE QL(A) QDPLOEV(ENABLED)",
        "ALTER QMGR PERFMEV(ENABLED)\nDEFINE QL(A) QDPLOEV(ENABLED)",
    ),
    Row(
        "QUE016",
        "of-service",
        "ALTER QMGR PERFMEV(DISABLED)\nDEFINE QL(A) QSVCIEV(OK)",
        "ALTER QMGR PERFMEV(DISABLED)\nDEFINE QL(A) QDPMAXEV(ENABLED)",
    ),
    Row("EXP007", "no-pair", ORDERS + "CUSTOM('CAPEXPRY=600')", ORDERS + "CUSTOM('A(=) B(1)')"),
    Row("EXP007", "no-value", ORDERS + "CUSTOM('CAPEXPRY(0)')", ORDERS + "CUSTOM('CAPEXPRY(1)')"),
    Row(
        "EXP007",
        "misspelt",
        "ALTER TOPIC(T) CUSTOM('A(1) CAPEXPIRY(6000)')",
        "ALTER TOPIC(T) CUSTOM('A(1) CAPEXPRY(NOLIMIT)')",
    ),
    Row(
        "REF002",
        "an-alias",
        "DEFINE QA(I) TARGET(J)\n" + STARTED.format("I"),
        "DEFINE QL(I)\n" + STARTED.format("I"),
    ),
    Row(
        "REF011",
        "of-no-queue-manager",
        "DEFINE QREMOTE(R) RNAME(A) XMITQ(X)",
        "DEFINE QREMOTE(R) RNAME(' ') RQMNAME(' ') XMITQ(X)",
    ),
    Row(
        "REF015",
        "of-revocation-lists",
        "ALTER QMGR SSLCRLNL(N)\nDEFINE NAMELIST(N) NAMES(A,B)\nDEFINE AUTHINFO(A)"
        " AUTHTYPE(OCSP) OCSPURL('http://o')",
        "ALTER QMGR SSLCRLNL(N)\nDEFINE NAMELIST(N) NAMES(A)\nDEFINE AUTHINFO(A)"
        " AUTHTYPE(OCSP) OCSPURL('http://o')",
        whole=True,
    ),
    Row(
        "REF015",
        "of-passwords",
        "ALTER QMGR SSLCRLNL(N)\nDEFINE NAMELIST(N) NAMES(A)\n" + PASSWORDS,
        "DEFINE NAMELIST(N) NAMES(A)\n" + PASSWORDS,
    ),
    Row(
        "SEC009",
        "nearly-the-name-of-administrators",
        BLOCKED.format("*", "'*MQADMINS'"),
        BLOCKED.format("*", "'nobody','*MQADMIN'"),
    ),
    Row(
        "SEC015",
        "everybody-may-send-commands",
        COMMANDS.format("nobody", "PUT,INQ"),
        COMMANDS.format("nobody", "INQ,DSP") + COMMANDS.format("monitors", "PUT"),
    ),
    Row(
        "SEC020",
        "of-a-channel",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('thirteenchars')",
        "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MCAUSER('twelve_chars')",
    ),
    Row(
        "SEC020",
        "of-a-map-but-not-of-a-domain",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('joe') MCAUSER('thirteenchars')",
        MAPPED.format("C", "USERMAP") + "CLNTUSER('joe') MCAUSER('thirteenchars@bank')",
    ),
    Row(
        "SEC021",
        "not-refreshed",
        "REFRESH SECURITY TYPE(CONNAUTH)\nALTER QMGR CONNAUTH(A)",
        "ALTER QMGR CONNAUTH(A)\nREFRESH SECURITY(*) TYPE(CONNAUTH)",
    ),
    Row(
        "SEC021",
        "of-a-script-and-no-dump",
        "ALTER QMGR CONNAUTH(A)",
        "* Script generated on 2025-06-30\n* Queue manager name: QM1\n"
        "* Queue manager command level: (940/940)\nALTER QMGR CONNAUTH(A)",
    ),
    Row(
        "TRG008",
        "a-channel",
        TRIGGERED.replace("SYSTEM.CHANNEL.INITQ", "SYSTEM.DEFAULT.INITIATION.QUEUE"),
        TRIGGERED,
    ),
    Row(
        "TRG008",
        "a-program",
        STARTED.format("SYSTEM.CHANNEL.INITQ"),
        STARTED.format("SYSTEM.DEFAULT.INITIATION.QUEUE"),
    ),
    Row(
        "DLQ002",
        "shorter-than-a-transmission-queue",
        DLQ + "MAXMSGL(4096)\nDEFINE QLOCAL(X) USAGE(XMITQ) MAXMSGL(8000)",
        DLQ + "MAXMSGL(4096)\nDEFINE QLOCAL(X) USAGE(XMITQ) MAXMSGL(3924)",
    ),
    Row(
        "DLQ002",
        "no-message-is-longer-than-the-queue-manager-takes",
        DLQ + "MAXMSGL(39999)\nALTER QMGR MAXMSGL(40000)\nDEFINE QLOCAL(Q) MAXMSGL(80000)",
        DLQ + "MAXMSGL(40000)\nALTER QMGR MAXMSGL(40000)\nDEFINE QLOCAL(Q) MAXMSGL(80000)",
    ),
    Row(
        "TRG009",
        "a-program",
        STARTED.format("I") + "GET(DISABLED)",
        "DEFINE QLOCAL(Q) NOTRIGGER INITQ(I) PROCESS(P) GET(DISABLED)",
    ),
    Row("CHL018", "get-disabled", SENT.format("GET(DISABLED)", ""), SENT.format("", "")),
    Row(
        "CHL019",
        "by-name",
        TO_ITSELF.format("g", "A").replace("'h(1414)'", "'LOCALHOST(1414)'"),
        TO_ITSELF.format("localhost(1415)", "A").replace("'h(1414)'", "'localhost(1414)'"),
    ),
    Row(
        "CHL019",
        "by-address",
        TO_ITSELF.format("g", "A").replace("'h(1414)'", "'127.0.0.1'"),
        TO_ITSELF.format("g", "B").replace("'h(1414)'", "'127.0.0.1'"),
    ),
    Row(
        "QUE020",
        "many-levels",
        "DEFINE TOPIC(T) TOPICSTR('a/#')",
        "DEFINE TOPIC(T) TOPICSTR('a/#1')",
    ),
    Row("QUE020", "one-level", "DEFINE TOPIC(T) TOPICSTR('+')", "DEFINE TOPIC(T) TOPICSTR('a+b')"),
    Row(
        "QUE021",
        "by-characters",
        "DEFINE SUB(S) TOPICSTR('a/#') DEST(D) WSCHEMA(CHAR)",
        "DEFINE SUB(S) TOPICSTR('a/#') DEST(D)",
    ),
    Row(
        "QUE021",
        "by-levels",
        "DEFINE SUB(S) TOPICSTR('a/*') DEST(D) WSCHEMA(TOPIC)",
        "DEFINE SUB(S) TOPICSTR('a/*') DEST(D) WSCHEMA(CHAR)",
    ),
    Row("QUE018", "none", "DEFINE QLOCAL(Q) MAXDEPTH(0)", "DEFINE QLOCAL(Q) MAXDEPTH(1)"),
    Row(
        "QUE019",
        "as-supplied",
        "DEFINE QLOCAL(Q) QSVCIEV(HIGH)",
        "DEFINE QLOCAL(Q) QSVCIEV(HIGH) QSVCINT(999999998)",
    ),
    Row(
        "QUE019",
        "said-of-a-queue-whose-events-are-on",
        "DEFINE QLOCAL(Q) QSVCIEV(OK) QSVCINT(999999999)",
        "DEFINE QLOCAL(Q) QSVCIEV(NONE) QSVCINT(999999999)",
    ),
    Row(
        "QUE017",
        "a-dot-left-out",
        "DEFINE QLOCAL(SYSTEM.DDELAY.LOCALQUEUE)",
        "DEFINE QLOCAL(SYSTEM.DDELAY.LOCAL.QUEUE)",
    ),
    Row(
        "QUE017",
        "a-name-of-its-own",
        "DEFINE QLOCAL(SYSTEM.DEAD.LETER.QUEUE)",
        "DEFINE QLOCAL(SYSTEM.ORDERS.QUEUE)",
    ),
    Row(
        "CHL016",
        "a-client",
        CLIENT.format("SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)", "TLS_AES_256_GCM_SHA384"),
        CLIENT.format("SSLCIPH(TLS_AES_256_GCM_SHA384)", "ANY_TLS12_OR_HIGHER"),
    ),
    Row(
        "CHL016",
        "a-client-without-one",
        CLIENT.format("", "ANY_TLS12_OR_HIGHER"),
        CLIENT.format("SSLCIPH('${CIPHER}')", "ANY_TLS12_OR_HIGHER"),
    ),
    Row(
        "CHL016",
        "a-receiver-elsewhere",
        LINK.format("C", "RCVR") + " SSLCIPH(ANY_TLS13)",
        LINK.format("C", "RCVR"),
        whole=True,
    ),
    Row("CHL017", "the-same-port", TO_ITSELF.format("H", "A"), TO_ITSELF.format("h(1415)", "A")),
    Row(
        "CHL017",
        "another-cluster",
        TO_ITSELF.format("g(1415),h(1414)", "A"),
        TO_ITSELF.format("g(1415),h(1414)", "B"),
    ),
    Row(
        "REF005",
        "the-queue-takes-none",
        "DEFINE QLOCAL(D) PUT(DISABLED)\nDEFINE SUB(S) TOPICSTR('a') DEST(D)",
        "DEFINE QLOCAL(D) GET(DISABLED)\nDEFINE SUB(S) TOPICSTR('a') DEST(D)",
    ),
    Row(
        "REF007",
        "a-full-repository",
        "ALTER QMGR REPOS(A)",
        "ALTER QMGR REPOS(A)\nDEFINE CHANNEL(C) CHLTYPE(CLUSRCVR) CONNAME('h') CLUSTER(A)",
        whole=True,
    ),
)
