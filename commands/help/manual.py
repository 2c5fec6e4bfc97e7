"""`mqtriage man [PAGE]`: a manual page as text, or all of them copied to where `man` looks."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import mqtriage
from mqtriage.files.durable import refuse_link_out, replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.model.result import Document
from mqtriage.mq.errors import NotFound

_WRITERS: Final = (("man", "-l"), ("mandoc", "-T", "utf8", "-O", "width=80"), ("nroff", "-man"))
"""What lays a page out, the first that is there."""
_ALIKE: Final = 0.7
"""How alike two names are, of 1, for one to be meant by the other: ``expiries`` and ``expiry``."""
_OVERSTRUCK: Final = re.compile(r".\x08|\x1b\[[0-9;]*m")


def page_named(words: Sequence[str], commands: Collection[str], meant: Mapping[str, str]) -> Path:
    """The page that is meant: ``journal``, ``mqtriage-journal``, ``backout 7``, ``journal undo``.

    Args:
        commands: those without a page of their own, which mqtriage(1) has.
        meant: words of other tools, with our commands for them.

    Raises:
        NotFound: There is no such page; the hint names the pages for a word of another tool.
    """
    by_name = {page.name.removeprefix("mqtriage-"): page for page in _installed()}
    numbers = [word for word in words if word in ("1", "7")]
    named = [word for word in words if word not in numbers]  # man has the section first
    text = " ".join([*named, *numbers]).lower().removeprefix("mqtriage").strip(" -")
    section = "7" if text.rstrip(")").endswith("7") else "1"
    name = text.rstrip("0123456789().").strip().partition(" ")[0] or "mqtriage"
    other = "1" if section == "7" else "7"
    page = by_name.get(f"{name}.{section}") or by_name.get(f"{name}.{other}")
    if page is None and name in commands:
        page = by_name["mqtriage.1"]
    if page is None:
        if ours := meant.get(name, ""):
            nouns = dict.fromkeys(command.split()[0] for command in ours.split("; "))
            shown = " and ".join(f"mqtriage man {noun}" for noun in nouns)
            hint = f"{shown}: {', '.join(ours.split('; '))}"
            raise NotFound(f"no manual page {text[:40]!r}", hint=hint)
        names = [page.removesuffix(".1") for page in sorted(by_name)]
        known = [*(page.removesuffix(".7") for page in names), *commands]
        alike = get_close_matches(name, known, n=1, cutoff=_ALIKE)
        near = f"; did you mean man {alike[0]}?" if alike else ""
        text = f"no manual page {text[:40]!r}{near}"
        raise NotFound(text, hint=f"there are {', '.join(names)}")
    return page


def page_text(page: Path, width: int, environ: Mapping[str, str]) -> str:
    """The page laid out in *width* columns, without emphasis."""
    own = {**environ, "MANWIDTH": str(width), "MANPAGER": "cat", "PAGER": "cat"}
    for program, *options in _WRITERS:
        try:
            done = subprocess.run(
                [program, *options, str(page)], env=own, capture_output=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        return _OVERSTRUCK.sub("", done.stdout.decode("utf-8", "replace"))
    raise NotFound(
        "neither man, mandoc nor nroff is installed to format the page",
        hint="mqtriage GROUP VERB --help-all has the text",
    )


def pages() -> list[Path]:
    """The pages of this installation: of the checkout, else of the wheel's data folder."""
    assert mqtriage.__file__ is not None
    checkout = Path(mqtriage.__file__).resolve().parents[2] / "man"
    pages_here = sorted(checkout.glob("mqtriage*.[17]"))
    if pages_here:
        return pages_here
    shared = Path(sysconfig.get_path("data")) / "share" / "man"
    return sorted(shared.glob("man[17]/mqtriage*.[17]"))


def keys_of_verb(name: str, verbs: Collection[str]) -> list[str]:
    """The keys of JSON that the page *name* has of one of the verbs; none without the page."""
    text = next((page.read_text("utf-8") for page in pages() if page.name == name), "")
    keys: set[str] = set()
    for entry in text.partition("\n.SH JSON\n")[2].partition("\n.SH ")[0].split("\n.TP\n.B ")[1:]:
        heading, _, listed = entry.partition("\n")
        path = heading.rpartition(":")[0]
        if any(path == verb or path.startswith(f"{verb} ") for verb in verbs):
            keys.update(re.findall(r"[a-z][a-z0-9_]*", listed.replace("\\", "")))
    return sorted(keys)


def _installed() -> list[Path]:
    files = pages()
    if not files:
        raise NotFound(
            "this installation has no manual pages", hint="mqtriage GROUP VERB --help has the text"
        )
    return files


def copy_pages(folder: Path) -> Document:
    """Copy the pages to ``man1`` and ``man7`` of *folder*.

    Raises:
        NotFound: This installation has none.
        StorageError: They cannot be written.
    """
    files = _installed()
    with storage_errors(folder, file_first=True):
        for page in files:
            target = folder / f"man{page.suffix[1:]}"
            refuse_link_out(target)
            target.mkdir(parents=True, exist_ok=True)
            replace_file(target / page.name, [page.read_bytes()], mode=0o644)
    return Document(
        "ManualPages",
        {"folder": str(folder), "pages": len(files), "read": f"man -M {folder} mqtriage"},
    )
