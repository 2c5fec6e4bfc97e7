"""Selection strings: what they select, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages.filters.selector import SelectorError, parse_selector
from mqtriage.messages.filters.subject import Subject
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from tests.support.scale import for_all

_MSG_ID = bytes.fromhex("414D5120514D312020202020202020200102030405060708")
_MD = MQMD(
    format="MQHRF2", priority=7, persistence=1, msg_id=_MSG_ID, backout_count=2,
    put_appl_name="amqsput", user_identifier="alice", reply_to_q="REPLY", expiry_tenths=-1,
    put_date="20260131", put_time="10000000", ccsid=1208, encoding=273,
)  # fmt: skip
_USER: dict[str, rfh2.Value] = {
    "Color": "red", "size": 12, "weight": 2.5, "paid": True, "token": b"\x0a\xfc\x23",
    "note": "it's 5%",
}  # fmt: skip


def subject(md: MQMD = _MD) -> Subject:
    header = rfh2.build(
        [("mcd", {"Msd": "jms_text", "Type": "order"}), ("jms", {"Dst": "queue:///Q"}),
         ("usr", _USER)],
        Following("MQSTR", 273, 1208),
    )  # fmt: skip
    body = rfh2.encode(header) + b"data"
    return Subject(Message(md, body, len(body), b""))


@for_all(
    [
        "Color = 'red'", "usr.Color = 'red'", "Color <> 'blue'", "NOT Color = 'blue'",
        "size = 12", "size = 0xC", "size = 014", "size = 12L", "size = 12.0", "size > 11.5",
        "size + 1 = 13", "-size = -12", "(size + 2) * 2 > 27", "size / 5 = 2", "weight / 2 = 1.25",
        "size - 2 - 3 = 7", "2 + size * 2 = 26", "12 = size", "size = size", "weight < size",
        "size BETWEEN 10 AND 12", "size NOT BETWEEN 1 AND 11", "size BETWEEN 2 * 5 AND size",
        "Color IN ('green', 'red')", "Color NOT IN ('green')", "Color LIKE 'r_d'",
        "Color NOT LIKE 'b%'", "note LIKE '%5!%' ESCAPE '!'", "note = 'it''s 5%'",
        "paid", "paid = TRUE", "paid <> false", "NOT (NOT paid)", "((((paid))))",
        'token = "0x0afC23"', "missing IS NULL", "Color IS NOT NULL", "missing = 1 OR paid",
        "NOT (missing = 1 AND paid = FALSE)", "color IS NULL",
        "Root.MQMD.Format = 'MQHRF2'", "Root.MQMD.Format = 'MQHRF2  '",
        "Root.MQMD.Priority >= 7 AND Root.MQMD.BackoutCount = 2",
        f'Root.MQMD.MsgId = "0x{_MSG_ID.hex()}"', "Root.MQMD.PutApplName LIKE 'amqs%'",
        "jms.Dst = 'queue:///Q'", "mcd.Msd = 'jms_text'",
        f"JMSMessageID = 'ID:{_MSG_ID.hex()}'", f"JMSMessageID = 'ID:{_MSG_ID.hex().upper()}'",
        f'JMSMessageID = "0x{_MSG_ID.hex()}"', f"JMSMessageID IN ('ID:{_MSG_ID.hex().upper()}')",
        "JMSDeliveryMode = 'PERSISTENT'", "JMSDeliveryMode = 2", "JMSPriority = 7",
        "JMSRedelivered", "JMSType = 'order'", "JMSXUserID = 'alice'", "JMSExpiration = 0",
        "JMSReplyTo = 'queue:///REPLY'", "JMSTimestamp = 1769853600000", "JMSXDeliveryCount = 2",
        "JMSCorrelationID IS NULL", "JMS_IBM_Format IS NULL", "1 = 1", "TRUE <> FALSE",
        "color is null and COLOR IS NULL or 1=2", "$x IS NULL", "7. < 7.5 AND -57.9E2 < .5",
        # types that differ are unequal, and that is known
        "NOT (Color = 12)", "NOT (size = '12')", "size <> 13 AND NOT (paid = 1)",
        "NOT (Color + 1 = 2)", "NOT (size LIKE '1%')", "NOT (size IN ('12'))",
    ],
)  # fmt: skip
def test_it_selects(text: str) -> None:
    assert parse_selector(text).selects(subject())


@for_all(
    [
        "Color = 'RED'", "Color = 'red '", "Color <> 'red'", "size > 12", "size / 0 = 1",
        "missing = 1", "NOT missing = 1", "missing <> 1", "missing", "NOT missing",
        "missing LIKE '%'", "NOT (missing LIKE '%')", "missing IN ('a')", "missing NOT IN ('a')",
        "missing BETWEEN 1 AND 2", "missing + 1 = 1", "Color", "Color = 12", "Color <> 12",
        "paid = 1", 'token = "0x0afC2300"', 'token = "0x0afC"',
        "JMSDeliveryMode = 'NON_PERSISTENT'", "Color LIKE 'RED'", "missing = 1 AND paid",
        "paid AND NOT paid",
        "size NOT BETWEEN 1 AND 12",
    ],
)  # fmt: skip
def test_it_does_not_select(text: str) -> None:
    assert not parse_selector(text).selects(subject())


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), ("Color =", 8), ("Color = red =", 13), ("Color == 'red'", 8), ("= 1", 1),
        ("Color = \"red\"", 9), ("Color = 'red", 9), ("Color LIKE 5", 12), ("Color IN ()", 11),
        ("size IN (1, 2)", 10), ("Color LIKE 'a' ESCAPE 'ab'", 12),
        ("Color LIKE 'a' ESCAPE ''", 12),
        ("Color > 'red'", 7), ("Color BETWEEN 'a' AND 'b'", 15), ("paid > TRUE", 6),
        ("5", 1), ("'a'", 1), ("5 IS NULL", 1), ("'a' LIKE 'a'", 1), ("size = 09", 8),
        ("size = 5abc", 8), ("Root.MQMD.StrucId = 'MD'", 1), ("Root.MQMD.Nope = 1", 1),
        ("Root.XMLNSC.order = 1", 1), ("(Color = 'a'", 13), ("Color = 'a')", 12), ("NOT", 4),
        ("Color NOT = 'a'", 11), ("size = 1 AND", 13), ("size = 1 size = 2", 10),
        ("(size = 1) + 2 = 3", 2), ("(size = 1) = TRUE", 2), ("size + 'a' = 1", 8),
        ("Color IS RED", 10), ("size = 1;", 9), ("NULL = 1", 1), ("0x", 1), ("size = 1.5L", 8),
    ],
)  # fmt: skip
def test_what_does_not_follow_the_rules_is_told_with_its_column(text: str, column: int) -> None:
    with pytest.raises(SelectorError, match=rf"^column {column}: "):
        parse_selector(text)


@pytest.mark.parametrize(
    ("text", "constant"),
    [("1 = 1", True), ("1 = 2", False), ("TRUE", True), ("1 / 0 = 1", False), ("Color = 1", None)],
)
def test_a_selector_without_names_is_decided_at_once(text: str, constant: bool | None) -> None:
    assert parse_selector(text).constant is constant


def test_properties_behind_another_header_are_message_data() -> None:
    staged = subject(_MD._replace(format="MQDEAD"))
    assert parse_selector("Color IS NULL").selects(staged)


def test_deep_nesting_is_read_in_linear_time_or_refused() -> None:
    deep = "(" * 50 + "paid" + " AND paid)" * 50
    assert parse_selector(deep).selects(subject())
    for text in ("(" * 51 + "paid" + ")" * 51, "NOT " * 51 + "paid", "-" * 51 + "1 = 1"):
        with pytest.raises(SelectorError, match="more than 50 levels"):
            parse_selector(text)


_PIECES = """Color size paid missing ' '' 'red' 1 0x 07 09 1.5 . ( ) + - * / = <> < > AND OR NOT
LIKE IN IS NULL BETWEEN ESCAPE TRUE Root.MQMD.Priority Root. JMSMessageID "0xAB" " $ ; é"""
_WORDS = st.sampled_from(_PIECES.split())


@given(st.lists(_WORDS, max_size=12))
def test_anything_is_read_or_refused(words: list[str]) -> None:
    text = " ".join(words)
    try:
        selector = parse_selector(text)
    except SelectorError:
        return
    assert selector.selects(subject()) in (True, False)
    negated = parse_selector(f"NOT ({text})")
    assert not (selector.selects(subject()) and negated.selects(subject()))
