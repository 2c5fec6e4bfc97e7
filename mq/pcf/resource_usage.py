"""Resource usage: what a queue manager publishes of itself below $SYS/MQ, and the metadata of that.

Classes have types, and types have elements, which stand in resource_usage.tsv. A program learns
from the metadata which there are, and on which topics; so one that cannot be counted is left out.

Choices where the documents are silent: the messages are of type MQCFT_STATISTICS, with MQCMD_NONE.

Sources: IBM MQ documentation, "Metrics published on the system topics", "Developing your own
resource monitoring application", and what programs that read the publications expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.name_table import rows
from mqtriage.mq.names import SYSTEM_TOPIC
from mqtriage.mq.pcf.messages import PCF, PcfParameter, group, integer_of, string
from mqtriage.records import NamedTuple

Calls = Mapping[str, "tuple[int, int]"]
"""How many calls there were, and of how many bytes, by what was done: "put 1", "commit 0".

The digit is MQMD.Persistence; "depth 0" is CURDEPTH.
"""
_CLASSES: Final = {
    "STATMQI": (2, "API usage statistics"),
    "STATQ": (3, "API per-queue usage statistics"),
}
_TYPES: Final = {
    ("STATMQI", "PUT"): (3, "MQPUT"),
    ("STATMQI", "GET"): (4, "MQGET"),
    ("STATMQI", "SYNCPOINT"): (5, "Commit and rollback"),
    ("STATMQI", "PUBLISH"): (7, "Publish"),
    ("STATQ", "PUT"): (2, "MQPUT and MQPUT1"),
    ("STATQ", "GET"): (3, "MQGET"),
    ("STATQ", "GENERAL"): (4, "General queue metrics"),
}
"""IBM's numbers and descriptions."""
_UNITS: Final = {"DELTA": cmqcfc.MQIAMO_MONITOR_DELTA, "UNIT": cmqcfc.MQIAMO_MONITOR_UNIT}


class Element(NamedTuple):
    """One number of a publication.

    Attributes:
        unit: MQIAMO_MONITOR_DELTA, _UNIT.
        calls: keys of `Calls` whose numbers it is the sum of.
    """

    number: int
    unit: int
    description: str
    calls: tuple[str, ...]
    is_bytes: bool

    def value(self, calls: Calls) -> int:
        """What it is after these calls."""
        return sum(calls.get(key, (0, 0))[self.is_bytes] for key in self.calls)


class UsageSubject(NamedTuple):
    """What a topic is about: a type of a class, and the queue where the class has one for each."""

    monitor_class: str
    type: str
    queue: str = ""


@cache
def elements() -> Mapping[tuple[str, str], tuple[Element, ...]]:
    """The elements of each type, by class and type."""
    by_type: dict[tuple[str, str], tuple[Element, ...]] = {}
    for monitor_class, *cells in rows("pcf/resource_usage.tsv"):
        if not cells:
            continue
        kind, number, unit, description, verbs, persistence, counts = cells
        digits = "01" if persistence == "any" else persistence
        calls = tuple(f"{verb} {digit}" for verb in verbs.split() for digit in digits)
        element = Element(int(number), _UNITS[unit], description, calls, counts == "bytes")
        there = by_type.get((monitor_class, kind), ())
        by_type[monitor_class, kind] = (*there, element)
    return by_type


def is_of_queues(monitor_class: str) -> bool:
    """Whether a class is published for each queue."""
    return monitor_class == "STATQ"


def _above(queue_manager: str) -> str:
    return f"{SYSTEM_TOPIC}/INFO/QMGR/{queue_manager}/Monitor"


def topic_of(queue_manager: str, source: UsageSubject) -> str:
    """The topic string of its publications; `&` stands for a `/` in the name of a queue."""
    parts = (source.monitor_class, source.queue.replace("/", "&"), source.type)
    return "/".join((_above(queue_manager), *filter(None, parts)))


def source_of(queue_manager: str, topic: str) -> UsageSubject | None:
    """What is published on a topic string, None where nothing is."""
    parts = topic.removeprefix(f"{_above(queue_manager)}/").split("/")
    source = UsageSubject(parts[0], parts[-1], "/".join(parts[1:-1]).replace("&", "/"))
    is_one = (source.monitor_class, source.type) in elements()
    if not is_one or is_of_queues(source.monitor_class) is not bool(source.queue):
        return None
    return source if topic_of(queue_manager, source) == topic else None


# -- metadata -------------------------------------------------------------------------------------


