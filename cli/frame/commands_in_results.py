"""The queue manager of the command line, put into each command that a result or a plan names.

Only texts of ours are completed, which their key shows: message data stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from mqtriage.model.plan import Plan
from mqtriage.model.result import Listing, Record, Report, Result
from mqtriage.mq.errors import MQTriageError

Complete: TypeAlias = Callable[[str], str]
"""Puts the words for the queue manager, ``-m QM1``, into the commands of a text."""

_OURS: Final = frozenset({"advice", "hint", "message", "note", "notes", "problem", "problems"})
"""Keys of records, and labels of sections, whose text is ours."""


def name_in_plan(plan: Plan, complete: Complete) -> None:
    """Complete its notes, warnings and refusals, for people, for JSON and for a plan file."""
    plan.notes[:] = map(complete, plan.notes)
    plan.warnings[:] = map(complete, plan.warnings)
    plan.refusals[:] = [
        refusal._replace(text=complete(refusal.text), hint=complete(refusal.hint))
        for refusal in plan.refusals
    ]
    plan.facts.update(name_in_record(plan.facts, complete))


def name_in_error(error: MQTriageError, complete: Complete) -> None:
    """Complete its text and its hint."""
    error.text = complete(error.text)
    error.hint = complete(error.hint) if error.hint else error.hint


def name_in_result(result: Result, complete: Complete) -> None:
    """Complete its warnings, and the texts of its records or sections."""
    result.warnings[:] = map(complete, result.warnings)
    if isinstance(result, Listing):
        result.items = _completed(result, result.items, complete)
    elif not isinstance(result, Report):
        result.data = dict(name_in_record(result.data, complete))
        result.sections = tuple(
            (title, tuple((label, _text(label, text, complete)) for label, text in pairs))
            for title, pairs in result.sections
        )


def name_in_record(record: Record, complete: Complete) -> Record:
    """The record itself where nothing is to be completed."""
    if not _OURS & record.keys():
        return record
    return {key: _text(key, value, complete) for key, value in record.items()}


def _text(key: str, value: Any, complete: Complete) -> Any:
    if key not in _OURS:
        return value
    if isinstance(value, str):
        return complete(value)
    if isinstance(value, list | tuple):
        return [_in_list(key, one, complete) for one in value]
    return value


def _in_list(key: str, value: Any, complete: Complete) -> Any:
    """A text of a list, or a record of it, whose keys say which of its texts are ours."""
    if isinstance(value, dict):
        return name_in_record(value, complete)
    return _text(key, value, complete)


def _completed(listing: Listing, items: Iterable[Record], complete: Complete) -> Iterator[Record]:
    """The records as they are read, and the warnings that reading them adds.

    Each warning is completed before the next record: after `--limit`, nothing more is read.
    """
    count = len(listing.warnings)
    for record in items:
        if len(listing.warnings) != count:
            listing.warnings[:] = map(complete, listing.warnings)
            count = len(listing.warnings)
        yield name_in_record(record, complete)
    listing.warnings[:] = map(complete, listing.warnings)
