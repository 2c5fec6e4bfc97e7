"""The dead-letter queue: DEADQ, and the queue that it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.near_names import near_name
from mqtriage.definitions.rules.backout_queues import used_as_backout_queue
from mqtriage.definitions.rules.delayed import application_locals, roomy_depth
from mqtriage.definitions.rules.finding import (
    Alter,
    Change,
    Define,
    Severity,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.network import transmits
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq import cmqc
from mqtriage.mq.names import DEAD_LETTER_QUEUE, is_system

DEFAULT_DEPTH: Final = 5000
NEARLY_FULL_PERCENT: Final = 80


def _define(estate: Estate, name: str) -> Define:
    lengths = [q.number("MAXMSGL") or 0 for q in application_locals(estate)]
    length = max([estate.greatest_length, *lengths])
    return Define("QLOCAL", name, {"MAXDEPTH": roomy_depth(length), "MAXMSGL": length})


@rule(Severity.ERROR)
def dlq001_no_dead_letter_queue(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    name = queue_manager.text("DEADQ") if queue_manager is not None else None
    if queue_manager is None or name is None:
        return
    if not name:
        fix: tuple[Change, ...] = (Alter("QMGR", "", {"DEADQ": DEAD_LETTER_QUEUE}),)
        if estate.absence("QLOCAL", DEAD_LETTER_QUEUE):
            fix = (_define(estate, DEAD_LETTER_QUEUE), *fix)
        message = "DEADQ is blank: undeliverable messages stop channels or are lost"
        yield violation(queue_manager, "DEADQ", message, *fix)
        return
    why = estate.absence("QLOCAL", name)
    may_be_there = name in estate.queues or estate.may_have("QLOCAL", name) or is_system(name)
    if why or not (may_be_there or estate.whole):
        near = near_name(name, estate.queues)
        hint = f"; did you mean {near}?" if near else ""
        change = Alter("QMGR", "", {"DEADQ": near}) if near else _define(estate, name)
        message = f"DEADQ({name}) {why or 'is not defined in these files'}{hint}"
        severity = None if why else Severity.WARNING
        yield violation(queue_manager, "DEADQ", message, change, severity=severity)


@rule(Severity.WARNING)
def dlq002_dead_letter_queue_too_short(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    limit = queue.number("MAXMSGL") if queue is not None else None
    if queue is None or limit is None:
        return
    # a backout queue holds what came from another queue, with room for an MQRFH2: that queue counts
    own = {queue.name, *used_as_backout_queue(estate)}
    largest, whose = 0, ""
    # a message that a transmission queue holds, and its channel cannot send, goes there too
    for other in (*application_locals(estate), *_transmission_queues(estate)):
        length = other.number("MAXMSGL") or 0
        if length > largest and other.name not in own:
            largest, whose = length, other.name
    is_known = estate.whole or estate.setting("MAXMSGL") is not None
    most = estate.greatest_length if is_known else max(estate.greatest_length, largest)
    needed = largest + cmqc.MQDLH_CURRENT_LENGTH
    if limit >= min(needed, most):
        return
    message = (
        f"MAXMSGL({limit}) is below {needed} bytes: MAXMSGL({largest}) of {whose} and an MQDLH of"
        f" {cmqc.MQDLH_CURRENT_LENGTH}"
    )
    if most < needed:
        message = f"MAXMSGL({limit}) is below {most} bytes: {whose} has MAXMSGL({largest})"
        if is_known:
            message += f", and the queue manager MAXMSGL({most})"
    fix = setting(queue, MAXMSGL=min(needed, most))
    severity = Severity.INFO if limit >= largest else None
    yield violation(queue, "MAXMSGL", message, fix, severity=severity)


def _transmission_queues(estate: Estate) -> Iterator[Definition]:
    for queue in estate.of_kind("QLOCAL"):
        if not is_system(queue.name) and queue.text("USAGE") == "XMITQ":
            yield queue


@rule(Severity.WARNING)
def dlq003_dead_letter_queue_default_depth(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    own = queue.number("MAXDEPTH") if queue is not None else None
    if queue is None or own is None or own > DEFAULT_DEPTH:
        return
    deepest = max(application_locals(estate), key=_depth, default=queue)
    if _depth(deepest) > own:
        severity, reason = None, f"below MAXDEPTH({_depth(deepest)}) of {deepest.name}"
    elif own < DEFAULT_DEPTH:
        severity, reason = Severity.INFO, f"below the default {DEFAULT_DEPTH}"
    else:
        severity, reason = Severity.INFO, "the default, which fills up in one bad hour"
    length = estate.load.largest_message_bytes or queue.number("MAXMSGL") or 0
    depth = roomy_depth(length, queue.number("MAXFSIZE"))
    fix = (setting(queue, MAXDEPTH=depth),) if depth > DEFAULT_DEPTH else ()
    message = f"MAXDEPTH({own}) is {reason}"
    yield violation(queue, "MAXDEPTH", message, *fix, severity=severity)


def _depth(queue: Definition) -> int:
    return queue.number("MAXDEPTH") or 0


@rule(Severity.ERROR)
def dlq004_dead_letter_queue_not_local(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    target = estate.queues.get(str(estate.setting("DEADQ") or ""))
    if queue_manager is not None and target is not None and target.kind != "QLOCAL":
        message = f"DEADQ({target.name}) is a {target.kind}: it must be a local queue"
        yield violation(queue_manager, "DEADQ", message)


@rule(Severity.ERROR)
def dlq005_dead_letter_queue_put_disabled(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("PUT") == "DISABLED":
        message = "PUT(DISABLED) on the dead-letter queue: channels stop, messages are discarded"
        yield violation(queue, "PUT", message, setting(queue, PUT="ENABLED"))


@rule(Severity.WARNING)
def dlq006_dead_letter_queue_full(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    status = estate.status.get(queue.name) if queue is not None else None
    depth = queue.number("MAXDEPTH") if queue is not None else None
    if queue is None or status is None or depth is None:
        return
    if status.curdepth * 100 >= depth * NEARLY_FULL_PERCENT:
        severity = Severity.ERROR if status.curdepth >= depth else None
        message = f"CURDEPTH {status.curdepth} of MAXDEPTH({depth})"
        yield violation(queue, "", message, severity=severity)


@rule(Severity.WARNING)
def dlq007_dead_letter_queue_get_disabled(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("GET") == "DISABLED":
        message = "GET(DISABLED) on the dead-letter queue: its messages cannot be processed"
        yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))


@rule(Severity.ERROR)
def dlq008_dead_letter_queue_is_transmission_queue(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    if queue is not None and queue.text("USAGE") == "XMITQ":
        message = "USAGE(XMITQ) on the dead-letter queue"
        fix = () if transmits(estate, queue) else (setting(queue, USAGE="NORMAL"),)
        yield violation(queue, "USAGE", message, *fix)


@rule(Severity.INFO)
def dlq009_topic_without_dead_letters(estate: Estate) -> Violations:
    for topic in estate.topics.values():
        if topic.text("USEDLQ") == "NO" and not is_system(topic.name):
            message = "USEDLQ(NO): publications that cannot be put are discarded or fail"
            yield violation(topic, "USEDLQ", message, setting(topic, USEDLQ="ASPARENT"))


@rule(Severity.INFO)
def dlq010_channel_without_dead_letters(estate: Estate) -> Violations:
    for channel in estate.channels.values():
        if channel.text("USEDLQ") == "NO" and not is_system(channel.name):
            fast = channel.text("NPMSPEED") in (None, "FAST")
            message = "USEDLQ(NO): a message that cannot be put ends the channel" + (
                ", and a nonpersistent one is discarded (NPMSPEED(FAST))" if fast else ""
            )
            yield violation(channel, "USEDLQ", message, setting(channel, USEDLQ="YES"))
