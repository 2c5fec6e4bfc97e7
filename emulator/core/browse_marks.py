"""Marks that browsers set on messages, each for itself or for all that cooperate on a queue.

A handle that browses with MQGMO_UNMARKED_BROWSE_MSG passes over what is marked for it: by itself
(MQGMO_MARK_BROWSE_HANDLE), or by one of the handles that were opened with MQOO_CO_OP
(MQGMO_MARK_BROWSE_CO_OP), as long as the queue manager's MARKINT has not gone by. Marks end with
the handles that set them, so they are kept beside the handles and not in the file.

Source: IBM MQ documentation, "MQGMO - Options" (browse options), "MsgMarkBrowseInterval",
"Avoiding repeated delivery of browsed messages", reason 2200.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from mqtriage.emulator.core.queues import Attributes
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.records import dataclass

_CO_OP: Final = cmqc.MQGMO_MARK_BROWSE_CO_OP | cmqc.MQGMO_UNMARK_BROWSE_CO_OP
_HANDLE: Final = cmqc.MQGMO_MARK_BROWSE_HANDLE | cmqc.MQGMO_UNMARK_BROWSE_HANDLE
OPTIONS: Final = _CO_OP | _HANDLE | cmqc.MQGMO_UNMARKED_BROWSE_MSG
_STEPS: Final = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_BROWSE_NEXT
_NOT_WITH: Final = (
    cmqc.MQGMO_ALL_MSGS_AVAILABLE
    | cmqc.MQGMO_ALL_SEGMENTS_AVAILABLE
    | cmqc.MQGMO_COMPLETE_MSG
    | cmqc.MQGMO_LOCK
    | cmqc.MQGMO_LOGICAL_ORDER
    | cmqc.MQGMO_UNLOCK
)
_FEW: Final = 4096


@dataclass(slots=True, eq=False)
class Cooperation:
    """The handles of one queue that share their marks.

    Attributes:
        handles: how many are open; with the last one the marks go.
        marked: position of a message to when it was marked, microseconds.
    """

    handles: int = 0
    marked: dict[int, int] = field(default_factory=dict)


class BrowseMarks:
    """What is marked for one handle.

    Args:
        together: None for a handle that was not opened with MQOO_CO_OP.
    """

    __slots__ = ("own", "together")

    def __init__(self, together: Cooperation | None = None) -> None:
        self.own: set[int] = set()
        self.together = together
        if together is not None:
            together.handles += 1

    def is_marked(self, attributes: Attributes, position: int, now_us: int) -> bool:
        """Whether a browse for unmarked messages passes over the message."""
        return position in self.own or self._is_marked_together(attributes, position, now_us)

    def _is_marked_together(self, attributes: Attributes, position: int, now_us: int) -> bool:
        at = None if self.together is None else self.together.marked.get(position)
        if at is None:
            return False
        end_us = _interval_us(attributes)
        return end_us is None or now_us < at + end_us

    def change(self, attributes: Attributes, options: int, position: int, now_us: int) -> None:
        """Mark or unmark the message that a browse found.

        Raises:
            MQIError: 2200: it is marked already, and was not looked for as an unmarked one.
        """
        if options & cmqc.MQGMO_MARK_BROWSE_CO_OP:
            if self._is_marked_together(attributes, position, now_us):
                raise mqi_error(cmqc.MQRC_MSG_MARKED_BROWSE_CO_OP, "browse")
            assert self.together is not None
            marked = self.together.marked
            marked[position] = now_us
            end_us = _interval_us(attributes)
            if end_us is not None and len(marked) > _FEW:  # those that ended need not be kept
                self.together.marked = {p: at for p, at in marked.items() if now_us < at + end_us}
        if options & cmqc.MQGMO_MARK_BROWSE_HANDLE:
            self.own.add(position)
        if options & cmqc.MQGMO_UNMARK_BROWSE_HANDLE:
            self.own.discard(position)
        if options & cmqc.MQGMO_UNMARK_BROWSE_CO_OP and self.together is not None:
            self.together.marked.pop(position, None)

    def end(self) -> None:
        """The handle is closed."""
        self.own.clear()
        together, self.together = self.together, None
        if together is not None:
            together.handles -= 1
            if not together.handles:
                together.marked.clear()


def _interval_us(attributes: Attributes) -> int | None:
    """MARKINT; None for NOLIMIT."""
    value = attributes.get("MARKINT", 5000)
    return value * 1000 if isinstance(value, int) and value >= 0 else None


def check(options: int, open_options: int, doing: str) -> None:
    """Refuse mark options that do not go together, or not with how the queue was opened."""
    marks = options & OPTIONS
    if not marks:
        return
    browses = options & (_STEPS | cmqc.MQGMO_BROWSE_MSG_UNDER_CURSOR)
    wrong = (
        not browses
        or options & _NOT_WITH
        or (marks & cmqc.MQGMO_UNMARKED_BROWSE_MSG and not options & _STEPS)
        or marks & _CO_OP == _CO_OP
        or marks & _HANDLE == _HANDLE
        or (marks & _CO_OP and not open_options & cmqc.MQOO_CO_OP)
    )
    if wrong:
        raise mqi_error(cmqc.MQRC_OPTIONS_ERROR, doing, detail="mark options")
