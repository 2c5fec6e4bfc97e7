"""Command and configuration events: what was asked of the queue manager, and what that changed.

Command events are written where CMDEV is ENABLED, or NODISPLAY for all but inquiries; configuration
events where CONFIGEV is ENABLED: one of an object that is new or gone, two of one that changed,
before and after, with one CorrelId. Each is put once the command has succeeded, in a transaction of
its own. No event holds a password.

Sources: IBM MQ documentation, "Command", "Create object", "Change object", "Delete object" (event
message reference).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.descriptor import new_id
from mqtriage.emulator.core.put.event import put_event
from mqtriage.emulator.core.tables import definitions
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import MASKED, QUEUE_KINDS, masked
from mqtriage.mq.attributes.catalogue import AttributeValue
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.attributes import parameters_of
from mqtriage.mq.pcf.names import name_of_command

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.EVENT"
CONFIG_QUEUE: Final = "SYSTEM.ADMIN.CONFIG.EVENT"
_VERBS: Final = {
    "DEFINE": "CREATE", "ALTER": "CHANGE", "DELETE": "DELETE", "DISPLAY": "INQUIRE",
}  # fmt: skip
_NOUNS: Final = {
    **dict.fromkeys((*QUEUE_KINDS, "QUEUE"), "Q"), "QMGR": "Q_MGR", "QSTATUS": "Q_STATUS",
    "QSTATS": "Q_STATS", "CHSTATUS": "CHANNEL_STATUS", "AUTHREC": "AUTH_REC",
    "CHLAUTH": "CHLAUTH_REC", "AUTHINFO": "AUTH_INFO", "CONN": "CONNECTION",
    "SUB": "SUBSCRIPTION", "QMSTATUS": "Q_MGR_STATUS", "LSSTATUS": "LISTENER_STATUS",
    "SBSTATUS": "SUB_STATUS", "SVSTATUS": "SERVICE_STATUS", "TPSTATUS": "TOPIC_STATUS",
    "APSTATUS": "APPL_STATUS", "PUBSUB": "PUBSUB_STATUS", "TOPICSTR": "TOPIC_STRING",
    "QCLUSTER": "Q", "TCLUSTER": "TOPIC", "CLUSQMGR": "CLUSTER_Q_MGR", "COMMINFO": "COMM_INFO",
    "POLICY": "PROT_POLICY", "AUTHSERV": "AUTH_SERVICE", "ENTAUTH": "ENTITY_AUTH",
    "CMDSERV": "CMD_SERVER", "CHINIT": "CHANNEL_INIT",
}  # fmt: skip
"""MQSC's words where PCF has others."""
_COMMANDS: Final = {
    "INQUIRE_AUTH_REC": "INQUIRE_AUTH_RECS", "INQUIRE_CHLAUTH_REC": "INQUIRE_CHLAUTH_RECS",
    "START_LISTENER": "START_CHANNEL_LISTENER", "STOP_LISTENER": "STOP_CHANNEL_LISTENER",
}  # fmt: skip
"""PCF's names of commands that do not consist of the words above."""
_SECRET_SELECTORS: Final = frozenset({
    cmqc.MQCA_INITIAL_KEY, cmqc.MQCA_LDAP_PASSWORD, cmqc.MQCA_SSL_KEY_REPO_PASSWORD,
    cmqcfc.MQCACH_PASSWORD, cmqcfc.MQCACH_SSL_KEY_PASSPHRASE,
})  # fmt: skip
"""SECRETS in PCF."""


# -- configuration events -------------------------------------------------------------------------


@contextmanager
def changing(connection: Connection, kind: str, name: str) -> Iterator[None]:
    """Report what the block does to an object, if it succeeds."""
    manager = connection.manager
    before = _values(manager, kind, name)
    yield
    manager.refresh()
    after = _values(manager, kind, name)
    if before is None and after is None:
        return
    pair = ((before, cmqcfc.MQCFC_NOT_LAST), (after, cmqcfc.MQCFC_LAST)) if before and after else ()
    reason = cmqc.MQRC_CONFIG_CHANGE_OBJECT
    if not pair:
        created = before is None
        reason = cmqc.MQRC_CONFIG_CREATE_OBJECT if created else cmqc.MQRC_CONFIG_DELETE_OBJECT
    with manager.writing(durable=True) as now:
        correl_id = new_id(manager) if pair else NO_ID
        for values, control in pair or ((after or before, cmqcfc.MQCFC_LAST),):
            put_event(
                manager, CONFIG_QUEUE, cmqcfc.MQCMD_CONFIG_EVENT, reason,
                (*_context(connection, cmqcfc.MQEVO_MSG), *_object(kind, values or {})), now,
                correl_id=correl_id, control=control, version=2,
            )  # fmt: skip


