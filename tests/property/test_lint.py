"""Lint and its fixes on scripts that nobody thought of."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mqtriage.definitions.estates import ScriptFile, ScriptSet, estate_of
from mqtriage.definitions.lint.config import LintConfig
from mqtriage.definitions.lint.fixes import fix_mqsc, fixable, rewrite
from mqtriage.definitions.lint.report import report_listing
from mqtriage.definitions.lint.run import Linted, LintRun, lint_scripts
from mqtriage.definitions.rules.finding import Severity
from mqtriage.definitions.script_files import encode_like
from mqtriage.formatters.reports.findings import write_report
from mqtriage.mq.mqsc.parse import decode_script, parse
from tests.support.scale import amount

NAMES = st.sampled_from(["A.IN", "A.BO", "B", "SYSTEM.DDELAY.LOCAL.QUEUE", "DEAD", "MISSING"])
ATTRIBUTES = st.one_of(
    st.builds("BOTHRESH({})".format, st.sampled_from([0, 1, 3, 99])),
    st.builds("BOQNAME({})".format, NAMES),
    st.builds("BOQUEUE({})".format, NAMES),
    st.builds("STREAMQ({})".format, NAMES),
    st.builds("MAXDEPTH({})".format, st.integers(0, 10_000)),
    st.builds("MAXMSGL({})".format, st.integers(0, 4_194_304)),
    st.builds("CAPEXPRY({})".format, st.integers(1, 900)),
    st.sampled_from(
        ["PUT(DISABLED)", "GET(DISABLED)", "USAGE(XMITQ)", "CLUSTER(C)", "NOSHARE", "TRIGGER",
         "STRMQOS(MUSTDUP)", "DESCR('it''s')", "QDEPTHHI(1)", "MAXFSIZE(20)", "NONSENSE(1)"]
    ),
)  # fmt: skip
SEPARATORS = st.sampled_from([" ", "  ", " +\n  ", " +\r\n* why\r\n    "])


@st.composite
def commands(draw: st.DrawFn) -> str:
    verb = draw(st.sampled_from(["DEFINE", "DEFINE", "DEFINE", "ALTER", "DELETE", "def"]))
    kind = draw(st.sampled_from(["QLOCAL", "QLOCAL", "QLOCAL", "QALIAS", "QMODEL"]))
    head = f"{verb} {kind}({draw(NAMES)})"
    if verb == "DELETE":
        return head
    if kind == "QALIAS":
        return f"{head} TARGET({draw(NAMES)})"
    parts = draw(st.lists(ATTRIBUTES, max_size=5, unique_by=lambda text: text.partition("(")[0]))
    between = draw(SEPARATORS)
    tail = draw(st.sampled_from(["", " REPLACE", ";", " ;"]))
    return between.join([head, *parts]) + tail


SCRIPTS = st.builds(
    lambda lines, newline, qmgr, ended: newline.join([*lines, *qmgr]) + newline * ended,
    st.lists(st.one_of(commands(), st.sampled_from(["* a comment", "", "nonsense"])), max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([[], ["ALTER QMGR DEADQ(DEAD)"], ["ALTER QMGR DEADQ(' ') MAXMSGL(100000)"]]),
    st.booleans(),
)


def lint(scripts: ScriptSet) -> Linted:
    return lint_scripts(scripts, LintConfig())


def of(text: str) -> ScriptSet:
    file = ScriptFile(Path("a.mqsc"), text.encode("utf-8", "surrogatepass"), parse(text, file="a"))
    return ScriptSet("QM1", (file,))


@given(text=SCRIPTS)
@settings(max_examples=amount(40))
def test_a_rewritten_script_keeps_its_lines_and_comes_out_no_worse(text: str) -> None:
    before = lint(of(text))
    for changed in rewrite(of(text), lint, infos=False):
        after = lint(of(changed.script.text))
        assert len(fixable(after.findings, infos=False)) <= len(
            fixable(before.findings, infos=False)
        )
        kept = [line for line in text.splitlines() if line.startswith("*") or not line]
        lines = changed.script.text.splitlines()
        assert [line for line in lines if line.startswith("*") or not line] == kept
        old = sum(command.error is not None for command in parse(text).commands)
        assert sum(command.error is not None for command in changed.script.commands) <= old


def refused(text: str, times: int) -> int:
    """How many commands are refused where the script is run that often."""
    estate = estate_of([parse(text, file=str(number)) for number in range(times)])
    return len(estate.refused)


def errors_of(linted: Linted) -> set[tuple[str, str, str]]:
    return {(f.code, f.kind, f.name) for f in linted.findings if f.severity is Severity.ERROR}


@given(text=SCRIPTS)
@example(text="DEFINE QALIAS(DEAD) TARGET(A.IN)\nDELETE QLOCAL(DEAD)\nALTER QMGR DEADQ(DEAD)\n")
@settings(max_examples=amount(60))
@pytest.mark.slow
def test_a_fix_brings_no_new_error_and_the_script_can_be_run_as_often(text: str) -> None:
    before = lint(of(text))
    for changed in rewrite(of(text), lint, infos=False):
        new = changed.script.text
        if not any(f.respelling for f in before.findings):  # a word that is read now says more
            assert errors_of(lint(of(new))) <= errors_of(before)
        if refused(text, 2) == refused(text, 1):
            assert refused(new, 2) == refused(new, 1)
        touched = {f.name for f in changed.fixed}
        touched |= {getattr(c, "name", "") for f in changed.fixed for c in f.fix}
        for command in parse(text).commands:
            if command.named() not in touched:
                assert text[command.start : command.end].strip() in new


@given(text=SCRIPTS)
@settings(max_examples=amount(25))
def test_the_printed_fix_leaves_nothing_that_a_command_could_mend(text: str) -> None:
    fix = fix_mqsc(of(text), lint, infos=False)
    both = ScriptSet("QM1", (*of(text).files, ScriptFile(None, b"", parse(fix, file="fix"))))
    # where one fix takes another back, both were printed once and neither is printed again
    for finding in fixable(lint(both).findings, infos=False):
        assert finding.respelling or any(change.mqsc() in fix for change in finding.fix)


@given(text=st.one_of(st.text(), SCRIPTS))
@settings(max_examples=amount(25))
def test_any_text_is_linted_and_written_in_every_report_form(text: str) -> None:
    run = LintRun([lint(of(text))])
    for form in ("sarif", "junit", "github", "gitlab"):
        stream = io.StringIO()
        write_report(form, report_listing(run), stream, fail_on="warning")
        assert stream.getvalue() or not run.results[0].findings


@given(data=st.binary(max_size=300))
def test_a_file_that_is_not_changed_is_written_as_it_was(data: bytes) -> None:
    again = encode_like(data, decode_script(data))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert decode_script(again) == decode_script(data)
    else:
        assert again == data
