"""MQSC in YAML, scripts, Dockerfiles, jobs, templates and Markdown: what is read, and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.definitions.embedded.blocks import Block, indented
from mqtriage.definitions.embedded.file_kinds import holds_mqsc
from mqtriage.definitions.embedded.read import UNREAD, read_embedded
from mqtriage.mq.mqsc.parse import parse
from tests.support.timing import shortest_s

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
data:
  {key}: |{mode}
    * the queues
    {{{{- if .Values.orders }}}}
    DEFINE QLOCAL(ORDERS.IN) +
      BOTHRESH(3)
    {{{{- end }}}}

  qm.ini: |-
    Log:
      LogBufferPages=0
"""
QUEUE_MANAGER = """\
spec:
  queueManager:
    name: QM1
    mqsc:
      - |
        DEFINE QLOCAL(A)
"""
ANSIBLE = """\
- name: queues
  ansible.builtin.shell:
    cmd: runmqsc {{ qmgr }}
    stdin: |
      DEFINE QLOCAL({{ queue }})
- name: more
  shell: |
    set -e
    runmqsc -w 30 QM2 <<'END_OF_MQSC'
    DEFINE QLOCAL(B)
    END
    this is not run
    END_OF_MQSC
"""
SHELL = """\
#!/bin/sh
# runmqsc QM0 <<EOF
su mqm -c "runmqsc '$QM'" <<-EOF > /dev/null
\tDEFINE QLOCAL(C)
\tEOF
cat > /etc/mqm/20.mqsc << "x.y"
DEFINE QLOCAL(
x.y
cat <<EOF | runmqsc -e QM3 2>&1
DEFINE QLOCAL(D)
EOF
runmqsc << @
$1
  DEFINE QLOCAL(J)
@
cat <<USAGE
To define a queue call this script with define
USAGE
n=$((1<<EOF))
"""
DOCKERFILE = """\
FROM mq
RUN <<EOF
runmqsc QM1 <<MQSC
DEFINE QLOCAL(E)
MQSC
EOF
COPY <<EOF /etc/mqm/30.mqsc
DEFINE QLOCAL(F)
EOF
"""
MARKDOWN = """\
# Queues

```mqsc
DEFINE QLOCAL(G
```

1. Then

   ~~~
   ALTER QMGR DEADQ(H)
   ~~~

```console
$ runmqsc QM1
define ql(x)
end
Then see what it says.
```

```sh
echo 'DISPLAY QMGR' | runmqsc
```

```
    1 : DEFINE QLOCAL(X)
AMQ8006I: IBM MQ queue created.
```

```bash
runmqsc QM2 <<EOF
DEFINE QLOCAL(I)
EOF
```
"""


def blocks_in(name: str, text: str) -> list[Block]:
    return list(read_embedded(name, text).blocks)


def masked(name: str, text: str) -> str:
    embedded = read_embedded(name, text)
    return embedded.script(embedded.blocks).text


def read(name: str, text: str) -> list[tuple[int, str]]:
    """The lines that are read, each with its number, as they stand in the masked text."""
    lines = masked(name, text).split("\n")
    return [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]


@pytest.mark.parametrize(
    ("key", "mode"),
    [("qm.mqsc", ""), ('"20-config.mqsc"', "-"), ("mqsc", "+"), ("commands", " # these")],
)
def test_a_block_of_yaml_is_read_with_its_lines_and_columns(key: str, mode: str) -> None:
    assert read("configmap.yaml", CONFIG_MAP.format(key=key, mode=mode)) == [
        (5, "*     the queues"),
        (7, "    DEFINE QLOCAL(ORDERS.IN) +"),
        (8, "      BOTHRESH(3)"),
    ]


def test_lists_of_a_resource_and_tasks_of_ansible_are_read() -> None:
    assert read("qm.yml", QUEUE_MANAGER) == [(6, "        DEFINE QLOCAL(A)")]
    assert read("tasks.yml", ANSIBLE) == [
        (5, "      DEFINE QLOCAL({{ queue }})"),
        (10, "    DEFINE QLOCAL(B)"),
    ]
    assert [block.queue_manager for block in blocks_in("tasks.yml", ANSIBLE)] == ["", "QM2"]


