"""MQSC in messages, as z/OS alone has it: the text of one command in, the texts of its answer out.

Source: IBM MQ documentation, "Writing programs to administer IBM MQ for z/OS".
"""

from __future__ import annotations

from mqtriage.emulator.admin import mqsc_server
from mqtriage.emulator.admin.pcf_commands import may
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import codes
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.zos_reply import on_zos, wire_lines


def answer(connection: Connection, text: str) -> list[str]:
    """Carry out one command; the texts of the reply messages, CSQN205I first."""
    script = parse(text)
    if len(script.commands) == 1 and not may(connection, script.commands[0]):
        reply = Reply(CommandEnding.FAILED, reason=codes.MQRC_NOT_AUTHORIZED)
        reply = on_zos(reply, script.commands[0])
    elif len(script.commands) == 1:
        reply = mqsc_server.execute(connection, script, script.commands[0])
    else:
        wrong = ReplyLine("", "", below=(" ".join(text.split())[:60],))
        command = script.commands[0] if script.commands else Command("", "", None, (), 0, 0, 1, 1)
        reply = on_zos(Reply(CommandEnding.SYNTAX_ERROR, (wrong,)), command)
    return wire_lines(reply, connection.manager.identity.name)
