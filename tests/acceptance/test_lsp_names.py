"""What `mqtriage lsp` knows of names, over the wire, with pygls's own client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_lsp import Editor, types, with_editor

pytestmark = pytest.mark.slow

QUEUES = """\
* the queues
DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) +
       BOQNAME(ORDERS.BO)
DEFINE QLOCAL(ORDERS.BO)
DEFINE QALIAS('orders') TARGET('ORDERS.IN')
DEFINE NAMELIST(ALL.QUEUES) NAMES(ORDERS.BO, ORDERS.IN)
DEFINE QREMOTE(OUT) RNAME(ORDERS.IN) RQMNAME(QM2) XMITQ(QM2)
"""
OTHERS = """\
DEFINE QLOCAL(QM2) USAGE(XMITQ) INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(QM2)
DEFINE PROCESS(ORDERS.IN) APPLICID('/opt/run')
ALTER QLOCAL(ORDERS.IN) PROCESS(ORDERS.IN) TRIGGER
SET CHLAUTH('TO.*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)
SET CHLAUTH(TO.QM2) TYPE(BLOCKUSER) USERLIST('*MQADMIN')
SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
DEFINE SUB(S) TOPICSTR('x') DEST(ORDERS.IN)
DEFINE SUB(T) TOPICSTR('x') DEST(ORDERS.IN) DESTQMGR(QM2)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "others.mqsc").write_text(OTHERS)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x.mqsc").write_text("DEFINE QLOCAL(ORDERS.IN)\n")
    return tmp_path


def named(locations: Any, folder: Path) -> list[str]:
    """``queues.mqsc:3 'ORDERS.BO'`` for each place; QUEUES is open and nowhere on disk."""
    texts = {"queues.mqsc": QUEUES, "others.mqsc": OTHERS}
    shown = []
    for location in locations:
        name = location.uri.rpartition("/")[2]
        assert location.uri == (folder / name).as_uri()
        start, end = location.range.start, location.range.end
        line = texts[name].splitlines()[start.line]
        shown.append(f"{name}:{start.line + 1} {line[start.character : end.character]}")
    return shown


async def definition(editor: Editor, line: int, character: int) -> list[str]:
    locations = await editor.client.text_document_definition_async(
        types.DefinitionParams(**editor.at("queues.mqsc", line, character))
    )
    return named(locations, editor.folder)


async def references(editor: Editor, line: int, character: int, declared: bool) -> list[str]:
    context = types.ReferenceContext(declared)
    where = editor.at("queues.mqsc", line, character)
    locations = await editor.client.text_document_references_async(
        types.ReferenceParams(context=context, **where)
    )
    return named(locations, editor.folder)


