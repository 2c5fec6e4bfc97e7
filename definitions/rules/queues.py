"""Definitions of queues and topics that contradict each other or themselves."""

from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import (
    DEFAULT_MAXMSGL,
    DEFINED_ALREADY,
    DEFINED_LATER,
    Definition,
    Estate,
)
from mqtriage.definitions.near_names import near_name
from mqtriage.definitions.rules.finding import (
    Alter,
    Severity,
    Violation,
    Violations,
    meant,
    setting,
    violation,
)
from mqtriage.definitions.rules.network import senders
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import bounds_of
from mqtriage.mq.attributes.queue_usage import usage_conflict
from mqtriage.mq.attributes.system_objects import comes_with, system_objects
from mqtriage.mq.delay import DEFAULT_MAXFSIZE_MB, GREATEST_MAXDEPTH, STAGING_QUEUE, disk_needed
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.names import CHANNEL_INITQ, is_system
from mqtriage.mq.transmission import NO_BASE

GREATEST_MAXFSIZE_MB: Final = bounds_of("QLOCAL", "MAXFSIZE")[1]

_DEFAULT_LOCAL: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"
_STREAMED: Final = frozenset((
    _DEFAULT_LOCAL, "SYSTEM.ADMIN.ACCOUNTING.QUEUE", "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.CHANNEL.EVENT", "SYSTEM.ADMIN.COMMAND.EVENT", "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.LOGGER.EVENT", "SYSTEM.ADMIN.PERFM.EVENT", "SYSTEM.ADMIN.PUBSUB.EVENT",
    "SYSTEM.ADMIN.QMGR.EVENT", "SYSTEM.ADMIN.STATISTICS.QUEUE", "SYSTEM.DEFAULT.MODEL.QUEUE",
    "SYSTEM.JMS.TEMPQ.MODEL",
))  # fmt: skip
"""IBM MQ 9.4 "Streaming queue restrictions": the SYSTEM queues that may have STREAMQ."""
_DEPTH_EVENTS: Final = {"QDPHIEV": ("ENABLED",), "QDPLOEV": ("ENABLED",), "QSVCIEV": ("HIGH", "OK")}
"""Events of queues that are off by default; QDPMAXEV is on."""
_LONGEST_INTERVAL_MS: Final = 999_999_999
"""QSVCINT as it is supplied: no limit that anybody chose."""
_PERSISTENT_LEVEL: Final = 3
"""CFLEVEL from which a structure holds persistent messages."""


