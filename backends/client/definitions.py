"""Definitions and status by PCF: what the command server says and takes, in our words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final

from mqtriage.backends import port
from mqtriage.backends.client.command_server import CommandServer
from mqtriage.backends.clock import Clock, local_us
from mqtriage.backends.status_ahead import StatusAhead
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.attributes import catalogue
from mqtriage.mq.attributes.catalogue import to_number as number_of
from mqtriage.mq.errors import ObjectNotFound, UsageError, mqi_error
from mqtriage.mq.pcf import messages as pcf

KINDS: Final = {
    cmqc.MQQT_LOCAL: "QLOCAL",
    cmqc.MQQT_MODEL: "QMODEL",
    cmqc.MQQT_ALIAS: "QALIAS",
    cmqc.MQQT_REMOTE: "QREMOTE",
}
"""MQIA_Q_TYPE to the kind of the port; MQQT_CLUSTER is no definition of this queue manager."""

AT_ONCE: Final = 1_000
"""Queues that one command asks for: a fifth of what SYSTEM.DEFAULT.MODEL.QUEUE usually holds."""

_TYPES: Final = {kind: number for number, kind in KINDS.items()}
_TEXTS: Final = (catalogue.ValueKind.NAME, catalogue.ValueKind.STRING)


class Definitions:
    """What `ClientBackend` asks the command server."""

    def __init__(self, server: CommandServer, clock: Clock) -> None:
        self._server = server
        self._clock = clock
        self._ahead = StatusAhead(self._statuses)

    def queue_manager(self) -> dict[str, port.AttributeValue]:
        """INQUIRE Q MGR."""
        replies = self._server.run(cmqcfc.MQCMD_INQUIRE_Q_MGR, (), "inquire the queue manager")
        return attributes_from(replies[0], "QMGR") if replies else {}

    def queues(self, pattern: str) -> Iterator[port.ObjectDefinition]:
        """INQUIRE Q of a generic name, sorted by name; the queue for our own replies left out.

        Of many queues it asks for some at a time: the command server puts a reply for each, loses
        those that the queue for them cannot hold, and answers nothing before it has begun.
        """
        try:
            names = self._names(pattern)
        except ObjectNotFound:
            return
        definitions: dict[str, port.ObjectDefinition] = {}
        local: dict[str, str] = {}
        for part in parts_of(pattern, names, AT_ONCE):
            with suppress(ObjectNotFound):  # deleted since
                for queue in self._described(part):
                    definitions[queue.name] = queue
                    if queue.kind == "QLOCAL":
                        local[queue.name] = part
        definitions.pop(self._server.reply_queue, None)
        self._ahead.listed(local)
        yield from (definitions[name] for name in sorted(definitions))

    def _names(self, pattern: str) -> list[str]:
        """INQUIRE Q NAMES."""
        doing = f"inquire {pattern}"
        given = _named(pattern, cmqc.MQQT_ALL)
        replies = self._server.run(cmqcfc.MQCMD_INQUIRE_Q_NAMES, given, doing, pattern)
        lists = [reply.first(cmqcfc.MQCACF_Q_NAMES) for reply in replies]
        return [str(name) for names in lists if isinstance(names, tuple) for name in names]

    def _described(self, pattern: str) -> Iterator[port.ObjectDefinition]:
        doing = f"inquire {pattern}"
        given = _named(pattern, cmqc.MQQT_ALL)
        for reply in self._server.run(cmqcfc.MQCMD_INQUIRE_Q, given, doing, pattern):
            definition = definition_from(reply)
            if definition is not None:
                yield definition

    def queue(self, name: str) -> port.ObjectDefinition:
        """INQUIRE Q of one name; 2085 where there is none."""
        doing = f"inquire {name}"
        for reply in self._server.run(
            cmqcfc.MQCMD_INQUIRE_Q, _named(name, cmqc.MQQT_ALL), doing, name
        ):
            definition = definition_from(reply)
            if definition is not None and definition.name == name:
                return definition
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)

    def status(self, name: str) -> port.QueueStatus:
        """INQUIRE Q STATUS of a local queue, or of many where it was listed."""
        reply = self._ahead.take(name)
        return self._status_from(name, self._one_status(name) if reply is None else reply)

    def _one_status(self, name: str) -> pcf.PCF:
        doing = f"status of {name}"
        parameters = [pcf.string(cmqc.MQCA_Q_NAME, name)]
        replies = self._server.run(cmqcfc.MQCMD_INQUIRE_Q_STATUS, parameters, doing, name)
        if not replies:
            raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
        return replies[0]

    def _statuses(self, pattern: str) -> dict[str, pcf.PCF]:
        doing = f"status of {pattern}"
        parameters = [pcf.string(cmqc.MQCA_Q_NAME, pattern)]
        replies = self._server.run(cmqcfc.MQCMD_INQUIRE_Q_STATUS, parameters, doing, pattern)
        return {str(reply.first(cmqc.MQCA_Q_NAME)).rstrip(): reply for reply in replies}

    def changed(self) -> None:
        """Something was changed or is going to be: what was read ahead does not count."""
        self._ahead.forget()

    def _status_from(self, name: str, reply: pcf.PCF) -> port.QueueStatus:
        return port.QueueStatus(
            name,
            _integer(reply, cmqc.MQIA_CURRENT_Q_DEPTH),
            _integer(reply, cmqcfc.MQIACF_UNCOMMITTED_MSGS),
            _integer(reply, cmqc.MQIA_OPEN_INPUT_COUNT),
            _integer(reply, cmqc.MQIA_OPEN_OUTPUT_COUNT),
            self._clock.put_of_age_us(
                _integer(reply, cmqcfc.MQIACF_OLDEST_MSG_AGE, -1),
                _integer(reply, cmqc.MQIA_CURRENT_Q_DEPTH),
            ),
            self._time_us(reply, cmqcfc.MQCACF_LAST_PUT_DATE, cmqcfc.MQCACF_LAST_PUT_TIME),
            self._time_us(reply, cmqcfc.MQCACF_LAST_GET_DATE, cmqcfc.MQCACF_LAST_GET_TIME),
        )

    def _time_us(self, reply: pcf.PCF, date: int, clock: int) -> int | None:
        return self._clock.utc_us(local_us(reply.first(date), reply.first(clock)), self._created_us)

    def _created_us(self) -> int | None:
        """When the queue for our replies was made, which was since we connected."""
        name = self._server.reply_queue
        (reply, *_) = self._server.run(
            cmqcfc.MQCMD_INQUIRE_Q, _named(name, cmqc.MQQT_LOCAL), f"inquire {name}", name
        )
        day, time_of_day = cmqc.MQCA_CREATION_DATE, cmqc.MQCA_CREATION_TIME
        return local_us(reply.first(day), reply.first(time_of_day))

    def _change(
        self,
        command: int,
        parameters: Iterable[pcf.PcfParameter],
        doing: str,
        object_name: str = "",
    ) -> None:
        self.changed()
        self._server.run(command, parameters, doing, object_name)

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        """CREATE Q without replace."""
        parameters = [*_named(name, _type_of(kind)), *parameters_for(kind, attributes)]
        self._change(cmqcfc.MQCMD_CREATE_Q, parameters, f"define {kind}({name})", name)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        """CHANGE Q, or CHANGE Q MGR."""
        parameters = list(parameters_for(kind, attributes))
        if kind == "QMGR":
            self._change(cmqcfc.MQCMD_CHANGE_Q_MGR, parameters, "alter QMGR")
            return
        given = [*_named(name, _type_of(kind)), *parameters]
        self._change(cmqcfc.MQCMD_CHANGE_Q, given, f"alter {kind}({name})", name)

    def delete(self, kind: str, name: str, *, purge: bool) -> None:
        """DELETE Q."""
        parameters = [*_named(name, _type_of(kind))]
        if purge:
            parameters.append(pcf.integer_of(cmqcfc.MQIACF_PURGE, cmqcfc.MQPO_YES))
        self._change(cmqcfc.MQCMD_DELETE_Q, parameters, f"delete {kind}({name})", name)


def _named(name: str, queue_type: int) -> tuple[pcf.PcfParameter, ...]:
    """The name, and then the type, in the order that the command server wants."""
    return pcf.string(cmqc.MQCA_Q_NAME, name), pcf.integer_of(cmqc.MQIA_Q_TYPE, queue_type)


def parts_of(pattern: str, names: Collection[str], most: int) -> list[str]:
    """Generic names that together match what *pattern* does, each *most* of *names* or fewer."""
    if len(names) <= most:
        return [pattern]
    first, last = min(names), max(names)
    differs = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    stem = first[: next(differs, len(first))]
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name[: len(stem) + 1], []).append(name)
    itself = [stem] if groups.pop(stem, None) else []
    return itself + [
        part for start in sorted(groups) for part in parts_of(f"{start}*", groups[start], most)
    ]


def _type_of(kind: str) -> int:
    number = _TYPES.get(kind)
    if number is None:
        raise UsageError(f"{kind}: expected {', '.join(_TYPES)}")
    return number


def definition_from(reply: pcf.PCF) -> port.ObjectDefinition | None:
    """The queue that a reply to INQUIRE Q describes; None for a cluster's."""
    kind = KINDS.get(_integer(reply, cmqc.MQIA_Q_TYPE))
    name = reply.first(cmqc.MQCA_Q_NAME)
    if kind is None or not isinstance(name, str):
        return None
    return port.ObjectDefinition(name, kind, attributes_from(reply, kind))


