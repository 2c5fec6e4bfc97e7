"""Draw docs/session.svg and docs/top.svg: the terminal as it really looks, for the README.

Runs the commands below in a pseudo-terminal, on a sample queue manager in a folder of its own, and
turns what they print into pictures.
"""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from mqtriage.cli.frame.console import Terminals
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Connections, Output
from mqtriage.cli.live.app import TopApp
from mqtriage.cli.live.screens import screens_of

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "session.svg"
LIVE_PICTURE = ROOT / "docs" / "top.svg"
COLUMNS = 110
CELL = 12.2  # width of a character in the picture
SESSION = (
    ("mqtriage", "delay", "browse"),
    ("mqtriage", "backout", "ls", "ORDERS.*"),
    ("mqtriage", "backout", "requeue", "ORDERS.BO", "--to", "ORDERS.IN", "--yes"),
    ("mqtriage", "dlq", "browse"),
)


LINES = 26


def in_a_terminal(argv: tuple[str, ...], env: dict[str, str], folder: str) -> str:
    """What *argv* prints on a terminal, escape codes included."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=folder, close_fds=True
    )
    os.close(theirs)
    output = bytearray()
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    if process.wait():
        raise SystemExit(f"exit {process.returncode}: {' '.join(argv)}\n{output.decode()}")
    return output.decode().replace("\r\n", "\n")


@contextmanager
def sample() -> Iterator[tuple[dict[str, str], str]]:
    """(environment, folder) with the sample queue manager."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ) | {
            "MQTRIAGE_HOME": "mq",
            "COLUMNS": str(COLUMNS),
            "TERM": "xterm-256color",
            "MQTRIAGE_PAGER": "",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        for name in ("NO_COLOR", "PYTHONDONTWRITEBYTECODE"):
            env.pop(name, None)
        subprocess.run(
            ["mqtriage", "emulator", "create", "QM1", "--sample", "--clock", "frozen", "-q"],
            env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        env["MQTRIAGE_QMGR"] = "QM1"
        yield env, folder


def session() -> Text:
    """Every command with its prompt and what it printed."""
    parts = []
    with sample() as (env, folder):
        for argv in SESSION:
            parts.append(f"\033[32m$\033[0m {' '.join(argv)}\n{in_a_terminal(argv, env, folder)}\n")
    return Text.from_ansi("".join(parts))


def live() -> Text:
    """The screen of `top` with the details of a queue."""
    with sample() as (env, folder):
        return asyncio.run(_live(env | {"MQTRIAGE_HOME": str(Path(folder) / "mq")}))


async def _live(env: dict[str, str]) -> Text:
    app = AppContext(io.StringIO(), io.StringIO(), io.StringIO(), env, Terminals(True, True, True))
    app.bind(Connections(), Output(form="table"))
    top = TopApp(app, lambda: screens_of(None), 0, 1.0, None)
    top.connect(app.target.connections)
    async with top.run_test(size=(COLUMNS, LINES)) as pilot:
        await pilot.press("down", "d")
        await pilot.pause(2)
        lines = [
            Text.assemble(*((segment.text, segment.style or "") for segment in strip))
            for strip in top.screen._compositor.render_strips()
        ]
    top.disconnect()
    return Text("\n").join(lines)


def _begin_at_the_first_letter(match: re.Match[str]) -> str:
    """Move a text to where it can be seen: some programs drop the blanks in front of it."""
    before, x, between, length, after, blanks = match.groups()
    shift = blanks.count("&") * CELL
    return (
        f'{before} x="{float(x) + shift:.1f}"{between}'
        f' textLength="{float(length) - shift:.1f}"{after}>'
    )


def main() -> None:
    """Write the pictures."""
    draw(session(), PICTURE)
    draw(live(), LIVE_PICTURE)


def draw(text: Text, path: Path) -> None:
    """Turn what a terminal showed into a picture."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(text)
    # the fonts of the picture are the reader's own: no address outside the file
    head, _, rest = CONSOLE_SVG_FORMAT.partition("<style>")
    style = rest[rest.index(".{unique_id}-matrix") :]
    svg = console.export_svg(
        title="mqtriage", theme=MONOKAI, code_format=f"{head}<style>\n    {style}"
    )
    svg = re.sub(
        r'(<text[^>]*?) x="([\d.]+)"([^>]*?) textLength="([\d.]+)"([^>]*)>((?:&#160;)+)',
        _begin_at_the_first_letter,
        svg,
    )
    path.write_text(svg.replace("Fira Code", "DejaVu Sans Mono"), "utf-8")


if __name__ == "__main__":
    main()
