"""Ids in every form that is read, and in every form that is not."""

from __future__ import annotations

import pytest

from mqtriage.model.ids import IdMatch, format_id, parse_id, printable_part
from mqtriage.mq.errors import UsageError

QM1 = bytes.fromhex("414D5120514D31202020202020202020A1B2C3D4E5F60708")


@pytest.mark.parametrize(
    ("text", "value", "given"),
    [
        pytest.param(QM1.hex(), QM1, 24, id="48-hex-digits"),
        pytest.param("ID:" + QM1.hex(), QM1, 24, id="jms-form"),
        pytest.param("ID:41", b"A".ljust(24, b"\0"), 1, id="short-hex-is-padded"),
        pytest.param("id:4a4B", b"JK".ljust(24, b"\0"), 2, id="case-does-not-matter"),
        pytest.param("text:ORDER-1", b"ORDER-1".ljust(24, b"\0"), 7, id="text"),
        pytest.param("text:é", b"\xc3\xa9".ljust(24, b"\0"), 2, id="text-is-utf-8"),
        pytest.param("text:a:b", b"a:b".ljust(24, b"\0"), 3, id="text-may-hold-a-colon"),
        pytest.param("text@1047:AB[", b"\xc1\xc2\xad".ljust(24, b"\0"), 3, id="code-page-1047"),
        pytest.param("text@37:AB[", b"\xc1\xc2\xba".ljust(24, b"\0"), 3, id="code-page-37"),
        pytest.param("b64:QUJD", b"ABC".ljust(24, b"\0"), 3, id="base64"),
        pytest.param("b64:QQ==", b"A".ljust(24, b"\0"), 1, id="base64-with-padding"),
    ],
)
def test_an_id_is_read_in_each_documented_form(text: str, value: bytes, given: int) -> None:
    ident = parse_id(text, for_write=True)
    assert ident._replace(with_blanks=None) == IdMatch(value, False, given)


