"""`mqtriage lsp`: the language server protocol over `definitions/editor`, by pygls.

The only home of pygls, which the extra `lsp` brings. A document is checked when it has
been still for `_STILL_S` seconds, in a thread; what editors ask is answered from that, or from a
new check where the text has moved on. Documents come whole: pygls would split lines where MQSC and
the protocol do not.

Source: Microsoft, "Language Server Protocol Specification", 3.17.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import Any, BinaryIO, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from mqtriage import __version__
from mqtriage.definitions.editor.checked import CheckedFile, all_fixed, check_text, script_text
from mqtriage.definitions.editor.completion import Completion, CompletionKind, completions_at
from mqtriage.definitions.editor.hover import hover_at
from mqtriage.definitions.editor.semantic_tokens import TOKEN_TYPES, tokens_of
from mqtriage.definitions.editor.symbols import (
    Occurrence,
    Place,
    Workspace,
    check_new_name,
    name_at,
    new_text,
    occurrences,
)
from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.lint.pages import address_of
from mqtriage.model.result import Record
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Command

_STILL_S: Final = 0.2
_LONGEST_HEADER: Final = 1024
_LONGEST_REQUEST: Final = 1 << 26
"""In bytes; a document comes whole."""
_HINT: Final = "an editor that supports the Language Server Protocol starts this: docs/editors.md"
_SOURCE: Final = "mqtriage"
_FIX_ALL: Final = "source.fixAll.mqtriage"
_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_SIGNS: Final = {
    CompletionKind.VERB: types.CompletionItemKind.Keyword,
    CompletionKind.TYPE: types.CompletionItemKind.Class,
    CompletionKind.ATTRIBUTE: types.CompletionItemKind.Property,
    CompletionKind.VALUE: types.CompletionItemKind.EnumMember,
    CompletionKind.NAME: types.CompletionItemKind.Reference,
}


class Positions:
    """Places of a text, and those of the protocol: from 0, in units that client and server chose.

    Args:
        codec: pygls's, which counts the units of a text.
    """

    def __init__(self, text: str, codec: Any) -> None:
        self._lines = text.split("\n")
        self._codec = codec
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def at(self, line: int, column: int | None) -> types.Position:
        """A line and column from 1; None is the end of the line."""
        text = self._lines[line - 1]
        before = text.removesuffix("\r") if column is None else text[: column - 1]
        return types.Position(line - 1, self._codec.client_num_units(before))

    def at_offset(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset)
        return self.at(line, offset - self._starts[line - 1] + 1)

    def offset(self, position: types.Position) -> int:
        """The place of a position; one behind the end of a line or text is that end."""
        if position.line >= len(self._lines):
            return self._starts[-1] - 1
        text = self._lines[position.line]
        column = min(position.character, len(text))
        if not text.isascii():
            units = (self._codec.client_num_units(text[:n]) for n in range(len(text)))
            column = next((n for n, at in enumerate(units) if at >= position.character), len(text))
        return self._starts[position.line] + column

    def whole(self) -> types.Range:
        return types.Range(types.Position(0, 0), self.at(len(self._lines), None))


class Service:
    """The documents of one editor, and the answers to what it asks about them."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._checked: dict[str, tuple[int, CheckedFile]] = {}
        self._turn = asyncio.Lock()  # checks of a long script must not pile up
        self._problem = ""

    def register(self) -> None:
        """Name the functions that pygls is to call."""
        features: dict[str, tuple[Any, ...]] = {
            types.TEXT_DOCUMENT_DID_OPEN: (self.changed,),
            types.TEXT_DOCUMENT_DID_CHANGE: (self.changed,),
            types.TEXT_DOCUMENT_DID_SAVE: (self.saved,),
            types.TEXT_DOCUMENT_DID_CLOSE: (self.closed,),
            types.TEXT_DOCUMENT_HOVER: (self.hover,),
            types.TEXT_DOCUMENT_FORMATTING: (self.format,),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self.symbols,),
            types.TEXT_DOCUMENT_DEFINITION: (self.definition,),
            types.TEXT_DOCUMENT_REFERENCES: (self.references,),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self.can_rename,),
            types.TEXT_DOCUMENT_RENAME: (self.rename, types.RenameOptions(prepare_provider=True)),
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (
                self.tokens,
                types.SemanticTokensLegend(list(TOKEN_TYPES), []),
            ),
            types.TEXT_DOCUMENT_COMPLETION: (
                self.complete,
                types.CompletionOptions(trigger_characters=["("]),
            ),
            types.TEXT_DOCUMENT_CODE_ACTION: (
                self.actions,
                types.CodeActionOptions([types.CodeActionKind.QuickFix, _FIX_ALL]),
            ),
        }
        for name, (answer, *options) in features.items():
            # pygls notes the name in the function, and a method takes no notes
            self._server.feature(name, *options)(partial(answer))

    # documents -------------------------------------------------------------------------------

    async def changed(self, params: Any) -> None:
        """Check a document that was opened or changed, once it is still."""
        uri, version = params.text_document.uri, params.text_document.version
        await asyncio.sleep(_STILL_S)
        async with self._turn:
            if self._version(uri) == version:
                await self._publish(uri)

    async def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check again: the settings may have changed."""
        async with self._turn:
            self._checked.pop(params.text_document.uri, None)
            await self._publish(params.text_document.uri)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document and take its findings away."""
        uri = params.text_document.uri
        self._checked.pop(uri, None)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _version(self, uri: str) -> int | None:
        document = self._server.workspace.text_documents.get(uri)
        return document.version if document is not None else None

    def _text(self, uri: str) -> str:
        # the parser leaves a byte order mark out, and editors do not send one
        return str(self._server.workspace.get_text_document(uri).source).removeprefix("\ufeff")

    def _positions(self, text: str) -> Positions:
        return Positions(text, self._server.workspace.position_codec)

    def _check(self, uri: str) -> CheckedFile:
        version = self._version(uri)
        known = self._checked.get(uri)
        if known is not None and known[0] == version:
            return known[1]
        checked = check_text(self._text(uri), self._path(uri))
        if version is not None:
            self._checked[uri] = (version, checked)
        return checked

    def _path(self, uri: str) -> Path:
        if uri.startswith("file:"):
            return Path(to_fs_path(uri) or uri)
        return Path(self._server.workspace.root_path or Path.cwd()) / "untitled.mqsc"

    async def _publish(self, uri: str) -> None:
        version = self._version(uri)
        checked = await asyncio.to_thread(self._check, uri)
        if self._version(uri) != version:
            return  # it has moved on, and another check is under way
        if checked.problem and checked.problem != self._problem:
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, checked.problem)
            )
        self._problem = checked.problem
        positions = self._positions(checked.text)
        diagnostics = [_diagnostic(f, positions, checked) for f in checked.findings]
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    # questions -------------------------------------------------------------------------------

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The attribute and the findings at a place."""
        checked = self._check(params.text_document.uri)
        positions = self._positions(checked.text)
        offset = positions.offset(params.position)
        named = name_at(checked.script, offset)
        defined = self._near(params.text_document.uri).definitions(named) if named else []
        hover = hover_at(checked, offset, named, defined)
        if hover is None:
            return None
        span = types.Range(positions.at_offset(hover.start), positions.at_offset(hover.end))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, hover.text), span)

    def format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        """The document in the form of `mqsc fmt`, as one edit; none where it has that form."""
        uri = params.text_document.uri
        text = self._text(uri)
        if holds_mqsc(uri):
            return []  # YAML and the like; mqsc fmt leaves them too
        new = format_script(parse(text))
        return [] if new == text else [types.TextEdit(self._positions(text).whole(), new)]

    def complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        """What may stand at a place."""
        uri = params.text_document.uri
        text = self._text(uri)
        positions = self._positions(text)
        known = self._checked.get(uri)
        checked = known[1] if known is not None else self._check(uri)
        offset = positions.offset(params.position)
        estate = checked.estate_at(offset)
        start, offers = completions_at(
            script_text(text, checked.script.file),
            offset,
            estate,
            checked.config.platform or estate.platform,
        )
        span = types.Range(positions.at_offset(start), params.position)
        document = self._server.client_capabilities.text_document
        item = document.completion.completion_item if document and document.completion else None
        snippets = bool(item and item.snippet_support)
        return [_completion_item(offer, span, snippets=snippets) for offer in offers]

    # names -----------------------------------------------------------------------------------

    def _near(self, uri: str) -> Workspace:
        """The scripts of the queue manager that a document is about."""
        opened = {
            self._path(one): self._check(one).script
            for one in (uri, *self._server.workspace.text_documents)
        }
        return Workspace(self._path(uri), opened)

    def _named(self, params: Any) -> Occurrence | None:
        checked = self._check(params.text_document.uri)
        offset = self._positions(checked.text).offset(params.position)
        return name_at(checked.script, offset)

    def _location(self, place: Place) -> types.Location:
        return types.Location(place.path.as_uri(), self._span(place))

    def _span(self, place: Place) -> types.Range:
        positions = self._positions(place.text)
        return types.Range(positions.at_offset(place.at.start), positions.at_offset(place.at.end))

    def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """The objects that a document defines, changes and deletes."""
        checked = self._check(params.text_document.uri)
        positions = self._positions(checked.text)
        names = {one.start: one for one in occurrences(checked.script)}
        symbols = []
        for command in checked.script.commands:
            one = names.get(command.name.start) if command.name else None
            if command.error is None and command.verb in ("DEFINE", "ALTER", "DELETE", "SET"):
                symbols.append(_symbol(command, one, checked.script.raw(command), positions))
        return symbols

    def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Where what is named at a place is defined."""
        named = self._named(params)
        if named is None:
            return []
        return [self._location(p) for p in self._near(params.text_document.uri).definitions(named)]

    def references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Where what is named at a place is named."""
        named = self._named(params)
        if named is None:
            return []
        with_definition = params.context.include_declaration
        places = self._near(params.text_document.uri).places(named)
        return [self._location(p) for p in places if with_definition or not p.at.defines]

    def can_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        """The span of the name at a place, None where it cannot be renamed."""
        named = self._named(params)
        if named is None:
            return None
        try:
            check_new_name(named, named.name, ())
        except UsageError:
            return None
        positions = self._positions(self._check(params.text_document.uri).text)
        quote = 1 if named.quoted else 0
        return types.Range(
            positions.at_offset(named.start + quote), positions.at_offset(named.end - quote)
        )

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """The edits that give an object another name, wherever it is named.

        None if it cannot have that name; the editor shows that.
        """
        named = self._named(params)
        if named is None:
            return None
        near = self._near(params.text_document.uri)
        try:
            others = near.places(named._replace(name=params.new_name), exact=True)
            check_new_name(named, params.new_name, others)
        except UsageError as error:
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, error.text)
            )
            return None
        changes: dict[str, list[types.TextEdit]] = {}
        for place in near.places(named, exact=True):
            edit = types.TextEdit(self._span(place), new_text(place, params.new_name))
            changes.setdefault(place.path.as_uri(), []).append(edit)
        return types.WorkspaceEdit(changes=changes)

    def tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        """What each word of a document is."""
        checked = self._check(params.text_document.uri)
        positions = self._positions(checked.text)
        data: list[int] = []
        line = column = 0
        for token in tokens_of(checked.script):
            start, end = positions.at_offset(token.start), positions.at_offset(token.end)
            if start.line != end.line:
                continue  # a value that goes on in the next line
            if start.line != line:
                column = 0
            length = end.character - start.character
            data += [start.line - line, start.character - column, length, token.type, 0]
            line, column = start.line, start.character
        return types.SemanticTokens(data)

    def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Fixes of the findings in a range, comments that ignore them, or all fixes at once."""
        uri = params.text_document.uri
        checked = self._check(uri)
        positions = self._positions(checked.text)
        only = params.context.only
        actions: list[types.CodeAction] = []
        if only is None or any(types.CodeActionKind.QuickFix.startswith(kind) for kind in only):
            first, last = params.range.start.line + 1, params.range.end.line + 1
            for finding in checked.findings_in(first, last):
                actions += _quick_fixes(finding, positions, checked, uri)
        if only is not None and any(_FIX_ALL.startswith(kind) for kind in only):
            new = all_fixed(checked)
            if new != checked.text:
                edits = [types.TextEdit(positions.whole(), new)]
                actions.append(_action("Fix all errors and warnings", _FIX_ALL, uri, edits))
        return actions


