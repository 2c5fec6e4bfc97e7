"""`msg count`: how many messages there are on each queue, and by the values that they have.

A queue of any length, and any number of different values, are counted in the memory of a few
thousand groups: what is more goes through a temporary file, and comes back added up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from itertools import groupby
from operator import add, itemgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from mqtriage.backends.port import Backend, Capability
from mqtriage.commands.queue.names import named_queues
from mqtriage.files.scratch import Sorter
from mqtriage.messages.body_path import check_path
from mqtriage.messages.filters.expression import field_text
from mqtriage.messages.filters.fields import (
    QUEUE_MANAGER_COLUMN,
    Kind,
    Need,
    close_fields,
    column_hint,
    spec_of,
)
from mqtriage.messages.filters.predicate import Getter, getter_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import DecodedHeaders, Subject
from mqtriage.messages.filters.where import FIELD_HINT, field_of
from mqtriage.model.ids import format_id
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.errors import UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_rfc3339, rfc3339_or_none
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected
from mqtriage.records import NamedTuple

GROUPS_HELD: Final = 10_000
"""Groups in memory, before they go to a file."""
LONGEST_VALUE: Final = 200
"""Characters of a value; of a longer one the rest is told by its digest."""
MOST_FIELDS: Final = 8
QUEUE: Final = "queue"
_NO_GROUPS: Final = {
    "body": ("whole bodies cannot be grouped", "body_digest"),
    "age": ("each message has its own age", "put_time"),
    "dlq_age": ("each message has its own age", "dlq_put_time"),
}
_GREATEST: Final = (1 << 63) - 1
Sum: TypeAlias = tuple[Any, ...]
"""A value for each of `TOTALS`."""

_SHOWN: Final = {
    Kind.ID: Show.ID, Kind.TIME: Show.TIME, Kind.NUMBER: Show.NUMBER,
    Kind.DURATION: Show.AGE_MS, Kind.EXPIRY: Show.TENTHS,
}  # fmt: skip


def _put(message: Message) -> str:
    """When it was put, as in MQMD; "" where that is not known."""
    put = message.md.put_date + message.md.put_time
    return put if len(put) == 16 else ""


def _length(message: Message) -> int | None:
    return None if "length_bytes" in message.untold else message.length_bytes


def _put_text(put: str) -> str | None:
    return put_rfc3339(put[:8], put[8:])


class Total(NamedTuple):
    """A number that every count has.

    Attributes:
        of: its value for one message.
        plus: its value for two counts together.
        text: as it is written.
        none: its value for no messages.
    """

    column: Field
    of: Callable[[Message], Any]
    plus: Callable[[Any, Any], Any]
    text: Callable[[Any], Any]
    none: Any


TOTALS: Final = (
    Total(Field("message_count", "COUNT", Show.NUMBER, 7), lambda _: 1, add, int, 0),
    Total(
        Field("length_bytes", "LENGTH", Show.BYTES, 8),
        _length, lambda a, b: None if a is None or b is None else a + b, lambda sum_: sum_, 0,
    ),
    Total(
        Field("oldest_put_time", "OLDEST_PUT", Show.TIME, 22, yields=1),
        _put, lambda a, b: min(a, b) if a and b else a or b, _put_text, "",
    ),
    Total(
        Field("newest_put_time", "NEWEST_PUT", Show.TIME, 22, yields=1), _put, max, _put_text, "",
    ),
)  # fmt: skip
"""In this order; the first of them is how many messages there are."""


def sum_of(message: Message) -> Sum:
    """The values of `TOTALS` for one message."""
    return tuple(total.of(message) for total in TOTALS)


def both(one: Sum, other: Sum) -> Sum:
    """The values for two counts together."""
    return tuple(total.plus(a, b) for total, a, b in zip(TOTALS, one, other, strict=True))


def _columns() -> list[Field]:
    return [total.column for total in TOTALS]


def _record(values: Sum) -> dict[str, Any]:
    return {
        total.column.key: total.text(value) for total, value in zip(TOTALS, values, strict=True)
    }


def count_each(backend: Backend, names: Sequence[str], selection: Selection) -> Listing:
    """Count the chosen messages by browsing them, a record a queue, one queue after the other.

    What others hold uncommitted is not seen.
    """
    queues = named_queues(backend, names)
    fields = (Field(QUEUE, "QUEUE", Show.NAME, 24), *_columns())
    listing = Listing("MessageCountList", fields, (), id_key=QUEUE)
    if len(queues) > 1:
        selection = replace(selection, warn=listing.warnings.append, lenient=True)

    def records() -> Iterator[Record]:
        messages = 0
        for queue in queues:
            record = _counted(backend, queue, selection)
            messages += record["message_count"]
            yield record
        listing.summary.update(queues=len(queues), message_count=messages)

    listing.items = records()
    return listing


def _counted(backend: Backend, queue: str, selection: Selection) -> dict[str, Any]:
    messages = selected(backend, queue, selection, max_length=0)
    none = tuple(total.none for total in TOTALS)
    return {QUEUE: queue} | _record(reduce(both, map(sum_of, messages), none))


class GroupKey(NamedTuple):
    """What messages are grouped by; *name* is as `--where` writes it, and the key in JSON."""

    name: str
    field: str

    @property
    def need(self) -> Need:
        """What must be read of a message for it."""
        return Need.MQMD if self.field == QUEUE else spec_of(self.field).need


def keys_of(
    text: str, what: str = "--by", names: Mapping[str, str] = MappingProxyType({})
) -> list[GroupKey]:
    """The keys of ``--by``: fields of `--where`, ``prop.NAME``, body paths, and ``queue``.

    Args:
        what: the option, for errors.
        names: see `build_selection`.
    """
    keys = [_key(part.strip(), what, names) for part in _parts(text)]
    if len(keys) > MOST_FIELDS:
        raise UsageError(f"{what}: {len(keys)} fields, {MOST_FIELDS} at most")
    return list(dict.fromkeys(keys))


def _parts(text: str) -> Iterator[str]:
    """What stands between commas that are not in quotes or brackets of a path."""
    part, quote = "", ""
    for character in text:
        if character == quote:
            quote = ""
        elif not quote and character in "\"'":
            quote = character
        elif character == "," and not quote:
            yield part
            part = ""
            continue
        part += character
    yield part


def _key(part: str, what: str, names: Mapping[str, str]) -> GroupKey:
    if part.lower() == QUEUE:
        return GroupKey(QUEUE, QUEUE)
    is_path = part[:1] in ("$", "/")
    field = f"body.{check_path(part, what=what)}" if is_path else field_of(part)
    if field is None:
        near = close_fields(part)
        hint = f"did you mean {' or '.join(near)}?" if near else FIELD_HINT
        hint = column_hint(part) or hint
        if part.lower() in QUEUE_MANAGER_COLUMN:  # each is counted by itself, and has its own rows
            hint = f"with several queue managers, each has its own rows: {what} {QUEUE}"
        raise UsageError(f"{what}: there is no field {part[:60]!r}", hint=hint)
    field = names.get(field, field)
    if field in _NO_GROUPS:
        why, instead = _NO_GROUPS[field]
        raise UsageError(f"{what} {field}: {why}", hint=f"{what} {instead}")
    return GroupKey(field_text(field), field)


def count_by(
    backend: Backend, names: Sequence[str], keys: Sequence[GroupKey], selection: Selection
) -> Listing:
    """Count the chosen messages of all these queues by what they have, most of them first."""
    queues = named_queues(backend, names)
    selection = with_due_reading(backend, selection)
    reading = selection.due_reading or uncompared(Capability.DUE_TIME_KNOWN in backend.capabilities)
    length = None if any(key.need is not Need.MQMD for key in keys) else 0
    warnings: list[str] = []
    if len(queues) > 1:
        selection = replace(selection, warn=warnings.append, lenient=True)

    def messages() -> Iterator[tuple[str, Message]]:
        for queue in queues:
            for message in selected(backend, queue, selection, max_length=length):
                yield queue, message

    listing = groups_of(messages(), keys, lambda one: DecodedHeaders(one, reading))
    listing.warnings = warnings
    return listing


def groups_of(
    queued: Iterable[tuple[str, Message]],
    keys: Sequence[GroupKey],
    decoded: Callable[[Message], DecodedHeaders] = DecodedHeaders,
) -> Listing:
    """Count messages, each with the name of its queue, by what they have, most of them first."""
    fields = (*map(_field, keys), *_columns())
    listing = Listing("MessageGroupList", fields, (), id_key=keys[0].name)

    def records() -> Iterator[Record]:
        messages = groups = 0
        getters = list(map(_getter, keys))
        with closing(CountedGroups()) as sums:
            for queue, message in queued:
                subject = Subject(message, decoded)
                values = [queue if get is None else get(subject) for get in getters]
                sums.add(values, sum_of(message))
            for values, total in sums:
                groups += 1
                messages += total[0]
                yield dict(zip((key.name for key in keys), values, strict=True)) | _record(total)
        listing.summary.update(message_count=messages, groups=groups)

    listing.items = records()
    return listing


def _field(key: GroupKey) -> Field:
    if key.field == QUEUE:
        return Field(QUEUE, "QUEUE", Show.NAME, 24)
    show = _SHOWN.get(spec_of(key.field).kind, Show.TEXT)
    return Field(key.name, key.name.upper() if "." not in key.name else key.name, show, 16)


def _getter(key: GroupKey) -> Getter | None:
    """What returns the value of a message; None for the name of its queue."""
    if key.field == QUEUE:
        return None
    get, kind = getter_of(key.field, 0), spec_of(key.field).kind

    def plain(subject: Subject) -> Any:
        value = get(subject)
        if isinstance(value, bytes):
            return format_id(value)
        if value is not None and kind is Kind.TIME:
            return rfc3339_or_none(value)
        if isinstance(value, dict | list):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        if isinstance(value, str) and len(value) > LONGEST_VALUE:
            digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
            value = f"{value[:LONGEST_VALUE]}… (sha256 {digest[:16]})"
        return value

    return plain


class CountedGroups:
    """Sums by values, in bounded memory.

    Raises:
        StorageError: There are too many for memory, and no room for a file.
    """

    def __init__(self, held: int = GROUPS_HELD) -> None:
        self._held = held
        self._sums: dict[str, Sum] = {}
        self._spilled: Sorter | None = None
        self._ordered: Sorter | None = None

    def add(self, values: Sequence[Any], one: Sum) -> None:
        """Count one message with these values, which JSON can write."""
        key = json.dumps(values)  # also tells 1 from true
        known = self._sums.get(key)
        self._sums[key] = one if known is None else both(known, one)
        if len(self._sums) > self._held:
            self._spill()

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = Sorter()
        for key, total in self._sums.items():
            self._spilled.add(_item(key, total))
        self._sums.clear()

    def __iter__(self) -> Iterator[tuple[list[Any], Sum]]:
        """Values and sum of each group, the greatest first, those of one size by their values."""
        if self._spilled is None:
            for key, total in sorted(self._sums.items(), key=lambda kt: (-kt[1][0], kt[0])):
                yield json.loads(key), total
            return
        self._spill()
        self._ordered = Sorter()
        for key, total in _added_up(self._spilled):
            self._ordered.add((_GREATEST - total[0]).to_bytes(8) + _item(key, total))
        for item in self._ordered:
            key, total = _read(item[8:])
            yield json.loads(key), total

    def close(self) -> None:
        for sorter in (self._spilled, self._ordered):
            if sorter is not None:
                sorter.close()


def _item(key: str, total: Sum) -> bytes:
    return f"{key}\0{json.dumps(total)}".encode()


def _read(item: bytes) -> tuple[str, Sum]:
    key, _, total = item.decode().partition("\0")
    return key, tuple(json.loads(total))


def _added_up(items: Iterable[bytes]) -> Iterator[tuple[str, Sum]]:
    """Sorted items with the sums of one key as one."""
    for key, parts in groupby(map(_read, items), itemgetter(0)):
        yield key, reduce(both, (total for _, total in parts))
