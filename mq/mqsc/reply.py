"""What a command server answers to one MQSC command: messages, objects, and how it ended.

The lines that runmqsc would print come from `lines_of`, on the layout of `mq/mqsc/layout.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.catalogue import AttributeValue
from mqtriage.mq.mqsc.amq_messages import amq_messages
from mqtriage.mq.mqsc.layout import layout
from mqtriage.mq.mqsc.tree import Command, Diagnostic, Script
from mqtriage.records import NamedTuple

NOT_EMULATED: Final = "not emulated"
_INSTEAD: Final = {
    "DISPLAY ENTAUTH": "'mqtriage doctor QUEUE' shows which authorities are missing",
}
"""What answers the question of a command that is not emulated."""
MISSING: Final = (
    cmqc.MQRC_UNKNOWN_OBJECT_NAME,
    cmqc.MQRC_NO_SUBSCRIPTION,
    cmqcfc.MQRCCF_CHANNEL_NOT_FOUND,
)
"""Reasons that say that there is no such object."""

MESSAGE_OF: Final[Mapping[int, int]] = {
    cmqc.MQRC_UNKNOWN_OBJECT_NAME: 8147,
    cmqc.MQRC_NO_SUBSCRIPTION: 8147,
    cmqc.MQRC_OBJECT_ALREADY_EXISTS: 8150,
    cmqc.MQRC_SUB_ALREADY_EXISTS: 8150,
    cmqc.MQRC_Q_NOT_EMPTY: 8143,
    cmqc.MQRC_OBJECT_IN_USE: 8148,
    cmqcfc.MQRCCF_OBJECT_OPEN_FORCE: 8148,
    cmqc.MQRC_Q_TYPE_ERROR: 8138,
    cmqc.MQRC_NOT_AUTHORIZED: 8135,
    cmqcfc.MQRCCF_CHANNEL_NOT_FOUND: 8147,
    cmqcfc.MQRCCF_CHANNEL_ALREADY_EXISTS: 8150,
    cmqcfc.MQRCCF_CHANNEL_NOT_ACTIVE: 9533,
    cmqcfc.MQRCCF_SSL_CIPHER_SPEC_ERROR: 8242,
}
"""Reason of a failure to the number of the message that runmqsc prints for it."""
_LONGEST_SEGMENT: Final = 1000

Attributes: TypeAlias = Mapping[str, AttributeValue]


class CommandEnding(StrEnum):
    """How a command ended."""

    DONE = "done"
    FAILED = "failed"
    """The queue manager refused a command whose form is right."""
    SYNTAX_ERROR = "syntax error"
    NOT_EMULATED = NOT_EMULATED


class ReplyLine(NamedTuple):
    """One message, with the object below it where it introduces one.

    Attributes:
        id: "AMQ8409I"; "" for what is no message of MQ.
        cells: of the object, as runmqsc prints them: ``MAXDEPTH(5000)``, ``NOSHARE``.
        object: the same in values, identity first: {"QUEUE": "A", "TYPE": "QLOCAL", ...}.
    """

    id: str
    text: str
    cells: tuple[str, ...] = ()
    object: Attributes | None = None
    below: tuple[str, ...] = ()


class Reply(NamedTuple):
    """The answer to one command.

    Attributes:
        reason: MQRC_* number of a failure, 0 where there is none.
        why: for people, on standard error: what is wrong, where the message alone does not say.
    """

    ending: CommandEnding
    lines: tuple[ReplyLine, ...] = ()
    reason: int = 0
    why: str = ""

    @property
    def problem(self) -> str:
        """Why it was not carried out, in one line."""
        return self.why or next(iter(lines_of(self)), "no answer")


def message(number: int, *, name: str = "") -> ReplyLine:
    """An AMQ message by its number; *name* goes into those that name their object."""
    entry = amq_messages()[number]
    text = entry.text
    if name and number in (8147, 8150):
        text = text.replace("object ", f"object {name} ", 1)
    elif name and number == 9533:
        text = text.replace("Channel ", f"Channel '{name}' ", 1)
    return ReplyLine(f"AMQ{number}{entry.severity}", text)


def reason_of(line: ReplyLine) -> int:
    """The reason that a message stands for, 0 for one that stands for none."""
    return next((reason for reason, n in MESSAGE_OF.items() if line.id[:7] == f"AMQ{n}"), 0)


def done(number: int) -> Reply:
    """A command that did what it says: message *number* alone."""
    return Reply(CommandEnding.DONE, (message(number),))


def failed(number: int, reason: int = 0, *, name: str = "") -> Reply:
    """A command that failed with a reason: message *number* alone."""
    return Reply(CommandEnding.FAILED, (message(number, name=name),), reason)


def done_on_zos(module: str, command: str) -> Reply:
    """The completion message of a command that z/OS alone has (CSQ9022I)."""
    text = f"{module} ' {command}' NORMAL COMPLETION"
    return Reply(CommandEnding.DONE, (ReplyLine("CSQ9022I", text),))


def text_of_not_emulated(what: str) -> str:
    """``not emulated: START SERVICE``, and what does the same if there is something."""
    return "; ".join(filter(None, (f"{NOT_EMULATED}: {what}", _INSTEAD.get(what, ""))))


def not_emulated(what: str) -> Reply:
    """The plain answer to what this queue manager does not have."""
    line = ReplyLine("", text_of_not_emulated(what))
    return Reply(CommandEnding.NOT_EMULATED, (line,))


def syntax_error(script: Script, command: Command, finding: Diagnostic) -> Reply:
    """AMQ8405I with the command up to where it is wrong; *finding* says why.

    What runmqsc has a message of its own for is a failure with that message.
    """
    expected = f"; expected {finding.expected}" if finding.expected else ""
    place = f"{script.file or '<mqsc>'}:{finding.line}:{finding.column}"
    text = message(finding.answer)
    if finding.answer != 8405:
        return Reply(CommandEnding.FAILED, (text,), why=f"{place}: {finding.message}{expected}")
    text = text._replace(
        text=f"{text.text.rstrip('.')}:-", below=(segment(script, command, finding),)
    )
    why = f"{place}: {finding.message}{expected}"
    return Reply(CommandEnding.SYNTAX_ERROR, (text,), why=why)


def segment(script: Script, command: Command, finding: Diagnostic) -> str:
    """The text of a command up to and with the word that is wrong, on one line."""
    text = script.text
    at = command.start
    for _ in range(finding.line - command.line):
        end = text.find("\n", at, command.end)
        if end < 0:
            break
        at = end + 1
    at = max(text.rfind("\n", 0, at) + 1, 0) + finding.column - 1
    at = min(max(at, command.start), command.end)
    while at < command.end and not text[at].isspace():
        at += 1
    begin = max(command.start, at - 2 * _LONGEST_SEGMENT)
    words = [word for word in text[begin:at].split() if word not in ("+", "-")]
    return " ".join(words)[-_LONGEST_SEGMENT:]


def lines_of(reply: Reply) -> Iterator[str]:
    """The lines that runmqsc prints between the echo of a command and that of the next."""
    for message in reply.lines:
        yield f"{message.id}: {message.text}" if message.id else message.text
        yield from layout(message.cells)
        yield from message.below
