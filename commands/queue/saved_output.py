"""`mqtriage queue ls --from`: queues out of saved runmqsc output, no queue manager needed."""

from __future__ import annotations

from collections.abc import Sequence

from mqtriage.commands.queue.queues import FIELDS, QueueRecord, keeps, queue_record
from mqtriage.model.result import Listing, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.attribute import QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import AttributeValue, attribute
from mqtriage.mq.errors import NotFound
from mqtriage.mq.mqsc.format import define_text
from mqtriage.mq.mqsc.output import DisplayedObject, MqscOutput, displayed_object, read_output
from mqtriage.mq.mqsc.where import Filter
from mqtriage.mq.names import check_generic_name, is_listed, matches


def ls(
    text: str,
    file: str,
    patterns: Sequence[str] = ("*",),
    *,
    system: bool = False,
    conditions: Sequence[Filter] = (),
) -> Listing:
    """List the queues that DISPLAY QUEUE and DISPLAY QSTATUS showed.

    One queue is one record, whatever number of answers are about it; a later answer counts.

    Args:
        text: of the file; anything may stand around the answers.
        file: its name, for messages.
        system: queues of the system as well, which ``*`` leaves out.
        conditions: on attributes, as `read_conditions` reads them; all of them hold.
    """
    for pattern in patterns:
        check_generic_name(pattern)
    output = read_output(text)
    queues = _queues(output)
    if not queues:
        raise NotFound(
            f"{file}: it contains no response to DISPLAY QUEUE or DISPLAY QSTATUS",
            hint="echo 'DISPLAY QUEUE(*) ALL' | runmqsc QM1 > FILE",
            object_name=file,
        )
    chosen = {
        name: queue
        for name, queue in queues.items()
        if any(matches(p, name) and is_listed(name, p, system=system) for p in patterns)
    }
    records = [
        record
        for name in sorted(chosen)
        if keeps(conditions, record := _record(chosen[name]), chosen[name].attributes)
    ]
    listing = Listing("QueueList", FIELDS, map(keys_of, records), id_key="queue")
    listing.summary.update(
        queues=len(records),
        message_count=sum(record.curdepth or 0 for record in records),
        file=file,
        source_queue_manager=output.queue_manager or None,
    )
    listing.mqsc = lambda record: _define(chosen[record["queue"]])
    if output.unread:
        listing.warnings.append(
            f"{file}: not runmqsc output: {count_text(len(output.unread), 'line')}"
        )
    return listing


def _queues(output: MqscOutput) -> dict[str, DisplayedObject]:
    """By name; the kind is "" where only DISPLAY QSTATUS told of a queue."""
    queues: dict[str, DisplayedObject] = {}
    for record in output.records:
        shown = displayed_object(record)
        name = record.get("QUEUE") or record.get("QSTATUS")
        if shown is not None and shown.kind in QUEUE_KINDS:
            before = queues.get(shown.name)
            held = before.attributes if before else {}
            queues[shown.name] = shown._replace(attributes=held | shown.attributes)
        elif name and record.get("TYPE") == "QUEUE":
            before = queues.get(name) or DisplayedObject("", name, {})
            more: dict[str, AttributeValue] = {
                key: int(value)
                for key in ("CURDEPTH", "IPPROCS", "OPPROCS")
                if (value := record.get(key)) and value.isascii() and value.isdecimal()
            }
            uncommitted = record.get("UNCOM")
            if uncommitted:
                more["UNCOM"] = uncommitted
            queues[name] = before._replace(attributes=before.attributes | more)
    return queues


def _record(queue: DisplayedObject) -> QueueRecord:
    """The record of `queue ls`; what the output does not tell is None."""
    changes = str(queue.attributes.get("UNCOM", ""))
    uncommitted = int(changes) if changes.isdecimal() else {"YES": 1, "NO": 0}.get(changes)
    kind = queue.kind or "QLOCAL"  # only local queues have a status
    record = queue_record(queue.name, kind, queue.attributes)
    record.uncommitted = uncommitted
    return record


def _define(queue: DisplayedObject) -> str:
    kind = queue.kind or "QLOCAL"
    settable = {
        key: value
        for key, value in queue.attributes.items()
        if (entry := attribute(kind, key)) is not None and not entry.read_only
    }
    return define_text(kind, queue.name, settable)
