"""docs/testing-with-mqtriage.md: the fixture of pytest, and the list of PCF commands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

from mqtriage.mq.name_table import numbers
from mqtriage.mq.pcf import as_mqsc as pcf_mqsc

PAGE = Path(__file__).parent.parent.parent / "docs" / "testing-with-mqtriage.md"
PLUGIN = "mqtriage.backends.pytest_plugin"


def run_pytest(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as a user of the plugin does, in a process of its own."""
    is_installed = any(
        entry_point.value == PLUGIN for entry_point in entry_points(group="pytest11")
    )
    plugin = (
        [] if is_installed else ["-p", PLUGIN]
    )  # a checkout that was installed before it had one
    paths = [*(path for path in sys.path if path), str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *more],
        cwd=folder,
        env=dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def client() -> None:
    """What programs of the MQ client need."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler (cc)")
    if find_spec("ibmmq") is None:
        pytest.skip("ibmmq is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return project


@pytest.mark.usefixtures("client")
@pytest.mark.slow
def test_queue_managers_are_as_marked_apart_and_gone_after_a_test_and_a_crash(folder: Path) -> None:
    (folder / "test_marker.py").write_text(
        "import pytest\n"
        "@pytest.mark.mqtriage_qmgr(name='QMZ', platform='zos', version='9.3')\n"
        "def test_it(mqtriage_qmgr):\n"
        "    assert mqtriage_qmgr.name == 'QMZ'\n"
        "    assert mqtriage_qmgr.backend.queue_manager_attributes()['CMDLEVEL'] == 930\n"
        "    before = mqtriage_qmgr.now\n"
        "    assert (mqtriage_qmgr.advance('1h') - before).total_seconds() == 3600\n"
        "@pytest.mark.mqtriage_qmgr('QM2')\n"
        "def test_not_so(mqtriage_qmgr): pass\n"
    )
    (folder / "test_apart.py").write_text(
        "import os, pytest\n"
        "@pytest.mark.parametrize('number', range(2))\n"
        "def test_it(mqtriage_qmgr, number):\n"
        "    before = mqtriage_qmgr.now\n"
        "    assert mqtriage_qmgr.now == before\n"
        "    mqtriage_qmgr.mqsc('DEFINE QLOCAL(A)')\n"
        "    assert mqtriage_qmgr.depth('A') == 0\n"
        "    mqtriage_qmgr.put('A', b'x')\n"
        "    settings = mqtriage_qmgr.connection\n"
        "    import ibmmq\n"
        "    qm = ibmmq.connect(**settings)\n"
        "    assert ibmmq.Queue(qm, 'A', 1).get() == b'x'\n"
        "    print('server', mqtriage_qmgr._server.pid)\n"
        "def test_a_mistake(mqtriage_qmgr):\n"
        "    with pytest.raises(Exception, match='NOSUCH is not an attribute'):\n"
        "        mqtriage_qmgr.mqsc('DEFINE QLOCAL(A) NOSUCH(1)')\n"
    )
    (folder / "mqclient.ini").write_text("CHANNELS:\n  ReconDelay=(20)\n")
    (folder / "test_crash.py").write_text(
        "def test_it(mqtriage_qmgr):\n"
        "    settings = mqtriage_qmgr.connection\n"
        "    import ibmmq\n"
        "    c = ibmmq.CMQC\n"
        "    wanted = ibmmq.CNO(Options=c.MQCNO_RECONNECT_Q_MGR)\n"
        "    qm = ibmmq.connect(**settings, cno=wanted)\n"
        "    mqtriage_qmgr.crash()\n"
        "    mqtriage_qmgr.serve()\n"
        "    qm.commit()\n"
        "    qm.disconnect()\n"
    )
    ran = run_pytest(folder, "-s", "--import-mode=importlib")
    assert "5 passed, 1 error" in ran.stdout, ran.stdout + ran.stderr
    assert "mqtriage_qmgr takes name, platform, version, clock" in ran.stdout
    servers = re.findall(r"server (\d+)", ran.stdout)
    assert len(servers) == 2
    assert not any(Path(f"/proc/{number}").exists() for number in servers)


@pytest.mark.slow
def test_pytest_starts_without_anything_of_ours(folder: Path) -> None:
    (folder / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    ours = {n for n in sys.modules if n.startswith('mqtriage.')}\n"
        f"    assert ours == {{'mqtriage.backends', '{PLUGIN}'}}\n"
        "    assert 'sqlite3' not in sys.modules\n"
    )
    ran = run_pytest(folder)
    assert ran.returncode == 0, ran.stdout


def test_the_page_lists_the_commands_that_are_answered() -> None:
    listed = {f"MQCMD_{word}" for word in re.findall(r"\b[A-Z]+_[A-Z_]+\b|ESCAPE", _commands())}
    known = {
        name
        for name, value in numbers().items()
        if name.startswith("MQCMD_") and (pcf_mqsc.is_known(value) or name == "MQCMD_ESCAPE")
    }
    assert listed == known


def _commands() -> str:
    """The table of the section on programs that administer."""
    part = PAGE.read_text("utf-8").partition("## Administration programs")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ")]
    return "\n".join(rows[1:])
