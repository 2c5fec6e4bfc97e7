"""Findings for other programs: each with a place in a file, where that ends, and its edits.

Readers such as GitHub refuse a report in which one finding has no file. What is about a queue
manager as a whole stands at line 1 of the first of its scripts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from mqtriage.definitions.lint.fixes import Edit, edits_by_finding
from mqtriage.definitions.lint.run import Linted, LintRun, listing_of, record_of
from mqtriage.model.result import Listing, Record, keys_of
from mqtriage.mq.mqsc.tree import Script


class _Lines:
    """Turns offsets of a script into lines and columns, both from 1, and back into a command."""

    def __init__(self, script: Script) -> None:
        self._starts = [0, *(end.end() for end in re.finditer("\n", script.text))]
        self._ends: dict[tuple[int, int], int] = {}
        for command in script.commands:
            end = command.start + len(script.raw(command).rstrip())
            self._ends[command.line, command.column] = end
            for parameter in command.parameters:
                self._ends[parameter.line, parameter.column] = parameter.end

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def end_of(self, line: int, column: int) -> tuple[int, int] | None:
        """Behind the command or parameter that starts there."""
        end = self._ends.get((line, column))
        return None if end is None else self.place(end)


def report_listing(run: LintRun, *, with_edits: bool = True) -> Listing:
    """`listing_of` for reports: besides its keys `end_line`, `end_column` and `edits`.

    An edit has `file`, `start_line`, `start_column`, `end_line`, `end_column` (behind what it
    replaces) and `text`.
    """
    listing = listing_of(run)
    records = [record for one in run.results for record in _records(one, with_edits)]
    return Listing("FindingList", listing.fields, records, listing.summary, id_key="code")


def _records(linted: Linted, with_edits: bool) -> Iterator[Record]:
    scripts = linted.scripts.scripts if linted.scripts else []
    lines = {script.file: _Lines(script) for script in scripts}
    edits = None
    if with_edits and linted.scripts:
        edits = edits_by_finding(linted.scripts, linted.estate_with_commands)
    for finding in linted.findings:
        record = keys_of(record_of(finding, linted.estate.queue_manager)) | {"edits": ()}
        if lines:
            if not record["file"]:
                record |= {"file": scripts[0].file, "line": 1, "column": 1}
            end = lines[record["file"]].end_of(record["line"], record["column"])
            record["end_line"], record["end_column"] = end or (record["line"], None)
        if edits is not None:
            record["edits"] = list(_edits(edits(finding), lines))
        yield record


def _edits(edits: Iterable[tuple[str, Edit]], lines: dict[str, _Lines]) -> Iterator[Record]:
    for file, (start, end, text) in edits:
        first, last = lines[file].place(start), lines[file].place(end)
        yield {
            "file": file,
            "start_line": first[0],
            "start_column": first[1],
            "end_line": last[0],
            "end_column": last[1],
            "text": text,
        }
