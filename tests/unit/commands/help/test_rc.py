"""`mqtriage rc`: what is told about a code, however it is named."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.commands.help.rc import explain, explain_text
from mqtriage.mq.code_names import feedback_names, reason_names
from mqtriage.mq.errors import NotFound


def names(text: str) -> list[str]:
    return [f"{entry['kind']} {entry['name']}" for entry in explain(text).data["codes"]]


@pytest.mark.seed("EX-68")
@pytest.mark.parametrize("text", ["2013", "MQRC_EXPIRY_ERROR", "rc2013", "0x7DD", "EXPIRY_ERROR"])
def test_one_code_gives_one_text_however_it_is_named(text: str) -> None:
    assert explain(text) == explain("RC2013")
    assert names(text) == ["reason MQRC_EXPIRY_ERROR"]


def test_a_reason_comes_with_number_meaning_and_what_to_do() -> None:
    document = explain("2362")
    (entry,) = document.data["codes"]
    assert entry["number"] == 2362
    assert entry["hex"] == "0x0000093A"
    assert entry["rpg_name"] == "RC2362"
    ((title, pairs),) = document.sections
    assert title == "MQRC_BACKOUT_THRESHOLD_REACHED (reason)"
    fields = dict(pairs)
    assert "BOTHRESH" in fields["Meaning"]
    assert "mqtriage backout set" in fields["What to do"]


def test_second_names_are_told_with_the_documented_one() -> None:
    (entry,) = explain("MQRC_TRUNCATED").data["codes"]
    assert entry["name"] == "MQRC_CONVERTED_MSG_TOO_BIG"
    assert entry["other_names"] == ["MQRC_TRUNCATED"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("258", ["feedback MQFB_EXPIRATION"]),
        ("expiration", ["feedback MQFB_EXPIRATION"]),
        ("0", ["reason MQRC_NONE", "feedback MQFB_NONE"]),
        ("MQRC_NONE", ["reason MQRC_NONE"]),
        ("MQFB_NONE", ["feedback MQFB_NONE"]),
        ("TM_ERROR", ["reason MQRC_TM_ERROR", "feedback MQFB_TM_ERROR"]),
        ("305", ["feedback feedback 305"]),
        ("70000", ["feedback feedback 70000"]),
        ("950", ["reason reason 950"]),
        ("4001", ["reason MQRCCF_OBJECT_ALREADY_EXISTS"]),
        ("not_authorized", ["reason MQRC_NOT_AUTHORIZED", "reason MQRCCF_NOT_AUTHORIZED"]),
        ("AMQ8147E", ["message AMQ8147E"]),
        ("amq8405", ["message AMQ8405I"]),
    ],
)
def test_what_a_text_stands_for(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text", ["0x05080000", "X'05080000'", "0508 0000", "0x00000805", "00000805"]
)
def test_reason_bytes_as_a_dump_shows_them_are_read_in_both_orders(text: str) -> None:
    """A trace shows MQDLH.Reason 2053 as 05080000 where integers are little-endian."""
    assert "reason MQRC_Q_FULL" in names(text)


@pytest.mark.seed("EX-68")
@pytest.mark.parametrize(
    ("text", "mqi_name", "value"),
    [
        ("EIULIM", "MQEI_UNLIMITED", -1),
        ("mdexp", "MQMD.Expiry", ""),
        ("GMLK", "MQGMO_LOCK", 0x200),
        ("GMMUC", "MQGMO_MSG_UNDER_CURSOR", 0x100),
        ("MONONE", "MQMO_NONE", 0),
        ("FMXQH", "MQFMT_XMIT_Q_HEADER", "MQXMIT  "),
        ("ROEXPF", "MQRO_EXPIRATION_WITH_FULL_DATA", 0xE00000),
    ],
)
def test_rpg_names(text: str, mqi_name: str, value: int | str) -> None:
    (entry,) = explain(text).data["codes"]
    assert (entry["mqi_name"], entry["value"]) == (mqi_name, value)


@pytest.mark.seed("EX-68")
def test_rpg_report_options_can_be_asked_for_together() -> None:
    assert names("ROEXP*") == ["rpg ROEXP", "rpg ROEXPD", "rpg ROEXPF"]


@pytest.mark.parametrize(
    ("text", "close"),
    [
        ("NOT_AUTORIZED", "MQRC_NOT_AUTHORIZED (2035)"),
        ("MQRC_QFULL", "MQRC_Q_FULL (2053)"),
        ("20355", "MQRC_NOT_AUTHORIZED (2035)"),
    ],
)
def test_an_unknown_code_is_not_found_and_the_hint_names_close_ones(text: str, close: str) -> None:
    with pytest.raises(NotFound) as caught:
        explain(text)
    assert caught.value.hint is not None
    assert close in caught.value.hint


@pytest.mark.parametrize(
    ("words", "names", "close"),
    [
        (("MQRC_Q_FUL", "9998"), ["MQRC_Q_FUL", "9998"], "MQRC_Q_FULL (2053)"),
        (("9998,MQRC_Q_FUL",), ["9998", "MQRC_Q_FUL"], "MQRC_Q_FULL (2053)"),
        (("9998", "9997"), ["9998", "9997"], "a number such as 2035"),
        (("put", "failed", "MQRC_Q_FUL"), ["MQRC_Q_FUL"], "MQRC_Q_FULL (2053)"),
        (("the queue", "9998"), ["9998"], "a number such as 2035"),
        (("MQRC_Q_FUL 9998",), ["MQRC_Q_FUL 9998"], "a number such as 2035"),
        (("the", "queue", "broke"), ["the queue broke"], "a number such as 2035"),
    ],
)
def test_of_several_unknown_codes_each_is_named_by_itself(
    words: tuple[str, ...], names: list[str], close: str
) -> None:
    with pytest.raises(NotFound) as caught:
        explain(*words)
    assert re.findall(r"has the name '([^']*)'", caught.value.text) == names
    assert close in str(caught.value.hint)


def test_the_exception_around_a_failed_call_from_java_is_explained() -> None:
    line = "JMSFMQ6312: An exception occurred in the Java(tm) MQI."
    (entry,) = explain(line).data["codes"]
    assert (entry["name"], "linked exception" in entry["meaning"]) == ("JMSFMQ6312", True)
    both = explain_text(f"{line}\nCaused by: CC=2;RC=2495;AMQ8568: not found")
    assert [one["name"] for one in both.data["codes"]] == ["JMSFMQ6312", "MQRC_MODULE_NOT_FOUND"]


@pytest.mark.parametrize("text", ["", " ", "-1", "x" * 100_000, "²", "*", "AMQ9998E", "\x1b[2J"])
def test_what_is_no_code_at_all_is_not_found_and_told_shortly(text: str) -> None:
    with pytest.raises(NotFound) as caught:
        explain(text)
    assert len(caught.value.text) < 300
    assert caught.value.text.isprintable()
    assert caught.value.hint


def test_every_code_we_know_is_explained_and_can_be_written_as_json() -> None:
    for number in (*reason_names(), *feedback_names()):
        document = explain(str(number))
        assert document.sections
        assert json.loads(json.dumps(document.data)) == document.data


@given(st.text())
def test_any_text_ends_in_an_answer_or_not_found(text: str) -> None:
    try:
        assert explain(text).sections
    except NotFound as error:
        assert error.hint


@pytest.mark.parametrize(
    ("one", "other"),
    [("AMQ9514E", "CSQX514E"), ("AMQ9202E", "CSQX202E"), ("AMQ9544W", "CSQX548E"),
     ("AMQ9999E", "CSQX599E"), ("AMQ9001I", "CSQX501I"), ("JMSCC5007", "JMSCC5008"),
     ("AMQ9209E", "CSQX209E"), ("AMQ9208E", "CSQX208E"), ("AMQ9206E", "CSQX206E"),
     ("AMQ5541I", "AMQ5542I")],
)  # fmt: skip
def test_messages_that_say_the_same_are_explained_alike(one: str, other: str) -> None:
    """A channel's messages on distributed platforms and on z/OS, and pairs of the classes."""
    first, second = (json.dumps(explain(text).data).replace(text, "") for text in (one, other))
    assert first == second


