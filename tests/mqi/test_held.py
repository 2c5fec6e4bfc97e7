"""What the server holds back for some milliseconds is there for everybody who looks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.mqi.conftest import Served

_BOTH = 2 | 16  # MQOO_INPUT_SHARED, MQOO_OUTPUT

_RESTLESS = """
import ibmmq, os, sys
qm = ibmmq.connect('QM1')
q = ibmmq.Queue(qm, 'BUSY', 18)
print('ready', flush=True)
n = 0
while not os.path.exists(sys.argv[1]):
    q.put(b'%d' % n)
    assert q.get() == b'%d' % n
    n += 1
print(n)
qm.disconnect()
"""


def test_what_is_put_is_seen_beside_at_once(served: Served, qmgr: Any, ibmmq: Any) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", _BOTH)
    beside = served.backend()
    for number in range(1, 101):
        queue.put(b"seen")
        assert beside.status("IN").curdepth == number
    for number in range(99, -1, -1):
        queue.get()
        assert beside.status("IN").curdepth == number


def test_what_is_put_can_be_got_beside_and_the_other_way_round(
    served: Served, qmgr: Any, ibmmq: Any
) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", _BOTH)
    beside = served.backend().open("IN", _BOTH)
    for number in range(100):
        queue.put(b"%d" % number)
        assert beside.get().body == b"%d" % number
        beside.put(MQMD(), b"back %d" % number)
        assert queue.get() == b"back %d" % number


def test_who_waits_beside_gets_what_is_put(served: Served, qmgr: Any, ibmmq: Any) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", _BOTH)
    waiting = subprocess.Popen(
        [sys.executable, "-c",
         "import sys\n"
         "from pathlib import Path\n"
         "from mqtriage.backends.emulated import EmulatedBackend\n"
         "from mqtriage.emulator.open import open_manager\n"
         "mq = EmulatedBackend(open_manager(Path(sys.argv[1])))\n"
         "queue = mq.open('IN', 2)\n"
         "print('ready', flush=True)\n"
         f"print(queue.get({cmqc.MQGMO_WAIT}, wait_ms=60000).body.decode())\n"
         "mq.disconnect()\n",
         str(served.path)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "ready\n"
    time.sleep(0.2)
    queue.put(b"it comes")
    out, _ = waiting.communicate(timeout=90)
    assert out == "it comes\n"


@pytest.mark.slow
def test_others_have_their_turn_beside_a_client_that_never_rests(
    served: Served, sdk: Path, tmp_path: Path
) -> None:
    served.local("BUSY")
    beside = served.backend()
    client = subprocess.Popen(
        [sys.executable, "-c", _RESTLESS, str(tmp_path / "enough")],
        env=served.environment(sdk), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert client.stdout is not None
    assert client.stdout.readline() == "ready\n"
    took_s: list[float] = []
    end = time.monotonic() + 2
    while len(took_s) < 50 or time.monotonic() < end:
        began = time.monotonic()
        beside.alter("QLOCAL", "BUSY", {"DESCR": f"turn {len(took_s)}"})
        assert beside.status("BUSY").curdepth in (0, 1)
        took_s.append(time.monotonic() - began)
    (tmp_path / "enough").touch()
    pairs, _ = client.communicate(timeout=90)
    # 0.02 on a quiet machine, which may stall now and then
    assert sorted(took_s)[-6] < 1
    assert int(pairs) > 20


def test_a_killed_server_keeps_nobody_out_and_loses_nothing_persistent(
    served: Served, qmgr: Any, ibmmq: Any
) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", _BOTH)
    for number in range(20):
        queue.put(b"lasting %d" % number, ibmmq.MD(Persistence=1))
    for _ in range(20):
        queue.put(b"not lasting")
    os.kill(served.pid, signal.SIGKILL)
    os.waitpid(served.pid, 0)
    served.pid = 0
    began = time.monotonic()
    beside = served.backend()
    bodies = [message.body for message in beside.open("IN", 8).browse()]
    assert time.monotonic() - began < 15
    assert bodies[:20] == [b"lasting %d" % number for number in range(20)]
    beside.put1("IN", MQMD(), b"life goes on")
    assert len(bodies) <= 40


def test_a_server_that_stops_writes_down_what_it_holds(
    served: Served, qmgr: Any, ibmmq: Any
) -> None:
    served.local("IN")
    queue = ibmmq.Queue(qmgr, "IN", _BOTH)
    for _ in range(20):
        queue.put(b"kept")
    served.stop()
    assert served.depth("IN") == 20


def test_a_get_under_syncpoint_if_persistent_backs_out_what_is_persistent_alone(
    served: Served, qmgr: Any, ibmmq: Any
) -> None:
    served.local("IN")
    queue, c = ibmmq.Queue(qmgr, "IN", _BOTH), ibmmq.CMQC
    for persistence in (c.MQPER_NOT_PERSISTENT, c.MQPER_PERSISTENT, c.MQPER_NOT_PERSISTENT):
        queue.put(b"%d" % persistence, ibmmq.MD(Persistence=persistence))
    options = c.MQGMO_SYNCPOINT_IF_PERSISTENT | c.MQGMO_NO_WAIT
    bodies = [queue.get(None, ibmmq.MD(), ibmmq.GMO(Options=options)) for _ in range(3)]
    assert bodies == [b"0", b"1", b"0"]
    qmgr.backout()
    assert queue.get() == b"1"
    assert served.backend().status("IN").curdepth == 0
