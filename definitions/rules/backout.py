"""Backout queues: BOTHRESH, BOQNAME, and the queue that poison messages go to."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate, Location
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.near_names import near_name
from mqtriage.definitions.rules.backout_queues import (
    GOOD_THRESHOLD,
    RFH2_ROOM_BYTES,
    active,
    backed_out,
    backout_queues,
    defined,
    greatest_users,
    loops,
    proposal,
    used_as_backout_queue,
    with_backout_queue,
)
from mqtriage.definitions.rules.caps import cap_of, without_cap
from mqtriage.definitions.rules.delayed import application_locals
from mqtriage.definitions.rules.finding import (
    Change,
    CommandFix,
    Respelling,
    Severity,
    Violation,
    Violations,
    setting,
    violation,
)
from mqtriage.definitions.rules.network import transmits
from mqtriage.definitions.rules.rule import rule
from mqtriage.model.units import duration_text, first_of
from mqtriage.mq.attributes.catalogue import quoted
from mqtriage.mq.backout import too_high
from mqtriage.mq.mqsc.check import MISPRINTS
from mqtriage.mq.names import DEAD_LETTER_QUEUE, is_system
from mqtriage.mq.security.authority_records import RecordIndex

NEARLY_FULL_PERCENT: Final = 80
MUCH_SMALLER: Final = 10
ENDINGS: Final = (".BO", ".BOQ", ".BACKOUT", ".DLQ", ".DEAD", ".REPLY")
"""Names of queues that hardly have transacted readers of their own."""
_NOT_HERE: Final = "is not defined in these files"


@rule(Severity.ERROR)
def bko001_backout_queue_blank(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        threshold = queue.number("BOTHRESH")
        if threshold and queue.text("BOQNAME") == "":
            message = (
                f"BOTHRESH({threshold}) but BOQNAME is blank: a poison message goes to the"
                " dead-letter queue or is discarded"
            )
            yield violation(queue, "BOTHRESH", message, *proposal(estate, queue))


@rule(Severity.WARNING)
def bko002_threshold_zero(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.text("BOQNAME")
        if name and queue.number("BOTHRESH") == 0:
            message = f"BOQNAME({name}) but BOTHRESH(0): poison handling is off"
            off = queue.source_of("BOTHRESH")
            keyword = "BOTHRESH" if off and off.command.verb == "ALTER" else "BOQNAME"
            yield violation(queue, keyword, message, setting(queue, BOTHRESH=GOOD_THRESHOLD))


def _problem(estate: Estate, name: str) -> tuple[str, Severity | None]:
    """What is wrong with a backout queue's name; "" for nothing, or nothing that is known."""
    target = estate.queues.get(name)
    if target is None:
        return _missing(estate, name)
    if target.kind == "QMODEL":
        return "is a model queue: each open creates a new dynamic queue", None
    if target.kind == "QREMOTE":
        return "is a remote queue: the message leaves the queue manager", Severity.WARNING
    if target.kind != "QALIAS" or estate.local(name) is not None:
        return "", None
    if target.text("TARGTYPE") == "TOPIC":
        return "is an alias of a topic", None
    base = target.text("TARGET")
    if not base:
        return ("", None) if base is None else ("is an alias without a target", None)
    if base in estate.queues:
        kind = estate.queues[base].kind
        return f"is an alias of {base}, which is a {kind}", Severity.WARNING
    message, severity = _missing(estate, base)
    return (f"is an alias of {base}, which {message}", severity) if message else ("", None)


def _missing(estate: Estate, name: str) -> tuple[str, Severity | None]:
    why = estate.absence("QLOCAL", name)
    if why or estate.whole or is_system(name) or estate.may_have("QLOCAL", name):
        return why, None
    return _NOT_HERE, Severity.WARNING


def _is_elsewhere(queue: Definition) -> bool:
    """Whether the scripts only alter a queue, and something else defines it."""
    return bool(queue.sources) and queue.sources[0].command.verb != "DEFINE"


@rule(Severity.ERROR)
def bko003_backout_queue_missing(estate: Estate) -> Violations:
    for queue, name in backed_out(estate):
        message, severity = _problem(estate, name)
        if message:
            fix: tuple[Change, ...] = ()
            near = ""
            if name not in estate.queues:
                near = near_name(name, estate.queues, queue.name)
                fix = (setting(queue, BOQNAME=near) if near else defined(estate, queue, name),)
            if message.endswith(_NOT_HERE) and not near and _is_elsewhere(queue):
                continue  # where the queue itself is
            hint = f"; did you mean {near}?" if near else ""
            text = f"BOQNAME({name}) {message}{hint}"
            yield violation(queue, "BOQNAME", text, *fix, severity=severity)


