"""The parts of the screen of `mqtriage top` that take keys: list, details, two lines, help."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static, TextArea


class RowTable(DataTable[Text]):
    """The list."""

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and event.style.meta.get("row", -1) >= 0:
            self.app.action_open()  # type: ignore[attr-defined]


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
