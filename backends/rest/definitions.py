"""Definitions and status over HTTP: DISPLAY in JSON read by the tables of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mqtriage.backends import port
from mqtriage.backends.clock import Clock, local_us
from mqtriage.backends.rest.commands import RestCommands
from mqtriage.backends.status_ahead import StatusAhead
from mqtriage.mq import cmqc
from mqtriage.mq.attributes import catalogue
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.errors import MQIError, ObjectNotFound, UsageError, mqi_error
from mqtriage.mq.mqsc.format import alter_text, define_text, delete_text
from mqtriage.mq.names import COMMAND_QUEUE

Shown = Mapping[str, Any]


class RestDefinitions:
    """The part of `RestBackend` that is about queues and the queue manager."""

    def __init__(self, commands: RestCommands, clock: Clock) -> None:
        self._commands = commands
        self._clock = clock
        self._ahead = StatusAhead(self._statuses)

    def queue_manager_attributes(self) -> dict[str, port.AttributeValue]:
        """DISPLAY QMGR ALL."""
        shown = self._commands.display("qmgr", "display QMGR")
        return attributes_from(shown[0], "QMGR") if shown else {}

    def queues(self, pattern: str = "*") -> Iterator[port.ObjectDefinition]:
        """DISPLAY QUEUE of a generic name, sorted by name."""
        try:
            shown = self._commands.display("queue", f"display QUEUE({pattern})", pattern)
        except ObjectNotFound:
            return
        queues = [queue for one in shown if (queue := definition_from(one)) is not None]
        self._ahead.listed({queue.name: pattern for queue in queues if queue.kind == "QLOCAL"})
        yield from sorted(queues, key=lambda queue: queue.name)

    def queue(self, name: str) -> port.ObjectDefinition:
        """DISPLAY QUEUE of one name; 2085 where there is none."""
        doing = f"inquire {name}"
        for one in self._commands.display("queue", doing, name):
            definition = definition_from(one)
            if definition is not None and definition.name == name:
                return definition
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)

    def status(self, name: str) -> port.QueueStatus:
        """DISPLAY QSTATUS of a local queue, or of many where it was listed."""
        shown = self._ahead.take(name)
        return self._status_from(name, self._one_status(name) if shown is None else shown)

    def _statuses(self, pattern: str) -> dict[str, Shown]:
        doing = f"display QSTATUS({pattern})"
        shown = self._commands.display("qstatus", doing, pattern, type="queue")
        return {str(one.get("queue")): one for one in shown}

    def _one_status(self, name: str) -> Shown:
        doing = f"display QSTATUS({name})"
        try:
            shown = self._commands.display("qstatus", doing, name, type="queue")
        except ObjectNotFound:
            shown = []
        for one in shown:
            if one.get("queue") == name:
                return one
        definition = self.queue(name)  # 2085 where it is not there
        reason = cmqc.MQRC_Q_TYPE_ERROR
        if definition.kind == "QLOCAL":
            reason = cmqc.MQRC_UNKNOWN_OBJECT_NAME
        raise mqi_error(reason, doing, object_name=name)

    def _status_from(self, name: str, shown: Shown) -> port.QueueStatus:
        depth = number_from(shown.get("curdepth"))
        return port.QueueStatus(
            name,
            depth,
            1 if shown.get("uncom") == "YES" else number_from(shown.get("uncom")),  # YES: z/OS
            number_from(shown.get("ipprocs")),
            number_from(shown.get("opprocs")),
            self._clock.put_of_age_us(number_from(shown.get("msgage"), -1), depth),
            self._time_us(shown, "lputdate", "lputtime"),
            self._time_us(shown, "lgetdate", "lgettime"),
        )

    def _time_us(self, shown: Shown, date: str, clock: str) -> int | None:
        return self._clock.utc_us(local_us(shown.get(date), shown.get(clock)), self._last_put_us)

    def _last_put_us(self) -> int | None:
        """When the queue of the command server was last put to: by this very command.

        Known where queues are monitored.
        """
        try:
            shown = self._one_status(COMMAND_QUEUE)
        except MQIError:
            return None
        return local_us(shown.get("lputdate"), shown.get("lputtime"))

    def define(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        """DEFINE without REPLACE."""
        text = f"{on_one_line(define_text(_checked(kind), name, attributes))} NOREPLACE"
        self._change(text, f"define {kind}({name})", name)

    def alter(self, kind: str, name: str, attributes: Mapping[str, port.AttributeValue]) -> None:
        """ALTER of a queue or the queue manager."""
        if kind == "QMGR":
            self._change(on_one_line(alter_text(kind, "", attributes)), "alter QMGR", "")
            return
        text = on_one_line(alter_text(_checked(kind), name, attributes))
        self._change(text, f"alter {kind}({name})", name)

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        """DELETE of a queue."""
        text = on_one_line(delete_text(_checked(kind), name, purge=purge))
        self._change(text, f"delete {kind}({name})", name)

    def _change(self, text: str, doing: str, name: str) -> None:
        self.changed()
        self._commands.change(text, doing, name)

    def changed(self) -> None:
        """Something was changed or is going to be: what was read ahead does not count."""
        self._ahead.forget()


def _checked(kind: str) -> str:
    if kind not in QUEUE_KINDS:
        raise UsageError(f"{kind}: expected {', '.join(QUEUE_KINDS)}")
    return kind


def on_one_line(text: str) -> str:
    """A command of ours without the ends of its lines: ``+`` and blanks."""
    return " ".join(line.removesuffix(" +").strip() for line in text.split("\n"))


def definition_from(shown: Shown) -> port.ObjectDefinition | None:
    """The queue of one element of an answer; None for a cluster's."""
    name, kind = shown.get("queue"), shown.get("type")
    if not isinstance(name, str) or kind not in QUEUE_KINDS:
        return None
    return port.ObjectDefinition(name, str(kind), attributes_from(shown, str(kind)))


