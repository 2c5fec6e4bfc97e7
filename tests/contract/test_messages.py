"""Messages through each end of the port: what is put, browsed, locked and got is the same."""

from __future__ import annotations

import time
from hashlib import sha256

import pytest

from mqtriage.backends.port import Backend, Match
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import BadSelector, MQIError, NoMessageAvailable, ObjectNotFound, QueueFull
from tests.contract.conftest import TEXT, End

BOTH = cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE | cmqc.MQOO_OUTPUT
ONE, TWO = (number.to_bytes(24, "big") for number in (1, 2))


def bodies(backend: Backend, queue: str) -> list[bytes]:
    handle = backend.open(queue, cmqc.MQOO_BROWSE)
    try:
        return [message.body for message in handle.browse()]
    finally:
        handle.close()


def test_a_selection_string_is_the_queue_managers_work(end: End, backend: Backend) -> None:
    queue = end.local()
    for priority, body in ((4, b"four"), (7, b"seven"), (2, b"two")):
        backend.put1(queue, MQMD(priority=priority), body)
    handle = backend.open(queue, BOTH & ~cmqc.MQOO_OUTPUT, selector="Root.MQMD.Priority < 5")
    assert [message.body for message in handle.browse(max_length=3)] == [b"fou", b"two"]
    assert handle.get().body == b"four"
    assert handle.get(match=Match()).body == b"two"
    assert reason_of(handle.get) == cmqc.MQRC_NO_MSG_AVAILABLE
    handle.close()
    assert bodies(backend, queue) == [b"seven"]
    for wrong in ("Root.MQMD.Priority <", "Root.MQMD.Format > 'A'", f"a = {'9' * 5000}"):
        with pytest.raises(BadSelector, match=r"\(2459\)"):
            backend.open(queue, cmqc.MQOO_BROWSE, selector=wrong)


def reason_of(call: object, *arguments: object, **more: object) -> int:
    with pytest.raises(MQIError) as caught:
        call(*arguments, **more)  # type: ignore[operator]
    return caught.value.reason


