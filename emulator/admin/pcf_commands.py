"""The PCF command server: one command message in, the messages of its answer out.

What a command does is the MQSC server's (`mqsc_server`), after `mq.pcf.as_mqsc` has said which MQSC
command it is. An inquiry is answered with one message for each object, an error with one that says
what is wrong and a last one with MQRCCF_COMMAND_FAILED.
Source: IBM MQ documentation, "PCF responses in IBM MQ", "Standard responses".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqtriage.emulator.admin import admin_events, mqsc_server
from mqtriage.emulator.core.authority import granted, is_checked
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, PCFError, UsageError
from mqtriage.mq.headers.layout import byte_order
from mqtriage.mq.mqsc.check import wrong_channel_type
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, lines_of
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.verbs import only_platform
from mqtriage.mq.names import name_length
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.as_mqsc import translate
from mqtriage.mq.pcf.attributes import parameters_of
from mqtriage.mq.pcf.given import PcfRefusal
from mqtriage.mq.pcf.names import name_of_command
from mqtriage.mq.pcf.sequence import check_sequence

_ESCAPE: Final = cmqcfc.MQCMD_ESCAPE
_ESCAPE_TYPE, _ESCAPE_TEXT, _MQSC = 1017, 3014, 1

_REASONS: Final = {
    cmqc.MQRC_OBJECT_ALREADY_EXISTS: cmqcfc.MQRCCF_OBJECT_ALREADY_EXISTS,
    cmqc.MQRC_OBJECT_IN_USE: cmqcfc.MQRCCF_OBJECT_OPEN,
    cmqc.MQRC_Q_TYPE_ERROR: cmqcfc.MQRCCF_Q_WRONG_TYPE,
    cmqc.MQRC_SUB_ALREADY_EXISTS: cmqcfc.MQRCCF_SUB_ALREADY_EXISTS,
}
"""Reasons that the MQI gives, as the command server gives them."""
_NOTHING_FOUND: Final = {
    "SUB": cmqc.MQRC_NO_SUBSCRIPTION,
    "CONN": cmqcfc.MQRCCF_CONNECTION_ID_ERROR,
    "CHLAUTH": cmqcfc.MQRCCF_CHLAUTH_NOT_FOUND,
    "QSTATUS": cmqcfc.MQRCCF_Q_STATUS_NOT_FOUND,
    "AUTHREC": cmqcfc.MQRCCF_NONE_FOUND,
}
_NAME_ERRORS: Final = {"CHANNEL": cmqcfc.MQRCCF_CHANNEL_NAME_ERROR}
_LISTS: Final = {
    "QUEUE": (cmqcfc.MQCACF_Q_NAMES, cmqcfc.MQIACF_Q_TYPES, "TYPE"),
    "CHANNEL": (cmqcfc.MQCACH_CHANNEL_NAMES, cmqcfc.MQIACH_CHANNEL_TYPES, "CHLTYPE"),
    "NAMELIST": (cmqcfc.MQCACF_NAMELIST_NAMES, 0, ""),
    "PROCESS": (cmqcfc.MQCACF_PROCESS_NAMES, 0, ""),
    "AUTHINFO": (cmqcfc.MQCACF_AUTH_INFO_NAMES, 0, ""),
    "TOPIC": (cmqcfc.MQCACF_TOPIC_NAMES, 0, ""),
}
"""What an inquiry of names answers with: names, types, and the attribute with the type."""

_WORDS: Final = {
    "ALTER": "CHG", "CLEAR": "CLR", "DEFINE": "CRT", "DELETE": "DLT", "DISPLAY": "DSP",
    "MOVE": "CHG", "PING": "DSP", "REFRESH": "CHG", "RESET": "CHG", "SET": "CHG",
    "START": "CTRL", "STOP": "CTRL",
}  # fmt: skip
_TYPES: Final = {
    **dict.fromkeys((*QUEUE_KINDS, "QUEUE", "QSTATUS", "QSTATS"), "QUEUE"),
    **{kind: kind for kind in (
        "AUTHINFO", "CHANNEL", "LISTENER", "NAMELIST", "PROCESS", "SERVICE", "TOPIC",
    )},
}  # fmt: skip
"""Object types that have authorities of their own; all else is the queue manager's."""


