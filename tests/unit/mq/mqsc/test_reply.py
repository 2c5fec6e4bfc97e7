"""What a command server's answer looks like."""

from __future__ import annotations

import pytest

from mqtriage.mq.mqsc.check import validate
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import (
    CommandEnding,
    done,
    done_on_zos,
    lines_of,
    message,
    not_emulated,
    segment,
    syntax_error,
)


def test_a_message_has_its_number_its_letter_and_the_name_of_its_object() -> None:
    assert message(8147, name="A.B")[:2] == ("AMQ8147E", "IBM MQ object A.B not found.")
    assert message(8147)[:2] == ("AMQ8147E", "IBM MQ object not found.")
    assert message(8006, name="A")[:2] == ("AMQ8006I", "IBM MQ queue created.")


def test_the_lines_of_an_answer() -> None:
    assert list(lines_of(done(8006))) == ["AMQ8006I: IBM MQ queue created."]
    assert list(lines_of(done_on_zos("CSQMMVQL", "MOVE QLOCAL"))) == [
        "CSQ9022I: CSQMMVQL ' MOVE QLOCAL' NORMAL COMPLETION"
    ]
    assert list(lines_of(not_emulated("START LISTENER"))) == ["not emulated: START LISTENER"]
    (text,) = lines_of(not_emulated("DISPLAY ENTAUTH"))
    assert text.startswith("not emulated: DISPLAY ENTAUTH; 'mqtriage doctor QUEUE' ")


def test_objects_stand_below_their_message_in_two_columns() -> None:
    reply_line = message(8409)._replace(cells=("QUEUE(A)", "TYPE(QLOCAL)", "SHARE"))
    assert list(lines_of(done(8409)._replace(lines=(reply_line,)))) == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   SHARE",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("define ql(a) boqueue(b) get(enabled)\n", "define ql(a) boqueue(b)", id="one"),
        pytest.param(
            "* c\ndefine ql(a) +\n  maxdepth(1) +\n  maxmsgl(x) +\n put(enabled)\n",
            "define ql(a) maxdepth(1) maxmsgl(x)",
            id="continued",
        ),
        pytest.param("dis ql(a); alter ql(b) foo(1)\n", "alter ql(b) foo(1)", id="semicolon"),
    ],
)
def test_the_segment_ends_with_the_word_that_is_wrong(text: str, expected: str) -> None:
    script = parse(text)
    command = script.commands[-1]
    (finding,) = validate(command)
    assert segment(script, command, finding) == expected
    reply = syntax_error(script, command, finding)
    assert reply.ending is CommandEnding.SYNTAX_ERROR
    assert reply.lines[0].text.endswith("command segment below:-")
    assert reply.lines[0].below == (expected,)


def test_the_segment_of_a_line_of_a_megabyte_is_short_and_quick() -> None:
    text = "DEFINE QLOCAL(A) DESCR('" + "x" * 1_000_000 + "\n"
    script = parse(text)
    (command,) = script.commands
    assert command.error is not None
    assert len(segment(script, command, command.error)) <= 1000


@pytest.mark.parametrize(
    ("number", "id_", "word"),
    [(8021, "AMQ8021I", "start"), (8706, "AMQ8706I", "stop"), (8018, "AMQ8018I", "Start"),
     (8019, "AMQ8019I", "Stop"), (8077, "AMQ8077W", "insufficient authority"),
     (8135, "AMQ8135E", "Not authorized"), (8147, "AMQ8147E", "not found"),
     (8150, "AMQ8150E", "already exists")],
)  # fmt: skip
def test_a_message_has_ibms_severity_and_says_what_it_is_for(
    number: int, id_: str, word: str
) -> None:
    line = message(number)
    assert line.id == id_
    assert word in line.text
