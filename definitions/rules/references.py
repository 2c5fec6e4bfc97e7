"""Names that lead to no object, or to one that cannot do what it is named for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mqtriage.definitions.estate import DefiningCommand, Definition, Estate, Location
from mqtriage.definitions.estate_script import command_key
from mqtriage.definitions.rules.finding import (
    Severity,
    Violation,
    Violations,
    dangling,
    meant,
    violation,
    wrong_kind,
)
from mqtriage.definitions.rules.network import in_cluster, neighbour, others, receivers, routes
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.system_objects import comes_with, system_objects
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.names import OWN_PREFIXES, is_system
from mqtriage.mq.security.authority_records import AuthorityRecord, profile_pattern

_WILD: Final = "*?%"
_STORAGE_CLASSES: Final = ("DEFAULT", "NODEFINE", "REMOTE", "SYSTEM", "SYSLNGLV", "SYSVOLAT")
"""As CSQ4INYS, CSQ4INSX and CSQ4INYD of IBM define them."""
_STARTED: Final = ("CHANNEL", "LISTENER", "SERVICE")
_GREATEST: Final = "\U0010ffff"


@rule(Severity.ERROR)
def ref001_transmission_queue_missing(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    default = queue_manager.text("DEFXMITQ") if queue_manager is not None else None
    if queue_manager is not None:
        effect = "a put that needs it fails with 2197"
        yield from dangling(estate, queue_manager, "DEFXMITQ", "QLOCAL", effect)
    is_member = in_cluster(estate)
    for remote in estate.of_kind("QREMOTE"):
        name, target = remote.text("XMITQ"), remote.text("RQMNAME")
        if is_system(remote.name):
            continue
        if name:
            yield from dangling(estate, remote, "XMITQ", "QLOCAL", "a put fails with 2196")
        elif name == "" and target and not default and not is_member:
            if target in estate.queues or not _is_elsewhere(estate, target):
                continue
            message = (
                f"XMITQ is blank, and there is neither a transmission queue {target} nor a"
                " DEFXMITQ: a put fails with 2087"
            )
            yield violation(remote, "RQMNAME", message, severity=Severity.WARNING)


def _is_elsewhere(estate: Estate, name: str) -> bool:
    """Whether *name* is surely another queue manager that is in no list of routes here."""
    is_told = bool(estate.queue_manager) and estate.platform != "zos"
    return is_told and estate.whole and estate.queue_manager.upper() != name.upper()


@rule(Severity.WARNING)
def ref002_initiation_queue_missing(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        if queue.text("TRIGGER") == "YES":
            effect = "no trigger message is created"
            wrong = ("QALIAS", "QMODEL", "QREMOTE")
            yield from dangling(estate, queue, "INITQ", "QLOCAL", effect, *wrong)


@rule(Severity.WARNING)
def ref003_process_missing(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        severity = None if queue.text("TRIGGER") == "YES" else Severity.INFO
        effect = "nothing is started"
        yield from dangling(estate, queue, "PROCESS", "PROCESS", effect, severity=severity)


@rule(Severity.WARNING)
def ref004_stream_queue_missing(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        must = queue.text("STRMQOS") == "MUSTDUP"
        effect = "every put to the queue fails" if must else "no message is copied"
        severity = Severity.ERROR if must else None
        yield from dangling(estate, queue, "STREAMQ", "QLOCAL", effect, severity=severity)


@rule(Severity.ERROR)
def ref005_subscription_without_queue(estate: Estate) -> Violations:
    is_member = in_cluster(estate)
    for subscription in estate.objects("SUB").values():
        name, manager = subscription.text("DEST"), subscription.text("DESTQMGR")
        if not name or subscription.text("DESTCLAS") == "MANAGED":
            continue
        if manager and manager != estate.queue_manager:
            continue
        queue = estate.queues.get(name)
        if queue is not None and queue.text("PUT") == "DISABLED":
            message = f"DEST({name}) is PUT(DISABLED): publications cannot be put on it"
            yield violation(subscription, "DEST", message, severity=Severity.WARNING)
        why = "" if is_member else estate.absence("QLOCAL", name)
        why = why or wrong_kind(estate, name, "QMODEL")
        if why:
            message = f"DEST({name}) {why}: publications cannot be put on a queue"
            message += meant(estate, "QLOCAL", name) if name not in estate.queues else ""
            yield violation(subscription, "DEST", message)


@rule(Severity.ERROR)
def ref006_topic_object_missing(estate: Estate) -> Violations:
    if in_cluster(estate):
        return  # a topic object of another member is known here too
    for subscription in estate.objects("SUB").values():
        name = subscription.text("TOPICOBJ")
        why = estate.absence("TOPIC", name) if name else ""
        if name and why:
            yield violation(
                subscription, "TOPICOBJ", f"TOPICOBJ({name}) {why}{meant(estate, 'TOPIC', name)}"
            )


@rule(Severity.WARNING)
def ref007_cluster_without_receiver(estate: Estate) -> Violations:
    if not estate.lists("CHANNEL"):
        return
    joined: set[str] = set()
    for channel in estate.channels.values():
        if channel.text("CHLTYPE") == "CLUSRCVR":
            clusters = _clusters(estate, channel)
            if not clusters:
                return  # a template, or a namelist that is not here
            joined.update(clusters)
    members: dict[str, list[Definition]] = {}
    for thing in _clustered(estate):
        for cluster in _clusters(estate, thing):
            if cluster not in joined:
                members.setdefault(cluster, []).append(thing)
    for cluster, things in members.items():
        more = f"; {len(things) - 1} more name it" if len(things) > 1 else ""
        keywords = ("REPOS", "REPOSNL") if things[0].kind == "QMGR" else ("CLUSTER", "CLUSNL")
        keyword = keywords[0] if things[0].text(keywords[0]) else keywords[1]
        message = (
            f"no CLUSRCVR channel of cluster {cluster}: other members do not know about it{more}"
        )
        yield violation(things[0], keyword, message)


def _clustered(estate: Estate) -> Iterator[Definition]:
    senders = (c for c in estate.channels.values() if c.text("CHLTYPE") == "CLUSSDR")
    for things in (estate.queues.values(), estate.topics.values(), senders):
        yield from (thing for thing in things if not is_system(thing.name))
    if estate.queue_manager_attributes is not None:
        yield estate.queue_manager_attributes


def _clusters(estate: Estate, thing: Definition) -> Sequence[str]:
    """The clusters that an object names, itself or by a namelist that is here."""
    is_manager = thing.kind == "QMGR"
    cluster = thing.text("REPOS" if is_manager else "CLUSTER")
    if cluster:
        return (cluster,)
    named = thing.text("REPOSNL" if is_manager else "CLUSNL")
    namelist = estate.objects("NAMELIST").get(named or "")
    names = namelist.text("NAMES") if namelist is not None else None
    return [name.strip() for name in names.split(",") if name.strip()] if names else ()


@rule(Severity.WARNING)
def ref008_namelist_missing(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    things = (*estate.queues.values(), *estate.channels.values(), *((manager,) if manager else ()))
    for thing in things:
        keyword = "REPOSNL" if thing.kind == "QMGR" else "CLUSNL"
        yield from dangling(estate, thing, keyword, "NAMELIST", "it names no cluster")
    if manager is not None:
        effect = "no revoked certificate is refused"
        yield from dangling(estate, manager, "SSLCRLNL", "NAMELIST", effect)


# authority ----------------------------------------------------------------------------------------


@rule(Severity.WARNING)
def ref009_authority_for_nothing(estate: Estate) -> Violations:
    names: dict[str, list[str]] = {}
    judged: set[tuple[str, str]] = set()
    is_member = in_cluster(estate)
    for record, place in (estate.authorities or {}).items():
        profile, kind = record.profile, record.object_type
        if (kind, profile) in judged or not record.authorities or not _is_judged(estate, record):
            continue
        judged.add((kind, profile))
        objects = estate.objects(_kind_of(kind))
        is_generic = any(sign in profile for sign in _WILD)
        if is_generic:
            if kind not in names:
                also = estate.also.get("queue" if kind == "QUEUE" else kind, ())
                names[kind] = sorted({*objects, *also})
            if _matches_any(profile, names[kind]):
                continue
        elif profile in objects or not estate.absence(_kind_of(kind), profile):
            continue
        thing = "queue" if kind == "QUEUE" else kind.lower()
        may_be = kind == "QUEUE" and (is_generic or is_member)
        apart = ", apart from possible dynamic and cluster queues" if may_be else ""
        message = f"{record.entity} has authority on {profile}, but no {thing} matches it{apart}"
        severity = Severity.INFO if may_be else None
        yield Violation("AUTHREC", profile, place, message, (), severity)


def _is_judged(estate: Estate, record: AuthorityRecord) -> bool:
    """Whether all objects that the record could be about are here."""
    profile, kind = record.profile, record.object_type
    if kind not in ("QUEUE", "TOPIC", "CHANNEL", "PROCESS", "NAMELIST", "LISTENER", "SERVICE"):
        return False
    if not profile or profile.startswith("@") or not estate.lists(_kind_of(kind)):
        return False
    if estate.lists_system_objects:
        return not profile.startswith("AMQ.")
    literal = _literal(profile)
    return not any(own.startswith(literal) or literal.startswith(own) for own in OWN_PREFIXES)


def _kind_of(object_type: str) -> str:
    return "QLOCAL" if object_type == "QUEUE" else object_type


def _literal(profile: str) -> str:
    """What stands before the first sign that matches several names."""
    return profile[: min((profile.find(sign) for sign in _WILD if sign in profile), default=48)]


def _matches_any(profile: str, names: Sequence[str]) -> bool:
    """Whether the generic profile matches one of the sorted *names*."""
    literal, pattern = _literal(profile), profile_pattern(profile.replace("%", "?"))
    if profile.endswith(".**"):
        literal = literal.removesuffix(".")  # A.** takes A as well
    first, last = bisect_left(names, literal), bisect_left(names, literal + _GREATEST)
    return any(pattern.fullmatch(name) for name in names[first:last])


# topics, and other queue managers -----------------------------------------------------------------


@rule(Severity.WARNING)
def ref010_model_queue_missing(estate: Estate) -> Violations:
    for topic in estate.topics.values():
        for keyword in ("MDURMDL", "MNDURMDL"):
            effect, wrong = (
                "managed subscriptions cannot be created",
                ("QLOCAL", "QALIAS", "QREMOTE"),
            )
            yield from dangling(estate, topic, keyword, "QMODEL", effect, *wrong)


@rule(Severity.ERROR)
def ref011_remote_queue_without_target(estate: Estate) -> Violations:
    for remote, name, target in _to_neighbours(estate):
        why = target.absence("QLOCAL", name) or wrong_kind(target, name, "QMODEL")
        if why:
            where = target.queue_manager
            message = f"RNAME({name}) {why} on {where}: messages go to its dead-letter queue"
            yield violation(remote, "RNAME", message)
    for remote in estate.of_kind("QREMOTE"):
        manager = remote.text("RQMNAME")
        is_own = bool(estate.queue_manager) and manager == estate.queue_manager
        if remote.text("RNAME") and (manager == "" or is_own):
            what = f"RQMNAME({manager}) is this queue manager" if is_own else "RQMNAME is blank"
            message = f"{what}: an open of the remote queue fails with 2087"
            yield violation(remote, "RQMNAME", message, severity=Severity.WARNING)


def _to_neighbours(estate: Estate) -> Iterator[tuple[Definition, str, Estate]]:
    """Remote queues, the queue each means, and the queue manager that surely has to have it."""
    everyone = (estate, *others(estate))
    targets: dict[str, Estate | None] = {}
    for remote in estate.of_kind("QREMOTE"):
        name, manager = remote.text("RNAME"), remote.text("RQMNAME") or ""
        if manager not in targets:
            is_alias = any(_is_alias(other, manager) for other in everyone)
            targets[manager] = None if is_alias else neighbour(estate, manager)
        target = targets[manager]
        if name and target is not None:
            yield remote, name, target


def _is_alias(estate: Estate, manager: str) -> bool:
    """Whether messages for *manager* may be sent on from here to another one."""
    queue = estate.queues.get(manager)
    return queue is not None and queue.kind == "QREMOTE" and not queue.text("RNAME")


@rule(Severity.ERROR)
def ref012_remote_queue_sent_elsewhere(estate: Estate) -> Violations:
    remote_ends = receivers(estate)
    for remote in estate.of_kind("QREMOTE"):
        manager = remote.text("RQMNAME") or ""
        queue = remote.text("XMITQ") or ""
        ends = remote_ends.get(queue, ())
        if not manager or len(ends) != 1 or neighbour(estate, manager) is None:
            continue
        channel, end = ends[0]
        if end is neighbour(estate, manager) or routes(end, manager):
            continue
        message = (
            f"XMITQ({queue}) is sent by {channel} to {end.queue_manager}, which has no route to"
            f" {manager}"
        )
        yield violation(remote, "XMITQ", message)


@rule(Severity.INFO)
def ref013_like_of_unknown(estate: Estate) -> Violations:
    others = (group for kind, group in estate.others.items() if kind != "CLNTCONN")
    groups = (estate.queues, estate.topics, estate.channels, *others)
    likes = [
        (thing, like.strip(" "))
        for group in groups
        for thing in group.values()
        if thing.sources and (like := thing.sources[0].command.value("LIKE") or "").strip(" ")
    ]
    early = _too_early(estate.commands) if likes else {}
    for thing, like in likes:
        place = thing.sources[0].place
        is_gone = like in estate.deleted
        if marker_in(like) or (is_gone and place not in early):
            continue
        model = _model(estate, thing.kind, like)
        if model is not None:
            yield from _unfit(thing, model, is_early=place in early)
            continue
        if comes_with(thing.kind, like, estate.platform) or estate.may_have(thing.kind, like):
            continue
        why = estate.absence(thing.kind, like)
        is_rejected = bool(why) and not (is_gone and not early[place])
        severity = Severity.ERROR if is_rejected else None
        effect = "the rules do not know the values it would copy"
        if is_rejected:
            effect = "the DEFINE is rejected"
        message = f"LIKE({like}) {why or 'is not defined in these files'}: {effect}"
        message += meant(estate, thing.kind, like, thing.name)
        yield violation(thing, "LIKE", message, severity=severity)


def _model(estate: Estate, kind: str, like: str) -> Definition | None:
    """What LIKE names: an object that is known, or one of another type that comes with MQ."""
    known = estate.objects(kind).get(like)
    if known is not None:
        return known
    for own in QUEUE_KINDS if kind in QUEUE_KINDS else (kind,):
        values = system_objects(own, estate.platform or "dist").get(like)
        if values is not None:
            return Definition(own, like, values)
    return None


def _too_early(commands: Sequence[DefiningCommand]) -> dict[Location, bool]:
    """Where a DEFINE is like what is not defined by then, and whether a DELETE comes before it."""
    there: dict[tuple[str, str], bool] = {}
    early = {}
    for source in commands:
        command = source.command
        if command.verb == "DEFINE":
            key = command_key(command)
            like = (command.value("LIKE") or "").strip(" ")
            is_there = there.get((key[0], like))
            if like and not is_there:
                early[source.place] = is_there is False
            there[key] = True
        elif command.verb == "DELETE":
            there[command_key(command)] = False
    return early


def _unfit(thing: Definition, model: Definition, *, is_early: bool) -> Violations:
    """That a model is of another type, or is not there yet when the DEFINE is run."""
    source, unless = thing.sources[0], "the DEFINE is rejected unless the queue manager has it"
    if not thing.may_be_like(model):
        message = f"LIKE({model.name}) is a {model.type}: the DEFINE is rejected"
        yield violation(thing, "LIKE", message, severity=Severity.ERROR)
    elif model.name == thing.name:
        message = f"LIKE({model.name}) is the object itself: {unless}"
        yield violation(thing, "LIKE", message, severity=Severity.WARNING)
    elif is_early and model.is_defined:
        first = model.sources[0].place
        if first.file == source.file:
            where, severity = f"later, in line {first.line}", Severity.WARNING
        else:  # somebody may run the scripts in another order
            where, severity = f"in a later script, in {first.file}:{first.line}", None
        message = f"LIKE({model.name}) is defined {where}: {unless}"
        yield violation(thing, "LIKE", message, severity=severity)


# what else a name may not lead to -----------------------------------------------------------------


@rule(Severity.ERROR)
def ref014_durable_not_allowed(estate: Estate) -> Violations:
    whys = (("DURSUB", "NO", 2436), ("SUB", "DISABLED", 2503))
    by_string = {topic.text("TOPICSTR"): topic for topic in estate.topics.values()}
    for subscription in estate.objects("SUB").values():
        name = subscription.text("TOPICOBJ")
        topic = estate.topics.get(name) if name else None
        root, rest = topic.text("TOPICSTR") if topic else "", subscription.text("TOPICSTR") or ""
        if root is None or (name and topic is None):
            continue
        string = f"{root}/{rest}" if root and rest else root or rest
        for keyword, value, reason in whys:
            nearest = _nearest(by_string, string, keyword)
            if nearest is not None and nearest.text(keyword) == value:
                message = (
                    f"topic {nearest.name} has {keyword}({value}): DEFINE SUB fails with {reason}"
                )
                yield violation(subscription, "TOPICOBJ" if name else "TOPICSTR", message)


def _nearest(
    by_string: Mapping[str | None, Definition], string: str, keyword: str
) -> Definition | None:
    """The topic at a topic string, or nearest above it, that says *keyword* itself."""
    while string:
        topic = by_string.get(string)
        if topic is not None and topic.text(keyword) != "ASPARENT":
            return topic
        string = string.rpartition("/")[0]
    return None


@rule(Severity.WARNING)
def ref015_member_missing(estate: Estate) -> Violations:
    for namelist in estate.objects("NAMELIST").values():
        members = [name.strip() for name in (namelist.text("NAMES") or "").split(",")]
        if is_system(namelist.name) or not any(name in estate.queues for name in members):
            continue  # of clusters, topics, or queues that are not here
        for name in members:
            why = estate.absence("QLOCAL", name)
            if why:
                message = f"NAMES({name}) {why}; other members are queues"
                message += meant(estate, "QLOCAL", name)
                yield violation(namelist, "NAMES", message)
    revoked = estate.objects("NAMELIST").get(str(estate.setting("SSLCRLNL") or ""))
    for name in ((revoked.text("NAMES") if revoked else "") or "").split(","):
        yield from _no_revocation(estate, revoked, name.strip())


def _no_revocation(estate: Estate, namelist: Definition | None, name: str) -> Violations:
    """That a member of the namelist in SSLCRLNL says nothing of revoked certificates."""
    info = estate.objects("AUTHINFO").get(name)
    kind = info.text("AUTHTYPE") if info is not None else None
    why = estate.absence("AUTHINFO", name)
    if kind not in (None, "CRLLDAP", "OCSP"):
        why = f"is of AUTHTYPE({kind})"
    if namelist is not None and why:
        message = f"NAMES({name}) {why}; SSLCRLNL needs AUTHTYPE(CRLLDAP) or AUTHTYPE(OCSP)"
        message += meant(estate, "AUTHINFO", name)
        yield violation(namelist, "NAMES", message)


@rule(Severity.ERROR)
def ref016_storage_missing(estate: Estate) -> Violations:
    if estate.platform != "zos":
        return
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name, structure = queue.text("STGCLASS"), queue.text("CFSTRUCT")
        if name and not is_system(queue.name) and name not in _STORAGE_CLASSES:
            effect = "the queue cannot be opened"
            yield from dangling(estate, queue, "STGCLASS", "STGCLASS", effect)
        if structure:
            yield from dangling(estate, queue, "CFSTRUCT", "CFSTRUCT", "the DEFINE is rejected")


@rule(Severity.WARNING)
def ref017_multicast_settings_missing(estate: Estate) -> Violations:
    for topic in estate.topics.values():
        effect = "the topic has no multicast address"
        yield from dangling(estate, topic, "COMMINFO", "COMMINFO", effect)


@rule(Severity.ERROR)
def ref018_command_on_what_is_not_there(estate: Estate) -> Violations:
    if not estate.whole:
        return
    groups = (estate.queues, estate.topics, estate.channels, *estate.others.values())
    for thing in (thing for group in groups for thing in group.values() if thing.sources):
        is_own = is_system(thing.name) or comes_with(thing.kind, thing.name, estate.platform)
        source = thing.sources[0]
        if source.command.verb == "ALTER" and not is_own and not marker_in(thing.name):
            message = f"{thing.name} is not defined: the ALTER is rejected"
            yield Violation(thing.kind, thing.name, source.place, message)
    defined = set()  # also what a script deletes again at its end
    for source in estate.commands:
        command = source.command
        kind, name = command.noun, command.name.text.strip(" ") if command.name else ""
        if command.verb == "DEFINE":
            defined.add((kind, name))
        is_named = command.verb == "START" and kind in _STARTED and "*" not in name
        is_there = marker_in(name) or (kind, name) in defined
        if is_named and not is_there and estate.absence(kind, name):
            message = f"{name} is not defined: the START is rejected"
            yield Violation(kind, name, source.place, message)


@rule(Severity.WARNING)
def ref019_page_set_missing(estate: Estate) -> Violations:
    """Where the scripts define page sets and buffer pools, which are mostly elsewhere."""
    defined: dict[str, set[int]] = {"PSID": set(), "BUFFPOOL": set()}
    page_sets = []
    for source in estate.commands:
        command = source.command
        number = command.named()
        if command.verb == "DEFINE" and command.noun in defined and number.isdecimal():
            defined[command.noun].add(int(number))
            page_sets += [source] if command.noun == "PSID" else []
    for storage_class in estate.objects("STGCLASS").values():
        page_set = storage_class.number("PSID")
        if page_set is not None and defined["PSID"] and page_set not in defined["PSID"]:
            yield violation(storage_class, "PSID", f"PSID({page_set}) is not defined")
    for source in page_sets:
        command, pool = source.command, source.command.value("BUFFPOOL") or ""
        known = defined["BUFFPOOL"]
        if command.name and pool.isdecimal() and known and int(pool) not in known:
            message = f"BUFFPOOL({pool}) is not defined"
            yield Violation("PSID", command.name.text, source.place, message)
