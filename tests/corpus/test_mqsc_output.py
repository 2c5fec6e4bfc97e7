"""Real runmqsc and CSQUTIL output: every file is read, and our own layout is the same.

The table was written from reading each file: records, then cells of each, lines left unread.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage.mq.mqsc.layout import cell_text, layout
from mqtriage.mq.mqsc.output import MqscOutput, displayed_object, read_output
from tests.support.displayed import object_lines

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT / ".." / "shared" / "corpus"))
FOLDER = CORPUS / "mqsc-output"


class Row(NamedTuple):
    """What a file holds: cells of each record, ids of the messages that are no record's title."""

    cells: tuple[int, ...] = ()
    messages: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()


ROWS = {
    "02": Row((95,), unread=tuple(range(4, 20))),  # what the installation says of itself
    "03": Row((43,)),
    "05": Row((10, 8, 9, 9, 9, 8)),
    "06": Row((39,)),
    "11": Row((2, 2, 2, 2, 2, 3, 3), ("AMQ8149", "AMQ8149")),
    "13": Row(unread=(1, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20, 21, 23, 24)),
    "14": Row((16,)),  # its message number was cut away
    "17": Row((16,), unread=(1,)),  # a shell prompt
    "19": Row((6, 6, 6)),
    "20": Row((24,)),
    "21": Row((20, 20), unread=(1,)),
    "22": Row((7, 7, 7)),
    "23": Row((3,)),
    "25": Row((), ("AMQ8006",)),
    "26": Row((3,), ("AMQ8022", "AMQ8022", "AMQ8022", "AMQ8008")),
    "27": Row((), ("AMQ8020", "AMQ8018")),
    "28": Row((3,)),
    "29": Row((), ("AMQ8626", "AMQ8021", "AMQ8014"), unread=(9,)),
    "30": Row((5, 4, 3)),
    "31": Row(
        (),
        (
            "CSQU000", "CSQU001", "CSQU127", "CSQU120", "CSQU121", "CSQU055", "CSQN205", "CSQ9016",
            "CSQ9023", "CSQU057", "CSQU058", "CSQU143", "CSQU144", "CSQU148",
        ),
        unread=(1, 4, 20),
    ),
    "33": Row(),
}  # fmt: skip
SAME_LAYOUT = ("02", "03", "05", "06", "11", "17", "19", "21", "23", "26")


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.txt")) if FOLDER.is_dir() else []


def output(number: str) -> tuple[MqscOutput, list[str]]:
    captures = list(FOLDER.glob(f"{number}-*.txt"))
    if not captures:
        pytest.skip("no corpus of runmqsc output (MQTRIAGE_CORPUS)")
    text = captures[0].read_text("utf-8")
    return read_output(text), text.splitlines()


def test_every_file_has_a_row() -> None:
    if not files():
        pytest.skip("no corpus of runmqsc output (MQTRIAGE_CORPUS)")
    assert [path.name[:2] for path in files()] == sorted(ROWS)


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.name[:30]))
def test_every_record_and_message_is_read(path: Path) -> None:
    row = ROWS[path.name[:2]]
    read = read_output(path.read_text("utf-8"))
    assert tuple(len(record.cells) for record in read.records) == row.cells
    titles = {record.line - 1 for record in read.records}
    others = tuple(message.id for message in read.messages if message.line not in titles)
    assert others == row.messages
    assert tuple(read.unread) == row.unread


@pytest.mark.parametrize("number", SAME_LAYOUT)
def test_our_layout_of_the_same_cells_is_the_captured_one(number: str) -> None:
    read, lines = output(number)
    for record in read.records:
        ours = list(layout(cell_text(*cell) for cell in record.cells))
        there = lines[record.line - 1 : record.line - 1 + len(ours)]
        assert ours == [line.rstrip() for line in there]


def test_display_qmgr_from_values_is_the_captured_listing() -> None:
    read, lines = output("02")
    (record,) = read.records
    displayed = displayed_object(record)
    assert displayed is not None
    assert (displayed.kind, displayed.name) == ("QMGR", "QM1")
    assert displayed.attributes["MAXMSGL"] == 4_194_304
    assert displayed.attributes["SYNCPT"] == "YES"
    assert displayed.attributes["DEFXMITQ"] == ""
    start = read.records[0].line - 1
    ours = object_lines(displayed.kind, displayed.name, displayed.attributes)
    assert ours == lines[start : start + len(ours)]
    assert lines[start + len(ours)] == "One MQSC command read."


def test_counts_and_queue_manager_are_read() -> None:
    read, _ = output("02")
    assert read.queue_manager == "QM1"
    assert (read.commands_read, read.syntax_errors, read.not_processed) == (1, 0, 0)


def test_a_zos_command_that_failed_is_not_taken_for_done() -> None:
    read, _ = output("31")
    (reply,) = [reply for reply in read.replies if reply.command]
    assert reply.command.splitlines()[0] == "DEFINE QL(CDCI.BOOKMARK) +"
    assert len(reply.command.splitlines()) == 3
    assert read.not_processed == 1
    assert "E" in {message.severity for message in reply.messages}


def test_a_garbled_line_gives_no_count() -> None:
    read, _ = output("29")
    assert read.commands_read is None


def test_what_was_typed_and_its_echo_are_one_command() -> None:
    read, _ = output("11")
    assert [(reply.number, reply.command) for reply in read.replies] == [
        (1, "dis q(X*)"),
        (2, "dis ql(X*)"),
        (3, "dis qs(X*)"),
        (4, "dis qs(X0)"),
    ]


def test_values_keep_their_parentheses_blanks_and_commas() -> None:
    channel, _ = output("06")
    assert channel.records[0].get("LOCLADDR") == "9.30.219.53(1415)"
    assert channel.records[0].get("CURRENT") == ""
    assert channel.records[0].get("COMPRATE") == "0,0"
    connection, _ = output("20")
    assert connection.records[0].get("EXTURID") == "XA_FORMATID[] XA_GTRID[] XA_BQUAL[]"
    status, _ = output("14")
    assert status.records[0].get("QTIME") == "281796, 359344"
    rules, _ = output("05")
    assert rules.records[5].get("USERLIST") == "*MQADMIN"


def test_identical_records_are_not_merged() -> None:
    read, _ = output("19")
    assert read.records[0].cells == read.records[1].cells


def test_queue_names_and_depths_come_out_as_values() -> None:
    read, _ = output("23")
    displayed = displayed_object(read.records[0])
    assert displayed is not None
    assert (displayed.kind, displayed.name, displayed.attributes) == (
        "QLOCAL",
        "QUEUE1",
        {"CURDEPTH": 1},
    )
