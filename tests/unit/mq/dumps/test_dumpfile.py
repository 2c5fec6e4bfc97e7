"""Dump files of dmpmqmsg and amqsbcg; formats from IBM's documentation and the source of qload."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.dumps.entry import Damaged, Entry, EntryOrDamage
from tests.support.timing import shortest_s

HEADER = dumpfile.header("Mon Jan  5 10:20:30 2026", "QM1", "ORDERS.IN")

LONGS = st.integers(-(2**31), 2**31 - 1)
IDS = st.binary(min_size=24, max_size=24)


def characters(length: int) -> st.SearchStrategy[str]:
    """What a descriptor can hold: no padding, no line end (`with_line_ends`)."""
    letters = st.characters(max_codepoint=0xFF, exclude_characters="\r\n")
    return st.text(letters, max_size=length // 2).map(lambda text: text.rstrip(" \0"))


DESCRIPTORS = st.builds(
    MQMD,
    **dict.fromkeys(
        (
            "report", "msg_type", "expiry_tenths", "feedback", "encoding", "ccsid", "priority",
            "persistence", "backout_count", "put_appl_type", "msg_seq_number", "offset",
            "msg_flags", "original_length",
        ),
        LONGS,
    ),
    **dict.fromkeys(("msg_id", "correl_id", "group_id"), IDS),
    accounting_token=st.binary(min_size=32, max_size=32),
    format=characters(8),
    reply_to_q=characters(48),
    reply_to_q_mgr=characters(48),
    user_identifier=characters(12),
    appl_identity_data=characters(32),
    put_appl_name=characters(28),
    put_date=st.text("0123456789 ", max_size=8),
    put_time=st.text("0123456789 ", max_size=8),
    appl_origin_data=characters(4),
    version=st.just(2),
)  # fmt: skip


def read(text: str | bytes) -> list[EntryOrDamage]:
    data = text.encode() if isinstance(text, str) else text
    return list(dumpfile.read(data.splitlines(keepends=True)))


def bodies(text: str | bytes) -> list[bytes]:
    entries = read(text)
    assert all(isinstance(entry, Entry) for entry in entries), entries
    return [entry.body for entry in entries]


def damage(text: str | bytes) -> Damaged:
    (damaged,) = read(text)
    assert isinstance(damaged, Damaged)
    return damaged


@given(md=DESCRIPTORS, body=st.binary(max_size=200), text=st.booleans())
def test_what_is_written_reads_back_exactly(md: MQMD, body: bytes, text: bool) -> None:
    written = (HEADER + dumpfile.entry(1, md, body, text=text)).encode()
    (entry,) = dumpfile.read(written.split(b"\n"))
    assert isinstance(entry, Entry), entry
    assert (entry.md, entry.body) == (md, body)


@given(data=st.binary(max_size=300), head=st.sampled_from([b"", HEADER.encode(), b"AMQSBCG0\n"]))
def test_no_bytes_at_all_make_the_reader_raise(data: bytes, head: bytes) -> None:
    for item in dumpfile.read((head + data).split(b"\n")):
        assert item.line >= 1


@pytest.mark.parametrize("code", ["GRP", "MSQ", "OFF", "MSF", "ORL"])
def test_a_field_of_version_2_is_written_only_for_that_version_and_read_as_that(code: str) -> None:
    first, second = (MQMD(version=version, group_id=b"G" * 24) for version in (1, 2))
    assert f"\nA {code} " not in dumpfile.entry(1, first, b"")
    (line,) = (
        line for line in dumpfile.entry(1, second, b"").splitlines() if line[:5] == f"A {code}"
    )
    (item,) = dumpfile.read([HEADER.encode(), line.encode() + b"\n", b"X 00\n"])
    assert isinstance(item, Entry)
    assert item.md.version == 2


@pytest.mark.slow
def test_ten_thousand_messages_in_one_file_read_back_exactly() -> None:
    chance = random.Random(5)
    messages = []
    for number in range(10_000):
        printable = bytes(chance.choices(b'abc "~\n\0', k=chance.randrange(120)))
        body = printable if number % 2 else chance.randbytes(chance.randrange(120))
        md = MQMD(
            version=1 + number % 2,
            expiry_tenths=chance.randrange(-1, 2**31),
            priority=chance.randrange(10),
            msg_id=chance.randbytes(24),
            correl_id=chance.randbytes(24),
            user_identifier=f"user{number}",
            put_date="20260105",
            put_time=f"{chance.randrange(10**8):08d}",
        )
        messages.append((md, body))

    lines = [HEADER.encode()]
    for index, (md, body) in enumerate(messages, 1):
        text = dumpfile.entry(index, md, body, text=index % 3 == 0)
        lines += text.encode().splitlines(keepends=True)
    read_back = [
        (entry.md, entry.body) for entry in dumpfile.read(lines) if isinstance(entry, Entry)
    ]
    assert read_back == messages


def test_ibms_own_form_is_read() -> None:
    """Composed after the format table: no version 2 fields, padded names, an ASCII column."""
    text = (
        "* DMPMQMSG Version:9.3.0.0 Created:Mon Jan  5 10:20:30 2026\n* Qmgr  = LAB1\n\n"
        "* Index 1\nA MST 8\nA EXP -1\nA CCS 1208\nA FMT MQSTR   \n"
        "A MSI 414D51204C414231202020202020202001020304A0B0C0D0\nA BOC 3\nA RTQ\n"
        "A RTM LAB1                                            \nA PTD 20260105\n"
        'A AID clerk 7\nS "order 17 says ~"hold~" and a tilde ~~"\n* a remark\nX 0A00FF  ...\n'
        "\n* Index 2\nN\nT first line\nT second line\n"
    )
    first, second = read(text)
    assert isinstance(first, Entry)
    assert isinstance(second, Entry)
    assert first.body == b'order 17 says "hold" and a tilde ~\n\x00\xff'
    assert first.md == MQMD(
        version=1,
        ccsid=1208,
        format="MQSTR",
        msg_id=bytes.fromhex("414D51204C414231202020202020202001020304A0B0C0D0"),
        backout_count=3,
        reply_to_q_mgr="LAB1",
        put_date="20260105",
        appl_identity_data="clerk 7",
    )
    assert first.md.encoding == MQMD().encoding
    assert (second.md, second.body) == (MQMD(version=1), b"first line\nsecond line\n")
    assert (first.line, second.line) == (5, 20)


def test_text_lines_end_with_a_newline_whatever_was_in_the_message() -> None:
    """T is not byte-exact; the bytes without the last newline can only be written with X or S."""
    assert bodies("* QLOAD\nN\nT hello") == [b"hello\n"]


def test_an_empty_message_has_a_bare_x_line() -> None:
    assert "X \n" in dumpfile.entry(1, MQMD(), b"")
    assert bodies("* QLOAD\nN\nX \n") == [b""]
    assert bodies("* QLOAD\nN\nX\n") == [b""]  # where a program has taken blanks off
    assert bodies("* QLOAD\n* Length 0\nA PRI 3\n") == [b""]


def test_text_lines_hold_at_most_48_characters() -> None:
    for body in (b"x" * 500, b'~"' * 250):
        lines = dumpfile.entry(1, MQMD(), body, text=True).splitlines()
        inner = [line[3:-1] for line in lines if line.startswith("S ")]
        assert max(map(len, inner)) == 48
        assert bodies(HEADER + "\n".join(lines)) == [body]


def test_line_ends_of_windows_do_not_get_into_a_message() -> None:
    assert bodies('* QLOAD\r\nN\r\nS "a"\r\nX 62\r\n') == [b"ab"]


def test_a_field_with_a_line_end_is_named_and_written_with_a_blank() -> None:
    md = MQMD(put_appl_name="a\nb", user_identifier="x")
    assert dumpfile.with_line_ends(md) == ("put_appl_name",)
    assert "A PAN a b\n" in dumpfile.entry(1, md, b"")


@pytest.mark.parametrize(
    ("lines", "line", "text"),
    [
        pytest.param("N\nX 0A0", 3, "odd number of digits", id="half-a-byte"),
        pytest.param("N\nX no", 3, "not hexadecimal", id="no-hex"),
        pytest.param('N\nS "cut', 3, 'no " at the end', id="text-cut"),
        pytest.param('N\nS "a~b"', 3, "are written", id="tilde-alone"),
        pytest.param("N\n", 2, "no data line", id="no-data"),
        pytest.param("A PRI x\nX 00", 2, "PRI: 'x' is not a number", id="no-number"),
        pytest.param("A PRI 2147483648\nX 00", 2, "32 bits", id="too-large"),
        pytest.param("A FMT MQSTRINGS\nX 00", 2, "9 characters", id="name-too-long"),
        pytest.param("A MSI 4\nX 00", 2, "hexadecimal", id="id-cut"),
        pytest.param("A MSI 4142\nX 00", 2, "MSI: 2 bytes, the field has 24", id="id-too-short"),
        pytest.param("A ACC 4142\nX 00", 2, "ACC: 2 bytes", id="token-too-short"),
        pytest.param(f"A MSI {'00' * 25}\nX 00", 2, "25 bytes", id="id-too-long"),
        pytest.param("A QQQ 1\nX 00", 2, "no attribute", id="unknown-key"),
        pytest.param("A VER 3\nX 00", 2, "version 1 or 2", id="unknown-version"),
        pytest.param("N\nX 00\nhello", 4, "begins with 'hello'", id="strange-line"),
        pytest.param("* Length 2\nN\nX 00", 3, "1 bytes of message data", id="cut-between-lines"),
    ],
)
def test_a_damaged_message_is_told_with_its_line(lines: str, line: int, text: str) -> None:
    damaged = damage(f"* QLOAD\n{lines}\n")
    assert damaged.line == line
    assert text in damaged.text


@pytest.mark.parametrize("data", ["X 00", "X 000000", 'S "edited"', "X "])
def test_edited_data_of_a_closed_message_is_read_and_its_noted_length_kept(data: str) -> None:
    """An empty line ends it, so it was not cut."""
    edited, last = read(f"* QLOAD\n* Length 2\nN\n{data}\n\n* Length 1\nN\nX 00\n")
    assert isinstance(edited, Entry)
    assert isinstance(last, Entry)
    assert (edited.noted_bytes, last.noted_bytes) == (2, None)


@pytest.mark.parametrize(
    "rest",
    ["* Index 2\n* Length 1\nN\nX 00\n\n", "* QLOAD\n\n* Length 1\nN\nX 00\n\n", "", "\nX 0\n\n"],
    ids=["next-message", "next-file", "end", "half-a-byte"],
)
def test_a_message_without_its_empty_line_was_cut_if_its_length_does_not_match(rest: str) -> None:
    first, *_ = read(f"* QLOAD\n* Length 2\nN\nX 00\n{rest}")
    assert isinstance(first, Damaged)


def test_reading_goes_on_after_a_damaged_message() -> None:
    first, second = read("* QLOAD\nN\nX 0\nN\nX 01\n")
    assert isinstance(first, Damaged)
    assert isinstance(second, Entry)


def test_a_file_of_something_else_is_said_to_be_none() -> None:
    assert "not a dump of messages" in damage("hello\nworld\n").text
    assert "not a dump of messages" in damage("").text


def test_the_bytes_of_a_text_line_are_kept_whatever_code_page_they_are_in() -> None:
    assert bodies(b'* QLOAD\nN\nS "\xe9"\n') == [b"\xe9"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"a" * 1_000_000, id="one-word"),
        pytest.param(b"Format : " + b"' " * 500_000, id="quotes"),
        pytest.param(b"a " * 500_000, id="words"),
        pytest.param(b" " * 1_000_000 + b"x", id="blanks"),
        pytest.param(b"00000000:" + b" 41" * 300_000, id="row"),
    ],
)
@pytest.mark.parametrize("head", [b"MQGET of message number 1\n", b"* QLOAD\nS ", b""])
def test_a_very_long_line_takes_no_more_than_its_length(line: bytes, head: bytes) -> None:
    """Quadratic searching would take minutes here."""
    lines = (head + line).split(b"\n")
    assert list(dumpfile.read(lines))
    assert shortest_s(lambda: list(dumpfile.read(lines)), 5) < 5
