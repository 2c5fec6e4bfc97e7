"""PCF commands as the MQSC commands that do the same.

MQCMD_CHANGE_Q is ALTER QLOCAL, MQCMD_INQUIRE_CHANNEL is DISPLAY CHANNEL ...: a command server that
knows MQSC needs nothing more.
Source: IBM MQ documentation, "Definitions of the Programmable Command Formats".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Final

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import numbers_of
from mqtriage.mq.mqsc.tree import Command, Parameter
from mqtriage.mq.name_table import numbers
from mqtriage.mq.names import name_length
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.attributes import NAME_SELECTORS, attribute_with
from mqtriage.mq.pcf.given import (
    Handler,
    Parameters,
    PcfRefusal,
    filters_of,
    mqsc_command,
    mqsc_keyword,
    read_attributes,
    read_filter,
    read_inquired,
    read_integer,
    read_switch,
    read_text,
    refuse_others,
)
from mqtriage.mq.pcf.security_as_mqsc import HANDLERS
from mqtriage.mq.pcf.sequence import check_sequence
from mqtriage.records import NamedTuple

_FORCE: Final = cmqcfc.MQIACF_FORCE
_PURGE: Final = cmqcfc.MQIACF_PURGE
_REPLACE: Final = cmqcfc.MQIACF_REPLACE
_Q_NAME: Final = cmqc.MQCA_Q_NAME
_Q_TYPE: Final = cmqc.MQIA_Q_TYPE
_CHANNEL_TYPE: Final = cmqcfc.MQIACH_CHANNEL_TYPE
_SUB_ID: Final = cmqcfc.MQBACF_SUB_ID
_SECURITY: Final = (cmqcfc.MQIACF_SECURITY_TYPE, cmqcfc.MQIACF_SECURITY_ITEM)
_QUEUE_TYPES: Final = {number: word for word, number in numbers_of("QLOCAL", "TYPE").items()} | {
    cmqc.MQQT_ALL: "ALL"
}


class _Object(NamedTuple):
    """What the parameters about one kind of object are called.

    Attributes:
        noun: of MQSC; QUEUE where the type of the queue decides.
        stem: of the PCF names: FROM_Q_NAME, TO_Q_NAME.
        attributes: the list of what an inquiry wants, MQIACF_Q_ATTRS.
        kinds: of the attribute tables.
    """

    noun: str
    stem: str
    attributes: int
    kinds: tuple[str, ...]

    @property
    def name(self) -> int:
        return NAME_SELECTORS[self.noun]

    @property
    def longest(self) -> int:
        """Characters that a name of that kind may have."""
        return name_length(self.noun)


_QUEUE: Final = _Object("QUEUE", "Q", 1002, QUEUE_KINDS)
_OBJECTS: Final = {
    "Q": _QUEUE,
    "CHANNEL": _Object("CHANNEL", "CHANNEL", 1015, ("CHANNEL",)),
    "LISTENER": _Object("LISTENER", "LISTENER", 1222, ("LISTENER",)),
    "NAMELIST": _Object("NAMELIST", "NAMELIST", 1004, ("NAMELIST",)),
    "PROCESS": _Object("PROCESS", "PROCESS", 1003, ("PROCESS",)),
    "AUTH_INFO": _Object("AUTHINFO", "AUTH_INFO", 1019, ("AUTHINFO",)),
    "SERVICE": _Object("SERVICE", "SERVICE", 1224, ("SERVICE",)),
    "TOPIC": _Object("TOPIC", "TOPIC", 1269, ("TOPIC",)),
    "SUBSCRIPTION": _Object("SUB", "SUB", 1287, ("SUB",)),
}  # fmt: skip
"""Last part of the command's name to what it is about."""
_HAVE_NAMES: Final = ("Q", "CHANNEL", "NAMELIST", "PROCESS", "AUTH_INFO", "TOPIC")
"""Those with an INQUIRE_..._NAMES."""
_BY_NAME: Final = {
    "START_CHANNEL": ("START", "CHANNEL"),
    "PING_CHANNEL": ("PING", "CHANNEL"),
    "RESET_CHANNEL": ("RESET", "CHANNEL"),
    "RESOLVE_CHANNEL": ("RESOLVE", "CHANNEL"),
    "START_CHANNEL_LISTENER": ("START", "LISTENER"),
    "STOP_CHANNEL_LISTENER": ("STOP", "LISTENER"),
    "START_SERVICE": ("START", "SERVICE"),
    "STOP_SERVICE": ("STOP", "SERVICE"),
}
"""Commands of which the name alone is read: the object decides what becomes of them."""


