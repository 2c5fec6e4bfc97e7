"""Performance events: a queue gets full or nearly so, or is served too slowly.

They are written where PERFMEV is ENABLED and the queue asks for them. An event disables itself and
enables those that may follow, so QDPHIEV, QDPLOEV, QDPMAXEV and QSVCIEV change by themselves, and
no change of depth is reported twice. CURDEPTH counts: a get in a unit of work at its commit.
Each begins the statistics of its queue anew, which are those of RESET QSTATS.

Sources: IBM MQ documentation, "Enabling queue depth events", "Queue depth events: example 1",
"Enabling queue service interval events", "Queue Full", "Queue Depth High", "Queue Depth Low",
"Queue Service Interval High".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.event import put_event
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import counters, definitions, depth_changes, queues
from mqtriage.emulator.core.tables.depth_changes import DepthChange
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.times import SECOND_US

QUEUE: Final = "SYSTEM.ADMIN.PERFM.EVENT"
STATISTICS: Final = "QSTATS"
"""Kind of the numbers of a queue at the last reset, in the table `definition`."""
_TIMER: Final = "QSVCTIMER"
"""Kind of the moments since which queues wait to be served."""
_ON, _OFF = "ENABLED", "DISABLED"
_TURNS: Final[Mapping[int, Mapping[str, str]]] = {
    cmqc.MQRC_Q_DEPTH_HIGH: {"QDPHIEV": _OFF, "QDPLOEV": _ON, "QDPMAXEV": _ON},
    cmqc.MQRC_Q_DEPTH_LOW: {"QDPLOEV": _OFF, "QDPHIEV": _ON, "QDPMAXEV": _ON},
    cmqc.MQRC_Q_FULL: {"QDPMAXEV": _OFF, "QDPLOEV": _ON},
    cmqc.MQRC_Q_SERVICE_INTERVAL_HIGH: {"QSVCIEV": "OK"},
    cmqc.MQRC_Q_SERVICE_INTERVAL_OK: {"QSVCIEV": "HIGH"},
}
"""What an event does to the attributes of its queue."""


def observe(manager: Manager) -> None:
    """Write the events of what a transaction did, before it is committed, and of refused puts."""
    now = manager.now_us()
    refused, manager.refused = manager.refused, []
    for name in refused:
        queue = manager.queues.get(name)
        if queue is not None and queue.attributes.get("QDPMAXEV") == _ON:
            _report(manager, queue, cmqc.MQRC_Q_FULL, now)
    for change in depth_changes.take(manager.store):
        queue = manager.by_id.get(change.queue)
        if queue is None or queue.name == QUEUE:
            continue
        depth_event = _of_depth(queue, change, is_get=_is_get(manager, change))
        if depth_event:
            _report(manager, queue, depth_event, now)
            queue = manager.by_id[change.queue]
        if queue.attributes.get("QSVCIEV", "NONE") != "NONE":
            _serve(manager, queue, change, now)


def _is_get(manager: Manager, change: DepthChange) -> bool:
    """Whether the messages were got, rather than expired, cleared or backed out.

    What was due at one moment is got at one time, by one transaction after the other.
    """
    is_later = change.got_us != change.got_before_us
    return change.after < change.before and (is_later or change.queue in manager.store.got_from)


def _of_depth(queue: Queue, change: DepthChange, *, is_get: bool) -> int:
    """The depth event that a change brings about, 0 for none."""
    given = queue.attributes
    if change.after > change.before:
        high = limit(queue, "QDEPTHHI")
        if given.get("QDPHIEV") == _ON and change.after >= high:
            return cmqc.MQRC_Q_DEPTH_HIGH
    elif is_get and given.get("QDPLOEV") == _ON and change.after <= limit(queue, "QDEPTHLO"):
        return cmqc.MQRC_Q_DEPTH_LOW
    return 0


def limit(queue: Queue, keyword: str) -> float:
    """QDEPTHHI or QDEPTHLO in messages: it is given in percent of MAXDEPTH."""
    return queue.max_depth * int(queue.attributes.get(keyword, 0)) / 100


# -- service intervals ----------------------------------------------------------------------------


def _serve(manager: Manager, queue: Queue, change: DepthChange, now_us: int) -> None:
    """Look at the service timer of a queue: it runs from a get, or the first put, to the next get.

    A get or put after the interval is a High event, a get within it an OK event.
    """
    store, key = manager.store, str(queue.id)
    is_get = change.after < change.before
    text = definitions.read(store, _TIMER, key)
    if text is not None:
        late = now_us - int(text) > int(queue.attributes.get("QSVCINT", 0)) * 1000
        waits_for = queue.attributes["QSVCIEV"]
        if late and waits_for == "HIGH":
            _report(manager, queue, cmqc.MQRC_Q_SERVICE_INTERVAL_HIGH, now_us)
        elif is_get and not late and waits_for == "OK":
            _report(manager, queue, cmqc.MQRC_Q_SERVICE_INTERVAL_OK, now_us)
    if not change.after:
        definitions.delete(store, _TIMER, key)
    elif is_get or not change.before:
        definitions.write(store, _TIMER, key, str(now_us))


# -- the message ----------------------------------------------------------------------------------


def _report(manager: Manager, queue: Queue, reason: int, now_us: int) -> None:
    """Put the event message and turn the attributes of the queue."""
    parameters = _parameters(manager, queue, now_us)
    is_ok = reason == cmqc.MQRC_Q_SERVICE_INTERVAL_OK
    put_event(
        manager, QUEUE, cmqcfc.MQCMD_PERFM_EVENT, reason, parameters, now_us,
        comp_code=cmqc.MQCC_OK if is_ok else cmqc.MQCC_WARNING,
    )  # fmt: skip
    queues.write(manager.store, queue.id, {**queue.attributes, **_TURNS[reason]})
    manager.refresh()


def _parameters(manager: Manager, queue: Queue, now_us: int) -> Iterator[pcf.PcfParameter]:
    since = reset_statistics(manager, queue, now_us)
    yield pcf.string(cmqc.MQCA_Q_MGR_NAME, manager.identity.name, width=48)
    yield pcf.string(cmqc.MQCA_BASE_OBJECT_NAME, queue.name, width=48)
    yield pcf.integer_of(cmqc.MQIA_TIME_SINCE_RESET, since["RESETINT"])
    yield pcf.integer_of(cmqc.MQIA_HIGH_Q_DEPTH, since["HIQDEPTH"])
    yield pcf.integer_of(cmqc.MQIA_MSG_ENQ_COUNT, since["MSGSIN"])
    yield pcf.integer_of(cmqc.MQIA_MSG_DEQ_COUNT, since["MSGSOUT"])


def reset_statistics(manager: Manager, queue: Queue, now_us: int) -> dict[str, int]:
    """The numbers of a queue since the last reset, which begin anew; inside a transaction.

    What a unit of work put and backed out counts as having come and gone.

    Returns:
        By their names in RESET QSTATS: ``RESETINT`` in seconds, ``HIQDEPTH``, ``MSGSIN`` and
        ``MSGSOUT``.
    """
    store, key = manager.store, str(queue.id)
    text = definitions.read(store, STATISTICS, key)
    before = json.loads(text) if text else {"at_us": manager.identity.created_us}
    counter = counters.read(store, queue.id)
    depth, arrivals = counter.depth, counter.arrivals
    counters.reset_high(store, queue.id)
    after = {"at_us": now_us, "arrivals": arrivals, "depth": depth}
    definitions.write(store, STATISTICS, key, json.dumps(after))
    came = arrivals - before.get("arrivals", 0)
    return {
        "RESETINT": max(0, now_us - before["at_us"]) // SECOND_US,
        "HIQDEPTH": counter.high,
        "MSGSIN": came,
        "MSGSOUT": max(0, came - (depth - before.get("depth", 0))),
    }
