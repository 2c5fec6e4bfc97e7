"""The recorded exchanges of IBM's clients for Java, played against the real server.

What the client sent is sent again, with our handles and ids in the place of the recorded ones where
the client only says back what it was told; each answer must have come in the recording with the
same fields. What may differ is listed below, each with its reason.

The recordings were made with a stand-in of a queue manager. Where that and IBM MQ's documentation
do not agree, ours is as documented and the list says so.
"""

from __future__ import annotations

import shutil
import socket
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple

import pytest

from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.channel import bodies, negotiation
from mqtriage.emulator.channel.bodies import Body
from mqtriage.emulator.channel.segments import (
    ANSWER_DUE,
    FIRST,
    MULTIPLEXED,
    REPLY,
    WHOLE,
    Assembly,
    Inflow,
    Segment,
    SegmentType,
    decoded,
    encoded,
    pieces,
)
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.files.private import private_folder
from mqtriage.mq import cmqc
from mqtriage.mq.structures import repacking, structure
from tests.corpus.test_channel_exchanges import CUT, FILES, FOLDER
from tests.support.channel_server import CHANNEL, ChannelServer

SOCKETS_S: Final = 5.0
TRANSMISSION: Final = 32748
PAUSE_S: Final = 0.25
SHORT_WAIT_MS: Final = 150
LONG_WAIT_MS: Final = 60_000

QUEUES: Final = tuple(f"DEV.QUEUE.{number}" for number in range(1, 10))
DEFINITIONS: Final = (
    "ALTER QMGR CCSID(819) DEADQ(DEV.DEAD.LETTER.QUEUE) MAXMSGL(104857600)",
    f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MAXMSGL(104857600)",
    *(f"DEFINE QLOCAL({name}) REPLACE" for name in QUEUES),
    "DEFINE QLOCAL(DEV.QUEUE.FULL) MAXDEPTH(2)",
    "DEFINE QLOCAL(DEV.DEAD.LETTER.QUEUE)",
    "DEFINE QLOCAL(DEV.POISON.BO)",
    "DEFINE QLOCAL(DEV.POISON) BOTHRESH(3) BOQNAME(DEV.POISON.BO)",
)


class Setting(NamedTuple):
    """What the queue manager of a recording had otherwise.

    Attributes:
        level: highest FAP that is offered.
        commands: MQSC.
        passwords: lines of a file with users; None where none is asked for.
    """

    level: int = 13
    commands: tuple[str, ...] = ()
    passwords: str | None = None


