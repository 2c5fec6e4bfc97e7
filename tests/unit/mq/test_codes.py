"""Codes by name and number, the words for them, and the AMQ messages."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.mq import cmqc, code_texts, name_table
from mqtriage.mq.code_names import (
    codes_named,
    feedback_names,
    name_of_dlh_reason,
    name_of_feedback,
    name_of_reason,
)
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.mqsc.amq_messages import amq_messages, message_named
from mqtriage.mq.name_table import rows
from tests.support.scale import for_all

CODES = name_table.codes()
HINTS = {name: code.hint for name, code in CODES.items() if code.hint}


def meanings(prefix: str) -> list[str]:
    """The meanings there are of the codes with that prefix."""
    return [
        code.meaning for name, code in CODES.items() if name.startswith(prefix) and code.meaning
    ]


# the table of common reasons that the reference gives (section 4.12)
COMMON = (
    "0 2001 2003 2005 2009 2011 2013 2014 2016 2017 2018 2019 2024 2026 2027 2029 2030 2031 2033 "
    "2034 2035 2036 2037 2038 2039 2040 2041 2042 2044 2045 2046 2047 2048 2049 2050 2051 2052 "
    "2053 2055 2056 2057 2058 2059 2061 2062 2067 2068 2071 2079 2080 2082 2085 2086 2087 2090 "
    "2091 2092 2093 2094 2095 2096 2097 2098 2100 2101 2102 2104 2110 2111 2115 2119 2120 2141 "
    "2152 2161 2162 2173 2186 2195 2208 2209 2241 2242 2246 2247 2256 2257 2259 2298 2334 2362 "
    "2363 2364 2471 2502 2543 2551"
)


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (2035, "MQRC_NOT_AUTHORIZED"),
        (0, "MQRC_NONE"),
        (3008, "MQRCCF_COMMAND_FAILED"),
        pytest.param(2120, "MQRC_CONVERTED_MSG_TOO_BIG", id="not-the-second-name-TRUNCATED"),
        pytest.param(2192, "MQRC_STORAGE_MEDIUM_FULL", id="not-the-second-name-PAGESET_FULL"),
        pytest.param(265, "reason 265", id="a-feedback-code-is-no-reason"),
        pytest.param(900, "reason 900", id="the-end-of-a-range-is-no-name"),
        pytest.param(9999, "reason 9999", id="unknown-is-shown-as-it-is"),
    ],
)
def test_name_of_reason(number: int, name: str) -> None:
    assert name_of_reason(number) == name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (258, "MQFB_EXPIRATION"),
        (0, "MQFB_NONE"),
        pytest.param(2053, "MQRC_Q_FULL", id="exception-report-carries-a-reason"),
        pytest.param(70000, "feedback 70000", id="application-feedback"),
        pytest.param(301, "feedback 301", id="ims-sense-code"),
    ],
)
def test_name_of_feedback(number: int, name: str) -> None:
    assert name_of_feedback(number) == name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (265, "MQFB_APPL_CANNOT_BE_STARTED"),
        (2053, "MQRC_Q_FULL"),
        (0, "MQRC_NONE"),
        (12345678, "reason 12345678"),
    ],
)
def test_name_of_dlh_reason_looks_in_both(number: int, name: str) -> None:
    assert name_of_dlh_reason(number) == name


@pytest.mark.parametrize(
    "text",
    ["2035", "MQRC_NOT_AUTHORIZED", "not_authorized", "RC2035", "0x7F3", "0X7f3", " rc 2035 "],
)
def test_codes_named_takes_every_spelling_of_2035(text: str) -> None:
    assert codes_named(text)[0] == 2035


def test_codes_named_takes_feedback_names_and_what_we_print_for_unknown_numbers() -> None:
    assert codes_named("MQFB_EXPIRATION") == codes_named("expiration") == (258,)
    assert codes_named(name_of_reason(9999)) == (9999,)
    assert codes_named(name_of_feedback(70000)) == (70000,)


def test_a_bare_name_of_both_kinds_is_the_reason_first() -> None:
    assert codes_named("TM_ERROR") == (cmqc.MQRC_TM_ERROR, cmqc.MQFB_TM_ERROR)


@pytest.mark.parametrize(
    "text",
    ["", "NOT_A_CODE", "-1", "0x", "0xZZ", "²", "2147483648", "9" * 5000, "RC", "20 35"],
)
def test_codes_named_finds_nothing_for_what_is_no_code(text: str) -> None:
    assert codes_named(text) == ()


def test_every_name_is_found_again_by_its_name() -> None:
    for name, code in CODES.items():
        assert codes_named(name) == (code.number,)


def test_an_error_names_its_reason() -> None:
    assert mqi_error(2085, "browse APP.IN").text == "browse APP.IN: MQRC_UNKNOWN_OBJECT_NAME (2085)"


def test_importing_the_errors_reads_no_codes() -> None:
    """Every command imports the errors; the tables of names and words are read when asked."""
    script = (
        "import sys, mqtriage.mq.errors\n"
        "print(sorted(m for m in sys.modules if 'code' in m and 'mqtriage' in m))\n"
        "import mqtriage.mq.cmqc\n"
        "print(sorted(m for m in sys.modules if m.startswith('mqtriage.mq.') and "
        "('text' in m or 'pcf' in m or 'hint' in m)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]


def test_at_least_220_reasons_have_a_meaning() -> None:
    assert len(meanings("MQRC_")) >= 220


@for_all(COMMON.split())
def test_every_common_reason_has_a_meaning(number: str) -> None:
    assert code_texts.meaning_of_reason(int(number)).endswith((".", ")"))


def test_every_feedback_code_has_a_meaning() -> None:
    without = [n for n in feedback_names() if not code_texts.meaning_of_feedback(n)]
    assert without == []


def test_ranges_of_feedback_are_explained() -> None:
    assert "sense code 5" in code_texts.meaning_of_feedback(305)
    assert "reason 5" in code_texts.meaning_of_feedback(605)
    assert "application" in code_texts.meaning_of_feedback(65536)
    assert code_texts.meaning_of_feedback(65535) == ""
    assert code_texts.meaning_of_feedback(2053) == code_texts.meaning_of_reason(2053)


def test_feedback_of_an_application_names_the_range_that_applications_have() -> None:
    assert "65536 to 999999999" in code_texts.meaning_of_feedback(999_999)


def test_a_get_whose_options_changed_is_advised_to_turn_read_ahead_off() -> None:
    hint = code_texts.hint_about(2457, "APP.REPLY")
    assert "the same options" in hint
    assert "MQOO_NO_READ_AHEAD" in hint
    assert "'mqtriage queue set APP.REPLY DEFREADA=NO'" in hint


def test_application_reasons_are_said_to_be_no_reasons_of_mq() -> None:
    assert "not of MQ" in code_texts.meaning_of_reason(950)
    assert code_texts.meaning_of_reason(899) == code_texts.meaning_of_reason(1000) == ""


def test_at_least_50_reasons_of_commands_have_a_meaning() -> None:
    assert len(meanings("MQRCCF_")) >= 50


def test_no_two_codes_share_a_text_by_mistake() -> None:
    assert len(set(meanings("MQRC_"))) == len(meanings("MQRC_"))


def test_at_least_60_codes_have_a_hint_and_each_is_explained() -> None:
    assert len(HINTS) >= 60
    for name in HINTS:
        number = CODES[name].number
        explained = code_texts.meaning_of_reason(number) or code_texts.meaning_of_feedback(number)
        assert explained, name


def test_hints_are_found_by_number() -> None:
    assert "backout set" in code_texts.hint_for_reason(2362)
    assert "full data" in code_texts.hint_for_feedback(258)
    assert code_texts.hint_for_reason(258) == ""


def commands_named(text: str) -> list[tuple[str, str]]:
    """Each 'mqtriage GROUP VERB ...' in quotes, as (group, verb)."""
    matches = re.findall(r"'mqtriage ([a-z]+) ?([^']*)'", text)
    return [(group, rest.split(" ")[0]) for group, rest in matches]


def test_every_command_that_a_hint_names_is_in_the_command_tree() -> None:
    texts = [*HINTS.values(), *(message.what_to_do for message in amq_messages().values())]
    named = [pair for text in texts for pair in commands_named(text)]
    assert len(named) > 45
    for group, verb in named:
        of_default = group in GROUPS and GROUPS[group].default and verb == "FILE"
        assert group in COMMANDS or of_default or verb in GROUPS[group].verbs, f"{group} {verb}"


def test_every_quoted_command_could_be_read() -> None:
    """Else the test above would not see it."""
    for text in HINTS.values():
        assert text.count("'mqtriage ") == len(commands_named(text)), text


@pytest.mark.parametrize("text", ["AMQ8147E", "amq8147e", "AMQ8147", " AMQ8147I "])
def test_messages_are_found_whatever_the_severity_letter(text: str) -> None:
    entry = message_named(text)
    assert entry is not None
    assert entry[0] == 8147
    assert entry[1].text == "IBM MQ object not found."


@pytest.mark.parametrize(
    ("text", "says"),
    [("AMQ8077W", "SET AUTHREC"), ("AMQ8245", "DSP"), ("AMQ9526E", "RESET CHANNEL")],
)
def test_messages_of_the_error_logs_say_what_to_do(text: str, says: str) -> None:
    named = message_named(text)
    assert named is not None
    assert says in named[1].what_to_do


@pytest.mark.parametrize("text", ["AMQ", "AMQ9", "8147", "AMQ0000E", "AMQ8147EE1", "AMQ²²²²"])
def test_what_is_no_message_is_not_found(text: str) -> None:
    assert message_named(text) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("AMQ5008", "out of memory"),
        ("AMQ6708", "free space"),
        ("AMQ6709", "AMQ7463"),
        ("AMQ6767", "archived"),
        ("AMQ7017", "mounts"),
        ("AMQ7463", "UOWLOGDA"),
        ("AMQ7465", "UOWLOGDA"),
        ("AMQ7468", "rcdmqimg"),
        ("AMQ7469", "2003"),
        ("AMQ7472", "rcrmqobj"),
    ],
)
def test_messages_of_disks_logs_and_ended_processes_say_what_to_do(text: str, says: str) -> None:
    named = message_named(text)
    assert named is not None
    assert says in named[1].what_to_do


def test_every_message_has_a_text_and_something_to_do() -> None:
    for number, message in amq_messages().items():
        assert 1000 <= number <= 99999
        assert message.severity in "IWES"
        assert message.text
        assert message.what_to_do.endswith(".")


def test_each_message_stands_in_the_table_once_and_in_order() -> None:
    numbers = [int(cells[0]) for cells in rows("mqsc/amq_messages.tsv") if cells[1:]]
    assert numbers == sorted(set(numbers))
