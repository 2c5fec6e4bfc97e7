"""DISPLAY CLUSQMGR, SUSPEND and RESUME QMGR, REFRESH and RESET CLUSTER, without other members.

A command that needs another queue manager is refused or "not emulated"; none reports success.
The numbers of the messages that accept these commands are not known, so they have none.
Source: IBM MQ documentation, the pages of these commands and of REFRESH CLUSTER in "Configuring".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.emulator.admin import clusters
from mqtriage.emulator.admin.display import Display, NotEmulated, read_display, word_of
from mqtriage.emulator.admin.mqsc_display import answer, displayed
from mqtriage.emulator.core.connections import Connection
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.errors import UsageError, mqi_error
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine, failed
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import is_like

_FIRST: Final = ("CLUSQMGR", "CHANNEL", "CLUSTER")
_LIMITS: Final = ("CHANNEL", "CLUSTER")
"""What limits the records where it has a value."""


def queue_managers(connection: Connection, command: Command) -> Reply:
    """DISPLAY CLUSQMGR: this queue manager in each of its clusters, and those not known yet.

    Without attributes a specific name, and any name with ALL, has every attribute in the order of
    the alphabet; else CHANNEL and CLUSTER stand first.
    """
    name = command.named("*")
    display = read_display(command, ("CLUSQMGR",), steering=(*_LIMITS, "CMDSCOPE"))
    connection.look("display CLUSQMGR")
    return answer(name, _records(connection, command, name, display))


def _records(
    connection: Connection, command: Command, name: str, display: Display
) -> Iterator[ReplyLine]:
    limits = {key: value for key in _LIMITS if (value := command.value(key))}
    for row in clusters.queue_managers(connection.manager):
        is_meant = is_like(name, str(row["CLUSQMGR"])) and all(
            is_like(limit, str(row[key])) for key, limit in limits.items()
        )
        if is_meant and display.keeps("CLUSQMGR", row):
            first = _FIRST[:1] if display.attributes is None else _FIRST
            yield displayed(8441, "CLUSQMGR", {key: row[key] for key in first}, row, display)


def suspend(connection: Connection, command: Command) -> Reply:
    """SUSPEND QMGR and RESUME QMGR of one cluster, or of those in a namelist.

    Raises:
        MQIError: 2085: there is no such namelist, or the queue manager is not in such a cluster.
        UsageError: Neither CLUSTER nor CLUSNL, or both.
    """
    what = f"{command.verb} QMGR"
    for keyword in ("FACILITY", "LOG"):
        if command.has(keyword):
            raise NotEmulated(f"{what} {keyword}")
    cluster, namelist = command.value("CLUSTER") or "", command.value("CLUSNL") or ""
    if bool(cluster) == bool(namelist):
        raise UsageError(f"{what} takes exactly one of CLUSTER and CLUSNL")
    connection.look(what.lower())
    manager = connection.manager
    names = clusters.named_clusters(manager, cluster, namelist)
    own = clusters.own_clusters(manager)
    unknown = next((one for one in names if one not in own), "" if names else namelist)
    if unknown:
        doing = f"{what.lower()}: it has no cluster-receiver channel in {unknown}"
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=unknown)
    word_of(command, "MODE", ("QUIESCE", "FORCE"))  # no cluster channel runs that could be stopped
    clusters.suspend(connection, names, suspended=command.verb == "SUSPEND")
    return _accepted(what)


def refresh(connection: Connection, command: Command) -> Reply:
    """REFRESH CLUSTER: own objects stay, and nothing else is known that could be forgotten.

    A queue manager that has left a cluster may name it (IBM MQ documentation, "Restoring a queue
    manager to its pre-cluster state"). REPOS(YES) is not for a full repository: AMQ9406.
    """
    name = command.named()
    connection.look("refresh CLUSTER")
    manager = connection.manager
    own = [one for one in clusters.own_clusters(manager) if is_like(name, one)]
    if word_of(command, "REPOS", ("NO", "YES")) == "YES" and any(
        clusters.is_full_repository(manager, one) for one in (own or [name])
    ):
        return failed(9406, cmqcfc.MQRCCF_COMMAND_FAILED)
    return _accepted("REFRESH CLUSTER")


def reset(connection: Connection, command: Command) -> Reply:
    """RESET CLUSTER: only a full repository may remove a queue manager, and only one that it knows.

    Raises:
        MQIError: 2085: no queue manager of that QMNAME or QMID is known in the cluster.
        NotEmulated: It is this queue manager itself.
    """
    cluster = command.named()
    connection.look("reset CLUSTER")
    manager = connection.manager
    if not clusters.is_full_repository(manager, cluster):
        text = f"RESET CLUSTER({cluster}) is for a full repository of it, which this one is not."
        why = text if manager.is_zos else ""  # whose messages do not have it
        return Reply(
            CommandEnding.FAILED, (ReplyLine("", text),), cmqcfc.MQRCCF_COMMAND_FAILED, why
        )
    keyword = "QMID" if command.has("QMID") else "QMNAME"
    meant = command.value(keyword) or ""
    if meant in (manager.identity.name, manager.all_attributes()["QMID"]):
        raise NotEmulated(f"RESET CLUSTER of the queue manager itself, {meant}")
    doing = f"reset CLUSTER({cluster}): other queue managers are not known here"
    raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=meant)


def _accepted(what: str) -> Reply:
    return Reply(CommandEnding.DONE, (ReplyLine("", f"{what} accepted."),))
