"""Where a script is in its project, however its path was typed.

The project is the folder of the settings file; for a script elsewhere, it is the nearest folder
above the script that has `.git`, or else settings. What is above the project decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path, PurePath

from mqtriage.model.settings_tables import SETTINGS_FILES


class ProjectPaths:
    """Paths of scripts in their project.

    Args:
        settings: the settings file, "" for none.
        working: the folder that the names of scripts start from; "" is the working folder.
    """

    def __init__(self, settings: str = "", working: str = "") -> None:
        self._root = Path(os.path.realpath(settings)).parent if settings else None
        self._working = working
        self._projects: dict[Path, Path | None] = {}
        self._known: dict[str, tuple[Path, PurePath] | None] = {}
        self._beside: dict[tuple[Path, str], list[str]] = {}

    def of(self, file: str) -> tuple[Path, PurePath] | None:
        """The project of a script and its path in there; None for one that is in no project."""
        if file not in self._known:
            self._known[file] = self._find(file)
        return self._known[file]

    def _find(self, file: str) -> tuple[Path, PurePath] | None:
        real = real_path(file, self._working)
        if real is None:
            return None
        typed = Path(os.path.abspath(os.path.join(self._working, file)))
        for path in (real, typed):
            if self._root is not None and path.is_relative_to(self._root):
                return self._root, path.relative_to(self._root)
        if real.parent not in self._projects:
            self._projects[real.parent] = _project_of(real.parent)
        root = self._projects[real.parent]
        return None if root is None else (root, real.relative_to(root))

    def is_in_folder(self, file: str, names: Collection[str]) -> bool:
        """Whether one of the script's folders in its project has one of these names, in any case.

        Not so if the script is in no project.
        """
        place = self.of(file)
        return place is not None and any(has_name(one, names) for one in place[1].parts[:-1])

    def is_beside_folder(self, file: str, names: Collection[str]) -> bool:
        """Whether a folder beside one of the script's folders in its project has such a name."""
        place = self.of(file)
        if place is None:
            return False
        above, path = place
        for folder in path.parts[:-1]:
            if (above, folder) not in self._beside:
                self._beside[above, folder] = [one for one in _folders_in(above) if one != folder]
            if any(has_name(one, names) for one in self._beside[above, folder]):
                return True
            above /= folder
        return False


def has_name(folder: str, names: Iterable[str]) -> bool:
    """Whether a folder, or an environment, has one of these names, in upper or lower case."""
    return folder.casefold() in {name.casefold() for name in names}


def _folders_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []


def real_path(file: str, working: str = "") -> Path | None:
    """The script in its folder without links; None for standard input and live objects.

    A link to a script counts where the link is.
    """
    if not file or file.startswith("<"):
        return None
    path = os.path.join(working, file)
    return Path(os.path.realpath(os.path.dirname(path) or os.curdir), os.path.basename(path))


def path_from(folder: Path, file: str, working: str = "") -> str:
    """The path of a script from a folder, with slashes; the name itself if it has no path."""
    real = real_path(file, working)
    if real is None:
        return file
    try:
        return Path(os.path.relpath(real, os.path.realpath(folder))).as_posix()
    except ValueError:  # on another drive
        return real.as_posix()


def path_in_repository(file: str, checkout: str | None) -> str:
    """The path of a script from the top of its repository, as services show findings beside lines.

    Args:
        checkout: the folder that the CI service checked out; None where it names none. If the
            script is not in there, it is the nearest folder above the script that has `.git`.

    Returns:
        *file* as it is where it is in no repository.
    """
    real = real_path(file)
    if real is None:
        return file
    if checkout:
        top = Path(os.path.realpath(checkout))
        for path in (real, Path(os.path.abspath(file))):
            if path.is_relative_to(top):
                return path.relative_to(top).as_posix()
    top_of_git = next((one for one in real.parents if (one / ".git").exists()), None)
    return file if top_of_git is None else real.relative_to(top_of_git).as_posix()


def _project_of(folder: Path) -> Path | None:
    every = (folder, *folder.parents)
    has_git = (above for above in every if (above / ".git").exists())
    has_settings = (above for above in every if _has(above, SETTINGS_FILES))
    return next(has_git, None) or next(has_settings, None)


def _has(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).is_file() for name in names)


def folders_below(project: Path, names: Collection[str]) -> set[str]:
    """Those of the names that a folder of the project has; hidden folders do not count."""
    there: set[str] = set()
    for _, folders, _ in os.walk(project):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        there |= {name for name in names if any(has_name(folder, [name]) for folder in folders)}
        if len(there) == len(names):
            break
    return there
