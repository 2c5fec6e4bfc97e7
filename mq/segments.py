"""Segments: a message cut into pieces that fit on a queue, and pieces put together again.

Source: IBM MQ documentation, "MsgFlags" (MQMF_SEGMENTATION_ALLOWED), "MQGMO - Options"
(MQGMO_COMPLETE_MSG), "OriginalLength", "Reports and segmented messages", reasons 2030, 2243, 2244.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import chain
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.reports import FIRST_BYTES, without_first_bytes
from mqtriage.records import NamedTuple

SEGMENTED: Final = cmqc.MQMF_SEGMENT | cmqc.MQMF_LAST_SEGMENT
_BOUNDARY: Final = 16


# -- apart ----------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """One segment that a queue manager makes."""

    md: MQMD
    body: bytes


def pieces(md: MQMD, body: bytes, most_bytes: int) -> list[Piece]:
    """Cut a message, or a segment, into segments of *most_bytes* at most.

    No header is cut; message data is cut at multiples of 16 bytes, and no segment but the last is
    shorter than that. Format, Encoding and CodedCharSetId of each say what it begins with. The
    identifiers are left to whoever puts them.

    Returns:
        The message alone where it fits, nothing where it cannot be cut so small.
    """
    if len(body) <= most_bytes:
        return [Piece(md, body)]
    starts, data = _starts(md, body)
    ends = _ends([at for at, _ in starts], data, len(body), most_bytes)
    kinds = dict(starts)
    form = kinds[data]
    parts, begin = [], 0
    for end in ends:
        described = _described(md, begin, end, data, kinds.get(begin, form))
        parts.append(Piece(described, body[begin:end]))
        begin = end
    if parts and (md.msg_flags & cmqc.MQMF_LAST_SEGMENT or not md.msg_flags & cmqc.MQMF_SEGMENT):
        last = parts[-1]
        flags = last.md.msg_flags | cmqc.MQMF_LAST_SEGMENT
        parts[-1] = last._replace(md=last.md._replace(msg_flags=flags))
    return parts


def _starts(md: MQMD, body: bytes) -> tuple[list[tuple[int, Following]], int]:
    """Where each header and the data begin, with what is announced there; where the data begin."""
    following = Following(md.format, md.encoding, md.ccsid)
    starts = [(0, following)]
    if md.format not in HEADER_FORMATS:
        return starts, 0
    for header in chain.decode(md.format, md.encoding, md.ccsid, body).headers:
        if header.record is None or header.found_by_looking:
            break
        described = header.record.following or following._replace(format="")
        following = Following(
            described.format,
            described.encoding or following.encoding,
            described.ccsid if described.ccsid > 0 else following.ccsid,
        )
        starts.append((header.offset + header.length, following))
    return starts, starts[-1][0]


def _ends(starts: list[int], data: int, length: int, most: int) -> list[int]:
    """Where the segments end; nothing where a header, or 16 bytes, do not fit into one."""
    ends, begin = [], 0
    whole = [*starts[1:], length] if data < length else starts[1:]
    while begin < length:
        room = begin + most
        if begin < data:  # as many whole headers as fit, and data behind the last of them
            end = max((at for at in whole if begin < at <= room), default=begin)
            if end == data:
                end += (room - end) // _BOUNDARY * _BOUNDARY
        elif room >= length:
            end = length
        else:
            end = begin + most // _BOUNDARY * _BOUNDARY
        if end == begin:
            return []
        begin = min(end, length)
        ends.append(begin)
    return ends


def _described(md: MQMD, begin: int, end: int, data: int, kind: Following) -> MQMD:
    """The descriptor of the bytes from *begin* to *end*, not the last ones."""
    report = md.report
    if md.offset + begin >= data + FIRST_BYTES:
        report = without_first_bytes(report)
    return md._replace(
        report=report,
        format=kind.format,
        encoding=kind.encoding,
        ccsid=kind.ccsid,
        offset=md.offset + begin,
        msg_flags=md.msg_flags & ~cmqc.MQMF_LAST_SEGMENT | cmqc.MQMF_SEGMENT,
        original_length=end - begin,
    )


# -- together -------------------------------------------------------------------------------------


class SegmentCandidate(NamedTuple):
    """One message on a queue that may be a segment of a logical message."""

    position: int
    md: MQMD
    length_bytes: int


def spanned(md: MQMD, length_bytes: int) -> int:
    """How many bytes of the logical message a segment stands for: a report may carry less."""
    is_report = md.msg_type == cmqc.MQMT_REPORT and md.original_length != cmqc.MQOL_UNDEFINED
    return max(length_bytes, md.original_length) if is_report else length_bytes


def is_alike(one: MQMD, other: MQMD) -> bool:
    """Whether two segments may be of one message; reports of one kind make one of their own."""
    kinds = [(md.msg_type == cmqc.MQMT_REPORT, md.feedback) for md in (one, other)]
    return kinds[0] == kinds[1] if kinds[0][0] else not kinds[1][0]


def in_order(parts: Iterable[SegmentCandidate]) -> list[SegmentCandidate]:
    """The segments from offset 0 to the last without a gap; nothing where one is missing.

    Args:
        parts: of one logical message. Where several begin at the same offset, since a queue may
            hold a message twice, the first of them counts.
    """
    by_offset: dict[int, SegmentCandidate] = {}
    for part in parts:
        by_offset.setdefault(part.md.offset, part)
    ordered: list[SegmentCandidate] = []
    end = 0
    while part_here := by_offset.get(end):
        ordered.append(part_here)
        if part_here.md.msg_flags & cmqc.MQMF_LAST_SEGMENT:
            return ordered
        end += spanned(part_here.md, part_here.length_bytes)
        if end == part_here.md.offset:
            break
    return []


class Joined(NamedTuple):
    """A logical message.

    Attributes:
        parts: how many of the segments it was put together from.
        warning: 2243 or 2244 where it is the beginning alone, since what follows is written in
            another code page or encoding; else 0.
    """

    md: MQMD
    body: bytes
    parts: int
    warning: int


def joined(segments: Sequence[Piece]) -> Joined:
    """Put segments together, from the first to the last.

    The descriptor is that of the first, but that MsgFlags say that it is the only segment. What
    reports carry no data of are zeros.
    """
    first = segments[0].md
    bodies: list[bytes] = []
    warning = 0
    for md, body in segments:
        if warning := _differs(first, bodies, md):
            break
        bodies.append(body.ljust(spanned(md, len(body)), b"\0"))
    flags = first.msg_flags | (cmqc.MQMF_SEGMENT if warning else SEGMENTED)
    return Joined(first._replace(msg_flags=flags), b"".join(bodies), len(bodies), warning)


def _differs(first: MQMD, before: list[bytes], md: MQMD) -> int:
    """Why a segment cannot be added to those *before* it, or 0.

    Where headers come first, those tell how what follows them is written.
    """
    expected = Following("", first.encoding, first.ccsid)
    if (md.encoding, md.ccsid) != expected[1:] and first.format in HEADER_FORMATS:
        so_far = b"".join(before)
        starts, data = _starts(first, so_far)
        kinds = dict(starts)
        expected = kinds.get(len(so_far), kinds[data])
    if md.ccsid != expected.ccsid:
        return cmqc.MQRC_INCONSISTENT_CCSIDS
    return 0 if md.encoding == expected.encoding else cmqc.MQRC_INCONSISTENT_ENCODINGS
