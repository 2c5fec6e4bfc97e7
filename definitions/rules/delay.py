"""Delivery delay: the staging queue, and the targets of delayed messages."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.definitions.estate import Definition, Estate, Location
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.caps import cap_of, with_cap
from mqtriage.definitions.rules.delayed import (
    application_locals,
    delayed_locals,
    depth_of_load,
    staging_attributes,
)
from mqtriage.definitions.rules.finding import (
    Alter,
    Change,
    CommandFix,
    Define,
    Severity,
    Violation,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.catalogue import quoted
from mqtriage.mq.attributes.topic_strings import nodes
from mqtriage.mq.delay import (
    FIRST_LEVEL,
    GREATEST_MAXDEPTH,
    GREATEST_MAXMSGL,
    STAGING_QUEUE,
    ZOS_STAGING,
    cap_refusal,
    length_needed,
    lifetime_refusal,
    topic_delivery,
)
from mqtriage.mq.names import is_system
from mqtriage.mq.security.authority_records import RecordIndex

ADMINISTRATORS: Final = ("GROUP(mqm)", "PRINCIPAL(mqm)")
TELLING: Final = frozenset(("GET", "PUT", "SET", "PASSALL", "PASSID", "SETALL", "SETID"))
"""Authorities that let a user take, add or change what is staged; browse and inquire are for
monitoring."""


@rule(Severity.ERROR)
def dly001_staging_queue_missing(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is not None:
        if queue.kind != "QLOCAL":
            yield violation(queue, "", f"{STAGING_QUEUE} is a {queue.kind}, not a local queue")
        return
    place = estate.deleted.get(STAGING_QUEUE)
    if place is None and not _must_be_here(estate):
        return
    message = "is deleted here" if place else "is not defined"
    define = Define("QLOCAL", STAGING_QUEUE, staging_attributes(estate))
    text = f"{STAGING_QUEUE} {message}: every send with a delivery delay fails"
    # scripts of z/OS seldom repeat what IBM's samples define, and few of its programs delay
    is_told = place or estate.lists_system_objects or _is_used(estate)
    severity = None if is_told else Severity.INFO
    yield Violation("QLOCAL", STAGING_QUEUE, place or Location(), text, (define,), severity)


def _is_used(estate: Estate) -> bool:
    return bool(estate.load.delayed_queues or estate.load.delayed_topics)


def _must_be_here(estate: Estate) -> bool:
    """Whether a queue that is not mentioned is not there.

    From 8.0 on it comes with the queue manager, but not on z/OS; before there was no delay.
    """
    if estate.command_level is not None and estate.command_level < FIRST_LEVEL:
        return False
    if estate.platform == "zos":
        return estate.whole or _is_used(estate)
    return estate.lists_system_objects


@rule(Severity.WARNING)
def dly002_staging_depth(estate: Estate) -> Violations:
    queue, load = estate.staging_queue, estate.load
    depth = None if queue is None else queue.number("MAXDEPTH")
    seen = load.measured_of(estate.queue_manager)
    if queue is not None and seen is not None and depth is not None and depth < seen.maxdepth:
        text = f"MAXDEPTH({depth}) is below what was needed: {seen.maxdepth_sum}"
        deeper = min(seen.maxdepth, GREATEST_MAXDEPTH)
        yield violation(queue, "MAXDEPTH", text, setting(queue, MAXDEPTH=deeper))
        return
    needed = depth_of_load(load)
    if queue is not None and needed is not None and depth is not None and depth < needed.value:
        fix = setting(queue, MAXDEPTH=min(needed.value, GREATEST_MAXDEPTH))
        yield violation(queue, "MAXDEPTH", f"MAXDEPTH({depth}) is below {needed.text}", fix)


def _longer(estate: Estate, queue: Definition, length: int) -> tuple[Change, ...]:
    """Give *queue* that MAXMSGL, and the queue manager too where its own is below.

    Nothing where no MAXMSGL is that great: such messages must become shorter.
    """
    if length > GREATEST_MAXMSGL:
        return ()
    change = setting(queue, MAXMSGL=length)
    if length <= estate.greatest_length:
        return (change,)
    return Alter("QMGR", "", {"MAXMSGL": length}), change


@rule(Severity.ERROR)
def dly003_staging_length(estate: Estate) -> Violations:
    queue, load = estate.staging_queue, estate.load
    limit = queue.number("MAXMSGL") if queue is not None else None
    if queue is None or limit is None:
        return
    seen = load.measured_of(estate.queue_manager)
    if seen is not None and limit < seen.maxmsgl_bytes:
        text = f"MAXMSGL({limit}) is below what was needed: {seen.maxmsgl_sum}"
        yield violation(queue, "MAXMSGL", text, *_longer(estate, queue, seen.maxmsgl_bytes))
        return
    largest, whose = load.largest_message_bytes or 0, "the largest message"
    configured = bool(load.delayed_queues or largest)
    for target in delayed_locals(estate) if configured else application_locals(estate):
        length = target.number("MAXMSGL") or 0
        if length > largest and load.largest_message_bytes is None:
            largest, whose = length, f"MAXMSGL of {target.name}"
    allowance = load.header_allowance_bytes if configured else 0
    needed = length_needed(
        largest,
        header_allowance_bytes=allowance,
        queue_manager_maxmsgl_bytes=estate.greatest_length,
    )
    if limit >= needed.value:
        return
    message = f"MAXMSGL({limit}) is below {whose} and its header: {needed.text}"
    fix = _longer(estate, queue, needed.value)
    if configured:
        yield violation(queue, "MAXMSGL", message, *fix)
    elif queue.gives("MAXMSGL"):
        message = f"MAXMSGL({limit}) is below {whose}, {largest}"
        yield violation(queue, "MAXMSGL", message, *fix, severity=Severity.WARNING)


@rule(Severity.ERROR)
def dly004_staging_inhibited(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None:
        return
    for keyword, outcome in (
        ("PUT", "sends with a delay fail, and on z/OS the processor stops"),
        ("GET", "messages are not delivered when they are due"),
    ):
        if queue.text(keyword) == "DISABLED":
            fix = setting(queue, **{keyword: "ENABLED"})
            yield violation(queue, keyword, f"{keyword}(DISABLED): {outcome}", fix)


@rule(Severity.ERROR)
def dly005_staging_order(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    for keyword, expected in ZOS_STAGING.items():
        value = queue.text(keyword)
        if value is not None and value != expected:
            fix = setting(queue, **{keyword: expected})
            yield violation(queue, keyword, f"{keyword}({value}), {expected} is required", fix)


def _taking(entity: str, words: list[str]) -> CommandFix:
    """SET AUTHREC that takes *words* away; without words, one that shadows a generic profile."""
    keyword, _, who = entity.rstrip(")").partition("(")
    change = f"AUTHRMV({','.join(words)})" if words else "AUTHADD(NONE)"
    return CommandFix(
        f"SET AUTHREC PROFILE({quoted(STAGING_QUEUE)}) OBJTYPE(QUEUE) +\n"
        f"       {keyword}({quoted(who)}) {change}"
    )


@rule(Severity.ERROR)
def dly006_staging_authority(estate: Estate) -> Violations:
    if estate.authorities is None:
        return
    index = RecordIndex(estate.authorities)
    for entity in index.entities:
        if entity in ADMINISTRATORS or entity in estate.load.staging_users:
            continue
        record = index.of(entity, STAGING_QUEUE)
        if record is None:
            continue
        words = sorted(word for word in record.authorities if word in TELLING)
        if not words:
            continue
        exact = record.profile == STAGING_QUEUE
        message = f"{entity} has {', '.join(words)} by profile {record.profile}"
        yield Violation(
            "AUTHREC",
            record.profile,
            estate.authorities[record],
            f"{message}: access is only for maintenance and monitoring",
            (_taking(entity, words if exact else []),),
            None if exact else Severity.WARNING,
        )


@rule(Severity.ERROR)
def dly007_clustered_target_bound(estate: Estate) -> Violations:
    patterns = estate.load.delayed_queues
    for queue in estate.of_kind("QLOCAL", "QALIAS"):
        bind = queue.text("DEFBIND")
        if not (queue.text("CLUSTER") or queue.text("CLUSNL")) or bind in (None, "NOTFIXED"):
            continue
        if is_system(queue.name) or (patterns and not any_matches(patterns, queue.name)):
            continue
        message = f"clustered with DEFBIND({bind}): a send with a delivery delay fails (2046)"
        severity = None if patterns else Severity.INFO
        fix = setting(queue, DEFBIND="NOTFIXED")
        yield violation(queue, "DEFBIND", message, fix, severity=severity)


def _explicit(estate: Estate) -> Violations:
    """Topics that say otherwise themselves, while nothing says which ones get delays."""
    for topic in estate.topics.values():
        for keyword in ("PMSGDLV", "NPMSGDLV"):
            value = topic.text(keyword)
            if value in ("ALL", "ALLDUR") and not is_system(topic.name):
                message = f"{keyword}({value}): a publication with a delivery delay fails (2502)"
                fix = setting(topic, **{keyword: "ALLAVAIL"})
                yield violation(topic, keyword, message, fix, severity=Severity.INFO)


def _resolved(
    estate: Estate,
    by_string: dict[str, Definition],
    string: str,
    keyword: str,
    persistent: bool,
) -> Violations:
    above = [by_string[node] for node in nodes(string) if node and node in by_string]
    base = estate.topics.get("SYSTEM.BASE.TOPIC")
    above += [base] if base is not None and base not in above else []
    values = [value for topic in above if (value := topic.text(keyword)) is not None]
    value = topic_delivery(values, persistent=persistent)
    if value == "ALLAVAIL":
        return
    by_default = all(text == "ASPARENT" for text in values)
    message = f"{keyword} of topic string {string} is {value}: a delayed publication fails (2502)"
    severity = Severity.WARNING if by_default and not estate.whole else None
    if string in by_string:
        topic = by_string[string]
        fix = setting(topic, **{keyword: "ALLAVAIL"})
        yield violation(topic, keyword, message, fix, severity=severity)
        return
    name = re.sub(r"[^A-Z0-9._]+", ".", string.upper()).strip(".")[:48]
    define = Define("TOPIC", name, {"TOPICSTR": string, keyword: "ALLAVAIL"})
    place = above[0].place(keyword) if above else Location()
    yield Violation("TOPIC", string, place, message, (define,), severity)


@rule(Severity.ERROR)
def dly008_topic_delivery(estate: Estate) -> Violations:
    if not estate.load.delayed_topics:
        yield from _explicit(estate)
        return
    by_string = {t.text("TOPICSTR") or "": t for t in estate.topics.values()}
    for string in estate.load.delayed_topics:
        for keyword, persistent in (("PMSGDLV", True), ("NPMSGDLV", False)):
            if estate.load.persistent in (None, persistent):
                yield from _resolved(estate, by_string, string, keyword, persistent)


@rule(Severity.WARNING)
def dly009_target_not_ready(estate: Estate) -> Violations:
    for name in estate.load.delayed_queues:
        if "*" in name or name in estate.queues:
            continue
        if estate.absence("QLOCAL", name):
            place = estate.deleted.get(name, Location())
            message = "is the target of delayed messages and does not exist when they are due"
            define = Define("QLOCAL", name, {})
            yield Violation("QLOCAL", name, place, f"{name} {message}", (define,), Severity.ERROR)
    for queue in delayed_locals(estate):
        status, depth = estate.status.get(queue.name), queue.number("MAXDEPTH")
        if queue.text("PUT") == "DISABLED":
            message = "PUT(DISABLED): delayed messages that become due go to the dead-letter queue"
            yield violation(queue, "PUT", message, setting(queue, PUT="ENABLED"))
        elif status is not None and depth is not None and status.curdepth >= depth:
            message = (
                f"full, CURDEPTH {status.curdepth}: there is no room for messages that become due"
            )
            yield violation(queue, "", message)


@rule(Severity.WARNING)
def dly010_nonpersistent_to_shared(estate: Estate) -> Violations:
    persistent = estate.load.persistent
    for queue in delayed_locals(estate):
        if queue.text("QSGDISP") != "SHARED" or persistent:
            continue
        default = queue.text("DEFPSIST")
        if persistent is False:
            message = "delayed messages are lost when the sender's queue manager stops"
            yield violation(queue, "QSGDISP", message)
        elif default == "NO":
            message = (
                "DEFPSIST(NO) on a shared queue: a delayed message is lost when the sender's queue"
                " manager stops"
            )
            yield violation(queue, "DEFPSIST", message, setting(queue, DEFPSIST="YES"))


@rule(Severity.WARNING)
def dly011_staging_storage_class(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    storage = queue.text("STGCLASS")
    if storage in ("", "DEFAULT"):
        message = "STGCLASS('DEFAULT'): delayed messages share a page set with everything else"
        yield violation(queue, "STGCLASS", message)


@rule(Severity.ERROR)
def dly012_staging_shared(estate: Estate) -> Violations:
    queue = estate.staging_queue
    if queue is not None and queue.text("QSGDISP") in ("SHARED", "GROUP"):
        value = queue.text("QSGDISP")
        message = f"QSGDISP({value}): each queue manager needs a private staging queue"
        yield violation(queue, "QSGDISP", message)


@rule(Severity.ERROR)
def dly013_cap_below_delay(estate: Estate) -> Violations:
    delay_ms = estate.load.longest_delay_ms
    if delay_ms is None:
        return
    seen: set[tuple[str, str]] = set()
    for queue in estate.of_kind("QLOCAL", "QALIAS", "QREMOTE"):
        if not any_matches(estate.load.delayed_queues, queue.name):
            continue
        for thing in _way_of(estate, queue):
            cap = cap_of(thing)
            refusal = cap_refusal(delay_ms, (cap.tenths,)) if cap is not None else None
            if cap is not None and refusal is not None and (thing.kind, thing.name) not in seen:
                seen.add((thing.kind, thing.name))
                fix = with_cap(thing, cap, -(-delay_ms // 100))
                through = "" if thing is queue else f", through {queue.name}"
                message = f"{refusal.text}: the send fails (2013){through}"
                yield violation(thing, cap.keyword, message, fix)


def _way_of(estate: Estate, queue: Definition) -> tuple[Definition, ...]:
    """A queue, and the queue or topic that it is an alias of: the caps of both count."""
    if queue.kind != "QALIAS":
        return (queue,)
    name = queue.text("TARGET") or ""
    is_topic = queue.text("TARGTYPE") == "TOPIC"
    target = (estate.topics if is_topic else estate.queues).get(name)
    return (queue,) if target is None else (queue, target)


@rule(Severity.ERROR)
def dly014_lifetime_below_delay(estate: Estate) -> Violations:
    delay_ms, lifetime_ms = estate.load.longest_delay_ms, estate.load.time_to_live_ms
    if delay_ms is None or lifetime_ms is None:
        return
    refusal = lifetime_refusal(delay_ms, lifetime_ms)
    if refusal is not None:
        yield Violation("LOAD", "load model", Location(), f"{refusal.text}: the send fails (2013)")