def translate(message: pcf.PCF, *, any_order: bool) -> list[Command]:
    """The MQSC commands that do what a PCF command says; several where it names several entities.

    Args:
        any_order: of the parameters, as on z/OS; else those required come first, in their order.

    Raises:
        PcfRefusal: With the reason for the error response.
    """
    if not is_known(message.command):
        raise PcfRefusal(cmqcfc.MQRCCF_CFH_COMMAND_ERROR)
    given: dict[int, pcf.PcfParameter] = {}
    filters = 0
    for item in message.parameters:
        if item.parameter < 0:  # no name has such a number; below 0 stand the filters of *given*
            raise PcfRefusal(pcf.reason_for(item.type, "PARM_ID_ERROR"), item.parameter)
        if item.type in pcf.FILTERS:
            filters += 1
            given[-item.parameter] = item
        elif item.parameter in given:
            otherwise = cmqcfc.MQRCCF_CFIN_DUPLICATE_PARM
            reason = pcf.reason_for(item.type, "DUPLICATE_PARM", otherwise)
            raise PcfRefusal(reason, item.parameter)
        else:
            given[item.parameter] = item
    if filters > 1:
        raise PcfRefusal(cmqcfc.MQRCCF_TOO_MANY_FILTERS)
    if not any_order:
        check_sequence(message)
    return _handlers()[message.command](given)


def is_known(command: int) -> bool:
    """Whether there is an MQSC command that does the same."""
    return command in _handlers()


@cache
def _handlers() -> Mapping[int, Handler]:
    handlers: dict[str, Handler] = dict(HANDLERS)
    for stem, about in _OBJECTS.items():
        handlers[f"CREATE_{stem}"] = partial(_define, about)
        handlers[f"CHANGE_{stem}"] = partial(_change, about)
        handlers[f"COPY_{stem}"] = partial(_define, about, copies=True)
        handlers[f"DELETE_{stem}"] = partial(_delete, about)
        handlers[f"INQUIRE_{stem}"] = partial(_inquire, about)
    for stem in _HAVE_NAMES:
        handlers[f"INQUIRE_{stem}_NAMES"] = partial(_names, _OBJECTS[stem])
    for name, (verb, noun) in _BY_NAME.items():
        handlers[name] = partial(_by_name, verb, _OBJECTS[noun])
    handlers |= {
        "CHANGE_Q_MGR": _change_queue_manager,
        "INQUIRE_Q_MGR": partial(_inquire_one, "QMGR", cmqcfc.MQIACF_Q_MGR_ATTRS),
        "PING_Q_MGR": partial(_plain, "PING", "QMGR", ()),
        "CLEAR_Q": partial(_of_queue, "CLEAR", "QLOCAL"),
        "MOVE_Q": _move,
        "RESET_Q_STATS": partial(_of_queue, "RESET", "QSTATS"),
        "REFRESH_SECURITY": partial(_plain, "REFRESH", "SECURITY", _SECURITY),
        "INQUIRE_Q_STATUS": _queue_status,
        "INQUIRE_Q_MGR_STATUS": partial(_inquire_one, "QMSTATUS", cmqcfc.MQIACF_Q_MGR_STATUS_ATTRS),
        "INQUIRE_CHANNEL_STATUS": _channel_status,
        "STOP_CHANNEL": _stop_channel,
        "INQUIRE_LISTENER_STATUS": _listener_status,
        "INQUIRE_CONNECTION": _connections,
        "INQUIRE_CLUSTER_Q_MGR": _cluster_queue_managers,
        "SUSPEND_Q_MGR_CLUSTER": partial(_suspend, "SUSPEND"),
        "RESUME_Q_MGR_CLUSTER": partial(_suspend, "RESUME"),
        "REFRESH_CLUSTER": _refresh_cluster,
        "RESET_CLUSTER": _reset_cluster,
    }
    return {numbers()[f"MQCMD_{name}"]: handler for name, handler in handlers.items()}