@rule(Severity.ERROR)
def bko004_backout_queue_put_disabled(estate: Estate) -> Violations:
    seen: set[str] = set()
    for queue, name in active(estate):
        for thing in (estate.queues.get(name), estate.local(name)):
            if thing is None or thing.text("PUT") != "DISABLED" or thing.name in seen:
                continue
            seen.add(thing.name)
            message = f"PUT(DISABLED), and BOQNAME of {queue.name} resolves to it"
            yield violation(thing, "PUT", message, setting(thing, PUT="ENABLED"))


@rule(Severity.ERROR)
def bko005_backout_queue_too_short(estate: Estate) -> Violations:
    for length, queue, target in greatest_users(estate, "MAXMSGL"):
        room = target.number("MAXMSGL")
        needed = max(length, min(length + RFH2_ROOM_BYTES, estate.greatest_length))
        if room is None or room >= needed:
            continue
        severity = None
        message = f"MAXMSGL({room}) is below MAXMSGL({length}) of {queue.name}"
        if room >= length:
            severity = Severity.INFO
            message = (
                f"MAXMSGL({room}) leaves no room for an added MQRFH2 above"
                f" MAXMSGL({length}) of {queue.name} ({RFH2_ROOM_BYTES} bytes assumed)"
            )
        fix = setting(target, MAXMSGL=needed)
        yield violation(target, "MAXMSGL", message, fix, severity=severity)


@rule(Severity.WARNING)
def bko006_backout_queue_too_small(estate: Estate) -> Violations:
    for depth, queue, target in greatest_users(estate, "MAXDEPTH"):
        room = target.number("MAXDEPTH")
        if room is None:
            continue
        status = estate.status.get(target.name)
        if status is not None and status.curdepth * 100 >= room * NEARLY_FULL_PERCENT:
            yield violation(target, "", f"CURDEPTH {status.curdepth} of MAXDEPTH({room})")
        elif room * MUCH_SMALLER < depth:
            message = f"MAXDEPTH({room}) is less than a tenth of {queue.name}'s MAXDEPTH({depth})"
            yield violation(target, "MAXDEPTH", message, setting(target, MAXDEPTH=depth))


@rule(Severity.ERROR)
def bko007_backout_loop(estate: Estate) -> Violations:
    for ring in loops(estate):
        first = ring[0]
        names = " -> ".join([*first_of([queue.name for queue in ring], 5), first.name])
        fix = proposal(estate, first) if len(ring) == 1 else ()
        yield violation(first, "BOQNAME", f"BOQNAME leads in a loop: {names}", *fix)


@rule(Severity.WARNING)
def bko008_backout_queue_is_dead_letter_queue(estate: Estate) -> Violations:
    dead = str(estate.setting("DEADQ") or "") or DEAD_LETTER_QUEUE
    for queue, name in active(estate):
        target = estate.local(name)
        if dead in (name, target.name if target else name):
            message = f"BOQNAME({name}) is the dead-letter queue: poison messages have no MQDLH"
            yield violation(queue, "BOQNAME", message, *proposal(estate, queue))


@rule(Severity.INFO)
def bko009_backout_queue_shared(estate: Estate) -> Violations:
    users: dict[str, list[Definition]] = {}
    for queue, name in active(estate):
        target = estate.local(name)
        users.setdefault(target.name if target else name, []).append(queue)
    for name, queues in users.items():
        if len(queues) > 1:
            some = ", ".join(queue.name for queue in queues[:3])
            more = f" and {len(queues) - 3} more" if len(queues) > 3 else ""
            message = f"BOQNAME({name}) is used by {len(queues)} queues: {some}{more}"
            yield violation(queues[1], "BOQNAME", message)


