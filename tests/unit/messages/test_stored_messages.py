"""NDJSON lines that hold messages: which can be made again exactly, and which are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages.records import message_record
from mqtriage.messages.stored_messages import ArchiveEnd, Numbered, Stored, read
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.message import Message

MD_OF_TEXT = MQMD(
    format="MQSTR",
    ccsid=1208,
    encoding=273,
    msg_id=b"\x01" * 24,
    put_date="20260105",
    put_time="10193012",
    user_identifier="payapp",
)


def line_of(md: MQMD, data: bytes, **changed: Any) -> bytes:
    """A line of `msg browse -o ndjson`."""
    record = message_record(Message(md, data, len(data)), "Q")
    return json.dumps({**record, **changed}).encode() + b"\n"


def one(line: bytes) -> Stored:
    (stored,) = read([line])
    return stored


@given(body=st.binary(max_size=60), ccsid=st.sampled_from([0, 37, 437, 500, 819, 943, 1200, 1208]))
def test_a_listed_message_is_made_again_exactly_or_not_at_all(body: bytes, ccsid: int) -> None:
    md = MD_OF_TEXT._replace(ccsid=ccsid)
    stored = one(line_of(md, body))
    if isinstance(stored, Numbered):
        assert (stored.entry.md, stored.entry.body) == (md, body)
    else:
        assert isinstance(stored, Damaged)
        assert ccsid not in (0, 37, 437, 500, 819, 1208) or body.startswith(b"DDH ")


@pytest.mark.parametrize("mark", [b"\xfe\xff", b"\xff\xfe"])
@pytest.mark.parametrize("text", ["", "order"])
def test_a_listing_keeps_the_byte_order_mark_of_utf_16(mark: bytes, text: str) -> None:
    md = MD_OF_TEXT._replace(ccsid=1200)
    body = mark + text.encode("utf-16-be" if mark == b"\xfe\xff" else "utf-16-le")
    listed = one(line_of(md, body))
    assert isinstance(listed, Numbered)
    assert (listed.entry.md, listed.entry.body) == (md, body)


def test_two_characters_a_byte_pair_are_refused_as_text_and_taken_as_hexadecimal() -> None:
    md = MD_OF_TEXT._replace(ccsid=943)
    body = "日本".encode("cp932")
    refused = one(line_of(md, body))
    assert isinstance(refused, Damaged)
    assert "list with --hex" in refused.text
    taken = one(line_of(md, body, body=None, body_hex=body.hex()))
    assert isinstance(taken, Numbered)
    assert taken.entry.body == body


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        pytest.param({"body": r"a\x00"}, "gives 5 and has \\xNN; list with --hex", id="as-text"),
        pytest.param({"body": None}, "no message data", id="no-data"),
        pytest.param({"headers": [{"name": "MQRFH2"}]}, "has headers", id="headers"),
        pytest.param({"damages": ["cut"]}, "listed as damaged: cut", id="damaged"),
        pytest.param({"msg_id": "01"}, "msg_id has 1 byte,", id="short-id"),
        pytest.param({"priority": "4"}, "priority is not a number", id="number-as-text"),
        pytest.param({"priority": 2**31}, "priority is not a number", id="too-large"),
        pytest.param({"put_time": "yesterday"}, "is no PutDate", id="put-time"),
        pytest.param({"format": 3}, "format is not text", id="text-as-number"),
        pytest.param({"kind": "QueueList"}, "is not a message", id="another-listing"),
    ],
)
def test_a_listed_message_that_is_not_whole_is_damaged(
    changed: dict[str, Any], problem: str
) -> None:
    stored = one(line_of(MD_OF_TEXT, b"hello world", **changed))
    assert isinstance(stored, Damaged)
    assert problem in stored.text


def test_a_text_that_was_edited_is_taken_as_it_is_now() -> None:
    edited = one(line_of(MD_OF_TEXT, b"hello world", body="hello, whole world"))
    assert isinstance(edited, Numbered)
    assert (edited.entry.body, edited.is_edited) == (b"hello, whole world", True)
    assert not one(line_of(MD_OF_TEXT, b"hello world")).is_edited  # type: ignore[union-attr]


def test_a_key_that_is_not_there_is_named() -> None:
    record = json.loads(line_of(MD_OF_TEXT, b"x"))
    del record["ccsid"]
    stored = one(json.dumps(record).encode())
    assert stored == Damaged(1, "the line has no ccsid")


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    key=st.sampled_from(
        ["kind", "numbers", "messages", "body", "msg_id", "format", "put_time", "length_bytes"]
    ),
)
@pytest.mark.slow
def test_no_json_at_all_makes_the_reader_raise(value: Any, key: str) -> None:
    lines = [json.dumps(value).encode(), line_of(MD_OF_TEXT, b"x", **{key: value})]
    kinds = ("Archive", "Commit", "End", "Message")
    lines += [json.dumps({"kind": kind, key: value}).encode() for kind in kinds]
    lines.append(json.dumps({"kind": "Message", "md_base64": value, "body_base64": ""}).encode())
    assert list(read(lines))


def test_reading_goes_on_after_a_line_that_is_no_json() -> None:
    first, second = read([b"{\n", b'{"kind": "End", "messages": 0}\n'])
    assert isinstance(first, Damaged)
    assert second == ArchiveEnd(0)
