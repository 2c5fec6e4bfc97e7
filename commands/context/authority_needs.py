"""Which authority each group of commands needs, and which of it the connected user lacks.

What an MQOPEN asks for is tried by opening and closing: nothing is read, put or taken. What only
a change would show is listed, with the command that grants it, and not tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from mqtriage.backends.port import Backend, Capability
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.errors import MQIError, MQTriageError, NotAuthorized, ObjectNotFound
from mqtriage.records import NamedTuple

_RESTORING: Final = "msg copy, msg load, archive restore, journal undo, dlq run, delay release"

MODEL_QUEUE: Final = default_name("QMODEL")

_OPTIONS: Final = {
    "BROWSE": cmqc.MQOO_BROWSE,
    "GET": cmqc.MQOO_INPUT_SHARED,
    "PUT": cmqc.MQOO_OUTPUT,
    "PASSALL": cmqc.MQOO_OUTPUT | cmqc.MQOO_PASS_ALL_CONTEXT,
    "SETALL": cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT,
}
_DOES_AS_WELL: Final = {"PASSALL": "SETALL"}
"""A move sets context where it may, so who may do that need not be allowed to pass it on."""


class NeedState(StrEnum):
    """What is known of one need."""

    GRANTED = "granted"
    MISSING = "missing"
    NOT_TRIED = "not tried"
    NO_OBJECT = "no such object"
    FAILED = "failed"


class AuthorityNeed(NamedTuple):
    """What one group of commands needs on one object, and what was found out about it.

    Attributes:
        group: the acts or questions that need it, as docs/connecting.md names them.
        commands: examples of them.
        object_type: "QMGR" or "QUEUE".
        needs: words of SET AUTHREC; those that an MQOPEN can show are tried.
        missing: the authorities to ask for.
        text: what the queue manager answered, where that was something else, or why it was not
            asked.
    """

    group: str
    commands: str
    object_type: str
    object: str
    needs: tuple[str, ...]
    state: NeedState = NeedState.NOT_TRIED
    missing: tuple[str, ...] = ()
    text: str = ""


def needs(
    command_queue: str, dead_letter_queue: str, staging_queue: str, queues: Sequence[str]
) -> Iterator[AuthorityNeed]:
    """Every need, by group.

    Args:
        command_queue: what the command server reads (COMMANDQ).
        dead_letter_queue, staging_queue: "" where there is none.
        queues: others that the user asks about.
    """
    yield AuthorityNeed("connect", "any", "QMGR", "", ("CONNECT",))
    looking = "any, for the name and the platform of the queue manager"
    yield AuthorityNeed("connect", looking, "QMGR", "", ("INQ",))
    commands = "queue ls, backout ls, delay status, lint, plans of operations"
    yield AuthorityNeed("definitions", commands, "QUEUE", command_queue, ("PUT",))
    yield AuthorityNeed("definitions", commands, "QUEUE", MODEL_QUEUE, ("GET",))
    yield AuthorityNeed("definitions", commands, "QUEUE", MODEL_QUEUE, ("DSP",))
    named = dict.fromkeys((*queues, dead_letter_queue, staging_queue))
    for queue in filter(None, named):
        looking = "msg browse, dlq browse, delay browse, every plan"
        yield AuthorityNeed("look", looking, "QUEUE", queue, ("BROWSE",))
        yield AuthorityNeed("take", "msg move, dlq purge, delay cancel", "QUEUE", queue, ("GET",))
        putting = "msg put, msg move, backout requeue, dlq requeue"
        yield AuthorityNeed("put", putting, "QUEUE", queue, ("PUT", "PASSALL"))
        yield AuthorityNeed("restore", _RESTORING, "QUEUE", queue, ("PUT", "SETALL"))
        yield AuthorityNeed("change", "queue set, backout set, delay define, apply", "QUEUE", queue,
                   ("CHG", "DSP"))  # fmt: skip
    yield AuthorityNeed("restore", _RESTORING, "QMGR", "", ("SETALL",))


ROLE: Final = "ROLE"
"""Type of what a web server gives: needs of such a type are roles, one of which is enough."""

_READS: Final = ("MQWebAdmin", "MQWebAdminRO", "MQWebUser")


def role_needs(roles: Sequence[str] | None, version: int) -> Iterator[AuthorityNeed]:
    """What of IBM MQ's REST API each group of commands needs.

    Args:
        roles: those of the user; None where the web server does not tell.
        version: of the API.
    """
    for group, commands, wanted_roles in (
        ("definitions", "queue ls, backout ls, delay status, lint, plan", _READS),
        ("change", "queue set, backout set, delay define, apply", ("MQWebAdmin", "MQWebUser")),
        ("look", "msg browse, msg count, msg show", ("MQWebUser",)),
        ("put", "msg put", ("MQWebUser",)),
    ):
        need = AuthorityNeed(group, commands, ROLE, f"v{version}", wanted_roles)
        if roles is None:
            yield need._replace(text="not checked: the web server does not report the roles")
        elif set(roles) & set(wanted_roles):
            yield need._replace(state=NeedState.GRANTED)
        else:
            yield need._replace(state=NeedState.MISSING, missing=wanted_roles)


def answers(backend: Backend, needed: Iterable[AuthorityNeed]) -> list[AuthorityNeed]:
    """What was found out about each need; a queue that is not there has none of the others."""
    answered = [answer(backend, need) for need in needed]
    absent = {need.object: need for need in answered if need.state is NeedState.NO_OBJECT}
    return [
        need._replace(state=absent[need.object].state, text=absent[need.object].text, missing=())
        if need.object in absent
        else need
        for need in answered
    ]


def answer(backend: Backend, need: AuthorityNeed) -> AuthorityNeed:
    """Try what can be tried without changing anything."""
    not_tried = need._replace(missing=need.needs)
    granted = need._replace(state=NeedState.GRANTED)
    if Capability.ALL_AUTHORITY in backend.capabilities:
        # the owner of the file of an emulated queue manager may do all
        not_tried = granted._replace(text="not checked: you own its file")
    if backend.kind == "rest":
        return _over_rest(backend, not_tried)
    if need.needs == ("CONNECT",):
        return granted  # else nobody would be asking
    if not set(need.needs) <= ({"INQ"} if need.object_type == "QMGR" else _OPTIONS.keys()):
        return not_tried
    if "GET" in need.needs and need.object != MODEL_QUEUE and _is_triggered(backend, need.object):
        # closing the last handle for input may start the program that the queue triggers
        return not_tried._replace(text="not checked: the queue triggers a program")
    missing, instead = [], []
    for word in need.needs:
        try:
            opened_for = _try(backend, need.object, word)
            instead += [opened_for] if opened_for != word else []
        except NotAuthorized:
            missing.append(word)
        except ObjectNotFound as error:
            is_queue = error.reason == cmqc.MQRC_UNKNOWN_OBJECT_NAME
            text = "no such queue" if is_queue else error.text
            return need._replace(state=NeedState.NO_OBJECT, text=text)
        except MQIError as error:
            # refused for what it is, not for who asks: the authority was looked at before
            if error.reason not in _AFTER_THE_CHECK:
                return need._replace(state=NeedState.FAILED, text=error.text)
        except MQTriageError as error:
            return not_tried._replace(state=NeedState.NOT_TRIED, text=f"not checked: {error.text}")
    if missing:
        return need._replace(state=NeedState.MISSING, missing=tuple(missing))
    return granted._replace(text=" ".join(f"by +{word.lower()}" for word in instead))


def _over_rest(backend: Backend, not_tried: AuthorityNeed) -> AuthorityNeed:
    """A web server opens nothing for us: only whether a queue is there can be asked."""
    try:
        if not_tried.object:
            backend.queue(not_tried.object)
    except ObjectNotFound:
        return not_tried._replace(state=NeedState.NO_OBJECT, missing=(), text="no such queue")
    except MQTriageError:  # what it is not allowed is not told from what cannot be asked
        pass
    return not_tried._replace(text="not checked: the REST API does not open objects")


def _try(backend: Backend, queue: str, word: str) -> str:
    """Open *queue*, or the queue manager where it is "", for what *word* allows, and close it.

    Returns:
        The authority that allowed it: *word*, or what does as well.

    Raises:
        NotAuthorized: Neither it nor what does as well is there.
    """
    if not queue:
        backend.inquired_name()
        return word
    try:
        backend.open(queue, _OPTIONS[word]).close()
    except NotAuthorized:
        if word not in _DOES_AS_WELL:
            raise
        word = _DOES_AS_WELL[word]
        backend.open(queue, _OPTIONS[word]).close()
    return word


_AFTER_THE_CHECK: Final = frozenset(
    (cmqc.MQRC_OBJECT_IN_USE, cmqc.MQRC_OPTION_NOT_VALID_FOR_TYPE, cmqc.MQRC_GET_INHIBITED)
)


def _is_triggered(backend: Backend, queue: str) -> bool:
    try:
        return backend.queue(queue).attributes.get("TRIGGER") == "YES"
    except MQTriageError:
        return False


def grant(need: AuthorityNeed, user: str, *, is_zos: bool) -> str:
    """The MQSC that gives a user what is missing; "" where nothing is.

    z/OS has no SET AUTHREC: there it is said what the external security manager must allow.
    """
    if not need.missing:
        return ""
    if need.object_type == ROLE:
        return f"mqwebuser.xml: security role {' or '.join(need.missing)} for {user}"
    words = ",".join(need.missing)
    if is_zos:
        return f"ESM: {user} needs {words} on {need.object or 'the queue manager'}"
    profile = f"PROFILE('{need.object}') " if need.object else ""
    return f"SET AUTHREC {profile}OBJTYPE({need.object_type}) PRINCIPAL('{user}') AUTHADD({words})"
