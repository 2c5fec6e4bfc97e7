"""BOTHRESH and BOQNAME as a client inquires them: which queue, which open options, when.

Which open options a JMS client uses depends on its version (PM-30 to PM-35). IBM made the change
in 9.1.0.2 on the long-term stream and in 9.1.2 on the continuous-delivery stream, so versions are
compared by stream: 9.1.1 is old although it is greater than 9.1.0.2.
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core import call_log
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc
from mqtriage.mq.backout import BackoutPolicy
from mqtriage.mq.errors import ConnectionFailed, MQIError, UsageError

CURRENT_VERSION: Final = "9.4"


def version_parts(text: str) -> tuple[int, int, int, int]:
    """Version, release, modification and fix of a client: (9, 1, 0, 2) of "9.1.0.2".

    Parts that are left out are 0.
    """
    parts = text.split(".")
    good = 2 <= len(parts) <= 4 and all(
        part.isascii() and part.isdigit() and len(part) <= 3 for part in parts
    )
    if not good:
        msg = f"client-version {text[:40]!r}: expected V.R[.M[.F]]"
        raise UsageError(msg, hint="for example 9.4, 9.1.0.1 or 9.1.2")
    numbers = [int(part) for part in parts] + [0, 0]
    return numbers[0], numbers[1], numbers[2], numbers[3]


def needs_get_authority_to_inquire(version: str) -> bool:
    """Whether that client opens a cluster queue for input as well, to inquire it (PM-31, PM-35)."""
    major, release, modification, fix = version_parts(version)
    if (major, release) != (9, 1):
        return (major, release) < (9, 1)
    return fix < 2 if modification == 0 else modification < 2


def open_options(version: str, *, cluster: bool) -> int:
    """MQOO_* bits with which a JMS client of that version opens the queue to inquire it."""
    needs_get = cluster and needs_get_authority_to_inquire(version)
    return _INQUIRE | (cmqc.MQOO_INPUT_AS_Q_DEF if needs_get else 0)


_INQUIRE: Final = cmqc.MQOO_INQUIRE | cmqc.MQOO_FAIL_IF_QUIESCING


def inquire_policy(connection: Connection, queue: str, options: int = _INQUIRE) -> BackoutPolicy:
    """Open a local queue, inquire BOTHRESH and BOQNAME, close it (PM-29).

    Args:
        queue: name of the local queue that holds the messages.

    Raises:
        NotAuthorized: 2035.
        MQIError: Any other reason an MQOPEN can fail with.
    """
    handle = connection.open(queue, options)
    try:
        if call_log.is_on(connection.manager):
            call_log.note(
                connection.manager,
                connection.user,
                connection.application,
                "MQINQ",
                queue,
                detail="BOTHRESH, BOQNAME",
            )
        attributes = handle.queue.attributes
        return BackoutPolicy(
            int(attributes.get("BOTHRESH", 0)), str(attributes.get("BOQNAME", "")).strip()
        )
    finally:
        connection.close(handle)


def is_cluster_queue(connection: Connection, queue: str) -> bool:
    """Whether a local queue is shared in a cluster (CLUSTER or CLUSNL is set)."""
    definition = connection.manager.queues.get(queue)
    if definition is None:
        return False
    return bool(definition.attributes.get("CLUSTER") or definition.attributes.get("CLUSNL"))


class LazyPolicy:
    """The attributes as one JMS consumer knows them: inquired late, then never again.

    They are inquired when the consumer first meets a message with BackoutCount above 0 (PM-16),
    and kept from then on, whatever is altered (PM-17). An inquiry that fails is not kept: the
    message is delivered as if BOTHRESH were 0, and the next one asks again.

    Args:
        queue: name of the local queue under the consumer: target of an alias (PM-18), local
            instance of a cluster queue (PM-20), managed queue of a subscription (PM-22).
    """

    def __init__(self, connection: Connection, queue: str, client_version: str) -> None:
        version_parts(client_version)
        self._connection = connection
        self._queue = queue
        self._version = client_version
        self._known: BackoutPolicy | None = None

    def get(self) -> BackoutPolicy | MQIError:
        """The policy, or why it could not be inquired.

        Raises:
            ConnectionFailed: The connection is gone; that is no answer about the queue.
        """
        if self._known is None:
            cluster = is_cluster_queue(self._connection, self._queue)
            options = open_options(self._version, cluster=cluster)
            try:
                self._known = inquire_policy(self._connection, self._queue, options)
            except ConnectionFailed:
                raise
            except MQIError as error:
                return error
        return self._known
