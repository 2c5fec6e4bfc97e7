"""`backout causes` and `dlq causes`: each condition selects exactly the messages it counts."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import dlh, rfh2
from mqtriage.mq.headers.layout import Following
from mqtriage.operations.rules.toml import parse_toml
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import STAGING, TERMINAL, Estate, hex_of


def count(estate: Estate, queue: str, where: str) -> int:
    ran = estate.run("msg", "count", queue, "--where", where, "-o", "json")
    assert ran.code == 0, ran.err
    return int(ran.json["items"][0]["message_count"])


@pytest.fixture
def poisoned(estate: Estate) -> Estate:
    """IN has healthy orders; OUT what was backed out, for three reasons."""
    estate.put("IN", *[b'{"id": %d}' % n for n in range(6)], reply_to_q="R1")
    estate.put("OUT", b'{"id": 1,}', b'{"id"', b"{", reply_to_q="R1")
    estate.put("OUT", b'{"id": 7}', b'{"id": 8}', reply_to_q="R.BAD")
    return estate


def test_a_cause_selects_exactly_its_count(poisoned: Estate) -> None:
    ran = poisoned.run("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    assert ran.code == 0, ran.err
    items = ran.json["items"]
    assert [(item["where"], item["message_count"], item["against_count"]) for item in items] == [
        ("damage = 'json'", 3, 0),
        ("reply_to = 'R.BAD'", 2, 0),
    ]
    for item in items:
        assert count(poisoned, "OUT", item["where"]) == item["message_count"]
        assert count(poisoned, "IN", item["where"]) == item["against_count"]
    assert ran.json["summary"] == {
        "message_count": 5, "unexplained": 0, "against_messages": 6,
        "given_up_count": 0, "retried_count": 0,
    }  # fmt: skip


def test_the_sample_is_a_message_of_the_group(poisoned: Estate) -> None:
    first = poisoned.run("backout", "causes", "OUT", "--against", "IN", "-o", "json").json["items"]
    assert first[0]["sample_msg_id"] == hex_of(poisoned.messages("OUT")[0].md.msg_id)


def test_top_ends_the_list_and_the_rest_is_counted_as_unexplained(poisoned: Estate) -> None:
    ran = poisoned.run("backout", "causes", "OUT", "--against", "IN", "--top", "1", "-o", "json")
    assert len(ran.json["items"]) == 1
    assert ran.json["summary"]["unexplained"] == 2


def test_emit_where_prints_conditions_to_paste(poisoned: Estate) -> None:
    ran = poisoned.run("backout", "causes", "OUT", "--against", "IN", "--emit", "where")
    assert ran.out.splitlines() == ["damage = 'json'", "reply_to = 'R.BAD'"]


def test_emit_rules_writes_a_table_where_its_patterns_say_every_cause(poisoned: Estate) -> None:
    argv = ("backout", "causes", "OUT", "--against", "IN", "--reply-to", "R.BAD", "--emit", "rules")
    ran = poisoned.run(*argv)
    assert ran.out.splitlines() == ["REPLYQ('R.BAD') ACTION(IGNORE)"]
    assert "TOML" not in ran.err


def test_emitted_rules_of_body_causes_match_just_their_messages(poisoned: Estate) -> None:
    poisoned.alter("IN", BOQNAME="OUT")
    argv = ("backout", "causes", "OUT", "--against", "IN")
    items = poisoned.run(*argv, "-o", "json").json["items"]
    ran = poisoned.run(*argv, "--emit", "rules")
    assert ran.code == 0, ran.err
    assert "a table cannot express damage = 'json'" in ran.err
    rules = poisoned.folder / "causes.toml"
    rules.write_text(ran.out)
    hits = poisoned.run("dlq", "run", "OUT", "-f", str(rules), "-n", "-o", "json")
    assert hits.code == 0, hits.err
    assert [rule["hits"] for rule in hits.json["item"]["rules"]] == [
        i["message_count"] for i in items
    ]


def test_causes_of_a_selection_are_those_of_its_messages_alone(poisoned: Estate) -> None:
    argv = ("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    ran = poisoned.run(*argv, "--body-contains", '{"id"')
    assert ran.code == 0, ran.err
    assert ran.json["summary"]["message_count"] == 4
    assert {item["message_count"] for item in ran.json["items"]} == {2}
    for item in ran.json["items"]:
        assert count(poisoned, "OUT", item["where"]) == item["message_count"]


def test_a_pattern_looks_at_each_queue_by_itself(poisoned: Estate) -> None:
    poisoned.queue("OUT.2")
    poisoned.queue("OTHER", BOQNAME="OUT.2")
    poisoned.alter("IN", BOQNAME="OUT")
    poisoned.put("OUT.2", b"<a>", b"<a>")
    items = poisoned.run("backout", "causes", "OUT*", "-o", "json").json["items"]
    assert {item["queue"] for item in items} == {"OUT", "OUT.2"}
    for item in items:
        assert count(poisoned, item["queue"], item["where"]) == item["message_count"]


def test_a_queue_is_not_compared_with_itself(poisoned: Estate) -> None:
    ran = poisoned.run("backout", "causes", "OUT", "--against", "OUT")
    assert ran.code == 2
    assert "the queue itself" in ran.err


def test_an_empty_queue_to_compare_with_is_said(poisoned: Estate) -> None:
    poisoned.queue("EMPTY")
    ran = poisoned.run("backout", "causes", "OUT", "--against", "EMPTY", "-o", "json")
    assert ran.code == 0
    assert "no messages to compare with" in ran.err + ran.out


def test_too_few_messages_to_compare_with_are_said(poisoned: Estate) -> None:
    poisoned.queue("FEW")
    poisoned.run("msg", "put", "FEW", "x", "--yes")
    poisoned.run("msg", "put", "OUT", "y", "--count", "20", "--yes")
    ran = poisoned.run("backout", "causes", "OUT", "--against", "FEW")
    assert "FEW has only 1 message, too few to compare" in ran.err
    poisoned.run("msg", "put", "FEW", "x", "--count", "30", "--yes")
    assert "too few" not in poisoned.run("backout", "causes", "OUT", "--against", "FEW").err


def test_looking_for_causes_takes_nothing(poisoned: Estate) -> None:
    before = poisoned.messages("OUT")
    assert poisoned.run("backout", "causes", "OUT").code == 0
    assert poisoned.messages("OUT") == before


def test_without_healthy_messages_damaged_ones_are_in_no_other_row(estate: Estate) -> None:
    estate.put("OUT", *[b'{"id": %d}' % n for n in range(12)], put_appl_name="shop")
    estate.put("OUT", *[b'{"id": %d' % n for n in range(5)], put_appl_name="shop")
    estate.put("OUT", *[b"<a>%d</a>" % n for n in range(6)], b"<a>", put_appl_name="shop")
    ran = estate.run("backout", "causes", "OUT", "-o", "json")
    rows = [(item["where"], item["message_count"]) for item in ran.json["items"]]
    assert rows == [
        ("damage = 'json'", 5),
        ("damage = 'xml'", 1),
        ("body_kind = 'json' AND damage IS NULL", 12),
        ("body_kind = 'xml' AND damage IS NULL", 6),
    ]
    for where, messages in rows:
        assert count(estate, "OUT", where) == messages
    assert "overlap" not in ran.err


def test_rows_that_overlap_say_by_how_many_messages(estate: Estate) -> None:
    for number in range(10):
        shared = "FMTA" if number < 6 else f"F{number}"
        replies = "R1" if number >= 4 else f"R.{number}"
        estate.put("OUT", b"x", format=shared, reply_to_q=replies)
    ran = estate.run("backout", "causes", "OUT")
    assert "OUT: causes overlap: 2 messages of cause 2 are also in causes above it" in ran.err


def test_a_time_or_an_id_that_few_messages_share_comes_after_what_nearly_all_do(
    estate: Estate,
) -> None:
    estate.queue("PAY")
    with estate.connected() as backend:
        for number in range(60):
            sent = {"Dst": "queue:///PAY", "Tms": str(1_796_006_800_000 + number // 3)}
            own = {"order": f"O{number // 4}", "sent": f"2026-01-31T10:00:0{number // 8}Z"}
            folders = [("jms", sent), ("usr", own)]
            data = rfh2.encode(rfh2.build(folders, Following("MQSTR", 546, 1208))) + b"x"
            target = "IN" if number == 59 else "PAY"
            backend.put_delayed(target, MQMD(format="MQHRF2", encoding=546), data, 3_600_000)
    ran = estate.run("backout", "causes", STAGING, "-o", "json")
    rows = [(item["where"], item["message_count"]) for item in ran.json["items"]]
    assert rows[0] == ("dest = 'PAY'", 59), rows
    assert "prop.jms.Tms" not in ran.out
    also = ran.json["items"][0]["also_share"]
    assert not [text for text in also if "order" in text or "sent" in text], also


def orders(country: str, amounts: list[object], *, first: int = 0) -> list[bytes]:
    """Orders with one of 50 article numbers each."""
    return [
        json.dumps(
            {"order": {"country": country, "amount": amount, "sku": f"A-{n * 7 % 50}"}}
        ).encode()
        for n, amount in enumerate(amounts, first)
    ]


@pytest.fixture
def amounts(estate: Estate) -> Estate:
    """OUT has 120 orders of XX, 80 whose amount is text, 31 cut ones; IN has 40 healthy ones."""
    estate.put("IN", *orders("DE", [n + 0.25 for n in range(40)], first=400))
    estate.put("OUT", *orders("XX", [n + 0.5 for n in range(120)]))
    estate.put("OUT", *orders("DE", [f"{n},{n % 90 + 10}" for n in range(80)], first=120))
    estate.put("OUT", *[one[:30] for one in orders("DE", [*range(31)], first=200)])
    return estate


def listed_by_the_note(estate: Estate, err: str) -> int:
    """How many messages the command shows that the note about messages in no row contains."""
    line = next(line for line in err.splitlines() if "in no row" in line)
    command = re.fullmatch(r".* in no row: mqtriage (.*) (?:lists them|shows it)", line)
    assert command, line
    ran = estate.run(*shlex.split(command[1]), "-o", "ndjson")
    assert ran.code == 0, ran.err
    assert "NULL" not in ran.err
    return len(ran.lines)


@pytest.mark.parametrize("more", [(), ("--where", "length > 10 OR length < 5")], ids=str)
def test_what_is_in_no_row_is_counted_and_listed_by_the_command_of_a_note(
    amounts: Estate, more: tuple[str, ...]
) -> None:
    ran = amounts.run("backout", "causes", "OUT", "--against", "IN", *more)
    assert "warning: OUT: 80 of 231 messages are in no row: mqtriage msg browse OUT" in ran.err
    assert listed_by_the_note(amounts, ran.err) == 80


def test_no_command_is_shown_for_a_rest_that_no_condition_selects(estate: Estate) -> None:
    """A condition on a number is neither true nor false of a text; --limit is no condition."""
    estate.put("IN", *[b'{"qty": 1}'] * 30)
    estate.put("OUT", *[b'{"qty": 7}'] * 20, *[b'{"qty": "x%d"}' % n for n in range(3)])
    ran = estate.run("backout", "causes", "OUT", "--against", "IN")
    assert "OUT: 3 of 23 messages are in no row\n" in ran.err
    estate.put("OUT", b'{"qty": 1}')
    ran = estate.run("backout", "causes", "OUT", "--against", "IN", "--limit", "21")
    assert "OUT: 1 of 21 messages is in no row\n" in ran.err


def test_a_value_that_few_share_is_left_out_if_too_few_healthy_messages_are_compared(
    amounts: Estate,
) -> None:
    argv = ("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    ran = amounts.run(*argv)
    assert [(one["where"], one["message_count"]) for one in ran.json["items"]] == [
        ("body.order.country = 'XX'", 120),
        ("damage = 'json'", 31),
    ]
    (note,) = [text for text in ran.json["warnings"] if "left out" in text]
    assert "less than 5% of the messages each: compared with 40 messages on IN, that" in note
    amounts.put("OUT", *orders("FR", [*range(10)]))  # 4 %, and France is not among the healthy
    assert "'FR'" not in amounts.run(*argv).out
    amounts.put("IN", *orders("DE", [*range(500)]))
    assert [one["where"] for one in amounts.run(*argv).json["items"]][-1].endswith("'FR'")


def test_messages_that_nothing_tells_from_healthy_ones_are_not_said_to_be_none(
    estate: Estate,
) -> None:
    for queue in ("IN", "OUT"):
        estate.put(queue, *[b"x"] * 5)
    ran = estate.run("backout", "causes", "OUT", "--against", "IN", terminals=TERMINAL)
    assert (
        "warning: nothing that was compared tells the 5 messages on OUT from those on IN" in ran.err
    )
    assert "no messages" not in ran.err


def test_a_row_that_is_left_out_as_chance_is_not_said_to_be_nothing(estate: Estate) -> None:
    """One warning said that nothing tells them apart, and the next that a row was left out."""
    estate.put("IN", *[b'{"sku": 1}'] * 25)
    estate.put("OUT", *[b'{"sku": 1}'] * 97, *[b'{"sku": 2}'] * 3)
    ran = estate.run("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    first, second = ran.json["warnings"]
    assert first == "OUT: 100 of 100 messages are in no row"
    assert second.startswith("OUT: 1 row left out with less than 5% of the messages each")


def test_negative_amounts_are_a_cause(estate: Estate) -> None:
    """Their kind of value was compared, but no range of numbers."""
    estate.put(
        "IN", *[f'{{"v": "v2", "amount": {n * 37 % 100 + 0.5}}}'.encode() for n in range(60)]
    )
    estate.put(
        "OUT", *[f'{{"v": "v2", "amount": {-(n * 7 % 50) - 1}}}'.encode() for n in range(44)]
    )
    ran = estate.run("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    (row,) = ran.json["items"]
    assert (row["where"], row["message_count"], row["against_count"]) == ("body.amount < 0", 44, 0)
    assert ran.json["warnings"] == []


def dead(reason: int, queue: str, program: str) -> bytes:
    return dlh.encode(dlh.DLH(
        reason, queue, "QM1", 546, 1208, "MQSTR", 6, program, "20260131", "10000000",
    )) + b"x"  # fmt: skip


@pytest.fixture
def dead_letters(estate: Estate) -> Estate:
    estate.queue("DLQ")
    estate.alter("QM1", DEADQ="DLQ")
    bodies = [dead(2053, "ORDERS.IN", "amqrmppa")] * 3 + [dead(2085, "NO.SUCH", "amqrmppa")] * 2
    bodies += [dead(2053, "ORDERS.IN", "other")]
    estate.put("DLQ", *bodies, format="MQDEAD", encoding=546)
    estate.put("DLQ", b"no header")
    return estate


def test_dead_letters_are_grouped_by_reason_destination_and_program(dead_letters: Estate) -> None:
    ran = dead_letters.run("dlq", "causes", "-o", "json")
    assert ran.code == 0, ran.err
    items = ran.json["items"]
    keys = ("message_count", "reason_name", "dest_q", "dlq_put_appl_name")
    assert [tuple(item[key] for key in keys) for item in items] == [
        (3, "MQRC_Q_FULL", "ORDERS.IN", "amqrmppa"),
        (2, "MQRC_UNKNOWN_OBJECT_NAME", "NO.SUCH", "amqrmppa"),
        (1, "MQRC_Q_FULL", "ORDERS.IN", "other"),
        (1, None, None, None),
    ]
    for item in items:
        assert count(dead_letters, "DLQ", item["where"]) == item["message_count"]
        assert item["hint"]
    assert ran.json["summary"] == {"message_count": 7, "not_shown": 0}


def test_the_commands_of_a_hint_name_the_destination(dead_letters: Estate) -> None:
    dead_letters.put("DLQ", dead(2362, "PAY.IN", "app"), format="MQDEAD", encoding=546)
    items = dead_letters.run("dlq", "causes", "-o", "json").json["items"]
    hints = {item["reason"]: item["hint"] for item in items}
    assert "'mqtriage queue status ORDERS.IN', 'mqtriage expiry status ORDERS.IN'" in hints[2053]
    assert "NAME" not in hints[2053]
    assert "'mqtriage backout set PAY.IN --threshold N --boq NAME'" in hints[2362]


def test_a_command_in_a_note_on_a_terminal_ends_before_the_words_after_it(
    dead_letters: Estate,
) -> None:
    dead_letters.queue("ORDERS.IN")
    lines = dead_letters.run("dlq", "causes", terminals=TERMINAL).err.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("mqtriage dlq requeue "))
    assert lines[at].endswith(" -n")
    assert lines[at + 1].startswith("shows where ")


def test_the_first_cause_that_its_destination_takes_back_has_its_command(
    dead_letters: Estate,
) -> None:
    def noted() -> str:
        ran = dead_letters.run("dlq", "causes")
        assert ran.code == 0, ran.err
        return str(ran.err)

    for manager in ("", "QM1"):
        poison = dlh.DLH(2362, "PAY.IN", manager, 546, 1208, "MQSTR", 6, "app")
        dead_letters.put("DLQ", *[dlh.encode(poison)] * 4, format="MQDEAD", encoding=546)
    assert "can go back" not in noted()  # the queues do not exist
    dead_letters.queue("PAY.IN")
    dead_letters.queue("ORDERS.IN", MAXDEPTH=2)
    dead_letters.put("ORDERS.IN", b"x", b"x")
    assert "can go back" not in noted()  # poison would return, and the other is full
    dead_letters.alter("ORDERS.IN", MAXDEPTH=4)
    assert "the message of cause 4 can go back" in noted()  # there is room for one, not for three
    dead_letters.alter("ORDERS.IN", MAXDEPTH=9)
    one = hex_of(dead_letters.messages("DLQ")[0].md.msg_id)
    narrower = [("--limit", "5"), ("--skip", "1"), ("--selector", "JMSPriority >= 0")]
    for words in (*narrower, ("--msgid", one[-8:])):  # dlq requeue refuses the end in a condition
        assert "can go back" not in dead_letters.run("dlq", "causes", *words).err
    assert " AND priority >= 0" in dead_letters.run("dlq", "causes", "--priority", ">=0").err
    line = noted().splitlines()[-1]
    command = re.fullmatch(
        r"the messages of causes 2 and 4 can go back; for cause 2,"
        r" mqtriage (.*) -n shows where they would go",
        line,
    )
    assert command, line
    assert dead_letters.run(*shlex.split(command[1]), "--yes").code == 0
    assert len(dead_letters.messages("ORDERS.IN")) == 5
    dead_letters.alter("ORDERS.IN", MAXMSGL=1)
    assert "the message of cause 3 can go back" in noted()
    dead_letters.put("DLQ", dead(2053, "ORDERS.IN", "other") + b"y", format="MQDEAD", encoding=546)
    assert "can go back" not in noted()  # two bytes are too long
    dead_letters.alter("ORDERS.IN", MAXMSGL=2)
    assert "can go back" in noted()
    dead_letters.alter("ORDERS.IN", PUT="DISABLED")
    assert "can go back" not in noted()


def test_every_cause_whose_messages_can_go_back_is_named(estate: Estate) -> None:
    """Only the first was named, and another that could go back, too, was not."""
    estate.queue("DLQ")
    estate.alter("QM1", DEADQ="DLQ")
    for number in range(1, 8):
        estate.queue(f"IN{number}")
        bodies = [dead(2053, f"IN{number}", "app")] * (10 - number)
        estate.put("DLQ", *bodies, format="MQDEAD", encoding=546)
    noted = estate.run("dlq", "causes").err
    assert "the messages of causes 1, 2, 3, 4, 5 and 2 more can go back; for cause 1," in noted
    for number in range(3, 8):
        estate.alter(f"IN{number}", PUT="DISABLED")
    assert "the messages of causes 1 and 2 can go back;" in estate.run("dlq", "causes").err


def test_causes_that_fill_one_queue_together_do_not_all_go_back(estate: Estate) -> None:
    estate.queue("DLQ")
    estate.queue("SMALL", MAXDEPTH=3)
    estate.alter("QM1", DEADQ="DLQ")
    bodies = [dead(2053, "SMALL", "one")] * 2 + [dead(2053, "SMALL", "two")] * 2
    estate.put("DLQ", *bodies, format="MQDEAD", encoding=546)
    assert "the messages of cause 1 can go back:" in estate.run("dlq", "causes").err


def test_dead_letters_for_another_queue_manager_are_not_said_to_go_back(estate: Estate) -> None:
    estate.queue("DLQ")
    away = dlh.DLH(2053, "IN", "QM2", 546, 1208, "MQSTR", 6, "amqrmppa")
    estate.put("DLQ", dlh.encode(away), format="MQDEAD", encoding=546)
    assert "can go back" not in estate.run("dlq", "causes", "DLQ").err
    here = dlh.DLH(2030, "IN", "QM1", 546, 1208, "MQSTR", 6, "amqrmppa")
    estate.put("DLQ", dlh.encode(here), format="MQDEAD", encoding=546)
    assert "dlq requeue DLQ --where" in estate.run("dlq", "causes", "DLQ").err


def test_first_and_last_of_a_cause_are_the_times_that_dlq_browse_shows(
    dead_letters: Estate,
) -> None:
    cause = dead_letters.run("dlq", "causes", "-o", "json").json["items"][0]
    shown = dead_letters.run("dlq", "browse", "-o", "ndjson").lines[0]["dlq_put_time"]
    times = {cause["first_put_time"][:19], cause["last_put_time"][:19], shown[:19]}
    assert times == {"2026-01-31T10:00:00"}


def test_dead_letter_groups_beyond_top_are_counted(dead_letters: Estate) -> None:
    ran = dead_letters.run("dlq", "causes", "DLQ", "--top", "2", "-o", "json")
    assert ran.json["summary"] == {"message_count": 7, "not_shown": 2}


def test_dead_letters_say_what_else_they_share_and_take_a_selection(dead_letters: Estate) -> None:
    full = b'{"country": "XX"}'
    for _ in range(2):
        dead_letters.put(
            "DLQ", dead(2051, "C.IN", "amqrmppa")[:-1] + full, format="MQDEAD", encoding=546
        )
    items = dead_letters.run("dlq", "causes", "-o", "json").json["items"]
    (put_inhibited,) = [item for item in items if item["reason"] == 2051]
    assert "body.country = 'XX'" in put_inhibited["also_share"]
    assert not any("reason" in also for item in items for also in item["also_share"])
    for item in items:
        for also in item["also_share"]:
            assert (
                count(dead_letters, "DLQ", f"{item['where']} AND {also}") == item["message_count"]
            )
    chosen = dead_letters.run("dlq", "causes", "--body-path", "$.country=XX", "-o", "json")
    assert [item["message_count"] for item in chosen.json["items"]] == [2]
    assert count(dead_letters, "DLQ", chosen.json["items"][0]["where"]) == 2


@pytest.mark.parametrize(
    "argv", [("backout", "causes", "OUT"), ("backout", "browse", "OUT", "--group", "origin")]
)
def test_no_expiry_effects_refuses_to_browse(poisoned: Estate, argv: tuple[str, ...]) -> None:
    assert poisoned.run(*argv, "--no-expiry-effects").code == 8


@pytest.fixture
def kinds_of_failure(estate: Estate) -> Estate:
    """IN is healthy; on OUT a reply queue and two properties each go together with failure."""
    estate.put("IN", *[b"fine"] * 5, reply_to_q="R1")
    estate.put("OUT", *[b"bad"] * 4, reply_to_q="R.BAD")
    marked = [("IN", "region=EU"), ("OUT", "region=US"), ("OUT", "amount=17")]
    for queue, prop in marked * 4:
        ran = estate.run("msg", "put", queue, "x", "--prop", prop, "--yes")
        assert ran.code == 0, ran.err
    return estate


def test_the_selector_of_a_cause_selects_what_its_condition_does(
    kinds_of_failure: Estate,
) -> None:
    estate = kinds_of_failure
    items = estate.run("backout", "causes", "OUT", "--against", "IN", "-o", "json").json["items"]
    tried = [item for item in items if item["selector"]]
    assert {item["where"] for item in tried} == {
        "reply_to = 'R.BAD'", "prop.region = 'US'", "prop.amount = '17'",
    }  # fmt: skip
    browse = ("msg", "browse", "OUT", "-o", "ids")
    for item in tried:
        by_where = estate.run(*browse, "--where", item["where"])
        by_selector = estate.run(*browse, "--selector", item["selector"])
        assert by_selector.code == 0, (item, by_selector.err)
        assert by_selector.out == by_where.out, item
        assert len(by_where.out.split()) == item["message_count"]


def test_each_cause_is_told_as_a_selector_and_as_a_rule_in_toml(poisoned: Estate) -> None:
    argv = ("backout", "causes", "OUT", "--against", "IN")
    items = poisoned.run(*argv, "-o", "json").json["items"]
    assert items
    for item in items:
        table = parse_toml(item["rule_toml"])
        assert not table.problems
        assert table.rules[0].where == item["where"]
    printed = poisoned.run(*argv, "--emit", "toml")
    assert printed.code == 0
    assert [rule.where for rule in parse_toml(printed.out).rules] == [i["where"] for i in items]
    selectors = poisoned.run(*argv, "--emit", "selectors")
    assert selectors.out.splitlines() == [i["selector"] for i in items if i["selector"]]
    assert selectors.err.count("no selection string can express") == sum(
        not i["selector"] for i in items
    )
    assert poisoned.run(*argv, "--emit", "rexx").code == 2


def late_reply(number: int, dest: str, reason: int = 2085) -> bytes:
    header = dlh.DLH(reason=reason, dest_q_name=dest, dest_q_mgr_name="QM1", encoding=546,
                     ccsid=1208, format="MQSTR", put_appl_name="amqrmppa")  # fmt: skip
    return dlh.encode(header) + b"%d" % number


@pytest.fixture
def late(estate: Estate) -> Estate:
    """Replies to 26 temporary queues of a client, to two of a program and to one that is not."""
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    names = [f"AMQ.66A1B2C3D4E5{n}" for n in range(10, 36)]
    names += ["PAY.REPLY.5C8B3A1F20000C01", "PAY.REPLY.5C8B3A1F20000D02", "PAY.20261101", "PAY.IN"]
    bodies = [late_reply(n, name) for n, name in enumerate(names)]
    estate.put("DEAD", *bodies, format="MQDEAD")
    return estate


def test_temporary_queues_of_one_prefix_are_one_cause(late: Estate) -> None:
    ran = late.run("dlq", "causes", "-o", "json")
    rows = [(item["dest_q"], item["message_count"]) for item in ran.json["items"]]
    assert rows == [("AMQ.*", 26), ("PAY.REPLY.*", 2), ("PAY.20261101", 1), ("PAY.IN", 1)]
    for item in ran.json["items"]:
        is_late = item["dest_q"].endswith("*")
        assert item["hint"].startswith("The temporary queue no longer existed") is is_late
        assert count(late, "DEAD", item["where"]) == item["message_count"]
        (rule,) = parse_toml(item["rule_toml"]).rules
        assert rule.where == item["where"]
    rules = late.run("dlq", "causes", "--emit", "rules").out.splitlines()
    assert rules[:2] == [
        "REASON(MQRC_UNKNOWN_OBJECT_NAME) DESTQ('AMQ.*') ACTION(IGNORE)",
        "REASON(MQRC_UNKNOWN_OBJECT_NAME) DESTQ('PAY.REPLY.*') ACTION(IGNORE)",
    ]


@pytest.mark.parametrize("name", ["AMQ.66A1B2C3D4E5F601", "AMQ.TEMP.REPLY", "CSQ.D5A1B2C3D4E5F601"])
def test_the_hint_for_a_late_reply_says_that_there_is_no_queue_to_requeue_to(
    estate: Estate, name: str
) -> None:
    estate.queue("DEAD")
    estate.alter("QM1", DEADQ="DEAD")
    estate.put("DEAD", late_reply(1, name), format="MQDEAD")
    (item,) = estate.run("dlq", "causes", "-o", "json").json["items"]
    assert "Such replies cannot be requeued" in item["hint"]
    assert "'mqtriage dlq purge" in item["hint"]
    assert "ACTION(DISCARD)" in item["hint"]
    assert "exact case" not in item["hint"]


def test_no_rule_for_temporary_queues_takes_what_is_for_another_queue(late: Estate) -> None:
    late.put("DEAD", late_reply(99, "AMQ.ADMIN"), format="MQDEAD")
    items = late.run("dlq", "causes", "-o", "json").json["items"]
    rules = {item["dest_q"]: item["rule"] for item in items}
    assert rules["AMQ.*"] is None
    assert rules["AMQ.ADMIN"] is not None


def test_what_a_listing_of_causes_does_not_show_is_said(late: Estate) -> None:
    ran = late.run("dlq", "causes", "--top", "1")
    assert "warning: showing 1 of 4 causes; 4 messages in the others; --top 4 shows" in ran.err
    assert "warning" not in late.run("dlq", "causes").err


def test_what_backout_causes_does_not_show_is_said(poisoned: Estate) -> None:
    argv = ("backout", "causes", "OUT", "--against", "IN")
    ran = poisoned.run(*argv, "--top", "1")
    assert "warning: OUT: showing 1 cause of more; 2 messages in none of these; --top 2" in ran.err
    assert "warning" not in poisoned.run(*argv).err


@pytest.fixture
def backed_out(estate: Estate) -> Estate:
    """OUT is the backout queue of IN; six with one fault and two with another are on it."""
    estate.alter("IN", BOQNAME="OUT", BOTHRESH=5)
    estate.put("OUT", *[b"{" for _ in range(6)], reply_to_q="R1")
    estate.put("OUT", b"{}", b"{}", reply_to_q="R.BAD")
    return estate


def became(estate: Estate, *argv: str) -> dict[str, tuple[int, int, int]]:
    """By condition: how many are on OUT, were given up, and were retried."""
    ran = estate.run("backout", "causes", "OUT", *argv, "-o", "json")
    assert ran.code == 0, ran.err
    for item in ran.json["items"]:
        assert count(estate, "OUT", item["where"]) == item["message_count"]
    keys = ("message_count", "given_up_count", "retried_count")
    return {item["where"]: tuple(item[key] for key in keys) for item in ran.json["items"]}


def done(estate: Estate, *argv: str) -> str:
    """Do it; gives the operation."""
    ran = estate.run(*argv, "--yes", "-o", "json")
    assert ran.code == 0, ran.err
    return str(ran.json["op"])


def test_a_cause_says_what_became_of_earlier_messages_like_these(backed_out: Estate) -> None:
    assert became(backed_out) == {"damage = 'json'": (6, 0, 0), "reply_to = 'R.BAD'": (2, 0, 0)}
    done(backed_out, "msg", "purge", "OUT", "--limit", "2", "--confirm", "OUT")
    done(backed_out, "backout", "requeue", "OUT", "--to", "IN", "--limit", "3")
    done(backed_out, "backout", "requeue", "OUT", "--to", "IN", "--reply-to", "R.BAD",
         "--limit", "1")  # fmt: skip
    backed_out.take("IN", 4)
    assert became(backed_out) == {"damage = 'json'": (1, 2, 3), "reply_to = 'R.BAD'": (1, 0, 1)}
    ran = backed_out.run("backout", "causes", "OUT", "-o", "json")
    assert ran.json["summary"] == {
        "message_count": 2, "unexplained": 0, "given_up_count": 2, "retried_count": 4,
    }  # fmt: skip


def test_what_was_put_back_or_came_back_counts_once_and_here(backed_out: Estate) -> None:
    purge = done(backed_out, "msg", "purge", "OUT", "--limit", "2", "--confirm", "OUT")
    done(backed_out, "journal", "undo", purge)
    assert became(backed_out)["damage = 'json'"] == (6, 0, 0)
    done(backed_out, "backout", "requeue", "OUT", "--to", "IN", "--limit", "2")
    done(backed_out, "msg", "move", "IN", "--to", "OUT")  # as a client's backout does
    assert became(backed_out)["damage = 'json'"] == (6, 0, 0)
    done(
        backed_out,
        "msg",
        "purge",
        "OUT",
        "--where",
        "damage = 'json'",
        "--limit",
        "1",
        "--confirm",
        "OUT",
    )
    assert became(backed_out)["damage = 'json'"] == (5, 1, 0)


def test_what_waits_where_it_was_requeued_to_is_not_healthy_and_not_retried(
    backed_out: Estate,
) -> None:
    backed_out.put("IN", *[b"{}" for _ in range(5)], reply_to_q="R1")
    done(backed_out, "backout", "requeue", "OUT", "--to", "IN", "--limit", "3")
    ran = backed_out.run("backout", "causes", "OUT", "--against", "IN", "-o", "json")
    first = ran.json["items"][0]
    assert (first["where"], first["against_count"], first["retried_count"]) == (
        "damage = 'json'", 0, 0,
    )  # fmt: skip
    assert ran.json["summary"]["against_messages"] == 5
    assert "not compared: 3 messages on IN that had been requeued from a backout queue" in ran.err
    alone = backed_out.run("backout", "causes", "OUT")
    assert "not counted as retried: 3 messages requeued to IN that may still be there" in alone.err
    assert "--against IN shows it" in alone.err


def test_what_an_undo_found_gone_is_no_longer_where_it_was_requeued_to(
    backed_out: Estate,
) -> None:
    done(backed_out, "backout", "requeue", "OUT", "--to", "IN", "--limit", "4")
    backed_out.take("IN", 2)
    backed_out.put("IN", b"{}")
    before = backed_out.run("backout", "causes", "OUT")
    assert "4 messages requeued to IN that may still be there" in before.err
    assert backed_out.run("journal", "undo", "--yes").code == 3
    after = backed_out.run("backout", "causes", "OUT")
    assert "may still be there" not in after.err
    assert "earlier messages do not count" not in after.err
    assert became(backed_out)["damage = 'json'"] == (4, 0, 2)


def test_an_archive_that_is_gone_is_said(backed_out: Estate) -> None:
    done(backed_out, "msg", "purge", "OUT", "--limit", "2", "--confirm", "OUT")
    for file in (backed_out.folder / "archive").iterdir():
        file.unlink()
    ran = backed_out.run("backout", "causes", "OUT", "-o", "json")
    assert ran.code == 0
    assert ran.json["items"][0]["given_up_count"] == 0
    assert ran.json["summary"]["given_up_count"] == 2
    assert "OUT: 2 messages given up or retried count in no row: archive " in ran.err


def test_a_damaged_journal_is_said_and_the_causes_are_shown(backed_out: Estate) -> None:
    done(backed_out, "msg", "purge", "OUT", "--limit", "2", "--confirm", "OUT")
    (backed_out.folder / "journal" / "ledger.sqlite").write_bytes(b"no journal" * 1000)
    ran = backed_out.run("backout", "causes", "OUT", "-o", "json")
    assert ran.code == 0
    assert [item["message_count"] for item in ran.json["items"]] == [4, 2]
    assert "warning: earlier messages do not count: journal " in ran.err


def test_what_rules_discard_is_given_up_and_what_they_put_where_it_failed_is_retried(
    backed_out: Estate,
) -> None:
    """And what they put elsewhere is neither."""
    backed_out.queue("HOLD")
    rules = backed_out.folder / "some.toml"
    rules.write_text(
        '[[rule]]\nwhere = "reply_to = \'R.BAD\'"\naction = "discard"\n'
        '[[rule]]\nwhere = "damage = \'json\'"\naction = "fwd"\nfwdq = "IN"\nheader = false\n'
    )
    backed_out.put("OUT", b"{", reply_to_q="R1")
    done(backed_out, "msg", "move", "OUT", "--to", "HOLD", "--limit", "1")
    done(backed_out, "dlq", "run", "OUT", "-f", str(rules), "--limit", "7")
    backed_out.take("IN", 5)
    backed_out.put("OUT", b"{}", b"{}", reply_to_q="R.BAD")
    assert became(backed_out) == {"damage = 'json'": (1, 0, 5), "reply_to = 'R.BAD'": (2, 2, 0)}


def test_causes_that_share_messages_say_that_they_overlap(bench: Bench) -> None:
    bench.define("APP.BO")
    with bench.connected() as backend:
        for number in range(100):
            shared = "FMTA" if number < 60 else f"F{number}"
            replies = "APP.REPLY" if number >= 40 else f"REPLY.{number}"
            backend.put1("APP.BO", MQMD(format=shared, reply_to_q=replies), b"x")
    ran = bench.ok("backout", "causes", "APP.BO", "-o", "json")
    counts = [(row["where"], row["message_count"]) for row in ran.items]
    assert counts == [("format = 'FMTA'", 60), ("reply_to = 'APP.REPLY'", 60)]
    assert "APP.BO: causes overlap: 20 messages of cause 2 are also in causes above it" in ran.err
    apart = bench.ok("backout", "causes", "APP.BO", "--top", "1")
    assert "overlap" not in apart.err
