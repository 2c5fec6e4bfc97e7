"""A real `dmpmqcfg -a` of IBM MQ 9.2.0 with all objects that come with a queue manager."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus"))
_DUMPS = sorted((_FOLDER / "mqsc-in-the-wild").glob("118-*"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not _DUMPS, reason="no corpus of MQSC in the wild: set MQTRIAGE_CORPUS to its folder"
    ),
]

ITS_OWN = {
    ("AUTHINFO", "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP"): {"CHCKCLNT": "REQUIRED"},
    ("AUTHINFO", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"): {"CHCKCLNT": "NONE", "CHCKLOCL": "NONE"},
    ("CHANNEL", "SYSTEM.DEF.SVRCONN"): {"MCAUSER": "mqm"},
    ("QMGR", ""): {"CCSID": 819, "CHLAUTH": "DISABLED", "SSLKEYR": "/run/runmqserver/tls/key"},
}
"""What that installation had altered of the objects that came with its queue manager."""
DEFINED = [
    "DEF.SRVCONN", "EVENTTOMQ", "MQTOEVENT", "Q1", "SYSTEM.LISTENER.TCP.1",
    "SYSTEM.PROTECTION.POLICY.QUEUE",  # without message security, clients are to get 2085 for it
]  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.ok("emulator", "create", "QM1")
    return bench


def changes(bench: Bench) -> list[dict[str, object]]:
    planned = bench.ok("plan", "-m", "QM1", str(_DUMPS[0]), "-o", "json").item["changes"]
    assert isinstance(planned, list)
    return planned


def test_the_objects_that_come_with_a_queue_manager_are_those_of_the_dump(bench: Bench) -> None:
    altered, defined = {}, []
    for change in changes(bench):
        attributes = change["attributes"]
        assert isinstance(attributes, list)
        if change["action"] == "define":
            defined.append(str(change["object"]))
        else:
            key = str(change["object_type"]), str(change["object"] or "")
            altered[key] = {entry["attribute"]: entry["to"] for entry in attributes}
    assert altered == ITS_OWN
    assert sorted(defined) == DEFINED


def assert_no_drift(bench: Bench) -> None:
    ran = bench.ok("drift", "-m", "QM1", str(_DUMPS[0]), "-o", "json")
    assert ran.items == []
    ran = bench.ok("drift", "-m", "QM1", str(_DUMPS[0]), "--exact", "-o", "json")
    assert ran.items == []


def test_the_dump_is_planned_and_applied_and_nothing_drifts(bench: Bench) -> None:
    bench.ok("apply", "-m", "QM1", str(_DUMPS[0]), "--yes")
    assert changes(bench) == []
    assert_no_drift(bench)


def test_the_dump_is_loaded_whole_and_nothing_drifts(bench: Bench) -> None:
    bench.ok("mqsc", str(_DUMPS[0]), "-m", "QM1", "--yes")
    assert changes(bench) == []
    assert_no_drift(bench)


def test_the_staging_queue_of_an_older_emulator_becomes_unshared(bench: Bench) -> None:
    bench.ok("queue", "set", "SYSTEM.DDELAY.LOCAL.QUEUE", "SHARE", "DEFSOPT=SHARED", "--yes")
    bench.ok("apply", "-m", "QM1", str(_DUMPS[0]), "--yes")
    assert bench.attribute("SYSTEM.DDELAY.LOCAL.QUEUE", "SHARE") == "NO"
    assert_no_drift(bench)
