"""Definitions of queues: kept whole, read once a change, resolved from name to local queue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mqtriage.emulator.core.file.store import PRIORITY_SHIFT, QUEUE_SHIFT, Store
from mqtriage.emulator.core.tables import queues
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import cap_of
from mqtriage.mq.names import COMMAND_QUEUE, ZOS_COMMAND_QUEUE
from mqtriage.mq.transmission import NO_BASE, alias_problem, topic_alias_problem
from mqtriage.records import NamedTuple

AUTHORITY_QUEUE: Final = "SYSTEM.AUTH.DATA.QUEUE"
"""What the command server reads (MQCA_COMMAND_INPUT_Q_NAME), on Multiplatforms and on z/OS."""

TRIGGERED: Final = 1
TRANSMISSION: Final = 2
TEMPORARY: Final = 4
COMMANDS: Final = 8
"""Bits of `Queue.special`: has TRIGGER, USAGE(XMITQ), is a temporary dynamic queue, is the command
server's."""

Attributes = Mapping[str, int | str]


class Queue(NamedTuple):
    """One definition, with what every call looks at as plain numbers beside the attributes.

    Attributes:
        first, last: the positions of its messages: `first` <= position < `last`.
        capexpry: tenths of a second, negative for no limit.
        special: what makes a put to it more than a put, as bits; 0 for most queues.
    """

    id: int
    name: str
    kind: str
    attributes: Attributes
    first: int
    last: int
    put_enabled: bool
    get_enabled: bool
    fifo: bool
    max_depth: int
    max_length: int
    default_priority: int
    default_persistence: int
    capexpry: int
    special: int = 0

    @property
    def span(self) -> tuple[int, int]:
        """`first` and `last`."""
        return self.first, self.last

    @property
    def is_local(self) -> bool:
        return self.kind == "QLOCAL"


@lru_cache(1024)
def queue_from_row(row: tuple[int, str, str, str]) -> Queue:
    """The definition as it stands in the file; nobody changes what it has.

    All are read again when one was changed, and those of every queue manager are much the same.
    """
    queue_id, name, kind, text = row
    attributes: dict[str, int | str] = json.loads(text)
    capexpry = cap_of(attributes)
    return Queue(
        queue_id,
        name,
        kind,
        attributes,
        queue_id << QUEUE_SHIFT,
        (queue_id + 1) << QUEUE_SHIFT,
        attributes.get("PUT", "ENABLED") == "ENABLED",
        attributes.get("GET", "ENABLED") == "ENABLED",
        attributes.get("MSGDLVSQ", "PRIORITY") == "FIFO",
        int(attributes.get("MAXDEPTH", 0)),
        int(attributes.get("MAXMSGL", 0)),
        int(attributes.get("DEFPRTY", 0)),
        1 if attributes.get("DEFPSIST", "NO") == "YES" else 0,
        -1 if capexpry is None else capexpry,
        _special(name, kind, attributes),
    )


def _special(name: str, kind: str, attributes: Attributes) -> int:
    if kind != "QLOCAL":
        return 0
    return (
        (TRIGGERED if attributes.get("TRIGGER") == "YES" else 0)
        | (TRANSMISSION if attributes.get("USAGE") == "XMITQ" else 0)
        | (TEMPORARY if attributes.get("DEFTYPE") == "TEMPDYN" else 0)
        | (COMMANDS if name in (COMMAND_QUEUE, ZOS_COMMAND_QUEUE) else 0)
    )


def position_of(queue: Queue, priority: int, arrival: int) -> int:
    """Where a message that arrives now stands in the order of delivery."""
    rank = 0 if queue.fifo else 9 - min(priority, 9)
    return queue.first | rank << PRIORITY_SHIFT | arrival


def load_queues(store: Store) -> dict[str, Queue]:
    """Every definition by name."""
    return {row[1]: queue_from_row(row) for row in queues.every(store)}


def load_queue(store: Store, queue_id: int) -> Queue | None:
    """One definition, None when it is gone."""
    row = queues.read(store, queue_id)
    return None if row is None else queue_from_row(row)


def resolve(queues: Mapping[str, Queue], name: str, doing: str) -> tuple[Queue, ...]:
    """The definitions from *name* to the queue it means, in order.

    Where that is a QREMOTE, `remote.path_to` adds the transmission queue.

    Raises:
        ObjectNotFound: Unknown name (2085), or an alias whose target is not there (2082).
        MQIError: An alias of an alias (2001), or of a topic (2045).
    """
    queue = queues.get(name)
    if queue is None:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
    if queue.kind != "QALIAS":
        return (queue,)
    target = str(queue.attributes.get("TARGET", ""))
    if queue.attributes.get("TARGTYPE") == "TOPIC":
        raise topic_alias_problem(name, target).error(doing)
    base = queues.get(target)
    if base is None or base.kind in NO_BASE:
        raise alias_problem(name, target, base.kind if base is not None else "").error(doing)
    return (queue, base)
