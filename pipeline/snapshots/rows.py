"""Rows of a snapshot: what a message, a queue and a definition become in the tables.

A row is a list of plain values in the order of the table's columns. Times are whole microseconds
since 1970 UTC; the writers turn them into what their format has.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mqtriage.messages.decoded import body_text, chain_of, dead_letter_header, target_and_due
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.due_time import uncompared
from mqtriage.mq.expiry import expires_at_us
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.rfh2 import properties
from mqtriage.mq.headers.xqh import XQH
from mqtriage.mq.message import Message
from mqtriage.mq.times import GREATEST_US, LEAST_US, put_time_us
from mqtriage.pipeline.snapshots.schema import MESSAGES, QUEUES, BodyPart, Seen

if TYPE_CHECKING:
    from mqtriage.messages.decoded import StagedFacts
    from mqtriage.mq.headers.chain import Chain
    from mqtriage.mq.headers.dlh import DLH

Row: TypeAlias = list[Any]
Digest: TypeAlias = Callable[[bytes], str]

_DDH: Final = b"DDH "
_DESCRIPTOR_COLUMNS: Final = MESSAGES.names.index("length_bytes") + 1
_PUT_TIME: Final = MESSAGES.names.index("put_time")
_NO_HEADERS: Final[Row] = [None] * (MESSAGES.names.index("properties") - _DESCRIPTOR_COLUMNS - 2)
_VOLATILE: Final = frozenset({"CURDEPTH", "IPPROCS", "OPPROCS"})
"""Attributes that say what a queue holds, not how it is defined."""


class Stamp(NamedTuple):
    """Which snapshot rows belong to."""

    snapshot_id: str
    time_us: int


class Keeping(NamedTuple):
    """What is kept of a message beside its descriptor.

    Attributes:
        due_known: a time in a delay header is ours, so known to be the due time.
        digest: of the body, where *body* asks for one.
    """

    body: BodyPart = BodyPart.NONE
    digest: Digest | None = None
    properties: bool = False
    due_known: bool = False


class Sighting(NamedTuple):
    """A message as a snapshot meets it.

    Attributes:
        first_seen_us: time of the snapshot that saw it first.
        position: its place on the queue, from 1.
    """

    queue: str
    key: str
    seen: Seen
    first_seen_us: int
    position: int


def message_key(queue: str, md: MQMD) -> bytes:
    """16 bytes that name a copy on a queue in every snapshot.

    Copies that agree in queue, MsgId, CorrelId and put time share it. MsgTokens would tell them
    apart, but need not outlive a restart of the queue manager.
    """
    text = f"{queue}\0{md.put_date}{md.put_time}\0".encode()
    return hashlib.blake2b(text + md.msg_id + md.correl_id, digest_size=16).digest()


def sha256_hex(data: bytes) -> str:
    """64 hex digits in lower case."""
    return hashlib.sha256(data).hexdigest()


def keyed_digest(key: bytes) -> Digest:
    """HMAC-SHA-256: who has no key cannot try bodies until one fits."""
    return lambda data: hmac.new(key, data, hashlib.sha256).hexdigest()


def message_row(stamp: Stamp, sighting: Sighting, message: Message, keep: Keeping) -> Row:
    """The row of one message; runs once a message of a large queue."""
    md = message.md
    put_us = put_time_us(md.put_date, md.put_time)
    tenths = md.expiry_tenths
    row: Row = [
        stamp.snapshot_id,
        stamp.time_us,
        sighting.seen.value,
        sighting.queue,
        sighting.key,
        sighting.first_seen_us,
        sighting.position,
        md.msg_id.hex().upper(),
        md.correl_id.hex().upper(),
        md.group_id.hex().upper(),
        put_us,
        None if put_us is not None else md.put_date + md.put_time,
        md.format,
        md.ccsid,
        md.encoding,
        md.priority,
        md.persistence,
        tenths,
        expires_at_us(stamp.time_us, tenths),
        md.backout_count,
        md.msg_type,
        md.report,
        md.feedback,
        md.reply_to_q,
        md.reply_to_q_mgr,
        md.user_identifier,
        md.accounting_token.hex().upper(),
        md.appl_identity_data,
        md.put_appl_type,
        md.put_appl_name,
        md.appl_origin_data,
        md.msg_seq_number,
        md.offset,
        md.msg_flags,
        md.original_length,
        md.version,
        message.length_bytes,
    ]
    body = message.body
    if md.format and md.format not in HEADER_FORMATS and body[:4] != _DDH:
        row += (message.length_bytes, md.format)
        row += _NO_HEADERS
        row += (None, *_body_parts(body, md.ccsid, md.encoding, message, keep))
        return row
    row += _header_columns(message, keep)
    return row


def gone_row(
    stamp: Stamp, sighting: Sighting, msg_id: bytes, correl_id: bytes, put_us: int | None
) -> Row:
    """The row of a message that is no longer there: what names it, the rest null."""
    row: Row = [None] * len(MESSAGES.columns)
    row[:9] = (
        stamp.snapshot_id,
        stamp.time_us,
        Seen.GONE.value,
        sighting.queue,
        sighting.key,
        sighting.first_seen_us,
        None,
        msg_id.hex().upper(),
        correl_id.hex().upper(),
    )
    row[_PUT_TIME] = put_us
    return row


def _header_columns(message: Message, keep: Keeping) -> Row:
    """Everything from body_length_bytes on, of a message that has or may have headers."""
    chain = chain_of(message)
    staged = target_and_due(message, uncompared(keep.due_known))
    dead = dead_letter_header(message)
    payload = chain.body(message.body)
    return [
        max(0, message.length_bytes - chain.body_offset),
        _format_chain(message.md.format, chain),
        _damage(message, chain),
        *_staged_columns(message.md, staged),
        *_dead_letter_columns(dead),
        *_origin(chain, dead),
        _properties(chain) if keep.properties else None,
        *_body_parts(payload, chain.ccsid, chain.encoding, message, keep),
    ]


def _format_chain(first: str, chain: Chain) -> str:
    """What each Format says of what follows it: that of the descriptor, then of each header."""
    formats = [first]
    for header in chain.headers:
        following = getattr(header.record, "following", None)
        if following is not None:
            formats.append(following.format)
    return ">".join(formats)


def _damage(message: Message, chain: Chain) -> str | None:
    texts = [damage.text for damage in chain.damages]
    if texts and len(message.body) < message.length_bytes:
        texts.append(f"only the first {len(message.body)} bytes were read")
    return "; ".join(texts) or None


def _staged_columns(md: MQMD, staged: StagedFacts | None) -> Row:
    if staged is None:
        return [None] * 7
    delay_ms = staged.delay_ms
    put_us = put_time_us(md.put_date, md.put_time)
    if delay_ms is None and staged.due_time_us is not None and put_us is not None:
        delay_ms = (staged.due_time_us - put_us) // 1000
    return [
        md.correl_id.hex().upper(),  # where IBM documents that the original MsgId is (DD-52)
        _moment(staged.due_time_us),
        _moment(staged.ddh_time_us),
        staged.basis,
        delay_ms,
        staged.target,
        staged.target_queue_manager,
    ]


def _moment(time_us: int | None) -> int | None:
    """A number out of a header as a time; None when it is none of the years 1 to 9999."""
    return time_us if time_us is not None and LEAST_US <= time_us <= GREATEST_US else None


def _dead_letter_columns(dead: DLH | None) -> Row:
    if dead is None:
        return [None] * 6
    return [
        dead.reason,
        dead.reason_name,
        dead.dest_q_name,
        dead.dest_q_mgr_name,
        dead.put_appl_name,
        put_time_us(dead.put_date, dead.put_time),
    ]


def _origin(chain: Chain, dead: DLH | None) -> Row:
    """Where it was first sent, as the outermost header that tells says; and which that is."""
    if dead is not None and dead.dest_q_name:
        return [dead.dest_q_name, dead.dest_q_mgr_name, "MQDLH"]
    for header in chain.headers:
        if isinstance(header.record, XQH):
            return [header.record.remote_q_name, header.record.remote_q_mgr_name, "MQXQH"]
    uri = properties(header.record for header in chain.headers).get("jms.Dst")
    if isinstance(uri, str) and uri.startswith("queue://"):
        manager, _, name = uri.removeprefix("queue://").partition("/")
        return [name.partition("?")[0] or None, manager or None, "MQRFH2"]
    return [None, None, None]


def _properties(chain: Chain) -> str | None:
    values = properties(header.record for header in chain.headers)
    if not values:
        return None
    plain = {
        name: {"hex": value.hex().upper()} if isinstance(value, bytes) else value
        for name, value in values.items()
    }
    return json.dumps(plain, separators=(",", ":"), allow_nan=True)


def _body_parts(
    payload: bytes, ccsid: int, encoding: int, message: Message, keep: Keeping
) -> tuple[str | None, str | None, str | None]:
    if keep.body is BodyPart.NONE:
        return None, None, None
    digest = keep.digest(payload) if keep.digest is not None else None
    if keep.body is BodyPart.DIGEST:
        return digest, None, None
    if keep.body is BodyPart.REDACTED:
        text = body_text(payload, ccsid, encoding)
        return digest, None if text is None else redacted(text), None
    return digest, None, b64encode(message.body).decode("ascii")


def redacted(text: str) -> str:
    """*text* with its shape alone: letters as ``x`` or ``X``, digits as ``9``."""
    return "".join(
        "X" if c.isupper() else "x" if c.isalpha() else "9" if c.isnumeric() else c for c in text
    )


def definition_text(attributes: Mapping[str, Any]) -> str:
    """The column attributes: how an object is defined, as JSON with its keys sorted."""
    kept = {key: value for key, value in attributes.items() if key not in _VOLATILE}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def definition_row(stamp: Stamp, seen: Seen, kind: str, name: str, text: str | None) -> Row:
    """A row of `DEFINITIONS`; *text* None when the object is gone."""
    digest = None if text is None else sha256_hex(text.encode())
    return [stamp.snapshot_id, stamp.time_us, seen.value, kind, name, text, digest]


def queue_row(stamp: Stamp, values: Mapping[str, Any]) -> Row:
    """A row of `QUEUES` from its columns by name; those left out are null."""
    row = {**dict.fromkeys(QUEUES.names), **values}
    if len(row) > len(QUEUES.names):
        raise KeyError(*(row.keys() - QUEUES.names))
    row["snapshot_id"], row["snap_time"] = stamp
    return list(row.values())
