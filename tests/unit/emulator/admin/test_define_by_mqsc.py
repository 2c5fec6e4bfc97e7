"""What DEFINE and ALTER of a script do, and what is said of those that fail."""

from __future__ import annotations

import pytest

from mqtriage.emulator.admin.mqsc_server import execute, run_script
from mqtriage.mq import cmqc
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply
from tests.unit.emulator.conftest import Lab, message


def answers(lab: Lab, text: str) -> list[Reply]:
    script = parse(text, file="s.mqsc")
    return [execute(lab.mq.connection, script, command) for command in script.commands]


@pytest.mark.parametrize("text", ["SET POLICY(A) SIGNALG(NONE)", "SET LOG ARCHIVED(A)"])
def test_what_is_not_emulated_is_said_so(lab: Lab, text: str) -> None:
    (answer,) = answers(lab, text)
    assert answer.ending is CommandEnding.NOT_EMULATED
    assert answer.problem == f"not emulated: {text.partition('(')[0].removesuffix(' ARCHIVED')}"


def test_a_script_runs_as_far_as_end_and_names_what_failed(lab: Lab) -> None:
    script = parse("DEFINE QLOCAL(A)\nALTER QLOCAL(X) GET(DISABLED)\nEND\nDEFINE QLOCAL(B)\n")
    (problem,) = run_script(lab.mq.connection, script)
    assert problem.startswith("<mqsc>:2: ")
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in problem
    assert {"A", "B"} & set(lab.mq.manager.queues) == {"A"}


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
    assert answer.ending is CommandEnding.DONE


def test_a_wrong_value_is_told_with_line_and_column_of_the_attribute(lab: Lab) -> None:
    (answer,) = answers(lab, "DEFINE QLOCAL(A) +\n    MAXDEPTH(-1)\n")
    assert answer.ending is not CommandEnding.DONE
    assert answer.problem.startswith("s.mqsc:2:5: ")
    assert "A" not in lab.mq.manager.queues


def test_what_the_queue_manager_refuses_is_told_at_the_command(lab: Lab) -> None:
    (answer,) = answers(lab, "ALTER QLOCAL(NOPE) PUT(DISABLED)")
    assert answer.ending is CommandEnding.FAILED
    assert "s.mqsc:1: " in answer.why
    assert "MQRC_UNKNOWN_OBJECT_NAME (2085)" in answer.why


def test_like_of_another_type_or_of_nothing_is_refused(lab: Lab) -> None:
    outcomes = answers(
        lab, "DEFINE QALIAS(X) TARGET(Y)\nDEFINE QLOCAL(A) LIKE(X)\nDEFINE QLOCAL(B) LIKE(NOPE)\n"
    )
    assert ["2057" in a.why or "2085" in a.why for a in outcomes] == [False, True, True]
    assert {"A", "B"}.isdisjoint(lab.mq.manager.queues)


def test_replace_keeps_the_creation_date_and_the_messages(lab: Lab) -> None:
    lab.advance(60)  # so that the default queue, which A is reset from, has another date
    handle = lab.local("A", MAXDEPTH=5)
    created = lab.mq.queue("A").attributes["CRTIME"]
    handle.put(message(), b"x")
    lab.advance(3600)
    (answer,) = answers(lab, "DEFINE QLOCAL(A) REPLACE")
    after = lab.mq.queue("A").attributes
    assert answer.ending is CommandEnding.DONE
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
    assert answer.ending is (CommandEnding.FAILED if why else CommandEnding.DONE)
    if why:
        assert f"MQRCCF_OBJECT_OPEN_FORCE (3210): {why} needs FORCE" in answer.why
        assert lab.mq.queue("A").attributes["DESCR"] == "before"
    handle.close()
    (answer,) = answers(lab, f"DEFINE QLOCAL(A) REPLACE {asked}")
    assert answer.ending is CommandEnding.DONE


def test_replace_cannot_turn_an_alias_into_a_local_queue(lab: Lab) -> None:
    outcomes = answers(lab, "DEFINE QALIAS(A) TARGET(B)\nDEFINE QLOCAL(A) REPLACE\n")
    assert "2057" in outcomes[1].why
    assert lab.mq.queue("A").kind == "QALIAS"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DEFINE QLOCAL(A) USAGE(XMITQ) CLUSTER(C)", "MQRCCF_CLUSTER_Q_USAGE_ERROR (3090)"),
        ("DEFINE QMODEL(A) CLCHNAME('C.*')", "MQRCCF_CLUS_XMIT_Q_USAGE_ERROR (3363)"),
        ("DEFINE QLOCAL(A) CLUSNL(N)\nALTER QLOCAL(A) USAGE(XMITQ)", "(3090)"),
        ("DEFINE QLOCAL(A)\nALTER QLOCAL(A) CLCHNAME('C.*')", "(3363)"),
        ("DEFINE QLOCAL(A) USAGE(XMITQ) CLCHNAME('C.*')\nALTER QLOCAL(A) CLUSTER(' ')", ""),
        ("DEFINE QLOCAL(A) CLUSTER(C)\nALTER QLOCAL(A) CLUSTER(' ') USAGE(XMITQ)", ""),
    ],
)
def test_usage_excludes_clusters_or_their_channels(lab: Lab, text: str, reason: str) -> None:
    *before, last = answers(lab, text)
    assert all(answer.ending is CommandEnding.DONE for answer in before)
    assert last.ending is (CommandEnding.FAILED if reason else CommandEnding.DONE)
    assert reason in last.why
