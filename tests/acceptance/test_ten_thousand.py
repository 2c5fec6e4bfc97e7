"""Every command in every output form where there are 10,000 messages."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from tests.acceptance.conftest import Bench, with_copy
from tests.support.scale import crossed

pytestmark = pytest.mark.slow

NUMBER = 10_000
STAGED = 20
STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
FORMS = ("table", "plain", "json", "ndjson", "csv", "md", "ids")

LISTINGS = {
    "msg browse IN": NUMBER,
    "backout browse IN": NUMBER,
    "expiry browse IN": NUMBER,
    "dlq browse IN": NUMBER,
    "backout pending IN --min-backout 1": 1,
    "msg count IN": 1,
    "delay browse": STAGED,
    "queue ls IN": 1,
    "backout ls IN": 1,
    "delay status": 1,
    "expiry status IN --scan": 1,
    "emulator ls": 1,
}
DOCUMENTS = [
    "queue show IN",
    "queue status IN",
    "qmgr show",
    "emulator clock",
]
ACTS = [
    "msg move IN --to OUT --limit 60 --yes",
    "msg purge IN --limit 60 --yes",
    "backout requeue IN --to OUT --limit 60 --yes",
    "backout purge IN --limit 60 --yes",
    "msg move IN --to OUT -n",
    f"delay cancel --confirm {STAGING}",
    "expiry sweep IN --yes",
    "msg put IN x --count 60 --yes",
]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """IN with 10,000 messages, of which the first was rolled back once, and some staged."""
    bench = Bench(tmp_path_factory.mktemp("large"))
    bench.ok("emulator", "create", "QM1", "--clock", "frozen")
    bench.define(IN=f"MAXDEPTH={NUMBER + 60}", OUT=f"MAXDEPTH={NUMBER}")
    with bench.connected() as backend:
        handle = backend.open("IN", cmqc.MQOO_OUTPUT)
        for number in range(NUMBER):
            handle.put(MQMD(format="MQSTR", persistence=1), b"%d" % number, cmqc.MQPMO_SYNCPOINT)
            if number % 1_000 == 999:
                backend.commit()
        for _ in range(STAGED):
            backend.put_delayed("OUT", MQMD(format="MQSTR"), b"later", 60_000)
    bench.ok("emulator", "lab", "rollback", "IN")
    return bench


COUNTERS: dict[str, Callable[[str], int]] = {
    "table": lambda out: len(re.findall(r"^\S", out, re.MULTILINE)) - 2,
    "plain": lambda out: len(out.splitlines()) - 1,
    "json": lambda out: len(json.loads(out)["items"]),
    "ndjson": lambda out: len([json.loads(line) for line in out.splitlines()]),
    "csv": lambda out: len(list(csv.DictReader(io.StringIO(out)))),
    "md": lambda out: len(out.splitlines()) - 2,
    "ids": lambda out: len(out.split()),
}


@pytest.mark.parametrize(("command", "form"), crossed(LISTINGS, FORMS))
def test_a_listing_has_every_record_in_every_form(large: Bench, command: str, form: str) -> None:
    large.environ["COLUMNS"] = "200"
    ran = large.ok(*command.split(), "-o", form)
    assert COUNTERS[form](ran.out) == LISTINGS[command]


@pytest.mark.parametrize(("command", "form"), crossed(DOCUMENTS, FORMS))
def test_a_document_is_shown_in_every_form(large: Bench, command: str, form: str) -> None:
    ran = large.run(*command.split(), "-o", form)
    assert ran.code == (2 if form == "ids" else 0), ran.err
    assert bool(ran.out) is (form != "ids")
    if form == "json":
        assert ran.json["item"]


@pytest.mark.parametrize(("command", "form"), crossed(ACTS, FORMS))
def test_an_act_is_reported_in_every_form(
    large: Bench, tmp_path: Path, command: str, form: str
) -> None:
    bench = with_copy(Bench(tmp_path / "home"), large.path())
    ran = bench.ok(*command.split(), "-o", form)
    depth = bench.depth("IN")
    if "--limit" in command:
        assert depth == NUMBER - 60
    else:
        assert depth == NUMBER + 60 * command.startswith("msg put")
    assert bench.depth(STAGING) == (0 if command.startswith("delay") else STAGED)
    if form == "json":
        assert ran.json["kind"] in {"Plan"} or ran.json["counts"]["failed"] == 0
    if form == "ids" and not command.startswith("expiry"):
        assert all(re.fullmatch("[0-9A-F]{48}", word) for word in ran.out.split())
    if form == "ids" and "60" in command:
        assert len(ran.out.split()) == 60
