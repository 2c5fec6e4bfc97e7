"""Lay out the pages of the documentation site, which mkdocs builds: `make docs` does both.

The pages are those of the repository, in the same folders, so that their links to one another hold.
Manual pages become Markdown; a page for each verb and a list of the rules of lint are added, from
what the program itself knows. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import make_man

from mqtriage.definitions.lint.pages import titles

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "docs/**/*.md",
    "definitions/rules/*.md",
)
FILES: Final = ("docs/*.svg", "docs/*.json", "docs/*.css")
RULES: Final = "definitions/rules/*.md"
RULES_INDEX: Final = "definitions/rules/README.md"
COMMANDS_INDEX: Final = "commands/README.md"

_MANUAL_LINK = re.compile(r"(\]\((?:\.\./)?man/[\w.-]+\.[17])\)")
_RULES_LINK = re.compile(r"(\]\((?:\.\./)?definitions/rules/)\)")
_FILE = re.compile(r"^(```\w+) .*?file=(\S+).*$", re.MULTILINE)
_FENCE_SETTINGS = re.compile(r"^(```\w+) (?!title=).*$", re.MULTILINE)
_NOT_RUN = re.compile(r"^<!-- not run: .* -->\n", re.MULTILINE)
_SOURCE = re.compile(r"^Source: .*$", re.MULTILINE)
_FONTS: Final = {"B": "strong", "I": "em"}


def lay_out(folder: Path) -> None:
    """Write all pages below *folder*, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for source in _matching(FILES):
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for name, text in pages().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def pages() -> dict[str, str]:
    """Path of each page in the site, to its Markdown."""
    texts = {
        str(path.relative_to(ROOT)): markdown(path.read_text("utf-8")) for path in _matching(PAGES)
    }
    for name in [name for name in texts if name.startswith("definitions/rules/")]:
        texts[name] = _SOURCE.sub(_linked_statements, texts[name])
    for path in sorted((ROOT / "man").glob("*.[17]")):
        texts[f"man/{path.name}.md"] = manual_page(path.read_text("utf-8"))
    texts["man/README.md"] = manual_index()
    texts[RULES_INDEX] = rules_index()
    return texts | verb_pages()


def _linked_statements(source: re.Match[str]) -> str:
    """The numbers of a rule's source with a link to the page that has them."""
    return re.sub(r"\b[A-Z]{2,4}-\d+\b", r"[\g<0>](../../docs/statements.md)", source[0])


def _matching(patterns: tuple[str, ...]) -> list[Path]:
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def markdown(text: str) -> str:
    """A page as mkdocs reads it: links to manual pages, and over code blocks the file they are."""
    text = _FILE.sub(r'\1 title="\2"', text)
    text = _RULES_LINK.sub(r"\1README.md)", _NOT_RUN.sub("", text))
    return _FENCE_SETTINGS.sub(r"\1", _MANUAL_LINK.sub(r"\1.md)", text))


def manual_index() -> str:
    """The list of manual pages, by section."""
    lines = ["# Manual pages", ""]
    for path in sorted((ROOT / "man").glob("*.[17]"), key=lambda path: (path.suffix, path.name)):
        purpose = re.search(r"^\.SH NAME\n.*? \\- (.*)$", path.read_text("utf-8"), re.MULTILINE)
        assert purpose, path
        lines.append(f"- [{path.stem}({path.suffix[1:]})]({path.name}.md): {inline(purpose[1])}")
    return "\n".join(lines) + "\n"


