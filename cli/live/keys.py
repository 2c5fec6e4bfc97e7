"""The keys of `mqtriage top`: what they do, and how the help says it."""

from __future__ import annotations

from typing import Final

from mqtriage.commands.top import SCREENS

HELP: Final = (
    ("up, down, j, k", "move the cursor; also PgUp, PgDn, Home, End, and the mouse"),
    ("Enter", "open a queue's messages, or a message; or click it twice"),
    ("Esc", "clear marks, close details, end the filter, or go back"),
    ("Tab, 1 2 3 4", "next screen, or the first to the fourth"),
    ("d", "details (browses): handles, messages, operations, definition"),
    ("right, left", "scroll the details with the arrows; back to the list"),
    ("Space", "mark or unmark a row, and go to the next; actions use all marked rows shown"),
    ("/", "filter any column: text, or a glob (ORD*.IN); Esc ends it"),
    ("s, S, r", "sort by next, previous column; reverse; or click a heading"),
    ("p, u", "pause; sample now"),
    ("+, -", "sample less often, more often"),
    (":", "an mqtriage command, or a screen command; :context NAME,... switches to these contexts"),
    ("q", "quit"),
)
"""Keys and what they do, on every screen."""

KEYS: Final = {
    "q": "leave",
    "?": "help",
    "h": "help",
    "enter": "open",
    "escape": "go_back",
    "tab": "step(1)",
    "shift+tab": "step(-1)",
    **{str(number + 1): f"show({number})" for number in range(len(SCREENS))},
    "j": "cursor(1)",
    "k": "cursor(-1)",
    "home": "row(0)",
    "end": "row(-1)",
    "d": "details",
    "right": "into_details",
    "left": "nothing",
    " ": "mark",
    "/": "filter",
    ":": "command('')",
    "s": "sort(1)",
    "S": "sort(-1)",
    "r": "reverse",
    "p": "pause",
    "u": "update",
    "+": "interval(1)",
    "-": "interval(-1)",
}
"""What a key does while the list has it."""

SCROLLING: Final = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "escape")
)
"""Keys that the details use themselves; with the others, the list acts though it has no focus."""
