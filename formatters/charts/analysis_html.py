"""All jobs as one page that needs nothing beside itself: what to do, charts, tables.

Or as a folder of such pages: one of the estate, and one of each queue manager.

It is read on a screen, light or dark, wide or narrow, with the keyboard alone, and on paper: no
colour that alone tells something, wide things scroll by themselves. On paper a long table has the
rows of what there is advice about, and the command that prints the others. Its one script puts a
field above long tables that shows the rows with a text; without scripts nothing else is missing.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Formatter
from typing import Any, Final
from urllib.parse import quote

from mqtriage.commands.analyze import pages as page_files
from mqtriage.commands.analyze.report import JobReport, files_for_advice
from mqtriage.commands.analyze.run import AnalyzeRequest
from mqtriage.formatters.cells import (
    bytes_text,
    display_function,
    duration_text,
    time_text,
    visible,
)
from mqtriage.formatters.charts.chart_words import (
    cell_class,
    finding_text,
    number_text,
    shown_text,
    value_text,
)
from mqtriage.formatters.charts.svg_chart import svg_chart
from mqtriage.model.analysis_charts import Chart
from mqtriage.model.analysis_tables import COLUMN_NOTES, JOB_TITLES, TABLES_OF, AnalysisTable
from mqtriage.model.result import Field, Record
from mqtriage.pipeline.snapshots.advice import Advice, Weight, subject

Weights = Mapping[tuple[str, str], Weight]
"""Queue manager and object to the most pressing advice about it."""

MOST_ADVICE: Final = 25
MOST_ON_PAPER: Final = 2
"""What yields sooner is on the screen only."""
ROWS_ON_PAPER: Final = 6
"""Rows of a table on paper; three queue managers take four sheets of A4."""
LINE_ON_PAPER: Final = 20
"""Characters that a cell has beside others there, as many as a time; longer ones are broken."""
_PAPER: Final = (
    "In print, tables omit some columns, and long tables show only the queues that the advice"
    " mentions. On a screen, this page shows everything."
)
ROWS_TO_FILTER: Final = 12
"""A table with as many rows can be searched."""
_FILTER: Final = """
for (const box of document.querySelectorAll('.rows.many')) {
  const rows = [...box.querySelectorAll('tbody tr')];
  const field = document.createElement('input'), shown = document.createElement('span');
  field.type = 'search';
  field.placeholder = 'Show rows with ...';
  field.setAttribute('aria-label', 'Show rows with this text');
  shown.setAttribute('role', 'status');
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\\s+/);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      count += !row.hidden;
    }
    shown.textContent = field.value ? ` ${count} of ${rows.length}` : '';
  });
  const line = document.createElement('p');
  line.className = 'filter';
  line.append(field, shown);
  box.before(line);
}
"""
_OF_ALL: Final = frozenset({"Snapshots", "Rows of messages"})
"""Facts that are not those of one queue manager."""
_WEIGHTS: Final = {Weight.ACT: "Act", Weight.LOOK: "Look", Weight.KNOW: "Know"}


def page(
    parts: Sequence[JobReport],
    advice: Sequence[Advice],
    *,
    title: str,
    facts: Mapping[str, Any],
    files: Sequence[tuple[str, str]] = (),
    back: str = "",
    pages: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The page, in pieces to be written one after the other.

    Args:
        advice: the most pressing first.
        facts: shown at the top: what was read, and when.
        files: (name, command that writes it), for each file that commands of *advice* name.
        back: address of the page of the estate that this one belongs to.
        pages: of an estate: the address of each queue manager's page.
    """
    pages = pages or {}
    style = Path(__file__).with_suffix(".css").read_text("utf-8")
    yield "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
    yield "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    title = shown_text(title)
    yield f"{page_files.GENERATOR}<title>{title}</title><style>{style}</style></head><body>\n"
    yield "<a class='skip' href='#what-to-do'>Skip to what to do</a>\n"
    yield f"<header><h1>{title}</h1>\n<dl class='facts'>"
    for key, value in facts.items():
        shown = number_text(value) if isinstance(value, int) else visible(str(value))
        yield f"<dt>{escape(key)}</dt><dd>{escape(shown)}</dd>"
    yield f"</dl>\n<p class='paper'>{_PAPER}</p>\n<nav aria-label='Jobs'><ul>"
    yield f"<li><a href='{back}'>All queue managers</a></li>" if back else ""
    yield "<li><a href='#what-to-do'>What to do</a></li>"
    yield "<li><a href='#queue-managers'>Queue managers</a></li>" if pages else ""
    for part in parts:
        yield f"<li><a href='#{part.job}'>{escape(JOB_TITLES[part.job][0])}</a></li>"
    yield "</ul></nav></header>\n<main>\n"
    yield from _advice(advice, files, pages)
    yield from _managers(advice, pages) if pages else ()
    weights: dict[tuple[str, str], Weight] = {}
    for one in advice:
        weights.setdefault((one.queue_manager, one.object), one.weight)
    for part in parts:
        yield from _part(part, weights)
    yield "</main>\n"
    lengths = [len(records) for part in parts for _, records in part.tables]
    if max([len(pages), *lengths]) >= ROWS_TO_FILTER:
        yield f"<script>{_FILTER}</script>\n"
    yield "</body></html>\n"


