"""Where a rule turns over: the last value on this side, the first on the other."""

from __future__ import annotations

from typing import Literal

import pytest

from mqtriage.mq import cmqc, times
from mqtriage.mq.delay import GREATEST_MAXDEPTH, depth_needed, disk_needed
from mqtriage.mq.descriptor import MQMD, pack, unpack
from mqtriage.mq.due_time import DueReading, DueTimeEvidence, Witness, interpret_time, weigh
from mqtriage.mq.expiry import capped, put_reason
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.ddh import DDH
from mqtriage.mq.headers.mqext import SenderDelay
from mqtriage.mq.reports import ReportData, Reported, told_by
from mqtriage.mq.segments import pieces

SECOND = 1_000_000


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("codec", ["latin-1", "cp037"])
def test_a_descriptor_is_as_long_as_its_version_says_to_the_byte(
    version: int, order: Literal["<", ">"], codec: str
) -> None:
    md = MQMD(version=version, put_date="20260131", put_time="10000000", msg_seq_number=version)
    data = pack(md, order, codec)
    assert len(data) == (324 if version == 1 else 364)
    assert unpack(data, 0, order, codec) == md
    assert unpack(b"--" + data, 2, order, codec) == md
    with pytest.raises(ValueError, match="bytes left"):
        unpack(data[:-1], 0, order, codec)


@pytest.mark.parametrize(
    ("date", "time", "works"),
    [
        ("20260131", "00000000", True),
        ("20260131", "23595999", True),
        ("20260131", "23590000", True),
        ("20260131", "23600000", False),
        ("20260131", "24000000", False),
        ("20260131", "00006199", True),
        ("20260131", "00006200", False),
        ("20260132", "00000000", False),
        ("20260100", "00000000", False),
        ("20260430", "00000000", True),
        ("20260431", "00000000", False),
        ("20261231", "00000000", True),
        ("20261301", "00000000", False),
        ("20260001", "00000000", False),
        ("20240229", "00000000", True),
        ("20260229", "00000000", False),
        ("20000229", "00000000", True),
        ("21000229", "00000000", False),
        ("00010101", "00000000", True),
        ("00000101", "00000000", False),
    ],
)
def test_a_put_date_and_time_is_one_that_there_is(date: str, time: str, works: bool) -> None:
    assert (times.put_time_us(date, time) is not None) is works


def test_the_years_that_can_be_written_are_1_to_9999() -> None:
    assert times.rfc3339_or_none(times.LEAST_US) == "0001-01-01T00:00:00Z"
    assert times.rfc3339_or_none(times.LEAST_US - 1) is None
    assert times.rfc3339_or_none(times.GREATEST_US) == "9999-12-31T23:59:59.999999Z"
    assert times.rfc3339_or_none(times.GREATEST_US + 1) is None


def test_every_day_of_four_centuries_comes_back_as_it_was() -> None:
    before = times.days_since_1970(1999, 12, 31)
    for year in range(2000, 2401):
        for month in range(1, 13):
            for day in (1, times.days_in_month(year, month)):
                days = times.days_since_1970(year, month, day)
                assert days - before == (1 if day == 1 else times.days_in_month(year, month) - 1)
                assert times._civil(days) == (year, month, day)
                before = days


