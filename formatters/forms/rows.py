"""Which records and which of their fields are shown, and in which order; all but a sort streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final, TypeVar

from mqtriage.formatters.forms.values import inner_field, with_inner_values
from mqtriage.messages.filters.fields import close_fields, find_field, spec_of
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.mq.errors import UsageError

SORT_LIMIT: Final = 100_000
"""Rows that `--sort` takes into memory when there is no `--limit`."""
BLOCK: Final = 200
"""Records from which the widths of a stream are taken, and that are laid out together."""

_ALIKE: Final = 0.65
T = TypeVar("T")


_OF_A_FILE: Final = "ArchivedMessageList"


def chosen_fields(
    fields: Sequence[Field], columns: Sequence[str], *, wide: bool, kind: str = ""
) -> list[Field]:
    """The fields to show: those of *columns* in that order, or the default ones."""
    if columns:
        return [named_field(fields, name, "--columns", kind=kind) for name in columns]
    return [field for field in fields if wide or not field.wide]


def other_keys(fields: Sequence[Field], columns: Sequence[str]) -> list[tuple[str, str]]:
    """Those of *columns* that are a heading or a `--where` field, each with its key in JSON."""
    keys = [(name, named_field(fields, name, "--columns").key) for name in columns]
    return [(name, key) for name, key in keys if name != key]


def named_field(
    fields: Sequence[Field], name: str, option: str, noun: str = "column", *, kind: str = ""
) -> Field:
    """The field that *name* means: its key or heading, a `--where` field, or a place inside.

    Args:
        kind: of the listing.

    Raises:
        UsageError: There is none; it names the nearest *noun*, and all of them.
    """
    key = name.strip()
    for field in fields:
        if key == field.key or key.upper() == field.heading.upper():
            return field
    if (inner := inner_field(key, fields)) is not None:
        return inner
    if (meant := find_field(key)) is not None:  # as --where has it
        for field in fields:
            if find_field(field.key) == meant:
                return field
    if option == "--sort" and "," in name:
        first = named_field(fields, name.partition(",")[0], option, noun, kind=kind)
        raise UsageError(f"--sort takes one column, not {name!r}", hint=f"--sort {first.key}")
    msg, hint = f"{option}: no {noun} {name!r} here", ""
    keys = [field.key for field in fields]
    alike = close_fields(key) if meant is None else (meant,)
    if meant is not None and "msg_id" in keys:  # a listing of messages
        msg = f"{option}: {key} is a --where field without a {noun} here"
        counted = meant != "age"  # every message has an age of its own
        count = "archive ls FILE --group" if kind == _OF_A_FILE else "msg count QUEUE --by"
        hint = f"mqtriage {count} {meant} counts by it; " if counted else ""
    places = {spec_of(it).attribute for it in alike}
    near = [
        it
        for it in keys
        if it.startswith(key.lower())
        or it.endswith(key.lower())
        or ((known := find_field(it)) and spec_of(known).attribute in places)
    ][:2]
    if near := near or get_close_matches(key.lower(), keys, n=2, cutoff=_ALIKE):
        msg += f"; nearest: {', '.join(near)}"
    raise UsageError(msg, hint=f"{hint}{noun}s: " + ", ".join(keys))


def arranged(
    listing: Listing, *, sort: str | None, descending: bool, limit: int | None
) -> Iterator[Record]:
    """The records to show; nothing is read before the first one is asked for.

    Without *sort* one is read when one is asked for. With it all are read first, and *limit*
    keeps a heap of that many.

    Raises:
        UsageError: At once if the sort column is unknown; with the first record if, without
            *limit*, more than SORT_LIMIT records would have to be held.
    """
    if sort is None:
        return iter(listing.items) if limit is None else islice(listing.items, limit)
    field = named_field(listing.fields, sort, "--sort", kind=listing.kind)
    return _sorted(with_inner_values(iter(listing.items), [field]), field, descending, limit)


def _sorted(
    items: Iterable[Record], field: Field, descending: bool, limit: int | None
) -> Iterator[Record]:
    key = _sort_key(field, descending)
    if limit is not None:
        from heapq import nlargest, nsmallest

        best = nlargest if descending else nsmallest
        yield from best(limit, items, key=key)
        return
    source = iter(items)
    held = list(islice(source, SORT_LIMIT + 1))
    if len(held) > SORT_LIMIT:
        msg = f"--sort {field.key}: more than {SORT_LIMIT} rows would have to be held in memory"
        raise UsageError(msg, hint="add --limit N, or print unsorted and sort afterwards")
    held.sort(key=key, reverse=descending)
    yield from held


def _sort_key(field: Field, descending: bool) -> Callable[[Record], tuple[int, Any]]:
    """Numbers before text, missing values last both ways, an unlimited lifetime the longest."""
    missing = -1 if descending else 2
    unlimited = -1 if field.show is Show.TENTHS else None

    def key(record: Record) -> tuple[int, Any]:
        value = record.get(field.key)
        if value is None:
            return missing, 0
        if isinstance(value, int | float):
            return 0, float("inf") if value == unlimited else value
        return 1, value if isinstance(value, str) else repr(value)

    return key


def blocks(records: Iterable[T], size: int = BLOCK) -> Iterator[list[T]]:
    """Lists of *size* records; when reading fails, what was read comes out before the error."""
    block: list[T] = []
    failure: Exception | None = None
    try:
        for record in records:
            block.append(record)
            if len(block) == size:
                yield block
                block = []
    except Exception as error:
        failure = error
    if block:
        yield block
    if failure is not None:
        raise failure
