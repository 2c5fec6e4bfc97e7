"""`mqtriage man [DIR]`: the manual pages, copied to where `man` looks."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from pathlib import Path

import mqtriage
from mqtriage.files.durable import refuse_link_out, replace_file
from mqtriage.model.result import Document
from mqtriage.mq.errors import NotFound, StorageError


def default_folder(environ: Mapping[str, str]) -> Path:
    """``man`` below the XDG data folder, which man-db looks through for programs of a user."""
    data = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "man"


def pages() -> list[Path]:
    """The pages of this installation: of the checkout, else of the wheel's data folder."""
    assert mqtriage.__file__ is not None
    checkout = Path(mqtriage.__file__).resolve().parents[2] / "man"
    pages_here = sorted(checkout.glob("mqtriage*.[17]"))
    if pages_here:
        return pages_here
    shared = Path(sysconfig.get_path("data")) / "share" / "man"
    return sorted(shared.glob("man[17]/mqtriage*.[17]"))


def copy_pages(folder: Path) -> Document:
    """Copy the pages to ``man1`` and ``man7`` of *folder*.

    Raises:
        NotFound: This installation has none.
        StorageError: They cannot be written.
    """
    files = pages()
    if not files:
        raise NotFound(
            "this installation has no manual pages", hint="mqtriage GROUP VERB --help has the text"
        )
    try:
        for page in files:
            target = folder / f"man{page.suffix[1:]}"
            refuse_link_out(target)
            target.mkdir(parents=True, exist_ok=True)
            replace_file(target / page.name, [page.read_bytes()], mode=0o644)
    except OSError as error:
        raise StorageError(f"{error.filename or folder}: {error.strerror}") from error
    return Document(
        "ManualPages",
        {"folder": str(folder), "pages": len(files), "read": f"man -M {folder} mqtriage"},
    )