def _diagnostic(finding: Record, positions: Positions, checked: CheckedFile) -> types.Diagnostic:
    pages = checked.config.rule_pages
    href = types.CodeDescription(address_of(finding["code"], pages)) if pages else None
    return types.Diagnostic(
        _range(finding, positions, "line", "column"),
        finding["message"],
        severity=_SEVERITIES[finding["severity"]],
        code=finding["code"],
        code_description=href,
        source=_SOURCE,
    )


_KINDS: Final = {
    "queue": types.SymbolKind.Array,
    "CHANNEL": types.SymbolKind.Interface,
    "CLNTCONN": types.SymbolKind.Interface,
    "TOPIC": types.SymbolKind.Event,
    "SUB": types.SymbolKind.Event,
    "PROCESS": types.SymbolKind.Function,
    "SERVICE": types.SymbolKind.Function,
    "NAMELIST": types.SymbolKind.Enum,
}
"""The sign of an object; what is not here is a `Key`."""


def _symbol(
    command: Command, one: Occurrence | None, raw: str, positions: Positions
) -> types.DocumentSymbol:
    """``ORDERS.IN``, detail ``QLOCAL``; of a record its profile."""
    profile = command.value("PROFILE") if command.noun == "AUTHREC" else None
    name = one.name if one is not None else profile or command.noun
    detail = command.noun if command.verb == "DEFINE" else f"{command.verb} {command.noun}"
    start = command.start + len(raw) - len(raw.lstrip())
    span = types.Range(
        positions.at_offset(start), positions.at_offset(command.start + len(raw.rstrip()))
    )
    chosen = span
    if one is not None:
        chosen = types.Range(positions.at_offset(one.start), positions.at_offset(one.end))
    kind = _KINDS.get(one.group, types.SymbolKind.Key) if one else types.SymbolKind.Key
    return types.DocumentSymbol(name, kind, span, chosen, detail)