def estate_pages(
    parts: Sequence[JobReport],
    advice: Sequence[Advice],
    request: AnalyzeRequest,
    rows: page_files.ManagerRows,
    *,
    title: str,
    facts: Mapping[str, Any],
) -> Iterator[tuple[str, Iterator[str]]]:
    """(file, pieces) of each page.

    Args:
        parts: of all queue managers; their tables are on the pages of these.
        rows: all that these show, of which those of one queue manager are held at a time.
        advice, title, facts: as `page` takes them, of the estate.
    """
    files = files_for_advice(request)
    names = page_files.file_names(rows.names())
    addresses = {name: quote(file) for name, file in names.items()}
    shown = [part for part in parts if part.charts or part.warnings]
    index = page(shown, advice, title=title, facts=facts, files=files, pages=addresses)
    yield page_files.INDEX, index
    advice_of: dict[str, list[Advice]] = {}
    for one in advice:
        advice_of.setdefault(one.queue_manager, []).append(one)
    common = {key: value for key, value in facts.items() if key not in _OF_ALL}
    for name, file in names.items():
        pieces = page(
            page_files.parts_of_one(parts, rows.of(name), request),
            advice_of.get(name, []),
            title=f"What happened on {name}",
            facts={"Queue manager": name, **common},
            files=files,
            back=page_files.INDEX,
        )
        yield file, pieces


def _advice(
    advice: Sequence[Advice], files: Sequence[tuple[str, str]], pages: Mapping[str, str]
) -> Iterator[str]:
    yield "<section class='advice' id='what-to-do'><h2>What to do</h2>\n"
    if not advice:
        yield "<p>Nothing. These jobs found no problems.</p>\n"
    shown = advice[:MOST_ADVICE]
    yield "<ol>\n" if shown else ""
    for one in shown:
        yield f"<li class='{one.weight.name.lower()}'><span class='weight'>{_WEIGHTS[one.weight]}:"
        place = f"{pages.get(one.queue_manager, '')}#{one.job}"
        yield f"</span> {escape(advice_text(one))} <a href='{place}'>({one.job})</a>"
        yield f"<br><code>{shown_text(one.command)}</code>" if one.command else ""
        yield "</li>\n"
    yield "</ol>\n" if shown else ""
    if len(advice) > len(shown):
        yield f"<p>And {len(advice) - len(shown):,} more; see the tables.</p>\n"
    named = [pair for pair in files if any(pair[0] in one.command for one in shown)]
    if named:
        yield "<p class='about'>These files come from:<br>"
        yield "<br>".join(f"<code>{shown_text(command)}</code>" for _, command in named)
        yield "</p>\n"
    yield "</section>\n"


