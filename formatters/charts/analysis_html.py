"""All jobs as one page that needs nothing beside itself: what to do, charts, tables.

It is read on a screen, light or dark, wide or narrow, with the keyboard alone, and on paper: no
script, no colour that alone tells something, wide things scroll by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from mqtriage.formatters.cells import (
    bytes_text,
    display_function,
    duration_text,
    time_text,
    visible,
)
from mqtriage.formatters.charts.chart_words import finding_text, number_text
from mqtriage.formatters.charts.svg_chart import svg_chart
from mqtriage.model.analysis_charts import Chart
from mqtriage.model.analysis_tables import COLUMN_NOTES, JOB_TITLES, AnalysisTable
from mqtriage.model.result import Record, Show
from mqtriage.pipeline.snapshots.advice import Advice, Weight

MOST_ADVICE: Final = 25
_SERIES: Final = {  # of a line, a mark: readable on white, and on near black
    "light": ("0b62a4", "c0392b", "2c7a2c", "7d3c98", "b35c00", "6e4b3a", "0e7c86", "5a5a5a"),
    "dark": ("6cb6ff", "ff8577", "7ee08a", "d2a8ff", "ffb35c", "d8a98f", "5fdde5", "b8b8b8"),
}


def _colours(theme: str) -> str:
    return "".join(f"--s{n}:#{colour};" for n, colour in enumerate(_SERIES[theme]))


_STYLE: Final = f"""
:root {{ color-scheme: light dark; --ink:#1a1a1a; --dim:#595959; --line:#d0d0d0; --back:#ffffff;
--card:#f5f6f8; --act:#b00020; --link:#0b57d0; {_colours("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink:#e8e8e8; --dim:#b0b0b0; --line:#444;
--back:#16181c; --card:#20242a; --act:#ff8a80; --link:#8ab4f8; {_colours("dark")} }} }}
* {{ box-sizing: border-box }}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
margin: 0 auto; max-width: 1120px; padding: 1.5em 1em 4em; overflow-wrap: break-word }}
a {{ color: var(--link) }} :focus-visible {{ outline: 3px solid var(--link); outline-offset: 2px }}
h1 {{ font-size: 1.6em; margin: 0 0 .5em }} h3 {{ font-size: 1em; margin: 1.5em 0 .4em }}
h2 {{ font-size: 1.3em; margin: 2.5em 0 .4em; padding-bottom: .2em;
border-bottom: 2px solid var(--line) }}
.skip {{ position: absolute; left: -99em }} .skip:focus {{ position: static }}
.about, figcaption small, .facts dt {{ color: var(--dim) }}
.facts {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 1em; margin: 0 0 1em;
font-size: .9em }} .facts dd {{ margin: 0 }}
nav ul {{ list-style: none; margin: 1em 0; padding: 0; display: flex; flex-wrap: wrap;
gap: .3em 1.2em }}
.advice {{ background: var(--card); border: 1px solid var(--line); border-radius: 6px;
padding: .2em 1.2em 1em }} .advice h2 {{ margin-top: .8em; border: 0 }}
.advice ol {{ padding-left: 1.6em }} .advice li {{ margin: .7em 0 }}
.weight {{ font-weight: 700 }} .act .weight, .warning {{ color: var(--act) }}
code {{ font: .85em/1.4 ui-monospace, monospace; background: var(--back);
border: 1px solid var(--line); border-radius: 4px; padding: .1em .4em; overflow-wrap: anywhere }}
.advice code {{ display: inline-block; margin-top: .2em }}
figure {{ margin: 1.5em 0 }} figcaption {{ margin-bottom: .4em }} figcaption b {{ display: block }}
.wide {{ overflow-x: auto }} .rows {{ max-height: 30em; overflow: auto;
border: 1px solid var(--line) }}
svg {{ display: block; width: 100%; min-width: 640px; height: auto }}
svg text {{ font: 12px system-ui, sans-serif; fill: var(--ink) }}
svg .series {{ font-weight: 700 }} svg .axis {{ fill: var(--dim) }}
svg .grid {{ stroke: var(--line); fill: none }} svg .line {{ fill: none; stroke-width: 1.5 }}
{"".join(f".s{n}{{fill:var(--s{n})}} .line.s{n}{{stroke:var(--s{n})}}" for n in range(8))}
table {{ border-collapse: collapse; font-size: .8em }} .rows table {{ width: 100% }}
th, td {{ padding: .2em .7em; text-align: left; white-space: nowrap;
border-bottom: 1px solid var(--line) }}
th {{ position: sticky; top: 0; background: var(--card) }}
tbody tr:hover {{ background: var(--card) }}
.n {{ text-align: right; font-variant-numeric: tabular-nums }}
details {{ margin: .4em 0 1em; font-size: .85em }} summary {{ cursor: pointer; color: var(--dim) }}
details dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em }}
details dt {{ font-weight: 600 }} details dd {{ margin: 0 }}
@media (max-width: 640px) {{ .facts, details dl {{ grid-template-columns: 1fr }}
.facts dd, details dd {{ margin-bottom: .4em }} body {{ padding: 1em .7em 3em }} }}
@media print {{ :root {{ --ink:#000; --dim:#444; --line:#bbb; --back:#fff; --card:#fff; --act:#000;
--link:#000; {_colours("light")} }} body {{ max-width: none; font-size: 10pt; padding: 0 }}
nav, .skip {{ display: none }} .rows {{ max-height: none; overflow: visible; border: 0 }}
svg {{ min-width: 0 }} figure, tr, li {{ break-inside: avoid }} h2, h3 {{ break-after: avoid }}
th {{ position: static }} table {{ font-size: 6.5pt }} th, td {{ padding: 1pt 3pt;
white-space: normal }} thead {{ display: table-header-group }} }}
"""
_NUMBERS: Final = frozenset({Show.NUMBER, Show.BYTES, Show.AGE_MS, Show.TENTHS})
_WEIGHTS: Final = {Weight.ACT: "Act", Weight.LOOK: "Look", Weight.KNOW: "Know"}


class JobPart(NamedTuple):
    """One job of the report.

    Attributes:
        tables: each with its records.
        warnings: what could not be read.
    """

    job: str
    tables: Sequence[tuple[AnalysisTable, Sequence[Record]]]
    charts: Sequence[Chart]
    warnings: Sequence[str] = ()


def page(
    parts: Sequence[JobPart],
    advice: Sequence[Advice],
    *,
    title: str,
    facts: Mapping[str, Any],
    files: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """The page, in pieces to be written one after the other.

    Args:
        advice: the most pressing first.
        facts: shown at the top: what was read, and when.
        files: (name, command that writes it), for each file that commands of *advice* name.
    """
    yield "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
    yield "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    yield f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
    yield "<a class='skip' href='#what-to-do'>To what to do</a>\n"
    yield f"<header><h1>{escape(title)}</h1>\n<dl class='facts'>"
    for key, value in facts.items():
        shown = number_text(value) if isinstance(value, int) else visible(str(value))
        yield f"<dt>{escape(key)}</dt><dd>{escape(shown)}</dd>"
    yield "</dl>\n<nav aria-label='Jobs'><ul><li><a href='#what-to-do'>What to do</a></li>"
    for part in parts:
        yield f"<li><a href='#{part.job}'>{escape(JOB_TITLES[part.job][0])}</a></li>"
    yield "</ul></nav></header>\n<main>\n"
    yield from _advice(advice, files)
    for part in parts:
        yield from _part(part)
    yield "</main></body></html>\n"


def _advice(advice: Sequence[Advice], files: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield "<section class='advice' id='what-to-do'><h2>What to do</h2>\n"
    if not advice:
        yield "<p>Nothing: what these jobs look for was not found.</p>\n"
    shown = advice[:MOST_ADVICE]
    yield "<ol>\n" if shown else ""
    for one in shown:
        yield f"<li class='{one.weight.name.lower()}'><span class='weight'>{_WEIGHTS[one.weight]}:"
        yield f"</span> {escape(advice_text(one))} <a href='#{one.job}'>({one.job})</a>"
        yield f"<br><code>{escape(visible(one.command))}</code>" if one.command else ""
        yield "</li>\n"
    yield "</ol>\n" if shown else ""
    if len(advice) > len(shown):
        yield f"<p>And {len(advice) - len(shown)} more, which the tables show.</p>\n"
    named = [pair for pair in files if any(pair[0] in one.command for one in shown)]
    if named:
        yield "<p class='about'>These files come from:<br>"
        yield "<br>".join(f"<code>{escape(visible(command))}</code>" for _, command in named)
        yield "</p>\n"
    yield "</section>\n"


def advice_text(one: Advice) -> str:
    """The sentence with its values as people read them."""
    return visible(one.text.format(**{key: _worded(*pair) for key, pair in one.values.items()}))


def _worded(kind: str, value: Any) -> str:
    if value is None:
        return "unknown"
    if kind == "ms":
        return duration_text(value)
    if kind == "bytes":
        return bytes_text(value)
    if kind == "time":
        return f"{time_text(value, utc=True).removesuffix('Z')} UTC"
    return number_text(value) if kind == "number" else str(value)


def _part(part: JobPart) -> Iterator[str]:
    title, about = JOB_TITLES[part.job]
    yield f"<section id='{part.job}'><h2>{escape(title)}</h2>\n"
    yield f"<p class='about'>{escape(about)}</p>\n"
    for text in part.warnings:
        yield f"<p class='warning'>Warning: {escape(visible(text))}</p>\n"
    for chart in part.charts:
        yield f"<figure><figcaption><b>{escape(finding_text(chart) or chart.title)}</b>"
        yield f"<small>{escape(visible(chart.title))}</small></figcaption>"
        yield f"<div class='wide' tabindex='0' role='group' aria-label='{_label(chart.title)}'>"
        yield f"{svg_chart(chart)}</div></figure>\n"
    for table, records in part.tables:
        yield from _table(table, records)
    yield "</section>\n"


def _label(text: str) -> str:
    return escape(visible(text), quote=True)


def _table(table: AnalysisTable, records: Sequence[Record]) -> Iterator[str]:
    yield f"<h3 id='table-{table.name}'>{escape(table.title)}</h3>\n"
    if not records:
        yield f"<p class='about' data-table='{table.name}'>None.</p>\n"
        return
    # a column without a value in any row tells nothing
    fields = [f for f in table.fields if any(record.get(f.key) is not None for record in records)]
    yield f"<div class='rows' tabindex='0' role='region' aria-labelledby='table-{table.name}'>"
    yield f"<table data-table='{table.name}'><thead><tr>"
    for field in fields:
        note = escape(COLUMN_NOTES[field.key], quote=True)
        yield f"<th scope='col'{_class(field.show)} title='{note}'>{escape(field.heading)}</th>"
    yield "</tr></thead><tbody>\n"
    displays = [(f, display_function(f.show, utc=True, whole_seconds=True)) for f in fields]
    for record in records:
        yield "<tr>"
        for field, show in displays:
            yield f"<td{_class(field.show)}>{escape(show(record.get(field.key)))}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>\n<details><summary>What the columns say</summary><dl>"
    for field in fields:
        yield f"<dt>{escape(field.heading)}</dt><dd>{escape(COLUMN_NOTES[field.key])}</dd>"
    yield "</dl></details>\n"


def _class(show: Show) -> str:
    return " class='n'" if show in _NUMBERS else ""