def test_the_connection_knows_where_it_is(end: End, backend: Backend) -> None:
    assert backend.queue_manager == end.queue_manager
    assert abs(backend.now_us() - time.time_ns() // 1000) < 60_000_000


def test_what_is_put_is_got_with_every_field(end: End, backend: Backend) -> None:
    given = MQMD(
        msg_type=cmqc.MQMT_REQUEST,
        expiry_tenths=36_000,
        feedback=0,
        encoding=273,
        ccsid=819,
        format="MQSTR",
        priority=7,
        persistence=1,
        msg_id=ONE,
        correl_id=TWO,
        reply_to_q="REPLIES",
        group_id=ONE,
        msg_flags=8,
        msg_seq_number=3,
    )
    handle = backend.open(end.local(), BOTH)
    stored = handle.put(given, b"body")
    # a real queue manager of 9.4.3 leaves what the caller gave, and fills it in for who gets it
    assert stored.reply_to_q_mgr in ("", end.queue_manager)
    stored = stored._replace(reply_to_q_mgr=end.queue_manager)
    got = handle.get()
    assert got.body == b"body"
    assert got.length_bytes == 4
    assert 35_900 <= got.md.expiry_tenths <= 36_000
    assert got.md._replace(expiry_tenths=36_000) == stored._replace(version=got.md.version)
    kept = "msg_type encoding ccsid format priority persistence msg_id correl_id reply_to_q"
    for field in [*kept.split(), "group_id", "msg_flags", "msg_seq_number"]:
        assert getattr(got.md, field) == getattr(given, field), field


def test_the_queue_manager_fills_in_what_is_left_open(end: End, backend: Backend) -> None:
    stored = backend.put1(end.local(DEFPRTY=4, DEFPSIST="YES"), MQMD(), b"x")
    assert stored.msg_id.startswith(b"AMQ ")
    assert (stored.priority, stored.persistence) == (4, 1)
    assert len(stored.put_date + stored.put_time) == 16
    if end.name != "real":  # there it depends on the level of the client
        assert stored.put_appl_name == "mqtriage"


@pytest.mark.parametrize("length", [0, 1, 4096, 4097, 100_000, 3_000_000])
@pytest.mark.slow
def test_a_message_of_any_length_comes_whole(end: End, backend: Backend, length: int) -> None:
    body = secrets_of(length)
    handle = backend.open(end.local(), BOTH)
    handle.put(MQMD(), body)
    browsed = handle.get(cmqc.MQGMO_BROWSE_FIRST)
    assert (browsed.length_bytes, sha256(browsed.body).digest()) == (length, sha256(body).digest())
    assert sha256(handle.get().body).digest() == sha256(body).digest()


def secrets_of(length: int) -> bytes:
    """Bytes of every kind, zeros and high ones among them."""
    return (bytes(range(256)) * (length // 256 + 1))[:length]


def test_a_browse_yields_in_queue_order_and_leaves_all(end: End, backend: Backend) -> None:
    queue = end.local(MSGDLVSQ="PRIORITY")
    for body, priority in ((b"low", 1), (b"high", 9), (b"mid", 5), (b"low too", 1)):
        backend.put1(queue, TEXT._replace(priority=priority), body)
    expected = [b"high", b"mid", b"low", b"low too"]
    assert bodies(backend, queue) == expected
    assert bodies(backend, queue) == expected


@pytest.mark.parametrize("max_length", [0, 1, 3, 100])
@pytest.mark.slow
def test_a_browse_reads_no_more_than_wanted(end: End, backend: Backend, max_length: int) -> None:
    queue = end.local()
    for body in (b"abcdef", b"", b"gh"):
        backend.put1(queue, TEXT, body)
    handle = backend.open(queue, cmqc.MQOO_BROWSE)
    browsed = [(m.body, m.length_bytes) for m in handle.browse(max_length=max_length)]
    assert browsed == [(body[:max_length], len(body)) for body in (b"abcdef", b"", b"gh")]


def test_short_and_long_messages_take_turns(end: End, backend: Backend) -> None:
    """The buffer grows in the middle of a browse, and no message is passed over or told twice."""
    queue = end.local()
    lengths = [10, 5_000, 20, 200_000, 30, 4_096, 1_000_000, 0]
    for number, length in enumerate(lengths):
        backend.put1(queue, TEXT, bytes([number]) * length)
    assert [len(body) for body in bodies(backend, queue)] == lengths


def test_two_browses_do_not_disturb_each_other(end: End, backend: Backend) -> None:
    queue = end.local()
    for body in (b"1", b"2", b"3"):
        backend.put1(queue, MQMD(), body)
    handle = backend.open(queue, BOTH)
    outer = []
    for message in handle.browse():
        outer.append(message.body)
        assert [m.body for m in handle.browse()] == [b"1", b"2", b"3"]
        assert handle.get(cmqc.MQGMO_BROWSE_NEXT).body == message.body
    assert outer == [b"1", b"2", b"3"]


def test_the_queue_manager_matches_ids(end: End, backend: Backend) -> None:
    queue = end.local()
    for msg_id, correl_id, body in ((ONE, TWO, b"a"), (TWO, TWO, b"b"), (ONE, ONE, b"c")):
        backend.put1(queue, MQMD(msg_id=msg_id, correl_id=correl_id), body)
    handle = backend.open(queue, BOTH)
    assert [m.body for m in handle.browse(Match(msg_id=ONE))] == [b"a", b"c"]
    assert [m.body for m in handle.browse(Match(correl_id=TWO))] == [b"a", b"b"]
    assert [m.body for m in handle.browse(Match(msg_id=ONE, correl_id=ONE))] == [b"c"]
    assert handle.get(match=Match(msg_id=TWO)).body == b"b"
    assert reason_of(handle.get, 0, Match(msg_id=TWO)) == cmqc.MQRC_NO_MSG_AVAILABLE


def test_a_group_is_matched(end: End, backend: Backend) -> None:
    queue = end.local()
    for group, body in ((ONE, b"a"), (TWO, b"b")):
        backend.put1(queue, MQMD(group_id=group, msg_flags=8), body)
    matched = backend.open(queue, cmqc.MQOO_BROWSE).browse(Match(group_id=TWO))
    assert [message.body for message in matched] == [b"b"]


def test_a_put_that_ends_with_a_warning_is_done(end: End, backend: Backend) -> None:
    """2049: a priority that the queue manager does not have."""
    queue = end.local()
    backend.put1(queue, MQMD(priority=77), b"one")
    handle = backend.open(queue, BOTH)
    handle.put(MQMD(priority=77), b"two", cmqc.MQPMO_SYNCPOINT)
    backend.commit()
    assert [message.body for message in handle.browse()] == [b"one", b"two"]
    handle.close()


def test_segments_are_put_together(end: End, backend: Backend) -> None:
    queue = end.local()
    for offset, body, last in ((3, b"two", True), (0, b"one", False)):
        flags = cmqc.MQMF_SEGMENT | (cmqc.MQMF_LAST_SEGMENT if last else 0)
        backend.put1(queue, MQMD(group_id=ONE, msg_flags=flags, offset=offset), body)
    handle = backend.open(queue, BOTH)
    assert [message.body for message in handle.browse()] == [b"two", b"one"]
    whole = handle.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_COMPLETE_MSG)
    assert (whole.body, whole.md.offset) == (b"onetwo", 0)
    assert whole.md.msg_flags == cmqc.MQMF_SEGMENT | cmqc.MQMF_LAST_SEGMENT
    assert handle.get(cmqc.MQGMO_COMPLETE_MSG | cmqc.MQGMO_SYNCPOINT).body == b"onetwo"
    backend.backout()
    assert [message.md.backout_count for message in handle.browse()] == [1, 1]
    assert handle.get(cmqc.MQGMO_COMPLETE_MSG, Match(group_id=ONE)).body == b"onetwo"
    handle.close()


def test_a_message_is_cut_where_it_may_be(end: End, backend: Backend) -> None:
    queue = end.local(MAXMSGL=100)
    data = bytes(250)
    handle = backend.open(queue, BOTH)
    assert reason_of(handle.put, MQMD(), data) == cmqc.MQRC_MSG_TOO_BIG_FOR_Q
    put = handle.put(MQMD(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED), data)
    stored = list(handle.browse())
    assert sum(message.length_bytes for message in stored) == 250
    assert {message.md.group_id for message in stored} == {put.group_id}
    assert handle.get(cmqc.MQGMO_COMPLETE_MSG).body == data
    handle.close()


def test_what_is_locked_is_got_under_the_cursor(end: End, backend: Backend) -> None:
    """Of two messages with one MsgId the one that was looked at is taken, and no other."""
    queue = end.local()
    for body in (b"first", b"second"):
        backend.put1(queue, MQMD(msg_id=ONE), body)
    handle = backend.open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    handle.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK, Match(msg_id=ONE))
    locked = handle.get(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_LOCK, Match(msg_id=ONE))
    assert locked.body == b"second"
    other = end.connect().open(queue, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_BROWSE)
    assert other.get(match=Match(msg_id=ONE)).body == b"first"
    assert reason_of(other.get, 0, Match(msg_id=ONE)) == cmqc.MQRC_NO_MSG_AVAILABLE
    assert handle.get(cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT).body == b"second"
    backend.commit()
    assert bodies(backend, queue) == []


def test_a_long_message_is_locked_and_got_whole(end: End, backend: Backend) -> None:
    queue = end.local()
    backend.put1(queue, MQMD(), b"x" * 50_000)
    handle = backend.open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    assert len(handle.get(cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_LOCK).body) == 50_000
    other = end.connect().open(queue, cmqc.MQOO_INPUT_SHARED)
    assert reason_of(other.get) == cmqc.MQRC_NO_MSG_AVAILABLE
    assert len(handle.get(cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_SYNCPOINT).body) == 50_000
    backend.commit()


def test_the_message_under_the_cursor_can_be_browsed_again(end: End, backend: Backend) -> None:
    queue = end.local()
    for body in (b"1", b"2"):
        backend.put1(queue, MQMD(), body)
    handle = backend.open(queue, cmqc.MQOO_BROWSE)
    handle.get(cmqc.MQGMO_BROWSE_FIRST)
    handle.get(cmqc.MQGMO_BROWSE_NEXT)
    assert handle.get(cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR).body == b"2"


def test_a_message_that_is_gone_is_not_under_the_cursor(end: End, backend: Backend) -> None:
    queue = end.local()
    backend.put1(queue, MQMD(), b"x")
    handle = backend.open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED)
    handle.get(cmqc.MQGMO_BROWSE_FIRST)
    end.connect().open(queue, cmqc.MQOO_INPUT_SHARED).get()
    assert reason_of(handle.get, cmqc.MQGMO_MSG_UNDER_CURSOR) == cmqc.MQRC_NO_MSG_UNDER_CURSOR