def _range(record: Record, positions: Positions, line: str, column: str) -> types.Range:
    return types.Range(
        positions.at(record[line], record[column]),
        positions.at(record["end_line"], record["end_column"]),
    )


def _quick_fixes(
    finding: Record, positions: Positions, checked: CheckedFile, uri: str
) -> Iterator[types.CodeAction]:
    code = finding["code"]
    diagnostic = _diagnostic(finding, positions, checked)
    if finding["edits"]:
        edits = [
            types.TextEdit(_range(edit, positions, "start_line", "start_column"), edit["text"])
            for edit in finding["edits"]
        ]
        what = (finding["fix"] or finding["edits"][0]["text"]).partition("\n")[0].strip()
        yield _action(f"{code}: {what}", types.CodeActionKind.QuickFix, uri, edits, diagnostic)
    start = next(
        (c for c in reversed(checked.script.commands) if c.line <= finding["line"]),
        None,
    )
    if start is not None and checked.is_mqsc and not code.startswith("LNT"):
        # without a reason: LNT001 asks for one
        place = positions.at(start.line, 1)
        comment = types.TextEdit(types.Range(place, place), f"* mqtriage: ignore {code} \n")
        kind = types.CodeActionKind.QuickFix
        yield _action(f"Ignore {code} here", kind, uri, [comment], diagnostic)


