"""The MQSC parser: what each rule of the grammar makes of a script."""

from __future__ import annotations

from functools import partial

import pytest

from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import Command, Comment, DiagnosticSeverity, Script
from tests.support.timing import times_as_long


def one(text: str) -> Command:
    """The only command of a script, which must be a good one."""
    script = parse(text)
    assert script.diagnostics == ()
    (command,) = script.commands
    return command


def only_error(text: str) -> tuple[int, int, str]:
    """Line, column and message of the only diagnostic."""
    (diagnostic,) = parse(text).diagnostics
    assert diagnostic.severity is DiagnosticSeverity.ERROR
    return diagnostic.line, diagnostic.column, diagnostic.message


def named(text: str) -> list[str]:
    return [c.named() for c in parse(text).commands]


def test_a_command_that_needs_a_name_has_one() -> None:
    for text in ("CLEAR TOPICSTR", "CLEAR QLOCAL", "MOVE QLOCAL", "DISPLAY QLOCAL", "SET CHLAUTH"):
        assert only_error(text)[2] == f"{text} has no name"


def test_a_command_has_verb_object_type_name_and_parameters() -> None:
    command = one("DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME('Orders.BO') SHARE REPLACE")
    assert (command.verb, command.noun) == ("DEFINE", "QLOCAL")
    assert command.name is not None and command.name.text == "ORDERS.IN"
    assert [p.keyword for p in command.parameters] == ["BOTHRESH", "BOQNAME", "SHARE", "REPLACE"]
    assert command.value("BOTHRESH") == "3"
    assert command.value("BOQNAME") == "Orders.BO"
    assert command.value("SHARE") == ""
    assert command.value("MAXDEPTH") is None


@pytest.mark.parametrize(
    ("short", "verb", "noun"),
    [
        ("def ql(A)", "DEFINE", "QLOCAL"),
        ("ALT QA(A)", "ALTER", "QALIAS"),
        ("DISP CHS(A)", "DISPLAY", "CHSTATUS"),
        ("DIS CHL(A)", "DISPLAY", "CHANNEL"),
        ("Del Qr(A)", "DELETE", "QREMOTE"),
        ("def qm(A)", "DEFINE", "QMODEL"),
        ("dis q(*)", "DISPLAY", "QUEUE"),
        ("dis qs(A)", "DISPLAY", "QSTATUS"),
        ("cle ql(A)", "CLEAR", "QLOCAL"),
        ("DEF PRO(A)", "DEFINE", "PROCESS"),
        ("sta chl(A)", "START", "CHANNEL"),
        ("ref sec", "REFRESH", "SECURITY"),
        ("RES CHL(A) ACTION(COMMIT)", "RESOLVE", "CHANNEL"),
        ("DIS CHS(*)", "DISPLAY", "CHSTATUS"),
        ("DEFINE NL(A) NAMES(B)", "DEFINE", "NAMELIST"),
        ("rev sec", "RVERIFY", "SECURITY"),
    ],
)
def test_abbreviations_and_synonyms_are_read_in_full(short: str, verb: str, noun: str) -> None:
    command = one(short)
    assert (command.verb, command.noun) == (verb, noun)


@pytest.mark.parametrize("keyword", ["REPLACE", "NOREPLACE"])
def test_a_define_may_have_replace_before_the_object_type(keyword: str) -> None:
    text = f"DEFINE QLOCAL(B) +\nDEFINE {keyword} QLOCAL('a') +\n  PUT(DISABLED)\n"
    cut, command = parse(text).commands
    assert cut.error is not None and "the previous line ends with +" in cut.error.message
    assert command.error is None and command.name is not None
    assert (command.verb, command.noun, command.name.text) == ("DEFINE", "QLOCAL", "a")
    assert [p.keyword for p in command.parameters] == [keyword, "PUT"]
    assert "is not an object type of ALTER" in only_error(f"ALTER {keyword} QLOCAL(A)")[2]


