"""Every command prints the same, exits alike and leaves the same behind, whichever end it takes.

Each command line runs on a copy of one queue manager, in this process, and through pymqi or ibmmq
in turns. What time and the queue manager's own ids do to the output is masked; what a real queue
manager cannot tell, and says so, is tested apart.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqtriage.backends import clock
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.cli.frame.main import main
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from mqtriage.model.client_settings import LibraryName
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.contract.conftest import CLIENTS, load
from tests.mqi.conftest import Served
from tests.support.application import app_for_test
from tests.support.scale import amount

IN = "ORDERS.IN"

READS = """
qmgr show
qmgr show -o json
queue ls
queue ls 'ORDERS*' -o json
queue show ORDERS.IN
queue show ORDERS
queue show ORDERS.IN -o json
queue show ORDERS.IN -o mqsc
queue status ORDERS.IN
queue status NO.SUCH
queue status ORDERS.IN --handles
msg browse ORDERS.IN
msg browse ORDERS.IN -o json
msg browse ORDERS --limit 2 -o ids
msg browse ORDERS.IN --backout '>=1' --columns format,backout_count
msg browse ORDERS.IN --where "format = 'MQSTR'" -o csv
msg browse ORDERS.IN --body-contains order -o ids
msg browse ORDERS.IN --selector "Root.MQMD.Format = 'MQSTR'" -o ids
msg browse ORDERS.BO --selector "Root.MQMD.BackoutCount > 0 OR JMSPriority = 4" -o json
msg count ORDERS.BO --selector "Root.MQMD.PutApplName LIKE 'legacy%'"
msg browse ORDERS.IN --no-expiry-effects
msg browse NO.SUCH
msg browse NO.SUCH -o json
msg browse SYSTEM.DEFAULT.REMOTE.QUEUE
msg count ORDERS.IN
msg count ORDERS.IN --md-format MQSTR
msg browse ORDERS.BO --set properties_as=rfh2 -o json
msg browse ORDERS.BO --set properties_as=handle -o json
msg browse ORDERS.BO --set properties_as=queue -o json
msg browse ORDERS.BO --set properties_as=handle --columns msg_id,format,length_bytes
msg browse ORDERS.BO --set properties_as=handle --prop region=APAC -o ids
msg count ORDERS.BO --set properties_as=handle --where "prop.region = 'APAC' AND format = 'MQSTR'"
msg show ORDERS.BO 414D51* --nth 1 --set properties_as=handle
msg show ORDERS.BO 414D51* --nth 1 --set properties_as=handle --no-decode -o json
watch ORDERS.BO --existing --limit 2 --set properties_as=handle -o ndjson
msg browse ORDERS.BO --set properties_as=elsewhere
msg show ORDERS.IN {first}
msg show ORDERS.IN {first} -o json
msg show ORDERS.IN 414D51* --nth 2
msg show ORDERS.IN text:none
msg diff ORDERS.IN ORDERS.BO
lint --select BKO --queue ORDERS.*
backout explain ORDERS.IN
backout pending
backout browse ORDERS.BO
backout browse ORDERS.BO -o json
backout causes ORDERS.BO --against ORDERS.IN
backout browse ORDERS.BO --group origin
dlq browse
dlq browse -o json
dlq causes
top dlq --count 1
expiry status --scan
expiry browse PAYMENTS.REPLY
expiry reports PAYMENTS.REPLY
delay cancel --dry-run --correlid {staged}
delay browse --columns msg_id,original_msg_id,target,state
delay define --maxdepth 100000 -n
delay define --maxdepth 100000 --mqsc -n
lint
lint -o json --fail-on never
plan {files}/wanted.mqsc
plan {files}/wanted.mqsc -o mqsc
drift {files}/wanted.mqsc
mqsc {files}/show.mqsc
mqsc {files}/show.mqsc -o json
mqsc {files}/wanted.mqsc -n
watch ORDERS.IN --existing --limit 2
backout pending ORDERS.IN --interval 2s --existing --limit 1 --for 5s
msg move ORDERS.IN --to OPS.PARKED --md-format MQSTR -n
msg purge ORDERS.IN --expect 3 --confirm ORDERS.IN
msg purge PAYMENTS.IN
msg move ORDERS.BO --to NO.SUCH --yes
msg move ORDERS.IN --to ORDERS --yes
backout requeue ORDERS.BO --to ORDERS.IN -n
backout requeue ORDERS.BO --to origin -n
snapshot ls
archive ls
check qmgr
check queue ORDERS.IN --warn 1
check backout ORDERS.BO
check dlq
check queue NO.SUCH
"""

WRITES = """
queue define APP.NEW MAXDEPTH=7 DESCR='a new one' --yes
queue define APP.LIKE --like ORDERS.IN --yes
queue define ORDERS.IN --yes
queue set ORDERS.IN MAXDEPTH=100 PUT=DISABLED --yes
queue set ORDERS.IN MAXDEPTH=100 -n
queue set NO.SUCH MAXDEPTH=100 --yes
queue delete OPS.PARKED --confirm OPS.PARKED
queue delete ORDERS.IN --confirm ORDERS.IN
queue delete ORDERS.IN --purge --confirm ORDERS.IN
msg put PAYMENTS.IN hello --yes --count 2 --expiry 1h --priority 3 --prop Colour=red
msg put NO.SUCH hello --yes
msg copy ORDERS.IN --allow-reports --to OPS.PARKED --yes -o json
msg move ORDERS.IN --allow-reports --to OPS.PARKED --yes --quiet
msg move ORDERS.IN --allow-reports --to OPS.PARKED --limit 1 --new-msgid --expiry 1h --yes
msg move ORDERS.IN --allow-reports --to OPS.PARKED --message-context default --batch 1 --yes
msg move ORDERS.BO --to ORDERS.IN --yes -o json
msg purge PAYMENTS.IN --confirm PAYMENTS.IN
msg purge ORDERS.IN --allow-reports --md-format MQSTR --yes --no-backup
msg archive ORDERS.IN --out {out}/orders.ndjson
incident ORDERS.IN --no-expiry-effects --out {out}/incident
mqsc export --out {out}/exported
msg load {files}/two.ndjson --to OPS.PARKED --yes
backout set PAYMENTS.IN --threshold 3 --boq PAYMENTS.BO --create-boq --yes
backout set ORDERS.IN --threshold 0 --boq '' --yes
backout requeue ORDERS.BO --to ORDERS.IN --yes
backout requeue ORDERS.BO --to origin --yes
backout purge ORDERS.BO --confirm ORDERS.BO
backout move ORDERS.IN --backout '>=3' --min-backout 0 --yes
backout move ORDERS.IN --yes
dlq run -f {files}/rules.txt --yes
dlq run -f {files}/rules.toml --yes
dlq run ORDERS.BO -f {files}/poison.toml --yes
archive restore {files}/two.ndjson --to OPS.PARKED --yes
archive restore {files}/two.ndjson --yes
msg move ORDERS.IN --allow-reports --to OPS.PARKED --no-bodies --yes
dlq requeue --yes
dlq purge --confirm DEAD.LETTER.QUEUE
expiry extend PAYMENTS.REPLY --expiry 2h --yes
expiry purge PAYMENTS.REPLY --expires-within 24h --yes
expiry sweep PAYMENTS.REPLY --confirm PAYMENTS.REPLY
delay cancel --correlid {staged} --to OPS.PARKED --yes
delay cancel --correlid {staged} --yes
delay cancel --correlid {staged} --to OPS.PARKED --headers strip --experimental --yes
delay release --correlid {staged} --experimental --yes
delay define --maxdepth 150000 --yes
apply {files}/wanted.mqsc --yes
plan {files}/wanted.mqsc --out {out}/w.plan && apply {out}/w.plan --yes
mqsc {files}/wanted.mqsc --yes
mqsc {files}/wrong.mqsc --yes
snapshot take --format ndjson --folder {out}/snapshots
expiry revive --from {files}/two.ndjson --to OPS.PARKED --yes
msg purge ORDERS.IN --allow-reports --confirm ORDERS.IN && journal undo --allow-reports --yes
msg move ORDERS.IN --allow-reports --to OPS.PARKED --yes && journal undo --allow-reports --yes
msg move ORDERS.IN --allow-reports --to OPS.PARKED --plan {out}/plan.json && apply {out}/plan.json --yes
journal resume --yes
msg move ORDERS.IN --to OPS.PARKED --yes
msg move ORDERS.IN --to OPS.PARKED --allow-reports --expect 1 --yes
msg move ORDERS.IN --allow-reports --to OPS.PARKED --plan {out}/plan.json && msg purge ORDERS.IN --allow-reports --limit 1 --yes -q && apply {out}/plan.json --yes
"""  # noqa: E501  one command line a line
ACTS = """
expiry revive PAYMENTS.REPLY --to OPS.PARKED --yes
expiry purge PAYMENTS.REPLY --older-than 1s --yes
backout move ORDERS.IN --min-backout 1 --yes -o json
msg move ORDERS.IN --allow-reports --to OPS.PARKED --limit 1 --rate 50/s --expect 1 --yes -o json
msg move ORDERS.IN --to OPS.PARKED --reports strip --allow-reports --headers strip --yes -o json
dlq requeue --max-errors 1 --yes -o json
dlq requeue --max-errors 1 --batch 1 --yes -o json
dlq requeue --park OPS.PARKED --yes -o json
dlq run -f {files}/rules.txt --rate 100/s --limit 2 --yes -o json
{to_in} && {to_bo} && {to_in} --allow-reports --max-requeues 1 -o json && journal verify -o json
{to_in} && {to_bo} && {to_in} --allow-reports --max-requeues 1 --park OPS.PARKED -o json && journal undo --allow-reports --yes -o json
msg move ORDERS.IN --allow-reports --to OPS.PARKED --yes -q && journal ls -o json && journal show -o json && journal show --messages -o json
msg purge ORDERS.IN --allow-reports --limit 2 --yes -q && journal verify -o json && journal undo --expiry original --yes -o json
msg purge ORDERS.IN --allow-reports --limit 2 --yes -q && journal prune --yes -o json && journal ls
msg copy ORDERS.IN --allow-reports --to OPS.PARKED --yes -q && journal undo -n -o json && journal undo --allow-reports --yes -o json
msg load {files}/two.ndjson --to OPS.PARKED --yes -q && journal show -o json && journal undo --yes -o json && journal verify -o json
archive restore {files}/two.ndjson --to OPS.PARKED --yes -q && archive restore {files}/two.ndjson --to OPS.PARKED --yes -o json
msg archive ORDERS.IN --out {out}/all.ndjson -q && msg diff {out}/all.ndjson ORDERS.IN && msg diff {out}/all.ndjson ORDERS.BO -o json
"""  # noqa: E501  one command line a line
"""Acts, guards and the journal, none of them refused; `{to_in}` is a requeue, `{to_bo}` takes it
back."""

CHANGES = (WRITES + ACTS).strip().replace("\n\n", "\n").splitlines()

INSIGHT = frozenset(
    {"visible", "expired", "with_expiry", "next_expiry_time", "expires_1h", "expired_since_time"}
    | {"unlimited", "largest_bytes", "next_due_time", "overdue", "due_1m", "due_1h"}
    | {"processor", "pending", "poison"}
)
"""Keys that hold what no call of the MQI can tell without a browse: null through a client."""

NULLED = """
backout ls
backout ls ORDERS.IN
delay status
expiry status
expiry explain PAYMENTS.REPLY
top queues --count 1
top backout --count 1
"""

DUE = """
delay browse
msg show SYSTEM.DDELAY.LOCAL.QUEUE {staged_id}
"""
"""Due times are those of the emulator's header, or assumed."""

