"""`delay forecast`: what it foretells against what the emulator then does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.port import Capability
from mqtriage.commands.delay.forecast import StagedLoad, forecast
from mqtriage.commands.delay.messages import browse
from mqtriage.commands.delay.status import Filling
from mqtriage.messages.filters.selection import Selection
from mqtriage.mq import cmqc
from mqtriage.mq.errors import NoMessageAvailable, ObjectNotFound, Refused, UsageError
from tests.support.tools import drawn_dice
from tests.unit.emulator.conftest import STAGING, Lab

MINUTE = 60_000
HOUR = 60 * MINUTE


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A queue manager whose frozen clock stands at the start of a minute, as buckets do."""
    new_lab = Lab(tmp_path)
    new_lab.advance(60 - new_lab.mq.now_us() % 60_000_000 / 1_000_000)
    yield new_lab
    new_lab.close()


def forecast_records(lab: Lab, **given: Any) -> list[dict[str, Any]]:
    asked = {"bucket_ms": MINUTE, "horizon_ms": 24 * HOUR, **given}
    return [dict(record) for record in forecast(lab.mq, **asked).items]


def test_counts_bytes_and_depth_are_those_of_what_lands(lab: Lab) -> None:
    lab.local("Q1", MAXDEPTH=10)
    lab.put("Q1")
    for delay in (1_000, 2_000, 5 * MINUTE):
        lab.send("Q1", delay, b"12345")
    first, second = forecast_records(lab)
    assert (first["message_count"], first["length_bytes"], first["target_depth"]) == (2, 10, 3)
    assert (second["message_count"], second["length_bytes"], second["target_depth"]) == (1, 5, 4)
    lab.advance(6 * 60)
    assert lab.depth("Q1") == second["target_depth"]


def test_targets_of_one_bucket_come_in_the_order_in_which_they_are_due(lab: Lab) -> None:
    for name in ("A", "B", "C"):
        lab.local(name)
    for name, delay_ms in (("A", 30_000), ("C", 20_000), ("B", 10_000), ("A", 40_000)):
        lab.send(name, delay_ms)
    assert [record["target"] for record in forecast_records(lab)] == ["B", "C", "A"]


@pytest.mark.seed("DD-80")
def test_a_lifetime_that_ends_by_the_due_time_is_doomed_and_never_lands(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 5_000, expiry_tenths=50)
    lab.send("Q1", 5_000, expiry_tenths=51)
    (record,) = forecast_records(lab)
    assert (record["message_count"], record["doomed"], record["target_depth"]) == (1, 1, 1)
    lab.advance(5)
    assert lab.depth("Q1") == 1


def states(lab: Lab) -> dict[bytes, str]:
    """The state of each staged message, by the MsgId that it has on its target."""
    listed = browse(lab.mq, Selection()).items
    return {bytes.fromhex(item["original_msg_id"]): item["state"] for item in listed}


def doomed(lab: Lab) -> int:
    return sum(record["doomed"] for record in forecast_records(lab))


@pytest.mark.seed("DD-80")
def test_what_is_shown_as_doomed_never_arrives_and_what_waits_arrives(
    lab: Lab,
) -> None:
    dice = drawn_dice()
    target = lab.local("Q1")
    due_us = set()
    for _ in range(40):
        lab.advance(dice.randrange(1_000_000) / 1_000_000)
        tenths = dice.randint(600, 700)
        delay_ms = tenths * 100 - dice.choice([0, 0, 1, 50, 99, 100, 101])
        lab.send("Q1", delay_ms, expiry_tenths=tenths)
        due_us.add(lab.mq.now_us() + delay_ms * 1000)
    first = states(lab)
    for _ in range(5):
        assert (states(lab), doomed(lab)) == (first, list(first.values()).count("doomed"))
        lab.advance(dice.randrange(1_000_000) / 1_000_000)
    arrived = set()
    for moment_us in sorted(due_us):
        lab.advance((moment_us - lab.mq.now_us()) / 1_000_000)
        with suppress(NoMessageAvailable):
            while True:
                arrived.add(target.get().md.msg_id)
    assert arrived == {ident for ident, state in first.items() if state == "waiting"}


