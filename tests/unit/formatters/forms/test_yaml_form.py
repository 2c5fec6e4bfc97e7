"""yaml: any parser reads back what `-o json` says."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.json_text import compact
from mqtriage.formatters.style import Style
from mqtriage.formatters.yaml_text import mapping
from mqtriage.model.result import Document, Field, Listing, Rows
from tests.support.tools import module
from tests.unit.formatters import samples
from tests.unit.formatters.forms.test_json_forms import in_utf8

yaml = module("yaml", "pyyaml")
LOADERS = [getattr(yaml, name) for name in ("SafeLoader", "CSafeLoader") if hasattr(yaml, name)]

AWKWARD = (
    "yes", "No", "ON", "null", "~", "", " ", "1", "1e3", "1_000", "0x1F", "017", "1:30", "12:30:45",
    ".5", "-", "- a", "a: b", "a #b", "#", "2026-11-23", "2026-11-23T02:25:43Z", "<<", "=", "?",
    "---", "...", "%YAML", "@a", "`", "!x", "&a", "*a", "[", "{", "|", ">", "'", '"', "\\", "a:",
    "NaN", ".inf", "a\nb", "a\n\n b\n", "a \nb", "\na", " a\nb", "a\n\n", "a\n\tb", "a\r\nb",
    "\x85", "\u2028", "\ufeff", "\U0001f600", "\x7f", "\x00", "Ö", "AMQ ORDERS.IN(x)", "a  b", "a ",
    "---\na", "...\nb", "a\n---\nb", "#a\n#b", "[a\nb", "k: v\nl: w",
)  # fmt: skip
"""Text that a parser takes for something else where it stands as it is."""

TEXT = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.sampled_from("ab:#-?&*!|>'\"%@`{}[],. \n\t=~<0123_eExn")),
    st.text(),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXT, inner)), max_leaves=12
)


@pytest.fixture(params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request: pytest.FixtureRequest) -> Any:
    return request.param


def read_back(text: str) -> list[Any]:
    """What each parser reads."""
    return [yaml.load(text, Loader=kind) for kind in LOADERS]


@given(st.dictionaries(TEXT, VALUES))
@example({text: [text, {text: text}, [text]] for text in AWKWARD})
@example({"k" * 2000: {"deep": [[], {}, [[{"a": 1e16, "b": [1e-7, -0.0]}]]]}, "l": ["x"]})
def test_every_value_is_read_back(data: dict[str, Any]) -> None:
    text = "".join(mapping(data))
    assert text.isascii()
    for content in read_back(text or "{}"):
        assert compact(content) == compact(data)


@given(st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES})))
def test_a_listing_is_the_document_of_json(records: list[dict[str, Any]]) -> None:
    def listing() -> Listing:
        return Listing(
            "L", (Field("a", "A"),), list(records), summary={"n": len(records)}, warnings=["a: b"]
        )

    text = in_utf8(listing(), "yaml")
    for content in read_back(text):
        assert compact(content) == compact(json.loads(in_utf8(listing(), "json")))


@pytest.mark.parametrize("result", [samples.requeued(), samples.message(), samples.document()])
def test_reports_and_documents_are_those_of_json(result: Any, loader: Any) -> None:
    content = yaml.load(samples.text(result, "yaml"), Loader=loader)
    assert content == json.loads(samples.text(result, "json"))


def test_rows_are_written_one_by_one(loader: Any) -> None:
    document = Document("D", {"none": Rows([], dict), "two": Rows([1, 2], lambda n: {"n": n})})
    item = yaml.load(in_utf8(document, "yaml"), Loader=loader)["item"]
    assert item == {"none": [], "two": [{"n": 1}, {"n": 2}]}


def test_a_byte_that_was_not_text_is_written_out(loader: Any) -> None:
    assert yaml.load("".join(mapping({"a": "x\udcff"})), Loader=loader) == {"a": "x\\udcff"}


def test_several_documents_are_one_stream(loader: Any) -> None:
    text = in_utf8(Listing("A", (), [{"a": 1}]), "yaml") + in_utf8(Listing("B", (), []), "yaml")
    assert [part["kind"] for part in yaml.load_all(text, Loader=loader)] == ["A", "B"]


def test_a_list_that_ended_early_does_not_parse(loader: Any) -> None:
    def failing() -> Iterator[dict[str, int]]:
        yield {"a": 1}
        raise ValueError

    stream = io.StringIO()
    with pytest.raises(ValueError):
        write(Listing("L", (Field("a", "A"),), failing()), Style("yaml"), stream)
    assert "- a: 1\n" in stream.getvalue()
    with pytest.raises(yaml.YAMLError):
        yaml.load(stream.getvalue(), Loader=loader)
