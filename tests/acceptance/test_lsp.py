"""`mqtriage lsp` with pygls's own client, over the pipes of a process, as an editor uses it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mqtriage.cli.frame.main import main
from mqtriage.definitions.lint.pages import page_of
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import parse
from tests.support.application import app_for_test
from tests.support.tools import module

pytestmark = pytest.mark.slow

types = module("lsprotocol.types", "pygls")
LanguageClient = module("pygls.lsp.client", "pygls").LanguageClient
SERVER = (sys.executable, "-m", "mqtriage", "lsp")
HALF = "* Straße 😀\nDEFINE QLOCAL(ORDERS.IN) DESCR('😀') BOTHRESH(3)\n"
LONGEST_S = 120


class Editor:
    """One client that started the server, and the findings that it was shown."""

    def __init__(self, client: Any, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.shown: asyncio.Queue[Any] = asyncio.Queue()
        self.messages: list[str] = []
        self._version = 0
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self.shown.put_nowait))
        client.feature(types.WINDOW_SHOW_MESSAGE)(lambda p: self.messages.append(p.message))

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str) -> Any:
        """The findings of a document that is opened."""
        document = types.TextDocumentItem(self.uri(name), "mqsc", self._next(), text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return await self.findings()

    def change(self, name: str, text: str) -> None:
        whole = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(self._next(), self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def findings(self) -> Any:
        return (await self.shown.get()).diagnostics

    async def actions(self, name: str, span: Any, *only: str) -> Any:
        context = types.CodeActionContext([], only=list(only) or None)
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.CodeActionParams(document, span, context)
        return await self.client.text_document_code_action_async(params)

    def at(self, name: str, line: int, character: int) -> Any:
        document = types.TextDocumentIdentifier(self.uri(name))
        return {"text_document": document, "position": types.Position(line, character)}

    def _next(self) -> int:
        self._version += 1
        return self._version


def with_editor(
    folder: Path, use: Callable[[Editor], Awaitable[None]], *, snippets: bool = False
) -> None:
    """Start a server, use it and let it go; it ends with 0 and has nothing to say on stderr."""

    async def session() -> None:
        client: Any = LanguageClient("editor", "1")
        editor = Editor(client, folder)
        await client.start_io(*SERVER, cwd=folder)
        item = types.ClientCompletionItemOptions(snippet_support=snippets)
        completion = types.CompletionClientCapabilities(completion_item=item)
        text = types.TextDocumentClientCapabilities(completion=completion)
        capabilities = types.ClientCapabilities(text_document=text)
        await client.initialize_async(
            types.InitializeParams(capabilities, root_uri=folder.as_uri())
        )
        client.initialized(types.InitializedParams())
        await use(editor)
        await client.shutdown_async(None)
        client.exit(None)
        await client._server.wait()
        assert (client._server.returncode, await client._server.stderr.read()) == (0, b"")
        await client.stop()

    asyncio.run(asyncio.wait_for(session(), LONGEST_S))


def edited(text: str, edits: list[Any]) -> str:
    """The text with the edits of the protocol, whose characters are UTF-16 units."""
    lines = text.split("\n")

    def offset(position: Any) -> int:
        before = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return sum(len(line) + 1 for line in lines[: position.line]) + len(
            before.decode("utf-16-le")
        )

    for edit in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_findings_come_with_their_places_and_go_with_their_cause(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        (finding,) = await editor.open("a.mqsc", HALF)
        assert (finding.code, finding.source) == ("BKO001", "mqtriage")
        assert finding.severity is types.DiagnosticSeverity.Error
        assert finding.range == types.Range(types.Position(1, 37), types.Position(1, 48))
        assert "BOQNAME is blank" in finding.message
        editor.change("a.mqsc", HALF.replace("(3)", "(0)"))
        assert all(f.code != "BKO001" for f in await editor.findings())
        editor.change("a.mqsc", "DEFINE QLOCAL(A) MAXDEPTH(x)")
        (wrong,) = [f for f in await editor.findings() if f.code == "MQSC002"]
        assert wrong.range.start == types.Position(0, 17)
        document = types.TextDocumentIdentifier(editor.uri("a.mqsc"))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        assert await editor.findings() == ()

    with_editor(folder, use)


def test_only_the_last_of_quick_changes_is_checked(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("a.mqsc", HALF)
        for _ in range(20):
            editor.change("a.mqsc", HALF)
        editor.change("a.mqsc", "")
        shown = await editor.shown.get()
        assert (shown.version, shown.diagnostics) == (22, ())

    with_editor(folder, use)


def test_settings_are_those_of_the_files_folder_and_a_save_reads_them_anew(folder: Path) -> None:
    settings = folder / "mqtriage.toml"
    settings.write_text('[lint.severity]\nBKO001 = "info"\n', "utf-8")

    async def use(editor: Editor) -> None:
        (finding,) = await editor.open("a.mqsc", HALF)
        assert finding.severity is types.DiagnosticSeverity.Information
        assert finding.code_description is None
        pages = "https://git.example.com/rules/"
        settings.write_text(f'[lint]\nrule-pages = "{pages}"\n', "utf-8")
        document = types.TextDocumentIdentifier(editor.uri("a.mqsc"))
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        (finding,) = await editor.findings()
        assert finding.severity is types.DiagnosticSeverity.Error
        assert finding.code_description.href == f"{pages}bko001_backout_queue_blank.md"
        settings.write_text("[lint]\nfail_on = 1\n", "utf-8")
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        assert [f.code for f in await editor.findings()] == ["BKO001"]
        assert ["lint.fail_on" in message for message in editor.messages] == [True]

    with_editor(folder, use)


def test_a_fix_of_the_editor_is_the_fix_of_the_command_line(folder: Path) -> None:
    file = folder / "a.mqsc"
    file.write_bytes(HALF.encode())
    command = [*SERVER[:3], "lint", "fix", "a.mqsc", "--write", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)

    async def use(editor: Editor) -> None:
        (finding,) = await editor.open("a.mqsc", HALF)
        fix, ignore = await editor.actions("a.mqsc", finding.range, "quickfix")
        assert fix.title.startswith("BKO001: ")
        assert fix.diagnostics[0].code == "BKO001"
        text = edited(HALF, fix.edit.changes[editor.uri("a.mqsc")])
        assert text == file.read_text("utf-8")
        (whole,) = await editor.actions("a.mqsc", finding.range, "source.fixAll")
        assert edited(HALF, whole.edit.changes[editor.uri("a.mqsc")]) == text
        top = types.Range(types.Position(0, 0), types.Position(0, 0))
        assert await editor.actions("a.mqsc", top, "quickfix") == ()
        assert ignore.title == "Ignore BKO001 here"
        editor.change("a.mqsc", edited(HALF, ignore.edit.changes[editor.uri("a.mqsc")]))
        assert [f.code for f in await editor.findings()] == ["LNT001"], "it wants the reason"

    with_editor(folder, use)


def test_hover_shows_the_attribute_and_the_page_of_the_rule(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("a.mqsc", HALF)
        hover = await editor.client.text_document_hover_async(
            types.HoverParams(**editor.at("a.mqsc", 1, 40))
        )
        assert hover.contents.value.startswith("**BOTHRESH** of QLOCAL")
        assert hover.contents.value.endswith(page_of("BKO001"))
        assert hover.range == types.Range(types.Position(1, 37), types.Position(1, 48))
        nothing = types.HoverParams(**editor.at("a.mqsc", 0, 3))
        assert await editor.client.text_document_hover_async(nothing) is None

    with_editor(folder, use)


@pytest.mark.parametrize("snippets", [True, False])
def test_completion_takes_the_place_of_what_was_begun(folder: Path, snippets: bool) -> None:
    async def use(editor: Editor) -> None:
        text = "DEFINE QLOCAL(B)\nDEFINE QLOCAL(A) DESCR('😀') BOQN"
        await editor.open("a.mqsc", text)
        params = types.CompletionParams(**editor.at("a.mqsc", 1, 33))
        items = await editor.client.text_document_completion_async(params)
        (item,) = [item for item in items if item.label == "BOQNAME"]
        assert item.text_edit.new_text == ("BOQNAME($0)" if snippets else "BOQNAME(")
        begun = edited(text, [item.text_edit]).replace("$0)", "")
        assert begun.endswith("DESCR('😀') BOQNAME(")
        editor.change("a.mqsc", begun)
        params = types.CompletionParams(**editor.at("a.mqsc", 1, 37))
        names = await editor.client.text_document_completion_async(params)
        assert [name.label for name in names][:1] == ["B"]

    with_editor(folder, use, snippets=snippets)


def test_formatting_is_that_of_mqsc_fmt(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        text = "def ql(a) +\r\n  maxdepth(7)\r\n* 😀 stays"
        await editor.open("a.mqsc", text)
        document = types.TextDocumentIdentifier(editor.uri("a.mqsc"))
        options = types.FormattingOptions(4, True)
        params = types.DocumentFormattingParams(document, options)
        (edit,) = await editor.client.text_document_formatting_async(params)
        formatted = edited(text, [edit])
        assert formatted == format_script(parse(text))
        editor.change("a.mqsc", formatted)
        assert await editor.client.text_document_formatting_async(params) == ()

    with_editor(folder, use)


def test_a_document_that_was_never_saved_is_checked_too(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        item = types.TextDocumentItem("untitled:Untitled-1", "mqsc", 1, HALF)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        assert [f.code for f in await editor.findings()] == ["BKO001"]

    with_editor(folder, use)


def test_an_editor_that_goes_away_or_talks_nonsense_ends_nothing_with_a_trace(
    folder: Path,
) -> None:
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    for sent in (
        "",
        "Content-Length: 5\r\n\r\n{{{{{",
        f"Content-Length: 2\r\n\r\n{hello}",
        "GET / \n",
    ):
        ran = subprocess.run(
            SERVER,
            input=sent.encode(),
            capture_output=True,
            cwd=folder,
            timeout=LONGEST_S,
            check=False,
        )
        assert ran.returncode == 0, sent
        assert b"mqtriage/" not in ran.stderr, ran.stderr


_INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
HELLO = f"Content-Length: {len(_INITIALIZE)}\r\n\r\n{_INITIALIZE}".encode()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_although_the_editor_is_still_there(
    folder: Path, sent: signal.Signals
) -> None:
    with subprocess.Popen(
        SERVER, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Content-Length: ")
        process.send_signal(sent)
        try:
            assert process.wait(LONGEST_S) == 128 + sent
        finally:
            process.kill()
        assert b"Traceback" not in process.stderr.read()


_TAKEN_BY_A_THREAD = """
import os, runpy, signal, sys, threading, time

