"""The blocks of a page, and bash that runs them in their order.

A block is fenced or indented by four blanks; a manual page's is between ``.nf`` and ``.fi`` of its
examples. What is behind the language of a fence says more:

    ```sh                commands; a line that ends in ``# exit 4`` ends with 4
    ```console           commands behind ``$``, each with what it prints
    ```text output       what the block of commands before it printed
    ```LANGUAGE file=F   is written to F before the blocks behind it are run
    ```LANGUAGE after=F  what F holds then
    ```sh run            run by a test of the page's own
    ```text drawing      not to be run

``<!-- not run: REASON -->`` on the line before a block leaves it out.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

SHELLS: Final = ("sh", "console")
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
_FENCE = re.compile(r"(?P<indent> *)```(?P<about>.*)")
_EXIT = re.compile(r"^(.*?\S)\s+# exit (\d+)\b.*$")
_EXPECTED: Final = r"code=0; \1 || code=$?; test $code = \2"
_ROFF: Final = {"\\-": "-", "\\(aq": "'", "\\e": "\\", "\\&": ""}
MASKS: Final = (
    (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"\b\d{8}T\d{12}Z", "TIME"),
    (r"(_seconds\{[^}]*\}) [\d.]+", r"\1 AGE"),
    (r" \(\d+:\d\d:\d\d\)", ""),
    (r"\b[0-9A-F]{48}\b", "ID"),
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "OPERATION"),
    (r"(?<![\w.])-?(?:\d+(?:\.\d+)?(?:ms|[smhd]))+\b", "AGE"),
)
"""What differs from run to run, and is compared as a word of the same sort."""


class Block(NamedTuple):
    """A block of a page.

    Attributes:
        page: path of the page, from the root of the repository.
        line: of its beginning.
        language: of the fence; `sh` for an indented one.
        about: what is behind the language; a word without ``=`` has itself as its value.
        not_run: why it is not run, or "".
    """

    page: str
    line: int
    language: str
    about: Mapping[str, str]
    text: str
    not_run: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: str, text: str) -> list[Block]:
    """The blocks of a Markdown page or, by the suffix of its name, of a manual page."""
    return list(_of_manual(page, text) if re.search(r"\.[17]$", page) else _of_page(page, text))


def _of_page(page: str, text: str) -> Iterator[Block]:
    lines = text.splitlines()
    at, not_run = 0, ""
    while at < len(lines):
        start, fence, reason = at, _FENCE.fullmatch(lines[at]), _NOT_RUN.fullmatch(lines[at])
        at += 1
        if reason:
            not_run = reason[1]
            continue
        if fence:
            end = lines.index(f"{fence['indent']}```", at)
            language, *words = shlex.split(fence["about"]) or [""]
            inside = [line.removeprefix(fence["indent"]) for line in lines[at:end]]
            about = {word.partition("=")[0]: word.partition("=")[2] or word for word in words}
            yield Block(page, start + 1, language, about, _joined(inside), not_run)
            at = end + 1
        elif lines[start].startswith("    ") and not (start and lines[start - 1].strip()):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
                at += 1
            inside = [line.removeprefix("    ") for line in lines[start:at]]
            yield Block(page, start + 1, "sh", {}, _joined(inside), not_run)
        if lines[start]:
            not_run = ""


def _of_manual(page: str, text: str) -> Iterator[Block]:
    """Those of its examples: what is literal elsewhere are tables."""
    examples = text.index("\n.SH EXAMPLES\n")
    end = text.index("\n.SH ", examples + 1)
    literal = re.compile(r"^\.nf\n(.*?)^\.fi$", re.MULTILINE | re.DOTALL)
    for match in literal.finditer(text, examples, end):
        inside = re.sub(r"\\(?:\(aq|[-e&])", lambda match: _ROFF[match[0]], match[1])
        language = "console" if inside.startswith("$ ") else "sh"
        line = text.count("\n", 0, match.start()) + 1
        before = text[: match.start()].rstrip().splitlines()
        reason = re.search(r'^\.\\" not run: (.+)$', "\n".join(before[-3:]), re.MULTILINE)
        yield Block(page, line, language, {}, inside, reason[1] if reason else "")


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


# running them -----------------------------------------------------------------------------------


class Step(NamedTuple):
    """What bash is given of a block.

    Attributes:
        commands: for bash.
        output: what they are to print; None for anything.
        head: what is above the output in the page, where its block has more than the output.
    """

    where: str
    commands: str
    output: str | None
    head: str = ""


class Problem(NamedTuple):
    """A step that failed (why) or that printed something else (printed)."""

    step: Step
    why: str
    printed: str | None = None

    def __str__(self) -> str:
        what = self.why if self.printed is None else f"prints\n{self.printed}"
        return f"{self.step.where}: {what}"

    def mended(self, page: str) -> str:
        """The page with what was printed in place of what it shows; the last problem first."""
        if self.printed is None:
            return page
        line = int(self.step.where.split(":")[1].split()[0])
        lines = page.splitlines(keepends=True)
        above, below = "".join(lines[: line - 1]), "".join(lines[line - 1 :])
        old = f"{self.step.head}{self.step.output}"
        return above + below.replace(old, f"{self.step.head}{self.printed}", 1)


def steps_of(blocks: list[Block]) -> Iterator[Step]:
    """The commands and files of a page in their order."""
    commands: tuple[str, str] | None = None
    for block in blocks:
        if block.not_run or "run" in block.about:
            continue
        shown = "output" in block.about
        if commands is not None:
            yield Step(*commands, block.text if shown else None, "```text output\n")
            commands = None
        elif shown:
            yield Step(block.where, "echo no commands before this; false", block.text)
        if shown:
            continue
        if "file" in block.about:
            yield Step(block.where, _written(block.about["file"], block.text), None)
        elif "after" in block.about:
            file = block.about["after"]
            yield Step(block.where, f"cat {shlex.quote(file)}", block.text, f"after={file}\n")
        elif block.language == "console":
            yield from _of_console(block)
        elif block.language == "sh":
            commands = (block.where, _with_exit_codes(block.text))
    if commands is not None:
        yield Step(*commands, None)


def _written(file: str, text: str) -> str:
    quoted = shlex.quote(file)
    end = "THE_END_OF_THE_FILE"
    return f"mkdir -p $(dirname {quoted})\ncat > {quoted} << '{end}'\n{text}{end}\n"


def _of_console(block: Block) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += "\n" + more
        where = f"{block.where} $ {command}"
        yield Step(where, _with_exit_codes(command + "\n"), output, f"$ {command}\n")


def _with_exit_codes(commands: str) -> str:
    """Commands; one whose line ends in ``# exit 4`` fails unless it exits so."""
    lines = re.sub(r"\\\n", "\0", commands).splitlines()
    return "".join(f"{_EXIT.sub(_EXPECTED, line)}\n" for line in lines).replace("\0", "\\\n")


