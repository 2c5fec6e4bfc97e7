"""`--verbose`: every call is told with its completion and reason, and no message data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.backends.port import Backend, Capability
from mqtriage.backends.registry import ConnectionSettings, open_backend
from mqtriage.backends.tracing import option_names
from mqtriage.emulator.core.create import create
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding

SECRET = b"4929 1234 5678"


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def backend(tmp_path: Path, lines: list[str]) -> Iterator[Backend]:
    create(tmp_path, "QM1", frozen=True)
    settings = ConnectionSettings(queue_manager="QM1", home=str(tmp_path), trace=lines.append)
    connected = open_backend(settings, notice=print)
    connected.define("QLOCAL", "Q", {"MAXDEPTH": 1})
    yield connected
    connected.disconnect()


def test_each_call_is_told_with_its_completion(backend: Backend, lines: list[str]) -> None:
    handle = backend.open("Q", cmqc.MQOO_OUTPUT | cmqc.MQOO_INPUT_SHARED)
    msg_id = handle.put(MQMD(), SECRET, cmqc.MQPMO_SYNCPOINT).msg_id.hex().upper()
    backend.commit()
    handle.get(cmqc.MQGMO_SYNCPOINT)
    backend.backout()
    handle.close()
    assert lines == [
        "MQCONN QM1: MQCC_OK",
        "DEFINE QLOCAL(Q) MAXDEPTH: MQCC_OK",
        "MQOPEN Q MQOO_INPUT_SHARED+MQOO_OUTPUT: MQCC_OK",
        f"MQPUT Q MQPMO_SYNCPOINT: MQCC_OK, 14 bytes, MsgId {msg_id}",
        "MQCMIT: MQCC_OK",
        f"MQGET Q MQGMO_SYNCPOINT: MQCC_OK, 14 bytes, MsgId {msg_id}",
        "MQBACK: MQCC_OK",
        "MQCLOSE Q: MQCC_OK",
    ]


def test_a_call_that_fails_is_told_with_its_reason(backend: Backend, lines: list[str]) -> None:
    backend.put1("Q", MQMD(), SECRET)
    with pytest.raises(MQIError):
        backend.put1("Q", MQMD(), SECRET)
    assert lines[-1] == "MQPUT1 Q: MQCC_FAILED MQRC_Q_FULL (2053)"


def test_a_browse_tells_each_message_and_its_end(backend: Backend, lines: list[str]) -> None:
    msg_id = backend.put1("Q", MQMD(), SECRET).msg_id.hex().upper()
    list(backend.open("Q", cmqc.MQOO_BROWSE).browse())
    assert lines[-2:] == [
        f"MQGET Q MQGMO_BROWSE_NEXT: MQCC_OK, 14 bytes, MsgId {msg_id}",
        "MQGET Q MQGMO_BROWSE_NEXT: MQCC_FAILED MQRC_NO_MSG_AVAILABLE (2033)",
    ]


def test_message_data_is_never_told(backend: Backend, lines: list[str]) -> None:
    backend.put1("Q", MQMD(), SECRET)
    list(backend.open("Q", cmqc.MQOO_BROWSE).browse())
    assert SECRET.decode() not in "".join(lines)


def test_a_delayed_put_is_told_with_its_delay(backend: Backend, lines: list[str]) -> None:
    msg_id = backend.put_delayed("Q", MQMD(), SECRET, 1500).msg_id.hex().upper()
    assert lines[-1] == f"send Q delay 1500 ms: MQCC_OK, 14 bytes, MsgId {msg_id}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("DISPLAY QMGR DEADQ", "MQSC DISPLAY QMGR: MQCC_OK"),
        ("DEFINE QLOCAL('q') DESCR('4929')", "MQSC DEFINE QLOCAL(q): MQCC_OK"),
        (
            "DELETE QLOCAL(NONE)",
            "MQSC DELETE QLOCAL(NONE): MQCC_FAILED MQRC_UNKNOWN_OBJECT_NAME (2085)",
        ),
        ("DEFINE QLOCAL(A) NOWORD(4929)", "MQSC DEFINE QLOCAL(A): MQCC_FAILED syntax error"),
    ],
)
def test_mqsc_is_told_by_its_object_and_how_it_ended(
    backend: Backend, lines: list[str], text: str, line: str
) -> None:
    script = parse(text)
    backend.run_mqsc(script, script.commands[0])
    assert lines[-1] == line


def test_a_check_of_mqsc_runs_nothing_and_tells_nothing(backend: Backend, lines: list[str]) -> None:
    script = parse("DELETE QLOCAL(Q)")
    assert backend.check_mqsc(script, script.commands[0]).ending is CommandEnding.DONE
    assert lines[-1].startswith("DEFINE")
    assert backend.queue("Q").name == "Q"


def test_what_the_end_can_do_is_still_known(backend: Backend) -> None:
    assert backend.queue_manager == "QM1"
    assert Capability.DELAYED_PUT in backend.capabilities
    assert backend.insight is not None


def test_options_without_a_name_are_shown_as_a_number() -> None:
    assert option_names(cmqc.MQOO_BROWSE | 1 << 30, "MQOO_") == "MQOO_BROWSE+0x40000000"
    assert option_names(0, "MQOO_") == ""
