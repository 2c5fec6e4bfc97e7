"""The command server's end of its queue: takes commands, puts replies.

It is SYSTEM.ADMIN.COMMAND.QUEUE, where commands are PCF; on z/OS SYSTEM.COMMAND.INPUT, where they
may be MQSC as well, and the replies are big-endian and in the EBCDIC of the queue manager.

It needs no thread: a command that has been committed is carried out by whoever touches the queue
manager next, before anything else happens there, and a program that waits for the reply touches it.
Each command is taken in a transaction of its own, so that two processes never carry one out twice;
the replies to it are put in one transaction too. It stops while the queue is GET(DISABLED).

MQMD of a reply: IBM MQ documentation, "PCF responses in IBM MQ" and, for z/OS, "Writing programs to
administer IBM MQ for z/OS".
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.admin import mqsc_server, pcf_commands
from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.get.discard import discard
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.arrival import dead_letter, try_put
from mqtriage.emulator.core.put.descriptor import own
from mqtriage.emulator.core.tables import messages
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import FALLBACK_ASCII, UTF_8, codec_of
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, unpack
from mqtriage.mq.expiry import remaining_tenths
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.zos_reply import on_zos, wire_lines
from mqtriage.mq.pcf import messages as pcf
from mqtriage.records import NamedTuple

_APPLICATION: Final = "amqpcsea"
_ZOS_ENCODING: Final = cmqc.MQENC_INTEGER_NORMAL | cmqc.MQENC_DECIMAL_NORMAL | cmqc.MQENC_FLOAT_S390
_ZOS_CCSID: Final = 500
_TEXT: Final = cmqc.MQFMT_STRING.rstrip()


def serve(manager: Manager) -> None:
    """Carry out the commands that wait, one after the other.

    To be called outside a transaction, by the look at what has fallen due.
    """
    manager.serving = True
    try:
        while (taken := _take(manager)) is not None:
            md, answers = taken[0], _answers(manager, *taken)
            if md.reply_to_q or md.msg_type == cmqc.MQMT_REQUEST:
                _reply(manager, md, answers)
    finally:
        manager.serving = False


def _take(manager: Manager) -> tuple[MQMD, bytes] | None:
    """Descriptor and data of the next command, off the queue for good; None for none."""
    while True:
        with manager.writing() as now:  # what it brings about is made durable by itself
            first = None
            if timetable.command_waits(manager):
                span = manager.queues[manager.command_queue].span
                first = messages.first_free(manager.store, span)
            if first is None:
                timetable.refresh_next_event(manager)
                return None
            position, packed, expires_us = first
            if expires_us is not None and expires_us <= now:
                discard(manager, (position,), now)
                continue
            body = messages.body(manager.store, position)
            messages.remove(manager.store, position)
            md = unpack(packed)._replace(expiry_tenths=remaining_tenths(expires_us, now))
            return md, body


class ReplyMessage(NamedTuple):
    """What one reply message holds, and what its MQMD says of that."""

    format: str
    encoding: int
    ccsid: int
    body: bytes


def _answers(manager: Manager, md: MQMD, body: bytes) -> list[ReplyMessage]:
    connection = Connection(manager, _APPLICATION, md.user_identifier)
    admin = cmqc.MQFMT_ADMIN.rstrip()
    if not manager.is_zos:
        return [
            ReplyMessage(admin, NATIVE_ENCODING, UTF_8, pcf.encode(message, "<", UTF_8))
            for message in pcf_commands.answer(connection, md, body)
        ]
    ccsid = int(manager.attributes.get("CCSID", _ZOS_CCSID))
    codec = codec_of(ccsid, _ZOS_ENCODING)
    if codec is None:
        ccsid, codec = _ZOS_CCSID, f"cp{_ZOS_CCSID}"
    if md.format in (_TEXT, ""):
        sent = body.decode(codec_of(md.ccsid, md.encoding) or FALLBACK_ASCII, "replace")
        texts = _mqsc_answer(connection, sent)
        return [
            ReplyMessage(_TEXT, _ZOS_ENCODING, ccsid, text.encode(codec, "replace"))
            for text in texts
        ]
    messages_ = pcf_commands.answer(connection, md, body)
    bodies = (pcf.encode(pcf.replaced(message, codec), ">", ccsid) for message in messages_)
    return [ReplyMessage(admin, _ZOS_ENCODING, ccsid, body) for body in bodies]


def _mqsc_answer(connection: Connection, text: str) -> list[str]:
    """Carry out one MQSC command; the texts of the reply messages, CSQN205I first."""
    script = parse(text)
    if len(script.commands) == 1 and not pcf_commands.may(connection, script.commands[0]):
        reply = Reply(CommandEnding.FAILED, reason=cmqc.MQRC_NOT_AUTHORIZED)
        reply = on_zos(reply, script.commands[0])
    elif len(script.commands) == 1:
        reply = mqsc_server.execute(connection, script, script.commands[0])
    else:
        wrong = ReplyLine("", "", below=(" ".join(text.split())[:60],))
        command = script.commands[0] if script.commands else Command("", "", None, (), 0, 0, 1, 1)
        reply = on_zos(Reply(CommandEnding.SYNTAX_ERROR, (wrong,)), command)
    return wire_lines(reply, connection.manager.identity.name)


def _reply(manager: Manager, asked: MQMD, answers: list[ReplyMessage]) -> None:
    """Put the replies, all in one transaction; those that fit nowhere are dead-lettered or lost."""
    passed = asked.report & cmqc.MQRO_PASS_DISCARD_AND_EXPIRY
    discards = bool(asked.report & cmqc.MQRO_DISCARD_MSG)
    with manager.writing(durable=bool(asked.persistence)) as now:
        for answer in answers:
            md = own(
                manager,
                now,
                report=cmqc.MQRO_DISCARD_MSG if passed and discards else 0,
                msg_type=cmqc.MQMT_REPLY,
                expiry_tenths=asked.expiry_tenths if passed else cmqc.MQEI_UNLIMITED,
                encoding=answer.encoding,
                ccsid=answer.ccsid,
                format=answer.format,
                priority=asked.priority,
                persistence=asked.persistence,
                **{"msg_id": asked.msg_id} if asked.report & cmqc.MQRO_PASS_MSG_ID else {},
                correl_id=(
                    asked.correl_id if asked.report & cmqc.MQRO_PASS_CORREL_ID else asked.msg_id
                ),
                reply_to_q_mgr=manager.identity.name,
                user_identifier=asked.user_identifier,
            )
            reason = try_put(
                manager, asked.reply_to_q, md, answer.body, now, None,
                queue_manager=asked.reply_to_q_mgr,
            )  # fmt: skip
            if reason and not discards:
                dead_letter(manager, md, answer.body, reason, asked.reply_to_q, now, None)
        timetable.refresh_next_event(manager)
