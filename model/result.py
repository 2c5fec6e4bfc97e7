"""What commands return: listings that stream, documents, and reports on many messages.

A record is a dict from JSON key to a plain value (str, int, bool, None, list or dict); the
`Field`s of a listing say which keys there are, in order, and how people see them. Both come from a
dataclass with `column`s, which says each key once. The keys are a promise to scripts: they are only
ever added to (tests/unit/model/test_json_promise.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from mqtriage.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from mqtriage.mq.errors import MQTriageError

SCHEMA: Final = "mqtriage/1"

Record: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


class Show(StrEnum):
    """How a value is shown to people; scripts get it as it is."""

    TEXT = "text"
    NUMBER = "number"
    ID = "id"
    """48 hex digits, shortened to the telling tail where width is short."""
    TIME = "time"
    """RFC 3339 UTC text, shown in UTC or local time."""
    AGE_MS = "age"
    """Milliseconds, shown as 2h05m."""
    TENTHS = "tenths"
    """Tenths of a second, -1 unlimited, shown as 30s."""
    BYTES = "bytes"
    FLAG = "flag"
    """True/False, or 1/0 as MQ has it, shown as yes/no."""
    NAME = "name"
    """Name of an MQ object or an operation, never broken over lines: it is read and pasted."""


class Field(NamedTuple):
    """One column: JSON key, heading for people, how to show it.

    Attributes:
        width: characters to reserve when laying out a stream before the widths are known.
        wide: shown to people only with `--wide` or `--columns`.
        yields: in a table that is too wide for the terminal, columns with a higher number are left
            out first; 0 never is.
    """

    key: str
    heading: str
    show: Show = Show.TEXT
    width: int = 0
    wide: bool = False
    yields: int = 0


_COLUMN: Final = "column"
_PLACE: Final = "place"


def column(
    heading: str,
    show: Show = Show.TEXT,
    width: int = 0,
    *,
    default: Any = MISSING,
    place: int = 0,
    **more: Any,
) -> Any:
    """A field of a record that people see too; *more* is the rest of `Field`.

    A record is a dataclass whose fields are the keys of JSON, in order. The columns are in that
    order too, but for those of a higher *place*, which stand behind the others.
    """
    of_field = {"heading": heading, "show": show, "width": width, **more}
    return field(default=default, metadata={_COLUMN: of_field, _PLACE: place})


def columns_of(record: type[Any]) -> tuple[Field, ...]:
    """The fields of a listing of such records."""
    shown = [item for item in fields(record) if _COLUMN in item.metadata]
    shown.sort(key=lambda item: item.metadata[_PLACE])
    return tuple(Field(item.name, **item.metadata[_COLUMN]) for item in shown)


def keys_of(record: Any) -> dict[str, Any]:
    """A record as JSON content."""
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


@dataclass(slots=True)
class Listing:
    """Records of one kind, read once and in order.

    Attributes:
        kind: JSON `kind`, for example ``StagedMessageList``.
        items: may be a generator over a queue of a million messages.
        summary: filled in while the items are read; complete only after the last.
        warnings: same.
        id_key: key of the record that `-o ids` prints.
        mqsc: MQSC text of one record, for `-o mqsc`, where that makes sense.
        hidden: how many columns of things in full (`Document`) people see only with `--wide`.
        left_out: headings that the terminal was too narrow for; filled in while it is written.
    """

    kind: str
    fields: tuple[Field, ...]
    items: Iterable[Record]
    summary: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    id_key: str = "msg_id"
    mqsc: Callable[[Record], str] | None = None
    left_out: list[str] = field(default_factory=list)
    hidden: int = 0


class Rows:
    """A list in a document that is made item by item when it is written: there can be a million."""

    __slots__ = ("_items", "_make")

    def __init__(self, items: Iterable[T], make: Callable[[T], Record]) -> None:
        self._items: Iterable[Any] = items
        self._make: Callable[[Any], Record] = make

    def __iter__(self) -> Iterator[Record]:
        return map(self._make, self._items)


def whole(data: Mapping[str, Any]) -> dict[str, Any]:
    """Content of a document with lists in the place of `Rows`."""
    return {key: list(value) if isinstance(value, Rows) else value for key, value in data.items()}


@dataclass(slots=True)
class Document:
    """One thing in full: a message, a definition, a status.

    Attributes:
        kind: JSON `kind`.
        data: JSON content, keys in the order to show; `Rows` stand for lists.
        sections: for people: title and (label, text) pairs; empty means `data` is shown as pairs.
        mqsc: MQSC text for `-o mqsc`, or None.
        is_brief: people see no keys without a value: most of many do not apply.
        first: keys of the columns of a listing of several such things, in their order; without
            them, the first few keys.
    """

    kind: str
    data: dict[str, Any]
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    warnings: list[str] = field(default_factory=list)
    mqsc: str | None = None
    is_brief: bool = False
    first: tuple[str, ...] = ()


class Outcome(StrEnum):
    """What became of one planned message."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    PARKED = "parked"
    """Set aside on the queue that `--park` names."""


