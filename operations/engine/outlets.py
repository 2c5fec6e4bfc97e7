"""What a rehearsal asks of the queues that an operation opens: all that the act would meet there.

Queues are opened and closed again; nothing is put or taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Final, TypeVar

from mqtriage.backends.name_resolution import find_queue, is_topic_alias, leaves, put_path
from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.backends.readonly import try_open
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.topic_strings import nodes
from mqtriage.mq.errors import MQIError, MQTriageError, NotAuthorized, Refused, mqi_error
from mqtriage.mq.expiry import cap_of
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.names import check_queue_name
from mqtriage.operations.copies.copy import ContextChoice
from mqtriage.records import NamedTuple, dataclass

_Opened = TypeVar("_Opened")

_NO_CONTEXT: Final = (
    "--message-context default does not need authority to {} context;"
    " mqtriage doctor {} shows what is missing"
)


def open_with_context(
    open_: Callable[[int], _Opened], choice: ContextChoice, target: str, *, may_pass: bool
) -> tuple[_Opened, bool]:
    """Open for output, to set context, or to pass it on where that alone is allowed.

    Args:
        open_: opens *target* with the MQOO_* bits that it is given.

    Returns:
        What was opened, and whether context is passed on there.
    """
    if choice == "default":
        return open_(cmqc.MQOO_OUTPUT), False
    try:
        if choice != "pass":
            return open_(cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT), False
    except NotAuthorized as error:
        if choice == "set" or not may_pass:
            error.hint = _NO_CONTEXT.format("set", target)
            raise
    try:
        return open_(cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT), True
    except NotAuthorized as error:
        error.hint = _NO_CONTEXT.format("set or pass" if choice == "keep" else "pass", target)
        raise


def ask_source(backend: Backend, queue: str) -> None:
    """Ask whether messages may be taken from a queue.

    Of a queue that triggers a program this is not asked: closing the last handle for input may
    start it.
    """
    definition = find_queue(backend, queue)
    if definition is None or definition.attributes.get("TRIGGER") != "YES":
        ask(backend, queue, cmqc.MQOO_INPUT_SHARED)


def source_problem(backend: Backend, queue: str) -> str:
    """Why messages may not be taken from a queue, "" where they may."""
    try:
        ask_source(backend, queue)
    except MQIError as error:
        return error.text
    return ""


def ask_target(
    backend: Backend, target: str, context: ContextChoice, *, may_pass: bool = False
) -> None:
    """Ask whether copies may be put on their target, as the act opens it."""
    open_with_context(
        lambda options: ask(backend, target, options), context, target, may_pass=may_pass
    )


def closed_topic(backend: Backend, alias: ObjectDefinition) -> str:
    """The topic object that keeps an alias of a topic from publishing, "" where none is seen to."""
    topic, publishes = topic_setting(backend, alias, "PUB")
    return topic if publishes == "DISABLED" else ""


def topic_setting(backend: Backend, alias: ObjectDefinition, keyword: str) -> tuple[str, str]:
    """What holds for the topic of an alias, and the object that says so; "" where nothing is seen.

    ASPARENT is the value of the nearest object above it in the topic tree.
    """
    for topic in _topics_above(backend, alias, keyword):
        value = str(topic.get(keyword, "ASPARENT"))
        if value != "ASPARENT":
            return str(topic["TOPIC"]), value
    return "", ""


def topic_cap(backend: Backend, alias: ObjectDefinition) -> tuple[str, int | None]:
    """The cap on lifetimes of the topic of an alias, in tenths, and the object that sets it.

    None where there is none, or none is seen.
    """
    for topic in _topics_above(backend, alias, "CAPEXPRY CUSTOM", "CUSTOM"):
        shown = str(topic.get("CAPEXPRY", "ASPARENT"))
        tenths: dict[str, int | str] = {"CAPEXPRY": int(shown)} if shown.isdecimal() else {}
        cap = cap_of({"CUSTOM": str(topic.get("CUSTOM", "")), **tenths})
        if cap is not None or shown != "ASPARENT":
            return str(topic["TOPIC"]), cap
    return "", None


def _topics_above(
    backend: Backend, alias: ObjectDefinition, *keywords: str
) -> Iterator[Mapping[str, object]]:
    """The topic objects from that of an alias up to the root, as DISPLAY TOPIC shows them.

    Args:
        keywords: attributes to display; the next are tried where the queue manager refuses those,
            because it is too old to have them.
    """
    for asked in keywords:
        script = parse(f"DISPLAY TOPIC(*) TOPICSTR {asked}")
        with suppress(MQTriageError):
            shown = [line.object for line in backend.run_mqsc(script, script.commands[0]).lines]
            topics = {str(topic["TOPIC"]): topic for topic in shown if topic and "TOPIC" in topic}
            if not topics:
                continue
            above = {str(topic.get("TOPICSTR", "")).strip(): topic for topic in topics.values()}
            above[""] = topics.get("SYSTEM.BASE.TOPIC", {})
            target = topics.get(str(alias.attributes.get("TARGET")))
            if target is not None:
                strings = nodes(str(target.get("TOPICSTR", "")).strip())
                yield from (above[string] for string in strings if above.get(string))
            return


def ask(backend: Backend, queue: str, options: int, **named: str) -> str:
    """Ask whether a queue can be opened so; returns where its name leads."""
    with suppress(Refused):  # a context that only reads cannot ask
        return try_open(backend, queue, options | cmqc.MQOO_FAIL_IF_QUIESCING, **named)
    return queue


class _Key(NamedTuple):
    queue: str
    queue_manager: str
    user: str | None


class _Known(NamedTuple):
    """What is known of a queue: why nothing can be put there, or by which definitions."""

    problem: str = ""
    path: Sequence[ObjectDefinition] = ()


@dataclass(eq=False)
class Outlets:
    """The queues that messages are put to, each asked once; what is planned takes room there.

    Attributes:
        source: name of the queue that the messages are on.
        context: whose context the copies have.
        may_pass: where it cannot be set, it is passed on.
        refused: a put was found that needs authority which is missing.
    """

    backend: Backend
    source: str
    context: ContextChoice = "keep"
    may_pass: bool = False
    refused: bool = False
    _known: dict[_Key, _Known] = field(default_factory=dict)
    _room: Counter[str] = field(default_factory=Counter)

    def problem(
        self,
        queue: str,
        length_bytes: int,
        queue_manager: str = "",
        user: str | None = None,
        *,
        later: bool = False,
    ) -> str:
        """Why a put would fail, "" where it would not; then its room is taken.

        Args:
            queue_manager: ObjectQMgrName where it is another one.
            user: whose authority the put needs, None where it is our own.
            later: it is sent with a delay: the queue must have room, and none is taken now.
        """
        key = _Key(queue, queue_manager, user)
        if key not in self._known:
            self._known[key] = self._look(key)
        known = self._known[key]
        return known.problem or self._put_problem(key, known.path, length_bytes, later=later)

    def staging_problem(self, queue: str, length_bytes: int) -> str:
        """Why the queue manager could not stage a message that is sent with a delay, "" if it can.

        The sender needs no authority to put there.
        """
        key = _Key(queue, "", None)
        path = put_path(self.backend, queue, f"open {queue}")
        return self._put_problem(key, path, length_bytes, later=True)

    def _look(self, key: _Key) -> _Known:
        """Open a queue as the put does, and look at its definitions where we may."""
        alternate = 0 if key.user is None else cmqc.MQOO_ALTERNATE_USER_AUTHORITY
        named = {"queue_manager": key.queue_manager, "alternate_user": key.user or ""}
        try:
            name = check_queue_name(key.queue)
            with suppress(MQIError):
                there = None if key.queue_manager else find_queue(self.backend, name)
                if there is not None and there.kind == "QMODEL":
                    return _Known()  # an open would make a queue
            resolved, _ = open_with_context(
                lambda options: ask(self.backend, name, options | alternate, **named),
                self.context,
                name,
                may_pass=self.may_pass,
            )
        except MQTriageError as error:
            self.refused = self.refused or isinstance(error, NotAuthorized)
            return _Known(error.text)
        if not key.queue_manager and resolved == self.source:
            return _Known("the message is already on that queue")
        try:
            if key.queue_manager:
                return _Known(path=[self.backend.queue(resolved)])
            path = put_path(self.backend, key.queue, f"open {key.queue}")
            if is_topic_alias(path[-1]) and (topic := closed_topic(self.backend, path[-1])):
                detail = f"{topic} has PUB(DISABLED)"
                doing = f"put to {key.queue}"
                return _Known(mqi_error(cmqc.MQRC_PUT_INHIBITED, doing, detail=detail).text)
            return _Known(path=path)
        except MQIError:
            return _Known()

    def _put_problem(
        self, key: _Key, path: Sequence[ObjectDefinition], length_bytes: int, *, later: bool
    ) -> str:
        doing = f"put to {key.queue}"
        if any(step.attributes.get("PUT") == "DISABLED" for step in path):
            return mqi_error(cmqc.MQRC_PUT_INHIBITED, doing).text
        if not path:
            return ""
        local, attributes = path[-1].name, path[-1].attributes
        header_bytes = cmqc.MQXQH_CURRENT_LENGTH if key.queue_manager or leaves(path) else 0
        if length_bytes + header_bytes > int(attributes.get("MAXMSGL", 1 << 31)):
            return mqi_error(cmqc.MQRC_MSG_TOO_BIG_FOR_Q, doing).text
        most = self.backend.queue_manager_attributes().get("MAXMSGL", 1 << 31)
        if length_bytes + header_bytes > int(most):
            return mqi_error(cmqc.MQRC_MSG_TOO_BIG_FOR_Q_MGR, doing).text
        if "MAXDEPTH" in attributes:
            if local not in self._room:
                self._room[local] = (
                    int(attributes["MAXDEPTH"]) - self.backend.status(local).curdepth
                )
            if self._room[local] <= 0:
                return mqi_error(cmqc.MQRC_Q_FULL, doing).text
            self._room[local] -= not later
        return ""
