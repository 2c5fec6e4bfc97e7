"""MQSC of Kubernetes resources: a QueueManager with what it uses in one stream, and Secrets."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from mqtriage.mq.mqsc.manifests import encoded_scripts, manifests
from tests.acceptance.conftest import Bench

HIDDEN = b"DEFINE QLOCAL(ORDERS.BO) MAXMSGL(100)\nDEFINE QLOCAL(X) BOTHRESH(4)\n"
QUEUES = """\
# Source: mq/templates/cm.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  labels:
    app: mq
  name: queues
data:
  a.mqsc: |
    DEFINE QLOCAL(ORDERS.IN) BOTHRESH(3) BOQNAME(ORDERS.BO)
"""
SECRET = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: hidden
type: Opaque
data:
  b.mqsc: {b64encode(HIDDEN).decode()}
  password: aHVudGVyMg==
  not.mqsc: '!!!'
"""
MORE = """\
kind: ConfigMap
metadata:
  name: more
data:
  c.mqsc: "DEFINE QLOCAL(ORDERS.BO)"
"""
MANAGER = """\
apiVersion: mq.ibm.com/v1beta1
kind: QueueManager
metadata:
  name: qm1
spec:
  queueManager:
    resources: {}
    name: QM1
    mqsc:
      - configMap:
          name: queues
          items:
            - a.mqsc
      - secret:
          items:
            - b.mqsc
          name: hidden
      - configMap:
          name: more
"""


def stream(tmp_path: Path, *documents: str) -> str:
    file = tmp_path / "all.yaml"
    file.write_text("---\n".join(documents))
    return str(file)


def codes(bench: Bench, *args: str) -> list[tuple[str, str, str, int]]:
    ran = bench.run("lint", *args, "--ignore", "BKO014,SEC", "-o", "json")
    return [(i["code"], i["object"], Path(i["file"]).name, i["line"]) for i in ran.items]


def test_what_a_queue_manager_uses_is_linted_as_one(empty_bench: Bench, tmp_path: Path) -> None:
    both = stream(tmp_path, QUEUES, MANAGER, MORE)
    assert codes(empty_bench, both, "--whole") == []
    alone = codes(empty_bench, stream(tmp_path, QUEUES, MORE), "--whole")
    assert [code for code, *_ in alone] == ["BKO003"], "without it each is one of its own"
    other = MANAGER.replace("name: more", "name: nothing")
    assert [
        code for code, *_ in codes(empty_bench, stream(tmp_path, QUEUES, other, MORE), "--whole")
    ] == ["BKO003"]


def test_a_config_map_that_two_use_stays_by_itself(empty_bench: Bench, tmp_path: Path) -> None:
    second = MANAGER.replace("QM1", "QM2").replace("qm1", "qm2")
    file = stream(tmp_path, QUEUES, MANAGER, second, MORE)
    assert [code for code, *_ in codes(empty_bench, file, "--whole")] == ["BKO003"]


def test_secrets_are_read_with_the_option_alone(empty_bench: Bench, tmp_path: Path) -> None:
    file = stream(tmp_path, QUEUES, SECRET, MANAGER.replace("name: more", "name: nothing"))
    assert [code for code, *_ in codes(empty_bench, file, "--whole")] == ["BKO003"]
    assert codes(empty_bench, file, "--whole", "--decode-secrets") == [
        ("BKO005", "ORDERS.BO", "b.mqsc", 1),
        ("BKO001", "X", "b.mqsc", 2),
    ]
    folder = codes(empty_bench, str(tmp_path), "--whole", "--decode-secrets")
    assert [code for code, *_ in folder] == ["BKO005", "BKO001"]


def test_a_file_with_a_secret_alone(empty_bench: Bench, tmp_path: Path) -> None:
    file = stream(tmp_path, SECRET)
    assert empty_bench.run("lint", file).code == 5
    ran = empty_bench.run("lint", file, "--decode-secrets")
    assert "hidden/b.mqsc" in ran.out
    assert "all.yaml:7 " in ran.out
    assert "hunter2" not in ran.out + ran.err


ODD = (
    "",
    "---",
    "metadata:\n" + " \n" * 5000,
    "spec:\n  queueManager:\n" * 3000,
    "kind: QueueManager\nconfigMap:\n" + "     x\n" * 5000,
    "data:\n" + "  a: b\n" * 9000,
)


@pytest.mark.parametrize("text", ODD)
def test_odd_documents_take_no_time(text: str) -> None:
    assert [one.name for one in manifests(text)] == [""] * len(manifests(text))
    assert list(encoded_scripts(text)) == []
