"""`mqtriage delay status`: how full and how late the staging queue is, without browsing it."""

from __future__ import annotations

from typing import Any, Final

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.commands.queue.queues import percent_full, time_text
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import ObjectNotFound, mqi_error

FIELDS: Final = (
    Field("queue", "QUEUE", Show.NAME),
    Field("curdepth", "CURDEPTH", Show.NUMBER),
    Field("maxdepth", "MAXDEPTH", Show.NUMBER),
    Field("percent_full", "%FULL", Show.NUMBER),
    Field("maxmsgl_bytes", "MAXMSGL", Show.BYTES, yields=6),
    Field("largest_bytes", "LARGEST", Show.BYTES, yields=5),
    Field("oldest_put_time", "OLDEST_PUT", Show.TIME, yields=2),
    Field("next_due_time", "NEXT_DUE", Show.TIME),
    Field("overdue", "OVERDUE", Show.NUMBER),
    Field("due_1m", "DUE_1M", Show.NUMBER),
    Field("due_1h", "DUE_1H", Show.NUMBER, yields=1),
    Field("put", "PUT", yields=3),
    Field("get", "GET", yields=4),
    Field("processor", "PROCESSOR"),
    Field("processor_owner", "PROCESSOR_OWNER", wide=True),
)


def status(backend: Backend) -> Listing:
    """One record on the staging queue.

    Due times are null where the queue manager cannot tell them: the time field of a real queue
    manager's delay header is not documented.

    Raises:
        ObjectNotFound: 2085: there is no staging queue.
    """
    queue = staging_queue(backend, "delay status")
    return Listing("StagingStatusList", FIELDS, [_record(backend, queue)], id_key="queue")


def staging_queue(backend: Backend, doing: str) -> ObjectDefinition:
    """Its definition.

    Raises:
        ObjectNotFound: 2085: there is none.
    """
    try:
        return backend.queue(STAGING_QUEUE)
    except ObjectNotFound as error:
        hint = "mqtriage delay define"
        raise mqi_error(error.reason, doing, hint=hint, object_name=STAGING_QUEUE) from error


def _record(backend: Backend, queue: ObjectDefinition) -> dict[str, Any]:
    attributes = queue.attributes
    numbers = backend.status(STAGING_QUEUE)
    # the headings of what is an attribute are its keyword
    record: dict[str, Any] = {field.key: attributes.get(field.heading) for field in FIELDS}
    record |= {
        "queue": queue.name,
        "curdepth": numbers.curdepth,
        "percent_full": percent_full(numbers.curdepth, attributes.get("MAXDEPTH")),
        "oldest_put_time": time_text(numbers.oldest_put_time_us),
        # on z/OS it is part of MSTR (DD-81); on distributed the process is not documented
        "processor_owner": "MSTR address space" if backend.platform == "zos" else None,
    }
    insight = backend.insight
    if insight is None:
        return record
    load = insight.staging_load()
    problem = insight.processor_problem()
    return record | {
        "largest_bytes": load.largest_bytes,
        "next_due_time": time_text(load.next_due_us),
        "overdue": load.overdue,
        "due_1m": load.due_minute,
        "due_1h": load.due_hour,
        "processor": f"stopped: {problem}" if problem else "running",
    }
