"""Which MQSC commands the emulator runs, and what it says of the others."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin.mqsc_commands import CommandOutcome, Result, run
from mqtriage.mq import cmqc
from mqtriage.mq.mqsc.parse import parse
from tests.unit.emulator.conftest import Lab, message


def answers(lab: Lab, text: str) -> list[CommandOutcome]:
    return list(run(lab.mq.connection, parse(text, file="s.mqsc")))


def test_each_command_is_one_answer_at_its_place(lab: Lab) -> None:
    outcomes = answers(lab, "* comment\n\nDEFINE QLOCAL(A)\n  ALTER QLOCAL(A) PUT(DISABLED)\n")
    assert [(a.line, a.column, a.command, a.result) for a in outcomes] == [
        (3, 1, "DEFINE QLOCAL(A)", Result.CREATED),
        (4, 3, "ALTER QLOCAL(A)", Result.CHANGED),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SET POLICY(A) SIGNALG(NONE)", "SET POLICY"),
        ("SET LOG ARCHIVED(A)", "SET LOG"),
        ("START LISTENER(L)", "START LISTENER"),
    ],
)
def test_what_is_not_emulated_is_named_with_file_and_line(lab: Lab, text: str, shown: str) -> None:
    (answer,) = answers(lab, text)
    assert str(answer) == f"not emulated yet: {shown} at s.mqsc:1"


@pytest.mark.parametrize("text", ["DELETE QLOCAL(A)", "CLEAR QLOCAL(A)", "DISPLAY QLOCAL(A)"])
def test_what_is_no_definition_is_left_out_and_named(lab: Lab, text: str) -> None:
    lab.local("A")
    (answer,) = answers(lab, text)
    assert str(answer) == f"left out, no definition: {text[:-3]} at s.mqsc:1"
    assert "A" in lab.mq.manager.queues


@pytest.mark.parametrize(
    "text",
    [
        "DEFINE QREMOTE(N) RNAME(X) RQMNAME(Y)",
        "DEFINE QMODEL(N)",
        "DEFINE TOPIC(N) TOPICSTR('n')",
        "SET AUTHREC PROFILE(N) OBJTYPE(QUEUE) GROUP('g') AUTHADD(PUT)",
    ],
)
def test_other_kinds_of_definition_are_carried_out(lab: Lab, text: str) -> None:
    (answer,) = answers(lab, text)
    assert answer.result in (Result.CREATED, Result.CHANGED)


def test_a_wrong_value_is_told_with_line_and_column_of_the_attribute(lab: Lab) -> None:
    (answer,) = answers(lab, "DEFINE QLOCAL(A) +\n    MAXDEPTH(-1)\n")
    assert answer.result is Result.FAILED
    assert str(answer).startswith("s.mqsc:2:5: DEFINE QLOCAL(A): failed: ")
    assert "A" not in lab.mq.manager.queues


def test_what_the_queue_manager_refuses_is_told_at_the_command(lab: Lab) -> None:
    (answer,) = answers(lab, "ALTER QLOCAL(NOPE) PUT(DISABLED)")
    assert (answer.result, answer.line, answer.column) == (Result.FAILED, 1, 1)
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in answer.text


def test_like_of_another_type_or_of_nothing_is_refused(lab: Lab) -> None:
    outcomes = answers(
        lab, "DEFINE QALIAS(X) TARGET(Y)\nDEFINE QLOCAL(A) LIKE(X)\nDEFINE QLOCAL(B) LIKE(NOPE)\n"
    )
    assert ["2057" in a.text or "2085" in a.text for a in outcomes] == [False, True, True]
    assert {"A", "B"}.isdisjoint(lab.mq.manager.queues)


def test_replace_keeps_the_creation_date_and_the_messages(lab: Lab) -> None:
    lab.advance(60)  # so that the default queue, which A is reset from, has another date
    handle = lab.local("A", MAXDEPTH=5)
    created = lab.mq.queue("A").attributes["CRTIME"]
    handle.put(message(), b"x")
    lab.advance(3600)
    (answer,) = answers(lab, "DEFINE QLOCAL(A) REPLACE")
    after = lab.mq.queue("A").attributes
    assert answer.result is Result.REPLACED
    assert after["MAXDEPTH"] == 5000
    assert after["CRTIME"] == created
    assert after["ALTTIME"] != created
    assert lab.depth("A") == 1


@pytest.mark.parametrize(
    ("asked", "options", "why"),
    [
        ("NOSHARE", cmqc.MQOO_INPUT_SHARED, "NOSHARE of a queue that is open for input (1)"),
        ("USAGE(XMITQ)", cmqc.MQOO_OUTPUT, "USAGE(XMITQ) of a queue that is open (1)"),
        ("NOSHARE", cmqc.MQOO_OUTPUT, ""),
        ("MAXDEPTH(7)", cmqc.MQOO_INPUT_SHARED, ""),
    ],
)
def test_replace_is_an_alter_without_force_to_a_queue_in_use(
    lab: Lab, asked: str, options: int, why: str
) -> None:
    """3210, and nothing is changed; when it is no longer in use, it is."""
    lab.mq.define("QLOCAL", "A", {"DESCR": "before"})
    handle = lab.connect().open("A", options)
    (answer,) = answers(lab, f"DEFINE QLOCAL(A) REPLACE {asked}")
    assert answer.result is (Result.FAILED if why else Result.REPLACED)
    if why:
        assert f"MQRCCF_OBJECT_OPEN_FORCE (3210): {why} needs FORCE" in answer.text
        assert lab.mq.queue("A").attributes["DESCR"] == "before"
    handle.close()
    (answer,) = answers(lab, f"DEFINE QLOCAL(A) REPLACE {asked}")
    assert answer.result is Result.REPLACED


def test_replace_cannot_turn_an_alias_into_a_local_queue(lab: Lab) -> None:
    outcomes = answers(lab, "DEFINE QALIAS(A) TARGET(B)\nDEFINE QLOCAL(A) REPLACE\n")
    assert "2057" in outcomes[1].text
    assert lab.mq.queue("A").kind == "QALIAS"


def test_an_unreadable_command_shows_its_first_words(lab: Lab) -> None:
    (answer,) = answers(lab, "MAKE ME A QUEUE " + "PLEASE " * 20)
    assert answer.result is Result.FAILED
    assert answer.command == "MAKE ME A QUEUE PLEASE PLEASE PLEASE PLE..."
