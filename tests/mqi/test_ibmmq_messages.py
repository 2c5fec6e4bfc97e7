"""Messages through the `ibmmq` wheel as it comes from the package index, and our library."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from typing import Any

import pytest

from tests.mqi.conftest import Served


def failure(ibmmq: Any, call: Any, *arguments: Any) -> tuple[int, int]:
    """CompCode and Reason of a call that does not end well."""
    with pytest.raises(ibmmq.MQMIError) as caught:
        call(*arguments)
    return caught.value.comp, caught.value.reason


def opened(ibmmq: Any, qmgr: Any, name: str = "IN") -> Any:
    c = ibmmq.CMQC
    return ibmmq.Queue(
        qmgr, name, c.MQOO_OUTPUT | c.MQOO_INPUT_SHARED | c.MQOO_BROWSE | c.MQOO_INQUIRE
    )


@pytest.fixture
def queue(served: Served, ibmmq: Any, qmgr: Any) -> Any:
    served.local("IN")
    return opened(ibmmq, qmgr)


def test_what_is_put_is_got(queue: Any) -> None:
    queue.put(b"first")
    queue.put(b"second")
    assert [queue.get(), queue.get()] == [b"first", b"second"]


def test_the_descriptor_comes_back_filled_in(ibmmq: Any, queue: Any, qmgr: Any) -> None:
    md = ibmmq.MD(Format=ibmmq.CMQC.MQFMT_STRING, Priority=3, ReplyToQ=b"ANSWERS")
    queue.put(b"x", md)
    assert md.MsgId.startswith(b"AMQ QM1")
    got = ibmmq.MD()
    queue.get(None, got)
    assert (got.MsgId, got.Priority, got.Persistence) == (md.MsgId, 3, 0)
    assert got.ReplyToQMgr.rstrip() == b"QM1"
    assert got.Format == b"MQSTR   "


def test_the_message_descriptor_keeps_the_version_it_came_with(ibmmq: Any, queue: Any) -> None:
    queue.put(b"x")
    for version in (1, 2):
        md, gmo = ibmmq.MD(Version=version), ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_BROWSE_FIRST)
        queue.get(None, md, gmo)
        assert md.Version == version


def test_an_empty_queue_is_2033(ibmmq: Any, queue: Any) -> None:
    assert failure(ibmmq, queue.get) == (2, 2033)


def test_a_wait_ends_when_a_message_arrives(ibmmq: Any, queue: Any, served: Served) -> None:
    other = served.backend()

    def later() -> None:
        time.sleep(0.2)
        other.put1("IN", ibmmq_free_descriptor(), b"late")

    thread = threading.Thread(target=later)
    thread.start()
    began = time.monotonic()
    gmo = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_WAIT, WaitInterval=60_000)
    assert queue.get(None, ibmmq.MD(), gmo) == b"late"
    assert time.monotonic() - began < 40
    thread.join()


def ibmmq_free_descriptor() -> Any:
    from mqtriage.mq.descriptor import MQMD

    return MQMD()


def test_a_wait_that_is_over_is_2033(ibmmq: Any, queue: Any) -> None:
    began = time.monotonic()
    gmo = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_WAIT, WaitInterval=300)
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), gmo) == (2, 2033)
    assert 0.25 < time.monotonic() - began < 20


def test_too_small_a_buffer_leaves_the_message_and_tells_its_length(
    ibmmq: Any, queue: Any, served: Served
) -> None:
    queue.put(b"0123456789")
    with pytest.raises(ibmmq.MQMIError) as caught:
        queue.get(4)
    error = caught.value
    assert (error.comp, error.reason, error.original_length) == (1, 2080, 10)
    assert error.message[:4] == b"0123"
    assert served.depth("IN") == 1


def test_a_truncated_message_that_is_accepted_is_gone(
    ibmmq: Any, queue: Any, served: Served
) -> None:
    queue.put(b"0123456789")
    gmo = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_ACCEPT_TRUNCATED_MSG)
    with pytest.raises(ibmmq.MQMIError) as caught:
        queue.get(4, ibmmq.MD(), gmo)
    assert (caught.value.comp, caught.value.reason) == (1, 2079)
    assert caught.value.original_length == 10
    assert served.depth("IN") == 0


def test_a_browse_that_does_not_fit_leaves_the_cursor_where_it_was(ibmmq: Any, queue: Any) -> None:
    for body in (b"a", b"0123456789", b"c"):
        queue.put(body)
    first = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_BROWSE_FIRST)
    following = ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_BROWSE_NEXT)
    assert queue.get(None, ibmmq.MD(), first) == b"a"
    assert failure(ibmmq, queue.get, 4, ibmmq.MD(), following) == (1, 2080)
    assert queue.get(10, ibmmq.MD(), following) == b"0123456789"


def test_a_browse_leaves_the_messages(ibmmq: Any, queue: Any, served: Served) -> None:
    queue.put(b"one")
    queue.put(b"two")
    c = ibmmq.CMQC
    assert queue.get(None, ibmmq.MD(), ibmmq.GMO(Options=c.MQGMO_BROWSE_FIRST)) == b"one"
    assert queue.get(None, ibmmq.MD(), ibmmq.GMO(Options=c.MQGMO_BROWSE_NEXT)) == b"two"
    assert served.depth("IN") == 2
    under = ibmmq.GMO(Options=c.MQGMO_MSG_UNDER_CURSOR)
    assert queue.get(None, ibmmq.MD(), under) == b"two"


def test_backout_counts(ibmmq: Any, queue: Any, qmgr: Any) -> None:
    queue.put(b"poison")
    seen = []
    for _ in range(3):
        md = ibmmq.MD()
        queue.get(None, md, ibmmq.GMO(Options=ibmmq.CMQC.MQGMO_SYNCPOINT))
        seen.append(md.BackoutCount)
        qmgr.backout()
    assert seen == [0, 1, 2]


def test_commit_makes_puts_visible(ibmmq: Any, queue: Any, qmgr: Any, served: Served) -> None:
    other = ibmmq.connect("QM1")
    mine = opened(ibmmq, other)
    queue.put(b"x", ibmmq.MD(), ibmmq.PMO(Options=ibmmq.CMQC.MQPMO_SYNCPOINT))
    assert failure(ibmmq, mine.get) == (2, 2033)
    qmgr.commit()
    assert mine.get() == b"x"
    other.disconnect()


def test_disconnect_commits(ibmmq: Any, served: Served) -> None:
    served.local("IN")
    connection = ibmmq.connect("QM1")
    opened(ibmmq, connection).put(b"x", ibmmq.MD(), ibmmq.PMO(Options=ibmmq.CMQC.MQPMO_SYNCPOINT))
    connection.disconnect()
    assert served.depth("IN") == 1


@pytest.mark.parametrize("kind", ["TEMPDYN", "PERMDYN"])
def test_put1_to_a_model_queue_is_refused_and_leaves_no_queue_behind(
    ibmmq: Any, qmgr: Any, served: Served, kind: str
) -> None:
    backend = served.backend()
    backend.define("QMODEL", "M", {"DEFTYPE": kind})
    before = {queue.name for queue in backend.queues("*")}
    assert failure(ibmmq, qmgr.put1, "M", b"x") == (2, 2057)
    assert {queue.name for queue in backend.queues("*")} == before


def test_put1_puts(ibmmq: Any, qmgr: Any, served: Served) -> None:
    served.local("IN")
    md = ibmmq.MD()
    qmgr.put1("IN", b"x", md)
    assert served.depth("IN") == 1
    assert md.MsgId != bytes(24)


def test_a_get_selects_by_correl_id(ibmmq: Any, queue: Any) -> None:
    for letter in (b"a", b"b"):
        queue.put(letter, ibmmq.MD(CorrelId=letter * 24))
    assert queue.get(None, ibmmq.MD(CorrelId=b"b" * 24), ibmmq.GMO()) == b"b"


def test_match_options_that_cannot_be_are_2247(ibmmq: Any, queue: Any) -> None:
    queue.put(b"x")
    assert failure(ibmmq, queue.get, None, ibmmq.MD(), ibmmq.GMO(MatchOptions=0x40)) == (2, 2247)
    assert queue.get(None, ibmmq.MD(), ibmmq.GMO(MatchOptions=0)) == b"x"


def test_a_message_is_got_by_its_place_in_a_group_or_message(ibmmq: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    for number in (1, 2, 3):
        md = ibmmq.MD(GroupId=b"G" * 24, MsgSeqNumber=number, MsgFlags=c.MQMF_MSG_IN_GROUP)
        queue.put(b"%d" % number, md)
    for options, md, body in (
        (c.MQMO_MATCH_MSG_SEQ_NUMBER, ibmmq.MD(MsgSeqNumber=2), b"2"),
        (
            c.MQMO_MATCH_GROUP_ID | c.MQMO_MATCH_MSG_SEQ_NUMBER,
            ibmmq.MD(GroupId=b"G" * 24, MsgSeqNumber=3),
            b"3",
        ),
        (c.MQMO_MATCH_OFFSET, ibmmq.MD(Offset=0), b"1"),
    ):
        assert queue.get(None, md, ibmmq.GMO(MatchOptions=options)) == body
    wrong = ibmmq.GMO(MatchOptions=c.MQMO_MATCH_OFFSET)
    queue.put(b"x")
    assert failure(ibmmq, queue.get, None, ibmmq.MD(Offset=1), wrong) == (2, 2033)


def test_text_is_converted_where_asked(ibmmq: Any, queue: Any) -> None:
    c = ibmmq.CMQC
    queue.put("Grüße".encode("cp500"), ibmmq.MD(Format=c.MQFMT_STRING, CodedCharSetId=500))
    md = ibmmq.MD(CodedCharSetId=1208)
    body = queue.get(None, md, ibmmq.GMO(Options=c.MQGMO_CONVERT))
    assert (body.decode(), md.CodedCharSetId) == ("Grüße", 1208)


def test_a_large_message_comes_back_whole(queue: Any, served: Served) -> None:
    body = bytes(range(256)) * 12_000
    queue.put(body)
    assert queue.get(len(body)) == body


def test_a_message_that_is_too_long_is_refused(ibmmq: Any, served: Served, qmgr: Any) -> None:
    served.local("SHORT", MAXMSGL=100)
    queue = ibmmq.Queue(qmgr, "SHORT", ibmmq.CMQC.MQOO_OUTPUT)
    assert failure(ibmmq, queue.put, bytes(101)) == (2, 2030)
    assert failure(ibmmq, queue.put, bytes(4_194_305)) == (2, 2031)


def test_context_is_passed_from_the_handle_that_saved_it(
    ibmmq: Any, served: Served, qmgr: Any
) -> None:
    c = ibmmq.CMQC
    served.local("IN")
    served.local("OUT")
    set_all = ibmmq.Queue(qmgr, "IN", c.MQOO_OUTPUT | c.MQOO_SET_ALL_CONTEXT)
    md = ibmmq.MD(UserIdentifier=b"somebody", PutApplName=b"elsewhere", PutApplType=6)
    set_all.put(b"x", md, ibmmq.PMO(Options=c.MQPMO_SET_ALL_CONTEXT))
    source = ibmmq.Queue(qmgr, "IN", c.MQOO_INPUT_SHARED | c.MQOO_SAVE_ALL_CONTEXT)
    target = ibmmq.Queue(qmgr, "OUT", c.MQOO_OUTPUT | c.MQOO_PASS_ALL_CONTEXT)
    body = source.get()
    pmo = ibmmq.PMO(Options=c.MQPMO_PASS_ALL_CONTEXT, Context=source.get_handle())
    target.put(body, ibmmq.MD(), pmo)
    got = ibmmq.MD()
    opened(ibmmq, qmgr, "OUT").get(None, got)
    assert got.UserIdentifier.rstrip() == b"somebody"
    assert got.PutApplName.rstrip() == b"elsewhere"


def test_mqstat_tells_of_asynchronous_puts(ibmmq: Any, served: Served, qmgr: Any) -> None:
    c = ibmmq.CMQC
    served.local("SMALL", MAXDEPTH=2)
    queue = ibmmq.Queue(qmgr, "SMALL", c.MQOO_OUTPUT)
    for _ in range(5):
        queue.put(b"x", ibmmq.MD(), ibmmq.PMO(Options=c.MQPMO_ASYNC_RESPONSE))
    status = qmgr.stat(c.MQSTAT_TYPE_ASYNC_ERROR)
    assert (status.PutSuccessCount, status.PutFailureCount, status.Reason) == (2, 3, 2053)
    assert status.ObjectName.rstrip() == b"SMALL"
    assert qmgr.stat(c.MQSTAT_TYPE_ASYNC_ERROR).PutFailureCount == 0


@pytest.mark.parametrize(
    ("persistence", "reason", "depth"),
    [("MQPER_PERSISTENT", 2003, 0), ("MQPER_NOT_PERSISTENT", 0, 2)],
)
def test_a_unit_that_lacks_a_persistent_message_cannot_be_committed(
    ibmmq: Any, served: Served, qmgr: Any, persistence: str, reason: int, depth: int
) -> None:
    c = ibmmq.CMQC
    served.local("SMALL", MAXDEPTH=2)
    queue = ibmmq.Queue(qmgr, "SMALL", c.MQOO_OUTPUT)
    for _ in range(3):
        md = ibmmq.MD(Persistence=getattr(c, persistence))
        queue.put(b"x", md, ibmmq.PMO(Options=c.MQPMO_ASYNC_RESPONSE | c.MQPMO_SYNCPOINT))
    seen = 0
    try:
        qmgr.commit()
    except ibmmq.MQMIError as error:
        seen = error.reason
    assert (seen, served.backend().status("SMALL").curdepth) == (reason, depth)
    assert qmgr.stat(c.MQSTAT_TYPE_ASYNC_ERROR).Reason == 2053
    qmgr.commit()  # the next unit of work has nothing of it


def test_a_pcf_message_of_a_mainframe_is_converted_as_it_is_got(ibmmq: Any, queue: Any) -> None:
    from mqtriage.mq.pcf import messages as pcf

    c = ibmmq.CMQC
    command = pcf.PCF(
        1, 13, (pcf.string(c.MQCA_Q_NAME, "A.QUEUE"), pcf.integer_of(c.MQIA_Q_TYPE, 1))
    )
    queue.put(
        pcf.encode(command, ">", 500),
        ibmmq.MD(Format=c.MQFMT_ADMIN, Encoding=785, CodedCharSetId=500),
    )
    md = ibmmq.MD(CodedCharSetId=1208, Encoding=c.MQENC_NATIVE)
    body = queue.get(None, md, ibmmq.GMO(Options=c.MQGMO_CONVERT))
    assert pcf.decode(body, "<", 1208).first(c.MQCA_Q_NAME) == "A.QUEUE"
    assert (md.CodedCharSetId, md.Encoding) == (1208, c.MQENC_NATIVE)


def test_what_was_not_opened_to_pass_context_says_so_before_there_is_none(
    ibmmq: Any, queue: Any, qmgr: Any
) -> None:
    c = ibmmq.CMQC
    source = ibmmq.Queue(qmgr, "IN", c.MQOO_INPUT_SHARED | c.MQOO_SAVE_ALL_CONTEXT)
    for opened_for, passes, reason in (
        (0, c.MQPMO_PASS_IDENTITY_CONTEXT, 2094), (0, c.MQPMO_PASS_ALL_CONTEXT, 2093),
        (c.MQOO_PASS_ALL_CONTEXT, c.MQPMO_PASS_ALL_CONTEXT, 2098),
    ):  # fmt: skip
        target = ibmmq.Queue(qmgr, "IN", c.MQOO_OUTPUT | opened_for)
        pmo = ibmmq.PMO(Options=passes, Context=source.get_handle())
        assert failure(ibmmq, target.put, b"x", ibmmq.MD(), pmo) == (2, reason)
        target.close()


def test_ibmmq_puts_no_trace_context_into_what_is_moved(ibmmq: Any) -> None:
    """With OpenTelemetry beside it, it would add properties to each message of ours."""
    assert importlib.util.find_spec("opentelemetry"), "mcp brings it"
    functions = vars(sys.modules["mqcommon"].OTelFunctions)
    assert {name for name, it in functions.items() if callable(it)} == set()
