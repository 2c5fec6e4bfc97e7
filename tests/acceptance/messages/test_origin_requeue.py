"""`backout requeue --to origin`: each message to its own origin, or nowhere."""

from __future__ import annotations

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.operations.rules import origin
from tests.acceptance.messages.estate import TERMINAL, Estate
from tests.acceptance.messages.test_origin import put_jms, sent_to

IN, OUT = "queue://QM1/IN", "queue://QM1/OUT"


@pytest.fixture
def backed(estate: Estate) -> Estate:
    """IN and OUT back out to BO."""
    estate.queue("BO")
    for name in ("IN", "OUT"):
        estate.alter(name, BOTHRESH=3, BOQNAME="BO")
    return estate


def test_each_message_goes_to_its_own_origin(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT, IN)
    assert backed.run("backout", "requeue", "BO", "--to", "origin", "--yes").code == 0
    assert backed.bodies("IN") == [sent_to(IN)] * 2
    assert backed.bodies("OUT") == [sent_to(OUT)]
    assert backed.bodies("BO") == []


def test_of_several_origins_one_needs_room_since_a_limit_counts_all_of_them(backed: Estate) -> None:
    backed.alter("OUT", MAXDEPTH=1)
    put_jms(backed, "BO", IN, OUT, OUT)
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "-n")
    assert ran.code == 8
    assert ran.err.endswith("hint: mqtriage queue set OUT MAXDEPTH=2\n")


def test_a_message_without_a_sure_origin_stays_and_is_reported(backed: Estate) -> None:
    put_jms(backed, "BO", IN, "queue://QM1/ELSEWHERE")
    backed.put("BO", b"plain")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--yes")
    assert ran.code == 3
    assert "no JMS destination other than this queue" in ran.out
    assert "ELSEWHERE does not name this queue" in ran.out
    assert backed.bodies("IN") == [sent_to(IN)]
    assert len(backed.messages("BO")) == 2


def test_the_only_queue_in_question_is_not_sure_enough(backed: Estate) -> None:
    backed.alter("OUT", BOTHRESH=0, BOQNAME="")
    backed.put("BO", b"plain")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--yes")
    assert ran.code == 8
    assert "no origin, no move" in ran.err
    assert backed.bodies("BO") == [b"plain"]


def test_a_likely_origin_is_taken_where_that_is_accepted_and_said(backed: Estate) -> None:
    backed.alter("OUT", BOTHRESH=0, BOQNAME="")
    put_jms(backed, "BO", IN, "queue://QM1/ELSEWHERE")
    backed.put("BO", b"plain")
    argv = ("backout", "requeue", "BO", "--to", "origin")
    hint = backed.run(*argv, "--where", "body_kind = 'text' AND prop.jms.Dst IS NULL", "--yes")
    assert (hint.code, "--accept-likely uses IN" in hint.err) == (8, True)
    ran = backed.run(*argv, "--accept-likely", "--yes")
    assert ran.code == 3, ran.err
    assert "1 message with no JMS destination other than this queue: IN is likely" in ran.err
    assert backed.bodies("IN") == [sent_to(IN), b"plain"]
    assert len(backed.messages("BO")) == 1  # what names another queue stays


def test_a_destination_that_is_the_backout_queue_itself_says_nothing(backed: Estate) -> None:
    """IBM's JMS client writes it into the MQRFH2 that it puts in front of a plain message."""
    with backed.connected() as backend:
        backend.define("QALIAS", "BO.ALIAS", {"TARGET": "BO"})
    put_jms(backed, "BO", "queue:///BO", "queue://QM1/BO.ALIAS", IN)
    argv = ("backout", "requeue", "BO", "--to", "origin")
    ran = backed.run(*argv, "--accept-likely", "--dry-run", "-o", "json")
    assert ran.json["item"]["facts"]["origins"] == {"IN": 1}  # IN and OUT come into question
    backed.alter("OUT", BOTHRESH=0, BOQNAME="")
    origins = backed.run("backout", "browse", "BO", "--group", "origin", "-o", "json").json
    assert [(it["queue"], it["message_count"], it["sure_count"]) for it in origins["items"]] == [
        ("IN", 3, 1)
    ]
    assert origins["summary"]["without_destination"] == 2
    ran = backed.run(*argv, "--dry-run")
    assert "2 more will be skipped: origin unknown: no JMS destination" in ran.out + ran.err
    ran = backed.run(*argv, "--accept-likely", "--yes")
    assert ran.code == 0, ran.err
    assert len(backed.messages("IN")) == 3