def test_here_documents_of_a_shell_script_are_read() -> None:
    assert read("define.sh", SHELL) == [
        (4, " DEFINE QLOCAL(C)"),
        (7, "DEFINE QLOCAL("),
        (10, "DEFINE QLOCAL(D)"),
        (13, "$1"),
        (14, "  DEFINE QLOCAL(J)"),
    ]
    names = [(block.group, block.queue_manager) for block in blocks_in("define.sh", SHELL)]
    assert names == [("$QM", ""), ("", ""), ("QM3", "QM3"), ("", "")]


def test_here_documents_of_a_dockerfile_are_read_also_inside_one_another() -> None:
    assert read("Dockerfile.dev", DOCKERFILE) == [(4, "DEFINE QLOCAL(E)"), (8, "DEFINE QLOCAL(F)")]


def test_echoes_of_a_windows_command_file_are_read() -> None:
    """Carets take a sign for itself, a block of echoes goes into the script that runmqsc gets."""
    batch = (
        "@echo off\r\nREM echo DEFINE QLOCAL(NO) | runmqsc QM1\r\n"
        "  echo DEFINE QLOCAL^(A^) DESCR^('1^|2'^) | runmqsc QM1 1>NUL 2>&1\r\n"
        "(\r\necho DEFINE QLOCAL(%Q%) +\r\necho   BOQNAME(!BOQ!) MAXDEPTH(%2)\r\necho.\r\n"
        'echo END\r\n) > "%TEMP%\\all.txt"\r\n'
        '"C:\\Program Files\\IBM\\MQ\\bin\\runmqsc.exe" %1 < "%TEMP%\\all.txt"\r\n'
        "echo clear qlocal(%2) | runmqsc.exe %1\r\necho Usage: %0 to define a queue\r\n"
    )
    assert [(line, mqsc.strip()) for line, mqsc in read("mq.BAT", batch)] == [
        (3, "DEFINE QLOCAL ^(A ) DESCR ('1 |2' )".replace("^", "")),
        (5, "DEFINE QLOCAL($Q_) +"),
        (6, "BOQNAME($BOQ_) MAXDEPTH($2)"),
    ]
    assert [block.queue_manager for block in blocks_in("mq.cmd", batch)] == ["QM1", "", ""]


def test_each_fence_of_markdown_is_an_example_of_its_own() -> None:
    assert read("README.md", MARKDOWN) == [
        (4, "DEFINE QLOCAL(G"),
        (10, "   ALTER QMGR DEADQ(H)"),
        (15, "define ql(x)"),
        (31, "DEFINE QLOCAL(I)"),
    ]
    assert len({block.group for block in blocks_in("README.md", MARKDOWN)}) == 4


def test_indented_code_of_markdown_is_read_and_its_prose_is_not() -> None:
    """A page of 2003's Markdown: no fences, commands by step of a list."""
    page = (
        "DEFINE QLOCAL(PROSE)\n- Queue\n\n\t\t$ runmqsc QM1\n\n\t\t\tDEFINE QLOCAL(A)\n\n"
        "- Channel\n\n    DEFINE CHANNEL (C) +\n      CHLTYPE(SVRCONN)\n\n    START LISTENER(L)\n"
        "Then `define ql(INLINE)`.\n\n    $ echo define\n    alter qmgr +\n"
    )
    assert read("README.md", page) == [
        (6, "  \tDEFINE QLOCAL(A)"),
        (10, "    DEFINE CHANNEL (C) +"),
        (11, "      CHLTYPE(SVRCONN)"),
        (13, "    START LISTENER(L)"),
    ]


