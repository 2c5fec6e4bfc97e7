"""A misspelt attribute of every object type, an authority or a CipherSpec that there is none of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqtriage.mq.mqsc.verbs import VERBS, only_platform
from mqtriage.mq.security.authority_records import AUTHORITIES, OBJECT_TYPES, may_have
from mqtriage.mq.security.cipher_specs import CURRENT, DEPRECATED
from tests.acceptance.conftest import Bench

SETTING = sorted((verb, noun) for verb in ("DEFINE", "ALTER", "SET") for noun in VERBS[verb])
"""A new object type joins by its line in mq/mqsc/verbs.tsv."""
WRONG = "ZZTOP"
NEEDED = {
    ("DEFINE", "CHANNEL"): "CHLTYPE(SVRCONN) ", ("DEFINE", "TOPIC"): "TOPICSTR('a') ",
    ("ALTER", "CHANNEL"): "CHLTYPE(SVRCONN) ", ("DEFINE", "SUB"): "TOPICSTR('a') DEST(Q) ",
    ("DEFINE", "AUTHINFO"): "AUTHTYPE(IDPWOS) ", ("ALTER", "AUTHINFO"): "AUTHTYPE(IDPWOS) ",
    ("SET", "CHLAUTH"): "TYPE(USERMAP) CLNTUSER('u') MCAUSER('u') ",
    ("SET", "AUTHREC"): "OBJTYPE(QUEUE) PROFILE(A) GROUP('g') ",
}  # fmt: skip
"""What else would be missing."""


def command(verb: str, noun: str) -> str:
    name = "" if noun in ("QMGR", "AUTHREC", "SECURITY", "LOG", "ARCHIVE", "SYSTEM") else "(A)"
    return f"{verb} {noun}{name} {NEEDED.get((verb, noun), '')}{WRONG}(1)\n"


def on(platform: str) -> list[tuple[str, str]]:
    other = "zos" if platform == "dist" else "dist"
    return [pair for pair in SETTING if only_platform(*pair) != other]


def test_lint_calls_it_an_error_for_every_object_type(empty_bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "all.mqsc"
    path.write_text("".join(command(*pair) for pair in SETTING))
    ran = empty_bench.run("lint", str(path), "-o", "json")
    assert ran.code == 4
    errors = [item for item in ran.items if WRONG in item["message"]]
    assert {item["severity"] for item in errors} == {"error"}
    assert [SETTING[item["line"] - 1] for item in errors] == SETTING


@pytest.mark.parametrize("platform", ["dist", "zos"])
@pytest.mark.slow
def test_plan_apply_and_drift_refuse_it_and_mqsc_answers_with_a_syntax_error(
    request: pytest.FixtureRequest, platform: str
) -> None:
    bench: Bench = request.getfixturevalue("bench" if platform == "dist" else "zos_bench")
    path = bench.home / "a.mqsc"
    script = ""
    for pair in on(platform):
        text = command(*pair)
        script += text
        path.write_text(text)
        for verb in (("plan",), ("apply", "--yes"), ("drift",)):
            ran = bench.run(*verb, str(path))
            assert (ran.code, WRONG in ran.error_line) == (2, True), (verb, text, ran.err)
    answers = bench.run("mqsc", "-", "--confirm", "QM1", answer=script)
    counted = f"{len(on(platform))} commands have a syntax error."
    assert (answers.code, counted in answers.out) == (1, True), answers.out


def test_the_nearest_name_is_given(bench: Bench) -> None:
    for text, meant in (
        ("ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHKCLNT(REQUIRED)",
         "CHCKCLNT"),
        ("DEFINE LISTENER(L) TRPTYPE(TCP) PROT(1415)", "PORT"),
        ("DEFINE NAMELIST(N) NAME(A)", "NAMES"),
        ("DEFINE COMMINFO(C) MCPORP(ALL)", "MCPROP"),
        ("DEFINE QLOCAL(Q) REPLCE", "REPLACE"),
        ("DELETE QLOCAL(Q) PURG", "PURGE"),
        ("ALTER QMGR DEADQUEUE(DLQ)", "DEADQ"),
        ("DEFINE QLOCAL(Q) BACKOUTTHRESHOLD(3)", "BOTHRESH"),
        ("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SSLCIPHERSPEC(ANY)", "SSLCIPH"),
        ("DEFINE SERVICE(S) STARTCOMMAND('x')", "STARTCMD"),
    ):  # fmt: skip
        ran = bench.run("plan", "-", answer=text)
        assert (ran.code, ran.error_line.endswith(f"; expected {meant}")) == (2, True), ran.err


EMPTY = ("ALTER QMGR DEADQ()", "DEFINE QLOCAL(A) BOQNAME( )", "DEFINE QALIAS(A) TARGET()",
         "ALTER CHANNEL(C) CHLTYPE(SVRCONN) SSLCIPH() SSLCAUTH(OPTIONAL)",
         "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST()", "DEFINE QLOCAL(A) MAXDEPTH()",
         "DISPLAY QLOCAL(A) WHERE()", "DEFINE QLOCAL(A) +\n  LIKE()")  # fmt: skip


@pytest.mark.parametrize("text", EMPTY)
def test_empty_parentheses_are_a_syntax_error(bench: Bench, text: str) -> None:
    path = bench.home / "a.mqsc"
    path.write_text(text)
    linted = bench.run("lint", str(path), "-o", "json")
    keyword = re.findall(r"([A-Z]+)\( ?\)", text)[0]
    assert linted.code == 4
    messages = [item["message"] for item in linted.items if item["severity"] == "error"]
    assert messages == [f"{keyword}() has no value; ' ' is blank"]
    assert bench.run("plan", str(path)).code == 2
    answer = bench.run("mqsc", str(path), "--yes")
    assert ("AMQ8405I" in answer.out, "One command has a syntax error" in answer.out) == (
        True,
        True,
    )


def test_an_empty_namelist_and_a_blank_in_quotes_are_right(bench: Bench) -> None:
    text = "DEFINE NAMELIST(N) NAMES()\nALTER QMGR DEADQ(' ')\nDEFINE QALIAS(A) TARGET('')\n"
    assert bench.run("mqsc", "-", "--yes", answer=text).code == 0


@pytest.mark.slow
def test_an_authority_that_the_object_type_does_not_have_is_refused_everywhere(
    bench: Bench,
) -> None:
    given = "SET AUTHREC PROFILE('A.B') OBJTYPE({}) GROUP('g') AUTHADD({})\n"
    path, server = bench.home / "a.mqsc", 0
    for kind in OBJECT_TYPES:
        words = [word for word in AUTHORITIES if not may_have(kind, word)]
        path.write_text("".join(given.format(kind, word) for word in words))
        ran = bench.run("lint", "--select", "MQSC", str(path), "-o", "json")
        messages = [f"{item['severity']} {item['message']}" for item in ran.items]
        for word, message in zip(words, messages, strict=True):
            assert message.startswith(f"error {word} is not an authority of OBJTYPE({kind}); exp")
        answers = bench.run("mqsc", str(path), "--confirm", "QM1")
        assert answers.code == 1
        server += answers.out.count("AMQ8405I")
        assert answers.out.count("AMQ8405I") == len(words)
        path.write_text(given.format(kind, words[0]))
        for verb in (("plan",), ("apply", "--yes"), ("drift",)):
            assert bench.run(*verb, str(path)).code == 2
    assert server > 100
    many = "".join(given.format("CHANNEL", word) for word in ("ALL", "ALLADM", "ALLMQI", "CTRLX"))
    path.write_text(many)
    assert bench.run("lint", str(path)).code == 0


def test_a_name_that_no_cipherspec_has_is_an_error_and_amq8242e(bench: Bench) -> None:
    for words, kind, meant in (
        ("ANY_TLS12_OR_HIGER", "SVRCONN", "ANY_TLS12_OR_HIGHER"),
        ("ECDHE_RSA_AES_128_GCM_SHA265", "SDR", "ECDHE_RSA_AES_128_GCM_SHA256"),
        ("'TLS_RSA_WITH_AES_256_CBC_SHA512'", "RQSTR", "TLS_RSA_WITH_AES_256_CBC_SHA256"),
    ):
        needed = {"SDR": "CONNAME(h) XMITQ(X)", "RQSTR": "CONNAME(h)"}.get(kind, "")
        text = f"DEFINE CHANNEL(A.C) CHLTYPE({kind}) {needed} SSLCIPH({words})"
        linted = bench.run("lint", "--select", "MQSC", "-", "-o", "json", answer=text)
        assert linted.code == 4
        assert f"is not a CipherSpec; expected {meant}" in linted.items[0]["message"]
        assert bench.run("plan", "-", answer=text).code == 2
        answer = bench.run("mqsc", "-", "--yes", answer=text)
        assert "AMQ8242E: SSLCIPH definition wrong." in answer.out
        assert bench.run("mqsc", "-", answer="DISPLAY CHANNEL(A.C)").code != 0


def test_every_cipherspec_of_ibm_s_tables_and_a_code_of_zos_may_be_named(bench: Bench) -> None:
    names = (*CURRENT, *DEPRECATED, "C02F", "'any_tls12'", "' '")
    text = "".join(
        f"DEFINE CHANNEL(C{number}) CHLTYPE(SVRCONN) SSLCIPH({name})\n"
        for number, name in enumerate(names)
    )
    text += "DEFINE CHANNEL(M) CHLTYPE(AMQP) PORT(5672) SSLCIPH(TLS_AES_128_GCM_SHA256)\n"
    assert bench.run("plan", "-", answer=text).code in (0, 1)
    assert "MQSC002" not in bench.run("lint", "-", answer=text).out
