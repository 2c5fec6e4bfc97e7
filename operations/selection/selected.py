"""The messages of a queue that a selection chooses: what the queue manager matches, what we test.

The ids that the queue manager can match are sent down to it, so that one message among a million
costs one look-up; everything else is tested here, on one message at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.name_resolution import local_queue
from mqtriage.backends.port import ANY, Backend, Capability, Match, QueueHandle
from mqtriage.messages.filters.expression import (
    Compare,
    Expression,
    In,
    IsNull,
    Not,
    excludes,
    field_text,
    leaves,
    renamed,
    top_level_parts,
)
from mqtriage.messages.filters.fields import Need, spec_of
from mqtriage.messages.filters.predicate import compile_tree, getter_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.model.context_keys import PROPERTIES_AS
from mqtriage.model.plan import EXPIRY_NOTE
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.errors import MisspeltField, MQIError, Refused, UsageError
from mqtriage.mq.headers.formats import DDH_FORMAT
from mqtriage.mq.message import Message
from mqtriage.mq.names import check_queue_name
from mqtriage.operations.selection.absent_ids import noting_absent_ids
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.field_values import FieldValues, Fruitless
from mqtriage.operations.selection.regex_limit import regex_budget
from mqtriage.operations.selection.whole_ids import with_whole_ids


def may_discard(backend: Backend, queues: Iterable[str | None]) -> bool:
    """Whether a browse of *queues* can discard a message: where nobody tells, it can.

    Args:
        queues: names or generic names; None for a queue whose name is not known yet.
    """
    insight = backend.insight
    if insight is None:
        return True
    return insight.any_expired() and any(_has_expired(backend, name) for name in queues)


def _has_expired(backend: Backend, name: str | None) -> bool:
    if backend.insight is None or name is None or "*" in name:
        return True
    try:
        queue, _ = local_queue(backend, name, f"browse {name}")
    except (MQIError, UsageError):  # the browse itself says what is wrong
        return False
    return backend.insight.lifetimes(queue.name).expired > 0


def refuse_expiry_effects(
    queue: str | None, refused: bool, instead: str = "expiry status", unnamed: str = "a queue"
) -> None:
    """Refuse to browse where `--no-expiry-effects` was given (EX-12).

    Args:
        queue: a name or a generic name; None if the name is not known yet.
        instead: the verb that shows what can be known without browsing.
        unnamed: what to call a queue whose name is not known yet.
    """
    if refused:
        shows = f"{instead} {shell_word(queue)}" if queue else instead
        if queue == STAGING_QUEUE:
            shows = "delay status"
        raise Refused(
            f"--no-expiry-effects: {queue or unnamed} is not browsed, because {EXPIRY_NOTE}",
            hint=f"mqtriage {shows} shows what is known without browsing",
            object_name=queue or "",
        )


_OF_THE_DATA: Final = frozenset({"format", "mqmd_format", "ccsid", "encoding", "length"})
"""Fields that say what the data is: of a message with properties, their MQRFH2 or what is behind
it, by how properties are asked for."""


def refuse_other_view(properties_as: str | None, selection: Selection) -> None:
    """Refuse to take messages by what the setting properties_as shows otherwise than acts read it.

    That is the format, CCSID, encoding or length of the data.
    """
    fields = sorted(_OF_THE_DATA & selection.fields_used)
    if fields and PROPERTIES_AS.read(properties_as or "rfh2", "properties_as") != "rfh2":
        raise Refused(
            f"properties_as {properties_as}: {', '.join(fields)} can differ in commands that take "
            f"messages, because these read properties as an MQRFH2",
            hint="--set properties_as=rfh2 shows which messages would be taken; everything else "
            "selects the same messages",
        )


def open_to_browse(backend: Backend, queue: str, selection: Selection | None = None) -> QueueHandle:
    """Open *queue* for browse and nothing else (DD-50), with the selection string there is.

    Raises:
        UsageError: Not a name.
        ObjectNotFound: No such queue.
        MQIError: 2459, 2504, 2519: the selection string.
    """
    selector = selection.selector if selection is not None else None
    options = cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING
    return backend.open(check_queue_name(queue), options, selector=selector or "")


def selected(
    backend: Backend, queue: str, selection: Selection, *, max_length: int | None = None
) -> Generator[Message, None, None]:
    """The messages of *queue* that *selection* chooses, in its order, each as soon as it is read.

    The queue is open for browse from the call until the last message was read.

    Args:
        max_length: bytes of message data wanted where the filter itself needs none.

    Raises:
        UsageError, ObjectNotFound, MQIError: As `open_to_browse`.
        Refused: What was given of an id is of several; nobody knows a due time here; at the end,
            no message has a field of the selection but one has nearly that, or an id is the one
            that senders know.
    """
    selection = with_due_reading(backend, selection)
    is_text = any(isinstance(test, In) and test.paddings for test in selection.id_tests)
    selection, notes = with_whole_ids(backend, queue, selection)
    if is_text and selection.note is not None:
        for note in notes:
            selection.note(note)
    return _selected(backend, open_to_browse(backend, queue, selection), selection, max_length)


def _selected(
    backend: Backend, handle: QueueHandle, selection: Selection, max_length: int | None
) -> Generator[Message, None, None]:
    tested = FieldCheck(selection, backend.now_us())
    test = _test(backend, selection, tested)
    length = None if selection.needs else max_length
    with closing(handle):
        match = _match(selection)
        messages: Iterable[Message] = handle.browse(match, max_length=length)
        # else others are not read, or they can be on another queue or still to come
        if match == ANY and not selection.selector and not selection.lenient:
            where = f"on {handle.name}"
            messages = noting_absent_ids(messages, selection, where, lambda m: m.md.msg_id)
        chosen = messages if test is None else filter(test, messages)
        window = selection.window(chosen)
        first = next(window, None)
        if first is not None:
            yield first
            yield from window
    tested.tell(
        handle.name,
        lambda: None if first is not None else _known_to_senders(backend, handle.name, selection),
    )


_OF_SENDERS: Final = {"correl_id": "sender_correl_id", "msg_id": "original_msg_id"}
"""Of a staged message, the field that has the id which its sender knows by the name of the other.
"""


def _known_to_senders(backend: Backend, queue: str, selection: Selection) -> Fruitless | None:
    """Why no staged message matches, where one does by the ids that senders know."""
    if queue != STAGING_QUEUE:
        return None
    parts = [part for part in top_level_parts(selection.tree) if isinstance(part, Compare)]
    if formats := [part for part in parts if _is_of_sender(part)]:
        with closing(open_to_browse(backend, queue)) as handle:
            is_empty = next(iter(handle.browse(ANY, max_length=0)), None) is None
        if not is_empty:
            return Fruitless(
                f"{queue}: {formats[0].field} is {DDH_FORMAT} of each staged message, so that of"
                " its sender selects nothing",
                "use body_kind, put_appl or target in --where",
                is_mistake=True,
            )
    fields = sorted(selection.fields_used & _OF_SENDERS.keys())
    single = [{field: _OF_SENDERS[field]} for field in fields]
    for names in (*single, *([_OF_SENDERS] if len(fields) > 1 else [])):
        tree = None if selection.tree is None else renamed(selection.tree, names)
        by_senders = replace(selection, tree=tree, skip=0, limit=None, note=None, warn=None)
        with closing(open_to_browse(backend, queue, by_senders)) as handle:
            messages = handle.browse(_match(by_senders))
            test = _test(backend, by_senders)
            try:
                count = sum(1 for message in messages if test is None or test(message))
            except Refused:  # the backend does not return what senders know
                continue
        if count:
            asked = " and ".join(field for field in fields if field in names)
            others = " and ".join(_OF_SENDERS[field] for field in fields if field in names)
            verb = "matches" if count == 1 else "match"
            return Fruitless(
                f"{queue}: no message matches by {asked}, which is that of the staged message, but"
                f" {count_text(count)} {verb} by {others}, which the sender knows",
                f"use {others} in --where, or --correlid and --msgid, which find both",
                is_mistake=True,
            )
    return None


def _is_of_sender(part: Compare) -> bool:
    """Whether it asks for a format that only the sender's message had."""
    is_format = part.field in ("format", "mqmd_format") and part.op == "="
    return is_format and part.value != DDH_FORMAT


