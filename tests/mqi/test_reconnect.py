"""Automatic client reconnection: what programs see of a server that goes and comes back."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.mq import cmqc
from tests.mqi.conftest import Served
from tests.mqi.test_c_program import THREAD_SANITIZER, built, prepare, with_thread_sanitizer
from tests.support.tools import tool

QUICK = "CHANNELS:\n  ReconDelay=(20,10)(50,20)\n  MQReconnectTimeout=20\n"


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An mqclient.ini with which attempts come soon."""
    ini = tmp_path / "mqclient.ini"
    ini.write_text(QUICK)
    monkeypatch.setenv("MQCLNTCF", str(ini))
    return ini


@pytest.fixture
def sanitized(tmp_path: Path) -> Path:
    """An SDK whose library has ThreadSanitizer built in."""
    return with_thread_sanitizer(tmp_path / "sdk")


DOINGS = ("crash", "crash-without-GONE", "stop", "down", "up", "restart", "restart-r")


class Runner:
    """Does with the server what a program asks for on its standard output."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def run(self, sdk: Path, *command: str) -> tuple[int | None, str]:
        """Run a program to its end; its exit code, and what it said that was nothing to do."""
        output = ""
        with subprocess.Popen(
            command,
            env=self._served.environment(sdk),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as program:
            assert program.stdout is not None
            assert program.stdin is not None
            for line in program.stdout:
                what = line.strip().removesuffix("-soon")
                if what not in DOINGS:
                    output += line
                    continue
                is_soon = line.strip() != what
                if not is_soon:
                    self._do(what)
                program.stdin.write("done\n")
                program.stdin.flush()
                if is_soon:
                    time.sleep(0.2)  # until the program waits in its next call
                    self._do(what)
        return program.returncode, output

    def _do(self, what: str) -> None:
        served = self._served
        if what.startswith("restart"):
            manager = served.backend().manager
            lifecycle.stop(manager, clients_reconnect=what == "restart-r")
            lifecycle.start(manager)
            return
        if what == "stop":
            served.stop()
        elif what != "up":
            served.kill()
        if what == "crash-without-GONE":
            served.backend().delete("QLOCAL", "GONE")
        if what != "down":
            served.start()


def prepared(served: Served) -> Runner:
    prepare(served)
    served.local("GONE")
    served.backend().define("QMODEL", "KEPT.MODEL", {"DEFTYPE": "PERMDYN"})
    return Runner(served)


@pytest.mark.usefixtures("quick")
@pytest.mark.slow
def test_a_program_goes_on_after_its_server_was_gone(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    program = built(sdk, tmp_path, "recovering")
    assert prepared(served).run(sdk, str(program)) == (0, "")


@pytest.mark.long
@pytest.mark.usefixtures("quick")
def test_valgrind_finds_nothing_when_connections_are_made_again(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    program = built(sdk, tmp_path, "recovering")
    ran = prepared(served).run(
        sdk, tool("valgrind"), "--quiet", "--error-exitcode=99", "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect", str(program),
    )  # fmt: skip
    assert ran == (0, "")


@pytest.mark.long
@pytest.mark.usefixtures("quick")
def test_threads_do_not_race_when_connections_are_made_again(
    served: Served, sanitized: Path, tmp_path: Path
) -> None:
    program = built(sanitized, tmp_path, "recovering", *THREAD_SANITIZER.split())
    assert prepared(served).run(sanitized, str(program)) == (0, "")


# -- through pymqi and ibmmq -----------------------------------------------------------------------


@pytest.fixture(params=["pymqi", "ibmmq"])
def package(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def connected(package: Any, option: str, **how: Any) -> Any:
    qmgr = package.QueueManager(None)
    qmgr.connect_with_options("QM1", opts=getattr(package.CMQC, f"MQCNO_{option}"), **how)
    return qmgr


def reason(package: Any, call: Callable[[], object]) -> int:
    """The reason that a call ends with, 0 for none."""
    try:
        call()
    except package.MQMIError as error:
        return int(error.reason)
    return 0


def test_packages_go_on_after_their_server_was_gone(
    served: Served, quick: Path, package: Any
) -> None:
    c = package.CMQC
    qmgr = connected(package, "RECONNECT_Q_MGR")
    queue = package.Queue(qmgr, served.local("IN"), c.MQOO_OUTPUT | c.MQOO_INPUT_SHARED)
    queue.put(b"first", package.MD(Persistence=c.MQPER_PERSISTENT))
    served.kill()
    served.start()
    assert queue.get() == b"first"
    queue.put(b"second", package.MD(), package.PMO(Options=c.MQPMO_SYNCPOINT))
    served.kill()
    served.start()
    assert reason(package, qmgr.commit) == 2003
    assert reason(package, queue.get) == 2033
    qmgr.disconnect()


def test_an_event_handler_of_ibmmq_is_told(served: Served, quick: Path, ibmmq: Any) -> None:
    c = ibmmq.CMQC
    events: list[tuple[int, int]] = []
    qmgr = connected(ibmmq, "RECONNECT")

    def handle(**given: Any) -> None:
        events.append((given["cbc"].CompCode, given["cbc"].Reason))

    handler = ibmmq.CBD(CallbackFunction=handle, CallbackType=c.MQCBT_EVENT_HANDLER)
    qmgr.cb(operation=c.MQOP_REGISTER, cbd=handler)
    served.kill()
    served.start()
    qmgr.commit()
    assert set(events[:-1]) == {(1, 2544)}
    assert events[-1] == (0, 2545)
    qmgr.disconnect()


@pytest.mark.parametrize(
    ("setting", "option", "channel", "expected"),
    [
        pytest.param("", "RECONNECT_AS_DEF", 0, 2009, id="by-default-not"),
        pytest.param("", "RECONNECT_AS_DEF", 1, 0, id="channel-yes"),
        pytest.param("", "RECONNECT", 3, 2009, id="channel-disabled"),
        pytest.param("", "RECONNECT_DISABLED", 1, 2009, id="program-disabled"),
        pytest.param("DefRecon=YES", "RECONNECT_AS_DEF", 0, 0, id="ini-yes"),
        pytest.param("defrecon = qmgr", "RECONNECT_AS_DEF", 0, 0, id="ini-qmgr"),
        pytest.param("DefRecon=DISABLED", "RECONNECT", 0, 2009, id="ini-disabled"),
        pytest.param("DefRecon=NO", "RECONNECT_AS_DEF", 1, 2009, id="ini-over-channel"),
        pytest.param("DefRecon=NO", "RECONNECT", 0, 0, id="program-over-ini"),
    ],
)
@pytest.mark.slow
def test_who_says_whether_a_connection_is_made_again(
    served: Served, quick: Path, ibmmq: Any, setting: str, option: str, channel: int, expected: int
) -> None:
    """The table of DefReconnect, and DefRecon over it."""
    quick.write_text(f"{QUICK}  {setting}\nTCP:\n  DefRecon=NO\n")
    definition = ibmmq.CD(ChannelName=b"A.SVRCONN", DefReconnect=channel)
    qmgr = connected(ibmmq, option, cd=definition)
    served.kill()
    served.start()
    assert reason(ibmmq, qmgr.commit) == expected
    assert reason(ibmmq, qmgr.disconnect) == expected


@pytest.mark.parametrize("url", ["file:{}", "file://{}"])
def test_the_client_configuration_may_be_named_by_url(
    served: Served, quick: Path, ibmmq: Any, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """As IBM documents MQCLNTCF; of a path alone the other tests make use."""
    quick.write_text(f"{QUICK}  DefRecon=YES\n")
    monkeypatch.setenv("MQCLNTCF", url.format(quick))
    qmgr = connected(ibmmq, "RECONNECT_AS_DEF")
    served.kill()
    served.start()
    assert reason(ibmmq, qmgr.commit) == 0
    qmgr.disconnect()


def test_a_delay_that_is_too_long_is_left_out(served: Served, quick: Path, ibmmq: Any) -> None:
    """It would not fit into MQCBC.ReconnectDelay, and would have come back as another."""
    quick.write_text(
        "CHANNELS:\nReconDelay=(99999999999)(9,2147483647)(20)\nMQReconnectTimeout=3\n"
    )
    qmgr = connected(ibmmq, "RECONNECT")
    served.kill()
    served.start()
    assert reason(ibmmq, qmgr.commit) == 0
    qmgr.disconnect()


def test_local_bindings_cannot_be_made_again(served: Served, ibmmq: Any) -> None:
    c = ibmmq.CMQC
    qmgr = ibmmq.QueueManager(None)
    options = c.MQCNO_RECONNECT | c.MQCNO_LOCAL_BINDING
    assert reason(ibmmq, lambda: qmgr.connect_with_options("QM1", opts=options)) == 2046


def test_attempts_end_with_their_time(served: Served, quick: Path, ibmmq: Any) -> None:
    quick.write_text("CHANNELS:\nReconDelay=(100)\nMQReconnectTimeout=1\n")
    qmgr = connected(ibmmq, "RECONNECT")
    served.kill()
    begun = time.monotonic()
    assert reason(ibmmq, qmgr.commit) == 2556
    assert time.monotonic() - begun >= 0.8
    assert reason(ibmmq, qmgr.commit) == 2009
    assert reason(ibmmq, qmgr.disconnect) == 2009


@pytest.mark.parametrize(("option", "expected"), [("RECONNECT_Q_MGR", 2546), ("RECONNECT", 0)])
def test_another_queue_manager_of_that_name_is_not_the_same(
    served: Served, quick: Path, ibmmq: Any, tmp_path: Path, option: str, expected: int
) -> None:
    other = create(tmp_path / "other", "QM1")
    qmgr = connected(ibmmq, option)
    served.kill()
    connection = sqlite3.connect(other)
    connection.execute("UPDATE state SET created_us = created_us + 86400000000")
    connection.commit()
    connection.close()
    for end in ("-wal", "-shm"):
        served.path.with_name(served.path.name + end).unlink(missing_ok=True)
    shutil.copy(other, served.path)
    served.start()
    assert reason(ibmmq, qmgr.commit) == expected
    assert reason(ibmmq, qmgr.disconnect) == (2009 if expected else 0)


PRODUCER = """
import importlib, itertools, json, os, sys
mq = importlib.import_module(sys.argv[1])
c = mq.CMQC
qm = mq.QueueManager(None)
qm.connect_with_options('QM1', opts=c.MQCNO_RECONNECT_Q_MGR)
q = mq.Queue(qm, 'IN', c.MQOO_OUTPUT)
sync, alone = mq.PMO(Options=c.MQPMO_SYNCPOINT), mq.PMO(Options=c.MQPMO_NO_SYNCPOINT)
print('ready', flush=True)
surely, perhaps = [], []

