"""Reading lines of DISPLAY output, also those where the parentheses do not tell."""

from __future__ import annotations

import pytest

from mqtriage.mq.mqsc.layout import banner, echo, footer
from mqtriage.mq.mqsc.output import Cell, displayed_object, read_cells, read_output
from tests.support.displayed import object_lines


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        pytest.param("   SHARE", [("SHARE", None)], id="bare"),
        pytest.param(
            "   QUEUE(A)                                TYPE(QLOCAL)",
            [("QUEUE", "A"), ("TYPE", "QLOCAL")],
            id="two",
        ),
        pytest.param(
            "   BOQNAME( )     SHARE", [("BOQNAME", " "), ("SHARE", None)], id="blank-and-bare"
        ),
        pytest.param("   CONNAME(h(1414))", [("CONNAME", "h(1414)")], id="nested"),
        pytest.param("   DESCR(open ( only)", [("DESCR", "open ( only")], id="open-only"),
        pytest.param("   DESCR(happy :) text)", [("DESCR", "happy :) text")], id="smiley"),
        pytest.param(
            "   DESCR(open ( only)                      DISTL(NO)",
            [("DESCR", "open ( only"), ("DISTL", "NO")],
            id="open-on-the-left",
        ),
        pytest.param(
            "   DESCR(a :) b)                           DISTL(NO)",
            [("DESCR", "a :) b"), ("DISTL", "NO")],
            id="smiley-on-the-left",
        ),
        pytest.param("TOPIC(A)      TYPE(LOCAL)", [("TOPIC", "A"), ("TYPE", "LOCAL")], id="docs"),
        pytest.param("AMQ8409I: Display Queue details.", None, id="message"),
        pytest.param("some prose", None, id="prose"),
        pytest.param("   QUEUE(never closed", None, id="never-closed"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_line_is_cut_into_cells(line: str, cells: list[tuple[str, str | None]] | None) -> None:
    parsed = read_cells(line)
    assert parsed == (None if cells is None else [Cell(*cell) for cell in cells])


SESSION = """\
5724-H72 (C) Copyright IBM Corp. 1994, 2025.
Starting MQSC for queue manager QM1.


     1 : DEFINE QLOCAL(A) +
       :   BOQUEUE(B)
AMQ8405I: Syntax error detected at or near end of command segment below:-
DEFINE QLOCAL(A) BOQUEUE

     2 : DISPLAY QLOCAL(A) BOQNAME SHARE TRIGGER
AMQ8409I: Display Queue details.
   QUEUE(A)                                TYPE(QLOCAL)
   BOQNAME( )                              NOTRIGGER
   SHARE
     3 : DISPLAY QLOCAL(B)
AMQ8147E: IBM MQ object B not found.
3 MQSC commands read.
One command has a syntax error.
One valid MQSC command could not be processed.
"""


def test_a_session_is_read_reply_by_reply() -> None:
    read = read_output(SESSION)
    assert read.queue_manager == "QM1"
    assert [reply.number for reply in read.replies] == [1, 2, 3]
    assert read.replies[0].command == "DEFINE QLOCAL(A) +\n  BOQUEUE(B)"
    assert (read.commands_read, read.syntax_errors, read.not_processed) == (3, 1, 1)
    assert read.unread == []
    assert [message.severity for message in read.messages] == ["I", "I", "E"]


def test_the_command_segment_belongs_to_the_syntax_error() -> None:
    (message,) = read_output(SESSION).replies[0].messages
    assert message.detail == "DEFINE QLOCAL(A) BOQUEUE"


def test_switches_and_blanks_become_values() -> None:
    (record,) = read_output(SESSION).records
    displayed = displayed_object(record)
    assert displayed is not None
    assert displayed == ("QLOCAL", "A", {"BOQNAME": "", "TRIGGER": "NO", "SHARE": "YES"})


def test_queue_status_is_no_definition() -> None:
    read = read_output("AMQ8450I: Display queue status details.\n   QUEUE(A)   TYPE(QUEUE)\n")
    assert [displayed_object(record) for record in read.records] == [None]


def test_what_we_print_reads_back_the_same() -> None:
    values: dict[str, int | str] = {
        "BOQNAME": "", "BOTHRESH": 3, "CAPEXPRY": "NOLIMIT", "DESCR": "a :) b (", "SHARE": "NO",
        "TRIGGER": "YES", "MAXDEPTH": 5000,
    }  # fmt: skip
    text = "\n".join(
        [
            *banner("QM1", 2026),
            *echo(1, "DISPLAY QLOCAL(A)\n  ALL"),
            "AMQ8409I: Display Queue details.",
            *object_lines("QLOCAL", "A", values),
            *footer(1, 0, 0),
        ]
    )
    read = read_output(text)
    assert read.replies[0].command == "DISPLAY QLOCAL(A)\n  ALL"
    assert read.unread == []
    displayed = displayed_object(read.records[0])
    assert displayed is not None
    assert displayed == ("QLOCAL", "A", values)


def test_only_what_was_asked_for_is_printed_in_display_order() -> None:
    values: dict[str, int | str] = {"MAXDEPTH": 5, "CURDEPTH": 2, "BOTHRESH": 0}
    assert object_lines("QLOCAL", "A", values, {"MAXDEPTH", "CURDEPTH"}) == [
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   CURDEPTH(2)                             MAXDEPTH(5)",
    ]


@pytest.mark.parametrize("length", [39, 40, 41, 60])
def test_a_long_cell_stands_alone(length: int) -> None:
    name = "Q" * (length - len("QUEUE()"))
    assert object_lines("QLOCAL", name, {"BOTHRESH": 0}) == [
        f"   QUEUE({name})",
        "   TYPE(QLOCAL)                            BOTHRESH(0)",
    ]


def test_a_cell_of_37_characters_has_a_neighbour() -> None:
    name = "Q" * (37 - len("QUEUE()"))
    assert object_lines("QLOCAL", name, {}) == [f"   QUEUE({name})   TYPE(QLOCAL)"]


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        (
            (1, 0, 0),
            [
                "One MQSC command read.",
                "No commands have a syntax error.",
                "All valid MQSC commands were processed.",
            ],
        ),
        (
            (12, 1, 2),
            [
                "12 MQSC commands read.",
                "One command has a syntax error.",
                "2 valid MQSC commands could not be processed.",
            ],
        ),
        (
            (0, 2, 1),
            [
                "No MQSC commands read.",
                "2 commands have a syntax error.",
                "One valid MQSC command could not be processed.",
            ],
        ),
    ],
)
def test_the_counts_are_in_words_up_to_one(counts: tuple[int, int, int], lines: list[str]) -> None:
    assert footer(*counts) == lines


def test_an_echo_is_numbered_in_six_columns() -> None:
    assert echo(7, "DISPLAY QMGR") == ["     7 : DISPLAY QMGR"]


@pytest.mark.parametrize("text", ["", "\x00\xff" * 100, "(" * 5000, "   A(" * 2000, "A" * 100_000])
def test_anything_can_be_read(text: str) -> None:
    assert read_output(text).records == []