STACK = """Exception in thread "main" com.example.OrderException: MAX_RETRIES reached at 10:15 2026
\tat com.example.Orders.send(Orders.java:2035)
Caused by: com.ibm.msg.client.jms.DetailedJMSException: JMSWMQ2007: Failed to send a message
Caused by: com.ibm.mq.MQException: JMSCMQ0001: IBM MQ call failed with compcode '2' \
('MQCC_FAILED') reason '2053' ('MQRC_Q_FULL').
"""


def test_a_stack_trace_is_read_for_its_codes_alone() -> None:
    document = explain_text(STACK)
    names = [entry["name"] for entry in document.data["codes"]]
    assert names == ["JMSWMQ2007", "JMSCMQ0001", "MQRC_Q_FULL"]
    assert document.warnings == []
    assert explain_text("2035\n2053\n").data["codes"] == explain("2035", "2053").data["codes"]
    with pytest.raises(NotFound, match="no reason code, feedback code or message in this text"):
        explain_text("nothing\nof MQ")
    with pytest.raises(NotFound, match="JMSCC0112 looks like a message of IBM MQ classes for JMS"):
        explain_text("a\nJMSCC0112: b\n")


@pytest.mark.parametrize(
    "name",
    ["JMSCC0005", "JMSCC0020", "JMSCC0021", "JMSCC0029", "JMSCC0033", "JMSCC0049", "JMSCC0051",
     "JMSCC0091", "JMSCC0111"],
)  # fmt: skip
def test_a_jmscc_message_of_the_client_library_has_no_reason(name: str) -> None:
    (entry,) = explain(name).data["codes"]
    assert "there is no reason code" in entry["hint"]


