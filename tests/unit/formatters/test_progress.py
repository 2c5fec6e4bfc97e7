"""Progress: nothing for quick work, lines in a script, a bar on a terminal."""

from __future__ import annotations

import io

import pytest

from mqtriage.formatters.progress import browsed_text, line_text, progress_on
from mqtriage.operations.engine.act_context import Progress


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(*steps: tuple[float, Progress], is_tty: bool = False, quiet: bool = False) -> str:
    stream, clock = io.StringIO(), Clock()
    with progress_on(stream, is_tty=is_tty, quiet=quiet, clock=clock) as show:
        for now, at in steps:
            clock.now = now
            show(at)
    return stream.getvalue()


def test_a_line_says_how_far_how_fast_how_long_and_what_failed() -> None:
    assert line_text(Progress(12_000, 100_000, 2), 4.0) == (
        "12,000 of 100,000 (12%), 3,000/s, 29 s left, 2 failed"
    )
    assert line_text(Progress(100, 100_000, 0), 10.0).endswith("10/s, 2 h 46 min left")
    assert line_text(Progress(0, 0, 0), 1.0) == "0 of 0 (100%), 0/s, 0 s left"


def test_the_time_left_is_never_shorter_than_the_wait_for_the_next_attempt() -> None:
    line = line_text(Progress(313, 388, 0, wait_s=29.6), 31.3)
    assert line == "313 of 388 (80%), 10/s, at least 37 s left"
    assert line_text(Progress(388, 388, 0, wait_s=30), 1.0).endswith("at least 30 s left")


def test_work_of_less_than_a_second_shows_nothing() -> None:
    steps = [(at / 10, Progress(at, 10, 0)) for at in range(10)]
    assert shown(*steps) == shown(*steps, is_tty=True) == ""


def test_elsewhere_than_on_a_terminal_a_line_comes_after_a_second_and_each_five() -> None:
    steps = [(at / 2, Progress(at, 100, 0)) for at in range(31)]
    lines = shown(*steps).splitlines()
    assert [line.split(" of ")[0] for line in lines] == ["2", "12", "22"]


def test_on_a_terminal_a_bar_is_drawn_and_taken_away() -> None:
    text = shown((1.5, Progress(10, 100, 0)), (2.0, Progress(20, 100, 1)), is_tty=True)
    assert "20 of 100 (20%)" in text
    assert "1 failed" in text
    assert text.count("\n") < 10


@pytest.mark.parametrize("is_tty", [False, True])
def test_a_note_is_told_at_once_on_a_line_of_its_own(is_tty: bool) -> None:
    assert shown((0.1, Progress(0, 1, 0, "1 waits")), is_tty=is_tty) == "1 waits\n"
    text = shown((1.5, Progress(1, 9, 0)), (2.0, Progress(1, 9, 0, "1 waits")), is_tty=is_tty)
    assert text.endswith("1 waits\n")


def test_a_plan_that_takes_long_says_how_many_it_has() -> None:
    assert browsed_text(Progress(120_000, 0, 0), 2.0) == "planning: 120,000 chosen so far, 60,000/s"


def test_quiet_shows_nothing() -> None:
    assert shown((5.0, Progress(1, 2, 0)), quiet=True) == ""
    assert shown((5.0, Progress(1, 2, 0)), quiet=True, is_tty=True) == ""


def test_nobody_reading_it_is_no_failure() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(32, "Broken pipe")

    clock = Clock()
    with progress_on(Closed(), is_tty=False, clock=clock) as show:
        clock.now = 2.0
        show(Progress(1, 2, 0))