def test_a_definition_is_found_in_the_folder_and_not_in_another(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("queues.mqsc", QUEUES)
        assert await definition(editor, 2, 20) == ["queues.mqsc:4 ORDERS.BO"]
        assert await definition(editor, 4, 32) == ["queues.mqsc:2 ORDERS.IN"]
        assert await definition(editor, 5, 50) == ["queues.mqsc:2 ORDERS.IN"]
        assert await definition(editor, 6, 58) == ["others.mqsc:1 QM2"]
        assert await definition(editor, 6, 30) == [], "a queue of another queue manager"
        assert await definition(editor, 0, 3) == []

    with_editor(folder, use)


def test_references_are_those_of_the_object_and_of_profiles_that_fit(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("queues.mqsc", QUEUES)
        assert await references(editor, 1, 16, True) == [
            "queues.mqsc:2 ORDERS.IN",
            "queues.mqsc:5 'ORDERS.IN'",
            "queues.mqsc:6 ORDERS.IN",
            "others.mqsc:4 ORDERS.IN",
            "others.mqsc:7 'ORDERS.**'",
            "others.mqsc:8 ORDERS.IN",
        ]
        assert await references(editor, 3, 16, False) == [
            "queues.mqsc:3 ORDERS.BO",
            "queues.mqsc:6 ORDERS.BO",
            "others.mqsc:7 'ORDERS.**'",
        ]
        await editor.open("others.mqsc", OTHERS)
        where = editor.at("others.mqsc", 1, 16)
        locations = await editor.client.text_document_references_async(
            types.ReferenceParams(context=types.ReferenceContext(False), **where)
        )
        assert named(locations, folder) == ["others.mqsc:5 'TO.*'", "others.mqsc:6 TO.QM2"]

    with_editor(folder, use)


def test_a_rename_goes_through_all_scripts_of_the_folder(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("queues.mqsc", QUEUES)
        at = editor.at("queues.mqsc", 1, 16)
        span = await editor.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(**at)
        )
        assert (span.start.character, span.end.character) == (14, 23)

        async def renamed(name: str) -> Any:
            return await editor.client.text_document_rename_async(
                types.RenameParams(new_name=name, **at)
            )

        edit = await renamed("ORDERS.in")
        texts = {uri.rpartition("/")[2]: edits for uri, edits in edit.changes.items()}
        assert {name: len(edits) for name, edits in texts.items()} == {
            "queues.mqsc": 3,
            "others.mqsc": 2,
        }
        assert {e.new_text for edits in texts.values() for e in edits} == {"'ORDERS.in'"}
        edit = await renamed("ORDERS.NEW")
        new = sorted(e.new_text for edits in edit.changes.values() for e in edits)
        assert new == ["'ORDERS.NEW'", *["ORDERS.NEW"] * 4], "quotes stay where they are"
        for name, why in (
            ("ORDERS.BO", "defined already"),
            ("A" * 49, "48"),
            ("A B", "a blank at position 2"),
            ("", "empty"),
        ):
            assert await renamed(name) is None
            assert why in editor.messages[-1]
        await editor.open("others.mqsc", OTHERS)
        for line, character in ((0, 45), (6, 25), (0, 2)):  # of the system, a profile, a verb
            where = editor.at("others.mqsc", line, character)
            params = types.PrepareRenameParams(**where)
            assert await editor.client.text_document_prepare_rename_async(params) is None

    with_editor(folder, use)


def test_symbols_are_the_objects_of_the_document(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("others.mqsc", OTHERS)
        document = types.TextDocumentIdentifier(editor.uri("others.mqsc"))
        symbols = await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        assert [(s.name, s.detail) for s in symbols] == [
            ("QM2", "QLOCAL"),
            ("TO.QM2", "CHANNEL"),
            ("ORDERS.IN", "PROCESS"),
            ("ORDERS.IN", "ALTER QLOCAL"),
            ("TO.*", "SET CHLAUTH"),
            ("TO.QM2", "SET CHLAUTH"),
            ("ORDERS.**", "SET AUTHREC"),
            ("S", "SUB"),
            ("T", "SUB"),
        ]
        assert symbols[1].selection_range.start == types.Position(1, 15)
        assert symbols[1].range.start == types.Position(1, 0)

    with_editor(folder, use)


def test_hover_shows_the_definition_and_what_a_command_takes(folder: Path) -> None:
    async def use(editor: Editor) -> None:
        await editor.open("queues.mqsc", QUEUES)

        async def text(line: int, character: int) -> str:
            shown = await editor.client.text_document_hover_async(
                types.HoverParams(**editor.at("queues.mqsc", line, character))
            )
            return str(shown.contents.value)

        of_name = await text(6, 58)
        assert "```mqsc\nDEFINE QLOCAL(QM2) USAGE(XMITQ)" in of_name
        assert "others.mqsc, line 1" in of_name
        of_verb = await text(3, 2)
        assert of_verb.startswith("**DEFINE QLOCAL**")
        assert "`MAXDEPTH`" in of_verb
        assert await text(3, 9) == of_verb

    with_editor(folder, use)


def test_tokens_say_what_each_word_is(folder: Path) -> None:
    text = "* é😀 b\nDEF QL('Ä.B') +\n* in between\n  MAXDEPTH(7) GET(ENABLED) DESCR('x y')\n"

    async def use(editor: Editor) -> None:
        await editor.open("a.mqsc", text)
        document = types.TextDocumentIdentifier(editor.uri("a.mqsc"))
        answer = await editor.client.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(document)
        )
        names = ["keyword", "class", "variable", "property", "enumMember", "number", "string"]
        names.append("comment")
        lines = [line.encode("utf-16-le") for line in text.splitlines()]
        line = column = 0
        shown = []
        for n in range(0, len(answer.data), 5):
            down, right, length, type_, _ = answer.data[n : n + 5]
            line, column = line + down, right if down else column + right
            raw = lines[line][2 * column : 2 * (column + length)]
            shown.append((raw.decode("utf-16-le"), names[type_]))
        assert shown == [
            ("* é😀 b", "comment"), ("DEF", "keyword"), ("QL", "class"), ("'Ä.B'", "variable"),
            ("* in between", "comment"), ("MAXDEPTH", "property"), ("7", "number"),
            ("GET", "property"), ("ENABLED", "enumMember"), ("DESCR", "property"),
            ("'x y'", "string"),
        ]  # fmt: skip

    with_editor(folder, use)


@pytest.mark.parametrize(("platform", "has"), [("MVS", True), ("UNIX", False)])
def test_completion_offers_what_the_platform_has(folder: Path, platform: str, has: bool) -> None:
    text = f"* Queue manager platform: {platform}\nDEFINE QLOCAL(A) INDX"

    async def use(editor: Editor) -> None:
        await editor.open("a.mqsc", text)
        items = await editor.client.text_document_completion_async(
            types.CompletionParams(**editor.at("a.mqsc", 1, 21))
        )
        assert ("INDXTYPE" in {item.label for item in items}) == has

    with_editor(folder, use)


def test_a_rule_of_ones_own_has_its_fix_as_an_action(folder: Path) -> None:
    (folder / ".mqtriage.toml").write_text(
        '[[rule]]\nid = "BNK001"\nseverity = "error"\nmessage = "persistent"\n'
        'objects = { type = "QLOCAL" }\ncondition = "defpsist = \'YES\'"\n'
        'fix = { defpsist = "YES" }\n'
    )

    async def use(editor: Editor) -> None:
        text = "DEFINE QLOCAL(A)\n* mqtriage: ignore BNK001 x\nDEFINE QLOCAL(B)\n"
        findings = await editor.open("a.mqsc", text)
        assert "BNK001" in {finding.code for finding in findings}
        span = types.Range(types.Position(0, 0), types.Position(0, 5))
        actions = await editor.actions("a.mqsc", span, types.CodeActionKind.QuickFix)
        (fix,) = [a for a in actions if a.title.startswith("BNK001: ")]
        (edit,) = fix.edit.changes[editor.uri("a.mqsc")]
        assert "DEFPSIST(YES)" in edit.new_text
        for line, character in (0, 8), (1, 22):
            shown = await editor.client.text_document_hover_async(
                types.HoverParams(**editor.at("a.mqsc", line, character))
            )
            assert "# BNK001: persistent" in str(shown.contents.value)

    with_editor(folder, use)
