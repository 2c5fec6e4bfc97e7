"""`dlq requeue` and `dlq purge`: dead letters back to where they were meant to go, or away."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from mqtriage.formatters import progress
from mqtriage.mq.deadletter import dead_letter_header
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import dlh
from mqtriage.operations.engine.act_context import Pace, Progress
from tests.acceptance.messages.estate import Estate, hex_of


@pytest.fixture
def dead(estate: Estate) -> Estate:
    """A dead-letter queue, and on it messages for IN, OUT, another queue manager, no queue."""
    estate.queue("DLQ")
    estate.alter("QM1", DEADQ="DLQ")
    return estate


def dead_letter(
    estate: Estate, body: bytes, queue: str, manager: str = "QM1", reason: int = 2053
) -> bytes:
    """Put a message as a queue manager does that could not deliver it."""
    md = MQMD(format="MQSTR", ccsid=819, encoding=273, persistence=1)
    header = dlh.encode(
        dead_letter_header(
            md, reason, queue=queue, queue_manager=manager, put_date="20260131", put_time="10000000"
        )
    )
    fields = {"format": "MQDEAD", "ccsid": 1208}
    return estate.put("DLQ", header + body, **fields)[0]


def test_each_dead_letter_goes_to_its_destination_without_the_header(dead: Estate) -> None:
    ids = [
        dead_letter(dead, b"1", "IN"),
        dead_letter(dead, b"2", "OUT"),
        dead_letter(dead, b"3", "IN"),
    ]
    ran = dead.run("dlq", "requeue", "--yes", "-o", "json")
    assert ran.code == 0
    assert ran.json["details"]["destinations"] == {"IN": 2, "OUT": 1}
    assert (dead.bodies("IN"), dead.bodies("OUT"), dead.bodies("DLQ")) == ([b"1", b"3"], [b"2"], [])
    for message in dead.messages("IN"):
        assert (message.md.format, message.md.ccsid, message.md.encoding) == ("MQSTR", 819, 273)
    assert [message.md.msg_id for message in dead.messages("OUT")] == ids[1:2]


def test_a_plan_of_several_targets_names_those_that_shorten_lives(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    dead_letter(dead, b"2", "OUT")
    dead.alter("OUT", CAPEXPRY=600)
    notes = dead.run("dlq", "requeue", "-n", "-o", "json").json["item"]["notes"]
    assert [note.partition(":")[0] for note in notes if "CAPEXPRY" in note] == [
        "OUT has CAPEXPRY(600)"
    ]


def hinted(err: str) -> list[str]:
    """The words of the command that a hint begins with, up to what it does."""
    line = err.rpartition("hint: mqtriage ")[2]
    return shlex.split(re.split(" handles | takes ", line)[0])


@pytest.mark.parametrize("given", [(), ("--where", "backout = 0", "--where=backout = 1")])
def test_where_some_destinations_refuse_the_hint_requeues_the_others(
    dead: Estate, given: tuple[str, ...]
) -> None:
    dead.queue("FULL", MAXDEPTH=2)
    for queue in ("OUT", "FULL", "FULL", "FULL", "IN", "IN", "IN"):
        dead_letter(dead, b"1", queue)
    dead.alter("OUT", PUT="DISABLED")
    ran = dead.run("dlq", "requeue", *given, "-n")
    assert ran.code == 8
    assert "OUT has PUT(DISABLED); FULL has room for 2 of 3 messages" in ran.err
    assert "to enable it again: mqtriage queue set OUT PUT=ENABLED; " in ran.err
    assert ran.err.endswith("; mqtriage queue set FULL MAXDEPTH=3\n")
    assert dead.run(*hinted(ran.err), "--yes").code == 0
    assert (len(dead.bodies("IN")), len(dead.bodies("DLQ"))) == (3, 4)
    ran = dead.run("dlq", "requeue", *given, "-n")
    assert " --dest FULL --limit 2 takes as many as fit there; for all: " in ran.err
    assert dead.run(*hinted(ran.err), "--yes").code == 0
    assert (len(dead.bodies("FULL")), len(dead.bodies("DLQ"))) == (2, 2)


def test_the_hint_of_one_target_without_room_for_all_is_the_whole_command(estate: Estate) -> None:
    estate.alter("OUT", MAXDEPTH=1)
    estate.put("IN", b"1", b"2")
    ran = estate.run("msg", "move", "IN", "--to", "OUT", "--limit", "2", "-n")
    assert (
        "hint: mqtriage msg move IN --to OUT --limit 1 takes as many as fit;"
        " for all: mqtriage queue set OUT MAXDEPTH=2\n"
    ) in ran.err
    assert estate.run(*hinted(ran.err), "--yes").code == 0
    assert (estate.bodies("IN"), estate.bodies("OUT")) == ([b"2"], [b"1"])


def test_the_hint_of_a_limit_expects_the_number_that_then_goes(dead: Estate) -> None:
    dead.queue("FULL", MAXDEPTH=2)
    for _ in range(3):
        dead_letter(dead, b"1", "FULL")
    ran = dead.run("dlq", "requeue", "--expect", "3", "--yes")
    assert (
        "hint: mqtriage dlq requeue --yes --dest FULL --limit 2 --expect 2 takes as many as fit"
        " there;"
    ) in ran.err
    assert dead.run(*hinted(ran.err)).code == 0
    assert len(dead.bodies("FULL")) == 2


def test_a_plan_file_of_several_targets_needs_room_since_a_limit_counts_all_of_them(
    dead: Estate,
) -> None:
    path = str(dead.folder / "requeue.plan")
    for queue in ("OUT", "OUT", "IN"):
        dead_letter(dead, b"1", queue)
    assert dead.run("dlq", "requeue", "--plan", path).code == 0
    dead.alter("OUT", MAXDEPTH=1)
    ran = dead.run("apply", path, "--yes")
    assert (ran.code, "--limit" in ran.err) == (8, False)
    assert ran.err.endswith("hint: mqtriage queue set -m QM1 OUT MAXDEPTH=2\n")


def test_what_has_nowhere_to_go_stays_and_is_told(dead: Estate) -> None:
    elsewhere = dead_letter(dead, b"1", "IN", "QM9")
    unknown = dead_letter(dead, b"2", "NO.SUCH")
    (bare,) = dead.put("DLQ", b"no header")
    dead_letter(dead, b"3", "OUT")
    ran = dead.run("dlq", "requeue", "--yes", "-o", "json")
    assert ran.code == 3
    reasons = {item["msg_id"]: item["reason"] for item in ran.json["items"] if item["reason"]}
    assert "on QM9, not here" in reasons[hex_of(elsewhere)]
    assert "2085" in reasons[hex_of(unknown)]
    assert reasons[hex_of(bare)] == "no MQDLH"
    assert len(dead.messages("DLQ")) == 3
    assert dead.bodies("OUT") == [b"3"]
    again = dead.run("dlq", "requeue", "--yes")
    assert (again.code, "no destination, no move" in again.err) == (8, True)


@pytest.mark.parametrize("more", ["-n", "--yes"])
def test_without_any_destination_each_missing_queue_is_named_with_its_number(
    dead: Estate, more: str
) -> None:
    for number in range(3):
        for _ in range(number + 1):
            dead_letter(dead, b"1", f"GONE{number}")
    ran = dead.run("dlq", "requeue", more)
    error = re.search("^error: .*", ran.err, re.MULTILINE)
    assert ran.code == 8
    assert error is not None
    for number in range(3):
        assert f"{number + 1} of 6: inquire GONE{number}: " in error[0]
    for number in range(3, 5):
        dead_letter(dead, b"1", f"GONE{number}")
    assert "; and 2 more reasons\n" in dead.run("dlq", "requeue", more).err


def test_a_hint_at_many_destinations_says_once_what_each_command_is_for(dead: Estate) -> None:
    dead.queue("FULL", MAXDEPTH=1)
    dead.put("FULL", b"x")
    for number in range(4):
        dead.queue(f"SHUT{number}", PUT="DISABLED")
    for queue in ("SHUT0", "FULL", "SHUT1", "SHUT2", "SHUT3", "OUT"):
        dead_letter(dead, b"1", queue)
    hint = dead.run("dlq", "requeue", "--yes").err.partition("hint: ")[2]
    assert (
        "for all: somebody may have disabled it on purpose; to enable it again: mqtriage queue set"
        " SHUT0 PUT=ENABLED; mqtriage queue set SHUT1 PUT=ENABLED; mqtriage queue set FULL"
        " MAXDEPTH=2; and 2 more such commands\n"
    ) in hint


def test_where_no_destination_has_room_the_hint_says_how_many_commands_are_needed(
    dead: Estate,
) -> None:
    for number in range(5):
        dead.queue(f"FULL{number}", MAXDEPTH=1)
        dead.put(f"FULL{number}", b"x")
        dead_letter(dead, b"1", f"FULL{number}")
    ran = dead.run("dlq", "requeue", "--yes")
    sets = [f"mqtriage queue set FULL{number} MAXDEPTH=2" for number in range(3)]
    assert ran.err.endswith(f"hint: {'; '.join(sets)}; and 2 more such commands\n")


def test_a_plan_says_how_to_move_those_whose_destination_is_not_there(dead: Estate) -> None:
    for name in ("NO.SUCH", "IN", "$(gone)", "NO.SUCH"):
        dead_letter(dead, name.encode(), name)
    ran = dead.run("dlq", "requeue", "-n")
    (line,) = re.findall(r"for the 3 that cannot go to .*: mqtriage (.*)\n", ran.out)
    assert line == "dlq requeue DLQ --dest NO.SUCH --dest '$(gone)' --to QUEUE"
    assert dead.run(*shlex.split(line.replace("QUEUE", "OUT")), "--yes").code == 0
    assert dead.bodies("OUT") == [b"NO.SUCH", b"$(gone)", b"NO.SUCH"]
    assert "cannot go" not in dead.run("dlq", "requeue", "-n").out
    for number in range(5):
        dead_letter(dead, b"", f"GONE{number}")
    assert "--dest GONE2 --to QUEUE; 2 more destinations" in dead.run("dlq", "requeue", "-n").out


def test_replies_to_temporary_queues_that_are_gone_are_for_no_other_queue(dead: Estate) -> None:
    names = ("AMQ.66A1B2C3D4E5F601", "AMQ.66A1B2C3D4E5F602")
    for name in names:
        dead_letter(dead, name.encode(), name, reason=2085)
    ran = dead.run("dlq", "requeue", "--yes")
    assert "temporary dynamic queues that are gone" in ran.err
    assert "--to QUEUE" not in ran.err
    dead_letter(dead, b"here", "IN", reason=2085)
    dead_letter(dead, b"other", "NO.SUCH", reason=2085)
    ran = dead.run("dlq", "requeue", "-n")
    assert "for the 1 that cannot go" in ran.out
    (line,) = re.findall(r"2 messages for temporary dynamic .*: mqtriage (.*) removes", ran.out)
    assert line == "dlq purge DLQ --dest 'AMQ.*' --reason MQRC_UNKNOWN_OBJECT_NAME"
    dead_letter(dead, b"full", names[0], reason=2053)
    assert "removes" not in dead.run("dlq", "requeue", "-n").out  # it would remove that, too
    assert (
        dead.run("dlq", "purge", "DLQ", "--reason", "2053", "--yes", "--confirm", "DLQ").code == 0
    )
    assert dead.run(*shlex.split(line), "--yes").code == 0
    assert len(dead.messages("DLQ")) == 2


def test_the_command_for_those_whose_destination_is_not_there_moves_no_others(dead: Estate) -> None:
    for text in ("old", "new"):
        dead_letter(dead, text.encode(), "GONE")
    dead_letter(dead, b"here", "IN")
    ran = dead.run("dlq", "requeue", "--where", "body != 'old'", "--priority", ">=0", "-n")
    (line,) = re.findall(r"for the 1 that cannot go to .*: mqtriage (.*)\n", ran.out)
    assert "--where" in line
    for words in (("--limit", "2"), ("--skip", "1"), ("--selector", "JMSPriority >= 0")):
        assert "cannot go" not in dead.run("dlq", "requeue", *words, "-n").out
    assert dead.run(*shlex.split(line.replace("QUEUE", "OUT")), "--yes").code == 0
    assert dead.bodies("OUT") == [b"new"]


def test_all_of_it_is_one_operation_and_can_be_undone(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    dead_letter(dead, b"2", "OUT")
    before = [(message.md, message.body) for message in dead.messages("DLQ")]
    assert dead.run("dlq", "requeue", "--yes").code == 0
    assert len(dead.run("journal", "ls", "-o", "json").json["items"]) == 1
    assert dead.run("journal", "undo", "--yes").code == 0
    assert [(message.md, message.body) for message in dead.messages("DLQ")] == before
    assert dead.bodies("IN") == dead.bodies("OUT") == []


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    """The progress that acts showed."""
    steps: list[Progress] = []

    @contextmanager
    def collecting(*_: object, **__: object) -> Iterator[Callable[[Progress], None]]:
        yield steps.append

    monkeypatch.setattr(progress, "progress_on", collecting)
    return steps


def for_three_queues(dead: Estate) -> None:
    """Two dead letters for each of three destinations, and one for a queue that is not there."""
    dead.queue("THIRD")
    for number in range(6):
        dead_letter(dead, b"%d" % number, ("IN", "OUT", "THIRD")[number % 3])
    dead_letter(dead, b"lost", "NO.SUCH")


_SIX_OF_SIX = [Progress(reached, 6, 0) for reached in (1, 2, 3, 4, 5, 6)]


def test_progress_is_that_of_all_destinations_together(dead: Estate, shown: list[Progress]) -> None:
    for_three_queues(dead)
    assert dead.run("dlq", "requeue", "--batch", "1", "--yes").code == 3
    assert [step for step in shown if step.planned] == _SIX_OF_SIX


def test_progress_of_a_plan_file_is_that_of_all_destinations(
    dead: Estate, shown: list[Progress]
) -> None:
    for_three_queues(dead)
    path = str(dead.folder / "a.plan")
    assert dead.run("dlq", "requeue", "--batch", "1", "--plan", path).code == 0
    assert dead.run("apply", path, "--yes").code == 0
    assert [step for step in shown if step.planned] == _SIX_OF_SIX


def test_progress_of_an_undo_is_that_of_all_queues(dead: Estate, shown: list[Progress]) -> None:
    for_three_queues(dead)
    assert dead.run("dlq", "requeue", "--yes").code == 3
    shown.clear()
    assert dead.run("journal", "undo", "--batch", "1", "--yes").code == 0
    assert [step for step in shown if step.planned] == _SIX_OF_SIX


@pytest.mark.slow
def test_progress_of_rules_includes_the_wait_for_the_next_attempt(
    dead: Estate, shown: list[Progress]
) -> None:
    dead_letter(dead, b"waits", "IN")
    for number in range(3):
        dead_letter(dead, b"%d" % number, "OUT")
    dead.alter("IN", PUT="DISABLED")
    rules = dead.folder / "dlq.rules"
    rules.write_text("RETRYINT(2)\nACTION(RETRY) RETRY(2)\n")
    assert dead.run("dlq", "run", "-f", str(rules), "--batch", "1", "--yes").code == 3
    steps = [step for step in shown if step.planned and not step.note]
    assert all(1 < step.wait_s <= 2 for step in steps[:4]), steps
    assert steps[-1].wait_s == 0


def test_progress_counts_the_failures_of_destinations_before(
    dead: Estate, shown: list[Progress]
) -> None:
    for_three_queues(dead)
    ran = dead.run(
        *("dlq", "requeue", "--batch", "1"),
        stdin="y\n",
        meanwhile=lambda: dead.alter("IN", PUT="DISABLED"),
    )
    assert ran.code == 3
    assert shown[-1] == Progress(6, 6, 2)


def test_destinations_keep_to_one_rate_together(
    dead: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_three_queues(dead)
    counted: list[tuple[Pace, int]] = []
    monkeypatch.setattr(Pace, "done", lambda pace, number: counted.append((pace, number)))
    assert dead.run("dlq", "requeue", "--rate", "1000/s", "--yes").code == 3
    assert sum(number for _, number in counted) == 6
    assert len({id(pace) for pace, _ in counted}) == 1


def test_a_requeue_to_several_destinations_says_how_many_they_are(dead: Estate) -> None:
    """`from DLQ to destination` read like the name of a queue."""
    for_three_queues(dead)
    path = str(dead.folder / "a.plan")
    assert dead.run("dlq", "requeue", "--plan", path).code == 0
    plan = "requeue 6 messages from DLQ to 3 destinations at QM1"
    assert dead.run("dlq", "requeue", "-n").out.startswith(plan)
    assert dead.run("apply", path, "-n").out.startswith(plan)
    ran = dead.run("dlq", "requeue", "--yes")
    assert ran.out.startswith("requeued 6 messages from DLQ to 3 destinations at QM1")


def test_a_requeue_of_which_all_go_to_one_queue_names_it(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    assert dead.run("dlq", "requeue", "-n").out.startswith("requeue 1 message from DLQ to IN at")
    ran = dead.run("dlq", "requeue", "--yes")
    assert ran.out.startswith("requeued 1 message from DLQ to IN at QM1")


def test_the_expected_duration_of_several_destinations_is_rounded_once(dead: Estate) -> None:
    for_three_queues(dead)
    requeue = ("dlq", "requeue", "--rate", "500/s")
    ran = dead.run(*requeue, "-n", "-o", "json")
    assert ran.json["item"]["facts"]["expected_ms"] == 1000
    path = str(dead.folder / "a.plan")
    assert dead.run(*requeue, "--plan", path).code == 0
    ran = dead.run("apply", path, "-n", "-o", "json")
    assert ran.json["item"]["facts"]["expected_ms"] == 1000


def test_one_queue_can_be_named_for_all(dead: Estate) -> None:
    dead_letter(dead, b"1", "NO.SUCH")
    assert dead.run("dlq", "requeue", "--to", "OUT", "--yes").code == 0
    assert dead.bodies("OUT") == [b"1"]


def test_to_origin_is_where_the_header_says_as_for_a_backout_queue(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    assert dead.run("dlq", "requeue", "--to", "origin", "--yes").code == 0
    assert dead.bodies("IN") == [b"1"]


def test_a_plan_file_of_several_targets_is_carried_out(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    dead_letter(dead, b"2", "OUT")
    path = str(dead.folder / "a.plan")
    assert dead.run("dlq", "requeue", "--plan", path).code == 0
    assert len(dead.bodies("DLQ")) == 2
    assert dead.run("apply", path, "--yes").code == 0
    assert (dead.bodies("IN"), dead.bodies("OUT")) == ([b"1"], [b"2"])


def test_dead_letters_are_purged_with_an_archive(dead: Estate) -> None:
    dead_letter(dead, b"1", "IN")
    assert dead.run("dlq", "purge", "--yes").code == 8  # all of it: needs the name
    assert dead.run("dlq", "purge", "--confirm", "DLQ").code == 0
    assert dead.bodies("DLQ") == []
    assert len(dead.archives()) == 1


def test_without_a_dead_letter_queue_one_must_be_named(estate: Estate) -> None:
    assert estate.run("dlq", "requeue", "--yes").code == 5
    assert estate.run("dlq", "purge", "--yes").code == 5
