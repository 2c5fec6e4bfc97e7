"""The command tree: every group, what its help says, and its verbs.

A verb is a function with `@takes` in the file of its noun: `delay browse` is `browse` in
`cli/delay.py`, or in a file of the folder `cli/backout/`. Which they are, in what order, and their
lines of help stand in `verbs.tsv`, which scripts/make_index.py writes from the functions; what help
says of a group stands in `groups.tsv`, in the order of help, the noun "" for the program itself.
Nothing is imported here, and `cli/frame/lazy.py` imports the module of a verb when it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from mqtriage.records import NamedTuple

Verb: TypeAlias = tuple[str, str]
"""(``module:function``, one line of help)."""

INDEX: Final = "verbs.tsv"
_GROUPS: Final = "groups.tsv"


class CommandGroup(NamedTuple):
    """An MQ noun with its verbs.

    Attributes:
        help: one line, shown beside the group's name.
        verbs: name to (module:function, one line of help), in the order of the help.
        examples: command lines to paste, shown in the group's help and manual page.
        default: verb that is meant where none is named, "" for none: `mqtriage mqsc FILE`.
        together: words of several verbs to the one row of the group's help that they share, so
            that it fits a screen.
        parts: first word of verbs of two words to the line of help for all of these.
        files: where the verbs are in a folder, its files in the order of the help.
    """

    help: str
    verbs: Mapping[str, Verb]
    examples: tuple[str, ...] = ()
    default: str = ""
    together: Mapping[str, str] = {}
    parts: Mapping[str, str] = {}
    files: tuple[str, ...] = ()


def verb_of(group: CommandGroup, words: Sequence[str]) -> tuple[str, int]:
    """The verb that *words* begin with, and of how many words it is; ("", 0) for none.

    A verb of two words is one of a kind: ``emulator lab consume``.
    """
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in group.verbs:
            return name, count
    return "", 0


def _rows(name: str) -> Iterator[list[str]]:
    with open(f"{__file__.removesuffix('tree.py')}{name}", encoding="utf-8") as rows:
        for row in rows:
            yield row.rstrip("\n").split("\t")


def _lines(rows: Iterable[str]) -> dict[str, str]:
    """Words to their line, of rows of ``words: line``."""
    return dict(row.split(": ", 1) for row in rows)


def _read_groups() -> dict[str, CommandGroup]:
    """Noun to its group; "" is the program itself, whose verbs are the commands without a noun."""
    texts: dict[str, dict[str, list[str]]] = {}
    for noun, kind, text in _rows(_GROUPS):
        texts.setdefault(noun, {}).setdefault(kind, []).append(text)
    verbs: dict[str, dict[str, Verb]] = {}
    for noun, verb, target, line in _rows(INDEX):
        verbs.setdefault(noun, {})[verb] = (target, line)
    return {
        noun: CommandGroup(
            "".join(of.get("help", ())),
            verbs[noun],
            tuple(of.get("example", ())),
            "".join(of.get("default", ())),
            _lines(of.get("together", ())),
            _lines(of.get("part", ())),
            tuple(of.get("file", ())),
        )
        for noun, of in texts.items()
    }


HABITS: Final[Mapping[str, str]] = {
    "list": "ls; browse status", "ls": "browse status", "get": "show ls browse",
    "show": "explain browse ls", "describe": "show",
    "display": "show ls", "dis": "show ls", "info": "show status", "view": "show browse",
    "cat": "show browse", "peek": "browse", "read": "browse", "print": "show", "inspect": "show",
    "details": "show", "stat": "status", "stats": "status count activity", "depth": "ls status",
    "status": "ls browse", "count": "status browse ls", "find": "browse ls", "search": "browse ls",
    "start": "create", "requeue": "restore release",
    "create": "define add create take put", "new": "define add create take put",
    "add": "define add create put", "alter": "set", "edit": "set", "update": "set",
    "modify": "set", "change": "set reschedule", "delete": "rm delete purge prune cancel",
    "remove": "rm delete purge prune cancel", "del": "rm delete purge",
    "rm": "delete purge prune cancel", "drop": "rm delete purge", "clear": "purge",
    "empty": "purge", "clean": "purge prune", "send": "put", "publish": "put", "write": "put",
    "produce": "put", "import": "load", "export": "archive export", "save": "archive take",
    "dump": "archive show", "unload": "archive", "backup": "archive take",
    "retry": "requeue resume", "replay": "requeue restore", "resend": "requeue restore",
    "redrive": "requeue", "reprocess": "requeue", "redeliver": "requeue release",
    "mv": "move requeue", "move": "requeue reschedule", "cp": "copy",
    "handles": "status", "connections": "status", "users": "status", "who": "status",
    "top": "status", "watch": "status", "validate": "check rules verify",
    "check": "status rules verify ls", "analyse": "causes explain", "analyze": "causes explain",
    "reasons": "causes", "why": "causes explain", "history": "ls",
    "log": "ls events", "logs": "ls events",
    "rollback": "undo", "revert": "undo", "abort": "cancel", "continue": "resume",
    "switch": "use", "current": "show", "select": "use", "execute": "run", "exec": "run",
    "format": "fmt", "up": "start create", "down": "stop", "kill": "stop rm", "compare": "diff",
    "extract": "archive copy", "filter": "copy browse", "redact": "copy", "mask": "copy",
    "merge": "compact", "shift": "reschedule",
    "errors": "events", "statistics": "activity", "accounting": "activity",
    "forecast": "depth", "poison": "causes", "backout": "causes", "queues": "depth",
    "delays": "delay", "retention": "expiry",
    "skip": "cancel release", "strip": "move", "convert": "archive load",
}  # fmt: skip
"""What other tools call a verb, and our verbs for it.

