"""Remote queues: the route to a transmission queue, and what a message on one looks like.

A route that leaves the queue manager ends with two definitions: the QREMOTE (one made up for the
purpose where a program named ObjectQMgrName), and the local transmission queue.

Sources: IBM MQ documentation, "Name resolution", "MQXQH - Transmission-queue header" (fields in
the separate and in the embedded descriptor), reasons 2087, 2091, 2092, 2184, 2196 to 2199.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from mqtriage.emulator.core.queues import TRANSMISSION, Queue, queue_from_row, resolve
from mqtriage.emulator.core.tables import messages
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING, NO_ID
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import TENTH_US, put_reason
from mqtriage.mq.headers import mde, xqh
from mqtriage.mq.headers.formats import EMBEDDED_EXPIRY_OFFSET
from mqtriage.mq.times import put_date_and_time
from mqtriage.mq.transmission import Unresolved, remote_problem, transmission_queue

if TYPE_CHECKING:
    from typing import Literal

    from mqtriage.emulator.core.manager import Manager

TRANSMISSION_FORMAT: Final = cmqc.MQFMT_XMIT_Q_HEADER.rstrip()

_EXPIRY: Final = slice(EMBEDDED_EXPIRY_OFFSET, EMBEDDED_EXPIRY_OFFSET + 4)
_LENGTH_WITH_EXPIRY: Final = _EXPIRY.stop
_HEADER_IDS: Final = (b"XQH ", "XQH ".encode("cp037"))


# -- the route there ------------------------------------------------------------------------------


def is_remote(path: tuple[Queue, ...]) -> bool:
    """Whether the route leaves this queue manager."""
    return len(path) > 1 and path[-2].kind == "QREMOTE"


def path_to(manager: Manager, name: str, doing: str) -> tuple[Queue, ...]:
    """The definitions from *name* to the queue that holds messages.

    From a local definition of a remote queue the route goes on to its transmission queue.

    Raises:
        ObjectNotFound: 2085, 2082; 2087 where RQMNAME is blank or this queue manager, or nothing
            leads there.
        MQIError: 2001; 2184 (RNAME blank), 2196, 2091, 2092, 2197 to 2199.
    """
    path = resolve(manager.queues, name, doing)
    remote = path[-1]
    if remote.kind != "QREMOTE":
        return path
    problem = remote_problem(remote.name, remote.attributes, manager.identity.name)
    if problem is not None:
        raise problem.error(doing)
    queue_manager = str(remote.attributes["RQMNAME"])
    named = str(remote.attributes.get("XMITQ", ""))
    return (*path, _transmission_queue(manager, queue_manager, named, doing))


def path_on(manager: Manager, name: str, queue_manager: str, doing: str) -> tuple[Queue, ...]:
    """The definitions from ObjectName and ObjectQMgrName to the queue that holds messages.

    Raises:
        ObjectNotFound: 2087 where nothing leads to that queue manager; 2085 and its kin.
        MQIError: 2184 (no ObjectName), 2091, 2092, 2196 to 2199.
    """
    if queue_manager in ("", manager.identity.name):
        return path_to(manager, name, doing)
    if not name:
        raise mqi_error(cmqc.MQRC_REMOTE_Q_NAME_ERROR, doing, object_name=queue_manager)
    named = ""
    alias = manager.queues.get(queue_manager)
    if alias is not None and alias.kind == "QREMOTE" and not alias.attributes.get("RNAME"):
        # A queue manager alias; it may lead back here.
        queue_manager = str(alias.attributes.get("RQMNAME", ""))
        if queue_manager == manager.identity.name:
            return path_to(manager, name, doing)
        if not queue_manager:
            raise mqi_error(cmqc.MQRC_UNKNOWN_REMOTE_Q_MGR, doing, object_name=alias.name)
        named = str(alias.attributes.get("XMITQ", ""))
    last = _transmission_queue(manager, queue_manager, named, doing)
    return (_made_up(last, name, queue_manager), last)


def path_for_put(manager: Manager, name: str, queue_manager: str, doing: str) -> tuple[Queue, ...]:
    """The route of a put that opens nothing: MQPUT1, a delayed send, what the queue manager puts.

    Raises:
        ObjectNotFound, MQIError: see `path_on`; 2057 where it ends at a model queue: the dynamic
            queue that an open makes would be gone at once, and the message with it.
    """
    path = path_on(manager, name, queue_manager, doing)
    if path[-1].kind == "QMODEL":
        raise mqi_error(cmqc.MQRC_Q_TYPE_ERROR, doing, detail="a model queue", object_name=name)
    return path


def renewed(manager: Manager, path: tuple[Queue, ...], doing: str) -> tuple[Queue, ...]:
    """The same route by the definitions as they are now.

    Raises:
        MQIError: 2052 where the queue at its end was deleted; what resolving the name says.
    """
    first = path[0]
    if path[-1].id not in manager.by_id:
        raise mqi_error(cmqc.MQRC_Q_DELETED, doing, object_name=path[-1].name)
    if first.id == 0:
        names = first.attributes
        return path_on(manager, str(names["RNAME"]), str(names["RQMNAME"]), doing)
    return path_to(manager, first.name, doing)


def _made_up(transmission: Queue, name: str, queue_manager: str) -> Queue:
    """The definition that stands for ObjectName and ObjectQMgrName; id 0, in no file."""
    attributes = {
        "RNAME": name,
        "RQMNAME": queue_manager,
        "DEFPRTY": transmission.default_priority,
        "DEFPSIST": "YES" if transmission.default_persistence else "NO",
    }
    return queue_from_row((0, name, "QREMOTE", json.dumps(attributes)))


def _transmission_queue(manager: Manager, queue_manager: str, named: str, doing: str) -> Queue:
    """The queue that leads there, as it is now."""

    def kind_of(name: str) -> str:
        queue = manager.queues.get(name)
        if queue is None:
            return ""
        return "XMITQ" if queue.special & TRANSMISSION else queue.kind

    default = str(manager.attributes.get("DEFXMITQ", ""))
    name = transmission_queue(queue_manager, named, default, kind_of)
    if isinstance(name, Unresolved):
        raise name.error(doing)
    return manager.queues[name]


# -- the message on it ----------------------------------------------------------------------------


def wrapped(
    manager: Manager, remote: Queue, md: MQMD, body: bytes, msg_id: bytes, now_us: int
) -> tuple[MQMD, bytes]:
    """What the queue manager puts on the transmission queue: MQXQH in front, two descriptors.

    Args:
        remote: the definition that says where the message goes.
        md: the application's, as it would have been stored on a local queue.
        msg_id: the new identifier of the message on the transmission queue.

    Both lifetimes are the application's (EX-52). The separate descriptor asks for no COA or COD,
    so that the transmission queue makes none.
    """
    ccsid = manager.ccsid
    inner, front = md._replace(version=1), b""
    if extension := mde.extension_of(md):
        front = mde.encode(extension)
        inner = inner._replace(
            format=cmqc.MQFMT_MD_EXTENSION.rstrip(), encoding=NATIVE_ENCODING, ccsid=ccsid
        )
    names = remote.attributes
    header = xqh.XQH(str(names["RNAME"]), str(names["RQMNAME"]), inner)
    date, time = put_date_and_time(now_us)
    outer = md._replace(
        report=md.report & ~cmqc.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
        encoding=NATIVE_ENCODING,
        ccsid=ccsid,
        format=TRANSMISSION_FORMAT,
        msg_id=msg_id,
        correl_id=md.msg_id,
        put_appl_type=cmqc.MQAT_QMGR,
        put_appl_name=manager.identity.name[:28],
        put_date=date,
        put_time=time,
        appl_origin_data="",
        group_id=NO_ID,
        msg_seq_number=1,
        offset=0,
        msg_flags=0,
        original_length=cmqc.MQOL_UNDEFINED,
    )
    return outer, xqh.encode(header) + front + body


def direct_put_reason(
    md: MQMD, body: bytes, check: str, *, enforce_maximum: bool
) -> tuple[int, str]:
    """Why a program may not put this to a transmission queue: reason and text, or 0 and "".

    Args:
        md: as the program gave it, before any CAPEXPRY.
        check: the switch `xmitq_expiry_check`: "none" (EX-55, EX-56), "valid" (EX-57) or
            "consistent" (EX-59).

    Only a message of Format MQXMIT is looked at (EX-54).
    """
    if check == "none" or md.format.rstrip() != TRANSMISSION_FORMAT:
        return 0, ""
    if len(body) < _LENGTH_WITH_EXPIRY:
        detail = f"{len(body)} bytes do not reach to the Expiry of the embedded descriptor"
        return cmqc.MQRC_EXPIRY_ERROR, detail
    inner = int.from_bytes(body[_EXPIRY], _order(md), signed=True)
    if reason := put_reason(inner, enforce_maximum=enforce_maximum):
        return reason, f"Expiry of the embedded descriptor is {inner}"
    if check == "consistent" and inner != md.expiry_tenths:
        detail = f"Expiry is {md.expiry_tenths}, that of the embedded descriptor {inner}"
        return cmqc.MQRC_EXPIRY_ERROR, detail
    return 0, ""


def decremented(manager: Manager, position: int, md: MQMD, body: bytes, now_us: int) -> bytes:
    """The body of a retrieved MQXMIT message, its embedded lifetime less the time it waited.

    It stops at 0, an unlimited one stays, a body too short for it comes back as it is (EX-60 to
    EX-63). So does one that does not begin with an MQXQH: what stands there is no lifetime.
    """
    if len(body) < _LENGTH_WITH_EXPIRY or body[:4] not in _HEADER_IDS:
        return body
    order = _order(md)
    inner = int.from_bytes(body[_EXPIRY], order, signed=True)
    if inner <= 0:
        return body
    waited_us = now_us - messages.put_us(manager.store, position)
    remaining = max(0, inner - (waited_us) // TENTH_US)
    return body[: _EXPIRY.start] + remaining.to_bytes(4, order, signed=True) + body[_EXPIRY.stop :]


def _order(md: MQMD) -> Literal["little", "big"]:
    little = md.encoding & cmqc.MQENC_INTEGER_MASK == cmqc.MQENC_INTEGER_REVERSED
    return "little" if little else "big"
