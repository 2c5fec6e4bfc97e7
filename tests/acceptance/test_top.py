"""`mqtriage top` on a terminal: cursor, tabs, what is opened, and acting as the shell would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench
from tests.support.terminal import OnTerminal

UP, DOWN, ESCAPE = "\x1b[A", "\x1b[B", "\x1b"
Start = Callable[..., OnTerminal]


@pytest.fixture
def real(tmp_path: Path) -> Bench:
    """A queue manager in a context `dev`, with messages on a queue, a backout and a dead one."""
    bench = Bench(tmp_path / "home")
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("context", "add", "dev", "-m", "QM1", "--use")
    bench.define("APP.IN", "OTHER.IN")
    bench.ok("msg", "put", "APP.IN", "hello", "--count", "9", "--yes")
    return bench


@pytest.fixture
def top(real: Bench) -> Iterator[Start]:
    started: list[OnTerminal] = []

    def start(*words: str, columns: int = 80) -> OnTerminal:
        terminal = OnTerminal(
            "top", *words, "--interval", "500ms", "-q", environ=real.environ, columns=columns
        )
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.__exit__()


def left(terminal: OnTerminal) -> int | None:
    terminal.press("q")
    terminal.ended()
    return terminal.code


def test_the_heading_names_queue_manager_context_and_tabs(top: Start) -> None:
    terminal = top()
    terminal.until("[queues] delay backout dlq  QM1 (context dev)")
    terminal.until("staged")
    assert left(terminal) == 0


def test_a_key_shows_the_keys_and_any_other_goes_back(top: Start) -> None:
    terminal = top()
    terminal.until("? help")
    terminal.press("?")
    terminal.until("move the cursor")
    terminal.until("purge: shows the command before it runs")
    terminal.press("q")  # a key like any other there
    terminal.until("q quit")
    assert left(terminal) == 0


def test_enter_opens_the_messages_of_the_queue_under_the_cursor(top: Start) -> None:
    terminal = top("queues", "APP.*")
    terminal.until("\x1b[7mAPP.IN")  # in reverse
    terminal.press("\r")
    terminal.until("> APP.IN")
    terminal.until("message count 9")
    terminal.press(ESCAPE)
    terminal.until("[queues] delay backout dlq  QM1")
    assert left(terminal) == 0


def test_the_cursor_moves_and_stays_on_its_queue(real: Bench, top: Start) -> None:
    terminal = top()
    terminal.until("\x1b[7mAPP.IN")
    terminal.press(DOWN + DOWN + DOWN)
    terminal.until("\x1b[7mPAYMENTS.IN")
    terminal.press(UP + "j")
    real.ok("msg", "put", "PAYMENTS.IN", "x", "--count", "30", "--yes")
    while " 33 " not in terminal.until("\x1b[7mPAYMENTS.IN") + terminal.until("\n"):
        pass  # the deepest now, and the cursor is still on it
    terminal.press("k" * 9)
    assert left(terminal) == 0


def test_tab_and_numbers_go_to_the_other_screens(top: Start) -> None:
    terminal = top()
    terminal.until("[queues]")
    terminal.press("\t")
    terminal.until("queues [delay] backout dlq")
    terminal.until("SYSTEM.DDELAY.LOCAL.QUEUE")
    terminal.press("\r")
    terminal.until("> staged messages")
    terminal.press("4")
    terminal.until("queues delay backout [dlq]")
    terminal.until("\x1b[7mMQ")
    terminal.press("\r")
    terminal.until("> dead letters")
    terminal.press("3")
    terminal.until("queues delay [backout] dlq")
    terminal.until("BOTHRESH")
    assert left(terminal) == 0


@pytest.mark.parametrize("verb", ["delay", "backout", "dlq"])
def test_each_screen_has_a_verb(top: Start, verb: str) -> None:
    terminal = top(verb)
    terminal.until(f"[{verb}]")
    assert left(terminal) == 0


def test_a_filter_can_be_a_glob(top: Start) -> None:
    terminal = top()
    terminal.until("OTHER.IN")
    terminal.press("/*.in\r")
    terminal.until("filter *.in (")
    terminal.text = ""
    shown = terminal.until("OTHER.IN")
    shown += terminal.until("q quit")
    assert "APP.IN" in shown and "DEAD.LETTER.QUEUE" not in shown
    assert left(terminal) == 0


def test_a_filter_is_of_any_column_and_stays_on_the_next_screen(top: Start) -> None:
    terminal = top("backout")
    terminal.until("BOTHRESH")
    terminal.press("/orders.bo\r")  # the name is in BOQNAME
    terminal.until("filter orders.bo (")
    terminal.until("ORDERS.IN")
    terminal.press("1")
    terminal.until("[queues]")
    terminal.until("filter orders.bo (")
    assert left(terminal) == 0


def test_another_context_is_looked_at(real: Bench, top: Start) -> None:
    real.ok("emulator", "create", "QM2")
    real.ok("queue", "define", "ONLY.HERE", "-m", "QM2", "--yes")
    real.ok("msg", "put", "ONLY.HERE", "x", "-m", "QM2", "--yes")
    real.ok("context", "add", "other", "-m", "QM2")
    terminal = top()
    terminal.until("QM1 (context dev)")
    terminal.press(":context other\r")
    terminal.until("QM2 (context other)")
    terminal.until("ONLY.HERE")
    terminal.press(":context nosuch\r")
    terminal.until("context nosuch: ")
    terminal.until("ONLY.HERE")
    assert left(terminal) == 0


def test_a_purge_from_it_shows_plan_and_question_and_no_keeps_all(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN", columns=120)
    terminal.until("APP.IN")
    terminal.press("\r")
    terminal.until("message count 9")
    terminal.press("x")
    terminal.until("mqtriage msg purge APP.IN --msgid ")
    terminal.press("\r")
    terminal.until("purge 1 message from APP.IN at QM1 (context dev)")
    terminal.until("[y/N]")
    terminal.press("n\n")
    terminal.until("exit code 8; press Enter to go back")
    assert real.depth("APP.IN") == 9
    terminal.press("\n")
    terminal.until("q quit")
    assert left(terminal) == 0


def test_yes_does_it_and_the_screen_shows_what_is_left(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("\r")
    terminal.until("message count 9")
    terminal.press("x\r")
    terminal.until("[y/N]")
    terminal.press("y\n")
    terminal.until("purged 1 message from APP.IN")
    terminal.until("exit code 0; press Enter to go back")
    terminal.press("\n")
    terminal.until("message count 8")
    assert real.depth("APP.IN") == 8
    assert left(terminal) == 0
    (entry, *_) = real.ok("journal", "ls", "-o", "json").items
    assert (entry["action"], entry["queue"]) == ("purge", "APP.IN")


def test_what_is_typed_behind_the_command_is_part_of_it(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("m")
    terminal.until("mqtriage msg move APP.IN --to _")
    terminal.press("OTHER.IN --limit 2 --yesx\x7f\r")
    terminal.until("moved 2 messages")
    terminal.until("exit code 0")
    assert real.depth("OTHER.IN") == 2
    terminal.press("\n")
    terminal.until("q quit")
    assert left(terminal) == 0


def test_dead_letters_of_a_group_are_requeued_by_what_they_share(real: Bench, top: Start) -> None:
    terminal = top("dlq", columns=140)
    terminal.until("\x1b[7mMQ")
    terminal.press("/inhibited\rR")
    terminal.until("mqtriage dlq requeue --where \"reason = 2051 AND dest = 'ORDERS.IN'")
    terminal.press("\r")
    terminal.until("requeue 1 message from DEAD.LETTER.QUEUE to destination at QM1 (context dev)")
    terminal.press("y\n")
    terminal.until("exit code 0")
    assert real.depth("DEAD.LETTER.QUEUE") == 4
    terminal.press("\n")
    terminal.until("message count 4")  # browsed again, since the depth changed
    assert left(terminal) == 0


def test_escape_runs_nothing(real: Bench, top: Start) -> None:
    terminal = top("queues", "APP.IN")
    terminal.until("APP.IN")
    terminal.press("x")
    terminal.until("mqtriage msg purge APP.IN_")
    terminal.press(ESCAPE)
    terminal.until("q quit")
    assert left(terminal) == 0
    assert real.depth("APP.IN") == 9


def test_a_guard_of_the_context_holds_there_too(real: Bench, top: Start) -> None:
    real.ok("context", "add", "careful", "-m", "QM1", "read_only=true")
    terminal = top("queues", "APP.IN", "--context", "careful")
    terminal.until("(context careful)")
    terminal.press("x")
    terminal.until("mqtriage msg purge APP.IN_")
    terminal.press(" --confirm APP.IN\r")
    terminal.until("exit code 8; press Enter")
    assert real.depth("APP.IN") == 9
    terminal.press("\n")
    terminal.until("q quit")
    assert left(terminal) == 0


def test_a_command_that_cannot_be_read_is_one_line(top: Start) -> None:
    terminal = top()
    terminal.until("q quit")
    terminal.press(":msg 'x\r")
    terminal.until("No closing quotation")
    assert left(terminal) == 0


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("top", "nope"), 2, "no such screen: 'nope'"),
        (("top", "dela"), 2, "did you mean delay?"),
        (("top", "delay", "APP.*"), 2, "mqtriage top delay: no pattern is expected: 'APP.*'"),
        (("top", "APP.IN"), 2, "mqtriage top queues APP.IN"),
        (("top", "queues", "NOPE"), 5, "MQRC_UNKNOWN_OBJECT_NAME"),
    ],
)
def test_what_is_no_screen_is_wrong_usage(
    real: Bench, words: tuple[str, ...], code: int, text: str
) -> None:
    ran = real.run(*words)
    assert (ran.code, ran.out) == (code, "")
    assert text in ran.err


def test_without_a_verb_it_is_the_queues(real: Bench) -> None:
    kinds = {
        real.ok("top", *words, "-o", "json").json["kind"] for words in ((), ("queues",), ("APP.*",))
    }
    assert kinds == {"TopQueueList"}
    assert real.ok("top", "dlq", "-o", "json").json["kind"] == "DeadLetterCauseList"


def test_dead_letters_that_were_not_browsed_are_said(
    real: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtriage.cli.top.MOST_DEAD_LETTERS", 1)
    depth = real.depth(real.ok("qmgr", "show", "-o", "json").item["attributes"]["DEADQ"])
    ran = real.run("top", "dlq", "--count", "1")
    assert f"the first 1 of {depth} messages" in ran.err