@rule(Severity.WARNING)
def que001_queue_file_too_small(estate: Estate) -> Violations:
    if estate.platform == "zos":
        return
    load = estate.load
    for queue in estate.of_kind("QLOCAL"):
        if is_system(queue.name) and queue.name != STAGING_QUEUE:
            continue  # nobody sizes the queue manager's own
        depth, length = queue.number("MAXDEPTH"), queue.number("MAXMSGL")
        if depth is None or length is None:
            continue
        if queue.name == STAGING_QUEUE and depth == GREATEST_MAXDEPTH:
            continue  # as it comes with the queue manager: no limit, so no size that was chosen
        limit = queue.number("MAXFSIZE")
        if load.largest_message_bytes is not None:
            length = min(length, load.largest_message_bytes)
        needed = disk_needed(depth, length, maxfsize_mb=limit or DEFAULT_MAXFSIZE_MB)
        if not needed.problem:
            continue
        megabytes = -(-needed.value // 2**20)
        fix = (setting(queue, MAXFSIZE=megabytes),) if megabytes <= GREATEST_MAXFSIZE_MB else ()
        is_known = limit is not None or load.largest_message_bytes is not None
        message = f"MAXDEPTH({depth}) of {length} bytes: {needed.text}, {needed.problem}"
        yield violation(
            queue, "MAXDEPTH", message, *fix, severity=None if is_known else Severity.INFO
        )


@rule(Severity.ERROR)
def que002_defined_twice(estate: Estate) -> Violations:
    for refused in estate.refused:
        if refused.why == DEFINED_ALREADY:
            where = estate.spot(refused.first)
            message = f"{refused.name} is already defined, {where}: this is rejected"
            yield Violation(refused.kind, refused.name, refused.place, message)


@rule(Severity.WARNING)
def que003_alias_leads_nowhere(estate: Estate) -> Violations:
    for queue in estate.of_kind("QALIAS"):
        target, is_topic = queue.text("TARGET"), queue.text("TARGTYPE") == "TOPIC"
        if target is None or is_system(queue.name):
            continue
        known = estate.topics if is_topic else estate.queues
        if not target:
            yield violation(queue, "TARGET", "TARGET is blank", severity=Severity.ERROR)
        elif target not in known and target in estate.deleted:
            message = f"TARGET({target}) is deleted in {estate.spot(estate.deleted[target])}"
            yield violation(queue, "TARGET", message, severity=Severity.ERROR)
        elif estate.absence("TOPIC" if is_topic else "QLOCAL", target):
            what = "topic" if is_topic else "queue"
            message = f"TARGET({target}) is not defined here; it may be a cluster {what}"
            message += meant(estate, "TOPIC" if is_topic else "QLOCAL", target, queue.name)
            yield violation(queue, "TARGET", message)
        elif target in known and (kind := known[target].kind) in NO_BASE:
            message = f"TARGET({target}) is a {kind}: an open of the alias fails with 2001"
            yield violation(queue, "TARGET", message, severity=Severity.ERROR)


@rule(Severity.WARNING)
def que004_stream_queue_smaller(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        name = queue.text("STREAMQ")
        copy = estate.local(name) if name else None
        if copy is None or queue.text("STRMQOS") != "MUSTDUP":
            continue
        for keyword in ("MAXDEPTH", "MAXMSGL"):
            mine, other = queue.number(keyword), copy.number(keyword)
            if mine is not None and other is not None and other < mine:
                message = (
                    f"{keyword}({other}) is below {keyword}({mine}) of {queue.name}, whose puts"
                    " fail when the copy does not fit"
                )
                yield violation(copy, keyword, message, setting(copy, **{keyword: mine}))


@rule(Severity.WARNING)
def que005_longer_than_queue_manager(estate: Estate) -> Violations:
    limit = estate.setting("MAXMSGL")
    if limit is None and estate.whole:
        limit = DEFAULT_MAXMSGL
    if not isinstance(limit, int):
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        length = queue.number("MAXMSGL")
        if length is not None and length > limit and not is_system(queue.name):
            message = f"MAXMSGL({length}) is above MAXMSGL({limit}) of the queue manager"
            yield violation(queue, "MAXMSGL", message, Alter("QMGR", "", {"MAXMSGL": length}))


@rule(Severity.WARNING)
def que006_depth_marks_crossed(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        high, low = queue.number("QDEPTHHI"), queue.number("QDEPTHLO")
        if high is not None and low is not None and high < low:
            message = f"QDEPTHHI({high}) is below QDEPTHLO({low})"
            fix = setting(queue, QDEPTHHI=low, QDEPTHLO=high)
            yield violation(queue, "QDEPTHHI", message, fix)


@rule(Severity.WARNING)
def que007_trigger_without_initiation_queue(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("TRIGGER") == "YES" and queue.text("INITQ") == "":
            message = "TRIGGER with a blank INITQ: no trigger message is ever created"
            # the channel initiator reads a queue of its own, and starts the channel
            is_sent = queue.text("USAGE") == "XMITQ"
            initiation = CHANNEL_INITQ if is_sent else "SYSTEM.DEFAULT.INITIATION.QUEUE"
            fix = setting(queue, INITQ=initiation)
            yield violation(queue, "TRIGGER", message, fix)


@rule(Severity.INFO)
def que008_shared_open_of_unshared(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if is_system(queue.name):
            continue
        if queue.text("SHARE") == "NO" and queue.text("DEFSOPT") == "SHARED":
            message = "NOSHARE with DEFSOPT(SHARED): only one program can open it for input anyway"
            yield violation(queue, "SHARE", message, setting(queue, DEFSOPT="EXCL"))


@rule(Severity.ERROR)
def que009_not_a_transmission_queue(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    uses = [(remote, "XMITQ", "a put fails with 2092") for remote in estate.of_kind("QREMOTE")]
    uses += [(channel, "XMITQ", "the channel cannot start") for channel in senders(estate)]
    if manager is not None:
        uses.append((manager, "DEFXMITQ", "a put that needs it fails with 2199"))
    for thing, keyword, effect in uses:
        queue = estate.queues.get(thing.text(keyword) or "")
        if queue is not None and queue.text("USAGE") == "NORMAL":
            message = f"{keyword}({queue.name}) is USAGE(NORMAL): {effect}"
            fix = () if _is_used(estate, queue) else (setting(queue, USAGE="XMITQ"),)
            yield violation(thing, keyword, message, *fix)


def _is_used(estate: Estate, queue: Definition) -> bool:
    """Whether something needs the queue as an ordinary one."""
    own = any(queue.text(word) for word in ("BOQNAME", "STREAMQ", "CLUSTER", "CLUSNL"))
    users = [*estate.queues.values(), *estate.objects("SUB").values()]
    words = ("BOQNAME", "STREAMQ", "INITQ", "TARGET", "DEST")
    named = {user.text(word) for user in users for word in words}
    return own or queue.name in named or queue.name == estate.setting("DEADQ")


@rule(Severity.ERROR)
def que010_command_on_what_is_gone(estate: Estate) -> Violations:
    for refused in estate.refused:
        where = estate.spot(refused.first)
        if refused.why == DEFINED_LATER:
            is_known = refused.first.file == refused.place.file  # scripts may run in another order
            yield Violation(
                refused.kind,
                refused.name,
                refused.place,
                f"{refused.name}: {refused.why}, {where}: this is rejected unless the queue manager"
                " has the object",
                severity=Severity.WARNING if is_known else Severity.INFO,
            )
        elif refused.why != DEFINED_ALREADY:
            message = f"{refused.name}: {refused.why}, {where}; this is rejected"
            yield Violation(refused.kind, refused.name, refused.place, message)


@rule(Severity.ERROR)
def que011_stream_queue_chained(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.text("STREAMQ")
        if not name:
            continue
        copy, named = estate.local(name), estate.queues.get(name)
        message = ""
        if name == queue.name or (copy is not None and copy.name == queue.name):
            message = f"STREAMQ({name}) is the queue itself"
        elif copy is not None and copy.text("STREAMQ"):
            message = f"STREAMQ({name}) streams to another queue, {copy.text('STREAMQ')}"
        elif named is not None and named.kind == "QMODEL":
            message = f"STREAMQ({name}) is a model queue"
        elif queue.text("USAGE") == "XMITQ":
            message = f"STREAMQ({name}) on a transmission queue"
        elif _is_reserved(queue.name) and queue.name not in _STREAMED:
            message = f"STREAMQ({name}) on a SYSTEM queue that IBM does not allow to have one"
        elif _is_reserved(name) and name != _DEFAULT_LOCAL:
            message = f"STREAMQ({name}) is a SYSTEM queue: IBM does not allow it"
        if message:
            yield violation(queue, "STREAMQ", message, setting(queue, STREAMQ=""))
    for subscription in estate.objects("SUB").values():
        name, manager = subscription.text("DEST") or "", subscription.text("DESTQMGR")
        own = estate.queues.get(name)
        is_elsewhere = manager and manager != estate.queue_manager
        if own is None or is_elsewhere or subscription.text("DESTCLAS") == "MANAGED":
            continue
        if own.text("STREAMQ"):
            copied = own.text("STREAMQ")
            message = f"DEST({name}) has STREAMQ({copied}): IBM does not support it"
            yield violation(subscription, "DEST", message)


def _is_reserved(name: str) -> bool:
    return name.startswith("SYSTEM.")


@rule(Severity.ERROR)
def que012_shared_without_structure(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("QSGDISP") == "SHARED" and queue.text("CFSTRUCT") == "":
            message = "QSGDISP(SHARED) without CFSTRUCT: the DEFINE is rejected"
            yield violation(queue, "QSGDISP", message)
        elif queue.text("QSGDISP") == "SHARED" and queue.text("INDXTYPE") == "MSGTOKEN":
            message = "QSGDISP(SHARED) with INDXTYPE(MSGTOKEN): the DEFINE is refused"
            yield violation(queue, "INDXTYPE", message)


@rule(Severity.ERROR)
def que014_structure_not_recoverable(estate: Estate) -> Violations:
    structures = estate.objects("CFSTRUCT")
    for structure in structures.values():
        level = structure.number("CFLEVEL")
        if level is not None and level < _PERSISTENT_LEVEL and structure.text("RECOVER") == "YES":
            message = f"RECOVER(YES) needs CFLEVEL({_PERSISTENT_LEVEL}) or higher"
            yield violation(structure, "RECOVER", message)
    for queue in estate.of_kind("QLOCAL"):
        own = structures.get(queue.text("CFSTRUCT") or "")
        is_lasting = queue.text("DEFPSIST") == "YES" and queue.text("QSGDISP") == "SHARED"
        if is_lasting and own and (own.text("RECOVER") or "NO") == "NO":
            message = (
                f"DEFPSIST(YES), but CFSTRUCT({own.name}) has RECOVER(NO): a put fails with 2048"
            )
            yield violation(queue, "DEFPSIST", message)


@rule(Severity.ERROR)
def que013_topic_string_twice(estate: Estate) -> Violations:
    first: dict[str, str] = {}
    for topic in estate.topics.values():
        string = topic.text("TOPICSTR")
        if not string or not topic.gives("TOPICSTR"):
            continue
        other = first.setdefault(string, topic.name)
        if other != topic.name:
            message = f"TOPICSTR('{string}') belongs to topic {other}: the DEFINE is rejected"
            yield violation(topic, "TOPICSTR", message)


@rule(Severity.ERROR)
def que015_usage_contradicted(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        conflict = usage_conflict(queue.attributes)
        if conflict is not None:
            message = f"{conflict.text}: the command is rejected with {conflict.reason}"
            yield violation(queue, conflict.keyword, message)


@rule(Severity.WARNING)
def que016_event_never_written(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    if manager is None or manager.text("PERFMEV") != "DISABLED":
        return
    for queue in estate.of_kind("QLOCAL"):
        for keyword, words in _DEPTH_EVENTS.items():
            word = queue.text(keyword)
            if word in words and not is_system(queue.name):
                message = f"{keyword}({word}) with PERFMEV(DISABLED): no event is written"
                yield violation(queue, keyword, message, Alter("QMGR", "", {"PERFMEV": "ENABLED"}))
                break


@rule(Severity.WARNING)
def que020_wildcard_in_topic(estate: Estate) -> Violations:
    for topic in estate.topics.values():
        string = topic.text("TOPICSTR") or ""
        if topic.gives("TOPICSTR") and _is_pattern(string):
            message = f"TOPICSTR('{string}') has a wildcard: it is a topic of its own, not a set"
            yield violation(topic, "TOPICSTR", message)


@rule(Severity.WARNING)
def que021_wildcard_of_another_scheme(estate: Estate) -> Violations:
    for subscription in estate.objects("SUB").values():
        string, scheme = subscription.text("TOPICSTR") or "", subscription.text("WSCHEMA")
        if marker_in(string):
            continue
        other = ""
        if scheme == "CHAR" and _is_pattern(string):
            other = "# and + are not wildcards"
        elif scheme == "TOPIC" and "*" in string:
            other = "* is not a wildcard"
        if other:
            message = f"TOPICSTR('{string}') with WSCHEMA({scheme}): {other} in that scheme"
            yield violation(subscription, "TOPICSTR", message)


def _is_pattern(string: str) -> bool:
    """Whether a level of the topic string is a wildcard of the scheme TOPIC."""
    return not {"#", "+"}.isdisjoint(string.split("/"))


@rule(Severity.WARNING)
def que018_holds_no_message(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if queue.number("MAXDEPTH") == 0 and not is_system(queue.name):
            yield violation(queue, "MAXDEPTH", "MAXDEPTH(0): every put fails with 2053")


@rule(Severity.WARNING)
def que019_service_interval_never_ends(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        event, interval = queue.text("QSVCIEV"), queue.number("QSVCINT")
        if event in ("HIGH", "OK") and interval == _LONGEST_INTERVAL_MS:
            message = f"QSVCIEV({event}) with QSVCINT({interval}), 11 days: no event is created"
            yield violation(queue, "QSVCINT" if queue.gives("QSVCINT") else "QSVCIEV", message)


@rule(Severity.WARNING)
def que017_own_name_misspelt(estate: Estate) -> Violations:
    platform = estate.platform or "dist"
    own = {name for kind in QUEUE_KINDS for name in system_objects(kind, platform)}
    for queue in estate.queues.values():
        is_new = bool(queue.sources) and not comes_with(queue.kind, queue.name, estate.platform)
        if not is_new or not queue.name.startswith("SYSTEM."):
            continue
        near = near_name(queue.name, own)
        if near and near not in estate.queues:
            message = f"no queue manager uses a queue {queue.name}; did you mean {near}?"
            yield violation(queue, "", message)
