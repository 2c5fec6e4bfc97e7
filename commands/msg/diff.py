"""`msg diff`: what is only here, only there, or not the same, of two queues, files or snapshots.

Messages belong together by MsgId; of several with one MsgId those that are equal in everything,
then the others in any order. Both sides are sorted outside of memory, so their size costs time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import field
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

from mqtriage.files.scratch import Sorter
from mqtriage.messages.decoded import descriptor_record
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import MisspeltField, UsageError
from mqtriage.mq.message import Message
from mqtriage.operations.selection.field_values import warning_of
from mqtriage.records import dataclass

FIELDS: Final = (
    Field("change", "CHANGE", Show.TEXT, 7),
    Field("msg_id", "MSGID", Show.ID, 48),
    Field("what", "WHAT", Show.TEXT, 24),
    Field("put_time", "PUT_TIME", Show.TIME, 22, yields=2),
    Field("format", "FORMAT", Show.TEXT, 8, yields=1),
    Field("length_bytes", "LENGTH", Show.BYTES, 7),
    Field("differences", "DIFFERENCES", Show.TEXT, wide=True),
)
ONLY_A: Final = "only-a"
ONLY_B: Final = "only-b"
CHANGED: Final = "changed"

_SHOWN: Final = ("put_time", "format", "length_bytes")
_COMPARED: Final = frozenset(
    {
        "correl_id", "group_id", "put_time", "format", "ccsid", "encoding", "priority",
        "persistence", "expiry_tenths", "backout_count", "msg_type", "report", "feedback",
        "reply_to_q", "reply_to_q_mgr", "user_identifier", "accounting_token",
        "appl_identity_data", "put_appl_type", "put_appl_name", "appl_origin_data",
        "msg_seq_number", "offset", "msg_flags", "original_length", "version", "length_bytes",
        "sha256",
    }
)  # fmt: skip

_compact = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
_ID_DIGITS: Final = 48


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two.

    Attributes:
        name: as it was given.
        messages: gives them, once.
        bodies: whether their data is known, so that it can be compared.
        warnings: what is to be said of it, once its messages were read.
    """

    name: str
    messages: Callable[[], Iterable[Message]]
    bodies: bool = True
    warnings: list[str] = field(default_factory=list)


def ignored_fields(words: Iterable[str]) -> frozenset[str]:
    """The fields of `--ignore`, commas allowed."""
    fields = {part.strip().lower() for text in words for part in text.split(",") if part.strip()}
    unknown = sorted(fields - _COMPARED)
    if unknown:
        raise UsageError(
            f"--ignore {unknown[0][:40]}: not a field that msg diff compares",
            hint=f"one of {', '.join(sorted(_COMPARED))}",
        )
    return frozenset(fields)


def diff(a: Side, b: Side, ignored: Collection[str] = ()) -> Listing:
    """List the messages that are not the same, by MsgId.

    The lifetime left is no difference while both have one: it runs down. Where one side has no
    message data, lengths are compared.
    """
    compared = _COMPARED - set(ignored)
    if not (a.bodies and b.bodies):
        compared -= {"sha256"}
    summary: dict[str, Any] = {
        "a": a.name,
        "b": b.name,
        "only_in_a": 0,
        "only_in_b": 0,
        "changed": 0,
        "same": 0,
    }
    listing = Listing("MessageDifferenceList", FIELDS, (), summary)
    if not (a.bodies and b.bodies):
        blind = a.name if not a.bodies else b.name
        listing.warnings.append(f"{blind} has no message data: lengths are compared instead")

    def records() -> Iterator[dict[str, Any]]:
        for record in _differences(a, b, compared, summary):
            summary[_COUNTED[record["change"]]] += 1
            yield record
        listing.warnings += [*a.warnings, *b.warnings]

    listing.items = records()
    return listing


_COUNTED: Final = {ONLY_A: "only_in_a", ONLY_B: "only_in_b", CHANGED: "changed"}


def _differences(
    a: Side, b: Side, compared: frozenset[str], summary: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    with closing(Sorter()) as sorter:
        count = 0
        misspelt: list[MisspeltField] = []
        for side, letter in ((a, b"a"), (b, b"b")):
            try:
                for message in side.messages():
                    count += 1
                    sorter.add(_item(message, compared) + letter)
            except MisspeltField as error:
                misspelt.append(error)
                side.warnings.append(warning_of(error.text, error.hint or ""))
        if misspelt and not count:  # else the field is not misspelt: the other side has it
            raise misspelt[0]
        for msg_id, group in groupby(sorter, key=lambda item: item[:_ID_DIGITS]):
            here: Counter[bytes] = Counter()
            there: Counter[bytes] = Counter()
            shown: dict[bytes, bytes] = {}
            for item in group:
                kept, _, description = item[_ID_DIGITS:-1].partition(b"\n")
                (here if item.endswith(b"a") else there)[kept] += 1
                shown[kept] = description
            same = here & there
            summary["same"] += same.total()
            ours, theirs = ([*(side - same).elements()] for side in (here, there))
            for record, kept in _unequal(ours, theirs):
                yield {"msg_id": msg_id.decode(), **record, **json.loads(shown[kept])}


def _unequal(here: list[bytes], there: list[bytes]) -> Iterator[tuple[dict[str, Any], bytes]]:
    """What to say of messages with one MsgId, and which of them to show."""
    pairs = min(len(here), len(there))
    for one, other in zip(here, there, strict=False):
        before, now = json.loads(one), json.loads(other)
        different = [key for key in before if before[key] != now[key]]
        what = ", ".join("body" if key == "sha256" else key for key in different)
        differences = [{"field": key, "a": before[key], "b": now[key]} for key in different]
        yield {"change": CHANGED, "what": what, "differences": differences}, other
    for rest, change in ((here[pairs:], ONLY_A), (there[pairs:], ONLY_B)):
        for item in rest:
            yield {"change": change, "what": None, "differences": []}, item


def _item(message: Message, compared: frozenset[str]) -> bytes:
    """MsgId, what is compared, and behind a line end what is only shown."""
    record = descriptor_record(message.md)
    if record["expiry_tenths"] >= 0:
        record["expiry_tenths"] = "limited"
    record["length_bytes"] = message.length_bytes
    record["sha256"] = sha256(message.body).hexdigest() if "sha256" in compared else None
    kept = {key: record[key] for key in sorted(compared)}
    shown = {key: record[key] for key in _SHOWN}
    return f"{record['msg_id']}{_compact(kept)}\n{_compact(shown)}".encode()
