"""Files that real systems wrote, as input of `analyze`; they lie in the corpus, no part of ours.

Other tests read more of them: of statistics test_activity.py, of consoles test_error_logs.py. The
corpus has no dump of dmpmqcfg, so scripts of it stand behind a head; none of dmpmqmsg, no metrics.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from mqtriage.commands.analyze import configuration_dumps
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import Command, Item
from mqtriage.pipeline.sources.recognition import LogForm, form_of
from tests.acceptance.conftest import Bench
from tests.pipeline.rows import START_US
from tests.support.dmpmqcfg import dump

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MQTRIAGE_CORPUS", ROOT.parent / "shared" / "corpus"))
CHANNELS = CORPUS / "messages" / "40-datadog-statistics-channel-json.txt"
SCRIPTS = sorted((CORPUS / "mqsc").glob("*.mqsc"))

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus: set MQTRIAGE_CORPUS")


def test_channel_statistics_of_amqsevt_are_read_and_left_out(bench: Bench, tmp_path: Path) -> None:
    """A release that names no queue manager; the same cut off is counted, and no error."""
    assert form_of(CHANNELS) is LogForm.EVENTS
    for job in ("activity", "events"):
        ran = bench.ok("analyze", job, str(CHANNELS), "-o", "json")
        assert ran.items == []
        assert ran.json["summary"]["rejected"] == {}
    text = CHANNELS.read_text("utf-8")
    cut = tmp_path / "cut.json"
    cut.write_text(text + text[: len(text) // 2], "utf-8")
    ran = bench.run("analyze", "activity", str(cut), "-o", "json")
    assert ran.code == 3
    assert ran.json["summary"]["rejected"] == {"events of amqsevt that cannot be read": 1}


def test_the_queues_of_scripts_behind_a_head_of_dmpmqcfg_are_those_that_they_define(
    tmp_path: Path,
) -> None:
    """What the parser takes no sense from is counted, and tells nothing of what is gone."""
    head, _, end = dump("QM1", START_US, {}).partition("* Script ended")
    assert SCRIPTS
    for script in SCRIPTS:
        text = decode_script(script.read_bytes())
        path = tmp_path / script.name
        path.write_text(f"{head}{text}\n* Script ended{end}", "utf-8")
        begun = configuration_dumps.head_of(path)
        assert begun is not None, script.name
        assert (begun.queue_manager, begun.at) == ("QM1", "2026-01-05T00:00:00Z"), script.name
        dumped = configuration_dumps.objects_of(path)
        alone = parse(text)
        assert dumped.unreadable == sum(c.error is not None for c in alone.commands), script.name
        builder = EstateBuilder()
        # what is wrong for a placeholder is read by the rules of lint, and by no dump
        read = tuple(item for item in alone.items if not _is_wrong(item))
        builder.run(replace(alone, items=read))
        queues = {q.name for q in builder.estate().queues.values() if q.sources}
        assert {name for kind, name, _ in dumped.objects if kind != "QMGR"} == queues, script.name
        assert not (dumped.is_whole and dumped.unreadable), script.name


def _is_wrong(item: Item) -> bool:
    return isinstance(item, Command) and item.error is not None
