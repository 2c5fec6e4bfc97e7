"""The keys of JSON records, as scripts may rely on them: this list is only ever added to."""

from __future__ import annotations

import pytest

from mqtriage.commands.backout import messages as backout_messages
from mqtriage.commands.delay import messages as delay_messages
from mqtriage.commands.dlq import messages as dead_letters
from mqtriage.commands.expiry import messages as expiry_messages
from mqtriage.commands.msg import messages
from mqtriage.model.result import Field, columns_of

MESSAGE = [
    "msg_id",
    "correl_id",
    "group_id",
    "put_time",
    "format",
    "ccsid",
    "encoding",
    "priority",
    "persistence",
    "persistence_name",
    "expiry_tenths",
    "backout_count",
    "msg_type",
    "msg_type_name",
    "report",
    "report_options",
    "feedback",
    "feedback_name",
    "reply_to_q",
    "reply_to_q_mgr",
    "user_identifier",
    "accounting_token",
    "appl_identity_data",
    "put_appl_type",
    "put_appl_type_name",
    "put_appl_name",
    "appl_origin_data",
    "msg_seq_number",
    "offset",
    "msg_flags",
    "original_length",
    "version",
    "queue",
    "length_bytes",
    "headers",
    "headers_hex",
    "body",
    "body_hex",
    "damage",
    "damages",
    "pcf",
    "properties",
]

PROMISES = {
    "Message": (messages.FIELDS, ""),
    "StagedMessage": (
        delay_messages.FIELDS,
        "original_msg_id sender_correl_id target target_queue_manager delay_ms due_time in_ms state"
        " ddh_time ddh_time_basis",
    ),
    "DeadLetter": (
        dead_letters.FIELDS,
        "reason reason_name dest_q dest_q_mgr dlq_put_appl_type dlq_put_appl_name dlq_put_time"
        " body_format body_ccsid body_encoding",
    ),
    "BackoutMessage": (
        backout_messages.BACKOUT_FIELDS,
        "origin origin_sure origin_candidates origin_evidence age_ms cause",
    ),
    "PendingMessage": (
        backout_messages.PENDING_FIELDS,
        "backout_threshold backout_queue state age_ms",
    ),
    "ExpiringMessage": (expiry_messages.FIELDS, "expires_at expiry_report"),
}


@pytest.mark.parametrize(("fields", "more"), PROMISES.values(), ids=PROMISES)
def test_no_promised_key_is_missing(fields: tuple[Field, ...], more: str) -> None:
    keys = {field.key for field in fields}
    assert {*MESSAGE, *more.split()} <= keys


@pytest.mark.parametrize(("fields", "more"), PROMISES.values(), ids=PROMISES)
def test_a_new_key_is_promised_here_too(fields: tuple[Field, ...], more: str) -> None:
    keys = {field.key for field in fields}
    assert keys <= {*MESSAGE, *more.split()}


def test_the_groups_of_delay_browse() -> None:
    assert [field.key for field in columns_of(delay_messages.StagedTarget)] == [
        "target", "target_queue_manager", "message_count", "length_bytes", "overdue",
        "next_due_time",
        "last_due_time",
    ]  # fmt: skip
