"""What one queue manager knows of its clusters by itself: its channels, its queues, its suspension.

No repository is kept and no other queue manager is heard of: what would come from there is not
here. Source: IBM MQ documentation, "DISPLAY CLUSQMGR", "SUSPEND QMGR", "DISPLAY QUEUE", and
"DISPLAY CLUSQMGR shows CLUSQMGR names starting SYSTEM.TEMP." for a queue manager that has not
answered yet; a listing of DISPLAY CLUSQMGR of 9.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import definitions, state
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import AttributeValue, attributes_of

Values = Mapping[str, AttributeValue]

_KIND: Final = "CLUSTER"
"""Kind of what is kept of clusters that the queue manager is suspended from."""
_RECEIVER, _SENDER = "CLUSRCVR", "CLUSSDR"
_NOT_KNOWN: Final = {"dist": "SYSTEM.TEMPUUID.", "zos": "SYSTEM.TEMPQMGR."}
"""How the name of a queue manager begins to which a channel leads and that has not answered."""


def named_clusters(manager: Manager, cluster: str, namelist: str) -> tuple[str, ...]:
    """The clusters that CLUSTER or a namelist CLUSNL names, or REPOS or REPOSNL; none twice."""
    if cluster:
        return (cluster,)
    names = kept.objects(manager, "NAMELIST").get(namelist, {}).get("NAMES", "")
    return tuple(dict.fromkeys(name for name in str(names).split(",") if name))


def clusters_of(manager: Manager, values: Values) -> tuple[str, ...]:
    """The clusters that a queue or a channel of these attributes is in."""
    return named_clusters(manager, str(values.get("CLUSTER", "")), str(values.get("CLUSNL", "")))


def own_clusters(manager: Manager) -> frozenset[str]:
    """The clusters that the queue manager is in: those of its cluster-receiver channels."""
    every = kept.objects(manager, "CHANNEL").values()
    receivers = (values for values in every if values.get("CHLTYPE") == _RECEIVER)
    return frozenset(name for values in receivers for name in clusters_of(manager, values))


def is_full_repository(manager: Manager, cluster: str) -> bool:
    """Whether REPOS or REPOSNL makes the queue manager a full repository of a cluster."""
    own = manager.attributes
    return cluster in named_clusters(
        manager, str(own.get("REPOS", "")), str(own.get("REPOSNL", ""))
    )


# -- queue managers -------------------------------------------------------------------------------


def queue_managers(manager: Manager) -> Iterator[dict[str, AttributeValue]]:
    """A record for each cluster of each cluster channel, as DISPLAY CLUSQMGR has it, in order.

    A cluster-receiver channel is this queue manager's own record. A cluster-sender channel is the
    record of a queue manager that is not known yet. It is shown as a full repository, since such a
    channel should be defined to one. Cluster channels do not run here: STATUS is INACTIVE.
    """
    rows = [
        _queue_manager(manager, channel, values, cluster)
        for channel, values in kept.objects(manager, "CHANNEL").items()
        if values.get("CHLTYPE") in (_RECEIVER, _SENDER)
        for cluster in clusters_of(manager, values)
    ]
    yield from sorted(rows, key=lambda row: [str(row[k]) for k in ("CLUSQMGR", "CLUSTER")])


def _queue_manager(
    manager: Manager, channel: str, values: Values, cluster: str
) -> dict[str, AttributeValue]:
    is_own = values["CHLTYPE"] == _RECEIVER
    unknown = f"{_NOT_KNOWN[manager.identity.platform]}{values.get('CONNAME', '')}"
    is_repository = not is_own or is_full_repository(manager, cluster)
    row: dict[str, AttributeValue] = {
        "CLUSQMGR": (manager.identity.name if is_own else unknown)[: cmqc.MQ_Q_MGR_NAME_LENGTH],
        **dict.fromkeys(_channel_attributes(), ""),
        **{key: value for key, value in values.items() if key in _channel_attributes()},
        "CHANNEL": channel,
        "CLUSTER": cluster,
        "CLUSDATE": values["ALTDATE"],
        "CLUSTIME": values["ALTTIME"],
        "DEFTYPE": values["CHLTYPE"],
        "QMID": manager.all_attributes()["QMID"] if is_own else "",
        "QMTYPE": "REPOS" if is_repository else "NORMAL",
        "STATUS": "INACTIVE",
        "SUSPEND": "YES" if is_own and is_suspended(manager, cluster) else "NO",
        "VERSION": manager.all_attributes().get("VERSION", "") if is_own else "",
        "XMITQ": "" if is_own else _transmission_queue(manager, channel),
    }
    return {entry.keyword: row[entry.keyword] for entry in attributes_of("CLUSQMGR")}


def _channel_attributes() -> frozenset[str]:
    """What a record has of the definition of its channel."""
    of_channels = {entry.keyword for entry in attributes_of("CHANNEL")}
    return frozenset(e.keyword for e in attributes_of("CLUSQMGR") if e.keyword in of_channels)


def _transmission_queue(manager: Manager, channel: str) -> str:
    """The queue that a cluster-sender channel gets from (ALTER QMGR, DEFCLXQ)."""
    is_own = manager.attributes.get("DEFCLXQ") == "CHANNEL"
    return f"SYSTEM.CLUSTER.TRANSMIT.{channel if is_own else 'QUEUE'}"


# -- suspension -----------------------------------------------------------------------------------


def is_suspended(manager: Manager, cluster: str) -> bool:
    """Whether SUSPEND QMGR was the last that was said for a cluster."""
    kept_of = manager.derived("clusters", lambda m: definitions.values_of_kind(m.store, _KIND))
    return cluster in kept_of


def suspend(connection: Connection, clusters: Iterable[str], *, suspended: bool) -> None:
    """SUSPEND QMGR, or RESUME QMGR, of each of *clusters*; it holds until the other one."""
    doing = "suspend QMGR" if suspended else "resume QMGR"
    store = connection.manager.store
    with connection.changing(doing):
        for cluster in clusters:
            if suspended:
                definitions.write(store, _KIND, cluster, json.dumps({"SUSPEND": "YES"}))
            else:
                definitions.delete(store, _KIND, cluster)
        state.definitions_changed(store)


# -- queues ---------------------------------------------------------------------------------------

_OF_A_QUEUE: Final = (
    "ALTDATE", "ALTTIME", "CLWLPRTY", "CLWLRANK", "DEFBIND", "DEFPRTY", "DEFPSIST", "DEFPRESP",
    "DESCR", "PUT",
)  # fmt: skip


def cluster_queues(manager: Manager, queue: Queue) -> Iterator[dict[str, AttributeValue]]:
    """The record of a queue in each cluster that shares it: DISPLAY QUEUE TYPE(QCLUSTER)."""
    held = queue.attributes
    for cluster in clusters_of(manager, held):
        row: dict[str, AttributeValue] = {
            "CLUSDATE": held.get("ALTDATE", ""),
            "CLUSQMGR": manager.identity.name,
            "CLUSQT": queue.kind,
            "CLUSTER": cluster,
            "CLUSTIME": held.get("ALTTIME", ""),
            "QMID": manager.all_attributes()["QMID"],
            **{key: held[key] for key in _OF_A_QUEUE if key in held},
        }
        first: dict[str, AttributeValue] = {"QUEUE": queue.name, "TYPE": "QCLUSTER"}
        keywords = (entry.keyword for entry in attributes_of("QCLUSTER"))
        yield first | {key: row[key] for key in keywords if key in row}
