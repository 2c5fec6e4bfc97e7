"""Every reason code has its place in the error tree, its exit code, and something to try next."""

from __future__ import annotations

import re

import pytest

from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.mq.code_texts import hint_for_reason, hint_of
from mqtriage.mq.errors import (
    BadSelector,
    ConnectionFailed,
    MQIError,
    NoMessageAvailable,
    NotAuthorized,
    ObjectNotFound,
    QueueFull,
    mqi_error,
)
from mqtriage.mq.name_table import codes
from tests.support.scale import for_all

REASONS = {
    name: code.number
    for name, code in codes().items()
    if name.startswith(("MQRC_", "MQRCCF_")) and code.number
    if name not in ("MQRC_APPL_FIRST", "MQRC_APPL_LAST")  # bounds of what applications choose
}

ABOUT_CONNECTING = re.compile(
    r"MQRC_(CONNECTION_|SSL_|RECONNECT|CLIENT_|Q_MGR_(NAME|NOT|QUIESC|STOPP)|HOST_NOT|UNKNOWN_CHAN"
    r"|CHANNEL_(NOT_AVAIL|CONFIG|BLOCK|SSL)|CCDT|KEY_REPO|CERT_|STANDBY|PRECONN|HTTPS|JSSE"
    r"|ADAPTER_(NOT|CONN|SERV|DISC)|AUTH_INFO|LDAP|CIPHER|UNSUPPORTED_CIPHER|SUITE_B)"
)
NO_FAILURE_TO_CONNECT = {
    "MQRC_CONNECTION_NOT_AUTHORIZED": "no authority",
    "MQRC_CONNECTION_SUSPENDED": "MQCTL, connected",
    "MQRC_SSL_ALREADY_INITIALIZED": "a warning, connected",
    "MQRC_CHANNEL_NOT_ACTIVATED": "an event",
    "MQRC_CHANNEL_SSL_ERROR": "an event, and a failure",
    "MQRC_CHANNEL_SSL_WARNING": "an event",
    "MQRC_CHANNEL_BLOCKED_WARNING": "an event",
    "MQRC_RECONNECTED": "an event, connected",
    "MQRC_Q_MGR_NOT_ACTIVE": "an event, and a failure",
}


def kind(name: str) -> type[MQIError]:
    return type(mqi_error(REASONS[name], "try"))


def test_every_reason_has_a_text_a_hint_and_an_exit_code() -> None:
    expected = {
        ExitCode.FAILED,
        ExitCode.NOT_FOUND,
        ExitCode.NOT_AUTHORIZED,
        ExitCode.NO_CONNECTION,
    }
    for name, number in REASONS.items():
        error = mqi_error(number, "browse APP.IN")
        assert error.text.startswith("browse APP.IN: MQRC"), name
        assert f"({number})" in error.text, name
        assert hint_of(error), name
        # a selection string is what the user wrote
        codes_of = {ExitCode.USAGE} if type(error) is BadSelector else expected
        assert outcome_of(error) in codes_of, name


@pytest.mark.parametrize(
    ("reason", "name", "own", "hint"),
    [
        (2085, "APP.IM", "", "mqtriage queue ls 'APP.*'"),
        (2085, "IM", "", "mqtriage queue ls '*'"),
        (2085, "IM", "look", "look"),
        (2085, "", "", hint_for_reason(2085) or "mqtriage rc 2085 explains it"),
        (2053, "APP.IM", "", (hint_for_reason(2053) or "").replace("NAME", "APP.IM")),
        (2057, "APP.IM", "", (hint_for_reason(2057) or "").replace("show NAME", "show APP.IM")),
        # --boq NAME is another's
        (2362, "APP.IM", "", hint_for_reason(2362).replace("set QUEUE", "set APP.IM")),
        (2195, "APP.IM", "", hint_for_reason(2195) or "mqtriage rc 2195 explains it"),
    ],
)
def test_the_hint_is_the_errors_own_then_where_its_object_is_then_that_of_its_reason(
    reason: int, name: str, own: str, hint: str
) -> None:
    assert hint_of(mqi_error(reason, "try", hint=own, object_name=name)) == hint


def test_a_reason_that_nobody_knows_is_told_as_it_is() -> None:
    error = mqi_error(9999, "try")
    assert (error.text, hint_of(error)) == (
        "try: reason 9999 (9999)",
        "mqtriage rc 9999 explains it",
    )


@for_all([n for n in REASONS if ABOUT_CONNECTING.match(n)])
def test_what_keeps_from_connecting_is_no_connection(name: str) -> None:
    assert kind(name) is ConnectionFailed or name in NO_FAILURE_TO_CONNECT


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            "MQRC_UNKNOWN_OBJECT_NAME MQRC_UNKNOWN_ALIAS_BASE_Q MQRC_UNKNOWN_OBJECT_Q_MGR"
            " MQRC_UNKNOWN_REMOTE_Q_MGR MQRC_UNKNOWN_XMIT_Q MQRC_NO_SUBSCRIPTION"
            " MQRCCF_UNKNOWN_OBJECT_NAME MQRCCF_NONE_FOUND MQRCCF_CHANNEL_NOT_FOUND",
            ObjectNotFound,
            id="not-found",
        ),
        pytest.param(
            "MQRC_NOT_AUTHORIZED MQRC_CONNECTION_NOT_AUTHORIZED MQRCCF_NOT_AUTHORIZED",
            NotAuthorized,
            id="not-authorised",
        ),
        pytest.param(
            "MQRC_CONNECTION_BROKEN MQRC_Q_MGR_NOT_AVAILABLE MQRC_HOST_NOT_AVAILABLE"
            " MQRC_SSL_INITIALIZATION_ERROR MQRC_CALL_INTERRUPTED MQRC_HCONN_ERROR",
            ConnectionFailed,
            id="no-connection",
        ),
        pytest.param("MQRC_NO_MSG_AVAILABLE", NoMessageAvailable, id="no-message"),
        pytest.param(
            "MQRC_SELECTOR_SYNTAX_ERROR MQRC_SELECTOR_ALWAYS_FALSE MQRC_SELECTION_STRING_ERROR",
            BadSelector,
            id="selector",
        ),
        pytest.param(
            "MQRC_Q_FULL MQRC_Q_SPACE_NOT_AVAILABLE MQRC_STORAGE_MEDIUM_FULL", QueueFull, id="full"
        ),
        pytest.param(
            "MQRC_PUT_INHIBITED MQRC_TRUNCATED_MSG_FAILED MQRC_BACKED_OUT MQRCCF_COMMAND_FAILED"
            " MQRC_CMD_SERVER_NOT_AVAILABLE MQRC_SELECTION_NOT_AVAILABLE",
            MQIError,
            id="any-other",
        ),
    ],
)
def test_the_kind_of_a_reason(names: str, expected: type[MQIError]) -> None:
    assert {name: kind(name) for name in names.split()} == dict.fromkeys(names.split(), expected)
