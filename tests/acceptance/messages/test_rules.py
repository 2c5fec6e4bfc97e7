"""Rules of our own form, on backout queues, and `dlq rules`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from mqtriage.mq.headers import dlh
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.headers.rfh2 import build_jms, encode
from mqtriage.operations.engine import act_context as conduct
from tests.acceptance.messages.estate import Estate, Ran

DLQ = "DLQ"


@pytest.fixture
def dead(estate: Estate) -> Estate:
    """A dead-letter queue, and IN as the backout queue's origin with the backout queue BO."""
    estate.queue(DLQ)
    estate.queue("BO")
    estate.queue("PARKED")
    estate.alter("QM1", DEADQ=DLQ)
    estate.alter("IN", BOTHRESH=3, BOQNAME="BO")
    return estate


def letter(estate: Estate, body: bytes, reason: int = 2053, destq: str = "IN") -> bytes:
    header = dlh.DLH(reason=reason, dest_q_name=destq, dest_q_mgr_name="QM1", format="MQSTR",
                     ccsid=1208)  # fmt: skip
    return estate.put(DLQ, dlh.encode(header) + body, format="MQDEAD")[0]


def poison(estate: Estate, body: bytes, sent_to: str = "IN") -> bytes:
    header = build_jms("jms_text", f"queue:///{sent_to}", Following("MQSTR", 273, 1208),
                       put_time_ms=0)  # fmt: skip
    data = encode(header) + body
    return estate.put("BO", data, format="MQHRF2", encoding=273)[0]


def file(estate: Estate, text: str, name: str = "rules.toml") -> str:
    path = estate.folder / name
    path.write_text(text)
    return str(path)


def run(estate: Estate, text: str, *argv: str, queue: str = DLQ) -> Ran:
    return estate.run("dlq", "run", queue, "-f", file(estate, text), *argv)


# conditions, parking, limits ---------------------------------------------------------------------


def test_a_condition_on_the_body_chooses_the_rule(dead: Estate) -> None:
    letter(dead, b'{"tier": "gold"}')
    letter(dead, b'{"tier": "lead"}')
    text = """
        [[rule]]
        where = "body.tier = 'gold' and reason = MQRC_Q_FULL"
        action = "retry"

        [[rule]]
        action = "park"
        queue = "PARKED"
    """
    rehearsed = run(dead, text, "-n", "-o", "ndjson")
    assert [line["rule"] for line in rehearsed.lines] == [1, 2]
    assert run(dead, text, "--yes").code == 0
    assert dead.bodies("IN") == [b'{"tier": "gold"}']
    (parked,) = dead.messages("PARKED")
    assert (parked.md.format, parked.body[:4]) == ("MQDEAD", b"DLH ")


def test_the_name_of_a_rule_is_told_with_its_hits(dead: Estate) -> None:
    letter(dead, b"1")
    text = '[[rule]]\nname = "never"\nreason = 2051\naction = "discard"\n[[rule]]\naction="ignore"'
    output = run(dead, text, "-n").out
    assert "rule 1 'never' (line 1)" in output
    assert "never hit" in output


def test_a_rule_gives_way_after_max_retries_in_all_runs(dead: Estate) -> None:
    text = """
        [[rule]]
        action = "retry"
        max_retries = 2

        [[rule]]
        action = "park"
        queue = "PARKED"
    """
    marks: dict[str, Any] = {"msg_id": b"X" * 24, "put_date": "20260101", "put_time": "10000000"}
    header = dlh.DLH(reason=2053, dest_q_name="IN", dest_q_mgr_name="QM1", format="MQSTR")
    for _ in range(3):  # it fails again and again, and comes back as it was
        dead.put(DLQ, dlh.encode(header) + b"1", format="MQDEAD", **marks)
        assert run(dead, text, "--yes").code == 0
    assert (len(dead.messages("IN")), len(dead.messages("PARKED"))) == (2, 1)


