"""`msg put`: what is put, and how it goes on the queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any, Final

from mqtriage.backends.name_resolution import alias_base, is_topic_alias, put_path
from mqtriage.backends.port import Backend, Capability, ObjectDefinition
from mqtriage.commands.msg.put_options import PutOptions
from mqtriage.model.ids import format_id, parse_id
from mqtriage.model.plan import Plan
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.units import agreeing, count_text, parse_expiry_tenths
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8, codec_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD, NATIVE_ENCODING
from mqtriage.mq.errors import MQIError, MQTriageError, NotAuthorized, Refused, UsageError
from mqtriage.mq.headers import ddh, rfh2
from mqtriage.mq.name_table import family
from mqtriage.mq.names import check_queue_name
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.engine.outlets import ask, topic_setting
from mqtriage.operations.engine.plan import lifetime_warning, put_refusals, room_on

BATCH: Final = 100
"""Messages per unit of work."""
MOST: Final = 1_000_000
_MQSTR: Final = "MQSTR"


def message_of(body: str | bytes, options: PutOptions) -> tuple[MQMD, bytes]:
    """The descriptor and the message data to put.

    Args:
        body: text from the command line, written in CCSID of *options* (1208 by default), or
            bytes from a file, put as they are.
    """
    for name, number in (("--ccsid", options.ccsid), ("--encoding", options.encoding)):
        if number is not None and not -(2**31) <= number < 2**31:
            raise UsageError(f"{name} {number}: not a number of 32 bits, as MQLONG is")
    ccsid = UTF_8 if options.ccsid is None and isinstance(body, str) else options.ccsid or 0
    encoding = NATIVE_ENCODING if options.encoding is None else options.encoding
    form = options.format
    if form is None:
        form = _MQSTR if isinstance(body, str) else ""
    form = form.removeprefix("MQFMT_").rstrip(" ")
    if len(form) > 8 or not form.isascii():
        raise UsageError(f"--md-format {form[:40]!r}: at most 8 ASCII characters")
    data = _encoded(body, ccsid, encoding) if isinstance(body, str) else body
    md = MQMD(
        report=report_of((options.report or "").split(","), numbers=True),
        expiry_tenths=-1 if options.expiry is None else parse_expiry_tenths(options.expiry),
        encoding=encoding,
        ccsid=ccsid,
        format=form,
        reply_to_q=options.reply_to or "",
    )
    if options.priority is not None:
        if not 0 <= options.priority <= 9:
            raise UsageError(f"--priority {options.priority}: 0 to 9 is expected")
        md = md._replace(priority=options.priority)
    if options.persistent is not None:
        md = md._replace(persistence=int(options.persistent))
    if options.correl_id is not None:
        match = parse_id(options.correl_id, for_write=False, parts_allowed=False, what="--correlid")
        md = md._replace(correl_id=match.value)
    return rfh2.with_properties(md, data, properties_of(options.prop))


def plan_put(
    backend: Backend,
    queue: str,
    md: MQMD,
    data: bytes,
    number: int,
    *,
    facts: Mapping[str, Any] | None = None,
    whole: bool = False,
) -> Plan:
    """What would be put.

    Args:
        number: of messages, of which *md* and *data* are the longest.
        whole: they are put in one unit of work: all, or none.

    Raises:
        UsageError: *number* is too large, or *queue* is no name.
        ObjectNotFound: 2085; 2082 where the alias leads nowhere.
        MQIError: 2001 for an alias of an alias.
    """
    definition = backend.queue(check_queue_name(queue))
    if definition.kind == "QALIAS" and not is_topic_alias(definition):
        alias_base(backend, definition, f"put to {queue}")
    if not 1 <= number <= MOST:
        raise UsageError(f"--count {number}: 1 to {MOST} is expected")
    if definition.kind == "QMODEL":
        raise Refused(
            f"put to {queue}: a model queue: the dynamic queue that is created at open is deleted"
            " at close, with the message",
            hint="mqtriage queue define NAME defines a permanent local queue",
            object_name=queue,
        )
    shown: dict[str, Any] = {
        "length_bytes": number * len(data),
        "format": md.format or None,
        "expiry_tenths": md.expiry_tenths,
        **(facts or {}),
    }
    plan = Plan("put", queue, count=number, facts=shown)
    is_delayed = "delay_ms" in shown
    ask(backend, queue, cmqc.MQOO_OUTPUT)
    _note_problems(plan, backend, queue, len(data), need=1 if is_delayed else None, whole=whole)
    with suppress(MQTriageError):  # a topic, or not to be looked at
        path = put_path(backend, queue, f"put to {queue}")
        lifetimes = (md.expiry_tenths,)
        plan.warnings += lifetime_warning(backend, path, lifetimes, CopyOptions())
    if is_delayed:
        plan.facts["staged_on"] = STAGING_QUEUE
        if is_topic_alias(definition):
            _note_delivery(plan, backend, definition, md)
        header = ddh.encode_staged(0, None, "", "", md, 0, 0)
        with suppress(NotAuthorized):  # the queue manager puts there, and needs no authority
            backend.queue(STAGING_QUEUE)
        _note_problems(plan, backend, STAGING_QUEUE, len(header) + len(data), whole=whole)
    return plan


def _note_delivery(plan: Plan, backend: Backend, alias: ObjectDefinition, md: MQMD) -> None:
    """Say that the topic of an alias takes no delayed publication (2502)."""
    keyword = "PMSGDLV" if md.persistence == cmqc.MQPER_PERSISTENT else "NPMSGDLV"
    topic, delivery = topic_setting(backend, alias, keyword)
    if delivery not in ("", "ALLAVAIL"):
        text = f"{topic} has {keyword}({delivery}), and a delay requires ALLAVAIL"
        plan.notes.append(f"would fail: {text}")
        plan.failing = plan.count


def _note_problems(
    plan: Plan,
    backend: Backend,
    queue: str,
    length_bytes: int,
    *,
    need: int | None = None,
    whole: bool = False,
) -> None:
    """Say what a put would meet as things are now, as far as that can be looked at.

    Args:
        need: messages that there must be room for now, None for all.
        whole: all are put, or none.
    """
    number = plan.count
    with suppress(MQTriageError):  # a topic, or not to be looked at
        path = put_path(backend, queue, f"put to {queue}")
        refusals = put_refusals(backend, path, number, length_bytes, need=need, choosable=False)
        plan.notes += [f"would fail: {refusal.text}" for refusal in refusals]
        if not refusals and need is not None:
            later = put_refusals(backend, path, number, length_bytes, choosable=False)
            note = "now; when they are due see: mqtriage delay forecast"
            plan.notes += [f"{refusal.text} {note}" for refusal in later]
        if refusals:
            fits = not whole and not put_refusals(backend, path, 1, length_bytes, choosable=False)
            room = room_on(backend, path) if fits and need is None else 0
            plan.failing = max(plan.failing, number - room)


def put(
    backend: Backend,
    queue: str,
    messages: Sequence[tuple[MQMD, bytes]],
    number: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Put each of the messages *number* times, each time with a MsgId of its own.

    Several messages are put in one unit of work where there is one: all of them, or none.

    Raises:
        MQTriageError: The very first put failed, or that of several; later failures are in the
            report.
    """
    handle = backend.open(queue, cmqc.MQOO_OUTPUT | cmqc.MQOO_FAIL_IF_QUIESCING)
    has_units = Capability.UNITS_OF_WORK in backend.capabilities
    options = cmqc.MQPMO_SYNCPOINT if has_units else cmqc.MQPMO_NO_SYNCPOINT
    endless = cycle(messages)

    def one() -> MQMD:
        md, data = next(endless)
        return handle.put(md, data, options)

    total = number * len(messages)
    try:
        return put_all(backend, queue, total, one, should_stop, whole=len(messages) > 1)
    finally:
        with suppress(MQTriageError):  # what was committed is there, whatever becomes of the handle
            handle.close()