@pytest.mark.parametrize("name", ["JMSCC0112", "jmscc0112", "JMSCC0999"])
def test_a_jmscc_message_without_a_text_may_have_no_reason(name: str) -> None:
    with pytest.raises(NotFound, match=f"^{name.upper()} looks like a message of") as caught:
        explain(name)
    assert "without a reason: then the text of the message says" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("line", "name", "word"),
    [
        (
            "DetailedJMSException: JMSCC0091: The provider factory for connection type"
            " 'com.ibm.msg.client.wmq' could not be loaded.",
            "JMSCC0091",
            "com.ibm.mq.allclient.jar",
        ),
        ("JMSWMQ1006: The value for 'JMSType':'mcd://xmlnsc' is not valid.", "JMSWMQ1006", "value"),
        ("JMSWMQ2001: Failed to close destination 'MY_QUEUE'", "JMSWMQ2001", "listener"),
    ],
)
def test_a_message_of_the_client_library_in_a_stack_is_explained(
    line: str, name: str, word: str
) -> None:
    (entry,) = explain_text(f"{line}\n\tat com.example.Orders.send(Orders.java:12)\n").data["codes"]
    assert (entry["name"], word in entry["hint"]) == (name, True)


@pytest.mark.parametrize("code", ["JMSCC0999", "JMSWMQ1072"])
def test_a_stack_without_a_cause_is_answered_with_where_the_text_is_explained(code: str) -> None:
    with pytest.raises(NotFound) as caught:
        explain_text(f"DetailedJMSException: {code}: a text\n\tat com.example.Orders.send\n")
    for words in ("Caused by", "the whole text of the message", "'JMS exception messages'"):
        assert words in str(caught.value.hint)


@pytest.mark.parametrize("text", ["JMSWMQ1068", "JMSFCC0005E: a line of a log"])
def test_a_jms_message_without_a_text_says_what_it_is_and_where_the_reason_is(text: str) -> None:
    with pytest.raises(NotFound, match="looks like a message of IBM MQ classes for JMS") as caught:
        explain(text)
    assert "linked exception has the reason" in str(caught.value.hint)


def test_a_full_queue_may_be_the_staging_queue_which_no_program_empties() -> None:
    (entry,) = explain("2053").data["codes"]
    for command in ("delay forecast", "delay define", "delay cancel"):
        assert f"'mqtriage {command}" in entry["hint"].partition("For the staging queue, ")[2]


def test_no_advice_ends_in_dots() -> None:
    for name in ("JMSWMQ0018", "JMSWMQ2002", "JMSWMQ2007", "JMSWMQ2008"):
        (entry,) = explain(name).data["codes"]
        assert "..." not in entry["hint"]
        assert "'mqtriage rc NUMBER'" in entry["hint"]