def _action(
    title: str,
    kind: str,
    uri: str,
    edits: Sequence[types.TextEdit],
    diagnostic: types.Diagnostic | None = None,
) -> types.CodeAction:
    return types.CodeAction(
        title,
        kind=kind,
        diagnostics=[diagnostic] if diagnostic is not None else None,
        edit=types.WorkspaceEdit(changes={uri: list(edits)}),
    )


def _completion_item(
    offer: Completion, span: types.Range, *, snippets: bool
) -> types.CompletionItem:
    insert = offer.insert
    between = offer.between and snippets
    if between:
        insert = f"{insert[:-1]}$0)"
    elif offer.between:
        insert = insert[:-1]  # the cursor would stand behind the parenthesis
    about = types.MarkupContent(types.MarkupKind.Markdown, offer.about) if offer.about else None
    form = types.InsertTextFormat
    return types.CompletionItem(
        offer.word,
        kind=_SIGNS[offer.kind],
        documentation=about,
        insert_text_format=form.Snippet if between else form.PlainText,
        text_edit=types.TextEdit(span, insert),
    )


class _Requests(BufferedIOBase):
    """What an editor sends, whose lengths it says before: none that would fill the memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self, size: int | None = -1, /) -> bytes:
        line = self._stream.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise UsageError(f"standard input: a header of more than {len(line)} bytes", hint=_HINT)
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _LONGEST_REQUEST:
            raise UsageError(
                f"standard input: a Content-Length of {size}; {_LONGEST_REQUEST} is the most",
                hint=_HINT,
            )
        return self._stream.read(size)


def serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer one editor until it says exit or goes away.

    Raises:
        UsageError: It sends more than there is room for.
    """
    server = LanguageServer(
        "mqtriage", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
    )
    Service(server).register()
    server.start_io(_Requests(stdin), stdout)  # type: ignore[arg-type]