def test_unquoted_values_are_folded_and_quoted_ones_kept() -> None:
    command = one("define qlocal(orders.in) descr('Orders in') boqname(orders.bo)")
    assert command.name is not None and command.name.text == "ORDERS.IN"
    assert command.value("DESCR") == "Orders in"
    assert command.value("BOQNAME") == "ORDERS.BO"


def test_two_quotes_inside_a_string_are_one() -> None:
    assert one("DEF QL(A) DESCR('Ann''s ''own'' queue')").value("DESCR") == "Ann's 'own' queue"


def test_double_quotes_inside_single_quotes_are_text() -> None:
    text = """DEF SERVICE(A) STARTARG('-m +QMNAME+ -d "+MQ_DATA_PATH+"')"""
    assert one(text).value("STARTARG") == '-m +QMNAME+ -d "+MQ_DATA_PATH+"'


def test_a_string_in_double_quotes_is_a_string() -> None:
    assert one('DEF QL(A) DESCR("it\'s here")').value("DESCR") == "it's here"


@pytest.mark.parametrize("empty", ["('')", "(' ')"])
def test_an_empty_value_in_quotes_is_blank(empty: str) -> None:
    value = one(f"DEF QR(A) RNAME{empty}").value("RNAME")
    assert value is not None and value.strip() == ""


@pytest.mark.parametrize("empty", ["( )", "()", "(,)"])
def test_empty_parentheses_are_a_fault_but_for_the_names_of_a_namelist(empty: str) -> None:
    (command,) = parse(f"DEF QR(A) RNAME{empty} XMITQ(B)").commands
    assert command.error is not None
    assert command.error.message == "RNAME() has no value; ' ' is blank"
    assert one(f"DEF NL(A) NAMES{empty}").value("NAMES") == ""


def test_plus_goes_on_at_the_first_non_blank_of_the_next_line() -> None:
    command = one("DEF QL(A) DESCR('one +\n     two') +\n   PUT(DISABLED)")
    assert command.value("DESCR") == "one two"
    assert command.value("PUT") == "DISABLED"


def test_minus_goes_on_at_column_1_of_the_next_line() -> None:
    assert one("DEF QL(A) DESCR('one-\n  two')").value("DESCR") == "one  two"


def test_blanks_up_to_column_80_behind_a_plus_do_not_matter() -> None:
    text = "DEF QL(A) +".ljust(80) + "\n" + "  PUT(DISABLED)".ljust(80) + "\n"
    assert one(text).value("PUT") == "DISABLED"


def test_an_insert_at_the_end_of_a_line_is_no_continuation() -> None:
    script = parse("DEF QL(+QMNAME+\nDEF QL(B)")
    assert [c.error is None for c in script.commands] == [False, True]
    assert one("DEF CHL(A) CHLTYPE(SVRCONN) DESCR('at +QMNAME++\n here')").value("DESCR") == (
        "at +QMNAME+here"
    )


def test_an_insert_is_part_of_a_value() -> None:
    command = one("DEFINE CHANNEL(UNI.+QMNAME+) CHLTYPE(CLUSRCVR) CLUSTER(+AUTOCL+)")
    assert command.name is not None and command.name.text == "UNI.+QMNAME+"
    assert command.value("CLUSTER") == "+AUTOCL+"


def test_comments_and_blank_lines_inside_a_continued_command_are_dropped() -> None:
    text = "DEF QL(A) +\n* CRDATE(2026-01-01) +\n\n   PUT(DISABLED)\n"
    command = one(text)
    assert command.value("PUT") == "DISABLED"
    ((start, end),) = command.comments
    assert text[start:end] == "* CRDATE(2026-01-01) +\n"


def test_a_comment_belongs_to_one_of_the_commands_that_semicolons_part() -> None:
    first, second = parse("DEF QL(A) +\n* c\n SHARE; DEF QL(B) +\n NOSHARE\n").commands
    assert (len(first.comments), len(second.comments)) == (1, 0)


