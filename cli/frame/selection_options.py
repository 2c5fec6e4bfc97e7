"""The selection options, the same in every verb that touches messages.

A file of its own, reached through `mqtriage.cli.frame.options.SelectionOptions`: a command without
selection options does not pay for it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mqtriage.cli.frame.option_fields import flag, many, number, pair, text


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which messages. Different options are joined with AND, the same one given twice with OR.

    The values are as typed; `messages/selection.py` reads them.
    """

    msgid: tuple[str, ...] = many(
        "--msgid", metavar="ID", help="MsgId: 48 hex digits, ID:HEX, text:ABC, b64:.. or HEX*."
    )
    correlid: tuple[str, ...] = many("--correlid", metavar="ID", help="CorrelId, in those forms.")
    groupid: tuple[str, ...] = many("--groupid", metavar="ID", help="GroupId, in those forms.")
    older_than: tuple[str, ...] = many("--older-than", metavar="2h", help="Put longer ago.")
    younger_than: tuple[str, ...] = many("--younger-than", metavar="10m", help="Put since.")
    put_after: tuple[str, ...] = many("--put-after", metavar="TIME", help="Put at or after.")
    put_before: tuple[str, ...] = many("--put-before", metavar="TIME", help="Put before.")
    backout: tuple[str, ...] = many("--backout", metavar="'>=3'", help="BackoutCount.")
    format: tuple[str, ...] = many("--format", metavar="MQSTR", help="Format.")
    put_appl: tuple[str, ...] = many("--put-appl", metavar="NAME", help="PutApplName; * ends it.")
    user: tuple[str, ...] = many("--user", metavar="NAME", help="UserIdentifier.")
    reply_to: tuple[str, ...] = many("--reply-to", metavar="QUEUE", help="ReplyToQ.")
    persistent: bool | None = pair("--persistent/--not-persistent", help="Persistence.")
    priority: tuple[str, ...] = many("--priority", metavar="'>=5'", help="Priority.")
    prop: tuple[str, ...] = many("--prop", metavar="NAME=VALUE", help="A message property.")
    reason: tuple[str, ...] = many(
        "--reason", metavar="MQRC_Q_FULL|2053", help="Reason in the dead-letter header."
    )
    dest: tuple[str, ...] = many(
        "--dest", metavar="QUEUE", help="Target or destination in the header."
    )
    due_before: tuple[str, ...] = many("--due-before", metavar="TIME", help="Due before.")
    due_after: tuple[str, ...] = many("--due-after", metavar="TIME", help="Due at or after.")
    overdue: bool = flag("--overdue", help="Due, and still staged.")
    expires_within: tuple[str, ...] = many(
        "--expires-within", metavar="5m", help="Time left is at most this."
    )
    body_contains: tuple[str, ...] = many("--body-contains", metavar="TEXT", help="Data has it.")
    body_regex: tuple[str, ...] = many("--body-regex", metavar="RE", help="Data matches it.")
    body_path: tuple[str, ...] = many(
        "--body-path", metavar="'$.order.id=42'", help="A value in JSON data."
    )
    body_hex: tuple[str, ...] = many("--body-hex", metavar="HEX", help="Data has these bytes.")
    where: tuple[str, ...] = many(
        "--where", metavar="EXPR", help="For example \"format = 'MQSTR' and backout >= 3\"."
    )
    selector: tuple[str, ...] = many(
        "--selector", metavar="EXPR", help="Selection string for the queue manager."
    )
    ids_from: tuple[str, ...] = many("--ids-from", metavar="FILE|-", help="MsgIds, one a line.")
    skip: int | None = number("--skip", help="Leave out the first N that match.")
    limit: int | None = number("--limit", help="At most N.", minimum=1)
    range: str | None = text("--range", metavar="3..7", help="The third to seventh that match.")
    explain_select: bool = flag(
        "--explain-select", help="Say what the queue manager selects and what we do."
    )

    def as_dict(self) -> dict[str, Any]:
        """The options that were given: field name to value, tuples for those that may repeat."""
        given: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value != item.default:
                given[item.name] = value
        return given
