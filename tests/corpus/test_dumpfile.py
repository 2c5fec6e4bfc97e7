"""Output of amqsbcg that people published, against the bytes that were in it (INDEX.tsv)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.dumps.entry import Damaged, Entry, EntryOrDamage

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus")) / "messages"

pytestmark = pytest.mark.skipif(
    not _FOLDER.is_dir(), reason="no corpus of messages: set MQTRIAGE_CORPUS to its folder"
)

_WHOLE = (
    "08-kafka-connect-jms-rfh2",
    "10-yukun-dlq-put-inhibited",
    "11-yukun-mqstr-26",
    "12-yukun-hello",
)


def found_in(name: str) -> list[EntryOrDamage]:
    with (_FOLDER / f"{name}.txt").open("rb") as file:
        return list(dumpfile.read(file))


def bytes_of(name: str) -> bytes:
    return (_FOLDER / f"{name}.bin").read_bytes()


def test_every_dump_of_the_corpus_is_looked_at_here() -> None:
    dumps = {
        path.stem for path in _FOLDER.glob("*.txt") if b"MQGET of message" in path.read_bytes()
    }
    assert dumps == {
        *_WHOLE,
        "09-icbc-dlq-trigger",
        "13-yukun-two-messages-cut",
        "15-cp4i-two-messages-elided",
        "16-maillist-2003-dlh-redacted",
    }


@pytest.mark.parametrize("name", _WHOLE)
def test_a_whole_dump_reads_to_the_bytes_that_were_in_the_message(name: str) -> None:
    (entry,) = found_in(name)
    assert isinstance(entry, Entry)
    assert entry.body == bytes_of(name)


@pytest.mark.parametrize("name", _WHOLE)
@pytest.mark.parametrize("text", [False, True], ids=["hex", "text"])
def test_what_is_read_from_amqsbcg_round_trips_as_a_dump_file(name: str, text: bool) -> None:
    (entry,) = found_in(name)
    assert isinstance(entry, Entry)
    lines = dumpfile.header("", "QM1", "Q") + dumpfile.entry(1, entry.md, entry.body, text=text)
    (again,) = dumpfile.read(lines.encode().splitlines(keepends=True))
    assert isinstance(again, Entry)
    assert (again.md, again.body) == (entry.md, entry.body)


def test_the_descriptor_is_read_with_all_its_fields() -> None:
    (entry,) = found_in("08-kafka-connect-jms-rfh2")
    assert isinstance(entry, Entry)
    md = entry.md
    assert (md.version, md.encoding, md.ccsid, md.format) == (2, 273, 1208, "MQHRF2")
    assert (md.priority, md.persistence, md.expiry_tenths) == (4, 1, -1)
    assert md.msg_id == bytes.fromhex("414D5120514D312020202020202020203F8EA85D1EA66A20")
    assert (md.reply_to_q, md.reply_to_q_mgr, md.user_identifier) == ("", "QM1", "app")
    assert (md.put_appl_type, md.put_appl_name) == (28, "cli.ConnectDistributed")
    assert (md.put_date, md.put_time) == ("20191017", "16024736")
    (unix,) = found_in("11-yukun-mqstr-26")
    assert isinstance(unix, Entry)
    assert unix.md.accounting_token == b"\x03496" + bytes(27) + b"\x06"


def test_of_a_dump_that_was_cut_the_first_message_is_kept_and_the_second_incomplete() -> None:
    first, second = found_in("13-yukun-two-messages-cut")
    assert isinstance(first, Entry)
    assert first.body == bytes_of("13-yukun-two-messages-cut")
    assert isinstance(second, Damaged)
    assert second.text == "message 2 is incomplete: its data is missing"
    assert second.line == 33


def test_data_that_stops_before_its_length_is_incomplete_and_told_as_far_as_it_goes() -> None:
    (message,) = found_in("09-icbc-dlq-trigger")
    assert isinstance(message, Damaged)
    assert message.text == "message 1 is incomplete: 384 of 856 bytes"
    assert message.body == bytes_of("09-icbc-dlq-trigger")


def test_a_descriptor_that_an_author_shortened_is_not_filled_up_with_guesses() -> None:
    first, second = found_in("15-cp4i-two-messages-elided")
    assert isinstance(first, Damaged)
    assert isinstance(second, Damaged)
    assert "the descriptor lacks backout_count" in first.text
    assert (first.body, second.body) == (
        bytes_of("15-cp4i-two-messages-elided"),
        b"Test message 2",
    )


def test_bytes_that_were_made_unreadable_are_not_made_up() -> None:
    (message,) = found_in("16-maillist-2003-dlh-redacted")
    assert isinstance(message, Damaged)
    assert message.text == "message 1: the row at offset 00000030 is not hexadecimal"