@pytest.mark.parametrize(
    ("words", "known", "unknown"),
    [
        ("9876 MQRC_Q_FUL 2053", 1, ("'9876'", "'MQRC_Q_FUL'; did you mean MQRC_Q_FULL (2053)?")),
        (
            "JMSCMQ0005 JMSWMQ0018 2085",
            2,
            ("JMSCMQ0005 looks like a message of IBM MQ classes for JMS",),
        ),
        ("2035, NOT_AUTHORISED, AMQ8147E", 2, ("'NOT_AUTHORISED'; did you mean",)),
        ("2035 2053", 2, ()),
        (
            "AMQ9999E: Channel 'TO.QM2' to host 'mq1(1414)' ended abnormally 9876 2059",
            1,
            ("2059 is not explained, because the line has other codes: mqtriage rc 2059",),
        ),
        ("11/30/2026 07:32:44 - Process(9876.1) AMQ_X reason 2035", 1, ()),
    ],
)
def test_of_several_codes_an_unknown_one_is_named_but_no_unknown_word_of_a_line_is(
    words: str, known: int, unknown: tuple[str, ...]
) -> None:
    document = explain(*words.split())
    assert len(document.data["codes"]) == known
    assert len(document.warnings) == len(unknown), document.warnings
    for warning, part in zip(document.warnings, unknown, strict=True):
        assert part in warning


def test_a_message_in_a_line_that_our_table_lacks_is_named() -> None:
    document = explain("MQJMS1111: failed; nested: MQJMS2008, Reason '2085'")
    names = [entry["name"] for entry in document.data["codes"]]
    assert names == ["MQJMS2008", "MQRC_UNKNOWN_OBJECT_NAME"]
    assert document.warnings == [
        "MQJMS1111 looks like a message of IBM MQ classes for JMS, but is not in our table"
    ]


def test_the_advice_for_2035_begins_with_a_command_that_works_everywhere() -> None:
    (entry,) = explain("2035").data["codes"]
    first, _, of_real = entry["hint"].partition("On a real queue manager")
    assert "'mqtriage doctor QUEUE'" in first
    assert "DISPLAY" not in first
    assert "DISPLAY ENTAUTH" in of_real


LINE = "JMSWMQ2013: The security authentication was not valid"


@pytest.mark.parametrize(
    ("words", "known", "warning"),
    [
        ((LINE, "2035", "2059"), "JMSWMQ2013 MQRC_NOT_AUTHORIZED MQRC_Q_MGR_NOT_AVAILABLE", ""),
        (("2053", LINE), "MQRC_Q_FULL JMSWMQ2013", ""),
        (("Reason 2059 at host", "2035"), "MQRC_Q_MGR_NOT_AVAILABLE MQRC_NOT_AUTHORIZED", ""),
        ((LINE, "Reason 2059 at host"), "JMSWMQ2013 MQRC_Q_MGR_NOT_AVAILABLE", ""),
        ((LINE, "reason", "code", "2059"), "JMSWMQ2013 MQRC_Q_MGR_NOT_AVAILABLE", ""),
        (("AMQ9777E:", "2538."), "AMQ9777E MQRC_HOST_NOT_AVAILABLE", ""),
        ((LINE, "9876"), "JMSWMQ2013", "has the name '9876'"),
        (("2035", "no code here"), "MQRC_NOT_AUTHORIZED", "has the name 'no code here'"),
        (("AMQ9777E", "2538", "was", "blocked", "today"), "AMQ9777E", "mqtriage rc 2538"),
        (("AMQ9777E", "2538", "blocked"), "AMQ9777E MQRC_HOST_NOT_AVAILABLE", "name 'blocked'"),
        (("2053,2085,EIULIM",), "MQRC_Q_FULL MQRC_UNKNOWN_OBJECT_NAME EIULIM", ""),
        (("2053,xyz",), "MQRC_Q_FULL", "has the name 'xyz'"),
        (("2053,2085", "xyz"), "MQRC_Q_FULL MQRC_UNKNOWN_OBJECT_NAME", "has the name 'xyz'"),
        (("got 2053,2085 at 10:20:2009,123",), "MQRC_Q_FULL MQRC_UNKNOWN_OBJECT_NAME", ""),
        (("2053", "JMSWMQ2O13"), "MQRC_Q_FULL", "has the name 'JMSWMQ2O13'"),
        (("2O85", "2053"), "MQRC_Q_FULL", "has the name '2O85'"),
        (("Reason:", "2035"), "MQRC_NOT_AUTHORIZED", ""),
    ],
)
def test_each_argument_is_explained_or_a_warning_names_it(
    words: tuple[str, ...], known: str, warning: str
) -> None:
    document = explain(*words)
    assert [entry["name"] for entry in document.data["codes"]] == known.split()
    assert [warning in text for text in document.warnings] == [True] * bool(warning)


