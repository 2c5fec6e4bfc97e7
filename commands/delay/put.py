"""`msg put --delay`: a delayed message, byte for byte as IBM's JMS classes send it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Final

from mqtriage.backends.client.jms_put import JmsPut, send
from mqtriage.backends.port import Backend
from mqtriage.commands.msg.put import message_of, properties_of, put_all
from mqtriage.commands.msg.put_options import PutOptions
from mqtriage.model.client_settings import ClientSettings
from mqtriage.model.ids import format_id
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.model.units import agreeing
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.formats import JMS_ENCODING, RFH2_FORMAT
from mqtriage.mq.headers.layout import Following

_REPORTS: Final = (
    ("Exception", cmqc.MQRO_EXCEPTION_WITH_FULL_DATA),
    ("Expiration", cmqc.MQRO_EXPIRATION_WITH_FULL_DATA),
    ("COA", cmqc.MQRO_COA_WITH_FULL_DATA),
    ("COD", cmqc.MQRO_COD_WITH_FULL_DATA),
    ("PAN", cmqc.MQRO_PAN),
    ("NAN", cmqc.MQRO_NAN),
    ("Pass_Msg_ID", cmqc.MQRO_PASS_MSG_ID),
    ("Pass_Correl_ID", cmqc.MQRO_PASS_CORREL_ID),
    ("Discard_Msg", cmqc.MQRO_DISCARD_MSG),
)
"""Properties and the bits that they may set; WITH_FULL_DATA has all bits of its kind."""
_PRIORITY: Final = 4
"""What JMS sends where the application says nothing; it is left out of the folder then."""


def jms_message(
    body: str | bytes, options: PutOptions, queue: str, delay_ms: int, sent_us: int
) -> tuple[MQMD, bytes]:
    """The descriptor and the message data: an MQRFH2 of mcd, jms, mqext and usr, and the body.

    Args:
        body: text makes a text message, bytes of a file a bytes message.
        queue: it is for.
        delay_ms: delivery delay.
        sent_us: now, microseconds since 1970 UTC; the folders count in milliseconds.
    """
    md, data = message_of(body, replace(options, prop=(), ccsid=UTF_8, encoding=JMS_ENCODING))
    sent_ms = sent_us // 1000
    properties = properties_of(options.prop)
    group = properties.pop("JMSXGroupID", "")
    sequence = properties.pop("JMSXGroupSeq", "1")
    if not (sequence.isascii() and sequence.isdigit() and 0 < int(sequence[:10]) < 2**31):
        raise UsageError(f"--prop JMSXGroupSeq={sequence[:20]}: a whole number above 0 is expected")
    priority = _PRIORITY if options.priority is None else md.priority
    persistence = (
        cmqc.MQPER_NOT_PERSISTENT if options.persistent is False else cmqc.MQPER_PERSISTENT
    )
    header = rfh2.build_jms(
        "jms_text" if isinstance(body, str) else "jms_bytes",
        f"queue:///{queue}",
        Following(md.format, JMS_ENCODING, UTF_8),
        put_time_ms=sent_ms,
        persistence=2 if persistence == cmqc.MQPER_PERSISTENT else 1,
        expires_at_ms=sent_ms + md.expiry_tenths * 100 if md.expiry_tenths > 0 else None,
        priority=None if priority == _PRIORITY else priority,
        correlation_id=None if md.correl_id == NO_ID else f"ID:{md.correl_id.hex()}",
        reply_to=f"queue:///{md.reply_to_q}" if md.reply_to_q else None,
        delay_ms=delay_ms,
        user=dict(properties) or None,
    )
    md = md._replace(
        msg_type=cmqc.MQMT_REQUEST if md.reply_to_q else md.msg_type,
        format=RFH2_FORMAT,
        encoding=JMS_ENCODING,
        ccsid=UTF_8,
        priority=priority,
        persistence=persistence,
    )
    if group:
        md = md._replace(
            group_id=group.encode()[:24].ljust(24, b"\0"),
            msg_flags=cmqc.MQMF_MSG_IN_GROUP,
            msg_seq_number=int(sequence),
        )
    return md, rfh2.encode(header) + data


_NO_ROOM: Final = (
    "mqtriage delay forecast shows when there is room again, and what size the queue needs"
)


def put_delayed(
    backend: Backend,
    queue: str,
    messages: Sequence[Callable[[int], tuple[MQMD, bytes]]],
    delay_ms: int,
    number: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Send each of the messages *number* times with a delivery delay, as a JMS client does.

    Several messages are sent in one unit of work: all of them, or none.

    Args:
        messages: each makes the message that is sent at that time.

    Raises:
        Refused: On a real queue manager: the MQI has no delivery delay (DD-14).
        MQTriageError: The very first send failed.
    """
    endless = cycle(messages)

    def one() -> MQMD:
        md, data = next(endless)(backend.now_us())
        try:
            return backend.put_delayed(queue, md, data, delay_ms, cmqc.MQPMO_SYNCPOINT)
        except MQIError as error:
            if error.reason == cmqc.MQRC_Q_FULL and STAGING_QUEUE in str(error):
                error.hint = _NO_ROOM  # nobody reads it: what helps elsewhere does not help there
            raise

    total, whole = number * len(messages), len(messages) > 1
    return put_all(backend, queue, total, one, should_stop, whole=whole)


