"""The quick look at XML has the verdicts of the parser that reads its values."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages import body_path
from mqtriage.messages.body_path import well_formed_xml

PARTS = (
    "<a>", "</a>", "<b x='1'>", "</b>", "<c/>", "<p:d/>", "<p:d xmlns:p='u'/>", "<a x='1' x='2'/>",
    "<?xml version='1.0'?>", "<?xml version='1.0' encoding='ISO-8859-1'?>", "<?pi x?>",
    "<!-- c -->",
    "<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY e 'x'>]>", "<![CDATA[x]]>", "]]>", "&amp;", "&e;",
    "&#0;", "&#65;", "text", "\ufeff", " ", "\n", "\0", "\ud800", "é", "<", ">", "&",
)  # fmt: skip
LONG = "x" * 70_000


def verdict_of_reader(text: str) -> bool:
    return body_path._read_xml(text, body_path._Target())


@given(parts=st.lists(st.sampled_from(PARTS), max_size=12), wrapped=st.booleans())
def test_the_verdict_on_xml_is_that_of_the_reader_of_its_values(
    parts: list[str], wrapped: bool
) -> None:
    text = f"<r>{''.join(parts)}</r>" if wrapped else "".join(parts)
    assert well_formed_xml(text) == verdict_of_reader(text)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: re.sub(r"\W+", "-", ascii(part)))
@pytest.mark.parametrize("form", ["<r>{0}{1}</r>", "{1}<r>{0}</r>", "<r>{0}</r>{1}", "{1}{0}"])
def test_the_verdict_is_the_same_where_the_text_is_read_in_pieces(part: str, form: str) -> None:
    text = form.format(LONG, part)
    assert well_formed_xml(text) == verdict_of_reader(text)


def test_xml_is_read_to_its_end_without_a_call_for_each_element(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(body_path._Target, "start")
    monkeypatch.setattr(body_path, "_read_xml", None)
    assert well_formed_xml("<a><b/></a>")
    assert not well_formed_xml("<a><b></a>")