def test_nothing_of_a_unit_of_work_is_seen_before_its_commit(end: End, backend: Backend) -> None:
    source, target = end.local(), end.local()
    backend.put1(source, MQMD(), b"x")
    other = end.connect()
    backend.put1(target, MQMD(), b"x", cmqc.MQPMO_SYNCPOINT)
    assert backend.open(source, cmqc.MQOO_INPUT_SHARED).get(cmqc.MQGMO_SYNCPOINT).body == b"x"
    assert (bodies(other, source), bodies(other, target)) == ([], [])
    backend.commit()
    assert (bodies(other, source), bodies(other, target)) == ([], [b"x"])


def test_a_backout_undoes_both_and_counts(end: End, backend: Backend) -> None:
    source, target = end.local(HARDENBO="YES"), end.local()
    backend.put1(source, MQMD(), b"x")
    handle = backend.open(source, cmqc.MQOO_INPUT_SHARED)
    for count in range(3):
        assert handle.get(cmqc.MQGMO_SYNCPOINT).md.backout_count == count
        backend.put1(target, MQMD(), b"x", cmqc.MQPMO_SYNCPOINT)
        backend.backout()
    assert (bodies(backend, source), bodies(backend, target)) == ([b"x"], [])


def test_leaving_never_commits(end: End) -> None:
    queue = end.local()
    end.connect().put1(queue, MQMD(), b"kept")
    leaver = end.connect()
    leaver.open(queue, cmqc.MQOO_INPUT_SHARED).get(cmqc.MQGMO_SYNCPOINT)
    leaver.put1(queue, MQMD(), b"never", cmqc.MQPMO_SYNCPOINT)
    leaver.disconnect()
    assert bodies(end.connect(), queue) == [b"kept"]


