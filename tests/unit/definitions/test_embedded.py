"""MQSC in YAML, shell scripts, Dockerfiles and Markdown: what is read, and from which lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.definitions.embedded import blocks_in, holds_mqsc, indented, masked

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


def read(name: str, text: str) -> list[tuple[int, str]]:
    """The lines that are read, each with its number, as they stand in the masked text."""
    lines = masked(text, blocks_in(name, text)).split("\n")
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
    ]
    names = [(block.group, block.queue_manager) for block in blocks_in("define.sh", SHELL)]
    assert names == [("$QM", ""), ("", ""), ("QM3", "QM3")]


def test_here_documents_of_a_dockerfile_are_read_also_inside_one_another() -> None:
    assert read("Dockerfile.dev", DOCKERFILE) == [(4, "DEFINE QLOCAL(E)"), (8, "DEFINE QLOCAL(F)")]


def test_each_fence_of_markdown_is_an_example_of_its_own() -> None:
    assert read("README.md", MARKDOWN) == [
        (4, "DEFINE QLOCAL(G"),
        (10, "   ALTER QMGR DEADQ(H)"),
        (29, "DEFINE QLOCAL(I)"),
    ]
    assert len({block.group for block in blocks_in("README.md", MARKDOWN)}) == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "mqsc: define\nscript: |\n  echo define\nq: >\n  DEFINE QLOCAL(A)\n"),
        ("a.yaml", "mqsc: |\nDEFINE QLOCAL(A)\n"),
        ("a.sh", "cat <<EOF\nDEFINE QLOCAL(A)\n"),
        ("a.sh", "runmqsc QM1 <<< 'DEFINE QLOCAL(A)'\nEOF\n"),
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


def test_names_of_files_that_hold_mqsc() -> None:
    names = ["a.yaml", "b.YML", "c.sh", "Dockerfile", "x/Containerfile.ubi", "README.md"]
    assert all(holds_mqsc(name) for name in names)
    assert not any(holds_mqsc(name) for name in ["a.mqsc", "a.txt", "a", "<stdin>", "yaml"])


_PIECES = st.sampled_from([
    "mqsc: |\n", "  k.mqsc: |-\n", "    DEFINE QLOCAL(A) -\n", "runmqsc Q <<EOF\n", "EOF\n",
    "END\n", "```mqsc\n", "```\n", "    * x\r\n", "{{ x }}\n", "\n", "\t", "  ", "\x85é", "---\n",
    "DEFINE QLOCAL(B)\n", "- |\n", "<<-'EOF'\n", "x",
])  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(["a.yml", "a.sh", "a.md"]))
def test_the_masked_text_has_the_lines_of_the_file(text: str, name: str) -> None:
    blocks = blocks_in(name, text)
    lines = masked(text, blocks).split("\n")
    assert [len(line) for line in lines] == [len(line) for line in text.split("\n")]
    ends = [0, *(block.end for block in blocks)]
    assert all(
        before <= block.start < block.end for before, block in zip(ends, blocks, strict=False)
    )
