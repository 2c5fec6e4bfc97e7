"""Selection strings at MQOPEN and MQSUB: selector_of once, asked of each message.

A handle with one sees only the messages that it selects, whatever the call matches besides; the
message under a cursor was selected when the cursor came there.
Source: IBM MQ documentation, "Selectors", "Selection behavior", reasons 2459, 2504, 2519.
"""

from __future__ import annotations

from mqtriage.messages.filters.selector import LONGEST, Selector, SelectorError, parse_selector
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.message import Message


def selector_of(
    text: str, doing: str, wrong: int = cmqc.MQRC_SELECTOR_SYNTAX_ERROR
) -> Selector | None:
    """The selector that *text* is; None where it selects every message.

    Args:
        wrong: the reason for one that cannot be read: 2459, or 2551 at MQSUB, where a provider of
            extended selection could have read it.

    Raises:
        MQIError: *wrong*, 2519 (too long), 2504 (never true).
    """
    if len(text.encode("utf-8", "surrogateescape")) > LONGEST:
        detail = f"a selection string has at most {LONGEST} bytes"
        raise mqi_error(cmqc.MQRC_SELECTION_STRING_ERROR, doing, detail=detail)
    try:
        selector = parse_selector(text)
    except SelectorError as error:
        raise mqi_error(wrong, doing, detail=f"selection string, {error}") from error
    if selector.constant is False:
        raise mqi_error(cmqc.MQRC_SELECTOR_ALWAYS_FALSE, doing, detail=text[:80])
    return None if selector.constant else selector


def selects(selector: Selector, md: MQMD, body: bytes) -> bool:
    """Whether the message is selected; *body* is whole."""
    return selector.selects(Subject(Message(md, body, len(body), b"")))