def test_a_copy_keeps_the_context_that_it_is_given(end: End, backend: Backend) -> None:
    queue = end.local()
    context = MQMD(
        user_identifier="alice",
        accounting_token=bytes(range(32)),
        appl_identity_data="identity",
        put_appl_type=6,
        put_appl_name="order-entry",
        put_date="20260101",
        put_time="10203040",
        appl_origin_data="orig",
    )
    handle = backend.open(queue, cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT)
    handle.put(context, b"x", cmqc.MQPMO_SET_ALL_CONTEXT)
    got = backend.open(queue, cmqc.MQOO_INPUT_SHARED).get().md
    for field in ("user_identifier", "accounting_token", "appl_identity_data", "put_appl_type",
                  "put_appl_name", "put_date", "put_time", "appl_origin_data"):  # fmt: skip
        assert getattr(got, field) == getattr(context, field), field


def test_a_wait_ends_with_2033(end: End, backend: Backend) -> None:
    handle = backend.open(end.local(), cmqc.MQOO_INPUT_SHARED)
    began = time.monotonic()
    with pytest.raises(NoMessageAvailable):
        handle.get(cmqc.MQGMO_WAIT, wait_ms=300)
    assert 0.25 < time.monotonic() - began < 20


def test_a_lifetime_runs_down_and_ends(end: End, backend: Backend) -> None:
    queue = end.local()
    backend.put1(queue, MQMD(expiry_tenths=1), b"soon gone")
    backend.put1(queue, MQMD(expiry_tenths=36_000), b"stays")
    time.sleep(0.15)
    handle = backend.open(queue, cmqc.MQOO_BROWSE)
    (remaining,) = handle.browse()
    assert (remaining.body, remaining.md.expiry_tenths < 36_000) == (b"stays", True)


def test_an_alias_leads_to_its_queue(end: End, backend: Backend) -> None:
    base = end.local()
    alias = end.define("QALIAS", TARGET=base)
    handle = backend.open(alias, cmqc.MQOO_BROWSE | cmqc.MQOO_OUTPUT)
    handle.put(TEXT, b"x")
    assert (handle.name, handle.resolved_name) == (alias, base)
    assert bodies(backend, base) == [b"x"]


