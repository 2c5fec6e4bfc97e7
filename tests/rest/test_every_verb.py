"""Every command of the tree over the REST API: it works, or is refused before anything happens."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from mqtriage.cli.frame.console import NO_TERMINALS
from mqtriage.cli.frame.verb import NOT_OVER_REST
from mqtriage.mq import cmqc
from tests.acceptance.conftest import Bench
from tests.acceptance.test_every_command import PATHS, prepared, with_files
from tests.rest.test_commands import bench_at
from tests.support.web_server import WebServer

WHY = "IBM MQ's REST API"
ROLES = ("admin=MQWebAdmin", "admin=MQWebUser")

REFUSED = """
msg put --delay 5m
msg copy
msg move
msg purge
msg archive
msg load
msg diff
msg put --delay 5m
delay forecast
delay cancel
delay release
delay reschedule
backout pending
backout pending --interval
backout browse
backout browse --group origin
backout causes
backout requeue
backout purge
backout move
expiry browse
expiry sweep
expiry extend
expiry purge
expiry reports
expiry revive
dlq browse
dlq causes
dlq requeue
dlq purge
dlq run
archive restore
top delay
top dlq
watch
journal undo
"""
"""What takes, copies or judges messages, and a put with a delay. A verb joins by being refused."""

PARTLY = {"check expiry": {3}, "incident": {3}, "journal resume": {9}}
"""What is left out is named, line by line; nothing waits to be resumed."""

EXTRA = re.compile(r"pip install|jms_classpath|--backend mq")
WORKS = [path for path in PATHS if path.split()[0] not in {"emulator", "analyze"}]
"""Those of the emulator and of snapshots connect to nothing."""


@pytest.fixture
def local(filled_copy: Bench) -> Bench:
    return with_files(filled_copy)


@pytest.fixture
def web(local: Bench) -> Iterator[WebServer]:
    served = WebServer(local.home, web_roles=ROLES)
    yield served
    served.close()


def messages_of(web: WebServer) -> list[tuple[str, bytes, int]]:
    """Each message with its queue and backout count."""
    messages = []
    with web.beside() as beside:
        for queue in beside.queues():
            if queue.kind == "QLOCAL" and not queue.name.startswith("SYSTEM.ADMIN"):
                handle = beside.open(queue.name, cmqc.MQOO_BROWSE)
                messages += [
                    (queue.name, one.md.msg_id, one.md.backout_count) for one in handle.browse()
                ]
    return messages


def test_no_refused_verb_is_gone() -> None:
    assert not set(REFUSED.split("\n")) - {""} - set(WORKS)


def test_the_verbs_that_are_noted_as_refused_are_those_that_are_refused() -> None:
    noted = {f"{noun} {verb}" for noun, verbs in NOT_OVER_REST.items() for verb in verbs.split()}
    others = {"journal undo", "msg put", "top delay", "top dlq"}  # they work in part
    refused = {" ".join(path.split()[:2]) for path in REFUSED.strip().split("\n")}
    assert noted == refused - others - {"watch"}


def test_what_is_named_next_runs_over_rest_or_says_that_it_does_not(
    local: Bench, web: WebServer
) -> None:
    over = bench_at(local.home, web.url, web.serving.ca_file)
    listed = over.run("backout", "ls", "-o", "plain")
    line = r"^(\S+) contains \d+ messages? of at most \d+: mqtriage msg browse \1$"
    named = re.search(line, listed.err, re.M)
    assert named, listed.err
    assert "mqtriage backout causes" in local.run("backout", "ls", "-o", "plain").err
    for check in ("backout", "dlq"):
        ran = over.run("check", check)
        assert re.search(r"next: mqtriage msg browse ", ran.err), ran.err
    ran = over.run("queue", "delete", named[1], "--yes")
    assert f"mqtriage msg purge {named[1]} keeps them in an archive (not over REST" in ran.err


@pytest.mark.parametrize("path", WORKS)
@pytest.mark.slow
def test_a_verb_works_or_says_in_one_line_why_not(local: Bench, web: WebServer, path: str) -> None:
    words = prepared(local, path)
    if path == "journal undo":  # else it goes where its operation was: to the emulator
        words += ["--backend", "rest"]
    over = bench_at(local.home, web.url, web.serving.ca_file)
    over.environ["MQTRIAGE_CONFIG"] = local.environ["MQTRIAGE_CONFIG"]
    before = messages_of(web)
    ran = over.run(*words, terminals=NO_TERMINALS)
    is_refused = any(line.startswith("error") and WHY in line for line in ran.err.splitlines())
    assert is_refused == (path in REFUSED.split("\n")), (ran.code, ran.out, ran.err)
    assert "Traceback" not in ran.err
    for command in re.findall(r"\bmqtriage ([a-z]+ [a-z]+)", ran.err):
        noted = "(not over REST: it requires --backend mq)" in ran.err
        assert noted or command not in REFUSED.split("\n"), ran.err
    if not is_refused:
        assert ran.code in {0, 1, 2, 4} | PARTLY.get(path, set()), (ran.code, ran.out, ran.err)
        return
    assert messages_of(web) == before
    assert (ran.code, ran.out) == (8, "")
    lines = [line for line in ran.err.splitlines() if not line.startswith("note: ")]
    assert [line.partition(":")[0] for line in lines] == ["error", "hint"], ran.err
    assert EXTRA.search(lines[1]), lines
