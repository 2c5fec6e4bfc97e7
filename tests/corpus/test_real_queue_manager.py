"""What a real IBM MQ 9.4.3 and an unmodified client said to each other, held against ours.

The captures lie in the corpus, which is no part of the project. Each segment is decoded and written
again byte for byte. Then what the client sent on each socket is sent to our server, and every field
of every answer, header and body, is compared with the real one. What may differ is listed below,
each with its reason; the list only gets shorter.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from mqtriage.emulator.channel import bodies, negotiation
from mqtriage.emulator.channel.segments import Segment, SegmentType, decoded, encoded
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.files.private import private_folder
from tests.corpus.test_channel_exchanges import CORPUS, recorded
from tests.corpus.test_channel_replay import Part, Player, parts, values
from tests.support.channel_server import ChannelServer

FOLDER: Final = CORPUS / "channel-real"
FILES: Final = sorted(FOLDER.glob("*.txt"))
SEGMENTS: Final = 750
LEVEL: Final = 17
"""Of the protocol, which all sockets agreed on."""
NO_AUTHORITY: Final = 2035
PADDING_BYTES: Final = 3
QUEUE_MANAGERS: Final = ("QM1", "QM2", "QM3")
DEFINITIONS: Final = (
    "ALTER QMGR CCSID(819) DEADQ(DEV.DEAD.LETTER.QUEUE)",
    "DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN)",
    "DEFINE QLOCAL(UNIFORM.QUEUE)",
)

if not FILES:
    pytest.skip("no captures of a real queue manager (MQTRIAGE_CORPUS)", allow_module_level=True)


class Socket(NamedTuple):
    """One socket of a capture."""

    stem: str
    sock: str

    def __str__(self) -> str:
        return f"{self.stem}-{self.sock}"

    @property
    def parts(self) -> list[Part]:
        return list(parts_of(self.stem)[self.sock])


@cache
def parts_of(stem: str) -> dict[str, list[Part]]:
    by_socket = defaultdict(list)
    for part in parts(FOLDER / f"{stem}.txt"):
        by_socket[part.sock].append(part)
    return by_socket


SOCKETS: Final = [Socket(file.stem, sock) for file in FILES for sock in parts_of(file.stem)]


def all_segments() -> Iterator[tuple[str, int, bytes]]:
    for file in FILES:
        for number, one in enumerate(recorded(file)):
            yield file.stem, number, one.data


def test_every_segment_of_the_real_one_is_written_as_it_was_read() -> None:
    count = 0
    for stem, number, data in all_segments():
        where = stem, number
        segment = decoded(data)
        assert encoded(segment) == data, where
        body, used = bodies.decode(segment.type, segment.body, segment.order, LEVEL)
        raw = bodies.encode(segment.type, body, segment.order, LEVEL)
        assert raw == segment.body[:used], where
        assert len(segment.body) - used <= PADDING_BYTES, where
        count += 1
    assert count == SEGMENTS


class RealPlayer(Player):
    """Plays one socket; the fields of the headers count as well."""

    def _values(self, segment: Segment) -> dict[str, Any]:
        header = segment._asdict()
        del header["body"], header["type"], header["flags"]
        return {f"header.{name}": value for name, value in header.items()} | values(segment)

    def _is_same(self, part: Part, name: str, theirs: Any, ours: Any) -> bool:
        if name in FORMS and theirs[:FORM_BYTES] != ours[:FORM_BYTES]:
            return False
        return super()._is_same(part, name, theirs, ours)

    def _learn(self, name: str, theirs: Any, ours: Any) -> bool:
        # parts of both stand in the connection tag
        if name == "connection_id":
            digits = [value[FORM_BYTES:].hex().upper().encode() for value in (theirs, ours)]
            self._learnt[digits[0]] = digits[1]
        elif name == "qmid":
            self._learnt[theirs.rstrip()] = ours.rstrip()
        return super()._learn(name, theirs, ours)


FORMS: Final = ("connection_id", "md.MsgId")
"""Ids, whose last 8 bytes are the queue manager's own: what is before them is compared."""
FORM_BYTES: Final = 16
OWN_NUMBER: Final = "a number of the server's own"
ALLOWED: Final[dict[tuple[int, str], str]] = {
    (0x01, "process"): OWN_NUMBER,
    (0x01, "thread"): OWN_NUMBER,
    (0x01, "trace"): OWN_NUMBER,
    (0x01, "random"): "drawn anew for each socket",
    (0x0C, "parameter_1"): "the thread that INITIAL_DATA told",
    (0x0C, "parameter_2"): "the next number of that trace",
    (0x96, "md.PutDate"): "the day of the capture",
    (0x96, "md.PutTime"): "the time of the capture",
}
"""Segment types and fields that may differ, and why.

Beside these, ids differ in their last 8 bytes, and QMID in the time at which the queue manager was
made; wherever they come back they must be the ones that were told.
"""
differing: set[tuple[int, str]] = set()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Queue managers with what the client used, to be copied."""
    folder = tmp_path_factory.mktemp("real")
    server = ChannelServer(folder, names=QUEUE_MANAGERS, starts=False, version="9.4.3")
    for name in QUEUE_MANAGERS:
        server.mqsc(*DEFINITIONS, name=name)
    server.close()
    return folder


def queue_manager(recording: list[Part]) -> str:
    (first, *_) = (part.segment for part in recording if not part.is_of_client)
    return str(values(first)["queue_manager"].decode().strip())


def is_refused(recording: list[Part]) -> bool:
    return any(
        part.segment.type == SegmentType.MQCONN + 0x10
        and values(part.segment)["reason"] == NO_AUTHORITY
        for part in recording
    )


@pytest.mark.parametrize("which", SOCKETS, ids=str)
@pytest.mark.slow
def test_ours_answers_as_the_real_one(
    which: Socket, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = which.parts
    name = queue_manager(recording)
    copy = qmgr_path(tmp_path, name)
    private_folder(copy.parent)
    shutil.copy2(qmgr_path(home, name), copy)
    passwords = None
    if is_refused(recording):
        passwords = str(tmp_path / "passwords")
        Path(passwords).write_text("app:secret\n", "utf-8")
        Path(passwords).chmod(0o600)
        monkeypatch.setattr(negotiation, "READABLE_LEVEL", LEVEL)
    server = ChannelServer(tmp_path, passwords, names=(name,))
    try:
        differences = RealPlayer(server, which.stem, recording).play()
        unexpected = [line for line in server.lines() if "MQRC_NOT_AUTHORIZED (2035)" not in line]
        assert unexpected == []
    finally:
        server.close()
    differing.update((one.type, one.field) for one in differences)
    unexplained = [one for one in differences if (one.type, one.field) not in ALLOWED]
    assert unexplained == []


def test_nothing_may_differ_that_does_not() -> None:
    if not differing:
        pytest.skip("no socket was played in this run")
    assert set(ALLOWED) == differing
