"""The recorded exchanges of IBM's clients for Java, decoded and written again byte for byte.

They lie in the corpus, which is no part of the project: a line of text tells of each segment, a
line of hex has it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import Assembly, Segment, decoded, encoded

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT / ".." / "shared" / "corpus"))
FOLDER = CORPUS / "channel"
FILES = sorted(FOLDER.glob("*.txt"))
CUT = "(cut)"
"""What a recording says of a segment that it has the beginning of alone."""
PADDING_BYTES = 3
MORE_THAN_SAID = {
    ("65-sharecnv0-jms11", 0x99),  # the trial server sent more characters than were asked for
    ("34-unknown-queue", 0x97),  # and the data of the put that it refused
    ("54-mqconn-2035", 0x0A),  # the client pads a password segment by four more
}


class Recorded(NamedTuple):
    """One segment, which socket it was on, and whether the client sent it."""

    sock: str
    is_of_client: bool
    data: bytes


def recorded(file: Path) -> Iterator[Recorded]:
    sock = ""
    for line in file.read_text("utf-8").splitlines():
        if " sock=" in line:
            sock = line.partition(" sock=")[2].split()[0]
        elif line[:4] in ("C>S ", "S>C ") and CUT not in line:
            yield Recorded(sock, line[0] == "C", bytes.fromhex(line[4:]))


def calls(file: Path) -> Iterator[Segment]:
    """The calls and replies; of one whose recording is cut, nothing."""
    assemblies: dict[tuple[str, bool], Assembly] = {}
    for one in recorded(file):
        segment = decoded(one.data)
        is_middle = segment.type >= 0x81 and not segment.flags & 0x10
        if is_middle and CUT in file.read_text("utf-8"):
            continue
        whole = assemblies.setdefault(one[:2], Assembly()).whole(segment)
        if whole is not None:
            yield whole


def test_the_recordings_are_there() -> None:
    if not FOLDER.exists():
        pytest.skip("no recorded exchanges (MQTRIAGE_CORPUS)")
    assert len(FILES) == 66


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_segment_is_written_as_it_was_read(file: Path) -> None:
    segments = list(recorded(file))
    assert segments
    for one in segments:
        assert encoded(decoded(one.data)) == one.data


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.slow
def test_every_body_is_written_as_it_was_read(file: Path) -> None:
    for segment in calls(file):
        body, used = bodies.decode(segment.type, segment.body, segment.order)
        assert bodies.encode(segment.type, body, segment.order) == segment.body[:used]
        if (file.stem, segment.type) not in MORE_THAN_SAID:
            assert len(segment.body) - used <= PADDING_BYTES