MONITORS = {
    "check delay --warn 70% --crit 90%": (0, "OK"),
    "check expiry PAYMENTS.REPLY": (3, "UNKNOWN"),
    "check delay --overdue 1": (8, ""),
}
"""What a monitor says where it cannot look: exit code and first word."""

REFUSED = """
msg put ORDERS.IN x --delay 1h --yes
delay release --correlid {staged} --yes
delay reschedule --correlid {staged} --delay 1h --yes
delay cancel --correlid {staged} --to OPS.PARKED --headers strip --yes
delay browse --overdue
delay browse --due-before now+1h
delay forecast
"""
"""Without a documented header, and with no delivery delay in the MQI: exit 8."""


def in_turns(lines: Iterable[str]) -> list[tuple[str, LibraryName]]:
    """Each command line, through pymqi and ibmmq in turns, before a release through both.

    What the two do with each call of the port the other files of this folder show.
    """
    every = amount(1, all=len(CLIENTS))
    return [
        (line, CLIENTS[(number + turn) % len(CLIENTS)])
        for number, line in enumerate(lines)
        for turn in range(every)
    ]


LOCAL = frozenset({("journal", verb) for verb in ("ls", "show", "verify", "prune")})
"""Verbs that look at the journal and at no queue manager."""

ELSEWHERE = frozenset(
    ["version", "completion", "rc", "cheat", "man", "doctor", "lsp", "mcp"]
    + [f"emulator {verb}" for verb in GROUPS["emulator"].verbs]
    + [f"context {verb}" for verb in GROUPS["context"].verbs]
    + [f"analyze {verb}" for verb in GROUPS["analyze"].verbs]
    + [f"archive {verb}" for verb in GROUPS["archive"].verbs if verb != "restore"]
    + [
        *(f"lint {verb}" for verb in ("check", "fix", "explain", "baseline")),
        "mqsc fmt",
        "snapshot diff",
        "snapshot export",
        "snapshot prune",
        "snapshot compact",
    ]
    + ["dlq rules"]
    + ["mqsc run"]  # what `mqsc FILE` does
)
"""Commands that connect to no queue manager, or to an emulated one by its very purpose."""