def put(name, pmo):
    q.put(name.encode(), mq.MD(Persistence=c.MQPER_PERSISTENT), pmo)

def unit(names):
    for name in names:
        put(name, sync)
    qm.commit()

for number in itertools.count():
    names = [f'{number}.{i}' for i in range(3)]
    while True:
        try:
            unit(names)
            surely.append(names)
        except mq.MQMIError as error:
            if error.reason == 2003:
                qm.backout()
                continue
            assert error.reason == 2549, error
            perhaps.append(names)
        break
    try:
        put(f'{number}', alone)
        surely.append([f'{number}'])
    except mq.MQMIError as error:
        assert error.reason == 2549, error
        perhaps.append([f'{number}'])
    if os.path.exists(sys.argv[2]):
        break
qm.disconnect()
print(json.dumps([surely, perhaps]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pymqi", "ibmmq"])
def test_nothing_is_lost_or_doubled_while_servers_come_and_go(
    served: Served, quick: Path, sdk: Path, pymqi_folder: Path, tmp_path: Path, name: str
) -> None:
    """What ended well is there once, what was interrupted as a whole or not at all."""
    served.local("IN", MAXDEPTH=999_999)
    enough = tmp_path / "enough"
    environment = served.environment(sdk)
    environment["PYTHONPATH"] = f"{environment.get('PYTHONPATH', '')}:{pymqi_folder}"
    chance, beside = random.Random(7), served.backend()
    with subprocess.Popen(
        [sys.executable, "-c", PRODUCER, name, str(enough)], env=environment, text=True,
        stdout=subprocess.PIPE,
    ) as producer:  # fmt: skip
        assert producer.stdout is not None
        assert producer.stdout.readline() == "ready\n"
        for _ in range(12):
            deep = beside.status("IN").curdepth + 8  # two units of work and two messages alone
            until = time.monotonic() + 60
            while beside.status("IN").curdepth < deep:
                assert time.monotonic() < until
            time.sleep(chance.uniform(0.05, 0.25))
            served.kill()
            served.start()
        time.sleep(0.2)
        enough.touch()
        output, _ = producer.communicate(timeout=120)
    assert producer.returncode == 0
    surely, perhaps = json.loads(output)
    queue = served.backend().open("IN", cmqc.MQOO_BROWSE)
    counts = Counter(message.body.decode() for message in queue.browse())
    assert len(surely) > 24
    assert [names for names in surely if any(counts[body] != 1 for body in names)] == []
    assert [names for names in perhaps if len({counts[body] for body in names}) > 1] == []
    assert set(counts.values()) == {1}
    assert set(counts) <= {body for names in (*surely, *perhaps) for body in names}