def test_of_two_queues_none_is_likely(backed: Estate) -> None:
    backed.put("BO", b"plain")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--accept-likely", "--yes")
    assert ran.code == 8
    assert backed.bodies("BO") == [b"plain"]
    assert backed.run("backout", "requeue", "BO", "--to", "IN", "--accept-likely").code == 2


def test_a_dry_run_says_how_many_go_where_and_moves_nothing(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT, IN)
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--dry-run", "-o", "json")
    assert ran.json["item"]["facts"]["origins"] == {"IN": 2, "OUT": 1}
    assert ran.json["item"]["count"] == 3
    assert len(backed.messages("BO")) == 3


def test_the_selection_and_expect_are_heeded(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT, IN)
    argv = ("backout", "requeue", "BO", "--to", "origin", "--yes", "--limit", "2")
    assert backed.run(*argv, "--expect", "3").code == 8
    assert backed.run(*argv, "--expect", "2").code == 0
    assert backed.bodies("BO") == [sent_to(IN)]


def test_a_requeue_to_several_origins_does_not_read_like_one_queue(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT, IN)
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "-n")
    assert ran.out.startswith("requeue 3 messages from BO to their origins at QM1")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--yes")
    assert ran.out.startswith("requeued 3 messages from BO to their origins at QM1")


def test_each_origin_has_its_archive(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT)
    assert backed.run("backout", "requeue", "BO", "--to", "origin", "--yes").code == 0
    assert [[line["kind"] for line in lines][-1] for lines in backed.archives()] == ["Commit"] * 2
    assert len({str(lines[1]["msg_id"]) for lines in backed.archives()}) == 2


def test_an_origin_that_takes_nothing_refuses_the_act_before_it_begins(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT)
    backed.alter("OUT", PUT="DISABLED")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--yes")
    assert ran.code == 8
    assert len(backed.messages("BO")) == 2


def test_an_origin_that_is_shut_meanwhile_does_not_hold_up_the_other(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT)
    ran = backed.run(
        "backout", "requeue", "BO", "--to", "origin", stdin="y\n",
        meanwhile=lambda: backed.alter("IN", PUT="DISABLED"),
    )  # fmt: skip
    assert ran.code == 3
    assert backed.bodies("BO") == [sent_to(IN)]
    assert backed.bodies("OUT") == [sent_to(OUT)]


def test_when_no_origin_takes_any_the_reason_is_the_error(backed: Estate) -> None:
    put_jms(backed, "BO", IN)
    ran = backed.run(
        "backout", "requeue", "BO", "--to", "origin", stdin="y\n",
        meanwhile=lambda: backed.alter("IN", PUT="DISABLED"),
    )  # fmt: skip
    assert ran.code not in (0, 3)
    assert "MQRC_PUT_INHIBITED" in ran.err
    assert backed.bodies("BO") == [sent_to(IN)]


def test_a_confirmation_on_delivery_holds_the_act_up(backed: Estate) -> None:
    backed.put(
        "BO", sent_to(IN), format="MQHRF2", encoding=273, report=cmqc.MQRO_COD, reply_to_q="OUT"
    )
    assert backed.run("backout", "requeue", "BO", "--to", "origin", "--yes").code == 8
    assert len(backed.messages("BO")) == 1