def test_a_rate_of_a_rule_is_kept(dead: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    fake = SimpleNamespace(  # of this module alone: other threads of the tests sleep as well
        monotonic=lambda: clock[0], sleep=lambda s: clock.__setitem__(0, clock[0] + s)
    )
    monkeypatch.setattr(conduct, "time", fake)
    for number in range(5):
        letter(dead, str(number).encode())
    assert run(dead, '[[rule]]\naction = "retry"\nrate = "2/s"', "--yes").code == 0
    assert len(dead.messages("IN")) == 5
    assert 1.9 < clock[0] < 3


# backout queues ----------------------------------------------------------------------------------


def test_retry_takes_poison_back_to_where_it_was_backed_out_from(dead: Estate) -> None:
    poison(dead, b"1")
    unknown = dead.put("BO", b"nobody knows whence")[0]
    text = "REASON(MQRC_BACKOUT_THRESHOLD_REACHED) ACTION(RETRY)\n"
    rehearsed = run(dead, text, "-n", "-o", "ndjson", queue="BO")
    assert [(line["action"], line["target"]) for line in rehearsed.lines] == [
        ("RETRY", "IN"),
        ("IGNORE", ""),
    ]
    assert "that it was backed out from is not known" in rehearsed.lines[1]["why"]
    assert run(dead, text, "--yes", queue="BO").code == 0
    assert len(dead.messages("IN")) == 1
    (remaining,) = dead.messages("BO")
    assert remaining.md.msg_id == unknown


def test_the_same_engine_forwards_and_discards_poison(dead: Estate) -> None:
    poison(dead, b"keep")
    poison(dead, b"away")
    text = """
        [[rule]]
        destq = "IN"
        where = "body contains 'away'"
        action = "discard"

        [[rule]]
        action = "park"
        queue = "PARKED"
    """
    assert run(dead, text, "--yes", queue="BO").code == 0
    (parked,) = dead.messages("PARKED")
    assert parked.body.endswith(b"keep")
    assert dead.messages("BO") == []


def test_on_a_dead_letter_queue_a_message_without_mqdlh_stays(dead: Estate) -> None:
    dead.put(DLQ, b"bare")
    assert run(dead, '[[rule]]\naction = "discard"', "--yes").code == 0
    assert dead.bodies(DLQ) == [b"bare"]


# files -------------------------------------------------------------------------------------------


def test_lint_tells_the_line_of_what_is_wrong_in_toml(estate: Estate) -> None:
    path = file(estate, '[[rule]]\n\naction = "keep"\n')
    ran = estate.run("dlq", "rules", path, "-o", "json")
    assert ran.code == 4
    (item,) = ran.json["items"]
    assert (item["line"], item["severity"]) == (3, "error")
    assert estate.run("dlq", "run", "-f", path, "--yes").code == 2


def test_convert_turns_a_table_into_toml_that_does_the_same(dead: Estate) -> None:
    letter(dead, b"1")
    letter(dead, b"2", reason=2051)
    table = "REASON(MQRC_Q_FULL) DESTQ('IN') ACTION(RETRY) RETRY(2)\nACTION(FWD) FWDQ(PARKED)\n"
    converted = dead.run("dlq", "rules", file(dead, table, "t.rules"), "--format", "toml")
    assert converted.code == 0
    assert 'reason = "MQRC_Q_FULL"' in converted.out
    for text in (table, converted.out):
        fates = run(dead, text, "-n", "-o", "ndjson").lines
        assert [(line["action"], line["target"]) for line in fates] == [
            ("RETRY", "IN"),
            ("FWD", "PARKED"),
        ]
    back = dead.run("dlq", "rules", file(dead, converted.out), "--format", "table")
    assert "REASON(MQRC_Q_FULL) DESTQ('IN') ACTION(RETRY) RETRY(2)" in back.out


def test_what_a_table_cannot_say_is_refused(estate: Estate) -> None:
    path = file(estate, '[[rule]]\nwhere = "age > 1h"\naction = "ignore"')
    ran = estate.run("dlq", "rules", path, "--format", "table")
    assert (ran.code, ran.out) == (8, "")
    assert "line 1" in ran.err
    assert estate.run("dlq", "rules", path, "--format", "toml").code == 0


TESTS = """
[[rule]]
name = "full"
reason = 2053
action = "retry"

[[test]]
name = "a full queue is tried again"
messages = "saved.ndjson"
where = "reason = MQRC_Q_FULL"
action = "retry"
rule = "full"
target = "IN"
count = 1

[[test]]
name = "nothing is left"
messages = "saved.ndjson"
"""


@pytest.fixture
def saved(dead: Estate) -> Estate:
    letter(dead, b"1")
    letter(dead, b"2", reason=2051)
    assert dead.run("msg", "archive", DLQ, "--out", str(dead.folder / "saved.ndjson")).code == 0
    dead.run("emulator", "stop", "QM1")
    return dead


def test_tests_say_which_rule_should_take_saved_messages(saved: Estate) -> None:
    ran = saved.run("dlq", "rules", file(saved, TESTS), "-o", "json")
    assert ran.code == 4
    assert [(item["test"], item["result"]) for item in ran.json["items"]] == [
        ("a full queue is tried again", "passed"),
        ("nothing is left", "passed"),
        ("nothing is left", "failed"),
    ]
    assert ran.json["summary"]["failed"] == 1
    assert "2 passed, 1 failed" in ran.err
    assert ran.json["items"][2]["why"] == "no rule matches"


def test_a_junit_report_has_a_case_a_message(saved: Estate) -> None:
    ran = saved.run("dlq", "rules", file(saved, TESTS), "--format", "junit")
    assert ran.code == 4
    root = ElementTree.fromstring(ran.out)
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    cases = list(root.iter("testcase"))
    assert [case.find("failure") is not None for case in cases] == [False, False, True]


def test_without_tests_every_message_must_be_taken(saved: Estate) -> None:
    messages = str(saved.folder / "saved.ndjson")
    table = file(saved, "REASON(2053) ACTION(RETRY)\n", "t.rules")
    assert saved.run("dlq", "rules", table, messages).code == 4
    both = file(saved, "REASON(2053) ACTION(RETRY)\nACTION(IGNORE)\n", "both.rules")
    assert saved.run("dlq", "rules", both, messages).code == 0
    assert saved.run("dlq", "rules", both, "--format", "junit").code == 2
    assert saved.run("dlq", "rules", both, messages, "--format", "toml").code == 2


def test_a_rule_that_never_matches_is_a_finding_of_a_test_too(saved: Estate) -> None:
    table = file(saved, "ACTION(IGNORE)\nREASON(2053) ACTION(RETRY)\n", "t.rules")
    ran = saved.run("dlq", "rules", table, str(saved.folder / "saved.ndjson"))
    assert (ran.code, "2 passed, 0 failed" in ran.err) == (4, True), ran.err
    assert "rule 1 (line 1) handles all of its messages" in ran.err


@pytest.mark.parametrize(
    ("change", "mismatch"),
    [
        pytest.param('target = "OUT"', "it goes to IN, OUT is expected", id="target"),
        pytest.param('action = "discard"', "action is retry, discard is expected", id="action"),
        pytest.param('rule = "other"', "takes it, rule 'other' is expected", id="rule"),
        pytest.param("count = 2", "1 message, expected: 2", id="count"),
    ],
)
def test_a_test_that_is_not_met_says_what_it_met(saved: Estate, change: str, mismatch: str) -> None:
    key = change.partition(" ")[0]
    rules, tests = TESTS.split("[[test]]", 1)
    lines = [change if line.startswith(f"{key} ") else line for line in tests.splitlines()]
    ran = saved.run("dlq", "rules", file(saved, "\n".join([rules, "[[test]]", *lines])))
    assert ran.code == 4
    assert mismatch in ran.out


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("messages = 3", "test[1].messages is 3; expected a list"),
        (
            'action = "keep"',
            "test[1].action is 'keep'; expected retry, fwd, discard",
        ),
        ('count = "2"', "test[1].count is '2'; expected a whole number of 0 or more"),
        ('acton = "retry"', "test[1].acton: no such key; did you mean action?"),
    ],
)
def test_a_test_that_cannot_be_is_wrong_usage_with_its_key(
    saved: Estate, line: str, error: str
) -> None:
    rules = f'[[rule]]\naction = "ignore"\n[[test]]\n{line}\n'
    ran = saved.run("dlq", "rules", file(saved, rules))
    assert ran.code == 2
    assert error in ran.err


