"""What must hold for any MQSC text, and for any script that our own writer could have written."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.mq.attributes.catalogue import AttributeValue, ValueKind, attributes_of, parse_value
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.check import check_script, validate
from mqtriage.mq.mqsc.format import alter_text, define_text, format_script
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.records import set_record_text
from mqtriage.mq.mqsc.tree import Script
from mqtriage.mq.mqsc.values import attributes_given
from mqtriage.mq.mqsc.verbs import VERBS
from tests.support.mqsc_tokens import tokens
from tests.support.scale import amount

FRAGMENTS = st.sampled_from(
    [
        "DEFINE QLOCAL(A)", "alter ql ('b')", " DESCR('it''s')", " PUT(DISABLED)", "MAXDEPTH(5)",
        " +\n", "-\n", "\n", "\r\n", "* note\n", "*", ";", "'", '"', "(", ")", ",", " ", "\t",
        "+QMNAME+", "END\n", "{{ x }}", "$VAR", "DIS Q(*) WHERE(A EQ 'b c')", "foo bar", "#",
        " CONNAME(h(1414))", " NAMES(A, B)", "SET AUTHREC", "\x00", "\xa0", "\x0c", "é", "+", "-",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=40).map("".join))
KINDS = st.sampled_from(["QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QMGR", "TOPIC"])
NAMES = st.text("ABCXYZabc019./_%", min_size=1, max_size=48)
PRINTABLE = st.characters(max_codepoint=0x2FF, exclude_categories=["Cc"])


def meaning(script: Script) -> list[object]:
    """What a queue manager would make of it: good commands by content, wrong ones as they stand."""
    statements: list[object] = []
    for command in script.commands:
        if command.error is not None:
            statements.append(script.raw(command).strip("\r\n \t"))
            continue
        name = command.name and command.name.text
        given_ = [
            (p.keyword, None if p.values is None else [v.text for v in p.values])
            for p in command.parameters
        ]
        statements.append((command.verb, command.noun, name, given_))
    return statements


@given(TEXTS)
@settings(max_examples=amount(75))
def test_any_text_is_parsed_and_its_items_are_the_whole_text(text: str) -> None:
    script = parse(text)
    assert "".join(script.raw(item) for item in script.items) == text.removeprefix("\ufeff")
    for diagnostic in check_script(script):
        assert 1 <= diagnostic.line <= text.count("\n") + 1
        assert diagnostic.column >= 1


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_any_bytes_are_a_script(data: bytes) -> None:
    parse(decode_script(data))


@given(TEXTS, st.sampled_from(["dist", "zos"]))
@settings(deadline=None)
def test_validation_never_raises(text: str, platform: Literal["dist", "zos"]) -> None:
    for command in parse(text).commands:
        validate(command, platform)


@given(TEXTS)
@settings(max_examples=amount(75))
def test_formatting_keeps_the_meaning_and_settles(text: str) -> None:
    script = parse(text)
    once = format_script(script)
    again = parse(once)
    assert meaning(again) == meaning(script)
    assert format_script(again) == once


VALUES = st.one_of(
    st.text("ABCxyz019./_%", min_size=1, max_size=12),
    st.text("ab c+-;*,()é'", max_size=8).map(lambda text: "'" + text.replace("'", "''") + "'"),
    st.sampled_from(["HOST(1414)", "A(B(C))"]),
)


@st.composite
def written_commands(draw: st.DrawFn) -> str:
    """Any command as a person may write it: lists for names and values, over several lines."""
    verb = draw(st.sampled_from(sorted(verb for verb, nouns in VERBS.items() if nouns)))
    noun = draw(st.sampled_from(sorted(VERBS[verb])))
    keywords = draw(st.lists(st.text("ABCDEFG", min_size=2), max_size=4, unique=True))
    parts = [verb]
    for word in (noun, *keywords):
        values = draw(st.lists(VALUES, max_size=3))
        separator = draw(st.sampled_from([",", ", ", " ,"]))
        parts.append(f"{word}({separator.join(values)})" if values else word)
    between = st.sampled_from([" ", "  ", " +\n  ", " -\n ", " +\n* note\n\n "])
    text = parts[0] + "".join(draw(between) + part for part in parts[1:])
    return draw(st.sampled_from([text, text.lower()]))


@given(st.lists(written_commands(), max_size=4).map("\n".join))
@settings(max_examples=amount(150))
@pytest.mark.slow
def test_formatting_keeps_every_token(text: str) -> None:
    assert tokens(format_script(parse(text))) == tokens(text)


@given(TEXTS)
@settings(deadline=None)
def test_each_parameter_stands_where_it_says(text: str) -> None:
    script = parse(text)
    lines = script.text.split("\n")
    for command in script.commands:
        for parameter in command.parameters:
            there = script.text[parameter.start : parameter.end]
            assert there[:1].upper() == parameter.keyword[:1]
            assert lines[parameter.line - 1][parameter.column - 1 :].startswith(there[:1])


@st.composite
def definitions(draw: st.DrawFn) -> tuple[str, str, dict[str, AttributeValue]]:
    """A kind, a name and values of some of its attributes, each as MQSC prints it."""
    kind = draw(KINDS)
    values: dict[str, AttributeValue] = {}
    for entry in draw(st.lists(st.sampled_from(attributes_of(kind)), max_size=12, unique=True)):
        if entry.read_only:
            continue
        match entry.kind:
            case ValueKind.INTEGER:
                number = draw(st.integers(entry.minimum, entry.maximum))
                values[entry.keyword] = parse_value(entry, str(number))
            case ValueKind.WORD | ValueKind.WORDS:
                values[entry.keyword] = draw(st.sampled_from(sorted(entry.words)))
            case ValueKind.FLAG:
                values[entry.keyword] = draw(st.sampled_from(["YES", "NO"]))
            case ValueKind.NAME:
                values[entry.keyword] = draw(NAMES)[: entry.max_length]
            case ValueKind.STRING | ValueKind.LIST:
                text = draw(st.text(PRINTABLE, max_size=entry.max_length)).rstrip(" ")
                values[entry.keyword] = text
    return kind, draw(NAMES), values


@given(definitions())
@settings(deadline=None)
def test_what_is_written_reads_back_as_the_same_values(
    definition: tuple[str, str, dict[str, AttributeValue]],
) -> None:
    kind, name, values = definition
    if kind != "QMGR":
        (command,) = parse(define_text(kind, name, values)).commands
        assert command.error is None
        assert command.name is not None and command.name.text == name
        assert attributes_given(command) == values
    (altered,) = parse(alter_text(kind, name, values)).commands
    assert attributes_given(altered) == values


ANY = st.one_of(
    st.text(max_size=40),
    st.lists(FRAGMENTS, max_size=8).map("".join),
    st.sampled_from(
        ["x'\nALTER QLOCAL(V) PUT(DISABLED)\n* ", "5) PUT(DISABLED", "A';CLEAR QLOCAL(V)"]
    ),
)
"""What a hostile or broken queue manager may give as the value of any attribute."""


@given(KINDS, NAMES, st.data())
@settings(max_examples=amount(75))
def test_whatever_the_values_what_is_written_is_one_command_with_them_or_refused(
    kind: str, name: str, data: st.DataObject
) -> None:
    entries = [entry for entry in attributes_of(kind) if not entry.read_only]
    chosen = data.draw(st.lists(st.sampled_from(entries), min_size=1, max_size=4, unique=True))
    values: dict[str, AttributeValue] = {entry.keyword: data.draw(ANY) for entry in chosen}
    try:
        text = alter_text(kind, name, values)
    except Refused as error:
        assert error.object_name == name
        return
    (command,) = parse(text).commands
    assert command.error is None
    assert (command.verb, command.noun) == ("ALTER", kind)
    for entry in chosen:
        if entry.kind in (ValueKind.NAME, ValueKind.STRING):
            assert command.value(entry.keyword) == (str(values[entry.keyword]) or " ")


@given(NAMES, ANY, ANY)
@settings(deadline=None)
def test_a_record_is_one_command_or_refused(profile: str, user: str, description: str) -> None:
    identity: dict[str, AttributeValue] = {
        "CHLAUTH": profile,
        "TYPE": "ADDRESSMAP",
        "ADDRESS": user,
    }
    try:
        text = set_record_text("CHLAUTH", identity, {}, {"DESCR": description}, adding=True)
    except Refused:
        return
    (command,) = parse(text).commands
    assert (command.verb, command.noun) == ("SET", "CHLAUTH")
