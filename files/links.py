"""Links in a folder that others may have written: which of them are followed."""

from __future__ import annotations

import os
from pathlib import Path


def is_within(path: Path, folder: Path) -> bool:
    """Whether a path is in a folder and not in what git keeps there; both without links."""
    return path.is_relative_to(folder) and ".git" not in path.relative_to(folder).parts


def leads_out(path: Path, top: Path) -> bool:
    """Whether what is found in a folder is elsewhere, by a link.

    Whoever wrote the folder does not choose which other file is read. The checkout that the folder
    is in belongs to it; a home with `.git` is no checkout.

    Args:
        path: a file or folder that a walk of *top* comes to.
    """
    if not path.is_symlink() and not path.parent.is_symlink():
        return False
    real, folder = Path(os.path.realpath(path)), Path(os.path.realpath(top))
    return not is_within(real, folder) and not is_within(real, _checkout_of(folder))


def _checkout_of(folder: Path) -> Path:
    """The checkout that a folder is in, or the folder itself; without links."""
    home = Path(os.path.realpath(os.path.expanduser("~")))
    for above in (folder, *folder.parents):
        if (above / ".git").exists():
            return folder if home.is_relative_to(above) else above
    return folder