def test_remarks_of_a_shell_between_commands_to_type_are_no_commands() -> None:
    page = (
        "```bash\n# First\n$ runmqsc QM1\n\n# Disable the checks\nALTER QMGR CONNAUTH(' ')\n"
        "  # The queue\nDEFINE QLOCAL(A) DESCR('#1')\nEND\n```\n```mqsc\n# wrong\n```\n"
    )
    assert read("README.md", page) == [
        (6, "ALTER QMGR CONNAUTH(' ')"),
        (8, "DEFINE QLOCAL(A) DESCR('#1')"),
        (12, "# wrong"),
    ]


def test_indented_code_of_markdown_that_is_not_read_is_noted() -> None:
    page = "DEFINE QLOCAL(PROSE)\n\n    $ dltmqm QM1\n    $ echo DEFINE QLOCAL(A)\n    set it up\n"
    assert [line for line, *_ in read_embedded("README.md", page).unread] == [4]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "mqsc: define\nscript: |\n  echo define\nq: >\n  DEFINE QLOCAL(A)\n"),
        ("a.yaml", "mqsc: |\nDEFINE QLOCAL(A)\n"),
        ("a.sh", "cat <<EOF\nDEFINE QLOCAL(A)\n"),
        ("a.sh", "echo 'DEFINE QLOCAL(A)'\n# echo 'DEFINE QLOCAL(A)' | runmqsc QM1\n"),
        ("a.sh", "echo 'DEFINE QLOCAL(A) | runmqsc QM1\n"),
        ("a.md", "DEFINE QLOCAL(A)\n\n```\nset the queue\n```\n"),
        ("a.mqsc", "DEFINE QLOCAL(A)\n"),
    ],
)
def test_what_is_no_mqsc_is_not_read(name: str, text: str) -> None:
    assert blocks_in(name, text) == []


def test_the_indentation_is_no_part_of_a_value_that_goes_on_in_column_1() -> None:
    text = "mqsc: |\n  DEFINE QLOCAL(A) DESCR('on-\n  line')\n"
    assert read("a.yaml", text)[0] == (2, "  DEFINE QLOCAL(A) DESCR('on+")


def test_added_lines_are_as_far_in_as_their_block() -> None:
    text = CONFIG_MAP.format(key="mqsc", mode="")
    blocks = blocks_in("a.yaml", text)
    at = text.index("BOTHRESH(3)") + len("BOTHRESH(3)")
    assert indented(blocks, text, at, " BOQNAME(B)") == " BOQNAME(B)"
    assert indented(blocks, text, at, " +\n       X") == " +\n       X"
    assert indented(blocks, text, at + 1, "A\n\nB\n") == "    A\n\n    B\n"


def test_yaml_is_read_in_here_documents_and_in_fences() -> None:
    script = f"cat <<EOF | oc apply -f -\n{CONFIG_MAP.format(key='a.mqsc', mode='')}EOF\n"
    assert [line for line, _ in read("deploy.sh", script)] == [6, 8, 9]
    assert [line for line, _ in read("a.md", f"```yaml\n{script}```\n")] == [7, 9, 10]
    both = blocks_in("deploy.sh", script + script)
    assert len({block.group for block in both}) == 2


@pytest.mark.slow
def test_what_is_in_one_another_without_end_is_given_up() -> None:
    depth = 2000
    text = "".join(f"cat <<E{n}\n" for n in range(depth))
    text += "DEFINE QLOCAL(A)\n" + "".join(f"E{n}\n" for n in reversed(range(depth)))
    assert blocks_in("a.sh", text) == []


@pytest.mark.slow
def test_here_documents_that_never_end_are_not_looked_for_again_and_again() -> None:
    text = "EOF\n" + "cat <<EOF\ndefine\n" * 50_000
    assert blocks_in("a.sh", text) == []
    assert shortest_s(lambda: blocks_in("a.sh", text), 5) < 5


def test_names_of_files_that_hold_mqsc() -> None:
    names = ["a.yaml", "b.YML", "c.sh", "Dockerfile", "x/Containerfile.ubi", "README.md"]
    assert all(holds_mqsc(name) for name in names)
    assert not any(holds_mqsc(name) for name in ["a.mqsc", "a.txt", "a", "<stdin>", "yaml"])


