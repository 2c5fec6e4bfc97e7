"""The MQSC commands of MQ 9.4 and 10.0: verbs, object types, abbreviations, platforms.

Source: IBM MQ 9.4 "MQSC commands reference" (one page a command; the synonym is given there).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_QUEUES: Final = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")

VERBS: Final[Mapping[str, frozenset[str]]] = {
    "ALTER": frozenset({
        "AUTHINFO", "BUFFPOOL", "CFSTRUCT", "CHANNEL", "COMMINFO", "LISTENER", "NAMELIST",
        "PROCESS", "PSID", *_QUEUES, "QMGR", "SECURITY", "SERVICE", "SMDS", "STGCLASS", "SUB",
        "TOPIC", "TRACE",
    }),
    "ARCHIVE": frozenset({"LOG"}),
    "BACKUP": frozenset({"CFSTRUCT"}),
    "CLEAR": frozenset({"QLOCAL", "TOPICSTR"}),
    "DEFINE": frozenset({
        "AUTHINFO", "BUFFPOOL", "CFSTRUCT", "CHANNEL", "COMMINFO", "LISTENER", "LOG", "MAXSMSGS",
        "NAMELIST", "PROCESS", "PSID", *_QUEUES, "SERVICE", "STGCLASS", "SUB", "TOPIC",
    }),
    "DELETE": frozenset({
        "AUTHINFO", "AUTHREC", "BUFFPOOL", "CFSTRUCT", "CHANNEL", "COMMINFO", "LISTENER",
        "NAMELIST", "POLICY", "PROCESS", "PSID", *_QUEUES, "SERVICE", "STGCLASS", "SUB", "TOPIC",
    }),
    "DISPLAY": frozenset({
        "APSTATUS", "ARCHIVE", "AUTHINFO", "AUTHREC", "AUTHSERV", "CFSTATUS", "CFSTRUCT",
        "CHANNEL", "CHINIT", "CHLAUTH", "CHSTATUS", "CLUSQMGR", "CMDSERV", "COMMINFO", "CONN",
        "ENTAUTH", "GROUP", "LISTENER", "LOG", "LSSTATUS", "MAXSMSGS", "NAMELIST", "POLICY",
        "PROCESS", "PUBSUB", *_QUEUES, "QCLUSTER", "QMGR", "QMSTATUS", "QSTATUS", "QUEUE",
        "SBSTATUS", "SECURITY", "SERVICE", "SMDS", "SMDSCONN", "STGCLASS", "SUB", "SVSTATUS",
        "SYSTEM", "TCLUSTER", "THREAD", "TOPIC", "TPSTATUS", "TRACE", "USAGE",
    }),
    "END": frozenset(),
    "EXIT": frozenset(),
    "MOVE": frozenset({"QLOCAL"}),
    "PING": frozenset({"CHANNEL", "QMGR"}),
    "PURGE": frozenset({"CHANNEL"}),
    "QUIT": frozenset(),
    "RECOVER": frozenset({"BSDS", "CFSTRUCT"}),
    "REFRESH": frozenset({"CLUSTER", "QMGR", "SECURITY"}),
    "RESET": frozenset({
        "CFSTRUCT", "CHANNEL", "CLUSTER", "QMGR", "QSTATS", "SMDS", "TPIPE",
    }),
    "RESOLVE": frozenset({"CHANNEL", "INDOUBT"}),
    "RESUME": frozenset({"QMGR"}),
    "RVERIFY": frozenset({"SECURITY"}),
    "SET": frozenset({"ARCHIVE", "AUTHREC", "CHLAUTH", "LOG", "POLICY", "SYSTEM"}),
    "START": frozenset({
        "CHANNEL", "CHINIT", "CMDSERV", "LISTENER", "QMGR", "SERVICE", "SMDSCONN", "TRACE",
    }),
    "STOP": frozenset({
        "CHANNEL", "CHINIT", "CMDSERV", "CONN", "LISTENER", "QMGR", "SERVICE", "SMDSCONN", "TRACE",
    }),
    "SUSPEND": frozenset({"QMGR"}),
}  # fmt: skip
"""Verb to the object types it takes; END, EXIT and QUIT take none."""

LEAVING: Final = frozenset({"END", "EXIT", "QUIT"})

_VERB_SHORT: Final = {
    "ALT": "ALTER", "ARC": "ARCHIVE", "CLE": "CLEAR", "DEF": "DEFINE", "DEL": "DELETE",
    "DIS": "DISPLAY", "DISP": "DISPLAY", "REC": "RECOVER", "REF": "REFRESH", "RES": "RESOLVE",
    "REV": "RVERIFY", "STA": "START", "STO": "STOP", "SUS": "SUSPEND",
}  # fmt: skip
_NOUN_SHORT: Final = {
    "ARC": "ARCHIVE", "BP": "BUFFPOOL", "CHI": "CHINIT", "CHL": "CHANNEL", "CHS": "CHSTATUS",
    "CS": "CMDSERV", "DQM": "CHINIT", "IND": "INDOUBT", "LSTR": "LISTENER", "MAXSM": "MAXSMSGS",
    "NL": "NAMELIST", "PRO": "PROCESS", "Q": "QUEUE", "QA": "QALIAS", "QC": "QCLUSTER",
    "QL": "QLOCAL", "QM": "QMODEL", "QR": "QREMOTE", "QS": "QSTATUS", "QUEUES": "QUEUE",
    "SBS": "SBSTATUS", "SEC": "SECURITY", "STC": "STGCLASS", "THD": "THREAD", "TPS": "TPSTATUS",
}  # fmt: skip

VERB_BY_WORD: Final[Mapping[str, str]] = {**{verb: verb for verb in VERBS}, **_VERB_SHORT}
NOUN_BY_WORD: Final[Mapping[str, str]] = {
    **{noun: noun for nouns in VERBS.values() for noun in nouns},
    **_NOUN_SHORT,
}

_ZOS_NOUNS: Final = frozenset({
    "ARCHIVE", "BSDS", "BUFFPOOL", "CFSTATUS", "CFSTRUCT", "GROUP", "INDOUBT", "MAXSMSGS", "PSID",
    "SMDS", "SMDSCONN", "STGCLASS", "SYSTEM", "THREAD", "TPIPE", "TRACE", "USAGE",
})  # fmt: skip
_ZOS_COMMANDS: Final = frozenset({
    ("ALTER", "SECURITY"), ("ARCHIVE", "LOG"), ("DEFINE", "LOG"), ("DISPLAY", "CHINIT"),
    ("DISPLAY", "LOG"), ("DISPLAY", "SECURITY"), ("MOVE", "QLOCAL"), ("RESET", "QSTATS"),
    ("RVERIFY", "SECURITY"), ("SET", "LOG"), ("STOP", "CHINIT"), ("START", "QMGR"),
    ("STOP", "QMGR"),
})  # fmt: skip
_DIST_NOUNS: Final = frozenset({
    "AUTHREC", "AUTHSERV", "COMMINFO", "ENTAUTH", "LSSTATUS", "SERVICE", "SVSTATUS", "QMSTATUS",
    "APSTATUS",
})  # fmt: skip
_DIST_COMMANDS: Final = frozenset({
    ("ALTER", "LISTENER"), ("DEFINE", "LISTENER"), ("DELETE", "LISTENER"),
    ("DISPLAY", "LISTENER"), ("PING", "QMGR"), ("PURGE", "CHANNEL"),
})  # fmt: skip

SEVERAL_NAMES: Final = frozenset({("RECOVER", "CFSTRUCT"), ("RVERIFY", "SECURITY")})
"""Commands whose object type takes a list of names."""

_NEEDS_NAME: Final[Mapping[str, frozenset[str]]] = {
    "ALTER": VERBS["ALTER"] - {"QMGR", "SECURITY", "TRACE", "SUB", "SMDS"},
    "BACKUP": VERBS["BACKUP"],
    "CLEAR": VERBS["CLEAR"],
    "DEFINE": VERBS["DEFINE"] - {"LOG", "MAXSMSGS"},
    "DELETE": VERBS["DELETE"] - {"AUTHREC", "SUB"},
    "DISPLAY": frozenset({
        *_QUEUES, "QUEUE", "QCLUSTER", "QSTATUS", "CHANNEL", "CHSTATUS", "TOPIC", "NAMELIST",
        "PROCESS", "AUTHINFO", "CHLAUTH",
    }),
    "MOVE": VERBS["MOVE"],
    "PING": frozenset({"CHANNEL"}),
    "PURGE": VERBS["PURGE"],
    "RESET": frozenset({"CHANNEL", "QSTATS"}),
    "RESOLVE": frozenset({"CHANNEL"}),
    "SET": frozenset({"CHLAUTH", "POLICY"}),
    "START": frozenset({"CHANNEL", "SERVICE"}),
    "STOP": frozenset({"CHANNEL", "SERVICE"}),
}  # fmt: skip
_NO_NAMES: Final[frozenset[str]] = frozenset()


def needs_name(verb: str, noun: str) -> bool:
    """Whether the object type must be followed by a name in parentheses."""
    return noun in _NEEDS_NAME.get(verb, _NO_NAMES)


def only_platform(verb: str, noun: str) -> str:
    """ "zos" or "dist" for a command that only that platform has, "" for the others."""
    if noun in _ZOS_NOUNS or (verb, noun) in _ZOS_COMMANDS:
        return "zos"
    if noun in _DIST_NOUNS or (verb, noun) in _DIST_COMMANDS:
        return "dist"
    return ""
