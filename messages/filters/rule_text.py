"""A condition as a rule of a runmqdlq rules table, where its patterns can say it exactly."""

from __future__ import annotations

from typing import Final

from mqtriage.messages.filters.expression import And, Compare, Expression, Like
from mqtriage.mq.code_names import name_of_dlh_reason

_TEXTS: Final = {
    "put_appl": "APPLNAME", "mqmd_put_appl": "APPLNAME", "user": "USERID",
    "reply_to": "REPLYQ", "dest": "DESTQ",
    "dest_qmgr": "DESTQM", "reply_to_qmgr": "REPLYQM", "appl_identity": "APPLIDAT",
}  # fmt: skip
_NUMBERS: Final = {
    "put_appl_type": "APPLTYPE", "msg_type": "MSGTYPE", "persistence": "PERSIST",
    "feedback": "FEEDBACK", "reason": "REASON",
}  # fmt: skip


def rule_text(tree: Expression) -> str | None:
    """The rule, with ACTION(IGNORE), which leaves the messages; None where no pattern can say it.

    FORMAT is none of ours: what runmqdlq works on has Format MQDEAD, and its pattern is compared
    with the Format in the MQDLH. ``*`` and ``?`` in a value would match more than it.

    Source: IBM MQ documentation, "DLQ handler rules table patterns and actions".
    """
    patterns = []
    for part in tree.parts if isinstance(tree, And) else (tree,):
        if isinstance(part, Like) and part.field in _TEXTS and _is_start(part):
            patterns.append(f"{_TEXTS[part.field]}('{part.pattern[:-1]}*')")
            continue
        if not isinstance(part, Compare) or part.op != "=":
            return None
        value = part.value
        if part.field == "reason" and isinstance(value, int):
            name = name_of_dlh_reason(value)
            named = name.startswith(("MQRC_", "MQFB_"))
            patterns.append(f"REASON({name if named else value})")
        elif part.field in _NUMBERS and isinstance(value, int):
            patterns.append(f"{_NUMBERS[part.field]}({value})")
        elif part.field in _TEXTS and isinstance(value, str) and _plain(value):
            patterns.append(f"{_TEXTS[part.field]}('{value}')")
        else:
            return None
    return " ".join((*patterns, "ACTION(IGNORE)"))


def _is_start(part: Like) -> bool:
    """Whether it is ``text%``: the start of a name and no other pattern."""
    start = part.pattern.removesuffix("%")
    return start != part.pattern and _plain(start) and not set(start) & set("%_")


def _plain(value: str) -> bool:
    return value != "" and value.isascii() and value.isprintable() and not set(value) & set("*?'")
