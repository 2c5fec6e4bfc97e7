"""`dlq run` and `dlq rules`: IBM's rules table, and where the messages are afterwards."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import authority_records
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import xqh
from mqtriage.mq.headers.dlh import DLH, encode
from tests.acceptance.messages.estate import Estate, hex_of

DLQ = "DLQ"


class DeadEstate:
    """An estate whose dead-letter queue is DLQ, and a rules file."""

    def __init__(self, estate: Estate, file: Path) -> None:
        self.estate = estate
        self.file = file
        estate.queue(DLQ)
        estate.alter("QM1", DEADQ=DLQ)

    def dead(self, body: bytes, *, dest: str = "IN", reason: int = 2053, **more: Any) -> bytes:
        """Put a message with an MQDLH on the dead-letter queue; returns its MsgId."""
        manager = more.pop("manager", "QM1")
        header = DLH(reason, dest, manager, encoding=273, ccsid=819, format="MQSTR")
        (ident,) = self.estate.put(DLQ, encode(header) + body, format="MQDEAD", **more)
        return ident

    def run(self, rules: str, *args: str) -> Any:
        """`dlq run` with these rules; the Ran of the estate."""
        self.file.write_text(rules)
        return self.estate.run("dlq", "run", "-f", str(self.file), *args)


@pytest.fixture
def dead_estate(estate: Estate, tmp_path: Path) -> DeadEstate:
    return DeadEstate(estate, tmp_path / "dlq.rules")


def test_retry_puts_the_original_on_the_queue_it_was_meant_for(dead_estate: DeadEstate) -> None:
    ident = dead_estate.dead(b"one", correl_id=b"c" * 24)
    ran = dead_estate.run("REASON(MQRC_Q_FULL) ACTION(RETRY)", "--yes")
    assert ran.code == 0, ran.err
    assert dead_estate.estate.messages(DLQ) == []
    (there,) = dead_estate.estate.messages("IN")
    assert (there.md.msg_id, there.md.correl_id, there.body) == (ident, b"c" * 24, b"one")
    assert (there.md.format, there.md.ccsid, there.md.encoding) == ("MQSTR", 819, 273)


@pytest.mark.parametrize("table", ["DD *", "DD DATA,DLM=@@"])
def test_the_rules_of_a_job_of_csqudlqh_are_those_of_its_sysin(
    dead_estate: DeadEstate, table: str
) -> None:
    dead_estate.dead(b"one")
    job = (
        "//DLQH JOB (ACCT),'DLQ'\n//S1 EXEC PGM=CSQUDLQH,PARM='DLQ QM1'\n//SYSOUT DD SYSOUT=*\n"
        f"//SYSIN {table}\nREASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(OUT) HEADER(NO)\n"
        f"{'@@' if '@@' in table else '/*'}\n"
    )
    ran = dead_estate.run(job, "--yes")
    assert ran.code == 0, ran.err
    assert [message.body for message in dead_estate.estate.messages("OUT")] == [b"one"]
    checked = dead_estate.estate.run("dlq", "rules", str(dead_estate.file))
    assert (checked.code, "1 rule, no problems" in checked.err) == (0, True)


@pytest.mark.parametrize(
    ("rule", "queue", "keeps_header"),
    [
        pytest.param("FWDQ(OUT)", "OUT", True, id="header-stays-by-default"),
        pytest.param("FWDQ(OUT) HEADER(NO)", "OUT", False, id="header-no"),
        pytest.param("FWDQ(&DESTQ) HEADER(NO) FWDQM(' ')", "IN", False, id="destq"),
        pytest.param("FWDQ(&REPLYQ) FWDQM(&DESTQM)", "OUT", True, id="replyq"),
    ],
)
def test_fwd_puts_it_where_the_rule_says(
    dead_estate: DeadEstate, rule: str, queue: str, keeps_header: bool
) -> None:
    dead_estate.dead(b"one", reply_to_q="OUT")
    (before,) = dead_estate.estate.messages(DLQ)
    assert dead_estate.run(f"REPLYQ(?*) ACTION(FWD) {rule}", "--yes").code == 0
    assert dead_estate.estate.messages(DLQ) == []
    (there,) = dead_estate.estate.messages(queue)
    assert there.body == (before.body if keeps_header else b"one")
    assert there.md.format == ("MQDEAD" if keeps_header else "MQSTR")


def test_discard_keeps_the_message_in_the_archive_only(dead_estate: DeadEstate) -> None:
    ident = dead_estate.dead(b"one")
    (before,) = dead_estate.estate.messages(DLQ)
    assert dead_estate.run("ACTION(DISCARD)", "--yes").code == 0
    assert dead_estate.estate.messages(DLQ) == []
    ((_, line, end),) = dead_estate.estate.archives()
    assert (line["msg_id"], end["kind"]) == (hex_of(ident), "Commit")
    assert base64.b64decode(line["body_base64"]) == before.body


def test_ignored_messages_and_those_no_rule_takes_stay(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one", reason=2051)
    dead_estate.dead(b"two", reason=2085)
    dead_estate.dead(b"three", reason=2085)
    ran = dead_estate.run("REASON(2051) ACTION(IGNORE)\nREASON(2053) ACTION(DISCARD)", "--yes")
    assert ran.code == 0
    assert len(dead_estate.estate.messages(DLQ)) == 3
    assert "nothing to do" in ran.err
    assert "1 stays: ignored by rule 1 (line 1)" in ran.err
    assert "2 stay: no rule matches" in ran.err


def test_messages_without_a_header_are_reported_once_and_left(dead_estate: DeadEstate) -> None:
    dead_estate.estate.put(DLQ, b"plain", b"plain too")
    dead_estate.dead(b"one")
    ran = dead_estate.run("ACTION(RETRY)", "--yes", "-q")
    assert ran.code == 0
    assert dead_estate.estate.bodies(DLQ) == [b"plain", b"plain too"]
    assert ran.out.count("2 stay: no MQDLH") == 1


@pytest.mark.slow
def test_a_put_that_fails_leads_to_the_next_matching_rule(dead_estate: DeadEstate) -> None:
    dead_estate.estate.alter("IN", PUT="DISABLED")
    dead_estate.dead(b"one")
    rules = (
        "RETRYINT(1)\nACTION(RETRY) RETRY(2)\nREASON(1) ACTION(DISCARD)\n"
        "ACTION(FWD) FWDQ(OUT) HEADER(NO)"
    )
    ran = dead_estate.run(rules, "--yes", "-o", "json")
    assert ran.code == 0
    assert dead_estate.estate.bodies("OUT") == [b"one"]
    assert [rule["done"] for rule in ran.json["details"]["rules"]] == [0, 0, 1]
    dead_estate.dead(b"two")
    ran = dead_estate.run(rules, "--yes")
    assert "handled 1 message from" in ran.out and "0 failed" in ran.out
    assert "FAILED_ATTEMPTS" in ran.out
    assert "handled  " in ran.out and "removed" not in ran.out


def test_the_last_rule_that_fails_leaves_the_message_and_says_why(dead_estate: DeadEstate) -> None:
    dead_estate.estate.alter("IN", PUT="DISABLED")
    ident = dead_estate.dead(b"one")
    dead_estate.dead(b"two", dest="OUT")
    ran = dead_estate.run("RETRYINT(1)\nACTION(RETRY) RETRY(2)", "--yes")
    assert ran.code == 3
    (remaining,) = dead_estate.estate.messages(DLQ)
    assert (remaining.md.msg_id, remaining.md.backout_count) == (ident, 0)
    assert dead_estate.estate.bodies("OUT") == [b"two"]
    assert "1 message waits 1s for the next attempt" in ran.err
    assert "RETRY to IN, attempt 2 of 2: " in ran.out
    assert "2051" in ran.out


def by_user(dead_estate: DeadEstate, body: bytes, user: str) -> bytes:
    """A dead letter whose context names *user*."""
    return dead_estate.dead(body, user_identifier=user, put_date="20260131", put_time="10000000")


def test_putaut_ctx_needs_the_authority_of_the_user_in_the_context(
    dead_estate: DeadEstate,
) -> None:
    estate = dead_estate.estate
    with estate.connected() as backend:
        authority_records.set_record(backend.manager, "QUEUE", "IN", principal="app1", add=["PUT"])
    first, second = (by_user(dead_estate, user.encode(), user) for user in ("app1", "app2"))
    assert estate.run("emulator", "lab", "switch", "authority=on").code == 0
    rules = "ACTION(RETRY) PUTAUT(CTX)"
    rehearsed = dead_estate.run(rules, "-n", "-o", "json").json["item"]["messages"]
    assert [message["user"] for message in rehearsed] == ["app1", "app2"]
    assert "RETRY to IN as user app2" in dead_estate.run(rules, "-n").out
    ran = dead_estate.run(rules, "--yes", "-o", "json")
    assert ran.code == 3
    done, failed = ran.json["items"]
    assert (done["msg_id"], done["outcome"]) == (hex_of(first), "done")
    assert (failed["msg_id"], failed["outcome"]) == (hex_of(second), "failed")
    assert "as user app2: open IN: MQRC_NOT_AUTHORIZED (2035)" in failed["reason"]
    assert estate.run("emulator", "lab", "switch", "authority=off").code == 0
    assert estate.bodies("IN") == [b"app1"]
    assert len(estate.messages(DLQ)) == 1


@pytest.fixture
def with_a_way_to_qm2(dead_estate: DeadEstate) -> DeadEstate:
    """QM1 has a transmission queue for QM2, whose dead-letter queue is called like its own."""
    dead_estate.estate.queue("QM2", USAGE="XMITQ")
    return dead_estate


@pytest.mark.parametrize(
    ("rule", "queue", "stripped"),
    [
        pytest.param(f"ACTION(FWD) FWDQ({DLQ}) FWDQM(QM2)", DLQ, False, id="fwdqm"),
        pytest.param("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM)", "R1", False, id="replyqm"),
        pytest.param(
            "ACTION(FWD) FWDQ(&DESTQ) FWDQM(QM2) HEADER(NO)", "IN", True, id="other-way"
        ),
    ],
)  # fmt: skip
def test_a_rule_forwards_to_another_queue_manager_by_its_transmission_queue(
    with_a_way_to_qm2: DeadEstate, rule: str, queue: str, stripped: bool
) -> None:
    estate = with_a_way_to_qm2.estate
    with_a_way_to_qm2.dead(b"one", reply_to_q="R1", reply_to_q_mgr="QM2")
    rehearsed = with_a_way_to_qm2.run(rule, "-n", "-o", "json").json["item"]["messages"]
    assert [message["target"] for message in rehearsed] == [f"{queue}@QM2"]
    ran = with_a_way_to_qm2.run(rule, "--yes")
    assert ran.code == 0, ran.err
    assert estate.messages(DLQ) == []
    (sent,) = estate.messages("QM2")
    header = xqh.decode(sent.body, 0, "<")
    assert isinstance(header, xqh.XQH)
    assert (header.remote_q_name, header.remote_q_mgr_name) == (queue, "QM2")
    assert header.message_descriptor.reply_to_q == "R1"
    assert (b"DLH " in sent.body) is not stripped
    assert sent.body.endswith(b"one")


def test_what_went_to_another_queue_manager_is_proven_and_cannot_be_called_back(
    with_a_way_to_qm2: DeadEstate,
) -> None:
    estate = with_a_way_to_qm2.estate
    with_a_way_to_qm2.dead(b"one")
    assert with_a_way_to_qm2.run("ACTION(FWD) FWDQ(X) FWDQM(QM2)", "--yes").code == 0
    assert estate.run("journal", "verify").code == 0
    ran = estate.run("journal", "undo", "--yes")
    assert ran.code == 3
    assert "on its way to another queue manager: X@QM2" in ran.out + ran.err


def test_a_queue_manager_that_nothing_leads_to_fails_the_attempt_and_the_next_rule_is_tried(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"one")
    rules = "ACTION(FWD) FWDQ(X) FWDQM(QM2)\nACTION(FWD) FWDQ(OUT) HEADER(NO)"
    assert dead_estate.run(rules, "--yes").code == 0
    assert dead_estate.estate.bodies("OUT") == [b"one"]
    dead_estate.dead(b"two")
    ran = dead_estate.run("ACTION(FWD) FWDQ(X) FWDQM(QM2)", "--yes")
    assert "X@QM2" in ran.out
    assert "2087" in ran.out or "2086" in ran.out
    assert len(dead_estate.estate.messages(DLQ)) == 1


def test_a_message_is_not_put_on_the_queue_that_it_is_on(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one", dest=DLQ)
    ran = dead_estate.run("ACTION(RETRY)", "--yes")
    assert ran.code == 1
    assert "already on that queue" in ran.out
    assert len(dead_estate.estate.messages(DLQ)) == 1


def test_a_dry_run_shows_the_rule_of_each_message_and_changes_nothing(
    dead_estate: DeadEstate,
) -> None:
    first = dead_estate.dead(b"one", reason=2051)
    second = dead_estate.dead(b"two")
    dead_estate.estate.put(DLQ, b"plain")
    rules = "REASON(2051) ACTION(DISCARD)\nREASON(2051) ACTION(RETRY)\nACTION(RETRY)"
    ran = dead_estate.run(rules, "-n", "-o", "json")
    assert ran.code == 0
    item = ran.json["item"]
    assert [(m["msg_id"], m["rule"], m["action"]) for m in item["messages"][:2]] == [
        (hex_of(first), 1, "DISCARD"),
        (hex_of(second), 3, "RETRY"),
    ]
    assert (item["messages"][2]["rule"], item["messages"][2]["why"]) == (None, "no MQDLH")
    assert [(r["hits"], r["shadowed_by"]) for r in item["rules"]] == [(1, None), (0, 1), (1, None)]
    assert len(dead_estate.estate.messages(DLQ)) == 3
    assert dead_estate.estate.archives() == []
    text = dead_estate.run(rules, "-n").out
    assert "never hit, shadowed by rule 1" in text


THEN = """\
REASON(2051) ACTION(RETRY)
REASON(2053) ACTION(FWD) FWDQ(NOWHERE)
DESTQ(OUT) ACTION(FWD) FWDQ(OUT) HEADER(NO)
ACTION(DISCARD)
"""


def blocked(dead_estate: DeadEstate) -> None:
    """Two messages that rule 1 cannot put, one that rule 2 cannot, and one that rule 3 moves."""
    for dest, reason in (("IN", 2051), ("IN", 2051), ("IN", 2053), ("OUT", 2053), ("OUT", 2030)):
        dead_estate.dead(b"one", dest=dest, reason=reason)
    dead_estate.estate.alter("IN", PUT="DISABLED")


def test_a_rule_whose_puts_fail_is_shown_with_them_and_the_rule_that_handles_them_then(
    dead_estate: DeadEstate,
) -> None:
    blocked(dead_estate)
    text = dead_estate.run(THEN, "-n").out
    assert "RETRY, 2 tried, 2 would fail, then rule 4" in text
    assert "FWD, 2 tried, 2 would fail, then rules 3, 4" in text
    assert "FWD, 2 hits" in text
    assert "DISCARD, 3 hits" in text
    assert "never hit" not in text
    rules = dead_estate.run(THEN, "-n", "-o", "json").json["item"]["rules"]
    assert [(r["hits"], r["matched"]) for r in rules] == [(0, 2), (0, 2), (2, 2), (3, 3)]


def test_a_rule_that_fails_for_a_message_that_stays_is_not_shown_as_never_hit(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"one")
    dead_estate.estate.alter("IN", PUT="DISABLED")
    ran = dead_estate.run("ACTION(RETRY)\nACTION(FWD) FWDQ(NOWHERE)\nREASON(1) ACTION(RETRY)", "-n")
    assert "RETRY, 1 hit, 1 would fail" in ran.out
    assert "FWD, 1 tried, 1 would fail\n" in ran.out
    assert ran.out.count("never hit") == 1


def test_a_rule_can_handle_some_messages_and_pass_others_on(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one", dest="OUT")
    dead_estate.dead(b"two", dest="NOWHERE")
    text = dead_estate.run("ACTION(RETRY)\nACTION(DISCARD)", "-n").out
    assert "RETRY, 1 hit, 1 more tried, 1 would fail, then rule 2" in text


@pytest.mark.parametrize("retry", ["", " RETRY(2)"], ids=["once", "twice"])
@pytest.mark.slow
def test_a_run_counts_for_each_rule_what_it_handled_and_what_failed(
    dead_estate: DeadEstate, retry: str
) -> None:
    blocked(dead_estate)
    rules = "INPUTQ(DLQ) RETRYINT(1)\n" + THEN.replace("(RETRY)", f"(RETRY){retry}")
    ran = dead_estate.run(rules, "--yes", "-o", "json")
    counted = [(rule["done"], rule["failed"]) for rule in ran.json["details"]["rules"]]
    assert counted == [(0, 2), (0, 2), (2, 0), (3, 0)]


@pytest.mark.parametrize("guard", ["MQTRIAGE_PROTECTED", "MQTRIAGE_FOUR_EYES"])
def test_a_dry_run_says_what_the_guards_will_ask(dead_estate: DeadEstate, guard: str) -> None:
    dead_estate.dead(b"one")
    dead_estate.estate.environ[guard] = "true"
    ran = dead_estate.run("ACTION(RETRY)", "-n")
    assert (ran.code, "without -n it needs" in ran.err) == (0, True), ran.err


def test_guards_hold_here_too(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    dead_estate.dead(b"two")
    assert dead_estate.run("ACTION(RETRY)").code == 8
    assert dead_estate.run("ACTION(RETRY)", "--expect", "1", "--yes").code == 8
    assert len(dead_estate.estate.messages(DLQ)) == 2
    assert dead_estate.run("ACTION(RETRY)", "--limit", "1", "--expect", "1", "--yes").code == 0
    assert dead_estate.estate.bodies("IN") == [b"one"]


def test_a_confirmation_on_delivery_is_not_caused_by_accident(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one", report=2048, reply_to_q="OUT")
    ran = dead_estate.run("ACTION(DISCARD)", "--yes")
    assert (ran.code, len(dead_estate.estate.messages(DLQ))) == (8, 1)
    assert "--allow-reports" in ran.err


def test_the_queue_is_the_option_then_inputq_then_deadq(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    dead_estate.estate.queue("DLQ2")
    rules = "INPUTQ(DLQ2) INPUTQM(QM1)\nACTION(DISCARD)"
    assert dead_estate.run(rules, "--yes").code == 0
    assert len(dead_estate.estate.messages(DLQ)) == 1
    assert dead_estate.run(rules, "--yes", DLQ).code == 0
    assert dead_estate.estate.messages(DLQ) == []
    assert dead_estate.run("INPUTQM(QM9)\nACTION(DISCARD)", "--yes").code == 8


def test_a_wrong_table_is_not_run(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    ran = dead_estate.run("ACTION(DISCARD)\nREASON(MQRC_NO) ACTION(DISCARD)", "--yes")
    assert ran.code == 2
    assert "line 2, column 8" in ran.err
    assert len(dead_estate.estate.messages(DLQ)) == 1


def test_a_message_taken_while_the_question_stands_is_left_to_the_other(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"one")
    dead_estate.dead(b"two")
    dead_estate.file.write_text("ACTION(RETRY)")
    estate = dead_estate.estate
    argv = ("dlq", "run", "-f", str(dead_estate.file))
    ran = estate.run(*argv, stdin="y\n", meanwhile=lambda: estate.take(DLQ))
    assert ran.code == 3
    assert estate.bodies("IN") == [b"two"]
    assert estate.messages(DLQ) == []


def test_a_target_queue_that_fills_takes_what_it_can(dead_estate: DeadEstate) -> None:
    dead_estate.estate.alter("IN", MAXDEPTH=2)
    for body in (b"one", b"two", b"three"):
        dead_estate.dead(body)
    assert dead_estate.run("ACTION(RETRY)", "--yes").code == 3
    assert dead_estate.estate.bodies("IN") == [b"one", b"two"]
    assert len(dead_estate.estate.messages(DLQ)) == 1


def test_nothing_of_ours_holds_a_target_open_afterwards(dead_estate: DeadEstate) -> None:
    dead_estate.dead(b"one")
    assert dead_estate.run("ACTION(RETRY)", "--yes").code == 0
    with dead_estate.estate.connected() as backend:
        backend.open("IN", cmqc.MQOO_OUTPUT).close()
        assert backend.status("IN").opprocs == 0


def test_lint_tells_the_place_of_each_problem(estate: Estate, tmp_path: Path) -> None:
    file = tmp_path / "t.rules"
    file.write_text("ACTION(DISCARD)\nDESTQ(A) ACTION(RETRY)\n")
    ran = estate.run("dlq", "rules", str(file), "-o", "json")
    assert ran.code == 4
    (problem,) = ran.json["items"]
    assert (problem["line"], problem["severity"]) == (2, "warning")
    assert "rule 1 (line 1) handles all of its messages" in problem["text"]


def test_lint_of_a_clean_table_and_of_no_file(estate: Estate, tmp_path: Path) -> None:
    file = tmp_path / "t.rules"
    file.write_text("* all is well\nREASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)\n")
    assert estate.run("dlq", "rules", str(file)).code == 0
    assert estate.run("dlq", "rules", str(tmp_path / "none")).code == 5
    assert estate.run("dlq", "rules", "-", stdin="ACTION(X)").code == 4


def test_a_commit_that_fails_leaves_every_message_where_it_was(
    dead_estate: DeadEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead_estate.dead(b"one")
    dead_estate.dead(b"two", reason=2051)

    def refuse(backend: EmulatedBackend) -> None:
        raise mqi_error(cmqc.MQRC_BACKED_OUT, "commit")

    monkeypatch.setattr(EmulatedBackend, "commit", refuse)
    ran = dead_estate.run("REASON(2053) ACTION(RETRY)\nACTION(DISCARD)", "--yes")
    monkeypatch.undo()
    assert ran.code == 1
    assert ran.out.count("MQRC_BACKED_OUT (2003)") == 2
    assert len(dead_estate.estate.messages(DLQ)) == 2
    assert dead_estate.estate.messages("IN") == []


def test_the_archive_is_on_disk_before_the_commit(
    dead_estate: DeadEstate, monkeypatch: pytest.MonkeyPatch
) -> None:
    ident = dead_estate.dead(b"one")
    seen: list[str] = []
    commit = EmulatedBackend.commit

    def look(backend: EmulatedBackend) -> None:
        seen.extend(line["msg_id"] for line in dead_estate.estate.archives()[0][1:])
        commit(backend)

    monkeypatch.setattr(EmulatedBackend, "commit", look)
    assert dead_estate.run("ACTION(DISCARD)", "--yes").code == 0
    assert seen == [hex_of(ident)]


def test_a_dry_run_as_lines_has_one_record_a_message_that_was_chosen(
    dead_estate: DeadEstate,
) -> None:
    dead_estate.dead(b"one", reason=2051)
    ident = dead_estate.dead(b"two")
    ran = dead_estate.run("ACTION(FWD) FWDQ(OUT)", "-n", "-o", "ndjson", "--reason", "2053")
    assert [(r["msg_id"], r["target"]) for r in ran.lines if "msg_id" in r] == [
        (hex_of(ident), "OUT")
    ]
