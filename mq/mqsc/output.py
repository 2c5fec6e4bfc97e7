"""Read back what runmqsc printed: the objects of DISPLAY, the messages, the counts at the end.

Input may be a whole session, a piece pasted into a ticket, or CSQUTIL's SYSPRINT; what is not
understood is passed over and its line numbers are kept. Layout: see `mq/mqsc/layout.py`.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import AttributeValue, ValueKind, attribute, parse_value
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tokens import starts_command
from mqtriage.records import NamedTuple, dataclass

_MESSAGE: Final = re.compile(r"\s*(AMQ[0-9]{4,5})([A-Z]?): ?(.*)")
_ZOS_MESSAGE: Final = re.compile(r" ?(CSQ[A-Z0-9][0-9]{3})([A-Z]) +(.*)")
_ZOS_OBJECT: Final = re.compile(r"(?:\S{1,5} )?(?:CSQM[A-Z0-9]{4} )?([A-Z][A-Z0-9]*\(.*)")
"""CSQM4xxI with its object on the same line, behind the command prefix string and the module."""
_ZOS_END: Final = re.compile(r"\s*END [A-Z0-9]+ DETAILS\s*")
_ECHO: Final = re.compile(r"\s*([0-9]{1,9}) : ?(.*)")
_MORE_ECHO: Final = re.compile(r"\s{4,}: ?(.*)")
_BANNER: Final = re.compile(r"\s*Starting MQSC for queue manager (\S+?)\.\s*$")
_COPYRIGHT: Final = re.compile(r"\s*[0-9]{4}-[A-Z0-9]{3} \(C\) Copyright IBM")
_FOOTERS: Final = (
    ("commands_read", re.compile(r"\s*(\w{1,9}) MQSC commands? read\.\s*$")),
    ("syntax_errors", re.compile(r"\s*(\w{1,9}) commands? ha(?:s|ve) a syntax error\.\s*$")),
    (
        "not_processed",
        re.compile(r"\s*(\w{1,9}) valid MQSC commands? could not be processed\.\s*$"),
    ),
    ("not_processed", re.compile(r"\s*(All) valid MQSC commands were processed\.\s*$")),
)
_ZOS_COUNTS: Final = (
    ("commands_read", re.compile(r" ?CSQU057I +([0-9]{1,9}) commands read")),
    ("not_processed", re.compile(r" ?CSQU058I .* ([0-9]{1,9}) failed")),
)
_TITLE: Final = re.compile(r"\s*Display .{3,60} details\.\s*", re.IGNORECASE)
_WITH_DETAIL: Final = ("AMQ8405", "AMQ8426", "AMQ8427")
_COUNT_WORDS: Final = {"no": 0, "one": 1, "all": 0}
_KEYWORD: Final = re.compile(r"[ \t]*([A-Z][A-Z0-9]*)")
_PARENTHESIS: Final = re.compile(r"[()]")
_NEXT_CELL: Final = re.compile(r"[ \t]*$|[ \t]+[A-Z][A-Z0-9]*(?=[( \t]|$)")
_RIGHT_COLUMN: Final = 43


class Cell(NamedTuple):
    """KEYWORD(value) as printed; a value of None is a bare word such as SHARE or CURRENT."""

    keyword: str
    value: str | None


class OutputMessage(NamedTuple):
    """One message.

    Attributes:
        id: without its letter ("AMQ8409"); "" when it was cut away.
        severity: the letter I, W, E or S; "" before MQ 8, which printed none.
        detail: lines below it that belong to it, as for AMQ8405 the command up to the error.
    """

    id: str
    severity: str
    text: str
    line: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """One object as displayed.

    Attributes:
        message: id of the line above it, "" when that was cut away.
        title: text of that line ("Display Queue details.").
        cells: in print order; a keyword may come twice in what people pasted.
    """

    message: str
    title: str
    cells: tuple[Cell, ...]
    line: int

    def get(self, keyword: str) -> str | None:
        """A value without the blanks around it; "" for a bare word; None when it is not there."""
        for cell in self.cells:
            if cell.keyword == keyword:
                return (cell.value or "").strip(" ")
        return None


@dataclass(slots=True)
class CommandOutput:
    """One command with what came back.

    Attributes:
        number: as echoed, 0 when the command was not echoed.
        command: as echoed, without the number; "" when the output starts without one.
    """

    number: int = 0
    command: str = ""
    messages: list[OutputMessage] = field(default_factory=list)
    records: list[OutputRecord] = field(default_factory=list)


@dataclass(slots=True)
class MqscOutput:
    """A whole piece of output.

    Attributes:
        queue_manager: from the banner, "" without one.
        commands_read, syntax_errors, not_processed: counts at the end, None when not printed.
        unread: numbers of the lines that nothing was made of.
    """

    queue_manager: str = ""
    replies: list[CommandOutput] = field(default_factory=list)
    commands_read: int | None = None
    syntax_errors: int | None = None
    not_processed: int | None = None
    unread: list[int] = field(default_factory=list)

    @property
    def records(self) -> list[OutputRecord]:
        """The objects of all replies."""
        return [record for reply in self.replies for record in reply.records]

    @property
    def messages(self) -> list[OutputMessage]:
        """The messages of all replies."""
        return [message for reply in self.replies for message in reply.messages]


class DisplayedObject(NamedTuple):
    """A queue or the queue manager out of DISPLAY, in the program's own vocabulary."""

    kind: str
    name: str
    attributes: dict[str, AttributeValue]