def altered(attributes: str) -> Setting:
    return Setting(commands=(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) {attributes}",))


LATE: Final = "ALTER TOPIC(SYSTEM.BASE.TOPIC) PMSGDLV(ALLAVAIL)"
"""A delayed publication needs it (DD-118)."""
SETTINGS: Final[dict[str, Setting]] = {
    "08-b-delay-topic": Setting(commands=(LATE,)),
    "84-spring-jms-5.3": Setting(commands=(LATE,)),
    # marks would end after 5 s, which the pauses of the recording nearly are
    "28-connection-consumer": Setting(commands=("ALTER QMGR MARKINT(NOLIMIT)",)),
    "54-mqconn-2035": Setting(passwords="alice:secret\n"),
    "51-password-clear-fap12": Setting(level=12),
    "56-heartbeat-1s": altered("HBINT(1)"),
    "57-server-heartbeat": altered("HBINT(1)"),
    "60-fap17-a": Setting(level=17),
    "61-fap15-a": Setting(level=15),
    "62-fap12-get-by-request-msgs": Setting(level=12),
    "63-fap10-a": Setting(level=10),
    "64-sharecnv1-a": altered("SHARECNV(1)"),
    "65-sharecnv0-jms11": altered("SHARECNV(0)"),
    "66-sharecnv0-context-refused": altered("SHARECNV(0)"),
    "73-default-put-response-async": Setting(commands=("ALTER QL(DEV.QUEUE.3) DEFPRESP(ASYNC)",)),
    "74-default-read-ahead": Setting(commands=("ALTER QL(DEV.QUEUE.3) DEFREADA(YES)",)),
    "75-status-1-unknown-channel": Setting(commands=(f"DELETE CHANNEL({CHANNEL})",)),
}


class Part(NamedTuple):
    """One call, reply or other segment of a recording, whole.

    Attributes:
        at_s: since its server's start.
        is_cut: the recording has no more than its beginning.
    """

    at_s: float
    sock: str
    is_of_client: bool
    segment: Segment
    is_cut: bool


def parts(file: Path) -> Iterator[Part]:
    """What is in a recording, in order; bytes that it leaves out are zeros."""
    assemblies: dict[tuple[str, bool], Assembly] = defaultdict(Assembly)
    at_s, sock, is_cut, was_cut = 0.0, "", False, False
    for line in file.read_text("utf-8").splitlines():
        if " sock=" in line:
            at_s, sock = float(line.split()[1]), line.partition(" sock=")[2].split()[0]
            is_cut = CUT in line
        elif line[:4] in ("C>S ", "S>C "):
            is_cut = is_cut or CUT in line
            data = bytes.fromhex(line[4:].replace(CUT, ""))
            data = data.ljust(int.from_bytes(data[4:8]), b"\0")
            was_cut = was_cut or is_cut
            key = sock, line[0] == "C"
            whole = assemblies[key].whole(decoded(data))
            if whole is not None:
                yield Part(at_s, *key, whole, was_cut)
                was_cut = False


def permitted(recorded: list[Part]) -> list[Part]:
    """With each message after the permit that followed it.

    The stand-in sent one at the first request after a start. Ours waits for the permit that comes
    after all requests, since a session with two listeners has one.
    """
    for number, (one, following) in enumerate(pairwise(recorded)):
        is_permit = following.segment.type == SegmentType.NOTIFICATION and following.is_of_client
        if one.segment.type == SegmentType.ASYNC_MESSAGE and is_permit:
            recorded[number : number + 2] = following, one
    return recorded


# -- bodies as values -----------------------------------------------------------------------------


def values(segment: Segment) -> dict[str, Any]:
    """Every field of a segment and of the structures in it, by name."""
    flat: dict[str, Any] = {"flags": segment.flags & WHOLE | segment.flags & ~WHOLE}
    body, _ = bodies.decode(segment.type, segment.body, segment.order)
    if segment.type == SegmentType.ASYNC_MESSAGE:
        body |= message(body.pop("content"), segment)
    for name, value in body.items():
        if name in ("md", "od", "pmo", "gmo", "sts", "sd") and value:
            kind = f"MQ{name.upper()}"
            described = structure(kind).first(int.from_bytes(value[4:8], "little"))
            flat |= {f"{name}.{key}": v for key, v in described.decode(value, "replay").items()}
        else:
            flat[name] = value
    if "data" in flat:
        flat["data"] = flat["data"][: flat["data_length"]]
    if segment.form == MULTIPLEXED and segment.type >= SegmentType.MQCONN:
        flat["data"] = flat.get("data", b"")
    return flat


def message(content: bytes, segment: Segment) -> Body:
    """What stands in an ASYNC_MESSAGE: in its first segment the structures, then data."""
    if not segment.flags & FIRST:
        return {"data": content, "data_length": len(content)}
    reason, total, actual = Struct(f"{segment.order}iii").unpack_from(content)
    length = content[30]
    at = 31 + length
    at += -(at - 28) % 4
    packing = repacking("MQMD", 2, segment.order)
    md = packing.memory.pack(*packing.wire.unpack_from(content, at))
    at += packing.wire.size
    return {
        "reason": reason, "total": total, "actual": actual, "MsgToken": content[12:28],
        "queue": content[31 : 31 + length], "md": md, "data": content[at:],
        "data_length": len(content) - at,
    }  # fmt: skip


IDS: Final = frozenset(
    [
        "md.MsgId",
        "md.CorrelId",
        "md.GroupId",
        "md.AccountingToken",
        "gmo.MsgToken",
        "MsgToken",
        "connection_id",
        "tag",
        "qmid",
        "od.ObjectName",
        "pmo.ResolvedQName",
        "gmo.ResolvedQName",
        "md.ReplyToQ",
        "sd.SubCorrelId",
    ]
)
"""Fields with values of the queue manager's own making, which the client says back later."""
AGREED: Final = ("fap", "max_message", "heartbeat_s", "conversations")
"""What the client takes from the first INITIAL_DATA of the server."""
HANDLES: Final = ("handle", "subscription")
_INT: Final = Struct("<i")
TOKENS: Final = ("gmo.MsgToken", "MsgToken")
"""Mostly zeros, so that they are known by their place alone."""
_TOKEN_AT: Final = structure("MQGMO").field("MsgToken").offset
_MATCH_AT: Final = structure("MQGMO").field("MatchOptions").offset
_CONTEXT_AT: Final = structure("MQPMO").field("Context").offset
_WAIT_AT: Final = structure("MQGMO").field("WaitInterval").offset
RESERVED_BYTES: Final = 21
"""Of a tag: the client counts in the other three."""


class Difference(NamedTuple):
    """A field of an answer that is not as it was recorded."""

    stem: str
    type: int
    field: str
    recorded: Any
    ours: Any


def one_by_one(recorded: list[Part]) -> list[Part]:
    """The same with a get sent after the answer to another conversation's that came just then.

    Both wait for one message, which the one that asked first has got.
    """
    ordered = list(recorded)
    for at, (sent, answer) in enumerate(pairwise(recorded)):
        is_get = sent.is_of_client and sent.segment.type == SegmentType.MQGET
        is_for_another = sent.segment.conversation != answer.segment.conversation
        if is_get and is_for_another and answer.segment.type == SegmentType.MQGET + REPLY:
            ordered[at : at + 2] = answer, sent
    return ordered


class Player:
    """Plays one recording."""

    def __init__(self, server: ChannelServer, stem: str, recorded: list[Part]) -> None:
        self._server, self._stem = server, stem
        self._parts = recorded
        self._sockets: dict[str, socket.socket] = {}
        self._assemblies: dict[str, Assembly] = defaultdict(Assembly)
        self._inflows: dict[str, Inflow] = defaultdict(Inflow)
        self._come: dict[str, deque[Segment]] = defaultdict(deque)
        self._ended: set[str] = set()
        self._handles: dict[tuple[str, int, int], int] = {}
        self._learnt: dict[bytes, bytes] = {}
        self._tokens: dict[bytes, bytes] = {}
        self._agreed: dict[str, Body] = {}
        self.differences: list[Difference] = []

    def play(self) -> list[Difference]:
        before_s = self._parts[0].at_s
        clock = self._server.backend(self._server.names[0]).manager
        try:
            for number, part in enumerate(self._parts):
                gap_s, before_s = part.at_s - before_s, part.at_s
                if gap_s > PAUSE_S and part.segment.type != SegmentType.HEARTBEAT:
                    lifecycle.advance(clock, int(gap_s * 1_000_000))
                if part.is_of_client:
                    self._send(number, part)
                elif part.sock not in self._ended:
                    self._compare(part)
            for sock, extra in self._come.items():
                self.differences += [
                    Difference(self._stem, segment.type, "extra", sock, segment)
                    for segment in extra
                ]
        finally:
            for opened in self._sockets.values():
                opened.close()
        return self.differences

    # -- what the client sends ----------------------------------------------------------------

    def _send(self, number: int, part: Part) -> None:
        if part.sock not in self._sockets:
            address = "127.0.0.1", self._server.port
            self._sockets[part.sock] = socket.create_connection(address, timeout=SOCKETS_S)
        segment = self._with_ours(number, part)
        for piece in pieces(segment, TRANSMISSION):
            self._sockets[part.sock].sendall(encoded(piece))
        if segment.flags & 0x08:
            self._ended.add(part.sock)

    def _with_ours(self, number: int, part: Part) -> Segment:
        """The segment with what our server has told in the place of what was recorded."""
        segment = part.segment
        raw = segment.body
        for theirs, ours in self._learnt.items():
            raw = raw.replace(theirs, ours)
        level = self._agreed.get(part.sock, {}).get("fap", 0)
        body, used = bodies.decode(segment.type, raw, segment.order, level)
        if segment.type == SegmentType.INITIAL_DATA:
            body |= self._agreed.get(part.sock, {})
        for name in HANDLES:
            if name in body:
                body[name] = self._handle(part, body[name])
        if "pmo" in body:
            pmo = bytearray(body["pmo"])
            (context,) = _INT.unpack_from(pmo, _CONTEXT_AT)
            _INT.pack_into(pmo, _CONTEXT_AT, self._handle(part, context))
            body["pmo"] = bytes(pmo)
        if segment.type == SegmentType.MQGET:
            body["gmo"] = self._as_wanted(body["gmo"], number, part)
        raw = bodies.encode(segment.type, body, segment.order, level) + raw[used:]
        return segment._replace(body=raw)

    def _as_wanted(self, gmo: bytes, number: int, part: Part) -> bytes:
        """With our token, and a wait as long as it takes, however busy the machine is."""
        ours = bytearray(gmo)
        token = gmo[_TOKEN_AT : _TOKEN_AT + 16]
        ours[_TOKEN_AT : _TOKEN_AT + len(token)] = self._tokens.get(token, token)
        (match,) = _INT.unpack_from(ours, _MATCH_AT)
        if match & cmqc.MQMO_MATCH_MSG_TOKEN and not any(
            token
        ):  # the stand-in took it for any token
            _INT.pack_into(ours, _MATCH_AT, match & ~cmqc.MQMO_MATCH_MSG_TOKEN)
        (wait_ms,) = _INT.unpack_from(ours, _WAIT_AT)
        if self._comes_to_nothing(number, part):
            wait_ms = min(wait_ms, SHORT_WAIT_MS)
        elif wait_ms > 0:
            wait_ms = max(wait_ms, LONG_WAIT_MS)
        _INT.pack_into(ours, _WAIT_AT, wait_ms)
        return bytes(ours)

    def _handle(self, part: Part, number: int) -> int:
        return self._handles.get((part.sock, part.segment.conversation, number), number)

    def _comes_to_nothing(self, number: int, part: Part) -> bool:
        """Whether a get waits in vain, which need not take its time."""
        place = part.sock, SegmentType.MQGET + REPLY, part.segment.conversation
        for answer in self._parts[number + 1 :]:
            if (answer.sock, answer.segment.type, answer.segment.conversation) == place:
                return bool(values(answer.segment)["reason"] == 2033)
        return False

    # -- what the server answers --------------------------------------------------------------

    def _compare(self, part: Part) -> None:
        segment = part.segment
        ours = self._next(part.sock, segment.type, segment.conversation)
        if ours is None:
            self.differences.append(
                Difference(self._stem, int(segment.type), "missing", part.at_s, None)
            )
            return
        theirs_by_name, ours_by_name = self._values(segment), self._values(ours)
        if segment.type == SegmentType.INITIAL_DATA:
            self._agreed[part.sock] = {name: ours_by_name[name] for name in AGREED}
        if part.is_cut:
            theirs_by_name.pop("data", None)
        for name, value in theirs_by_name.items():
            if not self._is_same(part, name, value, ours_by_name.get(name)):
                self.differences.append(
                    Difference(self._stem, segment.type, name, value, ours_by_name.get(name))
                )

    def _values(self, segment: Segment) -> dict[str, Any]:
        return values(segment)

    def _is_same(self, part: Part, name: str, theirs: Any, ours: Any) -> bool:
        if name in HANDLES or name == "pmo.Context":
            key = part.sock, part.segment.conversation, theirs
            is_new = key not in self._handles and theirs > 0 and bool(ours and ours > 0)
            if is_new:
                self._handles[key] = ours
            return bool(self._handles.get(key, theirs) == ours)
        if name not in IDS or theirs == ours:
            return bool(self._told(theirs) == ours)
        return self._learn(name, self._told(theirs), ours)

    def _told(self, value: Any) -> Any:
        """A recorded value with what has been learnt of ours."""
        if isinstance(value, bytes):
            for theirs, ours in self._learnt.items():
                value = value.replace(theirs, ours)
        elif isinstance(value, str):
            value = self._told(value.encode("latin-1")).decode("latin-1")
        return value

    def _learn(self, name: str, theirs: Any, ours: Any) -> bool:
        if isinstance(theirs, str) and isinstance(ours, str):
            theirs, ours = theirs.encode().ljust(48), ours.encode().ljust(48)
        if theirs == ours:
            return True
        if not isinstance(ours, bytes) or bool(theirs.strip(b" \0")) != bool(ours.strip(b" \0")):
            return False
        if name == "tag":
            theirs, ours = theirs[:RESERVED_BYTES], ours[:RESERVED_BYTES]
        if name in TOKENS:
            self._tokens[theirs] = ours
            return True
        self._learnt[theirs] = ours
        if len(theirs) == 24:
            self._learnt[theirs.hex().encode()] = ours.hex().encode()
            self._learnt[theirs.hex().upper().encode()] = ours.hex().upper().encode()
        return True

    def _next(self, sock: str, kind: int, conversation: int) -> Segment | None:
        """The next segment of that type for a conversation; None where none comes."""
        while True:
            for segment in self._come[sock]:
                if (segment.type, segment.conversation) == (kind, conversation):
                    self._come[sock].remove(segment)
                    return segment
            while (come := self._inflows[sock].next()) is None:
                try:
                    piece = self._sockets[sock].recv(1 << 16)
                except (TimeoutError, ConnectionError):
                    return None
                if not piece:
                    return None
                self._inflows[sock].feed(piece)
            whole = self._assemblies[sock].whole(come)
            if whole is not None:
                self._come[sock].append(whole)
                if whole.type == SegmentType.HEARTBEAT and whole.flags & ANSWER_DUE:
                    self._sockets[sock].sendall(encoded(whole._replace(flags=FIRST)))


# -- what may differ ------------------------------------------------------------------------------

EVERYWHERE: Final[dict[str, str]] = {
    "md.PutDate": "the day of the recording",
    "md.PutTime": "the time of the recording",
    "md.ReplyToQMgr": "left blank by the stand-in; a queue manager fills its name in (MQMD)",
    "sts.ObjectType": "MQSTS is answered as it came by the stand-in; ours has its initial value",
    "thread": "a number of the server's own",
    "trace": "a number of the server's own",
    "persistence": "echoed as -1 by the stand-in; ours tells DEFPSIST of the queue",
    "put_response": "echoed as -1 by the stand-in; ours tells DEFPRESP of the queue",
    "read_ahead": "echoed as -1 by the stand-in; ours tells DEFREADA of the queue",
    "property_control": "echoed as -1 by the stand-in",
    "gmo.WaitInterval": "waits in vain are shortened here, and others made longer",
    "od.ObjectString": "where an empty text would stand",
    "od.SelectionString": "where an empty text would stand",
    "od.ResObjectString": "where an empty text would stand",
    "od.ResolvedQName": "the name of a dynamic queue",
    "od.ResolvedQMgrName": "blank for a topic (MQOD); the stand-in had its queues in mind",
    "pmo.ResolvedQMgrName": "blank for a topic (MQPMO); the stand-in had its queues in mind",
    "od.ResolvedType": "MQOT_TOPIC for a topic (MQOD); the stand-in had its queues in mind",
}
"""Fields of any segment that may differ, and why."""

AS_REAL: Final[dict[tuple[int, str], tuple[object, ...]]] = {
    (0x01, "capability_3"): (0x20, 0),
    (0x01, "refused_3"): (0x08,),
    (0x01, "flags"): (0x02,),
    (0x01, "process"): (),
    (0x01, "random"): (),
    (0x05, "code"): (None,),
    (0x05, "length"): (None,),
    (0x05, "flags"): (0x40,),
    (0x0C, "parameter_1"): (),
    (0x0C, "parameter_2"): (),
    (0x91, "fcno_flags"): (1,),
    (0x91, "fcno_version"): (3,),
    (0x91, "returned_tag"): (),
    (0x93, "od.KnownDestCount"): (1,),
    (0x99, "character_length"): (96,),
    (0x99, "length"): (192, 188),
    (0x99, "integers"): ((930, 3, 819, 1),),
    (0x9C, "count"): (12,),
    (0x9C, "out"): ((b"SPQO", 1, 256),),
    (0x9C, "length"): (324,),
    (0x9C, "verbs"): (),
}
"""What ours answers as a real queue manager does (`test_real_queue_manager`), and the stand-in did
not, by segment type and field: one of these values, () for any."""

NO_MESSAGE: Final = "the stand-in names the queue though there is no message or none is returned"
PUBLISHED: Final = "ours tells the topic in folder mqps of a publication, as documented"
COMMANDS: Final = "what a command server answers is its own"
REASONS: Final[tuple[tuple[str, int, str, str], ...]] = (
    ("", 0x95, "gmo.ResolvedQName", NO_MESSAGE),
    ("", 0x99, "comp_code", "2068: BASEQNAME is not an attribute of a local queue (MQINQ)"),
    ("", 0x99, "reason", "2068: BASEQNAME is not an attribute of a local queue (MQINQ)"),
    ("", 0x99, "characters", "2068: asterisks for what does not apply (MQINQ)"),
    ("", 0x09, "flags", "clients take any"),
    ("", 0x97, "md.CorrelId", "a publisher's CorrelId stays (MQMD); the stand-in had one made"),
    ("", 0x96, "md.CorrelId", "a publisher's CorrelId stays (MQMD); the stand-in had one made"),
    ("08-", 0x9C, "md.CorrelId", "a publisher's CorrelId stays (MQMD); the stand-in had one made"),
    *(
        (stem, kind, field, PUBLISHED)
        for stem in ("08-", "16-", "17-", "18-", "19-", "40-", "84-")
        for kind in (0x95, 0x0D)
        for field in (
            "length",
            "data",
            "data_length",
            "segment_bytes",
            "total",
            "actual",
            "gmo.ReturnedLength",
        )
    ),
    ("19-", 0x0D, "queue", "the name of a managed queue"),
    ("40-", 0x95, "md.Format", PUBLISHED),
    ("40-", 0x95, "md.Encoding", PUBLISHED),
    ("40-", 0x95, "md.CodedCharSetId", PUBLISHED),
    ("17-", 0x9C, "sd.Options", "ours says that the subscription takes wildcards for topics"),
    ("17-", 0x9C, "sd_texts", "ours tells the topic of a subscription that is resumed (MQSUB)"),
    ("17-", 0x9C, "sd.ResObjectString", "the same"),
    ("17-", 0x9C, "out", "the same: a longer structure"),
    ("17-", 0x9C, "length", "the same: a longer reply"),
    (
        "28-",
        0x0D,
        "missing",
        "the stand-in knew no marks, and showed a marked message again",
    ),
    *(
        ("41-", 0x95, field, COMMANDS)
        for field in (
            "data",
            "length",
            "data_length",
            "md.PutApplName",
            "md.PutApplType",
            "md.Encoding",
            "md.CodedCharSetId",
            "md.UserIdentifier",
            "gmo.ReturnedLength",
        )
    ),
    ("32-", 0x95, "md.UserIdentifier", "made unreadable in what the recording cuts"),
    ("32-", 0x95, "gmo.MatchOptions", "not asked for where the client's token is zeros"),
    ("33-", 0x0D, "md.UserIdentifier", "made unreadable in what the recording cuts"),
    ("34-", 0x97, "length", "the stand-in sent the data of the put back"),
    *(
        (stem, 0x01, field, "ours echoes the client; below level 13 it sends none")
        for stem in ("51-", "62-")
        for field in ("algorithm_1", "algorithm_2", "algorithms")
    ),
    *(
        ("53-", 0x01, field, "ours takes what the client offers; the stand-in refused to")
        for field in ("algorithm_1", "algorithm_2", "algorithms")
    ),
    ("56-", 0x09, "extra", "a heartbeat of ours, where playing takes longer than the recording"),
    ("57-", 0x09, "extra", "a heartbeat of ours, where playing takes longer than the recording"),
    ("54-", 0x91, "connection_id", "a real queue manager tells one to whom it refuses as well"),
    ("57-", 0x01, "errors_1", "ours agrees on the heartbeats that it sends"),
    ("57-", 0x01, "heartbeat_s", "ours agrees on the heartbeats that it sends"),
    ("65-", 0x99, "length", "the stand-in sent more characters than were asked for"),
    ("68-", 0x9C, "verbs", "the stand-in was told to hide version 3, and the delay was lost"),
    ("69-", 0x9C, "verbs", "the stand-in was told to hide version 3, and the delay was lost"),
    ("70-", 0x01, "capability_3", "the stand-in was told to refuse gets by MQGET"),
    ("70-", 0x01, "refused_3", "the stand-in was told to refuse gets by MQGET"),
    ("71-", 0x01, "errors_1", "the stand-in was told to say nothing of what it changed"),
    ("71-", 0x01, "flags", "the same"),
    *(
        (stem, kind, "md.Persistence", "the model of non-durable subscribers is TEMPDYN, as IBM's")
        for stem in ("08", "16", "18", "19", "84")
        for kind in (0x0D, 0x95)
    ),
)
"""Recordings whose name begins so, segment types and fields that may differ there, and why."""


def may_differ(difference: Difference) -> bool:
    """Whether there is a reason."""
    if difference.field == "data" and difference.stem[:2] != "41":
        return b"<mqps>" in (difference.ours or b"")
    place = difference[1:3]
    if place in AS_REAL and (not AS_REAL[place] or difference.ours in AS_REAL[place]):
        return True
    return difference.field in EVERYWHERE or any(
        difference.stem.startswith(stem) and (kind, field) == difference[1:3]
        for stem, kind, field, _ in REASONS
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A queue manager with what the recordings use, to be copied."""
    folder = tmp_path_factory.mktemp("recorded")
    server = ChannelServer(folder, version="9.3")
    for command in DEFINITIONS:
        server.command(command)
    server.close()
    return folder


LOGGED: Final = {
    "54-mqconn-2035": [
        "mqtriage: connect to QM1: MQRC_NOT_AUTHORIZED (2035): "
        "user app: unknown, or the password is wrong"
    ],
    "75-status-1-unknown-channel": [
        "mqtriage: 127.0.0.1: channel 'DEV.APP.SVRCONN': no such channel"
    ],
}
"""What the server says of an exchange; of all others nothing."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.slow
def test_the_answers_are_those_that_were_recorded(
    file: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = SETTINGS.get(file.stem, Setting())
    monkeypatch.setattr(negotiation, "LEVEL", setting.level)
    monkeypatch.setattr(negotiation, "READABLE_LEVEL", setting.level)
    try:
        differences = played(file, setting, home, tmp_path / "1")
    except ConnectionError:
        if "heartbeat" not in file.stem:
            raise
        # who stalls for a second does not answer a heartbeat in time
        differences = played(file, setting, home, tmp_path / "2")
    assert [one for one in differences if not may_differ(one)] == []


def played(file: Path, setting: Setting, home: Path, folder: Path) -> list[Difference]:
    """What differs on a queue manager of its own."""
    copy = qmgr_path(folder, "QM1")
    private_folder(copy.parent)
    shutil.copy2(qmgr_path(home, "QM1"), copy)
    passwords = None
    if setting.passwords is not None:
        passwords = str(folder / "passwords")
        Path(passwords).write_text(setting.passwords, "utf-8")
        Path(passwords).chmod(0o600)
    server = ChannelServer(folder, passwords, starts=False)
    try:
        for command in setting.commands:
            server.command(command)
        server.start()
        recorded = one_by_one(permitted(list(parts(file))))
        differences = Player(server, file.stem, recorded).play()
        assert server.lines() == LOGGED.get(file.stem, [])
    finally:
        server.close()
    return differences


def test_there_is_something_to_play() -> None:
    if not FOLDER.exists():
        pytest.skip("no recorded exchanges (MQTRIAGE_CORPUS)")
    assert len(FILES) == 66