class ItemOutcome(NamedTuple):
    """One planned message and what became of it; *reason* says why when it was not done."""

    msg_id: str
    outcome: Outcome
    reason: str = ""
    new_msg_id: str = ""


class Items(Protocol):
    """What became of messages, in plan order: a list, or one that lives in a file."""

    def append(self, item: ItemOutcome, /) -> None: ...

    def extend(self, items: Iterable[ItemOutcome], /) -> None: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[ItemOutcome]: ...

    def __getitem__(self, index: int, /) -> ItemOutcome: ...


DEFINITION_ACTIONS: Final = frozenset(
    {
        "define",
        "set",
        "unset",
        "alter",
        "delete",
        "clear",
        "apply",
        "resize",
        "undo changes of",
        "run MQSC on",
    }
)


@dataclass(slots=True)
class Report:
    """An act on messages or definitions: what was planned, what was done, before and after.

    Attributes:
        action: "requeue", "purge", "cancel", "define" ...
        planned: number of messages the plan holds; for definitions the number of changes.
        items: one a planned message, in plan order; empty for a dry run.
        done: how many of *planned* were done, where they are no items.
        before, after: depth of each queue concerned, read from the queue manager.
        op: id of the operation in the journal, "" where there is none.
        details: more JSON keys of this action (archive path, mqsc, unchanged ...).
        changed: False says "unchanged".
        interrupted: stopped by a signal after a whole batch.
        failure: what stopped it before its end, for the journal.
        in_doubt: its commit failed, and what became of it is not known.
        repeats: keys of *details* that a person has just read in the plan.
        taken_off: as in a `Plan`.
        unplanned: how many items were skipped before there was an operation, which lacks them.
    """

    kind: str
    action: str
    queue: str
    target: str | None = None
    dry_run: bool = False
    planned: int = 0
    items: Items = field(default_factory=list[ItemOutcome])
    done: int = 0
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    changed: bool = True
    interrupted: bool = False
    op: str = ""
    failure: MQTriageError | None = None
    in_doubt: bool = False
    repeats: frozenset[str] = frozenset()
    taken_off: tuple[str, ...] = ()
    unplanned: int = 0

    def tally(self) -> dict[Outcome, int]:
        """How many ended how; items are read once."""
        counts = dict.fromkeys(Outcome, 0)
        counts[Outcome.DONE] = self.done
        for item in self.items:
            counts[item.outcome] += 1
        return counts

    @property
    def not_reached(self) -> int:
        """How many planned messages have no outcome, because the act stopped before them."""
        if self.dry_run or self.action == "sweep" or self.action in DEFINITION_ACTIONS:
            return 0  # they have no items
        return max(0, self.planned - self.done - len(self.items))

    def count(self, outcome: Outcome) -> int:
        return sum(1 for item in self.items if item.outcome is outcome)


Result: TypeAlias = Listing | Document | Report
