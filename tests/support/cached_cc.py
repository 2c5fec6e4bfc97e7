"""A C compiler that makes a shared library once: cached_cc.py CC [ARGUMENTS], as the CC of tests.

What it made is kept in build/ by the digest of the command, the sources and every header that they
may include; `make clean` takes it away. Whatever else it is asked to do is done by CC.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

KEPT: Final = Path(__file__).resolve().parents[2] / "build" / "tests"


def command(compiler: str) -> str:
    """What to set CC to, for *compiler*."""
    return f"{sys.executable} {Path(__file__).resolve()} {compiler}"


def digest(argv: Sequence[str]) -> str:
    """Of all that makes a difference to the library; where the files are makes none."""
    hasher = sha256(subprocess.run([argv[0], "--version"], capture_output=True, check=False).stdout)
    for word in argv:
        hasher.update(f"{Path(word).name if '/' in word else word}\n".encode())
    for path in _read(argv):
        hasher.update(f"{path.name}\n".encode() + path.read_bytes())
    return hasher.hexdigest()


def _read(argv: Sequence[str]) -> Iterator[Path]:
    """The sources, what is beside them, and the headers of each folder that is named."""
    for folder in sorted({Path(word).parent for word in argv if word.endswith(".c")}):
        yield from sorted(path for path in folder.iterdir() if path.suffix in (".c", ".h"))
    for word in argv:
        if word.startswith("-I"):
            yield from sorted(Path(word[2:]).glob("*.h"))


def main(argv: Sequence[str]) -> int:
    if "-shared" not in argv or "-o" not in argv or not any(word.endswith(".c") for word in argv):
        os.execvp(argv[0], list(argv))
    out = Path(argv[argv.index("-o") + 1])
    kept = KEPT / digest(argv)
    if not kept.exists():
        code = subprocess.run(argv, check=False).returncode
        if code:
            return code
        KEPT.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        shutil.copy2(out, part)
        part.replace(kept)
    shutil.copy2(kept, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