def _plain(verb: str, noun: str, ignored: tuple[int, ...], given: Parameters) -> list[Command]:
    refuse_others(given, ignored)
    return [mqsc_command(verb, noun, None, ())]


def _by_name(verb: str, about: _Object, given: Parameters) -> list[Command]:
    name = read_text(given, about.name, needed=about.noun != "LISTENER", longest=about.longest)
    return [mqsc_command(verb, about.noun, name, ())]


def _of_queue(verb: str, noun: str, given: Parameters) -> list[Command]:
    refuse_others(given, (_Q_NAME,))
    return [mqsc_command(verb, noun, read_text(given, _Q_NAME), ())]


def _inquire_one(noun: str, attributes: int, given: Parameters) -> list[Command]:
    refuse_others(given, (attributes,))
    return [mqsc_command("DISPLAY", noun, None, read_inquired(given, attributes, (noun,)))]


def _queue_noun(given: Parameters, default: str = "QUEUE") -> str:
    kind = read_integer(given, _Q_TYPE, 0)
    if not kind:
        return default
    if kind not in _QUEUE_TYPES:
        raise PcfRefusal(cmqcfc.MQRCCF_Q_TYPE_ERROR, _Q_TYPE)
    return _QUEUE_TYPES[kind]


def _noun(given: Parameters, about: _Object) -> str:
    if about is not _QUEUE:
        return about.noun
    noun = _queue_noun(given)
    if noun in ("ALL", "QCLUSTER"):
        raise PcfRefusal(cmqcfc.MQRCCF_Q_TYPE_ERROR, _Q_TYPE)
    return noun


def _kinds(noun: str, about: _Object) -> tuple[str, ...]:
    return (noun,) if noun in QUEUE_KINDS else about.kinds


def _type_of(about: _Object) -> tuple[int, ...]:
    return (_Q_TYPE,) if about is _QUEUE else ()


def _define(about: _Object, given: Parameters, *, copies: bool = False) -> list[Command]:
    """CREATE, which must say the type of a queue, or COPY, which names what it is like."""
    source = numbers()[f"MQCACF_FROM_{about.stem}_NAME"]
    target = numbers()[f"MQCACF_TO_{about.stem}_NAME"] if copies else about.name
    like = [mqsc_keyword("LIKE", read_text(given, source) or "")] if copies else []
    name, noun = read_text(given, target, longest=about.longest), _noun(given, about)
    if noun == "QUEUE" and not copies:
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, _Q_TYPE)
    replace = read_switch(given, _REPLACE, "REPLACE", cmqcfc.MQRCCF_REPLACE_VALUE_ERROR)
    known = (target, _REPLACE, *((source,) if copies else (_FORCE,)), *_type_of(about))
    attributes = read_attributes(given, _kinds(noun, about), known)
    return [mqsc_command("DEFINE", noun, name, [*attributes, *like, *replace])]


def _change(about: _Object, given: Parameters) -> list[Command]:
    """CHANGE, which must say the type of a queue as well."""
    name, noun = read_text(given, about.name, longest=about.longest), _noun(given, about)
    if noun == "QUEUE":
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, _Q_TYPE)
    force = read_switch(given, _FORCE, "FORCE", cmqcfc.MQRCCF_FORCE_VALUE_ERROR)
    known = (about.name, _FORCE, *_type_of(about))
    attributes = read_attributes(given, _kinds(noun, about), known)
    return [mqsc_command("ALTER", noun, name, [*attributes, *force])]


