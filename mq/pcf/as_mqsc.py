"""PCF commands as the MQSC commands that do the same.

MQCMD_CHANGE_Q is ALTER QLOCAL, MQCMD_INQUIRE_CHANNEL is DISPLAY CHANNEL ...: a command server that
knows MQSC needs nothing more. What is wrong is refused with the reason that IBM's server gives and
the parameter id it names.
Source: IBM MQ documentation, "Definitions of the Programmable Command Formats".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from mqtriage.mq import codes, constants
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Attribute
from mqtriage.mq.attributes.catalogue import ValueKind, attribute, parse_value
from mqtriage.mq.code_names import name_of_reason
from mqtriage.mq.errors import MQTriageError, UsageError
from mqtriage.mq.mqsc.tree import Command, Parameter, Value
from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.pcf.attributes import NAME_SELECTORS, attribute_with, words_of
from mqtriage.mq.pcf.names import name_of_parameter

Parameters = Mapping[int, pcf.Parameter]

_PARAMETER_ID: Final = 1012
_SELECTOR: Final = 1014
"""MQIACF_PARAMETER_ID, MQIACF_SELECTOR: what an error response says is wrong."""

_ALL: Final = 1009
_REPLACE, _PURGE, _FORCE = 1006, 1007, 1005
_YES: Final = 1

_ID_ERRORS: Final = {
    constants.MQCFT_INTEGER: codes.MQRCCF_CFIN_PARM_ID_ERROR,
    constants.MQCFT_STRING: codes.MQRCCF_CFST_PARM_ID_ERROR,
    constants.MQCFT_INTEGER_LIST: codes.MQRCCF_CFIL_PARM_ID_ERROR,
    constants.MQCFT_STRING_LIST: codes.MQRCCF_CFSL_PARM_ID_ERROR,
    constants.MQCFT_BYTE_STRING: codes.MQRCCF_CFBS_PARM_ID_ERROR,
    constants.MQCFT_INTEGER_FILTER: codes.MQRCCF_CFIF_PARM_ID_ERROR,
    constants.MQCFT_STRING_FILTER: codes.MQRCCF_CFSF_PARM_ID_ERROR,
    constants.MQCFT_BYTE_STRING_FILTER: codes.MQRCCF_CFBF_PARM_ID_ERROR,
    constants.MQCFT_GROUP: codes.MQRCCF_CFGR_PARM_ID_ERROR,
    constants.MQCFT_INTEGER64: codes.MQRCCF_CFIN_PARM_ID_ERROR,
    constants.MQCFT_INTEGER64_LIST: codes.MQRCCF_CFIL_PARM_ID_ERROR,
}
_DUPLICATES: Final = {
    constants.MQCFT_INTEGER: codes.MQRCCF_CFIN_DUPLICATE_PARM,
    constants.MQCFT_STRING: codes.MQRCCF_CFST_DUPLICATE_PARM,
    constants.MQCFT_STRING_LIST: codes.MQRCCF_CFSL_DUPLICATE_PARM,
    constants.MQCFT_BYTE_STRING: codes.MQRCCF_CFBS_DUPLICATE_PARM,
}
_TEXTS: Final = (ValueKind.NAME, ValueKind.STRING, ValueKind.LIST)
_TOO_LONG: Final = {
    constants.MQCFT_STRING: codes.MQRCCF_CFST_STRING_LENGTH_ERR,
    constants.MQCFT_STRING_LIST: codes.MQRCCF_CFSL_STRING_LENGTH_ERR,
    constants.MQCFT_BYTE_STRING: codes.MQRCCF_CFBS_STRING_LENGTH_ERR,
}
_FILTERS: Final = {
    constants.MQCFT_INTEGER_FILTER: codes.MQRCCF_CFIF_OPERATOR_ERROR,
    constants.MQCFT_STRING_FILTER: codes.MQRCCF_CFSF_OPERATOR_ERROR,
    constants.MQCFT_BYTE_STRING_FILTER: codes.MQRCCF_CFBF_OPERATOR_ERROR,
}
_OPERATORS: Final = {
    1: "LT", 2: "EQ", 3: "LE", 4: "GT", 5: "NE", 6: "GE", 10: "CT", 13: "EX", 18: "LK", 21: "NL",
    26: "CTG", 29: "EXG",
}  # fmt: skip
_QUEUE_TYPES: Final = {
    1: "QLOCAL", 2: "QMODEL", 3: "QALIAS", 6: "QREMOTE", 7: "QCLUSTER", 1001: "ALL",
}  # fmt: skip


class Refused(MQTriageError):
    """A command that cannot be carried out as it stands.

    Attributes:
        reason: MQRCCF_* or MQRC_*.
        parameter: MQIACF_PARAMETER_ID or MQIACF_SELECTOR, 0 for none.
        wrong: its value: the id that is wrong.
    """

    def __init__(self, reason: int, wrong: int = 0, text: str = "", parameter: int = 0) -> None:
        what = text or (name_of_parameter(wrong) or f"parameter {wrong}" if wrong else "command")
        super().__init__(f"{what}: {name_of_reason(reason)} ({reason})")
        self.reason = reason
        self.wrong = wrong
        self.parameter = parameter or (_PARAMETER_ID if wrong else 0)


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
        """Characters that a name of that kind may have; 0 for any number."""
        return {"CHANNEL": 20, "SUB": 0}.get(self.noun, 48)


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

_NAMES_OF: Final = {
    "Q": "Q", "CHANNEL": "CHANNEL", "NAMELIST": "NAMELIST", "PROCESS": "PROCESS",
    "AUTH_INFO": "AUTH_INFO", "TOPIC": "TOPIC",
}  # fmt: skip

Handler = Callable[[Parameters], list[Command]]


def translate(message: pcf.PCF) -> list[Command]:
    """The MQSC commands that do what a PCF command says; several where it names several entities.

    Raises:
        Refused: With the reason for the error response.
    """
    handler = _handlers().get(message.command)
    if handler is None:
        raise Refused(codes.MQRCCF_CFH_COMMAND_ERROR)
    given: dict[int, pcf.Parameter] = {}
    filters = 0
    for item in message.parameters:
        if item.type in _FILTERS:
            filters += 1
            given[-item.parameter] = item
        elif item.parameter in given:
            reason = _DUPLICATES.get(item.type, codes.MQRCCF_CFIN_DUPLICATE_PARM)
            raise Refused(reason, item.parameter)
        else:
            given[item.parameter] = item
    if filters > 1:
        raise Refused(codes.MQRCCF_TOO_MANY_FILTERS)
    return handler(given)


def is_known(command: int) -> bool:
    """Whether there is an MQSC command that does the same."""
    return command in _handlers()


@cache
def _handlers() -> Mapping[int, Handler]:
    handlers: dict[str, Handler] = {}
    for stem, about in _OBJECTS.items():
        handlers[f"CREATE_{stem}"] = _with(_create, about)
        handlers[f"CHANGE_{stem}"] = _with(_change, about)
        handlers[f"COPY_{stem}"] = _with(_copy, about)
        handlers[f"DELETE_{stem}"] = _with(_delete, about)
        handlers[f"INQUIRE_{stem}"] = _with(_inquire, about)
    for stem in _NAMES_OF:
        handlers[f"INQUIRE_{stem}_NAMES"] = _with(_names, _OBJECTS[stem])
    handlers |= {
        "CHANGE_Q_MGR": _change_queue_manager,
        "INQUIRE_Q_MGR": _inquire_queue_manager,
        "PING_Q_MGR": lambda given: _plain("PING", "QMGR", given),
        "START_CHANNEL": lambda given: _of_name("START", "CHANNEL", given),
        "STOP_CHANNEL": lambda given: _of_name("STOP", "CHANNEL", given),
        "PING_CHANNEL": lambda given: _of_name("PING", "CHANNEL", given),
        "RESET_CHANNEL": lambda given: _of_name("RESET", "CHANNEL", given),
        "RESOLVE_CHANNEL": lambda given: _of_name("RESOLVE", "CHANNEL", given),
        "START_CHANNEL_LISTENER": lambda given: _of_name("START", "LISTENER", given),
        "STOP_CHANNEL_LISTENER": lambda given: _of_name("STOP", "LISTENER", given),
        "START_SERVICE": lambda given: _of_name("START", "SERVICE", given),
        "STOP_SERVICE": lambda given: _of_name("STOP", "SERVICE", given),
        "CLEAR_Q": _clear,
        "MOVE_Q": _move,
        "RESET_Q_STATS": _reset_statistics,
        "REFRESH_SECURITY": _refresh_security,
        "INQUIRE_Q_STATUS": _queue_status,
        "INQUIRE_Q_MGR_STATUS": _queue_manager_status,
        "INQUIRE_CHANNEL_STATUS": lambda given: _status("CHSTATUS", 3501, 1524, given),
        "INQUIRE_LISTENER_STATUS": lambda given: _status("LSSTATUS", 3554, 1223, given),
        "INQUIRE_CONNECTION": _connections,
        "SET_AUTH_REC": _set_authority,
        "DELETE_AUTH_REC": _delete_authority,
        "INQUIRE_AUTH_RECS": _inquire_authority,
        "SET_CHLAUTH_REC": _set_channel_authentication,
        "INQUIRE_CHLAUTH_RECS": _inquire_channel_authentication,
    }
    return {numbers()[f"MQCMD_{name}"]: handler for name, handler in handlers.items()}


def _with(handler: Callable[[Parameters, _Object], list[Command]], about: _Object) -> Handler:
    return lambda given: handler(given, about)


# -- the pieces of a command ----------------------------------------------------------------------


def _command(verb: str, noun: str, name: str | None, parameters: Iterable[Parameter]) -> Command:
    value = None if name is None else Value(name, True, 0, 0)
    return Command(verb, noun, value, tuple(parameters), 0, 0, 1, 1)


def _keyword(keyword: str, *values: str) -> Parameter:
    """KEYWORD(value,...), or the keyword alone."""
    words = tuple(Value(word, True, 0, 0) for word in values) if values else None
    return Parameter(keyword, words, 0, 0, 1, 1)


def _plain(verb: str, noun: str, given: Parameters) -> list[Command]:
    _refuse_others(given, ())
    return [_command(verb, noun, None, ())]


def _of_name(verb: str, noun: str, given: Parameters) -> list[Command]:
    """A command whose object decides what becomes of it; its other parameters are not read."""
    about = _OBJECTS[noun]
    name = _text(given, about.name, needed=noun != "LISTENER", longest=about.longest)
    return [_command(verb, noun, name, ())]


def _refuse_others(given: Parameters, known: Iterable[int]) -> None:
    others = set(given) - set(known)
    for selector, item in given.items():
        if selector in others:
            raise Refused(_ID_ERRORS.get(item.type, 3013), item.parameter)


def _text(given: Parameters, selector: int, *, needed: bool = True, longest: int = 0) -> str | None:
    """A string parameter; None for one that is not given and not needed."""
    item = given.get(selector)
    if item is None:
        if needed:
            raise Refused(codes.MQRCCF_PARM_COUNT_TOO_SMALL, selector)
        return None
    if not isinstance(item.value, str):
        raise Refused(codes.MQRCCF_CFST_PARM_ID_ERROR, selector)
    if longest and len(item.value) > longest:
        raise Refused(codes.MQRCCF_CFST_STRING_LENGTH_ERR, selector)
    return item.value


def _integer(given: Parameters, selector: int, default: int) -> int:
    item = given.get(selector)
    if item is None:
        return default
    if not isinstance(item.value, int):
        raise Refused(codes.MQRCCF_CFIN_PARM_ID_ERROR, selector)
    return item.value


def _switch(given: Parameters, selector: int, keyword: str, reason: int) -> list[Parameter]:
    """REPLACE, PURGE, FORCE: MQRP_YES and its kin are 1, the NO forms 0."""
    value = _integer(given, selector, 0)
    if value not in (0, 1):
        raise Refused(reason, selector)
    return [_keyword(keyword)] if value == _YES else []


def _attributes(
    given: Parameters, kinds: tuple[str, ...], left_out: Iterable[int]
) -> list[Parameter]:
    """What a definition names, as MQSC keywords, each value checked."""
    skip = set(left_out)
    keywords = []
    for selector, item in given.items():
        if selector in skip:
            continue
        entry = attribute_with(kinds, selector)
        if entry is None:
            raise Refused(_ID_ERRORS.get(item.type, 3013), item.parameter)
        keywords.append(_given(entry, item))
    return keywords


def _given(entry: Attribute, item: pcf.Parameter) -> Parameter:
    try:
        words = words_of(entry, item.value)
        if entry.kind in _TEXTS and any(len(word) > entry.max_length for word in words):
            raise Refused(_TOO_LONG[item.type], item.parameter)
        for word in words:
            parse_value(entry, word)
    except UsageError as error:
        reason = codes.MQRCCF_ATTR_VALUE_ERROR
        raise Refused(reason, item.parameter, error.text) from error
    if entry.kind is ValueKind.FLAG:
        return _keyword(entry.keyword if words == ("YES",) else f"NO{entry.keyword}")
    return _keyword(entry.keyword, *words)


def _inquired(given: Parameters, selector: int, kinds: tuple[str, ...]) -> list[Parameter]:
    """The list of attributes of an inquiry; without one all of them."""
    inquired = given.get(selector)
    if inquired is None:
        return [_keyword("ALL")]
    values = inquired.value if isinstance(inquired.value, tuple) else (inquired.value,)
    keywords: list[str] = []
    for number in values:
        if not isinstance(number, int):
            raise Refused(codes.MQRCCF_CFIL_PARM_ID_ERROR, selector)
        if number == _ALL:
            return [_keyword("ALL")]
        entry = attribute_with(kinds, number)
        if entry is None and not name_of_parameter(number):
            raise Refused(codes.MQRC_SELECTOR_ERROR, number, parameter=_SELECTOR)
        if entry is not None and entry.keyword in keywords:
            raise Refused(codes.MQRCCF_CFIL_DUPLICATE_VALUE, number, parameter=_SELECTOR)
        if entry is not None:
            keywords.append(entry.keyword)
    return [_keyword(keyword) for keyword in keywords]


def _where(given: Parameters, kinds: tuple[str, ...], name: int, noun: str) -> list[Parameter]:
    """The filter of an inquiry."""
    for selector, item in given.items():
        if selector >= 0:
            continue
        operator = _OPERATORS.get(item.operator, "")
        if not operator:
            raise Refused(_FILTERS[item.type], item.parameter)
        if item.parameter == name:
            return [_keyword("WHERE", noun, operator, str(item.value))]
        entry = attribute_with(kinds, item.parameter)
        if entry is None:
            raise Refused(_ID_ERRORS[item.type], item.parameter)
        value = item.value
        # a filter on a list compares one member, and a text may be generic
        one = entry.kind in (ValueKind.LIST, ValueKind.WORDS)
        if isinstance(value, bytes) or not one:
            try:
                (word,) = words_of(entry, value)
            except (UsageError, ValueError) as error:
                raise Refused(codes.MQRCCF_FILTER_ERROR, item.parameter) from error
        else:
            word = str(value)
        return [_keyword("WHERE", entry.keyword, operator, word)]
    return []


def _queue_noun(given: Parameters, default: str = "QUEUE") -> str:
    kind = _integer(given, 20, 0)
    if not kind:
        return default
    if kind not in _QUEUE_TYPES:
        raise Refused(codes.MQRCCF_Q_TYPE_ERROR, 20)
    return _QUEUE_TYPES[kind]


def _noun(given: Parameters, about: _Object) -> str:
    if about is not _QUEUE:
        return about.noun
    noun = _queue_noun(given)
    if noun in ("ALL", "QCLUSTER"):
        raise Refused(codes.MQRCCF_Q_TYPE_ERROR, 20)
    return noun


# -- objects --------------------------------------------------------------------------------------


def _kinds(noun: str, about: _Object) -> tuple[str, ...]:
    return (noun,) if noun in QUEUE_KINDS else about.kinds


def _type_of(about: _Object) -> tuple[int, ...]:
    return (20,) if about is _QUEUE else ()


def _create(given: Parameters, about: _Object) -> list[Command]:
    name, noun = _text(given, about.name, longest=about.longest), _noun(given, about)
    if noun == "QUEUE":
        raise Refused(codes.MQRCCF_PARM_COUNT_TOO_SMALL, 20)
    replace = _switch(given, _REPLACE, "REPLACE", codes.MQRCCF_REPLACE_VALUE_ERROR)
    known = (about.name, _REPLACE, _FORCE, *_type_of(about))
    return [
        _command("DEFINE", noun, name, [*_attributes(given, _kinds(noun, about), known), *replace])
    ]


def _change(given: Parameters, about: _Object) -> list[Command]:
    name, noun = _text(given, about.name, longest=about.longest), _noun(given, about)
    force = _switch(given, _FORCE, "FORCE", codes.MQRCCF_FORCE_VALUE_ERROR)
    known = (about.name, _FORCE, *_type_of(about))
    return [
        _command("ALTER", noun, name, [*_attributes(given, _kinds(noun, about), known), *force])
    ]


def _copy(given: Parameters, about: _Object) -> list[Command]:
    source = numbers()[f"MQCACF_FROM_{about.stem}_NAME"]
    target = numbers()[f"MQCACF_TO_{about.stem}_NAME"]
    like, name = _text(given, source), _text(given, target, longest=about.longest)
    noun = _noun(given, about)
    replace = _switch(given, _REPLACE, "REPLACE", codes.MQRCCF_REPLACE_VALUE_ERROR)
    known = (source, target, _REPLACE, *_type_of(about))
    attributes = _attributes(given, _kinds(noun, about), known)
    parameters = [*attributes, _keyword("LIKE", like or ""), *replace]
    return [_command("DEFINE", noun, name, parameters)]


def _delete(given: Parameters, about: _Object) -> list[Command]:
    subscription = 7016 if about.noun == "SUB" else 0
    name = _text(given, about.name, needed=subscription not in given)
    purge = _switch(given, _PURGE, "PURGE", codes.MQRCCF_PURGE_VALUE_ERROR)
    ignore = _integer(given, constants.MQIACF_IGNORE_STATE, 0)
    parameters = [*purge, *([_keyword("IGNSTATE", "YES")] if ignore else [])]
    item = given.get(subscription)
    if item is not None and isinstance(item.value, bytes):
        parameters.append(_keyword("SUBID", item.value.hex().upper()))
    known = [
        about.name, _PURGE, constants.MQIACF_IGNORE_STATE, constants.MQIACF_REMOVE_AUTHREC,
        subscription, 20, 1511, constants.MQIACH_CHANNEL_TABLE, 66,
    ]  # fmt: skip
    _refuse_others(given, known)
    return [_command("DELETE", _noun(given, about), name, parameters)]


def _inquire(given: Parameters, about: _Object) -> list[Command]:
    name = _text(given, about.name, needed=about.noun not in ("SUB", "LISTENER", "SERVICE"))
    parameters = _inquired(given, about.attributes, about.kinds)
    parameters += _where(given, about.kinds, about.name, about.noun)
    if about is _QUEUE:
        parameters.append(_keyword("TYPE", _queue_noun(given, "ALL")))
    known = [
        about.name,
        about.attributes,
        *(known_selector for known_selector in given if known_selector < 0),
    ]
    for selector, keyword in _STEERING.get(about.noun, {}).items():
        known.append(selector)
        word = _steering_word(given, about.noun, selector)
        if word:
            parameters.append(_keyword(keyword, word))
    item = given.get(7016)
    if about.noun == "SUB" and item is not None and isinstance(item.value, bytes):
        known.append(7016)
        if item.value.strip(b"\0"):
            parameters.append(_keyword("SUBID", item.value.hex().upper()))
    _refuse_others(given, known)
    return [_command("DISPLAY", about.noun, "*" if name in (None, "") else name, parameters)]


_STEERING: Final[Mapping[str, Mapping[int, str]]] = {
    "QUEUE": {20: "", constants.MQIACF_CLUSTER_INFO: ""},
    "CHANNEL": {1511: "TYPE", constants.MQIACH_CHANNEL_INSTANCE_TYPE: ""},
    "AUTHINFO": {66: "AUTHTYPE"},
    "SUB": {1275: "", constants.MQIACF_SUB_TYPE: "", 175: ""},
    "TOPIC": {208: "", constants.MQIACF_CLUSTER_INFO: ""},
    "LISTENER": {1501: ""},
}
"""Parameters that narrow an inquiry, with the MQSC keyword; "" for those without effect here."""


def _steering_word(given: Parameters, noun: str, selector: int) -> str:
    keyword = _STEERING[noun][selector]
    value = _integer(given, selector, -1)
    entry = attribute_with((noun,), selector)
    if not keyword or entry is None or value < 0:
        return ""
    return next((word for word, number in entry.words.items() if number == value), "")


def _names(given: Parameters, about: _Object) -> list[Command]:
    """INQUIRE_Q_NAMES and its kin: a DISPLAY of names and types."""
    name = _text(given, about.name)
    parameters = [_keyword("TYPE", _queue_noun(given, "ALL"))] if about is _QUEUE else []
    known = [about.name, 20]
    if about.noun == "CHANNEL":
        known.append(1511)
        word = _steering_word(given, "CHANNEL", 1511)
        parameters += [_keyword("TYPE", word)] if word else []
    _refuse_others(given, known)
    return [_command("DISPLAY", about.noun, name, [*parameters, _keyword("ALTDATE")])]


# -- queues and the queue manager -----------------------------------------------------------------


def _change_queue_manager(given: Parameters) -> list[Command]:
    force = _switch(given, _FORCE, "FORCE", codes.MQRCCF_FORCE_VALUE_ERROR)
    return [_command("ALTER", "QMGR", None, [*_attributes(given, ("QMGR",), (_FORCE,)), *force])]


def _inquire_queue_manager(given: Parameters) -> list[Command]:
    attributes = constants.MQIACF_Q_MGR_ATTRS
    _refuse_others(given, (attributes,))
    return [_command("DISPLAY", "QMGR", None, _inquired(given, attributes, ("QMGR",)))]


def _clear(given: Parameters) -> list[Command]:
    _refuse_others(given, (2016,))
    return [_command("CLEAR", "QLOCAL", _text(given, 2016), ())]


def _move(given: Parameters) -> list[Command]:
    source, target = constants.MQCACF_FROM_Q_NAME, constants.MQCACF_TO_Q_NAME
    kind = constants.MQIACF_MOVE_TYPE
    _refuse_others(given, (source, target, kind))
    add = _integer(given, kind, constants.MQIACF_MOVE_TYPE_MOVE) == constants.MQIACF_MOVE_TYPE_ADD
    to = _keyword("TOQLOCAL", _text(given, target) or "")
    type_ = _keyword("TYPE", "ADD" if add else "MOVE")
    return [_command("MOVE", "QLOCAL", _text(given, source), (to, type_))]


def _reset_statistics(given: Parameters) -> list[Command]:
    _refuse_others(given, (2016,))
    return [_command("RESET", "QSTATS", _text(given, 2016), ())]


def _refresh_security(given: Parameters) -> list[Command]:
    _refuse_others(given, (constants.MQIACF_SECURITY_TYPE, constants.MQIACF_SECURITY_ITEM))
    return [_command("REFRESH", "SECURITY", None, ())]


def _queue_status(given: Parameters) -> list[Command]:
    attributes, type_ = constants.MQIACF_Q_STATUS_ATTRS, constants.MQIACF_Q_STATUS_TYPE
    opened = constants.MQIACF_OPEN_TYPE
    status = _integer(given, type_, constants.MQIACF_Q_STATUS)
    if status not in (constants.MQIACF_Q_STATUS, constants.MQIACF_Q_HANDLE):
        raise Refused(codes.MQRCCF_PARM_VALUE_ERROR, type_)
    is_queue = status == constants.MQIACF_Q_STATUS
    kinds = ("QSTATUS",) if is_queue else ("QHANDLE",)
    parameters = [_keyword("TYPE", "QUEUE" if is_queue else "HANDLE")]
    if not is_queue:
        words = {1: "ALL", 2: "INPUT", 3: "OUTPUT"}
        parameters.append(_keyword("OPENTYPE", words.get(_integer(given, opened, 1), "ALL")))
    parameters += [
        p for p in _inquired(given, attributes, kinds) if p.keyword not in ("QUEUE", "TYPE")
    ]
    parameters += _where(given, kinds, 2016, "QUEUE")
    _refuse_others(given, (2016, attributes, type_, opened, *(s for s in given if s < 0)))
    return [_command("DISPLAY", "QSTATUS", _text(given, 2016), parameters)]


def _queue_manager_status(given: Parameters) -> list[Command]:
    attributes = constants.MQIACF_Q_MGR_STATUS_ATTRS
    _refuse_others(given, (attributes,))
    return [_command("DISPLAY", "QMSTATUS", None, _inquired(given, attributes, ("QMSTATUS",)))]


def _status(noun: str, name: int, attributes: int, given: Parameters) -> list[Command]:
    """Status of what does not run here: the name is all that counts."""
    return [_command("DISPLAY", noun, _text(given, name, needed=False) or "*", ())]


def _connections(given: Parameters) -> list[Command]:
    one, generic = constants.MQBACF_CONNECTION_ID, constants.MQBACF_GENERIC_CONNECTION_ID
    attributes, type_ = constants.MQIACF_CONNECTION_ATTRS, constants.MQIACF_CONN_INFO_TYPE
    selector = one if one in given else generic
    item = given.get(selector)
    if item is None:
        raise Refused(codes.MQRCCF_PARM_COUNT_TOO_SMALL, one)
    if not isinstance(item.value, bytes):
        raise Refused(codes.MQRCCF_CFBS_PARM_ID_ERROR, selector)
    text = item.value.hex().upper() + ("*" if selector == generic else "")
    parameters = [_keyword("TYPE", "CONN"), *_inquired(given, attributes, ("CONN",))]
    parameters += _where(given, ("CONN",), one, "CONN")
    _refuse_others(
        given,
        (
            one,
            generic,
            attributes,
            type_,
            1132,
            *(known_selector for known_selector in given if known_selector < 0),
        ),
    )
    return [_command("DISPLAY", "CONN", text, parameters)]


# -- authority ------------------------------------------------------------------------------------

_PROFILE, _OBJECT_TYPE = 3067, 1016
_GROUPS, _PRINCIPALS = 3066, 3065


def _entities(given: Parameters) -> list[Parameter]:
    """GROUP(name) and PRINCIPAL(name), one for each entity that is named."""
    entities = []
    for selector, keyword in ((_GROUPS, "GROUP"), (_PRINCIPALS, "PRINCIPAL")):
        item = given.get(selector)
        values = item.value if item is not None else ()
        values = (values,) if isinstance(values, str) else values
        if not isinstance(values, tuple):
            raise Refused(codes.MQRCCF_CFSL_PARM_ID_ERROR, selector)
        entities += [_keyword(keyword, str(value)) for value in values]
    if not entities:
        raise Refused(codes.MQRCCF_ENTITY_NAME_MISSING)
    return entities


def _object_type(given: Parameters) -> Parameter:
    if _OBJECT_TYPE not in given:
        raise Refused(codes.MQRCCF_OBJECT_TYPE_MISSING, _OBJECT_TYPE)
    entry = attribute("AUTHREC", "OBJTYPE")
    assert entry is not None
    return _given(entry, given[_OBJECT_TYPE])


def _set_authority(given: Parameters) -> list[Command]:
    add, remove = constants.MQIACF_AUTH_ADD_AUTHS, constants.MQIACF_AUTH_REMOVE_AUTHS
    component = constants.MQCACF_SERVICE_COMPONENT
    _refuse_others(given, (_PROFILE, _OBJECT_TYPE, _GROUPS, _PRINCIPALS, add, remove, component))
    if add not in given and remove not in given:
        raise Refused(codes.MQRCCF_AUTH_VALUE_MISSING)
    steering = [_keyword("PROFILE", _text(given, _PROFILE) or ""), _object_type(given)]
    for selector, keyword in ((add, "AUTHADD"), (remove, "AUTHRMV")):
        entry = attribute("AUTHREC", keyword)
        if selector in given and entry is not None:
            try:
                steering.append(_given(entry, given[selector]))
            except Refused as error:
                reason = codes.MQRCCF_AUTH_VALUE_ERROR
                raise Refused(reason, selector, error.text) from error
    return [_command("SET", "AUTHREC", None, [*steering, entity]) for entity in _entities(given)]


def _delete_authority(given: Parameters) -> list[Command]:
    component = constants.MQCACF_SERVICE_COMPONENT
    _refuse_others(given, (_PROFILE, _OBJECT_TYPE, _GROUPS, _PRINCIPALS, component))
    steering = [_keyword("PROFILE", _text(given, _PROFILE) or ""), _object_type(given)]
    return [_command("DELETE", "AUTHREC", None, [*steering, entity]) for entity in _entities(given)]


def _inquire_authority(given: Parameters) -> list[Command]:
    options, entity = constants.MQIACF_AUTH_OPTIONS, constants.MQCACF_ENTITY_NAME
    kind, attributes = constants.MQIACF_ENTITY_TYPE, constants.MQIACF_AUTH_PROFILE_ATTRS
    component = constants.MQCACF_SERVICE_COMPONENT
    _refuse_others(given, (_PROFILE, _OBJECT_TYPE, options, entity, kind, attributes, component))
    parameters = []
    profile = _text(given, _PROFILE, needed=False)
    if profile:
        parameters.append(_keyword("PROFILE", profile))
        matching = _integer(given, options, 0) & constants.MQAUTHOPT_NAME_ALL_MATCHING
        parameters.append(_keyword("MATCH", "MEMBERSHIP" if matching else "PROFILE"))
    if _integer(given, _OBJECT_TYPE, 1001) != 1001:
        parameters.append(_object_type(given))
    name = _text(given, entity, needed=False)
    if name:
        is_group = _integer(given, kind, 1) == 2
        parameters.append(_keyword("GROUP" if is_group else "PRINCIPAL", name))
    return [_command("DISPLAY", "AUTHREC", None, parameters)]


def _set_channel_authentication(given: Parameters) -> list[Command]:
    action = constants.MQIACF_ACTION
    entry = attribute("CHLAUTH", "ACTION")
    assert entry is not None
    parameters = []
    if action in given:
        value = _integer(given, action, 0)
        word = next(
            (action_word for action_word, known in entry.words.items() if known == value), ""
        )
        if not word:
            raise Refused(codes.MQRCCF_CHLAUTH_ACTION_ERROR, action)
        parameters.append(_keyword("ACTION", word))
    if constants.MQIACF_CHLAUTH_TYPE not in given:
        raise Refused(codes.MQRCCF_CHLAUTH_TYPE_ERROR, constants.MQIACF_CHLAUTH_TYPE)
    name = _text(given, 3501)
    parameters += _attributes(given, ("CHLAUTH",), (3501, action))
    return [_command("SET", "CHLAUTH", name, parameters)]


def _inquire_channel_authentication(given: Parameters) -> list[Command]:
    attributes, type_ = constants.MQIACF_CHLAUTH_ATTRS, constants.MQIACF_CHLAUTH_TYPE
    match = constants.MQIACH_MATCH
    parameters = _inquired(given, attributes, ("CHLAUTH",))
    parameters += _where(given, ("CHLAUTH",), 3501, "CHLAUTH")
    entry = attribute("CHLAUTH", "TYPE")
    if type_ in given and entry is not None:
        parameters.append(_given(entry, given[type_]))
    _refuse_others(
        given,
        (
            3501,
            attributes,
            type_,
            match,
            *(known_selector for known_selector in given if known_selector < 0),
        ),
    )
    return [_command("DISPLAY", "CHLAUTH", _text(given, 3501), parameters)]
