"""PCF commands about authority and channel authentication as the MQSC commands that do the same.

Source: IBM MQ documentation, "Definitions of the Programmable Command Formats".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.catalogue import attribute
from mqtriage.mq.mqsc.tree import Command, Parameter
from mqtriage.mq.pcf.given import (
    Handler,
    Parameters,
    PcfRefusal,
    filters_of,
    mqsc_command,
    mqsc_keyword,
    read_attribute,
    read_attributes,
    read_filter,
    read_inquired,
    read_integer,
    read_text,
    refuse_others,
)

_PROFILE: Final = cmqcfc.MQCACF_AUTH_PROFILE_NAME
_OBJECT_TYPE: Final = cmqcfc.MQIACF_OBJECT_TYPE
_GROUPS: Final = cmqcfc.MQCACF_GROUP_ENTITY_NAMES
_PRINCIPALS: Final = cmqcfc.MQCACF_PRINCIPAL_ENTITY_NAMES
_CHANNEL: Final = cmqcfc.MQCACH_CHANNEL_NAME
_CHANGES: Final = {
    cmqcfc.MQIACF_AUTH_ADD_AUTHS: "AUTHADD", cmqcfc.MQIACF_AUTH_REMOVE_AUTHS: "AUTHRMV",
}  # fmt: skip


def _entities(given: Parameters) -> list[Parameter]:
    """GROUP(name) and PRINCIPAL(name), one for each entity that is named."""
    entities = []
    for selector, keyword in ((_GROUPS, "GROUP"), (_PRINCIPALS, "PRINCIPAL")):
        item = given.get(selector)
        values = item.value if item is not None else ()
        values = (values,) if isinstance(values, str) else values
        if not isinstance(values, tuple):
            raise PcfRefusal(cmqcfc.MQRCCF_CFSL_PARM_ID_ERROR, selector)
        entities += [mqsc_keyword(keyword, str(value)) for value in values]
    if not entities:
        raise PcfRefusal(cmqcfc.MQRCCF_ENTITY_NAME_MISSING)
    return entities


def _object_type(given: Parameters) -> Parameter:
    if _OBJECT_TYPE not in given:
        raise PcfRefusal(cmqcfc.MQRCCF_OBJECT_TYPE_MISSING, _OBJECT_TYPE)
    entry = attribute("AUTHREC", "OBJTYPE")
    assert entry is not None
    return read_attribute(entry, given[_OBJECT_TYPE])


def _change_authority(verb: str, given: Parameters) -> list[Command]:
    """SET, which says what to add and to remove, or DELETE."""
    changes = _CHANGES if verb == "SET" else {}
    component = cmqcfc.MQCACF_SERVICE_COMPONENT
    refuse_others(given, (_PROFILE, _OBJECT_TYPE, _GROUPS, _PRINCIPALS, *changes, component))
    if changes and not given.keys() & changes.keys():
        raise PcfRefusal(cmqcfc.MQRCCF_AUTH_VALUE_MISSING)
    steering = [mqsc_keyword("PROFILE", read_text(given, _PROFILE) or ""), _object_type(given)]
    for selector, keyword in changes.items():
        entry = attribute("AUTHREC", keyword)
        if selector in given and entry is not None:
            try:
                steering.append(read_attribute(entry, given[selector]))
            except PcfRefusal as error:
                reason = cmqcfc.MQRCCF_AUTH_VALUE_ERROR
                raise PcfRefusal(reason, selector, error.text) from error
    return [mqsc_command(verb, "AUTHREC", None, [*steering, entity]) for entity in _entities(given)]


def _inquire_authority(given: Parameters) -> list[Command]:
    options, entity = cmqcfc.MQIACF_AUTH_OPTIONS, cmqcfc.MQCACF_ENTITY_NAME
    kind, attributes = cmqcfc.MQIACF_ENTITY_TYPE, cmqcfc.MQIACF_AUTH_PROFILE_ATTRS
    component = cmqcfc.MQCACF_SERVICE_COMPONENT
    refuse_others(given, (_PROFILE, _OBJECT_TYPE, options, entity, kind, attributes, component))
    parameters = []
    profile = read_text(given, _PROFILE, needed=False)
    if profile:
        parameters.append(mqsc_keyword("PROFILE", profile))
        matching = read_integer(given, options, 0) & cmqcfc.MQAUTHOPT_NAME_ALL_MATCHING
        parameters.append(mqsc_keyword("MATCH", "MEMBERSHIP" if matching else "PROFILE"))
    if read_integer(given, _OBJECT_TYPE, 1001) != 1001:
        parameters.append(_object_type(given))
    name = read_text(given, entity, needed=False)
    if name:
        is_group = read_integer(given, kind, 1) == 2
        parameters.append(mqsc_keyword("GROUP" if is_group else "PRINCIPAL", name))
    return [mqsc_command("DISPLAY", "AUTHREC", None, parameters)]


def _set_channel_authentication(given: Parameters) -> list[Command]:
    action = cmqcfc.MQIACF_ACTION
    entry = attribute("CHLAUTH", "ACTION")
    assert entry is not None
    parameters = []
    if action in given:
        value = read_integer(given, action, 0)
        word = next(
            (action_word for action_word, known in entry.words.items() if known == value), ""
        )
        if not word:
            raise PcfRefusal(cmqcfc.MQRCCF_CHLAUTH_ACTION_ERROR, action)
        parameters.append(mqsc_keyword("ACTION", word))
    if cmqcfc.MQIACF_CHLAUTH_TYPE not in given:
        raise PcfRefusal(cmqcfc.MQRCCF_CHLAUTH_TYPE_ERROR, cmqcfc.MQIACF_CHLAUTH_TYPE)
    name = read_text(given, _CHANNEL)
    parameters += read_attributes(given, ("CHLAUTH",), (_CHANNEL, action))
    return [mqsc_command("SET", "CHLAUTH", name, parameters)]


def _inquire_channel_authentication(given: Parameters) -> list[Command]:
    attributes, type_ = cmqcfc.MQIACF_CHLAUTH_ATTRS, cmqcfc.MQIACF_CHLAUTH_TYPE
    match = cmqcfc.MQIACH_MATCH
    parameters = read_inquired(given, attributes, ("CHLAUTH",))
    parameters += read_filter(given, ("CHLAUTH",), _CHANNEL, "CHLAUTH")
    entry = attribute("CHLAUTH", "TYPE")
    if type_ in given and entry is not None:
        parameters.append(read_attribute(entry, given[type_]))
    refuse_others(given, (_CHANNEL, attributes, type_, match, *filters_of(given)))
    return [mqsc_command("DISPLAY", "CHLAUTH", read_text(given, _CHANNEL), parameters)]


HANDLERS: Final[Mapping[str, Handler]] = {
    "SET_AUTH_REC": partial(_change_authority, "SET"),
    "DELETE_AUTH_REC": partial(_change_authority, "DELETE"),
    "INQUIRE_AUTH_RECS": _inquire_authority,
    "SET_CHLAUTH_REC": _set_channel_authentication,
    "INQUIRE_CHLAUTH_RECS": _inquire_channel_authentication,
}
"""Names of MQCMD_* to what translates them."""
