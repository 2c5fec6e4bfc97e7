"""Where a poison message came from: the reverse map of BOQNAME, and the JMS destination in it."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.definitions.backout_policy import Queues, boqname_of, lead
from mqtriage.messages.decoded import decoded
from mqtriage.messages.filters.selection import Selection
from mqtriage.mq.errors import MQIError, NotFound, Refused
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.rfh2 import destination_queue
from mqtriage.mq.message import Message
from mqtriage.operations.selection.selected import selected
from mqtriage.records import NamedTuple

_COMPARED: Final = 1_000
"""Messages of a queue whose programs are read; one with more is not read at all."""
Sureness: TypeAlias = Literal["sure", "likely", "unknown"]


class MessageOrigin(NamedTuple):
    """Where a message on a backout queue came from, as far as is known.

    Attributes:
        queue: None where it is unknown.
        sent_to: its JMS destination, None also where that is the backout queue.
        program: its PutApplName, or that with its Format, where only *queue* has other messages of
            that program, or of that program with that Format.
    """

    queue: str | None
    sure: Sureness
    sent_to: str | None
    program: str = ""

    def evidence(self, known: int) -> str:
        """What its sureness follows from; *known* is the number of `candidates`."""
        if self.sent_to is not None:
            led = "" if self.queue else ", whose BOQNAME does not lead here"
            return f"JMS destination {self.sent_to}{led}"
        if self.program:
            return (
                "no JMS destination but this queue; of the queues whose BOQNAME leads here, only"
                f" {self.queue} contains messages of {self.program}"
            )
        if self.sure == "likely":
            return "no JMS destination but this queue; the only queue whose BOQNAME leads here"
        of = f"{known or 'no'} queues have"  # one alone is likely
        return f"no JMS destination but this queue; {of} a BOQNAME that leads here"


class PossibleOrigin(NamedTuple):
    """A queue whose BOQNAME leads to the backout queue."""

    definition: ObjectDefinition
    evidence: str


def candidates(queues: Queues, backout_queue: str) -> dict[str, PossibleOrigin]:
    """The local queues whose BOQNAME leads to *backout_queue*, through an alias too, by name.

    Args:
        queues: every definition of the queue manager, by name.
    """
    base, _ = lead(backout_queue, queues)
    known: dict[str, PossibleOrigin] = {}
    if base is None:
        return known
    for queue in queues.values():
        name = boqname_of(queue) if queue.kind == "QLOCAL" else ""
        if not name or queue.name == base.name or lead(name, queues)[0] != base:
            continue
        text = f"BOQNAME({name})" + (f", an alias of {base.name}" if name != base.name else "")
        known[queue.name] = PossibleOrigin(queue, text)
    return known


def destination_of(message: Message) -> str | None:
    """The queue in jms.Dst of a message; None where it has no such property."""
    form = message.md.format
    if form and form not in HEADER_FORMATS:
        return None
    return jms_destination(decoded(message)["chain"])


class ProgramsOnQueues:
    """Which of several queues has messages of a program; read when it is first asked.

    A browse can make the queue manager discard expired messages, so a queue is only read where it
    is known to have none, and where it has no more messages than `_COMPARED`. Where one queue is
    not read, nothing is said of the others.
    """

    def __init__(self, backend: Backend, names: Collection[str]) -> None:
        self._backend = backend
        self._names = names
        self._programs: dict[str, frozenset[str]] | None = None

    def only(self, programs: Iterable[str]) -> tuple[str, str] | None:
        """The one queue that has messages of the first of *programs* that just one queue has.

        Returns:
            The queue, and which of *programs* it is.
        """
        if self._programs is None:
            self._programs = self._read()
        for program in programs:
            having = [name for name, of_queue in self._programs.items() if program in of_queue]
            if len(having) == 1:
                return having[0], program
        return None

    def _read(self) -> dict[str, frozenset[str]]:
        insight = self._backend.insight
        programs: dict[str, frozenset[str]] = {}
        try:
            for name in self._names:
                if insight is None or insight.lifetimes(name).expired:
                    return {}
                if self._backend.status(name).curdepth > _COMPARED:
                    return {}
                messages = selected(self._backend, name, Selection(), max_length=0)
                programs[name] = frozenset(chain.from_iterable(map(programs_of, messages)))
        except (MQIError, Refused):  # it may not be browsed (no_browse)
            return {}
        return programs


def programs_of(message: Message) -> tuple[str, ...]:
    """PutApplName, and that with the Format: ``("APPA", "APPA with Format MQSTR")``."""
    program = message.md.put_appl_name.rstrip(" \0")
    return (
        (program, f"{program} with Format {message.md.format or 'MQFMT_NONE'}") if program else ()
    )


def origin_of(
    queues: Queues,
    known: Collection[str],
    backout_queue: str,
    sent_to: str | None,
    own_programs: Sequence[str] = (),
    programs: ProgramsOnQueues | None = None,
) -> MessageOrigin:
    """The origin of a message, by the queues that back out to its queue and its JMS destination.

    `sure` if the destination is one of these queues, directly or through an alias. `likely` if the
    message has no destination and only one queue backs out to this one, or only one of several has
    other messages of its program: a program may also have put the message there itself.

    IBM's JMS client puts an MQRFH2 in front of a plain message that it moves, and writes the
    backout queue into it: that says nothing of where the message was backed out from.

    Args:
        known: names of the `candidates`.
        own_programs: `programs_of` the message, to be looked for in *programs*.
    """
    base, _ = lead(sent_to or "", queues)
    if base is not None and base == lead(backout_queue, queues)[0]:
        sent_to = None
    if sent_to is not None:
        origin = origin_name(queues, known, sent_to)
        return MessageOrigin(origin, "sure" if origin else "unknown", sent_to)
    if len(known) == 1:
        return MessageOrigin(next(iter(known)), "likely", None)
    if programs is not None and (only := programs.only(own_programs)) is not None:
        queue, program = only
        return MessageOrigin(queue, "likely", None, program)
    return MessageOrigin(None, "unknown", None)


def jms_destination(headers: list[Mapping[str, Any]]) -> str | None:
    """The queue in jms.Dst of the first MQRFH2 that has one."""
    for header in headers:
        for folder in header["fields"].get("folders", ()) if header["name"] == "MQRFH2" else ():
            for item in folder["properties"] if folder["name"] == "jms" else ():
                if item["name"] == "Dst" and isinstance(item["value"], str):
                    return destination_queue(item["value"])
    return None


def origin_name(queues: Queues, known: Container[str], sent_to: str | None) -> str | None:
    """The candidate that a destination names, by itself or through an alias; None if it is none."""
    alias = queues.get(sent_to or "")
    if alias is not None and alias.kind == "QALIAS":
        sent_to = str(alias.attributes.get("TARGET", ""))
    return sent_to if sent_to in known else None


def dead_letter_queue(backend: Backend) -> str:
    """DEADQ of the queue manager; `NotFound` where it is blank."""
    name = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
    if not name:
        raise NotFound(
            f"{backend.queue_manager} has no dead-letter queue (DEADQ is blank)",
            hint="name a queue: mqtriage dlq browse QUEUE",
            object_name=backend.queue_manager,
        )
    return name
