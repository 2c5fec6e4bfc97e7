"""What comes from outside: whole examples of each input, and what reads them.

A reader returns, or raises what its docstring says: an error of ours, with one line for the user.
Anything else that it raises is a fault, and so is an answer of a command line that speaks of an
internal error.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

from mqtriage.emulator.channel import bodies
from mqtriage.emulator.channel.segments import BadSegment, Inflow, Segment, SegmentType, encoded
from mqtriage.emulator.samples import definitions, samples
from mqtriage.messages import decoded as records
from mqtriage.messages.body_path import check_path, json_values, parse_json, xml_values
from mqtriage.messages.body_regex import search_for
from mqtriage.messages.filters.expression import to_text
from mqtriage.messages.filters.selector import SelectorError, parse_selector
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.descriptor import MQMD, ByteOrder
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.headers import chain, rfh2
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.layout import Following
from mqtriage.mq.message import Message
from mqtriage.mq.mqsc.format import format_script
from mqtriage.mq.mqsc.output import read_output
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.pcf import messages as pcf
from mqtriage.operations.rules.toml import read_rules, to_table, to_toml
from tests.acceptance.messages.estate import Estate
from tests.support.channel_client import call, message, proposal, wanted
from tests.support.environment import RAM_DISK

_ORDERS: Final[tuple[ByteOrder, ...]] = (">", "<")


class Input(NamedTuple):
    """One kind of input.

    Attributes:
        examples: whole ones, which are damaged.
        read: reads one, damaged or not.
    """

    examples: Callable[[], Iterable[bytes]]
    read: Callable[[bytes], object]


# -- message data ------------------------------------------------------------------------------


def _bodies() -> list[bytes]:
    return [sample.body for sample in samples()]


def _headers(data: bytes) -> None:
    """The first byte chooses the Format, so that each header's decoder gets all of them."""
    if not data:
        return
    forms = ("", "MQSTR", *sorted(HEADER_FORMATS))
    for encoding, ccsid in ((273, 1208), (546, 500)):
        chain.decode(forms[data[0] % len(forms)], encoding, ccsid, data[1:])
    md = MQMD(format=forms[data[0] % len(forms)], encoding=273, ccsid=1208)
    records.decoded(Message(md, data[1:], len(data) - 1))


def _tagged() -> list[bytes]:
    forms = ("", "MQSTR", *sorted(HEADER_FORMATS))
    known = {form: number for number, form in enumerate(forms)}
    return [bytes([known.get(one.md.format, 0)]) + one.body for one in samples()]


def _rfh2() -> list[bytes]:
    folders: list[tuple[str, dict[str, str | int]]] = [
        ("usr", {"color": "red", "n": 7}),
        ("jms", {"Dst": "queue:///Q"}),
    ]
    following = Following("MQSTR", 273, 1208)
    return [rfh2.encode(rfh2.build(folders, following, order=order)) for order in _ORDERS]


def _read_rfh2(data: bytes) -> None:
    for order in _ORDERS:
        header = rfh2.decode(data, 0, order)
        if isinstance(header, rfh2.RFH2):
            rfh2.properties([header])


# -- text ----------------------------------------------------------------------------------------

_WHERE: Final = (
    "format = 'MQSTR' and backout >= 3", "body.order.items[0].sku like 'a%' escape 'x'",
    "prop.\"any name\" in (1, 2.5, 'x') or not (expiry is null)", "body contains x'C1C2'",
    "put_time between 2026-01-31T10:00:00Z and now-2h", "reason = MQRC_Q_FULL",
    "body matches '^a+(b|c)*$'", "length > 4MiB", 'body."/order/@id" = \'7\'',
)  # fmt: skip
_SELECTORS: Final = (
    "Root.MQMD.Format = 'MQSTR'", "JMSPriority = 4 OR color LIKE 'r_d%' ESCAPE '\\'",
    "a + 2 * -b / 3 <= 1E5 AND c NOT IN ('x', 'y')", "d BETWEEN 1 AND 2 OR e IS NOT NULL",
)  # fmt: skip
_RULES: Final = (
    "INPUTQM(QM1) RETRYINT(30) WAIT(YES)\nREASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(3)\n"
    "DESTQ(A*) ACTION(FWD) FWDQ(&DESTQ) FWDQM(QM9) HEADER(NO) +\n PERSIST(MQPER_PERSISTENT)\n",
    '[[rule]]\nname = "a"\nwhere = "backout >= 3"\naction = "fwd"\nfwdq = "X"\nrate = "5/s"\n',
)


def _where(text: str) -> None:
    to_text(parse_where(text))


def _rules(text: str) -> None:
    table = read_rules(text)
    to_toml(table)
    to_table(table)


def _mqsc(data: bytes) -> None:
    text = decode_script(data)
    script = parse(text)
    assert "".join(script.raw(item) for item in script.items) == script.text
    once = format_script(script)
    assert format_script(parse(once)) == once
    read_output(text)


def _body(text: str) -> None:
    with suppress(MQTriageError, ValueError):
        list(json_values(parse_json(text)))
    list(xml_values(text, 100))


