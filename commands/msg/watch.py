"""`mqtriage watch QUEUE…`: tell each message as it arrives; nothing is taken off.

A queue with few messages is walked again each time, since MQ puts a message of a higher priority
in front of those of a lower one, where a cursor that stands at the end never meets it. A queue
with many is only read on from its end, and that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from mqtriage.backends.port import Backend, Match, QueueHandle
from mqtriage.messages.filters.selection import Selection
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from mqtriage.mq.message import Message
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import matching, open_to_browse

FEW: Final = 500
"""As many messages are walked again each time."""

Key: TypeAlias = tuple[bytes, bytes, str, str]


Known: TypeAlias = dict[str, set[Key] | None]
"""By queue the messages on it; None once there were more than `FEW`: then the cursor tells what is
new."""


def watch(
    backend: Backend,
    queues: Sequence[str],
    selection: Selection,
    known: Known,
    *,
    more: Callable[[], bool],
    note: Callable[[str], None],
    body: bool = True,
) -> Iterator[tuple[str, Message]]:
    """Yield (queue, message) of what arrives, until *more* says no.

    Args:
        known: by queue what was there; after a lost connection the next call goes on with it. A
            queue that is not in it is told from its next arrival on.
        more: called when nothing is new; waits a little, and says whether to go on.
        note: told what cannot be seen.
        body: read message data too.

    Raises:
        ObjectNotFound: No such queue.
        ConnectionFailed: The connection is lost.
    """
    selection = with_due_reading(backend, selection)
    match, test = matching(backend, selection)
    length = None if body or selection.needs else 0
    handles = [(queue, open_to_browse(backend, queue, selection)) for queue in queues]
    for queue, handle in handles:
        if known.get(queue) is None:  # a new cursor is at the front
            there: Known = {queue: set()}
            for _ in _arrived(handle, match, there, queue, lambda text: None):
                pass
            known |= there  # only once it was walked to its end
        if known[queue] is None:
            note(
                f"{queue}: more than {FEW} messages; a message with a higher priority may be missed"
            )
    is_new = True
    while is_new or more():
        is_new = False
        for queue, handle in handles:
            for arrived in _arrived(handle, match, known, queue, note):
                message = arrived
                if length is None:
                    whole = _get(handle, cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR, Match(), None)
                    if whole is None:  # somebody took it in between
                        continue
                    message = whole
                if test is None or test(message):
                    is_new = True
                    yield queue, message


def _arrived(
    handle: QueueHandle, match: Match, known: Known, queue: str, note: Callable[[str], None]
) -> Iterator[Message]:
    """What is on the queue and was not; the cursor stands on each one as it is yielded."""
    before = known[queue]
    if before is None:
        while (message := _get(handle, cmqc.MQGMO_BROWSE_NEXT, match, 0)) is not None:
            yield message
        return
    now = set[Key]()
    option = cmqc.MQGMO_BROWSE_FIRST
    try:
        while (message := _get(handle, option, match, 0)) is not None:
            option = cmqc.MQGMO_BROWSE_NEXT
            md = message.md
            key = md.msg_id, md.correl_id, md.put_date, md.put_time
            if key not in before:
                yield message
            if len(now) <= FEW:
                now.add(key)
    finally:  # where the connection is lost on the way, what was told is not told again
        known[queue] = before | now
    known[queue] = now
    if len(now) > FEW:
        known[queue] = None
        note(f"more than {FEW} messages; a message with a higher priority may be missed")


def _get(handle: QueueHandle, option: int, match: Match, length: int | None) -> Message | None:
    try:
        return handle.get(option | cmqc.MQGMO_FAIL_IF_QUIESCING, match, max_length=length)
    except NoMessageAvailable:
        return None


class Arrivals:
    """The cursor, with a handle of its own.

    Raises:
        ObjectNotFound: No such queue.
        ConnectionFailed: By every method.
    """

    def __init__(self, backend: Backend, queue: str) -> None:
        self._handle = backend.open(queue, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING)

    def reach_end(self) -> None:
        """Pass over what is there: who looks through the queue from now on sees all of it."""
        while self._came(cmqc.MQGMO_BROWSE_NEXT, 0):
            pass

    def came(self, wait_ms: int) -> bool:
        """Whether something comes within *wait_ms* milliseconds."""
        return self._came(cmqc.MQGMO_BROWSE_NEXT | cmqc.MQGMO_WAIT, wait_ms)

    def _came(self, options: int, wait_ms: int) -> bool:
        try:
            self._handle.get(options, wait_ms=wait_ms, max_length=0)
        except NoMessageAvailable:
            return False
        return True

    def close(self) -> None:
        """Close the handle; a connection that is lost has closed it."""
        with suppress(MQIError):
            self._handle.close()
