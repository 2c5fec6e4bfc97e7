"""A C program against our headers and library, plain and under valgrind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mqtriage.emulator.mqi.library import sdk as sdk_folder
from tests.mqi.conftest import Served
from tests.support.tools import tool

PROGRAMS = (
    "buffers", "calls", "connecting", "consuming", "descriptors", "groups", "inquiring",
    "lists", "messages", "options", "properties", "publishing", "reading_ahead", "reasons",
    "segments", "selecting", "subscribing", "threads",
)  # fmt: skip


@pytest.fixture(scope="session", params=PROGRAMS)
def program(
    sdk: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """A program as a user builds it."""
    return built(sdk, tmp_path_factory.mktemp("c"), request.param)


def built(sdk: Path, folder: Path, name: str, *flags: str) -> Path:
    binary, source = folder / name, Path(__file__).parent / f"{name}.c"
    ran = subprocess.run(
        ["cc", "-g", *flags, "-Wall", "-Wextra", "-Werror", f"-I{sdk}/inc", "-o", str(binary),
         str(source), f"-L{sdk}/lib64", "-lmqic_r", "-pthread"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return binary


def test_a_command_in_pcf_is_answered(served: Served, sdk: Path, tmp_path: Path) -> None:
    served.local("C.OTHER")
    served.local("C.WANTED", MAXDEPTH=77)
    ran = run(served, sdk, str(built(sdk, tmp_path, "pcf")))
    assert (ran.returncode, ran.stdout) == (0, "0 0 1 MQADMIN  C.WANTED \n")


def prepare(served: Served) -> None:
    served.local("IN")
    served.local("OUT")
    served.local("SMALL", MAXMSGL=100)
    served.local("LATER", DEFPRESP="ASYNC", PUT="DISABLED")
    served.local("SHUT", PUT="DISABLED")
    served.local("QM2", USAGE="XMITQ")
    served.local("YES", DEFREADA="YES")
    served.local("NO", DEFREADA="NO")
    served.local("NEVER", DEFREADA="DISABLED")
    define = served.backend().define
    define("TOPIC", "BASE", {"TOPICSTR": "dev"})
    define("QALIAS", "TO.TOPIC", {"TARGET": "BASE", "TARGTYPE": "TOPIC"})
    define("QALIAS", "TO.IN", {"TARGET": "IN"})
    define("QREMOTE", "FAR", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "QM2"})


def run(served: Served, sdk: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=served.environment(sdk), capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_every_call_does_what_it_should(served: Served, sdk: Path, program: Path) -> None:
    prepare(served)
    ran = run(served, sdk, str(program))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert served.depth("IN") == 0


@pytest.mark.long
def test_valgrind_finds_nothing(served: Served, sdk: Path, program: Path) -> None:
    prepare(served)
    ran = run(
        served, sdk, tool("valgrind"), "--quiet", "--error-exitcode=99", "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect", str(program),
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr


THREAD_SANITIZER = "-g -fsanitize=thread"


def with_thread_sanitizer(folder: Path) -> Path:
    """An SDK whose library has ThreadSanitizer built in, for programs that have it too."""
    lookup = subprocess.run(
        [tool("cc"), "-print-file-name=libtsan.so"], capture_output=True, text=True, check=True
    )
    if not os.path.isabs(lookup.stdout.strip()):
        pytest.skip("the C compiler has no ThreadSanitizer")
    sdk_folder.lay_out(folder, compiler=f"cc {THREAD_SANITIZER}")
    (folder / "probe.c").write_text("int main(void) { return 0; }\n")
    probe = ["cc", *THREAD_SANITIZER.split(), "-o", str(folder / "probe"), str(folder / "probe.c")]
    subprocess.run(probe, check=True)
    ran = subprocess.run([folder / "probe"], capture_output=True, text=True, check=False)
    if "unexpected memory mapping" in ran.stderr:
        pytest.skip("ThreadSanitizer does not run on this kernel")
    return folder


@pytest.mark.long
def test_threads_do_not_race(served: Served, tmp_path: Path) -> None:
    """The program with threads and the library, both with ThreadSanitizer built in."""
    sanitized = with_thread_sanitizer(tmp_path / "sdk")
    prepare(served)
    program = built(sanitized, tmp_path, "threads", *THREAD_SANITIZER.split())
    ran = run(served, sanitized, str(program))
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr[-4000:]