def _of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _texts(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


# -- what programs send --------------------------------------------------------------------------


def _pcf() -> list[bytes]:
    parameters = (
        pcf.integer_of(20, 1), pcf.string(2016, "Q1", width=48), pcf.integers(1002, [1, 2]),
        pcf.byte_string(7001, b"xy"), pcf.group(8001, [pcf.integer_of(1, 2)]),
    )  # fmt: skip
    whole = pcf.PCF(1, 13, parameters)
    return [pcf.encode(whole, order) for order in _ORDERS]


def _dumps() -> list[bytes]:
    head = dumpfile.header("Mon Jan  5 10:20:30 2026", "QM1", "Q1")
    whole = [dumpfile.entry(1, one.md, one.body, text=True) for one in samples()]
    return [f"{head}{''.join(whole[:2])}".encode(), *(text.encode() for text in whole[2:])]


def _frames() -> list[bytes]:
    opening = bodies.encode(SegmentType.INITIAL_DATA, proposal(), ">")
    segments = [
        Segment(SegmentType.INITIAL_DATA, opening, flags=0x31),
        call(SegmentType.MQPUT, 1, **message(2, b"fuzz", False)),
        call(SegmentType.MQGET, 1, **wanted(2, False, 0)),
        call(SegmentType.MQCMIT, 1),
    ]
    return [encoded(segment) for segment in segments]


def _read_frames(data: bytes) -> None:
    inflow = Inflow()
    inflow.feed(data)
    with suppress(BadSegment):
        while (segment := inflow.next()) is not None:
            bodies.decode(segment.type, segment.body, segment.order)
        inflow.end()


def _selector(text: str) -> None:
    with suppress(SelectorError):
        parse_selector(text)


# -- files, read by command lines ------------------------------------------------------------------


@cache
def _estate() -> Estate:
    """A queue manager, and a file of each kind; gone with the process."""
    folder = mkdtemp(
        prefix="mqtriage-fuzz-", dir=RAM_DISK if os.access(RAM_DISK, os.W_OK) else None
    )
    estate = Estate.create(Path(folder))
    estate.environ["MQTRIAGE_CONFIG"] = str(estate.folder / "config.toml")
    for name in ("IN", "OUT"):
        estate.queue(name)
    estate.put("IN", b"one", b"two", b"three")
    for line in (
        f"msg archive IN --out {folder}/archive.ndjson",
        f"msg archive IN --out {folder}/messages.dump --format dmpmqmsg",
        f"msg move IN --to OUT --plan {folder}/plan.json",
        "msg purge IN --limit 1 --yes",
        f"snapshot take --folder {folder}/snapshots --format ndjson",
        "context add known -m QM1",
    ):
        ran = estate.run(*line.split())
        assert ran.code == 0, f"{line}: {ran.err}"
    return estate


def forget() -> None:
    """Remove the files."""
    if _estate.cache_info().currsize:
        shutil.rmtree(_estate().folder)
        _estate.cache_clear()


def _file(pattern: str, *lines: str) -> Input:
    """A file of the estate, and command lines that read it; {file} stands for its path."""

    def path() -> Path:
        return next(iter(sorted(_estate().folder.glob(pattern))))

    def read(data: bytes) -> None:
        file = path()
        whole = file.read_bytes()
        for beside in file.parent.glob(f"{file.name}?*"):  # an index, SQLite's log
            beside.unlink()
        file.write_bytes(data)
        try:
            for line in lines:
                ran = _estate().run(*line.format(file=file, folder=_estate().folder).split())
                if "internal error" in ran.err or "Traceback" in ran.err:
                    raise AssertionError(f"{line}: {ran.err}")
        finally:
            file.write_bytes(whole)

    return Input(lambda: [path().read_bytes()], read)


INPUTS: Final = {
    "headers": Input(_tagged, _headers),
    "rfh2": Input(_rfh2, _read_rfh2),
    "bodies": Input(_bodies, _of_text(_body)),
    "dumps": Input(
        _dumps, lambda data: list(dumpfile.read(data.splitlines(keepends=True)))
    ),
    "rules": Input(_texts(*_RULES), _of_text(_rules)),
    "mqsc": Input(_texts(definitions()), _mqsc),
    "pcf": Input(_pcf, pcf.decode),
    "frames": Input(_frames, _read_frames),
    "conditions": Input(_texts(*_WHERE), _of_text(_where)),
    "selectors": Input(_texts(*_SELECTORS), _of_text(_selector)),
    "paths": Input(_texts("$.a[0]['b c']..d", "/a/b[2]/@id", "//x"), _of_text(check_path)),
    "expressions": Input(_texts("^a(b|c){2,3}[^x-z]*$", "(?i)x+?"), _of_text(search_for)),
    "archives": _file(
        "archive.ndjson", "archive verify {file}", "archive ls {file} --msgid ID:FF",
        "archive ls {file}",
        "msg load {file} --to OUT --dry-run", "archive copy {file} --out {folder}/new.ndjson",
    ),
    "journals": _file("journal/ledger.sqlite", "journal ls", "journal verify", "journal resume -n"),
    "plans": _file("plan.json", "apply {file} -n"),
    "contexts": _file("config.toml", "context ls", "context show", "--context known qmgr show"),
    "snapshots": _file(
        "snapshots/messages/*/*/*.ndjson", "snapshot ls --folder {folder}/snapshots",
        "msg diff snapshot:latest IN --folder {folder}/snapshots",
    ),
}  # fmt: skip
"""By the name that `tests/fuzz/failures.tsv` has."""