def _delete(about: _Object, given: Parameters) -> list[Command]:
    subscription = _SUB_ID if about.noun == "SUB" else 0
    name = read_text(given, about.name, needed=subscription not in given)
    purge = read_switch(given, _PURGE, "PURGE", cmqcfc.MQRCCF_PURGE_VALUE_ERROR)
    ignore = read_integer(given, cmqcfc.MQIACF_IGNORE_STATE, 0)
    parameters = [*purge, *([mqsc_keyword("IGNSTATE", "YES")] if ignore else [])]
    item = given.get(subscription)
    if item is not None and isinstance(item.value, bytes):
        parameters.append(mqsc_keyword("SUBID", item.value.hex().upper()))
    known = [
        about.name, _PURGE, cmqcfc.MQIACF_IGNORE_STATE, cmqcfc.MQIACF_REMOVE_AUTHREC,
        subscription, _Q_TYPE, _CHANNEL_TYPE, cmqcfc.MQIACH_CHANNEL_TABLE, 66,
    ]  # fmt: skip
    refuse_others(given, known)
    return [mqsc_command("DELETE", _noun(given, about), name, parameters)]


def _inquire(about: _Object, given: Parameters) -> list[Command]:
    name = read_text(given, about.name, needed=about.noun not in ("SUB", "LISTENER", "SERVICE"))
    kinds = (*about.kinds, "QCLUSTER") if about is _QUEUE else about.kinds
    parameters = read_inquired(given, about.attributes, kinds)
    parameters += read_filter(given, kinds, about.name, about.noun)
    if about is _QUEUE:
        parameters.append(mqsc_keyword("TYPE", _queue_noun(given, "ALL")))
        if cmqcfc.MQIACF_CLUSTER_INFO in given:  # with any value, as IBM has it
            parameters.append(mqsc_keyword("CLUSINFO"))
    known = [about.name, about.attributes, *filters_of(given)]
    for selector, keyword in _STEERING.get(about.noun, {}).items():
        known.append(selector)
        word = _steering_word(given, about.noun, selector)
        if word:
            parameters.append(mqsc_keyword(keyword, word))
    item = given.get(_SUB_ID)
    if about.noun == "SUB" and item is not None and isinstance(item.value, bytes):
        known.append(_SUB_ID)
        if item.value.strip(b"\0"):
            parameters.append(mqsc_keyword("SUBID", item.value.hex().upper()))
    refuse_others(given, known)
    return [mqsc_command("DISPLAY", about.noun, "*" if name in (None, "") else name, parameters)]


_STEERING: Final[Mapping[str, Mapping[int, str]]] = {
    "QUEUE": {_Q_TYPE: "", cmqcfc.MQIACF_CLUSTER_INFO: ""},
    "CHANNEL": {_CHANNEL_TYPE: "TYPE", cmqcfc.MQIACH_CHANNEL_INSTANCE_TYPE: ""},
    "AUTHINFO": {66: "AUTHTYPE"},
    "SUB": {1275: "", cmqcfc.MQIACF_SUB_TYPE: "", 175: ""},
    "TOPIC": {208: "", cmqcfc.MQIACF_CLUSTER_INFO: ""},
    "LISTENER": {1501: ""},
}
"""Parameters that narrow an inquiry, with the MQSC keyword; "" for those without effect here."""


def _steering_word(given: Parameters, noun: str, selector: int) -> str:
    keyword = _STEERING[noun][selector]
    value = read_integer(given, selector, -1)
    entry = attribute_with((noun,), selector)
    if not keyword or entry is None or value < 0:
        return ""
    return next((word for word, number in entry.words.items() if number == value), "")