def answer(connection: Connection, md: MQMD, body: bytes) -> list[pcf.PCF]:
    """Carry out one command message.

    Args:
        connection: of the user that the message says it is from.

    Returns:
        The messages of the answer, numbered, the last one marked as such.
    """
    command = 0
    try:
        message = _read(md, body, is_zos=connection.manager.is_zos)
        command = message.command
        answers = _carried_out(connection, message)
    except PcfRefusal as error:
        wrong = [pcf.integer_of(error.parameter, error.wrong)] if error.parameter else []
        answers = _failure(error.reason, wrong)
    except PCFError as error:
        answers = _failure(error.reason)
    except MQIError as error:
        answers = _failure(_REASONS.get(error.reason, error.reason))
    if connection.manager.is_zos:
        answers = _extended(connection.manager.identity.name, md.msg_id, answers)
    return _numbered(command, answers)


def _read(md: MQMD, body: bytes, *, is_zos: bool) -> pcf.PCF:
    if md.format != cmqc.MQFMT_ADMIN.rstrip():
        reason = cmqcfc.MQRCCF_MD_FORMAT_ERROR
        raise PCFError(reason, 0, f"Format {md.format or 'MQFMT_NONE'}")
    order = byte_order(md.encoding)
    if order is None:
        raise PCFError(cmqcfc.MQRCCF_ENCODING_ERROR, 0, f"Encoding {md.encoding}")
    message = pcf.decode(body, order, md.ccsid)
    types = (cmqcfc.MQCFT_COMMAND_XR, *(() if is_zos else (cmqcfc.MQCFT_COMMAND,)))
    if message.type not in types:
        raise PCFError(cmqcfc.MQRCCF_CFH_TYPE_ERROR, 0, f"MQCFH Type {message.type}")
    if message.control != cmqcfc.MQCFC_LAST:
        raise PCFError(cmqcfc.MQRCCF_CFH_CONTROL_ERROR, 0, f"Control {message.control}")
    if message.msg_seq_number != 1:
        reason = cmqcfc.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR
        raise PCFError(reason, 0, f"MsgSeqNumber {message.msg_seq_number}")
    return message


def _failure(reason: int, wrong: Iterable[pcf.PcfParameter] = ()) -> list[pcf.PCF]:
    """What is wrong, and the summary that ends a command that failed."""
    return [
        pcf.PCF(0, 0, tuple(wrong), comp_code=cmqc.MQCC_FAILED, reason=reason),
        pcf.PCF(0, 0, comp_code=cmqc.MQCC_FAILED, reason=cmqcfc.MQRCCF_COMMAND_FAILED),
    ]


def _numbered(command: int, answers: list[pcf.PCF]) -> list[pcf.PCF]:
    last = len(answers)
    return [
        message._replace(
            type=message.type or cmqcfc.MQCFT_RESPONSE,
            command=command,
            msg_seq_number=place,
            control=cmqcfc.MQCFC_LAST if place == last else cmqcfc.MQCFC_NOT_LAST,
        )
        for place, message in enumerate(answers, 1)
    ]


def _extended(name: str, response_id: bytes, answers: list[pcf.PCF]) -> list[pcf.PCF]:
    """The set of extended responses that z/OS sends: messages, items, and a summary at the end.

    Args:
        response_id: the same in every message of the set.
    """
    head = (
        pcf.byte_string(cmqcfc.MQBACF_RESPONSE_ID, response_id),
        pcf.string(cmqcfc.MQCACF_RESPONSE_Q_MGR_NAME, name, width=48),
    )
    if answers[-1].comp_code == cmqc.MQCC_OK:
        answers = [*answers, _ok()]
    kinds = [
        cmqcfc.MQCFT_XR_ITEM
        if message.parameters and not message.comp_code
        else cmqcfc.MQCFT_XR_MSG
        for message in answers[:-1]
    ]
    return [
        message._replace(type=kind, parameters=(*head, *message.parameters))
        for kind, message in zip([*kinds, cmqcfc.MQCFT_XR_SUMMARY], answers, strict=True)
    ]