_AROUND: Final = """\
trap 'echo "exit $? of: $BASH_COMMAND" >> "$STEPS/failed"' ERR
set -Eeuo pipefail
trap 'kill $(jobs -p) 2> /dev/null' EXIT
for step in $(seq {count}); do
    echo $step > "$STEPS/begun"
    . "$STEPS/$step" > "$STEPS/$step.out" 2> "$STEPS/$step.err" < /dev/null
done
touch "$STEPS/done"
"""


def problems_of(
    blocks: list[Block], folder: Path, environ: Mapping[str, str], *, seconds: int = 300
) -> list[Problem]:
    """Run a page in *folder*/home, empty before; what failed or printed something else."""
    home, scripts = folder / "home", folder / "steps"
    home.mkdir()
    scripts.mkdir()
    steps = list(steps_of(blocks))
    for number, step in enumerate(steps, 1):
        (scripts / str(number)).write_text(step.commands, "utf-8")
    subprocess.run(
        ["bash", "-c", _AROUND.format(count=len(steps))],
        cwd=home,
        env={**environ, "HOME": str(home), "STEPS": str(scripts)},
        timeout=seconds,
        check=False,
    )
    return list(_problems(steps, scripts, str(home)))


def _problems(steps: list[Step], scripts: Path, home: str) -> Iterator[Problem]:
    for number, step in enumerate(steps, 1):
        out = scripts / f"{number}.out"
        if not out.exists():
            break  # what failed is before it
        printed = out.read_text("utf-8")
        if step.output is not None and comparable(printed, home) != comparable(step.output, home):
            yield Problem(step, "", printed.replace(home, "~"))
    if not (scripts / "done").exists():
        begun = int((scripts / "begun").read_text())
        failed = scripts / "failed"
        why = failed.read_text("utf-8") if failed.exists() else "bash ended\n"
        error = (scripts / f"{begun}.err").read_text("utf-8")
        yield Problem(steps[begun - 1], why + error)


def comparable(output: str, home: str) -> list[list[str]]:
    """The words of each line, those that differ from run to run masked."""
    text = output.replace(home, "~")
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return [line.split() for line in text.rstrip().splitlines()]
