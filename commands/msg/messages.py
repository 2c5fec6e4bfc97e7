"""`msg browse`, `msg show`: the messages of a queue as they are, nothing taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands.queue.names import named_queues
from mqtriage.messages.document import message_document
from mqtriage.messages.filters.expression import Like, leaves
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.records import MESSAGE_FIELDS, BodyForm, counted, message_record, with_rest
from mqtriage.model.ids import format_id
from mqtriage.model.result import Document, Field, Listing, Show
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import NotFound
from mqtriage.mq.message import Message
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.whole_ids import with_parts_of_one_id, with_whole_ids
from mqtriage.records import NamedTuple

FIELDS = with_rest(MESSAGE_FIELDS)
FIELDS_OF_EACH = with_rest((Field("queue", "QUEUE", Show.NAME, 20), *MESSAGE_FIELDS))


class ListingView(NamedTuple):
    """How the messages of a listing are told: the form of bodies, and with headers and body or not.

    Without them less is read; without *bodies* what is enough for headers.
    """

    form: BodyForm = "auto"
    detail: bool = True
    bodies: bool = True


WHOLE: Final = ListingView()
HEADER_BYTES: Final = 1 << 15
"""Of a message that is read for its headers: an MQRFH2 with hundreds of properties."""


def browse(
    backend: Backend, queue: str, selection: Selection, view: ListingView = WHOLE
) -> Listing:
    """List the chosen messages of *queue*, one at a time and in queue order."""
    return browse_as("MessageList", FIELDS, backend, queue, selection, view)


def browse_as(
    kind: str,
    fields: tuple[Field, ...],
    backend: Backend,
    queue: str,
    selection: Selection,
    view: ListingView,
    more: Callable[[Message], dict[str, Any]] | None = None,
    *,
    whole: bool = False,
) -> Listing:
    """A listing of messages that tells *more* of each than they say themselves.

    Args:
        whole: that needs their data.
    """
    length = None if view.bodies or whole else HEADER_BYTES
    length = length if view.detail or whole else 0

    def record(message: Message) -> dict[str, Any]:
        own = message_record(message, queue, form=view.form, detail=view.detail, body=view.bodies)
        return own if more is None else own | more(message)

    records = map(record, selected(backend, queue, selection, max_length=length))
    return counted(Listing(kind, fields, records))


def browse_each(
    backend: Backend, names: Sequence[str], selection: Selection, view: ListingView = WHOLE
) -> Listing:
    """List the chosen messages of several queues, one queue after the other."""
    queues = named_queues(backend, names, holding=True)
    listing = Listing("MessageList", FIELDS_OF_EACH, ())
    lenient = replace(selection, warn=listing.warnings.append, lenient=True)
    every = (browse(backend, queue, lenient, view).items for queue in queues)
    listing.items = chain.from_iterable(every)
    return counted(listing)


def show(
    backend: Backend,
    queue: str,
    selection: Selection,
    *,
    nth: int | None = None,
    form: BodyForm = "auto",
    body: str | None = None,
    decode: bool = True,
) -> Document:
    """Show one message in full; of several with one MsgId the *nth* or the first, with a warning.

    Without an id, it is the *nth* of the queue.

    Args:
        form, body, decode: see `message_document`.

    Raises:
        NotFound: There is no such message.
    """
    message, others = find_one(backend, queue, selection, nth)
    document = message_document(message, queue, form=form, body=body, decode=decode, extra={})
    document.warnings += others
    return document


def find_one(
    backend: Backend, queue: str, selection: Selection, nth: int | None
) -> tuple[Message, list[str]]:
    """The *nth* chosen message or the first, and a warning when there are more than are shown.

    Raises:
        NotFound: There is no such message.
        Refused: What was given fits several ids; *nth* chooses among those with one beginning.
    """
    if nth is None:
        selection = with_parts_of_one_id(selection)
    selection, notes = with_whole_ids(backend, queue, selection)
    nth = nth or 1
    match: Message | None = None
    number = 0
    for number, message in enumerate(selected(backend, queue, selection), 1):
        if number == nth:
            match = message
            if selection.tree is None:  # by its place: the others are not looked at
                return match, notes
    if match is None:
        text = f"no such message on {queue}"
        if number:
            text = (
                f"only {count_text(number, 'such message')} on {queue}, but number {nth} was "
                f"requested"
            )
        raise NotFound(text, hint=f"mqtriage msg browse {shell_word(queue)}", object_name=queue)
    whole = f" is {format_id(match.md.msg_id)}"  # the message has it too
    notes = [note for note in notes if not note.endswith(whole)]
    if number == 1:
        return match, notes
    is_part = any(isinstance(leaf, Like) for leaf in leaves(selection.tree))
    have = "an id like that" if is_part else "that id"
    return match, [
        *notes,
        f"{number} messages on {queue} have {have}; this is number {nth} (--nth)",
    ]
