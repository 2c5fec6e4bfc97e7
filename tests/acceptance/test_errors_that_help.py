"""The failures that operators meet most: what is printed, and the next step that is offered.

`tests/golden/errors_that_help.txt` holds the text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtriage.cli.frame.main import was_done
from tests.acceptance.conftest import Bench

GOLDEN = Path(__file__).parents[1] / "golden" / "errors_that_help.txt"

SCRIPT = """
# no queue manager, or not this one
EMPTY queue ls
-m QM9 queue ls
-m qm1 queue ls
-m STOPPED queue ls
TWO queue ls
--context prod queue ls
--backend rabbit queue ls

# commands and options
mgs browse APP.IN
msg brows APP.IN
msg browse APP.IN --correl 00
msg browse
msg browse APP.IN -o xml
msg browse APP.IN --sort age
msg browse APP.IN --columns msgid,age
msg browse APP.IN -n
rc NO_SUCH_CODE

# queues
msg browse APP.INN
msg browse app.in
msg browse APP.IN.THAT.HAS.A.NAME.OF.MORE.THAN.FORTY.EIGHT.CHARACTERS
msg browse BROKEN.ALIAS
msg browse REMOTE.Q
msg put GET.OFF --yes
msg move GET.OFF --to APP.IN --yes
msg put PUT.OFF x --yes
msg put FULL x --yes
msg put SMALL 'more than ten bytes' --yes
msg put DENIED x --yes
queue delete APP.IN --yes
queue set APP.IN MAXDEPHT=1 --yes
queue set APP.IN MAXDEPTH=-1 --yes
queue set APP.IN PUT=OFF --yes
queue show 'APP.*'

# poison handling
backout set APP.IN --threshold -1 --boq APP.BO --yes
backout set BROKEN.ALIAS --threshold 3 --boq APP.BO --yes
backout move APP.IN --min-backout 0 --yes
backout requeue APP.BO --to origin --yes

# delay and expiry
delay define --maxmsgl 900MB --yes
delay define --maxdepth 0 --yes
msg put APP.IN x --delay soon --yes
msg show SYSTEM.DDELAY.LOCAL.QUEUE ID:0102
expiry extend APP.IN --expiry never --yes

# which messages
msg browse APP.IN --msgid 414
msg browse APP.IN --msgid ID:41Z
msg browse APP.IN --correlid text:a-text-of-more-than-24-bytes
msg purge APP.IN --msgid 'ID:41*' --yes
msg purge APP.IN --correlid 000000000000000000000000000000000000000000000000 --yes
msg show APP.IN ID:FFFF
msg browse APP.IN --where "backout >="
msg browse APP.IN --where "backuot >= 3"
msg browse APP.IN --backout many
msg browse APP.IN --older-than 2x
msg browse APP.IN --due-after monday
msg browse APP.IN --body-regex '(['
msg browse APP.IN --range 3..7
msg browse APP.IN --ids-from no-such-file
msg purge APP.IN --body-contains order --yes

# guards
msg purge APP.IN --limit 1
msg purge APP.IN --yes
msg purge APP.IN --confirm APP.INN
msg purge APP.IN --limit 1 --expect 2 --yes
msg purge COD --limit 1 --yes
msg move APP.IN --to NO.SUCH --yes
msg move APP.IN --to APP.IN --yes
msg move APP.IN --to SMALL --yes
msg move APP.IN --to FULL --yes

# files
-m DAMAGED queue ls
lint no-such.mqsc
dlq run -f broken.rules -n
msg load --to APP.IN no-such.ndjson --yes
"""


@pytest.fixture
def troubled(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A queue manager where everything that goes wrong can."""
    bench.define(
        "APP.IN",
        "APP.BO",
        "DENIED",
        "COD",
        **{
            "BROKEN.ALIAS": "TARGET=GONE",
            "GET.OFF": "GET=DISABLED",
            "PUT.OFF": "PUT=DISABLED",
            "FULL": "MAXDEPTH=1",
            "SMALL": "MAXMSGL=10",
        },
    )
    for queue in ("APP.IN", "APP.BO", "FULL", "GET.OFF"):
        bench.ok("msg", "put", queue, "an order of more than ten bytes", "--yes")
    bench.ok("msg", "put", "COD", "x", "--report", "COD", "--reply-to", "APP.BO", "--yes")
    script = tmp_path / "setup.mqsc"
    script.write_text("DEFINE QREMOTE(REMOTE.Q) RNAME(X) RQMNAME(QM9)\n", "utf-8")
    bench.ok("mqsc", str(script), "--yes")
    bench.ok("emulator", "lab", "switch", "fault.put.DENIED=2035")
    monkeypatch.chdir(tmp_path)
    Path("broken.mqsc").write_text("DEFINE QLOCAL(A\nDEFINE QLOCAL(B) MAXDEPHT(5)\n", "utf-8")
    Path("broken.rules").write_text("REASON(MQRC_Q_FUL) ACTION(RETRY)\n", "utf-8")
    bench.path("DAMAGED").write_bytes(b"no database at all" * 500)
    bench.ok("emulator", "create", "STOPPED")
    bench.ok("emulator", "stop", "STOPPED")
    bench.environ["MQTRIAGE_QMGR"] = "QM1"
    return bench


def told(bench: Bench) -> Iterator[str]:
    for line in SCRIPT.strip().splitlines():
        if not line or line.startswith("#"):
            yield line
            continue
        words = shlex.split(line)
        here = Bench(bench.home)
        here.environ = dict(bench.environ)
        if words[0] == "EMPTY":
            here = Bench(bench.home.parent / "empty")
            words = words[1:]
        elif words[0] == "TWO":
            del here.environ["MQTRIAGE_QMGR"]
            words = words[1:]
        ran = here.run(*words)
        yield f"$ mqtriage {' '.join(shlex.quote(word) for word in words)}"
        stderr = ran.err.replace(str(bench.home), "HOME")
        shown = [text for text in stderr.splitlines() if re.match(r"(error|hint): ", text)]
        # the lists of columns and attributes grow: their beginning will do
        yield from [re.sub(r"((?:columns|attributes): .{60}).*", r"\1 ...", text) for text in shown]
        yield f"exit {ran.code}"


def test_each_failure_is_told_as_it_was_agreed(
    troubled: Bench, golden: Callable[[str, str], None]
) -> None:
    golden(GOLDEN.name, "\n".join(told(troubled)) + "\n")


def test_sixty_failures_are_told_and_each_offers_a_next_step() -> None:
    blocks = GOLDEN.read_text("utf-8").split("$ mqtriage ")[1:]
    assert len(blocks) >= 60
    without = [block.splitlines()[0] for block in blocks if "\nhint: " not in block]
    assert without == []
    assert [block for block in blocks if "exit 0" in block or "Traceback" in block] == []


def test_a_hint_never_names_the_command_that_was_just_given(bench: Bench) -> None:
    ran = bench.run("queue", "ls", "*", "NOPE")
    assert (ran.code, "hint" in ran.err) == (5, False), ran.err
    assert "hint: mqtriage queue ls '*'" in bench.run("queue", "ls", "NOPE").err
    assert was_done("mqtriage journal ls", ["journal", "ls"])
    assert not was_done("mqtriage journal ls", ["journal", "ls", "9"])
    assert not was_done("--yes goes on", ["--yes"])