def _managers(advice: Sequence[Advice], pages: Mapping[str, str]) -> Iterator[str]:
    """A row for each queue manager: what to do about it, the most pressing ones first."""
    of_each: dict[str, list[Advice]] = {name: [] for name in pages}
    for one in advice:
        of_each.get(one.queue_manager, []).append(one)
    counts = {
        name: tuple(sum(one.weight is weight for one in ones) for weight in Weight)
        for name, ones in of_each.items()
    }
    many = " many" if len(pages) >= ROWS_TO_FILTER else ""
    yield "<section id='queue-managers'><h2>Queue managers</h2>\n"
    yield "<p class='about'>Each has its own page, with its charts and tables.</p>\n"
    yield f"<div class='rows{many}' tabindex='0' role='region' aria-label='Queue managers'>"
    yield "<table><thead><tr><th scope='col'>QMGR</th>"
    for weight in Weight:
        yield f"<th scope='col' class='n'>{_WEIGHTS[weight].upper()}</th>"
    yield "<th scope='col'>MOST URGENT</th></tr></thead><tbody>\n"
    for name in sorted(pages, key=lambda name: [-count for count in counts[name]]):
        link = f"<a href='{pages[name]}'>{shown_text(name)}</a>"
        numbers = "".join(f"<td class='n'>{count or '-'}</td>" for count in counts[name])
        first = escape(advice_text(of_each[name][0])) if of_each[name] else "-"
        yield f"<tr><th scope='row'>{link}</th>{numbers}<td class='text'>{first}</td></tr>\n"
    yield "</tbody></table></div></section>\n"


class _Sentence(Formatter):
    """Formats of advice: ``{expired_bytes:bytes}`` is a value as people read it."""

    def get_value(self, key: int | str, _: object, kwargs: Mapping[str, Any]) -> Any:
        return kwargs.get(str(key))

    def format_field(self, value: Any, form: str) -> str:
        if value is None:
            return "unknown"
        if form == "ms":
            return duration_text(value)
        if form == "bytes":
            return bytes_text(value)
        if form == "time":
            return f"{time_text(value, utc=True).removesuffix('Z')} UTC"
        if form == "messages":
            return f"{number_text(value)} {'message' if value == 1 else 'messages'}"
        return number_text(value) if form == "number" else str(value)


def advice_text(one: Advice) -> str:
    """The sentence with its values as people read them."""
    return visible(_Sentence().vformat(one.text, (), one.values))


def _part(part: JobReport, weights: Weights) -> Iterator[str]:
    title, about = JOB_TITLES[part.job]
    yield f"<section id='{part.job}'><h2>{escape(title)}</h2>\n"
    yield f"<p class='about'>{escape(about)}</p>\n"
    for text in part.warnings:
        yield f"<p class='warning'>Warning: {shown_text(text)}</p>\n"
    yield "<div class='charts'>\n" if part.charts else ""
    for chart in part.charts:
        yield f"<figure><figcaption><b>{escape(finding_text(chart) or chart.title)}</b>"
        about = f"{chart.title}: {chart.note}" if chart.note else chart.title
        yield f"<small>{shown_text(about)}</small></figcaption>"
        yield f"<div class='wide' tabindex='0' role='group' aria-label='{shown_text(chart.title)}'>"
        yield f"{svg_chart(chart)}</div>"
        yield from _numbers(chart) if chart.kind == "line" else ()
        yield "</figure>\n"
    yield "</div>\n" if part.charts else ""
    for table, records in part.tables:
        printed = on_paper(records, weights)
        yield from _table(table, records, printed)
        more = part.counts.get(table.name, len(records)) - len(printed)
        if more:
            is_first = table.name == next(iter(TABLES_OF[part.job]))
            every = "" if is_first else f" --table {table.name}"
            rows = f"{more:,} more row{'s' if more > 1 else ''}"
            yield f"<p class='paper'>{rows}: <code>{shown_text(part.command)}{every}</code></p>\n"
    yield "</section>\n"


