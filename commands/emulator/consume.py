"""`mqtriage emulator lab consume`: run a simulated consumer on a queue and tell what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.emulator.requests import ConsumeRequest, SimulatedConsumer
from mqtriage.emulator.clients import handlers
from mqtriage.emulator.clients.events import Event, Happened
from mqtriage.emulator.clients.inquiry import version_parts
from mqtriage.emulator.core.remote import path_to
from mqtriage.model.plan import Plan
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq.backout import PoisonDiscard
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_queue_name
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from mqtriage.emulator.clients.events import Consumer
    from mqtriage.emulator.clients.jms_applications import SyncApplication
    from mqtriage.emulator.core.connections import Connection

GREATEST_LIMIT: Final = 100_000


class Profile(StrEnum):
    """Kinds of consumer, as `--as` names them."""

    JMS_SYNC = "jms-sync"
    JMS_ASYNC = "jms-async"
    ASF = "asf"
    MQI = "mqi"
    FLOW = "flow"
    FLOW_JMS = "flow-jms"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerEvent:
    """What the consumer did with a message."""

    n: int = column("N", Show.NUMBER)
    msg_id: str = column("MSGID", Show.ID, yields=1)
    event: str = column("EVENT", width=13)
    backout_count: int = column("BACKOUT", Show.NUMBER, yields=2)
    queue: str | None = column("QUEUE", Show.NAME, width=20)
    reason: str = column("REASON")


def plan(backend: EmulatedBackend, queue: str, request: ConsumeRequest) -> Plan:
    """What a run would work on.

    Raises:
        UsageError: An option or the condition cannot be understood.
        ObjectNotFound: 2085.
    """
    check_queue_name(queue)
    _check(request)
    simulated = consumer_of(request.kind)
    _handler(request, backend.now_us())
    doing = f"consume from {queue}"
    path = path_to(backend.manager, queue, doing)
    local = backend.manager.local(path[-1].name, doing)
    depth = backend.status(local.name).curdepth
    plan = Plan("consume", queue, count=min(depth, request.limit))
    plan.facts |= {
        "consumer": simulated.profile,
        "local_queue": local.name,
        "bothresh": local.attributes.get("BOTHRESH", 0),
        "boqname": local.attributes.get("BOQNAME", ""),
        "deadq": backend.queue_manager_attributes().get("DEADQ", ""),
        "steps_at_most": request.limit,
    }
    if depth > request.limit:
        plan.notes.append(
            f"takes at most {request.limit} of {count_text(depth)} (--limit {request.limit})"
        )
    plan.notes.append("messages are consumed, moved or lost as this consumer would do")
    return plan


_CHOICES: Final = {
    "poison-discard": ("any", "np-only"),
    "handling": ("on", "off"),
    "failure-terminal": ("ok", "fail", "none"),
    "failure-limit": ("1x", "2x"),
}
_KEYS: Final = ("transacted", "client-version", "node-retry", *_CHOICES)


def consumer_of(kind: str) -> SimulatedConsumer:
    """Read ``--as``: ``flow,node-retry=2``."""
    profile, *pairs = kind.split(",")
    _one_of("--as", profile, tuple(Profile))
    values: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in _KEYS:
            keys = "=, ".join(_KEYS[1:])
            raise UsageError(f"--as {kind[:60]}: no {key!r}", hint=f"{_KEYS[0]}, {keys}=")
        if key in _CHOICES:
            _one_of(key, value, _CHOICES[key])
        values[key.replace("-", "_")] = value
    if "transacted" in values:
        _one_of("transacted", values["transacted"], ("", "yes"))
        values["transacted"] = True
    if (retry := values.get("node_retry")) is not None:
        if not retry.isdecimal():
            raise UsageError(f"node-retry {retry[:40]}: 0 or more is expected")
        values["node_retry"] = int(retry)
    consumer = SimulatedConsumer(profile=profile, **values)
    version_parts(consumer.client_version)
    jms = profile in (Profile.JMS_SYNC, Profile.JMS_ASYNC)
    if consumer.transacted and not jms:
        raise UsageError(f"transacted is for jms-sync and jms-async; {profile} does not support it")
    if consumer.handling == "off" and profile not in (Profile.MQI, Profile.FLOW):
        raise UsageError(
            f"handling=off is for mqi and flow; {profile} always handles poison messages"
        )
    if profile != Profile.FLOW:
        for key in ("node-retry", "failure-terminal", "failure-limit"):
            if key.replace("-", "_") in values:
                raise UsageError(f"{key} is for --as flow, not {profile}")
    return consumer


def _check(request: ConsumeRequest) -> None:
    if not 1 <= request.limit <= GREATEST_LIMIT:
        raise UsageError(f"--limit {request.limit}: allowed is 1 to {GREATEST_LIMIT}")


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"{what} {value[:40]}: expected {', '.join(filter(None, allowed))}")


def _handler(request: ConsumeRequest, now_us: int) -> handlers.Handler:
    """The application, from --fail-when and --rollback."""
    handler: handlers.Handler = (
        handlers.accepts_all if request.rollback is None else handlers.always_fails
    )
    if request.fail_when is not None:
        from mqtriage.messages.filters.predicate import compile_tree
        from mqtriage.messages.filters.where import parse_where

        tree = parse_where(request.fail_when, what="--fail-when")
        handler = handlers.fails_when(compile_tree(tree, now_us), request.fail_when)
    if request.rollback is not None:
        if request.rollback < 0:
            raise UsageError(f"--rollback {request.rollback}: 0 or more is expected")
        handler = handlers.fails_first(request.rollback, handler)
    return handler


def consume(
    backend: EmulatedBackend,
    queue: str,
    request: ConsumeRequest,
    should_stop: Callable[[], bool] = lambda: False,
) -> Listing:
    """Run the consumer until the queue has nothing for it, it gives up, or the limit is reached.

    Returns:
        One record an event. The summary says how many of each there were, why it stopped, and the
        depth of every queue a message was moved to, read afterwards.

    Raises:
        UsageError: An option or the condition cannot be understood.
        MQIError: The consumer cannot open the queue or inquire it.
    """
    handler = _handler(request, backend.now_us())
    consumer = _consumer(backend.connection, queue, consumer_of(request.kind), handler)
    stopped = "empty"
    steps = 0
    try:
        while consumer.step():
            steps += 1
            if steps >= request.limit:
                stopped = "limit"
                break
            if should_stop():
                stopped = "interrupted"
                break
    finally:
        events = list(consumer.log)
        backend.backout()
        consumer.close()
    if consumer.blocked:
        stopped = "blocked"
    items = [keys_of(_record(number, event)) for number, event in enumerate(events, 1)]
    listing = Listing("ConsumerEventList", columns_of(ConsumerEvent), items)
    listing.summary.update(_summary(backend, queue, events, steps, stopped))
    listing.warnings.extend(_warnings(events, request, queue, stopped))
    return listing


def _record(number: int, event: Event) -> ConsumerEvent:
    return ConsumerEvent(
        n=number,
        msg_id=event.msg_id.hex().upper(),
        event=event.happened.value,
        backout_count=event.backout_count,
        queue=event.queue or None,
        reason=event.reason,
    )


def _summary(
    backend: EmulatedBackend, queue: str, events: list[Event], steps: int, stopped: str
) -> dict[str, Any]:
    counts = Counter(event.happened.value for event in events)
    names = dict.fromkeys([queue, *(event.queue for event in events if event.queue)])
    depths: dict[str, int] = {}
    for name in names:
        path = path_to(backend.manager, name, f"status of {name}")
        if path[-1].is_local:
            depths[path[-1].name] = backend.status(path[-1].name).curdepth
    return {
        "steps": steps,
        "stopped": stopped,
        "events": {word.value: counts[word.value] for word in Happened if counts[word.value]},
        "depths": depths,
    }


def _warnings(events: list[Event], request: ConsumeRequest, queue: str, stopped: str) -> list[str]:
    warnings = []
    lost = sum(1 for event in events if event.happened is Happened.LOST)
    if lost:
        noun = "message is" if lost == 1 else "messages are"
        warnings.append(f"{lost} {noun} lost: not on any queue, although no option requested that")
    if stopped == "limit":
        warnings.append(
            f"stopped after {request.limit} steps; there may be more, or an endless loop"
        )
    if stopped == "blocked":
        warnings.append(
            f"the message at the front of {queue} cannot be moved anywhere, so nothing behind it "
            f"can be read"
        )
    return warnings


def _consumer(
    connection: Connection, queue: str, request: SimulatedConsumer, handler: handlers.Handler
) -> Consumer | SyncApplication:
    profile = Profile(request.profile)
    discard = PoisonDiscard(request.poison_discard or "any")
    if profile in (Profile.JMS_SYNC, Profile.JMS_ASYNC, Profile.FLOW_JMS):
        from mqtriage.emulator.clients.jms import Acknowledge, JmsSession
        from mqtriage.emulator.clients.jms_applications import AsyncApplication, SyncApplication

        transacted = request.transacted or profile is Profile.FLOW_JMS
        session = JmsSession(
            connection,
            Acknowledge.TRANSACTED if transacted else Acknowledge.AUTO,
            client_version=request.client_version,
            poison_discard=discard,
        )
        kind = SyncApplication if profile is Profile.JMS_SYNC else AsyncApplication
        return kind(session, queue, handler)
    if profile is Profile.ASF:
        from mqtriage.emulator.clients.asf import ConnectionConsumer

        return ConnectionConsumer(
            connection,
            queue,
            handler,
            client_version=request.client_version,
            poison_discard=PoisonDiscard(request.poison_discard or "np-only"),
        )
    if profile is Profile.MQI:
        from mqtriage.emulator.clients.mqi_program import MqiProgram

        return MqiProgram(connection, queue, handler, handling=request.handling == "on")
    from mqtriage.emulator.clients.message_flow import FailureTerminal, MQInputFlow

    return MQInputFlow(
        connection,
        queue,
        handler,
        node_retry=request.node_retry,
        failure_terminal=FailureTerminal(request.failure_terminal),
        failure_limit=1 if request.failure_limit == "1x" else 2,
        automatic=request.handling == "on",
    )