@rule(Severity.INFO)
def bko010_model_queue_without_backout(estate: Estate) -> Violations:
    seen: set[str] = set()
    for topic in estate.topics.values():
        for keyword in ("MDURMDL", "MNDURMDL"):
            model = estate.queues.get(topic.text(keyword) or "")
            if model is None or model.kind != "QMODEL" or model.name in seen:
                continue
            if is_system(topic.name) and is_system(model.name):
                continue  # as they come with a queue manager
            threshold, name = model.number("BOTHRESH"), model.text("BOQNAME")
            if threshold is None or name is None or (threshold and name):
                continue
            seen.add(model.name)
            effect = (
                "poison publications go to the dead-letter queue"
                if threshold
                else ("its subscribers have no poison handling")
            )
            message = (
                f"{keyword} of topic {topic.name} makes queues with BOTHRESH({threshold})"
                f" BOQNAME({name}): {effect}"
            )
            yield violation(model, "", message, *proposal(estate, model))


def _grant(name: str, entity: str, words: list[str]) -> CommandFix:
    keyword, _, who = entity.rstrip(")").partition("(")
    return CommandFix(
        f"SET AUTHREC PROFILE({quoted(name)}) OBJTYPE(QUEUE) {keyword}({quoted(who)}) +\n"
        f"       AUTHADD({','.join(words)})"
    )


@rule(Severity.ERROR)
def bko011_reader_lacks_authority(estate: Estate) -> Violations:
    if estate.authorities is None or not estate.load.readers:
        return
    index = RecordIndex(estate.authorities)
    for reader in estate.load.readers:
        for queue in estate.of_kind("QLOCAL"):
            if not any_matches(reader.queues, queue.name):
                continue
            needs: list[tuple[str, tuple[str, ...]]] = [(queue.name, ("INQ",))]
            if queue.text("BOQNAME") and queue.number("BOTHRESH"):
                needs.append((queue.text("BOQNAME") or "", ("PUT", "PASSALL")))
            for name, words in needs:
                record = index.of(reader.entity, name)
                lacking = [
                    word for word in words if record is None or word not in record.authorities
                ]
                if lacking:
                    message = f"{reader.entity} reads it but lacks {', '.join(lacking)} on {name}"
                    yield violation(queue, "BOQNAME", message, _grant(name, reader.entity, lacking))


@rule(Severity.WARNING)
def bko012_threshold_too_high(estate: Estate) -> Violations:
    limit = estate.load.greatest_threshold
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        message = too_high(queue.number("BOTHRESH") or 0, limit)
        if message:
            yield violation(queue, "BOTHRESH", message, setting(queue, BOTHRESH=limit))


@rule(Severity.WARNING)
def bko013_second_hop(estate: Estate) -> Violations:
    ringed = {queue.name for ring in loops(estate) for queue in ring}
    for queue, target in backout_queues(estate):
        name = target.text("BOQNAME")
        if name and target.number("BOTHRESH") and target.name not in ringed:
            message = (
                f"BOQNAME({name}) on the backout queue of {queue.name}: messages can be moved a "
                f"second time"
            )
            yield violation(target, "BOQNAME", message, setting(target, BOTHRESH=0, BOQNAME=""))


@rule(Severity.INFO)
def bko014_no_poison_handling(estate: Estate) -> Violations:
    targets = used_as_backout_queue(estate) | {str(estate.setting("DEADQ") or "")}
    for queue in estate.of_kind("QLOCAL"):
        targets |= {queue.text("INITQ") or "", queue.text("STREAMQ") or ""}
    for queue in application_locals(estate):
        if queue.number("BOTHRESH") != 0 or queue.text("BOQNAME") != "":
            continue
        if queue.name in targets or queue.name.endswith(ENDINGS):
            continue
        if queue.text("DEFTYPE") in (None, "PREDEFINED"):
            message = "BOTHRESH(0) and BOQNAME blank: a poison message is redelivered endlessly"
            yield violation(queue, "", message, *proposal(estate, queue))


