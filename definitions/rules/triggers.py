"""Triggers: queues that can never start anything, or start one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.system_objects import comes_with
from mqtriage.mq.names import CHANNEL_INITQ, is_system

_APPLICATIONS_INITQ: Final = "SYSTEM.DEFAULT.INITIATION.QUEUE"
"""The initiation queue that runmqtrm reads by default."""


def _triggered(estate: Estate) -> Iterator[Definition]:
    return (q for q in estate.of_kind("QLOCAL", "QMODEL") if q.text("TRIGGER") == "YES")


@rule(Severity.ERROR)
def trg001_not_an_initiation_queue(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        name = queue.text("INITQ")
        initiation = estate.local(name) if name else None
        if name and (name == queue.name or (initiation and initiation.name == queue.name)):
            message = f"INITQ({name}) is the queue itself: no program is started"
            yield violation(queue, "INITQ", message)
        elif initiation is not None and initiation.text("USAGE") == "XMITQ":
            message = f"INITQ({name}) is a transmission queue: no trigger message is created"
            yield violation(queue, "INITQ", message)


@rule(Severity.WARNING)
def trg002_never_triggers(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        kind, depth, most = (
            queue.text("TRIGTYPE"),
            queue.number("TRIGDPTH"),
            queue.number("MAXDEPTH"),
        )
        if kind == "NONE":
            message = "TRIGGER with TRIGTYPE(NONE): no trigger ever fires"
            yield violation(queue, "TRIGTYPE", message)
        elif kind == "DEPTH" and depth is not None and most is not None and depth > most:
            message = (
                f"TRIGDPTH({depth}) is above MAXDEPTH({most}): the queue is full before it triggers"
            )
            yield violation(queue, "TRIGDPTH", message)


@rule(Severity.WARNING)
def trg003_no_process(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        is_application = queue.text("USAGE") == "NORMAL" and not is_system(queue.name)
        if is_application and queue.text("PROCESS") == "":
            message = "TRIGGER with a blank PROCESS: the trigger monitor does not start a program"
            yield violation(queue, "PROCESS", message)


@rule(Severity.WARNING)
def trg004_every_on_transmission_queue(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        if queue.text("USAGE") == "XMITQ" and queue.text("TRIGTYPE") == "EVERY":
            message = "TRIGTYPE(EVERY): each message triggers the channel, which is already running"
            yield violation(queue, "TRIGTYPE", message, setting(queue, TRIGTYPE="FIRST"))


@rule(Severity.WARNING)
def trg005_initiation_queue_triggered(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        initiation = estate.local(queue.text("INITQ") or "")
        if initiation is None or initiation.name == queue.name:
            continue
        if initiation.text("TRIGGER") == "YES":
            further = initiation.text("INITQ")
            message = (
                f"INITQ({initiation.name}) is itself triggered, with INITQ({further}): trigger"
                " messages cause trigger messages"
            )
            fix = setting(initiation, TRIGGER="NO")
            yield violation(queue, "INITQ", message, fix)


@rule(Severity.WARNING)
def trg006_initiation_queue_inhibited(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue in _triggered(estate):
        initiation = estate.local(queue.text("INITQ") or "")
        if initiation is None or initiation.name in seen:
            continue
        seen.add(initiation.name)
        for keyword in ("GET", "PUT"):
            if initiation.text(keyword) == "DISABLED":
                message = f"{keyword}(DISABLED): no trigger message is created for {queue.name}"
                fix = setting(initiation, **{keyword: "ENABLED"})
                yield violation(initiation, keyword, message, fix)


@rule(Severity.WARNING)
def trg007_process_starts_nothing(estate: Estate) -> Violations:
    for process in estate.objects("PROCESS").values():
        if is_system(process.name):
            continue
        # a process of a transmission queue names its channel in USERDATA
        if all(_is_blank(process, keyword) for keyword in ("APPLICID", "USERDATA")):
            message = "APPLICID is blank: the trigger monitor has nothing to start"
            yield violation(process, "APPLICID", message)


def _is_blank(process: Definition, keyword: str) -> bool:
    text = process.text(keyword)
    if text is not None or process.gives(keyword) or not process.sources:
        return text == ""
    first = process.sources[0].command
    like = first.value("LIKE") or ""
    return first.verb == "DEFINE" and (not like or comes_with("PROCESS", like, None))


@rule(Severity.WARNING)
def trg008_initiation_queue_of_another_monitor(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        name, usage = queue.text("INITQ"), queue.text("USAGE")
        if usage == "XMITQ" and name == _APPLICATIONS_INITQ:
            message = f"INITQ({name}) is not read by the channel initiator: no channel is started"
            yield violation(queue, "INITQ", message, setting(queue, INITQ=CHANNEL_INITQ))
        elif usage == "NORMAL" and name == CHANNEL_INITQ and not is_system(queue.name):
            message = f"INITQ({name}) is read by the channel initiator, which starts only channels"
            yield violation(queue, "INITQ", message, setting(queue, INITQ=_APPLICATIONS_INITQ))


@rule(Severity.WARNING)
def trg009_triggered_queue_inhibited(estate: Estate) -> Violations:
    for queue in _triggered(estate):
        is_application = queue.text("USAGE") == "NORMAL" and not is_system(queue.name)
        if is_application and queue.text("GET") == "DISABLED":
            message = "TRIGGER with GET(DISABLED): the triggered program cannot get messages (2016)"
            yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))