def read_output(text: str) -> MqscOutput:
    """Read any piece of runmqsc or CSQUTIL output; nothing is raised."""
    reader = _Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        reader.take(number, line.rstrip("\r"))
    return reader.finish()


def read_cells(line: str) -> list[Cell] | None:
    """The cells of one line, None when it is not made of cells.

    A value may hold parentheses. Where they do not balance, the right-hand column (43 characters
    in) tells where the left-hand value ends, and at last the last parenthesis of the line does.
    """
    cells: list[Cell] = []
    at, size = 0, len(line.rstrip())
    while at < size:
        word = _KEYWORD.match(line, at)
        if word is None:
            return None
        after = word.end()
        if line[after : after + 1] != "(":
            if line[after : after + 1] not in ("", " ", "\t"):
                return None
            cells.append(Cell(word[1], None))
            at = after
            continue
        end = _value_end(line, after, size)
        if end < 0:
            return None
        cells.append(Cell(word[1], line[after + 1 : end]))
        at = end + 1
    return cells or None


def _value_end(line: str, opening: int, size: int) -> int:
    """Where the parenthesis opened at *opening* is closed, -1 for nowhere."""
    depth = 0
    for parenthesis in _PARENTHESIS.finditer(line, opening, size):
        depth += 1 if parenthesis[0] == "(" else -1
        if depth == 0:
            if _NEXT_CELL.match(line, parenthesis.end(), size):
                return parenthesis.start()
            break
    if opening < _RIGHT_COLUMN < size and _NEXT_CELL.match(line, _RIGHT_COLUMN - 1, size):
        closing = line.rfind(")", opening, _RIGHT_COLUMN)
        if closing > 0 and not line[closing + 1 : _RIGHT_COLUMN].strip():
            return closing
    return size - 1 if line[size - 1] == ")" else -1


def displayed_object(record: OutputRecord) -> DisplayedObject | None:
    """A queue definition or the queue manager from its record, None for other records.

    Values become what `mq.attributes.catalogue` keeps: numbers as int, SHARE "YES", a blank name
    "". A value that the table does not allow stays as it was printed.
    """
    name = record.get("QUEUE")
    kind = record.get("TYPE") or ""
    if name is None and kind not in ("QUEUE", "HANDLE"):  # z/OS may print QLOCAL(name)
        kind = next((k for k in QUEUE_KINDS if record.get(k)), kind)
        name = record.get(kind) if kind in QUEUE_KINDS else None
    if name is None and record.get("QMNAME") and record.get("TYPE") is None:
        name, kind = record.get("QMNAME"), "QMGR"
    if name is None or kind not in (*QUEUE_KINDS, "QMGR"):
        return None
    values: dict[str, AttributeValue] = {}
    for cell in record.cells:
        if cell.keyword not in ("QUEUE", "TYPE", kind):
            keyword, value = cell_value(kind, cell)
            values[keyword] = value
    return DisplayedObject(kind, name, values)


def cell_value(kind: str, cell: Cell) -> tuple[str, AttributeValue]:
    """The attribute of a cell, SHARE of NOSHARE; its value as printed where no table allows it."""
    entry = attribute(kind, cell.keyword)
    text = (cell.value or "").strip(" ")
    if entry is None:
        return cell.keyword, text
    if entry.kind is ValueKind.FLAG:
        return entry.keyword, "YES" if cell.keyword == entry.keyword else "NO"
    try:
        return cell.keyword, parse_value(entry, text)
    except UsageError:
        return cell.keyword, text


