"""Reports, plans, errors and notes in words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mqtriage.commands.context.settings import because_protected
from mqtriage.formatters.document import data_pair
from mqtriage.formatters.errors import error_json, error_text
from mqtriage.formatters.json_text import pieces
from mqtriage.formatters.pairs import pair_lines
from mqtriage.formatters.plan import plan_document, plan_record, plan_text
from mqtriage.formatters.report import detail_sections, headline, report_record
from mqtriage.formatters.style import Style
from mqtriage.model.plan import Plan
from mqtriage.model.result import ItemOutcome, Outcome, Report
from mqtriage.mq import errors
from mqtriage.mq.errors import MQTriageError, mqi_error
from tests.unit.formatters import samples


def report(action: str, done: int = 0, **fields: Any) -> Report:
    items = [ItemOutcome("00", Outcome.DONE)] * done
    fields.setdefault("planned", done)
    return Report("K", action, "A", items=items, **fields)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (
            report("requeue", 3, target="B"),
            "requeued 3 messages from A to B; 0 skipped, 0 failed",
        ),
        (report("purge", 1), "purged 1 message from A; 0 skipped, 0 failed"),
        (report("cancel", 2), "cancelled 2 messages from A; 0 skipped, 0 failed"),
        (report("put", 1), "put 1 message on A; 0 skipped, 0 failed"),
        (
            replace(report("revive", 1, target="B"), queue=""),
            "revived 1 message on B; 0 skipped, 0 failed",
        ),
        (report("copy", 0, target="B"), "copied 0 messages from A to B; 0 skipped, 0 failed"),
        (
            report("purge", 3, planned=5),
            "purged 3 messages from A; 0 skipped, 0 failed, 2 not reached",
        ),
        (
            report("purge", 3, planned=5, interrupted=True),
            "stopped after a whole batch: purged 3 messages from A; "
            "0 skipped, 0 failed, 2 not reached",
        ),
        (
            report("purge", planned=5, failure=MQTriageError("no connection")),
            "purged 0 messages from A; 0 skipped, 0 failed, 5 not reached",
        ),
        (
            report("requeue", dry_run=True, planned=7, target="B"),
            "would requeue 7 messages from A to B; dry run, nothing was changed",
        ),
        (report("undo", 2), "undone: 2 messages on A; 0 skipped, 0 failed"),
        (
            report("resume", 2, details={"act": "undo"}),
            "resumed 2 messages on A; 0 skipped, 0 failed",
        ),
        (
            report("resume", 2, details={"act": "undo"}, taken_off=("A", "B")),
            "resumed: removed 2 messages from A, B; 0 skipped, 0 failed",
        ),
        (
            report("resume", 2, details={"act": "load"}, target="A"),
            "resumed 2 messages on A; 0 skipped, 0 failed",
        ),
        (
            report("resume", 2, details={"act": "requeue"}, target="B"),
            "resumed 2 messages from A to B; 0 skipped, 0 failed",
        ),
        (report("set", changed=False), "unchanged: A already has these values"),
        (report("define"), "defined A"),
        (report("set"), "set A"),
        (report("delete"), "deleted A"),
        (report("set", dry_run=True), "would set A; dry run, nothing was changed"),
        (
            report("sweep", before={"A": 72}, after={"A": 5}),
            "swept A: CURDEPTH 72 before, 5 after (67 fewer)",
        ),
        (
            report("sweep", before={"A": 1}, after={"A": 2}),
            "swept A: no expired messages were discarded",
        ),
        (report("sweep"), "swept A"),
        (report("sweep", dry_run=True), "would sweep A; dry run, nothing was read or changed"),
    ],
)
def test_a_report_says_what_was_done(seen: Report, words: str) -> None:
    assert headline(seen) == words


def test_a_report_with_one_archive_calls_it_as_one_with_parts_does() -> None:
    for details, title, label in (
        ({"archive": "a.ndjson"}, "", "archive"),
        ({"archives": ["a.ndjson"]}, "", "archive"),
        ({"archives": ["a.ndjson", "b.ndjson"]}, "", "archives"),
    ):
        report = Report("UndoReport", "undo", "Q", details=details)
        ((head, ((name, _),)),) = detail_sections(report, utc=True)
        assert (head, name) == (title, label)


@pytest.mark.parametrize(("done", "not_reached"), [(0, 5), (3, 2)])
def test_json_and_people_get_the_same_number_of_messages_that_were_not_reached(
    done: int, not_reached: int
) -> None:
    stopped = report("purge", done, planned=5, failure=MQTriageError("no connection"))
    assert report_record(stopped)["counts"]["not_reached"] == not_reached
    assert headline(stopped).endswith(f", {not_reached} not reached")


def test_a_report_names_each_message_that_was_not_done_with_its_reason() -> None:
    text = samples.text(samples.requeued(), "plain")
    assert "  skipped 414d5120514d31202020202020202020a1b2c3d4e5f60702: gone" in text
    assert "  failed  414d5120514d31202020202020202020a1b2c3d4e5f60703: put to ORDERS.IN" in text
    assert "abababab" not in text


def test_a_depth_that_was_read_once_only_is_shown_with_a_dash() -> None:
    text = samples.text(report("purge", 1, before={"A": 4}), "plain")
    assert text.splitlines()[-1].split() == ["A", "4", "-"]


@pytest.mark.parametrize(
    ("act", "fields", "words"),
    [
        ("undo", {}, "resume: 3 messages back to A"),
        ("undo", {"target": "B"}, "resume: 3 messages back to B"),
        ("undo", {"taken_off": ("A", "B")}, "resume: remove 3 messages from A, B"),
        ("requeue", {"target": "B"}, "resume 3 messages from A to B"),
        ("load", {"target": "A"}, "resume 3 messages on A"),
        ("purge", {}, "resume 3 messages from A"),
    ],
)
def test_the_plan_of_a_resume_says_where_the_messages_go(
    act: str, fields: dict[str, Any], words: str
) -> None:
    plan = Plan("resume", "A", count=3, facts={"act": act}, **fields)
    assert plan_text(plan, Style("table")).splitlines()[0] == words


@pytest.mark.parametrize(
    ("option", "count", "target", "sentence"),
    [
        (
            "COD",
            3,
            None,
            "3 of 412 messages ask for COD: the get reports 'delivered' to their senders",
        ),
        (
            "MQRO_COD",
            1,
            "B",
            "1 of 412 messages asks for COD: the get reports 'delivered' to its sender",
        ),
        (
            "COA",
            2,
            "B",
            "2 of 412 messages ask for COA: the put reports 'arrived' to their senders",
        ),
        ("COA", 2, None, "2 of 412 messages ask for COA"),
        ("EXPIRATION", 2, "B", "2 of 412 messages ask for EXPIRATION: one is sent if the copy"),
        ("PAN", 2, "B", "2 of 412 messages ask for PAN"),
    ],
)
def test_a_plan_says_which_reports_it_causes(
    option: str, count: int, target: str | None, sentence: str
) -> None:
    plan = Plan("move", "A", target, count=412, reports={option: count, "NAN": 0})
    text = plan_text(plan, Style("table"))
    assert sentence in text and "NAN" not in text
    assert target or text.endswith(sentence)


def test_a_plan_tells_size_and_first_and_last_put_from_its_messages() -> None:
    record = plan_record(samples.plan())
    assert record["length_bytes"] == 5 * 1_583
    assert record["oldest_put_time"] == "2026-01-31T09:00:00.12Z"
    assert record["newest_put_time"] == "2026-01-31T09:04:00.12Z"
    assert [message["msg_id"][-2:] for message in record["messages"]] == [
        "00",
        "01",
        "02",
        "03",
        "04",
    ]


def test_a_plan_believes_its_facts_before_it_adds_up() -> None:
    facts = {"bytes": 99, "oldest": "2026-01-01T00:00:00Z"}
    plan = Plan("purge", "A", messages=[samples.planned_message(1)], count=1, facts=facts)
    text = plan_text(plan, Style("table"))
    assert "99 bytes" in text and "2026-01-01 00:00:00Z" in text and "1583" not in text


def test_a_plan_of_messages_without_put_times_shows_none() -> None:
    odd = [
        samples.planned_message(1, put_date=" " * 8, put_time=" " * 8),
        samples.planned_message(2, put_date="2026\u0661\u0661\u0661\u0661", put_time="10000000"),
    ]
    record = plan_record(Plan("purge", "A", messages=odd, count=2))
    assert record["oldest_put_time"] is record["newest_put_time"] is None
    assert json.loads("".join(pieces(record)))["messages"][0]["put_time"] is None


def test_an_empty_plan_says_that_there_is_nothing_to_take() -> None:
    assert plan_text(Plan("purge", "A"), Style("table")) == "purge: no message to purge from A"
    assert plan_text(Plan("set", "A"), Style("table")) == "set A: nothing to change"


def test_a_sweep_is_planned_without_a_count() -> None:
    plan = Plan("sweep", "A", count=9, notes=["cannot be undone, reports may be sent"])
    first, note = plan_text(plan, Style("table")).splitlines()
    assert first == "sweep A: make the queue manager discard expired messages"
    assert note.split(maxsplit=1) == ["note", "cannot be undone, reports may be sent"]


def test_a_plan_can_be_written_in_every_form_of_a_document() -> None:
    document = plan_document(samples.definition_plan(), Style("mqsc"))
    assert samples.text(document, "mqsc").startswith("ALTER QLOCAL('ORDERS.IN')")
    item = json.loads(samples.text(document, "json"))["item"]
    assert item["changes"][0] == {"attribute": "BOTHRESH", "from": 0, "to": 3}
    assert "BOTHRESH  0 -> 3" in samples.text(document, "plain")


def every_error() -> list[MQTriageError]:
    mqi_errors: list[MQTriageError] = [
        mqi_error(reason, "get A") for reason in (2085, 2035, 2059, 2033)
    ]
    plain = (errors.UsageError, errors.NotFound, errors.Refused, errors.StorageError, MQTriageError)
    return mqi_errors + [kind("what went wrong", hint="what to do") for kind in plain]


@pytest.mark.parametrize("error", every_error(), ids=lambda error: type(error).__name__)
def test_each_error_has_the_same_json_keys_and_one_line(error: MQTriageError) -> None:
    text = error_json(error, 1)
    assert "\n" not in text
    keys = "schema kind code mqcc mqrc object text hint exit op"
    assert list(json.loads(text)) == keys.split()


def test_the_codes_of_errors_are_reason_names_or_kinds() -> None:
    codes = [json.loads(error_json(error, 1))["code"] for error in every_error()]
    assert codes == [
        "MQRC_UNKNOWN_OBJECT_NAME",
        "MQRC_NOT_AUTHORIZED",
        "MQRC_Q_MGR_NOT_AVAILABLE",
        "MQRC_NO_MSG_AVAILABLE",
        "USAGE_ERROR",
        "NOT_FOUND",
        "REFUSED",
        "STORAGE_ERROR",
        "FAILED",
    ]


def test_an_error_cannot_send_escape_codes_of_its_own() -> None:
    error = MQTriageError("queue \x1b[2J", hint="a\nb")
    assert error_text(error) == "error: queue \\x1b[2J\nhint: a\\nb"
    assert error_text(error, colour=True).startswith("\x1b[1;31merror:\x1b[0m queue \\x1b")


def test_a_path_is_never_broken_and_other_text_is() -> None:
    path = "/var/mq/snapshots/definitions/qmgr=QM1"
    lines = pair_lines([("path", path), ("text", "one two three four")], width=20)
    assert lines == [f"path  {path}", "text  one two three", "      four"]


def test_labels_are_words_and_not_keys_that_read_oddly() -> None:
    labels = [data_pair(key, "x", utc=True)[0] for key in ("act", "made", "not_taken_back", "at")]
    assert labels == ["action", "planned by", "not undone", "at"]


def test_a_guard_that_the_journal_recalls_held_when_its_operation_ran() -> None:
    assert because_protected("QM1", "context prod") == "because context prod protects QM1"
    assert because_protected("QM1", "operation 01K") == (
        "because QM1 was protected when operation 01K ran"
    )


def test_a_digest_is_one_piece_and_can_be_copied_from_a_narrow_terminal() -> None:
    digest = "10bf4b65c53d2634deffb7e8b99b00e39dca647ff50af81fc4b6efc2ccd77fcb"
    assert pair_lines([("sha256", digest)], indent=2, width=40) == [f"  sha256  {digest}"]
    assert len(pair_lines([("body hex", digest + "00")], width=40)) > 1
