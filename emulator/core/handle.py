"""An open queue, as a program holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtriage.emulator.core.group_positions import GroupPositions
from mqtriage.emulator.core.queues import Queue
from mqtriage.mq.descriptor import MQMD
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from mqtriage.emulator.core.browse_marks import BrowseMarks
    from mqtriage.messages.filters.selector import Selector


@dataclass(slots=True, eq=False)
class Handle:
    """An open queue: how it was opened, and where its browse cursor stands.

    Attributes:
        path: definitions from the name to the local queue, as of `definitions`.
        cursor: position of the message under the cursor, -1 before the first.
        durable: whether the last message that was got was persistent: then the next one may be.
        locked: position of the message that this handle holds with MQGMO_LOCK, or None.
        saved_context: descriptor of the last message got with MQOO_SAVE_ALL_CONTEXT.
        groups: how far puts, gets and browses in logical order are; None while none was made.
        selector: which messages this handle sees at all; None for every one.
        marks: messages that were marked by browsing; None while none was.
    """

    name: str
    options: int
    path: tuple[Queue, ...]
    definitions: int
    id: int
    cursor: int = -1
    durable: bool = False
    locked: int | None = None
    saved_context: MQMD | None = None
    groups: GroupPositions | None = None
    selector: Selector | None = None
    marks: BrowseMarks | None = None

    @property
    def queue(self) -> Queue:
        return self.path[-1]
