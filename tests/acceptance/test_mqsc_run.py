"""`mqtriage mqsc`, whole commands: layout, effects, consent, exit codes, bad input."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.main import main
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.mqsc.layout import cell_text, layout
from mqtriage.mq.mqsc.output import displayed_object, read_output
from mqtriage.mq.mqsc.reply import Reply
from mqtriage.mq.mqsc.tree import Command, Script
from tests.acceptance.conftest import ON_A_TERMINAL, Bench, Ran
from tests.support.application import app_for_test
from tests.support.timing import times_as_long

CORPUS = Path(
    os.environ.get("MQTRIAGE_CORPUS", Path(__file__).parents[2] / ".." / "shared" / "corpus")
)


def script(bench: Bench, text: str | bytes, name: str = "s.mqsc") -> str:
    path = bench.home / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def mqsc(bench: Bench, text: str | bytes, *args: str) -> Ran:
    return bench.run("mqsc", script(bench, text), *args)


@pytest.mark.parametrize("word", ["end", "QUIT", "exit ;"])
def test_what_is_typed_is_announced_and_ends_at_end(bench: Bench, word: str) -> None:
    typed = f"DIS QMGR +\n* end\nDESCR\n{word}\nDIS QMGR CCSID\n"
    ran = bench.run("mqsc", answer=typed, terminals=ON_A_TERMINAL)
    assert ran.err.startswith("reading MQSC from standard input; END or Ctrl-D ends it\n")
    assert "warning" not in ran.err
    assert (ran.code, "CCSID" in ran.out) == (0, False)
    assert "One MQSC command read." in ran.out


def test_each_command_that_is_typed_is_answered_before_the_next(bench: Bench) -> None:
    ran = bench.run(
        "mqsc",
        answer="DEFINE QLOCAL(A)\ny\nDIS QLOCAL(A) MAXDEPTH\nDEFINE QLOCAL(B)\nn\nDIS QL(B)\n",
        terminals=ON_A_TERMINAL,
    )
    answers = [line for line in ran.out.splitlines() if line.startswith("AMQ8")]
    assert [line[:8] for line in answers] == ["AMQ8006I", "AMQ8409I", "AMQ8147E"]
    assert " run MQSC on QM1: not confirmed\n" in ran.err
    assert "4 MQSC commands read." in ran.out
    assert "2 valid MQSC commands could not be processed." in ran.out
    assert ran.code == 3
    assert ran.err.count("operation ") == 1


def test_a_typed_session_ends_at_ctrl_c_amid_a_command(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = EmulatedBackend.run_mqsc

    def interrupted(self: EmulatedBackend, script: Script, command: Command) -> Reply:
        os.kill(os.getpid(), signal.SIGINT)
        return run(self, script, command)

    monkeypatch.setattr(EmulatedBackend, "run_mqsc", interrupted)
    typed = io.StringIO("DIS QMGR DESCR\nDIS QMGR CCSID\nDIS QMGR MAXHANDS\n")
    app = app_for_test(environ=bench.environ, terminals=ON_A_TERMINAL)
    app.run.stdin = typed
    assert main(["mqsc"], app) == 130
    assert typed.readline() == "DIS QMGR CCSID\n"


def test_what_is_typed_in_latin_1_is_read_as_in_a_file(bench: Bench) -> None:
    text = b"DEFINE QLOCAL(A) DESCR('K\xfchl')\n"
    shown = "DESCR(K\u00fchl)"
    typed = text.decode("utf-8", "surrogateescape") + "y\nDIS QL(A) DESCR\n"
    assert shown in bench.run("mqsc", answer=typed, terminals=ON_A_TERMINAL).out
    mqsc(bench, text.replace(b"(A)", b"(B)"), "--yes")
    assert shown in mqsc(bench, "DIS QL(B) DESCR").out


def test_a_typed_session_in_another_form_is_one_document(bench: Bench) -> None:
    typed = "DIS QMGR DESCR\nDIS QMGR CCSID\nend\n"
    ran = bench.run("mqsc", "-o", "json", answer=typed, terminals=ON_A_TERMINAL)
    assert [item["number"] for item in ran.json["items"]] == [1, 2]


def test_end_of_a_pipe_or_file_says_what_is_left_unread(bench: Bench) -> None:
    text = "DIS QMGR DESCR\nend\n\nDIS QMGR CCSID\nDIS QMGR MAXHANDS\n"
    unread = ":4: not read: runmqsc stops at END, so nothing from this line on runs\n"
    assert f"warning: <stdin>{unread}" in bench.run("mqsc", answer=text).err
    assert unread in mqsc(bench, text).err
    assert "warning" not in bench.run("mqsc", answer="DIS QMGR DESCR\nend\n\n* bye\n").err


def test_input_typed_for_any_command_is_announced(bench: Bench) -> None:
    ran = bench.run("lint", "-", answer="DEFINE QLOCAL(A)\n", terminals=ON_A_TERMINAL)
    assert ran.err.startswith("reading standard input; Ctrl-D ends it\n")


def test_a_session_looks_as_runmqsc_prints_it(bench: Bench) -> None:
    ran = mqsc(
        bench,
        "* two queues\nDEFINE QLOCAL(A) +\n   MAXDEPTH(7)\n\n"
        "define ql(a) boqueue(x)\nalter ql(nope) put(disabled)\ndis ql(a) maxdepth share\nend\n"
        "DEFINE QLOCAL(NEVER)\n",
        "--yes",
    )
    assert ran.code == 3
    lines = ran.out.splitlines()
    assert lines[0].startswith("5724-H72 (C) Copyright IBM Corp. 1994, 20")
    assert lines[1:] == [
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "       : * two queues",
        "     1 : DEFINE QLOCAL(A) +",
        "       :    MAXDEPTH(7)",
        "AMQ8006I: IBM MQ queue created.",
        "       : ",
        "     2 : define ql(a) boqueue(x)",
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "define ql(a) boqueue(x)",
        "     3 : alter ql(nope) put(disabled)",
        "AMQ8147E: IBM MQ object NOPE not found.",
        "     4 : dis ql(a) maxdepth share",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   MAXDEPTH(7)                             SHARE",
        "     5 : end",
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert "s.mqsc:5:14: BOQUEUE is not an attribute of a local queue; expected BOQNAME" in ran.err
    assert bench.attribute("A", "MAXDEPTH") == 7
    assert bench.run("queue", "show", "NEVER").code == 5


def test_verbose_shows_each_command_with_its_completion_and_no_value(bench: Bench) -> None:
    text = "DEF QL(A) DESCR('secret')\nALTER QL(NOPE) PUT(DISABLED)\n"
    ran = mqsc(bench, text, "--yes", "--verbose")
    assert [line for line in ran.err.splitlines() if line.startswith("MQSC ")] == [
        "MQSC DEFINE QLOCAL(A): MQCC_OK",
        "MQSC ALTER QLOCAL(NOPE): MQCC_FAILED MQRC_UNKNOWN_OBJECT_NAME (2085)",
    ]


def test_our_own_reader_understands_the_session(bench: Bench) -> None:
    bench.define(A="MAXDEPTH=7 SHARE=NO")
    ran = mqsc(bench, "dis ql(a)\ndis qmgr\ndis ql(no)\n")
    read = read_output(ran.out)
    assert read.unread == []
    assert read.queue_manager == "QM1"
    assert (read.commands_read, read.syntax_errors, read.not_processed) == (3, 0, 1)
    shown = [displayed_object(record) for record in read.records]
    queue, manager = (one for one in shown if one is not None)
    attributes = bench.ok("queue", "show", "A", "-o", "json").item["attributes"]
    live = ("CURDEPTH", "IPPROCS", "OPPROCS")
    assert {k: v for k, v in queue.attributes.items() if k not in live} == attributes
    assert manager.kind == "QMGR"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DIS QL(*)\n", 0),
        ("PING QMGR\n", 0),
        ("", 0),
        ("* only a comment\n", 0),
        ("END\n", 0),
        ("DIS QL(NOPE)\nDIS QMGR\n", 3),
        ("DIS QL(NOPE)\n", 1),
        ("nonsense\n", 1),
        ("DIS CLUSQMGR(*)\n", 1),
    ],
)
def test_reading_needs_no_consent_and_the_exit_code_says_how_much_failed(
    bench: Bench, text: str, code: int
) -> None:
    assert mqsc(bench, text).code == code


def test_a_change_needs_consent_and_shows_what_it_is_about(bench: Bench) -> None:
    ran = mqsc(bench, "DIS QMGR\nDEFINE QLOCAL(A)\n")
    assert ran.code == 8
    assert ran.out == ""
    assert "run MQSC on QM1: 1 change" in ran.err
    assert "DEFINE QLOCAL(A)" in ran.err
    assert bench.run("queue", "show", "A").code == 5
    asked = bench.run(
        "mqsc", script(bench, "DEFINE QLOCAL(A)"), answer="y\n", terminals=ON_A_TERMINAL
    )
    assert asked.code == 0
    assert bench.depth("A") == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CLEAR QLOCAL(A)\n", "A"),
        ("DELETE QLOCAL(B)\n", "B"),
        ("CLEAR QLOCAL(A)\nDELETE QLOCAL(B)\n", "QM1"),
    ],
)
def test_clear_and_delete_need_the_name(bench: Bench, text: str, name: str) -> None:
    bench.define("A", "B")
    with bench.connected() as backend:
        backend.put1("A", MQMD(), b"x")
    refused = mqsc(bench, text, "--yes")
    assert refused.code == 8
    assert f"--yes --confirm {name}" in refused.err
    assert bench.depth("A") == 1
    if "CLEAR" in text:
        assert "A contains 1 message, which will be lost without being archived" in refused.err
    assert mqsc(bench, text, "--confirm", "OTHER").code == 8
    assert mqsc(bench, text, "--confirm", name).code == 0
    assert bench.depth("A") == (0 if "CLEAR" in text else 1)


def test_what_is_not_emulated_is_counted_as_not_processed(bench: Bench) -> None:
    """One rule for all of it: a script that starts a service is not told that it has."""
    text = (
        "DEFINE LISTENER(L) TRPTYPE(TCP)\nSTART LISTENER(L)\nDEFINE SERVICE(S)\nSTART SERVICE(S)\n"
    )
    ran = mqsc(bench, text + "SET POLICY(Q) SIGNALG(SHA256)\n", "--yes")
    assert ran.code == 3
    listener = "START LISTENER works only for the port that 'emulator serve --tcp' uses"
    assert f"not emulated: {listener}" in ran.out
    assert "not emulated: START SERVICE" in ran.out
    assert "not emulated: SET POLICY" in ran.out
    assert "3 valid MQSC commands could not be processed." in ran.out
    assert mqsc(bench, "START LISTENER(L)\n", "--yes").code == 1
    assert mqsc(bench, "START SERVICE(NONE)\nDEFINE QLOCAL(A)\n", "--yes").code == 3


@pytest.mark.parametrize("words", [("-n",), ("--yes",)])
def test_what_replace_changes_and_resets_is_shown_before(
    bench: Bench, words: tuple[str, ...]
) -> None:
    queue = "DEFINE QLOCAL(Q) DEFPSIST(YES) MAXDEPTH(9)\n"
    mqsc(bench, queue + "DEFINE CHANNEL(C) CHLTYPE(SVRCONN) MAXINST(7)\n", "--yes")
    text = (
        "DEFINE QLOCAL(Q) MAXDEPTH(8) REPLACE\nDEFINE CHANNEL(C) CHLTYPE(SVRCONN) REPLACE\n"
        "DEFINE QLOCAL(NEW) REPLACE\nWRONG\n"
    )
    ran = mqsc(bench, text, *words)
    shown = " ".join(ran.err.split())
    assert "REPLACE of QLOCAL(Q): DEFPSIST YES -> NO (reset), MAXDEPTH 9 -> 8" in shown
    assert "REPLACE of CHANNEL(C): MAXINST 7 -> 999999999 (reset)" in shown
    assert "NEW" not in shown.replace("DEFINE QLOCAL(NEW)", "")
    shown = mqsc(bench, "DISPLAY QLOCAL(Q) DEFPSIST\n").out
    assert ("DEFPSIST(NO)" in shown) == ("--yes" in words)


def test_what_replace_resets_comes_from_the_default_object_as_it_is_now(bench: Bench) -> None:
    mqsc(bench, "DEFINE QLOCAL(Q) MAXDEPTH(9)\n", "--yes")
    mqsc(bench, "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(77)\n", "--yes")
    shown = mqsc(bench, "DEFINE QLOCAL(Q) REPLACE\n", "--yes").err
    assert "MAXDEPTH 9 -> 77 (reset)" in shown
    assert "MAXDEPTH(77)" in mqsc(bench, "DISPLAY QLOCAL(Q) MAXDEPTH\n").out
    assert "REPLACE" not in mqsc(bench, "DEFINE QLOCAL(Q) REPLACE\n", "--yes").err.replace(
        "DEFINE QLOCAL(Q) REPLACE", ""
    )


def test_what_replace_changes_is_said_of_the_rest_where_one_name_is_new(bench: Bench) -> None:
    mqsc(bench, "DEFINE QLOCAL(Q) MAXDEPTH(9)\n", "--yes")
    text = "DEFINE QLOCAL(NEW) MAXDEPTH(3)\nDEFINE QLOCAL(Q) LIKE(NEW) REPLACE\n"
    assert "REPLACE of QLOCAL(Q): MAXDEPTH 9 -> 3" in mqsc(bench, text, "-n").err
    ran = mqsc(bench, "DEFINE QLOCAL(Q) LIKE(MISSING) REPLACE\n", "-n")
    assert "what REPLACE changes is not known" in ran.err


@pytest.mark.parametrize("words", [("-n",), ("--yes",)])
def test_what_a_script_turns_on_without_effect_is_a_note(
    bench: Bench, words: tuple[str, ...]
) -> None:
    text = "ALTER QMGR ACTVTRC(ON) ACTIVREC(QUEUE) STATQ(ON) ACCTQ(ON) INHIBTEV(DISABLED)\n"
    shown = " ".join(mqsc(bench, text, *words).err.split())
    assert "no effect on an emulated queue manager: ACTVTRC(ON), ACTIVREC(QUEUE)" in shown
    assert "ACTIVREC(QUEUE)," not in shown
    text = "ALTER QMGR ACTVTRC(OFF) STATQ(ON) PERFMEV(ENABLED)\n"
    assert "no effect" not in mqsc(bench, text, *words).err


def test_a_password_is_not_among_what_replace_changes(bench: Bench) -> None:
    text = "DEFINE AUTHINFO(LD) AUTHTYPE(IDPWLDAP) CONNAME('ldap') LDAPPWD('one') SHORTUSR('u')"
    mqsc(bench, f"{text}\n", "--yes")
    ran = mqsc(bench, f"{text} REPLACE\n".replace("one", "two"), "-n")
    assert "LDAPPWD" not in ran.err.replace("LDAPPWD(********)", "").replace("LDAPPWD('", "")
    assert "REPLACE of" not in ran.err


def test_dry_run_checks_and_runs_nothing(bench: Bench) -> None:
    bench.define("A")
    before = bench.ok("emulator", "ls", "QM1").out
    ran = mqsc(bench, "DELETE QLOCAL(A)\nDEFINE QL(B) MAXDEPTH(X)\nPING CHANNEL(C)\n", "-n")
    assert ran.code == 3
    assert "One command has a syntax error." in ran.out
    assert "One valid MQSC command could not be processed." in ran.out
    assert "not emulated: PING CHANNEL" in ran.err
    assert mqsc(bench, "DIS QL(A)\nPING CHANNEL(C)\n", "-n").code == 3
    assert bench.ok("emulator", "ls", "QM1").out == before
    assert mqsc(bench, "DELETE QLOCAL(A)\n", "-n").code == 0


def test_json_has_one_record_a_command(bench: Bench) -> None:
    bench.define("A")
    ran = mqsc(
        bench, "dis ql(a) maxdepth\nalter ql(no) put(disabled)\nfoo\n", "--yes", "-o", "json"
    )
    assert ran.code == 3
    shown, failed, wrong = ran.items
    assert shown["objects"] == [{"QUEUE": "A", "TYPE": "QLOCAL", "MAXDEPTH": 5000}]
    assert (shown["completion"], shown["reason"], shown["line"]) == ("MQCC_OK", 0, 1)
    assert (failed["completion"], failed["reason"]) == ("MQCC_FAILED", 2085)
    assert failed["reason_name"] == "MQRC_UNKNOWN_OBJECT_NAME"
    assert failed["messages"][0]["id"] == "AMQ8147E"
    assert (wrong["result"], wrong["verb"]) == ("syntax error", None)
    assert ran.json["summary"] == {"commands_read": 3, "syntax_errors": 1, "not_processed": 1}


@pytest.mark.parametrize("form", ["table", "plain", "json", "ndjson", "csv", "md", "ids"])
def test_every_form_takes_the_answers(bench: Bench, form: str) -> None:
    ran = mqsc(bench, "DEFINE QLOCAL(A)\nDIS QL(A)\n", "--yes", "-o", form)
    assert ran.code == 0, ran.err
    assert ran.out.strip()
    assert bench.depth("A") == 0


def test_a_form_that_cannot_hold_answers_is_refused_before_anything_runs(bench: Bench) -> None:
    ran = mqsc(bench, "DEFINE QLOCAL(A)\n", "--yes", "-o", "mqsc")
    assert ran.code == 2
    assert bench.run("queue", "show", "A").code == 5


def test_the_script_may_come_from_standard_input(bench: Bench) -> None:
    for arguments in (["mqsc"], ["mqsc", "-"], ["mqsc", "run"], ["mqsc", "run", "-"]):
        ran = bench.run(*arguments, answer="dis ql(system.dead*)\n")
        assert ran.code == 0, ran.err
        assert "QUEUE(SYSTEM.DEAD.LETTER.QUEUE)" in ran.out


def test_options_may_stand_before_the_file(bench: Bench) -> None:
    path = script(bench, "DEFINE QLOCAL(A)")
    assert bench.run("mqsc", "--yes", path).code == 0
    assert bench.run("-m", "QM1", "mqsc", path, "--yes").code == 1  # it exists by now


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(bytes(range(256)) * 40, id="binary"),
        pytest.param(b"DEFINE QLOCAL(A) DESCR('" + b"x" * 1_000_000, id="open-quote-of-1MB"),
        pytest.param(b"DEFINE QLOCAL(" + b"(" * 10_000, id="10000-parentheses"),
        pytest.param(b"DIS QL(A" * 20_000, id="one-long-line"),
        pytest.param(b"DIS QL(*) WHERE(DESCR LK '" + b"y" * 500_000 + b"*')", id="long-filter"),
        pytest.param(b"\xff\xfe" + "nonsense\n".encode("utf-16-le"), id="utf-16"),
        pytest.param(b"+\n" * 50_000, id="continuations"),
    ],
)
@pytest.mark.slow
def test_bad_input_is_syntax_errors_soon(bench: Bench, data: bytes) -> None:
    """Four times as much may take eight times as long at most, besides what any script takes."""
    ran = mqsc(bench, data)
    quarter, floor_s = data[: len(data) // 8 * 2], 0.05
    longer = times_as_long(lambda: mqsc(bench, data), lambda: mqsc(bench, quarter), 8, floor_s)
    assert longer < 8
    assert ran.code in (1, 3)
    assert "internal error" not in ran.err
    assert (
        "have a syntax error." in ran.out
        or "has a syntax error." in ran.out
        or ("could not be processed" in ran.out)
    )


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [("no.mqsc", 5, "no such file"), (".", 2, "no scripts in this folder")],
)
def test_a_file_that_cannot_be_read_is_one_error(
    bench: Bench, name: str, code: int, text: str
) -> None:
    ran = bench.run("mqsc", str(bench.home / name))
    assert ran.code == code
    assert text in ran.error_line


def test_a_command_without_rights_to_the_terminal_cannot_write_escapes(bench: Bench) -> None:
    ran = mqsc(bench, "* \x1b[31mred\nDIS QMGR\n")
    assert "\x1b" not in ran.out
    assert "\\x1b[31mred" in ran.out


# -- against the real captures --------------------------------------------------------------------


def captured(number: str) -> str:
    captures = list((CORPUS / "mqsc-output").glob(f"{number}-*.txt"))
    if not captures:
        pytest.skip("no corpus of runmqsc output (MQTRIAGE_CORPUS)")
    return captures[0].read_text("utf-8")


def test_display_of_a_queue_like_the_captured_one_is_the_capture_byte_for_byte(
    bench: Bench,
) -> None:
    """A whole session (MQ 9.2): banner year apart, every line is the same."""
    bench.define("QUEUE1")
    with bench.connected() as backend:
        backend.put1("QUEUE1", MQMD(), b"x")
    theirs = captured("23").splitlines()
    ours = mqsc(bench, "dis ql(queue1) curdepth\n").out.splitlines()
    assert ours[1:] == theirs[1:]


def test_display_qstatus_is_the_captured_one(bench: Bench) -> None:
    """Capture 17: MONQ(OFF), one message, no handles."""
    bench.define(**{"DEV.QUEUE.1": ""})
    with bench.connected() as backend:
        backend.put1("DEV.QUEUE.1", MQMD(), b"x")
    (record,) = read_output(captured("17")).records
    theirs = list(layout(cell_text(*cell) for cell in record.cells))
    ours = mqsc(bench, "DIS QSTATUS(DEV.QUEUE.1)\n").out.splitlines()
    start = ours.index("AMQ8450I: Display queue status details.") + 1
    assert ours[start : start + len(theirs)] == theirs


def test_display_qmgr_has_the_captured_attributes_in_the_captured_order(bench: Bench) -> None:
    """Capture 02, all attributes that both have, after ALTER QMGR to the captured values."""
    (record,) = read_output(captured("02")).records
    keywords = [cell.keyword for cell in record.cells]
    ours = read_output(mqsc(bench, "DISPLAY QMGR ALL\n").out).records[0]
    common = [cell.keyword for cell in ours.cells if cell.keyword in keywords]
    assert common == [keyword for keyword in keywords if keyword in common]
    assert len(common) > 0.9 * len(keywords)
    changeable = {"DEADQ": "DEV.DEAD.LETTER.QUEUE", "DEFCLXQ": "SCTQ", "CONNAUTH": "DEV.AUTHINFO"}
    text = " ".join(f"{key}({value})" for key, value in changeable.items())
    assert mqsc(bench, f"ALTER QMGR {text}\n", "--yes").code == 0
    after = read_output(mqsc(bench, "DISPLAY QMGR ALL\n").out).records[0]
    fixed = {"QMNAME", "MAXMSGL", "MAXHANDS", "MAXPRTY", "MAXUMSGS", "MARKINT", *changeable}
    assert {k: after.get(k) for k in fixed} == {k: record.get(k) for k in fixed}


def test_defining_over_an_existing_queue_is_the_captured_session(bench: Bench) -> None:
    """Capture 25: DEFINE REPLACE with the footer of success."""
    theirs = captured("25").splitlines()
    start = theirs.index("     1 : DEFINE QLOCAL(EVENT.Q1) REPLACE")
    ours = mqsc(bench, "DEFINE QLOCAL(EVENT.Q1) REPLACE\n", "--yes").out.splitlines()
    assert ours[4:] == theirs[start:]


# -- streams and signals --------------------------------------------------------------------------


class Closing(io.StringIO):
    """A reader that goes away after the first piece."""

    def write(self, text: str) -> int:
        if self.tell():
            raise BrokenPipeError(32, "Broken pipe")
        return super().write(text)


@pytest.mark.parametrize("form", [[], ["-o", "ndjson"]])
def test_a_reader_that_goes_away_does_not_leave_a_script_half_run(
    bench: Bench, form: list[str]
) -> None:
    text = "".join(f"DEFINE QLOCAL(Q{number})\n" for number in range(30)) + "nonsense\n"
    app = app_for_test(environ=bench.environ)
    app.output.stdout = Closing()
    code = main(["mqsc", script(bench, text), "--yes", *form], app)
    assert code == 3  # what the script came to, not that the pipe was closed
    assert bench.depth("Q29") == 0


def test_a_signal_ends_the_script_between_two_commands(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    execute = EmulatedBackend.run_mqsc

    def stopping(self: EmulatedBackend, script: Script, command: Command) -> Reply:
        ran.append(command.verb)
        if len(ran) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return execute(self, script, command)

    monkeypatch.setattr(EmulatedBackend, "run_mqsc", stopping)
    outcome = mqsc(bench, "DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)\nDEFINE QLOCAL(C)\n", "--yes")
    assert outcome.code == 130
    assert "2 MQSC commands read." in outcome.out
    assert bench.depth("B") == 0
    assert bench.run("queue", "show", "C").code == 5


def test_a_command_in_the_place_of_a_file_leads_to_standard_input(bench: Bench) -> None:
    ran = bench.run("mqsc", "DISPLAY QMGR")
    assert (ran.code, "echo 'DISPLAY QMGR' | mqtriage mqsc" in ran.err) == (5, True), ran.err
