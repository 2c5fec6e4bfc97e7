"""Messages cut into segments, and segments put together: pure rules."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.segments import Piece, SegmentCandidate, in_order, joined, pieces

ALLOWED = MQMD(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED, format="MQSTR", ccsid=1208)
FIRST, LAST = cmqc.MQMF_SEGMENT, cmqc.MQMF_SEGMENT | cmqc.MQMF_LAST_SEGMENT


def with_header(data: bytes) -> tuple[MQMD, bytes]:
    """A message with an MQRFH2 in another code page than its data."""
    folder = rfh2.Folder("usr", b"<usr><a>1</a></usr>", "<usr><a>1</a></usr>", ())
    header = rfh2.RFH2(546, 819, "MQSTR", folders=(folder,), order="<")
    return ALLOWED._replace(format="MQHRF2"), rfh2.encode(header) + data


@given(st.binary(max_size=500), st.integers(16, 300), st.booleans())
def test_what_is_cut_comes_together_again(data: bytes, most: int, headed: bool) -> None:
    md, body = with_header(data) if headed else (ALLOWED, data)
    segments = pieces(md, body, most)
    if not segments:
        assert headed
        return
    assert all(len(piece.body) <= most for piece in segments)
    whole = joined(segments)
    assert (whole.body, whole.warning, whole.parts) == (body, 0, len(segments))
    assert (whole.md.format, whole.md.ccsid) == (md.format, md.ccsid)


@given(st.binary(min_size=1, max_size=500), st.integers(16, 300))
def test_data_is_cut_at_multiples_of_16_and_none_but_the_last_is_shorter(
    data: bytes, most: int
) -> None:
    segments = pieces(ALLOWED, data, most)
    assert all(piece.md.offset % 16 == 0 for piece in segments)
    assert all(len(piece.body) >= 16 for piece in segments[:-1])
    if len(segments) > 1:
        assert [piece.md.msg_flags & LAST for piece in segments] == [FIRST] * (
            len(segments) - 1
        ) + [LAST]


def test_a_message_that_fits_stays_as_it_is() -> None:
    assert pieces(ALLOWED, b"x" * 16, 16) == [(ALLOWED, b"x" * 16)]


def test_what_cannot_be_cut_small_enough_is_not_cut() -> None:
    assert pieces(ALLOWED, b"x" * 20, 15) == []
    assert pieces(*with_header(b"x" * 200), 32) == []


def test_a_segment_says_how_what_it_begins_with_is_written() -> None:
    md, body = with_header(b"x" * 200)
    first, second, *_ = pieces(md, body, 96)
    assert (first.md.format, first.md.ccsid) == ("MQHRF2", 1208)
    assert (second.md.format, second.md.ccsid) == ("MQSTR", 819)


def test_a_segment_is_cut_further_and_the_last_stays_the_last() -> None:
    middle = ALLOWED._replace(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED | FIRST, offset=100)
    end = middle._replace(msg_flags=cmqc.MQMF_SEGMENTATION_ALLOWED | LAST)
    flags = [[p.md.msg_flags & LAST for p in pieces(md, b"x" * 40, 16)] for md in (middle, end)]
    assert flags == [[FIRST, FIRST, FIRST], [FIRST, FIRST, LAST]]
    assert [p.md.offset for p in pieces(end, b"x" * 40, 16)] == [100, 116, 132]


def test_a_report_with_data_is_asked_only_of_segments_of_the_first_100_bytes() -> None:
    with_data = cmqc.MQRO_COD_WITH_DATA | cmqc.MQRO_COA_WITH_FULL_DATA
    without = cmqc.MQRO_COD | cmqc.MQRO_COA_WITH_FULL_DATA
    md = ALLOWED._replace(report=with_data)
    reports = [piece.md.report for piece in pieces(md, b"x" * 200, 64)]
    assert reports == [with_data, with_data, without, without]


def part(
    offset: int, length: int, flags: int = FIRST, position: int = 0, **more: int
) -> SegmentCandidate:
    md = MQMD(msg_flags=flags, offset=offset)._replace(**more)  # type: ignore[arg-type]
    return SegmentCandidate(position, md, length)


def test_segments_are_whole_from_the_first_to_the_last_without_a_gap() -> None:
    whole = [part(0, 3), part(3, 3), part(6, 2, LAST)]
    shuffled = random.Random(1).sample(whole, 3)
    assert in_order(shuffled) == whole
    for missing in range(3):
        assert in_order(whole[:missing] + whole[missing + 1 :]) == []
    assert in_order([part(0, 0)]) == []


def test_of_a_message_that_is_there_twice_one_copy_is_taken() -> None:
    copies = [part(0, 3, position=1), part(3, 1, LAST, 2), part(0, 3, position=3)]
    assert [segment.position for segment in in_order([*copies, part(3, 1, LAST, 4)])] == [1, 2]


def test_a_report_stands_for_as_much_as_its_original_length_says() -> None:
    report = {"msg_type": cmqc.MQMT_REPORT}
    parts = [
        part(0, 0, original_length=50, **report),
        part(50, 4, LAST, original_length=9, **report),
    ]
    assert in_order(parts) == parts
    whole = joined([Piece(parts[0].md, b""), Piece(parts[1].md, b"data")])
    assert whole.body == bytes(50) + b"data" + bytes(5)


def test_the_descriptor_is_that_of_the_first_segment_which_is_the_only_one() -> None:
    first = MQMD(msg_flags=FIRST | cmqc.MQMF_LAST_MSG_IN_GROUP, msg_id=b"1" * 24, backout_count=2)
    last = MQMD(msg_flags=LAST, msg_id=b"2" * 24, offset=3, backout_count=5)
    whole = joined([Piece(first, b"abc"), Piece(last, b"de")])
    assert whole.md == first._replace(msg_flags=LAST | cmqc.MQMF_LAST_MSG_IN_GROUP)


def test_segments_in_another_code_page_or_encoding_are_left() -> None:
    first, last = MQMD(msg_flags=FIRST, ccsid=819), MQMD(msg_flags=LAST, ccsid=1208, offset=3)
    whole = joined([Piece(first, b"abc"), Piece(last, b"de")])
    assert (whole.body, whole.parts) == (b"abc", 1)
    assert whole.warning == cmqc.MQRC_INCONSISTENT_CCSIDS
    assert whole.md.msg_flags == FIRST
    other = last._replace(ccsid=819, encoding=273)
    whole = joined([Piece(first, b"abc"), Piece(other, b"de")])
    assert whole.warning == cmqc.MQRC_INCONSISTENT_ENCODINGS
