"""MQSC as text: the command as it is sent, and the answers of a queue manager read back.

Whatever carries it: the escape command of PCF, a message to the command server of z/OS, or HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Platform
from mqtriage.mq.attributes.catalogue import KINDS, AttributeValue, attribute
from mqtriage.mq.errors import MQIError
from mqtriage.mq.mqsc import output as mqsc_output
from mqtriage.mq.mqsc import zos_reply
from mqtriage.mq.mqsc.check import first_error
from mqtriage.mq.mqsc.format import one_line
from mqtriage.mq.mqsc.layout import cell_text
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine, reason_of, syntax_error
from mqtriage.mq.mqsc.tree import Command, Script

SAME_REASON: Final = {
    cmqcfc.MQRCCF_OBJECT_ALREADY_EXISTS: cmqc.MQRC_OBJECT_ALREADY_EXISTS,
    cmqcfc.MQRCCF_OBJECT_OPEN: cmqc.MQRC_OBJECT_IN_USE,
    cmqcfc.MQRCCF_OBJECT_IN_USE: cmqc.MQRC_OBJECT_IN_USE,
    cmqcfc.MQRCCF_UNKNOWN_OBJECT_NAME: cmqc.MQRC_UNKNOWN_OBJECT_NAME,
    cmqcfc.MQRCCF_Q_WRONG_TYPE: cmqc.MQRC_Q_TYPE_ERROR,
    cmqcfc.MQRCCF_NOT_AUTHORIZED: cmqc.MQRC_NOT_AUTHORIZED,
}
"""Reasons of the command server that say what a reason of the MQI says."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_SYNTAX_ERRORS: Final = frozenset(("AMQ8405", "AMQ8426", "AMQ8427"))
_FAILED: Final = frozenset((cmqcfc.MQRCCF_COMMAND_FAILED, cmqc.MQRC_NONE))


def explained(reply: Reply, platform: Platform, script: Script, command: Command) -> Reply:
    """The reply with what we know of a syntax error: a queue manager shows only the place."""
    error = first_error(command, platform) if reply.ending is CommandEnding.SYNTAX_ERROR else None
    return reply._replace(why=syntax_error(script, command, error).why) if error else reply


def check(platform: Platform, script: Script, command: Command) -> Reply:
    """What the form of a command says of it; nothing is run."""
    error = first_error(command, platform)
    return Reply(CommandEnding.DONE) if error is None else syntax_error(script, command, error)


def text_of(script: Script, command: Command) -> str:
    """The command on one line; as it was typed where it is one, for errors quote it."""
    typed = script.raw(command).strip().rstrip(";").rstrip()
    return one_line(command) if "\n" in typed else typed


def reply_from(messages: Sequence[ReplyLine], failures: Sequence[int] | None, doing: str) -> Reply:
    """One answer from its messages.

    Args:
        failures: reasons of the parts that failed, 0 for one without; None where none did.
    """
    messages = list(messages)
    if failures is None:
        return Reply(CommandEnding.DONE, tuple(messages))
    reason = next((reason for reason in failures if reason not in _FAILED), 0)
    reason = reason or next((number for message in messages if (number := reason_of(message))), 0)
    if any(message.id[:7] in _SYNTAX_ERRORS for message in messages):
        return Reply(CommandEnding.SYNTAX_ERROR, tuple(messages), reason)
    if not messages and reason:
        messages.append(ReplyLine("", MQIError(reason, doing).text))
    return Reply(CommandEnding.FAILED, tuple(messages), reason)


def reply_of_zos(header: zos_reply.ReplyHeader, texts: list[str], command: Command) -> Reply:
    """The answer from the messages after CSQN205I: the command prefix is left out of them."""
    # text that is not a message of MQ stays as it is, such as an emulator's "not emulated"
    lines = [ReplyLine("", text) for text in texts if not text.startswith("CSQ")]
    for message in messages_in("\n".join(texts)):
        prefix, _, text = message.text.partition(" ")
        if message.object is not None:
            cells = tuple(_without_padding(cell) for cell in message.cells)
            line = message._replace(text=zos_reply.details(command), cells=cells)
        else:
            line = message._replace(text=text if text else prefix)
        lines.append(line)
    ending, reason = zos_reply.ending_of(tuple(lines), header)
    return Reply(ending, tuple(lines), reason)


def _without_padding(cell: str) -> str:
    keyword, parenthesis, rest = cell.partition("(")
    return cell_text(keyword, rest[:-1].strip(" ") if parenthesis else None)


def messages_in(text: str) -> list[ReplyLine]:
    """The messages in the text of one reply, each with the object below it."""
    reading = mqsc_output.read_output(text)
    records = {record.line: record for record in reading.records}
    messages: list[ReplyLine] = []
    for message in reading.messages:
        # a record starts below its message, or on z/OS beside it, and before the next one
        later = [other.line for other in reading.messages if other.line > message.line]
        end = min(later, default=len(text))
        record = next((r for line, r in records.items() if message.line <= line < end), None)
        below = tuple(message.detail.split("\n")) if message.detail else ()
        cells, shown = ((), None) if record is None else (_cells(record), _object(record))
        name = f"{message.id}{message.severity}"
        messages.append(ReplyLine(name, message.text, cells=cells, object=shown, below=below))
    return messages


def _cells(record: mqsc_output.OutputRecord) -> tuple[str, ...]:
    return tuple(
        cell.keyword if cell.value is None else f"{cell.keyword}({cell.value})"
        for cell in record.cells
    )


def _object(record: mqsc_output.OutputRecord) -> dict[str, AttributeValue]:
    kind = _kind_of(record)
    values: dict[str, AttributeValue] = {}
    for cell in record.cells:
        keyword, value = mqsc_output.cell_value(kind, cell)
        is_unknown = attribute(kind, cell.keyword) is None
        values[keyword] = int(value) if is_unknown and _NUMBER.fullmatch(str(value)) else value
    return values


def _kind_of(record: mqsc_output.OutputRecord) -> str:
    """Whose attributes the cells are: a queue's, a topic's ...; "" for what we have no table of."""
    kind = record.get("TYPE") or ""
    if record.get("QUEUE") is not None:
        return kind if kind in QUEUE_KINDS else ""
    if record.get("PROFILE") is not None:
        return "AUTHREC"
    if record.get("SUB") is not None and record.get("SUBID") is not None:
        return "SUB"
    first = record.cells[0].keyword
    return "QMGR" if first == "QMNAME" else first if first in KINDS else ""