@pytest.mark.parametrize(
    "name",
    ["AMQ9298", "AMQ9298E", "amq9298e", "AMQ20009E", "CSQX998E", "AMQ9298E: a line of a log"],
)
def test_a_message_of_mq_that_our_table_lacks_is_called_that(name: str) -> None:
    asked = name.partition(":")[0].upper()
    unknown = f"{asked} looks like a message of IBM MQ, but is not in our table"
    with pytest.raises(NotFound, match=f"^{unknown}$"):
        explain(name)
    document = explain_text(f"at a.B(C.java:9)\n{asked}: text\nreason '2053'\n")
    assert document.warnings == [unknown]


@pytest.mark.parametrize(
    "name",
    ["JMSCC9998", "JMSWMQ9998", "JMSFMQ9998", "MQJMS9998", "JMSCMQ9998", "AMQ9998E", "CSQZ998I"],
)
def test_a_message_that_was_made_up_is_not_said_to_exist(name: str) -> None:
    with pytest.raises(NotFound, match=f"^{name} looks like a message of IBM MQ.*, but is not in"):
        explain(name)


CLIENT = """Caused by: com.ibm.mq.MQException: JMSCMQ0001: IBM MQ call failed, reason '2538'
Caused by: com.ibm.mq.jmqi.JmqiException: CC=2;RC=2538;AMQ9204: Connection to host 'h(1414)' \
rejected. [1=com.ibm.mq.jmqi.JmqiException[CC=2;RC=2538;AMQ9205: The host name supplied is not \
valid. [3=h,4=TCP]],3=h(1414),5=RemoteTCPConnection.resolveHostname]
"""


def test_the_messages_of_a_client_that_cannot_connect_are_all_explained() -> None:
    document = explain_text(CLIENT)
    names = [entry["name"] for entry in document.data["codes"]]
    assert names == ["JMSCMQ0001", "AMQ9204E", "AMQ9205E", "MQRC_HOST_NOT_AVAILABLE"]
    assert document.warnings == []


CHANNELS = (
    "9204 9205 9213 9218 9245 9503 9508 9509 9510 9511 9516 9520 9524 9525 9526 9531 9542 9549"
    " 9557 9558 9599 9637 9642 9660 9716 9771 9776 9777"
)


@pytest.mark.parametrize("name", CHANNELS.split())
def test_messages_of_channels_and_clients_are_explained(name: str) -> None:
    (entry,) = explain(f"AMQ{name}").data["codes"]
    assert entry["meaning"]
    assert entry["hint"]


def test_advice_to_look_up_a_reason_is_left_out_where_the_reason_is_explained() -> None:
    for line in ("JMSCMQ0001: reason '2053'", "MQJE001: Reason '2053'", "JMSWMQ2007: reason 2053"):
        message, reason = explain(line).data["codes"]
        assert "rc NUMBER" not in message["hint"]
        assert message["hint"].endswith("."), message
        assert reason["name"] == "MQRC_Q_FULL"
    for line in ("JMSCMQ0001", "MQJE001", "AMQ9508E"):
        (message,) = explain(line).data["codes"]
        assert "'mqtriage rc NUMBER'" in message["hint"]


def test_the_advice_for_2085_says_what_a_name_that_begins_with_amq_is() -> None:
    (entry,) = explain("2085").data["codes"]
    assert "temporary dynamic queue that is gone" in entry["hint"]


def test_the_advice_for_2035_names_the_messages_of_each_check() -> None:
    (entry,) = explain("2035").data["codes"]
    for part in ("AMQERR01.LOG", "AMQ8077", "AMQ9776", "AMQ9777", "CHLAUTH", "AMQ5534", "CONNAUTH"):
        assert part in entry["hint"]