def test_a_semicolon_before_a_continuation_sign_has_ended_the_command() -> None:
    assert parse("DEF QL(A); +\nDEF QL(B)\n").diagnostics == ()


def test_a_comment_that_ends_in_a_continuation_sign_does_not_go_on() -> None:
    script = parse("* ------\n* and +\nDEF QL(A)\n")
    assert [type(item) for item in script.items] == [Comment, Comment, Command]


def test_a_semicolon_ends_a_command() -> None:
    assert named("DEF QL(A);\nDEF QL(B) ; DEF QL(C);DEF QL('D;E')") == ["A", "B", "C", "D;E"]


def test_a_broken_command_before_a_semicolon_does_not_hide_the_next() -> None:
    script = parse("DEFNE QL(A); DEF QL(B)")
    assert [c.error is None for c in script.commands] == [False, True]


def test_blanks_and_commas_part_parameters_and_values() -> None:
    command = one("SET AUTHREC PROFILE(A),OBJTYPE(QUEUE) , GROUP('g')  AUTHADD(PUT, GET INQ)")
    assert command.value("AUTHADD") == "PUT,GET,INQ"
    assert command.value("OBJTYPE") == "QUEUE"


def test_blanks_may_stand_before_and_inside_parentheses() -> None:
    command = one("DEFINE QLOCAL ( 'a' ) DESCR ( 'x' )")
    assert command.name is not None and command.name.text == "a"
    assert command.value("DESCR") == "x"


def test_parentheses_inside_a_string_are_text_and_unquoted_ones_nest() -> None:
    quoted = one("DEF CHL(A) CHLTYPE(SDR) CONNAME('host(1414),host(1415)')")
    assert quoted.value("CONNAME") == "host(1414),host(1415)"
    bare = one("DEF CHL(A) CHLTYPE(SDR) CONNAME(host(1414)) XMITQ(X)")
    assert bare.value("CONNAME") == "HOST(1414)"
    assert bare.value("XMITQ") == "X"


def test_where_is_read_as_keyword_operator_and_value() -> None:
    for text in ("DIS CONN(*) WHERE(CHANNEL eq APP.X) ALL", "DIS CONN(*) WHERE (CHANNEL EQ APP.X)"):
        where = one(text).parameter("WHERE")
        assert where is not None and where.values is not None
        assert [v.text for v in where.values] == ["CHANNEL", "EQ", "APP.X"]


def test_a_generic_name_keeps_its_asterisk() -> None:
    assert named("DIS Q(*)\nDIS Q('a*')\nSET CHLAUTH(*) TYPE(BLOCKUSER) USERLIST('x')") == [
        "*",
        "a*",
        "*",
    ]


def test_a_command_without_name_is_read() -> None:
    assert one("ALTER QMGR FORCE CCSID(1208)").value("CCSID") == "1208"
    assert one("REFRESH SECURITY").parameters == ()
    assert one("DISPLAY QMGR EVENT DESCR").has("DESCR")


@pytest.mark.parametrize("word", ["END", "exit", "Quit"])
def test_what_stands_behind_end_is_no_command_and_no_error(word: str) -> None:
    script = parse(f"DEF QL(A)\n{word}\n\n* done\nDEF QL(B\nthe end\n")
    assert [c.verb for c in script.commands] == ["DEFINE", word.upper()]
    (note,) = script.diagnostics
    assert (note.severity, note.line) == (DiagnosticSeverity.WARNING, 5)
    assert script.raw(script.items[-1]) == "DEF QL(B\nthe end\n"


def test_end_as_the_last_command_is_no_news() -> None:
    assert parse("DEF QL(A)\nEND\n\n* done\n").diagnostics == ()


