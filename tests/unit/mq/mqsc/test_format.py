"""Writing MQSC from values, formatting scripts, and reading values back."""

from __future__ import annotations

import pytest

from mqtriage.mq.attributes.catalogue import AttributeValue
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.mqsc.format import (
    alter_text,
    define_text,
    delete_text,
    format_command,
    format_script,
)
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.values import attributes_given


def test_a_short_definition_stands_on_one_line() -> None:
    text = define_text("QLOCAL", "ORDERS.BO", {"MAXDEPTH": 100, "SHARE": "NO"})
    assert text == "DEFINE QLOCAL('ORDERS.BO') MAXDEPTH(100) NOSHARE"


def test_a_long_definition_has_one_parameter_a_line_and_keeps_to_72_columns() -> None:
    values: dict[str, AttributeValue] = {"DESCR": "x" * 40, "BOQNAME": "Q" * 48, "BOTHRESH": 3}
    text = define_text("QLOCAL", "A", values, replace=True)
    assert text == (
        "DEFINE QLOCAL('A') +\n"
        f"       DESCR('{'x' * 40}') +\n"
        f"       BOQNAME('{'Q' * 48}') +\n"
        "       BOTHRESH(3) +\n"
        "       REPLACE"
    )
    assert all(len(line) <= 72 for line in text.splitlines())


def test_read_only_attributes_are_not_written() -> None:
    assert define_text("QLOCAL", "A", {"CURDEPTH": 7, "ALTDATE": "2026-01-01"}) == (
        "DEFINE QLOCAL('A')"
    )


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(UsageError, match="BOQUEUE is not an attribute of QLOCAL"):
        define_text("QLOCAL", "A", {"BOQUEUE": "B"})


def test_the_queue_manager_is_altered_without_a_name() -> None:
    assert alter_text("QMGR", "", {"DEADQ": "DLQ"}) == "ALTER QMGR DEADQ('DLQ')"
    assert alter_text("QLOCAL", "A", {"BOQNAME": ""}) == "ALTER QLOCAL('A') BOQNAME(' ')"


def test_delete_purges_only_when_told() -> None:
    assert delete_text("QLOCAL", "A") == "DELETE QLOCAL('A')"
    assert delete_text("QLOCAL", "A", purge=True) == "DELETE QLOCAL('A') PURGE"


def test_like_and_replace_are_written() -> None:
    text = define_text("QLOCAL", "B", {}, like="A", replace=True)
    assert text == "DEFINE QLOCAL('B') LIKE('A') REPLACE"


def test_what_is_written_reads_back_as_the_same_values() -> None:
    values: dict[str, AttributeValue] = {
        "DESCR": "Ann's 'own'",
        "BOTHRESH": 3,
        "SHARE": "NO",
        "TRIGGER": "YES",
        "PUT": "DISABLED",
    }
    (command,) = parse(define_text("QLOCAL", "Mixed.Case", values)).commands
    assert attributes_given(command) == values
    assert command.name is not None and command.name.text == "Mixed.Case"


def test_synonyms_switches_and_command_keywords_become_values() -> None:
    (command,) = parse("DEF QA(A) TARGQ(b) REPLACE").commands
    assert attributes_given(command) == {"TARGET": "B"}
    (command,) = parse("ALTER QL(A) NOTRIGGER NOHARDENBO FORCE").commands
    assert attributes_given(command) == {"TRIGGER": "NO", "HARDENBO": "NO"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DEF QL(A) BOQUEUE(B)", "BOQUEUE is not an attribute of QLOCAL"),
        ("DEF QL(A) CURDEPTH(1)", "CURDEPTH is shown by DISPLAY"),
        ("DEF QL(A) MAXDEPTH", "MAXDEPTH needs a value"),
        ("DEF QL(A) MAXDEPTH(x)", "allowed 0 to 999999999"),
        ("DEF QL(A) SHARE(YES)", "SHARE"),
        ("DEF QL(A", "never closed"),
    ],
)
def test_values_of_a_wrong_command_are_refused(text: str, message: str) -> None:
    (command,) = parse(text).commands
    with pytest.raises(UsageError, match=message):
        attributes_given(command)


def test_a_command_is_written_in_full_words_with_its_own_quotes() -> None:
    (command,) = parse("def ql( app.in ),descr( 'x' )  put(disabled) share;").commands
    assert format_command(command) == "DEFINE QLOCAL(APP.IN) DESCR('x') PUT(DISABLED) SHARE"


def test_a_filter_keeps_its_blanks() -> None:
    for text in ("dis q(*) where(curdepth gt 0)", "DIS Q(*) WHERE (CURDEPTH,GT,0)"):
        (command,) = parse(text).commands
        assert format_command(command) == "DISPLAY QUEUE(*) WHERE(CURDEPTH GT 0)"


def test_a_wrong_command_cannot_be_formatted() -> None:
    (command,) = parse("def ql(").commands
    with pytest.raises(UsageError):
        format_command(command)


def test_a_script_keeps_comments_blank_lines_and_wrong_commands() -> None:
    text = (
        "* first  \n\n   def ql(a)   put(disabled); def ql(b)\nwhat is this?\n"
        "def ql(c) +\n* about depth\n maxdepth(5) +\n* the end\n  share\nend"
    )
    assert format_script(parse(text)) == (
        "* first\n\nDEFINE QLOCAL(A) PUT(DISABLED)\nDEFINE QLOCAL(B)\nwhat is this?\n"
        "DEFINE QLOCAL(C) +\n* about depth\n       MAXDEPTH(5) +\n* the end\n       SHARE\nEND"
    )


def test_the_type_of_a_channel_moves_to_its_name() -> None:
    text = "DEF CHL(A) REPLACE +\n* who\n MCAUSER('a') CHLTYPE(SDR)\n"
    text += "ALT CHL(A) DESCR('d') CHLTYPE(SDR)"
    once = format_script(parse(text))
    assert once == (
        "DEFINE CHANNEL(A) +\n       CHLTYPE(SDR) +\n       REPLACE +\n* who\n       MCAUSER('a')\n"
        "ALTER CHANNEL(A) CHLTYPE(SDR) DESCR('d')"
    )
    assert format_script(parse(once)) == once


def test_a_good_command_that_shares_a_line_with_a_wrong_one_stays() -> None:
    text = "def ql(a); foo -\nbar\n"
    assert format_script(parse(text)) == text


def test_line_ends_stay_crlf() -> None:
    text = "* c\r\ndef ql(a) +\r\n  descr('" + "x" * 60 + "')\r\n"
    formatted = format_script(parse(text))
    assert formatted.count("\n") == formatted.count("\r\n") == 3


@pytest.mark.parametrize("control", ["\n", "\r", "\x00", "\x0b", "\x85", "\u2028"])
def test_a_value_with_a_control_character_is_refused_with_the_name_of_its_object(
    control: str,
) -> None:
    with pytest.raises(Refused, match=f"QLOCAL 'Q1'.*U\\+{ord(control):04X}") as refusal:
        alter_text("QLOCAL", "Q1", {"DESCR": f"x'{control}ALTER QLOCAL(VICTIM) PUT(DISABLED)"})
    assert refusal.value.object_name == "Q1"


@pytest.mark.parametrize("value", ["5) PUT(DISABLED", ",", ""])
def test_what_stands_in_the_place_of_a_number_cannot_end_the_parameter(value: str) -> None:
    with pytest.raises(Refused, match="neither a number nor a word"):
        alter_text("QLOCAL", "Q1", {"MAXDEPTH": value})
