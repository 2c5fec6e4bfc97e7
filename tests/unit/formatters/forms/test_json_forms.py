"""json, ndjson and csv: what scripts read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Field, Listing, Report
from mqtriage.mq.errors import UsageError
from tests.unit.formatters import samples

KEYS = ("a", "b")
FIELDS = tuple(Field(key, key.upper()) for key in KEYS)
ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and controls too
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), ANY_TEXT, st.lists(ANY_TEXT), st.just({"k": [1]})
)
RECORDS = st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}))


def in_utf8(result: Listing | Document, form: str, **style: Any) -> str:
    """What the form writes to a strict UTF-8 stream, as standard output is one."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors="strict", newline="\n")
    write(result, Style(form, **style), stream)
    return raw.getvalue().decode("utf-8")


@given(RECORDS)
def test_json_and_ndjson_give_back_every_value(records: list[dict[str, Any]]) -> None:
    wrapped = json.loads(in_utf8(Listing("L", FIELDS, records), "json"))
    lines = in_utf8(Listing("L", FIELDS, records), "ndjson").splitlines()
    assert wrapped["items"] == records == [json.loads(line) for line in lines]


@given(RECORDS)
def test_raw_csv_gives_back_text_and_json_of_what_is_no_text(records: list[dict[str, Any]]) -> None:
    text = in_utf8(Listing("L", FIELDS, records), "csv", raw_csv=True)
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert rows[0] == list(KEYS)
    for row, record in zip(rows[1:], records, strict=True):
        for key, cell in zip(KEYS, row, strict=True):
            value = record[key]
            if isinstance(value, str):
                assert cell == value.encode("utf-8", "backslashreplace").decode("utf-8")
            else:
                assert (cell == "") if value is None else (json.loads(cell) == value)


@given(RECORDS)
def test_text_forms_take_any_text_in_one_line_a_record(records: list[dict[str, Any]]) -> None:
    for form, lines_above in (("plain", 1), ("md", 2)):
        text = in_utf8(Listing("L", FIELDS, records), form)
        assert text.count("\n") == len(text.splitlines()) == len(records) + lines_above
    in_utf8(Listing("L", FIELDS, records), "table")


def test_the_wrapper_has_the_same_keys_every_time() -> None:
    keys = ["schema", "kind", "context", "queue_manager", "at", "items", "summary", "warnings"]
    for records in ([], [{"a": 1}]):
        value = json.loads(samples.text(Listing("L", FIELDS, records), "json", context="prod"))
        assert list(value) == keys
        assert value["schema"] == "mqtriage/1" and value["context"] == "prod"
        assert value["at"] == "2026-01-31T10:00:00Z"


def test_summary_and_warnings_are_read_after_the_last_item() -> None:
    listing = Listing("L", FIELDS, ())

    def items() -> Iterator[dict[str, Any]]:
        yield {"a": 1}
        listing.summary["messages"] = 1
        listing.warnings.append("late")

    listing.items = items()
    value = json.loads(samples.text(listing, "json"))
    assert value["summary"] == {"messages": 1} and value["warnings"] == ["late"]


def test_columns_choose_keys_and_missing_ones_are_null() -> None:
    records = [{"a": 1, "b": 2}, {"a": 3}]
    text = samples.text(Listing("L", FIELDS, records), "ndjson", columns=("B",))
    assert text == '{"b":2}\n{"b":null}\n'
    wrapped = json.loads(samples.text(Listing("L", FIELDS, records), "json", columns=("b", "a")))
    assert [list(item.items()) for item in wrapped["items"]] == [
        [("b", 2), ("a", 1)],
        [("b", None), ("a", 3)],
    ]
    assert samples.text(Listing("L", FIELDS, records), "csv", columns=("b",)) == 'b\n2\n""\n'


def test_a_document_shows_chosen_keys_and_refuses_unknown_ones() -> None:
    document = Document("Queue", {"queue": "Q", "depth": 3}, (("Title", (("A", "b"),)),))
    assert samples.text(document, "ndjson", columns=("depth",)) == '{"depth":3}\n'
    assert samples.text(document, "plain", columns=("depth",)) == "depth  3\n"
    with pytest.raises(UsageError, match="'size'") as caught:
        samples.text(document, "json", columns=("size",))
    assert caught.value.hint == "keys: queue, depth"


def test_json_on_a_terminal_is_indented_and_the_same() -> None:
    report = samples.requeued()
    shown = samples.text(report, "json", is_tty=True)
    assert len(shown.splitlines()) > 30
    assert json.loads(shown) == json.loads(samples.text(report, "json"))


def test_a_report_has_the_same_json_keys_for_every_action() -> None:
    keys = list(json.loads(samples.text(samples.requeued(), "json")))
    assert keys == list(json.loads(samples.text(samples.altered(), "json")))
    assert keys == list(json.loads(samples.text(Report("K", "purge", "Q", dry_run=True), "ndjson")))


def test_what_json_does_not_know_is_a_programming_error() -> None:
    for value in (b"bytes", float("nan")):
        with pytest.raises((TypeError, ValueError)):
            samples.text(Listing("L", FIELDS, [{"a": value}]), "ndjson")


def test_a_command_that_fails_at_once_prints_nothing() -> None:
    def failing() -> Iterator[dict[str, Any]]:
        raise OSError("2085")
        yield {}

    for form in ("table", "plain", "json", "ndjson", "csv", "md", "ids"):
        stream = io.StringIO()
        with pytest.raises(OSError, match="2085"):
            write(Listing("L", FIELDS, failing()), Style(form), stream)
        assert stream.getvalue() == ""


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "ids"])
def test_a_command_that_fails_later_prints_what_it_read(form: str) -> None:
    def failing() -> Iterator[dict[str, Any]]:
        yield {"a": "first", "msg_id": "first"}
        yield {"a": "second", "msg_id": "second"}
        raise ValueError("lost")

    stream = io.StringIO()
    with pytest.raises(ValueError, match="lost"):
        write(Listing("L", FIELDS, failing()), Style(form), stream)
    assert "first" in stream.getvalue() and "second" in stream.getvalue()
    if form == "json":
        with pytest.raises(json.JSONDecodeError):  # half a list must not look like a whole one
            json.loads(stream.getvalue())
