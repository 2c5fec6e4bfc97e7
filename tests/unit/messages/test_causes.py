"""What poison messages have in common: conditions found, counts, and bounds on memory."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from mqtriage.messages import causes
from mqtriage.messages.causes import Cause, count_of, find_causes, negated, tally_of
from mqtriage.messages.filters.expression import Between, Compare, IsNull, to_text
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.rule_text import rule_text
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.messages.survey import (
    GREATEST_VALUES,
    Survey,
    conditions_of,
    length_class,
    survey_of,
)
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message


def text(body: str = "x", *, number: int = 0, **fields: object) -> Subject:
    values = {"format": "MQSTR", "ccsid": 1208, "msg_id": number.to_bytes(24, "big"), **fields}
    data = body.encode()
    return Subject(Message(MQMD(**values), data, len(data)))  # type: ignore[arg-type]


def with_properties(number: int = 0, **properties: rfh2.Value) -> Subject:
    md = MQMD(format="MQHRF2", encoding=273, ccsid=1208, msg_id=number.to_bytes(24, "big"))
    data = rfh2.encode(rfh2.build([("usr", properties)], Following("MQSTR", 273, 1208))) + b"x"
    return Subject(Message(md, data, len(data)))


def causes_of(
    sick: list[Subject], healthy: list[Subject] | None = None, top: int = 10
) -> list[Cause]:
    there = None if healthy is None else survey_of(healthy)
    conditions = conditions_of(survey_of(sick), there)
    fine = None if healthy is None else tally_of(healthy, conditions)
    return find_causes(tally_of(sick, conditions), fine, top=top)


def selected(where: str, subjects: list[Subject]) -> int:
    test = compile_tree(parse_where(where), 0)
    return sum(test(subject) for subject in subjects)


def test_what_healthy_messages_have_too_is_no_cause() -> None:
    sick = [text(put_appl_name="billing", user_identifier="app") for _ in range(5)]
    healthy = [text(put_appl_name="orders", user_identifier="app") for _ in range(5)]
    assert [cause.where for cause in causes_of(sick, healthy)] == ["put_appl = 'billing'"]


def test_the_damage_of_a_body_is_a_cause() -> None:
    sick = [text("<a><b></a>"), text("<order"), text('{"a": 1,}')]
    healthy = [text("<a/>"), text('{"a": 1}')]
    assert [(cause.where, cause.messages) for cause in causes_of(sick, healthy)] == [
        ("damage = 'xml'", 2),
        ("damage = 'json'", 1),
    ]


def test_data_in_utf_8_that_are_marked_ebcdic_are_a_damage_of_their_own() -> None:
    sick = [text(f'{{"qty": {qty}, "name": "Gr\u00fcn"}}', ccsid=500) for qty in range(4)]
    healthy = [text(f'{{"qty": {qty}}}') for qty in range(4)]
    assert selected("damage = 'ccsid'", sick) == 4
    assert {cause.where for cause in causes_of(sick, healthy)} & {"damage = 'ccsid'"}


@pytest.mark.parametrize(
    ("poison", "fine", "where"),
    [
        pytest.param(
            '{"id": %d, "order": {"country": "XX", "qty": 1}}',
            '{"id": %d, "order": {"country": "DE", "qty": 1}}',
            "body.order.country = 'XX'",
            id="json",
        ),
        pytest.param(
            '{"id": %d, "lines": [{"sku": "S9"}]}',
            '{"id": %d, "lines": [{"sku": "S1"}, {"sku": "S9"}]}',
            "body.lines[0].sku = 'S9'",
            id="json-list",
        ),
        pytest.param(
            '{"id": %d}', '{"id": %d, "due": %d}', "body.due IS NULL", id="json-missing"
        ),
        pytest.param(
            '<o:order xmlns:o="urn:x" id="%d"><land>XX</land></o:order>',
            '<o:order xmlns:o="urn:x" id="%d"><land>DE</land></o:order>',
            "body.\"/order/land\" = 'XX'",
            id="xml",
        ),
        pytest.param(
            '<o id="%d" v="2"/>', '<o id="%d" v="1"/>', "body.\"/o/@v\" = '2'", id="xml-attribute"
        ),
    ],
)  # fmt: skip
def test_a_value_inside_the_body_is_a_cause(poison: str, fine: str, where: str) -> None:
    sick = [text(poison % ((n,) * poison.count("%d"))) for n in range(100, 120)]
    healthy = [text(fine % ((n,) * fine.count("%d"))) for n in range(200, 240)]
    (cause,) = causes_of(sick, healthy)
    assert (cause.where, cause.messages, cause.against_count) == (where, 20, 0)


def test_what_is_about_as_common_in_healthy_messages_is_no_cause() -> None:
    sick = [text("x" * length) for length in (70, 70, 70, 200)]
    healthy = [text("x" * length) for length in (70, 70, 200, 200)]
    assert causes_of(sick, healthy) == []


def test_a_rare_cause_is_found_beside_what_is_common_everywhere() -> None:
    sick = [text(user_identifier="app") for _ in range(97)] + [text('{"a": 1,}') for _ in range(3)]
    healthy = [text(user_identifier="app") for _ in range(90)] + [text() for _ in range(10)]
    assert [(cause.where, cause.messages) for cause in causes_of(sick, healthy)] == [
        ("damage = 'json'", 3)
    ]


def test_values_inside_bodies_are_no_cause_where_nothing_healthy_can_be_compared() -> None:
    sick = [text(f'{{"kind": {n % 3}}}') for n in range(9)]
    assert not any("body" in cause.where for cause in causes_of(sick))


@pytest.mark.parametrize(
    ("count", "of", "chance", "expected"),
    [(0, 15, 0.5, 0.5**15), (1, 8, 0.25, 0.75**8 + 8 * 0.25 * 0.75**7), (3, 10, 0.25, 1.0)],
)  # fmt: skip
def test_how_likely_so_few_are(count: int, of: int, chance: float, expected: float) -> None:
    assert causes.at_most(count, of, chance) == pytest.approx(expected)


def test_what_few_share_comes_last_and_may_be_chance() -> None:
    sick = [text(f'{{"sku": {n % 40}}}', reply_to_q="R.BAD") for n in range(80)]
    sick += [text('{"sku": 1}', put_appl_name="shop")] * 3
    healthy = [text(f'{{"sku": {n % 40}}}') for n in range(30)]
    rows = causes_of(sick, healthy)
    assert [one.may_be_chance for one in rows] == sorted(one.may_be_chance for one in rows)
    assert rows[0].where == "reply_to = 'R.BAD'"
    assert (rows[-1].where, rows[-1].may_be_chance) == ("put_appl = 'shop'", True)
    many = causes_of(sick, healthy * 40)
    assert not any(one.may_be_chance for one in many)


def amounts(numbers: Iterable[float], **more: object) -> list[Subject]:
    return [text(json.dumps({"amount": number, **more})) for number in numbers]


def test_numbers_below_or_above_all_the_healthy_ones_are_a_cause() -> None:
    fine = [(n * 37) % 100 + 0.5 for n in range(200)]
    healthy = amounts(fine, schema="v2")
    for sick, where in (
        (amounts([-((n * 7) % 50) - 1 for n in range(44)], schema="v2"), "body.amount < 0"),
        (amounts([500 + (n * 7) % 50 for n in range(44)], schema="v2"), "body.amount > 99.5"),
    ):
        (cause,) = causes_of(sick, healthy)
        assert (cause.where, cause.messages, cause.against_count) == (where, 44, 0)
        assert selected(cause.where, sick + healthy) == 44


def test_a_shared_value_is_taken_before_a_threshold_of_numbers() -> None:
    healthy = amounts([(n * 37) % 100 for n in range(200)])
    sick = amounts([-((n * 7) % 50) - 1 for n in range(60)])
    sick[:30] = amounts([-((n * 7) % 50) - 1 for n in range(30)], country="XX")
    assert [one.where for one in causes_of(sick, healthy)] == [
        "body.country = 'XX'",
        "body.amount < 0",
    ]


def test_numbers_that_rise_from_message_to_message_are_no_cause() -> None:
    """An order number, or a time, says when the message was put."""
    assert causes_of(amounts(range(100)), amounts(range(500, 900))) == []


def test_few_numbers_beyond_the_healthy_ones_may_be_chance_whatever_their_share() -> None:
    healthy = amounts([(n * 37) % 100 for n in range(20)])
    sick = amounts([(n * 37) % 100 for n in range(50)] + [-7, -1, -3, -2, -4])
    assert causes_of(sick, healthy) == []


def test_two_terms_are_taken_where_one_does_not_separate() -> None:
    sick = [text(user_identifier="u1", reply_to_q="R1") for _ in range(8)]
    healthy = [text(user_identifier="u1", reply_to_q="R2") for _ in range(8)]
    healthy += [text(user_identifier="u2", reply_to_q="R1") for _ in range(8)]
    (cause,) = causes_of(sick, healthy)
    assert sorted(cause.terms) == ["reply_to = 'R1'", "user = 'u1'"]
    assert (cause.messages, cause.against_count) == (8, 0)


def test_a_property_that_only_healthy_messages_have_is_a_cause_where_it_is_missing() -> None:
    sick = [with_properties(n, Color="red") for n in range(4)]
    healthy = [with_properties(n, Color="red", Shop=str(n)) for n in range(4)]
    assert causes_of(sick, healthy)[0].where == "prop.Shop IS NULL"


def test_alike_queues_have_no_cause() -> None:
    assert causes_of([text() for _ in range(5)], [text() for _ in range(5)]) == []


def test_support_and_lift_are_those_of_the_condition() -> None:
    sick = [text(put_appl_name="billing") for _ in range(3)] + [text(put_appl_name="x")]
    healthy = [text(put_appl_name="billing")] + [text(put_appl_name="orders") for _ in range(3)]
    first = causes_of(sick, healthy)[0]
    assert (first.where, first.messages, first.against_count) == ("put_appl = 'billing'", 3, 1)
    assert first.support == 0.75
    assert first.lift == 0.75 / (4 / 8)


def test_without_healthy_messages_what_tells_them_apart_comes_before_what_all_share() -> None:
    sick = [text(put_appl_name="a") for _ in range(3)] + [text(put_appl_name="b")] * 2
    assert [cause.where for cause in causes_of(sick)] == ["put_appl = 'a'", "put_appl = 'b'"]


def test_what_a_group_shares_besides_is_told() -> None:
    sick = [text(put_appl_name="a", user_identifier="u") for _ in range(3)]
    sick += [text(put_appl_name="b", user_identifier="v") for _ in range(3)]
    assert "user = 'u'" in causes_of(sick)[0].also


def test_the_times_and_the_sample_are_those_of_the_group() -> None:
    day = "20260131"
    sick = [
        text(number=number, put_appl_name=name, put_date=day, put_time=f"1000{number:02}00")
        for number, name in enumerate("ababa", 1)
    ]
    first = causes_of(sick)[0]
    assert (first.where, first.sample) == ("put_appl = 'a'", (1).to_bytes(24, "big"))
    assert first.first_us is not None
    assert first.last_us is not None
    assert first.last_us - first.first_us == 4_000_000


def test_every_condition_selects_exactly_what_was_counted() -> None:
    sick = [
        with_properties(n, kind=["a", "o'b", ""][n % 3], n=n % 2, on=n % 4 == 0) for n in range(40)
    ]
    sick += [text("y" * n, number=n, put_appl_name=f"p {n % 3}") for n in range(40)]
    conditions = conditions_of(survey_of(sick))
    tally = tally_of(sick, conditions)
    assert len(conditions) > 10
    for number, condition in enumerate(conditions):
        assert count_of(1 << number, tally.groups) == selected(condition.where, sick) > 0
    for cause in find_causes(tally):
        for also in cause.also:
            assert selected(f"{cause.where} AND {also}", sick) == cause.messages


def test_a_value_that_no_condition_can_say_makes_none() -> None:
    sick = [text(put_appl_name="bell\x07") for _ in range(5)]
    assert all("bell" not in cause.where for cause in causes_of(sick))


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, Compare("length", "=", 0)),
        (1, Between("length", 1, 1)),
        (1023, Between("length", 512, 1023)),
        (1024, Between("length", 1024, 2047)),
    ],
)
def test_a_length_is_in_the_class_of_its_power_of_two(
    length: int, expected: Compare | Between
) -> None:
    assert length_class(length) == expected


def test_the_values_kept_of_a_field_are_bounded_and_a_common_one_stays() -> None:
    survey = Survey()
    for number in range(3_000):
        survey.add(text(user_identifier="common" if number % 3 == 0 else f"u{number}"))
    assert max(len(values) for values in survey.fields.values()) <= GREATEST_VALUES
    assert Compare("user", "=", "common") in survey.fields["user"]


def test_with_too_many_combinations_what_is_still_counted_is_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(causes, "GREATEST_COMBINATIONS", 6)
    sick = [
        text(user_identifier=f"u{n % 5}", put_appl_name=f"p{n % 7}", reply_to_q=f"r{n % 3}")
        for n in range(210)
    ]
    conditions = conditions_of(survey_of(sick))
    tally = tally_of(sick, conditions)
    assert len(tally.groups) <= 6
    all_causes = find_causes(tally)
    assert all_causes
    for cause in all_causes:
        assert selected(cause.where, sick) == cause.messages


@pytest.mark.parametrize(
    ("where", "rule"),
    [
        ("reason = MQRC_Q_FULL", "REASON(MQRC_Q_FULL)"),
        ("dest = 'A.B' AND put_appl = 'my app'", "DESTQ('A.B') APPLNAME('my app')"),
        ("dest_qmgr = 'QM2' AND reply_to_qmgr = 'QM3'", "DESTQM('QM2') REPLYQM('QM3')"),
        ("reply_to = 'R' AND appl_identity = 'a'", "REPLYQ('R') APPLIDAT('a')"),
        ("user = 'u' AND mqmd_put_appl LIKE 'p%'", "USERID('u') APPLNAME('p*')"),
        ("put_appl_type = 28 AND msg_type = 8", "APPLTYPE(28) MSGTYPE(8)"),
        ("persistence = 1 AND feedback = 2053", "PERSIST(1) FEEDBACK(2053)"),
        ("put_appl = 'any*'", None),
        ("damage = 'xml'", None),
        ("length > 5", None),
    ],
)
def test_a_rule_says_exactly_the_condition_or_nothing(where: str, rule: str | None) -> None:
    assert rule_text(parse_where(where)) == (rule and f"{rule} ACTION(IGNORE)")


def test_a_document_with_a_doctype_is_not_judged() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;'
    assert text(bomb).headers.damage is None
    assert text("<a>&b;</a>").headers.damage == "xml"


def test_a_header_that_cannot_be_read_is_named() -> None:
    whole = with_properties(Color="red").message
    cut = Message(whole.md, whole.body[:30], 30)
    assert Subject(whole).headers.damage is None
    assert Subject(cut).headers.damage == "MQRFH2"


def test_text_that_is_none_in_its_ccsid_is_damaged() -> None:
    md = MQMD(format="MQSTR", ccsid=1208)
    assert Subject(Message(md, b"\xff\xfe\xfd", 3)).headers.damage == "text"
    assert Subject(Message(md._replace(format=""), b"\xff\xfe\xfd", 3)).headers.damage is None
    assert Subject(Message(md, b"{", 9)).headers.damage is None, "only a part is in hand"


def test_the_text_of_a_condition_is_that_of_its_tree() -> None:
    (cause,) = causes_of([text(user_identifier="it's")] * 3 + [text(user_identifier="v")])[:1]
    assert cause.where == to_text(cause.tree) == "user = 'it''s'"


@pytest.mark.parametrize("most", [6, 4096])
def test_a_rare_damage_is_found_among_many_combinations(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(causes, "GREATEST_COMBINATIONS", most)
    sick = [
        text("<a>" if n == 17 else "<a/>", user_identifier=f"u{n % 5}", reply_to_q=f"r{n % 7}")
        for n in range(210)
    ]
    (cause,) = [candidate for candidate in causes_of(sick) if candidate.where == "damage = 'xml'"]
    assert cause.messages == 1


def order(number: int, **more: object) -> Subject:
    return text(f'{{"order": {{"id": {number}, "qty": {number % 7}}}}}', number=number, **more)


def test_causes_that_lie_inside_one_condition_are_told_apart() -> None:
    sick = [text(f'{{"order": {{"qty": {n % 7}}}}}', number=n) for n in range(90)]
    sick += [text(f"{n};{n % 7};DE\n", number=n, put_appl_name="csvload") for n in range(40)]
    sick += [text("<order><id>7</order>", number=n) for n in range(30)]
    healthy = [order(n) for n in range(200)]
    causes_ = causes_of(sick, healthy)
    assert [(cause.where, cause.messages) for cause in causes_] == [
        ("body.order.id IS NULL AND body_kind = 'json'", 90),
        ("body_kind = 'text'", 40),
        ("damage = 'xml'", 30),
    ]
    for cause in causes_:
        assert selected(cause.where, sick) == cause.messages
        assert selected(cause.where, healthy) == cause.against_count == 0
    assert "put_appl = 'csvload'" in causes_[1].also


def test_the_rest_of_a_cause_is_what_its_parts_are_not() -> None:
    sick = [order(n, put_appl_name="loader", format="MQSTR" if n % 2 else "") for n in range(40)]
    sick += [text("<a>", number=n, put_appl_name="loader") for n in range(20)]
    healthy = [order(n, put_appl_name="orders", format="MQSTR" if n % 2 else "") for n in range(80)]
    rest, damaged = causes_of(sick, healthy)
    assert (damaged.where, damaged.messages) == ("damage = 'xml'", 20)
    assert (rest.messages, selected(rest.where, sick)) == (40, 40)
    assert rest.where.startswith("put_appl = 'loader' AND ")


def test_one_damaged_message_is_a_cause_of_its_own_whatever_it_shares_with_others() -> None:
    healthy = [order(n) for n in range(200)]
    for others in (1, 500):
        sick = [order(n, user_identifier="partner") for n in range(others)]
        sick.append(text("<a>", number=others, user_identifier="partner"))
        damaged, rest = sorted(causes_of(sick, healthy), key=lambda cause: cause.where)
        assert (damaged.where, damaged.messages) == ("damage = 'xml'", 1)
        assert rest.messages == others
        assert not compile_tree(rest.tree, 0)(sick[-1])  # the other messages, not as many


def test_what_healthy_messages_have_as_often_tells_no_parts_apart() -> None:
    sick = [order(n, put_appl_name="loader", format="MQSTR" if n % 2 else "") for n in range(40)]
    healthy = [order(n, format="MQSTR" if n % 2 else "") for n in range(80)]
    assert [cause.where for cause in causes_of(sick, healthy)] == ["put_appl = 'loader'"]


KINDS = {"<order><id>%d</id></order>": 300, '{"id": %d}': 250, "%d;x": 151}


def test_what_nearly_all_share_comes_after_the_kinds_of_their_bodies() -> None:
    sick = [text(body % n, number=n) for body, count in KINDS.items() for n in range(count)]
    sick += [text("x", format="") for _ in range(2)]
    causes_ = [(cause.where, cause.messages) for cause in causes_of(sick)]
    assert causes_[:3] == [
        ("body_kind = 'xml'", 300),
        ("body_kind = 'json'", 250),
        ("body_kind = 'text'", 153),
    ]


def test_with_few_healthy_messages_the_kinds_of_bodies_are_told_apart() -> None:
    sick = [
        text(body % n, number=n, put_appl_name="loader")
        for body, count in KINDS.items()
        for n in range(count)
    ]
    healthy = [text("<a/>"), text("<b/>"), text('{"a": 1}'), text("t")]
    assert [cause.messages for cause in causes_of(sick, healthy)] == [300, 250, 151]
    enough = healthy * 20
    assert [cause.messages for cause in causes_of(sick, enough)] == [701]


def test_a_condition_that_is_not_true_is_negated_with_what_is_missing() -> None:
    subjects = [text("<a>"), text("<a/>"), text("plain")]
    for tree in (Compare("damage", "=", "xml"), IsNull("damage"), Compare("user", "=", "u")):
        hit, miss = compile_tree(tree, 0), compile_tree(parse_where(to_text(negated(tree))), 0)
        assert [hit(one) for one in subjects] == [not miss(one) for one in subjects]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("{", "json"),
        (" [1]", "json"),
        ("<a", "xml"),
        ("a;b", "text"),
        ("", "empty"),
        ("a\0", "binary"),
    ],
)
def test_the_kind_of_a_body_is_what_it_begins_like(body: str, kind: str) -> None:
    assert text(body).body_kind == kind
    assert selected(f"body_kind = '{kind}'", [text(body)]) == 1
    whole = text(body + "more").message
    assert Subject(whole._replace(body=whole.body[:2])).body_kind is None


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"user_identifier": "app", "ccsid": 850}, "user = 'app'"),
        ({"user_identifier": "app", "put_appl_name": "billing"}, "put_appl = 'billing'"),
        ({"reply_to_q": "R", "user_identifier": "app"}, "user = 'app'"),
        ({"priority": 7, "reply_to_q": "R"}, "reply_to = 'R'"),
    ],
)
def test_of_conditions_that_do_as_well_the_one_that_says_more_is_first(
    fields: dict[str, Any], first: str
) -> None:
    sick = [text(number=number, **fields) for number in range(5)]
    healthy = [text(number=number) for number in range(5, 10)]
    assert causes_of(sick, healthy)[0].where == first


def test_the_reason_of_dead_letters_says_more_than_where_they_were_for() -> None:
    def dead(reason: int, queue: str, number: int) -> Subject:
        data = dlh.encode(dlh.DLH(reason, queue, "QM1", 546, 1208, "MQSTR")) + b"x"
        md = MQMD(format="MQDEAD", ccsid=1208, msg_id=number.to_bytes(24, "big"))
        return Subject(Message(md, data, len(data)))

    sick = [dead(2053, "A", number) for number in range(5)]
    healthy = [dead(2051, "B", number) for number in range(5, 10)]
    assert causes_of(sick, healthy)[0].where == "reason = MQRC_Q_FULL"


def _of_three_programs() -> list[Subject]:
    sick = [text(f'{{"order": {{"id": {n}}}}}', number=n, put_appl_name="shop") for n in range(250)]
    sick += [
        text(f'{{"refund": {{"id": {n}}}}}', number=n, put_appl_name="Refund", priority=4)
        for n in range(300)
    ]
    return sick + [text(f"{n};x", number=n, put_appl_name="legacy") for n in range(151)]


def test_without_healthy_messages_two_programs_that_send_json_are_two_causes() -> None:
    assert [(cause.where, cause.messages) for cause in causes_of(_of_three_programs())] == [
        ("put_appl = 'Refund'", 300),
        ("put_appl = 'shop'", 250),
        ("put_appl = 'legacy'", 151),
    ]


def test_who_put_messages_stands_for_several_conditions_that_select_the_same() -> None:
    healthy = [
        text(f'{{"order": {{"id": {n}, "country": "DE"}}}}', number=n, put_appl_name="hand")
        for n in range(20)
    ]
    causes_ = {cause.where: cause.messages for cause in causes_of(_of_three_programs(), healthy)}
    assert causes_["put_appl = 'Refund'"] == 300
    assert not any("NOT" in where or "priority" in where for where in causes_)


def _payments(without: int, wrong: int, swift: int) -> list[Subject]:
    sick = [with_properties(n, kind="sepa", app="web") for n in range(without)]
    sick += [
        with_properties(n, kind="sepa", iban=f"DE{n}", app="batch")
        for n in range(without, without + wrong)
    ]
    return sick + [with_properties(999, kind="swift", iban="FR00") for _ in range(swift)]


def test_without_healthy_messages_those_that_lack_a_property_are_a_cause_of_their_own() -> None:
    sick = _payments(412, 214, 75)
    causes_ = causes_of(sick)
    assert [(cause.where, cause.messages) for cause in causes_] == [
        ("prop.iban IS NULL", 412),
        ("prop.app = 'batch'", 214),
        ("prop.iban = 'FR00'", 75),
    ]
    for cause in causes_:
        assert selected(cause.where, sick) == cause.messages


def test_the_order_of_the_messages_changes_no_cause() -> None:
    sick = _payments(40, 20, 8)
    assert [c.where for c in causes_of(sick[::-1])] == [c.where for c in causes_of(sick)]


def test_properties_that_few_lack_or_that_come_and_go_tell_no_parts_apart() -> None:
    few = [with_properties(n, kind="sepa", **{"a": n} if n > 8 else {}) for n in range(100)]
    names = [[name for at, name in enumerate("abc") if n >> at & 1] for n in range(160)]
    mixed = [with_properties(n, kind="sepa", **dict.fromkeys(names[n], n)) for n in range(160)]
    for sick in (few, mixed):
        assert [cause.messages for cause in causes_of(sick)] == [len(sick)]


def test_a_damage_is_one_cause_whatever_properties_the_messages_lack() -> None:
    sick = []
    for number in range(20):
        md, data, _ = with_properties(number, **{"ab"[number % 2]: 1}).message[:3]
        data = data[:-1] + b'{"id": 1'
        sick.append(Subject(Message(md, data, len(data))))
    assert [(cause.where, cause.messages) for cause in causes_of(sick)] == [("damage = 'json'", 20)]


def test_against_healthy_messages_a_damaged_one_is_in_one_row_too() -> None:
    sick = [text('{"id": 1', number=n, user_identifier="a") for n in range(50)]
    sick += [text('{"id": 1', number=n, user_identifier="b") for n in range(20)]
    sick += [text('{"id": 1}', number=n, user_identifier="b") for n in range(20)]
    sick += [text('{"id": 1}', number=n, user_identifier="a") for n in range(10)]
    healthy = [text('{"id": 1}', number=n, user_identifier="a") for n in range(60)]
    rows = {cause.where: cause.messages for cause in causes_of(sick, healthy)}
    assert rows == {"damage = 'json'": 70, "user = 'b' AND damage IS NULL": 20}