def attributes_from(reply: pcf.PCF, kind: str) -> dict[str, port.AttributeValue]:
    """MQSC keyword to value, for each attribute of *kind* that the reply has."""
    values = {parameter.parameter: parameter.value for parameter in reply.parameters}
    attributes: dict[str, port.AttributeValue] = {}
    for entry in catalogue.attributes_of(kind):
        value = values.get(entry.selector)
        if value is not None and entry.keyword not in port.STATUS_ATTRIBUTES:
            attributes[entry.keyword] = _in_our_words(entry, value)
    return attributes


def _in_our_words(entry: catalogue.Attribute, value: pcf.Value) -> port.AttributeValue:
    if isinstance(value, int):
        return catalogue.from_number(entry, value)
    if isinstance(value, tuple):
        if entry.kind is catalogue.ValueKind.LIST:
            return ",".join(str(item).rstrip() for item in value)
        return ",".join(
            str(catalogue.from_number(entry, item)) for item in value if isinstance(item, int)
        )
    return str(value).rstrip()


def parameters_for(
    kind: str, attributes: Mapping[str, port.AttributeValue]
) -> Iterator[pcf.PcfParameter]:
    """One PCF parameter for each attribute."""
    for keyword, value in attributes.items():
        entry = catalogue.attribute(kind, keyword)
        if entry is None or not entry.selector:
            raise UsageError(f"{keyword} is not a PCF attribute of {kind}")
        if entry.kind in _TEXTS:
            yield pcf.string(entry.selector, str(value))
        elif entry.kind is catalogue.ValueKind.LIST:
            yield pcf.strings(entry.selector, str(value).split(","))
        elif entry.kind is catalogue.ValueKind.WORDS:
            words = str(value).split(",")
            yield pcf.integers(entry.selector, [number_of(entry, word) for word in words])
        else:
            yield pcf.integer_of(entry.selector, number_of(entry, value))


def _integer(reply: pcf.PCF, parameter: int, default: int = 0) -> int:
    value = reply.first(parameter)
    return value if isinstance(value, int) else default
