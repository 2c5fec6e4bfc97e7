"""What a program hears of an error that is none of the MQI's."""

from __future__ import annotations

from typing import NoReturn, cast

import pytest

from mqtriage.emulator.mqi.dispatcher import guarded
from mqtriage.emulator.mqi.session import Session
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQTriageError, StorageError, UsageError


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (StorageError("x", kind="full"), cmqc.MQRC_Q_SPACE_NOT_AVAILABLE),
        (StorageError("x", kind="many-files"), cmqc.MQRC_UNEXPECTED_ERROR),
        (StorageError("x", kind="read-only"), cmqc.MQRC_RESOURCE_PROBLEM),
        (UsageError("x"), cmqc.MQRC_OPTIONS_ERROR),
        (MQTriageError("x"), cmqc.MQRC_UNEXPECTED_ERROR),
        (ZeroDivisionError(), cmqc.MQRC_UNEXPECTED_ERROR),
    ],
)
def test_a_call_that_fails_has_a_reason(error: Exception, reason: int) -> None:
    def call() -> NoReturn:
        raise error

    reply = guarded(cast("Session", None), call)
    assert (reply.comp_code, reply.reason) == (cmqc.MQCC_FAILED, reason)