_PIECES = st.sampled_from([
    "mqsc: |\n", "  k.mqsc: |-\n", "    DEFINE QLOCAL(A) -\n", "runmqsc Q <<EOF\n", "EOF\n",
    "END\n", "```mqsc\n", "```\n", "    * x\r\n", "{{ x }}\n", "\n", "\t", "  ", "\x85é", "---\n",
    "DEFINE QLOCAL(B)\n", "- |\n", "<<-'EOF'\n", "x", "echo 'DEFINE QLOCAL(C)\\nEND' | runmqsc\n",
    "(echo \"DEFINE QLOCAL(D) \\\n   PUT(DISABLED)\"; echo ALTER QMGR) | runmqsc Q\n", "mqsc: >\n",
    "mqsc: \"DEFINE QLOCAL(E) \\\n  \\nALTER QMGR\n    DEADQ(D)\"\n",
    "m.mqsc: 'DEFINE QLOCAL(''F'')\n", "\0\1", "  - DEFINE QLOCAL(G)\n", "mqsc:\n", "  DEADQ(X)'\n",
])  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(["a.yml", "a.sh", "a.md"]))
def test_the_masked_text_has_the_lines_of_the_file(text: str, name: str) -> None:
    blocks = blocks_in(name, text)
    lines = masked(name, text).split("\n")
    assert [len(line) for line in lines] == [len(line) for line in text.split("\n")]
    ends = [0, *(block.end for block in blocks)]
    assert all(
        before <= block.start < block.end for before, block in zip(ends, blocks, strict=False)
    )


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(["a.yml", "a.sh", "a.md"]))
def test_the_places_of_commands_are_those_of_the_masked_text(text: str, name: str) -> None:
    embedded = read_embedded(name, text)
    script = embedded.script(embedded.blocks)
    whole = parse(script.text, file=name)
    # a command whose continuation sign is the last of its block ends with the block
    ours, theirs = ([c._replace(end=0) for c in one.commands] for one in (script, whole))
    assert ours == theirs
    notes = (note for note in script.notes if not note.message.startswith(UNREAD))
    assert tuple(notes) == whole.notes
    spans = [(item.start, item.end) for item in script.items]
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]
    assert not spans or (spans[0][0], spans[-1][1]) == (0, len(text))


@pytest.mark.slow
def test_long_texts_in_quotes_are_read_once() -> None:
    many = 10_000
    scalar = 'mqsc: "' + "DEFINE QLOCAL(A) REPLACE\\n" * many + '"\n'
    shell = 'echo "\nDEFINE QLOCAL(A)\n' + "echo 'DEFINE QLOCAL(A)\n" * many
    assert shortest_s(lambda: blocks_in("a.yaml", scalar), 5) < 5
    assert shortest_s(lambda: blocks_in("a.sh", shell), 5) < 5