def rules_index() -> str:
    """The rules of lint by family, with severity and what fixes it."""
    lines = [
        "# Lint rules",
        "",
        "The source of a rule names pages of IBM's documentation, and numbers such as BO-12. "
        "[Statements](../../docs/statements.md) lists these numbers.",
    ]
    pages = {path.stem.partition("_")[0].upper(): path for path in _matching((RULES,))}
    family = ""
    for code, (severity, title) in titles().items():
        if code.rstrip("0123456789") != family:
            family = code.rstrip("0123456789")
            lines += ["", f"## {family}", "", "| Rule | Severity | Fix |", "|---|---|---|"]
        fix = re.search(r"^## Fix\n+(.+)$", pages[code].read_text("utf-8"), re.M)
        sentence = re.match(r"[^.]*(?:\.\w[^.]*)*\.", fix[1] if fix else "")
        shown = sentence[0] if sentence else fix[1].rstrip(":") + "." if fix else ""
        cells = [f"[{code}: {title}]({pages[code].name})", severity, shown]
        lines.append("| " + " | ".join(" ".join(cell.split()) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def verb_pages() -> dict[str, str]:
    """A page for each verb, and their index by group."""
    texts: dict[str, str] = {}
    index = ["# Commands", "", "`mqtriage GROUP VERB --help` prints a short version of each page."]
    group = None
    for path, (line, text) in make_man.verb_pages().items():
        noun = path.rpartition(" ")[0]
        if noun != group:
            index += ["", f"## {noun or 'Without a group'}", ""]
            group = noun
        name = path.replace(" ", "-")
        body = manual_page(text).replace("](mqtriage", "](../man/mqtriage")
        texts[f"commands/{name}.md"] = f"# mqtriage {path}\n\n{body}"
        index.append(f"- [mqtriage {path}]({name}.md): {inline(line)}")
    return {COMMANDS_INDEX: "\n".join(index) + "\n", **texts}


# manual pages -----------------------------------------------------------------------------------


def manual_page(text: str) -> str:
    """A manual page as Markdown; it has the macros that scripts/lint_man.py lets pass."""
    return "\n".join(_blocks(iter(text.splitlines()))) + "\n"


def _blocks(lines: Iterator[str]) -> Iterator[str]:
    """The lines of the Markdown; what stands below a term is indented by four blanks."""
    indent = ""
    for line in lines:
        macro, _, rest = line.partition(" ")
        match macro:
            case '.\\"' | ".RS" | ".RE":
                continue
            case ".TH":
                name, section = rest.split()[:2]
                yield f"# {name.replace(chr(92), '').lower()}({section})"
            case ".SH" | ".SS":
                indent = ""
                yield f"\n{'##' if macro == '.SH' else '###'} {inline(rest)}\n"
            case ".PP":
                indent = ""
                yield ""
            case ".TP":
                indent = "    "
                yield f"\n{_text(next(lines))}\n:   "
            case ".nf":
                yield from _literal(lines, indent)
            case ".br":
                yield f"{indent}<br>"
            case _:
                yield indent + _text(line)


def _literal(lines: Iterator[str], indent: str) -> Iterator[str]:
    """A block that is shown as it stands, up to ``.fi``."""
    yield f"\n{indent}```text"
    for line in lines:
        if line == ".fi":
            break
        yield indent + re.sub(r"\\f[BIR]", "", _characters(line))
    yield f"{indent}```\n"


def _text(line: str) -> str:
    """A line of text or of the macros for bold words."""
    macro, _, rest = line.partition(" ")
    if macro == ".B":
        return f"<strong>{inline(rest)}</strong>"
    if macro == ".BR":
        return _reference(rest)
    return inline(line)


def _reference(rest: str) -> str:
    """``name (7) .``: a manual page, with a link where it is one of ours."""
    name, section, *more = [*rest.split(), ""]
    stem = _characters(name)
    page = f"{stem}.{section.strip('(),.')}"
    label = f"<strong>{inline(name)}</strong>{section}"
    if (ROOT / "man" / page).exists():
        number = section.partition(")")
        label = f"[<strong>{inline(name)}</strong>{number[0]})]({page}.md){number[2]}"
    return label + "".join(more)


def inline(text: str) -> str:
    """Text with roff's escapes as HTML; what Markdown would take for a mark is a character."""
    escaped = html.escape(text.replace(r"\&", ""), quote=False)
    escaped = re.sub(r"([*_`\[\]#|])", lambda match: f"&#{ord(match[1])};", escaped)
    escaped = re.sub(r"^(\d+)\.", r"\1&#46;", escaped)
    escaped = re.sub(
        r"\\f([BI])(.*?)\\fR", lambda m: f"<{_FONTS[m[1]]}>{m[2]}</{_FONTS[m[1]]}>", escaped
    )
    return _characters(escaped, backslash="&#92;")


def _characters(text: str, backslash: str = "\\") -> str:
    escapes = {r"\-": "-", r"\(aq": "'", r"\(bu": "•", r"\&": "", r"\e": backslash}
    return re.sub(r"\\(?:\(aq|\(bu|[-e&])", lambda match: escapes[match[0]], text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    usual = ROOT / "build" / "pages"
    parser.add_argument("folder", nargs="?", type=Path, default=usual, help="default: build/pages")
    lay_out(parser.parse_args().folder)
