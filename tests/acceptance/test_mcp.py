"""`mqtriage mcp`, asked by the client of the protocol's own SDK over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mqtriage.cli.frame.options import ConnectionOptions, Consent
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import verb_function
from tests.acceptance.conftest import Bench
from tests.support.scale import SCALE
from tests.support.tools import module

pytestmark = pytest.mark.slow

SECRET = "TOPSECRET"
Ask = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The sample, with messages whose data, property and header have a secret."""
    bench = Bench(tmp_path / "home")
    bench.environ["MQTRIAGE_CONFIG"] = str(tmp_path / "config.toml")
    bench.ok("emulator", "create", "QM1", "--sample")
    bench.ok("emulator", "create", "QM2")
    for queue in ("ORDERS.IN", "ORDERS.BO"):
        for n in range(3):
            body = f'{{"iban": "{SECRET}", "n": {n}}}'
            put = ("msg", "put", queue, body, "--prop", f"who={SECRET}", "-m", "QM1", "--yes")
            bench.ok(*put)
    bench.ok("emulator", "lab", "rollback", "ORDERS.IN", "--times", "3", "-m", "QM1")
    bench.ok("msg", "put", "ORDERS.IN", SECRET, "--delay", "1h", "-m", "QM1", "--yes")
    bench.ok(
        "msg", "move", "ORDERS.BO", "--to", "DEAD.LETTER.QUEUE", "--add-dlh", "MQRC_Q_FULL",
        "--where", f"body.iban = '{SECRET}'", "--limit", "1", "-m", "QM1", "--yes",
    )  # fmt: skip
    return bench


def with_server(bench: Bench, work: Callable[[Any, Ask], Awaitable[None]], *words: str) -> None:
    """Do *work* with a client of the SDK and a function that calls a tool."""
    stdio = module("mcp.client.stdio", "mcp")
    environ = {**os.environ, **bench.environ}
    parameters = stdio.StdioServerParameters(
        command=sys.executable, args=["-m", "mqtriage", "mcp", *words], env=environ
    )
    connect(stdio.stdio_client(parameters), work)


def connect(server: Any, work: Callable[[Any, Ask], Awaitable[None]]) -> None:
    """Do *work* with a client that is connected to *server*."""
    client = module("mcp.client", "mcp")

    async def session() -> None:
        async with client.Client(server) as connected:

            async def ask(name: str, /, **arguments: Any) -> dict[str, Any]:
                answer = await connected.call_tool(name, arguments)
                content = answer.structured_content
                assert json.loads(answer.content[0].text) == content
                assert answer.is_error is ("error" in content)
                return dict(content)

            await work(connected, ask)

    asyncio.run(asyncio.wait_for(session(), 300))


