"""One picture of a live screen: a heading, the listing, and what the keys do."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Final

from mqtriage.formatters.cells import name_shortened, visible
from mqtriage.formatters.forms.rows import arranged
from mqtriage.formatters.forms.select import write
from mqtriage.formatters.pairs import bold, dim, red
from mqtriage.formatters.style import Style
from mqtriage.model.output_forms import TABLE
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.records import NamedTuple

KEYS: Final = "q quit  ? help  Enter open  Tab next  / filter  s sort"
HELP: Final = (
    ("up, down, j, k", "move the cursor; also PgUp, PgDn, Home, End"),
    ("Enter", "open what the cursor is on: the messages of a queue"),
    ("Esc", "go back; from the first screen nothing"),
    ("Tab, 1 2 3 4", "next screen, or the first to the fourth"),
    ("/", "filter: text in any column, or a glob such as ORD*.IN; it stays, / Esc ends it"),
    ("s, S, r", "sort by the next or the previous column; reverse"),
    ("p, u", "pause; sample now"),
    ("+, -", "sample less often, more often"),
    (":", "type a command of mqtriage; :context NAME looks at that one from now on"),
    ("q", "quit"),
)
"""Keys and what they do, on every screen."""
OPEN: Final = "open"
BACK: Final = "back"
UPDATE: Final = "update"
RUN: Final = "run"
NEXT: Final = "next"
PREVIOUS: Final = "previous"
_BESIDE_A_NAME: Final = 16
_SHORTEST_NAME: Final = 12
_GLOB: Final = frozenset("*?[")
_HEADING: Final = 2
"""Lines of a table above its records."""
_LONGEST_FILTER: Final = 48
_LONGEST_COMMAND: Final = 400
_ENTER: Final = frozenset("\r\n")
_LEAVE: Final = frozenset("\x1b\x03")
_MOVES: Final = {"up": -1, "k": -1, "down": 1, "j": 1, "home": -1_000_000, "end": 1_000_000}
_EVENTS: Final = {
    "\r": OPEN,
    "\n": OPEN,
    "\x1b": BACK,
    "u": UPDATE,
    "\t": NEXT,
    "backtab": PREVIOUS,
}


class View(NamedTuple):
    """What the user has chosen to see.

    Attributes:
        sort: key of the column, None for the order of the queue manager.
        filter: only records of which a column holds this, in any case of letters, or fits it where
            it is a glob.
        typing: the filter is being typed.
        cursor: which of the rows, from 0.
        command: what is typed behind ``mqtriage``, None while nothing is.
        help: the keys are shown.
        event: what the screen has to do: one of the names above, or a key that this knows nothing
            of, for the actions of the tab; "" for nothing.
    """

    sort: str | None = None
    descending: bool = True
    filter: str = ""
    typing: bool = False
    paused: bool = False
    interval_s: float = 2.0
    leave: bool = False
    cursor: int = 0
    command: str | None = None
    help: bool = False
    event: str = ""


INTERVALS_S: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


def after_key(view: View, key: str, fields: tuple[Field, ...], page: int = 10) -> View:
    """The view after a key was pressed.

    Args:
        key: a character, or a name that `keys_in` gives to one.
        page: rows that PgUp and PgDn move by.
    """
    if view.typing:
        return _after_filter_key(view, key)
    if view.command is not None:
        return _after_command_key(view, view.command, key)
    if view.help:
        return view._replace(help=False, leave=key == "\x03")
    if key in _MOVES:
        return view._replace(cursor=max(0, view.cursor + _MOVES[key]))
    if key in ("pgup", "pgdn"):
        return view._replace(cursor=max(0, view.cursor + (page if key == "pgdn" else -page)))
    if key in _EVENTS:
        return view._replace(event=_EVENTS[key])
    match key:
        case "?" | "h":
            return view._replace(help=True)
        case ":":
            return view._replace(command="")
        case "q" | "Q" | "\x03" | "\x04":
            return view._replace(leave=True)
        case "s" | "S":
            return view._replace(sort=_next_sort(view.sort, fields, 1 if key == "s" else -1))
        case "r":
            return view._replace(descending=not view.descending)
        case "/":
            return view._replace(typing=True, filter="")
        case "p" | " ":
            return view._replace(paused=not view.paused)
        case "+" | "-":
            step = 1 if key == "+" else -1
            return view._replace(interval_s=_next_interval_s(view.interval_s, step))
    return view._replace(event=key)


def _after_filter_key(view: View, key: str) -> View:
    if key in _ENTER:
        return view._replace(typing=False)
    if key in _LEAVE:
        return view._replace(typing=False, filter="")
    return view._replace(filter=_typed(view.filter, key, _LONGEST_FILTER))


def _after_command_key(view: View, command: str, key: str) -> View:
    if key in _ENTER:
        return view._replace(event=RUN)
    if key in _LEAVE:
        return view._replace(command=None)
    return view._replace(command=_typed(command, key, _LONGEST_COMMAND))


def _next_sort(sort: str | None, fields: tuple[Field, ...], step: int) -> str:
    keys = [field.key for field in fields if not field.wide]
    at = keys.index(sort) if sort in keys else -1
    return keys[(at + step) % len(keys)]


def _next_interval_s(interval_s: float, step: int) -> float:
    """The interval *step* further than the one that is nearest to *interval_s*."""
    apart = [abs(known_s - interval_s) for known_s in INTERVALS_S]
    at = apart.index(min(apart)) + step
    return INTERVALS_S[min(max(at, 0), len(INTERVALS_S) - 1)]


_NAMED: Final = {
    "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down", "\x1b[5~": "pgup",
    "\x1b[6~": "pgdn", "\x1b[H": "home", "\x1bOH": "home", "\x1b[1~": "home", "\x1b[F": "end",
    "\x1bOF": "end", "\x1b[4~": "end", "\x1b[Z": "backtab",
}  # fmt: skip
_KEY: Final = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|.", re.DOTALL)


def keys_in(text: str) -> list[str]:
    """The keys behind what a terminal sent; a sequence that we do not know is none."""
    keys = (_NAMED.get(part, part) for part in _KEY.findall(text))
    return [key for key in keys if len(key) == 1 or key in _NAMED.values()]


def _typed(text: str, key: str, longest: int) -> str:
    """*text* with what a key adds to it, or takes away."""
    if key in {"\x7f", "\b"}:
        return text[:-1]
    return text if len(key) > 1 or not key.isprintable() else (text + key)[:longest]


def rows_of(listing: Listing, view: View) -> list[Record]:
    """The records that pass the filter, in the order that was chosen."""
    keys = [field.key for field in listing.fields if not field.wide]
    records = [record for record in listing.items if _passes(record, keys, view.filter)]
    sort = view.sort if any(field.key == view.sort for field in listing.fields) else None
    shown = replace(listing, items=records)
    return list(arranged(shown, sort=sort, descending=view.descending, limit=None))


def frame(
    title: str,
    listing: Listing,
    view: View,
    style: Style,
    height: int,
    *,
    problem: str = "",
    note: str = "",
    still: bool = False,
    actions: Sequence[tuple[str, str]] = (),
) -> str:
    """The lines of the picture, cut to the terminal; escape codes only where *style* colours.

    Args:
        title: what is shown, of which queue manager, at what time.
        style: its sort and limit are taken from *view*. On a terminal the row of the cursor is
            shown in reverse.
        height: lines of the terminal.
        problem: why the numbers are old, "" while they are not.
        note: what else there is to say of these records.
        still: they are not sampled again by themselves.
        actions: keys of this screen, and what they do.
    """
    lines = [
        bold(_cut(title, style.width), style.colour),
        _status(view, style.width, note, _of_all(listing, view), still=still),
    ]
    if problem:
        lines[1] = red(_cut(visible(problem), style.width), style.colour)
    if view.help:
        return "\n".join([*lines, *_help_lines(actions, style.width)][:height])
    if totals := _totals(listing.summary):
        lines.append(_cut(totals, style.width))
    records = rows_of(listing, view)
    foot = _foot(view, style, height, actions)
    rows = max(1, height - _HEADING - len(lines) - len(foot))
    if len(records) > rows:
        rows = max(1, rows - 1)  # how many more there are takes a line
    first = max(0, min(view.cursor - rows + 1, len(records) - rows))
    table = _table(records[first : first + rows], listing, style, view.cursor - first)
    lines += table[: max(1, height - len(foot) - len(lines))]
    if len(records) > rows:
        lines = lines[: height - len(foot) - 1]
        lines.append(dim(_cut(f"{len(records) - rows} more", style.width), style.colour))
    return "\n".join([*lines[: height - len(foot)], *foot])


def _foot(view: View, style: Style, height: int, actions: Sequence[tuple[str, str]]) -> list[str]:
    """The keys, or the whole of the command that is going to be run, in as many lines as it takes.

    Of one that is longer than half of the screen the end is shown, where it is typed.
    """
    if view.command is None:
        keys = "".join(f"  {key} {text}" for key, text in actions)
        return [dim(_cut(KEYS + keys, style.width), style.colour)]
    text = f"mqtriage {visible(view.command)}_"
    lines = [text[at : at + style.width] for at in range(0, len(text), style.width)]
    return lines[-max(1, height // 2) :]


def _help_lines(actions: Sequence[tuple[str, str]], width: int) -> list[str]:
    keys = [
        *HELP[:-1],
        *((key, f"{text}: shows the command before it runs") for key, text in actions),
    ]
    rows = ["", *(f"{key:<16}{text}" for key, text in (*keys, HELP[-1])), "", "any key: back"]
    return [_cut(row, width) for row in rows]


def _table(records: Sequence[Record], listing: Listing, style: Style, cursor: int) -> list[str]:
    """The lines of a table, that of the cursor in reverse where each record has one."""
    names = [field.key for field in listing.fields if field.show is Show.NAME]
    shown = [_with_short_names(record, names, style) for record in records]
    text = io.StringIO()
    of_rows = Listing(listing.kind, listing.fields, shown, id_key=listing.id_key)
    write(of_rows, style._replace(form=TABLE, sort=None, limit=None), text)
    lines = text.getvalue().splitlines()
    at = len(lines) - len(records) + cursor
    if style.is_tty and 0 <= cursor < len(records) and len(lines) == len(records) + _HEADING:
        # colours end with what resets the reverse too
        inside = lines[at].replace("\x1b[0m", "\x1b[0;7m")
        lines[at] = f"\x1b[7m{inside}\x1b[0m"
    return lines


def _of_all(listing: Listing, view: View) -> str:
    """`` (2 of 14)``: how many records pass the filter; the totals are those of all."""
    if not view.filter:
        return ""
    return f" ({len(rows_of(listing, view))} of {len(list(listing.items))})"


def _status(view: View, width: int, note: str, count: str, *, still: bool) -> str:
    arrow = "greatest first" if view.descending else "least first"
    words = [] if still else [f"every {view.interval_s:g}s"]
    if view.sort:
        words.append(f"by {view.sort}, {arrow}")
    if view.typing or view.filter:
        words.append(f"filter {visible(view.filter)}{'_' if view.typing else ''}{count}")
    if view.paused:
        words.append("paused")
    if note:
        words.append(f"({note})" if words else note)
    return _cut("  ".join(words), width)


def _with_short_names(record: Record, names: Sequence[str], style: Style) -> Record:
    """*record* with names that leave room for a number: on a screen nothing may be wrapped."""
    room = max(_SHORTEST_NAME, style.width - _BESIDE_A_NAME)
    long = {key: record[key] for key in names if len(str(record.get(key) or "")) > room}
    return dict(record) | {key: name_shortened(name, room, "..") for key, name in long.items()}


def _totals(summary: Mapping[str, Any]) -> str:
    """Counts over all queues, as far as they are known: ``staged 2  overdue 0  due 1m 1``."""
    known: dict[str, Any] = {}
    for key, value in summary.items():
        known |= dict(value) if isinstance(value, Mapping) else {key: value}
    return "  ".join(
        f"{str(key).replace('_', ' ')} {value}" for key, value in known.items() if value is not None
    )


def _passes(record: Record, keys: Sequence[str], text: str) -> bool:
    if not text:
        return True
    pattern = text.lower()
    values = [str(value).lower() for key in keys if (value := record.get(key)) is not None]
    if _GLOB.isdisjoint(pattern):
        return any(pattern in value for value in values)
    return any(fnmatchcase(value, pattern) for value in values)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(1, width)]
