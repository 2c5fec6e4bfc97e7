"""`mqtriage mqsc`: run MQSC, one command after the other, as runmqsc does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import takewhile
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.definitions.danger import name_to_confirm
from mqtriage.definitions.desired import desired_objects
from mqtriage.definitions.diff import compare, object_text
from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import kinds_named, value_text
from mqtriage.definitions.way_back import losing
from mqtriage.model.plan import LOST, Plan
from mqtriage.model.result import Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, SECRETS
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQIError,
    MQTriageError,
    ObjectNotFound,
    mqi_error,
    reason_name,
)
from mqtriage.mq.mqsc.reply import CommandEnding, Reply
from mqtriage.mq.mqsc.tree import Blank, Command, Script
from mqtriage.mq.mqsc.verbs import LEAVING
from mqtriage.operations.ledger.changes import ChangeEntry
from mqtriage.records import NamedTuple, dataclass

ACTION: Final = "run MQSC on"
_READING: Final = frozenset({"DISPLAY", "PING", *LEAVING})
_NOT_EMULATED: Final = frozenset({
    "ACTIVREC", "ACTVTRC", "AUTHOREV", "BRIDGEEV", "CHADEV", "CHLEV", "INHIBTEV", "LOCALEV",
    "LOGGEREV", "REMOTEEV", "SSLEV", "STATACLS", "STATCHL", "STATMQI", "STRSTPEV",
})  # fmt: skip
"""Attributes of a queue manager that an emulated one keeps, and does nothing with."""
_SWITCHED_OFF: Final = frozenset({"OFF", "NONE", "DISABLED", "QMGR", "MSG"})
_MOST_SHOWN: Final = 100
_LONGEST_SHOWN: Final = 200


class ScriptStep(NamedTuple):
    """One command with its answer, or lines that runmqsc only repeats.

    Attributes:
        number: as runmqsc counts commands, 0 for comments and blank lines.
        echo: the lines as they stand in the script, without passwords.
        command, reply: None for comments, blank lines; END has no reply.
    """

    number: int
    echo: str
    command: Command | None = None
    reply: Reply | None = None


@dataclass(slots=True)
class Counts:
    """What the footer says; complete once all steps were taken.

    Attributes:
        unheard: nobody reads the answers any more.
    """

    read: int = 0
    syntax_errors: int = 0
    not_processed: int = 0
    interrupted: bool = False
    unheard: bool = False
    by_ending: dict[CommandEnding, int] = field(
        default_factory=lambda: dict.fromkeys(CommandEnding, 0)
    )

    def add(self, reply: Reply) -> None:
        self.read += 1
        self.by_ending[reply.ending] += 1
        self.syntax_errors += reply.ending is CommandEnding.SYNTAX_ERROR
        was_refused = reply.ending in (CommandEnding.FAILED, CommandEnding.NOT_EMULATED)
        self.not_processed += was_refused

    @property
    def wrong(self) -> int:
        """Commands that were not carried out."""
        return self.syntax_errors + self.not_processed


def plan_run(backend: Backend, scripts: Sequence[Script], *, checks: bool = False) -> Plan:
    """What scripts would change; `confirm` is set where they take something away.

    Args:
        checks: they are only checked, which shows every command.
    """
    texts = changing_texts(scripts)
    changing = changing_commands(scripts)
    name = name_to_confirm(changing, backend.queue_manager)
    plan = Plan(ACTION, name or backend.queue_manager, count=len(changing), confirm=name)
    plan.mqsc = tuple(map(_clipped, texts[:_MOST_SHOWN]))
    if len(changing) > _MOST_SHOWN and not checks:
        more = count_text(len(changing) - _MOST_SHOWN, "more command")
        plan.notes.append(f"and {more} to change something")
    if lost := _losses(backend, changing):
        plan.facts[LOST] = lost
        plan.notes += map(_loss_text, lost, lost.values())
    plan.notes += replaced(backend, scripts)
    if backend.kind == "emulator" and (idle := without_effect(changing)):
        plan.notes.append(f"no effect on an emulated queue manager: {', '.join(idle)}")
    return plan


def without_effect(commands: Iterable[Command]) -> list[str]:
    """What the commands switch on that an emulated queue manager does not collect or report."""
    return [
        f"{parameter.keyword}({parameter.text})"
        for command in commands
        if command.verb == "ALTER" and command.noun == "QMGR"
        for parameter in command.parameters
        if parameter.keyword in _NOT_EMULATED and parameter.text not in _SWITCHED_OFF
    ]


def replaced(backend: Backend, scripts: Sequence[Script]) -> list[str]:
    """What each DEFINE with REPLACE changes of an object that is there, named by it or not.

    Those that it does not name go to the values of the default object, as in MQ.
    """
    reduced = [
        replace(script, items=tuple(c for c in changing_commands([script]) if c.verb == "DEFINE"))
        for script in scripts
    ]
    defining = [command for script in reduced for command in script.commands]
    replacing = {command.named() for command in defining if command.has("REPLACE")}
    if not replacing:
        return []
    likes = (command.value("LIKE") for command in defining)
    names = {command.named() for command in defining} | set(filter(None, likes))
    names |= set(map(default_name, QUEUE_KINDS))
    try:
        live = read_live(backend, names, depths=False, kinds=kinds_named(reduced))
        builder = EstateBuilder(live.platform)
        for script in reduced:
            builder.run(script)
        desired = desired_objects(builder.estate(live.name), live, exact=True)
        changes = compare(desired, live).changes
    except MQTriageError as error:
        return [f"what REPLACE changes is not known: {error.text}"]
    asked = {(item.kind, item.name): item.named for item in desired}
    notes = []
    for change in changes:
        if change.verb != "alter" or change.name not in replacing:
            continue
        named = asked.get((change.kind, change.name), frozenset())
        pairs = [
            f"{key} {value_text(change.before.get(key))} -> {value_text(then)}"
            + ("" if key in named else " (reset)")
            for key, then in change.attributes.items()
            if key not in SECRETS
        ]
        if pairs:
            what = object_text(change.kind, change.name)
            notes.append(f"REPLACE of {what}: {', '.join(pairs)}")
    return notes


def changing_commands(scripts: Iterable[Script]) -> list[Command]:
    """The commands that would change something, in order."""
    return [command for _, command in _changing(scripts)]


def changing_texts(scripts: Iterable[Script]) -> list[str]:
    """The same as they are written, without passwords."""
    return [script.masked(command).strip() for script, command in _changing(scripts)]


def _changing(scripts: Iterable[Script]) -> Iterator[tuple[Script, Command]]:
    for script in scripts:
        right = (command for command in script.commands if command.error is None)
        for command in takewhile(lambda command: command.verb not in LEAVING, right):
            if command.verb not in _READING:
                yield script, command


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _losses(backend: Backend, commands: list[Command]) -> dict[str, int]:
    """Queue to the number of messages that a CLEAR or a DELETE PURGE would take along.

    0 where the queue manager does not say how many these are.
    """
    lost: dict[str, int] = {}
    for name in losing(commands):
        try:
            depth = backend.status(name).curdepth
        except ObjectNotFound:
            continue  # not there (yet): the command itself will say so
        except ConnectionFailed:
            raise
        except MQIError:
            lost[name] = 0
            continue
        if depth:
            lost[name] = depth
    return lost


def _loss_text(queue: str, count: int) -> str:
    known = f"contains {count_text(count)}" if count else "may contain messages"
    return f"{queue} {known}, which will be lost without being archived"


def steps(
    scripts: Iterable[Script],
    answer: Callable[[Script, Command], Reply],
    counts: Counts,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[ScriptStep]:
    """Run or verify the commands in order; a wrong one does not stop the others, END ends a script.

    Args:
        answer: `execute` or `verify` of the command server.
        counts: filled in on the way; commands are numbered on from those that were read.
        should_stop: asked between two commands.

    Raises:
        ConnectionFailed: The queue manager went away.
    """
    number = counts.read
    for script in scripts:
        for item in script.items:
            if should_stop():
                counts.interrupted = True
                return
            echo = script.masked(item).replace("\r", "").removesuffix("\n")
            if not isinstance(item, Command):
                if isinstance(item, Blank) and holds_mqsc(script.file):
                    continue  # what is no MQSC is blank there
                yield ScriptStep(0, echo)
                continue
            number += 1
            if item.error is None and item.verb in LEAVING:
                yield ScriptStep(number, echo, item)
                break
            reply = answer(script, item)
            counts.add(reply)
            yield ScriptStep(number, echo, item, reply)


def counting(
    answer: Callable[[Script, Command], Reply], entry: ChangeEntry
) -> Callable[[Script, Command], Reply]:
    """The same answers; the journal gets how many changes were made, and the first that failed."""

    def answered(script: Script, command: Command) -> Reply:
        reply = answer(script, command)
        if command.error is not None or command.verb in _READING:
            return reply
        if reply.ending is CommandEnding.DONE:
            entry.done += 1
        elif entry.error is None:
            name = f"({command.name.text})" if command.name else ""
            what = f"{command.verb} {command.noun}{name}".strip()
            entry.error = mqi_error(reply.reason, what) if reply.reason else MQTriageError(what)
            entry.error.text = f"{what}: {reply.problem}"
        return reply

    return answered


@dataclass(frozen=True, slots=True, kw_only=True)
class MqscReply:
    """What became of one command."""

    number: int = column("NUMBER", Show.NUMBER)
    line: int = column("LINE", Show.NUMBER, yields=2)
    command: str = column("COMMAND", width=30)
    verb: str | None = column("VERB", wide=True, place=2)
    object_type: str | None = column("OBJECT_TYPE", wide=True, place=2)
    object: str | None = column("OBJECT", Show.NAME, wide=True, place=2)
    result: str = column("RESULT", width=12)
    completion: str = column("COMPLETION", wide=True)
    comp_code: int = column("COMP_CODE", Show.NUMBER, wide=True, place=2)
    reason: int = column("REASON", Show.NUMBER, yields=1)
    reason_name: str | None = column("REASON_NAME", wide=True, place=2)
    message: str = column("MESSAGE", width=40)
    explanation: str = column("EXPLANATION", wide=True, place=1)
    messages: list[Record] = column("MESSAGES", wide=True, place=2)
    objects_count: int = column("OBJECTS", Show.NUMBER)
    objects: list[Record] = column("ALL_OBJECTS", wide=True, place=2)


def listing(taken: Iterator[ScriptStep], counts: Counts, *, checks: bool = False) -> Listing:
    """One record a command, for every output form but runmqsc's own.

    Args:
        checks: they were checked, and none was run.
    """
    replies = Listing("MqscReplyList", columns_of(MqscReply), (), id_key="number")
    done = "checked" if checks else CommandEnding.DONE.value
    replies.items = map(keys_of, _replies(taken, counts, replies, done))
    return replies


def _replies(
    taken: Iterator[ScriptStep], counts: Counts, replies: Listing, done: str
) -> Iterator[MqscReply]:
    for step in taken:
        if step.command is not None and step.reply is not None:
            yield _reply(step.number, step.command, step.echo, step.reply, done)
    replies.summary.update(
        commands_read=counts.read,
        syntax_errors=counts.syntax_errors,
        not_processed=counts.not_processed,
    )


def _reply(number: int, command: Command, echo: str, reply: Reply, done: str) -> MqscReply:
    is_done = reply.ending is CommandEnding.DONE
    objects: list[Record] = [dict(t.object) for t in reply.lines if t.object is not None]
    first = reply.lines[0] if reply.lines else None
    return MqscReply(
        number=number,
        line=command.line,
        command=echo.strip(),
        verb=command.verb or None,
        object_type=command.noun or None,
        object=command.name.text if command.name else None,
        result=done if is_done else reply.ending.value,
        completion="MQCC_OK" if is_done else "MQCC_FAILED",
        comp_code=0 if is_done else 2,
        reason=reply.reason,
        reason_name=reason_name(reply.reason) if reply.reason else None,
        message=f"{first.id} {first.text}".strip() if first else "",
        explanation=reply.why,
        messages=[{"id": t.id, "text": t.text, "below": list(t.below)} for t in reply.lines],
        objects_count=len(objects),
        objects=objects,
    )