@pytest.mark.parametrize("text", ["", "\n", "* only a comment", "\r\n \r\n", "\ufeff"])
def test_a_script_without_commands_is_fine(text: str) -> None:
    script = parse(text)
    assert script.commands == ()
    assert script.diagnostics == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        ("DEF QL(A)\nalter ql5XXX) put(disabled)", 2, 7, "QL5XXX is not an object type of ALTER"),
        ("DISPLAY DISPLAY QSTATUS(X)", 1, 9, "DISPLAY is not an object type of DISPLAY"),
        ("ALTER CHL CHLTYPE(A.B) DISCINT(0)", 1, 7, "ALTER CHANNEL has no name"),
        ("ALTER QMGR CHLAUTH(DISABLED)  * <-- DEV", 1, 31, "a comment cannot follow"),
        ("DEF QL(A) DESCR('open", 1, 17, "quote is never closed"),
        ("DEF QL(A) MAXDEPTH(5", 1, 19, "parenthesis is never closed"),
        ("DEF QL(A) MAXDEPTH(5))", 1, 22, "closes nothing"),
        ("DEF QL(A) DESCR('a'b)", 1, 20, "right after a quote"),
        ("DEF QL(A) PUT(ENABLED) GET(ENABLED) PUT(DISABLED)", 1, 37, "PUT is given twice"),
        ("DEF QL(A B)", 1, 10, "one name"),
        ("DEF QL()", 1, 5, "empty name"),
        ("DEF", 1, 4, "no object type"),
        ("# a comment", 1, 1, "does not start an MQSC command"),
        ("-- a comment", 1, 1, "does not start an MQSC command"),
        ("runmqsc QM1", 1, 1, "is for a shell"),
        ("Now define the queue:", 1, 1, "is not an MQSC command"),
        ("DEF QL($QUEUE)", 1, 8, "placeholder"),
        ("DEF QL(A) MAXDEPTH({{ .Depth }})", 1, 20, "placeholder"),
        ("DEF QL(A.<INITIALS>)", 1, 10, "placeholder"),
        ("DEF QL(A) +\n PUT(ENABLED) +\n ???", 3, 2, "unexpected"),
        ("DEF QL(A) DESCR 'abc'", 1, 17, "unexpected"),
        ("END now", 1, 5, "END takes nothing"),
        (" * not in column 1", 1, 2, "asterisk after blanks"),
    ],
)
def test_a_wrong_command_is_one_diagnostic_at_its_place(
    text: str, line: int, column: int, part: str
) -> None:
    error = only_error(text)
    assert error[:2] == (line, column)
    assert part in error[2]


def test_parsing_goes_on_behind_a_wrong_command() -> None:
    script = parse("DEF QL(A) DESCR('open\nDEF QL(B)\nfoo bar\nDEF QL(C)")
    assert [(c.named(), c.error is None) for c in script.commands] == [
        ("A", False),
        ("B", True),
        ("", False),
        ("C", True),
    ]


def test_a_wrong_command_over_several_lines_is_one_diagnostic() -> None:
    assert only_error("DEFNE QLOCAL(A) +\n  DESCR('x') +\n  PUT(DISABLED)\n")[:2] == (1, 1)


def test_a_misspelt_verb_gets_the_verb_that_was_meant() -> None:
    (diagnostic,) = parse("DEFNE QLOCAL(A)").diagnostics
    assert diagnostic.expected == "DEFINE"


def test_a_forgotten_continuation_sign_does_not_swallow_the_next_command() -> None:
    script = parse("DEF QL(A) +\n  PUT(DISABLED) +\nDEF QL(B)\n")
    assert named("DEF QL(A) +\n  PUT(DISABLED) +\nDEF QL(B)\n") == ["A", "B"]
    (diagnostic,) = script.diagnostics
    assert diagnostic.line == 3


def test_a_string_broken_over_lines_is_one_wrong_command() -> None:
    text = "DEF QL(A) DESCR('one\ntwo\nthree') PUT(ENABLED)\nDEF QL(B)\n"
    script = parse(text)
    assert [(d.line, d.column) for d in script.diagnostics] == [(1, 17)]
    assert [script.raw(c).count("\n") for c in script.commands] == [3, 1]


