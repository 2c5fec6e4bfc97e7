"""Dynamic queues: made when a program opens a model queue, gone when it closes a temporary one.

Source: IBM MQ documentation, "Dynamic queues", "MQOD - DynamicQName", "MQCLOSE" (MQCO_DELETE,
MQCO_DELETE_PURGE), reasons 2011, 2045, 2052, 2055, 2100.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.create import insert_queues
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import handles, messages, queues
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import attributes_of, defaults
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.names import is_object_name

if TYPE_CHECKING:
    from mqtriage.emulator.core.manager import Manager

DEFAULT_NAME: Final = "AMQ.*"
_LONGEST_PREFIX: Final = 32


def expanded(manager: Manager, dynamic_name: str, doing: str) -> str:
    """DynamicQName with the asterisk at its end made into what is unique on this queue manager.

    Inside a transaction. The asterisk may stand at the end of the name, within the first 33
    characters.
    """
    prefix = dynamic_name.removesuffix("*")
    is_generic = prefix != dynamic_name
    if is_generic and len(prefix) <= _LONGEST_PREFIX and (not prefix or is_object_name(prefix)):
        return f"{prefix}{manager.identity.id_seed:08X}{manager.next_number():08X}"
    if not is_generic and is_object_name(dynamic_name):
        return dynamic_name
    raise mqi_error(
        cmqc.MQRC_DYNAMIC_Q_NAME_ERROR,
        doing,
        detail=f"DynamicQName {dynamic_name!r}",
        object_name=dynamic_name,
    )


def create(manager: Manager, model: Queue, dynamic_name: str, now_us: int, doing: str) -> Queue:
    """Make the queue that opening a model queue makes; inside a transaction."""
    name = expanded(manager, dynamic_name, doing)
    if name in manager.queues:
        raise mqi_error(cmqc.MQRC_OBJECT_ALREADY_EXISTS, doing, object_name=name)
    platform = manager.identity.platform
    own = {entry.keyword for entry in attributes_of("QLOCAL", platform) if not entry.read_only}
    attributes = defaults("QLOCAL", platform) | {
        keyword: value for keyword, value in model.attributes.items() if keyword in own
    }
    if attributes["DEFTYPE"] == "PREDEFINED":
        attributes["DEFTYPE"] = "TEMPDYN"
    insert_queues(manager.store, [("QLOCAL", name, attributes)], now_us)
    manager.refresh()
    return manager.queues[name]


def close(manager: Manager, queue: Queue, handle_id: int, options: int, doing: str) -> None:
    """Delete the queue of a handle that is being closed, where that is to be; in a transaction.

    Raises:
        MQIError: 2045 for a queue that is not dynamic, or a temporary one that another handle
            made; 2055 while there are messages and MQCO_DELETE is given, or work of an open unit
            with either option.
    """
    deleting = options & (cmqc.MQCO_DELETE | cmqc.MQCO_DELETE_PURGE)
    kind = queue.attributes.get("DEFTYPE", "PREDEFINED")
    if kind == "TEMPDYN" and queues.owner(manager.store, queue.id) == handle_id:
        remove(manager, queue)
        return
    if not deleting:
        return
    if kind != "PERMDYN":
        raise mqi_error(
            cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, doing, detail=f"{queue.name} is {kind}",
            object_name=queue.name,
        )  # fmt: skip
    in_unit = not options & cmqc.MQCO_DELETE
    if messages.is_any(manager.store, queue.span, in_unit=in_unit):
        raise mqi_error(cmqc.MQRC_Q_NOT_EMPTY, doing, object_name=queue.name)
    remove(manager, queue)


def remove(manager: Manager, queue: Queue, now_us: int | None = None) -> None:
    """Take a queue out with all that is on it; inside a transaction.

    Args:
        now_us: the moment, while what fell due before now still happens one after the other.
    """
    messages.clear(manager.store, queue.span)
    queues.delete(manager.store, queue.id)
    timetable.refresh_next_event(manager, now_us)


def leave_to_handle(manager: Manager, queue: Queue, now_us: int) -> None:
    """Let a queue whose purpose has gone end with the last handle to it; inside a transaction.

    It becomes a temporary one of that handle; where there is no handle it goes at once.
    """
    handle_id = handles.last_to(manager.store, queue.id)
    if handle_id is None:
        remove(manager, queue, now_us)
        return
    queues.write_owner(manager.store, queue.id, handle_id)
    queues.write(manager.store, queue.id, {**queue.attributes, "DEFTYPE": "TEMPDYN"})
    manager.refresh()


def remove_temporary(manager: Manager, connection_id: int | None = None) -> None:
    """Take out the temporary queues that a connection made, or all of them; in a transaction."""
    owned = queues.owned(manager.store, connection_id)
    manager.refresh()
    for queue_id in owned:
        queue = manager.by_id[queue_id]
        if queue.attributes.get("DEFTYPE") == "TEMPDYN":
            remove(manager, queue)
