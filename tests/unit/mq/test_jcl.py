"""In-stream data of jobs of z/OS, and the rules table in a job of CSQUDLQH."""

from __future__ import annotations

import pytest

from mqtriage.mq.jcl import InStream, in_stream, is_job
from mqtriage.mq.rules_table.job import parse_job

HANDLER = """\
//DLQH     JOB (ACCT),'DEAD LETTERS',CLASS=A
//* every night
//READQ    EXEC PGM=CSQUDLQH,
//         PARM='CSQ1.DEAD.QUEUE CSQ1'          OVERRIDES THE TABLE
//STEPLIB  DD DISP=SHR,DSN=MQM.SCSQAUTH
//         DD DISP=SHR,DSN=MQM.SCSQANLE
//SYSOUT   DD SYSOUT=*
//SYSIN    DD *
* rules
INPUTQ(OTHER) INPUTQM(QM9) RETRYINT(30)
REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)
ACTION(FWD) FWDQ(DEADQ.MANUAL) HEADER(YES)
/*
"""


def data_of(statement: str, *data: str) -> list[list[str]]:
    lines = ["//A EXEC PGM=CSQUTIL", statement, *data]
    return [lines[one.first : one.stop] for one in in_stream(lines)]


@pytest.mark.parametrize(
    ("statement", "data", "expected"),
    [
        ("//IN DD *", ["A", "/*", "B"], ["A"]),
        ("//IN DD *", ["A", "//OUT DD SYSOUT=*"], ["A"]),
        ("//IN DD DATA", ["A", "//OUT DD SYSOUT=*", "/*"], ["A", "//OUT DD SYSOUT=*"]),
        ("//IN DD DATA,DLM=@@", ["A", "/*", "//X", "@@", "B"], ["A", "/*", "//X"]),
        ("//IN DD DATA,DLM='$$'", ["A", "$$ comment", "B"], ["A"]),
        ("//IN DD *,DLM=##", ["A", "/*", "B", "//X DD *"], ["A", "/*", "B"]),
        ("//IN DD *", ["A"], ["A"]),
        ("//IN DD *            COMMANDS", ["A", "/*"], ["A"]),
    ],
)
def test_data_in_a_job_ends_at_its_delimiter(
    statement: str, data: list[str], expected: list[str]
) -> None:
    assert data_of(statement, *data)[0] == expected


def test_data_in_a_job_has_the_program_and_the_parm_of_its_step() -> None:
    assert [*in_stream(HANDLER.split("\n"))] == [
        InStream("SYSIN", 8, 12, "CSQUDLQH", "CSQ1.DEAD.QUEUE CSQ1", 2)
    ]


def test_data_of_a_procedure_has_no_program() -> None:
    (data,) = in_stream(["//A EXEC MQDLQ", "//S1.SYSIN DD *", "ACTION(IGNORE)"])
    assert (data.ddname, data.program, data.parm) == ("SYSIN", "", "")


def test_a_text_whose_first_line_is_a_statement_is_a_job() -> None:
    assert is_job(HANDLER)
    assert is_job("\n//* of mine\n//A JOB\n")
    assert not is_job("REASON(*) ACTION(IGNORE)")
    assert not is_job("// a remark of a program")
    assert not is_job("")


def test_the_rules_of_a_job_are_the_data_of_sysin_at_their_lines() -> None:
    table = parse_job(HANDLER)
    assert not table.problems
    assert [(rule.line, str(rule.action)) for rule in table.rules] == [(11, "RETRY"), (12, "FWD")]
    assert table.control.retryint_s == 30


def test_parm_of_the_job_takes_precedence_over_the_control_data() -> None:
    control = parse_job(HANDLER).control
    assert (control.inputq, control.inputqm) == ("CSQ1.DEAD.QUEUE", "CSQ1")
    control = parse_job(HANDLER.replace("'CSQ1.DEAD.QUEUE CSQ1'", "CSQ1.DEAD.QUEUE")).control
    assert (control.inputq, control.inputqm) == ("CSQ1.DEAD.QUEUE", "QM9")


def test_what_is_wrong_with_a_rule_in_a_job_has_its_line_in_the_job() -> None:
    (problem,) = parse_job(HANDLER.replace("RETRY(5)", "RETRY(X)")).errors
    assert problem.line == 11


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (HANDLER.replace("DD *\n", "DD DISP=SHR,DSN=MQ.RULES\n"), "no step of CSQUDLQH has SYSIN"),
        (HANDLER.replace("CSQUDLQH", "CSQUTIL"), "no step of CSQUDLQH has SYSIN"),
        (HANDLER + HANDLER, "rules for another step"),
    ],
)
def test_a_job_without_one_table_says_so_and_nothing_else(job: str, says: str) -> None:
    (problem,) = parse_job(job).problems
    assert says in problem.text
