"""ibmmq's own test suite and sample programs, as its authors publish them, on our queue manager.

They come out of the source distribution on the package index and are run as they are; nothing of
them is kept here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import clearing
from mqtriage.emulator.core.home import qmgr_path
from mqtriage.emulator.mqi.library import sdk as layout
from mqtriage.emulator.open import open_manager

pytestmark = pytest.mark.long

PROGRAMS = (
    "alternate_user_id", "async_consume", "channel_compression", "checking_cc_and_rc",
    "connect_client", "connect_client_creds", "connect_client_tls", "connect_simple",
    "def_channel", "def_queue", "dis_channels", "dis_conns", "dis_queues", "dis_queues_extended",
    "dlq_browse", "dynamic_queues", "put_message", "get_message", "inq_set", "is_connected",
    "message_priority", "message_properties", "publish_message", "put1_message",
    "put_async_message", "set_auth_rec", "set_identity",
)  # fmt: skip
"""Those that end by themselves and need nothing but the developer image's objects."""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=dict(os.environ) | environment, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


def pip(*arguments: str, **environment: str) -> None:
    ran = run(
        sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments,
        **environment,
    )  # fmt: skip
    if ran.returncode and "Could not find a version" in ran.stderr + ran.stdout:
        pytest.skip("the package index cannot be reached")
    assert ran.returncode == 0, ran.stderr


@pytest.fixture(scope="module")
def code(sdk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `code` of ibmmq's source distribution, of the version that is installed."""
    from importlib.metadata import version

    folder = tmp_path_factory.mktemp("ibmmq-source")
    pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(folder),
        f"ibmmq=={version('ibmmq')}", MQ_FILE_PATH=str(sdk))  # fmt: skip
    (archive,) = folder.glob("ibmmq-*.tar.gz")
    with tarfile.open(archive) as packed:
        # Python 3.11.2 has no filters yet, and takes no argument for one
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(folder)
    return next(folder.glob("ibmmq-*/code"))


class Bed:
    """A queue manager QM1 with the objects of the developer image."""

    def __init__(self, home: Path, sdk: Path) -> None:
        self.home = home
        self.sdk = sdk
        self.mqtriage("emulator", "create", "QM1", "--developer")
        self.users = home / "users"
        self.users.write_text("admin:password\napp:password\n")

    def mqtriage(self, *arguments: str, **environment: str) -> str:
        ran = run(
            sys.executable, "-m", "mqtriage", *arguments, MQTRIAGE_HOME=str(self.home),
            **environment,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
        return ran.stdout

    def run(self, *command: str, passwords: bool = False, **environment: str) -> str:
        given = ("--passwords", str(self.users)) if passwords else ()
        return self.mqtriage(
            "emulator", "run", "QM1", "--sdk", str(self.sdk), *given, "--", *command, **environment
        )

    def clear(self, queue: str) -> None:
        backend = EmulatedBackend(open_manager(qmgr_path(self.home, "QM1")))
        clearing.clear(backend.connection, queue)
        backend.disconnect()


@pytest.fixture(scope="module")
def bed(sdk: Path, tmp_path_factory: pytest.TempPathFactory) -> Bed:
    assert (sdk / "lib64" / layout.LIBRARY).exists()
    return Bed(tmp_path_factory.mktemp("bed"), sdk)


def test_the_suite_passes(bed: Bed, code: Path, tmp_path: Path) -> None:
    pip("install", "--no-deps", "--target", str(tmp_path / "ddt"), "ddt")
    tests = code / "tests"
    paths = [*sys.path, str(tests), str(tmp_path / "ddt")]
    said = bed.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tests),
        str(tests), passwords=True, PYTHONPATH=os.pathsep.join(filter(None, paths)),
        PY_IBMMQ_TEST_TLS_SKIP="0",
    )  # fmt: skip
    passed = int(said.rpartition(" passed")[0].split()[-1])
    assert passed > 100, said


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_sample_program_runs_to_its_end(bed: Bed, code: Path, name: str) -> None:
    bed.clear("DEV.QUEUE.1")
    if name == "get_message":
        bed.run(sys.executable, str(code / "examples" / "put_message.py"))
    said = bed.run(sys.executable, str(code / "examples" / f"{name}.py"))
    assert "Traceback" not in said
