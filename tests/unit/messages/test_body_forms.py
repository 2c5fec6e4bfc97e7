"""`msg show --body`: what was asked for, or as near as the bytes allow, with the reason."""

from __future__ import annotations

import pytest

from mqtriage.messages.body_forms import shown


def test_json_and_xml_are_indented() -> None:
    assert shown(b'{"a":[1]}', 1208, 546, "json").text == '{\n  "a": [\n    1\n  ]\n}'
    assert shown(b"<a><b/></a>", 1208, 546, "xml").text == "<a>\n  <b />\n</a>"


def test_ebcdic_is_read_whatever_the_ccsid_says() -> None:
    assert shown("Order 17".encode("cp500"), 819, 546, "ebcdic").text == ("Order 17")


def test_hex_is_hex() -> None:
    assert shown(b"\x00\xff", 1208, 546, "hex") == (None, "00FF", "")


@pytest.mark.parametrize(
    ("body", "form", "why"),
    [
        (b"not json", "json", "not well-formed JSON"),
        (b"<a>", "xml", "not well-formed XML"),
        (b"<!DOCTYPE a><a/>", "xml", "document type"),
        (b"[" * 100_000, "json", "not well-formed JSON"),
    ],
)
def test_what_it_is_not_is_shown_as_it_is_with_the_reason(body: bytes, form: str, why: str) -> None:
    shown_body = shown(body, 1208, 546, form)
    assert shown_body.text == body.decode()
    assert why in shown_body.warning


def test_bytes_that_are_no_text_are_shown_as_hex() -> None:
    shown_body = shown(b"\xff\xfe\xfd", 1208, 546, "text")
    assert (shown_body.text, shown_body.hex) == (None, "FFFEFD")
    assert "not text in CCSID 1208" in shown_body.warning
