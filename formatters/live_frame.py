"""One picture of a live screen: a heading, the listing, and what the keys do."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mqtriage.formatters.cells import name_shortened, visible
from mqtriage.formatters.forms.select import write
from mqtriage.formatters.pairs import bold, dim, red
from mqtriage.formatters.style import Style
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Field, Listing, Record, Show

KEYS: Final = "q quit  s sort  r reverse  / filter  p pause  + - interval"
_BESIDE_A_NAME: Final = 16
_SHORTEST_NAME: Final = 12


class View(NamedTuple):
    """What the user has chosen to see.

    Attributes:
        sort: key of the column, None for the order of the queue manager.
        filter: only records whose first column holds this, in any case of letters.
        typing: the filter is being typed.
    """

    sort: str | None = None
    descending: bool = True
    filter: str = ""
    typing: bool = False
    paused: bool = False
    interval_s: float = 2.0
    leave: bool = False


INTERVALS_S: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


def after_key(view: View, key: str, fields: tuple[Field, ...]) -> View:
    """The view after a key was pressed; a key that means nothing changes nothing."""
    if view.typing:
        return _typed(view, key)
    match key:
        case "q" | "Q" | "\x03" | "\x04":
            return view._replace(leave=True)
        case "s" | "S":
            keys = [field.key for field in fields if not field.wide]
            at = keys.index(view.sort) if view.sort in keys else -1
            step = 1 if key == "s" else -1
            return view._replace(sort=keys[(at + step) % len(keys)])
        case "r":
            return view._replace(descending=not view.descending)
        case "/":
            return view._replace(typing=True, filter="")
        case "p" | " ":
            return view._replace(paused=not view.paused)
        case "+" | "-":
            return view._replace(interval_s=_stepped(view.interval_s, 1 if key == "+" else -1))
    return view


def _typed(view: View, key: str) -> View:
    if key in {"\r", "\n"}:
        return view._replace(typing=False)
    if key in {"\x1b", "\x03"}:
        return view._replace(typing=False, filter="")
    if key in {"\x7f", "\b"}:
        return view._replace(filter=view.filter[:-1])
    return view._replace(filter=(view.filter + key)[:48]) if key.isprintable() else view


def _stepped(interval_s: float, step: int) -> float:
    nearest = min(range(len(INTERVALS_S)), key=lambda n: abs(INTERVALS_S[n] - interval_s))
    return INTERVALS_S[min(len(INTERVALS_S) - 1, max(0, nearest + step))]


def frame(
    title: str, listing: Listing, view: View, style: Style, height: int, *, problem: str = ""
) -> str:
    """The lines of the picture, cut to the terminal; escape codes only where *style* colours.

    Args:
        title: what is shown, of which queue manager, at what time.
        style: its sort and limit are taken from *view*.
        height: lines of the terminal.
        problem: why the numbers are old, "" while they are not.
    """
    lines = [bold(_cut(title, style.width), style.colour), _status(view, style.width)]
    if problem:
        lines[1] = red(_cut(visible(problem), style.width), style.colour)
    if totals := _totals(listing.summary):
        lines.append(_cut(totals, style.width))
    records = [r for r in listing.items if _passes(r, listing.fields[0].key, view.filter)]
    names = [field.key for field in listing.fields if field.show is Show.NAME]
    records = [_with_short_names(record, names, style) for record in records]
    shown = Listing(listing.kind, listing.fields, records, id_key=listing.id_key)
    rows = max(1, height - 3 - len(lines))  # the table's heading and rule, and the keys
    text = io.StringIO()
    sort = view.sort if any(field.key == view.sort for field in listing.fields) else None
    write(
        shown,
        style._replace(form=TABLE, sort=sort, descending=view.descending, limit=rows),
        text,
    )
    lines += text.getvalue().splitlines()[: max(1, height - 1 - len(lines))]
    if len(records) > rows:
        lines = lines[: height - 2]
        lines.append(dim(_cut(f"{len(records) - rows} more", style.width), style.colour))
    lines = lines[: height - 1]
    lines.append(dim(_cut(KEYS, style.width), style.colour))
    return "\n".join(lines)


def _status(view: View, width: int) -> str:
    arrow = "greatest first" if view.descending else "least first"
    words = [f"every {view.interval_s:g}s"]
    if view.sort:
        words.append(f"by {view.sort}, {arrow}")
    if view.typing or view.filter:
        words.append(f"filter {visible(view.filter)}{'_' if view.typing else ''}")
    if view.paused:
        words.append("paused")
    return _cut("  ".join(words), width)


def _with_short_names(record: Record, names: Sequence[str], style: Style) -> Record:
    """*record* with names that leave room for a number: on a screen nothing may be wrapped."""
    room = max(_SHORTEST_NAME, style.width - _BESIDE_A_NAME)
    long = {key: record[key] for key in names if len(str(record.get(key) or "")) > room}
    return dict(record) | {key: name_shortened(name, room, "..") for key, name in long.items()}


def _totals(summary: Mapping[str, Any]) -> str:
    """Counts over all queues, as far as they are known: ``staged 2  overdue 0  due 1m 1``."""
    known = ((key.replace("_", " "), value) for key, value in summary.items() if value is not None)
    return "  ".join(f"{words} {value}" for words, value in known)


def _passes(record: object, key: str, text: str) -> bool:
    value = record.get(key) if isinstance(record, dict) else None
    return text.lower() in str(value).lower()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(1, width)]