def _names(about: _Object, given: Parameters) -> list[Command]:
    """INQUIRE_Q_NAMES and its kin: a DISPLAY of names and types."""
    name = read_text(given, about.name)
    parameters = [mqsc_keyword("TYPE", _queue_noun(given, "ALL"))] if about is _QUEUE else []
    known = [about.name, _Q_TYPE]
    if about.noun == "CHANNEL":
        known.append(_CHANNEL_TYPE)
        word = _steering_word(given, "CHANNEL", _CHANNEL_TYPE)
        parameters += [mqsc_keyword("TYPE", word)] if word else []
    refuse_others(given, known)
    return [mqsc_command("DISPLAY", about.noun, name, [*parameters, mqsc_keyword("ALTDATE")])]


def _change_queue_manager(given: Parameters) -> list[Command]:
    force = read_switch(given, _FORCE, "FORCE", cmqcfc.MQRCCF_FORCE_VALUE_ERROR)
    attributes = read_attributes(given, ("QMGR",), (_FORCE,))
    return [mqsc_command("ALTER", "QMGR", None, [*attributes, *force])]


def _move(given: Parameters) -> list[Command]:
    source, target = cmqcfc.MQCACF_FROM_Q_NAME, cmqcfc.MQCACF_TO_Q_NAME
    kind = cmqcfc.MQIACF_MOVE_TYPE
    refuse_others(given, (source, target, kind))
    type_ = read_integer(given, kind, cmqcfc.MQIACF_MOVE_TYPE_MOVE)
    parameters = [
        mqsc_keyword("TOQLOCAL", read_text(given, target) or ""),
        mqsc_keyword("TYPE", "ADD" if type_ == cmqcfc.MQIACF_MOVE_TYPE_ADD else "MOVE"),
    ]
    return [mqsc_command("MOVE", "QLOCAL", read_text(given, source), parameters)]


def _queue_status(given: Parameters) -> list[Command]:
    attributes, type_ = cmqcfc.MQIACF_Q_STATUS_ATTRS, cmqcfc.MQIACF_Q_STATUS_TYPE
    opened = cmqcfc.MQIACF_OPEN_TYPE
    status = read_integer(given, type_, cmqcfc.MQIACF_Q_STATUS)
    if status not in (cmqcfc.MQIACF_Q_STATUS, cmqcfc.MQIACF_Q_HANDLE):
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_VALUE_ERROR, type_)
    is_queue = status == cmqcfc.MQIACF_Q_STATUS
    kinds = ("QSTATUS",) if is_queue else ("QHANDLE",)
    parameters = [mqsc_keyword("TYPE", "QUEUE" if is_queue else "HANDLE")]
    if not is_queue:
        words = {1: "ALL", 2: "INPUT", 3: "OUTPUT"}
        word = words.get(read_integer(given, opened, 1), "ALL")
        parameters.append(mqsc_keyword("OPENTYPE", word))
    parameters += [
        p for p in read_inquired(given, attributes, kinds) if p.keyword not in ("QUEUE", "TYPE")
    ]
    parameters += read_filter(given, kinds, _Q_NAME, "QUEUE")
    refuse_others(given, (_Q_NAME, attributes, type_, opened, *filters_of(given)))
    return [mqsc_command("DISPLAY", "QSTATUS", read_text(given, _Q_NAME), parameters)]


def _listener_status(given: Parameters) -> list[Command]:
    name, attributes = NAME_SELECTORS["LISTENER"], cmqcfc.MQIACF_LISTENER_STATUS_ATTRS
    parameters = read_inquired(given, attributes, ("LSSTATUS",))
    parameters += read_filter(given, ("LSSTATUS",), name, "LISTENER")
    refuse_others(given, (name, attributes, *filters_of(given)))
    return [mqsc_command("DISPLAY", "LSSTATUS", read_text(given, name), parameters)]


