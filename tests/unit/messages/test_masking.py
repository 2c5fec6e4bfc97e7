"""Masking inside JSON and XML texts: what a path names goes, every other character stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.messages.masking import MaskingRule, mask_json, mask_xml, read_path
from mqtriage.mq.errors import UsageError


def rules(*paths: str) -> list[MaskingRule]:
    return [MaskingRule(read_path(path), lambda value: f"<{value}>") for path in paths]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("$.a", '{"a": 1, "b": 2}', '{"a": "<1>", "b": 2}', id="key"),
        pytest.param("$.a.b", '{"a":{"b":"x"},"b":1}', '{"a":{"b":"<x>"},"b":1}', id="nested"),
        pytest.param("$.a", '{"a": {"b": [1, 2]}}', '{"a": "<{\\"b\\": [1, 2]}>"}', id="object"),
        pytest.param("$.l[1]", '{"l":[1, 2 ,3]}', '{"l":[1, "<2>" ,3]}', id="position"),
        pytest.param("$.l[*].k", '{"l":[{"k":1},{"k":2}]}', '{"l":[{"k":"<1>"},{"k":"<2>"}]}',
                     id="every-position"),
        pytest.param("$.*.k", '{"a":{"k":1},"b":{"k":2,"j":3}}',
                     '{"a":{"k":"<1>"},"b":{"k":"<2>","j":3}}', id="any-name"),
        pytest.param("$..k", '{"k":1,"a":[{"k":2},[{"k":"3"}]]}',
                     '{"k":"<1>","a":[{"k":"<2>"},[{"k":"<3>"}]]}', id="any-depth"),
        pytest.param("$['odd key']", '{"odd key":null}', '{"odd key":"<null>"}', id="odd-key"),
        pytest.param("$.a", '{"a":1,"a":2}', '{"a":"<1>","a":"<2>"}', id="a-key-twice"),
        pytest.param("$.a", '{"\\u0061":"x"}', '{"\\u0061":"<x>"}', id="escaped-key"),
        pytest.param("$[0]", "[true]", '["<true>"]', id="list-at-the-top"),
        pytest.param("$.a", '{"b":1}', '{"b":1}', id="not-there"),
        pytest.param("$.a", '{"a":"}\\",[{"}', '{"a":"<}\\",[{>"}', id="signs-in-text"),
        pytest.param("$.b", '{"a":[],"b":{},"c":[{}]}', '{"a":[],"b":"<{}>","c":[{}]}',
                     id="empty-ones"),
    ],
)  # fmt: skip
def test_json(path: str, text: str, expected: str) -> None:
    assert mask_json(text, rules(path)) == expected
    json.loads(expected)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("/a/b", "<a><b>1</b><c>2</c></a>", "<a><b>&lt;1&gt;</b><c>2</c></a>",
                     id="element"),
        pytest.param("//b", "<a><b>1</b><c><b>2</b></c></a>",
                     "<a><b>&lt;1&gt;</b><c><b>&lt;2&gt;</b></c></a>", id="any-depth"),
        pytest.param("/a/*/@id", '<a id="0"><b id="1"/><c  id = \'2\'>x</c></a>',
                     '<a id="0"><b id="&lt;1&gt;"/><c  id = \'&lt;2&gt;\'>x</c></a>',
                     id="attribute"),
        pytest.param("//@id", '<a id="0"><b x="id" id="1"/></a>',
                     '<a id="&lt;0&gt;"><b x="id" id="&lt;1&gt;"/></a>', id="attribute-anywhere"),
        pytest.param("/a/b", "<n:a xmlns:n='u'><n:b>1</n:b></n:a>",
                     "<n:a xmlns:n='u'><n:b>&lt;1&gt;</n:b></n:a>", id="namespace-prefix"),
        pytest.param("/a/b", "<a><b>x<c>y</c></b></a>", "<a><b>&lt;xy&gt;</b></a>",
                     id="with-elements"),
        pytest.param("/a/b", "<a><b/><b></b></a>", "<a><b/><b></b></a>", id="empty"),
        pytest.param("/a/b", "<?xml version='1.0' encoding='IBM500'?><!-- b --><a>ä<b>ö</b></a>",
                     "<?xml version='1.0' encoding='IBM500'?><!-- b --><a>ä<b>&lt;ö&gt;</b></a>",
                     id="declared-encoding"),
        pytest.param("/a/b", "<a><b><![CDATA[<x>]]></b></a>", None, id="cdata"),
    ],
)  # fmt: skip
def test_xml(path: str, text: str, expected: str | None) -> None:
    masked = mask_xml(text, rules(path))
    if expected is None:
        assert masked is not None
        assert "CDATA" not in masked
    else:
        assert masked == expected


@pytest.mark.parametrize("text", ["", "plain", '{"a":', "{'a':1}", "[" * 900 + "]" * 900])
def test_what_is_no_json_is_none(text: str) -> None:
    assert mask_json(text, rules("$.a")) is None


@pytest.mark.parametrize(
    "text",
    ["", "plain", "<a>", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "<a>" * 900 + "</a>" * 900],
)
def test_what_is_no_xml_is_none(text: str) -> None:
    assert mask_xml(text, rules("//b")) is None


@pytest.mark.parametrize("path", ["", "a.b", "$", "/", "$.", "$[x]", "/a[1]", "/a/@id/b", "$.a b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(UsageError):
        read_path(path)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c d", "ä"]), inner, max_size=4)
    ),
    max_leaves=25,
)


def masked_everywhere(value: Any, name: str) -> Any:
    """The document with every value under *name* masked, worked out on the tree."""
    if isinstance(value, list):
        return [masked_everywhere(child, name) for child in value]
    if isinstance(value, dict):
        return {
            key: "***" if key == name else masked_everywhere(child, name)
            for key, child in value.items()
        }
    return value


@given(_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_masking_in_the_text_is_masking_in_the_tree(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    masked = mask_json(text, [MaskingRule(read_path("$..a"), lambda _: "***")])
    assert masked is not None
    assert json.loads(masked) == masked_everywhere(value, "a")


@given(_VALUES)
def test_a_path_that_names_nothing_changes_no_character(value: Any) -> None:
    text = json.dumps(value, indent=2)
    assert mask_json(text, rules("$.nowhere", "$..neither")) == text


@pytest.mark.parametrize(
    ("path", "text", "paths"),
    [
        ("$.card", '{"card":1,"customer":{"name":"x"}}', ["$.customer.name"]),
        ("$.a", '{"a":{"b":1},"c":[{"d":1},{"d":2}]}', ["$.c[*].d", "$.c[*].d"]),
        ("$.a", '{"odd key":1,"e":[],"f":{}}', ["$['odd key']"]),
        ("$.a", '"alone"', ["$"]),
        (
            "/a/b",
            "<a x='1'><b y='2'>1</b><n:c xmlns:n='u'>2</n:c> </a>",
            ["/a/@x", "/a/b/@y", "/a/c"],
        ),
    ],
)
def test_what_no_rule_replaces_is_told(path: str, text: str, paths: list[str]) -> None:
    kept: list[str] = []
    mask = mask_xml if path.startswith("/") else mask_json
    assert mask(text, rules(path), kept.append) is not None
    assert kept == paths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a><!-- card 4111 --></a>", "<a><!--***--></a>"),
        ("<!----><a/>", "<!--***--><a/>"),
        ("<a/><!-- é4111 -->", "<a/><!--***-->"),
        ("<a><?note 4111?></a>", "<a><?note ***?></a>"),
        ("<?xml version='1.0'?>\n<?note\n4111 ?><a/>", "<?xml version='1.0'?>\n<?note ***?><a/>"),
        ("<a><?note?><![CDATA[<!-- b -->]]></a>", "<a><?note?><![CDATA[<!-- b -->]]></a>"),
        ("<a><b>x<!-- 4111 --></b>é<!-- 1 --></a>", "<a><b>&lt;x&gt;</b>é<!--***--></a>"),
    ],
)
def test_what_comments_and_processing_instructions_hold_is_replaced(
    text: str, expected: str
) -> None:
    assert mask_xml(text, rules("/a/b"), aside="***") == expected
    assert mask_xml(text, ()) == text
