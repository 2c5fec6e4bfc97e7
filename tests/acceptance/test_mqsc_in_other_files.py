"""MQSC in quotes, in folded scalars and echoes, and beside a typing error: read, or said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench, Ran

SHELL = r"""#!/bin/sh
echo "DEFINE QLOCAL(E01) BOTHRESH(3)" | runmqsc
echo -e "DEFINE QLOCAL(E02) +\n  BOTHRESH(3)\n* no\nDEFINE QLOCAL(E03) BOTHRESH(3)\nEND" | runmqsc
echo "
DEFINE QLOCAL(E04) BOTHRESH(3)
* a comment
DEFINE QLOCAL(E05) +
  BOTHRESH(3)
" | docker exec -i mq runmqsc
printf 'DEFINE QLOCAL(E06) BOTHRESH(3)\n' | runmqsc
(echo "DEFINE QLOCAL(E07) BOTHRESH(3)"; echo "DEFINE QLOCAL(E08) BOTHRESH(3)") | runmqsc
bash -c "echo 'DEFINE QLOCAL(E09) BOTHRESH(3)' | runmqsc"
bash -c "echo \"DEFINE QLOCAL(E10) BOTHRESH(3)\" | runmqsc"
runmqsc <<< "DEFINE QLOCAL(E11) BOTHRESH(3)"
echo 'DEFINE QLOCAL('\''E12'\'') BOTHRESH(3) DESCR('"'"'a b'"'"')' | runmqsc
echo "DEFINE QLOCAL(E13) BOTHRESH(3)" >> /etc/mqm/x.mqsc
echo DEFINE QLOCAL\(E14\) BOTHRESH\(3\) | sudo tee -a /etc/mqm/20.mqsc
# echo "DEFINE QLOCAL(NO) BOTHRESH(3)" | runmqsc
printf '%s\n' "DEFINE QLOCAL(E15) BOTHRESH(3)" 'DEFINE QLOCAL(E16) +' \
  " BOTHRESH(3)" | runmqsc
printf -- '%s' "DEFINE QLOCAL(E17) BOTHRESH(3)" | runmqsc
/bin/echo "DEFINE QLOCAL(E18) BOTHRESH(3)" | runmqsc
print -r "DEFINE QLOCAL(E19) BOTHRESH(3)" | runmqsc
(
  echo "DEFINE QLOCAL(E20) BOTHRESH(3)"
  if [ -n "$X" ]; then
    echo "DEFINE QLOCAL(E21) BOTHRESH(3)"
  fi
) | runmqsc
said=$(echo "DEFINE QLOCAL(E22) BOTHRESH(3)" | runmqsc)
echo "DEFINE QLOCAL(E23) BOTHRESH(3)" |
  runmqsc
echo "DEFINE QLOCAL(E24) BOTHRESH(3)" \
  | tee x | runmqsc
echo "DEFINE QLOCAL('E25') -" >> tmp.mqsc
echo "  DESCR('of several echoes') -" >> tmp.mqsc
echo "  BOTHRESH(3)" >> tmp.mqsc
echo "
DEFINE QLOCAL(E26) BOTHRESH(3)
" > /tmp/switch_$1.in
runmqsc $1 < /tmp/switch_$1.in
su -l mqm -c 'echo "define qlocal ('\''E27'\'') bothresh (3)" | runmqsc'
su -l mqm -c 'echo "define qlocal ('\'E28\'') bothresh (3)" | runmqsc'
for i in 1 2; do
  echo "DEFINE QLOCAL(E29) BOTHRESH(3)"
done | runmqsc
echo "DEFINE QLOCAL(E30) BOTHRESH(3)" > objects.tst
kubectl exec qm1-0 -- bash -c "runmqsc <<EOF
DEFINE QLOCAL(E31) BOTHRESH(3)
EOF"
docker exec mq sh -c 'runmqsc <<EOF
DEFINE QLOCAL(E32) BOTHRESH(3)
EOF' && echo "DEFINE QLOCAL(E33) BOTHRESH(3)" | runmqsc
kubectl exec qm1-0 -- bash -c "
  runmqsc <<EOF