def put_all(
    backend: Backend,
    queue: str,
    number: int,
    one: Callable[[], MQMD],
    should_stop: Callable[[], bool],
    *,
    whole: bool = False,
) -> Report:
    """Let *one* put *number* times, in units of work of `BATCH` at most where there are any.

    Args:
        whole: in a single one, where there are any: all, or none.

    Raises:
        MQTriageError: The very first put failed; later failures are in the report.
    """
    report = Report("PutReport", "put", queue, planned=number)
    failure: MQTriageError | None = None
    has_units = Capability.UNITS_OF_WORK in backend.capabilities
    most = (number if whole else BATCH) if has_units else 1
    while len(report.items) < number and failure is None:
        if should_stop():
            report.interrupted = True
            break
        batch: list[ItemOutcome] = []
        try:
            for _ in range(min(most, number - len(report.items))):
                batch.append(ItemOutcome(format_id(one().msg_id), Outcome.DONE))
        except MQTriageError as error:
            if whole and has_units:
                backend.backout()
                raise
            # where MAXUMSGS is below `BATCH` a unit of work is what it has room for
            is_full = (
                isinstance(error, MQIError) and error.reason == cmqc.MQRC_SYNCPOINT_LIMIT_REACHED
            )
            failure = None if is_full and batch else error
        try:
            if batch:
                backend.commit()
        except MQTriageError as error:
            failure, report.in_doubt = error, True
            why = f"{error.text}; check whether it is there"
            batch = [ItemOutcome(item.msg_id, Outcome.FAILED, why) for item in batch]
            report.warnings.append(f"the commit failed: {len(batch)} more may be on {queue}")
        report.items.extend(batch)
    if failure is not None:
        if not report.items:
            raise failure
        report.failure = failure
        done = report.count(Outcome.DONE)
        if done == len(report.items):
            report.items.append(ItemOutcome("", Outcome.FAILED, failure.text))
        report.warnings.append(f"{done} of {number} {agreeing(done, 'were')} put: {failure.text}")
        if not report.in_doubt:
            report.warnings.append(not_sent(number - done, number, whole=whole))
        if failure.hint:
            report.warnings.append(failure.hint)
    return report


