"""Several files under one name, as a folder or a .zip: all of them there, or nothing.

They are written to a private folder beside it, which gets the name when everything is on disk.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mqtriage.files.durable import put_in_place, sync, sync_folder
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import create_private, open_private, private_folder
from mqtriage.mq.errors import Refused

ZIP: Final = ".zip"
_FILE_MODE: Final = 0o100600
_FIRST_YEAR: Final = (1980, 1, 1, 0, 0, 0)
"""The only time that a file in the archive has: the same files give the same bytes."""


@contextmanager
def new_bundle(path: Path) -> Iterator[Path]:
    """A folder to write files to; after the block they are at *path*, a folder or a .zip.

    Raises:
        Refused: *path* already exists.
        StorageError: It cannot be written; nothing is left of it then.
    """
    if path.exists() or path.is_symlink():
        raise Refused(f"{path} already exists", hint="name another one with --out")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with storage_errors(path, "choose another name with --out"):
        private_folder(path.parent)
        beside.mkdir(0o700)
        try:
            yield beside
            if path.suffix == ZIP:
                _zip(beside, path)
            else:
                for file in sorted(beside.iterdir()):
                    with file.open("rb") as opened:
                        sync(opened.fileno())
                sync_folder(beside)
                beside.rename(path)
                sync_folder(path.parent)
        finally:
            with suppress(OSError):
                shutil.rmtree(beside)


def _zip(folder: Path, path: Path) -> None:
    """Pack the files of *folder*, below the name of the archive."""
    packed = folder.with_name(f"{folder.name}{ZIP}")
    try:
        _pack(folder, packed, path.stem)
        put_in_place(packed, path)
    except BaseException:
        with suppress(OSError):
            packed.unlink()
        raise


def _pack(folder: Path, packed: Path, name: str) -> None:
    with (
        open(open_private(packed, os.O_WRONLY | os.O_EXCL), "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for member in sorted(folder.iterdir()):
            info = zipfile.ZipInfo(f"{name}/{member.name}", _FIRST_YEAR)
            info.external_attr = _FILE_MODE << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            with member.open("rb") as source, archive.open(info, "w") as target:
                shutil.copyfileobj(source, target, 1 << 16)


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write a new text file that only its owner can read."""
    with open(
        create_private(path), "w", encoding="utf-8", errors="backslashreplace", newline="\n"
    ) as file:
        file.writelines(pieces)
