"""Fill an emulated queue manager: the sample of this package."""

from __future__ import annotations

from typing import Final

from mqtriage.emulator import samples
from mqtriage.emulator.admin import definitions, lifecycle, mqsc_server
from mqtriage.emulator.core.connections import Connection
from mqtriage.emulator.core.put import put, staging
from mqtriage.mq import cmqc
from mqtriage.mq.delay import STAGING_QUEUE, ZOS_STAGING
from mqtriage.mq.errors import StorageError
from mqtriage.mq.mqsc.parse import parse

SAMPLE_AGE_US: Final = 59_000_000
"""How far the clock goes on after the samples are put, so that one of them has expired; less than
the difference from the host's clock that is reported."""


def define_developer_objects(connection: Connection) -> None:
    """Define what programs written for IBM's developer image of MQ expect: DEV.QUEUE.1 and so on.

    Raises:
        StorageError: The package's own definitions are damaged.
    """
    _define(connection, "developer.mqsc")


def _define(connection: Connection, file: str) -> None:
    script = parse(samples.definitions(file), file=file)
    for why in mqsc_server.run_script(connection, script):
        raise StorageError(f"the sample definitions: {why}")


def _at(queue_manager: str, sample: samples.SampleMessage) -> samples.SampleMessage:
    """The message as one of *queue_manager*, whose name its headers and its context have."""
    md, body = sample.md, sample.body
    for code_page in ("ascii", "cp500"):
        own, other = (f"{name:48}".encode(code_page) for name in (samples.AT, queue_manager))
        body = body.replace(own, other)
    if md.put_appl_name == samples.AT:
        md = md._replace(put_appl_name=queue_manager[:28])
    return sample._replace(md=md, body=body)


def fill_with_samples(connection: Connection) -> int:
    """Define the queues of the sample, put its messages, and let almost a minute pass.

    Returns:
        How many messages were put.

    Raises:
        StorageError: The package's own samples are damaged.
    """
    if connection.manager.is_zos:  # there it does not come with the queue manager (DD-47)
        definitions.define(connection, "QLOCAL", STAGING_QUEUE, ZOS_STAGING)
    _define(connection, "samples.mqsc")
    count = 0
    for sample in samples.samples():
        options = cmqc.MQPMO_NO_SYNCPOINT | cmqc.MQPMO_SET_ALL_CONTEXT
        sample = _at(connection.manager.identity.name, sample)
        if sample.delay_ms:
            staging.send(connection, sample.queue, sample.md, sample.body, sample.delay_ms, options)
        else:
            stored = put.put1(connection, sample.queue, sample.md, sample.body, options)
            if sample.backouts:
                lifecycle.roll_back(connection, sample.queue, sample.backouts, stored.msg_id)
        count += 1
    lifecycle.advance(connection.manager, SAMPLE_AGE_US)
    return count
