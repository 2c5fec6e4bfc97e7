"""What a message becomes before it is put: refused, or filled in as a queue manager does."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Any, Final

from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import TEMPORARY, TRANSMISSION, Queue
from mqtriage.emulator.core.switches import SEEN, put_fault
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD, NO_ID, NO_TOKEN
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.expiry import capped, lowest_cap, put_reason
from mqtriage.mq.reports import put_reason as report_reason
from mqtriage.mq.times import put_date_and_time

_UNIQUE: Final = Struct(">II")


def own(manager: Manager, now_us: int, **fields: Any) -> MQMD:
    """The descriptor of a message that the queue manager itself makes; inside a transaction."""
    date, time = put_date_and_time(now_us)
    usual: dict[str, Any] = {
        "ccsid": manager.ccsid,
        "put_appl_type": cmqc.MQAT_QMGR,
        "put_appl_name": manager.identity.name[:28],
        "put_date": date,
        "put_time": time,
    }
    if "msg_id" not in fields:
        usual["msg_id"] = new_id(manager)
    return MQMD(**usual | fields)


def checked(manager: Manager, path: tuple[Queue, ...], md: MQMD, length: int, doing: str) -> MQMD:
    """Refuse what MQ refuses, and resolve what the queue's definition decides.

    The order of the tests is a choice of ours: IBM documents none. Depth is tested when the
    message is stored.

    Returns:
        The descriptor with priority, persistence and lifetime fixed.

    Raises:
        MQIError: 2051, 2029, 2061, 2027, 2249, 2014, 2050, 2047, 2013, 2031, 2030, 2048, a fault's
            reason.
    """
    opened, queue = path[0], path[-1]
    reason, detail, hint = _refusal(manager, path, md, length)
    if reason:
        raise mqi_error(reason, doing, detail=detail, hint=hint, object_name=queue.name)
    caps = queue.capexpry if opened is queue else min_cap(path)
    priority = opened.default_priority if md.priority < 0 else md.priority
    persistence = md.persistence if md.persistence < 2 else opened.default_persistence
    expiry = md.expiry_tenths if caps < 0 else capped(md.expiry_tenths, (caps,))
    if (priority, persistence, expiry) == (md.priority, md.persistence, md.expiry_tenths):
        return md
    return md._replace(priority=priority, persistence=persistence, expiry_tenths=expiry)


def _refusal(
    manager: Manager, path: tuple[Queue, ...], md: MQMD, length: int
) -> tuple[int, str, str]:
    """Reason code, detail and hint of the refusal; reason 0 if the put is allowed."""
    opened, queue = path[0], path[-1]
    shut_between = False
    if len(path) > 1:
        shut_between = not path[1].put_enabled
        if path[-2].kind == "QREMOTE":
            length += cmqc.MQXQH_CURRENT_LENGTH
    if shut_between or not queue.put_enabled or not opened.put_enabled:
        shut = next(step for step in path if not step.put_enabled)
        if shut.kind != "TOPIC":
            return cmqc.MQRC_PUT_INHIBITED, f"{shut.name} has PUT(DISABLED)", ""
        hint = "ALTER TOPIC(NAME) PUB(ENABLED), for it or for one above it in the topic tree"
        return cmqc.MQRC_PUT_INHIBITED, f"{shut.name} has PUB(DISABLED)", hint
    is_sent = bool(queue.special & TRANSMISSION)
    if not 1 <= md.msg_type <= 999_999_999:
        return cmqc.MQRC_MSG_TYPE_ERROR, f"MsgType is {md.msg_type}", ""
    if (md.report or md.msg_type == cmqc.MQMT_REQUEST) and (
        reason := report_reason(md.report, md.msg_type, md.reply_to_q, leaves=is_sent)
    ):
        return reason, f"Report is 0x{md.report & 0xFFFFFFFF:X}, ReplyToQ {md.reply_to_q!r}", ""
    if md.msg_flags & cmqc.MQMF_ACCEPT_UNSUP_IF_XMIT_MASK and not is_sent:
        return cmqc.MQRC_MSG_FLAGS_ERROR, f"MsgFlags is 0x{md.msg_flags:X}", ""
    if not 0 <= md.feedback <= cmqc.MQFB_APPL_LAST:
        return cmqc.MQRC_FEEDBACK_ERROR, f"Feedback is {md.feedback}", ""
    if md.priority < cmqc.MQPRI_PRIORITY_AS_Q_DEF:
        return cmqc.MQRC_PRIORITY_ERROR, f"Priority is {md.priority}", ""
    if not 0 <= md.persistence <= 2:
        return cmqc.MQRC_PERSISTENCE_ERROR, f"Persistence is {md.persistence}", ""
    if reason := put_reason(md.expiry_tenths, enforce_maximum=enforces_maximum(manager)):
        return reason, f"Expiry is {md.expiry_tenths}", ""
    if length > (most := int(manager.attributes["MAXMSGL"])):
        of_manager = f"{length} bytes, MAXMSGL of the queue manager is {most}"
        return cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR, of_manager, ""
    if length > queue.max_length:
        of_queue = f"{length} bytes, MAXMSGL of {queue.name} is {queue.max_length}"
        return cmqc.MQRC_MSG_TOO_BIG_FOR_Q, of_queue, ""
    persistence = md.persistence if md.persistence < 2 else opened.default_persistence
    if queue.special & TEMPORARY and persistence:
        return cmqc.MQRC_PERSISTENT_NOT_ALLOWED, f"{queue.name} is a temporary dynamic queue", ""
    if manager.switches:
        dead_letters = str(manager.attributes.get("DEADQ", ""))
        fault = put_fault(manager.switches, queue.name, dead_letters)
        return fault, "a fault that a switch of the emulator causes" if fault else "", ""
    return 0, "", ""


def min_cap(path: tuple[Queue, ...]) -> int:
    """The lowest CAPEXPRY on the way, in tenths; -1 where there is none."""
    return lowest_cap(queue.capexpry for queue in path)


def enforces_maximum(manager: Manager) -> bool:
    """Whether Expiry above 999 999 999 is refused (EX-29 to EX-32, C-04)."""
    if not manager.switches:
        return False
    word = manager.switches.get("enforce_max_expiry", "environment")
    return word == "on" or (word == "environment" and SEEN in manager.switches)


def filled(
    connection: Connection, md: MQMD, options: int, context: MQMD | None, now_us: int
) -> MQMD:
    """The descriptor with ids, reply-to queue manager, code page and context as MQ fills them."""
    manager = connection.manager
    msg_id = md.msg_id
    if options & cmqc.MQPMO_NEW_MSG_ID or msg_id == NO_ID:
        msg_id = new_id(manager)
    correl_id = new_id(manager) if options & cmqc.MQPMO_NEW_CORREL_ID else md.correl_id
    source = md
    if options & (cmqc.MQPMO_PASS_ALL_CONTEXT | cmqc.MQPMO_PASS_IDENTITY_CONTEXT):
        if context is None:
            raise mqi_error(cmqc.MQRC_CONTEXT_NOT_AVAILABLE, "put")
        source = context
    if options & (cmqc.MQPMO_SET_ALL_CONTEXT | cmqc.MQPMO_PASS_ALL_CONTEXT | _IDENTITY):
        user, token, identity = (
            source.user_identifier, source.accounting_token, source.appl_identity_data
        )  # fmt: skip
    elif options & cmqc.MQPMO_NO_CONTEXT:
        user, token, identity = "", NO_TOKEN, ""
    else:
        user, token, identity = connection.user, accounting_token(connection.user), ""
    if options & (cmqc.MQPMO_SET_ALL_CONTEXT | cmqc.MQPMO_PASS_ALL_CONTEXT):
        kind, name, origin = source.put_appl_type, source.put_appl_name, source.appl_origin_data
        date, time = source.put_date, source.put_time
        if not date.strip(" \0"):
            date, time = put_date_and_time(now_us)
    elif options & cmqc.MQPMO_NO_CONTEXT:
        kind, name, origin, date, time = cmqc.MQAT_NO_CONTEXT, "", "", "", ""
    else:
        kind = connection.application_type or (cmqc.MQAT_ZOS if manager.is_zos else cmqc.MQAT_UNIX)
        name, origin = connection.application, ""
        date, time = put_date_and_time(now_us)
    return MQMD(
        md.report,
        md.msg_type,
        md.expiry_tenths,
        md.feedback,
        md.encoding,
        md.ccsid if md.ccsid != cmqc.MQCCSI_Q_MGR else manager.ccsid,
        md.format,
        md.priority,
        md.persistence,
        msg_id,
        correl_id,
        0,
        md.reply_to_q,
        md.reply_to_q_mgr or manager.identity.name,
        user,
        token,
        identity,
        kind,
        name,
        date,
        time,
        origin,
        md.group_id,
        md.msg_seq_number,
        md.offset,
        md.msg_flags,
        md.original_length,
        2,
    )


_IDENTITY: Final = cmqc.MQPMO_SET_IDENTITY_CONTEXT | cmqc.MQPMO_PASS_IDENTITY_CONTEXT


def new_id(manager: Manager) -> bytes:
    """An identifier as a queue manager makes them: "AMQ ", twelve characters of its name, 8 bytes.

    Inside a transaction of *manager*. Numbers ascend, so that indexes grow at their end.
    """
    identity = manager.identity
    return id_prefix(identity.name) + _UNIQUE.pack(identity.id_seed, manager.next_number())


def id_prefix(queue_manager: str) -> bytes:
    """The 16 bytes that say whose identifier it is."""
    return b"AMQ " + queue_manager[:12].ljust(12).encode("ascii", "replace")


@lru_cache(maxsize=8)
def accounting_token(user: str) -> bytes:
    """MQMD.AccountingToken of a Unix user: length, the user number as digits, type 6 at the end.

    Seen in real messages (corpus 11-yukun-mqstr-26): 03 "496" ... 06.
    """
    import pwd

    try:
        digits = str(pwd.getpwnam(user).pw_uid).encode()
    except KeyError:
        return NO_TOKEN
    return (bytes((len(digits),)) + digits).ljust(31, b"\0") + b"\x06"
