"""Where copies can be seen: on the queue they were put to, or on its transmission queue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Final

from mqtriage.backends.name_resolution import leaves, put_path
from mqtriage.backends.port import Backend, Match, QueueHandle
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.errors import MQIError, ObjectNotFound
from mqtriage.mq.message import Message
from mqtriage.records import NamedTuple

_OPTIONS: Final = cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING


class Arrived(NamedTuple):
    """A queue that is open to look for copies.

    Attributes:
        leaves: it is a transmission queue, and the copies are behind an MQXQH there: the CorrelId
            is their MsgId (IBM MQ documentation, "MQXQH", fields in the separate descriptor).
    """

    handle: QueueHandle
    leaves: bool = False

    def count(self, msg_id: bytes) -> int:
        """How many copies have this MsgId."""
        return sum(1 for _ in self.handle.browse(self._match(msg_id), max_length=1))

    def count_copies(self, msg_id: bytes, digest: bytes) -> int:
        """How many copies have this MsgId, and data with this SHA-256."""
        messages = self.handle.browse(self._match(msg_id))
        return sum(digest in _digests(message, self.leaves) for message in messages)

    def _match(self, msg_id: bytes) -> Match:
        return Match(correl_id=msg_id) if self.leaves else Match(msg_id=msg_id)


def _digests(message: Message, leaves: bool) -> Iterator[bytes]:
    """SHA-256 of the data of what was put, with and without an MQMDE behind the MQXQH."""
    behind_both = cmqc.MQXQH_CURRENT_LENGTH + cmqc.MQMDE_CURRENT_LENGTH
    starts = (cmqc.MQXQH_CURRENT_LENGTH, behind_both) if leaves else (0,)
    return (sha256(message.body[start:]).digest() for start in starts)


def open_arrived(backend: Backend, queue: str) -> Arrived | None:
    """Open *queue*, or the transmission queue it leads to; None where that cannot be browsed."""
    try:
        return Arrived(backend.open(queue, _OPTIONS))
    except ObjectNotFound:
        raise
    except MQIError:  # for one, a remote queue can be opened for output alone
        with suppress(MQIError):
            path = put_path(backend, queue, f"open {queue}")
            if leaves(path):
                return Arrived(backend.open(path[-1].name, _OPTIONS), leaves=True)
        return None


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
