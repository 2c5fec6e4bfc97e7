"""Connecting, opening, inquiring and setting through the `ibmmq` wheel and our library."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mqtriage.emulator.admin import authority_records, lifecycle
from mqtriage.emulator.core.tables.state import QUIESCING
from tests.mqi.conftest import Served
from tests.mqi.test_ibmmq_messages import failure, opened


def test_an_unknown_queue_manager_is_2058(ibmmq: Any, served: Served) -> None:
    assert failure(ibmmq, ibmmq.connect, "NOBODY") == (2, 2058)


def test_a_queue_manager_without_a_server_is_2059(ibmmq: Any, served: Served) -> None:
    served.stop()
    assert failure(ibmmq, ibmmq.connect, "QM1") == (2, 2059)


def test_a_stopped_queue_manager_is_2059(ibmmq: Any, served: Served) -> None:
    lifecycle.stop(served.backend().manager)
    assert failure(ibmmq, ibmmq.connect, "QM1") == (2, 2059)


def test_a_queue_manager_that_stops_breaks_connections(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    lifecycle.stop(served.backend().manager)
    assert failure(ibmmq, queue.put, b"x") == (2, 2009)


def test_a_server_that_goes_breaks_connections(ibmmq: Any, served: Served, qmgr: Any) -> None:
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    served.stop()
    for _ in range(2):
        assert failure(ibmmq, queue.put, b"x") == (2, 2009)


def test_a_server_that_comes_back_is_reached(ibmmq: Any, served: Served) -> None:
    served.stop()
    served.start()
    connection = ibmmq.connect("QM1")
    assert connection.inquire(ibmmq.CMQC.MQCA_Q_MGR_NAME).rstrip() == b"QM1"
    connection.disconnect()


def test_client_mode_ignores_where_the_channel_leads(ibmmq: Any, served: Served) -> None:
    connection = ibmmq.connect("QM1", "DEV.APP.SVRCONN", "nowhere(1414)", "app", "secret")
    connection.disconnect()


@pytest.mark.slow
def test_a_wrong_password_is_2035(
    ibmmq: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    served = Served(tmp_path, {"app": "secret"})
    try:
        for given in (("app", "wrong"), ("other", "secret"), (None, None)):
            with pytest.raises(ibmmq.MQMIError) as caught:
                ibmmq.connect("QM1", "C", "h(1)", *given)
            assert caught.value.reason == 2035
        ibmmq.connect("QM1", "C", "h(1)", "app", "secret").disconnect()
    finally:
        served.close()


@pytest.mark.slow
def test_chckclnt_optional_lets_in_who_gives_no_password(
    ibmmq: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqtriage.emulator.admin import inert_definitions as kept

    monkeypatch.setenv("MQTRIAGE_HOME", str(tmp_path))
    served = Served(tmp_path, {"app": "secret"})
    try:
        name = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
        connection = served.backend().connection
        kept.alter(connection, "AUTHINFO", name, {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "OPTIONAL"})
        ibmmq.connect("QM1", "C", "h(1)").disconnect()
        ibmmq.connect("QM1", "C", "h(1)", "app", "secret").disconnect()
        with pytest.raises(ibmmq.MQMIError) as caught:
            ibmmq.connect("QM1", "C", "h(1)", "app", "wrong")
        assert caught.value.reason == 2035
    finally:
        served.close()


def test_a_user_without_authority_is_2035(ibmmq: Any, served: Served, sdk: Any) -> None:
    lifecycle.switch(served.backend().manager, "authority", "on")
    with pytest.raises(ibmmq.MQMIError) as caught:
        ibmmq.connect("QM1", "C", "h(1)", "nobody", "x")
    assert caught.value.reason == 2035


def test_the_alternate_user_of_an_mqod_is_asked_for_authority(ibmmq: Any, served: Served) -> None:
    served.local("IN")
    manager = served.backend().manager
    lifecycle.switch(manager, "authority", "on")
    authority_records.set_record(manager, "QMGR", principal="app", add=["CONNECT", "ALTUSR"])
    authority_records.set_record(manager, "QUEUE", "IN", principal="other", add=["PUT"])
    c = ibmmq.CMQC
    qmgr = ibmmq.connect("QM1", "C", "h(1)", "app", "x")
    other, third = (ibmmq.OD(ObjectName="IN", AlternateUserId=who) for who in ("other", "third"))
    options = c.MQOO_OUTPUT | c.MQOO_ALTERNATE_USER_AUTHORITY
    pmo = ibmmq.PMO(Options=c.MQPMO_ALTERNATE_USER_AUTHORITY)
    ibmmq.Queue(qmgr, other, options).put(b"x")
    qmgr.put1(other, b"x", ibmmq.MD(), pmo)
    assert failure(ibmmq, ibmmq.Queue, qmgr, third, options) == (2, 2035)
    assert failure(ibmmq, qmgr.put1, third, b"x", ibmmq.MD(), pmo) == (2, 2035)
    assert failure(ibmmq, qmgr.put1, "IN", b"x") == (2, 2035)
    qmgr.disconnect()
    assert served.depth("IN") == 2


def test_alternate_authority_is_for_put1_and_not_for_put(ibmmq: Any, served: Served) -> None:
    served.local("IN")
    qmgr = ibmmq.connect("QM1")
    pmo = ibmmq.PMO(Options=ibmmq.CMQC.MQPMO_ALTERNATE_USER_AUTHORITY)
    queue = ibmmq.Queue(qmgr, "IN", ibmmq.CMQC.MQOO_OUTPUT)
    assert failure(ibmmq, queue.put, b"x", ibmmq.MD(), pmo) == (2, 2046)
    qmgr.disconnect()
    assert served.depth("IN") == 0


@pytest.mark.parametrize("bind", ["BIND_ON_OPEN", "BIND_NOT_FIXED", "BIND_ON_GROUP"])
def test_a_bind_option_alone_opens_a_queue_for_nothing(
    ibmmq: Any, served: Served, bind: str
) -> None:
    """IBM MQ documentation, "Rules for validating MQI options": one of these will do."""
    served.local("IN")
    c = ibmmq.CMQC
    qmgr = ibmmq.connect("QM1")
    queue = ibmmq.Queue(qmgr, "IN", getattr(c, f"MQOO_{bind}"))
    assert failure(ibmmq, queue.put, b"x") == (2, 2039)
    assert failure(ibmmq, queue.get) == (2, 2037)
    queue.close()
    assert failure(ibmmq, ibmmq.Queue, qmgr, "IN", c.MQOO_FAIL_IF_QUIESCING) == (2, 2046)
    qmgr.disconnect()


def test_the_alternate_user_of_a_topic_is_asked_for_authority(ibmmq: Any, served: Served) -> None:
    manager = served.backend().manager
    lifecycle.switch(manager, "authority", "on")
    authority_records.set_record(manager, "QMGR", principal="app", add=["CONNECT", "ALTUSR"])
    authority_records.set_record(manager, "QMGR", principal="plain", add=["CONNECT"])
    topic = "SYSTEM.BASE.TOPIC"
    authority_records.set_record(manager, "TOPIC", topic, principal="other", add=["PUB"])
    c = ibmmq.CMQC
    od = ibmmq.OD(Version=c.MQOD_VERSION_4, ObjectType=c.MQOT_TOPIC)
    od.set_vs("ObjectString", b"fruit")
    options = c.MQOO_OUTPUT | c.MQOO_ALTERNATE_USER_AUTHORITY

    def publishes(user: str, alternate: str) -> None:
        qmgr = ibmmq.connect("QM1", "C", "h(1)", user, "x")
        od.AlternateUserId = alternate
        try:
            ibmmq.Topic(qmgr, topic_desc=od, open_opts=options).pub(b"apple")
        finally:
            qmgr.disconnect()

    publishes("app", "other")
    assert failure(ibmmq, publishes, "app", "third") == (2, 2035)
    assert failure(ibmmq, publishes, "plain", "other") == (2, 2035)


def test_the_alternate_user_of_an_mqsd_is_asked_for_authority(ibmmq: Any, served: Served) -> None:
    served.local("MINE")
    manager = served.backend().manager
    lifecycle.switch(manager, "authority", "on")
    authority_records.set_record(manager, "QMGR", principal="app", add=["CONNECT", "ALTUSR"])
    authority_records.set_record(manager, "QUEUE", "MINE", principal="app", add=["GET"])
    authority_records.set_record(
        manager, "TOPIC", "SYSTEM.BASE.TOPIC", principal="other", add=["SUB"]
    )
    c = ibmmq.CMQC
    qmgr = ibmmq.connect("QM1", "C", "h(1)", "app", "x")

    def subscribes(alternate: str, more: int = c.MQSO_ALTERNATE_USER_AUTHORITY) -> None:
        sd = ibmmq.SD(Options=c.MQSO_CREATE | more, AlternateUserId=alternate)
        sd.set_vs("ObjectString", b"fruit")
        mine = ibmmq.Queue(qmgr, "MINE", c.MQOO_INPUT_SHARED)
        ibmmq.Subscription(qmgr).sub(sub_desc=sd, sub_queue=mine)

    assert failure(ibmmq, subscribes, "other") == (2, 2035)  # PUT on MINE is asked for too
    authority_records.set_record(manager, "QUEUE", "MINE", principal="other", add=["PUT"])
    subscribes("other")
    assert failure(ibmmq, subscribes, "third") == (2, 2035)
    assert failure(ibmmq, subscribes, "other", 0) == (2, 2035)
    qmgr.disconnect()


def test_an_unknown_queue_is_2085(ibmmq: Any, qmgr: Any) -> None:
    assert failure(ibmmq, opened, ibmmq, qmgr, "NO.SUCH.QUEUE") == (2, 2085)


def test_a_handle_that_was_closed_is_2019(ibmmq: Any, served: Served, qmgr: Any) -> None:
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    c = ibmmq.ibmmqc
    handle = queue.get_handle()
    queue.close()
    md, pmo = ibmmq.MD().pack(), ibmmq.PMO().pack()
    assert c.MQPUT(qmgr.get_handle(), handle, md, pmo, b"x")[-2:] == (2, 2019)
    assert c.MQPUT(qmgr.get_handle() + 1, handle, md, pmo, b"x")[-2:] == (2, 2018)
    assert c.MQPUT(-1, handle, md, pmo, b"x")[-2:] == (2, 2018)


def test_wrong_structures_have_the_reasons_of_mq(ibmmq: Any, served: Served, qmgr: Any) -> None:
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    raw, handle = ibmmq.ibmmqc, qmgr.get_handle()

    def wrong(structure: Any, at: int, value: bytes) -> bytes:
        packed = bytes(structure.pack())
        return packed[:at] + value + packed[at + len(value) :]

    version = (99).to_bytes(4, "little")
    md, pmo, gmo = ibmmq.MD(), ibmmq.PMO(), ibmmq.GMO()
    for at, value in ((0, b"XX"), (4, version)):
        put = raw.MQPUT(handle, queue.get_handle(), wrong(md, at, value), pmo.pack(), b"x")
        assert put[-2:] == (2, 2026)
        put = raw.MQPUT(handle, queue.get_handle(), md.pack(), wrong(pmo, at, value), b"x")
        assert put[-2:] == (2, 2173)
        got = raw.MQGET(handle, queue.get_handle(), md.pack(), wrong(gmo, at, value), 10)
        assert got[-2:] == (2, 2186)
        od = wrong(ibmmq.OD(ObjectName=b"IN"), at, value)
        assert raw.MQOPEN(handle, od, 16)[-2:] == (2, 2044)
    assert queue.inquire(ibmmq.CMQC.MQIA_CURRENT_Q_DEPTH) == 0


def test_every_documented_version_of_a_structure_is_taken(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    raw, handle = ibmmq.ibmmqc, qmgr.get_handle()
    for version in (1, 2, 3, 4):
        od = ibmmq.OD(ObjectName=b"IN", Version=version)
        assert raw.MQOPEN(handle, od.pack(), 16)[-2:] == (0, 0)
        gmo = ibmmq.GMO(Version=version)
        pmo = ibmmq.PMO(Version=min(version, 3))
        md = ibmmq.MD(Version=min(version, 2))
        put = raw.MQPUT(handle, queue.get_handle(), md.pack(), pmo.pack(), b"x")
        assert put[-2:] == (0, 0)
        got = raw.MQGET(handle, queue.get_handle(), ibmmq.MD().pack(), gmo.pack(), 10)
        assert (got[0], got[-2:]) == (b"x", (0, 0))


def test_inquire_gives_numbers_and_text(ibmmq: Any, served: Served, qmgr: Any) -> None:
    c = ibmmq.CMQC
    served.local("IN", DESCR="the way in", MAXDEPTH=77, BOTHRESH=3)
    queue = opened(ibmmq, qmgr)
    queue.put(b"x")
    values = queue.inquire(
        [c.MQIA_MAX_Q_DEPTH, c.MQCA_Q_DESC, c.MQIA_CURRENT_Q_DEPTH, c.MQCA_Q_NAME,
         c.MQIA_Q_TYPE, c.MQIA_BACKOUT_THRESHOLD, c.MQIA_OPEN_INPUT_COUNT]
    )  # fmt: skip
    assert values[c.MQIA_MAX_Q_DEPTH] == 77
    assert values[c.MQCA_Q_DESC].rstrip() == b"the way in"
    assert len(values[c.MQCA_Q_DESC]) == 64
    assert values[c.MQIA_CURRENT_Q_DEPTH] == 1
    assert values[c.MQCA_Q_NAME].rstrip() == b"IN"
    assert values[c.MQIA_Q_TYPE] == c.MQQT_LOCAL
    assert values[c.MQIA_BACKOUT_THRESHOLD] == 3
    assert values[c.MQIA_OPEN_INPUT_COUNT] == 1


def test_inquire_tells_of_selectors_that_cannot_be(ibmmq: Any, served: Served, qmgr: Any) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    assert failure(ibmmq, queue.inquire, 1999) == (2, 2067)
    assert failure(ibmmq, queue.inquire, c.MQCA_BASE_OBJECT_NAME) == (1, 2068)
    output = ibmmq.Queue(qmgr, "IN", c.MQOO_OUTPUT)
    assert failure(ibmmq, output.inquire, c.MQIA_MAX_Q_DEPTH) == (2, 2038)


def test_set_inhibits_gets(ibmmq: Any, served: Served, qmgr: Any) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", c.MQOO_SET | c.MQOO_INQUIRE | c.MQOO_INPUT_SHARED)
    queue.set({c.MQIA_INHIBIT_GET: c.MQQA_GET_INHIBITED, c.MQIA_INHIBIT_PUT: 1})
    assert queue.inquire(c.MQIA_INHIBIT_GET) == 1
    assert failure(ibmmq, queue.get) == (2, 2016)
    queue.set(c.MQIA_INHIBIT_GET, c.MQQA_GET_ALLOWED)
    assert failure(ibmmq, queue.get) == (2, 2033)
    assert served.backend().queue("IN").attributes["PUT"] == "DISABLED"


def test_set_refuses_what_cannot_be_set(ibmmq: Any, served: Served, qmgr: Any) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", c.MQOO_SET | c.MQOO_INQUIRE)
    assert failure(ibmmq, queue.set, c.MQIA_MAX_Q_DEPTH, 1) == (2, 2067)
    reader = ibmmq.Queue(qmgr, "IN", c.MQOO_INQUIRE)
    assert failure(ibmmq, reader.set, c.MQIA_INHIBIT_GET, 1) == (2, 2040)


def test_the_queue_manager_answers_for_itself(ibmmq: Any, qmgr: Any) -> None:
    c = ibmmq.CMQC
    assert qmgr.inquire(c.MQIA_COMMAND_LEVEL) == 940
    assert qmgr.inquire(c.MQIA_PLATFORM) == c.MQPL_UNIX
    assert qmgr.inquire(c.MQCA_Q_MGR_NAME).rstrip() == b"QM1"
    assert qmgr.inquire(c.MQCA_COMMAND_INPUT_Q_NAME).rstrip() == b"SYSTEM.ADMIN.COMMAND.QUEUE"


def test_an_alias_leads_to_its_queue(ibmmq: Any, served: Served, qmgr: Any) -> None:
    served.local("IN")
    served.backend().define("QALIAS", "WAY", {"TARGET": "IN"})
    opened(ibmmq, qmgr, "WAY").put(b"x")
    assert opened(ibmmq, qmgr).get() == b"x"
    alias = ibmmq.Queue(qmgr, "WAY", ibmmq.CMQC.MQOO_INQUIRE)
    assert alias.inquire(ibmmq.CMQC.MQCA_BASE_OBJECT_NAME).rstrip() == b"IN"


def test_a_model_queue_makes_a_queue_that_goes_with_its_handle(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    od = ibmmq.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"REPLY.*")
    queue = ibmmq.Queue(qmgr, od, ibmmq.CMQC.MQOO_INPUT_EXCLUSIVE | ibmmq.CMQC.MQOO_OUTPUT)
    name = od.ObjectName.rstrip(b" \0").decode()
    assert name.startswith("REPLY.")
    queue.put(b"x")
    assert queue.get() == b"x"
    queue.close()
    assert failure(ibmmq, opened, ibmmq, qmgr, name) == (2, 2085)


def test_a_client_that_dies_is_backed_out(ibmmq: Any, served: Served, sdk: Any) -> None:
    served.local("IN")
    beside = served.backend()
    ran = served.python(
        sdk,
        "import ibmmq, os\n"
        "q = ibmmq.Queue(ibmmq.connect('QM1'), 'IN', 16)\n"
        "q.put(b'x', ibmmq.MD(), ibmmq.PMO(Options=ibmmq.CMQC.MQPMO_SYNCPOINT))\n"
        "os._exit(7)\n",
    )
    assert ran.returncode == 7, ran.stderr
    import time

    for _ in range(1200):
        if beside.status("IN").curdepth == 0:
            break
        time.sleep(0.05)
    assert beside.status("IN").curdepth == 0


def test_a_forked_child_cannot_use_its_parents_connection(
    ibmmq: Any, served: Served, sdk: Any
) -> None:
    served.local("IN")
    ran = served.python(
        sdk,
        "import ibmmq, os\n"
        "qm = ibmmq.connect('QM1')\n"
        "q = ibmmq.Queue(qm, 'IN', 17)\n"
        "q.put(b'x')\n"
        "if os.fork() == 0:\n"
        "    try:\n"
        "        q.get()\n"
        "    except ibmmq.MQMIError as error:\n"
        "        own = ibmmq.connect('QM1')\n"
        "        got = ibmmq.Queue(own, 'IN', 1).get()\n"
        "        own.disconnect()\n"
        "        os._exit(5 if (error.reason, got) == (2018, b'x') else 6)\n"
        "    os._exit(9)\n"
        "assert os.waitstatus_to_exitcode(os.wait()[1]) == 5\n"
        "q.put(b'still there')\n"
        "qm.disconnect()\n",
    )
    assert ran.returncode == 0, ran.stderr
    assert served.depth("IN") == 1


# -- a queue manager or a server that ends --------------------------------------------------------


@pytest.fixture
def quiescing(served: Served) -> Iterator[subprocess.Popen[str]]:
    """`emulator stop --wait` under way, while a test's connection holds it up."""
    stopping = subprocess.Popen(
        [sys.executable, "-m", "mqtriage", "emulator", "stop", "QM1", "--wait", "60s"],
        stdout=subprocess.PIPE,
        text=True,
    )
    manager = served.backend().manager
    until = time.monotonic() + 60
    while manager.refresh().running != QUIESCING:
        assert time.monotonic() < until
        time.sleep(0.01)
    yield stopping
    stopping.communicate(timeout=90)


