"""`expiry reports` and `expiry revive`: messages that no get returns any more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.headers import rfh2, xqh
from tests.acceptance.messages.estate import Estate, hex_of

FULL = cmqc.MQRO_EXPIRATION_WITH_FULL_DATA
DATA = cmqc.MQRO_EXPIRATION_WITH_DATA
ASKING = {"expiry_tenths": 300, "reply_to_q": "OUT"}


def expire(estate: Estate) -> None:
    """Let every lifetime end, and the queue manager notice."""
    estate.advance(60)
    estate.run("msg", "count", "IN")


def with_dead_letter_queue(estate: Estate) -> None:
    estate.queue("DLQ")
    estate.alter("QM1", DEADQ="DLQ")


each_report = pytest.mark.parametrize(
    ("report", "data"),
    [
        pytest.param(cmqc.MQRO_EXPIRATION, "none", id="none"),
        pytest.param(DATA, "100 bytes", id="first-100"),
        pytest.param(FULL, "full", id="full"),
    ],
)


@each_report
def test_reports_tell_whose_they_are_and_how_much_data_they_carry(
    estate: Estate, report: int, data: str
) -> None:
    (ident,) = estate.put("IN", b"x" * 300, report=report, **ASKING)
    estate.put("OUT", b"no report")
    expire(estate)
    for queue in ((), ("OUT",)):
        (item,) = estate.run("expiry", "reports", *queue, "-o", "json").json["items"]
        assert (item["original_msg_id"], item["data"]) == (hex_of(ident), data)
        assert (item["queue"], item["feedback_name"]) == ("OUT", "MQFB_EXPIRATION")


@each_report
def test_the_dead_letter_header_of_a_report_is_not_its_data(
    estate: Estate, report: int, data: str
) -> None:
    with_dead_letter_queue(estate)
    estate.put("IN", b"x" * 300, report=report, expiry_tenths=300, reply_to_q="NO.SUCH")
    expire(estate)
    (item,) = estate.run("expiry", "reports", "DLQ", "-o", "json").json["items"]
    assert (item["data"], item["format"]) == (data, "MQDEAD")


def test_the_transmission_header_of_a_report_is_not_its_data(estate: Estate) -> None:
    about: dict[str, Any] = {"msg_type": cmqc.MQMT_REPORT, "feedback": cmqc.MQFB_EXPIRATION}
    inner = MQMD(version=1, format="MQSTR", ccsid=1208, correl_id=b"AMQ QM2".ljust(24), **about)
    header = xqh.encode(xqh.XQH("REPLY", "QM2", inner))
    estate.put("OUT", header, header + b"a whole message", format="MQXMIT", **about)
    items = estate.run("expiry", "reports", "OUT", "-o", "json").json["items"]
    assert [item["data"] for item in items] == ["none", "full"]
    assert [item["original_msg_id"] for item in items] == [hex_of(inner.correl_id)] * 2
    assert estate.run("expiry", "revive", "OUT", "--to", "IN", "--yes").code == 0
    (message,) = estate.messages("IN")
    assert (message.body, message.md.format) == (b"a whole message", "MQSTR")
    assert message.md.msg_id == inner.correl_id


def test_the_first_100_bytes_come_after_the_headers(estate: Estate) -> None:
    header = rfh2.encode(rfh2.RFH2(format="MQSTR"))
    estate.put("IN", header + b"x" * 300, format="MQHRF2", report=DATA, **ASKING)
    estate.put("IN", header + b"y" * 300, format="MQHRF2", report=DATA, **ASKING)
    argv = ("expiry", "purge", "IN", "--limit", "1", "--expires-within", "1h", "--yes")
    assert estate.run(*argv).code == 0
    expire(estate)
    assert estate.bodies("OUT") == [header + b"x" * 100, header + b"y" * 100]
    items = estate.run("expiry", "reports", "OUT", "-o", "json").json["items"]
    assert [item["data"] for item in items] == ["100 bytes"] * 2


def test_a_limit_counts_reports_not_the_other_messages(estate: Estate) -> None:
    estate.put("OUT", b"no report", b"nor this")
    estate.put("IN", b"1", b"2", b"3", report=FULL, **ASKING)
    expire(estate)
    for queue in ((), ("OUT",)):
        argv = ("expiry", "reports", *queue, "-o", "json")
        every = [item["msg_id"] for item in estate.run(*argv).json["items"]]
        items = estate.run(*argv, "--skip", "1", "--limit", "1").json["items"]
        assert [item["msg_id"] for item in items] == every[1:2]


@pytest.mark.seed("CARD-25")
def test_revive_makes_the_message_again_from_its_report(estate: Estate) -> None:
    body = '{"ä": 1}'.encode("cp500")
    (ident,) = estate.put(
        "IN", body, report=FULL, ccsid=500, priority=7, user_identifier="app", **ASKING
    )
    expire(estate)
    assert estate.messages("IN") == []
    argv = ("expiry", "revive", "OUT", "--to", "IN", "--expiry", "1h")
    assert estate.run(*argv).code == 8
    assert estate.run(*argv, "--dry-run").code == 0
    ran = estate.run(*argv, "--yes")
    assert ran.code == 0
    (message,) = estate.messages("IN")
    md = message.md
    assert (message.body, md.msg_id, md.format, md.ccsid) == (body, ident, "MQSTR", 500)
    assert (md.priority, md.persistence, md.msg_type, md.feedback) == (7, 1, 8, 0)
    assert 35_000 < md.expiry_tenths <= 36_000
    assert (md.report, md.reply_to_q) == (0, "")
    assert estate.messages("OUT") == []


@pytest.mark.seed("CARD-25")
def test_a_correl_id_that_was_passed_on_is_the_originals(estate: Estate) -> None:
    correl_id = b"order 4711".ljust(24, b"\0")
    estate.put("IN", b"1", report=FULL | cmqc.MQRO_PASS_CORREL_ID, correl_id=correl_id, **ASKING)
    expire(estate)
    ran = estate.run("expiry", "revive", "OUT", "--to", "IN", "--yes")
    assert ran.code == 0
    (message,) = estate.messages("IN")
    assert (message.body, message.md.correl_id) == (b"1", correl_id)
    assert any(message.md.msg_id)
    assert "CorrelId of the original" in ran.err


def test_revive_takes_the_dead_letter_header_off_a_report(estate: Estate) -> None:
    with_dead_letter_queue(estate)
    asking = {"expiry_tenths": 300, "reply_to_q": "NO.SUCH"}
    body = "ä = 1".encode("cp500")
    (ident,) = estate.put("IN", body, report=FULL, ccsid=500, **asking)
    estate.put("IN", b"not told", report=cmqc.MQRO_EXPIRATION, **asking)
    expire(estate)
    ran = estate.run("expiry", "revive", "DLQ", "--to", "IN", "--yes")
    assert ran.code == 0
    (message,) = estate.messages("IN")
    md = message.md
    assert (message.body, md.msg_id, md.format, md.ccsid) == (body, ident, "MQSTR", 500)
    assert "1 without the MQDLH or MQXQH that was in front of its report" in ran.err
    assert "1 skipped: a report without the full data" in ran.err
    assert len(estate.messages("DLQ")) == 1


def test_reports_without_the_data_and_other_messages_stay(estate: Estate) -> None:
    estate.put("IN", b"1" * 500, report=DATA, **ASKING)
    estate.put("OUT", b"a reply")
    expire(estate)
    ran = estate.run("expiry", "revive", "OUT", "--to", "IN", "--yes")
    assert ran.code == 0
    assert "nothing to do" in ran.err
    assert "1 skipped: a report without the full data" in ran.err
    assert "1 skipped: no expiration report" in ran.err
    assert len(estate.messages("OUT")) == 2


def test_a_selection_and_a_limit_choose_among_the_reports(estate: Estate) -> None:
    estate.put("OUT", b"a reply")
    estate.put("IN", b"1", b"2", b"3", report=FULL, **ASKING)
    expire(estate)
    argv = ("expiry", "revive", "OUT", "--to", "IN", "--yes")
    assert estate.run(*argv, "--body-contains", "2").code == 0
    assert estate.bodies("IN") == [b"2"]
    assert estate.run(*argv, "--limit", "1").code == 0
    assert estate.bodies("IN") == [b"2", b"1"]


def test_the_report_is_in_the_archive_of_the_revival(estate: Estate) -> None:
    estate.put("IN", b"1", report=FULL, **ASKING)
    expire(estate)
    (report,) = estate.messages("OUT")
    assert estate.run("expiry", "revive", "OUT", "--to", "IN", "--yes").code == 0
    ((_, line, _),) = estate.archives()
    assert line["msg_id"] == hex_of(report.md.msg_id)


def archived(estate: Estate, tmp_path: Path, **fields: Any) -> str:
    estate.put("IN", b"1", b"2", **{"expiry_tenths": 300, **fields})
    estate.put("IN", b"for ever")
    out = str(tmp_path / "kept.ndjson.gz")
    assert estate.run("msg", "archive", "IN", "--out", out).code == 0
    return out


def test_revive_from_an_archive_takes_what_has_expired_and_nothing_else(
    estate: Estate, tmp_path: Path
) -> None:
    out = archived(estate, tmp_path)
    argv = ("expiry", "revive", "--from", out, "--to", "OUT", "--yes")
    assert "nothing to do" in estate.run(*argv).err  # they still live
    estate.advance(60)
    assert estate.run(*argv, "--expiry", "2h").code == 0
    messages = estate.messages("OUT")
    assert [message.body for message in messages] == [b"1", b"2"]
    assert all(71_000 < message.md.expiry_tenths <= 72_000 for message in messages)
    assert "nothing to do" in estate.run(*argv).err  # and not twice


def test_what_a_report_has_brought_back_is_not_brought_back_by_the_archive(
    estate: Estate, tmp_path: Path
) -> None:
    out = archived(estate, tmp_path, report=FULL, reply_to_q="OUT")
    expire(estate)
    assert estate.run("expiry", "revive", "OUT", "--to", "IN", "--limit", "1", "--yes").code == 0
    assert estate.run("expiry", "revive", "--from", out, "--to", "IN", "--yes").code == 0
    assert sorted(estate.bodies("IN")) == [b"1", b"2", b"for ever"]


def test_revive_from_a_snapshot_with_message_data(estate: Estate) -> None:
    estate.put("IN", b"1", expiry_tenths=300)
    estate.put("IN", b"2", expiry_tenths=30_000)
    estate.put("IN", b"for ever")
    assert estate.run("snapshot", "take", "IN", "--body", "full", "--format", "ndjson").code == 0
    argv = ("expiry", "revive", "--from", "snapshot:latest", "--to", "OUT", "--yes")
    assert "nothing to do" in estate.run(*argv).err
    estate.advance(60)
    assert estate.run(*argv, "--expiry", "1h").code == 0
    (message,) = estate.messages("OUT")
    assert message.body == b"1"
    assert 35_000 < message.md.expiry_tenths <= 36_000
    assert "nothing to do" in estate.run(*argv).err


def test_a_snapshot_without_message_data_gives_nothing_back(estate: Estate) -> None:
    estate.put("IN", b"1", expiry_tenths=300)
    estate.run("snapshot", "take", "IN", "--format", "ndjson")
    estate.advance(60)
    ran = estate.run("expiry", "revive", "--from", "snapshot:latest", "--to", "OUT", "--yes")
    assert ran.code == 8
    assert "no message data" in ran.err


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param((), id="nothing"),
        pytest.param(("OUT", "--from", "x"), id="both"),
        pytest.param(("OUT", "--expiry", "keep"), id="no-lifetime-left"),
        pytest.param(("OUT", "--expiry", "soon"), id="no-duration"),
    ],
)
def test_wrong_usage_is_exit_2(estate: Estate, argv: tuple[str, ...]) -> None:
    assert estate.run("expiry", "revive", "--to", "IN", *argv).code == 2


@pytest.mark.parametrize(("passes", "words"), [(False, "becomes zeros"), (True, "passed on")])
def test_revive_says_which_id_the_report_has_not(estate: Estate, passes: bool, words: str) -> None:
    report = FULL | (cmqc.MQRO_PASS_CORREL_ID if passes else 0)
    estate.put("IN", b"x", report=report, correl_id=b"c" * 24, **ASKING)
    expire(estate)
    planned = estate.run("expiry", "revive", "OUT", "--to", "IN", "--dry-run")
    assert words in planned.out + planned.err
    assert estate.run("expiry", "revive", "OUT", "--to", "IN", "--yes").code == 0
    (message,) = estate.messages("IN")
    assert message.md.correl_id == (b"c" * 24 if passes else bytes(24))


def test_a_load_to_a_transmission_queue_says_that_a_channel_wants_a_header(estate: Estate) -> None:
    estate.queue("XQ", USAGE="XMITQ")
    estate.put("IN", b"1")
    estate.run("msg", "archive", "IN")
    (path,) = (estate.folder / "archive").glob("*.ndjson")
    ran = estate.run("msg", "load", str(path), "--to", "XQ", "--allow-duplicates", "--dry-run")
    assert ran.code == 0
    assert "XQ is a transmission queue, and 1 message without MQXQH" in ran.out + ran.err
    other = estate.run("msg", "load", str(path), "--to", "OUT", "--dry-run")
    assert "MQXQH" not in other.out + other.err