@rule(Severity.INFO)
def bko015_threshold_one(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if queue.number("BOTHRESH") == 1 and queue.text("BOQNAME"):
            message = "BOTHRESH(1): a message that fails once, even in a tool, is a poison message"
            yield violation(queue, "BOTHRESH", message, setting(queue, BOTHRESH=GOOD_THRESHOLD))


@rule(Severity.INFO)
def bko016_backout_count_not_hardened(estate: Estate) -> Violations:
    if estate.platform != "zos":
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        if (
            queue.number("BOTHRESH")
            and queue.text("HARDENBO") == "NO"
            and queue.text("QSGDISP") != "SHARED"
        ):
            message = "NOHARDENBO: the backout count is lost when the queue manager restarts"
            yield violation(queue, "HARDENBO", message, setting(queue, HARDENBO="YES"))


@rule(Severity.WARNING)
def bko017_backout_queue_expires(estate: Estate) -> Violations:
    for queue, target in backout_queues(estate):
        cap = cap_of(target)
        if cap is not None:
            lasts = duration_text(cap.tenths * 100)
            message = f"{cap.text}: poison messages from {queue.name} expire after {lasts}"
            yield violation(target, cap.keyword, message, without_cap(target, cap))


@rule(Severity.ERROR)
def bko018_backout_on_alias(estate: Estate) -> Violations:
    for noun, name, place, keyword in _given(estate, ("BOTHRESH", "BOQNAME"), "QALIAS", "QREMOTE"):
        message = f"{noun} has no {keyword}: set it on the local queue"
        yield Violation(noun, name, place, message)


def _given(
    estate: Estate, keywords: Container[str], *nouns: str
) -> Iterator[tuple[str, str, Location, str]]:
    """Where commands that make or change such objects give one: type, name, place and keyword."""
    for source in estate.commands:
        command = source.command
        if command.verb in ("DEFINE", "ALTER") and command.noun in nouns:
            name = command.named()
            for parameter in command.parameters:
                if parameter.keyword in keywords:
                    yield command.noun, name, source.place_of(parameter), parameter.keyword


@rule(Severity.ERROR)
def bko019_misspelt_keyword(estate: Estate) -> Violations:
    for noun, name, place, keyword in _given(estate, MISPRINTS, "QLOCAL", "QMODEL"):
        right = MISPRINTS[keyword]
        message = f"{keyword} is not an attribute; use {right}"
        respelling = Respelling(place, keyword, right)
        yield Violation(noun, name, place, message, respelling=respelling)


@rule(Severity.INFO)
def bko020_flow_without_transaction(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        threshold = queue.number("BOTHRESH")
        if threshold and any_matches(estate.load.flows_without_transaction, queue.name):
            message = (
                f"BOTHRESH({threshold}) has no effect, because its flow reads without a transaction"
            )
            yield violation(queue, "BOTHRESH", message)


@rule(Severity.INFO)
def bko021_running_consumers_keep_old_values(estate: Estate) -> Violations:
    for source in estate.commands:
        command = source.command
        if command.verb != "ALTER" or command.noun != "QLOCAL" or command.name is None:
            continue
        queue = estate.queues.get(command.name.text)
        if queue is None or not queue.sources or queue.sources[0].command.verb == "DEFINE":
            continue
        for keyword in ("BOTHRESH", "BOQNAME"):
            parameter = command.parameter(keyword)
            if parameter is not None:
                message = f"running consumers keep the old {keyword} until they are restarted"
                yield Violation(command.noun, queue.name, source.place_of(parameter), message)
                break


@rule(Severity.ERROR)
def bko022_backout_queue_is_transmission_queue(estate: Estate) -> Violations:
    for queue, target in backout_queues(estate):
        if target.text("USAGE") == "XMITQ":
            message = f"USAGE(XMITQ), and it is the backout queue of {queue.name}"
            fix: tuple[Change, ...] = (setting(target, USAGE="NORMAL"),)
            if transmits(estate, target):
                users = (user for user, its in with_backout_queue(estate) if its is target)
                fix = tuple(change for user in users for change in proposal(estate, user))
            yield violation(target, "USAGE", message, *fix)


@rule(Severity.WARNING)
def bko023_backout_queue_get_disabled(estate: Estate) -> Violations:
    for queue, target in backout_queues(estate):
        if target.text("GET") == "DISABLED":
            message = (
                f"GET(DISABLED): poison messages of {queue.name} can be neither read nor requeued"
            )
            yield violation(target, "GET", message, setting(target, GET="ENABLED"))


@rule(Severity.WARNING)
def bko024_backout_queue_loses_nonpersistent(estate: Estate) -> Violations:
    judged: set[str] = set()
    for queue, target in with_backout_queue(estate):
        classes = queue.text("NPMCLASS"), target.text("NPMCLASS")
        if classes == ("HIGH", "NORMAL") and target.name not in judged:
            judged.add(target.name)
            message = (
                f"NPMCLASS(NORMAL), and {queue.name} has NPMCLASS(HIGH): a restart discards"
                f" messages that would have survived on {queue.name}"
            )
            yield violation(target, "NPMCLASS", message, setting(target, NPMCLASS="HIGH"))
