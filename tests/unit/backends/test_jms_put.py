"""What IBM's JMS client is told to send, where java comes from, and what its end means."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from mqtriage.backends.client import jms_put
from mqtriage.backends.client.jms_put import JmsPut, Sent, request_lines, send
from mqtriage.model.client_settings import ClientSettings
from mqtriage.mq.errors import (
    MQTriageError,
    NoClient,
    NotAuthorized,
    Refused,
    Unreachable,
    UsageError,
)

PLACE = ClientSettings(connection="mq1,mq2(1415)", channel="DEV.APP", user="app", password="s3cret")
PUT = JmsPut("Q1", ("gr\u00fcn",), 5000, 2, properties=(("colour", "red"), ("JMSXGroupSeq", 3)))
ONE, TWO = b"\x41" * 24, b"\x42" * 24


def values_of(settings: ClientSettings, put: JmsPut, **environ: str) -> dict[str, bytes]:
    """Values by name, as the program reads them; a property by kind and name."""
    values = {}
    for line in request_lines(settings, "QM1", put, environ):
        assert line.isascii()
        *names, value = line.split(" ")
        if len(names) == 2:
            names[1] = b64decode(names[1]).decode()
        values[" ".join(names)] = b64decode(value)
    return values


def java_that(folder: Path, script: str) -> dict[str, str]:
    """An environment whose java is a shell script; ``$here`` is *folder*."""
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\nhere={folder}\n{script}\n")
    java.chmod(0o755)
    return {"JAVA_HOME": str(folder), "PATH": "/usr/bin:/bin"}


def test_the_program_reads_values_in_base64() -> None:
    values = values_of(PLACE, PUT)
    assert values["connection"] == b"mq1(1414),mq2(1415)"
    assert (values["qmgr"], values["queue"]) == (b"QM1", b"Q1")
    assert (values["text"], values["delay_ms"], values["count"]) == ("grün".encode(), b"5000", b"2")
    assert (values["string colour"], values["int JMSXGroupSeq"]) == (b"red", b"3")
    assert "correlid" not in values
    values = values_of(PLACE, PUT._replace(bodies=(b"\0\xff",), correl_id=ONE))
    assert (values["bytes"], values["correlid"], "text" in values) == (b"\0\xff", ONE, False)


def test_each_of_several_bodies_is_a_line_in_their_order() -> None:
    lines = request_lines(PLACE, "QM1", PUT._replace(bodies=(b"a", "b", b"c")), {})
    bodies = [line.split() for line in lines if line.startswith(("text ", "bytes "))]
    assert [(kind, b64decode(data)) for kind, data in bodies] == [
        ("bytes", b"a"),
        ("text", b"b"),
        ("bytes", b"c"),
    ]


def test_where_to_connect_is_known_from_a_ccdt_or_mqserver_too() -> None:
    values = values_of(ClientSettings(ccdt="tables/AMQCLCHL.TAB"), PUT)
    assert values["ccdt"].startswith(b"file:///")
    assert values["ccdt"].endswith(b"/tables/AMQCLCHL.TAB")
    assert values_of(ClientSettings(ccdt="https://x/y.json"), PUT)["ccdt"] == b"https://x/y.json"
    values = values_of(ClientSettings(), PUT, MQSERVER="DEV.APP/TCP/mq1(1417)")
    assert (values["connection"], values["channel"]) == (b"mq1(1417)", b"DEV.APP")


@pytest.mark.parametrize(
    "settings",
    [ClientSettings(), ClientSettings(transport="bindings", connection="mq1", channel="C")],
    ids=["nowhere", "bindings"],
)
def test_without_an_address_it_is_wrong_usage(settings: ClientSettings) -> None:
    with pytest.raises(UsageError, match="no address is set") as error:
        values_of(settings, PUT)
    assert "--connection" in str(error.value.hint)


def test_no_password_stands_on_the_command_line_or_in_its_environment(tmp_path: Path) -> None:
    script = 'echo "$@" > $here/args; env > $here/env; cat > $here/stdin; echo ID:' + "41" * 24
    environ = java_that(tmp_path, script) | {"MQTRIAGE_PASSWORD": "s3cret"}
    assert send(PLACE, "QM1", "one.jar:two/*", PUT, environ) == Sent((ONE,))
    arguments = (tmp_path / "args").read_text()
    assert f"-cp {Path('one.jar').absolute()}:{Path('two/*').absolute()} " in arguments
    assert arguments.rstrip().endswith("DelayedPut.java")
    assert "s3cret" not in arguments + (tmp_path / "env").read_text()
    assert "password czNjcmV0\n" in (tmp_path / "stdin").read_text()


@pytest.mark.parametrize(
    ("words", "kind", "text"),
    [
        ("failed\t2035\tno access", NotAuthorized, "MQRC_NOT_AUTHORIZED (2035): no access"),
        ("noise\nfailed\t0\tJMSCC0113", Refused, "delayed send to Q1: JMSCC0113"),
        ("x.java:1: error: package javax.jms", NoClient, "java ended with 1: x.java:1: error"),
        ("", NoClient, "java ended with 1"),
    ],
    ids=["reason", "the-client-itself", "no-jars", "no-words"],
)
def test_what_was_committed_before_a_failure_counts(
    tmp_path: Path, words: str, kind: type[MQTriageError], text: str
) -> None:
    script = f"cat > /dev/null\necho ID:{'41' * 24}\nprintf '%s' '{words}' >&2\nexit 1"
    sent = send(PLACE, "QM1", "x.jar", PUT, java_that(tmp_path, script))
    assert sent.msg_ids == (ONE,)
    assert type(sent.failure) is kind
    assert text in sent.failure.text


def test_a_java_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jms_put, "_START_S", 0.5)
    script = f"echo ID:{'41' * 24}; echo ID:{'42' * 24}; exec sleep 60"
    sent = send(PLACE, "QM1", "x.jar", PUT, java_that(tmp_path, script))
    assert sent.msg_ids == (ONE, TWO)
    assert isinstance(sent.failure, Unreachable)
    assert "check whether the messages are on the queue" in str(sent.failure.hint)


@pytest.mark.parametrize("environ", [{"JAVA_HOME": "/nowhere"}, {"PATH": "/nowhere"}], ids=str)
def test_without_java_one_line_says_what_is_needed(environ: dict[str, str]) -> None:
    with pytest.raises(NoClient) as error:
        send(PLACE, "QM1", "x.jar", PUT, environ)
    assert "jms_classpath needs com.ibm.mq.allclient" in str(error.value.hint)