def metadata(queue_manager: str) -> Iterator[tuple[str, PCF]]:
    """Topic string and content of what is retained for programs that discover what there is."""
    above = f"{_above(queue_manager)}/METADATA"
    yield f"{above}/CLASSES", _message(_class_group(above, name) for name in _CLASSES)
    for name in _CLASSES:
        head = (*_class_head(name),)
        types = [kind for of, kind in _TYPES if of == name]
        groups = (_type_group(above, name, kind) for kind in types)
        yield f"{above}/{name}/TYPES", _message((*head, *groups))
        for kind in types:
            yield f"{above}/{name}/{kind}", _elements(queue_manager, name, kind)


def _class_head(name: str) -> Iterator[PcfParameter]:
    flags = (
        cmqcfc.MQIAMO_MONITOR_FLAGS_OBJNAME
        if is_of_queues(name)
        else cmqcfc.MQIAMO_MONITOR_FLAGS_NONE
    )
    yield integer_of(cmqcfc.MQIAMO_MONITOR_CLASS, _CLASSES[name][0])
    yield integer_of(cmqcfc.MQIAMO_MONITOR_FLAGS, flags)


def _class_group(above: str, name: str) -> PcfParameter:
    return group(cmqcfc.MQGACF_MONITOR_CLASS, (
        *_class_head(name),
        string(cmqcfc.MQCAMO_MONITOR_CLASS, name),
        string(cmqcfc.MQCAMO_MONITOR_DESC, _CLASSES[name][1]),
        string(cmqc.MQCA_TOPIC_STRING, f"{above}/{name}/TYPES"),
    ))  # fmt: skip


def _type_group(above: str, monitor_class: str, kind: str) -> PcfParameter:
    number, description = _TYPES[monitor_class, kind]
    return group(cmqcfc.MQGACF_MONITOR_TYPE, (
        integer_of(cmqcfc.MQIAMO_MONITOR_TYPE, number),
        string(cmqcfc.MQCAMO_MONITOR_TYPE, kind),
        string(cmqcfc.MQCAMO_MONITOR_DESC, description),
        string(cmqc.MQCA_TOPIC_STRING, f"{above}/{monitor_class}/{kind}"),
    ))  # fmt: skip


def _elements(queue_manager: str, monitor_class: str, kind: str) -> PCF:
    """The elements of a type, and the topic that they are published on, with %s for a queue."""
    queue = "%s" if is_of_queues(monitor_class) else ""
    groups = (
        group(cmqcfc.MQGACF_MONITOR_ELEMENT, (
            integer_of(cmqcfc.MQIAMO_MONITOR_ELEMENT, element.number),
            integer_of(cmqcfc.MQIAMO_MONITOR_DATATYPE, element.unit),
            string(cmqcfc.MQCAMO_MONITOR_DESC, element.description),
        ))
        for element in elements()[monitor_class, kind]
    )  # fmt: skip
    topic = topic_of(queue_manager, UsageSubject(monitor_class, kind, queue))
    return _message((
        integer_of(cmqcfc.MQIAMO_MONITOR_CLASS, _CLASSES[monitor_class][0]),
        integer_of(cmqcfc.MQIAMO_MONITOR_TYPE, _TYPES[monitor_class, kind][0]),
        string(cmqc.MQCA_TOPIC_STRING, topic),
        *groups,
    ))  # fmt: skip


# -- publications ---------------------------------------------------------------------------------


def publication(queue_manager: str, source: UsageSubject, interval_us: int, calls: Calls) -> PCF:
    """What is published of a type."""
    monitor_class, kind, queue = source
    of_queue = (
        (
            string(cmqc.MQCA_Q_NAME, queue, width=48),
            integer_of(cmqcfc.MQIACF_OBJECT_TYPE, cmqc.MQOT_Q),
        )
        if queue
        else ()
    )
    return _message((
        string(cmqc.MQCA_Q_MGR_NAME, queue_manager, width=48),
        *of_queue,
        integer_of(cmqcfc.MQIAMO_MONITOR_CLASS, _CLASSES[monitor_class][0]),
        integer_of(cmqcfc.MQIAMO_MONITOR_TYPE, _TYPES[monitor_class, kind][0]),
        PcfParameter(cmqcfc.MQCFT_INTEGER64, cmqcfc.MQIAMO64_MONITOR_INTERVAL, interval_us),
        *(
            PcfParameter(cmqcfc.MQCFT_INTEGER64, element.number, element.value(calls))
            for element in elements()[monitor_class, kind]
        ),
    ))  # fmt: skip


def _message(parameters: Iterable[PcfParameter]) -> PCF:
    return PCF(cmqcfc.MQCFT_STATISTICS, cmqcfc.MQCMD_NONE, tuple(parameters))