@pytest.mark.seed("DD-80")
def test_a_doomed_message_that_is_put_back_on_the_staging_queue_stays_doomed(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 5_000, expiry_tenths=50)
    lab.advance(0.123456)
    staged = lab.get(STAGING)
    lab.mq.put1(STAGING, staged.md, staged.body, cmqc.MQPMO_SET_ALL_CONTEXT)
    assert list(states(lab).values()) == ["doomed"]
    lab.advance(4.8)
    assert (doomed(lab), lab.depth("Q1")) == (1, 0)
    lab.advance(1)
    assert lab.depth("Q1") == 0


@pytest.mark.seed("DD-109")
def test_what_a_target_has_no_room_for_is_refused_then_too(lab: Lab) -> None:
    lab.mq.alter("QMGR", "", {"DEADQ": ""})
    handle = lab.local("Q1", MAXDEPTH=3)
    lab.put("Q1")
    for _ in range(4):
        lab.send("Q1", 1_000, report=cmqc.MQRO_DISCARD_MSG)
    (record,) = forecast_records(lab)
    assert record["will_fill"] is True
    assert record["refused"] == 2
    assert record["problem"] == "2 too many: MQRC_Q_FULL (2053)"
    assert (record["target_depth"], record["target_maxdepth"]) == (3, 3)
    lab.advance(2)
    assert lab.depth("Q1") == 3
    handle.close()


def test_room_is_used_up_across_buckets_and_by_aliases_of_one_queue(lab: Lab) -> None:
    lab.local("Q1", MAXDEPTH=2)
    lab.mq.define("QALIAS", "A1", {"TARGET": "Q1"})
    lab.send("Q1", 1_000)
    lab.send("A1", 2 * MINUTE)
    lab.send("Q1", 4 * MINUTE)
    records = forecast_records(lab)
    assert [record["target_depth"] for record in records] == [1, 2, 2]
    assert [record["will_fill"] for record in records] == [False, True, True]
    assert [record["refused"] for record in records] == [0, 0, 1]
    assert records[1]["resolves_to"] == "Q1"


def test_a_message_too_long_for_its_target_is_counted_apart(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1_000, b"short")
    lab.send("Q1", 1_000, b"too long")
    lab.mq.alter("QLOCAL", "Q1", {"MAXMSGL": 5})
    (record,) = forecast_records(lab)
    assert (record["too_long"], record["refused"], record["target_depth"]) == (1, 1, 1)
    assert record["problem"] == "1 too long: MQRC_MSG_TOO_BIG_FOR_Q (2030)"
    lab.advance(2)
    assert lab.depth("Q1") == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"PUT": "DISABLED"}, "MQRC_PUT_INHIBITED (2051)", id="put-disabled"),
        pytest.param(None, "MQRC_UNKNOWN_OBJECT_NAME (2085)", id="deleted"),
    ],
)
def test_a_target_that_takes_nothing_refuses_all(
    lab: Lab, change: dict[str, int | str] | None, reason: str
) -> None:
    lab.local("Q1").close()
    lab.send("Q1", 1_000)
    if change is None:
        lab.mq.delete("QLOCAL", "Q1")
    else:
        lab.mq.alter("QLOCAL", "Q1", change)
    (record,) = forecast_records(lab)
    assert record["refused"] == record["message_count"] == 1
    assert reason in record["problem"]