FILES = {
    "wanted.mqsc": "DEFINE QLOCAL(ORDERS.IN) REPLACE MAXDEPTH(30000)\n"
    "DEFINE QLOCAL(ORDERS.NEW) DESCR('it''s new') BOTHRESH(2) BOQNAME(ORDERS.BO)\n"
    "ALTER QMGR DESCR('planned')\n",
    "show.mqsc": "DISPLAY QLOCAL(ORDERS.IN)\nDISPLAY QUEUE(ORDERS*) TYPE MAXDEPTH\n"
    "DISPLAY QMGR DEADQ MAXMSGL\nDISPLAY QLOCAL(NO.SUCH)\nPING QMGR\nDISPLAY STGCLASS(*)\n",
    "wrong.mqsc": "DEFINE QLOCAL(ORDERS.IN)\nALTER QLOCAL(ORDERS.IN) MAXDEPTH(-1)\n"
    "ALTER QLOCAL(NO.SUCH) MAXDEPTH(1)\nDELETE QLOCAL(ORDERS.IN)\nFOO BAR\n"
    "alter ql(ORDERS.IN) boqueue(x)\nalter ql(ORDERS.IN) +\n   maxdepth(5)\n",
    "rules.toml": '[[rule]]\nreason = "MQRC_Q_FULL"\naction = "park"\nqueue = "OPS.PARKED"\n'
    '[[rule]]\nwhere = "length > 0"\naction = "retry"\n',
    "poison.toml": '[[rule]]\nreason = "MQRC_BACKOUT_THRESHOLD_REACHED"\naction = "retry"\n'
    'max_retries = 2\n[[rule]]\naction = "discard"\n',
    "rules.txt": "INPUTQM(' ') INPUTQ('DEAD.LETTER.QUEUE') WAIT(NO)\n"
    "REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(OPS.PARKED) HEADER(NO)\nACTION(IGNORE)\n",
}


