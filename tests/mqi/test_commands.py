"""`mqtriage emulator sdk`, `serve` and `run` as a user runs them."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mqtriage.emulator.core.file.home import server_folder
from mqtriage.emulator.mqi.library import sdk as layout
from mqtriage.emulator.mqi.library.headers import NOTICE
from mqtriage.emulator.mqi.server import SOCKET
from mqtriage.mq.errors import MQTriageError, Refused
from tests.mqi.conftest import Served

CALLS = """
MQCONN MQCONNX MQDISC MQBEGIN MQCMIT MQBACK MQOPEN MQCLOSE MQPUT MQPUT1 MQGET MQINQ MQSET
MQSUB MQSUBRQ MQSTAT MQCB MQCTL MQCRTMH MQDLTMH MQSETMP MQINQMP MQDLTMP MQBUFMH MQMHBUF
MQXCNVC
"""

PUT_AND_GET = """
import ibmmq, sys
qm = ibmmq.connect(sys.argv[1])
q = ibmmq.Queue(qm, 'SYSTEM.DEFAULT.LOCAL.QUEUE', 17)
q.put(b'there and back')
print(q.get().decode())
sys.exit(int(sys.argv[2]))
"""


def mqtriage(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ) | {"MQTRIAGE_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "mqtriage", *arguments],
        env=environment, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip


def test_every_name_leads_to_one_library_that_has_all_calls(sdk: Path) -> None:
    for name in (layout.LIBRARY, *layout.LINKS):
        path = sdk / "lib64" / name
        assert path.resolve() == (sdk / "lib64" / layout.LIBRARY).resolve()
    library = ctypes.CDLL(str(sdk / "lib64" / layout.LIBRARY))
    assert [call for call in CALLS.split() if not hasattr(library, call)] == []


def test_every_file_says_whose_it_is_not(sdk: Path) -> None:
    for path in [*(sdk / "inc").iterdir(), sdk / "README.txt"]:
        assert NOTICE in path.read_text("utf-8")
    for path in Path(layout.__file__).parent.glob("*.[ch]"):
        assert NOTICE in path.read_text("utf-8")


def test_no_header_has_text_of_ibms(sdk: Path) -> None:
    marks = re.compile(r"IBM Corp|Licensed Materials|U\.?S\.? Government|<BEGIN_|@\(#\)|5724")
    for path in (sdk / "inc").iterdir():
        assert not marks.search(path.read_text("utf-8")), path


@pytest.mark.parametrize("folder", ["/opt/mqm", "/opt/mqm/sdk", "/usr/local/mq", "/usr"])
def test_folders_of_ibms_and_of_the_system_are_refused(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    def write(*_: object, **__: object) -> None:
        pytest.fail("it would be written")

    monkeypatch.setattr(Path, "mkdir", write)
    monkeypatch.setattr(layout, "_write", write)
    with pytest.raises(Refused, match=f"{folder}: the SDK cannot be written under"):
        layout.lay_out(Path(folder))


@pytest.mark.parametrize("place", [".", "lib64", "lib"])
@pytest.mark.slow
def test_a_library_that_is_there_is_not_replaced(tmp_path: Path, place: str) -> None:
    theirs = tmp_path / "mq" / place / "libmqic_r.so"
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"theirs")
    ran = mqtriage(tmp_path, "emulator", "sdk", str(tmp_path / "mq"))
    assert ran.returncode == 8
    assert theirs.read_bytes() == b"theirs"
    assert not (tmp_path / "mq" / "inc").exists()


def test_an_sdk_of_ours_is_written_anew(sdk: Path) -> None:
    before = (sdk / "inc" / "cmqc.h").read_bytes()
    (sdk / "inc" / "cmqc.h").write_text("old")
    layout.lay_out(sdk)
    assert (sdk / "inc" / "cmqc.h").read_bytes() == before


def test_a_compiler_that_takes_too_long_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "cc"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o700)
    monkeypatch.setattr(layout, "_COMPILE_S", 0.2)
    with pytest.raises(MQTriageError, match=r"cc was still compiling the library after 0\.2 s$"):
        layout.lay_out(tmp_path / "mq", compiler=str(slow))


def test_without_a_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    ran = mqtriage(tmp_path, "emulator", "sdk", str(tmp_path / "mq"))
    assert ran.returncode == 1
    assert "no C compiler 'no-such-cc' here" in ran.stderr


@pytest.mark.slow
def test_run_runs_a_program_and_passes_its_exit_code_on(tmp_path: Path, sdk: Path) -> None:
    mqtriage(tmp_path, "emulator", "create", "QM1")
    ran = mqtriage(
        tmp_path, "emulator", "run", "QM1", "--sdk", str(sdk), "--",
        sys.executable, "-c", PUT_AND_GET, "QM1", "7",
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (7, "there and back\n"), ran.stderr
    path = tmp_path / "emulator" / "QM1.qmgr"
    assert not (server_folder(path) / SOCKET).exists()


@pytest.mark.slow
def test_run_uses_a_server_that_is_there(served: Served, sdk: Path) -> None:
    ran = mqtriage(
        served.home, "emulator", "run", "QM1", "--sdk", str(sdk), "--",
        sys.executable, "-c", PUT_AND_GET, "*", "0",
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "there and back\n"), ran.stderr
    assert (server_folder(served.path) / SOCKET).exists()


def test_run_tells_of_a_program_that_is_not_there(served: Served, sdk: Path) -> None:
    ran = mqtriage(
        served.home, "emulator", "run", "QM1", "--sdk", str(sdk), "--", "no-such-program"
    )
    assert ran.returncode == 127
    assert "no-such-program: command not found" in ran.stderr


def test_run_creates_a_queue_manager_and_defines_what_the_program_needs(
    tmp_path: Path, sdk: Path
) -> None:
    script = tmp_path / "app.mqsc"
    script.write_text("DEFINE QLOCAL(APP.IN)\n")
    put = PUT_AND_GET.replace("SYSTEM.DEFAULT.LOCAL.QUEUE", "APP.IN")
    ran = mqtriage(
        tmp_path, "emulator", "run", "NEW", "--sdk", str(sdk), "--mqsc", str(script), "--",
        sys.executable, "-c", put, "NEW", "0",
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "there and back\n"), ran.stderr
    assert "NEW did not exist, so it was created" in ran.stderr


def test_run_creates_nothing_for_a_line_without_a_queue_manager(tmp_path: Path) -> None:
    """`run python prog.py` names python as the queue manager."""
    ran = mqtriage(tmp_path, "emulator", "run", "python", "prog.py")
    assert (ran.returncode, ran.stderr) == (127, "prog.py: command not found\n")
    assert not (tmp_path / "emulator" / "python.qmgr").exists()


def test_run_leaves_the_options_of_a_program_to_it_without_dashes_too(
    served: Served, sdk: Path
) -> None:
    ran = mqtriage(
        served.home,
        "emulator",
        "run",
        "QM1",
        "--sdk",
        str(sdk),
        "sh",
        "-c",
        "echo $0 $1",
        "-q",
        "-o",
    )
    assert (ran.returncode, ran.stdout) == (0, "-q -o\n"), ran.stderr


def test_run_without_its_sdk_leaves_no_queue_manager_behind(tmp_path: Path) -> None:
    ran = mqtriage(tmp_path, "emulator", "run", "NEW", "--sdk", str(tmp_path / "no"), "--", "true")
    assert ran.returncode == 5
    assert not (tmp_path / "emulator" / "NEW.qmgr").exists()


@pytest.mark.slow
def test_serve_ends_cleanly_when_it_is_terminated(tmp_path: Path, sdk: Path) -> None:
    mqtriage(tmp_path, "emulator", "create", "QM1")
    environment = dict(os.environ) | {"MQTRIAGE_HOME": str(tmp_path)}
    server = subprocess.Popen(
        [sys.executable, "-m", "mqtriage", "emulator", "serve", "QM1"],
        env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stderr is not None
    try:
        assert "serving QM1" in server.stderr.readline()
        folder = server_folder(tmp_path / "emulator" / "QM1.qmgr")
        assert folder.stat().st_mode & 0o777 == 0o700
        second = mqtriage(tmp_path, "emulator", "serve", "QM1")
        assert (second.returncode, "another server" in second.stderr) == (1, True)
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(60)
        server.stderr.close()
    assert code == 0
    assert not (folder / SOCKET).exists()