def test_what_is_due_after_the_horizon_is_only_counted(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", HOUR)
    listing = forecast(lab.mq, bucket_ms=MINUTE, horizon_ms=HOUR - 1)
    assert list(listing.items) == []
    assert listing.summary["later"] == 1


def test_what_is_overdue_stands_in_the_bucket_of_now(lab: Lab) -> None:
    lab.local("Q1")
    lab.mq.alter("QLOCAL", STAGING, {"GET": "DISABLED"})
    lab.send("Q1", 1_000)
    lab.advance(3600)
    lab.mq.alter("QLOCAL", "Q1", {"MAXDEPTH": 0})
    lab.mq.alter("QLOCAL", STAGING, {"GET": "ENABLED"})
    records = forecast_records(lab)
    assert sum(record["overdue"] for record in records) == sum(
        record["message_count"] for record in records
    )


def test_only_the_target_asked_for(lab: Lab) -> None:
    lab.local("Q1")
    lab.local("Q2")
    lab.send("Q1", 1_000)
    lab.send("Q2", 1_000)
    assert [record["target"] for record in forecast_records(lab, target="Q2")] == ["Q2"]


def test_the_staging_queue_stays_as_it_was(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1_000)
    forecast_records(lab)
    assert lab.depth(STAGING) == 1


def test_the_assumption_is_said(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 1_000)
    listing = forecast(lab.mq, bucket_ms=MINUTE, horizon_ms=HOUR)
    list(listing.items)
    assert any("no program reads from the targets" in text for text in listing.warnings)


def test_the_message_data_is_not_read(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays flat whatever the length: the browse asks for the header alone."""
    from mqtriage.backends.emulated import EmulatedHandle

    asked = []
    browse = EmulatedHandle.browse

    def noting(self: EmulatedHandle, *args: Any, **given: Any) -> Any:
        asked.append(given.get("max_length"))
        return browse(self, *args, **given)

    monkeypatch.setattr(EmulatedHandle, "browse", noting)
    lab.local("Q1")
    lab.send("Q1", 1_000, b"x" * 100_000)
    (record,) = forecast_records(lab)
    assert record["length_bytes"] == 100_000
    assert asked == [1024]


def test_too_many_buckets_are_refused(lab: Lab) -> None:
    with pytest.raises(UsageError, match="more than 10000 buckets"):
        forecast(lab.mq, bucket_ms=1000, horizon_ms=24 * HOUR)


def test_there_is_no_forecast_where_the_due_time_is_not_known(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = frozenset(Capability) - {Capability.DUE_TIME_KNOWN}
    monkeypatch.setattr(type(lab.mq), "capabilities", known)
    with pytest.raises(Refused, match="not documented by IBM"):
        forecast(lab.mq, bucket_ms=MINUTE, horizon_ms=HOUR)


def test_without_a_staging_queue_it_is_2085(tmp_path: Path) -> None:
    zos = Lab(tmp_path, "zos")
    with pytest.raises(ObjectNotFound, match="2085"):
        forecast(zos.mq, bucket_ms=MINUTE, horizon_ms=HOUR)
    zos.close()


def test_heat_has_one_number_for_each_bucket(lab: Lab) -> None:
    lab.local("Q1")
    for delay in (HOUR, HOUR, 3 * HOUR):
        lab.send("Q1", delay)
    (record,) = forecast(lab.mq, bucket_ms=HOUR, horizon_ms=4 * HOUR, heat=True).items
    assert record["counts"] == [0, 2, 0, 1, 0]
    assert (record["message_count"], record["peak"]) == (3, 2)


def test_keys_are_as_promised(lab: Lab) -> None:
    """JSON keys are only ever added to."""
    lab.local("Q1")
    lab.send("Q1", 1_000)
    (record,) = forecast_records(lab)
    assert {
        "bucket_time", "target", "target_queue_manager", "resolves_to", "message_count",
        "length_bytes",
        "target_depth", "target_maxdepth", "will_fill", "doomed", "refused", "problem",
        "too_long", "overdue",
    } <= set(record)  # fmt: skip


@pytest.mark.parametrize(
    ("filling", "full_in_ms", "text"),
    [
        (
            Filling(800, 781, 38, 5_000, 2 * HOUR),
            2_500,
            "19 places left: full in about 2s at the average rate of the last 38 puts (7.6/s),"
            " if it goes on",
        ),
        (
            Filling(800, 781, 38, HOUR, 2 * HOUR),
            None,
            "19 places left: not full at the average rate of the last 38 puts (38/h), because"
            " messages leave: at most 76 of 800 are staged at once",
        ),
        (
            Filling(800, 781, 38, HOUR, 2 * HOUR, is_late=True),
            30 * MINUTE,
            "19 places left: full in about 30m00s at the average rate of the last 38 puts (38/h),"
            " as overdue messages do not leave",
        ),
        (
            Filling(800, 781, 38, 24 * 38 * HOUR),
            24 * 19 * HOUR,
            "19 places left: full in about 19d00h at the average rate of the last 38 puts"
            " (less than 1/h), unless messages leave before",
        ),
        (
            Filling(800, 799, 9, HOUR, HOUR),
            None,
            "1 place left: 9 messages, too few to tell when it is full",
        ),
        (
            Filling(800, 781, 38, 65_000, 2 * HOUR, silent_ms=60_000),
            None,
            "19 places left: no message was put in the last 1m00s",
        ),
        (Filling(800, 0), None, "800 places left: no messages to tell when it is full"),
        (Filling(800, 800, 38, HOUR, 100 * HOUR), 0, "0 places left"),
    ],
)
def test_when_a_staging_queue_is_full(filling: Filling, full_in_ms: int | None, text: str) -> None:
    assert (filling.full_in_ms, filling.text) == (full_in_ms, text)


@pytest.mark.parametrize(
    ("load", "average"),
    [
        pytest.param(StagedLoad(96, 10_000), "576/m is the average over 10s", id="a-short-burst"),
        pytest.param(StagedLoad(96, 10), "5760/m is the average over 1s", id="all-at-once"),
        pytest.param(
            StagedLoad(100, 23_000, silent_ms=39_000),
            "261/m is the average over 23s",
            id="a-burst-that-is-over",
        ),
        pytest.param(StagedLoad(30, HOUR), "30/h is the average over 1h00m", id="few"),
    ],
)
def test_the_load_is_the_average_while_messages_were_put(load: StagedLoad, average: str) -> None:
    assert load.average_of.startswith(average)


def test_what_is_left_over_from_long_before_does_not_slow_the_rate(lab: Lab) -> None:
    lab.local("Q1")
    lab.send("Q1", 10 * HOUR)
    lab.advance(3_600)
    for _ in range(30):
        lab.send("Q1", 10 * HOUR)
        lab.advance(1)
    listing = forecast(lab.mq, bucket_ms=HOUR, horizon_ms=HOUR)
    list(listing.items)
    room = listing.summary["staging"]["room"]
    assert listing.summary["staging"] == {
        "room": room, "full_in_ms": None, "most_staged": 36_000,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("delays_ms", "text"),
    [
        pytest.param([HOUR] * 5 + [24 * HOUR], "1 of 6 messages is delayed 1d00h", id="one"),
        pytest.param(
            [HOUR, 2 * HOUR] * 4 + [20 * HOUR, 720 * HOUR],
            "2 of 10 messages are delayed 20h00m to 30d00h",
            id="several-lengths",
        ),
        pytest.param([HOUR] * 5 + [10 * HOUR - 1], None, id="not-far-longer"),
        pytest.param([HOUR, 5 * HOUR, 25 * HOUR, 125 * HOUR], None, id="no-gap"),
        pytest.param([HOUR] * 5 + [24 * HOUR] * 5, None, id="as-many-as-the-rest"),
        pytest.param([HOUR] * 5, None, id="all-alike"),
        pytest.param([], None, id="no-messages"),
    ],
)
def test_a_minority_with_far_longer_delays_is_seen(
    lab: Lab, delays_ms: list[int], text: str | None
) -> None:
    lab.local("Q1")
    for delay_ms in reversed(delays_ms):
        lab.send("Q1", delay_ms)
    fillings: dict[str, Filling] = {}
    list(forecast(lab.mq, bucket_ms=HOUR, horizon_ms=HOUR, fillings=fillings).items)
    longer = next((filling.longer for filling in fillings.values()), None)
    assert (None if longer is None else str(longer).partition(",")[0]) == text
