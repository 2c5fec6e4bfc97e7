"""What makes a message poison: its type, its content, its header."""

from __future__ import annotations

import pytest

from mqtriage.emulator.clients.events import Happened
from mqtriage.emulator.clients.handlers import (
    Handler,
    HandlerFailed,
    Unreadable,
    accepts_all,
    fails_first,
    fails_when,
)
from mqtriage.emulator.clients.jms import Acknowledge
from mqtriage.emulator.clients.jms_applications import SyncApplication
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from tests.support.client_events import kinds
from tests.support.failing_handlers import expects_text, parses_xml
from tests.unit.emulator.clients.conftest import ClientLab, transacted_listener

BAD_LENGTH = b"RFH \0\0\0\2\0\x09\x99\x99" + bytes(60)
"""An MQRFH2 whose StrucLength is greater than the message."""


def condition(text: str) -> Handler:
    return fails_when(compile_tree(parse_where(text), 0), text)


def jms(kind: str, body: bytes) -> dict[str, object]:
    header = rfh2.build_jms(kind, "queue:///Q1", Following("", 273, 1208), put_time_ms=1)
    return {"body": rfh2.encode(header) + body, "format": "MQHRF2", "ccsid": 1208, "encoding": 273}


CAUSES = {
    "unexpected type": (expects_text, {"body": b"\0\1\2", "format": ""}),
    "unexpected JMS type": (expects_text, jms("jms_bytes", b"x")),
    "content": (condition("body CONTAINS 'cannot handle this'"), {"body": b"I cannot handle this"}),
    "broken XML": (parses_xml, {"body": b"<order><item></order>"}),
    "bad field value": (condition("body.amount < 0"), {"body": b'{"amount": -5}'}),
}


@pytest.mark.seed("PM-01", "BO-03", "BO-04")
@pytest.mark.parametrize("cause", list(CAUSES))
def test_each_cause_rolls_the_message_back(lab: ClientLab, cause: str) -> None:
    handler, fields = CAUSES[cause]
    lab.put("Q1", **fields)  # type: ignore[arg-type]
    application = SyncApplication(lab.session(), "Q1", handler)
    application.step()
    assert kinds(application.log) == [Happened.DELIVERED, Happened.ROLLED_BACK]
    assert [m.md.backout_count for m in lab.there("Q1")] == [1]


@pytest.mark.parametrize(
    ("handler", "fields"),
    [
        pytest.param(expects_text, {"body": b"hello"}, id="text"),
        pytest.param(expects_text, jms("jms_text", b"hello"), id="jms-text"),
        pytest.param(parses_xml, {"body": b"<order><item/></order>"}, id="xml"),
        pytest.param(parses_xml, jms("jms_text", b"<order/>"), id="xml-behind-a-header"),
        pytest.param(parses_xml, {"body": "<a>ä</a>".encode("cp037"), "ccsid": 37}, id="ebcdic"),
        pytest.param(condition("body.amount < 0"), {"body": b'{"amount": 5}'}, id="field"),
    ],
)
def test_what_can_be_processed_is_consumed(
    lab: ClientLab, handler: Handler, fields: dict[str, object]
) -> None:
    lab.put("Q1", **fields)  # type: ignore[arg-type]
    application = SyncApplication(lab.session(), "Q1", handler)
    application.step()
    assert kinds(application.log) == [Happened.DELIVERED, Happened.CONSUMED]


def test_an_xml_body_that_declares_entities_is_refused_not_expanded() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>'
    with pytest.raises(HandlerFailed, match="entity"):
        parses_xml(Message(MQMD(format="MQSTR", ccsid=1208), bomb, len(bomb)))


@pytest.mark.seed("BO-02")
def test_a_bad_header_fails_the_client_before_the_application_sees_the_message(
    lab: ClientLab,
) -> None:
    lab.put("Q1", BAD_LENGTH, format="MQHRF2")
    seen: list[Message] = []
    application = SyncApplication(lab.session(), "Q1", seen.append)
    application.step()
    assert seen == []
    assert kinds(application.log) == [Happened.ROLLED_BACK]
    assert [m.md.backout_count for m in lab.there("Q1")] == [1]


@pytest.mark.seed("BO-02")
@pytest.mark.parametrize("mode", [Acknowledge.TRANSACTED, Acknowledge.AUTO])
def test_receive_raises_and_the_count_rises_until_it_is_moved_byte_for_byte(
    lab: ClientLab, mode: Acknowledge
) -> None:
    lab.put("Q1", BAD_LENGTH, format="MQHRF2")
    session = lab.session(mode)
    consumer = lab.consumer(session)
    for _ in range(3):
        with pytest.raises(Unreadable, match="StrucLength"):
            consumer.receive_no_wait()
        session.rollback()
    assert consumer.receive_no_wait() is None
    session.commit()
    assert lab.bodies("BOQ") == [BAD_LENGTH]


@pytest.mark.seed("BO-02")
def test_a_listener_does_not_see_it_either(lab: ClientLab) -> None:
    lab.put("Q1", BAD_LENGTH, format="MQHRF2")
    seen: list[Message] = []
    session = lab.session()
    transacted_listener(session, seen.append).run(50)
    assert seen == []
    assert kinds(session.log) == [*[Happened.ROLLED_BACK] * 3, Happened.REQUEUED]


def test_fails_first_knows_messages_of_one_id_apart(lab: ClientLab) -> None:
    for _ in range(2):
        lab.put("Q1", msg_id=b"S" * 24)
    application = SyncApplication(lab.session(), "Q1", fails_first(1))
    while application.step():
        pass
    assert kinds(application.log).count(Happened.ROLLED_BACK) == 2
    assert kinds(application.log).count(Happened.CONSUMED) == 2


def test_acknowledged_before_it_was_processed_a_failing_message_is_lost(lab: ClientLab) -> None:
    lab.put("Q1")
    application = SyncApplication(lab.session(Acknowledge.AUTO), "Q1", fails_first(1))
    application.step()
    assert kinds(application.log) == [Happened.DELIVERED, Happened.CONSUMED, Happened.LOST]
    assert lab.depth("Q1") == 0


def test_a_handler_that_accepts_all_returns(lab: ClientLab) -> None:
    assert accepts_all(Message(MQMD(), b"", 0)) is None  # type: ignore[func-returns-value]
