"""`msg browse --no-bodies`: headers and properties without the data behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedHandle
from mqtriage.commands.msg.messages import HEADER_BYTES
from mqtriage.mq.headers import dlh
from tests.acceptance.messages.estate import Estate

LARGE = b"x" * 3_000_000


@pytest.fixture
def large(estate: Estate) -> Estate:
    estate.queue("BIG", MAXMSGL=4_194_304)
    estate.put("BIG", LARGE, b"small")
    head = dlh.DLH(2053, "A.B", "QM1", 546, 1208, "MQSTR", 6, "amqrmppa", "20260131", "10000000")
    estate.put("BIG", dlh.encode(head) + LARGE, format="MQDEAD", encoding=546)
    ran = estate.run("msg", "put", "BIG", "y" * 90_000, "--prop", "Color=red", "--yes")
    assert ran.code == 0, ran.err
    return estate


def test_headers_and_properties_are_those_of_the_whole_messages(large: Estate) -> None:
    argv = ("msg", "browse", "BIG", "-o", "json")
    whole, alone = (large.run(*argv, *more).json["items"] for more in ((), ("--no-bodies",)))
    assert [row["length_bytes"] for row in alone] == [row["length_bytes"] for row in whole]
    for row, other in zip(alone, whole, strict=True):
        assert row["body"] is row["body_hex"] is None
        assert {**row, "body": None, "body_hex": None, "pcf": None} == {
            **other, "body": None, "body_hex": None, "pcf": None,
        }  # fmt: skip
    assert alone[2]["headers"][0]["name"] == "MQDLH"
    assert alone[3]["properties"][0]["name"] == "Color"


def test_no_more_than_the_start_of_the_data_is_asked_for(
    large: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []
    browse = EmulatedHandle.browse

    def watched(self: EmulatedHandle, *match: Any, max_length: int | None = None) -> Iterator[Any]:
        for message in browse(self, *match, max_length=max_length):
            lengths.append(len(message.body))
            yield message

    monkeypatch.setattr(EmulatedHandle, "browse", watched)
    assert large.run("msg", "browse", "BIG", "--no-bodies", "-o", "ndjson").code == 0
    assert len(lengths) == 4
    assert max(lengths) == HEADER_BYTES
    assert large.run("msg", "browse", "BIG", "-o", "ndjson").code == 0
    assert max(lengths) > len(LARGE)


def test_a_header_longer_than_that_is_said_to_be_cut(large: Estate) -> None:
    large.queue("LONG")
    value = "v" * 2 * HEADER_BYTES
    ran = large.run("msg", "put", "LONG", "z", "--prop", f"Long={value}", "--yes")
    assert ran.code == 0, ran.err
    (row,) = large.run("msg", "browse", "LONG", "--no-bodies", "-o", "json").json["items"]
    assert any("message data: " in damage for damage in row["damages"])
    assert len(row["damages"]) > 1


def test_such_a_listing_is_no_file_to_load(large: Estate) -> None:
    listed = large.run("msg", "browse", "BIG", "--no-bodies", "-o", "ndjson", "--limit", "1").out
    ran = large.run("msg", "load", "-", "--to", "OUT", "--yes", stdin=listed)
    assert ran.code in (2, 8), ran.err
    assert large.messages("OUT") == []
