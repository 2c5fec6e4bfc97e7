"""What operations took off a queue and did not put back: what was given up, and what was moved on.

An undo, or another operation, that puts a message back makes its earlier operations count for
nothing. A message is known by its MsgId and its data, as the loop guard knows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, partial
from pathlib import Path
from typing import Final

from mqtriage.messages.stored_messages import Numbered, read_line
from mqtriage.mq.errors import StorageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive.files import lines_of
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.rebuild import TAKEN, Key
from mqtriage.operations.ledger.units import COMMITTED, GONE
from mqtriage.records import NamedTuple

MOST: Final = 20_000
"""Messages of a queue that are followed, the last ones."""
_ON_IT: Final = "IN (SELECT value FROM json_each(?3))"
_MOVES: Final = f"""
SELECT action, planned.msg_id, planned.digest, taken.queue, taken.msg_id, taken.digest, parked,
    path, archived, op, taken.number
FROM {TAKEN}
LEFT JOIN archive ON archive.number = unit.archive
WHERE queue_manager = ?1 AND changes IS NULL AND unit.ended = ?2 AND json_valid(plan)
    AND (taken.queue {_ON_IT} OR (
        undoes = '' AND json_extract(plan, '$.request.queue') {_ON_IT}
        AND json_extract(plan, '$.request.to.kind') IN ('move', 'expire', 'rules')))
ORDER BY op DESC, unit.unit DESC, taken.number DESC
"""
_LOOKED_ON: Final = """
SELECT json_extract(part.value, '$.queue') FROM operation, json_each(plan, '$.parts') AS part
WHERE undoes = ? AND undoes <> '' AND json_valid(plan)
"""
_LOOKED_FOR: Final = """
SELECT origin, coalesce(stayed.reason, '') FROM operation
JOIN planned ON planned.operation = operation.number
LEFT JOIN stayed ON stayed.operation = planned.operation AND stayed.number = planned.number
WHERE undoes = ? AND undoes <> '' AND origin IS NOT NULL
"""


class TakenOff(NamedTuple):
    """A message that an operation took off the queue.

    Attributes:
        action: of the operation.
        target: the queue that it was moved to; None where it was discarded or parked.
        keys: its own and that of its copy.
        archive: the file that it is archived in, as number *archived*; None for none.
        is_gone: an undo looked for it on *target*, and it was no longer there.
    """

    action: str
    target: str | None
    keys: frozenset[Key]
    archive: Path | None
    archived: int
    is_gone: bool

    def is_among(self, msg_ids: Set[bytes]) -> bool:
        """Whether it, or its copy, has one of these MsgIds."""
        return any(msg_id in msg_ids for msg_id, _ in self.keys)


def taken_off(
    journal: Journal, queue_manager: str, names: Sequence[str]
) -> tuple[list[TakenOff], bool]:
    """What the journal says was taken off a queue and was not put back, the last first.

    Args:
        names: of the queue, and of aliases of it.

    Returns:
        Each message once; and whether there are more than `MOST`.
    """
    known: set[Key] = set()
    messages: list[TakenOff] = []
    missed = cache(partial(_missed_by_undos, journal))
    rows = journal.rows(_MOVES, queue_manager, COMMITTED, json.dumps([*names]))
    for action, *keys, parked, path, archived, op, number in rows:
        msg_id, digest, target, new_id, new_digest = keys
        of_it = {(msg_id, digest)}
        if target is not None:
            of_it.add((new_id, new_digest))
        if target not in names and known.isdisjoint(of_it):
            if len(messages) == MOST:
                return messages, True
            messages.append(
                TakenOff(
                    action,
                    None if parked else target,
                    frozenset(of_it),
                    Path(path) if path and archived else None,
                    archived,
                    target is not None and missed(op)(target, number),
                )
            )
        known |= of_it
    return messages, False


def _missed_by_undos(journal: Journal, op: str) -> Callable[[str, int], bool]:
    """Whether the undos of an operation found a message, by queue and number, gone.

    An undo plans what it finds. What it does not plan of a queue that it read was gone before.
    """
    looked_on = {queue for (queue,) in journal.rows(_LOOKED_ON, op)}
    found_there: dict[int, bool] = {}
    for number, reason in journal.rows(_LOOKED_FOR, op) if looked_on else ():
        found_there[number] = reason != GONE
    return lambda queue, number: queue in looked_on and not found_there.get(number, False)


def archived_messages(taken: Iterable[TakenOff], unread: list[str]) -> Iterator[Message]:
    """The messages with their data, read out of their archives.

    Args:
        unread: gets a line for each that cannot be had, with why.
    """
    by_file: dict[Path, dict[int, TakenOff]] = {}
    for one in taken:
        if one.archive is None:
            unread.append("it was not archived")
        else:
            by_file.setdefault(one.archive, {})[one.archived] = one
    for path, numbers in by_file.items():
        yield from _of_file(path, numbers, unread)


def _of_file(path: Path, numbers: Mapping[int, TakenOff], unread: list[str]) -> Iterator[Message]:
    missing = dict(numbers)
    why = f"archive {path} does not contain it, or is damaged there"
    try:
        for line in lines_of(path):
            stored = read_line(0, line.data)
            if not isinstance(stored, Numbered) or stored.number not in missing:
                continue
            if stored.length_bytes is not None:
                why = f"archive {path} was written without message data"
                continue
            del missing[stored.number]
            yield message_of(stored)
            if not missing:
                return
    except StorageError as error:
        why = error.text
    unread += [why] * len(missing)