def test_what_is_to_fail_if_quiescing_is_2161_and_the_rest_goes_on(
    ibmmq: Any, served: Served, qmgr: Any, request: pytest.FixtureRequest
) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    stopping = request.getfixturevalue("quiescing")
    assert failure(ibmmq, ibmmq.connect, "QM1") == (2, 2161)
    put = ibmmq.PMO(Options=c.MQPMO_FAIL_IF_QUIESCING)
    assert failure(ibmmq, queue.put, b"x", ibmmq.MD(), put) == (2, 2161)
    get = ibmmq.GMO(Options=c.MQGMO_FAIL_IF_QUIESCING)
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), get) == (2, 2161)
    options = c.MQOO_OUTPUT | c.MQOO_FAIL_IF_QUIESCING
    assert failure(ibmmq, ibmmq.Queue, qmgr, "IN", options) == (2, 2161)
    queue.put(b"x", ibmmq.MD(), ibmmq.PMO(Options=0))
    assert queue.get(None, ibmmq.MD(), ibmmq.GMO(Options=0)) == b"x"
    qmgr.disconnect()
    assert stopping.wait(60) == 0


def in_a_moment(call: Callable[[], object]) -> None:
    threading.Timer(0.3, call).start()


def test_a_wait_that_is_to_fail_if_quiescing_ends_with_2161(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    in_a_moment(lambda: lifecycle.quiesce(served.backend().manager, 0))
    wait = ibmmq.GMO(Options=c.MQGMO_WAIT | c.MQGMO_FAIL_IF_QUIESCING, WaitInterval=20_000)
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), wait) == (2, 2161)
    wait = ibmmq.GMO(Options=c.MQGMO_WAIT, WaitInterval=100)
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), wait) == (2, 2033)


