"""Each public file is planned, applied and found without drift, or rightly refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.acceptance.conftest import Bench

_ROOT = Path(__file__).resolve().parents[2]
_CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", _ROOT.parent / "shared" / "corpus"))
_FOLDER = _CORPUS / "mqsc-in-the-wild"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not _FOLDER.is_dir(), reason="no corpus of MQSC in the wild: set MQTRIAGE_CORPUS"
    ),
]

APPLIED = ""
REASONS = {
    "002": ":9:17: error: '${VAR_QMGR_UC}CHL' is a placeholder",
    "004": ":21:20: error: '${VAR_QMGR}chl' is a placeholder",
    "005": ":8:19: error: '${MQ_CLUSTERNAME}' is a placeholder",
    "009": ":11: ${VAR_MQ_INSTANCE_NAME_UC} of DEFINE CHANNEL is a placeholder",
    "010": ":74:58: error: CONNAME is not an attribute of CHLTYPE(SVRCONN)",
    "022": APPLIED,
    "032": ":24:33: error: '${ADMIN_GROUP}' is a placeholder",
    "037": ":9: ALTER AUTHINFO(DEV.AUTHINFO): there is no such authentication information object",
    "039": APPLIED,
    "066": APPLIED,
    "067": ":40: ALTER CHANNEL(DEMOCLUSTER_QM1): there is no such channel",
    "078": ": has MQSC for ADM, ESB, EXT, INT",
    "081": APPLIED,
    "087": APPLIED,
    "091": APPLIED,
    "093": APPLIED,
    "100": APPLIED,
    "105": ":78:124: error: '{{' is a placeholder",
    "106": APPLIED,
    "111": ":10:31: error: MAXUMSGL is not an attribute of the queue manager; expected MAXMSGL",
    "113": ":27: QLOCAL(APPQ): it is defined already",
    "116": ":25:22: error: '$CLUSTER_NAME' is a placeholder",
    "118": APPLIED,
    "119": APPLIED,
}


def test_every_file_is_here() -> None:
    files = {path.name[:3] for path in _FOLDER.iterdir() if path.name != "INDEX.tsv"}
    assert files == set(REASONS)


@pytest.mark.parametrize("number", REASONS)
@pytest.mark.slow
def test_a_file_is_applied_without_drift_or_refused_for_a_reason(
    tmp_path: Path, number: str
) -> None:
    (path,) = _FOLDER.glob(f"{number}-*")
    bench = Bench(tmp_path)
    bench.ok("emulator", "create", "QM1")
    plan = bench.run("plan", str(path))
    if REASONS[number]:
        assert plan.code in (2, 8)
        assert f"{path.name}{REASONS[number]}" in plan.err
        return
    assert plan.code == 0
    applied = bench.run("apply", str(path), "--yes")
    if applied.code == 8:  # what it removes is confirmed by its name
        applied = bench.run("apply", str(path), "--yes", "--confirm", "*")
    assert applied.code == 0, applied.err
    assert bench.run("drift", str(path)).code == 0
    assert (
        "nothing to change" in bench.run("plan", str(path)).err + bench.run("plan", str(path)).out
    )