def test_the_report_counts_all_that_was_chosen(backed: Estate) -> None:
    put_jms(backed, "BO", IN, OUT)
    backed.put("BO", b"plain")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "-o", "json", "--yes")
    item = ran.json
    assert item["counts"] == {"planned": 3, "done": 2, "skipped": 1, "failed": 0}
    assert item["details"]["origins"] == {"IN": 1, "OUT": 1}
    assert (item["before"], item["after"]) == (
        {"BO": 3, "IN": 0, "OUT": 0},
        {"BO": 1, "IN": 1, "OUT": 1},
    )


def test_aliases_on_both_ways_are_followed_and_browse_says_the_same(backed: Estate) -> None:
    with backed.connected() as backend:
        backend.define("QALIAS", "BO.ALIAS", {"TARGET": "BO"})
        backend.define("QALIAS", "ORDERS", {"TARGET": "OUT"})
    backed.alter("OUT", BOQNAME="BO.ALIAS")
    put_jms(backed, "BO", "queue://QM1/ORDERS")
    (item,) = backed.run("backout", "browse", "BO", "-o", "json").json["items"]
    assert (item["origin"], item["origin_sure"]) == ("OUT", "sure")
    assert item["origin_candidates"] == ["IN", "OUT"]
    assert item["origin_evidence"] == "JMS destination ORDERS"
    assert backed.run("backout", "requeue", "BO", "--to", "origin", "--yes").code == 0
    assert backed.bodies("OUT") == [sent_to("queue://QM1/ORDERS")]


SKIPPED = "1 more will be skipped: origin unknown: BOQNAME of its destination ELSEWHERE"
LIKELY = "1 message with no JMS destination other than this queue: IN is likely"


def test_a_saved_plan_shows_its_reviewer_what_the_planner_saw(backed: Estate) -> None:
    """What can be worked out again is; the rest comes from the file, marked as the planner's."""
    backed.alter("OUT", BOTHRESH=0, BOQNAME="")
    put_jms(backed, "BO", IN, "queue://QM1/ELSEWHERE")
    backed.put("BO", b"plain")
    path = str(backed.folder / "a.plan")
    argv = ("backout", "requeue", "BO", "--to", "origin", "--accept-likely", "--plan", path)
    ran = backed.run(*argv)
    assert (ran.code, SKIPPED in ran.err, LIKELY in ran.err) == (0, True, True)
    shown = [backed.run("plan", path), backed.run("apply", path, "-n")]
    shown.append(backed.run("apply", path, stdin="n\n", terminals=TERMINAL))
    for ran in shown:
        text = " ".join((ran.out + ran.err).split())
        assert [text.count(f"when planned: {note}") for note in (SKIPPED, LIKELY)] == [1, 1], text
        assert text.count("browsing can make") == 1
        assert "when planned: browsing" not in text


def test_a_plan_says_which_messages_keep_a_header_that_a_jms_client_added(backed: Estate) -> None:
    """The client wrote this queue into it; senders wrote theirs, and need it again."""
    backed.put("BO", sent_to("queue:///BO"), sent_to(IN), format="MQHRF2", ccsid=1208, encoding=273)
    backed.put("BO", b"plain")
    note = "1 message keeps an MQRFH2 that a JMS client added"
    backed.alter("OUT", BOQNAME="", BOTHRESH=0)
    for words in (("--to", "IN"), ("--to", "origin", "--accept-likely")):
        ran = backed.run("backout", "requeue", "BO", *words, "-n")
        assert note in ran.out + ran.err, words
        ran = backed.run("backout", "requeue", "BO", *words, "--headers", "strip", "-n")
        assert note not in ran.out + ran.err, words
    assert note not in backed.run("msg", "move", "BO", "--to", "IN", "-n").out


def put_by(
    estate: Estate,
    program: str,
    queue: str,
    *bodies: bytes,
    expiry_tenths: int = -1,
    form: str = "MQSTR",
) -> None:
    """Put as a program of that name does."""
    options = cmqc.MQPMO_SET_ALL_CONTEXT
    md = MQMD(
        format=form, put_appl_name=program, put_date="20260131", put_time="10000000",
        expiry_tenths=expiry_tenths,
    )  # fmt: skip
    with estate.connected() as backend:
        for body in bodies:
            backend.put1(queue, md, body, options)