def _channel_status(given: Parameters) -> list[Command]:
    attributes = cmqcfc.MQIACH_CHANNEL_INSTANCE_ATTRS
    type_, partner = cmqcfc.MQIACH_CHANNEL_INSTANCE_TYPE, cmqcfc.MQCACH_CONNECTION_NAME
    name = NAME_SELECTORS["CHANNEL"]
    parameters = read_inquired(given, attributes, ("CHSTATUS",))
    parameters += read_filter(given, ("CHSTATUS",), name, "CHANNEL")
    if address := read_text(given, partner, needed=False):
        parameters.append(mqsc_keyword("CONNAME", address))
    if read_integer(given, type_, cmqc.MQOT_CURRENT_CHANNEL) == cmqc.MQOT_SAVED_CHANNEL:
        parameters.append(mqsc_keyword("SAVED"))
    transmission = cmqcfc.MQCACH_XMIT_Q_NAME
    refuse_others(given, (name, attributes, type_, partner, transmission, *filters_of(given)))
    return [mqsc_command("DISPLAY", "CHSTATUS", read_text(given, name), parameters)]


def _stop_channel(given: Parameters) -> list[Command]:
    """STOP CHANNEL; what is left out has the default of the command."""
    parameters = []
    for selector, keyword, words, wrong in _STOPPING:
        if selector in given:
            number = read_integer(given, selector, -1)
            if number not in words:
                raise PcfRefusal(wrong, selector)
            parameters.append(mqsc_keyword(keyword, words[number]))
    partners = {cmqcfc.MQCACH_CONNECTION_NAME: "CONNAME", cmqc.MQCA_Q_MGR_NAME: "QMNAME"}
    parameters += _texts(given, partners)
    name = NAME_SELECTORS["CHANNEL"]
    refuse_others(given, (name, *(row[0] for row in _STOPPING), *partners))
    channel = read_text(given, name, longest=name_length("CHANNEL"))
    return [mqsc_command("STOP", "CHANNEL", channel, parameters)]


_STOPPING: Final[tuple[tuple[int, str, Mapping[int, str], int], ...]] = (
    (
        cmqcfc.MQIACF_MODE,
        "MODE",
        {
            cmqcfc.MQMODE_FORCE: "FORCE",
            cmqcfc.MQMODE_QUIESCE: "QUIESCE",
            cmqcfc.MQMODE_TERMINATE: "TERMINATE",
        },
        cmqcfc.MQRCCF_MODE_VALUE_ERROR,
    ),
    (
        cmqcfc.MQIACH_CHANNEL_STATUS,
        "STATUS",
        {cmqcfc.MQCHS_INACTIVE: "INACTIVE", cmqcfc.MQCHS_STOPPED: "STOPPED"},
        cmqcfc.MQRCCF_PARM_VALUE_ERROR,
    ),
    (
        cmqcfc.MQIACF_IGNORE_STATE,
        "IGNSTATE",
        {0: "NO", 1: "YES"},
        cmqcfc.MQRCCF_PARM_VALUE_ERROR,
    ),
)
"""Of STOP CHANNEL: parameter, its keyword in MQSC, its values, and the reason for another one."""


def _connections(given: Parameters) -> list[Command]:
    one, generic = cmqcfc.MQBACF_CONNECTION_ID, cmqcfc.MQBACF_GENERIC_CONNECTION_ID
    attributes, type_ = cmqcfc.MQIACF_CONNECTION_ATTRS, cmqcfc.MQIACF_CONN_INFO_TYPE
    selector = one if one in given else generic
    item = given.get(selector)
    if item is None:
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, one)
    if not isinstance(item.value, bytes):
        raise PcfRefusal(cmqcfc.MQRCCF_CFBS_PARM_ID_ERROR, selector)
    text = item.value.hex().upper() + ("*" if selector == generic else "")
    parameters = [mqsc_keyword("TYPE", "CONN"), *read_inquired(given, attributes, ("CONN",))]
    parameters += read_filter(given, ("CONN",), one, "CONN")
    urtype = cmqcfc.MQIACF_UOW_TYPE
    refuse_others(given, (one, generic, attributes, type_, urtype, *filters_of(given)))
    return [mqsc_command("DISPLAY", "CONN", text, parameters)]


