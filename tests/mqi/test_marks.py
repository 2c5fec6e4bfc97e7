"""Browsers that mark what they have seen, alone and together, through ibmmq and pymqi."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.mqi.conftest import Served


@pytest.fixture(params=["ibmmq", "pymqi"])
def module(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.fixture
def manager(served: Served, module: Any) -> Iterator[Any]:
    served.local("IN")
    connection = module.connect("QM1")
    queue = module.Queue(connection, "IN", module.CMQC.MQOO_OUTPUT)
    for body in (b"one", b"two", b"three"):
        queue.put(body)
    queue.close()
    yield connection
    connection.disconnect()


def browser(module: Any, manager: Any, *, together: bool = True) -> Any:
    c = module.CMQC
    return module.Queue(manager, "IN", c.MQOO_BROWSE | (c.MQOO_CO_OP if together else 0))


def browse(module: Any, queue: Any, options: int, wait_ms: int = 0) -> bytes:
    c = module.CMQC
    gmo = module.GMO(Options=options | (c.MQGMO_WAIT if wait_ms else 0), WaitInterval=wait_ms)
    return bytes(queue.get(None, module.MD(), gmo))


def reason(module: Any, queue: Any, options: int, wait_ms: int = 0) -> int:
    with pytest.raises(module.MQMIError) as caught:
        browse(module, queue, options, wait_ms)
    return int(caught.value.reason)


def test_two_that_cooperate_share_the_messages(module: Any, manager: Any) -> None:
    next_one = module.CMQC.MQGMO_BROWSE_CO_OP
    other = module.QueueManager(None)  # a thread has one connection of its own; this is shared
    other.connect_with_options("QM1", opts=module.CMQC.MQCNO_HANDLE_SHARE_BLOCK)
    first, second = browser(module, manager), browser(module, other)
    seen = [browse(module, queue, next_one) for queue in (first, second, first)]
    assert seen == [b"one", b"two", b"three"]
    assert reason(module, second, next_one) == 2033
    outsider = browser(module, other, together=False)
    assert browse(module, outsider, module.CMQC.MQGMO_BROWSE_HANDLE) == b"one"
    other.disconnect()


def test_a_mark_of_ones_own_hides_nothing_from_others(module: Any, manager: Any) -> None:
    c = module.CMQC
    mine, theirs = (browser(module, manager, together=False) for _ in range(2))
    assert browse(module, mine, c.MQGMO_BROWSE_HANDLE) == b"one"
    assert browse(module, mine, c.MQGMO_BROWSE_HANDLE) == b"two"
    assert browse(module, theirs, c.MQGMO_BROWSE_HANDLE) == b"one"
    unmark = c.MQGMO_BROWSE_FIRST | c.MQGMO_UNMARK_BROWSE_HANDLE
    assert browse(module, mine, unmark) == b"one"
    assert browse(module, mine, c.MQGMO_BROWSE_HANDLE) == b"one"
    assert browse(module, mine, c.MQGMO_BROWSE_HANDLE) == b"three"


def test_what_is_marked_already_cannot_be_marked_again(module: Any, manager: Any) -> None:
    c = module.CMQC
    first, second = browser(module, manager), browser(module, manager)
    assert browse(module, first, c.MQGMO_BROWSE_FIRST | c.MQGMO_MARK_BROWSE_CO_OP) == b"one"
    mark = c.MQGMO_BROWSE_FIRST | c.MQGMO_MARK_BROWSE_CO_OP
    assert reason(module, second, mark) == c.MQRC_MSG_MARKED_BROWSE_CO_OP
    unmark = c.MQGMO_BROWSE_MSG_UNDER_CURSOR | c.MQGMO_UNMARK_BROWSE_CO_OP
    assert browse(module, first, unmark) == b"one"
    assert browse(module, second, mark) == b"one"


def test_marks_end_with_the_last_of_the_handles(module: Any, manager: Any) -> None:
    next_one = module.CMQC.MQGMO_BROWSE_CO_OP
    first, second = browser(module, manager), browser(module, manager)
    assert browse(module, first, next_one) == b"one"
    first.close()
    assert browse(module, second, next_one) == b"two"
    second.close()
    third = browser(module, manager)
    assert browse(module, third, next_one) == b"one"


@pytest.mark.slow
def test_marks_end_after_the_interval_of_the_queue_manager(
    module: Any, manager: Any, served: Served
) -> None:
    next_one = module.CMQC.MQGMO_BROWSE_CO_OP
    served.backend().alter("QMGR", "", {"MARKINT": 2000})
    first, second = browser(module, manager), browser(module, manager)
    assert [browse(module, first, next_one) for _ in range(3)] == [b"one", b"two", b"three"]
    assert reason(module, second, next_one) == 2033
    assert browse(module, second, next_one, wait_ms=60_000) == b"one"


def test_options_that_do_not_go_together_are_2046(module: Any, manager: Any) -> None:
    c = module.CMQC
    queue, alone = browser(module, manager), browser(module, manager, together=False)
    for options in (
        c.MQGMO_MARK_BROWSE_HANDLE,
        c.MQGMO_BROWSE_CO_OP | c.MQGMO_LOCK,
        c.MQGMO_BROWSE_FIRST | c.MQGMO_MARK_BROWSE_CO_OP | c.MQGMO_UNMARK_BROWSE_CO_OP,
        c.MQGMO_BROWSE_MSG_UNDER_CURSOR | c.MQGMO_UNMARKED_BROWSE_MSG,
    ):
        assert reason(module, queue, options) == 2046
    assert reason(module, alone, c.MQGMO_BROWSE_CO_OP) == 2046
    with pytest.raises(module.MQMIError) as caught:
        module.Queue(manager, "IN", c.MQOO_INPUT_SHARED | c.MQOO_CO_OP)
    assert caught.value.reason == 2046
