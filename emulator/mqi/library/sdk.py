"""Lay out headers and library for programs that use the MQI: inc/ and lib64/ in a folder.

lib/ is another name of lib64/, for those who look there.

The library is compiled on the user's machine from the C files of this folder, all at once; no file
of IBM's is used or replaced.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Final

from mqtriage.emulator.mqi.library.headers import HEADERS, NOTICE, header
from mqtriage.files.durable import put_in_place, refuse_link_out, replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import private_folder
from mqtriage.mq.errors import MQTriageError, Refused

LIBRARY: Final = "libmqm_r.so"
LINKS: Final = ("libmqic_r.so", "libmqm.so", "libmqic.so")
README: Final = "README.txt"
SOURCES: Final = ("libmqm.c", "reconnect.c", "remembered.c", "client_ini.c", "ahead.c", "ccdt.c")
_INTERNAL_HEADERS: Final = ("libmqm.h", "recovery.h")

_NOT_OURS: Final = (Path("/opt/mqm"), Path("/usr"), Path("/usr/mqm"))
_FLAGS: Final = (
    "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-Wall", "-Wextra",
)  # fmt: skip
_COMPILE_S: Final = 120


def lay_out(folder: Path, *, compiler: str = "") -> list[Path]:
    """Write the SDK into *folder*; what was laid out there before is written anew.

    Args:
        compiler: the C compiler; CC or cc when blank.

    Returns:
        The files, in the order they were written.

    Raises:
        Refused: A folder of IBM's or of the system, or one that holds other libmq* files.
        StorageError: It cannot be written.
        MQTriageError: There is no compiler, or it fails.
    """
    target = Path(os.path.realpath(folder))
    _refuse(target)
    with storage_errors(folder, file_first=True):
        refuse_link_out(folder)
        private_folder(target / "inc")
        private_folder(target / "lib64")
        written = [_write(target / "inc" / name, header(name)) for name in HEADERS]
        written.append(_write(target / README, f"Everything here is {NOTICE}.\n"))
        library = _compile(target, compiler or os.environ.get("CC") or "cc")
        written.append(library)
        if not os.path.lexists(target / "lib"):
            (target / "lib").symlink_to("lib64")
        for name in LINKS:
            link = target / "lib64" / name
            link.unlink(missing_ok=True)
            link.symlink_to(LIBRARY)
            written.append(link)
    return written


def _refuse(target: Path) -> None:
    for taken in _NOT_OURS:
        if target == taken or taken in target.parents:
            raise Refused(
                f"{target}: the SDK cannot be written under {taken}",
                hint="choose your own folder",
            )
    if is_ours(target):
        return
    for place in (target, target / "lib64", target / "lib"):
        for library in sorted(place.glob("libmq*")) if place.is_dir() else ():
            raise Refused(
                f"{library}: this is already an MQ library, which is not replaced",
                hint="choose an empty folder",
            )


def is_ours(target: Path) -> bool:
    """Whether an SDK of ours is all that is in a folder."""
    try:
        marked = NOTICE in (target / README).read_text("utf-8", "replace")
    except OSError:
        return False
    ours = {LIBRARY, *LINKS}
    return marked and all(path.name in ours for path in (target / "lib64").glob("libmq*"))


def _write(path: Path, text: str) -> Path:
    replace_file(path, [text.encode()])
    return path


def _compile(target: Path, compiler: str) -> Path:
    """Compile beside the library, then put it in place: a program may be using the old one."""
    if sys.platform != "linux":
        raise MQTriageError(
            "the C library for MQI programs supports only Linux",
            hint="IBM's clients for Java connect over TCP: mqtriage emulator serve --tcp 1414",
        )
    words = compiler.split()
    if not words or shutil.which(words[0]) is None:
        raise MQTriageError(
            f"no C compiler {compiler!r} here",
            hint="install one (apt install gcc), or name it in CC",
        )
    library = target / "lib64" / LIBRARY
    with tempfile.TemporaryDirectory(dir=target / "lib64", prefix=".made-") as folder:
        for name in (*SOURCES, *_INTERNAL_HEADERS):
            text = (files("mqtriage.emulator.mqi.library") / name).read_text("utf-8")
            (Path(folder) / name).write_text(text, "utf-8")
        partial = Path(folder) / LIBRARY
        command = [*words, *_FLAGS, f"-I{target / 'inc'}", f"-Wl,-soname,{LIBRARY}"]
        try:
            ran = subprocess.run(
                [*command, "-o", str(partial), *(str(Path(folder) / name) for name in SOURCES)],
                capture_output=True,
                text=True,
                timeout=_COMPILE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            text = f"{compiler} was still compiling the library after {_COMPILE_S} s"
            raise MQTriageError(text, hint="try again when the machine has less to do") from None
        if ran.returncode:
            first_line = ran.stderr.strip().splitlines()[:1]
            raise MQTriageError(f"{compiler} cannot compile the library: {' '.join(first_line)}")
        partial.chmod(0o700)
        put_in_place(partial, library)
    return library


def environment(folder: Path, queue_manager: str, home: Path) -> dict[str, str]:
    """What a program needs in its environment to use *folder* and the queue manager."""
    target = os.path.realpath(folder)
    path = os.environ.get("LD_LIBRARY_PATH", "")
    return {
        "LD_LIBRARY_PATH": f"{target}/lib64" + (f":{path}" if path else ""),
        "MQ_FILE_PATH": target,
        "MQTRIAGE_HOME": str(home.resolve()),
        "MQTRIAGE_QMGR": queue_manager,
    }


def load(folder: Path) -> None:
    """Load the library of an SDK, once.

    The loader looks for libmqm_r.so when pymqi or ibmmq is imported; one that is loaded already
    under that name will do.
    """
    loaded = loaded_libraries()
    for path in loaded:
        if not is_ours(path.parent.parent):
            raise Refused(
                f"{path} is already loaded, and it is not mqtriage's",
                hint="open the connection before pymqi or ibmmq is imported",
            )
    if not loaded:
        ctypes.CDLL(os.path.realpath(folder / "lib64" / LIBRARY), mode=ctypes.RTLD_GLOBAL)


def loaded_libraries() -> list[Path]:
    """The files of MQ's client that this process has loaded, or ours with those names."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = dict.fromkeys("/" + line.partition("/")[2] for line in lines)
    return [Path(path) for path in paths if Path(path).name.startswith(("libmqm", "libmqic"))]
