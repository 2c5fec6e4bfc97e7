"""What an editor shows: attributes and rule pages under the cursor, and what may stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.definitions.editor.checked import CheckedFile, all_fixed, check_text
from mqtriage.definitions.editor.completion import Completion, CompletionKind, completions_at
from mqtriage.definitions.editor.hover import hover_at
from mqtriage.definitions.lint.pages import page_of

HERE = "|"
"""Where the cursor stands in the texts of these tests."""


def checked(text: str, folder: Path) -> CheckedFile:
    return check_text(text.replace(HERE, ""), folder / "qm1.mqsc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def hover(text: str, folder: Path) -> str:
    tooltip = hover_at(checked(text, folder), text.index(HERE))
    return tooltip.text if tooltip is not None else ""


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("DEFINE QLOCAL(A) MAXD|EPTH(7)", ("**MAXDEPTH** of QLOCAL", "Default `5000`")),
        ("DEFINE QLOCAL(A) +\n  maxdepth(7|)", ("**MAXDEPTH**", "MQIA_MAX_Q_DEPTH", "MaxQDepth")),
        ("DEFINE QLOCAL(A) NOTRI|GGER", ("**TRIGGER**, **NOTRIGGER**", "Default `NOTRIGGER`")),
        ("DEFINE QLOCAL(A) DEFPSIST|(YES)", ("`NO`, `YES`", "Default `NO`")),
        ("DEFINE QLOCAL(A) DEFSOPT|(EXCL)", ("Default `SHARED`, on z/OS `EXCL`",)),
        ("ALTER QLOCAL(A) CFSTRUCT|(B)", ("z/OS only", "at most 12 characters")),
        ("ALTER CHANNEL(A) CHLTYPE(SDR) XMITQ|(B)", ("For ", "SDR")),
        ("DISPLAY QLOCAL(A) CURDE|PTH", ("never set",)),
    ],
)
def test_an_attribute_is_told_from_the_tables(
    folder: Path, text: str, parts: tuple[str, ...]
) -> None:
    shown = hover(text, folder)
    assert [part for part in parts if part not in shown] == [], shown


def test_a_finding_shows_the_page_of_its_rule_where_it_stands(folder: Path) -> None:
    text = "DEFINE QLOCAL(A) MAXDEPTH(7) BOTHRESH(3|)"
    assert page_of("BKO001") in hover(text, folder)
    assert page_of("BKO001") not in hover("DEFINE QLOCAL(A) MAXDEPTH(7|) BOTHRESH(3)", folder)
    comment = "* mqtriage: ignore BKO|001 because\nDEFINE QLOCAL(A) BOTHRESH(3)"
    assert hover(comment, folder) == page_of("BKO001")
    assert hover("* any |words\n", folder) == hover("\n|\n", folder) == ""


def completions(text: str, folder: Path) -> dict[str, Completion]:
    """The offers by their words; the text to replace is what stands between them and the cursor."""
    offset = text.index(HERE)
    estate = checked(text, folder).estate_at(offset)
    start, offers = completions_at(text.replace(HERE, ""), offset, estate)
    assert start <= offset
    assert not set(text[start:offset]) & set(" (\n,"), text[start:offset]
    words = {offer.word: offer for offer in offers}
    assert len(words) == len(offers), "nothing is offered twice"
    return words


def test_a_command_is_completed_from_verb_to_value(folder: Path) -> None:
    assert {"DEFINE", "ALTER", "DISPLAY"} <= set(completions("|", folder))
    assert {"DEFINE", "ALTER"} <= set(completions("DEFINE QLOCAL(A); AL|", folder))
    types = completions("DEFINE |", folder)
    assert types["QLOCAL"].insert == "QLOCAL()"
    assert "QUEUE" not in types
    attributes = completions("DEF QL(A) MAXDEPTH(7) BOTH|", folder)
    assert (attributes["BOTHRESH"].insert, attributes["BOTHRESH"].between) == ("BOTHRESH()", True)
    assert "Default `0`" in attributes["BOTHRESH"].about
    assert {"REPLACE", "TRIGGER", "NOTRIGGER"} <= set(attributes)
    assert not {"MAXDEPTH", "CURDEPTH", "CHLTYPE"} & set(attributes)
    assert set(completions("DEFINE QLOCAL(A) DEFPSIST(|", folder)) == {"NO", "YES"}
    assert completions("* DEFINE |", folder) == {}


def test_continued_lines_are_one_command(folder: Path) -> None:
    text = "* first\nDEFINE QLOCAL(A) +\n* between\n   MAXDEPTH(7) +\n   |\nDEFINE QLOCAL(B)"
    words = completions(text, folder)
    assert "BOQNAME" in words
    assert "MAXDEPTH" not in words
    assert "BOQNAME" in completions("DEFINE QLOCAL(A) MAX-\nDEPTH(7) |", folder)
    assert "DEFINE" in completions("DEFINE QLOCAL(A)\n|", folder)


def test_names_are_those_that_the_script_defines(folder: Path) -> None:
    script = "DEFINE QLOCAL(ORDERS.BO)\nDEFINE QLOCAL('Orders.dlq')\nDEFINE PROCESS(PROC)\n"
    offers = completions(f"{script}ALTER QLOCAL(A) BOQNAME(|)", folder)
    assert {offers[word].kind for word in ("ORDERS.BO", "Orders.dlq")} == {CompletionKind.NAME}
    assert offers["Orders.dlq"].insert == "'Orders.dlq'"
    assert offers["ORDERS.BO"].insert == "ORDERS.BO"
    begun = completions(f"{script}ALTER QLOCAL(A) BOQNAME('ORD|')", folder)
    assert begun["ORDERS.BO"].insert == "'ORDERS.BO", "the editor closed the quote"
    assert "PROC" in completions(f"{script}ALTER QLOCAL(A) PROCESS(|)", folder)
    assert "ORDERS.BO" in completions(f"{script}DELETE QLOCAL(|)", folder)
    assert completions(f"{script}DEFINE QLOCAL(|)", folder) == {}


def test_what_is_typed_in_lower_case_is_completed_in_lower_case(folder: Path) -> None:
    script = "DEFINE QLOCAL(ORDERS.BO)\nDEFINE QLOCAL('Orders.dlq')\n"
    assert completions("def|", folder)["define"].insert == "define "
    assert completions("def ql(a) both|", folder)["bothresh"].insert == "bothresh()"
    assert completions("def ql(a) |", folder)["BOTHRESH"].insert == "BOTHRESH()"
    names = completions(f"{script}alter ql(a) boqname(ord|)", folder)
    assert names["orders.bo"].insert == "orders.bo", "MQSC folds what is not in quotes"
    assert names["Orders.dlq"].insert == "'Orders.dlq'"


def test_a_channel_is_offered_what_its_type_has(folder: Path) -> None:
    sender = completions("DEFINE CHANNEL(A) CHLTYPE(SDR) |", folder)
    server = completions("DEFINE CHANNEL(A) CHLTYPE(SVRCONN) |", folder)
    assert "XMITQ" in sender
    assert "XMITQ" not in server
    assert "SHARECNV" in server


def test_every_place_of_a_script_is_answered(folder: Path) -> None:
    text = "DEF QL('A;(B') DESCR('x''y') ;alt ql(A +\n  ) foo(((\n*c\nDIS Q(*) WHERE(CURDEPTH GT 0"
    state = checked(text, folder)
    for offset in range(len(text) + 1):
        hover_at(state, offset)
        completions_at(text, offset, state.estate_at(offset))


def test_a_document_is_what_lint_says_of_its_file(folder: Path) -> None:
    (folder / "mqtriage.toml").write_text('[lint.per-path]\n"old/*" = ["BKO"]\n', "utf-8")
    text = "DEFINE QLOCAL(A) BOTHRESH(3)\n"
    assert check_text(text, folder / "old" / "a.mqsc").findings == ()
    (finding,) = check_text(text, folder / "new" / "a.mqsc").findings
    assert (finding["file"], finding["code"]) == ("new/a.mqsc", "BKO001")
    fixed = all_fixed(check_text(text, folder / "new" / "a.mqsc"))
    assert check_text(fixed, folder / "new" / "a.mqsc").findings == ()


def test_wrong_settings_are_told_and_the_script_is_checked_without_them(folder: Path) -> None:
    (folder / "mqtriage.toml").write_text('[lint]\nfail_on = "error"\n', "utf-8")
    state = check_text("DEFINE QLOCAL(A) BOTHRESH(3)\n", folder / "a.mqsc")
    assert "lint.fail_on" in state.problem
    assert [finding["code"] for finding in state.findings] == ["BKO001"]


YAML = """\
kind: ConfigMap
data:
  one.mqsc: |
    DEFINE QLOCAL(A) BOTHRESH(3)
    DEFINE QLOCAL(FIRST)
  two.mqsc: |
    * mqtriage: ignore BKO001 two is another file
    DEFINE QLOCAL(B) BOTHRESH(3)
"""


def test_mqsc_in_yaml_is_checked_where_it_stands(folder: Path) -> None:
    state = check_text(YAML, folder / "map.yaml")
    assert [(f["code"], f["line"], f["column"]) for f in state.findings] == [
        ("BKO001", 4, 22),
        ("BKO014", 5, 5),
    ]
    (finding,) = state.findings_in(4, 4)
    assert {edit["start_line"] for edit in finding["edits"]} <= {4, 5}
    assert list(state.findings_in(1, 3)) == []
    here = YAML.index("BOTHRESH(3)")
    shown = hover_at(state, here)
    assert shown is not None
    assert page_of("BKO001") in shown.text
    assert hover_at(state, YAML.index("ConfigMap")) is None
    fixed = all_fixed(state)
    assert "    DEFINE QLOCAL(A) BOTHRESH(3) BOQNAME('A.BO')\n" in fixed
    assert fixed.endswith(YAML[YAML.index("  two.mqsc") :])
    assert check_text("kind: ConfigMap\n", folder / "map.yaml").findings == ()