@pytest.mark.parametrize("what", ["queue manager", "server"])
def test_a_wait_that_is_cut_short_ends_with_2203(
    ibmmq: Any, served: Served, qmgr: Any, what: str
) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    queue = opened(ibmmq, qmgr)
    if what == "server":
        in_a_moment(lambda: os.kill(served.pid, signal.SIGTERM))
    else:
        in_a_moment(lambda: lifecycle.stop(served.backend().manager))
    wait = ibmmq.GMO(Options=c.MQGMO_WAIT, WaitInterval=20_000)
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), wait) == (2, 2203)
    assert failure(ibmmq, queue.get) == (2, 2009)


def test_a_namelist_and_a_process_are_opened_to_be_inquired(
    ibmmq: Any, qmgr: Any, served: Served
) -> None:
    from mqtriage.emulator.admin import inert_definitions as kept

    c = ibmmq.CMQC
    connection = served.backend().connection
    kept.define(connection, "NAMELIST", "FRUIT", {"NAMES": "APPLE.Q,PEAR.Q", "DESCR": "two"})
    kept.define(connection, "PROCESS", "PEELER", {"APPLICID": "/bin/peel", "USERDATA": "fast"})

    def opened_as(kind: int, name: bytes, options: int = c.MQOO_INQUIRE) -> Any:
        return ibmmq.Queue(qmgr, ibmmq.OD(ObjectType=kind, ObjectName=name), options)

    fruit = opened_as(c.MQOT_NAMELIST, b"FRUIT")
    values = fruit.inquire([c.MQCA_NAMELIST_NAME, c.MQIA_NAME_COUNT])
    assert (values[c.MQCA_NAMELIST_NAME].strip(), values[c.MQIA_NAME_COUNT]) in [
        (b"FRUIT", 2), ("FRUIT", 2),
    ]  # fmt: skip
    peeler = opened_as(c.MQOT_PROCESS, b"PEELER")
    assert peeler.inquire(c.MQCA_APPL_ID).strip() in (b"/bin/peel", "/bin/peel")
    assert failure(ibmmq, opened_as, c.MQOT_NAMELIST, b"NONE") == (2, 2085)
    assert failure(ibmmq, opened_as, c.MQOT_NAMELIST, b"FRUIT", c.MQOO_OUTPUT) == (2, 2045)


def test_an_alias_of_a_topic_with_puts_disabled_publishes_nothing(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    backend = served.backend()
    backend.define("TOPIC", "NEWS", {"TOPICSTR": "news"})
    backend.define("QALIAS", "TO.NEWS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC", "PUT": "DISABLED"})
    queue = ibmmq.Queue(qmgr, "TO.NEWS", ibmmq.CMQC.MQOO_OUTPUT)
    od = ibmmq.OD(ObjectName=b"TO.NEWS")
    assert failure(ibmmq, queue.put, b"x") == (2, 2051)
    assert failure(ibmmq, qmgr.put1, od, b"x") == (2, 2051)
    backend.alter("QALIAS", "TO.NEWS", {"PUT": "ENABLED"})
    queue.put(b"x")
    qmgr.put1(od, b"x")
    backend.alter("QALIAS", "TO.NEWS", {"PUT": "DISABLED"})
    assert failure(ibmmq, queue.put, b"x") == (2, 2051)