def _values(manager: Manager, kind: str, name: str) -> dict[str, AttributeValue] | None:
    """The attributes of an object with its name, None where it is not there or not reported."""
    if kind == "QMGR":
        return {"QMNAME": manager.identity.name, **manager.all_attributes()}
    if kind in QUEUE_KINDS:
        queue = manager.queues.get(name)
        return None if queue is None else {"QUEUE": name, "TYPE": queue.kind, **queue.attributes}
    if kind == "SUB":  # a subscription is no object
        return None
    if kind == "TOPIC":
        text = definitions.read(manager.store, kind, name)
        values = None if text is None else json.loads(text)
    else:
        values = kept.find(manager, kind, name)
    return None if values is None else {kind: name, **values}


def _object(kind: str, values: Mapping[str, AttributeValue]) -> Iterator[pcf.PcfParameter]:
    yield pcf.integer_of(cmqcfc.MQIACF_OBJECT_TYPE, _number(f"MQOT_{_NOUNS.get(kind, kind)}"))
    table = str(values.get("TYPE", kind)) if kind in QUEUE_KINDS else kind
    yield from parameters_of(table, masked(values))


# -- command events -------------------------------------------------------------------------------


def issued_text(connection: Connection, script: Script, command: Command) -> None:
    """Report a command of MQSC that has succeeded, where command events are enabled."""
    verb, noun = command.verb, command.noun
    if not _is_reported(connection, inquires=verb == "DISPLAY"):
        return
    text = " ".join(script.masked(command).split())
    data = (pcf.string(cmqcfc.MQCACF_COMMAND_MQSC, text),)
    number = number_of_command(verb, noun)
    _issued(connection, cmqc.MQRC_COMMAND_MQSC, number, data, cmqcfc.MQEVO_CONSOLE)


def number_of_command(verb: str, noun: str) -> int:
    """MQCMD_* of a command of MQSC."""
    name = f"{_VERBS.get(verb, verb)}_{_NOUNS.get(noun, noun)}"
    return _number(f"MQCMD_{_COMMANDS.get(name, name)}")


def issued_message(connection: Connection, message: pcf.PCF) -> None:
    """Report a command of PCF that has succeeded, where command events are enabled."""
    inquires = name_of_command(message.command).startswith("MQCMD_INQUIRE")
    if _is_reported(connection, inquires=inquires):
        data = [
            item._replace(value=MASKED) if item.parameter in _SECRET_SELECTORS else item
            for item in message.parameters
        ]
        _issued(connection, cmqc.MQRC_COMMAND_PCF, message.command, data, cmqcfc.MQEVO_MSG)


def _is_reported(connection: Connection, *, inquires: bool) -> bool:
    asked = connection.manager.attributes.get("CMDEV", "DISABLED")
    return asked == "ENABLED" or (asked == "NODISPLAY" and not inquires)


def _issued(
    connection: Connection,
    reason: int,
    command: int,
    data: Iterable[pcf.PcfParameter],
    origin: int,
) -> None:
    manager = connection.manager
    context = (*_context(connection, origin), pcf.integer_of(cmqcfc.MQIACF_COMMAND, command))
    with manager.writing(durable=True) as now:
        put_event(
            manager, COMMAND_QUEUE, cmqcfc.MQCMD_COMMAND_EVENT, reason,
            (
                pcf.group(cmqcfc.MQGACF_COMMAND_CONTEXT, context),
                pcf.group(cmqcfc.MQGACF_COMMAND_DATA, data),
            ),
            now, version=3,
        )  # fmt: skip


def _context(connection: Connection, origin: int) -> Iterator[pcf.PcfParameter]:
    """Who it was: the same parameters in events of both kinds."""
    manager = connection.manager
    program = connection.application_type or (cmqc.MQAT_ZOS if manager.is_zos else cmqc.MQAT_UNIX)
    yield pcf.string(cmqcfc.MQCACF_EVENT_USER_ID, connection.user[:12], width=12)
    yield pcf.byte_string(cmqcfc.MQBACF_EVENT_SECURITY_ID, bytes(40))
    yield pcf.integer_of(cmqcfc.MQIACF_EVENT_ORIGIN, origin)
    yield pcf.string(cmqcfc.MQCACF_EVENT_Q_MGR, manager.identity.name, width=48)
    yield pcf.byte_string(cmqcfc.MQBACF_EVENT_ACCOUNTING_TOKEN, bytes(32))
    yield pcf.string(cmqcfc.MQCACF_EVENT_APPL_IDENTITY, "", width=32)
    yield pcf.integer_of(cmqcfc.MQIACF_EVENT_APPL_TYPE, program)
    yield pcf.string(cmqcfc.MQCACF_EVENT_APPL_NAME, connection.application[:28], width=28)
    yield pcf.string(cmqcfc.MQCACF_EVENT_APPL_ORIGIN, "", width=4)


def _number(name: str) -> int:
    """The number of a constant, 0 of one that there is not."""
    return numbers().get(name, 0)
