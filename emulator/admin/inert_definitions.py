"""Definitions that are kept, shown, changed and deleted, and bring nothing about by themselves.

Channels, listeners, namelists, processes, authentication information, services, communication
information, and on z/OS storage classes and CF structures, which are those of the queue-sharing
group. What a queue manager comes with (SYSTEM.DEF.SVRCONN ...) stands in no file: it is there until
it is altered or deleted. Triggers read the process definitions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.core.attributes import checked_attributes
from mqtriage.emulator.core.clock import altered
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import CHANNEL_TYPES, AttributeValue
from mqtriage.mq.attributes.catalogue import defaults, numbers_of
from mqtriage.mq.attributes.system_objects import (
    SUBTYPE,
    comes_with,
    default_name,
    subtype_of,
    system_objects,
)
from mqtriage.mq.errors import MQIError, UsageError, mqi_error
from mqtriage.mq.names import check_name, name_length
from mqtriage.mq.security.cipher_specs import is_known

Values = dict[str, AttributeValue]

CLIENT_CHANNELS: Final = "CLNTCONN"
"""Kind of client-connection channels, which are kept apart: in the client channel definition table.

One has the name of the server-connection channel that it leads to (IBM MQ documentation, "Defining
the client-connection channel").
"""

_GONE: Final = "null"
"""Stands in the file for an object of these that was deleted."""

_MISSING: Final = {"CHANNEL": cmqcfc.MQRCCF_CHANNEL_NOT_FOUND}
_THERE: Final = {"CHANNEL": cmqcfc.MQRCCF_CHANNEL_ALREADY_EXISTS}


def home_of(connection: Connection, kind: str) -> Connection:
    """The connection to where objects of *kind* are: for CFSTRUCT the queue-sharing group."""
    return connection.to_group() if kind == "CFSTRUCT" else connection


def objects(manager: Manager, kind: str) -> dict[str, Values]:
    """Every object of *kind*, by name in order."""
    return manager.derived(f"kept {kind}", lambda manager: _load(manager, kind))


def _load(manager: Manager, kind: str) -> dict[str, Values]:
    noun = noun_of(kind)
    loaded = {
        name: _defaults(manager, noun, subtype_of(noun, own))
        | own
        | altered(manager.identity.created_us)
        for name, own in system_objects(noun, manager.identity.platform).items()
        if _table(noun, own) == kind
    }
    for name, text in definitions.of_kind(manager.store, kind):
        if text == _GONE:
            loaded.pop(name, None)
        else:
            loaded[name] = loaded.get(name, {}) | json.loads(text)
    return dict(sorted(loaded.items()))


def noun_of(kind: str) -> str:
    """The object type of MQSC that objects of *kind* have."""
    return "CHANNEL" if kind == CLIENT_CHANNELS else kind


def _table(noun: str, values: Mapping[str, AttributeValue]) -> str:
    """The kind that an object of these values is kept as."""
    is_client = noun == "CHANNEL" and str(values.get("CHLTYPE", "")).upper() == CLIENT_CHANNELS
    return CLIENT_CHANNELS if is_client else noun


def find(manager: Manager, kind: str, name: str) -> Values | None:
    """The attributes of an object; of two channels those of the one that is not a client's."""
    values = objects(manager, kind).get(name)
    if values is None and kind == "CHANNEL":
        return objects(manager, CLIENT_CHANNELS).get(name)
    return values


def _defaults(manager: Manager, kind: str, subtype: str) -> Values:
    values: Values = {SUBTYPE[kind]: subtype} if kind in SUBTYPE else {}
    return values | defaults(kind, manager.identity.platform, subtype)


def named(manager: Manager, kind: str, name: str, doing: str) -> Values:
    """The attributes of one object."""
    values = find(manager, kind, name)
    if values is None:
        reason = _MISSING.get(noun_of(kind), cmqc.MQRC_UNKNOWN_OBJECT_NAME)
        raise mqi_error(reason, doing, object_name=name)
    return values


def define(
    connection: Connection,
    kind: str,
    name: str,
    attributes: Mapping[str, AttributeValue],
    *,
    like: str = "",
    replace: bool = False,
) -> bool:
    """DEFINE; whether one was replaced.

    Raises:
        UsageError: A bad name, attribute or value; no CHLTYPE or AUTHTYPE.
        MQIError: 2100 or 4042 where it exists, 4002 or 3034 where it is of another type; 4092 for
            SSLCIPH; 2085, 4032, 4003 or 3034 for *like*.
    """
    doing = f"define {kind}({name})"
    check_name("object", name_length(kind), name)
    manager = connection.manager
    with connection.changing(doing) as now:
        table = _table(kind, attributes)
        there = objects(manager, table).get(name)
        if there is not None and not replace:
            reason = _THERE.get(kind, cmqc.MQRC_OBJECT_ALREADY_EXISTS)
            raise mqi_error(reason, doing, object_name=name)
        given = checked_attributes(manager, kind, attributes, altering=False)
        full = _base(manager, kind, like, given, doing)
        _check_type(kind, there, full, doing)
        _check_cipher_spec(full | given, doing)
        _write(manager, table, name, full | given, now)
    return there is not None


def _base(
    manager: Manager, kind: str, like: str, given: Mapping[str, AttributeValue], doing: str
) -> Values:
    """What the attributes are that the command does not name."""
    subtype = str(given.get(SUBTYPE.get(kind, ""), ""))
    if like:
        doing += f" LIKE({like})"
        of_its_table = objects(manager, _table(kind, given)).get(like)
        model = of_its_table or named(manager, kind, like, doing)
        if subtype and model.get(SUBTYPE[kind]) != subtype:
            raise _wrong_type(kind, model, cmqcfc.MQRCCF_LIKE_OBJECT_WRONG_TYPE, doing)
        return dict(model)
    if kind in SUBTYPE and not subtype:
        allowed = CHANNEL_TYPES if kind == "CHANNEL" else numbers_of(kind, SUBTYPE[kind])
        raise UsageError(f"{doing}: {SUBTYPE[kind]} is needed: {', '.join(allowed)}")
    default = find(manager, kind, default_name(kind, subtype))
    return dict(default) if default is not None else _defaults(manager, kind, subtype)


def _check_type(kind: str, there: Values | None, full: Values, doing: str) -> None:
    """See that an object keeps its CHLTYPE or AUTHTYPE."""
    keyword = SUBTYPE.get(kind, "")
    if there is not None and keyword and there.get(keyword) != full.get(keyword):
        raise _wrong_type(kind, there, cmqcfc.MQRCCF_OBJECT_WRONG_TYPE, doing)


def _wrong_type(kind: str, there: Values, reason: int, doing: str) -> MQIError:
    """The refusal of a command that is for another CHLTYPE or AUTHTYPE than an object has.

    Source: IBM MQ 9.4, the reason codes 3034 for channels, 4002 and 4003 for the others.
    """
    keyword = SUBTYPE[kind]
    of_channels = cmqcfc.MQRCCF_CHANNEL_TYPE_ERROR
    detail = f"it has {keyword}({there.get(keyword)})"
    return mqi_error(of_channels if kind == "CHANNEL" else reason, doing, detail=detail)


def _check_cipher_spec(channel: Values, doing: str) -> None:
    name = str(channel.get("SSLCIPH", ""))
    if not is_known(name, str(channel.get("CHLTYPE", ""))):
        raise mqi_error(cmqcfc.MQRCCF_SSL_CIPHER_SPEC_ERROR, doing, detail=f"SSLCIPH({name})")


def alter(
    connection: Connection, kind: str, name: str, attributes: Mapping[str, AttributeValue]
) -> None:
    """ALTER.

    Raises:
        UsageError: A bad attribute or value.
        ObjectNotFound, MQIError: 2085, 4032; 3034, 4002 for another CHLTYPE or AUTHTYPE; 4092.
    """
    doing = f"alter {kind}({name})"
    manager = connection.manager
    with connection.changing(doing) as now:
        there = objects(manager, _table(kind, attributes)).get(name)
        there = there or named(manager, kind, name, doing)
        given = checked_attributes(manager, kind, attributes, altering=True)
        _check_type(kind, there, there | given, doing)
        _check_cipher_spec(there | given, doing)
        _write(manager, _table(kind, there), name, there | given, now)


def _write(manager: Manager, kind: str, name: str, full: Values, now_us: int) -> None:
    if kind == "NAMELIST":
        full["NAMCOUNT"] = len(
            [member for member in str(full.get("NAMES", "")).split(",") if member]
        )
    definitions.write(manager.store, kind, name, json.dumps(full | altered(now_us)))
    state.definitions_changed(manager.store)


def delete(connection: Connection, kind: str, name: str) -> None:
    """DELETE.

    Args:
        kind: CHANNEL, which is CHLTABLE(QMGRTAB), is a client's where there is no other.
    """
    doing = f"delete {noun_of(kind)}({name})"
    manager = connection.manager
    with connection.changing(doing):
        table = _table(noun_of(kind), named(manager, kind, name, doing))
        if comes_with(noun_of(kind), name, manager.identity.platform):
            definitions.write(manager.store, table, name, _GONE)
        else:
            definitions.delete(manager.store, table, name)
        state.definitions_changed(manager.store)