def _numbers(chart: Chart) -> Iterator[str]:
    """What a line shows, as text: where it begins and ends, and its least and greatest number."""
    yield "<details><summary>The numbers in this chart</summary><div class='rows'><table><thead>"
    yield "<tr><th scope='col'>line</th>"
    for heading in ("from", "until", "least", "greatest", "when", "last"):
        yield f"<th scope='col'>{heading}</th>"
    yield "</tr></thead><tbody>\n"
    for series in chart.series:
        values = [value for _, value in series.points]
        place, most = max(series.points, key=lambda point: point[1])
        cells = (
            series.points[0][0],
            series.points[-1][0],
            value_text(min(values), chart.unit),
            value_text(most, chart.unit),
            place,
            value_text(values[-1], chart.unit),
        )
        yield f"<tr><th scope='row'>{shown_text(series.name)}</th>"
        yield "".join(f"<td>{shown_text(cell)}</td>" for cell in cells) + "</tr>\n"
    yield "</tbody></table></div></details>"


def _class(field: Field) -> str:
    """The class of a cell; what is not on paper has one more."""
    of_show = cell_class(field.show)
    if not field.wide and field.yields <= MOST_ON_PAPER:
        return of_show
    return _with(of_show, "more")


def _with(attribute: str, name: str) -> str:
    """A class attribute, "" for none, with one more class."""
    return attribute.replace("='", f"='{name} ") or f" class='{name}'"


def on_paper(records: Sequence[Record], weights: Weights) -> set[int]:
    """Which rows of a table are printed: all of a few, else those of what needs attention most."""
    if len(records) > ROWS_ON_PAPER:
        subjects = enumerate(map(subject, records))
        pressing = sorted((weights[one], place) for place, one in subjects if one in weights)
        if pressing:
            return {place for _, place in pressing[:ROWS_ON_PAPER]}
    return set(range(min(len(records), ROWS_ON_PAPER)))


def _table(
    table: AnalysisTable, records: Sequence[Record], printed: Container[int]
) -> Iterator[str]:
    yield f"<h3 id='table-{table.name}'>{escape(table.title)}</h3>\n"
    if not records:
        yield f"<p class='about' data-table='{table.name}'>None.</p>\n"
        return
    # a column without a value in any row tells nothing
    known = [f for f in table.fields if any(record.get(f.key) is not None for record in records)]
    # what a narrow terminal leaves out is further to the right, and the least of it not on paper
    fields = sorted(known, key=lambda field: (field.wide, field.yields))
    many = " many" if len(records) >= ROWS_TO_FILTER else ""
    region = f"role='region' aria-labelledby='table-{table.name}'"
    yield f"<div class='rows{many}' tabindex='0' {region}>"
    yield f"<table data-table='{table.name}'><thead><tr>"
    for field in fields:
        note = escape(COLUMN_NOTES[field.key])
        heading = escape(field.heading).replace("_", "_<wbr>")  # on paper it may break there
        yield f"<th scope='col'{_class(field)} title='{note}'>{heading}</th>"
    yield "</tr></thead><tbody>\n"
    displays = [
        (f.key, _class(f), display_function(f.show, utc=True, whole_seconds=True)) for f in fields
    ]
    for place, record in enumerate(records):
        yield "<tr>" if place in printed else "<tr class='more'>"
        for key, of_field, show in displays:
            text = show(record.get(key))
            its_class = _with(of_field, "long") if len(text) > LINE_ON_PAPER else of_field
            yield f"<td{its_class}>{escape(text)}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n<details><summary>What the columns mean</summary><dl>"
    for field in fields:
        yield f"<dt>{escape(field.heading)}</dt><dd>{escape(COLUMN_NOTES[field.key])}</dd>"
    yield "</dl></details>\n"
