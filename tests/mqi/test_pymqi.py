"""`pymqi` as it comes from the package index, built against our headers and library.

It runs in a process of its own: the loader must find the library when the interpreter starts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mqi.conftest import Served

pytestmark = pytest.mark.slow

START = """
import sys
sys.path.insert(0, sys.argv[1])
import pymqi
from pymqi import CMQC as c
qm = pymqi.connect('QM1', 'DEV.APP.SVRCONN', 'localhost(1414)')
def opened(name, options=c.MQOO_INPUT_SHARED | c.MQOO_OUTPUT | c.MQOO_INQUIRE | c.MQOO_BROWSE):
    return pymqi.Queue(qm, name, options)
def reason(call, *arguments):
    try:
        call(*arguments)
    except pymqi.MQMIError as error:
        return error.comp, error.reason
    return 0, 0
"""


def test_it_puts_gets_browses_and_inquires(served: Served, sdk: Path, pymqi_folder: Path) -> None:
    served.local("IN", MAXDEPTH=55)
    ran = served.python(
        sdk,
        START
        + """
q = opened('IN')
q.put(b'first'); q.put(b'second')
browse = pymqi.GMO(Options=c.MQGMO_BROWSE_NEXT)
assert [q.get(None, pymqi.MD(), browse) for _ in range(2)] == [b'first', b'second']
assert q.inquire(c.MQIA_CURRENT_Q_DEPTH) == 2
assert q.inquire(c.MQIA_MAX_Q_DEPTH) == 55
assert q.inquire(c.MQCA_Q_NAME).strip() == b'IN'
assert q.get() == b'first'
md = pymqi.MD()
for count in range(3):
    q.get(None, md, pymqi.GMO(Options=c.MQGMO_SYNCPOINT))
    assert md.BackoutCount == count
    qm.backout()
    md = pymqi.MD()
q.get()
assert reason(q.get) == (2, 2033)
q.close()
assert reason(opened, 'NO.SUCH') == (2, 2085)
qm.put1('IN', b'once')
assert reason(pymqi.connect, 'NOBODY', 'C', 'h(1)') == (2, 2058)
qm.disconnect()
""",
        str(pymqi_folder),
    )
    assert ran.returncode == 0, ran.stderr
    assert served.depth("IN") == 1


def test_a_buffer_that_is_too_short_grows(served: Served, sdk: Path, pymqi_folder: Path) -> None:
    served.local("IN")
    ran = served.python(
        sdk,
        START
        + """
q = opened('IN')
q.put(b'x' * 100_000)
assert reason(q.get, 10, pymqi.MD(), pymqi.GMO()) == (1, 2080)
assert len(q.get()) == 100_000
qm.disconnect()
""",
        str(pymqi_folder),
    )
    assert ran.returncode == 0, ran.stderr


def test_properties_and_publications(served: Served, sdk: Path, pymqi_folder: Path) -> None:
    served.local("IN")
    ran = served.python(
        sdk,
        START
        + """
q = opened('IN')
handle = pymqi.MessageHandle(qm)
handle.properties.set(b'colour', 'red')
pmo = pymqi.PMO(Version=c.MQPMO_VERSION_3)
pmo.OriginalMsgHandle = handle.msg_handle
q.put(b'x', pymqi.MD(Version=c.MQMD_VERSION_2), pmo)
got = pymqi.MessageHandle(qm)
gmo = pymqi.GMO(Version=c.MQGMO_VERSION_4, Options=c.MQGMO_PROPERTIES_IN_HANDLE)
gmo.MsgHandle = got.msg_handle
assert q.get(None, pymqi.MD(), gmo) == b'x'
assert got.properties.get(b'colour') in (b'red', 'red')
sd = pymqi.SD()
sd['Options'] = c.MQSO_CREATE + c.MQSO_NON_DURABLE + c.MQSO_MANAGED
sd.set_vs('ObjectString', b'prices/#')
sub = pymqi.Subscription(qm)
sub.sub(sub_desc=sd)
topic = pymqi.Topic(qm, topic_string=b'prices/fruit')
topic.open(open_opts=c.MQOO_OUTPUT)
topic.pub(b'apples')
assert sub.get(None, pymqi.MD(), pymqi.GMO(Options=c.MQGMO_WAIT, WaitInterval=2000)) == b'apples'
sub.close(sub_close_options=0, close_sub_queue=True)
qm.disconnect()
""",
        str(pymqi_folder),
    )
    assert ran.returncode == 0, ran.stderr


def test_it_puts_and_gets_messages_in_segments(
    served: Served, sdk: Path, pymqi_folder: Path
) -> None:
    served.local("SMALL", MAXMSGL=64)
    ran = served.python(
        sdk,
        START
        + """
q = opened('SMALL')
data = bytes(range(256))
assert reason(q.put, data) == (2, 2030)
md = pymqi.MD(Version=c.MQMD_VERSION_2, MsgFlags=c.MQMF_SEGMENTATION_ALLOWED)
q.put(data, md)
assert q.inquire(c.MQIA_CURRENT_Q_DEPTH) == 4
def got(options, size=None, version=c.MQMD_VERSION_2):
    md = pymqi.MD(Version=version)
    gmo = pymqi.GMO(Version=c.MQGMO_VERSION_2, MatchOptions=c.MQMO_NONE, Options=options)
    return q.get(size, md, gmo), md, gmo
body, md, gmo = got(c.MQGMO_BROWSE_FIRST)
assert (len(body), gmo.SegmentStatus, md.Offset) == (64, c.MQSS_SEGMENT, 0)
body, md, _ = got(c.MQGMO_BROWSE_NEXT, version=c.MQMD_VERSION_1)
assert md.Format == c.MQFMT_MD_EXTENSION and body[:4] == b'MDE ' and len(body) == 72 + 64
assert reason(got, c.MQGMO_COMPLETE_MSG, 100) == (1, 2080)
body, md, gmo = got(c.MQGMO_COMPLETE_MSG)
assert (body, gmo.SegmentStatus) == (data, c.MQSS_LAST_SEGMENT)
assert reason(got, c.MQGMO_COMPLETE_MSG) == (2, 2033)
""",
        str(pymqi_folder),
    )
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
