"""`msg move --add-dlh`: a dead letter made by hand, which dlq requeue takes back."""

from __future__ import annotations

import pytest

from mqtriage.messages.decoded import dead_letter_header
from mqtriage.mq import cmqc
from tests.acceptance.messages.estate import Estate


@pytest.fixture
def mortuary(estate: Estate) -> Estate:
    estate.queue("DLQ")
    estate.alter("QM1", DEADQ="DLQ")
    estate.put("IN", b"one", b"two", correl_id=b"c" * 24, priority=7)
    return estate


@pytest.mark.parametrize("reason", ["MQRC_NOT_AUTHORIZED", "2035"])
def test_a_moved_message_has_the_header_with_reason_and_origin(
    mortuary: Estate, reason: str
) -> None:
    before = mortuary.messages("IN")
    ran = mortuary.run(
        "msg", "move", "IN", "--to", "DLQ", "--add-dlh", reason, "--limit", "1", "--yes"
    )
    assert ran.code == 0, ran.err
    (dead,) = mortuary.messages("DLQ")
    facts = dead_letter_header(dead)
    assert facts is not None
    assert (facts.reason, facts.dest_q_name, facts.dest_q_mgr_name, facts.format) == (
        cmqc.MQRC_NOT_AUTHORIZED, "IN", "QM1", "MQSTR",
    )  # fmt: skip
    assert (dead.md.format, dead.body[-3:]) == ("MQDEAD", b"one")
    assert (dead.md.msg_id, dead.md.priority) == (before[0].md.msg_id, 7)
    assert mortuary.bodies("IN") == [b"two"]


def test_dlq_requeue_and_undo_take_it_back_as_it_was(mortuary: Estate) -> None:
    before = mortuary.messages("IN")
    move = ("msg", "move", "IN", "--to", "DLQ", "--add-dlh", "MQRC_Q_FULL", "--yes")
    for back in (("dlq", "requeue", "--yes"), ("journal", "undo", "--yes")):
        assert mortuary.run(*move).code == 0
        assert len(mortuary.messages("DLQ")) == 2
        ran = mortuary.run(*back)
        assert ran.code == 0, ran.err
        assert [(m.md.msg_id, m.md.format, m.body) for m in mortuary.messages("IN")] == [
            (m.md.msg_id, m.md.format, m.body) for m in before
        ]


def test_what_is_no_reason_is_refused_before_anything_is_done(mortuary: Estate) -> None:
    for reason in ("MQRC_NO_SUCH", "x", "", "-1"):
        ran = mortuary.run("msg", "move", "IN", "--to", "DLQ", "--add-dlh", reason, "--yes")
        assert ran.code == 2, reason
        assert "--add-dlh" in ran.err
    both = ("--add-dlh", "2053", "--headers", "strip", "--yes")
    assert mortuary.run("msg", "move", "IN", "--to", "DLQ", *both).code == 2
    assert len(mortuary.messages("IN")) == 2
