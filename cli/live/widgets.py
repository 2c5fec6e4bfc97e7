"""The parts of the screen of `mqtriage top` that take keys: list, details, two lines, help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static, TextArea

from mqtriage.cli.live.level import Level, Row
from mqtriage.formatters.cells import is_right_aligned
from mqtriage.formatters.forms.grid import COLOURS
from mqtriage.formatters.forms.table import ColumnCells, column_cells
from mqtriage.formatters.style import Style


class RowTable(DataTable[Text]):
    """The list."""

    def fill(self, level: Level, rows: Sequence[Row], style: Style) -> None:
        """Show these rows in place of those before."""
        # a cell has a blank on either side, as GAP is two; a mark is one column more
        style = style._replace(width=style.width - (len(level.marked) > 0))
        columns = column_cells(level.fields, [record for _, record in rows], style, is_unicode=True)
        self.clear(columns=True)
        for number, column in enumerate(columns):
            arrow, more = "", number == 0 and len(level.marked) > 0  # room for the mark
            if column.field.key == level.sort and len(column.field.heading) < column.width:
                arrow = "↓" if level.descending else "↑"
            heading = Text(column.field.heading + arrow)
            self.add_column(heading, width=column.width + more, key=column.field.key)
        for number, row in enumerate(rows):
            is_marked = level.key(row) in level.marked
            cells = [_cell(column, number, is_marked=is_marked) for column in columns]
            if is_marked:
                cells[0].plain = f"*{cells[0].plain}"
            self.add_row(*cells)

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and event.style.meta.get("row", -1) >= 0:
            self.app.action_open()  # type: ignore[attr-defined]


def _cell(column: ColumnCells, number: int, *, is_marked: bool) -> Text:
    text = column.cells[number]
    style = "bold yellow" if is_marked else COLOURS.get(text, "")
    return Text(text, style, justify="right" if is_right_aligned(column.field.show) else "left")


class Details(VerticalScroll, can_focus=True):
    """The pane beside the list."""

    BINDINGS: ClassVar = [Binding("left,escape", "app.into_list", show=False)]


class CommandLine(TextArea):
    """The whole command, as many lines as it takes; Enter runs it."""

    BINDINGS: ClassVar = [
        Binding("enter", "app.run_command", show=False),
        Binding("escape", "app.into_list", show=False),
    ]

    def on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "escape"):
            # the text area's own use of it is not wanted; it comes in its turn, after what was
            # typed before it
            event.prevent_default()


class FilterLine(Input):
    """What a row has to contain."""

    BINDINGS: ClassVar = [
        Binding("enter", "app.into_list", priority=True, show=False),
        Binding("escape", "app.end_filter", priority=True, show=False),
    ]


class HelpScreen(ModalScreen[None]):
    """The keys."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield VerticalScroll(Static(self._text, markup=False, id="keys"))

    def on_key(self, event: events.Key) -> None:
        if event.key not in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self._close()

    def on_click(self) -> None:
        self._close()

    def _close(self) -> None:
        if self.is_current:  # a second key may have been pressed before the first had closed it
            self.dismiss()
