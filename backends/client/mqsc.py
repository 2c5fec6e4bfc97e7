"""MQSC run by the queue manager itself: by the escape command of PCF, on z/OS as text."""

from __future__ import annotations

from mqtriage.backends.client.command_server import CommandServer
from mqtriage.backends.mqsc_text import explained, messages_in, reply_from, reply_of_zos, text_of
from mqtriage.mq import cmqcfc
from mqtriage.mq.mqsc import zos_reply
from mqtriage.mq.mqsc.reply import Reply, ReplyLine, syntax_error
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.mq.pcf import messages as pcf


def run(server: CommandServer, script: Script, command: Command, wait_ms: int) -> Reply:
    """Have the command server run one command of *script*; each reply is waited for *wait_ms*."""
    if command.error is not None:
        reply = syntax_error(script, command, command.error)
        return zos_reply.on_zos(reply, command) if server.takes_text else reply
    doing = f"{command.verb} {command.noun}".rstrip()
    text = text_of(script, command)
    if server.takes_text:
        header, texts = server.ask_in_text(text, doing, wait_ms)
        return explained(reply_of_zos(header, texts, command), "zos", script, command)
    escape = pcf.integer_of(cmqcfc.MQIACF_ESCAPE_TYPE, cmqcfc.MQET_MQSC)
    parameters = escape, pcf.string(cmqcfc.MQCACF_ESCAPE_TEXT, text)
    reply = _reply(server.ask(cmqcfc.MQCMD_ESCAPE, parameters, doing, wait_ms), doing)
    return explained(reply, "dist", script, command)


def _reply(replies: list[pcf.PCF], doing: str) -> Reply:
    """One answer from the replies to an escape command: messages, objects, and how it ended."""
    messages: list[ReplyLine] = []
    for reply in replies:
        text = reply.first(cmqcfc.MQCACF_ESCAPE_TEXT)
        if isinstance(text, str):
            messages += messages_in(text)
    failed = [reply.reason for reply in replies if reply.comp_code]
    return reply_from(messages, failed or None, doing)