def test_a_broken_string_takes_the_continued_lines_of_its_command_along() -> None:
    script = parse("DEF QL(A) DESCR('one\ntwo') +\n MAXDEPTH(5) +\n SHARE\nDEF QL(B)\n")
    assert [diagnostic.line for diagnostic in script.diagnostics] == [1]
    assert [c.error is None for c in script.commands] == [False, True]


def test_a_typographic_quote_is_noted() -> None:
    (note,) = parse("DEF QL(A) DESCR(\u2018Orders\u2019)").diagnostics
    assert (note.severity, note.column) == (DiagnosticSeverity.NOTE, 11)
    assert parse("DEF QL(A) DESCR('the \u2018good\u2019 ones')").diagnostics == ()


def test_a_list_broken_over_lines_is_one_wrong_command() -> None:
    text = "SET AUTHREC OBJTYPE(QMGR) AUTHADD(GET,\n   PUT) GROUP('g')\nDEF QL(B)\n"
    assert [(d.line, d.column) for d in parse(text).diagnostics] == [(1, 34)]
    assert len(parse(text).commands) == 2


def test_an_open_quote_does_not_swallow_the_commands_behind_it() -> None:
    script = parse("DEF QL(A) DESCR('one\nDEF QL(B) DESCR('two')\n* it's\nDEF QL(C)\n")
    assert [c.error is None for c in script.commands] == [False, True, True]


def test_an_attribute_on_a_line_of_its_own_hints_at_the_missing_plus() -> None:
    diagnostics = parse("DEF QL(A)\n   DESCR('x')\n").diagnostics
    assert [d.line for d in diagnostics] == [2]
    assert "is a + missing" in diagnostics[0].message


def test_prose_that_ends_with_a_dash_does_not_swallow_the_next_line() -> None:
    script = parse("Then define it -\nDEF QL(A)\n# and so on -\n# more\n")
    assert [d.line for d in script.diagnostics] == [1, 3, 4]


def test_a_template_marker_inside_quotes_is_a_note() -> None:
    (diagnostic,) = parse("DEF QL(A) +\n DESCR('{{ .Text }}')").diagnostics
    assert (diagnostic.severity, diagnostic.line, diagnostic.column) == (
        DiagnosticSeverity.NOTE,
        2,
        2,
    )


def test_a_script_that_ends_in_mid_command_is_noted() -> None:
    (diagnostic,) = parse("DEF QL(A) +\n").diagnostics
    assert diagnostic.severity is DiagnosticSeverity.NOTE


def test_crlf_is_no_part_of_a_value() -> None:
    script = parse("DEF QL(A) +\r\n  PUT(DISABLED)\r\n* c\r\n\r\nDEF QL(B)\r\n")
    assert script.diagnostics == ()
    assert [c.line for c in script.commands] == [1, 5]


def test_places_are_those_of_the_text() -> None:
    text = "* c\n  DEF QL(A) +\n* c2\n     DESCR('x''y') +\nPUT(DISABLED)\n"
    command = parse(text).commands[0]
    assert (command.line, command.column) == (2, 3)
    assert [(p.keyword, p.line, p.column) for p in command.parameters] == [
        ("DESCR", 4, 6),
        ("PUT", 5, 1),
    ]
    assert [text[p.start : p.end] for p in command.parameters] == ["DESCR('x''y')", "PUT(DISABLED)"]
    values = [v for p in command.parameters for v in p.values or ()]
    assert [text[v.start : v.end] for v in values] == ["'x''y'", "DISABLED"]


def test_each_command_of_a_line_has_its_column() -> None:
    commands = parse("  DEF QL(A) ; DELETE QL(A)\nDIS QL(*)").commands
    assert [(c.line, c.column) for c in commands] == [(1, 3), (1, 15), (2, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "RECOVER CFSTRUCT(A, B,C) TYPE(NORMAL)",
        "RECOVER CFSTRUCT(A, B,C) +\n TYPE(NORMAL)",
        "RECOVER CFSTRUCT(A, +\n B,C) TYPE(NORMAL)",
    ],
    ids=["on-one-line", "each-line-whole", "over-lines"],
)
def test_a_list_of_names_is_read_whole_and_in_order(text: str) -> None:
    (command,) = parse(text).commands
    assert command.error is None and command.name is not None
    names = [command.name, *command.further_names]
    assert [name.text for name in names] == ["A", "B", "C"]
    assert [text[name.start : name.end] for name in names] == ["A", "B", "C"]


