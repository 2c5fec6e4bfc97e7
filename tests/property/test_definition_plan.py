"""plan and apply on queue managers and desired states that nobody thought of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.definitions.desired import OTHER_KINDS, kinds_on, settable
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import apply, plan_definitions
from mqtriage.emulator.admin.mqsc_server import execute
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding
from tests.support.scale import amount

KINDS = {
    "A": "QLOCAL", "A.BO": "QLOCAL", "B": "QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE": "QLOCAL",
    "M": "QMODEL", "C": "CHANNEL", "SYSTEM.DEF.SVRCONN": "CHANNEL", "L": "LISTENER",
    "S": "SUB", "N": "NAMELIST", "P": "PROCESS", "V": "SERVICE", "I": "AUTHINFO",
    "AL": "QALIAS", "R": "QREMOTE", "T": "TOPIC", "SYSTEM.BASE.TOPIC": "TOPIC",
}  # fmt: skip
NAMES = st.sampled_from(list(KINDS))
QUEUE = st.sampled_from(["A", "A.BO", "B"])
ATTRIBUTES = st.one_of(
    st.builds("BOTHRESH({})".format, st.sampled_from([0, 1, 3])),
    st.builds("BOQNAME({})".format, QUEUE),
    st.builds("MAXDEPTH({})".format, st.sampled_from([0, 5000, 999_999_999])),
    st.builds("MAXMSGL({})".format, st.sampled_from([100, 4_194_304])),
    st.builds("STREAMQ({})".format, st.sampled_from(["' '", "C"])),
    st.sampled_from(
        ["PUT(DISABLED)", "GET(DISABLED)", "USAGE(XMITQ)", "NOSHARE", "TRIGGER", "TRIGDPTH(9)",
         "DESCR('it''s')", "DESCR(' ')", "DEFPSIST(YES)", "CAPEXPRY(600)", "QDEPTHHI(70)"]
    ),
)  # fmt: skip

TOPIC_ATTRIBUTES = st.sampled_from(
    ["PMSGDLV(ALL)", "NPMSGDLV(ALLAVAIL)", "DEFPSIST(YES)", "PUB(DISABLED)", "MDURMDL(M)",
     "DESCR('it''s')", "CAPEXPRY(600)", "DEFPRTY(3)"]
)  # fmt: skip

OTHERS = {
    "CHANNEL": (
        "CHLTYPE(SVRCONN)",
        ["MCAUSER(app)", "DESCR('it''s')", "SHARECNV(1)", "MAXMSGL(100)", "SSLCIPH(ANY_TLS12)"],
    ),
    "LISTENER": ("TRPTYPE(TCP)", ["PORT(1415)", "CONTROL(QMGR)", "IPADDR(::1)"]),
    "SUB": ("TOPICSTR('a/b') DEST(B)", ["USERDATA(u)", "PUBPRTY(3)", "VARUSER(FIXED)"]),
    "NAMELIST": ("NAMES(A,B)", ["DESCR(d)"]),
    "PROCESS": ("", ["APPLICID('/bin/true')", "USERDATA(u)"]),
    "SERVICE": ("", ["STARTCMD('/bin/true')", "SERVTYPE(SERVER)"]),
    "AUTHINFO": ("AUTHTYPE(IDPWOS)", ["CHCKCLNT(REQUIRED)", "FAILDLAY(5)"]),
}
AUTHORITIES = st.sampled_from(["GET", "PUT", "BROWSE", "ALL", "ALLMQI", "NONE", "CRT"])
OF_MANAGER = st.sampled_from(["CONNECT", "INQ", "DSP", "ALL", "ALLMQI", "NONE", "CRT"])
RECORDS = st.one_of(
    st.builds(
        "SET AUTHREC PROFILE({}) OBJTYPE(QUEUE) GROUP(g) AUTHADD({}) AUTHRMV({})".format,
        QUEUE, AUTHORITIES, AUTHORITIES,
    ),
    st.builds("DELETE AUTHREC PROFILE({}) OBJTYPE(QUEUE) GROUP(g)".format, QUEUE),
    st.builds("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL(p) AUTHADD({})".format, OF_MANAGER),
    st.builds(
        "SET CHLAUTH(C*) TYPE(ADDRESSMAP) ADDRESS({}) {} ACTION({})".format,
        st.sampled_from(["'*'", "'10.*'"]),
        st.sampled_from(["USERSRC(NOACCESS)", "MCAUSER(app)", "USERSRC(CHANNEL) DESCR(d)"]),
        st.sampled_from(["ADD", "REPLACE"]),
    ),
    st.builds(
        "SET CHLAUTH(*) TYPE(BLOCKUSER) USERLIST({}) ACTION({})".format,
        st.sampled_from(["a", "'b','a'", "'*MQADMIN'"]),
        st.sampled_from(["ADD", "REPLACE", "REMOVE"]),
    ),
    st.sampled_from(
        ["SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ACTION(REMOVEALL)",
         "SET CHLAUTH(C*) TYPE(ADDRESSMAP) ADDRESS('*') ACTION(REMOVE)"]
    ),
)  # fmt: skip


@st.composite
def definition(draw: st.DrawFn, name: str) -> str:
    kind = KINDS[name]
    if kind == "QALIAS":
        return f"DEFINE QALIAS({name}) TARGET({draw(QUEUE)}) REPLACE"
    if kind == "TOPIC":
        words = draw(
            st.lists(TOPIC_ATTRIBUTES, max_size=3, unique_by=lambda w: w.partition("(")[0])
        )
        verb = "ALTER" if name.startswith("SYSTEM.") else "DEFINE"
        head = f"{verb} TOPIC({name})"
        return " ".join([head, *words] if verb == "ALTER" else [head, "TOPICSTR('a/b')", *words])
    if kind == "QREMOTE":
        return f"DEFINE QREMOTE({name}) RNAME(X) RQMNAME(QM9) XMITQ({draw(QUEUE)}) REPLACE"
    if kind in OTHERS:
        first, more = OTHERS[kind]
        chosen = draw(st.lists(st.sampled_from(more), max_size=3, unique=True))
        return " ".join([f"DEFINE {kind}({name})", first, *chosen, "REPLACE"])
    words = draw(st.lists(ATTRIBUTES, max_size=4, unique_by=lambda word: word.partition("(")[0]))
    return " ".join([f"DEFINE {kind}({name})", *words, "REPLACE"])


@st.composite
def state(draw: st.DrawFn) -> list[str]:
    """Definitions of some objects, an ALTER QMGR, and deletions of some others."""
    names = draw(st.lists(NAMES, max_size=8, unique=True))
    manager = draw(st.sampled_from(["", "ALTER QMGR DEADQ(B)", "ALTER QMGR MAXMSGL(200000)"]))
    others = st.sampled_from([n for n in KINDS if n not in names and "." not in n] or ["NONE"])
    gone = draw(st.lists(others, max_size=2, unique=True))
    defined = [draw(definition(name)) for name in names]
    deleted = [f"DELETE {KINDS.get(name, 'QLOCAL')}({name})" for name in gone]
    records = draw(st.lists(RECORDS, max_size=3))
    return [command for command in (*defined, manager, *deleted, *records) if command]


@contextmanager
def running(commands: list[str]) -> Iterator[EmulatedBackend]:
    """A queue manager on which the commands were run, as far as it takes them."""
    with tempfile.TemporaryDirectory() as folder:
        manager = open_manager(create(Path(folder), "QM1"))
        manager.watch_changes()
        backend = EmulatedBackend(manager)
        try:
            run(backend, "\n".join(commands))
            yield backend
        finally:
            backend.disconnect()


def run(backend: EmulatedBackend, text: str) -> list[CommandEnding]:
    script = parse(text)
    return [execute(backend.connection, script, command).ending for command in script.commands]


def shown(backend: EmulatedBackend) -> dict[str, dict[str, AttributeValue]]:
    """Every queue and the queue manager, as far as they can be set."""
    live = read_live(backend, kinds=OTHER_KINDS)
    assert live.kinds_read == list(kinds_on("dist"))
    things = [q for q in live.queues.values() if not q.name.startswith("SYSTEM.MANAGED.")]
    things += [thing for objects in live.others.values() for thing in objects.values()]
    by_object = {f"{q.kind} {q.name}": settable(q.kind, q.attributes) for q in things}
    return {**by_object, "QMGR": settable("QMGR", live.queue_manager)}


@pytest.mark.slow
@given(before=state(), commands=state(), exact=st.booleans())
@settings(max_examples=amount(8), suppress_health_check=[HealthCheck.too_slow])
def test_apply_settles_and_the_way_back_takes_all_of_it_back(
    before: list[str], commands: list[str], exact: bool
) -> None:
    scripts = [parse("\n".join(commands))]
    with running(before) as backend:
        was = shown(backend)
        plan = plan_definitions(backend, scripts, exact=exact)
        assert shown(backend) == was, "planning changes nothing"
        if plan.difference.refusals:
            return  # USAGE of a queue that is open or used, MAXMSGL above the queue manager's
        applied = apply(backend, plan)
        assert applied.failure is None
        assert plan_definitions(backend, scripts, exact=exact).changes == []
        assert set(run(backend, "\n".join(plan.difference.back))) <= {CommandEnding.DONE}
        assert shown(backend) == was