def not_sent(count: int, number: int, *, whole: bool) -> str:
    """What became of the others: no operation continues with them.

    Args:
        number: of all messages.
        whole: the messages differ, so that no `--count` puts the others.
    """
    again = "" if whole else f": run the command again with --count {count}"
    if count == number:
        again = ": run the command again"
    return f"{count_text(count)} not sent{again}; journal resume does not put messages"


def report_of(words: Iterable[str], option: str = "--report", *, numbers: bool = False) -> int:
    """MQRO_* bits from names, with or without the prefix: ``COD``, ``discard-msg``.

    Args:
        option: that the words were given with, for the error.
        numbers: a number stands for its bits.
    """
    bits, options = 0, family("MQRO_")
    for word in filter(None, map(str.strip, words)):
        name = word.upper().replace("-", "_").removeprefix("MQRO_")
        value = None if name.endswith("_MASK") else options.get(f"MQRO_{name}")
        if numbers and name.isascii() and name.isdecimal() and int(name[:12]) < 2**31:
            value = int(name[:12])
        if value is None:
            raise UsageError(
                f"{option} {word[:40]!r}: no such report option",
                hint="EXCEPTION, EXPIRATION, COA, COD with _WITH_DATA or _WITH_FULL_DATA, PAN, "
                "NAN, ACTIVITY, PASS_MSG_ID, PASS_CORREL_ID, DISCARD_MSG",
            )
        bits |= value
    return bits


def _encoded(text: str, ccsid: int, encoding: int) -> bytes:
    codec = codec_of(ccsid, encoding)
    if codec is None:
        raise UsageError(
            f"--ccsid {ccsid}: not supported, so the text cannot be converted to it",
            hint="put bytes unchanged with --file",
        )
    try:
        # a byte of the command line that is no UTF-8 goes through as it is
        return text.encode(codec, "surrogateescape" if ccsid == UTF_8 else "strict")
    except UnicodeEncodeError as error:
        character = text[error.start : error.start + 1]
        raise UsageError(f"BODY: {character!a} does not exist in CCSID {ccsid}") from error


def properties_of(given: tuple[str, ...]) -> dict[str, str]:
    """Properties from ``name=value`` each, all of type string."""
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--prop {text[:60]!r}: not a property", hint="write name=value")
        values[name.strip()] = value
    return values
