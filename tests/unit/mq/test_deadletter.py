"""What the delivery delay processor does when a put to the target fails."""

from __future__ import annotations

from itertools import product

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.deadletter import DueMessageFacts, dead_letter_header, outcome
from mqtriage.mq.descriptor import MQMD

FULL = 2053
ASKED = cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_EXCEPTION

ROWS = [
    pytest.param(DueMessageFacts(0, ASKED), "deliver commit", id="target-took-it"),
    pytest.param(
        DueMessageFacts(FULL, cmqc.MQRO_DISCARD_MSG), "discard commit", id="DD-94-discard"
    ),
    pytest.param(DueMessageFacts(FULL), "dead-letter", id="DD-95-to-try"),
    pytest.param(
        DueMessageFacts(FULL, dead_letter_reason=0), "dead-letter commit", id="DD-95-worked"
    ),
    pytest.param(
        DueMessageFacts(FULL, dead_letter_reason=FULL), "dead-letter keep", id="DD-96-waits"
    ),
    pytest.param(
        DueMessageFacts(FULL, cmqc.MQRO_EXCEPTION, dead_letter_reason=FULL),
        "dead-letter keep",
        id="DD-98-no-report-of-a-failed-action",
    ),
    pytest.param(DueMessageFacts(FULL, ASKED), "discard report", id="DD-97-report-to-try"),
    pytest.param(
        DueMessageFacts(
            FULL, cmqc.MQRO_EXCEPTION_WITH_FULL_DATA, dead_letter_reason=0, report_reason=0
        ),
        "dead-letter report commit",
        id="DD-97-after-dead-letter",
    ),
    pytest.param(
        DueMessageFacts(FULL, cmqc.MQRO_DISCARD_MSG | cmqc.MQRO_COD),
        "discard commit",
        id="DD-98-not-asked-for",
    ),
    pytest.param(
        DueMessageFacts(FULL, ASKED, report_reason=FULL),
        "discard report dead-letter-report",
        id="DD-99-to-try",
    ),
    pytest.param(
        DueMessageFacts(FULL, ASKED, report_reason=FULL, report_dead_letter_reason=0),
        "discard report dead-letter-report commit",
        id="DD-99-worked",
    ),
    pytest.param(
        DueMessageFacts(
            FULL, ASKED, persistent=True, report_reason=FULL, report_dead_letter_reason=FULL
        ),
        "discard report dead-letter-report keep",
        id="DD-100-persistent-all-undone",
    ),
    pytest.param(
        DueMessageFacts(FULL, ASKED, report_reason=FULL, report_dead_letter_reason=FULL),
        "discard report dead-letter-report drop-report commit",
        id="DD-101-not-persistent-report-lost",
    ),
    pytest.param(
        DueMessageFacts(2085, publication=True, subscriber_gone=True),
        "discard commit",
        id="DD-102-subscriber-gone-no-dead-letter",
    ),
    pytest.param(
        DueMessageFacts(
            2085, cmqc.MQRO_EXCEPTION, publication=True, subscriber_gone=True, report_reason=0
        ),
        "discard report commit",
        id="DD-104-report-even-then",
    ),
    pytest.param(
        DueMessageFacts(FULL, cmqc.MQRO_EXCEPTION, publication=True, dead_letter_reason=FULL),
        "dead-letter discard commit",
        id="DD-105-publication-is-lost",
    ),
    pytest.param(
        DueMessageFacts(FULL, publication=True, dead_letter_reason=0),
        "dead-letter commit",
        id="DD-119-publication-otherwise-as-any",
    ),
]


@pytest.mark.seed(
    *("DD-94", "DD-95", "DD-96", "DD-97", "DD-98", "DD-99", "DD-100", "DD-101", "DD-102"),
    *("DD-103", "DD-104", "DD-105", "DD-119"),
)
@pytest.mark.parametrize(("facts", "expected"), ROWS)
def test_outcome(facts: DueMessageFacts, expected: str) -> None:
    assert [str(step.kind) for step in outcome(facts)] == expected.split()


def test_each_step_says_why_and_names_the_reason_code() -> None:
    steps = outcome(DueMessageFacts(2051, dead_letter_reason=2030))
    assert all(step.reason for step in steps)
    assert "2051" in steps[0].reason
    assert "2030" in steps[-1].reason


ENDS = {"commit", "keep"}
TO_TRY = {"dead-letter", "report", "dead-letter-report"}


def test_with_every_fact_known_there_is_exactly_one_end_and_it_is_last() -> None:
    for facts in every(known=(0, FULL)):
        kinds = [str(step.kind) for step in outcome(facts)]
        assert kinds[-1] in ENDS
        assert not ENDS & set(kinds[:-1])


def test_with_facts_missing_the_last_step_is_an_end_or_the_one_to_try() -> None:
    for facts in every(known=(None, 0, FULL)):
        kinds = [str(step.kind) for step in outcome(facts)]
        assert kinds[-1] in ENDS | TO_TRY
        assert not ENDS & set(kinds[:-1])


def test_a_message_that_is_no_publication_is_lost_only_when_its_sender_said_so() -> None:
    for facts in every(known=(0, FULL)):
        kinds = [str(step.kind) for step in outcome(facts)]
        if kinds[-1] == "commit" and not facts.publication and not facts.subscriber_gone:
            lost = "discard" in kinds
            assert lost == bool(facts.target_reason and facts.report & cmqc.MQRO_DISCARD_MSG)


def every(known: tuple[int | None, ...]) -> list[DueMessageFacts]:
    yes_no = (False, True)
    return [
        DueMessageFacts(*values)
        for values in product(
            (0, FULL), (0, cmqc.MQRO_EXCEPTION, cmqc.MQRO_DISCARD_MSG, ASKED),
            yes_no, yes_no, yes_no, known, known, known,
        )
    ]  # fmt: skip


@pytest.mark.seed("DD-95")
def test_the_header_says_where_it_was_to_go_and_what_follows_it() -> None:
    md = MQMD(format="MQSTR", encoding=273, ccsid=819)
    header = dead_letter_header(
        md,
        FULL,
        queue="APP.IN",
        queue_manager="A.QUEUE.MANAGER.WITH.A.LONG.NAME",
        put_date="20260131",
        put_time="10203040",
    )
    assert (header.reason, header.dest_q_name) == (FULL, "APP.IN")
    assert header.dest_q_mgr_name == "A.QUEUE.MANAGER.WITH.A.LONG.NAME"
    assert (header.format, header.encoding, header.ccsid) == ("MQSTR", 273, 819)
    assert header.put_appl_type == cmqc.MQAT_QMGR
    assert header.put_appl_name == "A.QUEUE.MANAGER.WITH.A.LONG."
    assert (header.put_date, header.put_time) == ("20260131", "10203040")