def here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The server that `mqtriage mcp` starts, in this process, and so is each verb that it runs.

    For many calls: a process for each of them takes a hundred times as long as most verbs.
    """
    module("mcp", "mcp")
    from mqtriage.cli import mcp as verb
    from mqtriage.commands.mcp import server

    def run(argv: list[str], *, input: bytes, env: dict[str, str], **_: Any) -> Any:
        assert argv[:3] == [sys.executable, "-m", "mqtriage"]
        there = Bench(bench.home)
        there.environ = env
        ran = there.run(*argv[3:], answer=input.decode())
        return subprocess.CompletedProcess(argv, ran.code, ran.out.encode(), ran.err.encode())

    servers: list[Any] = []
    processes = SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(verb, "subprocess", processes)  # others, as `doctor`, start theirs
    monkeypatch.setattr(server, "serve", lambda *what: servers.append(server.server_of(*what)))
    bench.ok("mcp")
    return servers[0]


ARGUMENTS: dict[str, dict[str, Any]] = {
    "queue_show": {"name": "ORDERS.IN"},
    "queue_status": {"name": "ORDERS.IN"},
    "msg_browse": {"queues": ["ORDERS.IN", "ORDERS.BO"]},
    "msg_count": {"queues": ["ORDERS.*"], "by": "format,put_appl"},
    "backout_explain": {"name": "ORDERS.IN"},
    "backout_browse": {"queue": "ORDERS.BO"},
    "backout_causes": {"queue": "ORDERS.BO"},
    "expiry_browse": {"queue": "PAYMENTS.REPLY"},
    "expiry_explain": {"name": "PAYMENTS.REPLY"},
    "expiry_reports": {"queue": "PAYMENTS.REPLY"},
    "drift": {"against": "QM2", "only": ["ORDERS.*"]},
    "rc": {"code": ["2035"]},
}
NOT_TRIED = {"snapshot_diff", "msg_show"}
"""The first needs snapshots, the second an id: below."""


def test_no_tool_that_looks_changes_anything_or_shows_message_data(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.ok("snapshot", "take", "-m", "QM1", "--body", "full", "-q")
    before = bench.ok("queue", "ls", "-m", "QM1", "--columns", "queue,curdepth,maxdepth").out
    entries = len(bench.run("journal", "ls", "-o", "json").items)

    async def work(connected: Any, ask: Ask) -> None:
        tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        own = ("qmgr", "context")
        for name, tool in tools.items():
            assert not tool.input_schema["additionalProperties"]
            if name.startswith("plan_") or name in NOT_TRIED:
                continue
            arguments = dict(ARGUMENTS.get(name, {}))
            if "qmgr" in tool.input_schema["properties"] and name not in ("journal_ls", "rc"):
                kind = tool.input_schema["properties"]["qmgr"]["type"]
                arguments["qmgr"] = ["QM1"] if "array" in kind else "QM1"
            answer = await ask(name, **arguments)
            assert "error" not in answer, (name, answer)
            assert SECRET not in json.dumps(answer), name
            assert set(own) & arguments.keys() <= set(own)
        browsed = (await ask("msg_browse", queues=["ORDERS.IN"], qmgr=["QM1"]))["answer"]["items"]
        shown = await ask("msg_show", queue="ORDERS.IN", msgid=browsed[-1]["msg_id"], qmgr="QM1")
        assert shown["answer"]["item"]["msg_id"] == browsed[-1]["msg_id"]
        assert SECRET not in json.dumps(shown)

    if SCALE == "all":
        with_server(bench, work)
    else:
        connect(here(bench, monkeypatch), work)
    after = bench.ok("queue", "ls", "-m", "QM1", "--columns", "queue,curdepth,maxdepth").out
    assert after == before
    assert len(bench.run("journal", "ls", "-o", "json").items) == entries


def test_one_text_may_stand_for_an_array_of_one_and_an_error_names_the_form(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(_: Any, ask: Ask) -> None:
        one = await ask("msg_count", queues="ORDERS.IN", qmgr="QM1", where="backout = 0")
        as_arrays = await ask(
            "msg_count", queues=["ORDERS.IN"], qmgr=["QM1"], where=["backout = 0"]
        )
        assert "error" not in one, one
        assert one["answer"]["items"] == as_arrays["answer"]["items"]
        several = await ask("queue_ls", qmgr="QM1,QM2")
        assert {row["queue_manager"] for row in several["answer"]["items"]} == {"QM1", "QM2"}
        asked = await ask("msg_count", queues="ORDERS.IN", qmgr="QM1", where="body.iban = 'X'")
        assert asked["error"].endswith("message data is not shown to assistants")
        wrong = (await ask("msg_count", queues="ORDERS.IN", qmgr=1))["error"]
        forms = 'an array of strings, such as ["QM1", "QM2"], or a string, such as "QM1"'
        assert wrong == f"qmgr: expected {forms}, not 1"
        one_only = (await ask("plan_msg_purge", queue=["ORDERS.IN"], qmgr="QM1"))["error"]
        assert one_only == 'queue: expected a string, such as "QM1", not ["ORDERS.IN"]'

    connect(here(bench, monkeypatch), work)


def test_what_asks_for_message_data_is_refused_unless_the_context_allows_it(bench: Bench) -> None:
    bench.ok("context", "add", "open", "-m", "QM1", "mcp_bodies=true")
    queues = ["ORDERS.IN"]

    async def work(_: Any, ask: Ask) -> None:
        for more in (
            {"where": [f"body.iban = '{SECRET}'"]},
            {"where": ["prop.who is not null"]},
            {"body_contains": [SECRET]},
            {"prop": [f"who={SECRET}"]},
        ):
            refused = await ask("msg_browse", queues=queues, qmgr=["QM1"], **more)
            assert "message data is not shown" in refused["error"], more
        refused = await ask("msg_count", queues=queues, qmgr=["QM1"], by="queue,$.iban")
        assert "message data is not shown" in refused["error"]
        where = ["dest = 'BODY.X' or backout >= 3"]
        assert "answer" in await ask("msg_browse", queues=queues, qmgr=["QM1"], where=where)
        allowed = await ask(
            "msg_browse", queues=queues, context=["open"], where=[f"body.iban = '{SECRET}'"]
        )
        assert SECRET in allowed["answer"]["items"][0]["body"]

    with_server(bench, work)


def test_a_plan_is_written_and_a_person_carries_it_out(bench: Bench) -> None:
    plans: list[str] = []

    async def work(_: Any, ask: Ask) -> None:
        planned = await ask(
            "plan_msg_move", queue="ORDERS.BO", to="OPS.PARKED", qmgr="QM1", rate="50/s", limit=1
        )
        assert planned["to_carry_out"] == f"mqtriage apply {planned['plan_file']}"
        plans.append(planned["plan_file"])
        changed = await ask("plan_definitions", qmgr=["QM1"], mqsc="DEFINE QLOCAL(NEW.Q)")
        assert changed["answer"]["item"]["forward"] == ["DEFINE QLOCAL('NEW.Q')"]
        plans.append(changed["plan_file"])
        nothing = await ask("plan_msg_purge", queue="NO.SUCH.QUEUE", qmgr="QM1")
        assert "MQRC_UNKNOWN_OBJECT_NAME" in nothing["error"]
        assert "plan_file" not in nothing

    depth = bench.depth("ORDERS.BO")
    with_server(bench, work)
    assert bench.depth("ORDERS.BO") == depth
    assert all(Path(plan).stat().st_mode & 0o077 == 0 for plan in plans)
    bench.ok("apply", plans[0], "-m", "QM1", "--yes")
    assert (bench.depth("ORDERS.BO"), bench.depth("OPS.PARKED")) == (depth - 1, 1)
    bench.ok("apply", plans[1], "-m", "QM1", "--yes")
    assert bench.depth("NEW.Q") == 0


def test_limits_wrong_arguments_and_a_fixed_queue_manager(bench: Bench) -> None:
    bench.ok("msg", "put", "OPS.PARKED", "x", "--count", "300", "-m", "QM1", "--yes")

    async def work(connected: Any, ask: Ask) -> None:
        tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
        assert "qmgr" not in tools["queue_ls"].input_schema["properties"]
        assert not any("file" in tool.input_schema["properties"] for tool in tools.values())
        assert len((await ask("msg_browse", queues=["OPS.PARKED"]))["answer"]["items"]) == 50
        many = await ask("msg_browse", queues=["OPS.PARKED"], limit=5000)
        assert len(many["answer"]["items"]) == 200
        assert "'qmgr' was unexpected" in (await ask("queue_ls", qmgr=["QM2"]))["error"]
        assert "'queues' is a required property" in (await ask("msg_browse"))["error"]
        wrong = (await ask("msg_browse", queues=["X"], limit="2"))["error"]
        assert wrong == 'limit: expected an integer, such as 10, not "2"'
        assert "no tool 'msg_purge'" in (await ask("msg_purge"))["error"]
        assert "queue name '--help'" in (await ask("queue_show", name="--help"))["error"]
        assert "queue name" in (await ask("queue_show", name="--from=/etc/passwd"))["error"]
        names = [prompt.name for prompt in (await connected.list_prompts()).prompts]
        assert names == ["poison_messages", "delayed_messages", "expired_messages"]
        text = await connected.get_prompt("poison_messages", {"queue": "ORDERS.BO"})
        assert "backout queue ORDERS.BO" in text.messages[0].content.text

    with_server(bench, work, "-m", "QM1")


def test_a_call_that_takes_too_long_is_ended(bench: Bench) -> None:
    async def work(_: Any, ask: Ask) -> None:
        assert "took longer than 0.01 s" in (await ask("queue_ls", qmgr=["QM1"]))["error"]

    with_server(bench, work, "--timeout", "10ms")


NOT_SERVED = {
    "emulator": "makes and administers emulated queue managers",
    "context": "changes settings",
    "msg archive": "writes a file", "snapshot take": "writes files",
    "snapshot export": "writes files", "incident": "writes files", "lint baseline": "writes a file",
    "msg diff": "reads files by name",
    "lint fix": "prints what lint check has as fix",
    "watch": "has no end", "top": "has no end",
    "mqsc export": "prints MQSC; queue show and qmgr show have the attributes",
    "mcp": "the server itself",
}  # fmt: skip
"""Verbs that connect and change nothing, and are no tool, with the reason."""


def test_each_verb_that_looks_is_a_tool_or_says_why_not() -> None:
    module("mcp", "mcp")
    from mqtriage.cli.mcp import READING

    verbs = {
        f"{noun} {verb}": entry[0] for noun, g in GROUPS.items() for verb, entry in g.verbs.items()
    }
    verbs |= {name: entry[0] for name, entry in COMMANDS.items()}
    assert set(READING) <= verbs.keys()
    for path, target in verbs.items():
        groups = verb_function(target).verb.groups
        connects = any(issubclass(one, ConnectionOptions) for one in groups)
        changes = any(issubclass(one, Consent) for one in groups)
        if not connects or path == "plan":
            continue
        if changes:
            assert path not in READING
        elif path not in READING:
            assert path in NOT_SERVED or path.split()[0] in NOT_SERVED, path