class Undecided:
    """Messages that are not selected because a field is NULL, so that the condition is unknown."""

    def __init__(self, tree: Expression, now_us: int) -> None:
        self.count = 0
        self.missing: set[str] = set()
        self._is_false = compile_tree(Not(tree), now_us, regex_budget())
        fields = {leaf.field for leaf in leaves(tree) if not isinstance(leaf, IsNull)}
        self._getters = {name: getter_of(name, now_us) for name in sorted(fields)}

    def add(self, subject: Subject) -> None:
        """Look at one more message of which the condition is not true."""
        if not self._is_false(subject):
            self.count += 1
            self.missing.update(n for n, get in self._getters.items() if get(subject) is None)

    def text(self, queue: str) -> str:
        """What people see of it."""
        fields = [field_text(name) for name in sorted(self.missing)] or ["a field"]
        verb = "are" if len(fields) > 1 else "is"
        return (
            f"{queue}: {count_text(self.count)} not selected because the condition is unknown: "
            f"{' and '.join(fields)} {verb} NULL (test this with IS NULL or IS NOT NULL)"
        )


class FieldCheck:
    """What the messages that were tested say of the selection itself."""

    def __init__(self, selection: Selection, now_us: int) -> None:
        self.selection = selection
        self._values = FieldValues(selection.fields_used)
        self._undecided = None
        if selection.note is not None and selection.tree is not None and excludes(selection.tree):
            self._undecided = Undecided(selection.tree, now_us)

    def add(self, subject: Subject, *, chosen: bool) -> None:
        """Look at one more message."""
        self._values.add(subject, chosen=chosen)
        if self._undecided is not None and not chosen:
            self._undecided.add(subject)

    def tell(self, name: str, otherwise: Callable[[], Fruitless | None] = lambda: None) -> None:
        """Warn of a field that no message of *name* has; else say of how many nothing is known.

        Args:
            otherwise: another reason why nothing is selected.

        Raises:
            MisspeltField: A message has nearly that field.
        """
        selection = self.selection
        problem = self._values.problem(name, selection.tree) or otherwise()
        if problem is not None:
            if problem.is_mistake and not selection.lenient:
                raise MisspeltField(problem.text, hint=problem.hint, object_name=name)
            if selection.warn is not None:
                selection.warn(problem.warning)
        elif self._undecided is not None and self._undecided.count and selection.note is not None:
            selection.note(self._undecided.text(name))


