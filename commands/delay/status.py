"""`mqtriage delay status`: how full and how late the staging queue is, without browsing it."""

from __future__ import annotations

from dataclasses import replace

from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.commands.queue.queues import percent_full, time_text
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import ObjectNotFound, mqi_error
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StagingStatus:
    """How full and how late the staging queue is; what the queue manager cannot tell is None."""

    queue: str = column("QUEUE", Show.NAME)
    curdepth: int = column("CURDEPTH", Show.NUMBER)
    maxdepth: AttributeValue | None = column("MAXDEPTH", Show.NUMBER)
    percent_full: float | None = column("%FULL", Show.NUMBER)
    maxmsgl_bytes: AttributeValue | None = column("MAXMSGL", Show.BYTES, yields=6)
    largest_bytes: int | None = column("LARGEST", Show.BYTES, yields=5, default=None)
    oldest_put_time: str | None = column("OLDEST_PUT", Show.TIME, yields=2)
    next_due_time: str | None = column("NEXT_DUE", Show.TIME, default=None)
    overdue: int | None = column("OVERDUE", Show.NUMBER, default=None)
    due_1m: int | None = column("DUE_1M", Show.NUMBER, default=None)
    due_1h: int | None = column("DUE_1H", Show.NUMBER, yields=1, default=None)
    put: AttributeValue | None = column("PUT", yields=3)
    get: AttributeValue | None = column("GET", yields=4)
    processor: str | None = column("PROCESSOR", default=None)
    processor_owner: str | None = column("PROCESSOR_OWNER", wide=True)


def status(backend: Backend) -> Listing:
    """One record on the staging queue.

    Due times are null where the queue manager cannot tell them: the time field of a real queue
    manager's delay header is not documented.
    """
    queue = staging_queue(backend, "delay status")
    items = [keys_of(_status(backend, queue))]
    return Listing("StagingStatusList", columns_of(StagingStatus), items, id_key="queue")


def staging_queue(backend: Backend, doing: str) -> ObjectDefinition:
    """Its definition."""
    try:
        return backend.queue(STAGING_QUEUE)
    except ObjectNotFound as error:
        hint = "mqtriage delay define"
        raise mqi_error(error.reason, doing, hint=hint, object_name=STAGING_QUEUE) from error


def _status(backend: Backend, queue: ObjectDefinition) -> StagingStatus:
    attributes = queue.attributes
    numbers = backend.status(STAGING_QUEUE)
    status = StagingStatus(
        queue=queue.name,
        curdepth=numbers.curdepth,
        maxdepth=attributes.get("MAXDEPTH"),
        percent_full=percent_full(numbers.curdepth, attributes.get("MAXDEPTH")),
        maxmsgl_bytes=attributes.get("MAXMSGL"),
        oldest_put_time=time_text(numbers.oldest_put_time_us),
        put=attributes.get("PUT"),
        get=attributes.get("GET"),
        # on z/OS it is part of MSTR (DD-81); on distributed the process is not documented
        processor_owner="MSTR address space" if backend.platform == "zos" else None,
    )
    insight = backend.insight
    if insight is None:
        return status
    load = insight.staging_load()
    problem = insight.processor_problem()
    return replace(
        status,
        largest_bytes=load.largest_bytes,
        next_due_time=time_text(load.next_due_us),
        overdue=load.overdue,
        due_1m=load.due_minute,
        due_1h=load.due_hour,
        processor=f"stopped: {problem}" if problem else "running",
    )