class Estate(NamedTuple):
    """A home with one queue manager, and what the command lines name in it."""

    home: Path
    files: Path
    names: dict[str, str]
    ids: frozenset[str]


class Ran(NamedTuple):
    """What a command line did; texts are masked."""

    code: int
    out: str
    errors: str


def run(home: Path, args: list[str]) -> tuple[int, str, str]:
    environ = {"MQTRIAGE_HOME": str(home), "HOME": str(home), "MQTRIAGE_QMGR": "QM1"}
    app = app_for_test(environ=environ)
    code = main(args, app)
    assert isinstance(app.output.stdout, io.StringIO)
    assert isinstance(app.run.stderr, io.StringIO)
    return code, app.output.stdout.getvalue(), app.run.stderr.getvalue()


def ok(home: Path, *args: str) -> str:
    code, out, err = run(home, list(args))
    assert code == 0, f"{args}: {out}{err}"
    return out


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    return filled_estate(tmp_path_factory)


def filled_estate(tmp_path_factory: pytest.TempPathFactory, *more: str) -> Estate:
    """A home with the sample queue manager, made with *more* options."""
    home = tmp_path_factory.mktemp("estate")
    files = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (files / name).write_text(text)
    ok(home, "emulator", "create", "QM1", "--sample", "--quiet", *more)
    ok(home, "msg", "archive", IN, "--out", str(files / "two.ndjson"), "--limit", "2", "--quiet")
    backend = EmulatedBackend(open_manager(qmgr_path(home, "QM1")))
    backend.alter("QMGR", "", {"MONQ": "HIGH"})
    ids = set()
    for queue in backend.queues():
        if queue.kind == "QLOCAL":
            handle = backend.open(queue.name, cmqc.MQOO_BROWSE)
            for message in handle.browse():
                ids |= {message.md.msg_id.hex().upper(), message.md.correl_id.hex().upper()}
            handle.close()
    staged = backend.open("SYSTEM.DDELAY.LOCAL.QUEUE", cmqc.MQOO_BROWSE)
    message = next(staged.browse())
    names = {
        "files": str(files),
        "first": ok(home, "msg", "browse", IN, "-o", "ids", "--limit", "1", "--quiet").strip(),
        "staged": message.md.correl_id.hex().upper(),
        "staged_id": message.md.msg_id.hex().upper(),
    }
    staged.close()
    backend.disconnect()
    return Estate(home, files, names, frozenset(ids))