JOB = """\
//MQDEF    JOB (ACCT),'DEFINE',CLASS=A
//STEP1    EXEC PGM=CSQUTIL,PARM='MQ1P'
//SYSIN    DD *
COMMAND DDNAME(CMDINP)
/*
//CMDINP   DD *
DEFINE QLOCAL(A) +
       BOTHRESH(3)
/*
//CMDINP2  DD DISP=SHR,DSN=MQ.SCSQPROC(OBJECTS)
"""
FUNCTIONS = """\
//UTIL     JOB (ACCT),'X',CLASS=A
//STEP1    EXEC PGM=CSQUTIL,PARM='CSQ1'
//SYSIN    DD *
COMMAND DDNAME(CMDINP) FAILURE(STOP)
COMMAND DDNAME(CMDDIS) +
        MAKEDEF(OUTPUT)
* EMPTY QUEUE(NOT.THIS)
EMPTY QUEUE(OLD.Q)
COPY QUEUE(A.Q) DDNAME(OUT1)
LOAD QUEUE(A.Q) DDNAME(IN1)
SCOPY PSID(1) DDNAME(OUT2)
/*
//CMDINP   DD DATA,DLM=@@
DEFINE QLOCAL(A) REPLACE +
  DESCR('x')
/*
@@
//CMDDIS   DD *
DISPLAY QLOCAL(A) ALL
/*
"""
TERRAFORM = """\
resource "local_file" "mqsc" {
  filename = "qm1.mqsc"
  content  = <<-EOT
    DEFINE QLOCAL(A)
    DEFINE QLOCAL(${var.app}.IN)
  EOT
}
"""
PIPELINE = """\
stage('mq') {
    sh '''
      runmqsc QM1 <<EOF
      DEFINE QLOCAL(A)
      EOF
    '''
    sh "echo \\"DEFINE QLOCAL(B)\\" | runmqsc QM1"
}
"""
TEMPLATE = """\
* queues of {{ app }}
{% for queue in queues %}
DEFINE QLOCAL({{ queue.name }}) MAXDEPTH({{ queue.depth }})
{% endfor %}
<#list queues as q>
DEFINE QLOCAL(A)
</#list>
"""


def test_data_of_a_job_ends_at_the_delimiter_of_its_dd_statement() -> None:
    text = FUNCTIONS.replace("/*\n@@", "@@")
    embedded = read_embedded("define.jcl", text)
    script = embedded.script(embedded.blocks)
    assert [command.named() for command in script.commands] == ["A"]
    assert "@@" not in script.text


def test_each_function_of_csqutil_that_is_not_run_has_one_note() -> None:
    embedded = read_embedded("define.jcl", FUNCTIONS)
    assert [(line, what.split()[0]) for line, what in embedded.left_out] == [
        (6, "MAKEDEF"), (8, "EMPTY"), (9, "COPY"), (10, "LOAD"), (11, "SCOPY")
    ]  # fmt: skip
    notes = embedded.script(embedded.blocks).notes
    assert [note.line for note in notes if note.message.startswith("not read: ")] == [
        6,
        8,
        9,
        10,
        11,
    ]


def test_a_job_with_nothing_but_mqsc_has_no_note() -> None:
    embedded = read_embedded("define.jcl", JOB)
    assert not embedded.left_out
    assert not embedded.script(embedded.blocks).notes


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("define.jcl", JOB, ["A"]),
        ("DEFINE.JCL", JOB, ["A"]),
        ("main.tf", TERRAFORM, ["A", ""]),
        ("Jenkinsfile", PIPELINE, ["A", "B"]),
        ("deploy.groovy", PIPELINE, ["A", "B"]),
        *((f"a.mqsc{ending}", TEMPLATE, ["", "A"]) for ending in (
            ".j2", ".tpl", ".tmpl", ".jinja2", ".template", ".in", ".erb", ".ftl", "_template",
        )),
    ],
)  # fmt: skip
def test_the_mqsc_of_jobs_terraform_pipelines_and_templates_is_read(
    name: str, text: str, names: list[str]
) -> None:
    embedded = read_embedded(name, text)
    script = embedded.script(embedded.blocks)
    assert [command.named() for command in script.commands] == names
    assert len(script.text) == len(text)
    assert not embedded.unread
    for command in script.commands:
        assert text.split("\n")[command.line - 1].find("DEFINE") >= 0


def test_quotes_that_begin_with_an_escaped_line_end_have_their_commands_on_the_next_lines() -> None:
    text = 'RUN echo -e "\\\nDEFINE QLOCAL(A) \\n\\\nALTER QMGR DEADQ(A)" > /etc/mqm/a.mqsc\n'
    embedded = read_embedded("Dockerfile", text)
    commands = embedded.script(embedded.blocks).commands
    assert [(c.verb, c.line, c.error) for c in commands] == [
        ("DEFINE", 2, None),
        ("ALTER", 3, None),
    ]