Of these those count that the group has, and those behind a semicolon where it has none before it.
"""
ELSEWHERE: Final[Mapping[str, str]] = {
    "runmqsc": "mqsc run", "dspmq": "emulator ls", "crtmqm": "emulator create",
    "strmqm": "emulator start", "endmqm": "emulator stop", "dltmqm": "emulator rm",
    "dmpmqmsg": "msg archive", "qload": "msg load", "runmqdlq": "dlq run", "amqsput": "msg put",
    "amqsbcg": "msg browse", "amqsget": "msg purge", "amqsgbr": "msg browse",
    "dmpmqcfg": "mqsc export", "mqrc": "rc", "dspmqaut": "doctor", "list": "queue ls",
    "get": "queue ls", "ls": "queue ls", "queues": "queue ls", "q": "queue ls",
    "messages": "msg browse", "message": "msg browse", "browse": "msg browse", "put": "msg put",
    "dis": "mqsc run", "display": "mqsc run", "describe": "queue show", "alter": "mqsc run",
    "move": "msg move", "purge": "msg purge", "requeue": "backout requeue",
    "undo": "journal undo", "resume": "journal resume", "history": "journal ls",
    "log": "journal ls", "logs": "journal ls", "audit": "journal ls", "status": "queue status",
    "ping": "check qmgr", "health": "check qmgr", "monitor": "top", "dashboard": "top",
    "diff": "drift", "config": "context show", "configure": "context add", "login": "context add",
    "use": "context use", "contexts": "context ls", "dead": "dlq browse",
    "deadletter": "dlq browse", "poison": "backout ls", "delayed": "delay browse",
    "expired": "expiry status", "docs": "man", "examples": "cheat", "reason": "rc",
    "explain": "rc", "error": "rc", "clear": "msg purge", "delete": "queue delete",
    "create": "queue define", "define": "queue define", "set": "queue set",
    "validate": "lint check", "tail": "watch", "backup": "msg archive",
    "restore": "archive restore", "qm": "qmgr show", "queue-manager": "qmgr show",
    "manager": "qmgr show",
}  # fmt: skip
"""What stands in front elsewhere, and our command for it."""
VERBS_ELSEWHERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("archive show", "archive get", "archive cat", "archive find", "archive search"),
        "mqtriage archive ls --msgid ID"),
    **dict.fromkeys(("lint rules", "lint test"), "mqtriage lint FILE.toml"),
    **dict.fromkeys(
        ("emulator load-mqsc", "emulator mqsc", "emulator runmqsc", "emulator run-mqsc",
         "emulator load", "emulator apply", "emulator define"), "mqtriage mqsc FILE -m QM --yes"),
    "emulator listen": "mqtriage emulator serve QM --tcp PORT",
    **dict.fromkeys(
        ("emulator salvage", "emulator recover", "emulator repair"),
        "mqtriage emulator check QM --salvage NEW"),
    **dict.fromkeys(
        ("emulator advance", "emulator tick", "emulator forward", "emulator wait", "emulator time"),
        "mqtriage emulator clock QM +15m"),
    **dict.fromkeys(
        ("emulator dump", "emulator show", "emulator export"), "mqtriage emulator ls QM"),
    **dict.fromkeys(
        ("emulator seed", "emulator put"), "mqtriage msg put QUEUE --file FILE -m QM --yes"),
    **dict.fromkeys(
        ("emulator run", "emulator exec"), "mqtriage emulator serve QM --run COMMAND"),
    "emulator restart": "mqtriage emulator stop QM, then mqtriage emulator start QM",
    **dict.fromkeys(
        ("backout watch", "backout follow", "backout tail", "backout monitor"),
        "mqtriage backout pending PATTERN --interval 2s"),
    "backout origin": "mqtriage backout browse BOQ --group origin",
    "backout check": "mqtriage lint --queue PATTERN -m QM",
    "backout park": "mqtriage backout move FROM TO",
    "backout sweep": "mqtriage backout move FROM TO",
    "backout show": "mqtriage backout ls QUEUE",
    "backout unset": "mqtriage backout set QUEUE --threshold 0 --boq ''",
    "check definitions": "mqtriage lint -m QM, or mqtriage drift FILE -m QM",
    **dict.fromkeys(("context trust", "context allow"), "mqtriage context use FILE"),
    "context test": "mqtriage doctor --context NAME",
    "context previous": "mqtriage context use -",
    "delay advise": "mqtriage delay define --rate 20/s --max-delay 15m -n",
    **dict.fromkeys(
        ("delay hold", "delay pause", "delay park", "delay suspend", "delay freeze", "delay stop"),
        "mqtriage delay cancel --to QUEUE holds messages unchanged, and mqtriage journal undo puts "
        "them back with their due time"),
    **dict.fromkeys(
        ("dlq undo", "dlq restore"),
        "mqtriage journal undo puts back what was purged or requeued last"),
    **dict.fromkeys(
        ("delay put", "delay send", "delay publish", "delay create", "delay add"),
        "mqtriage msg put QUEUE --delay 30s"),
    "delay show": "mqtriage msg show QUEUE MSGID, or mqtriage delay browse",
    "journal apply": "mqtriage apply FILE",
    "qmgr ping": "mqtriage check qmgr",
    **dict.fromkeys(
        ("queue who", "queue handles", "queue connections", "queue users"),
        "mqtriage queue status QUEUE --handles"),
}  # fmt: skip
"""Verbs that a group has not, or has no more, and what to type."""
OPTION_HABITS: Final[Mapping[str, str]] = {
    "--force": "--yes", "-f": "--yes", "-y": "--yes", "--assume-yes": "--yes",
    "--noconfirm": "--yes", "--no-confirm": "--yes", "--no-prompt": "--yes --no-input",
    "--confirm-all": "--yes", "--batch-mode": "--yes", "--since": "--younger-than",
    "--newer-than": "--younger-than", "--after": "--younger-than", "--last": "--younger-than",
    "--max-age": "--younger-than", "--before": "--older-than", "--until": "--older-than",
    "--age": "--older-than", "--min-age": "--older-than", "--filter": "--where",
    "--selector": "--where", "-l": "--where --limit", "--query": "--where", "--grep": "--where",
    "--search": "--where", "--match": "--where", "--max": "--limit", "--head": "--limit",
    "--first": "--limit", "--tail": "--limit", "--num": "--limit", "--count": "--limit",
    "--dryrun": "--dry-run", "--simulate": "--dry-run", "--what-if": "--dry-run",
    "--preview": "--dry-run", "--check": "--dry-run", "--noop": "--dry-run", "--json": "--output",
    "--yaml": "--output", "--csv": "--output", "--format": "--md-format --output",
    "--out-format": "--output", "--queue-manager": "--qmgr", "--qm": "--qmgr",
    "--queuemanager": "--qmgr", "--manager": "--qmgr", "--mgr": "--qmgr", "-M": "--qmgr",
    "--host": "--connection", "--port": "--tcp --connection", "--listen": "--tcp",
    "--conname": "--connection",
    "--server": "--connection", "--username": "--set",
    **dict.fromkeys(
        ("--ccdt", "--transport", "--rest-gateway", "--connect-user", "--tls-cipher",
         "--tls-keyrepo", "--tls-label", "--tls-peer", "--tls-cafile", "--tls-certfile",
         "--tls-unchecked", "--heartbeat", "--reconnect", "--application", "--library",
         "--properties-as", "--protected", "--read-only", "--no-browse"), "--set"),
    "--password": "--password-file", "--profile": "--context", "--cluster": "--context",
    "--env": "--context", "--kube-context": "--context", "--sort-by": "--sort",
    "--order-by": "--sort", "--order": "--sort", "--fields": "--columns", "--field": "--columns",
    "--cols": "--columns", "--no-headers": "--no-header", "--noheaders": "--no-header",
    "--silent": "--quiet", "-v": "--verbose", "--debug": "--verbose", "--trace": "--verbose",
    "--dest": "--to --target", "--destination": "--to --target",
    "--target-queue": "--to --target", "--id": "--msgid", "--message-id": "--msgid",
    "--msg-id": "--msgid", "--original-msgid": "--msgid",
    "--correlation-id": "--correlid", "--correl-id": "--correlid",
    "--corrid": "--correlid", "--speed": "--rate", "--throttle": "--rate", "--all": "--system",
    "--all-queues": "--system", "--file": "--out", "--output-file": "--out",
    "--dir": "--out --folder", "--directory": "--out --folder", "--output-dir": "--out --folder",
    "--in": "--delay", "--by": "--shift", "--due": "--at", "--bothresh": "--threshold",
    "--boqname": "--boq", "--backout-queue": "--boq", "--ttl": "--expiry", "--lifetime": "--expiry",
    "--time-to-live": "--expiry", "--retries": "--max-requeues", "--no-colour": "--no-color",
    "--plain": "--output", "--raw": "--hex", "--body": "--text", "--full": "--wide",
    "--show-all": "--wide", "--long": "--wide", "--follow": "--interval",
    "--refresh": "--interval", "--warning": "--warn",
    "--critical": "--crit", "-w": "--warn --wide", "-c": "--crit --columns",
}  # fmt: skip
"""What other tools call an option, and ours for it; of these those count that the command has."""

GROUPS: Final = _read_groups()
PROGRAM: Final = GROUPS.pop("")
"""Its row of help for several groups, and the files of the commands without a noun."""
COMMANDS: Final = PROGRAM.verbs
OPTIONS_GONE: Final[Mapping[str, str]] = {
    "--groupid": "--where \"group_id = 'ID'\"",
    "--put-after": "--where \"put_time > 'TIME'\", or --younger-than 2h",
    "--put-before": "--where \"put_time < 'TIME'\", or --older-than 2h",
    "--user": "--where \"user = 'NAME'\"",
    "--body-hex": "--where \"body contains X'00FF'\"",
    "--range": "--skip 2 --limit 5 takes the third to the seventh",
    "--fail-fast": "--max-errors 1",
    "--emit-where": "--emit where",
    "--emit-rules": "--emit rules",
    "--emit-toml": "--emit toml",
    "--emit-selectors": "--emit selectors",
    "--at-least": "--min-backout N",
    "--no-archive-bodies": "--no-bodies",
    "--unset-prop": "--set-prop NAME takes that property away",
    "--mask-prop": "--mask prop.NAME",
    "--hash-prop": "--hash prop.NAME",
    "--text-lines": "--format dmpmqmsg-text",
    "--digest-key-file": "--key-file FILE",
    "--statistics": "--format statistics",
    "--show-settings": "--format settings",
    "--transacted": "--as KIND,transacted",
    "--client-version": "--as KIND,client-version=V.R.M.F",
    "--poison-discard": "--as KIND,poison-discard=np-only",
    "--handling": "--as KIND,handling=off",
    "--node-retry": "--as flow,node-retry=N",
    "--failure-terminal": "--as flow,failure-terminal=fail",
    "--failure-limit": "--as flow,failure-limit=2x",
    "--executor-memory": "--conf spark.executor.memory=SIZE",
    "--packages": "--conf spark.jars.packages=GROUP:NAME:VERSION",
    "--every": "--interval 30s",
    "--snapshot-every": "--interval 10m",
    "--origin": "--wide shows where each value comes from",
    "--strip": "--headers strip",
    "--idle-warn": "--idle 3m,5m warns after 3m; 3m, only warns",
    "--overdue-warn": "--overdue 1m,15m warns at 1m; 1m, only warns",
    "--overdue-crit": "--overdue 15m",
    "--expect-max": "--expect N",
    "--unlimited-older-than": "--older-than 30d without --expires-within",
    "--job": "--only JOB",
}
"""Options whose work others do, and what to type; it counts where the command has its option."""
OPTIONS_ELSEWHERE: Final[Mapping[str, tuple[str, str]]] = {
    "--alias-of": ("mqtriage queue define", "TARGET=QUEUE makes it an alias"),
    "--freeze": ("mqtriage emulator clock", "mqtriage emulator clock QM1 freeze"),
    "--run": ("mqtriage emulator clock", "mqtriage emulator clock QM1 run"),
    "--action": ("mqtriage journal ls", "mqtriage journal ls purge: an action has no option here"),
    "--yes": ("mqtriage emulator lab rollback", "it asks nothing: leave --yes out"),
    "--sign": (
        "mqtriage",
        "ssh-keygen -Y sign -f KEY -n mqtriage PLAN signs a plan; apply --signed-by checks it",
    ),
    "--definitions": ("mqtriage emulator ls", "mqtriage mqsc export DIR writes the definitions"),
    "--no-pager": ("mqtriage", "MQTRIAGE_PAGER= in the environment means no pager"),
    "--msgid": ("mqtriage msg show", "mqtriage msg show QUEUE MSGID: the id has no option here"),
    "--act": ("mqtriage journal ls", "mqtriage journal ls purge: an action has no option here"),
    "--queue": ("mqtriage journal ls", "mqtriage journal ls QUEUE: a queue has no option here"),
    "--user": ("mqtriage journal ls", "mqtriage journal ls USER: a user has no option here"),
    "--where": (
        "mqtriage archive ls",
        "mqtriage archive copy ARCHIVE --where CONDITION copies the messages to a new archive",
    ),
    "--fix": ("mqtriage lint", "mqtriage lint fix"),
    "--explain": ("mqtriage lint", "mqtriage lint explain"),
    "--write-baseline": ("mqtriage lint", "mqtriage lint baseline"),
    "--follow": ("mqtriage", "mqtriage watch QUEUE prints messages as they arrive"),
    "--watch": ("mqtriage", "mqtriage top keeps numbers up to date; mqtriage watch, messages"),
}
"""What other tools have as an option and we as a command: where it is typed, and what to type."""