def attributes_from(shown: Shown, kind: str) -> dict[str, port.AttributeValue]:
    """MQSC keyword to value, for each attribute of *kind* that was shown."""
    values: dict[str, port.AttributeValue] = {}
    for key, value in shown.items():
        entry = _entry(kind, key)
        if entry is None or entry.keyword in port.STATUS_ATTRIBUTES:
            continue
        if entry.kind is catalogue.ValueKind.FLAG:
            # "share": "YES", "" or true; "noshare" in the place of it, or "share": "NO"
            is_positive = key.upper() == entry.keyword and value not in ("NO", "no", False)
            values[entry.keyword] = "YES" if is_positive else "NO"
        else:
            values[entry.keyword] = _in_our_words(entry, value)
    return {
        entry.keyword: values[entry.keyword]
        for entry in catalogue.attributes_of(kind)
        if entry.keyword in values
    }


@lru_cache(maxsize=2048)
def _entry(kind: str, key: str) -> catalogue.Attribute | None:
    return catalogue.attribute(kind, key)


def _in_our_words(entry: catalogue.Attribute, value: object) -> port.AttributeValue:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, int):
        return (
            value
            if entry.kind is catalogue.ValueKind.INTEGER
            else catalogue.from_number(entry, value)
        )
    if isinstance(value, list):
        return ",".join(str(item).rstrip() for item in value)
    return _read(entry, str(value).rstrip())


@lru_cache(maxsize=4096)
def _read(entry: catalogue.Attribute, text: str) -> port.AttributeValue:
    try:
        return catalogue.parse_value(entry, text)
    except UsageError:  # a word of a later version of MQ
        return text


def number_from(value: object, default: int = 0) -> int:
    """A number, which may come as text; *default* where it is blank."""
    if isinstance(value, int):
        return value
    text = str(value).strip() if value is not None else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else default