@pytest.mark.parametrize(
    ("text", "with_blanks"),
    [("text:PY-1", b"PY-1".ljust(24)), ("text@1047:A", b"\xc1".ljust(24, b"\x40")),
     ("text:" + "x" * 24, None), ("text:PY-1*", None), ("ID:50", None), ("b64:QUJD", None)],
)  # fmt: skip
def test_text_that_is_padded_with_blanks_is_the_same_id(
    text: str, with_blanks: bytes | None
) -> None:
    ident = parse_id(text, for_write=True)
    assert ident.with_blanks == with_blanks
    assert with_blanks is None or ident.matches(with_blanks)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "found nothing", id="empty"),
        pytest.param("41" * 23 + "4", "two are needed", id="47-digits"),
        pytest.param("414", "found 3 characters", id="three-digits"),
        pytest.param("...414G", "'G' is not a hex digit", id="tail-that-is-not-hex"),
        pytest.param("…", "no hex digits", id="ellipsis-alone"),
        pytest.param("…41*", "'*' is not a hex digit", id="neither-the-end-nor-the-start"),
        pytest.param("X'", "expected exactly 48 hex digits", id="open-quote"),
        pytest.param("41" * 25, "found 50 characters", id="50-digits"),
        pytest.param("ORDER-1", "exactly 48 hex digits", id="bare-text"),
        pytest.param("g" * 48, "exactly 48 hex digits", id="48-of-not-hex"),
        pytest.param("٤" * 48, "exactly 48 hex digits", id="digits-of-another-script"),
        pytest.param("ID:", "no hex digits", id="nothing-after-ID"),
        pytest.param("ID:414", "two are needed", id="odd-digits"),
        pytest.param("ID:" + "41" * 25, "at most 48", id="too-long-hex"),
        pytest.param("ID:4G", "'G' is not a hex digit", id="not-hex"),
        pytest.param("ID:41 42", "' ' is not a hex digit", id="blank-inside"),
        pytest.param("text:", "no bytes", id="empty-text"),
        pytest.param("text:" + "x" * 25, "25 bytes", id="long-text"),
        pytest.param("text:" + "é" * 13, "26 bytes", id="long-in-bytes-not-characters"),
        pytest.param("text@99999:A", "code page 99999 is not known", id="unknown-code-page"),
        pytest.param("text@1047:Ж", "does not exist in code page 1047", id="not-in-the-page"),
        pytest.param("text:\udcff", "does not exist in UTF-8", id="undecodable-argument"),
        pytest.param("b64:", "not base64", id="empty-base64"),
        pytest.param("b64:QUJ", "not base64", id="base64-cut-short"),
        pytest.param("b64:Q=JD", "not base64", id="padding-inside"),
        pytest.param("b64:QR==X", "not base64", id="base64-with-more-behind"),
        pytest.param("b64:" + "QUJD" * 9, "27 bytes", id="base64-too-long"),
        pytest.param("*", "no hex digits", id="prefix-of-nothing"),
        pytest.param("414*", "two are needed", id="prefix-of-half-a-byte"),
        pytest.param("b64:QUJD*", "base64 cannot be a prefix", id="base64-prefix"),
        pytest.param("0x41", "exactly 48 hex digits", id="two-digits"),
    ],
)
def test_a_wrong_id_is_one_usage_error_that_offers_the_forms(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_id(text, for_write=False, what="--correlid")
    assert why in caught.value.text
    assert caught.value.text.startswith("--correlid ")
    assert "\n" not in caught.value.text
    assert caught.value.hint is not None and "text@CCSID:ABC" in caught.value.hint


@pytest.mark.parametrize("text", ["0" * 48, "ID:00", "b64:AAAA"])
def test_an_all_zero_id_is_refused_where_the_verb_writes(text: str) -> None:
    with pytest.raises(UsageError, match="any message"):
        parse_id(text, for_write=True)
    assert parse_id(text, for_write=False).value == bytes(24)


@pytest.mark.parametrize(
    "text", ["414D5120*", "ID:414D5120*", "text:AMQ *", "0x414D5120*", "X'414d5120*'"]
)
def test_an_asterisk_stands_for_the_rest_of_an_id(text: str) -> None:
    match = parse_id(text, for_write=True)
    assert (match.value, match.is_prefix) == (b"AMQ ", True)
    assert match.matches(QM1) and not match.matches(bytes(24))


@pytest.mark.parametrize(
    "text",
    ["E5F60708", "…E5F60708", "..e5f60708", "...E5F60708", "0xE5F60708", "*E5F60708",
     "ID:*E5F60708", "ID:…E5F60708", "id:..E5F60708"],
)  # fmt: skip
def test_fewer_digits_are_the_end_of_an_id_as_tables_show_it(text: str) -> None:
    match = parse_id(text, for_write=True)
    assert match == IdMatch(b"\xe5\xf6\x07\x08", False, 4, is_tail=True)
    assert match.matches(QM1) and not match.matches(bytes(24))
    assert match.describe("message id") == "message id ends with E5F60708 (4 bytes)"


@pytest.mark.parametrize("text", ["F60708", "414D51*", "…F60708", "*F60708", "ID:*F60708"])
def test_less_than_a_table_shows_is_refused_where_the_verb_writes(text: str) -> None:
    assert parse_id(text, for_write=False).given_bytes == 3
    with pytest.raises(UsageError, match="at least 4 bytes"):
        parse_id(text, for_write=True)


@pytest.mark.parametrize("text", ["0x" + QM1.hex(), "0X" + QM1.hex(), f"X'{QM1.hex()}'"])
def test_hex_marks_of_other_tools_are_read(text: str) -> None:
    assert parse_id(text, for_write=True) == IdMatch(QM1, False, 24)


@pytest.mark.parametrize("text", ["41*", "F60708", "…F60708"])
def test_a_part_is_refused_where_one_id_is_written(text: str) -> None:
    with pytest.raises(UsageError, match="the whole id is needed here"):
        parse_id(text, for_write=False, parts_allowed=False)


def test_the_sentence_for_stderr_says_which_24_bytes_are_used() -> None:
    whole = parse_id(QM1.hex(), for_write=False).describe("correlation id")
    assert whole == f"correlation id: {QM1.hex().upper()} (24 bytes)"
    padded = parse_id("text:A", for_write=False).describe("message id")
    assert padded == f"message id: 41{'00' * 23} (1 byte given, padded with NUL or blanks to 24)"
    prefix = parse_id("414D*", for_write=False).describe("group id")
    assert prefix == "group id begins with 414D (2 bytes)"


def test_an_id_is_printed_as_48_upper_case_digits() -> None:
    assert format_id(QM1) == "414D5120514D31202020202020202020A1B2C3D4E5F60708"


@pytest.mark.parametrize(
    ("ident", "text"),
    [
        pytest.param(b"ORDER-1".ljust(24, b"\0"), "ORDER-1", id="text-without-padding"),
        pytest.param(QM1, "AMQ QM1         ........", id="made-by-a-queue-manager"),
        pytest.param(bytes.fromhex("C3E2D840D8D4F140") + bytes(16), "CSQ QM1", id="zos-ebcdic"),
        pytest.param(bytes(24), "", id="none"),
        pytest.param(bytes(range(128, 152)), "", id="mostly-not-text"),
    ],
)
def test_the_printable_part_of_an_id(ident: bytes, text: str) -> None:
    assert printable_part(ident) == text
