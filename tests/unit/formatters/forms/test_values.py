"""Columns that are a property, or a value inside the body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqtriage.messages.records import with_rest
from mqtriage.model.result import Field, Listing
from mqtriage.mq.errors import UsageError
from tests.unit.formatters import samples

RECORDS: list[dict[str, Any]] = [
    {
        "msg_id": "A",
        "body": '{"order": {"lines": [{"sku": "X"}, {"sku": "Y"}], "total": 7}}',
        "properties": [{"name": "region", "type": "string", "value": "EMEA"}],
    },
    {"msg_id": "B", "body": "<o><l sku='Z'/></o>", "properties": []},
    {"msg_id": "C", "body": None, "properties": None},
]


def rows(columns: str, form: str = "ndjson", **style: Any) -> list[dict[str, Any]]:
    listing = Listing("MessageList", with_rest(()), list(RECORDS))
    text = samples.text(listing, form, columns=tuple(columns.split(",")), **style)
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("prop.region", ["EMEA", None, None]),
        ('prop."region"', ["EMEA", None, None]),
        ("body.order.total", [7, None, None]),
        ("body.order.lines[1].sku", ["Y", None, None]),
        ("body.$.order.lines[0]", [{"sku": "X"}, None, None]),
        ("body./o/l/@sku", [None, "Z", None]),
    ],
)
def test_a_column_can_be_a_place_inside_a_message(column: str, values: list[Any]) -> None:
    assert rows(f"msg_id,{column}") == [
        {"msg_id": record["msg_id"], column: value}
        for record, value in zip(RECORDS, values, strict=True)
    ]


def test_records_are_sorted_by_it_too() -> None:
    for column in ("prop.region", "body.order.total"):
        first, *_ = rows("msg_id", sort=column)
        assert first == {"msg_id": "A"}


def test_people_see_it_under_its_name() -> None:
    listing = Listing("MessageList", with_rest(()), list(RECORDS))
    text = samples.text(listing, "plain", columns=("prop.region", "body.order.total"))
    assert text.split()[:4] == ["prop.region", "body.order.total", "EMEA", "7"]


def test_only_records_of_messages_have_such_places() -> None:
    listing = Listing("QueueList", (Field("queue", "QUEUE"),), [{"queue": "A"}])
    for column in ("prop.region", "body.order"):
        with pytest.raises(UsageError, match="no column"):
            samples.text(listing, "plain", columns=(column,))


@pytest.mark.parametrize("column", ["body.a[x", "body./a[0]", "body."])
def test_a_path_that_cannot_be_read_is_refused_before_the_first_record(column: str) -> None:
    def records() -> Any:
        pytest.fail("a record was read")
        yield {}

    listing = Listing("MessageList", with_rest(()), records())
    with pytest.raises(UsageError, match=r"--columns"):
        samples.text(listing, "plain", columns=(column,))
