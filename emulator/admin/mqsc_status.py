"""DISPLAY QSTATUS, QMSTATUS and CONN, RESET QSTATS: what is open, what is on it, and since when.

What the emulator does not measure is blank, as on a queue manager with MONQ(OFF): QTIME, MEDIALOG.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.emulator.admin import queue_status as status
from mqtriage.emulator.admin.display import Display, NotEmulated, read_display, word_of
from mqtriage.emulator.admin.mqsc_display import answer, displayed, held_queues, shown
from mqtriage.emulator.core.branches import XID_HEAD
from mqtriage.emulator.core.channels import Came, came_of
from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.connections import (
    IN_DOUBT,
    INPUT,
    Connection,
    connection_id_of,
    connection_tag_of,
    reap,
)
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.liveness import unit_began_us
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.queues import Queue
from mqtriage.emulator.core.tables import branches, handles, messages
from mqtriage.emulator.due import performance_events
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.catalogue import AttributeValue, attributes_of
from mqtriage.mq.delay import DEFAULT_MAXFSIZE_MB
from mqtriage.mq.errors import UsageError, mqi_error
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine, failed
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.mqsc.verbs import parameters_of
from mqtriage.mq.mqsc.where import OPERATORS, Filter
from mqtriage.mq.names import is_like, matches
from mqtriage.mq.times import SECOND_US

_QUEUE: Final = (
    "CURDEPTH", "CURFSIZE", "CURMAXFS", "IPPROCS", "LGETDATE", "LGETTIME", "LPUTDATE", "LPUTTIME",
    "MEDIALOG", "MONQ", "MSGAGE", "OPPROCS", "QTIME", "UNCOM",
)  # fmt: skip
_HANDLE: Final = (
    "APPLDESC", "APPLTAG", "APPLTYPE", "BROWSE", "CHANNEL", "CONNAME", "ASTATE", "HSTATE", "INPUT",
    "INQUIRE", "OUTPUT", "PID", "QMURID", "SET", "TID", "URID", "URTYPE", "USERID",
)  # fmt: skip
_PROCESSOR: Final = {"APPLDESC": "delivery delay processor", "APPLTYPE": "SYSTEM"}
"""The delay processor has the staging queue open for input (DD-83); SYSTEM is a queue manager."""
_NO_FILTERS: Final = (
    "CMDSCOPE", "EXTCONN", "EXTURID", "MONITOR", "OPENTYPE", "QSGDISP", "QTIME", "TYPE", "URDISP",
    "URID",
)  # fmt: skip
_STEERING: Final = (
    "TYPE", "OPENTYPE", "CMDSCOPE", "QSGDISP", "MONITOR", "CHLDISP", "CONNAME", "CURRENT", "SAVED",
    "SHORT", "XMITQ", "EXTCONN", "URDISP",
)  # fmt: skip
_MIB: Final = 1 << 20


def queue_status(connection: Connection, command: Command) -> Reply:
    """DISPLAY QSTATUS TYPE(QUEUE) or TYPE(HANDLE)."""
    name = command.named("*")
    type_ = word_of(command, "TYPE", ("QUEUE", "HANDLE"))
    columns = _columns(connection.manager, type_)
    display = read_status_display(command, columns)
    connection.look(f"display QSTATUS({name})")
    if not name.endswith("*"):
        connection.at(name).manager.local(name, f"display QSTATUS({name})")
    locals_ = [
        held
        for queue_name, held in sorted(held_queues(connection).items())
        if held[1].is_local and matches(name, queue_name)
    ]
    if type_ == "QUEUE":
        rows = [(queue, _queue_values(manager, queue)) for manager, queue in locals_]
    else:
        opentype = word_of(command, "OPENTYPE", ("ALL", "INPUT", "OUTPUT"))
        for manager in {id(manager): manager for manager, _ in locals_}.values():
            reap(manager)
        rows = [
            (queue, row) for manager, queue in locals_ for row in _handles(manager, queue, opentype)
        ]
    listing = []
    for queue, row in rows:
        values = {keyword: row[keyword] for keyword in columns}
        if display.keeps("", values):
            first = {"QUEUE": queue.name, "TYPE": type_}
            listing.append(displayed(8450, "", first, values, display))
    if locals_ and not listing:
        return failed(8565)
    return answer(name, listing)


def _columns(manager: Manager, type_: str) -> tuple[str, ...]:
    """What DISPLAY QSTATUS shows on the platform of the queue manager."""
    kind, columns = ("QSTATUS", _QUEUE) if type_ == "QUEUE" else ("QHANDLE", _HANDLE)
    own = {entry.keyword for entry in attributes_of(kind, manager.identity.platform)}
    return tuple(keyword for keyword in columns if keyword in own)


def read_status_display(
    command: Command, shown: tuple[str, ...], *, all_by_default: bool | None = None
) -> Display:
    """What a DISPLAY of a status asks for, of what is *shown* at all; as `read_display`.

    Raises:
        UsageError: An attribute that is not, or a wrong WHERE.
    """
    where = command.parameter("WHERE")
    plain = command._replace(parameters=tuple(p for p in command.parameters if p is not where))
    display = read_display(
        plain, (), steering=_STEERING, known=shown, all_by_default=all_by_default
    )
    if display.attributes == frozenset() and "CURDEPTH" in shown:
        display = display._replace(attributes=frozenset({"CURDEPTH"}))
    if where is None:
        return display
    values = where.values or ()
    if len(values) != 3 or values[1].text.upper() not in OPERATORS:
        raise UsageError("WHERE takes attribute, operator and value", hint="WHERE(CURDEPTH GT 0)")
    keyword = values[0].text.upper()
    documented = parameters_of(command.verb, command.noun) or ()
    if keyword in documented and keyword not in (*_NO_FILTERS, *shown):
        raise NotEmulated(f"{command.verb} {command.noun} WHERE({keyword})")
    if keyword in _NO_FILTERS or keyword not in shown:
        raise UsageError(f"WHERE: {keyword[:40]} cannot be filtered by here")
    condition = Filter(keyword, values[1].text.upper(), values[2].text)
    named = display.attributes
    return Display(None if named is None else named | {keyword}, condition)


def _queue_values(manager: Manager, queue: Queue) -> dict[str, AttributeValue]:
    numbers = status.queue_status(manager, queue)
    monitored = queue.attributes.get("MONQ", "QMGR")
    if monitored == "QMGR":
        monitored = manager.attributes.get("MONQ", "OFF")
    watched = monitored not in ("OFF", "NONE")
    put = _moment(numbers.last_put_time_us if watched else None)
    get = _moment(numbers.last_get_time_us if watched else None)
    oldest = numbers.oldest_put_time_us
    age = 0 if oldest is None else max(0, manager.now_us() - oldest) // SECOND_US
    size = queue.attributes.get("MAXFSIZE", "DEFAULT")
    used = messages.total_bytes(manager.store, queue.span)
    return {
        "CURDEPTH": numbers.curdepth,
        "CURFSIZE": max(1, -(-used // _MIB)),
        "CURMAXFS": size if isinstance(size, int) else DEFAULT_MAXFSIZE_MB,
        "IPPROCS": numbers.ipprocs,
        "LGETDATE": get[0],
        "LGETTIME": get[1],
        "LPUTDATE": put[0],
        "LPUTTIME": put[1],
        "MEDIALOG": "",
        "MONQ": monitored,
        "MSGAGE": age if watched else "",
        "OPPROCS": numbers.opprocs,
        "QTIME": " , ",
        "UNCOM": "YES" if numbers.uncommitted and manager.is_zos else numbers.uncommitted or "NO",
    }


def _moment(time_us: int | None) -> tuple[str, str]:
    return ("", "") if time_us is None else date_and_time(time_us)


def _handles(manager: Manager, queue: Queue, opentype: str) -> Iterator[dict[str, AttributeValue]]:
    if status.processor_reads(manager, queue) and opentype != "OUTPUT":
        yield {**_handle_values(cmqc.MQOO_INPUT_SHARED, "", ""), **_PROCESSOR}
    opened = {"INPUT": INPUT, "OUTPUT": cmqc.MQOO_OUTPUT}.get(opentype, -1)
    for options, application, user, came, unit in handles.shown(manager.store, queue.id):
        if options & opened:
            values = _handle_values(options, application, user)
            channel = _of_channel(came_of(came))
            yield {**values, **channel, "PID": came_of(came).process, "QMURID": _unit_text(unit)}


def _unit_text(number: int) -> str:
    """QMURID of the unit of work of a connection; 0 for none."""
    return f"0.{number}"


def _handle_values(options: int, application: str, user: str) -> dict[str, AttributeValue]:
    held: Mapping[str, AttributeValue] = {
        "APPLTAG": application,
        "APPLTYPE": "USER",
        "BROWSE": _yes(options & cmqc.MQOO_BROWSE),
        "ASTATE": "NONE",
        "HSTATE": "INACTIVE",
        "INPUT": _input(options),
        "INQUIRE": _yes(options & cmqc.MQOO_INQUIRE),
        "OUTPUT": _yes(options & cmqc.MQOO_OUTPUT),
        "SET": _yes(options & cmqc.MQOO_SET),
        "URTYPE": "QMGR",
        "USERID": user,
    }
    return {keyword: held.get(keyword, "") for keyword in _HANDLE}


def _yes(bits: int) -> str:
    return "YES" if bits else "NO"


def _input(options: int) -> str:
    if not options & INPUT:
        return "NO"
    return "EXCL" if options & cmqc.MQOO_INPUT_EXCLUSIVE else "SHARED"


def queue_manager_status(connection: Connection, command: Command) -> Reply:
    """DISPLAY QMSTATUS: that it runs, and how many programs are connected."""
    known = ("QMNAME", "TYPE", "STATUS", "CHINIT", "CMDSERV", "CONNS")
    display = read_display(command, (), known=known, all_by_default=True)
    connection.look("display QMSTATUS")
    manager = connection.manager
    reap(manager)
    connections = handles.count_connections(manager.store)
    commands = manager.queues.get(manager.command_queue)
    serving = commands is not None and commands.is_local and commands.get_enabled
    values: dict[str, AttributeValue] = {
        "TYPE": "QMGR",
        "STATUS": "RUNNING",
        "CHINIT": "STOPPED",
        "CMDSERV": "RUNNING" if serving else "STOPPED",
        "CONNS": int(connections),
    }
    first = {"QMNAME": manager.identity.name}
    return Reply(CommandEnding.DONE, (displayed(8705, "", first, values, display),))


# -- connections ----------------------------------------------------------------------------------

_CONN: Final = (
    "PID", "TID", "APPLDESC", "APPLTAG", "APPLTYPE", "ASTATE", "CHANNEL", "CLIENTID", "CONNAME",
    "CONNOPTS", "USERID", "UOWLOG", "UOWSTDA", "UOWSTTI", "UOWLOGDA", "UOWLOGTI", "URTYPE",
    "EXTURID", "QMURID", "UOWSTATE", "CONNTAG",
)  # fmt: skip
"""In the order in which runmqsc of 9.4 was seen to show them."""
_OPEN: Final = (
    "OBJNAME", "OBJTYPE", "ASTATE", "HSTATE", "OPENOPTS", "READA", "SUBID", "SUBNAME", "TOPICSTR",
    "DEST", "DESTQMGR",
)  # fmt: skip
_CONN_ON_ZOS: Final = ("ASID", "NID", "PSBNAME", "PSTID", "TASKNO", "TRANSID")
"""Documented for z/OS; elsewhere a command that names them is answered without."""
_CONNECT_OPTIONS: Final = (
    "MQCNO_HANDLE_SHARE_NONE", "MQCNO_HANDLE_SHARE_BLOCK", "MQCNO_HANDLE_SHARE_NO_BLOCK",
    "MQCNO_SHARED_BINDING", "MQCNO_ISOLATED_BINDING", "MQCNO_FASTPATH_BINDING",
    "MQCNO_GENERATE_CONN_TAG", "MQCNO_RECONNECT", "MQCNO_RECONNECT_DISABLED",
    "MQCNO_RECONNECT_Q_MGR", "MQCNO_ACTIVITY_TRACE_ENABLED", "MQCNO_ACTIVITY_TRACE_DISABLED",
)  # fmt: skip
_OPEN_OPTIONS: Final = (
    "MQOO_INPUT_AS_Q_DEF", "MQOO_INPUT_SHARED", "MQOO_INPUT_EXCLUSIVE", "MQOO_BROWSE",
    "MQOO_OUTPUT", "MQOO_INQUIRE", "MQOO_SET", "MQOO_SAVE_ALL_CONTEXT",
    "MQOO_PASS_IDENTITY_CONTEXT", "MQOO_PASS_ALL_CONTEXT", "MQOO_SET_IDENTITY_CONTEXT",
    "MQOO_SET_ALL_CONTEXT", "MQOO_ALTERNATE_USER_AUTHORITY", "MQOO_FAIL_IF_QUIESCING",
    "MQOO_BIND_ON_OPEN", "MQOO_BIND_NOT_FIXED", "MQOO_BIND_ON_GROUP", "MQOO_CO_OP",
    "MQOO_READ_AHEAD", "MQOO_NO_READ_AHEAD",
)  # fmt: skip
_OF_A_CHANNEL: Final = "IBM MQ Channel"
_NO_BRANCH: Final = "XA_FORMATID[] XA_GTRID[] XA_BQUAL[]"
_EXTERNAL_DIGITS: Final = 32
"""Of the 48 hexadecimal digits of a connection id: EXTCONN; the other 16 are CONN."""


def connections(connection: Connection, command: Command) -> Reply:
    """DISPLAY CONN: the programs that are there, what each has open, or both.

    A branch of a global transaction that is prepared has a line of its own: no program has it. What
    is open are queues; each has a message of its own. WHERE by what is open keeps the programs that
    have such an object.

    The name is CONN, or EXTCONN and CONN together; `*` at its end stands for any digits.

    Source: IBM MQ documentation, "DISPLAY CONN".
    """
    name = command.named("*").upper()
    type_ = word_of(command, "TYPE", ("CONN", "HANDLE", "ALL", "*"))
    display = read_status_display(
        command, ("CONN", "EXTCONN", "TYPE", *dict.fromkeys((*_CONN, *_OPEN)), *_CONN_ON_ZOS)
    )
    if display.attributes is None and name.endswith("*") and not command.has("ALL"):
        display = display._replace(attributes=frozenset())
    connection.look("display CONN")
    manager = connection.manager
    reap(manager)
    opened: dict[int, list[dict[str, AttributeValue]]] = {}
    for number, options, queue in handles.of_connections(manager.store):
        opened.setdefault(number, []).append(_open_values(options, queue))
    is_by_handle = display.where is not None and display.where.keyword in (set(_OPEN) - set(_CONN))
    external = command.value("EXTCONN") or "*"
    listing = []
    for number, values in _connections(manager):
        whole = f"{values['EXTCONN']}{values['CONN']}"
        is_named = is_like(name, whole) or is_like(name, str(values["CONN"]))
        if not is_named or not is_like(external.upper(), str(values["EXTCONN"])):
            continue
        first = {key: values[key] for key in ("CONN", "EXTCONN")}
        rows = opened.get(number, [])
        if is_by_handle:
            rows = [row for row in rows if display.keeps("CONN", row)]
        if not (rows if is_by_handle else display.keeps("CONN", values)):
            continue
        if type_ != "HANDLE":
            listing.append(displayed(8276, "", first | {"TYPE": "CONN"}, values, display))
        for row in rows if type_ != "CONN" else ():
            always = first | {"TYPE": "HANDLE"} | {key: row[key] for key in ("OBJNAME", "OBJTYPE")}
            listing.append(displayed(8276, "", always, row, display))
    return answer(name, listing)


def _open_values(options: int, queue: str) -> dict[str, AttributeValue]:
    held = {
        "OBJNAME": queue,
        "OBJTYPE": "QUEUE",
        "ASTATE": "NONE",
        "HSTATE": "INACTIVE",
        "OPENOPTS": _names_in(options, _OPEN_OPTIONS),
        "READA": "YES" if options & cmqc.MQOO_READ_AHEAD else "NO",
    }
    return {keyword: held.get(keyword, "") for keyword in _OPEN}


def _names_in(options: int, names: tuple[str, ...]) -> str:
    return ",".join(name for name in names if options & getattr(cmqc, name))


def _connections(manager: Manager) -> Iterator[tuple[int, dict[str, AttributeValue]]]:
    """Number and attributes of each connection, then of each branch in doubt."""
    folder = home.lock_folder(manager.path)
    for one in handles.shown_connections(manager.store):
        came = came_of(one.came)
        options = came.options or cmqc.MQCNO_HANDLE_SHARE_NONE
        began_us = unit_began_us(folder, one.lock_name) if one.in_unit else None
        began = ("", "") if began_us is None else date_and_time(began_us)
        if came.instance is not None:
            options = came.options & ~_SHARES | cmqc.MQCNO_HANDLE_SHARE_BLOCK
        yield (
            one.number,
            _shown_connection(
                connection_id_of(manager, one.number),
                APPLTAG=one.application,
                APPLTYPE="USER",
                ASTATE="NONE",
                CONNOPTS=_names_in(options | cmqc.MQCNO_SHARED_BINDING, _CONNECT_OPTIONS),
                CONNTAG=came.tag or connection_tag_of(manager, one.number, one.application),
                EXTURID=_NO_BRANCH,
                PID=came.process,
                QMURID=_unit_text(one.number if one.in_unit else 0),
                TID=1 if came.instance is None else came.instance.thread,
                UOWSTATE="ACTIVE" if one.in_unit else "NONE",
                UOWSTDA=began[0],
                UOWSTTI=began[1],
                URTYPE="QMGR",
                USERID=one.user,
                **_of_channel(came),
            ),
        )
    for branch in branches.prepared(manager.store):
        yield (
            IN_DOUBT + branch.number,
            _shown_connection(
                connection_id_of(manager, IN_DOUBT + branch.number),
                EXTURID=_external(branch.xid),
                QMURID=f"0.{branch.number}",
                UOWSTATE="PREPARED",
                URTYPE="XA",
            ),
        )


_SHARES: Final = (
    cmqc.MQCNO_HANDLE_SHARE_NONE | cmqc.MQCNO_HANDLE_SHARE_BLOCK | cmqc.MQCNO_HANDLE_SHARE_NO_BLOCK
)


def _shown_connection(number: bytes, **held: AttributeValue) -> dict[str, AttributeValue]:
    digits = number.hex().upper()
    names = {"CONN": digits[_EXTERNAL_DIGITS:], "EXTCONN": digits[:_EXTERNAL_DIGITS]}
    return {**names, "TYPE": "CONN", **dict.fromkeys(_CONN, ""), **held}


def _of_channel(came: Came) -> dict[str, str]:
    """What is shown of a program that came by a channel beside others."""
    if came.instance is None:
        return {}
    return {
        "APPLDESC": _OF_A_CHANNEL, "CHANNEL": came.instance.channel,
        "CONNAME": came.instance.address,
    }  # fmt: skip


def _external(xid: bytes) -> str:
    """EXTURID: the three parts of a branch's name."""
    format_id, length, _ = XID_HEAD.unpack_from(xid)
    data = xid[XID_HEAD.size :]
    parts = (
        f"{format_id & 0xFFFFFFFF:08X}",
        data[:length].hex().upper(),
        data[length:].hex().upper(),
    )
    labels = "XA_FORMATID", "XA_GTRID", "XA_BQUAL"
    return " ".join(f"{label}[{part}]" for label, part in zip(labels, parts, strict=True))


def queue_statistics(connection: Connection, command: Command) -> Reply:
    """RESET QSTATS: the numbers since the last reset, or since the queue was made; they begin anew.

    A generic name, with `*` at its end, means every local queue of such a name; each has a message.
    What a unit of work put and backed out counts as having come and gone.
    Source: IBM MQ documentation, "Reset Queue Statistics".
    """
    name = command.named()
    doing = f"reset QSTATS({name})"
    connection.look(doing)
    names = [name]
    if name.endswith("*"):
        held = held_queues(connection)
        names = [one for one in sorted(held) if held[one][1].is_local and matches(name, one)]
    lines = []
    for one in names:
        owner = connection.at(one)
        with owner.writing(doing, durable=True) as now:
            queue = owner.manager.local(one, doing)
            since = performance_events.reset_statistics(owner.manager, queue, now)
        values: dict[str, AttributeValue] = {"QUEUE": one, **since}
        text = "CSQMDRTS RESET QSTATS DETAILS"
        lines.append(ReplyLine("CSQM201I", text, shown("", values), values))
    if not lines:
        raise mqi_error(cmqc.MQRC_UNKNOWN_OBJECT_NAME, doing, object_name=name)
    return Reply(CommandEnding.DONE, tuple(lines))
