"""Which messages a selection takes: options, three-valued logic, guards, windows, explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from mqtriage.messages.filters.expression import Compare, In, Like, Or
from mqtriage.messages.filters.selection import (
    ExactIds,
    Selection,
    build_selection,
    refuse_short_text,
)
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import put_time_us

NOW = put_time_us("20260131", "12000000") or 0
ORDER = b"ORDER-1".ljust(24, b"\0")
BLANKS = b"ORDER-1".ljust(24)
MD = MQMD(
    format="MQSTR", backout_count=4, put_date="20260131", put_time="10000000", ccsid=1208,
    priority=5, persistence=1, correl_id=ORDER, msg_id=b"M" * 24, user_identifier="app",
    put_appl_name="amqsput", reply_to_q="APP.REPLY", expiry_tenths=600,
)  # fmt: skip
JSON = b'{"order": {"id": 42, "ref": "007", "open": true, "none": null, "items": [{"sku": "A"}]}}'


@dataclass
class Facts:
    """Headers with the values that a test gives them."""

    properties: Mapping[str, Any] = field(default_factory=dict)
    original_msg_id: bytes | None = None
    sender_correl_id: bytes | None = None
    target: str | None = None
    target_qmgr: str | None = None
    reason: int | None = None
    dest: str | None = None
    dest_qmgr: str | None = None
    dlq_put_appl: str | None = None
    dlq_put_time_us: int | None = None
    dlq_format: str = ""
    damage: str | None = None
    due_time_us: int | None = None
    delay_ms: int | None = None
    payload: bytes = b""
    body_text: str | None = None


def subject(md: MQMD = MD, body: bytes = JSON, facts: Facts | None = None) -> Subject:
    message = Message(md, body, len(body))
    return Subject(message, (lambda _: facts) if facts is not None else None)


def selects(selection: Selection, one: Subject) -> bool:
    test = selection.predicate(NOW)
    return test is None or test(one)


def where(text: str, one: Subject) -> bool:
    return selects(Selection(parse_where(text)), one)


class Given(NamedTuple):
    """Options, with the lines of the files that `--ids-from` names."""

    options: SelectionOptions
    ids_lines: tuple[str, ...] | None


def build(given: Given, **flags: Any) -> Selection:
    return build_selection(*given, **flags)


def options(**given: Any) -> Given:
    lines = given.pop("ids_from", None)
    return Given(SelectionOptions(**given), lines)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"correl_id": ("text:ORDER-1",)}, True),
        ({"correl_id": ("text:ORDER-2",)}, False),
        ({"correl_id": ("text:ORDER-2", "text:ORDER-1")}, True),
        ({"correl_id": ("text:ORDER*",)}, True),
        ({"correl_id": ("text:ORDERS*", "ID:4F*")}, True),
        ({"msg_id": ("4D" * 24,), "correl_id": ("text:ORDER-2",)}, False),
        ({"where": ("group_id = MQGI_NONE",)}, True),
        ({"older_than": ("1h59m",)}, True),
        ({"older_than": ("2h",)}, False),
        ({"younger_than": ("2h",)}, False),
        ({"younger_than": ("3h",)}, True),
        ({"where": ("put_time > 2026-01-31T09:59:59Z",)}, True),
        ({"where": ("put_time > now-2h",)}, False),
        ({"where": ("put_time < now-1h",)}, True),
        ({"backout": (">=3",)}, True),
        ({"backout": (">= 5",)}, False),
        ({"backout": ("4",)}, True),
        ({"backout": ("0", ">3")}, True),
        ({"format": ("MQSTR",)}, True),
        ({"format": ("MQFMT_STRING",)}, True),
        ({"format": ("MQHRF2", "MQSTR")}, True),
        ({"put_appl": ("amqs*",)}, True),
        ({"put_appl": ("amqsget",)}, False),
        ({"where": ("user = 'app'",)}, True),
        ({"where": ("user = 'APP'",)}, False),
        ({"reply_to": ("*.REPLY",)}, True),
        ({"reply_to": ("APP_REPLY*",)}, False),
        ({"persistent": True}, True),
        ({"persistent": False}, False),
        ({"priority": (">=5",)}, True),
        ({"priority": ("!=5",)}, False),
        ({"expires_within": ("1m",)}, True),
        ({"expires_within": ("59s",)}, False),
        ({"body_contains": ('"id": 42',)}, True),
        ({"body_contains": ("nothing",)}, False),
        ({"where": ("body CONTAINS x'226f7264'",)}, True),
        ({"body_regex": (r'"ref":\s*"0+7"',)}, True),
        ({"body_path": ("$.order.id=42",)}, True),
        ({"body_path": ("$.order.id = 43",)}, False),
        ({"body_path": ("$.order.id>41",)}, True),
        ({"body_path": ("$.order.ref=007",)}, True),
        ({"body_path": ("$.order.ref='007'",)}, True),
        ({"body_path": ("$.order.open=true",)}, True),
        ({"body_path": ("$.order.none=null",)}, True),
        ({"body_path": ("$.order['items'][0].sku=A",)}, True),
        ({"body_path": ("$.order.items",)}, True),
        ({"body_path": ("$.order.missing",)}, False),
        ({"body_path": ("/order/@id=42",)}, False),
        ({"ids_from": ("# two ids", "", "4D" * 24 + "\n", "text:X")}, True),
        ({"ids_from": ("text:X",)}, False),
        ({"ids_from": ()}, False),
        ({"where": ("backout = 9", "user = 'app'")}, True),
        ({"where": ("backout = 9",), "format": ("MQSTR",)}, False),
    ],
    ids=repr,
)
def test_an_option_selects_this_message_or_not(given: dict[str, Any], expected: bool) -> None:
    assert selects(build(options(**given)), subject()) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"prop": ("Color=red",)}, True),
        ({"prop": ("Color=blue", "Color=red")}, True),
        ({"prop": ("n=42",)}, True),
        ({"prop": ("ok=TRUE",)}, True),
        ({"prop": ("Color",)}, True),
        ({"prop": ("color=red",)}, False),
        ({"prop": ("absent",)}, False),
        ({"reason": ("MQRC_Q_FULL",)}, True),
        ({"reason": ("2053",)}, True),
        ({"reason": ("2052",)}, False),
        ({"dest": ("APP.IN",)}, True),
        ({"overdue": True}, True),
        ({"due_before": ("now-2m",)}, False),
        ({"due_after": ("now-2m",)}, True),
    ],
    ids=repr,
)
def test_an_option_on_headers_selects_this_message_or_not(
    given: dict[str, Any], expected: bool
) -> None:
    facts = Facts({"Color": "red", "n": 42, "ok": True}, reason=2053, dest="APP.IN",
                  due_time_us=NOW - 60_000_000)  # fmt: skip
    assert selects(build(options(**given)), subject(facts=facts)) is expected


@pytest.mark.parametrize(
    "text",
    ["reason = 1", "reason <> 1", "NOT (reason = 1)", "reason IN (1)", "reason NOT IN (1)",
     "reason BETWEEN 1 AND 2", "NOT (reason BETWEEN 1 AND 2)", "prop.x = 'a'", "prop.x <> 'a'",
     "prop.x LIKE '%'", "prop.x NOT LIKE 'a'", "due_time < now", "NOT due_time < now",
     "body.x.y <> 1", "dest <> 'A'", "NOT (reason = 1 OR dest = 'A')", "NOT body CONTAINS 'zz'",
     "NOT body MATCHES 'zz'", "delay > 1s", "NOT (reason = 1 AND dest = 'A')"],
)  # fmt: skip
def test_what_is_asked_of_a_missing_value_is_never_true(text: str) -> None:
    assert not where(text, subject(facts=Facts()))


@pytest.mark.parametrize(
    "text",
    ["reason IS NULL", "NOT (reason IS NOT NULL)", "reason = 1 OR backout = 4",
     "NOT (reason = 1 AND backout = 0)", "prop.x IS NULL", "body IS NULL"],
)  # fmt: skip
def test_a_known_part_decides_beside_an_unknown_one(text: str) -> None:
    assert where(text, subject(facts=Facts()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("expiry < 2m", True), ("expiry IS NULL", False), ("format LIKE 'MQ%'", True),
     ("format LIKE 'M_STR'", True), ("format LIKE 'M_ST'", False), ("format LIKE '%S%R'", True),
     ("user LIKE 'ap%pp'", False), ("user LIKE 'ap%p'", True),
     ("user NOT LIKE 'b%'", True), ("age BETWEEN 2h AND 3h", True), ("age > 2h", False),
     ("msg_id LIKE '4D4D%'", True), ("correl_id <> MQCI_NONE", True), ("reply_to <> ''", True),
     ("NOT (backout = 4 OR user = 'x')", False), ("backout NOT IN (1, 2)", True),
     ("put_time >= 2026-01-31T10:00:00Z", True), ("NOT body CONTAINS 'zz'", True),
     ("body LIKE '%\"id\": 42%'", True), ("NOT body MATCHES 'z'", True),
     ("length = 88", True), ("length > 88", False)],
)  # fmt: skip
def test_a_where_over_the_descriptor_and_body(text: str, expected: bool) -> None:
    assert len(JSON) == 88
    assert where(text, subject()) is expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [("prop.x = 42", "42", True), ("prop.x = 42", "forty", False), ("prop.x <> 42", "forty", False),
     ("prop.x > 41.5", 42, True), ("prop.x = '42'", 42, True), ("prop.x <> 'red'", 42, False),
     ("prop.x = TRUE", "true", True), ("prop.x = TRUE", 1, False), ("prop.x = 1", True, False),
     ("prop.x = 'true'", True, True), ("prop.x NOT IN ('a', 'b')", "c", True),
     ("prop.x NOT IN ('a', 'b')", 7, False), ("prop.x LIKE '4%'", 42, True),
     ("prop.x = 'x'", b"x", False)],
)  # fmt: skip
def test_values_of_unknown_type_compare_where_they_can(
    text: str, value: object, expected: bool
) -> None:
    assert where(text, subject(facts=Facts({"x": value}))) is expected


XML = (
    b'<?xml version="1.0"?><o:order xmlns:o="urn:x" id="7">'
    b'<item/><item sku="B"> two </item></o:order>'
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/order/@id=7", True), ("/order/item[2]/@sku=B", True), ("/order/item[2]=two", True),
     ("/order/item/@sku=B", True), ("/order/item[3]", False), ("/item/@sku=B", False),
     ("/order/item=two", False), ("$.order", False)],
)  # fmt: skip
def test_a_path_into_an_xml_body(path: str, expected: bool) -> None:
    assert selects(build(options(body_path=(path,))), subject(body=XML)) is expected


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"{", b"<order", b"[" * 100_000, b"<a>" * 100_000, b"9" * 10_000,
     b'<!DOCTYPE o [<!ENTITY a "7">]><order id="7"><id>&a;</id></order>'],
)  # fmt: skip
@pytest.mark.parametrize("text", ["body.\"/order/@id\" = '7'", "body.order.id = 7"])
def test_a_body_that_cannot_be_read_has_no_such_value(body: bytes, text: str) -> None:
    assert not where(text, subject(body=body))
    assert not where(f"NOT ({text})", subject(body=body))


def test_a_body_that_was_cut_is_not_said_to_lack_a_text() -> None:
    cut = Subject(Message(MD, b"short", 500))
    assert where("body CONTAINS 'short'", cut)
    assert not where("NOT body CONTAINS 'elsewhere'", cut)
    assert not where("body LIKE '%short'", cut)


def test_the_bytes_of_a_text_are_found_in_a_body_that_is_no_text() -> None:
    binary = subject(MD._replace(format=""), b"\xff\xfe\x00ORDER-42\x00")
    assert where("body CONTAINS 'ORDER-42'", binary)
    assert not where("NOT body CONTAINS 'ORDER-43'", binary)
    assert where("NOT body CONTAINS x'4343'", binary)


def test_text_is_found_in_an_ebcdic_body() -> None:
    body = "ORDER [42]".encode("cp037")
    assert where("body CONTAINS 'ORDER [4'", subject(MD._replace(ccsid=37), body))


@pytest.mark.parametrize(
    "given",
    [{"correl_id": ("ORDER",)}, {"older_than": ("2",)}, {"backout": ("many",)}, {"prop": ("=1",)},
     {"reason": ("MQRC_NO_SUCH",)}, {"where": ("body CONTAINS x'123'",)}, {"body_regex": ("(a",)},
     {"body_path": ("order",)}, {"body_path": ("$.a~5",)}, {"body_contains": ("",)},
     {"limit": 0}, {"skip": -1},
     {"ids_from": ("414D",)}, {"ids_from": ("41*",)}, {"where": ("x",)}, {"dest": ("A,B",)},
     {"reply_to": ("A,B",)}],
    ids=repr,
)  # fmt: skip
def test_an_option_that_cannot_be_understood_is_a_usage_error(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        build(options(**given))
    assert caught.value.text.startswith("--")


def test_a_wrong_line_in_a_file_of_ids_is_named() -> None:
    with pytest.raises(UsageError, match="--ids-from, line 3"):
        build(options(ids_from=("4D" * 24, "", "zz")))


@pytest.mark.parametrize(
    "given",
    [{"msg_id": ("41*",)}, {"correl_id": ("0" * 48,)}, {"ids_from": ("ID:00",)},
     {"where": ("msg_id LIKE '41%'",)}],
)  # fmt: skip
def test_a_verb_that_writes_refuses_short_prefixes_and_zero_ids(given: dict[str, Any]) -> None:
    assert build(options(**given))
    with pytest.raises(UsageError):
        build(options(**given), for_write=True)
    with pytest.raises(UsageError):
        build(options(**given), for_purge=True)


@pytest.mark.parametrize(
    ("given", "refused"),
    [({"body_contains": ("ORDER-4",)}, True), ({"body_contains": ("ORDER-42",)}, False),
     ({"body_contains": ("éééé",)}, False), ({"where": ("body CONTAINS x'4142'",)}, True),
     ({"body_regex": ("O.*4",)}, True), ({"where": ("body LIKE '%ORDER%42%'",)}, True),
     ({"where": ("body LIKE '%ORDER-42%'",)}, False),
     ({"where": ("backout = 1 OR NOT body CONTAINS 'x'",)}, True),
     ({"body_path": ("$.a=1",)}, False)],
)  # fmt: skip
def test_a_purge_refuses_a_short_body_text(given: dict[str, Any], refused: bool) -> None:
    assert build(options(**given), for_write=True)
    assert build(options(**given), for_purge=True, yes_short_text=True)
    if refused:
        with pytest.raises(Refused, match="8") as caught:
            build(options(**given), for_purge=True)
        assert caught.value.hint == "give a longer text"
    else:
        build(options(**given), for_purge=True)


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"correl_id": ("ID:41",)}, ExactIds(correl_id=b"A".ljust(24, b"\0"))),
     ({"correl_id": ("text:A",)}, ExactIds()),  # until it is known which padding is there
     ({"correl_id": ("ID:41",), "msg_id": ("4D" * 24,), "backout": ("1",)},
      ExactIds(b"M" * 24, b"A".ljust(24, b"\0"))),
     ({"where": ("group_id = 'text:A' AND backout = 1",)},
      ExactIds(group_id=b"A".ljust(24, b"\0"))),
     ({"correl_id": ("text:A", "text:B")}, ExactIds()),
     ({"correl_id": ("ID:41",), "where": ("correl_id = 'ID:42'",)}, ExactIds()),
     ({"correl_id": ("41*",)}, ExactIds()),
     ({"correl_id": ("0" * 48,)}, ExactIds()),
     ({"where": ("msg_id = 'text:A' OR backout = 1",)}, ExactIds()),
     ({"where": ("NOT msg_id = 'text:A'",)}, ExactIds()),
     ({"where": ("msg_id <> 'text:A'",)}, ExactIds())],
    ids=repr,
)  # fmt: skip
def test_the_queue_manager_matches_one_exact_id_of_a_kind(
    given: dict[str, Any], expected: ExactIds
) -> None:
    assert build(options(**given)).queue_manager_part == expected


def test_the_same_option_twice_is_one_or() -> None:
    twice = build(options(backout=("1", "2"))).tree
    assert twice == Or((Compare("backout", "=", 1), Compare("backout", "=", 2)))
    ids = build(options(msg_id=("text:A", "text:B", "text:A"))).tree
    assert isinstance(ids, In) and len(ids.values) == 4, "each in both paddings"
    mixed = build(options(msg_id=("text:A", "42*"))).tree
    assert isinstance(mixed, Or) and mixed.parts[1] == Like("msg_id", "42%")


def test_no_options_select_everything_and_cost_nothing() -> None:
    everything = build(options())
    assert everything.predicate(NOW) is None
    assert everything.tree is None and everything.needs == frozenset()
    assert everything.explain() == ["queue manager: returns every message"]


@pytest.mark.parametrize(
    ("text", "needs", "due"),
    [("backout = 1", set(), False), ("prop.x = 1", {"headers"}, False),
     ("reason = 1", {"headers"}, False), ("body CONTAINS 'x'", {"headers", "body"}, False),
     ("due_time < now", {"headers", "due"}, True), ("delay > 1h", {"headers", "due"}, True),
     ("body.a = 1 OR delay > 1h", {"headers", "body", "due"}, True)],
)  # fmt: skip
def test_a_selection_says_what_it_needs(text: str, needs: set[str], due: bool) -> None:
    selection = Selection(parse_where(text))
    assert set(selection.needs) == needs
    assert selection.uses_due_time is due


def test_headers_are_decoded_only_when_a_test_asks() -> None:
    asked = []

    def decode(message: Message) -> Facts:
        asked.append(message)
        return Facts({"x": 1})

    one = Subject(Message(MD, JSON, len(JSON)), decode)
    assert not where("prop.x = 1 AND backout = 0", one)
    assert asked == []  # the descriptor is read first, wherever it stands
    assert where("prop.x = 1 AND backout = 4 AND prop.x < 2", one)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("given", "numbers"),
    [({}, range(10)), ({"skip": 2}, range(2, 10)), ({"limit": 3}, range(3)),
     ({"skip": 2, "limit": 3}, range(2, 5))],
)  # fmt: skip
def test_skip_and_limit_count_selected_messages(given: dict[str, Any], numbers: range) -> None:
    stream = [subject(MD._replace(backout_count=n % 2, priority=n // 2)) for n in range(20)]
    selection = build(options(backout=("1",), **given))
    picked = selection.window(one for one in stream if selects(selection, one))
    assert [one.md.priority for one in picked] == list(numbers)


def test_reading_stops_when_the_limit_is_reached() -> None:
    read = 0

    def stream() -> Any:
        nonlocal read
        while True:
            read += 1
            yield subject()

    assert len(list(build(options(limit=3)).window(stream()))) == 3
    assert read == 3


def test_the_explanation_says_who_does_which_part() -> None:
    given = options(
        correl_id=("text:ORDER-1",),
        backout=(">=3",),
        selector=("Color = 'red'",),
        body_regex=("a+b",),
        ids_from=tuple(f"text:{n}" for n in range(9)),
        skip=1,
        limit=2,
    )
    assert build(given).explain() == [
        f"queue manager: correl_id IN ('{ORDER.hex().upper()}', '{BLANKS.hex().upper()}'),"
        " whichever is there",
        "queue manager: selection string Color = 'red'",
        "mqtriage: msg_id is one of 18",
        "mqtriage: backout >= 3",
        "mqtriage: body MATCHES 'a+b'",
        "mqtriage: leaves out the first 1 selected",
        "mqtriage: stops after 2 selected",
    ]


def test_the_bytes_of_each_id_are_told() -> None:
    notes = build(options(correl_id=("text:ORDER-1",), msg_id=("41*",))).id_notes
    assert notes == (
        "message id begins with 41 (1 byte)",
        f"correlation id: {ORDER.hex().upper()} (7 bytes given, padded with NUL or blanks to 24)",
    )


def test_now_is_said_when_the_predicate_is_made_not_when_it_is_parsed() -> None:
    selection = build(options(where=("put_time > now-1h",)))
    earlier, later = selection.predicate(NOW - 3_600_000_000), selection.predicate(NOW)
    assert earlier is not None and later is not None
    one = subject(MD._replace(put_time="10300000"))
    assert earlier(one) and not later(one)


def test_short_text_is_refused_in_a_tree_from_elsewhere_too() -> None:
    refuse_short_text(None)
    with pytest.raises(Refused):
        refuse_short_text(parse_where("body CONTAINS 'x'"))