class _Reader:
    """Takes line after line and keeps what is open: the reply and the record."""

    def __init__(self) -> None:
        self._out = MqscOutput()
        self._reply: CommandOutput | None = None
        self._title: OutputMessage | None = None
        self._cells: list[Cell] = []
        self._line = 0
        self._echoing = False
        self._command_lines: list[str] = []
        self._detail_lines: list[str] = []

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        if not line.strip() or _ZOS_END.fullmatch(line) or self._footer(line):
            self._close_record()
            self._echoing = False
            return
        if self._detail(line) or self._message(number, line):
            self._echoing = False
            return
        if self._command(line) or self._banner(line):
            return
        self._echoing = False
        if not self._cell_line(number, line):
            self._out.unread.append(number)

    def finish(self) -> MqscOutput:
        """The output so far."""
        self._close_record()
        return self._out

    def _open_reply(self) -> CommandOutput:
        if self._reply is None:
            self._reply = CommandOutput()
            self._out.replies.append(self._reply)
        return self._reply

    def _command(self, line: str) -> bool:
        """An echo with its number, its further lines, or a request typed without one."""
        echo = _ECHO.fullmatch(line)
        if echo is not None:
            self._start_reply(int(echo[1]), echo[2].strip())
            return True
        more = _MORE_ECHO.fullmatch(line)
        if more is not None and self._echoing and self._reply is not None:
            self._command_lines.append(more[1].rstrip())
            return True
        if self._echoing and self._command_lines and self._command_lines[-1].endswith("+"):
            self._command_lines.append(line.strip())  # CSQUTIL lists the input as it stands
            return True
        if starts_command(line, 0, len(line)):
            self._start_reply(0, line.strip())
            return True
        return False

    def _detail(self, line: str) -> bool:
        """A line below a message that quotes commands."""
        if self._title is None or self._title.id not in _WITH_DETAIL or self._reply is None:
            return False
        if _MESSAGE.fullmatch(line) or _ECHO.fullmatch(line):
            return False
        self._detail_lines.append(line.strip())
        return True

    def _start_reply(self, number: int, command: str) -> None:
        self._close_record()
        before = self._reply
        typed_first = (
            before is not None
            and number
            and before.number == 0
            and not before.messages
            and not before.records
        )
        if typed_first and before is not None:  # a terminal shows what was typed and then its echo
            before.number = number
        else:
            self._reply = CommandOutput(number)
            self._out.replies.append(self._reply)
        self._command_lines = [command]
        self._echoing = True

    def _banner(self, line: str) -> bool:
        banner = _BANNER.match(line)
        if banner is not None:
            self._out.queue_manager = banner[1]
        return banner is not None or _COPYRIGHT.match(line) is not None

    def _footer(self, line: str) -> bool:
        for name, pattern in _FOOTERS:
            match = pattern.match(line)
            if match is None:
                continue
            word = match[1].lower()
            count = _COUNT_WORDS.get(word, int(word) if word.isdecimal() else -1)
            if count < 0:
                continue
            setattr(self._out, name, count)
            return True
        return False

    def _message(self, number: int, line: str) -> bool:
        match = _MESSAGE.fullmatch(line)
        zos = None if match else _ZOS_MESSAGE.fullmatch(line)
        if match is None and zos is None and _TITLE.fullmatch(line) is None:
            return False
        self._close_record()
        whole = match or zos
        if whole is None:
            message = OutputMessage("", "", line.strip(), number)
        else:
            message = OutputMessage(whole[1], whole[2], whole[3].strip(), number)
        self._title = None if zos else message
        self._open_reply().messages.append(message)
        if zos is not None and message.id.startswith("CSQM"):
            self._open_zos_object(message)
        for name, pattern in _ZOS_COUNTS if zos else ():
            count = pattern.match(line)
            if count is not None:
                setattr(self._out, name, int(count[1]))
        return True

    def _open_zos_object(self, message: OutputMessage) -> None:
        """CSQM201I and CSQM401I open an object; some answers have its cells on their line.

        Source: IBM MQ for z/OS "Messages and codes", CSQM201I and CSQM401I.
        """
        on_this_line = _ZOS_OBJECT.fullmatch(message.text)
        cells = read_cells(on_this_line[1]) if on_this_line else None
        if cells is None and not message.text.endswith(" DETAILS"):
            return
        self._title = message
        self._cells, self._line = cells or [], message.line

    def _cell_line(self, number: int, line: str) -> bool:
        cells = read_cells(line)
        if cells is None or (self._title is None and not self._cells):
            return False
        if all(cell.value is None for cell in cells) and (len(cells) > 1 or not self._cells):
            return False  # a line of prose in capitals
        if not self._cells:
            self._line = number
        self._cells += cells
        return True

    def _close_record(self) -> None:
        """Put away what is open: command lines, lines below a message, cells."""
        if self._reply is not None and self._command_lines:
            self._reply.command = "\n".join(self._command_lines)
            self._command_lines = []
        if self._reply is not None and self._detail_lines:
            last = self._reply.messages[-1]
            self._reply.messages[-1] = last._replace(detail="\n".join(self._detail_lines))
            self._detail_lines = []
        if self._cells:
            title = self._title or OutputMessage("", "", "", self._line)
            record = OutputRecord(title.id, title.text, tuple(self._cells), self._line)
            self._open_reply().records.append(record)
        self._cells = []
        self._title = None
