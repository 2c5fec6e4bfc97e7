"""POST /admin/action/qmgr/{name}/mqsc: one MQSC command, as text or in JSON.

What the command does is the MQSC server's; reason codes are those of the command server for PCF,
as mqweb asks it. A command that failed is answered with HTTP 200, and codes that say so.
Source: IBM MQ documentation, "POST plain text MQSC command", "POST JSON formatted command".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin import mqsc_server, pcf_commands
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.web.exchange import JSON_TYPE, Answer, Request, bad_body, check_media
from mqtriage.emulator.web.json_commands import mqsc_text, object_json, with_handles
from mqtriage.emulator.web.users import Principal, Role
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, failed, message
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.mq.mqsc.zos_reply import wire_lines

_BETWEEN: Final = "   "
_FAILED: Final = {"overallCompletionCode": 2, "overallReasonCode": cmqcfc.MQRCCF_COMMAND_FAILED}
_DONE: Final = {"overallCompletionCode": 0, "overallReasonCode": 0}


def content_of(request: Request) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    check_media(request.headers, ("application/json",))
    try:
        content = json.loads(request.body.decode("utf-8"), parse_constant=_no_number)
        json.dumps(content, ensure_ascii=False).encode()  # half a character can be said in JSON
    except (ValueError, RecursionError) as error:
        raise bad_body("it is not JSON in UTF-8") from error
    if not isinstance(content, dict):
        raise bad_body("it is not a JSON object")
    return content


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


class CommandRequest:
    """One command of a request, read before a queue manager is touched.

    Raises:
        RestError: 400.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        kind = content.get("type")
        self.is_json = kind == "runCommandJSON"
        if self.is_json:
            self.text = mqsc_text(content)
        elif kind == "runCommand":
            self.text = _text_of(content)
        else:
            raise bad_body("'type' is neither runCommand nor runCommandJSON")
        self.script: Script = parse(self.text)

    def take_channel_type(self, connection: Connection) -> None:
        """Give ALTER CHANNEL the type that the channel has.

        mqweb of 9.4 takes it without in JSON: the tests that come with mq-rest-admin alter so.
        """
        command = self.command
        if command is None or (command.verb, command.noun) != ("ALTER", "CHANNEL"):
            return
        if command.has("CHLTYPE") or command.name is None:
            return
        connection.look(f"alter channel {command.name.text}")
        channel = kept.find(connection.manager, "CHANNEL", command.name.text)
        if channel is not None:
            self.text += f" CHLTYPE({channel['CHLTYPE']})"
            self.script = parse(self.text)

    @property
    def command(self) -> Command | None:
        """The one command; None where there are none, or several."""
        commands = self.script.commands
        return commands[0] if len(commands) == 1 else None

    @property
    def only_looks(self) -> bool:
        return self.command is not None and self.command.verb == "DISPLAY"


def _text_of(content: dict[str, Any]) -> str:
    for member in content:
        if member not in ("type", "parameters"):
            raise bad_body(f"member '{member[:60]}'")
    parameters = content.get("parameters")
    if not isinstance(parameters, dict) or set(parameters) != {"command"}:
        raise bad_body("'parameters' takes 'command' alone")
    text = parameters["command"]
    if not isinstance(text, str):
        raise bad_body("'command' is not a string")
    return text


def acting_role(principal: Principal, *, only_looks: bool) -> Role | None:
    """The strongest role by which the principal may do it; None where none allows it."""
    roles = principal.roles
    if "MQWebAdmin" in roles:
        return "MQWebAdmin"
    if "MQWebAdminRO" in roles and only_looks:
        return "MQWebAdminRO"
    return "MQWebUser" if "MQWebUser" in roles else None


def run(connection: Connection, asked: CommandRequest) -> Answer:
    """Carry out a command."""
    reply, command = carried_out(connection, asked), asked.command
    if command is None:
        return _answer([_failed(asked, reply, 0)])
    if connection.manager.is_zos and not asked.is_json:
        texts = wire_lines(reply, connection.manager.identity.name)
        code = 0 if reply.ending is CommandEnding.DONE else reason_of(command, reply)
        return _answer([_element(code, text=texts)])
    if reply.ending is not CommandEnding.DONE:
        return _answer([_failed(asked, reply, reason_of(command, reply))])
    return _answer(list(_elements(asked, command, reply)))


def carried_out(connection: Connection, asked: CommandRequest) -> Reply:
    """The reply of the MQSC server to a command that the user may run.

    Raises:
        ConnectionFailed: 2009, 2059: the queue manager went away.
        StorageError: Its file cannot be read or written.
    """
    connection.manager.watch_changes()
    if asked.is_json:
        asked.take_channel_type(connection)
    command = asked.command
    if command is None:
        words = " ".join(asked.text.split())[:60]
        line = message(8405)
        line = line._replace(text=f"{line.text.rstrip('.')}:-", below=(words,))
        return Reply(CommandEnding.SYNTAX_ERROR, (line,))
    if not pcf_commands.may(connection, command):
        return failed(8135, cmqc.MQRC_NOT_AUTHORIZED)
    return mqsc_server.execute(connection, asked.script, command)


def reason_of(command: Command, reply: Reply) -> int:
    """The reason code of a command that failed, as the command server for PCF has it."""
    if reply.ending is CommandEnding.SYNTAX_ERROR:
        return cmqcfc.MQRCCF_COMMAND_FAILED
    if reply.ending is CommandEnding.NOT_EMULATED:
        return cmqcfc.MQRCCF_CFH_COMMAND_ERROR
    return pcf_commands.failure_reason(command, reply)


def _failed(asked: CommandRequest, reply: Reply, reason: int) -> dict[str, Any]:
    texts = [text for line in reply.lines for text in (_head(line.id, line.text), *line.below)]
    reason = reason or cmqcfc.MQRCCF_COMMAND_FAILED
    return _element(reason, **{"message" if asked.is_json else "text": texts})


def _elements(asked: CommandRequest, command: Command, reply: Reply) -> Iterator[dict[str, Any]]:
    """One element an object, or the one that says that it was done."""
    shown = [line for line in reply.lines if line.object is not None]
    if not shown:
        texts = [_head(line.id, line.text) for line in reply.lines]
        yield _element(0, **{"message" if asked.is_json else "text": texts})
    if asked.is_json:
        objects = [object_json(command.noun, line.object or {}) for line in shown]
        if command.noun == "QSTATUS" and objects and objects[0]["type"] == "HANDLE":
            objects = with_handles(objects)
        yield from (_element(0, parameters=parameters) for parameters in objects)
    else:
        for line in shown:
            yield _element(0, text=[_BETWEEN.join((_head(line.id, line.text), *line.cells))])


def _head(number: str, text: str) -> str:
    return f"{number}: {text}" if number else text


def _element(reason: int, **members: Any) -> dict[str, Any]:
    return {"completionCode": 2 if reason else 0, "reasonCode": reason, **members}


def _answer(elements: list[dict[str, Any]]) -> Answer:
    overall = _FAILED if any(one["reasonCode"] for one in elements) else _DONE
    body = json.dumps({"commandResponse": elements, **overall}, ensure_ascii=False)
    return Answer(200, body.encode(), (("Content-Type", JSON_TYPE),))
