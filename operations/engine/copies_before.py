"""How many messages with a MsgId are on a target before one more is put there.

Where nothing is taken, a copy on the target proves a commit only if it was not there before: the
same file may have been loaded twice. The journal keeps the number of the first message of a unit.
"""

from __future__ import annotations

from contextlib import suppress

from mqtriage.backends.port import Backend
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import MQIError
from mqtriage.operations.selection.arrived import Arrived, open_arrived


class CopiesBefore:
    """Counts on one target; ask before the first put of a unit of work."""

    def __init__(self, backend: Backend, target: str, *, new_ids: bool) -> None:
        """Args: new_ids: the queue manager makes a MsgId for each copy."""
        self._backend = backend
        self._target = target
        self._new_ids = new_ids
        self._arrived: Arrived | None = None

    def count(self, msg_id: bytes) -> int | None:
        """How many are there; None where the target cannot be browsed."""
        if self._new_ids or msg_id == NO_ID:
            return 0
        try:
            self._arrived = self._arrived or open_arrived(self._backend, self._target)
            return None if self._arrived is None else self._arrived.count(msg_id)
        except MQIError:
            return None

    def close(self) -> None:
        if self._arrived is not None:
            with suppress(MQIError):
                self._arrived.handle.close()
