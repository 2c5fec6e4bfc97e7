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
        help="MsgId: 48 hex digits or the last 4 or more (8 to change messages), HEX*, ID:HEX, "
        "text:ABC, b64:...",
    )
    correl_id: tuple[str, ...] = repeated(
        "--correlid", metavar="ID", help="CorrelId, in the same formats."
    )
    older_than: tuple[str, ...] = repeated(metavar="2h", help="Put longer ago than this.")
    younger_than: tuple[str, ...] = repeated(metavar="10m", help="Put within this time.")
    backout: tuple[str, ...] = repeated(metavar="'>=3'", help="BackoutCount.")
    format: tuple[str, ...] = repeated("--md-format", metavar="MQSTR", help="Format.")
    put_appl: tuple[str, ...] = repeated(metavar="NAME", help="PutApplName; * ends it.")
    reply_to: tuple[str, ...] = repeated(help="ReplyToQ.", completes="queue")
    persistent: bool | None = pair("--persistent/--not-persistent", help="Persistence.")
    priority: tuple[str, ...] = repeated(metavar="'>=5'", help="Priority.")
    prop: tuple[str, ...] = repeated(metavar="NAME=VALUE", help="A message property.")
    reason: tuple[str, ...] = repeated(
        metavar="MQRC_Q_FULL|2053",
        help="Reason in the dead-letter header.",
        completes="reason",
    )
    dest: tuple[str, ...] = repeated(
        "--target", "--dest", help="Target queue in the header.", completes="queue"
    )
    due_before: tuple[str, ...] = repeated(metavar="TIME", help="Due before.")
    due_after: tuple[str, ...] = repeated(metavar="TIME", help="Due at or after.")
    overdue: bool = flag(help="Due but still staged.")
    expires_within: tuple[str, ...] = repeated(
        metavar="5m", help="Remaining lifetime at most this long."
    )
    body_contains: tuple[str, ...] = repeated(metavar="TEXT", help="Data contains this text.")
    body_regex: tuple[str, ...] = repeated(
        metavar="RE", help="Data matches this regular expression."
    )
    body_path: tuple[str, ...] = repeated(metavar="'$.order.id=42'", help="A value in JSON data.")
    where: tuple[str, ...] = repeated(
        metavar="EXPR",
        help="For example \"format = 'MQSTR' and backout >= 3\".",
        completes="field",
    )
    selector: tuple[str, ...] = repeated(
        metavar="EXPR", help="Selection string for the queue manager."
    )
    ids_from: tuple[str, ...] = repeated(
        metavar="FILE|-", help="MsgIds, one per line.", completes="file"
    )
    skip: int = number(default=0, show_default=False, help="Skip the first N that match.")
    limit: int | None = number(help="At most N.", minimum=1)
    explain_select: bool = flag(help="Show what the queue manager selects and what mqtriage does.")
