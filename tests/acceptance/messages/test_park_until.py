"""`--expiry TIME`: messages parked until a date, which the queue manager then discards."""

from __future__ import annotations

import pytest

from mqtriage.mq.times import rfc3339
from tests.acceptance.messages.estate import Estate

HOUR_US = 3_600_000_000


@pytest.fixture
def parking(estate: Estate) -> Estate:
    estate.queue("PARKED")
    estate.put("IN", b"one", b"two")
    estate.put("IN", b"short", expiry_tenths=36_000 * 5)
    return estate


def until(estate: Estate, hours: int) -> str:
    with estate.connected() as backend:
        return rfc3339(backend.now_us() + hours * HOUR_US)


def test_they_are_gone_at_that_time_and_the_archive_has_them(parking: Estate) -> None:
    end = until(parking, 2)
    ran = parking.run("msg", "move", "IN", "--to", "PARKED", "--expiry", end, "--yes")
    assert ran.code == 0, ran.err
    assert {message.md.expiry_tenths for message in parking.messages("PARKED")} == {72_000}
    listed = parking.run("expiry", "browse", "PARKED", "-o", "json").json["items"]
    assert {row["expires_at"] for row in listed} == {end}
    parking.run("emulator", "clock", "+119m")
    assert len(parking.messages("PARKED")) == 3
    parking.run("emulator", "clock", "+2m")
    assert parking.messages("PARKED") == []
    (archive,) = (parking.folder / "archive").glob("*.ndjson")
    back = parking.run("msg", "load", str(archive), "--to", "IN", "--yes")
    assert back.code == 0, back.err
    assert parking.bodies("IN") == [b"one", b"two", b"short"]


def test_undo_before_that_time_gives_back_the_lifetime_that_they_had(parking: Estate) -> None:
    move = ("msg", "move", "IN", "--to", "PARKED", "--expiry", until(parking, 2), "--yes")
    assert parking.run(*move).code == 0
    undo = parking.run("journal", "undo", "--expiry", "original", "--yes")
    assert undo.code == 0, undo.err
    assert parking.bodies("IN") == [b"one", b"two", b"short"]
    assert [message.md.expiry_tenths < 0 for message in parking.messages("IN")] == [
        True, True, False,
    ]  # fmt: skip


def test_the_plan_says_when_and_a_plan_of_yesterday_ends_at_the_same_time(
    parking: Estate,
) -> None:
    file, end = str(parking.folder / "park.plan"), until(parking, 30)
    move = ("msg", "move", "IN", "--to", "PARKED", "--expiry", end)
    facts = parking.run(*move, "-n", "-o", "json").json["item"]["facts"]
    assert facts["expires_at"] == end
    assert parking.run(*move, "--plan", file, "--limit", "1").code == 0
    parking.run("emulator", "clock", "+20h")
    ran = parking.run("apply", file, "--yes")
    assert ran.code == 0, ran.err
    assert [message.md.expiry_tenths for message in parking.messages("PARKED")] == [360_000]


def test_the_end_can_be_counted_from_now(parking: Estate) -> None:
    ran = parking.run("msg", "move", "IN", "--to", "PARKED", "--expiry", "now+7d", "--yes")
    assert ran.code == 0, ran.err
    days = {round(message.md.expiry_tenths / 864_000) for message in parking.messages("PARKED")}
    assert days == {7}


def test_a_time_that_is_past_or_where_none_is_taken_is_refused(parking: Estate) -> None:
    move = ("msg", "move", "IN", "--to", "PARKED", "--yes", "--expiry")
    for wrong in (until(parking, -1), "2031-13-01T00:00:00Z", "2031-01"):
        assert parking.run(*move, wrong).code == 2, wrong
    assert len(parking.messages("IN")) == 3
    purged = parking.run("msg", "archive", "IN", "--out", str(parking.folder / "a.ndjson"))
    assert purged.code == 0, purged.err
    load = ("msg", "load", str(parking.folder / "a.ndjson"), "--to", "OUT", "--yes")
    put = ("msg", "put", "OUT", "x", "--yes")
    assert parking.run(*load, "--expiry", until(parking, -1)).code == 2
    assert parking.run(*put, "--expiry", until(parking, 1)).code == 2
    assert parking.messages("OUT") == []
    assert parking.run(*load, "--expiry", until(parking, 1)).code == 0
    assert len(parking.messages("OUT")) == 3