def test_the_verbs_of_two_words_have_help_and_near_names(estate: Estate) -> None:
    ran = estate.run("emulator", "lab")
    assert ran.code == 2
    assert "rollback, consume, simulate" in ran.err
    assert "did you mean consume" in estate.run("emulator", "lab", "consme").err


def test_ids_are_those_of_the_saved_messages(saved: Estate) -> None:
    ran = saved.run("dlq", "rules", file(saved, TESTS), "-o", "ids")
    listed = saved.run("archive", "ls", str(saved.folder / "saved.ndjson"), "-o", "ids")
    assert set(ran.out.split()) == set(listed.out.split())


def test_no_file_is_one_line(estate: Estate, tmp_path: Path) -> None:
    ran = estate.run("dlq", "rules", str(tmp_path / "none"))
    assert ran.code != 0
    assert len([line for line in ran.err.splitlines() if line.startswith("error")]) == 1


def test_what_dlq_causes_prints_as_rules_takes_the_messages_of_each_group(dead: Estate) -> None:
    letter(dead, b"1")
    letter(dead, b"2")
    letter(dead, b"3", reason=2051, destq="OUT")
    printed = dead.run("dlq", "causes", "--emit", "toml")
    assert printed.code == 0
    fates = run(dead, printed.out, "-n", "-o", "ndjson").lines
    assert [line["rule"] for line in fates] == [1, 1, 2]
    table = dead.run("dlq", "causes", "--emit", "rules").out
    assert [line["rule"] for line in run(dead, table, "-n", "-o", "ndjson").lines] == [1, 1, 2]
    wheres = dead.run("dlq", "causes", "--emit", "where").out.splitlines()
    counts = [dead.run("msg", "count", DLQ, "--where", w, "-o", "json").json for w in wheres]
    assert [count["items"][0]["message_count"] for count in counts] == [2, 1]
    assert dead.run("dlq", "causes", "--emit", "rexx").code == 2
