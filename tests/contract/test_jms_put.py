"""`msg put --delay` on a real queue manager: IBM's JMS client sends it, over TCP."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.mq.delay import STAGING_QUEUE
from tests.acceptance.messages.estate import Estate, file_words, hex_of
from tests.contract.conftest import load
from tests.jms.conftest import Listener
from tests.support.ibm_java import NEWEST, need
from tests.support.ibm_java import jars as fetched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def jars() -> str:
    """IBM's jars, where their licence was accepted."""
    need()
    return f"{fetched(NEWEST[0])}/*"


@pytest.fixture
def heard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Estate]:
    """A queue manager that clients in C and Java reach."""
    load(request, "pymqi")
    estate = Estate.create(tmp_path / "home")
    estate.queue("OUT")
    listener = Listener(estate.folder)
    estate.reached_by("pymqi")
    place = {
        "MQTRIAGE_CONNECTION": f"127.0.0.1({listener.port})",
        "MQTRIAGE_CHANNEL": "SYSTEM.DEF.SVRCONN",
    }
    estate.environ = dict(os.environ) | estate.environ | place
    yield estate
    assert listener.stop() == 0


PUT = ("msg", "put", "OUT", "hello", "--delay", "1h", "--yes")


def test_ibms_client_sends_and_its_ids_are_printed(
    heard: Estate, jars: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    heard.environ["MQTRIAGE_JMS_CLASSPATH"] = jars
    ran = heard.run(*PUT, "--count", "2", "--prop", "colour=red", "--priority", "7",
                    "--correlid", "text:C", "--expiry", "2h", "--not-persistent")  # fmt: skip
    assert ran.code == 0, ran.err
    staged = heard.messages(STAGING_QUEUE)
    assert ran.out.split() == [hex_of(message.md.correl_id) for message in staged]
    assert len(staged) == 2
    items = heard.run("delay", "browse", "-o", "json").json["items"]
    assert {(item["ddh_time_basis"], item["delay_ms"]) for item in items} == {("sender", 3_600_000)}
    heard.advance(3601)
    first, _ = heard.messages("OUT")
    assert (first.body[-5:], first.md.format) == (b"hello", "MQHRF2")
    assert b"<colour>red</colour>" in first.body
    assert (first.md.priority, first.md.persistence) == (7, 0)
    assert first.md.correl_id == b"C".ljust(24, b"\0")


def test_several_files_are_sent_in_one_unit_of_work(
    heard: Estate, jars: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    heard.environ["MQTRIAGE_JMS_CLASSPATH"] = jars
    files = file_words(tmp_path, "aaa", "bbb", "ccc")
    words = ("msg", "put", "OUT", *files, "--delay", "1h", "--yes")
    ran = heard.run(*words)
    assert ran.code == 0, ran.err
    staged = heard.messages(STAGING_QUEUE)
    assert ran.out.split() == [hex_of(message.md.correl_id) for message in staged]
    assert [message.body[-3:] for message in staged] == [b"aaa", b"bbb", b"ccc"]
    heard.alter(STAGING_QUEUE, MAXDEPTH=5)
    ran = heard.run(*words)
    assert (ran.code, ran.out, len(heard.messages(STAGING_QUEUE))) == (1, "", 3)


def test_what_the_client_sends_is_what_the_emulator_writes(
    heard: Estate, jars: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same options, the same bytes, but for the digits of two times."""
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    heard.environ["MQTRIAGE_JMS_CLASSPATH"] = jars
    more = ("--prop", "colour=red", "--priority", "7", "--correlid", "text:C", "--reply-to", "OUT",
            "--report", "COD,EXPIRATION_WITH_DATA,PASS_MSG_ID")  # fmt: skip
    for backend in ("mq", "emulator"):
        ran = heard.run(*PUT, *more, "--backend", backend)
        assert ran.code == 0, ran.err
    theirs, ours = heard.messages(STAGING_QUEUE)
    assert masked(theirs.body) == masked(ours.body)
    kept = {"put_date": "", "put_time": "", "msg_id": b"", "correl_id": b"", "put_appl_name": "",
            "put_appl_type": 0, "user_identifier": "", "accounting_token": b""}  # fmt: skip
    assert theirs.md._replace(**kept) == ours.md._replace(**kept)  # type: ignore[arg-type]


def masked(body: bytes) -> bytes:
    """The sender's message without its times."""
    return re.sub(rb"<(Tms|Dtm)>\d{13}<", rb"<\1><", body[body.index(b"RFH ") :])


@pytest.mark.long
def test_what_the_queue_manager_refuses_is_told_with_its_reason(
    heard: Estate, jars: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    heard.environ["MQTRIAGE_JMS_CLASSPATH"] = jars
    heard.alter("OUT", PUT="DISABLED")
    ran = heard.run(*PUT)
    assert (ran.code, "MQRC_PUT_INHIBITED (2051)" in ran.err) == (1, True), ran.err
    ran = heard.run(*PUT[:4], "--delay", "2h", "--expiry", "1h", "--yes")
    assert ran.code != 0
    assert "Traceback" not in ran.err
    assert heard.messages(STAGING_QUEUE) == []


def test_without_jars_the_refusal_names_the_key(
    heard: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    ran = heard.run(*PUT)
    assert (ran.code, "jms_classpath" in ran.err) == (8, True), ran.err
    heard.environ |= {"MQTRIAGE_JMS_CLASSPATH": "/nowhere/x.jar", "JAVA_HOME": "/nowhere"}
    ran = heard.run(*PUT)
    assert (ran.code != 0, "JAVA_HOME has no bin/java" in ran.err) == (True, True), ran.err
    assert heard.messages(STAGING_QUEUE) == []


def test_no_java_is_run_with_jars_that_an_untrusted_project_file_names(
    heard: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQTRIAGE_HOME", str(heard.folder))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    theirs = 'use = "x"\n[context.x]\nqmgr = "QM1"\njms_classpath = "/tmp/theirs.jar"\n'
    (tmp_path / ".mqtriage.toml").write_text(theirs)
    del heard.environ["MQTRIAGE_QMGR"]
    ran = heard.run(*PUT)
    assert (ran.code, "sets jms_classpath" in ran.err) == (8, True), ran.err