def send_by_jms(
    settings: ClientSettings,
    queue_manager: str,
    classpath: str,
    put: JmsPut,
    environ: Mapping[str, str],
) -> Report:
    """Let IBM's JMS client send the messages on a real queue manager.

    Args:
        classpath: IBM's jars (key jms_classpath).
        environ: java's, by which it is found, too.

    Raises:
        UsageError: Nobody knows where the queue manager listens.
        NoClient: There is no java, or it does not run with these jars.
        MQTriageError: The very first unit of work failed.
    """
    number, queue = put.number * len(put.bodies), put.queue
    sent = send(settings, queue_manager, classpath, put, environ)
    report = Report("PutReport", "put", queue, planned=number)
    report.items.extend(ItemOutcome(format_id(one), Outcome.DONE) for one in sent.msg_ids)
    if sent.failure is not None:
        if not report.items:
            raise sent.failure
        report.items.append(ItemOutcome("", Outcome.FAILED, sent.failure.text))
        done = len(sent.msg_ids)
        report.warnings.append(
            f"{done} of {number} {agreeing(done, 'were')} put: {sent.failure.text}"
        )
    return report


def jms_put(
    bodies: Sequence[str | bytes], options: PutOptions, queue: str, delay_ms: int
) -> JmsPut:
    """The options in the words of a JMS client."""
    options_of_jms = replace(options, prop=(), ccsid=UTF_8, encoding=JMS_ENCODING)
    md, _ = message_of(bodies[0], options_of_jms)
    for body in bodies:
        if isinstance(body, str) and not body.isprintable():
            try:
                body.encode()
            except UnicodeEncodeError as error:
                raise UsageError(
                    "BODY is not text in UTF-8, so it cannot be a JMS text message",
                    hint="put bytes unchanged with --file",
                ) from error
    properties: list[tuple[str, str | int]] = []
    for name, value in properties_of(options.prop).items():
        properties.append((name, int(value) if name == "JMSXGroupSeq" else value))
    if options.format is not None:
        properties.append(("JMS_IBM_Format", md.format.ljust(8)))
    return JmsPut(
        queue,
        tuple(bodies),
        delay_ms,
        options.count,
        lifetime_ms=md.expiry_tenths * 100 if md.expiry_tenths > 0 else 0,
        priority=_PRIORITY if options.priority is None else md.priority,
        persistent=options.persistent is not False,
        correl_id=None if md.correl_id == NO_ID else md.correl_id,
        reply_to=md.reply_to_q,
        properties=(*properties, *_report_properties(md.report)),
    )


def _report_properties(report: int) -> Iterator[tuple[str, int]]:
    """Report options as the properties by which a JMS client sets them.

    Source: IBM MQ documentation, "JMS_IBM_Report properties".
    """
    for name, mask in _REPORTS:
        if report & mask:
            yield f"JMS_IBM_Report_{name}", report & mask
            report &= ~mask
    if report:
        raise UsageError("--report ACTIVITY: a JMS client has no property for it")
