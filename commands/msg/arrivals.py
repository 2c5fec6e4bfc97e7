"""Learn of messages that come to a queue, by a browse cursor that stands at its end.

What comes in front of the cursor (a higher priority, a put that was committed late) is not learnt
of here: who waits looks through the whole queue now and then, as IBM's handler does.
"""

from __future__ import annotations

from contextlib import suppress

from mqtriage.backends.port import Backend
from mqtriage.mq.constants import (
    MQGMO_BROWSE_NEXT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
)
from mqtriage.mq.errors import MQIError, NoMessageAvailable


class Arrivals:
    """The cursor, with a handle of its own.

    Raises:
        ObjectNotFound: No such queue.
        ConnectionFailed: By every method.
    """

    def __init__(self, backend: Backend, queue: str) -> None:
        self._handle = backend.open(queue, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)

    def reach_end(self) -> None:
        """Pass over what is there: who looks through the queue from now on sees all of it."""
        while self._came(MQGMO_BROWSE_NEXT, 0):
            pass

    def came(self, wait_ms: int) -> bool:
        """Whether something comes within *wait_ms* milliseconds."""
        return self._came(MQGMO_BROWSE_NEXT | MQGMO_WAIT, wait_ms)

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