def _texts(given: Parameters, keywords: Mapping[int, str]) -> list[Parameter]:
    """The keyword of each of these selectors that is given, with its text."""
    return [
        mqsc_keyword(keyword, text)
        for selector, keyword in keywords.items()
        if (text := read_text(given, selector, needed=False))
    ]


# -- clusters -------------------------------------------------------------------------------------


def _cluster_queue_managers(given: Parameters) -> list[Command]:
    name, attributes = cmqc.MQCA_CLUSTER_Q_MGR_NAME, cmqcfc.MQIACF_CLUSTER_Q_MGR_ATTRS
    limits = {cmqcfc.MQCACH_CHANNEL_NAME: "CHANNEL", cmqc.MQCA_CLUSTER_NAME: "CLUSTER"}
    parameters = _texts(given, limits)
    parameters += read_inquired(given, attributes, ("CLUSQMGR",))
    parameters += read_filter(given, ("CLUSQMGR",), name, "CLUSQMGR")
    refuse_others(given, (name, attributes, *limits, *filters_of(given)))
    return [mqsc_command("DISPLAY", "CLUSQMGR", read_text(given, name), parameters)]


def _suspend(verb: str, given: Parameters) -> list[Command]:
    """SUSPEND QMGR, or RESUME QMGR, which has no MODE."""
    named = {cmqc.MQCA_CLUSTER_NAME: "CLUSTER", cmqc.MQCA_CLUSTER_NAMELIST: "CLUSNL"}
    parameters = _texts(given, named)
    if not parameters:
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, cmqc.MQCA_CLUSTER_NAME)
    if len(parameters) > 1:
        raise PcfRefusal(cmqcfc.MQRCCF_CLUSTER_NAME_CONFLICT, cmqc.MQCA_CLUSTER_NAMELIST)
    mode = (cmqcfc.MQIACF_MODE,) if verb == "SUSPEND" else ()
    if read_integer(given, cmqcfc.MQIACF_MODE, cmqcfc.MQMODE_QUIESCE) not in (
        cmqcfc.MQMODE_FORCE,
        cmqcfc.MQMODE_QUIESCE,
    ):
        raise PcfRefusal(cmqcfc.MQRCCF_MODE_VALUE_ERROR, cmqcfc.MQIACF_MODE)
    refuse_others(given, (*named, *mode))
    return [mqsc_command(verb, "QMGR", None, parameters)]


def _refresh_cluster(given: Parameters) -> list[Command]:
    name, repository = cmqc.MQCA_CLUSTER_NAME, cmqcfc.MQIACF_REFRESH_REPOSITORY
    is_whole = read_integer(given, repository, cmqcfc.MQCFO_REFRESH_REPOSITORY_NO)
    refuse_others(given, (name, repository))
    parameters = [mqsc_keyword("REPOS", "YES" if is_whole else "NO")]
    return [mqsc_command("REFRESH", "CLUSTER", read_text(given, name), parameters)]


def _reset_cluster(given: Parameters) -> list[Command]:
    name, action = cmqc.MQCA_CLUSTER_NAME, cmqcfc.MQIACF_ACTION
    named = {cmqc.MQCA_Q_MGR_NAME: "QMNAME", cmqc.MQCA_Q_MGR_IDENTIFIER: "QMID"}
    if read_integer(given, action, 0) != cmqcfc.MQACT_FORCE_REMOVE:
        raise PcfRefusal(cmqcfc.MQRCCF_ACTION_VALUE_ERROR, action)
    parameters = _texts(given, named)
    if not parameters:
        raise PcfRefusal(cmqcfc.MQRCCF_PARM_COUNT_TOO_SMALL, cmqc.MQCA_Q_MGR_NAME)
    refuse_others(given, (name, action, cmqcfc.MQIACF_REMOVE_QUEUES, *named))
    return [mqsc_command("RESET", "CLUSTER", read_text(given, name), parameters)]
