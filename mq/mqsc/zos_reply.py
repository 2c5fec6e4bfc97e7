"""What the command server of z/OS answers to MQSC: CSQ messages, one to a message of the queue.

`on_zos` makes them of an answer as Multiplatforms give it, `wire_lines` the texts of the messages
that carry them: CSQN205I first, with how many there are and how the command ended.
Sources: IBM MQ documentation, "Interpreting the reply messages from the command server" and
"Examples of commands and their replies" for CSQN205I, CSQ9022I, CSQ9023E, CSQM090E, CSQM125I, the
objects of DISPLAY and reason 00D44002. The other message numbers are general knowledge; where no
reason code of the message manager (X'00D4nnnn') is known, CSQM090E has the one of the MQI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.mqsc.reply import MISSING, NOT_EMULATED, CommandEnding, Reply, ReplyLine
from mqtriage.mq.mqsc.tree import Command
from mqtriage.records import NamedTuple

NOTHING_FOUND: Final = "CSQM297I"
_DONE: Final = "CSQ9022I"
_FAILED: Final = "CSQ9023E"
_REASON: Final = "CSQM090E"
_NOT_AUTHORIZED: Final = "CSQ9016E"
_SYNTAX_ERROR: Final = "CSQ9031E"
_UNKNOWN_OBJECT: Final = 0x00D44002
_OBJECTS: Final[Mapping[str, str]] = {"QMGR": "CSQM409I", "CHANNEL": "CSQM416I"}
"""Message with an object, by type; CSQM401I for queues, and for what we have seen no number of."""
_WHY: Final[Mapping[int, tuple[str, str]]] = {
    **dict.fromkeys(MISSING, ("CSQM125I", "WAS NOT FOUND")),
    cmqc.MQRC_OBJECT_ALREADY_EXISTS: ("CSQM095I", "CURRENTLY EXISTS"),
    cmqc.MQRC_SUB_ALREADY_EXISTS: ("CSQM095I", "CURRENTLY EXISTS"),
    cmqc.MQRC_OBJECT_IN_USE: ("CSQM101I", "IS CURRENTLY IN USE"),
    cmqc.MQRC_Q_NOT_EMPTY: ("CSQM103I", "HAS MESSAGES ASSOCIATED WITH IT"),
    cmqc.MQRC_Q_TYPE_ERROR: ("CSQM099I", "NAME IN USE FOR DIFFERENT TYPE"),
}
"""Reason to the message before CSQM090E, and how its text ends."""
_MODULES: Final = {"DISPLAY": "CSQMDRTS", "DELETE": "CSQMUQLC"}
_MODULE: Final = "CSQMMSGP"

_HEADER: Final = re.compile(
    r"CSQN205I +COUNT= *([0-9]{1,8}), RETURN=([0-9A-F]{8}), REASON=([0-9A-F]{8}) *"
)
_CODE: Final = re.compile(r"FAILURE REASON CODE X'([0-9A-F]{8})'")


class ReplyHeader(NamedTuple):
    """CSQN205I.

    Attributes:
        messages: of this set, CSQN205I among them.
        return_code: of the command preprocessor; 0 where all is well.
    """

    messages: int
    return_code: int
    reason_code: int

    @property
    def is_more_to_come(self) -> bool:
        """Whether another set follows, with a CSQN205I of its own."""
        return (self.return_code, self.reason_code) == (0, 4)


def header_of(text: str) -> ReplyHeader | None:
    """CSQN205I from the first message of a set; None for any other text."""
    match = _HEADER.fullmatch(text)
    return ReplyHeader(int(match[1]), int(match[2], 16), int(match[3], 16)) if match else None


def on_zos(reply: Reply, command: Command) -> Reply:
    """The same answer in the messages of z/OS."""
    if reply.ending is CommandEnding.NOT_EMULATED:
        return reply
    what = f"{command.verb} {command.noun}".strip()
    module = _MODULES.get(command.verb, _MODULE)
    if reply.ending is CommandEnding.DONE:
        own = tuple(line for line in reply.lines if line.id == _DONE)
        done = own or (ReplyLine(_DONE, f"{module} ' {what}' NORMAL COMPLETION"),)
        return reply._replace(lines=(*_objects(reply, command), *done))
    if command.verb == "DISPLAY" and reply.ending is CommandEnding.FAILED and _is_nothing(reply):
        none = f"{module} NO {command.noun} FOUND MATCHING REQUEST CRITERIA"
        lines = (
            ReplyLine(NOTHING_FOUND, none),
            ReplyLine(_DONE, f"{module} ' {what}' NORMAL COMPLETION"),
        )
        return reply._replace(lines=lines, reason=cmqc.MQRC_UNKNOWN_OBJECT_NAME)
    failed = ReplyLine(_FAILED, f"{module} ' {what}' ABNORMAL COMPLETION")
    return reply._replace(lines=(*_why(reply, command, module), failed))


def _is_nothing(reply: Reply) -> bool:
    return reply.reason in MISSING or (not reply.reason and reply.lines[0].id[:7] in _NOTHING)


_NOTHING: Final = ("AMQ8147", "AMQ8565", "AMQ8884", "AMQ8420")


def _objects(reply: Reply, command: Command) -> Iterator[ReplyLine]:
    for line in reply.lines:
        if line.object is not None:
            yield line._replace(id=_OBJECTS.get(command.noun, "CSQM401I"), text=details(command))


def details(command: Command) -> str:
    """What stands above an object where its cells do not follow on the same line."""
    return f"{command.verb} {command.noun} DETAILS"


def _why(reply: Reply, command: Command, module: str) -> Iterator[ReplyLine]:
    if reply.ending is CommandEnding.SYNTAX_ERROR:
        segment = " ".join(" ".join(line.below) for line in reply.lines).strip()
        yield ReplyLine(_SYNTAX_ERROR, f"Syntax error following '{segment}'")
        return
    if reply.reason == cmqc.MQRC_NOT_AUTHORIZED:
        yield ReplyLine(_NOT_AUTHORIZED, f"' {command.verb}' command request not authorized")
        return
    name = command.named()
    if reply.reason in _WHY:
        number, text = _WHY[reply.reason]
        yield ReplyLine(number, f"{module} {command.noun} ({name}) QSGDISP(QMGR) {text}")
    elif not reply.reason:
        yield ReplyLine(
            "CSQM092I", f"{module} {command.noun} ({name}) VALUE INVALID OR OUT OF RANGE"
        )
    unknown = reply.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME
    code = _UNKNOWN_OBJECT if unknown else reply.reason
    yield ReplyLine(_REASON, f"{module} FAILURE REASON CODE X'{code:08X}'")


def ending_of(lines: tuple[ReplyLine, ...], header: ReplyHeader) -> tuple[CommandEnding, int]:
    """How a command ended, and the reason of the MQI, from the messages of its answer."""
    ids = {line.id for line in lines}
    if NOTHING_FOUND in ids:
        return CommandEnding.FAILED, cmqc.MQRC_UNKNOWN_OBJECT_NAME
    if any(line.text.startswith(NOT_EMULATED) for line in lines if not line.id):
        return CommandEnding.NOT_EMULATED, 0
    if not header.return_code:
        return CommandEnding.DONE, 0
    if _NOT_AUTHORIZED in ids:
        return CommandEnding.FAILED, cmqc.MQRC_NOT_AUTHORIZED
    coded = [int(match[1], 16) for line in lines if (match := _CODE.search(line.text))]
    reason = next((code for code in coded if 0 < code < 0x10000), 0)
    known = (why for why, (number, _) in _WHY.items() if number in ids)
    reason = reason or next(known, 0)
    # CSQ9000E to CSQ9035E, but for the general ones, find fault with the text of a command
    is_syntax = not reason and any(id_.startswith(("CSQ900", "CSQ901", "CSQ903")) for id_ in ids)
    return CommandEnding.SYNTAX_ERROR if is_syntax else CommandEnding.FAILED, reason


# -- as messages of the reply-to queue ------------------------------------------------------------


def wire_lines(reply: Reply, queue_manager: str) -> list[str]:
    """The texts of the reply messages, CSQN205I first.

    Args:
        queue_manager: its name; the command prefix string is made of it.
    """
    prefix = f"+{queue_manager[:4]}"
    texts = [_wire_line(line, prefix) for line in reply.lines]
    nothing_found = any(line.id == NOTHING_FOUND for line in reply.lines)
    if reply.ending is CommandEnding.DONE or nothing_found:
        code, reason = 0, 0
    elif reply.reason == cmqc.MQRC_NOT_AUTHORIZED:
        code, reason = 0x20, 0xFFFFFFFF
    else:
        code, reason = 12, 8
    first = f"CSQN205I   COUNT={len(texts) + 1:8}, RETURN={code:08X}, REASON={reason:08X}"
    return [first, *texts]


def _wire_line(line: ReplyLine, prefix: str) -> str:
    text = " ".join(_padded(cell) for cell in line.cells) or line.text
    return f"{line.id} {prefix} {text}" if line.id else text


def _padded(cell: str) -> str:
    """A cell as z/OS pads it: numbers on the left, texts on the right."""
    keyword, parenthesis, rest = cell.partition("(")
    if not parenthesis:
        return cell
    value = rest[:-1]
    return f"{keyword}({value:>10})" if value.isdecimal() else f"{keyword}({value:<12})"
