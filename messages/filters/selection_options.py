"""The selection options, the same in every verb that touches messages."""

from __future__ import annotations

from mqtriage.model.options import OptionGroup, flag, number, pair, repeated
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions(OptionGroup):
    """Which messages. Different options are joined with AND, the same one given twice with OR.

    The values are as typed; `messages/filters/conditions.py` reads them.

    Attributes:
        persistent: True for `--persistent`, False for `--not-persistent`.
        selector: selection strings for the queue manager; passed on, never read here.
        ids_from: names of files of ids, ``-`` for standard input.
        skip, limit: count selected messages.
    """

    TITLE = "Selection"
    msg_id: tuple[str, ...] = repeated(
        "--msgid",
        metavar="ID",
        help="Messages with this MsgId: 48 hex digits or the last 4 or more (8 to change "
        "messages), HEX*, ID:HEX, text:ABC, b64:...",
    )
    correl_id: tuple[str, ...] = repeated(
        "--correlid", metavar="ID", help="Messages with this CorrelId, in the same formats."
    )
    older_than: tuple[str, ...] = repeated(metavar="2h", help="Messages put longer ago than this.")
    younger_than: tuple[str, ...] = repeated(metavar="10m", help="Messages put within this period.")
    backout: tuple[str, ...] = repeated(metavar="'>=3'", help="Messages with this BackoutCount.")
    format: tuple[str, ...] = repeated(
        "--md-format", metavar="MQSTR", help="Messages with this Format."
    )
    put_appl: tuple[str, ...] = repeated(
        metavar="NAME", help="Messages with this PutApplName, which can end in *."
    )
    reply_to: tuple[str, ...] = repeated(help="Messages with this ReplyToQ.", completes="queue")
    persistent: bool | None = pair(
        "--persistent/--not-persistent", help="Messages that are persistent, or that are not."
    )
    priority: tuple[str, ...] = repeated(metavar="'>=5'", help="Messages with this priority.")
    prop: tuple[str, ...] = repeated(metavar="NAME=VALUE", help="Messages with this property.")
    reason: tuple[str, ...] = repeated(
        metavar="MQRC_Q_FULL|2053",
        help="Messages with this reason in the dead-letter header.",
        completes="reason",
    )
    dest: tuple[str, ...] = repeated(
        "--target",
        "--dest",
        help="Messages with this target queue in the header.",
        completes="queue",
    )
    due_before: tuple[str, ...] = repeated(
        metavar="TIME",
        help="Delayed messages due before this time: 18:00 (local), 2026-01-31T10:00:00Z or "
        "now+2h.",
    )
    due_after: tuple[str, ...] = repeated(
        metavar="TIME",
        help="Delayed messages due at or after this time. See --due-before.",
    )
    overdue: bool = flag(help="Messages that are due but still staged.")
    expires_within: tuple[str, ...] = repeated(
        metavar="5m", help="Messages with at most this remaining lifetime."
    )
    body_contains: tuple[str, ...] = repeated(
        metavar="TEXT", help="Messages whose data contains this text."
    )
    body_regex: tuple[str, ...] = repeated(
        metavar="RE", help="Messages whose data matches this regular expression."
    )
    body_path: tuple[str, ...] = repeated(
        metavar="'$.order.id=42'", help="Messages with this value in JSON data."
    )
    where: tuple[str, ...] = repeated(
        metavar="EXPR",
        help="Messages that match this condition, such as \"format = 'MQSTR' and backout >= 3\".",
        completes="field",
    )
    selector: tuple[str, ...] = repeated(
        metavar="EXPR",
        help="Messages that match this selection string, which the queue manager evaluates.",
    )
    ids_from: tuple[str, ...] = repeated(
        metavar="FILE|-",
        help="Messages whose MsgIds are in this file: one per line, ndjson of a listing, an "
        "archive, or a dump.",
        completes="file",
    )
    skip: int = number(default=0, show_default=False, help="Skip the first N matching messages.")
    limit: int | None = number(help="Select at most N messages.", minimum=1)
    explain_select: bool = flag(
        help="Show which conditions the queue manager evaluates, and which ones mqtriage evaluates."
    )
