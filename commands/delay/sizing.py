"""`mqtriage delay define`: the staging queue made fit for its load, with the sum that says why.

"Define" is an ALTER where the queue is there: on distributed it comes with the queue manager
(DD-43, DD-44), on z/OS it does not (DD-47). Where it is missing, or was deleted, it is a DEFINE.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.name_resolution import find_queue
from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.commands.delay.load_options import LoadOptions
from mqtriage.definitions.analysis_file import measured
from mqtriage.definitions.change import Change, ChangeStep, differences
from mqtriage.definitions.load_model import LoadModel, Measured
from mqtriage.definitions.rules.delayed import depth_of_load
from mqtriage.model.plan import Plan, Refusal
from mqtriage.model.units import agreeing, count_text, first_of, parse_rate
from mqtriage.mq import delay
from mqtriage.mq.attributes.catalogue import Platform, attribute, parse_value, within_bounds
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.delay import STAGING_QUEUE, ZOS_STAGING, AdvisedSize
from mqtriage.mq.errors import NotFound, UsageError
from mqtriage.mq.mqsc.format import alter_text, define_text
from mqtriage.records import dataclass

CSQ4INSG_COMMENT = (
    "* CSQ4INSG contains a sample definition of this queue, commented out.\n"
    "* The storage class must have room for all staged messages.\n"
)
"""DD-57, DD-60."""


@dataclass(frozen=True, slots=True)
class Load(LoadModel):
    """What `delay define` was asked for; None where an option was not given.

    Attributes:
        maxdepth, maxmsgl_bytes: asked for outright; they win over the sums.
        rate_text: how the rate was written: "1000/h" where `rate_per_s` is "1000/3600".
        platform: "dist" or "zos"; None takes the queue manager's.
        stgclass: storage class, z/OS alone.
        shrink: whether MAXDEPTH may become less than it is.
        seen: what `analyze delay` found to be needed; where it gave the values, its sums are
            shown.
    """

    maxdepth: int | None = None
    maxmsgl_bytes: int | None = None
    rate_text: str = ""
    platform: Platform | None = None
    stgclass: str | None = None
    shrink: bool = False
    seen: Measured | None = None


def plan_define(backend: Backend, load: Load, *, only_print: bool = False) -> Change:
    """Plan what makes the staging queue fit.

    Args:
        only_print: `--mqsc`: the text is for whatever queue manager it is run on, so another
            platform than this one's may be asked for.
    """
    here = backend.platform
    platform = load.platform or here
    _check_options(load, platform)
    if platform != here and not only_print:
        where = "on z/OS" if here == "zos" else "distributed"
        raise UsageError(
            f"--platform {platform}: {backend.queue_manager} is {where}",
            hint="--mqsc prints the definition for another queue manager",
        )
    plan = Plan("define", STAGING_QUEUE)
    if load.seen is not None and load.seen.doubt:
        plan.warnings.append(load.seen.doubt)
    change = Change(plan)
    attributes = _new_attributes(backend, load, platform, change, checked=platform == here)
    there = find_queue(backend, STAGING_QUEUE) if platform == here else None
    if there is None and platform == "dist" and platform == here:
        attributes = {**system_objects("QLOCAL")[STAGING_QUEUE], **attributes}
        change.asked = dict(attributes)
        plan.notes.append(
            "it was deleted: it is defined again with its default values and the values that you"
            " give"
        )
    if there is not None:
        _keep_what_is_enough(there, attributes, load, plan)
        _check_shrink(backend, there, attributes, load, plan)
        put = "delayed sends fail" + (", processor stopped" if platform == "zos" else "")
        for keyword, effect in (("GET", "the delivery delay processor is stopped"), ("PUT", put)):
            if there.attributes.get(keyword) == "DISABLED":
                plan.warnings.append(f"{STAGING_QUEUE} has {keyword}(DISABLED): {effect}")
    if not attributes:
        raise UsageError(
            "nothing to set: give --maxdepth and --maxmsgl, or the expected load",
            hint="for example --rate 20/s --max-delay 15m --largest-message 64KiB",
        )
    _show_room(there, attributes, load, platform, plan)
    _steps(there, attributes, platform, change)
    return change


def with_measured(load: Load, path: str, queue_manager: str) -> Load:
    """The load with what an analysis found for the queue manager; what was given outright stays."""
    if load.rate_per_s is not None or load.largest_message_bytes is not None:
        raise UsageError("--from-analysis does what --rate and --largest-message do; give one")
    by_queue_manager = measured(path)
    if queue_manager not in by_queue_manager:
        there = ", ".join(first_of(sorted(by_queue_manager), 5))
        raise NotFound(f"{path}: contains nothing about {queue_manager}", hint=f"it has {there}")
    seen = by_queue_manager[queue_manager]
    return replace(
        load,
        maxdepth=seen.maxdepth if load.maxdepth is None else load.maxdepth,
        maxmsgl_bytes=seen.maxmsgl_bytes if load.maxmsgl_bytes is None else load.maxmsgl_bytes,
        seen=seen,
    )


def exact_rate(text: str) -> str:
    """The rate a second as a number or fraction: ``20/s`` is "20", ``1000/h`` is "1000/3600"."""
    parse_rate(text, what="--rate")
    count, _, unit = text.partition("/")
    seconds = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}[unit]
    return count if seconds == 1 else f"{count}/{seconds}"


def percent(text: str) -> int:
    """Read ``50%`` or ``50``."""
    digits = text.removesuffix("%")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 7 and int(digits) <= 10_000):
        raise UsageError(f"--headroom {text[:40]!r}: allowed is 0% to 10000%")
    return int(digits)


def read_load(options: LoadOptions, *, platform: str | None = None, **own: Any) -> Load:
    """The load that the options of `delay define` say.

    Args:
        own: more fields of `Load`, which `delay define` has.
    """
    rate = options.rate
    return Load(
        rate_per_s=None if rate is None else exact_rate(rate),
        rate_text=rate or "",
        longest_delay_ms=options.max_delay,
        largest_message_bytes=options.largest_message,
        subscribers=options.subscribers,
        headroom_percent=percent(options.headroom),
        header_allowance_bytes=options.header_allowance,
        platform="zos" if platform == "zos" else "dist" if platform else None,
        **own,
    )


def mqsc_of(change: Change) -> str:
    """The text for `--mqsc`: all that was asked for, also what is so already."""
    if ZOS_STAGING.items() <= change.asked.items():  # asked for on z/OS alone
        return CSQ4INSG_COMMENT + define_text("QLOCAL", STAGING_QUEUE, change.asked)
    return alter_text("QLOCAL", STAGING_QUEUE, change.asked)


def _check_options(load: Load, platform: Platform) -> None:
    if load.stgclass is not None and platform == "dist":
        raise UsageError(
            "--stgclass: storage classes exist only on z/OS, this is a distributed queue manager"
        )
    if (load.rate_per_s is None) != (load.longest_delay_ms is None):
        raise UsageError("--rate and --max-delay must be used together")
    for name, value, most in (
        ("--maxdepth", load.maxdepth, delay.GREATEST_MAXDEPTH),
        ("--maxmsgl", load.maxmsgl_bytes, delay.GREATEST_MAXMSGL),
    ):
        if value is not None and not 0 <= value <= most:
            raise UsageError(f"{name} {value}: allowed is 0 to {most}")


def _new_attributes(
    backend: Backend, load: Load, platform: Platform, change: Change, *, checked: bool
) -> dict[str, AttributeValue]:
    """The attributes asked for, with the sums as facts of the plan."""
    attributes: dict[str, AttributeValue] = dict(ZOS_STAGING) if platform == "zos" else {}
    waiting = _waiting(backend) if checked else 0
    depth = _depth(load, change, waiting)
    if depth is not None:
        attributes["MAXDEPTH"] = depth
    length = _length(backend, load, change, checked=checked)
    if length is not None:
        attributes["MAXMSGL"] = length
    stgclass = attribute("QLOCAL", "STGCLASS")
    if load.stgclass is not None and stgclass is not None:
        attributes["STGCLASS"] = parse_value(stgclass, load.stgclass)
    elif platform == "zos":
        change.plan.warnings.append(
            "no --stgclass: the default storage class must have room for all staged messages"
        )
    change.asked = dict(attributes)
    return attributes


def _waiting(backend: Backend) -> int:
    """Messages that wait on the staging queue now."""
    there = find_queue(backend, STAGING_QUEUE)
    return 0 if there is None else backend.status(STAGING_QUEUE).curdepth


def _depth(load: Load, change: Change, waiting: int) -> int | None:
    if load.seen is not None and load.maxdepth == load.seen.maxdepth:
        change.plan.facts["depth_sum"] = load.seen.maxdepth_sum
    needed = depth_of_load(load)
    if needed is None:
        return load.maxdepth
    written = load.rate_text or f"{load.rate_per_s}/s"
    change.plan.facts["depth_sum"] = needed.text.replace(f"{load.rate_per_s}/s", written, 1)
    if load.maxdepth is None and needed.problem:
        raise UsageError(f"MAXDEPTH {needed.text}: {needed.problem}")
    depth = needed.value
    flow = depth_of_load(replace(load, headroom_percent=0))
    if flow is not None and waiting > flow.value:
        depth = min(depth + waiting, delay.GREATEST_MAXDEPTH)
        change.plan.facts["depth_sum"] += (
            f"; {count_text(waiting)} {agreeing(waiting, 'wait')} now, more than this load makes,"
            f" so {depth}"
        )
    if load.maxdepth is not None and load.maxdepth < depth:
        change.plan.warnings.append(f"--maxdepth {load.maxdepth} is below what the load needs")
    return depth if load.maxdepth is None else load.maxdepth


def _length(backend: Backend, load: Load, change: Change, *, checked: bool) -> int | None:
    greatest = int(backend.queue_manager_attributes().get("MAXMSGL", delay.GREATEST_MAXMSGL))
    most = greatest if checked else delay.GREATEST_MAXMSGL
    needed: AdvisedSize | None = None
    if load.seen is not None and load.maxmsgl_bytes == load.seen.maxmsgl_bytes:
        change.plan.facts["length_sum"] = load.seen.maxmsgl_sum
    if load.largest_message_bytes is not None:
        needed = delay.length_needed(
            load.largest_message_bytes, header_allowance_bytes=load.header_allowance_bytes
        )
        change.plan.facts["length_sum"] = needed.text
        if needed.problem:
            raise UsageError(f"MAXMSGL {needed.text}: {needed.problem}")
    if load.maxmsgl_bytes is not None:
        if needed is not None and load.maxmsgl_bytes < needed.value:
            change.plan.warnings.append(
                f"--maxmsgl {load.maxmsgl_bytes} is below the length needed"
            )
        length = load.maxmsgl_bytes
    elif needed is not None:
        length = needed.value
    else:
        _advise_length(backend, load, greatest, change)
        return None
    if length > most:
        change.plan.refusals.append(
            Refusal(
                f"MAXMSGL({length}) is above MAXMSGL({most}) of {backend.queue_manager}",
                f"it needs first: ALTER QMGR MAXMSGL({length})",
            )
        )
    return length


def _advise_length(backend: Backend, load: Load, most: int, change: Change) -> None:
    """Without a length: what the target queues take (rule DLY003)."""
    targets = {
        queue.name: int(queue.attributes.get("MAXMSGL", 0))
        for queue in backend.queues("*")
        if queue.kind == "QLOCAL" and not queue.name.startswith("SYSTEM.")
    }
    if not targets:
        return
    name = max(targets, key=lambda target: targets[target])
    needed = delay.length_needed(
        targets[name],
        header_allowance_bytes=load.header_allowance_bytes,
        queue_manager_maxmsgl_bytes=most,
    )
    staging = find_queue(backend, STAGING_QUEUE)
    now = int(staging.attributes.get("MAXMSGL", 0)) if staging else 0
    advised, outside = within_bounds("QLOCAL", "MAXMSGL", needed.value)
    if now >= advised:
        return
    fits = f"--maxmsgl {advised} accepts all of them"
    fits = f"the maximum possible is --maxmsgl {advised}" if outside else fits
    text = (
        f"{name} accepts messages of up to {count_text(targets[name], 'byte')}; with the delay"
        f" header (assumed: {load.header_allowance_bytes} bytes) that is {needed.value}: {fits}"
    )
    if not outside and needed.value > most:
        text += f"; this requires ALTER QMGR MAXMSGL({advised}) first"
    change.plan.facts["advice"] = text


def _keep_what_is_enough(
    there: ObjectDefinition, attributes: dict[str, AttributeValue], load: Load, plan: Plan
) -> None:
    """A sum that comes to less than today's value leaves today's, unless --shrink is given."""
    if load.shrink:
        return
    seen = load.seen
    depth = None if seen is not None and load.maxdepth == seen.maxdepth else load.maxdepth
    length = load.maxmsgl_bytes
    length = None if seen is not None and length == seen.maxmsgl_bytes else length
    for keyword, given in (("MAXDEPTH", depth), ("MAXMSGL", length)):
        needed, now = attributes.get(keyword), there.attributes.get(keyword)
        if given is None and isinstance(needed, int) and isinstance(now, int) and needed < now:
            attributes[keyword] = now
            plan.notes.append(
                f"{keyword}({now}) is more than the {needed} needed, and does not change"
            )


def _check_shrink(
    backend: Backend,
    there: ObjectDefinition,
    attributes: dict[str, AttributeValue],
    load: Load,
    plan: Plan,
) -> None:
    """MAXDEPTH is never lowered below CURDEPTH, nor below today's value without --shrink.

    The greatest one, which the queue comes with, is not a limit that anybody chose; but 0 is
    refused there too.
    """
    depth, now = attributes.get("MAXDEPTH"), int(there.attributes.get("MAXDEPTH", 0))
    if isinstance(depth, int) and depth < now:
        curdepth = backend.status(STAGING_QUEUE).curdepth
        if depth < curdepth:
            plan.refusals.append(
                Refusal(
                    f"MAXDEPTH({depth}) is below CURDEPTH({curdepth}) of {STAGING_QUEUE}",
                    f"staged now: {count_text(curdepth)}; specify at least that many",
                )
            )
        elif not load.shrink and (now < delay.GREATEST_MAXDEPTH or not depth):
            below = f"is below today's MAXDEPTH({now})" if depth else "allows no delayed message"
            plan.refusals.append(Refusal(f"MAXDEPTH({depth}) {below}", "add --shrink to lower it"))
    length, now = attributes.get("MAXMSGL"), int(there.attributes.get("MAXMSGL", 0))
    if isinstance(length, int) and length < now:
        plan.notes.append(f"MAXMSGL decreases from {now} to {length}: longer messages are refused")


_IF_LONGEST: Final = ", but only if every message had the maximum length"


def _show_room(
    there: ObjectDefinition | None,
    new: dict[str, AttributeValue],
    load: Load,
    platform: Platform,
    plan: Plan,
) -> None:
    """MAXDEPTH messages of the greatest length, against MAXFSIZE or the storage class."""
    attributes: dict[str, Any] = {**(there.attributes if there else {}), **new}
    given = load.largest_message_bytes is not None
    at_most = _IF_LONGEST if given else f"{_IF_LONGEST} (--largest-message gives yours)"
    depth = attributes.get("MAXDEPTH")
    length = attributes.get("MAXMSGL")
    if load.largest_message_bytes is not None:
        length = load.largest_message_bytes + load.header_allowance_bytes
    if not isinstance(depth, int) or not isinstance(length, int) or "MAXDEPTH" not in new:
        return
    if platform == "zos":
        room = delay.disk_needed(depth, length, maxfsize_mb=2**40)
        where = f"storage class {attributes.get('STGCLASS', 'DEFAULT')}"
        plan.facts["room"] = f"{room.text}{at_most}; in {where}"
        return
    limit = attributes.get("MAXFSIZE", "DEFAULT")
    limit_mb = limit if isinstance(limit, int) else delay.DEFAULT_MAXFSIZE_MB
    room = delay.disk_needed(depth, length, maxfsize_mb=limit_mb)
    against = room.problem or f"within MAXFSIZE({limit_mb})"
    plan.facts["room"] = f"{room.text}{at_most}; {against}"


def _steps(
    there: ObjectDefinition | None,
    attributes: dict[str, AttributeValue],
    platform: Platform,
    change: Change,
) -> None:
    plan = change.plan
    if there is None:
        verb = "define" if "MSGDLVSQ" in attributes else "alter"
        step = ChangeStep(verb, "QLOCAL", STAGING_QUEUE, attributes)
    else:
        plan.changes = differences(there.attributes, attributes)
        plan.action = "resize"
        only = {keyword: value for keyword, (_, value) in plan.changes.items()}
        step = ChangeStep("alter", "QLOCAL", STAGING_QUEUE, only)
    if not step.attributes:
        return
    comment = CSQ4INSG_COMMENT if ZOS_STAGING.items() <= attributes.items() else ""
    change.steps = (step,)
    plan.mqsc = (comment + step.mqsc,)
    plan.count = len(step.attributes)
