"""An incident as one page that needs nothing beside itself; the raw files stand beside it.

It has no script and may load nothing, and every value is escaped: messages come from anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mqtriage.commands.incident import DEFINITIONS, MESSAGES, Incident, Part
from mqtriage.formatters.cells import display_function, plain_text
from mqtriage.formatters.charts.chart_words import cell_class, shown_text
from mqtriage.formatters.document import data_sections
from mqtriage.model.result import Document, Field, Listing, Record, whole

_STYLE: Final = Path(__file__).parents[1] / "charts" / "analysis_html.css"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def page(incident: Incident) -> Iterator[str]:
    """The page, in pieces to be written one after the other."""
    yield "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    title = shown_text(f"Incident on {incident.about['queue_manager']}")
    yield f"<title>{title}</title><style>{_STYLE.read_text('utf-8')}</style></head><body>\n"
    yield f"<header><h1>{title}</h1>\n<dl class='facts'>"
    for key, value in incident.about.items():
        name = key.replace("_", " ")
        yield f"<dt>{shown_text(name)}</dt><dd>{shown_text(plain_text(value))}</dd>"
    yield "</dl>\n<nav aria-label='Parts'><ul>"
    for part in incident.parts:
        yield f"<li><a href='#{part.name}'>{shown_text(part.title)}</a></li>"
    yield "<li><a href='#definitions'>Definitions</a></li></ul></nav></header>\n<main>\n"
    for part in incident.parts:
        left_out = incident.left_out if part.name == MESSAGES else ()
        yield from _part(part, left_out, incident.id_note(part))
    yield f"<section id='definitions'><h2>Definitions</h2>\n<p class='about'>{DEFINITIONS}</p>\n"
    lines = "\n".join(map(shown_text, incident.definitions.split("\n")))
    yield f"<pre class='rows'>{lines}</pre></section>\n"
    yield "</main></body></html>\n"


def _part(part: Part, left_out: Sequence[str], note: str) -> Iterator[str]:
    yield f"<section id='{part.name}'><h2>{shown_text(part.title)}</h2>\n"
    if part.problem:
        style = "about" if part.is_absent else "warning"
        yield f"<p class='{style}'>Not here: {shown_text(part.problem)}</p>\n"
    result = part.result
    for text in (*(result.warnings if result is not None else ()), *left_out):
        yield f"<p class='warning'>Warning: {shown_text(text)}</p>\n"
    if note:
        yield f"<p class='about'>Note: {shown_text(note)}</p>\n"
    if isinstance(result, Listing):
        yield from _table(part, result.fields, list(result.items))
    elif isinstance(result, Document):
        yield from _pairs(result)
    yield "</section>\n"


def _pairs(document: Document) -> Iterator[str]:
    sections = document.sections or data_sections(whole(document.data), utc=True)
    for title, pairs in sections:
        yield f"<h3>{shown_text(title)}</h3>\n" if title else ""
        yield "<dl class='facts'>"
        for label, value in pairs:
            yield f"<dt>{shown_text(label)}</dt><dd>{shown_text(value)}</dd>"
        yield "</dl>\n"


def _table(part: Part, fields: Sequence[Field], records: Sequence[Record]) -> Iterator[str]:
    if not records:
        yield "<p class='about'>None.</p>\n"
        return
    # a column without a value in any row tells nothing
    shown = [f for f in fields if any(record.get(f.key) is not None for record in records)]
    label = shown_text(part.title)
    yield f"<div class='rows' tabindex='0' role='region' aria-label='{label}'><table><thead><tr>"
    for field in shown:
        yield f"<th scope='col'{cell_class(field.show)}>{shown_text(field.heading)}</th>"
    yield "</tr></thead><tbody>\n"
    displays = [(f, display_function(f.show, utc=True)) for f in shown]
    for record in records:
        yield "<tr>"
        for field, show in displays:
            yield f"<td{cell_class(field.show)}>{shown_text(show(record.get(field.key)))}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n"