@pytest.mark.parametrize(("apart_us", "agrees"), [(SECOND, True), (SECOND + 1, False)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_times_agree_up_to_a_second_apart(apart_us: int, agrees: bool, sign: int) -> None:
    sender = SenderDelay(60_000, 160_000)
    for meaning, at in (("due", 160 * SECOND), ("put", 100 * SECOND)):
        seen = Witness(at + sign * apart_us, None, sender).meanings
        assert seen == ({meaning} if agrees else set())


@pytest.mark.parametrize(("delay_ms", "tells"), [(3000, 0), (3001, 1)])
def test_a_delay_tells_what_the_time_is_above_three_seconds(delay_ms: int, tells: int) -> None:
    due_us = 100 * SECOND + delay_ms * 1000
    witness = Witness(due_us, None, SenderDelay(delay_ms, due_us // 1000))
    assert weigh([witness], 1).due == tells


@pytest.mark.parametrize(
    ("delays", "due", "meaning"), [(2, 5, "due"), (1, 5, None), (2, 4, None), (3, 9, "due")]
)
def test_two_delays_and_five_messages_decide_what_the_time_is(
    delays: int, due: int, meaning: str | None
) -> None:
    assert DueTimeEvidence(9, 9, due, 0, 0, delays, None).meaning == meaning


@pytest.mark.parametrize(
    ("difference_us", "text"),
    [(SECOND, ""), (SECOND + 1, "1.0 s ahead of"), (-SECOND, ""), (-SECOND - 1, "1.0 s behind")],
)
def test_clocks_that_are_a_second_apart_are_not_told_of(difference_us: int, text: str) -> None:
    notes = DueReading(evidence=DueTimeEvidence(1, 1, 0, 0, 0, 0, difference_us)).notes()
    assert any("manager's clock" in note for note in notes) is bool(text)
    assert text in " ".join(notes)


@pytest.mark.parametrize(
    ("original", "length", "data"),
    [(100, 100, "FULL"), (101, 100, "FIRST_100"), (0, 100, "FULL"), (-1, 100, "FIRST_100"),
     (-1, 99, "FULL"), (-1, 101, "FULL"), (-1, 0, "NONE")],
)  # fmt: skip
def test_how_much_of_the_original_a_report_carries(original: int, length: int, data: str) -> None:
    md = MQMD(msg_type=cmqc.MQMT_REPORT, feedback=cmqc.MQFB_EXPIRATION, original_length=original)
    reported = told_by(md, length)
    assert isinstance(reported, Reported)
    assert reported.data is ReportData[data]


def test_a_cap_of_0_is_a_cap_and_a_negative_one_is_none() -> None:
    assert [capped(5, [cap]) for cap in (-1, 0, 4, 5, 6)] == [5, 0, 4, 5, 5]
    assert [capped(-1, [cap]) for cap in (-1, 0, 4)] == [-1, 0, 4]
    assert [bool(put_reason(n, enforce_maximum=True)) for n in (999_999_999, 10**9)] == [0, 1]


def test_the_greatest_depth_is_one_that_a_queue_can_have() -> None:
    assert depth_needed(GREATEST_MAXDEPTH, 1000, headroom_percent=0).problem == ""
    assert "greatest" in depth_needed(GREATEST_MAXDEPTH + 1, 1000, headroom_percent=0).problem
    assert "1 x 512 bytes = 1 MiB" in disk_needed(1, 512).text
    assert "1 x 1024 bytes = 1 MiB" in disk_needed(1, 513).text


@pytest.mark.parametrize(
    ("later_us", "basis"), [(SECOND, "put"), (SECOND + 1, "assumed-due"), (-1, "put")]
)
def test_a_header_later_than_its_put_by_more_than_a_second_may_have_the_due_time(
    later_us: int, basis: str
) -> None:
    md = MQMD(put_date="20260131", put_time="10000000")
    put_us = times.put_time_us(md.put_date, md.put_time)
    assert put_us is not None
    header = DDH(put_us + later_us, -1, "QM1", "Q1", None, 120)
    due_us = header.time_us if basis == "assumed-due" else None
    assert interpret_time(header, md, DueReading()) == (due_us, header.time_us, basis)


@pytest.mark.parametrize(
    ("length", "most", "lengths"),
    [(36, 20, [16, 20]), (37, 20, [16, 16, 5]), (32, 32, [32]), (33, 32, [32, 1])],
)
def test_the_last_segment_takes_as_much_as_fits(length: int, most: int, lengths: list[int]) -> None:
    md = MQMD(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED, format="MQSTR")
    assert [len(piece.body) for piece in pieces(md, b"x" * length, most)] == lengths


def test_a_header_as_long_as_a_segment_may_be_is_one() -> None:
    """Where it does not say how what follows it is written, that is as the message was."""
    header = rfh2.encode(rfh2.RFH2(546, 0, "MQSTR", folders=(), order="<"))
    md = MQMD(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED, format="MQHRF2", ccsid=1208)
    parts = pieces(md, header + b"x" * 20, len(header))
    assert [part.body for part in parts] == [header, b"x" * 20]
    assert [(part.md.format, part.md.ccsid) for part in parts] == [
        ("MQHRF2", 1208),
        ("MQSTR", 1208),
    ]
    assert pieces(md, header + b"x" * 20, len(header) - 1) == []


@pytest.mark.parametrize(
    ("offset", "report"),
    [(3, cmqc.MQRO_COD_WITH_DATA), (4, cmqc.MQRO_COD), (5, cmqc.MQRO_COD)],
)
def test_a_report_has_data_of_a_segment_that_begins_in_the_first_100_bytes(
    offset: int, report: int
) -> None:
    flags = cmqc.MQMF_SEGMENTATION_ALLOWED | cmqc.MQMF_SEGMENT
    md = MQMD(msg_flags=flags, format="MQSTR", offset=offset, report=cmqc.MQRO_COD_WITH_DATA)
    reports = [part.md.report for part in pieces(md, b"x" * 112, 96)]
    assert reports == [cmqc.MQRO_COD_WITH_DATA, report]