def test_properties_come_in_an_rfh2_whatever_the_queue_says(end: End, backend: Backend) -> None:
    queue = end.local(PROPCTL="NONE")
    folder = b"<usr><Color>red</Color></usr>".ljust(32)
    body = (
        b"RFH " + (2).to_bytes(4, "little") + (36 + 4 + len(folder)).to_bytes(4, "little")
        + (546).to_bytes(4, "little") + (1208).to_bytes(4, "little") + b"MQSTR   "
        + bytes(4) + (1208).to_bytes(4, "little") + len(folder).to_bytes(4, "little") + folder
        + b"text"
    )  # fmt: skip
    backend.put1(queue, MQMD(format="MQHRF2", ccsid=1208), body)
    (message,) = backend.open(queue, cmqc.MQOO_BROWSE).browse()
    assert message.md.format == "MQHRF2"
    assert b"<Color>red</Color>" in message.body
    assert message.body.endswith(b"text")


# -- what fails fails alike -----------------------------------------------------------------------


def test_a_queue_that_is_not_there(backend: Backend) -> None:
    with pytest.raises(ObjectNotFound, match="MQRC_UNKNOWN_OBJECT_NAME"):
        backend.open("NO.SUCH.QUEUE", cmqc.MQOO_BROWSE)
    assert reason_of(backend.put1, "NO.SUCH.QUEUE", TEXT, b"x") == 2085


def test_an_alias_that_leads_nowhere(end: End, backend: Backend) -> None:
    alias = end.define("QALIAS", TARGET="NO.SUCH.QUEUE")
    assert reason_of(backend.open, alias, cmqc.MQOO_BROWSE) == cmqc.MQRC_UNKNOWN_ALIAS_BASE_Q


def test_a_full_queue(end: End, backend: Backend) -> None:
    queue = end.local(MAXDEPTH=1)
    backend.put1(queue, TEXT, b"x")
    with pytest.raises(QueueFull, match=f"put to {queue}: MQRC_Q_FULL"):
        backend.put1(queue, TEXT, b"x")


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        pytest.param({"PUT": "DISABLED"}, cmqc.MQRC_PUT_INHIBITED, id="put-disabled"),
        pytest.param({"MAXMSGL": 3}, cmqc.MQRC_MSG_TOO_BIG_FOR_Q, id="too-long"),
    ],
)
def test_a_put_that_the_queue_refuses(
    end: End, backend: Backend, attributes: dict[str, int | str], reason: int
) -> None:
    assert reason_of(backend.put1, end.local(**attributes), TEXT, b"four") == reason


def test_gets_are_refused_where_they_are_disabled(end: End, backend: Backend) -> None:
    handle = backend.open(end.local(GET="DISABLED"), cmqc.MQOO_INPUT_SHARED)
    assert reason_of(handle.get) == cmqc.MQRC_GET_INHIBITED


def test_a_handle_does_what_it_was_opened_for(end: End, backend: Backend) -> None:
    queue = end.local()
    browse = backend.open(queue, cmqc.MQOO_BROWSE)
    assert reason_of(browse.get) == cmqc.MQRC_NOT_OPEN_FOR_INPUT
    assert reason_of(browse.put, MQMD(), b"x") == cmqc.MQRC_NOT_OPEN_FOR_OUTPUT
    put = backend.open(queue, cmqc.MQOO_OUTPUT)
    assert reason_of(put.get, cmqc.MQGMO_BROWSE_FIRST) == cmqc.MQRC_NOT_OPEN_FOR_BROWSE


def test_an_exclusive_reader_keeps_others_out(end: End, backend: Backend) -> None:
    queue = end.local()
    reader = backend.open(queue, cmqc.MQOO_INPUT_EXCLUSIVE)
    assert reason_of(end.connect().open, queue, cmqc.MQOO_INPUT_SHARED) == cmqc.MQRC_OBJECT_IN_USE
    reader.close()


@pytest.mark.slow
def test_a_handle_that_outlives_its_connection_is_closed_quietly(end: End) -> None:
    """As that of a generator that nobody read to its end."""
    name, backend = end.local(), end.connect()
    handle = backend.open(name, BOTH)
    backend.disconnect()
    handle.close()
