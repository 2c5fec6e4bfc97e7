"""`mqtriage check qmgr|queue|backout|dlq|expiry`: queues against thresholds, without browsing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mqtriage.backends.name_resolution import find_queue, local_queue
from mqtriage.backends.port import Backend, Capability, ObjectDefinition, QueueStatus
from mqtriage.commands.queue.queues import (
    backout_queues,
    lacks_reader,
    once_if_listed,
    queues_for_people,
)
from mqtriage.definitions.backout_policy import (
    boqname_of,
    half_set,
    pending,
    pending_text,
    threshold_of,
)
from mqtriage.model.check_result import CheckedObject, Measure, Metric, Status
from mqtriage.model.thresholds import MeasureUnit, Thresholds, parse_threshold
from mqtriage.model.units import count_text, humane_duration
from mqtriage.mq.backout import too_high
from mqtriage.mq.errors import MQIError, ObjectNotFound
from mqtriage.mq.names import check_generic_name, is_system

_NO_AGE: Final = "the age of the oldest message is unknown: MONQ is off"
_NO_EXPIRED: Final = "the number of expired messages that still count is unknown without a browse"


def thresholds_of(warn: str, crit: str) -> Thresholds:
    """Default thresholds of a check; "" for none."""
    return Thresholds(
        (parse_threshold(warn),) if warn else (),
        (parse_threshold(crit),) if crit else (),
    )


FILL_UNITS: Final = (MeasureUnit.COUNT, MeasureUnit.PERCENT, MeasureUnit.DURATION)
QMGR_UNITS: Final = (MeasureUnit.DURATION,)
EXPIRY_UNITS: Final = (MeasureUnit.COUNT, MeasureUnit.PERCENT)
QUEUE_THRESHOLDS: Final = thresholds_of("80%", "95%")
BACKOUT_THRESHOLDS: Final = thresholds_of("1", "80%")
DLQ_THRESHOLDS: Final = thresholds_of("1", "80%")
EXPIRY_THRESHOLDS: Final = thresholds_of("25%", "50%")


# the queue manager ---------------------------------------------------------------------------


def check_queue_manager(
    backend: Backend, thresholds: Thresholds, took_ms: float
) -> list[CheckedObject]:
    """That it answers, and how soon.

    Args:
        took_ms: from the start of the connection.
    """
    attributes = backend.queue_manager_attributes()
    checked = CheckedObject("qmgr")
    checked.facts.append(
        f"answers in {took_ms:.0f} ms, command level {attributes.get('CMDLEVEL', 'unknown')}"
    )
    metric = Metric("response_time", round(took_ms / 1000, 3), Measure.SECONDS)
    checked.measure(metric, thresholds, MeasureUnit.DURATION, f"answers in {took_ms:.0f} ms")
    return [checked]


# queues --------------------------------------------------------------------------------------


def check_queues(
    backend: Backend,
    patterns: Sequence[str],
    thresholds: Thresholds,
    idle_warn_ms: int | None = None,
    idle_crit_ms: int | None = None,
) -> list[CheckedObject]:
    """Depth, fill, age and silence of local queues.

    What it does not judge is noted in `is_unread` and `rolled_back`.

    Args:
        patterns: names or generic names; none is every queue but SYSTEM ones.
        idle_warn_ms, idle_crit_ms: how long a queue may get no message; None is for ever.
    """
    results = []
    for_people = once_if_listed(backend, queues_for_people)
    for checked, queue in _matching(backend, "queue", patterns):
        results.append(checked)
        if queue is None:
            continue
        status = backend.status(queue.name)
        if status.curdepth:
            checked.is_unread = lacks_reader(queue, status, backend.now_us(), for_people)
            is_for_people = queue.name in (for_people() or ())
            checked.rolled_back = 0 if is_for_people else pending(backend, queue)
        fill(checked, queue, status, thresholds, backend.now_us())
        idle = ((Status.CRITICAL, idle_crit_ms), (Status.WARNING, idle_warn_ms))
        _silence(checked, queue, status, [(s, ms) for s, ms in idle if ms is not None], backend)
        if checked.status is Status.OK:
            checked.next = ()
        handles = f"{status.ipprocs} reading, {status.opprocs} writing"
        checked.facts.append(handles)
        checked.metrics.append(Metric("readers", status.ipprocs))
        checked.metrics.append(Metric("writers", status.opprocs))
        if queue.attributes.get("PUT") == "DISABLED":
            checked.add(Status.WARNING, "PUT(DISABLED): programs cannot put messages")
        _add_get_disabled(checked, queue, status.curdepth)
        if status.uncommitted:
            many = backend.platform != "zos"  # there UNCOM is YES or NO
            checked.facts.append(f"{f'{status.uncommitted} ' if many else ''}uncommitted")
            if checked.status is Status.OK:  # who looks at an alarm sees them as well
                checked.next = ("queue", "status", queue.name, "--handles")
        checked.shows_facts = True
    return results


def _add_get_disabled(
    checked: CheckedObject, queue: ObjectDefinition, depth: int, whose: str = ""
) -> None:
    """GET(DISABLED): a problem where messages wait, else a fact.

    Args:
        whose: ``backout queue of ORDERS.IN: ``.
    """
    if queue.attributes.get("GET") != "DISABLED":
        return
    if depth:
        text = f"{whose}GET(DISABLED): the waiting messages cannot be read"
        checked.add(Status.WARNING, text)
    else:
        checked.facts.append("GET(DISABLED)")


def _matching(
    backend: Backend, check: str, patterns: Sequence[str]
) -> Iterator[tuple[CheckedObject, ObjectDefinition | None]]:
    """The local queues to check; one that was named and is not there is CRITICAL."""
    seen: set[str] = set()
    for pattern in patterns or ("*",):
        check_generic_name(pattern)
        if not pattern.endswith("*"):
            checked = CheckedObject(check, pattern)
            try:
                queue, note = local_queue(backend, pattern, f"check {pattern}")
            except MQIError as error:
                checked.add(_status_of(error), error.text)
                yield checked, None
                continue
            checked.facts += [note] if note else []
            checked.cluster = _cluster_of(queue)
            yield checked, queue
            continue
        matched = False
        for queue in backend.queues(pattern):
            hidden = not patterns and is_system(queue.name)
            if queue.kind != "QLOCAL" or hidden:
                continue
            matched = True
            if queue.name not in seen:
                seen.add(queue.name)
                yield CheckedObject(check, queue.name, cluster=_cluster_of(queue)), queue
        if patterns and not matched:
            checked = CheckedObject(check, pattern)
            checked.add(Status.UNKNOWN, "no local queue has this name")
            yield checked, None


def _cluster_of(queue: ObjectDefinition) -> str:
    return str(queue.attributes.get("CLUSTER", ""))


def _status_of(error: MQIError) -> Status:
    """A queue that is not there is an alarm; what cannot be looked at is not known."""
    return Status.CRITICAL if isinstance(error, ObjectNotFound) else Status.UNKNOWN


def fill(
    checked: CheckedObject,
    queue: ObjectDefinition,
    status: QueueStatus,
    thresholds: Thresholds,
    now_us: int,
) -> None:
    """Depth, fill and the age of the oldest message of a queue that was asked just now."""
    maxdepth = queue.attributes.get("MAXDEPTH")
    most = maxdepth if isinstance(maxdepth, int) else None
    checked.cluster = _cluster_of(queue)
    measure_fill(checked, status.curdepth, most, _age_ms(status, now_us), thresholds)


def measure_fill(
    checked: CheckedObject, depth: int, most: int | None, age_ms: int | None, thresholds: Thresholds
) -> None:
    """Hold depth, fill and the age of the oldest message against the thresholds.

    Args:
        depth: messages on the queue.
        most: MAXDEPTH; None where it is not known.
        age_ms: of the oldest message; 0 for an empty queue, None where it is not known.
    """
    text = f"{depth} of {count_text(most)}" if most is not None else f"{depth}"
    checked.facts.append(text)
    checked.measure(Metric("depth", depth, most=most), thresholds, MeasureUnit.COUNT, text)
    share = None if most is None else 100 * depth / most if most else 100.0
    percent = Metric("fill", share, Measure.PERCENT, most=100)
    shown = (
        "" if share is None else f"{share if share >= 100 else min(share, 99):.0f}% full ({text})"
    )
    checked.measure(percent, thresholds, MeasureUnit.PERCENT, shown)
    if age_ms:
        checked.facts.append(f"oldest {humane_duration(age_ms)}")
    oldest = Metric("oldest_age", None if age_ms is None else age_ms / 1000, Measure.SECONDS)
    age_text = "" if age_ms is None else f"the oldest message is {humane_duration(age_ms)} old"
    checked.measure(oldest, thresholds, MeasureUnit.DURATION, age_text, unknown=_NO_AGE)


def _age_ms(status: QueueStatus, now_us: int) -> int | None:
    if status.oldest_put_time_us is not None:
        return max(0, now_us - status.oldest_put_time_us) // 1000
    return None if status.curdepth else 0


def _silence(
    checked: CheckedObject,
    queue: ObjectDefinition,
    status: QueueStatus,
    idle: Sequence[tuple[Status, int]],
    backend: Backend,
) -> None:
    """How long nothing was put; *idle* has the thresholds in milliseconds, the worst first."""
    if not idle:
        return
    if checked.status is Status.OK:  # it is about who puts
        checked.next = ("queue", "status", queue.name, "--handles")
    last = status.last_put_time_us
    if last is None:
        if not _put_times_known(queue, backend):
            text = "the time of the last put is unknown: MONQ is off"
            checked.add(Status.UNKNOWN, text)
            return
        checked.add(idle[0][0], "according to the queue manager, no message was ever put")
        return
    silent_ms = max(0, backend.now_us() - last) // 1000
    checked.metrics.append(Metric("idle", silent_ms / 1000, Measure.SECONDS))
    for status_word, threshold_ms in idle:
        if silent_ms >= threshold_ms:
            limit = humane_duration(threshold_ms)
            text = f"nothing put for {humane_duration(silent_ms)} (threshold {limit})"
            checked.add(status_word, text)
            return


def _put_times_known(queue: ObjectDefinition, backend: Backend) -> bool:
    if Capability.PUT_TIMES_KNOWN in backend.capabilities:
        return True
    word = queue.attributes.get("MONQ", "OFF")
    if word == "QMGR":
        word = backend.queue_manager_attributes().get("MONQ", "OFF")
    return word not in ("OFF", "NONE")


# backout queues ------------------------------------------------------------------------------


def check_backout(
    backend: Backend, patterns: Sequence[str], thresholds: Thresholds
) -> list[CheckedObject]:
    """Backout queues of the local queues named, whether or not BOTHRESH lets anything use them.

    It also reports messages that were rolled back and are still on those queues, and queues where
    only one of BOTHRESH and BOQNAME is set, or BOTHRESH is above 100. A backout queue can be named
    directly: if the queue manager lists no queues, one with neither setting counts as one.
    """
    results: dict[str, CheckedObject] = {}  # one each, as a backout queue can have its own
    done: set[str] = set()
    uncounted: set[str] = set()
    used = once_if_listed(backend, backout_queues)
    for checked, queue in _matching(backend, "backout", patterns):
        if queue is None:
            results.setdefault(checked.object, checked)
            continue
        boq, count = boqname_of(queue), pending(backend, queue)
        if count is None:
            uncounted.add(queue.name)
        has_setting = bool(boq or threshold_of(queue))
        if has_setting or (count and queue.name not in (used() or ())):
            _input_queue(queue, count, results)
        if boq and boq not in done:
            done.add(boq)
            _backout_queue(backend, boq, queue.name, thresholds, results)
        if checked.object not in patterns or queue.name in done:  # or an alias of it
            continue
        known = used()
        is_backout_queue = queue.name in known if known is not None else not has_setting
        if is_backout_queue:
            done.add(queue.name)
            _backout_queue(backend, queue.name, "", thresholds, results)
        elif not has_setting:
            _plain_queue(_entry(results, queue.name, _cluster_of(queue)), count)
    if not results:
        _entry(results, "").facts.append("no queue has BOTHRESH or BOQNAME")
    if uncounted - done:
        _add_uncounted(_entry(results, ""), uncounted - done, patterns, backend)
    return list(results.values())


def _plain_queue(checked: CheckedObject, count: int | None) -> None:
    """A queue that was named, with no setting, and that no BOQNAME names: an input queue."""
    checked.facts.append("checked as an input queue, as no BOQNAME names it")
    checked.facts.append("neither BOTHRESH nor BOQNAME is set")
    if checked.status is Status.OK and count is not None:
        checked.next = ("check", "queue", checked.object)


def _add_uncounted(
    checked: CheckedObject, names: set[str], patterns: Sequence[str], backend: Backend
) -> None:
    """How many input queues only a browse tells of, and what browses them: never all queues."""
    checked.facts.append(f"{count_text(len(names), 'queue')} not browsed for rolled-back messages")
    if Capability.UNITS_OF_WORK in backend.capabilities:  # over REST, only msg browse runs
        named = patterns if len(patterns) == 1 else names if len(names) == 1 else ("QUEUE",)
        checked.next = ("backout", "pending", *named)


def _entry(results: dict[str, CheckedObject], name: str, cluster: str = "") -> CheckedObject:
    return results.setdefault(name, CheckedObject("backout", name, cluster=cluster))


def _backout_queue(
    backend: Backend, name: str, of: str, thresholds: Thresholds, results: dict[str, CheckedObject]
) -> None:
    checked = _entry(results, name)
    whose = f"backout queue of {of}: " if of else ""
    try:
        queue, _ = local_queue(backend, name, f"check {name}")
    except MQIError as error:
        checked.add(_status_of(error), f"{whose}{error.text}")
        if of:  # the name is not the user's, but of BOQNAME
            checked.next = ("backout", "ls", "--problems")
        return
    if "DISABLED" in (queue.attributes.get("PUT"), backend.queue(name).attributes.get("PUT")):
        checked.add(Status.CRITICAL, f"{whose}PUT(DISABLED): poison messages cannot be moved there")
    status = backend.status(queue.name)
    fill(checked, queue, status, thresholds, backend.now_us())
    _add_get_disabled(checked, queue, status.curdepth, whose)


def _input_queue(
    queue: ObjectDefinition, count: int | None, results: dict[str, CheckedObject]
) -> None:
    """Messages not moved yet, if no browse is needed; settings that move none."""
    for problem in filter(None, (half_set(queue), too_high(threshold_of(queue)))):
        checked = _entry(results, queue.name, _cluster_of(queue))
        checked.add(Status.WARNING, problem)
        checked.next = () if count else ("backout", "ls", "--problems")
    if count:
        checked = _entry(results, queue.name, _cluster_of(queue))
        checked.metrics.append(Metric("poison" if threshold_of(queue) else "rolled_back", count))
        checked.add(Status.WARNING, pending_text(queue, count))


# the dead-letter queue -----------------------------------------------------------------------


def check_dead_letters(backend: Backend, thresholds: Thresholds) -> list[CheckedObject]:
    """The queue manager's dead-letter queue."""
    name = str(backend.queue_manager_attributes().get("DEADQ", ""))
    checked = CheckedObject("dlq", name)
    if not name:
        checked.add(Status.CRITICAL, "DEADQ is blank: there is no queue for undeliverable messages")
        return [checked]
    queue = find_queue(backend, name)
    if queue is None or queue.kind != "QLOCAL":
        what = "is not defined" if queue is None else f"is a {queue.kind}"
        checked.add(Status.CRITICAL, f"DEADQ({name}) {what}")
        return [checked]
    if queue.attributes.get("PUT") == "DISABLED":
        checked.add(
            Status.CRITICAL, "PUT(DISABLED): the queue does not accept undeliverable messages"
        )
    status = backend.status(name)
    fill(checked, queue, status, thresholds, backend.now_us())
    _add_get_disabled(checked, queue, status.curdepth)
    return [checked]


# expired messages ----------------------------------------------------------------------------


def check_expiry(
    backend: Backend, patterns: Sequence[str], thresholds: Thresholds
) -> list[CheckedObject]:
    """Messages that expired and still count in CURDEPTH; per cent is of MAXDEPTH."""
    results = []
    for checked, queue in _matching(backend, "expiry", patterns):
        results.append(checked)
        if queue is None:
            continue
        insight = backend.insight
        maxdepth = queue.attributes.get("MAXDEPTH")
        most = maxdepth if isinstance(maxdepth, int) else None
        expired = insight.lifetimes(queue.name).expired if insight is not None else None
        text = "" if expired is None else f"{expired} expired but still counted"
        checked.facts.append(text or _NO_EXPIRED)
        count = Metric("expired", expired, most=most)
        checked.measure(count, thresholds, MeasureUnit.COUNT, text, unknown=_NO_EXPIRED)
        share = None if expired is None or not most else 100 * expired / most
        percent = Metric("expired_fill", share, Measure.PERCENT, most=100)
        shown = "" if share is None else f"{text}: {share:.0f}% of MAXDEPTH({most})"
        checked.measure(percent, thresholds, MeasureUnit.PERCENT, shown, unknown=_NO_EXPIRED)
    return results
