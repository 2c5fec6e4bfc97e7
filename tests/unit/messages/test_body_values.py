"""The values inside a body: each path that is listed leads to the value that is listed with it."""

from __future__ import annotations

import json
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages.body_path import (
    check_path,
    json_reader,
    json_values,
    parse_json,
    xml_value,
    xml_values,
)

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
)
_DOCUMENTS = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)
_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6)
_NAMES = st.sampled_from(["a", "b", "p:c", "d-e", "f.g"])


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    name = draw(_NAMES)
    attributes = "".join(
        f" {key}={quoteattr(draw(_TEXT))}" for key in draw(st.sets(st.sampled_from("xyz")))
    )
    parts = draw(st.lists(elements(depth - 1), max_size=3)) if depth else []
    inside = "".join(f"{escape(draw(_TEXT))}{part}" for part in parts) or escape(draw(_TEXT))
    return f"<{name}{attributes}>{inside}</{name}>"


@given(_DOCUMENTS)
def test_each_value_of_json_is_the_one_at_its_path(document: object) -> None:
    parsed = parse_json(json.dumps(document))
    for path, value in json_values(parsed):
        assert json_reader(check_path(path))(parsed) == value
        assert not isinstance(value, dict | list)


@given(st.lists(elements(), min_size=1, max_size=3), st.integers(1, 20))
@pytest.mark.slow
def test_each_value_of_xml_is_the_one_at_its_path(parts: list[str], most: int) -> None:
    text = f'<r xmlns:p="urn:p">{"".join(parts)}</r>'
    values = list(xml_values(text, most))
    assert len(values) <= most
    for path, value in values:
        assert xml_value(text, check_path(path)) == value


def test_a_document_with_a_doctype_has_no_values() -> None:
    assert list(xml_values("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", 9)) == []


def test_of_a_document_that_is_not_well_formed_what_stands_before_the_fault_is_listed() -> None:
    assert list(xml_values("<a><b>1</b><c>2</a>", 9)) == [("/a/b", "1")]


def test_nesting_without_end_is_given_up() -> None:
    assert list(xml_values("<a>" * 5_000, 9)) == []
    ((_, value),) = json_values(parse_json("[" * 900 + "1" + "]" * 900))
    assert value == 1
