"""Where a limit is reached, through each end of the port: what passes last, what fails first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mqtriage.backends.port import ANY, Backend, Match, QueueHandle
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from tests.contract.conftest import End
from tests.mqi.conftest import Served

ALL = cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT
ID = b"I" * 24
SOME = MQMD()
UNDER_CURSOR = cmqc.MQGMO_MSG_UNDER_CURSOR | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR


def reason_of_put(
    handle: QueueHandle,
    md: MQMD = SOME,
    body: bytes = b"x",
    options: int = 0,
) -> int:
    """What a put ends with, 0 where it works."""
    try:
        handle.put(md, body, options)
    except MQIError as error:
        return error.reason
    return 0


def reason_of_get(
    handle: QueueHandle,
    options: int = 0,
    match: Match = ANY,
    wait_ms: int = 0,
) -> int:
    try:
        handle.get(options, match, wait_ms=wait_ms)
    except MQIError as error:
        return error.reason
    return 0


@contextmanager
def stopped_clock(end: End, served: Served) -> Iterator[Backend]:
    """A look at the queue manager from beside, whose clock stands still."""
    if end.name == "real":
        pytest.skip("nobody stops the clock of a real queue manager")
    beside = served.backend()
    lifecycle.set_clock(beside.manager, frozen=True)
    yield beside
    lifecycle.set_clock(beside.manager, frozen=False)


def advance(served: Served, span_us: int) -> None:
    manager = open_manager(served.path)
    lifecycle.advance(manager, span_us)
    manager.close()


@pytest.mark.seed("EX-17", "EX-18")
@pytest.mark.parametrize(
    ("options", "match"),
    [
        pytest.param(0, ANY, id="get"),
        pytest.param(0, Match(correl_id=ID), id="get-by-id"),
        pytest.param(cmqc.MQGMO_SYNCPOINT, ANY, id="get-under-syncpoint"),
        pytest.param(cmqc.MQGMO_LOGICAL_ORDER, ANY, id="get-in-logical-order"),
        pytest.param(cmqc.MQGMO_MSG_UNDER_CURSOR, ANY, id="get-under-cursor"),
        pytest.param(cmqc.MQGMO_BROWSE_FIRST, ANY, id="browse-first"),
        pytest.param(cmqc.MQGMO_BROWSE_NEXT, ANY, id="browse-next"),
        pytest.param(cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR, ANY, id="browse-under-cursor"),
    ],
)
@pytest.mark.parametrize("persistence", [0, 1], ids=["kept-in-memory", "on-the-disk"])
@pytest.mark.slow
def test_a_message_is_there_until_the_last_microsecond_of_its_lifetime(
    end: End, backend: Backend, module_served: Served, options: int, match: Match, persistence: int
) -> None:
    with stopped_clock(end, module_served) as beside:
        for span_us, over in ((999_999, False), (1_000_000, True)):
            name = end.local()
            handle = backend.open(name, ALL)
            handle.put(MQMD(expiry_tenths=10, correl_id=ID, persistence=persistence), b"x")
            if options & UNDER_CURSOR:
                handle.get(cmqc.MQGMO_BROWSE_FIRST)
            advance(module_served, span_us)
            none = 2034 if options & UNDER_CURSOR else cmqc.MQRC_NO_MSG_AVAILABLE
            assert reason_of_get(handle, options, match) == (none if over else 0)
            backend.commit()
            handle.close()
            if over:
                assert beside.status(name).curdepth == 0


def test_as_many_messages_fit_as_maxdepth_says(end: End, backend: Backend) -> None:
    handle = backend.open(end.local(MAXDEPTH=2), ALL)
    for options in (0, cmqc.MQPMO_SYNCPOINT):
        reasons = [reason_of_put(handle, options=options) for _ in range(3)]
        assert reasons == [0, 0, cmqc.MQRC_Q_FULL]
        backend.commit()
        assert [reason_of_get(handle) for _ in range(2)] == [0, 0]


def test_a_message_may_be_as_long_as_maxmsgl_says(end: End, backend: Backend) -> None:
    handle = backend.open(end.local(MAXMSGL=10), ALL)
    assert reason_of_put(handle, body=b"x" * 10) == 0
    assert reason_of_put(handle, body=b"x" * 11) == cmqc.MQRC_MSG_TOO_BIG_FOR_Q


@pytest.mark.parametrize(
    ("last", "beyond", "reason"),
    [
        (MQMD(priority=-1), MQMD(priority=-2), cmqc.MQRC_PRIORITY_ERROR),
        (MQMD(priority=0), MQMD(priority=-2), cmqc.MQRC_PRIORITY_ERROR),
        (MQMD(persistence=0), MQMD(persistence=-1), cmqc.MQRC_PERSISTENCE_ERROR),
        (MQMD(persistence=2), MQMD(persistence=3), cmqc.MQRC_PERSISTENCE_ERROR),
        (MQMD(feedback=0), MQMD(feedback=-1), cmqc.MQRC_FEEDBACK_ERROR),
        (MQMD(expiry_tenths=1), MQMD(expiry_tenths=0), cmqc.MQRC_EXPIRY_ERROR),
        (MQMD(msg_type=999_999_999), MQMD(msg_type=1_000_000_000), cmqc.MQRC_MSG_TYPE_ERROR),
        (MQMD(feedback=999_999_999), MQMD(feedback=1_000_000_000), cmqc.MQRC_FEEDBACK_ERROR),
    ],
    ids=[
        "as-the-queue-says",
        "priority",
        "not-persistent",
        "persistent",
        "no-feedback",
        "expiry",
        "type",
        "feedback",
    ],
)
@pytest.mark.slow
def test_a_field_of_the_descriptor_has_a_last_good_value(
    end: End, backend: Backend, last: MQMD, beyond: MQMD, reason: int
) -> None:
    handle = backend.open(end.local(), ALL)
    assert reason_of_put(handle, last) == 0
    if last.expiry_tenths != 1:  # that one is perhaps over before the get
        got = handle.get().md
        assert last.priority in (-1, got.priority)
        assert last.persistence in (2, got.persistence)
    assert reason_of_put(handle, beyond) == reason


@pytest.mark.parametrize(
    ("md", "as_stored"),
    [
        (MQMD(priority=-1, persistence=2), (5, 1)),
        (MQMD(priority=0, persistence=0), (0, 0)),
        (MQMD(priority=1, persistence=1), (1, 1)),
    ],
    ids=["as-the-queue-says", "least", "said"],
)
def test_the_queue_says_priority_and_persistence_where_the_message_leaves_it_to_it(
    end: End, backend: Backend, md: MQMD, as_stored: tuple[int, int]
) -> None:
    handle = backend.open(end.local(DEFPRTY=5, DEFPSIST="YES"), ALL)
    handle.put(md, b"x")
    got = handle.get().md
    assert (got.priority, got.persistence) == as_stored


@pytest.mark.parametrize(
    ("persistence", "reason"),
    [(0, 0), (1, cmqc.MQRC_PERSISTENT_NOT_ALLOWED), (2, 0)],
    ids=["not-persistent", "persistent", "as-the-queue-says"],
)
def test_a_temporary_queue_takes_what_is_not_persistent_when_it_is_resolved(
    end: End, backend: Backend, persistence: int, reason: int
) -> None:
    model = end.define("QMODEL", DEFTYPE="TEMPDYN", DEFPSIST="NO")
    handle = backend.open(model, ALL)
    assert reason_of_put(handle, MQMD(persistence=persistence)) == reason


@pytest.mark.parametrize(
    ("length", "lengths"),
    [(20, [20]), (21, [16, 5]), (36, [16, 20]), (37, [16, 16, 5])],
)
def test_a_message_is_cut_into_no_more_segments_than_it_needs(
    end: End, backend: Backend, length: int, lengths: list[int]
) -> None:
    handle = backend.open(end.local(MAXMSGL=20), ALL)
    md = MQMD(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED)
    assert reason_of_put(handle, md, b"x" * length) == 0
    assert [handle.get().length_bytes for _ in lengths] == lengths
    assert reason_of_get(handle) == cmqc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (0, cmqc.MQRC_MSG_SEQ_NUMBER_ERROR),
        (1, 0),
        (999_999_999, 0),
        (1_000_000_000, cmqc.MQRC_MSG_SEQ_NUMBER_ERROR),
    ],
)
def test_a_message_of_a_group_has_a_number_from_1_on(
    end: End, backend: Backend, number: int, reason: int
) -> None:
    handle = backend.open(end.local(), ALL)
    md = MQMD(group_id=ID, msg_flags=cmqc.MQMF_MSG_IN_GROUP, msg_seq_number=number)
    assert reason_of_put(handle, md) == reason


def test_a_wait_may_be_without_end_and_not_below(end: End, backend: Backend) -> None:
    handle = backend.open(end.local(), ALL)
    handle.put(MQMD(), b"x")
    assert reason_of_get(handle, cmqc.MQGMO_WAIT, wait_ms=-1) == 0
    assert reason_of_get(handle, cmqc.MQGMO_WAIT, wait_ms=-2) == cmqc.MQRC_WAIT_INTERVAL_ERROR
    assert reason_of_get(handle, cmqc.MQGMO_WAIT, wait_ms=0) == cmqc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.parametrize("max_length", [3, 4, 5])
@pytest.mark.slow
def test_of_a_message_as_much_comes_as_was_asked_for(
    end: End, backend: Backend, max_length: int
) -> None:
    handle = backend.open(end.local(), ALL)
    for options in (cmqc.MQGMO_BROWSE_FIRST, 0):
        handle.put(MQMD(), b"1234")
        message = handle.get(options, max_length=max_length)
        assert (message.body, message.length_bytes) == (b"1234"[:max_length], 4)