def _ok(parameters: Iterable[pcf.PcfParameter] = ()) -> pcf.PCF:
    return pcf.PCF(0, 0, tuple(parameters), comp_code=cmqc.MQCC_OK)


# -- carrying out ---------------------------------------------------------------------------------


def _carried_out(connection: Connection, message: pcf.PCF) -> list[pcf.PCF]:
    is_zos = connection.manager.is_zos
    if message.command == _ESCAPE and not is_zos:  # it is for Multiplatforms alone
        return _escape(connection, message)
    answers: list[pcf.PCF] = []
    for command in translate(message, any_order=is_zos):
        command = _with_queue_type(connection, command)
        if is_zos and only_platform(command.verb, command.noun) == "dist":
            return _failure(cmqcfc.MQRCCF_CFH_COMMAND_ERROR)
        if not mqsc_server.is_emulated(command):
            mqsc_server.check_there(connection, command)
            return _failure(cmqcfc.MQRCCF_CFH_COMMAND_ERROR)
        if not may(connection, command):
            return [*answers, *_failure(cmqc.MQRC_NOT_AUTHORIZED)]
        reply = _run(connection, command)
        if isinstance(reply, int):
            return [*answers, *_failure(reply)]
        answers += _objects(message, command, reply)
    admin_events.issued_message(connection, message)
    return answers or [_ok()]


def may(connection: Connection, command: Command) -> bool:
    """Whether the connection's user may run a command.

    Checked as calls to the MQI are; each verb is one of CHG, CLR, CRT, DLT, DSP on the object. A
    DISPLAY of a generic name needs DSP on a profile that matches the name as it stands.

    Source: IBM MQ documentation, "Authority checking for PCF commands in IBM MQ".
    """
    if not is_checked(connection):
        return True
    word = _WORDS.get(command.verb, "CHG")
    type_ = _TYPES.get(command.noun, "QMGR")
    name = "" if type_ == "QMGR" else command.named()
    name = name or connection.manager.identity.name
    return word in granted(connection, type_, name)


def _with_queue_type(connection: Connection, command: Command) -> Command:
    """DELETE and ALTER of a queue whose type the command leaves out: the type that it has."""
    if command.noun != "QUEUE" or command.verb == "DISPLAY":
        return command
    name = command.named()
    connection.look(f"{command.verb.lower()} {name}")
    queue = connection.at(name).manager.queues.get(name)
    return command._replace(noun=queue.kind if queue else "QLOCAL")


def _run(connection: Connection, command: Command) -> Reply | int:
    """The reply of the MQSC server, or the reason it failed with."""
    if any(wrong_channel_type(command)):
        return cmqcfc.MQRCCF_WRONG_CHANNEL_TYPE
    try:
        reply = mqsc_server.run(connection, command)
    except MQIError as error:
        if error.reason == cmqc.MQRC_Q_TYPE_ERROR and command.verb == "DEFINE":
            is_like = "LIKE(" in error.doing  # else it is the queue to be replaced
            return (
                cmqcfc.MQRCCF_LIKE_OBJECT_WRONG_TYPE if is_like else cmqcfc.MQRCCF_OBJECT_WRONG_TYPE
            )
        return _REASONS.get(error.reason, error.reason)
    except UsageError as error:
        return _reason_of(command, error)
    if reply.ending is CommandEnding.NOT_EMULATED:
        return cmqcfc.MQRCCF_CFH_COMMAND_ERROR
    if reply.ending is CommandEnding.DONE:
        return reply
    return failure_reason(command, reply)


def _reason_of(command: Command, error: UsageError) -> int:
    """What the command server says to a name, filter or value that the MQSC server cannot take."""
    if error.text.startswith("WHERE"):
        return cmqcfc.MQRCCF_FILTER_ERROR
    if " name " in error.text:
        return _NAME_ERRORS.get(command.noun, cmqcfc.MQRCCF_OBJECT_NAME_ERROR)
    return cmqcfc.MQRCCF_ATTR_VALUE_ERROR


