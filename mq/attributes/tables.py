"""The tables of attributes in the .tsv files beside this module, each read when it is first needed.

A heading names the object types of the rows below it: ``[QLOCAL QMODEL QALIAS QREMOTE]``. A row is
keyword, kind of value, selector's name and number, name in PCF, then what is not as usual:
``default=5000``, ``read_only``, ``unsure``. Words with numbers and types of channels are written
out, ``words=NO:0,YES:1``, or named before: ``=NO_YES``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pkgutil import get_data
from typing import Any, Final

from mqtriage.mq.attributes.attribute import Attribute, ValueKind

_FILES: Final = {
    "queues": ("QTYPE", "QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QCLUSTER"),
    "queue_managers": ("QMGR",),
    "channels": ("CHANNEL", "LISTENER"),
    "pubsub": ("TOPIC", "SUB", "AUTHREC", "CHLAUTH"),
    "others": ("NAMELIST", "PROCESS", "AUTHINFO", "SERVICE", "COMMINFO", "POLICY"),
    "zos": (
        "STGCLASS", "CFSTRUCT", "BUFFPOOL", "PSID", "MAXSMSGS", "SMDS", "SECURITY", "TRACE", "LOG",
        "ARCHIVE", "SYSTEM",
    ),
    "status": (
        "QSTATUS", "QHANDLE", "QSTATS", "QMSTATUS", "CONN", "CHSTATUS", "LSSTATUS", "AUTHRECS",
        "CLUSQMGR",
    ),
}  # fmt: skip
_OF_CLUSTER_CHANNELS: Final = (
    "ALTDATE", "ALTTIME", "BATCHHB", "BATCHINT", "BATCHLIM", "BATCHSZ", "CLWLPRTY", "CLWLRANK",
    "CLWLWGHT", "COMPHDR", "COMPMSG", "CONNAME", "CONVERT", "DESCR", "DISCINT", "HBINT", "KAINT",
    "LOCLADDR", "LONGRTY", "LONGTMR", "MAXMSGL", "MCANAME", "MCATYPE", "MCAUSER", "MODENAME",
    "MRDATA", "MREXIT", "MRRTY", "MRTMR", "MSGDATA", "MSGEXIT", "NETPRTY", "NPMSPEED", "PASSWORD",
    "PROPCTL", "PUTAUT", "RCVDATA", "RCVEXIT", "SCYDATA", "SCYEXIT", "SENDDATA", "SENDEXIT",
    "SEQWRAP", "SHORTRTY", "SHORTTMR", "SSLCAUTH", "SSLCIPH", "SSLPEER", "TPNAME", "TRPTYPE",
    "USEDLQ", "USERID",
)  # fmt: skip
"""What DISPLAY CLUSQMGR shows of a channel (IBM MQ documentation, its "Channel attributes")."""
_FILE_OF: Final = {kind: name for name, kinds in _FILES.items() for kind in kinds}


@cache
def table(kind: str) -> tuple[Attribute, ...]:
    """The attributes of *kind* in DISPLAY order; QTYPE has name and type of a queue."""
    rows = _rows(_FILE_OF[kind]) if kind in _FILE_OF else ()
    own = tuple(entry for entry in rows if kind in entry.kinds)
    if kind != "CLUSQMGR":
        return own
    shown = (entry for entry in table("CHANNEL") if entry.keyword in _OF_CLUSTER_CHANNELS)
    name, *others = own
    return (name, *sorted((*others, *shown), key=lambda entry: entry.keyword))


@cache
def _rows(name: str) -> tuple[Attribute, ...]:
    data = get_data(__package__, f"{name}.tsv") or b""
    lists: dict[str, str] = {}
    kinds: tuple[str, ...] = ()
    rows = []
    for line in data.decode().splitlines():
        if line[:1] == "[":
            kinds = tuple(line[1:-1].split())
        elif line[:1] == "=":
            list_name, _, lists[list_name] = line[1:].partition("\t")
        elif line and line[0] != "#":
            rows.append(_attribute(line.split("\t"), kinds, lists))
    return tuple(rows)


def _attribute(cells: list[str], kinds: tuple[str, ...], lists: Mapping[str, str]) -> Attribute:
    fixed, options = cells[:5], cells[5:]
    keyword, kind, selector_name, selector, pcf = fixed + [""] * (5 - len(fixed))
    more: dict[str, Any] = {"kinds": kinds}
    for option in options:
        name, _, text = option.partition("=")
        if name == "unsure":
            more["sure"] = False
        elif name in ("default", "zos_default"):
            more[name] = int(text) if kind == "integer" and text.isdecimal() else text
        else:
            more[name] = _READERS.get(name, str)(lists.get(text, text))
    return Attribute(
        keyword, ValueKind(kind), selector_name=selector_name, selector=int(selector or 0),
        pcf=pcf, **more,
    )  # fmt: skip


def _words(text: str) -> dict[str, int]:
    pairs = (pair.rpartition(":") for pair in text.split(","))
    return {word: int(number) for word, _, number in pairs}


def _members(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "kinds": _members,
    "channel_types": _members,
    "minimum": int,
    "maximum": int,
    "max_length": int,
    "words": _words,
    "read_only": lambda _: True,
}
