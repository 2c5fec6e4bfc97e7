"""`-o table`: within the terminal, without surprises."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.style import Style
from mqtriage.model.result import Field, Listing, Show
from tests.unit.formatters import samples

FIELDS = (
    Field("msg_id", "MSGID", Show.ID),
    Field("queue", "QUEUE"),
    Field("depth", "CURDEPTH", Show.NUMBER),
    Field("state", "STATE"),
)


def queue(number: int, **changes: Any) -> dict[str, Any]:
    record = {"msg_id": f"{number:048x}", "queue": f"Q.{number}", "depth": number, "state": "ok"}
    return {**record, **changes}


@pytest.mark.seed("CARD-05")
@pytest.mark.parametrize("width", [40, 80, 120])
def test_without_colour_there_is_no_escape_code_whatever_the_environment(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "20")
    text = samples.text(samples.staged(), "table", width=width)
    assert "\x1b" not in text
    assert all(cell_len(line) <= width for line in text.splitlines())


@pytest.mark.seed("CARD-05")
def test_with_colour_there_are_escape_codes_even_with_no_color_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # the command line has decided; the formatter obeys
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[31moverdue" in samples.text(samples.staged(), "table", width=120, colour=True)


def test_a_message_cannot_send_escape_codes_of_its_own() -> None:
    text = samples.text(samples.staged(), "table", width=120)
    assert "ORDERS.IN\\x1b[31m\\n" in text


def test_markup_and_emoji_codes_are_text() -> None:
    items = [queue(1, queue="[bold]:bug:[/bold]")]
    assert "[bold]:bug:[/bold]" in samples.text(Listing("L", FIELDS, items), "table")


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(
    "queue_name",
    ["Q", "A.QUEUE.OF.SOME.LENGTH", "two words that fold", "漢字", "wide 漢字 漢字 漢字 漢字"],
)
def test_later_rows_look_as_the_first_ones(queue_name: str, colour: bool) -> None:
    states = ("ok", "overdue", None)
    first = [queue(n, queue=queue_name if n % 2 else "Q", state=states[n % 3]) for n in range(200)]

    def lines(items: list[dict[str, Any]]) -> list[str]:
        text = samples.text(Listing("L", FIELDS, items), "table", width=45, colour=colour)
        return text.splitlines()

    head = lines(first)
    both = lines(first * 2)
    assert both == head + head[2:]
    assert not colour or "\x1b[31moverdue" in "".join(head)


def test_the_header_stands_once() -> None:
    text = samples.text(Listing("L", FIELDS, (queue(n) for n in range(1_000))), "table")
    assert text.count("CURDEPTH") == 1
    assert text.count("─" * 10) > 0
    assert len(text.splitlines()) == 1_002


def test_a_number_that_comes_late_is_never_folded() -> None:
    items = [*(queue(1) for _ in range(200)), queue(1, depth=123_456_789_012)]
    last = samples.text(Listing("L", FIELDS, items), "table").splitlines()[-1]
    assert "123456789012" in last


def test_a_table_of_nothing_is_nothing() -> None:
    assert samples.text(Listing("L", FIELDS, []), "table") == ""


def test_no_header_leaves_the_rows() -> None:
    text = samples.text(Listing("L", FIELDS, [queue(7)]), "table", header=False)
    assert text == f"{7:048x}  Q.7           7  ok\n"


def test_a_stream_without_unicode_gets_ascii_rules_and_ellipses() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1", newline="\n")
    items = [queue(1, queue="Ж café", msg_id="414d5120514d31" + "a" * 34)]
    write(Listing("L", FIELDS, items), Style("table", width=50), stream)
    text = raw.getvalue().decode("latin-1")
    assert "-----" in text and "..aaaa" in text
    assert "\\u0416 café" in text


@pytest.mark.parametrize("width", [1, 10, 40])
def test_a_very_narrow_terminal_gets_blocks_of_lines(width: int) -> None:
    text = samples.text(samples.staged(), "table", width=width)
    assert text.count("STAGED_MSGID  ") == 3
    assert text.count("\n\n") == 2
    if width == 40:
        assert max(map(len, text.splitlines())) <= 40


@pytest.mark.parametrize(("parked", "lost"), [(None, "PARKED"), (1, "SKIPPED")])
def test_a_column_without_any_value_is_left_out_before_one_with_values(
    parked: int | None, lost: str
) -> None:
    fields = (
        Field("queue", "QUEUE", Show.NAME),
        Field("parked", "PARKED", Show.NUMBER, yields=5),
        Field("skipped", "SKIPPED", Show.NUMBER, yields=8),
    )
    records = [{"queue": "A" * 20, "parked": None, "skipped": 0}]
    records.append({"queue": "B", "parked": parked, "skipped": 2})
    listing = Listing("TestList", fields, records)
    samples.text(listing, "table", width=32)
    assert listing.left_out == [lost]
