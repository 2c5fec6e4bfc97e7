"""Cells of `-o csv`: nothing that a spreadsheet evaluates, and nothing that a terminal obeys."""

from __future__ import annotations

import csv
import io

import pytest

from mqtriage.formatters.forms.csv_rows import write_listing
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style
from mqtriage.model.result import Field, Listing


def cell(value: object, *, raw: bool = False) -> str:
    stream = io.StringIO()
    fields = (Field("a", "A"), Field("b", "B"))
    listing = Listing("message", fields, iter(()))
    style = Style("csv", raw_csv=raw)
    write_listing(listing, fields, iter([{"a": value, "b": "x"}]), style, Out(stream))
    return list(csv.reader(io.StringIO(stream.getvalue(), newline="")))[1][0]


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_a_text_that_a_spreadsheet_would_evaluate_has_an_apostrophe_in_front(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("number", [-1, -1.5])
def test_a_number_stays_one(number: float) -> None:
    assert cell(number) == str(number)


@pytest.mark.parametrize("text", ["a=b", "QUEUE.1", "'quoted", "", "a,b"])
def test_another_text_stays_as_it_is(text: str) -> None:
    assert cell(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [("\x1b[31m", r"\x1b[31m"), ("a\u202eb", r"a\u202eb"), ("\tx", r"'\tx"), ("a\r\nb", r"a\r\nb")],
)
def test_what_a_terminal_would_obey_or_hide_is_written_out(text: str, written: str) -> None:
    assert cell(text) == written


@pytest.mark.parametrize("text", ["=1+2", "-1", "\x1b[31m", "a\nb"])
def test_raw_csv_leaves_texts_alone(text: str) -> None:
    assert cell(text, raw=True) == text