def masked(text: str, estate: Estate, folder: Path) -> str:
    """*text* without what differs from run to run: times, ages, new ids, folders, column widths."""
    text = text.replace(str(folder), "FOLDER")
    text = re.sub(
        r"(?i)\b414D51[0-9A-F]{42}\b", lambda m: m[0] if m[0] in estate.ids else "NEW-ID", text
    )
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d[:.]\d\d[:.]\d\d(\.\d+)?Z?", "TIME", text)
    text = re.sub(r"\b\d{8}T\d{6}(\.\d+)?Z?[-\w]*", "TIME", text)
    text = re.sub(r"\b\d+(\.\d+)? ?(ms|s|m|h|d)(\d+s|\d+m|\d+h)?\b", "SPAN", text)
    text = re.sub(r'("\w*(?:_ms|_tenths|_us|age)": ?)-?[\d.]+', r'\1"N"', text)
    text = re.sub(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b", "OPERATION", text)
    text = re.sub(r'\b((?:sha256"?|ndjson"):? *"?)[0-9a-f]{64}\b', r"\1OF TIMES AND IDS", text)
    text = re.sub(r"\b(20\d{6}) +\d{8}\b", "TIME", text)
    text = re.sub(r"\d{2}\.\d{2}\.\d{2}\b", "CLOCK", text)
    return re.sub(r"[ -]{2,}", "  ", text)


def state(path: Path, estate: Estate) -> str:
    """Every definition and message that is left, as another program sees them."""
    backend = EmulatedBackend(open_manager(path))
    lines = []
    for queue in backend.queues():
        attributes = {k: v for k, v in queue.attributes.items() if not k.startswith("ALT")}
        lines.append(f"{queue.kind} {queue.name} {sorted(attributes.items())}")
        if queue.kind != "QLOCAL":
            continue
        handle = backend.open(queue.name, cmqc.MQOO_BROWSE)
        lines += [f"  {_fields(message.md)} {message.body!r}" for message in handle.browse()]
        handle.close()
    backend.disconnect()
    return masked("\n".join(lines), estate, path.parent.parent)


def _fields(md: MQMD) -> str:
    own = md.msg_id.hex().upper()
    kept = md._replace(msg_id=b"", put_time="", put_date="", expiry_tenths=min(md.expiry_tenths, 0))
    return f"{own} {kept}"


@pytest.fixture
def served(tmp_path: Path, estate: Estate, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A copy of the queue manager with a server."""
    home = tmp_path / "client"
    shutil.copytree(estate.home, home)
    monkeypatch.setenv("MQTRIAGE_HOME", str(home))
    monkeypatch.delenv("MQTRIAGE_QMGR", raising=False)
    server = Served(home, existing=True)
    yield server
    server.close()


@pytest.fixture(scope="module")
def reading(estate: Estate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One copy with a server for all commands that change nothing."""
    home = tmp_path_factory.mktemp("reading") / "client"
    shutil.copytree(estate.home, home)
    patch = pytest.MonkeyPatch()
    patch.setenv("MQTRIAGE_HOME", str(home))
    patch.delenv("MQTRIAGE_QMGR", raising=False)
    server = Served(home, existing=True)
    yield server
    server.close()
    patch.undo()


@pytest.fixture
def connected(
    request: pytest.FixtureRequest,
    reading: Served,
    monkeypatch: pytest.MonkeyPatch,
    library: str,
) -> Served:
    """The copy that is read, with the package loaded that is to read it."""
    load(request, library)
    monkeypatch.setenv("MQTRIAGE_HOME", str(reading.home))
    monkeypatch.setattr(clock, "here_us", open_manager(reading.path).look)
    return reading


def ran(home: Path, line: str, estate: Estate, out: Path, *more: str) -> Ran:
    names = estate.names | {
        "out": str(out),
        "to_in": "backout requeue ORDERS.BO --to ORDERS.IN --yes",
        "to_bo": "msg move ORDERS.IN --to ORDERS.BO --allow-reports --yes -q",
    }
    out.mkdir(exist_ok=True)
    code, stdout, stderr = 0, "", ""
    for part in line.format(**names).split(" && "):
        words = shlex.split(part)
        where = () if tuple(words[:2]) in LOCAL else more
        code, out_of, err_of = run(home, [*where, *words])
        stdout, stderr = stdout + out_of, stderr + err_of
    # what the emulator knows beyond the reason code is no part of the promise
    errors = [
        re.sub(r"( MQRC\w+ \(\d+\)).*", r"\1", x)
        for x in stderr.splitlines()
        if x.startswith(("error:", "{"))
    ]
    return Ran(
        code,
        masked(stdout.replace(str(out), "OUT"), estate, home),
        masked("\n".join(errors).replace(str(out), "OUT"), estate, home),
    )


def as_emulator(text: str) -> str:
    """What the two ends say of themselves, and how the command line chose between them."""
    text = re.sub(r" {2}backend mq {2}set library=\w+", "", text)  # `masked` has taken the dashes
    text = re.sub(r'("command":"|^command +)[^"\n]*', r"\1COMMAND", text, flags=re.MULTILINE)
    return re.sub(r'(backend"?:? *)"?(mq|emulator)\b"?', r"\1END", text)


@pytest.mark.seed("CARD-15", "CARD-16")
@pytest.mark.parametrize(("line", "library"), in_turns(READS.strip().splitlines()))
@pytest.mark.slow
def test_a_command_that_reads(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    expected, actual = both(line, estate, connected, tmp_path, library)
    assert as_emulator(actual.out) == as_emulator(expected.out)
    assert actual == expected._replace(out=actual.out)


@pytest.mark.seed("CARD-15", "CARD-16")
@pytest.mark.parametrize("line", CHANGES)
@pytest.mark.slow
def test_a_command_that_writes(
    request: pytest.FixtureRequest,
    estate: Estate,
    served: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
) -> None:
    """In turns through pymqi and ibmmq: both run every call that a write makes in other tests."""
    library = CLIENTS[CHANGES.index(line) % len(CLIENTS)]
    monkeypatch.setattr(clock, "here_us", open_manager(served.path).look)
    load(request, library)
    home = tmp_path / "emulator"
    shutil.copytree(estate.home, home)
    expected = ran(home, line, estate, tmp_path / "a")
    actual = ran(
        served.home, line, estate, tmp_path / "b", "--backend", "mq", "--set", f"library={library}"
    )
    assert as_emulator(actual.out) == as_emulator(expected.out)
    assert (actual.code, actual.errors) == (expected.code, expected.errors)
    assert expected.code in (0, 3, 4) or line not in ACTS
    assert state(served.path, estate) == state(qmgr_path(home, "QM1"), estate)


def test_every_verb_of_the_tree_is_here() -> None:
    """A verb that is new belongs into one of the lists above, with a command line or without."""
    texts = (
        (READS + WRITES + ACTS + NULLED + DUE + REFUSED + "\n".join(MONITORS)).strip().splitlines()
    )
    lines = [shlex.split(part) for line in texts for part in line.split(" && ") if part]
    words = {" ".join(line[:2]) for line in lines} | {line[0] for line in lines}
    verbs = {f"{name} {verb}" for name, group in GROUPS.items() for verb in group.verbs}
    assert sorted((verbs | set(COMMANDS)) - words - ELSEWHERE) == []


# -- what a real queue manager cannot tell --------------------------------------------------------


def both(
    line: str, estate: Estate, reading: Served, tmp_path: Path, library: str
) -> tuple[Ran, Ran]:
    """What the emulator says, again where a minute began meanwhile, and what the other says."""
    more = ("--backend", "mq", "--set", f"library={library}")
    expected = ran(estate.home, line, estate, tmp_path / "a")
    actual = ran(reading.home, line, estate, tmp_path / "a", *more)
    if as_emulator(actual.out) != as_emulator(expected.out):
        expected = ran(estate.home, line, estate, tmp_path / "a")
    return expected, actual


@pytest.mark.parametrize(("line", "library"), in_turns(NULLED.strip().splitlines()))
@pytest.mark.slow
def test_what_only_the_emulator_knows_is_null(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    expected, actual = both(f"{line} -o json", estate, connected, tmp_path, library)
    assert actual.code == expected.code
    here, there = (records(outcome.out) for outcome in (expected, actual))
    assert len(here) == len(there)
    assert any(record[key] is None for record in there for key in record.keys() & INSIGHT)
    for mine, theirs in zip(here, there, strict=True):
        assert mine.keys() == theirs.keys()
        for key in mine.keys() & INSIGHT:
            assert theirs[key] in (None, mine[key]), key
        other = mine.keys() - INSIGHT - {"browse_now", "oldest_age_ms"}
        assert {key: theirs[key] for key in other} == {key: mine[key] for key in other}


@pytest.mark.parametrize("library", ["pymqi", "ibmmq"])
def test_top_shows_staged_targets_everywhere_and_counts_where_they_are_known(
    connected: Served, estate: Estate, tmp_path: Path, library: str
) -> None:
    expected, actual = both("top delay --count 1 -o json", estate, connected, tmp_path, library)
    assert actual.code == expected.code == 0
    here, there = json.loads(expected.out), json.loads(actual.out)
    assert there["items"] == here["items"] != []
    unknown = dict.fromkeys(("processor", "overdue", "due_1m", "due_1h"))
    assert there["summary"] == here["summary"] | unknown
    assert None not in here["summary"].values()


def records(text: str) -> list[dict[str, Any]]:
    document = json.loads(text)
    return list(document["items"]) if "items" in document else [document["item"]]


@pytest.mark.parametrize(("line", "library"), in_turns(DUE.strip().splitlines()))
@pytest.mark.seed("DD-14")
def test_a_due_time_is_told_as_assumed(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    expected, actual = both(f"{line} -o json", estate, connected, tmp_path, library)
    assert actual.code == expected.code
    for mine, theirs in zip(records(expected.out), records(actual.out), strict=True):
        assert (mine["ddh_time_basis"], theirs["ddh_time_basis"]) == ("emulator", "assumed-due")
        assert theirs["delay_ms"] is None
        other = mine.keys() - {"ddh_time_basis", "delay_ms", "in_ms", "expiry_tenths"}
        assert {key: theirs[key] for key in other} == {key: mine[key] for key in other}


@pytest.mark.parametrize(("line", "library"), in_turns(REFUSED.strip().splitlines()))
def test_what_needs_the_header_is_refused(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    more = ("--backend", "mq", "--set", f"library={library}")
    outcome = ran(connected.home, line, estate, tmp_path / "a", *more)
    assert outcome.code == 8
    assert "not documented" in outcome.errors or "delivery delay" in outcome.errors


@pytest.mark.parametrize(("line", "library"), in_turns(MONITORS))
def test_a_monitor_says_what_it_cannot_know(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    more = ("--backend", "mq", "--set", f"library={library}")
    outcome = ran(connected.home, line, estate, tmp_path / "a", *more)
    assert (outcome.code, outcome.out.split(" ")[0]) == MONITORS[line]


@pytest.mark.parametrize(
    ("line", "library"), in_turns(["delay browse --due-before now+1d", "delay forecast"])
)
@pytest.mark.slow
def test_assume_ddh_takes_the_time_in_the_header(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    expected, actual = both(f"{line} --assume-ddh due", estate, connected, tmp_path, library)
    assert (actual.code, expected.code) == (0, 0)
    assert actual.out.count("\n") == expected.out.count("\n")
