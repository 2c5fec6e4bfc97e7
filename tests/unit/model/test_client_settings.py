"""How a real queue manager is reached: put together by key, and checked before anything is done."""

from __future__ import annotations

import pytest

from mqtriage.model.client_settings import FIELDS, client_settings
from mqtriage.model.context_keys import KEYS
from mqtriage.mq.errors import UsageError

CHANNEL = {"connection": "mq1(1414)", "channel": "DEV.APP.SVRCONN"}


def test_each_key_is_one_of_a_context() -> None:
    assert FIELDS.keys() <= KEYS.keys()


def test_every_key_ends_in_its_field() -> None:
    texts = dict.fromkeys(FIELDS, "a") | {
        "transport": "client", "connection": "h(1)", "ccdt": "", "heartbeat": "30s",
        "reconnect": "qmgr", "library": "ibmmq",
    }  # fmt: skip
    settings = client_settings(texts.get, "pw")
    assert {getattr(settings, field) for key, field in FIELDS.items() if texts[key] == "a"} == {"a"}
    assert (settings.heartbeat_s, settings.reconnect, settings.library) == (30, "qmgr", "ibmmq")
    assert settings.transport == "client"


def test_nothing_given_leaves_all_to_the_library() -> None:
    settings = client_settings(lambda key: None)
    assert (settings.transport, settings.connection, settings.heartbeat_s) == ("", "", None)
    assert settings.application == "mqtriage"


def test_the_password_is_never_shown() -> None:
    assert "hunter2" not in repr(client_settings(CHANNEL.get, "hunter2"))


@pytest.mark.parametrize(
    "connection",
    ["mq1", "mq1(1414),mq2(1415)", "mq1(1414), mq2", "10.0.0.1(1)", "fe80::1(65535)", "[::1](2)"],
)
def test_a_connection_name_list(connection: str) -> None:
    assert client_settings((CHANNEL | {"connection": connection}).get).connection == connection


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (CHANNEL | {"connection": "mq1(0)"}, "is not a host"),
        (CHANNEL | {"connection": "mq1(65536)"}, "is not a host"),
        (CHANNEL | {"connection": "mq1:x y"}, "is not a host"),
        (CHANNEL | {"connection": "mq1(1414),"}, "is not a host"),
        (CHANNEL | {"connection": "h" * 265}, "at most 264"),
        (CHANNEL | {"channel": "C" * 21}, "at most 20"),
        (CHANNEL | {"heartbeat": "-1"}, "heartbeat"),
        (CHANNEL | {"heartbeat": "1000000"}, "heartbeat"),
        (CHANNEL | {"ccdt": "file:///c.json"}, "both define"),
        (CHANNEL | {"transport": "bindings"}, "cannot be combined"),
        ({"ccdt": "c.json", "transport": "bindings"}, "cannot be combined"),
        ({"connection": "h(1)"}, "channel is needed"),
        ({"channel": "C"}, "connection is needed"),
        ({"tls.cipher": "TLS_AES_128_GCM_SHA256"}, "is for a channel"),
        ({"application": "a\nb"}, "at most 28"),
    ],
)
def test_what_mq_would_not_take_is_told_at_once(given: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        client_settings(given.get)