def take():
    while not os.path.exists("now"):
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(600)

threading.Thread(target=take, daemon=True).start()
sys.argv = ["mqtriage", "lsp"]
runpy.run_module("mqtriage", run_name="__main__")
"""


def test_a_signal_that_another_thread_takes_ends_it(folder: Path) -> None:
    """As one does that comes just before the main thread waits: nothing interrupts the wait."""
    with subprocess.Popen(
        [sys.executable, "-c", _TAKEN_BY_A_THREAD], cwd=folder,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"Content-Length: ")
        (folder / "now").touch()
        try:
            assert process.wait(LONGEST_S) == 143
        finally:
            process.kill()


@pytest.mark.parametrize(
    "header", ["Content-Length: 99999999999999", "Content-Length: " + "9" * 5000, "x" * 100_000]
)
def test_a_length_that_would_fill_the_memory_is_refused(header: str) -> None:
    sent = f"{header}\r\n\r\n{{}}".encode()
    ran = subprocess.run(SERVER, input=sent, capture_output=True, timeout=LONGEST_S, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    first, *others = ran.stderr.decode().splitlines()
    assert first.startswith("error: standard input: a ")
    assert len(others) == 1


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [n for n in sys.modules if n.startswith(("pygls", "mqtriage.commands.lsp"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    app = app_for_test()
    assert main(["lsp"], app) == 2
    lines = app.run.stderr.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 2
    assert lines[0].startswith("error: mqtriage lsp needs pygls")
    assert lines[1] == "hint: pip install '.[lsp]' in your mqtriage checkout"


def test_the_lines_for_editors_start_the_server() -> None:
    page = (Path(__file__).parents[2] / "docs" / "editors.md").read_text("utf-8")
    blocks = dict(re.findall(r"```\w+ file=(\S+)[^\n]*\n(.*?)```", page, re.DOTALL))
    assert json.loads(blocks.pop("package.json"))["main"] == "./extension.js"
    assert blocks.keys() == {"extension.js", "init.lua", "older.lua", "init.el", "lsp-mode.el"}
    for name, text in blocks.items():
        assert re.search(r'"mqtriage",? (args: \[)?"lsp"', text), name
    assert "pip install '.[lsp]'" in page