DEFINE QLOCAL(E35) BOTHRESH(3)
EOF"
ssh host runmqsc <<EOF
DEFINE QLOCAL(E34) BOTHRESH(3)
EOF
"""
GROOVY = """sh "docker exec mq bash -c 'runmqsc <<EOF
DEFINE QLOCAL(G1) BOTHRESH(3)
EOF'"
sh 'ls'
stage('b') {
  bat 'echo DEFINE QLOCAL(G2) BOTHRESH(3) | runmqsc QM1'
}
"""
COMMAND_FILE = """@echo off
echo.DEFINE QLOCAL(B1) BOTHRESH(3)>x.mqsc
echo(DEFINE QLOCAL(B2) BOTHRESH(3)>>x.mqsc
echo DEFINE QLOCAL(B3) BOTHRESH(3)| runmqsc QM1
"""
DOCKERFILE = r"""FROM icr.io/mq
RUN echo "DEFINE QLOCAL(D1) BOTHRESH(3)" >> /etc/mqm/20.mqsc && \
    echo "DEFINE QLOCAL(D2) BOTHRESH(3)" >> /etc/mqm/20.mqsc
RUN printf "DEFINE QLOCAL(D3) \
   BOTHRESH(3)" > /etc/mqm/30.mqsc
RUN printf 'DEFINE QLOCAL(D4) BOTHRESH(3)\n\
DEFINE QLOCAL(D5) BOTHRESH(3)\n' > /etc/mqm/40.mqsc
"""
YAML = r"""data:
  a.mqsc: 'DEFINE QLOCAL(''Y01'') BOTHRESH(3)'
  b.mqsc: >-
    DEFINE QLOCAL(Y02)
    BOTHRESH(3)

    DEFINE QLOCAL(Y03) BOTHRESH(3)
  c.mqsc: DEFINE QLOCAL(Y04) BOTHRESH(3)
  d.mqsc: "DEFINE QLOCAL(Y05)
    BOTHRESH(3)\nDEFINE QLOCAL(Y06) \
    BOTHRESH(3)"
  mqsc:
    - DEFINE QLOCAL(Y07) BOTHRESH(3)
    - "DEFINE QLOCAL(Y08) BOTHRESH(3)"
    - |
      DEFINE QLOCAL(Y09) BOTHRESH(3)
    {{- if .Values.more }}
      DEFINE QLOCAL(Y10) BOTHRESH(3)
    {{- end }}
  run: echo "DEFINE QLOCAL(Y11) BOTHRESH(3)" | runmqsc
  job: [sh, -c, "echo 'DEFINE QLOCAL(Y12) BOTHRESH(3)' | runmqsc"]
  e.mqsc: "DEFINE QLOCAL(Y13) DESCR('Gr\u00fc\xdfe vom \U00000041mt') BOTHRESH(3)\nDEFINE
    QLOCAL(Y14) BOTHRESH(3)"
  f.mqsc: !!str |
    DEFINE QLOCAL(Y15) BOTHRESH(3)
  g.mqsc: &same |-
    DEFINE QLOCAL(Y16) BOTHRESH(3)
"""
TYPING_ERROR = """commands: |
  DEFINE QLOCAL(A) BOTHRESH(3)
  DEFIN QLOCAL(B)
  DEFINE QLOCAL(C) BOTHRESH(3)
"""


def linted(bench: Bench, name: str, text: str) -> Ran:
    path = bench.home / name
    path.write_text(text)
    return bench.run("lint", str(path), "-o", "json")


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("a.sh", SHELL, {1: 2, 2: 3, 3: 3, 4: 5, 5: 8, 6: 10, 7: 11, 8: 11, 9: 12, 10: 13, 11: 14,
                         12: 15, 13: 16, 14: 17, 15: 19, 16: 20, 17: 21,
                         18: 22, 19: 23, 20: 25, 21: 27, 22: 30, 23: 31, 24: 33, 25: 37, 26: 39,
                         27: 42, 28: 43, 29: 45, 30: 47, 31: 49, 32: 52, 33: 53, 35: 56, 34: 59}),
        ("a.groovy", GROOVY, {1: 2, 2: 6}),
        ("a.cmd", COMMAND_FILE, {1: 2, 2: 3, 3: 4}),
        ("Dockerfile", DOCKERFILE, {1: 2, 2: 3, 3: 5, 4: 6, 5: 7}),
        ("a.yaml", YAML, {1: 2, 2: 5, 3: 7, 4: 8, 5: 10, 6: 11, 7: 13, 8: 14, 9: 16, 10: 18, 11: 20,
                          12: 21, 13: 22, 14: 23, 15: 25, 16: 27}),
    ],
)  # fmt: skip
def test_every_form_of_quoted_mqsc_is_read_with_its_lines(
    bench: Bench, name: str, text: str, places: dict[int, int]
) -> None:
    ran = linted(bench, name, text)
    lines = {i["object"]: i["line"] for i in ran.items if i["code"] == "BKO001"}
    assert {int(queue[1:]): line for queue, line in lines.items()} == places
    assert not [i for i in ran.items if i["code"].startswith("MQSC")]


@pytest.mark.slow
def test_all_of_it_is_planned_and_applied(bench: Bench, tmp_path: Path) -> None:
    files = (("a.sh", SHELL, 35), ("Dockerfile", DOCKERFILE, 5), ("a.yaml", YAML, 16))
    for name, text, queues in files:
        path = tmp_path / name
        path.write_text(text)
        planned = bench.ok("plan", str(path), "-o", "json").item
        assert planned["define"] == queues
        bench.ok("apply", str(path), "--yes")
        assert bench.run("drift", str(path)).code == 0
    assert bench.attribute("E12", "DESCR") == "a b"
    assert bench.attribute("E25", "DESCR") == "of several echoes"
    assert bench.attribute("Y13", "DESCR") == "Grüße vom Amt"


def test_a_typing_error_does_not_hide_the_block_that_it_is_in(bench: Bench) -> None:
    ran = linted(bench, "a.yaml", TYPING_ERROR)
    errors = [(i["line"], i["code"]) for i in ran.items if i["severity"] == "error"]
    assert errors == [(2, "BKO001"), (3, "MQSC001"), (4, "BKO001")]
    ran = linted(bench, "c.yaml", "setup: |\n  DEFIN QLOCAL(B)\n  DEFINE QLOCAL(C)\n")
    assert [i["line"] for i in ran.items if i["code"] == "MQSC001"] == [2]
    prose = (
        "notes: |\n  define what a queue is\n  DEFINE QLOCAL(A)\n  and alter nothing\n  at all\n"
    )
    ran = linted(bench, "b.yaml", prose)
    assert (ran.code, "b.yaml: no MQSC that can be read, but line 3 looks" in ran.err) == (5, True)


UNREAD = """a.mqsc: |
  DEFINE QLOCAL(A)
script: "DEFINE QLOCAL(B)"
more: |
  run_mq_command 'DEFINE QLOCAL(C)'
  run_mq_command 'DEFINE QLOCAL(D)'
# DEFINE QLOCAL(E)
"""


def test_what_looks_like_mqsc_and_was_not_read_is_a_note_beside_what_was(bench: Bench) -> None:
    ran = linted(bench, "a.yaml", UNREAD)
    notes = [(i["line"], i["code"], i["object"]) for i in ran.items if "not read" in i["message"]]
    assert notes == [(3, "MQSC003", None)]
    assert [i["message"][-9:] for i in ran.items if "not read" in i["message"]] == ["to line 6"]
    path = bench.home / "a.yaml"
    for verb in (("plan",), ("drift",), ("apply", "--yes"), ("mqsc", "-n")):
        err = bench.run(*verb, str(path)).err.replace("\n", " ")
        assert "a.yaml:3: this looks like MQSC and was not read" in err, verb


def test_a_plan_of_a_folder_names_the_files_that_look_like_mqsc_and_were_not_read(
    bench: Bench,
) -> None:
    folder = bench.home / "scripts"
    folder.mkdir()
    (folder / "a.MQSC").write_text("DEFINE QLOCAL(A)\n")
    (folder / "b.tst").write_text("DEFINE QLOCAL(B)\n")
    for verb in (("plan",), ("drift",), ("apply", "--yes"), ("mqsc", "-n")):
        err = bench.run(*verb, str(folder)).err.replace("\n", " ")
        assert "b.tst:1: this looks like MQSC and was not read" in err, verb


@pytest.fixture
def folder(bench: Bench) -> Path:
    """A folder with one script."""
    path = bench.home / "scripts"
    path.mkdir()
    (path / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    return path


DUMP = """* a dump
ALTER QMGR +
   DEADQ('DEAD.Q') +
   FORCE
DEFINE QLOCAL(DEAD.Q)
"""


def test_a_file_that_is_named_beside_its_folder_is_not_called_unread(bench: Bench) -> None:
    folder = bench.home / "QM2"
    (folder / "more").mkdir(parents=True)
    (folder / "a.mqsc").write_text("DEFINE QLOCAL(A)\n")
    (folder / "QM2.dmpmqcfg").write_text(DUMP)
    (folder / "more" / "b.mqsc").write_text("DEFINE QLOCAL(B)\n")
    (folder / "c.yaml").write_text("a.mqsc: |\n  DEFINE QLOCAL(C)\n")
    others = [folder / "QM2.dmpmqcfg", folder / "c.yaml", folder / "more"]
    names = [str(folder), *map(str, others)]
    for verb in (("plan",), ("drift",), ("mqsc", "-n"), ("apply", "--yes"), ("lint",)):
        ran = bench.run(*verb, *names)
        assert "not read" not in ran.out + ran.err, verb
    relative = [os.path.relpath(name) for name in names]
    ran = bench.run("lint", str(bench.home), *relative[1:], "-o", "json")
    assert not [i for i in ran.items if "not read" in i["message"]]
    strict = [str(folder), str(others[0]), "--fail-on", "warning", "--select", "MQSC"]
    assert bench.run("lint", *strict).code == 4  # for the folder below
    strict.append(str(others[2]))
    ran = bench.run("lint", *strict)
    assert ran.code == 0, ran.out
    (folder / "a.mqsc").unlink()
    ran = bench.run("lint", *strict)
    assert ran.code == 0, ran.err  # the only file is named, too


def test_what_was_not_read_is_named_with_its_first_command(bench: Bench, folder: Path) -> None:
    (folder / "b.dmpmqcfg").write_text(DUMP)
    (folder / "c.txt").write_text("DISPLAY QMGR\n" + DUMP)
    (folder / "d.txt").write_text("Type this:\n" + DUMP)
    ran = bench.run("lint", str(folder), "-o", "json")
    notes = {Path(i["file"]).name: i["line"] for i in ran.items if i["code"] == "MQSC003"}
    assert notes == {"b.dmpmqcfg": 2, "c.txt": 1, "d.txt": 3}


def test_the_settings_of_a_project_are_not_mqsc_that_was_not_read(
    bench: Bench, folder: Path
) -> None:
    rule = (
        '[[rule]]\nid = "BNK001"\nmessage = "m"\nobjects = { type = "QLOCAL" }\n'
        "condition = \"maxdepth > 0\"\nbad = 'DEFINE QLOCAL(A) MAXDEPTH(0)'\n"
    )
    for name, text in (
        ("mqtriage.toml", "[lint]\n" + rule),
        ("bank.toml", rule),
        ("pyproject.toml", rule.replace("[[rule]]", "[[tool.mqtriage.rule]]")),
    ):
        (folder / name).write_text(text)
        for verb in ("lint", "plan"):
            ran = bench.run(verb, str(folder))
            assert "was not read" not in (ran.out + ran.err).replace("\n", " "), (verb, name)
        (folder / name).unlink()


@pytest.mark.slow
def test_a_drift_from_scripts_that_were_not_all_read_is_not_success(
    bench: Bench, folder: Path
) -> None:
    (folder / "notes.txt").write_text("Type this:\nDEFINE QLOCAL(C)\n")
    assert bench.run("drift", str(folder), "-q").code == 4
    bench.ok("apply", str(folder), "--yes")
    assert bench.run("drift", str(folder), "-q").code == 0
    (folder / "b.dmpmqcfg").write_text("DEFINE QLOCAL(B)\n")
    ran = bench.run("drift", str(folder))
    assert (ran.code, "no differences from the files that were read" in ran.err) == (3, True)
    (folder / "a.mqsc").write_text("DEFINE QLOCAL(A) MAXDEPTH(7)\n")
    assert bench.run("drift", str(folder)).code == 4


def test_a_file_of_a_folder_that_is_no_script_need_not_be_readable(
    bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root, who runs the tests in a container, every file can be read."""

    def read(path: Path) -> bytes:
        if path.name in ("tls.key", "values.yaml"):
            raise PermissionError(13, "Permission denied", str(path))
        return path.read_bytes()

    (folder / "tls.key").write_text("DEFINE QLOCAL(B)\n")
    (folder / "values.yaml").write_text("a.mqsc: |\n  DEFINE QLOCAL(C)\n")
    monkeypatch.setattr("mqtriage.definitions.script_files.read_whole", read)
    assert bench.ok("plan", str(folder), "-o", "json").item["changes"]
    bench.ok("mqsc", str(folder), "-n")


def test_a_plan_of_a_folder_names_the_other_files_that_contain_mqsc(
    bench: Bench, folder: Path
) -> None:
    (folder / "README.md").write_text("```mqsc\nDEFINE QLOCAL(D)\n```\n")
    (folder / "plain.yaml").write_text("a: 1\n")
    assert "not read" not in bench.run("plan", str(folder)).err
    (folder / "b.yaml").write_text("data:\n  a.mqsc: |\n    DEFINE QLOCAL(B)\n")
    (folder / "c.sh").write_text("runmqsc QM1 <<EOF\nDEFINE QLOCAL(C)\nEOF\n")
    for verb in (("plan",), ("drift",), ("apply", "--yes"), ("mqsc", "-n")):
        err = " ".join(bench.run(*verb, str(folder)).err.split())
        assert "not read: MQSC in b.yaml, c.sh; to read them, name them" in err, verb


def test_an_object_as_it_was_applied_is_not_said_to_be_unread(bench: Bench) -> None:
    text = r"""data:
  a.mqsc: |
    DEFINE QLOCAL(A)
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","data":{"a.mqsc":"DEFINE QLOCAL(A)\n"},"kind":"ConfigMap"}
"""
    assert {i["code"] for i in linted(bench, "a.yaml", text).items} == {"BKO014"}


def test_an_escaped_line_end_does_not_hide_what_was_not_read(bench: Bench) -> None:
    text = "a.mqsc: DEFINE QLOCAL(B)\n" + r'args: ["runmqsc <<E\nDEFINE QLOCAL(A)\nE\n"]'
    ran = linted(bench, "a.yaml", text)
    assert [i["line"] for i in ran.items if i["code"] == "MQSC003"] == [2]


def test_plans_and_reports_beside_the_scripts_are_no_scripts(bench: Bench) -> None:
    folder = bench.home / "scripts"
    folder.mkdir()
    script = folder / "a.mqsc"
    script.write_text("DEFINE QLOCAL(A) BOTHRESH(3)\n")
    for verb in (("lint", str(folder), "--format"), ("plan", str(script), "-o")):
        for form in ("json", "yaml", *(("sarif", "junit") if verb[0] == "lint" else ())):
            ran = bench.run(*verb, form)
            assert "DEFINE QLOCAL" in ran.out, (verb, form)
            (folder / f"{verb[0]}.{form}").write_text(ran.out)
    bench.ok("plan", str(script), "--out", str(folder / "monday.plan"))
    ran = bench.run("lint", str(folder), "-o", "json")
    assert {i["file"] for i in ran.items} == {str(script)}


def test_a_folder_says_it_of_a_file_in_which_nothing_was_read(bench: Bench) -> None:
    folder = bench.home / "scripts"
    folder.mkdir()
    (folder / "a.sh").write_text("run_mq 'DEFINE QLOCAL(A)'\n")
    (folder / "b.mqsc").write_text("DEFINE QLOCAL(B)\n")
    ran = bench.run("lint", str(folder), "-o", "json")
    assert [(i["file"], i["line"]) for i in ran.items if i["code"] == "MQSC003"] == [
        (str(folder / "a.sh"), 1)
    ]


def test_markdown_says_it_of_what_is_quoted_or_preformatted(bench: Bench) -> None:
    text = """Type DEFINE QLOCAL(A) yourself.

<pre>
DEFINE QLOCAL(B)
</pre>

> ```
> DEFINE QLOCAL(C)
> ```
> DEFINE QLOCAL(D) is prose.
DEFINE QLOCAL(E) too.
"""
    text += "\n```mqsc\nDEFINE QLOCAL(F)\n```\n"
    ran = linted(bench, "a.md", text)
    assert [i["line"] for i in ran.items if i["code"] == "MQSC003"] == [4, 8]


def test_a_folder_says_it_of_an_object_of_kubernetes_in_json(bench: Bench, folder: Path) -> None:
    data = {"a.mqsc": "DEFINE QLOCAL(B)\nDEFINE QLOCAL(C)\n"}
    (folder / "cm.json").write_text(
        json.dumps({"apiVersion": "v1", "data": data}, separators=(",", ":"))
    )
    (folder / "cm2.json").write_text(json.dumps({"apiVersion": "v1", "data": data}, indent=4))
    ran = bench.run("lint", str(folder), "-o", "json")
    notes = [(Path(i["file"]).name, i["line"]) for i in ran.items if i["code"] == "MQSC003"]
    assert sorted(notes) == [("cm.json", 1), ("cm2.json", 4)]


def test_the_directives_of_terraform_are_no_commands(bench: Bench) -> None:
    text = """data = { x = <<EOT
%{ for q in var.queues ~}
DEFINE QLOCAL(${q}) BOTHRESH(3)
%{ endfor ~}
DEFINE QLOCAL(A) BOTHRESH(3)
EOT
}
"""
    ran = linted(bench, "a.tf", text)
    assert [i["line"] for i in ran.items] == [3, 5]
    assert {i["code"] for i in ran.items} == {"BKO001"}


def test_a_fix_is_not_written_into_quotes(bench: Bench) -> None:
    path = bench.home / "a.yaml"
    path.write_text(
        "a.mqsc: 'DEFINE QLOCAL(A) BOTHRESH(3)'\nb.mqsc: |\n  DEFINE QLOCAL(B) BOTHRESH(3)\n"
    )
    bench.run("lint", "fix", str(path), "--write")
    fixed = path.read_text()
    assert fixed.startswith("a.mqsc: 'DEFINE QLOCAL(A) BOTHRESH(3)'\n")
    assert "BOQNAME('B" in fixed


LOOP = """\
for QM in QM1 QM2; do
  runmqsc "$QM" <<EOF
DEFINE QLOCAL(ORDERS.IN)
DEFINE QLOCAL(ORDERS.BO) BOTHRESH(3) BOQNAME(ORDERS.NONE)
DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)
EOF
done
"""
ONE_OF_THEM = """\
runmqsc QM1 <<EOF
DEFINE QLOCAL(OTHER) LIKE(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDERS.BO)
SET AUTHREC PROFILE(ORDERS.IN) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
SET AUTHREC PROFILE('ORDERS.*') OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
SET AUTHREC PROFILE(ORDERS.INN) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
SET CHLAUTH('APP') TYPE(BLOCKUSER) USERLIST('*MQADMIN')
ALTER QMGR DEADQ(ORDERS.BO)
EOF
for QM in QM2; do runmqsc ${QM} <<EOF
SET AUTHREC PROFILE(OTHER) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
SET AUTHREC PROFILE(OTHERS) OBJTYPE(QUEUE) GROUP('app') AUTHADD(GET)
EOF
done
"""


@pytest.mark.parametrize("is_one_file", [True, False])
def test_what_a_loop_over_queue_managers_defines_is_there_in_each(
    bench: Bench, is_one_file: bool
) -> None:
    folder = bench.home / "deploy"
    folder.mkdir()
    (folder / "a.sh").write_text(LOOP + (ONE_OF_THEM if is_one_file else ""))
    if not is_one_file:
        (folder / "b.sh").write_text(ONE_OF_THEM)
    select = ("lint", str(folder), "--select", "REF,BKO003,CHL005,DLQ001", "-o", "json")
    missing = "BKO003 ORDERS.BO"
    for options, expected in (
        ((), [missing]),
        (("--whole",), [missing, "REF009 ORDERS.INN", "REF009 OTHERS"]),
    ):
        ran = bench.run(*select, *options)
        codes = sorted(f"{one['code']} {one['object']}" for one in ran.items)
        assert codes == expected, options


def test_a_printf_with_conversions_is_said_to_be_unread(bench: Bench) -> None:
    """Its other words are no commands, and %s is no name."""
    text = """printf "DEFINE QLOCAL(%s) BOTHRESH(%d)\\n" A 3 | runmqsc QM1
printf '%s\\n' 'DEFINE QLOCAL(B) BOTHRESH(3)' | runmqsc QM1
printf 'DEFINE QLOCAL(C) BOTHRESH(3) DESCR(100%%)\\n' | runmqsc QM1
"""
    ran = linted(bench, "a.sh", text)
    assert {(i["code"], i["line"]) for i in ran.items} == {
        ("MQSC003", 1), ("BKO001", 2), ("BKO001", 3),
    }  # fmt: skip
    assert "was not read" in ran.out


def test_the_echo_of_a_job_has_no_empty_lines_and_its_other_functions_are_told(
    bench: Bench, tmp_path: Path
) -> None:
    job = tmp_path / "define.jcl"
    job.write_text(
        "//A JOB\n//S1 EXEC PGM=CSQUTIL,PARM='QM1'\n//SYSIN DD *\nCOMMAND DDNAME(IN)\n"
        "EMPTY QUEUE(OLD)\n/*\n//IN DD DATA,DLM=@@\nDEFINE QLOCAL(OF.JOB)\n@@\n"
    )
    ran = bench.ok("mqsc", str(job), "--yes")
    assert [line for line in ran.out.splitlines() if line.strip() == ":"] == []
    assert f"{job}:5: not read: EMPTY is a function of CSQUTIL, not MQSC" in ran.err
    assert bench.attribute("OF.JOB", "MAXDEPTH")
