"""`-o md`: tables for tickets and wikis (GitHub's Markdown)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mqtriage.formatters.cells import display_function, is_right_aligned
from mqtriage.formatters.document import chosen_data, data_sections
from mqtriage.formatters.out import Out
from mqtriage.formatters.pairs import visible_lines
from mqtriage.formatters.report import at_text, depth_rows, detail_sections, headline
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Field, Listing, Outcome, Record, Report

# `_` marks emphasis only at the edge of a word: Q_FULL needs no escape
_MARKUP: Final = re.compile(r"[\\`*\[\]<>|&~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")

_TICKS: Final = re.compile("`+")
_COMMANDS: Final = "MQSC"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\g<0>", text)


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write one table."""
    displays = [(field.key, display_function(field.show, utc=style.utc)) for field in fields]
    head = _head(
        [field.heading for field in fields], [is_right_aligned(field.show) for field in fields]
    )
    for record in records:
        # after the first record is there, so that a failing command prints no empty table
        out.write(head + _row([show(record.get(key)) for key, show in displays]))
        head = ""
    if head:
        out.write(head)


def _head(headings: Sequence[str], rights: Sequence[bool]) -> str:
    rule = "|".join(" ---: " if right else " --- " for right in rights)
    return f"{_row(headings)}|{rule}|\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |\n"


def _pairs(title: str, pairs: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f"| {escaped(label)} | " + "<br>".join(map(escaped, visible_lines(text))) + " |\n"
        for label, text in pairs
        if label != _COMMANDS
    )
    parts = [f"### {escaped(title)}\n"] if title else []
    parts += [f"| | |\n| --- | --- |\n{rows}"] if rows or not pairs else []
    parts += [fenced(text) for label, text in pairs if label == _COMMANDS]
    return "\n".join(parts)


def fenced(text: str) -> str:
    """Commands to copy, in a fence that they cannot end."""
    lines = visible_lines(text)
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}mqsc", *lines, fence, ""])


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write a heading and a table of two columns for each section."""
    sections = document.sections
    if style.columns or not sections:
        data = chosen_data(document, style.columns)
        sections = tuple(data_sections(data, utc=style.utc))
    out.write("\n".join(_pairs(title, pairs) for title, pairs in sections))


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write the sentence and a table each for what was not done, the depths and the details."""
    parts = [escaped(headline(report, at_text(style))) + "\n"]
    undone = [item for item in report.items if item.outcome is not Outcome.DONE]
    if undone:
        head = _head(("MSGID", "OUTCOME", "REASON"), (False, False, False))
        rows = ((item.msg_id, item.outcome.value, item.reason) for item in undone)
        parts.append(head + "".join(map(_row, rows)))
    depths = list(depth_rows(report))
    if depths:
        head = _head(("QUEUE", "BEFORE", "AFTER"), (False, True, True))
        parts.append(head + "".join(map(_row, depths)))
    parts += [_pairs(title, pairs) for title, pairs in detail_sections(report, utc=style.utc)]
    out.write("\n".join(parts))