def failure_reason(command: Command, reply: Reply) -> int:
    """The reason with which the command server answers a command that the MQSC server refused."""
    if command.verb != "DISPLAY":
        return _REASONS.get(reply.reason, reply.reason) or cmqcfc.MQRCCF_COMMAND_FAILED
    if command.noun == "QSTATUS" and reply.reason:
        return reply.reason
    name = command.named()
    if command.noun == "CHANNEL" and not name.endswith("*"):
        return cmqcfc.MQRCCF_CHANNEL_NOT_FOUND
    return _NOTHING_FOUND.get(command.noun, reply.reason or cmqc.MQRC_UNKNOWN_OBJECT_NAME)


def _objects(message: pcf.PCF, command: Command, reply: Reply) -> list[pcf.PCF]:
    objects = [dict(line.object) for line in reply.lines if line.object is not None]
    if name_of_command(message.command).endswith("_NAMES"):
        return [_ok(_names(command, objects))]
    return [_ok(parameters_of(*_table_and_values(command, values))) for values in objects]


def _table_and_values(
    command: Command, values: dict[str, AttributeValue]
) -> tuple[str, dict[str, AttributeValue]]:
    """The attribute table that an object's values are of, and the values as PCF tells them."""
    kind = command.noun
    if kind == "QUEUE" or kind in QUEUE_KINDS:
        return str(values["TYPE"]), values
    if kind == "QSTATUS" and values.get("TYPE") == "HANDLE":
        return "QHANDLE", values
    if kind == "AUTHREC":
        return "AUTHRECS", values
    if kind == "CONN":  # the id is told whole there
        return kind, values | {"CONN": f"{values['EXTCONN']}{values['CONN']}"}
    return kind, values


def _names(command: Command, objects: list[dict[str, AttributeValue]]) -> list[pcf.PcfParameter]:
    list_parameter, types, keyword = _LISTS[command.noun]
    width = name_length(command.noun)
    names = [str(values[command.noun]) for values in objects]
    parameters = [pcf.strings(list_parameter, names, width=width)]
    if types:
        entry = attribute("QLOCAL" if command.noun == "QUEUE" else "CHANNEL", keyword)
        assert entry is not None
        numbers = [entry.words[str(values[keyword])] for values in objects]
        parameters.append(pcf.integers(types, numbers))
    return parameters


# -- MQSC in PCF ----------------------------------------------------------------------------------


def _escape(connection: Connection, message: pcf.PCF) -> list[pcf.PCF]:
    """MQCMD_ESCAPE: the MQSC text is run, each message of the answer comes back as text."""
    check_sequence(message)
    if message.first(_ESCAPE_TYPE) != _MQSC:
        raise PcfRefusal(cmqcfc.MQRCCF_ESCAPE_TYPE_ERROR, _ESCAPE_TYPE)
    text = message.first(_ESCAPE_TEXT)
    if not isinstance(text, str):
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, _ESCAPE_TEXT)
    script = parse(text)
    answers: list[pcf.PCF] = []
    failed = False
    for command in script.commands:
        if not may(connection, command):
            return [*answers, *_failure(cmqc.MQRC_NOT_AUTHORIZED)]
        reply = mqsc_server.execute(connection, script, command)
        failed = failed or reply.ending is not CommandEnding.DONE
        answers += _texts(reply)
    if failed:
        answers[-1:] = [
            answers[-1]._replace(comp_code=cmqc.MQCC_FAILED, reason=cmqcfc.MQRCCF_COMMAND_FAILED)
        ]
    return answers or [_ok()]


def _texts(reply: Reply) -> Iterator[pcf.PCF]:
    """Each message with what stands below it."""
    for line in reply.lines:
        text = "\n".join(lines_of(reply._replace(lines=(line,)))).rstrip("\n")
        yield _ok((pcf.integer_of(_ESCAPE_TYPE, _MQSC), pcf.string(_ESCAPE_TEXT, text)))