def test_of_several_queues_the_only_one_with_messages_of_the_program_is_likely(
    backed: Estate,
) -> None:
    put_by(backed, "APPA", "IN", b"in")
    put_by(backed, "APPB", "OUT", b"out")
    for program, body in (("APPA", b"a"), ("APPB", b"b"), ("APPC", b"c")):
        put_by(backed, program, "BO", body)
    rows = backed.run("backout", "browse", "BO", "--group", "origin", "-o", "json").json["items"]
    assert [(row["queue"], row["origin_sure"], row["message_count"]) for row in rows] == [
        ("IN", "likely", 1), ("OUT", "likely", 1),
    ]  # fmt: skip
    refused = backed.run("backout", "requeue", "BO", "--to", "origin", "--yes")
    assert refused.code == 8
    assert "for 2 of them, --accept-likely uses the only queue with more of their" in refused.err
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--accept-likely", "--yes")
    assert ran.code == 3
    staying = backed.bodies("BO")
    assert (backed.bodies("IN"), backed.bodies("OUT"), staying) == (
        [b"in", b"a"], [b"out", b"b"], [b"c"],
    )  # fmt: skip


def test_a_program_with_messages_on_two_queues_is_told_by_the_format(backed: Estate) -> None:
    put_by(backed, "APPA", "IN", b"in")
    put_by(backed, "APPA", "OUT", b"out", form="APPFMT")
    put_by(backed, "APPA", "BO", b"b", form="APPFMT")
    item = backed.run("backout", "browse", "BO", "-o", "json").json["items"][0]
    assert (item["origin"], item["origin_sure"]) == ("OUT", "likely")
    assert item["origin_evidence"].endswith("only OUT contains messages of APPA with Format APPFMT")


def test_a_program_with_messages_on_two_queues_tells_nothing(backed: Estate) -> None:
    for queue in ("IN", "OUT", "BO"):
        put_by(backed, "APPA", queue, b"x")
    ran = backed.run("backout", "requeue", "BO", "--to", "origin", "--accept-likely", "-n")
    assert ran.code == 8


def test_a_queue_that_must_not_be_browsed_or_is_long_says_nothing_of_a_program(
    backed: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def origin_now() -> str | None:
        ran = backed.run("backout", "browse", "BO", "-o", "json")
        assert ran.code == 0, ran.err
        queue: str | None = ran.json["items"][0]["origin"]
        return queue

    put_by(backed, "APPA", "IN", b"in")
    put_by(backed, "APPA", "BO", b"a")
    monkeypatch.setattr(origin, "_COMPARED", 1)
    assert origin_now() == "IN"
    put_by(backed, "APPB", "OUT", b"out", b"out")
    assert origin_now() is None
    monkeypatch.undo()
    assert origin_now() == "IN"
    backed.environ["MQTRIAGE_CONFIG"] = str(backed.folder / "config.toml")
    added = backed.run("context", "add", "nb", "-m", "QM1", "no_browse=OUT")
    assert added.code == 0, added.err
    assert origin_now() is None


def test_queues_with_expired_messages_are_not_browsed_for_an_origin(backed: Estate) -> None:
    put_by(backed, "APPA", "IN", b"in")
    put_by(backed, "APPB", "OUT", b"out", expiry_tenths=10)
    put_by(backed, "APPA", "BO", b"a")
    backed.run("emulator", "lab", "switch", "-m", "QM1", "expirer_interval_s=off")
    backed.run("emulator", "clock", "QM1", "+1m")
    rows = backed.run("backout", "browse", "BO", "--group", "origin", "-o", "json").json["items"]
    assert {row["origin_sure"] for row in rows} == {"unknown"}
    status = backed.run("expiry", "status", "OUT", "-o", "json").json["items"]
    assert status[0]["expired"] == 1
