"""The MQSC command server: one command in, one reply out, each a transaction of its own.

What the emulator has not (other queue managers of a cluster, channels between machines ...) is
answered with "not emulated", never with a message that says it was done. Attribute and name errors
are syntax errors, as for runmqsc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from mqtriage.emulator.admin import (
    admin_events,
    authority_records,
    channel_auth,
    definitions,
    mqsc_channels,
    mqsc_clusters,
    mqsc_display,
    mqsc_listeners,
    mqsc_status,
)
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin.clearing import clear, move
from mqtriage.emulator.admin.definitions import KEPT
from mqtriage.emulator.admin.display import NotEmulated, word_of
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.tables import subscriptions
from mqtriage.emulator.due.expirer import scan_now
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Platform
from mqtriage.mq.errors import ConnectionFailed, MQIError, MQTriageError, UsageError, mqi_error
from mqtriage.mq.mqsc.check import first_error
from mqtriage.mq.mqsc.reply import (
    MESSAGE_OF,
    MISSING,
    CommandEnding,
    Reply,
    ReplyLine,
    done,
    done_on_zos,
    message,
    not_emulated,
    syntax_error,
)
from mqtriage.mq.mqsc.tree import Command, Diagnostic, DiagnosticSeverity, Script
from mqtriage.mq.mqsc.values import attributes_given
from mqtriage.mq.mqsc.verbs import LEAVING
from mqtriage.mq.mqsc.zos_reply import on_zos

Handler: TypeAlias = Callable[[Connection, Command], Reply]

_VALUE_NOT_VALID: Final = 8425

_DONE: Final = {
    "TOPIC": (8690, 8691, 8692), "SUB": (8094, 8093, 8095), "QMGR": (0, 8005, 0),
    "CHANNEL": (8014, 8016, 8015), "LISTENER": (8626, 8623, 8628), "NAMELIST": (8552, 8551, 8553),
    "PROCESS": (8010, 8012, 8011), "AUTHINFO": (8563, 8567, 8564), "SERVICE": (8625, 8624, 8627),
}  # fmt: skip
"""Messages that say that an object is created, changed, deleted; all others are queues."""
_WITHOUT_NUMBERS: Final = ("COMMINFO", "STGCLASS", "CFSTRUCT")
"""Types whose messages have numbers that are not known, or those of z/OS."""
_QUEUES_DONE: Final = (8006, 8008, 8007)
_ON_WHAT_IS_DEFINED: Final = {
    "START": ("SERVICE",),
    "STOP": ("SERVICE",),
    "PING": ("CHANNEL",),
    "RESET": ("CHANNEL",),
    "RESOLVE": ("CHANNEL",),
}
"""Commands that are not emulated, but that MQ answers otherwise where there is no such object."""


def execute(connection: Connection, script: Script, command: Command) -> Reply:
    """Run one command of *script* and answer it, in the messages of the queue manager's platform.

    Raises:
        ConnectionFailed: 2009, 2059: the queue manager went away; nothing more can be run.
        StorageError: Its file cannot be read or written.
    """
    reply = _execute(connection, script, command)
    return on_zos(reply, command) if connection.manager.is_zos else reply


def run_script(connection: Connection, script: Script) -> Iterator[str]:
    """Run the commands in order, as far as END; why each that was not carried out was not."""
    connection.manager.watch_changes()
    for command in script.commands:
        if command.error is None and command.verb in LEAVING:
            return
        reply = execute(connection, script, command)
        if reply.ending is not CommandEnding.DONE:
            yield reply.problem


def _execute(connection: Connection, script: Script, command: Command) -> Reply:
    wrong = refusal(script, command, connection.manager.identity.platform)
    if wrong is not None:
        return wrong
    handler = _handler(command)
    try:
        if handler is None:
            check_there(connection, command)
            what = f"{command.verb} {command.noun}".strip()
            return not_emulated(what)
        reply = handler(connection, command)
    except NotEmulated as form:
        return not_emulated(str(form))
    except ConnectionFailed:
        raise
    except MQIError as error:
        number = MESSAGE_OF.get(error.reason)
        name = error.object_name or command.named()
        answer = message(number, name=name) if number else ReplyLine("", error.text)
        return Reply(CommandEnding.FAILED, (answer,), error.reason, _why(script, command, error))
    except UsageError as error:
        if command.verb == "DISPLAY":
            end = command.parameters[-1] if command.parameters else command
            place = DiagnosticSeverity.ERROR, end.line, end.column
            return syntax_error(script, command, Diagnostic(*place, error.text, error.hint or ""))
        return Reply(
            CommandEnding.FAILED, (message(_VALUE_NOT_VALID),), why=_why(script, command, error)
        )
    if reply.ending is CommandEnding.DONE:
        admin_events.issued_text(connection, script, command)
    return reply


def _why(script: Script, command: Command, error: MQTriageError) -> str:
    return f"{script.file or '<mqsc>'}:{command.line}: {error.text}"


def refusal(script: Script, command: Command, platform: Platform) -> Reply | None:
    """What runmqsc -v says against a command: nothing, or a syntax error."""
    wrong = first_error(command, platform)
    return None if wrong is None else syntax_error(script, command, wrong)


def _handler(command: Command) -> Handler | None:
    if command.verb in LEAVING:
        return None
    if command.noun in (*QUEUE_KINDS, "TOPIC", *KEPT) and command.verb in _DEFINING:
        return _DEFINING[command.verb]
    return _HANDLERS.get((command.verb, command.noun))


# -- definitions ----------------------------------------------------------------------------------


def _define(connection: Connection, command: Command) -> Reply:
    definitions.define(
        connection,
        command.noun,
        command.named(),
        attributes_given(command),
        like=command.value("LIKE") or "",
        replace=command.has("REPLACE"),
    )
    return _done(command, 0)


def _done(command: Command, which: int) -> Reply:
    """That an object is created, changed or deleted: 0, 1, 2."""
    if command.noun in _WITHOUT_NUMBERS:
        line = ReplyLine("", f"{command.noun} {('created', 'changed', 'deleted')[which]}.")
        return Reply(CommandEnding.DONE, (line,))
    return done(_DONE.get(command.noun, _QUEUES_DONE)[which])


def _alter(connection: Connection, command: Command) -> Reply:
    given = attributes_given(command)
    definitions.alter(connection, command.noun, command.named(), given, force=command.has("FORCE"))
    return _done(command, 1)


def _delete(connection: Connection, command: Command) -> Reply:
    name = command.named()
    try:
        if command.noun == "SUB" and not name:
            name = _subscription_with(connection, command.value("SUBID") or "")
        clients = (command.value("CHLTABLE") or "").upper() == "CLNTTAB"
        kind = kept.CLIENT_CHANNELS if clients else command.noun
        definitions.delete(connection, kind, name, purge=command.has("PURGE"))
    except MQIError as error:
        missing = error.reason in MISSING
        if missing and (command.value("IGNSTATE") or "").upper() == "YES":
            return Reply(CommandEnding.DONE, (message(8147, name=command.named()),))
        raise
    return _done(command, 2)


def _subscription_with(connection: Connection, sub_id: str) -> str:
    """The name of the subscription with that SUBID, 48 hexadecimal digits."""
    connection.look("delete SUB")
    for subscription in subscriptions.every(connection.manager.store):
        if subscription.id.hex().upper() == sub_id.upper():
            return subscription.name
    raise mqi_error(cmqc.MQRC_NO_SUBSCRIPTION, f"delete SUB SUBID({sub_id[:48]})")


def _clear(connection: Connection, command: Command) -> Reply:
    clear(connection, command.named())
    return done(8022)


def _move(connection: Connection, command: Command) -> Reply:
    kind = word_of(command, "TYPE", ("MOVE", "ADD"))
    target = command.value("TOQLOCAL") or ""
    if not target:
        raise UsageError("MOVE QLOCAL needs TOQLOCAL(queue)")
    move(connection, command.named(), target, add=kind == "ADD")
    return done_on_zos("CSQMMVQL", "MOVE QLOCAL")


# -- authority ------------------------------------------------------------------------------------


def set_authority(connection: Connection, command: Command) -> Reply:
    """SET AUTHREC."""
    for principal, group in _entities(command):
        authority_records.set_record(
            connection.manager,
            command.value("OBJTYPE") or "",
            command.value("PROFILE") or "",
            principal=principal,
            group=group,
            add=_words(command, "AUTHADD"),
            remove=_words(command, "AUTHRMV"),
        )
    return done(8862)


def _entities(command: Command) -> list[tuple[str, str]]:
    """The users and groups that an authority command names: pairs of which one half is blank."""
    entities = [(name, "") for name in _words(command, "PRINCIPAL")]
    entities += [("", name) for name in _words(command, "GROUP")]
    return entities or [("", "")]


def _set_channel_authentication(connection: Connection, command: Command) -> Reply:
    channel_auth.set_record(connection, command.named(), attributes_given(command))
    return done(8877)


def _delete_authority(connection: Connection, command: Command) -> Reply:
    profile = command.value("PROFILE") or ""
    if command.has("PRINCIPAL") == command.has("GROUP"):
        raise UsageError("DELETE AUTHREC takes exactly one of PRINCIPAL and GROUP")
    gone = authority_records.delete_record(
        connection.manager,
        command.value("OBJTYPE") or "",
        profile,
        principal=command.value("PRINCIPAL") or "",
        group=command.value("GROUP") or "",
    )
    return done(8863) if gone else mqsc_display.not_found(profile)


def _words(command: Command, keyword: str) -> list[str]:
    parameter = command.parameter(keyword)
    return [value.text for value in (parameter.values or ())] if parameter else []


# -- the rest -------------------------------------------------------------------------------------


def _refresh_security(connection: Connection, command: Command) -> Reply:
    connection.look("refresh SECURITY")
    return done(8560)


def _refresh_queue_manager(connection: Connection, command: Command) -> Reply:
    kind = (command.value("TYPE") or "").upper()
    if kind != "EXPIRY":
        return not_emulated(f"REFRESH QMGR TYPE({kind})")
    connection.look("refresh QMGR")
    scan_now(connection.manager)
    return done_on_zos("CSQMRQMG", "REFRESH QMGR")


def _ping(connection: Connection, command: Command) -> Reply:
    connection.look("ping QMGR")
    return done(8415)


_DEFINING: Final[Mapping[str, Handler]] = {"DEFINE": _define, "ALTER": _alter, "DELETE": _delete}
_DISPLAYED: Final[Mapping[str, Handler]] = {
    **dict.fromkeys((*QUEUE_KINDS, "QUEUE", "QCLUSTER"), mqsc_display.queues),
    "QMGR": mqsc_display.queue_manager,
    "TOPIC": mqsc_display.topics,
    "SUB": mqsc_display.subscriptions,
    "AUTHREC": mqsc_display.authority_records,
    "QSTATUS": mqsc_status.queue_status,
    "QMSTATUS": mqsc_status.queue_manager_status,
    "CONN": mqsc_status.connections,
    "CHSTATUS": mqsc_channels.channel_status,
    "LSSTATUS": mqsc_listeners.listener_status,
    "CHLAUTH": mqsc_display.channel_authentication,
    "CLUSQMGR": mqsc_clusters.queue_managers,
    **dict.fromkeys(mqsc_display.KEPT_NUMBERS, mqsc_display.kept_objects),
}
_HANDLERS: Final[Mapping[tuple[str, str], Handler]] = {
    ("DEFINE", "SUB"): _define,
    ("ALTER", "SUB"): _alter,
    ("DELETE", "SUB"): _delete,
    ("ALTER", "QMGR"): _alter,
    ("CLEAR", "QLOCAL"): _clear,
    ("MOVE", "QLOCAL"): _move,
    ("SET", "AUTHREC"): set_authority,
    ("SET", "CHLAUTH"): _set_channel_authentication,
    ("DELETE", "AUTHREC"): _delete_authority,
    ("REFRESH", "SECURITY"): _refresh_security,
    ("REFRESH", "QMGR"): _refresh_queue_manager,
    ("PING", "QMGR"): _ping,
    ("SUSPEND", "QMGR"): mqsc_clusters.suspend,
    ("RESUME", "QMGR"): mqsc_clusters.suspend,
    ("REFRESH", "CLUSTER"): mqsc_clusters.refresh,
    ("RESET", "CLUSTER"): mqsc_clusters.reset,
    ("START", "CHANNEL"): mqsc_channels.start,
    ("STOP", "CHANNEL"): mqsc_channels.stop,
    ("START", "LISTENER"): mqsc_listeners.start,
    ("STOP", "LISTENER"): mqsc_listeners.stop,
    ("RESET", "QSTATS"): mqsc_status.queue_statistics,
    **{("DISPLAY", noun): handler for noun, handler in _DISPLAYED.items()},
}


def run(connection: Connection, command: Command) -> Reply:
    """Carry out a command that is known to be right and emulated."""
    handler = _handler(command)
    assert handler is not None
    return handler(connection, command)


def is_emulated(command: Command) -> bool:
    """Whether the emulator runs commands of that verb and object type."""
    return _handler(command) is not None


def check_there(connection: Connection, command: Command) -> None:
    """Refuse START and its kin, which are not emulated, where their object is not even defined."""
    if command.noun not in _ON_WHAT_IS_DEFINED.get(command.verb, ()):
        return
    name = command.named()
    doing = f"{command.verb.lower()} {command.noun.lower()} {name}"
    connection.look(doing)
    kept.named(connection.manager, command.noun, name, doing)