def test_a_value_is_replaced_in_place_and_everything_else_stays() -> None:
    text = "* keep me\nDEF QL(A) +\n* me too\n  BOTHRESH(3)  PUT(ENABLED)\n"
    script = parse(text)
    parameter = script.commands[0].parameter("BOTHRESH")
    assert parameter is not None
    edited = script.edited([(parameter.start, parameter.end, "BOTHRESH(5)")])
    assert edited == text.replace("BOTHRESH(3)", "BOTHRESH(5)")


def test_a_diagnostic_says_file_line_and_column() -> None:
    (diagnostic,) = parse("foo", file="qm1.mqsc").diagnostics
    assert str(diagnostic).startswith("qm1.mqsc:1:1: error: 'foo' is not an MQSC command")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"* \xc3\xa9", "* \xe9", id="utf-8"),
        pytest.param(b"\xef\xbb\xbfEND", "END", id="utf-8-bom"),
        pytest.param(b"* \xe9", "* \xe9", id="latin-1"),
        pytest.param("END".encode("utf-16"), "END", id="utf-16"),
        pytest.param(b"", "", id="empty"),
    ],
)
def test_bytes_become_text(data: bytes, text: str) -> None:
    assert decode_script(data) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("(", id="opening"),
        pytest.param("DEF QL(A) X(", id="never-closed"),
        pytest.param("'", id="quotes"),
        pytest.param("+", id="plus"),
        pytest.param("+\n", id="plus-lines"),
        pytest.param("+A", id="half-inserts"),
        pytest.param("DEF QL(A);", id="semicolons"),
        pytest.param("foo;", id="prose-semicolons"),
        pytest.param(" ", id="blanks"),
        pytest.param("A ", id="words"),
        pytest.param("\x00\xff\x01", id="binary"),
        pytest.param("*\n", id="comments"),
        pytest.param("DEF QL(A) +\n", id="never-ending-command"),
        pytest.param("${", id="markers"),
        pytest.param("x(y", id="nested-words"),
    ],
)
def test_no_input_takes_more_than_its_length(unit: str) -> None:
    """Eight times the input may take 30 times as long at most; quadratic would be 64."""
    for head in ("", "DEF QL(A) DESCR(", "DEF QL(A) DESCR('"):
        less, more = (partial(parse, head + unit * times) for times in (2_000, 16_000))
        assert times_as_long(more, less, 30, floor_s=0.004) < 30


def test_parentheses_nest_ten_thousand_deep() -> None:
    script = parse("DEF QL(A) X" + "(" * 10_000 + ")" * 10_000 + "\nDEF QL(B)")
    assert script.diagnostics == ()
    assert len(script.commands) == 2


def test_a_line_of_a_megabyte_is_one_diagnostic() -> None:
    script: Script = parse("x" * 1_000_000 + "\nDEF QL(B)")
    assert len(script.diagnostics) == 1
    assert len(script.diagnostics[0].message) < 200


@pytest.mark.parametrize(
    "text", ["RECOVER QMGR(TUNE CAPEXPRY ON)", "REC QMGR (TUNE +\n CAPEXPRY ON)"]
)
def test_a_feature_of_8_0_on_zos_is_turned_on_by_recover(text: str) -> None:
    (command,) = parse(text).commands
    assert (command.error, command.verb, command.noun) == (None, "RECOVER", "QMGR")


def test_other_commands_of_the_queue_manager_still_take_no_name() -> None:
    (command,) = parse("ALTER QMGR(TUNE CAPEXPRY ON)").commands
    assert command.error is not None
    assert "takes no name" in command.error.message
