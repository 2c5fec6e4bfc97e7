"""What of IBM's MQ client is on this machine: libraries, headers, and what packages need of them.

Nothing is loaded: the files are looked at, so that one that cannot be loaded is found as well.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from mqtriage.emulator.mqi.library.sdk import is_ours
from mqtriage.records import NamedTuple

LIBRARIES: Final = ("libmqm_r.so", "libmqic_r.so")
"""What pymqi and ibmmq ask the loader for."""

INSTALLATION: Final = Path("/opt/mqm")
_DSPMQVER_S: Final = 10
_ELF_CLASSES: Final = {1: 32, 2: 64}

Maker: TypeAlias = Literal["IBM", "mqtriage"]


class LibraryFile(NamedTuple):
    """One library of the MQ client.

    Attributes:
        bits: 32 or 64; 0 for what is no ELF file.
        by: who made it: "mqtriage" for what `emulator sdk` laid out.
    """

    path: Path
    bits: int
    by: Maker
    is_searched: bool


def library_files(environ: Mapping[str, str], root: Path = Path("/")) -> list[LibraryFile]:
    """The libraries in the folders where the client is usually put, those searched first first."""
    searched = [Path(part) for part in environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    folders = [(folder, True) for folder in searched]
    folders += [(root / "usr" / name, True) for name in ("lib64", "lib/x86_64-linux-gnu", "lib")]
    folders += [(folder / name, False) for folder in installations(environ, root)
                for name in ("lib64", "lib")]  # fmt: skip
    files: dict[Path, LibraryFile] = {}
    for folder, is_searched in folders:
        for name in LIBRARIES:
            path = folder / name
            if path.is_file() and path not in files:
                by: Maker = "mqtriage" if is_ours(path.resolve().parent.parent) else "IBM"
                files[path] = LibraryFile(path, _bits(path), by, is_searched)
    return list(files.values())


def installations(environ: Mapping[str, str], root: Path = Path("/")) -> list[Path]:
    """Folders that an MQ client may be installed in: MQ_FILE_PATH, /opt/mqm and its neighbours."""
    named = environ.get("MQ_FILE_PATH")
    default = root / INSTALLATION.relative_to("/")
    beside = sorted(default.parent.glob("mqm?*")) if default.parent.is_dir() else []
    return [*((Path(named),) if named else ()), default, *beside]


def _bits(path: Path) -> int:
    try:
        with path.open("rb") as file:
            head = file.read(5)
    except OSError:
        return 0
    return _ELF_CLASSES.get(head[4], 0) if head[:4] == b"\x7fELF" and len(head) == 5 else 0


def client_version(folder: Path) -> str:
    """VRMF of an installation, by its dspmqver; "" where it cannot tell."""
    command = folder / "bin" / "dspmqver"
    if not command.is_file():
        return ""
    try:
        ran = subprocess.run(
            [str(command), "-b", "-f", "2"],
            capture_output=True,
            text=True,
            timeout=_DSPMQVER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = ran.stdout.split()
    return lines[0] if ran.returncode == 0 and lines else ""


def build_problems(environ: Mapping[str, str], root: Path = Path("/")) -> list[str]:
    """What pip lacks to compile pymqi here, with what brings it."""
    problems = []
    if not any((folder / "inc" / "cmqc.h").is_file() for folder in installations(environ, root)):
        problems.append(
            "cmqc.h was not found: install MQSeriesSDK, or set MQ_FILE_PATH to the folder of a "
            "redistributable client (mqtriage emulator sdk DIR lays out a test double)"
        )
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        problems.append("Python.h was not found: install python3-dev or python3-devel")
    compiler = environ.get("CC") or "cc"
    if shutil.which(compiler.split()[0]) is None:
        problems.append(f"there is no C compiler ({compiler}): install gcc")
    return problems


def fix(name: str, text: str, files: list[LibraryFile]) -> str:
    """What to do about a package that does not load."""
    usable = [file for file in files if file.bits == 64]
    if "ELFCLASS" in text or "ELF class" in text:
        where = f", here {usable[0].path.parent}" if usable else ""
        return (
            "a 32-bit library is found first: LD_LIBRARY_PATH must name the lib64 folder of the"
            f" MQ client{where}, not lib"
        )
    if "undefined symbol" in text:
        return f"the MQ client is older than {name} needs: install a newer one"
    if "cannot open shared object" in text or "libmq" in text:
        if usable:
            return f"export LD_LIBRARY_PATH={usable[0].path.parent}"
        return (
            "install IBM's MQ client (64-bit; the redistributable client does not need root) and"
            " add its lib64 folder to LD_LIBRARY_PATH"
        )
    return f"pip install --force-reinstall {name}"