def matching(
    backend: Backend, selection: Selection
) -> tuple[Match, Callable[[Message], bool] | None]:
    """What the queue manager selects by, and what is left to test of a message (None: nothing)."""
    return _match(selection), _test(backend, selection)


def _match(selection: Selection) -> Match:
    exact = selection.queue_manager_part
    return Match(*exact) if any(exact) else ANY


def _test(
    backend: Backend,
    selection: Selection,
    tested: FieldCheck | None = None,
) -> Any:
    """What is left to test of a message, or None when the queue manager matches it all.

    Args:
        tested: gets every message that is tested.
    """
    exact = selection.queue_manager_part._asdict()
    parts = [
        part
        for part in top_level_parts(selection.tree)
        if not (isinstance(part, Compare) and part.op == "=" and _same(exact, part))
    ]
    if not parts:
        return None
    predicate = selection.predicate(backend.now_us(), regex_budget())
    known = Capability.DUE_TIME_KNOWN in backend.capabilities
    reading = selection.due_reading or uncompared(known)

    def decode(message: Message) -> DecodedHeaders:
        return DecodedHeaders(message, reading)

    def test(message: Message) -> bool:
        if message.untold:
            _refuse_untold(message, selection)
        if predicate is None:
            return True
        subject = Subject(message, decode)
        chosen = predicate(subject)
        if tested is not None:
            tested.add(subject, chosen=chosen)
        return chosen

    return test


_KEYS: Final = {"age": "put_time", "length": "length_bytes", "expiry": "expiry_tenths",
                "backout": "backout_count"}  # fmt: skip
"""Fields of filters that a record has under another key."""


def _refuse_untold(message: Message, selection: Selection) -> None:
    """Refuse to select by what nobody told us of a message: is it one of those meant?"""
    fields = {name for name in selection.fields_used if _KEYS.get(name, name) in message.untold}
    if "body" in message.untold and selection.needs:
        fields |= {name for name in selection.fields_used if spec_of(name).need is not Need.MQMD}
    if fields:
        raise Refused(
            f"message {message.md.msg_id.hex().upper()}: {', '.join(sorted(fields))}: IBM MQ's"
            " REST API does not return this",
            hint="--backend mq returns every field; here, --msgid and --correlid select by MsgId "
            "and CorrelId",
        )


def _same(exact: Mapping[str, bytes | None], part: Compare) -> bool:
    return part.field in exact and exact[part.field] == part.value
